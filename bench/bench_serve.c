// SPDX-License-Identifier: MIT
// What the service costs without HTTP: processor time of a decision with its report through machine
// and store, beside the same with an append-only journal; replay; the time to be ready; memory.
//
//     build/lgkt_bench_serve cost [DECISIONS [SPEC]]     in the folder it is run in
//     build/lgkt_bench_serve ready [UNITS [RECORDS [SINCE]]]
//     build/lgkt_bench_serve memory [DECISIONS]

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "journal_store.h"
#include "serve/actor.h"

enum { MOST_GROUP = 512, BATCH = 500 };

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "bench_serve: %s\n", what);
    exit(1);
}

static char *config_text(const char *spec, int units)
{
    static char text[500];
    snprintf(text, sizeof text,
             "{\"name\":\"bench\",\"learner\":\"%s\",\"actions\":[\"nothing\",\"message\",\"plan\","
             "\"call\"],"
             "\"state\":[{\"name\":\"mood\",\"values\":3},{\"name\":\"time\",\"values\":[\"am\","
             "\"pm\"]}],"
             "\"horizon\":1000000000,\"unit_limit\":%d,\"patience\":%d,\"seed\":42,\"floor\":0.02,"
             "\"reward_range\":[0,1]}",
             spec, units, units > 32768 ? 2 * units : 65536);
    return text;
}

static void remove_files(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", ".lock"};
    char name[200];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

// ---- cost ----

typedef struct side {
    const char *name;
    srv_store *store;
    srv_machine *machine;
    srv_records records;
    srv_values asked;
    srv_item items[2 * MOST_GROUP];
    double seconds;
    int64_t made;
} side;

static void apply(side *s, srv_command *command, int expected)
{
    srv_answer answer = {0};
    srv_machine_apply(s->machine, command, &s->records, &answer);
    if (answer.status != expected)
        fail(json_string_value(json_object_get(answer.body, "detail")));
    srv_answer_release(&answer);
}

static void keep(side *s)
{
    lgkt_error error = {0};
    for (size_t i = 0; i < s->records.count; i++) {
        const srv_entry *entry = &s->records.entries[i];
        const unsigned char *bytes = s->records.bytes.at + entry->at;
        s->items[i] = (srv_item){.seq = entry->seq,
                                 .bytes = bytes,
                                 .size = entry->size,
                                 .key = srv_record_key(bytes, entry->size)};
        memcpy(s->items[i].chain, entry->chain, SRV_HASH);
    }
    if (s->store->class->append(s->store, s->items, s->records.count, NULL, &error) != LGKT_OK)
        fail(error.text);
    srv_records_clear(&s->records);
}

// A group of decisions with their keys, as an actor does them, then one of their rewards.
static void one_group(side *s, int group, const char *const *texts, const double *rewards)
{
    const double begin = cpu();
    lgkt_error error = {0};
    char key[32];
    for (int i = 0; i < group; i++) {
        if (!srv_values_read(&s->asked, texts[i], strlen(texts[i])))
            fail("the request is not plain");
        srv_command command = {.verb = SRV_DO_DECIDE,
                               .time = s->made + i + 1,
                               .asked = s->asked.at,
                               .match = -1,
                               .replaces = -1};
        int64_t seq;
        memcpy(command.entropy, &command.time, 8); // drawn many at a time by an actor
        snprintf(key, sizeof key, "k%lld", (long long)s->made + i);
        srv_key(srv_machine_secret(s->machine), SRV_DO_DECIDE, key, texts[i], strlen(texts[i]),
                &command);
        if (s->store->class->find(s->store, command.key, &seq, &error) != LGKT_OK || seq != 0)
            fail("a key is there");
        apply(s, &command, 201);
    }
    keep(s);
    for (int i = 0; i < group; i++) {
        char text[80];
        snprintf(text, sizeof text, "[{\"decision\":%lld,\"reward\":%g}]", (long long)s->made + i,
                 rewards[i]);
        if (!srv_values_read(&s->asked, text, strlen(text)))
            fail("the report is not plain");
        srv_command command = {.verb = SRV_DO_REPORT,
                               .time = s->made + group,
                               .asked = s->asked.at,
                               .match = -1,
                               .replaces = -1};
        memcpy(command.entropy, &command.time, 8); // drawn many at a time by an actor
        apply(s, &command, 200);
    }
    keep(s);
    s->made += group;
    s->seconds += cpu() - begin;
}

static void open_side(side *s, const char *name, srv_store *store, const char *spec)
{
    *s = (side){.name = name, .store = store, .machine = srv_machine_create(NULL)};
    json_t *config = json_loads(config_text(spec, 1000), 0, NULL);
    srv_command command = {.verb = SRV_DO_CREATE, .time = 1, .body = config};
    apply(s, &command, 201);
    keep(s);
    json_decref(config);
}

static lgkt_status replay(void *ctx, int64_t seq, const void *bytes, size_t size,
                          const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    (void)seq;
    return srv_machine_replay(ctx, bytes, size, chain, error);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void cost(int64_t decisions, const char *spec)
{
    static const int groups[] = {1, 64, 512};
    static side sides[2];
    static double rewards[MOST_GROUP];
    static const char *texts[MOST_GROUP];
    for (int i = 0; i < MOST_GROUP; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"unit\":\"p%d\",\"state\":{\"mood\":%d,\"time\":\"am\"}}",
                 i % 500, i % 3);
        texts[i] = strdup(text);
        rewards[i] = i % 5 / 4.0;
    }
    for (int g = 0; g < 3; g++) {
        const srv_store_config config = {.path = "bench.db", .create = true};
        lgkt_error error = {0};
        srv_store *sqlite = NULL;
        remove_files("bench.db");
        if (srv_sqlite_open(&config, &sqlite, &error) != LGKT_OK)
            fail(error.text);
        open_side(&sides[0], "sqlite", sqlite, spec);
        const srv_store_config beside = {.path = "bench.journal"};
        srv_store *journal = NULL;
        if (journal_open(&beside, &journal, &error) != LGKT_OK)
            fail(error.text);
        open_side(&sides[1], "journal", journal, spec);
        enum { ROUNDS = 21 };
        double ratio[ROUNDS];
        const int64_t each = decisions / ROUNDS / groups[g] / (groups[g] == 1 ? 50 : 1) + 1;
        for (int r = 0; r < ROUNDS; r++) {
            const double before[2] = {sides[0].seconds, sides[1].seconds};
            for (int64_t i = 0; i < each; i++)
                for (int k = 0; k < 2; k++)
                    one_group(&sides[(i + k) % 2], groups[g], texts, rewards);
            ratio[r] = (sides[0].seconds - before[0]) / (sides[1].seconds - before[1]);
        }
        qsort(ratio, ROUNDS, sizeof *ratio, by_size);
        printf("groups of %3d: %5.2f us a decision with its report in SQLite, %5.2f in a journal, "
               "ratio %.2f (half of the rounds %.2f .. %.2f)\n",
               groups[g], 1e6 * sides[0].seconds / (double)sides[0].made,
               1e6 * sides[1].seconds / (double)sides[1].made, ratio[ROUNDS / 2], ratio[ROUNDS / 4],
               ratio[3 * ROUNDS / 4]);
        if (g == 2) {
            srv_machine *again = srv_machine_create(NULL);
            const double begin = cpu();
            if (sqlite->class->read(sqlite, 1, INT64_MAX, replay, again, &error) != LGKT_OK)
                fail(error.text);
            const double took = cpu() - begin;
            printf("replay: %5.2f us a decision with its report, %.2f us a record\n",
                   1e6 * took / (double)sides[0].made,
                   1e6 * took / (double)srv_machine_head(again).seq);
            srv_machine_destroy(again);
        }
        for (int k = 0; k < 2; k++) {
            sides[k].store->class->close(sides[k].store, true);
            srv_machine_destroy(sides[k].machine);
            srv_records_release(&sides[k].records);
            srv_values_release(&sides[k].asked);
        }
    }
    remove_files("bench.db");
    unlink("bench.journal");
}

// ---- ready ----

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t told;
    int64_t waiting;
} gate;

