// SPDX-License-Identifier: MIT
// The learner `auto` from its definition; see auto_ref.h. Symbols are those of learners/auto/auto.c.
#include "ref/auto_ref.h"

#include <math.h>
#include <stdlib.h>

#include "learners/auto/auto.h"
#include "ref/spec_read.h"

enum { MOST_STEPS = 16384, MOST_STATES = 128, MOST_ACTIONS = 32 };

typedef long double real;

typedef struct event {
    int32_t state, action, next;
    double reward;
    bool ended;
    int before; // the event before it in the same state, or -1
    // of the time when it was played
    real n, alpha, earned;
    real thrown; // below 0: it was no step of a journey's way
    bool fresh;  // it led to a state not met before
    bool is_new; // its reward is unlike all others before
    bool quest, hunting;
} event;

// what was seen of a pair: how often, the mean, and the squares about it
typedef struct seen {
    real n, mean, squares;
} seen;

// the four numbers of a state, and of a step its reward
enum { H, V, W, D, NUMBERS, REWARD = NUMBERS };

// of the actions of a state
typedef struct row {
    seen of[NUMBERS + 1][MOST_ACTIONS];
    real most, expected; // the highest mean that one of them may have; reward of an untried one
} row;

typedef struct spread {
    real mean, within, between, noise;
} spread;

// What the last refresh says of later sweeps: h = base + slope c, and so on; -1: none.
typedef struct plan {
    int32_t best, on, way;
    real base, slope, reward, path, cost;
} plan;

// what a refresh finds
typedef struct view {
    row seen;
    real mean_reward[MOST_ACTIONS], mean[MOST_ACTIONS], index[MOST_ACTIONS], slope[MOST_ACTIONS];
    real worth[MOST_ACTIONS], chance[MOST_ACTIONS];
    real value[NUMBERS];
    plan plan;
} view;

// what the run tells as a whole
typedef struct run {
    bool differs;
    real highest, lowest;
    real found_states, found_rewards, tries, tried, finds; // F, F_r, W, N_p
    real spent, thrown, steady;                            // C, B, g
    int values;                                            // distinct rewards
} run;

struct auto_ref {
    int32_t states, actions;
    int64_t horizon, t;
    real depth, visits, limit, pull, max, min;
    int64_t refresh, sweep;

    event events[MOST_STEPS];
    int count;
    run past;              // from all events
    int last[MOST_STATES]; // event of each state, or -1

    real value[NUMBERS][MOST_STATES], gain, ahead, beta; // D is `ahead`
    plan plans[MOST_STATES];
    spread reward, next;
    int32_t known[MOST_STATES]; // states, in the order in which they came up
    int32_t known_count, turn, sweep_turn;
    row round[MOST_STATES]; // the rows of this round, in that order

    real alpha, alpha_reward, lump, lump_new, nu, above, below, rho;
    bool quest; // the step at hand
    real way_left;
    bool quest_in_round, quest_in_last_round;
    int64_t quests; // steps that were

    view now; // of the state refreshed last
};

// ---- counting ----

static real x_of(const auto_ref *ref, const event *e)
{
    const real x = (real)e->reward - ref->events[0].reward;
    return fabsl(x) < AUTO_SAME ? 0 : x;
}

// reward of a step, or the number of the state it led to; false: it led nowhere
static bool number_of(const auto_ref *ref, const event *e, int kind, real *x)
{
    if (kind == REWARD)
        *x = x_of(ref, e);
    else if (!e->ended)
        *x = ref->value[kind][e->next];
    return kind == REWARD || !e->ended;
}

static seen see(const auto_ref *ref, int32_t s, int32_t a, int kind)
{
    seen of = {0, 0, 0};
    real x = 0, from = 0; // the first: the mean of equal numbers is that number
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        if (ref->events[i].action == a && number_of(ref, &ref->events[i], kind, &x)) {
            from = of.n == 0 ? x : from;
            of.n++;
            of.mean += x - from;
        }
    if (of.n == 0)
        return of;
    of.mean = from + of.mean / of.n;
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        if (ref->events[i].action == a && number_of(ref, &ref->events[i], kind, &x))
            of.squares += (x - of.mean) * (x - of.mean);
    return of;
}

