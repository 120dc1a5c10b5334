// SPDX-License-Identifier: MIT
// What a learner keeps, as a table: one row for each array or number of its own struct. Creating,
// growing, counting bytes, saving, loading and freeing all follow from the table, so that a class
// writes functions only for what is special about it.
//
//     typedef struct bandit {
//         double start;
//         double *mean;  // (S, A)
//         int64_t *n;    // (S, A)
//         double *index; // (A), of the choice at hand
//         int64_t draws; // shown only
//     } bandit;
//
//     static const lgkt_field fields[] = {
//         {LGKT_ARRAY(bandit, mean, PER_PAIR, REAL), LGKT_FROM(bandit, start)},
//         {LGKT_ARRAY(bandit, n, PER_PAIR, COUNT)},
//         {LGKT_ARRAY(bandit, index, PER_ACTION, SCRATCH)},
//         {LGKT_NUMBER(bandit, draws, TALLY)},
//     };
//
//     static const lgkt_learner_class classes[] = {{LGKT_SELF(bandit, fields), ...}};
#pragma once

#include "lgkt/learner.h"

#include "core/archive.h"

// How many elements an array has.
typedef enum lgkt_shape {
    LGKT_SHAPE_ONE,
    LGKT_SHAPE_PER_ACTION,
    LGKT_SHAPE_PER_STATE,
    LGKT_SHAPE_PER_PAIR,
    LGKT_SHAPE_PER_TWO_STATES,
    LGKT_SHAPE_PER_LEG,       // two different states, in any order
    LGKT_SHAPE_MADE_ELSEWHERE // none: other code makes and resizes it, and the table only frees it
} lgkt_shape;

// How a number is saved, and what a saved one must be within.
typedef enum lgkt_field_kind {
    LGKT_FIELD_SCRATCH,      // not saved: of no use after a step, or computed after a load
    LGKT_FIELD_REAL,         // double
    LGKT_FIELD_SQUARE,       // double, a sum of squares
    LGKT_FIELD_COUNT,        // int64_t, 0 .. LGKT_MAX_COUNT
    LGKT_FIELD_TALLY,        // int64_t, 0 or more, that is only shown
    LGKT_FIELD_PLACE,        // int64_t, 0 or more, below another int64_t of self
    LGKT_FIELD_MAYBE_PAIR,   // int64_t, 1 + the number of a pair, or 0 for none
    LGKT_FIELD_FLAG,         // bool
    LGKT_FIELD_ACTION,       // int32_t
    LGKT_FIELD_MAYBE_ACTION, // int32_t, -1 for none, which is the first value too
    LGKT_FIELD_MAYBE_STATE,  // int32_t, likewise
    LGKT_FIELD_STATES_KNOWN, // int32_t, a number of states, 0 .. S
    LGKT_FIELD_PART          // a struct with a table of its own
} lgkt_field_kind;

typedef struct lgkt_part lgkt_part;

typedef struct lgkt_field {
    size_t offset;    // in the struct: of the number, the part or the pointer to the array
    size_t size;      // of an element
    size_t column;    // offset of the number in an element
    lgkt_shape shape; // of an array
    size_t more;      // elements beyond those of the shape
    size_t times;     // offset of an int64_t of the struct: so many for each
    size_t other;     // offset of the first value, or of what a place must be below
    size_t when;      // offset of a bool of the struct: there is such a field only if it is set
    const lgkt_part *part;
    lgkt_field_kind kind;
    bool is_array;  // else it lies in the struct itself
    bool is_column; // an element is a struct, of which this is one number
    bool has_first, has_when, has_times;
    bool is_tracked; // belongs to a trajectory, as track of the class
    int32_t since;   // states with a lower number do not have it: it keeps its first value
} lgkt_field;

// A struct that several learners have within theirs, with what is special about it; each may be
// NULL. They are called after the table is done, `release` before.
struct lgkt_part {
    const lgkt_field *fields; // (count)
    size_t count;
    size_t pair_words; // of 8 bytes that `visit` saves of each pair, at least
    bool (*grow)(lgkt_learner *learner, void *part, int32_t before, int32_t after);
    bool (*prepare)(lgkt_learner *learner, void *part); // as of a class
    void (*release)(lgkt_learner *learner, void *part);
    void (*visit)(lgkt_learner *learner, void *part, lgkt_archive *archive);
};

