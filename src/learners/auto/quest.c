// SPDX-License-Identifier: MIT
// Quests: what a journey to something never seen is worth. Ours.
//
// The index of auto looks for what is uncertain. Where nothing is noisy nothing is uncertain, and
// yet the best place may never have been seen. So beside the value h(s) each state has a second
// one, E(s) >= 0: what a journey from here to something new is worth. E is no part of h, so that it
// cannot blow up the spreads that are computed from h.
//
//   L         steps left, the one at hand counted        K, U   known states, and S - K
//   N_p       tried pairs                                n      visits of a pair
//   R, r0     told bounds of the mean rewards            q      chance of something new
//
// A pair that was tried can still lead to a state never met, and can still pay more than was ever
// paid. Both are counted over repeated tries (of pairs with n >= 1):
//
//   F         how many led to a state that was never met before
//   F_r       how many paid more than all rewards before
//   W         sum of 1/(n + alpha) over the repeated tries
//   alpha   = (F + 1)/(W + 1)        q   = alpha/(n + alpha)
//   alpha_r = (F_r + 1)/(W + 1)      q_r = alpha_r/(n + alpha_r)
//
// This is a Dirichlet process, in which the n-th draw is new with chance alpha/(n + alpha); alpha
// is such that F is what was to be expected. While U > 0 there may be something to be found, so
// that alpha is at least min(0.05, (U/2)/(sum over known pairs of 1/max(n, 1) + 1)): half of the U
// states would then be met when every pair is tried once more. When W has grown by 100 since a
// state was last met for the first time, the others are taken not to exist (U = 0), like the holes
// of a frozen lake, in which nobody ever acts: with an alpha of 0.05 one would have been met by
// then with chance 1 - exp(-5).
//
// What may be found is a pair that pays R. It is worth its difference to g, what is earned now, for
// the share of time for which it can be had. That share is not known; if it is uniform on [0, 1],
//
//   x = R - g, cut to [0, R - r0]
//   prize = min(R - best, x^2/(2 (R - r0))), at least 0
//   p = 1/(S A/0.9 - N_p + 1)
//   lump = p L prize L/(L + caution S A)
//   lump_new = A lump,  nu = min(1, K/(N_p + 1));  both 0 if U = 0
//
// where best is the highest mean reward of a pair (shrunk as in auto.c), g the mean of recent
// rewards of steps that were no quest, and p the chance that an untried pair is the one that pays
// R, if there is one among all pairs with chance 0.9. The last factor of lump is for short runs:
// where R can be paid but not held every quest is a loss, and a loss of so many steps must be small
// beside the run. A mean reward of two or more visits that is beyond a told bound by three standard
// errors moves the bound.
//
// Range not told: with d distinct rewards seen, all between lo and hi,
//
//   prize = 100 (hi - lo)/d,  p at most 1/((N_p + 1)(d + 1));  no quests if d > 16
//
// which fits processes with few and rare rewards, where the next one may be far larger; 1 in place
// of hi - lo while all rewards are equal.
//
//   tried pair     Z = m + beta [(1 - q) sum_y phat(y) E(y) + q lump_new] + q_r lump
//   untried pair   Z = m + lump + beta nu lump_new
//   E(s) = max(0, max_a Z - h(s));  the highest of max(index, Z) is played
//
// m is the mean of auto.c. A step is a quest if what is played has not the highest index. In a
// process whose states become known as they are met U is 0: no new states are looked for, only
// rewards. Pairs that were never offered where they could have been (masks) are not among the S A,
// and the A of lump_new is the mean number of actions that a known state offers.
//
// Sweeps: far values must arrive soon. A refresh costs O(A + edges). But as long as the best
// actions stay the same, h = base + slope (mean of h over the successors of one action), and h + E
// is alike, so that a sweep brings a state up to date with two rows. `sweep` states are done so at
// a time, from the one met last to the first.

#include "learners/auto/auto.h"

#include <math.h>
#include <string.h>

#define PLACES      0.9  // chance that there is a pair which pays R
#define LEAST_ALPHA 0.05 // while states are missing, if half of them would not be met with less
#define FUTILE      5.0 // new states to be expected, at that chance, after which none is believed in
#define GUESS       100.0   // prize in units of the spacing of rewards, where no range is told
#define BEYOND      3.0     // standard errors by which a mean may be beyond what was told
#define MOST_LUMP   0x1p440 // what is more was made up, in a saved state

