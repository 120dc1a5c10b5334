// SPDX-License-Identifier: MIT
// Result folders of tests below one that is made for the program. Every call asserts (cmocka) that
// it went well.
#ifndef LGKT_TESTS_FOLDERS_H
#define LGKT_TESTS_FOLDERS_H

#include <stddef.h>

// The folder of all others, for cmocka_run_group_tests.
int folders_make(void **state);
int folders_remove(void **state);
const char *folders_root(void);
// Empties a folder.
void folders_empty(const char *folder);

// A path below it; of the paths asked for, the last four are remembered.
const char *folders_in(const char *name);
// The whole of a file, to be freed. Nullable: size.
char *folders_read(const char *folder, const char *name, size_t *size);
void folders_write(const char *folder, const char *name, const char *bytes, size_t size);

void folders_same_file(const char *a, const char *b, const char *name);
// All result files but the timings.
void folders_same(const char *a, const char *b);

#endif
