// SPDX-License-Identifier: MIT
// Plug-in lookahead: the K-step rewards of the observed model, and the threshold rule of LGKT.
//
// Ours, not the paper's. LGKT learns what the K-1 steps after a pair are worth from estimation runs
// made for that purpose. Here every step counts: it tells where its pair leads, and the values of
// the states it leads to are known as far as they were visited.
//
//   n(s,a), m1(s,a)   visits and mean reward of a pair
//   phat(y|s,a)       observed transitions: moves to y / moves. A cut has no successor: it counts
//                     in n and m1, but is no move.
//   Q_1 = m1,  Q_{k+1}(s,a) = m1(s,a) + sum_y phat(y|s,a) V_k(y),  V_k(y) = max_b Q_k(y,b)
//                     over the actions b that were tried
//   rhobar, sigma     mean and standard deviation of all rewards seen
//   w(n), b(n)        width and bonus (widths.h), times the scale: sigma, or a given number
//
// Where nothing is known of what follows (nothing was tried in y, or all visits of a pair were
// cut), k steps are worth k rhobar: neither good nor bad, whatever the zero of the rewards is.
//
// The choice in state s, at threshold gamma and depth K:
//
//   1. if the rule for untried actions says so, one of them;
//   2. else, of the actions with lcb = Q_K - scale w(n) >= gamma, the one with the highest lcb;
//   3. if there is none: the highest index = Q_K + scale b(n); with untried=last an untried action.
//
//   gamma    a number; aspire: K (rhobar + (c - 1) sigma), better than what came in so far; none:
//            infinity; or a table or function of the caller
//   untried  first   always
//            last    never in 1
//            share   while fewer than a given share of the state's actions (and none) were tried;
//                    the others never
//            horizon while it pays. Let z be the reservation price of an untried action: the value
//                    at which a sure action would do as well. Trying costs z - m once, and gains
//                    (X - z)+ in each of the N visits left: z - m = N E (X - z)+. With
//                    X = m + tau (E - 1), E exponential: z = m + tau x, x = N exp(-x - 1). It pays
//                    if z exceeds the best known value. m is the mean of the tried Q_K of the state
//                    and of K rhobar, tau = sigma, N = steps left n(s) / steps seen.
//   k=auto   K = 3 + floor(log2(steps seen / pairs tried)), never less than before, at most k-max
//
// Observing a step brings up to date, in this order (the naive reference does the same):
//   1. m1, phat and n of the pair played, then rhobar and sigma
//   2. V of the next state, k rhobar, if nothing was tried there
//   3. Q of the pair played
//   4. Q of the next `refresh` actions of the state in turn, those that were tried
//   5. V of the state
// Other states wait for their next visit: no step sweeps over the model. rhobar and sigma, and 4,
// are left out at seven of eight steps, or visits of the state, after the first 64.
//
// All rules are in units of sigma, and gamma and m move with rhobar: with scale=seen and
// threshold=aspire or none, actions stay the same when all rewards are multiplied by a positive
// number, or the same number is added to all of them, up to rounding.
//
// Cost of a step: K times the successors of the pair played, (K + 1) A for V and the choice, and an
// eighth of `refresh` rows. Memory: K + 7 numbers per pair, K + 2 per state, 7 per block of four
// successors, and the shared tables. docs/plugin.md has derivations and what was measured.

#include "learners/plugin.h"

#include <math.h>
#include <stddef.h>

#include "core/elementary.h"
#include "core/error.h"
#include "learners/spread.h"
#include "plan/threshold.h"

// so often everything is done at once; later some things are done every so often
#define EARLY 64
#define EVERY 8

// ---- values ----

// Where they are called from, `lanes` may be known when this is compiled: see learn.

// V_1, V_2, .. of a state; -1 is where unused places lead
static inline double *values_of(const lgkt_plugin *p, int32_t state, size_t lanes)
{
    return p->v + ((ptrdiff_t)state + 1) * (ptrdiff_t)lanes;
}

// Q_1, Q_2, .. of a pair
static inline double *row_of(const lgkt_plugin *p, size_t z, size_t lanes)
{
    return p->q + z * (lanes + 1);
}

static inline void set_value(lgkt_plugin *p, size_t z, size_t lanes)
{
    p->keys[z].part[LGKT_PLUGIN_VALUE] = row_of(p, z, lanes)[p->k - 1];
}

