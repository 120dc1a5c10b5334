// SPDX-License-Identifier: MIT
// labels: slow statistics
// Regret to the optimum: section 2.1 (it is linear where lookahead is not optimal) and Remark 4.7
// (when that is worth it, by the bound of Theorem 3.5). docs/theory.md has the tables.
//
// LGKT_LONG=1 in the environment prints the tables. Seeds are fixed.

#include "test.h"

#include <stdlib.h>

#include "lgkt/spec.h"
#include "ref/gap_bound.h"
#include "ref/growth.h"
#include "ref/models.h"
#include "ref/state_learners.h"
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
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        const char *name = state_learner(i)->name;
        if (!is_lookahead(name))
            continue;
        for (int p = 0; p < 3; p++, learners++) {
            char spec[96];
            snprintf(spec, sizeof spec, "%s:profile=%s", name, profiles[p]);
            const growth_number loss = loss_on(model, spec);
            assert_between(loss.value, 0, 2.5);
            least = fmin(least, loss.value);
        }
    }
    assert_true(learners >= 25);
    // the optimum itself loses nothing by this measure
    assert_close(loss_on(model, "optimal").value, 0, 1e-9);
    lgkt_mdp_destroy(model);
    verdict_at_least("loss a step in the second half of the run, least of all learners", least, 0,
                     0.4);
    verdict_expect(VERDICT_FOR, "instance of theorem 3.4, T = 20000, %d lookahead learners",
                   learners);
}

// ---- Remark 4.7: the gap of lookahead and its bound ----

enum { S = 5, A = 3, MODELS = 20, HORIZON = 20000 };

// what 1-step greedy loses to the optimum in `horizon` steps, and its bounds
static gap_sums compare(const lgkt_mdp *model, int64_t horizon)
{
    lgkt_error error = {0};
    lgkt_policy *greedy = NULL;
    assert_ok(lgkt_policy_greedy(model, 1, horizon, LGKT_TIES_LOW, NULL, &greedy, &error), error);
    double *law = gap_law_of(model, greedy);
    const gap_sums at = gap_measure(model, law, horizon, 1, INFINITY, false);
    free(law);
    lgkt_policy_destroy(greedy);
    return at;
}

// The printed bound is 0 or tiny where greedy is optimal (but for the last steps). Everywhere else
// it grows with T^2 while the gap grows with T, and exceeds by far the most that can be lost at
// all, V*. The repaired one grows with T.
static void the_printed_bound_exceeds_all_there_is_to_lose(void **state)
{
    (void)state;
    int all = 0;
    double printed = 0, repaired = 0, growth[2] = {0, 0};
    for (uint64_t i = 0; i < MODELS; i++) {
        lgkt_mdp *model = growth_random(i, S, A, 0.5);
        const gap_sums half = compare(model, 1000), full = compare(model, 2000);
        if (full.gap > 0.1) {
            printed = fmax(printed, full.printed / full.optimum);
            repaired = fmax(repaired, full.repaired / full.optimum);
            growth[0] = fmax(growth[0], full.printed / half.printed);
            growth[1] = fmax(growth[1], full.repaired / half.repaired);
            all++;
        }
        lgkt_mdp_destroy(model);
    }
    assert_true(all >= 3 && all <= MODELS - 3);
    assert_between(growth[0], 3.8, 4.2);
    assert_between(growth[1], 1.9, 2.1);
    assert_between(repaired, 0.1, 10);
    verdict_at_most("printed bound over all there is to lose, largest", printed, 0, 1);
    verdict_expect(VERDICT_AGAINST,
                   "%d of %d random MDPs, where 1-step greedy is not optimal, T = 2000; the "
                   "repaired bound is at most %.2f of it",
                   all, MODELS, repaired);
}

// With one good action per state the policy is greedy, and a learner that has found it loses at the
// rate of its gap: regret to the optimum = gap of the policy + regret to the policy.
static void a_settled_learner_loses_the_gap(void **state)
{
    (void)state;
    lgkt_error error = {0};
    int models = 0;
    double farthest = -INFINITY;
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
            // what is beyond five standard errors
            farthest = fmax(farthest, fabs(loss.value - (best - gain)) - 5 * loss.error);
            models++;
        }
        lgkt_policy_destroy(greedy);
        lgkt_mdp_destroy(model);
    }
    assert_true(models >= 4);
    verdict_at_most("loss a step minus that of greedy, farthest off beyond 5 standard errors",
                    farthest, 0, 0.01);
    verdict_expect(VERDICT_FOR, "LG1T-uniform when it has settled, %d random MDPs, T = 60000",
                   models);
}

static growth_number regret_of(const lgkt_mdp *model, const char *spec, const double *gamma)
{
    const growth_task task = {model, spec, 1, gamma, HORIZON, 8, 805, 0};
    const growth_curve curve = growth_to_optimum(&task);
    return growth_mean(&curve, 0);
}

// Remark 4.7 with numbers in all places: lookahead is the better aim on a model if what it loses at
// most is below what is lost by who follows the optimum (UCBVI with small bonuses, measured).
typedef struct choice {
    gap_sums at;
    // regret to the optimum of LG1T-uniform, of LG1T with a bonus of the root, and of UCBVI
    growth_number near, root, far;
} choice;

