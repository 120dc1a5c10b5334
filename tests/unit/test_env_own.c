// SPDX-License-Identifier: MIT
// Models whose pairs have something of their own: rewards of moves, noise of pairs, forbidden
// actions. What is read of them, what is observed of them, and what refuses them.
#include "test.h"

#include "env/env_private.h"
#include "ref/chance.h"
#include "ref/env_run.h"
#include "ref/fault.h"
#include "ref/models.h"

enum { S = MODEL_OWN_STATES, A = MODEL_OWN_ACTIONS };

static lgkt_env *make(const char *spec, const lgkt_mdp *model)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = env_run_data(spec, model, NULL, 0);
    return env_run_make(spec, &config);
}

static lgkt_mdp_builder *builder_of(int32_t states, int32_t actions)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_mdp_builder_create(states, actions, NULL, &builder, &error), error);
    return builder;
}

static lgkt_mdp *build(lgkt_mdp_builder *builder)
{
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

// two states that lead to both alike, one action
static lgkt_mdp_builder *two_states(void)
{
    lgkt_mdp_builder *builder = builder_of(2, 1);
    for (int32_t s = 0; s < 2; s++)
        for (int32_t y = 0; y < 2; y++)
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, 0, y, 0.5), LGKT_OK);
    return builder;
}

// ---- reading ----

static void test_what_was_given_is_read(void **state)
{
    (void)state;
    lgkt_mdp *model = model_own();
    double q[S * A], low = INFINITY, high = -INFINITY, sd;
    lgkt_error error = {0};
    assert_ok(lgkt_plan_lookahead(model, 1, NULL, q, &error), error);
    for (int32_t s = 0; s < S; s++)
        for (int32_t a = 0; a < A; a++) {
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            double mean = 0;
            assert_int_equal(row.n, S);
            assert_true((row.reward != NULL) == (a < 2 || s == 6));
            for (int32_t y = 0; y < S; y++) {
                mean += model_own_p(s, a, y) * model_own_reward(s, a, y);
                assert_true(row.reward == NULL || row.reward[y] == model_own_reward(s, a, y));
            }
            assert_close(lgkt_mdp_reward(model, s, a), mean, 1e-15);
            // planning has the means
            assert_true(q[s * A + a] == lgkt_mdp_reward(model, s, a));
            low = fmin(low, lgkt_mdp_reward(model, s, a));
            high = fmax(high, lgkt_mdp_reward(model, s, a));
            assert_int_equal(lgkt_mdp_pair_noise(model, s, a, &sd), model_own_noise(s, a));
            assert_int_equal(lgkt_mdp_pair_noise(model, s, a, NULL), model_own_noise(s, a));
            assert_true(sd == model_own_sd(s, a));
            assert_true(lgkt_mdp_allowed(model, s, a));
        }
    assert_int_equal(lgkt_mdp_noise(model), LGKT_NOISE_MIXED);
    assert_true(lgkt_mdp_noise_sd(model) == 0.1 * 7); // of (6, 1)
    assert_true(lgkt_mdp_reward_min(model) == low && lgkt_mdp_reward_max(model) == high);
    assert_false(lgkt_mdp_restricted(model));
    lgkt_mdp_destroy(model);
}

// What says nothing leaves no trace, in the hash neither.
static void test_what_says_nothing_is_dropped(void **state)
{
    (void)state;
    lgkt_mdp_builder *plain = two_states(), *same = two_states();
    double sd;
    for (int32_t s = 0; s < 2; s++) {
        assert_int_equal(lgkt_mdp_builder_reward(plain, s, 0, 0.3), LGKT_OK);
        for (int32_t y = 0; y < 2; y++)
            assert_int_equal(lgkt_mdp_builder_edge_reward(same, s, 0, y, 0.3), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_pair_noise(same, s, 0, LGKT_NOISE_NORMAL, 0.7), LGKT_OK);
    }
    assert_int_equal(lgkt_mdp_builder_noise(plain, LGKT_NOISE_NORMAL, 0.7), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(same, LGKT_NOISE_DRIFTING, 0), LGKT_OK);
    lgkt_mdp *a = build(plain), *b = build(same);
    assert_true(lgkt_mdp_hash(a) == lgkt_mdp_hash(b));
    assert_null(lgkt_mdp_row(b, 0, 0).reward);
    assert_int_equal(lgkt_mdp_noise(b), LGKT_NOISE_NORMAL);
    assert_int_equal(lgkt_mdp_pair_noise(b, 1, 0, &sd), LGKT_NOISE_NORMAL);
    assert_true(sd == 0.7 && lgkt_mdp_noise_sd(b) == 0.7);
    lgkt_mdp_destroy(a);
    lgkt_mdp_destroy(b);

    // a move that cannot happen earns nothing; one without a reward has that of the pair
    lgkt_mdp_builder *builder = builder_of(3, 1);
    for (int32_t s = 0; s < 3; s++) {
        assert_int_equal(lgkt_mdp_builder_edge(builder, s, 0, 0, 0.25), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_edge(builder, s, 0, 1, 0.75), LGKT_OK);
    }
    assert_int_equal(lgkt_mdp_builder_edge_reward(builder, 0, 0, 2, 1e300), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge_reward(builder, 1, 0, 0, 8), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 1, 0, 4), LGKT_OK);
    lgkt_mdp *model = build(builder);
    assert_null(lgkt_mdp_row(model, 0, 0).reward);
    assert_true(lgkt_mdp_reward(model, 0, 0) == 0 && lgkt_mdp_reward(model, 1, 0) == 5);
    assert_true(lgkt_mdp_row(model, 1, 0).reward[0] == 8);
    assert_true(lgkt_mdp_row(model, 1, 0).reward[1] == 4);
    lgkt_mdp_destroy(model);
}

