// SPDX-License-Identifier: MIT
// Optimistic Q-learning for average reward: algorithm 1 of Wei, Jafarnia-Jahromi, Luo, Sharma and
// Jain, Model-free reinforcement learning in infinite-horizon average-reward Markov decision
// processes (2020).
//
//   Q(s,a)     learned value, not capped            Qhat(s,a)  the least Q(s,a) so far
//   Vhat(s)    max_a Qhat(s,a)                      tau        visits of (s,a), this one included
//   H          effective horizon                    discount   gamma
//
// All values begin at H times the highest mean reward. A step (s, a, r, y) does
//   alpha = (H+1) / (H+tau)
//   Q(s,a)    = (1 - alpha) Q(s,a) + alpha (r + gamma Vhat(y) + b)
//   Qhat(s,a) = min(Qhat(s,a), Q(s,a))
// and an action with the highest Qhat is played. The bonus b is one of
//   authors   c sqrt(H/tau)                             the authors' experiments, c = 1
//   factor4   4 c sqrt(H/tau)                           the code released with the LGKT paper
//   theory    4 sp sqrt((H/tau) ln(2T/delta))           the paper; sp bounds the span of the bias
// With authors and factor4, H = gamma/(1-gamma), as in both programs. With theory gamma = 1 - 1/H,
// and by default H = min(sqrt(sp T/(S A)), (T/(S A ln(4T/delta)))^(1/3)), at least 1.
//
// Rewards are mapped as in rewards.h; the span is in units of the rewards.
//
// Where the run is cut, y is no consequence of the step. What follows is then taken to be worth
// Vhat(s), the value of the state that was left: a step that stays where it is. (To take it for
// nothing would make the last states before a cut look H times worse than all others.)
//
// What to expect: with r = 0 and Vhat(y) = H, Qhat leaves H at visit 13 (gamma = 0.9, c = 1) or 197
// (factor4), and 103 or 1633 for gamma = 0.99. Before that all actions tie.
//
// What explain says: value = upper = Qhat, in units of the mapped rewards.
//
// Cost: O(1) per step while one action is best and stays so, else O(A). Memory: 24 S A + 16 S
// bytes.

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/elementary.h"
#include "core/error.h"
#include "learners/front/best_action.h"
#include "learners/model/rewards.h"

enum { BONUS_AUTHORS, BONUS_FACTOR4, BONUS_THEORY };
enum { TIES_UNIFORM, TIES_FIRST };

typedef struct optimistic_settings {
    double discount, c, span, delta;
    int bonus, ties;
    lgkt_reward_range rewards;
} optimistic_settings;

typedef struct optimistic {
    lgkt_reward_map map;
    double h, gamma;
    double bonus;    // b sqrt(tau/H)
    double start;    // of all values
    bool first_wins; // ties
    double *q;       // (S, A)
    double *qhat;    // (S, A)
    int64_t *n;      // (S, A), tau
    lgkt_best *best; // (S), of Qhat among what is offered; its value is Vhat
} optimistic;

// ---- steps ----

static lgkt_action_values row_of(const lgkt_learner *learner, int32_t state)
{
    const optimistic *o = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_action_values row = {.at = o->qhat + (size_t)state * (size_t)actions,
                                    .stride = 1,
                                    .count = actions,
                                    .slack = 1e-12 * fmax(1, o->h)};
    return row;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const optimistic *o = learner->self;
    if (learner->allowed == NULL && (o->first_wins || o->best[state].ties == 1))
        return o->best[state].first;
    const lgkt_action_values row = row_of(learner, state);
    return o->first_wins ? lgkt_best_among(&row, learner->allowed).first
                         : lgkt_choose_best(&row, learner->allowed, &learner->rng);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    optimistic *o = learner->self;
    const lgkt_action_values row = row_of(learner, state);
    o->best[state] = lgkt_best_among(&row, lgkt_learner_offers_in(learner, state));
}

static bool explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    (void)copy;
    const optimistic *o = learner->self;
    const lgkt_action_values row = row_of(learner, state);
    for (int32_t a = 0; a < row.count; a++) {
        reasons[a].visits = (double)o->n[(size_t)state * (size_t)row.count + (size_t)a];
        reasons[a].value = reasons[a].upper = row.at[a];
    }
    if (o->first_wins)
        lgkt_law_of_action(lgkt_best_among(&row, learner->allowed).first, row.count, reasons);
    else
        lgkt_law_of_best(&row, learner->allowed, reasons);
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    optimistic *o = learner->self;
    const int32_t state = learner->state;
    const size_t z = (size_t)state * (size_t)learner->problem.actions + (size_t)learner->action;
    const double tau = (double)++o->n[z];
    const double alpha = (o->h + 1) / (o->h + tau);
    const double b = o->bonus * sqrt(o->h / tau);
    const double follows = o->best[ended ? state : next_state].value;
    const double target = lgkt_reward_mapped(&o->map, reward) + o->gamma * follows + b;
    o->q[z] = (1 - alpha) * o->q[z] + alpha * target;
    const double before = o->qhat[z];
    if (o->q[z] < before) {
        o->qhat[z] = o->q[z];
        const lgkt_action_values row = row_of(learner, state);
        if (learner->offered == NULL)
            lgkt_best_change(&o->best[state], &row, before, o->qhat[z]);
        else
            offer(learner, state);
    }
    return LGKT_OK;
}

