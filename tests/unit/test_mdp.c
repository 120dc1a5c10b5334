// SPDX-License-Identifier: MIT
// A finished model: what is read from it, sharing between threads, its hash, the planning rows.
#include <pthread.h>

#include "mdp/mdp_private.h"
#include "ref/fault.h"
#include "ref/models.h"
#include "test.h"

static void rows_and_rewards_are_what_was_given(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    assert_int_equal(lgkt_mdp_states(mdp), 2);
    assert_int_equal(lgkt_mdp_actions(mdp), 2);
    assert_int_equal(lgkt_mdp_start(mdp), 0);
    assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_NONE);
    assert_close(lgkt_mdp_noise_sd(mdp), 0, 0);
    assert_close(lgkt_mdp_reward_min(mdp), 0, 0);
    assert_close(lgkt_mdp_reward_max(mdp), 2, 0);
    assert_close(lgkt_mdp_reward(mdp, 1, 1), 2, 0);
    assert_close(lgkt_mdp_rewards(mdp)[0], 1, 0);
    const lgkt_row one = lgkt_mdp_row(mdp, 0, 1), two = lgkt_mdp_row(mdp, 1, 1);
    assert_int_equal(one.n, 1);
    assert_int_equal(one.next[0], 1);
    assert_close(one.p[0], 1, 0);
    assert_int_equal(two.n, 2);
    assert_int_equal(two.next[0], 0);
    assert_int_equal(two.next[1], 1);
    assert_close(two.p[1], 0.5, 0);
    assert_close(lgkt_mdp_start_law(mdp)[0], 1, 0);
    assert_close(lgkt_mdp_start_law(mdp)[1], 0, 0);
    lgkt_mdp_destroy(mdp);
}

static void a_law_of_the_start_is_kept(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "start", 0);
    lgkt_mdp *mdp = model_random(&rng, 4, 2, 1);
    assert_int_equal(lgkt_mdp_start(mdp), -1);
    for (int32_t s = 0; s < 4; s++)
        assert_close(lgkt_mdp_start_law(mdp)[s], 0.25, 0);
    lgkt_mdp_destroy(mdp);
}

// ---- planning rows ----

static void small_entries_are_cut_for_planning_only(void **state)
{
    (void)state;
    const double rewards[] = {0, 0, 0};
    const double kernel[] = {0.5, 1e-17, 0.5, 1, 1e-16, 1e-300, 0, 1, 0};
    lgkt_mdp *mdp = model_dense(3, 1, rewards, kernel);
    assert_int_equal(lgkt_mdp_row(mdp, 0, 0).n, 3);
    assert_int_equal(lgkt_mdp_row(mdp, 1, 0).n, 3);
    assert_close(lgkt_mdp_row(mdp, 1, 0).p[2], 1e-300, 0);
    const lgkt_rows *cut = &mdp->planning;
    assert_ptr_not_equal(cut->p, mdp->all.p);
    assert_int_equal(cut->begin[1], 2);
    assert_int_equal(cut->next[0], 0);
    assert_int_equal(cut->next[1], 2);
    assert_int_equal(cut->begin[2], 4);
    assert_close(cut->p[3], 1e-16, 0);
    assert_int_equal(cut->begin[3], 5);
    lgkt_mdp_destroy(mdp);
}

static void without_small_entries_nothing_is_copied(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_riverswim(5, false);
    assert_ptr_equal(mdp->planning.p, mdp->all.p);
    lgkt_mdp_destroy(mdp);
}

