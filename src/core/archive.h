// SPDX-License-Identifier: MIT
// One walk over the mutable state of an object, written once per class; it serves hashing, saving
// and loading alike.
//
// A class visits each of its fields with the functions below, in a fixed order. Fields that can be
// computed from others (caches) are not visited; the class makes them anew after loading. Numbers
// are stored in little-endian order, 8 bytes each.
//
// Loading trusts nothing: every integer has bounds, every real number must be finite. At the first
// violation, or when the bytes run out, the archive turns bad, and from then on leaves fields as
// they are. Whoever walks need not check in between.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lgkt/rng.h"

// The number of saved states, which all classes share. When the saved state of a class changes, or
// what its parameters mean where a spec does not say them, this rises by 1 and the class takes the
// new value for its own number (lgkt_learner_class.state): docs/reproducibility.md.
#define LGKT_STATES 2

// The build that saved a state.
typedef struct lgkt_writer {
    char version[16]; // zero-terminated, e.g. "0.1.0"
    int32_t numbers;  // its LGKT_NUMBERS
} lgkt_writer;
#define LGKT_OWN_WRITER ((lgkt_writer){LGKT_VERSION_STRING, LGKT_NUMBERS}) // the build that this is

// Which saved states of a class a build reads.
typedef struct lgkt_readable {
    const char *name;
    int32_t newest; // the one that it writes
    int32_t oldest; // those before were retired
} lgkt_readable;

typedef enum lgkt_archive_mode {
    LGKT_ARCHIVE_HASH,
    LGKT_ARCHIVE_SAVE,
    LGKT_ARCHIVE_LOAD
} lgkt_archive_mode;

typedef struct lgkt_archive {
    lgkt_archive_mode mode;
    uint64_t hash;           // of all values, when hashing
    unsigned char *out;      // (capacity), when saving
    const unsigned char *in; // (capacity), when loading
    size_t capacity;
    size_t at; // bytes passed; when saving it goes on beyond the capacity, to tell the size needed
    int64_t highest; // of the counts loaded
    bool retimed;    // the copy has another horizon: plans up to the old one are left out
    bool bad;        // loading failed
    bool starved;    // it did because memory was out
    // when loading a saved state:
    lgkt_writer writer;
    lgkt_readable refused;  // the class whose state this build does not read; its name may be NULL
    int32_t refused_number; // the number that it has
} lgkt_archive;

lgkt_archive lgkt_archive_hash(void);
// Nullable: out, with capacity 0, to learn the size.
lgkt_archive lgkt_archive_save(void *out, size_t capacity);
lgkt_archive lgkt_archive_load(const void *in, size_t size);

// Loading cannot go on: memory is out.
void lgkt_archive_starve(lgkt_archive *archive);

// Real numbers, and squares of them or their sums. What is beyond all that rewards can lead to (no
// more than LGKT_MAX_REWARD, times steps) was made up, and is loaded smaller,
// so that no step makes it infinite.
#define LGKT_MAX_NUMBER 0x1p460
#define LGKT_MAX_SQUARE 0x1p950
void lgkt_visit_f64(lgkt_archive *archive, double *values, size_t count);
void lgkt_visit_squares(lgkt_archive *archive, double *values, size_t count);
// Real numbers that may be NaN or infinite.
void lgkt_visit_real(lgkt_archive *archive, double *values, size_t count);
// Any bits at all.
void lgkt_visit_u64(lgkt_archive *archive, uint64_t *values, size_t count);
// Whole numbers in [lo, hi]. LGKT_MAX_COUNT is the bound of counts that have no other: the largest
// of them that was loaded is in archive->highest.
#define LGKT_MAX_COUNT (INT64_MAX / 4)
void lgkt_visit_i64(lgkt_archive *archive, int64_t *values, size_t count, int64_t lo, int64_t hi);
void lgkt_visit_i32(lgkt_archive *archive, int32_t *values, size_t count, int32_t lo, int32_t hi);
// Numbers that are only shown, 0 or more: what is too large to be counted on from is loaded
// smaller.
void lgkt_visit_tally(lgkt_archive *archive, int64_t *values, size_t count);
void lgkt_visit_rng(lgkt_archive *archive, lgkt_rng *rng);
// Raw bytes, `size` of them.
void lgkt_visit_bytes(lgkt_archive *archive, void *bytes, size_t size);
// The number of a class's state, which stands before it; hashes leave it out. Returns the number of
// the state that is loaded, else the newest. One that this build does not read turns the archive
// bad, and lgkt_saved_close says why.
int32_t lgkt_visit_number(lgkt_archive *archive, const lgkt_readable *readable);

// ---- saved states ----

// The envelope of every saved state: who it is, how long, and whether it is whole.
//
//     8 bytes   "LGKTSAVE"
//     8 bytes   format version
//     8 bytes   kind of object
//     8 bytes   size of all, envelope included
//     16 bytes  version that wrote it, filled up with zeros
//     8 bytes   LGKT_NUMBERS of that version
//     8 bytes   number of the state of that kind of object
//     ...       what the object visits
//     8 bytes   FNV-1a of everything before; it changes with every change of a single byte

enum {
    LGKT_SAVED_LEARNER = 1,
    LGKT_SAVED_TRAJECTORY = 2,
    LGKT_SAVED_KEYED = 3,
    LGKT_SAVED_UNITS = 4
};

// Visits the content of an object.
typedef void (*lgkt_saved_fn)(void *object, lgkt_archive *archive);

// Writes an object into a buffer; *size is what it needs. LGKT_ERR_SHAPE if the capacity is smaller
// (nothing useful is in the buffer then). Nullable: buffer with capacity 0, error.
lgkt_status lgkt_saved_write(int kind, lgkt_saved_fn visit, void *object, void *buffer,
                             size_t capacity, size_t *size, lgkt_error *error);

// Checks the envelope and opens an archive on the content. LGKT_ERR_FORMAT says what is wrong.
lgkt_status lgkt_saved_open(int kind, const void *buffer, size_t size, lgkt_archive *archive,
                            lgkt_error *error);

// After loading: everything was there, in range, and nothing was left over. LGKT_ERR_NO_MEMORY if
// the archive was starved.
lgkt_status lgkt_saved_close(const lgkt_archive *archive, lgkt_error *error);
