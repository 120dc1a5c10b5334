// SPDX-License-Identifier: MIT
// What the paper claims of lookahead policies on a known model (section 3), as exact numbers.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "ref/verdict.h"
#include "test.h"

static lgkt_policy *greedy(const lgkt_mdp *mdp, int64_t k, int64_t horizon, lgkt_ties ties)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_greedy(mdp, k, horizon, ties, NULL, &policy, &error), error);
    return policy;
}

static lgkt_policy *thresholding(const lgkt_mdp *mdp, int64_t k, int64_t horizon, double gamma)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    const lgkt_threshold threshold = {.constant = gamma};
    assert_ok(lgkt_policy_threshold(mdp, k, horizon, &threshold, NULL, &policy, &error), error);
    return policy;
}

// V*_T - V^pi_T from each state, into gap (S); takes the policy
static void gaps(const lgkt_mdp *mdp, lgkt_policy *policy, double *gap)
{
    lgkt_error error = {0};
    double value[32];
    naive_v(mdp, lgkt_policy_horizon(policy), gap);
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
        gap[s] -= value[s];
    lgkt_policy_destroy(policy);
}

static double bound_of(const lgkt_policy *policy, int64_t k)
{
    lgkt_error error = {0};
    double bound = NAN;
    assert_ok(lgkt_plan_gap_bound(policy, k, NULL, &bound, &error), error);
    return bound;
}

// both sums against the naive ones; returns the bound
static double check_bound(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t k)
{
    lgkt_error error = {0};
    double distance = NAN, plain = NAN;
    const double expected = naive_gap_bound(policy, mdp, k, &plain), bound = bound_of(policy, k);
    assert_close(bound, expected, 1e-9 * fmax(1, fabs(expected)));
    assert_ok(lgkt_plan_gap_distance(policy, k, NULL, &distance, &error), error);
    assert_close(distance, plain, 1e-9 * fmax(1, plain));
    return bound;
}

// ---- Theorem 3.3: two states with stochastic dominance ----

// a random model of two states; `p` (2, A) are the chances to reach state 1
static lgkt_mdp *two_states(const double *rewards, const double *p, int32_t actions)
{
    double kernel[2 * 4 * 2];
    for (int32_t z = 0; z < 2 * actions; z++) {
        kernel[2 * z] = 1 - p[z];
        kernel[2 * z + 1] = p[z];
    }
    return model_dense(2, actions, rewards, kernel);
}

// Assumption 3.2 from its text, for rewards without ties
static bool dominates(const double *rewards, const double *p, int32_t actions)
{
    int32_t best[2] = {0, 0};
    for (int32_t s = 0; s < 2; s++)
        for (int32_t a = 0; a < actions; a++)
            if (rewards[s * actions + a] > rewards[s * actions + best[s]])
                best[s] = a;
    if (rewards[actions + best[1]] < rewards[best[0]])
        return false;
    for (int32_t s = 0; s < 2; s++)
        for (int32_t a = 0; a < actions; a++)
            if (p[s * actions + a] > p[s * actions + best[s]])
                return false;
    return true;
}

static void draw(lgkt_rng *rng, double *rewards, double *p, int32_t actions)
{
    for (int32_t z = 0; z < 2 * actions; z++) {
        rewards[z] = 4 * lgkt_rng_uniform(rng) - 2;
        p[z] = lgkt_rng_uniform(rng);
    }
}

// the largest gap of K-step greedy
static double gap_of_greedy(const lgkt_mdp *mdp)
{
    double largest = 0;
    for (int64_t k = 1; k <= 4; k++)
        for (int64_t horizon = 1; horizon <= 31; horizon += 10)
            for (int ties = 0; ties < 2; ties++) {
                double gap[2];
                gaps(mdp, greedy(mdp, k, horizon, (lgkt_ties)ties), gap);
                largest = fmax(largest, fmax(gap[0], gap[1]));
            }
    return largest;
}

