// SPDX-License-Identifier: MIT
// Quests of `auto`: each formula of quest.c by numbers worked out by hand, and what becomes of runs
// where something has to be found, or where a range is told that is wrong. The learner as a whole is
// compared with its definition in test_auto.c.

#include "test.h"

#include "learners/auto/auto.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"
#include "ref/saved_bytes.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static lgkt_env *make_env(const char *spec, uint64_t seed)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    return env_run_make(spec, &config);
}

static lgkt_learner *make_learner(const char *spec, const lgkt_env *env, int64_t steps, bool told)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, steps);
    if (!told)
        config.problem.reward_min = config.problem.reward_max = NAN;
    config.seed = 5;
    return learner_run_make(spec, &config);
}

// ---- formulas, by numbers worked out by hand ----

#define L 1000.0 // steps left

static lgkt_quests start(void)
{
    lgkt_quests quests = {.alpha = 1, .alpha_reward = 1};
    lgkt_quests_void(&quests);
    return quests;
}

// Ten of twelve states with four actions each are met. Rewards in [0, 1] are told, nothing pays more
// than 0.3, and 0.2 is earned: the prize is min(0.7, 0.8^2/2) = 0.32.
static lgkt_auto_facts usual_facts(void)
{
    return (lgkt_auto_facts){.left = L,
                             .pairs = 48,
                             .states = 12,
                             .known = 10,
                             .usual = 4,
                             .rarity = 3,
                             .top = 1,
                             .bottom = 0,
                             .highest = 0.3,
                             .lowest = 0,
                             .found = 0.3,
                             .gain = 0.2,
                             .differs = true};
}

// WORTH p L prize, of 48 pairs
static double lump_of(double tried, double prize)
{
    return 0.05 / (48 / 0.9 - tried + 1) * L * prize;
}

static void test_chances(void **state)
{
    (void)state;
    lgkt_quests quests = start();
    static const lgkt_quest_step steps[] = {
        {.n = 0, .x = 0.5, .is_new_state = true, .is_record = true}, // a first try is none of them
        {.n = 1, .x = 0, .is_new_state = true},
        {.n = 3, .x = 0.7, .is_record = true},
        {.n = 9, .x = 0.8, .is_record = true},
    };
    for (int i = 0; i < COUNT(steps); i++)
        lgkt_quests_learn(&quests, &steps[i]);
    assert_int_equal(quests.tried, 1);
    // W = 1/2 + 1/4 + 1/10, since alpha was 1 up to here
    const lgkt_auto_facts facts = usual_facts();
    lgkt_quests_settle(&quests, &facts);
    assert_close(quests.alpha, 2 / 1.85, 1e-12);
    assert_close(quests.alpha_reward, 3 / 1.85, 1e-12);
    lgkt_quests_learn(&quests, &(lgkt_quest_step){.n = 4});
    assert_close(quests.tries, 0.85 + 1 / (4 + 2 / 1.85), 1e-12);
}

static void test_prize(void **state)
{
    (void)state;
    static const struct {
        double thrown, top, bottom, lowest, found, gain;
        bool equal;
        double prize;
    } cases[] = {
        {0, 1, 0, 0, 0.3, 0.2, false, 0.32},
        // half, or a quarter, of the time is left: (0.5 - 0.2)^2/(2 0.5), (0.25 - 0.2)^2/(2 0.25)
        {1, 1, 0, 0, 0.3, 0.2, false, 0.09},
        {3, 1, 0, 0, 0.3, 0.2, false, 0.005},
        {4, 1, 0, 0, 0.3, 0.2, false, 0},
        // no more than what is above all that was found
        {0, 1, 0, 0, 0.9, 0.2, false, 0.1},
        {0, 1, 0, 0, 1.1, 0.2, false, 0},
        // what is earned may be beyond the range
        {0, 1, 0, 0, 0.3, 1.2, false, 0},
        {0, 1, 0, 0, 0.3, -3, false, 0.5},
        {1, 1, 0, 0, 0.3, -3, false, 0.25},
        // a bottom that is not told is the lowest reward: (2 - 1)^2/(2 2)
        {0, 1, NAN, -1, 0.1, 0, false, 0.25},
        // in units of the range: (4 - 2)^2/(2 4) of 4
        {0, 2, -2, 0, 0, 0, true, 0.125},
        {0, 0, 0, 0, -1, -1, false, 0},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        lgkt_quests quests = start();
        lgkt_auto_facts facts = usual_facts();
        quests.tried = 20;
        quests.thrown = cases[i].thrown;
        facts.top = cases[i].top;
        facts.bottom = cases[i].bottom;
        facts.lowest = cases[i].lowest;
        facts.found = cases[i].found;
        facts.gain = cases[i].gain;
        facts.differs = !cases[i].equal;
        lgkt_quests_settle(&quests, &facts);
        assert_close(quests.lump, lump_of(20, cases[i].prize), 1e-12);
        assert_true((quests.lump > 0) == (cases[i].prize > 0));
        assert_true(cases[i].prize > 0 || (quests.lump_new == 0 && quests.nu == 0));
    }
}

