// SPDX-License-Identifier: MIT
// forest: learning on records, vectors of numbers and categories that hardly ever recur, without bins
// and in one run. It is ours, not the paper's.
//
// A few trees share one log of steps. A value has a part for the state and a part for the action, and
// a linear part for the reward; old steps are replayed, so that all of it stays up to date; and what
// is tried is what may pay in the steps that are left, by the price rule of `auto`.
//
// == The log: i = 0 .. n-1
//
//   symbol     what it is                                              field
//   x_i        the record, d numbers                                   learner->records
//   a_i, r_i   action, and reward counted from the first one ever      steps[].action, .r
//   i + 1      the step that begins where this one led                 steps[].next; .before: back
//   y, W, U    target, state target, action target (below)             steps[].y, .w, .u
//   n          steps remembered: the oldest is forgotten first         log, first, n; set.memory
//   M          trees, all on the same log                              FOREST_TREES
//   rbar       mean reward                                             rbar
//   D, beta    steps that values look ahead; 1 - 1/D                   depth, beta
//   sigma2     variance of U within a cell                             sigma2
//   k          samples that the prior of a cell counts for             k
//   G, h       sums of o o' and o r per action; o = (1, columns)       linear.sums.g, .h
//   P, w, z    (G of z + I)^-1, P h of z; z = (1, standardised)        linear.now.p, .w; linear.z
//   g          1 if the linear part is used, else 0                    linear.on
//   e0, e1     errors of rewards without and with it, fading           linear.e0, .e1
//   L          steps left
//
// A leaf has n and sum W of its samples (nodes[].listed, .sum_w), a cell, which is a leaf and an
// action, n_a, sum U and a prior p (cells[].n, .sum_u, .prior).
//
// == What is learned (forest_value.c, forest_tree.c, forest_linear.c)
//
//   y_i    = r_i - rbar + beta ((1 - c) V(x_{i+1}) + c y_{i+1}),   V = max m of the actions allowed
//            c = .9 if a_{i+1} is greedy by m at x_{i+1} now, else 0. At a cut V(x_i) stands for
//            the rest. With k=K it is the sum of r - rbar over K steps; unknown ones count 0.
//   W_i    = y_i - g w_{a_i} z_i,   S(x) = mean over trees of (sum W)/n of the leaf
//   U_i    = W_i - S(x_i),          A_a(x) = mean over trees of (sum U + k p)/(n_a + k)
//   m_a(x) = g w_a z + S(x) + A_a(x)
//
// Each step is put into the trees with what was known before it. Then the FOREST_STRETCH steps that
// led to it, and as many that led to a step drawn from the log, get y, W and U anew, the last one
// first. |y| is at most 2 D times the range of rewards: a guard that no run needed.
//
// Meanwhile a round goes over the log, FOREST_ROUND steps with each step, and adds up anew what sums
// there are. When it is over these are fixed until the next one is: rbar,
// D = min(10 + 4 sqrt(n/(leaves of a tree + 1)), L + 1), P, w, g = (e1 < .9 e0, or n < 32), and
//
//   sigma2 = (sum U^2 - sum (sum U)^2/n_a)/(n - cells),   over the cells of the first tree
//   tau2   = sum (n_a (mean U)^2 - sigma2)/sum n_a,       over those with n_a > 1
//   k      = sigma2/tau2 within .5 .. min(100, n/4), the upper end if tau2 <= 0
//
// A leaf is tested at 16 samples, then at 1.25 times as many (forest_split.c); its children begin
// with p = (sum U + k p)/(n_a + k). Two leaves side by side with fewer than 16 samples become one.
//
// == What is done
//
//   b_a = sqrt(v_a) price(10 L/(n + 10)),   v_a = sigma2 (1/(n_a + k) + g z' P_a z)
//         n_a is the mean over trees, price the reservation price of `auto`
//   act   the highest m + b; the action before is kept if it is within .07 times the larger of its
//         b and that of the best. So what is tried is tried for a while, which is what gets a car
//         up a hill.
//   with threshold=G, the rule of LGKT: of the actions whose m - sqrt(v), with K mean rewards,
//         reaches K G, the one where that is highest; all alike if there are none
//
// Cost of a step: about (40 M + d) (A + 1) + 16 M numbers; never more than 20 times the mean, since
// splits, matrices and sums that are added up anew are done in pieces. Memory: 180 bytes and 8 d per
// step remembered, 24 A + 72 per node, of which there are at most memory/2 (256 if that is more), and
// 32 A (d + 1)^2. It stays as it is once the log is full.
//
// What explain fills in:
//   visits        n_a
//   value         m, counted from 0: with D (or K) mean rewards
//   linear_part, state_part, action_part  g w_a z, S, A_a, whose sum is m
//   doubt, price  sqrt(v) and price: upper = value + doubt price; with a threshold there is no
//                 price, lower = value - doubt, and good says whether it reaches K G

