// SPDX-License-Identifier: MIT
// labels: slow
// Q-learning, SARSA and differential Q-learning with random actions: known numbers, a naive
// version, what is explored and how often, an average that is the sum of all values, a start that
// rises with the rewards seen, and averages of another program.

#include "test.h"

#include <stdlib.h>

#include "learners/front/learner_private.h"
#include "ref/chance.h"
#include "ref/learner_run.h"
#include "ref/naive_modelfree.h"
#include "ref/panel_run.h"

// ---- known numbers ----

typedef struct known_run {
    const char *spec;
    double d[4];  // Q - Q0 of 2 x 2 pairs
    double start; // Q0
} known_run;

// steps (0,0,.5,1) (1,1,1,0) (0,0,0,0) (0,1,1,1)
static void test_known_runs(void **state)
{
    (void)state;
    const known_run runs[] = {
        {"q-greedy:alpha=0.5,discount=0.9", {0.2375, 0.775625, 0, 0.6125}, 0},
        {"q-greedy:step=power,w=1,discount=0.9,start=optimistic", {9.25, 10, 10, 10}, 10},
        {"q-differential:alpha=0.2,eta=0.5", {0.069, 0.2141, 0, 0.21}, 0},
        {"q-differential:alpha=0.2,centre=rvi", {0.08, 0.224, 0, 0.2}, 0},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        lgkt_learner *learner = modelfree_make(runs[i].spec, 2, 2, 100);
        modelfree_force(learner, 0, 0, 0.5, 1, false);
        modelfree_force(learner, 1, 1, 1, 0, false);
        modelfree_force(learner, 0, 0, 0, 0, false);
        modelfree_force(learner, 0, 1, 1, 1, false);
        for (size_t z = 0; z < 4; z++)
            assert_close(modelfree_real(learner, z), runs[i].d[z] - runs[i].start, 1e-12);
        assert_int_equal(modelfree_whole(learner, 4), 2);
        // rbar = eta times the sum of all changes
        if (i == 2)
            assert_close(0.5 * modelfree_real(learner, 8), 0.24655, 1e-12);
        lgkt_learner_destroy(learner);
    }
}

// the same steps, in a run where the drawn actions are 0, 1, 0, 1, 0
static void test_known_sarsa(void **state)
{
    (void)state;
    const double rewards[] = {0.5, 1, 0, 1}, expected[] = {0.125, 0.5, 0, 0.6125};
    const int32_t states[] = {0, 1, 0, 0, 1}, wanted[] = {0, 1, 0, 1, 0};
    bool found = false;
    for (uint64_t seed = 0; seed < 1000 && !found; seed++) {
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem.states = config.problem.actions = 2;
        config.problem.horizon = 100;
        config.seed = seed;
        lgkt_learner *learner = learner_run_make("sarsa:alpha=0.5,discount=0.9,epsilon=1", &config);
        found = true;
        for (int t = 0; t < 5 && found; t++) {
            int32_t action;
            assert_int_equal(lgkt_learner_act(learner, states[t], NULL, &action), LGKT_OK);
            // what was kept is what is played
            assert_true(t == 0 || modelfree_whole(learner, 8) == action);
            found = action == wanted[t];
            if (t < 4 && found)
                assert_int_equal(lgkt_learner_observe(learner, rewards[t], states[t + 1], false),
                                 LGKT_OK);
        }
        for (size_t z = 0; z < 4 && found; z++)
            assert_close(modelfree_real(learner, z), expected[z], 1e-12);
        lgkt_learner_destroy(learner);
    }
    assert_true(found);
}

static void test_sarsa_drops_the_action_at_a_cut(void **state)
{
    (void)state;
    lgkt_learner *learner = modelfree_make("sarsa", 2, 2, 100);
    assert_int_equal(modelfree_whole(learner, 8), -1);
    modelfree_force(learner, 0, 1, 1, 1, false);
    assert_in_range(modelfree_whole(learner, 8), 0, 1);
    modelfree_force(learner, 1, 1, 5, 0, true);
    assert_int_equal(modelfree_whole(learner, 8), -1);
    // nothing was learned from it
    assert_close(modelfree_real(learner, 3), 0, 0);
    assert_int_equal(modelfree_whole(learner, 7), 0);
    modelfree_force(learner, 0, 1, 1, 1, false);
    assert_in_range(modelfree_whole(learner, 8), 0, 1);
    lgkt_learner_begin(learner);
    assert_int_equal(modelfree_whole(learner, 8), -1);
    assert_int_equal(lgkt_learner_feed(learner, 0, 0, 1, 1, false), LGKT_ERR_UNSUPPORTED);
    lgkt_learner_destroy(learner);
}

