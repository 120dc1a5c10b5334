// SPDX-License-Identifier: MIT
// A world that changes against the two that it is made of: step by step with their own numbers, the
// plain environment where both are the same, the law of a drift, random times, and results.
#include "test.h"

#include <stdlib.h>

#include "env/env_private.h"
#include "ref/env_run.h"
#include "ref/models.h"
#include "ref/panel_run.h"

enum { STEPS = 1500 };

static lgkt_env *make(const char *spec, uint64_t instance)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = 6;
    config.instance = instance;
    return env_run_make(spec, &config);
}

static int32_t some_action(const lgkt_env *env, int64_t t)
{
    return (int32_t)((t * t + t / 7) % lgkt_env_problem(env, 1).actions);
}

static void assert_same_step(const lgkt_step *a, const lgkt_step *b)
{
    assert_true(a->state == b->state && a->reward == b->reward &&
                a->mean_reward == b->mean_reward && a->ended == b->ended);
}

// ---- steps ----

static void test_jumps_between_equals_are_none(void **state)
{
    (void)state;
    static const char *const INNER[] = {"synthetic",
                                        "synthetic:frozen=1",
                                        "riverswim:noise=drifting",
                                        "garnet",
                                        "frozenlake:map=SFS/FHG",
                                        "scaled:by=3,of=(synthetic:frozen=1)",
                                        "deepsea:windy=1,sd=1"};
    for (int i = 0; i < 7; i++) {
        char spec[200];
        snprintf(spec, sizeof spec, "changing:before=(%s),after=(%s),at=0/3/100/101/900", INNER[i],
                 INNER[i]);
        lgkt_env *env = make(spec, 3), *plain = make(INNER[i], 3);
        lgkt_trajectory *run = env_run_start(env, STEPS, 4),
                        *other = env_run_start(plain, STEPS, 4);
        assert_int_equal(lgkt_trajectory_state(run), lgkt_trajectory_state(other));
        for (int64_t t = 0; t < STEPS; t++) {
            const int32_t action = some_action(env, t);
            const lgkt_step a = env_run_play(run, action), b = env_run_play(other, action);
            assert_same_step(&a, &b);
        }
        const lgkt_problem told = lgkt_env_problem(env, 9), wanted = lgkt_env_problem(plain, 9);
        assert_true(told.reward_min == wanted.reward_min && told.reward_max == wanted.reward_max &&
                    told.reward_sd == wanted.reward_sd && told.states == wanted.states &&
                    told.actions == wanted.actions);
        assert_null(told.model);
        assert_ptr_equal(told.change, lgkt_env_change(env));
        assert_null(lgkt_env_model(env));
        assert_null(lgkt_env_hidden_model(env));
        assert_null(lgkt_env_change(plain));
        lgkt_trajectory_destroy(run);
        lgkt_trajectory_destroy(other);
        lgkt_env_destroy(env);
        lgkt_env_destroy(plain);
    }
    assert_null(lgkt_env_change(NULL));
}

