// SPDX-License-Identifier: MIT
// labels: slow
// Why planners choose as they do, with settings that the defaults do not show: what they say is
// what copies with other streams play, with masks and without, a loaded one says the same, and a
// horizon that moves calls for another plan where one looks to the end.
//
// Each count of copies may lie as far from its mean as Bernstein's inequality lets it with
// probability 1e-7 (chance.h); there are fewer than 10^4 counts.

#include "test.h"

#include "learners/planners/psrl.h"
#include "ref/chance.h"
#include "ref/masked_run.h"
#include "ref/saved_bytes.h"

enum { ACTIONS = LEARNER_RUN_ACTIONS, STATES = LEARNER_RUN_STATES, STEPS = 60, COPIES = 60 };

static const char *const specs[] = {
    "ucrl2:episodes=doubling,bound=original",
    "klucrl:episodes=doubling,delta=0.5",
    "pmevi-klucrl:span=0.5,delta=0.5",
    "ucrl2:profile=released",
    "klucrl:profile=released,delta=0.9",
    "pmevi-klucrl:profile=released,delta=0.9",
    "klucrl:rows=drifting,radius=0.01,opening=random",
    "pmevi-ucrl2:legs=open,projection=released,episodes=vanishing-now",
    "ucrl2b:ties=least-visited,constant=1",
    "ucrl3:support=seen,certain=1,episodes=doubling",
    "imed-rl:index=p0",
    "mbie-eb:lazy=1,cap=1,beta=3",
    "beb:lazy=1",
    "r-max:m=2,freeze=1",
    "ucbvi:h=4,bonus=0.01",
    "psrl:schedule=doubling,ties=least-visited",
    "psrl:schedule=ds,split=vertex,reward=beta",
    "psrl:schedule=every,tau=7,reward=ng-free",
    "psrl:schedule=coin,g=0.5",
    "psrl:plan=left,schedule=every,tau=9",
    "psrl-optimistic:psi=2,eta=3,plan=left",
    "mdp-oomd:b=3,n=1,eta=0.2",
};

static bool may_draw(const char *spec)
{
    return strncmp(spec, "psrl", 4) == 0;
}

// NaN is equal to NaN
static bool is_same(const lgkt_reason *a, const lgkt_reason *b)
{
    double x[7], y[7];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    bool same = true;
    for (int i = 0; i < 7; i++)
        same = same && (x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
    return same;
}

static lgkt_learner *load(const saved_bytes *saved)
{
    const lgkt_learner_config config = lgkt_learner_config_default();
    return saved_bytes_load(saved, &config);
}

// what copies play, with the streams of other seeds
static void check_copies(const lgkt_learner *learner, const saved_bytes *saved, int32_t state,
                         const uint8_t *allowed, const lgkt_reason *reasons)
{
    int64_t counts[ACTIONS] = {0};
    lgkt_learner_config config = lgkt_learner_config_default();
    config.reseed = true;
    for (int i = 0; i < COPIES; i++) {
        config.seed = (uint64_t)i + 77;
        lgkt_learner *copy = saved_bytes_load(saved, &config);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(copy, state, allowed, &action), LGKT_OK);
        counts[action]++;
        lgkt_learner_destroy(copy);
    }
    for (int32_t a = 0; a < ACTIONS; a++) {
        const double p = reasons[a].probability;
        const double slack = p > 0 && p < 1 ? chance_count_bound(COPIES, p) : 0;
        if (!(fabs((double)counts[a] - p * COPIES) <= slack))
            fail_msg("%s at %lld: action %d of probability %g was played in %lld of %d copies",
                     lgkt_learner_spec(learner), (long long)lgkt_learner_time(learner), a, p,
                     (long long)counts[a], COPIES);
    }
}

// one moment of a run; whether there is a law
static bool check_moment(const learner_run *run, const uint8_t *allowed, bool counts)
{
    const lgkt_learner *learner = run->learner;
    const char *spec = lgkt_learner_spec(learner);
    const uint64_t hash = lgkt_learner_hash(learner);
    lgkt_reason reasons[ACTIONS], others[ACTIONS];
    lgkt_error error = {0};
    assert_ok(
        lgkt_learner_explain(learner, run->state, allowed, reasons, sizeof(lgkt_reason), &error),
        error);
    saved_bytes saved = saved_bytes_of(learner);
    lgkt_learner *loaded = load(&saved);
    assert_ok(
        lgkt_learner_explain(loaded, run->state, allowed, others, sizeof(lgkt_reason), &error),
        error);
    double sum = 0;
    for (int32_t a = 0; a < ACTIONS; a++) {
        if (!is_same(&reasons[a], &others[a]))
            fail_msg("%s: a loaded one says other things of action %d", spec, a);
        // it tells which action it would play, and what it knows of all that were tried
        assert_true(reasons[a].visits > 0 ? isfinite(reasons[a].mean_reward) : true);
        assert_false(reasons[a].visits < 0 || isinf(reasons[a].value) || isinf(reasons[a].upper));
        sum += reasons[a].probability;
    }
    const bool law = !isnan(sum);
    assert_true(!law || fabs(sum - 1) < 1e-12);
    assert_true(law || may_draw(spec));
    if (law && counts)
        check_copies(learner, &saved, run->state, allowed, reasons);
    assert_true(lgkt_learner_hash(learner) == hash);
    // the loaded one plays on as the other will: nothing of a mask stays behind
    int32_t one = -1, two = -2;
    assert_int_equal(lgkt_learner_act(loaded, run->state, allowed, &one), LGKT_OK);
    assert_int_equal(lgkt_learner_act(run->learner, run->state, allowed, &two), LGKT_OK);
    assert_int_equal(one, two);
    assert_true(allowed == NULL || allowed[one] != 0);
    if (law && !(reasons[one].probability > 0))
        fail_msg("%s plays what it says it would not", spec);
    if (lgkt_learner_hash(loaded) != lgkt_learner_hash(learner))
        fail_msg("%s: goes on otherwise after it was loaded", spec);
    lgkt_learner_destroy(loaded);
    saved_bytes_free(&saved);
    return law;
}

