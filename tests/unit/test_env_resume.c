// SPDX-License-Identifier: MIT
// Saving a trajectory at any step and going on, for every environment; and bytes that are damaged,
// foreign or made up.

#include "test.h"

#include <stdlib.h>

#include "core/hash.h"
#include "env/trading.h"
#include "ref/env_run.h"
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/tamper.h"

enum { STEPS = 300, ROOM = 512, PRICES = 40 };

// what a spec cannot say of an environment
typedef struct world {
    const char *spec;
    lgkt_noise noise; // for `model`
    double prices;    // for `trading`: scale of the prices, 0: none given
    uint64_t seed, instance;
} world;

// every environment, and each row differs from all others in something that a step depends on
static const world WORLDS[] = {
    {"synthetic", 0, 0, 0, 0},
    {"synthetic", 0, 0, 1, 0},
    {"synthetic", 0, 0, 0, 1},
    {"synthetic:sd=0", 0, 0, 0, 0},
    {"synthetic:states=30,actions=2,concentration=1", 0, 0, 0, 0},
    {"synthetic:noise=drifting", 0, 0, 0, 0},
    {"synthetic:frozen=1", 0, 0, 0, 0},
    {"synthetic:rewards=tenths", 0, 0, 0, 0},
    {"synthetic:rows=uniform", 0, 0, 0, 0},
    {"riverswim", 0, 0, 0, 0},
    {"riverswim:states=12", 0, 0, 0, 0},
    {"riverswim:variant=printed", 0, 0, 0, 0},
    {"riverswim:noise=drifting", 0, 0, 0, 0},
    {"gap", 0, 0, 0, 0},
    {"linear-gap", 0, 0, 0, 0},
    {"linear-gap:k=5", 0, 0, 0, 0},
    {"linear-gap:sd=1", 0, 0, 0, 0},
    {"frozenlake", 0, 0, 0, 0},
    {"frozenlake:map=8x8", 0, 0, 0, 0},
    {"frozenlake:map=SFS/FHG", 0, 0, 0, 0},
    {"frozenlake:map=SF/SF/HG", 0, 0, 0, 0},
    {"frozenlake:map=SFS/FHG,return-step=1", 0, 0, 0, 0},
    {"frozenlake:slippery=0", 0, 0, 0, 0},
    {"frozenlake:success-rate=0.8", 0, 0, 0, 0},
    {"frozenlake:return-step=1", 0, 0, 0, 0},
    {"frozenlake:return=tile", 0, 0, 0, 0},
    {"frozenlake:map=SFS/FHG,return=tile", 0, 0, 0, 0},
    {"frozenlake:reward-hole=-1", 0, 0, 0, 0},
    {"frozenlake:reward-frozen=0", 0, 0, 0, 0},
    {"taxi", 0, 0, 0, 0},
    {"taxi:stay=1", 0, 0, 0, 0},
    {"cliffwalking", 0, 0, 0, 0},
    {"cliffwalking:slippery=1", 0, 0, 0, 0},
    {"fourrooms", 0, 0, 0, 0},
    {"fourrooms:slip=0", 0, 0, 0, 0},
    {"maze", 0, 0, 0, 0},
    {"maze:map=S.G/.#./...", 0, 0, 0, 0},
    {"maze:map=S.G/.#./...,reward-goal=2", 0, 0, 0, 0},
    {"garnet:seed=1", 0, 0, 0, 0},
    {"garnet:branches=8,seed=1", 0, 0, 0, 0},
    {"inventory:capacity=4", 0, 0, 0, 0},
    {"inventory:capacity=4,demand=6", 0, 0, 0, 0},
    {"inventory:capacity=4,price=9", 0, 0, 0, 0},
    {"admission:capacity=5", 0, 0, 0, 0},
    {"admission:capacity=5,fee=6", 0, 0, 0, 0},
    {"replacement", 0, 0, 0, 0},
    {"replacement:wear=0.4", 0, 0, 0, 0},
    {"garnet", 0, 0, 0, 0},
    {"garnet", 0, 0, 1, 0},
    {"trading", 0, 0, 0, 0},
    {"trading", 0, 0, 1, 0},
    {"trading:frame-hi=40", 0, 0, 0, 0},
    {"trading:frame-hi=40,side=left", 0, 0, 0, 0},
    {"trading:frame-hi=40,numpy2=1", 0, 0, 0, 0},
    {"trading:frame-hi=40,side=left,numpy2=1", 0, 0, 0, 0},
    {"trading:frame-hi=40,window=1,frame-lo=1", 0, 0, 0, 0},
    {"trading:window=2,frame-lo=3,frame-hi=5", 0, 0, 0, 0},
    {"trading:frame-hi=40,cut=kept", 0, 0, 0, 0},
    {"trading:window=2,frame-lo=3,frame-hi=5,cut=kept", 0, 0, 0, 0},
    {"trading:window=3,frame-lo=5,frame-hi=40", 0, 1, 0, 0},
    {"trading:window=3,frame-lo=5,frame-hi=40,side=left", 0, 2, 0, 0},
    // from one to the next price by factors that no profit survives
    {"trading:window=3,frame-lo=5,frame-hi=40", 0, 1e-30, 0, 0},
    {"trading:window=3,frame-lo=5,frame-hi=40,side=left,numpy2=1", 0, 1e-30, 0, 0},
    {"model", LGKT_NOISE_NONE, 0, 0, 0},
    {"model", LGKT_NOISE_NORMAL, 0, 0, 0},
    {"model", LGKT_NOISE_BERNOULLI, 0, 0, 0},
    {"model", LGKT_NOISE_DRIFTING, 0, 0, 0},
    {"model", LGKT_NOISE_MIXED, 0, 0, 0},
    {"scaled:by=2,of=model", LGKT_NOISE_MIXED, 0, 0, 0},
    {"scaled", 0, 0, 0, 0},
    {"scaled:by=2", 0, 0, 0, 0},
    {"scaled:shift=2", 0, 0, 0, 0},
    {"scaled:by=2,of=(riverswim:noise=drifting)", 0, 0, 0, 0},
    {"scaled:of=(synthetic:frozen=1)", 0, 0, 0, 0},
    {"scaled:of=(trading:frame-hi=40)", 0, 0, 0, 0},
    {"scaled:of=(trading:frame-hi=40,cut=kept)", 0, 0, 0, 0},
    {"scaled:of=(frozenlake:return=tile)", 0, 0, 0, 0},
    {"riverswim:variant=sl", 0, 0, 0, 0},
    {"riverswim:variant=sl,start=original", 0, 0, 0, 0},
    {"riverswim:variant=sl,reward-on=edge", 0, 0, 0, 0},
    {"riverswim:variant=osband", 0, 0, 0, 0},
    {"sixarms", 0, 0, 0, 0},
    {"chain", 0, 0, 0, 0},
    {"chain:slip=0.1", 0, 0, 0, 0},
    {"lock", 0, 0, 0, 0},
    {"lock:slip=0.1", 0, 0, 0, 0},
    {"lock:lure=0.2,prize=3,sd=0.5", 0, 0, 0, 0},
    {"deepsea", 0, 0, 0, 0},
    {"deepsea", 0, 0, 0, 1},
    {"deepsea:windy=1", 0, 0, 0, 0},
    {"deepsea:windy=1,sd=1", 0, 0, 0, 0},
    {"merged", 0, 0, 0, 0},
    {"merged:states=2", 0, 0, 0, 0},
    {"merged:states=5", 0, 0, 0, 0},
    {"merged:states=2,of=(riverswim:noise=drifting)", 0, 0, 0, 0},
    {"merged:states=3,of=(synthetic:frozen=1)", 0, 0, 0, 0},
    {"merged:states=4,of=(scaled:by=2,of=(synthetic:frozen=1))", 0, 0, 0, 0},
    {"merged:of=model", LGKT_NOISE_MIXED, 0, 0, 0},
    {"programme", 0, 0, 0, 0},
    {"programme:spread=0", 0, 0, 0, 0},
    {"changing", 0, 0, 0, 0},
    {"changing:at=5", 0, 0, 0, 0},
    {"changing:at=5/9", 0, 0, 0, 0},
    {"changing:at=5,rate=0.01", 0, 0, 0, 0},
    {"changing:jumps=0.1", 0, 0, 0, 0},
    {"changing:jumps=0.1,rate=0.1", 0, 0, 1, 0},
    {"changing:before=(riverswim:noise=drifting),jumps=0.1", 0, 0, 0, 0},
    {"changing:before=(synthetic:frozen=1),after=synthetic,jumps=0.1,rate=0.2", 0, 0, 0, 0},
    {"changing:before=synthetic,after=(scaled:of=(synthetic:frozen=1)),draw=new,at=8", 0, 0, 0, 0},
    {"changing:before=model,after=(admission:capacity=7),at=5", LGKT_NOISE_NORMAL, 0, 0, 0},
    {"cartpole", 0, 0, 0, 0},
    {"cartpole:cut=0", 0, 0, 0, 0},
    {"cartpole:bins=3", 0, 0, 0, 0},
    {"cartpole:view=boxes", 0, 0, 0, 0},
    {"cartpole:view=quantiles", 0, 0, 0, 0},
    {"cartpole:view=quantiles", 0, 0, 1, 0},
    {"cartpole:view=quantiles", 0, 0, 0, 1},
    {"cartpole:view=quantiles,warmup=999", 0, 0, 0, 0},
    {"stock", 0, 0, 0, 0},
    {"stock:view=quantiles", 0, 0, 0, 0},
    {"stock:bins=5", 0, 0, 0, 0},
    {"stock:actions=4", 0, 0, 0, 0},
    {"stock:lot=3", 0, 0, 0, 0},
    {"stock:capacity=21", 0, 0, 0, 0},
    {"stock:mean=4", 0, 0, 0, 0},
    {"stock:spread=0.4", 0, 0, 0, 0},
    {"stock:memory=0.7", 0, 0, 0, 0},
    {"stock:holding=2", 0, 0, 0, 0},
    {"stock:shortage=5", 0, 0, 0, 0},
    {"stock:order=3", 0, 0, 0, 0},
    {"scaled:of=cartpole", 0, 0, 0, 0},
    {"cartpole:friction=0", 0, 0, 0, 0},
    {"cartpole:view=record", 0, 0, 0, 0},
    {"cartpole:view=record,cut=1", 0, 0, 0, 0},
    {"stock:view=record", 0, 0, 0, 0},
    {"trading:frame-hi=40,view=record", 0, 0, 0, 0},
    {"mountaincar", 0, 0, 0, 0},
    {"mountaincar:view=grid", 0, 0, 0, 0},
    {"pendulum", 0, 0, 0, 0},
    {"acrobot", 0, 0, 0, 0},
    {"store", 0, 0, 0, 0},
    {"glucose", 0, 0, 0, 0},
    {"glucose", 0, 0, 1, 0},
    {"glucose:view=quantiles,bins=2", 0, 0, 0, 0},
    {"contextual", 0, 0, 0, 0},
    {"contextual", 0, 0, 0, 1},
    {"contextual:form=curved", 0, 0, 0, 0},
    {"contextual:sd=0", 0, 0, 0, 0},
    {"contextual:features=7", 0, 0, 0, 0},
    {"contextual:features=7,categories=3", 0, 0, 0, 0},
    {"noisy", 0, 0, 0, 0},
    {"noisy:features=4", 0, 0, 0, 0},
    {"noisy:features=1,view=grid", 0, 0, 0, 0},
    {"noisy:of=(trading:frame-hi=40,view=record)", 0, 0, 0, 0},
};
enum { WORLD_COUNT = sizeof WORLDS / sizeof *WORLDS };

