// SPDX-License-Identifier: MIT
// Long-run averages and discounted values: sweeps first, then policy iteration (iteration.c).
//
// Sweeps of an average: h <- tau (max_a R + P h) + (1 - tau) h with tau = 1/2, less its smallest
// entry: each step may also stay where it is, which makes every chain aperiodic. Of discounted
// values: h <- max_a R + discount P h, less its smallest entry, and then the same for the best
// actions alone, until that changes a tenth (modified policy iteration). They end when the
// certificate is narrow enough, or when they have cost what an elimination would.
//
// Where the model has several components (quotient.c), policy iteration is for each of them on
// its own, and then for all together if the gain is the same everywhere.
#include <float.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/sized.h"
#include "plan/iteration.h"

#define TAU   0.5
#define TIE   (16 * DBL_EPSILON)
#define SPARE 16 // sweeps end when they are so many times as narrow as asked for
enum { WARM_UP = 100, MOST_SWEEPS = 1000000, MOST_PARTIAL = 50 };
// multiplications of an elimination take so many times less time than those of sweeps
enum { DENSE_SPEED = 8 };

// ---- sweeps ----

// R + discount P v of the best action, which it->policy gets
static void back_up(lgkt_iteration *it, lgkt_values *values)
{
    const lgkt_mdp *const mdp = it->mdp;
    const double discount = it->discount, tau = discount < 1 ? 1 : TAU;
    size_t z = 0;
    for (int32_t s = 0; s < mdp->states; s++) {
        double most = -INFINITY;
        for (int32_t a = 0; a < mdp->actions; a++, z++) {
            const double q =
                mdp->payoffs[z] + discount * lgkt_row_backup(&mdp->planning, z, 0, values->v);
            if (q > most) {
                most = q;
                it->policy[s] = a;
            }
        }
        values->fresh[s] = tau * most + (1 - tau) * values->v[s];
    }
    lgkt_values_advance(values);
}

// Sweeps over the rows of the policy, which stand side by side in it->own, until they change a tenth
// of `first`: modified policy iteration (Puterman and Shin 1978).
static void evaluate_partly(lgkt_iteration *it, lgkt_values *values, double first)
{
    const lgkt_rows *const rows = &it->mdp->planning, own = it->own;
    uint32_t used = 0;
    for (int32_t s = 0; s < it->mdp->states; s++) {
        const size_t z = (size_t)s * (size_t)it->mdp->actions + (size_t)it->policy[s];
        it->fresh[s] = it->mdp->payoffs[z];
        for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++, used++) {
            own.next[used] = rows->next[i];
            own.p[used] = rows->p[i];
        }
        own.begin[s + 1] = used;
    }
    for (int k = 0; k < MOST_PARTIAL && values->span > first / 10; k++) {
        for (int32_t s = 0; s < it->mdp->states; s++)
            values->fresh[s] =
                it->fresh[s] + it->discount * lgkt_row_backup(&own, (size_t)s, 0, values->v);
        lgkt_values_advance(values);
    }
}

// at most `count` sweeps
static void sweep(lgkt_iteration *it, lgkt_values *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        back_up(it, values);
        it->result->sweeps++;
        const double width = it->discount < 1 ? values->span : values->span / TAU;
        if (width <= it->tolerance / SPARE || !lgkt_iteration_goes_on(it, width))
            break;
        if (it->discount < 1)
            evaluate_partly(it, values, values->span);
    }
}

// ---- beginning and end ----

void lgkt_plan_config_init(lgkt_plan_config *config, size_t size)
{
    const lgkt_plan_config standard = {.size = size, .tolerance = 1e-12, .memory = (size_t)1 << 31};
    lgkt_sized_fill(config, size, &standard, sizeof standard);
}

bool lgkt_iteration_goes_on(lgkt_iteration *it, double width)
{
    it->width = width;
    const lgkt_plan_progress progress = {it->result->sweeps, it->result->policies, width};
    if (!it->result->stopped && it->config.progress != NULL)
        it->result->stopped = it->config.progress(it->config.ctx, &progress) != 0;
    return !it->result->stopped;
}

