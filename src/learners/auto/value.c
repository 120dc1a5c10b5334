// SPDX-License-Identifier: MIT
// What a state is worth to `auto`: four numbers, h, v, w and d of the head of auto.c, by a refresh of
// all its actions, and in between by a sweep, which keeps the actions that the last refresh found to
// be best.

#include <math.h>
#include <string.h>

#include "learners/auto/auto.h"

// ---- what was seen of a pair ----

// Means over where a pair led, and in *h the first of them with its spread.
static LGKT_HOT lgkt_auto_value mean_after(const lgkt_auto *u, const lgkt_seen_row *pair,
                                           lgkt_sample *h)
{
    *h = (lgkt_sample){0, 0, 0};
    if (pair->moves == 0)
        return (lgkt_auto_value){0, 0, 0, 0};
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    // deviations from one of the values: what is far from 0 but alike has no spread
    const double near = u->values[edges[pair->first].next].h;
    double squares = 0;
    lgkt_auto_value sum = {0, 0, 0, 0};
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        const double count = edges[e].count;
        const lgkt_auto_value *y = &u->values[edges[e].next];
        const double off = y->h - near;
        sum.h += count * off;
        squares += count * off * off;
        sum.v += count * y->v;
        sum.w += count * y->w;
        sum.d += count * y->d;
    }
    const double part = 1 / pair->moves;
    const double about = squares - sum.h * (sum.h * part);
    *h = (lgkt_sample){near + sum.h * part, lgkt_larger(about, 0), pair->moves};
    return (lgkt_auto_value){h->mean, sum.v * part, sum.w * part, sum.d * part};
}

// ---- a refresh ----

// what all actions of a state are weighed with
typedef struct outlook {
    double reward, next; // expected of an untried action
    double visits;       // N but for the factor of the pair
    double b;            // 1 - 1/L
} outlook;

static void weigh(const lgkt_auto *u, const outlook *look, lgkt_auto_option *o)
{
    const lgkt_belief reward =
        lgkt_spread_believe(&u->reward, &o->reward, look->reward, u->set.limit);
    const lgkt_belief next = lgkt_spread_believe(&u->next, &o->next, look->next, u->set.limit);
    const double beta = u->beta;
    const double variance = reward.variance + beta * beta * next.variance;
    const double noise = reward.noise + beta * beta * next.noise;
    const double n = variance > 0 ? look->visits * (variance / (variance + noise)) : 0;
    const double price =
        o->reward.n > 0 ? lgkt_reservation_normal(n) : lgkt_reservation_exponential(n);
    o->expected = look->reward;
    o->mean_reward = reward.mean;
    o->mean = reward.mean + beta * next.mean;
    o->index = o->mean + sqrt(variance) * price;
    o->slope = 0;
    if (o->next.n > 0) {
        // where the move to what is expected is not cut, it gives way with the doubt
        const double doubt = u->next.within > 0 ? next.variance / u->next.within : 0;
        const double full = fabs(doubt * (look->next - o->next.mean));
        o->slope = fabs(next.mean - o->next.mean) < full * (1 - AUTO_TIE) ? 1 : 1 - doubt;
    }
}

// h, v and their plan
static void value_of(const lgkt_auto *u, const outlook *look, int32_t state, int32_t actions,
                     lgkt_auto_view *view)
{
    double plain = -INFINITY, tried = -INFINITY, top = -INFINITY, v = -INFINITY;
    lgkt_auto_plan *plan = &view->plan;
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_auto_option *o = &view->options[a];
        if (o->mean > plain) {
            plain = o->mean;
            plan->best = a;
        }
        top = lgkt_larger(top, o->index);
        if (o->reward.n == 0)
            continue;
        tried = lgkt_larger(tried, o->index);
        const double q = o->mean_reward - u->gain + look->b * o->after.v;
        if (q > v) {
            v = q;
            plan->on = a;
        }
    }
    tried = lgkt_larger(tried, plain);
    const double full = 2 * u->set.depth / u->depth, pull = u->set.pull / u->depth;
    const double h = plain + lgkt_smaller(1, full) * (tried - plain) +
                     lgkt_smaller(1, pull) * (lgkt_larger(top, tried) - tried);
    // no hope for more than twice the range; see auto.c
    const double most = (u->differs ? 2 * u->highest - u->lowest : 2) * u->depth;
    const lgkt_auto_option *best = &view->options[plan->best];
    view->value.h = lgkt_smaller(h, most);
    plan->slope = u->beta * best->slope;
    plan->base = view->value.h - plan->slope * best->next.mean;
    view->value.v = plan->on >= 0 ? v : u->values[state].v;
    plan->reward = plan->on >= 0 ? view->options[plan->on].mean_reward : 0;
}

