// SPDX-License-Identifier: MIT
// auto: the learner to take when nothing is known. No reward scale, no threshold and no depth has
// to be chosen. It is ours, not the paper's.
//
// Idea: like LGKT, look ahead only as far as the data carry and stop trying once what is known is
// good enough. But plug the observed transitions in instead of sampling continuations, and let the
// spread of what was seen tell what an untried action may be worth.
//
//   n(s,a), phat(y|s,a)   visits and observed transitions of a pair
//   r(s,a)                mean reward, counted from the first reward ever seen
//   h(s)                  value of a state: what follows, discounted by beta
//   c(s,a) = sum_y phat(y|s,a) h(y)                continuation
//   D, beta = 1 - 1/D                              mean depth of the lookahead, see below
//
// Rewards and continuations are two numbers per pair, each with its own spread (spread.h). Shrunk
// to what is expected in the state they give a belief with mean, variance and noise:
//
//   m = m_r + beta m_c,   v = v_r + beta^2 v_c,   e = e_r + beta^2 e_c
//   N = visits L f(s) v / (v + e)                  L = steps that follow this one
//   f(s) = (visits of s + 3) / (all visits + 3 (known states + 1))
//   index(s,a) = m + sqrt(v) x(N)                  x: reservation price (reservation.c)
//
// An untried action has no sights, so all of a state share one index, with the price of a heavy
// tail. The action with the highest index is played; among equals the least tried, then a draw.
// v/(v + e) is there because one sight of a noisy pair tells little. `visits` is above 1 because a
// state that turns out good is visited more often than so far, and because what is learned in one
// state is used in all that lead there.
//
//   h(s) = plain + w_1 (tried - plain) + w_2 (top - tried)
//   plain = max m,  tried = max index of tried actions,  top = max index,
//   each at least the one before;  w_1 = min(1, 20/D),  w_2 = min(1, pull/D)
//   and no more than D (2 highest - lowest reward seen); 2 D if all were equal
//
// The last line is a guard. The spread of values makes the bonus and the bonus makes values: with a
// very long horizon both would grow without end. Twice the range leaves room for hopes of more than
// was seen, without which nobody would look for the goal of a maze.
//
// With w = 1 far places would be worth a journey as often as they are uncertain, and 100 states
// with 25 actions are never done with; with w_2 = 0 a place without noise is never left for a
// better one.
//
// While all rewards are equal there is no unit to measure in, so 1 is taken; the first reward that
// differs makes the learner forget all values. Actions then do not depend on scale and origin of
// the rewards, but for rounding. Rewards that differ by less than 1e-150 count as equal, since the
// squares of such differences are no numbers any more.
//
// Depth. With k = sqrt(all visits / (known states + 1)), and never more than the steps left:
//
//   D = depth + k, but up to depth + growth k as long as it is below FELT times
//       sqrt(variance of c over pairs / variance of r over pairs)
//
// Noise of the estimates adds up over the lookahead, so that it should be no longer than needed.
// The ratio is the time, in steps, for which a difference in rewards is felt: one or two where
// states are soon forgotten, hundreds in a queue, and as long as it is not small beside D the
// lookahead ends too early. It counts from 16 visits per pair on, when both are known.
//
// Besides, it looks for what it has never seen (quest.c), and for signs that the state does not tell
// what rewards depend on (hidden.c). If it finds them, the reward of a pair becomes what was
// received in two steps, its own and the next, as LG2T measures it, D is 1 from then on, and what
// was learned before is forgotten.
//
// Each step refreshes the state at hand. `refresh` others take their turn: at every fourth step,
// but at every step while there are fewer than 16 visits per known state or quests go on, and again
// near the end, with fewer than 2 D steps left, when D and all values fall. A round over all known
// states settles the spreads. A step costs O(A + edges) of up to `refresh` + 1 states and two rows
// of `sweep` states, and takes no logarithm. Memory: 56 bytes per pair, 16 per transition, 77 per
// state, 96 per action.
//
// What explain fills in (all of the state as it will be at the choice):
//   visits, mean_reward   n(s,a), and the mean of their rewards; once hidden state was found, of
//                         the step and the one after it
//   value                 m, counted from 0: the rewards of a mean of D steps
//   upper                 the larger of index and Z (quest.c), counted likewise
//   lower, good           nothing
// What was never offered has no value. The probability is that of the draw among equals.

#include "learners/auto/auto.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"

