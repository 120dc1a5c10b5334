// SPDX-License-Identifier: MIT
// The models of riverswim and synthetic: rows, rewards, known gains, and the laws they are drawn
// from.
#include "test.h"

#include "ref/chance.h"
#include "ref/env_run.h"
#include "ref/naive_gain.h"

static lgkt_env *make(const char *spec, uint64_t instance)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = 1;
    config.instance = instance;
    return env_run_make(spec, &config);
}

// ---- riverswim ----

static double probability(const lgkt_mdp *mdp, int32_t s, int32_t a, int32_t next)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    for (int32_t i = 0; i < row.n; i++)
        if (row.next[i] == next)
            return row.p[i];
    return 0;
}

// Checks (s, a): `named` moves as (next, probability), e elsewhere; they sum to 1.
static void check_row(const lgkt_mdp *mdp, int32_t s, int32_t a, const double named[][2], int count)
{
    const int32_t states = lgkt_mdp_states(mdp);
    double sum = 0;
    for (int32_t y = 0; y < states; y++) {
        double expected = 0.01 / states;
        for (int i = 0; i < count; i++)
            if (named[i][0] == y)
                expected = named[i][1];
        assert_close(probability(mdp, s, a, y), expected, 1e-15);
        sum += probability(mdp, s, a, y);
    }
    assert_close(sum, 1, 1e-15);
}

static void check_chain(const char *spec, int32_t states, double back, double stay)
{
    lgkt_env *env = make(spec, 0);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    assert_int_equal(lgkt_mdp_states(mdp), states);
    assert_int_equal(lgkt_mdp_actions(mdp), 2);
    assert_int_equal(lgkt_mdp_start(mdp), 0);
    const double e = 0.01 / states, rest = (states - 1) * e;
    for (int32_t s = 0; s < states; s++) {
        const double left[][2] = {{s == 0 ? 0 : s - 1, 1 - rest}};
        check_row(mdp, s, 0, left, 1);
        const double first[][2] = {{0, 0.7 + e}, {1, 0.3 - rest}};
        const double inner[][2] = {{s - 1, back + e}, {s, stay + e}, {s + 1, 0.3 - rest}};
        const double last[][2] = {{s - 1, 0.7 + e}, {s, 0.3 - rest}};
        if (s == 0)
            check_row(mdp, s, 1, first, 2);
        else if (s == states - 1)
            check_row(mdp, s, 1, last, 2);
        else
            check_row(mdp, s, 1, inner, 3);
        assert_true(lgkt_mdp_reward(mdp, s, 0) == (s == 0 ? 0.2 : 0));
        assert_true(lgkt_mdp_reward(mdp, s, 1) == (s == states - 1 ? 1 : 0));
    }
    lgkt_env_destroy(env);
}

static void test_riverswim_rows(void **state)
{
    (void)state;
    check_chain("riverswim:states=3", 3, 0.1, 0.6);
    check_chain("riverswim", 5, 0.1, 0.6);
    check_chain("riverswim:states=15", 15, 0.1, 0.6);
    check_chain("riverswim:variant=printed", 5, 0.6, 0.1);
    check_chain("riverswim:noise=drifting", 5, 0.1, 0.6);
}

static void test_riverswim_gains(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double best, left, right, uniform;
    } CASES[] = {
        {"riverswim:states=5", 0.212496, 0.196040, 0.208192, 0.074151},
        {"riverswim:states=8", 0.205257, 0.193138, 0.192042, 0.069594},
        {"riverswim:states=15", 0.196352, 0.186589, 0.163528, 0.063517},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        lgkt_env *env = make(CASES[i].spec, 0);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        assert_close(naive_gain_of_rule(mdp, NAIVE_BEST), CASES[i].best, 5e-7);
        assert_close(naive_gain_of_rule(mdp, 0), CASES[i].left, 5e-7);
        assert_close(naive_gain_of_rule(mdp, 1), CASES[i].right, 5e-7);
        assert_close(naive_gain_of_rule(mdp, NAIVE_UNIFORM), CASES[i].uniform, 5e-7);
        lgkt_env_destroy(env);
    }
}