#include "learners/forest/forest.h"

#include <math.h>

#include "learners/auto/auto.h"
#include "learners/front/best_action.h"

#define INERTIA 0.07
#define PRICED  10.0

// ---- the choice ----

// What a choice goes by, besides what is in f->m, bonus, count and index.
typedef struct forest_choice {
    double s, price;
    lgkt_best best;
} forest_choice;

// m into f->m, the bonus and the index of all actions
static void weigh(lgkt_learner *learner, int32_t state, forest_choice *choice)
{
    forest *f = learner->self;
    const int32_t actions = learner->problem.actions;
    int32_t leaf[FOREST_TREES];
    const double left = (double)lgkt_learner_steps_to_plan(learner);
    choice->s = lgkt_forest_look(learner, state, leaf);
    // the rule of LGKT has a width in place of a price
    choice->price = isnan(f->set.threshold)
                        ? lgkt_reservation_normal(PRICED * left / ((double)f->n + PRICED))
                        : 1;
    for (int32_t a = 0; a < actions; a++)
        f->count[a] = 0;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        const forest_cell *cells = forest_cells(f, learner, leaf[tree]);
        for (int32_t a = 0; a < actions; a++)
            f->count[a] += cells[a].n / FOREST_TREES;
    }
    for (int32_t a = 0; a < actions; a++) {
        const double linear = f->linear.on ? lgkt_forest_linear_doubt(learner, a) : 0;
        f->bonus[a] = sqrt(f->sigma2 * (1 / (f->count[a] + f->k) + linear)) * choice->price;
        f->index[a] = f->m[a] + f->bonus[a];
    }
}

// the action before, if it is nearly as good as the best; -1: it is not
static int32_t kept(const lgkt_learner *learner, const lgkt_best *best)
{
    const forest *f = learner->self;
    if (f->last < 0 || !lgkt_learner_allows(learner, f->last))
        return -1;
    const double slack = INERTIA * fmax(f->bonus[f->last], f->bonus[best->first]);
    return f->index[f->last] >= best->value - slack ? f->last : -1;
}

// The rule of LGKT: the index is the lower bound, or the same for all while none reaches the
// threshold.
static void bound_below(lgkt_learner *learner)
{
    forest *f = learner->self;
    const double steps = (double)f->set.k;
    bool reached = false;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        f->index[a] = f->m[a] - f->bonus[a] + steps * (f->rbar + f->r0);
        reached |= lgkt_learner_allows(learner, a) && f->index[a] >= steps * f->set.threshold;
    }
    for (int32_t a = 0; a < learner->problem.actions && !reached; a++)
        f->index[a] = 0;
}

// Weighs the actions of a record; the one that is played for sure, or -1: one of the best of `values`.
static int32_t decide(lgkt_learner *learner, int32_t state, lgkt_action_values *values,
                      forest_choice *choice)
{
    forest *f = learner->self;
    *values = (lgkt_action_values){f->index, 1, learner->problem.actions, 0};
    weigh(learner, state, choice);
    if (!isnan(f->set.threshold))
        bound_below(learner);
    choice->best = lgkt_best_among(values, learner->allowed);
    return isnan(f->set.threshold) ? kept(learner, &choice->best) : -1;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    forest *f = learner->self;
    lgkt_action_values values;
    forest_choice choice;
    int32_t action = decide(learner, state, &values, &choice);
    if (action < 0)
        action = lgkt_best_pick_among(&choice.best, &values, learner->allowed, &learner->rng);
    f->last = action;
    return action;
}