// pseudo-visits of each state in f(s), so that a first visit is not taken for the whole truth
#define SMOOTHING 3.0
// depth up to which a bonus counts in full for the states before
#define FULL_DEPTH 20.0
// how many times longer than a difference in rewards is felt the lookahead need be at most
#define FELT 4.0
// indices that differ by less, in units of the spread, are equal
#define TIE 1e-9
// with so many visits per state values move slowly, and the others take their turn less often
#define EARLY 16
#define LATER 4

// ---- values ----

// c(s,a) with its spread over successors
static lgkt_sample continuation(const lgkt_auto *u, const lgkt_seen_row *pair)
{
    if (pair->moves == 0)
        return (lgkt_sample){0, 0, 0};
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    const double moves = pair->moves;
    // deviations from one of the values: what is far from 0 but alike has no spread
    const double near = u->h[edges[pair->first].next];
    double sum = 0, squares = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        const double x = u->h[edges[e].next] - near;
        const double weighted = edges[e].count * x;
        sum += weighted;
        squares += weighted * x;
    }
    const double about = squares - sum * (sum / moves);
    return (lgkt_sample){near + sum / moves, about > 0 ? about : 0, moves};
}

// what a state is refreshed with
typedef struct outlook {
    double reward, next; // expected of an untried action
    double left;         // visits of the state still to come
} outlook;

static lgkt_worth worth_of(const lgkt_auto *u, const outlook *look, int32_t a)
{
    const lgkt_sample *sample = &u->row_rewards[a], *after = &u->row_nexts[a];
    const lgkt_belief reward = lgkt_spread_believe(&u->reward, sample, look->reward, u->set.limit);
    const lgkt_belief next = lgkt_spread_believe(&u->next, after, look->next, u->set.limit);
    const double beta = u->beta;
    const double variance = reward.variance + beta * beta * next.variance;
    const double noise = reward.noise + beta * beta * next.noise;
    const double n = variance > 0 ? look->left * (variance / (variance + noise)) : 0;
    const double price =
        sample->n > 0 ? lgkt_reservation_normal(n) : lgkt_reservation_exponential(n);
    double slope = 0;
    if (after->n > 0) {
        // where the move to what is expected is not cut, it gives way with the doubt
        const double doubt = u->next.within > 0 ? next.variance / u->next.within : 0;
        const double full = fabs(doubt * (look->next - after->mean));
        slope = fabs(next.mean - after->mean) < full * (1 - TIE) ? 1 : 1 - doubt;
    }
    return (lgkt_worth){reward.mean + beta * next.mean, sqrt(variance) * price, reward.mean, slope};
}

static void refresh(lgkt_learner *learner, int32_t state)
{
    lgkt_auto *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const size_t row = (size_t)state * (size_t)actions;
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_seen_row *pair = &u->counts.rows[row + (size_t)a];
        u->row_rewards[a] = (lgkt_sample){pair->reward, u->squares[row + (size_t)a], pair->n};
        u->row_nexts[a] = continuation(u, pair);
    }
    const double share = ((double)u->visits[state] + SMOOTHING) /
                         ((double)u->total + SMOOTHING * (u->known_count + 1));
    const double steps = (double)(lgkt_learner_steps_left(learner) - 1);
    const outlook look = {.reward = lgkt_spread_expect(&u->reward, u->row_rewards, actions),
                          .next = lgkt_spread_expect(&u->next, u->row_nexts, actions),
                          .left = u->set.visits * steps * share};

    double plain = -INFINITY, tried = -INFINITY, top = -INFINITY;
    int32_t best = 0, first = -1; // the first untried one stands for all of them
    for (int32_t a = 0; a < actions; a++) {
        const bool seen = u->row_rewards[a].n > 0;
        if (!lgkt_learner_offers(learner, row + (size_t)a)) {
            // nobody is to hope for it, here or from afar
            u->index[a] = -INFINITY;
            u->worths[a] = (lgkt_worth){.mean = -INFINITY, .reward = -INFINITY};
            continue;
        }
        if (!seen && first >= 0) {
            u->index[a] = u->index[first];
            u->worths[a] = u->worths[first];
            continue;
        }
        const lgkt_worth at = u->worths[a] = worth_of(u, &look, a);
        u->index[a] = at.mean + at.bonus;
        if (at.mean > plain) {
            plain = at.mean;
            best = a;
        }
        if (seen)
            tried = u->index[a] > tried ? u->index[a] : tried;
        else
            top = u->index[first = a];
    }
    tried = tried > plain ? tried : plain;
    top = top > tried ? top : tried;
    const double full = FULL_DEPTH / u->depth, pull = u->set.pull / u->depth;
    const double h =
        plain + (full < 1 ? full : 1) * (tried - plain) + (pull < 1 ? pull : 1) * (top - tried);
    const double most = lgkt_auto_most(u);
    u->h[state] = h < most ? h : most;
    lgkt_quest_refresh(learner, state, best);
}

