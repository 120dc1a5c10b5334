// SPDX-License-Identifier: MIT
// auto: the learner to take when nothing is known. No reward scale, no threshold and no depth has
// to be chosen. It is ours, not the paper's.
//
// Like LGKT it looks ahead only as far as the data carry, and stops trying once what is known is good
// enough. But it plugs the observed transitions in instead of sampling continuations, lets the spread
// of what was seen tell what an untried action may be worth, and goes on journeys to what was never
// seen as long as they are believed to pay.
//
// == What is believed
//
//   symbol     what it is                                             field
//   n(s,a)     visits of a pair                                       counts.rows[].n
//   phat(y)    share of its moves that led to y                       the edges of counts
//   r(s,a)     mean reward, counted from the first reward ever seen   counts.rows[].reward
//   e          variance of one more reward, or of h after it          squares, spread.h
//   t, T, L    visits of all pairs; horizon; steps left               total; left
//   S, K       states; those that were met                            known_count
//   U, N_p, A  states missing, pairs tried, actions                   quests.tried
//   R, r0      told bounds of the mean rewards                        set.range, quests.above, .below
//   alpha, q   chance that a try leads to a new state                 quests.alpha, chance
//   C, B       what quests have cost; how far steps throw back        quests.spent, .thrown
//   g, y       mean of recent rewards; gain that v is relative to     quests.steady; gain
//
// Rewards and continuations c = sum phat h are two numbers per pair, each with its own spread over
// pairs (spread.h). Shrunk to what is expected in the state they give a belief with mean, variance and
// noise, of a reward m_r, v_r, e_r and of a continuation m_c, v_c, e_c.
//
// == What a state is worth (value.c): four numbers
//
//   h          what follows, discounted by beta = 1 - 1/D             values[].h
//   v          what follows in the long run, beyond y in each step    values[].v
//   w, d       the best journey: its worth, and how long it takes     values[].w, .d
//
// h with its price, for what is uncertain near by:
//
//   m = m_r + beta m_c,   var = v_r + beta^2 v_c,   e = e_r + beta^2 e_c
//   N = visits L f(s) (L/(L + 2 S A)) var/(var + e)
//   f(s) = (visits of s + 2)/(t + 2 (K + 1))
//   index(s,a) = m + sqrt(var) x(N)                x: reservation price (reservation.c)
//   h(s) = plain + min(1, 2 depth/D) (tried - plain) + min(1, pull/D) (top - tried)
//   plain = max m,  tried = max index of tried actions,  top = max index,
//   each at least the one before;  and no more than D (2 highest - lowest reward seen), 2 D if all
//   were equal
//
// An untried action has no sights, so all of a state share one index, with the price of a heavy tail.
// L/(L + 2 S A) is there because in a run that is short beside the number of pairs most of them will
// never be tried, and what one of them is found to be worth can be used less often. var/(var + e)
// because one sight of a noisy pair tells little. `visits` is above 1 because a state that turns out
// good is visited more often than so far. The last line is a guard: the spread of values makes the
// bonus and the bonus makes values, and with a very long horizon both would grow without end.
//
// v, which is not discounted, so that 0.9 a hundred steps away is more than 0.2 here; b = 1 - 1/L:
//
//   Q(s,a) = m_r - y + b sum phat v;   v(s) = max Q of the tried actions;   gap = v(s) - Q
//   each time v(s) changes by x, y moves by RATE x/(K + 1), so that v as a whole stays where it is
//   a state met for the first time starts with v of the state before
//
// D, from both. Noise of the estimates adds up over the lookahead, so that it should be no longer
// than needed; but it must be as long as a difference in rewards is felt, which is one or two steps
// where states are soon forgotten, and hundreds in a queue:
//
//   felt = FELT sqrt(variance of sum phat v over pairs / variance of r over pairs)
//   D    = max(depth + sqrt(K) + sqrt(t/(K + 1)), felt if t >= 2 pairs), at most L
//
// w and d, for what was never seen (lump, lump_new, q, q_r, nu: quest.c). The best journey is the one
// with the highest w - rho d, where rho is the worth per step of the journeys at hand: with it near
// things come first, and far ones are not lost:
//
//   tried      w_a = q lump_new + q_r lump - cost + b (1 - q) sum phat w,   d_a = 1 + b (1 - q) sum phat d
//   untried    w_a = lump + nu lump_new - cost,                             d_a = 1
//   cost     = max(gap, plain - m);   of an untried action the gap is max(0, y - m_r)
//   each step, in the state at hand: rho moves by RATE towards max(0, w/d)
//
// == What is done
//
//   act      the state at hand is refreshed. Played is the action with the highest of index and
//            plain + rho d(s) + w_a - rho d_a, which for the best journey is plain + w; among equals
//            the least tried, then a draw. It is a quest if its index alone is not among the highest.
//   observe  the step is counted. Then others take their turn (lgkt_auto_take_turns): some are
//            refreshed, the one met last first, and `sweep` more are brought up to date by a row or
//            two each. A round over all known states settles spreads, D, chances and prizes.
//   explain  the state at hand is refreshed, and the answer not accepted: nothing changes.
//
// While all rewards are equal there is no unit to measure in, so 1 is taken; the first reward that
// differs makes the learner forget all values. Actions then do not depend on scale and origin of the
// rewards, but for rounding. hidden.c looks for signs that the state does not tell what rewards depend
// on. If it finds them, the reward of a pair becomes what was received in two steps, its own and the
// next, as LG2T measures it, D is 1 from then on, and what was learned before is forgotten.
//
// Cost of a step: O(A + edges) of up to `refresh` + 1 states, of up to FEW while states have few
// visits, and two or three rows of `sweep` states; at every fourth step only, once all is calm. No
// logarithm is taken. Memory: 56 bytes per pair, 16 per transition, 109 per state, 208 per action.
//
// What explain fills in (all of the state as it will be at the choice):
//   visits, mean_reward   n(s,a), and the mean of their rewards; once hidden state was found, of
//                         the step and the one after it
//   value                 m, counted from 0: the rewards of a mean of D steps
//   upper                 what the choice goes by, counted likewise
//   lower, good           nothing
// What was never offered has no value. The probability is that of the draw among equals.

