// SPDX-License-Identifier: MIT
// The linear part of `forest`: per action a ridge regression of the reward on the columns of a
// record, all of them standardised.
//
//   o = (1, (x - center)/unit),  G = sum o o',  h = sum o r  over the log
//   at a refresh: mean and deviation of each column over all actions, z = (1, o standardised);
//   P = (G of z + I)^-1,  w = P h of z
//
// A number is one column; a category has one for each value, as long as these are few. What is
// missing counts as the center. o is clipped at +-2^100 and z, when it is evaluated, at +-4.
//
// The center is the first value and the unit a power of 2 near the first difference, so that scales
// and origins change nothing but the last bits of sums. With each round over the log the sums are
// built anew, with a center and a unit near mean and deviation: so what was added and taken away
// again leaves nothing. P comes from sweeps of one column after the other, of which a step does as
// many as FOREST_SWEPT numbers allow.

#include "learners/forest/forest.h"

#include <math.h>
#include <string.h>

#define MOST_O 0x1p100
#define MOST_Z 4
#define MOST_P 1.5 // of the numbers of P, which are at most 1

// ---- columns ----

lgkt_status lgkt_forest_linear_create(lgkt_learner *learner, lgkt_error *error)
{
    forest_linear *l = &((forest *)learner->self)->linear;
    const lgkt_records *records = learner->records;
    const size_t most = FOREST_COLUMNS + LGKT_RECORD_DIMS + 1;
    l->feature = lgkt_learner_alloc(learner, most, sizeof *l->feature);
    l->category = lgkt_learner_alloc(learner, most, sizeof *l->category);
    if (l->feature == NULL || l->category == NULL)
        return lgkt_fail_memory(error, "a learner");
    for (int32_t j = 0; j < records->dims; j++) {
        const lgkt_kind *kind = &records->kinds[j];
        const bool is_number = kind->type == LGKT_KIND_NUMBER;
        const int32_t own = is_number ? 1 : kind->count;
        if (!is_number && (own > FOREST_COLUMNS - l->columns || own > FOREST_ONE_HOT))
            continue;
        for (int32_t c = 0; c < own; c++) {
            l->feature[++l->columns] = j;
            l->category[l->columns] = is_number ? NAN : (double)c;
        }
    }
    l->rows = l->columns + 1;
    l->size = l->rows * l->rows;
    l->on = true;
    l->solving = -1;
    return LGKT_OK;
}

void lgkt_forest_linear_observe(const forest_linear *l, const forest_sums *sums, const double *x,
                                double *o)
{
    o[0] = 1;
    for (int64_t j = 1; j <= l->columns; j++) {
        const double value = x[l->feature[j]];
        if (!isnan(l->category[j])) {
            o[j] = value == l->category[j];
        } else if (isnan(value) || !(sums->unit[j] > 0)) {
            o[j] = 0; // without a unit it has not changed yet
        } else {
            const double away = (value - sums->center[j]) / sums->unit[j];
            o[j] = away > MOST_O ? MOST_O : away < -MOST_O ? -MOST_O : away;
        }
    }
}

// ---- evaluation ----

void lgkt_forest_linear_look(lgkt_learner *learner, int32_t number)
{
    const forest_linear *l = &((const forest *)learner->self)->linear;
    lgkt_forest_linear_observe(l, &l->sums, lgkt_learner_record(learner, number), l->z);
    for (int64_t j = 1; j <= l->columns; j++) {
        const double z = (l->z[j] - l->now.mean[j]) * l->now.scale[j];
        l->z[j] = z > MOST_Z ? MOST_Z : z < -MOST_Z ? -MOST_Z : z;
    }
    const double *w = l->now.w;
    for (int32_t a = 0; a < learner->problem.actions; a++, w += l->rows) {
        double sum = 0;
        for (int64_t j = 0; j < l->rows; j++)
            sum += w[j] * l->z[j];
        l->value[a] = sum;
    }
}

double lgkt_forest_linear_doubt(const lgkt_learner *learner, int32_t action)
{
    const forest_linear *l = &((const forest *)learner->self)->linear;
    const size_t q = (size_t)l->rows;
    const double *p = l->now.p + (size_t)action * (size_t)l->size;
    double sum = 0;
    for (size_t i = 0; i < q; i++) {
        double row = 0;
        for (size_t j = 0; j < q; j++)
            row += p[i * q + j] * l->z[j];
        sum += row * l->z[i];
    }
    return sum > 0 ? sum : 0;
}

