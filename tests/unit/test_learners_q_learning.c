// SPDX-License-Identifier: MIT
// Q-learning with Hoeffding bonuses: known numbers, a naive version, when values start to fall,
// pieces and cuts, who may be fed.

#include "test.h"

#include "ref/chance.h"
#include "ref/learner_run.h"
#include "ref/naive_modelfree.h"

// Q_h(s,a) comes at (s, h, a), h from 1
static double q_of(const lgkt_learner *learner, int32_t h, int32_t actions, int32_t s, int32_t step,
                   int32_t a)
{
    return modelfree_real(learner, (size_t)((s * h + step - 1) * actions + a));
}

// ---- known numbers ----

// S = A = 2, T = 1000, delta = 0.01, c = 0.05: transitions (0,0,.5,1)(1,1,1,0)(0,0,0,0)(0,0,1,1)
static void test_known_run_of_two_steps(void **state)
{
    (void)state;
    lgkt_learner *learner = modelfree_make("q-learning:h=2,c=0.05", 2, 2, 1000);
    modelfree_force(learner, 0, 0, 0.5, 1, false);
    assert_close(q_of(learner, 2, 2, 0, 1, 0), 3.00792164, 5e-9);
    modelfree_force(learner, 1, 1, 1, 0, false);
    assert_close(q_of(learner, 2, 2, 1, 2, 1), 1.50792164, 5e-9);
    modelfree_force(learner, 0, 0, 0, 0, false);
    assert_close(q_of(learner, 2, 2, 0, 1, 0), 2.52134654, 5e-9);
    modelfree_force(learner, 0, 0, 1, 1, false);
    assert_close(q_of(learner, 2, 2, 0, 2, 0), 1.50792164, 5e-9);
    for (int32_t s = 0; s < 2; s++)
        for (int32_t step = 1; step <= 2; step++)
            assert_true(fmax(q_of(learner, 2, 2, s, step, 0), q_of(learner, 2, 2, s, step, 1)) >=
                        2);
    lgkt_learner_destroy(learner);
}

static void test_known_run_of_one_step(void **state)
{
    (void)state;
    const double rewards[] = {1, 0, 1}, expected[] = {1.17957742, 0.47784608, 0.79076258};
    lgkt_learner *learner = modelfree_make("q-learning:h=1,c=0.05", 2, 2, 1000);
    for (int i = 0; i < 3; i++) {
        modelfree_force(learner, 0, 0, rewards[i], 0, false);
        assert_close(q_of(learner, 1, 2, 0, 1, 0), expected[i], 5e-9);
    }
    lgkt_learner_destroy(learner);
}

// iota = 12.899219826090: with c = 1 and r = 0 the first target is sqrt(iota)
static void test_logarithm(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        double states;
    } cases[] = {{"q-learning:h=1", 2}, {"q-learning:h=1,iota-states=100000", 100000}};
    for (size_t i = 0; i < 2; i++) {
        lgkt_learner *learner = modelfree_make(cases[i].spec, 2, 2, 1000);
        modelfree_force(learner, 0, 0, 0, 0, false);
        const double first = q_of(learner, 1, 2, 0, 1, 0);
        assert_close(first, sqrt(log(cases[i].states * 2 * 1000 / 0.01)), 1e-12);
        if (i == 0)
            assert_close(first * first, 12.899219826090, 1e-9);
        lgkt_learner_destroy(learner);
    }
    // states that become known one by one: their limit counts
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = 2;
    config.problem.horizon = 1000;
    lgkt_keyed_config limits = lgkt_keyed_config_default();
    limits.state_limit = 77;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    int32_t action;
    assert_ok(lgkt_keyed_create("q-learning:h=1", &config, &limits, &keyed, &error), error);
    assert_int_equal(lgkt_keyed_act(keyed, "a", 1, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_keyed_observe(keyed, 0, "b", 1, false), LGKT_OK);
    assert_close(q_of(lgkt_keyed_learner(keyed), 1, 2, 0, 1, action),
                 sqrt(log(77.0 * 2 * 1000 / 0.01)), 1e-12);
    lgkt_keyed_destroy(keyed);
}

