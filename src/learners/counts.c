// SPDX-License-Identifier: MIT
// The tallies and the pool of edges of counts.h.

#include "learners/counts.h"

#include "core/alloc.h"

// edges are numbered by int32_t
#define MAX_EDGES INT32_MAX

// how many edges there can be at most
static int64_t most_edges(const lgkt_learner *learner, int32_t states)
{
    const double dense = (double)states * (double)states * (double)learner->problem.actions;
    const double steps = (double)learner->problem.horizon;
    const double most = dense < steps ? dense : steps;
    return most < MAX_EDGES ? (int64_t)most : MAX_EDGES;
}

static bool grow_pool(lgkt_learner *learner, lgkt_counts *counts, int64_t capacity)
{
    if (capacity <= counts->capacity)
        return true;
    LGKT_RESIZE(learner, counts->edges, (size_t)counts->capacity, (size_t)capacity, out);
    counts->capacity = capacity;
    return true;
out:
    return false;
}

bool lgkt_counts_grow(lgkt_learner *learner, lgkt_counts *counts, int32_t before, int32_t after)
{
    const size_t actions = (size_t)learner->problem.actions;
    LGKT_RESIZE(learner, counts->pairs, (size_t)before * actions, (size_t)after * actions, out);
    for (size_t z = (size_t)before * actions; z < (size_t)after * actions; z++)
        counts->pairs[z].first = -1;
    return learner->grows || grow_pool(learner, counts, most_edges(learner, after));
out:
    return false;
}

void lgkt_counts_release(lgkt_learner *learner, lgkt_counts *counts)
{
    lgkt_learner_free(learner, counts->pairs);
    lgkt_learner_free(learner, counts->edges);
}

static lgkt_edge *find_edge(const lgkt_counts *counts, const lgkt_tally *pair, int32_t next_state)
{
    for (int32_t e = pair->first; e >= 0; e = counts->edges[e].other)
        if (counts->edges[e].next == next_state)
            return &counts->edges[e];
    return NULL;
}

bool lgkt_counts_prepare(lgkt_learner *learner, lgkt_counts *counts)
{
    if (counts->used < counts->capacity)
        return true;
    if (counts->used == MAX_EDGES)
        return false;
    const int64_t more = counts->capacity > MAX_EDGES / 2 ? MAX_EDGES : 2 * counts->capacity + 16;
    return grow_pool(learner, counts, more);
}

// a new edge at the head of the pair's list, or NULL
static lgkt_edge *add_edge(lgkt_learner *learner, lgkt_counts *counts, lgkt_tally *pair,
                           int32_t next_state)
{
    if (!lgkt_counts_prepare(learner, counts))
        return NULL;
    lgkt_edge *edge = &counts->edges[counts->used];
    *edge = (lgkt_edge){.next = next_state, .other = pair->first};
    pair->first = (int32_t)counts->used++;
    return edge;
}

bool lgkt_counts_add(lgkt_learner *learner, lgkt_counts *counts, double reward, int32_t next_state,
                     bool ended)
{
    const size_t row = (size_t)learner->state * (size_t)learner->problem.actions;
    lgkt_tally *pair = &counts->pairs[row + (size_t)learner->action];
    if (!ended) {
        lgkt_edge *edge = find_edge(counts, pair, next_state);
        if (edge == NULL)
            edge = add_edge(learner, counts, pair, next_state);
        if (edge == NULL)
            return false;
        edge->count++;
        pair->moves++;
    }
    pair->n++;
    pair->reward += reward;
    return true;
}

// ---- saving ----

// the edges of one pair in the order of its list; loading rebuilds the list in the same order, in a
// pool that has room for all. Loading also has marks (S): the last pair, + 1, that leads there.
static void visit_edges(lgkt_learner *learner, lgkt_counts *counts, size_t z, size_t *marks,
                        lgkt_archive *archive)
{
    lgkt_tally *pair = &counts->pairs[z];
    int64_t length = 0, left = pair->moves;
    for (int32_t e = pair->first; e >= 0; e = counts->edges[e].other)
        length++;
    lgkt_visit_i64(archive, &length, 1, 0, learner->problem.states);
    int32_t *link = &pair->first;
    for (int64_t i = 0; i < length && !archive->bad; i++) {
        if (marks != NULL) {
            archive->bad = counts->used == counts->capacity;
            if (archive->bad)
                return;
            counts->edges[counts->used] = (lgkt_edge){.other = -1};
            *link = (int32_t)counts->used++;
        }
        lgkt_edge *edge = &counts->edges[*link];
        lgkt_visit_i32(archive, &edge->next, 1, 0, learner->problem.states - 1);
        lgkt_visit_i64(archive, &edge->count, 1, 1, left);
        left -= edge->count;
        link = &edge->other;
        if (marks == NULL)
            continue;
        // one edge to each state
        archive->bad |= marks[edge->next] == z + 1;
        marks[edge->next] = z + 1;
    }
    archive->bad |= marks != NULL && left != 0;
}

// room for all edges before the first is loaded; false if that cannot be
static bool make_room(lgkt_learner *learner, lgkt_counts *counts, lgkt_archive *archive)
{
    int64_t used = counts->used;
    lgkt_visit_i64(archive, &used, 1, 0, MAX_EDGES);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return true;
    // each edge takes 16 bytes of what is still to be read
    archive->bad = (uint64_t)used > (archive->capacity - archive->at) / 16;
    if (!archive->bad && !grow_pool(learner, counts, used))
        lgkt_archive_starve(archive);
    return !archive->bad;
}

void lgkt_counts_visit(lgkt_learner *learner, lgkt_counts *counts, lgkt_archive *archive)
{
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    if (!make_room(learner, counts, archive))
        return;
    size_t *marks = NULL;
    if (archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad) {
        marks =
            lgkt_alloc_zeroed(&learner->allocator, (size_t)learner->problem.states, sizeof *marks);
        if (marks == NULL)
            lgkt_archive_starve(archive);
    }
    for (size_t z = 0; z < pairs && !archive->bad; z++) {
        lgkt_tally *pair = &counts->pairs[z];
        lgkt_visit_f64(archive, &pair->reward, 1);
        lgkt_visit_i64(archive, &pair->n, 1, 0, INT64_MAX / 4);
        lgkt_visit_i64(archive, &pair->moves, 1, 0, pair->n);
        visit_edges(learner, counts, z, marks, archive);
    }
    lgkt_free(&learner->allocator, marks);
}
