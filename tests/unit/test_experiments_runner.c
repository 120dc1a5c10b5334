// SPDX-License-Identifier: MIT
// labels: threads slow
// The runner: the same numbers for any count of threads, noise in common, exact planning values,
// failures and interruption.
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/runner/play.h"
#include "experiments/studies/studies.h"
#include "io/files/io_env.h"
#include "ref/panel_run.h"
#include "ref/paired.h"

#define SYNTHETIC "synthetic:states=10,actions=5"

static const char *const main_set[] = {"random", "lg1t", "lg2t", "lg1-2t", "kstep:k=2", "optimal"};

static run_setup small_setup(const char *env, const char *const *learners, int32_t learner_count)
{
    return (run_setup){.world.spec = env,
                       .learners = learners,
                       .learner_count = learner_count,
                       .horizon = 700,
                       .replicates = 9,
                       .seed = 5,
                       .jobs = 2,
                       .measures = exp_usual_measures,
                       .measure_count = 1};
}

static run_result run(const run_setup *setup)
{
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(setup, &result, &error), error);
    assert_true(result.complete);
    return result;
}

static void assert_same(const double *a, const double *b, int64_t n)
{
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

// ---- the same numbers ----

static void assert_same_results(const run_result *a, const run_result *b)
{
    const int64_t runs = a->learner_count * a->replicates;
    assert_same(a->optimum, b->optimum, a->replicates);
    assert_same(a->random, b->random, a->replicates);
    assert_same(a->reward, b->reward, runs);
    assert_same(a->observed, b->observed, runs);
    assert_same(a->curve, b->curve, runs * a->checkpoint_count);
    for (int32_t l = 0; l < a->learner_count; l++) {
        assert_string_equal(a->counters[l].spec, b->counters[l].spec);
        assert_int_equal(a->counters[l].count, b->counters[l].count);
        assert_memory_equal(a->counters[l].names, b->counters[l].names,
                            sizeof a->counters[l].names);
        assert_memory_equal(a->counters[l].totals, b->counters[l].totals,
                            sizeof a->counters[l].totals);
    }
}

static void test_any_count_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    int64_t times[EXP_MAX_CHECKPOINTS];
    run_setup setup = small_setup(SYNTHETIC, main_set, 6);
    setup.checkpoints = times;
    setup.checkpoint_count = exp_checkpoints(setup.horizon, false, times);
    setup.jobs = 1;
    run_result first = run(&setup);
    const int32_t jobs[] = {2, 7, 64};
    for (int i = 0; i < 3; i++) {
        setup.jobs = jobs[i];
        run_result again = run(&setup);
        assert_same_results(&first, &again);
        run_result_free(&again);
    }
    run_result_free(&first);
}

static void test_a_curve_does_not_change_results(void **state)
{
    (void)state;
    int64_t times[EXP_MAX_CHECKPOINTS];
    run_setup setup = small_setup(SYNTHETIC, main_set, 3);
    run_result plain = run(&setup);
    setup.checkpoints = times;
    setup.checkpoint_count = exp_checkpoints(setup.horizon, false, times);
    run_result with_curve = run(&setup);
    assert_same(plain.reward, with_curve.reward, 3 * setup.replicates);
    assert_same(plain.observed, with_curve.observed, 3 * setup.replicates);

    // the last point is the result, the first the reward of one step
    const int32_t last = setup.checkpoint_count - 1;
    for (int32_t l = 0; l < 3; l++)
        assert_close(exp_curve_point(&with_curve.reduction, 0, l, last).mean,
                     exp_summarize(&with_curve.reduction, l).reward.mean, 1e-14);
    setup.horizon = 1;
    setup.checkpoint_count = 1;
    run_result one_step = run(&setup);
    assert_same(one_step.reward, one_step.curve, 3 * setup.replicates);
    run_result_free(&one_step);
    run_result_free(&with_curve);
    run_result_free(&plain);
}

