// SPDX-License-Identifier: MIT
// lgkt_bench_units: what the front for units (units.h) adds to a decision.
//
// The same learner on the same states and rewards, alone (act, observe) and behind the front (act,
// reward, next), in turns; of all pieces of 10000 decisions the best counts, since whatever
// disturbs a measurement makes it longer. Units act in turn, in another order than they came in,
// and what came of a decision is reported `lag` decisions later: before the unit's next act where
// there are more units than that, else long after it.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lgkt/lgkt.h"

enum { STATES = 10, ACTIONS = 5, STEPS = 400000, PIECE = 10000, ROUNDS = 10 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void check(lgkt_status status, const char *message)
{
    if (status == LGKT_OK)
        return;
    fprintf(stderr, "lgkt_bench_units: %s\n", message);
    exit(1);
}

// where decision i is made, and what it earns
static int32_t state_of(int64_t i)
{
    return (int32_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 40) % STATES;
}

static double reward_of(int64_t i)
{
    return (double)((uint64_t)i * UINT64_C(0xd1342543de82ef95) >> 54) / 1024;
}

static lgkt_learner_config config_of(void)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = STATES;
    config.problem.actions = ACTIONS;
    config.problem.horizon = STEPS;
    return config;
}

// the time of the shortest piece so far, per decision
typedef struct watch {
    double start, best;
} watch;

static void look(watch *w, int64_t i)
{
    if (i % PIECE != 0)
        return;
    const double at = now(), time = (at - w->start) / PIECE;
    if (i > 0 && time < w->best)
        w->best = time;
    w->start = at;
}

static void time_plain(const char *spec, watch *w)
{
    const lgkt_learner_config config = config_of();
    lgkt_learner *learner = NULL;
    lgkt_error error;
    check(lgkt_learner_create(spec, &config, &learner, &error), error.text);
    for (int64_t i = 0; i < STEPS; i++) {
        int32_t action;
        look(w, i);
        lgkt_status status = lgkt_learner_act(learner, state_of(i), NULL, &action);
        if (status == LGKT_OK)
            status = lgkt_learner_observe(learner, reward_of(i), state_of(i + 1), true);
        check(status, lgkt_learner_message(learner));
    }
    lgkt_learner_destroy(learner);
}

static void time_units(const char *spec, int32_t count, int64_t lag, watch *w)
{
    const lgkt_learner_config config = config_of();
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = count;
    lgkt_units *units = NULL;
    lgkt_error error;
    check(lgkt_units_create(spec, &config, &set, &units, &error), error.text);
    for (int64_t i = 0; i < STEPS; i++) {
        int64_t decision;
        int32_t action;
        // when all units are there, and reports on what they do since
        const int64_t ready = 2 * (int64_t)count + lag;
        if (i >= ready)
            look(w, i - ready);
        // not in the order in which they came, so that memory is not read in order
        const uint64_t id = (uint64_t)(i < count ? i : i * 7919 % count) * 1000003;
        lgkt_status status = lgkt_units_act(units, id, state_of(i), NULL, &decision, &action);
        const int64_t late = decision - lag;
        if (status == LGKT_OK && late >= count)
            status = lgkt_units_reward(units, late, reward_of(late));
        if (status == LGKT_OK && late >= count)
            status = lgkt_units_next(units, late, state_of(late + count), false);
        check(status, lgkt_units_message(units));
    }
    lgkt_units_destroy(units);
}

int main(void)
{
    static const char *const specs[] = {"lg1t", "random"};
    static const struct {
        int32_t units;
        int64_t lag;
    } cases[] = {{1, 0}, {1000, 900}, {1000, 4000}, {100000, 4000}, {100000, 60000}};
    enum { CASES = sizeof cases / sizeof *cases };
    printf("%-8s %8s %8s %10s %10s %10s\n", "learner", "units", "lag", "plain ns", "units ns",
           "added ns");
    for (int s = 0; s < 2; s++) {
        watch plain = {0, 1e30}, own[CASES];
        for (int c = 0; c < CASES; c++)
            own[c] = plain;
        for (int round = 0; round < ROUNDS; round++) {
            time_plain(specs[s], &plain);
            for (int c = 0; c < CASES; c++)
                time_units(specs[s], cases[c].units, cases[c].lag, &own[c]);
        }
        for (int c = 0; c < CASES; c++)
            printf("%-8s %8d %8lld %10.1f %10.1f %10.1f\n", specs[s], cases[c].units,
                   (long long)cases[c].lag, plain.best, own[c].best, own[c].best - plain.best);
    }
    return 0;
}
