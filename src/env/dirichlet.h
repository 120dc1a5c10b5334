// SPDX-License-Identifier: MIT
// Random transition rows, for environments that draw their model.
#ifndef LGKT_ENV_DIRICHLET_H
#define LGKT_ENV_DIRICHLET_H

#include "lgkt/rng.h"

// A draw from Dirichlet(shape, .., shape) into p (n): n gamma numbers, normalised. A draw whose sum
// underflows to 0 is made again.
void lgkt_dirichlet(lgkt_rng *rng, double shape, int32_t n, double *p);
// The same of n uniform numbers.
void lgkt_uniform_row(lgkt_rng *rng, int32_t n, double *p);

#endif
