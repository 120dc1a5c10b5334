// SPDX-License-Identifier: MIT
// UCBVI: value iteration on the empirical model with exploration bonuses (Azar, Osband and Munos
// 2017), on a trajectory cut into pieces of H steps.
//
//   n(z)       visits of a pair z = (s,a)          phat(y|z)  observed transitions
//   rhat(z)    mean reward                         N'_h(y)    visits of y at step h of a piece
//   L = ln(5 S A T / delta)
//
// At the start of each piece, for h = H .. 1 with V_{H+1} = 0 and every pair:
//   n = 0:  Q_h = H
//   else    Q_h = min(Q_h of the planning before, H, rhat + phat V_{h+1} + b),  V_h = max_a Q_h
//   ch      b = 7 H L / sqrt(n)
//   bf      b = sqrt(8 L Var_phat(V_{h+1}) / n) + 14 H L / (3 n)
//               + sqrt((8/n) sum_y phat(y) min(10^4 H^3 S^2 A L^2 / N'_{h+1}(y), H^2))
//           (at h = H, where V_{H+1} is exactly 0, the middle term only)
//   reward-bonus=1 adds sqrt(L / (2n)): the paper knows the rewards, we do not.
// All of b is multiplied by `bonus`. At step h of a piece argmax_a Q_h(s,a) is played, ties drawn.
//
// Rewards are mapped to x = (r - reward-min) / max(reward-max - reward-min, 2 reward-sd), so that
// means are in [0, 1] and the noise is at most that of a variable in [0, 1].
//
// What to know about the constants: 14 H L/(3n) alone exceeds H until n > 4.7 L, so with bonus=1
// the learner plays at random for most of 20000 steps.
//
// Explained: upper = Q_h of the step of the piece, value = rhat + phat V_{h+1} without bonus, both
// as sums of rewards up to the end of the piece; a pair that was not tried has no value, nor has
// one that led nowhere, but at the end. A new piece begins with a plan, made on a copy.
//
// Masks: V_h is over the pairs that can be played. A change of these calls for a plan at once, and
// what plans before it have found is forgotten: more possible pairs may make all others better.
//
// Cost: a planning is O(H (S A + edges seen)), once per piece. Memory: O(H S A + min(T, S^2 A)).

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/elementary.h"
#include "learners/front/best_action.h"
#include "learners/model/rewards.h"
#include "learners/model/successors.h"

enum { BOUND_BF, BOUND_CH };

typedef struct ucbvi_settings {
    int64_t h;
    int bound, reward_bonus;
    double bonus, delta;
    lgkt_reward_range rewards;
} ucbvi_settings;

typedef struct ucbvi {
    ucbvi_settings set;
    lgkt_reward_map map;
    double most; // H, what all values begin with
    lgkt_successors counts;
    double *q;       // (S, A, H)
    double *v;       // (S, H); a state that comes up within a piece begins with H
    int64_t *visits; // (S, H), N'_h
    int64_t step;    // of the piece, 0 .. H-1
    bool offers;     // other pairs can be played than at the last planning
    // of the planning at hand
    double log_l; // L
    double rare;  // 10^4 H^3 S^2 A L^2
} ucbvi;

// ---- planning ----

// the new Q_h of a pair; `column` is h - 1, so that V_{h+1} is in column + 1
static double back_up(const ucbvi *u, size_t z, size_t column)
{
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const size_t h = (size_t)u->set.h;
    const double before = u->q[z * h + column], n = pair->n, log_l = u->log_l, most = u->most;
    if (n == 0)
        return before;
    // mean and variance of V_{h+1} under phat, and the mean of min(rare/N', H^2)
    double mean = 0, variance = 0, doubt = most * most;
    const bool last = column == h - 1;
    if (!last && pair->moves > 0) {
        const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
        const double *v = u->v + column + 1;
        const int64_t *visits = u->visits + column + 1;
        for (int32_t e = pair->first; e >= 0; e = edges[e].other)
            mean += edges[e].count / pair->moves * v[(size_t)edges[e].next * h];
        doubt = 0;
        for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
            const size_t next = (size_t)edges[e].next;
            const double p = edges[e].count / pair->moves, gap = v[next * h] - mean;
            variance += p * gap * gap;
            doubt += p * fmin(u->rare / (double)visits[next * h], most * most);
        }
    } else if (!last) {
        mean = most; // every visit was cut: nothing is known of what follows
    }

    double b = 7 * most * log_l / sqrt(n);
    if (u->set.bound == BOUND_BF) {
        b = 14 * most * log_l / (3 * n);
        if (!last)
            b += sqrt(8 * log_l * variance / n) + sqrt(8 / n * doubt);
    }
    if (u->set.reward_bonus)
        b += sqrt(log_l / (2 * n));
    const double q = lgkt_reward_mapped(&u->map, pair->reward / n) + mean + u->set.bonus * b;
    return fmin(before, fmin(most, q));
}