// ---- making and playing ----

// eight states in a ring, with rows of eight successors and a start anywhere
static lgkt_mdp *ring(lgkt_noise noise)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    double row[8], start[8];
    assert_ok(lgkt_mdp_builder_create(8, 2, NULL, &builder, &error), error);
    for (int32_t s = 0; s < 8; s++) {
        start[s] = 0.125;
        for (int32_t a = 0; a < 2; a++) {
            for (int32_t y = 0; y < 8; y++)
                row[y] = y == (s + 1 + a) % 8 ? 0.65 : 0.05;
            assert_int_equal(lgkt_mdp_builder_row(builder, s, a, row), LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, 0.1 * (s + a)), LGKT_OK);
        }
    }
    assert_int_equal(lgkt_mdp_builder_start_law(builder, start), LGKT_OK);
    const double sd = noise == LGKT_NOISE_NORMAL ? 0.5 : 0;
    assert_int_equal(lgkt_mdp_builder_noise(builder, noise, sd), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

static lgkt_env *make_with(const world *w, const lgkt_allocator *allocator, double nudge)
{
    lgkt_env_config config = lgkt_env_config_default();
    double prices[PRICES];
    config.seed = w->seed;
    config.instance = w->instance;
    config.allocator = *allocator;
    for (int i = 0; i < PRICES; i++)
        prices[i] = w->prices * (1 + 0.01 * (i * i % 7)) * (w->prices < 1 && i % 2 ? 1e55 : 1);
    prices[20] += nudge;
    lgkt_mdp *model = strstr(w->spec, "model") == NULL ? NULL
                      : w->noise == LGKT_NOISE_MIXED   ? model_own()
                                                       : ring(w->noise);
    config.data = env_run_data(w->spec, model, w->prices > 0 ? prices : NULL, PRICES);
    lgkt_env *env = env_run_make(w->spec, &config);
    lgkt_mdp_destroy(model);
    return env;
}

static lgkt_env *make(const world *w)
{
    return make_with(w, &(lgkt_allocator){0}, 0);
}

static int32_t action_at(const lgkt_env *env, int64_t t)
{
    return (int32_t)((t * t + t / 7) % lgkt_env_problem(env, 1).actions);
}

static lgkt_step play_one(const lgkt_env *env, lgkt_trajectory *run)
{
    return env_run_play(run, env_run_allowed(env, run, action_at(env, lgkt_trajectory_time(run))));
}

static size_t save(const lgkt_trajectory *run, unsigned char bytes[ROOM])
{
    size_t size = 0, needed = 0;
    assert_int_equal(lgkt_trajectory_save(run, NULL, 0, &needed, NULL), LGKT_ERR_SHAPE);
    assert_int_equal(lgkt_trajectory_save(run, bytes, ROOM, &size, NULL), LGKT_OK);
    assert_int_equal(size, needed);
    return size;
}

static lgkt_trajectory *load(const lgkt_env *env, const unsigned char *bytes, size_t size)
{
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_trajectory_load(env, bytes, size, NULL, &run, &error), error);
    return run;
}

