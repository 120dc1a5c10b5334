// SPDX-License-Identifier: MIT
// Optimistic Q-learning: known numbers, a naive version, when values start to fall, ties, rewards
// of all kinds, and what it shares with the other value tables: the best of a row, reward ranges.

#include "test.h"

#include <stdlib.h>

#include "learners/front/best_action.h"
#include "learners/front/learner_private.h"
#include "learners/model/rewards.h"
#include "ref/chance.h"
#include "ref/learner_run.h"
#include "ref/naive_modelfree.h"

// Q, Qhat and n follow each other in the state of a learner with 2 x 2 pairs
static double q_of(const lgkt_learner *learner, int32_t s, int32_t a)
{
    return modelfree_real(learner, (size_t)(2 * s + a));
}

static double qhat_of(const lgkt_learner *learner, int32_t s, int32_t a)
{
    return modelfree_real(learner, (size_t)(4 + 2 * s + a));
}

// ---- known numbers ----

typedef struct known_run {
    const char *spec;
    double q[3]; // of pair (0,0) after its visits
    double qhat;
} known_run;

// transitions (0,0,.5,1) (1,1,1,0) (0,0,0,0) (0,0,0,0) with H = 9
static void check_known_run(const known_run *known)
{
    lgkt_learner *learner = modelfree_make(known->spec, 2, 2, 100);
    modelfree_force(learner, 0, 0, 0.5, 1, false);
    assert_close(q_of(learner, 0, 0), known->q[0], 1e-9);
    modelfree_force(learner, 1, 1, 1, 0, false);
    assert_close(qhat_of(learner, 1, 1), 9, 1e-9);
    modelfree_force(learner, 0, 0, 0, 0, false);
    assert_close(q_of(learner, 0, 0), known->q[1], 1e-9);
    modelfree_force(learner, 0, 0, 0, 0, false);
    assert_close(q_of(learner, 0, 0), known->q[2], 1e-9);
    assert_close(qhat_of(learner, 0, 0), known->qhat, 1e-9);
    assert_close(qhat_of(learner, 0, 1), 9, 1e-9);
    assert_int_equal(modelfree_whole(learner, 8), 3);
    lgkt_learner_destroy(learner);
}

