// SPDX-License-Identifier: MIT
// In which order the states of a chain are eliminated, so that few new moves arise.
//
// Minimum degree on the quotient graph, as in Amestoy, Davis and Duff (1996): an eliminated state is
// an element, and its list the neighbours that it had left, which are all neighbours of each other
// from then on. The neighbours of a state are those of its elements and those of the graph that no
// element covers; its degree is bounded by counting what each element has outside of the newest.
// An element is absorbed by the next one that covers it. States that are covered by the newest
// element alone are eliminated with it: they make its block.
//
// A state with many neighbours (a hub, such as where every episode ends) would be looked at with
// each of them; hubs wait with the late ones until all others are gone.
//
// Cost: about one visit for each neighbour in each list of `index`. Memory: 2 numbers per edge.
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/chain.h"

enum { LATE = 2 };                 // those that wait longer than hubs
enum { HUB = 10, LEAST_HUB = 64 }; // a hub has more neighbours than these times sqrt(S), and these

typedef struct graph {
    int32_t states;
    size_t *start;     // (S), where the list of a state is in `lists`: elements, then states
    int32_t *lists;    // (2 edges)
    int32_t *elements; // (S), how many elements are in it
    int32_t *length;   // (S), how many numbers in all
    int32_t *degree;   // (S)
    int32_t *head;     // (S + 1), first state of each degree, -1: none
    int32_t *after;    // (S), in the list of a degree
    int32_t *before;   // (S)
    int32_t *mark;     // (S), the number of the block that saw the state last
    int32_t *outside;  // (S), by element: its neighbours outside of the newest, if seen with it
    int32_t *seen;     // (S), by element: the number of the block that saw it
    int32_t *plain;    // (S), by element: its neighbours that do not wait
    int32_t *block_of; // (S), by pivot: its block, -1: not eliminated
    uint8_t *waits;    // (S), 1 for hubs, LATE for late ones: not yet
    uint8_t *dead;     // (S), by block: absorbed
    int32_t least;     // no degree below has a state
    size_t capacity;   // of order->index
    int32_t *numbers;  // what the arrays above of these are part of
} graph;

// ---- degrees ----

static void link_state(graph *g, int32_t s, int32_t degree)
{
    g->degree[s] = degree;
    g->before[s] = -1;
    g->after[s] = g->head[degree];
    if (g->after[s] >= 0)
        g->before[g->after[s]] = s;
    g->head[degree] = s;
    g->least = degree < g->least ? degree : g->least;
}

static void unlink_state(graph *g, int32_t s)
{
    if (g->before[s] >= 0)
        g->after[g->before[s]] = g->after[s];
    else
        g->head[g->degree[s]] = g->after[s];
    if (g->after[s] >= 0)
        g->before[g->after[s]] = g->before[s];
}

// ---- making ----

static lgkt_status alloc_graph(graph *g, lgkt_ordering *order, int32_t states,
                               const lgkt_allocator *hooks, lgkt_error *error)
{
    const size_t n = (size_t)states;
    int32_t *const numbers = lgkt_alloc_zeroed(hooks, 11 * n + 1, sizeof *numbers);
    g->numbers = numbers;
    g->start = lgkt_alloc_zeroed(hooks, n + 1, sizeof *g->start);
    g->waits = lgkt_alloc_zeroed(hooks, 2 * n, 1);
    order->pivots = lgkt_alloc_zeroed(hooks, n, sizeof *order->pivots);
    order->first = lgkt_alloc_zeroed(hooks, n + 1, sizeof *order->first);
    order->begin = lgkt_alloc_zeroed(hooks, n + 1, sizeof *order->begin);
    order->parent = lgkt_alloc_zeroed(hooks, n, sizeof *order->parent);
    order->sequence = lgkt_alloc_zeroed(hooks, n, sizeof *order->sequence);
    if (numbers == NULL || g->start == NULL || g->waits == NULL || order->pivots == NULL ||
        order->first == NULL || order->begin == NULL || order->parent == NULL ||
        order->sequence == NULL)
        return lgkt_fail_memory(error, "the order of an elimination");
    int32_t **const arrays[] = {&g->elements, &g->length, &g->degree,  &g->after,    &g->before,
                                &g->mark,     &g->seen,   &g->outside, &g->block_of, &g->plain};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = numbers + i * n;
    g->head = numbers + 10 * n;
    g->dead = g->waits + n;
    g->states = states;
    for (size_t s = 0; s < n; s++)
        g->mark[s] = g->seen[s] = g->block_of[s] = -1;
    return LGKT_OK;
}

