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
// Rows that drift (drifting.h) are another operator in every sweep: such a pair is bounded by
// p_m.u + top sqrt(radius/2) instead (Pinsker's inequality).
//
// A box with a chosen support (UCRL3) has no monotone M: the bound is that of all states, which is
// at least as high. From FREEZE sweeps on supports only grow, or sweeps might cycle (box.c).
//
// The inner maximum over a ball:
//
// L1 (Jaksch, Ortner and Auer 2010): move mass radius/2 to the best state, and take it from the
// worst ones. O(n log n) in the successors seen.
//
// KL (Filippi, Cappe and Garivier 2010). With vb the highest value seen, gap = V* - vb the
// advantage of the best state if it was never seen, d_i = vb - V_i, nu = vb + s:
//
//   max = min over nu >= V* of  Phi(nu) = nu - exp(sum_i p_i ln(nu - V_i) - radius)
//
// By weak duality every nu gives an upper bound, so an unconverged root keeps optimism, and the
// error of the value is second order in that of the root. Stationarity is f(s) = radius with
//
//   f(s) = sum_i p_i ln(s + d_i) + ln sum_i p_i/(s + d_i),   convex, decreasing to 0.
//
//   (b) all successors share one value:  vb + gap (1 - e^-radius)
//   (c) gap > 0 and f(gap) <= radius:    Phi(V*)
//   (d) otherwise the root of f(s) = radius, s > max(0, gap), by Newton's method in w = ln s within
//       a closed-form bracket. In w, because for small samples the root is at s = e^-20 .. e^-40.
//
// The derivative is used in its variance form, df/dw = -sum_i p_i (x_i - xbar)^2 / xbar with
// x_i = s/(s + d_i), which does not cancel.

#include "learners/model/evi.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"

#define MANY_SWEEPS 200
#define FREEZE      100
#define MAX_NEWTON  60
#define EULER       2.718281828459045

// ---- radii ----

// the quotient itself may overflow
static double log_ratio(double x, double delta)
{
    return lgkt_log(x) - lgkt_log(delta);
}

double lgkt_radius_reward(const lgkt_radii *radii, double n)
{
    const double pairs = radii->states * radii->actions;
    if (radii->bound != LGKT_BOUND_ORIGINAL)
        return sqrt((1 + 1 / n) * lgkt_log(sqrt(1 + n) / radii->delta) / (2 * n));
    if (radii->region == LGKT_REGION_L1)
        return sqrt(7 * log_ratio(2 * pairs * radii->t, radii->delta) / (2 * n));
    const double log_t = lgkt_log(fmax(2, radii->horizon));
    return sqrt(log_ratio(4 * pairs * log_t, radii->delta) / 1.99) / sqrt(n);
}

double lgkt_radius_row(const lgkt_radii *radii, double n)
{
    const double states = radii->states, others = states - 1, delta = radii->delta;
    const bool original = radii->bound == LGKT_BOUND_ORIGINAL;
    // one state leaves nothing to be uncertain about
    if (states < 2)
        return 0;
    if (radii->region == LGKT_REGION_L1 && original)
        return sqrt(14 * states * log_ratio(2 * radii->actions * radii->t, delta) / n);
    if (radii->region == LGKT_REGION_L1 && radii->bound == LGKT_BOUND_RELEASED)
        return sqrt(states * (1 + 1 / n) * log_ratio(2 * sqrt(1 + n), delta) / (2 * n));
    if (radii->region == LGKT_REGION_L1) {
        // ln(2^S - 2), which overflows as written from S = 1024 on
        const double log_subsets = states * lgkt_log(2) + lgkt_log1p(-lgkt_exp2(1 - states));
        const double logs = 0.5 * lgkt_log1p(n) + log_subsets - lgkt_log(delta);
        return sqrt(2 * (1 + 1 / n) * logs / n);
    }
    if (!original)
        return (-lgkt_log(delta) + others * (1 + lgkt_log1p(n / others))) / n;
    const double log_t = lgkt_log(fmax(2, radii->horizon));
    const double b = log_ratio(2 * EULER * states * states * radii->actions * log_t, delta);
    const double c = b + 1 / log_t;
    return states * (b + lgkt_log(c) * (1 + 1 / c)) / n;
}

// ---- L1 ----

