// SPDX-License-Identifier: MIT
// A floor below all probabilities: with k allowed actions, each is played with
//
//     p(a) = (1 - k floor) law(a) + floor,        0 <= floor <= 1/k
//
// whatever the law of the learner is. A coin with one uniform number u decides: below k floor the
// action is the allowed one in whose part of length `floor` u falls, and the learner is told it as
// one that another chose; else the learner makes its own choice. The coin of a decision depends on
// seed, instance and the number of the decision alone, so that the floor may change between two
// decisions, and a decision that was refused and is asked for again has the same coin.
//
// The learner `explore` decides by these functions, and so may a program around any other learner:
// settle, explain, lgkt_floor_law; then lgkt_floor_action, and take or act.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The uniform number in [0, 1) of a decision, 0, 1, 2, ..
double lgkt_floor_coin(uint64_t seed, uint64_t instance, int64_t decision);

// The action that the coin u has chosen, or -1: the choice is the learner's. `allowed` has an entry
// for each action, at least one of them not 0; NULL: all are allowed.
int32_t lgkt_floor_action(double floor, double u, const uint8_t *allowed, int32_t actions);

// Makes p of a law, in place: law[a * stride] for each action. Where the law of an allowed action is
// NaN, that of all is NaN afterwards.
void lgkt_floor_law(double floor, const uint8_t *allowed, int32_t actions, double *law,
                    size_t stride);
