// SPDX-License-Identifier: MIT
// Public structs that may get more fields later (sized.h).

#include "core/sized.h"

#include <string.h>

#include "core/error.h"

// no struct will ever be larger: a size beyond it is a number that was never set
#define MOST_BYTES 4096

void lgkt_sized_fill(void *place, size_t size, const void *source, size_t known)
{
    if (place == NULL)
        return;
    memcpy(place, source, size < known ? size : known);
    if (size > known)
        memset((char *)place + known, 0, size - known);
}

lgkt_status lgkt_sized_take(const lgkt_sized_kind *kind, const void *given, void *own,
                            lgkt_error *error)
{
    if (given == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s must not be NULL", kind->argument);
    size_t size;
    memcpy(&size, given, sizeof size);
    // sizes of structs are multiples of their alignment
    if (size < kind->first || size > MOST_BYTES || size % sizeof size != 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s was not made by %s: its size is %zu, not %zu",
                         kind->argument, kind->maker, size, kind->known);
    const unsigned char *const bytes = given;
    for (size_t i = kind->known; i < size; i++)
        if (bytes[i] != 0)
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "%s sets a field that this version of the library does not know: it "
                             "has %zu bytes, %zu are known",
                             kind->argument, size, kind->known);
    memcpy(own, given, size < kind->known ? size : kind->known);
    memcpy(own, &kind->known, sizeof kind->known);
    return LGKT_OK;
}

lgkt_status lgkt_sized_reserved(const uint64_t *reserved, size_t count, const char *name,
                                lgkt_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (reserved[i] != 0)
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "%s.reserved[%zu] must be 0: this version of the library does not "
                             "know what it means",
                             name, i);
    return LGKT_OK;
}
