// SPDX-License-Identifier: MIT
// labels: slow
// Learners on byte strings: numbers in the order of first sight, the same choices as on numbers,
// growth, limits, and calls that are refused without a trace.

#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "core/hash.h"
#include "learners/front/learner_private.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/models.h"

// ---- the same as on numbers ----

// A dense learner beside a keyed one. It gets the numbers that a naive list gives.
typedef struct twins {
    keyed_run run;
    lgkt_learner *dense;
    int32_t numbers[KEYED_RUN_STATES]; // by state of the process; -1: not seen
    int32_t count;
} twins;

static int32_t number_of(twins *t, int32_t x)
{
    if (t->numbers[x] < 0)
        t->numbers[x] = t->count++;
    return t->numbers[x];
}

static void check_numbers(const twins *t)
{
    assert_int_equal(lgkt_keyed_states(t->run.keyed), t->count);
    for (int32_t x = 0; x < t->run.states; x++) {
        unsigned char key[KEYED_RUN_KEY];
        const size_t size = keyed_run_key(x, key);
        assert_int_equal(lgkt_keyed_find(t->run.keyed, key, size), t->numbers[x]);
        size_t kept_size = 0;
        const void *kept = lgkt_keyed_key(t->run.keyed, t->numbers[x], &kept_size);
        assert_true((kept == NULL) == (t->numbers[x] < 0));
        if (kept != NULL)
            assert_true(kept_size == size && memcmp(kept, key, size) == 0);
    }
    assert_null(lgkt_keyed_key(t->run.keyed, t->count, &(size_t){0}));
}

static void play_step(twins *t)
{
    const int32_t state = number_of(t, t->run.state);
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(t->dense, state, NULL, &action), LGKT_OK);
    keyed_run_play(&t->run, 1);
    if (t->run.action != action)
        fail_msg("%s at step %lld: %d, not %d", lgkt_learner_spec(t->dense),
                 (long long)lgkt_learner_time(t->dense), t->run.action, action);
    const lgkt_step step = keyed_run_outcome(&t->run);
    const int32_t next = number_of(t, step.state);
    assert_int_equal(lgkt_learner_observe(t->dense, step.reward, next, step.ended), LGKT_OK);
    keyed_run_play(&t->run, 1);
}

// Plays both to the end. A dense learner's hash covers all its states: from when all have been
// seen, the hashes are the same.
static void compare_twins(const char *spec, int32_t states, int32_t limit, int64_t steps)
{
    lgkt_learner_config config = keyed_run_config(steps);
    twins t = {.run = keyed_run_start(keyed_run_make(spec, &config, limit), states, 11)};
    memset(t.numbers, 0xff, sizeof t.numbers);
    config.problem.states = states;
    t.dense = learner_run_make(spec, &config);
    for (int64_t i = 0; i < steps; i++) {
        play_step(&t);
        if (i % 64 == 0)
            check_numbers(&t);
        if (t.count == states && (i % 8 == 0 || i + 1 == steps))
            assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(t.run.keyed)),
                             lgkt_learner_hash(t.dense));
    }
    assert_int_equal(t.count, states);
    check_numbers(&t);
    assert_int_equal(lgkt_learner_problem(lgkt_keyed_learner(t.run.keyed)).states, states);
    assert_string_equal(lgkt_learner_spec(lgkt_keyed_learner(t.run.keyed)),
                        lgkt_learner_spec(t.dense));
    lgkt_keyed_destroy(t.run.keyed);
    lgkt_learner_destroy(t.dense);
}