// ---- life ----

// the paper's horizon H
static double theory_horizon(const lgkt_learner *learner, const optimistic_settings *set,
                             double span)
{
    const double steps = (double)learner->problem.horizon;
    const double pairs = (double)learner->limit * (double)learner->problem.actions;
    const double h = fmin(sqrt(span * steps / pairs),
                          lgkt_cbrt(steps / (pairs * lgkt_log(4 * steps / set->delta))));
    return fmax(1, h);
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    optimistic_settings *set = settings;
    LGKT_TRY(lgkt_reward_range_fill(learner, &set->rewards, error));
    optimistic *o = learner->self;
    o->map = lgkt_reward_map_make(&set->rewards);
    const bool theory = set->bonus == BONUS_THEORY;
    if (isnan(set->span))
        set->span = fmin(o->map.scale, 1e15); // as far as the parameter goes
    const double span = set->span / o->map.scale;
    if (isnan(set->discount))
        set->discount = theory ? 1 - 1 / theory_horizon(learner, set, span) : 0.99;
    o->gamma = set->discount;
    o->h = (theory ? 1 : set->discount) / (1 - set->discount);
    o->bonus = set->bonus == BONUS_FACTOR4 ? 4 * set->c : set->c;
    if (theory)
        o->bonus = 4 * span * sqrt(lgkt_log(2 * (double)learner->problem.horizon / set->delta));
    o->start = o->h * o->map.top;
    o->first_wins = set->ties == TIES_FIRST;
    return LGKT_OK;
}

// no action was tried yet: all tie
static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    (void)error;
    const optimistic *o = learner->self;
    for (int32_t s = before; s < after; s++)
        o->best[s] = (lgkt_best){.value = o->start, .ties = learner->problem.actions};
    return LGKT_OK;
}

static void loaded(lgkt_learner *learner)
{
    for (int32_t s = 0; s < learner->problem.states; s++)
        offer(learner, s);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_REAL(optimistic_settings, discount, "discount",
                  "@0.99; with bonus=theory from the horizon", 0, 1 - 1e-9,
                  "discount gamma; sets the effective horizon H"),
    LGKT_ROW_CHOICE(optimistic_settings, bonus, "bonus", "authors", "authors|factor4|theory",
                    "c sqrt(H/tau), 4 times that, or the paper's with span and delta"),
    LGKT_ROW_REAL(optimistic_settings, c, "c", "1", 0, 1e15,
                  "multiplies the bonus, unless it is theory"),
    LGKT_ROW_REAL(optimistic_settings, span, "span", "@the scale of the rewards", 0, 1e15,
                  "bound on the span of the optimal bias, for bonus=theory"),
    LGKT_ROW_REAL(optimistic_settings, delta, "delta", "0.05", 1e-300, 1,
                  "failure probability, for bonus=theory"),
    LGKT_ROW_CHOICE(optimistic_settings, ties, "ties", "uniform", "uniform|first",
                    "who wins among equal actions"),
    LGKT_REWARD_ROWS(optimistic_settings, rewards),
};

static const lgkt_entry entry =
    LGKT_ENTRY("optimistic-q", params, "Q-learning with bonuses for a discount near 1",
               "Wei et al. 2020, algorithm 1", "O(S A)");

static const lgkt_field fields[] = {
    {LGKT_ARRAY(optimistic, q, lgkt_per_pair, REAL), LGKT_FROM(optimistic, start)},
    {LGKT_ARRAY(optimistic, qhat, lgkt_per_pair, REAL), LGKT_FROM(optimistic, start)},
    {LGKT_ARRAY(optimistic, n, lgkt_per_pair, COUNT)},
    {LGKT_ARRAY(optimistic, best, lgkt_per_state, SCRATCH)},
};

static const lgkt_learner_class classes[] = {{
    LGKT_SELF(optimistic, fields),
    .entry = &entry,
    .create = create,
    .act = act,
    .observe = observe,
    .feed = observe,
    .act_among = act,
    .offer = offer,
    .explain = explain,
    .grow = grow,
    .loaded = loaded,
}};

const lgkt_learner_family lgkt_family_optimistic_q = {classes, 1};