static void test_learners_share_noise_and_do_not_meet(void **state)
{
    (void)state;
    static const char *const twice[] = {"random", "lg2t", "random"};
    static const char *const alone[] = {"lg2t"};
    run_setup setup = small_setup(SYNTHETIC, twice, 3);
    run_result three = run(&setup);
    assert_same(three.reward, three.reward + 2 * setup.replicates, setup.replicates);
    assert_same(three.observed, three.observed + 2 * setup.replicates, setup.replicates);
    setup.learners = alone;
    setup.learner_count = 1;
    run_result one = run(&setup);
    assert_same(one.reward, three.reward + setup.replicates, setup.replicates);
    run_result_free(&one);
    run_result_free(&three);
}

// plays one instance by hand: reward per step, expected and observed
static void play_by_hand(const run_setup *setup, int64_t instance, double *expected,
                         double *observed)
{
    lgkt_error error = {0};
    lgkt_env_config env_config = lgkt_env_config_default();
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_env *env = NULL;
    lgkt_trajectory *trajectory = NULL;
    lgkt_learner *learner = NULL;
    env_config.seed = config.seed = setup->seed;
    env_config.instance = config.instance = (uint64_t)instance;
    assert_ok(lgkt_env_create(setup->world.spec, &env_config, &env, &error), error);
    config.problem = lgkt_env_problem(env, setup->horizon);
    assert_ok(lgkt_trajectory_create(env, setup->horizon, setup->seed, (uint64_t)instance, NULL,
                                     &trajectory, &error),
              error);
    assert_ok(lgkt_learner_create(setup->learners[0], &config, &learner, &error), error);
    *expected = *observed = 0.0;
    for (int64_t t = 0; t < setup->horizon; t++) {
        const int32_t s = lgkt_trajectory_state(trajectory);
        int32_t a;
        lgkt_step step;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &a), LGKT_OK);
        assert_int_equal(lgkt_trajectory_step(trajectory, a, &step), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        *expected += lgkt_mdp_reward(lgkt_env_model(env), s, a) / (double)setup->horizon;
        *observed += step.reward / (double)setup->horizon;
    }
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(trajectory);
    lgkt_env_destroy(env);
}

static void test_results_are_those_of_runs_by_hand(void **state)
{
    (void)state;
    for (int l = 0; l < 3; l++) {
        run_setup setup = small_setup(SYNTHETIC, main_set + l, 1);
        setup.horizon = 1500;
        run_result result = run(&setup);
        for (int64_t i = 0; i < setup.replicates; i++) {
            double expected, observed;
            play_by_hand(&setup, i, &expected, &observed);
            assert_close(result.reward[i], expected, 1e-12);
            assert_close(result.observed[i], observed, 1e-12);
        }
        run_result_free(&result);
    }
}

// every measure along the way, played by hand
static void test_measures_are_those_of_runs_by_hand(void **state)
{
    (void)state;
    static const char *const learners[] = {"lg2t", "auto"};
    static const exp_measure measures[] = {{EXP_MEASURE_EVENT, "event:falls", "falls"},
                                           {EXP_MEASURE_CUMULATIVE, "cumulative", NULL},
                                           {EXP_MEASURE_COUNTER, "counter:runs", "runs"},
                                           {EXP_MEASURE_AVERAGE, "average", NULL},
                                           {EXP_MEASURE_EVENT, "event:goals", "goals"}};
    static const exp_world events[] = {
        {.spec = "frozenlake:reward-goal=0,reward-hole=1,reward-frozen=0"},
        {0},
        {0},
        {0},
        {.spec = "frozenlake:reward-goal=1,reward-hole=0,reward-frozen=0"}};
    static const int64_t times[] = {1, 300, 512, 1100};
    enum { M = 5, C = 4, N = 2 };
    run_setup setup = small_setup("frozenlake", learners, 2);
    setup.horizon = 1100;
    setup.replicates = N;
    run_result plain = run(&setup);
    setup.checkpoints = times;
    setup.checkpoint_count = C;
    setup.measures = measures;
    setup.measure_count = M;
    setup.events = events;
    run_result result = run(&setup);
    assert_same(plain.reward, result.reward, 2 * N);
    lgkt_error error = {0};
    lgkt_env *counted[M] = {0};
    assert_ok(exp_env_create(&events[0], 0, 0, &counted[0], &error), error);
    assert_ok(exp_env_create(&events[4], 0, 0, &counted[4], &error), error);
    double falls = 0.0;
    for (int32_t l = 0; l < 2; l++)
        for (int64_t i = 0; i < N; i++) {
            lgkt_env *env = NULL;
            exp_run game;
            double tally[EXP_SUMS] = {0};
            double sums[M] = {0};
            assert_ok(exp_env_create(&setup.world, setup.seed, i, &env, &error), error);
            assert_ok(run_open(&game, learners[l], setup.horizon, setup.seed, env, i, &error),
                      error);
            for (int32_t c = 0, t = 0; c < C; c++) {
                for (; t < times[c]; t++) {
                    const int32_t s = lgkt_trajectory_state(game.trajectory);
                    assert_ok(exp_play(&game, 1, NULL, 0, tally, &error), error);
                    for (int m = 0; m < M; m += 4)
                        sums[m] += lgkt_mdp_reward(lgkt_env_model(counted[m]), s, game.action);
                }
                lgkt_counter counter = {0};
                lgkt_learner_counters(game.learner, &counter, 1);
                sums[1] = tally[EXP_OBSERVED];
                sums[2] = l == 0 ? (double)counter.value : NAN;
                sums[3] = tally[EXP_EXPECTED] / (double)t;
                for (int m = 0; m < M; m++) {
                    const double got = run_curve_row(&result, m, l, c)[i];
                    assert_true(isnan(sums[m]) ? isnan(got) : fabs(got - sums[m]) < 1e-9);
                }
            }
            falls += sums[0];
            exp_run_close(&game);
            lgkt_env_destroy(env);
        }
    assert_true(falls > 100.0);
    lgkt_env_destroy(counted[0]);
    lgkt_env_destroy(counted[4]);
    run_result_free(&plain);
    run_result_free(&result);
}

