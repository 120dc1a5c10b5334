// SPDX-License-Identifier: MIT
// labels: slow
// A learner for runs whose end is not known: it is the learner within, extended by hand.

#include "test.h"

#include <stdlib.h>

#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/resumed_run.h"

enum { STEPS = 60, FIRST = 8, MOST_SPEC = 160 };

static bool wrap(const char *inner, const lgkt_learner_config *config, lgkt_learner **made,
                 char spec[MOST_SPEC])
{
    lgkt_error error = {0};
    snprintf(spec, MOST_SPEC, "anytime:of=(%s),first=%d", inner, FIRST);
    const lgkt_status status = lgkt_learner_create(spec, config, made, &error);
    if (status != LGKT_OK)
        fail_msg("%s: %s", spec, error.text);
    return true;
}

// Every name: the learner told `first`, extended with lgkt_learner_set_horizon to twice as much
// whenever it is half over, plays the same; and the horizon of the run is where it ends, nothing
// else.
static void test_every_name_is_extended_by_doubling(void **state)
{
    char spec[LEARNER_RUN_SPEC], outer[MOST_SPEC];
    const lgkt_entry *last = NULL;
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        if (learner_run_entry(spec) == last || strncmp(spec, "anytime", 7) == 0 ||
            strcmp(spec, "explore") == 0)
            continue;
        last = learner_run_entry(spec);
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run any = {NULL, *state, 4, 0.05, 0}, longer = any, plain = any;
        wrap(spec, &config, &any.learner, outer);
        config.problem.horizon = 1000000;
        wrap(spec, &config, &longer.learner, outer);
        config.problem.horizon = FIRST;
        plain.learner = learner_run_make(spec, &config);
        int64_t told = FIRST;
        for (int t = 0; t < STEPS; t++) {
            int32_t actions[3];
            if (t == told / 2)
                assert_int_equal(lgkt_learner_set_horizon(plain.learner, told *= 2), LGKT_OK);
            learner_run_play(&any, 1, &actions[0]);
            learner_run_play(&longer, 1, &actions[1]);
            learner_run_play(&plain, 1, &actions[2]);
            if (actions[0] != actions[1] || actions[0] != actions[2])
                fail_msg("%s at step %d: %d, %d and %d", spec, t, actions[0], actions[1],
                         actions[2]);
            assert_int_equal(learner_run_counter(any.learner, "told"), told);
        }
        int32_t action;
        assert_int_equal(lgkt_learner_act(any.learner, any.state, NULL, &action), LGKT_ERR_HORIZON);
        assert_int_equal(lgkt_learner_set_horizon(any.learner, 1000000), LGKT_OK);
        assert_true(lgkt_learner_hash(any.learner) == lgkt_learner_hash(longer.learner));
        lgkt_learner_destroy(any.learner);
        lgkt_learner_destroy(longer.learner);
        lgkt_learner_destroy(plain.learner);
    }
}

static const char *const kinds[] = {"auto",
                                    "lg2t",
                                    "lgkt:k=3,sampler-scope=per-pair",
                                    "plugin",
                                    "ucrl2",
                                    "psrl",
                                    "mdp-oomd",
                                    "lg1-2t-adaptive",
                                    "lg1t-rl:cutoff=25,rl=ucb",
                                    "window:of=lg1t,steps=11",
                                    "optimal"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void test_saved_and_loaded_at_every_point(void **state)
{
    for (int i = 0; i < KINDS; i++) {
        char spec[MOST_SPEC];
        snprintf(spec, sizeof spec, "anytime:of=(%s),first=%d", kinds[i], FIRST);
        resumed_run_check(spec, *state, STEPS);
    }
}

// A telling that memory does not suffice for refuses the act; the same act can be tried again.
static void test_acts_without_memory_change_nothing(void **state)
{
    for (int i = 0; i < KINDS; i++) {
        char spec[MOST_SPEC];
        fault memory;
        fault_init(&memory);
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run plain = {NULL, *state, 4, 0.05, 0}, run = plain;
        wrap(kinds[i], &config, &plain.learner, spec);
        config.allocator = fault_allocator(&memory);
        run.learner = learner_run_make(spec, &config);
        int refusals = 0;
        for (int t = 0; t < STEPS; t++) {
            const uint64_t hash = lgkt_learner_hash(run.learner);
            const size_t bytes = lgkt_learner_bytes(run.learner);
            int32_t action;
            lgkt_status status = LGKT_ERR_NO_MEMORY;
            for (long long k = 1; status != LGKT_OK; k++) {
                fault_fail_at(&memory, k, k % 2 == 0);
                status = lgkt_learner_act(run.learner, run.state, NULL, &action);
                fault_fail_at(&memory, 0, false);
                if (status == LGKT_OK)
                    break;
                refusals++;
                assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                if (lgkt_learner_hash(run.learner) != hash)
                    fail_msg("%s at step %d: another hash", spec, t);
                assert_int_equal(lgkt_learner_bytes(run.learner), bytes);
            }
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
            learner_run_play(&plain, 1, NULL);
            assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(plain.learner));
        }
        assert_true(refusals > 10);
        assert_int_equal(lgkt_learner_bytes(run.learner), atomic_load(&memory.bytes));
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(plain.learner);
        assert_true(fault_is_clean(&memory));
    }
}

