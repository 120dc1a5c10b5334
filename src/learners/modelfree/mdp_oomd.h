// SPDX-License-Identifier: MIT
// One step of mirror descent, which mdp_oomd.c describes, for tests.
#pragma once

#include <stdint.h>

// No probability falls below this (before x is scaled to sum 1).
#define LGKT_BARRIER_FLOOR 1e-12

// Writes x (n), which may be y; returns lambda. y (n) is positive with sum 1. O(n) per Newton step.
double lgkt_log_barrier_step(const double *y, const double *beta, double eta, int32_t n, double *x);