// ---- known values ----

// V_T(s_0)/T of K-step greedy, or of K-step thresholding, on an instance, from the state its runs
// start in; nullable: threshold
static double exact_value(const run_setup *setup, int64_t instance, int64_t k,
                          const lgkt_threshold *threshold)
{
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    lgkt_policy *policy = NULL;
    exp_run game;
    double value[64];
    assert_ok(exp_env_create(&setup->world, setup->seed, instance, &env, &error), error);
    assert_ok(run_open(&game, NULL, setup->horizon, setup->seed, env, instance, &error), error);
    const lgkt_mdp *model = lgkt_env_model(env);
    assert_ok(
        threshold != NULL
            ? lgkt_policy_threshold(model, k, setup->horizon, threshold, NULL, &policy, &error)
            : lgkt_policy_greedy(model, k, setup->horizon, LGKT_TIES_LOW, NULL, &policy, &error),
        error);
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    const int32_t start = lgkt_trajectory_state(game.trajectory);
    lgkt_policy_destroy(policy);
    exp_run_close(&game);
    lgkt_env_destroy(env);
    return value[start] / (double)setup->horizon;
}

// The difference between what a policy earned on an instance and its exact value has mean 0 on each
// instance. With n = 200 instances its mean is normal to good approximation: beyond 6 standard
// errors with probability below 1e-7.
static void assert_mean_zero(const double *x, const double *y, int64_t n, double largest_bound)
{
    const exp_moments difference = paired_moments(x, y, n);
    const double bound = 6.0 * exp_moments_sd(&difference) / sqrt((double)n);
    assert_between(bound, 0.0, largest_bound);
    assert_between(difference.mean, -bound, bound);
}

static void test_oracles_earn_their_exact_values(void **state)
{
    (void)state;
    static const char *const oracles[] = {"optimal", "kstep:k=1", "kstep:k=2", "thresholding:k=1",
                                          "thresholding:k=2"};
    static const lgkt_threshold thresholds[] = {{.constant = 0.3}, {.constant = 0.9}};
    enum { N = 200 };
    run_setup setup = small_setup(SYNTHETIC, oracles, 5);
    setup.horizon = 1000;
    setup.replicates = N;
    run_result result = run(&setup);
    assert_mean_zero(result.reward, result.optimum, N, 0.03);
    assert_mean_zero(result.observed, result.optimum, N, 0.04);
    for (int64_t l = 1; l <= 4; l++) {
        double exact[N];
        for (int64_t i = 0; i < N; i++) {
            exact[i] = exact_value(&setup, i, 1 + (l - 1) % 2, l > 2 ? &thresholds[l - 3] : NULL);
            assert_between(exact[i], 0.0, result.optimum[i] * (1.0 + 1e-12));
        }
        assert_mean_zero(result.reward + l * N, exact, N, 0.03);
    }
    assert_close(exp_summarize(&result.reduction, 0).share, 1.0, 0.03);
    run_result_free(&result);
}

