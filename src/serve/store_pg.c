// SPDX-License-Identifier: MIT
// The store in PostgreSQL: all programmes of a server in the tables of one database (pg_tables.h).
//
// Who writes holds an advisory lock of the session, and has raised the epoch. Everything that is
// written is one statement, which is a transaction of its own, and begins by locking the row of the
// programme if the epoch is still the own one: after a failover, or behind a pooler that lost the
// lock, no second server gets through. A statement that finds no such row ends the process.
//
// Taking the epoch commits, and so waits for the synchronous standby, with everything before it: what
// a server before had written and not yet been told of is on both disks before it is read.
//
// A group is two round trips: `look` with all its keys, and one append. A connection that is lost is
// not made again: whether the last append was committed is for the next start to see.

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "serve/pg_tables.h"

enum { KEY_LIMIT = 10000000, PAGE = 4096 };

static const int64_t LOCK = INT64_C(0x6c676b74) << 32; // and the number of the programme

typedef struct known_key {
    unsigned char key[SRV_HASH];
    int64_t seq; // 0: it is new
} known_key;

typedef struct pg_store {
    srv_store base;
    srv_pg_link link;
    int64_t id, epoch; // of the programme
    bool read_only;
    int64_t key_limit;
    known_key *known; // (known_count) by key: looked up since the last append
    size_t known_count, known_room;
    const PGresult *page;            // of records that are being read; NULL
    srv_bytes records, chains, keys; // arrays of an append
} pg_store;

// ---- arguments ----

static srv_pg_args args_of(const pg_store *s)
{
    srv_pg_args args = {0};
    srv_pg_integer(&args, s->id);
    return args;
}

static void add_array(srv_pg_args *args, const srv_bytes *array)
{
    srv_pg_bytes(args, array->at, array->size);
}

// Runs a statement that returns the row of the programme if the epoch is the own one.
static lgkt_status write_if_mine(pg_store *s, int which, const srv_pg_args *args, lgkt_error *error)
{
    PGresult *result = NULL;
    LGKT_TRY(srv_pg_run(&s->link, which, args, &result, error));
    const bool is_mine = PQntuples(result) == 1;
    PQclear(result);
    return is_mine
               ? LGKT_OK
               : lgkt_fail(error, SRV_STORE_LOST,
                           "%s: another server has taken it over; this one ends", s->link.shown);
}

// ---- keys ----

static int by_key(const void *a, const void *b)
{
    return memcmp(((const known_key *)a)->key, ((const known_key *)b)->key, SRV_HASH);
}

static known_key *known_in(known_key *keys, size_t count, const void *key)
{
    known_key wanted;
    memcpy(wanted.key, key, SRV_HASH);
    return count > 0 ? bsearch(&wanted, keys, count, sizeof wanted, by_key) : NULL;
}

// Asks for all of these keys, and sorts them; *count is smaller if some were there twice.
static lgkt_status ask(pg_store *s, known_key *keys, size_t *count, lgkt_error *error)
{
    srv_pg_args args = args_of(s);
    PGresult *result = NULL;
    size_t own = 0;
    qsort(keys, *count, sizeof *keys, by_key);
    for (size_t i = 0; i < *count; i++)
        if (own == 0 || by_key(&keys[own - 1], &keys[i]) != 0)
            keys[own++] = keys[i];
    srv_pg_begin_array(&s->keys, SRV_PG_BYTES, *count = own);
    for (size_t i = 0; i < own; i++)
        srv_pg_add_bytes(&s->keys, keys[i].key, SRV_HASH);
    add_array(&args, &s->keys);
    if (s->keys.failed)
        return lgkt_fail_memory(error, "keys");
    LGKT_TRY(srv_pg_run(&s->link, SRV_PG_FIND_KEYS, &args, &result, error));
    for (int i = 0; i < PQntuples(result); i++) {
        known_key *key = known_in(keys, own, PQgetvalue(result, i, 0));
        if (key != NULL)
            key->seq = srv_pg_integer_at(result, i, 1);
    }
    PQclear(result);
    return LGKT_OK;
}