// plain steps, then masks, then both in turn
static void test_what_is_said_is_played(void **state)
{
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        config.problem.masked = true;
        config.problem.model = NULL;
        learner_run run = {learner_run_make(specs[i], &config), *state, 9, 0.1, 0};
        int laws = 0;
        for (int t = 0; t < STEPS; t++) {
            uint8_t allowed[ACTIONS];
            masked_run_mask(run.seed, t, ACTIONS, allowed);
            const bool masked = t >= 15 && (t < 35 || t % 2 == 0);
            laws += check_moment(&run, masked ? allowed : NULL, t % 4 == 2);
            const lgkt_step step = learner_run_outcome(&run, run.learner->action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
        }
        // a coin may always come up
        const bool coin = strstr(specs[i], "coin") != NULL;
        assert_true(coin ? laws == 0 : laws > STEPS / 3);
        lgkt_learner_destroy(run.learner);
    }
}

// ---- the end ----

static const lgkt_psrl *inside(const lgkt_learner *learner)
{
    return learner->self;
}

// one that plans for the steps left, and believes in a walk round all states, whose values do not
// soon grow alike
static lgkt_learner *make_left(const lgkt_learner_config *config)
{
    lgkt_learner *learner =
        learner_run_make("psrl:plan=left,schedule=every,tau=100000,precision=1e-12", config);
    for (int32_t s = 0; s < STATES; s++)
        for (int32_t a = 0; a < ACTIONS; a++)
            for (int i = 0; i < 300; i++)
                assert_int_equal(lgkt_learner_feed(learner, s, a, 0.3 * (s + 1) * (a + 1),
                                                   (s + 1) % STATES, false),
                                 LGKT_OK);
    return learner;
}

// What was learned is kept and a model is drawn anew, with tables up to the new end; the other way
// round too, and between an act and its observe.
static void test_another_end(void **state)
{
    static const int64_t horizons[] = {31, 45, 2500};
    for (int masked = 0; masked < 2; masked++)
        for (int acted = 0; acted < 2; acted++)
            for (int i = 0; i < 3; i++) {
                lgkt_learner_config config = learner_run_config(*state, 40);
                config.problem.masked = masked == 1;
                learner_run run = {make_left(&config), *state, 2, 0, 0};
                learner_run_play(&run, 20, NULL);
                assert_int_equal(inside(run.learner)->resampled, 1);
                assert_int_equal(inside(run.learner)->tables, 40);
                lgkt_reason before[STATES * ACTIONS], after[STATES * ACTIONS];
                lgkt_error error = {0};
                assert_ok(
                    lgkt_learner_explain_all(run.learner, before, sizeof(lgkt_reason), &error),
                    error);
                int32_t action = -1;
                if (acted)
                    assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &action),
                                     LGKT_OK);
                assert_int_equal(lgkt_learner_set_horizon(run.learner, horizons[i]), LGKT_OK);
                assert_ok(lgkt_learner_explain_all(run.learner, after, sizeof(lgkt_reason), &error),
                          error);
                for (int z = 0; z < STATES * ACTIONS; z++) {
                    assert_true(before[z].visits == after[z].visits);
                    assert_true(isnan(after[z].probability));
                }
                if (acted) {
                    const lgkt_step step = learner_run_outcome(&run, action);
                    assert_int_equal(
                        lgkt_learner_observe(run.learner, step.reward, step.state, false), LGKT_OK);
                    run.state = step.state;
                }
                // saved and loaded before the draw, and on to the end
                saved_bytes saved = saved_bytes_of(run.learner);
                learner_run other = run;
                other.learner = load(&saved);
                const int64_t left = horizons[i] - 20 - acted;
                learner_run_play(&run, left, NULL);
                learner_run_play(&other, left, NULL);
                assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(other.learner));
                assert_true(inside(run.learner)->resampled >= 2);
                assert_int_equal(inside(run.learner)->length, 20 + acted);
                assert_in_range(inside(run.learner)->tables, left < 1000 ? left : 1000,
                                left < 2000 ? left : 2000);
                saved_bytes_free(&saved);
                lgkt_learner_destroy(run.learner);
                lgkt_learner_destroy(other.learner);
            }
}

// a unit's own end counts, and plans reach far enough for all units
static void test_the_end_of_a_unit(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 100);
    lgkt_learner *learner = make_left(&config);
    learner->unit.left = 1;
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
    const lgkt_psrl *p = inside(learner);
    assert_int_equal(p->tables, 100);
    assert_int_equal(action, p->left[0]);
    assert_int_equal(lgkt_learner_observe(learner, 0.5, 1, false), LGKT_OK);
    for (int64_t left = 1; left <= 100; left += 9) {
        lgkt_reason reasons[ACTIONS];
        learner->unit.left = left;
        assert_int_equal(lgkt_learner_explain(learner, 1, NULL, reasons, sizeof(lgkt_reason), NULL),
                         LGKT_OK);
        for (int32_t a = 0; a < ACTIONS; a++)
            assert_true(reasons[a].probability == (a == p->left[p->most_tables + left - 1]));
    }
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_said_is_played),
        cmocka_unit_test(test_another_end),
        cmocka_unit_test(test_the_end_of_a_unit),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
