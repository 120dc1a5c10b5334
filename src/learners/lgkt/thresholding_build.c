// SPDX-License-Identifier: MIT
// Making, growing, saving and destroying a learner of the LGKT family (thresholding.c).

#include "learners/lgkt/thresholding.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "core/error.h"
#include "plan/plan_private.h"

// up to here a scan at every choice of a sampler is faster than its cache (measured: 5 yes, 25 no)
#define FEW_ACTIONS 8

// ---- orders ----

static void set_rule(const lgkt_learner *learner, lgkt_order *order)
{
    const lgkt_thresholding *f = learner->self;
    order->actions = learner->problem.actions;
    order->high = f->set.ties == LGKT_PICK_HIGH;
    order->untried_first = f->set.untried == LGKT_UNTRIED_FIRST;
    order->rule = LGKT_RULE_INDEX;
    if (f->set.fallback == LGKT_FALLBACK_UNIFORM)
        order->rule = LGKT_RULE_UNIFORM;
    else if (order->high)
        order->rule = LGKT_RULE_RELEASED;
    // as a sampler only, depth 1 chooses about once in sqrt(n) steps; means have no cache
    order->lazy = f->set.candidates == LGKT_CANDIDATES_MEAN ||
                  (order == &f->shallow && f->deepens && order->actions <= FEW_ACTIONS);
    if (f->set.candidates == LGKT_CANDIDATES_MEAN)
        order->mean = lgkt_thresholding_mean;
    order->ctx = f;
}

// ---- samplers ----

// All samplers: the one for all, then those of the pairs. Only they may look at other states than
// the one at hand.
static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **sampler)
{
    const lgkt_thresholding *f = learner->self;
    const size_t pairs = (size_t)learner->capacity * (size_t)learner->problem.actions;
    if (i > (f->pair_samplers != NULL ? pairs : 0))
        return false;
    *sampler = i == 0 ? f->sampler : f->pair_samplers[i - 1];
    return true;
}

// the sampler of a pair, which is made if there is none; NULL when memory is out
static lgkt_learner *have_pair_sampler(lgkt_learner *learner, size_t z)
{
    lgkt_thresholding *f = learner->self;
    const lgkt_learner *pattern = f->sampler;
    if (f->pair_samplers[z] != NULL)
        return f->pair_samplers[z];
    lgkt_nesting nesting = {.problem = pattern->problem, .like = pattern, .spare = true};
    nesting.problem.states = learner->problem.states;
    lgkt_learner *made = NULL;
    if (lgkt_nested_create(learner, pattern->spec, &nesting, &made, NULL) != LGKT_OK)
        return NULL;
    // as much room as there is here, so that both grow together
    if (lgkt_learner_reserve(made, learner->capacity, NULL) != LGKT_OK) {
        lgkt_learner_destroy(made);
        return NULL;
    }
    return f->pair_samplers[z] = made;
}

lgkt_learner *lgkt_thresholding_sampler_of_run(lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    if (f->pair_samplers == NULL)
        return f->sampler;
    const size_t z = f->track.run.reference.z;
    const bool is_new = f->pair_samplers[z] == NULL;
    lgkt_learner *sampler = have_pair_sampler(learner, z);
    // one that is loaded has heard of them
    for (int32_t s = 0; is_new && sampler != NULL && s < learner->problem.states; s++)
        if (learner->offered != NULL)
            lgkt_nested_offer(learner, sampler, s);
    return sampler;
}

// samplers that may be fed, or that play the open run
static bool prepare(lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    const bool ready = f->sampler == NULL || lgkt_learner_prepare(f->sampler);
    if (f->pair_samplers == NULL || f->track.run.left == 0)
        return ready;
    lgkt_learner *sampler = lgkt_thresholding_sampler_of_run(learner);
    return ready && sampler != NULL && lgkt_learner_prepare(sampler);
}

