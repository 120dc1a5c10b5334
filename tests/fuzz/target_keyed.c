// SPDX-License-Identifier: MIT
// Any bytes as a saved learner with keys: as they are, and once more with size and checksum made
// right. What is loaded must be able to go on with old and new keys, and come back the same after
// saving and loading.

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY (4 << 20)
#define STEPS  20

// those of the seeds (fuzz_seeds.c) first
static const char *const KEYS[] = {"", "a", "b", "a key of some length", "new", "newer"};
// for views of two numbers; as bytes they are keys too
static const double VECTORS[][2] = {{0, -1},   {1, 0.5}, {0.5, 7}, {-INFINITY, 1e300},
                                    {-0.0, 0}, {3, NAN}};
enum { TEXTS = sizeof KEYS / sizeof *KEYS, KEY_COUNT = 2 * TEXTS };

static const void *key_at(int i, size_t *size)
{
    i %= KEY_COUNT;
    *size = i % 2 ? sizeof VECTORS[0] : strlen(KEYS[i / 2]);
    return i % 2 ? (const void *)VECTORS[i / 2] : KEYS[i / 2];
}

static lgkt_keyed *load(const void *bytes, size_t size, const lgkt_learner_config *config)
{
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_keyed_load(bytes, size, config, &keyed, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (keyed != NULL));
    return keyed;
}

static lgkt_keyed *copy_of(const lgkt_keyed *keyed, const lgkt_learner_config *config,
                           const fault *memory)
{
    size_t size = 0;
    FUZZ_CHECK(lgkt_keyed_save(keyed, NULL, 0, &size, NULL) == LGKT_ERR_SHAPE);
    void *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL && lgkt_keyed_save(keyed, bytes, size, &size, NULL) == LGKT_OK);
    lgkt_keyed *copy = load(bytes, size, config);
    FUZZ_CHECK(copy != NULL || atomic_load(&memory->refused) > 0);
    free(bytes);
    return copy;
}

static bool same(const lgkt_keyed *x, const lgkt_keyed *y)
{
    return lgkt_keyed_states(x) == lgkt_keyed_states(y) &&
           lgkt_learner_hash(lgkt_keyed_learner(x)) == lgkt_learner_hash(lgkt_keyed_learner(y));
}

// acts in the first key that is taken, beginning with number `from`; false if there is none
static bool act_somewhere(lgkt_keyed *keyed, int from)
{
    int32_t action = -1;
    for (int i = 0; i < KEY_COUNT; i++) {
        size_t size;
        const void *key = key_at(from + i, &size);
        const bool waits = lgkt_keyed_warmup(keyed) == 1;
        if (lgkt_keyed_act(keyed, key, size, NULL, &action) != LGKT_OK)
            continue;
        const lgkt_problem problem = lgkt_learner_problem(lgkt_keyed_learner(keyed));
        FUZZ_CHECK(action >= 0 && action < problem.actions);
        // with the last act of a warm-up keys become others
        FUZZ_CHECK(waits || lgkt_keyed_find(keyed, key, size) >= 0);
        return true;
    }
    return false;
}

// ends early when nothing can go on: the run is over, the limit reached, memory out
static void play(lgkt_keyed *keyed)
{
    for (int i = 0; i < STEPS; i++) {
        // a state can be saved between act and observe
        if (!act_somewhere(keyed, i) && i > 0)
            return;
        size_t size;
        int other = 0;
        const void *next = key_at(3 * i + 1, &size);
        while (lgkt_keyed_observe(keyed, fuzz_reward(i), next, size, i % 7 == 6) != LGKT_OK &&
               other < KEY_COUNT)
            next = key_at(other++, &size);
        FUZZ_CHECK(strchr(lgkt_keyed_message(keyed), '\n') == NULL);
    }
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(&memory);
    lgkt_keyed *keyed = load(bytes, size, &config);
    lgkt_keyed *copy = keyed != NULL ? copy_of(keyed, &config, &memory) : NULL;
    if (keyed != NULL)
        play(keyed);
    if (copy != NULL)
        play(copy);
    if (copy != NULL && atomic_load(&memory.refused) == 0)
        FUZZ_CHECK(same(keyed, copy));
    lgkt_keyed_destroy(keyed);
    lgkt_keyed_destroy(copy);
    FUZZ_CHECK(fault_is_clean(&memory));
}

void fuzz_keyed(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    uint8_t *sealed = fuzz_sealed(data, size);
    try_bytes(sealed, size);
    free(sealed);
}