// w, d and their plan
static void journey_of(const lgkt_auto *u, const outlook *look, int32_t actions,
                       lgkt_auto_view *view)
{
    const lgkt_quests *quests = &u->quests;
    const double plain = view->options[view->plan.best].mean;
    double highest = -INFINITY;
    for (int32_t a = 0; a < actions; a++) {
        lgkt_auto_option *o = &view->options[a];
        const double n = o->reward.n, behind = plain - o->mean;
        o->steps = 1;
        o->worth = -INFINITY;
        if (!(o->mean > -INFINITY))
            continue;
        if (n > 0) {
            const double q_r = 2 / (n + 1) * quests->alpha_reward / (n + quests->alpha_reward);
            const double path = look->b * (1 - (o->chance = quests->alpha / (n + quests->alpha)));
            o->gap = view->value.v - (o->mean_reward - u->gain + look->b * o->after.v);
            o->worth = o->chance * quests->lump_new + q_r * quests->lump + path * o->after.w;
            o->steps += path * o->after.d;
        } else {
            o->chance = quests->nu;
            o->gap = lgkt_larger(0, u->gain - o->mean_reward);
            o->worth = quests->lump + o->chance * quests->lump_new;
        }
        o->worth -= lgkt_larger(o->gap, behind);
        const double rate = o->worth - quests->rho * o->steps;
        if (rate > highest) {
            highest = rate;
            view->plan.way = a;
        }
    }
    if (view->plan.way < 0)
        return;
    const lgkt_auto_option *way = &view->options[view->plan.way];
    view->value.w = way->worth;
    view->value.d = way->steps;
    view->plan.path = way->reward.n > 0 ? look->b * (1 - way->chance) : 0;
    view->plan.cost = view->plan.path * way->after.w - way->worth;
    view->aim = plain + quests->rho * way->steps;
}

lgkt_auto_view lgkt_auto_refresh(const lgkt_learner *learner, int32_t state, double left)
{
    const lgkt_auto *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const size_t row = (size_t)state * (size_t)actions;
    lgkt_auto_option *options = u->options;
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_seen_row *pair = &u->counts.rows[row + (size_t)a];
        options[a].reward = (lgkt_sample){pair->reward, u->squares[row + (size_t)a], pair->n};
        options[a].after = mean_after(u, pair, &options[a].next);
    }
    const double pairs = (double)learner->problem.states * actions;
    const double share = ((double)u->visits[state] + 2) /
                         ((double)u->total + 2 * (u->known_count + !u->met[state] + 1));
    const size_t stride = sizeof *options;
    const outlook look = {
        .reward = lgkt_spread_expect(&u->reward, &options->reward, stride, actions),
        .next = lgkt_spread_expect(&u->next, &options->next, stride, actions),
        .visits = u->set.visits * (left - 1) * share * (left / (left + 2 * pairs)),
        .b = 1 - 1 / left};
    int32_t first = -1; // the first untried one stands for all of them
    for (int32_t a = 0; a < actions; a++) {
        lgkt_auto_option *o = &options[a];
        if (!lgkt_learner_offers(learner, row + (size_t)a)) {
            // nobody is to hope for it, here or from afar
            o->mean = o->index = o->mean_reward = -INFINITY;
        } else if (o->reward.n == 0 && first >= 0) {
            *o = options[first];
        } else {
            weigh(u, &look, o);
            first = o->reward.n == 0 ? a : first;
        }
    }
    lgkt_auto_view view = {
        .options = options, .plan = {.best = 0, .on = -1, .way = -1}, .aim = -INFINITY};
    value_of(u, &look, state, actions, &view);
    if (u->quests.lump > 0)
        journey_of(u, &look, actions, &view);
    return view;
}