double lgkt_max_l1(lgkt_support *row, double top, double radius)
{
    // mass that is at the top already; several states may share it
    double there = 0, mean = 0;
    for (int32_t i = 0; i < row->n; i++) {
        mean += row->p[i] * row->value[i];
        there += row->value[i] == top ? row->p[i] : 0;
    }
    double mass = fmin(radius / 2, 1 - there);
    if (radius / 2 >= 1 - there)
        return top;
    // by increasing value; rows are short, and nearly sorted from one sweep to the next
    for (int32_t i = 1; i < row->n; i++) {
        const double p = row->p[i], value = row->value[i];
        int32_t j = i;
        for (; j > 0 && row->value[j - 1] > value; j--) {
            row->p[j] = row->p[j - 1];
            row->value[j] = row->value[j - 1];
        }
        row->p[j] = p;
        row->value[j] = value;
    }
    double result = mean + mass * top;
    for (int32_t i = 0; i < row->n && mass > 0; i++) {
        const double taken = fmin(row->p[i], mass);
        result -= taken * row->value[i];
        mass -= taken;
    }
    return result;
}

// ---- KL ----

typedef struct kl_problem {
    const lgkt_support *row;
    double best;   // vb
    double radius; // eps
    double gap;    // V* - vb
    double log_gap;
    double spread; // largest d_i
    double p_best; // mass with d_i = 0
    double p_rest; // mass with d_i > 0
} kl_problem;

// the functions of s = e^w at one w
typedef struct kl_point {
    double w, s;
    double f, slope;
    double log_mean; // sum_i p_i ln(1 + d_i/s), which is sum_i p_i ln(s + d_i) - w
} kl_point;

static kl_point kl_at(const kl_problem *k, double w)
{
    const double s = lgkt_exp(w);
    double mean = 0, rest = 0;
    for (int32_t i = 0; i < k->row->n; i++) {
        const double d = k->best - k->row->value[i];
        mean += k->row->p[i] * (d > 0 ? s / (s + d) : 1);
        rest += k->row->p[i] * (d > 0 ? d / (s + d) : 0);
    }
    double variance = 0, logs = 0;
    for (int32_t i = 0; i < k->row->n; i++) {
        const double d = k->best - k->row->value[i];
        const double x = (d > 0 ? s / (s + d) : 1) - mean;
        variance += k->row->p[i] * x * x;
        if (d > 0)
            logs += k->row->p[i] *
                    (s > 1e-290 && d < 1e8 * s ? lgkt_log1p(d / s) : lgkt_log(s + d) - w);
    }
    return (kl_point){.w = w,
                      .s = s,
                      .f = logs + (rest < 0.5 ? lgkt_log1p(-rest) : lgkt_log(mean)),
                      .slope = -variance / mean,
                      .log_mean = logs};
}

// the ends of the bracket
static double upper_end(const kl_problem *k)
{
    if (k->radius > 700)
        return lgkt_log(k->spread / 4) - k->radius;
    const double x = 1 / lgkt_expm1(k->radius);
    // apart: the product may underflow
    return lgkt_log(k->spread / 2) + lgkt_log(x / (1 + sqrt(1 + x)));
}

static double lower_end(const kl_problem *k)
{
    double sum = 0;
    for (int32_t i = 0; i < k->row->n; i++) {
        const double d = k->best - k->row->value[i];
        if (d > 0)
            sum += k->row->p[i] * lgkt_log(d);
    }
    const double w = (sum + lgkt_log(k->p_best) - k->radius) / k->p_rest;
    return k->gap > 0 ? fmax(w, k->log_gap) : w;
}

// where f = radius
static kl_point find_root(const kl_problem *k, double warm)
{
    double hi = upper_end(k), lo = lower_end(k);
    if (!(lo <= hi))
        lo = hi;
    const bool is_warm = warm >= lo && warm <= hi;
    double w = is_warm ? warm : lo;
    if (!is_warm && !(k->radius > k->p_rest)) {
        // without a better idea: exact for small radii
        double mean = 0, variance = 0;
        for (int32_t i = 0; i < k->row->n; i++)
            mean += k->row->p[i] * (k->best - k->row->value[i]);
        for (int32_t i = 0; i < k->row->n; i++) {
            const double x = k->best - k->row->value[i] - mean;
            variance += k->row->p[i] * x * x;
        }
        w = fmin(fmax(0.5 * lgkt_log(variance / (2 * k->radius)), lo), hi);
    }
    kl_point at = kl_at(k, w);
    for (int i = 0; i < MAX_NEWTON; i++) {
        const double excess = at.f - k->radius;
        if (fabs(excess) <= 1e-6 * k->radius)
            break;
        *(excess > 0 ? &lo : &hi) = w;
        double next = w - excess / at.slope;
        if (!(next > lo && next < hi))
            next = lo + (hi - lo) / 2;
        if (fabs(next - w) < 1e-15 * (1 + fabs(w)))
            break;
        w = next;
        at = kl_at(k, w);
    }
    return at;
}

