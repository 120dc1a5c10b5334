// SPDX-License-Identifier: MIT
// The visits of archive.h, which all go through one word of 8 bytes, and the envelope of saved
// states.

#include "core/archive.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"

#define WORD   8
#define FORMAT 3  // of the envelope; those before 0.1.0 had other ones
#define HEAD   64 // bytes before the content
#define TAIL   8  // bytes after it

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

// ---- visits ----

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
        lgkt_put_u64(archive->out + archive->at, *word);
    if (loads && !archive->bad)
        *word = lgkt_get_u64(archive->in + archive->at);
    archive->at += WORD;
    return loads && !archive->bad;
}

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

static void visit_up_to(lgkt_archive *archive, double *values, size_t count, double most)
{
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        lgkt_visit_real(archive, &value, 1);
        archive->bad |= archive->mode == LGKT_ARCHIVE_LOAD && !isfinite(value);
        if (archive->mode == LGKT_ARCHIVE_LOAD && fabs(value) > most)
            value = copysign(most, value);
        if (!archive->bad)
            values[i] = value;
    }
}

void lgkt_visit_f64(lgkt_archive *archive, double *values, size_t count)
{
    visit_up_to(archive, values, count, LGKT_MAX_NUMBER);
}

void lgkt_visit_squares(lgkt_archive *archive, double *values, size_t count)
{
    visit_up_to(archive, values, count, LGKT_MAX_SQUARE);
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

// ---- saved states ----

static const char magic[8] = {'L', 'G', 'K', 'T', 'S', 'A', 'V', 'E'};
// What each kind of object says about itself, around the classes within it. Units hold a learner or
// a keyed learner, and a keyed learner a learner: where the number of one rises, so does that of
// those that hold it.
static const lgkt_readable kinds[] = {
    {"?", 0, 0},
    {"learner", 1, 1},
    {"trajectory", 1, 1},
    {"keyed learner", 1, 1},
    {"learner of units", 1, 1},
};

typedef struct envelope {
    char magic[8];
    uint64_t format, kind, size;
    lgkt_writer writer;
} envelope;

// The head of a saved state, of HEAD bytes; the content follows it.
static void visit_envelope(lgkt_archive *archive, envelope *e, int kind)
{
    lgkt_visit_bytes(archive, e->magic, sizeof e->magic);
    lgkt_visit_u64(archive, &e->format, 1);
    lgkt_visit_u64(archive, &e->kind, 1);
    lgkt_visit_u64(archive, &e->size, 1);
    lgkt_visit_bytes(archive, e->writer.version, sizeof e->writer.version);
    lgkt_visit_i32(archive, &e->writer.numbers, 1, 1, INT32_MAX);
    lgkt_visit_number(archive, &kinds[kind]);
}

// Three numbers with points between them, then nothing but zeros: messages show it.
static bool is_version(const char version[16])
{
    static const char zeros[16] = {0};
    if (version[15] != '\0')
        return false;
    const char *at = version;
    for (int i = 0; i < 3; i++) {
        const size_t digits = strspn(at, "0123456789");
        at += digits;
        // the zero behind the last number is looked at below
        if (digits == 0 || (i < 2 && *at++ != '.'))
            return false;
    }
    return memcmp(at, zeros, 16 - (size_t)(at - version)) == 0;
}

int32_t lgkt_visit_number(lgkt_archive *archive, const lgkt_readable *readable)
{
    int32_t number = readable->newest;
    if (archive->mode == LGKT_ARCHIVE_HASH)
        return number;
    lgkt_visit_i32(archive, &number, 1, 1, INT32_MAX);
    if (!archive->bad && (number < readable->oldest || number > readable->newest)) {
        archive->bad = true;
        archive->refused = *readable;
        archive->refused_number = number;
    }
    return archive->bad ? readable->newest : number;
}

// why a class's state is not read
static lgkt_status refuse_number(const lgkt_archive *archive, lgkt_error *error)
{
    const lgkt_readable *class = &archive->refused;
    const char *writer = archive->writer.version;
    if (archive->refused_number > class->newest)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the state of \"%s\" was saved by lgkt %s as number %d; this version, "
                         "%s, reads up to number %d",
                         class->name, writer, archive->refused_number, LGKT_VERSION_STRING,
                         class->newest);
    const int series = (int)(strrchr(writer, '.') - writer); // major and minor number
    return lgkt_fail(error, LGKT_ERR_FORMAT,
                     "states of \"%s\" from lgkt %s can no longer be loaded: run them with %.*s.x",
                     class->name, writer, series, writer);
}

