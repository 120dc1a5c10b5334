// SPDX-License-Identifier: MIT
// Q-learning with bonuses that fall with the visits: values begin as high as they can be, and the
// action with the highest is played.
//
//   optimistic-q   Wei, Jafarnia-Jahromi, Luo, Sharma and Jain, Model-free reinforcement learning
//                  in infinite-horizon average-reward Markov decision processes (2020), algorithm 1
//   q-learning     Jin, Allen-Zhu, Bubeck and Jordan, Is Q-learning provably efficient? (2018),
//                  algorithm 1, on a trajectory cut into pieces of H steps
//
//   H       horizon: effective, or the steps of a piece     n  visits of (s,a), this one included
//   Q(s,a)  optimistic-q: learned value, not capped; Qhat(s,a) is the least so far, and what is
//           played by; Vhat(s) = max_a Qhat(s,a)
//   Q_h     q-learning: value at step h = 1 .. H of a piece; V_h(s) = min(H, max_a Q_h(s,a)),
//           V_{H+1} = 0; n counts visits at step h
//
// All values begin at H times the highest mean reward, which also takes the place of H in V_h. A
// step (s, a, r, y) does, with alpha = (H+1) / (H+n),
//   optimistic-q   Q = (1 - alpha) Q + alpha (r + gamma Vhat(y) + b),   Qhat = min(Qhat, Q)
//   q-learning     Q_h = (1 - alpha) Q_h + alpha (r + V_{h+1}(y) + b)
// and the bonus b is c sqrt(H^3 ln(S A T / delta) / n) in q-learning, in optimistic-q one of
//   authors   c sqrt(H/n)                             the authors' experiments, c = 1
//   factor4   4 c sqrt(H/n)                           the code released with the LGKT paper
//   theory    4 c sp sqrt((H/n) ln(2T/delta))         the paper, c = 1; sp bounds the bias's span
// With authors and factor4, H = gamma/(1-gamma), as in both programs. With theory gamma = 1 - 1/H,
// and by default H = min(sqrt(sp T/(S A)), (T/(S A ln(4T/delta)))^(1/3)), at least 1.
//
// Where the run is cut, y is no consequence of the step. In optimistic-q what follows is then taken
// to be worth Vhat(s), the value of the state that was left: a step that stays where it is. (To
// take it for nothing would make the last states before a cut look H times worse than all others.)
// In q-learning the piece ends with what it has earned: the target is r + b, and the next step has
// h = 1. Otherwise a piece starts where the one before ended; nothing is reset.
//
// For H = 1 q-learning is a bandit per state, whose latest rewards count about twice as much as the
// mean. Then any step can be fed; for H > 1 a step that another learner chose has no place in a
// piece.
//
// S is the number of states, or their limit where they become known one by one; iota-states puts
// another number in its place (the code released with the LGKT paper has 100000). Rewards are
// mapped as in rewards.h; sp is in units of the rewards. The failure probability p of
// q-learning's paper is called delta, as elsewhere.
//
// What to expect with r = 0 and c = 1: Qhat leaves H at visit 13 (gamma = 0.9) or 197 (factor4),
// and 103 or 1633 for gamma = 0.99; before that all actions tie. For H = 1, Q leaves 1 after 30
// visits (S = 5, A = 2, T = 20000; 47 with iota-states=100000). For H = 10, Q_H leaves 10 after 185
// (294) visits and the others not within 10^6: the learner mostly evens out its counts.
//
// What explain says: value = upper = Qhat, or Q_h at the place of the piece at hand, in units of
// the mapped rewards; visits are those at that place.
//
// Cost: O(1) per step while one action is best and stays so, else O(A). Memory: 24 S A + 16 S
// bytes, or 16 H S A + 16 H S.

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/elementary.h"
#include "learners/front/best_action.h"
#include "learners/model/rewards.h"

enum { BONUS_AUTHORS, BONUS_FACTOR4, BONUS_THEORY };
enum { TIES_UNIFORM, TIES_FIRST };

