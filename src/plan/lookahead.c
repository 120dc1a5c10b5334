// SPDX-License-Identifier: MIT
// The backward recursion Q_{k+1} = R + P V_k, V_k = max_a Q_k, V_0 = 0.
//
// Values are kept as V_k = shift + v with min v = 0, as relative value iteration does. R + P V_k is
// then shift + (R + P v), and rounding is relative to the spread of the values and not to k times
// the gain. So a long recursion loses nothing, and one can see when it has become linear:
//
//     range_k = [min_s, max_s] (V_{k+1} - V_k)(s);   range_{k+1} is inside range_k
//
// because the recursion is monotone and commutes with adding a constant. The recursion is settled
// when the width of the range is below 1e-13 max(1, max_s |v|, |range|); from there on each step
// adds the middle of the range (slope) with an error of at most half the width, and Q and the
// argmax of all further steps follow: Q_{k+1+j} = Q_{k+1} + j slope. A periodic model, or one whose
// gain depends on the start, never settles and runs to the end.
//
// A pair that is forbidden has the value -infinity throughout: its payoff is, and it has no row.
//
// Cost of a sweep: one multiplication per entry of the planning rows. Memory: S*A doubles for q and
// 2*S for the values; tables S*A per step until settled.
#include "plan/plan_private.h"

#include "core/alloc.h"
#include "core/error.h"
#include "core/range.h"
#include "lgkt/plan.h"

#define SETTLED    1e-13
#define LEAST_SIZE 1e-10 // of the largest reward; among smaller ones all would be ties

// ---- relative values ----

lgkt_status lgkt_values_init(lgkt_values *values, int32_t states, size_t actions,
                             const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    const size_t n = (size_t)states;
    double *const v = lgkt_alloc_zeroed(&hooks, (2 + actions) * n, sizeof *v);
    *values = (lgkt_values){hooks, states, .span = INFINITY, .v = v, .block = v};
    if (v == NULL)
        return lgkt_fail_memory(error, "the values of a plan");
    values->fresh = v + n;
    values->q = v + 2 * n;
    return LGKT_OK;
}

void lgkt_values_release(lgkt_values *values)
{
    lgkt_free(&values->allocator, values->block);
}

void lgkt_values_advance(lgkt_values *values)
{
    lgkt_range level = lgkt_range_none(), gain = lgkt_range_none();
    int32_t s = 0;
    for (; s + LGKT_RANGE_LANES <= values->states; s += LGKT_RANGE_LANES)
        for (int lane = 0; lane < LGKT_RANGE_LANES; lane++) {
            lgkt_range_add(&level, lane, values->fresh[s + lane]);
            lgkt_range_add(&gain, lane, values->fresh[s + lane] - values->v[s + lane]);
        }
    for (; s < values->states; s++) {
        lgkt_range_add(&level, 0, values->fresh[s]);
        lgkt_range_add(&gain, 0, values->fresh[s] - values->v[s]);
    }
    lgkt_range_close(&level);
    lgkt_range_close(&gain);
    const double lowest = level.least[0];
    for (s = 0; s < values->states; s++)
        values->v[s] = values->fresh[s] - lowest;
    values->shift += lowest;
    values->top = level.most[0] - lowest;
    values->slope = gain.least[0] + (gain.most[0] - gain.least[0]) / 2;
    values->span = gain.most[0] - gain.least[0];
    values->k++;
}

void lgkt_values_pass(lgkt_values *values)
{
    double *const old = values->v;
    values->v = values->fresh;
    values->fresh = old;
    values->k++;
}

bool lgkt_values_settled(const lgkt_values *values)
{
    return values->span < SETTLED * fmax(fmax(1, fabs(values->slope)), values->top);
}

void lgkt_values_jump(lgkt_values *values, int64_t k)
{
    values->shift += (double)(k - values->k) * values->slope;
    values->k = k;
}

// ---- the optimal recursion ----

// `other` has weight w; that there is none is known when this is compiled
static inline void sweep(const lgkt_mdp *mdp, const lgkt_mdp *other, double w, lgkt_values *values,
                         double *q, const lgkt_pick *pick)
{
    const lgkt_rows rows = mdp->planning;
    size_t z = 0;
    for (int32_t s = 0; s < mdp->states; s++) {
        double best = -INFINITY;
        for (int32_t a = 0; a < mdp->actions; a++, z++) {
            double worth = lgkt_row_backup(&rows, z, mdp->payoffs[z], values->v);
            if (other != NULL)
                worth = (1 - w) * worth +
                        w * lgkt_row_backup(&other->planning, z, other->payoffs[z], values->v);
            best = best > worth ? best : worth;
            if (q != NULL)
                q[a] = worth;
        }
        values->fresh[s] = best;
        if (pick != NULL)
            pick->action[s] = lgkt_argmax(q, mdp->actions, values->shift, pick->high);
        else if (q != NULL)
            q += mdp->actions;
    }
}

