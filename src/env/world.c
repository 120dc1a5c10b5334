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
// with z normal and v uniform. The mean is R at every step.
//
// Frozen worlds use one u and one z for all steps of a trajectory, and choose the successor by the
// smallest j with P(0) + .. + P(j) > u: a comparison with published curves that were made so.
//
// Memory: 64 S A bytes, and 12 bytes per successor beyond the fifth of the longer rows. A step
// costs O(1), or O(log n) in a tail.
#include "env/world.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/normal.h"

#define CACHE_LINE 64

_Static_assert(sizeof(lgkt_head) == CACHE_LINE, "a head is one cache line");

// ---- building the sampler ----

// The share of the 2^64 numbers that a successor gets. p <= 1/2, as the largest is not asked for.
static uint64_t share_of(double p)
{
    const double share = round(p * 0x1p64);
    return share < 1 ? 1 : (uint64_t)share;
}

// Writes the positions of the up to five largest entries of a row, largest first; returns how many.
static int32_t find_largest(lgkt_row row, int32_t *top)
{
    int32_t count = 0;
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
    return count;
}

static bool is_among(const int32_t *top, int32_t count, int32_t i)
{
    for (int32_t k = 0; k < count; k++)
        if (top[k] == i)
            return true;
    return false;
}

// Lists the successors beyond the largest in entries first .. first+n-1 of the tails and deals out
// numbers from the end downwards; returns the first number they take (2^64 = 0 if n is 0).
static uint64_t fill_tail(const lgkt_tails *tail, size_t first, lgkt_row row, const int32_t *top,
                          int32_t count)
{
    uint64_t end = 0;
    size_t at = first + (size_t)(row.n - count);
    for (int32_t i = row.n; i-- > 0;) {
        if (is_among(top, count, i))
            continue;
        at--;
        tail->next[at] = row.next[i];
        tail->bound[at] = end;
        end -= share_of(row.p[i]);
    }
    return end;
}

// The head of one row; tail_row is the row of the tails that holds the rest, if it needs one.
static void fill_head(lgkt_head *head, lgkt_row row, const lgkt_tails *tail, int32_t tail_row)
{
    int32_t top[LGKT_HEAD_BOUNDS + 1];
    const int32_t count = find_largest(row, top);
    const bool is_long = row.n > LGKT_HEAD_BOUNDS + 1;
    uint64_t sixth_bound;
    int32_t sixth = row.next[top[count - 1]];
    const lgkt_tails single = {.bound = &sixth_bound, .next = &sixth};

    // from the last successor back to the first; what is left over goes to the most likely one
    uint64_t end = is_long ? fill_tail(tail, tail->first[tail_row], row, top, count)
                           : fill_tail(&single, 0, row, top, count);
    head->next[LGKT_HEAD_BOUNDS] = is_long ? ~tail_row : sixth;
    for (int32_t k = LGKT_HEAD_BOUNDS; k-- > 0;) {
        const int32_t i = top[k < count ? k : count - 1];
        head->next[k] = row.next[i];
        head->bound[k] = end == 0 ? UINT64_MAX : end;
        if (k > 0 && k < count)
            end -= share_of(row.p[i]);
    }
}

// Counts the rows that need a tail and their entries.
static void count_tails(const lgkt_mdp *model, size_t *rows, size_t *entries)
{
    *rows = *entries = 0;
    for (int32_t s = 0; s < lgkt_mdp_states(model); s++) {
        for (int32_t a = 0; a < lgkt_mdp_actions(model); a++) {
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            if (row.n > LGKT_HEAD_BOUNDS + 1) {
                *rows += 1;
                *entries += (size_t)(row.n - LGKT_HEAD_BOUNDS);
            }
        }
    }
}

static bool alloc_sampler(lgkt_world *world)
{
    const lgkt_env *env = &world->base;
    const lgkt_allocator *allocator = &env->allocator;
    size_t rows, entries;
    count_tails(env->model, &rows, &entries);

    // the hooks align for any type only: one head more leaves room to round up
    const size_t pairs = (size_t)env->states * (size_t)env->actions;
    world->heads_memory = lgkt_alloc_zeroed(allocator, pairs + 1, sizeof(lgkt_head));
    world->tail.first = lgkt_alloc_zeroed(allocator, rows + 1, sizeof(size_t));
    world->tail.bound = lgkt_alloc_zeroed(allocator, entries, sizeof(uint64_t));
    world->tail.next = lgkt_alloc_zeroed(allocator, entries, sizeof(int32_t));
    return world->heads_memory && world->tail.first && world->tail.bound && world->tail.next;
}

