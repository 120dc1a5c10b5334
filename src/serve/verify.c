// SPDX-License-Identifier: MIT
// Verification of a programme, and copies of its file.
//
// The chain is checked over all records; a stub's own link cannot be, since what it was made of is
// gone. Replay begins at the first record, or behind the last one that cannot be replayed: a stub,
// or the record of another lgkt. Every idempotency key of the index must be that of its record, and
// the other way round; snapshots on the way must be what the replay has.

#include <sodium.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/verify.h"

// ---- receipts ----

typedef struct receipt {
    int64_t seq;
    unsigned char chain[SRV_HASH];
} receipt;

typedef struct receipts {
    receipt *all; // (count) by seq
    size_t count, capacity, next;
} receipts;

static bool read_receipt(const char *line, receipt *one)
{
    char text[SRV_RECEIPT] = "";
    long long seq = 0;
    size_t size = 0;
    json_t *json =
        line[strspn(line, " \t")] == '{' ? json_loads(line, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    if (json != NULL) {
        const char *said = json_string_value(json_object_get(json, "receipt"));
        seq = json_integer_value(json_object_get(json, "seq"));
        snprintf(text, sizeof text, "%s", said != NULL ? said : "");
    } else if (sscanf(line, "%lld %32s", &seq, text) != 2) {
        return false;
    }
    json_decref(json);
    one->seq = seq;
    return seq > 0 &&
           sodium_hex2bin(one->chain, SRV_HASH, text, strlen(text), NULL, &size, NULL) == 0 &&
           size == SRV_HASH;
}

static int by_seq(const void *a, const void *b)
{
    const receipt *x = a, *y = b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static lgkt_status read_receipts(const char *path, receipts *to, lgkt_error *error)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_FILE, "%s cannot be opened", path);
    static char line[1 << 20];
    lgkt_status status = LGKT_OK;
    for (long long number = 1; status == LGKT_OK && fgets(line, sizeof line, file) != NULL;
         number++) {
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        if (to->count == to->capacity) {
            to->capacity = 2 * to->capacity + 64;
            receipt *grown = realloc(to->all, to->capacity * sizeof *grown);
            if (grown == NULL) {
                status = lgkt_fail_memory(error, "receipts");
                break;
            }
            to->all = grown;
        }
        if (!read_receipt(line, &to->all[to->count++]))
            status =
                lgkt_fail(error, LGKT_ERR_FORMAT,
                          "%s:%lld: neither \"seq receipt\" nor an answer with both", path, number);
    }
    fclose(file);
    if (to->count > 0)
        qsort(to->all, to->count, sizeof *to->all, by_seq);
    return status;
}

// ---- the records ----

typedef struct verification {
    srv_store *store;
    srv_machine *machine; // NULL: this pass does not replay
    receipts receipts;
    srv_verdict *verdict;
    int64_t head, last;            // of the log; the record that was read last
    int64_t barrier;               // the last record that cannot be replayed
    int64_t settled;               // the keys of records up to this one are in the index, ..
    int64_t indexed;               // .. so many
    unsigned char chain[SRV_HASH]; // of the record before
    srv_progress *progress;
    void *ctx;
} verification;

static lgkt_status check_receipts(verification *v, int64_t seq, const unsigned char chain[SRV_HASH],
                                  lgkt_error *error)
{
    receipts *all = &v->receipts;
    for (; all->next < all->count && all->all[all->next].seq <= seq; all->next++) {
        if (all->all[all->next].seq == seq &&
            memcmp(all->all[all->next].chain, chain, SRV_HASH) != 0)
            return lgkt_fail(error, LGKT_ERR_FORMAT,
                             "record %lld: its link of the chain is not that of the receipt",
                             (long long)seq);
        v->verdict->receipts++;
    }
    return LGKT_OK;
}

// The first pass: numbers, chain, keys, receipts.
static lgkt_status check_record(void *ctx, int64_t seq, const void *bytes, size_t size,
                                const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    verification *v = ctx;
    srv_record record;
    srv_record_room room;
    unsigned char link[SRV_HASH];
    lgkt_error why = {0};
    int64_t found = 0;
    if (seq != v->last + 1)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld is missing", (long long)v->last + 1);
    if (srv_record_decode(bytes, size, &record, &room, &why) != LGKT_OK)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld: %s", (long long)seq, why.text);
    srv_chain(v->chain, bytes, size, link);
    if (record.kind != SRV_STUB && memcmp(link, chain, SRV_HASH) != 0)
        return lgkt_fail(
            error, LGKT_ERR_FORMAT,
            "record %lld: its link of the chain does not follow from it and the record before",
            (long long)seq);
    LGKT_TRY(check_receipts(v, seq, chain, error));
    const unsigned char *key = srv_record_key(bytes, size);
    if (key != NULL) {
        LGKT_TRY(v->store->class->find(v->store, key, &found, error));
        if (found != seq && (found != 0 || seq > v->head - 10000000))
            return lgkt_fail(error, LGKT_ERR_FORMAT,
                             "record %lld: its idempotency key leads to record %lld",
                             (long long)seq, (long long)found);
        v->verdict->keys += found == seq;
        v->indexed += found == seq && seq <= v->settled;
    }
    const bool is_barrier =
        record.kind == SRV_STUB || ((record.kind == SRV_PROGRAMME || record.kind == SRV_BUILD) &&
                                    record.numbers != lgkt_numbers());
    if (is_barrier)
        v->barrier = seq;
    v->verdict->stubs += record.kind == SRV_STUB;
    v->verdict->records++;
    v->last = seq;
    memcpy(v->chain, chain, SRV_HASH);
    const bool goes_on =
        v->progress == NULL || seq % 4096 != 0 || v->progress(v->ctx, seq, 2 * v->head);
    return goes_on ? LGKT_OK : lgkt_fail(error, SRV_STOPPED, "stopped");
}

