// SPDX-License-Identifier: MIT
// labels: slow
// The look for hidden state: against its definition, on processes with and without it, and what
// `auto` does once it was found.

#include "test.h"

#include <stdlib.h>

#include "learners/auto/auto.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

enum { PAIRS = 6, MOST_STEPS = 20000 };

static lgkt_learner *make_learner(const char *spec, const lgkt_env *env, int64_t steps)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, steps);
    return learner_run_make(spec, &config);
}

// ---- a process that is made up ----

// what was seen, for the look and for its definition
typedef struct watch {
    lgkt_hidden hidden;
    lgkt_hidden_visit visits[PAIRS];
    double n[PAIRS], mean[PAIRS], squares[PAIRS];
} watch;

static void watch_start(watch *w)
{
    *w = (watch){.hidden = {.last = 0}};
    w->hidden.visits = w->visits;
}

static bool watch_step(watch *w, int z, double reward, bool ended)
{
    const double before = w->mean[z], off = reward - before;
    w->n[z]++;
    w->mean[z] += off / w->n[z];
    w->squares[z] += off * (reward - w->mean[z]);
    const bool alarm = lgkt_hidden_look(&w->hidden, (size_t)z, reward, before,
                                        w->squares[z] / (w->n[z] - 1), w->n[z]);
    w->hidden.last = ended ? 0 : z + 1;
    return alarm;
}

typedef struct sight {
    int pair;
    double reward;
    bool ended;
} sight;

// the sums of all visits up to the last of these, each from the start
static lgkt_hidden naive_look(const sight *past, int count)
{
    lgkt_hidden sums = {0};
    for (int i = 1; i < count; i++) {
        const sight *now = &past[i];
        int last = -1;
        double n = 0, mean = 0, squares = 0;
        for (int j = 0; j < i; j++)
            if (past[j].pair == now->pair) {
                last = j;
                n++;
                mean += past[j].reward;
            }
        // it and the visit before it came after the same pair, and there were enough of them
        if (last < 1 || past[i - 1].ended || past[last - 1].ended ||
            past[i - 1].pair != past[last - 1].pair || n + 1 <= 16)
            continue;
        const double with = (mean + now->reward) / (n + 1);
        mean /= n;
        for (int j = 0; j <= i; j++)
            if (past[j].pair == now->pair)
                squares += (past[j].reward - with) * (past[j].reward - with);
        if (squares == 0)
            continue;
        const double off = now->reward - mean, again = now->reward - past[last].reward;
        const double gain =
            fmin(off * off / (squares / n), n + 1) - fmin(again * again / (squares / n), n + 1);
        sums.count++;
        sums.gain += gain;
        sums.squares += gain * gain;
        sums.surprise += off / sqrt(squares / n);
    }
    sums.found = sums.count >= 512 && sums.gain / (double)sums.count > 1.0 / 16 &&
                 sums.gain > 4 * sqrt(sums.squares) &&
                 sums.surprise < -4 * sqrt((double)sums.count);
    return sums;
}

// rewards that depend on the pair before in a part of the runs, and some steps that are cut
static void test_as_defined(void **state)
{
    (void)state;
    enum { STEPS = 1500 };
    static sight past[STEPS];
    int alarms = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        lgkt_rng rng = lgkt_rng_stream(seed, "sights", 0);
        watch w;
        watch_start(&w);
        int before = 0;
        for (int t = 0; t < STEPS; t++) {
            // the last run plays two pairs, and later mostly the one that pays less next time
            const bool low = seed == 3 && t > 300 && lgkt_rng_bernoulli(&rng, 0.7);
            const int pair = low ? 0 : lgkt_rng_below(&rng, seed == 3 ? 2 : PAIRS / 2);
            const double hidden = seed % 2 == 1 ? before : 0;
            past[t] =
                (sight){pair, hidden + 0.2 * lgkt_rng_normal(&rng), lgkt_rng_bernoulli(&rng, 0.05)};
            before = pair;
            const bool alarm = watch_step(&w, pair, past[t].reward, past[t].ended);
            if (t % 37 != 0 && t + 1 < STEPS)
                continue;
            const lgkt_hidden naive = naive_look(past, t + 1);
            assert_int_equal(w.hidden.count, naive.count);
            assert_close(w.hidden.gain, naive.gain, 1e-7 * (1 + naive.squares));
            assert_close(w.hidden.squares, naive.squares, 1e-7 * (1 + naive.squares));
            assert_close(w.hidden.surprise, naive.surprise, 1e-7 * (1 + naive.squares));
            // the step itself is one of those that count, or there is no alarm at it
            if (alarm)
                assert_true(naive.found);
            alarms += naive.found;
        }
        print_message("%d visits, mean gain %.3f\n", (int)w.hidden.count,
                      w.hidden.gain / (double)w.hidden.count);
    }
    assert_true(alarms > 0);
}

// ---- alarms ----

typedef enum law { NORMAL, COIN, RARE, VERY_RARE, MOVE, STREAK, LAWS } law;

