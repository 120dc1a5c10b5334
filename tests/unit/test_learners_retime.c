// SPDX-License-Identifier: MIT
// labels: slow
// A horizon that moves, for every learner there is: in every phase of a run it becomes what a load
// of its saved state would have made of it, had the bytes named the other horizon.

#include "test.h"

#include <stdlib.h>

#include "lgkt/keyed.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/saved_bytes.h"
#include "ref/state_learners.h"
#include "ref/tamper.h"

enum { STEPS = 36, MORE = 20, MOST_SPEC = 200, ACT = 0, OBSERVE = 1, OVER = 2 };

// ---- runs in halves ----

// point 2t is before act t, point 2t+1 between act and observe t
typedef struct half_run {
    learner_run run;
    int32_t action;
    bool masked;
} half_run;

static int64_t point_of(const lgkt_learner *learner, bool acted)
{
    return 2 * lgkt_learner_time(learner) + acted;
}

// the mask of a step: any of the actions, but never none
static void draw_mask(int64_t t, uint8_t mask[LEARNER_RUN_ACTIONS])
{
    lgkt_rng rng = lgkt_rng_stream(12, "mask", (uint64_t)t);
    for (int a = 0; a < LEARNER_RUN_ACTIONS; a++)
        mask[a] = lgkt_rng_bernoulli(&rng, 0.6);
    mask[lgkt_rng_below(&rng, LEARNER_RUN_ACTIONS)] = 1;
}

static void half_step(half_run *half, bool observes)
{
    learner_run *run = &half->run;
    lgkt_learner *learner = run->learner;
    if (!observes) {
        uint8_t mask[LEARNER_RUN_ACTIONS];
        draw_mask(lgkt_learner_time(learner), mask);
        assert_int_equal(
            lgkt_learner_act(learner, run->state, half->masked ? mask : NULL, &half->action),
            LGKT_OK);
        return;
    }
    const lgkt_step step = learner_run_outcome(run, half->action);
    assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended), LGKT_OK);
    run->state = step.state;
}

// ---- the same by bytes ----

// what was saved, with another horizon in it, and over or not as that asks
static saved_bytes with_horizon(const lgkt_learner *learner, int64_t horizon, bool acted)
{
    saved_bytes saved = saved_bytes_of(learner);
    const size_t at_phase = saved_bytes_number_at(saved.bytes) + 8;
    const bool over = !acted && lgkt_learner_time(learner) == horizon;
    tamper_set_word(saved.bytes, SAVED_AT_HORIZON, (uint64_t)horizon);
    tamper_set_word(saved.bytes, at_phase, acted ? OBSERVE : over ? OVER : ACT);
    tamper_seal(saved.bytes, saved.size);
    return saved;
}

static void check_same(const char *spec, const lgkt_learner *a, const lgkt_learner *b)
{
    saved_bytes one = saved_bytes_of(a), two = saved_bytes_of(b);
    if (!saved_bytes_equal(&one, &two))
        fail_msg("%s at step %lld: other bytes", spec, (long long)lgkt_learner_time(a));
    assert_true(lgkt_learner_hash(a) == lgkt_learner_hash(b));
    assert_string_equal(lgkt_learner_spec(a), lgkt_learner_spec(b));
    saved_bytes_free(&one);
    saved_bytes_free(&two);
}

static void set_horizon(const char *spec, lgkt_learner *learner, int64_t horizon)
{
    if (lgkt_learner_set_horizon(learner, horizon) != LGKT_OK)
        fail_msg("%s at step %lld: %s", spec, (long long)lgkt_learner_time(learner),
                 lgkt_learner_message(learner));
    assert_int_equal(lgkt_learner_problem(learner).horizon, horizon);
}

