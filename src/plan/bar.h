// SPDX-License-Identifier: MIT
// The bar that an action must clear: lookahead values Q_{min(h,K)} against thresholds gamma(t, s).
// Thresholding policies and threshold costs are two readings of it.
#ifndef LGKT_PLAN_BAR_H
#define LGKT_PLAN_BAR_H

#include "lgkt/plan.h"
#include "plan/lookahead.h"

// What is played at one (h, s): the actions first .. end-1, or those of them that clear the bar.
// `first` is always one of them. Walk them with
//     for (a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
typedef struct lgkt_choice {
    int32_t first;
    int32_t end;
    const double *q; // (A), points into the tables; NULL: all of first .. end-1
    double lift;     // the values are lift + q
    double gamma;
} lgkt_choice;

typedef struct lgkt_bar {
    const lgkt_mdp *mdp;  // borrowed
    lgkt_lookahead ahead; // Q_1 .. Q_min(K,T)
    lgkt_threshold gamma; // what it points to is borrowed
    int64_t horizon;      // T
} lgkt_bar;

// Checks the arguments and makes the tables. On failure nothing is held.
lgkt_status lgkt_bar_init(lgkt_bar *bar, const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                          const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                          lgkt_error *error);
void lgkt_bar_release(lgkt_bar *bar);

// min(h, K): how deep one looks with h to go.
static inline int64_t lgkt_bar_depth(const lgkt_bar *bar, int64_t h)
{
    return h < bar->ahead.depth ? h : bar->ahead.depth;
}

// max(0, gamma - Q), where a shortfall within a tie of the bar is none; infinite for a pair that is
// forbidden, whatever the bar.
static inline double lgkt_bar_shortfall(double q, double gamma)
{
    const double shortfall = gamma - q;
    if (q == -INFINITY)
        return INFINITY;
    return shortfall <= lgkt_tie_width(q) ? 0 : shortfall;
}

// The action played after a, or `end`.
static inline int32_t lgkt_choice_next(const lgkt_choice *choice, int32_t a)
{
    a++;
    while (choice->q != NULL && a < choice->end &&
           lgkt_bar_shortfall(choice->q[a] + choice->lift, choice->gamma) > 0)
        a++;
    return a;
}

// How many actions are played.
static inline int32_t lgkt_choice_count(const lgkt_choice *choice)
{
    int32_t n = 0;
    for (int32_t a = choice->first; a < choice->end; a = lgkt_choice_next(choice, a))
        n++;
    return n;
}

// The actions that clear the bar, or the argmax (ties low) if there is none.
lgkt_choice lgkt_bar_choice(const lgkt_bar *bar, int64_t h, int32_t state);

// The largest h' >= h such that Q and gamma are known to be the same for all of h .. h'.
int64_t lgkt_bar_same_until(const lgkt_bar *bar, int64_t h);

#endif
