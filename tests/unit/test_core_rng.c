// SPDX-License-Identifier: MIT
// The generator, its named streams, the uniform draws, and one of n.
//
// Each statistical check fails a right program with probability at most 1e-7 (ref/chance.h).

#include "ref/chance.h"
#include "ref/naive_rng.h"
#include "test.h"

// ---- generator ----

static void the_generator_has_the_published_outputs(void **state)
{
    (void)state;
    // xoshiro256++ from the state 1, 2, 3, 4
    const uint64_t expected[10] = {UINT64_C(41943041),
                                   UINT64_C(58720359),
                                   UINT64_C(3588806011781223),
                                   UINT64_C(3591011842654386),
                                   UINT64_C(9228616714210784205),
                                   UINT64_C(9973669472204895162),
                                   UINT64_C(14011001112246962877),
                                   UINT64_C(12406186145184390807),
                                   UINT64_C(15849039046786891736),
                                   UINT64_C(10450023813501588000)};
    lgkt_rng rng = {{1, 2, 3, 4}};
    for (int i = 0; i < 10; i++)
        assert_true(lgkt_rng_next(&rng) == expected[i]);
}

static void the_generator_agrees_with_the_slow_version(void **state)
{
    (void)state;
    uint64_t expected[2000];
    lgkt_rng rng = lgkt_rng_stream(42, "environment", 7);
    naive_xoshiro(rng.s, expected, 2000);
    for (int i = 0; i < 2000; i++)
        assert_true(lgkt_rng_next(&rng) == expected[i]);
}

// ---- streams ----

static void streams_are_hashed_as_documented(void **state)
{
    (void)state;
    const char *names[] = {"", "learner", "environment", "instance",
                           "a longer name, with \xc3\xa9"};
    const uint64_t numbers[] = {0, 1, 2, 1000, UINT64_C(1) << 40, UINT64_MAX};
    for (size_t n = 0; n < 5; n++) {
        for (size_t s = 0; s < 6; s++) {
            for (size_t i = 0; i < 6; i++) {
                uint64_t expected[4];
                const lgkt_rng rng = lgkt_rng_stream(numbers[s], names[n], numbers[i]);
                naive_stream(numbers[s], names[n], numbers[i], expected);
                assert_memory_equal(rng.s, expected, sizeof expected);
            }
        }
    }
    const lgkt_rng null = lgkt_rng_stream(3, NULL, 4), empty = lgkt_rng_stream(3, "", 4);
    assert_memory_equal(&null, &empty, sizeof null);
}

// the streams of all experiments hang on these numbers: a change of them is a change of all results
static void streams_do_not_change(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "learner", 0);
    const uint64_t first = lgkt_rng_next(&rng), second = lgkt_rng_next(&rng);
    assert_true(first == UINT64_C(0x2d46aa432ee1d1a0));
    assert_true(second == UINT64_C(0xa78ae56f4c397db9));
}

#define FAMILY (4 * 4 * 64)

// Streams that differ in one of seed, name or index from some other.
static void make_family(lgkt_rng family[FAMILY])
{
    const char *names[] = {"learner", "learnes", "environment", "instance"};
    for (uint64_t i = 0; i < FAMILY; i++)
        family[i] = lgkt_rng_stream(i / 256, names[i / 64 % 4], i % 64);
}

static void streams_differ_in_every_word(void **state)
{
    (void)state;
    lgkt_rng family[FAMILY];
    make_family(family);
    for (int i = 0; i < FAMILY; i++) {
        for (int j = 0; j < i; j++) {
            // 2^21 pairs of words of 64 bits: equal by chance with probability 1e-13
            for (int w = 0; w < 4; w++)
                assert_true(family[i].s[w] != family[j].s[w]);
        }
    }
}

static int bit_count(uint64_t x)
{
    int n = 0;
    for (; x != 0; x &= x - 1)
        n++;
    return n;
}

static void first_outputs_of_neighbours_share_half_their_bits(void **state)
{
    (void)state;
    lgkt_rng family[FAMILY];
    make_family(family);
    double differing = 0.0, trials = 0.0;
    for (int i = 1; i < FAMILY; i++) {
        lgkt_rng a = family[i - 1], b = family[i];
        differing += bit_count(lgkt_rng_next(&a) ^ lgkt_rng_next(&b));
        trials += 64;
    }
    assert_close(differing, 0.5 * trials, chance_count_bound(trials, 0.5));
}

static void first_outputs_across_indices_are_uniform(void **state)
{
    (void)state;
    int64_t counts[64] = {0}, low_counts[64] = {0};
    double p[64];
    for (uint64_t i = 0; i < 20000; i++) {
        lgkt_rng rng = lgkt_rng_stream(0, "learner", i);
        const uint64_t bits = lgkt_rng_next(&rng);
        counts[bits >> 58]++;
        low_counts[bits & 63]++;
    }
    for (int i = 0; i < 64; i++)
        p[i] = 1.0 / 64;
    assert_true(chance_law_p_value(counts, p, 64) > CHANCE_LEVEL);
    assert_true(chance_law_p_value(low_counts, p, 64) > CHANCE_LEVEL);
}

