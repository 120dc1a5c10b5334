// SPDX-License-Identifier: MIT
// Building a model: edges in any order, checks with their messages, noise, failing allocations.
#include <stdlib.h>

#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

static lgkt_mdp_builder *new_builder(int32_t states, int32_t actions)
{
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    assert_ok(lgkt_mdp_builder_create(states, actions, NULL, &builder, &error), error);
    return builder;
}

static void add(lgkt_mdp_builder *builder, int32_t s, int32_t a, int32_t y, double p)
{
    assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, y, p), LGKT_OK);
}

static lgkt_mdp *build(const lgkt_mdp_builder *builder)
{
    lgkt_error error = {0};
    lgkt_mdp *mdp = NULL;
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    return mdp;
}

// ---- edges ----

static void edges_in_any_order_give_the_same_model(void **state)
{
    (void)state;
    enum { S = 7, A = 3, EDGES = S * A * S };
    lgkt_rng rng = lgkt_rng_stream(3, "order", 0);
    lgkt_mdp *wanted = model_random(&rng, S, A, 0.5);
    int32_t order[EDGES];
    for (int32_t i = 0; i < EDGES; i++)
        order[i] = i;
    for (int32_t i = EDGES - 1; i > 0; i--) {
        const int32_t j = lgkt_rng_below(&rng, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    lgkt_mdp_builder *builder = new_builder(S, A);
    for (int32_t i = 0; i < EDGES; i++) {
        const int32_t s = order[i] / (A * S), a = order[i] / S % A, y = order[i] % S;
        add(builder, s, a, y, naive_p(wanted, s, a, y));
    }
    lgkt_mdp *mdp = build(builder);
    for (int32_t i = 0; i < EDGES; i++) {
        const int32_t s = i / (A * S), a = i / S % A, y = i % S;
        assert_close(naive_p(mdp, s, a, y), naive_p(wanted, s, a, y), 1e-15);
        const lgkt_row row = lgkt_mdp_row(mdp, s, a);
        for (int32_t j = 1; j < row.n; j++)
            assert_true(row.next[j] > row.next[j - 1]);
    }
    lgkt_mdp_builder_destroy(builder);
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_destroy(wanted);
}

static void equal_edges_add_up_and_zeros_vanish(void **state)
{
    (void)state;
    lgkt_mdp_builder *builder = new_builder(3, 1);
    add(builder, 0, 0, 2, 0.25);
    add(builder, 0, 0, 1, 0);
    add(builder, 0, 0, 0, 0.5);
    add(builder, 0, 0, 2, 0.25);
    add(builder, 1, 0, 1, 1);
    add(builder, 2, 0, 0, 1);
    lgkt_mdp *mdp = build(builder);
    const lgkt_row row = lgkt_mdp_row(mdp, 0, 0);
    assert_int_equal(row.n, 2);
    assert_int_equal(row.next[1], 2);
    assert_close(row.p[1], 0.5, 0);

    // the builder goes on, and the model does not see it
    add(builder, 0, 0, 1, 1e-7);
    lgkt_mdp *more = build(builder);
    assert_int_equal(lgkt_mdp_row(more, 0, 0).n, 3);
    assert_int_equal(lgkt_mdp_row(mdp, 0, 0).n, 2);
    lgkt_mdp_builder_destroy(builder);
    assert_close(lgkt_mdp_row(mdp, 0, 0).p[0], 0.5, 0);
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_destroy(more);
}

static void rows_are_normalised_unless_they_sum_to_one(void **state)
{
    (void)state;
    lgkt_mdp_builder *builder = new_builder(2, 2);
    add(builder, 0, 0, 0, 0.3);
    add(builder, 0, 0, 1, 0.7);
    add(builder, 0, 1, 0, 0.5000001);
    add(builder, 0, 1, 1, 0.5000001);
    add(builder, 1, 0, 0, 0.9999995);
    add(builder, 1, 1, 1, 1);
    lgkt_mdp *mdp = build(builder);
    // 0.3 + 0.7 is exactly 1 in doubles
    assert_true(lgkt_mdp_row(mdp, 0, 0).p[0] == 0.3 && lgkt_mdp_row(mdp, 0, 0).p[1] == 0.7);
    assert_true(lgkt_mdp_row(mdp, 0, 1).p[0] == 0.5);
    assert_true(lgkt_mdp_row(mdp, 1, 0).p[0] == 1);
    lgkt_mdp_builder_destroy(builder);
    lgkt_mdp_destroy(mdp);
}

static void a_large_dense_model_is_built(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "large", 0);
    lgkt_mdp *mdp = model_random(&rng, 100, 25, 0.01);
    assert_int_equal(lgkt_mdp_states(mdp), 100);
    for (int32_t a = 0; a < 25; a++)
        assert_between(lgkt_mdp_row(mdp, 99, a).n, 1, 100);
    lgkt_mdp_destroy(mdp);
}

static void many_states_need_little_memory(void **state)
{
    (void)state;
    enum { S = 200000 };
    fault f;
    fault_init(&f);
    const lgkt_allocator hooks = fault_allocator(&f);
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    assert_ok(lgkt_mdp_builder_create(S, 1, &hooks, &builder, &error), error);
    for (int32_t s = S - 1; s >= 0; s--)
        add(builder, s, 0, (s + 1) % S, 1);
    lgkt_mdp *mdp = build(builder);
    lgkt_mdp_builder_destroy(builder);
    assert_int_equal(lgkt_mdp_row(mdp, S - 1, 0).next[0], 0);
    lgkt_mdp_destroy(mdp);
    assert_true(fault_is_clean(&f));
    // 200 bytes per edge while it is built, not S of them
    assert_true(atomic_load(&f.peak) < 200LL * S);
}

static void the_last_start_counts(void **state)
{
    (void)state;
    lgkt_mdp_builder *builder = new_builder(3, 1);
    const double law[] = {0.25, 0.75, 1e-7}, certain[] = {0, 0, 1};
    for (int32_t s = 0; s < 3; s++)
        add(builder, s, 0, 0, 1);
    assert_int_equal(lgkt_mdp_builder_start_law(builder, law), LGKT_OK);
    lgkt_mdp *spread = build(builder);
    assert_int_equal(lgkt_mdp_builder_start(builder, 1), LGKT_OK);
    lgkt_mdp *fixed = build(builder);
    assert_int_equal(lgkt_mdp_builder_start_law(builder, certain), LGKT_OK);
    lgkt_mdp *sure = build(builder);
    assert_int_equal(lgkt_mdp_start(spread), -1);
    assert_close(lgkt_mdp_start_law(spread)[1], 0.75 / (1 + 1e-7), 1e-16);
    assert_int_equal(lgkt_mdp_start(fixed), 1);
    assert_close(lgkt_mdp_start_law(fixed)[0], 0, 0);
    assert_int_equal(lgkt_mdp_start(sure), 2);
    lgkt_mdp_builder_destroy(builder);
    lgkt_mdp_destroy(spread);
    lgkt_mdp_destroy(fixed);
    lgkt_mdp_destroy(sure);
}

// ---- noise ----

static double scale_of(lgkt_noise kind, double sd, double low, double high)
{
    lgkt_mdp_builder *builder = new_builder(1, 2);
    add(builder, 0, 0, 0, 1);
    add(builder, 0, 1, 0, 1);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 0, 0, low), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 0, 1, high), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, kind, sd), LGKT_OK);
    lgkt_mdp *mdp = build(builder);
    assert_int_equal(lgkt_mdp_noise(mdp), kind);
    assert_close(lgkt_mdp_reward_min(mdp), low, 0);
    assert_close(lgkt_mdp_reward_max(mdp), high, 0);
    const double scale = lgkt_mdp_noise_sd(mdp);
    lgkt_mdp_builder_destroy(builder);
    lgkt_mdp_destroy(mdp);
    return scale;
}

