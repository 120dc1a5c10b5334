// SPDX-License-Identifier: MIT
// auto: the learner to take when nothing is known. No reward scale, no threshold and no depth has
// to be chosen. It is ours, not the paper's.
//
// Idea: like LGKT, look ahead only as far as the data carry and stop trying once what is known is
// good enough. But plug the observed transitions in instead of sampling continuations, and let the
// spread of what was seen tell what an untried action may be worth.
//
//   n(s,a), phat(y|s,a)   visits and observed transitions of a pair
//   r(s,a)                mean reward, counted from the first reward ever seen
//   h(s)                  value of a state: what follows, discounted by beta
//   c(s,a) = sum_y phat(y|s,a) h(y)                continuation
//   D = min(depth + growth sqrt(all visits / (known states + 1)), steps left),  beta = 1 - 1/D
//
// Rewards and continuations are two numbers per pair, each with its own spread (spread.h). Shrunk
// to what is expected in the state they give a belief with mean, variance and noise:
//
//   m = m_r + beta m_c,   v = v_r + beta^2 v_c,   e = e_r + beta^2 e_c
//   N = visits L f(s) v / (v + e)                  L = steps that follow this one
//   f(s) = (visits of s + 3) / (all visits + 3 (known states + 1))
//   index(s,a) = m + sqrt(v) x(N)                  x: reservation price (reservation.h)
//
// An untried action has no sights, so all of a state share one index, with the price of a heavy
// tail. The action with the highest index is played; among equals the least tried, then a draw.
// v/(v + e) is there because one sight of a noisy pair tells little. `visits` is above 1 because a
// state that turns out good is visited more often than so far, and because what is learned in one
// state is used in all that lead there.
//
//   h(s) = plain + w_1 (tried - plain) + w_2 (top - tried)
//   plain = max m,  tried = max index of tried actions,  top = max index,
//   each at least the one before;  w_1 = min(1, 20/D),  w_2 = min(1, pull/D)
//   and no more than D (2 highest - lowest reward seen); 2 D if all were equal
//
// The last line is a guard. The spread of values makes the bonus and the bonus makes values: with a
// very long horizon both would grow without end. Twice the range leaves room for hopes of more than
// was seen, without which nobody would look for the goal of a maze.
//
// With w = 1 far places would be worth a journey as often as they are uncertain, and 100 states
// with 25 actions are never done with; with w_2 = 0 a place without noise is never left for a
// better one.
//
// While all rewards are equal there is no unit to measure in, so 1 is taken; the first reward that
// differs makes the learner forget all values. Actions then do not depend on scale and origin of
// the rewards, but for rounding. Very small rewards are counted in another unit (spread.h); a
// large one that comes after them makes the learner forget all values once more.
//
// Each step refreshes the state at hand. `refresh` others take their turn: at every fourth step,
// but at every step while there are fewer than 16 visits per known state, and again near the end,
// with fewer than 2 D steps left, when D and all values fall. A round over all known states settles
// the spreads. A step costs O(A + edges) of up to `refresh` + 1 states and takes no logarithm.
// Memory: 48 bytes per pair, 16 per transition, 21 per state, 56 per action.

#include "learners/learner_private.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "learners/reservation.h"
#include "learners/spread.h"
#include "learners/successors.h"

// pseudo-visits of each state in f(s), so that a first visit is not taken for the whole truth
#define SMOOTHING 3.0
// depth up to which a bonus counts in full for the states before
#define FULL_DEPTH 20.0
// indices that differ by less, in units of the spread, are equal
#define TIE 1e-9
// with so many visits per state values move slowly, and the others take their turn less often
#define EARLY 16
#define LATER 4

typedef struct auto_settings {
    double depth, growth, visits, limit, pull;
    int64_t refresh;
} auto_settings;

// the rewards of a pair, counted from the origin
typedef struct moments {
    double mean, squares;
} moments;

