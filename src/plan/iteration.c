// SPDX-License-Identifier: MIT
// Policy iteration for a long-run average or discounted values.
//
//     g + h(s) = max_a R(s,a) + discount sum_y P(y|s,a) h(y)    (Puterman 1994, chapters 6, 8, 9)
//
// For any h the best gain lies between the smallest and the largest entry of what the right side is
// more than h, and discounted values between h + these / (1 - discount). That is the certificate; it
// is computed as R + discount sum P(y) (h(y) - h(s)) - (1 - discount) h(s), and widened by what
// rounding can do.
//
// Policies are evaluated exactly (core/long_run.c). The next one is that of two sweeps of maxima in
// place, backwards and forwards (bold), or, where it is the same or earns less, the plain greedy
// one. A set of states that is left after 1e10 steps only counts as closed while policies are
// chosen: among its states a bias of 1e10 would hide all differences. Where a group has several
// closed sets, its states are led to the best one. The last policy is evaluated as it is.
#include <float.h>
#include <string.h>

#include "core/error.h"
#include "plan/iteration.h"

#define HUGE_BIAS 1e290 // says nothing any more
#define LONG      1e10  // steps after which a set that is left counts as closed
#define TIE       (16 * DBL_EPSILON)
enum { MOST_POLICIES = 1000, MOST_STALLS = 20 };

// ---- the certificate ----

// What a pair is worth above h(s), and how far rounding may have moved it, and what is a tie.
typedef struct worth {
    double q, error, tie;
} worth;

static worth worth_of(const lgkt_iteration *it, int32_t s, size_t z, bool fine)
{
    const lgkt_rows *const rows = &it->mdp->planning;
    const double *const h = it->h, reward = it->mdp->payoffs[z];
    const size_t begin = rows->begin[z], end = rows->begin[z + 1];
    if (fine) {
        double mass = 0;
        for (size_t i = begin; i < end; i++)
            mass += rows->p[i] * (fabs(h[rows->next[i]]) + fabs(h[s]));
        mass *= DBL_EPSILON * (double)(end - begin + 4);
        const double q = lgkt_row_gain(rows->next + begin, rows->p + begin, end - begin, s, h,
                                       it->v.rest, reward);
        const double size = it->scale + fabs(q) + mass;
        return (worth){q, 8 * DBL_EPSILON * size, TIE * size};
    }
    double q = reward, lost = 0, size = fabs(reward), mass = 0;
    for (size_t i = begin; i < end; i++) {
        const int32_t y = rows->next[i];
        if (y == s)
            continue;
        const double step = it->discount * rows->p[i] * (h[y] - h[s]);
        // what rounding takes off goes to the next one (Kahan): rows may be long
        const double more = step - lost, sum = q + more;
        lost = (sum - q) - more;
        q = sum;
        size += fabs(step);
        mass += rows->p[i] * (fabs(h[y]) + fabs(h[s]));
    }
    q -= (1 - it->discount) * h[s];
    size += (1 - it->discount) * fabs(h[s]);
    return (worth){q, 8 * DBL_EPSILON * size, TIE * (it->scale + size + mass)};
}

