// SPDX-License-Identifier: MIT
// Quests of `auto`: every quantity against a recomputation from the whole history of a run, and
// what becomes of runs where something has to be found, or where a range is told that is wrong.

#include "test.h"

#include <stdlib.h>

#include "learners/auto/auto.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"
#include "ref/saved_bytes.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

enum { MOST_STEPS = 1000 };

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

// ---- against the history ----

typedef struct event {
    int32_t state, action, next;
    double reward, alpha; // alpha: when it was played
    bool ended, quest;
} event;

typedef struct history {
    event events[MOST_STEPS];
    int count;
    double above, below;
} history;

static double origin_of(const history *past)
{
    return past->events[0].reward;
}

// reward of event i
static double x_of(const history *past, int i)
{
    return past->events[i].reward - origin_of(past);
}

static int first_difference(const history *past)
{
    int i = 0;
    while (i < past->count && x_of(past, i) == 0)
        i++;
    return i;
}

// visits of a pair among the first `count` events, with mean and squares
static lgkt_sample sample_of(const history *past, int count, int32_t s, int32_t a)
{
    lgkt_sample of = {0, 0, 0};
    for (int i = 0; i < count; i++)
        if (past->events[i].state == s && past->events[i].action == a) {
            of.n++;
            of.mean += x_of(past, i);
        }
    of.mean /= of.n > 0 ? of.n : 1;
    for (int i = 0; i < count; i++)
        if (past->events[i].state == s && past->events[i].action == a)
            of.squares += (x_of(past, i) - of.mean) * (x_of(past, i) - of.mean);
    return of;
}

// whether a state was played in, in the first `count` events
static bool was_met(const history *past, int count, int32_t s)
{
    for (int i = 0; i < count; i++)
        if (past->events[i].state == s)
            return true;
    return false;
}

// F, F_r, W, tried pairs, g and the number of distinct rewards
static void check_steps(const lgkt_learner *learner, const history *past)
{
    const lgkt_quests *quests = &((const lgkt_auto *)learner->self)->quests;
    double new_states = 0, new_rewards = 0, tries = 0, highest = 0, sum = 0, weights = 0;
    double tries_found = 0; // W when a state was last met for the first time
    int tried = 0, values = 0, steady = 0;
    const int start = first_difference(past);
    for (int i = 0; i < past->count; i++) {
        const event *e = &past->events[i];
        const double n = sample_of(past, i, e->state, e->action).n, x = x_of(past, i);
        tried += n == 0;
        if (n > 0) {
            new_states += !e->ended && !was_met(past, i + 1, e->next);
            new_rewards += x > highest;
            tries += 1 / (n + e->alpha);
        }
        if (!e->ended && !was_met(past, i + 1, e->next))
            tries_found = tries;
        highest = fmax(highest, x);
        // the k-th counts k times as much as the first; before there is a unit all are 0
        if (i >= start && !e->quest) {
            steady++;
            sum += steady * x;
            weights += steady;
        }
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= x_of(past, j) == x;
        values += !seen;
    }
    assert_true(quests->new_states == new_states);
    assert_true(quests->new_rewards == new_rewards);
    assert_close(quests->tries, tries, 1e-9 * tries);
    assert_close(quests->tries_at_new_state, tries_found, 1e-9 * tries);
    assert_int_equal(quests->tried, tried);
    assert_close(quests->steady, steady > 0 ? sum / weights : 0, 1e-9 * (1 + fabs(highest)));
    assert_int_equal(quests->value_count,
                     values < LGKT_QUEST_VALUES + 1 ? values : LGKT_QUEST_VALUES + 1);
}