// Room for so many keys to be known of.
static lgkt_status begin_keys(pg_store *s, size_t count, lgkt_error *error)
{
    s->known_count = 0;
    if (count <= s->known_room)
        return LGKT_OK;
    known_key *grown = realloc(s->known, count * sizeof *grown);
    if (grown == NULL)
        return lgkt_fail_memory(error, "keys");
    s->known = grown;
    s->known_room = count;
    return LGKT_OK;
}

// What was added to them is known only if all could be asked for.
static lgkt_status end_keys(pg_store *s, size_t count, lgkt_error *error)
{
    LGKT_TRY(ask(s, s->known, &count, error));
    s->known_count = count;
    return LGKT_OK;
}

static lgkt_status look(srv_store *store, const unsigned char (*keys)[SRV_HASH], size_t count,
                        lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    LGKT_TRY(begin_keys(s, count, error));
    for (size_t i = 0; i < count; i++) {
        s->known[i] = (known_key){0};
        memcpy(s->known[i].key, keys[i], SRV_HASH);
    }
    return end_keys(s, count, error);
}

// Who reads a page of records and asks for one of their keys will ask for the others.
static lgkt_status look_page(pg_store *s, lgkt_error *error)
{
    size_t count = 0;
    LGKT_TRY(begin_keys(s, (size_t)PQntuples(s->page), error));
    for (int i = 0; i < PQntuples(s->page); i++) {
        const unsigned char *key =
            srv_record_key(PQgetvalue(s->page, i, 1), (size_t)PQgetlength(s->page, i, 1));
        if (key == NULL)
            continue;
        s->known[count] = (known_key){0};
        memcpy(s->known[count++].key, key, SRV_HASH);
    }
    return end_keys(s, count, error);
}

static lgkt_status find(srv_store *store, const unsigned char key[SRV_HASH], int64_t *seq,
                        lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    known_key one = {0}, *at = known_in(s->known, s->known_count, key);
    size_t count = 1;
    if (at == NULL && s->page != NULL) {
        LGKT_TRY(look_page(s, error));
        at = known_in(s->known, s->known_count, key);
    }
    if (at == NULL) {
        memcpy(one.key, key, SRV_HASH);
        LGKT_TRY(ask(s, at = &one, &count, error));
    }
    *seq = at->seq;
    return LGKT_OK;
}

// ---- records ----

static lgkt_status damaged(const pg_store *s, int64_t seq, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: record %lld: the link of the chain is damaged",
                     s->link.shown, (long long)seq);
}

static lgkt_status head(srv_store *store, srv_head *at, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    const srv_pg_args args = args_of(s);
    PGresult *result = NULL;
    *at = (srv_head){0};
    LGKT_TRY(srv_pg_run(&s->link, SRV_PG_READ_HEAD, &args, &result, error));
    lgkt_status status = LGKT_OK;
    if (PQntuples(result) > 0) {
        at->seq = srv_pg_integer_at(result, 0, 0);
        if (PQgetlength(result, 0, 1) == SRV_HASH)
            memcpy(at->chain, PQgetvalue(result, 0, 1), SRV_HASH);
        else
            status = damaged(s, at->seq, error);
    }
    PQclear(result);
    return status;
}

static lgkt_status give_page(pg_store *s, const PGresult *page, int64_t *next, srv_each *each,
                             void *ctx, lgkt_error *error)
{
    for (int i = 0; i < PQntuples(page); i++) {
        const int64_t seq = srv_pg_integer_at(page, i, 0);
        if (PQgetlength(page, i, 2) != SRV_HASH)
            return damaged(s, seq, error);
        LGKT_TRY(each(ctx, seq, PQgetvalue(page, i, 1), (size_t)PQgetlength(page, i, 1),
                      (const unsigned char *)PQgetvalue(page, i, 2), error));
        *next = seq + 1;
    }
    return LGKT_OK;
}

