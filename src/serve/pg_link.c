// SPDX-License-Identifier: MIT
// A connection to PostgreSQL (pg_link.h).
//
// When a statement has succeeded is told by ReadyForQuery only: a statement of its own is committed
// behind its CommandComplete, and what fails there comes as a second result. PQexecPrepared and PQexec
// return after ReadyForQuery, with the last result.
//
// A commit that waits for a synchronous standby and is cancelled succeeds, with a warning: the record
// is on one disk only. So a warning of a statement that writes is a failure, SRV_STORE_LOST. The next
// server waits for the standby when it takes the next epoch, before it reads.

#include <stdlib.h>
#include <string.h>

#include "serve/pg_link.h"

// ---- arguments and results ----

static void put_big_endian(unsigned char *to, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * (size - 1 - i));
}

void srv_pg_integer(srv_pg_args *args, int64_t value)
{
    put_big_endian(args->numbers[args->count], (uint64_t)value, 8);
    args->values[args->count] = NULL;
    args->sizes[args->count++] = 8;
}

void srv_pg_bytes(srv_pg_args *args, const void *bytes, size_t size)
{
    args->values[args->count] = bytes != NULL ? bytes : "";
    args->sizes[args->count++] = (int)size;
}

static void put_word(srv_bytes *to, uint32_t word)
{
    unsigned char bytes[4];
    put_big_endian(bytes, word, 4);
    srv_bytes_put(to, bytes, sizeof bytes);
}

void srv_pg_begin_array(srv_bytes *array, int type, size_t count)
{
    array->size = 0;
    put_word(array, 1); // dimensions
    put_word(array, 1); // there may be nulls
    put_word(array, (uint32_t)type);
    put_word(array, (uint32_t)count);
    put_word(array, 1); // the first index
}

void srv_pg_add_bytes(srv_bytes *array, const void *bytes, size_t size)
{
    put_word(array, bytes != NULL ? (uint32_t)size : UINT32_MAX);
    if (bytes != NULL)
        srv_bytes_put(array, bytes, size);
}

void srv_pg_add_integer(srv_bytes *array, int64_t value)
{
    unsigned char bytes[8];
    put_big_endian(bytes, (uint64_t)value, 8);
    srv_pg_add_bytes(array, bytes, sizeof bytes);
}

int64_t srv_pg_integer_at(const PGresult *result, int row, int column)
{
    const unsigned char *at = (const unsigned char *)PQgetvalue(result, row, column);
    uint64_t value = 0;
    for (int i = 0; i < PQgetlength(result, row, column); i++)
        value = value << 8 | at[i];
    return (int64_t)value;
}

// ---- failures ----

// libpq ends its texts with a new line, and has one for each address that it tried.
static const char *one_line(const char *text, char *line, size_t room)
{
    size_t size = strlen(text), at = 0;
    while (size > 0 && text[size - 1] == '\n')
        size--;
    for (size_t i = 0; i < size && at + 3 < room; i++) {
        if (text[i] == '\n')
            line[at++] = ';';
        line[at++] = text[i];
        if (text[i] == '\n' || text[i] == '\t')
            line[at - 1] = ' ';
    }
    line[at] = '\0';
    return line;
}

