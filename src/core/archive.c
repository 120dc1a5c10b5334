// SPDX-License-Identifier: MIT
// The visits of archive.h. All go through one word of 8 bytes.

#include "core/archive.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"

#define WORD 8

lgkt_archive lgkt_archive_hash(void)
{
    return (lgkt_archive){.mode = LGKT_ARCHIVE_HASH, .hash = LGKT_HASH_START};
}

lgkt_archive lgkt_archive_save(void *out, size_t capacity)
{
    return (lgkt_archive){.mode = LGKT_ARCHIVE_SAVE, .out = out, .capacity = capacity};
}

lgkt_archive lgkt_archive_load(const void *in, size_t size)
{
    return (lgkt_archive){.mode = LGKT_ARCHIVE_LOAD, .in = in, .capacity = size};
}

void lgkt_archive_starve(lgkt_archive *archive)
{
    archive->starved |= !archive->bad;
    archive->bad = true;
}

// ---- one word ----

static void save_word(lgkt_archive *archive, uint64_t word)
{
    for (size_t i = 0; i < WORD; i++)
        archive->out[archive->at + i] = (unsigned char)(word >> (8 * i));
}

static uint64_t load_word(const lgkt_archive *archive)
{
    uint64_t word = 0;
    for (size_t i = 0; i < WORD; i++)
        word |= (uint64_t)archive->in[archive->at + i] << (8 * i);
    return word;
}

// Passes one word. True if `*word` has been loaded and is to be checked and kept.
static bool pass(lgkt_archive *archive, uint64_t *word)
{
    if (archive->mode == LGKT_ARCHIVE_HASH) {
        archive->hash = lgkt_hash_u64(archive->hash, *word);
        return false;
    }
    const bool fits = archive->at <= archive->capacity && archive->capacity - archive->at >= WORD;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    archive->bad |= loads && !fits;
    if (!loads && fits)
        save_word(archive, *word);
    if (loads && !archive->bad)
        *word = load_word(archive);
    archive->at += WORD;
    return loads && !archive->bad;
}

// ---- visits ----

void lgkt_visit_u64(lgkt_archive *archive, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = values[i];
        if (pass(archive, &word))
            values[i] = word;
    }
}

void lgkt_visit_real(lgkt_archive *archive, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof word);
        if (pass(archive, &word))
            memcpy(&values[i], &word, sizeof word);
    }
}

void lgkt_visit_f64(lgkt_archive *archive, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        lgkt_visit_real(archive, &value, 1);
        archive->bad |= archive->mode == LGKT_ARCHIVE_LOAD && !isfinite(value);
        if (!archive->bad)
            values[i] = value;
    }
}

void lgkt_visit_i64(lgkt_archive *archive, int64_t *values, size_t count, int64_t lo, int64_t hi)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = (uint64_t)values[i];
        if (!pass(archive, &word))
            continue;
        int64_t value;
        memcpy(&value, &word, sizeof value);
        archive->bad |= value < lo || value > hi;
        if (!archive->bad)
            values[i] = value;
        if (hi == LGKT_MAX_COUNT && !archive->bad && value > archive->highest)
            archive->highest = value;
    }
}

void lgkt_visit_tally(lgkt_archive *archive, int64_t *values, size_t count)
{
    lgkt_visit_i64(archive, values, count, 0, INT64_MAX);
    for (size_t i = 0; archive->mode == LGKT_ARCHIVE_LOAD && i < count; i++)
        values[i] = values[i] < INT64_MAX / 2 ? values[i] : INT64_MAX / 2;
}

void lgkt_visit_i32(lgkt_archive *archive, int32_t *values, size_t count, int32_t lo, int32_t hi)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = values[i];
        lgkt_visit_i64(archive, &value, 1, lo, hi);
        if (archive->mode == LGKT_ARCHIVE_LOAD)
            values[i] = (int32_t)value;
    }
}

// the all-zero state is no state of the generator
void lgkt_visit_rng(lgkt_archive *archive, lgkt_rng *rng)
{
    lgkt_rng next = *rng;
    lgkt_visit_u64(archive, next.s, 4);
    if (archive->mode != LGKT_ARCHIVE_LOAD)
        return;
    archive->bad |= (next.s[0] | next.s[1] | next.s[2] | next.s[3]) == 0;
    if (!archive->bad)
        *rng = next;
}

// in words too, the last one filled up with zeros
void lgkt_visit_bytes(lgkt_archive *archive, void *bytes, size_t size)
{
    unsigned char *at = bytes;
    for (size_t i = 0; i < size; i += WORD) {
        const size_t part = size - i < WORD ? size - i : WORD;
        uint64_t word = 0;
        for (size_t j = 0; j < part; j++)
            word |= (uint64_t)at[i + j] << (8 * j);
        if (pass(archive, &word))
            for (size_t j = 0; j < part; j++)
                at[i + j] = (unsigned char)(word >> (8 * j));
    }
}
