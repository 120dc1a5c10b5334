// SPDX-License-Identifier: MIT
// What the programs of this folder need of the machine that they run on: mps2_an386.c has it for a
// Cortex-M4, host_board.c for a machine with an operating system.
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/// Shows a text.
void board_write(const char *text);
/// Counts on: instructions where QEMU counts them (-icount shift=0), to 40 of them; nanoseconds on
/// the host. Calls may lie 0.6 seconds apart at most.
uint64_t board_ticks(void);
/// The most bytes that the stack has had so far, and the heap of the C library; 0: not known.
size_t board_stack(void);
size_t board_heap(void);

#endif
