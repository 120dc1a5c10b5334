// SPDX-License-Identifier: MIT
// LGKT: LCB-guided K-step lookahead thresholding, for every depth K and every name of the family.
//
// Idea: learn only what the next K steps are worth, and take an action as soon as that is provably
// good enough.
//
//   paper          here            meaning
//   N_{s,a}        n               visits of a pair; every step counts
//   phi^1          phi             sum of the rewards of a pair; m1 = phi/n is their mean
//   N_{s,a,K}      nc              finished continuation samples of a pair (K >= 2)
//   phi^K / N_K    mc              mean continuation: total reward of the K-1 steps that followed
//                  v               value estimate: m1 for K = 1, m1 + mc for K >= 2
//   g              w(n), b(n)      confidence width and exploration bonus (widths.h)
//   gamma_t        threshold       what an action must be worth
//   eps_t          eps(n)          probability of an estimation run (widths.h)
//   ALG_{K-1}      sampler         who plays the K-1 steps of a run
//
//   lcb(s,a)   = v - w(n)  (K = 1),   v - w(n) - w(nc)  (K >= 2)
//   index(s,a) = v + b(n)  (K = 1),   v + b(n) + b(nc)  (K >= 2; bonuses=one: v + b(n))
//
// Threshold step: the order of order.h on these bounds. Estimation run (K >= 2): at the start of a
// step whose previous pair is (s',a'), a coin with probability eps(n(s',a')) is flipped. On heads
// the next K-1 steps are played by the sampler, and their total reward is one continuation sample
// of (s',a'). While a run is open no coin is flipped. A run does not start at the first step, nor
// with fewer than K-1 steps left; a cut of the process ends it, and what it has earned counts as a
// sample.
//
// Stages (lg1-2t): the depth grows from 1 to 2 at a given step. Nothing is forgotten: every step of
// depth 1 is a continuation sample of the pair before it. The coin of the second stage counts
// visits since the change only. The released lg1-2t counts time from 1 and has already advanced it
// when it learns: hence its shifts below. With phases=printed (profile=paper) lg1-2t has none of
// this: it plays depth 1 while t <= cutoff, then depth 2 on the same n and phi, with no
// continuations yet and the coin of all visits.
//
// Rising thresholds (lg1t-i, lg2t-i): a state's own gamma grows by delta each time its visits since
// the last raise reach ln T (the released lg2t-i: ln 20000, whatever T is).
//
// What explain says: value = v, lower = lcb, upper = index, good: lcb >= gamma (of the depth at
// hand; candidates=mean and michel: v >= gamma). An untried action has no value and no lower bound,
// an infinite index, and is good if it goes first. The probabilities are eps times those of the
// sampler plus 1 - eps times those of the threshold step; within a run those of the sampler.
//
// Where to look: learn_deep and update_bounds_deep turn an observed step into the lcb and index of its
// pair, lgkt_thresholding_act and lgkt_order_pick (order.h) choose. Which act and observe a learner
// has follows from its settings (lgkt_thresholding_derive): lg2t as it is by default has
// act_deep_fixed and observe_plain.
//
// A step costs O(1) apart from the rare scan of the A actions (order.h) and what the sampler costs,
// and takes no logarithm or root. Memory: 32 bytes per pair and 48 per state at K = 1, 80 and 96 at
// K >= 2, the shared tables, and the sampler.

#include "learners/lgkt/thresholding.h"

#include "plan/plan_private.h"

// ---- pairs and their bounds ----

// m1, as the paper computes it: a sum of rewards and one division
static double mean_reward(const lgkt_pair *pair)
{
    return pair->phi / (double)pair->n;
}

static void update_bounds_shallow(lgkt_thresholding *f, lgkt_place at, double m1, lgkt_width width)
{
    const lgkt_bounds bounds = {m1 - width.w, m1 + width.b};
    lgkt_order_update(&f->shallow, at.z, at.state, at.action, bounds);
}

static void update_bounds_deep(lgkt_thresholding *f, lgkt_place at, const lgkt_continuation *c,
                               lgkt_width width)
{
    if (c->nc == 0)
        return; // still untried, as the bounds say
    const lgkt_width width_c = lgkt_width_at(f->widths, c->nc);
    const double bonus_c = f->set.bonuses == LGKT_BONUSES_ONE ? 0 : width_c.b;
    const lgkt_bounds bounds = {c->v - width.w - width_c.w, c->v + width.b + bonus_c};
    lgkt_order_update(&f->deep, at.z, at.state, at.action, bounds);
}

