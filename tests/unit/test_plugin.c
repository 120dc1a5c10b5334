// SPDX-License-Identifier: MIT
// labels: slow
// The plug-in learner, action by action against its definition (ref/plugin_ref.c), in closed forms,
// and where it must equal other learners and planners.

#include "test.h"

#include "learners/front/learner_private.h"
#include "learners/plugin/plugin.h"
#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/plugin_ref.h"
#include "ref/saved_bytes.h"

// ---- against the definition ----

typedef enum { OF_SPEC, TABLE, FUNCTION } source;

static double wavy(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx;
    return t % 7 == 3 ? NAN : 0.25 * (double)((t / 20 + state) % 5 - 1) * k;
}

static lgkt_learner_config config_of(const lgkt_mdp *model, int64_t steps, source threshold)
{
    static double table[2 * 64];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        table[i] = 0.3 * (double)(i % 7) - 0.5;
    lgkt_learner_config config = learner_run_config(model, steps);
    if (threshold == TABLE)
        config.threshold = (lgkt_threshold){.table = table, .table_steps = 2};
    if (threshold == FUNCTION)
        config.threshold.fn = wavy;
    return config;
}

// what was estimated, Q_k of every pair that was tried
static void compare_values(const lgkt_learner *learner, const plugin_ref *ref)
{
    const lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions;
    assert_int_equal(p->k, plugin_ref_depth(ref));
    for (int32_t z = 0; z < learner->problem.states * actions; z++)
        for (int64_t k = 1; p->rows.rows[z].n > 0 && k <= p->k; k++) {
            const double q = plugin_ref_q(ref, z / actions, z % actions, k);
            assert_close(p->q[(size_t)z * (p->lanes + 1) + (size_t)k - 1], q,
                         1e-12 * (1 + fabs(q)));
        }
}

// steps that another one chose come in between, one in `feeds`
typedef struct race {
    const char *spec;
    source threshold;
    double cuts;
    int feeds;
} race;

static void feed_both(lgkt_learner *learner, plugin_ref *ref, lgkt_rng *rng)
{
    const int32_t states = learner->problem.states;
    const int32_t s = lgkt_rng_below(rng, states), next = lgkt_rng_below(rng, states);
    const int32_t a = lgkt_rng_below(rng, learner->problem.actions);
    const double reward = lgkt_rng_normal(rng);
    const bool ended = lgkt_rng_bernoulli(rng, 0.3);
    assert_int_equal(lgkt_learner_feed(learner, s, a, reward, next, ended), LGKT_OK);
    plugin_ref_step(ref, s, a, reward, next, ended);
}

static void compare(const race *r, const lgkt_mdp *model, int64_t steps)
{
    const lgkt_learner_config config = config_of(model, steps, r->threshold);
    lgkt_learner *learner = learner_run_make(r->spec, &config);
    plugin_ref *ref =
        plugin_ref_create(lgkt_learner_spec(learner), &config.problem, &config.threshold);
    assert_non_null(ref);
    lgkt_rng ties = lgkt_rng_stream(config.seed, "learner", config.instance);
    lgkt_rng feeds = lgkt_rng_stream(1, "feeds", 0);
    learner_run run = {learner, model, 11, r->cuts, 0};
    for (int64_t t = 0; t < steps; t++) {
        if (r->feeds > 0 && t % r->feeds == r->feeds - 1)
            feed_both(learner, ref, &feeds);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, run.state, NULL, &action), LGKT_OK);
        const int32_t expected = plugin_ref_act(ref, t, run.state, &ties);
        if (action != expected)
            fail_msg("%s: step %d: action %d, not %d", r->spec, (int)t, action, expected);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        plugin_ref_step(ref, run.state, action, step.reward, step.state, step.ended);
        run.state = step.state;
        if (t % 16 == 0)
            compare_values(learner, ref);
    }
    assert_memory_equal(&learner->rng, &ties, sizeof ties);
    lgkt_learner_destroy(learner);
    plugin_ref_destroy(ref);
}

