// SPDX-License-Identifier: MIT
// Long-run averages: closed forms, random models of every kind against all of their policies in
// long double, rare passages, intervals that hold, interruption, memory.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_average.h"
#include "test.h"

// ---- models ----

static lgkt_mdp *build(lgkt_mdp_builder *builder)
{
    lgkt_error error = {0};
    lgkt_mdp *mdp = NULL;
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return mdp;
}

static lgkt_mdp_builder *begin(int32_t states, int32_t actions)
{
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    assert_ok(lgkt_mdp_builder_create(states, actions, NULL, &builder, &error), error);
    return builder;
}

static void edge(lgkt_mdp_builder *builder, int32_t s, int32_t a, int32_t next, double p)
{
    assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, next, p), LGKT_OK);
}

static void reward(lgkt_mdp_builder *builder, int32_t s, int32_t a, double r)
{
    assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, r), LGKT_OK);
}

// arrivals with probability `up`, one server; the reward of a state is its number
static lgkt_mdp *queue(int32_t states, double up, double down)
{
    lgkt_mdp_builder *const b = begin(states, 1);
    for (int32_t s = 0; s < states; s++) {
        const double u = s + 1 < states ? up : 0, d = s > 0 ? down : 0;
        edge(b, s, 0, s + 1 < states ? s + 1 : s, u);
        edge(b, s, 0, s > 0 ? s - 1 : s, d);
        edge(b, s, 0, s, 1 - u - d);
        reward(b, s, 0, s);
    }
    return build(b);
}

// a ring that pays 1 at its end; a second action leads from everywhere to 0, and pays .4 in state
// `bonus`
static lgkt_mdp *ring(int32_t states, int32_t actions, int32_t bonus)
{
    lgkt_mdp_builder *const b = begin(states, actions);
    for (int32_t s = 0; s < states; s++) {
        edge(b, s, 0, (s + 1) % states, 1);
        if (actions > 1)
            edge(b, s, 1, 0, 1);
    }
    reward(b, states - 1, 0, 1);
    if (actions > 1)
        reward(b, bonus, 1, .4);
    return build(b);
}

static lgkt_plan_result average(const lgkt_mdp *mdp, double tolerance, double *gain, double *bias,
                                int32_t *policy)
{
    lgkt_error error = {0};
    lgkt_plan_config config = lgkt_plan_config_default();
    lgkt_plan_result result = {.value = gain, .bias = bias, .policy = policy};
    config.tolerance = tolerance;
    assert_ok(lgkt_plan_average(mdp, &config, &result, &error), error);
    return result;
}

// ---- closed forms ----

static void queues_have_their_gains(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 2000; n = 3 * n + 1) {
        // pi(s) is rho^s: with rho < 1, = 1 and > 1
        for (int i = 0; i < 3; i++) {
            const double up = .3, down = i == 0 ? .4 : i == 1 ? .3 : .2, rho = up / down;
            double *const gain = calloc((size_t)n, sizeof *gain);
            long double sum = 0, mean = 0, power = 1;
            for (int32_t s = 0; s<n; s++, power *= rho> 1 ? 1 / (long double)rho : rho) {
                sum += power;
                mean += power * (rho > 1 ? n - 1 - s : s);
            }
            lgkt_mdp *mdp = queue(n, up, down);
            average(mdp, 1e-12, gain, NULL, NULL);
            const double exact = (double)(mean / sum);
            assert_close(gain[0], exact, 1e-13 * exact);
            lgkt_mdp_destroy(mdp);
            free(gain);
        }
    }
}

static void rings_have_their_gains(void **state)
{
    (void)state;
    double gain[1500], bias[1500];
    for (int32_t n = 2; n <= 1500; n = 2 * n + 1) {
        lgkt_mdp *one = ring(n, 1, 0), *two = ring(n, 2, n / 3);
        lgkt_plan_result result = average(one, 1e-12, gain, bias, NULL);
        assert_close(gain[0], 1.0 / n, 1e-13 / n);
        assert_false(result.differs);
        assert_true(result.below + result.above <= 1e-12);
        average(two, 1e-12, gain, bias, NULL);
        const double best = fmax(1.0 / n, .4 / (n / 3 + 1));
        assert_close(gain[n - 1], best, 1e-13 * best);
        lgkt_mdp_destroy(one);
        lgkt_mdp_destroy(two);
    }
}

static void rivers_have_their_gains(void **state)
{
    (void)state;
    // as in Osband and others (2013): upstream, the far end pays 1 in 3 of 7 steps
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    double gain[1000];
    assert_ok(lgkt_env_create("riverswim:states=1000,variant=osband", NULL, &env, &error), error);
    average(lgkt_env_model(env), 1e-12, gain, NULL, NULL);
    assert_close(gain[0], 3.0 / 7, 1e-13);
    assert_close(gain[999], 3.0 / 7, 1e-13);
    lgkt_env_destroy(env);
}

