// SPDX-License-Identifier: MIT
// labels: slow statistics long
// How the regret to the thresholding policy grows at K >= 2: Theorem 4.4, Corollary 4.5 and Remark
// 4.6. docs/theory.md has the curves in full.
//
// LGKT_LONG=1 in the environment runs more seeds and prints every curve. Seeds are fixed; errors
// are standard errors over the seeds, by the jackknife. A learner that plays at random has exponent
// 1 (the last test).

#include "test.h"

#include "ref/growth.h"
#include "ref/verdict.h"

// regret on a random 3 x 3 model with gamma(s) between the best and the second best action. The
// spec gets eta = gap / divisor.
typedef struct random_case {
    uint64_t model;
    int64_t k;
    const char *spec;
    double divisor;
} random_case;

static growth_curve on_random(const random_case *at, int64_t horizon, int32_t seeds)
{
    double gamma[3];
    lgkt_mdp *model = growth_random(at->model, 3, 3, 0.5);
    const double gap = growth_halfway(model, at->k, gamma);
    char spec[160], title[64];
    snprintf(spec, sizeof spec, "%s,eta=%.6g", at->spec, gap / at->divisor);
    const growth_task task = {model, spec, at->k, gamma, horizon, growth_seeds(seeds), 802, 0};
    const growth_curve curve = growth_to_threshold(&task);
    snprintf(title, sizeof title, "random model %d, gap %.4f", (int)at->model, gap);
    growth_show(&task, title, &curve);
    lgkt_mdp_destroy(model);
    return curve;
}

#define THEORY_ONE   "lg1t-uniform:profile=paper"
#define THEORY_TWO   "lg2t-uniform:profile=paper"
#define THEORY_THREE "lgkt:k=3,profile=paper,fallback=uniform"
#define MILLION      1000000
#define ROOT         0.54 // the exponent of sqrt(T ln T) between T/8 and T

// ---- where runs cost little ----

// In the family the best action of a run is good for K steps too: runs cost next to nothing. eta is
// the gap (the K in the paper's Delta^K is an index, not a power), by the corollary over sqrt(A).
static void depth_two_is_sublinear_on_the_family(void **state)
{
    (void)state;
    const growth_family family = {3, 3, 2, 0.25, LGKT_NOISE_NORMAL, 0.5};
    const char *specs[] = {THEORY_TWO ",eta=0.25", THEORY_TWO ",eta=0.144338"};
    for (int i = 0; i < 2; i++) {
        const growth_curve curve = growth_on_family(&family, specs[i], MILLION, 6);
        const growth_number exponent = growth_exponent(&curve, 3, 0);
        verdict_at_most(i == 0 ? "exponent from T/8 to T, eta = gap"
                               : "exponent from T/8 to T, eta = gap / sqrt(A)",
                        exponent.value, exponent.error, ROOT);
    }
    verdict_expect(VERDICT_FOR, "one good action per state, gap 0.25, S = A = 3, T = 10^6");
}

// In random model 49 two of three states have another best action for 1 step than for 2: there
// every run costs.
static void depth_two_is_sublinear_where_runs_cost(void **state)
{
    (void)state;
    const random_case cases[] = {{49, 2, THEORY_TWO, 1}, {49, 2, THEORY_TWO, sqrt(3)}};
    for (int i = 0; i < 2; i++) {
        const growth_curve curve = on_random(&cases[i], MILLION, 6);
        const growth_number exponent = growth_exponent(&curve, 3, 0);
        verdict_at_most(i == 0 ? "exponent from T/8 to T, eta = gap"
                               : "exponent from T/8 to T, eta = gap / sqrt(A)",
                        exponent.value, exponent.error, ROOT);
    }
    verdict_expect(VERDICT_FOR, "random MDP of 3 states and 3 actions, gap 0.218, T = 10^6");
}

// On the family with the printed bonus UCBVI plays the runs at random for more than 10^7 steps, so
// that the samples say nothing of the best continuation; with 0.02 it does not.
static void depth_three_needs_a_small_bonus(void **state)
{
    (void)state;
    const growth_family family = {3, 3, 3, 0.2, LGKT_NOISE_NORMAL, 0.5};
    const growth_curve small =
        growth_on_family(&family, THEORY_THREE ",eta=0.2,sampler-bonus=0.02", MILLION, 4);
    const int64_t horizon = growth_is_long() ? 10 * MILLION : MILLION / 4;
    const growth_curve printed = growth_on_family(&family, THEORY_THREE ",eta=0.2", horizon, 4);
    const growth_number one = growth_exponent(&printed, 3, 0),
                        other = growth_exponent(&small, 3, 0);
    verdict_at_most("exponent from T/8 to T, printed bonus", one.value, one.error, ROOT);
    verdict_expect(VERDICT_AGAINST,
                   "one good action per state, gap 0.2, S = A = 3, T = %g; with 0.02 of the bonus "
                   "the exponent is %.2f up to 10^6",
                   (double)horizon, other.value);
    assert_between(other.value + 5 * other.error, -INFINITY, ROOT);
}

