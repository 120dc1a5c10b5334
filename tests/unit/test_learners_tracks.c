// SPDX-License-Identifier: MIT
// What belongs to one trajectory: of every named learner it is all that a cut would cut, and of the
// thresholding ones two units keep theirs apart.

#include "test.h"

#include "learners/lgkt/thresholding.h"
#include "ref/learner_run.h"

static size_t track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    return lgkt_learner_track(learner, way, bytes);
}

// ---- every name ----

// With the track of one that begins there is nothing left for begin to cut, and with its own back
// in a learner is as it was.
static void test_a_track_has_all_that_begin_cuts(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    int tracked = 0;
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        const lgkt_learner_config config = learner_run_config(*state, 40);
        learner_run run = {learner_run_make(spec, &config), *state, 4, 0.05, 0};
        lgkt_learner *learner = run.learner;
        unsigned char fresh[512], own[512];
        const size_t size = track(learner, LGKT_TRACK_OUT, NULL);
        assert_true(size <= sizeof own);
        if (size > 0 && learner->unpooled == NULL) {
            tracked++;
            track(learner, LGKT_TRACK_OUT, fresh);
            for (int t = 0; t < 40; t++) {
                learner_run_play(&run, 1, NULL);
                const uint64_t hash = lgkt_learner_hash(learner);
                track(learner, LGKT_TRACK_OUT, own);
                track(learner, LGKT_TRACK_IN, fresh);
                const uint64_t begun = lgkt_learner_hash(learner);
                lgkt_learner_begin(learner);
                if (lgkt_learner_hash(learner) != begun)
                    fail_msg("%s at step %d: begin cuts more than the track has", spec, t);
                track(learner, LGKT_TRACK_IN, own);
                if (lgkt_learner_hash(learner) != hash)
                    fail_msg("%s at step %d: another state with its own track", spec, t);
            }
        }
        lgkt_learner_destroy(learner);
    }
    assert_true(tracked > 30);
}

// ---- thresholding ----

// half the states are one unit's, half the other's
static lgkt_step walk(int32_t unit, int64_t step, int32_t state, int32_t action)
{
    lgkt_rng rng = lgkt_rng_stream((uint64_t)unit, "walk", (uint64_t)step);
    lgkt_step made = {.state = 3 * unit + (int32_t)((state + action + step / 3) % 3)};
    made.reward = 0.3 * (action == state % 3) + 0.4 * lgkt_rng_uniform(&rng);
    return made;
}

static double half_coin(void *ctx, int64_t t)
{
    (void)ctx, (void)t;
    return 0.3;
}

