// SPDX-License-Identifier: MIT
// Optimistic learners of the whole model: they play the best policy of the most favourable
// plausible model until they have learned enough to plan anew.
//
//   ucrl2          L1 region                               Jaksch, Ortner and Auer 2010
//   klucrl         KL region                               Filippi, Cappe and Garivier 2010
//   pmevi-ucrl2    L1 region, projected mitigated EVI      Boone and Zhang 2024
//   pmevi-klucrl   KL region, projected mitigated EVI
//   ucrl2b         Bernstein boxes                         Fruit, Pirotta and Lazaric 2020
//   ucrl3          boxes, selected support                 Bourel, Maillard and Talebi 2020
//
// One machine (evi.h) with four parameters: the region, the radii (evi.h, box.h), the rule that ends
// an episode, and the projection with mitigation. Settings and profiles: ucrl_names.c.
//
//   N, N_k      visits of a pair now, and at the start t_k of the episode
//   doubling    an episode ends before a pair with N - N_k >= max(1, N_k) is played again
//   vanishing   ... with N >= max(1, (1 + t_k^(-1/4)) N_k): more plannings, less of a stale policy;
//               vanishing-now has the time of the step for t_k
//   precision   of the planned gain: 1/sqrt(t_k); PMEVI sqrt(ln t_k / t_k), ucrl2b 1/t_k
//
// Rewards are in units x = (r - reward-min)/R, R = reward-max - reward-min; of boxes see
// ucrl_plan.c.
//
// What is plausible, and the plans: ucrl_plan.c.
//
// Explained: value = rhat + phat.u and upper = rtilde + max q.u, u the optimistic bias of the plan
// in force, both in units of rewards; a pair that led nowhere has no value. The policy of a plan is
// drawn state by state, when it is needed. Where the episode would end the next plan is explained.
//
// Masks: the best of the allowed actions at the same u; it is not kept as the policy if some that
// can be played are left out. A pair that cannot be played has no say in plans (LGKT_EVI_NEVER),
// and a change of these calls for a plan.
//
// Cost: O(1) a step, PMEVI O(S); a planning some sweeps over the states, in which few pairs are
// evaluated; PMEVI O(S^2), or O(S^3) if a constraint is tighter than the span. Memory:
// O(S A + min(T, S^2 A)), PMEVI besides O(S^2). Boxes: a pair that has changed takes 100 halvings
// per successor once (ucrl3); an evaluation is O(m log m) for m successors.

#include "learners/planners/ucrl.h"

#include <math.h>

#include "core/elementary.h"
#include "learners/front/best_action.h"

// ---- the choice ----

enum { TIES_UNIFORM, TIES_LEAST_VISITED };

// keeps those of the equal actions that were visited least; returns how many there are
static int32_t least_visited(const lgkt_learner *learner, int32_t state, int32_t count)
{
    const lgkt_ucrl *u = learner->self;
    const lgkt_seen_row *row = u->counts.rows + (size_t)state * (size_t)learner->problem.actions;
    double least = INFINITY;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        least = fmin(least, row[u->ties[i]].n);
    for (int32_t i = 0; i < count; i++)
        if (row[u->ties[i]].n == least)
            u->ties[kept++] = u->ties[i];
    return kept;
}

// puts the allowed actions that the plan likes best into u->ties; returns how many there are
static int32_t find_best(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    for (size_t z = row; z < row + actions; z++) {
        if (!u->is_changed[z])
            continue;
        if (u->evi.has_boxes)
            lgkt_ucrl_renew(learner, z);
        lgkt_evi_touch(&u->evi, z);
    }
    if (u->takes_first)
        return lgkt_ucrl_best_first(learner, state);
    const double scale = fmax(1, u->evi.top);
    const double tolerance = (u->name->region == LGKT_REGION_L1 ? 1e-12 : 1e-9) * scale;
    const int32_t count = lgkt_evi_best(&u->evi, state, learner->allowed, tolerance, u->ties);
    return u->set.ties == TIES_LEAST_VISITED ? least_visited(learner, state, count) : count;
}

