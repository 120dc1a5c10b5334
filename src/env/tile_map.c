// SPDX-License-Identifier: MIT
// Worlds on a map of tiles: what mazes, the cliff and FrozenLake share.
//
// A map is a rectangle of tiles. States are the tiles on which one can act, counted row by row from
// the upper left; rows and columns count from 0. A move goes in one of four directions, turned by
// up to three quarters by chance; one uniform number per step chooses the turn. A move into a wall
// or off the map stays, and earns what entering that tile does. Some tiles lead to the start: when
// they are entered, or after an action on them. With several starts each step draws a second number
// for the return, used or not.
//
// The reward depends on the outcome: two of a pair may lead to the same state and earn different
// rewards. So outcomes are kept one by one, and merged in the model only, which has the mean
// rewards and no noise. The problem is told, as scale, half the largest range of the rewards of one
// pair.
//
// Cost and memory O(tiles).
#include "env/tile_map.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"
#include "mdp/mdp_private.h"

#define SHOWN 40 // tiles of a row that a message quotes

enum { PER_STATE = LGKT_MAP_ACTIONS * LGKT_MAP_OUTCOMES };

// ---- the map ----

// Checks that a map is a rectangle of known tiles, and says how large it is.
static lgkt_status measure(lgkt_map *map, const lgkt_map_rules *rules, lgkt_error *error)
{
    char known[LGKT_MAP_TILES + 1] = "";
    for (int i = 0; i < LGKT_MAP_TILES; i++)
        known[i] = rules->tiles[i].tile;
    if (strlen(rules->map) > LGKT_MAX_STATES)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "map: more than %d tiles", LGKT_MAX_STATES);
    const size_t first = strcspn(rules->map, "/");
    map->columns = (int32_t)first;
    for (const char *row = rules->map;; row += first + 1) {
        const size_t width = strcspn(row, "/"), good = strspn(row, known);
        const int shown = (int)(width < SHOWN ? width : SHOWN);
        if (good < width)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: row %d is \"%.*s\", with '%c' in column %d; tiles are %s",
                             (int)map->rows, shown, row, row[good], (int)good, rules->names);
        if (width != first || width == 0)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: row %d is \"%.*s\" and has %d tiles; it must have %d, as row 0, "
                             "and at least 1",
                             (int)map->rows, shown, row, (int)width, (int)first);
        map->rows++;
        if (row[width] == '\0')
            return LGKT_OK;
    }
}

static const lgkt_tile *tile_at(const lgkt_map *map, const lgkt_map_rules *rules, int32_t i)
{
    const char tile = rules->map[i / map->columns * (map->columns + 1) + i % map->columns];
    const lgkt_tile *kind = rules->tiles;
    while (kind->tile != tile)
        kind++;
    return kind;
}

// Numbers the states and lists the starts.
static lgkt_status number_tiles(lgkt_map *map, const lgkt_map_rules *rules, lgkt_error *error)
{
    bool goal = !rules->strict;
    for (int32_t i = 0; i < map->rows * map->columns; i++) {
        const lgkt_tile *kind = tile_at(map, rules, i);
        if (kind->tile == 'S' && map->start_count == 1 && rules->strict)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: a second S in row %d, column %d; there must be one",
                             (int)(i / map->columns), (int)(i % map->columns));
        goal |= kind->tile == 'G';
        map->number[i] = kind->wall || kind->no_one ? -1 : map->states++;
        if (kind->tile == 'S')
            map->starts[map->start_count++] = map->number[i];
    }
    if (map->start_count == 0 || !goal)
        return lgkt_fail(error, LGKT_ERR_SPEC, "map: no %c; there must be one",
                         map->start_count == 0 ? 'S' : 'G');
    return LGKT_OK;
}

// What a move from a tile in one direction leads to.
static lgkt_outcome outcome_of(const lgkt_map *map, const lgkt_map_rules *rules, int32_t from,
                               int32_t direction)
{
    const int32_t home = map->start_count == 1 ? map->starts[0] : -1;
    const lgkt_tile *here = tile_at(map, rules, from);
    if (here->leaves)
        return (lgkt_outcome){.next = home, .shown = -1, .reward = here->leave};
    const int32_t row = from / map->columns + rules->moves[direction][0];
    const int32_t column = from % map->columns + rules->moves[direction][1];
    const bool off = row < 0 || row >= map->rows || column < 0 || column >= map->columns;
    int32_t to = off ? from : row * map->columns + column;
    to = tile_at(map, rules, to)->wall ? from : to;
    const lgkt_tile *there = tile_at(map, rules, to);
    return (lgkt_outcome){.next = there->returns ? home : map->number[to],
                          .shown = there->shown ? map->number[to] : -1,
                          .reward = there->enter};
}

// Every state must be within reach of the start; it is left by its way back, or through a goal.
static lgkt_status check_reach(const lgkt_env *env, const lgkt_map_rules *rules, lgkt_error *error)
{
    const lgkt_map *map = env->self;
    lgkt_status status = LGKT_OK;
    int32_t *queue = lgkt_alloc_zeroed(&env->allocator, 2 * (size_t)map->states, sizeof *queue);
    if (queue == NULL)
        return lgkt_fail_memory(error, "a map");
    int32_t *reached = queue + map->states, count = 1;
    queue[0] = map->starts[0];
    reached[queue[0]] = 1;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < PER_STATE; k++) {
            const int32_t next = map->outcome[queue[i] * PER_STATE + k].next;
            if (!reached[next])
                queue[count++] = next;
            reached[next] = 1;
        }
    for (int32_t i = 0; i < map->rows * map->columns && status == LGKT_OK; i++)
        if (map->number[i] >= 0 && !reached[map->number[i]])
            status = lgkt_fail(
                error, LGKT_ERR_SPEC, "map: the '%c' in row %d, column %d cannot be reached from S",
                tile_at(map, rules, i)->tile, (int)(i / map->columns), (int)(i % map->columns));
    lgkt_free(&env->allocator, queue);
    return status;
}

