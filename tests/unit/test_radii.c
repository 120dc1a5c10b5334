// SPDX-License-Identifier: MIT
// Confidence radii: known numbers, the formulas once more in long double, sizes where they would
// overflow as written, and that the time-uniform ones hold at all times at once.

#include "test.h"

#include "learners/model/evi.h"
#include "ref/chance.h"

static lgkt_radii radii_of(lgkt_region region, lgkt_bound bound, double delta)
{
    return (lgkt_radii){.region = region,
                        .bound = bound,
                        .states = 5,
                        .actions = 2,
                        .horizon = 20000,
                        .t = 1000,
                        .delta = delta};
}

// ---- numbers ----

static void test_known_numbers(void **state)
{
    (void)state;
    const lgkt_radii ucrl2 = radii_of(LGKT_REGION_L1, LGKT_BOUND_ORIGINAL, 0.05);
    assert_close(lgkt_radius_reward(&ucrl2, 50), 0.950234385731, 1e-12);
    assert_close(lgkt_radius_row(&ucrl2, 50), 3.975637644343, 1e-12);

    // at n = 1 the radii are the constants C_R and C_P of the paper
    const lgkt_radii klucrl = radii_of(LGKT_REGION_KL, LGKT_BOUND_ORIGINAL, 0.05);
    assert_close(lgkt_radius_reward(&klucrl, 1), 2.123983493298, 1e-12);
    assert_close(lgkt_radius_row(&klucrl, 1), 67.546297888857, 1e-11);
    assert_close(lgkt_radius_reward(&klucrl, 50), 0.300376626248, 1e-12);
    assert_close(lgkt_radius_row(&klucrl, 50), 1.350925957777, 1e-12);

    static const struct {
        double n, reward, l1, kl;
    } mixture[] = {
        {1, 3.443762340123, 7.812988272591, 16.405499670227},
        {50, 0.370788552236, 0.829882795972, 0.518473684135},
        {1000, 0.086551343599, 0.191764797273, 0.037614737221},
    };
    const lgkt_radii l1 = radii_of(LGKT_REGION_L1, LGKT_BOUND_MIXTURE, 1e-5);
    const lgkt_radii kl = radii_of(LGKT_REGION_KL, LGKT_BOUND_MIXTURE, 1e-5);
    for (size_t i = 0; i < sizeof mixture / sizeof *mixture; i++) {
        assert_close(lgkt_radius_reward(&l1, mixture[i].n), mixture[i].reward, 1e-12);
        assert_close(lgkt_radius_reward(&kl, mixture[i].n), mixture[i].reward, 1e-12);
        assert_close(lgkt_radius_row(&l1, mixture[i].n), mixture[i].l1, 1e-12);
        assert_close(lgkt_radius_row(&kl, mixture[i].n), mixture[i].kl, 2e-12);
    }

    // the released code: another L1 radius, all else as above
    static const double released[] = {7.922324859475, 0.850159548883, 0.197965340939};
    const lgkt_radii l1_released = radii_of(LGKT_REGION_L1, LGKT_BOUND_RELEASED, 1e-5);
    const lgkt_radii kl_released = radii_of(LGKT_REGION_KL, LGKT_BOUND_RELEASED, 1e-5);
    for (size_t i = 0; i < sizeof mixture / sizeof *mixture; i++) {
        assert_close(lgkt_radius_row(&l1_released, mixture[i].n), released[i], 1e-12);
        assert_close(lgkt_radius_row(&kl_released, mixture[i].n), mixture[i].kl, 2e-12);
        assert_close(lgkt_radius_reward(&l1_released, mixture[i].n), mixture[i].reward, 1e-12);
    }
}

// ---- formulas ----

// the constants B of KL-UCRL are 10.893789432681 for the numbers above
static long double plain_row(const lgkt_radii *r, long double n)
{
    const long double s = r->states, a = r->actions, d = r->delta, lt = logl(r->horizon);
    const bool l1 = r->region == LGKT_REGION_L1;
    if (r->bound == LGKT_BOUND_MIXTURE && l1)
        return sqrtl(2 * (1 + 1 / n) * logl(sqrtl(1 + n) * (powl(2, s) - 2) / d) / n);
    if (r->bound == LGKT_BOUND_RELEASED && l1)
        return sqrtl(s * (1 + 1 / n) * logl(2 * sqrtl(1 + n) / d) / (2 * n));
    if (r->bound != LGKT_BOUND_ORIGINAL)
        return (logl(1 / d) + (s - 1) * (1 + logl(1 + n / (s - 1)))) / n;
    if (l1)
        return sqrtl(14 * s * logl(2 * a * r->t / d) / n);
    const long double b = logl(2 * expl(1) * s * s * a * lt / d);
    return s * (b + logl(b + 1 / lt) * (1 + 1 / (b + 1 / lt))) / n;
}

static long double plain_reward(const lgkt_radii *r, long double n)
{
    const long double pairs = (long double)r->states * r->actions, d = r->delta;
    if (r->bound != LGKT_BOUND_ORIGINAL)
        return sqrtl((1 + 1 / n) * logl(sqrtl(1 + n) / d) / (2 * n));
    if (r->region == LGKT_REGION_L1)
        return sqrtl(7 * logl(2 * pairs * r->t / d) / (2 * n));
    return sqrtl(logl(4 * pairs * logl(r->horizon) / d) / 1.99L) / sqrtl(n);
}

