// SPDX-License-Identifier: MIT
// labels: slow statistics
// Smaller statements of the paper: Lemma D.2 (how far means stray), steps of the proofs of Theorems
// 4.2 and 4.4 that are numbers, and the linear lower bound of section 2.1. Seeds are fixed.

#include "test.h"

#include "ref/growth.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/verdict.h"

#define SE 5 // standard errors that a bound leaves

// ---- Lemma D.2 ----

// what the mean of n rewards strays at most, but for a chance alpha, for noise of scale 1
static double boundary(double n, double alpha)
{
    return 1.7 * sqrt((log(log(2 * n)) + 0.72 * log(10.4 / alpha)) / n);
}

// zero-mean noise that is sub-Gaussian of scale 1
static double noise(lgkt_rng *rng, int law, int64_t t)
{
    switch (law) {
    case 0:
        return lgkt_rng_normal(rng);
    case 1:
        return lgkt_rng_uniform(rng) < 0.5 ? -1 : 1;
    default: // changes from step to step, as Assumption 2.1 allows
        return t % 2 == 0 ? lgkt_rng_normal(rng) : lgkt_rng_uniform(rng) < 0.5 ? -0.3 : 0.3;
    }
}

enum { RUNS = 1000, STEPS = 5000, LAWS = 3 };

// the share of runs whose mean strays beyond `factor` times the boundary at any of STEPS times
static double crossings(int law, double alpha, double factor)
{
    int crossed = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        lgkt_rng rng = lgkt_rng_stream(91, "boundary", run);
        double sum = 0;
        bool beyond = false;
        for (int64_t n = 1; n <= STEPS && !beyond; n++) {
            sum += noise(&rng, law, n);
            beyond = fabs(sum / (double)n) >= factor * boundary((double)n, alpha);
        }
        crossed += beyond;
    }
    return (double)crossed / RUNS;
}

// The lemma is for one time and a count that hangs on the rewards; it holds for all counts at once.
static void means_stay_within_the_boundary(void **state)
{
    (void)state;
    const double alphas[] = {0.05, 0.5};
    double worst[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (int law = 0; law < LAWS; law++)
            worst[i] = fmax(worst[i], crossings(law, alphas[i], 1));
    assert_between(worst[0], 0, alphas[0]);
    assert_between(worst[1], 0, alphas[1]);
    // the check can fail: two thirds of the boundary are not enough
    assert_true(crossings(0, alphas[0], 2.0 / 3) > alphas[0]);
    verdict(true,
            "share of runs of 5000 steps that ever cross: %.3f for alpha = 0.05, %.3f for 0.5, "
            "the worst of 3 laws of scale 1",
            worst[0], worst[1]);
}

// As printed it asks nothing of the noise; with a scale of 2 one reward is enough to refute it.
static void the_boundary_needs_noise_of_scale_one(void **state)
{
    (void)state;
    const double alpha = 0.05;
    const double chance = erfc(boundary(1, alpha) / 2 / sqrt(2)); // P(|2 Z| >= boundary)
    assert_between(chance, 0.11, 0.12);
    verdict(false, "normal noise of sd 2, one reward, alpha = 0.05: the chance to cross is %.3f",
            chance);
}

// ---- numbers in the proofs ----

static double width(double n)
{
    return sqrt(3 * log(n + 2) / (n + 2));
}

// "the time of overestimation is at most a constant", 2: how often the lower bound of a bad action
// is above the threshold in expectation, summed exactly for normal noise of sd 1 and no gap at all
static void bad_actions_are_overestimated_at_most_twice(void **state)
{
    (void)state;
    double sum = 0, n = 1;
    for (; n < 1e6; n++)
        sum += erfc(width(n) * sqrt(n / 2)) / 2;
    // P(Z > x) < exp(-x^2/2) / x, which from n on is below n^-1.5 / 5
    sum += 2 / sqrt(n) / 5;
    assert_between(sum, 0.1, 2);
    verdict(true, "normal noise of sd 1, gap 0: at most %.2f times, the proof says 2", sum);
}

// u = 12/D^2 (ln(e/D^6) + ln ln(1/D^6)) is to satisfy sqrt(3 ln(u)/u) <= D
static void the_sample_size_of_the_proof_suffices(void **state)
{
    (void)state;
    double largest = 0;
    for (double gap = 0.01; gap < 0.995; gap += 0.01) {
        const double power = -6 * log(gap), u = 12 / (gap * gap) * (1 + power + log(power));
        if (u > 1 && sqrt(3 * log(u) / u) <= gap)
            largest = gap;
        else
            break;
    }
    assert_between(largest, 0.9, 0.985);
    verdict(true, "right for gaps from 0.01 to %.2f; the printed u is negative near 1", largest);
}

// Of the k visits of a pair more than max(sqrt(k-1)/(2 D), 2 sqrt(k-1)) began a run, but for 8/D^2
// of the k; and all runs together are at most 2 sqrt(S A T)/min(D, 1/2).
static void visits_begin_enough_runs(void **state)
{
    (void)state;
    const double gaps[] = {0.1, 0.25, 0.5, 1};
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        const double gap = gaps[i], eta = fmin(gap, 0.5);
        double few = 0, expected = 0;
        for (uint64_t run = 0; run < 100; run++) {
            lgkt_rng rng = lgkt_rng_stream(92, "runs", run);
            int64_t runs = 0;
            for (int64_t l = 1; l <= 10000; l++) {
                // before the l-th visit
                const double root = sqrt((double)(l - 1));
                few += (double)runs <= fmax(root / (2 * gap), 2 * root) ? 0.01 : 0;
                runs += lgkt_rng_uniform(&rng) < fmin(1, 1 / (eta * sqrt((double)l)));
            }
        }
        for (double l = 1; l <= 10000; l++)
            expected += fmin(1, 1 / (eta * sqrt(l)));
        assert_between(expected, 0, 2 * sqrt(10000) / eta);
        assert_between(few, 0, 8 / (gap * gap));
        worst = fmax(worst, few * gap * gap);
    }
    verdict(true,
            "gaps 0.1 to 1: too few runs at no more than %.2f/gap^2 of 10000 visits; 8/gap^2 are "
            "allowed",
            worst);
}

