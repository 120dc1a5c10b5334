// SPDX-License-Identifier: MIT
// lgkt serve: the decision service, its tokens, and what can be done with a programme's file.

#include "cli.h"

#ifndef LGKT_SERVE

// the packages that cmake did not find
#ifndef LGKT_SERVE_MISSING
#define LGKT_SERVE_MISSING "SQLite, libsodium and libevent"
#endif

lgkt_status cmd_serve(cli_settings *s, lgkt_error *error)
{
    (void)s;
    return lgkt_fail(error, CLI_FAILED,
                     "this command was built without what serving needs; install %s and build it "
                     "again (these are the names in Debian)",
                     LGKT_SERVE_MISSING);
}

#else

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/number.h"
#include "core/text.h"
#include "io/plain/io_folder.h"
#include "io/plain/io_json.h"
#include "serve/route.h"
#include "serve/verify.h"

// ---- arguments ----

static lgkt_status need(const char *value, const char *option, lgkt_error *error)
{
    return value != NULL ? LGKT_OK : lgkt_fail(error, CLI_USAGE, "%s is needed", option);
}

// "256M", "1G", "4096"
static lgkt_status read_bytes(const char *text, int64_t *bytes, lgkt_error *error)
{
    static const char units[] = "KMGT";
    char number[32] = "";
    const size_t size = strlen(text);
    const char *unit = size > 0 ? strchr(units, text[size - 1]) : NULL;
    const size_t digits = unit != NULL && *unit != '\0' ? size - 1 : size;
    const int shift = digits < size ? 10 * (int)(unit - units + 1) : 0;
    if (digits > 0 && digits < sizeof number)
        memcpy(number, text, digits);
    if (!lgkt_integer_parse(number, bytes) || *bytes < 0 || *bytes > ((int64_t)1 << 50) >> shift)
        return lgkt_fail(
            error, CLI_USAGE,
            "--reserve is \"%s\"; it must be bytes, as 256M, 1G or 4096, at most 1024T", text);
    *bytes <<= shift;
    return LGKT_OK;
}

// The word behind the first, if it is the only one.
static lgkt_status read_file_word(const cli_settings *s, const char **file, lgkt_error *error)
{
    if (s->words.count != 2)
        return lgkt_fail(error, CLI_USAGE, "lgkt serve %s takes the file of one programme",
                         s->words.items[0]);
    *file = s->words.items[1];
    return LGKT_OK;
}

// ---- tokens ----

static lgkt_status add_token(const cli_settings *s, srv_tokens *tokens, lgkt_error *error)
{
    char text[SRV_TOKEN_TEXT], quoted[CLI_QUOTED_SIZE];
    LGKT_TRY(need(s->name, "--name NAME", error));
    LGKT_TRY(need(s->role, "--role decide|read|admin", error));
    const srv_role role = srv_role_of(s->role);
    if (role == 0)
        return lgkt_fail(error, CLI_USAGE, "--role is \"%s\"; it must be decide, read or admin",
                         cli_quoted(s->role, quoted));
    LGKT_TRY(srv_tokens_add(tokens, s->name, role, s->programme, s->rate, text, error));
    if (s->json) {
        io_json json = {.out = stdout};
        io_json_open(&json, NULL, IO_JSON_RECORD);
        io_json_text(&json, "name", s->name);
        io_json_text(&json, "role", s->role);
        io_json_text(&json, "token", text);
        io_json_close(&json);
    } else {
        printf("%s\n", text);
    }
    return LGKT_OK;
}

static const char *date_of(int64_t seconds, char text[32])
{
    const time_t at = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&at, &parts) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
    return text;
}

static lgkt_status list_tokens(const cli_settings *s, const srv_tokens *tokens, lgkt_error *error)
{
    char date[32];
    io_memory table = {0};
    io_json json = {.out = stdout};
    if (s->json)
        io_json_open(&json, NULL, IO_JSON_ARRAY);
    else
        io_memory_print(&table, "name\trole\tprogramme\trate\tmade\n");
    for (int32_t i = 0; i < srv_tokens_count(tokens); i++) {
        const srv_token *token = srv_tokens_item(tokens, i);
        const bool all = token->programme[0] == '\0';
        date_of(token->made, date);
        if (s->json) {
            io_json_open(&json, NULL, IO_JSON_RECORD);
            io_json_text(&json, "name", token->name);
            io_json_text(&json, "role", srv_role_name(token->role));
            io_json_text(&json, "programme", all ? NULL : token->programme);
            io_json_real(&json, "rate", token->rate > 0 ? token->rate : NAN);
            io_json_text(&json, "made", date);
            io_json_close(&json);
        } else {
            io_memory_print(&table, "%s\t%s\t%s\t%.15g\t%s\n", token->name,
                            srv_role_name(token->role), all ? "all" : token->programme,
                            token->rate > 0 ? token->rate : NAN, date);
        }
    }
    if (!s->json)
        return cli_table_print(&table, "lllrl", error);
    io_json_close(&json);
    return LGKT_OK;
}

