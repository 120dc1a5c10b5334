// SPDX-License-Identifier: MIT
// labels: slow
// Plans on models that forbid actions: against all rules tried one by one, plain recursions, and
// the model in which each forbidden pair is a copy of one that is allowed.
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

enum { STATES = 6, ACTIONS = 4, PAIRS = STATES * ACTIONS };

// A random model, restricted and with copies.
typedef struct twins {
    int32_t states, actions;
    uint8_t mask[PAIRS];
    lgkt_mdp *restricted, *copied;
} twins;

static twins make(uint64_t i, int32_t states, int32_t actions)
{
    twins t = {.states = states, .actions = actions};
    lgkt_rng rng = lgkt_rng_stream(61, "restricted", i);
    lgkt_mdp *full = model_random(&rng, states, actions, 0.5);
    model_random_mask(&rng, states, actions, 0.5, t.mask);
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

static lgkt_policy *greedy(const lgkt_mdp *mdp, int64_t k, int64_t horizon, lgkt_ties ties)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_greedy(mdp, k, horizon, ties, NULL, &policy, &error), error);
    return policy;
}

// the values from all states, which a policy of allowed actions alone has
static void value_of(const twins *t, lgkt_policy *policy, double *value)
{
    lgkt_error error = {0};
    uint8_t member[ACTIONS];
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    for (int64_t h = 1; h <= lgkt_policy_horizon(policy); h++)
        for (int32_t s = 0; s < t->states; s++) {
            const int32_t played = lgkt_policy_actions(policy, h, s, member);
            int32_t count = 0;
            for (int32_t a = 0; a < t->actions; a++) {
                assert_true(!member[a] || t->mask[s * t->actions + a]);
                count += member[a];
            }
            assert_true(count > 0 && count == played);
            assert_true(member[lgkt_policy_action(policy, h, s)]);
        }
}

static void the_optimum_is_that_of_all_rules(void **state)
{
    (void)state;
    // states, actions, steps: at most 4096 rules
    const int32_t sizes[][3] = {{2, 2, 5}, {3, 2, 4}, {2, 3, 3}, {2, 4, 3}, {3, 3, 2}};
    for (uint64_t i = 0; i < 25; i++) {
        const int32_t *size = sizes[i % 5];
        const twins t = make(i, size[0], size[1]);
        lgkt_error error = {0};
        lgkt_policy *best = NULL;
        assert_ok(lgkt_policy_optimal(t.restricted, size[2], LGKT_TIES_LOW, NULL, &best, &error),
                  error);
        double value[STATES];
        value_of(&t, best, value);
        for (int32_t s = 0; s < t.states; s++)
            assert_close(value[s], naive_best_rule(t.copied, size[2], s), 1e-12);
        lgkt_policy_destroy(best);
        discard(&t);
    }
}

static void values_are_those_of_the_copies(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        const twins t = make(i, STATES, ACTIONS);
        lgkt_error error = {0};
        double q[PAIRS], wanted[PAIRS], a[STATES], b[STATES], numbers[2][3] = {{0}};
        for (int64_t k = 1; k <= 1000; k *= 10) {
            assert_ok(lgkt_plan_lookahead(t.restricted, k, NULL, q, &error), error);
            assert_ok(lgkt_plan_lookahead(t.copied, k, NULL, wanted, &error), error);
            for (int z = 0; z < PAIRS; z++)
                assert_true(q[z] == (t.mask[z] ? wanted[z] : -INFINITY));
        }
        for (int ties = 0; ties < 2; ties++)
            for (int64_t k = 1; k <= 40; k += 13) {
                lgkt_policy *own = greedy(t.restricted, k, 40, (lgkt_ties)ties);
                lgkt_policy *other = greedy(t.copied, k, 40, (lgkt_ties)ties);
                value_of(&t, own, a);
                assert_ok(lgkt_policy_value(other, NULL, b, &error), error);
                for (int32_t s = 0; s < STATES; s++)
                    assert_close(a[s], b[s], 1e-12 * fabs(b[s]));
                const lgkt_policy *const both[] = {own, other};
                for (int j = 0; j < 2; j++) {
                    assert_ok(lgkt_policy_ratio(both[j], NULL, &numbers[j][0], &error), error);
                    assert_ok(lgkt_plan_gap_bound(both[j], k, NULL, &numbers[j][1], &error), error);
                    assert_ok(lgkt_policy_gain(both[j], 1e-9, NULL, &numbers[j][2], NULL, &error),
                              error);
                }
                for (int n = 0; n < 3; n++)
                    assert_close(numbers[0][n], numbers[1][n], 1e-9 * fmax(1, numbers[1][n]));
                lgkt_policy_destroy(own);
                lgkt_policy_destroy(other);
            }
        assert_ok(lgkt_plan_gain(t.restricted, 1e-10, NULL, &numbers[0][0], a, &error), error);
        assert_ok(lgkt_plan_gain(t.copied, 1e-10, NULL, &numbers[1][0], b, &error), error);
        assert_close(numbers[0][0], numbers[1][0], 1e-9);
        for (int32_t s = 0; s < STATES; s++)
            assert_close(a[s], b[s], 1e-8);
        assert_close(lgkt_mdp_reward_min(t.restricted), lgkt_mdp_reward_min(t.copied), 0);
        assert_close(lgkt_mdp_reward_max(t.restricted), lgkt_mdp_reward_max(t.copied), 0);
        discard(&t);
    }
}