static void depth_three_is_sublinear_where_runs_cost(void **state)
{
    (void)state;
    const random_case cases[] = {{385, 3, THEORY_THREE ",sampler-bonus=0.02", 1},
                                 {385, 3, THEORY_THREE, 1}};
    const growth_curve curve = on_random(&cases[0], MILLION, 4);
    const growth_number exponent = growth_exponent(&curve, 3, 0);
    if (growth_is_long())
        on_random(&cases[1], MILLION, 4);
    verdict_at_most("exponent from T/8 to T", exponent.value, exponent.error, ROOT);
    verdict_expect(VERDICT_FOR, "random MDP of 3 states and 3 actions, gap 0.226, bonus 0.02");
}

// ---- where runs cost ----

// Locks of K steps with a lure, threshold halfway, gap 1: K steps open them, and the best play of
// K-1 steps takes the lure. A settled learner goes round the m K states. A run costs the gap for
// each step that it is lured: K-1 steps if it starts at the begin of a lock, i-1 if it starts i > 0
// steps behind, K (K-1)/2 on the way through. Each of the m K pairs has T/(m K) visits and so 2
// sqrt(T/(m K)) / min(eta, 1/2) runs. Together
//     regret = constant + (K-1) sqrt(m K T) gap / min(eta, 1/2)
// which is the (K-1) sqrt(S A T) of the theorem, attained but for A: once settled, a learner plays
// one action per state.
static growth_curve on_locks(int32_t locks, int32_t k, int32_t actions, const char *spec,
                             int32_t seeds)
{
    double gamma[GROWTH_STATES];
    assert_in_range(locks * k, 1, GROWTH_STATES);
    for (int32_t s = 0; s < locks * k; s++)
        gamma[s] = 1 + 0.2 * k;
    lgkt_mdp *model = growth_locks(locks, k, actions);
    const growth_task task = {model, spec, k, gamma, MILLION, growth_seeds(seeds), 806, 0};
    const growth_curve curve = growth_to_threshold(&task);
    char title[64];
    snprintf(title, sizeof title, "%d locks of %d steps, %d actions", (int)locks, (int)k,
             (int)actions);
    growth_show(&task, title, &curve);
    lgkt_mdp_destroy(model);
    return curve;
}

// what T/4 .. T add
static growth_number added(const growth_curve *curve)
{
    return growth_difference(curve, 0, 2);
}

// the same by the formula
static double expected_added(int32_t locks, int32_t k, double eta)
{
    return (k - 1) * sqrt((double)locks * k * MILLION) / 2 / fmin(eta, 0.5);
}

// the number of the formula, and its growth
typedef struct root_check {
    growth_number part, exponent, whole;
} root_check;

static root_check check_root(const growth_curve *curve, int32_t locks, int32_t k, double eta)
{
    const double expected = expected_added(locks, k, eta);
    const growth_number more = added(curve);
    return (root_check){{more.value / expected, more.error / expected},
                        growth_added_exponent(curve),
                        growth_exponent(curve, 3, 0)};
}

static void depth_two_pays_the_root_of_time(void **state)
{
    (void)state;
    const growth_curve two = on_locks(1, 2, 2, THEORY_TWO ",eta=1", 8);
    const growth_curve five = on_locks(1, 2, 5, THEORY_TWO ",eta=0.447214", 8);
    const root_check one = check_root(&two, 1, 2, 1), other = check_root(&five, 1, 2, 0.447214);
    verdict_at_most("exponent from T/8 to T, A = 2", one.whole.value, one.whole.error, ROOT);
    verdict_at_most("exponent from T/8 to T, A = 5, eta = gap / sqrt(A)", other.whole.value,
                    other.whole.error, ROOT);
    verdict_at_most("what T/4 to T add, over the number that the runs cost", one.part.value,
                    one.part.error, 1.15);
    verdict_expect(
        VERDICT_FOR,
        "lock, each run costs regret, T = 10^6; exponents of what is added %.2f and %.2f",
        one.exponent.value, other.exponent.value);
    // not for the trivial reason that learning dominates
    assert_between(one.whole.value, 0.35, ROOT);
    assert_between(one.part.value, 0.95, 1.15);
    assert_between(other.part.value, 0.95, 1.15);
    assert_close(one.exponent.value, 0.5, 0.03 + 5 * one.exponent.error);
    assert_close(other.exponent.value, 0.5, 0.03 + 5 * other.exponent.error);
}

