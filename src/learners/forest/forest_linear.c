// SPDX-License-Identifier: MIT
// The linear part of `forest`: per action a ridge regression of the reward on the columns of a
// record, all of them standardised.
//
//   G = sum o o',  h = sum o r,  o = (1, x - x_0);  a missing number counts as its mean so far
//   at a refresh: mean and deviation of each column over all actions, z = (1, x standardised);
//   P = (G of z + I)^-1,  w = P h of z
//
// A number is one column, a category one for each value, as long as these are few. o is clipped at
// +-2^100 units and z, when it is evaluated, at +-4.

#include "learners/forest/forest.h"

#include <math.h>
#include <string.h>

#define MOST_O 0x1p100
#define MOST_Z 4

// ---- columns ----

// columns of a feature, while there is room for them
static int64_t columns_of(const lgkt_kind *kind, int64_t left)
{
    if (kind->type == LGKT_KIND_NUMBER)
        return 1;
    return kind->count <= FOREST_ONE_HOT && kind->count <= left ? kind->count : 0;
}

lgkt_status forest_linear_create(lgkt_learner *learner, lgkt_error *error)
{
    forest_linear *l = &((forest *)learner->self)->linear;
    const lgkt_records *records = learner->records;
    int64_t columns = 0;
    for (int32_t j = 0; j < records->dims; j++)
        columns += columns_of(&records->kinds[j], FOREST_COLUMNS - columns);
    l->columns = columns;
    l->rows = columns + 1;
    l->size = l->rows * l->rows;
    const size_t q = (size_t)columns + 1;
    l->feature = lgkt_learner_alloc(learner, q, sizeof *l->feature);
    l->category = lgkt_learner_alloc(learner, q, sizeof *l->category);
    if (l->feature == NULL || l->category == NULL)
        return lgkt_fail_memory(error, "a learner");
    int64_t at = 1;
    for (int32_t j = 0; j < records->dims; j++) {
        const int64_t own = columns_of(&records->kinds[j], FOREST_COLUMNS - (at - 1));
        for (int64_t c = 0; c < own; c++, at++) {
            l->feature[at] = j;
            l->category[at] = records->kinds[j].type == LGKT_KIND_NUMBER ? NAN : (double)c;
        }
    }
    l->on = true;
    return LGKT_OK;
}

void forest_linear_observe(const lgkt_learner *learner, const double *x, double *o)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    o[0] = 1;
    for (int64_t j = 1; j <= l->columns; j++) {
        const double value = x[l->feature[j]];
        if (isnan(value)) {
            o[j] = l->mean[j];
        } else if (!isnan(l->category[j])) {
            o[j] = value == l->category[j];
        } else {
            const double away = (value - l->center[j]) / l->unit[j];
            o[j] = away > MOST_O ? MOST_O : away < -MOST_O ? -MOST_O : away;
        }
    }
}

void forest_linear_look(lgkt_learner *learner, int32_t number)
{
    forest *f = learner->self;
    const forest_linear *l = &f->linear;
    forest_linear_observe(learner, lgkt_learner_record(learner, number), l->z);
    for (int64_t j = 1; j <= l->columns; j++) {
        const double z = (l->z[j] - l->mean[j]) * l->scale[j];
        l->z[j] = z > MOST_Z ? MOST_Z : z < -MOST_Z ? -MOST_Z : z;
    }
}

double forest_linear_value(const lgkt_learner *learner, int32_t action)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    const double *w = l->w + (size_t)action * (size_t)(l->columns + 1);
    double sum = 0;
    for (int64_t j = 0; j <= l->columns; j++)
        sum += w[j] * l->z[j];
    return sum;
}

double forest_linear_doubt(const lgkt_learner *learner, int32_t action)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    const size_t q = (size_t)l->columns + 1;
    const double *p = l->p + (size_t)action * (size_t)l->size;
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

// before the first step: columns count from its record
static void begin(lgkt_learner *learner, const double *x)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    for (int64_t j = 1; j <= l->columns; j++) {
        const double value = x[l->feature[j]];
        l->center[j] = isnan(value) || !isnan(l->category[j]) ? 0 : value;
        l->unit[j] = 1;
    }
}

void forest_linear_count(lgkt_learner *learner, int32_t number, double sign)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    const forest_step *step = &f->steps[number];
    const size_t q = (size_t)l->columns + 1;
    const double *x = lgkt_learner_record(learner, number);
    double *g = l->g + (size_t)step->action * (size_t)l->size;
    double *h = l->h + (size_t)step->action * q;
    if (f->taught == 0)
        begin(learner, x);
    forest_linear_look(learner, number);
    const double off = step->r - f->rbar, error = off - forest_linear_value(learner, step->action);
    if (sign > 0) {
        l->e0 += off * off;
        l->e1 += error * error;
    }
    forest_linear_observe(learner, x, l->o);
    for (size_t i = 0; i < q; i++) {
        const double o = sign * l->o[i];
        for (size_t j = 0; j <= i; j++)
            g[i * q + j] += o * l->o[j];
        h[i] += o * step->r;
    }
}

