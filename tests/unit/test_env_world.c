// SPDX-License-Identifier: MIT
// Stepping a model: the sampler deals out exactly the law of each row, and noise has its law.
#include "test.h"

#include "env/world.h"
#include "ref/chance.h"
#include "ref/env_run.h"

static const lgkt_world *world_of(const lgkt_env *env)
{
    return env->self;
}

static lgkt_env *make(const char *spec, const lgkt_mdp *model)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = env_run_data(spec, model, NULL, 0);
    return env_run_make(spec, &config);
}

// ---- the sampler ----

enum { ROW_STATES = 60 };

// Rows of 1 .. 60 successors, some of hardly any probability, in the order of increasing states.
static void fill_row(lgkt_rng *rng, int n, double *p)
{
    double sum = 0;
    memset(p, 0, ROW_STATES * sizeof(double));
    for (int left = n; left > 0;) {
        const int32_t y = lgkt_rng_below(rng, ROW_STATES);
        if (p[y] > 0)
            continue;
        left--;
        // the last one is likely, so that the sum is near 1 or more
        p[y] = left == 0 ? 1 : exp(-40 * lgkt_rng_uniform(rng) * lgkt_rng_uniform(rng));
        if (left == 3)
            p[y] = 1e-300;
        if (left == 4)
            p[y] = 0x1p-64;
        sum += p[y];
    }
    for (int y = 0; y < ROW_STATES; y++)
        p[y] /= sum;
}

static lgkt_mdp *model_of_rows(void)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    lgkt_rng rng = lgkt_rng_stream(5, "rows", 0);
    assert_ok(lgkt_mdp_builder_create(ROW_STATES, 2, NULL, &builder, &error), error);
    for (int32_t s = 0; s < ROW_STATES; s++) {
        double p[ROW_STATES];
        fill_row(&rng, s + 1, p);
        assert_int_equal(lgkt_mdp_builder_row(builder, s, 0, p), LGKT_OK);
        // equal entries
        for (int y = 0; y < ROW_STATES; y++)
            p[y] = y <= s ? 1.0 / (s + 1) : 0;
        assert_int_equal(lgkt_mdp_builder_row(builder, s, 1, p), LGKT_OK);
    }
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

// The share of the 2^64 numbers for p <= 1/2, from the bits of p.
static uint64_t naive_share(double p)
{
    int exponent;
    const uint64_t digits = (uint64_t)ldexp(frexp(p, &exponent), 53);
    const int shift = 53 - (64 + exponent);
    if (shift <= 0)
        return digits << -shift;
    const uint64_t share = shift > 54 ? 0 : (digits + (UINT64_C(1) << (shift - 1))) >> shift;
    return share == 0 ? 1 : share;
}

// The order in which successors take their numbers: the five largest, then the others.
static void naive_order(lgkt_row row, int32_t *order)
{
    bool taken[ROW_STATES] = {false};
    for (int32_t k = 0; k < row.n; k++) {
        int32_t best = -1;
        for (int32_t i = 0; i < row.n; i++)
            if (!taken[i] && (best < 0 || (k < 5 && row.p[i] > row.p[best])))
                best = i;
        taken[best] = true;
        order[k] = best;
    }
}

// Each successor must own exactly its interval: its first and last number are checked.
static void check_row(const lgkt_world *world, lgkt_row row, size_t pair)
{
    int32_t order[ROW_STATES];
    naive_order(row, order);
    uint64_t end = 0; // 2^64
    for (int32_t k = row.n; k-- > 0;) {
        const int32_t next = row.next[order[k]];
        const uint64_t first = k == 0 ? 0 : end - naive_share(row.p[order[k]]);
        assert_int_equal(lgkt_world_next(world, pair, first), next);
        assert_int_equal(lgkt_world_next(world, pair, end - 1), next);
        assert_int_equal(lgkt_world_next(world, pair, first + (end - 1 - first) / 2), next);
        end = first;
    }
}

static void test_sampler_deals_out_the_exact_law(void **state)
{
    (void)state;
    lgkt_mdp *model = model_of_rows();
    lgkt_env *env = make("model", model);
    for (int32_t s = 0; s < ROW_STATES; s++)
        for (int32_t a = 0; a < 2; a++)
            check_row(world_of(env), lgkt_mdp_row(model, s, a), (size_t)(2 * s + a));
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);
}

