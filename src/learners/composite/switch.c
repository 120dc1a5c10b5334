// SPDX-License-Identifier: MIT
// One learner up to a cutoff, then another one that has watched every step (LG1T-RL of the paper).
//
//   t < start    `first` acts and observes; `rl` is fed each step
//   t >= start   `rl` acts and observes; it plans for the first time at the switch, where a new
//                episode (or piece) of it begins
//
// start = cutoff; with profile=paper it is cutoff + 1, since algorithm LG1T-RL prints t <= cutoff
// for the first, and the first is lg1t of that profile.
//
// What explain says is what the one of the two that acts says.
//
// LGKT earns early, a learner of the whole model in the long run; the partner that takes over
// starts with everything that was seen. Cost and memory: the sum of both.

#include "learners/front/learner_private.h"

typedef struct switch_settings {
    int64_t cutoff;
    const char *first, *rl;
    int profile; // unset: released
} switch_settings;

// positions in the choice list of the parameter
enum { PROFILE_PAPER, PROFILE_RELEASED };

typedef struct pair_of_learners {
    int64_t start; // first step of the partner
    lgkt_learner *first, *rl;
} pair_of_learners;

// ---- steps ----

static int32_t act(lgkt_learner *learner, int32_t state)
{
    pair_of_learners *both = learner->self;
    if (learner->t < both->start)
        return lgkt_nested_act(learner, both->first, state);
    if (learner->t == both->start)
        return lgkt_nested_begin_and_act(learner, both->rl, state);
    return lgkt_nested_act(learner, both->rl, state);
}

// the clock has moved on, and the step was played before it did
static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    pair_of_learners *both = learner->self;
    if (learner->t > both->start)
        return lgkt_nested_observe(learner, both->rl, reward, next_state, ended);
    LGKT_TRY(lgkt_nested_observe(learner, both->first, reward, next_state, ended));
    return lgkt_nested_feed(learner, both->rl, reward, next_state, ended);
}

// A partner begins anew when it takes over, and needs a copy for that.
static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    pair_of_learners *both = learner->self;
    if (learner->t < both->start)
        return lgkt_nested_explain(learner, both->first, state, reasons);
    if (learner->t == both->start) {
        if (!learner->is_copy)
            return false;
        lgkt_learner_begin(both->rl);
    }
    return lgkt_nested_explain(learner, both->rl, state, reasons);
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    pair_of_learners *both = learner->self;
    LGKT_TRY(lgkt_nested_feed(learner, both->first, reward, next_state, ended));
    return lgkt_nested_feed(learner, both->rl, reward, next_state, ended);
}

static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **nested)
{
    const pair_of_learners *both = learner->self;
    *nested = i == 0 ? both->first : both->rl;
    return i < 2;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    switch_settings *set = settings;
    const pair_of_learners *model = learner->like;
    pair_of_learners *both = learner->self;
    const bool paper = set->profile == PROFILE_PAPER;
    if (set->first == NULL)
        set->first = paper ? "lg1t:profile=paper" : "lg1t";
    both->start = set->cutoff + paper;
    // a threshold table or function and a coin are meant for the learner that has them
    lgkt_nesting nesting = {
        .problem = learner->problem, .like = model != NULL ? model->first : NULL, .steered = true};
    LGKT_TRY(lgkt_nested_create(learner, set->first, &nesting, &both->first, error));
    nesting.like = model != NULL ? model->rl : NULL;
    nesting.steered = false;
    return lgkt_nested_create(learner, set->rl, &nesting, &both->rl, error);
}

// those of the two, one after the other
static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const pair_of_learners *both = learner->self;
    const int32_t first = lgkt_learner_counters(both->first, out, capacity);
    return lgkt_nested_counters(both->rl, first, out, capacity);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_INTEGER(switch_settings, cutoff, "cutoff", "10000", 0, 1e15,
                     "first step of the partner; with profile=paper the last step of the first"),
    LGKT_ROW_CHOICE(switch_settings, profile, "profile", "@released", "paper|released",
                    "as printed, where the first acts while t <= cutoff, or as the released code"),
    LGKT_ROW_TEXT(switch_settings, rl, "rl", "pmevi-klucrl",
                  "the partner: any learner that can be fed, e.g. rl=(ucrl2:delta=0.01)"),
    LGKT_ROW_TEXT(switch_settings, first, "first", "@by profile: lg1t:profile=paper, lg1t",
                  "who acts up to the cutoff"),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY_LACKING("lg1t-rl", params, "lg1t up to a cutoff, then a partner that has watched",
                       "algorithm LG1T-RL, section 6", "that of both", LGKT_TRAIT_SHARED)};

const lgkt_learner_class lgkt_switch_class = {
    LGKT_NAMES(names),  .self_size = sizeof(pair_of_learners),
    .create = create,   .act = act,
    .observe = observe, .explain = explain,
    .feed = feed,       .counters = counters,
    .within = within};
