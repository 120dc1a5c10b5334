// SPDX-License-Identifier: MIT
// What can be said of our own learners (docs/theory.md, "Beyond the paper"), as exact checks.

#include "test.h"

#include "learners/plugin/plugin.h"
#include "learners/auto/auto.h"
#include "ref/models.h"
#include "ref/naive_plan.h"

// ---- plug-in lookahead: how far off Q_K can be ----
//
// With |m1 - R| <= e and |phat - P|_1 <= d for all pairs, and rewards within a range rho:
//     |Qhat_K - Q_K| <= K e + d rho K (K-1) / 4

enum { S = 5, A = 3, PAIRS = S * A, DEEPEST = 8 };

typedef struct perturbed {
    double rewards[PAIRS], seen_rewards[PAIRS];
    double rows[PAIRS * S], seen_rows[PAIRS * S];
    double e, d, rho;
} perturbed;

static void draw_row(lgkt_rng *rng, double *row)
{
    double sum = 0;
    for (int32_t y = 0; y < S; y++)
        sum += row[y] = lgkt_rng_uniform(rng) + 1e-3;
    for (int32_t y = 0; y < S; y++)
        row[y] /= sum;
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int32_t y = 0; y < S; y++)
        sum += fabs(a[y] - b[y]);
    return sum;
}

// a random model and another one at most about `far` away
static perturbed draw(lgkt_rng *rng, double far)
{
    perturbed at = {.e = 0, .d = 0, .rho = 1};
    for (int32_t z = 0; z < PAIRS; z++) {
        double other[S];
        double *row = at.rows + z * S, *seen = at.seen_rows + z * S;
        draw_row(rng, row);
        draw_row(rng, other);
        for (int32_t y = 0; y < S; y++)
            seen[y] = (1 - far) * row[y] + far * other[y];
        at.rewards[z] = lgkt_rng_uniform(rng);
        at.seen_rewards[z] = (1 - far) * at.rewards[z] + far * lgkt_rng_uniform(rng);
        at.e = fmax(at.e, fabs(at.rewards[z] - at.seen_rewards[z]));
        at.d = fmax(at.d, distance(row, seen));
    }
    return at;
}

static void look_ahead(const double *rewards, const double *rows, int64_t k, double *q)
{
    lgkt_error error = {0};
    lgkt_mdp *model = model_dense(S, A, rewards, rows);
    assert_ok(lgkt_plan_lookahead(model, k, NULL, q, &error), error);
    lgkt_mdp_destroy(model);
}

static double bound_of(const perturbed *at, int64_t k)
{
    return (double)k * at->e + at->d * at->rho * (double)(k * (k - 1)) / 4;
}

static void test_plug_in_error_is_bounded(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(7, "test", 0);
    for (int trial = 0; trial < 200; trial++) {
        const perturbed at = draw(&rng, lgkt_rng_uniform(&rng));
        for (int64_t k = 1; k <= DEEPEST; k++) {
            double q[PAIRS], seen[PAIRS];
            look_ahead(at.rewards, at.rows, k, q);
            look_ahead(at.seen_rewards, at.seen_rows, k, seen);
            for (int32_t z = 0; z < PAIRS; z++)
                assert_between(fabs(seen[z] - q[z]), 0, bound_of(&at, k) + 1e-12);
        }
    }
}

// The bound is sharp to first order: in state 0 a reward of 1 and staying, in state 1 nothing and
// staying, and a row that is off by d/2 from the one to the other at every step.
static void test_plug_in_error_can_be_that_large(void **state)
{
    (void)state;
    const double d = 1e-6, rewards[] = {1, 0};
    const double rows[] = {1, 0, 0, 1}, seen_rows[] = {1 - d / 2, d / 2, 0, 1};
    for (int64_t k = 1; k <= DEEPEST; k++) {
        lgkt_error error = {0};
        double q[2], seen[2];
        lgkt_mdp *model = model_dense(2, 1, rewards, rows);
        lgkt_mdp *other = model_dense(2, 1, rewards, seen_rows);
        assert_ok(lgkt_plan_lookahead(model, k, NULL, q, &error), error);
        assert_ok(lgkt_plan_lookahead(other, k, NULL, seen, &error), error);
        const double bound = d * (double)(k * (k - 1)) / 4;
        assert_between(fabs(seen[0] - q[0]), bound * (1 - 1e-4), bound * (1 + 1e-9));
        lgkt_mdp_destroy(model);
        lgkt_mdp_destroy(other);
    }
}

// ---- when to stop trying, in one state without noise ----
//
// Untried actions are worth X, independent with one law, and enough of them are left. With t steps
// to go and b the best known, trying pays if and only if b - E X < (t - 1) E[(X - b)+].

