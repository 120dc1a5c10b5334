// SPDX-License-Identifier: MIT
// The envelope of every saved state: who it is, how long, and whether it is whole.
//
//     8 bytes   "LGKTSAVE"
//     8 bytes   format version
//     8 bytes   kind of object
//     8 bytes   size of all, envelope included
//     ...       what the object visits (archive.h)
//     8 bytes   FNV-1a of everything before; it changes with every change of a single byte
#ifndef LGKT_CORE_SAVED_H
#define LGKT_CORE_SAVED_H

#include "core/archive.h"
#include "lgkt/base.h"

enum { LGKT_SAVED_LEARNER = 1, LGKT_SAVED_TRAJECTORY = 2, LGKT_SAVED_KEYED = 3 };

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

#endif
