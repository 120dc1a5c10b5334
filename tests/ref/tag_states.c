// SPDX-License-Identifier: MIT
// Processes that are a function of time and action, so that what was loaded goes on as what was
// saved would have.

#include "ref/tag_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "lgkt/lgkt.h"
#include "ref/env_run.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "test.h"

enum { BEFORE = 300, AFTER = 200, HORIZON = 1000, SEED = 7, LINE = 1024 };

// One that is made or loaded, plays and is saved.
typedef struct thing {
    const char *spec;
    const lgkt_mdp *model; // that learners play in
    lgkt_learner *learner;
    lgkt_keyed *keyed;
    lgkt_units *units;
    lgkt_env *env;
    lgkt_trajectory *run;
    int64_t at; // what the process needs to go on
    uint64_t played;
} thing;

typedef struct kind {
    const char *name;
    void (*make)(thing *it);
    lgkt_status (*load)(thing *it, const void *bytes, size_t size, lgkt_error *error);
    void (*play)(thing *it, int64_t steps);
    lgkt_status (*save)(const thing *it, void *bytes, size_t capacity, size_t *size);
} kind;

static void note(thing *it, int64_t what)
{
    it->played = lgkt_hash_u64(it->played, (uint64_t)what);
}

// ---- learners ----

static lgkt_learner_config learner_config(const thing *it)
{
    lgkt_learner_config config = learner_run_config(it->model, HORIZON);
    config.seed = SEED;
    return config;
}

static void make_learner(thing *it)
{
    const lgkt_learner_config config = learner_config(it);
    it->learner = learner_run_make(it->spec, &config);
}

static lgkt_status load_learner(thing *it, const void *bytes, size_t size, lgkt_error *error)
{
    const lgkt_learner_config config = learner_config(it);
    return lgkt_learner_load(bytes, size, &config, &it->learner, error);
}

static void play_learner(thing *it, int64_t steps)
{
    int32_t actions[BEFORE];
    learner_run run = {
        .learner = it->learner, .model = it->model, .seed = SEED, .state = (int32_t)it->at};
    assert_true(steps <= BEFORE);
    learner_run_play(&run, steps, actions);
    for (int64_t t = 0; t < steps; t++)
        note(it, actions[t]);
    it->at = run.state;
}

static lgkt_status save_learner(const thing *it, void *bytes, size_t capacity, size_t *size)
{
    return lgkt_learner_save(it->learner, bytes, capacity, size, NULL);
}

// ---- keyed learners ----

static void make_keyed(thing *it)
{
    const lgkt_learner_config config = keyed_run_config(HORIZON);
    it->keyed = keyed_run_make(it->spec, &config, KEYED_RUN_STATES);
    it->at = keyed_run_start(it->keyed, KEYED_RUN_STATES, SEED).state;
}

static lgkt_status load_keyed(thing *it, const void *bytes, size_t size, lgkt_error *error)
{
    const lgkt_learner_config config = keyed_run_config(HORIZON);
    return lgkt_keyed_load(bytes, size, &config, &it->keyed, error);
}

static void play_keyed(thing *it, int64_t steps)
{
    keyed_run run = keyed_run_start(it->keyed, KEYED_RUN_STATES, SEED);
    run.state = (int32_t)it->at;
    for (int64_t t = 0; t < steps; t++) {
        keyed_run_play(&run, 1);
        note(it, run.action);
        keyed_run_play(&run, 1);
    }
    it->at = run.state;
}

static lgkt_status save_keyed(const thing *it, void *bytes, size_t capacity, size_t *size)
{
    return lgkt_keyed_save(it->keyed, bytes, capacity, size, NULL);
}

// ---- units ----

enum { UNITS = 5, UNIT_STATES = 3, UNIT_ACTIONS = 3, LATE = 4 };

// those with "keys " before their spec have keys
static const char *unit_spec(const thing *it, bool *keys)
{
    *keys = strncmp(it->spec, "keys ", 5) == 0;
    return it->spec + (*keys ? 5 : 0);
}

static void make_units(thing *it)
{
    bool keys;
    const char *spec = unit_spec(it, &keys);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = keys ? 0 : UNIT_STATES;
    config.problem.actions = UNIT_ACTIONS;
    config.problem.horizon = HORIZON;
    config.seed = SEED;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    set.patience = 2 * LATE;
    set.keys.state_limit = keys ? UNIT_STATES : 0;
    lgkt_error error = {0};
    assert_ok(lgkt_units_create(spec, &config, &set, &it->units, &error), error);
}