static void the_scale_of_each_noise(void **state)
{
    (void)state;
    assert_close(scale_of(LGKT_NOISE_NONE, 3, -1, 2), 0, 0);
    assert_close(scale_of(LGKT_NOISE_NORMAL, 0.7, -1, 2), 0.7, 0);
    assert_close(scale_of(LGKT_NOISE_NORMAL, 0, -1, 2), 0, 0);
    assert_close(scale_of(LGKT_NOISE_BERNOULLI, NAN, 0, 1), 0.5, 0);
    assert_close(scale_of(LGKT_NOISE_DRIFTING, 0, 0.2, 0.4), 0.9, 0);
    // the two points are -1 and 3
    assert_close(scale_of(LGKT_NOISE_DRIFTING, 0, -1, 3), 2, 0);
}

// ---- refusals ----

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp_builder *b = NULL;
    assert_refused(lgkt_mdp_builder_create(2, 2, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "builder is NULL");
    assert_refused(lgkt_mdp_builder_create(0, 2, NULL, &b, &error), LGKT_ERR_SHAPE, error,
                   "0 states; allowed are 1 to 16777216");
    assert_refused(lgkt_mdp_builder_create((1 << 24) + 1, 1, NULL, &b, &error), LGKT_ERR_SHAPE,
                   error, "16777217 states");
    assert_refused(lgkt_mdp_builder_create(2, -1, NULL, &b, &error), LGKT_ERR_SHAPE, error,
                   "-1 actions; allowed are 1 to 65536");
    assert_refused(lgkt_mdp_builder_create(2, 65537, NULL, &b, &error), LGKT_ERR_SHAPE, error,
                   "65537 actions");
    assert_refused(lgkt_mdp_builder_create(1 << 24, 17, NULL, &b, &error), LGKT_ERR_SHAPE, error,
                   "allowed are 268435456 pairs");
    assert_null(b);
    assert_int_equal(lgkt_mdp_builder_create(0, 0, NULL, &b, NULL), LGKT_ERR_SHAPE);
}