// ---- the naive version ----

enum { MOST_PAIRS = 16 };
typedef enum kind { Q, SARSA, DIFFERENTIAL, RVI_FIRST, RVI_MEAN, RVI_MAX } kind;

// Values as such and not as differences to Q0; what was never played is looked up at Q0.
typedef struct naive {
    kind kind;
    int32_t states, actions;
    long double gamma, eta, alpha, w; // alpha = 0: n^-w
    bool optimistic, told;
    long double top;  // the highest reward, told or seen
    long double rbar; // of DIFFERENTIAL
    long double q[MOST_PAIRS];
    int64_t n[MOST_PAIRS];
} naive;

static long double value_of(const naive *v, int32_t s, int32_t a)
{
    const int32_t z = s * v->actions + a;
    return v->n[z] > 0 ? v->q[z] : v->optimistic ? v->top / (1 - v->gamma) : 0;
}

static long double highest(const naive *v, int32_t from, int32_t to)
{
    long double most = -INFINITY;
    for (int32_t s = from; s <= to; s++)
        for (int32_t a = 0; a < v->actions; a++)
            most = fmaxl(most, value_of(v, s, a));
    return most;
}

static long double sum_of(const naive *v)
{
    long double sum = 0;
    for (int32_t z = 0; z < v->states * v->actions; z++)
        sum += v->q[z];
    return sum;
}

static void learn(naive *v, int32_t s, int32_t a, double r, int32_t y, int32_t then, bool ended)
{
    const int32_t z = s * v->actions + a;
    if (!v->told)
        v->top = fmaxl(v->top, r);
    if (ended)
        return;
    const long double old = value_of(v, s, a);
    const long double follows = v->kind == SARSA ? value_of(v, y, then) : highest(v, y, y);
    const long double base = v->kind == DIFFERENTIAL ? v->rbar
                             : v->kind == RVI_FIRST  ? v->q[0]
                             : v->kind == RVI_MEAN   ? sum_of(v) / (v->states * v->actions)
                             : v->kind == RVI_MAX    ? highest(v, 0, v->states - 1)
                                                     : 0;
    const long double delta = r - base + v->gamma * follows - old;
    v->n[z]++;
    const long double alpha = v->alpha > 0 ? v->alpha : powl((long double)v->n[z], -v->w);
    v->q[z] = old + alpha * delta;
    v->rbar += v->eta * alpha * delta;
}

typedef struct setting {
    const char *spec;
    naive as;
    double cuts;
    bool greedy; // epsilon is 0
} setting;

static void check_setting(const setting *set, uint64_t seed)
{
    naive v = set->as;
    v.states = 1 + (int32_t)(seed % 4);
    v.actions = 1 + (int32_t)(seed / 2 % 4);
    v.top = v.told ? 1 : -INFINITY;
    const size_t pairs = (size_t)(v.states * v.actions);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.seed = seed;
    config.problem = (lgkt_problem){.states = v.states,
                                    .actions = v.actions,
                                    .horizon = 500,
                                    .reward_min = NAN,
                                    .reward_max = v.told ? 1 : NAN,
                                    .reward_sd = NAN};
    lgkt_learner *learner = learner_run_make(set->spec, &config);
    lgkt_rng rng = lgkt_rng_stream(seed, "steps", 0);
    int32_t s = 0;
    for (int t = 0; t < 300; t++) {
        int32_t action, then = 0;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        if (set->greedy && t > 0)
            assert_true(value_of(&v, s, action) >= highest(&v, s, s) - 1e-9L);
        // higher and higher for some time
        const double reward = lgkt_rng_uniform(&rng) * (v.told ? 1 : fmin(t + 1, 50));
        const int32_t next = lgkt_rng_below(&rng, v.states);
        const bool ended = lgkt_rng_bernoulli(&rng, set->cuts);
        assert_int_equal(lgkt_learner_observe(learner, reward, next, ended), LGKT_OK);
        if (v.kind == SARSA && !ended)
            then = (int32_t)modelfree_whole(learner, 2 * pairs);
        learn(&v, s, action, reward, next, then, ended);
        long double sum = 0;
        const long double start = v.optimistic ? v.top / (1 - v.gamma) : 0;
        for (size_t z = 0; z < pairs; z++) {
            const double d = modelfree_real(learner, z);
            const long double value = value_of(&v, (int32_t)z / v.actions, (int32_t)z % v.actions);
            assert_close(d, (double)(value - start), 1e-7);
            assert_int_equal(modelfree_whole(learner, pairs + z), v.n[z]);
            sum += d;
        }
        // the average is the sum of all values, whatever the steps were
        if (v.kind == DIFFERENTIAL) {
            assert_close((double)(v.eta * sum), (double)v.rbar, 1e-9);
            assert_close((double)(v.eta * modelfree_real(learner, 2 * pairs)),
                         (double)(v.eta * sum), 1e-9);
        }
        s = next;
    }
    lgkt_learner_destroy(learner);
}

