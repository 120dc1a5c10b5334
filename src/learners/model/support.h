// SPDX-License-Identifier: MIT
// A row of an empirical model, gathered.
#pragma once

#include <stdint.h>

// value[i] is V of successor i.
typedef struct lgkt_support {
    int32_t n;     // successors
    double *p;     // (n), their shares
    double *value; // (n); lgkt_max_l1 reorders both arrays
} lgkt_support;
