// SPDX-License-Identifier: MIT
// Long-run averages: closed forms, random models of every kind against all of their policies in
// long double, rare passages, intervals that hold, interruption, memory.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_average.h"
#include "test.h"

// ---- models ----

// arrivals with probability `up`, one server; the reward of a state is its number
static lgkt_mdp *queue(int32_t states, double up, double down)
{
    lgkt_mdp_builder *const b = model_begin(states, 1);
    for (int32_t s = 0; s < states; s++) {
        const double u = s + 1 < states ? up : 0, d = s > 0 ? down : 0;
        model_edge(b, s, 0, s + 1 < states ? s + 1 : s, u);
        model_edge(b, s, 0, s > 0 ? s - 1 : s, d);
        model_edge(b, s, 0, s, 1 - u - d);
        model_reward(b, s, 0, s);
    }
    return model_finish(b);
}

// a ring that pays 1 at its end; a second action leads from everywhere to 0, and pays .4 in state
// `bonus`
static lgkt_mdp *ring(int32_t states, int32_t actions, int32_t bonus)
{
    lgkt_mdp_builder *const b = model_begin(states, actions);
    for (int32_t s = 0; s < states; s++) {
        model_edge(b, s, 0, (s + 1) % states, 1);
        if (actions > 1)
            model_edge(b, s, 1, 0, 1);
    }
    model_reward(b, states - 1, 0, 1);
    if (actions > 1)
        model_reward(b, bonus, 1, .4);
    return model_finish(b);
}

static lgkt_plan_result average(const lgkt_mdp *mdp, double tolerance, double *gain, double *bias,
                                int32_t *policy)
{
    lgkt_error error = {0};
    lgkt_plan_config config = lgkt_plan_config_default();
    lgkt_plan_result result = {.value = gain, .bias = bias, .policy = policy};
    config.tolerance = tolerance;
    assert_ok(lgkt_plan_average(mdp, &config, &result, &error), error);
    return result;
}

// ---- closed forms ----

static void queues_have_their_gains(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 2000; n = 3 * n + 1) {
        // pi(s) is rho^s: with rho < 1, = 1 and > 1
        for (int i = 0; i < 3; i++) {
            const double up = .3, down = i == 0 ? .4 : i == 1 ? .3 : .2, rho = up / down;
            double *const gain = calloc((size_t)n, sizeof *gain);
            long double sum = 0, mean = 0, power = 1;
            for (int32_t s = 0; s<n; s++, power *= rho> 1 ? 1 / (long double)rho : rho) {
                sum += power;
                mean += power * (rho > 1 ? n - 1 - s : s);
            }
            lgkt_mdp *mdp = queue(n, up, down);
            average(mdp, 1e-12, gain, NULL, NULL);
            const double exact = (double)(mean / sum);
            assert_close(gain[0], exact, 1e-13 * exact);
            lgkt_mdp_destroy(mdp);
            free(gain);
        }
    }
}

static void rings_have_their_gains(void **state)
{
    (void)state;
    double gain[1500], bias[1500];
    for (int32_t n = 2; n <= 1500; n = 2 * n + 1) {
        lgkt_mdp *one = ring(n, 1, 0), *two = ring(n, 2, n / 3);
        lgkt_plan_result result = average(one, 1e-12, gain, bias, NULL);
        assert_close(gain[0], 1.0 / n, 1e-13 / n);
        assert_false(result.differs);
        assert_true(result.below + result.above <= 1e-12);
        average(two, 1e-12, gain, bias, NULL);
        const double best = fmax(1.0 / n, .4 / (n / 3 + 1));
        assert_close(gain[n - 1], best, 1e-13 * best);
        lgkt_mdp_destroy(one);
        lgkt_mdp_destroy(two);
    }
}