// each step is one of the side that is in force, begun in the state and with the numbers that the
// step before left; while the world drifts, a number before says which
static void test_steps_are_those_of_a_side(void **state)
{
    (void)state;
    static const char *const CASES[][3] = {
        {"riverswim", "riverswim:variant=printed", "at=100/500/505"},
        {"synthetic", "garnet:states=10,actions=5", "at=50,rate=0.001"},
        {"synthetic:noise=drifting", "scaled:by=2,of=(synthetic:frozen=1)", "at=0/300,rate=0.01"},
        {"riverswim:noise=drifting", "chain", "jumps=0.05,rate=0.02"},
        {"frozenlake", "frozenlake:slippery=0", "jumps=0.01"},
    };
    for (int c = 0; c < 5; c++) {
        char spec[200];
        snprintf(spec, sizeof spec, "changing:before=(%s),after=(%s),%s", CASES[c][0], CASES[c][1],
                 CASES[c][2]);
        lgkt_env *env = make(spec, 1), *sides[2];
        lgkt_trajectory *run = env_run_start(env, STEPS, 4), *refs[2];
        int played[2] = {0}, coins = 0;
        for (int i = 0; i < 2; i++) {
            sides[i] = make(CASES[c][i], 1);
            refs[i] = env_run_start(sides[i], STEPS, 4);
        }
        lgkt_rng rng = refs[0]->rng;
        int32_t s = refs[0]->state;
        assert_int_equal(lgkt_trajectory_state(run), s);
        for (int64_t t = 0; t < STEPS; t++) {
            const int32_t action = some_action(env, t);
            const double w = lgkt_change_weight(lgkt_env_change(env), t);
            int side = w == 1;
            if (w > 0 && w < 1) {
                side = lgkt_rng_uniform(&rng) < w;
                coins++;
            }
            lgkt_trajectory *ref = refs[side];
            ref->rng = rng;
            ref->state = s;
            ref->time = t;
            lgkt_step a = env_run_play(run, action), b = env_run_play(ref, action);
            b.mean_reward = (1 - w) * lgkt_mdp_reward(sides[0]->model, s, action) +
                            w * lgkt_mdp_reward(sides[1]->model, s, action);
            assert_close(a.mean_reward, b.mean_reward, 1e-15 * fabs(b.mean_reward));
            a.mean_reward = b.mean_reward;
            assert_same_step(&a, &b);
            rng = ref->rng;
            s = ref->state;
            played[side]++;
        }
        assert_true(played[0] > 50 && played[1] > 50 &&
                    (coins > 100) == (strstr(spec, "rate") != 0));
        for (int i = 0; i < 2; i++) {
            lgkt_trajectory_destroy(refs[i]);
            lgkt_env_destroy(sides[i]);
        }
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// Two states; the one model leads to state 0 and pays 0, the other one leads to 1 and pays 1.
static lgkt_mdp *led_to(int32_t to)
{
    const double rewards[] = {to, to}, kernel[] = {1.0 - to, to, 1.0 - to, to};
    return model_dense(2, 1, rewards, kernel);
}

// A share w(t) of steps is that of the other. By Hoeffding, a sum of n of them is off by more than
// sqrt(n ln(2/d)/2) with probability d at most, here 1e-9 for each of four stretches.
static void test_the_law_of_a_drift(void **state)
{
    (void)state;
    enum { N = 40000 };
    lgkt_mdp *models[] = {led_to(0), led_to(1)};
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = models[0]};
    config.after = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = models[1]};
    lgkt_env *env = env_run_make("changing:before=model,after=model,at=0,rate=2e-5", &config);
    assert_close(lgkt_env_problem(env, 1).reward_sd, 0.5, 0);
    lgkt_trajectory *run = env_run_start(env, 2 * N, 9);
    double off = 0, all = 0;
    for (int64_t t = 0; t < 2 * N; t++) {
        const lgkt_step step = env_run_play(run, 0);
        const double w = fmin(1, 2e-5 * (double)t);
        assert_close(step.mean_reward, w, 1e-15);
        assert_true(step.reward == step.state);
        off += step.state - w;
        all += step.state;
        if (t % (N / 2) == N / 2 - 1) {
            assert_between(off, -sqrt(N / 4.0 * log(2e9)), sqrt(N / 4.0 * log(2e9)));
            off = 0;
        }
    }
    assert_true(all > N && all < 2 * N);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(models[0]);
    lgkt_mdp_destroy(models[1]);
}

// The count of turns in n steps is binomial: off by more than sqrt(n ln(2/d)/2) with probability d
// at most, 1e-9 here.
static void test_random_times(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        double p;
        int64_t n;
    } cases[] = {{"changing:jumps=0.3", 0.3, 20000},
                 {"changing:jumps=0.01", 0.01, 100000},
                 {"changing:jumps=1", 1, 9000}};
    for (int c = 0; c < 3; c++) {
        lgkt_env *envs[3] = {make(cases[c].spec, 1), make(cases[c].spec, 1),
                             make(cases[c].spec, 2)};
        const int64_t *times[3], n = cases[c].n;
        int32_t counts[3], within = 0;
        for (int i = 0; i < 3; i++)
            times[i] = lgkt_change_times(lgkt_env_change(envs[i]), &counts[i]);
        assert_int_equal(counts[0], 10000);
        assert_memory_equal(times[0], times[1], sizeof(int64_t) * (size_t)counts[0]);
        if (cases[c].p < 1)
            assert_memory_not_equal(times[0], times[2], sizeof(int64_t) * (size_t)counts[0]);
        assert_true(times[0][0] >= 1);
        while (within < counts[0] && times[0][within] <= n)
            within++;
        const double width = sqrt((double)n * log(2e9) / 2);
        assert_between(within, cases[c].p * (double)n - width, cases[c].p * (double)n + width);
        if (cases[c].p == 1)
            assert_int_equal(within, n);
        for (int i = 0; i < 3; i++)
            lgkt_env_destroy(envs[i]);
    }
    // so rare that there is none
    lgkt_env *env = make("changing:jumps=1e-300", 1);
    int32_t count;
    lgkt_change_times(lgkt_env_change(env), &count);
    assert_int_equal(count, 0);
    lgkt_env_destroy(env);
}

