// SPDX-License-Identifier: MIT
// labels: slow
// UCBVI against known numbers and, step by step, against the dense version in ref/naive_ucbvi.c.
//
// The Q table is not visible; it is read from a saved state, which ends with Q (S, A, H),
// V (S, H + 1), N' (S, H), the step of the piece and the checksum, 8 bytes each.

#include "test.h"

#include "learners/front/learner_private.h"
#include "ref/chance.h"
#include "ref/fault.h"
#include "ref/naive_ucbvi.h"
#include "ref/saved_bytes.h"
#include "ref/tamper.h"

static lgkt_learner_config config_of(int32_t states, int32_t actions, int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = horizon;
    return config;
}

static lgkt_learner *make(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create(spec, config, &learner, &error), error);
    return learner;
}

// ---- inside a saved state ----

typedef struct table {
    saved_bytes saved;
    size_t h, states, actions;
} table;

static table table_of(const lgkt_learner *learner, int64_t h)
{
    const lgkt_problem problem = lgkt_learner_problem(learner);
    return (table){saved_bytes_of(learner), (size_t)h, (size_t)problem.states,
                   (size_t)problem.actions};
}

// bytes of a saved state behind the visits: the step, whether other pairs are offered, the checksum
enum { BEHIND = 24 };

// where N'_h(s) stands, h = 1 .. H
static size_t visits_at(const table *t, size_t h, size_t s)
{
    return t->saved.size - BEHIND - 8 * (t->states * t->h - (s * t->h + h - 1));
}

static double q_of(const table *t, size_t h, size_t s, size_t a)
{
    const size_t behind = 2 * t->states * t->h;
    const size_t left = t->states * t->actions * t->h - ((s * t->actions + a) * t->h + h - 1);
    const uint64_t word = tamper_word(t->saved.bytes, t->saved.size - BEHIND - 8 * (behind + left));
    double q;
    memcpy(&q, &word, sizeof q);
    return q;
}

// ---- known numbers ----

static void feed(lgkt_learner *learner, int32_t s, int32_t a, double reward, int32_t next, int n)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(lgkt_learner_feed(learner, s, a, reward, next, false), LGKT_OK);
}

// the counts of the example: n = [[200000, 50000], [100000, 0]]
static table planned_example(const char *spec)
{
    const lgkt_learner_config config = config_of(2, 2, 1000);
    lgkt_learner *learner = make(spec, &config);
    feed(learner, 0, 0, 0.1, 0, 150000);
    feed(learner, 0, 0, 0.1, 1, 50000);
    feed(learner, 0, 1, 0.3, 0, 10000);
    feed(learner, 0, 1, 0.3, 1, 40000);
    feed(learner, 1, 0, 0.9, 0, 20000);
    feed(learner, 1, 0, 0.9, 1, 80000);
    int32_t action;
    assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
    const table t = table_of(learner, 2);
    lgkt_learner_destroy(learner);
    return t;
}

static void check_q(table *t, size_t h, const double expected[4])
{
    for (size_t z = 0; z < 4; z++)
        if (!isnan(expected[z]))
            assert_close(q_of(t, h, z / 2, z % 2), expected[z], 6e-9);
}

