// SPDX-License-Identifier: MIT
// The learner `auto` from its definition; see auto_ref.h.
#include "ref/auto_ref.h"

#include <math.h>
#include <stdlib.h>

#include "learners/auto/auto.h"
#include "ref/spec_read.h"

enum { MOST_STEPS = 16384, MOST_STATES = 128, MOST_ACTIONS = 32 };

typedef long double real;

typedef struct event {
    int32_t action, next;
    double reward;
    bool ended;
    int before; // the event before it in the same state, or -1
} event;

// what was seen of a pair: how often, the mean, and the squares about it
typedef struct seen {
    real n, mean, squares;
} seen;

// of the actions of a state
typedef struct row {
    seen rewards[MOST_ACTIONS], nexts[MOST_ACTIONS];
} row;

typedef struct spread {
    real mean, within, between, noise;
} spread;

struct auto_ref {
    int32_t states, actions;
    int64_t horizon, t;
    double depth, growth, visits, limit, pull;
    int64_t refresh;

    event events[MOST_STEPS];
    int count;
    int last[MOST_STATES]; // event of each state, or -1

    real h[MOST_STATES], ahead, beta; // D is `ahead`
    spread reward, next;
    int32_t known[MOST_STATES]; // states, in the order in which they came up
    int32_t known_count, turn;
    row round[MOST_STATES]; // the rows of this round, in that order

    row now; // the state refreshed last
    real index[MOST_ACTIONS];
};

// ---- counting ----

static int visits_of(const auto_ref *ref, int32_t s)
{
    int n = 0;
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        n++;
    return n;
}

// one number of a step, if it has it
typedef bool (*number_fn)(const auto_ref *ref, const event *e, real *x);

static bool reward_of(const auto_ref *ref, const event *e, real *x)
{
    *x = (real)e->reward - ref->events[0].reward;
    return true;
}

static bool value_after(const auto_ref *ref, const event *e, real *x)
{
    *x = e->ended ? 0 : ref->h[e->next];
    return !e->ended;
}

static void see(const auto_ref *ref, int32_t s, number_fn number, seen *of)
{
    real x;
    for (int32_t a = 0; a < ref->actions; a++)
        of[a] = (seen){0, 0, 0};
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        if (number(ref, &ref->events[i], &x)) {
            of[ref->events[i].action].n++;
            of[ref->events[i].action].mean += x;
        }
    for (int32_t a = 0; a < ref->actions; a++)
        of[a].mean /= of[a].n > 0 ? of[a].n : 1;
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        if (number(ref, &ref->events[i], &x)) {
            const real off = x - of[ref->events[i].action].mean;
            of[ref->events[i].action].squares += off * off;
        }
}

static bool rewards_differ(const auto_ref *ref)
{
    for (int i = 1; i < ref->count; i++)
        if (ref->events[i].reward != ref->events[0].reward)
            return true;
    return false;
}

// ---- spreads ----

// number of seen pairs, sum and squares about `center`, sum of 1/n
typedef struct sums {
    real pairs, sum, squares, rarity;
} sums;

static void add_up(sums *to, const seen *of, int32_t actions, real center)
{
    for (int32_t a = 0; a < actions; a++)
        if (of[a].n > 0) {
            const real x = of[a].mean - center;
            to->pairs++;
            to->sum += x;
            to->squares += x * x;
            to->rarity += 1 / of[a].n;
        }
}

static const seen *of_round(const auto_ref *ref, int32_t i, bool rewards)
{
    return rewards ? ref->round[i].rewards : ref->round[i].nexts;
}

static real pooled_noise(const auto_ref *ref, bool rewards)
{
    real squares = 0, degrees = 0;
    for (int32_t i = 0; i < ref->known_count; i++)
        for (int32_t a = 0; a < ref->actions; a++) {
            const seen *pair = &of_round(ref, i, rewards)[a];
            squares += pair->squares;
            degrees += pair->n > 0 ? pair->n - 1 : 0;
        }
    return degrees > 0 ? squares / degrees : 0;
}

static spread settle(const auto_ref *ref, bool rewards)
{
    const real noise = pooled_noise(ref, rewards);
    sums all = {0}, about = {0};
    for (int32_t i = 0; i < ref->known_count; i++)
        add_up(&all, of_round(ref, i, rewards), ref->actions, 0);
    if (all.pairs == 0)
        return (spread){0, 0, 0, 0};
    const real mean = all.sum / all.pairs;
    real own = 0, degrees = 0;
    for (int32_t i = 0; i < ref->known_count; i++) {
        const seen *of = of_round(ref, i, rewards);
        sums state = {0}, state_about = {0};
        add_up(&about, of, ref->actions, mean);
        add_up(&state, of, ref->actions, 0);
        if (state.pairs < 2)
            continue;
        add_up(&state_about, of, ref->actions, state.sum / state.pairs);
        own += state_about.squares - noise * state.rarity * (state.pairs - 1) / state.pairs;
        degrees += state.pairs - 1;
    }
    const real sampled = all.pairs > 1 ? about.squares / (all.pairs - 1) : 0;
    const real whole = fmaxl(sampled / 20, sampled - noise * all.rarity / all.pairs);
    const real within = degrees > 0 ? fmaxl(sampled / 20, own / degrees) : whole;
    return (spread){mean, within, fmaxl(0, whole - within), noise};
}

