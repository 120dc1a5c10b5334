// SPDX-License-Identifier: MIT
// Tokens (tokens.h). A token is random through and through, so a plain hash of it is as good as a
// slow one would be.

#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "serve/programme.h"
#include "serve/tokens.h"

struct srv_tokens {
    sqlite3 *file;
    int64_t version; // PRAGMA data_version, which rises when another connection changes the file
    srv_token *items;
    int32_t count;
};

static const struct {
    srv_role role;
    const char *name;
} roles[] = {{SRV_DECIDES, "decide"}, {SRV_READS, "read"}, {SRV_ADMIN, "admin"}};

const char *srv_role_name(srv_role role)
{
    for (int i = 0; i < 3; i++)
        if (roles[i].role == role)
            return roles[i].name;
    return "none";
}

srv_role srv_role_of(const char *word)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(roles[i].name, word) == 0)
            return roles[i].role;
    return 0;
}

// ---- the file ----

static lgkt_status fail(const srv_tokens *t, const char *what, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_IO, "tokens.db cannot be %s: %s", what,
                     sqlite3_errmsg(t->file));
}

static void hash_text(const char *text, size_t size, unsigned char hash[SRV_TOKEN_HASH])
{
    crypto_generichash(hash, SRV_TOKEN_HASH, (const unsigned char *)text, size, NULL, 0);
}

static int64_t data_version(const srv_tokens *t)
{
    sqlite3_stmt *ask = NULL;
    int64_t version = -1;
    if (sqlite3_prepare_v2(t->file, "PRAGMA data_version", -1, &ask, NULL) == SQLITE_OK &&
        sqlite3_step(ask) == SQLITE_ROW)
        version = sqlite3_column_int64(ask, 0);
    sqlite3_finalize(ask);
    return version;
}

// Text of a column as an array, cut to fit.
static void take_text(sqlite3_stmt *row, int column, char to[SRV_TOKEN_NAME])
{
    const unsigned char *text = sqlite3_column_text(row, column);
    snprintf(to, SRV_TOKEN_NAME, "%s", text != NULL ? (const char *)text : "");
}

static void take_token(sqlite3_stmt *row, srv_token *token)
{
    take_text(row, 0, token->name);
    token->role = (srv_role)sqlite3_column_int(row, 1);
    take_text(row, 2, token->programme);
    token->rate = sqlite3_column_double(row, 3);
    token->made = sqlite3_column_int64(row, 4);
    if (sqlite3_column_bytes(row, 5) == SRV_TOKEN_HASH)
        memcpy(token->hash, sqlite3_column_blob(row, 5), SRV_TOKEN_HASH);
    token->filled = token->rate > 1 ? token->rate : 1;
}

// Reads all tokens. The buckets of those that were there stay as full as they are.
static lgkt_status read_tokens(srv_tokens *t, lgkt_error *error)
{
    static const char query[] =
        "SELECT name, role, programme, rate, made, hash FROM token ORDER BY rowid";
    sqlite3_stmt *rows = NULL;
    srv_token *items = NULL;
    int32_t count = 0;
    const int64_t version = data_version(t);
    if (sqlite3_prepare_v2(t->file, query, -1, &rows, NULL) != SQLITE_OK)
        return fail(t, "read", error);
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        srv_token *more = realloc(items, (size_t)(count + 1) * sizeof *items);
        if (more == NULL)
            break;
        items = more;
        items[count] = (srv_token){.made = 0};
        take_token(rows, &items[count++]);
    }
    sqlite3_finalize(rows);
    if (step != SQLITE_DONE) {
        free(items);
        return step == SQLITE_ROW ? lgkt_fail_memory(error, "tokens") : fail(t, "read", error);
    }
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < t->count; j++)
            if (memcmp(items[i].hash, t->items[j].hash, SRV_TOKEN_HASH) == 0) {
                items[i].filled = t->items[j].filled;
                items[i].at = t->items[j].at;
            }
    free(t->items);
    t->items = items;
    t->count = count;
    t->version = version;
    return LGKT_OK;
}

lgkt_status srv_tokens_open(const char *folder, srv_tokens **tokens, lgkt_error *error)
{
    static const char schema[] =
        "PRAGMA busy_timeout = 5000;"
        "PRAGMA secure_delete = 1;"
        "CREATE TABLE IF NOT EXISTS token(name TEXT NOT NULL UNIQUE, role INTEGER NOT NULL,"
        " programme TEXT NOT NULL, rate REAL NOT NULL, made INTEGER NOT NULL,"
        " hash BLOB NOT NULL UNIQUE)";
    char path[4096];
    if (sodium_init() < 0)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "libsodium finds no random numbers");
    if (snprintf(path, sizeof path, "%s/tokens.db", folder) >= (int)sizeof path)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "the path of the folder is too long");
    srv_tokens *t = calloc(1, sizeof *t);
    if (t == NULL)
        return lgkt_fail_memory(error, "tokens");
    // made so that nobody else can read it
    const mode_t mask = umask(0077);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int opened = sqlite3_open_v2(path, &t->file, flags, NULL);
    if (opened == SQLITE_OK)
        opened = sqlite3_exec(t->file, schema, NULL, NULL, NULL);
    umask(mask);
    lgkt_status status = opened == SQLITE_OK ? LGKT_OK : fail(t, "opened", error);
    if (status == LGKT_OK)
        status = read_tokens(t, error);
    if (status == LGKT_OK)
        *tokens = t;
    else
        srv_tokens_close(t);
    return status;
}