static lgkt_status load_units(thing *it, const void *bytes, size_t size, lgkt_error *error)
{
    const lgkt_learner_config config = lgkt_learner_config_default();
    return lgkt_units_load(bytes, size, &config, &it->units, error);
}

// units take turns, and rewards come late or, every seventh, never
static void play_units(thing *it, int64_t steps)
{
    bool keys;
    unit_spec(it, &keys);
    const int64_t first = lgkt_units_decisions(it->units);
    for (int64_t t = first; t < first + steps; t++) {
        const uint64_t unit = (uint64_t)(t % UNITS);
        const int32_t state = (int32_t)(t / UNITS * 7 + t) % UNIT_STATES;
        int64_t decision;
        int32_t action;
        const lgkt_status status =
            keys ? lgkt_units_act_key(it->units, unit, "abc", (size_t)state, NULL, &decision,
                                      &action)
                 : lgkt_units_act(it->units, unit, state, NULL, &decision, &action);
        assert_int_equal(status, LGKT_OK);
        note(it, action);
        if (t >= LATE && (t - LATE) % 7 != 0)
            assert_int_equal(lgkt_units_reward(it->units, t - LATE, (double)(t * 37 % 11) / 11),
                             LGKT_OK);
    }
}

static lgkt_status save_units(const thing *it, void *bytes, size_t capacity, size_t *size)
{
    return lgkt_units_save(it->units, bytes, capacity, size, NULL);
}

// ---- trajectories ----

static void make_env(thing *it)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = SEED;
    it->env = env_run_make(it->spec, &config);
}

static void make_trajectory(thing *it)
{
    make_env(it);
    it->run = env_run_start(it->env, HORIZON, SEED);
}

static lgkt_status load_trajectory(thing *it, const void *bytes, size_t size, lgkt_error *error)
{
    make_env(it);
    return lgkt_trajectory_load(it->env, bytes, size, NULL, &it->run, error);
}

static void play_trajectory(thing *it, int64_t steps)
{
    const int32_t actions = lgkt_env_problem(it->env, HORIZON).actions;
    for (int64_t t = 0; t < steps; t++) {
        const int32_t action = (int32_t)(lgkt_trajectory_time(it->run) * 5 % 7) % actions;
        const lgkt_step step = env_run_play(it->run, env_run_allowed(it->env, it->run, action));
        note(it, step.state);
        it->played = lgkt_hash_f64(it->played, step.reward);
    }
}

static lgkt_status save_trajectory(const thing *it, void *bytes, size_t capacity, size_t *size)
{
    return lgkt_trajectory_save(it->run, bytes, capacity, size, NULL);
}

// ---- all kinds ----

static const kind kinds[] = {
    {"learner", make_learner, load_learner, play_learner, save_learner},
    {"keyed", make_keyed, load_keyed, play_keyed, save_keyed},
    {"units", make_units, load_units, play_units, save_units},
    {"trajectory", make_trajectory, load_trajectory, play_trajectory, save_trajectory},
};

static const kind *kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    fail_msg("no kind of state is called %s", name);
    return NULL;
}

static void release(thing *it)
{
    lgkt_learner_destroy(it->learner);
    lgkt_keyed_destroy(it->keyed);
    lgkt_units_destroy(it->units);
    lgkt_trajectory_destroy(it->run);
    lgkt_env_destroy(it->env);
}

// ---- recording ----

// besides every learner by its name
static const char *const recorded[][2] = {
    {"learner", "lg2t:profile=paper"},
    {"learner", "lg2t:profile=paper,sampler-scope=shared"},
    {"learner", "lg2t:profile=practical,sampler=(anytime:of=ucb)"},
    {"learner", "lg1-2t:cutoff=250,profile=paper,phases=linked"},
    {"learner", "lg1t-i:max-raises=8,profile=paper"},
    {"learner", "lgkt:k=3,sampler=(lgkt:k=2,sampler=ucb)"},
    {"learner", "lg1t-rl:cutoff=250,rl=ucrl2,first=auto"},
    {"learner", "anytime:of=(lg1t-rl:rl=psrl)"},
    {"learner", "window:of=(lg2t:threshold=0.5),steps=40"},
    {"keyed", "lg1t"},
    {"keyed", "auto"},
    {"keyed", "plugin"},
    {"keyed", "psrl"},
    {"keyed", "anytime:of=lg2t"},
    {"keyed", "window:of=auto,steps=60"},
    {"units", "lg2t"},
    {"units", "auto"},
    {"units", "sarsa"},
    {"units", "anytime:of=lg2t"},
    {"units", "keys lg1t"},
    {"units", "keys lg1-2t:cutoff=250"},
    {"trajectory", "riverswim"},
    {"trajectory", "linear-gap:sd=1"},
    {"trajectory", "frozenlake:map=SFS/FHG"},
    {"trajectory", "synthetic:states=6,actions=3"},
    {"trajectory", "scaled:by=2,of=riverswim"},
    {"trajectory", "merged:of=riverswim"},
    {"trajectory", "changing:before=riverswim,after=(riverswim:variant=printed),at=350"},
    {"trajectory", "trading"},
    {"trajectory", "cartpole"},
    {"trajectory", "stock"},
    {"trajectory", "programme"},
};