// the lists of neighbours in either direction, each neighbour once
static lgkt_status fill_graph(graph *g, const uint32_t *begin, size_t stride, const int32_t *next,
                              const lgkt_allocator *hooks, lgkt_error *error)
{
    const int32_t states = g->states;
    for (int32_t s = 0; s < states; s++)
        for (size_t i = begin[(size_t)s * stride]; i < begin[(size_t)(s + 1) * stride]; i++)
            if (next[i] != s && g->mark[next[i]] != s) {
                g->mark[next[i]] = s;
                g->length[s]++;
                g->length[next[i]]++;
            }
    for (int32_t s = 0; s < states; s++)
        g->start[s + 1] = g->start[s] + (size_t)g->length[s];
    g->lists = lgkt_alloc_zeroed(hooks, g->start[states], sizeof *g->lists);
    if (g->lists == NULL)
        return lgkt_fail_memory(error, "the order of an elimination");
    memset(g->length, 0, (size_t)states * sizeof *g->length);
    memset(g->mark, -1, (size_t)states * sizeof *g->mark);
    for (int32_t s = 0; s < states; s++)
        for (size_t i = begin[(size_t)s * stride]; i < begin[(size_t)(s + 1) * stride]; i++) {
            const int32_t y = next[i];
            if (y == s || g->mark[y] == s)
                continue;
            g->mark[y] = s;
            g->lists[g->start[s] + (size_t)g->length[s]++] = y;
            g->lists[g->start[y] + (size_t)g->length[y]++] = s;
        }
    // moves in both directions stand there twice
    memset(g->mark, -1, (size_t)states * sizeof *g->mark);
    for (int32_t s = 0; s < states; s++) {
        int32_t *const list = g->lists + g->start[s];
        int32_t kept = 0;
        for (int32_t i = 0; i < g->length[s]; i++)
            if (g->mark[list[i]] != s) {
                g->mark[list[i]] = s;
                list[kept++] = list[i];
            }
        g->length[s] = kept;
    }
    memset(g->mark, -1, (size_t)states * sizeof *g->mark);
    return LGKT_OK;
}

// ---- one block ----

// writes the neighbours of pivot p into order->index; false: memory is out
static bool gather(graph *g, lgkt_ordering *order, int32_t p, const lgkt_allocator *hooks)
{
    const int32_t b = order->blocks;
    const int32_t *const list = g->lists + g->start[p];
    size_t most = (size_t)g->length[p];
    for (int32_t i = 0; i < g->elements[p]; i++)
        most += order->begin[list[i] + 1] - order->begin[list[i]];
    size_t used = order->begin[b];
    void *index = order->index;
    if (!lgkt_grow(hooks, &index, &g->capacity, used, used + most, sizeof *order->index))
        return false;
    order->index = index;
    g->mark[p] = b;
    for (int32_t i = g->elements[p]; i < g->length[p]; i++)
        if (g->block_of[list[i]] < 0 && g->mark[list[i]] != b) {
            g->mark[list[i]] = b;
            order->index[used++] = list[i];
        }
    for (int32_t i = 0; i < g->elements[p]; i++) {
        const int32_t e = list[i];
        for (size_t k = order->begin[e]; !g->dead[e] && k < order->begin[e + 1]; k++) {
            const int32_t y = order->index[k];
            if (g->mark[y] != b) {
                g->mark[y] = b;
                order->index[used++] = y;
            }
        }
        g->dead[e] = 1;
    }
    order->begin[b + 1] = used;
    return true;
}

