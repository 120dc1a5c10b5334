// SPDX-License-Identifier: MIT
// `contextual`: a bandit with a record. Each step shows a fresh record, pays by it and by the action,
// and leads nowhere.
//
// With x the record of d = features standard normal numbers, and for each action a, drawn from the
// stream "instance", theta and w of normal numbers divided by sqrt d, two features i and j, which
// differ if they can, c and c' normal times 0.4, and h uniform in 1.5 .. 2.5:
//     form=linear  mean = theta x
//     form=curved  mean = 0.5 sin(2 w x) + h [x_i > c and x_j > c']
// and normal noise of scale sd. With categories=C the record ends with one more feature, one of 0 ..
// C - 1, uniform, and each action is worth a normal number more for each of them. Each step draws
// the noise, then the next record.
#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/normal.h"
#include "env/numbers.h"

#define MOST_FEATURES   256
#define MOST_ACTIONS    1000
#define MOST_CATEGORIES 1000

enum { FORM_LINEAR, FORM_CURVED };

typedef struct settings {
    lgkt_seen seen;
    int64_t features, actions, categories;
    double sd;
    int form;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_RECORD_ROWS(settings),
    LGKT_ROW_INTEGER(settings, features, "features", "8", 1, MOST_FEATURES - 1,
                     "numbers of a record"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "4", 2, MOST_ACTIONS, "number of actions"),
    LGKT_ROW_CHOICE(settings, form, "form", "linear", "linear|curved",
                    "how rewards depend on the record: by sums, or by sines and steps"),
    LGKT_ROW_INTEGER(settings, categories, "categories", "0", 0, MOST_CATEGORIES,
                     "categories of one more feature, at least 2; 0: there is none"),
    LGKT_ROW_REAL(settings, sd, "sd", "0.5", 0, 1000000, "scale of the noise of rewards"),
};

// What the reward of an action depends on besides its weights.
typedef struct step_up {
    int32_t feature[2];
    double edge[2], height;
} step_up;

typedef struct bandit {
    settings set;
    double *weights;    // (actions, features): theta, or w
    double *categories; // (actions, categories) what each adds
    step_up *steps;     // (actions)
} bandit;

static double mean_of(const bandit *world, const double *x, int32_t action)
{
    const settings *set = &world->set;
    const double *w = world->weights + action * set->features;
    double sum = 0, more = 0;
    for (int64_t j = 0; j < set->features; j++)
        sum += w[j] * x[j];
    if (set->categories > 0)
        more = world->categories[action * set->categories + (int64_t)x[set->features]];
    if (set->form == FORM_LINEAR)
        return sum + more;
    const step_up *at = &world->steps[action];
    const bool up = x[at->feature[0]] > at->edge[0] && x[at->feature[1]] > at->edge[1];
    return 0.5 * lgkt_sin(2 * sum) + (up ? at->height : 0) + more;
}

static void draw(const settings *set, lgkt_rng *rng, double *x)
{
    for (int64_t j = 0; j < set->features; j++)
        x[j] = lgkt_normal_fast(rng);
    if (set->categories > 0)
        x[set->features] = lgkt_rng_below(rng, (int32_t)set->categories);
}

static void step_bandit(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const bandit *world = trajectory->world;
    double *x = (void *)trajectory->self;
    const double mean = mean_of(world, x, action);
    const double reward = mean + world->set.sd * lgkt_normal_fast(&trajectory->rng);
    draw(&world->set, &trajectory->rng, x);
    lgkt_numbers_step(trajectory, reward, false, step);
    step->mean_reward = mean;
}

static void start(lgkt_trajectory *trajectory, double u)
{
    lgkt_rng rng = lgkt_numbers_rng(u, "start");
    draw(&((const bandit *)trajectory->world)->set, &rng, (void *)trajectory->self);
    lgkt_numbers_start(trajectory);
}

// the rewards of one action
static void draw_action(bandit *world, int32_t action, lgkt_rng *rng)
{
    const int64_t d = world->set.features, count = world->set.categories;
    step_up *at = &world->steps[action];
    for (int64_t j = 0; j < d; j++)
        world->weights[action * d + j] = lgkt_rng_normal(rng) / sqrt((double)d);
    at->feature[0] = lgkt_rng_below(rng, (int32_t)d);
    at->feature[1] =
        d > 1 ? (at->feature[0] + 1 + lgkt_rng_below(rng, (int32_t)d - 1)) % (int32_t)d : 0;
    for (int i = 0; i < 2; i++)
        at->edge[i] = 0.4 * lgkt_rng_normal(rng);
    at->height = 1.5 + lgkt_rng_uniform(rng);
    for (int64_t j = 0; j < count; j++)
        world->categories[action * count + j] = lgkt_rng_normal(rng);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    bandit *world = env->self;
    const bool category = set->categories > 0;
    const int32_t dims = (int32_t)set->features + category;
    const size_t actions = (size_t)set->actions, categories = (size_t)set->categories;
    if (set->categories == 1)
        return lgkt_fail(error, LGKT_ERR_SPEC, "categories=1, must be 0 or at least 2");
    world->set = *set;
    world->weights = lgkt_env_alloc(env, actions * (size_t)set->features, sizeof(double));
    world->steps = lgkt_env_alloc(env, actions, sizeof(step_up));
    world->categories = lgkt_env_alloc(env, actions * (categories + 1), sizeof(double));
    if (!world->weights || !world->steps || !world->categories)
        return lgkt_fail_memory(error, "a bandit");
    for (int32_t a = 0; a < set->actions; a++)
        draw_action(world, a, &env->rng);
    // the number that would come next stands for all that were drawn
    env->hash = lgkt_hash_u64(env->hash, lgkt_rng_next(&env->rng));
    env->run_size = (size_t)dims * sizeof(double);
    env->actions = (int32_t)set->actions;
    // records have no bound, nor have rewards
    env->reward_min = env->reward_max = NAN;
    env->reward_sd = set->sd;
    snprintf(env->note, sizeof env->note, "a bandit with records, seed %llu, instance %llu",
             (unsigned long long)env->config->seed, (unsigned long long)env->config->instance);
    double low[MOST_FEATURES], high[MOST_FEATURES];
    lgkt_kind kinds[MOST_FEATURES] = {{LGKT_KIND_NUMBER, 0}};
    for (int32_t d = 0; d < set->features; d++) {
        low[d] = -3;
        high[d] = 3;
    }
    low[dims - 1] = category ? 0 : -3;
    high[dims - 1] = category ? (double)set->categories : 3;
    if (category)
        kinds[dims - 1] = (lgkt_kind){LGKT_KIND_CATEGORY, (int32_t)set->categories};
    return lgkt_numbers_open(
        env, &set->seen,
        &(lgkt_vector){.dims = dims, .low = low, .high = high, .kinds = category ? kinds : NULL},
        error);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const settings *set = &((const bandit *)trajectory->world)->set;
    const double *x = (const void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    for (int64_t j = 0; j < set->features; j++)
        archive->bad |= !(fabs(x[j]) <= 100);
    if (set->categories > 0)
        archive->bad |= !(x[set->features] >= 0 && x[set->features] < (double)set->categories);
}

const lgkt_env_class lgkt_contextual_class = {
    LGKT_ENV_ENTRY("contextual", "a bandit that shows a record of numbers, linear or not", "ours",
                   "O(features actions)", LGKT_PARAMS(PARAMS)),
    .self_size = sizeof(bandit),
    .observation = lgkt_numbers_observation,
    .create = create,
    .step = step_bandit,
    .start = start,
    .visit = visit,
};
