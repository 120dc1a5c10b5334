// SPDX-License-Identifier: MIT
// Planners on the observed model that like what was seen seldom, for the discounted return.
//
//   mbie-eb   Q = rhat + beta B/sqrt(n) + g phat.V;  n = 0: high/(1-g)
//   beb       Q = rhat + beta B/(1 + n0 + n) + g (C + n0/S)/(moves + n0).V;  n = 0: rhat = low
//   r-max     Q = rhat + g phat.V if n >= m, else high/(1-g)
//   V(s) = max_a Q(s,a); the best action is played, ties drawn
//
//   n(s,a)     visits, rhat their mean reward     C(s,a)  transitions, moves of them
//   phat       = C/moves; a pair whose visits were all cut is followed by the best there is,
//              high/(1-g)
//   low, high  ends of the mean rewards, told or seen (rewards.h)
//   B          = max(high - low, 2 reward-sd): noise beyond the range calls for a larger bonus
//   g          `discount`; 0.95 in the papers, 0.99 here, where runs are long
//
// mbie-eb is Strehl and Littman 2008, beb Kolter and Ng 2009, r-max Brafman and Tennenholtz 2002;
// what their constants do is in docs/baselines.md. As printed, a tried action of mbie-eb with a
// large bonus can be worth more than an untried one; cap=1 cuts Q at high/(1-g). r-max plans when a
// pair becomes known and plays that plan until the next does. With freeze=0 known pairs learn on
// for the plans to come; with freeze=1, as printed, they keep their first m visits.
//
// The other two plan at every step, from the values of the last plan. With lazy=1 they do so only
// if the pair just played has fewer than 10 visits, or 10% more than when it last called for a
// plan. A plan ends when no value changes by `precision` (high - low); without pairs of fixed value
// when the bounds of value_iteration.c are as near.
//
// Explained: upper = Q, and value = rhat + g phat.V without bonus, both in rewards, discounted; a
// pair that was not tried or led nowhere has no value.
//
// Masks: V is over the pairs that can be played, a change of which calls for a plan.
//
// Cost: a sweep is O(S A + successors), a plan some 5 to 25 of them. Memory:
// O(S A + min(T, S^2 A)).

#include "learners/front/best_action.h"
#include "learners/model/rewards.h"
#include "learners/model/value_iteration.h"

#include <math.h>

// values that differ by less, as a part of the largest, are equal
#define TIE 1e-12
// of lazy: visits below which each one calls for a plan, and the growth that does after that
#define FEW    10
#define GROWTH 1.1

typedef enum bonus_rule { BONUS_MBIE, BONUS_BEB, BONUS_RMAX } bonus_rule;

typedef struct bonus_name {
    lgkt_entry entry;
    bonus_rule rule;
} bonus_name;

// Fields that a name has no parameter for are 0.
typedef struct bonus_settings {
    double discount, beta, n0, precision;
    int64_t m, sweeps;
    int cap, lazy, freeze;
    lgkt_reward_range rewards;
} bonus_settings;

typedef struct bonus_planner {
    bonus_settings set;
    bonus_rule rule;
    bool is_lazy, keeps_q;
    double noise; // 2 reward-sd in x, at least 0
    lgkt_reward_bounds bounds;
    lgkt_successors counts; // rewards in x of rewards.h
    lgkt_vi vi;             // u is the value of a state
    double *planned;        // (S, A) if lazy, visits at the plan that they called for last
    double *q;              // (S, A) of r-max, at the last plan
    bool due;               // so much was learned that a plan is
    int32_t known;          // states at the last plan
    double *values;         // (A), of the choice at hand
    int64_t plans;
} bonus_planner;

// ---- the model ----

// the most that a pair can be worth
static double best_value(const bonus_planner *u)
{
    return u->bounds.high / (1 - u->set.discount);
}

