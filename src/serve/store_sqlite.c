// SPDX-License-Identifier: MIT
// The store in a file of SQLite.
//
//     log(seq INTEGER PRIMARY KEY, rec BLOB, chain BLOB)    triggers refuse UPDATE and DELETE
//     idem(key BLOB PRIMARY KEY, seq) WITHOUT ROWID         the last ones by seq; print is in rec; the
//                                                           newest are not there yet (sqlite_keys.c)
//     snapshot(seq INTEGER PRIMARY KEY, anchor, hash, bytes)
//
// WAL, synchronous=FULL, no mmap. One connection writes and checkpoints, the latter before a group
// begins, when the answers of the one before are out. Another one of the process may read, but never
// checkpoints. What a process that was killed had written, and not synced, can be seen after a
// restart and still be lost: so the WAL is checkpointed into the file, which syncs both, before
// anything is read.
//
// secure_delete fills with zeros what was overwritten; an erasure then empties the WAL, too.

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/sqlite_private.h"

const char *const srv_sqlite_text[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [PUT_RECORD] = "INSERT INTO log(seq, rec, chain) VALUES(?, ?, ?)",
    [PUT_KEY] = "INSERT INTO idem(key, seq) VALUES(?, ?)",
    [PUT_MARK] = "INSERT OR REPLACE INTO idem(key, seq) VALUES(?, ?)",
    [FIND_KEY] = "SELECT seq FROM idem WHERE key = ?",
    [DROP_KEY] = "DELETE FROM idem WHERE seq <= ? AND key = ?",
    [READ_PART] = "SELECT key FROM idem WHERE key > ? AND key < ?",
    [READ_RECORDS] = "SELECT seq, rec, chain FROM log WHERE seq BETWEEN ? AND ? ORDER BY seq",
    [READ_HEAD] = "SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1",
};

// ---- failures ----

lgkt_status srv_sqlite_failed(sqlite_store *s, const char *what, lgkt_error *error)
{
    const int code = sqlite3_extended_errcode(s->db);
    const int kind = code & 0xff;
    const bool is_lost = code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
    // where SQLite knows of nothing, it was memory of ours
    const lgkt_status status = is_lost                                     ? SRV_STORE_LOST
                               : kind == SQLITE_FULL                       ? SRV_STORE_FULL
                               : kind == SQLITE_BUSY                       ? SRV_STORE_HELD
                               : kind == SQLITE_NOMEM || kind == SQLITE_OK ? LGKT_ERR_NO_MEMORY
                               : kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB ? LGKT_ERR_FORMAT
                               : kind == SQLITE_CANTOPEN                         ? LGKT_ERR_NO_FILE
                                                                                 : LGKT_ERR_IO;
    if (is_lost && s->has_files)
        srv_sqlite_mark(s->path);
    return lgkt_fail(error, status, "%s: %s: %s", s->path, what, sqlite3_errmsg(s->db));
}

lgkt_status srv_sqlite_run(sqlite_store *s, const char *sql, lgkt_error *error)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? LGKT_OK
               : srv_sqlite_failed(s, sql, error);
}

// Steps a statement that gives no rows.
bool srv_sqlite_done(sqlite_store *s, int which)
{
    const int code = sqlite3_step(s->statement[which]);
    sqlite3_reset(s->statement[which]);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

// ---- the head ----

lgkt_status srv_sqlite_head(srv_store *store, srv_head *at, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *read = s->statement[READ_HEAD];
    *at = (srv_head){0};
    const int code = sqlite3_step(read);
    lgkt_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? LGKT_OK : srv_sqlite_failed(s, "head", error);
    if (code == SQLITE_ROW && sqlite3_column_bytes(read, 1) == SRV_HASH) {
        at->seq = sqlite3_column_int64(read, 0);
        memcpy(at->chain, sqlite3_column_blob(read, 1), SRV_HASH);
    } else if (code == SQLITE_ROW) {
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s: the link of the last record is damaged",
                           s->path);
    }
    sqlite3_reset(read);
    return status;
}

// What a group looks up and what it writes is one transaction: each look alone would take and give
// back locks of the file. Who only reads sees the file as it was when it began.
static bool begin(sqlite_store *s)
{
    if (!sqlite3_get_autocommit(s->db))
        return true;
    if (s->frames >= WAL_FRAMES) {
        const int code =
            sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED)
            return false;
    }
    return srv_sqlite_done(s, BEGIN);
}

void srv_sqlite_bind(sqlite3_stmt *statement, int at, const void *bytes, size_t size)
{
    sqlite3_bind_blob64(statement, at, bytes, size, SQLITE_STATIC);
}

// ---- the functions ----

static void close_store(srv_store *store, bool tidy)
{
    sqlite_store *s = (sqlite_store *)store;
    if (tidy && !s->read_only && s->db != NULL)
        srv_sqlite_tidy(s, true);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(s->statement[i]);
    sqlite3_close(s->db);
    srv_keys_close(s);
    if (s->lock >= 0)
        close(s->lock);
    free(s);
}