// ---- what came of it ----

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    forest *f = learner->self;
    if (ended)
        f->last = -1;
    return lgkt_forest_learn(learner, reward, next_state, ended);
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const forest *f = learner->self;
    lgkt_action_values values;
    forest_choice choice;
    const int32_t actions = learner->problem.actions;
    const int32_t action = decide(learner, state, &values, &choice);
    // values are those of as many mean rewards as they look ahead
    const double steps = f->set.k > 0 ? (double)f->set.k : f->depth;
    const double before = steps * (f->rbar + f->r0);
    for (int32_t a = 0; a < actions; a++) {
        lgkt_reason *reason = &reasons[a];
        const double bonus = f->bonus[a];
        reason->visits = f->count[a];
        reason->value = before + f->m[a];
        reason->linear_part = f->linear.value[a];
        reason->state_part = choice.s;
        reason->action_part = f->m[a] - choice.s - reason->linear_part;
        reason->doubt = bonus / choice.price;
        reason->price = choice.price;
        if (isnan(f->set.threshold)) {
            reason->upper = before + f->m[a] + bonus;
            continue;
        }
        reason->lower = before + f->m[a] - bonus;
        reason->good = reason->lower >= steps * f->set.threshold;
    }
    if (action >= 0)
        lgkt_law_of_action(action, actions, reasons);
    else
        lgkt_law_of_best(&values, learner->allowed, reasons);
    return true;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    forest *f = learner->self;
    forest_settings *set = settings;
    LGKT_TRY(lgkt_reward_bounds_fill(learner, &set->range, error));
    if (set->threshold == set->threshold && set->k == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "forest: threshold needs k, the steps whose rewards are to reach it");
    f->set = *set;
    f->trees = FOREST_TREES;
    f->sigma2 = 1;
    f->k = FOREST_LEAST_PRIOR;
    f->depth = 10;
    f->beta = 0.9;
    f->last = -1;
    f->holds = true;
    learner->must_prepare = true;
    learner->memory = set->memory;
    LGKT_TRY(lgkt_forest_linear_create(learner, error));
    // fewer samples where each has many features: a test is to take no longer
    const int32_t dims = learner->records->dims;
    const int32_t fewer = 8 * FOREST_TESTED / dims, few = FOREST_TESTED / 8;
    f->most_tested = dims <= 8 ? FOREST_TESTED : fewer > few ? fewer : few;
    f->column_room = f->most_tested * f->linear.rows;
    return LGKT_OK;
}

static bool prepare(lgkt_learner *learner)
{
    forest *f = learner->self;
    // a tree has twice as many nodes as leaves, less one
    const int64_t needed =
        f->n == f->set.memory ? 2 * forest_most_leaves(f) : f->node_count + 2 * FOREST_TREES;
    const int64_t room = f->n < f->set.memory ? 2 * f->node_capacity : 0;
    return needed <= f->node_capacity ||
           lgkt_forest_reserve_nodes(learner, needed > room ? needed : room);
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    (void)after;
    if (before > 0)
        return LGKT_OK;
    if (!lgkt_forest_reserve_nodes(learner, 8 * FOREST_TREES))
        return lgkt_fail_memory(error, "a forest");
    forest *f = learner->self;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++)
        f->nodes[tree] = (forest_node){.parent = -1, .due = FOREST_TEST};
    f->node_count = f->leaves = FOREST_TREES;
    lgkt_forest_linear_refresh(learner);
    return LGKT_OK;
}

#define SUMS(sums_)                                                                                \
    {LGKT_ARRAY(forest, linear.sums_.center, ONE, REAL), LGKT_TIMES(forest, linear.rows)},         \
        {LGKT_ARRAY(forest, linear.sums_.unit, ONE, REAL), LGKT_TIMES(forest, linear.rows)},       \
        {LGKT_ARRAY(forest, linear.sums_.g, PER_ACTION, SQUARE), LGKT_TIMES(forest, linear.size)}, \
    {                                                                                              \
        LGKT_ARRAY(forest, linear.sums_.h, PER_ACTION, SQUARE), LGKT_TIMES(forest, linear.rows)    \
    }
#define FIT(fit_)                                                                                  \
    {LGKT_ARRAY(forest, linear.fit_.mean, ONE, REAL), LGKT_TIMES(forest, linear.rows)},            \
        {LGKT_ARRAY(forest, linear.fit_.scale, ONE, REAL), LGKT_TIMES(forest, linear.rows)},       \
        {LGKT_ARRAY(forest, linear.fit_.p, PER_ACTION, REAL), LGKT_TIMES(forest, linear.size)},    \
    {                                                                                              \
        LGKT_ARRAY(forest, linear.fit_.w, PER_ACTION, REAL), LGKT_TIMES(forest, linear.rows)       \
    }

