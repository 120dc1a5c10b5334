// SPDX-License-Identifier: MIT
// What `forest` is made of (forest.c says what it does, and which symbol is which field).
#pragma once

#include "learners/front/learner_private.h"
#include "learners/model/rewards.h"

#define FOREST_LEAST_PRIOR 0.5    // of k
#define FOREST_SAME        1e-150 // rewards that differ by less are equal

enum {
    FOREST_TREES = 8, // M
    FOREST_TEST = 16, // samples of a leaf at its first test; fewer in two siblings: one leaf again
    FOREST_TESTED = 1024, // samples that a test looks at, of up to 8 features
    FOREST_STRETCHES = 2, // of steps that are replayed
    FOREST_STRETCH = 20,  // steps of each
    FOREST_MOVES = 256,   // samples that go from a node to its children in one step
    FOREST_COLUMNS = 512, // of the linear part: beyond them categories have none
    FOREST_ROUND = 16,    // steps of the log that each step adds up anew
    FOREST_ADDED = 256,   // samples of a leaf that is added up anew, at most
    FOREST_SWEPT = 32768, // numbers of matrices that a step sweeps
    FOREST_ONE_HOT = 32,  // categories of a feature that have a column, at most
    FOREST_SHARE = 32,    // steps of the memory for each leaf of a tree, in the mean of all trees
};

typedef struct forest_settings {
    int64_t k;        // K; 0: V in place of measured rewards
    double threshold; // per step; NaN: the price rule
    int64_t memory;   // steps
    lgkt_reward_range range;
} forest_settings;

// The step that begins with a record; r, y, w and u count from the first reward.
typedef struct forest_step {
    double r, y, w, u;
    int32_t action;
    int32_t next;   // the record that it led to; itself at a cut
    int32_t before; // the step that led to this record, if it is in the log; 0: none
    bool known;     // it is in the log
    bool round;     // the round that it was added up in last, which are odd and even in turn
} forest_step;

// Where a step is in a tree: in the list of a leaf, or of a node whose samples still move.
typedef struct forest_spot {
    int32_t node, prior, after; // 0: none
} forest_spot;

// Where a node splits.
typedef struct forest_cut {
    int32_t feature;
    double edge;  // left: x <= edge; of a category x = edge; NaN: left is what is missing
    double share; // of the samples on the left
} forest_cut;

typedef struct forest_node {
    int32_t parent; // -1: a root
    int32_t child;  // of two, side by side; 0: a leaf
    forest_cut cut;
    int32_t first;  // of its list; 0: empty
    int32_t listed; // samples in it
    double sum_w;
    double prior_w; // mean of W while it is empty
    double due;     // samples at its next test
} forest_node;

typedef struct forest_cell {
    double n, sum_u, prior; // n_a, sum of U, p
} forest_cell;

// Sums of the linear part over the log.
typedef struct forest_sums {
    double *center, *unit; // (q + 1) o = (x - center)/unit
    double *g, *h;         // (A, size) G, of which the lower half is there; (A, q + 1)
} forest_sums;

// What was made of them at a refresh.
typedef struct forest_fit {
    double *mean, *scale; // (q + 1) z = (o - mean) scale
    double *p, *w;        // (A, size), (A, q + 1)
} forest_fit;

typedef struct forest_linear {
    int64_t columns, rows, size; // q, q + 1, (q + 1)^2
    int32_t *feature;            // (q + 1) of a column
    double *category;            // the one that it stands for; NaN: the column is the number itself
    forest_sums sums, fresh;     // those in use, and those that are built again
    forest_fit now, next;        // that in use, and that which is being solved for
    int64_t solving;             // the next column to sweep, over all actions; -1: none
    double e0, e1;
    bool on;       // g = 1
    double *o, *z; // (q + 1) each
    double *value; // (A) w_a z of the record looked up, 0 if g is
} forest_linear;

// What tells sigma2 and k, added up over the steps of a round.
typedef struct forest_spread {
    double n, u2, explained, cells;
    double weight, mean2, several; // of cells with several samples
} forest_spread;

// A sample of a leaf that is tested, and sums of some.
typedef struct forest_sample {
    int32_t step, action;
    double w, left; // 1: on the left of the threshold; 0: on the right
} forest_sample;

typedef struct forest_sum {
    double n, sum;
} forest_sum;