// The shares of all but the most likely successor are right to 2^-64, so its own is right but for
// the rounding of the row.
static void test_most_likely_successor_takes_the_rest(void **state)
{
    (void)state;
    lgkt_mdp *model = model_of_rows();
    lgkt_env *env = make("model", model);
    for (int32_t s = 1; s < ROW_STATES; s++) {
        const lgkt_row row = lgkt_mdp_row(model, s, 0);
        double largest = 0;
        for (int32_t i = 0; i < row.n; i++)
            largest = fmax(largest, row.p[i]);
        const double share = (double)world_of(env)->head[2 * s].bound[0] * 0x1p-64;
        assert_close(share, largest, row.n * 0x1p-53);
    }
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(model);
}

static void test_heads_are_cache_lines(void **state)
{
    (void)state;
    lgkt_env *env = make("synthetic", NULL);
    assert_int_equal((uintptr_t)world_of(env)->head % 64, 0);
    lgkt_env_destroy(env);
}

enum { MAX_STATES = 16, MAX_PAIRS = 64 };

// Counts (S) of next states against a row. Successors that are rare are counted as one, and if they
// are rare even together, with the next cell. Some 200 rows are tested, so each at chance 1e-9.
static void check_counts(lgkt_row row, const int64_t *counts, int64_t total)
{
    int64_t seen[MAX_STATES + 1] = {0}, listed = 0;
    double p[MAX_STATES + 1] = {0};
    size_t cells = 1;
    for (int32_t i = 0; i < row.n; i++) {
        const size_t cell = row.p[i] * (double)total < 20 ? 0 : cells++;
        seen[cell] += counts[row.next[i]];
        p[cell] += row.p[i];
        listed += counts[row.next[i]];
    }
    assert_int_equal(listed, total);
    const size_t first = cells > 1 && p[0] * (double)total < 20 ? 1 : 0;
    seen[1] += first == 1 ? seen[0] : 0;
    p[1] += first == 1 ? p[0] : 0;
    if (cells - first > 1)
        assert_true(chance_law_p_value(seen + first, p + first, cells - first) > 1e-9);
}