enum { VALUES = 12, MOST_VALUES = 400, LONGEST = 200 };

typedef struct law {
    int count;
    double x[MOST_VALUES], p[MOST_VALUES]; // rising values
} law;

static law draw_law(lgkt_rng *rng)
{
    law at = {.count = VALUES};
    double sum = 0, x = -1;
    for (int i = 0; i < VALUES; i++) {
        x += lgkt_rng_uniform(rng) * (i > VALUES / 2 ? 3 : 1); // a tail to the right
        at.x[i] = x;
        sum += at.p[i] = lgkt_rng_uniform(rng);
    }
    for (int i = 0; i < VALUES; i++)
        at.p[i] /= sum;
    return at;
}

// the best total of t steps, by all there is to choose from, and what each choice brings; [b] is
// for x_b as the best known
typedef struct totals {
    double best[MOST_VALUES], keep[MOST_VALUES], try[MOST_VALUES];
} totals;

static void step_back(const law *at, totals *t)
{
    double after[MOST_VALUES], above = 0, below = 1;
    memcpy(after, t->best, sizeof after);
    // E[X] + E[after(max(X, x_b))]: what is above x_b has its own, the rest that of x_b
    double mean = 0;
    for (int i = 0; i < at->count; i++)
        mean += at->p[i] * at->x[i];
    for (int b = at->count - 1; b >= 0; b--) {
        t->keep[b] = at->x[b] + after[b];
        t->try[b] = mean + above + below * after[b];
        t->best[b] = fmax(t->keep[b], t->try[b]);
        above += at->p[b] * after[b];
        below -= at->p[b];
    }
}

static double advantage(const law *at, int b, int64_t t)
{
    double mean = 0, excess = 0;
    for (int i = 0; i < at->count; i++) {
        mean += at->p[i] * at->x[i];
        excess += at->p[i] * fmax(0, at->x[i] - at->x[b]);
    }
    return (double)(t - 1) * excess - (at->x[b] - mean);
}

static void test_trying_by_the_price_is_optimal(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(8, "test", 0);
    for (int trial = 0; trial < 100; trial++) {
        const law at = draw_law(&rng);
        totals t = {.best = {0}};
        for (int64_t steps = 1; steps <= LONGEST; steps++) {
            step_back(&at, &t);
            for (int b = 0; b < at.count; b++) {
                const double gain = advantage(&at, b, steps);
                if (fabs(gain) > 1e-9)
                    assert_int_equal(t.try[b] > t.keep[b], gain > 0);
            }
        }
    }
}

// E[E - 1; E > u] of an exponential E
static double mean_beyond(double u)
{
    return u == INFINITY ? 0 : u * exp(-u);
}

// 400 equally likely values, each the mean of its part of an exponential law of mean 0 and standard
// deviation 1, so that what is expected beyond a value is right, too
static law exponential_law(void)
{
    law at = {.count = MOST_VALUES};
    double from = 0;
    for (int i = 0; i < at.count; i++) {
        const double to = i + 1 < at.count ? -log(1 - (i + 1.0) / at.count) : INFINITY;
        at.p[i] = 1.0 / at.count;
        at.x[i] = (mean_beyond(from) - mean_beyond(to)) * at.count;
        from = to;
    }
    return at;
}

// The rules of `plugin` and `auto` differ from the best play only where trying and keeping are
// worth nearly the same, as far as 400 values tell.
static void test_learners_try_as_is_optimal(void **state)
{
    (void)state;
    const law at = exponential_law();
    totals t = {.best = {0}};
    int clear = 0, tries = 0;
    for (int64_t steps = 1; steps <= LONGEST; steps++) {
        step_back(&at, &t);
        for (int b = 0; b < at.count; b++) {
            if (fabs(t.try[b] - t.keep[b]) < 0.02)
                continue;
            const double left = (double)(steps - 1);
            assert_int_equal(lgkt_plugin_pays(0, 1, at.x[b], left), t.try[b] > t.keep[b]);
            assert_int_equal(lgkt_reservation_exponential(left) > at.x[b], t.try[b] > t.keep[b]);
            clear++;
            tries += t.try[b] > t.keep[b];
        }
    }
    // by far the most are clear, and both happen
    assert_true(clear > 9 * MOST_VALUES * LONGEST / 10);
    assert_true(tries > clear / 2 && tries < clear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plug_in_error_is_bounded),
        cmocka_unit_test(test_plug_in_error_can_be_that_large),
        cmocka_unit_test(test_trying_by_the_price_is_optimal),
        cmocka_unit_test(test_learners_try_as_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