// ---- what it is made from ----

static void test_a_new_draw(void **state)
{
    (void)state;
    lgkt_env *same = make("changing:before=synthetic,after=synthetic", 5);
    lgkt_env *anew = make("changing:before=synthetic,after=synthetic,draw=new", 5);
    const lgkt_change *a = lgkt_env_change(same), *b = lgkt_env_change(anew);
    const uint64_t first = lgkt_mdp_hash(lgkt_change_before(a));
    assert_true(lgkt_mdp_hash(lgkt_change_after(a)) == first);
    assert_true(lgkt_mdp_hash(lgkt_change_before(b)) == first);
    assert_true(lgkt_mdp_hash(lgkt_change_after(b)) != first);
    lgkt_env_destroy(same);
    lgkt_env_destroy(anew);
}

static void test_each_side_has_its_data(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "sides", 0);
    lgkt_mdp *models[] = {model_random(&rng, 5, 2, 1), model_random(&rng, 5, 2, 1)};
    const uint8_t mask[] = {1, 0, 1, 1, 0, 1, 1, 1, 1, 1};
    lgkt_mdp *less = model_restrict(models[0], mask, false);
    lgkt_env_config config = lgkt_env_config_default();
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    const lgkt_data first = {.kind = LGKT_DATA_MODEL, .model = models[0]},
                    second = {.kind = LGKT_DATA_MODEL, .model = models[1]},
                    restricted = {.kind = LGKT_DATA_MODEL, .model = less};
    const char *both = "changing:before=model,after=(scaled:of=model)";
    config.data = first;
    assert_refused(lgkt_env_create(both, &config, &env, &error), LGKT_ERR_CONFIG, error,
                   "needs a model");
    config.after = second;
    assert_ok(lgkt_env_create(both, &config, &env, &error), error);
    assert_ptr_equal(lgkt_change_before(lgkt_env_change(env)), models[0]);
    lgkt_env_destroy(env);
    assert_refused(lgkt_env_create("model", &config, &env, &error), LGKT_ERR_CONFIG, error,
                   "takes no data");
    assert_refused(lgkt_env_create("changing:before=model", &config, &env, &error), LGKT_ERR_CONFIG,
                   error, "riverswim");
    config.after.model = NULL;
    assert_refused(lgkt_env_create(both, &config, &env, &error), LGKT_ERR_CONFIG, error, "NULL");

    // what is forbidden must be so on both sides
    config.after = restricted;
    assert_refused(lgkt_env_create(both, &config, &env, &error), LGKT_ERR_ARGUMENT, error,
                   "forbid the same actions");
    config.data = restricted;
    assert_ok(lgkt_env_create(both, &config, &env, &error), error);
    assert_true(lgkt_env_problem(env, 5).masked);
    for (int32_t s = 0; s < 5; s++)
        assert_memory_equal(lgkt_env_allowed(env, s), mask + 2 * s, 2);
    lgkt_trajectory *run = env_run_start(env, 10, 1);
    lgkt_step step;
    run->state = 0;
    assert_int_equal(lgkt_trajectory_step(run, 1, &step), LGKT_ERR_ARGUMENT);
    assert_non_null(strstr(lgkt_trajectory_message(run), "is forbidden in state 0"));
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    lgkt_mdp_destroy(models[0]);
    lgkt_mdp_destroy(models[1]);
    lgkt_mdp_destroy(less);
}

// ---- results ----

static run_result results_of(const char *env, const char *const *learners, int32_t count)
{
    const run_setup setup = {.world.spec = env,
                             .learners = learners,
                             .learner_count = count,
                             .horizon = 2000,
                             .replicates = 6,
                             .seed = 5,
                             .jobs = 2,
                             .measures = exp_usual_measures,
                             .measure_count = 1};
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    return result;
}

