// SPDX-License-Identifier: MIT
// What the learners of ucrl.c take for plausible, and their plans: balls, boxes, and the projection
// with mitigation of PMEVI.
//
// Balls: the optimistic reward is min(cap, xhat + (2 sigma/R) radius), sigma = reward-sd: a variable
// in [0, 1] has sigma = 1/2. All radii are times `scale`, that of a `radius` that is set included.
// An unvisited pair has the highest reward there is and may lead anywhere.
//
// Boxes (box.h; ucrl2b and ucrl3):
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
// Where they are not as printed: see box.c; what published code does otherwise: docs/baselines.md.
//
// PMEVI, at a planning at time t (c0 = T^(1/5) in units of R):
//   inner regret   B0 = max(0, steps gtil - earned), gtil the lowest optimistic gain so far
//   error          e(x,y) = [3 c0 + (1 + c0)(1 + sqrt(8 t ln(2/delta))) + 2 B0] / legs(x,y)
//   constraints    h(x) - h(y) <= min(chat(x,y) + e(x,y), c0)   (bias.h), applied after each sweep
//   mitigation     max q.u <= phat.u + beta,
//                  beta = sqrt(2 var+ L/n) + 3 c0 L/n,  L = ln(S A T/delta),
//                  var+ = Var_phat(h0) + 8 c0 min_x sum_y phat(y) e(y,x),  h0 the projected
//                  chat(.,0) (of use only if beta < c0, so pairs with n <= 3 L need not be looked
//                  at)

#include "learners/planners/ucrl.h"

#include <math.h>

#include "core/elementary.h"

// ---- boxes ----

static lgkt_box_form box_form(const lgkt_learner *learner, int32_t states)
{
    const lgkt_ucrl *u = learner->self;
    return (lgkt_box_form){.rule = u->name->rule,
                           .states = states,
                           .actions = learner->problem.actions,
                           .delta = u->set.delta,
                           .constant = u->set.constant,
                           .certain = u->set.certain != 0};
}

void lgkt_ucrl_scale(lgkt_ucrl *u)
{
    const double range = u->bounds.high - u->bounds.low;
    // a unit near 0 must not make it infinite
    const double noise = fmin(2 * u->set.reward.sd / u->bounds.unit, LGKT_MAX_REWARD);
    const double scale = isnan(u->set.reward.sd) ? range : fmax(range, noise);
    u->map = (lgkt_reward_map){.min = u->bounds.low, .scale = scale > 0 ? scale : 1};
    u->cap = range / u->map.scale;
}

void lgkt_ucrl_renew(lgkt_learner *learner, size_t z)
{
    lgkt_ucrl *u = learner->self;
    const lgkt_box_form form = box_form(learner, u->known);
    lgkt_boxes_set(&u->evi.boxes, &u->counts, z, &form);
}

// before a planning: units, and what does not belong to a pair
static void prepare_boxes(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    lgkt_ucrl_scale(u);
    if (u->moved)
        lgkt_evi_restart(&u->evi);
    double most = 1;
    for (size_t z = 0; z < pairs; z++)
        most = lgkt_learner_offers(learner, z) ? fmax(most, u->counts.rows[z].n) : most;
    u->evi.boxes.scarce = lgkt_pow(most, 2.0 / 3);
}

// ---- PMEVI ----

double lgkt_ucrl_bias_variance(const lgkt_ucrl *u, const lgkt_seen_row *pair)
{
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    const double n = pair->moves, *h0 = u->evi.v;
    double mean = 0, variance = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        mean += edges[e].count / n * h0[edges[e].next];
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        const double gap = h0[edges[e].next] - mean;
        variance += edges[e].count / n * gap * gap;
    }
    return variance;
}

// beta; the reference bias h0 is in evi.v
static double mitigation_of(const lgkt_learner *learner, size_t z, double error, double log_term)
{
    const lgkt_ucrl *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    const double n = pair->moves, span = u->set.span;
    if (!(n > 3 * log_term))
        return INFINITY;

    // min over x of sum_y phat(y) / legs(y,x), infinite if every x has a y it has no legs with
    double least = INFINITY;
    for (int32_t x = 0; x < learner->problem.states; x++) {
        double sum = 0;
        for (int32_t e = pair->first; e >= 0 && sum < least; e = edges[e].other) {
            int64_t legs = 1;
            if (edges[e].next == x)
                continue;
            lgkt_bias_difference(&u->bias, edges[e].next, x, &legs);
            sum += edges[e].count / n / (double)legs; // may be infinite
        }
        least = fmin(least, sum);
    }

    const double variance = lgkt_ucrl_bias_variance(u, pair) + 8 * span * (error * least);
    const double beta = sqrt(2 * variance * log_term / n) + 3 * span * log_term / n;
    return beta < span ? beta : INFINITY;
}