static choice measure(uint64_t i)
{
    double gamma[S];
    lgkt_mdp *model = growth_random(i, S, A, 0.5);
    growth_halfway(model, 1, gamma);
    const choice one = {.at = compare(model, HORIZON),
                        .near = regret_of(model, "lg1t-uniform:profile=paper", gamma),
                        .root = regret_of(model, "lg1t:profile=paper,index=root", gamma),
                        .far = regret_of(model, "ucbvi:bonus=0.01", NULL)};
    lgkt_mdp_destroy(model);
    if (growth_is_long())
        printf("# model %2d  V* %7.0f  gap %7.0f  along %8.5g  repaired %8.5g  printed %9.3g  lg1t "
               "%6.0f +- %-4.0f  root %6.0f +- %-4.0f  ucbvi %5.0f +- %.0f\n",
               (int)i, one.at.optimum, one.at.first, one.at.along, one.at.repaired, one.at.printed,
               one.near.value, one.near.error, one.root.value, one.root.error, one.far.value,
               one.far.error);
    return one;
}

// The linear lower bound of section 2.1: (T-1)/2 for rewards between 0 and 1 (nobody_passes_both_
// gates in test_theory_remarks.c), here in units of the model's range of mean rewards.
static double lower_bound(uint64_t i)
{
    lgkt_mdp *model = growth_random(i, S, A, 0.5);
    const double range = lgkt_mdp_reward_max(model) - lgkt_mdp_reward_min(model);
    lgkt_mdp_destroy(model);
    return (HORIZON - 1) / 2.0 * range;
}

// A comparison calls lookahead the better aim where a bound of its gap is below what following the
// optimum costs. On how many models that is right of the aim (the exact gap against the regret of
// UCBVI), and on how many LG1T-uniform really earns more.
typedef struct decisions {
    int aim, learner;
} decisions;

enum { PRINTED, REPAIRED, MEASURED, RULES };

typedef struct remark {
    decisions by[RULES];
    int worth, earned, by_root;
} remark;

// measured once, for both tests
static const remark *decide(void)
{
    static remark sums;
    if (sums.worth > 0)
        return &sums;
    for (uint64_t i = 0; i < MODELS; i++) {
        const choice one = measure(i);
        const double lower = lower_bound(i), far = one.far.value;
        const bool says[RULES] = {one.at.printed < lower, one.at.repaired < lower,
                                  one.at.repaired < far};
        const bool is_better = one.at.first < far, earns_more = one.near.value < far;
        for (int j = 0; j < RULES; j++) {
            sums.by[j].aim += says[j] == is_better;
            sums.by[j].learner += says[j] == earns_more;
        }
        sums.worth += is_better;
        sums.earned += earns_more;
        sums.by_root += one.root.value < far;
    }
    assert_true(sums.worth >= 3 && sums.worth <= MODELS - 3);
    return &sums;
}

// As printed: the bound of Theorem 3.5 against the linear lower bound. What the lookahead learner
// loses until it has settled, which decides who earns more, is in neither.
static void the_remark_leaves_out_the_time_of_learning(void **state)
{
    (void)state;
    const remark *at = decide();
    verdict_at_least("models on which it says rightly which aim is better", at->by[PRINTED].aim, 0,
                     MODELS);
    verdict_at_least("models on which it says rightly whether LG1T-uniform earns more than UCBVI",
                     at->by[PRINTED].learner, 0, MODELS);
    verdict_expect(VERDICT_AGAINST,
                   "%d random MDPs, T = 20000, UCBVI with bonus 0.01; greedy is the better aim on "
                   "%d; LG1T-uniform earns more than UCBVI on %d, with index=root on %d",
                   MODELS, at->worth, at->earned, at->by_root);
}

// the same with the repaired bound, against the lower bound and against the regret of UCBVI
static void the_repaired_bound_decides_no_better(void **state)
{
    (void)state;
    const remark *at = decide();
    verdict_at_least("models on which it says rightly which aim is better, lower bound",
                     at->by[REPAIRED].aim, 0, MODELS);
    verdict_at_least("models on which it says rightly which aim is better, measured regret",
                     at->by[MEASURED].aim, 0, MODELS);
    verdict_at_least("models on which it says rightly whether LG1T-uniform earns more, lower bound",
                     at->by[REPAIRED].learner, 0, MODELS);
    verdict_at_least("models on which it says rightly whether LG1T-uniform earns more, measured "
                     "regret",
                     at->by[MEASURED].learner, 0, MODELS);
    verdict_expect(VERDICT_AGAINST, "%d random MDPs, T = 20000, UCBVI with bonus 0.01", MODELS);
}

// The linear lower bound is that of the worst model of a given T, not of each: UCBVI with small
// bonuses loses a small part of the gap wherever there is one worth the name.
static void following_the_optimum_can_cost_less_than_the_gap(void **state)
{
    (void)state;
    double least = INFINITY, error = 0, most = 0;
    int models = 0;
    for (uint64_t i = 0; i < 8; i++) {
        lgkt_mdp *model = growth_random(i, S, A, 0.5);
        const gap_sums at = compare(model, HORIZON);
        if (at.first > 0.1 * at.optimum) {
            const growth_number far = regret_of(model, "ucbvi:bonus=0.01", NULL);
            most = fmax(most, (far.value + 5 * far.error) / at.first);
            if (far.value / at.first < least) {
                least = far.value / at.first;
                error = far.error / at.first;
            }
            models++;
        }
        lgkt_mdp_destroy(model);
    }
    assert_true(models >= 3 && most < 0.5);
    verdict_at_least("regret of UCBVI over the gap of greedy, least", least, error, 1);
    verdict_expect(VERDICT_AGAINST, "%d random MDPs on which greedy loses more than a tenth",
                   models);
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookahead_loses_at_every_step),
        cmocka_unit_test(the_printed_bound_exceeds_all_there_is_to_lose),
        cmocka_unit_test(a_settled_learner_loses_the_gap),
        cmocka_unit_test(the_remark_leaves_out_the_time_of_learning),
        cmocka_unit_test(the_repaired_bound_decides_no_better),
        cmocka_unit_test(following_the_optimum_can_cost_less_than_the_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