static bool has_prize(const lgkt_auto *u)
{
    return u->quests.lump > 0;
}

// mean of values (S) over the observed successors of a pair; 0 if there are none
static double mean_over_next(const lgkt_auto *u, const lgkt_seen_row *pair, const double *values)
{
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    double sum = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        sum += edges[e].count * values[edges[e].next];
    return pair->moves > 0 ? sum / pair->moves : 0;
}

// ---- a state ----

// a mean reward that is surely beyond what was told
static void note_beyond(lgkt_auto *u, const lgkt_sample *seen)
{
    lgkt_quests *quests = &u->quests;
    const double max = u->set.range.max - u->origin, min = u->set.range.min - u->origin;
    // what is not told is NaN, and then nothing is beyond it
    if (!(seen->mean > max + quests->above_max) && !(seen->mean < min - quests->below_min))
        return;
    const lgkt_belief belief = lgkt_spread_believe(&u->reward, seen, seen->mean, 0);
    const double error = BEYOND * sqrt(belief.noise / seen->n);
    if (seen->mean - error > max + quests->above_max)
        quests->above_max = seen->mean - max;
    if (seen->mean + error < min - quests->below_min)
        quests->below_min = min - seen->mean;
}

void lgkt_quest_refresh(lgkt_learner *learner, int32_t state, int32_t best)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const int32_t actions = learner->problem.actions;
    const lgkt_seen_row *rows = &u->counts.rows[(size_t)state * (size_t)actions];
    lgkt_quest_plan *plan = &quests->plans[state];
    const double beta = u->beta, h = u->h[state];
    plan->action = best;
    plan->slope = beta * u->worths[best].slope;
    plan->base = h - plan->slope * u->row_nexts[best].mean;
    if (!has_prize(u)) {
        quests->journey[state] = 0;
        return;
    }

    double highest = -INFINITY, highest_journey = 0;
    plan->quest_path = 0;
    for (int32_t a = 0; a < actions; a++) {
        const double n = rows[a].n, mean = u->worths[a].mean;
        double journey = 0, weight = 0; // sum_y phat(y) E(y), and what it counts in Z
        double z = mean + quests->lump + beta * quests->nu * quests->lump_new;
        if (n > 0) {
            const double q = quests->alpha / (n + quests->alpha);
            const double q_r = quests->alpha_reward / (n + quests->alpha_reward);
            weight = beta * (1 - q);
            journey = mean_over_next(u, &rows[a], quests->journey);
            z = mean + weight * journey + beta * q * quests->lump_new + q_r * quests->lump;
        }
        quests->worth[a] = z;
        if (z > highest) {
            highest = z;
            highest_journey = journey;
            plan->quest_path = weight;
            plan->quest = a;
        }
    }
    plan->quest_slope = beta * u->worths[plan->quest].slope;
    plan->quest_base = highest - plan->quest_path * highest_journey -
                       plan->quest_slope * u->row_nexts[plan->quest].mean;
    quests->journey[state] = highest > h ? highest - h : 0;
}

void lgkt_quest_sweep(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const size_t actions = (size_t)learner->problem.actions;
    const int64_t count = u->set.sweep < u->known_count ? u->set.sweep : u->known_count;
    const double most = lgkt_auto_most(u);
    for (int64_t i = 0; i < count; i++) {
        if (quests->sweep_turn <= 0 || quests->sweep_turn > u->known_count)
            quests->sweep_turn = u->known_count;
        const int32_t state = u->known[--quests->sweep_turn];
        const lgkt_quest_plan *plan = &quests->plans[state];
        const lgkt_seen_row *rows = &u->counts.rows[(size_t)state * actions];
        if (rows[plan->action].moves > 0) {
            const double next = mean_over_next(u, &rows[plan->action], u->h);
            const double h = plan->base + plan->slope * next;
            u->h[state] = h < most ? h : most;
        }
        if (!has_prize(u))
            continue;
        const lgkt_seen_row *quest = &rows[plan->quest];
        const double z = plan->quest_base +
                         plan->quest_path * mean_over_next(u, quest, quests->journey) +
                         plan->quest_slope * mean_over_next(u, quest, u->h);
        quests->journey[state] = z > u->h[state] ? z - u->h[state] : 0;
    }
}

