// SPDX-License-Identifier: MIT
// portable run STEPS | save FOLDER STEPS | load FOLDER STEPS: every learner in every environment
// for so many steps, with what must be the same on every machine: hashes of the learner, of its
// saved bytes and of those of the run, of all actions and rewards, and the bits of the sum of
// rewards.
//
// `save` writes each learner and run into the folder half way and goes on; `load` takes them from
// there, perhaps on another machine, and goes on. All three print the same lines. Only the public
// headers and the C library are used.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lgkt/lgkt.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define SEED       7

typedef struct setup {
    const char *mode, *folder;
    int64_t steps;
    const lgkt_mdp *model; // of the environment "model"
    int number, failed;
} setup;

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    for (int i = 0; i < 8; i++, word >>= 8)
        hash = (hash ^ (word & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- what a run consists of ----

typedef struct run {
    lgkt_learner *learner;
    lgkt_trajectory *path;
    uint64_t played; // hash of all actions and rewards
    double sum;      // of rewards
} run;

static int play(const lgkt_env *env, run *r, int64_t steps)
{
    while (lgkt_trajectory_time(r->path) < steps) {
        int32_t action;
        lgkt_step step;
        const int32_t state = lgkt_trajectory_state(r->path);
        if (lgkt_learner_act(r->learner, state, lgkt_env_allowed(env, state), &action) != LGKT_OK ||
            lgkt_trajectory_step(r->path, action, &step) != LGKT_OK ||
            lgkt_learner_observe(r->learner, step.reward, step.state, step.ended) != LGKT_OK)
            return 1;
        r->played = hash_word(hash_word(r->played, (uint64_t)action), bits_of(step.reward));
        r->sum += step.reward;
    }
    return 0;
}

// The saved bytes of both, one after the other; the caller frees them.
static unsigned char *save(const run *r, size_t *learner_size, size_t *path_size)
{
    lgkt_learner_save(r->learner, NULL, 0, learner_size, NULL);
    lgkt_trajectory_save(r->path, NULL, 0, path_size, NULL);
    unsigned char *bytes = malloc(*learner_size + *path_size);
    if (bytes != NULL &&
        (lgkt_learner_save(r->learner, bytes, *learner_size, learner_size, NULL) != LGKT_OK ||
         lgkt_trajectory_save(r->path, bytes + *learner_size, *path_size, path_size, NULL) !=
             LGKT_OK)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

// ---- half way ----

static FILE *open_half(const setup *s, const char *mode)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%d", s->folder, s->number);
    return fopen(name, mode);
}

// The sizes in decimal, what was played so far, and the bytes.
static int write_half(const setup *s, const run *r)
{
    size_t sizes[2];
    unsigned char *bytes = save(r, &sizes[0], &sizes[1]);
    FILE *file = bytes != NULL ? open_half(s, "wb") : NULL;
    int failed = file == NULL;
    if (file != NULL) {
        fprintf(file, "%zu %zu %llu %llu\n", sizes[0], sizes[1], (unsigned long long)r->played,
                (unsigned long long)bits_of(r->sum));
        failed = fwrite(bytes, 1, sizes[0] + sizes[1], file) != sizes[0] + sizes[1];
        failed |= fclose(file) != 0;
    }
    free(bytes);
    return failed;
}

// Puts what was saved in the place of learner and run.
static int read_half(const setup *s, const lgkt_env *env, const lgkt_learner_config *config, run *r,
                     lgkt_error *error)
{
    size_t sizes[2];
    unsigned long long played, sum;
    unsigned char *bytes = NULL;
    run next = {0};
    FILE *file = open_half(s, "rb");
    int failed = 1;
    if (file == NULL ||
        fscanf(file, "%zu %zu %llu %llu", &sizes[0], &sizes[1], &played, &sum) != 4 ||
        fgetc(file) != '\n' || (bytes = malloc(sizes[0] + sizes[1])) == NULL ||
        fread(bytes, 1, sizes[0] + sizes[1], file) != sizes[0] + sizes[1])
        goto done;
    if (lgkt_learner_load(bytes, sizes[0], config, &next.learner, error) != LGKT_OK ||
        lgkt_trajectory_load(env, bytes + sizes[0], sizes[1], NULL, &next.path, error) != LGKT_OK)
        goto done;
    next.played = played;
    const uint64_t bits = sum;
    memcpy(&next.sum, &bits, sizeof bits);
    lgkt_learner_destroy(r->learner);
    lgkt_trajectory_destroy(r->path);
    *r = next;
    next = (run){0};
    failed = 0;
done:
    lgkt_learner_destroy(next.learner);
    lgkt_trajectory_destroy(next.path);
    free(bytes);
    if (file != NULL)
        fclose(file);
    return failed;
}

// ---- all runs ----

static void report(const char *env_name, const char *name, const run *r)
{
    size_t sizes[2];
    unsigned char *bytes = save(r, &sizes[0], &sizes[1]);
    if (bytes == NULL)
        return;
    printf("%s %s learner %016llx %016llx run %016llx played %016llx sum %016llx\n", env_name, name,
           (unsigned long long)lgkt_learner_hash(r->learner),
           (unsigned long long)hash_bytes(HASH_START, bytes, sizes[0]),
           (unsigned long long)hash_bytes(HASH_START, bytes + sizes[0], sizes[1]),
           (unsigned long long)r->played, (unsigned long long)bits_of(r->sum));
    free(bytes);
}

static void run_one(setup *s, const lgkt_env *env, const char *env_name, const char *name)
{
    lgkt_error error = {0};
    run r = {.played = HASH_START};
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, s->steps);
    config.seed = SEED;
    s->number++;
    int failed = 1;
    if (lgkt_learner_create(name, &config, &r.learner, &error) != LGKT_OK) {
        // an oracle where there is no model; the same everywhere, too
        printf("%s %s refused: %s\n", env_name, name, error.text);
        return;
    }
    if (lgkt_trajectory_create(env, s->steps, SEED, 0, NULL, &r.path, &error) != LGKT_OK)
        goto done;
    if (s->mode[0] == 'l')
        failed = read_half(s, env, &config, &r, &error);
    else
        failed = play(env, &r, s->steps / 2) || (s->mode[0] == 's' && write_half(s, &r));
    failed = failed || play(env, &r, s->steps);
    if (!failed)
        report(env_name, name, &r);
done:
    if (failed)
        printf("%s %s FAILED: %s\n", env_name, name, error.text);
    s->failed += failed;
    lgkt_learner_destroy(r.learner);
    lgkt_trajectory_destroy(r.path);
}

// A model with rows of all sizes, for the environment that needs one. Its numbers are exact, so
// that they are the same with whatever flags this file is compiled.
static lgkt_mdp *make_model(void)
{
    enum { STATES = 7, ACTIONS = 3 };
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_rng rng = lgkt_rng_stream(SEED, "portable", 0);
    if (lgkt_mdp_builder_create(STATES, ACTIONS, NULL, &builder, NULL) != LGKT_OK)
        return NULL;
    for (int32_t s = 0; s < STATES; s++) {
        for (int32_t a = 0; a < ACTIONS; a++) {
            double row[STATES] = {0};
            int32_t left = 64;
            for (int32_t i = 0; i < STATES; i++) {
                const int32_t part = lgkt_rng_bernoulli(&rng, 0.5) ? lgkt_rng_below(&rng, left) : 0;
                row[i] = part / 64.0;
                left -= part;
            }
            row[s] += left / 64.0;
            lgkt_mdp_builder_row(builder, s, a, row);
            lgkt_mdp_builder_reward(builder, s, a, lgkt_rng_normal(&rng));
        }
    }
    lgkt_mdp_builder_start(builder, 0);
    lgkt_mdp_builder_noise(builder, LGKT_NOISE_NORMAL, 0.3);
    lgkt_mdp_builder_build(builder, &model, NULL);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

static void run_all(setup *s)
{
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        const char *env_name = lgkt_env_entry(i)->name;
        lgkt_error error = {0};
        lgkt_env *env = NULL;
        lgkt_env_config config = lgkt_env_config_default();
        config.seed = SEED;
        if (lgkt_env_entry(i)->data == LGKT_DATA_MODEL)
            config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = s->model};
        if (lgkt_env_create(env_name, &config, &env, &error) != LGKT_OK) {
            printf("%s FAILED: %s\n", env_name, error.text);
            s->failed++;
            continue;
        }
        for (int32_t j = 0; lgkt_learner_entry(j) != NULL; j++)
            if (lgkt_learner_entry(j)->traits & LGKT_TRAIT_STATES)
                run_one(s, env, env_name, lgkt_learner_entry(j)->name);
        lgkt_env_destroy(env);
    }
}

int main(int argc, char **argv)
{
    const int with_folder = argc == 4 && (!strcmp(argv[1], "save") || !strcmp(argv[1], "load"));
    if (!with_folder && !(argc == 3 && strcmp(argv[1], "run") == 0)) {
        fprintf(stderr, "usage: portable run STEPS | save FOLDER STEPS | load FOLDER STEPS\n");
        return 2;
    }
    lgkt_mdp *model = make_model();
    setup s = {.mode = argv[1],
               .folder = with_folder ? argv[2] : NULL,
               .steps = strtoll(argv[argc - 1], NULL, 10),
               .model = model};
    run_all(&s);
    lgkt_mdp_destroy(model);
    return s.failed > 0 || model == NULL;
}
