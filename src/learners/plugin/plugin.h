// SPDX-License-Identifier: MIT
// The state of the plug-in lookahead learner, for plugin.c, which says what it means,
// plugin_choice.c and tests.
#pragma once

#include "learners/model/successors.h"
#include "learners/model/widths.h"

// depths of V that are computed at a time
#define LGKT_LANES 4

// positions in the choice list of `untried`
enum { LGKT_PLUGIN_FIRST, LGKT_PLUGIN_LAST, LGKT_PLUGIN_SHARE, LGKT_PLUGIN_HORIZON };

// where thresholds come from
typedef enum lgkt_plugin_threshold {
    LGKT_PLUGIN_CONSTANT,
    LGKT_PLUGIN_ASPIRE,
    LGKT_PLUGIN_NONE,
    LGKT_PLUGIN_GIVEN // a table or a function
} lgkt_plugin_threshold;

// One field per parameter; names differ from the parameters' only by _ for -. The texts are read at
// creation.
typedef struct lgkt_plugin_settings {
    const char *k;         // a depth, or "auto"
    const char *threshold; // a number, "aspire" or "none"
    const char *scale;     // a number, or "seen"
    int64_t k_max;         // of k=auto
    int64_t refresh;       // actions brought up to date at each visit besides the one played
    double aspiration;     // c of threshold=aspire
    double share;          // of untried=share
    double width;
    int index, untried;
} lgkt_plugin_settings;

// what a choice looks at
typedef enum lgkt_plugin_part { LGKT_PLUGIN_VALUE, LGKT_PLUGIN_W, LGKT_PLUGIN_B } lgkt_plugin_part;
typedef struct lgkt_plugin_key {
    double part[3]; // Q_K, or -infinity where never tried; w(n); b(n)
} lgkt_plugin_key;

typedef struct lgkt_plugin_state {
    int64_t visits;
    int32_t tried; // actions that were
    int32_t turn;  // the action that was last brought up to date in turn
} lgkt_plugin_state;

// the rewards of all steps seen so far
typedef struct lgkt_plugin_seen {
    int64_t count;
    double mean;
    double squares;       // sum of squared distances to the mean
    double rhobar, sigma; // mean and standard deviation when they were last taken
} lgkt_plugin_seen;

typedef struct lgkt_plugin {
    lgkt_widths *widths;
    lgkt_successors rows;
    lgkt_plugin_state *states; // (S)
    lgkt_plugin_key *keys;     // (S, A)
    double *q;                 // (S, A, lanes + 1), Q_1, Q_2, ..; -infinity where never tried
    double *v;                 // (1 + S, lanes), V_1, V_2, ..; row 0 is for unused places, and 0
    size_t lanes;              // depths of V: K - 1 or more, a multiple of four
    int64_t depths;            // of Q: lanes + 1
    int64_t v_depths;          // lanes, but at least 1
    double untried;            // what was never tried is worth less than all: -infinity
    lgkt_plugin_seen seen;
    int64_t k;       // depth K at hand
    int64_t tried;   // pairs that were
    int64_t firsts;  // steps that tried an action for the first time
    int64_t settled; // steps whose action cleared the threshold

    lgkt_plugin_settings set; // its texts are gone
    lgkt_plugin_threshold threshold;
    double gamma; // of a constant threshold
    double scale; // NaN: the spread of what was seen
    bool deepens; // k=auto
} lgkt_plugin;

// depth of k=auto at the start
#define LGKT_PLUGIN_FIRST_DEPTH 3

// Whether an action is worth a try: its value has mean m and an exponential tail of spread tau, the
// best known one is worth `best`, and there are so many visits in which a better one would serve.
bool lgkt_plugin_pays(double m, double tau, double best, double visits);

// ---- plugin_choice.c, as in the class ----

int32_t lgkt_plugin_act(lgkt_learner *learner, int32_t state);
int32_t lgkt_plugin_act_among(lgkt_learner *learner, int32_t state);
bool lgkt_plugin_explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons);
