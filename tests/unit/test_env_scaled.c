// SPDX-License-Identifier: MIT
// Scaled environments against what is inside: the same steps in other units, and a model, a
// problem and a file that follow.
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "lgkt/io.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"

static const char *const INNER[] = {
    "synthetic",  "synthetic:noise=drifting,states=30", "synthetic:frozen=1",  "riverswim",
    "frozenlake", "riverswim:noise=drifting",           "linear-gap",          "gap",
    "trading",    "frozenlake:return-step=1",           "trading:frame-hi=40",
};
enum { INNER_COUNT = sizeof INNER / sizeof *INNER };

// times 100, minus 50
static const double BY = 100, SHIFT = -50;

static double scale(double reward)
{
    return BY * reward + SHIFT;
}

static lgkt_env *make_inner(const char *spec)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = 6;
    config.instance = 2;
    return env_run_make(spec, &config);
}

static lgkt_env *make_scaled(const char *inner)
{
    char spec[160];
    snprintf(spec, sizeof spec, "scaled:by=100,shift=-50,of=(%s)", inner);
    return make_inner(spec);
}

// ---- steps ----

static void check_observation(const lgkt_trajectory *run, const lgkt_trajectory *other)
{
    size_t size, other_size;
    const void *seen = lgkt_trajectory_observation(run, &size);
    const void *other_seen = lgkt_trajectory_observation(other, &other_size);
    assert_int_equal(size, other_size);
    if (size > 0)
        assert_memory_equal(seen, other_seen, size);
}

static void test_steps_are_those_inside(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    for (int i = 0; i < INNER_COUNT; i++) {
        lgkt_env *env = make_inner(INNER[i]), *scaled = make_scaled(INNER[i]);
        const int32_t actions = lgkt_env_problem(env, 1).actions;
        lgkt_trajectory *run = env_run_start(env, STEPS, 4);
        lgkt_trajectory *other = env_run_start(scaled, STEPS, 4);
        assert_int_equal(lgkt_trajectory_state(run), lgkt_trajectory_state(other));
        for (int t = 0; t < STEPS; t++) {
            const int32_t action = (t * t + t / 7) % actions;
            check_observation(run, other);
            const lgkt_step a = env_run_play(run, action), b = env_run_play(other, action);
            assert_true(b.state == a.state && b.ended == a.ended);
            assert_true(b.reward == scale(a.reward));
            assert_true(b.mean_reward == scale(a.mean_reward));
        }
        lgkt_trajectory_destroy(run);
        lgkt_trajectory_destroy(other);
        lgkt_env_destroy(env);
        lgkt_env_destroy(scaled);
    }
}

// ---- what is known of it ----

static void check_model(const lgkt_mdp *inner, const lgkt_mdp *model)
{
    const int32_t states = lgkt_mdp_states(inner), actions = lgkt_mdp_actions(inner);
    for (int32_t s = 0; s < states; s++) {
        assert_close(lgkt_mdp_start_law(model)[s], lgkt_mdp_start_law(inner)[s], 1e-15);
        for (int32_t a = 0; a < actions; a++) {
            const lgkt_row row = lgkt_mdp_row(inner, s, a), same = lgkt_mdp_row(model, s, a);
            assert_true(lgkt_mdp_reward(model, s, a) == scale(lgkt_mdp_reward(inner, s, a)));
            assert_int_equal(row.n, same.n);
            for (int32_t y = 0; y < row.n; y++) {
                assert_int_equal(row.next[y], same.next[y]);
                assert_close(row.p[y], same.p[y], 1e-15);
            }
        }
    }
    const bool exact = lgkt_mdp_noise_sd(inner) == 0;
    assert_int_equal(lgkt_mdp_noise(model), exact ? LGKT_NOISE_NONE : LGKT_NOISE_NORMAL);
}

static void test_problem_and_model_follow(void **state)
{
    (void)state;
    for (int i = 0; i < INNER_COUNT; i++) {
        lgkt_env *env = make_inner(INNER[i]), *scaled = make_scaled(INNER[i]);
        const lgkt_problem inner = lgkt_env_problem(env, 9), problem = lgkt_env_problem(scaled, 9);
        assert_int_equal(problem.states, inner.states);
        assert_int_equal(problem.actions, inner.actions);
        assert_int_equal(problem.horizon, 9);
        assert_close(problem.reward_min, scale(inner.reward_min), 1e-12);
        assert_close(problem.reward_max, scale(inner.reward_max), 1e-12);
        assert_close(problem.reward_sd, BY * inner.reward_sd, 1e-12);
        assert_int_equal(problem.model == NULL, inner.model == NULL);
        if (inner.model != NULL)
            check_model(inner.model, problem.model);
        assert_non_null(strstr(lgkt_env_note(scaled), "rewards times 100 plus -50: "));
        assert_non_null(strstr(lgkt_env_note(scaled), lgkt_env_note(env)));
        lgkt_env_destroy(env);
        lgkt_env_destroy(scaled);
    }
}

