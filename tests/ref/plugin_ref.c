// SPDX-License-Identifier: MIT
// The plug-in learner from its definition; see plugin_ref.h.
#include "ref/plugin_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lgkt/spec.h"
#include "ref/spec_read.h"

enum { MOST_STEPS = 4096, MOST_DEPTH = 40 };

typedef struct event {
    int32_t state, action, next;
    double reward;
    bool ended;
} event;

struct plugin_ref {
    int32_t states, actions;
    int64_t horizon;
    lgkt_threshold threshold;
    char untried[16], index[16], kind[32]; // kind: text of the threshold
    double aspiration, share, scale, width;
    int64_t k, k_max, refresh;
    bool deepens, seen_scale;

    event events[MOST_STEPS];
    int count;
    double rhobar, sigma;
    double *q;     // (S, A, MOST_DEPTH)
    double *v;     // (S, MOST_DEPTH)
    int32_t *turn; // (S)
};

// ---- counting ----

static int visits_of(const plugin_ref *ref, int32_t s, int32_t a)
{
    int n = 0;
    for (int i = 0; i < ref->count; i++)
        n += ref->events[i].state == s && (a < 0 || ref->events[i].action == a);
    return n;
}

static int tried_in(const plugin_ref *ref, int32_t s)
{
    int tried = 0;
    for (int32_t a = 0; a < ref->actions; a++)
        tried += visits_of(ref, s, a) > 0;
    return tried;
}

static double mean_reward(const plugin_ref *ref, int32_t s, int32_t a)
{
    double sum = 0;
    for (int i = 0; i < ref->count; i++)
        if (ref->events[i].state == s && ref->events[i].action == a)
            sum += ref->events[i].reward;
    return sum / visits_of(ref, s, a);
}

static int moves_to(const plugin_ref *ref, int32_t s, int32_t a, int32_t next)
{
    int n = 0;
    for (int i = 0; i < ref->count; i++) {
        const event *e = &ref->events[i];
        n += e->state == s && e->action == a && !e->ended && (next < 0 || e->next == next);
    }
    return n;
}

// mean and standard deviation, as of the steps at which they are taken
static void look_back(plugin_ref *ref)
{
    if (ref->count > 64 && ref->count % 8 != 0)
        return;
    double sum = 0, squares = 0;
    for (int i = 0; i < ref->count; i++)
        sum += ref->events[i].reward;
    ref->rhobar = sum / ref->count;
    for (int i = 0; i < ref->count; i++)
        squares += pow(ref->events[i].reward - ref->rhobar, 2);
    ref->sigma = sqrt(squares / ref->count);
}

// ---- values ----

static double *q_of(const plugin_ref *ref, int32_t s, int32_t a)
{
    return ref->q + ((size_t)s * (size_t)ref->actions + (size_t)a) * MOST_DEPTH;
}

// sum_y moves V_k(y) over the successors in the order they were first met, four at a time
static double sum_ahead(const plugin_ref *ref, int32_t s, int32_t a, int k)
{
    bool met[64] = {false};
    double total = 0, part[4] = {0};
    int length = 0;
    for (int i = 0; i < ref->count; i++) {
        const event *e = &ref->events[i];
        if (e->state != s || e->action != a || e->ended || met[e->next])
            continue;
        met[e->next] = true;
        part[length++ % 4] =
            moves_to(ref, s, a, e->next) * ref->v[(size_t)e->next * MOST_DEPTH + (size_t)k];
        if (length % 4 == 0) {
            total += (part[0] + part[1]) + (part[2] + part[3]);
            memset(part, 0, sizeof part);
        }
    }
    return total + ((part[0] + part[1]) + (part[2] + part[3]));
}

static void refresh_pair(plugin_ref *ref, int32_t s, int32_t a)
{
    const double m1 = mean_reward(ref, s, a);
    const int moves = moves_to(ref, s, a, -1);
    double *q = q_of(ref, s, a);
    q[0] = m1;
    for (int k = 1; k < MOST_DEPTH; k++)
        q[k] = m1 + (moves > 0 ? sum_ahead(ref, s, a, k - 1) * (1.0 / moves) : k * ref->rhobar);
}

static void refresh_state(plugin_ref *ref, int32_t s)
{
    for (size_t k = 0; k < MOST_DEPTH; k++) {
        double best = -INFINITY;
        for (int32_t a = 0; a < ref->actions; a++)
            if (visits_of(ref, s, a) > 0)
                best = fmax(best, q_of(ref, s, a)[k]);
        ref->v[(size_t)s * MOST_DEPTH + k] = best;
    }
}