// ---- resuming ----

static void test_every_environment_is_here(void **state)
{
    (void)state;
    const char *specs[WORLD_COUNT];
    for (int w = 0; w < WORLD_COUNT; w++)
        specs[w] = WORLDS[w].spec;
    env_run_check_all_named(specs, WORLD_COUNT);
}

typedef struct record {
    lgkt_step steps[STEPS];
    unsigned char saved[STEPS + 1][ROOM]; // before each step, and at the end
    size_t sizes[STEPS + 1];
} record;

static void make_record(const lgkt_env *env, record *r)
{
    lgkt_trajectory *run = env_run_start(env, STEPS, 5);
    for (int t = 0; t <= STEPS; t++) {
        r->sizes[t] = save(run, r->saved[t]);
        if (t < STEPS)
            r->steps[t] = play_one(env, run);
    }
    lgkt_trajectory_destroy(run);
}

static void check_resumed(const lgkt_env *env, const record *r, int cut)
{
    lgkt_trajectory *run = load(env, r->saved[cut], r->sizes[cut]);
    unsigned char bytes[ROOM];
    assert_int_equal(save(run, bytes), r->sizes[cut]);
    assert_memory_equal(bytes, r->saved[cut], r->sizes[cut]);
    assert_int_equal(lgkt_trajectory_time(run), cut);
    assert_int_equal(lgkt_trajectory_horizon(run), STEPS);
    assert_string_equal(lgkt_trajectory_message(run), "");
    for (int t = cut; t < STEPS; t++) {
        const lgkt_step step = play_one(env, run), *expected = &r->steps[t];
        assert_true(step.reward == expected->reward && step.mean_reward == expected->mean_reward &&
                    step.state == expected->state && step.ended == expected->ended);
    }
    assert_int_equal(save(run, bytes), r->sizes[STEPS]);
    assert_memory_equal(bytes, r->saved[STEPS], r->sizes[STEPS]);
    lgkt_step over;
    assert_int_equal(lgkt_trajectory_step(run, 0, &over), LGKT_ERR_HORIZON);
    lgkt_trajectory_destroy(run);
}

