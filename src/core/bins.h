// SPDX-License-Identifier: MIT
// Vectors of numbers as few states: each number falls into a bin between edges. See bins.c.
#pragma once

#include "core/archive.h"
#include "lgkt/view.h"

// Most numbers of a vector, edges of a number, and numbers that quantiles come from.
#define LGKT_BINS_DIMS   64
#define LGKT_BINS_CUTS   65535
#define LGKT_BINS_SAMPLE (1 << 24)
#define LGKT_BINS_KEY    (2 * LGKT_BINS_DIMS) // bytes of the longest key

// Heapsort (Williams, "Algorithm 232", 1964) of numbers without NaN: qsort may take as much memory
// again, and what it does with 0 and -0 is up to the C library.
void lgkt_sort(double *x, int64_t n);

typedef struct lgkt_bins {
    int32_t dims;
    int64_t warmup; // vectors that the edges will come from; 0: they are there
    int64_t seen;   // of these so far
    double *sample; // (dims, warmup) what was seen; behind the edges
    // (dims) edges of each number; while they are to come, how many at most
    int32_t cuts[LGKT_BINS_DIMS];
    double edges[]; // (sum of cuts) those of the first number first, increasing for each
} lgkt_bins;

// What the view says; warmup is read where it has no edges. LGKT_ERR_CONFIG says what is wrong. One
// block, which the caller frees.
lgkt_status lgkt_bins_create(const lgkt_view *view, const lgkt_allocator *allocator,
                             lgkt_bins **bins, lgkt_error *error);

// The place of the first NaN in a vector, or -1. What follows takes vectors without.
int32_t lgkt_bins_nan(const lgkt_bins *bins, const double *values);
// The vector as bytes, two for each number; returns how many. None while edges are to come.
size_t lgkt_bins_key(const lgkt_bins *bins, const double *values, unsigned char key[LGKT_BINS_KEY]);
// The vector as a number from 0 on; the last number of the vector changes fastest. How many there
// are, or more than `limit` if they are that many.
int32_t lgkt_bins_number(const lgkt_bins *bins, const double *values);
int64_t lgkt_bins_count(const lgkt_bins *bins, int64_t limit);
// Takes a vector into the sample; with the last one the edges are there. Allocates nothing.
void lgkt_bins_note(lgkt_bins *bins, const double *values);

// Visits the whole of it. Loading makes *bins, which is then NULL before, and NULL after if the
// archive turned bad.
void lgkt_bins_visit(lgkt_bins **bins, lgkt_archive *archive, const lgkt_allocator *allocator);
