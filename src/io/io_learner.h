// SPDX-License-Identifier: MIT
// Learners in files: what lgkt_learner_save writes, byte for byte.
#ifndef IO_LEARNER_H
#define IO_LEARNER_H

#include <stdio.h>

#include "lgkt/learner.h"

// Writes the whole state of a learner. Write errors stay in the FILE. Nullable: error.
lgkt_status io_learner_print(const lgkt_learner *learner, FILE *out, lgkt_error *error);
// Makes a learner from such a file; the config is that of lgkt_learner_load. Messages name the
// file. Nullable: error.
lgkt_status io_learner_read(const char *path, const lgkt_learner_config *config,
                            lgkt_learner **learner, lgkt_error *error);

#endif