static void test_runs_agree_with_a_naive_version(void **state)
{
    (void)state;
    const setting settings[] = {
        {"q-greedy:discount=0.9", {.kind = Q, .gamma = 0.9L, .alpha = 0.1L, .told = true}, 0, 0},
        {"q-greedy:epsilon=0,step=power,discount=0.5",
         {.kind = Q, .gamma = 0.5L, .w = 0.6L},
         0.1,
         1},
        {"q-greedy:epsilon=0,start=optimistic,discount=0.9",
         {.kind = Q, .gamma = 0.9L, .alpha = 0.1L, .optimistic = true, .told = true},
         0.1,
         1},
        {"q-greedy:epsilon=0,start=optimistic,discount=0.9,step=power,w=1",
         {.kind = Q, .gamma = 0.9L, .w = 1, .optimistic = true},
         0.1,
         1},
        {"sarsa:discount=0.9,explore=root", {.kind = SARSA, .gamma = 0.9L, .alpha = 0.1L}, 0.1, 0},
        {"sarsa:discount=0.8,start=optimistic,explore=time,epsilon=20",
         {.kind = SARSA, .gamma = 0.8L, .alpha = 0.1L, .optimistic = true},
         0,
         0},
        {"q-differential:epsilon=0",
         {.kind = DIFFERENTIAL, .gamma = 1, .alpha = 0.1L, .eta = 1},
         0.1,
         1},
        {"q-differential:eta=0.25,step=power,explore=root",
         {.kind = DIFFERENTIAL, .gamma = 1, .w = 0.6L, .eta = 0.25L, .told = true},
         0,
         0},
        {"q-differential:centre=rvi", {.kind = RVI_FIRST, .gamma = 1, .alpha = 0.1L}, 0, 0},
        {"q-differential:centre=rvi,reference=mean",
         {.kind = RVI_MEAN, .gamma = 1, .alpha = 0.1L},
         0.1,
         0},
        {"q-differential:centre=rvi,reference=max",
         {.kind = RVI_MAX, .gamma = 1, .alpha = 0.1L},
         0,
         0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 0; seed < 8; seed++)
            check_setting(&settings[i], seed);
}

// ---- exploration ----

// action 2 of three is the best
static void prefer_two(lgkt_learner *learner)
{
    for (int i = 0; i < 4; i++)
        modelfree_force(learner, 0, 2, 1, 1, false);
    modelfree_force(learner, 0, 1, -1, 1, false);
    modelfree_force(learner, 0, 0, -1, 1, false);
    modelfree_force(learner, 0, 2, 1, 1, false);
    modelfree_force(learner, 0, 2, 1, 1, false);
}

static void check_law(const char *spec, double epsilon)
{
    const double p[] = {epsilon / 3, epsilon / 3, 1 - 2 * epsilon / 3};
    assert_true(modelfree_law(spec, 3, p, prefer_two) > CHANCE_LEVEL);
}

static void test_exploration(void **state)
{
    (void)state;
    const double all[] = {1, 1, 1};
    assert_true(modelfree_law("q-greedy:epsilon=0", 3, all, NULL) > CHANCE_LEVEL);
    check_law("q-greedy", 0.1);
    check_law("q-greedy:epsilon=0.5", 0.5);
    check_law("q-differential:explore=root", 1 / 3.0); // 8 visits
    check_law("q-greedy:explore=root,epsilon=5", 1);
    check_law("q-greedy:explore=time", 1 / 9.0); // the ninth step
    check_law("q-differential:explore=time,epsilon=3", 1 / 3.0);
}

// ---- averages ----

// Mean expected rewards of 40 runs of 20000 steps by another program (standard errors 0.001 on
// RiverSwim, 0.0006 on the Garnet). Ours have errors of at most 0.0011; a difference of two such
// means is beyond 4 sigma = 0.006 with probability 6e-5, in one of the eight with 5e-4.
static void test_averages(void **state)
{
    (void)state;
    const char *const sl = "riverswim:variant=sl", *const osband = "riverswim:variant=osband";
    const char *const garnet = "garnet:states=10,actions=3,branches=3,seed=1";
    const struct {
        const char *env, *spec;
        double mean;
    } rows[] = {
        {sl, "q-greedy:epsilon=0,start=optimistic", 0.0732},
        {sl, "q-greedy:epsilon=0,start=optimistic,step=power", 0.0877},
        {sl, "sarsa:start=optimistic", 0.0692},
        {sl, "q-differential", 0.0005},
        {osband, "sarsa:start=optimistic", 0.1996},
        {garnet, "q-greedy:epsilon=0,start=optimistic,step=power,reward-max=1", 0.5795},
        {garnet, "q-differential", 0.6092},
        {garnet, "q-differential:explore=root", 0.6320},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const run_setup setup = {.world.spec = rows[i].env,
                                 .learners = &rows[i].spec,
                                 .learner_count = 1,
                                 .horizon = 20000,
                                 .replicates = 40,
                                 .seed = 7,
                                 .jobs = 1};
        run_result result;
        lgkt_error error = {0};
        assert_ok(run_panel(&setup, &result, &error), error);
        const exp_estimate reward = exp_summarize(&result.reduction, 0).reward;
        assert_between(reward.ci95, 0, 0.0022);
        assert_close(reward.mean, rows[i].mean, 0.006);
        run_result_free(&result);
    }
}

// ---- settings ----

static void test_bad_settings(void **state)
{
    (void)state;
    modelfree_check_refused("q-greedy:discount=1", "discount");
    modelfree_check_refused("sarsa:discount=1", "discount");
    modelfree_check_refused("sarsa:discount=-0.1", "discount");
    modelfree_check_refused("q-differential:discount=0.9", "discount");
    modelfree_check_refused("q-greedy:alpha=2", "alpha");
    modelfree_check_refused("q-greedy:epsilon=-1", "epsilon");
    modelfree_check_refused("q-greedy:explore=never", "root");
    modelfree_check_refused("q-greedy:w=1.5", "w=1.5");
    modelfree_check_refused("q-differential:eta=-1", "eta");
    modelfree_check_refused("q-differential:centre=none", "rvi");
    modelfree_check_refused("q-differential:reference=none", "mean");
    modelfree_check_refused("q-differential:start=optimistic", "start");
}

// what nobody told is left out of the full spec, and what was told is in it
static void test_told(void **state)
{
    (void)state;
    char text[64];
    lgkt_error error = {0};
    lgkt_learner *told = modelfree_make("q-greedy:start=optimistic", 2, 2, 10);
    assert_ok(lgkt_spec_value(lgkt_learner_spec(told), "reward-max", text, sizeof text, &error),
              error);
    assert_string_equal(text, "1");
    lgkt_learner_destroy(told);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    lgkt_learner *untold = learner_run_make("q-greedy:start=optimistic", &config);
    assert_null(strstr(lgkt_learner_spec(untold), "reward-max"));
    lgkt_learner_destroy(untold);
}

// steps so large that they feed on themselves: a large number, but a number
static void test_values_stay_finite(void **state)
{
    (void)state;
    lgkt_learner *learner = modelfree_make("q-differential:alpha=1,eta=1000000", 2, 2, 10000);
    for (int i = 0; i < 3000; i++)
        modelfree_force(learner, i % 2, i / 2 % 2, i % 3 == 0 ? 1e100 : -1e100, (i + 1) % 2, false);
    for (size_t z = 0; z < 4; z++)
        assert_true(fabs(modelfree_real(learner, z)) <= 1e120);
    assert_true(isfinite(modelfree_real(learner, 8)));
    lgkt_learner_destroy(learner);
}

// ---- what holds for all of them ----

static const char *const specs[] = {
    "q-greedy",
    "q-greedy:explore=root,step=power",
    "q-greedy:explore=time,epsilon=30,start=optimistic",
    "q-greedy:epsilon=0,start=optimistic,step=power,w=1",
    "sarsa",
    "sarsa:explore=root,start=optimistic",
    "q-differential",
    "q-differential:explore=root,step=power,eta=0.5",
    "q-differential:centre=rvi",
    "q-differential:centre=rvi,reference=max",
};

static void test_common(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        modelfree_check_rewards(specs[i]);
        modelfree_check_resume(specs[i]);
        modelfree_check_growth(specs[i]);
        if (strncmp(specs[i], "sarsa", 5) != 0)
            modelfree_check_feed(specs[i]);
    }
    modelfree_check_resume("q-differential:centre=rvi,reference=mean");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_runs),
        cmocka_unit_test(test_known_sarsa),
        cmocka_unit_test(test_sarsa_drops_the_action_at_a_cut),
        cmocka_unit_test(test_runs_agree_with_a_naive_version),
        cmocka_unit_test(test_exploration),
        cmocka_unit_test(test_averages),
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_values_stay_finite),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
