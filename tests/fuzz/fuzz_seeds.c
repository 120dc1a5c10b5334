// SPDX-License-Identifier: MIT
// fuzz_seeds FOLDER: writes first inputs into FOLDER/<target>/, made from the registries, so that a
// new learner or environment is fuzzed without a line here; and dictionaries of their words into
// FOLDER/<target>.dict. The folders must exist.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "io/formats/io_learner.h"
#include "ref/learner_run.h"
#ifdef LGKT_SERVE
#include "ref/serve_run.h"
#endif

typedef const lgkt_entry *(*entry_fn)(int32_t i);

// ---- files ----

static FILE *open_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        perror(path);
    FUZZ_CHECK(file != NULL);
    return file;
}

// one input of a target; inputs are numbered
static void put_input(const char *folder, const char *target, int number, const void *bytes,
                      size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "%s/seed-%04d", target, number);
    FILE *file = open_file(folder, name);
    FUZZ_CHECK(fwrite(bytes, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
}

// ---- specs ----

// what a parameter may be set to: a few texts, each once
static int values_of(const lgkt_param *param, char values[4][64])
{
    const bool number = param->type == LGKT_PARAM_INTEGER || param->type == LGKT_PARAM_REAL;
    const bool computed = param->fallback == NULL || param->fallback[0] == '@';
    int count = 0;
    if (!computed)
        snprintf(values[count++], 64, "%.60s", param->fallback);
    if (number) {
        snprintf(values[count++], 64, "%.17g", param->min);
        snprintf(values[count++], 64, "%.17g", param->max);
    }
    if (param->type == LGKT_PARAM_CHOICE)
        snprintf(values[count++], 64, "%.*s", (int)strcspn(param->choices, "|"), param->choices);
    return count;
}

// every parameter of every entry, alone
static int put_params(const char *folder, const char *target, entry_fn entry, int number)
{
    for (int32_t i = 0; entry(i) != NULL; i++)
        for (int32_t j = 0; j < entry(i)->param_count; j++) {
            const lgkt_param *param = lgkt_entry_param(entry(i), j);
            char values[4][64];
            const int count = values_of(param, values);
            for (int v = 0; v < count; v++) {
                char spec[256];
                const int length =
                    snprintf(spec, sizeof spec, "%s:%s=%s", entry(i)->name, param->name, values[v]);
                put_input(folder, target, number++, spec, (size_t)length);
            }
        }
    return number;
}

static void put_word(FILE *file, const char *before, const char *word, size_t length,
                     const char *after)
{
    fprintf(file, "\"%s%.*s%s\"\n", before, (int)length, word, after);
}

static void put_choices(FILE *file, const char *choices)
{
    for (const char *at = choices; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, "|");
        put_word(file, "", at, length, "");
        at += length + (at[length] == '|');
    }
}

static void put_dictionary(const char *folder, const char *name, entry_fn entry)
{
    FILE *file = open_file(folder, name);
    for (int32_t i = 0; entry(i) != NULL; i++) {
        put_word(file, "", entry(i)->name, strlen(entry(i)->name), ":");
        for (int32_t j = 0; j < entry(i)->param_count; j++) {
            const lgkt_param *param = lgkt_entry_param(entry(i), j);
            put_word(file, ",", param->name, strlen(param->name), "=");
            put_choices(file, param->choices);
        }
    }
    fputs("\"=(\"\n\"1e15\"\n\"1/3\"\n\"-0\"\n\"0.5\"\n\"1000\"\n", file);
    FUZZ_CHECK(fclose(file) == 0);
}

// ---- saved learners ----

static lgkt_learner *make_learner(const char *spec, const lgkt_mdp *model)
{
    const lgkt_learner_config config = fuzz_config(model, NULL);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    if (lgkt_learner_create(spec, &config, &learner, &error) != LGKT_OK)
        fprintf(stderr, "no seed for %s: %s\n", spec, error.text);
    return learner;
}

// alone, and as a trace saves it
static void put_saved(const char *folder, int number, const lgkt_learner *learner)
{
    const io_origin origins[] = {{.known = false}, {true, UINT64_C(0xfedcba9876543210), 1}};
    static const char *const targets[] = {"saved", "resume"};
    for (int i = 0; i < 2; i++) {
        char *bytes = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&bytes, &size);
        FUZZ_CHECK(out != NULL && io_learner_print(learner, &origins[i], out, NULL) == LGKT_OK);
        FUZZ_CHECK(fclose(out) == 0);
        put_input(folder, targets[i], number, bytes, size);
        free(bytes);
    }
}

// three moments of a run: before, within, and between act and observe
static void put_learner(const char *folder, const char *spec, const lgkt_mdp *model, int number)
{
    lgkt_learner *learner = make_learner(spec, model);
    if (learner == NULL)
        return;
    put_saved(folder, number, learner);
    fuzz_play(learner, 13);
    put_saved(folder, number + 1, learner);
    fuzz_play(learner, 15);
    int32_t action;
    const int32_t next = lgkt_learner_next_state(learner);
    FUZZ_CHECK(lgkt_learner_act(learner, next >= 0 ? next : 0, NULL, &action) == LGKT_OK);
    put_saved(folder, number + 2, learner);
    lgkt_learner_destroy(learner);
}

