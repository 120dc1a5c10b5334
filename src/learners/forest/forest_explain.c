// SPDX-License-Identifier: MIT
// What `forest` can say of a record besides its actions: the box around it in which it takes all
// records for alike, and how much each feature matters.
//
// The box is what the boxes of its leaves have in common. A feature matters as much as what it
// explains of W and U: at each split on it n_L n_R/(n_L + n_R) times the squared difference of the two
// sides, of W over all actions and of U for each, in all trees; and M n_a w_a^2 for each of its columns
// in the linear part, where that counts. They are given as shares of their sum.

#include "learners/forest/forest.h"

#include <math.h>

#include "core/alloc.h"

// numbers for each node
#define SUMS(actions_) (2 + 2 * (size_t)(actions_))

// the box of one leaf makes the common one smaller
static void narrow(const lgkt_learner *learner, int32_t leaf, lgkt_side *sides)
{
    const forest *f = learner->self;
    for (int32_t node = leaf; f->nodes[node].parent >= 0; node = f->nodes[node].parent) {
        const forest_node *split = &f->nodes[f->nodes[node].parent];
        const bool left = node == split->child;
        lgkt_side *side = &sides[split->cut.feature];
        if (isnan(split->cut.edge))
            side->missing = left;
        else if (learner->records->kinds[split->cut.feature].type != LGKT_KIND_NUMBER)
            side->category = left ? split->cut.edge : side->category;
        else if (left)
            side->high = fmin(side->high, split->cut.edge);
        else
            side->low = fmax(side->low, split->cut.edge);
    }
}

static double difference(const double *left, const double *right)
{
    if (!(left[0] > 0) || !(right[0] > 0))
        return 0;
    const double gap = left[1] / left[0] - right[1] / right[0];
    return left[0] * right[0] / (left[0] + right[0]) * gap * gap;
}

// What is below each node: samples and sum of W, then samples and sum of U of each action.
static void add_up(const lgkt_learner *learner, int32_t tree, double *sums)
{
    const forest *f = learner->self;
    const int32_t actions = learner->problem.actions;
    for (int32_t leaf = tree; leaf >= 0; leaf = lgkt_forest_next(f, leaf)) {
        if (f->nodes[leaf].child > 0)
            continue;
        const forest_cell *cells = forest_cells(f, learner, leaf);
        for (int32_t at = leaf; at >= 0; at = f->nodes[at].parent) {
            double *own = sums + (size_t)at * SUMS(actions);
            own[0] += f->nodes[leaf].listed;
            own[1] += f->nodes[leaf].sum_w;
            for (int32_t a = 0; a < actions; a++) {
                own[2 + 2 * a] += cells[a].n;
                own[3 + 2 * a] += cells[a].sum_u;
            }
        }
    }
}

static void add_splits(const lgkt_learner *learner, int32_t tree, const double *sums,
                       lgkt_side *sides)
{
    const forest *f = learner->self;
    const int32_t actions = learner->problem.actions;
    for (int32_t node = tree; node >= 0; node = lgkt_forest_next(f, node)) {
        const double *left = sums + (size_t)f->nodes[node].child * SUMS(actions);
        for (int32_t a = 0; a <= actions && f->nodes[node].child > 0; a++)
            sides[f->nodes[node].cut.feature].matter +=
                difference(left + 2 * a, left + 2 * a + SUMS(actions));
    }
}

static void add_columns(const lgkt_learner *learner, lgkt_side *sides)
{
    const forest_linear *l = &((const forest *)learner->self)->linear;
    for (int32_t a = 0; a < learner->problem.actions && l->on; a++) {
        const double *w = l->now.w + (size_t)a * (size_t)l->rows;
        const double n = l->sums.g[(size_t)a * (size_t)l->size];
        for (int64_t j = 1; j <= l->columns; j++)
            sides[l->feature[j]].matter += FOREST_TREES * n * w[j] * w[j];
    }
}

lgkt_status lgkt_forest_describe(lgkt_learner *learner, int32_t state, lgkt_side *sides,
                                 lgkt_error *error)
{
    const int32_t dims = learner->records->dims;
    const forest *f = learner->self;
    const size_t count = (size_t)f->node_count * SUMS(learner->problem.actions);
    double *sums = lgkt_alloc_zeroed(&learner->allocator, count, sizeof *sums);
    if (sums == NULL)
        return lgkt_fail_memory(error, "an explanation");
    int32_t leaf[FOREST_TREES];
    for (int32_t j = 0; j < dims; j++)
        sides[j] = (lgkt_side){-INFINITY, INFINITY, NAN, NAN, 0};
    lgkt_forest_find(learner, state, leaf);
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        narrow(learner, leaf[tree], sides);
        add_up(learner, tree, sums);
        add_splits(learner, tree, sums, sides);
    }
    lgkt_free(&learner->allocator, sums);
    add_columns(learner, sides);
    double sum = 0;
    for (int32_t j = 0; j < dims; j++)
        sum += sides[j].matter;
    for (int32_t j = 0; j < dims; j++)
        sides[j].matter = sum > 0 ? sides[j].matter / sum : 0;
    return LGKT_OK;
}