// ---- rounds ----

// pairs that plans take for impossible; those that were fed count as tried and not here
static int64_t count_closed(const lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    int64_t closed = 0;
    if (learner->offered == NULL)
        return 0;
    for (int32_t i = 0; i < u->known_count; i++)
        for (size_t z = (size_t)u->known[i] * actions, end = z + actions; z < end; z++)
            closed += learner->offered[z] == LGKT_OFFER_NEVER && u->counts.rows[z].n == 0;
    return closed;
}

// the end of a round settles the spreads and D
static void refresh_some(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    const double left = (double)lgkt_learner_steps_left(learner);
    const bool settled = u->total >= EARLY * (int64_t)u->known_count && left >= 2 * u->depth;
    if (settled && !u->quests.quest_in_last_round && u->total % LATER != 0)
        return;
    lgkt_quest_sweep(learner);
    for (int64_t i = 0; i < u->set.refresh && u->turn < u->known_count; i++) {
        // what was met last comes first: it leads to the rest
        refresh(learner, u->known[u->known_count - 1 - u->turn++]);
        lgkt_spread_add(&u->reward_sums, u->row_rewards, learner->problem.actions);
        lgkt_spread_add(&u->next_sums, u->row_nexts, learner->problem.actions);
        lgkt_quest_note(learner);
    }
    if (u->turn < u->known_count)
        return;
    u->turn = 0;
    u->reward = lgkt_spread_settle(&u->reward_sums);
    u->next = lgkt_spread_settle(&u->next_sums);
    if (u->reward.within + u->next.within == 0)
        u->reward.within = u->differs ? u->reward.noise : 1;
    const int64_t closed = count_closed(learner);
    const double root = sqrt((double)u->total / (double)(u->known_count + 1));
    const double least = u->set.depth + root, most = u->set.depth + u->set.growth * root;
    const double pairs = (double)u->known_count * learner->problem.actions - (double)closed;
    const double felt =
        FELT * sqrt((u->next.within + u->next.between) / (u->reward.within + u->reward.between));
    const double enough = felt > least && (double)u->total >= EARLY * pairs ? felt : least;
    const double grown = enough < most ? enough : most;
    const double depth = u->hidden.found ? 1 : grown < left ? grown : left;
    u->depth = depth > 1 ? depth : 1;
    u->beta = 1 - 1 / u->depth;
    lgkt_quest_settle(learner, (double)closed);
}

// the first difference sets the unit: what was measured without one is void
static void start_over(lgkt_learner *learner, double difference)
{
    lgkt_auto *u = learner->self;
    u->differs = true;
    u->turn = 0;
    memset(u->h, 0, (size_t)learner->problem.states * sizeof *u->h);
    u->reward_sums = u->next_sums = (lgkt_spread_sums){0};
    u->reward = (lgkt_pair_spread){.within = difference * difference};
    u->next = (lgkt_pair_spread){0};
    lgkt_quest_start_over(learner);
}

// ---- steps ----

static void know(lgkt_auto *u, int32_t state)
{
    if (u->met[state])
        return;
    u->known[u->known_count++] = state;
    u->met[state] = true;
}

// Who may be played in the state refreshed last: of the allowed actions with the highest worth, up
// to slack, the least tried.
typedef struct best_actions {
    const double *worth; // (A)
    double slack, least; // worth
    double n;            // visits
    int32_t ties, last;  // how many, and one of them
} best_actions;

static bool leads(const lgkt_learner *learner, const best_actions *lead, int32_t a)
{
    const lgkt_auto *u = learner->self;
    return lead->worth[a] >= lead->least && u->row_rewards[a].n == lead->n &&
           lgkt_learner_allows(learner, a);
}