static bool put_items(sqlite_store *s, const srv_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sqlite3_stmt *put = s->statement[PUT_RECORD];
        sqlite3_bind_int64(put, 1, items[i].seq);
        srv_sqlite_bind(put, 2, items[i].bytes, items[i].size);
        srv_sqlite_bind(put, 3, items[i].chain, SRV_HASH);
        if (!srv_sqlite_done(s, PUT_RECORD))
            return false;
    }
    return true;
}

static bool put_snapshot_row(sqlite_store *s, int64_t seq, bool anchor, const void *bytes,
                             size_t size)
{
    unsigned char hash[SRV_HASH];
    crypto_generichash(hash, sizeof hash, bytes, size, NULL, 0);
    sqlite3_stmt *put = NULL;
    bool good =
        sqlite3_prepare_v2(
            s->db, "INSERT OR REPLACE INTO snapshot(seq, anchor, hash, bytes) VALUES(?, ?, ?, ?)",
            -1, &put, NULL) == SQLITE_OK;
    if (good) {
        sqlite3_bind_int64(put, 1, seq);
        sqlite3_bind_int(put, 2, anchor);
        srv_sqlite_bind(put, 3, hash, sizeof hash);
        srv_sqlite_bind(put, 4, bytes, size);
        good = sqlite3_step(put) == SQLITE_DONE;
    }
    sqlite3_finalize(put);
    return good;
}