static lgkt_status status_of(const char *state)
{
    static const struct {
        const char *state;
        lgkt_status status;
    } known[] = {{"23505", LGKT_ERR_ARGUMENT},                             // unique_violation
                 {"53100", SRV_STORE_FULL},                                // disk_full
                 {"53200", LGKT_ERR_NO_MEMORY}, {"55P03", SRV_STORE_HELD}, // lock_not_available
                 {"40001", SRV_STORE_HELD},                                // serialization_failure
                 {"40P01", SRV_STORE_HELD},                                // deadlock_detected
                 {"3F000", LGKT_ERR_FORMAT},                               // invalid_schema_name
                 {"42P01", LGKT_ERR_FORMAT},                               // undefined_table
                 {"XX001", LGKT_ERR_FORMAT},                               // data_corrupted
                 {"XX002", LGKT_ERR_FORMAT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(state, known[i].state) == 0)
            return known[i].status;
    return LGKT_ERR_IO;
}

lgkt_status srv_pg_alive(const srv_pg_link *link, lgkt_error *error)
{
    char line[300];
    if (PQstatus(link->conn) == CONNECTION_OK)
        return LGKT_OK;
    return lgkt_fail(error, SRV_STORE_LOST, "%s: the connection was lost: %s", link->shown,
                     one_line(PQerrorMessage(link->conn), line, sizeof line));
}

// A result looked at; it is cleared where it is not given on.
static lgkt_status judge(srv_pg_link *link, PGresult *got, const char *what, bool writes,
                         PGresult **result, lgkt_error *error)
{
    const ExecStatusType kind = PQresultStatus(got);
    const char *state = PQresultErrorField(got, PG_DIAG_SQLSTATE),
               *text = PQresultErrorField(got, PG_DIAG_MESSAGE_PRIMARY);
    lgkt_status status = srv_pg_alive(link, error);
    // what has no state failed on this side: what the server did is not known
    if (status == LGKT_OK && kind != PGRES_TUPLES_OK && kind != PGRES_COMMAND_OK)
        status = lgkt_fail(error,
                           state != NULL ? status_of(state)
                           : writes      ? SRV_STORE_LOST
                                         : LGKT_ERR_IO,
                           "%s: %s: %s", link->shown, what,
                           text != NULL ? text : PQresultErrorMessage(got));
    else if (status == LGKT_OK && writes && link->warning[0] != '\0')
        status = lgkt_fail(error, SRV_STORE_LOST, "%s: %s: it may not be on two disks: %s",
                           link->shown, what, link->warning);
    if (status == LGKT_OK && result != NULL)
        *result = got;
    else
        PQclear(got);
    return status;
}

static void take_notice(void *ctx, const PGresult *notice)
{
    srv_pg_link *link = ctx;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED),
               *text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    if (severity != NULL && strcmp(severity, "WARNING") == 0)
        snprintf(link->warning, sizeof link->warning, "%s", text != NULL ? text : severity);
}

// ---- statements ----

