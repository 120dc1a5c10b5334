// SPDX-License-Identifier: MIT
// Tables and statements of the store in PostgreSQL. In the schema lgkt there are
//
//     programme(id, name, epoch, seq, format)               seq is that of the last record
//     log(programme, seq, rec, chain)                       a trigger refuses UPDATE, DELETE, TRUNCATE
//     idem(programme, key, seq)                             the last ones by seq
//     snapshot(programme, seq, anchor, hash, bytes)
#pragma once

#include "serve/pg_link.h"

// Arguments of those that write: $1 programme, $2 epoch. They return a row if the epoch was right.
enum {
    SRV_PG_MAKE,        // $1 name; number and format of the programme
    SRV_PG_LOOK_UP,     // $1 name; the same
    SRV_PG_HOLD,        // $1 number of the lock
    SRV_PG_RAISE_EPOCH, // $1 programme; the epoch
    // $3 seq before, $4 seq behind, $5 records, $6 links, $7 keys, $8 keys up to this seq are forgotten
    SRV_PG_APPEND,
    // also $9 stubs, $10 their seqs, $11 hash and $12 bytes of the snapshot behind
    SRV_PG_APPEND_ERASURE,
    SRV_PG_FIND_KEYS,    // $1 programme, $2 keys; key, seq of those that are there
    SRV_PG_READ_RECORDS, // $1 programme, $2 from, $3 to, $4 how many; seq, record, link
    SRV_PG_READ_HEAD,    // $1 programme; seq, link
    SRV_PG_PUT_SNAPSHOT, // $3 seq, $4 anchor, $5 hash, $6 bytes
    SRV_PG_GET_SNAPSHOT, // $1 programme, $2 up to; seq, hash, bytes
    SRV_PG_COUNT_KEYS,   // $1 programme, $2 up to; how many there are
    SRV_PG_STATEMENTS
};
extern const srv_pg_statement srv_pg_sql[SRV_PG_STATEMENTS];

// Makes the tables where they are missing.
lgkt_status srv_pg_need_tables(srv_pg_link *link, lgkt_error *error);
