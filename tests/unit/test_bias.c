// SPDX-License-Identifier: MIT
// PMEVI's bias differences from one trajectory, and the projection on what they allow: known
// numbers, legs from their definition, projections against Bellman and Ford.

#include "test.h"

#include "learners/model/bias.h"
#include "ref/naive_evi.h"
#include "ref/naive_legs.h"

enum { MOST = 8, LEGS = MOST * (MOST - 1) / 2, STEPS = 200 };

// a bias with its own memory
typedef struct fixture {
    lgkt_bias bias;
    lgkt_leg legs[LEGS];
    double limit[MOST * MOST], projected[MOST];
} fixture;

static lgkt_bias *fixture_init(fixture *f, double span)
{
    *f = (fixture){.bias = {.last = -1, .span = span}};
    f->bias.legs = f->legs;
    f->bias.limit = f->limit;
    f->bias.projected = f->projected;
    return &f->bias;
}

static const lgkt_leg *leg_of(const lgkt_bias *bias, int32_t x, int32_t y)
{
    return &bias->legs[y * (y - 1) / 2 + x]; // x < y
}

// ---- legs ----

typedef struct trajectory {
    int32_t steps;
    int32_t states[STEPS + 1];
    double rewards[STEPS]; // on leaving a state
    bool cut[STEPS];       // after the step
} trajectory;

static naive_path path_of(const trajectory *t)
{
    return (naive_path){t->steps, t->states, t->rewards, t->cut};
}

static void follow(lgkt_bias *bias, const trajectory *t, int32_t states)
{
    lgkt_bias_arrive(bias, t->states[0], states);
    for (int32_t i = 0; i < t->steps; i++) {
        lgkt_bias_earn(bias, t->rewards[i]);
        if (t->cut[i])
            lgkt_bias_cut(bias, states);
        lgkt_bias_arrive(bias, t->states[i + 1], states);
    }
}

static void check_legs(const lgkt_bias *bias, const trajectory *t, int32_t states)
{
    const naive_path path = path_of(t);
    for (int32_t y = 1; y < states; y++)
        for (int32_t x = 0; x < y; x++) {
            const naive_leg_sums there = naive_legs(&path, x, y), back = naive_legs(&path, y, x);
            const lgkt_leg *leg = leg_of(bias, x, y);
            assert_int_equal(leg->n, there.n + back.n);
            assert_int_equal(leg->duration, there.duration - back.duration);
            assert_close(leg->reward, there.reward - back.reward, 1e-12);
        }
}

static const trajectory known = {
    .steps = 11,
    .states = {0, 1, 0, 2, 1, 0, 0, 2, 1, 1, 2, 0},
    .rewards = {0.5, 0, 1, 0, 0.25, 0.5, 1, 0, 0, 0.75, 1},
};

static void test_known_legs(void **state)
{
    (void)state;
    static const int legs[3][3] = {{0, 3, 2}, {3, 0, 3}, {2, 2, 0}};
    static const int durations[3][3] = {{0, 6, 5}, {5, 0, 7}, {6, 2, 0}};
    static const double rewards[3][3] = {{0, 3, 3}, {2, 0, 3.5}, {2, 0, 0}};
    const naive_path path = path_of(&known);
    for (int32_t x = 0; x < 3; x++)
        for (int32_t y = 0; y < 3; y++) {
            if (x == y)
                continue;
            const naive_leg_sums sums = naive_legs(&path, x, y);
            assert_int_equal(sums.n, legs[x][y]);
            assert_int_equal(sums.duration, durations[x][y]);
            assert_close(sums.reward, rewards[x][y], 1e-15);
        }
    fixture f;
    lgkt_bias *bias = fixture_init(&f, 1);
    follow(bias, &known, 3);
    check_legs(bias, &known, 3);
    assert_int_equal(bias->steps, 11);
    assert_close(bias->reward, 5, 1e-15);
}

