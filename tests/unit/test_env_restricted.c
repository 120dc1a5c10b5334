// SPDX-License-Identifier: MIT
// Environments that forbid actions: what they say, what a step refuses, and that they are played as
// the model in which each forbidden pair is a copy of one that is allowed.
#include "test.h"

#include <stdlib.h>

#include "env/env_private.h"
#include "experiments/studies/studies.h"
#include "ref/env_run.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "ref/panel_run.h"

enum { STATES = 8, ACTIONS = 3, PAIRS = STATES * ACTIONS };

// A model of 8 states whose mask is the same in states that are 4 apart, with one kind of noise;
// restricted and with copies.
typedef struct twins {
    uint8_t mask[PAIRS];
    lgkt_mdp *restricted, *copied;
} twins;

static twins make(uint64_t i, lgkt_noise noise)
{
    twins t;
    lgkt_error error = {0};
    lgkt_rng rng = lgkt_rng_stream(71, "restricted", i);
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *full = NULL;
    assert_ok(lgkt_mdp_builder_create(STATES, ACTIONS, NULL, &builder, &error), error);
    for (int32_t s = 0; s < STATES; s++)
        for (int32_t a = 0; a < ACTIONS; a++) {
            const double p = lgkt_rng_uniform(&rng);
            for (int32_t y = 0; y < STATES; y++)
                lgkt_mdp_builder_edge(builder, s, a, y,
                                      (y == (s + a) % STATES ? p : 0) + (1 - p) / STATES);
            lgkt_mdp_builder_reward(builder, s, a, lgkt_rng_uniform(&rng));
        }
    lgkt_mdp_builder_noise(builder, noise, 0.3);
    assert_ok(lgkt_mdp_builder_build(builder, &full, &error), error);
    lgkt_mdp_builder_destroy(builder);
    model_random_mask(&rng, STATES / 2, ACTIONS, 0.5, t.mask);
    t.mask[0] = 0; // at least one is forbidden
    t.mask[1] = 1;
    memcpy(t.mask + PAIRS / 2, t.mask, PAIRS / 2);
    t.restricted = model_restrict(full, t.mask, false);
    t.copied = model_restrict(full, t.mask, true);
    lgkt_mdp_destroy(full);
    return t;
}

static void discard(const twins *t)
{
    lgkt_mdp_destroy(t->restricted);
    lgkt_mdp_destroy(t->copied);
}

static lgkt_env *env_of(const char *spec, const lgkt_mdp *model)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = model};
    return env_run_make(spec, &config);
}

static size_t saved(const lgkt_trajectory *run, unsigned char *bytes)
{
    size_t size = 0;
    assert_int_equal(lgkt_trajectory_save(run, bytes, 4096, &size, NULL), LGKT_OK);
    return size;
}

