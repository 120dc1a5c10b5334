// SPDX-License-Identifier: MIT
// What is asked of every learner on records alone: resumed and copied runs go on bit for bit, masks
// are kept to, the probabilities are those of what is played, failing allocations leave nothing
// behind, extreme numbers and made-up saves lead to no NaN, another horizon is taken.

#include "test.h"

#include "core/error.h"
#include "core/hash.h"
#include "ref/fault.h"
#include "ref/record_run.h"
#include "ref/tamper.h"

enum { HORIZON = 1000 };

// the next name that takes records and no states; NULL: there are no more
static const char *next_name(int32_t *i)
{
    const lgkt_entry *entry;
    while ((entry = lgkt_learner_entry((*i)++)) != NULL)
        if ((entry->traits & LGKT_TRAIT_STATES) == 0)
            return entry->name;
    return NULL;
}

// sarsa-tiles with a small table, which is enough here; others as they are
static const char *small(const char *name)
{
    return strcmp(name, "sarsa-tiles") == 0 ? "sarsa-tiles:weights=256,tilings=2" : name;
}

typedef struct walk {
    lgkt_rng rng;
    double x[RECORD_DIMS];
} walk;

static walk walk_start(uint64_t seed)
{
    walk w = {.rng = lgkt_rng_stream(seed, "test", 0)};
    record_run_draw(&w.rng, w.x);
    return w;
}

// plays steps, some of them masked and some cut; returns a hash of the actions
static uint64_t play(lgkt_keyed *learner, walk *w, int steps)
{
    uint64_t hash = LGKT_HASH_START;
    for (int t = 0; t < steps; t++) {
        uint8_t mask[RECORD_ACTIONS] = {1, 1, 1};
        mask[lgkt_rng_below(&w->rng, RECORD_ACTIONS)] = lgkt_rng_bernoulli(&w->rng, 0.7);
        const int32_t action = record_run_act(learner, w->x, mask);
        const double reward = (w->x[1] == action) + lgkt_rng_normal(&w->rng);
        const bool ended = lgkt_rng_bernoulli(&w->rng, 0.1);
        record_run_draw(&w->rng, w->x);
        record_run_observe(learner, reward, w->x, ended);
        if (ended)
            record_run_draw(&w->rng, w->x);
        hash = lgkt_hash_u64(hash, (uint64_t)action);
    }
    return hash;
}

static lgkt_status load(const void *bytes, size_t size, lgkt_keyed **made, lgkt_error *error)
{
    const lgkt_learner_config config = lgkt_learner_config_default();
    return lgkt_keyed_load(bytes, size, &config, made, error);
}

static unsigned char *save(const lgkt_keyed *learner, size_t *size)
{
    lgkt_error error = {0};
    lgkt_keyed_save(learner, NULL, 0, size, &error);
    unsigned char *bytes = malloc(*size);
    assert_ok(lgkt_keyed_save(learner, bytes, *size, size, &error), error);
    return bytes;
}

static void test_resumed_and_copied_runs_go_on(void **state)
{
    (void)state;
    const char *name;
    for (int32_t i = 0; (name = next_name(&i)) != NULL;)
        for (int begun = 0; begun < 60; begun += 7) {
            lgkt_keyed *one = record_run_make(small(name), 3, HORIZON, NULL);
            walk w = walk_start((uint64_t)begun);
            play(one, &w, begun);
            size_t size;
            unsigned char *bytes = save(one, &size);
            lgkt_keyed *loaded = NULL, *copy = NULL;
            lgkt_error error = {0};
            assert_ok(load(bytes, size, &loaded, &error), error);
            assert_ok(lgkt_keyed_copy(one, &copy, &error), error);
            assert_true(lgkt_keyed_hash(one) == lgkt_keyed_hash(loaded));
            walk again = w, third = w;
            const uint64_t played = play(one, &w, 60);
            assert_true(play(loaded, &again, 60) == played && play(copy, &third, 60) == played);
            assert_true(lgkt_keyed_hash(one) == lgkt_keyed_hash(loaded));
            assert_true(lgkt_keyed_hash(one) == lgkt_keyed_hash(copy));
            free(bytes);
            lgkt_keyed_destroy(one);
            lgkt_keyed_destroy(loaded);
            lgkt_keyed_destroy(copy);
        }
}

