// SPDX-License-Identifier: MIT
// Models that change: the weight against its definition, the optimum against all rules tried one by
// one, values against plain recursions, and the plain model where nothing changes.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

#include "mdp/mdp_private.h"

enum { MAX_STATES = 6, MAX_ACTIONS = 3, MAX_PAIRS = MAX_STATES * MAX_ACTIONS };

static lgkt_change *make(const lgkt_mdp *before, const lgkt_mdp *after, const int64_t *times,
                         int32_t count, double rate)
{
    lgkt_error error = {0};
    lgkt_change *change = NULL;
    assert_ok(lgkt_change_create(before, after, times, count, rate, NULL, &change, &error), error);
    return change;
}

static lgkt_policy *optimal(const lgkt_change *change, int64_t horizon)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_change_optimal(change, horizon, LGKT_TIES_LOW, NULL, &policy, &error), error);
    return policy;
}

static void value_of(const lgkt_change *change, const lgkt_policy *policy, double *value)
{
    lgkt_error error = {0};
    assert_ok(lgkt_change_value(change, policy, NULL, value, &error), error);
}

// ---- the weight ----

// step by step: a turn changes the direction, and a step moves by the rate
static void the_weight_moves_step_by_step(void **state)
{
    (void)state;
    const lgkt_mdp *mdp = model_two_cycle();
    const struct {
        int64_t times[4];
        int32_t count;
        double rate;
    } cases[] = {{{3, 7, 8, 20}, 4, 0},      {{0}, 1, 0},          {{0}, 0, 0.25},
                 {{5, 9, 10, 40}, 4, 0.125}, {{0, 1, 2, 3}, 4, 1}, {{2, 30}, 2, 0.0625},
                 {{4, 6, 9, 30}, 4, 0.03125}};
    for (int c = 0; c < 7; c++) {
        lgkt_change *change = make(mdp, mdp, cases[c].times, cases[c].count, cases[c].rate);
        double w = 0, history[60];
        bool up = false;
        int32_t next = 0, count;
        for (int64_t t = 0; t < 60; t++) {
            if (t > 0 && cases[c].rate > 0 && next > 0)
                w = fmax(0, fmin(1, w + (up ? cases[c].rate : -cases[c].rate)));
            if (next < cases[c].count && t == cases[c].times[next]) {
                up = next++ % 2 == 0;
                if (cases[c].rate == 0)
                    w = up ? 1 : 0;
            }
            // the rates are powers of 2: sums and products have the same bits
            assert_true(lgkt_change_weight(change, t) == w);
            history[t] = w;
            const int64_t since = lgkt_change_since(change, t);
            assert_true(since >= 0 && since <= t);
            for (int64_t u = since; u <= t; u++)
                assert_true(history[u] == w);
            // a stretch is cut at a turn or where the weight was another one
            bool turn = since == 0;
            for (int32_t i = 0; i < cases[c].count; i++)
                turn |= cases[c].times[i] == since;
            assert_true(turn || (w != 0 && w != 1) || history[since - 1] != w);
        }
        assert_memory_equal(lgkt_change_times(change, &count), cases[c].times,
                            (size_t)cases[c].count * sizeof(int64_t));
        assert_int_equal(count, cases[c].count);
        lgkt_change_destroy(change);
    }
    lgkt_mdp_destroy(mdp);
}

// ---- plans ----

// R + P v of a pair at time t
static double backup(const lgkt_change *change, int64_t t, int32_t s, int32_t a, const double *v)
{
    const double w = lgkt_change_weight(change, t);
    const lgkt_mdp *const models[] = {lgkt_change_before(change), lgkt_change_after(change)};
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        double side = lgkt_mdp_reward(models[i], s, a);
        for (int32_t y = 0; y < lgkt_mdp_states(models[i]); y++)
            side += naive_p(models[i], s, a, y) * v[y];
        sum += (i == 1 ? w : 1 - w) * side;
    }
    return sum;
}

