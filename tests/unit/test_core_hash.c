// SPDX-License-Identifier: MIT
// FNV-1a, SplitMix64 and words as bytes, against slow versions and published values.

#include "core/hash.h"
#include "ref/naive_rng.h"
#include "test.h"

static uint64_t hash_text(const char *text)
{
    return lgkt_hash_bytes(LGKT_HASH_START, text, strlen(text));
}

// the published test vectors of FNV-1a, 64 bits
static void fnv_has_the_published_values(void **state)
{
    (void)state;
    assert_true(hash_text("") == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_text("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(hash_text("foobar") == UINT64_C(0x85944171f73967e8));
    assert_true(lgkt_hash_bytes(LGKT_HASH_START, NULL, 0) == LGKT_HASH_START);
}

static void fnv_agrees_with_the_slow_version(void **state)
{
    (void)state;
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(naive_splitmix(5, i) >> 9);
    for (size_t n = 0; n <= sizeof bytes; n++)
        assert_true(lgkt_hash_bytes(LGKT_HASH_START, bytes, n) == naive_fnv(bytes, n));
    // in two parts as in one
    const uint64_t half = lgkt_hash_bytes(LGKT_HASH_START, bytes, 100);
    assert_true(lgkt_hash_bytes(half, bytes + 100, 200) == naive_fnv(bytes, 300));
}

static void numbers_are_hashed_lowest_byte_first(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        const uint64_t value = naive_splitmix(9, i);
        unsigned char bytes[8];
        for (int k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(value >> (8 * k));
        assert_true(lgkt_hash_u64(LGKT_HASH_START, value) == naive_fnv(bytes, 8));
    }
}

static void doubles_are_hashed_by_meaning(void **state)
{
    (void)state;
    const uint64_t h = LGKT_HASH_START;
    const double numbers[] = {
        0.0, 1.0, -1.0, 0.1, 5e-324, 1e308, (double)INFINITY, -(double)INFINITY};
    const size_t n = sizeof numbers / sizeof numbers[0];
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        assert_true(lgkt_hash_f64(h, numbers[i]) == lgkt_hash_u64(h, bits));
        for (size_t j = 0; j < i; j++)
            assert_true(lgkt_hash_f64(h, numbers[i]) != lgkt_hash_f64(h, numbers[j]));
    }
    assert_true(lgkt_hash_f64(h, -0.0) == lgkt_hash_f64(h, 0.0));
    // NaNs of either sign and any payload are one
    const uint64_t nans[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
                             UINT64_C(0x7ff8000000000123)};
    for (int i = 0; i < 3; i++) {
        double nan_value;
        memcpy(&nan_value, &nans[i], sizeof nan_value);
        assert_true(lgkt_hash_f64(h, nan_value) == lgkt_hash_f64(h, (double)NAN));
    }
    assert_true(lgkt_hash_f64(h, (double)NAN) != lgkt_hash_f64(h, (double)INFINITY));
}

// ---- mixing ----

static void splitmix_has_the_published_values(void **state)
{
    (void)state;
    // the outputs from the seed 1234567
    const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                 UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                 UINT64_C(16408922859458223821)};
    uint64_t here = 1234567;
    for (uint64_t i = 0; i < 5; i++) {
        assert_true(lgkt_splitmix(&here) == expected[i]);
        assert_true(naive_splitmix(1234567, i + 1) == expected[i]);
    }
}

static void words_are_bytes_with_the_lowest_first(void **state)
{
    (void)state;
    unsigned char bytes[8];
    lgkt_put_u64(bytes, UINT64_C(0x0123456789abcdef));
    assert_memory_equal(bytes, "\xef\xcd\xab\x89\x67\x45\x23\x01", 8);
    for (uint64_t i = 0; i < 2000; i++) {
        const uint64_t word = naive_splitmix(3, i) >> (i % 64);
        lgkt_put_u64(bytes, word);
        assert_true(lgkt_get_u64(bytes) == word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fnv_has_the_published_values),
        cmocka_unit_test(fnv_agrees_with_the_slow_version),
        cmocka_unit_test(numbers_are_hashed_lowest_byte_first),
        cmocka_unit_test(doubles_are_hashed_by_meaning),
        cmocka_unit_test(splitmix_has_the_published_values),
        cmocka_unit_test(words_are_bytes_with_the_lowest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