static bool is_known(const bonus_planner *u, size_t z)
{
    const double n = u->counts.rows[z].n;
    return u->rule == BONUS_BEB || (u->rule == BONUS_MBIE ? n > 0 : n >= (double)u->set.m);
}

// the row of a pair; its successors are in vi already
static void set_row(const lgkt_learner *learner, size_t z)
{
    bonus_planner *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    lgkt_vi_row *row = &u->vi.rows[z];
    const double n = pair->n, mean = n > 0 ? pair->reward / n : u->bounds.low;
    const double width = u->bounds.high - u->bounds.low;
    const double scale = width > u->noise ? width : u->noise;
    const bool known = is_known(u, z);
    double bonus = 0, pseudo = 0;
    if (u->rule == BONUS_BEB) {
        pseudo = u->set.n0;
        bonus = u->set.beta * scale / (1 + pseudo + n);
    } else if (u->rule == BONUS_MBIE && known) {
        bonus = u->set.beta * scale / sqrt(n);
    }
    const double moves = pair->moves + pseudo;
    row->base = pseudo > 0 ? pseudo / moves / learner->problem.states : 0;
    row->reward = known ? mean + bonus : best_value(u);
    // nothing is known of what follows
    if (known && moves == 0)
        row->reward += u->set.discount * best_value(u);
    if (!lgkt_learner_offers(learner, z))
        row->reward = -INFINITY;
    int32_t at = row->start;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        u->vi.weight[at++] = known ? edges[e].count / moves : 0;
}

static void refresh(const lgkt_learner *learner)
{
    bonus_planner *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    lgkt_vi_gather(&u->vi, &u->counts, learner->problem.states);
    for (size_t z = 0; z < pairs; z++)
        set_row(learner, z);
    u->vi.ceiling = best_value(u);
}

// whether some pair has a value that does not depend on others
static bool has_fixed(const lgkt_learner *learner)
{
    const bonus_planner *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    bool fixed = false;
    for (size_t z = 0; z < pairs && !fixed; z++)
        fixed =
            (!is_known(u, z) || u->counts.rows[z].moves == 0) && lgkt_learner_offers(learner, z);
    return fixed && u->rule != BONUS_BEB;
}

// ---- steps ----

static void plan(lgkt_learner *learner)
{
    bonus_planner *u = learner->self;
    const int32_t states = learner->problem.states, actions = learner->problem.actions;
    const double g = u->set.discount, width = u->bounds.high - u->bounds.low;
    // r-max has not kept its rows up to date
    if (u->vi.stale || u->vi.states != states || u->rule == BONUS_RMAX)
        refresh(learner);
    // values near to what they will be
    for (int32_t s = u->known; s < states; s++)
        u->vi.u[s] = best_value(u);
    u->known = states;
    u->vi.leaky = has_fixed(learner);
    double largest = fabs(best_value(u));
    for (int32_t s = 0; s < states; s++)
        largest = fmax(largest, fabs(u->vi.u[s]));
    // no finer than rounding
    const double precision = fmax(u->set.precision * width, 1e-14 * largest);
    lgkt_vi_discounted(&u->vi, g, g / (1 - g) * fmax(precision, 1e-300));
    u->plans++;
    u->due = false;
    for (size_t z = 0; u->q != NULL && z < (size_t)states * (size_t)actions; z++)
        u->q[z] = lgkt_learner_offers(learner, z) ? lgkt_vi_value(&u->vi, z, g) : 0;
}

static bool needs_plan(const lgkt_learner *learner)
{
    const bonus_planner *u = learner->self;
    return u->due || u->known != learner->problem.states;
}

// Q of a state, as the plan in force has it
static lgkt_action_values values_of(lgkt_learner *learner, int32_t state)
{
    const bonus_planner *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    if (u->q == NULL && u->vi.stale)
        refresh(learner);
    for (size_t a = 0; a < actions; a++)
        u->values[a] =
            u->q != NULL ? u->q[row + a] : lgkt_vi_value(&u->vi, row + a, u->set.discount);
    return (lgkt_action_values){.at = u->values,
                                .stride = 1,
                                .count = learner->problem.actions,
                                .slack = TIE * fabs(u->vi.u[state])};
}