// learners whose formulas do not have the number of states
static const char *const FREE_OF_S[] = {
    "random",
    "ucb",
    "ucb:bound=ucb1",
    "lg1t",
    "lg1t:profile=paper",
    "lg1t:profile=practical",
    "lg1t:untried=last,fallback=uniform",
    "lg1t-uniform",
    "lg1t-i",
    "lg2t",
    "lg2t:profile=paper",
    "lg2t:profile=practical",
    "lg2t-uniform",
    "lg2t-i",
    "lg2t-i:profile=paper",
    "lg1-2t",
    "lg1-2t:cutoff=20,profile=paper",
    "lg1-2t:cutoff=20,profile=practical",
    "lgkt:k=1",
    "lgkt:k=2",
    "lgkt:k=3,sampler=ucb",
    "lgkt:k=5,sampler=ucb,profile=paper",
    "lgkt:k=3,sampler=(lgkt:k=2,sampler=ucb)",
    "lg1-2t:cutoff=20,profile=practical,sampler=ucb",
    "plugin",
    "plugin:k=1",
    "plugin:k=5,untried=first,threshold=none",
    "plugin:k=7,untried=last,index=paper",
    "lg1t-rl:cutoff=40,rl=ucb",
    "lg1t-rl:cutoff=40,rl=lg2t,first=(lgkt:k=2,sampler=(ucb:bound=ucb1))",
};
static const char *const OWN_SAMPLERS[] = {
    "lgkt:k=2,sampler-scope=per-pair",
    "lgkt:k=3,sampler=ucb,sampler-scope=per-pair",
    "lg1-2t:cutoff=20,profile=practical,sampler=ucb,sampler-scope=per-pair",
};
// these have the limit where dense ones have S
static const char *const BY_LIMIT[] = {"lg1-2t-adaptive", "lg1-2t-adaptive:profile=paper",
                                       "q-learning", "optimistic-q"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void test_same_as_on_numbers(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 15, 16, 17, 33, 100};
    const size_t count = test_short() ? 5 : COUNT(sizes);
    for (size_t i = 0; i < COUNT(FREE_OF_S); i++)
        for (size_t j = 0; j < count; j++) {
            compare_twins(FREE_OF_S[i], sizes[j], sizes[j], 60 + 9 * sizes[j]);
            // room for more than ever comes up
            compare_twins(FREE_OF_S[i], sizes[j], 1000000, 60 + 9 * sizes[j]);
        }
    for (size_t i = 0; i < COUNT(OWN_SAMPLERS); i++)
        for (size_t j = 0; j < count && sizes[j] <= 33; j++)
            compare_twins(OWN_SAMPLERS[i], sizes[j], 40, 60 + 9 * sizes[j]);
    for (size_t i = 0; i < COUNT(BY_LIMIT); i++)
        for (size_t j = 0; j < count; j++)
            compare_twins(BY_LIMIT[i], sizes[j], sizes[j], 60 + 9 * sizes[j]);
}

// every name and choice works on keys, or says that it needs a model
static void test_every_learner(void **state)
{
    (void)state;
    char spec[LEARNER_RUN_SPEC];
    const lgkt_learner_config config = keyed_run_config(250);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 70;
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        lgkt_keyed *keyed = NULL;
        lgkt_error error = {0};
        const lgkt_status status = lgkt_keyed_create(spec, &config, &set, &keyed, &error);
        if (status == LGKT_ERR_CONFIG && strstr(error.text, "knows the true model") != NULL)
            continue;
        assert_ok(status, error);
        keyed_run run = keyed_run_start(keyed, 70, (uint64_t)i);
        keyed_run_play(&run, 500);
        assert_int_equal(lgkt_learner_time(lgkt_keyed_learner(keyed)), 250);
        assert_in_range(lgkt_keyed_states(keyed), 50, 70);
        assert_string_equal(lgkt_keyed_message(keyed), "");
        lgkt_keyed_destroy(keyed);
    }
}

static void test_oracles_are_refused(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(10);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 10;
    static const char *const names[] = {"kstep", "thresholding", "optimal"};
    for (size_t i = 0; i < COUNT(names); i++) {
        lgkt_keyed *keyed = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_keyed_create(names[i], &config, &set, &keyed, &error), LGKT_ERR_CONFIG,
                       error, "knows the true model");
        assert_null(keyed);
    }
}

// ---- keys ----

// a step from one key to another
static lgkt_status step_to(lgkt_keyed *keyed, const void *key, size_t size, const void *next,
                           size_t next_size)
{
    int32_t action;
    const lgkt_status status = lgkt_keyed_act(keyed, key, size, NULL, &action);
    return status != LGKT_OK ? status : lgkt_keyed_observe(keyed, 0.5, next, next_size, false);
}

