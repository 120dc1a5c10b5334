// SPDX-License-Identifier: MIT
// The rows and the pool of successors.h, and how they are saved.
//
// Both kinds of items hold the same numbers, but neither serves for all. Sums over a row round
// according to their order, and recorded runs depend on it: from the last edge to the first in auto
// and the planners, by fours from the first block on in plugin, which edges cannot do. Blocks
// walked backwards give the order of edges. Counted in 20000 steps on synthetic 10 x 5 and
// 100 x 25, such a walk takes 17% and 50% more instructions than one over edges, and at creation
// the pool of 100 x 25 takes 1120 KB instead of 320. A sum of plugin over edges, in another order,
// takes 20% more and 14% less than over blocks.

#include "learners/model/successors.h"

#include <math.h>

#include "core/alloc.h"

// items are numbered by int32_t
#define MAX_ITEMS INT32_MAX
// a saved state, which may be made up, has no more at first: memory in proportion to its bytes
#define FEW_ITEMS   (1 << 14)
#define FEW_PER_ROW 32
// most visits of all rows together: counts are whole numbers in a double
#define MAX_VISITS (INT64_C(1) << 53)

// ---- room ----

// successors in an item
static inline int width_of(const lgkt_successors *seen)
{
    return seen->in_blocks ? LGKT_BLOCK : 1;
}

static bool reserve(lgkt_learner *learner, lgkt_successors *seen, int64_t capacity)
{
    if (capacity <= seen->capacity)
        return true;
    const size_t before = (size_t)seen->capacity, after = (size_t)capacity;
    const size_t item = seen->in_blocks ? sizeof(lgkt_block) : sizeof(lgkt_edge);
    if (!lgkt_learner_resize(learner, &seen->items, before, after, item) ||
        (seen->beside_size > 0 &&
         !lgkt_learner_resize(learner, &seen->beside, before, after, seen->beside_size)))
        return false;
    seen->capacity = capacity;
    return true;
}

// twice as many, or all there can be; false also if they could not be numbered
static bool extend(lgkt_learner *learner, lgkt_successors *seen)
{
    const int64_t twice = 2 * seen->capacity + 16;
    const int64_t capacity = twice < seen->most ? twice : seen->most;
    return capacity > seen->capacity && reserve(learner, seen, capacity);
}

static bool grow(lgkt_learner *learner, void *part, int32_t before, int32_t after)
{
    lgkt_successors *seen = part;
    const size_t actions = (size_t)learner->problem.actions;
    if (!lgkt_learner_resize(learner, &seen->rows, (size_t)before * actions,
                             (size_t)after * actions, sizeof *seen->rows))
        return false;
    for (size_t z = (size_t)before * actions; z < (size_t)after * actions; z++)
        seen->rows[z].first = -1;
    const int32_t per_row = (after - 1) / width_of(seen) + 1;
    const double most = (double)after * (double)actions * (double)per_row;
    seen->most = most < MAX_ITEMS ? (int64_t)most : MAX_ITEMS;
    if (learner->grows)
        return true;
    int64_t capacity =
        learner->problem.horizon < seen->most ? learner->problem.horizon : seen->most;
    const int64_t few = FEW_ITEMS + FEW_PER_ROW * (int64_t)after * (int64_t)actions;
    if (learner->saved && few < capacity)
        capacity = few;
    return reserve(learner, seen, capacity);
}

static void release(lgkt_learner *learner, void *part)
{
    const lgkt_successors *seen = part;
    lgkt_learner_free(learner, seen->rows);
    lgkt_learner_free(learner, seen->items);
    lgkt_learner_free(learner, seen->beside);
}

void lgkt_successors_clear(lgkt_learner *learner, lgkt_successors *seen)
{
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    for (size_t z = 0; z < pairs; z++)
        seen->rows[z] = (lgkt_seen_row){.first = -1};
    seen->used = 0;
}

bool lgkt_successors_prepare(lgkt_learner *learner, void *counts)
{
    lgkt_successors *seen = counts;
    const bool full = seen->used == seen->most && seen->most < MAX_ITEMS;
    const int64_t soon = seen->used + 2 < seen->most ? seen->used + 2 : seen->most;
    return full || (seen->used < seen->most && soon <= seen->capacity) || extend(learner, seen);
}

// ---- items ----

// one successor in an item, and the link to the next item
typedef struct place {
    double *count;
    int32_t *next, *other;
} place;

static place place_at(const lgkt_successors *seen, int32_t item, int64_t at)
{
    if (!seen->in_blocks) {
        lgkt_edge *edge = &lgkt_successors_edges(seen)[item];
        return (place){&edge->count, &edge->next, &edge->other};
    }
    lgkt_block *block = &lgkt_successors_blocks(seen)[item];
    return (place){&block->count[at], &block->next[at], &block->other};
}

// the next item of the pool, which has room, empty
static int32_t take(lgkt_successors *seen)
{
    const int32_t item = (int32_t)seen->used++;
    for (int at = 0; at < width_of(seen); at++) {
        const place here = place_at(seen, item, at);
        *here.count = 0;
        *here.next = *here.other = -1;
    }
    return item;
}

double *lgkt_successors_new(lgkt_learner *learner, lgkt_successors *seen, lgkt_seen_row *row,
                            int32_t next_state)
{
    // an edge goes before the others, a successor in a block behind them
    int32_t item = seen->in_blocks ? row->first : -1;
    while (item >= 0 && *place_at(seen, item, 0).other >= 0)
        item = *place_at(seen, item, 0).other;
    if (item < 0 || *place_at(seen, item, width_of(seen) - 1).next >= 0) {
        if (seen->used == seen->capacity && !extend(learner, seen))
            return NULL;
        const int32_t taken = take(seen);
        if (!seen->in_blocks)
            *place_at(seen, taken, 0).other = row->first;
        *(item < 0 ? &row->first : place_at(seen, item, 0).other) = taken;
        item = taken;
    }
    int at = 0;
    while (*place_at(seen, item, at).next >= 0)
        at++;
    *place_at(seen, item, at).next = next_state;
    return place_at(seen, item, at).count;
}

