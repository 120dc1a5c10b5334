// SPDX-License-Identifier: MIT
// What the plug-in lookahead learner plays: the rules of plugin.c, with its names.
//
// Among allowed actions all rules are those of a state that has no others: counts, shares and means
// are of the allowed ones.
//
// What explain fills in: visits n, mean_reward m1, value Q_K, lower lcb, upper index, good lcb >=
// gamma. An action that was never tried has no value and no bounds, and is not good.

#include "learners/plugin/plugin.h"

#include <math.h>

#include "core/elementary.h"
#include "plan/plan_private.h"

// ---- untried actions ----

bool lgkt_plugin_pays(double m, double tau, double best, double visits)
{
    if (!(best > m))
        return true;
    // values that are equal on paper may differ in their last bits, even where tau is 0
    const double least = 1e-9 * (fabs(best) + fabs(m));
    // z > best without solving for z (reservation.c does, from a table, for who needs z itself):
    // x exp(x + 1) grows with x, and is N at the price
    const double x = (best - m) / (tau > least ? tau : least);
    return x * lgkt_exp(x + 1) < visits;
}

// The actions of a choice. Where functions below are called from, `allowed` may be known to be NULL
// when they are compiled.
typedef struct scope {
    const uint8_t *allowed;        // (A); NULL: all
    const lgkt_plugin_key *keys;   // (A)
    int32_t actions, count, tried; // A; those allowed; and tried
} scope;

static inline bool is_in(const scope *in, int32_t a)
{
    return in->allowed == NULL || in->allowed[a] != 0;
}

static inline bool is_tried(const scope *in, int32_t a)
{
    return in->keys[a].part[LGKT_PLUGIN_VALUE] > -INFINITY;
}

static inline scope scope_of(const lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    const lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions;
    scope in = {.allowed = allowed,
                .keys = p->keys + (size_t)state * (size_t)actions,
                .actions = actions,
                .count = actions,
                .tried = p->states[state].tried};
    if (allowed == NULL)
        return in;
    in.count = in.tried = 0;
    for (int32_t a = 0; a < actions; a++) {
        in.count += is_in(&in, a);
        in.tried += is_in(&in, a) && is_tried(&in, a);
    }
    return in;
}

// whether an untried action of a state goes first; there is one
static inline bool explores(const lgkt_learner *learner, int32_t state, const scope *in)
{
    const lgkt_plugin *p = learner->self;
    if (p->set.untried == LGKT_PLUGIN_SHARE)
        return in->tried == 0 || in->tried < p->set.share * in->count;
    if (p->set.untried != LGKT_PLUGIN_HORIZON)
        return p->set.untried == LGKT_PLUGIN_FIRST;
    double best = -INFINITY, sum = (double)p->k * p->seen.rhobar;
    for (int32_t a = 0; a < in->actions; a++) {
        if (!is_in(in, a))
            continue;
        const double value = in->keys[a].part[LGKT_PLUGIN_VALUE];
        best = value > best ? value : best;
        sum += value > -INFINITY ? value : 0;
    }
    const double m = sum / (in->tried + 1);
    const double left = (double)(lgkt_learner_steps_left(learner) - 1);
    const double visits =
        left * (double)(p->states[state].visits + 1) / (double)(p->seen.count + 1);
    return lgkt_plugin_pays(m, p->seen.sigma, best, visits);
}

// ---- the choice ----

// the best of an order so far: its rank, the highest rank of the others, and its number
typedef struct top {
    double rank, second;
    int32_t action;
} top;

// one more action, without a branch on the numbers
static inline void rise(top *best, double rank, int32_t a)
{
    const double lesser = rank < best->rank ? rank : best->rank;
    best->action = rank > best->rank ? a : best->action;
    best->rank = rank > best->rank ? rank : best->rank;
    best->second = lesser > best->second ? lesser : best->second;
}

// what an action is ranked by: its value and a multiple of its width or bonus
static inline double rank_of(const lgkt_plugin_key *key, lgkt_plugin_part part, double factor)
{
    return key->part[LGKT_PLUGIN_VALUE] + factor * key->part[part];
}

static inline double scale_of(const lgkt_plugin *p)
{
    return isnan(p->scale) ? p->seen.sigma : p->scale;
}