lgkt_status lgkt_iteration_init(lgkt_iteration *it, const lgkt_mdp *mdp,
                                const lgkt_plan_config *config, lgkt_plan_result *result,
                                lgkt_error *error)
{
    static const lgkt_sized_kind kind = {sizeof(lgkt_plan_config),
                                         LGKT_SIZE_UP_TO(lgkt_plan_config, allocator), "config",
                                         "lgkt_plan_config_default"};
    LGKT_TRY(lgkt_check_model(mdp, error));
    LGKT_TRY(lgkt_check_given(result, "result", error));
    *it = (lgkt_iteration){
        .mdp = mdp, .config = lgkt_plan_config_default(), .result = result, .groups = 1};
    if (config != NULL)
        LGKT_TRY(lgkt_sized_take(&kind, config, &it->config, error));
    LGKT_TRY(lgkt_check_tolerance(it->config.tolerance, error));
    it->floor = -INFINITY;
    it->ceiling = INFINITY;
    it->scale = fmax(fabs(mdp->reward_min), fabs(mdp->reward_max));
    it->tolerance = it->config.tolerance * it->scale;
    it->hooks = lgkt_allocator_resolve(&it->config.allocator);
    const size_t n = (size_t)mdp->states;
    it->policy = lgkt_alloc_zeroed(&it->hooks, 2 * n, sizeof *it->policy);
    it->gain = lgkt_alloc_zeroed(&it->hooks, 5 * n, sizeof *it->gain);
    it->marked = lgkt_alloc_zeroed(&it->hooks, 2 * n, 1);
    if (it->policy == NULL || it->gain == NULL || it->marked == NULL) {
        lgkt_iteration_release(it);
        return lgkt_fail_memory(error, "a plan");
    }
    it->plain = it->policy + n;
    it->turns = it->marked + n;
    it->h = it->gain + n;
    it->fresh = it->gain + 2 * n;
    it->low = it->gain + 3 * n;
    it->high = it->gain + 4 * n;
    const uint32_t *const begin = mdp->planning.begin;
    for (size_t s = 0, z = 0; s < n; s++) {
        size_t longest = 0;
        for (int32_t a = 0; a < mdp->actions; a++, z++)
            longest = begin[z + 1] - begin[z] > longest ? begin[z + 1] - begin[z] : longest;
        it->room += longest;
        it->longest = longest > it->longest ? longest : it->longest;
    }
    for (size_t s = 0; s < n; s++)
        while (!lgkt_iteration_has(it, s * (size_t)mdp->actions + (size_t)it->policy[s]))
            it->policy[s]++;
    result->below = result->above = INFINITY;
    result->components = 0;
    result->differs = result->stopped = result->limited = false;
    result->sweeps = result->policies = 0;
    return LGKT_OK;
}

void lgkt_iteration_release(lgkt_iteration *it)
{
    lgkt_evaluation_release(&it->v);
    lgkt_free(&it->hooks, it->policy);
    lgkt_free(&it->hooks, it->gain);
    lgkt_free(&it->hooks, it->marked);
    lgkt_free(&it->hooks, it->own.begin);
    lgkt_free(&it->hooks, it->own.next);
    lgkt_free(&it->hooks, it->own.p);
}

static bool is_stopped(void *ctx)
{
    lgkt_iteration *const it = ctx;
    return !lgkt_iteration_goes_on(it, it->width);
}

// what evaluations need, within the memory allowed
static lgkt_status prepare(lgkt_iteration *it, lgkt_error *error)
{
    const lgkt_rows *const rows = &it->mdp->planning;
    LGKT_TRY(lgkt_evaluation_init(&it->v, it->mdp->states, it->room, &it->hooks, error));
    it->v.limit.entries = it->config.memory / sizeof(double);
    it->v.stop = (lgkt_stop){is_stopped, it};
    it->v.begin = rows->begin;
    it->v.next = rows->next;
    it->v.stride = (size_t)it->mdp->actions;
    return LGKT_OK;
}

// gain and interval where it is the same everywhere, from the certificate; or discounted values
static void take_certificate(lgkt_iteration *it, bool evaluated)
{
    lgkt_plan_result *const result = it->result;

    // of an average every certificate holds, whatever it is made of
    const bool average = it->discount >= 1;
    const double low = average ? fmax(it->floor, it->low[0]) : it->low[0];
    const double high = average ? fmin(it->ceiling, it->high[0]) : it->high[0];
    it->floor = low;
    it->ceiling = high;
    const double gain = evaluated ? it->gain[0] : low + (high - low) / 2;
    const double rest = it->discount < 1 ? 1 - it->discount : 1;
    for (int32_t s = 0; s < it->mdp->states; s++)
        it->gain[s] = gain;
    result->below = fmax(0, gain - low) / rest;
    result->above = fmax(0, high - gain) / rest;
}