// What the proof shows on its way (appendix B): V_k(1) - V_k(0) is at least 0, and where the best
// action of state 1 stays there less surely than that of state 0 gets there, at most R(1) - R(0).
// Returns by how much that fails at most.
static double steps_of_the_proof(const lgkt_mdp *mdp, const double *rewards, const double *p,
                                 int32_t actions)
{
    double best[2] = {-INFINITY, -INFINITY}, surest[2] = {0, 0};
    for (int32_t z = 0; z < 2 * actions; z++) {
        best[z / actions] = fmax(best[z / actions], rewards[z]);
        surest[z / actions] = fmax(surest[z / actions], p[z]);
    }
    double beyond = 0;
    for (int64_t k = 1; k <= 12; k++) {
        double v[2];
        naive_v(mdp, k, v);
        beyond = fmax(beyond, v[0] - v[1]);
        if (surest[1] <= surest[0])
            beyond = fmax(beyond, v[1] - v[0] - (best[1] - best[0]));
    }
    return beyond;
}

static void dominance_makes_greedy_optimal(void **state)
{
    (void)state;
    int holds = 0, fails = 0;
    double largest = 0, beyond = 0;
    for (uint64_t i = 0; i < 800; i++) {
        lgkt_rng rng = lgkt_rng_stream(61, "dominance", i);
        const int32_t actions = 1 + lgkt_rng_below(&rng, 4);
        double rewards[8], p[8];
        draw(&rng, rewards, p, actions);
        lgkt_mdp *mdp = two_states(rewards, p, actions);
        lgkt_error why = {0};
        const bool expected = dominates(rewards, p, actions);
        assert_int_equal(lgkt_plan_two_state_dominance(mdp, &why), expected);
        assert_int_equal(why.text[0] == '\0', expected);
        if (expected) {
            largest = fmax(largest, gap_of_greedy(mdp));
            beyond = fmax(beyond, steps_of_the_proof(mdp, rewards, p, actions));
        }
        holds += expected;
        fails += !expected;
        lgkt_mdp_destroy(mdp);
    }
    assert_true(holds > 100 && fails > 100);
    verdict_at_most("largest gap of K-step greedy, K = 1 to 4", largest, 0, 1e-11);
    verdict_at_most("largest error of the inequalities of the proof", beyond, 0, 1e-12);
    verdict_expect(VERDICT_FOR, "%d random MDPs of two states that dominate, T up to 31", holds);
}

static void ties_in_the_rewards_must_all_dominate(void **state)
{
    (void)state;
    const double rewards[] = {1, 1, 2, 0}, even[] = {0.5, 0.5, 0.7, 0.1},
                 uneven[] = {0.5, 0.4, 0.7, 0.1};
    lgkt_mdp *fine = two_states(rewards, even, 2), *bad = two_states(rewards, uneven, 2);
    lgkt_error why = {0};
    assert_true(lgkt_plan_two_state_dominance(fine, &why));
    assert_close(gap_of_greedy(fine), 0, 1e-11);
    assert_false(lgkt_plan_two_state_dominance(bad, &why));
    assert_non_null(strstr(why.text, "in state 0 action 1 has the highest reward but reaches state "
                                     "1 with probability 0.4, action 0 with 0.5"));
    lgkt_mdp_destroy(fine);
    lgkt_mdp_destroy(bad);
}

static void dominance_says_why_not(void **state)
{
    (void)state;
    const double rewards[] = {3, 1, 2, 0}, p[] = {0.5, 0.4, 0.7, 0.1};
    lgkt_error why = {0};
    lgkt_mdp *lower = two_states(rewards, p, 2), *wide = model_riverswim(3, false);
    assert_false(lgkt_plan_two_state_dominance(lower, &why));
    assert_non_null(strstr(why.text, "the highest reward of state 1, 2, is below that of state 0"));
    assert_false(lgkt_plan_two_state_dominance(wide, &why));
    assert_non_null(strstr(why.text, "3 states, not 2"));
    assert_false(lgkt_plan_two_state_dominance(NULL, NULL));
    lgkt_mdp_destroy(lower);
    lgkt_mdp_destroy(wide);
}

// without dominance 1-step greedy does lose somewhere
static void without_dominance_greedy_may_lose(void **state)
{
    (void)state;
    const double rewards[] = {1, 0, 0, 5}, p[] = {0, 1, 0, 1};
    lgkt_mdp *mdp = two_states(rewards, p, 2);
    double gap[2];
    assert_false(lgkt_plan_two_state_dominance(mdp, NULL));
    gaps(mdp, greedy(mdp, 1, 10, LGKT_TIES_LOW), gap);
    assert_close(gap[0], 9 * 5 - 10, 1e-12);
    lgkt_mdp_destroy(mdp);
}

