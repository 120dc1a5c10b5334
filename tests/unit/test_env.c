// SPDX-License-Identifier: MIT
// What all environments share: the registry, specs and their refusals, the one-way run, common
// noise, and memory.
#include "test.h"

#include "env/env_private.h"
#include "lgkt/io.h"
#include "ref/env_run.h"
#include "ref/fault.h"

// every environment is here
static const char *const SPECS[] = {
    "synthetic",
    "synthetic:noise=drifting,states=30",
    "synthetic:frozen=1",
    "synthetic:states=6,actions=2,rewards=tenths,rows=uniform,sd=0",
    "riverswim",
    "riverswim:noise=drifting",
    "gap",
    "linear-gap",
    "linear-gap:states=2,actions=2,k=1,sd=1",
    "frozenlake",
    "frozenlake:map=SFS/FHG",
    "frozenlake:return=tile",
    "trading:frame-hi=40",
    "trading:frame-hi=40,cut=kept",
    "taxi",
    "taxi:stay=1",
    "cliffwalking",
    "cliffwalking:slippery=1,reward-goal=100",
    "fourrooms",
    "maze",
    "maze:map=S.#/..G,slip=0.1",
    "garnet",
    "garnet:states=20,branches=12,seed=1",
    "inventory",
    "admission",
    "replacement",
    "model",
    "scaled",
    "scaled:by=100,shift=-50,of=(synthetic:noise=drifting)",
    "scaled:by=0.01,of=(trading:frame-hi=40)",
    "scaled:shift=1,of=model",
    "scaled:by=3,of=(trading:frame-hi=12,cut=kept)",
    "scaled:by=3,of=(frozenlake:map=SFS/FHG,return=tile)",
    "riverswim:variant=sl,start=original",
    "riverswim:variant=osband,states=9,reward-on=edge",
    "sixarms",
    "chain",
    "lock",
    "lock:states=4,actions=3,slip=0.1",
    "lock:states=3,actions=2,lure=0.2,prize=2.6,sd=0.5",
    "deepsea",
    "deepsea:size=3,windy=1,sd=1",
    "merged",
    "merged:states=3,of=(synthetic:frozen=1)",
    "merged:states=2,of=(scaled:by=2,of=(deepsea:windy=1,sd=1))",
    "merged:states=1,of=model",
    "programme",
    "changing:before=programme,after=(programme:spread=1),at=20,rate=0.05",
    "changing:at=7/30/31",
    "changing:before=synthetic,after=synthetic,draw=new,at=3,rate=0.02",
    "changing:before=(riverswim:noise=drifting),after=(scaled:by=3,of=riverswim),jumps=0.1",
    "changing:before=(synthetic:frozen=1),after=synthetic,jumps=0.05,rate=0.1",
    "changing:before=model,after=(admission:capacity=2),at=0,rate=0.001",
    "cartpole",
    "cartpole:view=boxes,cut=0",
    "cartpole:view=quantiles,bins=3,warmup=200",
    "stock",
    "stock:view=quantiles,bins=3,actions=2,memory=0",
    "scaled:by=2,of=stock",
    "cartpole:view=record,friction=0",
    "stock:view=record",
    "trading:frame-hi=40,view=record",
    "trading:window=2,frame-hi=15,view=record",
    "mountaincar",
    "mountaincar:view=quantiles,bins=3,warmup=200",
    "pendulum",
    "pendulum:view=grid",
    "acrobot",
    "store",
    "store:view=grid,bins=5",
    "glucose",
    "contextual",
    "contextual:form=curved,features=1,actions=2,categories=3",
    "contextual:form=curved,view=quantiles,bins=2,features=3,categories=2",
    "noisy",
    "noisy:of=(contextual:categories=2),features=1",
    "noisy:of=(trading:frame-hi=40,view=record),features=0,view=grid,bins=3",
    "noisy:of=(scaled:by=2,of=glucose),view=quantiles,bins=2,features=2",
    "scaled:by=2,of=(stock:view=record)",
};
enum { SPEC_COUNT = sizeof SPECS / sizeof SPECS[0] };

// Three states in a ring with Bernoulli rewards.
static lgkt_mdp *ring(void)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_mdp_builder_create(3, 2, NULL, &builder, &error), error);
    for (int32_t s = 0; s < 3; s++) {
        for (int32_t a = 0; a < 2; a++) {
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, (s + 1) % 3, 0.5), LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, s, 0.5), LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, 0.25 * (s + a)), LGKT_OK);
        }
    }
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_BERNOULLI, 0), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

