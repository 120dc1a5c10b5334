// SPDX-License-Identifier: MIT
// Folders that hold results.
#pragma once

#include "lgkt/base.h"

// "folder/name" in memory that the caller frees with free; NULL when memory is out.
char *io_folder_file(const char *folder, const char *name);
// The last part of a path.
const char *io_base_name(const char *path);
// Makes a folder and those above it, as far as they are not there. Nullable: error.
lgkt_status io_folder_make(const char *path, lgkt_error *error);
// Whether there is something of this name.
bool io_folder_has(const char *folder, const char *name);
// Removes the unfinished files that writers of `name` (io_output) left when they were killed. Those
// of processes that live are left alone.
void io_folder_clean(const char *folder, const char *name);
// Brings what was made in a folder to the disk. Nullable: error.
lgkt_status io_folder_sync(const char *path, lgkt_error *error);