// the mean of a state's pairs, by Bayes' rule
static real expect(const auto_ref *ref, const spread *of_all, const seen *of)
{
    if (of_all->between == 0)
        return of_all->mean;
    real precision = 1 / of_all->between, sum = precision * of_all->mean;
    for (int32_t a = 0; a < ref->actions; a++)
        if (of[a].n > 0) {
            const real weight = 1 / (of_all->within + of_all->noise / of[a].n);
            precision += weight;
            sum += weight * of[a].mean;
        }
    return sum / precision;
}

// ---- values ----

typedef struct belief {
    real mean, variance, noise;
} belief;

static belief believe(const auto_ref *ref, const spread *of_all, const seen *of, real expected)
{
    if (of->n == 0)
        return (belief){expected, of_all->within, of_all->noise};
    const real noise = (2 * of_all->noise + of->squares) / (of->n + 1);
    if (noise == 0)
        return (belief){of->mean, 0, 0};
    const real share = noise / (noise + of->n * of_all->within);
    const real most = (real)ref->limit * sqrtl(noise / of->n);
    const real move = share * (expected - of->mean);
    return (belief){of->mean + fmaxl(-most, fminl(most, move)), share * of_all->within, noise};
}

// what an action of a state is weighed with
typedef struct outlook {
    real reward, next; // expected
    real left;         // visits of the state
} outlook;

static outlook look_at(const auto_ref *ref, int32_t s)
{
    const real seen_here = visits_of(ref, s) + (real)3;
    const real share = seen_here / (ref->count + (real)3 * (ref->known_count + 1));
    return (outlook){expect(ref, &ref->reward, ref->now.rewards),
                     expect(ref, &ref->next, ref->now.nexts),
                     (real)ref->visits * (real)(ref->horizon - ref->t - 1) * share};
}

// mean and index of an action of the state refreshed last
static void weigh(const auto_ref *ref, const outlook *look, int32_t a, real *mean, real *index)
{
    const belief r = believe(ref, &ref->reward, &ref->now.rewards[a], look->reward);
    const belief c = believe(ref, &ref->next, &ref->now.nexts[a], look->next);
    const real beta = ref->beta;
    const real v = r.variance + beta * beta * c.variance, e = r.noise + beta * beta * c.noise;
    const double n = (double)(v > 0 ? look->left * v / (v + e) : 0);
    const bool tried = ref->now.rewards[a].n > 0;
    *mean = r.mean + beta * c.mean;
    *index =
        *mean + sqrtl(v) * (tried ? lgkt_reservation_normal(n) : lgkt_reservation_exponential(n));
}

static void refresh(auto_ref *ref, int32_t s)
{
    see(ref, s, reward_of, ref->now.rewards);
    see(ref, s, value_after, ref->now.nexts);
    const outlook look = look_at(ref, s);
    real plain = -INFINITY, tried = -INFINITY, top = -INFINITY;
    for (int32_t a = 0; a < ref->actions; a++) {
        real mean;
        weigh(ref, &look, a, &mean, &ref->index[a]);
        plain = fmaxl(plain, mean);
        top = fmaxl(top, ref->index[a]);
        if (ref->now.rewards[a].n > 0)
            tried = fmaxl(tried, ref->index[a]);
    }
    tried = fmaxl(tried, plain);
    top = fmaxl(top, tried);
    const real depth = ref->ahead;
    ref->h[s] = plain + fminl(1, 20 / depth) * (tried - plain) +
                fminl(1, (real)ref->pull / depth) * (top - tried);
    real highest = 0, lowest = 0;
    for (int i = 0; i < ref->count; i++) {
        const real x = (real)ref->events[i].reward - ref->events[0].reward;
        highest = fmaxl(highest, x);
        lowest = fminl(lowest, x);
    }
    const real ceiling = rewards_differ(ref) ? 2 * highest - lowest : 2;
    ref->h[s] = fminl(ref->h[s], ceiling * depth);
}

// ---- rounds ----

