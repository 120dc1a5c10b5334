// SPDX-License-Identifier: MIT
// The floor around a learner: with floor = 0 it is the learner within; else it is that learner,
// given a coin by hand (core/floor.h) and told as by take where the coin decides, in units with late
// rewards, keys and actions left out; what explain says is the formula.

#include "test.h"

#include "core/floor.h"
#include "learners/front/learner_private.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/resumed_run.h"

enum { STEPS = 60, ACTIONS = LEARNER_RUN_ACTIONS, UNITS = 4, MOST_SPEC = 200 };

static void wrap(char spec[MOST_SPEC], const char *inner, double floor)
{
    snprintf(spec, MOST_SPEC, "explore:of=(%s),floor=%.17g", inner, floor);
}

// the next spec that may be within, from number *i on
static bool next_inner(int32_t *i, const lgkt_learner_config *config, char spec[LEARNER_RUN_SPEC])
{
    for (; learner_run_spec(*i, spec); ++*i) {
        lgkt_learner *learner = NULL;
        const bool made = lgkt_learner_create(spec, config, &learner, NULL) == LGKT_OK;
        const bool serves = made && learner_run_can_serve(learner);
        lgkt_learner_destroy(learner);
        if (serves)
            return true;
    }
    return false;
}

static void test_without_a_floor_it_is_the_learner_within(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    char inner[LEARNER_RUN_SPEC], spec[MOST_SPEC];
    int count = 0;
    for (int32_t i = 0; next_inner(&i, &config, inner); i++, count++) {
        wrap(spec, inner, 0);
        learner_run run = {learner_run_make(spec, &config), *state, 4, 0.05, 0};
        learner_run plain = {learner_run_make(inner, &config), *state, 4, 0.05, 0};
        int32_t actions[STEPS], others[STEPS];
        learner_run_play(&run, STEPS, actions);
        learner_run_play(&plain, STEPS, others);
        assert_memory_equal(actions, others, sizeof actions);
        assert_memory_equal(&run.learner->rng, &plain.learner->rng, sizeof plain.learner->rng);
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(plain.learner);
    }
    assert_true(count > 60);
}

// ---- the same by hand, in units ----

typedef struct both {
    const char *spec;
    lgkt_units *whole, *inner;
    double floor;
    bool keyed;
} both;

static lgkt_units *make_units(const char *spec, const lgkt_learner_config *config, bool keyed)
{
    lgkt_learner_config own = *config;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    set.patience = 9;
    set.keys.state_limit = keyed ? 2 * LEARNER_RUN_STATES : 0;
    if (keyed) {
        own.problem.states = 0;
        own.problem.model = NULL;
    }
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_units_create(spec, &own, &set, &units, &error);
    if (status != LGKT_OK && status != LGKT_ERR_UNSUPPORTED && status != LGKT_ERR_CONFIG)
        fail_msg("%s: %s", spec, error.text);
    return units;
}

static void good(const both *b, lgkt_status status)
{
    if (status != LGKT_OK)
        fail_msg("%s: %s, %s", b->spec, lgkt_units_message(b->whole), lgkt_units_message(b->inner));
}

static lgkt_status settle(const both *b, lgkt_units *units, uint64_t unit, int32_t at)
{
    const char key = (char)at;
    return b->keyed ? lgkt_units_settle_key(units, unit, &key, 1)
                    : lgkt_units_settle(units, unit, at);
}

static lgkt_status explain(const both *b, const lgkt_units *units, uint64_t unit, int32_t at,
                           const uint8_t *allowed, lgkt_reason *reasons)
{
    const char key = (char)at;
    return b->keyed ? lgkt_units_explain_key(units, unit, &key, 1, allowed, reasons,
                                             sizeof *reasons, NULL)
                    : lgkt_units_explain(units, unit, at, allowed, reasons, sizeof *reasons, NULL);
}

static lgkt_status act(const both *b, lgkt_units *units, uint64_t unit, int32_t at,
                       const uint8_t *allowed, int32_t *action)
{
    const char key = (char)at;
    int64_t decision;
    return b->keyed ? lgkt_units_act_key(units, unit, &key, 1, allowed, &decision, action)
                    : lgkt_units_act(units, unit, at, allowed, &decision, action);
}

static lgkt_status take(const both *b, uint64_t unit, int32_t at, const uint8_t *allowed,
                        int32_t action)
{
    const char key = (char)at;
    int64_t decision;
    return b->keyed ? lgkt_units_take_key(b->inner, unit, &key, 1, allowed, action, &decision)
                    : lgkt_units_take(b->inner, unit, at, allowed, action, &decision);
}