// ---- refresh ----

// mean and deviation of each column, over all actions
static void standardise(lgkt_learner *learner)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    const size_t q = (size_t)l->columns + 1;
    for (size_t j = 1; j < q; j++) {
        double n = 0, sum = 0, squares = 0;
        for (int32_t a = 0; a < learner->problem.actions; a++) {
            const double *g = l->g + (size_t)a * (size_t)l->size;
            n += g[0];
            sum += g[j * q];
            squares += g[j * q + j];
        }
        const double mean = n > 0 ? sum / n : 0, square = n > 0 ? squares / n : 0;
        const double variance = square - mean * mean;
        l->mean[j] = mean;
        l->scale[j] = variance > 1e-12 * square ? 1 / sqrt(variance) : 0;
    }
}

// The inverse of a positive definite matrix, of which the lower half is there, in place: by sweeps
// of one column after the other.
static void invert(double *p, size_t q)
{
    for (size_t i = 0; i < q; i++)
        for (size_t j = i + 1; j < q; j++)
            p[i * q + j] = p[j * q + i];
    for (size_t k = 0; k < q; k++) {
        const double pivot = 1 / p[k * q + k];
        for (size_t i = 0; i < q; i++) {
            if (i == k)
                continue;
            const double ratio = p[i * q + k] * pivot;
            for (size_t j = 0; j < q; j++)
                if (j != k)
                    p[i * q + j] -= ratio * p[k * q + j];
        }
        for (size_t i = 0; i < q; i++) {
            if (i == k)
                continue;
            p[i * q + k] *= -pivot;
            p[k * q + i] *= pivot;
        }
        p[k * q + k] = pivot;
    }
}

// Whether numbers are what (G + I)^-1 can have, which a sum that was made up may not lead to.
static bool is_inverse(const double *p, size_t q)
{
    for (size_t i = 0; i < q * q; i++)
        if (!(fabs(p[i]) <= 1.5))
            return false;
    return true;
}

// P and w of an action
static void solve(lgkt_learner *learner, int32_t action)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    const size_t q = (size_t)l->columns + 1;
    const double *g = l->g + (size_t)action * (size_t)l->size;
    const double *h = l->h + (size_t)action * q;
    double *p = l->p + (size_t)action * (size_t)l->size, *w = l->w + (size_t)action * q;
    double *right = l->work;
    for (size_t i = 0; i < q; i++) {
        const double si = i == 0 ? 1 : l->scale[i], mi = i == 0 ? 0 : l->mean[i];
        for (size_t j = 0; j <= i; j++) {
            const double sj = j == 0 ? 1 : l->scale[j], mj = j == 0 ? 0 : l->mean[j];
            p[i * q + j] =
                (g[i * q + j] - mi * g[j * q] - mj * g[i * q] + mi * mj * g[0]) * si * sj;
        }
        p[i * q + i] += 1;
        right[i] = (h[i] - mi * h[0] - f->rbar * (g[i * q] - mi * g[0])) * si;
    }
    // the first row is no column with a mean
    right[0] = h[0] - f->rbar * g[0];
    invert(p, q);
    if (!is_inverse(p, q))
        for (size_t i = 0; i < q * q; i++)
            p[i] = i % (q + 1) == 0;
    for (size_t i = 0; i < q; i++) {
        double sum = 0;
        for (size_t j = 0; j < q; j++)
            sum += p[i * q + j] * right[j];
        w[i] = fabs(sum) <= LGKT_MAX_NUMBER ? sum : 0;
    }
}

void forest_linear_refresh(lgkt_learner *learner)
{
    forest *f = learner->self;
    forest_linear *l = &f->linear;
    standardise(learner);
    for (int32_t a = 0; a < learner->problem.actions; a++)
        solve(learner, a);
    l->on = f->taught < 32 || f->low == f->high || l->e1 < 0.9 * l->e0;
    l->e0 *= 0.9;
    l->e1 *= 0.9;
}

void forest_linear_check(const lgkt_learner *learner, lgkt_archive *archive)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    for (int64_t j = 0; j < l->rows; j++)
        archive->bad |= !(l->unit[j] > 0) || !(l->scale[j] >= 0);
    for (int64_t i = 0; i < l->size * learner->problem.actions; i++)
        archive->bad |= !(fabs(l->p[i]) <= 1.5);
    archive->bad |= !(l->e0 >= 0) || !(l->e1 >= 0);
}