typedef struct optimistic_settings {
    double c, delta;
    lgkt_reward_range rewards;
    double discount, span; // optimistic-q
    int bonus, ties;
    int64_t h, iota_states; // q-learning
} optimistic_settings;

typedef struct optimistic {
    lgkt_reward_map map;
    bool in_pieces, falls; // q-learning; optimistic-q
    int64_t pieces;        // rows of a state: H in pieces, else 1
    double h;              // H
    double gamma;          // of optimistic-q
    double bonus;          // b sqrt(n), or b sqrt(n/H)
    double start;          // of all values, and the cap of V_h
    double slack;          // of values that are equal
    bool first_wins;       // ties
    double *q;             // (S, pieces, A)
    double *least;         // (S, A), Qhat
    double *values;        // what is played by: q, or least
    int64_t *n;            // (S, pieces, A)
    lgkt_best *best;       // (S, pieces), of these values, among what is offered
    int64_t step;          // of the piece, 0 .. H-1
} optimistic;

// ---- steps ----

static size_t row_at_hand(const lgkt_learner *learner, int32_t state)
{
    const optimistic *u = learner->self;
    return (size_t)state * (size_t)u->pieces + (size_t)u->step;
}

static lgkt_action_values values_of(const lgkt_learner *learner, size_t row)
{
    const optimistic *u = learner->self;
    const int32_t actions = learner->problem.actions;
    return (lgkt_action_values){
        .at = u->values + row * (size_t)actions, .stride = 1, .count = actions, .slack = u->slack};
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const optimistic *u = learner->self;
    const size_t row = row_at_hand(learner, state);
    if (u->best[row].ties == 1 || u->first_wins)
        return u->best[row].first;
    const lgkt_action_values values = values_of(learner, row);
    return lgkt_best_pick_among(&u->best[row], &values, NULL, &learner->rng);
}

// apart: a look at the mask would make plain choices twice as long
static int32_t act_among(lgkt_learner *learner, int32_t state)
{
    const optimistic *u = learner->self;
    const lgkt_action_values values = values_of(learner, row_at_hand(learner, state));
    return u->first_wins ? lgkt_best_among(&values, learner->allowed).first
                         : lgkt_choose_best(&values, learner->allowed, &learner->rng);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    optimistic *u = learner->self;
    const size_t first = (size_t)state * (size_t)u->pieces;
    for (size_t row = first; row < first + (size_t)u->pieces; row++) {
        const lgkt_action_values values = values_of(learner, row);
        u->best[row] = lgkt_best_among(&values, lgkt_learner_offers_in(learner, state));
    }
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const optimistic *u = learner->self;
    const size_t row = row_at_hand(learner, state);
    const lgkt_action_values values = values_of(learner, row);
    for (int32_t a = 0; a < values.count; a++) {
        reasons[a].visits = (double)u->n[row * (size_t)values.count + (size_t)a];
        reasons[a].value = reasons[a].upper = values.at[a];
    }
    if (u->first_wins)
        lgkt_law_of_action(lgkt_best_among(&values, learner->allowed).first, values.count, reasons);
    else
        lgkt_law_of_best(&values, learner->allowed, reasons);
    return true;
}

// Q of a pair after one more visit, of which there are now n
static double learn(optimistic *u, size_t z, double n, double target)
{
    const double alpha = (u->h + 1) / (u->h + n);
    return u->q[z] = (1 - alpha) * u->q[z] + alpha * target;
}

// pair z of a row is now played by another value
static void change_value(lgkt_learner *learner, size_t row, size_t z, double before, double after)
{
    optimistic *u = learner->self;
    u->values[z] = after;
    const lgkt_action_values values = values_of(learner, row);
    if (learner->offered == NULL)
        lgkt_best_change(&u->best[row], &values, before, after);
    else
        u->best[row] = lgkt_best_among(&values, lgkt_learner_offers_in(learner, learner->state));
}

