// SPDX-License-Identifier: MIT
// A learner that keeps trying everything: with k actions allowed, each is played with
//
//   p(a) = (1 - k floor) law(a) + floor
//
// where law is that of the learner within (core/floor.h). So every action stays in the log with a
// probability that is known and never 0, and the log can tell what other policies would have earned.
//
//   coin < k floor   an allowed action, all alike; the learner within is not asked, and is fed the
//                    step as one that another one chose
//   else             the learner within acts and observes
//
// The coin has a stream of its own, so that with floor = 0 this is the learner within, bit for bit.
// Units and keys need nothing more: a decision of the coin is a decision that was taken (units.h).
//
// What explain says is what the learner within says, with p for its law; where that is not known
// (NaN), neither is p.
//
// It must be the outermost learner: the law of one within another is not that of what is played.
//
// Cost: a coin and a look at what is allowed. Memory: that of the learner within.

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/floor.h"

typedef struct explore_settings {
    const char *of;
    double floor;
} explore_settings;

typedef struct explore {
    double floor;
    bool tossed; // the action in play is the coin's
    lgkt_learner *inner;
} explore;

// the default leaves at least four of five steps to the learner within
#define FLOOR 0.02
#define SHARE 0.2

// ---- steps ----

// also among some actions, which the learner within is lent
static int32_t act(lgkt_learner *learner, int32_t state)
{
    explore *x = learner->self;
    int32_t action = -1;
    if (x->floor > 0)
        action = lgkt_floor_action(x->floor,
                                   lgkt_floor_coin(learner->seed, learner->instance, learner->t),
                                   learner->allowed, learner->problem.actions);
    x->tossed = action >= 0;
    // `anytime` may be behind with what it was told, and has memory for no more
    learner->must_prepare |= x->tossed && x->inner->can_fail;
    return x->tossed ? action : lgkt_nested_act(learner, x->inner, state);
}

static bool took(lgkt_learner *learner)
{
    explore *x = learner->self;
    const bool tossed = x->tossed;
    x->tossed = false;
    return tossed;
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    const explore *x = learner->self;
    const lgkt_status status = lgkt_nested_feed(learner, x->inner, reward, next_state, ended);
    // there is no other learner: what it drew is drawn
    learner->rng = x->inner->rng;
    return status;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    const explore *x = learner->self;
    return took(learner) ? feed(learner, reward, next_state, ended)
                         : lgkt_nested_observe(learner, x->inner, reward, next_state, ended);
}

static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **nested)
{
    *nested = ((const explore *)learner->self)->inner;
    return i == 0;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const explore *x = learner->self;
    if (!lgkt_nested_explain(learner, x->inner, state, reasons))
        return false;
    lgkt_floor_law(x->floor, learner->allowed, learner->problem.actions, &reasons->probability,
                   sizeof *reasons / sizeof reasons->probability);
    return true;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    explore_settings *set = settings;
    const explore *model = learner->like;
    explore *x = learner->self;
    const double most = 1.0 / learner->problem.actions;
    if (learner->parent != NULL)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "learner \"explore\" cannot serve \"%s\": it must be the outermost",
                         learner->parent->entry->name);
    if (isnan(set->floor))
        set->floor = FLOOR < SHARE * most ? FLOOR : SHARE * most;
    if (set->floor > most)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "explore: floor = %g must be in [0, %g], where %g is one by %d actions",
                         set->floor, most, most, learner->problem.actions);
    x->floor = set->floor;
    const lgkt_nesting nesting = {
        .problem = learner->problem, .like = model != NULL ? model->inner : NULL, .steered = true};
    return lgkt_nested_create(learner, set->of, &nesting, &x->inner, error);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    return lgkt_nested_counters(((const explore *)learner->self)->inner, 0, out, capacity);
}

// ---- the name ----

static const lgkt_field fields[] = {{LGKT_NUMBER(explore, tossed, FLAG)}};

static const lgkt_param_row params[] = {
    LGKT_ROW_TEXT(explore_settings, of, "of", "auto",
                  "the learner: any that can be fed, e.g. of=(lg2t:threshold=0.9)"),
    LGKT_ROW_REAL(explore_settings, floor, "floor", "@0.02, at most 0.2/A", 0, 1,
                  "the least probability of each allowed action, at most 1/A"),
};

static const lgkt_entry names[] = {LGKT_ENTRY(
    "explore", params, "a learner that keeps trying every action, for logs that can tell",
    "ours: a uniform floor below its law", "that of the learner")};

const lgkt_learner_class lgkt_explore_class = {
    LGKT_SELF(explore, fields),
    LGKT_NAMES(names),
    .takes = LGKT_TAKES_EITHER,
    .create = create,
    .act = act,
    .observe = observe,
    .feed = feed,
    .took = took,
    .explain = explain,
    .counters = counters,
    .within = within,
};
