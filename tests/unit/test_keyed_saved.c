// SPDX-License-Identifier: MIT
// labels: slow
// Keyed learners when memory is short, and when they are saved and loaded: for every registered
// learner, with samplers and partners that take memory as they go.

#include "test.h"

#include <stdlib.h>

#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/state_learners.h"
#include "ref/tamper.h"

// ---- cases ----

static const char *const COMPOSED[] = {
    "lgkt:k=3",
    "lgkt:k=4,sampler=(ucbvi:bound=ch)",
    "lgkt:k=3,sampler=(lgkt:k=3,sampler=(ucbvi:h=2))",
    "lgkt:k=3,sampler=ucbvi,sampler-scope=per-pair",
    "lgkt:k=2,sampler-scope=per-pair",
    "lg2t-i:profile=practical,sampler-scope=per-pair,delta=0.01",
    "lg1-2t:cutoff=8",
    "lg1t-rl:cutoff=20,rl=ucrl2",
    "lg1t-rl:first=(lgkt:k=3),cutoff=20,rl=(ucbvi:h=3)",
    "lg1t-rl:cutoff=0,rl=(lg1t-rl:cutoff=20,first=ucbvi,rl=klucrl)",
};
enum { COMPOSED_COUNT = sizeof COMPOSED / sizeof *COMPOSED };

// The i-th composed spec, then every name; false beyond the last. Names that need a model are left
// out.
static bool spec_at(int32_t i, char spec[LEARNER_RUN_SPEC])
{
    if (i < COMPOSED_COUNT) {
        snprintf(spec, LEARNER_RUN_SPEC, "%s", COMPOSED[i]);
        return true;
    }
    i -= COMPOSED_COUNT;
    for (int32_t e = 0; state_learner(e) != NULL; e++) {
        const char *name = state_learner(e)->name;
        if (learner_run_is_oracle(name) || i-- > 0)
            continue;
        snprintf(spec, LEARNER_RUN_SPEC, "%s", name);
        return true;
    }
    return false;
}

// ---- memory ----

// One half step, with the first allocation failing, then the second and so on, until it goes well.
// Each failure leaves everything as it was.
static void half_with_failures(keyed_run *run, fault *f, bool persistent)
{
    const lgkt_learner *learner = lgkt_keyed_learner(run->keyed);
    const uint64_t hash = lgkt_learner_hash(learner);
    const int32_t count = lgkt_keyed_states(run->keyed);
    for (long long k = 1;; k++) {
        fault_fail_at(f, k, persistent);
        const lgkt_status status = keyed_run_half(run);
        fault_fail_at(f, 0, false);
        if (status == LGKT_OK)
            return;
        if (status != LGKT_ERR_NO_MEMORY || lgkt_keyed_message(run->keyed)[0] == '\0' ||
            lgkt_learner_hash(learner) != hash || lgkt_keyed_states(run->keyed) != count)
            fail_msg("%s at step %lld, allocation %lld: %s \"%s\", %d states of %d, hash %s",
                     lgkt_learner_spec(learner), (long long)lgkt_learner_time(learner), k,
                     lgkt_status_name(status), lgkt_keyed_message(run->keyed),
                     lgkt_keyed_states(run->keyed), count,
                     lgkt_learner_hash(learner) == hash ? "unchanged" : "changed");
        assert_true(k < 1000);
    }
}

static uint64_t play_with(const char *spec, fault *f, bool persistent)
{
    enum { STEPS = 60, STATES = 34 };
    lgkt_learner_config config = keyed_run_config(STEPS);
    if (f != NULL)
        config.allocator = fault_allocator(f);
    keyed_run run = keyed_run_start(keyed_run_make(spec, &config, 100), STATES, 3);
    for (int i = 0; i < 2 * STEPS; i++)
        if (f != NULL)
            half_with_failures(&run, f, persistent);
        else
            keyed_run_play(&run, 1);
    const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(run.keyed));
    lgkt_keyed_destroy(run.keyed);
    return hash;
}

// a run through all failures ends as one that had none
static void test_failing_allocations_in_a_run(void **state)
{
    (void)state;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; spec_at(i, spec); i++) {
        const uint64_t expected = play_with(spec, NULL, false);
        for (int persistent = 0; persistent < 2; persistent++) {
            fault f;
            fault_init(&f);
            assert_int_equal(play_with(spec, &f, persistent == 1), expected);
            assert_true(fault_is_clean(&f));
        }
    }
}

