// SPDX-License-Identifier: MIT
// labels: slow
// Draws from the posterior: rows by their first two moments, known in closed form, mean rewards by
// their distribution functions, lower bounds by known numbers.

#include "test.h"

#include "learners/planners/psrl.h"
#include "ref/chance.h"
#include "ref/learner_run.h"

static lgkt_psrl *inside(lgkt_learner *learner)
{
    return learner->self;
}

static lgkt_learner *make(const char *spec, int32_t states)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = 1;
    config.problem.horizon = 100000;
    config.seed = 8;
    return learner_run_make(spec, &config);
}

static void feed(lgkt_learner *learner, int32_t state, double reward, int32_t next, int times)
{
    for (int i = 0; i < times; i++)
        assert_int_equal(lgkt_learner_feed(learner, state, 0, reward, next, false), LGKT_OK);
}

// ---- rows ----

typedef struct row_case {
    const char *spec;
    double mean, variance; // of the row times u = (0, .., 5)
    double w0, w0_square;  // mean of the unseen mass and of its square
} row_case;

// S = 6, C = (3, 1, 0, 0, 0, 0). Bounds are 5 standard errors: the probability that any of 24
// breaks is 2e-5.
static void test_rows(void **state)
{
    (void)state;
    static const row_case cases[] = {
        {"psrl:alpha=1,split=exact", 1.6, .276363636, .4, .181818182},
        {"psrl:alpha=1", 1.6, .230909091, .4, .181818182},
        {"psrl:alpha=1,split=vertex", 1.6, .458181818, .4, .181818182},
        {"psrl:split=exact", .7, .257222222, .133333333, .037037037},
        {"psrl", .7, .229444444, .133333333, .037037037},
        {"psrl:split=vertex", .7, .275740741, .133333333, .037037037},
    };
    enum { DRAWS = 100000 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = make(cases[i].spec, 6);
        lgkt_vi *vi = &inside(learner)->vi;
        feed(learner, 0, 0, 0, 3);
        feed(learner, 0, 0, 1, 1);
        for (int32_t y = 0; y < 6; y++)
            vi->u[y] = y;
        vi->total = 15;
        // sums of powers of value - mean, and of w0
        double sums[4] = {0}, mass[3] = {0};
        for (int j = 0; j < DRAWS; j++) {
            lgkt_posterior_draw(learner, &inside(learner)->post, vi);
            vi->rows[0].reward = 0;
            const double gap = lgkt_vi_value(vi, vi->rows, 1) - cases[i].mean;
            double w0 = 4 * vi->rows[0].base;
            for (int32_t e = vi->rows[0].start; e < vi->rows[1].start; e++)
                w0 += vi->next[e] > 1 ? vi->weight[e] : 0;
            sums[0] += gap;
            sums[1] += gap * gap;
            sums[3] += gap * gap * gap * gap;
            mass[0] += w0;
            mass[1] += w0 * w0;
            mass[2] += w0 * w0 * w0 * w0;
        }
        const double n = DRAWS, variance = sums[1] / n, second = mass[1] / n;
        assert_close(sums[0] / n, 0, 5 * sqrt(variance / n));
        assert_close(variance, cases[i].variance,
                     5 * sqrt((sums[3] / n - variance * variance) / n));
        assert_close(mass[0] / n, cases[i].w0, 5 * sqrt((second - mass[0] / n * mass[0] / n) / n));
        assert_close(second, cases[i].w0_square, 5 * sqrt((mass[2] / n - second * second) / n));
        lgkt_learner_destroy(learner);
    }
}

// each gamma number in logarithms: shapes so small that they would be 0
static void test_rows_of_small_shapes(void **state)
{
    (void)state;
    lgkt_learner *learner = make("psrl-optimistic:omega=1e-6,kappa=1e6,psi=1,split=exact", 50);
    lgkt_vi *vi = &inside(learner)->vi;
    feed(learner, 0, 0, 0, 3);
    feed(learner, 0, 0, 1, 1);
    double first = 0;
    enum { DRAWS = 4000 };
    for (int j = 0; j < DRAWS; j++) {
        lgkt_posterior_draw(learner, &inside(learner)->post, vi);
        for (int32_t z = 0; z < 50; z++) {
            double sum = 0;
            for (int32_t e = vi->rows[z].start; e < vi->rows[z + 1].start; e++)
                sum += vi->weight[e];
            assert_close(sum, 1, 1e-12);
        }
        for (int32_t e = vi->rows[0].start; e < vi->rows[1].start; e++)
            first += vi->next[e] == 0 ? vi->weight[e] : 0;
    }
    // nearly a coin with probability 3/4; 5 standard errors
    assert_close(first / DRAWS, 0.75, 5 * sqrt(0.75 * 0.25 / DRAWS) + 1e-4);
    lgkt_learner_destroy(learner);
}

