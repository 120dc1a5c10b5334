// SPDX-License-Identifier: MIT
// What tables say of a panel besides its numbers: the note of its first instance and, of each
// learner, the full spec and the names of its counters. It is kept as the record that stands in
// journals, so that tables can be made without the panel.
#ifndef EXPERIMENTS_FACTS_H
#define EXPERIMENTS_FACTS_H

#include "experiments/runner/setup.h"
#include "io/plain/io_memory.h"

#define EXP_NOTE_SIZE 512

// Two 64-bit words, little-endian, the first of which no other record begins with and the second
// the number of the panel. Then texts that end in zero: the note, and of each learner its spec, its
// counters and an empty text. {0} is an empty one.
typedef struct exp_facts {
    unsigned char *bytes; // (size)
    size_t size;
} exp_facts;

// A record as text that grows; the note and the learners in their order are to follow.
void exp_facts_begin(io_memory *text, const exp_setup *setup);
void exp_facts_put(io_memory *text, const char *line);
// The panel of a record, if it can be that of facts; else -1.
int32_t exp_facts_panel(const unsigned char *bytes, size_t size);
// Whether they are those of a panel, to the last byte.
bool exp_facts_good(const exp_facts *facts, const exp_panel *panel);
// Nullable: error.
lgkt_status exp_facts_copy(exp_facts *facts, const exp_facts *from, lgkt_error *error);
void exp_facts_free(exp_facts *facts);

const char *exp_facts_note(const exp_facts *facts);
// The spec of a learner; its counters follow it (exp_facts_next).
const char *exp_facts_spec(const exp_facts *facts, int32_t learner);
// The text behind a text.
const char *exp_facts_next(const char *text);

#endif