// A number of another type than its kind says does not compile.
#define LGKT_FIELD_SIZE(lvalue_, element_, kind_)                                                  \
    (sizeof(element_) + 0 * sizeof(struct {                                                        \
                            _Static_assert(LGKT_FITS_##kind_(lvalue_), #lvalue_ " is no " #kind_); \
                            char unused;                                                           \
                        }))
#define LGKT_FITS_SCRATCH(x_)      1
#define LGKT_FITS_REAL(x_)         _Generic((x_), double : 1, default : 0)
#define LGKT_FITS_SQUARE(x_)       LGKT_FITS_REAL(x_)
#define LGKT_FITS_COUNT(x_)        _Generic((x_), int64_t : 1, default : 0)
#define LGKT_FITS_TALLY(x_)        LGKT_FITS_COUNT(x_)
#define LGKT_FITS_PLACE(x_)        LGKT_FITS_COUNT(x_)
#define LGKT_FITS_FLAG(x_)         _Generic((x_), bool : 1, default : 0)
#define LGKT_FITS_ACTION(x_)       _Generic((x_), int32_t : 1, default : 0)
#define LGKT_FITS_MAYBE_ACTION(x_) LGKT_FITS_ACTION(x_)
#define LGKT_FITS_MAYBE_STATE(x_)  LGKT_FITS_ACTION(x_)
#define LGKT_FITS_STATES_KNOWN(x_) LGKT_FITS_ACTION(x_)
#define LGKT_FITS_MAYBE_PAIR(x_)   LGKT_FITS_COUNT(x_)

// ---- what a row is made of ----

// An array that `field_` points to, zero at first.
#define LGKT_ARRAY(struct_, field_, shape_, kind_)                                                 \
    .offset = offsetof(struct_, field_),                                                           \
    .size = LGKT_FIELD_SIZE(*((struct_ *)0)->field_, *((struct_ *)0)->field_, kind_),              \
    .shape = LGKT_SHAPE_##shape_, .kind = LGKT_FIELD_##kind_, .is_array = true
// A member of the structs in an array. The rows of one array must follow each other in the table.
#define LGKT_COLUMN(struct_, field_, shape_, element_, member_, kind_)                             \
    .offset = offsetof(struct_, field_),                                                           \
    .size = LGKT_FIELD_SIZE(((struct_ *)0)->field_->member_, element_, kind_),                     \
    .column = offsetof(element_, member_), .shape = LGKT_SHAPE_##shape_,                           \
    .kind = LGKT_FIELD_##kind_, .is_array = true, .is_column = true
// A number in the struct itself.
#define LGKT_NUMBER(struct_, field_, kind_)                                                        \
    .offset = offsetof(struct_, field_),                                                           \
    .size = LGKT_FIELD_SIZE(((struct_ *)0)->field_, ((struct_ *)0)->field_, kind_),                \
    .kind = LGKT_FIELD_##kind_
#define LGKT_PART(struct_, field_, part_)                                                          \
    .offset = offsetof(struct_, field_), .kind = LGKT_FIELD_PART, .part = part_

// And behind one of these:

// There is such a field only if the bool `flag_` of the struct is set.
#define LGKT_IF(struct_, flag_) .has_when = true, .when = offsetof(struct_, flag_)
// An array has so many elements more than its shape says.
#define LGKT_AND(number_) .more = (number_)
// An array is so many times as long as that; the int64_t `number_` is set in create.
#define LGKT_TIMES(struct_, number_) .has_times = true, .times = offsetof(struct_, number_)
// An array of real numbers begins with the value of `number_`.
#define LGKT_FROM(struct_, number_) .has_first = true, .other = offsetof(struct_, number_)
// A PLACE is below the value of `length_`.
#define LGKT_BELOW(struct_, length_) .other = offsetof(struct_, length_)
// A number belongs to a trajectory: units swap theirs in and out, and begin sets it back.
#define LGKT_TRACKED .is_tracked = true

#define LGKT_LENGTH(array_) (sizeof(array_) / sizeof *(array_))

// The members of a class that has a table: `create` finds learner->self zeroed, and `destroy`,
// `grow` and `visit` have only what the table does not say.
#define LGKT_SELF(struct_, fields_)                                                                \
    .self_size = sizeof(struct_), .whole = {.fields = fields_, .count = LGKT_LENGTH(fields_)}

// ---- for the front ----

// The words of 8 bytes that a saved state has of the arrays of a part, at least.
size_t lgkt_part_words(const lgkt_learner *learner, const lgkt_part *part, const void *self);
// False when memory is out.
bool lgkt_part_grow(lgkt_learner *learner, const lgkt_part *part, void *self, int32_t before,
                    int32_t after);
bool lgkt_part_prepare(lgkt_learner *learner, const lgkt_part *part, void *self);
void lgkt_part_release(lgkt_learner *learner, const lgkt_part *part, void *self);
void lgkt_part_visit(lgkt_learner *learner, const lgkt_part *part, void *self,
                     lgkt_archive *archive);
// What track, visit_track and begin of a class do to its tracked numbers.
size_t lgkt_fields_track(lgkt_learner *learner, lgkt_track_way way, void *bytes);
void lgkt_fields_visit_track(lgkt_learner *learner, lgkt_archive *archive);
void lgkt_fields_begin(lgkt_learner *learner);