// Page by page: `each` may ask for other things meanwhile.
static lgkt_status read_records(srv_store *store, int64_t from, int64_t to, srv_each *each,
                                void *ctx, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    lgkt_status status = LGKT_OK;
    for (bool more = true; more && from <= to && status == LGKT_OK;) {
        srv_pg_args args = args_of(s);
        PGresult *page = NULL;
        srv_pg_integer(&args, from);
        srv_pg_integer(&args, to);
        srv_pg_integer(&args, PAGE);
        LGKT_TRY(srv_pg_run(&s->link, SRV_PG_READ_RECORDS, &args, &page, error));
        s->page = s->read_only ? page : NULL;
        status = give_page(s, page, &from, each, ctx, error);
        s->page = NULL;
        more = PQntuples(page) == PAGE;
        PQclear(page);
    }
    return status;
}

static bool add_items(pg_store *s, srv_pg_args *args, const srv_item *items, size_t count)
{
    const int64_t last = count > 0 ? items[count - 1].seq : 0;
    srv_pg_begin_array(&s->records, SRV_PG_BYTES, count);
    srv_pg_begin_array(&s->chains, SRV_PG_BYTES, count);
    srv_pg_begin_array(&s->keys, SRV_PG_BYTES, count);
    for (size_t i = 0; i < count; i++) {
        srv_pg_add_bytes(&s->records, items[i].bytes, items[i].size);
        srv_pg_add_bytes(&s->chains, items[i].chain, SRV_HASH);
        srv_pg_add_bytes(&s->keys, items[i].key, SRV_HASH);
    }
    srv_pg_integer(args, s->epoch);
    srv_pg_integer(args, last - (int64_t)count);
    srv_pg_integer(args, last);
    add_array(args, &s->records);
    add_array(args, &s->chains);
    add_array(args, &s->keys);
    srv_pg_integer(args, last > s->key_limit ? last - s->key_limit : 0);
    return !s->records.failed && !s->chains.failed && !s->keys.failed;
}

static lgkt_status append_erasure(pg_store *s, srv_pg_args *args, const srv_overwrite *overwrite,
                                  lgkt_error *error)
{
    srv_bytes stubs = {0}, seqs = {0};
    unsigned char hash[SRV_HASH];
    srv_pg_begin_array(&stubs, SRV_PG_BYTES, overwrite->count);
    srv_pg_begin_array(&seqs, SRV_PG_BIGINT, overwrite->count);
    for (size_t i = 0; i < overwrite->count; i++) {
        srv_pg_add_bytes(&stubs, overwrite->stubs[i].bytes, overwrite->stubs[i].size);
        srv_pg_add_integer(&seqs, overwrite->stubs[i].seq);
    }
    add_array(args, &stubs);
    add_array(args, &seqs);
    crypto_generichash(hash, sizeof hash, overwrite->snapshot, overwrite->snapshot_size, NULL, 0);
    srv_pg_bytes(args, hash, sizeof hash);
    srv_pg_bytes(args, overwrite->snapshot, overwrite->snapshot_size);
    lgkt_status status =
        stubs.failed || seqs.failed
            ? lgkt_fail_memory(error, "an erasure")
            : srv_pg_exec(&s->link, "SET lgkt.erasing = 'on'", "erase", NULL, error);
    if (status == LGKT_OK) {
        status = write_if_mine(s, SRV_PG_APPEND_ERASURE, args, error);
        const lgkt_status off =
            srv_pg_exec(&s->link, "SET lgkt.erasing = 'off'", "erase", NULL, error);
        status = status == LGKT_OK ? off : status;
    }
    srv_bytes_release(&stubs);
    srv_bytes_release(&seqs);
    return status;
}

static lgkt_status append(srv_store *store, const srv_item *items, size_t count,
                          const srv_overwrite *overwrite, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    srv_pg_args args = args_of(s);
    s->known_count = 0;
    LGKT_TRY(srv_pg_alive(&s->link, error));
    if (count == 0 && overwrite == NULL)
        return LGKT_OK;
    if (!add_items(s, &args, items, count))
        return lgkt_fail_memory(error, "records");
    LGKT_TRY(overwrite != NULL ? append_erasure(s, &args, overwrite, error)
                               : write_if_mine(s, SRV_PG_APPEND, &args, error));
    // the first records of a programme come in one transaction with itself
    return PQtransactionStatus(s->link.conn) == PQTRANS_INTRANS
               ? srv_pg_exec(&s->link, "COMMIT", "append", NULL, error)
               : LGKT_OK;
}

// ---- snapshots ----

