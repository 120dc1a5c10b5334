// SPDX-License-Identifier: MIT
// labels: slow statistics
// Regret to the optimum: section 2.1 (it is linear where lookahead is not optimal) and Remark 4.7
// (when that is worth it, by the bound of Theorem 3.5). docs/theory.md has the tables.
//
// LGKT_LONG=1 in the environment prints the tables. Seeds are fixed.

#include "test.h"

#include "lgkt/spec.h"
#include "ref/growth.h"
#include "ref/models.h"
#include "ref/verdict.h"

// what a step of the second half of the run loses, with its standard error
static growth_number late_loss(const growth_curve *curve)
{
    const double steps = (double)(curve->time[0] - curve->time[1]), n = curve->seeds;
    double sum = 0, squares = 0;
    for (int32_t seed = 0; seed < curve->seeds; seed++) {
        const double loss = (curve->regret[seed][0] - curve->regret[seed][1]) / steps;
        sum += loss;
        squares += loss * loss;
    }
    const double mean = sum / n, variance = fmax(0, squares / n - mean * mean);
    return (growth_number){mean, sqrt(variance / (n - 1))};
}

// ---- section 2.1 on the instance of Theorem 3.4 ----

static growth_number loss_on(const lgkt_mdp *model, const char *spec)
{
    const growth_task task = {
        .model = model, .spec = spec, .horizon = 20000, .seeds = 8, .seed = 803};
    const growth_curve curve = growth_to_optimum(&task);
    const growth_number loss = late_loss(&curve);
    if (growth_is_long())
        printf("# %-40s %8.4f +- %.4f a step; exponent %.3f\n", spec, loss.value, loss.error,
               growth_exponent(&curve, 3, 0).value);
    return loss;
}

// of the LGKT family, and LGKT to the end
static bool is_lookahead(const char *name)
{
    return strncmp(name, "lg", 2) == 0 && strstr(name, "-rl") == NULL;
}

// Leaving the bad state costs 5 at once and pays from the sixth step on: no lookahead of up to 4
// steps does it. The best there is loses 5 in all; a policy that stays loses 1 at each step, and
// one at random 13/6. Exploration may end among the good states by luck, so the bound is below 1.
static void lookahead_loses_at_every_step(void **state)
{
    (void)state;
    static const char *const profiles[] = {"released", "practical", "paper"};
    lgkt_mdp *model = model_linear_gap(4, 3, 4);
    int learners = 0;
    double least = INFINITY;
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++) {
        const char *name = lgkt_learner_entry(i)->name;
        if (!is_lookahead(name))
            continue;
        for (int p = 0; p < 3; p++, learners++) {
            char spec[96];
            snprintf(spec, sizeof spec, "%s:profile=%s", name, profiles[p]);
            const growth_number loss = loss_on(model, spec);
            assert_between(loss.value, 0.4, 2.5);
            least = fmin(least, loss.value);
        }
    }
    assert_true(learners >= 25);
    // the optimum itself loses nothing by this measure
    assert_close(loss_on(model, "optimal").value, 0, 1e-9);
    lgkt_mdp_destroy(model);
    verdict(true,
            "instance of theorem 3.4: each of %d lookahead learners loses at least %.2f a step",
            learners, least);
}

// ---- Remark 4.7: the gap of lookahead and its bound ----

enum { S = 5, A = 3, MODELS = 20 };

// what 1-step greedy loses to the optimum in `horizon` steps from state 0, and its bound
typedef struct gap_and_bound {
    double optimum, gap, bound;
} gap_and_bound;

static gap_and_bound compare(const lgkt_mdp *model, int64_t horizon)
{
    lgkt_error error = {0};
    lgkt_policy *optimal = NULL, *greedy = NULL;
    double best[S], value[S], bound = NAN;
    assert_ok(lgkt_policy_optimal(model, horizon, LGKT_TIES_LOW, NULL, &optimal, &error), error);
    assert_ok(lgkt_policy_greedy(model, 1, horizon, LGKT_TIES_LOW, NULL, &greedy, &error), error);
    assert_ok(lgkt_policy_value(optimal, NULL, best, &error), error);
    assert_ok(lgkt_policy_value(greedy, NULL, value, &error), error);
    assert_ok(lgkt_plan_gap_bound(greedy, 1, NULL, &bound, &error), error);
    lgkt_policy_destroy(optimal);
    lgkt_policy_destroy(greedy);
    return (gap_and_bound){best[0], best[0] - value[0], bound};
}

