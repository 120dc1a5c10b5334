// SPDX-License-Identifier: MIT
// v <- R_pi + P_pi v until all entries grow alike; the growth is the gain. The span of the growth
// bounds the error.
#include "ref/naive_gain.h"

#include <math.h>

enum { MAX_STATES = 128, MAX_SWEEPS = 200000 };

static double backup(const lgkt_mdp *mdp, int32_t s, int32_t a, const double *v)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    double value = lgkt_mdp_reward(mdp, s, a);
    for (int32_t i = 0; i < row.n; i++)
        value += row.p[i] * v[row.next[i]];
    return value;
}

static double sweep_state(const lgkt_mdp *mdp, int32_t s, int32_t rule, const double *v)
{
    const int32_t actions = lgkt_mdp_actions(mdp);
    if (rule >= 0)
        return backup(mdp, s, rule, v);
    double best = -INFINITY, sum = 0;
    for (int32_t a = 0; a < actions; a++) {
        const double value = backup(mdp, s, a, v);
        best = fmax(best, value);
        sum += value;
    }
    return rule == NAIVE_BEST ? best : sum / actions;
}

double naive_gain(const lgkt_mdp *mdp, const int32_t *actions)
{
    const int32_t states = lgkt_mdp_states(mdp);
    double v[MAX_STATES] = {0}, grown[MAX_STATES];
    for (int sweep = 0; sweep < MAX_SWEEPS && states <= MAX_STATES; sweep++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t s = 0; s < states; s++) {
            grown[s] = sweep_state(mdp, s, actions[s], v);
            low = fmin(low, grown[s] - v[s]);
            high = fmax(high, grown[s] - v[s]);
        }
        if (high - low < 1e-12)
            return (low + high) / 2;
        for (int32_t s = 0; s < states; s++)
            v[s] = grown[s] - grown[0];
    }
    return NAN;
}

double naive_gain_of_rule(const lgkt_mdp *mdp, int32_t rule)
{
    int32_t rules[MAX_STATES];
    for (int32_t s = 0; s < MAX_STATES; s++)
        rules[s] = rule;
    return naive_gain(mdp, rules);
}