// ---- saved learners with keys ----

static void play_keyed(lgkt_keyed *keyed, bool viewed, int steps)
{
    static const char *const keys[] = {"", "a", "b", "a key of some length"};
    static const double vectors[][2] = {{0, -1}, {1, 0.5}, {0.5, 7}, {-INFINITY, 1e300}};
    int at = 0;
    for (int i = 0; i < steps; i++) {
        int32_t action;
        const void *key = viewed ? (const void *)vectors[at] : keys[at];
        size_t size = viewed ? sizeof vectors[at] : strlen(keys[at]);
        FUZZ_CHECK(lgkt_keyed_act(keyed, key, size, NULL, &action) == LGKT_OK);
        at = (3 * i + action) % 4;
        key = viewed ? (const void *)vectors[at] : keys[at];
        size = viewed ? sizeof vectors[at] : strlen(keys[at]);
        FUZZ_CHECK(lgkt_keyed_observe(keyed, fuzz_reward(i), key, size, i % 7 == 6) == LGKT_OK);
    }
}

// `view` 0: keys are bytes, 1: vectors with given edges, 2: with quantiles
static void put_keyed(const char *folder, const char *spec, int view, int number, int steps)
{
    static const int32_t cuts[] = {2, 1};
    static const double edges[] = {0, 1, 0.5};
    lgkt_learner_config config = fuzz_config(NULL, NULL);
    config.problem.states = 0;
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    keys.state_limit = 8;
    if (view > 0)
        keys.view =
            (lgkt_view){.dims = 2, .cuts = cuts, .edges = view == 1 ? edges : NULL, .warmup = 7};
    lgkt_keyed *keyed = NULL;
    // oracles know all states beforehand and are refused
    if (lgkt_keyed_create(spec, &config, &keys, &keyed, NULL) != LGKT_OK)
        return;
    play_keyed(keyed, view > 0, steps);
    size_t size = 0;
    lgkt_keyed_save(keyed, NULL, 0, &size, NULL);
    void *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL && lgkt_keyed_save(keyed, bytes, size, &size, NULL) == LGKT_OK);
    put_input(folder, "keyed", number, bytes, size);
    free(bytes);
    lgkt_keyed_destroy(keyed);
}

// ---- units ----

// some with keys, at three moments
static void put_units(const char *folder, const char *spec, int number, int calls)
{
    lgkt_learner_config config = fuzz_config(NULL, NULL);
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = 5;
    set.patience = 6;
    set.keys.state_limit = number % 2 == 0 ? 0 : 8;
    config.problem.states = number % 2 == 0 ? FUZZ_STATES : 0;
    lgkt_units *units = NULL;
    // not all can be shared, or grow
    if (lgkt_units_create(spec, &config, &set, &units, NULL) != LGKT_OK)
        return;
    for (int i = 0; i < calls; i++) {
        const uint64_t unit = (uint64_t)(i % 4);
        const int64_t made = lgkt_units_decisions(units);
        int64_t decision;
        int32_t action;
        if (number % 2 == 0)
            lgkt_units_act(units, unit, i % FUZZ_STATES, NULL, &decision, &action);
        else
            lgkt_units_act_key(units, unit, "ab", (size_t)(i % 3), NULL, &decision, &action);
        lgkt_units_reward(units, made - i % 3, fuzz_reward(i));
    }
    size_t size = 0;
    lgkt_units_save(units, NULL, 0, &size, NULL);
    void *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL && lgkt_units_save(units, bytes, size, &size, NULL) == LGKT_OK);
    put_input(folder, "units_saved", number, bytes, size);
    free(bytes);
    lgkt_units_destroy(units);
}

static void put_calls(const char *folder)
{
    lgkt_rng rng = lgkt_rng_stream(1, "calls", 0);
    for (int i = 0; i < 50; i++) {
        uint8_t bytes[400];
        const size_t size = (size_t)(20 + 7 * i);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)lgkt_rng_below(&rng, 256);
        put_input(folder, "units", i, bytes, size);
#ifdef LGKT_SERVE
        put_input(folder, "serve_model", i, bytes, size);
#endif
    }
}

// ---- programmes ----

#ifdef LGKT_SERVE
// bytes behind a letter
static void put_lettered(const char *folder, int number, char letter, const void *bytes,
                         size_t size)
{
    char *both = malloc(size + 1);
    FUZZ_CHECK(both != NULL);
    both[0] = letter;
    memcpy(both + 1, bytes, size);
    put_input(folder, "serve_bytes", number, both, size + 1);
    free(both);
}

