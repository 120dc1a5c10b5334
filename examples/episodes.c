// SPDX-License-Identifier: MIT
// A process with episodes, and one run through many of them. On slippery ice a hole or the goal ends
// an episode, and so does a clock after 100 steps; the next one begins at the start. The same learner
// is told of these ends in three ways: as they are, all of them as cuts, and not at all, because a
// new learner begins with each episode. docs/episodes.md says why the first is right.
#include <stdio.h>

#include <lgkt/lgkt.h>

enum { SIDE = 4, TILES = SIDE * SIDE, MOVES = 4, CLOCK = 100, STEPS = 6000, RUNS = 20 };

// ---- the ice ----

static const char map[TILES + 1] = "SFFF"
                                   "FHFH"
                                   "FFFH"
                                   "HFFG";

typedef struct lake {
    int32_t tile;
    int time; // steps of the episode so far
    lgkt_rng rng;
} lake;

typedef struct event {
    double reward;
    bool over; // a hole or the goal: the world has ended the episode
    bool late; // the clock has
} event;

// A move goes as meant or to either side, each with chance 1/3. Where the episode ends, the next one
// has begun: the tile is the start again.
static event lake_move(lake *l, int32_t action)
{
    static const int down[MOVES] = {0, 1, 0, -1}, right[MOVES] = {-1, 0, 1, 0};
    const int way = (action + MOVES - 1 + (int)(3 * lgkt_rng_uniform(&l->rng))) % MOVES;
    const int row = l->tile / SIDE + down[way], column = l->tile % SIDE + right[way];
    if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
        l->tile = row * SIDE + column;
    const char kind = map[l->tile];
    const event e = {
        .reward = kind == 'G', .over = kind == 'G' || kind == 'H', .late = ++l->time == CLOCK};
    if (e.over || e.late)
        l->tile = l->time = 0;
    return e;
}

// ---- one run, and what the learner is told of ends ----

typedef enum telling { AS_THEY_ARE, ALL_CUTS, NEW_LEARNERS } telling;

static lgkt_status live(telling how, uint64_t instance, double *total)
{
    lake l = {.rng = lgkt_rng_stream(1, "lake", instance)};
    lgkt_learner *learner = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = TILES;
    config.problem.actions = MOVES;
    config.problem.horizon = STEPS; // of all episodes together
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    config.instance = instance;
    lgkt_status status = lgkt_learner_create("auto", &config, &learner, NULL);
    for (int t = 0; t < STEPS && status == LGKT_OK; t++) {
        int32_t action;
        status = lgkt_learner_act(learner, l.tile, NULL, &action);
        if (status != LGKT_OK)
            break;
        const event e = lake_move(&l, action);
        *total += e.reward;
        // what the world ends leads to the start, as any move leads somewhere; a clock cuts
        const bool ended = how == ALL_CUTS ? e.over || e.late : e.late && !e.over;
        status = lgkt_learner_observe(learner, e.reward, l.tile, ended);
        if (status == LGKT_OK && how == NEW_LEARNERS && (e.over || e.late)) {
            lgkt_learner_destroy(learner);
            config.seed++;
            status = lgkt_learner_create("auto", &config, &learner, NULL);
        }
    }
    lgkt_learner_destroy(learner);
    return status;
}

int main(void)
{
    static const char *const names[] = {"ends as they are", "all ends as cuts",
                                        "a new learner for each episode"};
    for (int how = AS_THEY_ARE; how <= NEW_LEARNERS; how++) {
        double total = 0;
        for (uint64_t i = 0; i < RUNS; i++)
            if (live((telling)how, i, &total) != LGKT_OK)
                return 1;
        printf("%-30s  %5.1f goals in %d steps\n", names[how], total / RUNS, STEPS);
    }
    return 0;
}
