// SPDX-License-Identifier: MIT
// labels: slow
// Acts among some of the actions, by every named learner: no other is played, all of them are as
// none said, what is refused changes nothing, saved runs go on, and plans do not long for what is
// never there.

#include "test.h"

#include <stdlib.h>

#include "learners/front/learner_private.h"
#include "ref/fault.h"
#include "ref/masked_run.h"
#include "ref/models.h"
#include "ref/saved_bytes.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS, STEPS = 60 };

static lgkt_learner_config masked_config(const lgkt_mdp *model, int64_t horizon)
{
    lgkt_learner_config config = learner_run_config(model, horizon);
    config.problem.masked = true;
    return config;
}

// masks at random: masked_run_play looks at what is played; a copy that is saved and loaded again
// and again plays the same, up to the last bit
static void test_random_masks(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        const lgkt_learner_config config = masked_config(*state, STEPS);
        learner_run run = {learner_run_make(spec, &config), *state, 11, 0.1, 0}, other = run;
        other.learner = learner_run_make(spec, &config);
        for (int t = 0; t < STEPS; t++) {
            if (t % 4 == 3) {
                saved_bytes saved = saved_bytes_of(other.learner);
                lgkt_learner_destroy(other.learner);
                other.learner = saved_bytes_load(&saved, &config);
                saved_bytes_free(&saved);
            }
            int32_t action = -1, again = -1;
            masked_run_play(&run, 1, &action);
            masked_run_play(&other, 1, &again);
            if (action != again ||
                lgkt_learner_hash(run.learner) != lgkt_learner_hash(other.learner))
                fail_msg("%s: goes on otherwise at %d after it was loaded", spec, t);
        }
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(other.learner);
    }
}

// with everything allowed it is the plain learner, however that is said
static void test_all_allowed(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    static const uint8_t ones[ACTIONS] = {1, 1, 1, 1}, any[ACTIONS] = {255, 1, 7, 128};
    static const uint8_t *const masks[] = {ones, any, NULL};
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        // told or not that there will be masks
        for (int told = 0; told <= 1; told++) {
            lgkt_learner_config config = learner_run_config(*state, STEPS);
            learner_run plain = {learner_run_make(spec, &config), *state, 12, 0.1, 0};
            config.problem.masked = told == 1;
            learner_run run = plain;
            run.learner = learner_run_make(spec, &config);
            for (int t = 0; t < STEPS; t++) {
                int32_t action = -1, expected = -2;
                learner_run_play(&plain, 1, &expected);
                assert_int_equal(lgkt_learner_act(run.learner, run.state, masks[t % 3], &action),
                                 LGKT_OK);
                if (action != expected)
                    fail_msg("%s: plays %d in place of %d at %d", spec, action, expected, t);
                const lgkt_step step = learner_run_outcome(&run, action);
                assert_int_equal(
                    lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                    LGKT_OK);
                run.state = step.state;
            }
            lgkt_learner_destroy(plain.learner);
            lgkt_learner_destroy(run.learner);
        }
    }
}

// ---- bad input ----

static void refuse(learner_run *run, const uint8_t *allowed, lgkt_status expected,
                   const char *words)
{
    const uint64_t hash = lgkt_learner_hash(run->learner);
    int32_t action = -7;
    const lgkt_status status = lgkt_learner_act(run->learner, run->state, allowed, &action);
    const char *said = lgkt_learner_message(run->learner);
    if (status != expected || strstr(said, words) == NULL || strchr(said, '\n') != NULL)
        fail_msg("%s: %s: \"%s\"", lgkt_learner_spec(run->learner), lgkt_status_name(status), said);
    assert_int_equal(action, -7);
    assert_true(lgkt_learner_hash(run->learner) == hash);
}

