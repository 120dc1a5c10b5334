// SPDX-License-Identifier: MIT
// Extended value iteration (Jaksch, Ortner and Auer 2010), for all regions alike:
//
//   v(s) = max_a ( rtilde(s,a) + max over plausible q of q.u ),   d = v - u
//   stop when max d - min d < precision: the gain is (max d + min d)/2; else u = v - min v
//
// The stopping rule needs Jacobi sweeps: v is computed from the old u alone. After MANY_SWEEPS the
// operator may be periodic (mitigation can make it so), and u moves only half way to v from then
// on, which has the same fixed points.
//
// What makes it fast: most pairs are never evaluated. M(u) = max q.u is monotone, and M(u + c) =
// M(u) + c, so M(u') <= M(u) + max(u' - u). Each pair keeps the value it had when last evaluated,
// and `drift` adds up max(u' - u) over all sweeps since creation: value + (drift - drift then)
// bounds it from above at no cost, also across plannings as long as its counts are the same. In
// each state the best action of the last sweep is evaluated first, and another one only if its
// bound is above that. A pair that is skipped cannot change v.
//
// A box with a chosen support (UCRL3) has no monotone M: the bound is that of all states, which is
// at least as high. From FREEZE sweeps on supports only grow, or sweeps might cycle (box.c).

#include "learners/model/evi.h"

#include <math.h>
#include <string.h>

#define MANY_SWEEPS 200
#define FREEZE      100

// ---- life ----

static const lgkt_field fields[] = {
    {LGKT_COLUMN(lgkt_evi, pairs, lgkt_per_pair, lgkt_plausible, reward, REAL)},
    {LGKT_COLUMN(lgkt_evi, pairs, lgkt_per_pair, lgkt_plausible, radius, REAL)},
    {LGKT_COLUMN(lgkt_evi, backups, lgkt_per_pair, lgkt_pair_backup, drift, REAL)},
    {LGKT_ARRAY(lgkt_evi, u, lgkt_per_state, REAL)},
    {LGKT_ARRAY(lgkt_evi, v, lgkt_per_state, REAL)},
    {LGKT_ARRAY(lgkt_evi, hint, lgkt_per_state, ACTION)},
    {LGKT_ARRAY(lgkt_evi, p, lgkt_per_state, SCRATCH)},
    {LGKT_ARRAY(lgkt_evi, value, lgkt_per_state, SCRATCH)},
    {LGKT_NUMBER(lgkt_evi, drift, REAL)},
    {LGKT_NUMBER(lgkt_evi, top, REAL)},
    {LGKT_NUMBER(lgkt_evi, states, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_evi, sweeps, TALLY)},
    {LGKT_NUMBER(lgkt_evi, cap_hits, TALLY)},
    {LGKT_NUMBER(lgkt_evi, projections, TALLY)},
    {LGKT_PART(lgkt_evi, boxes, &lgkt_boxes_part), LGKT_IF(lgkt_evi, has_boxes)},
};

static bool grow(lgkt_learner *learner, void *part, int32_t before, int32_t after)
{
    lgkt_evi *evi = part;
    const size_t actions = (size_t)learner->problem.actions;
    evi->actions = learner->problem.actions;
    for (size_t z = (size_t)before * actions; z < (size_t)after * actions; z++) {
        evi->pairs[z].mitigation = INFINITY;
        evi->backups[z] = (lgkt_pair_backup){.value = INFINITY, .warm = NAN};
    }
    return true;
}

// infinities and NaN are among the values: what is not known is stored as such
static void visit_flagged(lgkt_archive *archive, double *value, double unknown)
{
    int32_t known = isfinite(*value) != 0;
    lgkt_visit_i32(archive, &known, 1, 0, 1);
    if (known)
        lgkt_visit_f64(archive, value, 1);
    else if (archive->mode == LGKT_ARCHIVE_LOAD)
        *value = unknown;
}

static void visit(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    lgkt_evi *evi = part;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    for (size_t z = 0; z < pairs; z++) {
        archive->bad |= evi->pairs[z].radius < 0;
        visit_flagged(archive, &evi->pairs[z].mitigation, INFINITY);
        visit_flagged(archive, &evi->backups[z].value, INFINITY);
        visit_flagged(archive, &evi->backups[z].warm, NAN);
    }
}

const lgkt_part lgkt_evi_part = {
    .fields = fields, .count = LGKT_LENGTH(fields), .grow = grow, .visit = visit};

void lgkt_evi_touch(lgkt_evi *evi, size_t z)
{
    evi->backups[z].value = INFINITY;
}

// ---- one pair ----

