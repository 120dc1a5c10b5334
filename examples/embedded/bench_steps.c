// SPDX-License-Identifier: MIT
// bench_steps memory STATES ACTIONS HORIZON [LEARNER..]
// bench_steps steps STATES ACTIONS STEPS [LEARNER..]
//
// For small machines: how much memory a learner takes, and what its steps cost, the mean, the 99.99%
// quantile and the longest. A step is act and observe. scripts/sizes runs this on the host, where
// cost is in nanoseconds, and on a Cortex-M4 under QEMU, where it is in instructions, which are the
// same in every run. Without names it takes all learners but those that need a model.
//
// The world is the same for all: from each pair three moves with probabilities 1/2, 1/4 and 1/4, and
// rewards of -1 to 2 about a mean in 0 to 1. It is made of whole numbers, so that it costs little and
// has no table.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lgkt/lgkt.h>

#include "board.h"
#include "pool.h"

#ifndef POOL_BYTES
#define POOL_BYTES (64 << 20)
#endif
enum { SEED = 7, LINE = 300 };

static _Alignas(max_align_t) unsigned char memory[POOL_BYTES];

// ---- costs: 32 cells for each power of two, so that a quantile is 3% too high at most ----

enum { CELLS = 32, POWERS = 40 };

typedef struct costs {
    uint32_t cells[POWERS * CELLS];
    uint64_t count, sum, most;
} costs;

static void add_cost(costs *c, uint64_t cost)
{
    int power = 0;
    while (power < POWERS - 1 && cost >> power >= 2 * CELLS)
        power++;
    const uint64_t cell = cost >> power;
    // below 64 each number has a cell of its own; above, cells 32 to 63 of each power are used
    c->cells[power == 0 ? cell : (uint64_t)(power + 1) * CELLS + cell - CELLS]++;
    c->count++;
    c->sum += cost;
    c->most = cost > c->most ? cost : c->most;
}

// the least number that at most count/rest costs are above
static uint64_t quantile(const costs *c, uint64_t rest)
{
    uint64_t above = c->count / rest;
    int i = POWERS * CELLS - 1;
    while (i > 0 && c->cells[i] <= above)
        above -= c->cells[i--];
    const int power = i < 2 * CELLS ? 0 : i / CELLS - 1;
    const uint64_t cell = i < 2 * CELLS ? (uint64_t)i : (uint64_t)(i % CELLS + CELLS);
    const uint64_t end = ((cell + 1) << power) - 1;
    return end < c->most ? end : c->most;
}

// ---- the world ----

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int32_t move(int64_t t, int32_t state, int32_t action, int32_t states, double *reward)
{
    const uint64_t draw = mix((uint64_t)t);
    const uint64_t which = (draw & 3) < 2 ? 0 : (draw & 3) - 1;
    const uint64_t pair = mix(((uint64_t)(uint32_t)state << 32) + (uint64_t)(uint32_t)action);
    *reward = (double)(pair >> 54) / 1024 + (double)(int64_t)(draw >> 54) / 512 - 1;
    return (int32_t)(mix(pair + which) % (uint64_t)states);
}

// What looking at the clock costs by itself, twice.
static uint64_t cost_of_clock(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        const uint64_t begin = board_ticks(), cost = board_ticks() - begin;
        least = cost < least ? cost : least;
    }
    return 2 * least;
}

// ---- one learner ----

typedef struct request {
    bool steps; // else memory
    int32_t states, actions;
    int64_t horizon;
} request;

static int64_t sweeps_of(const lgkt_learner *learner, int32_t at)
{
    lgkt_counter counters[32];
    lgkt_learner_counters(learner, counters, 32);
    return counters[at].value;
}

// The number of the counter of sweeps; -1: there is none.
static int32_t find_sweeps(const lgkt_learner *learner)
{
    lgkt_counter counters[32];
    const int32_t count = lgkt_learner_counters(learner, counters, 32);
    for (int32_t i = 0; i < count && i < 32; i++)
        if (strcmp(counters[i].name, "sweeps") == 0)
            return i;
    return -1;
}