// a reward of a pair of a Markov process that is now in `next`
static double draw(law l, int pair, int next, lgkt_rng *rng)
{
    switch (l) {
    case NORMAL:
        return pair + lgkt_rng_normal(rng);
    case COIN:
        return lgkt_rng_bernoulli(rng, 0.5);
    case RARE:
        return lgkt_rng_bernoulli(rng, 0.01);
    case VERY_RARE:
        return 100 * lgkt_rng_bernoulli(rng, 0.0005);
    case MOVE:
        return next;
    default:
        return pair == 0 ? 0 : lgkt_rng_bernoulli(rng, 0.999);
    }
}

// No alarm where rewards are drawn anew at each visit, in any of 20 runs of each law: some noise,
// coins, rare events, rewards of the move, long rows of equal ones.
static void test_no_alarm_without_hidden_state(void **state)
{
    (void)state;
    for (law l = NORMAL; l < LAWS; l++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            lgkt_rng rng = lgkt_rng_stream(seed, "markov", l);
            watch w;
            watch_start(&w);
            // three states in a ring with two actions: on, or with 0.2 back; or the other way round
            int at = 0;
            for (int t = 0; t < MOST_STEPS; t++) {
                const int action = seed % 2 == 0 ? lgkt_rng_below(&rng, 2) : at % 2;
                const bool on = lgkt_rng_bernoulli(&rng, action == 0 ? 0.8 : 0.2);
                const int next = (at + (on ? 1 : 2)) % 3, pair = 2 * at + action;
                if (watch_step(&w, pair, draw(l, pair, next, &rng), false))
                    fail_msg("law %d, run %d: alarm at step %d", (int)l, (int)seed, t);
                at = next;
            }
        }
}

// how often an alarm is raised in 20 runs where a reward depends on what was played before, with
// noise of a fifth of the difference. At first both pairs are played alike; later one of them,
// after which rewards are low or high.
static int alarms_after(int favourite)
{
    int alarms = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        lgkt_rng rng = lgkt_rng_stream(seed, "hidden", 0);
        watch w;
        watch_start(&w);
        bool alarm = false;
        for (int t = 0, before = 0; t < 5000 && !alarm; t++) {
            const bool other = lgkt_rng_bernoulli(&rng, t < 300 ? 0.5 : 0.2);
            const int pair = other ? 1 - favourite : favourite;
            alarm = watch_step(&w, pair, before + 0.2 * lgkt_rng_normal(&rng), false);
            before = pair;
        }
        alarms += alarm;
    }
    return alarms;
}

// An alarm in every run where what is played leads away from what was believed of it, and none
// where it earns more than that, although rewards depend on more than the pair in both.
static void test_alarm_where_it_matters(void **state)
{
    (void)state;
    assert_int_equal(alarms_after(0), 20);
    assert_int_equal(alarms_after(1), 0);
}

static void test_no_alarm_in_environments(void **state)
{
    (void)state;
    enum { STEPS = 10000 };
    static const char *const worlds[] = {"synthetic:states=10,actions=5", "riverswim:states=8",
                                         "frozenlake", "chain", "riverswim:states=6,variant=sl"};
    for (int i = 0; i < COUNT(worlds); i++) {
        lgkt_env *env = env_run_make(worlds[i], NULL);
        lgkt_learner *learner = make_learner("auto", env, STEPS);
        lgkt_trajectory *world = env_run_start(env, STEPS, 1);
        for (int t = 0; t < STEPS; t++) {
            int32_t action = -1;
            assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                             LGKT_OK);
            const lgkt_step step = env_run_play(world, action);
            assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                             LGKT_OK);
        }
        assert_int_equal(learner_run_counter(learner, "hidden_state"), 0);
        lgkt_learner_destroy(learner);
        lgkt_trajectory_destroy(world);
        lgkt_env_destroy(env);
    }
}

// ---- two steps ----

typedef struct event {
    int64_t pair;
    double x;
    bool follows; // on the step before it
} event;

// the rewards of each pair are those of two steps, from the alarm on; what is cut counts for nobody
static void check_counts(const lgkt_learner *learner, const event *past, int count)
{
    const lgkt_auto *u = learner->self;
    const int64_t pairs = (int64_t)learner->problem.states * learner->problem.actions;
    for (int64_t z = 0; z < pairs; z++) {
        double n = 0, sum = 0, squares = 0;
        for (int i = 0; i + 1 < count; i++)
            if (past[i].pair == z && past[i + 1].follows) {
                n++;
                sum += past[i].x + past[i + 1].x;
            }
        for (int i = 0; i + 1 < count; i++)
            if (past[i].pair == z && past[i + 1].follows) {
                const double off = past[i].x + past[i + 1].x - sum / n;
                squares += off * off;
            }
        assert_true(u->counts.rows[z].n == n && u->counts.rows[z].moves == n);
        if (n == 0)
            continue;
        assert_close(u->counts.rows[z].reward, sum / n, 1e-9 * (1 + fabs(sum)));
        assert_close(u->squares[z], squares, 1e-7 * (1 + squares));
    }
}

#define TRADING "trading"