static lgkt_env *make(const char *spec)
{
    lgkt_env_config config = lgkt_env_config_default();
    lgkt_mdp *model = ring();
    config.data = env_run_data(spec, model, NULL, 0);
    lgkt_env *env = env_run_make(spec, &config);
    lgkt_mdp_destroy(model);
    return env;
}

// ---- registry ----

static void test_registry(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "synthetic",  "riverswim",   "gap",      "linear-gap", "frozenlake", "trading",
        "sixarms",    "chain",       "lock",     "deepsea",    "taxi",       "cliffwalking",
        "fourrooms",  "maze",        "garnet",   "inventory",  "admission",  "replacement",
        "model",      "scaled",      "merged",   "changing",   "cartpole",   "stock",
        "programme",  "mountaincar", "pendulum", "acrobot",    "store",      "glucose",
        "contextual", "noisy"};
    enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };
    for (int32_t i = 0; i < NAME_COUNT; i++) {
        const lgkt_entry *entry = lgkt_env_entry(i);
        assert_string_equal(entry->name, NAMES[i]);
        assert_true(strlen(entry->summary) > 10 && entry->source && entry->memory);
        for (int32_t k = 0; k < entry->param_count; k++)
            assert_true(lgkt_entry_param(entry, k)->name && lgkt_entry_param(entry, k)->fallback &&
                        strlen(lgkt_entry_param(entry, k)->help) > 5);
    }
    assert_null(lgkt_env_entry(NAME_COUNT));
    assert_null(lgkt_env_entry(-1));
    env_run_check_all_named(SPECS, SPEC_COUNT);
}

// ---- refusals ----