static inline double gamma_of(const lgkt_learner *learner, int32_t state)
{
    const lgkt_plugin *p = learner->self;
    if (p->threshold == LGKT_PLUGIN_ASPIRE)
        return (double)p->k * (p->seen.rhobar + (p->set.aspiration - 1) * p->seen.sigma);
    if (p->threshold == LGKT_PLUGIN_CONSTANT)
        return p->gamma;
    if (p->threshold == LGKT_PLUGIN_GIVEN)
        return lgkt_threshold_at(&learner->threshold, learner->problem.states, learner->t, state,
                                 (int32_t)p->k);
    return INFINITY;
}

// whom a choice is drawn from
typedef struct draw {
    bool untried; // those never tried; else those of this rank:
    bool good;    // which cleared the threshold
    lgkt_plugin_part part;
    double factor;
    top best;
} draw;

static inline draw decide(const lgkt_learner *learner, int32_t state, const scope *in)
{
    const lgkt_plugin *p = learner->self;
    if (in->tried < in->count && explores(learner, state, in))
        return (draw){.untried = true};
    const double gamma = gamma_of(learner, state), scale = scale_of(p);

    // both orders at once: which of them it will be can hardly be foretold
    top lcb = {-INFINITY, -INFINITY, 0}, index = {-INFINITY, -INFINITY, 0};
    for (int32_t a = 0; a < in->actions; a++) {
        if (!is_in(in, a))
            continue;
        rise(&lcb, rank_of(&in->keys[a], LGKT_PLUGIN_W, -scale), a);
        rise(&index, rank_of(&in->keys[a], LGKT_PLUGIN_B, scale), a);
    }
    if (lcb.rank >= gamma && lcb.rank > -INFINITY)
        return (draw){.good = true, .part = LGKT_PLUGIN_W, .factor = -scale, .best = lcb};
    return (draw){.untried = in->tried < in->count && p->set.untried == LGKT_PLUGIN_LAST,
                  .part = LGKT_PLUGIN_B,
                  .factor = scale,
                  .best = index};
}

static inline bool is_drawn(const scope *in, const draw *from, int32_t a)
{
    if (!is_in(in, a))
        return false;
    return from->untried ? !is_tried(in, a)
                         : rank_of(&in->keys[a], from->part, from->factor) == from->best.rank;
}

static int32_t count_drawn(const scope *in, const draw *from)
{
    int32_t count = 0;
    for (int32_t a = 0; a < in->actions; a++)
        count += is_drawn(in, from, a);
    return count;
}

// one of several: one random number; kept out of line, since it is rare
LGKT_COLD static int32_t draw_one(lgkt_learner *learner, const scope *in, const draw *from)
{
    const int32_t count = count_drawn(in, from);
    int32_t left = count > 1 ? lgkt_rng_below(&learner->rng, count) : 0, a = 0;
    while (a < in->actions - 1 && (!is_drawn(in, from, a) || left-- > 0))
        a++;
    return a;
}

static inline int32_t choose(lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    lgkt_plugin *p = learner->self;
    const scope in = scope_of(learner, state, allowed);
    const draw from = decide(learner, state, &in);
    p->settled += from.good;
    p->firsts += from.untried;
    if (!from.untried && from.best.rank > from.best.second)
        return from.best.action;
    return draw_one(learner, &in, &from);
}

int32_t lgkt_plugin_act(lgkt_learner *learner, int32_t state)
{
    return choose(learner, state, NULL);
}

int32_t lgkt_plugin_act_among(lgkt_learner *learner, int32_t state)
{
    return choose(learner, state, learner->allowed);
}

// ---- why ----

bool lgkt_plugin_explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const lgkt_plugin *p = learner->self;
    const scope in = scope_of(learner, state, learner->allowed);
    const draw from = decide(learner, state, &in);
    const double gamma = gamma_of(learner, state), scale = scale_of(p);
    const double share = 1.0 / count_drawn(&in, &from);
    const lgkt_seen_row *rows = &p->rows.rows[(size_t)state * (size_t)in.actions];
    for (int32_t a = 0; a < in.actions; a++) {
        lgkt_reason *reason = &reasons[a];
        reason->visits = rows[a].n;
        reason->good = 0;
        reason->probability = is_drawn(&in, &from, a) ? share : 0;
        if (!is_tried(&in, a))
            continue;
        reason->mean_reward = rows[a].reward / rows[a].n;
        reason->value = in.keys[a].part[LGKT_PLUGIN_VALUE];
        reason->lower = rank_of(&in.keys[a], LGKT_PLUGIN_W, -scale);
        reason->upper = rank_of(&in.keys[a], LGKT_PLUGIN_B, scale);
        reason->good = reason->lower >= gamma;
    }
    return true;
}