// One decision of both, the floor of the inner one by hand.
static int32_t decide(const both *b, uint64_t seed, uint64_t unit, int32_t at,
                      const uint8_t *allowed)
{
    lgkt_reason of_whole[ACTIONS], of_inner[ACTIONS];
    const int64_t number = lgkt_units_decisions(b->inner);
    good(b, settle(b, b->whole, unit, at));
    good(b, settle(b, b->inner, unit, at));
    good(b, explain(b, b->whole, unit, at, allowed, of_whole));
    good(b, explain(b, b->inner, unit, at, allowed, of_inner));
    double k = 0;
    bool known = true;
    for (int32_t a = 0; a < ACTIONS; a++) {
        k += allowed == NULL || allowed[a] != 0;
        known &= !isnan(of_inner[a].probability);
    }
    for (int32_t a = 0; a < ACTIONS; a++) {
        const bool may = allowed == NULL || allowed[a] != 0;
        const double p = (1 - k * b->floor) * of_inner[a].probability + (may ? b->floor : 0);
        const double said = of_whole[a].probability;
        if (known ? !(fabs(said - p) <= 1e-15) : !isnan(said))
            fail_msg("%s: decision %lld, action %d: %.17g, by hand %.17g", b->spec,
                     (long long)number, (int)a, said, p);
        assert_true(of_whole[a].value == of_inner[a].value || isnan(of_inner[a].value));
    }
    int32_t chosen,
        action = lgkt_floor_action(b->floor, lgkt_floor_coin(seed, 0, number), allowed, ACTIONS);
    good(b, act(b, b->whole, unit, at, allowed, &chosen));
    good(b, action >= 0 ? take(b, unit, at, allowed, action)
                        : act(b, b->inner, unit, at, allowed, &action));
    if (chosen != action)
        fail_msg("%s: decision %lld is %d, by hand %d", b->spec, (long long)number, chosen, action);
    return action;
}

// Rewards come in the same round, two later, or never; units in turn, and in an order by chance.
static bool check_units(const char *inner, const lgkt_mdp *model, double floor, bool masked,
                        bool keyed)
{
    char spec[MOST_SPEC];
    lgkt_learner_config config = learner_run_config(model, 4 * STEPS);
    config.problem.masked = masked;
    config.seed = 17;
    wrap(spec, inner, floor);
    both b = {.spec = spec, .floor = floor, .keyed = keyed};
    b.whole = make_units(spec, &config, keyed);
    b.inner = make_units(inner, &config, keyed);
    const bool made = b.inner != NULL;
    if (made != (b.whole != NULL))
        fail_msg("%s: one can be made", spec);
    lgkt_rng rng = lgkt_rng_stream(3, "world", 0);
    double rewards[STEPS];
    int32_t at[UNITS] = {0};
    for (int64_t t = 0; t < STEPS && made; t++) {
        const uint64_t unit = (uint64_t)lgkt_rng_below(&rng, UNITS);
        uint8_t some[ACTIONS] = {1, 1, 1, 1};
        some[lgkt_rng_below(&rng, ACTIONS)] = 0;
        some[lgkt_rng_below(&rng, ACTIONS)] = 0;
        const uint8_t *allowed = masked && t % 3 > 0 ? some : NULL;
        const int32_t action = decide(&b, config.seed, unit, at[unit], allowed);
        const lgkt_row row = lgkt_mdp_row(model, at[unit], action);
        rewards[t] = lgkt_rng_uniform(&rng);
        at[unit] = row.next[lgkt_sample_index(row.p, row.n, lgkt_rng_uniform(&rng))];
        for (int64_t d = t; d >= 0 && d >= t - 2; d -= 2)
            if ((d % 4 < 2) == (d == t) && d % 7 != 6) {
                good(&b, lgkt_units_reward(b.whole, d, rewards[d]));
                good(&b, lgkt_units_reward(b.inner, d, rewards[d]));
            }
    }
    lgkt_units_destroy(b.whole);
    lgkt_units_destroy(b.inner);
    return made;
}