lgkt_status lgkt_successors_add_edge(lgkt_learner *learner, lgkt_successors *seen, size_t z,
                                     double reward, int32_t next_state, bool ended)
{
    lgkt_seen_row *row = &seen->rows[z];
    if (!ended) {
        lgkt_edge *edges = lgkt_successors_edges(seen);
        int32_t e = row->first;
        while (e >= 0 && edges[e].next != next_state)
            e = edges[e].other;
        double *count =
            e >= 0 ? &edges[e].count : lgkt_successors_new(learner, seen, row, next_state);
        if (count == NULL)
            return lgkt_fail_memory(&learner->refusal, "a transition");
        *count += 1;
        row->moves += 1;
    }
    row->n += 1;
    row->reward += reward;
    return LGKT_OK;
}

// ---- reasons ----

void lgkt_successors_explain(const lgkt_successors *seen, int32_t state, int32_t actions,
                             double base, double unit, lgkt_reason *reasons)
{
    const lgkt_seen_row *row = seen->rows + (size_t)state * (size_t)actions;
    for (int32_t a = 0; a < actions; a++) {
        reasons[a].visits = row[a].n;
        if (row[a].n > 0)
            reasons[a].mean_reward = base + unit * (row[a].reward / row[a].n);
    }
}

double lgkt_successors_mean(const lgkt_successors *seen, size_t z, const double *values,
                            size_t stride)
{
    const lgkt_seen_row *row = &seen->rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(seen);
    double sum = 0;
    for (int32_t e = row->first; e >= 0; e = edges[e].other)
        sum += edges[e].count * values[(size_t)edges[e].next * stride];
    return row->moves > 0 ? sum / row->moves : NAN;
}

// ---- saving ----

static void visit_count(lgkt_archive *archive, double *count, int64_t lo, int64_t hi)
{
    int64_t whole = (int64_t)*count;
    lgkt_visit_i64(archive, &whole, 1, lo, hi);
    if (archive->mode == LGKT_ARCHIVE_LOAD)
        *count = (double)whole;
}

// The successors of row z in the order of their chain. Loading rebuilds it in the same order, and
// has marks (S): the last row, + 1, that leads to a state.
static void visit_chain(lgkt_learner *learner, lgkt_successors *seen, size_t z, size_t *marks,
                        lgkt_archive *archive)
{
    lgkt_seen_row *row = &seen->rows[z];
    int64_t length = 0, left = (int64_t)row->moves;
    for (int32_t i = row->first; i >= 0; i = *place_at(seen, i, 0).other)
        for (int at = 0; at < width_of(seen); at++)
            length += *place_at(seen, i, at).next >= 0;
    lgkt_visit_i64(archive, &length, 1, 0, learner->problem.states);
    int32_t *link = &row->first, item = -1;
    for (int64_t i = 0; i < length && !archive->bad; i++) {
        const int64_t at = i % width_of(seen);
        if (at == 0 && marks != NULL) {
            archive->bad = seen->used == seen->capacity;
            if (archive->bad)
                return;
            *link = take(seen);
        }
        item = at == 0 ? *link : item;
        const place here = place_at(seen, item, at);
        link = here.other;
        lgkt_visit_i32(archive, here.next, 1, 0, learner->problem.states - 1);
        visit_count(archive, here.count, 1, left);
        left -= (int64_t)*here.count;
        if (marks == NULL || archive->bad)
            continue;
        // a row leads to a state once
        archive->bad = marks[*here.next] == z + 1;
        marks[*here.next] = z + 1;
    }
    archive->bad |= marks != NULL && left != 0;
}

static void visit(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    lgkt_successors *seen = part;
    const size_t states = (size_t)learner->problem.states;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int64_t used = seen->used, left = MAX_VISITS;
    size_t *marks = NULL;
    lgkt_visit_i64(archive, &used, 1, 0, MAX_ITEMS);
    // each item takes at least 16 bytes of what is still to be read
    if (loads && !archive->bad)
        archive->bad = (uint64_t)used > (archive->capacity - archive->at) / 16;
    if (loads && !archive->bad) {
        if (reserve(learner, seen, used))
            marks = lgkt_alloc_zeroed(&learner->allocator, states, sizeof *marks);
        if (marks == NULL)
            lgkt_archive_starve(archive);
    }
    for (size_t z = 0; z < states * (size_t)learner->problem.actions && !archive->bad; z++) {
        lgkt_seen_row *row = &seen->rows[z];
        lgkt_visit_f64(archive, &row->reward, 1);
        visit_count(archive, &row->n, 0, left);
        left -= loads ? (int64_t)row->n : 0;
        visit_count(archive, &row->moves, 0, (int64_t)row->n);
        visit_chain(learner, seen, z, marks, archive);
    }
    // visits, too, are ahead of the clock by what was fed
    if (loads && MAX_VISITS - left > archive->highest)
        archive->highest = MAX_VISITS - left;
    lgkt_free(&learner->allocator, marks);
}

// a row has its reward, visits and moves, and the length of its chain
const lgkt_part lgkt_successors_part = {.pair_words = 4,
                                        .grow = grow,
                                        .prepare = lgkt_successors_prepare,
                                        .release = release,
                                        .visit = visit};
