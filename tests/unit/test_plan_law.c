// SPDX-License-Identifier: MIT
// Policies that draw by a law: against the chain that a law makes of a model, put together by hand,
// against plain recursions, and against the kinds that are special cases.
#include <string.h>

#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

enum { MOST = 6 };

static lgkt_policy *drawn(const lgkt_mdp *mdp, int64_t horizon, const double *law)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_law(mdp, horizon, law, NULL, &policy, &error), error);
    return policy;
}

// some actions have no chance
static void random_law(lgkt_rng *rng, int32_t states, int32_t actions, double *law)
{
    for (int32_t s = 0; s < states; s++) {
        double *const row = law + s * actions, sum = 0;
        const int32_t sure = lgkt_rng_below(rng, actions);
        for (int32_t a = 0; a < actions; a++) {
            row[a] = a == sure || lgkt_rng_uniform(rng) < .6 ? .1 + lgkt_rng_uniform(rng) : 0;
            sum += row[a];
        }
        for (int32_t a = 0; a < actions; a++)
            row[a] /= sum;
    }
}

// the model with one action that a law makes of another
static lgkt_mdp *mixed(const lgkt_mdp *mdp, const double *law)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    double kernel[MOST * MOST] = {0}, rewards[MOST] = {0};
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            rewards[s] += law[s * actions + a] * lgkt_mdp_reward(mdp, s, a);
            for (int32_t y = 0; y < states; y++)
                kernel[s * states + y] += law[s * actions + a] * naive_p(mdp, s, a, y);
        }
    return model_dense(states, 1, rewards, kernel);
}

static void a_law_is_the_chain_that_it_makes(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        lgkt_rng rng = lgkt_rng_stream(71, "law", i);
        const int32_t states = 2 + lgkt_rng_below(&rng, MOST - 1), actions = 3;
        const int64_t horizon = 1 + lgkt_rng_below(&rng, 200);
        lgkt_mdp *mdp = model_random(&rng, states, actions, .3);
        double law[MOST * 3], v[MOST], w[MOST], bias[MOST], other[MOST];
        random_law(&rng, states, actions, law);
        lgkt_mdp *chain = mixed(mdp, law);
        lgkt_policy *policy = drawn(mdp, horizon, law), *only = NULL;
        lgkt_error error = {0};
        assert_ok(lgkt_policy_uniform(chain, horizon, NULL, &only, &error), error);

        // so many steps, by the plain recursion
        assert_ok(lgkt_policy_value(policy, NULL, v, &error), error);
        naive_policy_value(only, chain, w);
        for (int32_t s = 0; s < states; s++)
            assert_close(v[s], w[s], 1e-11 * fmax(1, fabs(w[s])));

        // discounted: x = r + G P x, to its end
        const double discount = .9;
        long double x[MOST] = {0}, next[MOST];
        for (int t = 0; t < 500; t++) {
            for (int32_t s = 0; s < states; s++) {
                next[s] = lgkt_mdp_reward(chain, s, 0);
                for (int32_t y = 0; y < states; y++)
                    next[s] += (long double)discount * naive_p(chain, s, 0, y) * x[y];
            }
            memcpy(x, next, sizeof x);
        }
        assert_ok(lgkt_policy_discounted(policy, discount, NULL, v, &error), error);
        for (int32_t s = 0; s < states; s++)
            assert_close(v[s], (double)x[s], 1e-12 * fmax(1, fabs((double)x[s])));

        // the long run: gain, the equation of the bias, shares, times
        assert_ok(lgkt_policy_average(policy, NULL, v, bias, &error), error);
        for (int32_t s = 0; s < states; s++) {
            double right = lgkt_mdp_reward(chain, s, 0);
            for (int32_t y = 0; y < states; y++)
                right += naive_p(chain, s, 0, y) * bias[y];
            assert_close(v[s], naive_policy_gain(only, chain), 1e-11);
            assert_close(v[s] + bias[s], right, 1e-11 * fmax(1, fabs(right)));
        }
        assert_ok(lgkt_policy_stationary(policy, NULL, NULL, v, &error), error);
        assert_ok(lgkt_policy_stationary(only, NULL, NULL, w, &error), error);
        assert_ok(lgkt_policy_passage(policy, 0, NULL, bias, &error), error);
        assert_ok(lgkt_policy_passage(only, 0, NULL, other, &error), error);
        for (int32_t s = 0; s < states; s++) {
            assert_close(v[s], w[s], 1e-12);
            assert_close(bias[s], other[s], 1e-11 * other[s]);
        }
        lgkt_policy_destroy(policy);
        lgkt_policy_destroy(only);
        lgkt_mdp_destroy(chain);
        lgkt_mdp_destroy(mdp);
    }
}