// one change of the model below per number; 0: none
static uint64_t hash_with(int change)
{
    lgkt_mdp_builder *builder = builder_of(2, 2);
    for (int32_t z = 0; z < 4; z++)
        for (int32_t y = 0; y < 2; y++)
            assert_int_equal(lgkt_mdp_builder_edge(builder, z / 2, z % 2, y, 0.5), LGKT_OK);
    if (change >= 2)
        assert_int_equal(lgkt_mdp_builder_pair_noise(builder, change == 3, 0, LGKT_NOISE_NORMAL,
                                                     change == 4 ? 2 : 1),
                         LGKT_OK);
    if (change == 5)
        assert_int_equal(lgkt_mdp_builder_pair_noise(builder, 0, 0, LGKT_NOISE_BERNOULLI, 0),
                         LGKT_OK);
    if (change >= 6 && change <= 9) {
        // means of 0 all of them
        const double reward = change == 7 ? -1 : change == 8 ? 2 : 1;
        assert_int_equal(lgkt_mdp_builder_edge_reward(builder, change == 9, 1, 0, reward), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_edge_reward(builder, change == 9, 1, 1, -reward),
                         LGKT_OK);
    }
    if (change >= 10)
        assert_int_equal(lgkt_mdp_builder_forbid(builder, 0, change == 11), LGKT_OK);
    lgkt_mdp *model = build(builder);
    const uint64_t hash = lgkt_mdp_hash(model);
    lgkt_mdp_destroy(model);
    return hash;
}

static void test_the_hash_covers_it(void **state)
{
    (void)state;
    enum { CHANGES = 12 };
    uint64_t hashes[CHANGES];
    for (int i = 0; i < CHANGES; i++) {
        hashes[i] = hash_with(i);
        for (int j = 0; j < i; j++)
            assert_true((hashes[i] == hashes[j]) == (i == 1 && j == 0));
    }
}

