// SPDX-License-Identifier: MIT
// Long-run average reward (gain) and bias, by sweeps and policy iteration.
//
//     g + h(s) = max_a R(s,a) + sum_y P(y|s,a) h(y)    (Puterman 1994, chapters 8 and 9)
//
// Sweeps: h <- tau (max_a R + P h) + (1 - tau) h with tau = 1/2, less its smallest entry: each step
// may also stay where it is, which makes every chain aperiodic. For any h the best gain lies between
// the smallest and the largest entry of max_a R + P h - h. That is the certificate; it is computed
// as R + sum P(y) (h(y) - h(s)), and widened by what rounding can do.
//
// Where sweeps would take longer than eliminations (eliminate.c), policies are evaluated exactly.
// The next one is the greedy one after two sweeps of maxima in place, backwards and forwards, or,
// where that is the same or earns less, the plain greedy one. A set of states that is left after
// 1e10 steps only counts as closed while policies are chosen: among its states a bias of 1e10 would
// hide all differences. Where a component has several closed sets, its states are led to the best
// one. The last policy is evaluated as it is.
//
// Errors cancel in h only if its root is visited often: it is the state that is visited most, and
// taken anew when another one is visited 8 times as often.
//
// The model must be one component and states that lead to it; components.c comes here for each.
#include <float.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/sized.h"
#include "plan/iteration.h"

#define TAU   0.5
#define LONG  1e10 // steps after which a set that is left counts as closed
#define TIE   (16 * DBL_EPSILON)
#define SPARE 16 // sweeps end when they are so many times as narrow as asked for
enum { WARM_UP = 200, MOST_SWEEPS = 1000000, MOST_POLICIES = 1000, MOST_STALLS = 20 };
// sweeps are worth while they cost no more than an elimination, whose multiplications take so many
// times less time
enum { DENSE_SPEED = 8 };

// ---- sweeps ----

// at most `count` sweeps; returns the width of what the last one added
static double sweep(lgkt_iteration *it, lgkt_values *values, int64_t count)
{
    const lgkt_mdp *const mdp = it->mdp;
    double width = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        size_t z = 0;
        for (int32_t s = 0; s < mdp->states; s++) {
            double best = -INFINITY;
            for (int32_t a = 0; a < mdp->actions; a++, z++) {
                const double q = lgkt_row_backup(&mdp->planning, z, mdp->payoffs[z], values->v);
                best = q > best ? q : best;
            }
            values->fresh[s] = TAU * best + (1 - TAU) * values->v[s];
        }
        lgkt_values_advance(values);
        it->result->sweeps++;
        width = values->span / TAU;
        if (width <= it->tolerance / SPARE || !lgkt_iteration_goes_on(it, width))
            break;
    }
    return width;
}

// ---- the certificate ----

// What a pair is worth above h(s), and how far rounding may have moved it, and what is a tie.
typedef struct worth {
    double q, error, tie;
} worth;

static worth worth_of(const lgkt_iteration *it, int32_t s, size_t z)
{
    const lgkt_rows *const rows = &it->mdp->planning;
    const double *const h = it->h, reward = it->mdp->payoffs[z];
    const size_t begin = rows->begin[z], end = rows->begin[z + 1];
    double q = reward, size = fabs(reward), mass = 0;
    for (size_t i = begin; i < end; i++) {
        const int32_t y = rows->next[i];
        if (y == s)
            continue;
        const double step = rows->p[i] * (h[y] - h[s]);
        q += step;
        size += fabs(step);
        mass += rows->p[i] * (fabs(h[y]) + fabs(h[s]));
    }
    return (worth){q, (double)(end - begin + 4) * DBL_EPSILON * size,
                   TIE * (it->scale + size + mass)};
}

// the certificate of h, and the plain greedy policy; returns whether it is another one
static bool certify(lgkt_iteration *it)
{
    const size_t actions = (size_t)it->mdp->actions;
    bool changed = false;
    for (int32_t c = 0; c < it->groups; c++) {
        it->low[c] = INFINITY;
        it->high[c] = -INFINITY;
    }
    for (int32_t s = 0; s < it->mdp->states; s++) {
        const int32_t c = lgkt_iteration_group(it, s);
        it->plain[s] = it->policy[s];
        if (c < 0)
            continue;
        worth best = worth_of(it, s, (size_t)s * actions + (size_t)it->policy[s]);
        double low = best.q - best.error, high = best.q + best.error;
        for (size_t a = 0; a < actions; a++) {
            const size_t z = (size_t)s * actions + a;
            if (!lgkt_iteration_has(it, z) || (int32_t)a == it->policy[s])
                continue;
            const worth w = worth_of(it, s, z);
            low = fmax(low, w.q - w.error);
            high = fmax(high, w.q + w.error);
            if (w.q > best.q + fmax(w.tie, best.tie)) {
                best = w;
                it->plain[s] = (int32_t)a;
            }
        }
        changed |= it->plain[s] != it->policy[s];
        it->low[c] = fmin(it->low[c], low);
        it->high[c] = fmax(it->high[c], high);
    }
    return changed;
}

