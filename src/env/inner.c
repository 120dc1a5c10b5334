// SPDX-License-Identifier: MIT
// An environment within another one. See inner.h.
//
// Cost: two copies of the generator per step. Memory: a trajectory within each one.
#include "env/inner.h"

#include <string.h>

#include "core/error.h"

lgkt_status lgkt_inner_create(lgkt_env *env, const char *key, const char *spec,
                              const lgkt_env_config *config, bool needs_model, lgkt_error *error)
{
    // specs cannot nest without end; what has no name, or one too long for us, creation refuses
    char name[16] = "";
    lgkt_spec_name(spec, name, sizeof name, NULL);
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        const lgkt_entry *entry = lgkt_env_entry(i);
        const bool scaled = entry == &lgkt_scaled_class.entry && entry != &env->class->entry;
        if (entry->inner != NULL && !scaled && strcmp(entry->name, name) == 0)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "%s=(%.60s) is around another environment itself; only scaled can be, "
                             "only once: merged:of=(scaled:...), changing:before=(scaled:...)",
                             key, spec);
    }
    lgkt_env **inner = &env->inner[env->inner[0] != NULL];
    LGKT_TRY(lgkt_env_create(spec, config, inner, error));
    env->run_size += lgkt_inner_size(*inner);
    if (needs_model && (*inner)->model == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s=(%.60s): %s needs an environment with a model", key, spec,
                         env->class->entry.name);
    return LGKT_OK;
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
    lgkt_env_visit_number(run->env, archive);
    if (run->env->class->visit != NULL)
        run->env->class->visit(run, archive);
}
