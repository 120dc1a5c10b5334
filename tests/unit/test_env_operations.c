// SPDX-License-Identifier: MIT
// labels: slow
// Store, queue and machine: rows and rewards against the definitions, known gains and best
// policies, and rewards that say what happened.
#include "test.h"

#include "ref/env_facts.h"
#include "ref/env_run.h"

// ---- inventory ----

// P(D = d), P(D >= d) and E min(z, D) of a Poisson demand, through the gamma function.
static double poisson(double mean, int32_t d)
{
    return exp(d * log(mean) - mean - lgamma(d + 1.0));
}

static double poisson_tail(double mean, int32_t d)
{
    double sum = 0;
    for (int32_t k = d + 300; k >= d; k--)
        sum += poisson(mean, k);
    return sum;
}

static double sold(double mean, int32_t z)
{
    double sum = z * poisson_tail(mean, z);
    for (int32_t d = 0; d < z; d++)
        sum += d * poisson(mean, d);
    return sum;
}

// M, K, c, h, p, lambda
static const struct {
    const char *spec;
    int32_t capacity;
    double order, unit, holding, price, demand, gain;
    int32_t up_to,
        reorder; // order up to the one if there are no more than the other; -1: not known
} STOCKS[] = {
    {"inventory", 20, 4, 2, 0.5, 8, 5, 24.7313148227, 13, 5},
    {"inventory:holding-cost=0.1,price=4", 20, 4, 2, 0.1, 4, 5, 7.84772708268, 20, 4},
    {"inventory:capacity=50,order-cost=10,holding-cost=0.1,price=4,demand=10", 50, 10, 2, 0.1, 4,
     10, 15.4573027971, -1, -1},
    {"inventory:capacity=3,order-cost=1,unit-cost=0,holding-cost=0.25,price=2,demand=0.7", 3, 1, 0,
     0.25, 2, 0.7, NAN, -1, -1},
};
enum { STOCK_COUNT = sizeof STOCKS / sizeof *STOCKS };