static lgkt_status put_snapshot(srv_store *store, int64_t seq, bool anchor, const void *bytes,
                                size_t size, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    srv_pg_args args = args_of(s);
    unsigned char hash[SRV_HASH];
    if (size > INT32_MAX / 2)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "%s: a snapshot has %zu bytes; PostgreSQL keeps up to 1 GiB",
                         s->link.shown, size);
    crypto_generichash(hash, sizeof hash, bytes, size, NULL, 0);
    srv_pg_integer(&args, s->epoch);
    srv_pg_integer(&args, seq);
    srv_pg_integer(&args, anchor);
    srv_pg_bytes(&args, hash, sizeof hash);
    srv_pg_bytes(&args, bytes, size);
    return write_if_mine(s, SRV_PG_PUT_SNAPSHOT, &args, error);
}

// The bytes of a snapshot if they are whole; NULL is left where not.
static lgkt_status copy_whole(const PGresult *row, void **bytes, size_t *size, lgkt_error *error)
{
    unsigned char hash[SRV_HASH];
    const size_t own = (size_t)PQgetlength(row, 0, 2);
    crypto_generichash(hash, sizeof hash, (const void *)PQgetvalue(row, 0, 2), own, NULL, 0);
    if (PQgetlength(row, 0, 1) != SRV_HASH || memcmp(hash, PQgetvalue(row, 0, 1), SRV_HASH) != 0)
        return LGKT_OK;
    *bytes = malloc(own + 1);
    if (*bytes == NULL)
        return lgkt_fail_memory(error, "a snapshot");
    memcpy(*bytes, PQgetvalue(row, 0, 2), *size = own);
    return LGKT_OK;
}

static lgkt_status get_snapshot(srv_store *store, int64_t upto, int64_t *seq, void **bytes,
                                size_t *size, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    *bytes = NULL;
    *seq = 0;
    *size = 0;
    while (*bytes == NULL) {
        srv_pg_args args = args_of(s);
        PGresult *row = NULL;
        srv_pg_integer(&args, upto);
        LGKT_TRY(srv_pg_run(&s->link, SRV_PG_GET_SNAPSHOT, &args, &row, error));
        const bool is_there = PQntuples(row) > 0;
        *seq = is_there ? srv_pg_integer_at(row, 0, 0) : 0;
        const lgkt_status status = is_there ? copy_whole(row, bytes, size, error) : LGKT_OK;
        PQclear(row);
        LGKT_TRY(status);
        if (!is_there)
            return LGKT_OK;
        upto = *seq - 1;
    }
    return LGKT_OK;
}

static lgkt_status check(srv_store *store, int64_t keys, int64_t upto, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    srv_pg_args args = args_of(s);
    PGresult *result = NULL;
    srv_pg_integer(&args, upto);
    LGKT_TRY(srv_pg_run(&s->link, SRV_PG_COUNT_KEYS, &args, &result, error));
    const int64_t others = srv_pg_integer_at(result, 0, 0) - keys;
    PQclear(result);
    return others == 0
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "%s: %lld idempotency keys are of no record",
                           s->link.shown, (long long)others);
}

// ---- opening ----

static lgkt_status fence(srv_store *store, lgkt_error *error)
{
    pg_store *s = (pg_store *)store;
    srv_pg_args lock = {0};
    const srv_pg_args args = args_of(s);
    PGresult *result = NULL;
    if (s->read_only)
        return lgkt_fail(error, SRV_STORE_HELD, "%s was opened for reading", s->link.shown);
    srv_pg_integer(&lock, LOCK + s->id);
    lgkt_status status = srv_pg_run(&s->link, SRV_PG_HOLD, &lock, NULL, error);
    if (status == LGKT_OK)
        status = srv_pg_run(&s->link, SRV_PG_RAISE_EPOCH, &args, &result, error);
    if (status == SRV_STORE_HELD)
        return lgkt_fail(error, status, "%s is held by another server", s->link.shown);
    LGKT_TRY(status);
    if (PQntuples(result) == 1)
        s->epoch = srv_pg_integer_at(result, 0, 0);
    else
        status = lgkt_fail(error, LGKT_ERR_NO_FILE, "%s is gone", s->link.shown);
    PQclear(result);
    return status;
}

