// SPDX-License-Identifier: MIT
// The grammar of specs once more, by cutting up copies of strings.
#ifndef LGKT_TESTS_NAIVE_SPEC_H
#define LGKT_TESTS_NAIVE_SPEC_H

#include <stdbool.h>

#define NAIVE_SPEC_PAIRS  16
#define NAIVE_SPEC_LENGTH 64

typedef struct naive_spec {
    char name[NAIVE_SPEC_LENGTH];
    char keys[NAIVE_SPEC_PAIRS][NAIVE_SPEC_LENGTH];
    char values[NAIVE_SPEC_PAIRS][NAIVE_SPEC_LENGTH];
    int count;
} naive_spec;

// Parses a spec of fewer than NAIVE_SPEC_LENGTH characters; false if it breaks the grammar.
bool naive_spec_parse(const char *text, naive_spec *spec);

#endif