// The second pass: replay, and snapshots that are on the way.
static lgkt_status replay_record(void *ctx, int64_t seq, const void *bytes, size_t size,
                                 const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    verification *v = ctx;
    LGKT_TRY(srv_machine_replay(v->machine, bytes, size, chain, error));
    v->verdict->replayed++;
    const bool goes_on =
        v->progress == NULL || seq % 1024 != 0 || v->progress(v->ctx, v->head + seq, 2 * v->head);
    return goes_on ? LGKT_OK : lgkt_fail(error, SRV_STOPPED, "stopped");
}

static lgkt_status compare_snapshot(verification *v, int64_t seq, const void *kept, size_t size,
                                    lgkt_error *error)
{
    srv_bytes own = {0};
    lgkt_status status = srv_machine_save(v->machine, &own, error);
    if (status == LGKT_OK && (own.size != size || memcmp(own.at, kept, size) != 0))
        status =
            lgkt_fail(error, LGKT_ERR_FORMAT,
                      "the snapshot at record %lld is not what the records make", (long long)seq);
    srv_bytes_release(&own);
    return status;
}

// Where replay begins: at the oldest snapshot behind the barrier, if there is one.
static lgkt_status begin_replay(verification *v, lgkt_error *error)
{
    int64_t seq = 0, next = INT64_MAX;
    void *bytes = NULL;
    size_t size = 0;
    while (v->barrier > 0) {
        void *older;
        size_t older_size;
        int64_t older_seq;
        LGKT_TRY(
            v->store->class->get_snapshot(v->store, next, &older_seq, &older, &older_size, error));
        if (older == NULL || older_seq < v->barrier) {
            free(older);
            break;
        }
        free(bytes);
        bytes = older;
        size = older_size;
        seq = older_seq;
        next = seq - 1;
    }
    if (v->barrier > 0 && bytes == NULL)
        return lgkt_fail(
            error, LGKT_ERR_FORMAT,
            "no snapshot behind record %lld is whole: from there on nothing can be replayed",
            (long long)v->barrier);
    const lgkt_status status =
        bytes != NULL ? srv_machine_load(v->machine, bytes, size, error) : LGKT_OK;
    free(bytes);
    v->verdict->from = seq;
    return status;
}

static lgkt_status replay_all(verification *v, lgkt_error *error)
{
    LGKT_TRY(begin_replay(v, error));
    int64_t at = srv_machine_head(v->machine).seq;
    while (at < v->head) {
        // the next snapshot after `at`
        int64_t stop = v->head, seq = v->head;
        void *bytes = NULL, *kept = NULL;
        size_t size = 0, kept_size = 0;
        do {
            free(kept);
            kept = bytes;
            kept_size = size;
            stop = kept != NULL ? seq : stop;
            LGKT_TRY(v->store->class->get_snapshot(v->store, kept != NULL ? seq - 1 : v->head, &seq,
                                                   &bytes, &size, error));
        } while (bytes != NULL && seq > at);
        free(bytes);
        lgkt_status status = v->store->class->read(v->store, at + 1, stop, replay_record, v, error);
        if (status == LGKT_OK && kept != NULL)
            status = compare_snapshot(v, stop, kept, kept_size, error);
        free(kept);
        LGKT_TRY(status);
        at = stop;
    }
    return srv_machine_head(v->machine).seq == v->head
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld is missing",
                           (long long)srv_machine_head(v->machine).seq + 1);
}

// The first number of a query with a number in it, or what is wrong.
static lgkt_status ask_file(const char *path, const char *sql, int64_t given, int64_t *number,
                            lgkt_error *error)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *ask = NULL;
    lgkt_status status = LGKT_OK;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &ask, NULL) != SQLITE_OK ||
        sqlite3_bind_int64(ask, 1, given) != SQLITE_OK || sqlite3_step(ask) != SQLITE_ROW)
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s: %s", path, sqlite3_errmsg(db));
    if (status == LGKT_OK && sqlite3_column_type(ask, 0) == SQLITE_TEXT)
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s: %s", path,
                           (const char *)sqlite3_column_text(ask, 0));
    if (status == LGKT_OK)
        *number = sqlite3_column_int64(ask, 0);
    sqlite3_finalize(ask);
    sqlite3_close(db);
    return status;
}

