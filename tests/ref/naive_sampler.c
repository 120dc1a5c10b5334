// SPDX-License-Identifier: MIT
// Samplers from their definitions.
//
//   ucb      mean + sqrt(2 sd^2 ln(1 + N ln^2 N) / n), or with bound=ucb1 mean + R sqrt(2 ln N /
//   n);
//            n plays of the pair, N plays in its state, R the range of the means; unplayed first
//   ucbvi    naive_ucbvi.c
//   random   all actions alike
//
// Means are running means, m += (x - m)/n. Random numbers: one per choice, for ucb and ucbvi only
// if several actions tie.

#include "ref/naive_sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lgkt/spec.h"
#include "ref/naive_ucbvi.h"
#include "ref/spec_read.h"

struct naive_sampler {
    naive_ucbvi *vi; // or NULL
    bool random;
    // ucb
    bool ucb1;
    int32_t states, actions;
    double range, sd;
    double *index; // (A), of the choice at hand
    double *n;     // (S, A)
    double *mean;  // (S, A)
};

static double known(double told, double otherwise)
{
    return isnan(told) ? otherwise : told;
}

static void read_ucb(naive_sampler *sampler, const char *spec, const lgkt_problem *problem)
{
    sampler->ucb1 = spec_read_choice(spec, "bound", "ucb1", false);
    sampler->range = spec_read_number(spec, "reward-max", known(problem->reward_max, 1)) -
                     spec_read_number(spec, "reward-min", known(problem->reward_min, 0));
    sampler->sd = spec_read_number(spec, "reward-sd", known(problem->reward_sd, 0.5));
    sampler->states = problem->states;
    sampler->actions = problem->actions;
}

naive_sampler *naive_sampler_create(const char *spec, const lgkt_problem *problem, int64_t h,
                                    double bonus)
{
    char name[32];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK)
        return NULL;
    const bool ucb = strcmp(name, "ucb") == 0, ucbvi = strcmp(name, "ucbvi") == 0;
    naive_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return NULL;
    sampler->random = strcmp(name, "random") == 0;
    read_ucb(sampler, spec, problem);
    const size_t pairs = (size_t)problem->states * (size_t)problem->actions;
    if (ucb)
        sampler->index = calloc(3 * pairs, sizeof(double));
    if (ucbvi) {
        const naive_ucbvi_form form = naive_ucbvi_read(spec, problem, h, bonus);
        sampler->vi = naive_ucbvi_create(&form);
    }
    if (!sampler->random && !sampler->index && !sampler->vi) {
        naive_sampler_destroy(sampler);
        return NULL;
    }
    if (ucb) {
        sampler->n = sampler->index + pairs;
        sampler->mean = sampler->n + pairs;
    }
    return sampler;
}

void naive_sampler_destroy(naive_sampler *sampler)
{
    if (!sampler)
        return;
    naive_ucbvi_destroy(sampler->vi);
    free(sampler->index);
    free(sampler);
}

void naive_sampler_begin(naive_sampler *sampler)
{
    if (sampler->vi)
        naive_ucbvi_begin(sampler->vi);
}

static int32_t act_ucb(naive_sampler *sampler, int32_t state, lgkt_rng *rng)
{
    const double *n = sampler->n + (int64_t)state * sampler->actions;
    const double *mean = sampler->mean + (int64_t)state * sampler->actions;
    const double sd = sampler->sd, range = sampler->range;
    double visits = 0, best = -INFINITY;
    for (int32_t a = 0; a < sampler->actions; a++)
        visits += n[a];
    const double scale = sampler->ucb1 ? 2 * range * range * log(visits)
                                       : 2 * sd * sd * log1p(visits * log(visits) * log(visits));
    int32_t count = 0;
    for (int32_t a = 0; a < sampler->actions; a++) {
        sampler->index[a] = n[a] == 0 ? INFINITY : mean[a] + sqrt(scale / n[a]);
        best = fmax(best, sampler->index[a]);
    }
    for (int32_t a = 0; a < sampler->actions; a++)
        count += sampler->index[a] == best;
    int32_t skip = count > 1 ? lgkt_rng_below(rng, count) : 0;
    for (int32_t a = 0;; a++)
        if (sampler->index[a] == best && skip-- == 0)
            return a;
}

int32_t naive_sampler_act(naive_sampler *sampler, int32_t state, lgkt_rng *rng)
{
    if (sampler->random)
        return lgkt_rng_below(rng, sampler->actions);
    return sampler->vi ? naive_ucbvi_act(sampler->vi, state, rng) : act_ucb(sampler, state, rng);
}

void naive_sampler_learn(naive_sampler *sampler, const naive_step *step, bool own)
{
    if (sampler->vi) {
        (own ? naive_ucbvi_observe : naive_ucbvi_feed)(sampler->vi, step->state, step->action,
                                                       step->reward, step->next_state, step->ended);
    } else if (!sampler->random) {
        const int64_t z = (int64_t)step->state * sampler->actions + step->action;
        sampler->n[z]++;
        sampler->mean[z] += (step->reward - sampler->mean[z]) / sampler->n[z];
    }
}
