// SPDX-License-Identifier: MIT
// The analysis of variance of spread.h against a computation in two passes, on data whose variances
// are known, and the beliefs against Bayes' rule summed up on a grid.

#include "test.h"

#include "learners/auto/spread.h"
#include "lgkt/rng.h"

enum { MOST_STATES = 40, MOST_ACTIONS = 9 };

// the samples of all pairs
typedef struct layout {
    int32_t states, actions;
    lgkt_sample cells[MOST_STATES][MOST_ACTIONS];
} layout;

// ---- in two passes ----

// the sum over seen pairs of state s, or of all states if s < 0, of (x - center)^power
static long double power_sum(const layout *of, int32_t s, long double center, int power)
{
    long double sum = 0;
    for (int32_t y = s < 0 ? 0 : s; y < (s < 0 ? of->states : s + 1); y++)
        for (int32_t a = 0; a < of->actions; a++)
            if (of->cells[y][a].n > 0)
                sum += powl((long double)of->cells[y][a].mean - center, power);
    return sum;
}

static long double count_of(const layout *of, int32_t s)
{
    return power_sum(of, s, 0, 0);
}

static long double mean_of(const layout *of, int32_t s)
{
    return power_sum(of, s, 0, 1) / count_of(of, s);
}

static long double noise_of(const layout *of)
{
    long double squares = 0, degrees = 0;
    for (int32_t s = 0; s < of->states; s++)
        for (int32_t a = 0; a < of->actions; a++)
            if (of->cells[s][a].n > 0) {
                squares += of->cells[s][a].squares;
                degrees += of->cells[s][a].n - 1;
            }
    return degrees > 0 ? squares / degrees : 0;
}

// mean of 1/n over the seen pairs of a state, or of all
static long double rarity_of(const layout *of, int32_t s)
{
    long double sum = 0;
    for (int32_t y = 0; y < of->states; y++)
        for (int32_t a = 0; a < of->actions; a++)
            if ((s < 0 || s == y) && of->cells[y][a].n > 0)
                sum += 1 / (long double)of->cells[y][a].n;
    return sum / count_of(of, s);
}

static lgkt_pair_spread two_passes(const layout *of)
{
    const long double pairs = count_of(of, -1), noise = noise_of(of);
    if (pairs == 0)
        return (lgkt_pair_spread){0, 0, 0, 0};
    const long double mean = mean_of(of, -1);
    const long double sampled = pairs > 1 ? power_sum(of, -1, mean, 2) / (pairs - 1) : 0;
    const long double whole = fmaxl(sampled / 20, sampled - noise * rarity_of(of, -1));
    // (m - 1) times the variance of a state's means has noise (m - 1) mean(1/n)
    long double own = 0, degrees = 0;
    for (int32_t s = 0; s < of->states; s++) {
        const long double m = count_of(of, s);
        if (m < 2)
            continue;
        own += power_sum(of, s, mean_of(of, s), 2) - noise * (m - 1) * rarity_of(of, s);
        degrees += m - 1;
    }
    const long double within = degrees > 0 ? fmaxl(sampled / 20, own / degrees) : whole;
    return (lgkt_pair_spread){(double)mean, (double)within, (double)fmaxl(0, whole - within),
                              (double)noise};
}

// ---- layouts ----

typedef struct recipe {
    int32_t states, actions;
    // missing: the share of pairs that were not seen
    double missing, between, within, noise, mean;
    int32_t fewest, most; // sights of a pair that was seen
} recipe;

static lgkt_sample draw_sample(lgkt_rng *rng, double mean, double noise, int32_t n)
{
    lgkt_sample sample = {0, 0, 0};
    for (int32_t i = 0; i < n; i++) {
        const double x = mean + sqrt(noise) * lgkt_rng_normal(rng), off = x - sample.mean;
        sample.n++;
        sample.mean += off / sample.n;
        sample.squares += off * (x - sample.mean);
    }
    return sample;
}

static void draw_layout(lgkt_rng *rng, const recipe *r, layout *of)
{
    *of = (layout){.states = r->states, .actions = r->actions};
    for (int32_t s = 0; s < r->states; s++) {
        const double effect = r->mean + sqrt(r->between) * lgkt_rng_normal(rng);
        for (int32_t a = 0; a < r->actions; a++) {
            const double x = effect + sqrt(r->within) * lgkt_rng_normal(rng);
            const bool seen = !lgkt_rng_bernoulli(rng, r->missing);
            const int32_t n = r->fewest + lgkt_rng_below(rng, r->most - r->fewest + 1);
            of->cells[s][a] = draw_sample(rng, x, r->noise, seen ? n : 0);
        }
    }
}