// ---- when values start to fall ----

// visits of (0, h, 0) with r = 0 until Q_h is below H; all steps before h are cut short
static int32_t first_fall(const char *spec, int32_t h, int32_t step, int32_t most)
{
    lgkt_learner *learner = modelfree_make(spec, 5, 2, 20000);
    int32_t visits = 0;
    do {
        // lead to the place in state 1, whose values do not matter
        for (int32_t before = 1; before < step; before++)
            modelfree_force(learner, 1, 0, 0, 0, false);
        modelfree_force(learner, 0, 0, 0, 2, false);
        for (int32_t after = step; after < h; after++)
            modelfree_force(learner, 1, 0, 0, 0, false);
        visits++;
    } while (q_of(learner, h, 2, 0, step, 0) >= h && visits < most);
    lgkt_learner_destroy(learner);
    return visits;
}

static void test_first_visit_below_the_start(void **state)
{
    (void)state;
    assert_int_equal(first_fall("q-learning:h=1", 1, 1, 100), 30);
    assert_int_equal(first_fall("q-learning:h=1,iota-states=100000", 1, 1, 100), 47);
    assert_int_equal(first_fall("q-learning:h=10", 10, 10, 400), 185);
    assert_int_equal(first_fall("q-learning:h=10,iota-states=100000", 10, 10, 400), 294);
    assert_int_equal(first_fall("q-learning:h=10", 10, 9, 500), 500);
}

// ---- the naive version ----

typedef struct setting {
    const char *spec;
    int32_t h;
    double c, states;    // states 0: the true number
    double min, max, sd; // rewards as told
    double cuts;
} setting;

static void check_values(const naive_q *naive, const lgkt_learner *learner, int32_t place)
{
    const size_t entries = (size_t)(naive->states * naive->places * naive->actions);
    for (size_t e = 0; e < entries; e++) {
        assert_close(modelfree_real(learner, e), (double)naive->q[e], 1e-9);
        assert_int_equal(modelfree_whole(learner, entries + e), naive->n[e]);
    }
    assert_int_equal(modelfree_whole(learner, 2 * entries), place);
}

static void check_setting(const setting *set, uint64_t seed)
{
    const int32_t states = 1 + (int32_t)(seed % 4), actions = 1 + (int32_t)(seed / 2 % 4);
    const double scale = fmax(set->max - set->min, 2 * set->sd);
    const double iota = log((set->states > 0 ? set->states : states) * actions * 500 / 0.01);
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
                     .places = set->h,
                     .h = set->h,
                     .start = set->h * (set->max - set->min) / scale,
                     .bonus = set->c * sqrt(pow(set->h, 3) * iota)};
    naive_q_make(&naive);
    lgkt_rng rng = lgkt_rng_stream(seed, "steps", 0);
    int32_t s = 0, place = 0;
    for (int t = 0; t < 300; t++) {
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        assert_true(naive.q[naive_q_entry(&naive, s, place, action)] >=
                    naive_q_value(&naive, s, place) - 1e-9L);
        const double reward = set->min + (set->max - set->min) * lgkt_rng_uniform(&rng);
        const int32_t next = lgkt_rng_below(&rng, states);
        const bool ended = lgkt_rng_bernoulli(&rng, set->cuts);
        assert_int_equal(lgkt_learner_observe(learner, reward, next, ended), LGKT_OK);
        naive_q_learn(&naive, s, place, action, (reward - set->min) / scale, next, ended);
        place = ended ? 0 : (place + 1) % set->h;
        if (t % 10 == 0)
            check_values(&naive, learner, place);
        s = next;
    }
    naive_q_release(&naive);
    lgkt_learner_destroy(learner);
}

