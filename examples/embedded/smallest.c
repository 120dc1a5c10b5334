// SPDX-License-Identifier: MIT
// The least that a program does with a learner: it makes one, asks it and tells it what came of it.
// scripts/sizes measures how much of the library that takes.

#include <stdalign.h>

#include <lgkt/learner.h>

#include "pool.h"

#ifndef LEARNER
#define LEARNER "auto"
#endif

static alignas(max_align_t) unsigned char memory[4096];

int main(int argc, char **argv)
{
    pool p;
    lgkt_learner *learner = NULL;
    int32_t action = 0;
    (void)argv;
    pool_open(&p, memory, sizeof memory);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 5;
    config.problem.actions = 2;
    config.problem.horizon = 1000000;
    config.allocator = pool_allocator(&p);
    lgkt_status status = lgkt_learner_create(LEARNER, &config, &learner, NULL);
    if (status == LGKT_OK)
        status = lgkt_learner_act(learner, argc % 5, NULL, &action);
    if (status == LGKT_OK)
        status = lgkt_learner_observe(learner, 1, action, false);
    lgkt_learner_destroy(learner);
    return status != LGKT_OK;
}