// With a small bonus UCBVI learns at once, for K = 3, 4 and 5.
static void deep_lookahead_pays_the_root_of_time(void **state)
{
    (void)state;
    for (int32_t k = 3; k <= 5; k++) {
        char spec[128], what[64];
        snprintf(spec, sizeof spec,
                 "lgkt:k=%d,profile=paper,fallback=uniform,eta=1,sampler-bonus=0.02", (int)k);
        const growth_curve curve = on_locks(1, k, 2, spec, 6);
        const root_check at = check_root(&curve, 1, k, 1);
        snprintf(what, sizeof what, "exponent from T/8 to T, K = %d", (int)k);
        verdict_at_most(what, at.whole.value, at.whole.error, ROOT);
        snprintf(what, sizeof what, "what T/4 to T add, over what the runs cost, K = %d", (int)k);
        verdict_at_most(what, at.part.value, at.part.error, 1.2);
        assert_close(at.exponent.value, 0.5, 0.03 + 5 * at.exponent.error);
        assert_between(at.part.value, k == 3 ? 0.95 : 0.9, 1.15);
        // not for the trivial reason that learning dominates
        assert_true(k > 3 || at.whole.value > 0.3);
    }
    verdict_expect(VERDICT_FOR, "lock of K steps, each run costs regret, bonus 0.02, T = 10^6");
}

// With the printed bonus, even where all pairs share the sampler, the lock takes 60000 steps of
// linear regret, which dominate the sum; what is added afterwards grows like sqrt(T). (As printed
// each pair has a sampler of its own, and it takes more than 10^6.)
static void a_shared_sampler_pays_the_root_after_a_linear_phase(void **state)
{
    (void)state;
    const growth_curve curve = on_locks(1, 3, 2, THEORY_THREE ",eta=1,sampler-scope=shared", 4);
    const root_check at = check_root(&curve, 1, 3, 1);
    assert_between(at.part.value, 0.7, 1.15);
    assert_close(at.exponent.value, 0.5, 0.03 + 5 * at.exponent.error);
    assert_between(growth_exponent(&curve, 8, 5).value, 0.9, 1.05);
}

// In S the cost of the runs is the root that the theorem says; A does not count once the learner
// has settled.
static void runs_cost_the_root_of_pairs(void **state)
{
    (void)state;
    const growth_curve few = on_locks(1, 2, 2, THEORY_TWO ",eta=1", 8),
                       many = on_locks(8, 2, 2, THEORY_TWO ",eta=1", 8),
                       wide = on_locks(1, 2, 8, THEORY_TWO ",eta=1", 8);
    const growth_number one = added(&few), other = added(&many), third = added(&wide);
    const double relative = hypot(one.error / one.value, other.error / other.value);
    const growth_number slope = {log2(other.value / one.value) / 3, relative / log(8)};
    const double ratio = third.value / one.value;
    verdict_at_most("slope of log regret over log S A, S from 2 to 16", slope.value, slope.error,
                    0.6);
    verdict_at_least("slope of log regret over log S A, from below", slope.value, slope.error, 0.4);
    verdict_at_most("regret at A = 8 over that at A = 2, against sqrt(4)", ratio,
                    ratio * hypot(third.error / third.value, one.error / one.value), 2);
    verdict_expect(VERDICT_FOR, "rings of locks of 2 steps, what T/4 to T add, T = 10^6");
}

// ---- Remark 4.6 ----

// the same model is learned the slower the deeper one looks
static void deeper_lookahead_settles_later(void **state)
{
    (void)state;
    const char *specs[] = {THEORY_ONE, THEORY_TWO ",eta=0.25", THEORY_THREE ",eta=0.25"};
    growth_number regret[3];
    for (int i = 0; i < 3; i++) {
        const growth_family family = {3, 3, i + 1, 0.25, LGKT_NOISE_NORMAL, 0.5};
        const growth_curve curve = growth_on_family(&family, specs[i], 200000, 6);
        regret[i] = growth_mean(&curve, 0);
        if (i > 0)
            verdict_at_least(i == 1 ? "regret of K = 2 minus that of K = 1"
                                    : "regret of K = 3 minus that of K = 2",
                             regret[i].value - regret[i - 1].value,
                             hypot(regret[i].error, regret[i - 1].error), 0);
    }
    verdict_expect(VERDICT_FOR,
                   "one good action per state, gap 0.25, T = 200000: regret %.0f, %.0f, %.0f",
                   regret[0].value, regret[1].value, regret[2].value);
}

// ---- the checks can fail ----

static void playing_at_random_fails_them_all(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 3; k++) {
        const growth_family family = {3, 3, k, 0.25, LGKT_NOISE_NORMAL, 0.5};
        const growth_curve curve = growth_on_family(&family, "random", 200000, 8);
        assert_close(growth_exponent(&curve, 3, 0).value, 1, 0.01);
    }
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_two_is_sublinear_on_the_family),
        cmocka_unit_test(depth_two_is_sublinear_where_runs_cost),
        cmocka_unit_test(depth_three_needs_a_small_bonus),
        cmocka_unit_test(depth_three_is_sublinear_where_runs_cost),
        cmocka_unit_test(depth_two_pays_the_root_of_time),
        cmocka_unit_test(deep_lookahead_pays_the_root_of_time),
        cmocka_unit_test(a_shared_sampler_pays_the_root_after_a_linear_phase),
        cmocka_unit_test(runs_cost_the_root_of_pairs),
        cmocka_unit_test(deeper_lookahead_settles_later),
        cmocka_unit_test(playing_at_random_fails_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
