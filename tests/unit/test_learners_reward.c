// SPDX-License-Identifier: MIT
// labels: slow
// What the LGKT family earns on random worlds, in wide bands about what is known.
//
// 60 instances of synthetic 10 x 5, T = 20000, all learners side by side on the same noise.
// Compared is total reward over that of the optimal oracle, both summed over the instances. Known
// from 120 other instances (average reward; optimal 1.67, random 0.49): K = 1 earns 1.31 to 1.32
// and 1.28 with a uniform fallback, K = 2 earns 1.50 to 1.55.
//
// Instances differ a lot: one of them scatters about the ratio by at most 0.20 (K = 1), 0.11 (K =
// 2) and 0.08 (random), as seen in 1200 instances of other seeds. Bands are 6 standard deviations
// of the difference between a mean of 60 and one of 120 on both sides: for a right program each is
// left with probability 2e-9 by the normal law, and far below 1e-6 if that fits only roughly.

#include "test.h"

#include "ref/env_run.h"
#include "ref/learner_run.h"

enum { INSTANCES = 60, KNOWN_FROM = 120, HORIZON = 20000 };

typedef struct expected {
    const char *spec;
    double ratio;   // to the optimum
    double scatter; // of one instance about it
} expected;

static const expected family[] = {
    {"lg1t", 1.31 / 1.67, 0.20},
    {"lg1t:profile=practical", 1.32 / 1.67, 0.20},
    {"lg1t:profile=paper", 1.31 / 1.67, 0.20},
    {"lg1t-uniform:profile=paper", 1.28 / 1.67, 0.20},
    {"lg2t", 1.50 / 1.67, 0.11},
    {"lg2t:profile=practical", 1.51 / 1.67, 0.11},
    {"lg2t:profile=paper", 1.55 / 1.67, 0.11},
    {"lg2t-uniform:profile=paper", 1.51 / 1.67, 0.11},
    {"random", 0.49 / 1.67, 0.08},
};
enum { LEARNERS = sizeof family / sizeof *family };

// average expected reward of one run
static double play(const lgkt_env *env, const char *spec, uint64_t instance)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, HORIZON);
    config.instance = instance;
    lgkt_learner *learner = learner_run_make(spec, &config);
    lgkt_trajectory *run = env_run_start(env, HORIZON, instance);
    double total = 0;
    for (int64_t t = 0; t < HORIZON; t++) {
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(run), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        total += step.mean_reward;
    }
    lgkt_trajectory_destroy(run);
    lgkt_learner_destroy(learner);
    return total / HORIZON;
}

typedef struct outcome {
    double optimum[INSTANCES];
    double reward[LEARNERS][INSTANCES];
} outcome;

static void play_all(outcome *all)
{
    for (uint64_t i = 0; i < INSTANCES; i++) {
        lgkt_env_config config = lgkt_env_config_default();
        config.instance = i;
        config.seed = 20240501;
        lgkt_env *env = env_run_make("synthetic:states=10,actions=5", &config);
        all->optimum[i] = play(env, "optimal", i);
        for (int j = 0; j < LEARNERS; j++)
            all->reward[j][i] = play(env, family[j].spec, i);
        lgkt_env_destroy(env);
    }
}

static double sum(const double *x)
{
    double total = 0;
    for (int i = 0; i < INSTANCES; i++)
        total += x[i];
    return total;
}

static void test_rewards_are_as_expected(void **state)
{
    const outcome *all = *state;
    for (int j = 0; j < LEARNERS; j++) {
        const double ratio = sum(all->reward[j]) / sum(all->optimum);
        const double band = 6 * family[j].scatter * sqrt(1.0 / INSTANCES + 1.0 / KNOWN_FROM);
        print_message("%-28s %.3f of the optimum, expected %.3f within %.3f\n", family[j].spec,
                      ratio, family[j].ratio, band);
        assert_between(ratio, family[j].ratio - band, family[j].ratio + band);
    }
}

// On the same instances two steps of lookahead earn more than one, all profiles together. The ratio
// is 1.15 and one instance scatters about it by 0.19, so that 1 is 6 standard deviations away.
static void test_deeper_is_better(void **state)
{
    const outcome *all = *state;
    double one = 0, two = 0;
    for (int j = 0; j < 4; j++) {
        one += sum(all->reward[j]);
        two += sum(all->reward[j + 4]);
    }
    assert_between(two / one, 1, 1.3);
}

static int make_outcome(void **state)
{
    static outcome all;
    play_all(&all);
    *state = &all;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rewards_are_as_expected),
        cmocka_unit_test(test_deeper_is_better),
    };
    return cmocka_run_group_tests(tests, make_outcome, NULL);
}
