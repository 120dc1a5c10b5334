// SPDX-License-Identifier: MIT
// What ucrl2b and ucrl3 have besides the machine of ucrl.c: boxes (box.h), and rewards within
// bounds.
//
//   ucrl2b   Fruit, Pirotta and Lazaric 2020      ucrl3   Bourel, Maillard and Talebi 2020
//
// They are for rewards in [r_min, r_max] and use the variance of those of a pair. What is told here
// is the range [low, high] of the *means* (rewards.h), and noise may lead beyond. So
//
//   R       = max(high - low, 2 sigma), sigma = reward-sd if told: a variable in a range R has at
//             most sigma = R/2
//   x'      = (x - low)/R; no reward is clipped
//   rtilde  = min( (high - low)/R, mean of x' + width(n, var of x') )
//
// An end that is not told is that of the rewards seen so far. When it moves they plan anew, from
// u = 0: the units are others. Visits whose next state does not count (a cut) count for rewards
// only; shares of next states are of the moves.
//
// Where they are not as printed: see box.c. Published code (statisticalRL-learners) has 18 in place
// of ucrl2b's 6 (`constant`), a draw among the least visited of equal actions (`ties`), precision
// 1/t for ucrl3 too, and selects no support (`support=seen`). Not built, because they are mistakes:
// it stops on the span of |v - u|, which may be too early, and sorts states by their number in the
// first sweep. Fruit's code of 2018 has sqrt(14 var ln(2 S A t/delta)/n) + (49/3) ln(..)/(n-1).
//
// Cost: a pair that has changed takes 100 halvings per successor at the next planning (ucrl3); an
// evaluation is O(m log m) for m successors. Memory: besides ucrl.c 16 bytes per successor.

#include "learners/planners/ucrl.h"

#include <math.h>

#include "core/elementary.h"

// ---- what is plausible ----

static lgkt_box_form box_form(const lgkt_learner *learner, int32_t states)
{
    const lgkt_ucrl *u = learner->self;
    return (lgkt_box_form){.rule = u->traits->rule,
                           .states = states,
                           .actions = learner->problem.actions,
                           .delta = u->set.delta,
                           .constant = u->set.constant,
                           .certain = u->set.certain != 0};
}

void lgkt_ucrl_box_scale(lgkt_ucrl *u)
{
    const double range = u->bounds.high - u->bounds.low;
    // a unit near 0 must not make it infinite
    const double noise = fmin(2 * u->set.reward.sd / u->bounds.unit, LGKT_MAX_REWARD);
    const double scale = isnan(u->set.reward.sd) ? range : fmax(range, noise);
    u->map = (lgkt_reward_map){.min = u->bounds.low, .scale = scale > 0 ? scale : 1};
    u->cap = range / u->map.scale;
}

void lgkt_ucrl_box_set(lgkt_learner *learner, size_t z)
{
    lgkt_ucrl *u = learner->self;
    const lgkt_box_form form = box_form(learner, learner->problem.states);
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const double n = pair->n;
    u->evi.pairs[z].reward = u->cap;
    if (n > 0) {
        const double mean = lgkt_reward_mapped(&u->map, pair->reward / n);
        const double sd = fmin(sqrt(u->squares[z] / n) / u->map.scale, LGKT_MAX_REWARD);
        u->evi.pairs[z].reward = fmin(u->cap, mean + lgkt_box_reward(&form, n, sd));
    }
    lgkt_boxes_set(&u->evi.boxes, &u->counts, z, &form);
    lgkt_evi_touch(&u->evi, z);
}

void lgkt_ucrl_box_plan(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    lgkt_ucrl_box_scale(u);
    if (u->moved)
        lgkt_evi_restart(&u->evi);
    double most = 1;
    for (size_t z = 0; z < pairs; z++)
        most = lgkt_learner_offers(learner, z) ? fmax(most, u->counts.rows[z].n) : most;
    u->evi.boxes.scarce = lgkt_pow(most, 2.0 / 3);
}

void lgkt_ucrl_box_renew(lgkt_learner *learner, size_t z)
{
    lgkt_ucrl *u = learner->self;
    const lgkt_box_form form = box_form(learner, u->known);
    lgkt_boxes_set(&u->evi.boxes, &u->counts, z, &form);
}

// ---- rewards ----

double lgkt_ucrl_box_take(lgkt_ucrl *u, size_t z, double reward)
{
    const lgkt_seen_row *pair = &u->counts.rows[z];
    bool moved;
    const double x = lgkt_reward_bounds_see(&u->bounds, reward, &moved);
    if (pair->n > 0) {
        const double before = pair->reward / pair->n, after = (pair->reward + x) / (pair->n + 1);
        u->squares[z] += fmax(0, (x - before) * (x - after));
    }
    u->moved |= moved;
    u->planned &= !moved;
    return x;
}

// ---- saving ----

void lgkt_ucrl_box_check(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_ucrl *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    for (size_t z = 0; z < pairs; z++)
        archive->bad |= u->squares[z] < 0;
    if (!archive->bad && !lgkt_boxes_reserve(learner, &u->evi.boxes, &u->counts))
        lgkt_archive_starve(archive);
}

void lgkt_ucrl_box_loaded(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    lgkt_ucrl_box_scale(u);
    if (u->known == 0)
        return;
    const lgkt_box_form form = box_form(learner, u->known);
    for (size_t z = 0; z < (size_t)u->known * (size_t)learner->problem.actions; z++)
        lgkt_boxes_set(&u->evi.boxes, &u->counts, z, &form);
    lgkt_boxes_order(&u->evi.boxes, u->evi.u, u->evi.states);
}