static void test_keys_that_differ_in_length_only(void **state)
{
    (void)state;
    enum { LENGTHS = 300 };
    const lgkt_learner_config config = keyed_run_config(LENGTHS);
    lgkt_keyed *keyed = keyed_run_make("lg1t", &config, LENGTHS);
    const unsigned char zeros[LENGTHS] = {0};
    for (size_t n = 0; n + 1 < LENGTHS; n++) {
        assert_int_equal(lgkt_keyed_find(keyed, zeros, n + 1), -1);
        assert_int_equal(step_to(keyed, zeros, n, zeros, n + 1), LGKT_OK);
        assert_int_equal(lgkt_keyed_states(keyed), n + 2);
    }
    for (size_t n = 0; n < LENGTHS; n++)
        assert_int_equal(lgkt_keyed_find(keyed, zeros, n), n);
    lgkt_keyed_destroy(keyed);
}

static void test_empty_and_long_keys(void **state)
{
    (void)state;
    enum { LONG = 65536 };
    const lgkt_learner_config config = keyed_run_config(10);
    lgkt_keyed *keyed = keyed_run_make("lg1t", &config, 10);
    unsigned char *key = calloc(LONG + 1, 1);
    assert_non_null(key);
    // nothing is known before the first act, not even the empty key
    assert_int_equal(lgkt_keyed_find(keyed, NULL, 0), -1);
    assert_int_equal(lgkt_keyed_find(keyed, key, 0), -1);
    assert_int_equal(lgkt_keyed_find(keyed, NULL, 5), -1);
    assert_int_equal(step_to(keyed, NULL, 0, key, LONG), LGKT_OK);
    assert_int_equal(lgkt_keyed_find(keyed, "", 0), 0);
    assert_int_equal(lgkt_keyed_find(keyed, key, LONG), 1);
    assert_int_equal(lgkt_keyed_find(keyed, key, LONG + 1), -1);
    // the key was copied
    key[LONG - 1] = 1;
    assert_int_equal(lgkt_keyed_find(keyed, key, LONG), -1);
    key[LONG - 1] = 0;
    assert_int_equal(step_to(keyed, key, LONG, "", 0), LGKT_OK);
    assert_int_equal(step_to(keyed, NULL, 0, NULL, 0), LGKT_OK);
    assert_int_equal(lgkt_keyed_states(keyed), 2);
    free(key);
    lgkt_keyed_destroy(keyed);
}

static void test_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    const lgkt_learner_config config = keyed_run_config(KEYS);
    lgkt_keyed *keyed = keyed_run_make("lg2t", &config, LGKT_MAX_STATES);
    for (int32_t i = 0; i + 1 < KEYS; i++) {
        const uint64_t key = (uint64_t)i * 3, next = key + 3;
        assert_int_equal(step_to(keyed, &key, sizeof key, &next, sizeof next), LGKT_OK);
    }
    assert_int_equal(lgkt_keyed_states(keyed), KEYS);
    for (int32_t i = 0; i < KEYS; i++) {
        const uint64_t key = (uint64_t)i * 3, none = key + 1;
        assert_int_equal(lgkt_keyed_find(keyed, &key, sizeof key), i);
        assert_int_equal(lgkt_keyed_find(keyed, &none, sizeof none), -1);
    }
    lgkt_keyed_destroy(keyed);
}

// ---- the secret ----

enum { COLLIDING = 700, SLOTS = 2048 };
static const uint64_t SECRETS[2][2] = {{1, 2}, {0xfeedface, 0xdeadbeef}};

// keys that all want the same of SLOTS slots under the first secret
static void find_colliding(uint64_t keys[COLLIDING])
{
    uint64_t key = 0;
    for (int i = 0; i < COLLIDING; key++)
        if ((lgkt_siphash(SECRETS[0], &key, sizeof key) & (SLOTS - 1)) == 77)
            keys[i++] = key;
}

static lgkt_keyed *see_all(const uint64_t *keys, const uint64_t secret[2])
{
    const lgkt_learner_config config = keyed_run_config(COLLIDING);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = COLLIDING;
    set.secret[0] = secret[0];
    set.secret[1] = secret[1];
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create("lg2t", &config, &set, &keyed, &error), error);
    for (int i = 0; i + 1 < COLLIDING; i++)
        assert_int_equal(step_to(keyed, &keys[i], 8, &keys[i + 1], 8), LGKT_OK);
    return keyed;
}

