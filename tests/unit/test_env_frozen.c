// SPDX-License-Identifier: MIT
// synthetic:frozen=1, the deterministic world of the released code: its steps as they were when they
// were played with frozen numbers on the random model, its model from that of the random one, and its
// optimum by trying everything.
#include "test.h"

#include <string.h>

#include "lgkt/rng.h"
#include "ref/env_run.h"
#include "ref/panel_run.h"

static lgkt_env *make(const char *spec, uint64_t seed, uint64_t instance)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    config.instance = instance;
    return env_run_make(spec, &config);
}

static lgkt_trajectory *start(const lgkt_env *env, int64_t horizon, uint64_t seed,
                              uint64_t instance)
{
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_trajectory_create(env, horizon, seed, instance, NULL, &run, &error), error);
    return run;
}

// ---- steps ----

// The start, a digest of states and rewards, and the sum of these, of 5000 steps with seed 7. They were
// recorded while such a world was a random model whose every step used the same two numbers.
static const struct {
    const char *spec;
    uint64_t instance;
    int32_t start;
    uint64_t digest;
    double sum;
} GOLDEN[] = {
    {"synthetic:frozen=1", 0, 6, UINT64_C(0xc74e17752daba70f), 7062.9365801167914},
    {"synthetic:frozen=1", 1, 8, UINT64_C(0x2002289c16b595af), -3805.7458326479709},
    {"synthetic:frozen=1", 2, 0, UINT64_C(0x8bf57a30ec6d328c), 3031.9604671469765},
    {"synthetic:states=30,actions=4,sd=2,frozen=1", 0, 20, UINT64_C(0x1d69bbe037e23bcb),
     21624.784176824789},
    {"synthetic:states=30,actions=4,sd=2,frozen=1", 1, 24, UINT64_C(0xbf15dd8fdfd8cb06),
     -17134.07320786588},
    {"synthetic:states=30,actions=4,sd=2,frozen=1", 2, 0, UINT64_C(0xda3a7582829ccd92),
     9042.6877412729718},
    {"scaled:by=2,shift=1,of=(synthetic:frozen=1)", 0, 6, UINT64_C(0x19fea34a2f0b9204),
     19125.873160233499},
    {"scaled:by=2,shift=1,of=(synthetic:frozen=1)", 1, 8, UINT64_C(0x9469cd0ff8400ac0),
     -2611.4916652959519},
    {"scaled:by=2,shift=1,of=(synthetic:frozen=1)", 2, 0, UINT64_C(0x231b8d9578e2478c),
     11063.920934294485},
};