// ---- sums ----

// the largest power of 2 up to x > 0
static double power_below(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 1 < -1000 ? -1000 : exponent - 1);
}

// the first value of a column is its center, and the first difference tells its unit
static void scale_columns(const forest_linear *l, forest_sums *sums, const double *x, bool is_first)
{
    for (int64_t j = 1; j <= l->columns; j++) {
        const double value = x[l->feature[j]];
        if (!isnan(l->category[j]) || isnan(value) || sums->unit[j] > 0)
            continue;
        if (is_first)
            sums->center[j] = value;
        else if (value != sums->center[j])
            sums->unit[j] = power_below(fabs(value / 2 - sums->center[j] / 2) * 2);
    }
}

void lgkt_forest_linear_add(lgkt_learner *learner, forest_sums *sums, int32_t number, double sign)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    const forest_step *step = &f->steps[number];
    const double *x = lgkt_learner_record(learner, number);
    const size_t q = (size_t)l->rows;
    double *g = sums->g + (size_t)step->action * (size_t)l->size;
    double *h = sums->h + (size_t)step->action * q;
    scale_columns(l, sums, x, f->taught == 0);
    lgkt_forest_linear_observe(l, sums, x, l->o);
    for (size_t i = 0; i < q; i++) {
        const double o = sign * l->o[i];
        for (size_t j = 0; j <= i; j++)
            g[i * q + j] += o * l->o[j];
        h[i] += o * step->r;
    }
}

void lgkt_forest_linear_judge(lgkt_learner *learner, int32_t number)
{
    forest *f = learner->self;
    const forest_step *step = &f->steps[number];
    lgkt_forest_linear_look(learner, number);
    const double off = step->r - f->rbar, error = off - f->linear.value[step->action];
    f->linear.e0 += off * off;
    f->linear.e1 += error * error;
}

// ---- the sums anew ----

// mean and variance of a column of the sums, over all actions
static double mean_of(const lgkt_learner *learner, const forest_sums *sums, int64_t column,
                      double *variance)
{
    const forest_linear *l = &((const forest *)learner->self)->linear;
    const size_t q = (size_t)l->rows, j = (size_t)column;
    double n = 0, sum = 0, squares = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        const double *g = sums->g + (size_t)a * (size_t)l->size;
        n += g[0];
        sum += g[j * q];
        squares += g[j * q + j];
    }
    const double mean = n > 0 ? sum / n : 0, square = n > 0 ? squares / n : 0;
    *variance = square - mean * mean > 1e-12 * square ? square - mean * mean : 0;
    return mean;
}

// mean and scale of columns, as they are with the center and unit of other sums
static void convert(const forest_linear *l, forest_fit *fit)
{
    for (int64_t j = 1; j <= l->columns; j++) {
        if (!(l->sums.unit[j] > 0) || !(l->fresh.unit[j] > 0))
            continue;
        const double ratio = l->sums.unit[j] / l->fresh.unit[j];
        const double moved = (l->sums.center[j] - l->fresh.center[j]) / l->fresh.unit[j];
        fit->mean[j] = fit->mean[j] * ratio + moved;
        fit->scale[j] /= ratio;
    }
}

// The sums that a round has built take the place of the others, and the next ones begin. The center
// moves by eighths of a unit, so that x less it is exact where it was.
static void change_sums(lgkt_learner *learner)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    const size_t actions = (size_t)learner->problem.actions;
    convert(l, &l->now);
    convert(l, &l->next);
    const forest_sums old = l->sums;
    l->sums = l->fresh;
    l->fresh = old;
    for (int64_t j = 1; j <= l->columns; j++) {
        double variance;
        const double mean = mean_of(learner, &l->sums, j, &variance), unit = l->sums.unit[j];
        const double center = l->sums.center[j] + unit * (floor(8 * mean) / 8);
        const double other = variance > 0 ? unit * power_below(sqrt(variance)) : unit;
        const bool moves = f->n >= 64 && isfinite(center) && other > 0 && isfinite(other);
        l->fresh.center[j] = moves ? center : l->sums.center[j];
        l->fresh.unit[j] = moves ? other : unit;
    }
    memset(l->fresh.g, 0, actions * (size_t)l->size * sizeof *l->fresh.g);
    memset(l->fresh.h, 0, actions * (size_t)l->rows * sizeof *l->fresh.h);
}