// what a round found: highest mean, sum of 1/n, and how far the range has to be moved
static void look_around(const lgkt_learner *learner, history *past, const int32_t *known,
                        int32_t count, const lgkt_pair_spread *spread, double *found,
                        double *rarity)
{
    const lgkt_auto *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const double top = u->set.range.max - origin_of(past);
    const double bottom = u->set.range.min - origin_of(past);
    const bool differs = first_difference(past) < past->count;
    lgkt_sample row[32];
    *found = -INFINITY;
    *rarity = 0;
    for (int32_t i = count - 1; i >= 0; i--) {
        for (int32_t a = 0; a < actions; a++)
            row[a] = sample_of(past, past->count, known[i], a);
        const double expected = lgkt_spread_expect(spread, row, actions);
        for (int32_t a = 0; a < actions; a++) {
            if (row[a].n == 0)
                continue;
            const lgkt_belief belief = lgkt_spread_believe(spread, &row[a], expected, u->set.limit);
            *found = fmax(*found, belief.mean);
            *rarity += 1 / row[a].n;
            // a mean that is beyond what was told by three standard errors
            const double noise = (2 * spread->noise + row[a].squares) / (row[a].n + 1);
            const double error = 3 * sqrt(noise / row[a].n);
            if (differs && row[a].n > 1 && row[a].mean - error > top + past->above)
                past->above = row[a].mean - top;
            if (differs && row[a].n > 1 && row[a].mean + error < bottom - past->below)
                past->below = bottom - row[a].mean;
        }
    }
}

// alpha, prize, lump and nu after a round over the first `count` known states
static void check_round(const lgkt_learner *learner, history *past, const int32_t *known,
                        int32_t count, const lgkt_pair_spread *spread)
{
    const lgkt_auto *u = learner->self;
    const lgkt_quests *quests = &u->quests;
    if (past->count == 0) {
        assert_true(quests->lump == 0 && quests->lump_new == 0 && quests->nu == 0);
        return;
    }
    double found, rarity;
    look_around(learner, past, known, count, spread, &found, &rarity);
    assert_close(quests->above_max, past->above, 1e-9);
    assert_close(quests->below_min, past->below, 1e-9);

    const double pairs = (double)learner->problem.states * learner->problem.actions;
    const double tried = (double)quests->tried;
    // after five finds that should have been and were not nothing is missing
    const bool futile = 0.05 * (quests->tries - quests->tries_at_new_state) >= 5;
    const double missing = futile ? 0 : (double)learner->problem.states - count;
    double alpha = (quests->new_states + 1) / (quests->tries + 1);
    const double untried = (double)count * learner->problem.actions - tried;
    const double least = fmin(0.05, missing / 2 / (rarity + untried + 1));
    if (missing > 0 && alpha < least)
        alpha = least;
    assert_close(quests->alpha, alpha, 1e-9 * alpha);
    assert_close(quests->alpha_reward, (quests->new_rewards + 1) / (quests->tries + 1), 1e-9);

    double highest = 0, lowest = 0;
    for (int i = 0; i < past->count; i++) {
        highest = fmax(highest, x_of(past, i));
        lowest = fmin(lowest, x_of(past, i));
    }
    const bool differs = first_difference(past) < past->count;
    double chance = 1 / (pairs / 0.9 - tried + 1), prize;
    if (isnan(u->set.range.max)) {
        const double d = quests->value_count;
        prize = !differs ? 100 : d > 16 ? 0 : 100 * (highest - lowest) / d;
        if (differs)
            chance = fmin(chance, 1 / ((tried + 1) * (d + 1)));
    } else {
        const double top = u->set.range.max - origin_of(past) + past->above;
        const double bottom =
            isnan(u->set.range.min) ? lowest : u->set.range.min - origin_of(past) - past->below;
        const double width = top - bottom, x = fmin(fmax(top - quests->steady, 0), width);
        prize = width > 0 ? fmax(0, fmin(top - found, x * x / (2 * width))) : 0;
        prize = differs || width <= 0 ? prize : prize / width;
    }
    const double left = (double)(learner->problem.horizon - learner->t);
    const double lump = chance * left * prize * left / (left + u->set.caution * pairs);
    const bool quest = prize > 0, new_ones = quest && missing > 0;
    assert_close(quests->lump, quest ? lump : 0, 1e-8 * (lump + highest - lowest));
    assert_close(quests->lump_new, new_ones ? learner->problem.actions * quests->lump : 0,
                 1e-9 * quests->lump);
    if (quests->lump > 0)
        assert_close(quests->nu, new_ones ? fmin(1, count / (tried + 1)) : 0, 1e-9);
}

