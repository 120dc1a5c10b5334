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
    (void)before;
    const lgkt_psrl *p = learner->self;
    // a saved state, which may be made up, has room for what it holds
    const lgkt_successors *counts = &p->post.counts;
    const bool fits = make_room(learner, after, learner->saved ? counts->used : counts->capacity);
    return fits ? LGKT_OK : lgkt_fail_memory(error, "a learner");
}

const lgkt_field lgkt_psrl_fields[LGKT_PSRL_FIELDS] = {
    {LGKT_PART(lgkt_psrl, post, &lgkt_posterior_part)},
    {LGKT_PART(lgkt_psrl, vi, &lgkt_vi_part)},
    {LGKT_NUMBER(lgkt_psrl, planned, FLAG)},
    {LGKT_NUMBER(lgkt_psrl, enough, FLAG)},
    {LGKT_NUMBER(lgkt_psrl, started, COUNT)},
    {LGKT_NUMBER(lgkt_psrl, length, COUNT)},
    {LGKT_NUMBER(lgkt_psrl, known, STATES_KNOWN)},
    {LGKT_ARRAY(lgkt_psrl, policy, lgkt_per_state, ACTION)},
    {LGKT_ARRAY(lgkt_psrl, visits, lgkt_per_pair, SCRATCH)},
    {LGKT_ARRAY(lgkt_psrl, ties, lgkt_per_action, SCRATCH), LGKT_TIMES(lgkt_psrl, set.psi)},
    {LGKT_ARRAY(lgkt_psrl, left, lgkt_per_state, SCRATCH), LGKT_TIMES(lgkt_psrl, most_tables)},
    {LGKT_NUMBER(lgkt_psrl, resampled, TALLY)},
    {LGKT_NUMBER(lgkt_psrl, unitless, FLAG)},
};

// ---- saving ----

// the sample that choices among allowed actions rest on; pairs that cannot be played are not in it
static void visit_sample(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_psrl *p = learner->self;
    lgkt_vi *vi = &p->vi;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    const size_t rows = (size_t)p->known * (size_t)vi->actions;
    int32_t places = 0;
    lgkt_visit_i64(archive, &p->planned_steps, 1, 0, p->tables);
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
    if (loads && !archive->bad && !make_room(learner, learner->capacity, p->post.counts.used))
        lgkt_archive_starve(archive);
    archive->bad |= p->length < 1;
    for (size_t z = 0; z < pairs; z++)
        lgkt_visit_i64(archive, &p->visits[z], 1, 0, (int64_t)p->post.counts.rows[z].n);
    // plans up to another end are of no use, and their tables may have another size
    const bool anew = archive->retimed && p->most_tables > 0;
    if (!anew) {
        lgkt_visit_i64(archive, &p->tables, 1, p->planned && p->most_tables > 0, p->most_tables);
        lgkt_visit_i32(archive, p->left, (size_t)states * (size_t)p->most_tables, 0, last);
    }
    if (loads && anew) {
        p->tables = 1;
        p->known = 0;
    }
    if (p->set.split == LGKT_SPLIT_EXACT)
        lgkt_visit_f64(archive, p->vi.weight, pairs * (size_t)states * (size_t)p->post.copies);
    if (learner->offered != NULL && p->planned && !anew)
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
