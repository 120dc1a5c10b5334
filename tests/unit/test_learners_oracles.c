// SPDX-License-Identifier: MIT
// The oracle "thresholding": its law against the plain recursion, its value against all paths one
// by one, its two limits, ties, thresholds by time and state, and masks.
#include "test.h"

#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_plan.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS, PAIRS = STATES * ACTIONS };
enum { T = 5 };

// with h to go: all that reach gamma alike, or the best of those that are allowed (mask, NULL: all)
static void naive_law(const double *q, double gamma, const uint8_t *mask, double *law)
{
    int32_t best = -1, good = 0;
    for (int32_t a = 0; a < ACTIONS; a++) {
        const bool may = mask == NULL || mask[a] != 0;
        good += may && q[a] >= gamma;
        if (may && (best < 0 || q[a] > q[best]))
            best = a;
    }
    for (int32_t a = 0; a < ACTIONS; a++)
        law[a] = good == 0                                    ? a == best
                 : (mask == NULL || mask[a]) && q[a] >= gamma ? 1.0 / good
                                                              : 0;
}

// what the learner says of all states at the time at hand
static void laws_of(lgkt_learner *learner, double *law, const double *q, double gamma)
{
    lgkt_reason table[PAIRS];
    lgkt_error error = {0};
    assert_ok(lgkt_learner_explain_all(learner, table, sizeof *table, &error), error);
    for (int32_t z = 0; z < PAIRS; z++) {
        law[z] = table[z].probability;
        assert_close(table[z].value, q[z], 1e-12);
        assert_true(table[z].good == (q[z] >= gamma));
    }
}

// the total reward of all paths from (t, s), one by one; laws (T, S, A)
static double over_paths(const lgkt_mdp *model, const double *laws, int32_t t, int32_t s)
{
    double sum = 0;
    for (int32_t a = 0; a < ACTIONS && t < T; a++) {
        const double p = laws[(t * STATES + s) * ACTIONS + a];
        if (p == 0)
            continue;
        double worth = lgkt_mdp_reward(model, s, a);
        for (int32_t y = 0; y < STATES; y++)
            worth += naive_p(model, s, a, y) * over_paths(model, laws, t + 1, y);
        sum += p * worth;
    }
    return sum;
}

static void check_model(const lgkt_mdp *model, int32_t k, double gamma)
{
    char spec[64];
    snprintf(spec, sizeof spec, "thresholding:k=%d,threshold=%.17g", (int)k, gamma);
    const lgkt_learner_config config = learner_run_config(model, T);
    lgkt_learner *learner = learner_run_make(spec, &config);
    learner_run run = {.learner = learner, .model = model, .seed = 3};
    double laws[T * PAIRS];
    for (int32_t t = 0; t < T; t++) {
        double q[PAIRS];
        naive_q(model, T - t < k ? T - t : k, q);
        laws_of(learner, laws + t * PAIRS, q, gamma);
        for (int32_t s = 0; s < STATES; s++) {
            double law[ACTIONS];
            naive_law(q + s * ACTIONS, gamma, NULL, law);
            for (int32_t a = 0; a < ACTIONS; a++)
                assert_close(laws[t * PAIRS + s * ACTIONS + a], law[a], 1e-15);
        }
        learner_run_play(&run, 1, NULL);
    }
    // the value that planning says is that of the paths
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    const lgkt_threshold threshold = {.constant = gamma};
    assert_ok(lgkt_policy_threshold(model, k, T, &threshold, NULL, &policy, &error), error);
    double value[STATES];
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    for (int32_t s = 0; s < STATES; s++)
        assert_close(value[s], over_paths(model, laws, 0, s), 1e-12);
    lgkt_policy_destroy(policy);
    lgkt_learner_destroy(learner);
}

static void test_law_and_value_are_those_of_the_definition(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(5, "oracles", 0);
    for (int32_t i = 0; i < 30; i++) {
        lgkt_mdp *model = model_random(&rng, STATES, ACTIONS, 0.5);
        check_model(model, 1 + i % 3, 1.5 * lgkt_rng_uniform(&rng) * (1 + i % 3));
        lgkt_mdp_destroy(model);
    }
}

// above everything it is greedy, below everything it is random play
static void test_limits(void **state)
{
    const lgkt_mdp *model = *state;
    const lgkt_learner_config config = learner_run_config(model, T);
    lgkt_learner *high = learner_run_make("thresholding:k=2,threshold=1e9", &config);
    lgkt_learner *low = learner_run_make("thresholding:k=2,threshold=-1e9", &config);
    lgkt_learner *greedy = learner_run_make("kstep:k=2", &config);
    lgkt_reason of_high[PAIRS], of_low[PAIRS], of_greedy[PAIRS];
    assert_int_equal(lgkt_learner_explain_all(high, of_high, sizeof *of_high, NULL), LGKT_OK);
    assert_int_equal(lgkt_learner_explain_all(low, of_low, sizeof *of_low, NULL), LGKT_OK);
    assert_int_equal(lgkt_learner_explain_all(greedy, of_greedy, sizeof *of_greedy, NULL), LGKT_OK);
    for (int32_t z = 0; z < PAIRS; z++) {
        assert_true(of_high[z].probability == of_greedy[z].probability);
        assert_true(of_low[z].probability == 1.0 / ACTIONS);
    }
    lgkt_learner_destroy(high);
    lgkt_learner_destroy(low);
    lgkt_learner_destroy(greedy);
}