static void test_bad_specs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        lgkt_status status;
        const char *words;
    } CASES[] = {
        {"sythetic", LGKT_ERR_UNKNOWN_NAME, "synthetic"},
        {"synthetic:", LGKT_ERR_SPEC, ""},
        {"synthetic:depth=3", LGKT_ERR_SPEC, "depth"},
        {"synthetic:states=0", LGKT_ERR_SPEC, "states"},
        {"synthetic:states=1.5", LGKT_ERR_SPEC, "states"},
        {"synthetic:states=99999999999", LGKT_ERR_SPEC, "states"},
        {"synthetic:actions=0", LGKT_ERR_SPEC, "actions"},
        {"synthetic:actions=70000", LGKT_ERR_SPEC, "actions"},
        {"synthetic:states=16777216,actions=65536", LGKT_ERR_SHAPE, "2^28"},
        {"synthetic:states=20000", LGKT_ERR_SHAPE, "states=20000"},
        {"synthetic:concentration=0", LGKT_ERR_SPEC, "concentration"},
        {"synthetic:concentration=nan", LGKT_ERR_SPEC, "concentration"},
        {"synthetic:sd=-1", LGKT_ERR_SPEC, "sd"},
        {"synthetic:sd=inf", LGKT_ERR_SPEC, "sd"},
        {"synthetic:noise=bernoulli", LGKT_ERR_SPEC, "drifting"},
        {"synthetic:frozen=2", LGKT_ERR_SPEC, "frozen"},
        {"synthetic:frozen=1,noise=drifting", LGKT_ERR_SPEC, "noise=normal"},
        {"synthetic:rewards=beta", LGKT_ERR_SPEC, "tenths"},
        {"synthetic:rows=peaked", LGKT_ERR_SPEC, "uniform"},
        {"synthetic:rows=uniform,concentration=1", LGKT_ERR_SPEC, "concentration=1 needs"},
        {"riverswim:states=2", LGKT_ERR_SPEC, "states"},
        {"riverswim:states=100000", LGKT_ERR_SPEC, "states"},
        {"riverswim:variant=other", LGKT_ERR_SPEC, "printed"},
        {"riverswim:noise=normal", LGKT_ERR_SPEC, "bernoulli"},
        {"linear-gap:states=1", LGKT_ERR_SPEC, "states"},
        {"linear-gap:actions=1", LGKT_ERR_SPEC, "actions"},
        {"linear-gap:k=0", LGKT_ERR_SPEC, "k=0"},
        {"linear-gap:sd=-1", LGKT_ERR_SPEC, "sd"},
        {"linear-gap:states=20000", LGKT_ERR_SHAPE, "states=20000"},
        {"frozenlake:slippery=2", LGKT_ERR_SPEC, "slippery"},
        {"frozenlake:success-rate=1.01", LGKT_ERR_SPEC, "success-rate"},
        {"frozenlake:success-rate=-0.1", LGKT_ERR_SPEC, "success-rate"},
        {"frozenlake:reward-goal=inf", LGKT_ERR_SPEC, "reward-goal"},
        {"frozenlake:reward-hole=x", LGKT_ERR_SPEC, "reward-hole"},
        {"frozenlake:reward-frozen=nan", LGKT_ERR_SPEC, "reward-frozen"},
        {"frozenlake:return-step=-1", LGKT_ERR_SPEC, "return-step"},
        {"frozenlake:return=tiles", LGKT_ERR_SPEC, "tile"},
        {"frozenlake:return=tile,return-step=1", LGKT_ERR_SPEC, "return-step=0"},
        {"trading:cut=lost", LGKT_ERR_SPEC, "kept"},
        {"merged:of=(frozenlake:return=tile)", LGKT_ERR_UNSUPPORTED, "where it goes on"},
        {"changing:before=frozenlake,after=(frozenlake:return=tile)", LGKT_ERR_UNSUPPORTED,
         "where it goes on"},
        {"frozenlake:map=XY", LGKT_ERR_SPEC, "map"},
        {"trading:window=0", LGKT_ERR_SPEC, "window"},
        {"trading:frame-lo=0", LGKT_ERR_SPEC, "frame-lo"},
        {"trading:frame-hi=2", LGKT_ERR_SPEC, "frame-hi"},
        {"trading:side=up", LGKT_ERR_SPEC, "right"},
        {"trading:numpy2=3", LGKT_ERR_SPEC, "numpy2"},
        {"model", LGKT_ERR_CONFIG, "file=PATH"},
        {"model:file=x.json", LGKT_ERR_CONFIG, "lgkt_env_config.data"},
        {"model:states=3", LGKT_ERR_SPEC, "states"},
        {"scaled:by=0", LGKT_ERR_SPEC, "by=0"},
        {"scaled:by=-1", LGKT_ERR_SPEC, "by=-1"},
        {"scaled:shift=inf", LGKT_ERR_SPEC, "shift"},
        {"scaled:of=riverswin", LGKT_ERR_UNKNOWN_NAME, "riverswim"},
        {"scaled:of=a-name-that-is-too-long", LGKT_ERR_UNKNOWN_NAME, "too-long"},
        {"scaled:of=(riverswim:)", LGKT_ERR_SPEC, ""},
        {"scaled:of=(riverswim:states=2)", LGKT_ERR_SPEC, "states"},
        {"scaled:of=scaled", LGKT_ERR_SPEC, "only once"},
        {"scaled:of=(scaled:of=(scaled:by=2))", LGKT_ERR_SPEC, "only once"},
        {"scaled:of=model", LGKT_ERR_CONFIG, "lgkt_env_config.data"},
        {"scaled:of=merged", LGKT_ERR_SPEC, "merged:of=(scaled:"},
        {"merged:states=0", LGKT_ERR_SPEC, "states=0"},
        {"merged:states=6", LGKT_ERR_SPEC, "states=6, must be in 1 .. 5"},
        {"merged:states=3,of=trading", LGKT_ERR_UNSUPPORTED, "with a model"},
        {"merged:of=(scaled:of=trading)", LGKT_ERR_UNSUPPORTED, "with a model"},
        {"merged:of=merged", LGKT_ERR_SPEC, "only once"},
        {"merged:of=(scaled:of=(merged:of=gap))", LGKT_ERR_SPEC, "merged:of=(scaled:"},
        {"merged:of=riverswin", LGKT_ERR_UNKNOWN_NAME, "riverswim"},
        {"merged:of=a-name-that-is-too-long", LGKT_ERR_UNKNOWN_NAME, "too-long"},
        {"merged:of=(riverswim:)", LGKT_ERR_SPEC, ""},
        {"merged:of=model", LGKT_ERR_CONFIG, "lgkt_env_config.data"},
        {"merged:of=changing", LGKT_ERR_SPEC, "only once"},
        {"scaled:of=changing", LGKT_ERR_SPEC, "changing:before=(scaled:"},
        {"changing:before=changing", LGKT_ERR_SPEC, "only once"},
        {"changing:after=(merged:of=gap)", LGKT_ERR_SPEC, "after=(merged:of=gap)"},
        {"changing:after=trading", LGKT_ERR_UNSUPPORTED, "with a model"},
        {"changing:after=gap", LGKT_ERR_SHAPE, "before has 5 states and 2 actions"},
        {"changing:after=model", LGKT_ERR_CONFIG, "lgkt_env_config.data"},
        {"changing:at=", LGKT_ERR_SPEC, ""},
        {"changing:at=5/5", LGKT_ERR_SPEC, "that increase"},
        {"changing:at=5/", LGKT_ERR_SPEC, "at=5/"},
        {"changing:at=/5", LGKT_ERR_SPEC, "at=/5"},
        {"changing:at=-1", LGKT_ERR_SPEC, "from 0 on"},
        {"changing:at=1.5", LGKT_ERR_SPEC, "whole numbers"},
        {"changing:at=1e16", LGKT_ERR_SPEC, "at=1e16"},
        {"changing:at=111111111111111111111111111111111111111", LGKT_ERR_SPEC, "whole numbers"},
        {"changing:at=5,jumps=0.1", LGKT_ERR_SPEC, "both"},
        {"changing:rate=1.5", LGKT_ERR_SPEC, "rate"},
        {"changing:jumps=-0.5", LGKT_ERR_SPEC, "jumps"},
        {"trading:view=record,cut=kept", LGKT_ERR_SPEC, "view=record"},
        {"mountaincar:view=boxes", LGKT_ERR_SPEC, "record"},
        {"glucose:view=grid,bins=100", LGKT_ERR_SPEC, "more than 16777216 states"},
        {"store:view=quantiles,bins=50,warmup=49", LGKT_ERR_SPEC, "warmup=49"},
        {"contextual:features=0", LGKT_ERR_SPEC, "features"},
        {"contextual:features=256", LGKT_ERR_SPEC, "features"},
        {"contextual:actions=1", LGKT_ERR_SPEC, "actions"},
        {"contextual:categories=1", LGKT_ERR_SPEC, "at least 2"},
        {"contextual:features=65,view=grid,bins=1", LGKT_ERR_SPEC, "for 64 at most"},
        {"noisy:of=cartpole", LGKT_ERR_UNSUPPORTED, "on records"},
        {"noisy:of=riverswim", LGKT_ERR_UNSUPPORTED, "on records"},
        {"noisy:features=253", LGKT_ERR_SPEC, "at most 252"},
        {"noisy:of=noisy", LGKT_ERR_SPEC, "only once"},
        {"scaled:of=noisy", LGKT_ERR_SPEC, "only once"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_env_create(CASES[i].spec, NULL, &env, &error), CASES[i].status, error,
                       CASES[i].words);
        assert_null(env);
        // the text is optional
        assert_int_equal(lgkt_env_create(CASES[i].spec, NULL, &env, NULL), CASES[i].status);
    }
}

