// SPDX-License-Identifier: MIT
// Reading maps of tiles: the checks that all environments with a map share. See tile_map.h.
#include "env/tile_map.h"

#include <string.h>

#include "core/error.h"
#include "lgkt/mdp.h"

#define SHOWN 40 // tiles of a row that a message quotes

lgkt_status lgkt_tile_map_check(const char *map, const char *tiles, const char *names,
                                int32_t *rows, int32_t *columns, lgkt_error *error)
{
    if (strlen(map) > LGKT_MAX_STATES)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "map: more than %d tiles", LGKT_MAX_STATES);
    const size_t first = strcspn(map, "/");
    int32_t count = 0;
    for (const char *row = map;; row += first + 1) {
        const size_t width = strcspn(row, "/"), known = strspn(row, tiles);
        const int shown = (int)(width < SHOWN ? width : SHOWN);
        if (known < width)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: row %d is \"%.*s\", with '%c' in column %d; tiles are %s",
                             (int)count, shown, row, row[known], (int)known, names);
        if (width != first || width == 0)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: row %d is \"%.*s\" and has %d tiles; it must have %d, as row 0, "
                             "and at least 1",
                             (int)count, shown, row, (int)width, (int)first);
        count++;
        if (row[width] == '\0')
            break;
    }
    *rows = count;
    *columns = (int32_t)first;
    return LGKT_OK;
}
