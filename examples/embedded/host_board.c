// SPDX-License-Identifier: MIT
// The machine is one with an operating system: what is only worth knowing on a board is not known.
#define _POSIX_C_SOURCE 200809L
#include "board.h"

#include <stdio.h>
#include <time.h>

void board_write(const char *text)
{
    fputs(text, stdout);
}

uint64_t board_ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

size_t board_stack(void)
{
    return 0;
}

size_t board_heap(void)
{
    return 0;
}
