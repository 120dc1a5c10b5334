// SPDX-License-Identifier: MIT
// Copies of learners, keyed learners and units: they go on bit for bit as the original would, and
// neither changes the other. Reasons of keyed learners, for keys that were seen and others.

#include "test.h"

#include <math.h>
#include <string.h>

#include "lgkt/units.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/state_learners.h"

enum { STEPS = 60, FIRST = 25, UNITS = 4, ACTIONS = 3 };

// ---- learners ----

static lgkt_learner *copy_learner(const lgkt_learner *learner)
{
    lgkt_learner *copy = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_copy(learner, &copy, &error), error);
    return copy;
}

static void test_learners(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        lgkt_learner *learner = learner_run_make(spec, &config);
        learner_run run = {.learner = learner, .model = *state, .seed = 3, .cuts = 0.1};
        learner_run_play(&run, FIRST, NULL);
        lgkt_learner *copy = copy_learner(learner);
        assert_true(lgkt_learner_hash(copy) == lgkt_learner_hash(learner));
        assert_string_equal(lgkt_learner_spec(copy), lgkt_learner_spec(learner));
        const uint64_t before = lgkt_learner_hash(copy);
        learner_run other = run;
        other.learner = copy;
        int32_t actions[STEPS], again[STEPS];
        learner_run_play(&run, STEPS - FIRST, actions);
        const uint64_t after = lgkt_learner_hash(learner);
        assert_true(lgkt_learner_hash(copy) == before);
        lgkt_learner_destroy(learner);
        learner_run_play(&other, STEPS - FIRST, again);
        assert_memory_equal(actions, again, (STEPS - FIRST) * sizeof *actions);
        assert_true(lgkt_learner_hash(copy) == after);
        lgkt_learner_destroy(copy);
    }
}

// between act and observe, and when the run is over
static void test_phases(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 2);
    lgkt_learner *learner = learner_run_make("lg2t", &config);
    for (int t = 0; t < 2; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        lgkt_learner *copy = copy_learner(learner);
        assert_int_equal(lgkt_learner_act(copy, 0, NULL, &action), LGKT_ERR_PROTOCOL);
        assert_int_equal(lgkt_learner_observe(copy, 1, 0, false), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, 1, 0, false), LGKT_OK);
        assert_true(lgkt_learner_hash(copy) == lgkt_learner_hash(learner));
        lgkt_learner_destroy(copy);
    }
    lgkt_learner *copy = copy_learner(learner);
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(copy, 0, NULL, &action), LGKT_ERR_HORIZON);
    lgkt_learner_destroy(copy);
    lgkt_learner_destroy(learner);
}

// ---- keys ----

static void test_keys(void **state)
{
    (void)state;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = state_learner(i)) != NULL; i++) {
        if (!(entry->traits & LGKT_TRAIT_GROWN))
            continue;
        const lgkt_learner_config config = keyed_run_config(STEPS);
        lgkt_keyed *keyed = keyed_run_make(entry->name, &config, 50), *copy = NULL;
        keyed_run run = keyed_run_start(keyed, 50, 9);
        keyed_run_play(&run, FIRST);
        lgkt_error error = {0};
        assert_ok(lgkt_keyed_copy(keyed, &copy, &error), error);
        assert_true(lgkt_keyed_hash(copy) == lgkt_keyed_hash(keyed));
        assert_true(lgkt_keyed_bytes(keyed) > lgkt_learner_bytes(lgkt_keyed_learner(keyed)));
        keyed_run other = run;
        other.keyed = copy;
        const uint64_t before = lgkt_keyed_hash(copy);
        keyed_run_play(&run, 2 * STEPS - FIRST);
        assert_true(lgkt_keyed_hash(copy) == before && lgkt_keyed_hash(keyed) != before);
        const uint64_t after = lgkt_keyed_hash(keyed);
        lgkt_keyed_destroy(keyed);
        keyed_run_play(&other, 2 * STEPS - FIRST);
        assert_true(lgkt_keyed_hash(copy) == after);
        assert_int_equal(other.state, run.state);
        lgkt_keyed_destroy(copy);
    }
}

