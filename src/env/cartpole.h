// SPDX-License-Identifier: MIT
// The inside of the cart-pole, for its tests. See cartpole.c.
#ifndef LGKT_ENV_CARTPOLE_H
#define LGKT_ENV_CARTPOLE_H

#include "env/coarse.h"

enum { LGKT_PUSH_LEFT, LGKT_PUSH_RIGHT, LGKT_POLE_ACTIONS };
enum { LGKT_POLE_DIMS = 4 };

// metres, radians, seconds; in the order in which they are shown
typedef struct lgkt_pole {
    double position, velocity, angle, spin;
} lgkt_pole;

// The accelerations of cart and pole under a force.
void lgkt_pole_forces(const lgkt_pole *pole, double force, double *cart, double *turn);
// Moves by one step of 0.02 s; true if it has fallen or left the track.
bool lgkt_pole_move(lgkt_pole *pole, int32_t action);

#endif