// Where nothing is drawn, two units in separate states do with one learner what they do with one
// each: runs, coins and the pair before are their own.
static void check_two_units(const char *spec)
{
    enum { STEPS = 200 };
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 6;
    config.problem.actions = 3;
    config.problem.horizon = 2 * STEPS;
    config.coin = half_coin;
    lgkt_learner *own[2], *both = learner_run_make(spec, &config);
    unsigned char tracks[2][256];
    const size_t size = track(both, LGKT_TRACK_OUT, NULL);
    assert_true(size > 0 && size <= sizeof tracks[0]);
    assert_null(both->unpooled);
    int32_t at[2] = {0, 3};
    for (int u = 0; u < 2; u++) {
        own[u] = learner_run_make(spec, &config);
        track(both, LGKT_TRACK_OUT, tracks[u]);
    }
    lgkt_rng rng = lgkt_rng_stream(12, "turns", 0);
    int64_t steps[2] = {0, 0};
    while (steps[0] < STEPS && steps[1] < STEPS) {
        const int u = lgkt_rng_bernoulli(&rng, 0.5);
        track(both, LGKT_TRACK_IN, tracks[u]);
        const uint64_t hash = lgkt_learner_hash(both);
        track(both, LGKT_TRACK_IN, tracks[1 - u]);
        track(both, LGKT_TRACK_IN, tracks[u]);
        assert_true(lgkt_learner_hash(both) == hash);
        both->next_state = -1;
        int32_t action = -1, expected = -1;
        assert_int_equal(lgkt_learner_act(both, at[u], NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_act(own[u], at[u], NULL, &expected), LGKT_OK);
        if (action != expected)
            fail_msg("%s: unit %d at its step %lld plays %d, alone %d", spec, u,
                     (long long)steps[u], action, expected);
        const lgkt_step step = walk(u, steps[u]++, at[u], action);
        assert_int_equal(lgkt_learner_observe(both, step.reward, step.state, false), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(own[u], step.reward, step.state, false), LGKT_OK);
        at[u] = step.state;
        track(both, LGKT_TRACK_OUT, tracks[u]);
    }
    int64_t runs = 0;
    for (int u = 0; u < 2; u++) {
        runs += learner_run_counter(own[u], "runs");
        lgkt_learner_destroy(own[u]);
    }
    assert_true(runs > 20);
    assert_int_equal(learner_run_counter(both, "runs"), runs);
    lgkt_learner_destroy(both);
}

static void test_units_keep_their_runs(void **state)
{
    (void)state;
    check_two_units("lg2t");
    check_two_units("lg2t:continuation=received,refresh=always");
    check_two_units("lgkt:k=3,ties=high,sampler=(lg1t)");
    // the sampler always runs, so that its own pair before matters
    check_two_units("lgkt:k=4,ties=high,sampler=(lg2t:coin=paper,p=0)");
}

// a learner of one unit, led to an open run; *fresh gets the track of one that has just begun
static lgkt_learner *open_run(const char *spec, unsigned char fresh[256])
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 3;
    config.problem.actions = 2;
    config.problem.horizon = 1000;
    config.coin = half_coin;
    lgkt_learner *learner = learner_run_make(spec, &config);
    track(learner, LGKT_TRACK_OUT, fresh);
    const lgkt_thresholding *f = learner->self;
    for (int32_t s = 0; f->track.run.left == 0; s = (s + 1) % 3) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, 0.5, (s + 1) % 3, false), LGKT_OK);
    }
    return learner;
}

static int64_t samples_of(const lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    int64_t samples = 0;
    for (size_t z = 0; z < 6; z++)
        samples += f->continuations[z].nc;
    return samples;
}

// A run whose reward is missing is given up by a fresh track, and counts for nothing; begin counts
// what it has earned.
static void test_a_run_is_given_up(void **state)
{
    (void)state;
    unsigned char fresh[256];
    for (int gives_up = 0; gives_up < 2; gives_up++) {
        lgkt_learner *learner = open_run("lgkt:k=3,sampler=lg1t", fresh);
        const lgkt_thresholding *f = learner->self;
        const int64_t samples = samples_of(learner);
        if (gives_up)
            track(learner, LGKT_TRACK_IN, fresh);
        else
            lgkt_learner_begin(learner);
        assert_true(f->track.run.left == 0 && f->track.previous.state < 0 && f->track.eps < 0);
        assert_int_equal(samples_of(learner), samples + !gives_up);
        lgkt_learner_destroy(learner);
    }
}

static void test_who_cannot_be_shared(void **state)
{
    static const struct {
        const char *spec;
        bool shared;
    } cases[] = {
        {"lg1t", true},
        {"lgkt:k=3", true},
        {"lgkt:k=2,profile=paper", false},
        {"lg1t-rl:rl=(lgkt:k=2,profile=paper)", false},
        {"lg1t-rl:rl=(lgkt:k=2)", true},
    };
    const lgkt_learner_config config = learner_run_config(*state, 400);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = learner_run_make(cases[i].spec, &config);
        assert_int_equal(learner->unpooled == NULL, cases[i].shared);
        lgkt_learner_destroy(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_track_has_all_that_begin_cuts),
        cmocka_unit_test(test_units_keep_their_runs),
        cmocka_unit_test(test_a_run_is_given_up),
        cmocka_unit_test(test_who_cannot_be_shared),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
