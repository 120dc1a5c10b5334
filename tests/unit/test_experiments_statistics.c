// SPDX-License-Identifier: MIT
// Statistics against two-pass formulas, and the shape of the checkpoints.
#include "test.h"

#include "experiments/runner/setup.h"
#include "experiments/runner/statistics.h"
#include "ref/paired.h"

// ---- sums ----

static void test_sum_keeps_what_rounding_loses(void **state)
{
    (void)state;
    const double x[] = {1.0, 1e100, 1.0, -1e100};
    exp_sum sum = {0};
    for (int i = 0; i < 4; i++)
        exp_sum_add(&sum, x[i]);
    assert_true(exp_sum_value(&sum) == 2.0);

    // ten million times 0.1; a plain sum is off by 1.6e-4
    sum = (exp_sum){0};
    for (int i = 0; i < 10000000; i++)
        exp_sum_add(&sum, 0.1);
    assert_close(exp_sum_value(&sum), 1e6, 1e-9);
}

// ---- moments ----

static void naive_moments(const double *x, int n, double *mean, double *sd)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *sd = sqrt(squares / (n - 1));
}

static void test_moments_agree_with_two_passes(void **state)
{
    (void)state;
    enum { N = 1000 };
    static double x[N], y[N], difference[N];
    lgkt_rng rng = lgkt_rng_stream(1, "test", 0);
    // offsets that spoil the formula E x^2 - (E x)^2
    const double offsets[] = {0.0, 1e6, -1e9};
    for (int o = 0; o < 3; o++) {
        for (int i = 0; i < N; i++) {
            x[i] = offsets[o] + lgkt_rng_normal(&rng);
            y[i] = x[i] + 0.1 * lgkt_rng_normal(&rng);
            difference[i] = x[i] - y[i];
        }
        double mean, sd;
        exp_moments moments = exp_moments_of(x, N);
        naive_moments(x, N, &mean, &sd);
        assert_int_equal(moments.n, N);
        assert_close(moments.mean, mean, 1e-14 * (1.0 + fabs(offsets[o])));
        assert_close(exp_moments_sd(&moments), sd, 1e-6);
        assert_close(exp_interval_factor(moments.n) * exp_moments_sd(&moments),
                     1.9623414611334487 * sd / sqrt(N), 1e-7);

        moments = paired_moments(x, y, N);
        naive_moments(difference, N, &mean, &sd);
        assert_close(moments.mean, mean, 1e-12);
        assert_close(exp_moments_sd(&moments), sd, 1e-12);
    }
}

static void test_known_moments(void **state)
{
    (void)state;
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    const exp_moments moments = exp_moments_of(x, 8);
    assert_close(moments.mean, 5.0, 1e-15);
    assert_close(exp_moments_sd(&moments), sqrt(32.0 / 7.0), 1e-15);
}

static void test_student(void **state)
{
    (void)state;
    // closed forms of one and two degrees of freedom
    const double pi = 3.14159265358979323846;
    for (double level = 0.05; level < 1.0; level += 0.1) {
        const double one = tan(0.5 * pi * level), two = level * sqrt(2.0 / (1.0 - level * level));
        assert_close(exp_student_quantile(level, 1.0), one, 1e-13 * (1.0 + one));
        assert_close(exp_student_quantile(level, 2.0), two, 1e-13 * (1.0 + two));
        assert_close(exp_student_tail(one, 1.0), 1.0 - level, 1e-14);
        assert_close(exp_student_tail(-two, 2.0), 1.0 - level, 1e-14);
    }
    // printed tables of the quantile 0.975, and the normal one in the limit
    const double known[][2] = {{1, 12.706}, {4, 2.776}, {9, 2.262}, {29, 2.045}, {100, 1.984}};
    for (int i = 0; i < 5; i++)
        assert_close(exp_student_quantile(0.95, known[i][0]), known[i][1], 5e-4);
    assert_close(exp_student_quantile(0.95, 1e15), 1.959963984540054, 1e-13);
    assert_close(exp_student_tail(1.959963984540054, 1e15), 0.05, 1e-14);
    // tiny tails keep their digits: 15 degrees of freedom, by the sum for odd numbers
    const double t = 40.0, angle = atan2(sqrt(15.0), t); // the complement of that in the formula
    double sum = 0.0;
    for (double n = 0.0, term = pow(sin(angle), 15.0) / 15.0; n < 200.0; n++) {
        sum += term;
        term *=
            (n + 0.5) / (n + 1.0) * (15.0 + 2.0 * n) / (17.0 + 2.0 * n) * sin(angle) * sin(angle);
    }
    const double scale = 2.0 * 46080.0 * 14.0 / (135135.0 * pi); // 2 / B(15/2, 1/2)
    assert_close(exp_student_tail(t, 15.0) / (sum * scale), 1.0, 1e-12);
    assert_true(exp_student_tail(0.0, 5.0) == 1.0);
    assert_true(exp_student_tail(INFINITY, 5.0) == 0.0);
    assert_true(isnan(exp_student_tail(NAN, 5.0)));
}

