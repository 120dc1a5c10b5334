// SPDX-License-Identifier: MIT
// labels: slow
// The LGKT family against the naive reimplementation in ref/naive_lgkt.c, action by action.
//
// Both see the same states and rewards of a small random world and have their own copy of the same
// random stream, so every action must agree, and a number drawn too often or too rarely by either
// shows up soon after. Specs are built from the parameter tables: every name with every profile and
// every single value, then random bundles of values; settings that do not go together must be
// refused by both. Then deeper lookahead with all samplers, and schedules of depths. Worlds differ
// in noise (with exact ties and sums that hit a threshold exactly), in size (one state, one action,
// many actions), in cuts.

#include "test.h"

#include <stdlib.h>

#include "ref/naive_lgkt.h"

// ---- worlds ----

struct world {
    const char *name;
    int32_t states, actions;
    lgkt_noise noise;
    double step;  // mean rewards are multiples of this; 0: any number
    double scale; // largest mean reward
    double cuts;  // probability that a step is cut
};

static const struct world worlds[] = {
    {"normal", 3, 4, LGKT_NOISE_NORMAL, 0, 1, 0},
    {"coins", 3, 4, LGKT_NOISE_BERNOULLI, 0, 1, 0},
    {"certain", 2, 5, LGKT_NOISE_NONE, 0.25, 1, 0},
    {"one state", 1, 3, LGKT_NOISE_BERNOULLI, 0.5, 1, 0},
    {"one action", 4, 1, LGKT_NOISE_NORMAL, 0, 1, 0.05},
    {"cut coins", 2, 3, LGKT_NOISE_BERNOULLI, 0.25, 1, 0.2},
    {"cut normal", 4, 3, LGKT_NOISE_NORMAL, 0, 2, 0.05},
    {"many actions", 2, 70, LGKT_NOISE_BERNOULLI, 0.25, 1, 0.02},
    {"all alike", 2, 3, LGKT_NOISE_NONE, 2, 1, 0.02},
    {"always cut", 2, 2, LGKT_NOISE_NORMAL, 0, 1, 1},
};
enum { WORLDS = sizeof worlds / sizeof *worlds, MOST_PAIRS = 200 };

struct scene {
    const struct world *world;
    lgkt_rng rng;
    double mean[MOST_PAIRS];  // (S, A)
    int32_t next[MOST_PAIRS]; // (S, A) where a pair mostly leads
};

static void scene_init(struct scene *scene, const struct world *world, uint64_t seed)
{
    scene->world = world;
    scene->rng = lgkt_rng_stream(seed, "scene", 0);
    for (int32_t z = 0; z < world->states * world->actions; z++) {
        const double u = lgkt_rng_uniform(&scene->rng) * world->scale;
        scene->mean[z] = world->step > 0 ? floor(u / world->step) * world->step : u;
        scene->next[z] = lgkt_rng_below(&scene->rng, world->states);
    }
}

static lgkt_step scene_step(struct scene *scene, int32_t state, int32_t action)
{
    const struct world *world = scene->world;
    const int32_t z = state * world->actions + action;
    lgkt_step step = {.reward = scene->mean[z], .state = scene->next[z]};
    if (world->noise == LGKT_NOISE_NORMAL)
        step.reward += 0.3 * lgkt_rng_normal(&scene->rng);
    if (world->noise == LGKT_NOISE_BERNOULLI)
        step.reward = lgkt_rng_bernoulli(&scene->rng, step.reward) ? 1 : 0;
    if (lgkt_rng_bernoulli(&scene->rng, 0.3))
        step.state = lgkt_rng_below(&scene->rng, world->states);
    step.ended = lgkt_rng_bernoulli(&scene->rng, world->cuts);
    if (step.ended)
        step.state = lgkt_rng_below(&scene->rng, world->states);
    return step;
}

// ---- one comparison ----

struct tally {
    int64_t cases, refused, steps, runs, failures;
};

static double coin_of_step(void *ctx, int64_t t)
{
    lgkt_rng rng = lgkt_rng_stream(*(const uint64_t *)ctx, "coin", (uint64_t)t);
    return lgkt_rng_uniform(&rng);
}

static lgkt_learner_config config_for(const struct world *world, int64_t horizon, uint64_t seed)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = world->states;
    config.problem.actions = world->actions;
    config.problem.horizon = horizon;
    config.problem.reward_sd = seed % 3 == 0 ? NAN : 0.25;
    config.seed = seed;
    config.instance = seed % 5;
    return config;
}