lgkt_status srv_pg_run(srv_pg_link *link, int which, const srv_pg_args *args, PGresult **result,
                       lgkt_error *error)
{
    static const int binary[SRV_PG_ARGS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const srv_pg_statement *statement = &link->statements[which];
    const char *values[SRV_PG_ARGS];
    const int count = args != NULL ? args->count : 0;
    char name[16];
    for (int i = 0; i < count; i++)
        values[i] = args->values[i] != NULL ? args->values[i] : (const char *)args->numbers[i];
    snprintf(name, sizeof name, "s%d", which);
    link->warning[0] = '\0';
    if (!link->prepared[which]) {
        LGKT_TRY(judge(link, PQprepare(link->conn, name, statement->sql, 0, NULL), statement->what,
                       false, NULL, error));
        link->prepared[which] = true;
    }
    PGresult *got = PQexecPrepared(link->conn, name, count, values,
                                   args != NULL ? args->sizes : NULL, binary, 1);
    return judge(link, got, statement->what, statement->writes, result, error);
}

lgkt_status srv_pg_exec(srv_pg_link *link, const char *sql, const char *what, PGresult **result,
                        lgkt_error *error)
{
    link->warning[0] = '\0';
    return judge(link, PQexec(link->conn, sql), what, true, result, error);
}

// ---- connecting ----

// A place as messages name it: without user, password and options.
static void show(const char *place, size_t uri, char shown[SRV_PG_SHOWN])
{
    const size_t scheme = strcspn(place, ":") + 3, whole = strcspn(place, "?#");
    size_t host = scheme;
    for (size_t i = scheme; i < whole && place[i] != '/'; i++)
        if (place[i] == '@')
            host = i + 1;
    snprintf(shown, SRV_PG_SHOWN, "%.*s%.*s%s", (int)scheme, place, (int)(whole - host),
             place + host, place + uri);
}

// What a URI says wins over what stands before it, and loses against what stands behind it.
static PGconn *connect_to(const char *uri, bool read_only)
{
    const char *const names[] = {"connect_timeout",
                                 "keepalives_idle",
                                 "keepalives_interval",
                                 "keepalives_count",
                                 "tcp_user_timeout",
                                 "fallback_application_name",
                                 "dbname",
                                 "client_encoding",
                                 "target_session_attrs",
                                 NULL};
    const char *const values[] = {
        "10", "10", "5", "3", "30000", "lgkt serve", uri, "UTF8", read_only ? "any" : "read-write",
        NULL};
    return PQconnectdbParams(names, values, 1);
}

// The password must not get into a message, and libpq may quote any part of a URI that is wrong.
static lgkt_status check_uri(const char *uri, lgkt_error *error)
{
    char *why = NULL, line[200];
    PQconninfoOption *options = PQconninfoParse(uri, &why);
    const bool good = options != NULL;
    const char *text = strchr(uri, '@') == NULL && why != NULL ? one_line(why, line, sizeof line)
                                                               : "it cannot be read";
    PQconninfoFree(options);
    lgkt_status status = LGKT_OK;
    if (!good)
        status = lgkt_fail(error, LGKT_ERR_ARGUMENT,
                           "the connection string must be "
                           "postgresql://[USER@]HOST[:PORT]/DATABASE[?OPTION=VALUE]: %s",
                           text);
    PQfreemem(why);
    return status;
}

// The session is as ours are, whatever the database, the role or a pooler says: nothing of it ends a
// statement early; commits wait for the disk, or for two. Every access is by an index, also where the
// tables were small when a statement was planned. The server notices within half a minute that this
// machine is gone, and gives its lock back.
static const char session[] =
    "SELECT pg_catalog.set_config(v.name, v.value, false) FROM (VALUES"
    "('search_path', 'pg_catalog'),('statement_timeout', '0'),('lock_timeout', '3s'),"
    "('idle_in_transaction_session_timeout', '0'),('idle_session_timeout', '0'),"
    "('transaction_timeout', '0'),('default_transaction_isolation', 'read committed'),"
    "('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit') "
    "WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END),"
    "('jit', 'off'),('enable_seqscan', 'off'),('enable_bitmapscan', 'off'),"
    "('plan_cache_mode', 'force_generic_plan'),"
    "('tcp_keepalives_idle', '10'),('tcp_keepalives_interval', '5'),('tcp_keepalives_count', '3')"
    ") AS v(name, value) JOIN pg_catalog.pg_settings s ON s.name = v.name";

lgkt_status srv_pg_connect(srv_pg_link *link, const char *place, const srv_pg_statement *statements,
                           bool read_only, lgkt_error *error)
{
    char line[300];
    PGresult *result = NULL;
    const char *mark = strrchr(place, '#');
    const size_t size = mark != NULL ? (size_t)(mark - place) : strlen(place);
    char *uri = strndup(place, size);
    *link = (srv_pg_link){.statements = statements};
    if (uri == NULL)
        return lgkt_fail_memory(error, "a connection");
    show(place, size, link->shown);
    lgkt_status status = check_uri(uri, error);
    if (status == LGKT_OK)
        link->conn = connect_to(uri, read_only);
    free(uri);
    LGKT_TRY(status);
    if (PQstatus(link->conn) != CONNECTION_OK)
        return lgkt_fail(error, LGKT_ERR_IO, "%s cannot be reached: %s", link->shown,
                         one_line(PQerrorMessage(link->conn), line, sizeof line));
    PQsetNoticeReceiver(link->conn, take_notice, link);
    LGKT_TRY(srv_pg_exec(link, session, "settings", NULL, error));
    LGKT_TRY(srv_pg_exec(link, "SELECT current_setting('fsync')", "settings", &result, error));
    const bool syncs = strcmp(PQgetvalue(result, 0, 0), "on") == 0;
    PQclear(result);
    return syncs || read_only
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_CONFIG,
                           "%s has fsync = off: what is answered could be lost; set it to on",
                           link->shown);
}

void srv_pg_disconnect(srv_pg_link *link)
{
    PQfinish(link->conn);
    link->conn = NULL;
}
