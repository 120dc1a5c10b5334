// SPDX-License-Identifier: MIT
// labels: slow statistics long
// How the regret to the thresholding policy grows: Theorems 4.2, 4.4 and F.1, Corollary 4.5, Remark
// 4.6 and Assumption 2.1. docs/theory.md has the curves in full.
//
// LGKT_LONG=1 in the environment runs more seeds over longer times and prints every curve.
//
// Seeds are fixed. "se" is the standard error over the seeds, by the jackknife; where a bound reads
// value + 5 se, a right program with other seeds would fail it with probability 3e-7 by the normal
// law, somewhat more with the few seeds of the short version. What a bound must catch is a learner
// that does not learn: the last test shows that playing at random fails them all.

#include "test.h"

#include "ref/env_run.h"
#include "ref/growth.h"
#include "ref/verdict.h"

#define SE 5 // standard errors that a bound leaves

// more seeds in the long version
static int32_t seeds_of(int32_t seeds)
{
    return growth_is_long() ? 48 : seeds;
}

static void show(const growth_task *task, const char *title, const growth_curve *curve)
{
    if (!growth_is_long())
        return;
    char text[256];
    snprintf(text, sizeof text, "%s; %s; %d seeds", title, task->spec, (int)curve->seeds);
    growth_print(text, curve);
}

// ---- a learner on one model ----

// regret on the family "one action at gamma + D, the others at gamma - D"
static growth_curve on_family(const growth_family *family, const char *spec, int64_t horizon,
                              int32_t seeds)
{
    enum { MOST_STATES = 16 };
    static const char *const noises[] = {"none", "normal", "bernoulli", "drifting"};
    double gamma[MOST_STATES];
    assert_in_range(family->states, 1, MOST_STATES);
    for (int32_t s = 0; s < family->states; s++)
        gamma[s] = growth_gamma(family);
    lgkt_mdp *model = growth_model(family);
    const growth_task task = {model, spec, family->k, gamma, horizon, seeds_of(seeds), 801, 0};
    const growth_curve curve = growth_to_threshold(&task);
    char title[128];
    snprintf(title, sizeof title, "family S=%d A=%d K=%d D=%g, noise %s %g", (int)family->states,
             (int)family->actions, (int)family->k, family->gap, noises[family->noise], family->sd);
    show(&task, title, &curve);
    lgkt_mdp_destroy(model);
    return curve;
}

// regret on a random 3 x 3 model with gamma(s) between the best and the second best action. The
// spec gets eta = gap^power / divisor.
typedef struct random_case {
    uint64_t model;
    int64_t k;
    const char *spec;
    double power, divisor;
} random_case;

static growth_curve on_random(const random_case *at, int64_t horizon, int32_t seeds)
{
    double gamma[3];
    lgkt_mdp *model = growth_random(at->model, 3, 3, 0.5);
    const double gap = growth_halfway(model, at->k, gamma);
    char spec[160], title[64];
    snprintf(spec, sizeof spec, "%s,eta=%.6g", at->spec, pow(gap, at->power) / at->divisor);
    const growth_task task = {model, spec, at->k, gamma, horizon, seeds_of(seeds), 802, 0};
    const growth_curve curve = growth_to_threshold(&task);
    snprintf(title, sizeof title, "random model %d, gap %.4f", (int)at->model, gap);
    show(&task, title, &curve);
    lgkt_mdp_destroy(model);
    return curve;
}

// ---- Theorem 4.2: constant regret at K = 1 ----

#define THEORY_ONE "lg1t-uniform:profile=paper"

// returns the share of the regret that came in the second half of the run
static double assert_stopped(const growth_curve *curve)
{
    // T and T/2
    for (int32_t j = 0; j < 2; j++) {
        const growth_number share = growth_late_share(curve, j);
        assert_between(share.value + SE * share.error, -0.01, 0.01);
    }
    return growth_late_share(curve, 0).value;
}

static void depth_one_stops_to_pay(void **state)
{
    (void)state;
    const growth_family families[] = {{3, 3, 1, 0.25, LGKT_NOISE_NORMAL, 0.5},
                                      {3, 3, 1, 0.25, LGKT_NOISE_NORMAL, 1},
                                      {10, 5, 1, 0.25, LGKT_NOISE_BERNOULLI, 0},
                                      {1, 2, 1, 0.1, LGKT_NOISE_NORMAL, 0.5}};
    double latest = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const growth_curve curve = on_family(&families[i], THEORY_ONE, 200000, 20);
        latest = fmax(latest, assert_stopped(&curve));
    }
    verdict(true, "share of the regret that came after half of 200000 steps: %.2g, 4 families",
            latest);
}

