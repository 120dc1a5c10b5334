// SPDX-License-Identifier: MIT
// An environment within another one. See inner.h.
//
// Cost: two copies of the generator per step. Memory: a trajectory within each one.
#include "env/inner.h"

#include <string.h>

bool lgkt_inner_named(const char *spec, const char *name)
{
    // what has no name, or one that is too long for us, creation refuses and explains
    char found[16];
    return lgkt_spec_name(spec, found, sizeof found, NULL) == LGKT_OK && strcmp(found, name) == 0;
}

lgkt_status lgkt_inner_create(lgkt_env *env, const char *spec, const lgkt_env_config *config,
                              lgkt_env **inner, lgkt_error *error)
{
    const lgkt_status status = lgkt_env_create(spec, config, inner, error);
    if (status == LGKT_OK)
        env->run_size += lgkt_inner_size(*inner);
    return status;
}

static void lend(const lgkt_trajectory *trajectory, lgkt_trajectory *run)
{
    run->time = trajectory->time;
    run->rng = trajectory->rng;
}

void lgkt_inner_start(lgkt_trajectory *trajectory, lgkt_trajectory *run, const lgkt_env *inner,
                      double u)
{
    lend(trajectory, run);
    run->env = inner;
    run->world = inner->self;
    run->horizon = trajectory->horizon;
    run->actions = trajectory->actions;
    inner->class->start(run, u);
    trajectory->rng = run->rng;
}

void lgkt_inner_step(lgkt_trajectory *trajectory, lgkt_trajectory *run, int32_t action,
                     lgkt_step *step)
{
    lend(trajectory, run);
    run->step(run, action, step);
    trajectory->rng = run->rng;
}

void lgkt_inner_visit(lgkt_trajectory *trajectory, lgkt_trajectory *run, lgkt_archive *archive)
{
    lend(trajectory, run);
    run->state_number = lgkt_env_visit_number(run->env, archive);
    if (run->env->class->visit != NULL)
        run->env->class->visit(run, archive);
}