typedef struct auto_learner {
    auto_settings set;
    lgkt_successors counts;
    moments *rewards; // (S, A)
    double *h;        // (S)
    int64_t *visits;  // (S)
    int64_t total;    // of all visits, fed ones included

    // states that were visited, in that order, and a mark on each
    int32_t *known; // (S)
    bool *met;      // (S)
    int32_t states; // known ones
    int32_t turn;   // next to refresh

    lgkt_pair_spread reward, next;           // of mean rewards and continuations
    lgkt_spread_sums reward_sums, next_sums; // of the round at hand
    double depth, beta;                      // D and 1 - 1/D
    double origin;                           // first reward
    bool differs;                            // a second reward was seen
    double unit;                             // of all rewards and values here: 1, or for small ones
    double highest, lowest;                  // reward, counted from the origin

    // the row of the state refreshed last
    lgkt_sample *row_rewards; // (A)
    lgkt_sample *row_nexts;   // (A)
    double *index;            // (A)
} auto_learner;

// ---- values ----

// c(s,a) with its spread over successors
static lgkt_sample continuation(const auto_learner *u, const lgkt_seen_row *pair)
{
    if (pair->moves == 0)
        return (lgkt_sample){0, 0, 0};
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    const double moves = pair->moves;
    // deviations from one of the values: what is far from 0 but alike has no spread
    const double near = u->h[edges[pair->first].next];
    double sum = 0, squares = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        const double x = u->h[edges[e].next] - near;
        const double weighted = edges[e].count * x;
        sum += weighted;
        squares += weighted * x;
    }
    const double about = squares - sum * (sum / moves);
    return (lgkt_sample){near + sum / moves, about > 0 ? about : 0, moves};
}

// what a state is refreshed with
typedef struct outlook {
    double reward, next; // expected of an untried action
    double left;         // visits of the state still to come
} outlook;

// a pair as one number: mean, and what is added to it
typedef struct worth {
    double mean, bonus;
} worth;

static worth worth_of(const auto_learner *u, const outlook *look, int32_t a)
{
    const lgkt_sample *sample = &u->row_rewards[a];
    const lgkt_belief reward = lgkt_spread_believe(&u->reward, sample, look->reward, u->set.limit);
    const lgkt_belief next =
        lgkt_spread_believe(&u->next, &u->row_nexts[a], look->next, u->set.limit);
    const double beta = u->beta;
    const double variance = reward.variance + beta * beta * next.variance;
    const double noise = reward.noise + beta * beta * next.noise;
    const double n = variance > 0 ? look->left * (variance / (variance + noise)) : 0;
    const double price =
        sample->n > 0 ? lgkt_reservation_normal(n) : lgkt_reservation_exponential(n);
    return (worth){reward.mean + beta * next.mean, sqrt(variance) * price};
}

// sees the row of a state, fills `index`, and brings h(s) up to date
static void refresh(lgkt_learner *learner, int32_t state)
{
    auto_learner *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const size_t row = (size_t)state * (size_t)actions;
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_seen_row *pair = &u->counts.rows[row + (size_t)a];
        const moments *reward = &u->rewards[row + (size_t)a];
        u->row_rewards[a] = (lgkt_sample){reward->mean, reward->squares, pair->n};
        u->row_nexts[a] = continuation(u, pair);
    }
    const double share =
        ((double)u->visits[state] + SMOOTHING) / ((double)u->total + SMOOTHING * (u->states + 1));
    const double steps = (double)(lgkt_learner_steps_left(learner) - 1);
    const outlook look = {.reward = lgkt_spread_expect(&u->reward, u->row_rewards, actions),
                          .next = lgkt_spread_expect(&u->next, u->row_nexts, actions),
                          .left = u->set.visits * steps * share};

    double plain = -INFINITY, tried = -INFINITY, top = -INFINITY, untried = NAN;
    for (int32_t a = 0; a < actions; a++) {
        const bool seen = u->row_rewards[a].n > 0;
        if (!seen && !isnan(untried)) {
            u->index[a] = untried;
            continue;
        }
        const worth at = worth_of(u, &look, a);
        u->index[a] = at.mean + at.bonus;
        plain = at.mean > plain ? at.mean : plain;
        if (seen)
            tried = u->index[a] > tried ? u->index[a] : tried;
        else
            untried = top = u->index[a];
    }
    tried = tried > plain ? tried : plain;
    top = top > tried ? top : tried;
    const double full = FULL_DEPTH / u->depth, pull = u->set.pull / u->depth;
    const double h =
        plain + (full < 1 ? full : 1) * (tried - plain) + (pull < 1 ? pull : 1) * (top - tried);
    const double most = (u->differs ? 2 * u->highest - u->lowest : 2) * u->depth;
    u->h[state] = h < most ? h : most;
}