static void close_store(srv_store *store, bool tidy)
{
    pg_store *s = (pg_store *)store;
    (void)tidy;
    srv_pg_disconnect(&s->link);
    srv_bytes_release(&s->records);
    srv_bytes_release(&s->chains);
    srv_bytes_release(&s->keys);
    free(s->known);
    free(s);
}

// The number of the programme, which is made or must be there.
static lgkt_status know_programme(pg_store *s, const char *name, bool create, lgkt_error *error)
{
    srv_pg_args args = {0};
    PGresult *result = NULL;
    srv_pg_bytes(&args, name, strlen(name));
    const lgkt_status status =
        srv_pg_run(&s->link, create ? SRV_PG_MAKE : SRV_PG_LOOK_UP, &args, &result, error);
    if (create && status == LGKT_ERR_ARGUMENT)
        return lgkt_fail(error, status, "%s is there already", s->link.shown);
    LGKT_TRY(status);
    const bool is_there = PQntuples(result) == 1;
    const int64_t format = is_there ? srv_pg_integer_at(result, 0, 1) : 0;
    s->id = is_there ? srv_pg_integer_at(result, 0, 0) : 0;
    PQclear(result);
    if (!is_there)
        return lgkt_fail(error, LGKT_ERR_NO_FILE, "there is no %s", s->link.shown);
    return format == 1 ? LGKT_OK
                       : lgkt_fail(error, LGKT_ERR_FORMAT,
                                   "%s is in format %lld, and this lgkt knows format 1",
                                   s->link.shown, (long long)format);
}

static lgkt_status start(pg_store *s, const srv_store_config *config, lgkt_error *error)
{
    const char *mark = strrchr(config->path, '#');
    if (mark == NULL || mark[1] == '\0')
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "a programme in PostgreSQL is named as postgresql://HOST/DATABASE#NAME");
    LGKT_TRY(srv_pg_connect(&s->link, config->path, srv_pg_sql, config->read_only, error));
    // who only reads sees all as it was when it began
    if (config->read_only)
        LGKT_TRY(srv_pg_exec(&s->link, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "open",
                             NULL, error));
    if (config->create) {
        LGKT_TRY(srv_pg_need_tables(&s->link, error));
        LGKT_TRY(srv_pg_exec(&s->link, "BEGIN", "open", NULL, error));
    }
    return know_programme(s, mark + 1, config->create, error);
}

lgkt_status srv_pg_open(const srv_store_config *config, srv_store **store, lgkt_error *error)
{
    static const srv_store_class class = {.append = append,
                                          .read = read_records,
                                          .find = find,
                                          .look = look,
                                          .put_snapshot = put_snapshot,
                                          .get_snapshot = get_snapshot,
                                          .head = head,
                                          .fence = fence,
                                          .check = check,
                                          .close = close_store};
    pg_store *s = calloc(1, sizeof *s);
    if (s == NULL)
        return lgkt_fail_memory(error, "a store");
    s->base.class = &class;
    s->read_only = config->read_only;
    s->key_limit = config->key_limit > 0 ? config->key_limit : KEY_LIMIT;
    const lgkt_status status = start(s, config, error);
    if (status == LGKT_OK)
        *store = &s->base;
    else
        close_store(&s->base, false);
    return status;
}

lgkt_status srv_pg_list(const char *uri,
                        lgkt_status (*each)(void *ctx, const char *name, lgkt_error *error),
                        void *ctx, lgkt_error *error)
{
    srv_pg_link link;
    PGresult *result = NULL;
    lgkt_status status = srv_pg_connect(&link, uri, NULL, false, error);
    if (status == LGKT_OK)
        status = srv_pg_need_tables(&link, error);
    if (status == LGKT_OK)
        status = srv_pg_exec(&link, "SELECT name FROM lgkt.programme ORDER BY name", "programmes",
                             &result, error);
    srv_pg_disconnect(&link);
    for (int i = 0; status == LGKT_OK && i < PQntuples(result); i++)
        status = each(ctx, PQgetvalue(result, i, 0), error);
    PQclear(result);
    return status;
}