static double width_of(const lgkt_iteration *it)
{
    double width = 0;
    for (int32_t c = 0; c < it->groups; c++)
        width = fmax(width, it->high[c] - it->low[c]);
    return width;
}

// ---- the next policy ----

// One sweep of maxima in place, from the last state or the first; the actions go to `to`.
static void sweep_in_place(lgkt_iteration *it, double *h, bool backwards, int32_t *to)
{
    const lgkt_rows *const rows = &it->mdp->planning;
    const size_t actions = (size_t)it->mdp->actions;
    const int32_t states = it->mdp->states;
    for (int32_t i = 0; i < states; i++) {
        const int32_t s = backwards ? states - 1 - i : i;
        if (lgkt_iteration_group(it, s) < 0)
            continue;
        double best = -INFINITY;
        for (size_t a = 0; a < actions; a++) {
            const size_t z = (size_t)s * actions + a;
            if (!lgkt_iteration_has(it, z))
                continue;
            double q = it->mdp->payoffs[z] - it->gain[s], out = 0;
            for (size_t k = rows->begin[z]; k < rows->begin[z + 1]; k++)
                if (rows->next[k] != s) {
                    q += rows->p[k] * h[rows->next[k]];
                    out += rows->p[k];
                }
            // who stays for good earns more than the gain for ever, or less
            q = out > 0 ? q / out : q > TIE * it->scale ? INFINITY : -INFINITY;
            const double tie = q == INFINITY ? 0 : TIE * (it->scale + fabs(q));
            if (q > best + tie || (q >= best - tie && (int32_t)a == it->policy[s])) {
                best = fmax(best, q);
                to[s] = (int32_t)a;
            }
        }
        h[s] = isfinite(best) ? best : h[s];
    }
}

// whether some move of a pair leads to a marked state
static bool reaches(const lgkt_iteration *it, size_t z, const uint8_t *marked)
{
    const lgkt_rows *const rows = &it->mdp->planning;
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++)
        if (marked[rows->next[i]])
            return true;
    return false;
}

void lgkt_lead(const lgkt_iteration *it, int32_t *policy, uint8_t *marked)
{
    const int32_t states = it->mdp->states;
    const size_t actions = (size_t)it->mdp->actions;
    bool backwards = false;
    // what the policy leads there by itself comes first; only then others are turned
    for (bool turns = false, more = true; more || !turns; backwards = !backwards) {
        turns = !more;
        more = false;
        for (int32_t i = 0; i < states; i++) {
            const int32_t s = backwards ? states - 1 - i : i;
            if (marked[s] || lgkt_iteration_group(it, s) < 0)
                continue;
            size_t a = (size_t)policy[s];
            bool found = reaches(it, (size_t)s * actions + a, marked);
            for (size_t b = 0; turns && !found && b < actions; b++) {
                a = b;
                found = lgkt_iteration_has(it, (size_t)s * actions + b) &&
                        reaches(it, (size_t)s * actions + b, marked);
            }
            if (found) {
                policy[s] = (int32_t)a;
                marked[s] = 1;
                more = true;
            }
        }
    }
}

// ---- policy iteration ----

// the policy with the best closed set of each group as its only one; returns whether it is another
static bool lead_to_best(lgkt_iteration *it)
{
    const int32_t states = it->mdp->states;
    int32_t *const best = it->v.best; // (groups)
    memset(best, -1, (size_t)it->groups * sizeof *best);
    for (int32_t s = 0; s < states; s++) {
        const int32_t c = lgkt_iteration_group(it, s);
        if (c >= 0 && it->v.e.root[s] && (best[c] < 0 || it->gain[s] > it->gain[best[c]]))
            best[c] = s;
    }
    memset(it->marked, 0, (size_t)states);
    for (int32_t c = 0; c < it->groups; c++)
        it->marked[best[c]] = 1;
    memcpy(it->plain, it->policy, (size_t)states * sizeof *it->plain);
    lgkt_lead(it, it->policy, it->marked);
    return memcmp(it->plain, it->policy, (size_t)states * sizeof *it->plain) != 0;
}