// processor time of finding all keys, the least of a few tries
static double time_finding(const lgkt_keyed *keyed, const uint64_t *keys)
{
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        const clock_t begin = clock();
        for (int j = 0; j < 4 * COLLIDING; j++)
            assert_int_equal(lgkt_keyed_find(keyed, &keys[j % COLLIDING], 8), j % COLLIDING);
        least = fmin(least, (double)(clock() - begin));
    }
    return least;
}

// Who knows the secret can make finding a key as slow as a search through all; with another secret
// the same keys are found at once. What is learned is the same.
static void test_keys_are_found_by_the_secret(void **state)
{
    (void)state;
    uint64_t keys[COLLIDING];
    find_colliding(keys);
    lgkt_keyed *known = see_all(keys, SECRETS[0]), *other = see_all(keys, SECRETS[1]);
    assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(known)),
                     lgkt_learner_hash(lgkt_keyed_learner(other)));
    // some 350 looks at slots against one or two
    assert_true(time_finding(known, keys) > 3 * time_finding(other, keys));
    lgkt_keyed_destroy(known);
    lgkt_keyed_destroy(other);
}

// ---- refused calls ----

// a refused call: its status, words of its message, and nothing else
static void check_refusal(const lgkt_keyed *keyed, uint64_t hash, int32_t count, lgkt_status status,
                          lgkt_status expected, const char *words)
{
    if (status != expected || strstr(lgkt_keyed_message(keyed), words) == NULL)
        fail_msg("%s \"%s\", expected %s with \"%s\"", lgkt_status_name(status),
                 lgkt_keyed_message(keyed), lgkt_status_name(expected), words);
    assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(keyed)), hash);
    assert_int_equal(lgkt_keyed_states(keyed), count);
    assert_int_equal(lgkt_keyed_find(keyed, "new", 3), -1);
    assert_int_equal(lgkt_keyed_find(keyed, "as long as it gets!?", 20), -1);
}

static void refuse_act(lgkt_keyed *keyed, const void *key, size_t size, lgkt_status expected,
                       const char *words)
{
    const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(keyed));
    const int32_t count = lgkt_keyed_states(keyed);
    int32_t action = -77;
    const lgkt_status status = lgkt_keyed_act(keyed, key, size, NULL, &action);
    check_refusal(keyed, hash, count, status, expected, words);
    assert_int_equal(action, -77);
    assert_int_equal(lgkt_keyed_act(keyed, key, size, NULL, NULL), LGKT_ERR_ARGUMENT);
    check_refusal(keyed, hash, count, LGKT_ERR_ARGUMENT, LGKT_ERR_ARGUMENT, "action");
}

static void refuse_observe(lgkt_keyed *keyed, double reward, const void *key, size_t size,
                           lgkt_status expected, const char *words)
{
    const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(keyed));
    const int32_t count = lgkt_keyed_states(keyed);
    for (int ended = 0; ended < 2; ended++) {
        const lgkt_status status = lgkt_keyed_observe(keyed, reward, key, size, ended == 1);
        check_refusal(keyed, hash, count, status, expected, words);
    }
}

// every wrong call before an act; `expected` is the key that must come, or NULL for any
static void disturb_act(lgkt_keyed *keyed, const void *expected, size_t size, bool full)
{
    refuse_observe(keyed, 0.5, "new", 3, LGKT_ERR_PROTOCOL, "no action to observe");
    refuse_observe(keyed, NAN, NULL, 3, LGKT_ERR_PROTOCOL, "no action to observe");
    if (expected != NULL) {
        refuse_act(keyed, "new", 3, LGKT_ERR_PROTOCOL, "another state than the one observed");
        refuse_act(keyed, expected, size + 1, LGKT_ERR_PROTOCOL, "another state");
        refuse_act(keyed, expected, size - 1, LGKT_ERR_PROTOCOL, "another state");
        refuse_act(keyed, NULL, size, LGKT_ERR_ARGUMENT, "key must not be NULL");
        return;
    }
    refuse_act(keyed, NULL, 3, LGKT_ERR_ARGUMENT, "key must not be NULL");
    refuse_act(keyed, "as long as it gets!?", 21, LGKT_ERR_SHAPE,
               "a key of 21 bytes, but the limit is 20");
    if (full)
        refuse_act(keyed, "new", 3, LGKT_ERR_SHAPE, "a new state, but the limit is 18 states");
}