// rows with few moves: lower bounds, the rest anywhere
static void test_lower_bounds(void **state)
{
    (void)state;
    lgkt_learner *learner = make("psrl-optimistic:eta=1e9,psi=2", 4);
    lgkt_vi *vi = &inside(learner)->vi;
    feed(learner, 0, 0, 0, 600);
    feed(learner, 0, 0, 1, 400);
    feed(learner, 1, 0, 2, 10);
    int64_t led[4] = {0};
    for (int j = 0; j < 2000; j++) {
        lgkt_posterior_draw(learner, &inside(learner)->post, vi);
        for (int32_t z = 0; z < 8; z++) {
            const int32_t start = vi->rows[z].start, last = vi->rows[z + 1].start - 1;
            // row 0 of pair 0: the successor met last comes first
            const int32_t length[4] = {3, 2, 1, 1};
            assert_int_equal(last - start + 1, length[z / 2]);
            assert_close(vi->rows[z].base, 0, 0);
            if (z < 2) {
                assert_close(vi->weight[start], .334001158, 1e-9);
                assert_close(vi->weight[start + 1], .521037632, 1e-9);
                assert_close(vi->weight[last], 1 - .334001158 - .521037632, 2e-9);
            } else {
                assert_close(vi->weight[last], 1, 0);
                led[vi->next[last]]++;
            }
        }
    }
    // fair among the four
    static const double fair[4] = {.25, .25, .25, .25};
    assert_true(chance_law_p_value(led, fair, 4) > CHANCE_LEVEL);
    lgkt_learner_destroy(learner);
}

// ---- rewards ----

static void test_normal_gamma_by_numbers(void **state)
{
    (void)state;
    lgkt_learner *learner = make("psrl:reward-min=0,reward-max=1", 2);
    const double first[] = {.2, .9, .4}, second[] = {2, 5, 3};
    for (int i = 0; i < 3; i++)
        feed(learner, 0, first[i], 0, 1);
    lgkt_normal_gamma ng = lgkt_posterior_ng(&inside(learner)->post, 0);
    assert_close(ng.k, 4, 0);
    assert_close(ng.m, .5, 1e-15);
    assert_close(ng.a, 2.5, 0);
    assert_close(ng.b, .213333333, 1e-9);
    assert_close(sqrt(ng.b / (ng.a * ng.k)), .146059349, 1e-9);
    lgkt_learner_destroy(learner);
    // m0 = 0, b0 = 1: the range is +- sqrt(3), and x has another unit
    learner = make("psrl:reward-min=-1.7320508075688772,reward-max=1.7320508075688772", 2);
    const lgkt_reward_bounds *bounds = &inside(learner)->post.bounds;
    for (int i = 0; i < 3; i++)
        feed(learner, 0, second[i], 0, 1);
    ng = lgkt_posterior_ng(&inside(learner)->post, 0);
    assert_close(bounds->base + bounds->unit * ng.m, 2.5, 1e-14);
    assert_close(bounds->unit * bounds->unit * ng.b, 7.5, 1e-13);
    assert_close(bounds->unit * sqrt(ng.b / (ng.a * ng.k)), .866025404, 1e-9);
    lgkt_learner_destroy(learner);
}

// Student laws of 2 and 4 degrees of freedom
static double student_2(double t)
{
    return 0.5 + t / (2 * sqrt(2 + t * t));
}

static double student_4(double t)
{
    const double square = 1 + t * t / 4;
    return 0.5 + 0.375 * t / sqrt(square) * (1 - t * t / (12 * square));
}

enum { LAW_NG_0, LAW_NG_2, LAW_BETA, LAW_NORMAL_0, LAW_NORMAL_4, LAWS };

