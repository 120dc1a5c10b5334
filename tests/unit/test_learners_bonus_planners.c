// SPDX-License-Identifier: MIT
// labels: slow
// MBIE-EB, BEB and R-max: values against printed numbers and against dense value iteration, when
// they plan, cuts, frozen counts, the ceiling, and other units.

#include "test.h"

#include "learners/front/learner_private.h"
#include "ref/learner_run.h"

static lgkt_learner *make(const char *spec, int32_t states, int32_t actions, double low,
                          double high)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = 5000;
    config.problem.reward_min = low;
    config.problem.reward_max = high;
    config.seed = 12;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create(spec, &config, &learner, &error), error);
    return learner;
}

static void feed(lgkt_learner *learner, int32_t s, int32_t a, double reward, int32_t next, int n)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(lgkt_learner_feed(learner, s, a, reward, next, false), LGKT_OK);
}

// makes it plan
static int32_t act(lgkt_learner *learner, int32_t state)
{
    const int32_t action = learner->act(learner, state);
    assert_true(action >= 0);
    return action;
}

// what a pair is worth in the plan
static double q_of(const lgkt_learner *learner, int32_t state, int32_t action)
{
    lgkt_reason reasons[4];
    lgkt_error error = {0};
    assert_ok(lgkt_learner_explain(learner, state, NULL, reasons, sizeof *reasons, &error), error);
    return reasons[action].upper;
}

// ---- values ----

// n = [[4, 1], [9, 0]], C(0,0) = (3, 1), C(0,1) = (0, 1), C(1,0) = (3, 6), mean rewards
// [[.25, 0], [.5, -]], g = .9; numbers of another program
static void test_printed(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double q[4];
        int32_t best[2];
    } cases[] = {
        {"mbie-eb:beta=0.4,", {9.045, 9.4, 9.453333333, 10}, {1, 1}},
        {"mbie-eb:beta=0.4,cap=1,", {9.045, 9.4, 9.453333333, 10}, {1, 1}},
        {"r-max:m=4,", {9.25, 10, 9.5, 10}, {1, 1}},
        {"beb:beta=2.5,n0=1,", {10.324829932, 10.629251701, 10.492578850, 10.969387755}, {1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[LEARNER_RUN_SPEC];
        snprintf(spec, sizeof spec, "%sdiscount=0.9,precision=1e-12", cases[i].spec);
        lgkt_learner *learner = make(spec, 2, 2, 0, 1);
        feed(learner, 0, 0, 0.25, 0, 3);
        feed(learner, 0, 0, 0.25, 1, 1);
        feed(learner, 0, 1, 0, 1, 1);
        feed(learner, 1, 0, 0.5, 0, 3);
        feed(learner, 1, 0, 0.5, 1, 6);
        for (int32_t s = 0; s < 2; s++)
            assert_int_equal(act(learner, s), cases[i].best[s]);
        for (int32_t z = 0; z < 4; z++)
            assert_close(q_of(learner, z / 2, z % 2), cases[i].q[z], 2e-9);
        assert_int_equal(learner_run_counter(learner, "plans"), 1);
        lgkt_learner_destroy(learner);
    }
}

enum { STATES = 5, ACTIONS = 3 };

typedef struct plain {
    double n[STATES][ACTIONS], sum[STATES][ACTIONS], c[STATES][ACTIONS][STATES];
} plain;

typedef struct rule {
    const char *spec;
    char name; // m, b, r
    double beta, n0, m, sd;
    bool cap;
} rule;

// dense and without haste
static void plain_q(const plain *p, const rule *of, double q[STATES][ACTIONS])
{
    const double g = 0.9, best = 1 / (1 - g), scale = fmax(1, 2 * of->sd);
    double v[STATES] = {0};
    for (int sweep = 0; sweep < 2000; sweep++) {
        for (int s = 0; s < STATES; s++)
            for (int a = 0; a < ACTIONS; a++) {
                const double n = p->n[s][a], pseudo = of->name == 'b' ? of->n0 : 0;
                double moves = pseudo, next = 0;
                for (int y = 0; y < STATES; y++) {
                    moves += p->c[s][a][y];
                    next += (p->c[s][a][y] + pseudo / STATES) * v[y];
                }
                next = moves > 0 ? next / moves : best;
                q[s][a] = (n > 0 ? p->sum[s][a] / n : 0) + g * next;
                if (of->name == 'm')
                    q[s][a] = n == 0 ? best : q[s][a] + of->beta * scale / sqrt(n);
                if (of->name == 'b')
                    q[s][a] += of->beta * scale / (1 + of->n0 + n);
                if (of->name == 'r' && n < of->m)
                    q[s][a] = best;
                if (of->cap)
                    q[s][a] = fmin(q[s][a], best);
            }
        for (int s = 0; s < STATES; s++)
            v[s] = fmax(q[s][0], fmax(q[s][1], q[s][2]));
    }
}

// at every step, with cuts and fed steps
static void test_against_plain(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"mbie-eb:beta=0.7,", 'm', 0.7, 0, 0, 0, false},
        {"mbie-eb:beta=2,cap=1,", 'm', 2, 0, 0, 0, true},
        {"mbie-eb:beta=0.7,reward-sd=1.5,", 'm', 0.7, 0, 0, 1.5, false},
        {"beb:beta=3,n0=0.5,", 'b', 3, 0.5, 0, 0, false},
        {"r-max:m=3,", 'r', 0, 0, 3, 0, false},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char spec[LEARNER_RUN_SPEC];
        snprintf(spec, sizeof spec, "%sdiscount=0.9,precision=1e-12", rules[i].spec);
        lgkt_learner *learner = make(spec, STATES, ACTIONS, 0, 1);
        lgkt_rng rng = lgkt_rng_stream(13, "plain", (uint64_t)i);
        plain p = {0}, planned = {0};
        double q[STATES][ACTIONS];
        int64_t plans = -1;
        for (int t = 0; t < 150; t++) {
            const int32_t s = lgkt_rng_below(&rng, STATES), action = act(learner, s);
            // r-max keeps its plan until another pair is known
            const int64_t now = learner_run_counter(learner, "plans");
            planned = rules[i].name != 'r' || now != plans ? p : planned;
            plans = now;
            plain_q(&planned, &rules[i], q);
            for (int32_t a = 0; a < ACTIONS; a++) {
                assert_true(q[s][action] >= q[s][a] - 1e-9);
                assert_close(q_of(learner, s, a), q[s][a], 2e-9);
            }
            const int32_t other = lgkt_rng_below(&rng, ACTIONS),
                          next = lgkt_rng_below(&rng, STATES);
            const double reward = (double)lgkt_rng_below(&rng, 100) / 100;
            const bool ended = t % 4 == 0;
            assert_int_equal(lgkt_learner_feed(learner, s, other, reward, next, ended), LGKT_OK);
            p.n[s][other] += 1;
            p.sum[s][other] += reward;
            p.c[s][other][next] += !ended;
        }
        assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
        assert_true(rules[i].name == 'r' ? plans <= STATES * ACTIONS + 1 : plans == 150);
        lgkt_learner_destroy(learner);
    }
}

