// SPDX-License-Identifier: MIT
// How libFuzzer changes saved states: they are words of 8 bytes, so mostly a whole word is replaced
// by a telling value, a neighbour or another word of the same state. What comes before the first
// word (FUZZ_WORDS_AT bytes) is left to libFuzzer's own mutations, which a quarter of all are.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/hash.h"

#ifndef FUZZ_WORDS_AT
#define FUZZ_WORDS_AT 0
#endif

enum { WORD = 8 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

// small numbers, ends of ranges, and reals: 1, -1, the largest, the least, infinity, not a number
static const uint64_t telling[] = {
    0,
    1,
    2,
    3,
    40,
    UINT64_MAX,
    INT64_MAX,
    INT64_MAX / 4,
    (uint64_t)INT64_MIN,
    INT32_MAX,
    1 << 24,
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0xbff0000000000000),
    UINT64_C(0x7fefffffffffffff),
    UINT64_C(0x0000000000000001),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0x7ff8000000000000),
};

static uint64_t get_word(const uint8_t *words, size_t i)
{
    uint64_t word;
    memcpy(&word, words + WORD * i, WORD);
    return word;
}

static uint64_t changed(const uint8_t *words, size_t count, size_t i, uint64_t *state)
{
    const uint64_t pick = lgkt_splitmix(state);
    switch (lgkt_splitmix(state) % 4) {
    case 0:
        return get_word(words, i) + pick % 5 - 2;
    case 1:
        return get_word(words, pick % count);
    default:
        return telling[pick % (sizeof telling / sizeof *telling)];
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint64_t state = seed;
    if (size < FUZZ_WORDS_AT + WORD || lgkt_splitmix(&state) % 4 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    uint8_t *words = data + FUZZ_WORDS_AT;
    const size_t count = (size - FUZZ_WORDS_AT) / WORD;
    const size_t i = lgkt_splitmix(&state) % count;
    const uint64_t word = changed(words, count, i, &state);
    memcpy(words + WORD * i, &word, WORD);
    return size;
}