// Assumption 2.1: laws that change from step to step, with the same means
static void drifting_noise_changes_nothing(void **state)
{
    (void)state;
    const growth_family families[] = {{3, 3, 1, 0.25, LGKT_NOISE_DRIFTING, 0},
                                      {10, 5, 1, 0.25, LGKT_NOISE_DRIFTING, 0}};
    double latest = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const growth_curve curve = on_family(&families[i], THEORY_ONE, 200000, 20);
        latest = fmax(latest, assert_stopped(&curve));
    }
    verdict(true, "share of the regret that came after half of 200000 steps: %.2g, 2 families",
            latest);
}

// the width of the paper
static double width(double n)
{
    return sqrt(3 * log(n + 2) / (n + 2));
}

// the number of samples from which on the width is at most D
static double samples_for(double gap)
{
    double n = 1;
    while (width(n) > gap)
        n++;
    return n;
}

// All actions are played alike until the good one has n_D samples, w(n_D) = D, and then it is
// played alone: regret = S D n_D = S 3 ln(n_D + 2) / D. Returns regret D / (S ).
static double scaled_regret(int32_t states, int32_t actions, double gap, double *worst)
{
    const growth_family family = {states, actions, 1, gap, LGKT_NOISE_NORMAL, 0.5};
    const growth_curve curve = on_family(&family, THEORY_ONE, 200000, 24);
    const growth_number regret = growth_mean(&curve, 0);
    const double pairs = states * (actions - 1), expected = pairs * gap * samples_for(gap);
    // the noise shifts the mean time to get there by a few percent
    assert_close(regret.value, expected, 0.07 * regret.value + SE * regret.error);
    *worst = fmax(*worst, fabs(regret.value / expected - 1));
    return regret.value * gap / pairs;
}

static void regret_scales_as_samples_say(void **state)
{
    (void)state;
    double worst = 0;
    for (double gap = 0.5; gap > 0.1; gap /= 2)
        scaled_regret(10, 2, gap, &worst);
    scaled_regret(3, 4, 0.25, &worst);
    scaled_regret(3, 4, 0.125, &worst);
    verdict(true, "S (A-1) 3 ln(n) / gap, n the samples needed: right within %.0f%%, 5 families",
            100 * worst);
}

// So S A / D is right up to a logarithm of 1/D, which the theorem leaves out (its proof has it: u =
// 12/D^2 ln(e/D^6)).
static void the_printed_order_lacks_a_logarithm(void **state)
{
    (void)state;
    double worst = 0;
    const double wide = scaled_regret(3, 4, 0.5, &worst);
    const double narrow = scaled_regret(3, 4, 0.0625, &worst);
    // 3 ln(n_D + 2) goes from 11.5 to 26.5
    assert_between(narrow / wide, 1.9, 2.9);
    verdict(false,
            "regret gap / (S (A-1)) is %.1f at gap 1/2 and %.1f at 1/16: it grows as ln(1/gap)",
            wide, narrow);
}

// The order S A / D also needs bad actions to be no farther below the threshold than a constant
// times D, which the proof assumes for the second half only: they are played n_D times at their own
// gap.
static void wide_bad_gaps_cost_more(void **state)
{
    (void)state;
    enum { S = 3, A = 4 };
    double scaled[2];
    for (int i = 0; i < 2; i++) {
        // good actions are D above, bad ones 1/2 below
        const double gap = i == 0 ? 0.25 : 0.0625, half = (gap + 0.5) / 2;
        const growth_family family = {S, A, 1, half, LGKT_NOISE_NORMAL, 0.5};
        const double gamma[S] = {0.5 + half - gap, 0.5 + half - gap, 0.5 + half - gap};
        lgkt_mdp *model = growth_model(&family);
        const growth_task task = {model, THEORY_ONE, 1, gamma, 200000, seeds_of(16), 801, 0};
        const growth_curve curve = growth_to_threshold(&task);
        const growth_number regret = growth_mean(&curve, 0);
        const double expected = S * (A - 1) * 0.5 * samples_for(gap);
        show(&task, "bad actions 1/2 below", &curve);
        assert_close(regret.value, expected, 0.1 * expected + SE * regret.error);
        scaled[i] = regret.value * gap / (S * (A - 1));
        lgkt_mdp_destroy(model);
    }
    // 1/D^2 would be 4, and there is the logarithm
    assert_between(scaled[1] / scaled[0], 4.5, 8);
    verdict(false,
            "bad actions 1/2 below: regret gap / (S (A-1)) is %.0f at gap 1/4, %.0f at 1/16: as "
            "ln(1/gap) "
            "/ gap",
            scaled[0], scaled[1]);
}