// ---- refresh ----

// the matrix of an action: G of z + I, which the sweeps then invert, and h of z
static void fill(const lgkt_learner *learner, int32_t action)
{
    forest_linear *l = &((forest *)learner->self)->linear;
    const size_t q = (size_t)l->rows;
    const double *g = l->sums.g + (size_t)action * (size_t)l->size;
    const double *h = l->sums.h + (size_t)action * q;
    double *p = l->next.p + (size_t)action * (size_t)l->size;
    double *right = l->next.w + (size_t)action * q;
    const double rbar = ((const forest *)learner->self)->rbar;
    for (size_t i = 0; i < q; i++) {
        const double si = i == 0 ? 1 : l->next.scale[i], mi = i == 0 ? 0 : l->next.mean[i];
        for (size_t j = 0; j <= i; j++) {
            const double sj = j == 0 ? 1 : l->next.scale[j], mj = j == 0 ? 0 : l->next.mean[j];
            const double moment = g[i * q + j] - mi * g[j * q] - mj * g[i * q] + mi * mj * g[0];
            p[i * q + j] = p[j * q + i] = moment * si * sj;
        }
        p[i * q + i] += 1;
        right[i] = (h[i] - mi * h[0] - rbar * (g[i * q] - mi * g[0])) * si;
    }
}

// One step of the inversion, in place (Gauss and Jordan): column k.
static void sweep(double *p, size_t q, size_t k)
{
    const double pivot = 1 / p[k * q + k];
    for (size_t i = 0; i < q; i++) {
        const double ratio = p[i * q + k] * pivot;
        for (size_t j = 0; j < q && i != k; j++)
            p[i * q + j] -= j != k ? ratio * p[k * q + j] : 0;
    }
    for (size_t i = 0; i < q; i++) {
        p[i * q + k] *= i != k ? -pivot : 1;
        p[k * q + i] *= i != k ? pivot : 1;
    }
    p[k * q + k] = pivot;
}

// w of an action, when P is there. Sums that were made up may lead to no P: then there is none.
static void finish(const lgkt_learner *learner, int32_t action)
{
    forest_linear *l = &((forest *)learner->self)->linear;
    const size_t q = (size_t)l->rows;
    double *p = l->next.p + (size_t)action * (size_t)l->size;
    double *w = l->next.w + (size_t)action * q;
    bool is_inverse = true;
    for (size_t i = 0; i < q * q; i++)
        is_inverse &= fabs(p[i]) <= MOST_P;
    for (size_t i = 0; i < q * q && !is_inverse; i++)
        p[i] = i % (q + 1) == 0;
    memcpy(l->o, w, q * sizeof *w);
    for (size_t i = 0; i < q; i++) {
        double sum = 0;
        for (size_t j = 0; j < q; j++)
            sum += p[i * q + j] * l->o[j];
        w[i] = is_inverse && fabs(sum) <= LGKT_MAX_NUMBER ? sum : 0;
    }
}

void lgkt_forest_linear_solve(lgkt_learner *learner)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    const size_t q = (size_t)l->rows;
    for (int64_t left = FOREST_SWEPT; l->solving >= 0 && left > 0; left -= l->size) {
        const int32_t action = (int32_t)(l->solving / l->rows);
        const int64_t column = l->solving % l->rows;
        if (column == 0)
            fill(learner, action);
        sweep(l->next.p + (size_t)action * (size_t)l->size, q, (size_t)column);
        l->solving++;
        if (column < l->columns)
            continue;
        finish(learner, action);
        if (action < learner->problem.actions - 1)
            continue;
        const forest_fit old = l->now;
        l->now = l->next;
        l->next = old;
        l->solving = -1;
    }
}

void lgkt_forest_linear_refresh(lgkt_learner *learner)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    l->on = f->taught < 32 || f->low == f->high || l->e1 < 0.9 * l->e0;
    l->e0 *= 0.9;
    l->e1 *= 0.9;
    change_sums(learner);
    if (l->solving >= 0)
        return;
    for (int64_t j = 1; j <= l->columns; j++) {
        double variance;
        l->next.mean[j] = mean_of(learner, &l->sums, j, &variance);
        l->next.scale[j] = variance > 0 ? 1 / sqrt(variance) : 0;
    }
    l->solving = 0;
    lgkt_forest_linear_solve(learner);
}
