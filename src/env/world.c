// SPDX-License-Identifier: MIT
// Stepping any model exactly and fast.
//
// Transitions. One 64-bit number u is drawn per step. The numbers 0 .. 2^64-1 are dealt out among
// the n successors of a pair: successor y gets q(y) = max(1, round(2^64 p(y))) of them, and the
// most likely one all the rest. So the law is that of the model up to n 2^-64 plus the rounding of
// the row itself (2^-53), and no successor is lost, however small its probability. Successors lie
// in the order of the five largest p, then the others. The five are in a head of 64 bytes, one
// cache line; u is compared with all five bounds without a branch. Rows of more than six successors
// continue in the tails, found by bisection. Rows of learning problems are peaked (Dirichlet with
// shape 1/S: 98% of the weight in the five largest), so tails are rarely read.
//
// Rewards. R is the mean of the pair played, t the step. Draws per step depend on the generator and
// on t only, never on state or action:
//     none       R
//     normal     R + sd z
//     bernoulli  1 if v < R, else 0
//     drifting   t mod 4 = 0: R + 0.1 z;  2: R + 0.9 z;  1, 3: high if v < (R - low)/(high - low),
//                else low, where low = min(0, min R), high = max(1, max R)
//     mixed      as the noise of the pair says; every step draws z, then v
// with z normal and v uniform. The mean is R at every step. Where the reward depends on the move, R
// is that of the move, found by bisection in the row.
//
// `model` is any model as an environment, with the noise and the start law that it carries. The
// library reads no files: whoever knows the path in `file` loads the model and hands it over in
// lgkt_env_config.data.
//
// Memory: 64 S A bytes, and 12 bytes per successor beyond the fifth of the longer rows. A step
// costs O(1), or O(log n) in a tail.
#include "env/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/normal.h"
#include "mdp/mdp_private.h"

#define CACHE_LINE 64

_Static_assert(sizeof(lgkt_head) == CACHE_LINE, "a head is one cache line");

// ---- building the sampler ----

// The share of the 2^64 numbers that a successor gets. p <= 1/2, as the largest is not asked for.
static uint64_t share_of(double p)
{
    const double share = round(p * 0x1p64);
    return share < 1 ? 1 : (uint64_t)share;
}

// The head of one row; the successors beyond the sixth go to row tail_row of the tails. Numbers are
// dealt out from the last successor back to the first; what is left over goes to the most likely.
static void fill_head(lgkt_head *head, lgkt_row row, const lgkt_tails *tail, int32_t tail_row)
{
    // the positions of the up to five largest entries, largest first
    int32_t top[LGKT_HEAD_BOUNDS + 1], count = 0;
    for (int32_t i = 0; i < row.n; i++) {
        int32_t at = count;
        while (at > 0 && row.p[top[at - 1]] < row.p[i])
            at--;
        if (at == LGKT_HEAD_BOUNDS)
            continue;
        if (count < LGKT_HEAD_BOUNDS)
            count++;
        memmove(&top[at + 1], &top[at], (size_t)(count - 1 - at) * sizeof top[0]);
        top[at] = i;
    }

    // the others, the last one first; `end` is the first number that is taken, 2^64 = 0 at first
    const bool is_long = row.n > LGKT_HEAD_BOUNDS + 1;
    int32_t sixth = row.next[top[count - 1]];
    size_t at = is_long ? tail->first[tail_row] + (size_t)(row.n - count) : 0;
    uint64_t end = 0;
    for (int32_t i = row.n; i-- > 0;) {
        int32_t k = 0;
        while (k < count && top[k] != i)
            k++;
        if (k < count)
            continue;
        if (is_long) {
            tail->next[--at] = row.next[i];
            tail->bound[at] = end;
        } else {
            sixth = row.next[i];
        }
        end -= share_of(row.p[i]);
    }
    head->next[LGKT_HEAD_BOUNDS] = is_long ? ~tail_row : sixth;
    for (int32_t k = LGKT_HEAD_BOUNDS; k-- > 0;) {
        const int32_t i = top[k < count ? k : count - 1];
        head->next[k] = row.next[i];
        head->bound[k] = end == 0 ? UINT64_MAX : end;
        if (k > 0 && k < count)
            end -= share_of(row.p[i]);
    }
}