// What a state never met is worth: its pairs, and those of the states behind it, less what it takes
// to find all of these.
static void test_states_never_met(void **state)
{
    (void)state;
    // 29 pairs tried: nu = 10/30, and 11 untried ones of states that were met
    const double lump = lump_of(29, 0.32), nu = 1 / 3.0;
    static const struct {
        double states, spent, finds;
    } cases[] = {{12, 0, 0}, {12, 0.1, 0}, {12, 0.1, 4}, {40, 0, 0}, {40, 0.001, 2}, {12, 99, 0}};
    for (int i = 0; i < COUNT(cases); i++) {
        lgkt_quests quests = start();
        lgkt_auto_facts facts = usual_facts();
        quests.tried = 29;
        quests.spent = cases[i].spent;
        quests.finds = cases[i].finds;
        facts.states = cases[i].states;
        lgkt_quests_settle(&quests, &facts);
        const double missing = cases[i].states - 10;
        // alpha is 1, and its pairs are those of three first tries
        const double behind = fmax(1, missing / (1 * 3 + 11 * nu + 1));
        const double follow = missing * missing / 2 * cases[i].spent / (cases[i].finds + 1);
        assert_close(quests.nu, nu, 1e-12);
        assert_close(quests.lump, lump, 1e-12);
        assert_close(quests.lump_new, fmax(0, 4 * lump * behind - follow), 1e-9);
        assert_true((quests.lump_new == 0) == (cases[i].spent == 99));
        assert_true((behind > 1) == (cases[i].states == 40));
    }
    // as many states as tried pairs, and more
    lgkt_quests quests = start();
    const lgkt_auto_facts facts = usual_facts();
    quests.tried = 9;
    lgkt_quests_settle(&quests, &facts);
    assert_true(quests.nu == 1);
    quests.tried = 5;
    lgkt_quests_settle(&quests, &facts);
    assert_true(quests.nu == 1);
}

// One reward as high as the told maximum of the means is no pair that pays it: records are looked
// for all the same, since noise may have made it.
static void test_one_high_reward(void **state)
{
    (void)state;
    lgkt_quests quests = start();
    lgkt_auto_facts facts = usual_facts();
    quests.new_rewards = 2;
    quests.tries = 5;
    facts.highest = 2 * facts.top;
    lgkt_quests_settle(&quests, &facts);
    assert_close(quests.alpha_reward, 0.5, 1e-12);
    assert_true(quests.lump > 0);
}

