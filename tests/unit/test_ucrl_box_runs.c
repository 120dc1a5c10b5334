// SPDX-License-Identifier: MIT
// labels: slow
// What ucrl2b and ucrl3 earn in 20000 steps on three small models of the literature, against the
// averages of another program (40 runs each; standard errors 0.001 on the rivers, 0.0006 on the
// Garnet), with fewer runs here.

#include "test.h"

#include "ref/learner_run.h"
#include "ref/models.h"

enum { HORIZON = 20000, RUNS = 12, MODELS = 3 };

// ---- the models ----

typedef struct river_rows {
    double stay_first, down, stay, down_last, small;
} river_rows;

// RiverSwim: left is sure, right is against the current
static lgkt_mdp *river(river_rows r)
{
    enum { STATES = 6 };
    double rewards[STATES * 2] = {0}, kernel[STATES * 2 * STATES] = {0};
    rewards[0] = r.small;
    rewards[2 * STATES - 1] = 1;
    for (int s = 0; s < STATES; s++) {
        const bool first = s == 0, last = s == STATES - 1;
        double *left = kernel + 2 * s * STATES, *right = left + STATES;
        left[first ? 0 : s - 1] = 1;
        right[s] = first ? r.stay_first : last ? 1 - r.down_last : r.stay;
        if (!first)
            right[s - 1] = last ? r.down_last : r.down;
        if (!last)
            right[s + 1] = first ? 1 - r.stay_first : 1 - r.down - r.stay;
    }
    return model_dense(STATES, 2, rewards, kernel);
}

// 31 bits of a linear congruential generator
static uint32_t draw(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*x >> 33);
}

// Garnet(10, 3, 3, 1): three successors a pair, the unit interval cut at two places
static lgkt_mdp *garnet(void)
{
    enum { STATES = 10, ACTIONS = 3, BRANCHES = 3 };
    static double rewards[STATES * ACTIONS], kernel[STATES * ACTIONS * STATES];
    memset(kernel, 0, sizeof kernel);
    uint64_t x = 1;
    for (int z = 0; z < STATES * ACTIONS; z++) {
        int next[STATES];
        for (int y = 0; y < STATES; y++)
            next[y] = y;
        for (int k = 0; k < BRANCHES; k++) {
            const int j = k + (int)(draw(&x) % (uint32_t)(STATES - k)), other = next[k];
            next[k] = next[j];
            next[j] = other;
        }
        const double a = draw(&x) / 0x1p31, b = draw(&x) / 0x1p31;
        kernel[z * STATES + next[0]] = fmin(a, b);
        kernel[z * STATES + next[1]] = fmax(a, b) - fmin(a, b);
        kernel[z * STATES + next[2]] = 1 - fmax(a, b);
        rewards[z] = draw(&x) / 0x1p31;
    }
    return model_dense(STATES, ACTIONS, rewards, kernel);
}

static void models_make(lgkt_mdp *models[MODELS])
{
    static const double gains[] = {243.0 / 1090, 7203.0 / 16805, .665779605789};
    models[0] = river((river_rows){.7, .1, .6, .7, 5.0 / 10000});
    models[1] = river((river_rows){.4, .05, .6, .4, 5.0 / 1000});
    models[2] = garnet();
    for (int m = 0; m < MODELS; m++) {
        double gain;
        lgkt_error error = {0};
        assert_ok(lgkt_plan_gain(models[m], 1e-12, NULL, &gain, NULL, &error), error);
        assert_close(gain, gains[m], 1e-10);
    }
}

// ---- runs ----

// the mean of the expected rewards; those of the Garnet are 0 or 1, the others sure
static double run_mean(const char *spec, const lgkt_mdp *model, bool bernoulli, uint64_t instance)
{
    lgkt_learner_config config = learner_run_config(model, HORIZON);
    config.instance = instance;
    config.problem.model = NULL;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    config.problem.reward_sd = bernoulli ? 0.5 : 0;
    lgkt_learner *learner = learner_run_make(spec, &config);
    lgkt_rng rng = lgkt_rng_stream(17, "world", instance);
    double sum = 0;
    for (int32_t t = 0, state = 0; t < HORIZON; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
        const lgkt_row row = lgkt_mdp_row(model, state, action);
        const double mean = lgkt_mdp_reward(model, state, action);
        double left = lgkt_rng_uniform(&rng);
        const double reward = bernoulli ? lgkt_rng_uniform(&rng) < mean : mean;
        int32_t i = 0;
        for (; i < row.n - 1 && left >= row.p[i]; i++)
            left -= row.p[i];
        state = row.next[i];
        sum += mean;
        assert_int_equal(lgkt_learner_observe(learner, reward, state, false), LGKT_OK);
    }
    assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
    lgkt_learner_destroy(learner);
    return sum / HORIZON;
}

// Means of 12 runs within 4 standard errors of the difference to the printed averages, their own
// error included: a false alarm has probability 2e-3 at most (Student's law, 11 degrees), 15
// together 3e-2; the seeds are fixed.
static void test_printed_averages(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double means[MODELS];
    } printed[] = {
        {"ucrl2b", {.0910, .2480, .5235}},
        {"ucrl3", {.1697, .3570, .6176}},
        {"ucrl3:support=whole", {.1641, .3557, .6198}},
        {"ucrl3:certain=1", {.2035, .4065, .6186}},
        {"ucrl3:certain=1,support=seen", {.2047, .4083, .6249}},
    };
    static const double errors[MODELS] = {0.001, 0.001, 0.0006};
    lgkt_mdp *models[MODELS];
    models_make(models);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        for (int m = 0; m < MODELS; m++) {
            double sum = 0, squares = 0;
            for (uint64_t run = 0; run < RUNS; run++) {
                const double mean = run_mean(printed[i].spec, models[m], m == 2, run);
                sum += mean;
                squares += mean * mean;
            }
            const double mean = sum / RUNS;
            const double variance = (squares - sum * mean) / (RUNS - 1) / RUNS;
            const double error = sqrt(variance + errors[m] * errors[m]);
            print_message("%-30s model %d: %.4f, printed %.4f, error %.4f\n", printed[i].spec, m,
                          mean, printed[i].means[m], error);
            assert_close(mean, printed[i].means[m], 4 * error);
            // of use as a test
            assert_between(error, 0, 0.006);
        }
    for (int m = 0; m < MODELS; m++)
        lgkt_mdp_destroy(models[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_averages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