// ---- Theorem 3.4: a linear gap ----

static void a_high_threshold_has_a_gap_of_one_per_step(void **state)
{
    (void)state;
    double farthest = 0;
    for (int32_t k = 1; k <= 4; k++)
        for (int32_t states = 2; states <= 5; states++) {
            lgkt_mdp *mdp = model_linear_gap(states, 3, k);
            for (int64_t horizon = k; horizon <= 200; horizon += horizon < k + 8 ? 1 : 31) {
                double gap[5];
                gaps(mdp, thresholding(mdp, k, horizon, 1), gap);
                farthest = fmax(farthest, fabs(gap[0] - fmax(0, (double)(horizon - k - 1))));
            }
            lgkt_mdp_destroy(mdp);
        }
    verdict_at_most("distance of the gap from T - K - 1, largest", farthest, 0, 1e-11);
    verdict_expect(VERDICT_FOR, "instance of the proof, K = 1 to 4, 2 to 5 states, T up to 200");
}

static void a_low_threshold_has_a_linear_gap(void **state)
{
    (void)state;
    enum { K = 2 };
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_linear_gap(4, 3, K);
    double gap[4], before, value[4], uniform_value[4];
    // the policy is uniformly random: no Q_k is below -(K+1) - K
    lgkt_policy *low = thresholding(mdp, K, 64, -2 * K - 2), *uniform = NULL;
    assert_ok(lgkt_policy_uniform(mdp, 64, NULL, &uniform, &error), error);
    assert_ok(lgkt_policy_value(low, NULL, value, &error), error);
    assert_ok(lgkt_policy_value(uniform, NULL, uniform_value, &error), error);
    for (int32_t s = 0; s < 4; s++)
        assert_close(value[s], uniform_value[s], 1e-12);
    lgkt_policy_destroy(low);
    lgkt_policy_destroy(uniform);

    double slopes[2];
    for (int i = 0; i < 2; i++) {
        gaps(mdp, thresholding(mdp, K, 1000 + 5000 * i, -(K + 1)), gap);
        before = gap[0];
        gaps(mdp, thresholding(mdp, K, 2000 + 5000 * i, -(K + 1)), gap);
        slopes[i] = (gap[0] - before) / 1000;
    }
    lgkt_mdp_destroy(mdp);
    verdict_at_least("what the gap grows by a step", slopes[1], 0, 0.5);
    verdict_at_most("change of that from T = 2000 to 7000", fabs(slopes[1] - slopes[0]), 0, 1e-10);
    verdict_expect(VERDICT_FOR, "S = 4, A = 3, K = 2, threshold -3: all actions are good");
}

// ---- Theorem 3.5: an instance bound ----

static void the_bound_holds_for_greedy_and_rewards_from_zero(void **state)
{
    (void)state;
    const double concentrations[] = {0.1, 0.5, 2, 10};
    double closest = 0, over = 0;
    int gapped = 0;
    for (uint64_t i = 0; i < 120; i++) {
        lgkt_rng rng = lgkt_rng_stream(62, "bound", i);
        const int32_t states = 1 + lgkt_rng_below(&rng, 6), actions = 1 + lgkt_rng_below(&rng, 4);
        const int64_t k = 1 + lgkt_rng_below(&rng, 4), horizon = 1 + lgkt_rng_below(&rng, 25);
        lgkt_mdp *mdp = model_random(&rng, states, actions, concentrations[i % 4]);
        lgkt_policy *policy = greedy(mdp, k, horizon, LGKT_TIES_LOW);
        const double bound = check_bound(policy, mdp, k);
        double gap[6];
        gaps(mdp, policy, gap);
        for (int32_t s = 0; s < states; s++) {
            over = fmax(over, gap[s] - bound);
            if (gap[s] > 1e-9) {
                closest = fmax(closest, gap[s] / bound);
                gapped++;
            }
        }
        if (k >= horizon)
            assert_close(bound, 0, 0);
        lgkt_mdp_destroy(mdp);
    }
    assert_true(gapped > 50);
    verdict_at_most("largest gap minus its bound", over, 0, 1e-11);
    verdict_expect(VERDICT_FOR, "120 random MDPs, %d states with a gap, at most %.2f of the bound",
                   gapped, closest);
}