bool lgkt_certify(lgkt_iteration *it, bool fine)
{
    const size_t actions = (size_t)it->mdp->actions;
    bool changed = false, finite = true;
    for (int32_t s = 0; s < it->mdp->states; s++)
        finite = finite && fabs(it->h[s]) < HUGE_BIAS;
    // a bias beyond the range of doubles says nothing
    for (int32_t c = 0; c < it->groups; c++) {
        it->low[c] = finite ? INFINITY : -INFINITY;
        it->high[c] = finite ? -INFINITY : INFINITY;
    }
    if (!finite)
        return false;
    for (int32_t s = 0; s < it->mdp->states; s++) {
        const int32_t c = lgkt_iteration_group(it, s);
        it->plain[s] = it->policy[s];
        if (c < 0)
            continue;
        worth best = worth_of(it, s, (size_t)s * actions + (size_t)it->policy[s], fine);
        double low = best.q - best.error, high = best.q + best.error;
        for (size_t a = 0; a < actions; a++) {
            const size_t z = (size_t)s * actions + a;
            if (!lgkt_iteration_has(it, z) || (int32_t)a == it->policy[s])
                continue;
            const worth w = worth_of(it, s, z, fine);
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

double lgkt_width(const lgkt_iteration *it)
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
            double q = it->mdp->payoffs[z] - it->gain[s], out = 1 - it->discount;
            for (size_t k = rows->begin[z]; k < rows->begin[z + 1]; k++)
                if (rows->next[k] != s) {
                    q += it->discount * rows->p[k] * h[rows->next[k]];
                    out += it->discount * rows->p[k];
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
    for (int32_t s = 0; s < states; s++)
        it->marked[s] = 0;
    for (int32_t c = 0; c < it->groups; c++)
        it->marked[best[c]] = 1;
    for (int32_t s = 0; s < states; s++) {
        const int32_t c = lgkt_iteration_group(it, s);
        it->plain[s] = it->policy[s];
        it->turns[s] = c >= 0 && it->gain[s] < it->gain[best[c]] - TIE * it->scale;
    }
    lgkt_components_lead(it->mdp, it->mask, it->group, it->policy, it->marked, it->turns);
    return memcmp(it->plain, it->policy, (size_t)states * sizeof *it->plain) != 0;
}

lgkt_status lgkt_iteration_evaluate(lgkt_iteration *it, double patience, int32_t *closed,
                                    bool *within, lgkt_error *error)
{
    lgkt_chain *const chain = &it->v.chain;
    for (int32_t s = 0; s < it->mdp->states; s++) {
        const size_t z = (size_t)s * (size_t)it->mdp->actions + (size_t)it->policy[s];
        it->v.reward[s] = it->mdp->rewards[z];
        lgkt_chain_begin(chain, s);
        if (lgkt_iteration_group(it, s) >= 0)
            lgkt_chain_add_pair(chain, &it->mdp->planning, z, s, it->discount);
    }
    if (it->discount < 1)
        LGKT_TRY(
            lgkt_evaluate_discounted(&it->v, 1 - it->discount, it->gain, it->h, within, error));
    else
        LGKT_TRY(lgkt_evaluate(&it->v, patience, it->gain, it->h, within, error));
    *closed = 0;
    for (int32_t s = 0; s < it->mdp->states && *within; s++)
        *closed += it->v.e.root[s] && lgkt_iteration_group(it, s) >= 0;
    it->result->policies += *within;
    return LGKT_OK;
}

// what the groups earn in all, or states on average
static double sum_of_gains(const lgkt_iteration *it)
{
    double sum = 0;
    for (int32_t s = 0; s < it->mdp->states; s++)
        if (it->discount < 1)
            sum += (it->h[s] * (1 - it->discount) + it->gain[s]) / it->mdp->states;
        else if (it->v.e.root[s] && lgkt_iteration_group(it, s) >= 0)
            sum += it->gain[s];
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

// From now on closed is what is closed. Roots of sets that only seemed to be must not wait: what
// leads from one to the other could be too rare for a double.
static bool be_exact(lgkt_iteration *it)
{
    memset(it->v.late, 0, (size_t)it->mdp->states);
    lgkt_evaluation_forget(&it->v);
    return true;
}

lgkt_status lgkt_iterate(lgkt_iteration *it, bool *within, lgkt_error *error)
{
    bool exact = false, timid = false, bold = false;
    double most = -INFINITY;
    int32_t closed, stalls = 0;
    for (;;) {
        LGKT_TRY(lgkt_iteration_evaluate(it, exact ? INFINITY : LONG, &closed, within, error));
        if (!*within)
            return LGKT_OK;
        const bool last = it->result->policies >= MOST_POLICIES || stalls > MOST_STALLS;
        // sets that cannot be led to the best one are closed only for their length, or as good
        const bool leads = closed > it->groups && lead_to_best(it);
        if (closed > it->groups && (leads || !exact) && !last) {
            if (!leads)
                exact = be_exact(it);
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
        bool changed = lgkt_certify(it, false);
        it->result->sweeps++;
        if (!changed && lgkt_width(it) > it->tolerance && closed == 1 && it->v.e.cut == 0 &&
            it->discount >= 1) {
            lgkt_evaluation_refine(&it->v, it->gain, it->h);
            changed = lgkt_certify(it, true);
            it->result->sweeps++;
        }
        const double width = lgkt_width(it);
        if (!lgkt_iteration_goes_on(it, width))
            return LGKT_OK;
        if (changed && width > it->tolerance && !last)
            bold = step(it, !timid);
        else if (it->v.e.cut == 0 || exact)
            return LGKT_OK;
        else
            exact = be_exact(it);
    }
}