// What SQLite itself can tell of its pages, and keys that no record has.
static lgkt_status check_file(const char *path, const verification *v, lgkt_error *error)
{
    static const char *const pages = "SELECT nullif(integrity_check, 'ok') FROM "
                                     "pragma_integrity_check WHERE ? IS NOT NULL";
    static const char *const keys =
        "SELECT count(*) - (SELECT count(*) FROM idem i JOIN log l ON l.seq = i.seq WHERE "
        "substr(l.rec, 1, 1) = x'06' AND length(i.key) > 1 AND i.seq <= ?1) "
        "FROM idem WHERE seq <= ?1 AND length(key) > 1";
    int64_t count = 0;
    LGKT_TRY(ask_file(path, pages, 0, &count, error));
    LGKT_TRY(ask_file(path, keys, v->settled, &count, error));
    return count == v->indexed
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "%s: %lld idempotency keys are of no record",
                           path, (long long)(count - v->indexed));
}

lgkt_status srv_verify(const char *path, const char *receipts_path, srv_progress *progress,
                       void *ctx, srv_verdict *verdict, lgkt_error *error)
{
    // marks of parts (sqlite_keys.c)
    static const char *const settled =
        "SELECT ifnull(min(seq), ?1) FROM idem WHERE length(key) = 1";
    const srv_store_config config = {.path = path, .read_only = true};
    verification v = {.verdict = verdict, .progress = progress, .ctx = ctx};
    srv_head head = {0};
    *verdict = (srv_verdict){0};
    if (sodium_init() < 0)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "libsodium does not start");
    lgkt_status status =
        receipts_path != NULL ? read_receipts(receipts_path, &v.receipts, error) : LGKT_OK;
    // what is wrong with the file is told when it is opened
    if (status == LGKT_OK)
        (void)ask_file(path, settled, INT64_MAX, &v.settled, NULL);
    if (status == LGKT_OK)
        status = srv_store_open(&config, &v.store, error);
    if (status == LGKT_OK)
        status = v.store->class->head(v.store, &head, error);
    v.head = head.seq;
    v.settled = v.settled < v.head ? v.settled : v.head;
    if (status == LGKT_OK && head.seq == 0)
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s has no records", path);
    if (status == LGKT_OK)
        status = v.store->class->read(v.store, 1, v.head, check_record, &v, error);
    if (status == LGKT_OK && v.last != v.head)
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld is missing", (long long)v.last + 1);
    if (status == LGKT_OK && v.receipts.next < v.receipts.count)
        status = lgkt_fail(error, LGKT_ERR_FORMAT,
                           "there is a receipt for record %lld, and the last record is %lld",
                           (long long)v.receipts.all[v.receipts.next].seq, (long long)v.head);
    if (status == LGKT_OK)
        status = v.store->class->check != NULL
                     ? v.store->class->check(v.store, verdict->keys, v.head, error)
                     : check_file(path, &v, error);
    if (status == LGKT_OK && (v.machine = srv_machine_create(NULL)) == NULL)
        status = lgkt_fail_memory(error, "a programme");
    if (status == LGKT_OK)
        status = replay_all(&v, error);
    srv_machine_destroy(v.machine);
    if (v.store != NULL)
        v.store->class->close(v.store, false);
    free(v.receipts.all);
    return status;
}

// ---- copies ----

lgkt_status srv_backup(const char *path, const char *to, lgkt_error *error)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *copy = NULL;
    lgkt_status status = LGKT_OK;
    if (!srv_store_is_file(path))
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "a programme in PostgreSQL is copied with its database: pg_dump "
                         "--schema=lgkt, or a standby");
    if (!srv_store_is_file(to))
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "a backup is a file, not a database");
    if (access(to, F_OK) == 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is there already", to);
    if (access(path, R_OK) != 0)
        return lgkt_fail(error, LGKT_ERR_NO_FILE, "%s is not there, or may not be read", path);
    bool good = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
    if (good) {
        int is_on;
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &is_on);
        sqlite3_busy_timeout(db, 5000);
        good = sqlite3_prepare_v2(db, "VACUUM INTO ?", -1, &copy, NULL) == SQLITE_OK;
    }
    if (good) {
        sqlite3_bind_text(copy, 1, to, -1, SQLITE_STATIC);
        good = sqlite3_step(copy) == SQLITE_DONE;
    }
    if (!good)
        status = lgkt_fail(error, LGKT_ERR_IO, "%s: %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(copy);
    sqlite3_close(db);
    if (status == LGKT_OK)
        status = srv_sync_file(to) ? LGKT_OK
                                   : lgkt_fail(error, LGKT_ERR_IO, "%s could not be synced", to);
    if (status != LGKT_OK)
        unlink(to);
    return status;
}