// the value of a rule (horizon, S) -> a
static void rule_value(const lgkt_change *change, int32_t horizon, const int32_t *rule, double *v)
{
    const int32_t states = lgkt_mdp_states(lgkt_change_before(change));
    memset(v, 0, (size_t)states * sizeof *v);
    for (int32_t t = horizon; t-- > 0;) {
        double fresh[MAX_STATES];
        for (int32_t s = 0; s < states; s++)
            fresh[s] = backup(change, t, s, rule[t * states + s], v);
        memcpy(v, fresh, (size_t)states * sizeof *v);
    }
}

// the best of all rules from each state, tried one by one
static void best_rules(const lgkt_change *change, int32_t horizon, double *best)
{
    const lgkt_mdp *mdp = lgkt_change_before(change);
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    int32_t rule[32] = {0}, cells = horizon * states;
    for (int32_t s = 0; s < states; s++)
        best[s] = -INFINITY;
    for (int32_t i = 0; i < cells;) {
        bool allowed = true;
        double v[MAX_STATES];
        for (int32_t c = 0; c < cells; c++)
            allowed = allowed && lgkt_mdp_allowed(mdp, c % states, rule[c]);
        if (allowed)
            rule_value(change, horizon, rule, v);
        for (int32_t s = 0; s < states && allowed; s++)
            best[s] = fmax(best[s], v[s]);
        // the next one, as a number in base A
        for (i = 0; i < cells && ++rule[i] == actions; i++)
            rule[i] = 0;
    }
}

// two random models, every third pair of them restricted alike
static void draw(uint64_t i, int32_t states, int32_t actions, const lgkt_mdp **before,
                 const lgkt_mdp **after)
{
    lgkt_rng rng = lgkt_rng_stream(81, "change", i);
    uint8_t mask[MAX_PAIRS];
    *before = model_random(&rng, states, actions, 0.5);
    *after = model_random(&rng, states, actions, 0.5);
    if (i % 3 != 2)
        return;
    model_random_mask(&rng, states, actions, 0.6, mask);
    const lgkt_mdp *const full[] = {*before, *after};
    *before = model_restrict(full[0], mask, false);
    *after = model_restrict(full[1], mask, false);
    lgkt_mdp_destroy(full[0]);
    lgkt_mdp_destroy(full[1]);
}

static void the_optimum_is_that_of_all_rules(void **state)
{
    (void)state;
    // states, actions, steps: at most 4096 rules
    const int32_t sizes[][3] = {{2, 2, 6}, {2, 2, 5}, {3, 2, 4}, {2, 3, 3}, {3, 2, 3}, {2, 2, 3}};
    for (uint64_t i = 0; i < 36; i++) {
        const int32_t *size = sizes[i % 6];
        const lgkt_mdp *before, *after;
        draw(i, size[0], size[1], &before, &after);
        const int64_t times[] = {(int64_t)(i % 4), 4};
        const double rates[] = {0, 0.25, 0.4, 0, 1};
        lgkt_change *change = make(before, after, times, 2, rates[i % 5]);
        lgkt_policy *policy = optimal(change, size[2]);
        double best[MAX_STATES], value[MAX_STATES];
        best_rules(change, size[2], best);
        value_of(change, policy, value);
        for (int32_t s = 0; s < size[0]; s++)
            assert_close(value[s], best[s], 1e-12 * fmax(1, best[s]));
        lgkt_policy_destroy(policy);
        lgkt_change_destroy(change);
        lgkt_mdp_destroy(before);
        lgkt_mdp_destroy(after);
    }
}

