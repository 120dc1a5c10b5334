// SPDX-License-Identifier: MIT
// What a record is worth to `forest`, and how a step is learned: targets, the replay of old steps, the
// one schedule of what is fixed in between, and what is forgotten.

#include "learners/forest/forest.h"

#include <math.h>

#include "core/arithmetic.h"

#define TRACE        0.9
#define FIRST_DEPTH  10.0
#define DEPTH_GROWTH 4.0
#define MOST_PRIOR   100.0

// ---- looking ----

double forest_look(lgkt_learner *learner, int32_t number, int32_t leaf[FOREST_TREES])
{
    forest *f = learner->self;
    forest_find(learner, number, leaf);
    const double s = forest_state_part(f, leaf);
    forest_action_part(learner, leaf, f->m);
    if (f->linear.on)
        forest_linear_look(learner, number);
    for (int32_t a = 0; a < learner->problem.actions; a++)
        f->m[a] += s + (f->linear.on ? forest_linear_value(learner, a) : 0);
    return s;
}

// what follows on a step, as far as a look at the record that it led to tells
typedef struct sequel {
    double v;       // V of the record
    double y;       // of the step that begins there
    bool is_greedy; // and its action is the one to take there
} sequel;

// the sequel that begins with a record that has just been looked up
static sequel sequel_at(const lgkt_learner *learner, int32_t number)
{
    const forest *f = learner->self;
    const forest_step *step = &f->steps[number];
    const uint8_t *offered = lgkt_learner_offers_in(learner, number);
    double v = -INFINITY;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        if ((offered == NULL || offered[a] != LGKT_OFFER_NEVER) && f->m[a] > v)
            v = f->m[a];
    return (sequel){v, step->y, step->known && f->m[step->action] >= v};
}

// ---- targets ----

// the sum of the rewards of K steps; what is not known is as the mean
static double measured(const forest *f, int32_t number)
{
    double sum = 0;
    for (int64_t j = 0; j < f->set.k && f->steps[number].known; j++) {
        sum += f->steps[number].r - f->rbar;
        if (f->steps[number].next == number)
            break;
        number = f->steps[number].next;
    }
    return sum;
}

static double target(const forest *f, int32_t number, const sequel *after)
{
    const forest_step *step = &f->steps[number];
    if (f->set.k > 0)
        return measured(f, number);
    const double c = step->next != number && after->is_greedy ? TRACE : 0;
    const double y = step->r - f->rbar + f->beta * ((1 - c) * after->v + c * after->y);
    const double most = 2 * f->depth * fmax(f->high - f->low, f->set.range.max - f->set.range.min);
    return y > most ? most : y < -most ? -most : y;
}

// y, W and U of a step anew; returns the sequel that begins with it
static sequel replay(lgkt_learner *learner, int32_t number, const sequel *after)
{
    forest *f = learner->self;
    forest_step *step = &f->steps[number];
    int32_t leaf[FOREST_TREES];
    const double s = forest_look(learner, number, leaf);
    // at a cut what follows is as good as what was
    const sequel own = sequel_at(learner, number);
    step->y = target(f, number, step->next == number ? &own : after);
    const double w = step->y - (f->linear.on ? forest_linear_value(learner, step->action) : 0);
    if (step->known)
        forest_change(learner, number, w, w - s);
    else {
        step->w = w;
        step->u = w - s;
    }
    return (sequel){own.v, step->y, own.is_greedy};
}

// steps that led to one another, the latest first
static void replay_back(lgkt_learner *learner, int32_t number, int32_t count)
{
    forest *f = learner->self;
    int32_t leaf[FOREST_TREES];
    sequel after = {0};
    if (f->steps[number].next != number) {
        forest_look(learner, f->steps[number].next, leaf);
        after = sequel_at(learner, f->steps[number].next);
    }
    for (; count > 0 && number > 0; count--) {
        after = replay(learner, number, &after);
        number = f->steps[number].before;
    }
}

// ---- the schedule ----

// sigma2 and k, when the walk over the cells of the first tree is done
static void measure_spread(forest *f)
{
    const double n = (double)f->n, most = fmin(MOST_PRIOR, fmax(FOREST_LEAST_PRIOR, n / 4));
    const double sigma2 = n > f->cells_seen ? (f->sum_u2 - f->explained) / (n - f->cells_seen) : 0;
    if (sigma2 > 0)
        f->sigma2 = sigma2;
    // while all rewards are equal there is no unit
    if (f->low == f->high && f->sigma2 < 1)
        f->sigma2 = 1;
    const double tau2 = f->weight > 0 ? (f->squares - f->cells_used * f->sigma2) / f->weight : 0;
    f->k = tau2 > 0 ? fmax(FOREST_LEAST_PRIOR, fmin(f->sigma2 / tau2, most)) : most;
}

static void walk_node(lgkt_learner *learner, int32_t node)
{
    forest *f = learner->self;
    const forest_cell *cell = forest_cells(f, learner, node);
    const int32_t actions = f->nodes[node].child > 0 ? 0 : learner->problem.actions;
    for (int32_t a = 0; a < actions; a++) {
        const double part = cell[a].n > 0 ? cell[a].sum_u * cell[a].sum_u / cell[a].n : 0;
        f->cells_seen += cell[a].n > 0;
        f->explained += part;
        if (cell[a].n > 1) {
            f->squares += part;
            f->cells_used++;
            f->weight += cell[a].n;
        }
    }
    f->work += actions;
}