// the defaults change nothing
static void test_by_default_nothing_is_scaled(void **state)
{
    (void)state;
    lgkt_env *env = make_inner("riverswim"), *scaled = make_inner("scaled");
    lgkt_trajectory *run = env_run_start(env, 100, 4), *other = env_run_start(scaled, 100, 4);
    for (int t = 0; t < 100; t++) {
        const lgkt_step a = env_run_play(run, t % 2), b = env_run_play(other, t % 2);
        assert_true(a.state == b.state && a.reward == b.reward && a.mean_reward == b.mean_reward);
    }
    lgkt_trajectory_destroy(run);
    lgkt_trajectory_destroy(other);
    lgkt_env_destroy(env);
    lgkt_env_destroy(scaled);
}

// ---- learners ----

// how many of the steps had the same action; after the first other one the runs part
static int same_actions(const char *inner, const char *spec, int steps)
{
    lgkt_env *envs[] = {make_inner(inner), make_scaled(inner)};
    lgkt_learner *learners[2];
    lgkt_trajectory *runs[2];
    int same = 0;
    bool together = true;
    for (int i = 0; i < 2; i++) {
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem = lgkt_env_problem(envs[i], steps);
        learners[i] = learner_run_make(spec, &config);
        runs[i] = env_run_start(envs[i], steps, 4);
    }
    for (int t = 0; t < steps && together; t++) {
        int32_t actions[2];
        for (int i = 0; i < 2; i++) {
            const int32_t at = lgkt_trajectory_state(runs[i]);
            assert_int_equal(lgkt_learner_act(learners[i], at, NULL, &actions[i]), LGKT_OK);
            const lgkt_step step = env_run_play(runs[i], actions[i]);
            assert_int_equal(lgkt_learner_observe(learners[i], step.reward, step.state, step.ended),
                             LGKT_OK);
        }
        together = actions[0] == actions[1];
        same += together;
    }
    for (int i = 0; i < 2; i++) {
        lgkt_trajectory_destroy(runs[i]);
        lgkt_learner_destroy(learners[i]);
        lgkt_env_destroy(envs[i]);
    }
    return same;
}

static void test_learners_without_a_scale_do_not_notice(void **state)
{
    (void)state;
    static const char *const specs[] = {"random", "optimal", "kstep:k=3", "auto"};
    static const char *const worlds[] = {"synthetic", "riverswim:states=8", "frozenlake"};
    for (int l = 0; l < 4; l++)
        for (int w = 0; w < 3; w++)
            assert_int_equal(same_actions(worlds[w], specs[l], 5000), 5000);
    // whoever has a threshold in units of the reward does notice
    assert_true(same_actions("synthetic", "lg1t", 5000) < 5000);
}

// ---- files ----

// the file of what is inside is read, too
static void test_files_within(void **state)
{
    (void)state;
    char path[64] = "/tmp/lgkt-scaled-XXXXXX", spec[160];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fputs("Close\n", out);
    for (int i = 0; i < 30; i++)
        fprintf(out, "%d\n", 100 + i % 5);
    fclose(out);
    snprintf(spec, sizeof spec, "scaled:by=2,of=(trading:window=2,frame-lo=2,frame-hi=20,file=%s)",
             path);
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_io_env_create(spec, NULL, &env, &error), error);
    assert_non_null(strstr(lgkt_env_note(env), "prices as given"));
    assert_close(lgkt_env_problem(env, 1).reward_max, 2 * 40000, 1e-9);
    lgkt_env_destroy(env);
    unlink(path);
    assert_refused(lgkt_io_env_create(spec, NULL, &env, &error), LGKT_ERR_NO_FILE, error,
                   "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_those_inside),
        cmocka_unit_test(test_problem_and_model_follow),
        cmocka_unit_test(test_by_default_nothing_is_scaled),
        cmocka_unit_test(test_learners_without_a_scale_do_not_notice),
        cmocka_unit_test(test_files_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
