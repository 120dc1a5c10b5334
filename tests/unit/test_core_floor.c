// SPDX-License-Identifier: MIT
// The floor against its formula, the coin against the parts of [0, 1) that actions have, and coins
// that do not depend on each other.

#include "test.h"

#include <math.h>

#include "core/floor.h"
#include "lgkt/rng.h"

enum { A = 5 };

static const uint8_t SOME[A] = {0, 1, 1, 0, 1};

// ---- the law ----

static void test_law_is_that_of_the_formula(void **state)
{
    (void)state;
    const double law[A] = {0, 0.25, 0, 0, 0.75}, floor = 0.07;
    double p[2 * A] = {0}, sum = 0;
    for (int a = 0; a < A; a++) {
        p[2 * a] = law[a];
        p[2 * a + 1] = 42;
    }
    lgkt_floor_law(floor, SOME, A, p, 2);
    for (int a = 0; a < A; a++) {
        assert_close(p[2 * a], SOME[a] ? (1 - 3 * floor) * law[a] + floor : 0, 1e-16);
        assert_close(p[2 * a + 1], 42, 0);
        sum += p[2 * a];
    }
    assert_close(sum, 1, 1e-15);
}

static void test_floor_of_zero_is_the_law_itself(void **state)
{
    (void)state;
    const double law[A] = {0.1, 0.2, 0.3, 0.15, 0.25};
    double p[A] = {0.1, 0.2, 0.3, 0.15, 0.25};
    lgkt_floor_law(0, NULL, A, p, 1);
    assert_memory_equal(p, law, sizeof p);
    assert_int_equal(lgkt_floor_action(0, 0, NULL, A), -1);
}

static void test_highest_floor_is_uniform(void **state)
{
    (void)state;
    for (int32_t k = 1; k <= A; k++) {
        double p[A] = {1, 0, 0, 0, 0};
        lgkt_floor_law(1.0 / k, NULL, k, p, 1);
        for (int32_t a = 0; a < k; a++)
            assert_close(p[a], 1.0 / k, 2e-16);
    }
}

static void test_one_action_left_is_certain(void **state)
{
    (void)state;
    const uint8_t only[A] = {0, 0, 0, 1, 0};
    for (int i = 0; i < 100; i++) {
        double p[A] = {0, 0, 0, 1, 0};
        lgkt_floor_law(i * 0.00199, only, A, p, 1);
        assert_true(p[3] == 1);
    }
}

static void test_unknown_law_is_unknown_whole(void **state)
{
    (void)state;
    double p[A] = {0, 0.5, NAN, 0, 0.5};
    lgkt_floor_law(0.02, SOME, A, p, 1);
    for (int a = 0; a < A; a++)
        assert_true(isnan(p[a]));
    // what is not allowed has no part in it
    double q[A] = {NAN, 0.5, 0, NAN, 0.5};
    lgkt_floor_law(0.02, SOME, A, q, 1);
    assert_close(q[1], 0.94 * 0.5 + 0.02, 1e-16);
}

// ---- the coin ----

static void test_each_allowed_action_has_a_part_as_long_as_the_floor(void **state)
{
    (void)state;
    const double floor = 1.0 / 64;
    static const int32_t order[] = {1, 2, 4};
    for (int i = 0; i < 64; i++) {
        const int32_t expected = i < 3 ? order[i] : -1;
        assert_int_equal(lgkt_floor_action(floor, i * floor, SOME, A), expected);
        assert_int_equal(lgkt_floor_action(floor, nextafter((i + 1) * floor, 0), SOME, A),
                         expected);
    }
}

static void test_coins_are_uniform_and_apart(void **state)
{
    (void)state;
    // 10^5 coins: the mean of u and the share of pairs of neighbours below 1/4 are within 5 standard
    // deviations, wrong in less than 1 of 10^6 cases each
    enum { N = 100000 };
    double sum = 0, both = 0, across = 0, before = 1;
    for (int64_t i = 0; i < N; i++) {
        const double u = lgkt_floor_coin(7, 0, i), v = lgkt_floor_coin(7, 1, i);
        assert_true(u >= 0 && u < 1);
        sum += u;
        both += u < 0.25 && before < 0.25;
        across += u < 0.25 && v < 0.25;
        before = u;
    }
    assert_close(sum / N, 0.5, 5 * sqrt(1 / 12.0 / N));
    assert_close(both / N, 1 / 16.0, 5 * sqrt(1 / 16.0 / N) * 1.2);
    assert_close(across / N, 1 / 16.0, 5 * sqrt(1 / 16.0 / N));
    assert_true(lgkt_floor_coin(7, 0, 3) == lgkt_floor_coin(7, 0, 3));
    assert_true(lgkt_floor_coin(7, 0, 3) != lgkt_floor_coin(8, 0, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_is_that_of_the_formula),
        cmocka_unit_test(test_floor_of_zero_is_the_law_itself),
        cmocka_unit_test(test_highest_floor_is_uniform),
        cmocka_unit_test(test_one_action_left_is_certain),
        cmocka_unit_test(test_unknown_law_is_unknown_whole),
        cmocka_unit_test(test_each_allowed_action_has_a_part_as_long_as_the_floor),
        cmocka_unit_test(test_coins_are_uniform_and_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