// Steps under random actions against the model.
static void check_frequencies(const char *spec, int steps)
{
    static int64_t counts[MAX_PAIRS][MAX_STATES], totals[MAX_PAIRS];
    memset(counts, 0, sizeof counts);
    memset(totals, 0, sizeof totals);
    lgkt_env *env = make(spec, NULL);
    const lgkt_mdp *model = lgkt_env_model(env);
    const int32_t actions = lgkt_mdp_actions(model), states = lgkt_mdp_states(model);
    lgkt_trajectory *run = env_run_start(env, steps, 11);
    lgkt_rng rng = lgkt_rng_stream(3, "actions", 0);
    for (int t = 0; t < steps; t++) {
        const int32_t a = lgkt_rng_below(&rng, actions);
        const int32_t z = lgkt_trajectory_state(run) * actions + a;
        counts[z][env_run_play(run, a).state]++;
        totals[z]++;
    }
    for (int32_t z = 0; z < states * actions; z++)
        check_counts(lgkt_mdp_row(model, z / actions, z % actions), counts[z], totals[z]);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_step_frequencies(void **state)
{
    (void)state;
    check_frequencies("synthetic", 200000);
    check_frequencies("synthetic:states=16,actions=4,concentration=1", 200000);
    check_frequencies("riverswim", 100000);
    check_frequencies("frozenlake", 100000);
}

// ---- rewards ----

typedef struct moments {
    int64_t count;
    double sum, squares;
} moments;

static void add(moments *m, double x)
{
    m->count++;
    m->sum += x;
    m->squares += x * x;
}

// Mean 0 and variance 1 within 6 standard errors (chance below 1e-8); kurtosis is that of x.
static void check_standard(const moments *m, double kurtosis)
{
    const double n = (double)m->count;
    assert_between(m->sum / n, -6 / sqrt(n), 6 / sqrt(n));
    const double error = sqrt((kurtosis - 1) / n);
    assert_between(m->squares / n, 1 - 6 * error, 1 + 6 * error);
}

static void test_normal_rewards(void **state)
{
    (void)state;
    enum { STEPS = 100000 };
    lgkt_env *env = make("synthetic:sd=0.25", NULL);
    assert_true(lgkt_env_problem(env, 1).reward_sd == 0.25);
    lgkt_trajectory *run = env_run_start(env, STEPS, 2);
    moments m = {0};
    for (int t = 0; t < STEPS; t++) {
        const int32_t s = lgkt_trajectory_state(run);
        const lgkt_step step = env_run_play(run, t % 5);
        assert_true(step.mean_reward == lgkt_mdp_reward(lgkt_env_model(env), s, t % 5));
        add(&m, (step.reward - step.mean_reward) / 0.25);
    }
    check_standard(&m, 3);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// Odd steps have two values, steps 0 and 2 of each four normal noise of sd 0.1 and 0.9.
static void check_drifting(const char *spec, int32_t actions)
{
    enum { STEPS = 100000 };
    lgkt_env *env = make(spec, NULL);
    const lgkt_mdp *model = lgkt_env_model(env);
    const double low = fmin(0, lgkt_mdp_reward_min(model));
    const double high = fmax(1, lgkt_mdp_reward_max(model)), span = high - low;
    assert_close(lgkt_env_problem(env, 1).reward_sd, fmax(0.9, span / 2), 1e-15);
    lgkt_trajectory *run = env_run_start(env, STEPS, 4);
    lgkt_rng rng = lgkt_rng_stream(3, "actions", 0);
    moments small = {0}, large = {0};
    double excess = 0, variance = 0;
    for (int t = 0; t < STEPS; t++) {
        const lgkt_step step = env_run_play(run, lgkt_rng_below(&rng, actions));
        const double noise = step.reward - step.mean_reward;
        if (t % 4 == 0)
            add(&small, noise / 0.1);
        if (t % 4 == 2)
            add(&large, noise / 0.9);
        if (t % 2 == 1) {
            assert_true(step.reward == low || step.reward == high);
            excess += noise;
            variance += (step.mean_reward - low) * (high - step.mean_reward);
        }
    }
    check_standard(&small, 3);
    check_standard(&large, 3);
    // Bernstein's bound at chance 1e-7: x = ln(2e7) = 16.8
    assert_true(fabs(excess) <= sqrt(2 * variance * 16.8) + span * 16.8 / 3);
    assert_true(variance > 1);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_drifting_rewards(void **state)
{
    (void)state;
    check_drifting("synthetic:noise=drifting", 5);
    check_drifting("riverswim:noise=drifting", 2);
}

static void test_bernoulli_rewards(void **state)
{
    (void)state;
    enum { STEPS = 50000 };
    lgkt_env *env = make("riverswim", NULL);
    lgkt_trajectory *run = env_run_start(env, STEPS, 6);
    double trials = 0, wins = 0;
    for (int t = 0; t < STEPS; t++) {
        const int32_t s = lgkt_trajectory_state(run);
        const lgkt_step step = env_run_play(run, s == 4);
        assert_true(step.reward == 0 || step.reward == 1);
        if (step.mean_reward == 0.2) {
            assert_int_equal(s, 0);
            trials++;
            wins += step.reward;
        } else {
            assert_true(step.reward == (s == 4 ? 1 : 0));
        }
    }
    assert_true(trials > STEPS / 2);
    assert_true(fabs(wins - 0.2 * trials) <= chance_count_bound(trials, 0.2));
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_rewards_without_noise(void **state)
{
    (void)state;
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_mdp_builder_create(2, 1, NULL, &builder, &error), error);
    assert_int_equal(lgkt_mdp_builder_edge(builder, 0, 0, 1, 1), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_edge(builder, 1, 0, 0, 1), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 1, 0, -3.5), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_start(builder, 1), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    lgkt_env *env = make("model:file=some.json", model);
    // the environment keeps the model alive
    lgkt_mdp_destroy(model);
    assert_non_null(strstr(lgkt_env_note(env), "some.json"));
    lgkt_trajectory *run = env_run_start(env, 4, 0);
    for (int t = 0; t < 4; t++) {
        assert_int_equal(lgkt_trajectory_state(run), 1 - t % 2);
        const lgkt_step step = env_run_play(run, 0);
        assert_true(step.reward == (t % 2 == 0 ? -3.5 : 0) && step.mean_reward == step.reward);
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sampler_deals_out_the_exact_law),
        cmocka_unit_test(test_most_likely_successor_takes_the_rest),
        cmocka_unit_test(test_heads_are_cache_lines),
        cmocka_unit_test(test_step_frequencies),
        cmocka_unit_test(test_normal_rewards),
        cmocka_unit_test(test_drifting_rewards),
        cmocka_unit_test(test_bernoulli_rewards),
        cmocka_unit_test(test_rewards_without_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