// among all actions or those allowed
static int32_t act(lgkt_learner *learner, int32_t state)
{
    if (needs_plan(learner))
        plan(learner);
    const lgkt_action_values values = values_of(learner, state);
    return lgkt_choose_best(&values, learner->allowed, &learner->rng);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    (void)state;
    bonus_planner *u = learner->self;
    u->vi.stale = u->due = true;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    bonus_planner *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_reward_bounds *bounds = &u->bounds;
    if (needs_plan(learner) && !learner->is_copy)
        return false;
    if (needs_plan(learner))
        plan(learner);
    const lgkt_action_values values = values_of(learner, state);
    lgkt_law_of_best(&values, learner->allowed, reasons);
    lgkt_successors_explain(&u->counts, state, actions, bounds->base, bounds->unit, reasons);
    // the value of x = 0 for ever
    const double g = u->set.discount, nothing = bounds->base / (1 - g);
    for (int32_t a = 0; a < actions; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        const double next = lgkt_successors_mean(&u->counts, z, u->vi.u, 1);
        reasons[a].value = reasons[a].mean_reward + g * (nothing + bounds->unit * next);
        if (lgkt_learner_offers(learner, z))
            reasons[a].upper = nothing + bounds->unit * values.at[a];
    }
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    bonus_planner *u = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    const int32_t first = u->counts.rows[z].first;
    lgkt_reward_bounds bounds = u->bounds;
    bool moved;
    const double x = lgkt_reward_bounds_see(&bounds, reward, &moved);
    const bool frozen = u->set.freeze && is_known(u, z);
    if (!frozen)
        LGKT_TRY(lgkt_successors_add_edge(learner, &u->counts, z, x, next_state, ended));
    u->bounds = bounds;
    u->due |= moved;
    const double n = u->counts.rows[z].n;
    if (u->rule == BONUS_RMAX) {
        u->due |= !frozen && n == (double)u->set.m;
        return LGKT_OK;
    }
    const bool calls = u->planned == NULL || n < FEW || n >= GROWTH * u->planned[z];
    if (calls && u->planned != NULL)
        u->planned[z] = n;
    u->due |= calls;
    u->vi.stale |= moved;
    if (lgkt_vi_keeps_up(learner, &u->vi, z, first, next_state))
        set_row(learner, z);
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    bonus_settings *set = settings;
    LGKT_TRY(lgkt_reward_bounds_fill(learner, &set->rewards, error));
    bonus_planner *u = learner->self;
    u->set = *set;
    u->rule = ((const bonus_name *)learner->entry)->rule;
    u->is_lazy = set->lazy;
    u->keeps_q = u->rule == BONUS_RMAX;
    u->bounds = lgkt_reward_bounds_start(&set->rewards);
    // a range near 0 must not make it infinite
    const double noise = isnan(set->rewards.sd) ? 0 : 2 * set->rewards.sd / u->bounds.unit;
    u->noise = noise < LGKT_MAX_REWARD ? noise : LGKT_MAX_REWARD;
    u->vi.sweep_cap = set->sweeps;
    u->vi.capped = set->cap;
    u->vi.copies = 1;
    u->vi.follows = &u->counts;
    return LGKT_OK;
}

