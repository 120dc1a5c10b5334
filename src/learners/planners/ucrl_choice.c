// SPDX-License-Identifier: MIT
// What the learners of ucrl.c choose by a plan, and why.
//
// Explained: value = rhat + phat.u and upper = rtilde + max q.u, u the optimistic bias of the plan
// in force, both in units of rewards; a pair that led nowhere has no value. The policy of a plan is
// drawn state by state, when it is needed. Where the episode would end the next plan is explained.
//
// Masks: the best of the allowed actions at the same u; it is not kept as the policy if some that
// can be played are left out. A pair that cannot be played has no say in plans (LGKT_EVI_NEVER),
// and a change of these calls for a plan.

#include "learners/planners/ucrl.h"

#include <math.h>

enum { TIES_UNIFORM, TIES_LEAST_VISITED };

// keeps those of the equal actions that were visited least; returns how many there are
static int32_t least_visited(const lgkt_learner *learner, int32_t state, int32_t count)
{
    const lgkt_ucrl *u = learner->self;
    const lgkt_seen_row *row = u->counts.rows + (size_t)state * (size_t)learner->problem.actions;
    double least = INFINITY;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        least = fmin(least, row[u->ties[i]].n);
    for (int32_t i = 0; i < count; i++)
        if (row[u->ties[i]].n == least)
            u->ties[kept++] = u->ties[i];
    return kept;
}

// whether a pair of a state has learned something since the plan: after a choice that was not the
// policy's, or with another unit
static bool has_changed(const lgkt_learner *learner, int32_t state)
{
    const lgkt_ucrl *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    bool changed = false;
    for (size_t z = row; z < row + actions; z++)
        changed |= u->is_changed[z] != 0;
    return changed;
}

int32_t lgkt_ucrl_find_best(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    for (size_t z = row; z < row + actions; z++) {
        if (!u->is_changed[z])
            continue;
        if (lgkt_ucrl_has_boxes(u))
            lgkt_ucrl_box_renew(learner, z);
        lgkt_evi_touch(&u->evi, z);
    }
    const double scale = fmax(1, u->evi.top);
    const double tolerance = (u->traits->region == LGKT_REGION_L1 ? 1e-12 : 1e-9) * scale;
    const int32_t count = lgkt_evi_best(&u->evi, state, learner->allowed, tolerance, u->ties);
    return u->set.ties == TIES_LEAST_VISITED ? least_visited(learner, state, count) : count;
}

bool lgkt_ucrl_leaves_all(const lgkt_learner *learner, int32_t state)
{
    const int32_t actions = learner->problem.actions;
    bool all = true;
    for (int32_t a = 0; a < actions; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        all = all && (lgkt_learner_allows(learner, a) || !lgkt_learner_offers(learner, z));
    }
    return all;
}

// ---- reasons ----

// The law of act. A choice that ends the episode is made anew after the plan.
static bool explain_law(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    lgkt_ucrl *u = learner->self;
    const int32_t made = lgkt_ucrl_made(learner, state);
    if (made < 0 && !copy && has_changed(learner, state))
        return false;
    u->evi.looks = !copy;
    u->ties[0] = made;
    int32_t count = made >= 0 ? 1 : lgkt_ucrl_find_best(learner, state);
    u->evi.looks = false;
    double ended = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        reasons[a].probability = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool ends = lgkt_ucrl_ends_before(learner, state, u->ties[i]);
        *(ends ? &ended : &reasons[u->ties[i]].probability) += 1.0 / count;
    }
    if (ended > 0 && !copy)
        return false;
    if (ended > 0) {
        lgkt_ucrl_plan(learner);
        count = lgkt_ucrl_find_best(learner, state);
        for (int32_t i = 0; i < count; i++)
            reasons[u->ties[i]].probability += ended / count;
    }
    return true;
}

bool lgkt_ucrl_explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    lgkt_ucrl *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const bool plans = !u->planned || state >= u->known;
    if (plans && !copy)
        return false;
    if (copy && u->traits->pmevi)
        lgkt_ucrl_arrive(learner, state);
    if (plans)
        lgkt_ucrl_plan(learner);
    if (!explain_law(learner, state, copy, reasons))
        return false;
    // sums of boxes are of x, and the map is from there
    const double base = lgkt_ucrl_has_boxes(u) ? u->bounds.base : 0,
                 unit = lgkt_ucrl_has_boxes(u) ? u->bounds.unit : 1;
    lgkt_successors_explain(&u->counts, state, actions, base, unit, reasons);
    for (int32_t a = 0; a < actions; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        reasons[a].value = reasons[a].mean_reward +
                           unit * u->map.scale * lgkt_successors_mean(&u->counts, z, u->evi.u, 1);
        if (lgkt_ucrl_has_boxes(u) && u->is_changed[z])
            lgkt_ucrl_box_renew(learner, z);
        if (lgkt_learner_offers(learner, z))
            reasons[a].upper =
                base + unit * (u->map.min + u->map.scale * lgkt_evi_value(&u->evi, z));
    }
    return true;
}