// Z and E of the state refreshed last: that is done once more, and undone
static void check_state(lgkt_learner *learner, const history *past, int32_t s)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const int32_t actions = learner->problem.actions;
    const double before = quests->journey[s];
    const lgkt_quest_plan plan = quests->plans[s];
    double played[32], top = -INFINITY;
    memcpy(played, quests->worth, (size_t)actions * sizeof *played);
    lgkt_quest_refresh(learner, s, plan.action);
    for (int32_t a = 0; a < actions && quests->lump > 0; a++) {
        const double m = u->worths[a].mean;
        double n = 0, moves = 0, path = 0;
        for (int i = 0; i < past->count; i++) {
            const event *e = &past->events[i];
            if (e->state != s || e->action != a)
                continue;
            n++;
            if (e->ended)
                continue;
            moves++;
            path += e->next == s ? before : quests->journey[e->next];
        }
        path = moves > 0 ? path / moves : 0;
        const double q = quests->alpha / (n + quests->alpha);
        const double q_r = quests->alpha_reward / (n + quests->alpha_reward);
        const double z =
            n > 0 ? m + u->beta * ((1 - q) * path + q * quests->lump_new) + q_r * quests->lump
                  : m + quests->lump + u->beta * quests->nu * quests->lump_new;
        assert_close(quests->worth[a], z, 1e-9 * (fabs(m) + fabs(z)));
        top = fmax(top, z);
        // what is played by
        assert_true(played[a] >= u->index[a]);
    }
    const double journey = quests->lump > 0 ? fmax(0, top - u->h[s]) : 0;
    assert_close(quests->journey[s], journey, 1e-9 * (1 + fabs(u->h[s]) + journey));
    quests->journey[s] = before;
    quests->plans[s] = plan;
    memcpy(quests->worth, played, (size_t)actions * sizeof *played);
}

static void check_history(const char *env_spec, const char *spec, bool told, int steps, double cuts)
{
    lgkt_env *env = make_env(env_spec, 3);
    // all states are refreshed at a time, so that a round is a step
    lgkt_learner *learner = make_learner(spec, env, steps, told);
    lgkt_trajectory *world = env_run_start(env, steps, 3);
    lgkt_rng rng = lgkt_rng_stream(3, "cuts", 0);
    history *past = calloc(1, sizeof *past);
    assert_non_null(past);
    const lgkt_auto *u = learner->self;
    int rounds = 0, quests = 0;
    for (int t = 0; t < steps; t++) {
        const int32_t s = lgkt_trajectory_state(world), known = u->known_count;
        const lgkt_pair_spread spread = u->reward;
        const bool slow = u->total >= 16 * known && steps - t >= 2 * u->depth &&
                          !u->quests.quest_in_last_round && u->total % 4 != 0;
        event *now = &past->events[past->count];
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        if (!slow)
            check_round(learner, past, u->known, known, &spread);
        if (past->count > 0)
            check_state(learner, past, s);
        rounds += !slow;
        quests += u->quests.in_quest;
        lgkt_step step = env_run_play(world, action);
        step.ended |= lgkt_rng_bernoulli(&rng, cuts);
        *now = (event){
            s, action, step.state, step.reward, u->quests.alpha, step.ended, u->quests.in_quest};
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        past->count++;
        if (t % 10 == 9)
            check_steps(learner, past);
    }
    assert_int_equal(learner_run_counter(learner, "quests"), quests);
    print_message("%s: %d rounds, %d quests\n", env_spec, rounds, quests);
    free(past);
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
}

#define ROUNDS "refresh=1000000,caution=10"

