// SPDX-License-Identifier: MIT
// What a record is worth to `forest`, and how a step is learned: targets, the replay of old steps, the
// one schedule of what is fixed in between, and what is forgotten.

#include "learners/forest/forest.h"

#include <math.h>
#include <string.h>

#include "core/arithmetic.h"

#define TRACE        0.9
#define FIRST_DEPTH  10.0
#define DEPTH_GROWTH 4.0
#define MOST_PRIOR   100.0

// ---- looking ----

double lgkt_forest_look(lgkt_learner *learner, int32_t number, int32_t leaf[FOREST_TREES])
{
    forest *f = learner->self;
    const int32_t actions = learner->problem.actions;
    const double k = f->k;
    double s = 0;
    lgkt_forest_find(learner, number, leaf);
    memset(f->m, 0, (size_t)actions * sizeof *f->m);
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        const forest_node *at = &f->nodes[leaf[tree]];
        const forest_cell *cells = forest_cells(f, learner, leaf[tree]);
        s += at->listed > 0 ? at->sum_w / at->listed : at->prior_w;
        for (int32_t a = 0; a < actions; a++)
            f->m[a] += (cells[a].sum_u + k * cells[a].prior) / (cells[a].n + k);
    }
    s /= FOREST_TREES;
    if (f->linear.on)
        lgkt_forest_linear_look(learner, number);
    else
        memset(f->linear.value, 0, (size_t)actions * sizeof *f->linear.value);
    for (int32_t a = 0; a < actions; a++)
        f->m[a] = f->m[a] / FOREST_TREES + (s + f->linear.value[a]);
    f->work += (int64_t)FOREST_TREES * actions;
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
    const double s = lgkt_forest_look(learner, number, leaf);
    // at a cut what follows is as good as what was
    const sequel own = sequel_at(learner, number);
    step->y = target(f, number, step->next == number ? &own : after);
    const double w = step->y - f->linear.value[step->action];
    if (step->known)
        lgkt_forest_change(learner, number, w, w - s);
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
        lgkt_forest_look(learner, f->steps[number].next, leaf);
        after = sequel_at(learner, f->steps[number].next);
    }
    for (; count > 0 && number > 0; count--) {
        after = replay(learner, number, &after);
        number = f->steps[number].before;
    }
}

// ---- the round over the log ----

// what a round adds up of each step, new ones included
static void add_to_round(lgkt_learner *learner, int32_t number, double sign)
{
    forest *f = learner->self;
    forest_step *step = &f->steps[number];
    step->round = f->round;
    f->sum_r += sign * step->r;
    lgkt_forest_linear_add(learner, &f->linear.fresh, number, sign);
}

// The cell of a step in the first tree, which counts for sigma2 and k by its samples: a mean of U
// squared n_a times, and 1/n_a as often.
static void add_cell(lgkt_learner *learner, const forest_step *step, int32_t leaf)
{
    forest *f = learner->self;
    const forest_cell *cell = &forest_cells(f, learner, leaf)[step->action];
    const double mean = cell->sum_u / cell->n;
    f->spread.n++;
    f->spread.u2 += step->u * step->u;
    f->spread.explained += mean * mean;
    f->spread.cells += 1 / cell->n;
    if (cell->n > 1) {
        f->spread.weight++;
        f->spread.mean2 += mean * mean;
        f->spread.several += 1 / cell->n;
    }
}

static void measure_spread(forest *f)
{
    const forest_spread *s = &f->spread;
    const double most = fmin(MOST_PRIOR, fmax(FOREST_LEAST_PRIOR, (double)f->n / 4));
    const double free = s->n - s->cells;
    if (free > 0.5 && s->u2 > s->explained)
        f->sigma2 = (s->u2 - s->explained) / free;
    // while all rewards are equal there is no unit
    if (f->low == f->high && f->sigma2 < 1)
        f->sigma2 = 1;
    const double tau2 = s->weight > 0 ? (s->mean2 - s->several * f->sigma2) / s->weight : 0;
    f->k = tau2 > 0 ? fmax(FOREST_LEAST_PRIOR, fmin(f->sigma2 / tau2, most)) : most;
    f->spread = (forest_spread){0};
}