// The law that is shown is that of the act, also in a state that is new, and asking changes nothing.
static void test_reasons_of_keys(void **state)
{
    (void)state;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = state_learner(i)) != NULL; i++) {
        if (!(entry->traits & LGKT_TRAIT_GROWN) || !(entry->traits & LGKT_TRAIT_LAW))
            continue;
        const lgkt_learner_config config = keyed_run_config(STEPS);
        lgkt_keyed *keyed = keyed_run_make(entry->name, &config, 60);
        keyed_run run = keyed_run_start(keyed, 60, 4);
        int unseen = 0;
        for (int t = 0; t < STEPS; t++) {
            unsigned char key[KEYED_RUN_KEY];
            const size_t size = keyed_run_key(run.state, key);
            lgkt_reason reasons[KEYED_RUN_ACTIONS];
            lgkt_error error = {0};
            const uint64_t before = lgkt_keyed_hash(keyed);
            unseen += lgkt_keyed_find(keyed, key, size) < 0;
            assert_ok(lgkt_keyed_explain(keyed, key, size, NULL, reasons, sizeof *reasons, &error),
                      error);
            assert_true(lgkt_keyed_hash(keyed) == before);
            double sum = 0;
            for (int a = 0; a < KEYED_RUN_ACTIONS; a++)
                sum += reasons[a].probability;
            assert_true(fabs(sum - 1) < 1e-9);
            assert_int_equal(keyed_run_half(&run), LGKT_OK);
            assert_true(reasons[run.action].probability > 0);
            assert_int_equal(keyed_run_half(&run), LGKT_OK);
        }
        assert_true(unseen > 0);
        lgkt_keyed_destroy(keyed);
    }
}

static void test_reasons_that_are_refused(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed *keyed = keyed_run_make("auto", &config, 2);
    keyed_run run = keyed_run_start(keyed, 2, 4);
    keyed_run_play(&run, 20);
    lgkt_reason reasons[KEYED_RUN_ACTIONS];
    lgkt_error error = {0};
    const uint64_t before = lgkt_keyed_hash(keyed);
    assert_refused(lgkt_keyed_explain(NULL, "a", 1, NULL, reasons, sizeof *reasons, &error),
                   LGKT_ERR_ARGUMENT, error, "keyed must not be NULL");
    assert_refused(lgkt_keyed_explain(keyed, "new", 3, NULL, reasons, sizeof *reasons, &error),
                   LGKT_ERR_SHAPE, error, "the limit is 2 states");
    assert_refused(lgkt_keyed_explain(keyed, NULL, 3, NULL, reasons, sizeof *reasons, &error),
                   LGKT_ERR_ARGUMENT, error, "key must not be NULL");
    assert_refused(lgkt_keyed_explain(keyed, "", 0, NULL, NULL, sizeof *reasons, &error),
                   LGKT_ERR_ARGUMENT, error, "NULL");
    const uint8_t none[KEYED_RUN_ACTIONS] = {0};
    unsigned char key[KEYED_RUN_KEY];
    const size_t size = keyed_run_key(run.state, key);
    assert_refused(lgkt_keyed_explain(keyed, key, size, none, reasons, sizeof *reasons, &error),
                   LGKT_ERR_ARGUMENT, error, "none of the 3 actions");
    assert_refused(lgkt_keyed_explain(keyed, key, size, NULL, reasons, 8, &error),
                   LGKT_ERR_ARGUMENT, error, "sizeof(lgkt_reason)");
    assert_true(lgkt_keyed_hash(keyed) == before);
    lgkt_keyed_destroy(keyed);
}

// ---- units ----

static lgkt_units *make_units(const char *spec, bool keyed, const lgkt_allocator *allocator,
                              lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = keyed ? 0 : 3;
    config.problem.actions = ACTIONS;
    config.problem.horizon = 2 * STEPS;
    if (allocator != NULL)
        config.allocator = *allocator;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    set.patience = 9;
    set.missing = 0.25;
    set.keys.state_limit = keyed ? 12 : 0;
    lgkt_units *units = NULL;
    return lgkt_units_create(spec, &config, &set, &units, error) == LGKT_OK ? units : NULL;
}

