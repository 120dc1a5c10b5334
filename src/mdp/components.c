// SPDX-License-Identifier: MIT
// Components of a model: largest sets of states with the actions that stay in them, such that each
// state can be reached from each (maximal end components, de Alfaro 1997). They are found by taking
// away actions that leave the strongly connected part of their state, until there are none.
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "mdp/mdp_private.h"

// ---- strongly connected parts ----

// Tarjan's search over the pairs of a mask, with its stacks.
typedef struct search {
    const lgkt_mdp *mdp;
    const uint8_t *mask;
    size_t *pair;    // (S), the pair that is looked at
    size_t *at;      // (S), and its next move
    int32_t *number; // (S), in the order of the search, -1: not seen
    int32_t *low;    // (S), the lowest number that can be reached
    int32_t *path;   // (S), states that are open
    int32_t *stack;  // (S), states without a part
    int32_t *part;   // (S), -1: none yet
    int32_t seen, parts, depth, held;
} search;

static void open_state(search *t, int32_t s)
{
    t->number[s] = t->low[s] = t->seen++;
    t->pair[s] = (size_t)s * (size_t)t->mdp->actions;
    t->at[s] = t->mdp->planning.begin[t->pair[s]];
    t->path[t->depth++] = s;
    t->stack[t->held++] = s;
}

// the next state that s leads to, -1: there is none
static int32_t next_of(search *t, int32_t s)
{
    const lgkt_rows *const rows = &t->mdp->planning;
    const size_t end = (size_t)(s + 1) * (size_t)t->mdp->actions;
    while (t->pair[s] < end && (!t->mask[t->pair[s]] || t->at[s] == rows->begin[t->pair[s] + 1]))
        t->at[s] = rows->begin[++t->pair[s]];
    return t->pair[s] < end ? rows->next[t->at[s]++] : -1;
}

static void close_state(search *t, int32_t s)
{
    t->depth--;
    if (t->depth > 0 && t->low[s] < t->low[t->path[t->depth - 1]])
        t->low[t->path[t->depth - 1]] = t->low[s];
    if (t->low[s] < t->number[s])
        return;
    int32_t member;
    do {
        member = t->stack[--t->held];
        t->part[member] = t->parts;
    } while (member != s);
    t->parts++;
}

static void find_parts(search *t)
{
    const int32_t states = t->mdp->states;
    t->seen = t->parts = 0;
    memset(t->number, -1, (size_t)states * sizeof *t->number);
    memset(t->part, -1, (size_t)states * sizeof *t->part);
    for (int32_t first = 0; first < states; first++) {
        if (t->number[first] < 0)
            open_state(t, first);
        while (t->depth > 0) {
            const int32_t s = t->path[t->depth - 1], y = next_of(t, s);
            if (y < 0)
                close_state(t, s);
            else if (t->number[y] < 0)
                open_state(t, y);
            else if (t->part[y] < 0 && t->number[y] < t->low[s])
                t->low[s] = t->number[y];
        }
    }
}

// takes the pairs that leave their part out of the mask; returns whether there was one
static bool cut_pairs(const search *t, uint8_t *mask)
{
    const lgkt_rows *const rows = &t->mdp->planning;
    bool cut = false;
    size_t z = 0;
    for (int32_t s = 0; s < t->mdp->states; s++)
        for (int32_t a = 0; a < t->mdp->actions; a++, z++)
            for (size_t i = rows->begin[z]; i < rows->begin[z + 1] && mask[z]; i++)
                if (t->part[rows->next[i]] != t->part[s]) {
                    mask[z] = 0;
                    cut = true;
                }
    return cut;
}

// components in the order of their lowest states
static int32_t number_components(const search *t, const uint8_t *mask, int32_t *component)
{
    const int32_t states = t->mdp->states;
    const size_t actions = (size_t)t->mdp->actions;
    int32_t count = 0, *const number = t->number; // of each part
    memset(number, -1, (size_t)states * sizeof *number);
    for (int32_t s = 0; s < states; s++) {
        component[s] = -1;
        if (memchr(mask + (size_t)s * actions, 1, actions) == NULL)
            continue;
        if (number[t->part[s]] < 0)
            number[t->part[s]] = count++;
        component[s] = number[t->part[s]];
    }
    return count;
}

lgkt_status lgkt_components_find(const lgkt_mdp *mdp, const lgkt_allocator *hooks, uint8_t *mask,
                                 int32_t *component, int32_t *count, lgkt_error *error)
{
    const size_t n = (size_t)mdp->states, pairs = n * (size_t)mdp->actions;
    search t = {.mdp = mdp, .mask = mask};
    t.pair = lgkt_alloc_zeroed(hooks, 2 * n, sizeof *t.pair);
    t.number = lgkt_alloc_zeroed(hooks, 5 * n, sizeof *t.number);
    lgkt_status status = LGKT_OK;
    if (t.pair == NULL || t.number == NULL) {
        status = lgkt_fail_memory(error, "the components of a model");
    } else {
        t.at = t.pair + n;
        t.low = t.number + n;
        t.path = t.number + 2 * n;
        t.stack = t.number + 3 * n;
        t.part = t.number + 4 * n;
        for (size_t z = 0; z < pairs; z++)
            mask[z] = (uint8_t)(mdp->payoffs[z] != -INFINITY);
        do
            find_parts(&t);
        while (cut_pairs(&t, mask));
        *count = number_components(&t, mask, component);
    }
    lgkt_free(hooks, t.pair);
    lgkt_free(hooks, t.number);
    return status;
}

// ---- leading ----

// the probability that a pair leads to a marked state
static double leads(const lgkt_mdp *mdp, size_t z, const uint8_t *marked)
{
    const lgkt_rows *const rows = &mdp->planning;
    double sum = 0;
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++)
        sum += marked[rows->next[i]] ? rows->p[i] : 0;
    return sum;
}

void lgkt_components_lead(const lgkt_mdp *mdp, const uint8_t *mask, const int32_t *group,
                          int32_t *policy, uint8_t *marked, const uint8_t *turns)
{
    const int32_t states = mdp->states;
    const size_t actions = (size_t)mdp->actions;
    bool backwards = false;
    // what the policy leads there by itself comes first; only then others are turned
    for (bool turn = false, more = true; more || !turn; backwards = !backwards) {
        turn = !more;
        more = false;
        for (int32_t i = 0; i < states; i++) {
            const int32_t s = backwards ? states - 1 - i : i;
            if (marked[s] || (group != NULL && group[s] < 0))
                continue;
            const size_t z = (size_t)s * actions;
            const bool own = turns == NULL || !turns[s];
            double most = own || turn ? leads(mdp, z + (size_t)policy[s], marked) : 0;
            for (size_t a = 0; turn && a < actions; a++) {
                const bool has = mask != NULL ? mask[z + a] != 0 : mdp->payoffs[z + a] != -INFINITY;
                const double p = has ? leads(mdp, z + a, marked) : 0;
                policy[s] = p > most ? (int32_t)a : policy[s];
                most = fmax(most, p);
            }
            if (most > 0)
                marked[s] = more = true;
        }
    }
}