static lgkt_status make_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = keyed_run_config(60);
    config.allocator = *allocator;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 100;
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_create(ctx, &config, &set, &keyed, error);
    lgkt_keyed_destroy(keyed);
    return status;
}

static void test_failing_allocations_in_creation(void **state)
{
    (void)state;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; spec_at(i, spec); i++)
        assert_true(fault_sweep(make_once, spec) >= 4);
}

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static lgkt_status load_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const saved *s = ctx;
    lgkt_learner_config config = keyed_run_config(60);
    config.allocator = *allocator;
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_load(s->bytes, s->size, &config, &keyed, error);
    lgkt_keyed_destroy(keyed);
    return status;
}

static saved save_after(const char *spec, int64_t horizon, int32_t states, int64_t halves)
{
    const lgkt_learner_config config = keyed_run_config(horizon);
    keyed_run run = keyed_run_start(keyed_run_make(spec, &config, 100), states, 3);
    keyed_run_play(&run, halves);
    saved s;
    s.bytes = keyed_run_save(run.keyed, &s.size);
    lgkt_keyed_destroy(run.keyed);
    return s;
}

static void test_failing_allocations_in_loading(void **state)
{
    (void)state;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; spec_at(i, spec); i++) {
        saved s = save_after(spec, 60, 20, 71);
        assert_true(fault_sweep(load_once, &s) >= 7);
        free(s.bytes);
    }
}

// ---- save and resume ----

// all keys of the process have the same numbers in both
static void check_same_keys(const lgkt_keyed *a, const lgkt_keyed *b, int32_t states)
{
    assert_int_equal(lgkt_keyed_states(a), lgkt_keyed_states(b));
    for (int32_t x = 0; x < states; x++) {
        unsigned char key[KEYED_RUN_KEY];
        const size_t size = keyed_run_key(x, key);
        assert_int_equal(lgkt_keyed_find(a, key, size), lgkt_keyed_find(b, key, size));
    }
}

static void check_same_bytes(const lgkt_keyed *keyed, const saved *expected)
{
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    assert_int_equal(s.size, expected->size);
    assert_memory_equal(s.bytes, expected->bytes, s.size);
    free(s.bytes);
}

// saved after `cut` half steps, loaded with one config or another, and played to the end
static void check_cut(const char *spec, const saved *end, int64_t steps, int32_t states, int cut)
{
    const lgkt_learner_config config = keyed_run_config(steps);
    const lgkt_learner_config empty = lgkt_learner_config_default();
    keyed_run run = keyed_run_start(keyed_run_make(spec, &config, 100), states, 3);
    keyed_run_play(&run, cut);
    saved s;
    s.bytes = keyed_run_save(run.keyed, &s.size);
    keyed_run other = run;
    other.keyed = keyed_run_load(s.bytes, s.size, cut % 2 ? &config : &empty);
    assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(run.keyed)),
                     lgkt_learner_hash(lgkt_keyed_learner(other.keyed)));
    check_same_keys(run.keyed, other.keyed, states);
    check_same_bytes(other.keyed, &s);
    keyed_run_play(&other, 2 * steps - cut);
    check_same_bytes(other.keyed, end);
    lgkt_keyed_destroy(run.keyed);
    lgkt_keyed_destroy(other.keyed);
    free(s.bytes);
}

static void test_resume_at_every_cut(void **state)
{
    (void)state;
    enum { STEPS = 36, STATES = 20 };
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; spec_at(i, spec); i++) {
        saved end = save_after(spec, STEPS, STATES, 2 * STEPS);
        for (int cut = 0; cut <= 2 * STEPS; cut += test_short() ? 5 : 1)
            check_cut(spec, &end, STEPS, STATES, cut);
        free(end.bytes);
    }
}