// acts of units in turn; rewards come late, some never, next states at times
static void play_units(lgkt_units *units, int64_t from, int64_t to)
{
    const bool keyed = lgkt_units_keys(units) != NULL;
    for (int64_t i = from; i < to; i++) {
        const int32_t place = (int32_t)((i * 7) % 3);
        const uint64_t unit = (uint64_t)(i % UNITS);
        int64_t decision = -1;
        int32_t action = -1;
        assert_int_equal(
            keyed ? lgkt_units_act_key(units, unit, &place, sizeof place, NULL, &decision, &action)
                  : lgkt_units_act(units, unit, place, NULL, &decision, &action),
            LGKT_OK);
        if (i >= 5 && i % 3 != 0)
            assert_int_equal(lgkt_units_reward(units, decision - 5, (double)(i % 4)), LGKT_OK);
    }
}

static void test_units(void **state)
{
    (void)state;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = state_learner(i)) != NULL; i++)
        for (int keyed = 0; keyed < 2; keyed++) {
            lgkt_error error = {0};
            if (!(entry->traits & LGKT_TRAIT_SHARED) || !(entry->traits & LGKT_TRAIT_GROWN))
                continue;
            lgkt_units *units = make_units(entry->name, keyed != 0, NULL, &error), *copy = NULL;
            if (units == NULL)
                fail_msg("%s: %s", entry->name, error.text);
            play_units(units, 0, FIRST);
            assert_ok(lgkt_units_copy(units, &copy, &error), error);
            const uint64_t before = lgkt_units_hash(units);
            assert_true(lgkt_units_hash(copy) == before);
            play_units(units, FIRST, 2 * STEPS);
            const uint64_t after = lgkt_units_hash(units);
            assert_true(lgkt_units_hash(copy) == before);
            lgkt_units_destroy(units);
            play_units(copy, FIRST, 2 * STEPS);
            assert_true(lgkt_units_hash(copy) == after);
            lgkt_units_destroy(copy);
        }
}

// ---- memory and arguments ----

static lgkt_status copy_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = learner_run_config(ctx, STEPS), without = keyed_run_config(STEPS);
    config.allocator = without.allocator = *allocator;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 9;
    lgkt_learner *learner = NULL, *second = NULL;
    lgkt_keyed *keyed = NULL, *second_keyed = NULL;
    lgkt_units *units = NULL, *second_units = NULL;
    lgkt_reason reasons[KEYED_RUN_ACTIONS];
    lgkt_status status = lgkt_learner_create("lg2t", &config, &learner, error);
    if (status == LGKT_OK)
        status = lgkt_learner_copy(learner, &second, error);
    if (status == LGKT_OK)
        status = lgkt_keyed_create("auto", &without, &set, &keyed, error);
    if (status == LGKT_OK)
        status = lgkt_keyed_copy(keyed, &second_keyed, error);
    if (status == LGKT_OK)
        status = lgkt_keyed_explain(keyed, "new", 3, NULL, reasons, sizeof *reasons, error);
    if (status == LGKT_OK && (units = make_units("lg1t", true, allocator, error)) == NULL)
        status = error->status;
    if (status == LGKT_OK)
        status = lgkt_units_copy(units, &second_units, error);
    lgkt_learner_destroy(learner);
    lgkt_learner_destroy(second);
    lgkt_keyed_destroy(keyed);
    lgkt_keyed_destroy(second_keyed);
    lgkt_units_destroy(units);
    lgkt_units_destroy(second_units);
    return status;
}

static void test_memory(void **state)
{
    assert_true(fault_sweep(copy_all, *state) > 30);
}

static void test_null(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    lgkt_learner *learner = learner_run_make("random", &config), *copy = NULL;
    lgkt_error error = {0};
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_refused(lgkt_learner_copy(NULL, &copy, &error), bad, error, "NULL");
    assert_refused(lgkt_learner_copy(learner, NULL, &error), bad, error, "NULL");
    lgkt_keyed *keyed = NULL;
    assert_refused(lgkt_keyed_copy(NULL, &keyed, &error), bad, error, "NULL");
    lgkt_units *units = NULL;
    assert_refused(lgkt_units_copy(NULL, &units, &error), bad, error, "NULL");
    assert_true(copy == NULL && keyed == NULL && units == NULL);
    assert_true(lgkt_keyed_hash(NULL) == 0 && lgkt_keyed_bytes(NULL) == 0);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learners), cmocka_unit_test(test_phases),
        cmocka_unit_test(test_keys),     cmocka_unit_test(test_reasons_of_keys),
        cmocka_unit_test(test_units),    cmocka_unit_test(test_reasons_that_are_refused),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