static void end_round(auto_ref *ref)
{
    ref->reward = settle(ref, true);
    ref->next = settle(ref, false);
    if (ref->reward.within + ref->next.within == 0)
        ref->reward.within = rewards_differ(ref) ? ref->reward.noise : 1;
    const real left = (real)(ref->horizon - ref->t);
    const real root = sqrtl(ref->count / (real)(ref->known_count + 1));
    const real least = (real)ref->depth + root, most = (real)ref->depth + (real)ref->growth * root;
    // once the pairs were seen often enough, as long as four times what a difference is felt for
    const real felt = 4 * sqrtl((ref->next.within + ref->next.between) /
                                (ref->reward.within + ref->reward.between));
    const bool often = ref->count >= 16 * ref->known_count * ref->actions;
    const real enough = often && felt > least ? felt : least;
    ref->ahead = fmaxl(1, fminl(fminl(enough, most), left));
    ref->beta = 1 - 1 / ref->ahead;
    ref->turn = 0;
}

static void refresh_some(auto_ref *ref)
{
    const real left = (real)(ref->horizon - ref->t);
    if (ref->count % 4 != 0 && ref->count >= 16 * ref->known_count && left >= 2 * ref->ahead)
        return;
    for (int64_t i = 0; i < ref->refresh && ref->turn < ref->known_count; i++) {
        refresh(ref, ref->known[ref->known_count - 1 - ref->turn]);
        ref->round[ref->turn] = ref->now;
        ref->turn++;
    }
    if (ref->turn == ref->known_count)
        end_round(ref);
}

static void start_over(auto_ref *ref, real difference)
{
    for (int32_t s = 0; s < ref->states; s++)
        ref->h[s] = 0;
    ref->turn = 0;
    ref->reward = (spread){0, difference * difference, 0, 0};
    ref->next = (spread){0, 0, 0, 0};
}

// ---- steps ----

static void know(auto_ref *ref, int32_t s)
{
    for (int32_t i = 0; i < ref->known_count; i++)
        if (ref->known[i] == s)
            return;
    ref->known[ref->known_count++] = s;
}

void auto_ref_step(auto_ref *ref, int32_t state, int32_t action, double reward, int32_t next_state,
                   bool ended)
{
    if (ref->count == MOST_STEPS)
        abort();
    const bool differed = rewards_differ(ref);
    ref->events[ref->count] = (event){action, next_state, reward, ended, ref->last[state]};
    ref->last[state] = ref->count++;
    know(ref, state);
    if (!differed && reward != ref->events[0].reward)
        start_over(ref, (real)reward - ref->events[0].reward);
}

int32_t auto_ref_act(auto_ref *ref, int64_t t, int32_t state, lgkt_rng *rng)
{
    ref->t = t;
    refresh_some(ref);
    know(ref, state);
    refresh(ref, state);
    real top = -INFINITY, least = INFINITY;
    for (int32_t a = 0; a < ref->actions; a++)
        top = fmaxl(top, ref->index[a]);
    const real enough = top - 1e-9L * sqrtl(ref->reward.within + ref->next.within);
    for (int32_t a = 0; a < ref->actions; a++)
        if (ref->index[a] >= enough)
            least = fminl(least, ref->now.rewards[a].n);
    int32_t ties[MOST_ACTIONS], count = 0;
    for (int32_t a = 0; a < ref->actions; a++)
        if (ref->index[a] >= enough && ref->now.rewards[a].n == least)
            ties[count++] = a;
    return ties[count > 1 ? lgkt_rng_below(rng, count) : 0];
}

double auto_ref_index(const auto_ref *ref, int32_t action)
{
    return (double)ref->index[action];
}

// ---- life ----

auto_ref *auto_ref_create(const char *full_spec, const lgkt_problem *problem)
{
    auto_ref *ref = calloc(1, sizeof *ref);
    if (ref == NULL || problem->states > MOST_STATES || problem->actions > MOST_ACTIONS) {
        free(ref);
        return NULL;
    }
    ref->states = problem->states;
    ref->actions = problem->actions;
    ref->horizon = problem->horizon;
    ref->depth = spec_read_number(full_spec, "depth", NAN);
    ref->growth = spec_read_number(full_spec, "growth", NAN);
    ref->visits = spec_read_number(full_spec, "visits", NAN);
    ref->limit = spec_read_number(full_spec, "limit", NAN);
    ref->pull = spec_read_number(full_spec, "pull", NAN);
    ref->refresh = (int64_t)spec_read_number(full_spec, "refresh", 0);
    ref->reward.within = 1;
    for (int32_t s = 0; s < MOST_STATES; s++)
        ref->last[s] = -1;
    return ref;
}

void auto_ref_destroy(auto_ref *ref)
{
    free(ref);
}
