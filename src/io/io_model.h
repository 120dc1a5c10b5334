// SPDX-License-Identifier: MIT
// Model files: a Markov decision process as strict JSON.
//
//     {"states": 6, "actions": 4, "start": 0,
//      "noise": {"kind": "normal", "sd": 0.5},      or {"kind": "bernoulli"} or {"kind": "none"}
//      "rewards": [[...A] ...S],
//      "transitions": [[[...S] ...A] ...S]}         or "edges": [[state, action, next, p], ...]
//
// `start` is a state or a list of S probabilities. All keys are needed, no others are allowed. Rows
// sum to 1 within 1e-6 and are then normalised.
#ifndef IO_MODEL_H
#define IO_MODEL_H

#include <stdio.h>

#include "lgkt/mdp.h"

// Reads a model file. Messages name the file and the place in it. Nullable: allocator (of the
// model), error.
lgkt_status io_model_read(const char *path, const lgkt_allocator *allocator, lgkt_mdp **mdp,
                          lgkt_error *error);
// The same from memory; `name` stands for the file in messages.
lgkt_status io_model_read_text(const char *bytes, size_t size, const char *name,
                               const lgkt_allocator *allocator, lgkt_mdp **mdp, lgkt_error *error);

// Writes a model that reads back with the same lgkt_mdp_hash: dense where at least a quarter of the
// entries is positive, else as edges. LGKT_ERR_UNSUPPORTED for drifting noise. io_model_print
// leaves write errors in the FILE; io_model_write makes a file atomically.
lgkt_status io_model_print(const lgkt_mdp *mdp, FILE *out, lgkt_error *error);
lgkt_status io_model_write(const lgkt_mdp *mdp, const char *path, lgkt_error *error);

#endif
