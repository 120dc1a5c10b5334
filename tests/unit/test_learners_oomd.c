// SPDX-License-Identifier: MIT
// labels: slow
// MDP-OOMD: the mirror descent step, known numbers of a batch, a naive version, cuts, who may be
// fed, and that it finds the optimum of its authors' random models.

#include "test.h"

#include "learners/front/learner_private.h"
#include "learners/modelfree/mdp_oomd.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_gain.h"
#include "ref/naive_modelfree.h"

// The state of a learner begins with pi as of the last sample (S, A), pi' (S, A), the batches up to
// then (S), and all batches.
static double pi_of(const lgkt_learner *learner, int32_t states, int32_t actions, int32_t s,
                    int32_t a)
{
    const size_t pairs = (size_t)(states * actions), z = (size_t)(s * actions + a);
    const bool hinted = modelfree_whole(learner, 2 * pairs + (size_t)s) ==
                        modelfree_whole(learner, 2 * pairs + (size_t)states);
    return modelfree_real(learner, hinted ? z : pairs + z);
}

static double base_of(const lgkt_learner *learner, int32_t states, int32_t actions, int32_t s,
                      int32_t a)
{
    return modelfree_real(learner, (size_t)((states + s) * actions + a));
}

// ---- the mirror descent step ----

typedef struct known_step {
    int32_t n;
    double eta, y[4], beta[4], x[4];
    double lambda; // NaN: not known
} known_step;

static void test_known_steps(void **state)
{
    (void)state;
    const double quarter[] = {0.207143202207, 0.231076126618, 0.261261810183, 0.300518860992};
    const known_step steps[] = {
        {2, 0.1, {0.5, 0.5}, {2, 0}, {0.52493781056, 0.47506218944}, 0.104987562112},
        {2,
         0.1,
         {0.52493781056, 0.47506218944},
         {2, 0},
         {0.549509756796, 0.450490243204},
         0.114816340606},
        {2, 0.1, {0.5, 0.5}, {0, 1}, {0.48750780275, 0.51249219725}, NAN},
        {2, 0.1, {0.48750780275, 0.51249219725}, {0, 1}, {0.47506218944, 0.52493781056}, NAN},
        {3,
         0.05,
         {0.7, 0.2, 0.1},
         {3, -1, 10},
         {0.703705885359, 0.192586320366, 0.103707794274},
         0.142476797406},
        {2, 0.01, {0.5, 0.5}, {500, 0}, {0.838516480713, 0.161483519287}, NAN},
        {4,
         0.5,
         {0.25, 0.25, 0.25, 0.25},
         {1, 2, 3, 4},
         {quarter[0], quarter[1], quarter[2], quarter[3]},
         NAN},
        {4,
         0.5,
         {0.25, 0.25, 0.25, 0.25},
         {-9, -8, -7, -6},
         {quarter[0], quarter[1], quarter[2], quarter[3]},
         NAN},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const known_step *step = &steps[i];
        double x[4];
        const double lambda = lgkt_log_barrier_step(step->y, step->beta, step->eta, step->n, x);
        for (int32_t a = 0; a < step->n; a++)
            assert_close(x[a], step->x[a], 1e-9);
        if (!isnan(step->lambda))
            assert_close(lambda, step->lambda, 1e-9);
    }
}

enum { MOST = 64 };

// a random point of the simplex; small shapes make entries near 0
static void draw_simplex(lgkt_rng *rng, int32_t n, double shape, double *y)
{
    double sum = 0;
    for (int32_t a = 0; a < n; a++)
        sum += y[a] = lgkt_rng_gamma(rng, shape) + 1e-9;
    for (int32_t a = 0; a < n; a++)
        y[a] /= sum;
}

static void check_against_bisection(const double *y, const double *beta, double eta, int32_t n)
{
    double x[MOST], expected[MOST], sum = 0;
    lgkt_log_barrier_step(y, beta, eta, n, x);
    naive_log_barrier(y, beta, eta, n, expected);
    for (int32_t a = 0; a < n; a++) {
        assert_close(x[a], expected[a], 1e-12 * n + 1e-9 * expected[a]);
        assert_true(x[a] > 0);
        sum += x[a];
    }
    assert_close(sum, 1, 1e-14 * n);
}

static void test_steps_agree_with_bisection(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "simplex", 0);
    for (int i = 0; i < 2000; i++) {
        const int32_t n = 1 + lgkt_rng_below(&rng, i % 10 == 0 ? MOST : 6);
        double y[MOST], beta[MOST];
        draw_simplex(&rng, n, i % 2 ? 1 : 0.1, y);
        const double size = pow(10, lgkt_rng_below(&rng, 7) - 2);
        for (int32_t a = 0; a < n; a++)
            beta[a] = size * lgkt_rng_normal(&rng);
        check_against_bisection(y, beta, 0.01, n);
    }
}

