// SPDX-License-Identifier: MIT
// Learners in files: what lgkt_learner_save writes, byte for byte. A line may follow that says what
// the learner was saved with.
#pragma once

#include <stdio.h>

#include "lgkt/learner.h"

// Hashes of what a learner has met on a tape.
typedef struct io_origin {
    bool known;     // if not, the file does not say
    uint64_t model; // lgkt_mdp_hash
    uint64_t tape;  // io_tape_hash of the rows that were played
} io_origin;

// Writes the whole state of a learner. Write errors stay in the FILE. Nullable: origin, error.
lgkt_status io_learner_print(const lgkt_learner *learner, const io_origin *origin, FILE *out,
                             lgkt_error *error);
// Makes a learner from such a file; the config is that of lgkt_learner_load. Messages name the
// file. Nullable: origin, error.
lgkt_status io_learner_read(const char *path, const lgkt_learner_config *config,
                            lgkt_learner **learner, io_origin *origin, lgkt_error *error);
lgkt_status io_learner_read_bytes(const char *bytes, size_t size, const char *name,
                                  const lgkt_learner_config *config, lgkt_learner **learner,
                                  io_origin *origin, lgkt_error *error);