// one more reward for a pair
static lgkt_pair *add_reward(lgkt_thresholding *f, lgkt_place at, double reward)
{
    lgkt_pair *pair = &f->pairs[at.z];
    pair->n++;
    pair->phi += reward;
    return pair;
}

// v = m1 + mc; only a visited pair has continuations
static void refresh_value(lgkt_thresholding *f, lgkt_place at)
{
    const lgkt_pair *pair = &f->pairs[at.z];
    lgkt_continuation *c = &f->continuations[at.z];
    c->v = mean_reward(pair) + c->mc;
    update_bounds_deep(f, at, c, lgkt_width_at(f->widths, pair->n));
}

static void add_continuation(lgkt_thresholding *f, lgkt_place at, double total)
{
    lgkt_continuation *c = &f->continuations[at.z];
    c->nc++;
    c->mc += (total - c->mc) / (double)c->nc;
    refresh_value(f, at);
}

double lgkt_thresholding_mean(const lgkt_order *order, size_t z)
{
    const lgkt_thresholding *f = order->ctx;
    if (order == &f->deep)
        return f->continuations[z].nc > 0 ? f->continuations[z].v : order->bounds[z].lcb;
    return f->pairs[z].n > 0 ? mean_reward(&f->pairs[z]) : order->bounds[z].lcb;
}

void lgkt_thresholding_refresh_bounds(lgkt_learner *learner)
{
    lgkt_thresholding *f = learner->self;
    const int32_t actions = learner->problem.actions;
    const size_t pairs = (size_t)learner->problem.states * (size_t)actions;
    for (size_t i = 0; i < pairs; i++) {
        const lgkt_place at = {i, (int32_t)(i / (size_t)actions), (int32_t)(i % (size_t)actions)};
        const lgkt_pair *pair = &f->pairs[i];
        if (pair->n == 0)
            continue;
        const lgkt_width width = lgkt_width_at(f->widths, pair->n);
        if (f->uses_shallow)
            update_bounds_shallow(f, at, mean_reward(pair), width);
        if (f->deepens)
            update_bounds_deep(f, at, &f->continuations[at.z], width);
    }
}

// ---- thresholds ----

static bool raise_is_due(const lgkt_thresholding *f, int32_t state)
{
    return f->raises[state] < f->max_raises && (double)f->since[state] >= f->raise_at;
}

// of the stage at hand
static double gamma_of_stage(const lgkt_learner *learner, int32_t state)
{
    const lgkt_thresholding *f = learner->self;
    if (f->rises)
        return raise_is_due(f, state) ? f->gammas[state] + f->set.delta : f->gammas[state];
    if (f->fixed || (learner->threshold.fn == NULL && f->k != f->set.k))
        return f->gamma;
    return lgkt_threshold_at(&learner->threshold, learner->problem.states, learner->t, state,
                             (int32_t)f->k);
}

// of the order of depth 1 as the sampler: the first phase's or the sampler's own
static double gamma_of_sampler(const lgkt_learner *learner, int32_t state)
{
    const lgkt_thresholding *f = learner->self;
    if (f->fixed || !f->name->two_phases || learner->threshold.fn == NULL)
        return f->gamma_of_depth_1;
    return lgkt_threshold_at(&learner->threshold, learner->problem.states, learner->t, state, 1);
}

// ---- stages ----

static bool stage_is_due(const lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    return f->stage + 1 < f->stages.count &&
           learner->t >= f->stages.at[f->stage + 1].start - (f->released ? 1 : 0);
}

static void set_stage(lgkt_learner *learner, int64_t stage)
{
    ((lgkt_thresholding *)learner->self)->stage = stage;
    lgkt_thresholding_derive(learner);
}

// ---- estimation runs ----

static bool may_start_run(const lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    return f->track.eps >= 0 && lgkt_learner_steps_to_plan(learner) >= f->k - 1;
}

// flips the coin, if there is one to flip; true if a run is open now
static bool starts_run(lgkt_learner *learner)
{
    lgkt_thresholding *f = learner->self;
    if (!may_start_run(learner))
        return false;
    const double coin = learner->coin != NULL ? learner->coin(learner->coin_ctx, learner->t)
                                              : lgkt_rng_uniform(&learner->rng);
    if (!(coin < f->track.eps))
        return false;
    f->track.run = (lgkt_run){.reference = f->track.previous, .left = f->k - 1};
    f->runs++;
    return true;
}

