// SPDX-License-Identifier: MIT
// The long run of one chain: its order, its elimination, gain and bias of each state.
//
// A closed class earns reward(root) / time(root) per step, where both count one round of its root.
// The gain of a state that is in no class is the mean of those that it ends in. Then once more with
// reward - gain for the bias, which is 0 at the roots.
//
// Rounding errors of a round cancel in its reward only if rounds are short: the root should be a
// state that is visited often. Where another one of its class is visited MOST times as often, the
// order is found anew with that one last.
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/chain.h"

#define MOST 8 // visits for one of the root
enum { ROUNDS = 3, MOST_ROOTS = 256, REFINED = 2 };

// ---- chains ----

lgkt_status lgkt_chain_init(lgkt_chain *chain, int32_t states, size_t room,
                            const lgkt_allocator *hooks, lgkt_error *error)
{
    *chain = (lgkt_chain){.states = states, .room = room};
    chain->begin = lgkt_alloc_zeroed(hooks, (size_t)states + 1, sizeof *chain->begin);
    chain->next = lgkt_alloc_zeroed(hooks, room, sizeof *chain->next);
    chain->p = lgkt_alloc_zeroed(hooks, room, sizeof *chain->p);
    if (chain->begin != NULL && chain->next != NULL && chain->p != NULL)
        return LGKT_OK;
    lgkt_chain_release(chain, hooks);
    return lgkt_fail_memory(error, "the chain of a policy");
}

void lgkt_chain_release(lgkt_chain *chain, const lgkt_allocator *hooks)
{
    lgkt_free(hooks, chain->begin);
    lgkt_free(hooks, chain->next);
    lgkt_free(hooks, chain->p);
    *chain = (lgkt_chain){0};
}

// ---- evaluation ----

lgkt_status lgkt_evaluation_init(lgkt_evaluation *v, int32_t states, size_t room,
                                 const lgkt_allocator *hooks, lgkt_error *error)
{
    const size_t n = (size_t)states;
    *v = (lgkt_evaluation){.hooks = *hooks};
    LGKT_TRY(lgkt_chain_init(&v->chain, states, room, hooks, error));
    v->reward = lgkt_alloc_zeroed(hooks, 3 * n, sizeof *v->reward);
    v->root = lgkt_alloc_zeroed(hooks, 2 * n, sizeof *v->root);
    v->late = lgkt_alloc_zeroed(hooks, n, sizeof *v->late);
    if (v->reward == NULL || v->root == NULL || v->late == NULL) {
        lgkt_evaluation_release(v);
        return lgkt_fail_memory(error, "the evaluation of a policy");
    }
    v->visits = v->reward + n;
    v->rest = v->reward + 2 * n;
    v->best = v->root + n;
    v->limit = (lgkt_ordering_limit){SIZE_MAX / 32, INFINITY};
    return LGKT_OK;
}

void lgkt_evaluation_forget(lgkt_evaluation *v)
{
    lgkt_elimination_release(&v->e, &v->hooks);
    lgkt_ordering_release(&v->order, &v->hooks);
}

void lgkt_evaluation_release(lgkt_evaluation *v)
{
    lgkt_evaluation_forget(v);
    lgkt_chain_release(&v->chain, &v->hooks);
    lgkt_free(&v->hooks, v->reward);
    lgkt_free(&v->hooks, v->root);
    lgkt_free(&v->hooks, v->late);
    v->reward = NULL;
    v->root = NULL;
    v->late = NULL;
}

// an order for the chain, of the graph of all to come if there is one that is not much worse
static lgkt_status make_order(lgkt_evaluation *v, bool *within, lgkt_error *error)
{
    const lgkt_chain *const chain = &v->chain;
    lgkt_evaluation_forget(v);
    LGKT_TRY(lgkt_ordering_find(&v->order, chain->states, chain->begin, 1, chain->next, v->late,
                                v->limit, within, &v->hooks, error));
    if (!*within)
        return LGKT_OK;
    if (v->begin != NULL) {
        lgkt_ordering whole;
        bool cheap;
        const lgkt_ordering_limit limit = {2 * v->order.entries + (size_t)chain->states,
                                           3 * v->order.work + chain->states};
        LGKT_TRY(lgkt_ordering_find(&whole, chain->states, v->begin, v->stride, v->next, v->late,
                                    limit, &cheap, &v->hooks, error));
        if (cheap) {
            lgkt_ordering_release(&v->order, &v->hooks);
            v->order = whole;
        } else {
            v->begin = NULL;
        }
    }
    return lgkt_elimination_init(&v->e, &v->order, chain, &v->hooks, error);
}