// ---- stepping ----

int32_t lgkt_world_tail(const lgkt_tails *tail, int32_t row, uint64_t u)
{
    // the first entry whose bound is beyond u, the last one needing no look
    size_t low = tail->first[row], high = tail->first[row + 1] - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tail->bound[middle] <= u)
            low = middle + 1;
        else
            high = middle;
    }
    return tail->next[low];
}

// r(s,a,next), or the mean where the reward does not depend on the move.
static double move_reward(const lgkt_world *world, int32_t state, int32_t action, int32_t next,
                          double mean)
{
    const lgkt_row row = lgkt_mdp_row(world->model, state, action);
    int32_t low = 0, high = row.n - 1;
    while (row.reward != NULL && low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (row.next[middle] < next)
            low = middle + 1;
        else
            high = middle;
    }
    return row.reward == NULL ? mean : row.reward[low];
}

// One step under one kind of noise. Kind and `moves` (rewards may depend on the move) are constants
// wherever the model has nothing of its own per pair.
static inline void step_world(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step,
                              lgkt_noise kind, bool moves)
{
    const lgkt_world *world = trajectory->world;
    lgkt_rng *rng = &trajectory->rng;
    const int32_t state = trajectory->state;
    const size_t pair = (size_t)state * (size_t)trajectory->actions + (size_t)action;
    const double mean = world->mean[pair];
    const int32_t next = lgkt_world_next(world, pair, lgkt_rng_next(rng));
    const double centre = moves ? move_reward(world, state, action, next, mean) : mean;
    trajectory->state = next;
    step->state = next;
    step->ended = false;
    step->mean_reward = mean;
    const int64_t t = trajectory->time;
    double z, v, sd;
    switch (kind) {
    case LGKT_NOISE_NONE:
        step->reward = centre;
        break;
    case LGKT_NOISE_NORMAL:
        step->reward = centre + world->sd * lgkt_normal_fast(rng);
        break;
    case LGKT_NOISE_BERNOULLI:
        step->reward = lgkt_rng_bernoulli(rng, centre) ? 1 : 0;
        break;
    case LGKT_NOISE_DRIFTING:
        if (t % 2 == 0)
            step->reward = mean + (t % 4 == 0 ? 0.1 : 0.9) * lgkt_normal_fast(rng);
        else
            step->reward = lgkt_rng_uniform(rng) * (world->high - world->low) < mean - world->low
                               ? world->high
                               : world->low;
        break;
    case LGKT_NOISE_MIXED:
        z = lgkt_normal_fast(rng);
        v = lgkt_rng_uniform(rng);
        switch (lgkt_mdp_pair_noise(world->model, state, action, &sd)) {
        case LGKT_NOISE_NORMAL:
            step->reward = centre + sd * z;
            break;
        case LGKT_NOISE_BERNOULLI:
            step->reward = v < centre ? 1 : 0;
            break;
        default:
            step->reward = centre;
        }
    }
}

static void step_none(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_NONE, false);
}

static void step_normal(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_NORMAL, false);
}

static void step_bernoulli(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_BERNOULLI, false);
}

static void step_drifting(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_DRIFTING, false);
}

// rewards of moves, noise of pairs
static void step_own(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_world *world = trajectory->world;
    step_world(trajectory, action, step, world->model->noise, true);
}

// ---- functions of a class ----

