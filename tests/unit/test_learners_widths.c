// SPDX-License-Identifier: MIT
// labels: slow
// Widths, bonuses and coin probabilities against the same formulas written another way in long
// doubles, against numbers computed with 30 digits, and the table behind them.

#include "test.h"

#include "learners/model/widths.h"
#include "ref/fault.h"

#define TABLE_LIMIT (INT64_C(1) << 20)

static const lgkt_widths_form usual = {.width = 1,
                                       .index = LGKT_INDEX_PRACTICAL,
                                       .coin = LGKT_COIN_PRACTICAL,
                                       .p = 0.5,
                                       .eta = 0.5,
                                       .horizon = 20000};

// Relative error. Long doubles leave about 1e-15, but valgrind computes them as doubles, and then
// an exponential of -78 is good to 2e-14 only.
static void assert_relative(double actual, long double expected, const char *what, int64_t n)
{
    if (!(fabsl((long double)actual - expected) <= 1e-13L * fabsl(expected)))
        fail_msg("%s(%lld) = %.17g, expected %.17Lg", what, (long long)n, actual, expected);
}

// ---- the formulas, written another way ----

// w^2 (n+2) = c ln(n+2)
static long double other_w(const lgkt_widths_form *form, int64_t n)
{
    const long double m = (long double)n + 2;
    return sqrtl(form->width) * sqrtl(logl(m)) / sqrtl(m);
}

// the paper's bonus: b^2 n^3 = 3.4^2 (L + ln 10 T); the others: b^2 (n+1)^3 = 3.428^2 (ln ln + 2
// ln)
static long double other_b(const lgkt_widths_form *form, int64_t n)
{
    const long double scale = logl(10.0L) + logl((long double)form->horizon);
    if (form->index == LGKT_INDEX_PAPER) {
        const long double m = (long double)n;
        const long double loglog = n == 1 ? 0 : logl(logl(m));
        return 3.4L * sqrtl((loglog + scale) / (m * m * m));
    }
    if (form->index == LGKT_INDEX_ROOT)
        return 2 * sqrtl(logl((long double)form->horizon)) / sqrtl((long double)n);
    const long double m = (long double)n + 1;
    const long double twice = 2 * (form->index == LGKT_INDEX_RELEASED ? 5 * logl(10.0L) : scale);
    return 3.428L * sqrtl((logl(logl(m + 1)) + twice) / (m * m * m));
}

static long double other_eps(const lgkt_widths_form *form, int64_t n)
{
    const long double root = expl(-(long double)form->p * logl((long double)n + 1));
    if (form->coin == LGKT_COIN_PRACTICAL)
        return root / (root + 1);
    const long double eps = root / (form->eta < 0.5 ? (long double)form->eta : 0.5L);
    return eps < 1 ? eps : 1;
}

// ---- tests of the formulas ----

static void check_formulas(const lgkt_widths_form *form)
{
    for (int64_t n = 0; n < INT64_C(1) << 40; n = n < 300 ? n + 1 : n + n / 3) {
        const lgkt_width at = lgkt_width_of(form, n);
        assert_relative(at.w, other_w(form, n), "w", n);
        assert_relative(at.eps, other_eps(form, n), "eps", n);
        if (n > 0 || (form->index != LGKT_INDEX_PAPER && form->index != LGKT_INDEX_ROOT))
            assert_relative(at.b, other_b(form, n), "b", n);
        else
            assert_true(at.b == INFINITY);
    }
}

static void test_formulas_agree_with_other_expressions(void **state)
{
    (void)state;
    static const double widths[] = {3, 1, 0.01, 0};
    static const double powers[] = {0.5, 0, 0.25, 1, 3};
    static const double etas[] = {0.5, 0.05, 2, 1e-9};
    static const int64_t horizons[] = {1, 5, 20000, INT64_C(1) << 21, INT64_MAX};
    for (int i = 0; i < 4 * 2 * 5; i++) {
        lgkt_widths_form form = usual;
        form.index = (lgkt_index_form)(i % 4);
        form.coin = (lgkt_coin_form)(i / 4 % 2);
        form.horizon = horizons[i / 8];
        form.width = widths[i % 4];
        form.p = powers[i % 5];
        form.eta = etas[i / 4 % 4];
        check_formulas(&form);
    }
}

