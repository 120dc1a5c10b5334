// SPDX-License-Identifier: MIT
// Files that are part of the command: the build makes a C file of each (cmake/embed.cmake).
#pragma once

#include <stddef.h>

extern const unsigned char srv_schemas[]; // schemas.json
extern const size_t srv_schemas_size;
extern const unsigned char srv_page_html[]; // page.html
extern const size_t srv_page_html_size;
