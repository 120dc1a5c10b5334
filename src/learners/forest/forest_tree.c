// SPDX-License-Identifier: MIT
// The trees of `forest`: finding leaves, sums over their samples, splits and merges.
//
// A leaf has its samples in a list, the newest first. When it splits, FOREST_MOVES of them move to the
// leaves below. Others stay in its list until they are looked up, by a replay or the round over the
// log: the sums of a leaf are those of what has arrived. So no step does more than a few.

#include "learners/forest/forest.h"

#include <math.h>
#include <string.h>

bool lgkt_forest_is_left(const lgkt_learner *learner, const forest_cut *cut, const double *x)
{
    const double value = x[cut->feature];
    if (isnan(cut->edge))
        return isnan(value);
    const bool is_number = learner->records->kinds[cut->feature].type == LGKT_KIND_NUMBER;
    return is_number ? value <= cut->edge : value == cut->edge;
}

// the leaf below a node where a record belongs
static int32_t descend(const lgkt_learner *learner, int32_t node, const double *x)
{
    const forest *f = learner->self;
    while (f->nodes[node].child > 0) {
        const forest_node *at = &f->nodes[node];
        node = at->child + !lgkt_forest_is_left(learner, &at->cut, x);
    }
    return node;
}

// ---- lists ----

static void link(forest *f, int32_t step, int32_t tree, int32_t node)
{
    forest_node *at = &f->nodes[node];
    forest_spot *spot = &forest_spots(f, step)[tree];
    *spot = (forest_spot){.node = node, .after = at->first};
    if (at->first != 0)
        forest_spots(f, at->first)[tree].prior = step;
    at->first = step;
    at->listed++;
}

static void unlink(forest *f, int32_t step, int32_t tree)
{
    const forest_spot *spot = &forest_spots(f, step)[tree];
    forest_node *at = &f->nodes[spot->node];
    if (spot->prior != 0)
        forest_spots(f, spot->prior)[tree].after = spot->after;
    else
        at->first = spot->after;
    if (spot->after != 0)
        forest_spots(f, spot->after)[tree].prior = spot->prior;
    at->listed--;
}

// a step's numbers come into the sums of a leaf (sign 1), or go
static void add(const lgkt_learner *learner, int32_t leaf, const forest_step *step, double sign)
{
    forest *f = learner->self;
    forest_cell *cell = &forest_cells(f, learner, leaf)[step->action];
    f->nodes[leaf].sum_w += sign * step->w;
    cell->n += sign;
    cell->sum_u = cell->n > 0 ? cell->sum_u + sign * step->u : 0;
}

// into the leaf below a node
static int32_t put(lgkt_learner *learner, int32_t step, int32_t tree, int32_t node)
{
    forest *f = learner->self;
    const int32_t leaf = descend(learner, node, lgkt_learner_record(learner, step));
    link(f, step, tree, leaf);
    add(learner, leaf, &f->steps[step], 1);
    f->work += 2;
    return leaf;
}

// a step that waits in a node moves to its leaf
static void move(lgkt_learner *learner, int32_t step, int32_t tree)
{
    forest *f = learner->self;
    const int32_t node = forest_spots(f, step)[tree].node;
    unlink(f, step, tree);
    put(learner, step, tree, node);
}

// ---- looking up ----

void lgkt_forest_find(lgkt_learner *learner, int32_t number, int32_t leaf[FOREST_TREES])
{
    forest *f = learner->self;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        if (!f->steps[number].known) {
            leaf[tree] = descend(learner, tree, lgkt_learner_record(learner, number));
            continue;
        }
        forest_spot *spot = &forest_spots(f, number)[tree];
        if (f->nodes[spot->node].child > 0)
            move(learner, number, tree);
        leaf[tree] = spot->node;
    }
    f->work += FOREST_TREES;
}

// ---- steps in, changed, and out ----

void lgkt_forest_insert(lgkt_learner *learner, int32_t step)
{
    forest *f = learner->self;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        const int32_t leaf = put(learner, step, tree, tree);
        if (f->nodes[leaf].listed >= f->nodes[leaf].due)
            lgkt_forest_test(learner, tree, leaf);
    }
}

void lgkt_forest_change(lgkt_learner *learner, int32_t number, double w, double u)
{
    forest *f = learner->self;
    forest_step *step = &f->steps[number];
    const double more_w = w - step->w, more_u = u - step->u;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        const int32_t node = forest_spots(f, number)[tree].node;
        if (f->nodes[node].child > 0)
            continue; // it has not arrived, and will bring them
        f->nodes[node].sum_w += more_w;
        forest_cells(f, learner, node)[step->action].sum_u += more_u;
    }
    f->work += 2 * FOREST_TREES;
    step->w = w;
    step->u = u;
}

// two leaves with few samples become one again
static void merge(lgkt_learner *learner, int32_t node)
{
    forest *f = learner->self;
    forest_node *at = &f->nodes[node];
    const int32_t actions = learner->problem.actions, child = at->child;
    forest_node *both = &f->nodes[child];
    forest_cell *cells = forest_cells(f, learner, node);
    const forest_cell *left = forest_cells(f, learner, child);
    const forest_cell *right = forest_cells(f, learner, child + 1);
    at->sum_w = both[0].sum_w + both[1].sum_w;
    for (int32_t a = 0; a < actions; a++) {
        cells[a].n = left[a].n + right[a].n;
        cells[a].sum_u = left[a].sum_u + right[a].sum_u;
        cells[a].prior = (left[a].prior + right[a].prior) / 2;
    }
    at->prior_w = (both[0].prior_w + both[1].prior_w) / 2;
    at->due = FOREST_TEST;
    at->child = 0;
    f->work += 2 * actions;
    both->parent = (int32_t)f->free_pairs;
    f->free_pairs = child;
    f->leaves--;
}