// ---- creation ----

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
        learner->act =
            f->deepens ? lgkt_thresholding_act_deep_fixed : lgkt_thresholding_act_shallow_fixed;
    if (!f->deepens)
        learner->observe = lgkt_thresholding_observe_shallow;
    else if (plain)
        learner->observe = lgkt_thresholding_observe_plain;
}

static lgkt_status create_sampler(lgkt_learner *learner, const lgkt_thresholding_settings *set,
                                  const lgkt_thresholding *alike, lgkt_error *error)
{
    lgkt_thresholding *f = learner->self;
    learner->can_fail = f->per_pair;
    if (f->per_pair)
        learner->unpooled = "with sampler-scope=per-pair the sampler of a pair is in one run at a "
                            "time";
    // of this family: its limit would bound one level only
    for (const lgkt_learner *outer = learner->parent; outer != NULL; outer = outer->parent)
        if (f->per_pair && outer->class->destroy == learner->class->destroy &&
            ((const lgkt_thresholding *)outer->self)->per_pair)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "sampler-scope=per-pair within a sampler that is per pair itself");
    lgkt_nesting nesting = {.problem = learner->problem,
                            .like = alike != NULL ? alike->sampler : NULL};
    nesting.problem.reward_min = set->range.min;
    nesting.problem.reward_max = set->range.max;
    nesting.problem.reward_sd = set->range.sd;
    char spec[LGKT_MAX_SPEC + 1];
    LGKT_TRY(lgkt_thresholding_sampler_spec(set, spec, sizeof spec, error));
    return lgkt_nested_create(learner, spec, &nesting, &f->sampler, error);
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    const lgkt_thresholding_name *name = (const lgkt_thresholding_name *)learner->entry;
    lgkt_thresholding_settings *set = settings;
    lgkt_thresholding *f = learner->self;
    const lgkt_thresholding *alike = learner->like;
    const bool constant = lgkt_threshold_is_constant(&learner->threshold);
    if (name->rising && !constant)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "learner \"%s\" raises its own thresholds and takes no table or function",
                         learner->entry->name);
    LGKT_TRY(lgkt_thresholding_resolve(learner, set, &f->stages, error));

    f->name = name;
    f->set = *set;
    f->set.sampler = NULL; // the text belongs to the caller
    f->deepens = set->k > 1;
    f->rises = name->rising;
    f->taught = f->deepens && !lgkt_thresholding_samples_by_order(set);
    f->per_pair = f->taught && set->sampler_scope == LGKT_SCOPE_PAIR;
    f->linked = f->stages.count > 1 && set->phases != LGKT_PHASES_PRINTED;
    f->released = set->profile == LGKT_PROFILE_RELEASED && set->phases != LGKT_PHASES_PRINTED;
    f->fixed = !name->rising && constant;
    f->uses_shallow = !f->taught || f->stages.at[0].k == 1;
    f->track.previous = f->track.run.reference = lgkt_place_nowhere();
    f->track.eps = -1;
    f->raise_at = lgkt_log(f->released && set->k == 2 ? 20000 : (double)learner->problem.horizon);
    f->max_raises = set->max_raises == LGKT_UNSET_INTEGER ? INT64_MAX : set->max_raises;
    set_rule(learner, &f->shallow);
    set_rule(learner, &f->deep);
    const lgkt_widths_form form = {.width = set->width,
                                   .index = (lgkt_index_form)set->index,
                                   .coin = (lgkt_coin_form)set->coin,
                                   .p = set->p,
                                   .eta = set->eta,
                                   .horizon = learner->problem.horizon};
    f->widths =
        lgkt_widths_create(&form, alike != NULL ? alike->widths : NULL, &learner->allocator);
    if (f->widths == NULL)
        return lgkt_fail_memory(error, "the tables of a learner");
    learner->shared = lgkt_widths_bytes(f->widths);
    return f->taught ? create_sampler(learner, set, alike, error) : LGKT_OK;
}

static void destroy(lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    lgkt_widths_destroy(f->widths);
}