static lgkt_pair_spread settle(const layout *of, lgkt_spread_sums *sums)
{
    for (int32_t s = 0; s < of->states; s++)
        lgkt_spread_add(sums, of->cells[s], sizeof(lgkt_sample), of->actions);
    return lgkt_spread_settle(sums);
}

// `unit` is the size of the means: variances are right to some bits of its square
static void check_spread(const lgkt_pair_spread *spread, const lgkt_pair_spread *expected,
                         double unit)
{
    const double slack = 1e-11 * unit * unit;
    assert_close(spread->mean, expected->mean, 1e-13 * unit);
    assert_close(spread->within, expected->within, slack);
    assert_close(spread->between, expected->between, slack);
    assert_close(spread->noise, expected->noise, slack);
}

static const recipe recipes[] = {
    {30, 5, 0, 1, 1, 1, 0, 1, 10},         {30, 5, 0.7, 1, 2, 0.5, 3, 1, 4},
    {40, 9, 0.5, 0, 1, 3, -2, 1, 5},       {40, 9, 0.95, 4, 0, 1, 0, 1, 3},
    {20, 4, 0.3, 1, 1, 1, 0, 1, 1},        {20, 4, 0, 0, 0, 1, 100, 1, 6},
    {10, 1, 0.2, 1, 1, 1, 0, 1, 8},        {1, 9, 0.2, 1, 1, 1, 0, 1, 8},
    {1, 1, 0, 1, 1, 1, 7, 1, 5},           {2, 1, 0, 1, 1, 1, 7, 1, 1},
    {40, 9, 1, 1, 1, 1, 0, 1, 1},          {3, 2, 0.6, 1, 1, 0, -5, 1, 2},
    {12, 3, 0.3, 1e10, 1e8, 1e6, 0, 1, 9}, {12, 3, 0.3, 1e-10, 1e-8, 1e-6, 0, 1, 9},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

static double unit_of(const recipe *r)
{
    return fabs(r->mean) + 10 * sqrt(r->between + r->within + r->noise);
}

// several rounds: each begins near the mean that the one before has found
static void test_settled_as_in_two_passes(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "layouts", 0);
    static layout of;
    for (int i = 0; i < RECIPES; i++) {
        lgkt_spread_sums sums = {0};
        for (int round = 0; round < 40; round++) {
            draw_layout(&rng, &recipes[i], &of);
            const lgkt_pair_spread expected = two_passes(&of), spread = settle(&of, &sums);
            check_spread(&spread, &expected, unit_of(&recipes[i]));
            // no sum is left
            const lgkt_spread_sums empty = {.origin = sums.origin};
            assert_memory_equal(&sums, &empty, sizeof sums);
        }
    }
}

static void test_small_layouts(void **state)
{
    (void)state;
    lgkt_spread_sums sums = {0};
    // nothing, and rows of nothing
    lgkt_pair_spread spread = lgkt_spread_settle(&sums);
    assert_true(spread.mean == 0 && spread.within == 0 && spread.between == 0 && spread.noise == 0);
    // one pair
    layout of = {.states = 1, .actions = 3, .cells = {{{0, 0, 0}, {5, 8, 3}}}};
    spread = settle(&of, &sums);
    assert_true(spread.mean == 5 && spread.within == 0 && spread.between == 0 && spread.noise == 4);
    // one state: actions 1, 3 and 5, seen once each
    of = (layout){.states = 1, .actions = 3, .cells = {{{1, 0, 1}, {3, 0, 1}, {5, 0, 1}}}};
    spread = settle(&of, &sums);
    assert_true(spread.mean == 3 && spread.within == 4 && spread.between == 0 && spread.noise == 0);
    // states that differ, with actions that do not: within is a twentieth of the variance 4/3
    of = (layout){
        .states = 2, .actions = 2, .cells = {{{2, 0, 1}, {2, 0, 1}}, {{4, 0, 1}, {4, 0, 1}}}};
    spread = settle(&of, &sums);
    assert_true(spread.mean == 3 && spread.noise == 0);
    assert_close(spread.within, 4.0 / 60, 1e-15);
    assert_close(spread.between, 4.0 / 3 - 4.0 / 60, 1e-15);
    // all equal, far from 0
    for (int32_t s = 0; s < 2; s++)
        for (int32_t a = 0; a < 2; a++)
            of.cells[s][a] = (lgkt_sample){0.1, 0, 1 + s + a};
    spread = settle(&of, &sums);
    spread = settle(&of, &sums);
    assert_true(spread.mean == 0.1 && spread.within == 0 && spread.between == 0);
    // much noise: what the means differ by is noise, but for a twentieth
    of = (layout){.states = 1, .actions = 2, .cells = {{{-1, 50, 2}, {1, 50, 2}}}};
    spread = settle(&of, &sums);
    assert_true(spread.noise == 50);
    assert_close(spread.within, 0.1, 1e-15);
    assert_true(spread.between == 0);
}

