// SPDX-License-Identifier: MIT
// Text for people: characters, cutting and cleaning.

#include "core/text.h"
#include "test.h"

// ---- characters ----

// The bytes of a code point, made from its definition.
static size_t encode(uint32_t code, char text[5])
{
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    const unsigned heads[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(heads[length] | code);
    text[length] = '\0';
    return length;
}

static void every_character_is_one(void **state)
{
    (void)state;
    char text[5];
    assert_int_equal(lgkt_utf8_length(""), 0);
    for (uint32_t code = 1; code < 0x120000; code++) {
        const size_t length = encode(code, text);
        const bool is_one = (code < 0xd800 || code > 0xdfff) && code < 0x110000;
        if (lgkt_utf8_length(text) != (is_one ? length : 0))
            fail_msg("U+%04X has %zu bytes", (unsigned)code, lgkt_utf8_length(text));
    }
}

// all texts of two and three bytes: a character is what the loop above makes, and nothing else
static void nothing_else_is_one(void **state)
{
    (void)state;
    for (unsigned first = 0x80; first < 0x100; first++) {
        for (unsigned rest = 0; rest < 0x10000; rest++) {
            const char text[] = {(char)first, (char)(rest >> 8), (char)rest, '\0'};
            const size_t length = lgkt_utf8_length(text);
            if (length == 0)
                continue;
            const unsigned code =
                length == 2 ? (first & 0x1f) << 6 | (rest >> 8 & 0x3f)
                            : (first & 0xf) << 12 | (rest >> 8 & 0x3f) << 6 | (rest & 0x3f);
            char again[5];
            assert_int_equal(encode(code, again), length);
            assert_memory_equal(again, text, length);
        }
    }
    const char *wrong[] = {"\x80",
                           "\xc0\x80",
                           "\xe0\x80\x80",
                           "\xf0\x80\x80\x80",
                           "\xf5\x80\x80\x80",
                           "\xf8\x88\x80\x80\x80",
                           "\xff",
                           "\xf0\x9f\x98"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(lgkt_utf8_length(wrong[i]), 0);
}

// ---- cutting ----

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; // ends after 1, 3, 6, 10, 11
    const size_t heads[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t limit = 0; limit < 13; limit++) {
        assert_int_equal(lgkt_text_fit(text, limit), heads[limit]);
        const size_t tail = strlen(lgkt_text_tail(text, limit));
        assert_true(tail <= limit && limit - tail < (limit > 11 ? 99 : 4));
        const size_t before = 11 - tail;
        assert_true(before == 0 || before == 1 || before == 3 || before == 6 || before == 10 ||
                    before == 11);
    }
    // what is not UTF-8 is cut anywhere
    assert_int_equal(lgkt_text_fit("\xff\xff\xff", 2), 2);
    assert_int_equal(lgkt_text_fit("\xe2\x82", 2), 2);
    assert_int_equal(strlen(lgkt_text_tail("\x80\x80\x80\x80\x80\x80", 5)), 2);
    assert_string_equal(lgkt_text_tail("", 5), "");
}

// ---- cleaning ----

static void texts_are_cleaned(void **state)
{
    (void)state;
    const struct {
        const char *text, *clean;
    } cases[] = {{"", ""},
                 {"plain", "plain"},
                 {"a\nb\tc\x7f\x1b[0m", "a?b?c??[0m"},
                 {"\xc3\xa9\xc2\xa0", "\xc3\xa9\xc2\xa0"},
                 {"\xc2\x85\xc2\x9b", "??"}, // controls beyond ASCII
                 {"x\xff\xc3", "x??"},
                 {"\xed\xa0\x80", "???"}};
    char to[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(lgkt_text_clean(to, sizeof to, cases[i].text), strlen(cases[i].clean));
        assert_string_equal(to, cases[i].clean);
        strcpy(to, cases[i].text);
        lgkt_text_clean(to, sizeof to, to);
        assert_string_equal(to, cases[i].clean);
    }
    assert_int_equal(lgkt_text_clean(to, 3, "a\xc3\xa9"), 1);
    assert_string_equal(to, "a");
    assert_int_equal(lgkt_text_clean(to, 4, "a\xc3\xa9"), 3);
    assert_int_equal(lgkt_text_clean(to, 1, "a"), 0);
}

// any bytes become UTF-8, which is then left alone
static void any_bytes_become_utf8(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "bytes", 0);
    for (int run = 0; run < 20000; run++) {
        char text[24], to[24], again[24];
        const size_t length = (size_t)lgkt_rng_below(&rng, 23);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)(1 + lgkt_rng_below(&rng, 255));
        text[length] = '\0';
        const size_t size = 1 + (size_t)lgkt_rng_below(&rng, 24);
        lgkt_text_clean(to, size, text);
        assert_true(strlen(to) < size);
        for (const char *c = to; *c != '\0'; c += lgkt_utf8_length(c))
            assert_true(lgkt_utf8_length(c) > 0);
        lgkt_text_clean(again, sizeof again, to);
        assert_string_equal(again, to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_one),
        cmocka_unit_test(nothing_else_is_one),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(texts_are_cleaned),
        cmocka_unit_test(any_bytes_become_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