#include "learners/auto/auto.h"

#include <math.h>
#include <string.h>

// ---- the choice ----

// what the choice goes by
static double worth_of(const lgkt_auto *u, const lgkt_auto_view *view, int32_t a)
{
    const lgkt_auto_option *o = &view->options[a];
    // without journeys `aim` is -INFINITY, and what is left of the last ones does not count
    return view->aim > -INFINITY
               ? lgkt_larger(o->index, view->aim + o->worth - u->quests.rho * o->steps)
               : o->index;
}

// Who may be played: of the allowed actions with the highest worth, up to slack, the least tried.
typedef struct best_actions {
    double least;       // worth
    double n;           // visits
    double quest;       // below this index it is a quest
    int32_t ties, last; // how many, and one of them
} best_actions;

static bool leads(const lgkt_learner *learner, const lgkt_auto_view *view, const best_actions *lead,
                  int32_t a)
{
    return worth_of(learner->self, view, a) >= lead->least &&
           view->options[a].reward.n == lead->n && lgkt_learner_allows(learner, a);
}

static best_actions leaders(const lgkt_learner *learner, const lgkt_auto_view *view)
{
    const lgkt_auto *u = learner->self;
    const int32_t actions = learner->problem.actions;
    const double slack = AUTO_TIE * sqrt(u->reward.within + u->next.within);
    double top = -INFINITY, top_index = -INFINITY;
    for (int32_t a = 0; a < actions; a++) {
        if (!lgkt_learner_allows(learner, a))
            continue;
        top = lgkt_larger(top, worth_of(u, view, a));
        top_index = lgkt_larger(top_index, view->options[a].index);
    }
    best_actions lead = {.least = top - slack, .n = INFINITY, .quest = top_index - slack};
    for (int32_t a = 0; a < actions; a++) {
        const double n = view->options[a].reward.n;
        if (n > lead.n || worth_of(u, view, a) < lead.least || !lgkt_learner_allows(learner, a))
            continue;
        lead.ties = n < lead.n ? 1 : lead.ties + 1;
        lead.n = n;
        lead.last = a;
    }
    return lead;
}

// a state is met; v of the state before is what it is taken to be worth
static void know(lgkt_auto *u, int32_t state, double v)
{
    if (u->met[state])
        return;
    u->known[u->known_count++] = state;
    u->met[state] = true;
    u->values[state].v = v;
}