static void test_known_runs(void **state)
{
    (void)state;
    const known_run runs[] = {
        {"optimistic-q:discount=0.9,c=0.1", {8.9, 8.3655745767, 8.2885999967}, 8.2885999967},
        {"optimistic-q:discount=0.9", {11.6, 10.3466548578, 9.9178181493}, 9},
        {"optimistic-q:discount=0.9,bonus=factor4,c=0.025",
         {8.9, 8.3655745767, 8.2885999967},
         8.2885999967},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        check_known_run(&runs[i]);
    lgkt_learner *learner = modelfree_make(runs[0].spec, 2, 2, 100);
    modelfree_force(learner, 1, 1, 1, 0, false);
    assert_close(q_of(learner, 1, 1), 9.4, 1e-9);
    lgkt_learner_destroy(learner);
}

// T = 20000, S = 6, A = 2, span 2.5, delta 0.05
static void test_known_theory(void **state)
{
    (void)state;
    lgkt_learner *learner = modelfree_make("optimistic-q:bonus=theory,span=2.5", 6, 2, 20000);
    char text[64];
    lgkt_error error = {0};
    assert_ok(lgkt_spec_value(lgkt_learner_spec(learner), "discount", text, sizeof text, &error),
              error);
    const double gamma = strtod(text, NULL), h = 4.886346843884;
    assert_close(gamma, 0.795348133903, 1e-9);
    assert_close(modelfree_real(learner, 0), h, 1e-9);
    // at the first visit alpha = 1, so that Q = r + gamma H + b
    modelfree_force(learner, 0, 0, 0, 1, false);
    assert_close(modelfree_real(learner, 0) - gamma * h, 81.496637736689, 1e-9);
    lgkt_learner_destroy(learner);
    // the span is in units of the rewards
    lgkt_learner *scaled =
        modelfree_make("optimistic-q:bonus=theory,span=25,reward-max=10,reward-sd=5", 6, 2, 20000);
    modelfree_force(scaled, 0, 0, 0, 1, false);
    assert_close(modelfree_real(scaled, 0) - gamma * h, 81.496637736689, 1e-9);
    lgkt_learner_destroy(scaled);
    // a run too short for any horizon
    lgkt_learner *brief = modelfree_make("optimistic-q:bonus=theory", 6, 2, 1);
    assert_close(modelfree_real(brief, 0), 1, 0);
    lgkt_learner_destroy(brief);
}

// ---- when values start to fall ----

static int32_t first_fall(const char *spec)
{
    lgkt_learner *learner = modelfree_make(spec, 2, 2, 10000);
    const double start = qhat_of(learner, 0, 0);
    int32_t visits = 0;
    while (qhat_of(learner, 0, 0) == start && visits < 5000) {
        modelfree_force(learner, 0, 0, 0, 1, false);
        visits++;
    }
    lgkt_learner_destroy(learner);
    return visits;
}

static void test_first_visit_below_the_start(void **state)
{
    (void)state;
    assert_int_equal(first_fall("optimistic-q:discount=0.9"), 13);
    assert_int_equal(first_fall("optimistic-q:discount=0.9,bonus=factor4"), 197);
    assert_int_equal(first_fall("optimistic-q"), 103);
    assert_int_equal(first_fall("optimistic-q:discount=0.99,bonus=factor4"), 1633);
}

// ---- the naive version ----

typedef struct setting {
    const char *spec;
    double h, gamma, bonus; // of the first visit
    double min, max, sd;    // rewards as told
    double cuts;
    bool first;
} setting;

// the action is one that the naive version holds for best; the first of them, if `first`
static void check_choice(const naive_q *naive, int32_t s, int32_t action, bool first)
{
    const long double best = naive_q_value(naive, s, 0);
    assert_true(naive->qhat[naive_q_entry(naive, s, 0, action)] >= best - 1e-9L);
    for (int32_t a = 0; first && a < action; a++)
        assert_true(naive->qhat[naive_q_entry(naive, s, 0, a)] < best);
}

static void check_values(const naive_q *naive, const lgkt_learner *learner)
{
    const size_t pairs = (size_t)(naive->states * naive->actions);
    for (size_t z = 0; z < pairs; z++) {
        assert_close(modelfree_real(learner, z), (double)naive->q[z], 1e-9);
        assert_close(modelfree_real(learner, pairs + z), (double)naive->qhat[z], 1e-9);
        assert_int_equal(modelfree_whole(learner, 2 * pairs + z), naive->n[z]);
    }
}

static void check_setting(const setting *set, uint64_t seed)
{
    const int32_t states = 1 + (int32_t)(seed % 4), actions = 1 + (int32_t)(seed / 2 % 4);
    const double scale = fmax(set->max - set->min, 2 * set->sd);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.seed = seed;
    config.problem = (lgkt_problem){.states = states,
                                    .actions = actions,
                                    .horizon = 500,
                                    .reward_min = set->min,
                                    .reward_max = set->max,
                                    .reward_sd = set->sd};
    lgkt_learner *learner = learner_run_make(set->spec, &config);
    naive_q naive = {.states = states,
                     .actions = actions,
                     .places = 1,
                     .h = set->h,
                     .gamma = set->gamma,
                     .start = set->h * (set->max - set->min) / scale,
                     .bonus = set->bonus,
                     .average = true};
    naive_q_make(&naive);
    lgkt_rng rng = lgkt_rng_stream(seed, "steps", 0);
    int32_t s = 0;
    for (int t = 0; t < 300; t++) {
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        check_choice(&naive, s, action, set->first);
        const double reward = set->min + (set->max - set->min) * lgkt_rng_uniform(&rng);
        const int32_t next = lgkt_rng_below(&rng, states);
        const bool ended = lgkt_rng_bernoulli(&rng, set->cuts);
        assert_int_equal(lgkt_learner_observe(learner, reward, next, ended), LGKT_OK);
        naive_q_learn(&naive, s, 0, action, (reward - set->min) / scale, next, ended);
        if (t % 10 == 0)
            check_values(&naive, learner);
        s = next;
    }
    naive_q_release(&naive);
    lgkt_learner_destroy(learner);
}

static void test_runs_agree_with_a_naive_version(void **state)
{
    (void)state;
    const double theory = 4 * 2 / 6.0 * sqrt(log(2 * 500 / 0.05)); // times sqrt(H)
    const setting settings[] = {
        {"optimistic-q:discount=0.9,c=0.1", 9, 0.9, 0.3, 0, 1, 0.5, 0, false},
        {"optimistic-q:discount=0.5,ties=first", 1, 0.5, 1, -3, 3, 0.25, 0, true},
        {"optimistic-q:discount=0.75,bonus=factor4,c=0.05", 3, 0.75, 0.2 * sqrt(3), 2, 4, 3, 0.2,
         false},
        {"optimistic-q:discount=0.8,bonus=theory,span=2", 5, 0.8, theory * sqrt(5), -3, 3, 0.5, 0.1,
         false},
        {"optimistic-q:discount=0.8,bonus=theory,span=2,c=0.03", 5, 0.8, 0.03 * theory * sqrt(5),
         -3, 3, 0.5, 0.1, false},
        {"optimistic-q:discount=0.9,c=0,ties=first", 9, 0.9, 0, 0, 1, 0, 1, true},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 0; seed < 8; seed++)
            check_setting(&settings[i], seed);
}

// ---- ties ----

// actions 1 and 3 of five fall behind
static void lower_two(lgkt_learner *learner)
{
    modelfree_force(learner, 0, 1, 0, 0, false);
    modelfree_force(learner, 0, 3, 0, 0, false);
}

static void test_ties_are_drawn_or_go_to_the_first(void **state)
{
    (void)state;
    const double all[] = {1, 1, 1, 1, 1}, some[] = {1, 0, 1, 0, 1}, first[] = {1, 0, 0, 0, 0};
    const char *uniform = "optimistic-q:discount=0.9,c=0.1";
    assert_true(modelfree_law(uniform, 5, all, NULL) > CHANCE_LEVEL);
    assert_true(modelfree_law(uniform, 5, some, lower_two) > CHANCE_LEVEL);
    assert_true(modelfree_law("optimistic-q:ties=first", 5, first, NULL) > CHANCE_LEVEL);
}

// ---- the best of a row ----

// kept up to date or computed anew: the same; and as a plain count says
static void test_best_of_a_row(void **state)
{
    (void)state;
    enum { COUNT = 7, STRIDE = 3 };
    lgkt_rng rng = lgkt_rng_stream(1, "row", 0);
    double at[COUNT * STRIDE] = {0};
    const lgkt_action_values row = {.at = at, .stride = STRIDE, .count = COUNT, .slack = 1e-12};
    lgkt_best best = lgkt_best_among(&row, NULL);
    assert_int_equal(best.ties, COUNT);
    for (int i = 0; i < 5000; i++) {
        double *value = &at[lgkt_rng_below(&rng, COUNT) * STRIDE];
        const double before = *value;
        *value = lgkt_rng_below(&rng, 4) + 1e-13 * lgkt_rng_below(&rng, 20);
        lgkt_best_change(&best, &row, before, *value);
        double most = at[0];
        for (int a = 1; a < COUNT; a++)
            most = fmax(most, at[a * STRIDE]);
        int32_t ties = 0, first = -1;
        for (int a = 0; a < COUNT; a++)
            if (at[a * STRIDE] >= most - 1e-12) {
                ties++;
                first = first < 0 ? a : first;
            }
        assert_true(best.value == most && best.ties == ties && best.first == first);
        const int32_t pick = lgkt_best_pick_among(&best, &row, NULL, &rng);
        assert_true(at[pick * STRIDE] >= most - 1e-12);
    }
}

// ---- settings ----

static void test_reward_range(void **state)
{
    (void)state;
    lgkt_learner *learner = modelfree_make("random", 1, 1, 1);
    lgkt_error error = {0};
    lgkt_reward_range range = {NAN, 5, NAN};
    assert_ok(lgkt_reward_range_fill(learner, &range, &error), error);
    assert_true(range.min == 0 && range.max == 5 && range.sd == 0.5);
    learner->problem.reward_min = learner->problem.reward_max = learner->problem.reward_sd = NAN;
    range = (lgkt_reward_range){NAN, NAN, NAN};
    assert_ok(lgkt_reward_range_fill(learner, &range, &error), error);
    assert_true(range.min == 0 && range.max == 1 && range.sd == 0.5);
    range.min = 2;
    assert_refused(lgkt_reward_range_fill(learner, &range, &error), LGKT_ERR_SPEC, error,
                   "random: reward-min=2 is above reward-max=1");
    lgkt_learner_destroy(learner);

    const struct {
        lgkt_reward_range range;
        double scale, top, of_three;
    } maps[] = {
        {{0, 1, 0.5}, 1, 1, 3},
        {{-1, 3, 0.5}, 4, 1, 1},
        {{1, 2, 2}, 4, 0.25, 0.5},
        {{5, 5, 0}, 1, 0, -2},
        {{5, 5, 2}, 4, 0, -0.5},
        {{0, 0, 1e-300}, 2e-300, 0, 1e100},
        {{4, 4, 1e-300}, 2e-300, 0, -1e100},
    };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        const lgkt_reward_map map = lgkt_reward_map_make(&maps[i].range);
        assert_close(map.scale, maps[i].scale, 0);
        assert_close(map.top, maps[i].top, 0);
        assert_close(lgkt_reward_mapped(&map, 3), maps[i].of_three, 0);
    }
}