// L = ln(5 S A T / delta) = 12.899219826090; previous Q = 2 everywhere
static void test_known_numbers(void **state)
{
    (void)state;
    assert_close(log(5 * 4 * 1000 / 0.05), 12.899219826090, 1e-12);
    static const struct {
        const char *spec;
        double q2[4], q1[4];
    } cases[] = {
        {"ucbvi:h=2,reward-bonus=0",
         {0.10060196, 0.30240785, 0.90120393, 2},
         {0.85675424, 2, 2, 2}},
        {"ucbvi:h=2,reward-bonus=0,bound=ch",
         {0.50380945, 1.10761891, 1.47107281, 2},
         {1.83452363, NAN, NAN, 2}},
        {"ucbvi:h=2", {NAN, NAN, NAN, 2}, {0.87083938, NAN, NAN, 2}},
        {"ucbvi:h=2,bound=ch", {NAN, NAN, NAN, 2}, {1.84872048, NAN, NAN, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = planned_example(cases[i].spec);
        check_q(&t, 2, cases[i].q2);
        check_q(&t, 1, cases[i].q1);
        saved_bytes_free(&t.saved);
    }
}

// N' matters only beyond what a run can reach, so it is put into a saved state
static void test_visits_of_the_next_state(void **state)
{
    (void)state;
    const char *spec = "ucbvi:h=3,bonus=0.1";
    const lgkt_learner_config config = config_of(2, 2, 1000);
    double first = NAN, last = NAN;
    for (uint64_t visits = 1000000; visits < UINT64_C(1) << 50; visits *= 10) {
        const naive_ucbvi_form form = naive_ucbvi_read(spec, &config.problem, 10, 1);
        naive_ucbvi *naive = naive_ucbvi_create(&form);
        assert_non_null(naive);
        lgkt_learner *learner = make(spec, &config);
        for (int i = 0; i < 400; i++) {
            const int32_t s = i % 2, a = i / 2 % 2, next = i % 3 % 2;
            feed(learner, s, a, 0.25 * s, next, 1);
            naive_ucbvi_feed(naive, s, a, 0.25 * s, next, false);
        }
        table t = table_of(learner, 3);
        for (size_t h = 1; h <= 3; h++)
            for (size_t s = 0; s < 2; s++) {
                const uint64_t seen = visits * h + s;
                tamper_set_word(t.saved.bytes, visits_at(&t, h, s), seen);
                naive_ucbvi_set_visits(naive, (int64_t)h, (int32_t)s, (double)seen);
            }
        tamper_seal(t.saved.bytes, t.saved.size);
        lgkt_learner_destroy(learner);
        learner = saved_bytes_load(&t.saved, &config);
        int32_t action;
        lgkt_rng rng = learner->rng;
        assert_int_equal(lgkt_learner_act(learner, 1, NULL, &action), LGKT_OK);
        assert_int_equal(action, naive_ucbvi_act(naive, 1, &rng));
        saved_bytes_free(&t.saved);
        t = table_of(learner, 3);
        for (size_t i = 0; i < 12; i++)
            assert_close(
                q_of(&t, 1 + i % 3, i / 6, i / 3 % 2),
                naive_ucbvi_q(naive, 1 + (int64_t)i % 3, (int32_t)(i / 6), (int32_t)(i / 3 % 2)),
                1e-13);
        last = q_of(&t, 1, 1, 0);
        first = isnan(first) ? last : first;
        saved_bytes_free(&t.saved);
        lgkt_learner_destroy(learner);
        naive_ucbvi_destroy(naive);
    }
    assert_true(last < first - 0.01);
}

// ---- whole runs ----

typedef struct world {
    int32_t states, actions;
    double cuts, fed; // probabilities that a step is cut, and that one is fed before it
    bool coarse;      // rewards are 0 or 1, rows lead to one state: there are ties
} world;

// a reward and a next state, the same for the two
static double draw_step(const world *w, lgkt_rng *rng, int32_t s, int32_t a, int32_t *next)
{
    *next = w->coarse ? (s + a) % w->states : lgkt_rng_below(rng, w->states);
    if (!w->coarse && lgkt_rng_bernoulli(rng, 0.5))
        *next = (s + a) % w->states;
    const double mean = 0.2 * ((3 * s + a) % 5);
    return w->coarse ? (mean > 0.5) : mean + 0.3 * lgkt_rng_normal(rng);
}

static void check_tables(const lgkt_learner *learner, const naive_ucbvi *naive, int64_t h)
{
    table t = table_of(learner, h);
    for (size_t s = 0; s < t.states; s++)
        for (size_t a = 0; a < t.actions; a++)
            for (size_t i = 1; i <= t.h; i++)
                assert_close(q_of(&t, i, s, a),
                             naive_ucbvi_q(naive, (int64_t)i, (int32_t)s, (int32_t)a), 1e-11);
    saved_bytes_free(&t.saved);
}

static void check_run(const char *spec, const world *w, uint64_t seed)
{
    lgkt_learner_config config = config_of(w->states, w->actions, 400);
    config.seed = seed;
    if (seed % 2 == 0)
        config.problem.reward_max = 1.25, config.problem.reward_sd = 0.3;
    const naive_ucbvi_form form = naive_ucbvi_read(spec, &config.problem, 10, 1);
    naive_ucbvi *naive = naive_ucbvi_create(&form);
    assert_non_null(naive);
    lgkt_learner *learner = make(spec, &config);
    lgkt_rng rng = lgkt_rng_stream(seed, "world", 0), own = learner->rng;
    int32_t state = 0, action, next;
    for (int t = 0; t < 400; t++) {
        if (lgkt_rng_bernoulli(&rng, w->fed)) {
            const int32_t s = lgkt_rng_below(&rng, w->states);
            const int32_t a = lgkt_rng_below(&rng, w->actions);
            const bool ended = lgkt_rng_bernoulli(&rng, w->cuts);
            const double reward = draw_step(w, &rng, s, a, &next);
            assert_int_equal(lgkt_learner_feed(learner, s, a, reward, next, ended), LGKT_OK);
            naive_ucbvi_feed(naive, s, a, reward, next, ended);
            state = s; // after a feed any state may come
        }
        assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
        assert_int_equal(action, naive_ucbvi_act(naive, state, &own));
        // as many random numbers as the reference has drawn
        assert_memory_equal(&own, &learner->rng, sizeof own);
        if (t % 20 == 0)
            check_tables(learner, naive, form.h);
        const bool ended = lgkt_rng_bernoulli(&rng, w->cuts);
        const double reward = draw_step(w, &rng, state, action, &next);
        assert_int_equal(lgkt_learner_observe(learner, reward, next, ended), LGKT_OK);
        naive_ucbvi_observe(naive, state, action, reward, next, ended);
        state = next;
    }
    lgkt_learner_destroy(learner);
    naive_ucbvi_destroy(naive);
}

static void test_runs_agree_with_the_dense_version(void **state)
{
    (void)state;
    static const world worlds[] = {{3, 2, 0, 0, false},     {1, 3, 0.1, 0, false},
                                   {4, 3, 0.05, 0.2, true}, {2, 1, 0, 0.1, false},
                                   {2, 4, 0.2, 0, true},    {3, 3, 1, 0, false}};
    static const char *const tails[] = {"",
                                        ",bonus=0.1",
                                        ",bonus=0.001",
                                        ",bonus=0",
                                        ",bonus=0.01,reward-bonus=0",
                                        ",delta=1",
                                        ",bonus=0.01,reward-min=-1,reward-max=3",
                                        ",bonus=0.01,reward-min=0.5,reward-max=0.5,reward-sd=0"};
    enum { WORLDS = sizeof worlds / sizeof *worlds, TAILS = sizeof tails / sizeof *tails };
    int runs = 0;
    for (int i = 0; i < WORLDS * TAILS * 5 * 2; i++, runs++) {
        char spec[128];
        snprintf(spec, sizeof spec, "ucbvi:h=%d,bound=%s%s", i % 5 == 4 ? 7 : 1 + i % 5,
                 i / 5 % 2 == 0 ? "bf" : "ch", tails[i / 10 % TAILS]);
        check_run(spec, &worlds[i / (10 * TAILS)], (uint64_t)i);
    }
    print_message("%d runs of 400 steps compared\n", runs);
}

// ---- choices ----

// at first all actions are worth H: each is played as often as the others
static void test_ties_are_drawn(void **state)
{
    (void)state;
    enum { ACTIONS = 5, DRAWS = 4000 };
    const double law[ACTIONS] = {0.2, 0.2, 0.2, 0.2, 0.2};
    int64_t counts[ACTIONS] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        lgkt_learner_config config = config_of(1, ACTIONS, 1);
        config.instance = i;
        lgkt_learner *learner = make("ucbvi:h=1", &config);
        lgkt_rng expected = learner->rng;
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        lgkt_rng_next(&expected);
        assert_memory_equal(&expected, &learner->rng, sizeof expected);
        counts[action]++;
        lgkt_learner_destroy(learner);
    }
    // false alarm: CHANCE_LEVEL = 1e-7
    assert_true(chance_law_p_value(counts, law, ACTIONS) > CHANCE_LEVEL);
}

// two actions whose Q differ by less than 1e-12 H are equal, and by more are not
static void test_how_close_a_tie_is(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double gap = (i % 2 == 0 ? 0.9e-12 : 1.1e-12) * (i < 2 ? 1 : 4);
        char spec[64];
        snprintf(spec, sizeof spec, "ucbvi:h=%d,bonus=0", i < 2 ? 1 : 4);
        const lgkt_learner_config config = config_of(2, 2, 100);
        lgkt_learner *learner = make(spec, &config);
        // every step leads to state 1, where nothing is earned
        feed(learner, 0, 0, 0.25, 1, 1);
        feed(learner, 0, 1, 0.25 + gap, 1, 1);
        feed(learner, 1, 0, 0, 1, 1);
        feed(learner, 1, 1, 0, 1, 1);
        const lgkt_rng before = learner->rng;
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        const bool drawn = memcmp(&before, &learner->rng, sizeof before) != 0;
        assert_true(drawn == (i % 2 == 0));
        assert_true(drawn || action == 1);
        lgkt_learner_destroy(learner);
    }
}

