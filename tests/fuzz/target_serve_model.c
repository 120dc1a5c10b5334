// SPDX-License-Identifier: MIT
// Any bytes as commands of a programme, good and bad ones in any order: each must be answered as a
// slow and plain version of it says, retries with the same bytes, and the log makes it again.

#include "fuzz/fuzz.h"

#include <stdio.h>

#include "ref/serve_model.h"

void fuzz_serve_model(const uint8_t *data, size_t size)
{
    const char *wrong = serve_model_calls(data, size);
    if (wrong != NULL)
        fprintf(stderr, "%s\n", wrong);
    FUZZ_CHECK(wrong == NULL);
}