lgkt_status lgkt_saved_write(int kind, lgkt_saved_fn visit, void *object, void *buffer,
                             size_t capacity, size_t *size, lgkt_error *error)
{
    // a first walk for the size, which stands in the head
    lgkt_archive measure = lgkt_archive_save(NULL, 0);
    visit(object, &measure);
    *size = HEAD + measure.at + TAIL;
    if (capacity < *size)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "the saved state needs %zu bytes, there are %zu",
                         *size, capacity);
    envelope e = {
        .format = FORMAT, .kind = (uint64_t)kind, .size = *size, .writer = LGKT_OWN_WRITER};
    memcpy(e.magic, magic, sizeof magic);
    lgkt_archive archive = lgkt_archive_save(buffer, capacity);
    visit_envelope(&archive, &e, kind);
    visit(object, &archive);
    uint64_t sum = lgkt_hash_bytes(LGKT_HASH_START, buffer, archive.at);
    lgkt_visit_u64(&archive, &sum, 1);
    return LGKT_OK;
}

lgkt_status lgkt_saved_open(int kind, const void *buffer, size_t size, lgkt_archive *archive,
                            lgkt_error *error)
{
    if (buffer == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "buffer must not be NULL");
    if (size < HEAD + TAIL)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%zu bytes are too few for a saved state", size);
    envelope e = {.format = 0};
    lgkt_archive whole = lgkt_archive_load(buffer, size);
    visit_envelope(&whole, &e, kind);
    if (memcmp(e.magic, magic, sizeof magic) != 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "these bytes are no saved state of lgkt");
    if (e.format != FORMAT)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "saved in format %llu; this version reads %d",
                         (unsigned long long)e.format, FORMAT);
    if (e.size != size)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state has %zu bytes and should have %llu", size,
                         (unsigned long long)e.size);
    if (e.kind != (uint64_t)kind)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "this is the state of a %s, not of a %s",
                         kinds[e.kind <= LGKT_SAVED_UNITS ? e.kind : 0].name, kinds[kind].name);
    uint64_t sum = 0;
    lgkt_archive tail = lgkt_archive_load((const unsigned char *)buffer + size - TAIL, TAIL);
    lgkt_visit_u64(&tail, &sum, 1);
    if (sum != lgkt_hash_bytes(LGKT_HASH_START, buffer, size - TAIL))
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state is damaged: its checksum does not agree");
    whole.writer = e.writer;
    whole.bad |= !is_version(e.writer.version);
    if (whole.bad)
        return lgkt_saved_close(&whole, error);
    *archive = lgkt_archive_load((const unsigned char *)buffer + HEAD, size - HEAD - TAIL);
    archive->writer = e.writer;
    return LGKT_OK;
}

lgkt_status lgkt_saved_close(const lgkt_archive *archive, lgkt_error *error)
{
    if (archive->starved)
        return lgkt_fail_memory(error, "a saved state");
    if (archive->refused.name != NULL)
        return refuse_number(archive, error);
    if (archive->bad)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state has a value out of range, or too few of them");
    if (archive->at != archive->capacity)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the saved state has %zu bytes too many",
                         archive->capacity - archive->at);
    return LGKT_OK;
}
