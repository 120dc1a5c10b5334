// SPDX-License-Identifier: MIT
// How vectors of numbers are seen as few states (keyed.h).
#ifndef LGKT_VIEW_H
#define LGKT_VIEW_H

#include "lgkt/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an entry of a vector is. This version knows numbers only.
typedef enum lgkt_kind_type {
    LGKT_KIND_NUMBER,   ///< a number, seen by its bin
    LGKT_KIND_CATEGORY, ///< one of the categories 0 .. count - 1
    LGKT_KIND_GROWING   ///< a category that becomes known when it is first seen, `count` at most
} lgkt_kind_type;

typedef struct lgkt_kind {
    int32_t type;  ///< a lgkt_kind_type
    int32_t count; ///< of categories; 0 for a number
} lgkt_kind;

/// Each number of a vector is seen by the bin between edges that it falls into. An edge belongs to
/// the bin above it, infinities are in the end bins, -0.0 is 0.0.
typedef struct lgkt_view {
    int32_t dims;        ///< numbers of a vector, 1 .. 64; 0 in a zero struct: there is no view
    const int32_t *cuts; ///< (dims) edges of each number, 0 .. 65535; n edges make n + 1 bins
    /// all edges, those of the first number first, finite and increasing for each number; NULL:
    /// quantiles of the first vectors, equal ones only once
    const double *edges;
    /// vectors that the quantiles come from, more than any of `cuts` and at most 2^24 / dims
    int64_t warmup;
    /// (dims) what each entry is; NULL: numbers all of them. Anything else is LGKT_ERR_UNSUPPORTED
    /// in this version.
    const lgkt_kind *kinds;
    uint64_t reserved[4]; ///< 0
} lgkt_view;

#ifdef __cplusplus
}
#endif
#endif