// The bound is 0 or tiny where greedy is optimal (but for the last steps). Everywhere else it grows
// with T^2 while the gap grows with T, and exceeds by far the most that can be lost at all, V*. So
// it cannot tell on which models lookahead is worth it.
static void the_bound_of_the_gap_says_all_or_nothing(void **state)
{
    (void)state;
    int nothing = 0, all = 0;
    for (uint64_t i = 0; i < MODELS; i++) {
        lgkt_mdp *model = growth_random(i, S, A, 0.5);
        const gap_and_bound half = compare(model, 1000), full = compare(model, 2000);
        assert_between(full.gap, -1e-9, full.bound + 1e-9);
        const bool optimal = full.gap < 0.1;
        if (optimal) {
            assert_between(full.bound, 0, full.optimum / 10);
            assert_close(full.bound, half.bound, 1e-6);
        } else {
            assert_between(full.bound / full.optimum, 500, 4000);
            assert_between(full.bound / half.bound, 3.8, 4.2);
            assert_between(full.gap / half.gap, 1.9, 2.1);
        }
        nothing += optimal;
        all += !optimal;
        lgkt_mdp_destroy(model);
    }
    assert_true(nothing >= 3 && all >= 3);
    verdict(false,
            "%d of %d random MDPs: greedy is not optimal and the bound is over 500 times all there "
            "is to lose",
            all, MODELS);
}

// With one good action per state the policy is greedy, and a learner that has found it loses at the
// rate of its gap: regret to the optimum = gap of the policy + regret to the policy.
static void a_settled_learner_loses_the_gap(void **state)
{
    (void)state;
    lgkt_error error = {0};
    int models = 0;
    for (uint64_t i = 0; i < 40; i++) {
        double gamma[S], best = NAN, gain = NAN;
        lgkt_mdp *model = growth_random(i, S, A, 0.5);
        lgkt_policy *greedy = NULL;
        if (growth_halfway(model, 1, gamma) > 0.15) {
            assert_ok(lgkt_policy_greedy(model, 1, 10, LGKT_TIES_LOW, NULL, &greedy, &error),
                      error);
            assert_ok(lgkt_plan_gain(model, 1e-12, NULL, &best, NULL, &error), error);
            assert_ok(lgkt_policy_gain(greedy, 1e-12, NULL, &gain, NULL, &error), error);
            const growth_task task = {model, "lg1t-uniform:profile=paper", 1, gamma, 60000, 8, 804,
                                      0};
            const growth_curve curve = growth_to_optimum(&task);
            const growth_number loss = late_loss(&curve);
            assert_close(loss.value, best - gain, 0.01 + 5 * loss.error);
            models++;
        }
        lgkt_policy_destroy(greedy);
        lgkt_mdp_destroy(model);
    }
    assert_true(models >= 4);
    verdict(true,
            "%d random MDPs: settled LG1T-uniform loses the gap of greedy per step, within 0.01 "
            "and 5 standard errors",
            models);
}

static growth_number regret_of(const lgkt_mdp *model, const char *spec, const double *gamma)
{
    const growth_task task = {model, spec, 1, gamma, 20000, 8, 805, 0};
    const growth_curve curve = growth_to_optimum(&task);
    return growth_mean(&curve, 0);
}

// The remark sets the gap against a linear lower bound for whoever follows the optimum. That bound
// holds for the worst model of a given T, not on each: here UCBVI with small bonuses loses a small
// part of the gap wherever there is one worth the name.
static void following_the_optimum_can_cost_less_than_the_gap(void **state)
{
    (void)state;
    int models = 0, worth = 0, all = 0;
    for (uint64_t i = 0; i < (growth_is_long() ? MODELS : 8); i++) {
        double gamma[S];
        lgkt_mdp *model = growth_random(i, S, A, 0.5);
        growth_halfway(model, 1, gamma);
        const gap_and_bound at = compare(model, 20000);
        const growth_number far = regret_of(model, "ucbvi:bonus=0.01", NULL);
        if (at.gap > 0.1 * at.optimum) {
            assert_true(far.value + 5 * far.error < at.gap / 2);
            models++;
        }
        worth += at.gap < far.value;
        all++;
        if (growth_is_long()) {
            const growth_number near = regret_of(model, "lg1t-uniform:profile=paper", gamma);
            printf(
                "# model %2d  V* %7.0f  gap %7.0f  bound %9.3g  lg1t %6.0f +- %-4.0f  ucbvi %5.0f "
                "+- %.0f\n",
                (int)i, at.optimum, at.gap, at.bound, near.value, near.error, far.value, far.error);
        }
        lgkt_mdp_destroy(model);
    }
    assert_true(models >= 3 && worth >= 1);
    verdict(false,
            "%d of %d random MDPs: UCBVI loses less than half of the gap of greedy; greedy is the "
            "better aim on %d",
            models, all, worth);
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookahead_loses_at_every_step),
        cmocka_unit_test(the_bound_of_the_gap_says_all_or_nothing),
        cmocka_unit_test(a_settled_learner_loses_the_gap),
        cmocka_unit_test(following_the_optimum_can_cost_less_than_the_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