// a masked choice leaves the cache alone
static inline int32_t pick_by(lgkt_learner *learner, lgkt_order *order, int32_t state, double gamma)
{
    if (learner->allowed != NULL)
        return lgkt_order_choose_among(order, state, gamma, learner->allowed, &learner->rng);
    return lgkt_order_pick(order, state, gamma, &learner->rng);
}

static int32_t sample(lgkt_learner *learner, int32_t state)
{
    lgkt_thresholding *f = learner->self;
    int32_t action;
    if (f->sampler == NULL) {
        action = pick_by(learner, &f->shallow, state, gamma_of_sampler(learner, state));
    } else {
        const lgkt_place reference = f->track.run.reference;
        const bool is_new = f->pair_samplers != NULL && f->pair_samplers[reference.z] == NULL;
        lgkt_learner *sampler = lgkt_thresholding_sampler_of_run(learner);
        if (sampler == NULL)
            return LGKT_ERR_NO_MEMORY;
        action = f->track.run.left == f->k - 1 ? lgkt_nested_begin_and_act(learner, sampler, state)
                                               : lgkt_nested_act(learner, sampler, state);
        if (action < 0 && is_new) {
            lgkt_learner_destroy(sampler);
            f->pair_samplers[reference.z] = NULL;
        }
    }
    f->run_steps += action >= 0;
    return action;
}

static void close_run(lgkt_thresholding *f)
{
    f->track.run.left = 0;
    add_continuation(f, f->track.run.reference, f->track.run.total);
}

LGKT_COLD static void extend_run(lgkt_thresholding *f, double earned, bool ended)
{
    f->track.run.total += earned;
    f->track.run.left--;
    if (ended || f->track.run.left == 0)
        close_run(f);
}

// a step that the sampler did not choose
static lgkt_status feed_sampler(lgkt_learner *learner, double reward, int32_t next_state,
                                bool ended)
{
    lgkt_thresholding *f = learner->self;
    if (f->sampler == NULL || f->set.sampler_data != LGKT_SAMPLER_ALL)
        return LGKT_OK;
    return lgkt_nested_feed(learner, f->sampler, reward, next_state, ended);
}

// ---- acting ----

static int32_t pick(lgkt_learner *learner, int32_t state)
{
    lgkt_thresholding *f = learner->self;
    lgkt_order *order = f->k > 1 ? &f->deep : &f->shallow;
    return pick_by(learner, order, state, gamma_of_stage(learner, state));
}

int32_t lgkt_thresholding_act(lgkt_learner *learner, int32_t state)
{
    lgkt_thresholding *f = learner->self;
    int32_t action;
    if (f->track.run.left > 0) {
        action = sample(learner, state);
    } else if (f->k == 1 && !stage_is_due(learner)) {
        action = pick(learner, state);
    } else {
        const lgkt_rng rng = learner->rng;
        const lgkt_run run = f->track.run;
        const int64_t runs = f->runs, stage = f->stage;
        if (f->k == 1)
            set_stage(learner, f->stage + 1);
        action = starts_run(learner) ? sample(learner, state) : pick(learner, state);
        if (action < 0) {
            // nothing has changed
            learner->rng = rng;
            f->track.run = run;
            f->runs = runs;
            set_stage(learner, stage);
        }
    }
    // once an action was found under the raised threshold
    if (f->rises && action >= 0 && raise_is_due(f, state)) {
        f->gammas[state] += f->set.delta;
        f->since[state] = 0;
        f->raises[state]++;
    }
    return action;
}

// The same where thresholds are fixed, there is one stage, and the sampler cannot fail.

static int32_t act_shallow_fixed(lgkt_learner *learner, int32_t state)
{
    lgkt_thresholding *f = learner->self;
    return lgkt_order_pick(&f->shallow, state, f->gamma, &learner->rng);
}

static int32_t act_deep_fixed(lgkt_learner *learner, int32_t state)
{
    lgkt_thresholding *f = learner->self;
    if (f->track.run.left > 0 || starts_run(learner))
        return sample(learner, state);
    return lgkt_order_pick(&f->deep, state, f->gamma, &learner->rng);
}

// ---- observing ----