void lgkt_iteration_write(const lgkt_iteration *it)
{
    const size_t n = (size_t)it->mdp->states;
    lgkt_plan_result *const result = it->result;
    lgkt_bias_shift(it->h, n, it->discount < 1 ? NULL : result->bias);
    for (size_t s = 0; s < n && result->value != NULL; s++)
        result->value[s] =
            it->discount < 1 ? it->h[s] + it->gain[s] / (1 - it->discount) : it->gain[s];
    if (result->policy != NULL)
        memcpy(result->policy, it->policy, n * sizeof *it->policy);
}

// policy iteration, for components on their own where there are several
static lgkt_status iterate_all(lgkt_iteration *it, const uint8_t *mask, const int32_t *component,
                               bool *within, lgkt_error *error)
{
    const lgkt_mdp *const mdp = it->mdp;
    it->v.begin = mdp->planning.begin;
    if (it->discount >= 1 && it->result->components > 1) {
        it->groups = it->result->components;
        it->group = component;
        it->mask = mask;
        it->v.begin = NULL;
        for (int32_t s = 0; s < mdp->states; s++) {
            const size_t z = (size_t)s * (size_t)mdp->actions;
            const uint8_t *const stays = memchr(mask + z, 1, (size_t)mdp->actions);
            if (component[s] >= 0 && !mask[z + (size_t)it->policy[s]])
                it->policy[s] = (int32_t)(stays - (mask + z));
        }
        LGKT_TRY(lgkt_iterate(it, within, error));
        if (*within && !it->result->stopped)
            LGKT_TRY(lgkt_components_connect(it, within, error));
        it->groups = 1;
        it->group = NULL;
        it->mask = NULL;
        if (it->result->stopped) {
            // back to what sweeps know of all states
            it->low[0] = -INFINITY;
            it->high[0] = INFINITY;
            take_certificate(it, false);
        }
        if (!*within || it->result->stopped)
            return LGKT_OK;
        double least = INFINITY, most = -INFINITY;
        for (int32_t s = 0; s < mdp->states; s++) {
            least = fmin(least, it->gain[s]);
            most = fmax(most, it->gain[s]);
        }
        it->result->differs =
            most - least > it->result->below + it->result->above + TIE * it->scale;
        lgkt_evaluation_forget(&it->v);
    }
    int32_t closed;
    if (it->result->differs)
        return lgkt_iteration_evaluate(it, INFINITY, &closed, within, error);
    LGKT_TRY(lgkt_iterate(it, within, error));
    if (*within)
        take_certificate(it, true);
    return LGKT_OK;
}

// sweeps, and policy iteration where these take longer
static lgkt_status plan(lgkt_iteration *it, lgkt_values *values, uint8_t *mask, int32_t *component,
                        lgkt_error *error)
{
    const size_t n = (size_t)it->mdp->states, pairs = n * (size_t)it->mdp->actions;
    bool within = false;
    for (int64_t count = WARM_UP; !within; count = it->result->sweeps) {
        sweep(it, values, count);
        memcpy(it->h, values->v, n * sizeof *it->h);
        lgkt_certify(it, false);
        memcpy(it->policy, it->plain, n * sizeof *it->policy);
        take_certificate(it, false);
        it->result->limited = it->result->sweeps >= MOST_SWEEPS;
        if (lgkt_width(it) <= it->tolerance || it->result->stopped || it->result->limited)
            break;
        if (it->v.reward == NULL) {
            LGKT_TRY(prepare(it, error));
            if (it->discount >= 1)
                LGKT_TRY(lgkt_components_find(it->mdp, &it->hooks, mask, component,
                                              &it->result->components, error));
        }
        it->v.limit.work =
            DENSE_SPEED * (double)it->mdp->planning.begin[pairs] * (double)it->result->sweeps;
        LGKT_TRY(iterate_all(it, mask, component, &within, error));
    }
    return LGKT_OK;
}