// Not told: GUESS times the mean distance of the rewards seen, with a chance that falls with each
// pair that was tried and each reward that was none.
static void test_range_not_told(void **state)
{
    (void)state;
    lgkt_quests quests = start();
    lgkt_auto_facts facts = usual_facts();
    facts.top = facts.bottom = NAN;
    facts.highest = 3;
    facts.lowest = -1;
    facts.differs = false;
    quests.tried = 20;
    lgkt_quests_settle(&quests, &facts);
    assert_close(quests.lump, lump_of(20, 30), 1e-9);
    facts.differs = true;
    for (int d = 1; d <= 20; d++) {
        for (int again = 0; again < 3; again++)
            lgkt_quests_learn(&quests, &(lgkt_quest_step){.n = 1, .x = 0.1 * d});
        lgkt_quests_settle(&quests, &facts);
        assert_int_equal(quests.value_count, d <= 16 ? d : 17);
        const double chance = fmin(1 / (48 / 0.9 - 20 + 1), 1.0 / (21 * (d + 1)));
        assert_close(quests.lump, d > 16 ? 0 : 0.05 * chance * L * 30 * 4 / d, 1e-9);
    }
    // among few pairs that are left the other chance is the smaller one
    quests = start();
    quests.tried = 0;
    lgkt_quests_learn(&quests, &(lgkt_quest_step){.n = 1, .x = 3});
    lgkt_quests_settle(&quests, &facts);
    assert_close(quests.lump, lump_of(0, 30 * 4), 1e-9);
}

// The last of k numbers weighs 2/(k + 1); what quests earn counts for C, and all else for g.
static void test_what_steps_cost(void **state)
{
    (void)state;
    lgkt_quests quests = start();
    static const struct {
        double x, earned, thrown, way_left;
        bool quest;
    } steps[] = {
        {1, 0, 0, 0, false},     {4, 0, 2, 5, false},   {-9, -0.5, 0, 0, true},
        {-9, -0.25, 5, 3, true}, {7, 0, 9, 0, false},   {8, 0.125, 0, 1, true},
        {9, 2, 0, 0, true},      {9, -0.5, 0, 0, true},
    };
    for (int i = 0; i < COUNT(steps); i++) {
        quests.in_quest = steps[i].quest;
        quests.way_left = steps[i].way_left;
        const lgkt_quest_step step = {
            .n = 1, .x = steps[i].x, .earned = steps[i].earned, .thrown = steps[i].thrown};
        lgkt_quests_learn(&quests, &step);
        assert_true(quests.way_left == 0 && !quests.in_quest);
        if (i == 5)
            assert_close(quests.spent, 0.625, 1e-12);
        // it is no purse
        if (i == 6)
            assert_true(quests.spent == 0);
    }
    assert_close(quests.spent, 0.5, 1e-12);
    assert_close(quests.steady, (1 * 1 + 2 * 4 + 3 * 7) / 6.0, 1e-12);
    // only steps of a journey's way throw back
    assert_close(quests.thrown, (1 * 2 + 2 * 5 + 3 * 0) / 6.0, 1e-12);
}

// A find is one that was looked for; the unit of rewards voids what is measured in it.
static void test_finds_and_void(void **state)
{
    (void)state;
    lgkt_quests quests = start();
    const lgkt_auto_facts facts = usual_facts();
    const lgkt_quest_step find = {.n = 1, .x = 0.5, .is_new_state = true, .thrown = 3};
    lgkt_quests_learn(&quests, &find);
    assert_true(quests.finds == 0);
    lgkt_quests_settle(&quests, &facts);
    quests.way_left = 2;
    lgkt_quests_learn(&quests, &find);
    assert_true(quests.finds == 1 && quests.new_states == 2 && quests.thrown == 3);
    quests.spent = quests.rho = 1;
    lgkt_quests_void(&quests);
    assert_true(quests.spent == 0 && quests.rho == 0 && quests.steady == 0);
    assert_true(quests.lump == 0 && quests.lump_new == 0 && quests.nu == 0);
    assert_true(quests.finds == 1 && quests.new_states == 2 && quests.thrown == 3);
    // without facts there is nothing to look for
    lgkt_quests_settle(&quests, &facts);
    assert_true((quests.lump > 0));
    lgkt_quests_settle(&quests, NULL);
    assert_true(!(quests.lump > 0) && quests.lump_new == 0 && quests.nu == 0);
}