// Counts for each element of a neighbour how many it has outside of the newest block, and absorbs
// those that have none: of these the newest gets the neighbours that wait. False: memory is out.
static bool absorb(graph *g, lgkt_ordering *order, const lgkt_allocator *hooks)
{
    const int32_t b = order->blocks;
    const size_t end = order->begin[b + 1];
    for (size_t k = order->begin[b]; k < end; k++) {
        const int32_t s = order->index[k], *const list = g->lists + g->start[s];
        for (int32_t i = 0; !g->waits[s] && i < g->elements[s]; i++) {
            const int32_t e = list[i];
            if (g->seen[e] != b)
                g->outside[e] = g->plain[e];
            g->seen[e] = b;
            g->outside[e]--;
        }
    }
    for (size_t k = order->begin[b]; k < end; k++) {
        const int32_t s = order->index[k], *const list = g->lists + g->start[s];
        for (int32_t i = 0; !g->waits[s] && i < g->elements[s]; i++) {
            const int32_t e = list[i];
            if (g->dead[e] || g->outside[e] > 0)
                continue;
            g->dead[e] = 1;
            const size_t used = order->begin[b + 1], more = order->begin[e + 1] - order->begin[e];
            void *index = order->index;
            if (!lgkt_grow(hooks, &index, &g->capacity, used, used + more, sizeof *order->index))
                return false;
            order->index = index;
            for (size_t j = order->begin[e]; j < order->begin[e + 1]; j++)
                if (g->mark[order->index[j]] != b) {
                    g->mark[order->index[j]] = b;
                    order->index[order->begin[b + 1]++] = order->index[j];
                }
        }
    }
    return true;
}

// the list of neighbour s without what the newest block covers; returns its degree outside of it
static int64_t shorten(graph *g, int32_t s, int32_t b)
{
    int32_t *const list = g->lists + g->start[s];
    const int32_t elements = g->elements[s];
    int64_t degree = 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < elements; i++) {
        const int32_t e = list[i];
        if (g->dead[e])
            continue;
        degree += g->outside[e];
        list[kept++] = e;
    }
    g->elements[s] = kept + 1;
    // what was dropped, an element or the pivot, leaves room for the newest
    int32_t moved = kept;
    for (int32_t i = elements; i < g->length[s]; i++)
        if (g->block_of[list[i]] < 0 && g->mark[list[i]] != b)
            list[moved++] = list[i];
    degree += moved - kept;
    if (moved > kept)
        list[moved] = list[kept];
    list[kept] = b;
    g->length[s] = moved + 1;
    return degree;
}

// eliminates p, and with it what has no other neighbours left than it
static bool eliminate(graph *g, lgkt_ordering *order, int32_t p, const lgkt_allocator *hooks)
{
    const int32_t b = order->blocks;
    if (!gather(g, order, p, hooks) || !absorb(g, order, hooks))
        return false;
    int32_t done = order->first[b];
    order->pivots[done++] = p;
    g->block_of[p] = b;
    unlink_state(g, p);
    const size_t begin = order->begin[b], end = order->begin[b + 1];
    size_t kept = begin;
    g->plain[b] = 0;
    for (size_t k = begin; k < end; k++) {
        const int32_t s = order->index[k];
        if (!g->waits[s]) {
            unlink_state(g, s);
            const int64_t degree = shorten(g, s, b);
            if (g->length[s] == 1) {
                order->pivots[done++] = s;
                g->block_of[s] = b;
                continue;
            }
            g->degree[s] = (int32_t)(degree < g->states ? degree : g->states);
            g->plain[b]++;
        }
        order->index[kept++] = s;
    }
    order->begin[b + 1] = kept;
    order->first[b + 1] = done;
    for (size_t k = begin; k < kept; k++) {
        const int32_t s = order->index[k], most = g->states - done;
        const int64_t degree = g->degree[s] + (int64_t)(kept - begin) - 1;
        if (!g->waits[s])
            link_state(g, s, (int32_t)(degree < most ? degree : most));
    }
    order->blocks++;
    return true;
}

// hubs and late ones make the last block, as if they were all neighbours of each other
static void eliminate_late(graph *g, lgkt_ordering *order)
{
    const int32_t b = order->blocks++;
    int32_t done = order->first[b];
    for (int when = 1; when <= LATE; when++)
        for (int32_t s = 0; s < g->states; s++)
            if (g->waits[s] == when) {
                order->pivots[done++] = s;
                g->block_of[s] = b;
            }
    order->first[b + 1] = done;
    order->begin[b + 1] = order->begin[b];
}

// ---- what comes of it ----

static size_t pivots_of(const lgkt_ordering *order, int32_t b)
{
    return (size_t)(order->first[b + 1] - order->first[b]);
}

static size_t neighbours_of(const lgkt_ordering *order, int32_t b)
{
    return order->begin[b + 1] - order->begin[b];
}

// adds what the newest block costs; false: beyond the limit
static bool add_cost(lgkt_ordering *order, lgkt_ordering_limit limit)
{
    const size_t m = pivots_of(order, order->blocks - 1),
                 u = neighbours_of(order, order->blocks - 1);
    order->entries += m * (m + 2 * u);
    order->work += (double)m * ((double)m * (double)m / 3 + (double)(u * m) + (double)(u * u));
    return order->entries <= limit.entries && order->work <= limit.work;
}

