// SPDX-License-Identifier: MIT
// UCB per state: its index against known numbers and against a plain version, untried arms, ties.
//
// The index is not visible, only which arm has the highest. Where a number is to be checked, the
// mean of a rival is set a little below and a little above what the number says, and the choice
// must flip. Arms are fed from outside (lgkt_learner_feed) and choices asked for without being
// played, so that counts and means can be set at will.

#include "test.h"

#include "learners/front/learner_private.h"
#include "ref/chance.h"

enum { MOST_ARMS = 8 };

typedef enum bound { ANYTIME, UCB1 } bound;

// scale: sigma, or the range of the mean rewards
static lgkt_learner *bandit_make(int32_t states, int32_t actions, bound kind, double scale)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = 1;
    config.problem.reward_min = 3;
    config.problem.reward_max = 3 + (kind == UCB1 ? scale : 77);
    config.problem.reward_sd = kind == UCB1 ? 77 : scale;
    config.seed = 8;
    lgkt_learner *made = NULL;
    lgkt_error error = {0};
    const char *spec = kind == UCB1 ? "ucb:bound=ucb1" : "ucb";
    assert_ok(lgkt_learner_create(spec, &config, &made, &error), error);
    return made;
}

// n plays of the same reward, whose running mean is that number exactly
static void feed(lgkt_learner *b, int32_t state, int32_t action, int64_t n, double reward)
{
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(lgkt_learner_feed(b, state, action, reward, 0, false), LGKT_OK);
}

// the pick, and that it drew `numbers` random numbers
static int32_t pick(lgkt_learner *b, int32_t state, int numbers)
{
    lgkt_rng expected = b->rng;
    const int32_t action = b->act(b, state);
    for (int i = 0; i < numbers; i++)
        lgkt_rng_next(&expected);
    assert_memory_equal(&expected, &b->rng, sizeof expected);
    return action;
}

// ---- numbers ----

// which of arms 0 and 1 is picked for these means and plays; arm 2 is out of the race
static int32_t winner(double mean0, double mean1, const int64_t plays[3], bound kind, double scale)
{
    lgkt_learner *b = bandit_make(2, 3, kind, scale);
    feed(b, 1, 0, plays[0], mean0);
    feed(b, 1, 1, plays[1], mean1);
    feed(b, 1, 2, plays[2], -1e6);
    const int32_t action = pick(b, 1, 0);
    lgkt_learner_destroy(b);
    return action;
}

// index(1) - index(0) = gap for means 0 if arm 0 wins when it gets more than that, and only then
static void check_gap(const int64_t plays[3], bound kind, double scale, double gap)
{
    const double margin = 1e-11;
    assert_int_equal(winner(gap + margin, 0, plays, kind, scale), 0);
    assert_int_equal(winner(gap - margin, 0, plays, kind, scale), 1);
}

// means (.5, .75, .2), plays (10, 4, 3), sigma 1/2 or range 1: the indices are known to 12 digits
static void test_known_indices(void **state)
{
    (void)state;
    const double means[] = {0.5, 0.75, 0.2};
    const double indices[2][3] = {{0.996152083163, 1.534485324316, 1.105845626339},
                                  {1.252756712897, 1.940212868368, 1.574339439890}};
    const int64_t plays[] = {10, 4, 3};
    for (int kind = 0; kind < 2; kind++)
        for (int32_t i = 0; i < 3; i++)
            for (int32_t j = 0; j < 3; j++) {
                if (i == j)
                    continue;
                const int64_t order[] = {plays[i], plays[j], plays[3 - i - j]};
                const double gap = indices[kind][j] - means[j] - (indices[kind][i] - means[i]);
                check_gap(order, (bound)kind, kind == UCB1 ? 1 : 0.5, gap);
            }
}

static long double plain_bonus(int64_t n, int64_t clock, bound kind, double scale)
{
    const long double l = logl((long double)clock);
    const long double log_term = kind == UCB1 ? l : logl(1 + (long double)clock * l * l);
    return scale * sqrtl(2 * log_term / (long double)n);
}