// Stubs in place of records, and no snapshot that knew what was there.
static bool put_overwrite(sqlite_store *s, const srv_overwrite *overwrite, int64_t head)
{
    static const char *const before = "DROP TRIGGER log_update; DELETE FROM snapshot";
    static const char *const after = "CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT "
                                     "RAISE(ABORT, 'the log is never changed'); END";
    sqlite3_stmt *put = NULL;
    bool good = sqlite3_exec(s->db, before, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(s->db, "UPDATE log SET rec = ? WHERE seq = ?", -1, &put, NULL) ==
                    SQLITE_OK;
    for (size_t i = 0; i < overwrite->count && good; i++) {
        srv_sqlite_bind(put, 1, overwrite->stubs[i].bytes, overwrite->stubs[i].size);
        sqlite3_bind_int64(put, 2, overwrite->stubs[i].seq);
        good = sqlite3_step(put) == SQLITE_DONE;
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return good && sqlite3_exec(s->db, after, NULL, NULL, NULL) == SQLITE_OK &&
           put_snapshot_row(s, head, true, overwrite->snapshot, overwrite->snapshot_size);
}

static lgkt_status end(sqlite_store *s, bool good, lgkt_error *error)
{
    if (good && srv_sqlite_done(s, COMMIT))
        return LGKT_OK;
    const lgkt_status status = srv_sqlite_failed(s, "append", error);
    if (!sqlite3_get_autocommit(s->db))
        srv_sqlite_done(s, ROLLBACK);
    return status;
}

static lgkt_status append(srv_store *store, const srv_item *items, size_t count,
                          const srv_overwrite *overwrite, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    if (count == 0 && overwrite == NULL && sqlite3_get_autocommit(s->db))
        return LGKT_OK;
    if (!begin(s))
        return srv_sqlite_failed(s, "append", error);
    const int64_t head = count > 0 ? items[count - 1].seq : 0;
    const int64_t forgotten = s->forgotten, until_part = s->until_part;
    const bool good = put_items(s, items, count) &&
                      srv_keys_put(s, items, count, overwrite != NULL) &&
                      (overwrite == NULL || put_overwrite(s, overwrite, head));
    const lgkt_status status = end(s, good, error);
    srv_keys_end(s, items, count, status == LGKT_OK, forgotten, until_part);
    s->is_untidy |= status == LGKT_OK && overwrite != NULL;
    if (status == LGKT_OK && s->is_untidy) {
        const lgkt_status emptied = srv_sqlite_checkpoint(s, error);
        s->is_untidy = emptied == SRV_STORE_HELD;
        return s->is_untidy ? LGKT_OK : emptied;
    }
    return status;
}

static lgkt_status read_records(srv_store *store, int64_t from, int64_t to, srv_each *each,
                                void *ctx, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *read = s->statement[READ_RECORDS];
    sqlite3_bind_int64(read, 1, from);
    sqlite3_bind_int64(read, 2, to);
    lgkt_status status = LGKT_OK;
    int code = SQLITE_DONE;
    while (status == LGKT_OK && (code = sqlite3_step(read)) == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(read, 1), *chain = sqlite3_column_blob(read, 2);
        const size_t size = (size_t)sqlite3_column_bytes(read, 1);
        const int64_t seq = sqlite3_column_int64(read, 0);
        if (chain == NULL || sqlite3_column_bytes(read, 2) != SRV_HASH)
            status = lgkt_fail(error, LGKT_ERR_FORMAT,
                               "record %lld: the link of the chain is damaged", (long long)seq);
        else
            status = each(ctx, seq, bytes, size, chain, error);
    }
    if (status == LGKT_OK && code != SQLITE_DONE)
        status = srv_sqlite_failed(s, "read", error);
    sqlite3_reset(read);
    return status;
}

static lgkt_status find(srv_store *store, const unsigned char key[SRV_HASH], int64_t *seq,
                        lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *look = s->statement[FIND_KEY];
    *seq = srv_keys_find(s, key);
    if (*seq >= 0)
        return LGKT_OK;
    if (!begin(s))
        return srv_sqlite_failed(s, "find", error);
    srv_sqlite_bind(look, 1, key, SRV_HASH);
    const int code = sqlite3_step(look);
    *seq = code == SQLITE_ROW ? sqlite3_column_int64(look, 0) : 0;
    const lgkt_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? LGKT_OK : srv_sqlite_failed(s, "find", error);
    sqlite3_reset(look);
    return status;
}

static lgkt_status put_snapshot(srv_store *store, int64_t seq, bool anchor, const void *bytes,
                                size_t size, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    if (!begin(s))
        return srv_sqlite_failed(s, "snapshot", error);
    const bool good = put_snapshot_row(s, seq, anchor, bytes, size) &&
                      sqlite3_exec(s->db,
                                   "DELETE FROM snapshot WHERE NOT anchor AND seq < (SELECT seq "
                                   "FROM snapshot ORDER BY seq DESC LIMIT 1 OFFSET 1)",
                                   NULL, NULL, NULL) == SQLITE_OK;
    return end(s, good, error);
}

static lgkt_status get_snapshot(srv_store *store, int64_t upto, int64_t *seq, void **bytes,
                                size_t *size, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *read = NULL;
    *bytes = NULL;
    *seq = 0;
    *size = 0;
    if (sqlite3_prepare_v2(s->db,
                           "SELECT seq, hash, bytes FROM snapshot WHERE seq <= ? ORDER BY seq DESC",
                           -1, &read, NULL) != SQLITE_OK)
        return srv_sqlite_failed(s, "snapshot", error);
    sqlite3_bind_int64(read, 1, upto);
    int code = SQLITE_DONE;
    lgkt_status status = LGKT_OK;
    while (*bytes == NULL && status == LGKT_OK && (code = sqlite3_step(read)) == SQLITE_ROW) {
        unsigned char hash[SRV_HASH];
        const size_t own = (size_t)sqlite3_column_bytes(read, 2);
        const void *blob = sqlite3_column_blob(read, 2), *kept = sqlite3_column_blob(read, 1);
        crypto_generichash(hash, sizeof hash, blob, own, NULL, 0);
        if (blob == NULL || kept == NULL || sqlite3_column_bytes(read, 1) != SRV_HASH ||
            memcmp(hash, kept, SRV_HASH) != 0)
            continue;
        *bytes = malloc(own);
        if (*bytes == NULL)
            status = lgkt_fail_memory(error, "a snapshot");
        else
            memcpy(*bytes, blob, *size = own);
        *seq = sqlite3_column_int64(read, 0);
    }
    if (status == LGKT_OK && *bytes == NULL && code != SQLITE_DONE)
        status = srv_sqlite_failed(s, "snapshot", error);
    sqlite3_finalize(read);
    return status;
}

// The lock was taken when it was opened, and is kept by the process.
static lgkt_status fence(srv_store *store, lgkt_error *error)
{
    const sqlite_store *s = (const sqlite_store *)store;
    return !s->read_only ? LGKT_OK
                         : lgkt_fail(error, SRV_STORE_HELD, "%s was opened for reading", s->path);
}

lgkt_status srv_sqlite_open(const srv_store_config *config, srv_store **store, lgkt_error *error)
{
    static const srv_store_class class = {.append = append,
                                          .read = read_records,
                                          .find = find,
                                          .put_snapshot = put_snapshot,
                                          .get_snapshot = get_snapshot,
                                          .head = srv_sqlite_head,
                                          .fence = fence,
                                          .close = close_store};
    if (strlen(config->path) >= PATH_ROOM - 16)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "the path of the file is too long");
    sqlite_store *s = calloc(1, sizeof *s);
    if (s == NULL)
        return lgkt_fail_memory(error, "a store");
    s->base.class = &class;
    s->lock = -1;
    s->has_files = config->vfs == NULL;
    s->read_only = config->read_only;
    s->key_limit = config->key_limit > 0 ? config->key_limit : KEY_LIMIT;
    strcpy(s->path, config->path);
    const lgkt_status status = srv_sqlite_start(s, config, error);
    if (status == LGKT_OK)
        *store = &s->base;
    else
        close_store(&s->base, false);
    // what was begun is removed; what was there before was not opened
    if (status != LGKT_OK && status != LGKT_ERR_ARGUMENT && status != SRV_STORE_HELD &&
        config->create && config->vfs == NULL)
        unlink(config->path);
    return status;
}