typedef struct forest {
    forest_settings set;

    // the log: a ring of the numbers of steps
    int32_t *log; // (S)
    int64_t first, n;
    forest_step *steps; // (S)
    forest_spot *spots; // (S, M)
    int64_t trees;      // M

    // trees: nodes 0 .. M - 1 are their roots
    forest_node *nodes; // (capacity)
    forest_cell *cells; // (capacity, A)
    int64_t node_capacity;
    int64_t node_count, free_pairs; // the first free pair of children; 0: none
    int64_t leaves;                 // of all trees
    // what is fixed between two refreshes
    int64_t taught; // steps learned in all
    double rbar, depth, beta, sigma2, k;

    double r0;        // the first reward
    double low, high; // of r
    int32_t last;     // the action before, of this trajectory; -1: none

    // the round over the log: steps at .. end - 1 are still to come, those behind are new
    bool round;
    int64_t at, end;
    double sum_r; // of r, in this round
    forest_spread spread;

    forest_linear linear;

    // scratch
    double *m;             // (A) of the record looked up
    double *bonus, *index; // (A)
    double *count;         // (A)
    int64_t most_tested, column_room;
    forest_sample *samples; // (most_tested) of a test
    forest_sum *left, *all; // (A) of their W
    double *columns;        // (most_tested, q + 1) of the records that they led to
    double *next_left, *next_all, *next_squares; // (q + 1) sums of these
    int64_t tested;                              // numbers looked at by tests in this step
    int64_t work;                                // samples and cells touched, in all
    bool holds;                                  // the records of its steps
} forest;

// Leaves of all trees, at most: so nodes take no more memory once the log is full.
static inline int64_t forest_most_leaves(const forest *f)
{
    const int64_t of_tree = f->set.memory / FOREST_SHARE;
    return FOREST_TREES * (of_tree > 16 ? of_tree : 16);
}

static inline forest_cell *forest_cells(const forest *f, const lgkt_learner *learner, int32_t node)
{
    return f->cells + (size_t)node * (size_t)learner->problem.actions;
}

static inline forest_spot *forest_spots(const forest *f, int32_t step)
{
    return f->spots + (size_t)step * FOREST_TREES;
}

// ---- forest_tree.c ----

// On which side of a split a record is.
bool lgkt_forest_is_left(const lgkt_learner *learner, const forest_cut *cut, const double *x);
// The leaves of a record, or of a step in the log.
void lgkt_forest_find(lgkt_learner *learner, int32_t number, int32_t leaf[FOREST_TREES]);
// Puts a step into the trees, changes its W and U, takes it out.
void lgkt_forest_insert(lgkt_learner *learner, int32_t step);
void lgkt_forest_change(lgkt_learner *learner, int32_t step, double w, double u);
void lgkt_forest_remove(lgkt_learner *learner, int32_t step);
// Adds up the sums of a leaf anew.
void lgkt_forest_add_leaf(lgkt_learner *learner, int32_t leaf, int32_t tree);
// Makes a leaf a node with two children.
void lgkt_forest_split(lgkt_learner *learner, int32_t tree, int32_t node, const forest_cut *cut);
bool lgkt_forest_reserve_nodes(lgkt_learner *learner, int64_t capacity);
// The node after a node, down a tree and from left to right; -1: there is none.
int32_t lgkt_forest_next(const forest *f, int32_t node);
// Two children for a node; false when memory is out, which it never is after `prepare`. A loaded step
// into a list; false if it is in this tree already.
bool lgkt_forest_branch(lgkt_learner *learner, int32_t node);
bool lgkt_forest_join(lgkt_learner *learner, int32_t number, int32_t tree, int32_t node);

// ---- forest_split.c ----

// Tests a leaf whose time has come, and splits it if that tells samples apart.
void lgkt_forest_test(lgkt_learner *learner, int32_t tree, int32_t leaf);

// ---- forest_linear.c ----

lgkt_status lgkt_forest_linear_create(lgkt_learner *learner, lgkt_error *error);
// o of a record, as sums count it.
void lgkt_forest_linear_observe(const forest_linear *linear, const forest_sums *sums,
                                const double *x, double *o);
// z of a record into linear.z, w_a z of all actions into linear.value.
void lgkt_forest_linear_look(lgkt_learner *learner, int32_t number);
double lgkt_forest_linear_doubt(const lgkt_learner *learner, int32_t action);
// A step comes into sums (sign 1), or goes (sign -1).
void lgkt_forest_linear_add(lgkt_learner *learner, forest_sums *sums, int32_t step, double sign);
// How well the linear part tells the reward of a step.
void lgkt_forest_linear_judge(lgkt_learner *learner, int32_t step);
// A round is over: solves for P and w, now or with the steps to come.
void lgkt_forest_linear_refresh(lgkt_learner *learner);
void lgkt_forest_linear_solve(lgkt_learner *learner);

// ---- forest_value.c ----

// What the learner makes of a record: m of all actions into f->m, S.
double lgkt_forest_look(lgkt_learner *learner, int32_t number, int32_t leaf[FOREST_TREES]);
// The step that the learner is in has earned that and led there.
lgkt_status lgkt_forest_learn(lgkt_learner *learner, double reward, int32_t next, bool ended);

// ---- forest_state.c ----

void lgkt_forest_visit(lgkt_learner *learner, lgkt_archive *archive);
// Holds the records of all steps of the log, and lets go of them.
void lgkt_forest_hold(lgkt_learner *learner);
void lgkt_forest_release(lgkt_learner *learner);

// ---- forest_explain.c ----

lgkt_status lgkt_forest_describe(lgkt_learner *learner, int32_t state, lgkt_side *sides,
                                 lgkt_error *error);
