// SPDX-License-Identifier: MIT
// What environments share that are made around another one, or around two: their creation, and
// their runs within that of the outer one.
//
// The inner runs are the own state of the outer one, in trajectory->self, one behind the other.
// Clock and generator are those of the outer run, and an inner one has them for a call; so has it
// the state, unless that is hidden behind the one shown.
//
// Cost: two copies of the generator per step. Memory: a trajectory within each one.
#include "env/env_private.h"

#include <string.h>

#include "core/error.h"

static size_t size_of_run(const lgkt_env *inner)
{
    const size_t size = sizeof(lgkt_trajectory) + inner->run_size, align = alignof(max_align_t);
    return (size + align - 1) / align * align;
}

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
    env->run_size += size_of_run(*inner);
    if (needs_model && (*inner)->model == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s=(%.60s): %s needs an environment with a model", key, spec,
                         env->class->entry.name);
    return LGKT_OK;
}

lgkt_trajectory *lgkt_inner_run(lgkt_trajectory *trajectory, int i)
{
    return (void *)(trajectory->self + (i == 0 ? 0 : size_of_run(trajectory->env->inner[0])));
}

static lgkt_trajectory *lend(lgkt_trajectory *trajectory, int i)
{
    lgkt_trajectory *const run = lgkt_inner_run(trajectory, i);
    run->time = trajectory->time;
    run->rng = trajectory->rng;
    if (trajectory->env->hidden == NULL)
        run->state = trajectory->state;
    return run;
}

void lgkt_inner_start(lgkt_trajectory *trajectory, double u)
{
    // what the second one may draw for itself are the numbers of the first
    for (int i = 1; i >= 0; i--) {
        const lgkt_env *inner = trajectory->env->inner[i];
        if (inner == NULL)
            continue;
        lgkt_trajectory *const run = lend(trajectory, i);
        run->env = inner;
        run->world = inner->self;
        run->horizon = trajectory->horizon;
        run->actions = trajectory->actions;
        inner->class->start(run, u);
    }
    trajectory->rng = lgkt_inner_run(trajectory, 0)->rng;
    trajectory->state = lgkt_inner_run(trajectory, 0)->state;
}

void lgkt_inner_step(lgkt_trajectory *trajectory, int i, int32_t action, lgkt_step *step)
{
    lgkt_trajectory *const run = lend(trajectory, i);
    run->step(run, action, step);
    trajectory->rng = run->rng;
}

void lgkt_inner_visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    for (int i = 0; i < 2 && trajectory->env->inner[i] != NULL; i++) {
        lgkt_trajectory *const run = lend(trajectory, i);
        if (trajectory->env->hidden != NULL)
            lgkt_visit_i32(archive, &run->state, 1, 0, run->env->states - 1);
        lgkt_env_visit_number(run->env, archive);
        if (run->env->class->visit != NULL)
            run->env->class->visit(run, archive);
    }
}