// What a row of pairs says at the end of a round: the sum of 1/n, the highest mean that one may have,
// and bounds that move to a mean which is beyond them by SURE standard errors.
static void test_rows(void **state)
{
    (void)state;
    lgkt_quests quests = start();
    const lgkt_pair_spread spread = {.mean = 0, .within = 1, .noise = 4};
    lgkt_auto_option row[4] = {
        {.reward = {.mean = 3, .squares = 0, .n = 1}, .expected = 0},
        {.reward = {.mean = 1, .squares = 0.5, .n = 16}, .expected = 0},
        {.reward = {.mean = 0, .squares = 0, .n = 0}, .expected = 50},
        {.reward = {.mean = -2, .squares = 0.5, .n = 16}, .expected = 0},
    };
    // noise of one sight (2 4 + 0)/2 = 4, so 3 is believed to be 3/5, with variance 4/5; of 16 sights
    // (8 + 0.5)/17 = 0.5, so 1 is 32/33, with variance 1/33
    const double most = 32 / 33.0 + sqrt(1 / 33.0), other = 0.6 + sqrt(0.8);
    lgkt_quests_note(&quests, row, 4, &spread, NAN, NAN);
    assert_close(quests.rarity_so_far, 1 + 2.0 / 16, 1e-12);
    assert_true(other > most);
    assert_close(quests.found_so_far, other, 1e-12);
    row[0].reward.n = 0;
    quests = start();
    lgkt_quests_note(&quests, row, 4, &spread, NAN, NAN);
    assert_close(quests.found_so_far, most, 1e-12);
    assert_true(quests.above == 0 && quests.below == 0);

    // four standard errors are 4 sqrt(0.5/16) = 0.7071
    lgkt_quests_note(&quests, row, 4, &spread, 0.293, -1.293);
    assert_true(quests.above == 0 && quests.below == 0);
    lgkt_quests_note(&quests, row, 4, &spread, 0.2928, -1.2928);
    assert_close(quests.above, 0.7072, 1e-12);
    assert_close(quests.below, 0.7072, 1e-12);
    // they have moved, so that it takes a mean as far beyond to move them again
    lgkt_quests_note(&quests, row, 4, &spread, 0.2928, -1.2928);
    assert_close(quests.above, 0.7072, 1e-12);
    // a single sight tells of no error
    row[1].reward = (lgkt_sample){.mean = 1000, .squares = 0, .n = 1};
    lgkt_quests_note(&quests, row, 4, &spread, 0.2928, -1.2928);
    assert_close(quests.above, 0.7072, 1e-12);
    row[1].reward.n = 2;
    lgkt_quests_note(&quests, row, 4, &spread, 0.2928, -1.2928);
    assert_close(quests.above, 999.7072, 1e-9);
}

// ---- what is found ----

// steps until the far end of the classic chain is reached, or -1
static int64_t swim(int32_t states, int64_t steps, uint64_t seed)
{
    char spec[64];
    snprintf(spec, sizeof spec, "riverswim:states=%d,variant=sl", states);
    lgkt_env *env = make_env(spec, seed);
    lgkt_learner *learner = make_learner("auto", env, steps, true);
    lgkt_trajectory *world = env_run_start(env, steps, seed);
    int64_t found = -1;
    for (int64_t t = 0; t < steps && found < 0; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(world, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        found = step.reward > 0.5 ? t : -1;
    }
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
    return found;
}

// In a chain where nothing but a told range says that there is more than a little at the near end,
// the far end is found. All of 60 runs: if it were found in less than 95%, that would have a
// probability below 0.95^60 = 0.046.
static void test_far_end_is_found(void **state)
{
    (void)state;
    static const int32_t chains[] = {6, 12, 20};
    for (int i = 0; i < 60; i++) {
        const int64_t found = swim(chains[i % 3], 20000, (uint64_t)i);
        if (found < 0)
            fail_msg("run %d, %d states: never found", i, (int)chains[i % 3]);
    }
}

// Once what was told is found there is no prize left, and no step is a quest any more.
static void test_quests_end(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    lgkt_env *env = make_env("riverswim:states=6,variant=sl", 1);
    lgkt_learner *learner = make_learner("auto", env, STEPS, true);
    lgkt_trajectory *world = env_run_start(env, STEPS, 1);
    const lgkt_auto *u = learner->self;
    int64_t quests = 0, before = 0;
    for (int t = 0; t < STEPS; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(world, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        quests = learner_run_counter(learner, "quests");
        before = t < STEPS / 2 ? quests : before;
    }
    assert_true(quests > 0);
    assert_int_equal(quests, before);
    assert_true(u->quests.lump == 0 && u->quests.lump_new == 0 && u->quests.nu == 0);
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
}

// ---- units ----

static void play(const char *env_spec, bool told, int steps, int32_t *actions)
{
    lgkt_env *env = make_env(env_spec, 4);
    lgkt_learner *learner = make_learner("auto", env, steps, told);
    lgkt_trajectory *world = env_run_start(env, steps, 7);
    for (int t = 0; t < steps; t++) {
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &actions[t]),
                         LGKT_OK);
        const lgkt_step step = env_run_play(world, actions[t]);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
    }
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
}

