// SPDX-License-Identifier: MIT
// How regret grows with time.
#include "ref/growth.h"

#include <stdlib.h>

#include "ref/env_run.h"
#include "ref/learner_run.h"
#include "test.h"

#define FIRST_TIME   100 // earlier points say nothing
#define MOST_ACTIONS 64

// ---- models ----

static double *zeros(size_t n)
{
    double *p = calloc(n, sizeof *p);
    assert_non_null(p);
    return p;
}

// gamma numbers over their sum
static void random_law(lgkt_rng *rng, double *law, int32_t n)
{
    double sum = 0;
    for (int32_t y = 0; y < n; y++)
        sum += law[y] = lgkt_rng_gamma(rng, 0.5);
    for (int32_t y = 0; y < n; y++)
        law[y] /= sum;
}

// random rows for rewards (S, A) that are given
static lgkt_mdp *with_random_rows(lgkt_rng *rng, const growth_family *family, const double *rewards)
{
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    const int32_t states = family->states, actions = family->actions;
    double *law = zeros((size_t)states);
    assert_ok(lgkt_mdp_builder_create(states, actions, NULL, &builder, &error), error);
    for (int32_t z = 0; z < states * actions; z++) {
        const int32_t s = z / actions, a = z % actions;
        random_law(rng, law, states);
        assert_int_equal(lgkt_mdp_builder_row(builder, s, a, law), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, rewards[z]), LGKT_OK);
    }
    assert_int_equal(lgkt_mdp_builder_noise(builder, family->noise, family->sd), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    free(law);
    return model;
}

double growth_gamma(const growth_family *family)
{
    return (double)family->k * (0.5 + family->gap) - family->gap;
}

lgkt_mdp *growth_model(const growth_family *family)
{
    const int32_t states = family->states, actions = family->actions;
    lgkt_rng rng = lgkt_rng_stream(81, "family", 0);
    double *rewards = zeros((size_t)states * (size_t)actions);
    // which action is good differs from state to state
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++)
            rewards[s * actions + a] = 0.5 + (a == s % actions ? family->gap : -family->gap);
    lgkt_mdp *model = with_random_rows(&rng, family, rewards);
    free(rewards);
    return model;
}

lgkt_mdp *growth_random(uint64_t i, int32_t states, int32_t actions, double sd)
{
    const growth_family family = {
        .states = states, .actions = actions, .noise = LGKT_NOISE_NORMAL, .sd = sd};
    lgkt_rng rng = lgkt_rng_stream(81, "random", i);
    double *rewards = zeros((size_t)states * (size_t)actions);
    for (int32_t z = 0; z < states * actions; z++)
        rewards[z] = lgkt_rng_gamma(&rng, 0.5);
    lgkt_mdp *model = with_random_rows(&rng, &family, rewards);
    free(rewards);
    return model;
}

lgkt_mdp *growth_locks(int32_t locks, int32_t k, int32_t actions)
{
    const double lure = 0.2, prize = 2 + lure * k;
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    assert_ok(lgkt_mdp_builder_create(locks * k, actions, NULL, &builder, &error), error);
    for (int32_t s = 0; s < locks * k; s++) {
        const int32_t step = s % k, begin = s - step, next = (s + 1) % (locks * k);
        for (int32_t a = 0; a < actions; a++) {
            const bool right = a == (7 * step + 3) % actions;
            const double reward = !right ? lure : step == k - 1 ? prize : 0;
            assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, right ? next : begin, 1),
                             LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, reward), LGKT_OK);
        }
    }
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_NORMAL, 0.5), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

double growth_halfway(const lgkt_mdp *model, int64_t k, double *gamma)
{
    lgkt_error error = {0};
    const int32_t states = lgkt_mdp_states(model), actions = lgkt_mdp_actions(model);
    double *q = zeros((size_t)states * (size_t)actions), smallest = INFINITY;
    assert_ok(lgkt_plan_lookahead(model, k, NULL, q, &error), error);
    for (int32_t s = 0; s < states; s++) {
        double best = -INFINITY, second = -INFINITY;
        for (int32_t a = 0; a < actions; a++) {
            const double x = q[s * actions + a];
            second = fmax(second, fmin(best, x));
            best = fmax(best, x);
        }
        gamma[s] = (best + second) / 2;
        smallest = fmin(smallest, (best - second) / 2);
    }
    free(q);
    return smallest;
}