static void test_as_defined(void **state)
{
    (void)state;
    static const race races[] = {
        {"plugin", OF_SPEC, 0, 0},
        {"plugin", OF_SPEC, 0.1, 7},
        {"plugin:k=1", OF_SPEC, 0.1, 0},
        {"plugin:k=2,untried=first", OF_SPEC, 0, 0},
        {"plugin:k=5,untried=last", OF_SPEC, 0.05, 0},
        {"plugin:k=6,untried=share,share=0.6", OF_SPEC, 0, 9},
        {"plugin:k=5,untried=share,share=0", OF_SPEC, 0.3, 0},
        {"plugin:k=9,untried=first,threshold=none", OF_SPEC, 0, 0},
        {"plugin:k=auto,k-max=2", OF_SPEC, 0, 0},
        {"plugin:k=auto,k-max=40,refresh=3,aspiration=0.5", OF_SPEC, 0.02, 0},
        {"plugin:k=5,refresh=0,scale=1,width=3,index=paper,threshold=4", OF_SPEC, 0, 0},
        {"plugin:k=5,refresh=100,scale=0,index=practical,aspiration=1.5", OF_SPEC, 0, 0},
        {"plugin:k=4,untried=last", TABLE, 0, 5},
        {"plugin:k=3", FUNCTION, 0.1, 0},
        {"plugin:threshold=-1e15,untried=last", OF_SPEC, 1, 0},
    };
    lgkt_rng rng = lgkt_rng_stream(3, "models", 0);
    lgkt_mdp *const models[] = {model_random(&rng, 4, 3, 0.5), model_random(&rng, 9, 5, 1),
                                model_random(&rng, 12, 1, 0.2), model_random(&rng, 1, 4, 1)};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (size_t i = 0; i < sizeof races / sizeof *races; i++)
            compare(&races[i], models[m], 260);
        lgkt_mdp_destroy(models[m]);
    }
}

// deterministic rewards and few of them: many ties, which must be drawn alike
static void test_ties(void **state)
{
    (void)state;
    static const char *const specs[] = {"plugin:k=1", "plugin:k=5,untried=first",
                                        "plugin:k=auto,threshold=none", "plugin:k=3,untried=last"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_mdp *model = model_two_cycle();
        const lgkt_learner_config told = learner_run_config(model, 200);
        lgkt_learner *learner = learner_run_make(specs[i], &told);
        plugin_ref *ref =
            plugin_ref_create(lgkt_learner_spec(learner), &told.problem, &told.threshold);
        assert_non_null(ref);
        lgkt_rng ties = lgkt_rng_stream(told.seed, "learner", told.instance);
        int32_t s = 0;
        for (int64_t t = 0; t < 200; t++) {
            int32_t action = -1;
            assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
            assert_int_equal(action, plugin_ref_act(ref, t, s, &ties));
            assert_int_equal(lgkt_learner_observe(learner, 1 - s, 1 - s, false), LGKT_OK);
            plugin_ref_step(ref, s, action, 1 - s, 1 - s, false);
            s = 1 - s;
        }
        lgkt_learner_destroy(learner);
        plugin_ref_destroy(ref);
        lgkt_mdp_destroy(model);
    }
}

// ---- depth 1 is LG1T ----

static void check_same_actions(const char *spec, const char *other, const lgkt_mdp *model,
                               double cuts)
{
    enum { STEPS = 2000 };
    static int32_t actions[2][STEPS];
    const char *const both[] = {spec, other};
    for (int i = 0; i < 2; i++) {
        const lgkt_learner_config config = learner_run_config(model, STEPS);
        learner_run run = {learner_run_make(both[i], &config), model, 4, cuts, 0};
        learner_run_play(&run, STEPS, actions[i]);
        lgkt_learner_destroy(run.learner);
    }
    assert_memory_equal(actions[0], actions[1], sizeof actions[0]);
}

