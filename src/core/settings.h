// SPDX-License-Identifier: MIT
// From a spec string to a settings struct, through one parameter table.
//
// A settings struct has one field per parameter, at lgkt_param_row.offset: int64_t for INTEGER, double
// for REAL, int for CHOICE (its position in `choices`), const char * for TEXT (pointing into the
// parsed copy of the spec). A fallback that begins with '@' leaves the field unset:
// LGKT_UNSET_INTEGER, NaN, LGKT_UNSET_CHOICE or NULL; whoever owns the table computes it.
#pragma once

#include <stddef.h>

#include "core/error.h"
#include "lgkt/spec.h"

// characters of a spec; builds for small machines, whose stacks are short, set fewer
#ifndef LGKT_MAX_SPEC
#define LGKT_MAX_SPEC 4096
#endif

#define LGKT_UNSET_INTEGER INT64_MIN
#define LGKT_UNSET_CHOICE  (-1)

#define LGKT_SETTINGS_BYTES 512 // of a settings struct at most

// A parameter with what the library knows of it besides.
typedef struct lgkt_param_row {
    lgkt_param param;
    size_t offset; // where the value goes in the settings struct
    // The number of saved states (docs/reproducibility.md) since which the parameter, or its
    // default, is there; 0: since the first.
    int32_t since;
    const char *before; // what it is in states that are older and do not say it, as one types it
} lgkt_param_row;

// A row of a parameter table, by type. The value goes to `field_` of the settings struct `struct_`:
// one that is too large, or a field of another type, does not compile. Behind the help a row may
// say which value states have that are older than it: .since = 3, .before = "0.5".
#define LGKT_ROW(struct_, field_, c_type_, name_, type_, fallback_, min_, max_, choices_, ...)     \
    {                                                                                              \
        .param.name = name_, .param.type = type_, .param.fallback = fallback_, .param.min = min_,  \
        .param.max = max_, .param.choices = choices_,                                              \
        .offset = offsetof(struct_, field_) +                                                      \
                  0 * sizeof(struct {                                                              \
                      _Static_assert(sizeof(struct_) <= LGKT_SETTINGS_BYTES,                       \
                                     #struct_ " is larger than LGKT_SETTINGS_BYTES");              \
                      _Static_assert(_Generic(((struct_ *)0)->field_, c_type_ : 1, default : 0),   \
                                     #struct_ "." #field_ " must be of type " #c_type_);           \
                      char unused;                                                                 \
                  }),                                                                              \
        .param.help = __VA_ARGS__                                                                  \
    }
#define LGKT_ROW_INTEGER(struct_, field_, name_, fallback_, min_, max_, ...)                       \
    LGKT_ROW(struct_, field_, int64_t, name_, LGKT_PARAM_INTEGER, fallback_, min_, max_, NULL,     \
             __VA_ARGS__)
#define LGKT_ROW_REAL(struct_, field_, name_, fallback_, min_, max_, ...)                          \
    LGKT_ROW(struct_, field_, double, name_, LGKT_PARAM_REAL, fallback_, min_, max_, NULL,         \
             __VA_ARGS__)
#define LGKT_ROW_CHOICE(struct_, field_, name_, fallback_, choices_, ...)                          \
    LGKT_ROW(struct_, field_, int, name_, LGKT_PARAM_CHOICE, fallback_, 0, 0, choices_, __VA_ARGS__)
#define LGKT_ROW_TEXT(struct_, field_, name_, fallback_, ...)                                      \
    LGKT_ROW(struct_, field_, const char *, name_, LGKT_PARAM_TEXT, fallback_, 0, 0, NULL,         \
             __VA_ARGS__)

// The table of an lgkt_entry.
#define LGKT_PARAMS(rows_) .params = (rows_), .param_count = sizeof(rows_) / sizeof *(rows_)

// The names that a spec may begin with.
typedef struct lgkt_registry {
    const char *what;                      // "learner" or "environment"
    const lgkt_entry *(*entry)(int32_t i); // NULL beyond the last
    const char *left_out;                  // "one|two": names that this build has not; NULL: none
} lgkt_registry;

// What a spec says.
typedef struct lgkt_settings {
    int32_t index; // of the entry that it names
    char *text;    // owned: what texts among the values point into
    // the settings struct; none is larger, or its rows would not compile
    _Alignas(max_align_t) unsigned char values[LGKT_SETTINGS_BYTES];
} lgkt_settings;

// Reads a spec; unknown names get the nearest one suggested. What the spec does not say are the
// fallbacks of an object that was made when the number of saved states was `born`. The caller frees
// the text after success. Not in line: its pieces would be on the stack of every one that is made
// within another.
LGKT_APART lgkt_status lgkt_settings_read(const char *spec, const lgkt_registry *registry,
                                          int32_t born, const lgkt_allocator *allocator,
                                          lgkt_settings *settings, lgkt_error *error);

// Whether a full spec says the same as one printed when the number of saved states was `born`: all
// that the older one says, and nothing besides but parameters that were added since.
bool lgkt_settings_agree(const lgkt_entry *entry, const char *spec, const char *older,
                         int32_t born);

// Writes the full spec "name:key=value,..." for filled settings into text (capacity size, always
// zero-terminated); returns the length it needs, as snprintf does. Unset fields are left out.
size_t lgkt_settings_print(const lgkt_entry *entry, const void *settings, char *text, size_t size);

// The position of `word` in "one|two|three", or -1.
int lgkt_choice_index(const char *choices, const char *word);
