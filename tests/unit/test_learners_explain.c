// SPDX-License-Identifier: MIT
// labels: slow
// Why, of every named learner: probabilities are those of what it plays, asking changes nothing,
// and the whole table says the same as its rows.
//
// Copies of a learner that go on with other streams show how often it plays what. Each count may
// lie as far from its mean as Bernstein's inequality lets it with probability 1e-7 (chance.h);
// there are some 10^4 counts, so that right learners pass with probability 0.999 over the seeds,
// which are fixed. Actions of probability 0 and 1 have no choice.

#include "test.h"

#include <stdlib.h>

#include "learners/auto/auto.h"
#include "learners/front/learner_private.h"
#include "ref/chance.h"
#include "ref/fault.h"
#include "ref/masked_run.h"
#include "ref/models.h"
#include "ref/saved_bytes.h"

enum {
    STATES = LEARNER_RUN_STATES,
    ACTIONS = LEARNER_RUN_ACTIONS,
    STEPS = 36,
    COPIES = 200, // where something is drawn
    ALIKE = 10,   // where nothing is
    FIELDS = sizeof(lgkt_reason) / sizeof(double)
};

// when frequencies are looked at
static bool is_counted(int t)
{
    return t == 5 || t == 17 || t == 31;
}

// at some steps these draw a model before they choose
static bool may_draw(const char *spec)
{
    return strstr(spec, "psrl") != NULL;
}

// ---- numbers ----

static bool is_same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static void assert_same_reasons(const char *spec, const lgkt_reason *x, const lgkt_reason *y)
{
    for (int32_t a = 0; a < ACTIONS; a++) {
        double one[FIELDS], other[FIELDS];
        memcpy(one, &x[a], sizeof one);
        memcpy(other, &y[a], sizeof other);
        for (int i = 0; i < FIELDS; i++)
            if (!is_same(one[i], other[i]))
                fail_msg("%s: field %d of action %d is %.17g and %.17g", spec, i, a, one[i],
                         other[i]);
    }
}

// a law on the allowed actions, or nothing at all; whether there is one
static bool check_law(const char *spec, const lgkt_reason *reasons, const uint8_t *allowed)
{
    double sum = 0;
    int nothing = 0;
    for (int32_t a = 0; a < ACTIONS; a++) {
        const double p = reasons[a].probability;
        nothing += isnan(p);
        if (!isnan(p) && !(p >= 0 && p <= 1))
            fail_msg("%s: probability %g", spec, p);
        if (p > 0 && allowed != NULL && allowed[a] == 0)
            fail_msg("%s: action %d has probability %g and is not allowed", spec, a, p);
        sum += p;
    }
    if (nothing == ACTIONS)
        return false;
    if (!(fabs(sum - 1) <= 1e-12))
        fail_msg("%s: probabilities sum to %.17g", spec, sum);
    return true;
}

static void check_numbers(const char *spec, const lgkt_reason *reasons)
{
    for (int32_t a = 0; a < ACTIONS; a++) {
        const lgkt_reason *r = &reasons[a];
        assert_true(isnan(r->visits) || r->visits >= 0);
        assert_true(isnan(r->good) || r->good == 0 || r->good == 1);
        if (r->lower > r->value)
            fail_msg("%s: lower bound %g of %g", spec, r->lower, r->value);
    }
}

// ---- frequencies ----

static void check_frequencies(const lgkt_learner *learner, const lgkt_mdp *model, int32_t state,
                              const uint8_t *allowed, const lgkt_reason *reasons)
{
    const char *spec = lgkt_learner_spec(learner);
    int64_t counts[ACTIONS] = {0};
    bool drawn = false;
    for (int32_t a = 0; a < ACTIONS; a++)
        drawn |= reasons[a].probability > 0 && reasons[a].probability < 1;
    const int copies = drawn ? COPIES : ALIKE;
    saved_bytes saved = saved_bytes_of(learner);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.model = model;
    config.like = learner;
    config.reseed = true;
    for (int i = 0; i < copies; i++) {
        config.seed = (uint64_t)(i + 1000);
        lgkt_learner *copy = saved_bytes_load(&saved, &config);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(copy, state, allowed, &action), LGKT_OK);
        counts[action]++;
        lgkt_learner_destroy(copy);
    }
    saved_bytes_free(&saved);
    for (int32_t a = 0; a < ACTIONS; a++) {
        const double p = reasons[a].probability, mean = p * copies;
        const double slack = p > 0 && p < 1 ? chance_count_bound(copies, p) : 0;
        if (!(fabs((double)counts[a] - mean) <= slack))
            fail_msg("%s at %lld: action %d of probability %g was played in %lld of %d copies",
                     spec, (long long)lgkt_learner_time(learner), a, p, (long long)counts[a],
                     copies);
    }
}

