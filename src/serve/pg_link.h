// SPDX-License-Identifier: MIT
// A connection to PostgreSQL: how it is made, what is asked over it, and what its failures mean. With
// pg_tables and store_pg the only place that knows libpq.
//
// All values go over in binary form: integers as bigint, bytes as bytea.
#pragma once

#include <libpq-fe.h>

#include "serve/log_store.h"

enum { SRV_PG_ARGS = 12, SRV_PG_SHOWN = 256, SRV_PG_PREPARED = 16 };

typedef struct srv_pg_statement {
    const char *sql;
    const char *what; // it does, for messages
    bool writes;
} srv_pg_statement;

typedef struct srv_pg_link {
    PGconn *conn;
    const srv_pg_statement *statements; // (SRV_PG_PREPARED at most)
    bool prepared[SRV_PG_PREPARED];
    char shown[SRV_PG_SHOWN]; // where it is, without user and password
    char warning[200];        // that came with the last statement; "": none
} srv_pg_link;

// Arguments of a statement, which may be copied. Bytes are borrowed until it was run.
typedef struct srv_pg_args {
    int count;
    const char *values[SRV_PG_ARGS]; // NULL: the number
    int sizes[SRV_PG_ARGS];
    unsigned char numbers[SRV_PG_ARGS][8];
} srv_pg_args;

void srv_pg_integer(srv_pg_args *args, int64_t value);
void srv_pg_bytes(srv_pg_args *args, const void *bytes, size_t size);

// An array: begun with the number of its elements, then one after the other.
enum { SRV_PG_BYTES = 17, SRV_PG_BIGINT = 20 }; // types of elements, as PostgreSQL numbers them
void srv_pg_begin_array(srv_bytes *array, int type, size_t count);
void srv_pg_add_bytes(srv_bytes *array, const void *bytes, size_t size); // NULL: a null
void srv_pg_add_integer(srv_bytes *array, int64_t value);

// Connects to the database of a place, URI or URI#PROGRAMME. Who only reads may be led to a standby.
// Where it fails the link is to be disconnected, too.
lgkt_status srv_pg_connect(srv_pg_link *link, const char *place, const srv_pg_statement *statements,
                           bool read_only, lgkt_error *error);
void srv_pg_disconnect(srv_pg_link *link);

// Runs a statement; rows are in *result, for PQclear. Where it wrote and this returns LGKT_OK, it was
// committed, unless a transaction is open. SRV_STORE_LOST: the connection is gone, or the server gave
// up waiting for its standby. Nullable: args, result.
lgkt_status srv_pg_run(srv_pg_link *link, int which, const srv_pg_args *args, PGresult **result,
                       lgkt_error *error);
// The same with plain text, and rows in text form.
lgkt_status srv_pg_exec(srv_pg_link *link, const char *sql, const char *what, PGresult **result,
                        lgkt_error *error);
// LGKT_OK while the connection is there.
lgkt_status srv_pg_alive(const srv_pg_link *link, lgkt_error *error);

int64_t srv_pg_integer_at(const PGresult *result, int row, int column);