// makes the state that is visited most of each class its root; returns whether one has changed
static bool choose_roots(lgkt_evaluation *v)
{
    const int32_t states = v->chain.states;
    if (v->e.roots > MOST_ROOTS)
        return false;
    bool changed = false;
    int32_t *const best = v->best; // of each root
    for (int32_t s = 0; s < states; s++)
        best[s] = s;
    for (int32_t s = 0; s < states; s++)
        best[v->root[s]] = v->visits[s] > v->visits[best[v->root[s]]] ? s : best[v->root[s]];
    for (int32_t s = 0; s < states; s++)
        changed |= v->e.root[s] && v->visits[best[s]] > MOST;
    for (int32_t s = 0; s < states && changed; s++)
        v->late[s] = 0;
    for (int32_t s = 0; s < states && changed; s++)
        if (v->e.root[s])
            v->late[best[s]] = 1;
    return changed;
}

lgkt_status lgkt_evaluation_eliminate(lgkt_evaluation *v, double patience, bool *within,
                                      lgkt_error *error)
{
    *within = true;
    if (v->order.states == 0 || v->begin == NULL)
        LGKT_TRY(make_order(v, within, error));
    if (*within)
        *within = lgkt_eliminate(&v->e, v->reward, v->leave, patience, v->stop);
    return LGKT_OK;
}

// high + low += x, where only `low` is rounded (Knuth)
static inline void add(double *high, double *low, double x)
{
    const double sum = *high + x, added = sum - *high;
    *low += (*high - (sum - added)) + (x - added);
    *high = sum;
}

// x as two numbers of half the digits (Veltkamp)
static inline double upper_half(double x)
{
    const double large = 134217729 * x; // 2^27 + 1
    return large - (large - x);
}

double lgkt_row_gain(const int32_t *next, const double *p, size_t count, int32_t s,
                     const double *bias, const double *rest, double reward)
{
    double high = reward, low = 0;
    for (size_t i = 0; i < count; i++) {
        if (next[i] == s)
            continue;
        const double p1 = upper_half(p[i]), p2 = p[i] - p1;
        const double both[2] = {bias[next[i]], -bias[s]};
        for (int k = 0; k < 2; k++) {
            const double product = p[i] * both[k], h1 = upper_half(both[k]), h2 = both[k] - h1;
            add(&high, &low, product);
            low += ((p1 * h1 - product) + p1 * h2 + p2 * h1) + p2 * h2; // what it lost (Dekker)
        }
        low += p[i] * (rest[next[i]] - rest[s]);
    }
    return high + low;
}

// what gain and bias leave over of a round, less its mean, which goes to the gain; the rest of the
// way to the bias. Exactly, or as plain doubles allow.
static bool solve_rest(lgkt_evaluation *v, double *gain, const double *bias, bool exact)
{
    const lgkt_chain *const chain = &v->chain;
    double *const left = v->e.leave; // of no use any more
    double sum = 0, visits = 0;
    for (int32_t s = 0; s < chain->states; s++) {
        const uint32_t begin = chain->begin[s], end = chain->begin[s + 1];
        left[s] = v->reward[s] - gain[s];
        for (uint32_t i = begin; i < end && !exact; i++)
            left[s] += chain->p[i] * (bias[chain->next[i]] - bias[s]);
        if (exact)
            left[s] = lgkt_row_gain(chain->next + begin, chain->p + begin, end - begin, s, bias,
                                    v->rest, left[s]);
        sum += v->visits[s] * left[s];
        visits += v->visits[s];
    }
    if (!isfinite(sum) || !isfinite(visits))
        return false;
    for (int32_t s = 0; s < chain->states; s++) {
        left[s] = v->e.root[s] ? 0 : left[s] - sum / visits;
        gain[s] += sum / visits;
    }
    lgkt_elimination_solve(&v->e, left);
    return true;
}

// Rounds may be long, and what they earn above the gain cancels: once more for what gain and bias
// leave over, which is small.
static void refine_once(lgkt_evaluation *v, double *gain, double *bias)
{
    if (solve_rest(v, gain, bias, false))
        for (int32_t s = 0; s < v->chain.states; s++)
            bias[s] += v->e.leave[s];
}

void lgkt_evaluation_refine(lgkt_evaluation *v, double *gain, double *bias)
{
    for (int round = 0; round < REFINED && solve_rest(v, gain, bias, true); round++)
        for (int32_t s = 0; s < v->chain.states; s++)
            add(&bias[s], &v->rest[s], v->e.leave[s]);
}