// max q.u of a pair, evaluated and remembered
static double evaluate(lgkt_evi *evi, size_t z)
{
    const lgkt_seen_row *pair = &evi->counts->rows[z];
    const lgkt_plausible *known = &evi->pairs[z];
    lgkt_pair_backup *backup = &evi->backups[z];
    const bool l1 = evi->region == LGKT_REGION_L1;
    const bool holds_all = l1 && known->radius >= 2 && isinf(known->mitigation);
    double value = evi->top, most = evi->top, warm = backup->warm;
    if (pair->moves > 0 && evi->states > 1 && evi->region == LGKT_REGION_BOX) {
        const int32_t chosen = evi->boxes.chosen[z];
        value = lgkt_boxes_max(&evi->boxes, evi->counts, z, &most);
        if (evi->looks)
            evi->boxes.chosen[z] = chosen;
    } else if (pair->moves > 0 && evi->states > 1 && !holds_all) {
        const lgkt_edge *edges = lgkt_successors_edges(evi->counts);
        const double share = 1 / pair->moves;
        lgkt_support row = {.p = evi->p, .value = evi->value};
        double mean = 0;
        for (int32_t e = pair->first; e >= 0; e = edges[e].other, row.n++) {
            row.p[row.n] = edges[e].count * share;
            row.value[row.n] = evi->u[edges[e].next];
            mean += row.p[row.n] * row.value[row.n];
        }
        value = l1 ? lgkt_max_l1(&row, evi->top, known->radius)
                   : lgkt_max_kl(&row, evi->top, known->radius, &warm);
        most = value = fmin(value, mean + known->mitigation);
    }
    if (!evi->looks)
        *backup = (lgkt_pair_backup){.value = most, .drift = evi->drift, .warm = warm};
    return value;
}

static double bound(const lgkt_evi *evi, size_t z)
{
    const lgkt_pair_backup *backup = &evi->backups[z];
    return fmin(evi->top, backup->value + (evi->drift - backup->drift));
}

// ---- a sweep ----

// what the best allowed action of a state is worth; NULL: all are
static double back_up(lgkt_evi *evi, int32_t state, const uint8_t *allowed, int32_t *action)
{
    const lgkt_plausible *pairs = evi->pairs;
    const size_t row = (size_t)state * (size_t)evi->actions;
    const int32_t hint = evi->hint[state];
    const size_t first = row + (size_t)hint;
    double best = -INFINITY;
    if (allowed == NULL || allowed[hint] != 0)
        best = pairs[first].reward + evaluate(evi, first);
    *action = hint;
    for (int32_t a = 0; a < evi->actions; a++) {
        const size_t z = row + (size_t)a;
        if (a == hint || (allowed != NULL && allowed[a] == 0) ||
            pairs[z].reward + bound(evi, z) <= best)
            continue;
        const double q = pairs[z].reward + evaluate(evi, z);
        if (q > best) {
            best = q;
            *action = a;
        }
    }
    return best;
}

void lgkt_evi_restart(lgkt_evi *evi)
{
    memset(evi->u, 0, (size_t)evi->states * sizeof *evi->u);
    for (size_t z = 0; z < (size_t)evi->states * (size_t)evi->actions; z++)
        lgkt_evi_touch(evi, z);
}

double lgkt_evi_solve(lgkt_evi *evi, double precision)
{
    evi->boxes.frozen = false;
    for (int64_t i = 1;; i++) {
        evi->sweeps++;
        evi->top = 0;
        for (int32_t s = 0; s < evi->states; s++)
            evi->top = fmax(evi->top, evi->u[s]);
        if (evi->region == LGKT_REGION_BOX) {
            lgkt_boxes_order(&evi->boxes, evi->u, evi->states);
            if (i == FREEZE)
                lgkt_boxes_freeze(&evi->boxes, evi->actions);
        }
        for (int32_t s = 0; s < evi->states; s++)
            evi->v[s] = back_up(evi, s, NULL, &evi->hint[s]);
        if (evi->project != NULL)
            evi->projections += evi->project(evi->project_ctx, evi->v, evi->states);

        double min_d = INFINITY, max_d = -INFINITY;
        for (int32_t s = 0; s < evi->states; s++) {
            min_d = fmin(min_d, evi->v[s] - evi->u[s]);
            max_d = fmax(max_d, evi->v[s] - evi->u[s]);
        }
        const bool capped = i >= evi->sweep_cap;
        if (!(max_d - min_d > precision) || capped) {
            evi->cap_hits += capped && max_d - min_d > precision;
            return (max_d + min_d) / 2;
        }

        // u = v - min v, or half way there
        double least = INFINITY, drift = -INFINITY;
        for (int32_t s = 0; s < evi->states; s++) {
            if (i > MANY_SWEEPS)
                evi->v[s] = (evi->u[s] + evi->v[s]) / 2;
            least = fmin(least, evi->v[s]);
        }
        for (int32_t s = 0; s < evi->states; s++) {
            const double next = evi->v[s] - least;
            drift = fmax(drift, next - evi->u[s]);
            evi->u[s] = next;
        }
        evi->drift += drift;
    }
}

int32_t lgkt_evi_best(lgkt_evi *evi, int32_t state, const uint8_t *allowed, double tolerance,
                      int32_t *ties)
{
    const size_t row = (size_t)state * (size_t)evi->actions;
    int32_t action, count = 0;
    const double best = back_up(evi, state, allowed, &action);
    if (allowed == NULL && !evi->looks)
        evi->hint[state] = action;
    for (int32_t a = 0; a < evi->actions; a++) {
        const size_t z = row + (size_t)a;
        if (allowed != NULL && allowed[a] == 0)
            continue;
        if (evi->pairs[z].reward + bound(evi, z) < best - tolerance)
            continue;
        if (evi->pairs[z].reward + evaluate(evi, z) >= best - tolerance)
            ties[count++] = a;
    }
    if (count == 0)
        ties[count++] = action;
    return count;
}

double lgkt_evi_value(lgkt_evi *evi, size_t z)
{
    const bool before = evi->looks;
    evi->looks = true;
    const double value = evi->pairs[z].reward + evaluate(evi, z);
    evi->looks = before;
    return value;
}