// The parents of the blocks, and an order in which each comes right after all that belong to it, so
// that what they hand on lies on a stack.
static void arrange(lgkt_ordering *order, graph *g)
{
    int32_t *const child = g->head, *const sibling = g->after;
    memset(child, -1, ((size_t)order->states + 1) * sizeof *child);
    for (int32_t b = order->blocks - 1; b >= 0; b--) {
        int32_t parent = order->blocks;
        for (size_t k = order->begin[b]; k < order->begin[b + 1]; k++)
            if (g->block_of[order->index[k]] < parent)
                parent = g->block_of[order->index[k]];
        order->parent[b] = parent < order->blocks ? parent : -1;
        sibling[b] = child[parent];
        child[parent] = b;
    }
    // down to the first child, then on to the sibling, or up
    int32_t count = 0;
    for (int32_t b = child[order->blocks]; b >= 0;) {
        while (child[b] >= 0) {
            const int32_t down = child[b];
            child[b] = -1;
            b = down;
        }
        order->sequence[count++] = b;
        b = sibling[b] >= 0 ? sibling[b] : order->parent[b];
    }
    // what a block hands on lies above that of its children, before theirs goes
    size_t *const below = g->start, held = 0;
    memset(below, 0, (size_t)order->states * sizeof *below);
    for (int32_t i = 0; i < count; i++) {
        const int32_t b = order->sequence[i];
        const size_t own = neighbours_of(order, b) * neighbours_of(order, b);
        order->stack = held + own > order->stack ? held + own : order->stack;
        held += own - below[b];
        if (order->parent[b] >= 0)
            below[order->parent[b]] += own;
    }
}

void lgkt_ordering_release(lgkt_ordering *order, const lgkt_allocator *hooks)
{
    lgkt_free(hooks, order->pivots);
    lgkt_free(hooks, order->first);
    lgkt_free(hooks, order->begin);
    lgkt_free(hooks, order->index);
    lgkt_free(hooks, order->parent);
    lgkt_free(hooks, order->sequence);
    *order = (lgkt_ordering){0};
}

static lgkt_status eliminate_all(graph *g, lgkt_ordering *order, lgkt_ordering_limit limit,
                                 bool *within, const lgkt_allocator *hooks, lgkt_error *error)
{
    memset(g->head, -1, ((size_t)g->states + 1) * sizeof *g->head);
    g->least = g->states;
    // the lowest number of a degree comes first
    for (int32_t s = g->states - 1; s >= 0; s--)
        if (!g->waits[s])
            link_state(g, s, g->length[s]);
    while (order->first[order->blocks] < g->states && *within) {
        while (g->least < g->states && g->head[g->least] < 0)
            g->least++;
        const int32_t p = g->head[g->least];
        if (p < 0)
            eliminate_late(g, order);
        else if (!eliminate(g, order, p, hooks))
            return lgkt_fail_memory(error, "the order of an elimination");
        *within = add_cost(order, limit);
    }
    return LGKT_OK;
}

lgkt_status lgkt_ordering_find(lgkt_ordering *order, int32_t states, const uint32_t *begin,
                               size_t stride, const int32_t *next, const uint8_t *late,
                               lgkt_ordering_limit limit, bool *within, const lgkt_allocator *hooks,
                               lgkt_error *error)
{
    graph g = {0};
    *order = (lgkt_ordering){.states = states};
    *within = true;
    lgkt_status status = alloc_graph(&g, order, states, hooks, error);
    if (status == LGKT_OK)
        status = fill_graph(&g, begin, stride, next, hooks, error);
    if (status == LGKT_OK) {
        const double hub = fmax(LEAST_HUB, HUB * sqrt((double)states));
        for (int32_t s = 0; s < states; s++)
            g.waits[s] = late != NULL && late[s] != 0 ? LATE : g.length[s] > hub;
        status = eliminate_all(&g, order, limit, within, hooks, error);
    }
    if (status == LGKT_OK && *within) {
        arrange(order, &g);
        *within = order->entries + order->stack <= limit.entries;
    }
    lgkt_free(hooks, g.start);
    lgkt_free(hooks, g.lists);
    lgkt_free(hooks, g.waits);
    lgkt_free(hooks, g.numbers);
    if (status != LGKT_OK || !*within)
        lgkt_ordering_release(order, hooks);
    return status;
}
