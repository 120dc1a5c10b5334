// SPDX-License-Identifier: MIT
// Any bytes as calls of units, good and bad ones in any order, on learners that keep nothing of a
// trajectory. Each call must end as the log of a slow version says, and what is refused changes
// nothing; about half of the calls lack memory first. Saving and loading is one of the calls.

#include "fuzz/fuzz.h"

#include <stdio.h>

#include "ref/units_replay.h"

void fuzz_units(const uint8_t *data, size_t size)
{
    fault memory;
    fault_init(&memory);
    const char *wrong = units_replay_calls(data, size, &memory);
    if (wrong != NULL)
        fprintf(stderr, "%s\n", wrong);
    FUZZ_CHECK(wrong == NULL);
    FUZZ_CHECK(fault_is_clean(&memory));
}