static void test_known_differences(void **state)
{
    (void)state;
    static const double chat[3][3] = {{0, 0.090909090909, 0.363636363636},
                                      {-0.090909090909, 0, 0.245454545455},
                                      {-0.363636363636, -0.245454545455, 0}};
    static const int legs[3][3] = {{0, 6, 4}, {6, 0, 5}, {4, 5, 0}};
    const naive_path path = path_of(&known);
    fixture f;
    lgkt_bias *bias = fixture_init(&f, 1);
    follow(bias, &known, 3);
    for (int32_t x = 0; x < 3; x++)
        for (int32_t y = 0; y < 3; y++) {
            int64_t n = -1;
            assert_close(lgkt_bias_difference(bias, x, y, &n), chat[x][y], 1e-12);
            assert_int_equal(n, legs[x][y]);
            assert_close(naive_bias_difference(&path, x, y, &n), chat[x][y], 1e-12);
            assert_int_equal(n, legs[x][y]);
        }
}

static trajectory random_trajectory(lgkt_rng *rng, int32_t states, double cuts)
{
    trajectory t = {.steps = lgkt_rng_below(rng, STEPS)};
    for (int32_t i = 0; i <= t.steps; i++)
        t.states[i] = lgkt_rng_below(rng, states);
    for (int32_t i = 0; i < t.steps; i++) {
        t.rewards[i] = lgkt_rng_uniform(rng);
        t.cut[i] = lgkt_rng_bernoulli(rng, cuts);
    }
    return t;
}

static void test_legs_of_random_trajectories(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "trajectories", 0);
    for (int i = 0; i < 300; i++) {
        const int32_t states = 1 + lgkt_rng_below(&rng, MOST);
        const trajectory t = random_trajectory(&rng, states, i % 3 == 0 ? 0.05 : 0);
        fixture f;
        lgkt_bias *bias = fixture_init(&f, 1);
        follow(bias, &t, states);
        check_legs(bias, &t, states);
        assert_int_equal(bias->steps, t.steps);
    }
}

// a leg that is open when the run is cut is dropped; finished ones stay
static void test_cuts_drop_open_legs(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        const trajectory t = {.steps = 3,
                              .states = {0, 1, 2, 0},
                              .rewards = {1, 10, 100},
                              .cut = {false, false, cut == 1}};
        fixture f;
        lgkt_bias *bias = fixture_init(&f, 1);
        follow(bias, &t, 3);
        assert_int_equal(leg_of(bias, 0, 1)->n, cut ? 1 : 2);
        assert_close(leg_of(bias, 0, 1)->reward, cut ? 1 : 1 - 110, 0);
        assert_int_equal(leg_of(bias, 1, 2)->n, 1);
        assert_int_equal(leg_of(bias, 0, 2)->duration, cut ? 2 : 1);
    }
}

static void test_no_steps_no_difference(void **state)
{
    (void)state;
    fixture f;
    lgkt_bias *bias = fixture_init(&f, 1);
    int64_t legs = -1;
    assert_close(lgkt_bias_difference(bias, 0, 1, &legs), 0, 0);
    assert_int_equal(legs, 0);
    lgkt_bias_arrive(bias, 1, 3);
    lgkt_bias_earn(bias, 1);
    assert_close(lgkt_bias_difference(bias, 0, 1, &legs), 0, 0);
    assert_int_equal(legs, 0);
}

// ---- projection ----

// the projection by closure of limits (n, n); false if there is none
static bool project(const double *limit, int32_t n, double *v, bool *changed)
{
    fixture f;
    lgkt_bias *bias = fixture_init(&f, 0);
    memcpy(f.limit, limit, (size_t)(n * n) * sizeof *limit);
    if (!lgkt_min_plus_closure(f.limit, n))
        return false;
    bias->tight = true;
    *changed = lgkt_bias_project(bias, v, n);
    return true;
}

