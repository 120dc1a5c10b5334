// SPDX-License-Identifier: MIT
// Many units in an experiment: one of them is the plain run, schedules earn what single runs do,
// and reports are late as often as was said.
#include "test.h"

#include "ref/panel_run.h"

// A learner and what its units are.
typedef struct player {
    exp_world world;
    exp_entry entry;
    exp_units units;
    int64_t horizon;
    uint64_t seed;
} player;

static lgkt_status try_units(const player *p, int64_t instance, exp_run *run, lgkt_error *error)
{
    const exp_asked asked = {.seed = p->seed};
    const exp_panel panel = {.horizon = p->horizon, .units = p->units};
    const exp_setup setup = {.asked = &asked, .panel = &panel, .worlds = {p->world}};
    return exp_run_open(run, &setup, &p->entry, NULL, instance, NULL, error);
}

static exp_run open_units(const player *p, int64_t instance)
{
    exp_run run;
    lgkt_error error = {0};
    assert_ok(try_units(p, instance, &run, &error), error);
    return run;
}

// the rewards of one more step
static lgkt_step step_of(exp_run *run)
{
    double sums[EXP_SUMS] = {0};
    lgkt_error error = {0};
    assert_ok(exp_play(run, 1, NULL, 0, sums, &error), error);
    return (lgkt_step){.reward = sums[EXP_OBSERVED], .mean_reward = sums[EXP_EXPECTED]};
}

static void test_one_unit_is_the_plain_run(void **state)
{
    (void)state;
    static const char *const specs[] = {"lg1t", "lg2t",  "auto",
                                        "psrl", "ucrl2", "fixed:actions=1/0"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const player one = {.world.spec = "riverswim:states=5",
                            .entry = {.spec = specs[i], .alone = i % 2 == 0},
                            .units = {.count = 1, .patience = 10},
                            .horizon = 300,
                            .seed = 3};
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        exp_run game;
        assert_ok(exp_env_create(&one.world, 3, 4, &env, &error), error);
        assert_ok(run_open(&game, specs[i], 300, 3, env, 4, &error), error);
        exp_run crowd = open_units(&one, 4);
        for (int t = 0; t < 300; t++) {
            const lgkt_step plain = step_of(&game), step = step_of(&crowd);
            assert_true(step.reward == plain.reward && step.mean_reward == plain.mean_reward);
        }
        exp_run_close(&crowd);
        exp_run_close(&game);
        lgkt_env_destroy(env);
    }
}

// whatever is late or missing, a schedule does the same, and each unit is where it would be alone
static void test_schedules_do_not_wait_for_reports(void **state)
{
    (void)state;
    enum { UNITS = 5, ROUNDS = 40 };
    static const int32_t schedule[] = {3, 1, 0, 2};
    player late = {
        .world.spec = "programme:spread=0.5",
        .entry.spec = "fixed:actions=3/1/0/2",
        .units =
            {.count = UNITS, .late = 3, .missing = 0.3, .patience = 4, .told = 30, .extended = 20},
        .horizon = UNITS * ROUNDS,
        .seed = 9};
    exp_run shared = open_units(&late, 2);
    late.entry.alone = true;
    exp_run each = open_units(&late, 2);
    lgkt_env *envs[UNITS] = {0};
    lgkt_trajectory *runs[UNITS] = {0};
    lgkt_error error = {0};
    for (int u = 0; u < UNITS; u++) {
        assert_ok(exp_env_create(&late.world, 9, 2 * UNITS + u, &envs[u], &error), error);
        assert_ok(lgkt_trajectory_create(envs[u], ROUNDS, 9, 2 * UNITS + (uint64_t)u, NULL,
                                         &runs[u], &error),
                  error);
    }
    for (int t = 0; t < UNITS * ROUNDS; t++) {
        const lgkt_step a = step_of(&shared), b = step_of(&each);
        lgkt_step plain = {0};
        assert_int_equal(lgkt_trajectory_step(runs[t % UNITS], schedule[t / UNITS % 4], &plain),
                         LGKT_OK);
        assert_true(a.reward == plain.reward && b.reward == plain.reward);
        assert_int_equal(lgkt_trajectory_state(shared.crowd->units[t % UNITS].trajectory),
                         plain.state);
    }
    for (int u = 0; u < UNITS; u++) {
        lgkt_trajectory_destroy(runs[u]);
        lgkt_env_destroy(envs[u]);
    }
    exp_run_close(&shared);
    exp_run_close(&each);
}

// What a learner has seen in the end: of n decisions a share 1 - missing, less those that were
// later than the patience or are still to come. With late = 1 half of the delays are 0, a quarter
// 1, ..: within 3 rounds 15/16. Binomial, n = 6000: 5 standard deviations, wrong with probability
// 6e-7.
static void test_reports_are_late_and_missing_as_said(void **state)
{
    (void)state;
    enum { UNITS = 30, ROUNDS = 200, N = UNITS * ROUNDS };
    const player units = {.world.spec = "riverswim",
                          .entry.spec = "ucb",
                          .units = {.count = UNITS, .late = 1, .missing = 0.2, .patience = 3},
                          .horizon = N,
                          .seed = 1};
    exp_run crowd = open_units(&units, 0);
    lgkt_error error = {0};
    for (int t = 0; t < N; t++)
        step_of(&crowd);
    const lgkt_learner *learner = crowd.learner;
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
    exp_run_close(&crowd);
}

static void test_what_units_cannot_have_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *env, *spec;
        lgkt_status status;
        const char *text;
    } cases[] = {
        {"trading", "lg1t", LGKT_ERR_UNSUPPORTED, "whose states are numbers"},
        {"frozenlake:return=tile", "lg1t", LGKT_ERR_UNSUPPORTED, "shows where it goes on"},
        {"riverswim", "mdp-oomd", LGKT_ERR_UNSUPPORTED, "mdp-oomd"},
        {"riverswim", "fixed:actions=0/7", LGKT_ERR_SPEC, "entry 2 must be an action in 0 .. 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const player two = {.world.spec = cases[i].env,
                            .entry.spec = cases[i].spec,
                            .units = {.count = 2, .patience = 3},
                            .horizon = 20};
        exp_run run;
        lgkt_error error = {0};
        assert_refused(try_units(&two, 0, &run, &error), cases[i].status, error, cases[i].text);
        exp_run_close(&run);
    }
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
