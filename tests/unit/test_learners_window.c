// SPDX-License-Identifier: MIT
// labels: slow
// A learner that forgets, against two plain learners that are made and dropped by hand.

#include "test.h"

#include <stdlib.h>

#include "learners/front/learner_private.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/resumed_run.h"

enum { STEPS = 60, WINDOW = 9, MOST_SPEC = 160 };

static lgkt_learner *wrap(const char *inner, const lgkt_learner_config *config, int64_t steps,
                          char spec[MOST_SPEC])
{
    snprintf(spec, MOST_SPEC, "window:of=(%s),steps=%lld", inner, (long long)steps);
    return learner_run_make(spec, config);
}

// the first spec of every name that may be within; false beyond the last
static bool next_name(int32_t *i, const lgkt_learner_config *config, char spec[LEARNER_RUN_SPEC])
{
    static const lgkt_entry *last;
    if (*i == 0)
        last = NULL;
    for (; learner_run_spec(*i, spec); ++*i) {
        if (learner_run_entry(spec) == last)
            continue;
        last = learner_run_entry(spec);
        lgkt_learner *learner = learner_run_make(spec, config);
        const bool serves = learner_run_can_serve(learner);
        lgkt_learner_destroy(learner);
        if (serves)
            return true;
    }
    return false;
}

// ---- what it is ----

// Two learners, each with a clock of its own, on one stream of random numbers; whoever reads this
// sees the whole algorithm. Only the stream is lent by hand.
typedef struct by_hand {
    lgkt_learner *elder, *younger;
} by_hand;

static int32_t play_by_hand(by_hand *both, learner_run *run, lgkt_rng *stream, int64_t t,
                            const char *inner, const lgkt_learner_config *config)
{
    int32_t action;
    both->elder->rng = *stream;
    both->elder->next_state = -1; // it may have watched so far
    assert_int_equal(lgkt_learner_act(both->elder, run->state, NULL, &action), LGKT_OK);
    const int32_t state = run->state;
    // the noise of the step is that of the run's clock
    learner_run at = *run;
    const lgkt_step step = learner_run_outcome(&at, action);
    assert_int_equal(lgkt_learner_observe(both->elder, step.reward, step.state, step.ended),
                     LGKT_OK);
    *stream = both->elder->rng;
    if (both->younger != NULL) {
        both->younger->rng = *stream;
        both->younger->t++;
        both->younger->state = state;
        both->younger->action = action;
        assert_int_equal(both->younger->feed(both->younger, step.reward, step.state, step.ended),
                         LGKT_OK);
    }
    run->state = step.state;
    if ((t + 1) % WINDOW != 0)
        return action;
    if (both->younger != NULL) {
        lgkt_learner_destroy(both->elder);
        both->elder = both->younger;
        lgkt_learner_begin(both->elder);
    }
    both->younger = learner_run_make(inner, config);
    return action;
}

static void test_every_name_is_two_learners(void **state)
{
    char spec[LEARNER_RUN_SPEC], outer[MOST_SPEC];
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    lgkt_learner_config told = config;
    told.problem.horizon = 2 * WINDOW;
    for (int32_t i = 0; next_name(&i, &told, spec); i++) {
        learner_run run = {wrap(spec, &config, WINDOW, outer), *state, 4, 0.05, 0}, other = run;
        lgkt_rng stream = run.learner->rng;
        by_hand both = {learner_run_make(spec, &told), NULL};
        for (int t = 0; t < STEPS; t++) {
            int32_t action;
            // with the clock of the run, before it moves on
            const int32_t hand = play_by_hand(&both, &other, &stream, t, spec, &told);
            learner_run_play(&run, 1, &action);
            if (action != hand)
                fail_msg("%s at step %d: %d, by hand %d", outer, t, action, hand);
        }
        assert_int_equal(learner_run_counter(run.learner, "turns"), STEPS / WINDOW);
        lgkt_learner_destroy(both.elder);
        lgkt_learner_destroy(both.younger);
        lgkt_learner_destroy(run.learner);
    }
}

// a window that holds the whole run is the learner within
static void test_long_windows_are_the_learner(void **state)
{
    char spec[LEARNER_RUN_SPEC], outer[MOST_SPEC];
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (int32_t i = 0; next_name(&i, &config, spec); i++) {
        learner_run run = {wrap(spec, &config, STEPS, outer), *state, 4, 0.05, 0};
        learner_run plain = {learner_run_make(spec, &config), *state, 4, 0.05, 0};
        int32_t one[STEPS], two[STEPS];
        learner_run_play(&run, STEPS, one);
        learner_run_play(&plain, STEPS, two);
        if (memcmp(one, two, sizeof one) != 0)
            fail_msg("%s: other actions", outer);
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(plain.learner);
    }
}