// ---- runs ----

// the table is its rows, and the policy what its values say
static void check_table(const lgkt_learner *learner)
{
    const char *spec = lgkt_learner_spec(learner);
    lgkt_error error = {0};
    lgkt_reason table[STATES * ACTIONS], row[ACTIONS];
    double policy[STATES * ACTIONS];
    assert_ok(lgkt_learner_explain_all(learner, table, sizeof(lgkt_reason), &error), error);
    assert_ok(lgkt_learner_policy(learner, policy, &error), error);
    for (int32_t s = 0; s < STATES; s++) {
        const uint8_t *offered = learner->offered == NULL ? NULL : learner->offered + s * ACTIONS;
        assert_ok(lgkt_learner_explain(learner, s, offered, row, sizeof(lgkt_reason), &error),
                  error);
        assert_same_reasons(spec, row, table + s * ACTIONS);
        double sum = 0, best = -INFINITY;
        for (int32_t a = 0; a < ACTIONS; a++)
            if ((offered == NULL || offered[a] != 0) && row[a].value > best)
                best = row[a].value;
        for (int32_t a = 0; a < ACTIONS; a++) {
            const double p = policy[s * ACTIONS + a];
            assert_between(p, 0, 1);
            assert_true(p == 0 || offered == NULL || offered[a] != 0);
            if (best > -INFINITY)
                assert_true(p == 0 || row[a].value == best);
            sum += p;
        }
        assert_close(sum, 1, 1e-12);
    }
}

// what a learner says before an act, checked in all ways; whether it has a law
static bool check_moment(const learner_run *run, int t, const uint8_t *allowed)
{
    const lgkt_learner *learner = run->learner;
    const char *spec = lgkt_learner_spec(learner);
    const uint64_t hash = lgkt_learner_hash(learner);
    lgkt_error error = {0};
    lgkt_reason reasons[ACTIONS], again[ACTIONS];
    // after a cut the next act may be in any state
    const bool anywhere = lgkt_learner_next_state(learner) < 0;
    bool law = true;
    for (int32_t s = 0; s < STATES; s++) {
        if (s != run->state && !anywhere)
            continue;
        assert_ok(lgkt_learner_explain(learner, s, allowed, reasons, sizeof(lgkt_reason), &error),
                  error);
        check_numbers(spec, reasons);
        law = check_law(spec, reasons, allowed);
        if (law && is_counted(t))
            check_frequencies(learner, run->model, s, allowed, reasons);
        assert_ok(lgkt_learner_explain(learner, s, allowed, again, sizeof(lgkt_reason), NULL),
                  error);
        assert_same_reasons(spec, reasons, again);
    }
    if (t % 3 == 0)
        check_table(learner);
    if (lgkt_learner_hash(learner) != hash)
        fail_msg("%s: asking at %d changed it", spec, t);
    return law;
}