// two states with leaks of 1e-12 and 3e-12, and of 1e-250 and 3e-250
static void rare_passages_count(void **state)
{
    (void)state;
    const double leaks[] = {1e-3, 1e-12, 1e-15, 3e-200, 1e-250};
    for (int i = 0; i < 5; i++)
        for (int32_t actions = 1; actions <= 2; actions++) {
            lgkt_mdp_builder *const b = begin(2, actions);
            double gain[2];
            for (int32_t a = 0; a < actions; a++) {
                edge(b, 0, a, 1, leaks[i]);
                edge(b, 0, a, 0, 1 - leaks[i]);
                edge(b, 1, a, 0, 3 * leaks[i]);
                edge(b, 1, a, 1, 1 - 3 * leaks[i]);
                reward(b, 0, a, a == 0 ? 1 : .5);
            }
            lgkt_mdp *mdp = build(b);
            const lgkt_plan_result result = average(mdp, 1e-12, gain, NULL, NULL);
            // what is below 1e-16 of its row is no move of a plan
            const double expected = leaks[i] > 1e-16 ? .75 : 1;
            assert_close(gain[0], expected, 1e-15);
            assert_int_equal(result.differs, leaks[i] < 1e-16);
            assert_true(result.below + result.above <= 1e-14);
            lgkt_mdp_destroy(mdp);
        }
}

// ---- random models ----

// a model of any kind: sparse, with states that stay, rings, closed parts, forbidden actions, rare
// moves
static lgkt_mdp *random_model(lgkt_rng *rng)
{
    const int32_t states = 1 + lgkt_rng_below(rng, 5), actions = 1 + lgkt_rng_below(rng, 3);
    const double sparse = 1.6 * lgkt_rng_uniform(rng), rare = lgkt_rng_uniform(rng);
    lgkt_mdp_builder *const b = begin(states, actions);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            double weights[8] = {0}, sum = 0;
            const int32_t sure = lgkt_rng_below(rng, states);
            for (int32_t y = 0; y < states; y++) {
                if (y == sure || lgkt_rng_uniform(rng) > sparse)
                    weights[y] = 1e-3 + lgkt_rng_uniform(rng);
                if (rare < 0.2 && lgkt_rng_uniform(rng) < 0.3)
                    weights[y] *= 1e-7;
                sum += weights[y];
            }
            for (int32_t y = 0; y < states; y++)
                edge(b, s, a, y, weights[y] / sum);
            // few levels, so that there are ties
            reward(b, s, a, rare < 0.5 ? lgkt_rng_below(rng, 4) : 2 * lgkt_rng_uniform(rng) - 1);
            if (a > 0 && lgkt_rng_uniform(rng) < 0.1)
                assert_int_equal(lgkt_mdp_builder_forbid(b, s, a), LGKT_OK);
        }
    return build(b);
}

static void random_models_have_the_gain_of_their_best_policy(void **state)
{
    (void)state;
    int several = 0, wide = 0;
    const uint64_t rounds = test_short() ? 300 : 10000;
    for (uint64_t i = 0; i < rounds; i++) {
        lgkt_rng rng = lgkt_rng_stream(60, "average", i);
        lgkt_mdp *mdp = random_model(&rng);
        long double best[NAIVE_MOST_STATES], own[NAIVE_MOST_STATES];
        double gain[NAIVE_MOST_STATES], bias[NAIVE_MOST_STATES];
        int32_t policy[NAIVE_MOST_STATES];
        const lgkt_plan_result result = average(mdp, 1e-12, gain, bias, policy);
        naive_best_gain(mdp, best);
        naive_gain_of(mdp, policy, own);
        const double scale = fmax(fabs(lgkt_mdp_reward_min(mdp)), fabs(lgkt_mdp_reward_max(mdp)));
        for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
            // the gain, the policy that earns it, and the interval with the rounding of long double
            assert_close(gain[s], (double)best[s], 2e-12 * scale);
            assert_close((double)own[s], (double)best[s], 2e-12 * scale);
            assert_between((double)best[s], gain[s] - result.below - 1e-15 * scale,
                           gain[s] + result.above + 1e-15 * scale);
        }
        several += result.differs;
        wide += !(result.below + result.above <= 1e-12 * scale);
        lgkt_mdp_destroy(mdp);
    }
    print_message("%d with several gains, %d with a wide interval\n", several, wide);
    assert_true(several > (int)rounds / 20);
    assert_true(wide <= (int)rounds / 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_have_their_gains),
        cmocka_unit_test(rings_have_their_gains),
        cmocka_unit_test(rivers_have_their_gains),
        cmocka_unit_test(rare_passages_count),
        cmocka_unit_test(random_models_have_the_gain_of_their_best_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
