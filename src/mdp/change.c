// SPDX-License-Identifier: MIT
// A model that changes: two models, and the weight w(t) of the second one.
//
// With turning times t_0 < t_1 < .. the world goes up (w to 1) after t_i for even i and down (w to
// 0) for odd i, from w(t_i) on, where w(t_0) = 0:
//
//     at once      w(t) = 1 for even i, 0 for odd i,                  t_i <= t < t_{i+1}
//     with a rate  w(t) = min(1, w(t_i) + rate (t - t_i)) for even i,
//                  w(t) = max(0, w(t_i) - rate (t - t_i)) for odd i,  t_i <= t <= t_{i+1}
//
// and w(t) = 0 before t_0. The w(t_i) are computed once. So w(t) is a function of t alone, found by
// bisection over the times.
#include "mdp/mdp_private.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"

// ---- making and sharing ----

static lgkt_status check(const lgkt_mdp *before, const lgkt_mdp *after, const int64_t *times,
                         int32_t count, double rate, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(before, "before", error));
    LGKT_TRY(lgkt_check_given(after, "after", error));
    if (count != 0) {
        LGKT_TRY(lgkt_check_given(times, "times", error));
    }
    if (before->states != after->states || before->actions != after->actions)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "before has %d states and %d actions, after %d and %d; they must agree",
                         before->states, before->actions, after->states, after->actions);
    if (!lgkt_mdp_same_mask(before, after))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "before and after must forbid the same actions in the same states");
    if (!(rate >= 0 && rate <= 1))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "rate %g; it must be in 0 .. 1", rate);
    if (count < 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%d times", count);
    for (int32_t i = 0; i < count; i++)
        if (times[i] < (i > 0 ? times[i - 1] + 1 : 0))
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "time %lld; times must increase and not be negative",
                             (long long)times[i]);
    return LGKT_OK;
}

// w at time t, which is not before times[i] and not behind times[i + 1]
static double weight_after(const lgkt_change *change, int32_t i, int64_t t)
{
    const bool up = i % 2 == 0;
    if (change->rate == 0)
        return up ? 1 : 0;
    const double moved = change->rate * (double)(t - change->times[i]);
    return up ? fmin(1, change->weights[i] + moved) : fmax(0, change->weights[i] - moved);
}

lgkt_status lgkt_change_create(const lgkt_mdp *before, const lgkt_mdp *after, const int64_t *times,
                               int32_t count, double rate, const lgkt_allocator *allocator,
                               lgkt_change **change, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(change, "change", error));
    LGKT_TRY(check(before, after, times, count, rate, error));
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    lgkt_change *const made = lgkt_alloc_zeroed(&hooks, 1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a change");
    const size_t n = (size_t)count;
    made->allocator = hooks;
    atomic_init(&made->owners, 1);
    made->before = lgkt_mdp_retain(before);
    made->after = lgkt_mdp_retain(after);
    made->rate = rate;
    made->count = count;
    made->times = lgkt_alloc_zeroed(&hooks, n + 1, sizeof *made->times);
    made->weights = lgkt_alloc_zeroed(&hooks, n + 1, sizeof *made->weights);
    if (made->times == NULL || made->weights == NULL) {
        lgkt_change_destroy(made);
        return lgkt_fail_memory(error, "the times of a change");
    }
    if (n > 0)
        memcpy(made->times, times, n * sizeof *times);
    for (int32_t i = 1; i < count; i++)
        made->weights[i] = weight_after(made, i - 1, times[i]);
    *change = made;
    return LGKT_OK;
}

const lgkt_change *lgkt_change_retain(const lgkt_change *change)
{
    if (change != NULL)
        atomic_fetch_add_explicit(&((lgkt_change *)change)->owners, 1, memory_order_relaxed);
    return change;
}

void lgkt_change_destroy(const lgkt_change *change)
{
    // as for models (mdp.c)
    if (change == NULL ||
        atomic_fetch_sub_explicit(&((lgkt_change *)change)->owners, 1, memory_order_acq_rel) > 1)
        return;
    const lgkt_allocator allocator = change->allocator;
    lgkt_mdp_destroy(change->before);
    lgkt_mdp_destroy(change->after);
    lgkt_free(&allocator, change->times);
    lgkt_free(&allocator, change->weights);
    lgkt_free(&allocator, change);
}

// ---- reading ----

const lgkt_mdp *lgkt_change_before(const lgkt_change *change)
{
    return change->before;
}

const lgkt_mdp *lgkt_change_after(const lgkt_change *change)
{
    return change->after;
}

const int64_t *lgkt_change_times(const lgkt_change *change, int32_t *count)
{
    *count = change->count;
    return change->times;
}

// the last turn that is not behind t; -1: none is
static int32_t last_turn(const lgkt_change *change, int64_t t)
{
    int32_t low = -1, high = change->count;
    // invariant: times[low] <= t < times[high]
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (change->times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double lgkt_change_weight(const lgkt_change *change, int64_t t)
{
    const int32_t i = last_turn(change, t);
    return i < 0 ? 0 : weight_after(change, i, t);
}

int64_t lgkt_change_since(const lgkt_change *change, int64_t t)
{
    const int32_t i = last_turn(change, t);
    if (i < 0)
        return 0;
    const double end = i % 2 == 0 ? 1 : 0;
    if (weight_after(change, i, t) != end)
        return t;
    // it has arrived: the first time at which it has
    int64_t low = change->times[i] - 1, high = t;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (weight_after(change, i, middle) == end)
            high = middle;
        else
            low = middle;
    }
    return high;
}

uint64_t lgkt_change_hash(const lgkt_change *change)
{
    uint64_t hash = lgkt_hash_u64(LGKT_HASH_START, lgkt_mdp_hash(change->before));
    hash = lgkt_hash_u64(hash, lgkt_mdp_hash(change->after));
    hash = lgkt_hash_f64(hash, change->rate);
    for (int32_t i = 0; i < change->count; i++)
        hash = lgkt_hash_u64(hash, (uint64_t)change->times[i]);
    return hash;
}