void lgkt_sweep(const lgkt_mdp *mdp, const lgkt_change *change, int64_t t, lgkt_values *values,
                double *q, const lgkt_pick *pick)
{
    const double w = change != NULL ? lgkt_change_weight(change, t) : 0;
    if (q == NULL)
        sweep(mdp, NULL, 0, values, NULL, NULL);
    else if (change == NULL || w <= 0)
        sweep(mdp, NULL, 0, values, q, pick);
    else if (w < 1)
        sweep(change->before, change->after, w, values, q, pick);
    else
        sweep(change->after, NULL, 0, values, q, pick);
}

double lgkt_sweep_to(const lgkt_mdp *mdp, int64_t k, lgkt_values *values, double *q)
{
    double shift = 0;
    while (values->k < k && !lgkt_values_settled(values)) {
        shift = values->shift;
        lgkt_sweep(mdp, NULL, 0, values, q, NULL);
        lgkt_values_advance(values);
    }
    shift += (double)(k - values->k) * values->slope;
    lgkt_values_jump(values, k);
    return shift;
}

int32_t lgkt_argmax(const double *q, int32_t actions, double shift, bool high)
{
    double best = q[0];
    for (int32_t a = 1; a < actions; a++)
        best = q[a] > best ? q[a] : best;
    const double bar = best - lgkt_tie_width(shift + best);
    int32_t a = high ? actions - 1 : 0;
    while (q[a] < bar)
        a += high ? -1 : 1;
    return a;
}

// ---- tables ----

lgkt_status lgkt_lookahead_init(lgkt_lookahead *ahead, const lgkt_mdp *mdp, int64_t depth,
                                const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    *ahead = (lgkt_lookahead){.pairs = pairs, .depth = depth};
    lgkt_values values;
    LGKT_TRY(lgkt_values_init(&values, mdp->states, 0, allocator, error));
    size_t capacity = 0, used = 0; // in tables
    void *tables = NULL;
    bool fits = true;
    while (ahead->count < depth && !lgkt_values_settled(&values)) {
        fits = lgkt_grow(&hooks, &tables, &capacity, used, used + 1, pairs * sizeof *ahead->q);
        if (!fits)
            break;
        ahead->q = tables;
        double *const q = ahead->q + used * pairs;
        lgkt_sweep(mdp, NULL, 0, &values, q, NULL);
        for (size_t z = 0; z < pairs; z++)
            q[z] += values.shift;
        lgkt_values_advance(&values);
        ahead->count = (int64_t)++used;
    }
    ahead->slope = values.slope;
    ahead->bytes = capacity * pairs * sizeof *ahead->q;
    lgkt_values_release(&values);
    if (fits)
        return LGKT_OK;
    lgkt_free(&hooks, tables);
    ahead->q = NULL;
    return lgkt_fail_memory(error, "the tables of a lookahead");
}

// ---- arguments ----

lgkt_status lgkt_check_model(const lgkt_mdp *mdp, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(mdp, "mdp", error));
    const double size = fmax(fabs(mdp->reward_min), fabs(mdp->reward_max));
    if (size > 0 && size < LEAST_SIZE)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "the largest reward is %g in size; plans need at least %g: multiply all "
                         "rewards",
                         size, LEAST_SIZE);
    return LGKT_OK;
}

lgkt_status lgkt_check_steps(const lgkt_mdp *mdp, int64_t steps, const char *what,
                             lgkt_error *error)
{
    LGKT_TRY(lgkt_check_model(mdp, error));
    if (steps < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is %lld; it must be >= 1", what,
                         (long long)steps);
    return LGKT_OK;
}

lgkt_status lgkt_check_tolerance(double tolerance, lgkt_error *error)
{
    if (tolerance > 0 && isfinite(tolerance))
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "tolerance %g; it must be > 0 and finite",
                     tolerance);
}

lgkt_status lgkt_check_discount(double discount, lgkt_error *error)
{
    if (discount >= 0 && discount < 1)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "discount %g; it must be >= 0 and < 1", discount);
}

// ---- public ----

lgkt_status lgkt_plan_lookahead(const lgkt_mdp *mdp, int64_t k, const lgkt_allocator *allocator,
                                double *q, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_steps(mdp, k, "k", error));
    LGKT_TRY(lgkt_check_given(q, "q", error));
    lgkt_values values;
    LGKT_TRY(lgkt_values_init(&values, mdp->states, 0, allocator, error));
    const double shift = lgkt_sweep_to(mdp, k, &values, q);
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    for (size_t z = 0; z < pairs; z++)
        q[z] += shift;
    lgkt_values_release(&values);
    return LGKT_OK;
}