// The correlation of 4000 uniform numbers of two streams, shifted against each other.
static double correlation(lgkt_rng a, lgkt_rng b, int shift)
{
    for (int i = 0; i < shift; i++)
        lgkt_rng_next(&b);
    double sum = 0.0;
    for (int i = 0; i < 4000; i++)
        sum += (lgkt_rng_uniform(&a) - 0.5) * (lgkt_rng_uniform(&b) - 0.5) * 12.0;
    return sum / 4000;
}

static void streams_are_not_correlated(void **state)
{
    (void)state;
    const lgkt_rng base = lgkt_rng_stream(5, "learner", 3);
    const lgkt_rng others[] = {lgkt_rng_stream(6, "learner", 3), lgkt_rng_stream(5, "learner", 4),
                               lgkt_rng_stream(5, "environment", 3),
                               lgkt_rng_stream(3, "learner", 5), base};
    // each term lies in [-3, 3], has mean 0 and variance 1; Bernstein with t = 0.1 n:
    // 2 exp(-400^2 / (2 (4000 + 400))) = 3e-8, over 23 checks 6e-7
    for (int o = 0; o < 5; o++) {
        for (int shift = (o == 4); shift < 5; shift++)
            assert_close(correlation(base, others[o], shift), 0.0, 0.1);
    }
}

// ---- uniform draws ----

// States whose next output is all ones and all zeros.
static const lgkt_rng all_ones = {{0, 1, 1, UINT64_MAX}};
static const lgkt_rng all_zeros = {{0, 1, 1, 0}};

static void draws_at_the_edges_stay_in_range(void **state)
{
    (void)state;
    lgkt_rng rng = all_ones;
    assert_true(lgkt_rng_next(&rng) == UINT64_MAX);
    rng = all_ones;
    assert_true(lgkt_rng_uniform(&rng) == 1.0 - 0x1p-53);
    rng = all_zeros;
    assert_true(lgkt_rng_uniform(&rng) == 0.0);
    const int32_t sizes[] = {1, 2, 3, 7, 1000, (1 << 24) - 1, INT32_MAX};
    for (int i = 0; i < 7; i++) {
        rng = all_ones;
        assert_int_equal(lgkt_rng_below(&rng, sizes[i]), sizes[i] - 1);
        rng = all_zeros;
        assert_int_equal(lgkt_rng_below(&rng, sizes[i]), 0);
    }
    // probabilities 0 and 1 are never and always
    rng = all_zeros;
    assert_false(lgkt_rng_bernoulli(&rng, 0.0));
    rng = all_ones;
    assert_true(lgkt_rng_bernoulli(&rng, 1.0));
}

static void uniform_numbers_are_uniform(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "uniform", 0);
    static int64_t counts[100], lows[64];
    static chance_ks ks;
    double p[100], sum = 0.0, squares = 0.0;
    const int n = 200000;
    for (int i = 0; i < n; i++) {
        const double u = lgkt_rng_uniform(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        counts[(int)(u * 100)]++;
        lows[(uint64_t)(u * 0x1p53) & 63]++; // the lowest bits that are used
        chance_ks_add(&ks, u);
        sum += u - 0.5;
        squares += (u - 0.5) * (u - 0.5);
    }
    for (int i = 0; i < 100; i++)
        p[i] = 0.01;
    assert_true(chance_law_p_value(counts, p, 100) > CHANCE_LEVEL);
    assert_true(chance_law_p_value(lows, p, 64) > CHANCE_LEVEL);
    assert_between(chance_ks_gap(&ks), 0.0, chance_ks_bound(n));
    // Hoeffding: 2 exp(-2 n t^2) = 1e-7 at t = 2.9 / sqrt(n); the squares lie in [0, 1/4]
    assert_close(sum / n, 0.0, 2.9 / sqrt(n));
    assert_close(squares / n, 1.0 / 12, 2.9 / 4 / sqrt(n));
}

static void successive_numbers_fill_the_cube(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "uniform", 0);
    static int64_t counts[512];
    static double p[512];
    for (int i = 0; i < 100000; i++) {
        const int a = lgkt_rng_below(&rng, 8), b = lgkt_rng_below(&rng, 8);
        counts[64 * a + 8 * b + lgkt_rng_below(&rng, 8)]++;
    }
    for (int i = 0; i < 512; i++)
        p[i] = 1.0 / 512;
    assert_true(chance_law_p_value(counts, p, 512) > CHANCE_LEVEL);
}