static lgkt_status plan_all(const lgkt_mdp *mdp, double discount, const lgkt_plan_config *config,
                            lgkt_plan_result *result, lgkt_error *error)
{
    lgkt_iteration it;
    LGKT_TRY(lgkt_iteration_init(&it, mdp, config, result, error));
    it.discount = discount;
    const size_t n = (size_t)mdp->states;
    lgkt_values values = {.allocator = it.hooks};
    uint8_t *const mask = lgkt_alloc_zeroed(&it.hooks, n * (size_t)mdp->actions, 1);
    int32_t *const component = lgkt_alloc_zeroed(&it.hooks, n, sizeof *component);
    bool fits = true;
    if (discount < 1) {
        it.own.begin = lgkt_alloc_zeroed(&it.hooks, n + 1, sizeof *it.own.begin);
        it.own.next = lgkt_alloc_zeroed(&it.hooks, it.room, sizeof *it.own.next);
        it.own.p = lgkt_alloc_zeroed(&it.hooks, it.room, sizeof *it.own.p);
        fits = it.own.begin != NULL && it.own.next != NULL && it.own.p != NULL;
    }
    lgkt_status status = !fits || mask == NULL || component == NULL
                             ? lgkt_fail_memory(error, "a plan")
                             : lgkt_values_init(&values, mdp->states, 0, &it.hooks, error);
    if (status == LGKT_OK)
        status = plan(&it, &values, mask, component, error);
    // who wants no more does not wait for them
    const bool finds = result->component != NULL && result->components == 0 && discount >= 1;
    if (status == LGKT_OK && finds && result->stopped)
        memset(component, -1, n * sizeof *component);
    else if (status == LGKT_OK && finds)
        status = lgkt_components_find(mdp, &it.hooks, mask, component, &result->components, error);
    if (status == LGKT_OK) {
        lgkt_iteration_write(&it);
        if (result->component != NULL && discount >= 1)
            memcpy(result->component, component, n * sizeof *component);
    }
    lgkt_values_release(&values);
    lgkt_free(&it.hooks, mask);
    lgkt_free(&it.hooks, component);
    lgkt_iteration_release(&it);
    return status;
}

lgkt_status lgkt_plan_average(const lgkt_mdp *mdp, const lgkt_plan_config *config,
                              lgkt_plan_result *result, lgkt_error *error)
{
    return plan_all(mdp, 1, config, result, error);
}

lgkt_status lgkt_plan_discounted(const lgkt_mdp *mdp, double discount,
                                 const lgkt_plan_config *config, lgkt_plan_result *result,
                                 lgkt_error *error)
{
    LGKT_TRY(lgkt_check_discount(discount, error));
    return plan_all(mdp, discount, config, result, error);
}

lgkt_status lgkt_plan_gain(const lgkt_mdp *mdp, double tolerance, const lgkt_allocator *allocator,
                           double *gain, double *bias, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_model(mdp, error));
    LGKT_TRY(lgkt_check_given(gain, "gain", error));
    LGKT_TRY(lgkt_check_tolerance(tolerance, error));
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    const double scale = fmax(fabs(mdp->reward_min), fabs(mdp->reward_max));
    lgkt_plan_config config = lgkt_plan_config_default();
    config.tolerance = fmin(fmax(tolerance / fmax(scale, 1e-10), DBL_MIN), DBL_MAX);
    config.allocator = hooks;
    const size_t n = (size_t)mdp->states;
    double *const found = lgkt_alloc_zeroed(&hooks, 2 * n, sizeof *found);
    if (found == NULL)
        return lgkt_fail_memory(error, "a gain");
    lgkt_plan_result result = {.value = found, .bias = found + n};
    lgkt_status status = lgkt_plan_average(mdp, &config, &result, error);
    const double width = result.below + result.above;
    if (status == LGKT_OK && (result.differs || !(width <= tolerance)))
        status =
            lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE,
                      result.differs ? "the gain may depend on the start; it is known to %g after "
                                       "%lld sweeps and %lld policies"
                                     : "the gain is known to %g after %lld sweeps and %lld "
                                       "policies, not to the tolerance",
                      width, (long long)result.sweeps, (long long)result.policies);
    if (status == LGKT_OK) {
        *gain = found[0];
        if (bias != NULL)
            memcpy(bias, found + n, n * sizeof *bias);
    }
    lgkt_free(&hooks, found);
    return status;
}