static lgkt_status observe_shallow(lgkt_learner *learner, double reward, int32_t next_state,
                                   bool ended)
{
    (void)next_state, (void)ended;
    lgkt_thresholding *f = learner->self;
    const lgkt_place at = lgkt_place_of(learner, learner->state, learner->action);
    const lgkt_pair *pair = add_reward(f, at, reward);
    update_bounds_shallow(f, at, mean_reward(pair), lgkt_width_at(f->widths, pair->n));
    if (f->since != NULL)
        f->since[at.state]++;
    return LGKT_OK;
}

// What a step means for continuations: it is one of the pair before it at depth 1, later part of
// one of the run's reference. t counts the step already.
static void learn_staged(lgkt_learner *learner, lgkt_continuation *c, double earned, bool ended)
{
    lgkt_thresholding *f = learner->self;
    const bool has_previous = f->track.previous.state >= 0;
    // a second stage stays one, also where a longer horizon would have it begin later
    if (f->released ? f->stage == 0 && learner->t < f->stages.at[1].start - 1 : f->k == 1) {
        if (has_previous)
            add_continuation(f, f->track.previous, earned);
        return;
    }
    c->late++;
    if (f->track.run.left > 0)
        extend_run(f, earned, ended);
    if (f->released && has_previous)
        refresh_value(f, f->track.previous);
}

// One observed step at K >= 2. `plain` is a constant of the two callers below, so that the compiler
// drops what it rules out: a sampler that learns, rising thresholds, stages, and any other
// continuation or refresh than that of the released lg2t.
static inline lgkt_status learn_deep(lgkt_learner *learner, double reward, int32_t next_state,
                                     bool ended, const bool plain)
{
    lgkt_thresholding *f = learner->self;
    const lgkt_place at = lgkt_place_of(learner, learner->state, learner->action);
    lgkt_continuation *c = &f->continuations[at.z];
    const lgkt_pair *pair = add_reward(f, at, reward);
    const double m1 = mean_reward(pair);
    const lgkt_width width = lgkt_width_at(f->widths, pair->n);
    const bool staged = !plain && f->linked;
    lgkt_status status = LGKT_OK;
    if (plain || f->uses_shallow)
        update_bounds_shallow(f, at, m1, width);
    if (!plain && f->since != NULL)
        f->since[at.state]++;
    const bool in_run = f->track.run.left > 0;
    if (!plain && f->taught && in_run)
        status = lgkt_nested_observe(learner, lgkt_thresholding_sampler_of_run(learner), reward,
                                     next_state, ended);
    else if (!plain && f->taught)
        status = feed_sampler(learner, reward, next_state, ended);

    const double earned = plain || f->set.continuation == LGKT_CONTINUATION_MEAN ? m1 : reward;
    if (staged)
        learn_staged(learner, c, earned, ended);
    else if (in_run)
        extend_run(f, earned, ended);
    if (!plain && f->set.refresh == LGKT_REFRESH_ALWAYS)
        c->v = m1 + c->mc;
    update_bounds_deep(f, at, c, width);
    f->track.previous = ended ? lgkt_place_nowhere() : at;
    const double eps = staged ? lgkt_width_at(f->widths, c->late).eps : width.eps;
    f->track.eps = ended ? -1 : eps;
    return status;
}

lgkt_status lgkt_thresholding_observe_deep(lgkt_learner *learner, double reward, int32_t next_state,
                                           bool ended)
{
    return learn_deep(learner, reward, next_state, ended, false);
}

static lgkt_status observe_plain(lgkt_learner *learner, double reward, int32_t next_state,
                                 bool ended)
{
    return learn_deep(learner, reward, next_state, ended, true);
}

void lgkt_thresholding_derive(lgkt_learner *learner)
{
    lgkt_thresholding *f = learner->self;
    const lgkt_thresholding_settings *set = &f->set;
    const lgkt_stage *stage = &f->stages.at[f->stage];
    f->k = stage->k;
    f->gamma = stage->gamma;
    f->gamma_of_depth_1 = f->name->two_phases ? f->stages.at[0].gamma : set->sampler_threshold;
    const bool plain = !f->taught && f->since == NULL && f->stages.count == 1 &&
                       set->continuation == LGKT_CONTINUATION_MEAN &&
                       set->refresh == LGKT_REFRESH_ADDED;
    const bool simple = f->fixed && f->stages.count == 1 && !learner->can_fail;
    if (simple)
        learner->act = f->deepens ? act_deep_fixed : act_shallow_fixed;
    if (!f->deepens)
        learner->observe = observe_shallow;
    else if (plain)
        learner->observe = observe_plain;
}