// ---- runs ----

static growth_curve begin_curve(const growth_task *task)
{
    growth_curve curve = {.seeds = task->seeds};
    assert_in_range(task->seeds, 2, GROWTH_SEEDS);
    for (int64_t t = task->horizon; t >= FIRST_TIME && curve.points < GROWTH_POINTS; t /= 2)
        curve.time[curve.points++] = t;
    return curve;
}

static lgkt_threshold threshold_of(const growth_task *task)
{
    return (lgkt_threshold){.table = task->gamma,
                            .table_steps = task->gamma_rows > 0 ? task->gamma_rows : 1};
}

static lgkt_learner *begin_learner(const growth_task *task, const lgkt_env *env, uint64_t instance)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, task->horizon);
    config.seed = task->seed;
    config.instance = instance;
    if (task->gamma != NULL)
        config.threshold = threshold_of(task);
    return learner_run_make(task->spec, &config);
}

// adds up what each step loses: its cost, or without a cost its negative mean reward
static void play(const growth_task *task, const lgkt_env *env, const lgkt_cost *cost, int32_t seed,
                 growth_curve *curve)
{
    lgkt_error error = {0};
    lgkt_trajectory *run = NULL;
    const uint64_t instance = (uint64_t)seed;
    assert_ok(lgkt_trajectory_create(env, task->horizon, task->seed, instance, NULL, &run, &error),
              error);
    lgkt_learner *learner = begin_learner(task, env, instance);
    double lost = 0;
    int32_t next = curve->points - 1; // times decrease along the curve
    for (int64_t t = 0; t < task->horizon; t++) {
        const int32_t state = lgkt_trajectory_state(run);
        int32_t action = 0;
        lgkt_step step;
        if (lgkt_learner_act(learner, state, NULL, &action) != LGKT_OK ||
            lgkt_trajectory_step(run, action, &step) != LGKT_OK ||
            lgkt_learner_observe(learner, step.reward, step.state, step.ended) != LGKT_OK)
            fail_msg("%s: %s", task->spec, lgkt_learner_message(learner));
        lost += cost != NULL ? lgkt_cost_at(cost, t, state, action) : -step.mean_reward;
        if (next >= 0 && t + 1 == curve->time[next])
            curve->regret[seed][next--] = lost;
    }
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(run);
}

static void play_all(const growth_task *task, const lgkt_cost *cost, growth_curve *curve)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = task->model};
    lgkt_env *env = env_run_make("model", &config);
    for (int32_t seed = 0; seed < task->seeds; seed++)
        play(task, env, cost, seed, curve);
    lgkt_env_destroy(env);
}

static void subtract(growth_curve *curve, int32_t j, double baseline)
{
    for (int32_t seed = 0; seed < curve->seeds; seed++)
        curve->regret[seed][j] -= baseline;
}

// ---- regret to the thresholding policy ----

typedef struct oracle_walk {
    const growth_task *task;
    const lgkt_policy *policy;
    const lgkt_cost *cost;
    growth_curve *curve;
    double total;
    int32_t next; // point of the curve
} oracle_walk;

// the expected cost of one step of the policy from a state
static double policy_cost(const oracle_walk *walk, int64_t t, int32_t state)
{
    uint8_t member[MOST_ACTIONS];
    const int64_t h = walk->task->horizon - t;
    const int32_t count = lgkt_policy_actions(walk->policy, h, state, member);
    double sum = 0;
    for (int32_t a = 0; a < lgkt_mdp_actions(walk->task->model); a++)
        if (member[a])
            sum += lgkt_cost_at(walk->cost, t, state, a);
    return sum / count;
}