// whether everything that the plan takes for possible in a state is allowed
static bool leaves_all(const lgkt_learner *learner, int32_t state)
{
    const int32_t actions = learner->problem.actions;
    bool all = true;
    for (int32_t a = 0; a < actions; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        all = all && (lgkt_learner_allows(learner, a) || !lgkt_learner_offers(learner, z));
    }
    return all;
}

// the policy in a state, or -1 if it is not made yet or not allowed
static int32_t made_policy(const lgkt_learner *learner, int32_t state)
{
    const int32_t action = ((const lgkt_ucrl *)learner->self)->policy[state];
    return action >= 0 && lgkt_learner_allows(learner, action) ? action : -1;
}

// ---- steps ----

// the policy is made state by state, where it is needed
static int32_t policy_of(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    const int32_t made = made_policy(learner, state);
    if (made >= 0)
        return made;
    const int32_t count = find_best(learner, state);
    const int32_t action = lgkt_choose_tie(u->ties, count, &learner->rng);
    if (learner->allowed == NULL || leaves_all(learner, state))
        u->policy[state] = action;
    return action;
}

// PMEVI, before a choice
static void arrive(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    // the released code looks at where steps lead, and nowhere else
    if (!u->has_bias || u->bias.counts_open)
        return;
    if (state != u->expected)
        lgkt_bias_cut(&u->bias, learner->problem.states);
    lgkt_bias_arrive(&u->bias, state, learner->problem.states);
}

static bool ends_before(const lgkt_learner *learner, int32_t state, int32_t action)
{
    const lgkt_ucrl *u = learner->self;
    const size_t z = (size_t)state * (size_t)learner->problem.actions + (size_t)action;
    const double inside = (double)u->in_episode[z], before = u->counts.rows[z].n - inside;
    if (u->set.episodes == LGKT_EPISODES_DOUBLING)
        return inside >= fmax(1, before);
    const double growth = u->set.episodes == LGKT_EPISODES_VANISHING_NOW
                              ? 1 + lgkt_pow((double)learner->t + 1, -0.25)
                              : u->growth;
    return before + inside >= fmax(1, growth * before);
}

// no plan yet, and none before an action is drawn that was played before
static bool is_opening(const lgkt_ucrl *u)
{
    return u->set.opening != 0 && u->episodes == 0;
}

// among all actions or those allowed
static int32_t act(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    arrive(learner, state);
    const bool opening = is_opening(u);
    if (!opening && (!u->planned || state >= u->known))
        lgkt_ucrl_plan(learner);
    const int32_t actions = learner->problem.actions;
    const int32_t action = opening ? lgkt_draw_among(actions, learner->allowed, &learner->rng)
                                   : policy_of(learner, state);
    if (!ends_before(learner, state, action))
        return action;
    lgkt_ucrl_plan(learner);
    return policy_of(learner, state);
}

// ---- reasons ----

// whether a pair of a state has learned something since the plan: after a choice that was not the
// policy's, or with another unit
static bool has_changed(const lgkt_learner *learner, int32_t state)
{
    const lgkt_ucrl *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    bool changed = false;
    for (size_t z = row; z < row + actions; z++)
        changed |= u->is_changed[z] != 0;
    return changed;
}

// puts the actions that policy_of draws from into u->ties; returns how many there are
static int32_t find_policy(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    u->ties[0] = made_policy(learner, state);
    return u->ties[0] >= 0 ? 1 : find_best(learner, state);
}

// puts all allowed actions into u->ties; returns how many there are
static int32_t find_allowed(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    int32_t count = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        if (lgkt_learner_allows(learner, a))
            u->ties[count++] = a;
    return count;
}