static void test_results_are_those_of_the_plain_one(void **state)
{
    (void)state;
    const char *const learners[] = {"random", "lg1t", "plugin", "optimal"};
    run_result a = results_of("synthetic:states=8", learners, 4);
    run_result b = results_of("changing:before=(synthetic:states=8),after=(synthetic:states=8),"
                              "at=0/500/700",
                              learners, 4);
    assert_memory_equal(a.reward, b.reward, 24 * sizeof(double));
    assert_memory_equal(a.observed, b.observed, 24 * sizeof(double));
    for (int i = 0; i < 6; i++) {
        assert_close(a.optimum[i], b.optimum[i], 1e-12);
        assert_close(a.random[i], b.random[i], 1e-12);
    }
    run_result_free(&a);
    run_result_free(&b);
}

// The lock is certain in all it does, so who knows the changes earns the optimum in every run.
static void test_the_oracle_earns_the_optimum(void **state)
{
    (void)state;
    const char *const learners[] = {"optimal"};
    run_result r = results_of("changing:before=(lock:states=4,actions=3),"
                              "after=(lock:states=4,actions=3,lure=0.6,prize=0.7),at=400/900",
                              learners, 1);
    for (int i = 0; i < 6; i++) {
        assert_close(r.reward[i], r.optimum[i], 1e-12);
        assert_true(r.optimum[i] > r.random[i] + 0.1);
    }
    run_result_free(&r);
}

static void test_what_needs_one_model_is_refused(void **state)
{
    (void)state;
    const char *const learners[] = {"kstep:k=2"};
    run_setup setup = {.world.spec = "changing",
                       .learners = learners,
                       .learner_count = 1,
                       .horizon = 20,
                       .replicates = 1,
                       .jobs = 1,
                       .measures = exp_usual_measures,
                       .measure_count = 1};
    run_result result = {0};
    lgkt_error error = {0};
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_CONFIG, error,
                   "knows the true model");
    setup.learners = (const char *const[]){"random"};
    setup.regret_k = 1;
    setup.measure_count = 2;
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_UNSUPPORTED, error, "regret");
}

// a saved oracle belongs to its change
static void test_a_saved_oracle(void **state)
{
    (void)state;
    lgkt_env *env = make("changing:at=5/9", 0), *other = make("changing:at=5/10", 0);
    lgkt_error error = {0};
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, 50);
    lgkt_learner *learner = NULL, *again = NULL;
    assert_ok(lgkt_learner_create("optimal", &config, &learner, &error), error);
    int32_t action, repeated;
    assert_int_equal(lgkt_learner_act(learner, 2, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_learner_observe(learner, 0, 1, false), LGKT_OK);
    unsigned char bytes[4096];
    size_t size;
    assert_int_equal(lgkt_learner_save(learner, bytes, sizeof bytes, &size, NULL), LGKT_OK);
    assert_ok(lgkt_learner_load(bytes, size, &config, &again, &error), error);
    assert_int_equal(lgkt_learner_act(learner, 1, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_learner_act(again, 1, NULL, &repeated), LGKT_OK);
    assert_int_equal(action, repeated);
    assert_true(lgkt_learner_hash(learner) == lgkt_learner_hash(again));
    lgkt_learner_destroy(again);
    config.problem = lgkt_env_problem(other, 50);
    assert_int_equal(lgkt_learner_load(bytes, size, &config, &again, &error), LGKT_ERR_FORMAT);
    // it keeps the models alive
    lgkt_env_destroy(env);
    assert_int_equal(lgkt_learner_observe(learner, 0, 1, false), LGKT_OK);
    assert_int_equal(lgkt_learner_save(learner, bytes, sizeof bytes, &size, NULL), LGKT_OK);
    config.problem.states++;
    assert_refused(lgkt_learner_create("random", &config, &again, &error), LGKT_ERR_CONFIG, error,
                   "its models 5 and 2");
    lgkt_learner_destroy(learner);
    lgkt_env_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jumps_between_equals_are_none),
        cmocka_unit_test(test_steps_are_those_of_a_side),
        cmocka_unit_test(test_the_law_of_a_drift),
        cmocka_unit_test(test_random_times),
        cmocka_unit_test(test_a_new_draw),
        cmocka_unit_test(test_each_side_has_its_data),
        cmocka_unit_test(test_results_are_those_of_the_plain_one),
        cmocka_unit_test(test_the_oracle_earns_the_optimum),
        cmocka_unit_test(test_what_needs_one_model_is_refused),
        cmocka_unit_test(test_a_saved_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