// as a partner it is fed far beyond what it was told, as a sampler it is asked now and then
static void test_within_others(void **state)
{
    static const char *const specs[] = {
        "lg1t-rl:cutoff=35,rl=(anytime:of=lg2t,first=3)",
        "lg1t-rl:cutoff=35,rl=(anytime:of=(lg1-2t:cutoff=20),first=3)",
        "lgkt:k=3,sampler=(anytime:of=auto,first=2)",
        "lgkt:k=3,sampler=(anytime:of=psrl,first=2),sampler-scope=per-pair",
        "anytime:of=(anytime:of=(lg1t),first=3),first=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        resumed_run_check(specs[i], *state, STEPS);
}

static void test_keys(void **state)
{
    (void)state;
    static const char *const specs[] = {"anytime:of=auto,first=7",
                                        "anytime:of=(lgkt:k=3,sampler-scope=per-pair),first=7"};
    for (int i = 0; i < 2; i++) {
        const lgkt_learner_config config = keyed_run_config(2 * STEPS);
        lgkt_keyed *keyed = keyed_run_make(specs[i], &config, KEYED_RUN_STATES);
        lgkt_keyed *other = keyed_run_make(specs[i], &config, KEYED_RUN_STATES);
        keyed_run run = keyed_run_start(keyed, KEYED_RUN_STATES, 5), again = run;
        again.keyed = other;
        for (int half = 0; half < 4 * STEPS; half++) {
            size_t size;
            unsigned char *bytes = keyed_run_save(again.keyed, &size);
            lgkt_keyed_destroy(again.keyed);
            again.keyed = keyed_run_load(bytes, size, &config);
            free(bytes);
            keyed_run_play(&run, 1);
            keyed_run_play(&again, 1);
            assert_true(lgkt_learner_hash(lgkt_keyed_learner(keyed)) ==
                        lgkt_learner_hash(lgkt_keyed_learner(again.keyed)));
        }
        lgkt_keyed_destroy(keyed);
        lgkt_keyed_destroy(again.keyed);
    }
}

// what the learner within would say if it had been told
static void test_reasons(void **state)
{
    static const char *const inner[] = {"random", "lg1t", "auto", "plugin", "ucrl2", "psrl"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        char spec[MOST_SPEC];
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run any = {NULL, *state, 4, 0.05, 0}, plain = any;
        wrap(inner[i], &config, &any.learner, spec);
        config.problem.horizon = FIRST;
        plain.learner = learner_run_make(inner[i], &config);
        int64_t told = FIRST;
        for (int t = 0; t < STEPS; t++) {
            if (t == told / 2)
                assert_int_equal(lgkt_learner_set_horizon(plain.learner, told *= 2), LGKT_OK);
            const uint64_t hash = lgkt_learner_hash(any.learner);
            lgkt_reason a[LEARNER_RUN_ACTIONS], b[LEARNER_RUN_ACTIONS];
            lgkt_error error = {0};
            assert_ok(
                lgkt_learner_explain(any.learner, any.state, NULL, a, sizeof(lgkt_reason), &error),
                error);
            assert_ok(lgkt_learner_explain(plain.learner, any.state, NULL, b, sizeof(lgkt_reason),
                                           &error),
                      error);
            for (int k = 0; k < LEARNER_RUN_ACTIONS; k++) {
                const double one = a[k].probability, two = b[k].probability;
                if (memcmp(&one, &two, sizeof one) != 0 && !(isnan(one) && isnan(two)))
                    fail_msg("%s at step %d: %g and %g", inner[i], t, one, two);
            }
            assert_true(lgkt_learner_hash(any.learner) == hash);
            learner_run_play(&any, 1, NULL);
            learner_run_play(&plain, 1, NULL);
        }
        lgkt_learner_destroy(any.learner);
        lgkt_learner_destroy(plain.learner);
    }
}

static void test_refusals(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_create("anytime:of=(nobody)", &config, &learner, &error),
                   LGKT_ERR_UNKNOWN_NAME, error, "nobody");
    assert_refused(lgkt_learner_create("anytime:first=0", &config, &learner, &error), LGKT_ERR_SPEC,
                   error, "first");
    // who cannot be fed can be told, but stays unfed
    learner = learner_run_make("anytime:of=(mdp-oomd)", &config);
    assert_int_equal(lgkt_learner_feed(learner, 0, 0, 1, 1, false), LGKT_ERR_UNSUPPORTED);
    assert_non_null(strstr(lgkt_learner_message(learner), "the learner that it tells cannot"));
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_is_extended_by_doubling),
        cmocka_unit_test(test_saved_and_loaded_at_every_point),
        cmocka_unit_test(test_acts_without_memory_change_nothing),
        cmocka_unit_test(test_within_others),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