static void test_inventory_is_as_defined(void **state)
{
    (void)state;
    for (int i = 0; i < STOCK_COUNT; i++) {
        lgkt_env *env = env_run_make(STOCKS[i].spec, NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        const int32_t capacity = STOCKS[i].capacity, states = capacity + 1;
        const double demand = STOCKS[i].demand;
        assert_int_equal(lgkt_mdp_states(mdp), states);
        assert_int_equal(lgkt_mdp_actions(mdp), states);
        assert_int_equal(lgkt_mdp_start(mdp), 0);
        double widest = 0;
        for (int32_t pair = 0; pair < states * states; pair++) {
            const int32_t x = pair / states, a = pair % states;
            const int32_t z = x + a < capacity ? x + a : capacity;
            const double paid =
                (a > 0 ? STOCKS[i].order : 0) + STOCKS[i].unit * (z - x) + STOCKS[i].holding * x;
            const lgkt_row row = lgkt_mdp_row(mdp, x, a);
            assert_int_equal(row.n, z + 1);
            for (int32_t y = 0; y <= z; y++) {
                const double p = y > 0 ? poisson(demand, z - y) : poisson_tail(demand, z);
                assert_int_equal(row.next[y], y);
                assert_close(row.p[y], p, 1e-12 * p);
                const double reward =
                    row.reward == NULL ? lgkt_mdp_reward(mdp, x, a) : row.reward[y];
                assert_close(reward, STOCKS[i].price * (z - y) - paid, 1e-12);
            }
            assert_close(lgkt_mdp_reward(mdp, x, a), STOCKS[i].price * sold(demand, z) - paid,
                         1e-11);
            widest = fmax(widest, STOCKS[i].price * z);
        }
        assert_close(lgkt_env_problem(env, 1).reward_sd, widest / 2, 1e-12);
        lgkt_env_destroy(env);
    }
}

static void test_inventory_gains_and_orders(void **state)
{
    (void)state;
    for (int i = 0; i < STOCK_COUNT; i++) {
        if (isnan(STOCKS[i].gain))
            continue;
        assert_close(env_facts_gain(STOCKS[i].spec), STOCKS[i].gain, 1e-11 * STOCKS[i].gain);
        lgkt_env *env = env_run_make(STOCKS[i].spec, NULL);
        int32_t best[64];
        env_facts_best(env, best);
        for (int32_t x = 0; x <= STOCKS[i].capacity && STOCKS[i].up_to > 0; x++)
            assert_int_equal(best[x], x <= STOCKS[i].reorder ? STOCKS[i].up_to - x : 0);
        lgkt_env_destroy(env);
    }
}

// Orders beyond what fits are the same to the last bit.
static void test_orders_beyond_the_capacity_tie(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("inventory", NULL);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    for (int32_t x = 1; x <= 20; x++)
        for (int32_t a = 20 - x > 0 ? 20 - x : 1; a < 20; a++) {
            const lgkt_row one = lgkt_mdp_row(mdp, x, a), other = lgkt_mdp_row(mdp, x, a + 1);
            assert_true(lgkt_mdp_reward(mdp, x, a) == lgkt_mdp_reward(mdp, x, a + 1));
            assert_int_equal(one.n, other.n);
            assert_memory_equal(one.p, other.p, (size_t)one.n * sizeof *one.p);
        }
    lgkt_env_destroy(env);
}

// ---- admission ----

static const struct {
    const char *spec;
    double arrival, service, fee, holding, gain;
    int32_t capacity, threshold;
} QUEUES[] = {
    {"admission", 0.8, 1, 5, 1, 1.16575591985, 20, 2},
    {"admission:arrival-rate=0.5", 0.5, 1, 5, 1, 1.06666666667, 20, 3},
    {"admission:arrival-rate=1.2,fee=10,capacity=30", 1.2, 1, 10, 1, 2.91423926297, 30, 3},
};
enum { QUEUE_COUNT = sizeof QUEUES / sizeof *QUEUES };

static void test_admission(void **state)
{
    (void)state;
    for (int i = 0; i < QUEUE_COUNT; i++) {
        lgkt_env *env = env_run_make(QUEUES[i].spec, NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        const double rate = QUEUES[i].arrival + QUEUES[i].service, q = QUEUES[i].arrival / rate;
        const int32_t capacity = QUEUES[i].capacity, k = QUEUES[i].threshold;
        assert_int_equal(lgkt_mdp_states(mdp), capacity + 1);
        assert_int_equal(lgkt_mdp_actions(mdp), 2);
        assert_int_equal(lgkt_mdp_start(mdp), 0);
        for (int32_t n = 0; n <= capacity; n++)
            for (int32_t a = 0; a < 2; a++) {
                const bool admits = a == 1 && n < capacity;
                const double held = QUEUES[i].holding * n / rate;
                for (int32_t y = 0; y <= capacity; y++)
                    assert_close(env_facts_probability(mdp, n, a, y),
                                 q * (y == n + admits) + (1 - q) * (y == (n > 0 ? n - 1 : 0)),
                                 1e-15);
                assert_close(lgkt_mdp_reward(mdp, n, a), q * QUEUES[i].fee * admits - held, 1e-14);
            }
        assert_close(lgkt_env_problem(env, 1).reward_sd, QUEUES[i].fee / 2, 1e-12);

        // the best policy is the threshold, its gain that of the closed form
        int32_t best[64];
        env_facts_best(env, best);
        for (int32_t n = 0; n <= capacity; n++)
            assert_int_equal(best[n], n < k);
        double total = 0, held = 0, full = 0;
        for (int32_t n = 0; n <= k; n++) {
            full = pow(QUEUES[i].arrival / QUEUES[i].service, n);
            total += full;
            held += n * full;
        }
        const double gain =
            q * QUEUES[i].fee * (1 - full / total) - QUEUES[i].holding / rate * held / total;
        assert_close(gain, QUEUES[i].gain, 1e-11);
        assert_close(env_facts_gain(QUEUES[i].spec), gain, 1e-11);
        lgkt_env_destroy(env);
    }
}

// ---- replacement ----

static const struct {
    const char *spec;
    int32_t states;
    double wear, wear_two, cost, gain;
    int32_t from;
} MACHINES[] = {
    {"replacement", 10, 0.3, 0.1, 0.5, 0.803710887391, 4},
    {"replacement:cost=2", 10, 0.3, 0.1, 2, 0.674819142528, 6},
    {"replacement:states=20,wear=0.4,wear-two=0,cost=1", 20, 0.4, 0, 1, 0.858593853054, 8},
};

static void test_replacement(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        lgkt_env *env = env_run_make(MACHINES[i].spec, NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        const int32_t states = MACHINES[i].states, last = states - 1;
        int32_t best[32];
        assert_int_equal(lgkt_mdp_states(mdp), states);
        assert_int_equal(lgkt_mdp_start(mdp), 0);
        env_facts_best(env, best);
        for (int32_t s = 0; s < states; s++) {
            double p[32] = {0};
            p[s] += 1 - MACHINES[i].wear - MACHINES[i].wear_two;
            p[s + 1 > last ? last : s + 1] += MACHINES[i].wear;
            p[s + 2 > last ? last : s + 2] += MACHINES[i].wear_two;
            for (int32_t y = 0; y < states; y++) {
                assert_close(env_facts_probability(mdp, s, 0, y), p[y], 1e-15);
                assert_close(env_facts_probability(mdp, s, 1, y), y == 0, 0);
            }
            assert_close(lgkt_mdp_reward(mdp, s, 0), 1 - pow((double)s / last, 2), 1e-15);
            assert_close(lgkt_mdp_reward(mdp, s, 1), -MACHINES[i].cost, 0);
            assert_int_equal(best[s], s >= MACHINES[i].from);
        }
        assert_true(lgkt_env_problem(env, 1).reward_sd == 0);
        assert_close(env_facts_gain(MACHINES[i].spec), MACHINES[i].gain, 1e-11);
        lgkt_env_destroy(env);
    }
    // certain wear, and none
    env_facts_check_run("replacement:wear=0.5,wear-two=0.5", 20000);
    env_facts_check_run("replacement:states=2,wear=0,wear-two=0", 1000);
}

// ---- runs ----

static void test_runs_follow_the_models(void **state)
{
    (void)state;
    env_facts_check_run("inventory", 200000);
    env_facts_check_run("inventory:capacity=3,demand=1", 100000);
    env_facts_check_run("admission", 100000);
    env_facts_check_run("replacement", 100000);
}

// What a run pays says what was sold, and who was admitted.
static void test_rewards_are_the_realised_ones(void **state)
{
    (void)state;
    enum { STEPS = 5000 };
    for (int queue = 0; queue < 2; queue++) {
        lgkt_env *env = env_run_make(queue ? "admission" : "inventory", NULL);
        lgkt_trajectory *run = env_run_start(env, STEPS, 11);
        lgkt_rng rng = lgkt_rng_stream(11, "actions", 0);
        for (int t = 0; t < STEPS; t++) {
            const int32_t s = lgkt_trajectory_state(run);
            const int32_t a = lgkt_rng_below(&rng, queue ? 2 : 21);
            const int32_t z = s + a < 20 ? s + a : 20;
            const lgkt_step step = env_run_play(run, a);
            const double expected =
                queue ? 5.0 * (step.state > s) - s / 1.8
                      : 8.0 * (z - step.state) - 4 * (a > 0) - 2.0 * (z - s) - 0.5 * s;
            assert_close(step.reward, expected, 1e-12);
        }
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// Very small and very large demands leave rows that sum to 1.
static void test_extreme_demands(void **state)
{
    (void)state;
    static const char *const SPECS[] = {"inventory:demand=500", "inventory:demand=1e-6",
                                        "inventory:capacity=200,demand=0.001",
                                        "inventory:capacity=1,demand=500"};
    for (size_t i = 0; i < sizeof SPECS / sizeof *SPECS; i++) {
        lgkt_env *env = env_run_make(SPECS[i], NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        for (int32_t x = 0; x < lgkt_mdp_states(mdp); x++) {
            const lgkt_row row = lgkt_mdp_row(mdp, x, 0);
            double sum = 0;
            for (int32_t k = 0; k < row.n; k++)
                sum += row.p[k];
            assert_close(sum, 1, 1e-14);
        }
        lgkt_env_destroy(env);
    }
}

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    static const env_facts_bad CASES[] = {
        {"inventory:capacity=0", "capacity"},
        {"inventory:capacity=201", "capacity"},
        {"inventory:order-cost=-1", "order-cost"},
        {"inventory:unit-cost=nan", "unit-cost"},
        {"inventory:holding-cost=inf", "holding-cost"},
        {"inventory:price=-1", "price"},
        {"inventory:demand=0", "demand"},
        {"inventory:demand=501", "demand"},
        {"inventory:states=3", "states"},
        {"admission:arrival-rate=0", "arrival-rate"},
        {"admission:service-rate=0", "service-rate"},
        {"admission:fee=-1", "fee"},
        {"admission:holding-cost=-1", "holding-cost"},
        {"admission:capacity=0", "capacity"},
        {"admission:capacity=1000000", "capacity"},
        {"replacement:states=1", "states"},
        {"replacement:wear=1.5", "wear"},
        {"replacement:wear-two=-0.1", "wear-two"},
        {"replacement:wear=0.7,wear-two=0.6", "wear=0.7 and wear-two=0.6: they sum to 1.3"},
        {"replacement:cost=-1", "cost"},
        {NULL, NULL},
    };
    env_facts_check_refused(CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inventory_is_as_defined),
        cmocka_unit_test(test_inventory_gains_and_orders),
        cmocka_unit_test(test_orders_beyond_the_capacity_tie),
        cmocka_unit_test(test_admission),
        cmocka_unit_test(test_replacement),
        cmocka_unit_test(test_runs_follow_the_models),
        cmocka_unit_test(test_rewards_are_the_realised_ones),
        cmocka_unit_test(test_extreme_demands),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