// "Theorems 4.2 and 4.4 hold for time and state varying threshold": one that rises for 5000 steps,
// in each state to another level
static void moving_thresholds_change_nothing(void **state)
{
    (void)state;
    enum { S = 3, ROWS = 5000 };
    static double gamma[ROWS * S];
    const growth_family family = {S, 3, 1, 0.25, LGKT_NOISE_NORMAL, 0.5};
    for (int32_t z = 0; z < ROWS * S; z++)
        gamma[z] = 0.5 + 0.05 * (z % S) - 0.4 * (1 - (double)(z / S) / (ROWS - 1));
    lgkt_mdp *model = growth_model(&family);
    const growth_task task = {model, THEORY_ONE, 1, gamma, 200000, seeds_of(16), 801, ROWS};
    const growth_curve curve = growth_to_threshold(&task);
    show(&task, "a threshold that rises", &curve);
    const double share = assert_stopped(&curve);
    lgkt_mdp_destroy(model);
    verdict(true,
            "a threshold that rises for 5000 steps: share of the regret that came after half of "
            "200000 steps: %.2g",
            share);
}

// Second half of the theorem. Where D is so small that no sample size within the run suffices, all
// is played at random and the regret is (A-1)/A D T: at D = sqrt(S A / T) that is of order
// sqrt(S A T). It is largest where the samples just suffice at the end, n_D = T/(S A), and then
// about (A-1)/A sqrt(3 ln(n_D) S A T): a root of a logarithm more than printed.
static void small_gaps_cost_a_root_of_time(void **state)
{
    (void)state;
    enum { S = 3, A = 3 };
    const int64_t horizons[] = {10000, 100000, 1000000};
    double worst[3];
    for (int i = 0; i < (growth_is_long() ? 3 : 2); i++) {
        const double t = (double)horizons[i], root = sqrt(S * A * t);
        growth_family family = {S, A, 1, sqrt(S * A / t), LGKT_NOISE_NORMAL, 0.5};
        growth_curve curve = on_family(&family, THEORY_ONE, horizons[i], 20);
        const growth_number small = growth_mean(&curve, 0);
        assert_close(small.value / root, (A - 1.0) / A, SE * small.error / root);

        family.gap = width(t / (S * A));
        curve = on_family(&family, THEORY_ONE, horizons[i], 20);
        worst[i] = growth_mean(&curve, 0).value / root;
        // playing at random would give 1
        assert_between(worst[i] / ((A - 1.0) / A * sqrt(3 * log(t / (S * A)))), 0.8, 0.96);
    }
    assert_between(worst[1] / worst[0], 1.05, 1.3);
    verdict(false,
            "worst gap: regret / sqrt(S A T) is %.2f at T = 10^4, %.2f at 10^5: as sqrt(ln T)",
            worst[0], worst[1]);
}

// ---- Theorem F.1: the index in place of the uniform fallback ----

#define INDEX_ONE "lg1t:profile=paper"

static double over_bound(const growth_family *family, const growth_curve *curve, int32_t j)
{
    const double t = (double)curve->time[j];
    return growth_mean(curve, j).value / sqrt(family->states * family->actions * t * log(t));
}

// Where gaps are wide for the noise it is far better than sqrt(S A T log T).
static void the_index_is_fine_for_wide_gaps(void **state)
{
    (void)state;
    const growth_family families[] = {{3, 3, 1, 0.25, LGKT_NOISE_NORMAL, 0.5},
                                      {3, 3, 1, 0.1, LGKT_NOISE_NORMAL, 0.25},
                                      {10, 5, 1, 0.25, LGKT_NOISE_NORMAL, 0.5}};
    double largest = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const growth_curve curve = on_family(&families[i], INDEX_ONE, 200000, 20);
        const growth_number exponent = growth_exponent(&curve, 3, 0);
        assert_between(exponent.value + SE * exponent.error, -0.1, 0.5);
        assert_between(over_bound(&families[i], &curve, 0), 0, 0.1);
        largest = fmax(largest, over_bound(&families[i], &curve, 0));
    }
    verdict(true, "wide gaps: at most %.3f sqrt(S A T ln T) at T = 200000, 3 families", largest);
}