static lgkt_status observe_discounted(lgkt_learner *learner, double reward, int32_t next_state,
                                      bool ended)
{
    optimistic *u = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    const double n = (double)++u->n[z];
    const double follows = u->best[ended ? learner->state : next_state].value;
    const double target =
        lgkt_reward_mapped(&u->map, reward) + u->gamma * follows + u->bonus * sqrt(u->h / n);
    const double before = u->least[z], after = learn(u, z, n, target);
    if (after < before)
        change_value(learner, (size_t)learner->state, z, before, after);
    return LGKT_OK;
}

static lgkt_status observe_in_pieces(lgkt_learner *learner, double reward, int32_t next_state,
                                     bool ended)
{
    optimistic *u = learner->self;
    const size_t row = row_at_hand(learner, learner->state);
    const size_t z = row * (size_t)learner->problem.actions + (size_t)learner->action;
    const double n = (double)++u->n[z];
    const bool last = ended || u->step == u->pieces - 1;
    const double best = last ? 0 : u->best[row_at_hand(learner, next_state) + 1].value;
    const double follows = best < u->start ? best : u->start; // V_{h+1}(y)
    const double target = lgkt_reward_mapped(&u->map, reward) + follows + u->bonus / sqrt(n);
    const double before = u->q[z], after = learn(u, z, n, target);
    change_value(learner, row, z, before, after);
    u->step = last ? 0 : u->step + 1;
    return LGKT_OK;
}

// ---- life ----

static void begin_pieces(lgkt_learner *learner, const optimistic_settings *set)
{
    optimistic *u = learner->self;
    const double states = set->iota_states > 0 ? (double)set->iota_states : (double)learner->limit;
    const double iota = lgkt_log(states * (double)learner->problem.actions *
                                 (double)learner->problem.horizon / set->delta);
    u->pieces = set->h;
    u->h = (double)set->h;
    u->bonus = set->c * sqrt(u->h * u->h * u->h * iota);
    learner->observe = observe_in_pieces;
    learner->feed = set->h > 1 ? NULL : observe_in_pieces;
}

// the horizon H of optimistic-q's paper
static double theory_horizon(const lgkt_learner *learner, const optimistic_settings *set,
                             double span)
{
    const double steps = (double)learner->problem.horizon;
    const double pairs = (double)learner->limit * (double)learner->problem.actions;
    const double h = fmin(sqrt(span * steps / pairs),
                          lgkt_cbrt(steps / (pairs * lgkt_log(4 * steps / set->delta))));
    return fmax(1, h);
}

static void begin_discounted(lgkt_learner *learner, optimistic_settings *set)
{
    optimistic *u = learner->self;
    const bool theory = set->bonus == BONUS_THEORY;
    if (isnan(set->span))
        set->span = fmin(u->map.scale, 1e15); // as far as the parameter goes
    const double span = set->span / u->map.scale;
    if (isnan(set->discount))
        set->discount = theory ? 1 - 1 / theory_horizon(learner, set, span) : 0.99;
    u->pieces = 1;
    u->gamma = set->discount;
    u->h = (theory ? 1 : set->discount) / (1 - set->discount);
    u->bonus = set->bonus == BONUS_FACTOR4 ? 4 * set->c : set->c;
    if (theory)
        u->bonus =
            4 * set->c * span * sqrt(lgkt_log(2 * (double)learner->problem.horizon / set->delta));
    u->first_wins = set->ties == TIES_FIRST;
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    optimistic_settings *set = settings;
    LGKT_TRY(lgkt_reward_range_fill(learner, &set->rewards, error));
    optimistic *u = learner->self;
    u->map = lgkt_reward_map_make(&set->rewards);
    u->in_pieces = set->h > 0; // no such setting: 0
    u->falls = !u->in_pieces;
    if (u->in_pieces)
        begin_pieces(learner, set);
    else
        begin_discounted(learner, set);
    u->start = u->h * u->map.top;
    u->slack = 1e-12 * fmax(1, u->h);
    return LGKT_OK;
}