static lgkt_status tokens_command(const cli_settings *s, lgkt_error *error)
{
    const char *verb = s->words.count == 2 ? s->words.items[1] : "";
    lgkt_hint hint = {.word = verb, .size = 100};
    static const char *const verbs[] = {"add", "list", "revoke"};
    int known = 0;
    for (int i = 0; i < 3; i++) {
        lgkt_hint_add(&hint, verbs[i]);
        known += strcmp(verb, verbs[i]) == 0;
    }
    if (known == 0)
        return lgkt_fail(error, CLI_USAGE, "lgkt serve token takes one of add, list, revoke");
    LGKT_TRY(need(s->data, "--data DIR", error));
    if (verb[0] == 'r')
        LGKT_TRY(need(s->name, "--name NAME", error));
    // a folder is made by who serves it
    if (access(s->data, F_OK) != 0)
        return io_fail_errno(error, s->data);
    srv_tokens *tokens;
    LGKT_TRY(srv_tokens_open(s->data, &tokens, error));
    const lgkt_status status = verb[0] == 'a'   ? add_token(s, tokens, error)
                               : verb[0] == 'l' ? list_tokens(s, tokens, error)
                                                : srv_tokens_revoke(tokens, s->name, error);
    srv_tokens_close(tokens);
    return status;
}

// ---- files ----

typedef struct watched {
    cli_progress line;
    const atomic_bool *stop;
    io_output output;
} watched;

static bool goes_on(void *ctx, int64_t done, int64_t all)
{
    (void)done, (void)all;
    const watched *w = ctx;
    return !atomic_load(w->stop);
}

static lgkt_status verify_command(const cli_settings *s, lgkt_error *error)
{
    const char *file = NULL;
    srv_verdict v = {0};
    LGKT_TRY(read_file_word(s, &file, error));
    watched w = {.stop = cli_watch_interrupts()};
    cli_watch_silence(true);
    const lgkt_status status = srv_verify(file, s->receipts, goes_on, &w, &v, error);
    cli_watch_silence(false);
    if (status == SRV_STOPPED)
        return CLI_INTERRUPTED;
    if (status != LGKT_OK)
        return status;
    if (s->json) {
        io_json json = {.out = stdout};
        io_json_open(&json, NULL, IO_JSON_RECORD);
        io_json_integer(&json, "records", v.records);
        io_json_integer(&json, "from", v.from);
        io_json_integer(&json, "replayed", v.replayed);
        io_json_integer(&json, "stubs", v.stubs);
        io_json_integer(&json, "receipts", v.receipts);
        io_json_integer(&json, "keys", v.keys);
        io_json_close(&json);
        return LGKT_OK;
    }
    printf("%lld records, all in the chain; %lld replayed bit for bit", (long long)v.records,
           (long long)v.replayed);
    if (v.from > 0)
        printf(" from the snapshot behind record %lld on", (long long)v.from);
    printf("\n%lld keys name their record; %lld records of erased units are stubs\n",
           (long long)v.keys, (long long)v.stubs);
    if (s->receipts != NULL)
        printf("%lld receipts were found again\n", (long long)v.receipts);
    return LGKT_OK;
}

static bool put_bytes(void *ctx, const void *bytes, size_t size)
{
    const watched *w = ctx;
    FILE *out = w->output.stream != NULL ? w->output.stream : stdout;
    return !atomic_load(w->stop) && fwrite(bytes, 1, size, out) == size;
}

static lgkt_status export_command(const cli_settings *s, lgkt_error *error)
{
    const char *file = NULL;
    char quoted[CLI_QUOTED_SIZE];
    const bool lines = strcmp(s->format, "jsonl") == 0;
    LGKT_TRY(read_file_word(s, &file, error));
    if (!lines && strcmp(s->format, "csv") != 0)
        return lgkt_fail(error, CLI_USAGE, "--format is \"%s\"; it must be csv or jsonl",
                         cli_quoted(s->format, quoted));
    watched w = {.stop = cli_watch_interrupts()};
    if (s->out != NULL)
        LGKT_TRY(cli_output_open(s->out, &w.output, error));
    lgkt_status status = srv_export(file, lines ? SRV_JSON_LINES : SRV_CSV, put_bytes, &w, error);
    if (atomic_load(w.stop))
        status = CLI_INTERRUPTED;
    if (status == LGKT_OK && w.output.stream != NULL)
        return io_output_commit(&w.output, error);
    io_output_discard(&w.output);
    return status;
}