// ---- known variances ----

// How far a mean of k squares of independent standard normal numbers may be from 1: Laurent and
// Massart 2000, lemma 1, with probability 1e-7 for either side.
static double chi_square_bound(double k)
{
    const double x = log(1e7);
    return 2 * sqrt(x / k) + 2 * x / k;
}

// All pairs are seen equally often, so the sums of squares between states, within states and within
// pairs are independent chi-squares. Six one-sided bounds of 1e-7 for each truth.
static void test_known_variances_are_found(void **state)
{
    (void)state;
    enum { S = 6000, A = 4, N = 3 };
    static const double truth[][3] = {{4, 1, 2}, {0, 1, 1}, {1, 9, 0.25}, {2, 0.5, 5}};
    const double of_states = chi_square_bound(S - 1), of_pairs = chi_square_bound(S * (A - 1)),
                 of_sights = chi_square_bound(S * A * (N - 1));
    lgkt_rng rng = lgkt_rng_stream(2, "variances", 0);
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        const double between = truth[i][0], within = truth[i][1], noise = truth[i][2];
        const recipe one = {1, A, 0, between, within, noise, 10, N, N};
        lgkt_spread_sums sums = {0};
        for (int s = 0; s < S; s++) {
            static layout of;
            draw_layout(&rng, &one, &of);
            lgkt_spread_add(&sums, of.cells[0], sizeof(lgkt_sample), A);
        }
        const lgkt_pair_spread spread = lgkt_spread_settle(&sums);
        const double means = within + noise / N; // variance of the means of a state's pairs
        const double slack = noise * of_sights / N + means * of_pairs;
        assert_close(spread.noise, noise, noise * of_sights);
        assert_close(spread.within, within, slack);
        // of all means: 1/A of it varies with the states, and S - 1 of S A - 1 degrees are theirs
        assert_close(spread.between, between,
                     (between + means / A) * of_states + 2 * slack + (between + means) / S);
        // the mean of S independent states is normal; 5.5 standard deviations: 4e-8
        assert_close(spread.mean, 10, 5.5 * sqrt((between + means / A) / S));
    }
}

// ---- what is expected ----

// the state's own mean, as Bayes' rule has it: x(s,a) = mean + state + own + error
static double expect_by_weights(const lgkt_pair_spread *spread, const lgkt_sample *row,
                                int32_t actions)
{
    long double precision = 1 / (long double)spread->between, sum = precision * spread->mean;
    for (int32_t a = 0; a < actions; a++)
        if (row[a].n > 0) {
            const long double of_pair = 1 / (spread->within + spread->noise / row[a].n);
            precision += of_pair;
            sum += of_pair * row[a].mean;
        }
    return (double)(sum / precision);
}

static void test_expected(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "expected", 0);
    static layout of;
    for (int i = 0; i < RECIPES; i++)
        for (int round = 0; round < 20; round++) {
            draw_layout(&rng, &recipes[i], &of);
            const double unit = unit_of(&recipes[i]), square = unit * unit;
            lgkt_pair_spread spread = {recipes[i].mean, (0.01 + lgkt_rng_uniform(&rng)) * square,
                                       lgkt_rng_uniform(&rng) * square,
                                       lgkt_rng_uniform(&rng) * square};
            const lgkt_sample *row = of.cells[0];
            const int32_t actions = of.actions;
            assert_close(lgkt_spread_expect(&spread, row, sizeof *row, actions),
                         expect_by_weights(&spread, row, actions), 1e-13 * unit);
            // states that do not differ
            spread.between = 0;
            assert_true(lgkt_spread_expect(&spread, row, sizeof *row, actions) == spread.mean);
            // states that differ so much that nothing else tells anything
            spread.between = 1e20 * square;
            spread.noise = 0;
            of.states = 1;
            if (count_of(&of, 0) > 0)
                assert_close(lgkt_spread_expect(&spread, row, sizeof *row, actions),
                             (double)mean_of(&of, 0), 1e-12 * unit);
        }
    // nothing seen in the state
    const lgkt_pair_spread spread = {7, 1, 2, 3};
    const lgkt_sample nothing[2] = {{0, 0, 0}, {0, 0, 0}};
    assert_true(lgkt_spread_expect(&spread, nothing, sizeof *nothing, 2) == 7);
}

