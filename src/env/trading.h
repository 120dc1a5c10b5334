// SPDX-License-Identifier: MIT
// The inside of trading, for its tests. See trading.c.
#pragma once

#include "env/env_private.h"

enum { LGKT_SELL, LGKT_BUY, LGKT_TRADING_ACTIONS };
enum { LGKT_SHORT, LGKT_LONG };
enum { LGKT_SIDE_RIGHT, LGKT_SIDE_LEFT };

// What is seen of one tick.
typedef struct lgkt_quote {
    float price;
    float change; // since the tick before, differenced in double
} lgkt_quote;

typedef struct lgkt_market {
    lgkt_quote *quote; // (ticks)
    int32_t *state; // (ticks) the number of the window that ends here, where it is acted in or seen
    double *record; // (ticks, dims) what is seen of each tick with view=record; else NULL
    int32_t dims;
    int32_t ticks;  // N
    int32_t window; // W
    int side;
    bool single; // float arithmetic, as under NumPy 2
    bool kept;   // the end of a pass is not told: its last window is what a learner observes
} lgkt_market;

// One pass through the frame, which is all that a run keeps. The totals start anew with each pass.
typedef struct lgkt_session {
    int32_t tick;
    int32_t last; // tick of the last trade
    int32_t position;
    bool cut;            // the pass before has just ended
    double total_reward; // in pips
    double total_profit; // factor on the capital, fees included
} lgkt_session;

lgkt_session lgkt_session_start(const lgkt_market *market);
// Plays one action, returns the reward and sets *truncated at the end of the frame.
double lgkt_session_step(const lgkt_market *market, lgkt_session *session, int32_t action,
                         bool *truncated);

// The window that ends at a tick: 2 W floats, price and change of each tick.
static inline const lgkt_quote *lgkt_market_window(const lgkt_market *market, int32_t tick)
{
    return &market->quote[tick - market->window + 1];
}
