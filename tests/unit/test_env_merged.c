// SPDX-License-Identifier: MIT
// Merged environments against what is inside: the same steps with fewer states to be seen, what a
// learner is told and what it is not, and scores by the hidden model.
#include "test.h"

#include "env/env_private.h"
#include "ref/env_run.h"
#include "ref/models.h"
#include "ref/panel_run.h"

static const char *const INNER[] = {
    "synthetic",
    "synthetic:noise=drifting,states=30",
    "synthetic:frozen=1",
    "riverswim",
    "riverswim:variant=sl,start=original,reward-on=edge",
    "frozenlake:map=SFS/FHG",
    "gap",
    "deepsea:size=4,windy=1,sd=1",
    "scaled:by=100,shift=-50,of=chain",
};
enum { INNER_COUNT = sizeof INNER / sizeof *INNER };

static lgkt_env *make(const char *spec)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = 6;
    config.instance = 2;
    return env_run_make(spec, &config);
}

static lgkt_env *make_merged(const char *inner, int32_t shown)
{
    char spec[160];
    snprintf(spec, sizeof spec, "merged:states=%d,of=(%s)", (int)shown, inner);
    return make(spec);
}

// ---- steps ----

static void test_steps_are_those_inside(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    for (int i = 0; i < INNER_COUNT; i++) {
        lgkt_env *env = make(INNER[i]);
        const lgkt_problem problem = lgkt_env_problem(env, 1);
        const int32_t shown[] = {1, 2, problem.states / 2, problem.states};
        for (int m = 0; m < 4; m++) {
            lgkt_env *merged = make_merged(INNER[i], shown[m]);
            lgkt_trajectory *run = env_run_start(env, STEPS, 4);
            lgkt_trajectory *other = env_run_start(merged, STEPS, 4);
            size_t size = 9;
            assert_null(lgkt_trajectory_observation(other, &size));
            assert_int_equal(size, 0);
            for (int t = 0; t < STEPS; t++) {
                assert_int_equal(lgkt_trajectory_state(other),
                                 lgkt_trajectory_state(run) % shown[m]);
                const int32_t action = (t * t + t / 7) % problem.actions;
                const lgkt_step a = env_run_play(run, action), b = env_run_play(other, action);
                assert_true(b.state == a.state % shown[m] && b.ended == a.ended);
                assert_true(b.reward == a.reward && b.mean_reward == a.mean_reward);
            }
            lgkt_trajectory_destroy(run);
            lgkt_trajectory_destroy(other);
            lgkt_env_destroy(merged);
        }
        lgkt_env_destroy(env);
    }
}

// ---- what is known of it ----

static void test_the_model_is_hidden(void **state)
{
    (void)state;
    for (int i = 0; i < INNER_COUNT; i++) {
        lgkt_env *env = make(INNER[i]), *merged = make_merged(INNER[i], 2);
        const lgkt_problem inner = lgkt_env_problem(env, 9), problem = lgkt_env_problem(merged, 9);
        assert_int_equal(problem.states, 2);
        assert_int_equal(problem.actions, inner.actions);
        assert_int_equal(problem.horizon, 9);
        assert_null(problem.model);
        assert_null(lgkt_env_model(merged));
        assert_null(lgkt_env_hidden_model(env));
        assert_true(lgkt_mdp_hash(lgkt_env_hidden_model(merged)) == lgkt_mdp_hash(inner.model));
        assert_true(problem.reward_min == inner.reward_min);
        assert_true(problem.reward_max == inner.reward_max);
        assert_between(problem.reward_sd, inner.reward_sd,
                       hypot(inner.reward_sd, (inner.reward_max - inner.reward_min) / 2) + 1e-12);
        assert_non_null(strstr(lgkt_env_note(merged), "2 states shown of "));
        assert_non_null(strstr(lgkt_env_note(merged), lgkt_env_note(env)));

        // no oracle, not even for the shown states
        lgkt_learner_config config = lgkt_learner_config_default();
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        config.problem = problem;
        assert_refused(lgkt_learner_create("optimal", &config, &learner, &error), LGKT_ERR_CONFIG,
                       error, "this problem has none");
        lgkt_env_destroy(env);
        lgkt_env_destroy(merged);
    }
}

// R(s,a) of the example is 1, 0 in state 0 and 0, 2 in state 1
static void test_the_scale_has_the_hidden_means(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double sd;
    } CASES[] = {
        {"merged:states=2,of=model", 0},
        {"merged:states=1,of=model", 1},
        {"merged:of=model", 1}, // half of two
        {"merged:states=1,of=(scaled:by=3,of=model)", 3},
        {"merged:of=(linear-gap:sd=0.5)", 2.0615528128088303}, // (-5, .) and (-1, .): 0.25 + 4
    };
    lgkt_mdp *model = model_example();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        lgkt_env_config config = lgkt_env_config_default();
        config.data = env_run_data(CASES[i].spec, model, NULL, 0);
        lgkt_env *env = env_run_make(CASES[i].spec, &config);
        assert_close(lgkt_env_problem(env, 1).reward_sd, CASES[i].sd, 1e-15);
        lgkt_env_destroy(env);
    }
    lgkt_mdp_destroy(model);
}

static void test_half_of_the_states_by_default(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int32_t shown;
    } CASES[] = {{"merged", 3}, {"merged:of=(riverswim:states=8)", 4}, {"merged:of=sixarms", 4}};
    for (int i = 0; i < 3; i++) {
        lgkt_env *env = make(CASES[i].spec);
        assert_int_equal(lgkt_env_problem(env, 1).states, CASES[i].shown);
        lgkt_env_destroy(env);
    }
}

// ---- scores ----

static void run_both(const char *spec, run_result *result)
{
    static const char *const learners[] = {"random"};
    run_setup setup = {.world.spec = spec,
                       .learners = learners,
                       .learner_count = 1,
                       .horizon = 500,
                       .replicates = 3,
                       .seed = 8,
                       .jobs = 1};
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, result, &error), error);
}

// the optimum and uniform play are those of the hidden process, and a random player does not mind
static void test_scores_are_those_inside(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"riverswim:states=8", "merged:states=3,of=(riverswim:states=8)"},
        {"deepsea:size=4", "merged:states=2,of=(deepsea:size=4)"},
    };
    for (int i = 0; i < 2; i++) {
        run_result inner = {0}, merged = {0};
        run_both(pairs[i][0], &inner);
        run_both(pairs[i][1], &merged);
        for (int r = 0; r < 3; r++) {
            assert_true(isfinite(merged.optimum[r]) && merged.optimum[r] == inner.optimum[r]);
            assert_true(merged.random[r] == inner.random[r]);
            assert_true(merged.reward[r] == inner.reward[r]);
        }
        run_result_free(&inner);
        run_result_free(&merged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_those_inside),
        cmocka_unit_test(test_the_model_is_hidden),
        cmocka_unit_test(test_the_scale_has_the_hidden_means),
        cmocka_unit_test(test_half_of_the_states_by_default),
        cmocka_unit_test(test_scores_are_those_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