// limits and secret are in the bytes
static void test_limits_are_saved(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(100);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 3;
    set.key_limit = SIZE_MAX / 4;
    set.secret[0] = UINT64_MAX;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create("lg1t", &config, &set, &keyed, &error), error);
    int32_t action;
    assert_int_equal(lgkt_keyed_act(keyed, "a", 1, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_keyed_observe(keyed, 1, "b", 1, true), LGKT_OK);
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    lgkt_keyed_destroy(keyed);
    keyed = keyed_run_load(s.bytes, s.size, &config);
    assert_int_equal(lgkt_keyed_act(keyed, "c", 1, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_keyed_observe(keyed, 1, "d", 1, true), LGKT_ERR_SHAPE);
    assert_non_null(strstr(lgkt_keyed_message(keyed), "the limit is 3 states"));
    assert_int_equal(lgkt_keyed_states(keyed), 3);
    lgkt_keyed_destroy(keyed);
    free(s.bytes);
}

// ---- damage ----

// loads with little memory and, if that went well, plays on over known and new keys
static lgkt_status load_and_play(void *ctx, const unsigned char *bytes, size_t size,
                                 lgkt_error *error)
{
    (void)ctx;
    fault f;
    fault_init(&f);
    f.limit = 16 << 20;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(&f);
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_load(bytes, size, &config, &keyed, error);
    for (uint64_t t = 0; t < 12 && status == LGKT_OK; t++) {
        const uint64_t next = t / 2;
        int32_t action = -1;
        // whatever is refused is refused; the state to act in may be one we do not know
        if (lgkt_keyed_act(keyed, &next, 4, NULL, &action) == LGKT_OK)
            assert_true(action >= 0);
        (void)lgkt_keyed_observe(keyed, 0.5, &next, 4, t % 3 == 0);
    }
    lgkt_keyed_destroy(keyed);
    assert_true(fault_is_clean(&f));
    return status;
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"random", "lg2t", "lgkt:k=3", "ucrl2",
                                        "pmevi-klucrl:profile=released"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        saved s = save_after(specs[i], 60, 6, 41);
        tamper_check_damage(s.bytes, s.size, load_and_play, NULL);
        free(s.bytes);
    }
}

// content with a right checksum and wrong values is refused, or a learner that can go on
static void test_made_up_content(void **state)
{
    (void)state;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; spec_at(i, spec); i++) {
        saved s = save_after(spec, 60, 4, i % 2 ? 40 : 41);
        assert_true(tamper_check_content(s.bytes, s.size, load_and_play, NULL) > 60);
        free(s.bytes);
    }
}

static void refuse(const saved *s, const lgkt_learner_config *config, lgkt_status expected,
                   const char *words)
{
    lgkt_keyed *const mark = (lgkt_keyed *)&words;
    lgkt_keyed *keyed = mark;
    lgkt_error error = {0};
    assert_refused(lgkt_keyed_load(s->bytes, s->size, config, &keyed, &error), expected, error,
                   words);
    assert_int_equal(lgkt_keyed_load(s->bytes, s->size, config, &keyed, NULL), expected);
    assert_ptr_equal(keyed, mark);
}

static void set_word(saved *s, size_t word, uint64_t value)
{
    tamper_set_word(s->bytes, TAMPER_HEAD + 8 * word, value);
    tamper_seal(s->bytes, s->size);
}