static void test_formulas(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "radii", 0);
    for (int i = 0; i < 4000; i++) {
        const lgkt_radii r = {.region = (lgkt_region)(i % 2),
                              .bound = (lgkt_bound)(i / 2 % 3),
                              .states = 2 + lgkt_rng_below(&rng, i % 3 == 0 ? 1000 : 10),
                              .actions = 1 + lgkt_rng_below(&rng, 20),
                              .horizon = 3 + lgkt_rng_below(&rng, 1000000),
                              .t = 1 + lgkt_rng_below(&rng, 1000000),
                              .delta = exp(-30 * lgkt_rng_uniform(&rng))};
        const double n = 1 + lgkt_rng_below(&rng, i % 5 == 0 ? 1000000 : 50);
        const double row = (double)plain_row(&r, n), reward = (double)plain_reward(&r, n);
        assert_close(lgkt_radius_row(&r, n), row, 1e-13 * row);
        assert_close(lgkt_radius_reward(&r, n), reward, 1e-13 * reward);
    }
}

// 2^S overflows from S = 1024 on; one state leaves nothing open; a horizon of 1 has no logarithm
static void test_sizes_at_the_limits(void **state)
{
    (void)state;
    for (int bound = 0; bound < 3; bound++)
        for (int region = 0; region < 2; region++) {
            lgkt_radii r = radii_of((lgkt_region)region, (lgkt_bound)bound, 1e-300);
            r.states = 1 << 24;
            r.actions = 16;
            assert_between(lgkt_radius_row(&r, 1), 1, 1e12);
            assert_between(lgkt_radius_row(&r, 1e15), 0, 1);
            r.states = 1;
            assert_true(lgkt_radius_row(&r, 1) == 0);
            r.states = 2;
            r.horizon = r.t = 1;
            r.delta = 1;
            assert_between(lgkt_radius_row(&r, 7), 1e-3, 1e3);
            assert_between(lgkt_radius_reward(&r, 7), 1e-3, 1e3);
        }
    lgkt_radii r = radii_of(LGKT_REGION_L1, LGKT_BOUND_MIXTURE, 1e-5);
    for (double s = 1000; s <= 1100; s += 50) {
        r.states = s;
        const double logs = s * log(2) + log(sqrt(1 + 9.0) / 1e-5);
        assert_close(lgkt_radius_row(&r, 9), sqrt(2 * (1 + 1 / 9.0) * logs / 9), 1e-12);
    }
}

static void test_radii_shrink(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const lgkt_radii r = radii_of((lgkt_region)(i % 2), (lgkt_bound)(i / 2), 1e-3);
        for (double n = 1; n < 1e12; n *= 1.5) {
            assert_true(lgkt_radius_row(&r, n * 1.5) < lgkt_radius_row(&r, n));
            assert_true(lgkt_radius_reward(&r, n * 1.5) < lgkt_radius_reward(&r, n));
        }
    }
}

// ---- coverage ----

enum { RUNS = 400, LENGTH = 1000, STATES = 3 };

// which of the radii (reward, l1, kl) were ever left on a run of draws from p
static void walk(lgkt_rng *rng, const double *p, double delta, bool left[3])
{
    lgkt_radii l1 = radii_of(LGKT_REGION_L1, LGKT_BOUND_MIXTURE, delta), kl = l1;
    kl.region = LGKT_REGION_KL;
    l1.states = kl.states = STATES;
    double counts[STATES] = {0};
    left[0] = left[1] = left[2] = false;
    for (int n = 1; n <= LENGTH; n++) {
        counts[lgkt_sample_index(p, STATES, lgkt_rng_uniform(rng))]++;
        double distance = 0, divergence = 0;
        for (int y = 0; y < STATES; y++) {
            const double share = counts[y] / n;
            distance += fabs(share - p[y]);
            divergence += share > 0 ? share * log(share / p[y]) : 0;
        }
        // the mean of the indicator of state 0 is a reward in [0, 1]
        left[0] |= p[0] - counts[0] / n > lgkt_radius_reward(&l1, n);
        left[1] |= distance > lgkt_radius_row(&l1, n);
        left[2] |= divergence > lgkt_radius_row(&kl, n);
    }
}

// Each radius is left at some time in at most a share delta of runs. With delta = 0.05 and 400 runs
// more than 48 misses have a probability below 1e-6 (binomial tail: 1.0e-8).
static void test_mixture_radii_hold_at_all_times(void **state)
{
    (void)state;
    static const double laws[][STATES] = {{0.5, 0.3, 0.2}, {0.02, 0.97, 0.01}};
    lgkt_rng rng = lgkt_rng_stream(2, "walks", 0);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        int misses[3] = {0};
        for (int run = 0; run < RUNS; run++) {
            bool left[3];
            walk(&rng, laws[i], 0.05, left);
            for (int j = 0; j < 3; j++)
                misses[j] += left[j];
        }
        for (int j = 0; j < 3; j++)
            assert_in_range(misses[j], 0, 48);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_numbers),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_sizes_at_the_limits),
        cmocka_unit_test(test_radii_shrink),
        cmocka_unit_test(test_mixture_radii_hold_at_all_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