static void report(const char *spec, const lgkt_learner_config *config, const struct scene *scene,
                   int64_t t, const char *what, int64_t library, int64_t naive)
{
    print_error("%s, world \"%s\", T %lld, seed %llu, coin %s, threshold %s: at step %lld %s is "
                "%lld, naive %lld\n",
                spec, scene->world->name, (long long)config->problem.horizon,
                (unsigned long long)config->seed, config->coin ? "callback" : "own",
                config->threshold.fn      ? "function"
                : config->threshold.table ? "table"
                                          : "of spec",
                (long long)t, what, (long long)library, (long long)naive);
}

static int64_t counter_of(const lgkt_learner *learner, const char *name)
{
    lgkt_counter counters[16];
    const int32_t count = lgkt_learner_counters(learner, counters, 16);
    for (int32_t i = 0; i < count && i < 16; i++)
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].value;
    return 0;
}

// plays the whole horizon, or up to the first difference; returns whether all was equal
static bool play_both(const char *spec, const lgkt_learner_config *config, struct scene *scene,
                      lgkt_learner *learner, naive_lgkt *naive, struct tally *tally)
{
    int32_t state = 0;
    for (int64_t t = 0; t < config->problem.horizon; t++, tally->steps++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
        const int32_t expected = naive_lgkt_act(naive, state);
        if (action != expected) {
            report(spec, config, scene, t, "action", action, expected);
            return false;
        }
        const lgkt_step step = scene_step(scene, state, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        naive_lgkt_observe(naive, step.reward, step.state, step.ended);
        state = step.state;
    }
    const int64_t runs = counter_of(learner, "runs");
    const int64_t run_steps = counter_of(learner, "run_steps");
    if (runs != naive_lgkt_runs(naive))
        report(spec, config, scene, -1, "runs", runs, naive_lgkt_runs(naive));
    if (run_steps != naive_lgkt_run_steps(naive))
        report(spec, config, scene, -1, "run_steps", run_steps, naive_lgkt_run_steps(naive));
    tally->runs += runs;
    return runs == naive_lgkt_runs(naive) && run_steps == naive_lgkt_run_steps(naive);
}

static void compare(const char *spec, const lgkt_learner_config *config, const struct world *world,
                    struct tally *tally)
{
    lgkt_error error = {0};
    lgkt_learner *learner = NULL;
    const lgkt_status status = lgkt_learner_create(spec, config, &learner, &error);
    naive_lgkt *naive = naive_lgkt_create(spec, config);
    tally->cases++;
    // what does not go together is refused by both
    if (naive == NULL && status == LGKT_ERR_SPEC) {
        tally->refused++;
        return;
    }
    if (status != LGKT_OK || naive == NULL)
        fail_msg("%s: %s \"%s\", naive %s", spec, lgkt_status_name(status), error.text,
                 naive == NULL ? "refuses" : "does not");
    struct scene scene;
    scene_init(&scene, world, config->seed);
    if (!play_both(spec, config, &scene, learner, naive, tally))
        tally->failures++;
    naive_lgkt_destroy(naive);
    lgkt_learner_destroy(learner);
}

// the usual case: the world, the length and the kind of coin go round with the seed
static void compare_usual(const char *spec, int64_t horizon, struct tally *tally)
{
    uint64_t seed = (uint64_t)tally->cases;
    const struct world *world = &worlds[seed % WORLDS];
    lgkt_learner_config config = config_for(world, horizon, seed);
    if (seed / WORLDS % 2 == 1) {
        config.coin = coin_of_step;
        config.coin_ctx = &seed;
    }
    compare(spec, &config, world, tally);
}

static void tally_check(const char *what, const struct tally *tally)
{
    print_message("%s: %lld cases (%lld refused by both), %lld steps, %lld runs compared\n", what,
                  (long long)tally->cases, (long long)tally->refused, (long long)tally->steps,
                  (long long)tally->runs);
    assert_int_equal(tally->failures, 0);
    assert_true(2 * tally->refused < tally->cases);
}

// ---- specs ----

static const char *const names[] = {
    "lg1t",   "lg2t",   "lgkt",         "lg1-2t",      "lg1-2t-adaptive",
    "lg1t-i", "lg2t-i", "lg1t-uniform", "lg2t-uniform"};
static const char *const profiles[] = {"paper", "practical", "released"};
enum { NAMES = sizeof names / sizeof *names, PROFILES = 3 };

// Values of the parameters that are numbers or texts, "one|two|three" as the choices are.
static const struct {
    const char *name, *values;
} numbers[] = {
    {"k", "1|2|3|4|5|9"},
    {"threshold", "-0.5|0|0.25|0.5|1.75|1e15"},
    {"threshold1", "-0.5|0|0.5|1e15"},
    {"threshold2", "-0.5|0.25|0.5|1.75"},
    {"cutoff", "0|1|2|3|4|40|100000"},
    {"delta", "0|0.0625|0.5"},
    {"max-raises", "0|1|3"},
    {"width", "0|0.01|1|3"},
    {"p", "0|0.25|2"},
    {"eta", "0.05|0.4|2"},
    {"sampler-threshold", "-0.5|0.5|1e15"},
    {"reward-sd", "0|0.1|2"},
    {"reward-min", "-1|0|0.25"},
    {"reward-max", "0.25|1|3"},
    {"sampler-bonus", "0|0.001|0.1|1"},
    {"sampler-limit", "1073741824|500000000"},
    {"sampler", "ucb|order|ucbvi|random|(ucb:bound=ucb1)|(ucbvi:bound=ch,bonus=0.001)|"
                "(ucbvi:h=3,reward-bonus=0,delta=1)|(ucbvi:bonus=0,reward-max=2)"},
};

static const lgkt_entry *entry_of(const char *name)
{
    for (int32_t i = 0; lgkt_learner_entry(i); i++)
        if (strcmp(lgkt_learner_entry(i)->name, name) == 0)
            return lgkt_learner_entry(i);
    fail_msg("no learner %s", name);
    return NULL;
}

// the values to try for a parameter; a parameter without any is a hole in this test
static const char *values_of(const lgkt_param *param)
{
    if (param->type == LGKT_PARAM_CHOICE)
        return param->choices;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, param->name) == 0)
            return numbers[i].values;
    fail_msg("no values to try for parameter %s", param->name);
    return NULL;
}