static void test_depth_one_is_lg1t(void **state)
{
    static const char *const pairs[][2] = {
        {"plugin:k=1,scale=1,width=3,index=paper,untried=last,threshold=0.3", "lg1t:profile=paper"},
        {"plugin:k=1,scale=1,width=3,index=paper,untried=last,threshold=1.5",
         "lg1t:profile=paper,threshold=1.5"},
        {"plugin:k=1,scale=1,index=practical,untried=first,threshold=0.3",
         "lg1t:profile=practical"},
        {"plugin:k=1,scale=1,untried=first,threshold=0.8", "lg1t:ties=uniform,threshold=0.8"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        check_same_actions(pairs[i][0], pairs[i][1], *state, 0);
        check_same_actions(pairs[i][0], pairs[i][1], *state, 0.1);
    }
}

// ---- a model that is known: values are those of the planner ----

// where every pair leads to one state: whatever the counts are, the observed model is the model
static lgkt_mdp *model_of_certain_moves(void)
{
    enum { S = 5, A = 3 };
    double rewards[S * A], kernel[S * A * S] = {0};
    lgkt_rng rng = lgkt_rng_stream(2, "model", 0);
    for (size_t z = 0; z < S * A; z++) {
        rewards[z] = lgkt_rng_normal(&rng);
        kernel[z * S + (size_t)lgkt_rng_below(&rng, S)] = 1;
    }
    return model_dense(S, A, rewards, kernel);
}

// each round of visits makes one more depth exact
static void test_values_of_a_known_model(void **state)
{
    (void)state;
    enum { DEPTH = 6, PAIRS = 15 };
    lgkt_mdp *model = model_of_certain_moves();
    const lgkt_learner_config config = learner_run_config(model, 10);
    lgkt_learner *learner = learner_run_make("plugin:k=6", &config);
    for (int32_t i = 0; i < DEPTH * PAIRS; i++) {
        const int32_t s = i % PAIRS / 3, a = i % 3;
        assert_int_equal(lgkt_learner_feed(learner, s, a, lgkt_mdp_reward(model, s, a),
                                           lgkt_mdp_row(model, s, a).next[0], false),
                         LGKT_OK);
    }
    const lgkt_plugin *p = learner->self;
    for (int64_t k = 1; k <= DEPTH; k++) {
        double q[PAIRS];
        lgkt_error error = {0};
        assert_ok(lgkt_plan_lookahead(model, k, NULL, q, &error), error);
        for (size_t z = 0; z < PAIRS; z++)
            assert_close(p->q[z * (p->lanes + 1) + (size_t)k - 1], q[z], 1e-12);
    }
    lgkt_learner_destroy(learner);
    lgkt_mdp_destroy(model);
}

// ---- the reservation price ----

static void test_reservation_price(void **state)
{
    (void)state;
    static const double visits[] = {0.01, 1, 5, 100, 1e4};
    for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
        const double m = -2, tau = 0.7, n = visits[i];
        const double z = plugin_ref_price(m, tau, n), x = (z - m) / tau;
        // x e^x = N / e
        assert_close(x * exp(x) / (n / exp(1)), 1, 1e-4);
        assert_true(lgkt_plugin_pays(m, tau, z - 1e-4, n));
        assert_false(lgkt_plugin_pays(m, tau, z + 1e-4, n));
    }
    // a visit has to be left, a gain to be possible
    assert_false(lgkt_plugin_pays(0, 1, 0.1, 0));
    assert_false(lgkt_plugin_pays(0, 0, 0.1, 1e9));
    assert_true(lgkt_plugin_pays(0, 0, 0, 0));
    assert_true(lgkt_plugin_pays(0, 1, -INFINITY, 0));
    // equal but for the last bits
    assert_true(lgkt_plugin_pays(0.5, 0, 0.5 + 1e-16, 5));
    assert_true(lgkt_plugin_pays(0.3, 0, nextafter(0.3, 1), 5));
    assert_false(lgkt_plugin_pays(-1e100, 1e-300, 1e100, 1e18));
}

static void test_all_rewards_equal(void **state)
{
    const lgkt_mdp *model = *state;
    const lgkt_learner_config config = learner_run_config(model, 400);
    lgkt_learner *learner = learner_run_make("plugin", &config);
    for (int t = 0; t < 400; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, t % 3, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, 0.1, (t + 1) % 3, false), LGKT_OK);
    }
    // nothing is known to be worse than anything else: all actions of all states were tried
    assert_int_equal(learner_run_counter(learner, "firsts"),
                     LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS);
    lgkt_learner_destroy(learner);
}

// ---- units of the rewards ----

// the actions of a run whose rewards are told as factor r + shift
static void play_scaled(const char *spec, const lgkt_mdp *model, double factor, double shift,
                        int32_t *actions, int steps)
{
    const lgkt_learner_config config = learner_run_config(model, steps);
    learner_run run = {learner_run_make(spec, &config), model, 21, 0.02, 0};
    for (int t = 0; t < steps; t++) {
        if (t % 1000 == 500) {
            saved_bytes saved = saved_bytes_of(run.learner);
            lgkt_learner_destroy(run.learner);
            run.learner = saved_bytes_load(&saved, &config);
            saved_bytes_free(&saved);
        }
        assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &actions[t]), LGKT_OK);
        const lgkt_step step = learner_run_outcome(&run, actions[t]);
        assert_int_equal(
            lgkt_learner_observe(run.learner, factor * step.reward + shift, step.state, step.ended),
            LGKT_OK);
        run.state = step.state;
    }
    lgkt_learner_destroy(run.learner);
}

