// SPDX-License-Identifier: MIT
// Learner number i of those whose states may be numbered, in the order of the registry; NULL beyond
// the last. Learners on records alone have tests of their own.
#pragma once

#include "lgkt/spec.h"

static inline const lgkt_entry *state_learner(int32_t i)
{
    const lgkt_entry *entry = NULL;
    for (int32_t j = 0; (entry = lgkt_learner_entry(j)) != NULL; j++)
        if ((entry->traits & LGKT_TRAIT_STATES) && i-- == 0)
            return entry;
    return NULL;
}
