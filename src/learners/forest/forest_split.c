// SPDX-License-Identifier: MIT
// When a leaf of `forest` splits: if a threshold tells its samples apart in W, per action, or, in a
// large leaf, in where they led.
//
//   Q1 = sum over actions of nL nR/(nL + nR) (WL - WR)^2/s^2       as many degrees as actions seen, A
//   Q2 = sum over columns of nL nR/(nL + nR) (xL - xR)^2/s_j^2     of the records that came next, q
//   split at the best threshold if Q > B + 2 sqrt(B z) + 2 z,  B degrees of freedom,  z = ln(2 d)
//
// The bound is that of Laurent and Massart for chi-square, with 2 thresholds for each of d features.
// s^2 is the variance within actions, s_j^2 that of a column. A threshold lies in the middle of two
// samples that are drawn; of a category, or if one of them lacks the feature, it is that it is that
// of the first, or that it is missing.

#include "learners/forest/forest.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"

// what a test is about
typedef struct test {
    lgkt_learner *learner;
    forest *f;
    int32_t count; // of f->sample
    int32_t seen;  // actions
    double s2;     // variance of W within actions
    double best;   // Q that a threshold must be above
    forest_cut cut;
} test;

// the newest samples of a leaf, the sums of all of them, and the variance within actions
static void gather(test *t, int32_t tree, int32_t leaf, int64_t most)
{
    forest *f = t->f;
    const int32_t actions = t->learner->problem.actions;
    double squares = 0, explained = 0;
    memset(f->all_n, 0, (size_t)actions * sizeof *f->all_n);
    memset(f->all_s, 0, (size_t)actions * sizeof *f->all_s);
    for (int32_t i = f->nodes[leaf].first; i != 0 && t->count < most;
         i = forest_spots(f, i)[tree].after) {
        const forest_step *step = &f->steps[i];
        f->sample[t->count++] = i;
        f->all_n[step->action]++;
        f->all_s[step->action] += step->w;
        squares += step->w * step->w;
    }
    for (int32_t a = 0; a < actions; a++) {
        t->seen += f->all_n[a] > 0;
        explained += f->all_n[a] > 0 ? f->all_s[a] * f->all_s[a] / f->all_n[a] : 0;
    }
    t->s2 = t->count > t->seen ? (squares - explained) / (t->count - t->seen) : 0;
    f->work += t->count + actions;
}

// One of the thresholds of a feature; false if there is none between the two that were drawn.
static bool draw(test *t, int32_t feature, forest_cut *made)
{
    forest *f = t->f;
    lgkt_rng *rng = &t->learner->rng;
    const int32_t i = f->sample[lgkt_rng_below(rng, t->count)];
    const int32_t j = f->sample[lgkt_rng_below(rng, t->count)];
    const double a = lgkt_learner_record(t->learner, i)[feature];
    const double b = lgkt_learner_record(t->learner, j)[feature];
    const bool is_number = t->learner->records->kinds[feature].type == LGKT_KIND_NUMBER;
    *made = (forest_cut){feature, is_number ? a / 2 + b / 2 : a, 0};
    return is_number ? a != b && !(isnan(a) && isnan(b)) : true;
}

static double bound(double degrees, int32_t dims)
{
    const double z = lgkt_log(2.0 * dims);
    return degrees + 2 * sqrt(degrees * z) + 2 * z;
}

// how many of the samples are on the left, if neither side has too few; else 0
static int32_t lefts(const test *t, const forest_cut *at, double *sums)
{
    const forest *f = t->f;
    const int32_t actions = t->learner->problem.actions;
    int32_t left = 0;
    memset(f->left_n, 0, (size_t)actions * sizeof *f->left_n);
    memset(sums, 0, (size_t)actions * sizeof *sums);
    for (int32_t s = 0; s < t->count; s++) {
        const int32_t i = f->sample[s];
        const forest_step *step = &f->steps[i];
        if (!lgkt_forest_is_left(t->learner, at, lgkt_learner_record(t->learner, i)))
            continue;
        left++;
        f->left_n[step->action]++;
        sums[step->action] += step->w;
    }
    const double least = 0.05 * t->count > 3 ? 0.05 * t->count : 3;
    return left >= least && t->count - left >= least ? left : 0;
}

static void take(test *t, const forest_cut *at, double q, int32_t left)
{
    if (!(q > t->best))
        return;
    t->best = q;
    t->cut = *at;
    t->cut.share = (double)left / t->count;
}