// the moves to one successor times its V
static inline lgkt_pack weigh(const lgkt_block *block, int i, const double *v, size_t lanes)
{
    const double *at = v + (ptrdiff_t)block->next[i] * (ptrdiff_t)lanes;
    return lgkt_pack_times(lgkt_pack_load(at), block->count[i]);
}

// the mean of V over the successors of a pair, for four depths; v is that of state 0
static inline lgkt_pack look_ahead(const lgkt_plugin *p, const lgkt_seen_row *row, const double *v,
                                   size_t lanes)
{
    lgkt_pack sum = lgkt_pack_zero();
    const lgkt_block *blocks = lgkt_successors_blocks(&p->rows);
    for (int32_t b = row->first; b >= 0; b = blocks[b].other) {
        const lgkt_block *block = &blocks[b];
        const lgkt_pack two = lgkt_pack_add(weigh(block, 0, v, lanes), weigh(block, 1, v, lanes));
        const lgkt_pack more = lgkt_pack_add(weigh(block, 2, v, lanes), weigh(block, 3, v, lanes));
        sum = lgkt_pack_add(sum, lgkt_pack_add(two, more));
    }
    return lgkt_pack_times(sum, 1 / row->moves);
}

// the same where every visit was cut
static lgkt_pack assume(const lgkt_plugin *p, size_t lane)
{
    double mean[LGKT_LANES];
    for (size_t i = 0; i < LGKT_LANES; i++)
        mean[i] = (double)(lane + i + 1) * p->seen.rhobar;
    return lgkt_pack_load(mean);
}

// brings a tried pair up to date
static inline void refresh_pair(lgkt_plugin *p, size_t z, size_t lanes)
{
    const lgkt_seen_row *row = &p->rows.rows[z];
    const double m1 = row->reward / row->n, *v = values_of(p, 0, lanes);
    double *q = row_of(p, z, lanes);
    q[0] = m1;
    for (size_t lane = 0; lane < lanes; lane += LGKT_LANES) {
        const lgkt_pack after =
            row->moves > 0 ? look_ahead(p, row, v + lane, lanes) : assume(p, lane);
        lgkt_pack_store(q + lane + 1, lgkt_pack_plus(after, m1));
    }
    set_value(p, z, lanes);
}

static inline void refresh_in_turn(lgkt_plugin *p, int32_t state, int32_t actions, size_t lanes)
{
    const size_t first = (size_t)state * (size_t)actions;
    lgkt_plugin_state *at = &p->states[state];
    for (int64_t i = 0; i < p->set.refresh; i++) {
        at->turn = at->turn + 1 < actions ? at->turn + 1 : 0;
        const size_t z = first + (size_t)at->turn;
        if (p->rows.rows[z].n > 0)
            refresh_pair(p, z, lanes);
    }
}

static inline void refresh_state(lgkt_plugin *p, int32_t state, int32_t actions, size_t lanes)
{
    const double *q = row_of(p, (size_t)state * (size_t)actions, lanes);
    double *v = values_of(p, state, lanes);
    for (size_t lane = 0; lane < lanes; lane += LGKT_LANES) {
        double best[LGKT_LANES];
        for (size_t i = 0; i < LGKT_LANES; i++)
            best[i] = q[lane + i];
        for (int32_t a = 1; a < actions; a++) {
            const double *other = q + (size_t)a * (lanes + 1) + lane;
            for (size_t i = 0; i < LGKT_LANES; i++)
                best[i] = other[i] > best[i] ? other[i] : best[i];
        }
        for (size_t i = 0; i < LGKT_LANES; i++)
            v[lane + i] = best[i];
    }
}

// nothing was tried there: k steps are worth k rhobar
static void assume_state(lgkt_plugin *p, int32_t state)
{
    for (size_t lane = 0; lane < p->lanes; lane += LGKT_LANES)
        lgkt_pack_store(values_of(p, state, p->lanes) + lane, assume(p, lane));
}

// ---- untried actions ----

bool lgkt_plugin_pays(double m, double tau, double best, double visits)
{
    if (!(best > m))
        return true;
    // values that are equal on paper may differ in their last bits, even where tau is 0
    const double least = 1e-9 * (fabs(best) + fabs(m));
    // z > best without solving for z (reservation.h does, from a table, for who needs z itself):
    // x exp(x + 1) grows with x, and is N at the price
    const double x = (best - m) / (tau > least ? tau : least);
    return x * lgkt_exp(x + 1) < visits;
}