// everything that is asked at one point; `half` stays as it is
static void check_point(const char *spec, const half_run *half, const lgkt_learner_config *config,
                        bool acted, bool plays)
{
    const lgkt_learner *learner = half->run.learner;
    const int64_t least = lgkt_learner_time(learner) + acted;
    saved_bytes saved = saved_bytes_of(learner);
    const int64_t horizons[] = {least > 0 ? least : 1, STEPS + MORE, STEPS};
    for (int i = 0; i < 3; i++) {
        half_run one = *half, two = *half;
        one.run.learner = saved_bytes_load(&saved, config);
        set_horizon(spec, one.run.learner, horizons[i]);
        // the same by bytes
        saved_bytes other = with_horizon(learner, horizons[i], acted);
        lgkt_learner_config again = *config;
        again.problem.horizon = horizons[i];
        two.run.learner = saved_bytes_load(&other, &again);
        check_same(spec, one.run.learner, two.run.learner);
        // too short, and then nothing has changed
        assert_int_equal(lgkt_learner_set_horizon(one.run.learner, least - 1), LGKT_ERR_ARGUMENT);
        assert_non_null(strstr(lgkt_learner_message(one.run.learner), "must be at least"));
        check_same(spec, one.run.learner, two.run.learner);
        // both to the end
        int64_t point = point_of(one.run.learner, acted);
        for (; plays && point < 2 * horizons[i]; point++) {
            half_step(&one, point % 2 == 1);
            half_step(&two, point % 2 == 1);
            assert_int_equal(one.action, two.action);
        }
        check_same(spec, one.run.learner, two.run.learner);
        if (plays || least >= horizons[i])
            assert_int_equal(lgkt_learner_act(one.run.learner, one.run.state, NULL, &one.action),
                             acted && !plays ? LGKT_ERR_PROTOCOL : LGKT_ERR_HORIZON);
        lgkt_learner_destroy(one.run.learner);
        lgkt_learner_destroy(two.run.learner);
        saved_bytes_free(&other);
    }
    // there and back
    lgkt_learner *moved = saved_bytes_load(&saved, config);
    set_horizon(spec, moved, STEPS + MORE);
    set_horizon(spec, moved, STEPS);
    check_same(spec, moved, learner);
    lgkt_learner_destroy(moved);
    saved_bytes_free(&saved);
}

static bool can_mask(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner *learner = learner_run_make(spec, config);
    uint8_t mask[LEARNER_RUN_ACTIONS] = {1, 0, 1, 1};
    int32_t action;
    const lgkt_status status = lgkt_learner_act(learner, 0, mask, &action);
    assert_true(status == LGKT_OK || status == LGKT_ERR_UNSUPPORTED);
    lgkt_learner_destroy(learner);
    return status == LGKT_OK;
}

// one run, looked at in every `stride`-th point, played on from every `plays`-th of these
static void check_run(const char *spec, const lgkt_mdp *model, bool masked, int stride, int plays)
{
    lgkt_learner_config config = learner_run_config(model, STEPS);
    config.problem.masked = masked;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_create(spec, &config, &learner, &error);
    if (status == LGKT_ERR_SPEC && (strstr(error.text, "profile=released ends at") != NULL ||
                                    strstr(error.text, "cannot serve") != NULL ||
                                    strstr(error.text, "cannot leave out actions") != NULL))
        return;
    if (status != LGKT_OK)
        fail_msg("%s: %s", spec, error.text);
    half_run half = {{learner, model, 11, 0.05, 0}, -1, masked && can_mask(spec, &config)};
    for (int64_t point = 0; point <= 2 * STEPS; point++) {
        if (point % stride == 0 || point == 2 * STEPS)
            check_point(spec, &half, &config, point % 2 == 1, point / stride % plays == 0);
        if (point < 2 * STEPS)
            half_step(&half, point % 2 == 1);
    }
    lgkt_learner_destroy(learner);
}

// ---- every name ----

static void test_every_name_in_every_phase(void **state)
{
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        char spec[LEARNER_RUN_SPEC];
        int32_t j = 0;
        while (learner_run_spec(j, spec) && learner_run_entry(spec) != state_learner(i))
            j++;
        check_run(spec, *state, false, 5, 5);
        check_run(spec, *state, true, 13, 3);
    }
}