// ---- beliefs ----

// mean and variance of x after n sights of mean `seen` with this noise, by summing up a normal
// prior times their likelihood
static void bayes(double prior_mean, double within, double seen, double n, double noise,
                  double *mean, double *variance)
{
    const double lo = fmin(prior_mean, seen) - 12 * sqrt(within);
    const double hi = fmax(prior_mean, seen) + 12 * sqrt(within);
    enum { GRID = 20000 };
    long double weights = 0, first = 0, second = 0;
    for (int i = 0; i <= GRID; i++) {
        const double x = lo + (hi - lo) * i / GRID;
        const double log_weight =
            -pow(x - prior_mean, 2) / (2 * within) - n * pow(x - seen, 2) / (2 * noise);
        const long double weight = expl((long double)log_weight);
        weights += weight;
        first += weight * (x - seen);
        second += weight * (x - seen) * (x - seen);
    }
    const long double off = first / weights;
    *mean = seen + (double)off;
    *variance = (double)(second / weights - off * off);
}

// the pair's own noise: the pooled one counts as two sights
static double noise_of_pair(const lgkt_pair_spread *spread, const lgkt_sample *sample)
{
    return (2 * spread->noise + sample->squares) / (2 + (sample->n - 1));
}

static void test_beliefs_are_bayes(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "beliefs", 0);
    for (int i = 0; i < 60; i++) {
        const lgkt_pair_spread spread = {0, 0.1 + lgkt_rng_uniform(&rng), lgkt_rng_uniform(&rng),
                                         0.1 + lgkt_rng_uniform(&rng)};
        const double n = 1 + lgkt_rng_below(&rng, 6);
        const lgkt_sample sample = {lgkt_rng_normal(&rng), (n - 1) * lgkt_rng_uniform(&rng), n};
        const double expected = lgkt_rng_normal(&rng), noise = noise_of_pair(&spread, &sample);
        double mean, variance;
        bayes(expected, spread.within, sample.mean, n, noise, &mean, &variance);
        const lgkt_belief belief = lgkt_spread_believe(&spread, &sample, expected, 1e9);
        assert_close(belief.mean, mean, 1e-9);
        assert_close(belief.variance, variance, 1e-9);
        assert_close(belief.noise, noise, 1e-15);
    }
}

static void test_beliefs_move_no_further_than_the_limit(void **state)
{
    (void)state;
    const lgkt_pair_spread spread = {0, 1, 0, 4};
    // the noise is 4, one sight has standard error 2, and the free mean is a fifth of the way
    const lgkt_sample sample = {10, 0, 1};
    const lgkt_belief free = lgkt_spread_believe(&spread, &sample, -10, 1e9);
    assert_close(free.mean, 10 - 20 * 0.8, 1e-14);
    const double limits[] = {0, 0.5, 2, 7.9, 8.1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const double most = fmin(2 * limits[i], 16);
        const lgkt_belief down = lgkt_spread_believe(&spread, &sample, -10, limits[i]);
        const lgkt_belief up = lgkt_spread_believe(&spread, &sample, 30, limits[i]);
        assert_close(down.mean, 10 - most, 1e-14);
        assert_close(up.mean, 10 + most, 1e-14);
        // the limit is on the mean alone
        assert_true(down.variance == free.variance && down.noise == free.noise);
    }
}