static void try_w(test *t, const forest_cut *at)
{
    const forest *f = t->f;
    const int32_t left = lefts(t, at, f->left_s);
    double q = 0;
    for (int32_t a = 0; a < t->learner->problem.actions && left > 0; a++) {
        const double nl = f->left_n[a], nr = f->all_n[a] - nl;
        if (nl == 0 || nr == 0)
            continue;
        const double gap = f->left_s[a] / nl - (f->all_s[a] - f->left_s[a]) / nr;
        q += nl * nr / (nl + nr) * gap * gap;
    }
    take(t, at, q / t->s2, left);
}

// sums of the columns of where the samples led, on the left of a threshold; NULL: of all
static double add_columns(const test *t, const forest_cut *at, double *sums, double *squares)
{
    forest *f = t->f;
    const forest_linear *l = &f->linear;
    double n = 0;
    memset(sums, 0, (size_t)(l->columns + 1) * sizeof *sums);
    for (int32_t s = 0; s < t->count; s++) {
        const forest_step *step = &f->steps[f->sample[s]];
        if (step->next == f->sample[s] ||
            (at != NULL &&
             !lgkt_forest_is_left(t->learner, at, lgkt_learner_record(t->learner, f->sample[s]))))
            continue;
        lgkt_forest_linear_observe(t->learner, lgkt_learner_record(t->learner, step->next), l->o);
        n++;
        for (int64_t j = 1; j <= l->columns; j++) {
            sums[j] += l->o[j];
            if (squares != NULL)
                squares[j] += l->o[j] * l->o[j];
        }
    }
    return n;
}

static void try_next(test *t, const forest_cut *at, double n)
{
    forest *f = t->f;
    const int64_t columns = f->linear.columns;
    const int32_t left = lefts(t, at, f->left_s);
    if (left == 0)
        return;
    const double nl = add_columns(t, at, f->x_left, NULL), nr = n - nl;
    double q = 0;
    if (nl == 0 || nr == 0)
        return;
    for (int64_t j = 1; j <= columns; j++) {
        const double mean = f->x_all[j] / n, s2 = f->x_sq[j] / n - mean * mean;
        const double gap = f->x_left[j] / nl - (f->x_all[j] - f->x_left[j]) / nr;
        if (s2 > 1e-12 * f->x_sq[j] / n)
            q += nl * nr / n * gap * gap / s2;
    }
    take(t, at, q, left);
}

void lgkt_forest_test(lgkt_learner *learner, int32_t tree, int32_t leaf)
{
    forest *f = learner->self;
    forest_node *node = &f->nodes[leaf];
    const int32_t dims = learner->records->dims;
    // fewer samples where each has many features: a test is to take no longer
    const int64_t few = FOREST_TESTED / 8, many = FOREST_TESTED;
    const int64_t most = dims <= 8 ? many : 8 * many / dims > few ? 8 * many / dims : few;
    const int64_t looks = (node->listed < most ? node->listed : most) * 2 * dims;
    // a step has time for as much as one test may take; others come to their turn with the next
    // sample of their leaf
    if (f->tested > 0 && f->tested + looks > most * 2 * dims)
        return;
    f->tested += looks;
    f->work += looks;
    node->due = 1.25 * node->listed;
    test t = {.learner = learner, .f = f};
    gather(&t, tree, leaf, most);
    forest_cut cuts[2 * LGKT_RECORD_DIMS];
    int32_t count = 0;
    for (int32_t j = 0; j < 2 * dims; j++)
        count += draw(&t, j / 2, &cuts[count]);
    if (t.s2 > 0) {
        t.best = bound(t.seen, dims);
        for (int32_t j = 0; j < count; j++)
            try_w(&t, &cuts[j]);
    }
    const bool is_large = node->listed >= 32 + 2 * sqrt((double)f->n);
    if (t.cut.share == 0 && is_large) {
        memset(f->x_sq, 0, (size_t)(f->linear.columns + 1) * sizeof *f->x_sq);
        const double n = add_columns(&t, NULL, f->x_all, f->x_sq);
        t.best = bound((double)f->linear.columns, dims);
        for (int32_t j = 0; j < count; j++)
            try_next(&t, &cuts[j], n);
    }
    if (t.cut.share > 0 && f->leaves < forest_most_leaves(f))
        lgkt_forest_split(learner, tree, leaf, &t.cut);
}