static void test_steps_are_those_of_frozen_numbers(void **state)
{
    (void)state;
    enum { STEPS = 5000, SEED = 7 };
    for (size_t i = 0; i < sizeof GOLDEN / sizeof GOLDEN[0]; i++) {
        lgkt_env *env = make(GOLDEN[i].spec, SEED, GOLDEN[i].instance);
        lgkt_trajectory *run = start(env, STEPS, SEED, GOLDEN[i].instance);
        const int32_t actions = lgkt_env_problem(env, STEPS).actions;
        uint64_t digest = UINT64_C(1469598103934665603);
        double sum = 0;
        assert_int_equal(lgkt_trajectory_state(run), GOLDEN[i].start);
        for (int32_t t = 0; t < STEPS; t++) {
            const int32_t action = (t * 7 + t / 11 + lgkt_trajectory_state(run)) % actions;
            const lgkt_step step = env_run_play(run, action);
            uint64_t bits;
            memcpy(&bits, &step.reward, sizeof bits);
            digest = (digest ^ (uint64_t)step.state) * UINT64_C(1099511628211);
            digest = (digest ^ bits) * UINT64_C(1099511628211);
            sum += step.reward;
            assert_true(step.mean_reward == step.reward);
        }
        assert_true(digest == GOLDEN[i].digest);
        assert_true(sum == GOLDEN[i].sum);
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// ---- the model ----

static void test_model_is_the_random_one_at_two_numbers(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        lgkt_env *frozen = make("synthetic:sd=2,frozen=1", 5, i),
                 *free = make("synthetic:sd=2", 5, i);
        const lgkt_mdp *model = lgkt_env_model(frozen), *random = lgkt_env_model(free);
        lgkt_rng rng = lgkt_rng_stream(5, "environment", i);
        lgkt_rng_uniform(&rng);
        const double u = lgkt_rng_uniform(&rng), offset = 2 * lgkt_rng_normal(&rng);
        assert_int_equal(lgkt_mdp_noise(model), LGKT_NOISE_NONE);
        for (int32_t s = 0; s < 10; s++)
            for (int32_t a = 0; a < 5; a++) {
                // the smallest next state whose cumulative probability exceeds u
                const lgkt_row row = lgkt_mdp_row(random, s, a), point = lgkt_mdp_row(model, s, a);
                double below = 0, upto = 0;
                for (int32_t k = 0; k < row.n && row.next[k] <= point.next[0]; k++) {
                    below = upto;
                    upto += row.p[k];
                }
                assert_true(point.n == 1 && point.p[0] == 1);
                assert_true(below <= u && u < upto);
                assert_true(lgkt_mdp_reward(model, s, a) == lgkt_mdp_reward(random, s, a) + offset);
            }
        // the range that is told is that of these rewards, the scale that of the noise one expects
        const lgkt_problem told = lgkt_env_problem(frozen, 1), other = lgkt_env_problem(free, 1);
        assert_true(told.reward_max == other.reward_max + offset);
        assert_true(told.reward_min == other.reward_min + offset);
        assert_true(told.reward_sd == 2);
        lgkt_env_destroy(frozen);
        lgkt_env_destroy(free);
    }
}

// ---- the optimum ----

// The most that any of the A^T sequences of actions earns, each played as a run of its own.
static double best_sequence(const lgkt_env *env, int32_t actions, int64_t horizon,
                            uint64_t instance)
{
    double best = -INFINITY;
    int64_t count = 1;
    for (int64_t t = 0; t < horizon; t++)
        count *= actions;
    for (int64_t sequence = 0; sequence < count; sequence++) {
        lgkt_trajectory *run = start(env, horizon, 1, instance);
        double sum = 0;
        for (int64_t t = 0, left = sequence; t < horizon; t++, left /= actions)
            sum += env_run_play(run, (int32_t)(left % actions)).reward;
        best = fmax(best, sum);
        lgkt_trajectory_destroy(run);
    }
    return best;
}

static void test_optimum_is_the_best_sequence(void **state)
{
    (void)state;
    enum { HORIZON = 7, INSTANCES = 10 };
    static const char spec[] = "synthetic:states=4,actions=3,frozen=1";
    static const char *const learners[] = {"optimal"};
    const run_setup setup = {.world.spec = spec,
                             .learners = learners,
                             .learner_count = 1,
                             .horizon = HORIZON,
                             .replicates = INSTANCES,
                             .seed = 1,
                             .jobs = 1};
    run_result result;
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    for (uint64_t i = 0; i < INSTANCES; i++) {
        lgkt_env *env = make(spec, 1, i);
        const double best = best_sequence(env, 3, HORIZON, i) / HORIZON;
        assert_close(result.optimum[i], best, 1e-13);
        assert_close(result.reward[i], best, 1e-13);
        assert_close(result.observed[i], best, 1e-13);
        lgkt_env_destroy(env);
    }
    run_result_free(&result);
}

static void test_nobody_is_above_the_optimum(void **state)
{
    (void)state;
    enum { INSTANCES = 10 };
    static const char *const learners[] = {"optimal", "kstep:k=3", "lg1t", "lg2t",
                                           "ucrl2",   "psrl",      "auto", "random"};
    enum { COUNT = sizeof learners / sizeof learners[0] };
    const run_setup setup = {.world.spec = "synthetic:frozen=1",
                             .learners = learners,
                             .learner_count = COUNT,
                             .horizon = 3000,
                             .replicates = INSTANCES,
                             .seed = 1,
                             .jobs = 1};
    run_result result;
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    for (int i = 0; i < INSTANCES; i++) {
        assert_close(result.reward[i], result.optimum[i], 1e-12);
        for (int l = 1; l < COUNT; l++)
            assert_true(result.reward[l * INSTANCES + i] <= result.optimum[i] + 1e-12);
    }
    run_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_those_of_frozen_numbers),
        cmocka_unit_test(test_model_is_the_random_one_at_two_numbers),
        cmocka_unit_test(test_optimum_is_the_best_sequence),
        cmocka_unit_test(test_nobody_is_above_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
