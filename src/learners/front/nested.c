// SPDX-License-Identifier: MIT
// Learners within learners: a sampler of estimation runs, or the partner that takes over.
//
// The parent checks all calls and owns the clock and the random stream: a nested learner gets both
// for the time of a call, so that a whole composite draws from one stream, in one order.

#include "learners/front/learner_private.h"

lgkt_status lgkt_nested_create(lgkt_learner *parent, const char *spec, const lgkt_nesting *nesting,
                               lgkt_learner **nested, lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_of(parent);
    config.problem = nesting->problem;
    config.problem.masked = false; // what is offered is the parent's business
    config.like = nesting->like;
    if (!nesting->steered) {
        config.threshold = (lgkt_threshold){0};
        config.coin = NULL;
    }
    if (nesting->allocator != NULL)
        config.allocator = *nesting->allocator;
    const lgkt_origin origin = {.limit = parent->grows ? parent->limit : 0,
                                .parent = nesting->spare ? NULL : parent,
                                .saved_bytes = SIZE_MAX,
                                .saved = parent->saved,
                                .masked = parent->masked,
                                .born = parent->born,
                                .records = parent->records};
    lgkt_learner *made = NULL;
    LGKT_TRY(lgkt_learner_create_from(spec, &config, &origin, &made, error));
    const bool unfed = made->feed == NULL && !nesting->alone;
    if (unfed) {
        const char *name = made->entry->name, *why = made->class->unfed;
        lgkt_learner_destroy(made);
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "learner \"%s\" cannot serve \"%s\": it learns only from what it chose "
                         "itself%s%s",
                         name, parent->entry->name, why != NULL ? "; " : "",
                         why != NULL ? why : "");
    }
    if (parent->unpooled == NULL)
        parent->unpooled = made->unpooled;
    parent->can_fail |= made->can_fail;
    parent->may_exceed_horizon |= made->may_exceed_horizon;
    *nested = made;
    return LGKT_OK;
}

void lgkt_nested_lend(const lgkt_learner *parent, lgkt_learner *nested, int64_t last)
{
    const int64_t now = parent->t - nested->started;
    nested->allowed = parent->allowed;
    nested->offered = parent->offered;
    nested->unit = parent->unit;
    nested->t = now < last ? now : last;
    nested->rng = parent->rng;
    nested->problem.states = parent->problem.states;
    // the pair in play; when acting, its action is still to come
    nested->state = parent->state;
    nested->action = parent->action;
}

static int32_t act_with_loan(lgkt_learner *parent, lgkt_learner *nested, int32_t state)
{
    lgkt_nested_lend(parent, nested, nested->problem.horizon - 1);
    const int32_t action = lgkt_learner_act_now(nested, state);
    parent->rng = nested->rng;
    return action;
}

// an act that may fail gives back what was lent: clock and stream are saved with the learner
LGKT_COLD static int32_t try_to_act(lgkt_learner *parent, lgkt_learner *nested, int32_t state)
{
    const lgkt_rng own = nested->rng, lent = parent->rng;
    const int64_t t = nested->t;
    const int32_t action = act_with_loan(parent, nested, state);
    if (action < 0) {
        nested->rng = own;
        nested->t = t;
        parent->rng = lent;
    }
    return action;
}

int32_t lgkt_nested_act(lgkt_learner *parent, lgkt_learner *nested, int32_t state)
{
    return nested->can_fail ? try_to_act(parent, nested, state)
                            : act_with_loan(parent, nested, state);
}

lgkt_status lgkt_nested_observe(lgkt_learner *parent, lgkt_learner *nested, double reward,
                                int32_t next_state, bool ended)
{
    lgkt_nested_lend(parent, nested, nested->problem.horizon);
    const lgkt_status status = nested->observe(nested, reward, next_state, ended);
    parent->rng = nested->rng;
    return status;
}

lgkt_status lgkt_nested_feed(lgkt_learner *parent, lgkt_learner *nested, double reward,
                             int32_t next_state, bool ended)
{
    lgkt_nested_lend(parent, nested, nested->problem.horizon);
    return nested->feed(nested, reward, next_state, ended);
}