// However deep: refused at the second or third level, at once.
static void test_nesting_is_bounded(void **state)
{
    (void)state;
    enum { DEEP = 200 };
    static const char *const KINDS[][3] = {
        {"scaled:of=(", "scaled:of=(", "only once"},
        {"merged:of=(", "merged:of=(", "only once"},
        {"scaled:of=(", "merged:of=(", "only once"},
        {"merged:of=(", "scaled:of=(", "only once"},
        {"changing:after=(", "changing:after=(", "only once"},
        {"changing:after=(", "merged:of=(", "only once"},
        {"merged:of=(", "changing:after=(", "only once"},
        {"scaled:of=(", "changing:before=(", "only once"},
    };
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        char spec[4096] = "";
        for (int i = 0; i < DEEP; i++)
            strcat(spec, KINDS[k][i % 2]);
        strcat(spec, "riverswim");
        memset(spec + strlen(spec), ')', DEEP);
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_env_create(spec, NULL, &env, &error), LGKT_ERR_SPEC, error,
                       KINDS[k][2]);
        assert_refused(lgkt_io_env_create(spec, NULL, &env, &error), LGKT_ERR_SPEC, error,
                       KINDS[k][2]);
        assert_null(env);
    }
}

// Data that the innermost environment does not take is refused by name.
static void test_data_goes_where_it_belongs(void **state)
{
    (void)state;
    lgkt_mdp *model = ring();
    const double prices[64] = {1};
    const lgkt_data of_model = {.kind = LGKT_DATA_MODEL, .model = model};
    const lgkt_data of_series = {.kind = LGKT_DATA_SERIES, .series = prices, .count = 64};
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        const lgkt_entry *entry = lgkt_env_entry(i);
        bool file = false, inner = false;
        for (int32_t k = 0; k < entry->param_count; k++) {
            file |= strcmp(lgkt_entry_param(entry, k)->name, "file") == 0;
            inner |=
                entry->inner != NULL && strcmp(lgkt_entry_param(entry, k)->name, entry->inner) == 0;
        }
        assert_true(file == (entry->data != LGKT_DATA_NONE) && inner == (entry->inner != NULL));
        for (int scaled = 0; scaled < 2 && !inner; scaled++)
            for (int kind = LGKT_DATA_MODEL; kind <= LGKT_DATA_SERIES; kind++) {
                char spec[64];
                snprintf(spec, sizeof spec, scaled ? "scaled:of=%s" : "%s", entry->name);
                lgkt_env_config config = lgkt_env_config_default();
                config.data = kind == LGKT_DATA_MODEL ? of_model : of_series;
                lgkt_env *env = NULL;
                lgkt_error error = {0};
                if ((int)entry->data == kind)
                    continue;
                assert_refused(lgkt_env_create(spec, &config, &env, &error), LGKT_ERR_CONFIG, error,
                               entry->name);
                assert_non_null(strstr(error.text, kind == LGKT_DATA_MODEL ? "a model" : "series"));
            }
    }
    static const struct {
        lgkt_data data;
        const char *spec, *words;
    } BAD[] = {{{.kind = LGKT_DATA_MODEL}, "model", "data.model is NULL"},
               {{.kind = LGKT_DATA_SERIES, .count = 9}, "trading", "data.series is NULL"},
               {{.kind = (lgkt_data_kind)3}, "riverswim", "data.kind 3"},
               {{.kind = (lgkt_data_kind)-1}, "model", "data.kind -1"}};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        lgkt_env_config config = lgkt_env_config_default();
        config.data = BAD[i].data;
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_env_create(BAD[i].spec, &config, &env, &error), LGKT_ERR_CONFIG, error,
                       BAD[i].words);
    }
    lgkt_mdp_destroy(model);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_step step;
    lgkt_error error = {0};
    lgkt_env_config raw = {0};
    assert_refused(lgkt_env_create(NULL, NULL, &env, &error), LGKT_ERR_ARGUMENT, error, "spec");
    assert_refused(lgkt_env_create("riverswim", NULL, NULL, &error), LGKT_ERR_ARGUMENT, error, "");
    assert_refused(lgkt_env_create("riverswim", &raw, &env, &error), LGKT_ERR_CONFIG, error,
                   "lgkt_env_config_default");
    env = make("riverswim");
    assert_refused(lgkt_trajectory_create(env, 0, 0, 0, NULL, &run, &error), LGKT_ERR_ARGUMENT,
                   error, "horizon 0");
    assert_refused(lgkt_trajectory_create(NULL, 1, 0, 0, NULL, &run, &error), LGKT_ERR_ARGUMENT,
                   error, "environment");
    assert_refused(lgkt_trajectory_create(env, 1, 0, 0, NULL, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "");
    assert_null(run);
    assert_int_equal(lgkt_trajectory_step(NULL, 0, &step), LGKT_ERR_ARGUMENT);
    lgkt_env_destroy(env);
    lgkt_env_destroy(NULL);
    lgkt_trajectory_destroy(NULL);
}

