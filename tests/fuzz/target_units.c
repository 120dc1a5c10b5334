// SPDX-License-Identifier: MIT
// Any bytes as calls of units, good and bad ones in any order, on learners that keep nothing of a
// trajectory. Each call must end as the log of a slow version says, and what is refused changes
// nothing; saving and loading in between is one of the calls.

#include "fuzz/fuzz.h"

#include <stdio.h>

#include "ref/units_replay.h"

void fuzz_units(const uint8_t *data, size_t size)
{
    fault memory;
    fault_init(&memory);
    const lgkt_allocator allocator = fault_allocator(&memory);
    const char *wrong = units_replay_calls(data, size, &allocator);
    if (wrong != NULL)
        fprintf(stderr, "%s\n", wrong);
    FUZZ_CHECK(wrong == NULL);
    FUZZ_CHECK(fault_is_clean(&memory));
}