static int visit_step(void *ctx, int64_t t, const double *law)
{
    oracle_walk *walk = ctx;
    for (int32_t s = 0; s < lgkt_mdp_states(walk->task->model); s++)
        if (law[s] > 0)
            walk->total += law[s] * policy_cost(walk, t, s);
    if (walk->next >= 0 && t + 1 == walk->curve->time[walk->next])
        subtract(walk->curve, walk->next--, walk->total);
    return 0;
}

// subtracts what the policy has cost by then, and compares its total with the planner's
static void subtract_oracle(const growth_task *task, const lgkt_cost *cost,
                            const lgkt_threshold *threshold, growth_curve *curve)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    double total = NAN;
    assert_in_range(lgkt_mdp_actions(task->model), 1, MOST_ACTIONS);
    assert_ok(lgkt_policy_threshold(task->model, task->k, task->horizon, threshold, NULL, &policy,
                                    &error),
              error);
    assert_ok(lgkt_cost_of_policy(cost, policy, NULL, NULL, &total, &error), error);
    oracle_walk walk = {task, policy, cost, curve, 0, curve->points - 1};
    assert_ok(lgkt_policy_forward(policy, NULL, NULL, visit_step, &walk, &error), error);
    // the planner takes increments that differ by less than 1e-13 as equal
    assert_close(walk.total, total, 1e-9 * fmax(1, total) + 1e-13 * (double)task->horizon);
    lgkt_policy_destroy(policy);
}

growth_curve growth_to_threshold(const growth_task *task)
{
    lgkt_error error = {0};
    lgkt_cost *cost = NULL;
    const lgkt_threshold threshold = threshold_of(task);
    growth_curve curve = begin_curve(task);
    assert_ok(
        lgkt_cost_create(task->model, task->k, task->horizon, &threshold, NULL, &cost, &error),
        error);
    play_all(task, cost, &curve);
    subtract_oracle(task, cost, &threshold, &curve);
    lgkt_cost_destroy(cost);
    return curve;
}

// ---- regret to the optimum ----

// V*_t from the model's start law
static double optimal_value(const lgkt_mdp *model, int64_t t)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    double *value = zeros((size_t)lgkt_mdp_states(model)), mean = 0;
    assert_ok(lgkt_policy_optimal(model, t, LGKT_TIES_LOW, NULL, &policy, &error), error);
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    for (int32_t s = 0; s < lgkt_mdp_states(model); s++)
        mean += lgkt_mdp_start_law(model)[s] * value[s];
    lgkt_policy_destroy(policy);
    free(value);
    return mean;
}

growth_curve growth_to_optimum(const growth_task *task)
{
    growth_curve curve = begin_curve(task);
    play_all(task, NULL, &curve);
    for (int32_t j = 0; j < curve.points; j++)
        subtract(&curve, j, -optimal_value(task->model, curve.time[j]));
    return curve;
}

// ---- numbers ----

// the mean regret at a point over all seeds but one (-1: over all)
static double mean_without(const growth_curve *curve, int32_t j, int32_t left_out)
{
    double sum = 0;
    for (int32_t seed = 0; seed < curve->seeds; seed++)
        sum += seed == left_out ? 0 : curve->regret[seed][j];
    return sum / (left_out < 0 ? curve->seeds : curve->seeds - 1);
}

// a number that is made of mean regrets, without one seed
typedef double (*statistic)(const growth_curve *curve, int32_t i, int32_t j, int32_t left_out);

// its value over all seeds, and its standard error from leaving out each in turn
static growth_number jackknife(statistic f, const growth_curve *curve, int32_t i, int32_t j)
{
    const double n = curve->seeds;
    double mean = 0, squares = 0;
    for (int32_t seed = 0; seed < curve->seeds; seed++)
        mean += f(curve, i, j, seed) / n;
    for (int32_t seed = 0; seed < curve->seeds; seed++)
        squares += pow(f(curve, i, j, seed) - mean, 2);
    return (growth_number){f(curve, i, j, -1), sqrt((n - 1) / n * squares)};
}

static double mean_at(const growth_curve *curve, int32_t i, int32_t j, int32_t left_out)
{
    (void)j;
    return mean_without(curve, i, left_out);
}