// ---- rounds ----

// some others take their turn, if it is time; the end of a round settles the spreads and D
static void refresh_some(lgkt_learner *learner)
{
    auto_learner *u = learner->self;
    const double left = (double)lgkt_learner_steps_left(learner);
    if (u->total % LATER != 0 && u->total >= EARLY * (int64_t)u->states && left >= 2 * u->depth)
        return;
    for (int64_t i = 0; i < u->set.refresh && u->turn < u->states; i++) {
        refresh(learner, u->known[u->turn++]);
        lgkt_spread_add(&u->reward_sums, u->row_rewards, learner->problem.actions);
        lgkt_spread_add(&u->next_sums, u->row_nexts, learner->problem.actions);
    }
    if (u->turn < u->states)
        return;
    u->turn = 0;
    u->reward = lgkt_spread_settle(&u->reward_sums);
    u->next = lgkt_spread_settle(&u->next_sums);
    if (u->reward.within + u->next.within == 0)
        u->reward.within = u->differs ? u->reward.noise : 1;
    const double grown =
        u->set.depth + u->set.growth * sqrt((double)u->total / (double)(u->states + 1));
    const double depth = grown < left ? grown : left;
    u->depth = depth > 1 ? depth : 1;
    u->beta = 1 - 1 / u->depth;
}

// the first difference sets the unit: what was measured without one is void
static void start_over(lgkt_learner *learner, double difference)
{
    auto_learner *u = learner->self;
    u->differs = true;
    u->turn = 0;
    memset(u->h, 0, (size_t)learner->problem.states * sizeof *u->h);
    u->reward_sums = u->next_sums = (lgkt_spread_sums){0};
    u->reward = (lgkt_pair_spread){.within = difference * difference};
    u->next = (lgkt_pair_spread){0};
}

// a large reward after small ones: what they were worth is nothing in its unit
LGKT_COLD static void leave_small_unit(lgkt_learner *learner, double difference)
{
    auto_learner *u = learner->self;
    const double factor = 1 / u->unit;
    for (size_t z = 0; z < (size_t)learner->problem.states * (size_t)learner->problem.actions;
         z++) {
        u->counts.rows[z].reward *= factor;
        u->rewards[z].mean *= factor;
        u->rewards[z].squares *= factor;
        u->rewards[z].squares *= factor; // the square of the factor is no number
    }
    u->highest *= factor;
    u->lowest *= factor;
    u->unit = 1;
    start_over(learner, difference);
}

// ---- steps ----

static void know(auto_learner *u, int32_t state)
{
    if (u->met[state])
        return;
    u->known[u->states++] = state;
    u->met[state] = true;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    auto_learner *u = learner->self;
    const int32_t actions = learner->problem.actions;
    refresh_some(learner);
    know(u, state);
    refresh(learner, state);

    // among equal indices the least tried, then one random number for one of those
    const double slack = TIE * sqrt(u->reward.within + u->next.within);
    double top = -INFINITY, least = INFINITY;
    for (int32_t a = 0; a < actions; a++)
        top = u->index[a] > top ? u->index[a] : top;
    int32_t ties = 0, best = 0;
    for (int32_t a = 0; a < actions; a++) {
        const double n = u->row_rewards[a].n;
        if (u->index[a] < top - slack || n > least)
            continue;
        ties = n < least ? 1 : ties + 1;
        least = n;
        best = a;
    }
    if (ties <= 1)
        return best;
    int32_t left = lgkt_rng_below(&learner->rng, ties);
    for (int32_t a = 0; a < actions; a++)
        if (u->index[a] >= top - slack && u->row_rewards[a].n == least && left-- == 0)
            return a;
    return best;
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    auto_learner *u = learner->self;
    const size_t z =
        (size_t)learner->state * (size_t)learner->problem.actions + (size_t)learner->action;
    const double origin = u->total == 0 ? reward : u->origin;
    const double away = reward - origin;
    if (!u->differs)
        u->unit = fabs(away) < LGKT_SMALL_BELOW ? LGKT_SMALL_UNIT : 1;
    else if (u->unit > 1 && fabs(away) >= LGKT_SMALL_ABOVE)
        leave_small_unit(learner, away);
    const double x = away * u->unit;
    if (!lgkt_successors_add_edge(learner, &u->counts, z, x, next_state, ended))
        return lgkt_fail_memory(&learner->refusal, "a transition");
    u->origin = origin;
    u->highest = x > u->highest ? x : u->highest;
    u->lowest = x < u->lowest ? x : u->lowest;
    know(u, learner->state);
    u->total++;
    u->visits[learner->state]++;
    moments *seen = &u->rewards[z];
    const double off = x - seen->mean;
    seen->mean += off / u->counts.rows[z].n;
    seen->squares += off * (x - seen->mean);
    if (x != 0 && !u->differs)
        start_over(learner, x);
    return LGKT_OK;
}

