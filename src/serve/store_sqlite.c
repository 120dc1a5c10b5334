// SPDX-License-Identifier: MIT
// The store in a file of SQLite.
//
//     log(seq INTEGER PRIMARY KEY, rec BLOB, chain BLOB)    triggers refuse UPDATE and DELETE
//     idem(key BLOB PRIMARY KEY, seq) WITHOUT ROWID         the last ones by seq; print is in rec
//     snapshot(seq INTEGER PRIMARY KEY, anchor, hash, bytes)
//
// WAL, synchronous=FULL, no mmap. One connection writes and checkpoints. Another one of the process
// may read, but never checkpoints. What a process that was killed had written, and not synced, can
// be seen after a restart and still be lost: so the WAL is checkpointed into the file, which syncs
// both, before anything is read.
//
// secure_delete fills with zeros what was overwritten; an erasure then empties the WAL, too.

#include <fcntl.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "serve/log_store.h"

enum { PATH_ROOM = 4096, KEY_LIMIT = 10000000, FORGET_EACH = 4 };

enum {
    BEGIN,
    COMMIT,
    ROLLBACK,
    PUT_RECORD,
    PUT_KEY,
    FIND_KEY,
    DROP_KEY,
    READ_RECORDS,
    READ_HEAD,
    STATEMENTS
};
static const char *const SQL[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [PUT_RECORD] = "INSERT INTO log(seq, rec, chain) VALUES(?, ?, ?)",
    [PUT_KEY] = "INSERT INTO idem(key, seq) VALUES(?, ?)",
    [FIND_KEY] = "SELECT seq FROM idem WHERE key = ?",
    [DROP_KEY] = "DELETE FROM idem WHERE seq <= ? AND key = ?",
    [READ_RECORDS] = "SELECT seq, rec, chain FROM log WHERE seq BETWEEN ? AND ? ORDER BY seq",
    [READ_HEAD] = "SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1",
};

typedef struct sqlite_store {
    srv_store base;
    sqlite3 *db;
    sqlite3_stmt *statement[STATEMENTS];
    char path[PATH_ROOM];
    bool has_files; // the usual VFS: locks and marks are files beside it
    bool read_only;
    int lock; // a file; -1: none
    int64_t key_limit;
    int64_t forgotten; // keys of records up to this one are gone
    bool is_untidy;    // what was erased is still in the WAL, since somebody reads
} sqlite_store;

// ---- failures ----

static lgkt_status failed(sqlite_store *s, const char *what, lgkt_error *error)
{
    const int code = sqlite3_extended_errcode(s->db);
    const int kind = code & 0xff;
    const bool is_lost = code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
    const lgkt_status status = is_lost                ? SRV_STORE_LOST
                               : kind == SQLITE_FULL  ? SRV_STORE_FULL
                               : kind == SQLITE_BUSY  ? SRV_STORE_HELD
                               : kind == SQLITE_NOMEM ? LGKT_ERR_NO_MEMORY
                               : kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB ? LGKT_ERR_FORMAT
                               : kind == SQLITE_CANTOPEN                         ? LGKT_ERR_NO_FILE
                                                                                 : LGKT_ERR_IO;
    if (is_lost && s->has_files)
        srv_sqlite_mark(s->path);
    return lgkt_fail(error, status, "%s: %s: %s", s->path, what, sqlite3_errmsg(s->db));
}

static lgkt_status run(sqlite_store *s, const char *sql, lgkt_error *error)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? LGKT_OK
                                                                   : failed(s, sql, error);
}

