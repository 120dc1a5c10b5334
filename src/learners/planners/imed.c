// SPDX-License-Identifier: MIT
// IMED-RL: plays the action that the fewest visits speak against (Pesquerel and Maillard 2022).
//
//   n(s,a)     visits of a pair            moves(s,a)  those whose next state counts
//   rhat(s,a)  = (sum of rewards + mid)/(n + 1)             mid = middle of the mean rewards
//   row(s,a)   = (transitions + 1/S everywhere)/(moves + 1)
//   A_s        skeleton: actions with n(s,a) >= ln^2 max_b n(s,b); all, where none was tried
//   phi        bias of the best policy of this model on the skeletons, smallest entry 0
//   U          = highest reward there is + max phi
//
// In state s, once every action was tried (before that an untried one, drawn):
//   mu(a) = rhat + row.phi,  gam = max_a mu(a),  H(a) of imed_index.c with the law of r + phi(y):
//   r as seen, or mid, y by the row; the lowest H is played, ties drawn.
//
// The pseudo-observation of each pair (mid, and a row that leads anywhere) is that of the published
// code; it keeps the model in one piece. smooth=0 leaves it out of the row in mu and H, not in the
// plan. The highest reward is the told bound of the mean rewards, moved up by larger single rewards
// that were seen: where noise is added it is no bound but a guess, and so it is where nothing is
// told, and the highest reward seen is taken. Before a large reward was met, nothing then calls for
// it.
//
// What differs from the paper: rewards of a pair are at most 32 points (rewards.h), with more
// than 32 states so is phi of the pseudo-observation, in bins with their mean, and r + phi(y) has
// 32 if there would be more than 64. A plan is made where a choice needs it, so not while untried
// actions are played. ln U of the published indices has U in units of the range of mean rewards,
// counted from its lower end: in raw units it would depend on the currency.
//
// Explained: value = mu in rewards, if the action was tried; upper = -H, where all were, but for
// actions that cannot have the lowest. It is made with a plan, so always on a copy.
//
// Masks: skeletons are of actions that can be played; gam and H are of those allowed, once all of
// these were tried.
//
// A step changes one row of the model and the skeleton of one state; the plan starts from the last
// phi and mostly takes one or two sweeps. Roots are looked for only if a bound on K does not rule
// the action out. Cost of a step: O(S A + successors) a sweep, and for a root one walk over
// rewards x successors of its pair and some over its points. Memory: O(S A 32 + min(T, S^2 A)).

#include "learners/planners/imed.h"

#include <math.h>

#include "core/elementary.h"
#include "learners/front/best_action.h"

// of the planned gain, in units of the range of mean rewards
#define PRECISION 1e-3
#define FEW       LGKT_IMED_FEW

// ---- the model ----

static double middle_of(const lgkt_imed *u)
{
    return u->bounds.low + (u->bounds.high - u->bounds.low) / 2;
}

static double mean_reward(const lgkt_imed *u, size_t z)
{
    const lgkt_seen_row *pair = &u->counts.rows[z];
    return (pair->reward + middle_of(u)) / (pair->n + 1);
}

// the row of a pair, all but its reward; its successors are in vi already
static void set_row(const lgkt_learner *learner, size_t z)
{
    lgkt_imed *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    lgkt_vi_row *row = &u->vi.rows[z];
    row->base = 1 / (pair->moves + 1) / learner->problem.states;
    int32_t at = row->start;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        u->vi.weight[at++] = edges[e].count / (pair->moves + 1);
}

// the skeleton of a state: what is not in it is taken away
static void set_skeleton(const lgkt_learner *learner, size_t state)
{
    lgkt_imed *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = state * actions;
    double most = 0;
    for (size_t z = row; z < row + actions; z++)
        if (lgkt_learner_offers(learner, z))
            most = u->counts.rows[z].n > most ? u->counts.rows[z].n : most;
    const double log_most = most > 0 ? lgkt_log(most) : 0;
    for (size_t z = row; z < row + actions; z++) {
        const double n = u->counts.rows[z].n;
        const bool in = most == 0 || (n > 0 && n >= log_most * log_most);
        const bool may = in && lgkt_learner_offers(learner, z);
        u->vi.rows[z].reward = may ? mean_reward(u, z) : -INFINITY;
    }
}

