// SPDX-License-Identifier: MIT
// Any text as the spec of a learner, on a small problem. What is made must be able to run, must
// name itself by a spec that makes the same learner again, and must come back whole from its saved
// bytes.

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY (64 << 20)

static lgkt_learner *make(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_create(spec, config, &learner, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (learner != NULL));
    return learner;
}

// a second learner from the full spec of the first does the same
static void check_spec(lgkt_learner *learner, const lgkt_learner_config *config,
                       const fault *memory)
{
    lgkt_learner *same = make(lgkt_learner_spec(learner), config);
    FUZZ_CHECK(same != NULL || atomic_load(&memory->refused) > 0);
    fuzz_play(learner, FUZZ_HORIZON / 2);
    if (same != NULL) {
        FUZZ_CHECK(strcmp(lgkt_learner_spec(learner), lgkt_learner_spec(same)) == 0);
        fuzz_play(same, FUZZ_HORIZON / 2);
    }
    if (same != NULL && atomic_load(&memory->refused) == 0)
        FUZZ_CHECK(lgkt_learner_hash(learner) == lgkt_learner_hash(same));
    lgkt_learner_destroy(same);
}

// what is known of the problem: as it is, nothing of the rewards, their extremes, one step
static void vary(lgkt_problem *problem, size_t i)
{
    if (i % 4 == 1)
        problem->reward_min = problem->reward_max = problem->reward_sd = NAN;
    if (i % 4 == 2) {
        problem->reward_min = -1e15;
        problem->reward_max = problem->reward_sd = 1e15;
    }
    if (i % 4 == 3)
        problem->horizon = 1;
}

void fuzz_learner(const uint8_t *data, size_t size)
{
    char *spec = fuzz_text(data, size);
    lgkt_mdp *model = fuzz_model_small();
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    lgkt_learner_config config = fuzz_config(model, &memory);
    vary(&config.problem, size);
    lgkt_learner *learner = make(spec, &config);
    if (learner != NULL) {
        check_spec(learner, &config, &memory);
        lgkt_learner *copy = fuzz_copy(learner, &config, &memory);
        if (copy != NULL)
            fuzz_play(copy, FUZZ_HORIZON);
        lgkt_learner_destroy(copy);
    }
    lgkt_learner_destroy(learner);
    FUZZ_CHECK(fault_is_clean(&memory));
    lgkt_mdp_destroy(model);
    free(spec);
}