static void test_index_formula_at_many_counts(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "plays", 0);
    for (int i = 0; i < 200; i++) {
        const double scale = (double[]){0.5, 0.05, 2}[i % 3];
        const int64_t plays[] = {1 + lgkt_rng_below(&rng, 300), 1 + lgkt_rng_below(&rng, 30),
                                 1 + lgkt_rng_below(&rng, 3)};
        const int64_t clock = plays[0] + plays[1] + plays[2];
        const bound kind = i % 2 == 0 ? ANYTIME : UCB1;
        check_gap(plays, kind, scale,
                  (double)(plain_bonus(plays[1], clock, kind, scale) -
                           plain_bonus(plays[0], clock, kind, scale)));
    }
}

// the clock is the plays of the state: what happens elsewhere does not move the index
static void test_clock_is_the_states_own(void **state)
{
    (void)state;
    const double gap =
        (double)(plain_bonus(4, 14, ANYTIME, 0.5) - plain_bonus(10, 14, ANYTIME, 0.5));
    for (int side = -1; side <= 1; side += 2) {
        lgkt_learner *b = bandit_make(3, 2, ANYTIME, 0.5);
        feed(b, 0, 0, 5000, 1);
        feed(b, 2, 1, 5000, 1);
        feed(b, 1, 0, 10, gap + side * 1e-11);
        feed(b, 1, 1, 4, 0);
        feed(b, 0, 1, 77, 1);
        assert_int_equal(pick(b, 1, 0), side > 0 ? 0 : 1);
        lgkt_learner_destroy(b);
    }
}

// ---- whole runs ----

typedef struct plain_arm {
    double sum;
    int64_t n;
} plain_arm;

// the best index, and in close[] the arms within `slack` of it; returns how many those are
static int32_t plain_best(const plain_arm *arms, int32_t count, int64_t clock, double sd,
                          double slack, int32_t *close)
{
    long double index[MOST_ARMS], best = -INFINITY;
    for (int32_t a = 0; a < count; a++) {
        index[a] = arms[a].n == 0 ? INFINITY
                                  : arms[a].sum / (double)arms[a].n +
                                        plain_bonus(arms[a].n, clock, ANYTIME, sd);
        best = index[a] > best ? index[a] : best;
    }
    int32_t found = 0;
    for (int32_t a = 0; a < count; a++)
        if (index[a] == best || index[a] > best - slack)
            close[found++] = a;
    return found;
}

// Rewards are 0, 1/4, 1/2, .. by arm and never change, so that equal indices are equal exactly and
// the draw among them can be foretold.
static void test_runs_with_ties_agree_with_a_plain_version(void **state)
{
    (void)state;
    for (int32_t i = 0; i < 40; i++) {
        const int32_t count = 1 + i % MOST_ARMS;
        const double sd = (double[]){0.5, 0, 1}[i % 3];
        lgkt_learner *b = bandit_make(1, count, ANYTIME, sd);
        plain_arm arms[MOST_ARMS] = {{0}};
        for (int64_t t = 0; t < 150; t++) {
            int32_t close[MOST_ARMS];
            lgkt_rng rng = b->rng;
            const int32_t found = plain_best(arms, count, t, sd, 1e-12, close);
            const int32_t left = found > 1 ? (int32_t)(lgkt_rng_uniform(&rng) * found) : 0;
            const int32_t action = pick(b, 0, found > 1);
            assert_int_equal(action, close[left]);
            const double reward = 0.25 * (action / 2);
            feed(b, 0, action, 1, reward);
            arms[action].n++;
            arms[action].sum += reward;
        }
        lgkt_learner_destroy(b);
    }
}

static void test_noisy_runs_agree_with_a_plain_version(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "noise", 0);
    lgkt_learner *b = bandit_make(2, MOST_ARMS, ANYTIME, 0.5);
    plain_arm arms[2][MOST_ARMS] = {{{0}}};
    int64_t clock[2] = {0};
    for (int t = 0; t < 4000; t++) {
        const int32_t s = lgkt_rng_below(&rng, 2);
        int32_t close[MOST_ARMS];
        const int32_t found = plain_best(arms[s], MOST_ARMS, clock[s], 0.5, 1e-9, close);
        const int32_t action = b->act(b, s);
        bool known = false;
        for (int32_t i = 0; i < found; i++)
            known = known || close[i] == action;
        assert_true(known);
        const double reward = 0.1 * action + 0.5 * lgkt_rng_normal(&rng);
        feed(b, s, action, 1, reward);
        arms[s][action].n++;
        arms[s][action].sum += reward;
        clock[s]++;
    }
    lgkt_learner_destroy(b);
}

