// SPDX-License-Identifier: MIT
// lgkt: learning to act well in one run. This header includes all the others.
#ifndef LGKT_LGKT_H
#define LGKT_LGKT_H

#include "lgkt/base.h"
#include "lgkt/env.h"
#include "lgkt/keyed.h"
#include "lgkt/learner.h"
#include "lgkt/mdp.h"
#include "lgkt/plan.h"
#include "lgkt/problem.h"
#include "lgkt/rng.h"
#include "lgkt/spec.h"
#include "lgkt/units.h"
#include "lgkt/view.h"

#endif
