// SPDX-License-Identifier: MIT
// Learners that are not told the range of the rewards: what is said of them, and what they get.

#include "test.h"

#include <stdlib.h>

#include "ref/learner_run.h"
#include "ref/panel_run.h"
#include "ref/state_learners.h"

static void check_text(const char *spec, const char *wanted)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = 4,
                                    .actions = 2,
                                    .horizon = 100,
                                    .reward_min = -3,
                                    .reward_max = 8,
                                    .reward_sd = 2};
    exp_untell(&config.problem);
    assert_true(isnan(config.problem.reward_min) && isnan(config.problem.reward_max) &&
                isnan(config.problem.reward_sd));
    assert_int_equal(config.problem.states, 4);
    lgkt_learner *learner = learner_run_make(spec, &config);
    char text[EXP_UNTOLD_SIZE];
    exp_untold_describe(lgkt_learner_spec(learner), text);
    assert_string_equal(text, wanted);
    lgkt_learner_destroy(learner);
}

static void test_texts(void **state)
{
    (void)state;
    check_text("random", "needs no range");
    check_text("q-differential", "needs no range");
    check_text("q-greedy:start=optimistic", "uses what it sees");
    check_text("q-greedy:start=optimistic,reward-max=2.5", "assumes means up to 2.5");
    check_text("ucrl2", "assumes means in [0, 1] and noise 0.5");
    check_text("ucrl2:reward-min=-1,reward-sd=3", "assumes means in [-1, 1] and noise 3");
    // the one within
    check_text("lg1t-rl:rl=(ucrl2:reward-max=7)", "assumes means in [0, 7] and noise 0.5");
    check_text("lg1t-rl:rl=random", "needs no range");
}

// every name has a text, and those that have the parameters do not say that they need none
static void test_all_names(void **state)
{
    const lgkt_mdp *model = *state;
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        const lgkt_entry *entry = state_learner(i);
        lgkt_learner_config config = learner_run_config(model, 50);
        exp_untell(&config.problem);
        lgkt_learner *learner = learner_run_make(entry->name, &config);
        char text[EXP_UNTOLD_SIZE];
        exp_untold_describe(lgkt_learner_spec(learner), text);
        bool has = false;
        for (int32_t p = 0; p < entry->param_count; p++)
            has = has || strncmp(lgkt_entry_param(entry, p)->name, "reward-", 7) == 0;
        assert_true(text[0] != '\0');
        if (has)
            assert_string_not_equal(text, "needs no range");
        lgkt_learner_destroy(learner);
    }
}

// an untold ucrl2 is one that was told [0, 1] and 0.5; scores and optimum are as before
static void test_runs(void **state)
{
    (void)state;
    const char *const learners[] = {"ucrl2", "lg1t"};
    const char *const same[] = {"ucrl2:reward-min=0,reward-max=1,reward-sd=0.5", "lg1t"};
    run_setup setup = {.world.spec = "scaled:by=5,of=(riverswim:states=5)",
                       .learners = same,
                       .learner_count = 2,
                       .horizon = 500,
                       .replicates = 3,
                       .seed = 4,
                       .jobs = 2};
    run_result told, untold;
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &told, &error), error);
    assert_null(told.untold);
    setup.learners = learners;
    setup.untold = true;
    assert_ok(run_panel(&setup, &untold, &error), error);
    assert_string_equal(untold.untold[0], "assumes means in [0, 1] and noise 0.5");
    assert_string_equal(untold.untold[1], "needs no range");
    assert_memory_equal(told.reward, untold.reward, 6 * sizeof(double));
    assert_memory_equal(told.optimum, untold.optimum, 3 * sizeof(double));
    assert_memory_equal(told.random, untold.random, 3 * sizeof(double));
    run_result_free(&untold);
    run_result_free(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_all_names),
        cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