// what sweeps are projected to, and the mitigation of each pair
static void prepare_projection(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    lgkt_bias *bias = &u->bias;
    const int32_t states = learner->problem.states;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    const double t = fmax(2, (double)u->started), span = u->set.span;
    const double regret = fmax(0, (double)bias->steps * u->least_gain - bias->reward);
    const double error =
        3 * span + (1 + span) * (1 + sqrt(8 * t * lgkt_log(2 / u->set.delta))) + 2 * regret;
    bias->span = span;
    lgkt_bias_constrain(bias, states, error);

    int64_t legs;
    for (int32_t s = 0; s < states; s++)
        u->evi.v[s] = lgkt_bias_difference(bias, s, 0, &legs);
    lgkt_bias_project(bias, u->evi.v, states);
    const double log_term =
        lgkt_log((double)pairs * (double)learner->problem.horizon / u->set.delta);
    for (size_t z = 0; z < pairs; z++) {
        const double beta = mitigation_of(learner, z, error, log_term);
        if (beta != u->evi.pairs[z].mitigation) {
            u->evi.pairs[z].mitigation = beta;
            lgkt_evi_touch(&u->evi, z);
        }
    }
}

// ---- planning ----

// what is plausible about pair z: its reward, and the ball or the box of its row
static void set_plausible(lgkt_learner *learner, const lgkt_radii *radii, size_t z)
{
    lgkt_ucrl *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_box_form form = box_form(learner, learner->problem.states);
    lgkt_plausible *known = &u->evi.pairs[z];
    const double n = pair->n;
    known->reward = u->cap;
    if (n > 0) {
        const double mean = lgkt_reward_mapped(&u->map, pair->reward / n);
        double width = u->noise > 0 ? u->set.scale * u->noise * lgkt_radius_reward(radii, n) : 0;
        if (u->evi.has_boxes) {
            const double sd = fmin(sqrt(u->squares[z] / n) / u->map.scale, LGKT_MAX_REWARD);
            width = lgkt_box_reward(&form, n, sd);
        }
        known->reward = fmin(u->cap, mean + width);
    }
    if (!lgkt_learner_offers(learner, z))
        known->reward = LGKT_EVI_NEVER;
    if (u->evi.has_boxes)
        lgkt_boxes_set(&u->evi.boxes, &u->counts, z, &form);
    else
        known->radius = pair->moves > 0 ? lgkt_radius_row(radii, pair->moves) : 0;
    if (known->radius > 0 && u->set.radius > 0)
        known->radius = u->set.radius;
    known->radius *= u->set.scale;
    lgkt_evi_touch(&u->evi, z);
}

// only what has changed, if the radii depend on nothing else
static void refresh_plausible(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    const lgkt_radii radii = {.region = u->name->region,
                              .bound = (lgkt_bound)u->set.bound,
                              .states = learner->problem.states,
                              .actions = learner->problem.actions,
                              .horizon = (double)learner->problem.horizon,
                              .t = (double)u->started,
                              .delta = u->set.delta};
    const bool all =
        u->set.bound == LGKT_BOUND_ORIGINAL || u->moved || u->known != learner->problem.states;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    for (size_t z = 0; all && z < pairs; z++)
        set_plausible(learner, &radii, z);
    for (int64_t i = 0; i < u->changed_count; i++) {
        const size_t z = u->changed[i];
        if (!all)
            set_plausible(learner, &radii, z);
        u->in_episode[z] = 0;
        u->is_changed[z] = 0;
    }
    u->changed_count = 0;
    // gains of models with fewer states bound nothing any more
    if (u->known != learner->problem.states)
        u->least_gain = u->cap;
    u->known = learner->problem.states;
}

void lgkt_ucrl_plan(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    u->started = learner->t + 1;
    u->growth = 1 + lgkt_pow((double)u->started, -0.25);
    u->evi.states = learner->problem.states;
    if (u->evi.has_boxes)
        prepare_boxes(learner);
    refresh_plausible(learner);
    u->moved = false;
    const bool released = u->set.projection != 0;
    if (u->name->pmevi && released)
        lgkt_ucrl_constrain_released(learner);
    else if (u->name->pmevi)
        prepare_projection(learner);
    u->evi.bias = u->name->pmevi ? &u->bias : NULL;
    u->evi.drifting.share = 1;
    const double t = fmax(2, (double)u->started);
    u->precision = u->set.precision;
    if (isnan(u->precision))
        u->precision = u->name->pmevi ? sqrt(lgkt_log(t) / t)
                       : u->evi.has_boxes && u->name->rule == LGKT_BOX_BERNSTEIN ? 1 / t
                                                                                 : 1 / sqrt(t);
    const int64_t capped = u->evi.cap_hits;
    u->gain = released ? lgkt_ucrl_solve_released(learner) : lgkt_evi_solve(&u->evi, u->precision);
    // a gain that is not precise is no bound
    if (released)
        u->least_gain = fmin(u->least_gain, u->gain);
    else if (u->evi.cap_hits == capped)
        u->least_gain = fmin(u->least_gain, u->gain + u->precision / 2);
    for (int32_t s = 0; s < learner->problem.states; s++)
        u->policy[s] = -1;
    if (u->takes_first)
        lgkt_ucrl_take_first(learner);
    u->planned = true;
    u->episodes++;
}
