// SPDX-License-Identifier: MIT
// The programmes of a folder or a database (site.h), and what is counted of them.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/plain/io_folder.h"
#include "io/plain/io_text.h"
#include "serve/programme.h"
#include "serve/site.h"

// ---- programmes ----

static void free_member(srv_member *member)
{
    if (member == NULL)
        return;
    srv_actor_stop(member->actor);
    free(member->path);
    free(member);
}

srv_member *srv_site_find(srv_site *site, const char *name)
{
    for (int32_t i = 0; i < site->count; i++) {
        srv_member *member = site->members[i];
        if (strcmp(member->name, name) != 0)
            continue;
        // a crash has left the file of a programme that was never finished; it is gone now
        if (srv_actor_state_of(member->actor) != SRV_ACTOR_FAILED ||
            srv_actor_failure(member->actor, NULL) != LGKT_ERR_NO_FILE)
            return member;
        srv_site_drop(site, name);
        return NULL;
    }
    return NULL;
}

static void say(void *ctx, const char *text)
{
    const srv_member *member = ctx;
    fprintf(stderr, "lgkt: serve: %s: %s\n", member->name, text);
}

static void die(void *ctx, const char *text)
{
    say(ctx, text);
    _exit(1);
}

char *srv_site_place(const srv_site *site, const char *name)
{
    const char *before = site->database != NULL ? site->database : site->folder;
    const size_t room = strlen(before) + strlen(name) + sizeof "/.db";
    char *place = malloc(room);
    if (place != NULL)
        snprintf(place, room, site->database != NULL ? "%s#%s" : "%s/%s.db", before, name);
    return place;
}

lgkt_status srv_site_start(srv_site *site, const char *name, const srv_request *create,
                           lgkt_error *error)
{
    if (site->count >= SRV_MAX_PROGRAMMES)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "there are %d programmes already",
                         SRV_MAX_PROGRAMMES);
    srv_member *member = calloc(1, sizeof *member);
    srv_member **members =
        realloc(site->members, (size_t)(site->count + 1) * sizeof *site->members);
    site->members = members != NULL ? members : site->members;
    if (member != NULL)
        member->path = srv_site_place(site, name);
    if (member == NULL || members == NULL || member->path == NULL) {
        free_member(member);
        return lgkt_fail_memory(error, "a programme");
    }
    snprintf(member->name, sizeof member->name, "%s", name);
    const srv_actor_config config = {.path = member->path,
                                     .name = member->name,
                                     .create = create,
                                     .reserve = site->reserve,
                                     .fatal = die,
                                     .say = say,
                                     .ctx = member};
    const lgkt_status status = srv_actor_start(&config, &member->actor, error);
    if (status != LGKT_OK) {
        free_member(member);
        return status;
    }
    site->members[site->count++] = member;
    return LGKT_OK;
}

void srv_site_drop(srv_site *site, const char *name)
{
    for (int32_t i = 0; i < site->count; i++)
        if (strcmp(site->members[i]->name, name) == 0) {
            free_member(site->members[i]);
            site->members[i] = site->members[--site->count];
            return;
        }
}

srv_actor_state srv_site_state(const srv_site *site)
{
    srv_actor_state state = SRV_ACTOR_READY;
    for (int32_t i = 0; i < site->count; i++) {
        const srv_actor_state one = srv_actor_state_of(site->members[i]->actor);
        if (one == SRV_ACTOR_FAILED || (one != SRV_ACTOR_READY && state == SRV_ACTOR_READY))
            state = one;
    }
    return state;
}

// Whether a file is a programme's; its name without ".db".
static bool is_programme(const char *file, char name[SRV_NAME_SIZE])
{
    const size_t size = strlen(file);
    if (size < 4 || size - 3 >= SRV_NAME_SIZE || strcmp(file + size - 3, ".db") != 0)
        return false;
    memcpy(name, file, size - 3);
    name[size - 3] = '\0';
    return strcmp(name, "tokens") != 0 && srv_programme_name(name);
}