lgkt_status lgkt_world_open(lgkt_env *env, lgkt_error *error)
{
    static const lgkt_step_fn STEPS[] = {
        [LGKT_NOISE_NONE] = step_none,           [LGKT_NOISE_NORMAL] = step_normal,
        [LGKT_NOISE_BERNOULLI] = step_bernoulli, [LGKT_NOISE_DRIFTING] = step_drifting,
        [LGKT_NOISE_MIXED] = step_own,
    };
    const lgkt_mdp *model = env->model;
    lgkt_world *world = env->self;
    world->model = model;
    world->mean = model->rewards;
    world->low = env->reward_min < 0 ? env->reward_min : 0;
    world->high = env->reward_max > 1 ? env->reward_max : 1;
    world->sd = model->noise_sd;
    world->step = STEPS[model->noise];

    // how many rows need a tail, and their entries
    size_t rows = 0, entries = 0;
    for (int32_t s = 0; s < env->states; s++)
        for (int32_t a = 0; a < env->actions; a++) {
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            rows += row.n > LGKT_HEAD_BOUNDS + 1;
            entries += row.n > LGKT_HEAD_BOUNDS + 1 ? (size_t)(row.n - LGKT_HEAD_BOUNDS) : 0;
            if (row.reward != NULL)
                world->step = step_own;
        }
    // the hooks align for any type only: one head more leaves room to round up
    const size_t pairs = (size_t)env->states * (size_t)env->actions;
    lgkt_tails *const tail = &world->tail;
    char *const heads = lgkt_env_alloc(env, pairs + 1, sizeof(lgkt_head));
    tail->first = lgkt_env_alloc(env, rows + 1, sizeof(size_t));
    tail->bound = lgkt_env_alloc(env, entries, sizeof(uint64_t));
    tail->next = lgkt_env_alloc(env, entries, sizeof(int32_t));
    if (!heads || !tail->first || !tail->bound || !tail->next)
        return lgkt_fail_memory(error, "the sampler of a model");

    lgkt_head *head = (lgkt_head *)(void *)(heads + -(uintptr_t)heads % CACHE_LINE);
    world->head = head;
    int32_t tail_row = 0;
    for (int32_t s = 0; s < env->states; s++)
        for (int32_t a = 0; a < env->actions; a++) {
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            // what is forbidden is never played
            if (row.n > 0)
                fill_head(head, row, tail, tail_row);
            head++;
            if (row.n > LGKT_HEAD_BOUNDS + 1) {
                tail->first[tail_row + 1] =
                    tail->first[tail_row] + (size_t)(row.n - LGKT_HEAD_BOUNDS);
                tail_row++;
            }
        }
    return LGKT_OK;
}

void lgkt_world_start(lgkt_trajectory *trajectory, double u)
{
    const lgkt_world *world = trajectory->world;
    trajectory->state = lgkt_sample_index(world->model->start_law, world->model->states, u);
    trajectory->step = world->step;
}

// ---- `model` ----

typedef struct settings {
    const char *file;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_TEXT(settings, file, "file", "@none",
                  "model file in JSON, in parentheses if its path has a comma; the command reads "
                  "it, a program gives the model in its config"),
};

// ", 5 of 6 pairs allowed" where the model forbids some; else empty
static void describe_mask(const lgkt_env *env, char *text, size_t size)
{
    const size_t pairs = (size_t)env->states * (size_t)env->actions;
    size_t allowed = 0;
    for (size_t z = 0; env->mask != NULL && z < pairs; z++)
        allowed += env->mask[z] != 0;
    text[0] = '\0';
    if (env->mask != NULL)
        snprintf(text, size, ", %zu of %zu pairs allowed", allowed, pairs);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    char masks[64];
    const lgkt_data *data = &env->config->data;
    if (data->kind == LGKT_DATA_NONE)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the environment `model` needs a model: file=PATH for the command, "
                         "lgkt_env_config.data for a program");
    lgkt_env_adopt(env, lgkt_mdp_retain(data->model));
    describe_mask(env, masks, sizeof masks);
    snprintf(env->note, sizeof env->note, "model of %d states and %d actions%s%s%.100s",
             (int)env->states, (int)env->actions, masks, set->file ? " from " : "",
             set->file ? set->file : "");
    return LGKT_OK;
}

const lgkt_env_class lgkt_model_class = {
    LGKT_ENV_ENTRY("model", "a model from a file", "your own", "O(S A + entries)",
                   LGKT_PARAMS(PARAMS), .data = LGKT_DATA_MODEL),
    LGKT_WORLD_CLASS(create),
};