// Five of the 16 states of the lake are holes and the goal, in which nobody acts. They are looked
// for at first, until that has cost more than it could bring: in the last quarter of a run less than
// one step in twenty is a quest.
static void test_states_that_are_never_met(void **state)
{
    (void)state;
    enum { STEPS = 20000, LATE = 3 * STEPS / 4 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        lgkt_env *env = make_env("frozenlake", seed);
        lgkt_learner *learner = make_learner("auto", env, STEPS, true);
        lgkt_trajectory *world = env_run_start(env, STEPS, seed);
        const lgkt_auto *u = learner->self;
        int64_t looked_for = 0, early = 0;
        for (int t = 0; t < STEPS; t++) {
            int32_t action = -1;
            assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                             LGKT_OK);
            looked_for += u->quests.in_quest && u->quests.lump_new > 0;
            const lgkt_step step = env_run_play(world, action);
            assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            early = t < LATE ? learner_run_counter(learner, "quests") : early;
        }
        const int64_t late = learner_run_counter(learner, "quests") - early;
        print_message("looked for in %d steps; %d of %d quests late\n", (int)looked_for, (int)late,
                      (int)(late + early));
        assert_int_equal(u->known_count, 11);
        assert_true(looked_for > 30 && late < (STEPS - LATE) / 20);
        lgkt_learner_destroy(learner);
        lgkt_trajectory_destroy(world);
        lgkt_env_destroy(env);
    }
}

// The range is mapped as the rewards are. Other factors: test_auto.c.
static void test_other_units(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static int32_t plain[STEPS], scaled[STEPS];
    static const char *const worlds[] = {"riverswim:states=6,variant=sl",
                                         "synthetic:states=10,actions=5", "riverswim:states=8",
                                         "frozenlake"};
    for (int i = 0; i < COUNT(worlds); i++)
        for (int told = 0; told < 2; told++) {
            char spec[160];
            snprintf(spec, sizeof spec, "scaled:by=8,shift=-4,of=(%s)", worlds[i]);
            play(worlds[i], told, STEPS, plain);
            play(spec, told, STEPS, scaled);
            assert_memory_equal(plain, scaled, sizeof plain);
        }
}

// ---- ranges that are not true ----

