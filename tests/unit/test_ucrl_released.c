// SPDX-License-Identifier: MIT
// The learners by extended value iteration as the program released with the LGKT paper has them:
// each of its defects against numbers of that program or against its formula.

#include "test.h"

#include "core/alloc.h"
#include "learners/planners/ucrl.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_evi.h"

static lgkt_ucrl *inside(lgkt_learner *learner)
{
    return learner->self;
}

static lgkt_learner_config config_of(int32_t states, int32_t actions)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = 20000;
    config.seed = 5;
    return config;
}

// ---- the order of actions ----

// as CPython 3.11 goes through a copy of a set of the pairs
static void test_order_of_a_python_set(void **state)
{
    (void)state;
    static const struct {
        int32_t states, actions;
        const char *order;
    } cases[] = {
        {5, 2, "10 10 10 10 01"},
        {6, 2, "10 10 10 10 01 10"},
        {8, 2, "10 01 10 10 01 10 10 01"},
        {15, 2, "10 01 10 10 01 10 10 01 01 01 01 10 10 10 10"},
        {10, 5, "21403 03214 24103 41032 03214 41032 21403 41032 03241 21403"},
        {16, 4, "0213 0231 2130 0213 0213 1302 2310 1302 0213 2130 3021 0213 1302 2130 0213 0213"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lgkt_learner_config config = config_of(cases[i].states, cases[i].actions);
        lgkt_learner *learner = learner_run_make("ucrl2:choice=first", &config);
        const int32_t *rank = inside(learner)->rank;
        const char *at = cases[i].order;
        for (int32_t s = 0; s < cases[i].states; s++, at++) {
            int32_t before = -1;
            for (int32_t k = 0; k < cases[i].actions; k++, at++) {
                const int32_t now = rank[s * cases[i].actions + (*at - '0')];
                assert_true(now > before);
                before = now;
            }
        }
        lgkt_learner_destroy(learner);
    }
}

// ---- rows that drift ----

// what the released program does to a row at every evaluation
static void smooth(double *p, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += p[i] += 1e-3;
    for (int32_t i = 0; i < n; i++)
        p[i] /= sum;
}

// The closed form is that row, and the maximum is that of the dual on a grid (naive) and of the
// exact search (lgkt_max_kl) over it.
static void test_rows_that_drift(void **state)
{
    (void)state;
    enum { MOST = 16 };
    lgkt_rng rng = lgkt_rng_stream(3, "drifting", 0);
    static double logs[LGKT_DRIFT_NODES];
    lgkt_drifting drifting = {.logs = logs};
    for (int round = 0; round < 300; round++) {
        const int32_t n = 2 + lgkt_rng_below(&rng, MOST - 1);
        double p[MOST] = {0}, values[MOST], seen[MOST], at[MOST], least = INFINITY, mean = 0;
        lgkt_support row = {.p = seen, .value = at};
        for (int32_t i = 0; i < n; i++) {
            values[i] = exp(6 * lgkt_rng_uniform(&rng) - 3) * lgkt_rng_uniform(&rng);
            least = fmin(least, values[i]);
        }
        for (int32_t i = 0; i < n; i++)
            values[i] -= least;
        const int32_t support = 1 + lgkt_rng_below(&rng, n < 4 ? n : 4);
        for (int32_t i = 0; i < support; i++)
            p[lgkt_rng_below(&rng, n)] += 1.0 / support;
        for (int32_t i = 0; i < n; i++)
            if (p[i] > 0) {
                seen[row.n] = p[i];
                at[row.n++] = values[i];
                mean += p[i] * values[i];
            }
        const double radius = round % 2 == 0 ? 0.001 : exp(-10 * lgkt_rng_uniform(&rng));
        drifting.share = 1;
        for (int m = 1; m <= 99; m++) {
            smooth(p, n);
            lgkt_drifting_step(&drifting, n);
            lgkt_drifting_take(&drifting, values, n);
            double now = 0, top = 0;
            for (int32_t i = 0; i < n; i++) {
                now += p[i] * values[i];
                top = fmax(top, values[i]);
            }
            assert_close(lgkt_drifting_mean(&drifting, mean), now, 1e-12 * (1 + top));
            if (m > 3 && m % 10 != 0)
                continue;
            lgkt_support whole = {.n = n, .p = p, .value = values};
            double warm = NAN;
            const double exact = lgkt_max_kl(&whole, top, radius, &warm);
            const double value = lgkt_drifting_max(&drifting, values, &row, radius);
            assert_close(value, exact, 1e-4 * (exact - now) + 1e-12 * (1 + top));
            if (m == 1)
                assert_close(value, naive_max_kl(p, values, n, radius), 1e-4 * (1 + top));
        }
    }
}

// ---- PMEVI ----

static void feed(lgkt_learner *learner, int32_t state, double reward, int32_t next, int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        assert_int_equal(lgkt_learner_feed(learner, state, 0, reward, next, false), LGKT_OK);
}

// the first state is not registered; open legs are in the sums and not in their number
static void test_known_legs(void **state)
{
    (void)state;
    static const int32_t states[] = {0, 1, 0, 2, 1, 0, 0, 2, 1, 1, 2, 0};
    static const double rewards[] = {.5, 0, 1, 0, .25, .5, 1, 0, 0, .75, 1};
    const lgkt_learner_config config = config_of(3, 2);
    lgkt_learner *learner = learner_run_make("pmevi-klucrl:legs=open", &config);
    for (int i = 0; i < 11; i++)
        feed(learner, states[i], rewards[i], states[i + 1], 1);
    static const struct {
        int32_t x, y;
        int64_t legs;
        double difference;
    } cases[] = {{0, 1, 5, 0.1}, {0, 2, 4, 0.465909090909}, {1, 2, 5, 0.136363636364}};
    for (int i = 0; i < 3; i++) {
        int64_t legs;
        const lgkt_bias *bias = &inside(learner)->bias;
        assert_close(lgkt_bias_difference(bias, cases[i].x, cases[i].y, &legs), cases[i].difference,
                     1e-12);
        assert_int_equal(legs, cases[i].legs);
        assert_close(lgkt_bias_difference(bias, cases[i].y, cases[i].x, &legs),
                     -cases[i].difference, 1e-12);
    }
    lgkt_learner_destroy(learner);
}

// n legs for each two states and estimates h(x) - h(y), as if they had happened, and a planning at
// time t with this inner regret, the lowest gain so far being 1
static void pretend(lgkt_learner *learner, int64_t t, double regret, int64_t n, const double *h)
{
    lgkt_ucrl *u = inside(learner);
    for (int32_t y = 1; y < learner->problem.states; y++)
        for (int32_t x = 0; x < y; x++)
            u->bias.legs[y * (y - 1) / 2 + x] =
                (lgkt_leg){.n = n, .reward = (double)n * (h[x] - h[y])};
    learner->t = t - 1;
    u->bias.steps = t - 1;
    u->bias.reward = (double)(t - 1) - regret;
    u->least_gain = 1;
    int32_t action;
    assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
}

static const char *const pmevi = "pmevi-klucrl:projection=released,rows=drifting,radius=0.001";

static void test_known_errors(void **state)
{
    (void)state;
    const double h[] = {0, 0};
    static const struct {
        int64_t t, n;
        double regret, error;
    } cases[] = {{1001, 40, 120, 59.761427295950},
                 {20000, 4000, 800, 2.785352755706},
                 // without legs as with one
                 {1001, 0, 120, 40 * 59.761427295950}};
    for (int i = 0; i < 3; i++) {
        const lgkt_learner_config config = config_of(2, 2);
        lgkt_learner *learner = learner_run_make(pmevi, &config);
        assert_close(inside(learner)->set.span, 6.8129206905796, 1e-9);
        pretend(learner, cases[i].t, cases[i].regret, cases[i].n, h);
        const lgkt_bias *bias = &inside(learner)->bias;
        assert_true(bias->tight);
        assert_close(bias->limit[1], cases[i].error, 1e-9);
        assert_close(bias->limit[2], cases[i].error, 1e-9);
        lgkt_learner_destroy(learner);
    }
}

// p = (.1, .55, .35) from 1000 visits, h0 = (0, .92, 2.25), e = .4 between different states
static void test_known_mitigation(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(3, 2);
    const double h[] = {0, 0.92, 2.25}, c0 = pow(1e-5, -1.0 / 6);
    const double fixed = 3 * c0 + c0 * sqrt(8 * 5000 * log(2e5));
    const int64_t legs = 100000;
    lgkt_learner *learner = learner_run_make(pmevi, &config);
    feed(learner, 0, 0.5, 0, 100);
    feed(learner, 0, 0.5, 1, 550);
    feed(learner, 0, 0.5, 2, 350);
    pretend(learner, 5000, (0.4 * (double)legs - fixed) / 2, legs, h);
    assert_close(inside(learner)->evi.pairs[0].mitigation, 0.481337075756, 1e-9);
    assert_true(isinf(inside(learner)->evi.pairs[1].mitigation));

    // a wide ball: p_m.u + beta is what counts, with the row of the second evaluation
    lgkt_evi *evi = &inside(learner)->evi;
    double p[] = {0.1, 0.55, 0.35}, mean = 0;
    const double values[] = {0, 1, 7};
    memcpy(evi->u, values, sizeof values);
    evi->top = 7;
    evi->pairs[0].radius = 3;
    evi->drifting.share = 1;
    for (int m = 0; m < 2; m++) {
        smooth(p, 3);
        lgkt_drifting_step(&evi->drifting, 3);
    }
    lgkt_evi_loaded(evi);
    for (int i = 0; i < 3; i++)
        mean += p[i] * values[i];
    assert_close(lgkt_evi_value(evi, 0), evi->pairs[0].reward + mean + 0.481337075756, 1e-9);
    lgkt_learner_destroy(learner);
}

// More was earned than is thought possible: the error is negative, the constraints contradict each
// other, and there are none.
static void test_negative_errors(void **state)
{
    (void)state;
    const double h[] = {0, 1, 2};
    const lgkt_learner_config config = config_of(3, 2);
    lgkt_learner *learner = learner_run_make(pmevi, &config);
    feed(learner, 0, 0.5, 0, 900);
    feed(learner, 0, 0.5, 1, 900);
    pretend(learner, 5000, -10000, 100, h);
    assert_int_equal(learner_run_counter(learner, "infeasible_projections"), 1);
    assert_int_equal(learner_run_counter(learner, "active_projections"), 0);
    assert_true(isinf(inside(learner)->evi.pairs[0].mitigation));
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_a_python_set),
        cmocka_unit_test(test_rows_that_drift),
        cmocka_unit_test(test_known_legs),
        cmocka_unit_test(test_known_errors),
        cmocka_unit_test(test_known_mitigation),
        cmocka_unit_test(test_negative_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