// evaluates the policy: gain and h; *closed is how many closed sets the groups have in all
static lgkt_status evaluate(lgkt_iteration *it, double patience, int32_t *closed, bool *within,
                            lgkt_error *error)
{
    lgkt_chain *const chain = &it->v.chain;
    for (int32_t s = 0; s < it->mdp->states; s++) {
        const size_t z = (size_t)s * (size_t)it->mdp->actions + (size_t)it->policy[s];
        it->v.reward[s] = it->mdp->rewards[z];
        chain->begin[s + 1] = chain->begin[s];
        if (lgkt_iteration_group(it, s) >= 0)
            lgkt_chain_add(chain, &it->mdp->planning, z, s, 1);
    }
    LGKT_TRY(lgkt_evaluate(&it->v, patience, it->gain, it->h, within, error));
    *closed = 0;
    for (int32_t s = 0; s < it->mdp->states && *within; s++)
        *closed += it->v.e.root[s] && lgkt_iteration_group(it, s) >= 0;
    it->result->policies += *within;
    return LGKT_OK;
}

// what the groups earn in all
static double sum_of_gains(const lgkt_iteration *it)
{
    double sum = 0;
    for (int32_t s = 0; s < it->mdp->states; s++)
        sum += it->v.e.root[s] && lgkt_iteration_group(it, s) >= 0 ? it->gain[s] : 0;
    return sum;
}

// the next policy; returns whether it is the bold one, of two sweeps
static bool step(lgkt_iteration *it, bool bold)
{
    const size_t size = (size_t)it->mdp->states * sizeof *it->policy;
    int32_t *const next = it->v.best;
    memcpy(next, it->policy, size);
    if (bold) {
        memcpy(it->fresh, it->h, (size_t)it->mdp->states * sizeof *it->h);
        sweep_in_place(it, it->fresh, true, next);
        sweep_in_place(it, it->fresh, false, next);
        it->result->sweeps += 2;
        bold = memcmp(next, it->policy, size) != 0;
    }
    memcpy(it->policy, bold ? next : it->plain, size);
    return bold;
}