static void test_every_setting(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    // psrl with plan=left plans anew: test_planners_explain.c
    for (int32_t i = 0; learner_run_spec(i, spec); i += test_short() ? 4 : 1)
        if (strstr(spec, "plan=left") == NULL)
            check_run(spec, *state, false, 41, 2);
}

static void test_learners_within_learners(void **state)
{
    static const char *const forms[] = {
        "lg1t-rl:cutoff=15,rl=(%s)", "lg1t-rl:cutoff=15,first=(%s),rl=ucb", "lgkt:k=3,sampler=(%s)",
        "lgkt:k=3,sampler-scope=per-pair,sampler=(%s)"};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int32_t i = 0; state_learner(i) != NULL; i++) {
            char spec[MOST_SPEC];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(spec, sizeof spec, forms[f], state_learner(i)->name);
#pragma GCC diagnostic pop
            check_run(spec, *state, false, 41, 2);
        }
}

// ---- memory ----

// With any of its allocations failing, a learner stays what it was; then it is what it would be.
static void check_without_memory(const char *spec, const lgkt_mdp *model)
{
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = learner_run_config(model, STEPS);
    half_run plain = {{learner_run_make(spec, &config), model, 11, 0.05, 0}, -1, false};
    config.allocator = fault_allocator(&memory);
    half_run half = {{learner_run_make(spec, &config), model, 11, 0.05, 0}, -1, false};
    // between act and observe
    for (int64_t point = 0; point < 2 * STEPS / 3 + 1; point++) {
        half_step(&plain, point % 2 == 1);
        half_step(&half, point % 2 == 1);
    }
    lgkt_learner *learner = half.run.learner;
    const uint64_t hash = lgkt_learner_hash(learner);
    const long long blocks = atomic_load(&memory.outstanding), bytes = atomic_load(&memory.bytes);
    lgkt_status status = LGKT_ERR_NO_MEMORY;
    for (long long k = 1; status != LGKT_OK; k++) {
        fault_fail_at(&memory, k, k % 2 == 0);
        status = lgkt_learner_set_horizon(learner, STEPS + MORE);
        fault_fail_at(&memory, 0, false);
        if (status == LGKT_OK)
            break;
        assert_int_equal(status, LGKT_ERR_NO_MEMORY);
        assert_true(strlen(lgkt_learner_message(learner)) > 0);
        assert_true(lgkt_learner_hash(learner) == hash);
        assert_int_equal(lgkt_learner_problem(learner).horizon, STEPS);
        assert_int_equal(atomic_load(&memory.outstanding), blocks);
        assert_int_equal(atomic_load(&memory.bytes), bytes);
    }
    set_horizon(spec, plain.run.learner, STEPS + MORE);
    for (int64_t point = 2 * STEPS / 3 + 1; point < 2 * (STEPS + MORE); point++) {
        half_step(&plain, point % 2 == 1);
        half_step(&half, point % 2 == 1);
        assert_int_equal(half.action, plain.action);
    }
    check_same(spec, learner, plain.run.learner);
    lgkt_learner_destroy(learner);
    lgkt_learner_destroy(plain.run.learner);
    assert_true(fault_is_clean(&memory));
}

static void test_without_memory_nothing_changes(void **state)
{
    static const char *const nested[] = {
        "lgkt:k=3,sampler-scope=per-pair", "lg1t-rl:cutoff=15,rl=psrl",
        "anytime:of=(lgkt:k=3,sampler-scope=per-pair),first=4", "window:of=lg2t,steps=5"};
    char spec[LEARNER_RUN_SPEC];
    const lgkt_entry *last = NULL;
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        // the first spec of each name
        if (learner_run_entry(spec) != last)
            check_without_memory(spec, *state);
        last = learner_run_entry(spec);
    }
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
        check_without_memory(nested[i], *state);
}

// ---- keys ----