// Two servers on one folder would know of different programmes.
static lgkt_status lock_folder(srv_site *site, lgkt_error *error)
{
    char path[4096];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s/serve.lock", site->folder);
    site->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (site->lock < 0) {
        site->lock = 0;
        return io_fail_errno(error, path);
    }
    if (fcntl(site->lock, F_SETLK, &whole) != 0)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "%s is served by another process already",
                         io_short_name(site->folder));
    return LGKT_OK;
}

// Programmes of files and of a database are not served together.
static lgkt_status take_file(srv_site *site, const char *name, lgkt_error *error)
{
    if (site->database == NULL)
        return srv_site_start(site, name, NULL, error);
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     "%s has the programme %s.db, and --store names a database: serve the one or "
                     "the other",
                     io_short_name(site->folder), name);
}

static lgkt_status take_row(void *ctx, const char *name, lgkt_error *error)
{
    if (!srv_programme_name(name))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "lgkt.programme has \"%s\", which is no name",
                         name);
    return srv_site_start(ctx, name, NULL, error);
}

lgkt_status srv_site_open(srv_site *site, const char *folder, const char *database, int64_t reserve,
                          lgkt_error *error)
{
    *site = (srv_site){.folder = folder, .database = database, .reserve = reserve};
    LGKT_TRY(io_folder_make(folder, error));
    LGKT_TRY(lock_folder(site, error));
    LGKT_TRY(srv_tokens_open(folder, &site->tokens, error));
    DIR *open = opendir(folder);
    if (open == NULL)
        return io_fail_errno(error, folder);
    lgkt_status status = LGKT_OK;
    char name[SRV_NAME_SIZE];
    for (struct dirent *entry; status == LGKT_OK && (entry = readdir(open)) != NULL;)
        if (is_programme(entry->d_name, name))
            status = take_file(site, name, error);
    closedir(open);
    if (status == LGKT_OK && database != NULL)
        status = srv_pg_list(database, take_row, site, error);
    return status;
}

void srv_site_close(srv_site *site)
{
    for (int32_t i = 0; i < site->count; i++)
        free_member(site->members[i]);
    srv_tokens_close(site->tokens);
    free(site->members);
    free(site->openapi);
    free(site->page);
    free(site->page_headers);
    if (site->lock > 0)
        close(site->lock);
    *site = (srv_site){.count = 0};
}

// ---- metrics ----

enum { WHOLE, REAL, FLAG };
#define NUMBER(field)                                                                              \
    offsetof(srv_actor_numbers, field), _Generic(((srv_actor_numbers *)0)->field, int64_t          \
                                                 : WHOLE, double                                   \
                                                 : REAL, bool                                      \
                                                 : FLAG)
static const struct {
    const char *name, *type, *help;
    size_t offset;
    int kind;
} metrics[] = {
    {"queue_requests", "gauge", "requests that wait for the programme", NUMBER(waiting)},
    {"commands_total", "counter", "requests that a programme answered", NUMBER(commands)},
    {"refused_total", "counter", "of these with a status of 400 or more", NUMBER(refused)},
    {"retries_total", "counter", "of these answered from the log, as once before", NUMBER(retries)},
    {"records_total", "counter", "records written", NUMBER(records)},
    {"decisions", "gauge", "decisions made so far", NUMBER(decisions)},
    {"seq", "gauge", "number of the last record", NUMBER(seq)},
    {"commits_total", "counter", "groups of records brought to the disk", NUMBER(commits)},
    {"commit_seconds_total", "counter", "time that took", NUMBER(commit_seconds)},
    {"commit_p50_seconds", "gauge", "median of the last 1000 commits", NUMBER(commit_p50)},
    {"commit_p99_seconds", "gauge", "99th of 100 of the last 1000 commits", NUMBER(commit_p99)},
    {"snapshots_total", "counter", "snapshots written", NUMBER(snapshots)},
    {"rebuilds_total", "counter", "times that the programme was made anew from its log",
     NUMBER(rebuilds)},
    {"clock_back_total", "counter", "times that the clock went back", NUMBER(clock_back)},
    {"disk_bytes", "gauge", "size of the programme's file, 0 in a database", NUMBER(disk_bytes)},
    {"memory_bytes", "gauge", "memory of the learner and its units", NUMBER(memory_bytes)},
    {"read_only", "gauge", "1: less is free on the disk than the reserve", NUMBER(read_only)},
};
enum { METRIC_COUNT = sizeof metrics / sizeof *metrics };