static void test_as_defined(void **state)
{
    (void)state;
    static const struct {
        const char *env, *spec;
        double cuts;
    } cases[] = {
        {"riverswim:states=6,variant=sl", "auto:" ROUNDS, 0},
        {"riverswim:states=6,variant=sl", "auto:" ROUNDS, 0.1},
        {"synthetic:states=6,actions=4", "auto:" ROUNDS, 0.02},
        {"frozenlake", "auto:" ROUNDS, 0},
        {"frozenlake:slippery=0", "auto:sweep=0," ROUNDS, 0},
        {"synthetic:states=1,actions=1", "auto:" ROUNDS, 0.1},
        // only one end is told, and ends that are not true
        {"riverswim:states=6", "auto:reward-max=2," ROUNDS, 0},
        {"synthetic:states=6,actions=4", "auto:reward-min=0.4,reward-max=0.6," ROUNDS, 0},
    };
    for (int i = 0; i < COUNT(cases); i++)
        for (int told = 0; told < 2; told++)
            check_history(cases[i].env, cases[i].spec, told, 400, cases[i].cuts);
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
// for at first, and taken not to exist once they should have been met.
static void test_states_that_are_never_met(void **state)
{
    (void)state;
    enum { STEPS = 40000 };
    lgkt_env *env = make_env("frozenlake", 1);
    lgkt_learner *learner = make_learner("auto", env, STEPS, true);
    lgkt_trajectory *world = env_run_start(env, STEPS, 1);
    const lgkt_auto *u = learner->self;
    const lgkt_quests *quests = &u->quests;
    int looked_for = 0, given_up = 0;
    for (int t = 0; t < STEPS; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(world, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        // prizes are those of the last round, which is a few steps old
        const double since = quests->tries - quests->tries_at_new_state;
        if (quests->lump == 0 || fabs(since - 100) < 1)
            continue;
        assert_true(since < 100 ? quests->lump_new > 0 : quests->lump_new == 0 && quests->nu == 0);
        looked_for += since < 100;
        given_up += since > 100;
    }
    assert_int_equal(u->known_count, 11);
    print_message("looked for in %d steps, given up in %d\n", looked_for, given_up);
    assert_true(looked_for > 100 && given_up > 10000);
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
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
            assert_true(isfinite(u->h[s]) && isfinite(u->quests.journey[s]));
        if (t % 500 == 499) {
            const lgkt_learner_config config = lgkt_learner_config_default();
            saved_bytes saved = saved_bytes_of(learner);
            lgkt_learner *again = saved_bytes_load(&saved, &config);
            assert_true(lgkt_learner_hash(again) == lgkt_learner_hash(learner));
            lgkt_learner_destroy(again);
            saved_bytes_free(&saved);
        }
    }
    const lgkt_reward_range believed = {.min = u->set.range.min - u->quests.below_min,
                                        .max = u->set.range.max + u->quests.above_max};
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
// is three standard errors after 56 visits.
static void test_bound_moves_after_three_errors(void **state)
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
    for (int t = 0; t < 1000 && u->quests.above_max == 0; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        if (u->quests.above_max > 0)
            break;
        assert_int_equal(lgkt_learner_observe(learner, t % 2 == 0 ? 1 : -1, 0, false), LGKT_OK);
        for (int i = 0; i < 2 && t >= 40 && t % 2 == 1; i++, visits++)
            assert_int_equal(lgkt_learner_feed(learner, 1, 0, i == 0 ? -0.5 : 1.5, 1, false),
                             LGKT_OK);
    }
    assert_in_range(visits, 54, 64);
    assert_close(u->quests.above_max, 0.4, 1e-9);
    assert_true(u->quests.below_min == 0);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_defined),
        cmocka_unit_test(test_far_end_is_found),
        cmocka_unit_test(test_quests_end),
        cmocka_unit_test(test_states_that_are_never_met),
        cmocka_unit_test(test_other_units),
        cmocka_unit_test(test_ranges_that_are_not_true),
        cmocka_unit_test(test_bound_moves_after_three_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
