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
    int32_t count; // of f->samples
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
    memset(f->all, 0, (size_t)actions * sizeof *f->all);
    for (int32_t i = f->nodes[leaf].first; i != 0 && t->count < most;
         i = forest_spots(f, i)[tree].after) {
        const forest_step *step = &f->steps[i];
        f->samples[t->count++] = (forest_sample){.step = i, .action = step->action, .w = step->w};
        f->all[step->action].n++;
        f->all[step->action].sum += step->w;
        squares += step->w * step->w;
    }
    for (int32_t a = 0; a < actions; a++) {
        t->seen += f->all[a].n > 0;
        explained += f->all[a].n > 0 ? f->all[a].sum * f->all[a].sum / f->all[a].n : 0;
    }
    t->s2 = t->count > t->seen ? (squares - explained) / (t->count - t->seen) : 0;
    f->work += t->count + actions;
}

// One of the thresholds of a feature; false if there is none between the two that were drawn.
static bool draw(test *t, int32_t feature, forest_cut *made)
{
    forest *f = t->f;
    lgkt_rng *rng = &t->learner->rng;
    const int32_t i = f->samples[lgkt_rng_below(rng, t->count)].step;
    const int32_t j = f->samples[lgkt_rng_below(rng, t->count)].step;
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

// Marks the samples on the left of a threshold; how many these are, or 0 if a side has too few.
static int32_t divide(const test *t, const forest_cut *at)
{
    const forest *f = t->f;
    int32_t left = 0;
    for (int32_t s = 0; s < t->count; s++) {
        const double *x = lgkt_learner_record(t->learner, f->samples[s].step);
        f->samples[s].left = lgkt_forest_is_left(t->learner, at, x);
        left += f->samples[s].left > 0;
    }
    const double least = 0.05 * t->count > 3 ? 0.05 * t->count : 3;
    return left >= least && t->count - left >= least ? left : 0;
}

// n_L n_R/(n_L + n_R) times the squared difference of the two means, of the left and of all
static double apart(const forest_sum *left, const forest_sum *all)
{
    const double nl = left->n, nr = all->n - nl;
    if (nl == 0 || nr == 0)
        return 0;
    const double gap = left->sum / nl - (all->sum - left->sum) / nr;
    return nl * nr / (nl + nr) * gap * gap;
}

// Q1 of the samples as they are divided
static double apart_in_w(const test *t)
{
    const forest *f = t->f;
    const int32_t actions = t->learner->problem.actions;
    double q = 0;
    memset(f->left, 0, (size_t)actions * sizeof *f->left);
    for (int32_t s = 0; s < t->count; s++) {
        f->left[f->samples[s].action].n += f->samples[s].left;
        f->left[f->samples[s].action].sum += f->samples[s].left * f->samples[s].w;
    }
    for (int32_t a = 0; a < actions; a++)
        q += apart(&f->left[a], &f->all[a]);
    return q / t->s2;
}

// ---- where samples led ----

// The columns of the records that the samples led to, and their sums; at a cut none counts.
static void gather_next(test *t)
{
    forest *f = t->f;
    const int64_t columns = f->linear.columns;
    double *o = f->columns;
    memset(f->next_all, 0, (size_t)(columns + 1) * sizeof *f->next_all);
    memset(f->next_squares, 0, (size_t)(columns + 1) * sizeof *f->next_squares);
    for (int32_t s = 0; s < t->count; s++, o += columns + 1) {
        const int32_t next = f->steps[f->samples[s].step].next;
        lgkt_forest_linear_observe(&f->linear, &f->linear.sums,
                                   lgkt_learner_record(t->learner, next), o);
        o[0] = next != f->samples[s].step;
        for (int64_t j = 0; j <= columns; j++) {
            f->next_all[j] += o[0] * o[j];
            f->next_squares[j] += o[0] * o[j] * o[j];
        }
    }
}

// Q2 of the samples as they are divided
static double apart_in_next(const test *t)
{
    const forest *f = t->f;
    const int64_t columns = f->linear.columns;
    const double *o = f->columns, n = f->next_all[0];
    double q = 0;
    memset(f->next_left, 0, (size_t)(columns + 1) * sizeof *f->next_left);
    for (int32_t s = 0; s < t->count; s++, o += columns + 1)
        for (int64_t j = 0; j <= columns; j++)
            f->next_left[j] += f->samples[s].left * o[0] * o[j];
    const double nl = f->next_left[0], nr = n - nl;
    if (nl == 0 || nr == 0)
        return 0;
    for (int64_t j = 1; j <= columns; j++) {
        const double mean = f->next_all[j] / n, s2 = f->next_squares[j] / n - mean * mean;
        const double gap = f->next_left[j] / nl - (f->next_all[j] - f->next_left[j]) / nr;
        if (s2 > 1e-12 * f->next_squares[j] / n)
            q += nl * nr / n * gap * gap / s2;
    }
    return q;
}

// The best of some thresholds, if one is above the bound.
static void choose(test *t, const forest_cut *cuts, int32_t count, double least,
                   double (*apart_in)(const test *t))
{
    t->best = least;
    for (int32_t j = 0; j < count; j++) {
        const int32_t left = divide(t, &cuts[j]);
        const double q = left > 0 ? apart_in(t) : 0;
        if (!(q > t->best))
            continue;
        t->best = q;
        t->cut = cuts[j];
        t->cut.share = (double)left / t->count;
    }
}

void lgkt_forest_test(lgkt_learner *learner, int32_t tree, int32_t leaf)
{
    forest *f = learner->self;
    forest_node *node = &f->nodes[leaf];
    const int32_t dims = learner->records->dims;
    const int64_t most = f->most_tested;
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
    if (t.s2 > 0)
        choose(&t, cuts, count, bound(t.seen, dims), apart_in_w);
    if (t.cut.share == 0 && node->listed >= 32 + 2 * sqrt((double)f->n)) {
        gather_next(&t);
        choose(&t, cuts, count, bound((double)f->linear.columns, dims), apart_in_next);
    }
    if (t.cut.share > 0 && f->leaves < forest_most_leaves(f))
        lgkt_forest_split(learner, tree, leaf, &t.cut);
}