static void done(void *ctx, srv_answer *answer)
{
    gate *g = ctx;
    if (answer->status >= 400)
        fail(json_string_value(json_object_get(answer->body, "detail")));
    srv_answer_release(answer);
    pthread_mutex_lock(&g->lock);
    if (--g->waiting == 0)
        pthread_cond_signal(&g->told);
    pthread_mutex_unlock(&g->lock);
}

static void await(gate *g)
{
    pthread_mutex_lock(&g->lock);
    while (g->waiting > 0)
        pthread_cond_wait(&g->told, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void fill(srv_actor *actor, gate *g, int64_t from, int64_t count, int64_t units)
{
    for (int64_t i = from; i < from + count; i += BATCH) {
        char key[32], unit[40];
        json_t *list = json_array();
        snprintf(key, sizeof key, "b%lld", (long long)i);
        for (int64_t j = i; j < i + BATCH; j++) {
            snprintf(unit, sizeof unit, "person-%lld", (long long)(j % units));
            json_array_append_new(list, json_pack("{sss{sisi}}", "unit", unit, "state", "mood",
                                                  (int)(j % 3), "time", 0));
            json_object_set_new(
                json_object_get(json_array_get(list, json_array_size(list) - 1), "state"), "time",
                json_string("am"));
        }
        const srv_request request = {.verb = SRV_DO_BATCH,
                                     .body = json_pack("{so}", "decisions", list),
                                     .key = key,
                                     .match = -1,
                                     .done = done,
                                     .ctx = g};
        g->waiting = 1;
        if (!srv_actor_submit(actor, &request))
            fail("the queue is full");
        await(g);
    }
}

static srv_actor *start(const srv_request *create, double *took)
{
    const srv_actor_config config = {.path = "ready.db", .create = create, .snapshot_every = -1};
    lgkt_error error = {0};
    srv_actor *actor = NULL;
    const double begin = wall();
    if (srv_actor_start(&config, &actor, &error) != LGKT_OK)
        fail(error.text);
    while (srv_actor_state_of(actor) == SRV_ACTOR_STARTING)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    *took = wall() - begin;
    if (srv_actor_state_of(actor) != SRV_ACTOR_READY) {
        srv_actor_failure(actor, &error);
        fail(error.text);
    }
    return actor;
}

// Makes the file, in a child that ends as if it were killed.
static void make_file(int64_t units, int64_t records, int64_t since)
{
    gate g = {.waiting = 1};
    double took;
    pthread_mutex_init(&g.lock, NULL);
    pthread_cond_init(&g.told, NULL);
    const srv_request create = {.verb = SRV_DO_CREATE,
                                .key = "c",
                                .body = json_loads(config_text("auto", (int)units), 0, NULL),
                                .match = -1,
                                .done = done,
                                .ctx = &g};
    remove_files("ready.db");
    srv_actor *actor = start(&create, &took);
    fill(actor, &g, 0, records - since, units);
    // a snapshot here: an actor that stops writes one if it may
    srv_actor_stop(actor);
    const srv_actor_config once = {.path = "ready.db", .snapshot_every = 1};
    lgkt_error error = {0};
    if (srv_actor_start(&once, &actor, &error) != LGKT_OK)
        fail(error.text);
    fill(actor, &g, records - since, 500, units);
    srv_actor_stop(actor);
    actor = start(NULL, &took);
    fill(actor, &g, records - since + 500, since, units);
    _exit(0);
}

static void ready(const char *program, int64_t units, int64_t records, int64_t since)
{
    char command[300];
    double took, best = 1e9;
    snprintf(command, sizeof command, "%s make %lld %lld %lld", program, (long long)units,
             (long long)records, (long long)since);
    if (system(command) != 0)
        fail("the file was not made");
    for (int i = 0; i < 3; i++) {
        srv_actor *actor = start(NULL, &took);
        best = took < best ? took : best;
        printf(
            "ready after %.2f s: %lld units, %lld records in the file, %lld since the snapshot\n",
            took, (long long)units, (long long)srv_actor_read_numbers(actor).seq, (long long)since);
        srv_actor_stop(actor);
    }
    remove_files("ready.db");
}

// ---- memory ----

static double resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all = 0, own = 0;
    if (file == NULL || fscanf(file, "%ld %ld", &all, &own) != 2)
        fail("the system does not say how much memory there is");
    fclose(file);
    return (double)own * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

// Decisions for 1000 units, of which no reward comes: all that is kept of them has to be let go.
static void memory(int64_t decisions)
{
    enum { PIECES = 10 };
    double seen[PIECES], took;
    gate g = {.waiting = 1};
    pthread_mutex_init(&g.lock, NULL);
    pthread_cond_init(&g.told, NULL);
    const srv_request create = {.verb = SRV_DO_CREATE,
                                .key = "c",
                                .body = json_loads(config_text("auto", 1000), 0, NULL),
                                .match = -1,
                                .done = done,
                                .ctx = &g};
    remove_files("ready.db");
    const srv_actor_config config = {.path = "ready.db", .create = &create};
    lgkt_error error = {0};
    srv_actor *actor = NULL;
    const double begin = wall();
    if (srv_actor_start(&config, &actor, &error) != LGKT_OK)
        fail(error.text);
    await(&g);
    const int64_t piece = decisions / PIECES / BATCH * BATCH;
    for (int i = 0; i < PIECES; i++) {
        fill(actor, &g, i * piece, piece, 1000);
        seen[i] = resident();
    }
    took = wall() - begin;
    srv_actor_stop(actor);
    remove_files("ready.db");
    printf("memory after each tenth of %lld decisions, MiB:", (long long)(PIECES * piece));
    for (int i = 0; i < PIECES; i++)
        printf(" %.1f", seen[i]);
    printf(" (%.0f s)\n", took);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "cost";
    const int64_t first = argc > 2 ? atoll(argv[2]) : 0, second = argc > 3 ? atoll(argv[3]) : 0,
                  third = argc > 4 ? atoll(argv[4]) : 0;
    if (sodium_init() < 0)
        fail("libsodium does not start");
    if (strcmp(what, "cost") == 0)
        cost(first > 0 ? first : 200000, argc > 3 ? argv[3] : "auto");
    else if (strcmp(what, "make") == 0)
        make_file(first, second, third);
    else if (strcmp(what, "memory") == 0)
        memory(first > 0 ? first : 1000000);
    else
        ready(argv[0], first > 0 ? first : 100000, second > 0 ? second : 300000,
              third > 0 ? third : 50000);
    return 0;
}
