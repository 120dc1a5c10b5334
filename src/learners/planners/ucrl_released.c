// SPDX-License-Identifier: MIT
// What the program released with the LGKT paper (evi.py) does otherwise than the papers of its
// learners, where it takes more than another number: settings of ucrl2, klucrl and pmevi, all of
// them on with profile=released. docs/baselines.md has the list; rows that drift are in drifting.c.
//
//   choice=first          After the last sweep there is another one, from v. Of its values q the
//                         first action with q >= V - 0.01 is played, V the highest, projected with
//                         PMEVI: not the best one. Which is first is up to the order of a Python set.
//
//   projection=released   PMEVI with c0 = delta^(-1/6) in the place of T^(1/5), in units of rewards:
//     inner regret   B0 = steps gtil - earned, gtil the lowest gain of any planning and at most 1;
//                    neither is optimistic there, and B0 may be negative
//     error          e(x,y) = [3 c0 + c0 sqrt(8 t ln(2/delta)) + 2 B0] / max(1, legs(x,y))
//     constraints    h(x) - h(y) <= chat(x,y) + e(x,y); no bound on the span; where they contradict
//                    each other, as they may after a negative B0, there are none
//     mitigation     beta = sqrt(1 + 1/n) (sqrt(2 var+ L/n) + 3 c L/n),  L = ln(sqrt(1 + n)/delta),
//                    c = max chat + max(0, max e),
//                    var+ = Var_phat(h0) + 8 c min_x sum_y phat(y) e(y,x); none where it is negative
//     plan           A first run of sweeps is not projected. If the projection changes its result
//                    by more than 1e-6 in all, a second run from the same start is, in each sweep.
//
// Such gains and regrets are in units of rewards that are told to lie in [0, 1].

#include "learners/planners/ucrl.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"

#define SLACK 0.01

// ---- the order of a Python set ----

// The pairs (s, a) are put into a set one by one, and the set is copied. What follows are the rules
// of CPython (3.8 and later): hash of a pair of integers, open addressing in runs of ten places, and
// when a table grows.

static uint64_t pair_hash(uint64_t state, uint64_t action)
{
    const uint64_t prime1 = 11400714785074694791u, prime2 = 14029467366897019727u,
                   prime5 = 2870177450012600261u, lanes[] = {state, action};
    uint64_t hash = prime5;
    for (int i = 0; i < 2; i++) {
        hash += lanes[i] * prime2;
        hash = (hash << 31 | hash >> 33) * prime1;
    }
    return hash + (2 ^ (prime5 ^ 3527539u));
}

// a table of 1 + z for the pairs z in it, 0 for a free place
static void insert(int32_t *table, size_t size, size_t z, size_t actions)
{
    const size_t mask = size - 1;
    uint64_t perturb = pair_hash(z / actions, z % actions);
    for (size_t i = (size_t)(perturb & mask);;) {
        const size_t end = i + 9 <= mask ? i + 9 : i;
        for (size_t j = i; j <= end; j++)
            if (table[j] == 0) {
                table[j] = (int32_t)(z + 1);
                return;
            }
        perturb >>= 5;
        i = (i * 5 + 1 + (size_t)perturb) & mask;
    }
}

static size_t size_above(size_t least)
{
    size_t size = 8;
    while (size <= least)
        size *= 2;
    return size;
}

// moves everything into a table of another size
static void resize(int32_t **table, int32_t **other, size_t *size, size_t to, size_t actions)
{
    int32_t *from = *table;
    memset(*other, 0, to * sizeof **other);
    for (size_t i = 0; i < *size; i++)
        if (from[i] != 0)
            insert(*other, to, (size_t)from[i] - 1, actions);
    *table = *other;
    *other = from;
    *size = to;
}

bool lgkt_python_order(int32_t *rank, int32_t states, int32_t actions,
                       const lgkt_allocator *allocator)
{
    const size_t pairs = (size_t)states * (size_t)actions, room = 8 * pairs + 64;
    int32_t *const tables = lgkt_alloc_zeroed(allocator, 2 * room, sizeof *tables);
    if (tables == NULL)
        return false;
    int32_t *table = tables, *other = tables + room;
    size_t size = 8;
    for (size_t z = 0; z < pairs; z++) {
        insert(table, size, z, (size_t)actions);
        if ((z + 1) * 5 >= (size - 1) * 3)
            resize(&table, &other, &size, size_above((z + 1) * (z + 1 > 50000 ? 2 : 4)),
                   (size_t)actions);
    }
    const size_t copied = pairs < 5 ? 8 : size_above(2 * pairs);
    if (copied != size)
        resize(&table, &other, &size, copied, (size_t)actions);
    int32_t next = 0;
    for (size_t i = 0; i < size; i++)
        if (table[i] != 0)
            rank[table[i] - 1] = next++;
    lgkt_free(allocator, tables);
    return true;
}

// ---- the first action that is good enough ----

int32_t lgkt_ucrl_best_first(lgkt_learner *learner, int32_t state)
{
    lgkt_ucrl *u = learner->self;
    const int32_t *rank = u->rank + (size_t)state * (size_t)learner->problem.actions;
    const int32_t count = lgkt_evi_best(&u->evi, state, learner->allowed, SLACK, u->ties);
    for (int32_t i = 1; i < count; i++)
        if (rank[u->ties[i]] < rank[u->ties[0]])
            u->ties[0] = u->ties[i];
    return 1;
}

