// SPDX-License-Identifier: MIT
// Files of SQLite in memory that lose power: each has what was written and what was synced. At a
// crash every sector that was written since the last sync is, by chance, old, new, or new up to some
// byte and old behind; sizes likewise. What was synced stays.
//
// A sync that fails leaves its pages clean and lost, as Linux does: later syncs do not write them.
#ifndef LGKT_TESTS_CRASH_VFS_H
#define LGKT_TESTS_CRASH_VFS_H

#include "lgkt/rng.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct crash_plan {
    int64_t cut_at;    // the operation at which power goes: it and all later ones fail; 0: none
    int64_t fail_sync; // the sync that fails, from 1; 0: none
    int64_t full_from, full_to; // writes that find no room, from 1
} crash_plan;

// Registers the VFS "crash", without files. Once in a program.
void crash_vfs_start(uint64_t seed);
// Removes all files.
void crash_vfs_clear(void);
// Counts from now on, and what shall go wrong.
void crash_vfs_plan(crash_plan plan);
bool crash_vfs_lost(void); // a sync has failed by the plan
// Power goes, and comes back. Nothing may be open.
void crash_vfs_crash(void);

#endif