// no action was tried yet: all tie
static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    (void)error;
    optimistic *u = learner->self;
    u->values = u->falls ? u->least : u->q;
    for (int64_t row = before * u->pieces; row < after * u->pieces; row++)
        u->best[row] = (lgkt_best){.value = u->start, .ties = learner->problem.actions};
    return LGKT_OK;
}

static void loaded(lgkt_learner *learner)
{
    for (int32_t s = 0; s < learner->problem.states; s++)
        offer(learner, s);
}

static const lgkt_field fields[] = {
    {LGKT_ARRAY(optimistic, q, PER_PAIR, REAL), LGKT_TIMES(optimistic, pieces),
     LGKT_FROM(optimistic, start)},
    {LGKT_ARRAY(optimistic, least, PER_PAIR, REAL), LGKT_IF(optimistic, falls),
     LGKT_FROM(optimistic, start)},
    {LGKT_ARRAY(optimistic, n, PER_PAIR, COUNT), LGKT_TIMES(optimistic, pieces)},
    {LGKT_ARRAY(optimistic, best, PER_STATE, SCRATCH), LGKT_TIMES(optimistic, pieces)},
    {LGKT_NUMBER(optimistic, step, PLACE), LGKT_BELOW(optimistic, pieces),
     LGKT_IF(optimistic, in_pieces), LGKT_TRACKED},
};

// ---- the names ----

static const lgkt_param_row discounted_params[] = {
    LGKT_ROW_REAL(optimistic_settings, discount, "discount",
                  "@0.99; with bonus=theory from the horizon", 0, 1 - 1e-9,
                  "discount gamma; sets the effective horizon H"),
    LGKT_ROW_CHOICE(optimistic_settings, bonus, "bonus", "authors", "authors|factor4|theory",
                    "c sqrt(H/tau), 4 times that, or the paper's with span and delta"),
    LGKT_ROW_REAL(optimistic_settings, c, "c", "1", 0, 1e15, "multiplies the bonus"),
    LGKT_ROW_REAL(optimistic_settings, span, "span", "@the scale of the rewards", 0, 1e15,
                  "bound on the span of the optimal bias, for bonus=theory"),
    LGKT_ROW_REAL(optimistic_settings, delta, "delta", "0.05", 1e-300, 1,
                  "failure probability, for bonus=theory"),
    LGKT_ROW_CHOICE(optimistic_settings, ties, "ties", "uniform", "uniform|first",
                    "who wins among equal actions"),
    LGKT_REWARD_ROWS(optimistic_settings, rewards),
};

static const lgkt_param_row pieces_params[] = {
    LGKT_ROW_INTEGER(optimistic_settings, h, "h", "10", 1, 1000, "steps H of a piece"),
    LGKT_ROW_REAL(optimistic_settings, c, "c", "1", 0, 1e15, "multiplies the bonus"),
    LGKT_ROW_REAL(optimistic_settings, delta, "delta", "0.01", 1e-300, 1,
                  "failure probability, the paper's p"),
    LGKT_ROW_INTEGER(optimistic_settings, iota_states, "iota-states", "0", 0, 1e15,
                     "number of states in the logarithm of the bonus; 0: as many as there are"),
    LGKT_REWARD_ROWS(optimistic_settings, rewards),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY("optimistic-q", discounted_params, "Q-learning with bonuses for a discount near 1",
               "Wei et al. 2020, algorithm 1", "O(S A)"),
    LGKT_ENTRY_LACKING("q-learning", pieces_params,
                       "Q-learning with Hoeffding bonuses over pieces of H steps",
                       "Jin et al. 2018, algorithm 1", "O(H S A)", LGKT_TRAIT_FED),
};

const lgkt_learner_class lgkt_optimistic_q_class = {
    LGKT_SELF(optimistic, fields),
    LGKT_NAMES(names),
    .create = create,
    .act = act,
    .observe = observe_discounted,
    .feed = observe_discounted,
    .unfed = "with h > 1 a step counts by its place in a piece",
    .act_among = act_among,
    .offer = offer,
    .explain = explain,
    .grow = grow,
    .loaded = loaded,
};
