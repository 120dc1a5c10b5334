// SPDX-License-Identifier: MIT
// Plug-in lookahead: the K-step rewards of the observed model, and the threshold rule of LGKT
// (plugin_choice.c).
//
// Ours, not the paper's. LGKT learns what the K-1 steps after a pair are worth from estimation runs
// made for that purpose. Here every step counts: it tells where its pair leads, and the values of
// the states it leads to are known as far as they were visited.
//
//   n(s,a), m1(s,a)   visits and mean reward of a pair
//   phat(y|s,a)       observed transitions: moves to y / moves. A cut has no successor: it counts
//                     in n and m1, but is no move.
//   Q_1 = m1,  Q_{k+1}(s,a) = m1(s,a) + sum_y phat(y|s,a) V_k(y),  V_k(y) = max_b Q_k(y,b)
//                     over the actions b that were tried, and are possible there (masks)
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
// number, or the same number is added to all of them, up to rounding. Rewards that differ by less
// than 1e-150 or so have no spread: sigma is 0, since the squares are no numbers any more.
//
// Cost of a step: K times the successors of the pair played, (K + 1) A for V and the choice, and an
// eighth of `refresh` rows. Memory: K + 7 numbers per pair, K + 2 per state, 7 per block of four
// successors, and the shared tables. docs/plugin.md has derivations and what was measured.

#include "learners/plugin/plugin.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/number.h"
#include "plan/plan_private.h"

// so often everything is done at once; later some things are done every so often
#define EARLY 64
#define EVERY 8

#define MAX_DEPTH 1000
#define BIG       1e15

// ---- values ----

// V_1, V_2, .. of a state; -1 is where unused places lead
static inline double *values_of(const lgkt_plugin *p, int32_t state)
{
    return p->v + ((ptrdiff_t)state + 1) * (ptrdiff_t)p->lanes;
}

// Q_1, Q_2, .. of a pair
static inline double *row_of(const lgkt_plugin *p, size_t z)
{
    return p->q + z * (p->lanes + 1);
}

static inline void set_value(lgkt_plugin *p, size_t z)
{
    p->keys[z].part[LGKT_PLUGIN_VALUE] = row_of(p, z)[p->k - 1];
}

// Two depths at a time where the compiler has vectors, since SSE2 is part of every x86-64, else one
// by one. Each depth is added up on its own: results are the same bit for bit.
#if defined(__GNUC__)
typedef double some __attribute__((vector_size(2 * sizeof(double))));
#else
typedef double some;
#endif
enum { PARTS = LGKT_LANES * sizeof(double) / sizeof(some) };

static inline some load(const double *from, int part)
{
    some x;
    memcpy(&x, (const char *)from + (size_t)part * sizeof x, sizeof x);
    return x;
}

// Q of a pair that has moved, for four depths: its mean reward, and the mean of V over its
// successors; v is that of state 0
static inline void look_ahead(const lgkt_plugin *p, const lgkt_seen_row *row, double m1,
                              const double *v, size_t lanes, double *q)
{
    some sum[PARTS];
    memset(sum, 0, sizeof sum);
    const lgkt_block *blocks = lgkt_successors_blocks(&p->rows);
    for (int32_t b = row->first; b >= 0; b = blocks[b].other) {
        const double *count = blocks[b].count, *at[LGKT_BLOCK];
        for (int i = 0; i < LGKT_BLOCK; i++)
            at[i] = v + (ptrdiff_t)blocks[b].next[i] * (ptrdiff_t)lanes;
        for (int i = 0; i < PARTS; i++)
            sum[i] += (load(at[0], i) * count[0] + load(at[1], i) * count[1]) +
                      (load(at[2], i) * count[2] + load(at[3], i) * count[3]);
    }
    for (int i = 0; i < PARTS; i++)
        sum[i] = sum[i] * (1 / row->moves) + m1;
    memcpy(q, sum, sizeof sum);
}

// the same where every visit was cut
static void assume(const lgkt_plugin *p, size_t lane, double m1, double *q)
{
    for (size_t i = 0; i < LGKT_LANES; i++)
        q[i] = (double)(lane + i + 1) * p->seen.rhobar + m1;
}

// whether nothing that is possible in a state was tried
static bool is_blank(const lgkt_learner *learner, int32_t state)
{
    const lgkt_plugin *p = learner->self;
    if (learner->offered == NULL || p->states[state].tried == 0)
        return p->states[state].tried == 0;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    for (size_t z = row; z < row + actions; z++)
        if (p->rows.rows[z].n > 0 && lgkt_learner_offers(learner, z))
            return false;
    return true;
}