static best_actions leaders(lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const double *worth = lgkt_quest_choose(learner);
    const double slack = TIE * sqrt(u->reward.within + u->next.within);
    double top = -INFINITY;
    for (int32_t a = 0; a < actions; a++)
        top = worth[a] > top && lgkt_learner_allows(learner, a) ? worth[a] : top;
    best_actions lead = {.worth = worth, .slack = slack, .least = top - slack, .n = INFINITY};
    for (int32_t a = 0; a < actions; a++) {
        const double n = u->row_rewards[a].n;
        if (worth[a] < lead.least || n > lead.n || !lgkt_learner_allows(learner, a))
            continue;
        lead.ties = n < lead.n ? 1 : lead.ties + 1;
        lead.n = n;
        lead.last = a;
    }
    return lead;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    lgkt_auto *u = learner->self;
    refresh_some(learner);
    know(u, state);
    refresh(learner, state);
    const best_actions lead = leaders(learner);
    int32_t action = lead.last;
    if (lead.ties > 1) {
        int32_t left = lgkt_rng_below(&learner->rng, lead.ties);
        for (action = 0; !leads(learner, &lead, action) || left-- > 0;)
            action++;
    }
    lgkt_quest_begin(learner, action, lead.slack);
    return action;
}

// hidden state: from now on a pair earns what is received in its step and the next one, and nothing
// is planned, since where a pair leads depends on what is not seen, too
LGKT_COLD static void give_up_planning(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    lgkt_successors_clear(learner, &u->counts);
    memset(u->squares, 0,
           (size_t)learner->problem.states * (size_t)learner->problem.actions * sizeof *u->squares);
    u->hidden.found = true;
    u->depth = 1;
    u->beta = 0;
    start_over(learner, u->highest - u->lowest);
}

// one reward of a pair that is complete
static lgkt_status count(lgkt_learner *learner, size_t z, double x, int32_t next_state, bool ended)
{
    lgkt_auto *u = learner->self;
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const double off = x - pair->reward;
    // what is added up is the mean
    LGKT_TRY(
        lgkt_successors_add_edge(learner, &u->counts, z, off / (pair->n + 1), next_state, ended));
    u->highest = x > u->highest ? x : u->highest;
    u->lowest = x < u->lowest ? x : u->lowest;
    u->squares[z] += off * (x - pair->reward);
    return LGKT_OK;
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_auto *u = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    const double origin = u->total == 0 ? reward : u->origin;
    const double away = reward - origin;
    const double x = fabs(away) < LGKT_LEAST_DIFFERENCE ? 0 : away;
    lgkt_hidden *hidden = &u->hidden;
    const bool is_new_state = !ended && !u->met[next_state], is_record = x > u->highest;
    const double mean = u->counts.rows[z].reward;
    // with hidden state the step before is complete now
    if (!hidden->found)
        LGKT_TRY(count(learner, z, x, next_state, ended));
    else if (hidden->last > 0)
        LGKT_TRY(count(learner, (size_t)hidden->last - 1, hidden->pending + x, hidden->pending_next,
                       false));
    u->origin = origin;
    know(u, learner->state);
    u->total++;
    u->visits[learner->state]++;
    if (x != 0 && !u->differs)
        start_over(learner, x);
    if (!hidden->found) {
        const double n = u->counts.rows[z].n;
        lgkt_quest_learn(learner, z, x, is_new_state, is_record);
        if (lgkt_hidden_look(hidden, z, x, mean, u->squares[z] / (n - 1), n))
            give_up_planning(learner);
    }
    hidden->last = ended ? 0 : (int64_t)z + 1;
    hidden->pending = x;
    hidden->pending_next = next_state;
    return LGKT_OK;
}

// a step that does not follow on the last one
static lgkt_status watch(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_hidden *hidden = &((lgkt_auto *)learner->self)->hidden;
    hidden->last = 0;
    const lgkt_status status = feed(learner, reward, next_state, ended);
    hidden->last = 0;
    return status;
}

// ---- reasons ----

