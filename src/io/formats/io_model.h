// SPDX-License-Identifier: MIT
// What reading and writing of model files (lgkt/io.h) share.
#pragma once

#include "io/formats/io_document.h"
#include "lgkt/io.h"

// The word for a kind of noise; a file can name the first three.
const char *io_noise_name(lgkt_noise kind);

// Makes the model that a document says, unless it failed already; d->status tells. Nullable:
// allocator, of what is kept.
void io_model_fill(io_document *d, const lgkt_allocator *allocator, lgkt_io_model **model);
