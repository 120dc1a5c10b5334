// SPDX-License-Identifier: MIT
// The bias-difference estimator and the projection of PMEVI (bias.h).
//
// Estimator. For x != y, a leg x -> y starts at the first visit of x after the last visit of y and
// ends at the next visit of y; legs x -> y and y -> x alternate. The expected sum of (r - g*) over
// a leg is h*(x) - h*(y) minus the gaps met. With ghat the mean reward so far:
//
//   chat(x,y) = ( [Rew(x->y) - Rew(y->x)] - ghat [Dur(x->y) - Dur(y->x)] ) / legs = -chat(y,x)
//
// On arrival in y the legs of y with every other state are updated: O(S) a step.
//
// Projection. With D the shortest-path closure of the limits c, (Gamma v)_x = min_y (D_xy + v_y) is
// the largest u <= v with u_x - u_y <= c_xy in all coordinates at once: any feasible u <= v is
// below it (add up constraints along a path), and it is feasible itself (triangle inequality of D).
// With nothing tighter than the span c0 it is min(v, min v + c0), and no closure is made. To know
// that there is nothing takes no look at the legs while
//
//   error > c0 legs + |Rew| + |ghat Dur|,
//
// each at the most that any leg has had: error/legs - |chat| is above c0 then for all of them.

#include "learners/model/bias.h"

#include <math.h>
#include <string.h>

// ---- life ----

static size_t legs_of(size_t states)
{
    return states == 0 ? 0 : states * (states - 1) / 2;
}

static const lgkt_field fields[] = {
    {LGKT_COLUMN(lgkt_bias, legs, PER_LEG, lgkt_leg, start_reward, REAL)},
    {LGKT_COLUMN(lgkt_bias, legs, PER_LEG, lgkt_leg, reward, REAL)},
    {LGKT_COLUMN(lgkt_bias, legs, PER_LEG, lgkt_leg, start, COUNT)},
    {LGKT_COLUMN(lgkt_bias, legs, PER_LEG, lgkt_leg, n, COUNT)},
    {LGKT_ARRAY(lgkt_bias, limit, PER_TWO_STATES, SCRATCH)},
    {LGKT_ARRAY(lgkt_bias, projected, PER_STATE, SCRATCH)},
    {LGKT_NUMBER(lgkt_bias, reward, REAL)},
    {LGKT_NUMBER(lgkt_bias, steps, COUNT)},
    {LGKT_NUMBER(lgkt_bias, last, MAYBE_STATE)},
    {LGKT_NUMBER(lgkt_bias, infeasible, TALLY)},
};

static void note_most(lgkt_bias *bias, const lgkt_leg *leg)
{
    const int64_t duration = leg->duration < 0 ? -leg->duration : leg->duration;
    bias->most_reward = fmax(bias->most_reward, fabs(leg->reward));
    if (duration > bias->most_duration)
        bias->most_duration = duration;
    if (leg->n > bias->most_legs)
        bias->most_legs = leg->n;
}

static void visit(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    lgkt_bias *bias = part;
    for (size_t i = 0; i < legs_of((size_t)learner->problem.states); i++) {
        lgkt_leg *leg = &bias->legs[i];
        lgkt_visit_i64(archive, &leg->duration, 1, -LGKT_MAX_COUNT, LGKT_MAX_COUNT);
        lgkt_visit_i64(archive, &leg->owner, 1, 0, 2);
        if (archive->mode == LGKT_ARCHIVE_LOAD)
            note_most(bias, leg);
    }
}

const lgkt_part lgkt_bias_part = {.fields = fields, .count = LGKT_LENGTH(fields), .visit = visit};

// ---- legs ----

static lgkt_leg *leg_between(const lgkt_bias *bias, int32_t x, int32_t y)
{
    const size_t low = (size_t)(x < y ? x : y), high = (size_t)(x < y ? y : x);
    return &bias->legs[legs_of(high) + low];
}

// the process has come to one of the two states: `here` is 1 for the lower, 2 for the higher
static void update_leg(lgkt_bias *bias, lgkt_leg *leg, int64_t here)
{
    if (leg->owner == here)
        return; // the older start counts
    if (leg->owner != 0) {
        const int64_t sign = leg->owner == 1 ? 1 : -1;
        leg->duration += sign * (bias->steps - leg->start);
        leg->reward += (double)sign * (bias->reward - leg->start_reward);
        leg->n++;
        note_most(bias, leg);
    }
    leg->owner = here;
    leg->start = bias->steps;
    leg->start_reward = bias->reward;
}

void lgkt_bias_arrive(lgkt_bias *bias, int32_t state, int32_t states)
{
    if (state == bias->last)
        return;
    bias->last = state;
    lgkt_leg *lower = bias->legs + legs_of((size_t)state);
    for (int32_t x = 0; x < state; x++)
        update_leg(bias, &lower[x], 2);
    for (int32_t x = state + 1; x < states; x++)
        update_leg(bias, leg_between(bias, state, x), 1);
}

