// SPDX-License-Identifier: MIT
// test_numbers [record]: what this build computes is what LGKT_NUMBERS stands for. Hashes of runs
// of every learner and every environment, and of the golden actions, stand in
// tests/golden/numbers.csv with the LGKT_NUMBERS that they belong to.
//
// With "record" the file is written anew. That is refused where a hash would change and LGKT_NUMBERS
// did not rise; learners and environments may be new or gone.

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "lgkt/lgkt.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"
#include "ref/state_learners.h"

enum { STEPS = 2000, ENV_STEPS = 1000, SEED = 11, MOST = 256, LINE = 256 };

typedef struct row {
    char name[96]; // "learner auto", ..
    unsigned long long hash;
} row;

typedef struct table {
    int numbers, count;
    row rows[MOST];
} table;

static const char *const FILE_NAME = LGKT_GOLDEN "/numbers.csv";

static void add_row(table *t, const char *what, const char *name, uint64_t hash)
{
    assert_true(t->count < MOST);
    row *r = &t->rows[t->count++];
    snprintf(r->name, sizeof r->name, "%s %s", what, name);
    r->hash = hash;
}

static const row *find_row(const table *t, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    return NULL;
}

// ---- what this build computes ----

static uint64_t hash_play(uint64_t hash, const char *learner_spec, const lgkt_env *env,
                          int64_t steps)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, steps);
    config.seed = SEED;
    lgkt_learner *learner = NULL;
    if (lgkt_learner_create(learner_spec, &config, &learner, NULL) != LGKT_OK)
        return lgkt_hash_u64(hash, 0); // an oracle where there is no model
    lgkt_trajectory *run = env_run_start(env, steps, SEED);
    for (int64_t t = 0; t < steps; t++) {
        const int32_t state = lgkt_trajectory_state(run);
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, state, lgkt_env_allowed(env, state), &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        hash = lgkt_hash_f64(lgkt_hash_u64(hash, (uint64_t)action), step.reward);
    }
    lgkt_trajectory_destroy(run);
    lgkt_learner_destroy(learner);
    return hash;
}

// The same on records.
static uint64_t hash_records(uint64_t hash, const char *spec, const lgkt_env *env, int64_t steps)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    config.problem = lgkt_env_problem(env, steps);
    config.seed = SEED;
    keys.view = *lgkt_env_record(env);
    lgkt_keyed *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create(spec, &config, &keys, &learner, &error), error);
    lgkt_trajectory *run = env_run_start(env, steps, SEED);
    for (int64_t t = 0; t < steps; t++) {
        size_t size;
        int32_t action;
        const void *x = lgkt_trajectory_observation(run, &size);
        assert_int_equal(lgkt_keyed_act(learner, x, size, NULL, &action), LGKT_OK);
        const lgkt_step step = env_run_play(run, action);
        x = lgkt_trajectory_observation(run, &size);
        assert_int_equal(lgkt_keyed_observe(learner, step.reward, x, size, step.ended), LGKT_OK);
        hash = lgkt_hash_f64(lgkt_hash_u64(hash, (uint64_t)action), step.reward);
        for (size_t d = 0; d < size / sizeof(double); d++)
            hash = lgkt_hash_f64(hash, ((const double *)x)[d]);
    }
    lgkt_trajectory_destroy(run);
    lgkt_keyed_destroy(learner);
    return hash;
}

static lgkt_env *make_env(const char *spec, const lgkt_mdp *model)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = SEED;
    config.data = env_run_data(spec, model, NULL, 0);
    return env_run_make(spec, &config);
}

static void add_learners(table *t)
{
    static const char *const specs[] = {"synthetic:states=6,actions=3", "riverswim:states=5",
                                        "frozenlake", "cartpole"};
    static const char *const records[] = {"contextual:categories=3", "glucose",
                                          "cartpole:view=record,cut=1"};
    enum { ENVS = sizeof specs / sizeof *specs };
    lgkt_env *envs[ENVS];
    for (int e = 0; e < ENVS; e++)
        envs[e] = make_env(specs[e], NULL);
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++) {
        const lgkt_entry *entry = lgkt_learner_entry(i);
        const bool numbered = (entry->traits & LGKT_TRAIT_STATES) != 0;
        uint64_t hash = LGKT_HASH_START;
        for (int e = 0; e < ENVS && numbered; e++)
            hash = hash_play(hash, entry->name, envs[e], STEPS);
        for (size_t e = 0; e < sizeof records / sizeof *records && !numbered; e++) {
            lgkt_env *env = make_env(records[e], NULL);
            hash = hash_records(hash, entry->name, env, STEPS);
            lgkt_env_destroy(env);
        }
        add_row(t, "learner", entry->name, hash);
    }
    for (int e = 0; e < ENVS; e++)
        lgkt_env_destroy(envs[e]);
}

