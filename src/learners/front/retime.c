// SPDX-License-Identifier: MIT
// A horizon that moves: a learner is made anew from its full spec with the other horizon, and takes
// over the state of the old one, bit by bit.
//
// So every learner can do it, and what it becomes is what loading its state with the new horizon
// would give. The new one is whole before the old one is given up.

#include "learners/front/learner_private.h"

#include "core/alloc.h"

lgkt_learner_config lgkt_learner_config_of(const lgkt_learner *learner)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.model = learner->problem.model;
    config.problem.change = learner->problem.change;
    config.threshold = learner->threshold;
    config.coin = learner->coin;
    config.coin_ctx = learner->coin_ctx;
    config.seed = learner->seed;
    config.instance = learner->instance;
    config.like = learner;
    config.allocator = learner->allocator;
    return config;
}

lgkt_status lgkt_learner_copy_for(const lgkt_learner *learner, int64_t horizon, lgkt_learner **copy,
                                  lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_of(learner);
    config.problem = learner->problem;
    config.problem.horizon = horizon;
    // walks only read when they save, but are written for loading too
    lgkt_learner *from = (lgkt_learner *)learner;
    const bool retimed = horizon != learner->problem.horizon;
    lgkt_archive archive = lgkt_archive_save(NULL, 0);
    archive.retimed = retimed;
    lgkt_learner_visit(from, &archive);
    const size_t size = archive.at;
    unsigned char *bytes = lgkt_alloc_zeroed(&learner->allocator, size, 1);
    if (bytes == NULL)
        return lgkt_fail_memory(error, "a copy of a learner");
    archive = lgkt_archive_save(bytes, size);
    archive.retimed = retimed;
    lgkt_learner_visit(from, &archive);

    const lgkt_origin origin = {.limit = learner->grows ? learner->limit : 0,
                                .saved_bytes = SIZE_MAX,
                                .saved = learner->saved,
                                .masked = learner->masked,
                                .born = learner->born,
                                .records = learner->records};
    lgkt_learner *made = NULL;
    lgkt_status status = lgkt_learner_create_from(learner->spec, &config, &origin, &made, error);
    // a learner that this one is within believes in the room that there is
    if (status == LGKT_OK)
        status = lgkt_learner_reserve(made, learner->capacity, error);
    if (status == LGKT_OK) {
        // a nested one was lent what its parent has, and has more to save for that
        if (!made->problem.masked)
            made->offered = from->offered;
        archive = lgkt_archive_load(bytes, size);
        archive.retimed = retimed;
        lgkt_learner_visit(made, &archive);
        if (archive.bad || archive.at != size)
            status = archive.starved
                         ? lgkt_fail_memory(error, "a copy of a learner")
                         : lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                                     "learner \"%s\" cannot take its state to a horizon of %lld",
                                     learner->entry->name, (long long)horizon);
    }
    lgkt_free(&learner->allocator, bytes);
    if (status != LGKT_OK) {
        lgkt_learner_destroy(made);
        return status;
    }
    made->fed = learner->fed;
    made->started = learner->started;
    made->writer = learner->writer;
    made->must_prepare |= learner->must_prepare;
    if (made->phase != LGKT_PHASE_OBSERVE)
        made->phase = made->t < horizon ? LGKT_PHASE_ACT : LGKT_PHASE_OVER;
    lgkt_learner_loaded(made);
    *copy = made;
    return LGKT_OK;
}

void lgkt_learner_replace(lgkt_learner *learner, lgkt_learner *made)
{
    // the handle stays: what is behind it changes places
    const lgkt_learner old = *learner;
    *learner = *made;
    learner->parent = old.parent;
    learner->refusal = old.refusal;
    learner->allowed = old.allowed;
    learner->unit = old.unit;
    // those within that have a parent have it for theirs
    lgkt_learner *nested;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        nested->parent = nested->parent != NULL ? learner : NULL;
    *made = old;
    lgkt_learner_destroy(made);
}

lgkt_status lgkt_learner_retime(lgkt_learner *learner, int64_t horizon, lgkt_error *error)
{
    lgkt_learner *made = NULL;
    const lgkt_status status = lgkt_learner_copy_for(learner, horizon, &made, error);
    if (status == LGKT_OK)
        lgkt_learner_replace(learner, made);
    return status;
}

lgkt_status lgkt_learner_copy(const lgkt_learner *learner, lgkt_learner **copy, lgkt_error *error)
{
    if (learner == NULL || copy == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "learner and copy must not be NULL");
    return lgkt_learner_copy_for(learner, learner->problem.horizon, copy, error);
}

lgkt_status lgkt_learner_set_horizon(lgkt_learner *learner, int64_t horizon)
{
    if (learner == NULL)
        return LGKT_ERR_ARGUMENT;
    const int64_t least = learner->t + (learner->phase == LGKT_PHASE_OBSERVE);
    if (horizon < least || horizon < 1)
        return lgkt_fail(&learner->refusal, LGKT_ERR_ARGUMENT,
                         "horizon %lld must be at least %lld, the steps begun so far",
                         (long long)horizon, (long long)(least > 1 ? least : 1));
    if (horizon == learner->problem.horizon)
        return LGKT_OK;
    return lgkt_learner_retime(learner, horizon, &learner->refusal);
}
