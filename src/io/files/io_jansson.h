// SPDX-License-Identifier: MIT
// Documents from JSON text, parsed and held by jansson.
#ifndef IO_JANSSON_H
#define IO_JANSSON_H

#include "io/formats/io_document.h"

// Fills backing and root of a document with its file; duplicate keys are a failure.
void io_document_parse(io_document *d, const char *bytes, size_t size);

#endif