static void test_refusals(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    static const uint8_t none[ACTIONS] = {0}, some[ACTIONS] = {1, 0, 1, 0};
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        // made without masks, and with them
        for (int masked = 0; masked < 2; masked++) {
            lgkt_learner_config config = learner_run_config(*state, 20);
            config.problem.masked = masked == 1;
            learner_run run = {learner_run_make(spec, &config), *state, 13, 0, 0}, plain = run;
            plain.learner = learner_run_make(spec, &config);
            for (int t = 0; t < 20; t++) {
                refuse(&run, none, LGKT_ERR_ARGUMENT, "none of the 4 actions is allowed");
                if (masked == 0)
                    refuse(&run, some, LGKT_ERR_CONFIG, "problem.masked");
                int32_t action = -1, expected = -2;
                learner_run_play(&run, 1, &action);
                learner_run_play(&plain, 1, &expected);
                assert_int_equal(action, expected);
            }
            refuse(&run, some, LGKT_ERR_HORIZON, "over");
            lgkt_learner_destroy(run.learner);
            lgkt_learner_destroy(plain.learner);
        }
    }
    // out of order, and arguments that are missing
    const lgkt_learner_config config = masked_config(*state, 20);
    learner_run run = {learner_run_make("auto", &config), *state, 13, 0, 0};
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(NULL, 0, some, &action), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_act(run.learner, 0, some, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_act(run.learner, STATES, some, &action), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_act(run.learner, 0, some, &action), LGKT_OK);
    refuse(&run, some, LGKT_ERR_PROTOCOL, "not been observed");
    lgkt_learner_destroy(run.learner);
}

// ---- what is never there ----

// A walk along four places: back, which pays a little at the first, or on, which pays at the last.
// `wide` has five actions, of which each place knows two, other ones everywhere; in `narrow` these
// two are all there is.
enum { PLACES = 4, WIDE = 5, NARROW = 2, WALK = 1200, WALKS = 3 };

static int32_t wide_action(int32_t place, int32_t move)
{
    return (2 * place + 3 * move) % WIDE;
}

static lgkt_mdp *make_walk(bool wide)
{
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    const int32_t actions = wide ? WIDE : NARROW;
    assert_ok(lgkt_mdp_builder_create(PLACES, actions, NULL, &builder, &error), error);
    for (int32_t s = 0; s < PLACES; s++) {
        const int32_t back = s > 0 ? s - 1 : 0, on = s < PLACES - 1 ? s + 1 : s;
        bool known[WIDE] = {false};
        for (int32_t move = 0; move < 2; move++) {
            const int32_t a = wide ? wide_action(s, move) : move;
            known[a] = true;
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, move ? on : back, 0.9), LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, move ? back : on, 0.1), LGKT_OK);
            const double pays = move == 0 && s == 0 ? 0.2 : move == 1 && s == PLACES - 1;
            assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, pays), LGKT_OK);
        }
        for (int32_t a = 0; a < actions; a++)
            if (!known[a])
                assert_int_equal(lgkt_mdp_builder_forbid(builder, s, a), LGKT_OK);
    }
    assert_int_equal(lgkt_mdp_builder_start(builder, 0), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

// what is not there is told to be as good as the best, and to stay at the first place
static void praise(lgkt_learner *learner, const lgkt_mdp *model)
{
    for (int i = 0; i < 20; i++)
        for (int32_t a = 0; a < lgkt_mdp_actions(model); a++)
            if (!lgkt_mdp_allowed(model, 0, a))
                assert_int_equal(lgkt_learner_feed(learner, 0, a, 1, 0, false), LGKT_OK);
}

// the mean reward, by the model, of the second half of some runs
static double walk(const char *spec, const lgkt_mdp *model, bool praised)
{
    double sum = 0;
    const int32_t actions = lgkt_mdp_actions(model);
    for (int i = 0; i < WALKS; i++) {
        lgkt_learner_config config = masked_config(model, WALK);
        config.instance = (uint64_t)i;
        learner_run run = {learner_run_make(spec, &config), model, (uint64_t)i, 0, 0};
        if (praised)
            praise(run.learner, model);
        for (int t = 0; t < WALK; t++) {
            uint8_t allowed[WIDE];
            int32_t action = -1;
            for (int32_t a = 0; a < actions; a++)
                allowed[a] = lgkt_mdp_allowed(model, run.state, a);
            assert_int_equal(lgkt_learner_act(run.learner, run.state, allowed, &action), LGKT_OK);
            assert_true(allowed[action] != 0);
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, false),
                             LGKT_OK);
            run.state = step.state;
            sum += t >= WALK / 2 ? step.mean_reward : 0;
        }
        lgkt_learner_destroy(run.learner);
    }
    return sum / (WALKS * (WALK / 2));
}