static void test_riverswim_problem(void **state)
{
    (void)state;
    lgkt_env *env = make("riverswim", 0);
    const lgkt_problem problem = lgkt_env_problem(env, 77);
    assert_int_equal(problem.states, 5);
    assert_int_equal(problem.actions, 2);
    assert_int_equal(problem.horizon, 77);
    assert_true(problem.reward_min == 0 && problem.reward_max == 1 && problem.reward_sd == 0.5);
    assert_ptr_equal(problem.model, lgkt_env_model(env));
    lgkt_env_destroy(env);
}

// ---- synthetic ----

static void test_synthetic_instances(void **state)
{
    (void)state;
    lgkt_env *one = make("synthetic", 0), *same = make("synthetic", 0);
    lgkt_env *other = make("synthetic", 1), *wide = make("synthetic:states=20,actions=3", 0);
    assert_true(lgkt_mdp_hash(lgkt_env_model(one)) == lgkt_mdp_hash(lgkt_env_model(same)));
    assert_true(lgkt_mdp_hash(lgkt_env_model(one)) != lgkt_mdp_hash(lgkt_env_model(other)));
    assert_int_equal(lgkt_env_problem(one, 1).states, 10);
    assert_int_equal(lgkt_env_problem(one, 1).actions, 5);
    assert_int_equal(lgkt_env_problem(wide, 1).states, 20);
    assert_int_equal(lgkt_env_problem(wide, 1).actions, 3);
    assert_true(lgkt_env_problem(one, 1).reward_sd == 0.5);
    for (int s = 0; s < 10; s++)
        assert_close(lgkt_mdp_start_law(lgkt_env_model(one))[s], 0.1, 1e-16);
    lgkt_env_destroy(one);
    lgkt_env_destroy(same);
    lgkt_env_destroy(other);
    lgkt_env_destroy(wide);
}

// Rewards are Gamma(1/2): Kolmogorov-Smirnov against the distribution function.
static void test_synthetic_rewards_are_gamma(void **state)
{
    (void)state;
    static chance_ks ks;
    lgkt_env *env = make("synthetic:states=100,actions=100,concentration=0.1", 0);
    const double *rewards = lgkt_mdp_rewards(lgkt_env_model(env));
    for (int z = 0; z < 10000; z++)
        chance_ks_add(&ks, chance_gamma_cdf(0.5, rewards[z]));
    assert_true(chance_ks_gap(&ks) <= chance_ks_bound(ks.total));
    lgkt_env_destroy(env);
}

// An entry of a Dirichlet(c, .., c) row has mean 1/S and E[p^2] = (c + 1) / (S (S c + 1)). Over n
// rows the sum of squares per row, which lies in [0, 1], has a mean within sqrt(ln(2/1e-7) / 2n) of
// (c + 1) / (S c + 1) by Hoeffding's inequality; so has each mean entry of 1/S.
static void check_dirichlet(const char *spec, int32_t states, int32_t actions, double c)
{
    lgkt_env *env = make(spec, 0);
    const int32_t pairs = states * actions;
    double first = 0, squares = 0;
    for (int32_t z = 0; z < pairs; z++) {
        const lgkt_row row = lgkt_mdp_row(lgkt_env_model(env), z / actions, z % actions);
        first += row.next[0] == 0 ? row.p[0] : 0;
        for (int32_t i = 0; i < row.n; i++)
            squares += row.p[i] * row.p[i];
    }
    const double bound = sqrt(16.9 / (2.0 * pairs));
    assert_close(first / pairs, 1.0 / states, bound);
    assert_close(squares / pairs, (c + 1) / (states * c + 1), bound);
    lgkt_env_destroy(env);
}

static void test_synthetic_rows_are_dirichlet(void **state)
{
    (void)state;
    check_dirichlet("synthetic:states=20,actions=500", 20, 500, 1.0 / 20);
    check_dirichlet("synthetic:states=20,actions=500,concentration=2", 20, 500, 2);
    check_dirichlet("synthetic:states=2,actions=5000,concentration=0.01", 2, 5000, 0.01);
}

