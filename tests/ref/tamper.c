// SPDX-License-Identifier: MIT
// Tampering with saved states.

#include "ref/tamper.h"

#include <stdlib.h>

#include "core/hash.h"
#include "test.h"

// at most so many places of one kind of damage are tried
#define MOST_PLACES 1500
#define MOST_WORDS  400

uint64_t tamper_word(const unsigned char *bytes, size_t at)
{
    uint64_t word = 0;
    for (size_t i = 8; i-- > 0;)
        word = word * 256 + bytes[at + i];
    return word;
}

void tamper_set_word(unsigned char *bytes, size_t at, uint64_t word)
{
    for (size_t i = 0; i < 8; i++, word /= 256)
        bytes[at + i] = (unsigned char)(word % 256);
}

void tamper_seal(unsigned char *bytes, size_t size)
{
    tamper_set_word(bytes, TAMPER_AT_SIZE, size);
    tamper_set_word(bytes, size - TAMPER_TAIL,
                    lgkt_hash_bytes(LGKT_HASH_START, bytes, size - TAMPER_TAIL));
}

// in a block of just its size, so that a sanitizer sees what is read beyond
static unsigned char *copy_of(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void check_refused(const unsigned char *bytes, size_t size, tamper_load_fn load, void *ctx,
                          const char *what, size_t place)
{
    lgkt_error error = {0};
    const lgkt_status status = load(ctx, bytes, size, &error);
    if (status != LGKT_ERR_FORMAT || error.status != status || error.text[0] == '\0')
        fail_msg("%s %zu: %s \"%s\"", what, place, lgkt_status_name(status), error.text);
}

void tamper_check_damage(const unsigned char *bytes, size_t size, tamper_load_fn load, void *ctx)
{
    unsigned char *copy = copy_of(bytes, size);
    const size_t bits = 8 * size, stride = bits / MOST_PLACES + 1;
    for (size_t bit = 0; bit < bits; bit += stride) {
        copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
        check_refused(copy, size, load, ctx, "bit", bit);
        copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(copy);
    for (size_t left = 0; left < size; left += size / MOST_PLACES + 1) {
        unsigned char *cut = copy_of(bytes, left);
        check_refused(cut, left, load, ctx, "cut to", left);
        free(cut);
    }
    unsigned char *longer = calloc(size + 8, 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    for (size_t more = 1; more <= 8; more++)
        check_refused(longer, size + more, load, ctx, "longer by", more);
    free(longer);
}

// Values that mean something as a whole number, as an index or as a real number.
static const uint64_t TELLING[] = {
    0,
    1,
    2,
    UINT64_MAX,          // -1, a NaN
    INT64_MAX,           //
    (uint64_t)INT64_MIN, // -0.0
    1 << 16,             //
    INT32_MAX,           //
    UINT64_C(1) << 30,   //
    UINT64_C(1) << 32,   // 0 if cut to 32 bits
    UINT64_C(1) << 62,   // 2.0
    0x7ff0000000000000,  // infinity
    0x7fefffffffffffff,  // the largest number
    0xbff0000000000000,  // -1.0
    0x3fefffffffffffff,  // just below 1.0
};
enum { TELLING_COUNT = sizeof TELLING / sizeof *TELLING, TRIES = 7 };

// the i-th value for a word: its neighbours, and then some of the list, others for each word
static uint64_t value_for(uint64_t right, size_t word, size_t i)
{
    if (i < 2)
        return right + 2 * i - 1;
    return TELLING[(word + 3 * i) % TELLING_COUNT];
}

long tamper_check_content(const unsigned char *bytes, size_t size, tamper_load_fn load, void *ctx)
{
    const size_t words = (size - TAMPER_HEAD - TAMPER_TAIL) / 8;
    unsigned char *copy = copy_of(bytes, size);
    long refused = 0;
    for (size_t w = 0; w < words; w += words / MOST_WORDS + 1) {
        const size_t at = TAMPER_HEAD + 8 * w;
        const uint64_t right = tamper_word(bytes, at);
        for (size_t i = 0; i < TRIES; i++) {
            tamper_set_word(copy, at, value_for(right, w, i));
            tamper_seal(copy, size);
            lgkt_error error = {0};
            const lgkt_status status = load(ctx, copy, size, &error);
            if ((status != LGKT_OK) != (error.text[0] != '\0'))
                fail_msg("word %zu: %s \"%s\"", w, lgkt_status_name(status), error.text);
            refused += status != LGKT_OK;
        }
        tamper_set_word(copy, at, right);
    }
    free(copy);
    return refused;
}