// A keyed learner that is extended goes on as its learner would: states keep coming up, before and
// after. What it must be is what its bytes make of it, with the other horizon in them.
static void test_keys(void **state)
{
    (void)state;
    static const char *const specs[] = {"auto",
                                        "lg2t",
                                        "lgkt:k=3,sampler-scope=per-pair",
                                        "plugin",
                                        "ucrl2",
                                        "lg1t-rl:cutoff=20,rl=psrl",
                                        "anytime:of=auto,first=9",
                                        "window:of=lg2t,steps=9"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner_config config = keyed_run_config(STEPS);
        fault memory;
        fault_init(&memory);
        config.allocator = fault_allocator(&memory);
        lgkt_keyed *keyed = keyed_run_make(specs[i], &config, KEYED_RUN_STATES);
        assert_int_equal(lgkt_keyed_set_horizon(keyed, 0), LGKT_ERR_ARGUMENT);
        keyed_run run = keyed_run_start(keyed, KEYED_RUN_STATES, 5);
        keyed_run_play(&run, STEPS + 1);
        size_t size;
        unsigned char *bytes = keyed_run_save(keyed, &size);
        // the horizon stands behind limits, secret, what was fed, count and keys, and two sizes
        size_t at = TAMPER_HEAD + 6 * 8;
        for (int32_t k = 0; k < lgkt_keyed_states(keyed); k++)
            at += 8 + (tamper_word(bytes, at) + 7) / 8 * 8;
        at += 2 * 8;
        assert_int_equal(tamper_word(bytes, at), STEPS);
        tamper_set_word(bytes, at, STEPS + MORE);
        tamper_seal(bytes, size);
        assert_int_equal(lgkt_keyed_set_horizon(keyed, STEPS + MORE), LGKT_OK);
        lgkt_learner_config again = keyed_run_config(STEPS + MORE);
        keyed_run other = run;
        other.keyed = keyed_run_load(bytes, size, &again);
        keyed_run_play(&run, 2 * (STEPS + MORE) - STEPS - 1);
        keyed_run_play(&other, 2 * (STEPS + MORE) - STEPS - 1);
        assert_int_equal(run.state, other.state);
        assert_true(lgkt_learner_hash(lgkt_keyed_learner(keyed)) ==
                    lgkt_learner_hash(lgkt_keyed_learner(other.keyed)));
        assert_int_equal(lgkt_keyed_set_horizon(keyed, STEPS), LGKT_ERR_ARGUMENT);
        assert_non_null(strstr(lgkt_keyed_message(keyed), "must be at least 56"));
        lgkt_keyed_destroy(other.keyed);
        lgkt_keyed_destroy(keyed);
        free(bytes);
        assert_true(fault_is_clean(&memory));
    }
    assert_int_equal(lgkt_keyed_set_horizon(NULL, 5), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_set_horizon(NULL, 5), LGKT_ERR_ARGUMENT);
}

// ---- what follows ----

// what does not look at the horizon plays as if it had been told the longer one at once
static void test_extended_runs_go_on(void **state)
{
    static const char *const specs[] = {"random", "ucb", "lg1t", "q-greedy"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const lgkt_learner_config config = learner_run_config(*state, STEPS);
        const lgkt_learner_config longer = learner_run_config(*state, STEPS + MORE);
        learner_run run = {learner_run_make(specs[i], &config), *state, 2, 0.1, 0};
        learner_run whole = {learner_run_make(specs[i], &longer), *state, 2, 0.1, 0};
        int32_t one[STEPS + MORE], two[STEPS + MORE];
        learner_run_play(&run, STEPS, one);
        set_horizon(specs[i], run.learner, STEPS + MORE);
        learner_run_play(&run, MORE, one + STEPS);
        learner_run_play(&whole, STEPS + MORE, two);
        assert_memory_equal(one, two, sizeof one);
        assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(whole.learner));
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(whole.learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_in_every_phase),
        cmocka_unit_test(test_every_setting),
        cmocka_unit_test(test_learners_within_learners),
        cmocka_unit_test(test_without_memory_nothing_changes),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_extended_runs_go_on),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