static double difference(const growth_curve *curve, int32_t i, int32_t j, int32_t left_out)
{
    return mean_without(curve, i, left_out) - mean_without(curve, j, left_out);
}

static double late_share(const growth_curve *curve, int32_t i, int32_t j, int32_t left_out)
{
    return 1 - mean_without(curve, j, left_out) / mean_without(curve, i, left_out);
}

static double slope(const growth_curve *curve, int32_t i, int32_t j, int32_t left_out)
{
    return log(mean_without(curve, i, left_out) / mean_without(curve, j, left_out)) /
           log((double)curve->time[i] / (double)curve->time[j]);
}

static double added_slope(const growth_curve *curve, int32_t i, int32_t j, int32_t left_out)
{
    (void)j;
    const double late = mean_without(curve, i, left_out),
                 mid = mean_without(curve, i + 1, left_out),
                 early = mean_without(curve, i + 2, left_out);
    return log2((late - mid) / (mid - early));
}

growth_number growth_mean(const growth_curve *curve, int32_t j)
{
    return jackknife(mean_at, curve, j, j);
}

growth_number growth_difference(const growth_curve *curve, int32_t late, int32_t early)
{
    return jackknife(difference, curve, late, early);
}

growth_number growth_late_share(const growth_curve *curve, int32_t j)
{
    return jackknife(late_share, curve, j, j + 1);
}

growth_number growth_exponent(const growth_curve *curve, int32_t early, int32_t late)
{
    return jackknife(slope, curve, late, early);
}

growth_number growth_added_exponent(const growth_curve *curve)
{
    return jackknife(added_slope, curve, 0, 0);
}

// ---- the long version ----

bool growth_is_long(void)
{
    const char *text = getenv("LGKT_LONG");
    return text != NULL && strcmp(text, "1") == 0;
}

static void print(const char *title, const growth_curve *curve)
{
    printf("# %s\n# %10s %12s %10s %9s %7s\n", title, "t", "regret", "se", "exponent", "se");
    for (int32_t j = curve->points - 1; j >= 0; j--) {
        const growth_number mean = growth_mean(curve, j);
        printf("# %10lld %12.5g %10.3g", (long long)curve->time[j], mean.value, mean.error);
        if (j < curve->points - 1) {
            const growth_number local = growth_exponent(curve, j + 1, j);
            printf(" %9.3f %7.3f", local.value, local.error);
        }
        printf("\n");
    }
    const growth_number late = growth_exponent(curve, 3, 0);
    printf("# %10s %12s %10s %9.3f %7.3f\n", "T/8 .. T", "", "", late.value, late.error);
    const growth_number added = growth_added_exponent(curve);
    printf("# %10s %12s %10s %9.3f %7.3f\n", "added", "", "", added.value, added.error);
}

int32_t growth_seeds(int32_t seeds)
{
    return growth_is_long() ? 48 : seeds;
}

void growth_show(const growth_task *task, const char *title, const growth_curve *curve)
{
    if (!growth_is_long())
        return;
    char text[256];
    snprintf(text, sizeof text, "%s; %s; %d seeds", title, task->spec, (int)curve->seeds);
    print(text, curve);
}

growth_curve growth_on_family(const growth_family *family, const char *spec, int64_t horizon,
                              int32_t seeds)
{
    static const char *const noises[] = {"none", "normal", "bernoulli", "drifting"};
    double gamma[GROWTH_STATES];
    assert_in_range(family->states, 1, GROWTH_STATES);
    for (int32_t s = 0; s < family->states; s++)
        gamma[s] = growth_gamma(family);
    lgkt_mdp *model = growth_model(family);
    const growth_task task = {model, spec, family->k, gamma, horizon, growth_seeds(seeds), 801, 0};
    const growth_curve curve = growth_to_threshold(&task);
    char title[128];
    snprintf(title, sizeof title, "family S=%d A=%d K=%d D=%g, noise %s %g", (int)family->states,
             (int)family->actions, (int)family->k, family->gap, noises[family->noise], family->sd);
    growth_show(&task, title, &curve);
    lgkt_mdp_destroy(model);
    return curve;
}