static void rivers_have_their_gains(void **state)
{
    (void)state;
    // as in Osband and others (2013): upstream, the far end pays 1 in 3 of 7 steps
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    double gain[1000];
    assert_ok(lgkt_env_create("riverswim:states=1000,variant=osband", NULL, &env, &error), error);
    average(lgkt_env_model(env), 1e-12, gain, NULL, NULL);
    assert_close(gain[0], 3.0 / 7, 1e-13);
    assert_close(gain[999], 3.0 / 7, 1e-13);
    lgkt_env_destroy(env);
}

// two states with leaks of 1e-12 and 3e-12, and of 1e-250 and 3e-250
static void rare_passages_count(void **state)
{
    (void)state;
    const double leaks[] = {1e-3, 1e-12, 1e-15, 3e-200, 1e-250};
    for (int i = 0; i < 5; i++)
        for (int32_t actions = 1; actions <= 2; actions++) {
            lgkt_mdp_builder *const b = model_begin(2, actions);
            double gain[2];
            for (int32_t a = 0; a < actions; a++) {
                model_edge(b, 0, a, 1, leaks[i]);
                model_edge(b, 0, a, 0, 1 - leaks[i]);
                model_edge(b, 1, a, 0, 3 * leaks[i]);
                model_edge(b, 1, a, 1, 1 - 3 * leaks[i]);
                model_reward(b, 0, a, a == 0 ? 1 : .5);
            }
            lgkt_mdp *mdp = model_finish(b);
            const lgkt_plan_result result = average(mdp, 1e-12, gain, NULL, NULL);
            // what is below 1e-16 of its row is no move of a plan
            const double expected = leaks[i] > 1e-16 ? .75 : 1;
            assert_close(gain[0], expected, 1e-15);
            assert_int_equal(result.differs, leaks[i] < 1e-16);
            assert_true(result.below + result.above <= 1e-14);
            lgkt_mdp_destroy(mdp);
        }
}

// ---- random models ----

// a model of any kind: sparse, with states that stay, rings, closed parts, forbidden actions, rare
// moves
static lgkt_mdp *random_model(lgkt_rng *rng)
{
    const int32_t states = 1 + lgkt_rng_below(rng, 5), actions = 1 + lgkt_rng_below(rng, 3);
    const double sparse = 1.6 * lgkt_rng_uniform(rng), rare = lgkt_rng_uniform(rng);
    lgkt_mdp_builder *const b = model_begin(states, actions);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            double weights[8] = {0}, sum = 0;
            const int32_t sure = lgkt_rng_below(rng, states);
            for (int32_t y = 0; y < states; y++) {
                if (y == sure || lgkt_rng_uniform(rng) > sparse)
                    weights[y] = 1e-3 + lgkt_rng_uniform(rng);
                if (rare < 0.2 && lgkt_rng_uniform(rng) < 0.3)
                    weights[y] *= 1e-7;
                sum += weights[y];
            }
            for (int32_t y = 0; y < states; y++)
                model_edge(b, s, a, y, weights[y] / sum);
            // few levels, so that there are ties
            model_reward(b, s, a,
                         rare < 0.5 ? lgkt_rng_below(rng, 4) : 2 * lgkt_rng_uniform(rng) - 1);
            if (a > 0 && lgkt_rng_uniform(rng) < 0.1)
                assert_int_equal(lgkt_mdp_builder_forbid(b, s, a), LGKT_OK);
        }
    return model_finish(b);
}