static void refresh(const lgkt_learner *learner)
{
    lgkt_imed *u = learner->self;
    const size_t states = (size_t)learner->problem.states;
    lgkt_vi_gather(&u->vi, &u->counts, learner->problem.states);
    for (size_t z = 0; z < states * (size_t)learner->problem.actions; z++)
        set_row(learner, z);
    for (size_t s = 0; s < states; s++)
        set_skeleton(learner, s);
}

// ---- laws ----

// phi in points: one for each state, or bins of equal width with the mean of what is in them
static void gather_points(lgkt_imed *u, int32_t states, double top)
{
    u->points = states < FEW ? states : FEW;
    for (int32_t i = 0; i < u->points; i++)
        u->point[i] = u->point_share[i] = 0;
    for (int32_t s = 0; s < states; s++) {
        const double part = top > 0 ? u->vi.u[s] / top * FEW : 0;
        const int32_t bin = states <= FEW ? s : part < FEW - 1 ? (int32_t)part : FEW - 1;
        u->point[bin] += u->vi.u[s];
        u->point_share[bin] += 1;
    }
    int32_t used = 0;
    for (int32_t i = 0; i < u->points; i++) {
        if (u->point_share[i] == 0)
            continue;
        u->point[used] = u->point[i] / u->point_share[i];
        u->point_share[used++] = u->point_share[i] / states;
    }
    u->points = used;
}

// what one play of a pair may bring; valid until the next one is asked for
typedef struct pair_prospect {
    lgkt_points reward, next;
} pair_prospect;

static pair_prospect prospect_of(lgkt_imed *u, int32_t states, size_t z)
{
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    const lgkt_reward_atoms *atoms = &u->atoms[z];
    for (int32_t i = 0; i < atoms->count; i++) {
        u->reward[i] = atoms->at[i];
        u->reward_share[i] = atoms->weight[i] / (pair->n + 1);
    }
    u->reward[atoms->count] = middle_of(u);
    u->reward_share[atoms->count] = 1 / (pair->n + 1);

    // where every visit was cut there is nothing but the pseudo-observation
    const double pseudo = u->set.smooth || pair->moves == 0 ? 1 : 0, all = pair->moves + pseudo;
    int32_t count = 0;
    for (int32_t i = 0; pseudo > 0 && i < u->points; i++, count++) {
        u->next[count] = u->point[i];
        u->next_share[count] = u->point_share[i] / all;
    }
    // where each state is a point of its own
    const bool merge = pseudo > 0 && states <= FEW;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        const int32_t at = merge ? edges[e].next : count++;
        u->next[at] = u->vi.u[edges[e].next];
        u->next_share[at] = (merge ? u->next_share[at] : 0) + edges[e].count / all;
    }
    return (pair_prospect){.reward = {u->reward, u->reward_share, atoms->count + 1},
                           .next = {u->next, u->next_share, count}};
}

// ---- the choice ----