// A power of two changes no bit of a mantissa. Other factors and shifts round differently, which
// could change an action only where two numbers are equal to 13 digits: that does not occur here,
// so that all actions are the same too.
static void test_units_do_not_matter(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static int32_t plain[STEPS], scaled[STEPS];
    static const double maps[][2] = {{0x1p40, 0}, {0x1p-30, 0}, {100, 0},
                                     {1, -50},    {100, -50},   {0.3, 7}};
    static const char *const specs[] = {"plugin", "plugin:k=5", "plugin:k=5,threshold=none",
                                        "plugin:k=2,untried=last,aspiration=1.5",
                                        "plugin:untried=first,index=practical"};
    lgkt_rng rng = lgkt_rng_stream(8, "models", 1);
    lgkt_mdp *model = model_random(&rng, 7, 6, 0.3);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        play_scaled(specs[i], model, 1, 0, plain, STEPS);
        for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
            play_scaled(specs[i], model, maps[m][0], maps[m][1], scaled, STEPS);
            assert_memory_equal(plain, scaled, sizeof plain);
        }
    }
    lgkt_mdp_destroy(model);
}

// rewards whose squares are just about numbers
static void test_small_rewards(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static int32_t plain[STEPS], scaled[STEPS];
    static const int powers[] = {-290, -310, -400, -480};
    static const char *const specs[] = {"plugin", "plugin:k=5", "plugin:k=5,threshold=none",
                                        "plugin:k=2,untried=last,aspiration=1.5"};
    lgkt_rng rng = lgkt_rng_stream(8, "models", 1);
    lgkt_mdp *model = model_random(&rng, 7, 6, 0.3);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        play_scaled(specs[i], model, 1, 0, plain, STEPS);
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            play_scaled(specs[i], model, ldexp(1, powers[p]), 0, scaled, STEPS);
            assert_memory_equal(plain, scaled, sizeof plain);
        }
    }
    lgkt_mdp_destroy(model);
}

// Rewards that grow from nothing to the largest there are, and a learner saved at every size: sigma
// is that of all of them, as soon as their squares are numbers.
static void test_growing_rewards(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 1000);
    lgkt_learner *learner = learner_run_make("plugin:k=2", &config);
    double rewards[400];
    int count = 0;
    for (int power = -1070; power <= 48; power += power < -400 || power > -180 ? 26 : 2) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        const double reward = ldexp(power % 4 == 0 ? 1 : -0.75, power);
        assert_int_equal(lgkt_learner_observe(learner, reward, 0, false), LGKT_OK);
        saved_bytes saved = saved_bytes_of(learner);
        lgkt_learner_destroy(learner);
        learner = saved_bytes_load(&saved, &config);
        saved_bytes_free(&saved);
        rewards[count++] = reward;
        // in units of the last reward, which is the largest so far
        double sum = 0, squares = 0;
        for (int i = 0; i < count; i++) {
            const double x = ldexp(rewards[i], -power);
            sum += x;
            squares += x * x;
        }
        const double sigma = ldexp(sqrt((squares - sum * sum / count) / count), power);
        const lgkt_plugin *p = learner->self;
        if (count <= 64 && power > -490)
            assert_close(p->seen.sigma, sigma, 1e-9 * sigma);
    }
    lgkt_learner_destroy(learner);
}

static void test_largest_rewards(void **state)
{
    const lgkt_mdp *model = *state;
    const lgkt_learner_config config = learner_run_config(model, 2000);
    static const char *const specs[] = {"plugin", "plugin:k=1000", "plugin:k=5,scale=1e15"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner *learner = learner_run_make(specs[i], &config);
        for (int t = 0; t < 2000; t++) {
            int32_t action = -1;
            assert_int_equal(lgkt_learner_act(learner, t % 3, NULL, &action), LGKT_OK);
            const double reward = t % 5 < 2 ? LGKT_MAX_REWARD : -LGKT_MAX_REWARD;
            assert_int_equal(lgkt_learner_observe(learner, reward, (t + 1) % 3, false), LGKT_OK);
        }
        const lgkt_plugin *p = learner->self;
        assert_true(isfinite(p->seen.sigma) && isfinite(p->v[p->lanes]));
        lgkt_learner_destroy(learner);
    }
}

// ---- what it says about itself ----