static const lgkt_field fields[] = {
    {LGKT_PART(bonus_planner, counts, &lgkt_successors_part)},
    {LGKT_PART(bonus_planner, bounds, &lgkt_reward_bounds_part)},
    {LGKT_PART(bonus_planner, vi, &lgkt_vi_part)},
    {LGKT_ARRAY(bonus_planner, planned, PER_PAIR, REAL), LGKT_IF(bonus_planner, is_lazy)},
    {LGKT_ARRAY(bonus_planner, q, PER_PAIR, REAL), LGKT_IF(bonus_planner, keeps_q)},
    {LGKT_ARRAY(bonus_planner, values, PER_ACTION, SCRATCH)},
    {LGKT_NUMBER(bonus_planner, due, FLAG)},
    {LGKT_NUMBER(bonus_planner, known, STATES_KNOWN)},
    {LGKT_NUMBER(bonus_planner, plans, TALLY)},
};

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const bonus_planner *u = learner->self;
    const lgkt_counter all[] = {
        {"plans", u->plans}, {"sweeps", u->vi.sweeps}, {"sweep_cap_hits", u->vi.cap_hits}};
    return lgkt_counters_write(all, sizeof all / sizeof *all, out, capacity);
}

// ---- the names ----

#define ROWS                                                                                       \
    LGKT_ROW_REAL(bonus_settings, discount, "discount", "0.99", 0.001, 0.9999,                     \
                  "g, what a reward counts one step later"),                                       \
        LGKT_ROW_REAL(bonus_settings, precision, "precision", "1e-4", 1e-12, 1,                    \
                      "change of values that ends a plan, in units of the reward range"),          \
        LGKT_ROW_INTEGER(bonus_settings, sweeps, "sweeps", "10000", 1, 1e15,                       \
                         "most sweeps of a plan; hits are counted"),                               \
        LGKT_REWARD_BOUND_ROWS(bonus_settings, rewards)
#define LAZY                                                                                       \
    LGKT_ROW_CHOICE(bonus_settings, lazy, "lazy", "0", "0|1",                                      \
                    "plan at every step, or after enough new visits of the pair just played")

static const lgkt_param_row mbie_params[] = {
    LGKT_ROW_REAL(bonus_settings, beta, "beta", "0.4", 0, 1e15,
                  "multiplies the bonus (reward range)/sqrt(visits)"),
    LGKT_ROW_CHOICE(bonus_settings, cap, "cap", "0", "0|1",
                    "whether no action is worth more than an untried one"),
    LAZY,
    ROWS,
};

static const lgkt_param_row beb_params[] = {
    LGKT_ROW_REAL(bonus_settings, beta, "beta", "2.5", 0, 1e15,
                  "multiplies the bonus (reward range)/(1 + n0 + visits)"),
    LGKT_ROW_REAL(bonus_settings, n0, "n0", "1", 1e-9, 1e15,
                  "pseudo-visits of each pair, which lead anywhere"),
    LAZY,
    ROWS,
};

static const lgkt_param_row rmax_params[] = {
    LGKT_ROW_INTEGER(bonus_settings, m, "m", "16", 1, 1e15, "visits that make a pair known"),
    LGKT_ROW_CHOICE(bonus_settings, freeze, "freeze", "0", "0|1",
                    "whether a known pair learns no more"),
    ROWS,
};

#define MEMORY "O(S A + min(T, S^2 A))"

static const bonus_name names[] = {
    {LGKT_ENTRY("mbie-eb", mbie_params, "plans with a bonus that falls as 1/sqrt(visits)",
                "Strehl and Littman 2008", MEMORY),
     BONUS_MBIE},
    {LGKT_ENTRY("beb", beb_params, "plans with a bonus that falls as 1/visits",
                "Kolter and Ng 2009", MEMORY),
     BONUS_BEB},
    {LGKT_ENTRY("r-max", rmax_params, "plans as if pairs with few visits paid the most",
                "Brafman and Tennenholtz 2002", MEMORY),
     BONUS_RMAX},
};

const lgkt_learner_class lgkt_bonus_class = {
    LGKT_SELF(bonus_planner, fields),
    LGKT_NAMES(names),
    .create = create,
    .act = act,
    .observe = observe,
    .offer = offer,
    .explain = explain,
    .counters = counters,
};