// Asked 300 times after different steps: each action is as often played as the probabilities say,
// within 6 standard errors, and asking changes nothing.
static void test_probabilities_are_those_of_what_is_played(void **state)
{
    (void)state;
    const char *name;
    for (int32_t i = 0; (name = next_name(&i)) != NULL;) {
        lgkt_keyed *learner = record_run_make(small(name), 4, HORIZON, NULL);
        walk w = walk_start(9);
        double expected[RECORD_ACTIONS] = {0}, variance[RECORD_ACTIONS] = {0};
        int played[RECORD_ACTIONS] = {0};
        for (int t = 0; t < 300; t++) {
            lgkt_reason reasons[RECORD_ACTIONS];
            uint8_t mask[RECORD_ACTIONS] = {1, 1, 1};
            mask[t % RECORD_ACTIONS] = t % 4 != 0;
            const uint64_t hash = lgkt_keyed_hash(learner);
            record_run_explain(learner, w.x, mask, reasons);
            assert_true(lgkt_keyed_hash(learner) == hash);
            const int32_t action = record_run_act(learner, w.x, mask);
            played[action]++;
            for (int32_t a = 0; a < RECORD_ACTIONS; a++) {
                expected[a] += reasons[a].probability;
                variance[a] += reasons[a].probability * (1 - reasons[a].probability);
            }
            assert_true(reasons[action].probability > 0);
            const double reward = (w.x[1] == action) + lgkt_rng_normal(&w.rng);
            record_run_draw(&w.rng, w.x);
            record_run_observe(learner, reward, w.x, false);
        }
        for (int32_t a = 0; a < RECORD_ACTIONS; a++)
            assert_close(played[a], expected[a], 6 * sqrt(variance[a]) + 1e-9);
        lgkt_keyed_destroy(learner);
    }
}

static lgkt_status make_and_play(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    lgkt_keyed *learner = NULL;
    config.problem.actions = 2;
    config.problem.horizon = 30;
    config.allocator = *allocator;
    keys.view.dims = 2;
    lgkt_status status = lgkt_keyed_create(ctx, &config, &keys, &learner, error);
    for (int t = 0; t < 30 && status == LGKT_OK; t++) {
        const double x[2] = {t % 7, t % 3}, next[2] = {(t + 1) % 7, (t + 1) % 3};
        int32_t action;
        status = lgkt_keyed_act(learner, x, sizeof x, NULL, &action);
        if (status == LGKT_OK)
            status = lgkt_keyed_observe(learner, t % 2, next, sizeof next, false);
        if (status != LGKT_OK)
            lgkt_fail(error, status, "%s", lgkt_keyed_message(learner));
    }
    lgkt_keyed_destroy(learner);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    const char *name;
    for (int32_t i = 0; (name = next_name(&i)) != NULL;) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s", small(name));
        assert_true(fault_sweep(make_and_play, spec) > 5);
    }
}

// nothing that is shown is a NaN because of the numbers
static void check_sound(const lgkt_keyed *learner, const double *x)
{
    lgkt_reason reasons[RECORD_ACTIONS];
    record_run_explain(learner, x, NULL, reasons);
    for (int32_t a = 0; a < RECORD_ACTIONS; a++)
        assert_true(isfinite(reasons[a].value) && isfinite(reasons[a].probability));
}