// Phi(vb + s)
static double dual_value(const kl_problem *k, const kl_point *at)
{
    const double e = at->log_mean - k->radius;
    return e < 1 ? k->best - at->s * lgkt_expm1(e) : k->best + at->s - lgkt_exp(at->w + e);
}

double lgkt_max_kl(const lgkt_support *row, double top, double radius, double *warm)
{
    kl_problem k = {.row = row, .best = -INFINITY, .radius = radius};
    double least = INFINITY;
    for (int32_t i = 0; i < row->n; i++) {
        k.best = fmax(k.best, row->value[i]);
        least = fmin(least, row->value[i]);
    }
    for (int32_t i = 0; i < row->n; i++)
        *(row->value[i] == k.best ? &k.p_best : &k.p_rest) += row->p[i];
    k.gap = fmax(0, top - k.best);
    k.spread = k.best - least;
    if (!(k.p_rest > 0))
        return k.best + k.gap * -lgkt_expm1(-radius);
    if (k.gap > 0) {
        k.log_gap = lgkt_log(k.gap);
        const kl_point at = kl_at(&k, k.log_gap);
        if (at.f <= radius)
            return dual_value(&k, &at);
    }
    const kl_point at = find_root(&k, *warm);
    *warm = at.w;
    // rounding must not push the value out of what is possible
    return fmin(fmax(dual_value(&k, &at), k.best - k.spread), fmax(top, k.best));
}

// ---- life ----

static const lgkt_field fields[] = {
    {LGKT_COLUMN(lgkt_evi, pairs, PER_PAIR, lgkt_plausible, reward, REAL)},
    {LGKT_COLUMN(lgkt_evi, pairs, PER_PAIR, lgkt_plausible, radius, REAL)},
    {LGKT_COLUMN(lgkt_evi, backups, PER_PAIR, lgkt_pair_backup, drift, REAL)},
    {LGKT_ARRAY(lgkt_evi, u, PER_STATE, REAL)},
    {LGKT_ARRAY(lgkt_evi, v, PER_STATE, REAL)},
    {LGKT_ARRAY(lgkt_evi, hint, PER_STATE, ACTION)},
    {LGKT_ARRAY(lgkt_evi, p, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(lgkt_evi, value, PER_STATE, SCRATCH)},
    {LGKT_NUMBER(lgkt_evi, drift, REAL)},
    {LGKT_NUMBER(lgkt_evi, top, REAL)},
    {LGKT_NUMBER(lgkt_evi, states, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_evi, sweeps, TALLY)},
    {LGKT_NUMBER(lgkt_evi, cap_hits, TALLY)},
    {LGKT_NUMBER(lgkt_evi, projections, TALLY)},
    {LGKT_PART(lgkt_evi, boxes, &lgkt_boxes_part), LGKT_IF(lgkt_evi, has_boxes)},
    {LGKT_NUMBER(lgkt_evi, drifting.share, REAL), LGKT_IF(lgkt_evi, rows_drift)},
    {LGKT_ARRAY(lgkt_evi, drifting.logs, ONE, SCRATCH), LGKT_AND(LGKT_DRIFT_NODES - 1),
     LGKT_IF(lgkt_evi, rows_drift)},
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

// A row that drifts has all states, and so a maximum only if the plan knew the pair; one that was
// first seen since then is still as good as any.
static bool is_new(const lgkt_evi *evi, size_t z)
{
    return evi->rows_drift && !(evi->pairs[z].radius > 0);
}

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
    } else if (pair->moves > 0 && evi->states > 1 && !holds_all && !is_new(evi, z)) {
        const lgkt_edge *edges = lgkt_successors_edges(evi->counts);
        const double share = 1 / pair->moves;
        lgkt_support row = {.p = evi->p, .value = evi->value};
        double mean = 0;
        for (int32_t e = pair->first; e >= 0; e = edges[e].other, row.n++) {
            row.p[row.n] = edges[e].count * share;
            row.value[row.n] = evi->u[edges[e].next];
            mean += row.p[row.n] * row.value[row.n];
        }
        if (l1) {
            value = lgkt_max_l1(&row, evi->top, known->radius);
        } else if (evi->rows_drift) {
            mean = lgkt_drifting_mean(&evi->drifting, mean);
            value = lgkt_drifting_max(&evi->drifting, evi->u, &row, known->radius);
        } else {
            value = lgkt_max_kl(&row, evi->top, known->radius, &warm);
        }
        most = value = fmin(value, mean + known->mitigation);
    }
    if (!evi->looks)
        *backup = (lgkt_pair_backup){.value = most, .drift = evi->drift, .warm = warm};
    return value;
}