static double law_of(int law, double x)
{
    switch (law) {
    case LAW_NG_0: // about 1/2 with b = 1/12, a = k = 1
        return student_2((x - 0.5) * sqrt(12));
    case LAW_NG_2: // after 0.1 and 0.5: k = 3, m = 1.1/3, a = 2, b = 1/12 + .04 + .04/3
        return student_4((x - 1.1 / 3) / sqrt((1.0 / 12 + 0.04 + 0.04 / 3) / 6));
    case LAW_BETA: // after 1, 1 and 0: Beta(3, 2)
        return x * x * x * (4 - 3 * x);
    case LAW_NORMAL_0:
        return chance_normal_cdf((x - 0.5) / 0.5);
    default: // after four of 0.25, sd 0.5: precision 4 + 16
        return chance_normal_cdf((x - 0.3) * sqrt(20));
    }
}

static void test_rewards(void **state)
{
    (void)state;
    static const char *const specs[LAWS] = {"", "", ",reward=beta", ",reward=normal,reward-sd=0.5",
                                            ",reward=normal,reward-sd=0.5"};
    static const double seen[LAWS][4] = {{0}, {0.1, 0.5}, {1, 1, 0}, {0}, {.25, .25, .25, .25}};
    static const int count[LAWS] = {0, 2, 3, 0, 4};
    for (int law = 0; law < LAWS; law++) {
        char spec[128];
        snprintf(spec, sizeof spec, "psrl:reward-min=0,reward-max=1%s", specs[law]);
        lgkt_learner *learner = make(spec, 2);
        for (int i = 0; i < count[law]; i++)
            feed(learner, 0, seen[law][i], 0, 1);
        static chance_ks ks;
        ks = (chance_ks){0};
        for (int i = 0; i < 200000; i++)
            chance_ks_add(
                &ks, law_of(law, lgkt_posterior_reward(&inside(learner)->post, 0, &learner->rng)));
        assert_between(chance_ks_gap(&ks), 0, chance_ks_bound(ks.total));
        lgkt_learner_destroy(learner);
    }
}

static void test_beta_counts(void **state)
{
    (void)state;
    for (int fraction = 0; fraction < 2; fraction++) {
        lgkt_learner *learner =
            make(fraction == 1 ? "psrl:reward=beta,rounding=fraction,reward-min=-1,reward-max=3"
                               : "psrl:reward=beta,reward-min=-1,reward-max=3",
                 2);
        const lgkt_seen_row *row = &inside(learner)->post.counts.rows[0];
        // the ends need no coin, and what is beyond them is clipped
        const lgkt_rng before = learner->rng;
        feed(learner, 0, -1, 0, 5);
        feed(learner, 0, 3, 0, 2);
        feed(learner, 0, -7, 0, 1);
        feed(learner, 0, 9, 0, 1);
        assert_memory_equal(&before, &learner->rng, sizeof before);
        assert_close(row->reward, 3, 0);
        assert_int_equal(inside(learner)->post.clipped, 2);
        feed(learner, 0, 0, 0, 4000);
        if (fraction == 1)
            assert_close(row->reward, 1003, 0);
        else
            assert_close(row->reward, 1003, chance_count_bound(4000, 0.25));
        assert_true(row->reward == floor(row->reward));
        lgkt_learner_destroy(learner);
    }
}

// noise that is known to be none leaves nothing to draw
static void test_rewards_without_noise(void **state)
{
    (void)state;
    lgkt_learner *learner = make("psrl:reward=normal,reward-min=0,reward-max=1,reward-sd=0", 2);
    feed(learner, 0, 0.375, 0, 1);
    assert_close(lgkt_posterior_reward(&inside(learner)->post, 0, &learner->rng), 0.375, 0);
    lgkt_learner_destroy(learner);
}

// scales with a square of 0: draws stay within what was seen
static void test_tiny_rewards(void **state)
{
    (void)state;
    static const char *specs[] = {"psrl:reward=ng", "psrl:reward=ng-free", "psrl:reward=beta",
                                  "psrl:reward=normal", "psrl:reward=normal,reward-sd=1e-300"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner *learner = make(specs[i], 2);
        feed(learner, 0, 1e-300, 0, 3);
        feed(learner, 1, 3e-300, 0, 3);
        for (int draw = 0; draw < 1000; draw++)
            for (size_t z = 0; z < 2; z++)
                assert_between(lgkt_posterior_reward(&inside(learner)->post, z, &learner->rng),
                               -20e-300, 20e-300);
        lgkt_learner_destroy(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_of_small_shapes),
        cmocka_unit_test(test_lower_bounds),
        cmocka_unit_test(test_normal_gamma_by_numbers),
        cmocka_unit_test(test_rewards),
        cmocka_unit_test(test_beta_counts),
        cmocka_unit_test(test_rewards_without_noise),
        cmocka_unit_test(test_tiny_rewards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