// what the step that begins is for
static void begin(lgkt_auto *u, const lgkt_auto_view *view, const best_actions *lead, int32_t a)
{
    lgkt_quests *quests = &u->quests;
    quests->in_quest = view->options[a].index < lead->quest;
    quests->quest_in_round |= quests->in_quest;
    quests->steps += quests->in_quest;
    quests->way_left = 0;
    if (quests->lump == 0)
        return;
    const double rate = view->value.w > 0 ? view->value.w / view->value.d : 0;
    const double rho = quests->rho + AUTO_RATE * (rate - quests->rho);
    quests->rho = rho < AUTO_SAME ? 0 : rho; // what is that small is slow to compute with
    if (a == view->plan.way && view->value.w > 0 && view->options[a].reward.n > 0)
        quests->way_left = view->value.d;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    lgkt_auto *u = learner->self;
    know(u, state, 0);
    const lgkt_auto_view view =
        lgkt_auto_refresh(learner, state, (double)lgkt_learner_steps_left(learner));
    lgkt_auto_accept(u, state, &view);
    const best_actions lead = leaders(learner, &view);
    int32_t action = lead.last;
    if (lead.ties > 1) {
        int32_t rest = lgkt_rng_below(&learner->rng, lead.ties);
        for (action = 0; !leads(learner, &view, &lead, action) || rest-- > 0;)
            action++;
    }
    begin(u, &view, &lead, action);
    return action;
}

// ---- what came of it ----

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
    lgkt_auto_void(learner, u->highest - u->lowest);
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
    u->highest = lgkt_larger(x, u->highest);
    u->lowest = lgkt_smaller(x, u->lowest);
    u->squares[z] += off * (x - pair->reward);
    return LGKT_OK;
}

// how many steps a pair of the journey's way is expected to throw one back
static double thrown_by(const lgkt_auto *u, size_t z)
{
    const lgkt_seen_row *pair = &u->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    double sum = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        sum += edges[e].count * lgkt_larger(0, u->values[edges[e].next].d - u->quests.way_left);
    return pair->moves > 0 ? sum / pair->moves : 0;
}

// a step, with `left` steps to go after it
static lgkt_status learn(lgkt_learner *learner, double reward, int32_t next_state, bool ended,
                         double left)
{
    lgkt_auto *u = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    const double origin = u->total == 0 ? reward : u->origin;
    const double away = reward - origin;
    const double x = fabs(away) < AUTO_SAME ? 0 : away;
    lgkt_hidden *hidden = &u->hidden;
    const lgkt_seen_row before = u->counts.rows[z];
    lgkt_quest_step step = {.n = before.n,
                            .x = x,
                            .earned = x - u->gain,
                            .is_new_state = !ended && !u->met[next_state],
                            .is_record = x > u->highest};
    // with hidden state the step before is complete now
    if (!hidden->found)
        LGKT_TRY(count(learner, z, x, next_state, ended));
    else if (hidden->last > 0)
        LGKT_TRY(count(learner, (size_t)hidden->last - 1, hidden->pending + x, hidden->pending_next,
                       false));
    u->origin = origin;
    know(u, learner->state, 0);
    u->total++;
    u->visits[learner->state]++;
    if (u->quests.way_left > 0)
        step.thrown = thrown_by(u, z);
    if (x != 0 && !u->differs)
        lgkt_auto_void(learner, x);
    if (!ended)
        know(u, next_state, u->values[learner->state].v);
    if (!hidden->found) {
        const double n = u->counts.rows[z].n;
        lgkt_quests_learn(&u->quests, &step);
        if (lgkt_hidden_look(hidden, z, x, before.reward, u->squares[z] / (n - 1), n))
            give_up_planning(learner);
    }
    hidden->last = ended ? 0 : (int64_t)z + 1;
    hidden->pending = x;
    hidden->pending_next = next_state;
    lgkt_auto_take_turns(learner, left);
    return LGKT_OK;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    return learn(learner, reward, next_state, ended, (double)lgkt_learner_steps_left(learner) - 1);
}

// a step that does not follow on the last one, and takes none of the run
static lgkt_status watch(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_hidden *hidden = &((lgkt_auto *)learner->self)->hidden;
    hidden->last = 0;
    const lgkt_status status =
        learn(learner, reward, next_state, ended, (double)lgkt_learner_steps_left(learner));
    hidden->last = 0;
    return status;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const lgkt_auto *u = learner->self;
    const double left = lgkt_larger(1, (double)lgkt_learner_steps_left(learner));
    const lgkt_auto_view view = lgkt_auto_refresh(learner, state, left);
    const best_actions lead = leaders(learner, &view);
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    const double steps = u->hidden.found ? 2 : 1;
    const double before = (u->hidden.found ? 2 : u->depth) * u->origin; // what values start from
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        const lgkt_sample *seen = &view.options[a].reward;
        lgkt_reason *reason = &reasons[a];
        reason->visits = seen->n;
        if (seen->n > 0)
            reason->mean_reward = u->origin + seen->mean / steps;
        if (lgkt_learner_offers(learner, row + (size_t)a)) {
            reason->value = before + view.options[a].mean;
            reason->upper = before + worth_of(u, &view, a);
        }
        reason->probability = leads(learner, &view, &lead, a) ? 1.0 / lead.ties : 0;
    }
    return true;
}

