// SPDX-License-Identifier: MIT
// Q-learning with UCB-Hoeffding bonuses: algorithm 1 of Jin, Allen-Zhu, Bubeck and Jordan, Is
// Q-learning provably efficient? (2018), on a trajectory cut into pieces of H steps.
//
//   Q_h(s,a)   value at step h = 1 .. H of a piece      V_h(s)  min(H, max_a Q_h(s,a)), V_{H+1} = 0
//   k          visits of (s,a) at step h, this one included
//   iota = ln(S A T / delta)
//
// All values begin at H times the highest mean reward, which also takes the place of H as the cap.
// A step (s, a, r, y) at place h of a piece does
//   alpha = (H+1) / (H+k),   b = c sqrt(H^3 iota / k)
//   Q_h(s,a) = (1 - alpha) Q_h(s,a) + alpha (r + V_{h+1}(y) + b)
// and an action with the highest Q_h is played, ties drawn. A piece starts where the one before
// ended; nothing is reset. Where the run is cut, the piece ends with what it has earned: the target
// is r + b, and the next step has h = 1.
//
// For H = 1 this is a bandit per state, whose latest rewards count about twice as much as the mean.
// Then any step can be fed; for H > 1 a step that another learner chose has no place in a piece.
//
// S is the number of states, or their limit where they become known one by one; iota-states puts
// another number in its place (the code released with the LGKT paper has 100000). Rewards are
// mapped as in rewards.h. The paper's failure probability p is called delta, as elsewhere.
//
// What to expect with c = 1: for H = 1 and r = 0, Q leaves 1 after 30 visits (S = 5, A = 2, T =
// 20000; 47 with iota-states=100000). For H = 10, Q_H leaves 10 after 185 (294) visits and the
// others not within 10^6: the learner mostly evens out its counts.
//
// What explain says: value = upper = Q_h at the place of the piece at hand, in units of the mapped
// rewards; visits are those at that place.
//
// Cost: O(A) per step, O(1) where the best action does not change. Memory: 16 H S A + 16 H S bytes.

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/elementary.h"
#include "core/error.h"
#include "learners/front/best_action.h"
#include "learners/model/rewards.h"

typedef struct q_settings {
    int64_t h, iota_states;
    double c, delta;
    lgkt_reward_range rewards;
} q_settings;

typedef struct q_learner {
    lgkt_reward_map map;
    int64_t pieces;  // H
    double h;        // H
    double bonus;    // b sqrt(k)
    double cap;      // of V; all values begin there
    double *q;       // (S, H, A)
    int64_t *n;      // (S, H, A), k
    lgkt_best *best; // (S, H), of Q_h among what is offered
    int64_t step;    // of the piece, 0 .. H-1
} q_learner;

// ---- steps ----

static lgkt_action_values row_of(const lgkt_learner *learner, size_t row)
{
    const q_learner *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_action_values values = {
        .at = u->q + row * (size_t)actions, .stride = 1, .count = actions, .slack = 1e-12 * u->h};
    return values;
}

static size_t row_at_hand(const lgkt_learner *learner, int32_t state)
{
    const q_learner *u = learner->self;
    return (size_t)state * (size_t)u->pieces + (size_t)u->step;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const q_learner *u = learner->self;
    const size_t row = row_at_hand(learner, state);
    if (u->best[row].ties == 1)
        return u->best[row].first;
    const lgkt_action_values values = row_of(learner, row);
    return lgkt_best_pick_among(&u->best[row], &values, NULL, &learner->rng);
}

// apart: a look at the mask would make plain choices twice as long
static int32_t act_among(lgkt_learner *learner, int32_t state)
{
    const lgkt_action_values values = row_of(learner, row_at_hand(learner, state));
    return lgkt_choose_best(&values, learner->allowed, &learner->rng);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    q_learner *u = learner->self;
    const size_t first = (size_t)state * (size_t)u->pieces;
    for (size_t row = first; row < first + (size_t)u->pieces; row++) {
        const lgkt_action_values values = row_of(learner, row);
        u->best[row] = lgkt_best_among(&values, lgkt_learner_offers_in(learner, state));
    }
}