// The part of a copy that explain changes: values and plans of states, and the row at hand.
static void *sketch(const lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    const size_t states = (size_t)learner->problem.states;
    const size_t actions = (size_t)learner->problem.actions;
    lgkt_auto sketch = *u;
    const struct {
        void *array; // the pointer to it, in the sketch
        const void *from;
        size_t count, size;
    } parts[] = {
        {&sketch.h, u->h, states, sizeof *u->h},
        {&sketch.quests.journey, u->quests.journey, states, sizeof *u->quests.journey},
        {&sketch.quests.plans, u->quests.plans, states, sizeof *u->quests.plans},
        {&sketch.quests.worth, u->quests.worth, actions, sizeof *u->quests.worth},
        {&sketch.row_rewards, u->row_rewards, actions, sizeof *u->row_rewards},
        {&sketch.row_nexts, u->row_nexts, actions, sizeof *u->row_nexts},
        {&sketch.worths, u->worths, actions, sizeof *u->worths},
        {&sketch.index, u->index, actions, sizeof *u->index},
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t bytes = sizeof sketch;
    for (int i = 0; i < PARTS; i++)
        bytes += parts[i].count * parts[i].size;
    unsigned char *block = lgkt_alloc_zeroed(&learner->allocator, bytes, 1);
    if (block == NULL)
        return NULL;
    // all of them are made of numbers of eight bytes, or pairs of four
    unsigned char *at = block + sizeof sketch;
    for (int i = 0; i < PARTS; i++) {
        memcpy(at, parts[i].from, parts[i].count * parts[i].size);
        memcpy(parts[i].array, &at, sizeof at);
        at += parts[i].count * parts[i].size;
    }
    memcpy(block, &sketch, sizeof sketch);
    return block;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    if (!learner->is_copy)
        return false;
    lgkt_auto *u = learner->self;
    if (!u->others_refreshed)
        refresh_some(learner);
    u->others_refreshed = true;
    // what the state at hand adds is taken back, since others may be asked for with the same copy
    const double h = u->h[state], journey = u->quests.journey[state];
    const lgkt_quest_plan plan = u->quests.plans[state];
    const int32_t known_count = u->known_count;
    u->known_count += !u->met[state];
    refresh(learner, state);
    const best_actions lead = leaders(learner);

    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    const double steps = u->hidden.found ? 2 : 1;
    const double before = (u->hidden.found ? 2 : u->depth) * u->origin; // what values start from
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        const lgkt_sample *seen = &u->row_rewards[a];
        lgkt_reason *reason = &reasons[a];
        reason->visits = seen->n;
        if (seen->n > 0)
            reason->mean_reward = u->origin + seen->mean / steps;
        if (lgkt_learner_offers(learner, row + (size_t)a)) {
            reason->value = before + u->worths[a].mean;
            reason->upper = before + lead.worth[a];
        }
        reason->probability = leads(learner, &lead, a) ? 1.0 / lead.ties : 0;
    }
    u->known_count = known_count;
    u->h[state] = h;
    u->quests.journey[state] = journey;
    u->quests.plans[state] = plan;
    return true;
}

// ---- saving ----

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_auto, counts, &lgkt_successors_part)},
    {LGKT_ARRAY(lgkt_auto, squares, PER_PAIR, SQUARE)},
    {LGKT_ARRAY(lgkt_auto, h, PER_STATE, REAL)},
    {LGKT_ARRAY(lgkt_auto, visits, PER_STATE, COUNT)},
    {LGKT_NUMBER(lgkt_auto, total, COUNT)},
    {LGKT_NUMBER(lgkt_auto, known_count, STATES_KNOWN)},
    {LGKT_ARRAY(lgkt_auto, known, PER_STATE, MAYBE_STATE)},
    {LGKT_ARRAY(lgkt_auto, met, PER_STATE, SCRATCH)},
    {LGKT_NUMBER(lgkt_auto, turn, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_auto, depth, REAL)},
    {LGKT_NUMBER(lgkt_auto, origin, REAL)},
    {LGKT_NUMBER(lgkt_auto, highest, REAL)},
    {LGKT_NUMBER(lgkt_auto, lowest, REAL)},
    {LGKT_NUMBER(lgkt_auto, differs, FLAG)},
    {LGKT_ARRAY(lgkt_auto, row_rewards, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_auto, row_nexts, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_auto, worths, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_auto, index, PER_ACTION, SCRATCH)},
    {LGKT_PART(lgkt_auto, quests, &lgkt_quests_part)},
    {LGKT_PART(lgkt_auto, hidden, &lgkt_hidden_part)},
    {LGKT_NUMBER(lgkt_auto, hidden.last, MAYBE_PAIR), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, hidden.pending, REAL), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, hidden.pending_next, MAYBE_STATE), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, quests.in_quest, FLAG), LGKT_TRACKED},
};

static int64_t tried_pairs(const lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    int64_t tried = 0;
    for (size_t z = 0; z < (size_t)learner->problem.states * (size_t)learner->problem.actions; z++)
        tried += u->counts.rows[z].n > 0;
    return tried;
}

