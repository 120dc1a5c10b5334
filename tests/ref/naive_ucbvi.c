// SPDX-License-Identifier: MIT
// UCBVI (Azar, Osband and Munos 2017) once more, from the paper's formulas.
//
//   L = ln(5 S A T / delta),  x = (r - reward-min) / max(reward-max - reward-min, 2 reward-sd)
//   Q_h = H for a pair never played, else
//   Q_h = min(Q_h before, H, mean x + sum_y p(y) V_{h+1}(y) + bonus b),  V_{H+1} = 0
//   ch: b = 7 H L / sqrt(n)
//   bf: b = sqrt(8 L Var_p(V_{h+1}) / n) + 14 H L / (3n)
//           + sqrt(8/n sum_y p(y) min(100^2 H^3 S^2 A L^2 / N'_{h+1}(y), H^2)),
//       without the first and the last term at h = H
//   unknown rewards: b + sqrt(L / (2n))
//
// p is the law of the observed transitions. A cut has none: the step counts in n and in the mean
// reward only, and while every step of a pair was cut, V_{h+1} = H is assumed, with the largest
// doubt.
//
// Cost of a planning O(H S^2 A), memory O(S^2 A + H S A).

#include "ref/naive_ucbvi.h"

#include <math.h>
#include <stdlib.h>

#include "ref/spec_read.h"

struct naive_ucbvi {
    naive_ucbvi_form form;
    int64_t step;    // of the piece, 0 .. H-1
    double *n, *sum; // (S, A)
    double *moves;   // (S, A) steps that were not cut
    double *to;      // (S, A, S) where they led
    double *visits;  // (H + 1, S) N'_h in row h-1
    double *q;       // (H, S, A)
    double *v;       // (H + 1, S)
    double memory[]; // all of the above
};

naive_ucbvi_form naive_ucbvi_read(const char *spec, const lgkt_problem *problem, int64_t h,
                                  double bonus)
{
    const double lo = isnan(problem->reward_min) ? 0 : problem->reward_min;
    const double hi = isnan(problem->reward_max) ? 1 : problem->reward_max;
    const double sd = isnan(problem->reward_sd) ? 0.5 : problem->reward_sd;
    return (naive_ucbvi_form){.states = problem->states,
                              .actions = problem->actions,
                              .horizon = problem->horizon,
                              .h = (int64_t)spec_read_number(spec, "h", (double)h),
                              .ch = spec_read_choice(spec, "bound", "ch", false),
                              .reward_bonus = spec_read_choice(spec, "reward-bonus", "1", true),
                              .bonus = spec_read_number(spec, "bonus", bonus),
                              .delta = spec_read_number(spec, "delta", 0.05),
                              .reward_min = spec_read_number(spec, "reward-min", lo),
                              .reward_max = spec_read_number(spec, "reward-max", hi),
                              .reward_sd = spec_read_number(spec, "reward-sd", sd)};
}

naive_ucbvi *naive_ucbvi_create(const naive_ucbvi_form *form)
{
    const size_t states = (size_t)form->states, h = (size_t)form->h;
    const size_t pairs = states * (size_t)form->actions;
    const size_t numbers = 3 * pairs + pairs * states + 2 * (h + 1) * states + h * pairs;
    naive_ucbvi *vi = calloc(1, sizeof *vi + numbers * sizeof(double));
    if (!vi)
        return NULL;
    vi->form = *form;
    vi->n = vi->memory;
    vi->sum = vi->n + pairs;
    vi->moves = vi->sum + pairs;
    vi->to = vi->moves + pairs;
    vi->visits = vi->to + pairs * states;
    vi->v = vi->visits + (h + 1) * states;
    vi->q = vi->v + (h + 1) * states;
    for (size_t i = 0; i < h * pairs; i++)
        vi->q[i] = (double)h;
    return vi;
}

void naive_ucbvi_destroy(naive_ucbvi *vi)
{
    free(vi);
}

// ---- planning ----

static double log_term(const naive_ucbvi_form *form)
{
    return log(5.0 * form->states * form->actions * (double)form->horizon / form->delta);
}

// what follows a pair at step h: mean and variance of V_{h+1}, and the paper's sum over N'
struct follow {
    double mean, variance, sum;
};