// What the choice in a state where all was tried rests on: plans, and fills `indices`.
static void plan_and_weigh(lgkt_learner *learner, int32_t state)
{
    lgkt_imed *u = learner->self;
    const int32_t states = learner->problem.states, actions = learner->problem.actions;
    const size_t row = (size_t)state * (size_t)actions;
    const lgkt_reward_bounds *bounds = &u->bounds;
    if (u->vi.stale || u->vi.states != states)
        refresh(learner);
    const double width = bounds->high - bounds->low;
    lgkt_vi_gain(&u->vi, fmax(PRECISION * width, 1e-300));
    u->plans++;
    double span = 0;
    for (int32_t s = 0; s < states; s++)
        span = u->vi.u[s] > span ? u->vi.u[s] : span;
    gather_points(u, states, span);

    double gam = -INFINITY;
    for (int32_t a = 0; a < actions; a++) {
        const pair_prospect prospect = prospect_of(u, states, row + (size_t)a);
        const lgkt_moments reward = lgkt_points_moments(&prospect.reward);
        const lgkt_moments next = lgkt_points_moments(&prospect.next);
        u->moments[a] = (lgkt_moments){reward.mean + next.mean, reward.variance + next.variance};
        if (lgkt_learner_allows(learner, a))
            gam = u->moments[a].mean > gam ? u->moments[a].mean : gam;
    }
    const double highest = bounds->most > bounds->high ? bounds->most : bounds->high;
    const double top = highest + span;
    const double log_u = width > 0 ? lgkt_log((top - bounds->low) / width) : 0;
    const double equal = gam - 1e-12 * fmax(width, span);

    // the best come first: what cannot come before them needs no root
    double least = INFINITY;
    for (int32_t a = 0; a < actions; a++) {
        u->indices[a] = -INFINITY;
        if (u->moments[a].mean < equal || !lgkt_learner_allows(learner, a))
            continue;
        const double index = lgkt_log(u->counts.rows[row + (size_t)a].n);
        u->indices[a] = -index;
        least = index < least ? index : least;
    }
    for (int32_t a = 0; a < actions; a++) {
        if (u->moments[a].mean >= equal || !lgkt_learner_allows(learner, a))
            continue;
        const double n = u->counts.rows[row + (size_t)a].n;
        const double bound = lgkt_imed_k_least(&u->moments[a], gam, top) * (1 - 1e-9);
        if (lgkt_imed_index((lgkt_imed_form)u->set.index, n, bound, log_u) > least)
            continue;
        const pair_prospect prospect = prospect_of(u, states, row + (size_t)a);
        const lgkt_points law =
            lgkt_points_sum(&prospect.reward, &prospect.next, u->sum, u->sum_share);
        const double k = lgkt_imed_k(&law, gam, top, &u->failed);
        const double index = lgkt_imed_index((lgkt_imed_form)u->set.index, n, k, log_u);
        u->roots++;
        u->indices[a] = -index;
        least = index < least ? index : least;
    }
}

// what the choice is by: indices, of which those that are not allowed are no highest ones
static lgkt_action_values judge(lgkt_learner *learner, int32_t state)
{
    lgkt_imed *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_seen_row *rows = u->counts.rows + (size_t)state * (size_t)actions;
    bool untried = false;
    for (int32_t a = 0; a < actions; a++) {
        const bool first = rows[a].n == 0 && lgkt_learner_allows(learner, a);
        u->indices[a] = first ? 1 : 0;
        untried |= first;
    }
    if (!untried)
        plan_and_weigh(learner, state);
    return (lgkt_action_values){.at = u->indices, .stride = 1, .count = actions};
}

