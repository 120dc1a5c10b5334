// SPDX-License-Identifier: MIT
// Tables and statements of the store in PostgreSQL (pg_tables.h).
//
// Everything that is written is one statement, which is a transaction of its own. It begins by locking
// the row of the programme if the epoch is still the own one, and writes nothing where it is not.

#include "serve/pg_tables.h"

#define APPEND_ITEMS                                                                               \
    "WITH mine AS (UPDATE lgkt.programme SET seq = $4::bigint WHERE id = $1::bigint AND "          \
    "epoch = $2::bigint AND seq = $3::bigint RETURNING id),"                                       \
    "item AS (SELECT id, $3::bigint + n AS seq, rec, chain, key FROM mine, "                       \
    "unnest($5::bytea[], $6::bytea[], $7::bytea[]) WITH ORDINALITY AS i(rec, chain, key, n)),"     \
    "put AS (INSERT INTO lgkt.log(programme, seq, rec, chain) SELECT id, seq, rec, chain "         \
    "FROM item),"                                                                                  \
    "named AS (INSERT INTO lgkt.idem(programme, key, seq) SELECT id, key, seq FROM item "          \
    "WHERE key IS NOT NULL),"                                                                      \
    "gone AS (DELETE FROM lgkt.idem WHERE programme = $1::bigint AND seq <= $8::bigint "           \
    "AND EXISTS (SELECT FROM mine))"

#define IF_MINE                                                                                    \
    "WITH mine AS (SELECT id FROM lgkt.programme WHERE id = $1::bigint AND epoch = $2::bigint "    \
    "FOR UPDATE)"

_Static_assert(SRV_PG_STATEMENTS <= (int)SRV_PG_PREPARED, "prepared has room for all");

const srv_pg_statement srv_pg_sql[SRV_PG_STATEMENTS] = {
    [SRV_PG_MAKE] = {"INSERT INTO lgkt.programme(name, epoch, seq) VALUES($1::text, 0, 0) "
                     "RETURNING id, format",
                     "make", true},
    [SRV_PG_LOOK_UP] = {"SELECT id, format FROM lgkt.programme WHERE name = $1::text", "open",
                        false},
    [SRV_PG_HOLD] = {"SELECT pg_advisory_lock($1::bigint)", "lock", false},
    [SRV_PG_RAISE_EPOCH] = {"UPDATE lgkt.programme SET epoch = epoch + 1 WHERE id = $1::bigint "
                            "RETURNING epoch",
                            "fence", true},
    [SRV_PG_APPEND] = {APPEND_ITEMS "SELECT id FROM mine", "append", true},
    [SRV_PG_APPEND_ERASURE] =
        {APPEND_ITEMS ",stub AS (UPDATE lgkt.log l SET rec = s.rec FROM mine, "
                      "unnest($9::bytea[], $10::bigint[]) AS s(rec, seq) "
                      "WHERE l.programme = mine.id AND l.seq = s.seq),"
                      "old AS (DELETE FROM lgkt.snapshot WHERE programme = $1::bigint AND "
                      "EXISTS (SELECT FROM mine)),"
                      "new AS (INSERT INTO lgkt.snapshot(programme, seq, anchor, hash, bytes) "
                      "SELECT id, $4::bigint, true, $11::bytea, $12::bytea FROM mine) "
                      "SELECT id FROM mine",
         "erase", true},
    [SRV_PG_FIND_KEYS] = {"SELECT key, seq FROM lgkt.idem WHERE programme = $1::bigint AND "
                          "key = ANY($2::bytea[])",
                          "find", false},
    [SRV_PG_READ_RECORDS] =
        {"SELECT seq, rec, chain FROM lgkt.log WHERE programme = $1::bigint AND "
         "seq BETWEEN $2::bigint AND $3::bigint ORDER BY seq LIMIT $4::bigint",
         "read", false},
    [SRV_PG_READ_HEAD] = {"SELECT seq, chain FROM lgkt.log WHERE programme = $1::bigint "
                          "ORDER BY seq DESC LIMIT 1",
                          "head", false},
    [SRV_PG_PUT_SNAPSHOT] =
        {IF_MINE ",put AS (INSERT INTO lgkt.snapshot(programme, seq, anchor, hash, bytes) "
                 "SELECT id, $3::bigint, $4::bigint <> 0, $5::bytea, $6::bytea FROM mine "
                 "ON CONFLICT (programme, seq) DO UPDATE SET anchor = excluded.anchor, "
                 "hash = excluded.hash, bytes = excluded.bytes),"
                 "old AS (DELETE FROM lgkt.snapshot WHERE programme = $1::bigint AND "
                 "NOT anchor AND EXISTS (SELECT FROM mine) AND seq < (SELECT max(seq) FROM "
                 "lgkt.snapshot WHERE programme = $1::bigint AND seq < $3::bigint)) "
                 "SELECT id FROM mine",
         "snapshot", true},
    [SRV_PG_GET_SNAPSHOT] =
        {"SELECT seq, hash, bytes FROM lgkt.snapshot WHERE programme = $1::bigint "
         "AND seq <= $2::bigint ORDER BY seq DESC LIMIT 1",
         "snapshot", false},
    // but those of records that an erasure took away
    [SRV_PG_COUNT_KEYS] =
        {"SELECT (SELECT count(*) FROM lgkt.idem WHERE programme = $1::bigint AND "
         "seq <= $2::bigint) - (SELECT count(*) FROM lgkt.idem i JOIN lgkt.log l "
         "USING (programme, seq) WHERE programme = $1::bigint AND "
         "seq <= $2::bigint AND substr(l.rec, 1, 1) = '\\x06'::bytea)",
         "check", false},
};