// ---- what is made, grown and saved by table; visit has the rest ----

#define CONTINUATION(member_, kind_)                                                               \
    LGKT_COLUMN(lgkt_thresholding, continuations, lgkt_per_pair, lgkt_continuation, member_,       \
                kind_),                                                                            \
        LGKT_IF(lgkt_thresholding, deepens)

static const lgkt_field fields[] = {
    {LGKT_NUMBER(lgkt_thresholding, stage, PLACE), LGKT_BELOW(lgkt_thresholding, stages.count)},
    // fed steps count too, so T is no bound
    {LGKT_COLUMN(lgkt_thresholding, pairs, lgkt_per_pair, lgkt_pair, phi, REAL)},
    {LGKT_COLUMN(lgkt_thresholding, pairs, lgkt_per_pair, lgkt_pair, n, COUNT)},
    {LGKT_PART(lgkt_thresholding, shallow, &lgkt_order_part)},
    {CONTINUATION(mc, REAL)},
    {CONTINUATION(v, REAL)},
    {CONTINUATION(nc, COUNT)},
    {CONTINUATION(late, COUNT)},
    {LGKT_PART(lgkt_thresholding, deep, &lgkt_order_part), LGKT_IF(lgkt_thresholding, deepens)},
    {LGKT_ARRAY(lgkt_thresholding, gammas, lgkt_per_state, REAL), LGKT_IF(lgkt_thresholding, rises),
     LGKT_FROM(lgkt_thresholding, set.threshold)},
    {LGKT_ARRAY(lgkt_thresholding, since, lgkt_per_state, COUNT),
     LGKT_IF(lgkt_thresholding, rises)},
    {LGKT_ARRAY(lgkt_thresholding, raises, lgkt_per_state, COUNT),
     LGKT_IF(lgkt_thresholding, rises)},
    {LGKT_ARRAY(lgkt_thresholding, pair_samplers, lgkt_per_pair, SCRATCH),
     LGKT_IF(lgkt_thresholding, per_pair)},
};

// ---- growing ----

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    const lgkt_thresholding *f = learner->self;
    lgkt_thresholding_derive(learner);
    (void)before;
    if (!f->per_pair)
        return LGKT_OK;
    const double pairs = (double)after * (double)learner->problem.actions;
    const double bytes = pairs * (double)lgkt_learner_bytes(f->sampler);
    if (bytes > (double)f->set.sampler_limit)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "sampler-scope=per-pair may need %.0f bytes, sampler-limit is %lld; "
                         "raise it, or use sampler-scope=shared",
                         bytes, (long long)f->set.sampler_limit);
    return LGKT_OK;
}

// ---- units ----

static size_t track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    lgkt_thresholding *f = learner->self;
    lgkt_thresholding_track *own = &f->track;
    if (!f->deepens)
        return 0;
    const size_t size = sizeof *own;
    if (bytes != NULL && way == LGKT_TRACK_OUT)
        memcpy(bytes, own, size);
    else if (bytes != NULL)
        memcpy(own, bytes, size);
    return size + lgkt_within_track(learner, way, bytes != NULL ? (char *)bytes + size : NULL);
}

// ---- saving ----

static void visit_place(const lgkt_learner *learner, lgkt_archive *archive, lgkt_place *at)
{
    lgkt_visit_i32(archive, &at->state, 1, -1, learner->problem.states - 1);
    lgkt_visit_i32(archive, &at->action, 1, at->state < 0 ? -1 : 0, learner->problem.actions - 1);
    if (archive->mode != LGKT_ARCHIVE_LOAD)
        return;
    if (archive->bad)
        *at = lgkt_place_nowhere(); // half a place must not be looked up
    else if (at->state >= 0)
        *at = lgkt_place_of(learner, at->state, at->action);
}