// After 2W steps nothing is left of what came before: whatever that was, all acts are the same.
static void test_what_is_old_is_forgotten(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 6 * WINDOW);
    static const char *const inner[] = {"lg1t:ties=high", "plugin", "ucb", "ucrl2", "auto"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        char spec[MOST_SPEC];
        lgkt_learner *a = wrap(inner[i], &config, WINDOW, spec);
        lgkt_learner *b = learner_run_make(spec, &config);
        for (int t = 0; t < 6 * WINDOW; t++) {
            int32_t x, y;
            assert_int_equal(lgkt_learner_act(a, t % 3, NULL, &x), LGKT_OK);
            assert_int_equal(lgkt_learner_act(b, t % 3, NULL, &y), LGKT_OK);
            // they are shown two worlds, then one; what is drawn of chance is made the same
            const bool apart = t < 3 * WINDOW;
            assert_true(t < 5 * WINDOW || x == y);
            if (!apart && x != y)
                a->action = y; // the old world is still played from, but not learned
            const double reward = apart ? 0.1 * (x - y) + (t % 2) : 0.3 * y;
            assert_int_equal(lgkt_learner_observe(a, reward, (t + 1) % 3, false), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(b, apart ? -reward : reward, (t + 1) % 3, false),
                             LGKT_OK);
            b->rng = a->rng;
        }
        lgkt_learner_destroy(a);
        lgkt_learner_destroy(b);
    }
}

// ---- promises ----

static const char *const kinds[] = {"auto",
                                    "lg2t",
                                    "lgkt:k=3,sampler-scope=per-pair",
                                    "plugin",
                                    "ucrl2",
                                    "psrl",
                                    "lg1t-rl:cutoff=12,rl=ucb",
                                    "anytime:of=lg2t,first=4",
                                    "window:of=lg1t,steps=4"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void test_saved_and_loaded_at_every_point(void **state)
{
    for (int i = 0; i < KINDS; i++) {
        char spec[MOST_SPEC];
        snprintf(spec, sizeof spec, "window:of=(%s),steps=%d", kinds[i], WINDOW);
        resumed_run_check(spec, *state, STEPS);
    }
}

// also across turns; lgkt_learner_bytes is all there is
static void test_no_step_takes_memory(void **state)
{
    char inner[LEARNER_RUN_SPEC], spec[MOST_SPEC];
    fault memory;
    lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (int32_t i = 0; next_name(&i, &config, inner); i++) {
        fault_init(&memory);
        config.allocator = fault_allocator(&memory);
        learner_run run = {wrap(inner, &config, WINDOW, spec), *state, 4, 0.05, 0};
        assert_int_equal(lgkt_learner_bytes(run.learner), atomic_load(&memory.bytes));
        const long long calls = atomic_load(&memory.calls);
        learner_run_play(&run, STEPS, NULL);
        if (strncmp(inner, "anytime", 7) != 0 && atomic_load(&memory.calls) != calls)
            fail_msg("%s takes memory", spec);
        assert_int_equal(lgkt_learner_bytes(run.learner), atomic_load(&memory.bytes));
        lgkt_learner_destroy(run.learner);
        assert_true(fault_is_clean(&memory));
        config.allocator = (lgkt_allocator){NULL, NULL, NULL};
    }
}

// an act that the learner within has no memory for changes nothing, at a turn neither
static void test_acts_without_memory_change_nothing(void **state)
{
    static const char *const specs[] = {
        "window:of=(lgkt:k=3,sampler-scope=per-pair,coin=paper,p=0),steps=9",
        "window:of=(anytime:of=auto,first=2),steps=9"};
    for (int i = 0; i < 2; i++) {
        fault memory;
        fault_init(&memory);
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run plain = {learner_run_make(specs[i], &config), *state, 4, 0.05, 0};
        config.allocator = fault_allocator(&memory);
        learner_run run = {learner_run_make(specs[i], &config), *state, 4, 0.05, 0};
        int refusals = 0;
        for (int t = 0; t < STEPS; t++) {
            const uint64_t hash = lgkt_learner_hash(run.learner);
            int32_t action;
            fault_fail_at(&memory, 1, true);
            lgkt_status status = lgkt_learner_act(run.learner, run.state, NULL, &action);
            fault_fail_at(&memory, 0, false);
            if (status != LGKT_OK) {
                refusals++;
                assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                assert_true(lgkt_learner_hash(run.learner) == hash);
                status = lgkt_learner_act(run.learner, run.state, NULL, &action);
            }
            assert_int_equal(status, LGKT_OK);
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
            learner_run_play(&plain, 1, NULL);
            assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(plain.learner));
            assert_int_equal(lgkt_learner_bytes(run.learner), atomic_load(&memory.bytes));
        }
        assert_true(refusals > 10);
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(plain.learner);
        assert_true(fault_is_clean(&memory));
    }
}