static void all_rows_of_a_sparse_model_sum_to_one(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "sparse", 0);
    lgkt_mdp *mdp = model_random(&rng, 60, 3, 0.01);
    int64_t full = 0, cut = 0;
    for (size_t z = 0; z < 180; z++) {
        double sums[2] = {0, 0};
        const lgkt_rows *rows[2] = {&mdp->all, &mdp->planning};
        for (int which = 0; which < 2; which++)
            for (size_t i = rows[which]->begin[z]; i < rows[which]->begin[z + 1]; i++) {
                assert_between(rows[which]->p[i], 5e-324, 1);
                assert_true(i == rows[which]->begin[z] ||
                            rows[which]->next[i] > rows[which]->next[i - 1]);
                sums[which] += rows[which]->p[i];
            }
        assert_close(sums[0], 1, 1e-15);
        assert_close(sums[1], 1, 1e-15);
    }
    full = (int64_t)mdp->all.begin[180];
    cut = (int64_t)mdp->planning.begin[180];
    assert_true(cut < full / 2);
    lgkt_mdp_destroy(mdp);
}

// ---- hash ----

typedef struct variant {
    double reward, p, start, sd;
    lgkt_noise noise;
    int32_t states, actions;
} variant;

static uint64_t hash_of(const variant *v)
{
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *mdp = NULL;
    assert_ok(lgkt_mdp_builder_create(v->states, v->actions, NULL, &builder, &error), error);
    for (int32_t s = 0; s < v->states; s++)
        for (int32_t a = 0; a < v->actions; a++) {
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, 0, v->p), LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, 1, 1 - v->p), LGKT_OK);
        }
    double law[8] = {v->start, 1 - v->start};
    assert_int_equal(lgkt_mdp_builder_start_law(builder, law), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_reward(builder, 1, 0, v->reward), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, v->noise, v->sd), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    const uint64_t hash = lgkt_mdp_hash(mdp);
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_builder_destroy(builder);
    return hash;
}

static void the_hash_sees_every_part(void **state)
{
    (void)state;
    const variant base = {1, 0.5, 1, 0.5, LGKT_NOISE_NORMAL, 2, 2};
    variant others[7] = {base, base, base, base, base, base, base};
    others[0].reward = 0.5;
    others[1].p = 0.25;
    others[2].start = 0.5;
    others[3].sd = 0.25;
    others[4].noise = LGKT_NOISE_NONE;
    others[5].states = 3;
    others[6].actions = 3;
    assert_true(hash_of(&base) == hash_of(&base));
    for (int i = 0; i < 7; i++)
        assert_true(hash_of(&others[i]) != hash_of(&base));
}

// ---- sharing ----

static void the_last_owner_frees(void **state)
{
    (void)state;
    fault f;
    fault_init(&f);
    const lgkt_allocator hooks = fault_allocator(&f);
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *mdp = NULL;
    assert_ok(lgkt_mdp_builder_create(1, 1, &hooks, &builder, &error), error);
    assert_int_equal(lgkt_mdp_builder_edge(builder, 0, 0, 0, 1), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    lgkt_mdp_builder_destroy(builder);
    assert_ptr_equal(lgkt_mdp_retain(mdp), mdp);
    lgkt_mdp_destroy(mdp);
    assert_false(fault_is_clean(&f));
    lgkt_mdp_destroy(mdp);
    assert_true(fault_is_clean(&f));
    lgkt_mdp_destroy(NULL);
    assert_null(lgkt_mdp_retain(NULL));
}

static void *retain_and_destroy(void *model)
{
    const lgkt_mdp *mdp = model;
    for (int i = 0; i < 20000; i++) {
        lgkt_mdp_retain(mdp);
        lgkt_mdp_destroy(mdp);
    }
    lgkt_mdp_destroy(mdp);
    return NULL;
}

static void threads_share_one_model(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    lgkt_mdp *mdp = model_riverswim(6, false);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, retain_and_destroy, (void *)lgkt_mdp_retain(mdp)), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&mdp->owners), 1);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_rewards_are_what_was_given),
        cmocka_unit_test(a_law_of_the_start_is_kept),
        cmocka_unit_test(small_entries_are_cut_for_planning_only),
        cmocka_unit_test(without_small_entries_nothing_is_copied),
        cmocka_unit_test(all_rows_of_a_sparse_model_sum_to_one),
        cmocka_unit_test(the_hash_sees_every_part),
        cmocka_unit_test(the_last_owner_frees),
        cmocka_unit_test(threads_share_one_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