// ---- section 2.1: the linear lower bound ----

enum { GATES = 2, GATE_STATES = 3 };

// In state 0 one action leads for ever to where each step earns 1, the other to where it earns 0.
static lgkt_mdp *gate(int32_t good)
{
    const double rewards[GATE_STATES * GATES] = {0, 0, 1, 1, 0, 0};
    double kernel[GATE_STATES * GATES * GATE_STATES] = {0};
    for (int32_t a = 0; a < GATES; a++) {
        kernel[(0 * GATES + a) * GATE_STATES + (a == good ? 1 : 2)] = 1;
        kernel[(1 * GATES + a) * GATE_STATES + 1] = 1;
        kernel[(2 * GATES + a) * GATE_STATES + 2] = 1;
    }
    return model_dense(GATE_STATES, GATES, rewards, kernel);
}

// Nothing tells the two gates apart before it is too late, so what a learner loses at both adds up
// to T - 1, whoever it is: on one of them at least it loses (T - 1)/2. This is the bound of section
// 2.1, for the worst model.
static void nobody_passes_both_gates(void **state)
{
    (void)state;
    enum { T = 400, SEEDS = 2 };
    lgkt_mdp *gates[] = {gate(0), gate(1)};
    int learners = 0;
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++) {
        const char *name = lgkt_learner_entry(i)->name;
        if (learner_run_is_oracle(name))
            continue;
        double lost[SEEDS] = {0};
        for (int g = 0; g < 2; g++) {
            const growth_task task = {
                .model = gates[g], .spec = name, .horizon = T, .seeds = SEEDS, .seed = 93};
            const growth_curve curve = growth_to_optimum(&task);
            for (int seed = 0; seed < SEEDS; seed++)
                lost[seed] += curve.regret[seed][0];
        }
        for (int seed = 0; seed < SEEDS; seed++)
            assert_close(lost[seed], T - 1, 1e-9);
        learners++;
    }
    assert_true(learners >= 30);
    lgkt_mdp_destroy(gates[0]);
    lgkt_mdp_destroy(gates[1]);
    verdict(true,
            "two MDPs that differ in which way is right: each of %d learners loses T - 1 on both "
            "together",
            learners);
}

// "all online algorithms suffer from a linear convergence rate": on the worst model, not on each.
static void regret_to_the_optimum_can_be_sublinear(void **state)
{
    (void)state;
    enum { T = 40000, MODELS = 6, SEEDS = 8 };
    // summed over models: where states go adds noise that the regret of one hardly stands out from
    growth_curve learned = {0}, none = {0};
    for (uint64_t i = 0; i < MODELS; i++) {
        lgkt_mdp *model = growth_random(i, 5, 3, 0.5);
        growth_curve *const sums[] = {&learned, &none};
        for (int j = 0; j < 2; j++) {
            const growth_task task = {.model = model,
                                      .spec = j == 0 ? "psrl" : "random",
                                      .horizon = T,
                                      .seeds = SEEDS,
                                      .seed = 94};
            growth_curve curve = growth_to_optimum(&task);
            for (int32_t seed = 0; seed < SEEDS; seed++)
                for (int32_t at = 0; at < curve.points; at++)
                    curve.regret[seed][at] += sums[j]->regret[seed][at];
            *sums[j] = curve;
        }
        lgkt_mdp_destroy(model);
    }
    const growth_number exponent = growth_exponent(&learned, 5, 0);
    assert_between(exponent.value + SE * exponent.error, -INFINITY, 0.8);
    assert_close(growth_exponent(&none, 5, 0).value, 1, 0.02);
    verdict(false,
            "PSRL on %d random MDPs: exponent %.2f +- %.2f from 1250 to 40000 steps; it loses "
            "%.1f%% of "
            "what random play loses",
            MODELS, exponent.value, exponent.error,
            100 * growth_mean(&learned, 0).value / growth_mean(&none, 0).value);
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_stay_within_the_boundary),
        cmocka_unit_test(the_boundary_needs_noise_of_scale_one),
        cmocka_unit_test(bad_actions_are_overestimated_at_most_twice),
        cmocka_unit_test(the_sample_size_of_the_proof_suffices),
        cmocka_unit_test(visits_begin_enough_runs),
        cmocka_unit_test(nobody_passes_both_gates),
        cmocka_unit_test(regret_to_the_optimum_can_be_sublinear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