// v of a state is another one; the gain follows, so that on the whole v stays where it is
static void move_v(lgkt_auto *u, lgkt_auto_value *value, double v)
{
    u->gain += AUTO_RATE * (v - value->v) / (u->known_count + 1);
    value->v = v;
}

void lgkt_auto_accept(lgkt_auto *u, int32_t state, const lgkt_auto_view *view)
{
    lgkt_auto_value *value = &u->values[state];
    move_v(u, value, view->value.v);
    *value = view->value;
    u->plans[state] = view->plan;
}

// ---- sweeps ----

static void sweep(lgkt_learner *learner, double left)
{
    lgkt_auto *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    const int64_t count = u->set.sweep < u->known_count ? u->set.sweep : u->known_count;
    const double b = 1 - 1 / left;
    const double most = (u->differs ? 2 * u->highest - u->lowest : 2) * u->depth;
    lgkt_sample unused;
    for (int64_t i = 0; i < count; i++) {
        if (u->sweep_turn <= 0 || u->sweep_turn > u->known_count)
            u->sweep_turn = u->known_count;
        const int32_t state = u->known[--u->sweep_turn];
        const lgkt_auto_plan *plan = &u->plans[state];
        const lgkt_seen_row *rows = &u->counts.rows[(size_t)state * actions];
        lgkt_auto_value *value = &u->values[state];
        lgkt_auto_value after = mean_after(u, &rows[plan->best], &unused);
        int32_t of = plan->best; // whose means these are
        if (rows[of].moves > 0)
            value->h = lgkt_smaller(plan->base + plan->slope * after.h, most);
        if (plan->on >= 0) {
            if (plan->on != of)
                after = mean_after(u, &rows[of = plan->on], &unused);
            move_v(u, value, plan->reward - u->gain + b * after.v);
        }
        if (plan->way >= 0 && u->quests.lump > 0) {
            if (plan->way != of)
                after = mean_after(u, &rows[plan->way], &unused);
            value->w = plan->path * after.w - plan->cost;
            value->d = 1 + plan->path * after.d;
        }
    }
}

// ---- rounds ----

// pairs that plans take for impossible; those that were fed count as tried and not here
static double count_closed(const lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    int64_t closed = 0;
    if (learner->offered == NULL)
        return 0;
    for (int32_t i = 0; i < u->known_count; i++)
        for (size_t z = (size_t)u->known[i] * actions, end = z + actions; z < end; z++)
            closed += learner->offered[z] == LGKT_OFFER_NEVER && u->counts.rows[z].n == 0;
    return (double)closed;
}

// D, with the spread of v over pairs; values go with it, since all of them are sums over D steps
static void set_depth(lgkt_auto *u, double pairs, const lgkt_pair_spread *longs, double left)
{
    const double known = u->known_count;
    const double least = u->set.depth + sqrt(known) + sqrt((double)u->total / (known + 1));
    const double felt =
        AUTO_FELT * sqrt((longs->within + longs->between) / (u->reward.within + u->reward.between));
    const bool enough = (double)u->total >= 2 * pairs && felt > least;
    const double wanted = u->hidden.found ? 1 : lgkt_smaller(enough ? felt : least, left);
    const double depth = lgkt_larger(wanted, 1);
    const double shift = u->next.mean * (depth / u->depth - 1);
    for (int32_t i = 0; i < u->known_count; i++) {
        lgkt_auto_plan *plan = &u->plans[u->known[i]];
        u->values[u->known[i]].h += shift;
        plan->base += shift * (1 - plan->slope);
    }
    u->next.mean += shift;
    u->next_sums.origin += shift;
    u->depth = depth;
    u->beta = 1 - 1 / depth;
}

