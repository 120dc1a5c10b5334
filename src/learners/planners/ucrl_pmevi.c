// SPDX-License-Identifier: MIT
// What pmevi-ucrl2 and pmevi-klucrl have besides the machine of ucrl.c: constraints on the bias and
// mitigation, from what one trajectory tells (Boone and Zhang 2024).
//
// PMEVI, at a planning at time t (c0 = T^(1/5) in units of R):
//   inner regret   B0 = max(0, steps gtil - earned), gtil the lowest optimistic gain so far
//   error          e(x,y) = [3 c0 + (1 + c0)(1 + sqrt(8 t ln(2/delta))) + 2 B0] / legs(x,y)
//   constraints    h(x) - h(y) <= min(chat(x,y) + e(x,y), c0)   (bias.h), applied after each sweep
//   mitigation     max q.u <= phat.u + beta,
//                  beta = sqrt(2 var+ L/n) + 3 c0 L/n,  L = ln(S A T/delta),
//                  var+ = Var_phat(h0) + 8 c0 min_x sum_y phat(y) e(y,x),  h0 the projected
//                  chat(.,0) (of use only if beta < c0, so pairs with n <= 3 L need not be looked
//                  at)

#include "learners/planners/ucrl.h"

#include <math.h>

#include "core/elementary.h"

// beta; the reference bias h0 is in evi.v
static double mitigation_of(const lgkt_learner *learner, size_t z, double error, double log_term)
{
    const lgkt_ucrl *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    const double n = pair->moves, span = u->set.span, *h0 = u->evi.v;
    if (!(n > 3 * log_term))
        return INFINITY;

    // min over x of sum_y phat(y) / legs(y,x), infinite if every x has a y it has no legs with
    double least = INFINITY;
    for (int32_t x = 0; x < learner->problem.states; x++) {
        double sum = 0;
        for (int32_t e = pair->first; e >= 0 && sum < least; e = edges[e].other) {
            int64_t legs = 1;
            if (edges[e].next == x)
                continue;
            lgkt_bias_difference(&u->bias, edges[e].next, x, &legs);
            sum += edges[e].count / n / (double)legs; // may be infinite
        }
        least = fmin(least, sum);
    }

    double mean = 0, variance = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        mean += edges[e].count / n * h0[edges[e].next];
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        const double gap = h0[edges[e].next] - mean;
        variance += edges[e].count / n * gap * gap;
    }
    variance += 8 * span * (error * least);
    const double beta = sqrt(2 * variance * log_term / n) + 3 * span * log_term / n;
    return beta < span ? beta : INFINITY;
}

void lgkt_ucrl_pmevi_plan(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    lgkt_bias *bias = &u->bias;
    const int32_t states = learner->problem.states;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    const double t = fmax(2, (double)u->started), span = u->set.span;
    const double regret = fmax(0, (double)bias->steps * u->least_gain - bias->reward);
    const double error =
        3 * span + (1 + span) * (1 + sqrt(8 * t * lgkt_log(2 / u->set.delta))) + 2 * regret;
    bias->span = span;
    lgkt_bias_constrain(bias, states, error);

    int64_t legs;
    for (int32_t s = 0; s < states; s++)
        u->evi.v[s] = lgkt_bias_difference(bias, s, 0, &legs);
    lgkt_bias_project(bias, u->evi.v, states);
    const double log_term =
        lgkt_log((double)pairs * (double)learner->problem.horizon / u->set.delta);
    for (size_t z = 0; z < pairs; z++) {
        const double beta = mitigation_of(learner, z, error, log_term);
        if (beta != u->evi.pairs[z].mitigation) {
            u->evi.pairs[z].mitigation = beta;
            lgkt_evi_touch(&u->evi, z);
        }
    }
}