static void random_models_have_the_gain_of_their_best_policy(void **state)
{
    (void)state;
    int several = 0, wide = 0;
    const uint64_t rounds = test_short() ? 300 : 10000;
    for (uint64_t i = 0; i < rounds; i++) {
        lgkt_rng rng = lgkt_rng_stream(60, "average", i);
        lgkt_mdp *mdp = random_model(&rng);
        long double best[NAIVE_MOST_STATES], own[NAIVE_MOST_STATES];
        double gain[NAIVE_MOST_STATES], bias[NAIVE_MOST_STATES];
        int32_t policy[NAIVE_MOST_STATES];
        const lgkt_plan_result result = average(mdp, 1e-12, gain, bias, policy);
        naive_best_gain(mdp, best);
        naive_gain_of(mdp, policy, own);
        const double scale = fmax(fabs(lgkt_mdp_reward_min(mdp)), fabs(lgkt_mdp_reward_max(mdp)));
        for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
            // the gain, the policy that earns it, and the interval with the rounding of long double
            assert_close(gain[s], (double)best[s], 2e-12 * scale);
            assert_close((double)own[s], (double)best[s], 2e-12 * scale);
            assert_between((double)best[s], gain[s] - result.below - 1e-15 * scale,
                           gain[s] + result.above + 1e-15 * scale);
        }
        several += result.differs;
        wide += !(result.below + result.above <= 1e-12 * scale);
        lgkt_mdp_destroy(mdp);
    }
    print_message("%d with several gains, %d with a wide interval\n", several, wide);
    assert_true(several > (int)rounds / 20);
    assert_true(wide <= (int)rounds / 500);
}

// ---- discounted, and so many steps ----

// value iteration, as it stands in the textbook, until nothing moves
static void naive_discounted(const lgkt_mdp *mdp, double discount, double *v)
{
    const int32_t states = lgkt_mdp_states(mdp);
    double fresh[NAIVE_MOST_STATES] = {0};
    for (int32_t s = 0; s < states; s++)
        v[s] = 0;
    for (int k = 0; k < 100000; k++) {
        double moved = 0;
        for (int32_t s = 0; s < states; s++) {
            fresh[s] = -INFINITY;
            for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
                const lgkt_row row = lgkt_mdp_row(mdp, s, a);
                double q = lgkt_mdp_reward(mdp, s, a);
                for (int32_t i = 0; i < row.n; i++)
                    q += discount * row.p[i] * v[row.next[i]];
                fresh[s] = lgkt_mdp_allowed(mdp, s, a) ? fmax(fresh[s], q) : fresh[s];
            }
            moved = fmax(moved, fabs(fresh[s] - v[s]));
        }
        memcpy(v, fresh, sizeof fresh);
        if (moved < 1e-15)
            return;
    }
}

static void discounted_values_are_those_of_value_iteration(void **state)
{
    (void)state;
    const double discounts[] = {0, 0.5, 0.9, 0.99};
    for (uint64_t i = 0; i < 400; i++) {
        lgkt_rng rng = lgkt_rng_stream(61, "discounted", i);
        lgkt_mdp *mdp = random_model(&rng);
        lgkt_error error = {0};
        double found[NAIVE_MOST_STATES], v[NAIVE_MOST_STATES];
        const double discount = discounts[i % 4];
        lgkt_plan_result result = {.value = found};
        assert_ok(lgkt_plan_discounted(mdp, discount, NULL, &result, &error), error);
        naive_discounted(mdp, discount, v);
        const double scale =
            fmax(fabs(lgkt_mdp_reward_min(mdp)), fabs(lgkt_mdp_reward_max(mdp))) / (1 - discount);
        assert_true(result.below + result.above <= 1e-12 * scale);
        for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
            assert_between(v[s], found[s] - result.below - 1e-13 * scale,
                           found[s] + result.above + 1e-13 * scale);
        lgkt_mdp_destroy(mdp);
    }
}

// near 1 sweeps would take for ever: a ring that pays 1 in its last state
static void discounts_near_one_are_as_exact(void **state)
{
    (void)state;
    enum { N = 300 };
    lgkt_error error = {0};
    double found[N];
    for (double wanted = 1e-3; wanted > 1e-10; wanted /= 100) {
        const double rest = 1 - (1 - wanted);
        lgkt_mdp *mdp = ring(N, 1, 0);
        lgkt_plan_result result = {.value = found};
        assert_ok(lgkt_plan_discounted(mdp, 1 - rest, NULL, &result, &error), error);
        // the last state: 1 + d^N + d^2N + ..
        const double power = exp(N * log1p(-rest));
        const double exact = 1 / -expm1(N * log1p(-rest));
        assert_close(found[N - 1], exact, 1e-11 * exact + result.above);
        assert_close(found[0], exact * power / (1 - rest), 1e-11 * exact + result.above);
        assert_true(result.below + result.above <= 2e-12 / rest);
        lgkt_mdp_destroy(mdp);
    }
}