static void assume_values(lgkt_plugin *p, int32_t state)
{
    for (size_t lane = 0; lane < p->lanes; lane += LGKT_LANES)
        assume(p, lane, 0, values_of(p, state) + lane);
}

// V of a state, of which a possible action was tried; offered (S, A), NULL: all are
static void set_values(lgkt_learner *learner, int32_t state, const uint8_t *offered)
{
    lgkt_plugin *p = learner->self;
    const size_t lanes = p->lanes, actions = (size_t)learner->problem.actions;
    const size_t row = (size_t)state * actions;
    for (size_t lane = 0; lane < lanes; lane += LGKT_LANES) {
        const double *q = row_of(p, row) + lane;
        double best[LGKT_LANES];
        for (size_t i = 0; i < LGKT_LANES; i++)
            best[i] = offered == NULL || offered[row] != LGKT_OFFER_NEVER ? q[i] : -INFINITY;
        for (size_t a = 1; a < actions; a++) {
            q += lanes + 1;
            if (offered != NULL && offered[row + a] == LGKT_OFFER_NEVER)
                continue;
            for (size_t i = 0; i < LGKT_LANES; i++)
                best[i] = q[i] > best[i] ? q[i] : best[i];
        }
        for (size_t i = 0; i < LGKT_LANES; i++)
            values_of(p, state)[lane + i] = best[i];
    }
}

// other actions are possible than before
static void offer(lgkt_learner *learner, int32_t state)
{
    if (is_blank(learner, state))
        assume_values(learner->self, state);
    else
        set_values(learner, state, learner->offered);
}

// brings a tried pair up to date
static void refresh_pair(lgkt_plugin *p, size_t z)
{
    const size_t lanes = p->lanes;
    const lgkt_seen_row *row = &p->rows.rows[z];
    const double m1 = row->reward / row->n, *v = values_of(p, 0);
    double *q = row_of(p, z);
    q[0] = m1;
    for (size_t lane = 0; lane < lanes; lane += LGKT_LANES) {
        if (row->moves > 0)
            look_ahead(p, row, m1, v + lane, lanes, q + lane + 1);
        else
            assume(p, lane, m1, q + lane + 1);
    }
    set_value(p, z);
}

// ---- learning ----

static inline bool is_due(int64_t count)
{
    return count <= EARLY || count % EVERY == 0;
}