// ---- a round ----

void lgkt_quest_note(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        if (u->row_rewards[a].n == 0)
            continue;
        quests->rarity_so_far += 1 / u->row_rewards[a].n;
        if (u->worths[a].reward > quests->best_so_far)
            quests->best_so_far = u->worths[a].reward;
        // one sight has no error to go by
        if (u->differs && u->row_rewards[a].n > 1)
            note_beyond(u, &u->row_rewards[a]);
    }
}

// What a pair that pays the most can bring in a step, where `best_seen` is the highest mean reward of
// a pair so far; *chance is that an untried pair is it.
static double prize(const lgkt_auto *u, double best_seen, double *chance)
{
    const lgkt_quests *quests = &u->quests;
    if (isnan(u->set.range.max)) {
        const double d = quests->value_count;
        if (quests->value_count > LGKT_QUEST_VALUES)
            return 0;
        if (!u->differs)
            return GUESS;
        *chance = fmin(*chance, 1 / (((double)quests->tried + 1) * (d + 1)));
        return GUESS * (u->highest - u->lowest) / d;
    }
    const double top = u->set.range.max - u->origin + quests->above_max;
    const double told_min = u->set.range.min - u->origin - quests->below_min;
    const double bottom = isnan(told_min) ? u->lowest : told_min;
    const double width = top - bottom;
    if (!(width > 0))
        return 0;
    const double gap = top - quests->steady, x = gap < width ? gap : width;
    const double held = x > 0 ? x * (x / (2 * width)) : 0, more = top - best_seen;
    const double most = more < held ? more : held;
    // while all rewards are equal there is no unit but that of the range
    return u->differs ? most : most / width;
}

void lgkt_quest_settle(lgkt_learner *learner, double closed)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const double rarity = quests->rarity_so_far, best_seen = quests->best_so_far;
    quests->best_so_far = LGKT_QUEST_NOTHING;
    quests->rarity_so_far = 0;
    quests->quest_in_last_round = quests->quest_in_round;
    quests->quest_in_round = false;
    quests->lump = quests->lump_new = quests->nu = 0;
    if (u->total == 0 || u->hidden.found)
        return;

    const double states = (double)learner->problem.states, actions = learner->problem.actions;
    const double known = u->known_count, tried = (double)quests->tried;
    // actions per state that can be tried: of all states, and of those that are known
    const double open = actions - closed / states, usual = actions - closed / known;
    const bool futile = LEAST_ALPHA * (quests->tries - quests->tries_at_new_state) >= FUTILE;
    const double missing = futile ? 0 : states - known;
    const double left = (double)lgkt_learner_steps_left(learner);
    quests->alpha = (quests->new_states + 1) / (quests->tries + 1);
    quests->alpha_reward = (quests->new_rewards + 1) / (quests->tries + 1);
    if (missing > 0) {
        const double half = missing / 2 / (rarity + (known * usual - tried) + 1);
        quests->alpha = fmax(quests->alpha, fmin(LEAST_ALPHA, half));
    }
    double chance = 1 / (states * open / PLACES - tried + 1);
    const double worth = prize(u, best_seen, &chance);
    if (!(worth > 0))
        return;
    const double lump = chance * left * worth * (left / (left + u->set.caution * states * open));
    quests->lump = lump < MOST_LUMP ? lump : MOST_LUMP;
    if (missing > 0) {
        quests->lump_new = usual * quests->lump;
        quests->nu = fmin(1, known / (tried + 1));
    }
}

// ---- steps ----

const double *lgkt_quest_choose(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    double *worth = u->quests.worth;
    if (!has_prize(u))
        return u->index;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        worth[a] = worth[a] > u->index[a] ? worth[a] : u->index[a];
    return worth;
}

void lgkt_quest_begin(lgkt_learner *learner, int32_t action, double slack)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    double top = -INFINITY;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        top = u->index[a] > top && lgkt_learner_allows(learner, a) ? u->index[a] : top;
    quests->in_quest = u->index[action] < top - slack;
    quests->quest_in_round |= quests->in_quest;
    quests->steps += quests->in_quest;
}

