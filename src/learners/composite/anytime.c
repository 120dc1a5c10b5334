// SPDX-License-Identifier: MIT
// A run with no known end: a learner that is told one horizon after the other, each twice as long.
//
//   t = 0          the learner within is told that the run has N = `first` steps
//   t = told / 2   it is told 2 told, and keeps all that it has learned
//
// So it is told N, 2N, 4N, .., and always believes that at least as much is still to come as there
// was. (The usual trick tells it at t = told. Then it stops exploring ahead of every telling:
// `auto` earned 1.3% less on the 10 states of the paper, and 0.2 to 0.3% less in this way.) Nothing
// starts anew (retime.c): between two tellings it is the learner within, bit for bit. The horizon
// that the caller gives is where the run stops and nothing else, so that runs with other ends begin
// alike. What depends on the horizon follows what was told; parameters that were computed from it
// keep the value that they had for N.
//
// What explain says is what the learner within says.
//
// Cost: a telling takes the time and memory of a save and a load, log2(2T / N) times a run. It is
// done by the act that needs it: if memory is out the act is refused, and nothing has changed.
// Memory: that of the learner within.

#include "learners/front/learner_private.h"

typedef struct anytime_settings {
    const char *of;
    int64_t first;
} anytime_settings;

typedef struct anytime {
    int64_t first;
    lgkt_learner *inner; // its horizon is what it was told
} anytime;

// ---- steps ----

static int64_t twice(int64_t told)
{
    return told > INT64_MAX / 2 ? INT64_MAX : 2 * told;
}

// what it must be told before it acts; what it was told already, as long as that is enough
static int64_t telling(const lgkt_learner *learner)
{
    const anytime *any = learner->self;
    int64_t told = any->inner->problem.horizon;
    while (told / 2 <= learner->t && told < INT64_MAX)
        told = twice(told);
    return told;
}

// also among some actions: those are lent
static int32_t act(lgkt_learner *learner, int32_t state)
{
    anytime *any = learner->self;
    const int64_t horizon = telling(learner);
    if (horizon == any->inner->problem.horizon)
        return lgkt_nested_act(learner, any->inner, state);
    lgkt_learner *told = NULL;
    const lgkt_status status = lgkt_learner_copy_for(any->inner, horizon, &told, NULL);
    if (status != LGKT_OK)
        return (int32_t)status;
    const int32_t action = lgkt_nested_act(learner, told, state);
    if (action >= 0)
        lgkt_learner_replace(any->inner, told);
    else
        lgkt_learner_destroy(told);
    return action;
}

// Steps that somebody else chose may take it far beyond what it was told. It is told what is new at
// its next act, and its clock stands still until then.

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    const anytime *any = learner->self;
    return lgkt_nested_observe(learner, any->inner, reward, next_state, ended);
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    const anytime *any = learner->self;
    return lgkt_nested_feed(learner, any->inner, reward, next_state, ended);
}

static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **nested)
{
    *nested = ((const anytime *)learner->self)->inner;
    return i == 0;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    anytime *any = learner->self;
    // without memory for it there are no reasons
    const int64_t horizon = telling(learner);
    if (horizon > any->inner->problem.horizon && learner->phase == LGKT_PHASE_ACT &&
        (!learner->is_copy || lgkt_learner_retime(any->inner, horizon, NULL) != LGKT_OK))
        return learner->is_copy;
    return lgkt_nested_explain(learner, any->inner, state, reasons);
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    const anytime_settings *set = settings;
    const anytime *model = learner->like;
    anytime *any = learner->self;
    any->first = set->first;
    learner->can_fail = true;
    lgkt_nesting nesting = {.problem = learner->problem,
                            .like = model != NULL ? model->inner : NULL,
                            .steered = true,
                            .alone = true};
    nesting.problem.horizon = any->first;
    LGKT_TRY(lgkt_nested_create(learner, set->of, &nesting, &any->inner, error));
    if (any->inner->feed == NULL)
        learner->feed = NULL;
    return LGKT_OK;
}

// What it was told comes first, and a learner that is loaded is told it before the rest.
static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    anytime *any = learner->self;
    int64_t told = any->inner->problem.horizon;
    lgkt_visit_i64(archive, &told, 1, any->first, INT64_MAX);
    if (archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad && told > any->first) {
        int64_t known = any->first;
        while (known < told)
            known = twice(known);
        // it was told nothing before its time
        archive->bad = known != told || told / 4 > learner->t;
        any->inner->problem.states = learner->problem.states;
        if (!archive->bad && lgkt_learner_retime(any->inner, told, NULL) != LGKT_OK)
            lgkt_archive_starve(archive);
    }
    lgkt_nested_visit(learner, any->inner, archive);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const anytime *any = learner->self;
    const lgkt_counter told = {"told", any->inner->problem.horizon};
    const int32_t own = lgkt_counters_write(&told, 1, out, capacity);
    return lgkt_nested_counters(any->inner, own, out, capacity);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_TEXT(anytime_settings, of, "of", "auto",
                  "the learner that is told: any, e.g. of=(lg2t:threshold=0.9)"),
    LGKT_ROW_INTEGER(anytime_settings, first, "first", "1000", 1, 1e15,
                     "the first horizon that it is told; the next ones are twice as long each"),
};

static const lgkt_entry names[] = {LGKT_ENTRY(
    "anytime", params, "a learner for runs whose end is not known: told longer and longer horizons",
    "ours: the doubling trick without restarts", "that of the learner")};

const lgkt_learner_class lgkt_anytime_class = {
    LGKT_NAMES(names),
    .self_size = sizeof(anytime),
    .takes = LGKT_TAKES_EITHER,
    .create = create,
    .act = act,
    .observe = observe,
    .feed = feed,
    .unfed = "the learner that it tells cannot",
    .explain = explain,
    .visit = visit,
    .counters = counters,
    .within = within,
};