// untried pairs go first where nothing is known, each as often as the others
static void test_ties(void **state)
{
    (void)state;
    static const char *specs[] = {"mbie-eb", "beb", "r-max"};
    for (int i = 0; i < 3; i++) {
        int counts[4] = {0};
        lgkt_learner *learner = make(specs[i], 2, 4, 0, 1);
        for (int t = 0; t < 400; t++)
            counts[act(learner, 1)]++;
        for (int a = 0; a < 4; a++)
            assert_between(counts[a], 60, 140);
        lgkt_learner_destroy(learner);
    }
}

// ---- settings ----

static void test_freeze(void **state)
{
    (void)state;
    for (int freeze = 0; freeze < 2; freeze++) {
        lgkt_learner *learner = make(freeze ? "r-max:m=2,freeze=1,discount=0.5,precision=1e-12"
                                            : "r-max:m=2,discount=0.5,precision=1e-12",
                                     1, 2, 0, 1);
        feed(learner, 0, 0, 0, 0, 2);
        feed(learner, 0, 0, 0.5, 0, 2);
        feed(learner, 0, 1, 0.125, 0, 2);
        assert_int_equal(act(learner, 0), freeze ? 1 : 0);
        // r + g max Q, the best pays 1/8 or 1/4 for ever
        assert_close(q_of(learner, 0, 1), freeze ? 0.25 : 0.375, 1e-10);
        assert_close(q_of(learner, 0, 0), freeze ? 0.125 : 0.5, 1e-10);
        lgkt_learner_destroy(learner);
    }
}

// one pair that is played again and again: the first ten visits, then each tenth part more
static void test_lazy(void **state)
{
    (void)state;
    lgkt_learner *lazy = make("mbie-eb:lazy=1", 1, 1, 0, 1);
    int64_t plans = 0, expected = 1;
    double last = 0;
    for (int n = 1; n <= 1000; n++) {
        act(lazy, 0);
        plans = learner_run_counter(lazy, "plans");
        assert_int_equal(plans, expected);
        feed(lazy, 0, 0, 0.5, 0, 1);
        if (n < 10 || n >= 1.1 * last) {
            last = n;
            expected++;
        }
    }
    assert_between((double)plans, 40, 60);
    lgkt_learner_destroy(lazy);
}