static void test_optimum_of_riverswim(void **state)
{
    (void)state;
    static const char *const learners[] = {"random", "optimal"};
    run_setup setup = small_setup("riverswim:states=5", learners, 2);
    setup.horizon = 20000;
    setup.replicates = 4;
    run_result result = run(&setup);
    // the optimal gain is 0.212496; the start costs a few steps' worth of it
    assert_close(result.reduction.optimum.mean, 0.2125, 1e-3);
    // all instances are the same world
    for (int i = 1; i < 4; i++)
        assert_true(result.optimum[i] == result.optimum[0]);
    run_result_free(&result);
}

static void test_no_model_has_no_optimum(void **state)
{
    (void)state;
    run_setup setup = small_setup("trading", main_set, 2);
    run_result result = run(&setup);
    assert_true(isnan(result.reduction.optimum.mean));
    assert_true(isnan(exp_summarize(&result.reduction, 0).share));
    assert_true(isnan(result.reduction.random.mean) &&
                isnan(exp_summarize(&result.reduction, 0).score));
    assert_true(strlen(result.note) > 0);
    // without a model the reward itself stands for its mean
    assert_same(result.reward, result.observed, 2 * setup.replicates);
    run_result_free(&result);
}

// the value of uniform play by going through all plays of a few steps
static double naive_uniform(const lgkt_mdp *model, int32_t s, int h)
{
    const int32_t actions = lgkt_mdp_actions(model);
    double sum = 0.0;
    for (int32_t a = 0; h > 0 && a < actions; a++) {
        const lgkt_row row = lgkt_mdp_row(model, s, a);
        sum += lgkt_mdp_reward(model, s, a);
        for (int32_t i = 0; i < row.n; i++)
            sum += row.p[i] * naive_uniform(model, row.next[i], h - 1);
    }
    return sum / actions;
}

static void test_uniform_play_is_exact(void **state)
{
    (void)state;
    static const char *const learners[] = {"random"};
    run_setup setup = small_setup("synthetic:states=4,actions=3", learners, 1);
    setup.horizon = 5;
    run_result result = run(&setup);
    for (int64_t i = 0; i < setup.replicates; i++) {
        lgkt_error error = {0};
        lgkt_env *env = NULL;
        exp_run game;
        assert_ok(exp_env_create(&setup.world, setup.seed, i, &env, &error), error);
        assert_ok(run_open(&game, NULL, setup.horizon, setup.seed, env, i, &error), error);
        const int32_t start = lgkt_trajectory_state(game.trajectory);
        assert_close(result.random[i], naive_uniform(lgkt_env_model(env), start, 5) / 5, 1e-12);
        exp_run_close(&game);
        lgkt_env_destroy(env);
    }
    run_result_free(&result);
    // and it is what the learner that plays so earns in the mean
    setup = small_setup(SYNTHETIC, learners, 1);
    setup.replicates = 200;
    result = run(&setup);
    assert_mean_zero(result.reward, result.random, 200, 0.03);
    assert_between(exp_summarize(&result.reduction, 0).score, -3.0, 3.0);
    run_result_free(&result);
}

static void test_the_optimum_without_play(void **state)
{
    (void)state;
    run_setup setup = small_setup(SYNTHETIC, main_set, 1);
    run_result played = run(&setup);
    setup.learner_count = 0;
    run_result planned = run(&setup);
    assert_same(played.optimum, planned.optimum, setup.replicates);
    assert_same(played.random, planned.random, setup.replicates);
    for (int64_t i = 0; i < setup.replicates; i++)
        assert_true(played.seconds[i] > 0.0);
    run_result_free(&played);
    run_result_free(&planned);
}