static void set_widths(lgkt_plugin *p, size_t z)
{
    const lgkt_width width = lgkt_width_at(p->widths, (int64_t)p->rows.rows[z].n);
    p->keys[z].part[LGKT_PLUGIN_W] = width.w;
    p->keys[z].part[LGKT_PLUGIN_B] = width.b;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_plugin *p = learner->self;
    const int32_t actions = learner->problem.actions, state = learner->state;
    const size_t row = (size_t)state * (size_t)actions, z = row + (size_t)learner->action;
    lgkt_plugin_state *at = &p->states[state];
    lgkt_plugin_seen *seen = &p->seen;
    LGKT_TRY(lgkt_successors_add(learner, &p->rows, z, reward, next_state, ended));

    seen->count++;
    const double away = reward - seen->mean;
    seen->mean += away / (double)seen->count;
    seen->squares += away * (reward - seen->mean);
    // not at every step: the next choice would have to wait for a root
    if (is_due(seen->count)) {
        seen->rhobar = seen->mean;
        seen->sigma = sqrt(seen->squares / (double)seen->count);
    }
    set_widths(p, z);
    at->visits++;
    if (p->rows.rows[z].n == 1) {
        at->tried++;
        p->tried++;
    }

    // nothing was tried there: k steps are worth k rhobar
    if (!ended && is_blank(learner, next_state))
        assume_values(p, next_state);
    refresh_pair(p, z);
    if (is_due(at->visits))
        for (int64_t i = 0; i < p->set.refresh; i++) {
            at->turn = at->turn + 1 < actions ? at->turn + 1 : 0;
            const size_t other = row + (size_t)at->turn;
            if (p->rows.rows[other].n > 0)
                refresh_pair(p, other);
        }
    if (learner->offered == NULL)
        set_values(learner, state, NULL);
    else
        offer(learner, state);

    // k=auto: a deeper lookahead from now on
    while (p->deepens && p->k < p->set.k_max) {
        const int64_t doublings = p->k + 1 - LGKT_PLUGIN_FIRST_DEPTH;
        if (doublings > 62 || seen->count >> doublings < p->tried)
            break;
        p->k++;
        for (size_t i = 0; i < (size_t)learner->problem.states * (size_t)actions; i++)
            set_value(p, i);
    }
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    lgkt_plugin_settings *set = settings;
    lgkt_plugin *p = learner->self;
    p->deepens = strcmp(set->k, "auto") == 0;
    p->k = set->k_max < LGKT_PLUGIN_FIRST_DEPTH ? set->k_max : LGKT_PLUGIN_FIRST_DEPTH;
    if (!p->deepens && (!lgkt_integer_parse(set->k, &p->k) || p->k < 1 || p->k > MAX_DEPTH))
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "plugin: k=%.40s must be auto or a whole number in [1, %d]", set->k,
                         MAX_DEPTH);
    const size_t lanes = (size_t)(p->deepens ? set->k_max - 1 : p->k - 1);
    p->lanes = (lanes + LGKT_LANES - 1) / LGKT_LANES * LGKT_LANES;
    p->depths = (int64_t)p->lanes + 1;
    p->v_depths = p->lanes > 0 ? (int64_t)p->lanes : 1;
    p->rows.in_blocks = true;
    p->untried = -INFINITY;

    if (strcmp(set->threshold, "aspire") == 0)
        p->threshold = LGKT_PLUGIN_ASPIRE;
    else if (strcmp(set->threshold, "none") == 0)
        p->threshold = LGKT_PLUGIN_NONE;
    else if (!lgkt_number_parse(set->threshold, &p->gamma) || fabs(p->gamma) > BIG)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "plugin: threshold=%.40s must be aspire, none or a number in [-%g, %g]",
                         set->threshold, BIG, BIG);
    if (!lgkt_threshold_is_constant(&learner->threshold))
        p->threshold = LGKT_PLUGIN_GIVEN;

    p->scale = NAN;
    if (strcmp(set->scale, "seen") != 0 &&
        (!lgkt_number_parse(set->scale, &p->scale) || !(p->scale >= 0 && p->scale <= BIG)))
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "plugin: scale=%.40s must be seen or a number in [0, %g]", set->scale,
                         BIG);

    if (set->refresh == LGKT_UNSET_INTEGER)
        set->refresh = (learner->problem.actions + 7) / 8;
    p->set = *set;
    if (p->set.refresh > learner->problem.actions)
        p->set.refresh = learner->problem.actions;
    // the texts belong to the caller
    p->set.k = p->set.threshold = p->set.scale = NULL;

    const lgkt_widths_form form = {.width = p->set.width,
                                   .index = (lgkt_index_form)p->set.index,
                                   .coin = LGKT_COIN_PRACTICAL,
                                   .p = 0.5,
                                   .eta = 0.5,
                                   .horizon = learner->problem.horizon};
    const lgkt_plugin *alike = learner->like;
    p->widths =
        lgkt_widths_create(&form, alike != NULL ? alike->widths : NULL, &learner->allocator);
    if (p->widths == NULL)
        return lgkt_fail_memory(error, "a plug-in learner");
    learner->shared = lgkt_widths_bytes(p->widths);
    return LGKT_OK;
}

static void destroy(lgkt_learner *learner)
{
    lgkt_widths_destroy(((lgkt_plugin *)learner->self)->widths);
}