// The law of act. A choice that ends the episode is made anew after the plan.
static bool explain_law(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    lgkt_ucrl *u = learner->self;
    const bool opening = is_opening(u), made = opening || made_policy(learner, state) >= 0;
    if (!made && !learner->is_copy && has_changed(learner, state))
        return false;
    u->evi.looks = !learner->is_copy;
    int32_t count = opening ? find_allowed(learner) : find_policy(learner, state);
    u->evi.looks = false;
    double ended = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        reasons[a].probability = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool ends = ends_before(learner, state, u->ties[i]);
        *(ends ? &ended : &reasons[u->ties[i]].probability) += 1.0 / count;
    }
    if (ended > 0 && !learner->is_copy)
        return false;
    if (ended > 0) {
        lgkt_ucrl_plan(learner);
        count = find_policy(learner, state);
        for (int32_t i = 0; i < count; i++)
            reasons[u->ties[i]].probability += ended / count;
    }
    return true;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    lgkt_ucrl *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const bool plans = !is_opening(u) && (!u->planned || state >= u->known);
    if (plans && !learner->is_copy)
        return false;
    if (learner->is_copy)
        arrive(learner, state);
    if (plans)
        lgkt_ucrl_plan(learner);
    if (!explain_law(learner, state, reasons))
        return false;
    // sums of boxes are of x, and the map is from there
    const double base = u->bounds.base, unit = u->bounds.unit;
    lgkt_successors_explain(&u->counts, state, actions, base, unit, reasons);
    for (int32_t a = 0; a < actions && u->episodes > 0; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        reasons[a].value = reasons[a].mean_reward +
                           unit * u->map.scale * lgkt_successors_mean(&u->counts, z, u->evi.u, 1);
        if (u->evi.has_boxes && u->is_changed[z])
            lgkt_ucrl_renew(learner, z);
        if (lgkt_learner_offers(learner, z))
            reasons[a].upper =
                base + unit * (u->map.min + u->map.scale * lgkt_evi_value(&u->evi, z));
    }
    return true;
}

// ---- learning ----

static void mark_changed(lgkt_ucrl *u, size_t z)
{
    if (u->is_changed[z])
        return;
    u->is_changed[z] = 1;
    u->changed[u->changed_count++] = z;
}

static void offer(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions, row = (size_t)state * actions;
    for (size_t z = row; z < row + actions; z++)
        mark_changed(u, z);
    u->planned = false;
    // the range may have moved since the plan, and one that is loaded has that of now
    if (u->evi.has_boxes)
        lgkt_ucrl_scale(u);
    // gains of models with other actions bound nothing any more
    u->least_gain = u->cap;
}

// Boxes, before a reward of pair z is counted: returns it in x of the bounds, which may move, and
// counts its deviation from the others.
static double take_reward(lgkt_ucrl *u, size_t z, double reward)
{
    const lgkt_seen_row *pair = &u->counts.rows[z];
    bool moved;
    const double x = lgkt_reward_bounds_see(&u->bounds, reward, &moved);
    if (pair->n > 0) {
        const double before = pair->reward / pair->n, after = (pair->reward + x) / (pair->n + 1);
        u->squares[z] += fmax(0, (x - before) * (x - after));
    }
    u->moved |= moved;
    u->planned &= !moved;
    return x;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_ucrl *u = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    // a reward that moves the bounds is counted: there must be room before
    const bool boxes = u->evi.has_boxes, full = u->counts.used == u->counts.capacity;
    if (boxes && full && !lgkt_learner_prepare(learner))
        return lgkt_fail_memory(&learner->refusal, "a transition");
    const double taken = boxes ? take_reward(u, z, reward) : reward;
    LGKT_TRY(lgkt_successors_add_edge(learner, &u->counts, z, taken, next_state, ended));
    mark_changed(u, z);
    u->in_episode[z]++;
    if (u->has_bias)
        lgkt_bias_earn(&u->bias, lgkt_reward_mapped(&u->map, reward));
    if (u->bias.counts_open && !ended)
        lgkt_bias_arrive(&u->bias, next_state, learner->problem.states);
    u->expected = ended ? -1 : next_state;
    return LGKT_OK;
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_ucrl *u = learner->self;
    arrive(learner, learner->state);
    // choices still to be made would mix these counts with radii of the plan
    u->planned = false;
    return observe(learner, reward, next_state, ended);
}