static void test_units_are_as_by_hand(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    char inner[LEARNER_RUN_SPEC];
    int count = 0, masked = 0, keyed = 0;
    for (int32_t i = 0; next_inner(&i, &config, inner); i++) {
        uint32_t traits = 0;
        assert_int_equal(lgkt_learner_traits(inner, &traits, NULL), LGKT_OK);
        count += check_units(inner, *state, 0.1, false, false);
        check_units(inner, *state, 0.25, false, false);
        if (traits & LGKT_TRAIT_MASKED)
            masked += check_units(inner, *state, 0.1, true, false);
        if (traits & LGKT_TRAIT_GROWN && !learner_run_is_oracle(inner))
            keyed += check_units(inner, *state, 0.1, traits & LGKT_TRAIT_MASKED, true);
    }
    assert_true(count > 50 && masked > 30 && keyed > 30);
}

// ---- the plain front ----

// One unit whose reports are prompt is the plain learner, so that the plain front feeds, too.
static void test_plain_learner_is_one_unit(void **state)
{
    static const char *const inner[] = {"auto",
                                        "lg2t",
                                        "plugin",
                                        "ucrl2",
                                        "psrl",
                                        "q-greedy",
                                        "window:of=lg1t,steps=11",
                                        "anytime:of=lg2t,first=8"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        char spec[MOST_SPEC];
        wrap(spec, inner[i], 0.1);
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run run = {learner_run_make(spec, &config), *state, 4, 0.05, 0};
        lgkt_units *units = make_units(spec, &config, false);
        for (int64_t t = 0; t < STEPS; t++) {
            int32_t action, other;
            int64_t decision;
            assert_int_equal(lgkt_units_act(units, 1, run.state, NULL, &decision, &other), LGKT_OK);
            assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &action), LGKT_OK);
            assert_int_equal(action, other);
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_units_reward(units, decision, step.reward), LGKT_OK);
            assert_int_equal(lgkt_units_next(units, decision, step.state, step.ended), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
        }
        lgkt_units_destroy(units);
        lgkt_learner_destroy(run.learner);
    }
}

static void test_saved_and_loaded_at_every_point(void **state)
{
    static const char *const inner[] = {"auto",
                                        "lg2t",
                                        "psrl",
                                        "lg1t-rl:cutoff=25,rl=ucb",
                                        "window:of=lg1t,steps=11",
                                        "anytime:of=plugin,first=8"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        char spec[MOST_SPEC];
        wrap(spec, inner[i], 0.1);
        resumed_run_check(spec, *state, STEPS);
    }
}

// The coin alone decides, so that `anytime` is told nothing of the time that has passed.
static void test_memory_for_steps_of_the_coin(void **state)
{
    char spec[MOST_SPEC];
    wrap(spec, "anytime:of=ucrl2,first=2", 0.25);
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = learner_run_config(*state, STEPS);
    config.allocator = fault_allocator(&memory);
    learner_run run = {learner_run_make(spec, &config), *state, 4, 0.05, 0};
    learner_run_play(&run, STEPS, NULL);
    assert_int_equal(learner_run_counter(run.learner, "told"), 2);
    lgkt_learner_destroy(run.learner);
    assert_true(fault_is_clean(&memory));
}

// ---- what is refused ----

static void test_refusals(void **state)
{
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"explore:floor=0.3", "floor = 0.3 must be in [0, 0.25]"},
        {"explore:floor=-0.1", "floor"},
        {"explore:floor=nan", "floor"},
        {"explore:of=sarsa", "\"sarsa\" cannot serve \"explore\""},
        {"explore:of=mdp-oomd,floor=0", "its samples are weighted"},
        {"explore:of=explore", "\"explore\" cannot serve \"explore\": it must be the outermost"},
        {"anytime:of=explore", "\"explore\" cannot serve \"anytime\""},
        {"window:of=explore", "\"explore\" cannot serve \"window\""},
    };
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(cases[i].spec, &config, &learner, &error), LGKT_ERR_SPEC,
                       error, cases[i].words);
    }
}

static void test_default_floor(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = 2, .actions = 4, .horizon = 10};
    lgkt_learner *learner = learner_run_make("explore:of=ucb", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "floor=0.02"));
    lgkt_learner_destroy(learner);
    config.problem.actions = 50;
    learner = learner_run_make("explore:of=ucb", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "floor=0.004"));
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_floor_it_is_the_learner_within),
        cmocka_unit_test(test_units_are_as_by_hand),
        cmocka_unit_test(test_plain_learner_is_one_unit),
        cmocka_unit_test(test_saved_and_loaded_at_every_point),
        cmocka_unit_test(test_memory_for_steps_of_the_coin),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_default_floor),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