// ---- saving ----

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_auto, counts, &lgkt_successors_part)},
    {LGKT_ARRAY(lgkt_auto, squares, PER_PAIR, SQUARE)},
    {LGKT_COLUMN(lgkt_auto, values, PER_STATE, lgkt_auto_value, h, REAL)},
    {LGKT_COLUMN(lgkt_auto, values, PER_STATE, lgkt_auto_value, v, REAL)},
    {LGKT_COLUMN(lgkt_auto, values, PER_STATE, lgkt_auto_value, w, REAL)},
    {LGKT_COLUMN(lgkt_auto, values, PER_STATE, lgkt_auto_value, d, REAL)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, base, REAL)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, slope, REAL)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, reward, REAL)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, cost, REAL)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, path, REAL)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, best, ACTION)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, on, MAYBE_ACTION)},
    {LGKT_COLUMN(lgkt_auto, plans, PER_STATE, lgkt_auto_plan, way, MAYBE_ACTION)},
    {LGKT_ARRAY(lgkt_auto, visits, PER_STATE, COUNT)},
    {LGKT_NUMBER(lgkt_auto, total, COUNT)},
    {LGKT_NUMBER(lgkt_auto, known_count, STATES_KNOWN)},
    {LGKT_ARRAY(lgkt_auto, known, PER_STATE, MAYBE_STATE)},
    {LGKT_ARRAY(lgkt_auto, met, PER_STATE, SCRATCH)},
    {LGKT_NUMBER(lgkt_auto, turn, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_auto, sweep_turn, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_auto, depth, REAL)},
    {LGKT_NUMBER(lgkt_auto, gain, REAL)},
    {LGKT_NUMBER(lgkt_auto, origin, REAL)},
    {LGKT_NUMBER(lgkt_auto, highest, REAL)},
    {LGKT_NUMBER(lgkt_auto, lowest, REAL)},
    {LGKT_NUMBER(lgkt_auto, differs, FLAG)},
    {LGKT_ARRAY(lgkt_auto, options, PER_ACTION, SCRATCH)},
    {LGKT_PART(lgkt_auto, quests, &lgkt_quests_part)},
    {LGKT_PART(lgkt_auto, hidden, &lgkt_hidden_part)},
    {LGKT_NUMBER(lgkt_auto, hidden.last, MAYBE_PAIR), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, hidden.pending, REAL), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, hidden.pending_next, MAYBE_STATE), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, quests.in_quest, FLAG), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, quests.way_left, REAL), LGKT_TRACKED},
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
    lgkt_pair_spread unused = {0};
    lgkt_spread_visit(archive, &u->reward, &u->reward_sums);
    lgkt_spread_visit(archive, &u->next, &u->next_sums);
    lgkt_spread_visit(archive, &unused, &u->long_sums);
    // weights of a mean: more would make values grow from sweep to sweep
    for (int32_t s = 0; s < learner->problem.states; s++) {
        const lgkt_auto_plan *plan = &u->plans[s];
        archive->bad |= !(plan->slope >= 0 && plan->slope <= 1 && plan->path >= 0 &&
                          plan->path <= 1 && u->values[s].d >= 0);
    }
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

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    lgkt_auto *u = learner->self;
    lgkt_auto_settings *set = settings;
    const lgkt_status status = lgkt_reward_bounds_fill(learner, &set->range, error);
    u->set = *set;
    u->reward.within = u->depth = 1;
    u->quests.alpha = u->quests.alpha_reward = 1;
    lgkt_quests_void(&u->quests);
    return status;
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_REAL(lgkt_auto_settings, depth, "depth", "10", 0, 1e6,
                  "mean depth of the lookahead at the start"),
    LGKT_ROW_REAL(lgkt_auto_settings, visits, "visits", "10", 0, 1e9,
                  "multiplies the visits that a state is expected to have still to come"),
    LGKT_ROW_REAL(lgkt_auto_settings, limit, "limit", "0.5", 0, 1e9,
                  "most standard errors by which an estimate is moved to what is expected"),
    LGKT_ROW_REAL(lgkt_auto_settings, pull, "pull", "2", 0, 1e6,
                  "how much untried actions attract from afar; divided by the depth"),
    LGKT_ROW_INTEGER(lgkt_auto_settings, refresh, "refresh", "2", 1, 1000000,
                     "states whose value is refreshed in turn, besides the one at hand"),
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
    .observe = observe,
    .feed = watch,
    .visit = visit,
    .counters = counters,
    .explain = explain,
    .visit_track = visit_track,
    .state = 2,
    .oldest_state = 2,
};