// one run with questions and one without
static void check_run(const char *spec, const lgkt_mdp *model, bool masked)
{
    lgkt_learner_config config = learner_run_config(model, STEPS);
    config.problem.masked = masked;
    learner_run asked = {learner_run_make(spec, &config), model, 5, 0.15, 0}, silent = asked;
    silent.learner = learner_run_make(spec, &config);
    lgkt_error error = {0};
    lgkt_reason reasons[ACTIONS];
    int laws = 0;
    for (int t = 0; t < STEPS; t++) {
        uint8_t allowed[ACTIONS];
        masked_run_mask(asked.seed, t, ACTIONS, allowed);
        laws += check_moment(&asked, t, masked ? allowed : NULL);
        int32_t action = -1, other = -1;
        const int32_t state = asked.state;
        if (masked)
            masked_run_play(&silent, 1, &other);
        else
            learner_run_play(&silent, 1, &other);
        assert_int_equal(lgkt_learner_act(asked.learner, state, masked ? allowed : NULL, &action),
                         LGKT_OK);
        if (action != other)
            fail_msg("%s: plays %d at %d, and %d if it was not asked", spec, action, t, other);
        // there is no choice to make between an act and its observe
        assert_ok(
            lgkt_learner_explain(asked.learner, state, NULL, reasons, sizeof(lgkt_reason), &error),
            error);
        assert_false(check_law(spec, reasons, NULL));
        const lgkt_step step = learner_run_outcome(&asked, action);
        assert_int_equal(lgkt_learner_observe(asked.learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        asked.state = step.state;
        assert_int_equal(asked.state, silent.state);
    }
    if (laws < STEPS && !may_draw(spec))
        fail_msg("%s: has no law at %d of %d steps", spec, STEPS - laws, STEPS);
    assert_true(laws >= STEPS / 3);
    assert_true(lgkt_learner_hash(asked.learner) == lgkt_learner_hash(silent.learner));
    // nor when the run is over
    assert_ok(lgkt_learner_explain(asked.learner, 0, NULL, reasons, sizeof(lgkt_reason), &error),
              error);
    assert_false(check_law(spec, reasons, NULL));
    check_numbers(spec, reasons);
    check_table(asked.learner);
    lgkt_learner_destroy(asked.learner);
    lgkt_learner_destroy(silent.learner);
}

static void test_every_name_says_what_it_plays(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        check_run(spec, *state, false);
        check_run(spec, *state, true);
    }
}

// an act may open actions that plans have taken for impossible so far, or close some: what is said
// is what comes then
static void test_other_actions_than_ever_before(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    static const uint8_t first[] = {1, 1, 0, 0}, other[] = {0, 1, 1, 0};
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        config.problem.masked = true;
        learner_run run = {learner_run_make(spec, &config), *state, 8, 0.15, 0};
        for (int t = 0; t < STEPS - 1; t++) {
            int32_t action = -1;
            assert_int_equal(lgkt_learner_act(run.learner, run.state, first, &action), LGKT_OK);
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
        }
        const uint8_t *const masks[] = {NULL, other};
        for (int m = 0; m < 2; m++) {
            lgkt_reason reasons[ACTIONS];
            lgkt_error error = {0};
            const uint64_t hash = lgkt_learner_hash(run.learner);
            assert_ok(lgkt_learner_explain(run.learner, run.state, masks[m], reasons,
                                           sizeof(lgkt_reason), &error),
                      error);
            assert_true(lgkt_learner_hash(run.learner) == hash);
            if (check_law(spec, reasons, masks[m]))
                check_frequencies(run.learner, *state, run.state, masks[m], reasons);
        }
        lgkt_learner_destroy(run.learner);
    }
}

// with masks, and without a word on rewards where that is possible
static void test_one_that_is_loaded_says_the_same(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        config.problem.masked = true;
        const lgkt_problem told = config.problem;
        lgkt_learner *learner = NULL;
        config.problem.reward_min = config.problem.reward_max = config.problem.reward_sd = NAN;
        if (lgkt_learner_create(spec, &config, &learner, NULL) != LGKT_OK) {
            config.problem = told;
            learner = learner_run_make(spec, &config);
        }
        learner_run run = {learner, *state, 6, 0.1, 0};
        for (int t = 0; t < STEPS; t++) {
            int32_t action = -1;
            lgkt_error error = {0};
            lgkt_reason here[STATES * ACTIONS], there[STATES * ACTIONS];
            saved_bytes saved = saved_bytes_of(learner);
            lgkt_learner *copy = saved_bytes_load(&saved, &config);
            saved_bytes_free(&saved);
            assert_ok(lgkt_learner_explain_all(learner, here, sizeof(lgkt_reason), &error), error);
            assert_ok(lgkt_learner_explain_all(copy, there, sizeof(lgkt_reason), &error), error);
            for (int32_t s = 0; s < STATES; s++)
                assert_same_reasons(spec, here + s * ACTIONS, there + s * ACTIONS);
            lgkt_learner_destroy(copy);
            if (config.problem.masked)
                masked_run_play(&run, 1, &action);
            else
                learner_run_play(&run, 1, &action);
        }
        lgkt_learner_destroy(learner);
    }
}

// ---- numbers of auto ----