static void begin(lgkt_learner *learner)
{
    ((lgkt_ucrl *)learner->self)->planned = false;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    lgkt_ucrl_settings *set = settings;
    const lgkt_ucrl_name *name = (const lgkt_ucrl_name *)learner->entry;
    const bool boxes = name->region == LGKT_REGION_BOX;
    lgkt_ucrl_take_profile(name, set, (double)learner->problem.horizon);
    LGKT_TRY(boxes ? lgkt_reward_bounds_fill(learner, &set->reward, error)
                   : lgkt_reward_range_fill(learner, &set->reward, error));
    lgkt_ucrl *u = learner->self;
    u->set = *set;
    u->name = name;
    if (name->pmevi)
        learner->unpooled = "it learns differences of the bias from the way of one trajectory";
    if (boxes) {
        u->bounds = lgkt_reward_bounds_start(&set->reward);
        lgkt_ucrl_scale(u);
        u->evi.boxes.support =
            name->rule == LGKT_BOX_UCRL3 ? (lgkt_box_support)set->support : LGKT_SUPPORT_WHOLE;
        u->evi.boxes.scarce = 1;
        u->counts.beside_size = sizeof(lgkt_ends);
    } else {
        const double range = set->reward.max - set->reward.min;
        u->bounds.unit = 1;
        u->map = (lgkt_reward_map){.min = set->reward.min, .scale = range > 0 ? range : 1};
        u->cap = range > 0 ? 1 : 0;
        // a range near 0 must not make it infinite
        u->noise = fmin(2 * set->reward.sd / u->map.scale, LGKT_MAX_REWARD);
    }
    u->least_gain = u->cap;
    u->has_bias = name->pmevi;
    u->bias.counts_open = set->legs != 0;
    u->takes_first = set->choice != 0;
    u->evi.rows_drift = set->rows != 0;
    u->evi.region = name->region;
    u->evi.has_boxes = boxes;
    u->evi.sweep_cap = set->sweeps;
    u->evi.counts = &u->counts;
    return LGKT_OK;
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    lgkt_ucrl *u = learner->self;
    const int32_t actions = learner->problem.actions;
    if (!u->takes_first)
        return LGKT_OK;
    // nobody knows the order of a set that is still to be filled
    for (int32_t z = before * actions; learner->grows && z < after * actions; z++)
        u->rank[z] = z;
    if (!learner->grows && !lgkt_python_order(u->rank, after, actions, &learner->allocator))
        return lgkt_fail_memory(error, "the order of actions");
    return LGKT_OK;
}

