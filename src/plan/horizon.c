// SPDX-License-Identifier: MIT
// So many steps: backward induction (lookahead.c) with two rows of values and no table. Whether values
// have settled is looked at after every fourth sweep: a look takes a tenth of one.
#include <float.h>
#include <string.h>

#include "core/error.h"
#include "plan/iteration.h"

enum { LOOK = 4 };

// Backward induction in `values`; result->below is what rounding and the jump may have added.
static void induct(lgkt_iteration *it, int64_t horizon, lgkt_values *values)
{
    const lgkt_pick pick = {it->policy, false};
    const size_t terms = it->longest / 4 + 8;
    const double rounding = (double)terms * DBL_EPSILON;
    double off = 0, shift = 0;
    int passed = 0;
    while (values->k < horizon && lgkt_iteration_goes_on(it, 2 * off)) {
        // the actions are those of the last sweep
        const bool last = values->k + 1 == horizon || lgkt_values_settled(values);
        const bool picks = last && it->result->policy != NULL;
        lgkt_sweep(it->mdp, NULL, 0, values, picks ? values->q : NULL, picks ? &pick : NULL);
        const double most = fmax(it->scale, values->top) + (double)passed * it->scale;
        passed = last || passed + 1 == LOOK ? 0 : passed + 1;
        if (passed > 0)
            lgkt_values_pass(values);
        else
            lgkt_values_advance(values);
        it->result->sweeps++;
        off += rounding * most + DBL_EPSILON * fabs(values->shift);
        if (last) {
            off += (double)(horizon - values->k) * values->span / 2;
            lgkt_values_jump(values, horizon);
        }
        shift = values->shift;
    }
    for (int32_t s = 0; s < it->mdp->states; s++)
        it->gain[s] = shift + values->v[s];
    it->result->below = it->result->above = off + 2 * DBL_EPSILON * fabs(shift);
}

lgkt_status lgkt_plan_horizon(const lgkt_mdp *mdp, int64_t horizon, const lgkt_plan_config *config,
                              lgkt_plan_result *result, lgkt_error *error)
{
    lgkt_iteration it;
    lgkt_values values;
    LGKT_TRY(lgkt_check_steps(mdp, horizon, "horizon", error));
    LGKT_TRY(lgkt_iteration_init(&it, mdp, config, result, error));
    const size_t room = (size_t)(mdp->actions / mdp->states) + 1;
    const lgkt_status status = lgkt_values_init(&values, mdp->states, room, &it.hooks, error);
    if (status == LGKT_OK) {
        induct(&it, horizon, &values);
        lgkt_values_release(&values);
        it.discount = 1;
        memset(it.h, 0, (size_t)mdp->states * sizeof *it.h);
        result->bias = NULL;
        lgkt_iteration_write(&it);
    }
    lgkt_iteration_release(&it);
    return status;
}
