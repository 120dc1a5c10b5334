// SPDX-License-Identifier: MIT
// The worlds on records against their definitions: mechanics by energy and by the libm, stores and
// patients written again with the libm, bandits by what their rewards tell, records of prices, noise
// around another world, and what a record says of itself.

#include "test.h"

#include <string.h>

#include "env/env_private.h"
#include "ref/env_run.h"

#define PI 3.141592653589793

static const double *shown(const lgkt_trajectory *run)
{
    size_t size;
    return lgkt_trajectory_observation(run, &size);
}

// what a world of records tells of them
static void check_record(const lgkt_env *env, int32_t dims, int32_t actions)
{
    const lgkt_view *record = lgkt_env_record(env);
    assert_non_null(record);
    assert_int_equal(record->dims, dims);
    assert_null(record->cuts);
    const lgkt_problem problem = lgkt_env_problem(env, 1);
    assert_int_equal(problem.states, 0);
    assert_int_equal(problem.actions, actions);
    assert_null(problem.model);
}

// ---- mechanics ----

// The view changes nothing of the world itself; a fall is a move with records, and a cut with bins.
static void test_views_show_the_same_world(void **state)
{
    (void)state;
    lgkt_env *envs[2] = {env_run_make("cartpole", NULL),
                         env_run_make("cartpole:view=record", NULL)};
    lgkt_trajectory *runs[2] = {env_run_start(envs[0], 2000, 1), env_run_start(envs[1], 2000, 1)};
    check_record(envs[1], 4, 2);
    assert_null(lgkt_env_record(envs[0]));
    assert_null(lgkt_env_record(NULL));
    int cuts = 0;
    for (int t = 0; t < 2000; t++) {
        const lgkt_step binned = env_run_play(runs[0], t % 3 == 0);
        const lgkt_step record = env_run_play(runs[1], t % 3 == 0);
        assert_true(binned.reward == record.reward);
        assert_memory_equal(shown(runs[0]), shown(runs[1]), 4 * sizeof(double));
        assert_true(!record.ended && record.state == 0);
        cuts += binned.ended;
    }
    assert_in_range(cuts, 50, 500);
    for (int i = 0; i < 2; i++) {
        lgkt_trajectory_destroy(runs[i]);
        lgkt_env_destroy(envs[i]);
    }
}

