// SPDX-License-Identifier: MIT
// Text for people: UTF-8 that is cut, cleaned and shown on one line, and what to say about a name
// that does not exist.
#ifndef LGKT_CORE_TEXT_H
#define LGKT_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

// ---- characters ----

// The bytes of the UTF-8 character that text begins with, 1 to 4; 0 at the end of the text and
// where there is no such character.
size_t lgkt_utf8_length(const char *text);

// The bytes of the longest beginning of text that has at most `limit` bytes and ends between two
// characters; what is not UTF-8 counts byte by byte. For quoting: "%.*s" with it.
size_t lgkt_text_fit(const char *text, size_t limit);

// The end of text: at most `limit` bytes, beginning with a character.
const char *lgkt_text_tail(const char *text, size_t limit);

// Copies text into `to` (size, at least 1), cut to fit between two characters and always
// zero-terminated; control characters and bytes that are no UTF-8 become '?'. Returns the length.
// `to` may be the text itself.
size_t lgkt_text_clean(char *to, size_t size, const char *text);

// ---- names ----

// The names there are; NULL beyond the last.
typedef const char *(*lgkt_name_fn)(const void *ctx, int32_t i);

// The least number of letters to insert, drop, replace or swap with their neighbour (each letter
// moved once) to get from a to b; at most `cap`, which is also the answer for words over 64
// letters.
int32_t lgkt_edit_distance(const char *a, const char *b, int32_t cap);

// The name nearest to `word`, or NULL if none is close: at most 2 edits, or a third of the word,
// and some of it unchanged.
const char *lgkt_nearest(const char *word, lgkt_name_fn name, const void *ctx);

// Writes `did you mean "x"?` if a name is close to `word`, else `known: x, y, ...`, cut to fit.
void lgkt_suggest(char *text, size_t size, const char *word, lgkt_name_fn name, const void *ctx);

#endif
