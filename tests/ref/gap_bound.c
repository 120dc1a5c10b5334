// SPDX-License-Identifier: MIT
// Theorem 3.5 as it is right, by plain recursion.
#include "ref/gap_bound.h"

#include <stdlib.h>

#include "ref/naive_plan.h"
#include "test.h"

enum { MOST_STATES = 16, MOST_ACTIONS = 16 };

double *gap_law_of(const lgkt_mdp *mdp, const lgkt_policy *policy)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    const int64_t horizon = lgkt_policy_horizon(policy);
    double *law = calloc((size_t)(horizon * states * actions), sizeof *law);
    assert_non_null(law);
    uint8_t member[MOST_ACTIONS];
    for (int64_t h = 1; h <= horizon; h++)
        for (int32_t s = 0; s < states; s++) {
            const int32_t n = lgkt_policy_actions(policy, h, s, member);
            for (int32_t a = 0; a < actions; a++)
                law[((h - 1) * states + s) * actions + a] = member[a] ? 1.0 / n : 0;
        }
    return law;
}

static double span(const double *v, int32_t n)
{
    double low = v[0], high = v[0];
    for (int32_t s = 1; s < n; s++) {
        low = fmin(low, v[s]);
        high = fmax(high, v[s]);
    }
    return high - low;
}

// an action of the highest value
static int32_t best_action(const double *q, int32_t actions, bool highest)
{
    double best = q[0];
    int32_t found = -1;
    for (int32_t a = 1; a < actions; a++)
        best = fmax(best, q[a]);
    for (int32_t a = 0; a < actions; a++)
        if (best - q[a] <= 1e-12 * fmax(1, fabs(best)) && (found < 0 || highest))
            found = a;
    return found;
}

// R + sum P v
static double backup(const lgkt_mdp *mdp, int32_t s, int32_t a, const double *v)
{
    double sum = lgkt_mdp_reward(mdp, s, a);
    for (int32_t y = 0; y < lgkt_mdp_states(mdp); y++)
        sum += naive_p(mdp, s, a, y) * v[y];
    return sum;
}

// |P_pi(s) - P_a(s)|_1
static double distance(const lgkt_mdp *mdp, int32_t s, const double *law, int32_t best)
{
    double sum = 0;
    for (int32_t y = 0; y < lgkt_mdp_states(mdp); y++) {
        double p = -naive_p(mdp, s, best, y);
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++)
            p += law[a] * naive_p(mdp, s, a, y);
        sum += fabs(p);
    }
    return sum;
}

// sum over actions and states of a row's chances times v
static double mean_next(const lgkt_mdp *mdp, int32_t s, const double *law, const double *v)
{
    double sum = 0;
    for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++)
        sum += law[a] * (backup(mdp, s, a, v) - lgkt_mdp_reward(mdp, s, a));
    return sum;
}

// the terms of one h that are maximal over the states
typedef struct terms {
    double repaired, slack, distance;
} terms;

gap_sums gap_measure(const lgkt_mdp *mdp, const double *law, int64_t horizon, int64_t k,
                     double gamma, bool highest)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    assert_true(states <= MOST_STATES && actions <= MOST_ACTIONS);
    // V_{h-1} and V^pi_{h-1}; V_{k-1} and V_k, which stay once h reaches K
    double v[MOST_STATES] = {0}, value[MOST_STATES] = {0}, before[MOST_STATES] = {0};
    double at_k[MOST_STATES] = {0}, along[MOST_STATES] = {0};
    gap_sums sums = {0};
    for (int64_t h = 1; h <= horizon; h++) {
        double next[MOST_STATES], played[MOST_STATES], further[MOST_STATES], largest = v[0];
        int32_t best[MOST_STATES];
        for (int32_t s = 0; s < states; s++) {
            double q[MOST_ACTIONS];
            for (int32_t a = 0; a < actions; a++)
                q[a] = backup(mdp, s, a, v);
            best[s] = best_action(q, actions, highest);
            next[s] = q[best[s]];
            largest = fmax(largest, v[s]);
        }
        if (h <= k) {
            memcpy(before, v, sizeof before);
            memcpy(at_k, next, sizeof at_k);
        }
        terms most = {-INFINITY, -INFINITY, 0};
        for (int32_t s = 0; s < states; s++) {
            const double *row = law + ((h - 1) * states + s) * actions;
            double lost = lgkt_mdp_reward(mdp, s, best[s]);
            played[s] = 0;
            for (int32_t a = 0; a < actions; a++) {
                lost -= row[a] * lgkt_mdp_reward(mdp, s, a);
                played[s] += row[a] * backup(mdp, s, a, value);
            }
            const double far = distance(mdp, s, row, best[s]);
            const double term = lost + far * span(v, states) / 2;
            most.repaired = fmax(most.repaired, term);
            further[s] = term + mean_next(mdp, s, row, along);
            most.slack = fmax(most.slack, fmax(0, at_k[s] - gamma) +
                                              far * (span(before, states) + span(v, states)) / 2);
            most.distance = fmax(most.distance, far);
        }
        sums.repaired += most.repaired;
        sums.slack += most.slack;
        sums.printed += h > k ? most.distance * largest : 0;
        memcpy(v, next, sizeof v);
        memcpy(value, played, sizeof value);
        memcpy(along, further, sizeof along);
    }
    for (int32_t s = 0; s < states; s++)
        sums.gap = fmax(sums.gap, v[s] - value[s]);
    sums.optimum = v[0];
    sums.first = v[0] - value[0];
    sums.along = along[0];
    return sums;
}