static void fill_sampler(lgkt_world *world)
{
    const lgkt_mdp *model = world->base.model;
    const uintptr_t skip = -(uintptr_t)world->heads_memory % CACHE_LINE;
    lgkt_head *head = (lgkt_head *)(void *)((char *)world->heads_memory + skip);
    world->head = head;
    int32_t tail_row = 0;
    for (int32_t s = 0; s < world->base.states; s++) {
        for (int32_t a = 0; a < world->base.actions; a++) {
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            fill_head(head++, row, &world->tail, tail_row);
            if (row.n > LGKT_HEAD_BOUNDS + 1) {
                size_t *first = world->tail.first;
                first[tail_row + 1] = first[tail_row] + (size_t)(row.n - LGKT_HEAD_BOUNDS);
                tail_row++;
            }
        }
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

static inline double two_point(const lgkt_world *world, double mean, lgkt_rng *rng)
{
    const double span = world->high - world->low;
    return lgkt_rng_uniform(rng) * span < mean - world->low ? world->high : world->low;
}

static inline double drifting(const lgkt_world *world, double mean, int64_t t, lgkt_rng *rng)
{
    if (t % 2 != 0)
        return two_point(world, mean, rng);
    const double sd = t % 4 == 0 ? 0.1 : 0.9;
    return mean + sd * lgkt_normal_fast(rng);
}

// One step under one kind of noise; the kind is a constant wherever this is called.
static inline void step_world(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step,
                              lgkt_noise kind)
{
    const lgkt_world *world = (const lgkt_world *)trajectory->env;
    lgkt_rng *rng = &trajectory->rng;
    const size_t pair = (size_t)trajectory->state * (size_t)trajectory->actions + (size_t)action;
    const double mean = world->mean[pair];
    const int32_t next = lgkt_world_next(world, pair, lgkt_rng_next(rng));
    trajectory->state = next;
    step->state = next;
    step->ended = false;
    step->mean_reward = mean;
    switch (kind) {
    case LGKT_NOISE_NONE:
        step->reward = mean;
        break;
    case LGKT_NOISE_NORMAL:
        step->reward = mean + world->sd * lgkt_normal_fast(rng);
        break;
    case LGKT_NOISE_BERNOULLI:
        step->reward = lgkt_rng_bernoulli(rng, mean) ? 1 : 0;
        break;
    case LGKT_NOISE_DRIFTING:
        step->reward = drifting(world, mean, trajectory->time, rng);
        break;
    }
}

static void step_none(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_NONE);
}

static void step_normal(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_NORMAL);
}

static void step_bernoulli(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_BERNOULLI);
}

static void step_drifting(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step_world(trajectory, action, step, LGKT_NOISE_DRIFTING);
}

static void step_frozen(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_walk *walk = (const lgkt_walk *)trajectory;
    const lgkt_world *world = (const lgkt_world *)trajectory->env;
    const int32_t state = trajectory->state;
    const double mean = lgkt_mdp_reward(world->base.model, state, action);
    const lgkt_row row = lgkt_mdp_row(world->base.model, state, action);
    trajectory->state = row.next[lgkt_sample_index(row.p, row.n, walk->frozen_u)];
    *step = (lgkt_step){.reward = mean + world->sd * walk->frozen_z,
                        .mean_reward = mean,
                        .state = trajectory->state};
}

// ---- functions of a class ----

lgkt_status lgkt_world_open(lgkt_env *env, lgkt_error *error)
{
    static const lgkt_step_fn STEPS[] = {[LGKT_NOISE_NONE] = step_none,
                                         [LGKT_NOISE_NORMAL] = step_normal,
                                         [LGKT_NOISE_BERNOULLI] = step_bernoulli,
                                         [LGKT_NOISE_DRIFTING] = step_drifting};
    lgkt_world *world = (lgkt_world *)env;
    const lgkt_mdp *model = env->model;
    world->mean = lgkt_mdp_rewards(model);
    world->low = env->reward_min < 0 ? env->reward_min : 0;
    world->high = env->reward_max > 1 ? env->reward_max : 1;
    world->sd = lgkt_mdp_noise_sd(model);
    world->step_kind = STEPS[lgkt_mdp_noise(model)];

    if (!alloc_sampler(world))
        return lgkt_fail_memory(error, "the sampler of a model");
    fill_sampler(world);
    return LGKT_OK;
}

void lgkt_world_release(lgkt_env *env)
{
    const lgkt_world *world = (const lgkt_world *)env;
    lgkt_free(&env->allocator, world->heads_memory);
    lgkt_free(&env->allocator, world->tail.first);
    lgkt_free(&env->allocator, world->tail.bound);
    lgkt_free(&env->allocator, world->tail.next);
}

void lgkt_world_start(lgkt_trajectory *trajectory, double u)
{
    const lgkt_world *world = (const lgkt_world *)trajectory->env;
    const lgkt_env *env = trajectory->env;
    trajectory->state = lgkt_sample_index(lgkt_mdp_start_law(env->model), env->states, u);
    trajectory->step = world->step_kind;
    if (world->frozen) {
        lgkt_walk *walk = (lgkt_walk *)trajectory;
        walk->frozen_u = lgkt_rng_uniform(&trajectory->rng);
        walk->frozen_z = lgkt_rng_normal(&trajectory->rng);
        trajectory->step = step_frozen;
    }
}

uint64_t lgkt_world_hash(const lgkt_env *env, uint64_t hash)
{
    return lgkt_hash_u64(hash, ((const lgkt_world *)env)->frozen);
}

void lgkt_world_visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_walk *walk = (lgkt_walk *)trajectory;
    if (!((const lgkt_world *)trajectory->env)->frozen)
        return;
    lgkt_visit_f64(archive, &walk->frozen_u, 1);
    lgkt_visit_f64(archive, &walk->frozen_z, 1);
    archive->bad |= !(walk->frozen_u >= 0 && walk->frozen_u < 1);
}