static void walk_on(lgkt_learner *learner)
{
    forest *f = learner->self;
    for (int32_t left = FOREST_WALKED; f->walk >= 0 && left > 0; left--) {
        walk_node(learner, f->walk);
        f->walk = forest_next(f, f->walk);
        if (f->walk < 0)
            measure_spread(f);
    }
}

static void refresh(lgkt_learner *learner)
{
    forest *f = learner->self;
    const double leaves = (double)f->leaves / FOREST_TREES;
    const double left = (double)lgkt_learner_steps_to_plan(learner);
    f->refresh = f->taught + (f->n > 8 ? f->n / 8 : 1);
    f->rbar = f->n > 0 ? f->sum_r / (double)f->n : 0;
    f->depth = fmin(FIRST_DEPTH + DEPTH_GROWTH * sqrt((double)f->n / (leaves + 1)), left + 1);
    f->beta = 1 - 1 / f->depth;
    if (f->walk < 0) {
        f->walk = 0;
        f->cells_seen = f->explained = f->squares = f->cells_used = f->weight = 0;
        walk_on(learner);
    }
    forest_linear_refresh(learner);
}

// ---- learning ----

// Sums are added to and taken from again and again, and after large numbers small ones would be lost.
// So they are added up anew, FOREST_RECOUNTED steps with each step, and for one of its trees after
// the other the leaf that a step is in, unless it is a large one. A step is in the new sums if its
// mark is that of the pass.
static void audit(lgkt_learner *learner)
{
    forest *f = learner->self;
    for (int i = 0; i < FOREST_RECOUNTED && f->audit < f->audit_end; i++, f->audit++) {
        const int32_t number = f->log[(f->first + f->audit) % f->set.memory];
        forest_step *step = &f->steps[number];
        forest_add_leaf(learner, number, (int32_t)(f->taught % FOREST_TREES));
        step->audited = f->pass;
        f->audited_r += step->r;
        f->audited_u2 += step->u * step->u;
    }
    if (f->audit < f->audit_end)
        return;
    f->sum_r = f->audited_r;
    f->sum_u2 = f->audited_u2;
    f->audited_r = f->audited_u2 = 0;
    f->pass = !f->pass;
    f->audit = 0;
    f->audit_end = f->n;
}

static void forget_sums(forest *f, const forest_step *step)
{
    f->sum_r -= step->r;
    if (step->audited == f->pass) {
        f->audited_r -= step->r;
        f->audited_u2 -= step->u * step->u;
    }
    f->audit -= f->audit > 0;
    f->audit_end--;
}

// the oldest step of the log
static void forget(lgkt_learner *learner)
{
    forest *f = learner->self;
    const int32_t number = f->log[f->first];
    forest_step *step = &f->steps[number];
    forest_remove(learner, number);
    forest_linear_forget(learner, number);
    forget_sums(f, step);
    step->known = false;
    if (f->steps[step->next].before == number)
        f->steps[step->next].before = 0;
    lgkt_records_release(learner->records, step->next);
    lgkt_records_release(learner->records, number);
    f->first = (f->first + 1) % f->set.memory;
    f->n--;
}

static void remember(lgkt_learner *learner, int32_t number, double reward, int32_t next, bool ended)
{
    forest *f = learner->self;
    forest_step *step = &f->steps[number];
    if (f->taught == 0)
        f->r0 = reward;
    const double r = reward - f->r0;
    step->r = fabs(r) < LGKT_LEAST_DIFFERENCE ? 0 : r;
    step->action = learner->action;
    step->next = ended ? number : next;
    if (!ended)
        f->steps[next].before = number;
    lgkt_records_hold(learner->records, number);
    lgkt_records_hold(learner->records, step->next);
    if (step->r < f->low || step->r > f->high) {
        // the first reward that differs gives all a unit
        f->sigma2 = f->low == f->high ? step->r * step->r : f->sigma2;
        f->refresh = f->low == f->high ? f->taught : f->refresh;
        f->low = fmin(f->low, step->r);
        f->high = fmax(f->high, step->r);
    }
    f->sum_r += step->r;
}

void forest_learn(lgkt_learner *learner, int32_t number, double reward, int32_t next, bool ended)
{
    forest *f = learner->self;
    forest_step *step = &f->steps[number];
    f->tested = 0;
    if (f->n == f->set.memory)
        forget(learner);
    audit(learner);
    remember(learner, number, reward, next, ended);
    walk_on(learner);
    forest_linear_solve(learner);
    forest_linear_recount(learner);
    if (f->taught >= f->refresh)
        refresh(learner);
    // its numbers come from what was known without it
    replay_back(learner, number, 1);
    forest_linear_count(learner, number);
    step->known = true;
    f->log[(f->first + f->n) % f->set.memory] = number;
    f->n++;
    f->taught++;
    forest_insert(learner, number);
    step->audited = f->pass;
    f->audited_r += step->r;
    f->audited_u2 += step->u * step->u;
    if (step->before > 0)
        replay_back(learner, step->before, (int32_t)fmax(FOREST_STRETCH, (double)f->set.k) - 1);
    for (int32_t i = 1; i < FOREST_STRETCHES; i++) {
        const int64_t at = lgkt_rng_below(&learner->rng, (int32_t)f->n);
        replay_back(learner, f->log[(f->first + at) % f->set.memory], FOREST_STRETCH);
    }
    forest_move_on(learner);
}
