// SPDX-License-Identifier: MIT
// The inside of the store with continuous stock, for its tests. See stock.c.
#ifndef LGKT_ENV_STOCK_H
#define LGKT_ENV_STOCK_H

#include "env/coarse.h"

enum { LGKT_STOCK_DIMS = 2 };

typedef struct lgkt_store {
    double capacity, lot;
    double mean, spread, memory; // of the demand
    double holding, shortage, order;
    lgkt_bins *bins;
} lgkt_store;

// What is shown first, then what is behind the demand.
typedef struct lgkt_shelf {
    double stock, demand;
    double mood; // standard normal in the long run
} lgkt_shelf;

#endif