static void test_numbers_computed_elsewhere(void **state)
{
    (void)state;
    static const struct {
        double width;
        int64_t n;
        double w;
    } widths[] = {{3, 0, 1.019666990168809},     {3, 1, 1.048147073968205},
                  {1, 1, 0.6051479953058617},    {1, 7, 0.4941012691225037},
                  {3, 1000, 0.1438328337924998}, {1, 19999, 0.02225201384051139}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        lgkt_widths_form form = usual;
        form.width = widths[i].width;
        assert_relative(lgkt_width_of(&form, widths[i].n).w, widths[i].w, "w", widths[i].n);
    }
    static const struct {
        lgkt_index_form index;
        int64_t horizon, n;
        double b;
    } bonuses[] = {
        {LGKT_INDEX_PAPER, 20000, 1, 11.87864469467493},
        {LGKT_INDEX_PAPER, 20000, 2, 4.136201615316955},
        {LGKT_INDEX_PAPER, 20000, 3, 2.2948363345949},
        {LGKT_INDEX_PAPER, 20000, 50, 0.0354254904088589},
        {LGKT_INDEX_PAPER, 1, 1, 5.159252239909498},
        {LGKT_INDEX_PAPER, 5, 4000, 3.29958826106909e-5},
        {LGKT_INDEX_PRACTICAL, 20000, 0, 16.80965943681939},
        {LGKT_INDEX_PRACTICAL, 20000, 1, 5.99975816676293},
        {LGKT_INDEX_PRACTICAL, 20000, 30, 0.1005969646711335},
        {LGKT_INDEX_PRACTICAL, 1, 0, 7.057566254646694},
        {LGKT_INDEX_RELEASED, 20000, 0, 16.31790581741937},
        {LGKT_INDEX_RELEASED, 7, 12, 0.3582594701454305},
    };
    for (size_t i = 0; i < sizeof bonuses / sizeof *bonuses; i++) {
        lgkt_widths_form form = usual;
        form.index = bonuses[i].index;
        form.horizon = bonuses[i].horizon;
        assert_relative(lgkt_width_of(&form, bonuses[i].n).b, bonuses[i].b, "b", bonuses[i].n);
    }
}

// the printed ln ln n does not exist at n = 1, where it counts as 0, and is negative at n = 2
static void test_loglog_is_zero_at_one_only(void **state)
{
    (void)state;
    lgkt_widths_form form = usual;
    form.index = LGKT_INDEX_PAPER;
    const double scale = log(10 * 20000.0);
    assert_close(lgkt_width_of(&form, 1).b, 3.4 * sqrt(scale), 1e-13);
    assert_close(lgkt_width_of(&form, 2).b, 1.7 * sqrt((log(log(2)) + scale) / 2), 1e-13);
    assert_true(lgkt_width_of(&form, 3).b > 3.4 / 3 * sqrt(scale / 3));
}

static void test_coin_in_closed_form(void **state)
{
    (void)state;
    lgkt_widths_form form = usual;
    assert_true(lgkt_width_of(&form, 0).eps == 0.5);
    assert_close(lgkt_width_of(&form, 3).eps, 1.0 / 3, 1e-15);
    assert_close(lgkt_width_of(&form, 8).eps, 0.25, 1e-15);
    form.coin = LGKT_COIN_PAPER;
    assert_true(lgkt_width_of(&form, 0).eps == 1);
    assert_true(lgkt_width_of(&form, 3).eps == 1);
    assert_close(lgkt_width_of(&form, 8).eps, 2.0 / 3, 1e-15);
    form.eta = 7; // min(eta, 1/2)
    assert_close(lgkt_width_of(&form, 8).eps, 2.0 / 3, 1e-15);
    form.eta = 0.1;
    assert_true(lgkt_width_of(&form, 8).eps == 1);
    assert_close(lgkt_width_of(&form, 399).eps, 0.5, 1e-15);
    form.p = 0; // the coin never gets rare
    assert_true(lgkt_width_of(&form, 1000).eps == 1);
    form.coin = LGKT_COIN_PRACTICAL;
    assert_true(lgkt_width_of(&form, 1000).eps == 0.5);
}

static void test_released_index_is_practical_at_ten_thousand(void **state)
{
    (void)state;
    lgkt_widths_form released = usual, practical = usual;
    released.index = LGKT_INDEX_RELEASED;
    practical.horizon = 10000;
    for (int64_t n = 0; n < 2000; n += 7)
        assert_true(lgkt_width_of(&released, n).b == lgkt_width_of(&practical, n).b);
}

// ln x / x falls from x = e on: w falls from n = 1, and w(0) = w(2) since ln 2/2 = ln 4/4
static void test_all_fall_with_the_count(void **state)
{
    (void)state;
    for (int i = 0; i < 4 * 2; i++) {
        lgkt_widths_form form = usual;
        form.index = (lgkt_index_form)(i % 4);
        form.coin = (lgkt_coin_form)(i / 4);
        assert_close(lgkt_width_of(&form, 0).w, lgkt_width_of(&form, 2).w, 1e-15);
        for (int64_t n = 1; n < 5000; n++) {
            const lgkt_width before = lgkt_width_of(&form, n), at = lgkt_width_of(&form, n + 1);
            assert_true(at.w < before.w && at.b < before.b && at.eps <= before.eps);
            assert_true(at.w > 0 && at.b > 0 && at.eps > 0 && at.eps <= 1);
        }
        assert_true(lgkt_width_of(&form, 0).b > lgkt_width_of(&form, 1).b);
    }
}