// Where states come up one by one a turn takes memory, and takes it before the step: without it the
// observe is refused, nothing has changed, and it can be tried again.
static void test_keys(void **state)
{
    (void)state;
    static const char *const specs[] = {"window:of=lg2t,steps=7", "window:of=auto,steps=7",
                                        "window:of=(lgkt:k=3,sampler-scope=per-pair),steps=7"};
    for (int i = 0; i < 3; i++) {
        fault memory;
        fault_init(&memory);
        lgkt_learner_config config = keyed_run_config(STEPS);
        lgkt_keyed *plain = keyed_run_make(specs[i], &config, KEYED_RUN_STATES);
        keyed_run whole = keyed_run_start(plain, KEYED_RUN_STATES, 5), run = whole;
        config.allocator = fault_allocator(&memory);
        run.keyed = keyed_run_make(specs[i], &config, KEYED_RUN_STATES);
        int refusals = 0;
        for (int half = 0; half < 2 * STEPS; half++) {
            const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(run.keyed));
            const int32_t states = lgkt_keyed_states(run.keyed);
            lgkt_status status = LGKT_ERR_NO_MEMORY;
            for (long long k = 1; status != LGKT_OK; k++) {
                fault_fail_at(&memory, k, k % 2 == 0);
                status = keyed_run_half(&run);
                fault_fail_at(&memory, 0, false);
                if (status == LGKT_OK)
                    break;
                refusals++;
                assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                assert_true(lgkt_learner_hash(lgkt_keyed_learner(run.keyed)) == hash ||
                            lgkt_keyed_states(run.keyed) > states);
            }
            keyed_run_play(&whole, 1);
            assert_true(lgkt_learner_hash(lgkt_keyed_learner(run.keyed)) ==
                        lgkt_learner_hash(lgkt_keyed_learner(plain)));
            size_t size;
            unsigned char *bytes = keyed_run_save(whole.keyed, &size);
            lgkt_keyed *loaded = keyed_run_load(bytes, size, &config);
            assert_true(lgkt_learner_hash(lgkt_keyed_learner(loaded)) ==
                        lgkt_learner_hash(lgkt_keyed_learner(plain)));
            lgkt_keyed_destroy(loaded);
            free(bytes);
        }
        assert_true(refusals > 20);
        lgkt_keyed_destroy(run.keyed);
        lgkt_keyed_destroy(plain);
        assert_true(fault_is_clean(&memory));
    }
}

// as a partner it is fed only, as a sampler it is asked now and then, across many turns at once
static void test_within_others(void **state)
{
    static const char *const specs[] = {
        "lg1t-rl:cutoff=40,rl=(window:of=lg2t,steps=3)",
        "lgkt:k=3,sampler=(window:of=auto,steps=2)",
        "lgkt:k=3,sampler=(window:of=ucb,steps=1),sampler-scope=per-pair",
        "anytime:of=(window:of=lg2t,steps=5),first=3",
        "window:of=(window:of=auto,steps=5),steps=7"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        resumed_run_check(specs[i], *state, STEPS);
}

static void test_refusals(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_create("window:of=(mdp-oomd)", &config, &learner, &error),
                   LGKT_ERR_SPEC, error, "learner \"mdp-oomd\" cannot serve \"window\"");
    assert_refused(lgkt_learner_create("window:steps=0", &config, &learner, &error), LGKT_ERR_SPEC,
                   error, "steps");
    learner = learner_run_make("window", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "steps=1000"));
    lgkt_learner_destroy(learner);
    lgkt_learner_config larger = lgkt_learner_config_default();
    larger.problem = (lgkt_problem){.states = 10, .actions = 5, .horizon = 20};
    learner = learner_run_make("window:of=random", &larger);
    assert_non_null(strstr(lgkt_learner_spec(learner), "steps=2000"));
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_is_two_learners),
        cmocka_unit_test(test_long_windows_are_the_learner),
        cmocka_unit_test(test_what_is_old_is_forgotten),
        cmocka_unit_test(test_saved_and_loaded_at_every_point),
        cmocka_unit_test(test_no_step_takes_memory),
        cmocka_unit_test(test_acts_without_memory_change_nothing),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_within_others),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