static struct follow follow_of(const naive_ucbvi *vi, size_t z, int64_t h)
{
    const naive_ucbvi_form *form = &vi->form;
    const double big_h = (double)form->h, l = log_term(form);
    struct follow next = {h == form->h ? 0 : big_h, 0, big_h * big_h};
    if (h == form->h || vi->moves[z] == 0)
        return next;
    next = (struct follow){0, 0, 0};
    const size_t states = (size_t)form->states;
    const double *v = vi->v + (size_t)h * states, *seen = vi->visits + (size_t)h * states;
    const double rare = 1e4 * pow(big_h, 3) * pow(form->states, 2) * form->actions * l * l;
    for (size_t y = 0; y < states; y++)
        next.mean += vi->to[z * states + y] / vi->moves[z] * v[y];
    for (size_t y = 0; y < states; y++) {
        const double p = vi->to[z * states + y] / vi->moves[z];
        next.variance += p * pow(v[y] - next.mean, 2);
        next.sum += p * (seen[y] == 0 ? big_h * big_h : fmin(rare / seen[y], big_h * big_h));
    }
    return next;
}

static double bonus_of(const naive_ucbvi *vi, size_t z, int64_t h, const struct follow *next)
{
    const naive_ucbvi_form *form = &vi->form;
    const double n = vi->n[z], big_h = (double)form->h, l = log_term(form);
    const double known = form->reward_bonus ? sqrt(l / (2 * n)) : 0;
    if (form->ch)
        return form->bonus * (7 * big_h * l / sqrt(n) + known);
    const double spread = h == form->h ? 0 : sqrt(8 * l * next->variance / n);
    const double doubt = h == form->h ? 0 : sqrt(8 / n * next->sum);
    return form->bonus * (spread + 14 * big_h * l / (3 * n) + doubt + known);
}

static double plan_pair(const naive_ucbvi *vi, size_t z, int64_t h, double before)
{
    const naive_ucbvi_form *form = &vi->form;
    if (vi->n[z] == 0)
        return (double)form->h;
    const double range = form->reward_max - form->reward_min;
    const double scale = fmax(range, 2 * form->reward_sd);
    const double x = (vi->sum[z] / vi->n[z] - form->reward_min) / (scale > 0 ? scale : 1);
    const struct follow next = follow_of(vi, z, h);
    const double q = x + next.mean + bonus_of(vi, z, h, &next);
    return fmin(before, fmin((double)form->h, q));
}

static void plan(naive_ucbvi *vi)
{
    const size_t states = (size_t)vi->form.states, actions = (size_t)vi->form.actions;
    for (int64_t h = vi->form.h; h >= 1; h--)
        for (size_t s = 0; s < states; s++) {
            double best = -INFINITY;
            for (size_t z = s * actions; z < (s + 1) * actions; z++) {
                double *q = &vi->q[(size_t)(h - 1) * states * actions + z];
                *q = plan_pair(vi, z, h, *q);
                best = fmax(best, *q);
            }
            vi->v[(size_t)(h - 1) * states + s] = best;
        }
}

// ---- public ----

void naive_ucbvi_begin(naive_ucbvi *vi)
{
    vi->step = 0;
}

int32_t naive_ucbvi_act(naive_ucbvi *vi, int32_t state, lgkt_rng *rng)
{
    if (vi->step == 0)
        plan(vi);
    const double v = vi->v[vi->step * vi->form.states + state];
    const double least = v - 1e-12 * fmax(1, (double)vi->form.h);
    int32_t count = 0;
    for (int32_t a = 0; a < vi->form.actions; a++)
        count += naive_ucbvi_q(vi, vi->step + 1, state, a) >= least;
    int32_t skip = count > 1 ? lgkt_rng_below(rng, count) : 0;
    for (int32_t a = 0;; a++)
        if (naive_ucbvi_q(vi, vi->step + 1, state, a) >= least && skip-- == 0)
            return a;
}

void naive_ucbvi_feed(naive_ucbvi *vi, int32_t state, int32_t action, double reward,
                      int32_t next_state, bool ended)
{
    const int64_t z = (int64_t)state * vi->form.actions + action;
    vi->n[z]++;
    vi->sum[z] += reward;
    if (ended)
        return;
    vi->moves[z]++;
    vi->to[z * vi->form.states + next_state]++;
}

void naive_ucbvi_observe(naive_ucbvi *vi, int32_t state, int32_t action, double reward,
                         int32_t next_state, bool ended)
{
    vi->visits[vi->step * vi->form.states + state]++;
    vi->step = ended || vi->step + 1 == vi->form.h ? 0 : vi->step + 1;
    naive_ucbvi_feed(vi, state, action, reward, next_state, ended);
}

double naive_ucbvi_q(const naive_ucbvi *vi, int64_t h, int32_t state, int32_t action)
{
    const int64_t row = (h - 1) * vi->form.states + state;
    return vi->q[row * vi->form.actions + action];
}

void naive_ucbvi_set_visits(naive_ucbvi *vi, int64_t h, int32_t state, double visits)
{
    vi->visits[(h - 1) * vi->form.states + state] = visits;
}
