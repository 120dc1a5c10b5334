// SPDX-License-Identifier: MIT
// Taxi: Gymnasium's Taxi (Dietterich 2000), made one run without end.
//
//     R   . | .   .   G     a taxi on 5 by 5 tiles, with walls |
//     .   . | .   .   .     stands 0 R, 1 G, 2 Y, 3 B
//     .   .   .   .   .     actions 0 south, 1 north, 2 east, 3 west, 4 pick up, 5 put down
//     . | .   . | .   .
//     Y | .   . | B   .
//
// A passenger waits at one stand and wants to another. Each step earns -1; picking up where the
// passenger is not, and putting down with nobody in the taxi or off the stands, -10; putting down
// where the passenger wants to, 20. Putting down at another stand leaves the passenger there. After
// a delivery Gymnasium ends the episode; here the next passenger waits at once:
//     stay=0  the taxi is anywhere: a uniform draw of Gymnasium's 300 first states
//     stay=1  the taxi stays where it is; the next stand and the next goal are uniform among the 12
//             pairs of different ones
// The first state is drawn as with stay=0.
//
// State = 16 (5 row + column) + 3 p + (d < p ? d : d - 1) for a passenger at stand p who wants to
// stand d, and 16 (5 row + column) + 12 + d for one in the taxi: the states of Gymnasium in its
// order, without the 100 that no play reaches. Rewards are those of the pair, without noise.
//
// Cost and memory O(S A), S = 400, A = 6.
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"

enum { SOUTH, NORTH, EAST, WEST, PICK_UP, PUT_DOWN, ACTIONS };
enum {
    SIDE = 5,
    TILES = SIDE * SIDE,
    STANDS = 4,
    WAITING = STANDS * (STANDS - 1), // where one waits, and wants to
    PER_TILE = WAITING + STANDS,
    STATES = TILES * PER_TILE
};

static const int32_t STAND[STANDS] = {0, 4, 20, 23}; // tiles of R, G, Y, B

// 1: a wall on the east side of the tile.
static const bool WALLS[TILES] = {
    0, 1, 0, 0, 0, //
    0, 1, 0, 0, 0, //
    0, 0, 0, 0, 0, //
    1, 0, 1, 0, 0, //
    1, 0, 1, 0, 0, //
};

typedef struct settings {
    int64_t stay;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, stay, "stay", "0", 0, 1,
                     "1: after a delivery the taxi is where it was; 0: anywhere"),
};

// What a state says.
typedef struct scene {
    int32_t tile;
    int32_t place; // stand of the passenger; STANDS: in the taxi
    int32_t goal;  // stand
} scene;

static scene scene_of(int32_t state)
{
    const int32_t rest = state % PER_TILE;
    scene now = {.tile = state / PER_TILE, .place = STANDS, .goal = rest - WAITING};
    if (rest < WAITING) {
        now.place = rest / (STANDS - 1);
        now.goal = rest % (STANDS - 1);
        now.goal += now.goal >= now.place;
    }
    return now;
}

static int32_t state_of(scene now)
{
    const int32_t rest = now.place == STANDS
                             ? WAITING + now.goal
                             : now.place * (STANDS - 1) + now.goal - (now.goal > now.place);
    return now.tile * PER_TILE + rest;
}

// The stand on a tile, or -1.
static int32_t stand_on(int32_t tile)
{
    for (int32_t i = 0; i < STANDS; i++)
        if (STAND[i] == tile)
            return i;
    return -1;
}

// Plays an action in *now and returns its reward; a delivery leaves *now alone.
static double play(scene *now, int32_t action)
{
    const int32_t row = now->tile / SIDE, column = now->tile % SIDE, here = stand_on(now->tile);
    const bool aboard = now->place == STANDS;
    switch (action) {
    case SOUTH:
        now->tile += row < SIDE - 1 ? SIDE : 0;
        return -1;
    case NORTH:
        now->tile -= row > 0 ? SIDE : 0;
        return -1;
    case EAST:
        now->tile += column < SIDE - 1 && !WALLS[now->tile];
        return -1;
    case WEST:
        now->tile -= column > 0 && !WALLS[now->tile - 1];
        return -1;
    case PICK_UP:
        if (aboard || here != now->place)
            return -10;
        now->place = STANDS;
        return -1;
    default:
        if (!aboard || here < 0)
            return -10;
        if (here == now->goal)
            return 20;
        now->place = here;
        return -1;
    }
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    snprintf(env->note, sizeof env->note, "Taxi, %s after a delivery",
             set->stay ? "staying where it is" : "anywhere");
    LGKT_TRY(lgkt_env_begin_model(env, STATES, ACTIONS, error));
    lgkt_mdp_builder *builder = env->builder;
    double *p = env->row;
    for (int32_t s = 0; s < STATES; s++)
        p[s] = s % PER_TILE < WAITING ? 1.0 / (TILES * WAITING) : 0;
    lgkt_mdp_builder_start_law(builder, p);
    for (int32_t s = 0; s < STATES; s++)
        for (int32_t a = 0; a < ACTIONS; a++) {
            scene now = scene_of(s);
            const double reward = play(&now, a);
            lgkt_mdp_builder_reward(builder, s, a, reward);
            if (reward < 0)
                lgkt_mdp_builder_edge(builder, s, a, state_of(now), 1);
            else if (!set->stay)
                lgkt_mdp_builder_row(builder, s, a, p);
            // the states of the tile that have somebody waiting come first
            for (int32_t i = 0; i < WAITING && reward > 0 && set->stay; i++)
                lgkt_mdp_builder_edge(builder, s, a, now.tile * PER_TILE + i, 1.0 / WAITING);
        }
    return LGKT_OK;
}

const lgkt_env_class lgkt_taxi_class = {
    LGKT_ENV_ENTRY("taxi",
                   "Gymnasium's Taxi as one run without end: after a delivery the next passenger "
                   "waits",
                   "Gymnasium Taxi-v3; Dietterich 2000", "O(S A)", LGKT_PARAMS(PARAMS)),
    LGKT_WORLD_CLASS(create),
};
