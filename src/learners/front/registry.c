// SPDX-License-Identifier: MIT
// All learners, by class, in the order they are listed. A new class is one more row here.

#include "learners/front/learner_private.h"

static const lgkt_learner_class *const classes[] = {
    &lgkt_auto_class,     &lgkt_thresholding_class, &lgkt_plugin_class, &lgkt_switch_class,
    &lgkt_ucrl_class,     &lgkt_ucb_class,          &lgkt_ucbvi_class,  &lgkt_optimistic_q_class,
    &lgkt_q_greedy_class, &lgkt_oomd_class,         &lgkt_psrl_class,   &lgkt_imed_class,
    &lgkt_bonus_class,    &lgkt_oracle_class,       &lgkt_random_class, &lgkt_anytime_class,
    &lgkt_window_class,   &lgkt_explore_class,      &lgkt_fixed_class,  &lgkt_forest_class,
    &lgkt_linucb_class,   &lgkt_sarsa_tiles_class,
};

const lgkt_learner_class *lgkt_learner_class_at(int32_t i, const lgkt_entry **entry)
{
    for (size_t c = 0; i >= 0 && c < LGKT_LENGTH(classes); i -= classes[c++]->name_count) {
        if (i >= classes[c]->name_count)
            continue;
        const char *names = classes[c]->names;
        *entry = (const lgkt_entry *)(names + (size_t)i * classes[c]->name_size);
        return classes[c];
    }
    return NULL;
}

const lgkt_entry *lgkt_learner_entry(int32_t i)
{
    const lgkt_entry *entry = NULL;
    lgkt_learner_class_at(i, &entry);
    return entry;
}