void srv_tokens_close(srv_tokens *t)
{
    if (t == NULL)
        return;
    sqlite3_close(t->file);
    free(t->items);
    free(t);
}

lgkt_status srv_tokens_refresh(srv_tokens *t, lgkt_error *error)
{
    return data_version(t) == t->version ? LGKT_OK : read_tokens(t, error);
}

int32_t srv_tokens_count(const srv_tokens *t)
{
    return t->count;
}

const srv_token *srv_tokens_item(const srv_tokens *t, int32_t i)
{
    return &t->items[i];
}

// ---- changes ----

static lgkt_status check_new(const srv_tokens *t, const char *name, const char *programme,
                             double rate, lgkt_error *error)
{
    const size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] <= ' ' || (unsigned char)name[i] > '~')
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "name \"%s\" must be of letters, digits and signs", name);
    if (size == 0 || size >= SRV_TOKEN_NAME)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "a name must have 1 to %d letters",
                         SRV_TOKEN_NAME - 1);
    if (programme != NULL && !srv_programme_name(programme))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "\"%s\" cannot be a programme: [a-z0-9][a-z0-9-]{0,62}", programme);
    if (!(rate >= 0 && rate <= 1e6))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "a rate must be in 0 .. 1000000");
    for (int32_t i = 0; i < t->count; i++)
        if (strcmp(t->items[i].name, name) == 0)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "there is a token \"%s\" already", name);
    return LGKT_OK;
}

// Runs a change whose parameters were bound, and reads all anew.
static lgkt_status change(srv_tokens *t, sqlite3_stmt *statement, bool bound, lgkt_error *error)
{
    const bool done = bound && sqlite3_step(statement) == SQLITE_DONE;
    const lgkt_status status = done ? LGKT_OK : fail(t, "written", error);
    sqlite3_finalize(statement);
    return status == LGKT_OK ? read_tokens(t, error) : status;
}

lgkt_status srv_tokens_add(srv_tokens *t, const char *name, srv_role role, const char *programme,
                           double rate, char text[SRV_TOKEN_TEXT], lgkt_error *error)
{
    LGKT_TRY(check_new(t, name, programme, rate, error));
    unsigned char random[32], hash[SRV_TOKEN_HASH];
    randombytes_buf(random, sizeof random);
    memcpy(text, "lgkt_", 5);
    sodium_bin2base64(text + 5, SRV_TOKEN_TEXT - 5, random, sizeof random,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(random, sizeof random);
    hash_text(text, SRV_TOKEN_TEXT - 1, hash);
    sqlite3_stmt *put = NULL;
    const bool bound =
        sqlite3_prepare_v2(t->file, "INSERT INTO token VALUES(?1, ?2, ?3, ?4, ?5, ?6)", -1, &put,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_text(put, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_int(put, 2, (int)role) == SQLITE_OK &&
        sqlite3_bind_text(put, 3, programme != NULL ? programme : "", -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_bind_double(put, 4, rate) == SQLITE_OK &&
        sqlite3_bind_int64(put, 5, (int64_t)time(NULL)) == SQLITE_OK &&
        sqlite3_bind_blob(put, 6, hash, sizeof hash, SQLITE_STATIC) == SQLITE_OK;
    return change(t, put, bound, error);
}

lgkt_status srv_tokens_revoke(srv_tokens *t, const char *name, lgkt_error *error)
{
    const int32_t before = t->count;
    sqlite3_stmt *drop = NULL;
    const bool bound = sqlite3_prepare_v2(t->file, "DELETE FROM token WHERE name = ?1", -1, &drop,
                                          NULL) == SQLITE_OK &&
                       sqlite3_bind_text(drop, 1, name, -1, SQLITE_STATIC) == SQLITE_OK;
    LGKT_TRY(change(t, drop, bound, error));
    return t->count < before
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_ARGUMENT, "there is no token \"%s\"", name);
}

// ---- use ----

srv_token *srv_tokens_find(srv_tokens *t, const char *text, size_t size)
{
    unsigned char hash[SRV_TOKEN_HASH];
    srv_token *found = NULL;
    hash_text(text, size, hash);
    for (int32_t i = 0; i < t->count; i++)
        if (sodium_memcmp(hash, t->items[i].hash, SRV_TOKEN_HASH) == 0)
            found = &t->items[i];
    return found;
}

bool srv_token_take(srv_token *token, double now, double *wait)
{
    if (token->rate <= 0)
        return true;
    const double most = token->rate > 1 ? token->rate : 1;
    const double filled = token->filled + token->rate * (now - token->at);
    token->filled = filled < most ? filled : most;
    token->at = now;
    *wait = (1 - token->filled) / token->rate;
    if (token->filled < 1)
        return false;
    token->filled -= 1;
    return true;
}
