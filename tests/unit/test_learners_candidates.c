// SPDX-License-Identifier: MIT
// What makes an action good enough where it is not the lower bound of the paper: means, as in Michel
// et al., and bounds without a width.

#include "test.h"

#include "learners/lgkt/thresholding.h"
#include "ref/learner_run.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS, HORIZON = 400 };

// plays one step; returns its reward
static double play_step(learner_run *run, int32_t *action)
{
    assert_int_equal(lgkt_learner_act(run->learner, run->state, NULL, action), LGKT_OK);
    const lgkt_step step = learner_run_outcome(run, *action);
    assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                     LGKT_OK);
    run->state = step.state;
    return step.reward;
}

// Algorithm 1 of Michel et al. by its description: of the actions whose mean reaches the threshold
// the highest mean, all alike where there is none. An action that was never tried has no mean.
static void test_michel_by_hand(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, HORIZON);
    const char *spec = "lg1t-uniform:profile=paper,candidates=michel,threshold=0.6";
    lgkt_learner *learner = learner_run_make(spec, &config);
    learner_run run = {.learner = learner, .model = *state, .seed = 8};
    double n[STATES][ACTIONS] = {{0}}, total[STATES][ACTIONS] = {{0}};
    int64_t alike = 0;
    for (int64_t t = 0; t < HORIZON; t++) {
        const int32_t s = run.state;
        double best = -INFINITY;
        for (int32_t a = 0; a < ACTIONS; a++)
            if (n[s][a] > 0 && total[s][a] / n[s][a] >= 0.6)
                best = fmax(best, total[s][a] / n[s][a]);
        int32_t count = 0;
        bool wins[ACTIONS];
        for (int32_t a = 0; a < ACTIONS; a++) {
            wins[a] = best < 0.6 || (n[s][a] > 0 && total[s][a] / n[s][a] == best);
            count += wins[a];
        }
        lgkt_reason reasons[ACTIONS];
        assert_int_equal(lgkt_learner_explain(learner, s, NULL, reasons, sizeof *reasons, NULL),
                         LGKT_OK);
        for (int32_t a = 0; a < ACTIONS; a++)
            assert_close(reasons[a].probability, wins[a] ? 1.0 / count : 0, 1e-15);
        alike += best < 0.6;
        int32_t action = -1;
        const double reward = play_step(&run, &action);
        n[s][action]++;
        total[s][action] += reward;
    }
    assert_true(alike > 10 && alike < HORIZON - 10);
    lgkt_learner_destroy(learner);
}

// Without a width the lower bound of every tried action is its value, at both depths; the index
// keeps its bonus.
static void test_no_width_leaves_the_value(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, HORIZON);
    lgkt_learner *learner = learner_run_make("lg1-2t-adaptive:width=0", &config);
    const lgkt_thresholding *f = learner->self;
    learner_run run = {.learner = learner, .model = *state, .seed = 8};
    int64_t tried[2] = {0, 0};
    for (int64_t t = 0; t < HORIZON; t++) {
        lgkt_reason reasons[ACTIONS];
        assert_int_equal(
            lgkt_learner_explain(learner, run.state, NULL, reasons, sizeof *reasons, NULL),
            LGKT_OK);
        for (int32_t a = 0; a < ACTIONS; a++) {
            if (isnan(reasons[a].value))
                continue;
            assert_true(reasons[a].lower == reasons[a].value);
            assert_true(reasons[a].upper > reasons[a].value);
            tried[f->stage]++;
        }
        int32_t action;
        play_step(&run, &action);
    }
    assert_true(tried[0] > 100 && tried[1] > 100);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_michel_by_hand),
        cmocka_unit_test(test_no_width_leaves_the_value),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