static const lgkt_field fields[] = {
    {LGKT_ARRAY(forest, log, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(forest, steps, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(forest, spots, PER_STATE, SCRATCH), LGKT_TIMES(forest, trees)},
    {LGKT_ARRAY(forest, nodes, MADE_ELSEWHERE, SCRATCH)},
    {LGKT_ARRAY(forest, cells, MADE_ELSEWHERE, SCRATCH)},
    {LGKT_ARRAY(forest, linear.feature, MADE_ELSEWHERE, SCRATCH)},
    {LGKT_ARRAY(forest, linear.category, MADE_ELSEWHERE, SCRATCH)},
    SUMS(sums),
    SUMS(fresh),
    FIT(now),
    FIT(next),
    {LGKT_ARRAY(forest, linear.value, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(forest, linear.o, ONE, SCRATCH), LGKT_TIMES(forest, linear.rows)},
    {LGKT_ARRAY(forest, linear.z, ONE, SCRATCH), LGKT_TIMES(forest, linear.rows)},
    {LGKT_ARRAY(forest, samples, ONE, SCRATCH), LGKT_TIMES(forest, most_tested)},
    {LGKT_ARRAY(forest, left, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(forest, all, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(forest, columns, ONE, SCRATCH), LGKT_TIMES(forest, column_room)},
    {LGKT_ARRAY(forest, next_left, ONE, SCRATCH), LGKT_TIMES(forest, linear.rows)},
    {LGKT_ARRAY(forest, next_all, ONE, SCRATCH), LGKT_TIMES(forest, linear.rows)},
    {LGKT_ARRAY(forest, next_squares, ONE, SCRATCH), LGKT_TIMES(forest, linear.rows)},
    {LGKT_ARRAY(forest, m, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(forest, bonus, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(forest, index, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(forest, count, PER_ACTION, SCRATCH)},
    {LGKT_NUMBER(forest, taught, COUNT)},
    {LGKT_NUMBER(forest, rbar, REAL)},
    {LGKT_NUMBER(forest, depth, REAL)},
    {LGKT_NUMBER(forest, sigma2, SQUARE)},
    {LGKT_NUMBER(forest, k, REAL)},
    {LGKT_NUMBER(forest, r0, REAL)},
    {LGKT_NUMBER(forest, sum_r, REAL)},
    {LGKT_NUMBER(forest, low, REAL)},
    {LGKT_NUMBER(forest, high, REAL)},
    {LGKT_NUMBER(forest, round, FLAG)},
    {LGKT_NUMBER(forest, linear.e0, SQUARE)},
    {LGKT_NUMBER(forest, linear.e1, SQUARE)},
    {LGKT_NUMBER(forest, linear.on, FLAG)},
    {LGKT_NUMBER(forest, last, MAYBE_ACTION), LGKT_TRACKED},
};

static const lgkt_param_row params[] = {
    LGKT_ROW_INTEGER(forest_settings, k, "k", "0", 0, 100,
                     "steps whose rewards are measured; 0: values look ahead as far as data carry"),
    LGKT_ROW_REAL(forest_settings, threshold, "threshold", "@none", -1e15, 1e15,
                  "reward per step that is good enough, the rule of LGKT; needs k"),
    LGKT_ROW_INTEGER(forest_settings, memory, "memory", "32768", 32, 1 << 23,
                     "steps that are remembered; the oldest is forgotten first"),
    LGKT_ROW_REAL(forest_settings, range.min, "reward-min", "@from the problem, else unknown",
                  -1e15, 1e15, "lower bound of the mean rewards"),
    LGKT_ROW_REAL(forest_settings, range.max, "reward-max", "@from the problem, else unknown",
                  -1e15, 1e15, "upper bound of the mean rewards"),
};

static const lgkt_entry names[] = {LGKT_ENTRY_WITH(
    "forest", params, "on records of numbers and categories: needs neither states nor bins", "ours",
    "O(memory trees)", LGKT_TRAITS_RECORDS)};

const lgkt_learner_class lgkt_forest_class = {
    LGKT_SELF(forest, fields),
    LGKT_NAMES(names),
    .takes = LGKT_TAKES_RECORDS,
    .create = create,
    .destroy = lgkt_forest_release,
    .prepare = prepare,
    .grow = grow,
    .visit = lgkt_forest_visit,
    .loaded = lgkt_forest_hold,
    .act = act,
    .observe = observe,
    .feed = lgkt_forest_learn,
    .explain = explain,
    .describe = lgkt_forest_describe,
};
