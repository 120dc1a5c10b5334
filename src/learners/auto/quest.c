// SPDX-License-Identifier: MIT
// Quests: what a journey to something never seen is worth. Ours.
//
// The index of auto looks for what is uncertain. Where nothing is noisy nothing is uncertain, and
// yet the best place may never have been seen. So beside the value h(s) each state has a second
// one, E(s) >= 0: what a journey from here to something new is worth. E stays apart from h, and so
// out of the spreads that h is judged by.
//
//   L         steps left, the one at hand counted        K, U   known states, and S - K
//   N_p       tried pairs                                n      visits of a pair
//   R, r0     told bounds of the mean rewards            q      chance of something new
//
// A pair that was tried can still lead to a state never met, and can still pay more than was ever
// paid. Both are counted over repeated tries (of pairs with n >= 1):
//
//   alpha   = (F + 1)/(W + 1)     F successors never met anywhere before,  W the sum of 1/(n +
//   alpha) alpha_r = (F_r + 1)/(W + 1)   F_r rewards above all before q = alpha/(n + alpha),  q_r =
//   alpha_r/(n + alpha_r)
//
// the law of a Dirichlet process, in which the n-th draw is new with chance alpha/(n + alpha), with
// alpha as large as makes F what is to be expected. While U > 0 there may be something to be found,
// so alpha is at least min(0.05, (U/2)/(sum over known pairs of 1/max(n, 1) + 1)): half of the U
// states would then be met when every pair is tried once more. When W has grown by 100 since a
// state was met for the first time, the others are taken not to exist (U = 0), as holes in ice that
// nobody acts in: with an alpha of 0.05 one would have been met by then with chance 1 - exp(-5).
//
// What may be found is a pair that pays R. It is worth its difference to what is earned now, g, for
// the share of time for which it can be had. That share is not known; if it is uniform on [0, 1],
//
//   x = R - g within [0, R - r0],   prize = min(R - found, x^2/(2 (R - r0))),  at least 0
//   p = 1/(S A/0.9 - N_p + 1)       chance that an untried pair is it: one of all is, with 0.9
//   lump = p L prize L/(L + caution S A)
//   lump_new = A lump,  nu = min(1, K/(N_p + 1));  both 0 if U = 0
//
// where found is the highest mean reward of a pair (shrunk as in auto.c) and g the mean of recent
// rewards of steps that were no quest. The last factor is for short runs: where R can be paid but
// not held every quest is a loss, and a loss of so many steps must be small beside the run.
// A mean reward of two or more visits that is beyond a told bound by three standard errors moves
// it.
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
// process whose states become known as they are met U is 0, and all but new states is looked for.
// Pairs that were never offered where they could have been (masks) are not among the S A, and the A
// of lump_new is the mean number of actions that a known state offers.
//
// Sweeps: far values must arrive soon. A refresh costs O(A + edges); but with the actions and
// constants that it found, both values are h = base + slope beta c and h + E = base' + ..., one row
// each. `sweep` states are brought up to date so, from the one met last to the first.

#include "learners/auto/quest.h"

#include <math.h>
#include <string.h>

#include "learners/auto/auto.h"

#define PLACES      0.9   // chance that there is a pair which pays R
#define LEAST_ALPHA 0.05  // while states are missing, if half of them would not be met with less
#define FUTILE      5.0   // finds to be expected, at that chance, after which none is believed in
#define GUESS       100.0 // prize in units of the spacing of rewards, where no range is told
#define BEYOND      3.0   // standard errors by which a mean may be beyond what was told
#define NOTHING     -LGKT_MAX_NUMBER // below all rewards
#define MOST_LUMP   0x1p440 // a range may be told that is absurd in the unit of the rewards

static bool active(const lgkt_auto *u)
{
    return u->quests.lump > 0;
}

// sum over y of phat(y) values(y)
static double mean_of(const lgkt_auto *u, const lgkt_seen_row *pair, const double *values)
{
    const lgkt_edge *edges = lgkt_successors_edges(&u->counts);
    double sum = 0;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        sum += edges[e].count * values[edges[e].next];
    return pair->moves > 0 ? sum / pair->moves : 0;
}

// a told bound of the mean rewards, counted from the origin; NaN if it is not told
static double told(const lgkt_auto *u, double bound)
{
    return bound - u->origin;
}

// ---- a state ----