// Steps a statement that gives no rows.
static bool done(sqlite_store *s, int which)
{
    const int code = sqlite3_step(s->statement[which]);
    sqlite3_reset(s->statement[which]);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

// ---- the head ----

static lgkt_status head(srv_store *store, srv_head *at, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *read = s->statement[READ_HEAD];
    *at = (srv_head){0};
    const int code = sqlite3_step(read);
    lgkt_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? LGKT_OK : failed(s, "head", error);
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
    return !sqlite3_get_autocommit(s->db) || done(s, BEGIN);
}

// ---- files beside ----

static void beside(const char *path, const char *ending, char name[PATH_ROOM + 16])
{
    snprintf(name, PATH_ROOM + 16, "%s%s", path, ending);
}

static bool sync_folder(const char *path)
{
    char folder[PATH_ROOM + 16];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    const int fd = open(slash != NULL ? folder : ".", O_RDONLY);
    const bool good = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return good;
}

bool srv_sync_file(const char *path)
{
    const int fd = open(path, O_RDWR);
    const bool good = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return good && sync_folder(path);
}

void srv_sqlite_mark(const char *path)
{
    char name[PATH_ROOM + 16];
    beside(path, ".rewrite", name);
    const int fd = open(name, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
        sync_folder(path);
    }
}

static lgkt_status hold(sqlite_store *s, lgkt_error *error)
{
    char name[PATH_ROOM + 16];
    beside(s->path, ".lock", name);
    s->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock < 0)
        return lgkt_fail(error, LGKT_ERR_NO_FILE, "%s cannot be opened", name);
    if (flock(s->lock, LOCK_EX | LOCK_NB) != 0)
        return lgkt_fail(error, SRV_STORE_HELD, "%s is held by another server", s->path);
    return LGKT_OK;
}

// ---- opening ----

// Whether closing empties and removes the WAL.
static void set_tidy(sqlite_store *s, bool tidy)
{
    int is_on;
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !tidy, &is_on);
}

static lgkt_status open_file(sqlite_store *s, const srv_store_config *config, lgkt_error *error)
{
    const int mode = config->read_only
                         ? SQLITE_OPEN_READONLY
                         : SQLITE_OPEN_READWRITE | (config->create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(s->path, &s->db, mode | SQLITE_OPEN_NOMUTEX, config->vfs) != SQLITE_OK)
        return s->db != NULL ? failed(s, "open", error) : lgkt_fail_memory(error, "a store");
    sqlite3_busy_timeout(s->db, 5000); // for those that read
    set_tidy(s, false);
    if (config->vfs != NULL)
        LGKT_TRY(run(s, "PRAGMA locking_mode = EXCLUSIVE", error));
    LGKT_TRY(run(s,
                 "PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
                 error));
    return LGKT_OK;
}

// After an fsync that failed the pages in memory may not be those on the disk.
static lgkt_status rewrite(sqlite_store *s, const srv_store_config *config, lgkt_error *error)
{
    char mark[PATH_ROOM + 16], copy[PATH_ROOM + 16], name[PATH_ROOM + 16], sql[2 * PATH_ROOM];
    beside(s->path, ".rewrite", mark);
    if (!s->has_files || access(mark, F_OK) != 0)
        return LGKT_OK;
    beside(s->path, ".new", copy);
    unlink(copy);
    sqlite3_snprintf(sizeof sql, sql, "VACUUM INTO %Q", copy);
    LGKT_TRY(run(s, sql, error));
    sqlite3_close(s->db);
    s->db = NULL;
    bool good = srv_sync_file(copy) && rename(copy, s->path) == 0;
    static const char *const endings[] = {"-wal", "-shm"};
    for (int i = 0; i < 2 && good; i++) {
        beside(s->path, endings[i], name);
        unlink(name);
    }
    good = good && sync_folder(s->path) && unlink(mark) == 0 && sync_folder(s->path);
    if (!good)
        return lgkt_fail(error, LGKT_ERR_IO, "%s could not be written anew", s->path);
    return open_file(s, config, error);
}