// As printed it is false: the printed bonus (3.4/n) sqrt(../n) shrinks like n^-1.5, faster than the
// error of a mean. A good action that looks bad after some samples is then never tried again, and
// the regret is linear.
static void the_index_gets_stuck_at_narrow_gaps(void **state)
{
    (void)state;
    const growth_family family = {3, 3, 1, 0.1, LGKT_NOISE_NORMAL, 1};
    const growth_curve curve = on_family(&family, INDEX_ONE, 200000, 24);
    const growth_number exponent = growth_exponent(&curve, 3, 0);
    assert_between(exponent.value, 0.9, 1.05);
    assert_true(over_bound(&family, &curve, 0) > 2 * over_bound(&family, &curve, 4));
    // some runs are lost from early on, others are fine
    int32_t stuck = 0;
    for (int32_t seed = 0; seed < curve.seeds; seed++)
        stuck += curve.regret[seed][0] > 1.9 * curve.regret[seed][1];
    assert_between((double)stuck / curve.seeds, 0.2, 0.95);
    if (growth_is_long())
        print_message("# stuck: %d of %d runs\n", (int)stuck, (int)curve.seeds);
    // the uniform fallback of the theory version does not get stuck on the same model
    const growth_curve uniform = on_family(&family, THEORY_ONE, 400000, 20);
    assert_stopped(&uniform);
    verdict(false,
            "gap 0.1, noise of sd 1: exponent %.2f from 25000 to 200000 steps, %d of %d runs stuck",
            exponent.value, (int)stuck, (int)curve.seeds);
}

// ---- Theorem 4.4 and Corollary 4.5: sublinear regret at K >= 2 ----

#define THEORY_TWO   "lg2t-uniform:profile=paper"
#define THEORY_THREE "lgkt:k=3,profile=paper,fallback=uniform"
#define MILLION      1000000

// between T/8 and T
static void assert_late_exponent(const growth_curve *curve, double low, double high)
{
    const growth_number exponent = growth_exponent(curve, 3, 0);
    assert_between(exponent.value - SE * exponent.error, low, INFINITY);
    assert_between(exponent.value + SE * exponent.error, -INFINITY, high);
}

// In the family the best action of a run is good for K steps too: runs cost next to nothing. eta is
// the gap (the K in the paper's Delta^K is an index, not a power), by the corollary over sqrt(A).
static void depth_two_is_sublinear_on_the_family(void **state)
{
    (void)state;
    const growth_family family = {3, 3, 2, 0.25, LGKT_NOISE_NORMAL, 0.5};
    const char *specs[] = {THEORY_TWO ",eta=0.25", THEORY_TWO ",eta=0.144338"};
    double largest = 0;
    for (int i = 0; i < 2; i++) {
        const growth_curve curve = on_family(&family, specs[i], MILLION, 6);
        assert_late_exponent(&curve, -INFINITY, 0.54);
        largest = fmax(largest, growth_exponent(&curve, 3, 0).value);
    }
    verdict(true, "runs cost little, gap 0.25: exponent at most %.3f from 125000 to 10^6 steps",
            largest);
}

// In random model 49 two of three states have another best action for 1 step than for 2: there
// every run costs.
static void depth_two_is_sublinear_where_runs_cost(void **state)
{
    (void)state;
    const double root = sqrt(3);
    const random_case cases[] = {{49, 2, THEORY_TWO, 1, 1}, {49, 2, THEORY_TWO, 1, root}};
    double largest = 0;
    for (int i = 0; i < 2; i++) {
        const growth_curve curve = on_random(&cases[i], MILLION, 6);
        assert_late_exponent(&curve, -INFINITY, 0.54);
        largest = fmax(largest, growth_exponent(&curve, 3, 0).value);
    }
    verdict(true, "random MDP, gap 0.218: exponent at most %.3f from 125000 to 10^6 steps",
            largest);
}