int32_t lgkt_nested_begin_and_act(lgkt_learner *parent, lgkt_learner *nested, int32_t state)
{
    lgkt_learner *who = nested;
    const lgkt_status status =
        nested->can_fail ? lgkt_learner_copy_for(nested, nested->problem.horizon, &who, NULL)
                         : LGKT_OK;
    if (status != LGKT_OK)
        return (int32_t)status;
    lgkt_learner_begin(who);
    const int32_t action = lgkt_nested_act(parent, who, state);
    if (who != nested && action >= 0)
        lgkt_learner_replace(nested, who);
    else if (who != nested)
        lgkt_learner_destroy(who);
    return action;
}

void lgkt_nested_visit(lgkt_learner *parent, lgkt_learner *nested, lgkt_archive *archive)
{
    nested->problem.states = parent->problem.states;
    nested->offered = parent->offered; // before `loaded` plans with it
    lgkt_learner_visit(nested, archive);
}

int32_t lgkt_nested_counters(const lgkt_learner *nested, int32_t used, lgkt_counter *out,
                             int32_t capacity)
{
    const int32_t left = used < capacity ? capacity - used : 0;
    return used + lgkt_learner_counters(nested, left > 0 ? out + used : NULL, left);
}

// ---- what a class does by itself, or its tracked numbers and the learners within do for it ----

lgkt_learner *lgkt_next_within(const lgkt_learner *learner, size_t *i)
{
    lgkt_learner *nested = NULL;
    while (learner->class->within != NULL && learner->class->within(learner, (*i)++, &nested))
        if (nested != NULL)
            return nested;
    return NULL;
}

void lgkt_learner_begin(lgkt_learner *learner)
{
    lgkt_learner *nested;
    if (learner->class->begin != NULL) {
        learner->class->begin(learner);
        return;
    }
    lgkt_fields_begin(learner);
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        lgkt_learner_begin(nested);
}

bool lgkt_learner_prepare(lgkt_learner *learner)
{
    lgkt_learner *nested;
    if (learner->class->prepare != NULL)
        return learner->class->prepare(learner);
    if (!lgkt_part_prepare(learner, &learner->class->whole, learner->self))
        return false;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        if (!lgkt_learner_prepare(nested))
            return false;
    return true;
}

void lgkt_nested_offer(lgkt_learner *parent, lgkt_learner *nested, int32_t state)
{
    // no clock and no stream: the act may fail, and these are saved
    nested->offered = parent->offered;
    nested->problem.states = parent->problem.states;
    lgkt_learner_offer(nested, state);
}

void lgkt_learner_offer(lgkt_learner *learner, int32_t state)
{
    lgkt_learner *nested;
    if (learner->class->offer != NULL)
        learner->class->offer(learner, state);
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        lgkt_nested_offer(learner, nested, state);
}

size_t lgkt_within_track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    lgkt_learner *nested;
    size_t size = 0;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        size += lgkt_learner_track(nested, way, bytes != NULL ? (char *)bytes + size : NULL);
    return size;
}

size_t lgkt_learner_track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    const lgkt_learner_class *class = learner->class;
    return class->track != NULL    ? class->track(learner, way, bytes)
           : class->within != NULL ? lgkt_within_track(learner, way, bytes)
                                   : lgkt_fields_track(learner, way, bytes);
}

void lgkt_within_visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_learner *nested;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;) {
        nested->problem.states = learner->problem.states;
        lgkt_learner_visit_track(nested, archive);
    }
}

void lgkt_learner_visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    const lgkt_learner_class *class = learner->class;
    if (class->visit_track != NULL)
        class->visit_track(learner, archive);
    else if (class->within != NULL)
        lgkt_within_visit_track(learner, archive);
    else
        lgkt_fields_visit_track(learner, archive);
}

int64_t lgkt_learner_memory(const lgkt_learner *learner)
{
    const lgkt_learner *nested;
    int64_t memory = learner->memory;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;) {
        const int64_t own = lgkt_learner_memory(nested);
        memory = own > 0 && (memory == 0 || own < memory) ? own : memory;
    }
    return memory;
}

void lgkt_learner_loaded(lgkt_learner *learner)
{
    lgkt_learner *nested;
    if (learner->class->loaded != NULL)
        learner->class->loaded(learner);
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        lgkt_learner_loaded(nested);
}
