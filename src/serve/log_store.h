// SPDX-License-Identifier: MIT
// Where the log of a programme is kept: a few functions, with SQLite or PostgreSQL behind them.
//
// append    a batch of records with its keys, whole or not at all; durable when it returns. An empty
//           one ends what `find` began
// read      records in order, or the one behind an idempotency key (find)
// put, get  snapshots: the last two are kept, and the first behind what cannot be replayed
// look      many keys at once, for the finds that follow
// head      the last record
// fence     takes the right to write; a second holder is refused, or makes the first one fail
// check     what the store itself can tell of what it has
//
// One thread at a time. A failed append leaves the log as it was, but for SRV_STORE_LOST: what
// became of it is not known, and the process has to end.
#pragma once

#include "serve/machine.h"

// The disk lost what it was told to keep: fsync failed, or the connection to the database did.
#define SRV_STORE_LOST ((lgkt_status)3)
// The disk has no room; reading goes on.
#define SRV_STORE_FULL ((lgkt_status)4)
// Somebody else has the right to write.
#define SRV_STORE_HELD ((lgkt_status)5)

// Its making was cut off: there is nothing in it, and nobody was told of it.
#define SRV_STORE_EMPTY ((lgkt_status)7)

typedef struct srv_store srv_store;

// A record to keep, with the key of its command if it is the first one of it.
typedef struct srv_item {
    int64_t seq;
    const void *bytes;
    size_t size;
    unsigned char chain[SRV_HASH];
    const unsigned char *key; // (SRV_HASH) NULL: none
} srv_item;

// Stubs in place of records, in the same transaction: what an erasure takes away. Snapshots before
// the head are dropped, and `bytes` is the new one.
typedef struct srv_overwrite {
    const srv_item *stubs; // (count) chain and key are not read
    size_t count;
    const void *snapshot;
    size_t snapshot_size;
} srv_overwrite;

typedef lgkt_status srv_each(void *ctx, int64_t seq, const void *bytes, size_t size,
                             const unsigned char chain[SRV_HASH], lgkt_error *error);

typedef struct srv_store_class {
    lgkt_status (*append)(srv_store *store, const srv_item *items, size_t count,
                          const srv_overwrite *overwrite, lgkt_error *error);
    // Calls `each` with records `from` .. `to`, those that there are, until it fails.
    lgkt_status (*read)(srv_store *store, int64_t from, int64_t to, srv_each *each, void *ctx,
                        lgkt_error *error);
    // *seq is 0 if the key is new.
    lgkt_status (*find)(srv_store *store, const unsigned char key[SRV_HASH], int64_t *seq,
                        lgkt_error *error);
    // Keys that `find` will be asked for before the next append. NULL: a find costs little.
    lgkt_status (*look)(srv_store *store, const unsigned char (*keys)[SRV_HASH], size_t count,
                        lgkt_error *error);
    // An anchor is kept for good: what was before it cannot be replayed.
    lgkt_status (*put_snapshot)(srv_store *store, int64_t seq, bool anchor, const void *bytes,
                                size_t size, lgkt_error *error);
    // The newest of those up to `seq` that are whole; *bytes is NULL if there is none, and else the
    // caller's, who frees it with free.
    lgkt_status (*get_snapshot)(srv_store *store, int64_t upto, int64_t *seq, void **bytes,
                                size_t *size, lgkt_error *error);
    lgkt_status (*head)(srv_store *store, srv_head *head, lgkt_error *error);
    lgkt_status (*fence)(srv_store *store, lgkt_error *error);
    // Keys that no record has: `keys` is how many those up to `head` have that the store knows of.
    // NULL: `verify` looks into the file itself.
    lgkt_status (*check)(srv_store *store, int64_t keys, int64_t head, lgkt_error *error);
    // Frees the store; with `tidy` after what can be put in order was.
    void (*close)(srv_store *store, bool tidy);
} srv_store_class;

// Begins every store.
struct srv_store {
    const srv_store_class *class;
};

typedef struct srv_store_config {
    const char *path;  // a file, or postgresql://..#PROGRAMME
    const char *vfs;   // of SQLite, for tests; NULL: the usual one, and files beside it as below
    bool create;       // the programme must not be there, else it must
    bool read_only;    // for verify and exports beside a server
    int64_t key_limit; // most idempotency keys that are remembered; 0: 10^7
} srv_store_config;

// Opens the store of a place: PostgreSQL where it is a URI of it, else SQLite.
lgkt_status srv_store_open(const srv_store_config *config, srv_store **store, lgkt_error *error);
bool srv_store_is_file(const char *place);

// SQLite, one file per programme, in WAL mode with synchronous=FULL. Beside PATH there are PATH-wal
// and PATH-shm while it is open, PATH.lock, which says that a server has it, and PATH.rewrite after
// an fsync that failed: the next start then writes the file anew. Before it returns, everything
// that can be seen is on the disk.
lgkt_status srv_sqlite_open(const srv_store_config *config, srv_store **store, lgkt_error *error);

// The file is to be written anew at the next start.
void srv_sqlite_mark(const char *path);
// A file and the name that it has are on the disk.
bool srv_sync_file(const char *path);

// PostgreSQL, all programmes of a server in the tables of one database, which are made where they are
// missing. A programme that is new is there with its first append. LGKT_ERR_UNSUPPORTED in a command
// that was built without libpq.
lgkt_status srv_pg_open(const srv_store_config *config, srv_store **store, lgkt_error *error);
// Calls `each` with the names of all programmes, until it fails. Makes the tables where they are missing.
lgkt_status srv_pg_list(const char *uri,
                        lgkt_status (*each)(void *ctx, const char *name, lgkt_error *error),
                        void *ctx, lgkt_error *error);