// The classic form without friction, as Gymnasium writes it.
static void test_a_pole_without_friction(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("cartpole:view=record,friction=0", NULL);
    lgkt_trajectory *run = env_run_start(env, 5000, 2);
    for (int t = 0; t < 5000; t++) {
        double at[4];
        memcpy(at, shown(run), sizeof at);
        const double force = t % 7 % 2 ? 10 : -10, sine = sin(at[2]), cosine = cos(at[2]);
        const double push = (force + 0.05 * at[3] * at[3] * sine) / 1.1;
        const double turn =
            (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3 - 0.1 * cosine * cosine / 1.1));
        const double cart = push - 0.05 * turn * cosine / 1.1;
        if (env_run_play(run, t % 7 % 2).reward == 0)
            continue;
        const double want[4] = {at[0] + 0.02 * at[1], at[1] + 0.02 * cart, at[2] + 0.02 * at[3],
                                at[3] + 0.02 * turn};
        for (int d = 0; d < 4; d++)
            assert_close(shown(run)[d], want[d], 1e-14);
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// A car that pushes where it goes gets out in some 120 steps; one that waits never does. The step
// that gets there earns 0 and leads to a car at rest in the valley.
static void test_mountaincar(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("mountaincar", NULL);
    lgkt_trajectory *run = env_run_start(env, 20000, 3);
    check_record(env, 2, 3);
    int goals = 0, last = 0;
    for (int t = 1; t <= 20000; t++) {
        const double place = shown(run)[0], speed = shown(run)[1];
        const int32_t push = t > 10000 ? 1 : speed >= 0 ? 2 : 0;
        const lgkt_step step = env_run_play(run, push);
        assert_true(!step.ended && (step.reward == -1 || step.reward == 0));
        if (step.reward == 0) {
            assert_true(t <= 10000 && t - last <= 200);
            assert_between(shown(run)[0], -0.6, -0.4);
            assert_true(shown(run)[1] == 0);
            goals++;
            last = t;
            continue;
        }
        double next = speed + (push - 1) * 0.001 - 0.0025 * cos(3 * place);
        next = fmax(-0.07, fmin(0.07, next));
        const double to = fmax(-1.2, fmin(0.6, place + next));
        assert_close(shown(run)[0], to, 1e-15);
        assert_close(shown(run)[1], to <= -1.2 && next < 0 ? 0 : next, 1e-15);
    }
    assert_in_range(goals, 60, 110);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_pendulum(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("pendulum", NULL);
    lgkt_trajectory *run = env_run_start(env, 20000, 4);
    check_record(env, 3, 5);
    double angle = atan2(shown(run)[1], shown(run)[0]), spin = shown(run)[2];
    assert_true(fabs(spin) <= 1);
    for (int t = 0; t < 20000; t++) {
        const int32_t action = t < 10000 ? t * t % 5 : spin >= 0 ? 4 : 0;
        const double u = action - 2, n = atan2(sin(angle), cos(angle));
        const double cost = n * n + 0.1 * spin * spin + 0.001 * u * u;
        assert_close(env_run_play(run, action).reward, -cost, 1e-8);
        spin = fmax(-8, fmin(8, spin + (15 * sin(angle) + 3 * u) * 0.05));
        angle += 0.05 * spin;
        assert_close(shown(run)[0], cos(angle), 1e-8);
        assert_close(shown(run)[1], sin(angle), 1e-8);
        assert_close(shown(run)[2], spin, 1e-8);
        // what was rounded must not grow
        angle = atan2(shown(run)[1], shown(run)[0]);
        spin = shown(run)[2];
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// Lagrange's equations of two rods, each 1 long and 1 heavy with inertia 1 about its middle, which is
// 0.5 from its end; g = 9.8, a and b the angles, a torque between the rods. By Cramer's rule.
static void rods_change(const double q[4], double torque, double change[4])
{
    const double sine = sin(q[1]), cosine = cos(q[1]), both = 4.9 * sin(q[0] + q[1]);
    const double m11 = 3.5 + cosine, m12 = 1.25 + 0.5 * cosine, m22 = 1.25;
    const double b1 = 0.5 * sine * (2 * q[2] * q[3] + q[3] * q[3]) - 14.7 * sin(q[0]) - both;
    const double b2 = torque - 0.5 * q[2] * q[2] * sine - both;
    const double det = m11 * m22 - m12 * m12;
    change[0] = q[2];
    change[1] = q[3];
    change[2] = (b1 * m22 - b2 * m12) / det;
    change[3] = (m11 * b2 - m12 * b1) / det;
}

// one step of Runge and Kutta
static void rods_move(double q[4], double torque)
{
    static const double PART[4] = {0, 0.1, 0.1, 0.2}, WEIGHT[4] = {1, 2, 2, 1};
    double change[4] = {0}, sum[4] = {0};
    for (int k = 0; k < 4; k++) {
        double at[4];
        for (int i = 0; i < 4; i++)
            at[i] = q[i] + PART[k] * change[i];
        rods_change(at, torque, change);
        for (int i = 0; i < 4; i++)
            sum[i] += WEIGHT[k] * change[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] += 0.2 / 6 * sum[i];
}

// Pumping gets the tip up every now and then; what it led to is a start near rest.
static void test_acrobot(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("acrobot", NULL);
    lgkt_trajectory *run = env_run_start(env, 20000, 5);
    check_record(env, 6, 3);
    int goals = 0;
    for (int t = 0; t < 20000; t++) {
        double x[6];
        memcpy(x, shown(run), sizeof x);
        const int32_t action = t % 5 == 0 ? 1 : x[5] > 0 ? 2 : 0;
        double q[4] = {atan2(x[1], x[0]), atan2(x[3], x[2]), x[4], x[5]};
        rods_move(q, action - 1);
        q[2] = fmax(-4 * PI, fmin(4 * PI, q[2]));
        q[3] = fmax(-9 * PI, fmin(9 * PI, q[3]));
        const bool up = -cos(q[0]) - cos(q[0] + q[1]) > 1;
        const lgkt_step step = env_run_play(run, action);
        assert_true(!step.ended && step.reward == (up ? 0 : -1));
        goals += up;
        const double want[6] = {cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1]), q[2], q[3]};
        for (int d = 0; d < 6; d++) {
            if (up)
                assert_true(d % 2 == 0 && d < 4 ? shown(run)[d] > 0.99
                                                : fabs(shown(run)[d]) <= 0.1);
            else
                assert_close(shown(run)[d], want[d], 1e-9);
        }
    }
    assert_in_range(goals, 20, 2000);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- stores and patients ----

static void test_store(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("store", NULL);
    lgkt_trajectory *run = env_run_start(env, 5000, 6);
    check_record(env, 3, 6);
    assert_true(isnan(lgkt_env_problem(env, 1).reward_min));
    lgkt_rng rng = lgkt_rng_stream(6, "environment", 0);
    lgkt_rng_uniform(&rng);
    double stock = 5, f = 0, c = 0;
    for (int t = 0; t < 5000; t++) {
        const double forecast = 6 * exp(0.5 * f), price = 0.5 + 0.12 * c;
        assert_close(shown(run)[0], stock, 1e-11);
        assert_close(shown(run)[1], forecast, 1e-11);
        assert_close(shown(run)[2], price, 1e-12);
        const int32_t action = t * t % 6;
        const double demand = forecast * exp(0.25 * lgkt_rng_normal(&rng) - 0.03125);
        const double full = fmin(30, stock + 4 * action), sold = fmin(full, demand);
        stock = full - sold;
        const double reward = sold - 4 * action * price - (action > 0 ? 0.3 : 0) - 0.1 * stock;
        f = 0.8 * f + 0.6 * lgkt_rng_normal(&rng);
        c = 0.9 * c + sqrt(0.19) * lgkt_rng_normal(&rng);
        assert_close(env_run_play(run, action).reward, reward, 1e-10);
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_glucose(void **state)
{
    (void)state;
    static const double UNITS[] = {0, 1, 2, 4};
    double patients[2];
    for (uint64_t instance = 0; instance < 2; instance++) {
        lgkt_env_config config = lgkt_env_config_default();
        config.instance = instance;
        lgkt_env *env = env_run_make("glucose", &config);
        lgkt_trajectory *run = env_run_start(env, 3000, 7);
        check_record(env, 5, 4);
        lgkt_rng patient = lgkt_rng_stream(0, "instance", instance);
        const double p3 = patients[instance] = 1.3e-5 * exp(0.2 * lgkt_rng_normal(&patient));
        lgkt_rng rng = lgkt_rng_stream(7, "environment", 0);
        lgkt_rng_uniform(&rng);
        double g = 150, x = 0, i = 7, d = 0, on_board = 0, carbohydrates = 0;
        for (int t = 1; t <= 3000; t++) {
            const double before = g, u = UNITS[t * t % 4];
            i += 8 * u;
            for (int minute = 0; minute < 30; minute++) {
                const double to_g = -(0.02 + x) * g + 0.02 * 140 + d + 0.3 * lgkt_rng_normal(&rng);
                const double to_x = -0.025 * x + p3 * fmax(0, i - 7), to_i = -0.0315 * (i - 7);
                g = fmax(30, fmin(450, g + to_g));
                x += to_x;
                i += to_i;
                d -= 0.03 * d;
            }
            const int time = t % 48;
            const double drawn = lgkt_rng_uniform(&rng);
            const bool meal = time == 14 || time == 25 || time == 38;
            const double eaten = meal ? 40 + 40 * drawn : drawn < 0.03 ? 20 : 0;
            d += 0.055 * eaten;
            on_board = (on_board + u) * exp(-0.36);
            carbohydrates = carbohydrates / 2 + eaten;
            const double z = 1.509 * (pow(log(g), 1.084) - 5.381);
            assert_close(env_run_play(run, t * t % 4).reward, -fmin(100, 10 * z * z) / 10, 1e-9);
            const double want[] = {g + 5 * lgkt_rng_normal(&rng), g - before, on_board,
                                   carbohydrates, time / 2.0};
            for (int n = 0; n < 5; n++)
                assert_close(shown(run)[n], want[n], 1e-8);
        }
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
    assert_true(patients[0] != patients[1]);
}

// ---- bandits ----

// the mean reward of a record that is put in place of the one at hand
static double mean_at(const lgkt_env *env, const double *x, int dims, int32_t action)
{
    lgkt_trajectory *run = env_run_start(env, 1, 0);
    memcpy(run->self, x, (size_t)dims * sizeof *x);
    const double mean = env_run_play(run, action).mean_reward;
    lgkt_trajectory_destroy(run);
    return mean;
}

// Means are linear, weights of variance 1/8, and rewards scatter about them by the noise.
static void test_linear_bandit(void **state)
{
    (void)state;
    enum { DIMS = 8, ACTIONS = 4, INSTANCES = 100 };
    double square = 0;
    for (uint64_t instance = 0; instance < INSTANCES; instance++) {
        lgkt_env_config config = lgkt_env_config_default();
        config.instance = instance;
        lgkt_env *env = env_run_make("contextual", &config);
        check_record(env, DIMS, ACTIONS);
        double weights[ACTIONS][DIMS];
        for (int32_t a = 0; a < ACTIONS; a++)
            for (int j = 0; j < DIMS; j++) {
                double x[DIMS] = {0};
                x[j] = 1;
                weights[a][j] = mean_at(env, x, DIMS, a);
                square += weights[a][j] * weights[a][j];
            }
        lgkt_trajectory *run = env_run_start(env, 300, 1);
        double noise = 0;
        for (int32_t t = 0; t < 300; t++) {
            double mean = 0;
            for (int j = 0; j < DIMS; j++)
                mean += weights[t % 4][j] * shown(run)[j];
            const lgkt_step step = env_run_play(run, t % 4);
            assert_close(step.mean_reward, mean, 1e-14);
            noise += (step.reward - mean) * (step.reward - mean);
        }
        // 0.25 within 6 standard errors, sqrt(2/300), which fails once in 10^7 seeds for all
        assert_close(noise / 300 / 0.25, 1, 6 * sqrt(2.0 / 300));
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
    const double count = INSTANCES * ACTIONS * DIMS;
    assert_close(square / count * DIMS, 1, 6 * sqrt(2 / count));
}

// Means are a sine, what the category adds, and for some records a step up.
static void test_curved_bandit(void **state)
{
    (void)state;
    enum { DIMS = 5 };
    lgkt_env *env = env_run_make("contextual:form=curved,features=5,actions=3,categories=4", NULL);
    check_record(env, DIMS + 1, 3);
    const lgkt_kind *kinds = lgkt_env_record(env)->kinds;
    assert_int_equal(kinds[0].type, LGKT_KIND_NUMBER);
    assert_int_equal(kinds[DIMS].type, LGKT_KIND_CATEGORY);
    assert_int_equal(kinds[DIMS].count, 4);
    lgkt_trajectory *run = env_run_start(env, 20000, 1);
    int up[3] = {0}, seen[4] = {0};
    for (int32_t a = 0; a < 3; a++) {
        // far below all edges there is no step: the mean there is a sine and what the category adds
        double added[4];
        for (int c = 0; c < 4; c++) {
            double x[DIMS + 1] = {0}, least = 1e9, most = -1e9;
            x[DIMS] = c;
            for (int k = 0; k < 4000; k++) {
                for (int j = 0; j < DIMS; j++)
                    x[j] = -1e3 - (j == 0 ? 0.01 * k : 0);
                const double mean = mean_at(env, x, DIMS + 1, a);
                least = fmin(least, mean);
                most = fmax(most, mean);
            }
            added[c] = (least + most) / 2;
            assert_close(most - least, 1, 1e-3);
        }
        for (int c = 1; c < 4; c++)
            assert_true(fabs(added[c] - added[0]) > 1e-3);
        for (int t = 0; t < 5000; t++) {
            const double *x = shown(run);
            const int c = (int)x[DIMS];
            assert_true(c >= 0 && c < 4 && x[DIMS] == c);
            seen[c]++;
            const double rest = env_run_play(run, a).mean_reward - added[c];
            // a sine of +-0.5, or that and a step of 1.5 to 2.5
            assert_true(fabs(rest) <= 0.502 || (rest >= 0.998 && rest <= 3.002));
            up[a] += rest > 0.75;
        }
        // two numbers beyond edges of scale 0.4: a quarter of all, and no action without
        assert_in_range(up[a], 100, 3000);
    }
    for (int c = 0; c < 4; c++)
        assert_in_range(seen[c], 3750 - 6 * 54, 3750 + 6 * 54);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- prices, and noise ----

static void test_records_of_prices(void **state)
{
    (void)state;
    static const int LAGS[] = {1, 2, 4, 9};
    double prices[60];
    for (int i = 0; i < 60; i++)
        prices[i] = 1 + 0.01 * sin(i * i);
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_SERIES, .series = prices, .count = 60};
    lgkt_env *env = env_run_make("trading:frame-hi=40,view=record", &config);
    lgkt_env *windows = env_run_make("trading:frame-hi=40", &config);
    check_record(env, 5, 2);
    lgkt_trajectory *run = env_run_start(env, 100, 0), *other = env_run_start(windows, 100, 0);
    int tick = 10;
    for (int t = 0; t < 100; t++) {
        assert_true(shown(run)[0] == prices[tick]);
        for (int d = 0; d < 4; d++)
            assert_true(shown(run)[d + 1] == prices[tick] - prices[tick - LAGS[d]]);
        const lgkt_step step = env_run_play(run, t * t % 3 == 1);
        const lgkt_step same = env_run_play(other, t * t % 3 == 1);
        assert_true(step.reward == same.reward && step.ended == same.ended);
        // the last row is 39, where the pass is cut
        tick = tick + 1 == 39 ? 10 : tick + 1;
        assert_int_equal(step.ended, tick == 10);
    }
    lgkt_trajectory_destroy(run);
    lgkt_trajectory_destroy(other);
    lgkt_env_destroy(env);
    lgkt_env_destroy(windows);
}

// The world within is the same world, with the random numbers that it has; what is added is normal,
// of no correlation with anything.
static void test_noise(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    lgkt_env *env =
        env_run_make("noisy:of=(scaled:by=3,of=(cartpole:view=record)),features=2", NULL);
    check_record(env, 6, 2);
    lgkt_trajectory *run = env_run_start(env, STEPS, 1);
    lgkt_env *bins = env_run_make("noisy:view=grid,bins=2,features=0", NULL);
    lgkt_env *direct = env_run_make("cartpole:bins=2,cut=0", NULL);
    lgkt_trajectory *binned = env_run_start(bins, STEPS, 1),
                    *plain = env_run_start(direct, STEPS, 1);
    assert_int_equal(lgkt_env_problem(bins, 1).states, 16);
    double sum[2] = {0}, square[2] = {0}, product[3] = {0}, last = 0;
    for (int t = 0; t < STEPS; t++) {
        const double *x = shown(run);
        for (int d = 0; d < 2; d++) {
            sum[d] += x[4 + d];
            square[d] += x[4 + d] * x[4 + d];
        }
        product[0] += x[4] * x[5];
        product[1] += x[4] * last;
        product[2] += x[4] * (x[0] > 0 ? 1 : -1);
        last = x[4];
        const lgkt_step step = env_run_play(run, t % 2);
        assert_true(step.reward == 0 || step.reward == 3);
        // without features it is the same run, bit for bit
        const lgkt_step one = env_run_play(binned, t % 2), two = env_run_play(plain, t % 2);
        assert_true(one.reward == two.reward && one.state == two.state && one.ended == two.ended);
        assert_memory_equal(shown(binned), shown(plain), 4 * sizeof(double));
    }
    // 6 standard errors of a mean of 20000; fails once in 10^8 seeds for each
    const double error = 6 / sqrt(STEPS);
    for (int d = 0; d < 2; d++) {
        assert_close(sum[d] / STEPS, 0, error);
        assert_close(square[d] / STEPS, 1, sqrt(2) * error);
    }
    for (int i = 0; i < 3; i++)
        assert_close(product[i] / STEPS, 0, error);
    lgkt_trajectory *const made[] = {run, binned, plain};
    lgkt_env *const worlds[] = {env, bins, direct};
    for (int i = 0; i < 3; i++) {
        lgkt_trajectory_destroy(made[i]);
        lgkt_env_destroy(worlds[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_show_the_same_world),
        cmocka_unit_test(test_a_pole_without_friction),
        cmocka_unit_test(test_mountaincar),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_acrobot),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_glucose),
        cmocka_unit_test(test_linear_bandit),
        cmocka_unit_test(test_curved_bandit),
        cmocka_unit_test(test_records_of_prices),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