// The intervals and the order of the last planning. Those of pairs that have changed since then are
// made anew before they are looked at.
static void loaded(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    lgkt_evi_loaded(&u->evi);
    if (!u->evi.has_boxes)
        return;
    lgkt_ucrl_scale(u);
    for (size_t z = 0; z < (size_t)u->known * (size_t)learner->problem.actions; z++)
        lgkt_ucrl_renew(learner, z);
    if (u->known > 0)
        lgkt_boxes_order(&u->evi.boxes, u->evi.u, u->evi.states);
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_ucrl *u = learner->self;
    const int64_t pairs = (int64_t)learner->problem.states * learner->problem.actions;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    for (int64_t z = 0; z < pairs && loads && u->evi.has_boxes; z++)
        archive->bad |= u->squares[z] < 0;
    // the list of changed pairs, in its order: it decides in which order they are looked at
    lgkt_visit_i64(archive, &u->changed_count, 1, 0, pairs);
    for (int64_t i = 0; i < u->changed_count; i++) {
        int64_t z = (int64_t)u->changed[i];
        lgkt_visit_i64(archive, &z, 1, 0, pairs - 1);
        // a pair is in the list once
        archive->bad |= loads && u->is_changed[z];
        if (archive->bad)
            return;
        if (loads) {
            u->changed[i] = (size_t)z;
            u->is_changed[z] = 1;
        }
        lgkt_visit_i64(archive, &u->in_episode[z], 1, 0, (int64_t)u->counts.rows[z].n);
    }
}

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_ucrl, counts, &lgkt_successors_part)},
    {LGKT_PART(lgkt_ucrl, evi, &lgkt_evi_part)},
    {LGKT_PART(lgkt_ucrl, bias, &lgkt_bias_part), LGKT_IF(lgkt_ucrl, has_bias)},
    {LGKT_PART(lgkt_ucrl, bounds, &lgkt_reward_bounds_part), LGKT_IF(lgkt_ucrl, evi.has_boxes)},
    {LGKT_ARRAY(lgkt_ucrl, squares, PER_PAIR, SQUARE), LGKT_IF(lgkt_ucrl, evi.has_boxes)},
    {LGKT_NUMBER(lgkt_ucrl, moved, FLAG), LGKT_IF(lgkt_ucrl, evi.has_boxes)},
    {LGKT_ARRAY(lgkt_ucrl, changed, PER_PAIR, SCRATCH)},
    {LGKT_ARRAY(lgkt_ucrl, is_changed, PER_PAIR, SCRATCH)},
    {LGKT_ARRAY(lgkt_ucrl, in_episode, PER_PAIR, SCRATCH)},
    {LGKT_ARRAY(lgkt_ucrl, ties, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_ucrl, rank, PER_PAIR, SCRATCH), LGKT_IF(lgkt_ucrl, takes_first)},
    {LGKT_ARRAY(lgkt_ucrl, start, PER_STATE, SCRATCH), LGKT_IF(lgkt_ucrl, has_bias)},
    {LGKT_NUMBER(lgkt_ucrl, planned, FLAG)},
    {LGKT_NUMBER(lgkt_ucrl, started, COUNT)},
    {LGKT_NUMBER(lgkt_ucrl, growth, REAL)},
    {LGKT_ARRAY(lgkt_ucrl, policy, PER_STATE, MAYBE_ACTION)},
    {LGKT_NUMBER(lgkt_ucrl, least_gain, REAL)},
    {LGKT_NUMBER(lgkt_ucrl, known, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_ucrl, expected, MAYBE_STATE)},
    {LGKT_NUMBER(lgkt_ucrl, episodes, TALLY)},
};

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_ucrl *u = learner->self;
    const bool boxes = u->evi.has_boxes;
    const lgkt_counter all[] = {
        {boxes ? "plans" : "episodes", u->episodes},
        {"sweeps", u->evi.sweeps},
        {"sweep_cap_hits", u->evi.cap_hits},
        {boxes ? "frozen_supports" : "infeasible_projections",
         boxes ? u->evi.boxes.freezes : u->bias.infeasible},
        {"active_projections", u->evi.projections},
    };
    const bool freezes = boxes && u->name->rule == LGKT_BOX_UCRL3;
    return lgkt_counters_write(all, u->name->pmevi ? 5 : freezes ? 4 : 3, out, capacity);
}

const lgkt_learner_class lgkt_ucrl_class = {
    LGKT_SELF(lgkt_ucrl, fields),
    LGKT_NAMES(lgkt_ucrl_names),
    .create = create,
    .act = act,
    .observe = observe,
    .offer = offer,
    .explain = explain,
    .feed = feed,
    .begin = begin,
    .grow = grow,
    .visit = visit,
    .loaded = loaded,
    .counters = counters,
};