static bool pays(const lgkt_learner *learner, int32_t state)
{
    const lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_plugin_key *keys = p->keys + (size_t)state * (size_t)actions;
    const lgkt_plugin_state *at = &p->states[state];
    double best = -INFINITY, sum = (double)p->k * p->seen.rhobar;
    for (int32_t a = 0; a < actions; a++) {
        const double value = keys[a].part[LGKT_PLUGIN_VALUE];
        best = value > best ? value : best;
        sum += value > -INFINITY ? value : 0;
    }
    const double m = sum / (at->tried + 1);
    const double left = (double)(lgkt_learner_steps_left(learner) - 1);
    const double visits = left * (double)(at->visits + 1) / (double)(p->seen.count + 1);
    return lgkt_plugin_pays(m, p->seen.sigma, best, visits);
}

// whether an untried action goes first; there is one
static bool explores(const lgkt_learner *learner, int32_t state)
{
    const lgkt_plugin *p = learner->self;
    const int32_t tried = p->states[state].tried;
    switch (p->set.untried) {
    case LGKT_PLUGIN_FIRST:
        return true;
    case LGKT_PLUGIN_SHARE:
        return tried == 0 || tried < p->set.share * learner->problem.actions;
    case LGKT_PLUGIN_HORIZON:
        return pays(learner, state);
    default:
        return false;
    }
}

// one of the untried actions: one random number if there are several
static int32_t draw_untried(lgkt_learner *learner, int32_t state)
{
    lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_plugin_key *keys = p->keys + (size_t)state * (size_t)actions;
    const int32_t count = actions - p->states[state].tried;
    int32_t left = count > 1 ? lgkt_rng_below(&learner->rng, count) : 0;
    int32_t a = 0;
    while (a < actions - 1 && (keys[a].part[LGKT_PLUGIN_VALUE] > -INFINITY || left-- > 0))
        a++;
    p->firsts++;
    return a;
}

// ---- the choice ----

static double threshold_at(const lgkt_learner *learner, int32_t state)
{
    const lgkt_plugin *p = learner->self;
    switch (p->threshold) {
    case LGKT_PLUGIN_CONSTANT:
        return p->gamma;
    case LGKT_PLUGIN_ASPIRE:
        return (double)p->k * (p->seen.rhobar + (p->set.aspiration - 1) * p->seen.sigma);
    case LGKT_PLUGIN_NONE:
        return INFINITY;
    default:
        return lgkt_threshold_at(&learner->threshold, learner->problem.states, learner->t, state,
                                 (int32_t)p->k);
    }
}

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

// one of the actions of the same rank: one random number
LGKT_COLD static int32_t draw_tied(lgkt_learner *learner, const lgkt_plugin_key *keys, double rank,
                                   lgkt_plugin_part part, double factor)
{
    const int32_t actions = learner->problem.actions;
    int32_t ties = 0, a = 0;
    for (int32_t b = 0; b < actions; b++)
        ties += rank_of(&keys[b], part, factor) == rank;
    for (int32_t left = lgkt_rng_below(&learner->rng, ties); a < actions - 1; a++)
        if (rank_of(&keys[a], part, factor) == rank && left-- == 0)
            break;
    return a;
}

int32_t lgkt_plugin_act(lgkt_learner *learner, int32_t state)
{
    lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions;
    const bool untried = p->states[state].tried < actions;
    if (untried && explores(learner, state))
        return draw_untried(learner, state);
    const lgkt_plugin_key *keys = p->keys + (size_t)state * (size_t)actions;
    const double gamma = threshold_at(learner, state);

    // both orders at once: which of them it will be can hardly be foretold
    const double scale = isnan(p->scale) ? p->seen.sigma : p->scale;
    top lcb = {-INFINITY, -INFINITY, 0}, index = {-INFINITY, -INFINITY, 0};
    for (int32_t a = 0; a < actions; a++) {
        rise(&lcb, rank_of(&keys[a], LGKT_PLUGIN_W, -scale), a);
        rise(&index, rank_of(&keys[a], LGKT_PLUGIN_B, scale), a);
    }
    const bool good = lcb.rank >= gamma && lcb.rank > -INFINITY;
    p->settled += good;
    if (untried && !good && p->set.untried == LGKT_PLUGIN_LAST)
        return draw_untried(learner, state);
    const double rank = good ? lcb.rank : index.rank, second = good ? lcb.second : index.second;
    const int32_t action = good ? lcb.action : index.action;
    if (rank > second)
        return action;
    return draw_tied(learner, keys, rank, good ? LGKT_PLUGIN_W : LGKT_PLUGIN_B,
                     good ? -scale : scale);
}