static void test_known_projections(void **state)
{
    (void)state;
    bool changed;
    double c[] = {0, 1, 4, 2, 0, 1, 1, 3, 0}, v[] = {5, 1, 0};
    assert_true(project(c, 3, v, &changed));
    assert_true(changed);
    const double u[] = {2, 1, 0}, closure[] = {0, 1, 2, 2, 0, 1, 1, 2, 0};
    assert_memory_equal(v, u, sizeof u);
    assert_true(lgkt_min_plus_closure(c, 3));
    assert_memory_equal(c, closure, sizeof closure);

    const double h[] = {0, 1, 2, 1.5};
    const double e[] = {0, 0.4, 0.7, 1, 0.4, 0, 0.3, 0.5, 0.7, 0.3, 0, 0.2, 1, 0.5, 0.2, 0};
    double d[16], before[16], w[] = {0, 3, 2.2, 0.1};
    for (int i = 0; i < 16; i++)
        before[i] = d[i] = h[i / 4] - h[i % 4] + e[i];
    assert_true(lgkt_min_plus_closure(d, 4));
    for (int i = 0; i < 16; i++)
        assert_close(d[i], i == 3 ? -0.6 : i == 12 ? 2.4 : before[i], 1e-15);
    assert_true(project(before, 4, w, &changed));
    const double x[] = {-0.5, 0.1, 0.8, 0.1};
    for (int i = 0; i < 4; i++)
        assert_close(w[i], x[i], 1e-15);
}

static void test_contradictions_and_zero_cycles(void **state)
{
    (void)state;
    bool changed;
    const double against[] = {0, -1, 5, 0.5, 0, 5, 5, 5, 0};
    double v[] = {0, 0, 0};
    assert_false(project(against, 3, v, &changed));
    const double cycle[] = {0, -1, 5, 1, 0, 5, 5, 5, 0}, u[] = {-1, 0, 0};
    assert_true(project(cycle, 3, v, &changed));
    assert_memory_equal(v, u, sizeof u);
    // done already: nothing changes
    assert_true(project(cycle, 3, v, &changed));
    assert_false(changed);
    assert_memory_equal(v, u, sizeof u);
}

static void check_projection(const double *limit, int32_t n, const double *v, lgkt_rng *rng)
{
    double u[MOST], expected[MOST], other[MOST];
    memcpy(u, v, sizeof u);
    memcpy(expected, v, sizeof expected);
    bool changed;
    assert_int_equal(project(limit, n, u, &changed), naive_project(limit, n, expected));
    if (!naive_project(limit, n, expected))
        return;
    double moved = 0;
    const double shift = lgkt_rng_uniform(rng);
    for (int32_t x = 0; x < n; x++) {
        assert_close(u[x], expected[x], 1e-9);
        moved = fmax(moved, v[x] - u[x]);
        // it fulfils the constraints and is not above v
        assert_true(u[x] <= v[x]);
        for (int32_t y = 0; y < n; y++)
            assert_between(u[x] - u[y], -INFINITY, limit[x * n + y] + 1e-12);
        other[x] = v[x] + shift;
    }
    assert_true(changed == (moved > 0));
    // it moves along with v
    assert_true(project(limit, n, other, &changed));
    for (int32_t x = 0; x < n; x++)
        assert_close(other[x], u[x] + shift, 1e-12);
}

static void test_projections_are_those_of_bellman_and_ford(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "limits", 0);
    int feasible = 0;
    for (int i = 0; i < 4000; i++) {
        const int32_t n = 1 + lgkt_rng_below(&rng, MOST);
        const double doubt = 0.6 * lgkt_rng_uniform(&rng);
        double limit[MOST * MOST], h[MOST], v[MOST] = {0};
        for (int32_t x = 0; x < n; x++) {
            h[x] = 2 * lgkt_rng_uniform(&rng);
            v[x] = 4 * lgkt_rng_uniform(&rng);
        }
        for (int32_t z = 0; z < n * n; z++) {
            const double noise = 0.4 * (lgkt_rng_uniform(&rng) - 0.3);
            limit[z] = z % (n + 1) == 0 ? 0 : h[z / n] - h[z % n] + doubt + noise;
        }
        check_projection(limit, n, v, &rng);
        double copy[MOST] = {0};
        feasible += naive_project(limit, n, copy);
    }
    // both kinds were met
    assert_in_range(feasible, 1000, 3900);
}