// adding a constant changes nothing, no gain changes nothing, more gain means more probability, and
// x and y may be the same array
static void test_step_properties(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "simplex", 0);
    for (int i = 0; i < 500; i++) {
        const int32_t n = 2 + lgkt_rng_below(&rng, 5), more = lgkt_rng_below(&rng, n);
        const double zero[MOST] = {0};
        double y[MOST], beta[MOST], moved[MOST], x[MOST], again[MOST];
        draw_simplex(&rng, n, 1, y);
        for (int32_t a = 0; a < n; a++) {
            beta[a] = lgkt_rng_normal(&rng);
            moved[a] = beta[a] + 17;
        }
        lgkt_log_barrier_step(y, beta, 0.2, n, x);
        lgkt_log_barrier_step(y, moved, 0.2, n, again);
        for (int32_t a = 0; a < n; a++)
            assert_close(again[a], x[a], 1e-12);
        lgkt_log_barrier_step(y, zero, 0.2, n, again);
        for (int32_t a = 0; a < n; a++)
            assert_close(again[a], y[a], 1e-12);
        beta[more] += 1;
        lgkt_log_barrier_step(y, beta, 0.2, n, again);
        for (int32_t a = 0; a < n; a++)
            assert_true(a == more ? again[a] > x[a] : again[a] < x[a]);
        lgkt_log_barrier_step(y, beta, 0.2, n, y);
        assert_memory_equal(y, again, (size_t)n * sizeof *y);
    }
}

// a probability never reaches 0, and comes back
static void test_floor(void **state)
{
    (void)state;
    double x[] = {0.5, 0.5};
    const double away[] = {1e30, 0}, back[] = {0, 1e30}, huge[] = {1e300, -1e300};
    lgkt_log_barrier_step(x, away, 0.01, 2, x);
    assert_between(x[1], 0.9e-12, 1.1e-12);
    lgkt_log_barrier_step(x, back, 0.01, 2, x);
    assert_between(x[0], 0.9e-12, 1.1e-12);
    lgkt_log_barrier_step(x, huge, 0.01, 2, x);
    assert_close(x[0] + x[1], 1, 1e-15);
}

// ---- one batch ----

// B = 6, N = 2, eta = 0.1 from the uniform policy
static lgkt_learner *play_known_batch(const char *windows)
{
    static const naive_step batch[] = {{0, 0, 1}, {1, 1, 0}, {0, 1, 0.5},
                                       {0, 0, 1}, {1, 0, 0}, {0, 1, 1}};
    char spec[64];
    snprintf(spec, sizeof spec, "mdp-oomd:b=6,n=2,eta=0.1,windows=%s", windows);
    lgkt_learner *learner = modelfree_make(spec, 3, 2, 100);
    for (int i = 0; i < 6; i++) {
        assert_close(pi_of(learner, 3, 2, 0, 0), 0.5, 0);
        modelfree_force(learner, batch[i].state, batch[i].action, batch[i].reward, 0, false);
    }
    return learner;
}

static void test_known_batch(void **state)
{
    (void)state;
    lgkt_learner *learner = play_known_batch("paper");
    assert_close(base_of(learner, 3, 2, 0, 0), 0.52493781056, 1e-9);
    assert_close(pi_of(learner, 3, 2, 0, 0), 0.549509756796, 1e-9);
    assert_close(pi_of(learner, 3, 2, 0, 1), 0.450490243204, 1e-9);
    assert_close(base_of(learner, 3, 2, 1, 1), 0.51249219725, 1e-9);
    assert_close(pi_of(learner, 3, 2, 1, 1), 0.52493781056, 1e-9);
    assert_close(pi_of(learner, 3, 2, 2, 0), 0.5, 0);
    lgkt_learner_destroy(learner);

    // windows that overlap: beta(0) = (4/3, 1), beta(1) = (0, 1)
    learner = play_known_batch("overlapping");
    const double uniform[] = {0.5, 0.5}, beta[] = {4 / 3.0, 1};
    double base[2], pi[2];
    naive_log_barrier(uniform, beta, 0.1, 2, base);
    naive_log_barrier(base, beta, 0.1, 2, pi);
    assert_close(base_of(learner, 3, 2, 0, 0), base[0], 1e-9);
    assert_close(pi_of(learner, 3, 2, 0, 0), pi[0], 1e-9);
    assert_close(pi_of(learner, 3, 2, 1, 1), 0.52493781056, 1e-9);
    lgkt_learner_destroy(learner);
}

// ---- the naive version ----

typedef struct setting {
    const char *spec;
    int32_t b, n;
    double eta;
    bool overlapping;
    double min, max, sd; // rewards as told
    double cuts;
} setting;

