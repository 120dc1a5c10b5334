// SPDX-License-Identifier: MIT
// How vectors of numbers are seen: as few states, or as records (keyed.h).
#ifndef LGKT_VIEW_H
#define LGKT_VIEW_H

#include "lgkt/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an entry of a vector is.
typedef enum lgkt_kind_type {
    LGKT_KIND_NUMBER,   ///< a number
    LGKT_KIND_CATEGORY, ///< one of the categories 0 .. count - 1
    LGKT_KIND_GROWING   ///< a category that becomes known when it is first seen, `count` at most
} lgkt_kind_type;

typedef struct lgkt_kind {
    int32_t type;  ///< a lgkt_kind_type
    int32_t count; ///< of categories, 1 .. 65536; 0 for a number
} lgkt_kind;

/// Records: `cuts` is NULL, and only dims (1 .. 256) and kinds are set. Numbers are finite,
/// categories whole numbers, and NaN stands for what is missing.
///
/// Bins: each number of a vector is seen by the bin between edges that it falls into. An edge belongs to
/// the bin above it, infinities are in the end bins, -0.0 is 0.0.
typedef struct lgkt_view {
    /// numbers of a vector, 1 .. 64, of a record 1 .. 256; 0 in a zero struct: there is no view
    int32_t dims;
    const int32_t
        *cuts; ///< NULL: records. (dims) edges of each number, 0 .. 65535; n edges make n + 1 bins
    /// all edges, those of the first number first, finite and increasing for each number; NULL:
    /// quantiles of the first vectors, equal ones only once
    const double *edges;
    /// vectors that the quantiles come from, more than any of `cuts` and at most 2^24 / dims
    int64_t warmup;
    /// (dims) what each entry is; NULL: numbers all of them. With bins anything else is
    /// LGKT_ERR_UNSUPPORTED.
    const lgkt_kind *kinds;
    uint64_t reserved[4]; ///< 0
} lgkt_view;

#ifdef __cplusplus
}
#endif
#endif
