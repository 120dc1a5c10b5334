// SPDX-License-Identifier: MIT
// Requests read and answers written without trees (values.h, answer_text.h), beside jansson: the same
// values, the same bytes.

#include <math.h>

#include "lgkt/rng.h"
#include "ref/serve_values.h"
#include "serve/answer_text.h"
#include "test.h"

static lgkt_rng dice;

// ---- numbers and texts out ----

static void same_text(const srv_bytes *text, json_t *tree)
{
    char *wanted = json_dumps(tree, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    if (text->size != strlen(wanted) || memcmp(text->at, wanted, text->size) != 0)
        fail_msg("%.*s instead of %s", (int)text->size, (const char *)text->at, wanted);
    free(wanted);
    json_decref(tree);
}

static void same_real(double value)
{
    srv_bytes text = {0};
    srv_say_real(&text, value);
    same_text(&text, isfinite(value) ? json_real(value) : json_null());
    srv_bytes_release(&text);
}

static double any_bits(void)
{
    const uint64_t bits = lgkt_rng_next(&dice);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void reals(void **unused)
{
    (void)unused;
    static const double some[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.1,
                                  0.3,
                                  1.0 / 3,
                                  0.5,
                                  1e-4,
                                  1e-5,
                                  123456789,
                                  1e15,
                                  1e16,
                                  1e17,
                                  999999999999999.9,
                                  9007199254740993.0,
                                  5e-324,
                                  1.7976931348623157e308,
                                  INFINITY,
                                  NAN};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        same_real(some[i]);
        same_real(nextafter(some[i], 0));
        same_real(nextafter(some[i], 10));
    }
    // around powers of ten, where digits carry over
    for (int d = -6; d <= 17; d++)
        for (int i = -40; i <= 40; i++) {
            double value = pow(10, d);
            for (int k = 0; k < abs(i); k++)
                value = nextafter(value, i < 0 ? 0 : INFINITY);
            same_real(value);
        }
    const int rounds = test_short() ? 20000 : 400000;
    for (int i = 0; i < rounds; i++) {
        same_real(lgkt_rng_uniform(&dice));
        same_real(pow(10, 22 * lgkt_rng_uniform(&dice) - 6));
        same_real(any_bits());
        // few digits in binary: ties are rounded to even
        same_real(ldexp(lgkt_rng_below(&dice, 1 << 20), lgkt_rng_below(&dice, 70) - 60));
    }
}

static void integers_and_texts(void **unused)
{
    (void)unused;
    static const int64_t some[] = {0, 1, -1, 9, 10, -10, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 20000; i++) {
        const int64_t value =
            i < 8 ? some[i] : (int64_t)lgkt_rng_next(&dice) >> lgkt_rng_below(&dice, 64);
        srv_bytes text = {0};
        srv_say_integer(&text, value);
        same_text(&text, json_integer(value));
        srv_bytes_release(&text);
    }
    for (int c = 1; c < 128; c++) {
        const char letters[] = {'a', (char)c, 'b', (char)c, '\0'};
        srv_bytes text = {0};
        srv_say_text(&text, letters);
        same_text(&text, json_string(letters));
        srv_bytes_release(&text);
    }
    srv_bytes text = {0};
    srv_say_text(&text, "stra\xc3\x9f"
                        "e \xe2\x82\xac");
    same_text(&text, json_string("stra\xc3\x9f"
                                 "e \xe2\x82\xac"));
    srv_bytes_release(&text);
}

// ---- requests in ----

// What is taken for plain is JSON, and says what jansson says it does.
static bool check(const char *text, size_t size)
{
    srv_values plain = {0};
    char why[SRV_WHY];
    // the bytes alone count: nothing is read behind them
    char *own = malloc(size + 1);
    memcpy(own, text, size);
    const bool is_plain = srv_values_read(&plain, own, size);
    json_t *tree = srv_tree_read(own, size, why);
    if (is_plain && !serve_values_agree(&plain, tree))
        fail_msg("%.*s: %s", (int)size, text, tree == NULL ? why : "other values");
    json_decref(tree);
    srv_values_release(&plain);
    free(own);
    return is_plain;
}

static const char *const PLAIN[] = {
    "{\"unit\":\"p1\",\"state\":{\"mood\":1,\"time\":\"am\"},\"allowed\":[\"nothing\",\"message\"]"
    "}",
    "[{\"decision\":12,\"reward\":0.25},{\"decision\":13,\"executed\":false},{\"decision\":14,"
    "\"reward\":-3,\"next_state\":{\"age\":31.75,\"sex\":null},\"ended\":true}]",
    "{\"decisions\":[{\"unit\":\"a\"},{\"unit\":\"b\",\"state\":{}}]}",
    " { \"a\" : [ 1 , -2.5 , 0 , -0 , -0.0, 0.000001 , 123456789012345 ] }\n",
    "{\"unit\":\"c\",\"action\":\"y\",\"propensities\":{\"x\":0.5,\"y\":0.5}}",
    "[]",
    "{}",
    "\"a\"",
    "17",
    "true",
};

// Left to jansson, which takes some of them and refuses the others.
static const char *const OTHERS[] = {
    "",
    "{",
    "[1,]",
    "{\"a\":1,}",
    "[1 2]",
    "{\"a\" 1}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1}x",
    "01",
    "-",
    "1.",
    ".5",
    "1e3",
    "1.5E-3",
    "1234567890123456",
    "0.1234567890123456",
    "\"a\\n\"",
    "\"\\u00e9\"",
    "\"\xc3\xa9\"",
    "\"a\tb\"",
    "[[[[[[[[1]]]]]]]]",
    "nul",
    "NaN",
    "{1:2}",
    "\"a",
};

static void requests(void **unused)
{
    (void)unused;
    enum { KINDS = sizeof PLAIN / sizeof *PLAIN };
    for (size_t i = 0; i < KINDS; i++)
        assert_true(check(PLAIN[i], strlen(PLAIN[i])));
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        assert_false(check(OTHERS[i], strlen(OTHERS[i])));
    // some letters become others, or are cut out or doubled
    static const char letters[] = "{}[]\",:0123456789.-+eE \n\\tfnrua\x80";
    const int rounds = test_short() ? 30000 : 600000;
    int taken = 0;
    for (int i = 0; i < rounds; i++) {
        char text[300];
        size_t size = strlen(strcpy(text, PLAIN[i % KINDS]));
        for (int k = 1 + lgkt_rng_below(&dice, 3); k > 0 && size > 0; k--) {
            const size_t at = (size_t)lgkt_rng_below(&dice, (int32_t)size);
            const int what = lgkt_rng_below(&dice, 3);
            if (what == 0) {
                text[at] = letters[lgkt_rng_below(&dice, sizeof letters - 1)];
            } else if (what == 1) {
                memmove(text + at, text + at + 1, size-- - at);
            } else {
                memmove(text + at + 1, text + at, ++size - at);
            }
        }
        text[size] = '\0';
        taken += check(text, size);
    }
    assert_true(taken > rounds / 20 && taken < rounds);
}

int main(void)
{
    dice = lgkt_rng_stream(7, "text", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals),
        cmocka_unit_test(integers_and_texts),
        cmocka_unit_test(requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
