// SPDX-License-Identifier: MIT
// Any bytes as a tape (CSV).

#include "fuzz/fuzz.h"

#include <math.h>

#include "io/formats/io_tape.h"

static bool is_uniform(double u)
{
    return u >= 0 && u < 1;
}

void fuzz_tape(const uint8_t *data, size_t size)
{
    io_tape tape = {0};
    lgkt_error error = {0};
    const lgkt_status status = io_tape_read_text((const char *)data, size, "input", &tape, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (tape.rows != NULL));
    if (status != LGKT_OK)
        return;
    FUZZ_CHECK(tape.count >= 1 && (size_t)tape.count <= size);
    for (int64_t i = 0; i < tape.count; i++) {
        const io_tape_row *row = &tape.rows[i];
        FUZZ_CHECK(is_uniform(row->u_next) && is_uniform(row->u_reward));
        FUZZ_CHECK(is_uniform(row->u_coin) && isfinite(row->z_reward));
    }
    io_tape_release(&tape);
}