// shortest paths without any short cut, bit for bit; most limits are alike, as the span makes them
static void test_the_closure_leaves_out_nothing(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "closure", 0);
    for (int i = 0; i < 4000; i++) {
        const int32_t n = 1 + lgkt_rng_below(&rng, MOST);
        const double tight = lgkt_rng_uniform(&rng), least = lgkt_rng_uniform(&rng) - 0.8;
        double quick[MOST * MOST], plain[MOST * MOST];
        for (int32_t z = 0; z < n * n; z++) {
            const double limit = least + lgkt_rng_uniform(&rng);
            quick[z] = lgkt_rng_uniform(&rng) < tight && limit < 1 ? limit : 1;
            quick[z] = plain[z] = z % (n + 1) == 0 ? 0 : quick[z];
        }
        for (int32_t k = 0; k < n; k++)
            for (int32_t x = 0; x < n; x++) {
                const double via = plain[x * n + k];
                for (int32_t y = 0; y < n; y++)
                    plain[x * n + y] = fmin(plain[x * n + y], via + plain[k * n + y]);
            }
        bool feasible = true;
        for (int32_t x = 0; x < n; x++) {
            feasible &= plain[x * n + x] >= -1e-9;
            plain[x * n + x] = 0;
        }
        assert_int_equal(lgkt_min_plus_closure(quick, n), feasible);
        if (feasible)
            assert_memory_equal(quick, plain, (size_t)(n * n) * sizeof *quick);
    }
}

// ---- constraints from legs ----

static void random_legs(fixture *f, lgkt_rng *rng)
{
    f->bias.steps = 1000;
    f->bias.reward = 1000 * lgkt_rng_uniform(rng);
    for (int i = 0; i < LEGS; i++) {
        f->legs[i].n = lgkt_rng_below(rng, 4) * lgkt_rng_below(rng, 10);
        f->legs[i].duration = f->legs[i].n > 0 ? lgkt_rng_below(rng, 21) - 10 : 0;
        f->legs[i].reward = f->legs[i].n > 0 ? 20 * (lgkt_rng_uniform(rng) - 0.5) : 0;
    }
    f->bias.most_reward = 10;
    f->bias.most_duration = 10;
    f->bias.most_legs = 27;
}

// u_x - u_y <= min(chat + error/legs, span), before any closure
static void naive_limits(const lgkt_bias *bias, int32_t n, double error, double *limit)
{
    const double gain = bias->reward / (double)bias->steps;
    for (int32_t x = 0; x < n; x++)
        for (int32_t y = 0; y < n; y++) {
            limit[x * n + y] = x == y ? 0 : bias->span;
            if (x == y)
                continue;
            const lgkt_leg *leg = leg_of(bias, x < y ? x : y, x < y ? y : x);
            const double chat = leg->reward - gain * (double)leg->duration;
            if (leg->n > 0)
                limit[x * n + y] =
                    fmin(((x < y ? chat : -chat) + error) / (double)leg->n, bias->span);
        }
}