static void *saved(const kind *k, const thing *it, size_t *size)
{
    k->save(it, NULL, 0, size);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(k->save(it, bytes, *size, size), LGKT_OK);
    return bytes;
}

static void record_one(const char *folder, FILE *index, int number, const char *kind_name,
                       const char *spec, const lgkt_mdp *model)
{
    const kind *k = kind_named(kind_name);
    thing it = {.spec = spec, .model = model};
    k->make(&it);
    k->play(&it, BEFORE);
    size_t size;
    void *bytes = saved(k, &it, &size);
    const int64_t at = it.at;
    it.played = LGKT_HASH_START;
    k->play(&it, AFTER);
    char name[64], path[LINE];
    snprintf(name, sizeof name, "%s-%03d.bin", kind_name, number);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    fprintf(index, "%s,%s,%d,%lld,%016llx,%s\n", kind_name, name, LGKT_NUMBERS, (long long)at,
            (unsigned long long)it.played, spec);
    free(bytes);
    release(&it);
}

void tag_states_record(const char *folder)
{
    void *model = NULL;
    char path[LINE];
    snprintf(path, sizeof path, "%s/index.csv", folder);
    FILE *index = fopen(path, "w");
    assert_non_null(index);
    fprintf(index, "kind,file,numbers,at,played,spec\n");
    assert_int_equal(learner_run_setup(&model), 0);
    int number = 0;
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++)
        if (lgkt_learner_entry(i)->traits & LGKT_TRAIT_STATES)
            record_one(folder, index, ++number, "learner", lgkt_learner_entry(i)->name, model);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        record_one(folder, index, ++number, recorded[i][0], recorded[i][1], model);
    learner_run_teardown(&model);
    assert_int_equal(fclose(index), 0);
}

// ---- checking ----

static void *read_all(const char *folder, const char *name, size_t *size)
{
    char path[LINE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is missing", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

// The states of auto from 0.1.0 were retired, also within other learners.
static bool is_old_auto(lgkt_status status, const lgkt_error *error)
{
    return status == LGKT_ERR_FORMAT && strstr(error->text, "with 0.1.x") != NULL &&
           strstr(error->text, "auto") != NULL;
}

static const lgkt_learner *learner_in(const thing *it)
{
    return it->units != NULL   ? lgkt_units_learner(it->units)
           : it->keyed != NULL ? lgkt_keyed_learner(it->keyed)
                               : it->learner;
}

int tag_states_check(const char *folder, void (*look)(const lgkt_learner *learner))
{
    void *model = NULL;
    char line[LINE];
    snprintf(line, sizeof line, "%s/index.csv", folder);
    FILE *index = fopen(line, "r");
    if (index == NULL)
        fail_msg("%s is missing", line);
    assert_int_equal(learner_run_setup(&model), 0);
    int count = 0;
    assert_non_null(fgets(line, sizeof line, index)); // the header
    while (fgets(line, sizeof line, index) != NULL) {
        char kind_name[32], name[64];
        int spec_at = 0;
        long long at;
        unsigned long long played;
        assert_int_equal(sscanf(line, "%31[^,],%63[^,],%*d,%lld,%llx,%n", kind_name, name, &at,
                                &played, &spec_at),
                         4);
        line[strcspn(line, "\n")] = '\0';
        const kind *k = kind_named(kind_name);
        thing it = {.spec = line + spec_at, .model = model, .at = at};
        size_t size;
        void *bytes = read_all(folder, name, &size);
        lgkt_error error = {0};
        const lgkt_status status = k->load(&it, bytes, size, &error);
        if (is_old_auto(status, &error)) {
            free(bytes);
            release(&it);
            continue;
        }
        assert_ok(status, error);
        if (look != NULL && learner_in(&it) != NULL)
            look(learner_in(&it));
        it.played = LGKT_HASH_START;
        k->play(&it, AFTER);
        count++;
        // numbers 2 changed nothing but auto
        if (it.played != played)
            fail_msg("%s, %s %s: goes on differently", name, kind_name, it.spec);
        free(bytes);
        release(&it);
    }
    learner_run_teardown(&model);
    fclose(index);
    return count;
}