// 8 r - 4 with the range in the same units, told or not: the same actions
static void test_units(void **state)
{
    (void)state;
    static const char *specs[] = {"mbie-eb", "mbie-eb:cap=1,lazy=1", "beb", "r-max:m=2"};
    for (int i = 0; i < 8; i++) {
        const bool told = i < 4;
        lgkt_rng rng = lgkt_rng_stream(14, "units", (uint64_t)i);
        lgkt_learner *one = make(specs[i % 4], 20, 3, told ? 0 : NAN, told ? 1 : NAN);
        lgkt_learner *other = make(specs[i % 4], 20, 3, told ? -4 : NAN, told ? 4 : NAN);
        int32_t s = 0;
        for (int t = 0; t < 2000; t++) {
            int32_t a, b;
            assert_int_equal(lgkt_learner_act(one, s, NULL, &a), LGKT_OK);
            assert_int_equal(lgkt_learner_act(other, s, NULL, &b), LGKT_OK);
            assert_int_equal(a, b);
            const double r = (double)lgkt_rng_below(&rng, 300) / 256;
            const int32_t next = (s + 1 + lgkt_rng_below(&rng, 3) * (a + 1)) % 20;
            assert_int_equal(lgkt_learner_observe(one, r, next, false), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(other, 8 * r - 4, next, false), LGKT_OK);
            s = next;
        }
        assert_int_equal(learner_run_counter(one, "sweeps"), learner_run_counter(other, "sweeps"));
        assert_int_equal(learner_run_counter(one, "sweep_cap_hits"), 0);
        lgkt_learner_destroy(one);
        lgkt_learner_destroy(other);
    }
}

// states that come up one by one, the last of them in a choice: the values of a learner that knew
// all of them
static void test_growth(void **state)
{
    (void)state;
    static const char *specs[] = {
        "mbie-eb:discount=0.9,precision=1e-12", "mbie-eb:discount=0.9,precision=1e-12,lazy=1",
        "beb:discount=0.9,precision=1e-12", "r-max:m=2,discount=0.9,precision=1e-12"};
    for (int i = 0; i < 4; i++) {
        lgkt_learner *fixed = make(specs[i], 4, 2, 0, 1), *grown = NULL;
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem = fixed->problem;
        config.problem.states = 1;
        lgkt_error error = {0};
        const lgkt_origin origin = {.limit = 9, .saved_bytes = SIZE_MAX};
        assert_ok(lgkt_learner_create_from(specs[i], &config, &origin, &grown, &error), error);
        for (int32_t s = 0; s < 3; s++) {
            if (s > 0)
                assert_ok(lgkt_learner_add_state(grown, &error), error);
            for (int32_t a = 0; a < 2; a++)
                for (int32_t y = 0; y <= s; y++) {
                    feed(fixed, s, a, 0.25 * (s + a), y, 1 + y);
                    feed(grown, s, a, 0.25 * (s + a), y, 1 + y);
                    act(grown, s);
                }
        }
        assert_ok(lgkt_learner_add_state(grown, &error), error);
        act(fixed, 3);
        act(grown, 3);
        for (int32_t z = 0; z < 8; z++)
            assert_close(q_of(grown, z / 2, z % 2), q_of(fixed, z / 2, z % 2), 1e-9);
        lgkt_learner_destroy(fixed);
        lgkt_learner_destroy(grown);
    }
}

// not told: a higher reward raises what untried pairs are worth
static void test_untold(void **state)
{
    (void)state;
    lgkt_learner *learner = make("mbie-eb:discount=0.5,beta=0.1,precision=1e-12", 1, 2, NAN, NAN);
    feed(learner, 0, 0, 3, 0, 1);
    feed(learner, 0, 0, 7, 0, 1);
    act(learner, 0);
    // the best reward for ever, and of the other the mean and half of that
    assert_close(q_of(learner, 0, 1), 14, 1e-9);
    assert_close(q_of(learner, 0, 0), 5 + 0.1 * 4 / sqrt(2) + 7, 1e-9);
    lgkt_learner_destroy(learner);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *specs[][2] = {
        {"mbie-eb:discount=1", "discount"},
        {"beb:n0=0", "n0"},
        {"r-max:m=0", "m=0"},
        {"mbie-eb:cap=2", "cap"},
        {"r-max:beta=1", "beta"},
        {"beb:precision=0", "precision"},
    };
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(specs[i][0], &config, &learner, &error), LGKT_ERR_SPEC,
                       error, specs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed), cmocka_unit_test(test_against_plain),
        cmocka_unit_test(test_ties),    cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_lazy),    cmocka_unit_test(test_units),
        cmocka_unit_test(test_growth),  cmocka_unit_test(test_untold),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