// state limit, key limit, secret (2), what was fed last, number of keys, then length and bytes of each
static void test_keys_must_agree(void **state)
{
    (void)state;
    enum { STATE_LIMIT = 0, KEY_LIMIT, COUNT = 5, LENGTH, BYTES };
    const lgkt_learner_config config = keyed_run_config(60);
    int32_t action;
    lgkt_keyed *keyed = keyed_run_make("lg1t", &config, 100);
    assert_int_equal(lgkt_keyed_act(keyed, "one", 3, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_keyed_observe(keyed, 1, "two", 3, false), LGKT_OK);
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    lgkt_keyed_destroy(keyed);
    const uint64_t one = tamper_word(s.bytes, TAMPER_HEAD + 8 * BYTES);
    lgkt_keyed_destroy(keyed_run_load(s.bytes, s.size, &config));

    // twice the same key
    set_word(&s, BYTES, tamper_word(s.bytes, TAMPER_HEAD + 8 * (BYTES + 2)));
    refuse(&s, &config, LGKT_ERR_FORMAT, "out of range");
    set_word(&s, BYTES, one);
    // another limit than the learner's, none at all, and too small a one for the keys
    set_word(&s, STATE_LIMIT, 101);
    refuse(&s, &config, LGKT_ERR_FORMAT, "do not agree");
    set_word(&s, STATE_LIMIT, 0);
    refuse(&s, &config, LGKT_ERR_FORMAT, "out of range");
    set_word(&s, STATE_LIMIT, 1);
    refuse(&s, &config, LGKT_ERR_FORMAT, "out of range");
    set_word(&s, STATE_LIMIT, 100);
    set_word(&s, KEY_LIMIT, 2);
    refuse(&s, &config, LGKT_ERR_FORMAT, "out of range");
    set_word(&s, KEY_LIMIT, UINT64_MAX);
    refuse(&s, &config, LGKT_ERR_FORMAT, "out of range");
    // lengths beyond what is there
    set_word(&s, KEY_LIMIT, SIZE_MAX / 4);
    set_word(&s, LENGTH, SIZE_MAX / 4);
    refuse(&s, &config, LGKT_ERR_FORMAT, "out of range");
    free(s.bytes);
}

// a learner that has begun has seen a key
static void test_a_beginning_without_keys(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(60);
    lgkt_keyed *keyed = keyed_run_make("random", &config, 100);
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    lgkt_keyed_destroy(keyed);
    // random ends with phase, time, next state, generator (4)
    const size_t words = (s.size - TAMPER_HEAD - TAMPER_TAIL) / 8;
    set_word(&s, words - 5, 0);
    refuse(&s, &config, LGKT_ERR_FORMAT, "do not agree");
    set_word(&s, words - 5, UINT64_MAX);
    lgkt_keyed_destroy(keyed_run_load(s.bytes, s.size, &config));
    set_word(&s, words - 6, 1);
    refuse(&s, &config, LGKT_ERR_FORMAT, "do not agree");
    free(s.bytes);
}

static void test_arguments_of_saving_and_loading(void **state)
{
    (void)state;
    const lgkt_learner_config good = keyed_run_config(60);
    lgkt_keyed *keyed = keyed_run_make("lg1t", &good, 100);
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    size_t size = 0;
    assert_int_equal(lgkt_keyed_save(NULL, s.bytes, s.size, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_keyed_save(keyed, s.bytes, s.size, NULL, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_keyed_save(keyed, NULL, s.size, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_keyed_save(keyed, s.bytes, s.size - 1, &size, NULL), LGKT_ERR_SHAPE);
    assert_int_equal(size, s.size);

    lgkt_learner_config bad = good;
    refuse(&s, NULL, LGKT_ERR_ARGUMENT, "config must not be NULL");
    bad.size = 0;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "lgkt_learner_config_default");
    bad = good;
    bad.problem.states = 1;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "problem.states must be 0");
    bad = good;
    bad.problem.horizon = 61;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "horizon 60");
    bad = good;
    bad.problem.actions = 2;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "3 actions");
    bad = good;
    const double table[1] = {0};
    bad.threshold = (lgkt_threshold){.table = table, .table_steps = 1};
    refuse(&s, &bad, LGKT_ERR_CONFIG, "a table of thresholds");
    bad = good;
    lgkt_mdp *model = model_two_cycle();
    bad.problem.model = model;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "problem.model NULL");
    lgkt_mdp_destroy(model);
    refuse(&(saved){NULL, s.size}, &good, LGKT_ERR_ARGUMENT, "buffer must not be NULL");
    lgkt_error error = {0};
    assert_refused(lgkt_keyed_load(s.bytes, s.size, &good, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "keyed must not be NULL");
    lgkt_keyed_destroy(keyed);
    free(s.bytes);
}

static void test_other_kinds_are_refused(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(60);
    lgkt_keyed *keyed = keyed_run_make("lg1t", &config, 100);
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_load(s.bytes, s.size, &config, &learner, &error), LGKT_ERR_FORMAT,
                   error, "state of a keyed learner, not of a learner");
    // the learner behind fits into the same room
    assert_int_equal(lgkt_learner_save(lgkt_keyed_learner(keyed), s.bytes, s.size, &s.size, NULL),
                     LGKT_OK);
    refuse(&s, &config, LGKT_ERR_FORMAT, "state of a learner, not of a keyed learner");
    lgkt_keyed_destroy(keyed);
    free(s.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_allocations_in_a_run),
        cmocka_unit_test(test_failing_allocations_in_creation),
        cmocka_unit_test(test_failing_allocations_in_loading),
        cmocka_unit_test(test_resume_at_every_cut),
        cmocka_unit_test(test_limits_are_saved),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_made_up_content),
        cmocka_unit_test(test_keys_must_agree),
        cmocka_unit_test(test_a_beginning_without_keys),
        cmocka_unit_test(test_arguments_of_saving_and_loading),
        cmocka_unit_test(test_other_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