enum { STATES = 4, ACTIONS = 3, LONGEST = 30 };

typedef struct shadow {
    naive_oomd form;
    double pi[STATES * ACTIONS], base[STATES * ACTIONS];
    naive_step batch[LONGEST];
    int32_t filled;
} shadow;

static void shadow_observe(shadow *naive, const setting *set, naive_step step, bool ended)
{
    naive->batch[naive->filled++] = step;
    if (!ended && naive->filled < set->b)
        return;
    const int32_t last = ended ? naive->filled - set->n : set->b - 1 - set->n;
    naive_oomd_update(&naive->form, naive->pi, naive->base, naive->batch, last);
    naive->filled = 0;
}

static int32_t draw(const double *p, double u)
{
    int32_t a = 0;
    for (double sum = p[0]; a < ACTIONS - 1 && !(u < sum); sum += p[a])
        a++;
    return a;
}

static void check_setting(const setting *set, uint64_t seed)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.seed = seed;
    config.problem = (lgkt_problem){.states = STATES,
                                    .actions = ACTIONS,
                                    .horizon = 1000,
                                    .reward_min = set->min,
                                    .reward_max = set->max,
                                    .reward_sd = set->sd};
    lgkt_learner *learner = learner_run_make(set->spec, &config);
    shadow naive = {.form = {STATES, ACTIONS, set->n, set->eta, set->overlapping}};
    for (int z = 0; z < STATES * ACTIONS; z++)
        naive.pi[z] = naive.base[z] = 1.0 / ACTIONS;
    const double scale = fmax(set->max - set->min, 2 * set->sd);
    lgkt_rng rng = lgkt_rng_stream(seed, "steps", 0);
    int32_t s = 0;
    for (int t = 0; t < 1000; t++) {
        lgkt_rng own = learner->rng;
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        assert_int_equal(action, draw(naive.pi + s * ACTIONS, lgkt_rng_uniform(&own)));
        const double reward = set->min + (set->max - set->min) * lgkt_rng_uniform(&rng);
        const int32_t next = lgkt_rng_below(&rng, STATES);
        const bool ended = lgkt_rng_bernoulli(&rng, set->cuts);
        assert_int_equal(lgkt_learner_observe(learner, reward, next, ended), LGKT_OK);
        shadow_observe(&naive, set, (naive_step){s, action, (reward - set->min) / scale}, ended);
        for (int z = 0; naive.filled == 0 && z < STATES * ACTIONS; z++) {
            const int s0 = z / ACTIONS, a0 = z % ACTIONS;
            assert_close(pi_of(learner, STATES, ACTIONS, s0, a0), naive.pi[z], 1e-9);
            assert_close(base_of(learner, STATES, ACTIONS, s0, a0), naive.base[z], 1e-9);
        }
        s = next;
    }
    lgkt_learner_destroy(learner);
}

static void test_runs_agree_with_a_naive_version(void **state)
{
    (void)state;
    const setting settings[] = {
        {"mdp-oomd", 4, 2, 0.01, false, 0, 1, 0.5, 0},
        {"mdp-oomd:windows=overlapping,eta=0.1", 4, 2, 0.1, true, -3, 3, 0.5, 0.1},
        {"mdp-oomd:b=30,n=10,eta=0.002", 30, 10, 0.002, false, 0, 1, 2, 0.03},
        {"mdp-oomd:b=30,n=3,windows=overlapping", 30, 3, 0.01, true, -1, 0, 0, 0},
        {"mdp-oomd:b=2,n=1,eta=0.05", 2, 1, 0.05, false, 10, 20, 1, 0.4},
        {"mdp-oomd:b=7,n=6", 7, 6, 0.01, false, 0, 1, 0.5, 0.05},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            check_setting(&settings[i], seed);
}

// ---- the authors' random models ----

enum { RANDOM_STATES = 6, RANDOM_ACTIONS = 2 };

// costs in {0, 0.1, .., 1}, rows of 6 uniform numbers scaled to sum 1; rewards are shift - cost
static lgkt_mdp *random_model(uint64_t i, double shift)
{
    enum { PAIRS = RANDOM_STATES * RANDOM_ACTIONS };
    lgkt_rng rng = lgkt_rng_stream(i, "random model", 0);
    double rewards[PAIRS], kernel[PAIRS * RANDOM_STATES];
    for (int z = 0; z < PAIRS; z++) {
        double *row = kernel + z * RANDOM_STATES, sum = 0;
        rewards[z] = shift - 0.1 * lgkt_rng_below(&rng, 11);
        for (int y = 0; y < RANDOM_STATES; y++)
            sum += row[y] = lgkt_rng_uniform(&rng);
        for (int y = 0; y < RANDOM_STATES; y++)
            row[y] /= sum;
    }
    return model_dense(RANDOM_STATES, RANDOM_ACTIONS, rewards, kernel);
}

typedef struct climb {
    double early, all, late; // average reward of the first 1/1000, of all and of the last tenth
} climb;

static climb play_model(const lgkt_mdp *model, const char *spec, int64_t horizon)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = model};
    lgkt_env *env = env_run_make("model", &config);
    lgkt_learner_config told = lgkt_learner_config_default();
    told.problem = lgkt_env_problem(env, horizon);
    lgkt_learner *learner = learner_run_make(spec, &told);
    lgkt_trajectory *run = env_run_start(env, horizon, 1);
    climb sum = {0};
    for (int64_t t = 0; t < horizon; t++) {
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, lgkt_trajectory_state(run), NULL, &action),
                         LGKT_OK);
        const lgkt_step step = env_run_play(run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, false), LGKT_OK);
        sum.all += step.mean_reward / (double)horizon;
        sum.early += t < horizon / 1000 ? 1000 * step.mean_reward / (double)horizon : 0;
        sum.late += t >= horizon - horizon / 10 ? 10 * step.mean_reward / (double)horizon : 0;
    }
    lgkt_trajectory_destroy(run);
    lgkt_learner_destroy(learner);
    lgkt_env_destroy(env);
    return sum;
}