// settled stretches are summed in one go
static void long_bounds_are_exact(void **state)
{
    (void)state;
    enum { T = 200 };
    double table[9 * 5];
    lgkt_rng rng = lgkt_rng_stream(63, "long", 0);
    for (int i = 0; i < 45; i++)
        table[i] = lgkt_rng_uniform(&rng);
    lgkt_error error = {0};
    lgkt_mdp *models[] = {model_random(&rng, 5, 3, 0.5), model_riverswim(5, false),
                          model_linear_gap(5, 3, 2)};
    for (int m = 0; m < 3; m++) {
        const lgkt_threshold threshold = {.table = table, .table_steps = 9};
        lgkt_policy *p[3] = {greedy(models[m], 2, T, LGKT_TIES_LOW),
                             thresholding(models[m], 1, T, 0.2), NULL};
        assert_ok(lgkt_policy_threshold(models[m], 2, T, &threshold, NULL, &p[2], &error), error);
        for (int i = 0; i < 3; i++) {
            check_bound(p[i], models[m], 1 + i);
            lgkt_policy_destroy(p[i]);
        }
        lgkt_mdp_destroy(models[m]);
    }
}

static void as_printed_for_any_threshold_it_is_false(void **state)
{
    (void)state;
    const double rewards[] = {1, 0}, kernel[] = {1, 1};
    lgkt_mdp *mdp = model_dense(1, 2, rewards, kernel);
    lgkt_policy *policy = thresholding(mdp, 1, 5, 0);
    const double bound = bound_of(policy, 1);
    double gap[1];
    gaps(mdp, policy, gap);
    assert_close(gap[0], 2.5, 0);
    lgkt_mdp_destroy(mdp);
    verdict_at_most("gap, against the printed bound", gap[0], 0, bound);
    verdict_expect(VERDICT_AGAINST, "S = 1, rewards 1 and 0, threshold 0, K = 1, T = 5");
}

// ---- the two limits ----

static void the_limits_of_k_and_gamma(void **state)
{
    (void)state;
    enum { T = 20, S = 5, A = 3 };
    double largest = 0;
    int others = 0;
    for (uint64_t i = 0; i < 25; i++) {
        lgkt_rng rng = lgkt_rng_stream(64, "limits", i);
        lgkt_mdp *mdp = model_random(&rng, S, A, 0.3);
        double gap[S];
        gaps(mdp, greedy(mdp, T + (int64_t)(i % 3), T, LGKT_TIES_LOW), gap);
        for (int32_t s = 0; s < S; s++)
            largest = fmax(largest, gap[s]);

        // with gamma above every Q nothing is good enough and the argmax is played
        const double gammas[] = {1e6, INFINITY, NAN};
        lgkt_policy *high = thresholding(mdp, 2, T, gammas[i % 3]),
                    *best = greedy(mdp, 2, T, LGKT_TIES_LOW);
        uint8_t member[A];
        for (int64_t h = 1; h <= T; h++)
            for (int32_t s = 0; s < S; s++) {
                others += lgkt_policy_actions(high, h, s, member) != 1 ||
                          !member[lgkt_policy_action(best, h, s)];
            }
        lgkt_policy_destroy(high);
        lgkt_policy_destroy(best);
        lgkt_mdp_destroy(mdp);
    }
    verdict_at_most("largest gap for K >= T", largest, 0, 1e-11);
    verdict_at_most("other actions than greedy for thresholds above all values", others, 0, 0);
    verdict_expect(VERDICT_FOR, "25 random MDPs, T = 20");
}

// ---- Assumption 4.1: every state always has a good action ----

typedef struct wave {
    double level, swing;
} wave;

// rises and falls along the run, and from state to state
static double wave_at(void *ctx, int64_t t, int32_t state, int32_t k)
{
    const wave *w = ctx;
    return (double)k * w->level + w->swing * sin((double)t + 2.0 * state);
}