static lgkt_status backup_command(const cli_settings *s, lgkt_error *error)
{
    const char *file = NULL;
    LGKT_TRY(read_file_word(s, &file, error));
    LGKT_TRY(need(s->out, "--out FILE", error));
    return srv_backup(file, s->out, error);
}

// ---- serving ----

// The first start: an admin token, with one plain copy that only the owner can read.
static lgkt_status make_first_token(const cli_settings *s, srv_site *site, int port,
                                    lgkt_error *error)
{
    char text[SRV_TOKEN_TEXT], path[4096];
    snprintf(path, sizeof path, "%s/token", s->data);
    LGKT_TRY(srv_tokens_add(site->tokens, "admin", SRV_ADMIN, NULL, 0, text, error));
    unlink(path);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    char line[SRV_TOKEN_TEXT + 1];
    const int size = snprintf(line, sizeof line, "%s\n", text);
    const bool written = file >= 0 && write(file, line, (size_t)size) == size && fsync(file) == 0;
    const lgkt_status status = written ? LGKT_OK : io_fail_errno(error, path);
    if (file >= 0)
        close(file);
    LGKT_TRY(status);
    printf("made an admin token; a plain copy is in %s and may be deleted. Try\n"
           "  curl -H \"Authorization: Bearer $(cat %s)\" http://127.0.0.1:%d/v1/programmes\n",
           path, path, port);
    return LGKT_OK;
}

// As many descriptors as connections need, as far as the system lets us.
static int32_t fit_connections(int64_t wanted)
{
    struct rlimit limit;
    const rlim_t others = 256;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return (int32_t)wanted;
    const rlim_t needed = (rlim_t)wanted + others;
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur >= needed      ? (int32_t)wanted
           : limit.rlim_cur > 2 * others ? (int32_t)(limit.rlim_cur - others)
                                         : (int32_t)others;
}

static lgkt_status run_server(const cli_settings *s, srv_site *site, lgkt_error *error)
{
    const http_config config = {.listen = s->listen,
                                .hosts = s->hosts.items,
                                .host_count = s->hosts.count,
                                .connections = fit_connections(s->connections),
                                .seconds = s->timeout,
                                .begin = srv_route_begin,
                                .complete = srv_route_complete,
                                .ctx = site};
    LGKT_TRY(srv_route_prepare(site, error));
    LGKT_TRY(http_server_create(&config, &site->http, error));
    const int port = http_server_port(site->http);
    lgkt_status status = LGKT_OK;
    if (srv_tokens_count(site->tokens) == 0)
        status = make_first_token(s, site, port, error);
    if (status == LGKT_OK) {
        const char *colon = strrchr(s->listen, ':');
        printf("serving %s on http://%.*s:%d/\n", s->data, (int)(colon - s->listen), s->listen,
               port);
        fflush(stdout);
        status = http_run(site->http) == SIGINT ? CLI_INTERRUPTED : LGKT_OK;
    }
    return status;
}

static lgkt_status serve_command(const cli_settings *s, lgkt_error *error)
{
    int64_t reserve;
    srv_site site;
    LGKT_TRY(need(s->data, "--data DIR", error));
    LGKT_TRY(read_bytes(s->reserve, &reserve, error));
    // what is told of people is nobody else's to read
    umask(0077);
    lgkt_status status = srv_site_open(&site, s->data, reserve, error);
    if (status == LGKT_OK)
        status = run_server(s, &site, error);
    // actors answer to the server until they have ended
    http_server *http = site.http;
    srv_site_close(&site);
    http_server_destroy(http);
    return status;
}

static lgkt_status run_words(const cli_settings *s, lgkt_error *error)
{
    static const struct {
        const char *word;
        lgkt_status (*run)(const cli_settings *s, lgkt_error *error);
    } words[] = {{"token", tokens_command},
                 {"verify", verify_command},
                 {"export", export_command},
                 {"backup", backup_command}};
    if (s->words.count == 0)
        return serve_command(s, error);
    lgkt_hint hint = {.word = s->words.items[0], .size = 100};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, s->words.items[0]) == 0)
            return words[i].run(s, error);
        lgkt_hint_add(&hint, words[i].word);
    }
    char quoted[CLI_QUOTED_SIZE];
    return lgkt_fail(error, CLI_USAGE, "unknown word \"%s\"; %s",
                     cli_quoted(s->words.items[0], quoted), lgkt_hint_text(&hint));
}

lgkt_status cmd_serve(cli_settings *s, lgkt_error *error)
{
    const lgkt_status status = run_words(s, error);
    // a store has ends of its own
    return status > CLI_USAGE && status != CLI_INTERRUPTED ? CLI_FAILED : status;
}

#endif