// ---- saving ----

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_plugin, rows, &lgkt_successors_part)},
    {LGKT_COLUMN(lgkt_plugin, states, PER_STATE, lgkt_plugin_state, turn, ACTION)},
    {LGKT_COLUMN(lgkt_plugin, keys, PER_PAIR, lgkt_plugin_key, part[LGKT_PLUGIN_VALUE], SCRATCH),
     LGKT_FROM(lgkt_plugin, untried)},
    {LGKT_ARRAY(lgkt_plugin, q, PER_PAIR, SCRATCH), LGKT_TIMES(lgkt_plugin, depths),
     LGKT_FROM(lgkt_plugin, untried)},
    {LGKT_ARRAY(lgkt_plugin, v, PER_STATE, REAL), LGKT_AND(1), LGKT_TIMES(lgkt_plugin, v_depths)},
    {LGKT_NUMBER(lgkt_plugin, seen.mean, REAL)},
    {LGKT_NUMBER(lgkt_plugin, seen.squares, SQUARE)},
    {LGKT_NUMBER(lgkt_plugin, seen.rhobar, REAL)},
    {LGKT_NUMBER(lgkt_plugin, seen.sigma, REAL)},
    {LGKT_NUMBER(lgkt_plugin, firsts, TALLY)},
    {LGKT_NUMBER(lgkt_plugin, settled, TALLY)},
};

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_plugin *p = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    archive->bad |= !(p->seen.squares >= 0 && p->seen.sigma >= 0);
    // where unused places lead nothing is earned
    for (size_t i = 0; i < p->lanes; i++)
        archive->bad |= p->v[i] != 0;
    lgkt_visit_i64(archive, &p->k, 1, p->k, p->deepens ? p->set.k_max : p->k);
    // a pair that was never tried has no values
    for (size_t z = 0; z < pairs && !archive->bad; z++)
        if (p->rows.rows[z].n > 0)
            lgkt_visit_f64(archive, p->q + z * (p->lanes + 1), p->lanes + 1);
}

// what a saved state leaves out
static void loaded(lgkt_learner *learner)
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
            set_value(p, z);
            at->visits += (int64_t)p->rows.rows[z].n;
            at->tried++;
        }
        p->tried += at->tried;
        p->seen.count += at->visits;
    }
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_plugin *p = learner->self;
    const lgkt_counter all[] = {{"firsts", p->firsts}, {"settled", p->settled}, {"depth", p->k}};
    return lgkt_counters_write(all, sizeof all / sizeof *all, out, capacity);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_TEXT(
        lgkt_plugin_settings, k, "k", "auto",
        "depth of the lookahead K: a whole number in [1, 1000], or auto: it grows with the data"),
    LGKT_ROW_INTEGER(lgkt_plugin_settings, k_max, "k-max", "16", 1, MAX_DEPTH,
                     "greatest depth of k=auto"),
    LGKT_ROW_TEXT(
        lgkt_plugin_settings, threshold, "threshold", "aspire",
        "gamma, what the next K steps must be worth for an action to be good enough: a number in "
        "[-1e15, 1e15], aspire: K (rhobar + (aspiration - 1) sigma), or none: nothing is"),
    LGKT_ROW_REAL(
        lgkt_plugin_settings, aspiration, "aspiration", "1", -BIG, BIG,
        "c of threshold=aspire; 1 is the mean of all rewards seen, 2 one standard deviation more"),
    LGKT_ROW_CHOICE(
        lgkt_plugin_settings, untried, "untried", "horizon", "first|last|share|horizon",
        "when an action that was never tried is: before anything else, where none is good enough, "
        "until a share of the state's actions was, or while it pays in the steps that are left"),
    LGKT_ROW_REAL(lgkt_plugin_settings, share, "share", "0.5", 0, 1,
                  "of the actions of each state that untried=share tries, at least one"),
    LGKT_ROW_TEXT(
        lgkt_plugin_settings, scale, "scale", "seen",
        "unit of widths and bonuses: a number in [0, 1e15], or seen: the standard deviation of "
        "all rewards seen"),
    LGKT_ROW_REAL(lgkt_plugin_settings, width, "width", "1", 0, BIG,
                  "c in the confidence width sqrt(c ln(n+2)/(n+2))"),
    LGKT_ROW_CHOICE(lgkt_plugin_settings, index, "index", "released", "paper|practical|released",
                    "formula of the exploration bonus in the optimistic index"),
    LGKT_ROW_INTEGER(
        lgkt_plugin_settings, refresh, "refresh", "@an eighth of the actions, rounded up", 0,
        LGKT_MAX_ACTIONS,
        "how many actions of a state are brought up to date in turn besides the one played"),
};

static const lgkt_entry names[] = {LGKT_ENTRY(
    "plugin", params, "lookahead of K steps on the observed model, taken once good enough",
    "ours, after LGKT", "O(K S A + min(T, S^2 A) + T)")};

const lgkt_learner_class lgkt_plugin_class = {
    LGKT_SELF(lgkt_plugin, fields),
    LGKT_NAMES(names),
    .create = create,
    .destroy = destroy,
    .act = lgkt_plugin_act,
    .act_among = lgkt_plugin_act_among,
    .offer = offer,
    .explain = lgkt_plugin_explain,
    .observe = observe,
    .visit = visit,
    .loaded = loaded,
    .counters = counters,
};
