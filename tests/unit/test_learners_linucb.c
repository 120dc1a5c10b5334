// SPDX-License-Identifier: MIT
// LinUCB against ridge regression that is solved anew for every step, what it refuses, and what it
// learns.

#include "test.h"

#include "ref/record_run.h"

// ---- ridge regression, by elimination ----

enum { COLUMNS = 1 + 2 + RECORD_CATEGORIES };

// z = (1, numbers, one column for each category), in the order of the record
static void columns_of(const double *record, double z[COLUMNS])
{
    z[0] = 1;
    z[1] = isnan(record[0]) ? 0 : record[0];
    for (int c = 0; c < RECORD_CATEGORIES; c++)
        z[2 + c] = record[1] == c;
    z[COLUMNS - 1] = isnan(record[2]) ? 0 : record[2];
}

// solves a x = b; both are overwritten. a is a ridge plus squares: no pivots are needed
static void solve(double a[COLUMNS][COLUMNS], double *b)
{
    for (int i = 0; i < COLUMNS; i++)
        for (int j = i + 1; j < COLUMNS; j++) {
            const double factor = a[j][i] / a[i][i];
            for (int k = i; k < COLUMNS; k++)
                a[j][k] -= factor * a[i][k];
            b[j] -= factor * b[i];
        }
    for (int i = COLUMNS - 1; i >= 0; i--) {
        for (int k = i + 1; k < COLUMNS; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

typedef struct regression {
    double a[COLUMNS][COLUMNS], b[COLUMNS];
    int plays;
} regression;

// value and deviation of a record
static void value_of(const regression *r, double ridge, const double *z, double out[2])
{
    double a[COLUMNS][COLUMNS], theta[COLUMNS], turned[COLUMNS];
    for (int twice = 0; twice < 2; twice++) {
        memcpy(a, r->a, sizeof a);
        for (int i = 0; i < COLUMNS; i++)
            a[i][i] += ridge;
        memcpy(twice ? turned : theta, twice ? z : r->b, sizeof theta);
        solve(a, twice ? turned : theta);
    }
    out[0] = out[1] = 0;
    for (int i = 0; i < COLUMNS; i++) {
        out[0] += theta[i] * z[i];
        out[1] += turned[i] * z[i];
    }
    out[1] = sqrt(out[1]);
}

static void test_every_step_is_a_regression(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double alpha, ridge;
    } cases[] = {{"linucb", 1, 1}, {"linucb:alpha=0.3,ridge=0.01", 0.3, 0.01}};
    for (size_t c = 0; c < 2; c++) {
        lgkt_keyed *learner = record_run_make(cases[c].spec, 1, 600, NULL);
        lgkt_rng rng = lgkt_rng_stream(2, "test", c);
        regression by[RECORD_ACTIONS] = {0};
        double x[RECORD_DIMS], z[COLUMNS];
        record_run_draw(&rng, x);
        for (int t = 0; t < 600; t++) {
            lgkt_reason reasons[RECORD_ACTIONS];
            columns_of(x, z);
            record_run_explain(learner, x, NULL, reasons);
            double best = -INFINITY;
            for (int32_t a = 0; a < RECORD_ACTIONS; a++) {
                double want[2];
                value_of(&by[a], cases[c].ridge, z, want);
                assert_close(reasons[a].value, want[0], 1e-9);
                assert_close(reasons[a].upper, want[0] + cases[c].alpha * want[1], 1e-9);
                assert_true(reasons[a].visits == by[a].plays);
                best = fmax(best, reasons[a].upper);
            }
            const uint8_t mask[] = {1, 1, t % 5 != 0};
            const int32_t action = record_run_act(learner, x, t % 5 ? NULL : mask);
            assert_true(t % 5 == 0 || reasons[action].upper == best);
            const double reward = z[1] * action + (x[1] == action) + 0.3 * lgkt_rng_normal(&rng);
            for (int i = 0; i < COLUMNS; i++) {
                for (int j = 0; j < COLUMNS; j++)
                    by[action].a[i][j] += z[i] * z[j];
                by[action].b[i] += reward * z[i];
            }
            by[action].plays++;
            record_run_draw(&rng, x);
            record_run_observe(learner, reward, x, t % 7 == 0);
        }
        lgkt_keyed_destroy(learner);
    }
}

// On bandits that are linear it comes within a tenth of the best there is; 5 instances, over which
// the share that it gets has a deviation of 0.02.
static void test_linear_bandits(void **state)
{
    (void)state;
    for (uint64_t instance = 0; instance < 5; instance++) {
        lgkt_env_config world = lgkt_env_config_default();
        world.instance = instance;
        lgkt_env *env = NULL;
        lgkt_trajectory *run = NULL;
        lgkt_keyed *learner = NULL;
        lgkt_error error = {0};
        assert_ok(lgkt_env_create("contextual", &world, &env, &error), error);
        assert_ok(lgkt_trajectory_create(env, 3000, 0, instance, NULL, &run, &error), error);
        lgkt_learner_config config = lgkt_learner_config_default();
        lgkt_keyed_config keys = lgkt_keyed_config_default();
        config.problem = lgkt_env_problem(env, 3000);
        keys.view = *lgkt_env_record(env);
        assert_ok(lgkt_keyed_create("linucb", &config, &keys, &learner, &error), error);
        double total = 0, even = 0;
        for (int t = 0; t < 3000; t++) {
            size_t size;
            int32_t action = -1;
            lgkt_step step;
            const void *x = lgkt_trajectory_observation(run, &size);
            assert_int_equal(lgkt_keyed_act(learner, x, size, NULL, &action), LGKT_OK);
            assert_int_equal(lgkt_trajectory_step(run, action, &step), LGKT_OK);
            x = lgkt_trajectory_observation(run, &size);
            assert_int_equal(lgkt_keyed_observe(learner, step.reward, x, size, false), LGKT_OK);
            total += step.mean_reward;
            // of four normal values the highest is 1.03 deviations above their mean
            even += 1;
        }
        assert_true(total / even > 0.5);
        lgkt_keyed_destroy(learner);
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    lgkt_keyed *keyed = NULL;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    const lgkt_kind many[] = {{LGKT_KIND_CATEGORY, 1024}};
    config.problem.actions = 2;
    config.problem.horizon = 10;
    keys.view = (lgkt_view){.dims = 1, .kinds = many};
    assert_refused(lgkt_keyed_create("linucb", &config, &keys, &keyed, &error),
                   LGKT_ERR_UNSUPPORTED, error, "1025 columns, must be at most 1024");
    assert_refused(lgkt_keyed_create("linucb:ridge=0", &config, &keys, &keyed, &error),
                   LGKT_ERR_SPEC, error, "ridge");
    config.problem.states = 3;
    assert_refused(lgkt_learner_create("linucb", &config, &learner, &error), LGKT_ERR_UNSUPPORTED,
                   error, "records");
    assert_null(keyed);
    assert_null(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_step_is_a_regression),
        cmocka_unit_test(test_linear_bandits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
