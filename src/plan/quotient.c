// SPDX-License-Identifier: MIT
// Models whose gain may depend on the start: maximal end components, and what lies between them.
//
// In a component (mdp/components.c) the best gain is the same everywhere. With one node for each
// component and each state in none,
//
//     v(n) = max(gain of n if one stays, max over the actions that leave n of sum_m P(m|n,a) v(m))
//
// where P is given that n is left. No policy can move about among the nodes for ever, so policy
// iteration is simple, and two v that fit the equation up to d differ by at most d w: w is the
// longest mean number of moves among nodes, from the same equation with 0 for who stays and 1 more
// for each move.
#include <float.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "plan/iteration.h"

#define TIE (16 * DBL_EPSILON)
enum { MOST_POLICIES = 1000 };

// ---- between the components ----

// The equation of v above, with `cost` more for each move.
typedef struct quotient {
    lgkt_iteration *it;
    const int32_t *node; // (S), the lowest state of the component, or the state itself
    const double *stay;  // (S), -infinity where one cannot
    double cost;
    double *v;       // (S)
    double *best;    // (S), of the pairs that leave a node
    int64_t *choice; // (S), the pair with which a node is left, -1: one stays
    int64_t *plain;  // (S), the best of them
} quotient;

// What a pair that leaves node n is worth above v(n), -infinity if it never does; *error is how far
// rounding may have moved it.
static double worth_of(const quotient *q, int32_t n, size_t z, double *error)
{
    const lgkt_rows *const rows = &q->it->mdp->planning;
    double sum = 0, size = 0, mass = 0;
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++) {
        const int32_t m = q->node[rows->next[i]];
        const double step = m == n ? 0 : rows->p[i] * (q->v[m] - q->v[n]);
        mass += m == n ? 0 : rows->p[i];
        sum += step;
        size += fabs(step);
    }
    if (mass <= 0)
        return -INFINITY;
    *error = (double)(rows->begin[z + 1] - rows->begin[z] + 4) * DBL_EPSILON * size / mass;
    return q->cost + sum / mass;
}

// v of the choice at hand
static lgkt_status evaluate_choice(quotient *q, bool *within, lgkt_error *error)
{
    const lgkt_rows *const rows = &q->it->mdp->planning;
    lgkt_evaluation *const v = &q->it->v;
    lgkt_chain *const chain = &v->chain;
    for (int32_t n = 0; n < chain->states; n++) {
        uint32_t used = chain->begin[n];
        const size_t z = q->choice[n] < 0 ? 0 : (size_t)q->choice[n];
        double mass = 0;
        for (size_t i = rows->begin[z]; i < rows->begin[z + 1] && q->choice[n] >= 0; i++)
            if (q->node[rows->next[i]] != n) {
                chain->next[used] = q->node[rows->next[i]];
                chain->p[used++] = rows->p[i];
                mass += rows->p[i];
            }
        chain->begin[n + 1] = used;
        q->v[n] = q->choice[n] >= 0 ? q->cost * mass : q->node[n] == n ? q->stay[n] : 0;
    }
    LGKT_TRY(lgkt_evaluation_eliminate(v, INFINITY, within, error));
    if (*within)
        lgkt_elimination_solve(&v->e, q->v);
    return LGKT_OK;
}

// The best choice for v; returns whether it is another one. *off is by how much v is off.
static bool improve_choice(quotient *q, double *off)
{
    const lgkt_mdp *const mdp = q->it->mdp;
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    for (int32_t n = 0; n < mdp->states; n++) {
        q->best[n] = q->stay[n] - q->v[n];
        q->plain[n] = -1;
    }
    *off = 0;
    for (size_t z = 0; z < pairs; z++) {
        const int32_t n = q->node[z / (size_t)mdp->actions];
        if (mdp->payoffs[z] == -INFINITY)
            continue;
        double error = 0;
        const double worth = worth_of(q, n, z, &error);
        *off = fmax(*off, worth + error);
        if ((int64_t)z == q->choice[n])
            *off = fmax(*off, error - worth);
        if (worth > q->best[n]) {
            q->best[n] = worth;
            q->plain[n] = (int64_t)z;
        }
    }
    bool changed = false;
    for (int32_t n = 0; n < mdp->states; n++)
        if (q->node[n] == n && q->best[n] > TIE * (q->it->scale + fabs(q->v[n]))) {
            q->choice[n] = q->plain[n];
            changed = true;
        }
    return changed;
}

