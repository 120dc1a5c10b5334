// SPDX-License-Identifier: MIT
// What the files of the SQLite store share: store_sqlite.c has the six functions, sqlite_files.c opens
// it, sqlite_keys.c has its idempotency keys.
#pragma once

#include <sqlite3.h>
#include <stddef.h>

#include "serve/log_store.h"

enum {
    PATH_ROOM = 4096,
    KEY_LIMIT = 10000000,
    FORGET_EACH = 4,
    WAL_FRAMES = 4000, // a longer one is checkpointed
    PART_EACH = 200    // records, after which another part of the keys goes to the index
};

enum {
    BEGIN,
    COMMIT,
    ROLLBACK,
    PUT_RECORD,
    PUT_KEY,
    PUT_MARK,
    FIND_KEY,
    DROP_KEY,
    READ_PART,
    READ_RECORDS,
    READ_HEAD,
    STATEMENTS
};
extern const char *const srv_sqlite_text[STATEMENTS];

// Keys that are not in the index yet, by their first byte.
enum { KEY_PARTS = 256 };

typedef struct fresh_key {
    unsigned char key[SRV_HASH];
    int64_t seq;
} fresh_key;

typedef struct key_part {
    fresh_key *at; // (count) owned
    size_t count, room;
    // What the index may have: two bits for each of its keys, and bits of some that were forgotten;
    // a key without both is not there. NULL: not known.
    unsigned char *seen; // (bits / 8) owned
    uint32_t bits;       // a power of two
    uint32_t rows;       // keys that have theirs
} key_part;

typedef struct sqlite_store {
    srv_store base;
    sqlite3 *db;
    sqlite3_stmt *statement[STATEMENTS];
    char path[PATH_ROOM];
    bool has_files; // the usual VFS: locks and marks are files beside it
    bool read_only;
    int lock;   // a file; -1: none
    int frames; // of the WAL
    int64_t key_limit;
    int64_t forgotten; // keys of records up to this one are gone
    key_part fresh[KEY_PARTS];
    int next_part, parts; // that goes to the index next; that did in this append
    int64_t until_part;   // records until then
    bool is_untidy;       // what was erased is still in the WAL, since somebody reads
} sqlite_store;

// ---- store_sqlite.c ----

lgkt_status srv_sqlite_failed(sqlite_store *s, const char *what, lgkt_error *error);
lgkt_status srv_sqlite_run(sqlite_store *s, const char *sql, lgkt_error *error);
// Steps a statement that gives no rows.
bool srv_sqlite_done(sqlite_store *s, int which);
lgkt_status srv_sqlite_head(srv_store *store, srv_head *at, lgkt_error *error);
void srv_sqlite_bind(sqlite3_stmt *statement, int at, const void *bytes, size_t size);

// ---- sqlite_files.c ----

// Opens the file, with what must be right before anything is read.
lgkt_status srv_sqlite_start(sqlite_store *s, const srv_store_config *config, lgkt_error *error);
// Whether closing empties and removes the WAL.
void srv_sqlite_tidy(sqlite_store *s, bool tidy);
lgkt_status srv_sqlite_checkpoint(sqlite_store *s, lgkt_error *error);

// ---- sqlite_keys.c ----

// The keys that the log has and the index has not.
lgkt_status srv_keys_open(sqlite_store *s, int64_t head, lgkt_error *error);
void srv_keys_close(sqlite_store *s);
// The record with a key, if it is among those that are fresh; 0: there is none, also in the index;
// -1: the index may have one.
int64_t srv_keys_find(const sqlite_store *s, const unsigned char key[SRV_HASH]);
// Within the transaction of these records: adds their keys, drops what is too old, and brings to the
// index what is due, or all.
bool srv_keys_put(sqlite_store *s, const srv_item *items, size_t count, bool all);
// After it, with what `forgotten` and `until_part` were before.
void srv_keys_end(sqlite_store *s, const srv_item *items, size_t count, bool is_kept,
                  int64_t forgotten, int64_t until_part);