// long enough to settle between the turns, which is what the recursion leaves out
static void long_plans_are_those_of_the_plain_recursion(void **state)
{
    (void)state;
    enum { STATES = 6, ACTIONS = 3, STEPS = 3000 };
    for (uint64_t i = 0; i < 6; i++) {
        const lgkt_mdp *before, *after;
        draw(100 + i, STATES, ACTIONS, &before, &after);
        const int64_t times[] = {700, 1500, 1501, 2900};
        lgkt_change *change = make(before, after, times, 4, i % 2 == 0 ? 0 : 0.003);
        lgkt_policy *policy = optimal(change, STEPS), *uniform = NULL;
        lgkt_error error = {0};
        assert_ok(lgkt_policy_uniform(before, STEPS, NULL, &uniform, &error), error);
        double v[STATES] = {0}, u[STATES] = {0}, value[STATES];
        for (int64_t t = STEPS; t-- > 0;) {
            double best[STATES], mean[STATES];
            for (int32_t s = 0; s < STATES; s++) {
                int32_t n = 0;
                best[s] = -INFINITY;
                mean[s] = 0;
                for (int32_t a = 0; a < ACTIONS; a++)
                    if (lgkt_mdp_allowed(before, s, a)) {
                        best[s] = fmax(best[s], backup(change, t, s, a, v));
                        mean[s] += backup(change, t, s, a, u);
                        n++;
                    }
                mean[s] /= n;
                // what is played is worth that
                const int32_t a = lgkt_policy_action(policy, STEPS - t, s);
                assert_close(backup(change, t, s, a, v), best[s], 1e-10 * fabs(best[s]));
            }
            memcpy(v, best, sizeof v);
            memcpy(u, mean, sizeof u);
        }
        value_of(change, policy, value);
        for (int32_t s = 0; s < STATES; s++)
            assert_close(value[s], v[s], 1e-11 * fabs(v[s]));
        value_of(change, uniform, value);
        for (int32_t s = 0; s < STATES; s++)
            assert_close(value[s], u[s], 1e-11 * fabs(u[s]));
        lgkt_policy_destroy(policy);
        lgkt_policy_destroy(uniform);
        lgkt_change_destroy(change);
        lgkt_mdp_destroy(before);
        lgkt_mdp_destroy(after);
    }
}

static void nothing_changes_where_both_are_the_same(void **state)
{
    (void)state;
    enum { STEPS = 500 };
    const int64_t times[] = {0, 77, 300};
    for (uint64_t i = 0; i < 9; i++) {
        const lgkt_mdp *before, *after;
        draw(200 + i, 5, 3, &before, &after);
        lgkt_change *change = make(before, before, times, (int32_t)(i % 4), i < 5 ? 0 : 0.01);
        lgkt_policy *policy = optimal(change, STEPS), *plain = NULL;
        lgkt_error error = {0};
        double value[5], wanted[5];
        assert_ok(lgkt_policy_optimal(before, STEPS, LGKT_TIES_LOW, NULL, &plain, &error), error);
        value_of(change, policy, value);
        assert_ok(lgkt_policy_value(plain, NULL, wanted, &error), error);
        for (int32_t s = 0; s < 5; s++) {
            assert_close(value[s], wanted[s], 1e-12 * wanted[s]);
            for (int64_t h = 1; h <= STEPS; h++)
                assert_int_equal(lgkt_policy_action(policy, h, s), lgkt_policy_action(plain, h, s));
        }
        lgkt_policy_destroy(policy);
        lgkt_policy_destroy(plain);
        lgkt_change_destroy(change);
        lgkt_mdp_destroy(before);
        lgkt_mdp_destroy(after);
    }
}