static void visit_own_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_thresholding *f = learner->self;
    lgkt_place *previous = &f->track.previous;
    lgkt_run *run = &f->track.run;
    visit_place(learner, archive, previous);
    lgkt_visit_f64(archive, &f->track.eps, 1);
    // what was played before has been visited, and without it there is no coin
    const bool played = previous->state >= 0 && f->pairs[previous->z].n > 0;
    archive->bad |= !played && (previous->state >= 0 || f->track.eps >= 0);
    visit_place(learner, archive, &run->reference);
    // a run has a reference, and the reference has been visited
    const bool refers = run->reference.state >= 0 && f->pairs[run->reference.z].n > 0;
    lgkt_visit_i64(archive, &run->left, 1, 0, refers ? f->k - 1 : 0);
    lgkt_visit_f64(archive, &run->total, 1);
    // A visit of a pair brings at most one continuation, so nc <= n. That of the open run is still
    // to be added to its reference, and the previous pair may still get its own: nc + 1 <= n for
    // both. Before the first step of a run these two are one and the same.
    if (f->deepens && archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad) {
        const size_t from = run->reference.z, last = previous->z;
        const bool in_run = run->left > 0;
        const bool apart = played && !(in_run && from == last && run->left == f->k - 1);
        const int64_t both = apart && from == last;
        archive->bad |= apart && f->continuations[last].nc + 1 > f->pairs[last].n;
        archive->bad |= in_run && f->continuations[from].nc + 1 + both > f->pairs[from].n;
    }
}

static void visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_thresholding *f = learner->self;
    if (!f->deepens)
        return;
    visit_own_track(learner, archive);
    lgkt_within_visit_track(learner, archive);
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_thresholding *f = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    if (archive->mode == LGKT_ARCHIVE_LOAD)
        f->k = f->stages.at[f->stage].k;
    // no stage begins before its time; one that the horizon sets may have had another
    archive->bad |=
        !f->name->adaptive && learner->t < f->stages.at[f->stage].start - (f->released ? 1 : 0);
    // only a visited pair has continuations
    for (size_t i = 0; f->deepens && i < pairs; i++)
        archive->bad |=
            f->continuations[i].nc > f->pairs[i].n || f->continuations[i].late > f->pairs[i].n;
    visit_own_track(learner, archive);
    lgkt_visit_tally(archive, &f->runs, 1);
    lgkt_visit_tally(archive, &f->run_steps, 1);
    if (f->sampler != NULL)
        lgkt_nested_visit(learner, f->sampler, archive);
    for (size_t z = 0; f->pair_samplers != NULL && z < pairs; z++) {
        int32_t made = f->pair_samplers[z] != NULL;
        // at depth 1 there is nothing to sample
        lgkt_visit_i32(archive, &made, 1, 0, f->k > 1);
        if (made == 0 || archive->bad)
            continue;
        lgkt_learner *sampler = have_pair_sampler(learner, z);
        if (sampler != NULL)
            lgkt_nested_visit(learner, sampler, archive);
        else
            lgkt_archive_starve(archive);
    }
}

static void loaded(lgkt_learner *learner)
{
    lgkt_thresholding_derive(learner);
    lgkt_thresholding_refresh_bounds(learner);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_thresholding *f = learner->self;
    const lgkt_counter all[] = {{"runs", f->runs}, {"run_steps", f->run_steps}};
    return lgkt_counters_write(all, f->deepens ? 2 : 0, out, capacity);
}

const lgkt_learner_class lgkt_thresholding_class = {
    LGKT_SELF(lgkt_thresholding, fields),
    LGKT_NAMES(lgkt_thresholding_names),
    .create = create,
    .destroy = destroy,
    .act = lgkt_thresholding_act,
    .observe = lgkt_thresholding_observe_deep,
    .explain = lgkt_thresholding_explain,
    .track = track,
    .visit_track = visit_track,
    .feed = lgkt_thresholding_feed,
    .begin = lgkt_thresholding_begin,
    .prepare = prepare,
    .grow = grow,
    .visit = visit,
    .loaded = loaded,
    .counters = counters,
    .within = within,
};