static void disturb_observe(lgkt_keyed *keyed, bool full)
{
    refuse_act(keyed, "new", 3, LGKT_ERR_PROTOCOL, "the action before has not been observed");
    refuse_observe(keyed, NAN, "new", 3, LGKT_ERR_NOT_FINITE, "nan is not a finite");
    refuse_observe(keyed, INFINITY, "new", 3, LGKT_ERR_NOT_FINITE, "inf is not a finite");
    refuse_observe(keyed, 1e101, "new", 3, LGKT_ERR_ARGUMENT, "reward 1e+101");
    refuse_observe(keyed, 0.5, NULL, 3, LGKT_ERR_ARGUMENT, "key must not be NULL");
    refuse_observe(keyed, 0.5, "as long as it gets!?", 21, LGKT_ERR_SHAPE,
                   "a key of 21 bytes, but the limit is 20");
    if (full)
        refuse_observe(keyed, 0.5, "new", 3, LGKT_ERR_SHAPE, "limit is 18 states");
}

// A run of 40 steps through keys 0 .. 17 of four bytes, every fifth step cut, with every wrong call
// at every place. The limits are 18 states and 20 bytes.
static void play_disturbed(const char *spec, bool disturbed, uint64_t *hash)
{
    enum { STEPS = 40, STATES = 18 };
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = STATES;
    set.key_limit = 20;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create(spec, &config, &set, &keyed, &error), error);
    bool cut = true;
    for (int32_t t = 0; t < STEPS; t++) {
        const int32_t here = t % STATES, next = (t + 1) % STATES;
        int32_t action = -1;
        if (disturbed)
            disturb_act(keyed, cut ? NULL : &here, sizeof here - 1, t >= STATES);
        assert_int_equal(lgkt_keyed_act(keyed, &here, 3, NULL, &action), LGKT_OK);
        if (disturbed)
            disturb_observe(keyed, t >= STATES);
        cut = t % 5 == 0;
        assert_int_equal(lgkt_keyed_observe(keyed, 0.1 * action, &next, 3, cut), LGKT_OK);
    }
    if (disturbed) {
        refuse_act(keyed, "new", 3, LGKT_ERR_HORIZON, "the run of 40 steps is over");
        refuse_observe(keyed, 0.5, "new", 3, LGKT_ERR_PROTOCOL, "no action to observe");
    } else {
        assert_string_equal(lgkt_keyed_message(keyed), "");
    }
    *hash = lgkt_learner_hash(lgkt_keyed_learner(keyed));
    lgkt_keyed_destroy(keyed);
}

static void test_refused_calls_leave_no_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(FREE_OF_S); i++) {
        uint64_t plain, disturbed;
        play_disturbed(FREE_OF_S[i], false, &plain);
        play_disturbed(FREE_OF_S[i], true, &disturbed);
        assert_int_equal(plain, disturbed);
    }
}

static void test_null_is_refused(void **state)
{
    (void)state;
    int32_t action = -77;
    assert_int_equal(lgkt_keyed_act(NULL, "", 0, NULL, &action), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_keyed_observe(NULL, 0, "", 0, false), LGKT_ERR_ARGUMENT);
    assert_string_equal(lgkt_keyed_message(NULL), "keyed must not be NULL");
    lgkt_keyed_destroy(NULL);
}

// ---- feed ----

// where a unit is in a piece of ucbvi
static int64_t step_of(const lgkt_keyed *keyed)
{
    const lgkt_learner *learner = lgkt_keyed_learner(keyed);
    int64_t step = -1;
    lgkt_learner_track((lgkt_learner *)learner, LGKT_TRACK_OUT, &step);
    return step;
}