static void test_forbidden_actions_are_carried(void **state)
{
    (void)state;
    lgkt_mdp_builder *builder = builder_of(2, 2);
    lgkt_error error = {0};
    lgkt_mdp *model = NULL;
    for (int32_t s = 0; s < 2; s++)
        assert_int_equal(lgkt_mdp_builder_edge(builder, s, 1, 1 - s, 1), LGKT_OK);
    // half a row and a reward of a pair that is not there are not read
    assert_int_equal(lgkt_mdp_builder_edge(builder, 0, 0, 1, 0.5), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 0, 0, 99), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge_reward(builder, 0, 0, 1, 98), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 1, 1, 3), LGKT_OK);
    assert_refused(lgkt_mdp_builder_build(builder, &model, &error), LGKT_ERR_PROBABILITY, error,
                   "state 0, action 0");
    for (int32_t s = 0; s < 2; s++)
        assert_int_equal(lgkt_mdp_builder_forbid(builder, s, 0), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    assert_true(lgkt_mdp_restricted(model));
    assert_true(!lgkt_mdp_allowed(model, 0, 0) && lgkt_mdp_allowed(model, 0, 1));
    assert_int_equal(lgkt_mdp_row(model, 0, 0).n, 0);
    assert_int_equal(lgkt_mdp_noise(model), LGKT_NOISE_NONE);
    assert_true(lgkt_mdp_reward_max(model) == 3 && lgkt_mdp_reward_min(model) == 0);
    lgkt_mdp_destroy(model);

    assert_int_equal(lgkt_mdp_builder_forbid(builder, 1, 1), LGKT_OK);
    assert_refused(lgkt_mdp_builder_build(builder, &model, &error), LGKT_ERR_ARGUMENT, error,
                   "all actions of state 1");
    lgkt_mdp_builder_destroy(builder);

    // drifting noise does not mind
    builder = builder_of(1, 2);
    double sd;
    assert_int_equal(lgkt_mdp_builder_edge(builder, 0, 1, 0, 1), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_forbid(builder, 0, 0), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_DRIFTING, 0), LGKT_OK);
    model = build(builder);
    assert_int_equal(lgkt_mdp_pair_noise(model, 0, 1, &sd), LGKT_NOISE_DRIFTING);
    assert_true(sd == lgkt_mdp_noise_sd(model) && sd == 0.9);
    assert_int_equal(lgkt_mdp_pair_noise(model, 0, 0, &sd), LGKT_NOISE_NONE);
    lgkt_mdp_destroy(model);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_mdp_builder *b = two_states();
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_builder_refused(lgkt_mdp_builder_edge_reward(NULL, 0, 0, 0, 1), NULL, bad, "builder");
    assert_builder_refused(lgkt_mdp_builder_edge_reward(b, 2, 0, 0, 1), b, bad, "state 2");
    assert_builder_refused(lgkt_mdp_builder_edge_reward(b, 0, 1, 0, 1), b, bad, "action 1");
    assert_builder_refused(lgkt_mdp_builder_edge_reward(b, 0, 0, -1, 1), b, bad, "next state");
    assert_builder_refused(lgkt_mdp_builder_edge_reward(b, 0, 0, 0, NAN), b, LGKT_ERR_NOT_FINITE,
                           "reward nan");
    assert_builder_refused(lgkt_mdp_builder_pair_noise(NULL, 0, 0, LGKT_NOISE_NONE, 0), NULL, bad,
                           "builder");
    assert_builder_refused(lgkt_mdp_builder_pair_noise(b, 0, 3, LGKT_NOISE_NONE, 0), b, bad,
                           "action 3");
    for (int kind = LGKT_NOISE_DRIFTING; kind <= LGKT_NOISE_MIXED + 1; kind++)
        assert_builder_refused(lgkt_mdp_builder_pair_noise(b, 0, 0, (lgkt_noise)kind, 0), b, bad,
                               "[0, 2]");
    assert_builder_refused(lgkt_mdp_builder_pair_noise(b, 0, 0, LGKT_NOISE_NORMAL, -1), b, bad,
                           "sd -1");
    assert_builder_refused(lgkt_mdp_builder_pair_noise(b, 0, 0, LGKT_NOISE_NORMAL, INFINITY), b,
                           LGKT_ERR_NOT_FINITE, "sd inf");
    assert_builder_refused(lgkt_mdp_builder_forbid(NULL, 0, 0), NULL, bad, "builder");
    assert_builder_refused(lgkt_mdp_builder_forbid(b, 0, 1), b, bad, "action 1");

    // coins need 0 to 1 of each move, though the mean is 1/2
    assert_int_equal(lgkt_mdp_builder_pair_noise(b, 1, 0, LGKT_NOISE_BERNOULLI, 0), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge_reward(b, 1, 0, 0, 1.5), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge_reward(b, 1, 0, 1, -0.5), LGKT_OK);
    assert_refused(lgkt_mdp_builder_build(b, &model, &error), bad, error, "reward 1.5");
    assert_int_equal(lgkt_mdp_builder_edge_reward(b, 1, 0, 0, 1), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge_reward(b, 1, 0, 1, 0), LGKT_OK);
    // drifting noise goes with neither
    assert_int_equal(lgkt_mdp_builder_noise(b, LGKT_NOISE_DRIFTING, 0), LGKT_OK);
    assert_refused(lgkt_mdp_builder_build(b, &model, &error), bad, error, "noise of pairs");
    lgkt_mdp_builder_destroy(b);
    b = two_states();
    assert_int_equal(lgkt_mdp_builder_noise(b, LGKT_NOISE_DRIFTING, 0), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge_reward(b, 1, 0, 0, 1), LGKT_OK);
    assert_refused(lgkt_mdp_builder_build(b, &model, &error), bad, error, "rewards of moves");
    lgkt_mdp_builder_destroy(b);
}

// ---- observing ----