static void test_few_numbers_have_no_spread(void **state)
{
    (void)state;
    exp_moments moments = {0};
    assert_true(isnan(exp_interval_factor(moments.n) * exp_moments_sd(&moments)));
    exp_moments_add(&moments, 3.0);
    assert_true(moments.mean == 3.0);
    assert_true(isnan(exp_moments_sd(&moments)));
    assert_true(isnan(exp_interval_factor(moments.n) * exp_moments_sd(&moments)));
    exp_moments_add(&moments, 3.0);
    assert_true(exp_interval_factor(moments.n) * exp_moments_sd(&moments) == 0.0);
    const double nan_inside[] = {1.0, NAN};
    assert_true(isnan(exp_moments_of(nan_inside, 2).mean));
}

// ---- median, worst tenth, score ----

// the same, by looking for the next lowest again and again
static exp_spread naive_spread(const double *x, int n, double sign)
{
    bool taken[40] = {false};
    double sorted[40], sum = 0.0;
    const int tenth = n % 10 == 0 ? n / 10 : n / 10 + 1;
    for (int i = 0; i < n; i++) {
        int lowest = -1;
        for (int j = 0; j < n; j++)
            if (!taken[j] && (lowest < 0 || sign * x[j] < sign * x[lowest]))
                lowest = j;
        taken[lowest] = true;
        sorted[i] = x[lowest];
        sum += i < tenth ? x[lowest] : 0.0;
    }
    const double middle = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return (exp_spread){middle, sum / tenth};
}

static void test_spread_agrees_with_a_naive_one(void **state)
{
    (void)state;
    uint64_t bits = 1;
    for (int n = 1; n <= 40; n++) {
        double x[40], y[40];
        for (int i = 0; i < n; i++) {
            bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            x[i] = y[i] = (double)(int64_t)(bits >> 59) - 16.0; // with ties
        }
        const exp_spread low = naive_spread(x, n, 1.0), high = naive_spread(x, n, -1.0);
        exp_spread got = exp_spread_of(x, n, false);
        assert_close(got.median, low.median, 0);
        assert_close(got.worst, low.worst, 1e-14);
        got = exp_spread_of(y, n, true);
        assert_close(got.median, high.median, 0);
        assert_close(got.worst, high.worst, 1e-14);
    }
    double gap[] = {1.0, NAN, 2.0};
    assert_true(isnan(exp_spread_of(gap, 3, false).median));
}

static void test_score_and_share(void **state)
{
    (void)state;
    assert_close(exp_scored(3.0, 1.0, 5.0), 50.0, 0);
    // neither a shift nor a factor shows, and less than uniform play is below 0
    assert_close(exp_scored(-13.0, -100.0, -13.0), 100.0, 0);
    assert_close(exp_scored(-187.0, -100.0, -13.0), -100.0, 1e-12);
    assert_true(isnan(exp_scored(1.0, 0.3, 0.1 + 0.2)));
    assert_true(isnan(exp_scored(1.0, 0.0, 0.0)));
    assert_true(isnan(exp_scored(1.0, NAN, 2.0)) && isnan(exp_scored(1.0, 0.0, NAN)));
    assert_close(exp_share(3.0, 4.0), 0.75, 0);
    assert_true(isnan(exp_share(-27.0, -13.0)) && isnan(exp_share(1.0, 0.0)));
    assert_true(isnan(exp_share(1.0, NAN)));
}

// ---- checkpoints ----

static void check_shape(int64_t horizon)
{
    int64_t times[EXP_MAX_CHECKPOINTS];
    const int32_t count = exp_checkpoints(horizon, false, times);
    assert_in_range(count, 1, EXP_MAX_CHECKPOINTS);
    assert_true(times[0] == 1);
    assert_true(times[count - 1] == horizon);
    for (int32_t i = 1; i < count; i++)
        assert_true(times[i] > times[i - 1]);
    // between any two neighbours time grows at most by a hundredth of the horizon
    for (int32_t i = 1; i < count && horizon > EXP_MAX_CHECKPOINTS; i++)
        assert_true(times[i] - times[i - 1] <= horizon / 100 + 1);
}

static void test_checkpoints_increase_to_the_horizon(void **state)
{
    (void)state;
    for (int64_t horizon = 1; horizon < 2000; horizon++)
        check_shape(horizon);
    const int64_t more[] = {20000, 1000000, 1000000000000, INT64_MAX};
    for (int i = 0; i < 4; i++)
        check_shape(more[i]);
}

static void test_checkpoints_are_denser_early(void **state)
{
    (void)state;
    int64_t times[EXP_MAX_CHECKPOINTS];
    const int32_t count = exp_checkpoints(20000, false, times);
    assert_in_range(count, 150, 200);
    int32_t early = 0;
    while (times[early] <= 1000)
        early++;
    assert_in_range(early, 50, 100);
    assert_int_equal(exp_checkpoints(200, false, times), 200);
    assert_true(times[17] == 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_keeps_what_rounding_loses),
        cmocka_unit_test(test_moments_agree_with_two_passes),
        cmocka_unit_test(test_known_moments),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_few_numbers_have_no_spread),
        cmocka_unit_test(test_spread_agrees_with_a_naive_one),
        cmocka_unit_test(test_score_and_share),
        cmocka_unit_test(test_checkpoints_increase_to_the_horizon),
        cmocka_unit_test(test_checkpoints_are_denser_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
