// SPDX-License-Identifier: MIT
// A programme looked through, written out and copied, beside a server or without one. `path` is a
// file, or postgresql://..#NAME.
#pragma once

#include "serve/log_store.h"

// Called now and then, with what is done and all there is; false: stop, which is LGKT_ERR_IO's
// neighbour SRV_STOPPED. Nullable.
#define SRV_STOPPED ((lgkt_status)6)
typedef bool srv_progress(void *ctx, int64_t done, int64_t all);

typedef struct srv_verdict {
    int64_t records;  // in the file
    int64_t from;     // replay began behind this record; 0: with the first
    int64_t replayed; // bit for bit
    int64_t stubs;    // of erased units
    int64_t receipts; // that were found again
    int64_t keys;     // idempotency keys that name their record
} srv_verdict;

// Checks pages, chain, keys and snapshots, and replays all that can be: LGKT_ERR_FORMAT names the
// first record that differs and in what. Receipts: a file of lines with a record's number and its
// receipt, or of answers as JSON. Nullable: receipts, progress, error.
lgkt_status srv_verify(const char *path, const char *receipts, srv_progress *progress, void *ctx,
                       srv_verdict *verdict, lgkt_error *error);

typedef enum srv_format { SRV_CSV, SRV_JSON_LINES } srv_format;
// Takes bytes of the export; false: stop.
typedef bool srv_sink(void *ctx, const void *bytes, size_t size);
// The decision log, one row per decision in their order; through a connection of its own, so that a
// server goes on beside it. On any thread.
lgkt_status srv_export(const char *path, srv_format format, srv_sink *sink, void *ctx,
                       lgkt_error *error);

// A copy of a file that is whole and on the disk when it returns; `to` must not be there. A programme
// in PostgreSQL is LGKT_ERR_UNSUPPORTED.
lgkt_status srv_backup(const char *path, const char *to, lgkt_error *error);