static void refuse_feed(lgkt_keyed *keyed, lgkt_status status, lgkt_status expected,
                        const char *words, uint64_t hash)
{
    if (status != expected || strstr(lgkt_keyed_message(keyed), words) == NULL ||
        lgkt_keyed_hash(keyed) != hash)
        fail_msg("%s \"%s\", expected %s with \"%s\"", lgkt_status_name(status),
                 lgkt_keyed_message(keyed), lgkt_status_name(expected), words);
}

static void test_feed(void **state)
{
    (void)state;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 3;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = 2;
    config.problem.horizon = 20;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    lgkt_keyed *k = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create("ucbvi:h=3", &config, &set, &k, &error), error);
    int32_t action;
    assert_int_equal(lgkt_keyed_act(k, "a", 1, NULL, &action), LGKT_OK);
    uint64_t hash = lgkt_keyed_hash(k);
    refuse_feed(k, lgkt_keyed_feed(k, "x", 1, 0, 1, "y", 1, false), LGKT_ERR_PROTOCOL,
                "not been observed", hash);
    assert_int_equal(lgkt_keyed_observe(k, 1, "b", 1, false), LGKT_OK);
    assert_int_equal(step_of(k), 1);
    // the first row starts a trajectory, the second follows on it
    assert_int_equal(lgkt_keyed_feed(k, "a", 1, 0, 1, "b", 1, false), LGKT_OK);
    assert_int_equal(step_of(k), 0);
    assert_int_equal(lgkt_keyed_feed(k, "b", 1, 0, 1, "b", 1, false), LGKT_OK);
    assert_int_equal(lgkt_learner_time(lgkt_keyed_learner(k)), 1);
    hash = lgkt_keyed_hash(k);
    refuse_feed(k, lgkt_keyed_feed(k, "c", 1, 0, 1, "d", 1, false), LGKT_ERR_SHAPE,
                "the limit is 3 states", hash);
    assert_int_equal(lgkt_keyed_states(k), 2);
    refuse_feed(k, lgkt_keyed_feed(k, "c", 1, 2, 1, "d", 1, false), LGKT_ERR_ARGUMENT, "action 2",
                hash);
    refuse_feed(k, lgkt_keyed_feed(k, "c", 1, 0, NAN, "d", 1, false), LGKT_ERR_NOT_FINITE, "reward",
                hash);
    refuse_feed(k, lgkt_keyed_feed(k, NULL, 1, 0, 1, "d", 1, false), LGKT_ERR_ARGUMENT, "NULL",
                hash);
    // it is saved what a row would follow on
    size_t size = 0;
    unsigned char bytes[4096];
    assert_ok(lgkt_keyed_save(k, bytes, sizeof bytes, &size, &error), error);
    lgkt_keyed *loaded = NULL;
    const lgkt_learner_config empty = lgkt_learner_config_default();
    assert_ok(lgkt_keyed_load(bytes, size, &empty, &loaded, &error), error);
    assert_true(lgkt_keyed_hash(loaded) == hash);
    lgkt_keyed_destroy(loaded);
    lgkt_keyed_destroy(k);
    assert_ok(lgkt_keyed_create("sarsa", &config, &set, &k, &error), error);
    hash = lgkt_keyed_hash(k);
    refuse_feed(k, lgkt_keyed_feed(k, "a", 1, 0, 1, "b", 1, false), LGKT_ERR_UNSUPPORTED,
                "another one chose", hash);
    lgkt_keyed_destroy(k);
}

// ---- configs ----

static void refuse_config(const lgkt_learner_config *config, const lgkt_keyed_config *set,
                          lgkt_status expected, const char *words)
{
    lgkt_keyed *const mark = (lgkt_keyed *)&words;
    lgkt_keyed *keyed = mark;
    lgkt_error error = {0};
    assert_refused(lgkt_keyed_create("lg1t", config, set, &keyed, &error), expected, error, words);
    assert_int_equal(lgkt_keyed_create("lg1t", config, set, &keyed, NULL), expected);
    assert_ptr_equal(keyed, mark);
}