// All bounds below hold but for a chance of 1e-7 each, about 200 of them.
static void test_observed_rewards_by_move(void **state)
{
    (void)state;
    enum { STEPS = 400000 };
    lgkt_mdp *model = model_own();
    lgkt_env *env = make("model", model);
    lgkt_trajectory *run = env_run_start(env, STEPS, 3);
    static int64_t counts[S * A][S];
    static double sums[S * A][S], squares[S * A];
    static int64_t totals[S * A];
    for (int64_t t = 0; t < STEPS; t++) {
        const int32_t s = lgkt_trajectory_state(run), a = (int32_t)(t % A), z = s * A + a;
        const lgkt_step step = env_run_play(run, a);
        const double centre = model_own_reward(s, a, step.state);
        assert_true(step.mean_reward == lgkt_mdp_reward(model, s, a));
        if (model_own_noise(s, a) == LGKT_NOISE_NONE)
            assert_true(step.reward == centre);
        if (model_own_noise(s, a) == LGKT_NOISE_BERNOULLI)
            assert_true(step.reward == 0 || step.reward == 1);
        totals[z]++;
        counts[z][step.state]++;
        sums[z][step.state] += step.reward - centre;
        squares[z] += (step.reward - centre) * (step.reward - centre);
    }
    for (int32_t z = 0; z < S * A; z++) {
        const int32_t s = z / A, a = z % A;
        const double n = (double)totals[z], sd = model_own_sd(s, a);
        double p[S], variance = 0;
        for (int32_t y = 0; y < S; y++) {
            const double m = (double)counts[z][y], centre = model_own_reward(s, a, y);
            p[y] = model_own_p(s, a, y);
            if (model_own_noise(s, a) == LGKT_NOISE_BERNOULLI)
                assert_true(fabs(sums[z][y]) <= chance_count_bound(m, centre));
            else
                assert_true(fabs(sums[z][y]) <= 5.4 * sd * sqrt(m));
            variance += m * centre * (1 - centre);
        }
        assert_true(n > 1000);
        assert_true(chance_law_p_value(counts[z], p, S) > CHANCE_LEVEL);
        // of a normal law the variance of z^2 is 2; a coin has (1 - c) c, within 1/4 (Hoeffding)
        if (model_own_noise(s, a) == LGKT_NOISE_NORMAL)
            assert_close(squares[z], n * sd * sd, 6 * sd * sd * sqrt(2 * n));
        if (model_own_noise(s, a) == LGKT_NOISE_BERNOULLI)
            assert_close(squares[z], variance, 3 * sqrt(n));
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);
}

// One kind of noise with rewards of moves draws what that kind draws without them.
static void test_moves_change_no_draws(void **state)
{
    (void)state;
    for (int kind = LGKT_NOISE_NONE; kind <= LGKT_NOISE_BERNOULLI; kind++) {
        lgkt_mdp_builder *plain = two_states(), *moves = two_states();
        const lgkt_noise noise = (lgkt_noise)kind;
        assert_int_equal(lgkt_mdp_builder_noise(plain, noise, 2), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_noise(moves, noise, 2), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_edge_reward(moves, 0, 0, 1, 1), LGKT_OK);
        lgkt_mdp *a = build(plain), *b = build(moves);
        assert_int_equal(lgkt_mdp_noise(b), noise);
        lgkt_env *one = make("model", a), *other = make("model", b);
        lgkt_trajectory *x = env_run_start(one, 1000, 9), *y = env_run_start(other, 1000, 9);
        for (int t = 0; t < 1000; t++) {
            const int32_t s = lgkt_trajectory_state(x);
            const lgkt_step left = env_run_play(x, 0), right = env_run_play(y, 0);
            assert_int_equal(left.state, right.state);
            if (noise == LGKT_NOISE_BERNOULLI)
                assert_true(right.reward == (s == 0 && right.state == 1));
            else
                assert_close(right.reward - left.reward, s == 0 && right.state == 1, 1e-14);
            assert_memory_equal(&x->rng, &y->rng, sizeof x->rng);
        }
        lgkt_trajectory_destroy(x);
        lgkt_trajectory_destroy(y);
        lgkt_env_destroy(one);
        lgkt_env_destroy(other);
        lgkt_mdp_destroy(a);
        lgkt_mdp_destroy(b);
    }
}