// among all actions or those allowed
static int32_t act(lgkt_learner *learner, int32_t state)
{
    const lgkt_action_values indices = judge(learner, state);
    return lgkt_choose_best(&indices, NULL, &learner->rng);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    (void)state;
    ((lgkt_imed *)learner->self)->vi.stale = true;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    lgkt_imed *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_reward_bounds *bounds = &u->bounds;
    if (!learner->is_copy)
        return false;
    const int64_t plans = u->plans;
    const lgkt_action_values indices = judge(learner, state);
    lgkt_law_of_best(&indices, learner->allowed, reasons);
    for (int32_t a = 0; a < actions; a++)
        if (u->plans > plans && u->indices[a] > -INFINITY)
            reasons[a].upper = u->indices[a];
    // an untried action was chosen without a plan
    if (u->plans == plans)
        plan_and_weigh(learner, state);
    lgkt_successors_explain(&u->counts, state, actions, bounds->base, bounds->unit, reasons);
    for (int32_t a = 0; a < actions; a++)
        if (reasons[a].visits > 0)
            reasons[a].value = bounds->base + bounds->unit * u->moments[a].mean;
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_imed *u = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    const int32_t first = u->counts.rows[z].first;
    lgkt_reward_bounds bounds = u->bounds;
    bool moved;
    const double x = lgkt_reward_bounds_see(&bounds, reward, &moved);
    LGKT_TRY(lgkt_successors_add_edge(learner, &u->counts, z, x, next_state, ended));
    u->bounds = bounds;
    u->beyond += bounds.told_high && x > bounds.high;
    lgkt_atoms_add(&u->atoms[z], x);
    u->vi.stale |= moved;
    if (!lgkt_vi_keeps_up(learner, &u->vi, z, first, next_state))
        return LGKT_OK;
    set_row(learner, z);
    set_skeleton(learner, (size_t)learner->state);
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    lgkt_imed_settings *set = settings;
    LGKT_TRY(lgkt_reward_bounds_fill(learner, &set->rewards, error));
    lgkt_imed *u = learner->self;
    u->set = *set;
    u->bounds = lgkt_reward_bounds_start(&set->rewards);
    u->vi.sweep_cap = set->sweeps;
    u->vi.copies = 1;
    u->vi.follows = &u->counts;
    return LGKT_OK;
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_imed *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    for (size_t z = 0; z < pairs && !archive->bad; z++) {
        const double n = u->counts.rows[z].n;
        // a first reward would set the ends anew, and points could lie beyond them
        archive->bad |= archive->mode == LGKT_ARCHIVE_LOAD && n > 0 && !u->bounds.any;
        lgkt_atoms_visit(&u->atoms[z], n, u->bounds.least, u->bounds.most, archive);
    }
}

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_imed, counts, &lgkt_successors_part)},
    {LGKT_PART(lgkt_imed, bounds, &lgkt_reward_bounds_part)},
    {LGKT_PART(lgkt_imed, vi, &lgkt_vi_part)},
    {LGKT_ARRAY(lgkt_imed, atoms, PER_PAIR, SCRATCH)},
    {LGKT_ARRAY(lgkt_imed, next, PER_STATE, SCRATCH), LGKT_AND(FEW)},
    {LGKT_ARRAY(lgkt_imed, next_share, PER_STATE, SCRATCH), LGKT_AND(FEW)},
    {LGKT_ARRAY(lgkt_imed, moments, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_imed, indices, PER_ACTION, SCRATCH)},
    {LGKT_NUMBER(lgkt_imed, plans, TALLY)},
    {LGKT_NUMBER(lgkt_imed, roots, TALLY)},
    {LGKT_NUMBER(lgkt_imed, failed, TALLY)},
    {LGKT_NUMBER(lgkt_imed, beyond, TALLY)},
};

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_imed *u = learner->self;
    const lgkt_counter all[] = {
        {"plans", u->plans}, {"sweeps", u->vi.sweeps},       {"sweep_cap_hits", u->vi.cap_hits},
        {"roots", u->roots}, {"roots_not_found", u->failed}, {"rewards_beyond", u->beyond}};
    return lgkt_counters_write(all, sizeof all / sizeof *all, out, capacity);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_CHOICE(lgkt_imed_settings, index, "index", "formula", "formula|log-u|p0",
                    "the paper's index, that of the published packages, which explores less, or "
                    "that of the listing in the paper's own code"),
    LGKT_ROW_CHOICE(lgkt_imed_settings, smooth, "smooth", "1", "0|1",
                    "whether a choice counts the pseudo-observation that leads anywhere"),
    LGKT_ROW_INTEGER(lgkt_imed_settings, sweeps, "sweeps", "1000", 1, 1e15,
                     "most sweeps of a planning; hits are counted"),
    LGKT_REWARD_BOUND_ROWS(lgkt_imed_settings, rewards),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY("imed-rl", params, "plays the action that the fewest visits speak against",
               "Pesquerel and Maillard 2022", "O(S A + min(T, S^2 A))")};

const lgkt_learner_class lgkt_imed_class = {
    LGKT_SELF(lgkt_imed, fields), LGKT_NAMES(names), .create = create,   .act = act,
    .observe = observe,           .offer = offer,    .explain = explain, .visit = visit,
    .counters = counters,
};