static void bad_edges_and_rewards_are_refused(void **state)
{
    (void)state;
    lgkt_mdp_builder *b = new_builder(4, 2);
    assert_builder_refused(lgkt_mdp_builder_edge(NULL, 0, 0, 0, 1), NULL, LGKT_ERR_ARGUMENT,
                           "builder must not be NULL");
    assert_builder_refused(lgkt_mdp_builder_edge(b, 4, 0, 0, 1), b, LGKT_ERR_ARGUMENT,
                           "state 4 is out of range [0, 3]");
    assert_builder_refused(lgkt_mdp_builder_edge(b, 3, 2, 0, 1), b, LGKT_ERR_ARGUMENT,
                           "action 2 is out of range [0, 1]");
    assert_builder_refused(lgkt_mdp_builder_edge(b, 3, 1, -1, 1), b, LGKT_ERR_ARGUMENT,
                           "next state -1 is out of range [0, 3]");
    assert_builder_refused(lgkt_mdp_builder_edge(b, 3, 1, 2, -0.1), b, LGKT_ERR_PROBABILITY,
                           "negative probability -0.1 at (3, 1) -> 2");
    assert_builder_refused(lgkt_mdp_builder_edge(b, 3, 1, 2, NAN), b, LGKT_ERR_NOT_FINITE,
                           "at (3, 1) -> 2");
    assert_builder_refused(lgkt_mdp_builder_edge(b, 3, 1, 2, INFINITY), b, LGKT_ERR_NOT_FINITE,
                           "probability inf");
    assert_builder_refused(lgkt_mdp_builder_reward(b, -1, 0, 1), b, LGKT_ERR_ARGUMENT, "state -1");
    assert_builder_refused(lgkt_mdp_builder_reward(b, 1, 5, 1), b, LGKT_ERR_ARGUMENT, "action 5");
    assert_builder_refused(lgkt_mdp_builder_reward(b, 1, 1, -INFINITY), b, LGKT_ERR_NOT_FINITE,
                           "reward -inf at (1, 1)");
    lgkt_mdp_builder_destroy(b);
    lgkt_mdp_builder_destroy(NULL);
}

static void a_refused_row_leaves_no_trace(void **state)
{
    (void)state;
    lgkt_mdp_builder *b = new_builder(2, 1);
    const double bad[] = {1, -1}, good[] = {0.5, 0.5};
    assert_builder_refused(lgkt_mdp_builder_row(b, 0, 0, bad), b, LGKT_ERR_PROBABILITY,
                           "negative probability -1 at (0, 0) -> 1");
    assert_builder_refused(lgkt_mdp_builder_row(b, 0, 0, NULL), b, LGKT_ERR_ARGUMENT, "p is NULL");
    assert_builder_refused(lgkt_mdp_builder_row(b, 2, 0, good), b, LGKT_ERR_ARGUMENT, "state 2");
    assert_int_equal(lgkt_mdp_builder_row(b, 0, 0, good), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_row(b, 1, 0, good), LGKT_OK);
    lgkt_mdp *mdp = build(b);
    assert_close(lgkt_mdp_row(mdp, 0, 0).p[0], 0.5, 0);
    lgkt_mdp_builder_destroy(b);
    lgkt_mdp_destroy(mdp);
}

