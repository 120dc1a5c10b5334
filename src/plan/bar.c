// SPDX-License-Identifier: MIT
// Lookahead values against thresholds.
//
//     good enough at (h, s):  { a : Q_{min(h,K)}(s,a) >= gamma(T-h, s) }
//
// "At least" allows for rounding: a shortfall of at most 1e-12 max(1, |Q|), the width of a tie, is
// none. Otherwise a threshold set to the value of an action would hang on the last bit of a sum.
//
// Memory: the tables Q_1 .. Q_min(K,T), fewer when the recursion settles before.
#include "plan/bar.h"

#include "core/error.h"
#include "plan/threshold.h"

static lgkt_status check_threshold(const lgkt_threshold *threshold, lgkt_error *error)
{
    if (threshold == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "threshold is NULL");
    if (threshold->fn == NULL && threshold->table != NULL && threshold->table_steps < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "table_steps is %lld; it must be >= 1",
                         (long long)threshold->table_steps);
    return LGKT_OK;
}

lgkt_status lgkt_bar_init(lgkt_bar *bar, const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                          const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                          lgkt_error *error)
{
    lgkt_status status = lgkt_check_steps(mdp, k, "k", error);
    if (status == LGKT_OK)
        status = lgkt_check_steps(mdp, horizon, "horizon", error);
    if (status == LGKT_OK)
        status = check_threshold(threshold, error);
    if (status != LGKT_OK)
        return status;
    bar->mdp = mdp;
    bar->gamma = *threshold;
    bar->horizon = horizon;
    return lgkt_lookahead_init(&bar->ahead, mdp, k < horizon ? k : horizon, allocator, error);
}

void lgkt_bar_release(lgkt_bar *bar)
{
    lgkt_lookahead_release(&bar->ahead);
}

double lgkt_bar_gamma(const lgkt_bar *bar, int64_t h, int32_t state)
{
    const int64_t t = bar->horizon - h, k = lgkt_bar_depth(bar, h);
    return lgkt_threshold_at(&bar->gamma, bar->mdp->states, t, state,
                             k < INT32_MAX ? (int32_t)k : INT32_MAX);
}

lgkt_choice lgkt_bar_choice(const lgkt_bar *bar, int64_t h, int32_t state)
{
    const lgkt_lookahead *const ahead = &bar->ahead;
    const int32_t actions = bar->mdp->actions;
    const int64_t k = lgkt_bar_depth(bar, h);
    const int64_t kept = k < ahead->count ? k : ahead->count;
    lgkt_choice choice = {
        .end = actions,
        .q = ahead->q + (size_t)(kept - 1) * ahead->pairs + (size_t)state * (size_t)actions,
        .lift = (double)(k - kept) * ahead->slope,
        .gamma = lgkt_bar_gamma(bar, h, state),
    };
    choice.first = lgkt_choice_next(&choice, -1);
    if (choice.first < actions)
        return choice;
    const int32_t best = lgkt_argmax(choice.q, actions, choice.lift, false);
    return (lgkt_choice){.first = best, .end = best + 1};
}

int64_t lgkt_bar_same_until(const lgkt_bar *bar, int64_t h)
{
    const lgkt_threshold *const gamma = &bar->gamma;
    if (h < bar->ahead.depth || gamma->fn != NULL)
        return h;
    if (gamma->table == NULL)
        return bar->horizon;
    // the last row of the table serves all later steps
    const int64_t last = bar->horizon - (gamma->table_steps - 1);
    return h < last ? last : h;
}
