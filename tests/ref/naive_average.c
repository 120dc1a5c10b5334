// SPDX-License-Identifier: MIT
#include "ref/naive_average.h"

#include <math.h>

enum { N = NAIVE_MOST_STATES };

// States are taken out of a dense chain one by one, by the textbook: who moved to one moves on as it
// would. Nothing is subtracted, so that rare moves keep their digits.
void naive_gain_of(const lgkt_mdp *mdp, const int32_t *actions, long double *gain)
{
    const int n = lgkt_mdp_states(mdp);
    long double p[N][N] = {0}, time[N], earned[N];
    bool root[N];
    for (int s = 0; s < n; s++) {
        const lgkt_row row = lgkt_mdp_row(mdp, s, actions[s]);
        for (int i = 0; i < row.n; i++)
            p[s][row.next[i]] = row.p[i];
        time[s] = 1;
        earned[s] = lgkt_mdp_reward(mdp, s, actions[s]);
    }
    for (int s = 0; s < n; s++) {
        long double out = 0;
        for (int y = s + 1; y < n; y++)
            out += p[s][y];
        // moves to earlier states that are roots stay: these are left for good
        for (int y = 0; y < s; y++)
            out += root[y] ? p[s][y] : 0;
        root[s] = out <= 0;
        for (int y = 0; y < n; y++)
            p[s][y] /= root[s] ? 1 : out;
        time[s] /= root[s] ? 1 : out;
        earned[s] /= root[s] ? 1 : out;
        for (int i = s + 1; i < n && !root[s]; i++) {
            for (int y = 0; y < n; y++)
                p[i][y] += y > s || (y < s && root[y]) ? p[i][s] * p[s][y] : 0;
            time[i] += p[i][s] * time[s];
            earned[i] += p[i][s] * earned[s];
        }
    }
    for (int s = n - 1; s >= 0; s--)
        gain[s] = root[s] ? earned[s] / time[s] : 0;
    for (int s = n - 1; s >= 0; s--)
        for (int y = 0; y < n && !root[s]; y++)
            gain[s] += y > s || (y < s && root[y]) ? p[s][y] * gain[y] : 0;
}

void naive_best_gain(const lgkt_mdp *mdp, long double *gain)
{
    const int32_t n = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    int32_t rule[N] = {0};
    long double found[N];
    for (int32_t s = 0; s < n; s++)
        gain[s] = -INFINITY;
    for (int32_t s = 0; s < n;) {
        bool allowed = true;
        for (int32_t y = 0; y < n; y++)
            allowed = allowed && lgkt_mdp_allowed(mdp, y, rule[y]);
        if (allowed) {
            naive_gain_of(mdp, rule, found);
            for (int32_t y = 0; y < n; y++)
                gain[y] = fmaxl(gain[y], found[y]);
        }
        // the next rule, as one counts
        for (s = 0; s < n && ++rule[s] == actions; s++)
            rule[s] = 0;
    }
}
