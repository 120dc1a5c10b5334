// SPDX-License-Identifier: MIT
// What reading and writing of model files (lgkt/io.h) share.
#ifndef IO_MODEL_H
#define IO_MODEL_H

#include "lgkt/io.h"

// The word for a kind of noise; a file can name the first three.
const char *io_noise_name(lgkt_noise kind);

#endif