static void test_beliefs_at_the_ends(void **state)
{
    (void)state;
    const lgkt_pair_spread spread = {1, 2, 3, 4};
    // never seen: what is expected, with all its spread
    const lgkt_sample never = {0, 0, 0};
    lgkt_belief belief = lgkt_spread_believe(&spread, &never, 5, 0);
    assert_true(belief.mean == 5 && belief.variance == 2 && belief.noise == 4);
    // no noise: seen once is known
    const lgkt_pair_spread silent = {1, 2, 3, 0};
    const lgkt_sample once = {9, 0, 1};
    belief = lgkt_spread_believe(&silent, &once, 5, 1e9);
    assert_true(belief.mean == 9 && belief.variance == 0 && belief.noise == 0);
    // pairs do not differ: the sample tells nothing, if it may be moved that far
    const lgkt_pair_spread alike = {1, 0, 0, 4};
    belief = lgkt_spread_believe(&alike, &once, 5, 1e9);
    assert_true(belief.mean == 5 && belief.variance == 0 && belief.noise == 4);
    // neither spread nor noise
    const lgkt_pair_spread nothing = {0, 0, 0, 0};
    belief = lgkt_spread_believe(&nothing, &once, 5, 1e9);
    assert_true(belief.mean == 9 && belief.variance == 0 && belief.noise == 0);
    // seen very often: the sample is right
    const lgkt_sample often = {9, 4e12, 1e12};
    belief = lgkt_spread_believe(&spread, &often, 5, 1e9);
    assert_close(belief.mean, 9, 1e-11);
    assert_close(belief.variance, 4e-12, 1e-15);
    assert_close(belief.noise, 4, 1e-10);
}

// ---- units ----

// all numbers of a run through everything, in a unit: the means, then the variances
enum { LENGTHS = 4, VARIANCES = 7 };

static void measure(const layout *of, double unit, double shift, double lengths[LENGTHS],
                    double variances[VARIANCES])
{
    static layout in;
    in = *of;
    for (int32_t s = 0; s < in.states; s++)
        for (int32_t a = 0; a < in.actions; a++)
            if (in.cells[s][a].n > 0) {
                in.cells[s][a].mean = in.cells[s][a].mean * unit + shift;
                in.cells[s][a].squares *= unit * unit;
            }
    lgkt_spread_sums sums = {0};
    settle(&in, &sums);
    const lgkt_pair_spread spread = settle(&in, &sums);
    const double expected =
        lgkt_spread_expect(&spread, in.cells[0], sizeof(lgkt_sample), in.actions);
    const lgkt_belief first = lgkt_spread_believe(&spread, &in.cells[0][0], expected, 0.5);
    const lgkt_belief last =
        lgkt_spread_believe(&spread, &in.cells[in.states - 1][in.actions - 1], expected, 3);
    memcpy(lengths, (double[]){spread.mean, expected, first.mean, last.mean},
           LENGTHS * sizeof *lengths);
    memcpy(variances,
           (double[]){spread.within, spread.between, spread.noise, first.variance, last.variance,
                      first.noise, last.noise},
           VARIANCES * sizeof *variances);
}

static void test_units(void **state)
{
    (void)state;
    static const int powers[] = {-120, -3, 1, 40, 120};
    lgkt_rng rng = lgkt_rng_stream(5, "units", 0);
    static layout of;
    for (int i = 0; i < RECIPES; i++) {
        double lengths[LENGTHS], variances[VARIANCES], l[LENGTHS], v[VARIANCES];
        const double unit = unit_of(&recipes[i]);
        draw_layout(&rng, &recipes[i], &of);
        measure(&of, 1, 0, lengths, variances);
        // a power of two changes no bit of a mantissa
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            measure(&of, ldexp(1, powers[p]), 0, l, v);
            for (int j = 0; j < LENGTHS; j++)
                assert_true(l[j] == ldexp(lengths[j], powers[p]));
            for (int j = 0; j < VARIANCES; j++)
                assert_true(v[j] == ldexp(variances[j], 2 * powers[p]));
        }
        // another unit and origin
        const double shift = 50 * unit;
        measure(&of, 3, shift, l, v);
        const bool seen = count_of(&of, -1) > 0;
        for (int j = 0; seen && j < LENGTHS; j++)
            assert_close(l[j], 3 * lengths[j] + shift, 1e-10 * unit);
        for (int j = 0; j < VARIANCES; j++)
            assert_close(v[j], 9 * variances[j], 1e-10 * unit * unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settled_as_in_two_passes),
        cmocka_unit_test(test_small_layouts),
        cmocka_unit_test(test_known_variances_are_found),
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_beliefs_are_bayes),
        cmocka_unit_test(test_beliefs_move_no_further_than_the_limit),
        cmocka_unit_test(test_beliefs_at_the_ends),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