static int32_t count_of(const char *values)
{
    int32_t count = 1;
    for (; *values; values++)
        count += *values == '|';
    return count;
}

// appends ",key=value" (or ":key=value") with the i-th value
static void append(char *spec, size_t size, const lgkt_param *param, int32_t i)
{
    const char *value = values_of(param);
    while (i-- > 0)
        value = strchr(value, '|') + 1;
    const size_t used = strlen(spec);
    snprintf(spec + used, size - used, "%c%s=%.*s", strchr(spec, ':') ? ',' : ':', param->name,
             (int)strcspn(value, "|"), value);
}

// ---- tests ----

static void test_every_single_value_agrees(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (int i = 0; i < NAMES * PROFILES; i++) {
        const lgkt_entry *entry = entry_of(names[i / PROFILES]);
        for (int32_t j = 0; j < entry->param_count; j++) {
            const lgkt_param *param = lgkt_entry_param(entry, j);
            const bool is_profile = strcmp(param->name, "profile") == 0;
            for (int32_t v = 0; v < (is_profile ? 1 : count_of(values_of(param))); v++) {
                char spec[512];
                snprintf(spec, sizeof spec, "%s:profile=%s", entry->name, profiles[i % PROFILES]);
                if (!is_profile)
                    append(spec, sizeof spec, param, v);
                compare_usual(spec, 250, &tally);
            }
        }
    }
    tally_check("single values", &tally);
}

static void test_random_bundles_agree(void **state)
{
    (void)state;
    struct tally tally = {0};
    lgkt_rng rng = lgkt_rng_stream(11, "bundles", 0);
    for (int i = 0; i < 1500; i++) {
        const lgkt_entry *entry = entry_of(names[i % NAMES]);
        char spec[512];
        snprintf(spec, sizeof spec, "%s", entry->name);
        const double share = lgkt_rng_uniform(&rng);
        for (int32_t j = 0; j < entry->param_count; j++)
            if (lgkt_rng_bernoulli(&rng, share))
                append(spec, sizeof spec, lgkt_entry_param(entry, j),
                       lgkt_rng_below(&rng, count_of(values_of(lgkt_entry_param(entry, j)))));
        compare_usual(spec, 200, &tally);
    }
    tally_check("random bundles", &tally);
}

static void test_short_horizons_agree(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (int i = 0; i < NAMES * PROFILES; i++)
        for (int64_t horizon = 1; horizon <= 6; horizon++) {
            char spec[128];
            snprintf(spec, sizeof spec, "%s:profile=%s", names[i / PROFILES],
                     profiles[i % PROFILES]);
            compare_usual(spec, horizon, &tally);
        }
    tally_check("short horizons", &tally);
}

static void test_long_runs_agree(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (int i = 0; i < NAMES * PROFILES; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "%s:profile=%s", names[i / PROFILES], profiles[i % PROFILES]);
        const struct world *world = &worlds[i % 2];
        const lgkt_learner_config config = config_for(world, 5000, (uint64_t)i);
        compare(spec, &config, world, &tally);
    }
    tally_check("long runs", &tally);
}

