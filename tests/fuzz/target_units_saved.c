// SPDX-License-Identifier: MIT
// Any bytes as saved units: as they are, and once more with size and checksum made right. What is
// loaded must come back the same after saving and loading, and be able to go on.

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY (8 << 20)
#define CALLS  40

static lgkt_units *load(const void *bytes, size_t size, const lgkt_learner_config *config)
{
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_units_load(bytes, size, config, &units, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (units != NULL));
    return units;
}

static void check_copy(const lgkt_units *units, const lgkt_learner_config *config,
                       const fault *memory)
{
    size_t size = 0;
    FUZZ_CHECK(lgkt_units_save(units, NULL, 0, &size, NULL) == LGKT_ERR_SHAPE);
    void *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL && lgkt_units_save(units, bytes, size, &size, NULL) == LGKT_OK);
    lgkt_units *copy = load(bytes, size, config);
    FUZZ_CHECK(copy != NULL || atomic_load(&memory->refused) > 0);
    FUZZ_CHECK(copy == NULL || lgkt_units_hash(copy) == lgkt_units_hash(units));
    lgkt_units_destroy(copy);
    free(bytes);
}

// whatever is refused is refused, and changes nothing
static void play(lgkt_units *units)
{
    const int32_t states = lgkt_learner_problem(lgkt_units_learner(units)).states;
    const bool keyed = lgkt_units_keys(units) != NULL;
    for (int i = 0; i < CALLS; i++) {
        const uint64_t before = lgkt_units_hash(units);
        const uint64_t unit = (uint64_t)(i % 5);
        const int64_t made = lgkt_units_decisions(units);
        int64_t decision = -1;
        int32_t action = 0;
        lgkt_status status = LGKT_OK;
        if (i % 4 == 0)
            status = lgkt_units_act(units, unit, LGKT_STATE_REPORTED, NULL, &decision, &action);
        else if (i % 4 == 1)
            status = keyed ? lgkt_units_act_key(units, unit, "a", 1, NULL, &decision, &action)
                           : lgkt_units_act(units, unit, i % states, NULL, &decision, &action);
        else if (i % 4 == 2)
            status = lgkt_units_reward(units, made - 1 - i % 3, fuzz_reward(i));
        else
            status = keyed ? lgkt_units_next_key(units, made - 1, "b", 1, i % 7 == 6)
                           : lgkt_units_next(units, made - 1, i % states, i % 7 == 6);
        FUZZ_CHECK(status == LGKT_OK || status == LGKT_ERR_NO_MEMORY ||
                   lgkt_units_hash(units) == before);
        FUZZ_CHECK(strchr(lgkt_units_message(units), '\n') == NULL);
        FUZZ_CHECK(action >= 0);
    }
    lgkt_units_leave(units, 1);
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(&memory);
    lgkt_units *units = load(bytes, size, &config);
    if (units != NULL) {
        check_copy(units, &config, &memory);
        play(units);
    }
    lgkt_units_destroy(units);
    FUZZ_CHECK(fault_is_clean(&memory));
}

void fuzz_units_saved(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    uint8_t *sealed = fuzz_sealed(data, size);
    try_bytes(sealed, size);
    free(sealed);
}