// ---- draws ----

static void check_law(lgkt_learner *b, const double law[MOST_ARMS])
{
    int64_t counts[MOST_ARMS] = {0};
    for (int i = 0; i < 8000; i++)
        counts[pick(b, 0, 1)]++;
    // false alarm: CHANCE_LEVEL = 1e-7
    assert_true(chance_law_p_value(counts, law, MOST_ARMS) > CHANCE_LEVEL);
}

static void test_untried_arms_go_first_and_ties_are_drawn(void **state)
{
    (void)state;
    const double all[MOST_ARMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    const double some[MOST_ARMS] = {0, 1, 0, 1, 1, 0, 0, 1};
    lgkt_learner *b = bandit_make(1, MOST_ARMS, ANYTIME, 0.5);
    check_law(b, all);
    for (int32_t a = 0; a < MOST_ARMS; a++)
        if (some[a] == 0)
            feed(b, 0, a, 3, 1e9);
    check_law(b, some);
    // one untried arm needs no draw
    for (int32_t a = 0; a < MOST_ARMS - 1; a++)
        if (some[a] == 1)
            feed(b, 0, a, 3, 2e9);
    assert_int_equal(pick(b, 0, 0), MOST_ARMS - 1);
    feed(b, 0, MOST_ARMS - 1, 3, 2e9);
    check_law(b, some);
    lgkt_learner_destroy(b);
}

static void test_no_noise_is_greedy(void **state)
{
    (void)state;
    lgkt_learner *b = bandit_make(1, 3, ANYTIME, 0);
    feed(b, 0, 0, 1, 0.5);
    feed(b, 0, 1, 1000, 0.5 + 1e-9);
    feed(b, 0, 2, 1, -3);
    assert_int_equal(pick(b, 0, 0), 1);
    lgkt_learner_destroy(b);
}

static void test_one_arm_is_played_without_a_draw(void **state)
{
    (void)state;
    lgkt_learner *b = bandit_make(1, 1, ANYTIME, 0.5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(pick(b, 0, 0), 0);
        feed(b, 0, 0, 1, -1);
    }
    lgkt_learner_destroy(b);
}

// ---- settings ----

// what a spec sets goes before what the problem says, and that before the defaults
static void test_scales_come_from_spec_or_problem(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *words;
        double told;
    } cases[] = {
        {"ucb", "reward-min=0,reward-max=1,reward-sd=0.5", NAN},
        {"ucb", "reward-min=0.25,reward-max=0.25,reward-sd=0.25", 0.25},
        {"ucb:reward-sd=2,reward-max=7,reward-min=-1", "reward-min=-1,reward-max=7,reward-sd=2",
         0.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem = (lgkt_problem){.states = 1,
                                        .actions = 2,
                                        .horizon = 9,
                                        .reward_min = cases[i].told,
                                        .reward_max = cases[i].told,
                                        .reward_sd = cases[i].told};
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_ok(lgkt_learner_create(cases[i].spec, &config, &learner, &error), error);
        assert_non_null(strstr(lgkt_learner_spec(learner), cases[i].words));
        lgkt_learner_destroy(learner);
        assert_refused(
            lgkt_learner_create("ucb:reward-min=2,reward-max=1.5", &config, &learner, &error),
            LGKT_ERR_SPEC, error, "reward-min=2 is above reward-max=1.5");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_indices),
        cmocka_unit_test(test_index_formula_at_many_counts),
        cmocka_unit_test(test_clock_is_the_states_own),
        cmocka_unit_test(test_runs_with_ties_agree_with_a_plain_version),
        cmocka_unit_test(test_noisy_runs_agree_with_a_plain_version),
        cmocka_unit_test(test_untried_arms_go_first_and_ties_are_drawn),
        cmocka_unit_test(test_no_noise_is_greedy),
        cmocka_unit_test(test_one_arm_is_played_without_a_draw),
        cmocka_unit_test(test_scales_come_from_spec_or_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
