// SPDX-License-Identifier: MIT
// A learner from a file that a trace saved, checked against what it is to go on with.
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "cli.h"
#include "io/io_tape.h"
#include "lgkt/learner.h"

// What the learner is to go on with.
typedef struct cli_resume {
    const char *path;  // the saved state
    const char *model; // the file of the model, for messages
    const char *spec;  // what the user takes the learner for; NULL: whatever was saved
    int64_t horizon;   // the same; 0: whatever was saved
    const io_tape *tape;
    lgkt_problem problem; // of the model; its horizon is not read
} cli_resume;

// The config supplies the coin and the model; its problem is not read. Messages name the file.
lgkt_status cli_resume_learner(const cli_resume *resume, const lgkt_learner_config *config,
                               lgkt_learner **learner, lgkt_error *error);

#endif
