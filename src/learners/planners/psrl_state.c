// SPDX-License-Identifier: MIT
// The state of a learner by posterior sampling (psrl.c): room for it, saving, counters.
//
// A sample is drawn anew for every plan and not saved, but where there are masks, since choices
// among allowed actions rest on it, and with split=exact, whose sample is part of the law.

#include "learners/planners/psrl.h"

#include <math.h>

#include "core/error.h"

// ---- room ----

// room for a sample of so many states with so many successors
static bool make_room(lgkt_learner *learner, int32_t states, int64_t seen)
{
    lgkt_psrl *p = learner->self;
    return lgkt_vi_reserve(learner, &p->vi, lgkt_posterior_size(learner, &p->post, states, seen));
}

bool lgkt_psrl_prepare(lgkt_learner *learner)
{
    lgkt_psrl *p = learner->self;
    lgkt_successors *counts = &p->post.counts;
    const int64_t soon = counts->used + 2 < counts->most ? counts->used + 2 : counts->most;
    const int64_t twice = 2 * soon + 16;
    if (!lgkt_successors_prepare(learner, counts))
        return false;
    // where all room was taken at creation there is nothing to do
    if (lgkt_posterior_size(learner, &p->post, learner->capacity, soon) <= p->vi.capacity)
        return true;
    const int64_t ample = twice < counts->capacity ? twice : counts->capacity;
    return make_room(learner, learner->capacity, ample > soon ? ample : soon);
}

lgkt_status lgkt_psrl_grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    lgkt_psrl *p = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    const size_t old = (size_t)before, more = (size_t)after, tables = (size_t)p->most_tables;
    // a saved state has the tables whole, and a full sample
    const size_t states = (size_t)learner->problem.states;
    const size_t sample =
        p->set.split == LGKT_SPLIT_EXACT ? states * actions * states * (size_t)p->set.psi : 0;
    const lgkt_status status = lgkt_learner_claim(learner, states * tables + sample, error);
    if (status != LGKT_OK)
        return status;
    if (!lgkt_posterior_grow(learner, &p->post, before, after) ||
        !lgkt_vi_grow(learner, &p->vi, learner->problem.actions * p->post.copies, before, after))
        goto out;
    LGKT_RESIZE(learner, p->policy, old, more, out);
    LGKT_RESIZE(learner, p->visits, old * actions, more * actions, out);
    if (tables > 0)
        LGKT_RESIZE(learner, p->left, old * tables, more * tables, out);
    // a saved state, which may be made up, has room for what it holds
    const lgkt_successors *counts = &p->post.counts;
    if (!make_room(learner, after, learner->saved ? counts->used : counts->capacity))
        goto out;
    return LGKT_OK;
out:
    return lgkt_fail_memory(error, "a learner");
}

// ---- saving ----

// the sample that choices among allowed actions rest on; pairs that cannot be played are not in it
static void visit_sample(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_psrl *p = learner->self;
    lgkt_vi *vi = &p->vi;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    const size_t rows = (size_t)p->known * (size_t)vi->actions;
    int32_t places = 0;
    lgkt_visit_i64(archive, &p->ahead, 1, 0, p->tables);
    for (size_t i = 0; i < rows; i++) {
        lgkt_vi_row *row = &vi->rows[i];
        double reward = row->reward > -INFINITY ? row->reward : 0;
        lgkt_visit_f64(archive, &reward, 1);
        lgkt_visit_f64(archive, &row->base, 1);
        lgkt_visit_i32(archive, &row[1].start, 1, places, (int32_t)vi->capacity);
        if (archive->bad)
            return;
        places = row[1].start;
        if (loads)
            row->reward = lgkt_learner_offers(learner, i / (size_t)vi->copies) ? reward : -INFINITY;
    }
    lgkt_visit_i32(archive, vi->next, (size_t)places, 0, learner->problem.states - 1);
    lgkt_visit_f64(archive, vi->weight, (size_t)places);
    if (loads)
        vi->states = p->known;
}

void lgkt_psrl_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_psrl *p = learner->self;
    const int32_t states = learner->problem.states, last = learner->problem.actions - 1;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int32_t planned = p->planned, enough = p->enough, unitless = p->unitless;
    lgkt_posterior_visit(learner, &p->post, archive);
    if (loads && !archive->bad && !make_room(learner, learner->capacity, p->post.counts.used))
        lgkt_archive_starve(archive);
    lgkt_vi_visit(learner, &p->vi, archive);
    lgkt_visit_i32(archive, &planned, 1, 0, 1);
    lgkt_visit_i32(archive, &enough, 1, 0, 1);
    if (loads) {
        p->planned = planned != 0;
        p->enough = enough != 0;
    }
    lgkt_visit_i64(archive, &p->started, 1, 0, LGKT_MAX_COUNT);
    lgkt_visit_i64(archive, &p->length, 1, 1, LGKT_MAX_COUNT);
    lgkt_visit_i32(archive, &p->known, 1, 0, states);
    lgkt_visit_i32(archive, p->policy, (size_t)states, 0, last);
    for (size_t z = 0; z < pairs; z++)
        lgkt_visit_i64(archive, &p->visits[z], 1, 0, (int64_t)p->post.counts.rows[z].n);
    lgkt_visit_f64(archive, &p->gain, 1);
    lgkt_visit_tally(archive, &p->resampled, 1);
    // plans up to another end are of no use, and their tables may have another size
    const bool anew = archive->retimed && p->most_tables > 0;
    if (!anew) {
        lgkt_visit_i64(archive, &p->tables, 1, planned != 0 && p->most_tables > 0, p->most_tables);
        lgkt_visit_i32(archive, p->left, (size_t)states * (size_t)p->most_tables, 0, last);
    }
    if (loads && anew) {
        p->tables = 1;
        p->known = 0;
    }
    if (p->set.split == LGKT_SPLIT_EXACT)
        lgkt_visit_f64(archive, p->vi.weight, pairs * (size_t)states * (size_t)p->post.copies);
    if (learner->offered == NULL)
        return;
    lgkt_visit_i32(archive, &unitless, 1, 0, 1);
    p->unitless = unitless != 0;
    if (planned != 0 && !anew)
        visit_sample(learner, archive);
}

int32_t lgkt_psrl_counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_psrl *p = learner->self;
    const lgkt_counter all[] = {{"resamplings", p->resampled},
                                {"sweeps", p->vi.sweeps},
                                {"sweep_cap_hits", p->vi.cap_hits},
                                {"rewards_clipped", p->post.clipped}};
    return lgkt_counters_write(all, p->set.law == LGKT_LAW_BETA ? 4 : 3, out, capacity);
}
