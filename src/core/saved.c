// SPDX-License-Identifier: MIT
// The envelope of saved.h.

#include "core/saved.h"

#include <string.h>

#include "core/error.h"
#include "core/hash.h"

#define VERSION 1
#define HEAD    32 // bytes before the content
#define TAIL    8  // bytes after it

static const char magic[8] = {'L', 'G', 'K', 'T', 'S', 'A', 'V', 'E'};
static const char *const kinds[] = {"?", "learner", "trajectory", "keyed learner"};

typedef struct head {
    char magic[8];
    uint64_t version, kind, size;
} head;

static void visit_head(lgkt_archive *archive, head *h)
{
    lgkt_visit_bytes(archive, h->magic, sizeof h->magic);
    lgkt_visit_u64(archive, &h->version, 1);
    lgkt_visit_u64(archive, &h->kind, 1);
    lgkt_visit_u64(archive, &h->size, 1);
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
    head h = {.version = VERSION, .kind = (uint64_t)kind, .size = *size};
    memcpy(h.magic, magic, sizeof magic);
    lgkt_archive archive = lgkt_archive_save(buffer, capacity);
    visit_head(&archive, &h);
    visit(object, &archive);
    uint64_t sum = lgkt_hash_bytes(LGKT_HASH_START, buffer, archive.at);
    lgkt_visit_u64(&archive, &sum, 1);
    return LGKT_OK;
}

static lgkt_status check_head(const head *h, int kind, size_t size, lgkt_error *error)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "these bytes are no saved state of lgkt");
    if (h->version != VERSION)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "saved in format %llu; this version reads %d",
                         (unsigned long long)h->version, VERSION);
    if (h->size != size)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state has %zu bytes and should have %llu", size,
                         (unsigned long long)h->size);
    if (h->kind != (uint64_t)kind)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "this is the state of a %s, not of a %s",
                         kinds[h->kind < 4 ? h->kind : 0], kinds[kind]);
    return LGKT_OK;
}

lgkt_status lgkt_saved_open(int kind, const void *buffer, size_t size, lgkt_archive *archive,
                            lgkt_error *error)
{
    if (buffer == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "buffer must not be NULL");
    if (size < HEAD + TAIL)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%zu bytes are too few for a saved state", size);
    head h = {.version = 0};
    lgkt_archive whole = lgkt_archive_load(buffer, size);
    visit_head(&whole, &h);
    const lgkt_status status = check_head(&h, kind, size, error);
    if (status != LGKT_OK)
        return status;
    uint64_t sum = 0;
    lgkt_archive tail = lgkt_archive_load((const unsigned char *)buffer + size - TAIL, TAIL);
    lgkt_visit_u64(&tail, &sum, 1);
    if (sum != lgkt_hash_bytes(LGKT_HASH_START, buffer, size - TAIL))
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state is damaged: its checksum does not agree");
    *archive = lgkt_archive_load((const unsigned char *)buffer + HEAD, size - HEAD - TAIL);
    return LGKT_OK;
}

lgkt_status lgkt_saved_close(const lgkt_archive *archive, lgkt_error *error)
{
    if (archive->starved)
        return lgkt_fail_memory(error, "a saved state");
    if (archive->bad)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state has a value out of range, or too few of them");
    if (archive->at != archive->capacity)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the saved state has %zu bytes too many",
                         archive->capacity - archive->at);
    return LGKT_OK;
}