// by the text: all times, states and actions in turn
static lgkt_gaps naive_gaps(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                            const lgkt_threshold *threshold)
{
    lgkt_gaps at = {INFINITY, INFINITY, INFINITY};
    double q[32];
    naive_q(mdp, k, q);
    for (int64_t t = 0; t < horizon; t++)
        for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
            const int64_t row = t < threshold->table_steps ? t : threshold->table_steps - 1;
            const double gamma =
                threshold->fn != NULL      ? threshold->fn(threshold->ctx, t, s, (int32_t)k)
                : threshold->table != NULL ? threshold->table[row * lgkt_mdp_states(mdp) + s]
                                           : threshold->constant;
            double best = -INFINITY;
            for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
                const double distance = q[s * lgkt_mdp_actions(mdp) + a] - gamma;
                best = fmax(best, distance);
                if (distance >= 0)
                    at.above = fmin(at.above, distance);
                else
                    at.below = fmin(at.below, -distance);
            }
            at.margin = fmin(at.margin, best);
        }
    return at;
}

static double lowest_q(const lgkt_mdp *mdp, int64_t k)
{
    double q[32], least = INFINITY;
    naive_q(mdp, k, q);
    for (int32_t z = 0; z < lgkt_mdp_states(mdp) * lgkt_mdp_actions(mdp); z++)
        least = fmin(least, q[z]);
    return least;
}

// True by construction: the least of finitely many numbers is a threshold that all of them reach.
// What could fail is the checker.
static void good_actions_are_found_everywhere(void **state)
{
    (void)state;
    enum { S = 4, A = 3, ROWS = 5 };
    int holds = 0, fails = 0;
    double paid = 0, least = INFINITY;
    for (uint64_t i = 0; i < 200; i++) {
        lgkt_error error = {0};
        lgkt_rng rng = lgkt_rng_stream(65, "gaps", i);
        const int64_t k = 1 + lgkt_rng_below(&rng, 3), horizon = k + lgkt_rng_below(&rng, 9);
        lgkt_mdp *mdp = model_random(&rng, S, A, 0.5);
        double table[ROWS * S];
        for (int j = 0; j < ROWS * S; j++)
            table[j] = (double)k * lgkt_rng_uniform(&rng) / 2;
        wave w = {lgkt_rng_uniform(&rng) / 2, 0.1};
        const lgkt_threshold thresholds[] = {{.constant = table[0]},
                                             {.table = table, .table_steps = ROWS},
                                             {.fn = wave_at, .ctx = &w}};
        const lgkt_threshold *threshold = &thresholds[i % 3];
        lgkt_gaps at, expected = naive_gaps(mdp, k, horizon, threshold);
        assert_ok(lgkt_plan_gaps(mdp, k, horizon, threshold, NULL, &at, &error), error);
        assert_close(at.margin, expected.margin, 1e-12);
        assert_close(at.above, expected.above, 1e-12);
        assert_close(at.below, expected.below, 1e-12);
        // and that is what the thresholding policy needs to cost nothing while K steps are left
        lgkt_cost *cost = NULL;
        double dearest = 0;
        assert_ok(lgkt_cost_create(mdp, k, horizon, threshold, NULL, &cost, &error), error);
        for (int64_t t = 0; t <= horizon - k; t++)
            for (int32_t s = 0; s < S; s++)
                dearest = fmax(
                    dearest, fmin(lgkt_cost_at(cost, t, s, 0),
                                  fmin(lgkt_cost_at(cost, t, s, 1), lgkt_cost_at(cost, t, s, 2))));
        if (at.margin >= 0)
            paid = fmax(paid, dearest);
        // "by choosing a low gamma": the least of all Q_K is low enough for every state
        const lgkt_threshold low = {.constant = lowest_q(mdp, k)};
        assert_ok(lgkt_plan_gaps(mdp, k, horizon, &low, NULL, &at, &error), error);
        least = fmin(least, at.margin);
        holds += expected.margin >= 0;
        fails += expected.margin < 0;
        lgkt_cost_destroy(cost);
        lgkt_mdp_destroy(mdp);
    }
    assert_true(holds > 30 && fails > 30);
    verdict_cannot_fail();
    verdict_at_least("margin of the best action at the lowest of all values", least, 0, 0);
    verdict_at_most("cost of the best action where the assumption holds", paid, 0, 0);
    verdict_expect(VERDICT_FOR,
                   "200 random MDPs, true by construction of the threshold; random thresholds "
                   "satisfy it on %d, as all pairs and times by hand say",
                   holds);
}