// all rewards below 0: no share, and the score of the same runs with rewards above 0
static void test_score_where_rewards_are_negative(void **state)
{
    (void)state;
    static const char *const learners[] = {"random", "kstep:k=1", "optimal"};
    run_setup setup = small_setup("riverswim:states=5", learners, 3);
    run_result plain = run(&setup);
    setup.world.spec = "scaled:of=(riverswim:states=5),by=100,shift=-500";
    run_result scaled = run(&setup);
    assert_true(scaled.reduction.optimum.mean < 0.0 &&
                scaled.reduction.random.mean < scaled.reduction.optimum.mean);
    for (int32_t l = 0; l < 3; l++) {
        const exp_summary a = exp_summarize(&plain.reduction, l),
                          b = exp_summarize(&scaled.reduction, l);
        assert_true(a.share > 0.0 && isnan(b.share));
        assert_close(a.score, b.score, 1e-9);
    }
    assert_between(exp_summarize(&scaled.reduction, 2).score, 80.0, 120.0);
    run_result_free(&scaled);
    // uniform play is all there is
    setup = small_setup("scaled:by=1e-9,of=(synthetic:actions=1)", learners, 1);
    run_result single = run(&setup);
    assert_true(isnan(exp_summarize(&single.reduction, 0).score));
    run_result_free(&single);
    run_result_free(&plain);
}

static void test_summary(void **state)
{
    (void)state;
    run_setup setup = small_setup(SYNTHETIC, main_set, 3);
    run_result result = run(&setup);
    const exp_summary summary = exp_summarize(&result.reduction, 2);
    const double mean = exp_moments_of(result.reward + 2 * 9, 9).mean;
    assert_close(summary.reward.mean, mean, 0.0);
    assert_close(summary.share, mean / exp_moments_of(result.optimum, 9).mean, 1e-15);
    const double random = exp_moments_of(result.random, 9).mean;
    assert_close(summary.score, 100 * (mean - random) / (result.reduction.optimum.mean - random),
                 1e-12);
    // of nine runs the worst is one, and the fifth has as many below as above
    int below = 0, worse = 0;
    for (int i = 0; i < 9; i++) {
        below += result.reward[2 * 9 + i] < summary.spread.median;
        worse += result.reward[2 * 9 + i] <= summary.spread.worst;
    }
    assert_int_equal(below, 4);
    assert_int_equal(worse, 1);
    assert_true(summary.seconds > 0.0);
    assert_close(summary.steps_per_second * summary.seconds, 9.0 * 700.0, 1e-6);
    run_result_free(&result);
}

// A file is read once for all instances: from a pipe nothing comes twice. A second reader would
// wait forever, so the alarm ends the test.
static void test_a_file_is_read_once(void **state)
{
    (void)state;
    char folder[] = "/tmp/lgkt-pipe-XXXXXX", path[64], env[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/prices", folder);
    snprintf(env, sizeof env, "trading:file=(%s)", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        FILE *out = fopen(path, "w");
        fputs("Close\n", out);
        for (int i = 0; i < 1000; i++)
            fprintf(out, "%d\n", 100 + i % 7);
        fclose(out);
        _exit(0);
    }
    alarm(20);
    io_data data;
    lgkt_error error = {0};
    assert_ok(io_data_read(&io_true_files, "", env, &data, &error), error);
    run_setup setup = small_setup(env, main_set, 2);
    setup.world.data = data;
    run_result result = run(&setup);
    alarm(0);
    io_data_release(&data);
    waitpid(writer, NULL, 0);
    run_result_free(&result);
    unlink(path);
    rmdir(folder);
}

// ---- failures ----

static void assert_run_refused(const run_setup *setup, lgkt_status status, const char *words)
{
    run_result result = {.learner_count = -77};
    lgkt_error error = {0};
    assert_refused(run_panel(setup, &result, &error), status, error, words);
    assert_int_equal(run_panel(setup, &result, NULL), status);
    assert_int_equal(result.learner_count, -77);
}

static void test_bad_specs_are_refused(void **state)
{
    (void)state;
    static const char *const unknown[] = {"random", "lg9t-nonsense"};
    static const char *const bad_value[] = {"lg1t:threshold=high"};
    static const char *const oracle[] = {"lg1t", "optimal"};
    run_setup setup = small_setup(SYNTHETIC, unknown, 2);
    assert_run_refused(&setup, LGKT_ERR_UNKNOWN_NAME, "lg9t-nonsense");
    setup = small_setup(SYNTHETIC, bad_value, 1);
    assert_run_refused(&setup, LGKT_ERR_SPEC, "high");
    setup = small_setup("trading", oracle, 2);
    assert_run_refused(&setup, LGKT_ERR_CONFIG, "optimal");
    setup = small_setup("no-such-world", main_set, 1);
    assert_run_refused(&setup, LGKT_ERR_UNKNOWN_NAME, "no-such-world");
    setup = small_setup("model:file=no/such/file.json", main_set, 1); // nothing here reads files
    assert_run_refused(&setup, LGKT_ERR_CONFIG, "model");
}

static void test_numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    const run_setup good = small_setup(SYNTHETIC, main_set, 1);
    run_setup setup = good;
    setup.horizon = 0;
    assert_run_refused(&setup, LGKT_ERR_ARGUMENT, "horizon: 0");
    setup = good;
    setup.replicates = EXP_MAX_REPLICATES + 1;
    assert_run_refused(&setup, LGKT_ERR_ARGUMENT, "replicates: 10000001");
    setup = good;
    setup.jobs = 0;
    assert_run_refused(&setup, LGKT_ERR_ARGUMENT, "jobs: 0");

    const int64_t bad[][2] = {{0, 5}, {5, 5}, {6, 5}, {1, 701}};
    for (int i = 0; i < 4; i++) {
        setup = good;
        setup.checkpoints = bad[i];
        setup.checkpoint_count = 2;
        assert_run_refused(&setup, LGKT_ERR_ARGUMENT, "checkpoint: ");
    }
    setup = good;
    setup.checkpoints = (const int64_t[]){700};
    setup.checkpoint_count = 1;
    setup.measure_count = 0;
    assert_run_refused(&setup, LGKT_ERR_ARGUMENT, "measures: 0");
}

