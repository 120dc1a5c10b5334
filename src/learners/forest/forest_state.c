// SPDX-License-Identifier: MIT
// Saving and loading `forest`: the log from its oldest step on, then each tree from its root down, a
// node before what is below it and left before right. Where things lie in memory leaves no trace.
//
// What can be counted is counted anew: samples of cells, who led to whom. What is loaded may be made
// up: a step is in each tree once, at a leaf or on its way to one, and all numbers stay finite.

#include "learners/forest/forest.h"

#include <math.h>

// ---- the log ----

static void visit_step(const lgkt_learner *learner, int32_t number, lgkt_archive *archive)
{
    forest_step *step = &((forest *)learner->self)->steps[number];
    lgkt_visit_f64(archive, &step->r, 1);
    lgkt_visit_f64(archive, &step->y, 1);
    lgkt_visit_f64(archive, &step->w, 1);
    lgkt_visit_f64(archive, &step->u, 1);
    lgkt_visit_i32(archive, &step->action, 1, 0, learner->problem.actions - 1);
    lgkt_visit_i32(archive, &step->next, 1, 1, learner->problem.states - 1);
}

static void visit_log(const lgkt_learner *learner, lgkt_archive *archive)
{
    forest *f = learner->self;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    const int64_t states = learner->problem.states;
    lgkt_visit_i64(archive, &f->n, 1, 0, f->set.memory < states ? f->set.memory : states - 1);
    lgkt_visit_i64(archive, &f->end, 1, 0, f->n);
    lgkt_visit_i64(archive, &f->at, 1, 0, f->end);
    for (int64_t i = 0; i < f->n && !archive->bad; i++) {
        int32_t number = loads ? 0 : f->log[(f->first + i) % f->set.memory];
        lgkt_visit_i32(archive, &number, 1, 1, (int32_t)states - 1);
        if (archive->bad)
            return;
        visit_step(learner, number, archive);
        forest_step *step = &f->steps[number];
        if (!loads || archive->bad)
            continue;
        archive->bad |= step->known;
        step->known = true;
        step->round = f->round == (i < f->at || i >= f->end);
        if (step->next != number)
            f->steps[step->next].before = number;
        f->log[i] = number;
        for (int32_t tree = 0; tree < FOREST_TREES; tree++)
            forest_spots(f, number)[tree].node = -1; // it is in no tree yet
    }
}

// ---- trees ----

// The steps in a node, from the end of its list on: the last one to come in is the first. Returns how
// many they are.
static int32_t visit_list(lgkt_learner *learner, int32_t tree, int32_t node, lgkt_archive *archive)
{
    forest *f = learner->self;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int32_t count = f->nodes[node].listed, number = f->nodes[node].first, after = 0;
    while (!loads && number != 0 && (after = forest_spots(f, number)[tree].after) != 0)
        number = after;
    lgkt_visit_i32(archive, &count, 1, 0, (int32_t)f->n);
    for (int32_t i = 0; i < count && !archive->bad; i++) {
        lgkt_visit_i32(archive, &number, 1, 1, learner->problem.states - 1);
        if (!loads)
            number = forest_spots(f, number)[tree].prior;
        else if (!archive->bad)
            archive->bad = !lgkt_forest_join(learner, number, tree, node);
    }
    return count;
}

static void visit_cells(lgkt_learner *learner, int32_t node, lgkt_archive *archive)
{
    forest *f = learner->self;
    forest_cell *cells = forest_cells(f, learner, node);
    lgkt_visit_f64(archive, &f->nodes[node].sum_w, 1);
    lgkt_visit_f64(archive, &f->nodes[node].prior_w, 1);
    lgkt_visit_f64(archive, &f->nodes[node].due, 1);
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        lgkt_visit_f64(archive, &cells[a].sum_u, 1);
        lgkt_visit_f64(archive, &cells[a].prior, 1);
    }
}

// From node to node; a loaded one gets its children, still without anything.
static void visit_tree(lgkt_learner *learner, int32_t tree, lgkt_archive *archive)
{
    forest *f = learner->self;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int64_t count = 0;
    for (int32_t node = tree; node >= 0 && !archive->bad; node = lgkt_forest_next(f, node)) {
        int32_t feature = f->nodes[node].child > 0 ? f->nodes[node].cut.feature : -1;
        lgkt_visit_i32(archive, &feature, 1, -1, learner->records->dims - 1);
        if (archive->bad)
            return;
        if (feature >= 0 && loads && !lgkt_forest_branch(learner, node)) {
            lgkt_archive_starve(archive);
            return;
        }
        f->nodes[node].cut.feature = feature;
        if (feature >= 0)
            lgkt_visit_real(archive, &f->nodes[node].cut.edge, 1);
        else
            visit_cells(learner, node, archive);
        count += visit_list(learner, tree, node, archive);
    }
    archive->bad |= count != f->n; // each step is in each tree
}

void lgkt_forest_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    forest *f = learner->self;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    f->holds = !loads; // what is loaded holds its records once all of it is there
    visit_log(learner, archive);
    lgkt_visit_f64(archive, &f->spread.n, sizeof f->spread / sizeof(double));
    lgkt_visit_i64(archive, &f->linear.solving, 1, -1,
                   f->linear.rows * learner->problem.actions - 1);
    for (int32_t tree = 0; tree < FOREST_TREES && !archive->bad; tree++)
        visit_tree(learner, tree, archive);
    if (!loads || archive->bad)
        return;
    archive->bad |= !(f->k >= FOREST_LEAST_PRIOR) || !(f->sigma2 > 0) || !(f->depth >= 1) ||
                    !(f->low <= f->high) || f->taught < f->n;
    f->beta = 1 - 1 / f->depth;
}

// ---- records ----

static void hold_all(lgkt_learner *learner, void (*what)(lgkt_records *records, int32_t number))
{
    const forest *f = learner->self;
    for (int64_t i = 0; i < f->n; i++) {
        const int32_t number = f->log[(f->first + i) % f->set.memory];
        what(learner->records, number);
        what(learner->records, f->steps[number].next);
    }
}

void lgkt_forest_hold(lgkt_learner *learner)
{
    hold_all(learner, lgkt_records_hold);
    ((forest *)learner->self)->holds = true;
}

void lgkt_forest_release(lgkt_learner *learner)
{
    if (((forest *)learner->self)->holds)
        hold_all(learner, lgkt_records_release);
}