static lgkt_status play(lgkt_learner *learner, const request *asked, costs *c, int64_t *most_sweeps)
{
    const int32_t counter = find_sweeps(learner);
    const uint64_t clock = cost_of_clock();
    int64_t sweeps = 0;
    int32_t state = 0;
    for (int64_t t = 0; t < asked->horizon; t++) {
        int32_t action = 0;
        double reward;
        const uint64_t begin = board_ticks();
        lgkt_status status = lgkt_learner_act(learner, state, NULL, &action);
        uint64_t cost = board_ticks() - begin;
        const int32_t next = move(t, state, action, asked->states, &reward);
        const uint64_t again = board_ticks();
        if (status == LGKT_OK)
            status = lgkt_learner_observe(learner, reward, next, false);
        cost += board_ticks() - again;
        if (status != LGKT_OK)
            return status;
        add_cost(c, cost > clock ? cost - clock : 0);
        state = next;
        if (counter < 0)
            continue;
        const int64_t now = sweeps_of(learner, counter);
        *most_sweeps = now - sweeps > *most_sweeps ? now - sweeps : *most_sweeps;
        sweeps = now;
    }
    return LGKT_OK;
}

static int measure(const char *name, const request *asked)
{
    static costs c;
    pool p;
    lgkt_error error = {0};
    lgkt_learner *learner = NULL;
    char line[LINE];
    int64_t sweeps = -1;
    pool_open(&p, memory, sizeof memory);
    c = (costs){0};
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = asked->states;
    config.problem.actions = asked->actions;
    config.problem.horizon = asked->horizon;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    config.problem.reward_sd = 1;
    config.seed = SEED;
    config.allocator = pool_allocator(&p);
    lgkt_status status = lgkt_learner_create(name, &config, &learner, &error);
    if (status != LGKT_OK) {
        // oracles and learners on records cannot be here; what was left out and what is too large is said
        snprintf(line, sizeof line, "# %s: %s\n", name, error.text);
        board_write(line);
        return status == LGKT_ERR_UNKNOWN_NAME;
    }
    if (!asked->steps) {
        snprintf(line, sizeof line, "%s %lu %lu %lu\n", name,
                 (unsigned long)lgkt_learner_bytes(learner), (unsigned long)p.peak,
                 (unsigned long)board_stack());
    } else if (play(learner, asked, &c, &sweeps) == LGKT_OK) {
        snprintf(line, sizeof line, "%s %llu %llu %llu %lld\n", name,
                 (unsigned long long)((c.sum + c.count / 2) / c.count),
                 (unsigned long long)quantile(&c, 10000), (unsigned long long)c.most,
                 (long long)sweeps);
    } else {
        snprintf(line, sizeof line, "# %s: %s\n", name, lgkt_learner_message(learner));
        status = LGKT_ERR_NO_MEMORY;
    }
    board_write(line);
    lgkt_learner_destroy(learner);
    return status != LGKT_OK;
}

int main(int argc, char **argv)
{
    const bool steps = argc > 4 && strcmp(argv[1], "steps") == 0;
    const request asked = {.steps = steps,
                           .states = argc > 4 ? (int32_t)strtol(argv[2], NULL, 10) : 0,
                           .actions = argc > 4 ? (int32_t)strtol(argv[3], NULL, 10) : 0,
                           .horizon = argc > 4 ? strtoll(argv[4], NULL, 10) : 0};
    if (argc < 5 || (!steps && strcmp(argv[1], "memory") != 0) || asked.states < 1 ||
        asked.actions < 1 || asked.horizon < 1) {
        board_write("usage: bench_steps memory|steps STATES ACTIONS HORIZON [LEARNER..]\n");
        return 2;
    }
    int failed = 0;
    for (int i = 5; i < argc; i++)
        failed |= measure(argv[i], &asked);
    for (int32_t i = 0; argc == 5 && lgkt_learner_entry(i) != NULL; i++)
        if (lgkt_learner_entry(i)->traits & LGKT_TRAIT_STATES)
            failed |= measure(lgkt_learner_entry(i)->name, &asked);
    return failed;
}
