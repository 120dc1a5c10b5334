// SPDX-License-Identifier: MIT
// UCB per state: a bandit for each state, with the state as context.
//
//   ucb1     mean(s,a) + R sqrt(2 ln N_s / n(s,a))                               (Auer et al. 2002)
//   anytime  mean(s,a) + sqrt(2 sigma^2 ln(1 + N_s ln^2 N_s) / n(s,a))
//            (Lattimore and Szepesvari, Bandit Algorithms, chapter 8; sigma-sub-Gaussian rewards)
//
//   n(s,a)  plays of the pair       mean(s,a)  mean reward of the pair
//   N_s     plays in the state; this is the clock, not the global time
//   R       range of the mean rewards, sigma  scale of the noise
//
// Actions that were never played go first; ties are drawn.
//
// What explain says: value = mean, upper = the bound above, infinite for what was never played.
//
// Cost: O(A) per choice, one logarithm.
// Memory: 16 S A + 8 S bytes.

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/elementary.h"
#include "learners/front/best_action.h"
#include "learners/model/rewards.h"

enum { BOUND_ANYTIME, BOUND_UCB1 };

typedef struct ucb_settings {
    int bound;
    lgkt_reward_range rewards;
} ucb_settings;

typedef struct arm {
    double mean;
    int64_t n;
} arm;

typedef struct ucb {
    ucb_settings set;
    arm *arms;       // (S, A)
    int64_t *plays;  // (S), N_s
    double *indices; // (A), of the choice at hand
} ucb;

// ---- steps ----

// the bounds of all actions, `stride` apart
static inline void write_indices(const lgkt_learner *learner, int32_t state, double *indices,
                                 size_t stride)
{
    const ucb *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const arm *arms = u->arms + (size_t)state * (size_t)actions;
    const lgkt_reward_range *rewards = &u->set.rewards;
    const double plays = (double)u->plays[state], log_plays = plays > 0 ? lgkt_log(plays) : 0;
    const double range = rewards->max - rewards->min;
    // the square of the bonus times n(s,a)
    const double scale = u->set.bound == BOUND_UCB1 ? 2 * range * range * log_plays
                                                    : 2 * rewards->sd * rewards->sd *
                                                          lgkt_log1p(plays * log_plays * log_plays);
    for (int32_t a = 0; a < actions; a++)
        indices[(size_t)a * stride] =
            arms[a].n == 0 ? INFINITY : arms[a].mean + sqrt(scale / (double)arms[a].n);
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const ucb *u = learner->self;
    write_indices(learner, state, u->indices, 1);
    const lgkt_action_values indices = {
        .at = u->indices, .stride = 1, .count = learner->problem.actions};
    return lgkt_choose_best(&indices, learner->allowed, &learner->rng);
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const ucb *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_action_values indices = lgkt_reason_values(&reasons->upper, actions);
    write_indices(learner, state, &reasons->upper, indices.stride);
    for (int32_t a = 0; a < actions; a++) {
        const arm *z = &u->arms[(size_t)state * (size_t)actions + (size_t)a];
        reasons[a].visits = (double)z->n;
        reasons[a].mean_reward = reasons[a].value = z->n > 0 ? z->mean : NAN;
    }
    lgkt_law_of_best(&indices, learner->allowed, reasons);
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    (void)next_state, (void)ended;
    ucb *u = learner->self;
    const size_t row = (size_t)learner->state * (size_t)learner->problem.actions;
    arm *played = &u->arms[row + (size_t)learner->action];
    u->plays[learner->state]++;
    played->n++;
    played->mean += (reward - played->mean) / (double)played->n;
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    ucb *u = learner->self;
    ucb_settings *set = settings;
    const lgkt_status status = lgkt_reward_range_fill(learner, &set->rewards, error);
    u->set = *set;
    return status;
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_CHOICE(
        ucb_settings, bound, "bound", "anytime", "anytime|ucb1",
        "for noise of scale reward-sd, or for rewards within reward-min and reward-max"),
    LGKT_REWARD_ROWS(ucb_settings, rewards),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY("ucb", params, "a bandit for each state: looks at the next reward only",
               "Auer et al. 2002; Lattimore and Szepesvari 2020", "O(S A)")};

static const lgkt_field fields[] = {
    {LGKT_COLUMN(ucb, arms, PER_PAIR, arm, mean, REAL)},
    {LGKT_COLUMN(ucb, arms, PER_PAIR, arm, n, COUNT)},
    {LGKT_ARRAY(ucb, plays, PER_STATE, COUNT)},
    {LGKT_ARRAY(ucb, indices, PER_ACTION, SCRATCH)},
};

const lgkt_learner_class lgkt_ucb_class = {
    LGKT_SELF(ucb, fields), LGKT_NAMES(names),  .create = create, .act = act,
    .observe = observe,     .explain = explain,
};