void lgkt_bias_earn(lgkt_bias *bias, double reward)
{
    bias->reward += reward;
    bias->steps++;
}

void lgkt_bias_cut(lgkt_bias *bias, int32_t states)
{
    for (size_t i = 0; i < legs_of((size_t)states); i++)
        bias->legs[i].owner = 0;
    bias->last = -1;
}

// chat(x,y) of a leg that was finished
static double estimate(const lgkt_bias *bias, const lgkt_leg *leg, double gain)
{
    double duration = (double)leg->duration, reward = leg->reward;
    if (bias->counts_open && leg->owner != 0) {
        const double sign = leg->owner == 1 ? 1 : -1;
        duration += sign * (double)(bias->steps - leg->start);
        reward += sign * (bias->reward - leg->start_reward);
    }
    return (reward - gain * duration) / (double)leg->n;
}

static double gain_of(const lgkt_bias *bias)
{
    return bias->reward / (double)bias->steps;
}

double lgkt_bias_difference(const lgkt_bias *bias, int32_t x, int32_t y, int64_t *legs)
{
    *legs = 0;
    if (x == y || bias->steps == 0)
        return 0;
    const lgkt_leg *leg = leg_between(bias, x, y);
    *legs = leg->n;
    if (leg->n == 0)
        return 0;
    const double chat = estimate(bias, leg, gain_of(bias));
    return x < y ? chat : -chat;
}

// ---- constraints ----

// fmin is a call into the library
static double lower(double a, double b)
{
    return a < b ? a : b;
}

bool lgkt_min_plus_closure(double *d, int32_t n)
{
    const size_t size = (size_t)n;
    double longest = -INFINITY;
    for (size_t i = 0; i < size * size; i++)
        longest = d[i] > longest ? d[i] : longest;
    for (size_t k = 0; k < size; k++) {
        // a way on from k is of no use where even the shortest makes a path too long
        const double *on = d + k * size;
        double shortest = on[k] < 0 ? -INFINITY : INFINITY;
        for (size_t j = 0; j < size; j++)
            shortest = j == k ? shortest : lower(shortest, on[j]);
        for (size_t i = 0; i < size; i++) {
            double *from = d + i * size;
            const double via = from[k];
            if (via + shortest >= longest)
                continue;
            for (size_t j = 0; j < size; j++)
                from[j] = lower(from[j], via + on[j]);
        }
    }
    for (size_t i = 0; i < size; i++) {
        if (d[i * size + i] < -1e-9)
            return false;
        d[i * size + i] = 0;
    }
    return true;
}

// h(x) - h(y) <= this, and h(y) - h(x) <= the same with -chat
static double limit_of(const lgkt_bias *bias, double chat, double error, int64_t legs)
{
    return lower(chat + error / (double)legs, bias->span);
}

void lgkt_bias_constrain(lgkt_bias *bias, int32_t states, double error)
{
    const size_t size = (size_t)states;
    const double gain = gain_of(bias), span = bias->span;
    // a little more than it is, for rounding
    const double most = span * (double)bias->most_legs + bias->most_reward +
                        fabs(gain) * (double)bias->most_duration;
    bias->tight = false;
    if (bias->steps == 0 || error > most * (1 + 1e-9))
        return;
    const lgkt_leg *leg = bias->legs;
    for (size_t y = 0; y < size; y++) {
        for (size_t x = 0; x < y; x++, leg++) {
            double *down = &bias->limit[x * size + y], *up = &bias->limit[y * size + x];
            *down = *up = span;
            if (leg->n == 0 && isfinite(span))
                continue;
            const double chat = leg->n == 0 ? 0 : estimate(bias, leg, gain);
            const int64_t legs = leg->n == 0 ? 1 : leg->n;
            *down = limit_of(bias, chat, error, legs);
            *up = limit_of(bias, -chat, error, legs);
            bias->tight |= *down < span || *up < span;
        }
        bias->limit[y * size + y] = 0;
    }
    if (bias->tight && !lgkt_min_plus_closure(bias->limit, states)) {
        bias->infeasible++;
        bias->tight = false;
    }
}

bool lgkt_bias_project(lgkt_bias *bias, double *v, int32_t states)
{
    bool changed = false;
    if (!bias->tight) {
        double least = INFINITY;
        for (int32_t s = 0; s < states; s++)
            least = fmin(least, v[s]);
        for (int32_t s = 0; s < states; s++) {
            changed |= v[s] > least + bias->span;
            v[s] = fmin(v[s], least + bias->span);
        }
        return changed;
    }
    for (int32_t x = 0; x < states; x++) {
        const double *limit = bias->limit + (size_t)x * (size_t)states;
        double least = v[x];
        for (int32_t y = 0; y < states; y++)
            least = lower(least, limit[y] + v[y]);
        bias->projected[x] = least;
        changed |= least < v[x];
    }
    memcpy(v, bias->projected, (size_t)states * sizeof *v);
    return changed;
}