// rewards from -1 to 3 are played as rewards (r + 1)/4 from 0 to 1; all numbers are exact
static void test_rewards_are_mapped(void **state)
{
    (void)state;
    static const char *const told[] = {
        "ucbvi:h=3,bonus=0.01,reward-min=-1,reward-max=3",
        "ucbvi:h=3,bonus=0.01,reward-min=-1,reward-max=0,reward-sd=2"};
    for (int i = 0; i < 2; i++) {
        const lgkt_learner_config config = config_of(3, 3, 300);
        lgkt_learner *wide = make(told[i], &config), *unit = make("ucbvi:h=3,bonus=0.01", &config);
        lgkt_rng rng = lgkt_rng_stream(2, "rewards", 0);
        int32_t s = 0;
        for (int t = 0; t < 300; t++) {
            int32_t a, b;
            assert_int_equal(lgkt_learner_act(wide, s, NULL, &a), LGKT_OK);
            assert_int_equal(lgkt_learner_act(unit, s, NULL, &b), LGKT_OK);
            assert_int_equal(a, b);
            const double x = 0.25 * lgkt_rng_below(&rng, 5);
            s = lgkt_rng_below(&rng, 3);
            assert_int_equal(lgkt_learner_observe(wide, 4 * x - 1, s, false), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(unit, x, s, false), LGKT_OK);
        }
        lgkt_learner_destroy(wide);
        lgkt_learner_destroy(unit);
    }
}