static void test_extreme_numbers(void **state)
{
    (void)state;
    static const double NUMBERS[] = {1e300, -1e300, 1e-300, 0, NAN, 0x1p-1074, 1e308, -1e308, 1};
    static const double REWARDS[] = {1e100, -1e100, 0, 1e-100, 1};
    const char *name;
    for (int32_t i = 0; (name = next_name(&i)) != NULL;) {
        lgkt_keyed *learner = record_run_make(small(name), 5, HORIZON, NULL);
        double x[RECORD_DIMS] = {0, 0, 0}, next[RECORD_DIMS];
        for (int t = 0; t < 400; t++) {
            next[0] = NUMBERS[(t * t + t / 3) % 9];
            next[1] = t % 11 == 0 ? (double)NAN : t % 3;
            next[2] = NUMBERS[t % 9];
            record_run_act(learner, x, NULL);
            record_run_observe(learner, REWARDS[t * t % 5], next, t % 17 == 0);
            memcpy(x, next, sizeof x);
            check_sound(learner, x);
        }
        lgkt_keyed_destroy(learner);
    }
}

// what was loaded from made-up bytes can be played
static lgkt_status load_and_play(void *ctx, const unsigned char *bytes, size_t size,
                                 lgkt_error *error)
{
    (void)ctx;
    lgkt_keyed *learner = NULL;
    const lgkt_status status = load(bytes, size, &learner, error);
    if (status != LGKT_OK)
        return status;
    double x[RECORD_DIMS] = {0.5, 1, 2};
    int32_t action;
    // how many actions there are, or where the run stands, may be made up, too
    const bool fits = lgkt_keyed_dims(learner) == RECORD_DIMS &&
                      lgkt_learner_problem(lgkt_keyed_learner(learner)).actions == RECORD_ACTIONS;
    for (int t = 0; t < 10 && fits; t++) {
        lgkt_reason reasons[RECORD_ACTIONS];
        lgkt_error why = {0};
        if (lgkt_keyed_act(learner, x, sizeof x, NULL, &action) == LGKT_ERR_PROTOCOL)
            lgkt_keyed_jump(learner);
        x[0] = t;
        if (lgkt_keyed_observe(learner, t % 3, x, sizeof x, t % 4 == 0) == LGKT_OK &&
            lgkt_keyed_explain(learner, x, sizeof x, NULL, reasons, sizeof *reasons, &why) ==
                LGKT_OK)
            for (int32_t a = 0; a < RECORD_ACTIONS; a++)
                assert_true(isfinite(reasons[a].value));
    }
    lgkt_keyed_destroy(learner);
    return LGKT_OK;
}

static void test_damaged_and_made_up_saves(void **state)
{
    (void)state;
    const char *name;
    for (int32_t i = 0; (name = next_name(&i)) != NULL;) {
        if (strcmp(name, "forest") == 0)
            continue; // test_learners_forest_saved
        lgkt_keyed *learner = record_run_make(small(name), 6, HORIZON, NULL);
        walk w = walk_start(2);
        play(learner, &w, 20);
        size_t size;
        unsigned char *bytes = save(learner, &size);
        tamper_check_damage(bytes, size, load_and_play, NULL);
        assert_true(tamper_check_content(bytes, size, load_and_play, NULL) > 50);
        free(bytes);
        lgkt_keyed_destroy(learner);
    }
}

static void test_another_horizon(void **state)
{
    (void)state;
    const char *name;
    for (int32_t i = 0; (name = next_name(&i)) != NULL;) {
        lgkt_keyed *learner = record_run_make(small(name), 7, 40, NULL);
        walk w = walk_start(3);
        play(learner, &w, 30);
        assert_int_equal(lgkt_keyed_set_horizon(learner, 20), LGKT_ERR_ARGUMENT);
        assert_int_equal(lgkt_keyed_set_horizon(learner, 60), LGKT_OK);
        play(learner, &w, 30);
        int32_t action;
        assert_int_equal(lgkt_keyed_act(learner, w.x, sizeof w.x, NULL, &action), LGKT_ERR_HORIZON);
        lgkt_keyed_destroy(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed_and_copied_runs_go_on),
        cmocka_unit_test(test_probabilities_are_those_of_what_is_played),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_extreme_numbers),
        cmocka_unit_test(test_damaged_and_made_up_saves),
        cmocka_unit_test(test_another_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