static void so_many_steps_are_those_of_the_optimal_policy(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        lgkt_rng rng = lgkt_rng_stream(62, "steps", i);
        lgkt_mdp *mdp = random_model(&rng);
        lgkt_error error = {0};
        lgkt_policy *policy = NULL;
        double found[NAIVE_MOST_STATES], v[NAIVE_MOST_STATES];
        int32_t first[NAIVE_MOST_STATES];
        const int64_t horizon = 1 + lgkt_rng_below(&rng, 300);
        lgkt_plan_result result = {.value = found, .policy = first};
        assert_ok(lgkt_plan_horizon(mdp, horizon, NULL, &result, &error), error);
        assert_ok(lgkt_policy_optimal(mdp, horizon, LGKT_TIES_LOW, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_value(policy, NULL, v, &error), error);
        for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
            // both go on from where values are taken as settled
            assert_close(found[s], v[s], 1e-12 * (double)horizon);
            assert_int_equal(first[s], lgkt_policy_action(policy, horizon, s));
        }
        assert_true(result.above <= 1e-11 * (double)horizon);
        lgkt_policy_destroy(policy);
        lgkt_mdp_destroy(mdp);
    }
}

// ---- the long run of a policy ----

static lgkt_policy *only(const lgkt_mdp *mdp)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_uniform(mdp, 1, NULL, &policy, &error), error);
    return policy;
}

// a queue that is hardly ever long: laws and times of closed form over 200 orders of magnitude
static void rare_states_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 101 };
    const double up = .01, down = .9, rho = up / down;
    lgkt_mdp *mdp = queue(N, up, down);
    lgkt_policy *policy = only(mdp);
    lgkt_error error = {0};
    double law[N], times[N], exact = 0, step = 0;
    assert_ok(lgkt_policy_stationary(policy, NULL, NULL, law, &error), error);
    for (int32_t s = 0; s < N; s++)
        assert_close(law[s], (1 - rho) * pow(rho, s), 1e-12 * law[s]);
    assert_true(law[N - 1] < 1e-190);
    // from s to s + 1: e(s) = (1 + down e(s-1)) / up
    assert_ok(lgkt_policy_passage(policy, N - 1, NULL, times, &error), error);
    for (int32_t s = 0; s + 1 < N; s++) {
        step = s == 0 ? 1 / up : (1 + down * step) / up;
        exact += step;
    }
    assert_close(times[0], exact, 1e-12 * exact);
    assert_true(exact > 1e190);
    assert_close(times[N - 1], 1 / law[N - 1], 1e-12 / law[N - 1]);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// the ruin of a gambler, who never comes back from either end