static bool prepare(lgkt_learner *learner)
{
    return lgkt_successors_prepare(learner, &((auto_learner *)learner->self)->counts);
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                          lgkt_error *error)
{
    (void)like;
    auto_learner *u = lgkt_learner_alloc(learner, 1, sizeof *u);
    if (u == NULL)
        goto out;
    learner->self = u;
    u->set = *(const auto_settings *)settings;
    u->reward.within = u->depth = u->unit = 1;
    const size_t actions = (size_t)learner->problem.actions;
    u->row_rewards = lgkt_learner_alloc(learner, actions, sizeof *u->row_rewards);
    u->row_nexts = lgkt_learner_alloc(learner, actions, sizeof *u->row_nexts);
    u->index = lgkt_learner_alloc(learner, actions, sizeof *u->index);
    if (u->row_rewards != NULL && u->row_nexts != NULL && u->index != NULL)
        return LGKT_OK;
out:
    return lgkt_fail_memory(error, "an auto");
}

static void destroy(lgkt_learner *learner)
{
    auto_learner *u = learner->self;
    void *const arrays[] = {u->rewards,     u->h,         u->visits, u->known, u->met,
                            u->row_rewards, u->row_nexts, u->index,  u};
    lgkt_successors_release(learner, &u->counts);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        lgkt_learner_free(learner, arrays[i]);
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    auto_learner *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    const size_t old = (size_t)before, more = (size_t)after;
    if (!lgkt_successors_grow(learner, &u->counts, LGKT_EDGE, before, after))
        goto out;
    LGKT_RESIZE(learner, u->rewards, old * actions, more * actions, out);
    LGKT_RESIZE(learner, u->h, old, more, out);
    LGKT_RESIZE(learner, u->visits, old, more, out);
    LGKT_RESIZE(learner, u->known, old, more, out);
    LGKT_RESIZE(learner, u->met, old, more, out);
    return LGKT_OK;
out:
    return lgkt_fail_memory(error, "an auto");
}

static bool is_count(double x)
{
    return x == 0 || x >= 1;
}