// ---- the one run ----

static void test_a_refused_step_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++) {
        lgkt_env *env = make(SPECS[i]);
        const int32_t actions = lgkt_env_problem(env, 1).actions;
        lgkt_trajectory *run = env_run_start(env, 3, 1), *other = env_run_start(env, 3, 1);
        assert_string_equal(lgkt_trajectory_message(run), "");
        for (int t = 0; t < 3; t++) {
            lgkt_step step, same, bad;
            assert_int_equal(lgkt_trajectory_step(run, -1, &bad), LGKT_ERR_ARGUMENT);
            assert_non_null(strstr(lgkt_trajectory_message(run), "action -1"));
            assert_int_equal(lgkt_trajectory_step(run, actions, &bad), LGKT_ERR_ARGUMENT);
            assert_int_equal(lgkt_trajectory_step(run, 0, NULL), LGKT_ERR_ARGUMENT);
            assert_int_equal(lgkt_trajectory_time(run), t);
            assert_int_equal(lgkt_trajectory_step(run, 0, &step), LGKT_OK);
            assert_int_equal(lgkt_trajectory_step(other, 0, &same), LGKT_OK);
            assert_true(step.reward == same.reward && step.state == same.state);
        }
        const int32_t last = lgkt_trajectory_state(run);
        lgkt_step over;
        assert_int_equal(lgkt_trajectory_step(run, 0, &over), LGKT_ERR_HORIZON);
        assert_non_null(strstr(lgkt_trajectory_message(run), "3 steps"));
        assert_int_equal(lgkt_trajectory_time(run), 3);
        assert_int_equal(lgkt_trajectory_state(run), last);
        lgkt_trajectory_destroy(run);
        lgkt_trajectory_destroy(other);
        lgkt_env_destroy(env);
    }
}