static lgkt_status lay_out(sqlite_store *s, lgkt_error *error)
{
    return run(s,
               "BEGIN IMMEDIATE;"
               "CREATE TABLE log(seq INTEGER PRIMARY KEY, rec BLOB NOT NULL, chain BLOB NOT NULL);"
               "CREATE TABLE idem(key BLOB PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;"
               "CREATE TABLE snapshot(seq INTEGER PRIMARY KEY, anchor INTEGER NOT NULL, hash BLOB "
               "NOT NULL, bytes BLOB NOT NULL);"
               "CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log "
               "is never changed'); END;"
               "CREATE TRIGGER log_delete BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log "
               "is never cut'); END;"
               "PRAGMA application_id = 0x6c676b74; PRAGMA user_version = 1;"
               "COMMIT",
               error);
}

static lgkt_status checkpoint(sqlite_store *s, lgkt_error *error)
{
    int frames = 0, moved = 0;
    if (sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &moved) !=
        SQLITE_OK)
        return failed(s, "checkpoint", error);
    return LGKT_OK;
}

// The first number of a query; -1 if there is none.
static int ask(sqlite_store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int number = -1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static lgkt_status check_version(sqlite_store *s, lgkt_error *error)
{
    const int version = ask(s, "PRAGMA user_version"),
              tables = ask(s, "SELECT count(*) FROM sqlite_master");
    if (version < 0 || tables < 0)
        return failed(s, "open", error);
    if (version == 0 && tables == 0)
        return lgkt_fail(error, SRV_STORE_EMPTY, "%s is empty: its making was cut off", s->path);
    return version == 1
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "%s is no file of a programme", s->path);
}

static lgkt_status start(sqlite_store *s, const srv_store_config *config, lgkt_error *error)
{
    if (s->has_files && !s->read_only)
        LGKT_TRY(hold(s, error));
    if (config->create && s->has_files && access(s->path, F_OK) == 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is there already", s->path);
    LGKT_TRY(open_file(s, config, error));
    if (!s->read_only) {
        LGKT_TRY(run(s,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = "
                     "ON; PRAGMA wal_autocheckpoint = 4000",
                     error));
        if (config->create)
            LGKT_TRY(lay_out(s, error));
        LGKT_TRY(checkpoint(s, error));
        LGKT_TRY(rewrite(s, config, error));
        // VACUUM INTO leaves the mode of the journal behind
        LGKT_TRY(run(
            s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
            error));
        if (config->create && s->has_files && !sync_folder(s->path))
            return lgkt_fail(error, LGKT_ERR_IO, "the folder of %s cannot be synced", s->path);
    }
    LGKT_TRY(check_version(s, error));
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(s->db, SQL[i], -1, SQLITE_PREPARE_PERSISTENT, &s->statement[i],
                               NULL) != SQLITE_OK)
            return failed(s, "prepare", error);
    sqlite3_busy_timeout(s->db, s->read_only ? 5000 : 100);
    if (s->read_only)
        LGKT_TRY(run(s, "BEGIN", error));
    srv_head at;
    LGKT_TRY(head(&s->base, &at, error));
    s->forgotten = at.seq > s->key_limit ? at.seq - s->key_limit : 0;
    return LGKT_OK;
}

// ---- the functions ----

static void close_store(srv_store *store, bool tidy)
{
    sqlite_store *s = (sqlite_store *)store;
    if (tidy && !s->read_only && s->db != NULL)
        set_tidy(s, true);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(s->statement[i]);
    sqlite3_close(s->db);
    if (s->lock >= 0)
        close(s->lock);
    free(s);
}

static void bind_blob(sqlite3_stmt *statement, int at, const void *bytes, size_t size)
{
    sqlite3_bind_blob64(statement, at, bytes, size, SQLITE_STATIC);
}

static bool put_items(sqlite_store *s, const srv_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sqlite3_stmt *put = s->statement[PUT_RECORD], *key = s->statement[PUT_KEY];
        sqlite3_bind_int64(put, 1, items[i].seq);
        bind_blob(put, 2, items[i].bytes, items[i].size);
        bind_blob(put, 3, items[i].chain, SRV_HASH);
        if (!done(s, PUT_RECORD))
            return false;
        if (items[i].key == NULL)
            continue;
        bind_blob(key, 1, items[i].key, SRV_HASH);
        sqlite3_bind_int64(key, 2, items[i].seq);
        if (!done(s, PUT_KEY))
            return false;
    }
    return true;
}