// Records, the log and a snapshot of a small one.
static void put_programme(const char *folder, int number, const char *states, const char *state)
{
    char config[400], body[100];
    snprintf(
        config, sizeof config,
        "{\"name\":\"f\",\"learner\":\"%s\",\"actions\":[\"x\",\"y\"],%s,\"horizon\":100,\"unit_"
        "limit\":4,\"patience\":8,"
        "\"seed\":1,\"floor\":0.1,\"limits\":[{\"action\":\"y\",\"max\":2,\"window\":\"P1D\"}]}",
        strstr(states, "features") != NULL ? "forest" : "q-greedy", states);
    serve_run *run = serve_run_make(config);
    for (int i = 0; i < 9; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", i);
        snprintf(body, sizeof body, "{\"unit\":\"u%d\",\"state\":{\"s\":%s}}", i % 3, state);
        serve_run_do(run, SRV_DO_DECIDE, key, body);
        snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":0.5,\"next_state\":{\"s\":%s}}]",
                 i, state);
        serve_run_do(run, SRV_DO_REPORT, NULL, body);
    }
    serve_run_do(run, SRV_DO_CHANGE, "c", "{\"mode\":\"fallback\"}");
    srv_bytes log = {0}, snapshot = {0};
    for (size_t i = 0; i < run->log.count; i++) {
        const srv_entry *entry = &run->log.entries[i];
        const unsigned char length[2] = {(unsigned char)entry->size,
                                         (unsigned char)(entry->size >> 8)};
        srv_bytes_put(&log, length, 2);
        srv_bytes_put(&log, run->log.bytes.at + entry->at, entry->size);
        if (i < 4 || i + 1 == run->log.count)
            put_lettered(folder, number + 3 + (int)i, 'R', run->log.bytes.at + entry->at,
                         entry->size);
    }
    put_lettered(folder, number, 'L', log.at, log.size);
    FUZZ_CHECK(srv_machine_save(run->machine, &snapshot, NULL) == LGKT_OK);
    put_lettered(folder, number + 1, 'S', snapshot.at, snapshot.size);
    srv_bytes_release(&log);
    srv_bytes_release(&snapshot);
    serve_run_free(run);
}

static void put_programmes(const char *folder)
{
    put_programme(folder, 0, "\"state\":[{\"name\":\"s\",\"values\":3}]", "1");
    put_programme(folder, 100, "\"state\":[{\"name\":\"s\"}],\"state_limit\":5", "\"am\"");
    put_programme(folder, 200, "\"features\":[{\"name\":\"s\"}]", "0.5");
}
#endif

// ---- saved runs ----

static void put_run(const char *folder, int number, int i, int steps)
{
    lgkt_env *env = fuzz_env_small(i);
    lgkt_trajectory *run = NULL;
    lgkt_step step;
    size_t size = 0;
    FUZZ_CHECK(lgkt_trajectory_create(env, FUZZ_HORIZON, 1, 0, NULL, &run, NULL) == LGKT_OK);
    for (int t = 0; t < steps; t++)
        FUZZ_CHECK(lgkt_trajectory_step(run, t % 2, &step) == LGKT_OK);
    lgkt_trajectory_save(run, NULL, 0, &size, NULL);
    // which environment it is stands in front
    char *bytes = malloc(size + 1);
    FUZZ_CHECK(bytes != NULL && lgkt_trajectory_save(run, bytes + 1, size, &size, NULL) == LGKT_OK);
    bytes[0] = (char)i;
    put_input(folder, "trajectory", number, bytes, size + 1);
    free(bytes);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- all ----

static void put_learners(const char *folder)
{
    lgkt_mdp *model = fuzz_model_small();
    char spec[LEARNER_RUN_SPEC];
    int i = 0;
    for (; learner_run_spec(i, spec); i++) {
        put_input(folder, "learner", i, spec, strlen(spec));
        put_learner(folder, spec, model, 3 * i);
        for (int part = 0; part < 3; part++)
            put_keyed(folder, spec, 0, 3 * i + part, 9 * part);
        put_units(folder, spec, 2 * i, 5 + i % 12);
        put_units(folder, spec, 2 * i + 1, 5 + i % 12);
    }
    for (int part = 0; part < 6; part++)
        put_keyed(folder, part < 3 ? "lg1t" : "auto", 1 + part % 2, 3 * i + part, 5 * (part % 3));
    lgkt_mdp_destroy(model);
    put_params(folder, "learner", lgkt_learner_entry, i);
    put_dictionary(folder, "learner.dict", lgkt_learner_entry);
}

static void put_environments(const char *folder)
{
    int number = 0;
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        const char *name = lgkt_env_entry(i)->name;
        put_input(folder, "env", number++, name, strlen(name));
    }
    put_params(folder, "env", lgkt_env_entry, number);
    put_dictionary(folder, "env.dict", lgkt_env_entry);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    put_learners(argv[1]);
    put_environments(argv[1]);
    put_calls(argv[1]);
#ifdef LGKT_SERVE
    put_programmes(argv[1]);
#endif
    for (int i = 0; i < 3 * FUZZ_ENVS; i++)
        put_run(argv[1], i, i / 3, i % 3 * (FUZZ_HORIZON / 2));
    return 0;
}