// A lock of K steps with a lure of 0.2 (src/env/chains.c), threshold halfway, gap 1: K steps open
// it, and the best play of K-1 steps takes the lure. A settled learner goes round the K states. A
// run costs the gap for each step that it is lured: K-1 steps if it starts in state 0, i-1 if it
// starts in state i > 0, K (K-1)/2 on the way round. Each of the K pairs has T/K visits and so 2
// sqrt(T/K) / min(eta, 1/2) runs. Together
//     regret = constant + K (K-1) sqrt(T/K) gap / min(eta, 1/2)
// which is the (K-1) sqrt(S A T) of the theorem, attained.
static growth_curve on_lock(int64_t k, int32_t actions, const char *spec, int32_t seeds)
{
    char name[96];
    snprintf(name, sizeof name, "lock:states=%d,actions=%d,lure=0.2,prize=%g,sd=0.5", (int)k,
             (int)actions, 2 + 0.2 * (double)k);
    const lgkt_env_config config = lgkt_env_config_default();
    lgkt_env *env = env_run_make(name, &config);
    const double gamma[] = {1 + 0.2 * (double)k, 1 + 0.2 * (double)k, 1 + 0.2 * (double)k};
    const growth_task task = {lgkt_env_model(env), spec, k, gamma, MILLION,
                              seeds_of(seeds),     806,  0};
    const growth_curve curve = growth_to_threshold(&task);
    show(&task, name, &curve);
    lgkt_env_destroy(env);
    return curve;
}

static double lock_runs(int64_t k, double eta, double t)
{
    return (double)(k * (k - 1)) * sqrt(t / (double)k) / fmin(eta, 0.5);
}

// What T/4 .. T add is what the runs cost, and grows like sqrt(T).
static growth_number assert_root(const growth_curve *curve, int64_t k, double eta, double least)
{
    const double added = growth_mean(curve, 0).value - growth_mean(curve, 2).value;
    const double expected = lock_runs(k, eta, MILLION) - lock_runs(k, eta, MILLION / 4.0);
    // bad pairs have a few runs, too; a sampler that still explores is lured less often
    assert_between(added / expected, least, 1.15);
    const growth_number exponent = growth_added_exponent(curve);
    assert_close(exponent.value, 0.5, 0.03 + SE * exponent.error);
    assert_late_exponent(curve, 0, 0.54);
    return exponent;
}

static void depth_two_pays_the_root_of_time(void **state)
{
    (void)state;
    const growth_curve two = on_lock(2, 2, THEORY_TWO ",eta=1", 8);
    const growth_curve five = on_lock(2, 5, THEORY_TWO ",eta=0.447214", 8);
    const growth_number at = assert_root(&two, 2, 1, 0.95);
    assert_root(&five, 2, 0.447214, 0.95);
    // not for the trivial reason that learning dominates
    assert_late_exponent(&two, 0.35, 0.54);
    verdict(true, "lock, runs cost: exponent %.3f from 125000 to 10^6 steps, of what is added %.3f",
            growth_exponent(&two, 3, 0).value, at.value);
}

// With a small bonus UCBVI learns at once. With the printed one, even where all pairs share it, the
// lock takes 60000 steps of linear regret, which dominate the sum; what is added afterwards grows
// like sqrt(T). (As printed each pair has a sampler of its own, and it takes more than 10^6.)
static void depth_three_pays_the_root_of_time(void **state)
{
    (void)state;
    const growth_curve small = on_lock(3, 2, THEORY_THREE ",eta=1,sampler-bonus=0.02", 6);
    const growth_curve shared = on_lock(3, 2, THEORY_THREE ",eta=1,sampler-scope=shared", 4);
    const growth_number at = assert_root(&small, 3, 1, 0.95),
                        late = assert_root(&shared, 3, 1, 0.7);
    assert_late_exponent(&small, 0.3, 0.54);
    assert_between(growth_exponent(&shared, 8, 5).value, 0.9, 1.05);
    verdict(true,
            "lock, bonus 0.02: exponent %.3f from 125000 to 10^6 steps, of what is added %.3f; "
            "bonus 1, one sampler for all: linear at first, of what is added at the end %.3f",
            growth_exponent(&small, 3, 0).value, at.value, late.value);
}