static void note_value(lgkt_quests *quests, double x)
{
    if (quests->value_count > LGKT_QUEST_VALUES)
        return;
    int32_t i = 0;
    while (i < quests->value_count && quests->values[i] != x)
        i++;
    if (i < quests->value_count)
        return;
    if (i < LGKT_QUEST_VALUES)
        quests->values[i] = x;
    quests->value_count++;
}

void lgkt_quest_learn(lgkt_learner *learner, size_t z, double x, bool is_new_state, bool is_record)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const double before = u->counts.rows[z].n - 1;
    if (before > 0) {
        quests->tries += 1 / (before + quests->alpha);
        quests->new_states += is_new_state;
        quests->new_rewards += is_record;
    } else {
        quests->tried++;
    }
    if (is_new_state)
        quests->tries_at_new_state = quests->tries;
    if (!quests->in_quest) {
        const double weight = 2 / (double)(++quests->steady_steps + 1);
        quests->steady += weight * (x - quests->steady);
    }
    quests->in_quest = false;
    note_value(quests, x);
}

void lgkt_quest_start_over(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const size_t states = (size_t)learner->problem.states;
    memset(quests->journey, 0, states * sizeof *quests->journey);
    memset(quests->plans, 0, states * sizeof *quests->plans);
    quests->steady = 0;
    quests->steady_steps = 0;
    quests->lump = quests->lump_new = quests->nu = 0;
    quests->rarity_so_far = 0;
    quests->best_so_far = LGKT_QUEST_NOTHING;
}

// ---- life ----

static const lgkt_field fields[] = {
    {LGKT_ARRAY(lgkt_quests, journey, PER_STATE, REAL)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, base, REAL)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, slope, REAL)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, quest_base, REAL)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, quest_slope, REAL)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, quest_path, REAL)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, action, ACTION)},
    {LGKT_COLUMN(lgkt_quests, plans, PER_STATE, lgkt_quest_plan, quest, ACTION)},
    {LGKT_ARRAY(lgkt_quests, worth, PER_ACTION, SCRATCH)},
    {LGKT_NUMBER(lgkt_quests, best_so_far, REAL)},
    {LGKT_NUMBER(lgkt_quests, steady, REAL)},
    {LGKT_NUMBER(lgkt_quests, steady_steps, COUNT)},
    {LGKT_NUMBER(lgkt_quests, steps, TALLY)},
    {LGKT_NUMBER(lgkt_quests, sweep_turn, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_quests, quest_in_round, FLAG)},
    {LGKT_NUMBER(lgkt_quests, quest_in_last_round, FLAG)},
};

static void visit(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    lgkt_quests *quests = part;
    const size_t states = (size_t)learner->problem.states;
    // weights of a mean: more would make values grow from sweep to sweep
    for (size_t s = 0; s < states; s++) {
        const lgkt_quest_plan *plan = &quests->plans[s];
        archive->bad |= !(quests->journey[s] >= 0 && plan->slope >= 0 && plan->slope <= 1 &&
                          plan->quest_slope >= 0 && plan->quest_slope <= 1 &&
                          plan->quest_path >= 0 && plan->quest_path <= 1);
    }
    double *const amounts[] = {&quests->new_states,    &quests->new_rewards,
                               &quests->tries,         &quests->tries_at_new_state,
                               &quests->alpha,         &quests->alpha_reward,
                               &quests->rarity_so_far, &quests->above_max,
                               &quests->below_min,     &quests->lump,
                               &quests->lump_new,      &quests->nu};
    for (size_t i = 0; i < LGKT_LENGTH(amounts); i++) {
        lgkt_visit_f64(archive, amounts[i], 1);
        archive->bad |= !(*amounts[i] >= 0);
    }
    lgkt_visit_f64(archive, quests->values, LGKT_QUEST_VALUES);
    lgkt_visit_i64(archive, &quests->tried, 1, 0, (int64_t)states * learner->problem.actions);
    lgkt_visit_i32(archive, &quests->value_count, 1, 0, LGKT_QUEST_VALUES + 1);
    archive->bad |= !(quests->alpha > 0 && quests->alpha_reward > 0 && quests->nu <= 1 &&
                      quests->lump <= MOST_LUMP);
}

const lgkt_part lgkt_quests_part = {.fields = fields, .count = LGKT_LENGTH(fields), .visit = visit};
