// SPDX-License-Identifier: MIT
// Value iteration on sparse rows, for the gain or for a discounted return.
//
//   v(s) = max_a [ r(s,a) + g ( sum_e w_e u(next_e) + base(s,a) sum_y u(y) ) ],   d = v - u
//
//   gain         g = 1; stop when max d - min d < precision, or what rounding leaves, the gain is
//                (max d + min d)/2; else u = v - min v. This needs Jacobi sweeps: v is made from
//                the old u alone.
//                After MANY_SWEEPS the chains may be periodic, and u moves half way only, which has
//                the same fixed points.
//   discounted   the values lie within v + g/(1-g) [min d, max d] (MacQueen 1966): stop when
//                g/(1-g) (max d - min d) < precision, and take the middle. Rows with less mass than
//                1 (`leaky`) pass on less than the whole of a common shift: 0 then belongs to the
//                bracket, and v is taken, since the middle would move values that are fixed, which
//                the next plan had to undo. So it is while a state has reached the ceiling.
//
// A mass w0 that is spread over the k states that a row has not led to is in these terms a base of
// w0/k and weights that are smaller by w0/k. Cost: a sweep is O(S A + successors). Memory:
// 24 S A + 16 S + 12 bytes per successor.

#include "learners/model/value_iteration.h"

#include <math.h>
#include <string.h>

#define MANY_SWEEPS 200
// of a sweep, as a part of the largest v
#define ROUNDING 1e-13

static double total_of(const double *u, int32_t states)
{
    double total = 0;
    for (int32_t s = 0; s < states; s++)
        total += u[s];
    return total;
}

// ---- life ----

static const lgkt_field fields[] = {
    // one more row ends the last
    {LGKT_ARRAY(lgkt_vi, rows, PER_PAIR, SCRATCH), LGKT_AND(1), LGKT_TIMES(lgkt_vi, copies)},
    {LGKT_ARRAY(lgkt_vi, weight, MADE_ELSEWHERE, SCRATCH)},
    {LGKT_ARRAY(lgkt_vi, next, MADE_ELSEWHERE, SCRATCH)},
    {LGKT_ARRAY(lgkt_vi, u, PER_STATE, REAL)},
    {LGKT_ARRAY(lgkt_vi, v, PER_STATE, SCRATCH)},
    {LGKT_NUMBER(lgkt_vi, sweeps, TALLY)},
    {LGKT_NUMBER(lgkt_vi, cap_hits, TALLY)},
};

bool lgkt_vi_reserve(lgkt_learner *learner, lgkt_vi *vi, int64_t successors)
{
    if (successors <= vi->capacity)
        return true;
    // a row's start is an int32_t
    if (successors > INT32_MAX)
        return false;
    const size_t before = (size_t)vi->capacity, after = (size_t)successors;
    if (!lgkt_learner_resize(learner, &vi->weight, before, after, sizeof *vi->weight) ||
        !lgkt_learner_resize(learner, &vi->next, before, after, sizeof *vi->next))
        return false;
    vi->capacity = successors;
    return true;
}

static bool follow(lgkt_learner *learner, void *part)
{
    lgkt_vi *vi = part;
    return vi->follows == NULL || lgkt_vi_reserve(learner, vi, vi->follows->capacity);
}

static bool grow(lgkt_learner *learner, void *part, int32_t before, int32_t after)
{
    (void)before, (void)after;
    lgkt_vi *vi = part;
    vi->actions = learner->problem.actions * (int32_t)vi->copies;
    vi->stale = true;
    return follow(learner, vi);
}

static void visit(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    lgkt_vi *vi = part;
    if (archive->mode != LGKT_ARCHIVE_LOAD)
        return;
    vi->total = total_of(vi->u, learner->problem.states);
    vi->stale = true;
    if (!archive->bad && !follow(learner, vi))
        lgkt_archive_starve(archive);
}

const lgkt_part lgkt_vi_part = {.fields = fields,
                                .count = LGKT_LENGTH(fields),
                                .grow = grow,
                                .prepare = follow,
                                .visit = visit};

// ---- the rows ----

void lgkt_vi_gather(lgkt_vi *vi, const lgkt_successors *counts, int32_t states)
{
    const lgkt_edge *edges = lgkt_successors_edges(counts);
    const size_t pairs = (size_t)states * (size_t)vi->actions;
    int32_t place = 0;
    for (size_t z = 0; z < pairs; z++) {
        vi->rows[z].start = place;
        for (int32_t e = counts->rows[z].first; e >= 0; e = edges[e].other)
            vi->next[place++] = edges[e].next;
    }
    vi->rows[pairs].start = place;
    vi->states = states;
    vi->stale = false;
}