static void test_constraints_from_legs(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "legs", 0);
    int infeasible = 0, tight = 0;
    for (int i = 0; i < 3000; i++) {
        fixture f;
        lgkt_bias *bias = fixture_init(&f, 1 + 3 * lgkt_rng_uniform(&rng));
        random_legs(&f, &rng);
        const int32_t n = 1 + lgkt_rng_below(&rng, MOST);
        const double error = exp(6 * lgkt_rng_uniform(&rng));
        double limit[MOST * MOST], v[MOST] = {0}, expected[MOST] = {0};
        naive_limits(bias, n, error, limit);
        for (int32_t x = 0; x < n; x++)
            expected[x] = v[x] = 6 * lgkt_rng_uniform(&rng);
        const bool possible = naive_project(limit, n, expected);
        if (!possible) {
            // the span alone
            for (int32_t z = 0; z < n * n; z++)
                limit[z] = z % (n + 1) == 0 ? 0 : bias->span;
            memcpy(expected, v, sizeof v);
            assert_true(naive_project(limit, n, expected));
        }
        lgkt_bias_constrain(bias, n, error);
        assert_int_equal(bias->infeasible, !possible);
        lgkt_bias_project(bias, v, n);
        for (int32_t x = 0; x < n; x++)
            assert_close(v[x], expected[x], 1e-9);
        infeasible += !possible;
        tight += bias->tight;
    }
    assert_in_range(infeasible, 100, 2900);
    assert_in_range(tight, 100, 2900);
}

// the look at the most that legs have had spares no tight one
static void test_tightness_is_that_of_some_leg(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "tight", 0);
    int tight = 0;
    for (int i = 0; i < 2000; i++) {
        fixture f;
        trajectory t = {.steps = 20 + lgkt_rng_below(&rng, STEPS - 20)};
        const int32_t n = 2 + lgkt_rng_below(&rng, MOST - 1);
        for (int32_t k = 0; k <= t.steps; k++)
            t.states[k] = lgkt_rng_below(&rng, n);
        for (int32_t k = 0; k < t.steps; k++)
            t.rewards[k] = 3 * lgkt_rng_uniform(&rng) - 1;
        lgkt_bias *bias = fixture_init(&f, 2 * lgkt_rng_uniform(&rng));
        follow(bias, &t, n);
        const double error = 60 * lgkt_rng_uniform(&rng);
        double limit[MOST * MOST];
        naive_limits(bias, n, error, limit);
        bool expected = false;
        for (int32_t z = 0; z < n * n; z++)
            expected |= z / n != z % n && limit[z] < bias->span;
        lgkt_bias_constrain(bias, n, error);
        assert_true(bias->tight == expected || bias->infeasible == 1);
        tight += expected;
    }
    assert_in_range(tight, 300, 1700);
}

static void test_span_alone(void **state)
{
    (void)state;
    fixture f;
    lgkt_bias *bias = fixture_init(&f, 1.5);
    double v[] = {3, 1, 2.5, 2.75};
    lgkt_bias_constrain(bias, 4, 10);
    assert_false(bias->tight);
    assert_true(lgkt_bias_project(bias, v, 4));
    const double u[] = {2.5, 1, 2.5, 2.5};
    assert_memory_equal(v, u, sizeof u);
    assert_false(lgkt_bias_project(bias, v, 4));
    assert_memory_equal(v, u, sizeof u);
    // one state has nothing to be compared with
    double one[] = {7};
    lgkt_bias_constrain(bias, 1, 10);
    assert_false(lgkt_bias_project(bias, one, 1));
    assert_close(one[0], 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_legs),
        cmocka_unit_test(test_known_differences),
        cmocka_unit_test(test_legs_of_random_trajectories),
        cmocka_unit_test(test_cuts_drop_open_legs),
        cmocka_unit_test(test_no_steps_no_difference),
        cmocka_unit_test(test_known_projections),
        cmocka_unit_test(test_contradictions_and_zero_cycles),
        cmocka_unit_test(test_projections_are_those_of_bellman_and_ford),
        cmocka_unit_test(test_the_closure_leaves_out_nothing),
        cmocka_unit_test(test_constraints_from_legs),
        cmocka_unit_test(test_tightness_is_that_of_some_leg),
        cmocka_unit_test(test_span_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