// rewards of 0 and 1 tie: the lowest, the highest or any of the best is played
static void test_ties(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(7, "ties", 0);
    double rewards[PAIRS], kernel[PAIRS * STATES];
    for (int32_t z = 0; z < PAIRS; z++)
        rewards[z] = lgkt_rng_bernoulli(&rng, 0.5);
    for (int32_t i = 0; i < PAIRS * STATES; i++)
        kernel[i] = 1.0 / STATES;
    lgkt_mdp *model = model_dense(STATES, ACTIONS, rewards, kernel);
    const lgkt_learner_config config = learner_run_config(model, T);
    static const char *const kinds[] = {"kstep:", "thresholding:threshold=9,"};
    static const char *const ties[] = {"low", "high", "random"};
    for (int32_t i = 0; i < 6; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%sties=%s", kinds[i % 2], ties[i / 2]);
        lgkt_learner *learner = learner_run_make(spec, &config);
        lgkt_reason table[PAIRS];
        assert_int_equal(lgkt_learner_explain_all(learner, table, sizeof *table, NULL), LGKT_OK);
        for (int32_t s = 0; s < STATES; s++) {
            const double *r = rewards + s * ACTIONS;
            double best = 0, law[ACTIONS] = {0};
            int32_t count = 0, low = -1, high = -1;
            for (int32_t a = 0; a < ACTIONS; a++)
                best = fmax(best, r[a]);
            for (int32_t a = 0; a < ACTIONS; a++)
                if (r[a] == best) {
                    low = low < 0 ? a : low;
                    high = a;
                    count++;
                }
            for (int32_t a = 0; a < ACTIONS; a++)
                law[a] = i / 2 == 0     ? a == low
                         : i / 2 == 1   ? a == high
                         : r[a] == best ? 1.0 / count
                                        : 0;
            for (int32_t a = 0; a < ACTIONS; a++)
                assert_close(table[s * ACTIONS + a].probability, law[a], 1e-15);
        }
        learner_run run = {.learner = learner, .model = model, .seed = 3};
        learner_run_play(&run, T, NULL);
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(model);
}

// the last row of a table serves all later steps
static void test_thresholds_of_states_and_times(void **state)
{
    const lgkt_mdp *model = *state;
    double table[2 * STATES] = {-1e9, 1e9, 0.5, 1e9, 0.4, -1e9}, q[PAIRS], law[ACTIONS];
    lgkt_learner_config config = learner_run_config(model, T);
    config.threshold = (lgkt_threshold){.table = table, .table_steps = 2};
    lgkt_learner *learner = learner_run_make("thresholding", &config);
    learner_run run = {.learner = learner, .model = model, .seed = 3};
    naive_q(model, 1, q);
    for (int32_t t = 0; t < T; t++) {
        lgkt_reason reasons[PAIRS];
        assert_int_equal(lgkt_learner_explain_all(learner, reasons, sizeof *reasons, NULL),
                         LGKT_OK);
        for (int32_t s = 0; s < STATES; s++) {
            naive_law(q + s * ACTIONS, table[(t < 1 ? 0 : 1) * STATES + s], NULL, law);
            for (int32_t a = 0; a < ACTIONS; a++)
                assert_close(reasons[s * ACTIONS + a].probability, law[a], 1e-15);
        }
        learner_run_play(&run, 1, NULL);
    }
    lgkt_learner_destroy(learner);
}

// good ones that are allowed, else the best that is; and what is played is of the law
static void test_masks(void **state)
{
    const lgkt_mdp *model = *state;
    enum { STEPS = 300 };
    lgkt_learner_config config = learner_run_config(model, STEPS);
    config.problem.masked = true;
    lgkt_learner *learner = learner_run_make("thresholding:k=2,threshold=1", &config);
    learner_run run = {.learner = learner, .model = model, .seed = 3};
    lgkt_rng rng = lgkt_rng_stream(6, "masks", 0);
    for (int32_t t = 0; t < STEPS; t++) {
        double q[PAIRS], law[ACTIONS];
        naive_q(model, t < STEPS - 1 ? 2 : 1, q);
        uint8_t mask[ACTIONS];
        for (int32_t a = 0; a < ACTIONS; a++)
            mask[a] = lgkt_rng_bernoulli(&rng, 0.4);
        mask[lgkt_rng_below(&rng, ACTIONS)] = 1;
        naive_law(q + run.state * ACTIONS, 1, mask, law);
        lgkt_reason reasons[ACTIONS];
        assert_int_equal(
            lgkt_learner_explain(learner, run.state, mask, reasons, sizeof *reasons, NULL),
            LGKT_OK);
        for (int32_t a = 0; a < ACTIONS; a++)
            assert_close(reasons[a].probability, law[a], 1e-15);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, run.state, mask, &action), LGKT_OK);
        assert_true(law[action] > 0);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        run.state = step.state;
    }
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_and_value_are_those_of_the_definition),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_thresholds_of_states_and_times),
        cmocka_unit_test(test_masks),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