void plugin_ref_step(plugin_ref *ref, int32_t state, int32_t action, double reward,
                     int32_t next_state, bool ended)
{
    if (ref->count == MOST_STEPS)
        abort();
    ref->events[ref->count++] = (event){state, action, next_state, reward, ended};
    look_back(ref);
    if (!ended && tried_in(ref, next_state) == 0)
        for (size_t k = 0; k < MOST_DEPTH; k++)
            ref->v[(size_t)next_state * MOST_DEPTH + k] = (double)(k + 1) * ref->rhobar;
    refresh_pair(ref, state, action);
    const int visits = visits_of(ref, state, -1);
    for (int64_t i = 0; i < ref->refresh && (visits <= 64 || visits % 8 == 0); i++) {
        ref->turn[state] = (ref->turn[state] + 1) % ref->actions;
        if (visits_of(ref, state, ref->turn[state]) > 0)
            refresh_pair(ref, state, ref->turn[state]);
    }
    refresh_state(ref, state);
    if (!ref->deepens)
        return;
    int tried = 0;
    for (int32_t s = 0; s < ref->states; s++)
        tried += tried_in(ref, s);
    const double depth = fmin(3 + floor(log2((double)ref->count / tried)), (double)ref->k_max);
    ref->k = ref->k > (int64_t)depth ? ref->k : (int64_t)depth;
}

// ---- untried actions ----

// E (X - z)+ = integral of P(X > u) over u > z; X = m - tau at least
static double expected_gain(double m, double tau, double z)
{
    const int parts = 20000;
    const double lowest = m - tau, from = fmax(z, lowest), step = 40 * tau / parts;
    double sum = 0;
    for (int i = 0; i < parts; i++)
        sum += exp(-(from + (i + 0.5) * step - lowest) / tau) * step;
    return sum + fmax(0, lowest - z);
}

double plugin_ref_price(double m, double tau, double visits)
{
    double low = m, high = m + 60 * tau;
    for (int i = 0; i < 60; i++) {
        const double z = (low + high) / 2;
        if (z - m < visits * expected_gain(m, tau, z))
            low = z;
        else
            high = z;
    }
    return low;
}

// the same price in closed form by Newton's method; the integral is too slow for every step
static double price_of(double m, double tau, double visits)
{
    double x = 0;
    for (int i = 0; i < 200; i++)
        x -= (x - visits * exp(-x - 1)) / (1 + visits * exp(-x - 1));
    return m + tau * x;
}

static bool pays(const plugin_ref *ref, int64_t t, int32_t s)
{
    double best = -INFINITY, sum = (double)ref->k * ref->rhobar;
    for (int32_t a = 0; a < ref->actions; a++)
        if (visits_of(ref, s, a) > 0) {
            best = fmax(best, q_of(ref, s, a)[ref->k - 1]);
            sum += q_of(ref, s, a)[ref->k - 1];
        }
    const double m = sum / (tried_in(ref, s) + 1);
    const double least = 1e-9 * (fabs(best) + fabs(m));
    const double visits =
        (double)(ref->horizon - t - 1) * (visits_of(ref, s, -1) + 1) / (ref->count + 1);
    return best <= m || price_of(m, fmax(ref->sigma, least), visits) > best;
}

static bool explores(const plugin_ref *ref, int64_t t, int32_t s)
{
    const int tried = tried_in(ref, s);
    if (tried == ref->actions || strcmp(ref->untried, "last") == 0)
        return false;
    if (strcmp(ref->untried, "first") == 0 || tried == 0)
        return true;
    if (strcmp(ref->untried, "share") == 0)
        return tried < ref->share * ref->actions;
    return pays(ref, t, s);
}

// ---- the choice ----

static double width_of(const plugin_ref *ref, double n)
{
    return sqrt(ref->width * log(n + 2) / (n + 2));
}

static double bonus_of(const plugin_ref *ref, double n)
{
    const double horizon = (double)ref->horizon;
    if (strcmp(ref->index, "paper") == 0)
        return 3.4 / n * sqrt(((n == 1 ? 0 : log(log(n))) + log(10 * horizon)) / n);
    const double t = strcmp(ref->index, "released") == 0 ? 1e5 : 10 * horizon;
    return 3.428 / (n + 1) * sqrt((log(log(n + 2)) + 2 * log(t)) / (n + 1));
}

static double gamma_of(const plugin_ref *ref, int64_t t, int32_t s)
{
    const lgkt_threshold *given = &ref->threshold;
    if (given->fn != NULL)
        return given->fn(given->ctx, t, s, (int32_t)ref->k);
    if (given->table != NULL)
        return given
            ->table[(t < given->table_steps ? t : given->table_steps - 1) * ref->states + s];
    if (strcmp(ref->kind, "none") == 0)
        return INFINITY;
    if (strcmp(ref->kind, "aspire") == 0)
        return (double)ref->k * (ref->rhobar + (ref->aspiration - 1) * ref->sigma);
    return strtod(ref->kind, NULL);
}