static void visit_spread(lgkt_archive *archive, lgkt_pair_spread *spread, lgkt_spread_sums *sums)
{
    lgkt_visit_f64(archive, &spread->mean, 1);
    lgkt_visit_squares(archive, &spread->within, LGKT_SPREAD_FIELDS - 1);
    lgkt_visit_f64(archive, &sums->origin, 3); // origin, pairs, sum
    lgkt_visit_squares(archive, &sums->squares, LGKT_SUMS_FIELDS - 3);
    // no variance is below 0, and a twentieth of the whole is within; each pair counts, is at most
    // as rare as one, and no sum is divided by a part of one
    archive->bad |= !(spread->within >= 0 && spread->between >= 0 && spread->noise >= 0 &&
                      spread->between <= 32 * spread->within && sums->noise_squares >= 0 &&
                      sums->squares >= 0 && sums->own_squares >= 0);
    archive->bad |= !(is_count(sums->pairs) && is_count(sums->own_degrees) &&
                      is_count(sums->noise_degrees) && sums->rarity >= 0 && sums->own_rarity >= 0 &&
                      sums->rarity <= sums->pairs && sums->own_rarity <= sums->pairs);
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    auto_learner *u = learner->self;
    const size_t states = (size_t)learner->problem.states;
    const size_t pairs = states * (size_t)learner->problem.actions;
    int32_t differs = !u->differs ? 0 : u->unit > 1 ? 2 : 1;
    lgkt_successors_visit(learner, &u->counts, archive);
    for (size_t z = 0; z < pairs; z++) {
        lgkt_visit_f64(archive, &u->rewards[z].mean, 1);
        lgkt_visit_squares(archive, &u->rewards[z].squares, 1);
        archive->bad |= u->rewards[z].squares < 0;
    }
    lgkt_visit_f64(archive, u->h, states);
    lgkt_visit_i64(archive, u->visits, states, 0, LGKT_MAX_COUNT);
    lgkt_visit_i64(archive, &u->total, 1, 0, LGKT_MAX_COUNT);
    lgkt_visit_i32(archive, &u->states, 1, 0, learner->problem.states);
    lgkt_visit_i32(archive, u->known, (size_t)u->states, 0, learner->problem.states - 1);
    lgkt_visit_i32(archive, &u->turn, 1, 0, u->states);
    visit_spread(archive, &u->reward, &u->reward_sums);
    visit_spread(archive, &u->next, &u->next_sums);
    lgkt_visit_f64(archive, &u->depth, 1);
    lgkt_visit_f64(archive, &u->origin, 1);
    lgkt_visit_f64(archive, &u->highest, 1);
    lgkt_visit_f64(archive, &u->lowest, 1);
    lgkt_visit_i32(archive, &differs, 1, 0, 2);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return;
    u->differs = differs > 0;
    u->unit = differs == 2 ? LGKT_SMALL_UNIT : 1;
    u->beta = 1 - 1 / u->depth;
    archive->bad = !(u->depth >= 1);
    // no state is known twice
    for (int32_t i = 0; i < u->states; i++) {
        archive->bad |= u->met[u->known[i]];
        u->met[u->known[i]] = true;
    }
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const auto_learner *u = learner->self;
    int64_t tried = 0;
    for (size_t z = 0; z < (size_t)learner->problem.states * (size_t)learner->problem.actions; z++)
        tried += u->counts.rows[z].n > 0;
    const lgkt_counter all[] = {{"tried_pairs", tried}, {"known_states", u->states}};
    return lgkt_counters_write(all, sizeof all / sizeof *all, out, capacity);
}

// ---- the name ----

static const lgkt_param params[] = {
    LGKT_ROW_REAL(auto_settings, depth, "depth", "10", 0, 1e6,
                  "mean depth of the lookahead at the start"),
    LGKT_ROW_REAL(auto_settings, growth, "growth", "1", 0, 1e6,
                  "the depth grows by this times the root of the visits per state"),
    LGKT_ROW_REAL(auto_settings, visits, "visits", "20", 0, 1e9,
                  "multiplies the visits that a state is expected to have still to come"),
    LGKT_ROW_REAL(auto_settings, limit, "limit", "0.5", 0, 1e9,
                  "most standard errors by which an estimate is moved to what is expected"),
    LGKT_ROW_REAL(auto_settings, pull, "pull", "2", 0, 1e6,
                  "how much untried actions attract from afar; divided by the depth"),
    LGKT_ROW_INTEGER(auto_settings, refresh, "refresh", "2", 1, 1000000,
                     "states whose value is refreshed in turn, besides the one at hand"),
};

static const lgkt_entry entry = {
    .name = "auto",
    .summary = "recommended: nothing to tune; explores as long as it pays in the steps left",
    .source = "ours",
    .memory = "O(S A + min(T, S^2 A))",
    .params = params,
    .param_count = sizeof params / sizeof *params,
};

static const lgkt_learner_class classes[] = {{
    .entry = &entry,
    .create = create,
    .destroy = destroy,
    .act = act,
    .observe = feed,
    .feed = feed,
    .prepare = prepare,
    .grow = grow,
    .visit = visit,
    .counters = counters,
    .tabular = true,
}};

const lgkt_learner_family lgkt_family_auto = {classes, 1};
