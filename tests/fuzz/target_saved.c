// SPDX-License-Identifier: MIT
// Any bytes as a saved learner: as they are, and once more with size and checksum made right. What
// is loaded must be able to go on, and be the same learner again after saving and loading.

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

// A long horizon asks for tables of 25 MB, which take their time: not for every input.
#define MEMORY      (4 << 20)
#define MUCH_MEMORY (32 << 20)
#define STEPS       20

static void check_learner(lgkt_learner *learner, const lgkt_learner_config *config,
                          const fault *memory)
{
    lgkt_learner *copy = fuzz_copy(learner, config, memory);
    fuzz_play(learner, STEPS);
    if (copy != NULL)
        fuzz_play(copy, STEPS);
    if (copy != NULL && atomic_load(&memory->refused) == 0)
        FUZZ_CHECK(lgkt_learner_hash(copy) == lgkt_learner_hash(learner));
    lgkt_learner_destroy(copy);
}

// true if they are a learner
static bool try_bytes(const uint8_t *bytes, size_t size, const lgkt_mdp *model, long long limit)
{
    fault memory;
    fault_init(&memory);
    memory.limit = limit;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.model = model;
    config.allocator = fault_allocator(&memory);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_load(bytes, size, &config, &learner, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (learner != NULL));
    if (learner != NULL)
        check_learner(learner, &config, &memory);
    lgkt_learner_destroy(learner);
    FUZZ_CHECK(fault_is_clean(&memory));
    return status == LGKT_OK;
}

void fuzz_saved(const uint8_t *data, size_t size)
{
    // the last byte is part of the checksum, which is made anew: it is free to decide something
    // else
    const long long limit = size > 0 && data[size - 1] == 0 ? MUCH_MEMORY : MEMORY;
    try_bytes(data, size, NULL, limit);
    uint8_t *sealed = fuzz_sealed(data, size);
    lgkt_mdp *model = fuzz_model_small();
    // other sizes than those of the model go without it
    if (!try_bytes(sealed, size, model, limit))
        try_bytes(sealed, size, NULL, limit);
    lgkt_mdp_destroy(model);
    free(sealed);
}