// ---- the model ----

static void fill_pair(lgkt_env *env, const lgkt_map_rules *rules, int32_t s, int32_t a)
{
    const lgkt_map *map = env->self;
    double mean = 0, low = INFINITY, high = -INFINITY;
    const lgkt_outcome *outcome = &map->outcome[s * PER_STATE + a * LGKT_MAP_OUTCOMES];
    for (int32_t k = 0; k < LGKT_MAP_OUTCOMES; k++, outcome++) {
        // -1 spreads over all starts
        const int32_t n = outcome->next >= 0 ? 1 : map->start_count;
        const int32_t *next = outcome->next >= 0 ? &outcome->next : map->starts;
        if (!(rules->p[k] > 0))
            continue;
        for (int32_t i = 0; i < n; i++)
            lgkt_mdp_builder_edge(env->builder, s, a, next[i], rules->p[k] / n);
        mean += rules->p[k] * outcome->reward;
        low = fmin(low, outcome->reward);
        high = fmax(high, outcome->reward);
    }
    lgkt_mdp_builder_reward(env->builder, s, a, rules->exact && low == high ? low : mean);
    env->reward_sd = fmax(env->reward_sd, (high - low) / 2);
}

lgkt_status lgkt_map_create(lgkt_env *env, const lgkt_map_rules *rules, lgkt_error *error)
{
    lgkt_map *map = env->self;
    LGKT_TRY(measure(map, rules, error));
    // the model has the outcomes merged; steps choose among them one by one
    env->hash = lgkt_hash_bytes(env->hash, rules->map, strlen(rules->map));
    const size_t tiles = (size_t)map->rows * (size_t)map->columns;
    map->number = lgkt_env_alloc(env, tiles, sizeof(int32_t));
    map->starts = lgkt_env_alloc(env, tiles, sizeof(int32_t));
    map->outcome = lgkt_env_alloc(env, tiles * PER_STATE, sizeof(lgkt_outcome));
    if (!map->number || !map->starts || !map->outcome)
        return lgkt_fail_memory(error, "a map");
    LGKT_TRY(number_tiles(map, rules, error));

    double sum = 0;
    for (int32_t k = 0; k < LGKT_MAP_OUTCOMES; k++)
        map->cumulative[k] = sum += rules->p[k];
    for (int i = 0; i < LGKT_MAP_TILES; i++)
        env->jumps |= rules->tiles[i].shown;
    lgkt_outcome *outcome = map->outcome;
    for (int32_t i = 0; i < (int32_t)tiles; i++)
        for (int32_t k = 0; k < PER_STATE && map->number[i] >= 0; k++) {
            const int32_t a = k / LGKT_MAP_OUTCOMES, turn = rules->turn[k % LGKT_MAP_OUTCOMES];
            *outcome++ = outcome_of(map, rules, i, (a + turn) % LGKT_MAP_ACTIONS);
        }
    if (rules->strict) {
        LGKT_TRY(check_reach(env, rules, error));
    }
    LGKT_TRY(lgkt_env_begin_model(env, map->states, LGKT_MAP_ACTIONS, error));
    for (int32_t i = 0; i < map->start_count; i++)
        env->row[map->starts[i]] = 1.0 / map->start_count;
    lgkt_mdp_builder_start_law(env->builder, env->row);
    for (int32_t z = 0; z < map->states * LGKT_MAP_ACTIONS; z++)
        fill_pair(env, rules, z / LGKT_MAP_ACTIONS, z % LGKT_MAP_ACTIONS);
    return LGKT_OK;
}

// ---- stepping ----

static int32_t draw_start(const lgkt_map *map, double u)
{
    return map->starts[(int32_t)(u * map->start_count)];
}

void lgkt_map_step(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_map *map = trajectory->world;
    const int32_t state = trajectory->state;
    const lgkt_outcome *outcome =
        lgkt_map_outcome(map, state, action, lgkt_rng_uniform(&trajectory->rng));
    int32_t next = outcome->next;
    if (map->start_count > 1) {
        const int32_t start = draw_start(map, lgkt_rng_uniform(&trajectory->rng));
        next = next < 0 ? start : next;
    }
    trajectory->state = next;
    ((lgkt_stroll *)(void *)trajectory->self)->shown = outcome->shown;
    *step = (lgkt_step){.reward = outcome->reward,
                        .mean_reward =
                            trajectory->env->model->rewards[state * LGKT_MAP_ACTIONS + action],
                        .state = next};
}

void lgkt_map_start(lgkt_trajectory *trajectory, double u)
{
    trajectory->state = draw_start(trajectory->world, u);
    ((lgkt_stroll *)(void *)trajectory->self)->shown = -1;
}

int32_t lgkt_map_shown(const lgkt_trajectory *trajectory, const void **bytes, size_t *size)
{
    const int32_t shown = ((const lgkt_stroll *)(const void *)trajectory->self)->shown;
    *bytes = NULL;
    *size = 0;
    return shown >= 0 ? shown : trajectory->state;
}

void lgkt_map_visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    if (trajectory->env->jumps)
        lgkt_visit_i32(archive, &((lgkt_stroll *)(void *)trajectory->self)->shown, 1, -1,
                       trajectory->env->states - 1);
}