// a mean reward that is surely beyond what was told
static void note_beyond(lgkt_auto *u, const lgkt_sample *seen)
{
    lgkt_quests *quests = &u->quests;
    const double top = told(u, u->set.range.max);
    const double bottom = told(u, u->set.range.min);
    // what is not told is NaN, and then nothing is beyond it
    if (!(seen->mean > top + quests->above) && !(seen->mean < bottom - quests->below))
        return;
    const lgkt_belief belief = lgkt_spread_believe(&u->reward, seen, seen->mean, 0);
    const double error = BEYOND * sqrt(belief.noise / seen->n);
    if (seen->mean - error > top + quests->above)
        quests->above = seen->mean - top;
    if (seen->mean + error < bottom - quests->below)
        quests->below = bottom - seen->mean;
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
    if (!active(u)) {
        quests->journey[state] = 0;
        return;
    }

    double top = -INFINITY, way = 0, stays = 0;
    for (int32_t a = 0; a < actions; a++) {
        const double n = rows[a].n, mean = u->worths[a].mean;
        double z = mean + quests->lump + beta * quests->nu * quests->lump_new, path = 0, on = 0;
        if (n > 0) {
            const double q = quests->alpha / (n + quests->alpha);
            const double q_r = quests->alpha_reward / (n + quests->alpha_reward);
            on = beta * (1 - q);
            path = mean_of(u, &rows[a], quests->journey);
            z = mean + on * path + beta * q * quests->lump_new + q_r * quests->lump;
        }
        quests->worth[a] = z;
        if (z > top) {
            top = z;
            way = path;
            stays = on;
            plan->quest = a;
        }
    }
    plan->quest_path = stays;
    plan->quest_slope = beta * u->worths[plan->quest].slope;
    plan->quest_base = top - stays * way - plan->quest_slope * u->row_nexts[plan->quest].mean;
    quests->journey[state] = top > h ? top - h : 0;
}

void lgkt_quest_sweep(lgkt_learner *learner)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const size_t actions = (size_t)learner->problem.actions;
    const int64_t count = u->set.sweep < u->states ? u->set.sweep : u->states;
    const double most = lgkt_auto_most(u);
    for (int64_t i = 0; i < count; i++) {
        if (quests->sweep_turn <= 0 || quests->sweep_turn > u->states)
            quests->sweep_turn = u->states;
        const int32_t state = u->known[--quests->sweep_turn];
        const lgkt_quest_plan *plan = &quests->plans[state];
        const lgkt_seen_row *rows = &u->counts.rows[(size_t)state * actions];
        if (rows[plan->action].moves > 0) {
            const double h = plan->base + plan->slope * mean_of(u, &rows[plan->action], u->h);
            u->h[state] = h < most ? h : most;
        }
        if (!active(u))
            continue;
        const lgkt_seen_row *way = &rows[plan->quest];
        const double top = plan->quest_base + plan->quest_path * mean_of(u, way, quests->journey) +
                           plan->quest_slope * mean_of(u, way, u->h);
        quests->journey[state] = top > u->h[state] ? top - u->h[state] : 0;
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
        if (u->worths[a].reward > quests->found_so_far)
            quests->found_so_far = u->worths[a].reward;
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
    const double top = told(u, u->set.range.max) + quests->above;
    const double bottom =
        isnan(u->set.range.min) ? u->lowest : told(u, u->set.range.min) - quests->below;
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
    const double rarity = quests->rarity_so_far, best_seen = quests->found_so_far;
    quests->found_so_far = NOTHING;
    quests->rarity_so_far = 0;
    quests->eager = quests->gone;
    quests->gone = false;
    quests->lump = quests->lump_new = quests->nu = 0;
    if (u->total == 0 || u->hidden.found)
        return;

    const double states = (double)learner->problem.states, actions = learner->problem.actions;
    const double known = u->states, tried = (double)quests->tried;
    // actions per state that can be tried: of all states, and of those that are known
    const double open = actions - closed / states, usual = actions - closed / known;
    const bool futile = LEAST_ALPHA * (quests->tries - quests->tries_found) >= FUTILE;
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
    if (!active(u))
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
    quests->going = u->index[action] < top - slack;
    quests->gone |= quests->going;
    quests->steps += quests->going;
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

void lgkt_quest_learn(lgkt_learner *learner, size_t z, double x, bool fresh, bool record)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const double before = u->counts.rows[z].n - 1;
    if (before > 0) {
        quests->tries += 1 / (before + quests->alpha);
        quests->new_states += fresh;
        quests->new_rewards += record;
    } else {
        quests->tried++;
    }
    if (fresh)
        quests->tries_found = quests->tries;
    if (!quests->going) {
        const double weight = 2 / (double)(++quests->steady_steps + 1);
        quests->steady += weight * (x - quests->steady);
    }
    quests->going = false;
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
    quests->found_so_far = NOTHING;
}