static void test_runs_agree_with_a_naive_version(void **state)
{
    (void)state;
    const setting settings[] = {
        {"q-learning:h=1", 1, 1, 0, 0, 1, 0.5, 0},
        {"q-learning:h=1,c=0.05,iota-states=100000", 1, 0.05, 100000, -3, 3, 0.25, 0.1},
        {"q-learning:h=3,c=0.01", 3, 0.01, 0, 2, 4, 3, 0},
        {"q-learning:h=4,c=0", 4, 0, 0, -1, 0, 0.1, 0.3},
        {"q-learning:h=10,c=0.002", 10, 0.002, 0, 0, 10, 0, 0.05},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 0; seed < 8; seed++)
            check_setting(&settings[i], seed);
}

// ---- ties ----

// actions 1 and 3 of five fall behind
static void lower_two(lgkt_learner *learner)
{
    modelfree_force(learner, 0, 1, -5, 0, false);
    modelfree_force(learner, 0, 3, -5, 0, false);
}

static void test_ties_are_drawn(void **state)
{
    (void)state;
    const double all[] = {1, 1, 1, 1, 1}, some[] = {1, 0, 1, 0, 1};
    assert_true(modelfree_law("q-learning", 5, all, NULL) > CHANCE_LEVEL);
    assert_true(modelfree_law("q-learning:h=1", 5, some, lower_two) > CHANCE_LEVEL);
}

// ---- who may be fed ----

static void test_longer_pieces_cannot_be_fed(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 10);
    lgkt_learner *learner = learner_run_make("q-learning:h=2", &config);
    const uint64_t hash = lgkt_learner_hash(learner);
    assert_int_equal(lgkt_learner_feed(learner, 0, 0, 0, 0, false), LGKT_ERR_UNSUPPORTED);
    assert_non_null(
        strstr(lgkt_learner_message(learner), "\"q-learning\" cannot learn from steps"));
    assert_non_null(strstr(lgkt_learner_message(learner), "h > 1"));
    assert_true(lgkt_learner_hash(learner) == hash);
    lgkt_learner_destroy(learner);

    modelfree_check_refused("lg1t-rl:rl=q-learning", "\"q-learning\" cannot serve \"lg1t-rl\"");
    modelfree_check_refused("lg1t-rl:rl=(q-learning:h=10)", "h > 1");
    modelfree_check_refused("lgkt:k=3,sampler=(q-learning:h=2)", "h > 1");
    modelfree_check_resume("lg1t-rl:cutoff=100,rl=(q-learning:h=1)");
    modelfree_check_resume("lgkt:k=2,sampler=(q-learning:h=1)");
}

static void test_bad_settings(void **state)
{
    (void)state;
    modelfree_check_refused("q-learning:h=0", "h=0");
    modelfree_check_refused("q-learning:h=1001", "h=1001");
    modelfree_check_refused("q-learning:c=-1", "c=-1");
    modelfree_check_refused("q-learning:delta=0", "delta");
    modelfree_check_refused("q-learning:delta=2", "delta");
    modelfree_check_refused("q-learning:iota-states=-1", "iota-states");
    modelfree_check_refused("q-learning:reward-min=2,reward-max=1",
                            "q-learning: reward-min=2 is above reward-max=1");
}

// ---- what holds for all of them ----

static void test_common(void **state)
{
    (void)state;
    const char *const specs[] = {"q-learning:h=1,c=0.1,iota-states=5",
                                 "q-learning:h=10,c=0.01,iota-states=5",
                                 "q-learning:iota-states=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        modelfree_check_rewards(specs[i]);
        modelfree_check_resume(specs[i]);
        modelfree_check_growth(specs[i]);
    }
    modelfree_check_feed(specs[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_run_of_two_steps),
        cmocka_unit_test(test_known_run_of_one_step),
        cmocka_unit_test(test_logarithm),
        cmocka_unit_test(test_first_visit_below_the_start),
        cmocka_unit_test(test_runs_agree_with_a_naive_version),
        cmocka_unit_test(test_ties_are_drawn),
        cmocka_unit_test(test_longer_pieces_cannot_be_fed),
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
