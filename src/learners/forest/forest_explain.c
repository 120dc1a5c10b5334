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
#include <string.h>

#include "core/alloc.h"

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

// sums of what is below a node; of U for each action behind the first two
static void add_below(const lgkt_learner *learner, int32_t node, double *sums)
{
    const forest *f = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    memset(sums, 0, (2 + 2 * actions) * sizeof *sums);
    const int32_t end = f->nodes[node].parent;
    // down the tree below the node, and no further
    for (int32_t at = node; at >= 0; at = lgkt_forest_next(f, at)) {
        int32_t above = at;
        while (above != node && above >= 0 && above != end)
            above = f->nodes[above].parent;
        if (above != node)
            break;
        if (f->nodes[at].child > 0)
            continue;
        const forest_cell *cells = forest_cells(f, learner, at);
        sums[0] += f->nodes[at].listed;
        sums[1] += f->nodes[at].sum_w;
        for (size_t a = 0; a < actions; a++) {
            sums[2 + 2 * a] += cells[a].n;
            sums[3 + 2 * a] += cells[a].sum_u;
        }
    }
}

static double difference(const double *left, const double *right)
{
    if (!(left[0] > 0) || !(right[0] > 0))
        return 0;
    const double gap = left[1] / left[0] - right[1] / right[0];
    return left[0] * right[0] / (left[0] + right[0]) * gap * gap;
}

static void add_splits(const lgkt_learner *learner, double *left, double *right, lgkt_side *sides)
{
    const forest *f = learner->self;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++)
        for (int32_t node = tree; node >= 0; node = lgkt_forest_next(f, node)) {
            if (f->nodes[node].child == 0)
                continue;
            add_below(learner, f->nodes[node].child, left);
            add_below(learner, f->nodes[node].child + 1, right);
            for (int32_t a = 0; a <= learner->problem.actions; a++)
                sides[f->nodes[node].cut.feature].matter += difference(left + 2 * a, right + 2 * a);
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
    const size_t sums = 2 + 2 * (size_t)learner->problem.actions;
    double *left = lgkt_alloc_zeroed(&learner->allocator, 2 * sums, sizeof *left);
    if (left == NULL)
        return lgkt_fail_memory(error, "an explanation");
    int32_t leaf[FOREST_TREES];
    for (int32_t j = 0; j < dims; j++)
        sides[j] = (lgkt_side){-INFINITY, INFINITY, NAN, NAN, 0};
    lgkt_forest_find(learner, state, leaf);
    for (int32_t tree = 0; tree < FOREST_TREES; tree++)
        narrow(learner, leaf[tree], sides);
    add_splits(learner, left, left + sums, sides);
    add_columns(learner, sides);
    lgkt_free(&learner->allocator, left);
    double sum = 0;
    for (int32_t j = 0; j < dims; j++)
        sum += sides[j].matter;
    for (int32_t j = 0; j < dims; j++)
        sides[j].matter = sum > 0 ? sides[j].matter / sum : 0;
    return LGKT_OK;
}