// the samples of a leaf that was merged go to the list of its parent
static void take_list(forest *f, int32_t tree, int32_t from, int32_t to)
{
    while (f->nodes[from].first != 0) {
        const int32_t step = f->nodes[from].first;
        unlink(f, step, tree);
        link(f, step, tree, to);
        f->work++;
    }
}

static void merge_small(lgkt_learner *learner, int32_t tree, int32_t leaf)
{
    forest *f = learner->self;
    for (int32_t node = f->nodes[leaf].parent; node >= 0; node = f->nodes[node].parent) {
        const int32_t child = f->nodes[node].child;
        const forest_node *both = &f->nodes[child];
        if (both[0].child > 0 || both[1].child > 0 || f->nodes[node].listed > 0 ||
            both[0].listed + both[1].listed >= FOREST_TEST)
            return;
        merge(learner, node);
        take_list(f, tree, child + 1, node);
        take_list(f, tree, child, node);
    }
}

void lgkt_forest_remove(lgkt_learner *learner, int32_t number)
{
    forest *f = learner->self;
    const forest_step *step = &f->steps[number];
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        const int32_t node = forest_spots(f, number)[tree].node;
        unlink(f, number, tree);
        if (f->nodes[node].child > 0)
            continue;
        forest_node *at = &f->nodes[node];
        if (at->listed == 0)
            at->prior_w = at->sum_w;
        add(learner, node, step, -1);
        if (at->listed == 0)
            at->sum_w = 0;
        merge_small(learner, tree, node);
    }
    f->work += 2 * FOREST_TREES;
}

// ---- from node to node ----

int32_t lgkt_forest_next(const forest *f, int32_t node)
{
    if (f->nodes[node].child > 0)
        return f->nodes[node].child;
    while (f->nodes[node].parent >= 0 && node != f->nodes[f->nodes[node].parent].child)
        node = f->nodes[node].parent;
    return f->nodes[node].parent >= 0 ? node + 1 : -1;
}

bool lgkt_forest_branch(lgkt_learner *learner, int32_t node)
{
    forest *f = learner->self;
    int32_t child = (int32_t)f->free_pairs;
    if (child > 0) {
        f->free_pairs = f->nodes[child].parent;
    } else {
        child = (int32_t)f->node_count;
        if (child + 2 > f->node_capacity && !lgkt_forest_reserve_nodes(learner, 2 * (child + 2)))
            return false;
        f->node_count += 2;
    }
    f->nodes[child] = f->nodes[child + 1] = (forest_node){.parent = node};
    f->nodes[node].child = child;
    f->leaves++;
    return true;
}

bool lgkt_forest_join(lgkt_learner *learner, int32_t number, int32_t tree, int32_t node)
{
    forest *f = learner->self;
    if (!f->steps[number].known || forest_spots(f, number)[tree].node >= 0)
        return false;
    link(f, number, tree, node);
    if (f->nodes[node].child == 0)
        forest_cells(f, learner, node)[f->steps[number].action].n++;
    return true;
}

void lgkt_forest_add_leaf(lgkt_learner *learner, int32_t leaf, int32_t tree)
{
    forest *f = learner->self;
    forest_node *at = &f->nodes[leaf];
    forest_cell *cells = forest_cells(f, learner, leaf);
    if (at->listed > FOREST_ADDED)
        return;
    at->sum_w = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        cells[a].sum_u = 0;
    for (int32_t i = at->first; i != 0; i = forest_spots(f, i)[tree].after) {
        at->sum_w += f->steps[i].w;
        cells[f->steps[i].action].sum_u += f->steps[i].u;
    }
    f->work += at->listed;
}

// ---- splits ----

void lgkt_forest_split(lgkt_learner *learner, int32_t tree, int32_t node, const forest_cut *cut)
{
    forest *f = learner->self;
    const int32_t actions = learner->problem.actions;
    lgkt_forest_branch(learner, node); // there is room
    forest_node *at = &f->nodes[node], *below = &f->nodes[at->child];
    const forest_cell *cells = forest_cells(f, learner, node);
    for (int32_t side = 0; side < 2; side++) {
        const double expected = 1.25 * at->listed * (side == 0 ? cut->share : 1 - cut->share);
        below[side].prior_w = at->sum_w / at->listed;
        below[side].due = fmax(expected, FOREST_TEST);
        forest_cell *own = forest_cells(f, learner, at->child + side);
        for (int32_t a = 0; a < actions; a++)
            own[a] = (forest_cell){.prior = (cells[a].sum_u + f->k * cells[a].prior) /
                                            (cells[a].n + f->k)};
    }
    at->cut = *cut;
    f->work += 2 * actions;
    for (int32_t left = FOREST_MOVES; left > 0 && f->nodes[node].first != 0; left--)
        move(learner, f->nodes[node].first, tree);
}

// ---- memory ----

bool lgkt_forest_reserve_nodes(lgkt_learner *learner, int64_t capacity)
{
    forest *f = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    const size_t before = (size_t)f->node_capacity, after = (size_t)capacity;
    if (capacity <= f->node_capacity)
        return true;
    if (!lgkt_learner_resize(learner, &f->nodes, before, after, sizeof *f->nodes) ||
        !lgkt_learner_resize(learner, &f->cells, before * actions, after * actions,
                             sizeof *f->cells))
        return false;
    f->node_capacity = capacity;
    return true;
}
