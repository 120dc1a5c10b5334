// SPDX-License-Identifier: MIT
// Text for people: UTF-8 that is cut, cleaned and shown on one line, and what to say about a name
// that does not exist.
#pragma once

#include <stdbool.h>
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

// The least number of letters to insert, drop, replace or swap with their neighbour (each letter
// moved once) to get from a to b; at most `cap`, which is also the answer for words over 64
// letters.
int32_t lgkt_edit_distance(const char *a, const char *b, int32_t cap);

// What to say about a word that is no name: {.word = word, .size = ...}, then all names there are.
typedef struct lgkt_hint {
    const char *word;
    size_t size;         // of the text, with its zero; 0: only the nearest is asked for
    const char *nearest; // of the names so far; NULL if none is close: at most 2 edits, or a third
                         // of the word, and some of it unchanged
    int32_t edits;       // to get to it
    const char *last;    // of the names so far; the others are in the text
    bool full;
    size_t length;
    char text[200];
} lgkt_hint;

void lgkt_hint_add(lgkt_hint *hint, const char *name);
// `did you mean "x"?` if a name is close to the word, else `known: x, y, ...`, cut to fit. Lives as
// long as the hint.
const char *lgkt_hint_text(lgkt_hint *hint);