// whether it is a world of real numbers, seen as a record or through bins
static bool is_of_numbers(const char *spec)
{
    static const char *const NAMES[] = {"cartpole", "stock", "mountaincar", "pendulum",  "acrobot",
                                        "store",    "noisy", "glucose",     "contextual"};
    bool found = strstr(spec, "view=record") != NULL;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        found |= strstr(spec, NAMES[i]) != NULL;
    return found;
}

static void test_steps_stay_in_range(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++) {
        lgkt_env *env = make(SPECS[i]);
        const lgkt_problem problem = lgkt_env_problem(env, 1);
        const lgkt_view *record = lgkt_env_record(env);
        lgkt_trajectory *run = env_run_start(env, 2000, 3);
        for (int t = 0; t < 2000; t++) {
            const int32_t s = lgkt_trajectory_state(run);
            const int32_t a = env_run_allowed(env, run, (7 * t + s) % problem.actions);
            lgkt_step step;
            assert_int_equal(lgkt_trajectory_step(run, a, &step), LGKT_OK);
            assert_true(step.state >= 0 && step.state < problem.states + (record != NULL));
            assert_int_equal(step.state, lgkt_trajectory_state(run));
            if (!isnan(problem.reward_min))
                assert_between(step.mean_reward, problem.reward_min, problem.reward_max);
            assert_true(isfinite(step.reward));
            if (problem.model != NULL) {
                assert_true(step.mean_reward == lgkt_mdp_reward(problem.model, s, a));
                assert_false(step.ended);
            }
        }
        size_t size = 99;
        const void *bytes = lgkt_trajectory_observation(run, &size);
        assert_true((bytes == NULL) == (size == 0));
        assert_true((record != NULL) == (problem.states == 0));
        assert_true(record == NULL || (size_t)record->dims * sizeof(double) == size);
        const bool numbers = is_of_numbers(SPECS[i]), coarse = numbers && record == NULL;
        assert_int_equal(lgkt_env_coarse(env), coarse);
        assert_true((size > 0) == (numbers || strstr(SPECS[i], "trading") != NULL));
        assert_true(strlen(lgkt_env_note(env)) > 5);
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// ---- noise ----

// Two runs of the same (seed, instance) that play differently consume the same numbers.
static void test_noise_is_common(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++) {
        lgkt_env *env = make(SPECS[i]);
        const int32_t actions = lgkt_env_problem(env, 1).actions;
        lgkt_trajectory *left = env_run_start(env, 5000, 9), *right = env_run_start(env, 5000, 9);
        for (int t = 0; t < 5000; t++) {
            lgkt_step a, b;
            lgkt_trajectory_step(left, env_run_allowed(env, left, 0), &a);
            lgkt_trajectory_step(right, env_run_allowed(env, right, (t + 1) % actions), &b);
            assert_memory_equal(&left->rng, &right->rng, sizeof left->rng);
        }
        lgkt_trajectory_destroy(left);
        lgkt_trajectory_destroy(right);
        lgkt_env_destroy(env);
    }
}

