// SPDX-License-Identifier: MIT
// Many units in an experiment: one of them is the plain run, schedules earn what single runs do,
// and reports are late as often as was said.
#include "test.h"

#include "experiments/runner/crowd.h"
#include "experiments/runner/play.h"

typedef struct world_of {
    exp_world world;
    uint64_t seed;
} world_of;

static lgkt_status make(const void *ctx, int64_t number, lgkt_env **env, lgkt_error *error)
{
    const world_of *w = ctx;
    return exp_env_create(&w->world, w->seed, number, env, error);
}

static exp_crowd *open_crowd(const exp_units *units, const char *spec, bool alone, int64_t horizon,
                             uint64_t instance, const world_of *w)
{
    exp_crowd_plan plan = {.units = units,
                           .spec = spec,
                           .alone = alone,
                           .horizon = horizon,
                           .config = lgkt_learner_config_default(),
                           .make = make,
                           .ctx = w};
    plan.config.seed = w->seed;
    plan.config.instance = instance;
    exp_crowd *crowd = NULL;
    lgkt_error error = {0};
    assert_ok(exp_crowd_open(&crowd, &plan, &error), error);
    return crowd;
}

static void test_one_unit_is_the_plain_run(void **state)
{
    (void)state;
    static const char *const specs[] = {"lg1t", "lg2t",  "auto",
                                        "psrl", "ucrl2", "fixed:actions=1/0"};
    const exp_units one = {.count = 1, .patience = 10};
    const world_of w = {.world.spec = "riverswim:states=5", .seed = 3};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_ok(make(&w, 4, &env, &error), error);
        exp_run game = {0};
        assert_ok(exp_run_open(&game, env, specs[i], 300, w.seed, 4, NULL, false, &error), error);
        exp_crowd *crowd = open_crowd(&one, specs[i], i % 2 == 0, 300, 4, &w);
        for (int t = 0; t < 300; t++) {
            exp_tally plain = {0};
            lgkt_step step = {0};
            assert_ok(exp_play(&game, 1, &plain, &error), error);
            assert_ok(exp_crowd_step(crowd, &step, &error), error);
            assert_true(step.reward == plain.observed && step.mean_reward == plain.expected);
        }
        exp_crowd_close(crowd);
        exp_run_close(&game);
        lgkt_env_destroy(env);
    }
}

// whatever is late or missing, a schedule does the same, and each unit is where it would be alone
static void test_schedules_do_not_wait_for_reports(void **state)
{
    (void)state;
    enum { UNITS = 5, ROUNDS = 40 };
    const exp_units late = {
        .count = UNITS, .late = 3, .missing = 0.3, .patience = 4, .told = 30, .extended = 20};
    const world_of w = {.world.spec = "programme:spread=0.5", .seed = 9};
    static const int32_t schedule[] = {3, 1, 0, 2};
    exp_crowd *shared = open_crowd(&late, "fixed:actions=3/1/0/2", false, UNITS * ROUNDS, 2, &w);
    exp_crowd *each = open_crowd(&late, "fixed:actions=3/1/0/2", true, UNITS * ROUNDS, 2, &w);
    lgkt_env *envs[UNITS] = {0};
    lgkt_trajectory *runs[UNITS] = {0};
    lgkt_error error = {0};
    for (int u = 0; u < UNITS; u++) {
        assert_ok(make(&w, 2 * UNITS + u, &envs[u], &error), error);
        assert_ok(lgkt_trajectory_create(envs[u], ROUNDS, w.seed, 2 * UNITS + (uint64_t)u, NULL,
                                         &runs[u], &error),
                  error);
    }
    for (int t = 0; t < UNITS * ROUNDS; t++) {
        lgkt_step a = {0}, b = {0}, plain = {0};
        assert_ok(exp_crowd_step(shared, &a, &error), error);
        assert_ok(exp_crowd_step(each, &b, &error), error);
        assert_int_equal(lgkt_trajectory_step(runs[t % UNITS], schedule[t / UNITS % 4], &plain),
                         LGKT_OK);
        assert_true(a.reward == plain.reward && b.reward == plain.reward);
        assert_int_equal(exp_crowd_state(shared, t % UNITS), plain.state);
    }
    for (int u = 0; u < UNITS; u++) {
        lgkt_trajectory_destroy(runs[u]);
        lgkt_env_destroy(envs[u]);
    }
    exp_crowd_close(shared);
    exp_crowd_close(each);
}

// What a learner has seen in the end: of n decisions a share 1 - missing, less those that were
// later than the patience or are still to come. With late = 1 half of the delays are 0, a quarter
// 1, ..: within 3 rounds 15/16. Binomial, n = 6000: 5 standard deviations, wrong with probability
// 6e-7.
static void test_reports_are_late_and_missing_as_said(void **state)
{
    (void)state;
    enum { UNITS = 30, ROUNDS = 200, N = UNITS * ROUNDS };
    const exp_units units = {.count = UNITS, .late = 1, .missing = 0.2, .patience = 3};
    const world_of w = {.world.spec = "riverswim", .seed = 1};
    exp_crowd *crowd = open_crowd(&units, "ucb", false, N, 0, &w);
    lgkt_error error = {0};
    for (int t = 0; t < N; t++) {
        lgkt_step step = {0};
        assert_ok(exp_crowd_step(crowd, &step, &error), error);
    }
    const lgkt_learner *learner = exp_crowd_learner(crowd);
    const lgkt_problem problem = lgkt_learner_problem(learner);
    lgkt_reason reasons[64];
    double seen = 0;
    assert_true(problem.states * problem.actions <= 64);
    assert_ok(lgkt_learner_explain_all(learner, reasons, sizeof(lgkt_reason), &error), error);
    for (int z = 0; z < problem.states * problem.actions; z++)
        seen += reasons[z].visits > 0 ? reasons[z].visits : 0;
    const double share = 0.8 * (1 - 1.0 / 8), sd = sqrt(N * share * (1 - share));
    // a delay of d rounds is in time if d <= 2 or 3, by who reports first in a round
    assert_between(seen, N * share - 5 * sd - 2 * UNITS, N * 0.8 * (1 - 1.0 / 16) + 5 * sd);
    exp_crowd_close(crowd);
}

static void test_what_units_cannot_have_is_refused(void **state)
{
    (void)state;
    const exp_units units = {.count = 2, .patience = 3};
    exp_crowd_plan plan = {.units = &units,
                           .spec = "lg1t",
                           .horizon = 20,
                           .config = lgkt_learner_config_default(),
                           .make = make};
    exp_crowd *crowd = NULL;
    lgkt_error error = {0};
    plan.ctx = &(world_of){.world.spec = "trading"};
    assert_refused(exp_crowd_open(&crowd, &plan, &error), LGKT_ERR_UNSUPPORTED, error,
                   "whose states are numbers");
    plan.ctx = &(world_of){.world.spec = "riverswim"};
    plan.spec = "mdp-oomd";
    assert_refused(exp_crowd_open(&crowd, &plan, &error), LGKT_ERR_UNSUPPORTED, error, "mdp-oomd");
    plan.spec = "fixed:actions=0/7";
    assert_refused(exp_crowd_open(&crowd, &plan, &error), LGKT_ERR_SPEC, error,
                   "entry 2 must be an action in 0 .. 1");
    assert_null(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_unit_is_the_plain_run),
        cmocka_unit_test(test_schedules_do_not_wait_for_reports),
        cmocka_unit_test(test_reports_are_late_and_missing_as_said),
        cmocka_unit_test(test_what_units_cannot_have_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
