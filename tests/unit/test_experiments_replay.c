// SPDX-License-Identifier: MIT
// labels: threads
// Replay and simulation on threads: the same whatever their count, the first failure is the one that
// is told, and a stop ends them. That rows are used as they should be is tested with Python.

#include "test.h"

#include "experiments/runner/replay.h"
#include "experiments/runner/simulate.h"

enum { STATES = 3, ACTIONS = 2, ROWS = 600, RUNS = 12, STARTS = 20, LEARNERS = 2, DRAWS = 8 };

typedef struct made_up {
    int32_t starts[STARTS], state[ROWS], action[ROWS], next[ROWS];
    double reward[ROWS], law[ROWS * ACTIONS];
} made_up;

static made_up make_up(void)
{
    made_up log;
    lgkt_rng rng = lgkt_rng_stream(4, "log", 0);
    for (int i = 0; i < STARTS; i++)
        log.starts[i] = lgkt_rng_below(&rng, STATES);
    for (int i = 0; i < ROWS; i++) {
        const double p = 0.1 + 0.8 * lgkt_rng_uniform(&rng);
        log.state[i] = lgkt_rng_below(&rng, STATES);
        log.action[i] = lgkt_rng_bernoulli(&rng, p);
        log.next[i] = lgkt_rng_below(&rng, STATES + 1) - 1;
        log.reward[i] = lgkt_rng_uniform(&rng);
        log.law[2 * i] = 1 - p;
        log.law[2 * i + 1] = p;
    }
    return log;
}

static exp_replay replay_of(const made_up *log, const char *spec, bool rejects, int32_t jobs)
{
    const lgkt_learner_config standard = lgkt_learner_config_default();
    exp_replay replay = {.states = STATES,
                         .actions = ACTIONS,
                         .starts = log->starts,
                         .start_count = STARTS,
                         .state = log->state,
                         .action = log->action,
                         .next = log->next,
                         .reward = log->reward,
                         .count = ROWS,
                         .law = rejects ? log->law : NULL,
                         .by_row = rejects,
                         .spec = spec,
                         .problem = standard.problem,
                         .runs = RUNS,
                         .seed = 3,
                         .jobs = jobs};
    replay.problem.horizon = 200;
    return replay;
}

static void test_replay_does_not_depend_on_threads(void **state)
{
    (void)state;
    const made_up log = make_up();
    static const int64_t times[] = {1, 20, 500};
    for (int rejects = 0; rejects < 2; rejects++) {
        exp_replayed one[RUNS], many[RUNS];
        double sums[2][RUNS * 3];
        lgkt_error error = {0};
        for (int i = 0; i < 2; i++) {
            exp_replay replay = replay_of(&log, "auto", rejects, i == 0 ? 1 : 4);
            replay.checkpoints = times;
            replay.checkpoint_count = 3;
            assert_ok(exp_replay_run(&replay, i == 0 ? one : many, sums[i], &error), error);
        }
        int64_t steps = 0;
        for (int r = 0; r < RUNS; r++) {
            assert_int_equal(one[r].steps, many[r].steps);
            assert_int_equal(one[r].used, many[r].used);
            assert_int_equal(one[r].stopped, many[r].stopped);
            assert_true(one[r].reward == many[r].reward);
            assert_true(rejects ? one[r].used > one[r].steps : one[r].used == one[r].steps);
            assert_true(isnan(sums[0][3 * r + 2]));
            steps += one[r].steps;
        }
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_true(steps > 20 * RUNS);
    }
}

static void test_replay_fails_once(void **state)
{
    (void)state;
    const made_up log = make_up();
    exp_replayed runs[RUNS];
    lgkt_error error = {0};
    exp_replay replay = replay_of(&log, "mdp-oomd", true, 4);
    assert_refused(exp_replay_run(&replay, runs, NULL, &error), LGKT_ERR_UNSUPPORTED, error,
                   "mdp-oomd");
    replay = replay_of(&log, "optimal", false, 4);
    assert_int_equal(exp_replay_run(&replay, runs, NULL, &error), LGKT_ERR_CONFIG);
    replay = replay_of(&log, "auto", false, 0);
    assert_refused(exp_replay_run(&replay, runs, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "jobs: 0 is not in 1 .. 1024");
}

// A stop that is there from the start: nothing is played.
static void test_stops(void **state)
{
    (void)state;
    const made_up log = make_up();
    const atomic_bool stop = true;
    exp_replayed runs[RUNS];
    lgkt_error error = {0};
    exp_replay replay = replay_of(&log, "auto", false, 2);
    replay.stop = &stop;
    assert_ok(exp_replay_run(&replay, runs, NULL, &error), error);
    for (int r = 0; r < RUNS; r++)
        assert_int_equal(runs[r].steps, 0);
}

static void test_simulation_does_not_depend_on_threads(void **state)
{
    (void)state;
    static const int64_t begin[] = {0, 1, 3, 4, 4, 6, 6};
    static const int32_t next[] = {1, 0, 2, 2, 0, 1};
    static const double counts[] = {4, 9, 2, 5, 1, 6};
    static const double rewards[] = {4, 11, 5, 0, 7, 0, 1, 5, 2.5, 0, 3, 0, 1, 4, 2, 0, 2, 0};
    static const double start[] = {1, 0, 0};
    static const exp_entry entries[] = {{.label = "a", .spec = "auto"},
                                        {.label = "b", .spec = "ucb"}};
    const exp_belief belief = {.states = STATES,
                               .actions = ACTIONS,
                               .begin = begin,
                               .next = next,
                               .counts = counts,
                               .rewards = rewards,
                               .start = start,
                               .reward_max = 1,
                               .unseen = 1};
    for (int32_t units = 1; units <= 4; units += 3) {
        const exp_simulation simulation = {.belief = &belief,
                                           .entries = entries,
                                           .entry_count = LEARNERS,
                                           .horizon = 40,
                                           .draws = DRAWS,
                                           .units = units,
                                           .seed = 5};
        double earned[2][LEARNERS * DRAWS];
        lgkt_error error = {0};
        for (int i = 0; i < 2; i++) {
            const exp_runner how = {.jobs = i == 0 ? 1 : 4};
            assert_ok(exp_simulate(&simulation, &how, earned[i], &error), error);
        }
        assert_memory_equal(earned[0], earned[1], sizeof earned[0]);
        for (int i = 0; i < LEARNERS * DRAWS; i++)
            assert_between(earned[0][i], 0, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_does_not_depend_on_threads),
        cmocka_unit_test(test_replay_fails_once),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_simulation_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
