// SPDX-License-Identifier: MIT
// Long-run average reward (gain) and bias, by relative value iteration.
//
//     g + b(s) = max_a R(s,a) + sum_y P(y|s,a) b(y)    (Puterman 1994, sections 8.4 and 8.5.5)
//
// The iteration is w <- tau (max_a R + P w) + (1 - tau) w with tau = 1/2, less its smallest entry:
// each step may also stay where it is, which makes every chain aperiodic. At rest w is the bias,
// and a sweep adds tau g. The gain lies between the smallest and the largest entry of what a sweep
// adds, divided by tau; the iteration ends when these two are `tolerance` apart, or as close as
// rounding allows (32 units in the last place of the largest |w| or |R|). For a given policy the
// mean over the actions played takes the place of max.
//
// Cost of a sweep as in lookahead.c. Memory: 2*S doubles.
#include <float.h>
#include <string.h>

#include "core/error.h"
#include "plan/plan_private.h"

#define TAU        0.5
#define MAX_SWEEPS 1000000
#define ROUNDING   (32 * DBL_EPSILON)

static lgkt_status find_gain(const lgkt_mdp *mdp, const lgkt_policy *policy, double tolerance,
                             const lgkt_allocator *allocator, double *gain, double *bias,
                             lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(gain, "gain", error));
    if (!(tolerance > 0) || !isfinite(tolerance))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "tolerance %g; it must be > 0 and finite",
                         tolerance);
    lgkt_values values;
    LGKT_TRY(lgkt_values_init(&values, mdp->states, 0, allocator, error));
    bool found = false;
    for (int32_t sweep = 0; sweep < MAX_SWEEPS && !found; sweep++) {
        double scale = fmax(fabs(mdp->reward_min), fabs(mdp->reward_max));
        for (int32_t s = 0; s < mdp->states; s++) {
            // R + P w: of the best action, or of what the policy plays with its horizon to go
            const size_t z = (size_t)s * (size_t)mdp->actions;
            double backup = -INFINITY;
            if (policy != NULL)
                backup =
                    lgkt_policy_backup(policy, mdp, policy->horizon, s, mdp->rewards + z, values.v);
            for (size_t a = 0; policy == NULL && a < (size_t)mdp->actions; a++)
                backup = fmax(
                    backup, lgkt_row_backup(&mdp->planning, z + a, mdp->payoffs[z + a], values.v));
            values.fresh[s] = TAU * backup + (1 - TAU) * values.v[s];
        }
        lgkt_values_advance(&values);
        for (int32_t s = 0; s < mdp->states; s++)
            scale = fmax(scale, values.v[s]);
        const double width = values.span / TAU;
        found = width <= tolerance || width <= ROUNDING * scale;
    }
    if (found) {
        *gain = values.slope / TAU;
        if (bias != NULL)
            memcpy(bias, values.v, (size_t)mdp->states * sizeof *bias);
    }
    lgkt_values_release(&values);
    if (found)
        return LGKT_OK;
    return lgkt_fail(
        error, LGKT_ERR_NO_CONVERGENCE,
        "the gain is known to %g after %d sweeps, not to %g; it may depend on the start",
        values.span / TAU, MAX_SWEEPS, tolerance);
}

lgkt_status lgkt_plan_gain(const lgkt_mdp *mdp, double tolerance, const lgkt_allocator *allocator,
                           double *gain, double *bias, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_model(mdp, error));
    return find_gain(mdp, NULL, tolerance, allocator, gain, bias, error);
}

lgkt_status lgkt_policy_gain(const lgkt_policy *policy, double tolerance,
                             const lgkt_allocator *allocator, double *gain, double *bias,
                             lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    return find_gain(policy->mdp, policy, tolerance, allocator, gain, bias, error);
}