// ---- learning ----

static inline bool is_due(int64_t count)
{
    return count <= EARLY || count % EVERY == 0;
}

static void look_back(lgkt_plugin_seen *seen)
{
    seen->rhobar = seen->mean;
    seen->sigma = sqrt(seen->squares / (double)seen->count) / seen->unit;
}

// small numbers have a unit of their own, until a large one comes
LGKT_COLD static void choose_unit(lgkt_plugin_seen *seen, double away)
{
    if (seen->squares == 0 && fabs(away) < LGKT_SMALL_BELOW)
        seen->unit = LGKT_SMALL_UNIT;
    if (seen->unit == 1 || fabs(away) < LGKT_SMALL_ABOVE)
        return;
    seen->unit = 1;
    // one by one: the square of the unit is no number
    seen->squares /= LGKT_SMALL_UNIT;
    seen->squares /= LGKT_SMALL_UNIT;
}

// rhobar and sigma are not taken anew at every step: the next choice would have to wait for a root
static inline void see(lgkt_plugin_seen *seen, double reward)
{
    seen->count++;
    const double away = reward - seen->mean;
    seen->mean += away / (double)seen->count;
    if ((fabs(away) < LGKT_SMALL_BELOW) != (seen->unit > 1))
        choose_unit(seen, away);
    seen->squares += (away * seen->unit) * ((reward - seen->mean) * seen->unit);
    if (is_due(seen->count))
        look_back(seen);
}

static void set_widths(lgkt_plugin *p, size_t z)
{
    const lgkt_width width = lgkt_width_at(p->widths, (int64_t)p->rows.rows[z].n);
    p->keys[z].part[LGKT_PLUGIN_W] = width.w;
    p->keys[z].part[LGKT_PLUGIN_B] = width.b;
}

// k=auto: a deeper lookahead from now on
static void deepen(lgkt_learner *learner)
{
    lgkt_plugin *p = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    p->k++;
    for (size_t z = 0; z < pairs; z++)
        set_value(p, z, p->lanes);
}

static bool is_deep_enough(const lgkt_plugin *p)
{
    const int64_t doublings = p->k + 1 - LGKT_PLUGIN_FIRST_DEPTH;
    return p->k >= p->set.k_max || doublings > 62 || p->seen.count >> doublings < p->tried;
}

// `lanes` is p->lanes, and known when this is compiled where it is small
static inline lgkt_status learn(lgkt_learner *learner, double reward, int32_t next_state,
                                bool ended, size_t lanes)
{
    lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions, state = learner->state;
    const size_t z = (size_t)state * (size_t)actions + (size_t)learner->action;
    if (!lgkt_successors_add(learner, &p->rows, z, reward, next_state, ended))
        return lgkt_fail_memory(&learner->refusal, "a transition");
    see(&p->seen, reward);
    set_widths(p, z);
    const bool first = p->rows.rows[z].n == 1;
    p->states[state].visits++;
    p->states[state].tried += first;
    p->tried += first;

    if (!ended && p->states[next_state].tried == 0)
        assume_state(p, next_state);
    refresh_pair(p, z, lanes);
    if (is_due(p->states[state].visits))
        refresh_in_turn(p, state, actions, lanes);
    refresh_state(p, state, actions, lanes);
    while (p->deepens && !is_deep_enough(p))
        deepen(learner);
    return LGKT_OK;
}

lgkt_status lgkt_plugin_observe(lgkt_learner *learner, double reward, int32_t next_state,
                                bool ended)
{
    return learn(learner, reward, next_state, ended, ((lgkt_plugin *)learner->self)->lanes);
}

lgkt_status lgkt_plugin_observe_four(lgkt_learner *learner, double reward, int32_t next_state,
                                     bool ended)
{
    return learn(learner, reward, next_state, ended, LGKT_LANES);
}

void lgkt_plugin_recount(lgkt_learner *learner)
{
    lgkt_plugin *p = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    p->tried = p->seen.count = 0;
    for (size_t s = 0; s < (size_t)learner->problem.states; s++) {
        lgkt_plugin_state *at = &p->states[s];
        at->visits = at->tried = 0;
        for (size_t z = s * actions; z < (s + 1) * actions; z++) {
            if (p->rows.rows[z].n == 0)
                continue;
            set_widths(p, z);
            set_value(p, z, p->lanes);
            at->visits += (int64_t)p->rows.rows[z].n;
            at->tried++;
        }
        p->tried += at->tried;
        p->seen.count += at->visits;
    }
}
