// SPDX-License-Identifier: MIT
// Single values of a spec, as the slow references read them: without tables, the default at hand.
#ifndef LGKT_TESTS_SPEC_READ_H
#define LGKT_TESTS_SPEC_READ_H

#include <stdbool.h>
#include <stddef.h>

// Copies the text of a key; false if the spec does not set it or it does not fit.
bool spec_read_text(const char *spec, const char *key, char *text, size_t size);
// A number, or `otherwise` if the spec does not set it.
double spec_read_number(const char *spec, const char *key, double otherwise);
// Whether the choice `key` is `word`, or `otherwise` if the spec does not set it.
bool spec_read_choice(const char *spec, const char *key, const char *word, bool otherwise);

#endif
