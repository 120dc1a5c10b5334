// SPDX-License-Identifier: MIT
// soak STEPS [SPEC..]: every learner (or those named) for STEPS steps in all, spread over a few
// environments, with cuts at random.
//
// Two learners of the same seed play side by side. At every step their actions exist and agree; now
// and then their hashes agree, their counters are sane, and one of them is replaced by what its own
// saved bytes make. The run after that is the proof that nothing was lost. Prints a line per
// learner; the first violation ends the program.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lgkt/lgkt.h"

#define CUTS 0.001 // share of the steps after which the process is cut

enum { HASH_EVERY = 4001, SAVE_EVERY = 9001, MAX_COUNTERS = 16 };

static const char *const environments[] = {
    "synthetic:states=6,actions=4",
    "riverswim:states=8,noise=drifting",
    "frozenlake",
    "trading:window=5",
};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

// what the names alone do not reach
static const char *const variants[] = {
    "lg2t:profile=paper",
    "lg2t:profile=practical",
    "lgkt:k=4",
    "lgkt:k=2,sampler-scope=per-pair",
    "auto:depth=3,visits=1,refresh=1",
    "auto:reward-min=0,reward-max=3,sweep=1",
    "plugin:k=5",
};

// ---- checks ----

static const char *playing = ""; // who is at it, for messages

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: does not hold: %s\n", __FILE__, __LINE__, playing,         \
                    #condition);                                                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void check_ok(lgkt_status status, const char *text)
{
    if (status == LGKT_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", playing, lgkt_status_name(status), text);
    exit(1);
}

static void check_counters(const lgkt_learner *learner)
{
    lgkt_counter counters[MAX_COUNTERS];
    const int32_t count = lgkt_learner_counters(learner, counters, MAX_COUNTERS);
    for (int32_t i = 0; i < count && i < MAX_COUNTERS; i++)
        CHECK(counters[i].name != NULL && counters[i].value >= 0);
}

// ---- one pair of learners ----

typedef struct pair {
    lgkt_learner *one, *two;
    lgkt_learner_config config;
    lgkt_trajectory *run;
    lgkt_rng cuts;
    int32_t state;
} pair;

// `two` from the bytes of `one`
static void replace(pair *p)
{
    size_t size = 0;
    lgkt_error error = {0};
    lgkt_learner_save(p->one, NULL, 0, &size, NULL);
    void *bytes = malloc(size);
    CHECK(bytes != NULL);
    check_ok(lgkt_learner_save(p->one, bytes, size, &size, NULL), "save");
    lgkt_learner_destroy(p->two);
    check_ok(lgkt_learner_load(bytes, size, &p->config, &p->two, &error), error.text);
    free(bytes);
}

static void check_pair(pair *p, int64_t t)
{
    if (t % HASH_EVERY != 0 && t % SAVE_EVERY != 0)
        return;
    CHECK(lgkt_learner_hash(p->one) == lgkt_learner_hash(p->two));
    CHECK(lgkt_learner_time(p->one) == t);
    check_counters(p->one);
    if (t % SAVE_EVERY == 0)
        replace(p);
}

static void play_one(pair *p)
{
    int32_t one = -1, two = -1;
    lgkt_step step;
    check_ok(lgkt_learner_act(p->one, p->state, NULL, &one), lgkt_learner_message(p->one));
    check_ok(lgkt_learner_act(p->two, p->state, NULL, &two), lgkt_learner_message(p->two));
    CHECK(one == two && one >= 0 && one < p->config.problem.actions);
    check_ok(lgkt_trajectory_step(p->run, one, &step), lgkt_trajectory_message(p->run));
    CHECK(isfinite(step.reward) && step.state >= 0 && step.state < p->config.problem.states);
    const bool ended = step.ended || lgkt_rng_bernoulli(&p->cuts, CUTS);
    check_ok(lgkt_learner_observe(p->one, step.reward, step.state, ended),
             lgkt_learner_message(p->one));
    check_ok(lgkt_learner_observe(p->two, step.reward, step.state, ended),
             lgkt_learner_message(p->two));
    p->state = step.state;
}

// False where the learner cannot be: an oracle without a model.
static bool open_pair(pair *p, const char *spec, const lgkt_env *env, int64_t steps)
{
    lgkt_error error = {0};
    p->config = lgkt_learner_config_default();
    p->config.problem = lgkt_env_problem(env, steps);
    p->cuts = lgkt_rng_stream(1, "cuts", 0);
    const lgkt_status status = lgkt_learner_create(spec, &p->config, &p->one, &error);
    if (status == LGKT_ERR_CONFIG && p->config.problem.model == NULL)
        return false;
    check_ok(status, error.text);
    p->config.like = p->one;
    check_ok(lgkt_learner_create(spec, &p->config, &p->two, &error), error.text);
    check_ok(lgkt_trajectory_create(env, steps, 1, 0, NULL, &p->run, &error), error.text);
    p->state = lgkt_trajectory_state(p->run);
    return true;
}

// Returns the steps played.
static int64_t soak_in(const char *spec, const char *env_spec, int64_t steps)
{
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    pair p = {0};
    check_ok(lgkt_env_create(env_spec, NULL, &env, &error), error.text);
    const bool opened = open_pair(&p, spec, env, steps);
    for (int64_t t = 0; opened && t < steps; t++) {
        check_pair(&p, t);
        play_one(&p);
    }
    if (opened)
        CHECK(lgkt_learner_hash(p.one) == lgkt_learner_hash(p.two));
    lgkt_trajectory_destroy(p.run);
    lgkt_learner_destroy(p.two);
    lgkt_learner_destroy(p.one);
    lgkt_env_destroy(env);
    return opened ? steps : 0;
}

// ---- all ----

static void soak(const char *spec, int64_t steps)
{
    const clock_t begin = clock();
    int64_t played = 0;
    playing = spec;
    for (int i = 0; i < ENVIRONMENTS; i++)
        played += soak_in(spec, environments[i], steps / ENVIRONMENTS);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%-36s %12" PRId64 " steps %10.2f s\n", spec, played, seconds);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const long long steps = argc > 1 ? atoll(argv[1]) : 0;
    if (steps < ENVIRONMENTS) {
        fprintf(stderr, "usage: soak STEPS [SPEC..]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        soak(argv[i], steps);
    for (int32_t i = 0; argc == 2 && lgkt_learner_entry(i) != NULL; i++)
        if (lgkt_learner_entry(i)->traits & LGKT_TRAIT_STATES)
            soak(lgkt_learner_entry(i)->name, steps);
    for (size_t i = 0; argc == 2 && i < sizeof variants / sizeof *variants; i++)
        soak(variants[i], steps);
    return 0;
}
