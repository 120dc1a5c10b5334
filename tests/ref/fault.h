// SPDX-License-Identifier: MIT
// An allocator that counts what is outstanding and fails on demand. Safe to use from many threads.
#ifndef LGKT_TESTS_FAULT_H
#define LGKT_TESTS_FAULT_H

#include <stdatomic.h>

#include "lgkt/base.h"

typedef struct fault {
    atomic_llong calls;       // allocations asked for so far
    atomic_llong outstanding; // blocks not yet freed
    atomic_llong bytes;       // their size
    atomic_llong peak;        // the most bytes ever outstanding
    atomic_llong bad_frees;   // frees of what was not (or no longer) a block of this allocator
    atomic_llong refused;     // allocations that failed
    long long limit;          // the most bytes that may be outstanding; 0: any number
    long long fail_at;        // the call to fail, counted from 1; 0: none
    bool fail_after;          // fail all later calls too
} fault;

// Nothing counted, nothing failing.
void fault_init(fault *f);
// Fails the k-th call from now on (k >= 1), and if `persistent` all after it; k = 0: none. Not
// while threads allocate.
void fault_fail_at(fault *f, long long k, bool persistent);
// The hooks; f must outlive all that is made with them.
lgkt_allocator fault_allocator(fault *f);
// Everything was freed, once each.
bool fault_is_clean(const fault *f);

// Makes something with the allocator and, if that went well, destroys it again.
typedef lgkt_status (*fault_make_fn)(void *ctx, const lgkt_allocator *allocator, lgkt_error *error);

// Asserts (cmocka) that `make` works with the allocator, and that with the k-th allocation failing,
// for every k, once and for good, it returns LGKT_ERR_NO_MEMORY with a text and leaves nothing
// behind. Returns how many allocations it makes.
long long fault_sweep(fault_make_fn make, void *ctx);

#endif