static void bad_starts_and_noise_are_refused(void **state)
{
    (void)state;
    lgkt_mdp_builder *b = new_builder(2, 1);
    const double low[] = {0.5, 0.4}, negative[] = {1.5, -0.5}, nan[] = {NAN, 1};
    assert_builder_refused(lgkt_mdp_builder_start(b, 2), b, LGKT_ERR_ARGUMENT,
                           "start state 2 is out of range [0, 1]");
    assert_builder_refused(lgkt_mdp_builder_start_law(b, low), b, LGKT_ERR_PROBABILITY,
                           "the start law sums to 0.9; it must be 1 within 1e-06");
    assert_builder_refused(lgkt_mdp_builder_start_law(b, negative), b, LGKT_ERR_PROBABILITY,
                           "negative probability -0.5 of state 1");
    assert_builder_refused(lgkt_mdp_builder_start_law(b, nan), b, LGKT_ERR_NOT_FINITE,
                           "of state 0");
    assert_builder_refused(lgkt_mdp_builder_start_law(b, NULL), b, LGKT_ERR_ARGUMENT, "p is NULL");
    assert_builder_refused(lgkt_mdp_builder_noise(NULL, LGKT_NOISE_NONE, 0), NULL,
                           LGKT_ERR_ARGUMENT, "builder must not be NULL");
    assert_builder_refused(lgkt_mdp_builder_noise(b, (lgkt_noise)4, 0), b, LGKT_ERR_ARGUMENT,
                           "noise kind 4");
    assert_builder_refused(lgkt_mdp_builder_noise(b, LGKT_NOISE_NORMAL, -1), b, LGKT_ERR_ARGUMENT,
                           "noise sd -1; it must be >= 0");
    assert_builder_refused(lgkt_mdp_builder_noise(b, LGKT_NOISE_NORMAL, NAN), b,
                           LGKT_ERR_NOT_FINITE, "noise sd");
    lgkt_mdp_builder_destroy(b);
}

static void a_build_names_the_row(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = NULL;
    lgkt_mdp_builder *b = new_builder(4, 2);
    for (int32_t s = 0; s < 4; s++)
        add(b, s, 0, 0, 1);
    for (int32_t s = 0; s < 3; s++)
        add(b, s, 1, 0, 1);
    assert_refused(lgkt_mdp_builder_build(b, &mdp, &error), LGKT_ERR_PROBABILITY, error,
                   "row (state 3, action 1) sums to 0; it must be 1 within 1e-06");
    add(b, 3, 1, 0, 0.9);
    assert_refused(lgkt_mdp_builder_build(b, &mdp, &error), LGKT_ERR_PROBABILITY, error,
                   "row (state 3, action 1) sums to 0.9; it must be 1 within 1e-06");
    add(b, 3, 1, 1, 0.1);
    assert_int_equal(lgkt_mdp_builder_reward(b, 2, 1, 1.5), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(b, LGKT_NOISE_BERNOULLI, 0), LGKT_OK);
    assert_refused(lgkt_mdp_builder_build(b, &mdp, &error), LGKT_ERR_ARGUMENT, error,
                   "reward 1.5 of (state 2, action 1); Bernoulli noise needs 0 to 1");
    assert_refused(lgkt_mdp_builder_build(b, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "mdp is NULL");
    assert_refused(lgkt_mdp_builder_build(NULL, &mdp, &error), LGKT_ERR_ARGUMENT, error,
                   "builder is NULL");
    assert_null(mdp);
    lgkt_mdp_builder_destroy(b);
}

// ---- failing allocations ----

// a model with unsorted edges and small entries, so that every array is made
static lgkt_status make_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    (void)ctx;
    lgkt_mdp_builder *b = NULL;
    lgkt_mdp *mdp = NULL;
    const double row[] = {0.5, 0.5, 1e-20};
    lgkt_status status = lgkt_mdp_builder_create(3, 2, allocator, &b, error);
    for (int32_t z = 5; status == LGKT_OK && z >= 0; z--)
        status = lgkt_mdp_builder_row(b, z / 2, z % 2, row);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_edge(b, 0, 0, 1, 1e-8);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(b, &mdp, error);
    else if (b != NULL)
        *error = model_builder_error(b, status);
    lgkt_mdp_builder_destroy(b);
    lgkt_mdp_destroy(mdp);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(fault_sweep(make_all, NULL) >= 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_in_any_order_give_the_same_model),
        cmocka_unit_test(equal_edges_add_up_and_zeros_vanish),
        cmocka_unit_test(rows_are_normalised_unless_they_sum_to_one),
        cmocka_unit_test(a_large_dense_model_is_built),
        cmocka_unit_test(many_states_need_little_memory),
        cmocka_unit_test(the_last_start_counts),
        cmocka_unit_test(the_scale_of_each_noise),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(bad_edges_and_rewards_are_refused),
        cmocka_unit_test(a_refused_row_leaves_no_trace),
        cmocka_unit_test(bad_starts_and_noise_are_refused),
        cmocka_unit_test(a_build_names_the_row),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