static void test_full_spec(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 100);
    lgkt_learner *learner = learner_run_make("plugin", &config);
    assert_string_equal(lgkt_learner_spec(learner),
                        "plugin:k=auto,k-max=16,threshold=aspire,aspiration=1,untried=horizon,"
                        "share=0.5,scale=seen,width=1,index=released,refresh=1");
    assert_int_equal(learner_run_counter(learner, "depth"), 3);
    assert_int_equal(learner_run_counter(learner, "firsts"), 0);
    assert_int_equal(learner_run_counter(learner, "settled"), 0);
    lgkt_learner_destroy(learner);
}

static void test_refusals(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 100);
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"plugin:k=0", "k=0 must be auto or a whole number in [1, 1000]"},
        {"plugin:k=1001", "[1, 1000]"},
        {"plugin:k=deep", "k=deep must be auto"},
        {"plugin:k=2.5", "k=2.5 must be auto"},
        {"plugin:k-max=0", "k-max=0"},
        {"plugin:k-max=1001", "k-max=1001"},
        {"plugin:threshold=some", "threshold=some must be aspire, none or a number in"},
        {"plugin:threshold=1e16", "[-1e+15, 1e+15]"},
        {"plugin:threshold=inf", "threshold=inf must be"},
        {"plugin:scale=-1", "scale=-1 must be seen or a number in [0, 1e+15]"},
        {"plugin:scale=1e16", "[0, 1e+15]"},
        {"plugin:scale=x", "scale=x must be seen"},
        {"plugin:share=1.5", "share=1.5"},
        {"plugin:untried=never", "untried=never"},
        {"plugin:width=-1", "width=-1"},
        {"plugin:refresh=-1", "refresh=-1"},
        {"plugin:depth=3", "unknown parameter \"depth\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(cases[i].spec, &config, &learner, &error), LGKT_ERR_SPEC,
                       error, cases[i].words);
        assert_null(learner);
    }
}

static void test_depth_grows_with_the_data(void **state)
{
    const lgkt_mdp *model = *state;
    const lgkt_learner_config config = learner_run_config(model, 12 * 64);
    learner_run run = {learner_run_make("plugin:untried=first", &config), model, 2, 0, 0};
    int64_t before = 3;
    for (int64_t t = 0; t < 12 * 64; t++) {
        learner_run_play(&run, 1, NULL);
        const int64_t depth = learner_run_counter(run.learner, "depth");
        assert_in_range(depth, before, before + 1);
        before = depth;
    }
    // 64 visits per pair, if all were tried
    assert_int_equal(learner_run_counter(run.learner, "firsts"), 12);
    assert_int_equal(before, 3 + 6);
    lgkt_learner_destroy(run.learner);
}

// ---- memory ----

static void test_no_allocation_while_running(void **state)
{
    const lgkt_mdp *model = *state;
    static const char *const specs[] = {"plugin", "plugin:k=5", "plugin:k=1,untried=last"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fault memory;
        fault_init(&memory);
        lgkt_learner_config config = learner_run_config(model, 3000);
        config.allocator = fault_allocator(&memory);
        learner_run run = {learner_run_make(specs[i], &config), model, 9, 0.05, 0};
        const long long calls = memory.calls;
        assert_int_equal(memory.bytes, lgkt_learner_bytes(run.learner));
        learner_run_play(&run, 3000, NULL);
        assert_int_equal(memory.calls, calls);
        lgkt_learner_destroy(run.learner);
        assert_true(fault_is_clean(&memory));
    }
}

static void test_tables_are_shared(void **state)
{
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = learner_run_config(*state, 50000);
    config.allocator = fault_allocator(&memory);
    lgkt_learner *first = learner_run_make("plugin", &config);
    const long long bytes = memory.bytes;
    config.like = first;
    lgkt_learner *second = learner_run_make("plugin:k=2", &config);
    assert_true(memory.bytes < bytes + bytes / 2);
    lgkt_learner_destroy(first);
    learner_run run = {second, *state, 3, 0, 0};
    learner_run_play(&run, 100, NULL);
    lgkt_learner_destroy(second);
    assert_true(fault_is_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_defined),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_depth_one_is_lg1t),
        cmocka_unit_test(test_values_of_a_known_model),
        cmocka_unit_test(test_reservation_price),
        cmocka_unit_test(test_all_rewards_equal),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_small_rewards),
        cmocka_unit_test(test_growing_rewards),
        cmocka_unit_test(test_largest_rewards),
        cmocka_unit_test(test_full_spec),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_depth_grows_with_the_data),
        cmocka_unit_test(test_no_allocation_while_running),
        cmocka_unit_test(test_tables_are_shared),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