// every world with every depth, sampler and scope, for long enough that bonuses of 0.01 wear off
static void test_deep_runs_agree(void **state)
{
    (void)state;
    struct tally tally = {0};
    static const char *const tails[] = {"",
                                        ",profile=paper",
                                        ",sampler-bonus=0,sampler-data=runs",
                                        ",sampler=ucb",
                                        ",sampler=random,width=0.01",
                                        ",sampler=(ucbvi:bound=ch),sampler-bonus=0.0001",
                                        ",sampler-scope=per-pair",
                                        ",sampler=ucb,sampler-scope=per-pair,width=0",
                                        ",sampler=ucbvi,continuation=mean,refresh=added"};
    enum { TAILS = sizeof tails / sizeof *tails };
    for (int i = 0; i < 4 * TAILS * WORLDS; i++) {
        char spec[128];
        const int depth = 2 + i / (TAILS * WORLDS) + (i / (TAILS * WORLDS) == 3);
        snprintf(spec, sizeof spec, "lgkt:k=%d%s", depth, tails[i / WORLDS % TAILS]);
        compare_usual(spec, 400, &tally);
    }
    tally_check("deep runs", &tally);
}

// low and high, changing with time, state and depth; now and then no number at all
static double wavy(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx;
    if (t % 17 == 3)
        return NAN;
    return 0.25 * (double)((t / 20 + state) % 5 - 1) * k;
}

static void test_given_thresholds_agree(void **state)
{
    (void)state;
    struct tally tally = {0};
    double table[30 * 4]; // (30, S)
    for (int32_t i = 0; i < 30 * 4; i++)
        table[i] = i % 13 == 5 ? NAN : 0.125 * (i % 9 - 2);
    static const char *const tails[] = {
        "", ",width=0", ",fallback=uniform", ",width=0.01", ",ties=uniform", ",ties=high"};
    enum { TAILS = sizeof tails / sizeof *tails };
    for (int i = 0; i < NAMES * PROFILES * TAILS * 3; i++) {
        const char *name = names[i / (PROFILES * TAILS * 3)];
        if (strstr(name, "-i"))
            continue; // refused, see below
        char spec[128];
        snprintf(spec, sizeof spec, "%s:profile=%s%s", name, profiles[i / (TAILS * 3) % PROFILES],
                 tails[i / 3 % TAILS]);
        const struct world *world = &worlds[tally.cases % WORLDS];
        lgkt_learner_config config = config_for(world, 250, (uint64_t)i);
        if (i % 3 == 0)
            config.threshold.fn = wavy;
        else
            config.threshold.table = table;
        config.threshold.table_steps = i % 3 == 1 ? 30 : 1;
        compare(spec, &config, world, &tally);
    }
    tally_check("given thresholds", &tally);
}

static void test_rising_thresholds_refuse_given_ones(void **state)
{
    (void)state;
    const double table[] = {0.5, 0.5, 0.5};
    lgkt_learner_config config = config_for(&worlds[0], 10, 0);
    config.threshold.table = table;
    config.threshold.table_steps = 1;
    lgkt_error error = {0};
    lgkt_learner *learner = NULL;
    assert_refused(lgkt_learner_create("lg1t-i", &config, &learner, &error), LGKT_ERR_CONFIG, error,
                   "raises its own thresholds");
    config.threshold = (lgkt_threshold){.fn = wavy};
    assert_refused(lgkt_learner_create("lg2t-i", &config, &learner, &error), LGKT_ERR_CONFIG, error,
                   "raises its own thresholds");
    assert_null(learner);
}

// a comparison that cannot fail would prove nothing: another stream must show
static void test_a_difference_is_seen(void **state)
{
    (void)state;
    int64_t differing = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct world *world = &worlds[1];
        lgkt_learner_config config = config_for(world, 100, seed);
        lgkt_error error = {0};
        lgkt_learner *learner = NULL;
        assert_ok(lgkt_learner_create("lg2t:profile=paper", &config, &learner, &error), error);
        config.seed += 1000;
        naive_lgkt *naive = naive_lgkt_create("lg2t:profile=paper", &config);
        assert_non_null(naive);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        differing += action != naive_lgkt_act(naive, 0);
        naive_lgkt_destroy(naive);
        lgkt_learner_destroy(learner);
    }
    // four actions tie at the first step: all 20 pairs agree by chance with probability 4^-20
    assert_true(differing > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_single_value_agrees),
        cmocka_unit_test(test_random_bundles_agree),
        cmocka_unit_test(test_short_horizons_agree),
        cmocka_unit_test(test_long_runs_agree),
        cmocka_unit_test(test_deep_runs_agree),
        cmocka_unit_test(test_given_thresholds_agree),
        cmocka_unit_test(test_rising_thresholds_refuse_given_ones),
        cmocka_unit_test(test_a_difference_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