// ---- life ----

bool lgkt_quest_create(lgkt_learner *learner)
{
    lgkt_quests *quests = &((lgkt_auto *)learner->self)->quests;
    quests->alpha = quests->alpha_reward = 1;
    quests->found_so_far = NOTHING;
    quests->worth =
        lgkt_learner_alloc(learner, (size_t)learner->problem.actions, sizeof *quests->worth);
    return quests->worth != NULL;
}

void lgkt_quest_release(lgkt_learner *learner)
{
    lgkt_quests *quests = &((lgkt_auto *)learner->self)->quests;
    lgkt_learner_free(learner, quests->journey);
    lgkt_learner_free(learner, quests->plans);
    lgkt_learner_free(learner, quests->worth);
}

bool lgkt_quest_grow(lgkt_learner *learner, int32_t before, int32_t after)
{
    lgkt_quests *quests = &((lgkt_auto *)learner->self)->quests;
    const size_t old = (size_t)before, more = (size_t)after;
    LGKT_RESIZE(learner, quests->journey, old, more, out);
    LGKT_RESIZE(learner, quests->plans, old, more, out);
    return true;
out:
    return false;
}

static void visit_flag(lgkt_archive *archive, bool *flag)
{
    int32_t value = *flag;
    lgkt_visit_i32(archive, &value, 1, 0, 1);
    *flag = value == 1;
}

void lgkt_quest_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_auto *u = learner->self;
    lgkt_quests *quests = &u->quests;
    const int32_t last = learner->problem.actions - 1;
    const size_t states = (size_t)learner->problem.states;
    lgkt_visit_f64(archive, quests->journey, states);
    for (size_t s = 0; s < states; s++) {
        lgkt_quest_plan *plan = &quests->plans[s];
        lgkt_visit_f64(archive, &plan->base, 5); // base to quest_path
        lgkt_visit_i32(archive, &plan->action, 1, 0, last);
        lgkt_visit_i32(archive, &plan->quest, 1, 0, last);
        // these are weights of a mean: more would make values grow from sweep to sweep
        archive->bad |= !(quests->journey[s] >= 0 && plan->slope >= 0 && plan->slope <= 1 &&
                          plan->quest_slope >= 0 && plan->quest_slope <= 1 &&
                          plan->quest_path >= 0 && plan->quest_path <= 1);
    }
    double *const amounts[] = {&quests->new_states,  &quests->new_rewards,   &quests->tries,
                               &quests->tries_found, &quests->alpha,         &quests->alpha_reward,
                               &quests->above,       &quests->rarity_so_far, &quests->below,
                               &quests->lump,        &quests->lump_new,      &quests->nu};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        lgkt_visit_f64(archive, amounts[i], 1);
        archive->bad |= !(*amounts[i] >= 0);
    }
    lgkt_visit_f64(archive, &quests->found_so_far, 1);
    lgkt_visit_f64(archive, &quests->steady, 1);
    lgkt_visit_f64(archive, quests->values, LGKT_QUEST_VALUES);
    lgkt_visit_i64(archive, &quests->tried, 1, 0, (int64_t)states * learner->problem.actions);
    lgkt_visit_i64(archive, &quests->steady_steps, 1, 0, LGKT_MAX_COUNT);
    lgkt_visit_tally(archive, &quests->steps, 1);
    lgkt_visit_i32(archive, &quests->value_count, 1, 0, LGKT_QUEST_VALUES + 1);
    lgkt_visit_i32(archive, &quests->sweep_turn, 1, 0, learner->problem.states);
    visit_flag(archive, &quests->going);
    visit_flag(archive, &quests->gone);
    visit_flag(archive, &quests->eager);
    archive->bad |= !(quests->alpha > 0 && quests->alpha_reward > 0 && quests->nu <= 1 &&
                      quests->lump <= MOST_LUMP);
}