lgkt_status lgkt_evaluate(lgkt_evaluation *v, double patience, double *gain, double *bias,
                          bool *within, lgkt_error *error)
{
    lgkt_elimination *const e = &v->e;
    const int32_t states = v->chain.states;
    bool again = true;
    for (int round = 0; round < ROUNDS && again; round++) {
        LGKT_TRY(lgkt_evaluation_eliminate(v, patience, within, error));
        if (!*within)
            return LGKT_OK;
        lgkt_elimination_visits(e, v->visits, v->root);
        again = choose_roots(v);
        if (again && round + 1 < ROUNDS)
            lgkt_ordering_release(&v->order, &v->hooks);
    }
    double one = 0;
    for (int32_t s = 0; s < states; s++) {
        one = e->root[s] ? e->reward[s] / e->time[s] : one;
        gain[s] = e->root[s] ? e->reward[s] / e->time[s] : 0;
    }
    if (e->roots > 1)
        lgkt_elimination_solve(e, gain);
    for (int32_t s = 0; s < states; s++) {
        gain[s] = e->roots > 1 ? gain[s] : one;
        bias[s] = e->root[s] ? 0 : v->reward[s] - gain[s];
    }
    lgkt_elimination_solve(e, bias);
    memset(v->rest, 0, (size_t)states * sizeof *v->rest);
    if (e->roots == 1 && e->cut == 0)
        refine_once(v, gain, bias);
    return LGKT_OK;
}

lgkt_status lgkt_evaluate_discounted(lgkt_evaluation *v, double leave, double *gain, double *bias,
                                     bool *within, lgkt_error *error)
{
    const int32_t states = v->chain.states;
    v->leave = leave;
    LGKT_TRY(lgkt_evaluation_eliminate(v, INFINITY, within, error));
    // once for the gain around which values are small, and once with it
    for (int round = 0; round < 2 && *within; round++) {
        double mean = 0;
        for (int32_t s = 0; s < states && round > 0; s++)
            mean += bias[s] / states;
        for (int32_t s = 0; s < states; s++) {
            gain[s] += leave * mean;
            bias[s] = v->reward[s] - gain[s];
        }
        lgkt_elimination_solve(&v->e, bias);
    }
    return LGKT_OK;
}

// ---- laws, times, classes ----

// the time of a round of a root
static double round_of(const lgkt_elimination *e, int32_t root)
{
    return ldexp(e->time[root], e->exponent[root]);
}

void lgkt_evaluation_law(lgkt_evaluation *v, double *law)
{
    const lgkt_elimination *const e = &v->e;
    const int32_t states = v->chain.states;
    lgkt_elimination_visits(e, v->visits, v->root);
    lgkt_elimination_flow(e, law);
    // the root of a class comes last, for the others need what it has
    for (int32_t s = 0; s < states; s++)
        if (!e->root[s])
            law[s] =
                v->visits[s] > 0 ? law[v->root[s]] * (v->visits[s] / round_of(e, v->root[s])) : 0;
    for (int32_t s = 0; s < states; s++)
        law[s] = e->root[s] ? law[s] / round_of(e, s) : law[s];
}

void lgkt_evaluation_times(lgkt_evaluation *v, int32_t target, double *times)
{
    const int32_t states = v->chain.states;
    double *const lost = v->visits; // how likely it is to end elsewhere
    for (int32_t s = 0; s < states; s++) {
        times[s] = !v->e.root[s];
        lost[s] = v->e.root[s] && s != target;
    }
    lgkt_elimination_solve(&v->e, times);
    lgkt_elimination_solve(&v->e, lost);
    for (int32_t s = 0; s < states; s++)
        times[s] = lost[s] > 0 ? INFINITY : times[s];
}

int32_t lgkt_evaluation_classes(lgkt_evaluation *v, int32_t *classes)
{
    int32_t count = 0, *const number = v->best; // of each root
    lgkt_elimination_visits(&v->e, v->visits, v->root);
    for (int32_t s = 0; s < v->chain.states; s++)
        number[s] = -1;
    for (int32_t s = 0; s < v->chain.states; s++) {
        const bool closed = v->visits[s] > 0;
        if (closed && number[v->root[s]] < 0)
            number[v->root[s]] = count++;
        classes[s] = closed ? number[v->root[s]] : -1;
    }
    return count;
}

void lgkt_bias_shift(const double *bias, size_t n, double *to)
{
    double least = INFINITY;
    for (size_t s = 0; s < n; s++)
        least = fmin(least, bias[s]);
    for (size_t s = 0; s < n && to != NULL; s++)
        to[s] = bias[s] - least;
}