// ---- arguments ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_rng rng = lgkt_rng_stream(9, "change", 0);
    lgkt_mdp *two = model_two_cycle(), *three = model_random(&rng, 3, 2, 1);
    const uint8_t mask[] = {1, 0, 1, 1};
    lgkt_mdp *less = model_restrict(two, mask, false);
    lgkt_change *change = NULL, *const none = NULL;
    lgkt_policy *policy = NULL;
    double value[3];
    const int64_t times[] = {5, 5}, early[] = {-1};
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_refused(lgkt_change_create(two, two, times, 1, 0, NULL, NULL, &error), bad, error, "");
    assert_refused(lgkt_change_create(NULL, two, times, 1, 0, NULL, &change, &error), bad, error,
                   "before is NULL");
    assert_refused(lgkt_change_create(two, NULL, times, 1, 0, NULL, &change, &error), bad, error,
                   "after is NULL");
    assert_refused(lgkt_change_create(two, two, NULL, 1, 0, NULL, &change, &error), bad, error,
                   "times is NULL");
    assert_refused(lgkt_change_create(two, two, times, -1, 0, NULL, &change, &error), bad, error,
                   "-1 times");
    assert_refused(lgkt_change_create(two, two, times, 2, 0, NULL, &change, &error), bad, error,
                   "time 5");
    assert_refused(lgkt_change_create(two, two, early, 1, 0, NULL, &change, &error), bad, error,
                   "time -1");
    const double rates[] = {-0.1, 1.01, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        assert_refused(lgkt_change_create(two, two, times, 1, rates[i], NULL, &change, &error), bad,
                       error, "rate");
    assert_refused(lgkt_change_create(two, three, times, 1, 0, NULL, &change, &error),
                   LGKT_ERR_SHAPE, error, "before has 2 states");
    assert_refused(lgkt_change_create(two, less, times, 1, 0, NULL, &change, &error), bad, error,
                   "forbid the same actions");
    assert_null(change);

    change = make(two, two, times, 1, 0);
    assert_refused(lgkt_change_optimal(NULL, 5, LGKT_TIES_LOW, NULL, &policy, &error), bad, error,
                   "change is NULL");
    assert_refused(lgkt_change_optimal(change, 0, LGKT_TIES_LOW, NULL, &policy, &error), bad, error,
                   "horizon is 0");
    assert_refused(lgkt_change_optimal(change, 5, (lgkt_ties)2, NULL, &policy, &error), bad, error,
                   "ties");
    assert_refused(lgkt_change_optimal(change, 5, LGKT_TIES_LOW, NULL, NULL, &error), bad, error,
                   "policy is NULL");
    const lgkt_mdp *const others[] = {three, less};
    for (int i = 0; i < 2; i++) {
        assert_ok(lgkt_policy_uniform(others[i], 5, NULL, &policy, &error), error);
        assert_refused(lgkt_change_value(change, policy, NULL, value, &error),
                       i == 0 ? LGKT_ERR_SHAPE : bad, error, "the policy is");
        assert_refused(lgkt_change_value(none, policy, NULL, value, &error), bad, error, "change");
        assert_refused(lgkt_change_value(change, policy, NULL, NULL, &error), bad, error, "value");
        lgkt_policy_destroy(policy);
    }
    assert_refused(lgkt_change_value(change, NULL, NULL, value, &error), bad, error, "policy");
    // it keeps its models alive, and is shared
    lgkt_mdp_destroy(two);
    const uint64_t hash = lgkt_change_hash(change);
    assert_ptr_equal(lgkt_change_retain(change), change);
    lgkt_change_destroy(change);
    assert_true(lgkt_change_hash(change) == hash);
    lgkt_change_destroy(change);
    lgkt_change_destroy(NULL);
    assert_null(lgkt_change_retain(NULL));
    lgkt_mdp_destroy(three);
    lgkt_mdp_destroy(less);
}

// a restricted model with its changes, plans and values
static lgkt_status make_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_mdp *full = ctx;
    const int64_t times[] = {3, 6};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *mdp = NULL;
    lgkt_change *change = NULL;
    lgkt_policy *policy = NULL;
    double value[2];
    lgkt_status status = lgkt_mdp_builder_create(2, 2, allocator, &builder, error);
    for (int32_t z = 0; z < 4 && status == LGKT_OK; z++)
        status = z == 1 ? lgkt_mdp_builder_forbid(builder, 0, 1)
                        : lgkt_mdp_builder_edge(builder, z / 2, z % 2, 1 - z / 2, 1);
    if (status != LGKT_OK && builder != NULL)
        *error = model_builder_error(builder, status);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(builder, &mdp, error);
    if (status == LGKT_OK)
        status = lgkt_change_create(full, full, times, 2, 0.25, allocator, &change, error);
    if (status == LGKT_OK)
        status = lgkt_change_optimal(change, 9, LGKT_TIES_LOW, allocator, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_change_value(change, policy, allocator, value, error);
    lgkt_policy_destroy(policy);
    lgkt_change_destroy(change);
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_builder_destroy(builder);
    return status;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    assert_true(fault_sweep(make_all, mdp) >= 20);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weight_moves_step_by_step),
        cmocka_unit_test(the_optimum_is_that_of_all_rules),
        cmocka_unit_test(long_plans_are_those_of_the_plain_recursion),
        cmocka_unit_test(nothing_changes_where_both_are_the_same),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
