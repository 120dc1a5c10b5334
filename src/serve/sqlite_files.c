// SPDX-License-Identifier: MIT
// The file of a SQLite store is opened: what lies beside it, the lock, a file to be written anew, the
// tables.

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "serve/sqlite_private.h"

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
void srv_sqlite_tidy(sqlite_store *s, bool tidy)
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
        return s->db != NULL ? srv_sqlite_failed(s, "open", error)
                             : lgkt_fail_memory(error, "a store");
    sqlite3_busy_timeout(s->db, 5000); // for those that read
    srv_sqlite_tidy(s, false);
    if (config->vfs != NULL)
        LGKT_TRY(srv_sqlite_run(s, "PRAGMA locking_mode = EXCLUSIVE", error));
    LGKT_TRY(srv_sqlite_run(
        s, "PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
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
    LGKT_TRY(srv_sqlite_run(s, sql, error));
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
    return srv_sqlite_run(
        s,
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

lgkt_status srv_sqlite_checkpoint(sqlite_store *s, lgkt_error *error)
{
    int frames = 0, moved = 0;
    if (sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &moved) !=
        SQLITE_OK)
        return srv_sqlite_failed(s, "checkpoint", error);
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
        return srv_sqlite_failed(s, "open", error);
    if (version == 0 && tables == 0)
        return lgkt_fail(error, SRV_STORE_EMPTY, "%s is empty: its making was cut off", s->path);
    return version == 1
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "%s is no file of a programme", s->path);
}

static int note_frames(void *store, sqlite3 *db, const char *name, int frames)
{
    (void)db, (void)name;
    ((sqlite_store *)store)->frames = frames;
    return SQLITE_OK;
}

lgkt_status srv_sqlite_start(sqlite_store *s, const srv_store_config *config, lgkt_error *error)
{
    if (s->has_files && !s->read_only)
        LGKT_TRY(hold(s, error));
    if (config->create && s->has_files && access(s->path, F_OK) == 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is there already", s->path);
    LGKT_TRY(open_file(s, config, error));
    if (!s->read_only) {
        LGKT_TRY(srv_sqlite_run(
            s,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = "
            "ON",
            error));
        if (config->create)
            LGKT_TRY(lay_out(s, error));
        LGKT_TRY(srv_sqlite_checkpoint(s, error));
        LGKT_TRY(rewrite(s, config, error));
        // VACUUM INTO leaves the mode of the journal behind
        LGKT_TRY(srv_sqlite_run(
            s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
            error));
        if (config->create && s->has_files && !sync_folder(s->path))
            return lgkt_fail(error, LGKT_ERR_IO, "the folder of %s cannot be synced", s->path);
    }
    LGKT_TRY(check_version(s, error));
    sqlite3_wal_hook(s->db, note_frames, s);
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(s->db, srv_sqlite_text[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &s->statement[i], NULL) != SQLITE_OK)
            return srv_sqlite_failed(s, "prepare", error);
    sqlite3_busy_timeout(s->db, s->read_only ? 5000 : 100);
    if (s->read_only)
        LGKT_TRY(srv_sqlite_run(s, "BEGIN", error));
    srv_head at;
    LGKT_TRY(srv_sqlite_head(&s->base, &at, error));
    s->forgotten = at.seq > s->key_limit ? at.seq - s->key_limit : 0;
    return srv_keys_open(s, at.seq, error);
}