// what auto says of a state is what it sees when it acts there, in the unit of the rewards
static void test_auto_says_what_it_sees(void **state)
{
    static const char *const specs[] = {"auto", "auto:reward-max=20,sweep=2"};
    const double shifts[] = {0, -7, 1e6}, scales[] = {1, 0x1p-400, 1e9};
    for (int i = 0; i < 9; i++) {
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        config.problem.reward_min = config.problem.reward_max = NAN;
        learner_run run = {learner_run_make(specs[i % 2], &config), *state, 9, 0.15, 0};
        const lgkt_auto *u = run.learner->self;
        const double shift = shifts[i / 3], scale = scales[i / 3];
        double sums[STATES][ACTIONS] = {{0}}, visits[STATES][ACTIONS] = {{0}};
        for (int t = 0; t < STEPS; t++) {
            lgkt_reason reasons[ACTIONS];
            lgkt_error error = {0};
            int32_t action = -1;
            assert_ok(lgkt_learner_explain(run.learner, run.state, NULL, reasons,
                                           sizeof(lgkt_reason), &error),
                      error);
            assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &action), LGKT_OK);
            for (int32_t a = 0; a < ACTIONS; a++) {
                const double n = visits[run.state][a], mean = sums[run.state][a] / n;
                const double index = u->options[a].index;
                const double zero = u->origin * u->depth;
                assert_true(reasons[a].visits == n);
                assert_true(n > 0 || isnan(reasons[a].mean_reward));
                if (n > 0)
                    assert_close(reasons[a].mean_reward, mean, 1e-12 * (fabs(mean) + scale));
                assert_true(reasons[a].value == zero + u->options[a].mean);
                // a journey may be worth more, where there are any
                assert_true(reasons[a].upper >= zero + index);
                assert_true(u->quests.lump > 0 || reasons[a].upper == zero + index);
            }
            lgkt_step step = learner_run_outcome(&run, action);
            step.reward = shift + scale * step.reward;
            sums[run.state][action] += step.reward;
            visits[run.state][action]++;
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
        }
        lgkt_learner_destroy(run.learner);
    }
}

// ---- oracles ----

// what the model forbids has no value
static void test_oracles_have_no_value_of_what_is_forbidden(void **state)
{
    static const char *const specs[] = {"optimal", "kstep:k=2", "thresholding:k=2"};
    uint8_t mask[STATES * ACTIONS];
    lgkt_rng rng = lgkt_rng_stream(4, "mask", 0);
    model_random_mask(&rng, STATES, ACTIONS, 0.5, mask);
    lgkt_mdp *model = model_restrict(*state, mask, false);
    for (int i = 0; i < 3; i++) {
        lgkt_learner_config config = learner_run_config(model, STEPS);
        config.problem.masked = true;
        lgkt_learner *learner = learner_run_make(specs[i], &config);
        lgkt_reason table[STATES * ACTIONS];
        lgkt_error error = {0};
        assert_ok(lgkt_learner_explain_all(learner, table, sizeof(lgkt_reason), &error), error);
        for (int z = 0; z < STATES * ACTIONS; z++) {
            assert_true(isfinite(table[z].value) == (mask[z] != 0));
            assert_true(mask[z] != 0 || (isnan(table[z].value) && table[z].probability == 0));
        }
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(model);
}

// ---- bad input ----

static void test_wrong_arguments(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 5);
    lgkt_learner *learner = learner_run_make("lg1t", &config);
    const uint64_t hash = lgkt_learner_hash(learner);
    lgkt_error error = {0};
    lgkt_reason reasons[STATES * ACTIONS];
    double policy[STATES * ACTIONS];
    const uint8_t none[ACTIONS] = {0}, some[ACTIONS] = {1};
    assert_refused(lgkt_learner_explain(NULL, 0, NULL, reasons, sizeof(lgkt_reason), &error),
                   LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_explain(learner, 0, NULL, NULL, sizeof(lgkt_reason), &error),
                   LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_explain(learner, -1, NULL, reasons, sizeof(lgkt_reason), &error),
                   LGKT_ERR_ARGUMENT, error, "state -1 is out of range [0, 2]");
    assert_refused(
        lgkt_learner_explain(learner, STATES, NULL, reasons, sizeof(lgkt_reason), &error),
        LGKT_ERR_ARGUMENT, error, "state 3");
    assert_refused(lgkt_learner_explain(learner, 0, none, reasons, sizeof(lgkt_reason), &error),
                   LGKT_ERR_ARGUMENT, error, "none of the 4 actions is allowed");
    assert_refused(lgkt_learner_explain(learner, 0, some, reasons, sizeof(lgkt_reason), &error),
                   LGKT_ERR_CONFIG, error, "problem.masked");
    assert_refused(lgkt_learner_explain_all(NULL, reasons, sizeof(lgkt_reason), &error),
                   LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_explain_all(learner, NULL, sizeof(lgkt_reason), &error),
                   LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_policy(NULL, policy, &error), LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_policy(learner, NULL, &error), LGKT_ERR_ARGUMENT, error, "NULL");
    assert_int_equal(lgkt_learner_explain(learner, 9, NULL, reasons, sizeof(lgkt_reason), NULL),
                     LGKT_ERR_ARGUMENT);
    assert_true(lgkt_learner_hash(learner) == hash);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_says_what_it_plays),
        cmocka_unit_test(test_other_actions_than_ever_before),
        cmocka_unit_test(test_one_that_is_loaded_says_the_same),
        cmocka_unit_test(test_auto_says_what_it_sees),
        cmocka_unit_test(test_oracles_have_no_value_of_what_is_forbidden),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