static void test_two_steps_are_counted(void **state)
{
    (void)state;
    enum { STEPS = 20000, AFTER = 1500 };
    static event past[AFTER];
    lgkt_env *env = env_run_make(TRADING, NULL);
    lgkt_learner *learner = make_learner("auto", env, STEPS);
    lgkt_trajectory *world = env_run_start(env, STEPS, 1);
    lgkt_rng rng = lgkt_rng_stream(1, "cuts", 0);
    const lgkt_auto *u = learner->self;
    int count = 0;
    bool follows = false;
    for (int t = 0; t < STEPS && count < AFTER; t++) {
        const int32_t s = lgkt_trajectory_state(world);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        const lgkt_step step = env_run_play(world, action);
        const bool ended = step.ended || (count > 0 && lgkt_rng_bernoulli(&rng, 0.1));
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, ended), LGKT_OK);
        // the step that raised the alarm is the first to count
        if (!u->hidden.found)
            continue;
        past[count] = (event){(int64_t)s * learner->problem.actions + action,
                              step.reward - u->origin, count > 0 && follows};
        count++;
        follows = !ended;
        // a step of somebody else does not follow, nor does the next on it
        if (count % 50 == 49 && count + 1 < AFTER) {
            assert_int_equal(lgkt_learner_feed(learner, 0, 0, 1, 0, false), LGKT_OK);
            follows = false;
        }
        if (count % 100 == 99)
            check_counts(learner, past, count);
        assert_true(u->depth == 1 && u->beta == 0 && u->quests.lump == 0);
    }
    assert_int_equal(count, AFTER);
    assert_int_equal(learner_run_counter(learner, "hidden_state"), 1);
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
}

static double earn(const char *spec, int64_t steps, uint64_t seed, int64_t *hidden)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    lgkt_env *env = env_run_make(TRADING, &config);
    lgkt_learner *learner = make_learner(spec, env, steps);
    lgkt_trajectory *world = env_run_start(env, steps, seed);
    double sum = 0;
    for (int64_t t = 0; t < steps; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(world), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(world, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        sum += step.reward;
    }
    *hidden = learner_run_counter(learner, "hidden_state");
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(world);
    lgkt_env_destroy(env);
    return sum;
}

// Whoever trades holds a position that the state does not tell: the alarm is raised in most runs,
// and in all together more is earned than by the learner that was made for it.
static void test_trading(void **state)
{
    (void)state;
    double ours = 0, theirs = 0;
    int64_t alarms = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        int64_t hidden = 0, none = 0;
        ours += earn("auto", 20000, seed, &hidden);
        theirs += earn("lg2t", 20000, seed, &none);
        alarms += hidden;
    }
    print_message("auto %g, lg2t %g, %d alarms in 6 runs\n", ours, theirs, (int)alarms);
    assert_true(alarms >= 4);
    assert_true(ours > theirs);
}

// ---- units ----

static void swap_track(lgkt_learner *learner, unsigned char *out, unsigned char *in)
{
    assert_true(lgkt_fields_track(learner, LGKT_TRACK_OUT, out) <= 64);
    lgkt_fields_track(learner, LGKT_TRACK_IN, in);
}

// Two trajectories that take turns: each keeps the step before, and what it received there.
static void test_tracks(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 3;
    config.problem.actions = 2;
    config.problem.horizon = 100;
    lgkt_learner *learner = learner_run_make("auto", &config);
    lgkt_auto *u = learner->self;
    unsigned char tracks[2][64];
    for (int i = 0; i < 2; i++)
        lgkt_fields_track(learner, LGKT_TRACK_OUT, tracks[i]);
    int64_t last[2] = {0, 0};
    double received[2] = {0, 0}, origin = 0;
    lgkt_rng rng = lgkt_rng_stream(4, "tracks", 0);
    for (int t = 0; t < 60; t++) {
        const int unit = t % 2;
        const double reward = lgkt_rng_uniform(&rng);
        origin = t == 0 ? reward : origin;
        learner->state = lgkt_rng_below(&rng, 3);
        learner->action = learner->class->act(learner, learner->state);
        assert_int_equal(u->hidden.last, last[unit]);
        if (last[unit] > 0)
            assert_true(u->hidden.pending == received[unit] - origin);
        learner->t++;
        assert_int_equal(learner->class->observe(learner, reward, t % 3, t % 7 == 0), LGKT_OK);
        last[unit] = t % 7 == 0 ? 0 : 2 * learner->state + learner->action + 1;
        received[unit] = reward;
        swap_track(learner, tracks[unit], tracks[1 - unit]);
        // a trajectory that begins has no step before
        if (t == 40) {
            lgkt_learner_begin(learner);
            last[1 - unit] = 0;
        }
    }
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_defined),
        cmocka_unit_test(test_no_alarm_without_hidden_state),
        cmocka_unit_test(test_alarm_where_it_matters),
        cmocka_unit_test(test_no_alarm_in_environments),
        cmocka_unit_test(test_two_steps_are_counted),
        cmocka_unit_test(test_trading),
        cmocka_unit_test(test_tracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