static void ends_are_reached_as_often_as_they_should(void **state)
{
    (void)state;
    enum { N = 51 };
    const double up = .3, ratio = (1 - up) / up;
    lgkt_mdp_builder *const b = model_begin(N, 1);
    for (int32_t s = 0; s < N; s++) {
        model_edge(b, s, 0, s == 0 || s == N - 1 ? s : s + 1, up);
        model_edge(b, s, 0, s == 0 || s == N - 1 ? s : s - 1, 1 - up);
    }
    lgkt_mdp *mdp = model_finish(b);
    lgkt_policy *policy = only(mdp);
    lgkt_error error = {0};
    uint8_t rich[N] = {0};
    double found[N], law[N], start[N] = {0};
    int32_t classes[N], count = 0;
    rich[N - 1] = 1;
    assert_ok(lgkt_policy_arrival(policy, rich, NULL, found, &error), error);
    for (int32_t s = 0; s < N; s++) {
        const double exact = (pow(ratio, s) - 1) / (pow(ratio, N - 1) - 1);
        assert_close(found[s], exact, 1e-13 * exact);
    }
    assert_ok(lgkt_policy_passage(policy, N - 1, NULL, law, &error), error);
    assert_true(isinf(law[3]) && isinf(law[0]));
    assert_close(law[N - 1], 1, 0);
    start[7] = 1;
    assert_ok(lgkt_policy_stationary(policy, start, NULL, law, &error), error);
    assert_close(law[N - 1], found[7], 1e-15);
    assert_close(law[0], 1 - found[7], 1e-15);
    assert_close(law[7], 0, 0);
    assert_ok(lgkt_policy_classes(policy, NULL, classes, &count, &error), error);
    assert_int_equal(count, 2);
    assert_int_equal(classes[0], 0);
    assert_int_equal(classes[N - 1], 1);
    assert_int_equal(classes[7], -1);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- limits ----

static int stop_at(void *ctx, const lgkt_plan_progress *progress)
{
    (void)progress;
    int *const left = ctx;
    return --*left < 0;
}

static void a_plan_stops_when_it_is_told_to(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = ring(60, 2, 20);
    double gain[60], exact = 0;
    average(mdp, 1e-12, gain, NULL, NULL);
    exact = gain[0];
    for (int calls = 0; calls < 120; calls++) {
        int left = calls;
        lgkt_plan_config config = lgkt_plan_config_default();
        lgkt_plan_result result = {.value = gain};
        config.progress = stop_at;
        config.ctx = &left;
        assert_ok(lgkt_plan_average(mdp, &config, &result, &error), error);
        assert_true(result.stopped || left >= 0);
        assert_between(exact, gain[0] - result.below, gain[0] + result.above);
    }
    lgkt_mdp_destroy(mdp);
}

// two rings of which one pays more, and a line that leads to either: what is known holds whenever it
// is asked for
static void a_plan_of_several_components_stops_too(void **state)
{
    (void)state;
    enum { N = 24 };
    lgkt_mdp_builder *const b = model_begin(N, 2);
    for (int32_t s = 0; s < N; s++)
        for (int32_t a = 0; a < 2; a++) {
            const int32_t part = s / 8 * 8;
            model_edge(b, s, a, part + (s + 1) % 8, s < 16 ? 1 : .5);
            if (s >= 16)
                model_edge(b, s, a, a == 0 ? 0 : 8, .5);
        }
    model_reward(b, 3, 0, 1);
    model_reward(b, 11, 1, 2);
    lgkt_mdp *mdp = model_finish(b);
    lgkt_error error = {0};
    double gain[N], exact[N];
    assert_true(average(mdp, 1e-12, exact, NULL, NULL).differs);
    assert_close(exact[0], 1.0 / 8, 1e-15);
    assert_close(exact[20], 2.0 / 8, 1e-15);
    for (int calls = 0; calls < 120; calls++) {
        int left = calls;
        lgkt_plan_config config = lgkt_plan_config_default();
        lgkt_plan_result result = {.value = gain};
        config.progress = stop_at;
        config.ctx = &left;
        assert_ok(lgkt_plan_average(mdp, &config, &result, &error), error);
        for (int32_t s = 0; s < N; s++)
            assert_between(exact[s], gain[s] - result.below - 1e-15,
                           gain[s] + result.above + 1e-15);
    }
    lgkt_mdp_destroy(mdp);
}

// two wells, each left once in 10^700 steps: the exact gain by symmetry, and the way to the better one
static void passages_beyond_doubles_count(void **state)
{
    (void)state;
    enum { N = 1600 };
    static double gain[N];
    for (int32_t actions = 1; actions <= 2; actions++) {
        lgkt_mdp_builder *const b = model_begin(N, actions);
        for (int32_t s = 0; s < N; s++)
            for (int32_t a = 0; a < actions; a++) {
                const double left = a == 1 ? .3 : s < N / 2 ? .8 : .1;
                const double right = a == 1 ? .3 : s < N / 2 ? .1 : .8;
                model_edge(b, s, a, s > 0 ? s - 1 : s, left);
                model_edge(b, s, a, s + 1 < N ? s + 1 : s, right);
                model_edge(b, s, a, s, 1 - left - right);
                model_reward(b, s, a, s < N / 2 ? 1 : -a);
            }
        lgkt_mdp *mdp = model_finish(b);
        const lgkt_plan_result result = average(mdp, 1e-12, gain, NULL, NULL);
        const double best = actions == 1 ? .5 : 1;
        assert_close(gain[0], best, 1e-12);
        assert_close(gain[N - 1], best, 1e-12);
        assert_between(best, gain[0] - result.below, gain[0] + result.above);
        lgkt_mdp_destroy(mdp);
    }
}

static void without_memory_there_are_sweeps(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = ring(40, 2, 15);
    double gain[40];
    lgkt_plan_config config = lgkt_plan_config_default();
    lgkt_plan_result result = {.value = gain};
    config.memory = 0;
    assert_ok(lgkt_plan_average(mdp, &config, &result, &error), error);
    assert_int_equal(result.policies, 0);
    assert_between(.4 / 16, gain[0] - result.below, gain[0] + result.above);
    assert_true(result.below + result.above < 1e-11);
    lgkt_mdp_destroy(mdp);
}

static lgkt_status plan_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_mdp *const mdp = ctx;
    double numbers[4][16];
    uint8_t member[16] = {1};
    int32_t classes[16], count;
    lgkt_policy *policy = NULL;
    lgkt_plan_config config = lgkt_plan_config_default();
    lgkt_plan_result result = {.value = numbers[0], .component = classes};
    config.allocator = *allocator;
    lgkt_status status = lgkt_plan_average(mdp, &config, &result, error);
    if (status == LGKT_OK)
        status = lgkt_plan_discounted(mdp, 0.9999, &config, &result, error);
    if (status == LGKT_OK)
        status = lgkt_plan_horizon(mdp, 9, &config, &result, error);
    if (status == LGKT_OK)
        status = lgkt_policy_uniform(mdp, 1, allocator, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_policy_stationary(policy, NULL, allocator, numbers[1], error);
    if (status == LGKT_OK)
        status = lgkt_policy_passage(policy, 1, allocator, numbers[2], error);
    if (status == LGKT_OK)
        status = lgkt_policy_arrival(policy, member, allocator, numbers[3], error);
    if (status == LGKT_OK)
        status = lgkt_policy_classes(policy, allocator, classes, &count, error);
    lgkt_policy_destroy(policy);
    return status;
}

// two rings that nothing leads from, and a state that leads to both
static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_mdp_builder *const b = model_begin(7, 2);
    for (int32_t s = 0; s < 6; s++)
        for (int32_t a = 0; a < 2; a++) {
            model_edge(b, s, a, s / 3 * 3 + (s + 1 + a) % 3, 1);
            model_reward(b, s, a, s + a);
        }
    model_edge(b, 6, 0, 0, 1);
    model_edge(b, 6, 1, 3, .5);
    model_edge(b, 6, 1, 6, .5);
    lgkt_mdp *mdp = model_finish(b);
    assert_true(fault_sweep(plan_all, mdp) > 60);
    lgkt_mdp_destroy(mdp);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = ring(4, 1, 0);
    lgkt_policy *policy = only(mdp);
    double x[4];
    lgkt_plan_result result = {.value = x};
    lgkt_plan_config config = lgkt_plan_config_default();
    assert_refused(lgkt_plan_average(NULL, NULL, &result, &error), LGKT_ERR_ARGUMENT, error,
                   "mdp is NULL");
    assert_refused(lgkt_plan_average(mdp, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "result is NULL");
    config.tolerance = NAN;
    assert_refused(lgkt_plan_average(mdp, &config, &result, &error), LGKT_ERR_ARGUMENT, error,
                   "tolerance");
    config = (lgkt_plan_config){0};
    assert_refused(lgkt_plan_average(mdp, &config, &result, &error), LGKT_ERR_CONFIG, error,
                   "lgkt_plan_config_default");
    assert_refused(lgkt_plan_discounted(mdp, 1, NULL, &result, &error), LGKT_ERR_ARGUMENT, error,
                   "discount 1");
    assert_refused(lgkt_plan_discounted(mdp, NAN, NULL, &result, &error), LGKT_ERR_ARGUMENT, error,
                   "discount");
    assert_refused(lgkt_plan_horizon(mdp, 0, NULL, &result, &error), LGKT_ERR_ARGUMENT, error,
                   "horizon is 0");
    assert_refused(lgkt_policy_passage(policy, 4, NULL, x, &error), LGKT_ERR_ARGUMENT, error,
                   "target");
    assert_refused(lgkt_policy_stationary(NULL, NULL, NULL, x, &error), LGKT_ERR_ARGUMENT, error,
                   "policy is NULL");
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- rows ----

static void rows_make_the_model_that_edges_make(void **state)
{
    (void)state;
    lgkt_error error = {0};
    const int64_t at[] = {0, 1, 3};
    const int32_t next[] = {1, 0, 1};
    const double p[] = {1, .25, .75}, rewards[] = {2, 3};
    lgkt_mdp_builder *const b = model_begin(2, 1);
    model_edge(b, 0, 0, 1, 1);
    model_edge(b, 1, 0, 0, .25);
    model_edge(b, 1, 0, 1, .75);
    model_reward(b, 0, 0, 2);
    model_reward(b, 1, 0, 3);
    lgkt_mdp *edges = model_finish(b), *rows = NULL;
    assert_ok(lgkt_mdp_from_rows(2, 1, at, next, p, rewards, NULL, NULL, &rows, &error), error);
    assert_true(lgkt_mdp_hash(edges) == lgkt_mdp_hash(rows));
    lgkt_mdp_destroy(edges);
    lgkt_mdp_destroy(rows);
    const int64_t backwards[] = {0, 4, 3};
    const int32_t twice[] = {1, 1, 1}, outside[] = {1, 0, 2};
    const double negative[] = {1, -.25, 1.25}, short_of[] = {1, .25, .5};
    rows = NULL;
    assert_refused(lgkt_mdp_from_rows(2, 1, backwards, next, p, rewards, NULL, NULL, &rows, &error),
                   LGKT_ERR_SHAPE, error, "row 0 ends at 4");
    assert_refused(lgkt_mdp_from_rows(2, 1, at, twice, p, rewards, NULL, NULL, &rows, &error),
                   LGKT_ERR_ARGUMENT, error, "must increase");
    assert_refused(lgkt_mdp_from_rows(2, 1, at, outside, p, rewards, NULL, NULL, &rows, &error),
                   LGKT_ERR_ARGUMENT, error, "next state 2");
    assert_refused(lgkt_mdp_from_rows(2, 1, at, next, negative, rewards, NULL, NULL, &rows, &error),
                   LGKT_ERR_PROBABILITY, error, "probability -0.25");
    assert_refused(lgkt_mdp_from_rows(2, 1, at, next, short_of, rewards, NULL, NULL, &rows, &error),
                   LGKT_ERR_PROBABILITY, error, "sums to 0.75");
    assert_null(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_have_their_gains),
        cmocka_unit_test(rings_have_their_gains),
        cmocka_unit_test(rivers_have_their_gains),
        cmocka_unit_test(rare_passages_count),
        cmocka_unit_test(random_models_have_the_gain_of_their_best_policy),
        cmocka_unit_test(discounted_values_are_those_of_value_iteration),
        cmocka_unit_test(discounts_near_one_are_as_exact),
        cmocka_unit_test(so_many_steps_are_those_of_the_optimal_policy),
        cmocka_unit_test(rare_states_keep_their_digits),
        cmocka_unit_test(ends_are_reached_as_often_as_they_should),
        cmocka_unit_test(a_plan_stops_when_it_is_told_to),
        cmocka_unit_test(a_plan_of_several_components_stops_too),
        cmocka_unit_test(passages_beyond_doubles_count),
        cmocka_unit_test(without_memory_there_are_sweeps),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(rows_make_the_model_that_edges_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