static void check_track(const lgkt_auto *u, lgkt_archive *archive)
{
    // a step before led somewhere
    archive->bad |= u->hidden.last > 0 && u->hidden.pending_next < 0;
}

static void visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_fields_visit_track(learner, archive);
    check_track(learner->self, archive);
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_auto *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    lgkt_spread_visit(archive, &u->reward, &u->reward_sums);
    lgkt_spread_visit(archive, &u->next, &u->next_sums);
    check_track(u, archive);
    // what was never seen has no mean, from which a first reward would be far
    for (size_t z = 0; z < pairs; z++)
        archive->bad |=
            !(u->squares[z] >= 0) || (u->counts.rows[z].n == 0 && u->counts.rows[z].reward != 0);
    archive->bad |= u->turn > u->known_count || !(u->depth >= 1);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return;
    u->beta = 1 - 1 / u->depth;
    // tried pairs are counted until hidden state is found
    archive->bad |= !u->hidden.found && u->quests.tried != tried_pairs(learner);
    // no state is known twice
    for (int32_t i = 0; i < u->known_count && !archive->bad; i++) {
        archive->bad = u->known[i] < 0 || u->met[u->known[i]];
        if (!archive->bad)
            u->met[u->known[i]] = true;
    }
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_auto *u = learner->self;
    const lgkt_counter all[] = {{"tried_pairs", tried_pairs(learner)},
                                {"known_states", u->known_count},
                                {"quests", u->quests.steps},
                                {"hidden_state", u->hidden.found}};
    return lgkt_counters_write(all, 4, out, capacity);
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    lgkt_auto *u = learner->self;
    lgkt_auto_settings *set = settings;
    const lgkt_status status = lgkt_reward_bounds_fill(learner, &set->range, error);
    u->set = *set;
    u->reward.within = u->depth = 1;
    u->quests.alpha = u->quests.alpha_reward = 1;
    u->quests.best_so_far = LGKT_QUEST_NOTHING;
    return status;
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_REAL(lgkt_auto_settings, depth, "depth", "10", 0, 1e6,
                  "mean depth of the lookahead at the start"),
    LGKT_ROW_REAL(lgkt_auto_settings, growth, "growth", "4", 0, 1e6,
                  "the depth grows by this times the root of the visits per state"),
    LGKT_ROW_REAL(lgkt_auto_settings, visits, "visits", "20", 0, 1e9,
                  "multiplies the visits that a state is expected to have still to come"),
    LGKT_ROW_REAL(lgkt_auto_settings, limit, "limit", "0.5", 0, 1e9,
                  "most standard errors by which an estimate is moved to what is expected"),
    LGKT_ROW_REAL(lgkt_auto_settings, pull, "pull", "2", 0, 1e6,
                  "how much untried actions attract from afar; divided by the depth"),
    LGKT_ROW_INTEGER(lgkt_auto_settings, refresh, "refresh", "2", 1, 1000000,
                     "states whose value is refreshed in turn, besides the one at hand"),
    LGKT_ROW_REAL(lgkt_auto_settings, caution, "caution", "20000", 0, 1e15,
                  "steps per pair from which on a run is long enough for costly quests"),
    LGKT_ROW_INTEGER(lgkt_auto_settings, sweep, "sweep", "32", 0, 1000000,
                     "states whose value is brought up to date in between, by one row each"),
    LGKT_ROW_REAL(lgkt_auto_settings, range.min, "reward-min",
                  "@from the problem, else the lowest seen", -1e15, 1e15,
                  "lower bound of the mean rewards"),
    LGKT_ROW_REAL(lgkt_auto_settings, range.max, "reward-max",
                  "@from the problem, else guessed from what was seen", -1e15, 1e15,
                  "upper bound of the mean rewards: something that pays as much is looked for"),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY("auto", params,
               "recommended: nothing to tune; looks for what it has not seen as long as that pays",
               "ours", "O(S A + min(T, S^2 A))")};

const lgkt_learner_class lgkt_auto_class = {
    LGKT_SELF(lgkt_auto, fields),
    LGKT_NAMES(names),
    .create = create,
    .act = act,
    .observe = feed,
    .feed = watch,
    .visit = visit,
    .counters = counters,
    .explain = explain,
    .sketch = sketch,
    .visit_track = visit_track,
};