// a successor that row z did not have becomes its first one, with weight 0, as in its chain
static void insert(lgkt_vi *vi, size_t z, int32_t next)
{
    const size_t rows = (size_t)vi->states * (size_t)vi->actions;
    const int32_t at = vi->rows[z].start;
    const size_t behind = (size_t)(vi->rows[rows].start - at);
    memmove(vi->next + at + 1, vi->next + at, behind * sizeof *vi->next);
    memmove(vi->weight + at + 1, vi->weight + at, behind * sizeof *vi->weight);
    vi->next[at] = next;
    vi->weight[at] = 0;
    for (size_t i = z + 1; i <= rows; i++)
        vi->rows[i].start++;
}

bool lgkt_vi_keeps_up(const lgkt_learner *learner, lgkt_vi *vi, size_t z, int32_t first_before,
                      int32_t next_state)
{
    vi->stale |= vi->states != learner->problem.states;
    if (!vi->stale && vi->follows->rows[z].first != first_before)
        insert(vi, z, next_state);
    return !vi->stale;
}

// ---- sweeps ----

void lgkt_vi_sweep(lgkt_vi *vi, double g)
{
    vi->total = total_of(vi->u, vi->states);
    size_t z = 0;
    for (int32_t s = 0; s < vi->states; s++) {
        double best = -INFINITY;
        for (int32_t a = 0; a < vi->actions; a++, z++) {
            if (vi->rows[z].reward == -INFINITY)
                continue;
            const double value = lgkt_vi_value(vi, z, g);
            best = value > best ? value : best;
        }
        vi->v[s] = best;
    }
    vi->sweeps++;
}

typedef struct bracket {
    double min, max;
    double size; // of v, largest
} bracket;

// of d = v - u
static bracket bracket_of(const lgkt_vi *vi)
{
    bracket d = {INFINITY, -INFINITY, 0};
    for (int32_t s = 0; s < vi->states; s++) {
        const double change = vi->v[s] - vi->u[s];
        d.min = change < d.min ? change : d.min;
        d.max = change > d.max ? change : d.max;
        d.size = fmax(d.size, fabs(vi->v[s]));
    }
    return d;
}

double lgkt_vi_gain(lgkt_vi *vi, double precision)
{
    for (int64_t i = 1;; i++) {
        lgkt_vi_sweep(vi, 1);
        const bracket d = bracket_of(vi);
        // no finer than rounding
        const bool done = !(d.max - d.min >= fmax(precision, ROUNDING * d.size));
        const bool capped = i >= vi->sweep_cap, half = i > MANY_SWEEPS && !done;
        double least = INFINITY;
        for (int32_t s = 0; s < vi->states; s++) {
            vi->v[s] = half ? (vi->u[s] + vi->v[s]) / 2 : vi->v[s];
            least = vi->v[s] < least ? vi->v[s] : least;
        }
        for (int32_t s = 0; s < vi->states; s++)
            vi->u[s] = vi->v[s] - least;
        if (done || capped) {
            vi->cap_hits += !done;
            vi->total = total_of(vi->u, vi->states);
            return (d.max + d.min) / 2;
        }
    }
}

void lgkt_vi_discounted(lgkt_vi *vi, double g, double precision)
{
    const double ahead = g / (1 - g);
    for (int64_t i = 1;; i++) {
        lgkt_vi_sweep(vi, g);
        bracket d = bracket_of(vi);
        bool leaky = vi->leaky;
        for (int32_t s = 0; vi->capped && !leaky && s < vi->states; s++)
            leaky = vi->v[s] >= vi->ceiling;
        if (leaky) {
            d.min = fmin(d.min, 0);
            d.max = fmax(d.max, 0);
        }
        const bool done = !(ahead * (d.max - d.min) >= precision), capped = i >= vi->sweep_cap;
        const bool shifts = (done || capped) && !leaky;
        const double shift = shifts ? ahead * ((d.max + d.min) / 2) : 0;
        for (int32_t s = 0; s < vi->states; s++)
            vi->u[s] = vi->v[s] + shift;
        if (done || capped) {
            vi->cap_hits += !done;
            vi->total = total_of(vi->u, vi->states);
            return;
        }
    }
}