// B = 4, N = 2, eta = 0.01, as the authors have it. They play 5 million steps, where the average of
// all steps is 0.3% of a reward range below the optimum; a tenth of that is enough to see it climb.
static void test_climbs_to_the_optimum(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        double shift;
    } cases[] = {
        {"mdp-oomd", 1},                                               // rewards in [0, 1]
        {"mdp-oomd:windows=overlapping,reward-min=0,reward-max=1", 0}, // -cost, as it is
    };
    for (size_t i = 0; i < 2; i++)
        for (uint64_t m = 0; m < 2; m++) {
            lgkt_mdp *model = random_model(m, cases[i].shift);
            const double best = naive_gain_of_rule(model, NAIVE_BEST);
            const double uniform = naive_gain_of_rule(model, NAIVE_UNIFORM);
            const climb got = play_model(model, cases[i].spec, 500000);
            assert_true(best - uniform > 0.1);
            assert_close(got.early, uniform, 0.5 * (best - uniform));
            assert_between(got.all, best - 0.02, best);
            assert_close(got.late, best, 0.01);
            lgkt_mdp_destroy(model);
        }
}

// ---- refusals ----

static void test_cannot_be_fed(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 10);
    lgkt_learner *learner = learner_run_make("mdp-oomd", &config);
    const uint64_t hash = lgkt_learner_hash(learner);
    assert_int_equal(lgkt_learner_feed(learner, 0, 0, 0, 0, false), LGKT_ERR_UNSUPPORTED);
    assert_non_null(strstr(lgkt_learner_message(learner), "\"mdp-oomd\" cannot learn from steps"));
    assert_true(lgkt_learner_hash(learner) == hash);
    lgkt_learner_destroy(learner);
    modelfree_check_refused("lg1t-rl:rl=mdp-oomd", "\"mdp-oomd\" cannot serve \"lg1t-rl\"");
    modelfree_check_refused("lgkt:k=2,sampler=mdp-oomd", "the policy that drew them");
}

static void test_bad_settings(void **state)
{
    (void)state;
    modelfree_check_refused("mdp-oomd:b=4,n=4", "n=4 steps do not fit a batch of b=4");
    modelfree_check_refused("mdp-oomd:b=1", "b=1");
    modelfree_check_refused("mdp-oomd:n=0", "n=0");
    modelfree_check_refused("mdp-oomd:eta=-1", "eta");
    modelfree_check_refused("mdp-oomd:windows=none", "overlapping");
    modelfree_check_refused("mdp-oomd:reward-min=2,reward-max=1",
                            "mdp-oomd: reward-min=2 is above reward-max=1");
}

// ---- what holds for all of them ----

static void test_common(void **state)
{
    (void)state;
    const char *const specs[] = {"mdp-oomd", "mdp-oomd:b=30,n=10",
                                 "mdp-oomd:b=5,n=1,eta=1,windows=overlapping"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        modelfree_check_rewards(specs[i]);
        modelfree_check_resume(specs[i]);
        modelfree_check_growth(specs[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_steps),
        cmocka_unit_test(test_steps_agree_with_bisection),
        cmocka_unit_test(test_step_properties),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_known_batch),
        cmocka_unit_test(test_runs_agree_with_a_naive_version),
        cmocka_unit_test(test_climbs_to_the_optimum),
        cmocka_unit_test(test_cannot_be_fed),
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