// what reaches the threshold up to rounding counts, and what is never reached has no gap
static void gaps_at_their_ends(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example(); // Q_1 = (1, 0; 0, 2)
    lgkt_gaps at;
    lgkt_threshold threshold = {.constant = 1 + 1e-13};
    assert_ok(lgkt_plan_gaps(mdp, 1, 9, &threshold, NULL, &at, &error), error);
    assert_close(at.margin, 0, 0);
    assert_close(at.above, 0, 0);
    assert_close(at.below, 1, 1e-12);
    threshold.constant = -1;
    assert_ok(lgkt_plan_gaps(mdp, 1, 9, &threshold, NULL, &at, &error), error);
    assert_close(at.margin, 2, 0);
    assert_close(at.above, 1, 0);
    assert_true(at.below == INFINITY);
    threshold.constant = NAN;
    assert_ok(lgkt_plan_gaps(mdp, 2, 9, &threshold, NULL, &at, &error), error);
    assert_true(at.margin == -INFINITY && at.above == INFINITY && at.below == INFINITY);
    lgkt_mdp_destroy(mdp);
}

// ---- refusals and failures ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example();
    lgkt_policy *policy = greedy(mdp, 1, 5, LGKT_TIES_LOW);
    double bound;
    assert_refused(lgkt_plan_gap_bound(NULL, 1, NULL, &bound, &error), LGKT_ERR_ARGUMENT, error,
                   "policy is NULL");
    assert_refused(lgkt_plan_gap_bound(policy, 1, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "bound is NULL");
    assert_refused(lgkt_plan_gap_distance(policy, 1, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "distance is NULL");
    assert_refused(lgkt_plan_gap_bound(policy, 0, NULL, &bound, &error), LGKT_ERR_ARGUMENT, error,
                   "k is 0; it must be >= 1");
    lgkt_gaps at;
    const lgkt_threshold threshold = {.constant = 1};
    assert_refused(lgkt_plan_gaps(mdp, 1, 5, &threshold, NULL, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "gaps is NULL");
    assert_refused(lgkt_plan_gaps(mdp, 1, 0, &threshold, NULL, &at, &error), LGKT_ERR_ARGUMENT,
                   error, "horizon is 0; it must be >= 1");
    assert_refused(lgkt_plan_gaps(mdp, 1, 5, NULL, NULL, &at, &error), LGKT_ERR_ARGUMENT, error,
                   "threshold is NULL");
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

static lgkt_status find_bound(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    double bound;
    return lgkt_plan_gap_bound(ctx, 1, allocator, &bound, error);
}

static lgkt_status find_gaps(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_threshold threshold = {.constant = 1};
    lgkt_gaps at;
    return lgkt_plan_gaps(ctx, 2, 5, &threshold, allocator, &at, error);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    lgkt_policy *policy = greedy(mdp, 1, 5, LGKT_TIES_LOW);
    assert_int_equal(fault_sweep(find_bound, policy), 1);
    assert_true(fault_sweep(find_gaps, mdp) >= 1);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominance_makes_greedy_optimal),
        cmocka_unit_test(ties_in_the_rewards_must_all_dominate),
        cmocka_unit_test(dominance_says_why_not),
        cmocka_unit_test(without_dominance_greedy_may_lose),
        cmocka_unit_test(a_high_threshold_has_a_gap_of_one_per_step),
        cmocka_unit_test(a_low_threshold_has_a_linear_gap),
        cmocka_unit_test(the_bound_holds_for_greedy_and_rewards_from_zero),
        cmocka_unit_test(long_bounds_are_exact),
        cmocka_unit_test(as_printed_for_any_threshold_it_is_false),
        cmocka_unit_test(the_limits_of_k_and_gamma),
        cmocka_unit_test(good_actions_are_found_everywhere),
        cmocka_unit_test(gaps_at_their_ends),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