static int visits_of(const auto_ref *ref, int32_t s)
{
    int n = 0;
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        n++;
    return n;
}

static bool is_met(const auto_ref *ref, int32_t s)
{
    for (int32_t i = 0; i < ref->known_count; i++)
        if (ref->known[i] == s)
            return true;
    return false;
}

static bool is_new_value(const auto_ref *ref, int i)
{
    for (int j = 0; j < i; j++)
        if (x_of(ref, &ref->events[j]) == x_of(ref, &ref->events[i]))
            return false;
    return true;
}

// the k-th of some numbers weighs k times as much as the first
typedef struct ramp {
    real k, sum, weights;
} ramp;

static void ramp_add(ramp *of, real x)
{
    of->k++;
    of->sum += of->k * x;
    of->weights += of->k;
}

static real ramp_mean(const ramp *of)
{
    return of->k > 0 ? of->sum / of->weights : 0;
}

static run look_back(const auto_ref *ref)
{
    run r = {0};
    ramp steady = {0}, thrown = {0};
    for (int i = 0; i < ref->count; i++) {
        const event *e = &ref->events[i];
        const real x = x_of(ref, e);
        if (x != 0 && !r.differs) {
            r.differs = true;
            steady = (ramp){0};
            r.spent = 0;
        }
        if (e->n > 0) {
            r.found_states += e->fresh;
            r.found_rewards += x > r.highest;
            r.tries += 1 / (e->n + e->alpha);
        }
        r.tried += e->n == 0;
        r.finds += e->fresh && e->hunting;
        if (e->quest)
            r.spent = fmaxl(0, r.spent - e->earned);
        else
            ramp_add(&steady, x);
        if (e->thrown >= 0)
            ramp_add(&thrown, e->thrown);
        r.highest = fmaxl(r.highest, x);
        r.lowest = fminl(r.lowest, x);
        r.values += e->is_new;
    }
    r.steady = ramp_mean(&steady);
    r.thrown = ramp_mean(&thrown);
    return r;
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

static real pooled_noise(const auto_ref *ref, int kind)
{
    real squares = 0, degrees = 0;
    for (int32_t i = 0; i < ref->known_count && kind != V; i++) // means of v have no noise
        for (int32_t a = 0; a < ref->actions; a++) {
            const seen *pair = &ref->round[i].of[kind][a];
            squares += pair->squares;
            degrees += pair->n > 0 ? pair->n - 1 : 0;
        }
    return degrees > 0 ? squares / degrees : 0;
}

static spread settle(const auto_ref *ref, int kind)
{
    const real noise = pooled_noise(ref, kind);
    sums all = {0}, about = {0};
    for (int32_t i = 0; i < ref->known_count; i++)
        add_up(&all, ref->round[i].of[kind], ref->actions, 0);
    if (all.pairs == 0)
        return (spread){0, 0, 0, 0};
    const real mean = all.sum / all.pairs;
    real own = 0, degrees = 0;
    for (int32_t i = 0; i < ref->known_count; i++) {
        const seen *of = ref->round[i].of[kind];
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
    const real least = (real)AUTO_LEAST * sampled;
    const real whole = fmaxl(least, sampled - noise * all.rarity / all.pairs);
    const real within = degrees > 0 ? fmaxl(least, own / degrees) : whole;
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

typedef struct belief {
    real mean, variance, noise;
    real slope; // of the mean over that of the sights, where this is not cut off
} belief;

static belief believe(const spread *of_all, const seen *of, real expected, real limit)
{
    if (of->n == 0)
        return (belief){expected, of_all->within, of_all->noise, 0};
    const real noise = (2 * of_all->noise + of->squares) / (of->n + 1);
    if (noise == 0)
        return (belief){of->mean, 0, 0, 1};
    const real share = noise / (noise + of->n * of_all->within);
    const real most = limit * sqrtl(noise / of->n);
    const real move = share * (expected - of->mean);
    const bool is_cut = fabsl(move) > most * (1 + (real)AUTO_TIE);
    return (belief){of->mean + fmaxl(-most, fminl(most, move)), share * of_all->within, noise,
                    is_cut || of_all->within == 0 ? 1 : 1 - share};
}

// ---- a refresh ----

static void see_row(const auto_ref *ref, int32_t s, row *of)
{
    for (int kind = 0; kind <= NUMBERS; kind++)
        for (int32_t a = 0; a < ref->actions; a++)
            of->of[kind][a] = see(ref, s, a, kind);
    of->expected = expect(ref, &ref->reward, of->of[REWARD]);
    of->most = -INFINITY;
    for (int32_t a = 0; a < ref->actions; a++)
        if (of->of[REWARD][a].n > 0) {
            const belief r =
                believe(&ref->reward, &of->of[REWARD][a], of->expected, (real)INFINITY);
            of->most = fmaxl(of->most, r.mean + sqrtl(r.variance));
        }
}

// no hope for more than twice the range
static real ceiling_of(const auto_ref *ref)
{
    const run r = ref->past;
    return (r.differs ? 2 * r.highest - r.lowest : 2) * ref->ahead;
}

static void weigh(auto_ref *ref, int32_t s, real left)
{
    view *o = &ref->now;
    const real beta = ref->beta, pairs = (real)ref->states * ref->actions;
    const real next = expect(ref, &ref->next, o->seen.of[H]);
    const real share =
        (visits_of(ref, s) + (real)2) / (ref->count + 2 * (real)(ref->known_count + 1));
    for (int32_t a = 0; a < ref->actions; a++) {
        const seen *rewards = &o->seen.of[REWARD][a];
        const belief r = believe(&ref->reward, rewards, o->seen.expected, ref->limit);
        const belief c = believe(&ref->next, &o->seen.of[H][a], next, ref->limit);
        const real v = r.variance + beta * beta * c.variance, e = r.noise + beta * beta * c.noise;
        const real visits = ref->visits * (left - 1) * share * left / (left + 2 * pairs);
        const double n = (double)(v > 0 ? visits * v / (v + e) : 0);
        const real price =
            rewards->n > 0 ? lgkt_reservation_normal(n) : lgkt_reservation_exponential(n);
        o->mean_reward[a] = r.mean;
        o->mean[a] = r.mean + beta * c.mean;
        o->index[a] = o->mean[a] + sqrtl(v) * price;
        o->slope[a] = c.slope;
    }
}

static void value_it(auto_ref *ref, int32_t s, real left)
{
    view *o = &ref->now;
    const real b = 1 - 1 / left, depth = ref->ahead;
    real plain = -INFINITY, tried = -INFINITY, top = -INFINITY;
    o->value[V] = -INFINITY;
    for (int32_t a = 0; a < ref->actions; a++) {
        if (o->mean[a] > plain) {
            plain = o->mean[a];
            o->plan.best = a;
        }
        top = fmaxl(top, o->index[a]);
        if (o->seen.of[REWARD][a].n == 0)
            continue;
        tried = fmaxl(tried, o->index[a]);
        const real q = o->mean_reward[a] - ref->gain + b * o->seen.of[V][a].mean;
        if (q > o->value[V]) {
            o->value[V] = q;
            o->plan.on = a;
            o->plan.reward = o->mean_reward[a];
        }
    }
    if (o->plan.on < 0)
        o->value[V] = ref->value[V][s];
    tried = fmaxl(tried, plain);
    top = fmaxl(top, tried);
    o->value[H] = plain + fminl(1, 2 * ref->depth / depth) * (tried - plain) +
                  fminl(1, ref->pull / depth) * (top - tried);
    o->value[H] = fminl(o->value[H], ceiling_of(ref));
    const int32_t best = o->plan.best;
    o->plan.slope = ref->beta * o->slope[best];
    o->plan.base = o->value[H] - o->plan.slope * o->seen.of[H][best].mean;
}

static void journey_it(auto_ref *ref, real left)
{
    view *o = &ref->now;
    const real b = 1 - 1 / left, plain = o->mean[o->plan.best];
    real w[MOST_ACTIONS] = {0}, d[MOST_ACTIONS] = {0}, top = -INFINITY;
    for (int32_t a = 0; a < ref->actions; a++) {
        const real n = o->seen.of[REWARD][a].n;
        const real chance = n > 0 ? ref->alpha / (n + ref->alpha) : ref->nu;
        // what comes at try n + 1 for the first time is taken to come in 2 of n + 1 tries
        const real record = n > 0 ? ref->alpha_reward / (n + ref->alpha_reward) * 2 / (n + 1) : 1;
        const real path = n > 0 ? b * (1 - chance) : 0;
        const real q = o->mean_reward[a] - ref->gain + b * o->seen.of[V][a].mean;
        const real gap = n > 0 ? o->value[V] - q : fmaxl(0, ref->gain - o->mean_reward[a]);
        const real cost = fmaxl(gap, plain - o->mean[a]);
        o->chance[a] = chance;
        w[a] = chance * ref->lump_new + record * ref->lump - cost + path * o->seen.of[W][a].mean;
        d[a] = 1 + path * o->seen.of[D][a].mean;
        if (w[a] - ref->rho * d[a] > top) {
            top = w[a] - ref->rho * d[a];
            o->plan.way = a;
            o->plan.path = path;
            o->plan.cost = path * o->seen.of[W][a].mean - w[a];
        }
    }
    o->value[W] = w[o->plan.way];
    o->value[D] = d[o->plan.way];
    for (int32_t a = 0; a < ref->actions; a++)
        o->worth[a] = fmaxl(o->index[a], plain + ref->rho * o->value[D] + w[a] - ref->rho * d[a]);
}

static void set_v(auto_ref *ref, int32_t s, real v)
{
    ref->gain += (real)AUTO_RATE * (v - ref->value[V][s]) / (ref->known_count + 1);
    ref->value[V][s] = v;
}

static void refresh(auto_ref *ref, int32_t s, real left)
{
    view *o = &ref->now;
    see_row(ref, s, &o->seen);
    o->plan = (plan){.best = 0, .on = -1, .way = -1};
    o->value[W] = o->value[D] = 0;
    weigh(ref, s, left);
    value_it(ref, s, left);
    for (int32_t a = 0; a < ref->actions; a++)
        o->worth[a] = o->index[a];
    if (ref->lump > 0)
        journey_it(ref, left);
    set_v(ref, s, o->value[V]);
    for (int kind = 0; kind < NUMBERS; kind++)
        ref->value[kind][s] = o->value[kind];
    ref->plans[s] = o->plan;
}

static void sweep(auto_ref *ref, real left)
{
    const real most = ceiling_of(ref);
    for (int64_t i = 0; i < ref->sweep && i < ref->known_count; i++) {
        if (ref->sweep_turn <= 0 || ref->sweep_turn > ref->known_count)
            ref->sweep_turn = ref->known_count;
        const int32_t s = ref->known[--ref->sweep_turn];
        const plan *p = &ref->plans[s];
        const seen h = see(ref, s, p->best, H);
        const real old_v = p->on >= 0 ? see(ref, s, p->on, V).mean : 0;
        const real w = p->way >= 0 ? see(ref, s, p->way, W).mean : 0;
        const real d = p->way >= 0 ? see(ref, s, p->way, D).mean : 0;
        // all of these are of before it changes, as a state may lead to itself
        if (h.n > 0)
            ref->value[H][s] = fminl(p->base + p->slope * h.mean, most);
        if (p->on >= 0)
            set_v(ref, s, p->reward - ref->gain + (1 - 1 / left) * old_v);
        if (p->way >= 0 && ref->lump > 0) {
            ref->value[W][s] = p->path * w - p->cost;
            ref->value[D][s] = 1 + p->path * d;
        }
    }
}

// ---- rounds ----

// all sums of h over D steps move with D
static void set_depth(auto_ref *ref, const spread *longs, real left)
{
    const real known = ref->known_count, old = ref->ahead;
    const real least = ref->depth + sqrtl(known) + sqrtl(ref->count / (known + 1));
    const real felt = (real)AUTO_FELT * sqrtl((longs->within + longs->between) /
                                              (ref->reward.within + ref->reward.between));
    const bool often = ref->count >= 2 * known * ref->actions;
    ref->ahead = fmaxl(1, fminl(often && felt > least ? felt : least, left));
    ref->beta = 1 - 1 / ref->ahead;
    const real shift = ref->next.mean * (ref->ahead / old - 1);
    for (int32_t i = 0; i < ref->known_count; i++) {
        ref->value[H][ref->known[i]] += shift;
        // a sum that has moved by as much where it leads, too
        ref->plans[ref->known[i]].base += shift - ref->plans[ref->known[i]].slope * shift;
    }
    ref->next.mean += shift;
}

// in no unit while all rewards are equal; *chance is p
static real prize_of(const auto_ref *ref, const run *r, real *chance)
{
    if (isnan(ref->max)) {
        if (r->differs)
            *chance = fminl(*chance, 1 / ((r->tried + 1) * (r->values + 1)));
        if (r->values > AUTO_FEW)
            return 0;
        return (real)AUTO_GUESS * (r->differs ? r->highest - r->lowest : 1) / r->values;
    }
    const real top = ref->max - ref->events[0].reward + ref->above;
    const real bottom = isnan(ref->min) ? r->lowest : ref->min - ref->events[0].reward - ref->below;
    const real width = top - bottom, sigma = 1 / (1 + r->thrown);
    if (width <= 0)
        return 0;
    real found = -INFINITY;
    for (int32_t i = 0; i < ref->known_count; i++)
        found = fmaxl(found, ref->round[i].most);
    const real x = fminl(fmaxl(0, sigma * width - (r->steady - bottom)), sigma * width);
    const real prize = fminl(top - found, x * x / (2 * sigma * width));
    return fmaxl(0, r->differs ? prize : prize / width);
}

static void look_ahead(auto_ref *ref, real left)
{
    const run r = ref->past;
    const real known = ref->known_count, actions = ref->actions;
    real rarity = 0;
    for (int32_t i = 0; i < ref->known_count; i++)
        for (int32_t a = 0; a < ref->actions; a++)
            rarity += ref->round[i].of[REWARD][a].n > 0 ? 1 / ref->round[i].of[REWARD][a].n : 0;
    const real missing = ref->states - known;
    const real untried = fmaxl(0, known * actions - r.tried);
    ref->alpha = (r.found_states + 1) / (r.tries + 1);
    ref->alpha_reward = (r.found_rewards + 1) / (r.tries + 1);
    real chance = 1 / (ref->states * actions / (real)AUTO_PLACES - r.tried + 1);
    const real prize = prize_of(ref, &r, &chance);
    ref->lump = (real)AUTO_WORTH * chance * left * prize;
    const bool more = ref->lump > 0 && missing > 0;
    ref->nu = more ? fminl(1, known / (r.tried + 1)) : 0;
    const real ways = ref->alpha * rarity + ref->nu * untried + 1;
    const real bring = actions * ref->lump * fmaxl(1, missing / ways);
    const real follow = missing * missing / 2 * r.spent / (r.finds + 1);
    ref->lump_new = more ? fmaxl(0, bring - follow) : 0;
}

static void end_round(auto_ref *ref, real left)
{
    ref->turn = 0;
    ref->reward = settle(ref, REWARD);
    ref->next = settle(ref, H);
    const spread longs = settle(ref, V);
    if (ref->reward.within + ref->next.within == 0)
        ref->reward.within = ref->past.differs ? ref->reward.noise : 1;
    set_depth(ref, &longs, left);
    ref->quest_in_last_round = ref->quest_in_round;
    ref->quest_in_round = false;
    look_ahead(ref, left);
}

// a mean that is surely beyond what was told
static void move_bounds(auto_ref *ref)
{
    const real top = ref->max - ref->events[0].reward, bottom = ref->min - ref->events[0].reward;
    for (int32_t a = 0; a < ref->actions; a++) {
        const seen *of = &ref->now.seen.of[REWARD][a];
        if (of->n < 2)
            continue;
        const real noise = (2 * ref->reward.noise + of->squares) / (of->n + 1);
        const real error = (real)AUTO_SURE * sqrtl(noise / of->n);
        if (of->mean - error > top + ref->above)
            ref->above = of->mean - top;
        if (of->mean + error < bottom - ref->below)
            ref->below = bottom - of->mean;
    }
}

static void take_turns(auto_ref *ref, real left)
{
    if (left < 1)
        return;
    // rounded down below, so it is rounded as the learner does
    const double per_state = (double)(ref->count + 1) / (ref->known_count + 1);
    const double often = fmin(2 * (double)ref->refresh * AUTO_FEW / per_state, AUTO_FEW);
    const bool is_calm =
        per_state >= 2 * AUTO_FEW && left >= 2 * ref->ahead && !ref->quest_in_last_round;
    if (is_calm &&
        ref->count % (2 * (ref->refresh < ref->known_count ? ref->refresh : ref->known_count)) != 0)
        return;
    sweep(ref, left);
    const int64_t count = (int64_t)fmax(often, (double)ref->refresh);
    for (int64_t i = 0; i < count && ref->turn < ref->known_count; i++) {
        refresh(ref, ref->known[ref->known_count - 1 - ref->turn], left);
        ref->round[ref->turn++] = ref->now.seen;
        if (ref->past.differs)
            move_bounds(ref);
    }
    if (ref->turn == ref->known_count)
        end_round(ref, left);
}

// the first reward that differs
static void start_over(auto_ref *ref, real difference)
{
    for (int32_t s = 0; s < ref->states; s++) {
        for (int kind = 0; kind < NUMBERS; kind++)
            ref->value[kind][s] = 0;
        ref->plans[s] = (plan){.on = -1, .way = -1};
    }
    ref->turn = 0;
    ref->gain = ref->rho = ref->lump = ref->lump_new = ref->nu = 0;
    ref->reward = (spread){0, difference * difference, 0, 0};
    ref->next = (spread){0, 0, 0, 0};
}

// ---- steps ----

static void know(auto_ref *ref, int32_t s, real v)
{
    if (is_met(ref, s))
        return;
    ref->known[ref->known_count++] = s;
    ref->value[V][s] = v;
}

// how far a step of a journey's way throws one back
static real thrown_by(const auto_ref *ref, int32_t s, int32_t a)
{
    real sum = 0, n = 0;
    for (int i = ref->last[s]; i >= 0; i = ref->events[i].before)
        if (ref->events[i].action == a && !ref->events[i].ended) {
            sum += fmaxl(0, ref->value[D][ref->events[i].next] - ref->way_left);
            n++;
        }
    return n > 0 ? sum / n : 0;
}

static void take_step(auto_ref *ref, event e, real left)
{
    if (ref->count == MOST_STEPS)
        abort();
    const int32_t s = e.state;
    event *at = &ref->events[ref->count];
    e.n = see(ref, s, e.action, REWARD).n;
    e.alpha = ref->alpha;
    e.fresh = !e.ended && !is_met(ref, e.next);
    e.quest = ref->quest;
    e.before = ref->last[s];
    *at = e;
    ref->last[s] = ref->count++;
    at->earned = x_of(ref, at) - ref->gain;
    at->thrown = ref->way_left > 0 ? thrown_by(ref, s, e.action) : -1;
    know(ref, s, 0);
    if (!ref->past.differs && x_of(ref, at) != 0)
        start_over(ref, x_of(ref, at));
    at->hunting = ref->lump > 0;
    if (!e.ended)
        know(ref, e.next, ref->value[V][s]);
    at->is_new = is_new_value(ref, ref->count - 1);
    ref->past = look_back(ref);
    ref->quest = false;
    ref->way_left = 0;
    take_turns(ref, left);
}

void auto_ref_step(auto_ref *ref, int32_t state, int32_t action, double reward, int32_t next_state,
                   bool ended)
{
    ref->t++;
    const event e = {
        .state = state, .action = action, .next = next_state, .reward = reward, .ended = ended};
    take_step(ref, e, (real)(ref->horizon - ref->t - 1));
}

void auto_ref_watch(auto_ref *ref, int32_t state, int32_t action, double reward, int32_t next_state,
                    bool ended)
{
    const event e = {
        .state = state, .action = action, .next = next_state, .reward = reward, .ended = ended};
    take_step(ref, e, (real)(ref->horizon - ref->t));
}

// what the step that begins is for
static void begin(auto_ref *ref, int32_t a, real slack)
{
    const view *o = &ref->now;
    real top = -INFINITY;
    for (int32_t i = 0; i < ref->actions; i++)
        top = fmaxl(top, o->index[i]);
    ref->quest = o->index[a] < top - slack;
    ref->quest_in_round |= ref->quest;
    ref->quests += ref->quest;
    if (ref->lump == 0)
        return;
    const bool tried = o->seen.of[REWARD][a].n > 0;
    const real rate = o->value[W] > 0 ? o->value[W] / o->value[D] : 0;
    ref->rho += (real)AUTO_RATE * (rate - ref->rho);
    if (a == o->plan.way && o->value[W] > 0 && tried)
        ref->way_left = o->value[D];
}

int32_t auto_ref_act(auto_ref *ref, int32_t state, lgkt_rng *rng)
{
    know(ref, state, 0);
    refresh(ref, state, (real)(ref->horizon - ref->t));
    const view *o = &ref->now;
    const real slack = (real)AUTO_TIE * sqrtl(ref->reward.within + ref->next.within);
    real top = -INFINITY, least = INFINITY;
    for (int32_t a = 0; a < ref->actions; a++)
        top = fmaxl(top, o->worth[a]);
    for (int32_t a = 0; a < ref->actions; a++)
        if (o->worth[a] >= top - slack)
            least = fminl(least, o->seen.of[REWARD][a].n);
    int32_t ties[MOST_ACTIONS] = {0}, count = 0;
    for (int32_t a = 0; a < ref->actions; a++)
        if (o->worth[a] >= top - slack && o->seen.of[REWARD][a].n == least)
            ties[count++] = a;
    const int32_t action = ties[count > 1 ? lgkt_rng_below(rng, count) : 0];
    begin(ref, action, slack);
    return action;
}

// ---- what it holds ----

double auto_ref_index(const auto_ref *ref, int32_t action)
{
    return (double)ref->now.index[action];
}

double auto_ref_worth(const auto_ref *ref, int32_t action)
{
    return (double)ref->now.worth[action];
}

auto_ref_facts auto_ref_look(const auto_ref *ref)
{
    const run r = ref->past;
    return (auto_ref_facts){.depth = (double)ref->ahead,
                            .gain = (double)ref->gain,
                            .rho = (double)ref->rho,
                            .alpha = (double)ref->alpha,
                            .alpha_reward = (double)ref->alpha_reward,
                            .lump = (double)ref->lump,
                            .lump_new = (double)ref->lump_new,
                            .nu = (double)ref->nu,
                            .finds = (double)r.finds,
                            .spent = (double)r.spent,
                            .thrown = (double)r.thrown,
                            .steady = (double)r.steady,
                            .above = (double)ref->above,
                            .below = (double)ref->below,
                            .quests = ref->quests};
}

auto_ref_value auto_ref_value_of(const auto_ref *ref, int32_t s)
{
    return (auto_ref_value){(double)ref->value[H][s], (double)ref->value[V][s],
                            (double)ref->value[W][s], (double)ref->value[D][s]};
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
    ref->visits = spec_read_number(full_spec, "visits", NAN);
    ref->limit = spec_read_number(full_spec, "limit", NAN);
    ref->pull = spec_read_number(full_spec, "pull", NAN);
    ref->refresh = (int64_t)spec_read_number(full_spec, "refresh", 0);
    ref->sweep = (int64_t)spec_read_number(full_spec, "sweep", 0);
    ref->min = spec_read_number(full_spec, "reward-min", problem->reward_min);
    ref->max = spec_read_number(full_spec, "reward-max", problem->reward_max);
    ref->reward.within = ref->ahead = ref->alpha = ref->alpha_reward = 1;
    for (int32_t s = 0; s < MOST_STATES; s++) {
        ref->last[s] = -1;
        ref->plans[s] = (plan){.on = 0, .way = 0};
    }
    return ref;
}

void auto_ref_destroy(auto_ref *ref)
{
    free(ref);
}