static void test_measures_that_cannot_be(void **state)
{
    (void)state;
    static const char *const learners[] = {"lg2t", "auto"};
    const struct {
        exp_measure measure;
        const char *event;
        lgkt_status status;
        const char *words;
    } cases[] = {
        {{EXP_MEASURE_COUNTER, "counter:run", "run"},
         NULL,
         LGKT_ERR_UNKNOWN_NAME,
         "counter:run: no learner counts that; did you mean \"runs\"?"},
        {{EXP_MEASURE_COUNTER, "counter:known_state", "known_state"},
         NULL,
         LGKT_ERR_UNKNOWN_NAME,
         "did you mean \"known_states\"?"},
        {{EXP_MEASURE_EVENT, "event:falls", "falls"},
         "frozenlake:map=8x8",
         LGKT_ERR_SHAPE,
         "event:falls: frozenlake:map=8x8 has 64 states and 4 actions, not 16 and 4"},
        {{EXP_MEASURE_EVENT, "event:falls", "falls"},
         "trading",
         LGKT_ERR_UNSUPPORTED,
         "event:falls: trading has no model"},
        {{EXP_MEASURE_EVENT, "event:falls", "falls"},
         "frozenlak",
         LGKT_ERR_UNKNOWN_NAME,
         "did you mean \"frozenlake\"?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const exp_world event = {.spec = cases[i].event};
        run_setup setup = small_setup("frozenlake", learners, 2);
        setup.measures = &cases[i].measure;
        setup.events = &event;
        assert_run_refused(&setup, cases[i].status, cases[i].words);
    }
}

// A learner refuses rewards beyond 1e100. The first one that meets such a reward is reported, the
// same for any count of threads: the message has the reward.
static void test_failure_on_a_later_instance(void **state)
{
    (void)state;
    lgkt_error error = {0}, again = {0};
    lgkt_mdp_builder *builder;
    lgkt_mdp *mdp;
    assert_ok(lgkt_mdp_builder_create(1, 1, NULL, &builder, &error), error);
    assert_int_equal(lgkt_mdp_builder_edge(builder, 0, 0, 0, 1.0), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_NORMAL, 4e99), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    run_setup setup = small_setup("model", main_set, 2);
    setup.world.data.given = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = mdp};
    setup.untold = true;
    setup.horizon = 1;
    run_result result = run(&setup); // not among these 9
    run_result_free(&result);
    setup.replicates = 100000;
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_ARGUMENT, error, "out of range");
    setup.jobs = 1;
    assert_refused(run_panel(&setup, &result, &again), error.status, again, error.text);
    assert_null(result.reward);
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_builder_destroy(builder);
}

