// SPDX-License-Identifier: MIT
// Maps of tiles as text: rows joined with '/', e.g. SFF/FHG.
#ifndef LGKT_ENV_TILE_MAP_H
#define LGKT_ENV_TILE_MAP_H

#include "lgkt/base.h"

// Checks that a map is a rectangle of known tiles, and says how large it is. `tiles` has the known
// characters, `names` the same as words for a message: "S, F, H or G". Rows and columns are counted
// from 0. Tile (r, c) is map[r * (columns + 1) + c].
lgkt_status lgkt_tile_map_check(const char *map, const char *tiles, const char *names,
                                int32_t *rows, int32_t *columns, lgkt_error *error);

#endif