static int add_rewards(void *ctx, int64_t t, const double *law)
{
    (void)t;
    double *const at = ctx;
    for (int32_t s = 0; s < 4; s++)
        at[0] += law[s] * at[1 + s];
    return 0;
}

static void laws_of_states_earn_what_values_say(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(72, "law", 0);
    lgkt_mdp *mdp = model_random(&rng, 4, 3, .3);
    double law[12], v[4], p[3], at[5] = {0}, start[4] = {0, 0, 1, 0};
    random_law(&rng, 4, 3, law);
    lgkt_policy *policy = drawn(mdp, 40, law);
    lgkt_error error = {0};
    for (int32_t s = 0; s < 4; s++) {
        int32_t count = 0;
        for (int32_t a = 0; a < 3; a++) {
            at[1 + s] += law[3 * s + a] * lgkt_mdp_reward(mdp, s, a);
            count += law[3 * s + a] > 0;
        }
        uint8_t member[3];
        assert_int_equal(lgkt_policy_actions(policy, 7, s, member), count);
        assert_int_equal(lgkt_policy_probabilities(policy, 7, s, p), count);
        for (int32_t a = 0; a < 3; a++) {
            assert_close(p[a], law[3 * s + a], 0);
            assert_int_equal(member[a], law[3 * s + a] > 0);
        }
    }
    assert_ok(lgkt_policy_forward(policy, start, NULL, add_rewards, at, &error), error);
    assert_ok(lgkt_policy_value(policy, NULL, v, &error), error);
    assert_close(at[0], v[2], 1e-12 * fabs(v[2]));
    assert_int_equal(lgkt_policy_probabilities(policy, 41, 0, p), 0);
    assert_close(p[0] + p[1] + p[2], 0, 0);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// bit for bit: a sure action is the fixed policy, halves are the uniform one
static void special_laws_are_the_other_kinds(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(73, "law", 0);
    lgkt_mdp *mdp = model_random(&rng, 5, 2, .3);
    const int32_t actions[5] = {0, 1, 1, 0, 1};
    double sure[10] = {0}, half[10], v[5], w[5];
    for (int32_t s = 0; s < 5; s++)
        sure[2 * s + actions[s]] = 1;
    for (int i = 0; i < 10; i++)
        half[i] = .5;
    lgkt_error error = {0};
    lgkt_policy *fixed = NULL, *uniform = NULL;
    assert_ok(lgkt_policy_fixed(mdp, 30, actions, NULL, &fixed, &error), error);
    assert_ok(lgkt_policy_uniform(mdp, 30, NULL, &uniform, &error), error);
    lgkt_policy *const pairs[2][2] = {{drawn(mdp, 30, sure), fixed},
                                      {drawn(mdp, 30, half), uniform}};
    for (int i = 0; i < 2; i++) {
        assert_ok(lgkt_policy_value(pairs[i][0], NULL, v, &error), error);
        assert_ok(lgkt_policy_value(pairs[i][1], NULL, w, &error), error);
        assert_memory_equal(v, w, sizeof v);
        assert_ok(lgkt_policy_discounted(pairs[i][0], .5, NULL, v, &error), error);
        assert_ok(lgkt_policy_discounted(pairs[i][1], .5, NULL, w, &error), error);
        assert_memory_equal(v, w, sizeof v);
        lgkt_policy_destroy(pairs[i][0]);
        lgkt_policy_destroy(pairs[i][1]);
    }
    lgkt_mdp_destroy(mdp);
}

// two states that nothing leads from, and one that falls into them with the chances of its law
static void gains_differ_from_state_to_state(void **state)
{
    (void)state;
    lgkt_mdp_builder *const b = model_begin(3, 2);
    for (int32_t a = 0; a < 2; a++) {
        model_edge(b, 0, a, 0, 1);
        model_edge(b, 1, a, 1, 1);
        model_edge(b, 2, a, a, 1);
        model_reward(b, 1, a, 8);
    }
    lgkt_mdp *mdp = model_finish(b);
    const double law[6] = {.5, .5, 1, 0, .75, .25};
    lgkt_policy *policy = drawn(mdp, 1, law);
    double gain[3], bias[3], one;
    lgkt_error error = {0};
    assert_ok(lgkt_policy_average(policy, NULL, gain, bias, &error), error);
    assert_close(gain[0], 0, 0);
    assert_close(gain[1], 8, 0);
    assert_close(gain[2], 2, 1e-15);
    assert_refused(lgkt_policy_gain(policy, 1e-9, NULL, &one, NULL, &error),
                   LGKT_ERR_NO_CONVERGENCE, error, "it is 0 to 8");
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

static lgkt_status use_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    double law[12], v[4], w[4];
    lgkt_rng rng = lgkt_rng_stream(74, "law", 0);
    random_law(&rng, 4, 3, law);
    lgkt_policy *policy = NULL;
    lgkt_status status = lgkt_policy_law(ctx, 9, law, allocator, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_policy_value(policy, allocator, v, error);
    if (status == LGKT_OK)
        status = lgkt_policy_average(policy, allocator, v, w, error);
    if (status == LGKT_OK)
        status = lgkt_policy_gain(policy, 1e-9, allocator, v, w, error);
    if (status == LGKT_OK)
        status = lgkt_policy_discounted(policy, .9, allocator, v, error);
    lgkt_policy_destroy(policy);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(74, "law", 1);
    lgkt_mdp *mdp = model_random(&rng, 4, 3, .3);
    assert_true(fault_sweep(use_all, mdp) > 30);
    lgkt_mdp_destroy(mdp);
}

static void what_is_no_law_is_refused(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    double v[2];
    const struct {
        double law[4];
        lgkt_status status;
        const char *words;
    } cases[] = {
        {{.5, .5, -.5, 1.5}, LGKT_ERR_PROBABILITY, "probability -0.5 of action 0 in state 1"},
        {{.5, NAN, .5, .5}, LGKT_ERR_PROBABILITY, "probability nan of action 1 in state 0"},
        {{INFINITY, 0, 1, 0}, LGKT_ERR_PROBABILITY, "probability inf"},
        {{.5, .5, .5, .4}, LGKT_ERR_PROBABILITY, "state 1 sum to 0.9"},
        {{0, 0, 1, 0}, LGKT_ERR_PROBABILITY, "state 0 sum to 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(lgkt_policy_law(mdp, 5, cases[i].law, NULL, &policy, &error),
                       cases[i].status, error, cases[i].words);
    assert_refused(lgkt_policy_law(mdp, 5, NULL, NULL, &policy, &error), LGKT_ERR_ARGUMENT, error,
                   "law is NULL");
    assert_refused(lgkt_policy_law(mdp, 0, cases[0].law, NULL, &policy, &error), LGKT_ERR_ARGUMENT,
                   error, "horizon is 0");
    assert_null(policy);
    const uint8_t mask[4] = {1, 0, 1, 1};
    lgkt_mdp *less = model_restrict(mdp, mask, false);
    const double forbidden[4] = {.5, .5, .5, .5}, good[4] = {1, 0, .5, .5};
    assert_refused(lgkt_policy_law(less, 5, forbidden, NULL, &policy, &error), LGKT_ERR_ARGUMENT,
                   error, "action 1 is forbidden in state 0");
    policy = drawn(less, 5, good);
    assert_refused(lgkt_policy_discounted(policy, 1, NULL, v, &error), LGKT_ERR_ARGUMENT, error,
                   "discount 1");
    assert_refused(lgkt_policy_average(policy, NULL, v, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "bias is NULL");
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(less);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_is_the_chain_that_it_makes),
        cmocka_unit_test(laws_of_states_earn_what_values_say),
        cmocka_unit_test(special_laws_are_the_other_kinds),
        cmocka_unit_test(gains_differ_from_state_to_state),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_is_no_law_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