// Tiny shapes underflow all entries of most rows, which are then drawn again.
static void test_synthetic_redraws_rows_that_underflow(void **state)
{
    (void)state;
    lgkt_env *env = make("synthetic:states=2,actions=2,concentration=1e-6", 0);
    for (int32_t z = 0; z < 4; z++)
        assert_true(lgkt_mdp_row(lgkt_env_model(env), z / 2, z % 2).n >= 1);
    lgkt_env_destroy(env);
    env = make("synthetic:states=1,actions=1", 0);
    assert_int_equal(lgkt_mdp_row(lgkt_env_model(env), 0, 0).n, 1);
    lgkt_env_destroy(env);
}

// The RandomMDP of Wei et al.: each of 11 rewards has probability 1/11; over n pairs its share is
// within sqrt(ln(2 * 11 / 1e-7) / 2n) of that for all of them, by Hoeffding's inequality. So are
// the mean entry of a row of 1/S, and the mean sum of its squares of 0.2211 (from 400000 rows made
// by another generator; for Dirichlet(1) it is 2/7).
static void test_synthetic_random_mdp(void **state)
{
    (void)state;
    enum { S = 6, A = 2000, PAIRS = S * A };
    lgkt_env *env = make("synthetic:states=6,actions=2000,rewards=tenths,rows=uniform,sd=0", 0);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    const double bound = sqrt(19.3 / (2.0 * PAIRS));
    double counts[11] = {0}, first = 0, squares = 0;
    for (int32_t z = 0; z < PAIRS; z++) {
        const double reward = lgkt_mdp_rewards(mdp)[z];
        const int32_t tenths = (int32_t)lround(10 * reward);
        assert_in_range(tenths, 0, 10);
        assert_true(reward == tenths / 10.0);
        counts[tenths] += 1.0 / PAIRS;
        const lgkt_row row = lgkt_mdp_row(mdp, z / A, z % A);
        assert_int_equal(row.n, S);
        first += row.p[0] / PAIRS;
        for (int32_t i = 0; i < S; i++)
            squares += row.p[i] * row.p[i] / PAIRS;
    }
    for (int i = 0; i < 11; i++)
        assert_close(counts[i], 1.0 / 11, bound);
    assert_close(first, 1.0 / S, bound);
    assert_close(squares, 0.2211, bound);
    assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_NORMAL);
    assert_true(lgkt_env_problem(env, 1).reward_sd == 0);
    lgkt_env_destroy(env);
}

// Values of short lookahead over many instances, measured elsewhere on 1000 of them: 0.82 and 0.957
// of the optimum, which is 1.71 per step. Single instances scatter by 0.15, 0.07 and 0.6; the
// bounds are 5 standard errors of 60 instances.
static void test_synthetic_lookahead_levels(void **state)
{
    (void)state;
    enum { INSTANCES = 60, HORIZON = 1000 };
    double one = 0, two = 0, best = 0;
    for (uint64_t i = 0; i < INSTANCES; i++) {
        lgkt_env *env = make("synthetic", i);
        for (int64_t k = 1; k <= 2; k++) {
            lgkt_policy *policy = NULL;
            lgkt_error error = {0};
            double ratio, value[10];
            assert_ok(lgkt_policy_greedy(lgkt_env_model(env), k, HORIZON, LGKT_TIES_LOW, NULL,
                                         &policy, &error),
                      error);
            assert_ok(lgkt_policy_ratio(policy, NULL, &ratio, &error), error);
            assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
            double mean = 0;
            for (int s = 0; s < 10; s++)
                mean += value[s] / 10;
            *(k == 1 ? &one : &two) += ratio / INSTANCES;
            best += k == 1 ? mean / ratio / HORIZON / INSTANCES : 0;
            lgkt_policy_destroy(policy);
        }
        lgkt_env_destroy(env);
    }
    assert_close(one, 0.82, 0.10);
    assert_close(two, 0.957, 0.045);
    assert_close(best, 1.71, 0.35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_riverswim_rows),
        cmocka_unit_test(test_riverswim_gains),
        cmocka_unit_test(test_riverswim_problem),
        cmocka_unit_test(test_synthetic_instances),
        cmocka_unit_test(test_synthetic_rewards_are_gamma),
        cmocka_unit_test(test_synthetic_rows_are_dirichlet),
        cmocka_unit_test(test_synthetic_redraws_rows_that_underflow),
        cmocka_unit_test(test_synthetic_random_mdp),
        cmocka_unit_test(test_synthetic_lookahead_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