// Whatever is played, a step consumes the same random numbers.
static void test_mixed_noise_is_common(void **state)
{
    (void)state;
    lgkt_mdp *model = model_own();
    lgkt_env *env = make("model", model);
    lgkt_trajectory *run = env_run_start(env, 5000, 1), *other = env_run_start(env, 5000, 1);
    for (int t = 0; t < 5000; t++) {
        env_run_play(run, t % A);
        env_run_play(other, (t / 3 + 1) % A);
        assert_memory_equal(&run->rng, &other->rng, sizeof run->rng);
    }
    lgkt_trajectory_destroy(run);
    lgkt_trajectory_destroy(other);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);
}

// The scale that a learner is told covers noise and moves.
static void test_the_scale_covers_the_moves(void **state)
{
    (void)state;
    lgkt_mdp_builder *builder = two_states();
    assert_int_equal(lgkt_mdp_builder_edge_reward(builder, 0, 0, 1, 8), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_NORMAL, 3), LGKT_OK);
    lgkt_mdp *model = build(builder);
    lgkt_env *env = make("model", model);
    assert_true(lgkt_mdp_noise_sd(model) == 3);
    assert_close(lgkt_env_problem(env, 1).reward_sd, 5, 1e-15);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);

    // a coin is a coin, whichever the move
    builder = two_states();
    assert_int_equal(lgkt_mdp_builder_edge_reward(builder, 0, 0, 1, 1), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_BERNOULLI, 0), LGKT_OK);
    model = build(builder);
    env = make("model", model);
    assert_true(lgkt_env_problem(env, 1).reward_sd == 0.5);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);
}

static void test_scaled_follows(void **state)
{
    (void)state;
    lgkt_mdp *model = model_own();
    lgkt_env *env = make("model", model), *scaled = make("scaled:by=4,shift=-1,of=model", model);
    const lgkt_mdp *large = lgkt_env_model(scaled);
    double sd;
    for (int32_t z = 0; z < S * A; z++) {
        const int32_t s = z / A, a = z % A;
        const lgkt_row row = lgkt_mdp_row(large, s, a);
        assert_close(lgkt_mdp_reward(large, s, a), 4 * lgkt_mdp_reward(model, s, a) - 1, 1e-14);
        assert_true((row.reward != NULL) == (a < 2 || s == 6));
        for (int32_t y = 0; y < S && row.reward != NULL; y++)
            assert_true(row.reward[y] == 4 * model_own_reward(s, a, y) - 1);
        assert_int_equal(lgkt_mdp_pair_noise(large, s, a, &sd),
                         model_own_sd(s, a) > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE);
        assert_true(sd == 4 * model_own_sd(s, a));
    }
    assert_true(lgkt_env_problem(scaled, 1).reward_sd == 4 * lgkt_env_problem(env, 1).reward_sd);
    lgkt_trajectory *run = env_run_start(env, 2000, 5), *other = env_run_start(scaled, 2000, 5);
    for (int t = 0; t < 2000; t++) {
        const lgkt_step a = env_run_play(run, t % A), b = env_run_play(other, t % A);
        assert_true(b.state == a.state && b.reward == 4 * a.reward - 1);
        assert_true(b.mean_reward == 4 * a.mean_reward - 1);
    }
    lgkt_trajectory_destroy(run);
    lgkt_trajectory_destroy(other);
    lgkt_env_destroy(env);
    lgkt_env_destroy(scaled);
    lgkt_mdp_destroy(model);
}

// ---- memory ----

static lgkt_status make_and_play(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_env_config config = lgkt_env_config_default();
    config.allocator = *allocator;
    lgkt_status status = lgkt_mdp_builder_create(S, A, allocator, &builder, error);
    if (status == LGKT_OK && (status = model_own_fill(builder)) != LGKT_OK)
        *error = model_builder_error(builder, status);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(builder, &model, error);
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = model};
    if (status == LGKT_OK)
        status = lgkt_env_create(ctx, &config, &env, error);
    if (status == LGKT_OK)
        status = lgkt_trajectory_create(env, 10, 0, 0, allocator, &run, error);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);
    lgkt_mdp_builder_destroy(builder);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    char plain[] = "model", scaled[] = "scaled:of=model";
    assert_true(fault_sweep(make_and_play, plain) >= 20);
    assert_true(fault_sweep(make_and_play, scaled) >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_given_is_read),
        cmocka_unit_test(test_what_says_nothing_is_dropped),
        cmocka_unit_test(test_the_hash_covers_it),
        cmocka_unit_test(test_forbidden_actions_are_carried),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_observed_rewards_by_move),
        cmocka_unit_test(test_moves_change_no_draws),
        cmocka_unit_test(test_mixed_noise_is_common),
        cmocka_unit_test(test_the_scale_covers_the_moves),
        cmocka_unit_test(test_scaled_follows),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