static void add_envs(table *t, const lgkt_mdp *model)
{
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        const char *name = lgkt_env_entry(i)->name;
        lgkt_env *env = make_env(name, model);
        uint64_t hash = LGKT_HASH_START;
        double gain = 0;
        const lgkt_mdp *known = lgkt_env_model(env);
        if (known != NULL && lgkt_plan_gain(known, 1e-9, NULL, &gain, NULL, NULL) == LGKT_OK)
            hash = lgkt_hash_f64(hash, gain);
        if (lgkt_env_record(env) != NULL) {
            hash = hash_records(hash, "random", env, ENV_STEPS);
        } else {
            hash = hash_play(hash, "random", env, ENV_STEPS);
            hash = hash_play(hash, "lg1t", env, ENV_STEPS);
        }
        add_row(t, "environment", name, hash);
        lgkt_env_destroy(env);
    }
}

static void add_golden(table *t)
{
    static const char *const folders[] = {"random-10x5", "random-6x4", "riverswim-5"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[LINE + sizeof LGKT_GOLDEN], bytes[4096];
        snprintf(path, sizeof path, "%s/%s/actions.csv", LGKT_GOLDEN, folders[i]);
        FILE *file = fopen(path, "rb");
        if (file == NULL)
            fail_msg("%s is missing", path);
        uint64_t hash = LGKT_HASH_START;
        for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
            hash = lgkt_hash_bytes(hash, bytes, size);
        fclose(file);
        add_row(t, "golden", folders[i], hash);
    }
}

static table compute(const lgkt_mdp *model)
{
    table t = {.numbers = LGKT_NUMBERS};
    add_learners(&t);
    add_envs(&t, model);
    add_golden(&t);
    return t;
}

// ---- the file ----

static table read_table(void)
{
    table t = {0};
    char line[LINE];
    FILE *file = fopen(FILE_NAME, "r");
    if (file == NULL)
        return t;
    if (fgets(line, sizeof line, file) == NULL || sscanf(line, "numbers,%d", &t.numbers) != 1)
        fail_msg("%s has no numbers", FILE_NAME);
    while (fgets(line, sizeof line, file) != NULL) {
        assert_true(t.count < MOST);
        row *r = &t.rows[t.count++];
        assert_int_equal(sscanf(line, "%95[^,],%llx", r->name, &r->hash), 2);
    }
    fclose(file);
    return t;
}

static void write_table(const table *t)
{
    FILE *file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    fprintf(file, "numbers,%d\n", t->numbers);
    for (int i = 0; i < t->count; i++)
        fprintf(file, "%s,%016llx\n", t->rows[i].name, t->rows[i].hash);
    assert_int_equal(fclose(file), 0);
}

// how many rows of both have other hashes; says which
static int count_changes(const table *before, const table *now)
{
    int changes = 0;
    for (int i = 0; i < now->count; i++) {
        const row *old = find_row(before, now->rows[i].name);
        if (old == NULL || old->hash == now->rows[i].hash)
            continue;
        print_message("%s: %016llx instead of %016llx\n", old->name, now->rows[i].hash, old->hash);
        changes++;
    }
    return changes;
}

static void test_numbers_are_those_of_the_header(void **state)
{
    const table recorded = read_table(), now = compute(*state);
    if (recorded.numbers != LGKT_NUMBERS)
        fail_msg("numbers.csv is for LGKT_NUMBERS %d, the header has %d: run test_numbers record",
                 recorded.numbers, LGKT_NUMBERS);
    if (count_changes(&recorded, &now) > 0)
        fail_msg("results have changed: raise LGKT_NUMBERS, say so in CHANGELOG.md, and run "
                 "test_numbers record");
    for (int i = 0; i < now.count; i++)
        if (find_row(&recorded, now.rows[i].name) == NULL)
            fail_msg("%s is not in numbers.csv: run test_numbers record", now.rows[i].name);
    assert_int_equal(recorded.count, now.count);
}

static void record(void **state)
{
    const table recorded = read_table(), now = compute(*state);
    if (recorded.numbers == LGKT_NUMBERS && count_changes(&recorded, &now) > 0)
        fail_msg("results have changed: raise LGKT_NUMBERS first");
    write_table(&now);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers_are_those_of_the_header)};
    const struct CMUnitTest recording[] = {cmocka_unit_test(record)};
    const bool records = argc == 2 && strcmp(argv[1], "record") == 0;
    return records ? cmocka_run_group_tests(recording, learner_run_setup, learner_run_teardown)
                   : cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