static void test_normal_noise_is_the_same_number(void **state)
{
    (void)state;
    lgkt_env *env = make("synthetic");
    lgkt_trajectory *left = env_run_start(env, 1000, 9), *right = env_run_start(env, 1000, 9);
    int apart = 0;
    for (int t = 0; t < 1000; t++) {
        lgkt_step a, b;
        lgkt_trajectory_step(left, t % 5, &a);
        lgkt_trajectory_step(right, t % 3, &b);
        assert_close(a.reward - a.mean_reward, b.reward - b.mean_reward, 1e-13);
        apart += a.state != b.state;
    }
    assert_true(apart > 100);
    lgkt_trajectory_destroy(left);
    lgkt_trajectory_destroy(right);
    lgkt_env_destroy(env);
}

// The first number of the stream goes to the start state, whether or not it is certain.
static void test_start_takes_one_number(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++) {
        lgkt_env *env = make(SPECS[i]);
        lgkt_trajectory *run = env_run_start(env, 1, 21);
        lgkt_rng rng = lgkt_rng_stream(21, "environment", 0);
        const double u = lgkt_rng_uniform(&rng);
        assert_memory_equal(&rng, &run->rng, sizeof rng);
        const lgkt_mdp *model = lgkt_env_model(env);
        if (model != NULL)
            assert_int_equal(
                lgkt_trajectory_state(run),
                lgkt_sample_index(lgkt_mdp_start_law(model), lgkt_mdp_states(model), u));
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

static void test_seed_and_instance_change_the_noise(void **state)
{
    (void)state;
    lgkt_env *env = make("synthetic");
    lgkt_trajectory *runs[3];
    lgkt_step steps[3];
    static const uint64_t SEEDS[][2] = {{1, 0}, {2, 0}, {1, 1}};
    for (int i = 0; i < 3; i++) {
        lgkt_error error = {0};
        assert_ok(lgkt_trajectory_create(env, 1, SEEDS[i][0], SEEDS[i][1], NULL, &runs[i], &error),
                  error);
        lgkt_trajectory_step(runs[i], 0, &steps[i]);
        lgkt_trajectory_destroy(runs[i]);
    }
    assert_true(steps[0].reward != steps[1].reward && steps[0].reward != steps[2].reward);
    lgkt_env_destroy(env);
}

// ---- memory ----

typedef struct making {
    const char *spec;
    const lgkt_mdp *model;
} making;

static lgkt_status make_and_run(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const making *what = ctx;
    lgkt_env_config config = lgkt_env_config_default();
    config.data = env_run_data(what->spec, what->model, NULL, 0);
    config.allocator = *allocator;
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_status status = lgkt_env_create(what->spec, &config, &env, error);
    if (status == LGKT_OK)
        status = lgkt_trajectory_create(env, 10, 0, 0, allocator, &run, error);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    lgkt_mdp *model = ring();
    for (int i = 0; i < SPEC_COUNT; i++) {
        making what = {SPECS[i], model};
        assert_true(fault_sweep(make_and_run, &what) >= 3);
    }
    lgkt_mdp_destroy(model);
}

static void test_steps_allocate_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++) {
        fault memory;
        fault_init(&memory);
        const lgkt_allocator allocator = fault_allocator(&memory);
        lgkt_env *env = make(SPECS[i]);
        lgkt_trajectory *run = NULL;
        lgkt_error error = {0};
        assert_ok(lgkt_trajectory_create(env, 1000, 0, 0, &allocator, &run, &error), error);
        assert_int_equal(atomic_load(&memory.calls), 1);
        for (int t = 0; t < 1001; t++) {
            lgkt_step step;
            lgkt_trajectory_step(run, t % 2, &step);
        }
        assert_int_equal(atomic_load(&memory.calls), 1);
        lgkt_trajectory_destroy(run);
        assert_true(fault_is_clean(&memory));
        lgkt_env_destroy(env);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_bad_specs_are_refused),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_data_goes_where_it_belongs),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_a_refused_step_changes_nothing),
        cmocka_unit_test(test_steps_stay_in_range),
        cmocka_unit_test(test_noise_is_common),
        cmocka_unit_test(test_normal_noise_is_the_same_number),
        cmocka_unit_test(test_start_takes_one_number),
        cmocka_unit_test(test_seed_and_instance_change_the_noise),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
