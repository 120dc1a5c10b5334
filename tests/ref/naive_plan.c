// SPDX-License-Identifier: MIT
// Planning once more, slow and simple.
#include "ref/naive_plan.h"

#include <stdlib.h>

#include "test.h"

#define MAX_ACTIONS 64

static double *zeros(size_t n)
{
    double *p = calloc(n, sizeof *p);
    assert_non_null(p);
    return p;
}

double naive_p(const lgkt_mdp *mdp, int32_t s, int32_t a, int32_t y)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    for (int32_t i = 0; i < row.n; i++)
        if (row.next[i] == y)
            return row.p[i];
    return 0;
}

// R + sum P v
static double backup(const lgkt_mdp *mdp, int32_t s, int32_t a, const double *v)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    double sum = lgkt_mdp_reward(mdp, s, a);
    for (int32_t i = 0; i < row.n; i++)
        sum += row.p[i] * v[row.next[i]];
    return sum;
}

// ---- recursions ----

void naive_q(const lgkt_mdp *mdp, int64_t k, double *q)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    double *v = zeros((size_t)states);
    for (int64_t step = 1; step <= k; step++) {
        for (int32_t s = 0; s < states; s++)
            for (int32_t a = 0; a < actions; a++)
                q[s * actions + a] = backup(mdp, s, a, v);
        for (int32_t s = 0; s < states; s++) {
            v[s] = q[s * actions];
            for (int32_t a = 1; a < actions; a++)
                v[s] = fmax(v[s], q[s * actions + a]);
        }
    }
    free(v);
}

void naive_v(const lgkt_mdp *mdp, int64_t k, double *v)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    double *q = zeros((size_t)(states * actions));
    naive_q(mdp, k, q);
    for (int32_t s = 0; s < states; s++) {
        v[s] = q[s * actions];
        for (int32_t a = 1; a < actions; a++)
            v[s] = fmax(v[s], q[s * actions + a]);
    }
    free(q);
}

void naive_policy_value(const lgkt_policy *policy, const lgkt_mdp *mdp, double *value)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    double *v = zeros((size_t)states);
    uint8_t member[MAX_ACTIONS];
    for (int64_t h = 1; h <= lgkt_policy_horizon(policy); h++) {
        for (int32_t s = 0; s < states; s++) {
            const int32_t n = lgkt_policy_actions(policy, h, s, member);
            value[s] = 0;
            for (int32_t a = 0; a < actions; a++)
                value[s] += member[a] ? backup(mdp, s, a, v) / n : 0;
        }
        memcpy(v, value, (size_t)states * sizeof *v);
    }
    free(v);
}

// ---- enumeration ----

// the total of a rule given as digits: rule[t * S + s]
static double rule_value(const lgkt_mdp *mdp, const int32_t *rule, int32_t left, int32_t t,
                         int32_t s)
{
    if (left == 0)
        return 0;
    const int32_t states = lgkt_mdp_states(mdp), a = rule[t * states + s];
    double sum = lgkt_mdp_reward(mdp, s, a);
    for (int32_t y = 0; y < states; y++)
        if (naive_p(mdp, s, a, y) > 0)
            sum += naive_p(mdp, s, a, y) * rule_value(mdp, rule, left - 1, t + 1, y);
    return sum;
}

double naive_best_rule(const lgkt_mdp *mdp, int32_t horizon, int32_t state)
{
    int32_t rule[64] = {0};
    const int32_t digits = lgkt_mdp_states(mdp) * horizon;
    assert_true(digits <= 64);
    double best = -INFINITY;
    for (int32_t carry = 0; carry < digits;) {
        best = fmax(best, rule_value(mdp, rule, horizon, 0, state));
        // count up by one
        for (carry = 0; carry < digits && ++rule[carry] == lgkt_mdp_actions(mdp); carry++)
            rule[carry] = 0;
    }
    return best;
}

