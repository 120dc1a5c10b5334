// SPDX-License-Identifier: MIT
// All learners, by family, in the order they are listed. A new family is one more row here.

#include "learners/front/learner_private.h"

static const lgkt_learner_family *const families[] = {
    &lgkt_family_auto,    &lgkt_family_thresholding, &lgkt_family_plugin,
    &lgkt_family_switch,  &lgkt_family_ucrl,         &lgkt_family_bandit,
    &lgkt_family_ucbvi,   &lgkt_family_optimistic_q, &lgkt_family_q_greedy,
    &lgkt_family_oomd,    &lgkt_family_psrl,         &lgkt_family_imed,
    &lgkt_family_bonus,   &lgkt_family_oracles,      &lgkt_family_random,
    &lgkt_family_anytime, &lgkt_family_window,       &lgkt_family_fixed,
};

const lgkt_learner_class *lgkt_learner_class_at(int32_t i)
{
    if (i < 0)
        return NULL;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (i < families[f]->count)
            return &families[f]->classes[i];
        i -= families[f]->count;
    }
    return NULL;
}

const lgkt_entry *lgkt_learner_entry(int32_t i)
{
    const lgkt_learner_class *class = lgkt_learner_class_at(i);
    return class == NULL ? NULL : class->entry;
}