// of a row that drifts
static double pinsker_bound(const lgkt_evi *evi, size_t z)
{
    const lgkt_plausible *known = &evi->pairs[z];
    const double mean = lgkt_successors_mean(evi->counts, z, evi->u, 1); // NaN if it led nowhere
    if (isnan(mean) || is_new(evi, z))
        return evi->top;
    const double more = fmin(evi->top * sqrt(known->radius / 2), known->mitigation);
    return fmin(evi->top, lgkt_drifting_mean(&evi->drifting, mean) + more);
}

static double bound(const lgkt_evi *evi, size_t z)
{
    if (evi->rows_drift)
        return pinsker_bound(evi, z);
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
            pairs[z].reward + evi->top <= best || pairs[z].reward + bound(evi, z) <= best)
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

// v from u; `i` is the number of the sweep
static void sweep(lgkt_evi *evi, int64_t i)
{
    evi->top = 0;
    for (int32_t s = 0; s < evi->states; s++)
        evi->top = fmax(evi->top, evi->u[s]);
    if (evi->region == LGKT_REGION_BOX) {
        lgkt_boxes_order(&evi->boxes, evi->u, evi->states);
        if (i == FREEZE)
            lgkt_boxes_freeze(&evi->boxes, evi->actions);
    }
    if (evi->rows_drift) {
        lgkt_drifting_step(&evi->drifting, evi->states);
        lgkt_drifting_take(&evi->drifting, evi->u, evi->states);
    }
    for (int32_t s = 0; s < evi->states; s++)
        evi->v[s] = back_up(evi, s, NULL, &evi->hint[s]);
    if (evi->bias != NULL)
        evi->projections += lgkt_bias_project(evi->bias, evi->v, evi->states);
}

void lgkt_evi_go_on(lgkt_evi *evi)
{
    double least = INFINITY, drift = -INFINITY;
    for (int32_t s = 0; s < evi->states; s++)
        least = fmin(least, evi->v[s]);
    for (int32_t s = 0; s < evi->states; s++) {
        const double next = evi->v[s] - least;
        drift = fmax(drift, next - evi->u[s]);
        evi->u[s] = next;
    }
    evi->drift += drift;
}

double lgkt_evi_solve(lgkt_evi *evi, double precision)
{
    evi->boxes.frozen = false;
    for (int64_t i = 1;; i++) {
        evi->sweeps++;
        sweep(evi, i);
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

        // only half way
        for (int32_t s = 0; s < evi->states && i > MANY_SWEEPS; s++)
            evi->v[s] = (evi->u[s] + evi->v[s]) / 2;
        lgkt_evi_go_on(evi);
    }
}

void lgkt_evi_sweep_on(lgkt_evi *evi)
{
    lgkt_evi_go_on(evi);
    sweep(evi, 0);
}

void lgkt_evi_loaded(lgkt_evi *evi)
{
    if (evi->rows_drift)
        lgkt_drifting_take(&evi->drifting, evi->u, evi->states);
}

bool lgkt_evi_reaches(lgkt_evi *evi, size_t z, double least)
{
    const double reward = evi->pairs[z].reward;
    return reward + evi->top >= least && reward + bound(evi, z) >= least &&
           reward + evaluate(evi, z) >= least;
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
        if (lgkt_evi_reaches(evi, z, best - tolerance))
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
