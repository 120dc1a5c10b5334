// SPDX-License-Identifier: MIT
// What a learner takes of memory, measured on a problem of the usual size.
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "cli.h"

// the problem
enum { CLI_MEMORY_STATES = 10, CLI_MEMORY_ACTIONS = 5, CLI_MEMORY_HORIZON = 20000 };

typedef struct cli_memory {
    size_t own;    // bytes of each learner
    size_t shared; // bytes that learners of one spec have in common
} cli_memory;

// Measures the learner of this name with its defaults on that problem. Nullable: error.
lgkt_status cli_memory_of(const char *learner, cli_memory *memory, lgkt_error *error);

#endif