// On the family with the printed bonus UCBVI plays the runs at random for more than 10^7 steps, so
// that the samples say nothing of the best continuation; with 0.02 it does not.
static void depth_three_needs_a_small_bonus(void **state)
{
    (void)state;
    const growth_family family = {3, 3, 3, 0.2, LGKT_NOISE_NORMAL, 0.5};
    const growth_curve small =
        on_family(&family, THEORY_THREE ",eta=0.2,sampler-bonus=0.02", MILLION, 4);
    assert_late_exponent(&small, -INFINITY, 0.54);
    const int64_t horizon = growth_is_long() ? 10 * MILLION : MILLION / 4;
    const growth_curve printed = on_family(&family, THEORY_THREE ",eta=0.2", horizon, 4);
    assert_late_exponent(&printed, 0.8, 1.1);
    verdict(false,
            "runs cost little, gap 0.2: exponent %.2f up to %g steps with the printed bonus, %.2f "
            "up to "
            "10^6 with 0.02 of it",
            growth_exponent(&printed, 3, 0).value, (double)horizon,
            growth_exponent(&small, 3, 0).value);
}

static void depth_three_is_sublinear_where_runs_cost(void **state)
{
    (void)state;
    const random_case cases[] = {{385, 3, THEORY_THREE ",sampler-bonus=0.02", 1, 1},
                                 {385, 3, THEORY_THREE, 1, 1}};
    const growth_curve curve = on_random(&cases[0], MILLION, 4);
    assert_late_exponent(&curve, -INFINITY, 0.54);
    if (growth_is_long())
        on_random(&cases[1], MILLION, 4);
    verdict(true, "random MDP, gap 0.226, bonus 0.02: exponent %.3f from 125000 to 10^6 steps",
            growth_exponent(&curve, 3, 0).value);
}

// Remark 4.6: the same model is learned the slower the deeper one looks.
static void deeper_lookahead_settles_later(void **state)
{
    (void)state;
    const char *specs[] = {THEORY_ONE, THEORY_TWO ",eta=0.25", THEORY_THREE ",eta=0.25"};
    growth_number regret[3];
    for (int i = 0; i < 3; i++) {
        const growth_family family = {3, 3, i + 1, 0.25, LGKT_NOISE_NORMAL, 0.5};
        const growth_curve curve = on_family(&family, specs[i], 200000, 6);
        regret[i] = growth_mean(&curve, 0);
        if (i > 0)
            assert_true(regret[i].value - regret[i - 1].value >
                        SE * hypot(regret[i].error, regret[i - 1].error));
    }
    verdict(true, "the same MDP, 200000 steps: regret %.0f, %.0f, %.0f for K = 1, 2, 3",
            regret[0].value, regret[1].value, regret[2].value);
}

// ---- the checks can fail ----

static void playing_at_random_fails_them_all(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= 3; k++) {
        const growth_family family = {3, 3, k, 0.25, LGKT_NOISE_NORMAL, 0.5};
        const growth_curve curve = on_family(&family, "random", 200000, 8);
        // not below 0.01, not below 0.7, and far above S D n_D
        assert_close(growth_late_share(&curve, 0).value, 0.5, 0.01);
        assert_close(growth_exponent(&curve, 3, 0).value, 1, 0.01);
        assert_true(growth_mean(&curve, 0).value > 50 * 6 * 0.25 * samples_for(0.25));
        assert_true(over_bound(&family, &curve, 0) > 1);
    }
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_one_stops_to_pay),
        cmocka_unit_test(drifting_noise_changes_nothing),
        cmocka_unit_test(regret_scales_as_samples_say),
        cmocka_unit_test(the_printed_order_lacks_a_logarithm),
        cmocka_unit_test(wide_bad_gaps_cost_more),
        cmocka_unit_test(moving_thresholds_change_nothing),
        cmocka_unit_test(small_gaps_cost_a_root_of_time),
        cmocka_unit_test(the_index_is_fine_for_wide_gaps),
        cmocka_unit_test(the_index_gets_stuck_at_narrow_gaps),
        cmocka_unit_test(depth_two_is_sublinear_on_the_family),
        cmocka_unit_test(depth_two_is_sublinear_where_runs_cost),
        cmocka_unit_test(depth_two_pays_the_root_of_time),
        cmocka_unit_test(depth_three_pays_the_root_of_time),
        cmocka_unit_test(depth_three_needs_a_small_bonus),
        cmocka_unit_test(depth_three_is_sublinear_where_runs_cost),
        cmocka_unit_test(deeper_lookahead_settles_later),
        cmocka_unit_test(playing_at_random_fails_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