static void whole_numbers_are_uniform(void **state)
{
    (void)state;
    const int32_t sizes[] = {1, 2, 3, 5, 25};
    for (uint64_t k = 0; k < 5; k++) {
        lgkt_rng rng = lgkt_rng_stream(1, "below", k);
        int64_t counts[26] = {0};
        double p[26] = {0};
        for (int i = 0; i < 50000; i++) {
            const int32_t j = lgkt_rng_below(&rng, sizes[k]);
            assert_true(j >= 0 && j < sizes[k]);
            counts[j]++;
        }
        for (int32_t i = 0; i < sizes[k]; i++)
            p[i] = 1.0 / sizes[k];
        assert_true(chance_law_p_value(counts, p, 26) > CHANCE_LEVEL);
    }
}

static void bernoulli_has_its_probability(void **state)
{
    (void)state;
    const double ps[] = {0.0, 1e-4, 0.1, 0.5, 0.9, 1.0};
    for (uint64_t k = 0; k < 6; k++) {
        lgkt_rng rng = lgkt_rng_stream(1, "bernoulli", k);
        double hits = 0.0;
        for (int i = 0; i < 100000; i++)
            hits += lgkt_rng_bernoulli(&rng, ps[k]);
        const bool certain = ps[k] == 0.0 || ps[k] == 1.0;
        assert_close(hits, 1e5 * ps[k], certain ? 0.0 : chance_count_bound(1e5, ps[k]));
    }
}

static void each_draw_takes_one_number(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "learner", 1), expected = rng;
    lgkt_rng_uniform(&rng);
    lgkt_rng_below(&rng, 5);
    lgkt_rng_bernoulli(&rng, 0.0);
    for (int i = 0; i < 3; i++)
        lgkt_rng_next(&expected);
    assert_memory_equal(&rng, &expected, sizeof rng);
}

// ---- one of n ----

// Counts the prefixes whose sum is at most u.
static int32_t naive_index(const double *p, int32_t n, double u)
{
    int32_t below = 0;
    for (int32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int32_t i = 0; i <= j; i++)
            sum += p[i];
        below += sum <= u;
    }
    return below < n ? below : n - 1;
}

// Laws over n entries: equal, with zeros, a single point, and random.
static void make_law(int kind, double *p, int32_t n, lgkt_rng *rng)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const double laws[] = {1.0, i % 3 == 1 ? i : 0.0, i == n / 2, lgkt_rng_gamma(rng, 0.3)};
        p[i] = laws[kind];
        sum += p[i];
    }
    for (int32_t i = 0; i < n; i++)
        p[i] /= sum;
}

static void the_inverse_agrees_with_the_slow_version(void **state)
{
    (void)state;
    double p[100];
    lgkt_rng rng = lgkt_rng_stream(1, "inverse", 0);
    for (int kind = 0; kind < 4; kind++) {
        for (int32_t n = kind == 1 ? 2 : 1; n <= 100; n += 11) {
            make_law(kind, p, n, &rng);
            for (int i = 0; i < 500; i++) {
                const double u = lgkt_rng_uniform(&rng);
                assert_int_equal(lgkt_sample_index(p, n, u), naive_index(p, n, u));
            }
        }
    }
}

static void the_inverse_is_right_at_the_edges(void **state)
{
    (void)state;
    const double p[] = {0.0, 0.25, 0.0, 0.5, 0.25, 0.0};
    assert_int_equal(lgkt_sample_index(p, 6, 0.0), 1);
    assert_int_equal(lgkt_sample_index(p, 6, 0.25), 3); // strictly above u
    assert_int_equal(lgkt_sample_index(p, 6, nextafter(0.25, 0.0)), 1);
    assert_int_equal(lgkt_sample_index(p, 6, 0.75), 4);
    assert_int_equal(lgkt_sample_index(p, 6, 1.0 - 0x1p-53), 4);
    // no sum is above 1: the last, whatever its probability
    assert_int_equal(lgkt_sample_index(p, 6, 1.0), 5);
    assert_int_equal(lgkt_sample_index(p, 1, 0.9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_has_the_published_outputs),
        cmocka_unit_test(the_generator_agrees_with_the_slow_version),
        cmocka_unit_test(streams_are_hashed_as_documented),
        cmocka_unit_test(streams_do_not_change),
        cmocka_unit_test(streams_differ_in_every_word),
        cmocka_unit_test(first_outputs_of_neighbours_share_half_their_bits),
        cmocka_unit_test(first_outputs_across_indices_are_uniform),
        cmocka_unit_test(streams_are_not_correlated),
        cmocka_unit_test(draws_at_the_edges_stay_in_range),
        cmocka_unit_test(uniform_numbers_are_uniform),
        cmocka_unit_test(successive_numbers_fill_the_cube),
        cmocka_unit_test(whole_numbers_are_uniform),
        cmocka_unit_test(bernoulli_has_its_probability),
        cmocka_unit_test(each_draw_takes_one_number),
        cmocka_unit_test(the_inverse_agrees_with_the_slow_version),
        cmocka_unit_test(the_inverse_is_right_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