// what the problem tells is used where the spec is silent
static void test_problem_tells_the_rewards(void **state)
{
    (void)state;
    lgkt_learner_config config = config_of(2, 2, 10);
    config.problem.reward_min = -2;
    config.problem.reward_max = 6;
    config.problem.reward_sd = 0.125;
    lgkt_learner *learner = make("ucbvi:reward-sd=3", &config);
    assert_string_equal(lgkt_learner_spec(learner),
                        "ucbvi:h=10,bound=bf,bonus=1,reward-bonus=1,delta=0.05,reward-min=-2,"
                        "reward-max=6,reward-sd=3");
    lgkt_learner_destroy(learner);
}

// ---- refusals and memory ----

static void test_bad_settings_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"ucbvi:h=0", "h"},
        {"ucbvi:h=1001", "h"},
        {"ucbvi:bonus=-1", "bonus"},
        {"ucbvi:delta=0", "delta"},
        {"ucbvi:delta=1.5", "delta"},
        {"ucbvi:bound=b", "bound"},
        {"ucbvi:reward-bonus=2", "reward-bonus"},
        {"ucbvi:reward-min=2,reward-max=1", "reward-min=2 is above reward-max=1"},
    };
    const lgkt_learner_config config = config_of(2, 2, 10);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(cases[i].spec, &config, &learner, &error), LGKT_ERR_SPEC,
                       error, cases[i].words);
        assert_null(learner);
    }
}

static lgkt_status create_and_destroy(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    (void)ctx;
    lgkt_learner_config config = config_of(3, 4, 100);
    config.allocator = *allocator;
    lgkt_learner *learner = NULL;
    const lgkt_status status = lgkt_learner_create("ucbvi:h=3", &config, &learner, error);
    lgkt_learner_destroy(learner);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    assert_true(fault_sweep(create_and_destroy, NULL) >= 6);
}

// More steps than the run has can only be fed: then the pool of transitions grows, and a feed that
// memory does not suffice for changes nothing.
static void test_feeding_beyond_the_horizon(void **state)
{
    (void)state;
    fault f;
    fault_init(&f);
    lgkt_learner_config config = config_of(8, 2, 5);
    config.allocator = fault_allocator(&f);
    lgkt_learner *learner = make("ucbvi:h=2", &config);
    int refused = 0;
    for (int32_t i = 0; i < 8 * 8 * 2; i++) {
        const uint64_t hash = lgkt_learner_hash(learner);
        fault_fail_at(&f, 1, true);
        const lgkt_status status = lgkt_learner_feed(learner, i / 16, i % 2, 1, i / 2 % 8, false);
        fault_fail_at(&f, 0, false);
        if (status == LGKT_OK)
            continue;
        refused++;
        assert_int_equal(status, LGKT_ERR_NO_MEMORY);
        assert_true(lgkt_learner_hash(learner) == hash);
        assert_int_equal(lgkt_learner_feed(learner, i / 16, i % 2, 1, i / 2 % 8, false), LGKT_OK);
    }
    assert_in_range(refused, 2, 10);
    lgkt_learner_destroy(learner);
    assert_true(fault_is_clean(&f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_numbers),
        cmocka_unit_test(test_visits_of_the_next_state),
        cmocka_unit_test(test_runs_agree_with_the_dense_version),
        cmocka_unit_test(test_ties_are_drawn),
        cmocka_unit_test(test_how_close_a_tie_is),
        cmocka_unit_test(test_rewards_are_mapped),
        cmocka_unit_test(test_problem_tells_the_rewards),
        cmocka_unit_test(test_bad_settings_are_refused),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_feeding_beyond_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