static lgkt_status solve_quotient(quotient *q, double *off, bool *within, lgkt_error *error)
{
    const lgkt_mdp *const mdp = q->it->mdp;
    for (int32_t n = 0; n < mdp->states; n++) {
        q->choice[n] = -1;
        if (q->node[n] == n && q->stay[n] == -INFINITY)
            q->choice[n] = (int64_t)n * mdp->actions + q->it->policy[n];
    }
    for (int i = 0; i < MOST_POLICIES; i++) {
        LGKT_TRY(evaluate_choice(q, within, error));
        if (!*within || !improve_choice(q, off))
            return LGKT_OK;
    }
    return LGKT_OK;
}

// the policy that stays in components or leaves them as chosen
static void take_choice(const quotient *q, const int32_t *component)
{
    lgkt_iteration *const it = q->it;
    const size_t actions = (size_t)it->mdp->actions;
    for (int32_t s = 0; s < it->mdp->states; s++)
        it->marked[s] = (uint8_t)(component[s] < 0 || q->choice[q->node[s]] < 0);
    for (int32_t n = 0; n < it->mdp->states; n++)
        if (q->node[n] == n && q->choice[n] >= 0)
            it->marked[(size_t)q->choice[n] / actions] = 1;
    lgkt_components_lead(it->mdp, it->mask, it->group, it->policy, it->marked, NULL);
    for (int32_t n = 0; n < it->mdp->states; n++)
        if (q->node[n] == n && q->choice[n] >= 0)
            it->policy[(size_t)q->choice[n] / actions] = (int32_t)((size_t)q->choice[n] % actions);
}

// v from the gains of the components, the policy that earns it, and how far both may be off
static lgkt_status connect(quotient *q, double *stay, const int32_t *component, bool *within,
                           lgkt_error *error)
{
    lgkt_iteration *const it = q->it;
    lgkt_plan_result *const result = it->result;
    const int32_t states = it->mdp->states;
    result->below = result->above = 0;
    for (int32_t s = 0; s < states; s++) {
        const int32_t c = component[s];
        stay[s] = c < 0 ? -INFINITY : it->gain[s];
        result->below = c < 0 ? result->below : fmax(result->below, it->gain[s] - it->low[c]);
        result->above = c < 0 ? result->above : fmax(result->above, it->high[c] - it->gain[s]);
    }
    double off, longest = 0;
    LGKT_TRY(solve_quotient(q, &off, within, error));
    if (!*within)
        return LGKT_OK;
    take_choice(q, component);
    for (int32_t s = 0; s < states; s++) {
        it->gain[s] = q->v[q->node[s]];
        stay[s] = component[s] < 0 ? -INFINITY : 0;
    }
    q->cost = 1;
    double ignored;
    LGKT_TRY(solve_quotient(q, &ignored, within, error));
    for (int32_t s = 0; s < states && *within; s++)
        longest = q->node[s] == s ? fmax(longest, q->v[s]) : longest;
    result->below += off * longest;
    result->above += off * longest;
    return LGKT_OK;
}

lgkt_status lgkt_components_connect(lgkt_iteration *it, bool *within, lgkt_error *error)
{
    const size_t n = (size_t)it->mdp->states;
    double *const numbers = lgkt_alloc_zeroed(&it->hooks, 3 * n, sizeof *numbers);
    int64_t *const choices = lgkt_alloc_zeroed(&it->hooks, 2 * n, sizeof *choices);
    int32_t *const nodes = lgkt_alloc_zeroed(&it->hooks, 2 * n, sizeof *nodes);
    lgkt_status status = LGKT_OK;
    if (numbers == NULL || choices == NULL || nodes == NULL) {
        status = lgkt_fail_memory(error, "the components of a model");
    } else {
        int32_t *const lowest = nodes + n; // of each component
        memset(lowest, -1, n * sizeof *lowest);
        for (int32_t s = 0; s < it->mdp->states; s++) {
            const int32_t c = it->group[s];
            if (c >= 0 && lowest[c] < 0)
                lowest[c] = s;
            nodes[s] = c < 0 ? s : lowest[c];
        }
        quotient q = {.it = it,
                      .node = nodes,
                      .stay = numbers,
                      .v = numbers + n,
                      .best = numbers + 2 * n,
                      .choice = choices,
                      .plain = choices + n};
        lgkt_evaluation_forget(&it->v);
        status = connect(&q, numbers, it->group, within, error);
    }
    lgkt_free(&it->hooks, numbers);
    lgkt_free(&it->hooks, choices);
    lgkt_free(&it->hooks, nodes);
    return status;
}