static void end_round(lgkt_learner *learner, double left)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const double states = (double)learner->problem.states, actions = learner->problem.actions;
    const double known = u->known_count, closed = count_closed(learner);
    u->turn = 0;
    u->reward = lgkt_spread_settle(&u->reward_sums);
    u->next = lgkt_spread_settle(&u->next_sums);
    const lgkt_pair_spread longs = lgkt_spread_settle(&u->long_sums);
    if (u->reward.within + u->next.within == 0)
        u->reward.within = u->differs ? u->reward.noise : 1;
    set_depth(u, known * actions - closed, &longs, left);
    const lgkt_auto_facts facts = {.left = left,
                                   .pairs = states * actions - closed,
                                   .states = states,
                                   .known = known,
                                   .usual = actions - closed / known,
                                   .rarity = quests->rarity_so_far,
                                   .top = u->set.range.max - u->origin + quests->above,
                                   .bottom = u->set.range.min - u->origin - quests->below,
                                   .highest = u->highest,
                                   .lowest = u->lowest,
                                   .found = quests->found_so_far,
                                   .gain = quests->steady,
                                   .differs = u->differs};
    lgkt_quests_settle(quests, u->total == 0 || u->hidden.found ? NULL : &facts);
}

void lgkt_auto_take_turns(lgkt_learner *learner, double left)
{
    lgkt_auto *u = learner->self;
    const int32_t actions = learner->problem.actions;
    if (u->known_count == 0 || left < 1)
        return;
    // while a state has few visits they tell much
    const double per_state = (double)(u->total + 1) / (u->known_count + 1);
    const double often = lgkt_smaller(2 * (double)u->set.refresh * AUTO_FEW / per_state, AUTO_FEW);
    const int64_t count = often > (double)u->set.refresh ? (int64_t)often : u->set.refresh;
    const bool is_calm =
        per_state >= 2 * AUTO_FEW && left >= 2 * u->depth && !u->quests.quest_in_last_round;
    const int64_t at_once = u->set.refresh < u->known_count ? u->set.refresh : u->known_count;
    if (is_calm && u->total % (2 * at_once) != 0)
        return;
    sweep(learner, left);
    for (int64_t i = 0; i < count && u->turn < u->known_count; i++) {
        // what was met last comes first: it leads to the rest
        const int32_t state = u->known[u->known_count - 1 - u->turn++];
        const lgkt_auto_view view = lgkt_auto_refresh(learner, state, left);
        lgkt_auto_accept(u, state, &view);
        const size_t stride = sizeof *view.options;
        lgkt_spread_add(&u->reward_sums, &view.options->reward, stride, actions);
        lgkt_spread_add(&u->next_sums, &view.options->next, stride, actions);
        for (int32_t a = 0; a < actions; a++) // the same pairs with v in place of h
            view.options[a].next =
                (lgkt_sample){view.options[a].after.v, 0, view.options[a].next.n};
        lgkt_spread_add(&u->long_sums, &view.options->next, stride, actions);
        lgkt_quests_note(&u->quests, view.options, actions, &u->reward,
                         u->differs ? u->set.range.max - u->origin : NAN,
                         u->differs ? u->set.range.min - u->origin : NAN);
    }
    if (u->turn == u->known_count)
        end_round(learner, left);
}

void lgkt_auto_void(lgkt_learner *learner, double unit)
{
    lgkt_auto *u = learner->self;
    u->differs = true;
    u->turn = 0;
    u->gain = 0;
    for (int32_t s = 0; s < learner->problem.states; s++) {
        u->values[s] = (lgkt_auto_value){0, 0, 0, 0};
        u->plans[s] = (lgkt_auto_plan){.on = -1, .way = -1};
    }
    u->reward_sums = u->next_sums = u->long_sums = (lgkt_spread_sums){0};
    u->reward = (lgkt_pair_spread){.within = unit * unit};
    u->next = (lgkt_pair_spread){0};
    lgkt_quests_void(&u->quests);
}