static void test_resume_at_every_step(void **state)
{
    (void)state;
    record *r = malloc(sizeof *r);
    assert_non_null(r);
    for (int w = 0; w < WORLD_COUNT; w++) {
        // saved in one environment, resumed in another one made alike
        lgkt_env *env = make(&WORLDS[w]);
        make_record(env, r);
        lgkt_env_destroy(env);
        env = make(&WORLDS[w]);
        for (int cut = 0; cut <= STEPS; cut += test_short() ? 7 : 1)
            check_resumed(env, r, cut);
        lgkt_env_destroy(env);
    }
    free(r);
}

// what is seen of trading, and its totals, which no step tells
static void test_resume_within_a_pass(void **state)
{
    (void)state;
    lgkt_env *env = make(&(world){"trading:frame-hi=40", 0, 0, 0, 0});
    lgkt_trajectory *run = env_run_start(env, STEPS, 5);
    for (int t = 0; t < STEPS; t++) {
        unsigned char bytes[ROOM];
        lgkt_trajectory *other = load(env, bytes, save(run, bytes));
        size_t size, other_size;
        const void *seen = lgkt_trajectory_observation(run, &size);
        assert_ptr_equal(lgkt_trajectory_observation(other, &other_size), seen);
        assert_int_equal(size, other_size);
        const lgkt_session *a = (const void *)run->self, *b = (const void *)other->self;
        assert_true(a->total_profit == b->total_profit);
        assert_true(a->total_reward == b->total_reward);
        lgkt_trajectory_destroy(other);
        play_one(env, run);
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- foreign bytes ----

static void refuse(const lgkt_env *env, const unsigned char *bytes, size_t size,
                   lgkt_status expected, const char *words)
{
    lgkt_trajectory *const mark = (lgkt_trajectory *)&words;
    lgkt_trajectory *run = mark;
    lgkt_error error = {0};
    assert_refused(lgkt_trajectory_load(env, bytes, size, NULL, &run, &error), expected, error,
                   words);
    assert_ptr_equal(run, mark);
    assert_int_equal(lgkt_trajectory_load(env, bytes, size, NULL, &run, NULL), expected);
}

static void test_foreign_environments_are_refused(void **state)
{
    (void)state;
    lgkt_env *envs[WORLD_COUNT];
    for (int w = 0; w < WORLD_COUNT; w++)
        envs[w] = make(&WORLDS[w]);
    for (int w = 0; w < WORLD_COUNT; w++) {
        unsigned char bytes[ROOM];
        lgkt_trajectory *run = env_run_start(envs[w], STEPS, 5);
        const size_t size = save(run, bytes);
        for (int other = 0; other < WORLD_COUNT; other += test_short() ? 7 : 1) {
            char note[101]; // as much of it as a message has
            snprintf(note, sizeof note, "%.100s", lgkt_env_note(envs[other]));
            if (other != w)
                refuse(envs[other], bytes, size, LGKT_ERR_CONFIG, note);
        }
        lgkt_trajectory_destroy(run);
    }
    for (int w = 0; w < WORLD_COUNT; w++)
        lgkt_env_destroy(envs[w]);
}

// one price that differs in its last bit as a float
static void test_foreign_prices_are_refused(void **state)
{
    (void)state;
    const world w = {"trading:window=3,frame-lo=5,frame-hi=40", 0, 1, 0, 0};
    const lgkt_allocator plain = {0};
    lgkt_env *env = make(&w), *other = make_with(&w, &plain, 0x1p-23),
             *same = make_with(&w, &plain, 0);
    lgkt_trajectory *run = env_run_start(env, STEPS, 5);
    unsigned char bytes[ROOM];
    const size_t size = save(run, bytes);
    refuse(other, bytes, size, LGKT_ERR_CONFIG, "another environment");
    lgkt_trajectory_destroy(load(same, bytes, size));
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    lgkt_env_destroy(other);
    lgkt_env_destroy(same);
}

static void test_a_learner_is_no_trajectory(void **state)
{
    (void)state;
    lgkt_env *env = make(&WORLDS[0]);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, STEPS);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    unsigned char bytes[1024];
    size_t size = 0;
    assert_ok(lgkt_learner_create("random", &config, &learner, &error), error);
    assert_int_equal(lgkt_learner_save(learner, bytes, sizeof bytes, &size, NULL), LGKT_OK);
    refuse(env, bytes, size, LGKT_ERR_FORMAT, "state of a learner, not of a trajectory");
    lgkt_learner_destroy(learner);

    lgkt_trajectory *run = env_run_start(env, STEPS, 5);
    size = save(run, bytes);
    assert_refused(lgkt_learner_load(bytes, size, &config, &learner, &error), LGKT_ERR_FORMAT,
                   error, "state of a trajectory, not of a learner");
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- damage ----

// loads and, if that went well, plays on: everything stays in range
static lgkt_status load_and_play(void *ctx, const unsigned char *bytes, size_t size,
                                 lgkt_error *error)
{
    const lgkt_env *env = ctx;
    const lgkt_problem problem = lgkt_env_problem(env, 1);
    lgkt_trajectory *run = NULL;
    const lgkt_status status = lgkt_trajectory_load(env, bytes, size, NULL, &run, error);
    if (status != LGKT_OK)
        return status;
    size_t seen;
    lgkt_step step = {.state = lgkt_trajectory_state(run)};
    for (int t = 0; t < 60; t++) {
        assert_in_range(step.state, 0, problem.states - 1);
        const unsigned char *window = lgkt_trajectory_observation(run, &seen);
        for (size_t i = 0; i < seen; i++)
            assert_true(window[i] <= 255);
        if (lgkt_trajectory_step(run, t % problem.actions, &step) != LGKT_OK)
            break;
    }
    unsigned char again[ROOM];
    save(run, again);
    lgkt_trajectory_destroy(run);
    return LGKT_OK;
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    for (int w = 0; w < WORLD_COUNT; w += 3) {
        lgkt_env *env = make(&WORLDS[w]);
        lgkt_trajectory *run = env_run_start(env, STEPS, 5);
        for (int t = 0; t < 100; t++)
            play_one(env, run);
        unsigned char bytes[ROOM];
        tamper_check_damage(bytes, save(run, bytes), load_and_play, env);
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// content with a right checksum and wrong values: refused, or a run that goes on
static void test_made_up_content(void **state)
{
    (void)state;
    for (int w = 0; w < WORLD_COUNT; w++) {
        lgkt_env *env = make(&WORLDS[w]);
        lgkt_trajectory *run = env_run_start(env, STEPS, 5);
        for (int t = 0; t < 100; t++)
            play_one(env, run);
        unsigned char bytes[ROOM];
        // every other hash is another environment, and time, state and horizon have bounds
        assert_true(tamper_check_content(bytes, save(run, bytes), load_and_play, env) > 12);
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// the word at this place of the content, of a run of trading
static void check_word(const lgkt_env *env, const lgkt_trajectory *run, size_t word, int64_t value,
                       bool fits)
{
    unsigned char bytes[ROOM];
    const size_t size = save(run, bytes);
    tamper_set_word(bytes, TAMPER_HEAD + 8 * word, (uint64_t)value);
    tamper_seal(bytes, size);
    if (fits)
        lgkt_trajectory_destroy(load(env, bytes, size));
    else
        refuse(env, bytes, size, LGKT_ERR_FORMAT, "out of range");
}

// name (4), hash, numbers, horizon, number of the state, time, state, generator (4), then tick, last, position, totals (2), passed
static void test_indices_have_bounds(void **state)
{
    (void)state;
    enum { HORIZON = 6, TIME = 8, STATE, TICK = 14, LAST, POSITION };
    // windows of 2, ticks 0 .. 3, acted in at 2 only
    lgkt_env *env = make(&(world){"trading:window=2,frame-lo=3,frame-hi=5", 0, 0, 0, 0});
    lgkt_trajectory *run = env_run_start(env, STEPS, 5);
    check_word(env, run, HORIZON, 1, true);
    check_word(env, run, HORIZON, INT64_MAX, true);
    check_word(env, run, HORIZON, 0, false);
    check_word(env, run, HORIZON, -1, false);
    check_word(env, run, TIME, STEPS, true);
    check_word(env, run, TIME, STEPS + 1, false);
    check_word(env, run, TIME, -1, false);
    check_word(env, run, STATE, 1, false);
    check_word(env, run, TICK, 1, false);
    check_word(env, run, TICK, 3, false);
    check_word(env, run, LAST, 0, false);
    check_word(env, run, LAST, 1, true);
    check_word(env, run, LAST, 2, true);
    check_word(env, run, LAST, 3, false);
    check_word(env, run, POSITION, 1, true);
    check_word(env, run, POSITION, 2, false);
    check_word(env, run, POSITION, -1, false);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);

    // a state that is not that of the tick
    env = make(&(world){"trading", 0, 0, 0, 0});
    run = env_run_start(env, STEPS, 5);
    check_word(env, run, STATE, 1, false);
    check_word(env, run, TICK, 11, false);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- arguments and memory ----

static void test_arguments(void **state)
{
    (void)state;
    lgkt_env *env = make(&WORLDS[0]);
    lgkt_trajectory *run = env_run_start(env, STEPS, 5), *made = NULL;
    unsigned char bytes[ROOM];
    const size_t size = save(run, bytes);
    size_t needed = 0;
    lgkt_error error = {0};
    assert_int_equal(lgkt_trajectory_save(NULL, bytes, ROOM, &needed, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_trajectory_save(run, bytes, ROOM, NULL, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_trajectory_save(run, NULL, ROOM, &needed, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_trajectory_save(run, bytes, size - 1, &needed, NULL), LGKT_ERR_SHAPE);
    assert_int_equal(needed, size);
    assert_refused(lgkt_trajectory_load(NULL, bytes, size, NULL, &made, &error), LGKT_ERR_ARGUMENT,
                   error, "needs an environment");
    assert_refused(lgkt_trajectory_load(env, bytes, size, NULL, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "a place to go");
    refuse(env, NULL, size, LGKT_ERR_ARGUMENT, "NULL");
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

typedef struct resuming {
    const lgkt_env *env;
    unsigned char bytes[ROOM];
    size_t size;
} resuming;

static lgkt_status resume_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const resuming *r = ctx;
    lgkt_trajectory *run = NULL;
    const lgkt_status status =
        lgkt_trajectory_load(r->env, r->bytes, r->size, allocator, &run, error);
    lgkt_trajectory_destroy(run);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    for (int w = 0; w < WORLD_COUNT; w++) {
        lgkt_env *env = make(&WORLDS[w]);
        lgkt_trajectory *run = env_run_start(env, STEPS, 5);
        resuming r = {.env = env};
        r.size = save(run, r.bytes);
        assert_int_equal(fault_sweep(resume_once, &r), 1);
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// runs of another version, or of numbers that are not these
static void test_other_versions(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("scaled:by=2,of=riverswim", NULL);
    lgkt_trajectory *run = env_run_start(env, STEPS, 5);
    assert_int_equal(lgkt_trajectory_saved_numbers(run), LGKT_NUMBERS);
    assert_int_equal(lgkt_trajectory_saved_numbers(NULL), 0);
    unsigned char bytes[ROOM];
    const size_t size = save(run, bytes);
    lgkt_trajectory_destroy(run);
    memcpy(bytes + TAMPER_AT_WRITER, "0.9.0", sizeof "0.9.0");
    tamper_set_word(bytes, TAMPER_AT_NUMBERS, 7);
    tamper_seal(bytes, size);
    run = load(env, bytes, size);
    assert_int_equal(lgkt_trajectory_saved_numbers(run), 7);
    unsigned char again[ROOM];
    assert_int_equal(save(run, again), size);
    lgkt_trajectory_destroy(run);
    run = load(env, again, size);
    assert_int_equal(lgkt_trajectory_saved_numbers(run), 7);
    lgkt_trajectory_destroy(run);
    // the number of the class, and that of the one within
    static const size_t at[] = {TAMPER_HEAD + 8 * 7, TAMPER_HEAD + 8 * 14};
    static const char *const names[] = {"scaled", "riverswim"};
    for (int i = 0; i < 2; i++) {
        char words[128];
        snprintf(words, sizeof words, "the state of \"%s\" was saved by lgkt 0.9.0 as number 2",
                 names[i]);
        assert_int_equal(tamper_word(bytes, at[i]), 1);
        tamper_set_word(bytes, at[i], 2);
        tamper_seal(bytes, size);
        refuse(env, bytes, size, LGKT_ERR_FORMAT, words);
        tamper_set_word(bytes, at[i], 1);
    }
    lgkt_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_environment_is_here),
        cmocka_unit_test(test_resume_at_every_step),
        cmocka_unit_test(test_resume_within_a_pass),
        cmocka_unit_test(test_foreign_environments_are_refused),
        cmocka_unit_test(test_foreign_prices_are_refused),
        cmocka_unit_test(test_a_learner_is_no_trajectory),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_made_up_content),
        cmocka_unit_test(test_indices_have_bounds),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_other_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