void lgkt_ucrl_take_first(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    const int32_t actions = learner->problem.actions;
    lgkt_evi_sweep_on(&u->evi);
    for (int32_t s = 0; s < learner->problem.states; s++) {
        const size_t row = (size_t)s * (size_t)actions;
        int32_t first = -1;
        for (int32_t a = 0; a < actions; a++) {
            if (first >= 0 && u->rank[row + (size_t)a] > u->rank[row + (size_t)first])
                continue;
            if (lgkt_evi_reaches(&u->evi, row + (size_t)a, u->evi.v[s] - SLACK))
                first = a;
        }
        u->policy[s] = first;
    }
}

// ---- PMEVI ----

// of one planning
typedef struct released_error {
    double total; // e(x,y) max(1, legs)
    double span;  // max chat + max e
    double most;  // that u can differ within the planning, or more
} released_error;

static double legs_of(const lgkt_bias *bias, int32_t x, int32_t y, double *chat)
{
    int64_t legs;
    *chat = lgkt_bias_difference(bias, x, y, &legs);
    return legs < 1 ? 1 : (double)legs;
}

static released_error error_of(const lgkt_learner *learner)
{
    const lgkt_ucrl *u = learner->self;
    const double c0 = u->set.span, t = (double)u->started;
    const double regret = (double)u->bias.steps * u->least_gain - u->bias.reward;
    const double total = 3 * c0 + c0 * sqrt(8 * t * lgkt_log(2 / u->set.delta)) + 2 * regret;
    double chat, most_chat = 0, most_error = 0, least_reward = u->cap;
    for (int32_t y = 1; y < learner->problem.states; y++)
        for (int32_t x = 0; x < y; x++) {
            const double legs = legs_of(&u->bias, x, y, &chat);
            most_chat = fmax(most_chat, fabs(chat));
            most_error = fmax(most_error, total / legs);
        }
    for (int32_t s = 0; s < learner->problem.states; s++) {
        // v of a state is at least what its first action earns
        const double reward = u->evi.pairs[(size_t)s * (size_t)learner->problem.actions].reward;
        least_reward = fmin(least_reward, reward);
    }
    const double sweeps = 2 * ((double)u->set.sweeps + 1);
    // a sweep adds at most cap - least_reward to the span, or else it is projected
    const double span = most_chat + most_error;
    return (released_error){.total = total,
                            .span = span,
                            .most = fmax(span, u->evi.top + sweeps * (u->cap - least_reward))};
}

// min over x of sum_y phat(y) e(y,x)
static double least_error(const lgkt_learner *learner, const lgkt_seen_row *pair, double total)
{
    const lgkt_ucrl *u = learner->self;
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    double chat, least = INFINITY;
    for (int32_t x = 0; x < learner->problem.states; x++) {
        double sum = 0;
        for (int32_t e = pair->first; e >= 0; e = edges[e].other)
            if (edges[e].next != x)
                sum += edges[e].count / pair->moves * total /
                       legs_of(&u->bias, edges[e].next, x, &chat);
        least = fmin(least, sum);
    }
    return least;
}

// beta; the reference bias h0 is in evi.v
static double mitigation_of(const lgkt_learner *learner, size_t z, const released_error *error)
{
    const lgkt_ucrl *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const double n = pair->moves;
    if (!(n > 0))
        return INFINITY;
    const double log_term = lgkt_log(sqrt(1 + n) / u->set.delta);
    const double linear = 3 * error->span * log_term / n;
    // no next value is that far from the mean
    if (linear >= error->most)
        return INFINITY;
    const double variance = lgkt_ucrl_bias_variance(u, pair) +
                            8 * error->span * least_error(learner, pair, error->total);
    return variance < 0 ? INFINITY : sqrt(1 + 1 / n) * (sqrt(2 * variance * log_term / n) + linear);
}

void lgkt_ucrl_constrain_released(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    lgkt_bias *bias = &u->bias;
    const int32_t states = learner->problem.states;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    const released_error error = error_of(learner);
    bias->span = INFINITY;
    lgkt_bias_constrain(bias, states, error.total);
    int64_t legs;
    for (int32_t s = 0; s < states; s++)
        u->evi.v[s] = lgkt_bias_difference(bias, s, 0, &legs);
    lgkt_bias_project(bias, u->evi.v, states);
    for (size_t z = 0; z < pairs; z++) {
        u->evi.pairs[z].mitigation = mitigation_of(learner, z, &error);
        lgkt_evi_touch(&u->evi, z);
    }
}

double lgkt_ucrl_solve_released(lgkt_learner *learner)
{
    lgkt_ucrl *u = learner->self;
    lgkt_evi *evi = &u->evi;
    const size_t states = (size_t)learner->problem.states;
    double *projected = evi->value; // of no use between sweeps
    memcpy(u->start, evi->u, states * sizeof *u->start);
    evi->bias = NULL;
    const double gain = lgkt_evi_solve(evi, u->precision);
    memcpy(projected, evi->v, states * sizeof *projected);
    lgkt_bias_project(&u->bias, projected, (int32_t)states);
    double change = 0;
    for (size_t s = 0; s < states; s++)
        change += fabs(projected[s] - evi->v[s]);
    evi->bias = &u->bias;
    if (!(change > 1e-6))
        return gain;
    memcpy(evi->v, u->start, states * sizeof *evi->v);
    lgkt_evi_go_on(evi);
    return lgkt_evi_solve(evi, u->precision);
}