// ---- the table ----

static void check_at(const lgkt_widths *widths, int64_t n)
{
    const lgkt_width at = lgkt_width_at(widths, n), of = lgkt_width_of(&widths->form, n);
    assert_true(at.w == of.w && at.b == of.b && at.eps == of.eps);
}

static lgkt_widths *make(const lgkt_widths_form *form, fault *f)
{
    const lgkt_allocator allocator = fault_allocator(f);
    lgkt_widths *widths = lgkt_widths_create(form, NULL, &allocator);
    assert_non_null(widths);
    return widths;
}

// the table ends at T, since nothing is visited more often, or at its limit; both sides agree
static void test_table_and_formula_agree_across_its_end(void **state)
{
    (void)state;
    static const int64_t horizons[] = {1, 2, 1000, TABLE_LIMIT - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof horizons / sizeof *horizons; i++) {
        fault f;
        fault_init(&f);
        lgkt_widths_form form = usual;
        form.index = (lgkt_index_form)(i % 3);
        form.horizon = horizons[i];
        lgkt_widths *widths = make(&form, &f);
        assert_int_equal(widths->count, horizons[i] < TABLE_LIMIT ? horizons[i] + 1 : TABLE_LIMIT);
        for (int64_t n = 0; n < widths->count; n += n < 100 ? 1 : widths->count / 100)
            check_at(widths, n);
        for (int64_t n = widths->count - 2; n < widths->count + 3; n++)
            if (n >= 0)
                check_at(widths, n);
        check_at(widths, INT64_C(1) << 40);
        assert_int_equal(lgkt_widths_bytes(widths), atomic_load(&f.bytes));
        lgkt_widths_destroy(widths);
        assert_true(fault_is_clean(&f));
    }
    lgkt_widths_destroy(NULL);
}

static void test_same_forms_share_one_table(void **state)
{
    (void)state;
    fault f;
    fault_init(&f);
    lgkt_widths *widths = make(&usual, &f);
    const long long calls = atomic_load(&f.calls);
    assert_ptr_equal(lgkt_widths_create(&usual, widths, NULL), widths);
    assert_ptr_equal(lgkt_widths_create(&usual, widths, NULL), widths);
    assert_int_equal(atomic_load(&f.calls), calls);
    // three owners: the table lives until the last one is gone
    lgkt_widths_destroy(widths);
    lgkt_widths_destroy(widths);
    check_at(widths, 17);
    assert_int_equal(atomic_load(&f.outstanding), calls);
    lgkt_widths_destroy(widths);
    assert_true(fault_is_clean(&f));
}

static void test_other_forms_do_not_share(void **state)
{
    (void)state;
    fault f;
    fault_init(&f);
    lgkt_widths *widths = make(&usual, &f);
    lgkt_widths_form others[6];
    for (int i = 0; i < 6; i++)
        others[i] = usual;
    others[0].width = nextafter(1, 2);
    others[1].index = LGKT_INDEX_RELEASED;
    others[2].coin = LGKT_COIN_PAPER;
    others[3].p = 0.25;
    others[4].eta = 0.25;
    others[5].horizon++;
    const lgkt_allocator allocator = fault_allocator(&f);
    for (int i = 0; i < 6; i++) {
        lgkt_widths *other = lgkt_widths_create(&others[i], widths, &allocator);
        assert_non_null(other);
        assert_ptr_not_equal(other, widths);
        lgkt_widths_destroy(other);
    }
    lgkt_widths_destroy(widths);
    assert_true(fault_is_clean(&f));
}

static lgkt_status create_and_destroy(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_widths *widths = lgkt_widths_create(ctx, NULL, allocator);
    if (widths == NULL) {
        error->status = LGKT_ERR_NO_MEMORY;
        snprintf(error->text, sizeof error->text, "out of memory");
        return error->status;
    }
    lgkt_widths_destroy(widths);
    return LGKT_OK;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    lgkt_widths_form form = usual;
    form.horizon = 10;
    assert_int_equal(fault_sweep(create_and_destroy, &form), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas_agree_with_other_expressions),
        cmocka_unit_test(test_numbers_computed_elsewhere),
        cmocka_unit_test(test_loglog_is_zero_at_one_only),
        cmocka_unit_test(test_coin_in_closed_form),
        cmocka_unit_test(test_released_index_is_practical_at_ten_thousand),
        cmocka_unit_test(test_all_fall_with_the_count),
        cmocka_unit_test(test_table_and_formula_agree_across_its_end),
        cmocka_unit_test(test_same_forms_share_one_table),
        cmocka_unit_test(test_other_forms_do_not_share),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
