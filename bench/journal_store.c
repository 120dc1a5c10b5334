// SPDX-License-Identifier: MIT
// A store that appends to a file and syncs it, with its keys in memory: what SQLite is measured
// against. No recovery, no snapshots, no reading.

#include "journal_store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct journal {
    srv_store base;
    int file;
    unsigned char *buffer; // (room)
    size_t room;
    unsigned char (*keys)[SRV_HASH]; // (slots) of all records; zero: free
    int64_t *seqs;                   // (slots)
    size_t slots, used;
} journal;

static size_t slot_of(const journal *j, const unsigned char key[SRV_HASH])
{
    size_t at = 0;
    memcpy(&at, key, sizeof at);
    for (at &= j->slots - 1; j->seqs[at] != 0 && memcmp(j->keys[at], key, SRV_HASH) != 0;)
        at = (at + 1) & (j->slots - 1);
    return at;
}

static void grow(journal *j)
{
    journal old = *j;
    j->slots *= 2;
    j->keys = calloc(j->slots, SRV_HASH);
    j->seqs = calloc(j->slots, sizeof *j->seqs);
    for (size_t i = 0; i < old.slots; i++) {
        if (old.seqs[i] == 0)
            continue;
        const size_t at = slot_of(j, old.keys[i]);
        memcpy(j->keys[at], old.keys[i], SRV_HASH);
        j->seqs[at] = old.seqs[i];
    }
    free(old.keys);
    free(old.seqs);
}

static lgkt_status append(srv_store *store, const srv_item *items, size_t count,
                          const srv_overwrite *overwrite, lgkt_error *error)
{
    journal *j = (journal *)store;
    size_t size = 0;
    (void)overwrite;
    if (count == 0)
        return LGKT_OK;
    for (size_t i = 0; i < count; i++) {
        const size_t need = size + items[i].size + SRV_HASH + 4;
        if (need > j->room)
            j->buffer = realloc(j->buffer, j->room = 2 * need);
        const uint32_t length = (uint32_t)items[i].size;
        memcpy(j->buffer + size, &length, 4);
        memcpy(j->buffer + size + 4, items[i].bytes, items[i].size);
        memcpy(j->buffer + size + 4 + items[i].size, items[i].chain, SRV_HASH);
        size = need;
        if (items[i].key == NULL)
            continue;
        if (2 * ++j->used > j->slots)
            grow(j);
        const size_t at = slot_of(j, items[i].key);
        memcpy(j->keys[at], items[i].key, SRV_HASH);
        j->seqs[at] = items[i].seq;
    }
    const bool good = write(j->file, j->buffer, size) == (ssize_t)size && fdatasync(j->file) == 0;
    return good ? LGKT_OK : lgkt_fail(error, LGKT_ERR_IO, "the journal");
}

static lgkt_status find(srv_store *store, const unsigned char key[SRV_HASH], int64_t *seq,
                        lgkt_error *error)
{
    const journal *j = (const journal *)store;
    (void)error;
    *seq = j->seqs[slot_of(j, key)];
    return LGKT_OK;
}

// ---- what a new programme asks, too ----

static lgkt_status read_none(srv_store *store, int64_t from, int64_t to, srv_each *each, void *ctx,
                             lgkt_error *error)
{
    (void)store, (void)from, (void)to, (void)each, (void)ctx, (void)error;
    return LGKT_OK;
}

static lgkt_status put_no_snapshot(srv_store *store, int64_t seq, bool anchor, const void *bytes,
                                   size_t size, lgkt_error *error)
{
    (void)store, (void)seq, (void)anchor, (void)bytes, (void)size, (void)error;
    return LGKT_OK;
}

static lgkt_status get_no_snapshot(srv_store *store, int64_t upto, int64_t *seq, void **bytes,
                                   size_t *size, lgkt_error *error)
{
    (void)store, (void)upto, (void)error;
    *seq = 0;
    *bytes = NULL;
    *size = 0;
    return LGKT_OK;
}

static lgkt_status no_head(srv_store *store, srv_head *head, lgkt_error *error)
{
    (void)store, (void)error;
    *head = (srv_head){0};
    return LGKT_OK;
}

static lgkt_status no_fence(srv_store *store, lgkt_error *error)
{
    (void)store, (void)error;
    return LGKT_OK;
}

static void close_journal(srv_store *store, bool tidy)
{
    journal *j = (journal *)store;
    (void)tidy;
    close(j->file);
    free(j->buffer);
    free(j->keys);
    free(j->seqs);
    free(j);
}

lgkt_status journal_open(const srv_store_config *config, srv_store **store, lgkt_error *error)
{
    static const srv_store_class class = {.append = append,
                                          .read = read_none,
                                          .find = find,
                                          .put_snapshot = put_no_snapshot,
                                          .get_snapshot = get_no_snapshot,
                                          .head = no_head,
                                          .fence = no_fence,
                                          .close = close_journal};
    journal *j = calloc(1, sizeof *j);
    if (j == NULL)
        return lgkt_fail_memory(error, "a journal");
    j->base.class = &class;
    j->file = open(config->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    j->slots = 1 << 16;
    j->keys = calloc(j->slots, SRV_HASH);
    j->seqs = calloc(j->slots, sizeof *j->seqs);
    *store = &j->base;
    return LGKT_OK;
}

// for a program that is linked with --wrap=srv_sqlite_open
lgkt_status __wrap_srv_sqlite_open(const srv_store_config *config, srv_store **store,
                                   lgkt_error *error);
lgkt_status __wrap_srv_sqlite_open(const srv_store_config *config, srv_store **store,
                                   lgkt_error *error)
{
    return journal_open(config, store, error);
}