static void test_bad_settings(void **state)
{
    (void)state;
    modelfree_check_refused("optimistic-q:discount=1", "discount");
    modelfree_check_refused("optimistic-q:discount=-0.1", "discount");
    modelfree_check_refused("optimistic-q:bonus=none", "authors");
    modelfree_check_refused("optimistic-q:c=-1", "c=-1");
    modelfree_check_refused("optimistic-q:span=-1", "span");
    modelfree_check_refused("optimistic-q:delta=0", "delta");
    modelfree_check_refused("optimistic-q:ties=last", "first");
    modelfree_check_refused("optimistic-q:reward-min=2,reward-max=1",
                            "optimistic-q: reward-min=2 is above reward-max=1");
}

// ---- what holds for all of them ----

static const char *const specs[] = {
    "optimistic-q",
    "optimistic-q:discount=0.9,c=0.1",
    "optimistic-q:discount=0.9,bonus=factor4,c=0.01,ties=first",
    "optimistic-q:discount=0.8,bonus=theory",
};

static void test_common(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        modelfree_check_rewards(specs[i]);
        modelfree_check_resume(specs[i]);
        modelfree_check_growth(specs[i]);
        modelfree_check_feed(specs[i]);
    }
    modelfree_check_rewards("optimistic-q:bonus=theory,delta=1");
    modelfree_check_resume("optimistic-q:bonus=theory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_runs),
        cmocka_unit_test(test_known_theory),
        cmocka_unit_test(test_first_visit_below_the_start),
        cmocka_unit_test(test_runs_agree_with_a_naive_version),
        cmocka_unit_test(test_ties_are_drawn_or_go_to_the_first),
        cmocka_unit_test(test_best_of_a_row),
        cmocka_unit_test(test_reward_range),
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