static bool explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    (void)copy;
    const q_learner *u = learner->self;
    const size_t row = row_at_hand(learner, state);
    const lgkt_action_values values = row_of(learner, row);
    for (int32_t a = 0; a < values.count; a++) {
        reasons[a].visits = (double)u->n[row * (size_t)values.count + (size_t)a];
        reasons[a].value = reasons[a].upper = values.at[a];
    }
    lgkt_law_of_best(&values, learner->allowed, reasons);
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    q_learner *u = learner->self;
    const size_t row = row_at_hand(learner, learner->state);
    const size_t z = row * (size_t)learner->problem.actions + (size_t)learner->action;
    const double k = (double)++u->n[z];
    const double alpha = (u->h + 1) / (u->h + k);
    const bool last = ended || u->step == u->pieces - 1;
    const size_t next = (size_t)next_state * (size_t)u->pieces + (size_t)u->step + 1;
    const double follows = last ? 0 : fmin(u->cap, u->best[next].value); // V_{h+1}(y)
    const double target = lgkt_reward_mapped(&u->map, reward) + follows + u->bonus / sqrt(k);
    const double before = u->q[z];
    u->q[z] = (1 - alpha) * before + alpha * target;
    const lgkt_action_values values = row_of(learner, row);
    if (learner->offered == NULL)
        lgkt_best_change(&u->best[row], &values, before, u->q[z]);
    else
        u->best[row] = lgkt_best_among(&values, lgkt_learner_offers_in(learner, learner->state));
    u->step = last ? 0 : u->step + 1;
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    q_settings *set = settings;
    LGKT_TRY(lgkt_reward_range_fill(learner, &set->rewards, error));
    q_learner *u = learner->self;
    const double states = set->iota_states > 0 ? (double)set->iota_states : (double)learner->limit;
    const double iota = lgkt_log(states * (double)learner->problem.actions *
                                 (double)learner->problem.horizon / set->delta);
    u->map = lgkt_reward_map_make(&set->rewards);
    u->pieces = set->h;
    u->h = (double)set->h;
    u->bonus = set->c * sqrt(u->h * u->h * u->h * iota);
    u->cap = u->h * u->map.top;
    if (set->h > 1)
        learner->feed = NULL;
    return LGKT_OK;
}

// no action was tried yet: all tie
static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    (void)error;
    const q_learner *u = learner->self;
    for (int64_t row = before * u->pieces; row < after * u->pieces; row++)
        u->best[row] = (lgkt_best){.value = u->cap, .ties = learner->problem.actions};
    return LGKT_OK;
}

static void loaded(lgkt_learner *learner)
{
    for (int32_t s = 0; s < learner->problem.states; s++)
        offer(learner, s);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_INTEGER(q_settings, h, "h", "10", 1, 1000, "steps H of a piece"),
    LGKT_ROW_REAL(q_settings, c, "c", "1", 0, 1e15, "multiplies the bonus"),
    LGKT_ROW_REAL(q_settings, delta, "delta", "0.01", 1e-300, 1,
                  "failure probability, the paper's p"),
    LGKT_ROW_INTEGER(q_settings, iota_states, "iota-states", "0", 0, 1e15,
                     "number of states in the logarithm of the bonus; 0: as many as there are"),
    LGKT_REWARD_ROWS(q_settings, rewards),
};

static const lgkt_entry entry = LGKT_ENTRY_LACKING(
    "q-learning", params, "Q-learning with Hoeffding bonuses over pieces of H steps",
    "Jin et al. 2018, algorithm 1", "O(H S A)", LGKT_TRAIT_FED);

static const lgkt_field fields[] = {
    {LGKT_ARRAY(q_learner, q, lgkt_per_pair, REAL), LGKT_TIMES(q_learner, pieces),
     LGKT_FROM(q_learner, cap)},
    {LGKT_ARRAY(q_learner, n, lgkt_per_pair, COUNT), LGKT_TIMES(q_learner, pieces)},
    {LGKT_ARRAY(q_learner, best, lgkt_per_state, SCRATCH), LGKT_TIMES(q_learner, pieces)},
    {LGKT_NUMBER(q_learner, step, PLACE), LGKT_BELOW(q_learner, pieces), LGKT_TRACKED},
};

static const lgkt_learner_class classes[] = {{
    LGKT_SELF(q_learner, fields),
    .entry = &entry,
    .create = create,
    .act = act,
    .observe = observe,
    .feed = observe,
    .act_among = act_among,
    .offer = offer,
    .explain = explain,
    .unfed = "with h > 1 a step counts by its place in a piece",
    .grow = grow,
    .loaded = loaded,
}};

const lgkt_learner_family lgkt_family_q_learning = {classes, 1};