// A round is over: all that stays fixed until the next one is over.
static void refresh(lgkt_learner *learner)
{
    forest *f = learner->self;
    const double leaves = (double)f->leaves / FOREST_TREES;
    const double left = (double)lgkt_learner_steps_to_plan(learner);
    f->rbar = f->n > 0 ? f->sum_r / (double)f->n : 0;
    f->depth = fmin(FIRST_DEPTH + DEPTH_GROWTH * sqrt((double)f->n / (leaves + 1)), left + 1);
    f->beta = 1 - 1 / f->depth;
    measure_spread(f);
    lgkt_forest_linear_refresh(learner);
    f->sum_r = 0;
    f->round = !f->round;
    f->at = 0;
    f->end = f->n;
}

// Some steps of the round: each moves to its leaves, and with every fourth the leaf that it is in is
// added up anew, in one tree after the other.
static void go_round(lgkt_learner *learner)
{
    forest *f = learner->self;
    const int32_t tree = (int32_t)(f->taught % FOREST_TREES);
    int32_t leaf[FOREST_TREES];
    for (int i = 0; i < FOREST_ROUND && f->at < f->end; i++, f->at++) {
        const int32_t number = f->log[(f->first + f->at) % f->set.memory];
        lgkt_forest_find(learner, number, leaf);
        if (f->at % 4 == 0)
            lgkt_forest_add_leaf(learner, leaf[tree], tree);
        add_cell(learner, &f->steps[number], leaf[0]);
        add_to_round(learner, number, 1);
    }
    if (f->at >= f->end)
        refresh(learner);
}

// ---- learning ----

// the oldest step of the log
static void forget(lgkt_learner *learner)
{
    forest *f = learner->self;
    const int32_t number = f->log[f->first];
    forest_step *step = &f->steps[number];
    lgkt_forest_remove(learner, number);
    lgkt_forest_linear_add(learner, &f->linear.sums, number, -1);
    if (step->round == f->round)
        add_to_round(learner, number, -1);
    step->known = false;
    if (f->steps[step->next].before == number)
        f->steps[step->next].before = 0;
    lgkt_records_release(learner->records, step->next);
    lgkt_records_release(learner->records, number);
    f->first = (f->first + 1) % f->set.memory;
    f->n--;
    f->at -= f->at > 0;
    f->end--;
}

static void remember(lgkt_learner *learner, int32_t number, double reward, int32_t next, bool ended)
{
    forest *f = learner->self;
    forest_step *step = &f->steps[number];
    if (f->taught == 0)
        f->r0 = reward;
    const double r = reward - f->r0;
    step->r = fabs(r) < FOREST_SAME ? 0 : r;
    step->action = learner->action;
    step->next = ended ? number : next;
    if (!ended)
        f->steps[next].before = number;
    lgkt_records_hold(learner->records, number);
    lgkt_records_hold(learner->records, step->next);
    if (step->r < f->low || step->r > f->high) {
        // the first reward that differs gives all a unit
        f->sigma2 = f->low == f->high ? step->r * step->r : f->sigma2;
        f->low = fmin(f->low, step->r);
        f->high = fmax(f->high, step->r);
    }
}

lgkt_status lgkt_forest_learn(lgkt_learner *learner, double reward, int32_t next, bool ended)
{
    forest *f = learner->self;
    const int32_t number = learner->state;
    forest_step *step = &f->steps[number];
    f->tested = 0;
    if (f->n == f->set.memory)
        forget(learner);
    lgkt_forest_linear_solve(learner);
    go_round(learner);
    remember(learner, number, reward, next, ended);
    // its numbers come from what was known without it
    replay_back(learner, number, 1);
    lgkt_forest_linear_judge(learner, number);
    lgkt_forest_linear_add(learner, &f->linear.sums, number, 1);
    step->known = true;
    f->log[(f->first + f->n) % f->set.memory] = number;
    f->n++;
    f->taught++;
    lgkt_forest_insert(learner, number);
    add_to_round(learner, number, 1);
    if (step->before > 0)
        replay_back(learner, step->before, (int32_t)fmax(FOREST_STRETCH, (double)f->set.k) - 1);
    for (int32_t i = 1; i < FOREST_STRETCHES; i++) {
        const int64_t at = lgkt_rng_below(&learner->rng, (int32_t)f->n);
        replay_back(learner, f->log[(f->first + at) % f->set.memory], FOREST_STRETCH);
    }
    return LGKT_OK;
}
