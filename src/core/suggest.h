// SPDX-License-Identifier: MIT
// What to say about a name that does not exist.
#ifndef LGKT_CORE_SUGGEST_H
#define LGKT_CORE_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

// The names there are; NULL beyond the last.
typedef const char *(*lgkt_name_fn)(const void *ctx, int32_t i);

// The least number of letters to insert, drop, replace or swap with their neighbour (each letter
// moved once) to get from a to b; at most `cap`, which is also the answer for words over 64
// letters.
int32_t lgkt_edit_distance(const char *a, const char *b, int32_t cap);

// Writes `did you mean "x"?` if a name is close to `word`, else `known: x, y, ...`, cut to fit.
void lgkt_suggest(char *text, size_t size, const char *word, lgkt_name_fn name, const void *ctx);

#endif