lgkt_status lgkt_iterate(lgkt_iteration *it, bool *within, lgkt_error *error)
{
    bool exact = false, timid = false, bold = false;
    double most = -INFINITY;
    int32_t closed, stalls = 0;
    for (;;) {
        LGKT_TRY(evaluate(it, exact ? INFINITY : LONG, &closed, within, error));
        if (!*within)
            return LGKT_OK;
        const bool last = it->result->policies >= MOST_POLICIES || stalls > MOST_STALLS;
        // sets that cannot be led to the best one are closed only for their length, or as good
        const bool leads = closed > it->groups && lead_to_best(it);
        if (closed > it->groups && (leads || !exact) && !last) {
            exact |= !leads;
            continue;
        }
        const double sum = sum_of_gains(it), tie = TIE * it->scale * it->groups;
        if (bold && sum < most - tie) {
            memcpy(it->policy, it->plain, (size_t)it->mdp->states * sizeof *it->policy);
            timid = true;
            bold = false;
            continue;
        }
        stalls = sum > most + tie ? 0 : stalls + 1;
        most = fmax(most, sum);
        timid |= stalls > MOST_STALLS / 2;
        const bool changed = certify(it);
        it->result->sweeps++;
        const double width = width_of(it);
        if (!lgkt_iteration_goes_on(it, width))
            return LGKT_OK;
        if (changed && width > it->tolerance && !last)
            bold = step(it, !timid);
        else if (it->v.e.cut == 0 || exact)
            return LGKT_OK;
        else
            exact = true;
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
    it->scale = fmax(fabs(mdp->reward_min), fabs(mdp->reward_max));
    it->tolerance = it->config.tolerance * it->scale;
    it->hooks = lgkt_allocator_resolve(&it->config.allocator);
    const size_t n = (size_t)mdp->states;
    it->policy = lgkt_alloc_zeroed(&it->hooks, 2 * n, sizeof *it->policy);
    it->gain = lgkt_alloc_zeroed(&it->hooks, 5 * n, sizeof *it->gain);
    it->marked = lgkt_alloc_zeroed(&it->hooks, n, 1);
    if (it->policy == NULL || it->gain == NULL || it->marked == NULL) {
        lgkt_iteration_release(it);
        return lgkt_fail_memory(error, "a plan");
    }
    it->plain = it->policy + n;
    it->h = it->gain + n;
    it->fresh = it->gain + 2 * n;
    it->low = it->gain + 3 * n;
    it->high = it->gain + 4 * n;
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
}

// what evaluations need, within the memory allowed
static lgkt_status prepare(lgkt_iteration *it, lgkt_error *error)
{
    const lgkt_rows *const rows = &it->mdp->planning;
    const size_t actions = (size_t)it->mdp->actions;
    size_t room = 0;
    for (size_t s = 0; s < (size_t)it->mdp->states; s++) {
        size_t longest = 0;
        for (size_t z = s * actions; z < (s + 1) * actions; z++)
            if (rows->begin[z + 1] - rows->begin[z] > longest)
                longest = rows->begin[z + 1] - rows->begin[z];
        room += longest;
    }
    LGKT_TRY(lgkt_evaluation_init(&it->v, it->mdp->states, room, &it->hooks, error));
    it->v.limit.entries = it->config.memory / sizeof(double);
    it->v.begin = rows->begin;
    it->v.next = rows->next;
    it->v.stride = actions;
    return LGKT_OK;
}

// gain and interval where it is the same everywhere, from the certificate
static void take_certificate(lgkt_iteration *it, bool evaluated)
{
    lgkt_plan_result *const result = it->result;
    const double low = it->low[0], high = it->high[0];
    const double gain = evaluated ? it->gain[0] : low + (high - low) / 2;
    for (int32_t s = 0; s < it->mdp->states; s++)
        it->gain[s] = gain;
    result->below = fmax(0, gain - low);
    result->above = fmax(0, high - gain);
}

void lgkt_bias_shift(const double *bias, size_t n, double *to)
{
    double least = INFINITY;
    for (size_t s = 0; s < n; s++)
        least = fmin(least, bias[s]);
    for (size_t s = 0; s < n && to != NULL; s++)
        to[s] = bias[s] - least;
}

static void write_result(const lgkt_iteration *it)
{
    const size_t n = (size_t)it->mdp->states;
    lgkt_plan_result *const result = it->result;
    lgkt_bias_shift(it->h, n, result->bias);
    if (result->value != NULL)
        memcpy(result->value, it->gain, n * sizeof *it->gain);
    if (result->policy != NULL)
        memcpy(result->policy, it->policy, n * sizeof *it->policy);
}

// policy iteration, for components on their own where there are several
static lgkt_status iterate_all(lgkt_iteration *it, const uint8_t *mask, const int32_t *component,
                               bool *within, lgkt_error *error)
{
    const lgkt_mdp *const mdp = it->mdp;
    it->v.begin = mdp->planning.begin;
    if (it->result->components > 1) {
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
        return evaluate(it, INFINITY, &closed, within, error);
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
        certify(it);
        memcpy(it->policy, it->plain, n * sizeof *it->policy);
        take_certificate(it, false);
        it->result->limited = it->result->sweeps >= MOST_SWEEPS;
        if (width_of(it) <= it->tolerance || it->result->stopped || it->result->limited)
            break;
        if (it->v.reward == NULL) {
            LGKT_TRY(prepare(it, error));
            LGKT_TRY(lgkt_components_find(it->mdp, &it->hooks, mask, component,
                                          &it->result->components, error));
        }
        it->v.limit.work =
            DENSE_SPEED * (double)it->mdp->planning.begin[pairs] * (double)it->result->sweeps;
        LGKT_TRY(iterate_all(it, mask, component, &within, error));
    }
    return LGKT_OK;
}

lgkt_status lgkt_plan_average(const lgkt_mdp *mdp, const lgkt_plan_config *config,
                              lgkt_plan_result *result, lgkt_error *error)
{
    lgkt_iteration it;
    LGKT_TRY(lgkt_iteration_init(&it, mdp, config, result, error));
    const size_t n = (size_t)mdp->states;
    lgkt_values values = {.allocator = it.hooks};
    uint8_t *const mask = lgkt_alloc_zeroed(&it.hooks, n * (size_t)mdp->actions, 1);
    int32_t *const component = lgkt_alloc_zeroed(&it.hooks, n, sizeof *component);
    lgkt_status status = mask == NULL || component == NULL
                             ? lgkt_fail_memory(error, "a plan")
                             : lgkt_values_init(&values, mdp->states, 0, &it.hooks, error);
    if (status == LGKT_OK)
        status = plan(&it, &values, mask, component, error);
    if (status == LGKT_OK && result->component != NULL && result->components == 0)
        status = lgkt_components_find(mdp, &it.hooks, mask, component, &result->components, error);
    if (status == LGKT_OK) {
        write_result(&it);
        if (result->component != NULL)
            memcpy(result->component, component, n * sizeof *component);
    }
    lgkt_values_release(&values);
    lgkt_free(&it.hooks, mask);
    lgkt_free(&it.hooks, component);
    lgkt_iteration_release(&it);
    return status;
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
    if (status == LGKT_OK && result.differs)
        status = lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE,
                           "the gain depends on the start: %.9g from state 0, %d components",
                           found[0], result.components);
    else if (status == LGKT_OK && !(result.below + result.above <= tolerance))
        status = lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE,
                           "the gain is known to %g after %lld sweeps and %lld policies, not to %g",
                           result.below + result.above, (long long)result.sweeps,
                           (long long)result.policies, tolerance);
    if (status == LGKT_OK) {
        *gain = found[0];
        if (bias != NULL)
            memcpy(bias, found + n, n * sizeof *bias);
    }
    lgkt_free(&hooks, found);
    return status;
}
