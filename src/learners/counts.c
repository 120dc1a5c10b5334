// SPDX-License-Identifier: MIT
// The tallies and the pool of edges of counts.h.

#include "learners/counts.h"

#include "core/alloc.h"

bool lgkt_counts_grow(lgkt_learner *learner, lgkt_counts *counts, int32_t before, int32_t after)
{
    const size_t actions = (size_t)learner->problem.actions;
    LGKT_RESIZE(learner, counts->pairs, (size_t)before * actions, (size_t)after * actions, out);
    for (size_t z = (size_t)before * actions; z < (size_t)after * actions; z++)
        counts->pairs[z].first = -1;
    counts->pool.size = sizeof(lgkt_edge);
    return lgkt_row_pool_grow(learner, &counts->pool, after, after);
out:
    return false;
}

void lgkt_counts_release(lgkt_learner *learner, lgkt_counts *counts)
{
    lgkt_learner_free(learner, counts->pairs);
    lgkt_learner_free(learner, counts->pool.items);
}

static lgkt_edge *find_edge(const lgkt_counts *counts, const lgkt_tally *pair, int32_t next_state)
{
    lgkt_edge *edges = lgkt_counts_edges(counts);
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        if (edges[e].next == next_state)
            return &edges[e];
    return NULL;
}

bool lgkt_counts_prepare(lgkt_learner *learner, lgkt_counts *counts)
{
    return lgkt_row_pool_prepare(learner, &counts->pool);
}

// a new edge at the head of the pair's list, or NULL
static lgkt_edge *add_edge(lgkt_learner *learner, lgkt_counts *counts, lgkt_tally *pair,
                           int32_t next_state)
{
    const int32_t e = lgkt_row_pool_take(learner, &counts->pool);
    if (e < 0)
        return NULL;
    lgkt_edge *edge = &lgkt_counts_edges(counts)[e];
    *edge = (lgkt_edge){.next = next_state, .other = pair->first};
    pair->first = e;
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

// the edges of one pair in the order of its list; loading (with marks) rebuilds it in the same
// order
static void visit_edges(lgkt_learner *learner, lgkt_counts *counts, size_t z, size_t *marks,
                        lgkt_archive *archive)
{
    lgkt_tally *pair = &counts->pairs[z];
    lgkt_edge *edges = lgkt_counts_edges(counts);
    int64_t length = 0, left = pair->moves;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        length++;
    lgkt_visit_i64(archive, &length, 1, 0, learner->problem.states);
    int32_t *link = &pair->first;
    for (int64_t i = 0; i < length && !archive->bad; i++) {
        if (marks != NULL) {
            *link = lgkt_row_pool_load(&counts->pool, archive);
            if (archive->bad)
                return;
            edges[*link] = (lgkt_edge){.other = -1};
        }
        lgkt_edge *edge = &edges[*link];
        lgkt_visit_i32(archive, &edge->next, 1, 0, learner->problem.states - 1);
        lgkt_visit_i64(archive, &edge->count, 1, 1, left);
        left -= edge->count;
        link = &edge->other;
        if (marks != NULL)
            lgkt_row_pool_mark(archive, marks, z, edge->next);
    }
    archive->bad |= marks != NULL && left != 0;
}

void lgkt_counts_visit(lgkt_learner *learner, lgkt_counts *counts, lgkt_archive *archive)
{
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    size_t *marks = lgkt_row_pool_visit(learner, &counts->pool, archive);
    for (size_t z = 0; z < pairs && !archive->bad; z++) {
        lgkt_tally *pair = &counts->pairs[z];
        lgkt_visit_f64(archive, &pair->reward, 1);
        lgkt_visit_i64(archive, &pair->n, 1, 0, INT64_MAX / 4);
        lgkt_visit_i64(archive, &pair->moves, 1, 0, pair->n);
        visit_edges(learner, counts, z, marks, archive);
    }
    lgkt_free(&learner->allocator, marks);
}