static void test_plans_leave_out_what_is_never_offered(void **state)
{
    (void)state;
    // those that find the way within so many steps
    static const char *const planners[] = {
        "auto",
        "auto:refresh=50,reward-min=0,reward-max=50",
        "plugin",
        "plugin:k=6,threshold=none",
        "ucrl2",
        "klucrl",
        "pmevi-ucrl2",
        "pmevi-klucrl",
        "ucrl3",
        "psrl",
        "psrl-optimistic",
        "imed-rl",
        "mbie-eb",
        "beb",
        "r-max",
        "optimal",
        "anytime:of=auto",
        "window:of=plugin",
        "lg1t-rl:cutoff=15,rl=ucrl2",
        "lg1t-rl:cutoff=10,rl=auto",
    };
    lgkt_mdp *wide = make_walk(true), *narrow = make_walk(false);
    for (size_t i = 0; i < sizeof planners / sizeof *planners; i++) {
        const char *spec = planners[i];
        const double without = walk(spec, narrow, false);
        const double with = walk(spec, wide, false), praised = walk(spec, wide, true);
        assert_between(without, 0.8, 1);
        if (!(with >= without - 0.04 && praised >= without - 0.04))
            fail_msg("%s: earns %.3f, and %.3f if what is not there is praised; without it %.3f",
                     spec, with, praised, without);
    }
    lgkt_mdp_destroy(wide);
    lgkt_mdp_destroy(narrow);
}

// an act that memory is out for has changed nothing, also if its mask opens or closes an action
static void test_acts_without_memory(void **state)
{
    static const char *const specs[] = {
        "anytime:of=ucrl2,first=2",
        "anytime:of=(lg1t-rl:cutoff=3,rl=ucbvi),first=2",
        "lg1t-rl:cutoff=5,rl=(anytime:of=ucrl2,first=2)",
        "lgkt:k=2,sampler=ucrl2,sampler-scope=per-pair",
        "lgkt:k=2,sampler=(anytime:of=psrl,first=1)",
        "lgkt:k=2,sampler=(anytime:of=ucrl2,first=2),sampler-scope=per-pair",
        "window:of=(anytime:of=ucrl2,first=2),steps=7",
        "lg1t-rl:cutoff=3,first=(lg2t:sampler-scope=per-pair,sampler=ucb),rl=ucrl2",
    };
    int refused = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fault f;
        fault_init(&f);
        lgkt_learner_config config = masked_config(*state, STEPS);
        learner_run plain = {learner_run_make(specs[i], &config), *state, 11, 0.1, 0};
        config.allocator = fault_allocator(&f);
        learner_run run = plain;
        run.learner = learner_run_make(specs[i], &config);
        for (int t = 0; t < STEPS / 3; t++) {
            uint8_t allowed[ACTIONS];
            int32_t action = -1, other = -1;
            masked_run_mask(run.seed, t, ACTIONS, allowed);
            const uint64_t hash = lgkt_learner_hash(run.learner);
            lgkt_status status = LGKT_ERR_NO_MEMORY;
            for (int k = 1; status != LGKT_OK; k++) {
                fault_fail_at(&f, k, k % 2 == 0);
                status = lgkt_learner_act(run.learner, run.state, allowed, &action);
                fault_fail_at(&f, 0, false);
                if (status == LGKT_OK)
                    break;
                assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                refused++;
                if (lgkt_learner_hash(run.learner) != hash)
                    fail_msg("%s: refused at %d without allocation %d, it is another", specs[i], t,
                             k);
            }
            masked_run_play(&plain, 1, &other);
            assert_int_equal(action, other);
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
        }
        assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(plain.learner));
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(plain.learner);
        assert_true(fault_is_clean(&f));
    }
    assert_true(refused > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_masks),
        cmocka_unit_test(test_all_allowed),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_plans_leave_out_what_is_never_offered),
        cmocka_unit_test(test_acts_without_memory),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