// ---- watching ----

// A fed step tells a mean reward, but no continuation: that comes from runs of the sampler only.
lgkt_status lgkt_thresholding_feed(lgkt_learner *learner, double reward, int32_t next_state,
                                   bool ended)
{
    lgkt_thresholding *f = learner->self;
    lgkt_thresholding_begin(learner);
    const lgkt_place at = lgkt_place_of(learner, learner->state, learner->action);
    const lgkt_pair *pair = add_reward(f, at, reward);
    const lgkt_width width = lgkt_width_at(f->widths, pair->n);
    if (f->uses_shallow)
        update_bounds_shallow(f, at, mean_reward(pair), width);
    if (!f->deepens)
        return LGKT_OK;
    lgkt_continuation *c = &f->continuations[at.z];
    if (f->set.refresh == LGKT_REFRESH_ALWAYS)
        c->v = mean_reward(pair) + c->mc;
    update_bounds_deep(f, at, c, width);
    return feed_sampler(learner, reward, next_state, ended);
}

// What comes next does not follow from what was before: as after a cut.
void lgkt_thresholding_begin(lgkt_learner *learner)
{
    lgkt_thresholding *f = learner->self;
    if (f->track.run.left > 0)
        close_run(f);
    f->track.previous = lgkt_place_nowhere();
    f->track.eps = -1;
}

// ---- saying why ----

// The law of who plays the run, which starts now or is open. A new run begins the sampler anew, so
// that it may take a copy.
static bool explain_sampler(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const lgkt_thresholding *f = learner->self;
    lgkt_learner *sampler = f->sampler;
    if (sampler == NULL) {
        lgkt_order_law(&f->shallow, state, gamma_of_sampler(learner, state), learner->allowed, 0,
                       reasons);
        return true;
    }
    const lgkt_run *run = &f->track.run;
    const bool starts = run->left == 0;
    const lgkt_place reference = starts ? f->track.previous : run->reference;
    // one that is still to be made would be as that one, which nobody uses
    if (f->pair_samplers != NULL && f->pair_samplers[reference.z] != NULL)
        sampler = f->pair_samplers[reference.z];
    if (starts || run->left == f->k - 1) {
        if (!learner->is_copy)
            return false;
        lgkt_learner_begin(sampler);
    }
    return lgkt_nested_explain(learner, sampler, state, reasons);
}

bool lgkt_thresholding_explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const lgkt_thresholding *f = learner->self;
    const bool in_run = f->track.run.left > 0;
    if (!in_run && stage_is_due(learner)) {
        if (!learner->is_copy)
            return false;
        set_stage(learner, f->stage + 1);
    }
    double by_sampler = in_run; // the probability that the sampler plays
    if (!in_run && f->k > 1 && may_start_run(learner)) {
        by_sampler = fmin(1, f->track.eps);
        if (learner->coin != NULL)
            by_sampler = learner->coin(learner->coin_ctx, learner->t) < by_sampler;
    }
    if (by_sampler > 0 && !explain_sampler(learner, state, reasons))
        return false;
    const bool deep = f->k > 1;
    const lgkt_order *order = deep ? &f->deep : &f->shallow;
    const double gamma = gamma_of_stage(learner, state);
    if (by_sampler < 1)
        lgkt_order_law(order, state, gamma, learner->allowed, by_sampler, reasons);

    for (int32_t a = 0; a < learner->problem.actions; a++) {
        const lgkt_place at = lgkt_place_of(learner, state, a);
        const lgkt_pair *pair = &f->pairs[at.z];
        const bool tried = deep ? f->continuations[at.z].nc > 0 : pair->n > 0;
        const double m1 = pair->n > 0 ? mean_reward(pair) : NAN;
        reasons[a].visits = (double)pair->n;
        reasons[a].mean_reward = m1;
        reasons[a].value = !tried ? NAN : deep ? f->continuations[at.z].v : m1;
        reasons[a].lower = tried ? order->bounds[at.z].lcb : NAN;
        reasons[a].upper = order->bounds[at.z].index;
        reasons[a].good = lgkt_order_good(order, at.z, gamma);
    }
    return true;
}