// What a database must have. Records are never changed but by an erasure, which says so.
static const char lay_out[] =
    "CREATE TABLE lgkt.programme("
    "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE \"C\" NOT NULL UNIQUE,"
    "epoch bigint NOT NULL, seq bigint NOT NULL, format bigint NOT NULL DEFAULT 1) "
    "WITH (fillfactor = 20);"
    "CREATE TABLE lgkt.log(programme bigint, seq bigint, rec bytea NOT NULL, chain bytea NOT NULL,"
    "PRIMARY KEY(programme, seq));"
    "CREATE TABLE lgkt.idem(programme bigint, key bytea, seq bigint NOT NULL,"
    "PRIMARY KEY(programme, key));"
    "CREATE INDEX idem_by_seq ON lgkt.idem(programme, seq);"
    "CREATE TABLE lgkt.snapshot(programme bigint, seq bigint, anchor boolean NOT NULL,"
    "hash bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY(programme, seq));"
    "ALTER TABLE lgkt.snapshot ALTER bytes SET STORAGE EXTERNAL;"
    "CREATE FUNCTION lgkt.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
    "IF current_setting('lgkt.erasing', true) IS DISTINCT FROM 'on' THEN "
    "RAISE EXCEPTION 'the log is never changed'; END IF; RETURN NULL; END$$;"
    "CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON lgkt.log "
    "FOR EACH STATEMENT EXECUTE FUNCTION lgkt.refuse()";

// The schema may have been made for a role that may not make one.
lgkt_status srv_pg_need_tables(srv_pg_link *link, lgkt_error *error)
{
    PGresult *result = NULL;
    LGKT_TRY(srv_pg_exec(link, "BEGIN; SELECT pg_advisory_xact_lock(1818716020::bigint << 32)",
                         "tables", NULL, error));
    LGKT_TRY(srv_pg_exec(link,
                         "SELECT to_regnamespace('lgkt') IS NULL, "
                         "to_regclass('lgkt.programme') IS NULL",
                         "tables", &result, error));
    const bool no_schema = *PQgetvalue(result, 0, 0) == 't',
               no_tables = *PQgetvalue(result, 0, 1) == 't';
    PQclear(result);
    if (no_schema)
        LGKT_TRY(srv_pg_exec(link, "CREATE SCHEMA lgkt", "tables", NULL, error));
    if (no_tables)
        LGKT_TRY(srv_pg_exec(link, lay_out, "tables", NULL, error));
    return srv_pg_exec(link, "COMMIT", "tables", NULL, error);
}