static void test_bad_learner_configs(void **state)
{
    (void)state;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 10;
    const lgkt_learner_config good = keyed_run_config(10);
    lgkt_learner_config bad = good;
    refuse_config(NULL, &set, LGKT_ERR_ARGUMENT, "config must not be NULL");
    bad.size++;
    refuse_config(&bad, &set, LGKT_ERR_CONFIG, "lgkt_learner_config_default");
    bad = good;
    bad.problem.states = 1;
    refuse_config(&bad, &set, LGKT_ERR_CONFIG, "problem.states must be 0");
    bad = good;
    lgkt_mdp *model = model_two_cycle();
    bad.problem.model = model;
    refuse_config(&bad, &set, LGKT_ERR_CONFIG, "problem.model NULL");
    lgkt_mdp_destroy(model);
    bad = good;
    const double table[10] = {0};
    bad.threshold = (lgkt_threshold){.table = table, .table_steps = 1};
    refuse_config(&bad, &set, LGKT_ERR_CONFIG, "a table of thresholds");
    bad = good;
    bad.problem.horizon = 0;
    refuse_config(&bad, &set, LGKT_ERR_CONFIG, "problem.horizon = 0");
    bad = good;
    bad.problem.actions = 0;
    refuse_config(&bad, &set, LGKT_ERR_CONFIG, "problem.actions = 0");
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_keyed_create(NULL, &good, &set, &keyed, &error), LGKT_ERR_ARGUMENT, error,
                   "spec");
    assert_refused(lgkt_keyed_create("lg1t", &good, &set, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "keyed");
    assert_refused(lgkt_keyed_create("lg1tt", &good, &set, &keyed, &error), LGKT_ERR_UNKNOWN_NAME,
                   error, "lg1t");
    assert_null(keyed);
}

static void test_bad_limits(void **state)
{
    (void)state;
    lgkt_learner_config config = keyed_run_config(10);
    const lgkt_keyed_config unset = lgkt_keyed_config_default();
    refuse_config(&config, NULL, LGKT_ERR_ARGUMENT, "keyed_config must not be NULL");
    refuse_config(&config, &unset, LGKT_ERR_CONFIG, "state_limit = 0 must be in [1, 16777216]");
    static const int32_t limits[] = {-1, LGKT_MAX_STATES + 1, INT32_MAX, INT32_MIN};
    lgkt_keyed_config set = unset;
    for (size_t i = 0; i < COUNT(limits); i++) {
        set.state_limit = limits[i];
        refuse_config(&config, &set, LGKT_ERR_CONFIG, "must be in [1, 16777216]");
    }
    set.state_limit = 10;
    set.key_limit = SIZE_MAX;
    refuse_config(&config, &set, LGKT_ERR_CONFIG, "key_limit");
    set.key_limit = 10;
    set.size++;
    refuse_config(&config, &set, LGKT_ERR_CONFIG, "lgkt_keyed_config_default");
    set = unset;
    set.state_limit = LGKT_MAX_STATES;
    config.problem.actions = 17;
    refuse_config(&config, &set, LGKT_ERR_CONFIG, "16777216 states x 17 actions are more than");
    assert_int_equal(unset.key_limit, 65536);
}

// thresholds by a function see the numbers of the keys
static double threshold_at(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)t, (void)k;
    int32_t *highest = ctx;
    if (state > *highest)
        *highest = state;
    return 0.5;
}

static void test_threshold_functions(void **state)
{
    (void)state;
    lgkt_learner_config config = keyed_run_config(200);
    int32_t highest = -1;
    config.threshold = (lgkt_threshold){.fn = threshold_at, .ctx = &highest};
    lgkt_keyed *keyed = keyed_run_make("lg2t", &config, 40);
    keyed_run run = keyed_run_start(keyed, 40, 1);
    keyed_run_play(&run, 400);
    assert_int_equal(highest, 39);
    lgkt_keyed_destroy(keyed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_on_numbers),
        cmocka_unit_test(test_every_learner),
        cmocka_unit_test(test_oracles_are_refused),
        cmocka_unit_test(test_keys_that_differ_in_length_only),
        cmocka_unit_test(test_empty_and_long_keys),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_keys_are_found_by_the_secret),
        cmocka_unit_test(test_refused_calls_leave_no_trace),
        cmocka_unit_test(test_null_is_refused),
        cmocka_unit_test(test_bad_learner_configs),
        cmocka_unit_test(test_feed),
        cmocka_unit_test(test_bad_limits),
        cmocka_unit_test(test_threshold_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