static void make_plan(lgkt_learner *learner)
{
    ucbvi *u = learner->self;
    const double states = learner->problem.states, actions = learner->problem.actions;
    const double h = u->most;
    u->log_l = lgkt_log(5 * states * actions * (double)learner->problem.horizon / u->set.delta);
    u->rare = 1e4 * h * h * h * states * states * actions * u->log_l * u->log_l;
    const size_t width = (size_t)u->set.h, row = (size_t)learner->problem.actions;
    for (size_t i = 0; u->offers && i < (size_t)learner->problem.states * row * width; i++)
        u->q[i] = h;
    u->offers = false;
    for (size_t column = width; column-- > 0;)
        for (size_t s = 0; s < (size_t)learner->problem.states; s++) {
            double best = -INFINITY;
            for (size_t z = s * row; z < (s + 1) * row; z++) {
                const double q = back_up(u, z, column);
                u->q[z * width + column] = q;
                best = lgkt_learner_offers(learner, z) ? fmax(best, q) : best;
            }
            u->v[s * width + column] = best;
        }
}

// ---- steps ----

static bool needs_plan(const ucbvi *u)
{
    return u->step == 0 || u->offers;
}

// Q of a state at this step of the piece
static lgkt_action_values values_of(const lgkt_learner *learner, int32_t state)
{
    const ucbvi *u = learner->self;
    const size_t h = (size_t)u->set.h;
    const size_t row = (size_t)state * (size_t)learner->problem.actions * h;
    return (lgkt_action_values){.at = u->q + row + (size_t)u->step,
                                .stride = h,
                                .count = learner->problem.actions,
                                .slack = 1e-12 * (double)u->set.h};
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    if (needs_plan(learner->self))
        make_plan(learner);
    const lgkt_action_values values = values_of(learner, state);
    return lgkt_choose_best(&values, learner->allowed, &learner->rng);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    (void)state;
    ((ucbvi *)learner->self)->offers = true;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const ucbvi *u = learner->self;
    const int32_t actions = learner->problem.actions;
    if (needs_plan(u) && !learner->is_copy)
        return false;
    if (needs_plan(u))
        make_plan(learner);
    const lgkt_action_values values = values_of(learner, state);
    lgkt_law_of_best(&values, learner->allowed, reasons);
    lgkt_successors_explain(&u->counts, state, actions, 0, 1, reasons);
    const double steps_to_go = (double)(u->set.h - u->step), scale = u->map.scale, min = u->map.min;
    for (int32_t a = 0; a < actions; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        const double *v = u->v + u->step + 1;
        const double next =
            steps_to_go > 1 ? lgkt_successors_mean(&u->counts, z, v, (size_t)u->set.h) : 0;
        reasons[a].value = reasons[a].mean_reward + scale * next + min * (steps_to_go - 1);
        if (lgkt_learner_offers(learner, z))
            reasons[a].upper = scale * values.at[(size_t)a * values.stride] + min * steps_to_go;
    }
    return true;
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    ucbvi *u = learner->self;
    return lgkt_successors_add_edge(learner, &u->counts, lgkt_learner_pair(learner), reward,
                                    next_state, ended);
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    ucbvi *u = learner->self;
    u->visits[(size_t)learner->state * (size_t)u->set.h + (size_t)u->step]++;
    u->step = ended ? 0 : (u->step + 1) % u->set.h;
    return feed(learner, reward, next_state, ended);
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    ucbvi_settings *set = settings;
    LGKT_TRY(lgkt_reward_range_fill(learner, &set->rewards, error));
    ucbvi *u = learner->self;
    u->set = *set;
    u->most = (double)set->h;
    u->map = lgkt_reward_map_make(&set->rewards);
    return LGKT_OK;
}

static const lgkt_field fields[] = {
    {LGKT_PART(ucbvi, counts, &lgkt_successors_part)},
    {LGKT_ARRAY(ucbvi, q, PER_PAIR, REAL), LGKT_TIMES(ucbvi, set.h), LGKT_FROM(ucbvi, most)},
    // within a piece the values of its planning are still needed
    {LGKT_ARRAY(ucbvi, v, PER_STATE, REAL), LGKT_TIMES(ucbvi, set.h), LGKT_FROM(ucbvi, most)},
    {LGKT_ARRAY(ucbvi, visits, PER_STATE, COUNT), LGKT_TIMES(ucbvi, set.h)},
    {LGKT_NUMBER(ucbvi, step, PLACE), LGKT_BELOW(ucbvi, set.h), LGKT_TRACKED},
    {LGKT_NUMBER(ucbvi, offers, FLAG)},
};

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_INTEGER(ucbvi_settings, h, "h", "10", 1, 1000, "steps H of a piece"),
    LGKT_ROW_CHOICE(ucbvi_settings, bound, "bound", "bf", "bf|ch",
                    "bonus by Bernstein and Freedman, or by Chernoff and Hoeffding"),
    LGKT_ROW_REAL(ucbvi_settings, bonus, "bonus", "1", 0, 1e15, "multiplies all bonuses"),
    LGKT_ROW_CHOICE(ucbvi_settings, reward_bonus, "reward-bonus", "1", "0|1",
                    "whether a bonus for unknown rewards is added"),
    LGKT_ROW_REAL(ucbvi_settings, delta, "delta", "0.05", 1e-300, 1, "failure probability"),
    LGKT_REWARD_ROWS(ucbvi_settings, rewards),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY("ucbvi", params, "optimistic value iteration over pieces of H steps",
               "Azar, Osband and Munos 2017", "O(H S A + min(T, S^2 A))")};

const lgkt_learner_class lgkt_ucbvi_class = {
    LGKT_SELF(ucbvi, fields), LGKT_NAMES(names), .create = create,   .act = act,
    .observe = observe,       .offer = offer,    .explain = explain, .feed = feed,
};