// Keys of records that are too old, a few more than were added, found in the records themselves.
static bool forget_keys(sqlite_store *s, int64_t head, size_t count)
{
    const int64_t last = head - s->key_limit;
    const int64_t from = s->forgotten + 1;
    const int64_t to =
        last < from + FORGET_EACH * (int64_t)count ? last : from + FORGET_EACH * (int64_t)count;
    if (to < from)
        return true;
    sqlite3_stmt *read = s->statement[READ_RECORDS];
    sqlite3_bind_int64(read, 1, from);
    sqlite3_bind_int64(read, 2, to);
    int code;
    bool good = true;
    while (good && (code = sqlite3_step(read)) == SQLITE_ROW) {
        srv_record record;
        srv_record_room room;
        if (srv_record_decode(sqlite3_column_blob(read, 1), (size_t)sqlite3_column_bytes(read, 1),
                              &record, &room, NULL) != LGKT_OK ||
            !record.keyed)
            continue;
        sqlite3_bind_int64(s->statement[DROP_KEY], 1, to);
        bind_blob(s->statement[DROP_KEY], 2, record.key, SRV_HASH);
        good = done(s, DROP_KEY);
    }
    good = good && code == SQLITE_DONE;
    sqlite3_reset(read);
    if (good)
        s->forgotten = to;
    return good;
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
        bind_blob(put, 3, hash, sizeof hash);
        bind_blob(put, 4, bytes, size);
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
        bind_blob(put, 1, overwrite->stubs[i].bytes, overwrite->stubs[i].size);
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
    if (good && done(s, COMMIT))
        return LGKT_OK;
    const lgkt_status status = failed(s, "append", error);
    if (!sqlite3_get_autocommit(s->db))
        done(s, ROLLBACK);
    return status;
}

static lgkt_status append(srv_store *store, const srv_item *items, size_t count,
                          const srv_overwrite *overwrite, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    if (count == 0 && overwrite == NULL && sqlite3_get_autocommit(s->db))
        return LGKT_OK;
    if (!begin(s))
        return failed(s, "append", error);
    const int64_t head = count > 0 ? items[count - 1].seq : 0;
    const int64_t forgotten = s->forgotten;
    const bool good = put_items(s, items, count) && forget_keys(s, head, count) &&
                      (overwrite == NULL || put_overwrite(s, overwrite, head));
    const lgkt_status status = end(s, good, error);
    if (status != LGKT_OK)
        s->forgotten = forgotten;
    s->is_untidy |= status == LGKT_OK && overwrite != NULL;
    if (status == LGKT_OK && s->is_untidy) {
        const lgkt_status emptied = checkpoint(s, error);
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
        status = failed(s, "read", error);
    sqlite3_reset(read);
    return status;
}

static lgkt_status find(srv_store *store, const unsigned char key[SRV_HASH], int64_t *seq,
                        lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    sqlite3_stmt *look = s->statement[FIND_KEY];
    if (!begin(s))
        return failed(s, "find", error);
    bind_blob(look, 1, key, SRV_HASH);
    const int code = sqlite3_step(look);
    *seq = code == SQLITE_ROW ? sqlite3_column_int64(look, 0) : 0;
    const lgkt_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? LGKT_OK : failed(s, "find", error);
    sqlite3_reset(look);
    return status;
}

static lgkt_status put_snapshot(srv_store *store, int64_t seq, bool anchor, const void *bytes,
                                size_t size, lgkt_error *error)
{
    sqlite_store *s = (sqlite_store *)store;
    if (!begin(s))
        return failed(s, "snapshot", error);
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
        return failed(s, "snapshot", error);
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
        status = failed(s, "snapshot", error);
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
                                          .head = head,
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
    const lgkt_status status = start(s, config, error);
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