// A run with a range; what it has become can be saved and loaded. Returns the top and the bottom
// that are believed in at its end.
static lgkt_reward_range live_with(const char *spec, const char *env_spec, int steps)
{
    lgkt_env *env = make_env(env_spec, 2);
    lgkt_learner *learner = make_learner(spec, env, steps, false);
    lgkt_trajectory *world = env_run_start(env, steps, 2);
    const lgkt_auto *u = learner->self;
    for (int t = 0; t < steps; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(world, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        for (int32_t s = 0; s < learner->problem.states && t % 50 == 0; s++)
            assert_true(isfinite(u->values[s].h) && isfinite(u->values[s].v) &&
                        isfinite(u->values[s].w) && isfinite(u->values[s].d));
        if (t % 500 == 499) {
            const lgkt_learner_config config = lgkt_learner_config_default();
            saved_bytes saved = saved_bytes_of(learner);
            lgkt_learner *again = saved_bytes_load(&saved, &config);
            assert_true(lgkt_learner_hash(again) == lgkt_learner_hash(learner));
            lgkt_learner_destroy(again);
            saved_bytes_free(&saved);
        }
    }
    const lgkt_reward_range believed = {.min = u->set.range.min - u->quests.below,
                                        .max = u->set.range.max + u->quests.above};
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
    return believed;
}

static void test_ranges_that_are_not_true(void **state)
{
    (void)state;
    static const char *const worlds[] = {"synthetic:states=5,actions=4", "riverswim:states=6",
                                         "riverswim:states=6,variant=sl", "frozenlake"};
    for (int i = 0; i < COUNT(worlds); i++) {
        lgkt_env *env = make_env(worlds[i], 2);
        const lgkt_problem problem = lgkt_env_problem(env, 1);
        const double lo = problem.reward_min, hi = problem.reward_max, width = hi - lo;
        lgkt_env_destroy(env);
        const lgkt_reward_range told[] = {
            {.min = lo + 0.45 * width, .max = lo + 0.55 * width}, // too narrow
            {.min = lo - 5 * width, .max = hi + 4 * width},       // ten times as wide
            {.min = lo, .max = lo},
            {.min = hi, .max = hi},
            {.min = -1e15, .max = 1e15},
            {.min = 1e15, .max = 1e15},
            {.min = -1e15, .max = -1e15},
        };
        for (int j = 0; j < COUNT(told); j++) {
            char spec[128];
            snprintf(spec, sizeof spec, "auto:reward-min=%.17g,reward-max=%.17g", told[j].min,
                     told[j].max);
            const lgkt_reward_range believed = live_with(spec, worlds[i], 2000);
            // bounds move out, and no further than there are means, noise aside
            assert_true(believed.min <= told[j].min && believed.max >= told[j].max);
            assert_true(believed.min >= fmin(told[j].min, lo - 3));
            assert_true(believed.max <= fmax(told[j].max, hi + 3));
            if (j == 0 && i == 0)
                assert_true(believed.min < told[j].min && believed.max > told[j].max);
            if (j == 1)
                assert_true(believed.min == told[j].min && believed.max == told[j].max);
        }
    }
}

// Noise of variance 1 is known from one pair; the mean of another is 0.4 beyond what was told. That
// is four standard errors after 100 visits.
static void test_bound_moves_after_four_errors(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 2;
    config.problem.actions = 1;
    config.problem.horizon = 10000;
    lgkt_learner *learner =
        learner_run_make("auto:refresh=1000000,reward-min=-5,reward-max=0.1", &config);
    const lgkt_auto *u = learner->self;
    int visits = 0;
    for (int t = 0; t < 1000 && u->quests.above == 0; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        if (u->quests.above > 0)
            break;
        assert_int_equal(lgkt_learner_observe(learner, t % 2 == 0 ? 1 : -1, 0, false), LGKT_OK);
        for (int i = 0; i < 2 && t >= 40 && t % 2 == 1; i++, visits++)
            assert_int_equal(lgkt_learner_feed(learner, 1, 0, i == 0 ? -0.5 : 1.5, 1, false),
                             LGKT_OK);
    }
    assert_in_range(visits, 98, 108);
    assert_close(u->quests.above, 0.4, 1e-9);
    assert_true(u->quests.below == 0);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chances),
        cmocka_unit_test(test_prize),
        cmocka_unit_test(test_states_never_met),
        cmocka_unit_test(test_one_high_reward),
        cmocka_unit_test(test_range_not_told),
        cmocka_unit_test(test_what_steps_cost),
        cmocka_unit_test(test_finds_and_void),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_far_end_is_found),
        cmocka_unit_test(test_quests_end),
        cmocka_unit_test(test_states_that_are_never_met),
        cmocka_unit_test(test_other_units),
        cmocka_unit_test(test_ranges_that_are_not_true),
        cmocka_unit_test(test_bound_moves_after_four_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
