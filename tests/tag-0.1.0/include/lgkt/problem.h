// SPDX-License-Identifier: MIT
// What a learner is told about the decision problem that it is to act in.
#ifndef LGKT_PROBLEM_H
#define LGKT_PROBLEM_H

#include "lgkt/base.h"
#include "lgkt/mdp.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A decision problem as a learner sees it. lgkt_env_problem makes one.
typedef struct lgkt_problem {
    int32_t states;            ///< S >= 1
    int32_t actions;           ///< A >= 1
    int64_t horizon;           ///< T >= 1, the number of steps of the one run
    double reward_min;         ///< lower bound of the mean rewards; NaN: not known
    double reward_max;         ///< upper bound of the mean rewards; NaN: not known
    double reward_sd;          ///< sub-Gaussian scale of the noise; NaN: not known
    const lgkt_mdp *model;     ///< the true model, which only the oracles read; NULL: not known
    const lgkt_change *change; ///< in place of a model, where it changes; kept alive, too
    bool masked;          ///< some acts will be among some actions only: room for that is taken
    uint64_t reserved[4]; ///< 0
} lgkt_problem;

#ifdef __cplusplus
}
#endif
#endif