static void test_runs_are_those_of_the_copies(void **state)
{
    (void)state;
    enum { STEPS = 2000 };
    static const char *const SPECS[] = {"model", "scaled:by=3,shift=1,of=model",
                                        "merged:states=4,of=model",
                                        "merged:states=4,of=(scaled:by=2,of=model)"};
    for (int i = 0; i < 16; i++) {
        const twins t = make((uint64_t)i, (lgkt_noise)(i / 4));
        lgkt_env *env = env_of(SPECS[i % 4], t.restricted);
        lgkt_env *plain = env_of(SPECS[i % 4], t.copied);
        assert_true(lgkt_env_hash(env) != lgkt_env_hash(plain));
        const lgkt_problem problem = lgkt_env_problem(env, STEPS);
        assert_true(problem.masked && !lgkt_env_problem(plain, STEPS).masked);
        assert_null(lgkt_env_allowed(plain, 0));
        for (int32_t s = 0; s < problem.states; s++)
            assert_memory_equal(lgkt_env_allowed(env, s), t.mask + s * ACTIONS, ACTIONS);
        assert_null(lgkt_env_allowed(env, problem.states));
        assert_null(lgkt_env_allowed(env, -1));
        assert_null(lgkt_env_allowed(NULL, 0));
        lgkt_trajectory *run = env_run_start(env, STEPS, 3),
                        *other = env_run_start(plain, STEPS, 3);
        int refused = 0;
        for (int step = 0; step < STEPS; step++) {
            const int32_t s = lgkt_trajectory_state(run);
            int32_t action = (step * step + step / 7) % ACTIONS;
            const uint8_t *allowed = lgkt_env_allowed(env, s);
            while (!allowed[action]) {
                unsigned char before[4096], after[4096];
                const size_t size = saved(run, before);
                lgkt_step none;
                assert_int_equal(lgkt_trajectory_step(run, action, &none), LGKT_ERR_ARGUMENT);
                assert_non_null(strstr(lgkt_trajectory_message(run), "is forbidden in state"));
                assert_int_equal(saved(run, after), size);
                assert_memory_equal(before, after, size);
                action = (action + 1) % ACTIONS;
                refused++;
            }
            const lgkt_step a = env_run_play(run, action), b = env_run_play(other, action);
            assert_true(a.state == b.state && a.reward == b.reward &&
                        a.mean_reward == b.mean_reward && a.ended == b.ended);
        }
        assert_true(refused > 20);
        lgkt_step none;
        assert_int_equal(lgkt_trajectory_step(run, 1, &none), LGKT_ERR_HORIZON);
        lgkt_trajectory_destroy(run);
        run = env_run_start(env, 5, 3);
        assert_int_equal(lgkt_trajectory_step(run, ACTIONS, &none), LGKT_ERR_ARGUMENT);
        assert_non_null(strstr(lgkt_trajectory_message(run), "must be in 0..2"));
        assert_int_equal(lgkt_trajectory_step(run, -1, &none), LGKT_ERR_ARGUMENT);
        lgkt_trajectory_destroy(run);
        lgkt_trajectory_destroy(other);
        lgkt_env_destroy(env);
        lgkt_env_destroy(plain);
        discard(&t);
    }
}

static void test_what_looks_alike_must_allow_the_same(void **state)
{
    (void)state;
    const twins t = make(99, LGKT_NOISE_NONE);
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = t.restricted};
    assert_refused(lgkt_env_create("merged:states=3,of=model", &config, &env, &error),
                   LGKT_ERR_UNSUPPORTED, error, "look alike but allow other actions");
    assert_ok(lgkt_env_create("merged:states=8,of=model", &config, &env, &error), error);
    lgkt_env_destroy(env);
    discard(&t);
}

// No action that is forbidden is played, or a run would fail; what learners are held against is
// exact.
static void test_experiments_play_what_is_allowed(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    const twins t = make(7, LGKT_NOISE_NORMAL);
    const char *const learners[] = {"random"};
    const int64_t times[] = {10, STEPS};
    run_setup setup = {
        .world = {.spec = "model", .data.given = {.kind = LGKT_DATA_MODEL, .model = t.restricted}},
        .learners = learners,
        .learner_count = 1,
        .horizon = STEPS,
        .replicates = 20,
        .seed = 5,
        .jobs = 2,
        .measures = exp_usual_measures,
        .measure_count = 2,
        .checkpoints = times,
        .checkpoint_count = 2,
        .regret_k = 2,
        .regret_threshold = 1.1};
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    double value[STATES];
    lgkt_policy *policy = NULL;
    naive_v(t.copied, STEPS, value);
    assert_close(result.optimum[0], value[0] / STEPS, 1e-12);
    assert_ok(lgkt_policy_uniform(t.restricted, STEPS, NULL, &policy, &error), error);
    naive_policy_value(policy, t.restricted, value);
    assert_close(result.random[0], value[0] / STEPS, 1e-12);
    for (int i = 0; i < 20; i++)
        assert_between(result.reward[i], lgkt_mdp_reward_min(t.restricted),
                       lgkt_mdp_reward_max(t.restricted));
    lgkt_policy_destroy(policy);
    run_result_free(&result);

    // the bare environment can be timed
    const exp_timing timing = {.world = setup.world,
                               .learners = (const char *const[]){NULL, "random"},
                               .learner_count = 2,
                               .horizon = STEPS,
                               .repeats = 1};
    double ns[2];
    assert_ok(exp_time(&timing, ns, &error), error);
    assert_true(ns[0] > 0 && ns[1] > 0);
    discard(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_are_those_of_the_copies),
        cmocka_unit_test(test_what_looks_alike_must_allow_the_same),
        cmocka_unit_test(test_experiments_play_what_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