// thresholds that all, some and no actions clear, and those that are no numbers
static void thresholds_look_at_what_is_allowed(void **state)
{
    (void)state;
    static const double GAMMAS[] = {0.5, 2, -1, 100, -INFINITY, INFINITY, NAN};
    for (uint64_t i = 0; i < 6; i++) {
        const twins t = make(100 + i, STATES, ACTIONS);
        for (int g = 0; g < 7; g++) {
            const double gamma = GAMMAS[g];
            const lgkt_threshold threshold = {.constant = gamma};
            const int64_t horizon = 5, k = 1 + (int64_t)(i % 3);
            lgkt_error error = {0};
            lgkt_policy *policy = NULL;
            lgkt_cost *cost = NULL;
            double value[STATES], wanted[STATES], q[PAIRS];
            assert_ok(
                lgkt_policy_threshold(t.restricted, k, horizon, &threshold, NULL, &policy, &error),
                error);
            assert_ok(lgkt_cost_create(t.restricted, k, horizon, &threshold, NULL, &cost, &error),
                      error);
            value_of(&t, policy, value);
            naive_policy_value(policy, t.restricted, wanted);
            naive_q(t.copied, k, q);
            for (int32_t s = 0; s < STATES; s++) {
                uint8_t member[ACTIONS];
                double best = -INFINITY;
                assert_close(value[s], wanted[s], 1e-12 * fabs(wanted[s]));
                lgkt_policy_actions(policy, horizon, s, member);
                for (int32_t a = 0; a < ACTIONS; a++)
                    best = fmax(best, t.mask[s * ACTIONS + a] ? q[s * ACTIONS + a] : -INFINITY);
                for (int32_t a = 0; a < ACTIONS; a++) {
                    const size_t z = (size_t)(s * ACTIONS + a);
                    const bool some = best >= gamma;
                    assert_int_equal(member[a], t.mask[z] && (some ? q[z] >= gamma : q[z] == best));
                    const double c = lgkt_cost_at(cost, 0, s, a);
                    if (!t.mask[z])
                        assert_true(c == INFINITY);
                    else
                        assert_close(c, isnan(gamma) ? INFINITY : fmax(0, gamma - q[z]), 1e-12);
                }
            }
            double total;
            if (g < 4) {
                double law[STATES] = {1};
                assert_ok(lgkt_cost_of_policy(cost, policy, law, NULL, &total, &error), error);
                assert_close(total, naive_path_cost(cost, policy, t.restricted, 0, 0), 1e-10);
                lgkt_gaps gaps[2];
                assert_ok(
                    lgkt_plan_gaps(t.restricted, k, horizon, &threshold, NULL, &gaps[0], &error),
                    error);
                assert_ok(lgkt_plan_gaps(t.copied, k, horizon, &threshold, NULL, &gaps[1], &error),
                          error);
                assert_close(gaps[0].margin, gaps[1].margin, 0);
                assert_close(gaps[0].above, gaps[1].above, 0);
                assert_close(gaps[0].below, gaps[1].below, 0);
            }
            lgkt_cost_destroy(cost);
            lgkt_policy_destroy(policy);
        }
        discard(&t);
    }
}

static void uniform_and_fixed_play_what_is_allowed(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        const twins t = make(200 + i, STATES, ACTIONS);
        lgkt_error error = {0};
        lgkt_policy *policy = NULL;
        double value[STATES], wanted[STATES];
        int32_t actions[STATES];
        assert_ok(lgkt_policy_uniform(t.restricted, 30, NULL, &policy, &error), error);
        value_of(&t, policy, value);
        naive_policy_value(policy, t.restricted, wanted);
        for (int32_t s = 0; s < STATES; s++) {
            uint8_t member[ACTIONS];
            assert_close(value[s], wanted[s], 1e-12 * wanted[s]);
            lgkt_policy_actions(policy, 7, s, member);
            assert_memory_equal(member, t.mask + s * ACTIONS, ACTIONS);
            assert_memory_equal(lgkt_mdp_mask(t.restricted, s), t.mask + s * ACTIONS, ACTIONS);
            for (actions[s] = 0; !t.mask[s * ACTIONS + actions[s]];)
                actions[s]++;
        }
        lgkt_policy_destroy(policy);
        assert_ok(lgkt_policy_fixed(t.restricted, 30, actions, NULL, &policy, &error), error);
        value_of(&t, policy, value);
        lgkt_policy_destroy(policy);
        assert_null(lgkt_mdp_mask(t.copied, 0));
        for (int32_t z = 0; z < PAIRS; z++) {
            int32_t changed[STATES];
            memcpy(changed, actions, sizeof changed);
            changed[z / ACTIONS] = z % ACTIONS;
            if (!t.mask[z])
                assert_refused(lgkt_policy_fixed(t.restricted, 30, changed, NULL, &policy, &error),
                               LGKT_ERR_ARGUMENT, error, "is forbidden in state");
        }
        discard(&t);
    }
}

static void dominance_is_that_of_the_copies(void **state)
{
    (void)state;
    int answers[2] = {0};
    for (uint64_t i = 0; i < 300; i++) {
        const twins t = make(300 + i, 2, 3);
        const bool answer = lgkt_plan_two_state_dominance(t.restricted, NULL);
        assert_int_equal(answer, lgkt_plan_two_state_dominance(t.copied, NULL));
        answers[answer]++;
        discard(&t);
    }
    assert_true(answers[0] > 20 && answers[1] > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_optimum_is_that_of_all_rules),
        cmocka_unit_test(values_are_those_of_the_copies),
        cmocka_unit_test(thresholds_look_at_what_is_allowed),
        cmocka_unit_test(uniform_and_fixed_play_what_is_allowed),
        cmocka_unit_test(dominance_is_that_of_the_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