double naive_path_cost(const lgkt_cost *cost, const lgkt_policy *policy, const lgkt_mdp *mdp,
                       int64_t t, int32_t state)
{
    const int64_t h = lgkt_policy_horizon(policy) - t;
    if (h == 0)
        return 0;
    uint8_t member[MAX_ACTIONS];
    const int32_t n = lgkt_policy_actions(policy, h, state, member);
    double sum = 0;
    for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
        if (!member[a])
            continue;
        sum += lgkt_cost_at(cost, t, state, a) / n;
        for (int32_t y = 0; y < lgkt_mdp_states(mdp); y++)
            sum += naive_p(mdp, state, a, y) / n * naive_path_cost(cost, policy, mdp, t + 1, y);
    }
    return sum;
}

// ---- stationary law ----

// solves m x = x[n] in place, m (n, n + 1) with the right-hand side as last column
static void eliminate(double *m, int32_t n)
{
    const int32_t w = n + 1;
    for (int32_t c = 0; c < n; c++) {
        int32_t pivot = c;
        for (int32_t r = c + 1; r < n; r++)
            if (fabs(m[r * w + c]) > fabs(m[pivot * w + c]))
                pivot = r;
        for (int32_t j = 0; j < w; j++) {
            const double swap = m[c * w + j];
            m[c * w + j] = m[pivot * w + j];
            m[pivot * w + j] = swap;
        }
        for (int32_t r = 0; r < n; r++) {
            const double factor = r == c ? 0 : m[r * w + c] / m[c * w + c];
            for (int32_t j = c; j < w; j++)
                m[r * w + j] -= factor * m[c * w + j];
        }
    }
    for (int32_t r = 0; r < n; r++)
        m[r * w + n] /= m[r * w + r];
}

double naive_policy_gain(const lgkt_policy *policy, const lgkt_mdp *mdp)
{
    const int32_t n = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp), w = n + 1;
    double *m = zeros((size_t)(n * w)), *pay = zeros((size_t)n);
    uint8_t member[MAX_ACTIONS];
    for (int32_t s = 0; s < n; s++) {
        const int32_t count = lgkt_policy_actions(policy, lgkt_policy_horizon(policy), s, member);
        m[s * w + s] -= 1;
        for (int32_t a = 0; a < actions; a++)
            if (member[a]) {
                pay[s] += lgkt_mdp_reward(mdp, s, a) / count;
                for (int32_t y = 0; y < n; y++)
                    m[y * w + s] += naive_p(mdp, s, a, y) / count;
            }
    }
    // one balance equation follows from the others; the sum takes its place
    for (int32_t j = 0; j <= n; j++)
        m[(n - 1) * w + j] = 1;
    eliminate(m, n);
    double gain = 0;
    for (int32_t s = 0; s < n; s++)
        gain += m[s * w + n] * pay[s];
    free(m);
    free(pay);
    return gain;
}

// ---- Theorem 3.5 ----

static int32_t lowest_best(const double *q, int32_t actions)
{
    double best = q[0];
    for (int32_t a = 1; a < actions; a++)
        best = fmax(best, q[a]);
    for (int32_t a = 0; a < actions; a++)
        if (best - q[a] <= 1e-12 * fmax(1, fabs(best)))
            return a;
    return -1;
}

static double gap_distance(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t h, int32_t s,
                           int32_t best)
{
    uint8_t member[MAX_ACTIONS];
    const int32_t n = lgkt_policy_actions(policy, h, s, member);
    double sum = 0;
    for (int32_t y = 0; y < lgkt_mdp_states(mdp); y++) {
        double p = 0;
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++)
            p += member[a] ? naive_p(mdp, s, a, y) / n : 0;
        sum += fabs(p - naive_p(mdp, s, best, y));
    }
    return sum;
}

double naive_gap_bound(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t k, double *plain)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    double *q = zeros((size_t)(states * actions)), *v = zeros((size_t)states);
    double bound = 0;
    *plain = 0;
    for (int64_t h = k + 1; h <= lgkt_policy_horizon(policy); h++) {
        double distance = 0, top = -INFINITY;
        naive_v(mdp, h - 1, v);
        naive_q(mdp, h, q);
        for (int32_t s = 0; s < states; s++) {
            const int32_t best = lowest_best(q + s * actions, actions);
            distance = fmax(distance, gap_distance(policy, mdp, h, s, best));
            top = fmax(top, v[s]);
        }
        bound += distance * top;
        *plain += distance;
    }
    free(q);
    free(v);
    return bound;
}