// one of those marked
static int32_t draw(const bool *member, int32_t actions, lgkt_rng *rng)
{
    int32_t count = 0, a = 0;
    for (int32_t b = 0; b < actions; b++)
        count += member[b];
    int32_t left = count > 1 ? lgkt_rng_below(rng, count) : 0;
    for (;; a++)
        if (member[a] && left-- == 0)
            return a;
}

int32_t plugin_ref_act(plugin_ref *ref, int64_t t, int32_t state, lgkt_rng *rng)
{
    bool member[64];
    for (int32_t a = 0; a < ref->actions; a++)
        member[a] = visits_of(ref, state, a) == 0;
    if (explores(ref, t, state))
        return draw(member, ref->actions, rng);
    const double scale = ref->seen_scale ? ref->sigma : ref->scale;
    double lcb[64], index[64], high = -INFINITY, top = -INFINITY;
    for (int32_t a = 0; a < ref->actions; a++) {
        const int n = visits_of(ref, state, a);
        const double value = q_of(ref, state, a)[ref->k - 1];
        lcb[a] = n > 0 ? value - scale * width_of(ref, n) : -INFINITY;
        index[a] = n > 0 ? value + scale * bonus_of(ref, n) : -INFINITY;
        high = fmax(high, lcb[a]);
        top = fmax(top, index[a]);
    }
    const bool good = high > -INFINITY && high >= gamma_of(ref, t, state);
    if (!good && strcmp(ref->untried, "last") == 0 && tried_in(ref, state) < ref->actions)
        return draw(member, ref->actions, rng);
    for (int32_t a = 0; a < ref->actions; a++)
        member[a] = good ? lcb[a] == high : index[a] == top;
    return draw(member, ref->actions, rng);
}

// ---- making ----

int64_t plugin_ref_depth(const plugin_ref *ref)
{
    return ref->k;
}

double plugin_ref_q(const plugin_ref *ref, int32_t state, int32_t action, int64_t k)
{
    return q_of(ref, state, action)[k - 1];
}

static void read_settings(plugin_ref *ref, const char *spec)
{
    char text[32] = "";
    spec_read_text(spec, "k", text, sizeof text);
    ref->deepens = strcmp(text, "auto") == 0;
    ref->k_max = (int64_t)spec_read_number(spec, "k-max", 0);
    ref->k = ref->deepens ? (ref->k_max < 3 ? ref->k_max : 3) : strtoll(text, NULL, 10);
    spec_read_text(spec, "scale", text, sizeof text);
    ref->seen_scale = strcmp(text, "seen") == 0;
    ref->scale = strtod(text, NULL);
    spec_read_text(spec, "threshold", ref->kind, sizeof ref->kind);
    spec_read_text(spec, "untried", ref->untried, sizeof ref->untried);
    spec_read_text(spec, "index", ref->index, sizeof ref->index);
    ref->aspiration = spec_read_number(spec, "aspiration", 0);
    ref->share = spec_read_number(spec, "share", 0);
    ref->width = spec_read_number(spec, "width", 0);
    ref->refresh = (int64_t)spec_read_number(spec, "refresh", 0);
    if (ref->refresh > ref->actions)
        ref->refresh = ref->actions;
}

plugin_ref *plugin_ref_create(const char *full_spec, const lgkt_problem *problem,
                              const lgkt_threshold *threshold)
{
    plugin_ref *ref = calloc(1, sizeof *ref);
    if (ref == NULL)
        return NULL;
    ref->states = problem->states;
    ref->actions = problem->actions;
    ref->horizon = problem->horizon;
    ref->threshold = *threshold;
    read_settings(ref, full_spec);
    const size_t states = (size_t)ref->states, actions = (size_t)ref->actions;
    ref->q = calloc(states * actions * MOST_DEPTH, sizeof *ref->q);
    ref->v = calloc(states * MOST_DEPTH, sizeof *ref->v);
    ref->turn = calloc(states, sizeof *ref->turn);
    if (ref->q != NULL && ref->v != NULL && ref->turn != NULL)
        return ref;
    plugin_ref_destroy(ref);
    return NULL;
}

void plugin_ref_destroy(plugin_ref *ref)
{
    if (ref == NULL)
        return;
    free(ref->q);
    free(ref->v);
    free(ref->turn);
    free(ref);
}