static double number_of(const srv_actor_numbers *numbers, int metric)
{
    const char *at = (const char *)numbers + metrics[metric].offset;
    return metrics[metric].kind == REAL    ? *(const double *)at
           : metrics[metric].kind == WHOLE ? (double)*(const int64_t *)at
                                           : *(const bool *)at;
}

static void put_head(io_memory *out, const char *name, const char *type, const char *help)
{
    io_memory_print(out, "# HELP lgkt_%s %s\n# TYPE lgkt_%s %s\n", name, help, name, type);
}

// Each check of each programme with its value, and with its light.
static void put_checks(io_memory *out, const srv_site *site, const char *only)
{
    for (int what = 0; what < 2; what++) {
        put_head(out, what == 0 ? "check_value" : "check_light", "gauge",
                 what == 0 ? "a check of the monitor, of actions the worst one"
                           : "its light: 0 green, 1 yellow, 2 red");
        for (int32_t i = 0; i < site->count; i++) {
            const srv_member *member = site->members[i];
            srv_light lights[SRV_LIGHTS];
            const bool is_told = only[0] == '\0' || strcmp(only, member->name) == 0;
            const int count = is_told ? srv_actor_read_lights(member->actor, lights) : 0;
            for (int k = 0; k < count; k++)
                io_memory_print(out,
                                "lgkt_%s{programme=\"%s\",check=\"%s\",window=\"%lld\"} %.17g\n",
                                what == 0 ? "check_value" : "check_light", member->name,
                                lights[k].check, (long long)lights[k].window,
                                what == 0 ? lights[k].value : (double)lights[k].light);
        }
    }
}

static void put_http(io_memory *out, const srv_site *site)
{
    const http_counts c = http_counts_of(site->http);
    const struct {
        const char *name, *type, *help;
        int64_t value;
    } rows[] = {
        {"http_connections", "gauge", "connections that are open", c.open},
        {"http_connections_total", "counter", "connections so far", c.accepted},
        {"http_connections_refused_total", "counter", "connections above the limit", c.refused},
        {"http_requests_total", "counter", "requests so far", c.requests},
        {"http_timeouts_total", "counter", "requests and answers that were too slow", c.timeouts},
        {"http_malformed_total", "counter", "what was no request, too large or for others",
         c.malformed},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_head(out, rows[i].name, rows[i].type, rows[i].help);
        io_memory_print(out, "lgkt_%s %lld\n", rows[i].name, (long long)rows[i].value);
    }
    put_head(out, "http_answers_total", "counter", "answers by the first digit of their status");
    for (int i = 2; i < 6; i++)
        io_memory_print(out, "lgkt_http_answers_total{status=\"%dxx\"} %lld\n", i,
                        (long long)site->answers[i]);
}

char *srv_metrics(const srv_site *site, const char *only, size_t *size)
{
    srv_actor_numbers *numbers = calloc((size_t)site->count + 1, sizeof *numbers);
    if (numbers == NULL)
        return NULL;
    io_memory out = {0};
    put_http(&out, site);
    put_head(&out, "up", "gauge", "1: the programme answers");
    for (int32_t i = 0; i < site->count; i++) {
        const srv_member *member = site->members[i];
        numbers[i] = srv_actor_read_numbers(member->actor);
        if (only[0] == '\0' || strcmp(only, member->name) == 0)
            io_memory_print(&out, "lgkt_up{programme=\"%s\"} %d\n", member->name,
                            srv_actor_state_of(member->actor) == SRV_ACTOR_READY);
    }
    for (int m = 0; m < METRIC_COUNT; m++) {
        put_head(&out, metrics[m].name, metrics[m].type, metrics[m].help);
        for (int32_t i = 0; i < site->count; i++)
            if (only[0] == '\0' || strcmp(only, site->members[i]->name) == 0)
                io_memory_print(&out, "lgkt_%s{programme=\"%s\"} %.17g\n", metrics[m].name,
                                site->members[i]->name, number_of(&numbers[i], m));
    }
    put_checks(&out, site, only);
    free(numbers);
    return io_memory_close(&out, size);
}
