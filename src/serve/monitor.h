// SPDX-License-Identifier: MIT
// Fidelity: whether what happens is what was meant, over the last 1000 and 10000 decisions.
//
// Each window is ten blocks and the one that is being filled; so it has between 10/11 of its length
// and all of it. Answer of MONITOR:
//
//     {"light": "green", "decisions": n, "checks": [{"check", "light", "window", "value", "limit": [yellow, red],
//      "action"?, "text"}, ..], "actions": [{"action", "decisions", "drawn", "expected", "z", "rewards", "missing",
//      "mean_reward", "reward_sd", "delays"}], "worth": {"rewards", "mean_reward", "mean_se", "fallback_reward",
//      "fallback_se"}, "series": [{"window", "blocks": [{"from", "decisions": [..], as "worth"}]}]}
//
// `delays` counts the rewards that came within a minute, an hour, a day, a week, or later; `worth` and
// `blocks` are of the rewards that came meanwhile, and the fallback's is estimated from them (monitor.c).
#pragma once

#include <jansson.h>

#include "core/archive.h"
#include "serve/programme.h"

enum { SRV_WINDOWS = 2, SRV_BLOCKS = 11, SRV_DELAYS = 5 };

// of one action within a block
typedef struct srv_tally {
    double count, expected, variance; // of what was drawn here: plays, sums of p and of p (1 - p)
    double all;                       // plays, also those of others
    double rewards, missing, sum, squares; // of decisions whose reward came, or never will
    double delay[SRV_DELAYS];              // rewards that came after so long
} srv_tally;

// sums over the rewards r that came, w being the weight of each: the probability of its action by
// the fallback over that by which it was taken; without those whose weight is not known
typedef struct srv_worth {
    double count, r, rr, w, wr, ww, wwr, wwrr;
} srv_worth;

typedef struct srv_block {
    double decisions, fallback, not_executed, out_of_range, entropy, laws, learned, ended;
    srv_worth worth;
} srv_block;

// a reward, with what is known of its decision
typedef struct srv_payment {
    int32_t action;
    double reward;
    double expected; // the mean reward of its pair; NaN: not known
    double weight;   // NaN: not known
    int64_t delay;   // microseconds
} srv_payment;

typedef struct srv_monitor {
    srv_block block[SRV_WINDOWS][SRV_BLOCKS];
    srv_tally *tally;        // (SRV_WINDOWS, SRV_BLOCKS, actions) owned
    int64_t at[SRV_WINDOWS]; // blocks begun, the first included
    double last_reward;
    int64_t alike; // rewards in a row that are the last one
    // Page-Hinkley on rewards less what was expected, in standard deviations
    double mean, square, count, up, up_least, down, down_least;
    int64_t alarms, alarm_at;
} srv_monitor;

bool srv_monitor_create(srv_monitor *monitor, int32_t actions, const lgkt_allocator *allocator);
void srv_monitor_release(srv_monitor *monitor, const lgkt_allocator *allocator);

// A decision was made.
void srv_monitor_decision(srv_monitor *monitor, const srv_programme *programme,
                          const srv_record *record, int64_t number);
void srv_monitor_reward(srv_monitor *monitor, const srv_programme *programme,
                        const srv_payment *payment, int64_t number);
void srv_monitor_not_executed(srv_monitor *monitor);
// A decision is too old for reports: whether its reward came, and whether the learner learned it.
void srv_monitor_close(srv_monitor *monitor, int32_t actions, int32_t action, double reward,
                       bool rewarded, bool executed);
// A check as a number: of several actions the worst one.
typedef struct srv_light {
    const char *check; // its name
    int64_t window;    // decisions; 0: none
    double value;
    int light; // 0 green, 1 yellow, 2 red
} srv_light;
enum { SRV_LIGHTS = 24 };
// Returns how many there are.
int srv_monitor_lights(const srv_monitor *monitor, const srv_programme *programme, int64_t made,
                       srv_light lights[SRV_LIGHTS]);
json_t *srv_monitor_json(const srv_monitor *monitor, const srv_programme *programme, int64_t made);
// Adds to an answer of MONITOR what the machine does not know: how long commits take, and whether the
// clock went back.
void srv_monitor_add_commits(json_t **answer, int64_t commits, double p50, double p99,
                             int64_t clock_back);
void srv_monitor_visit(srv_monitor *monitor, int32_t actions, lgkt_archive *archive);