// ---- interruption ----

typedef struct interruption {
    atomic_bool stop;
    double at; // when it was set; 0: not yet
} interruption;

static void interrupt(void *ctx, const exp_progress *progress)
{
    interruption *i = ctx;
    assert_true(progress->steps_done <= progress->steps);
    assert_true(progress->seconds > 0.0);
    if (i->at == 0.0)
        i->at = exp_clock();
    atomic_store(&i->stop, true);
}

static void test_stop_ends_a_run(void **state)
{
    (void)state;
    // far too long to end by itself
    interruption i = {0};
    run_setup setup = small_setup(SYNTHETIC, main_set, 3);
    setup.horizon = 1000000000;
    setup.learner_count = 1;
    setup.stop = &i.stop;
    setup.progress = interrupt;
    setup.progress_ctx = &i;
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    const double seconds = exp_clock() - i.at;
    assert_true(i.at > 0.0);
    assert_false(result.complete);
    run_result_free(&result);
    // a block of steps takes far less than a millisecond, the end of an instance many seconds
    print_message("from the stop to the end: %.6f s\n", seconds);
    assert_true(seconds < 1.0);

    // a flag that is set before the run
    assert_ok(run_panel(&setup, &result, &error), error);
    assert_false(result.complete);
    run_result_free(&result);
}

static void count_report(void *ctx, const exp_progress *progress)
{
    (void)ctx;
    if (progress->instances_done == progress->instances)
        assert_true(progress->steps_done == progress->steps);
    ++*(int *)ctx;
}

static void test_last_report_is_complete(void **state)
{
    (void)state;
    int reports = 0;
    run_setup setup = small_setup(SYNTHETIC, main_set, 2);
    setup.progress = count_report;
    setup.progress_ctx = &reports;
    run_result result = run(&setup);
    assert_true(reports >= 1);
    run_result_free(&result);
}

// ---- timing ----

static void test_timing(void **state)
{
    (void)state;
    static const char *const learners[] = {NULL, "random", "lg1t"};
    exp_timing timing = {.world.spec = "riverswim",
                         .learners = learners,
                         .learner_count = 3,
                         .horizon = 500,
                         .repeats = 2,
                         .seed = 1};
    double ns[3];
    lgkt_error error = {0};
    assert_ok(exp_time(&timing, ns, &error), error);
    for (int l = 0; l < 3; l++)
        assert_between(ns[l], 0.1, 1e6);

    const atomic_bool stop = true;
    timing.stop = &stop;
    assert_ok(exp_time(&timing, ns, &error), error);
    assert_true(isnan(ns[0]) && isnan(ns[2]));
    timing.stop = NULL;

    static const char *const bad[] = {NULL, "nobody", NULL};
    timing.learners = bad;
    assert_refused(exp_time(&timing, ns, &error), LGKT_ERR_UNKNOWN_NAME, error, "nobody");
    timing.world.spec = "nowhere";
    assert_refused(exp_time(&timing, ns, &error), LGKT_ERR_UNKNOWN_NAME, error, "nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_count_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_a_curve_does_not_change_results),
        cmocka_unit_test(test_learners_share_noise_and_do_not_meet),
        cmocka_unit_test(test_results_are_those_of_runs_by_hand),
        cmocka_unit_test(test_measures_are_those_of_runs_by_hand),
        cmocka_unit_test(test_measures_that_cannot_be),
        cmocka_unit_test(test_oracles_earn_their_exact_values),
        cmocka_unit_test(test_optimum_of_riverswim),
        cmocka_unit_test(test_no_model_has_no_optimum),
        cmocka_unit_test(test_uniform_play_is_exact),
        cmocka_unit_test(test_the_optimum_without_play),
        cmocka_unit_test(test_score_where_rewards_are_negative),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_a_file_is_read_once),
        cmocka_unit_test(test_bad_specs_are_refused),
        cmocka_unit_test(test_numbers_out_of_range_are_refused),
        cmocka_unit_test(test_failure_on_a_later_instance),
        cmocka_unit_test(test_stop_ends_a_run),
        cmocka_unit_test(test_last_report_is_complete),
        cmocka_unit_test(test_timing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
