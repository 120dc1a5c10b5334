// SPDX-License-Identifier: MIT
// What there may be to find, and what it is believed to be worth. No state and no learner is known
// here, only facts about the process as a whole; the head of auto.c has the symbols.
//
// A pair that was tried can still lead to a state never met, and can still pay more than was ever
// paid. Both are counted over repeated tries (of pairs with n >= 1):
//
//   F, F_r     how many led to a state that was never met, and paid more than all rewards before
//   W        = sum of 1/(n + alpha) over the repeated tries
//   alpha    = (F + 1)/(W + 1)        q   = alpha/(n + alpha)
//   alpha_r  = (F_r + 1)/(W + 1)      q_r = alpha_r/(n + alpha_r) 2/(n + 1)
//
// This is a Dirichlet process, in which draw n is new with chance alpha/(n + alpha); alpha is such
// that F is what was to be expected. What pays R for the first time at draw n + 1 pays it seldom:
// hence the factor 2/(n + 1), which is 1 for the second draw.
//
//   nu       = min(1, K/(N_p + 1))    chance that an untried pair leads to a state never met
//   p        = 1/(S A/PLACES - N_p + 1)     chance that it is the one that pays R
//
// A pair that pays R is worth its difference to g, what is earned now, for the share of time for
// which it can be had. That share is uniform on [0, sigma], where journeys show what sigma is: B is
// the mean number of steps that a step of a journey throws one back.
//
//   sigma    = 1/(1 + B),   x = sigma (R - r0) - (g - r0), between 0 and sigma (R - r0)
//   prize    = min(R - found, x^2/(2 sigma (R - r0))), at least 0
//   lump     = WORTH p L prize
//   lump_new = A lump max(1, U/ways) - U^2/2 C/(finds + 1), at least 0;  0 if U = 0
//   ways     = alpha (sum of 1/n) + nu (untried pairs of known states) + 1
//
// `found` is the highest mean that a tried pair may have, by a standard deviation of what is believed
// of it. A new state brings the A pairs it has, and as many as there are missing states behind each
// way to one. It also brings the cost of the finds that must follow, each of which costs what finds
// have cost so far, C/(finds + 1), once for every state that is still missing then. C is what quests
// have cost: the sum of y - x over their steps. A mean reward of two or more visits that is beyond a
// told bound by SURE standard errors moves the bound.
//
// Range not told: with d distinct rewards seen, all between lo and hi, prize = GUESS (hi - lo)/d and
// p at most 1/((N_p + 1)(d + 1)); nothing is looked for if d > FEW; 1 in place of hi - lo while all
// rewards are equal. That fits processes with few and rare rewards, where the next may be far larger.

#include <math.h>

#include "learners/auto/auto.h"

// below all rewards
#define NOTHING (-LGKT_MAX_NUMBER)

// ---- a round ----

// a mean reward that is surely beyond what was told; what is not told is NaN, and nothing is beyond it
static void note_beyond(lgkt_quests *quests, const lgkt_sample *seen, double noise, double max,
                        double min)
{
    const double error = AUTO_SURE * sqrt(noise / seen->n);
    if (seen->mean - error > max + quests->above)
        quests->above = seen->mean - max;
    if (seen->mean + error < min - quests->below)
        quests->below = min - seen->mean;
}

void lgkt_quests_note(lgkt_quests *quests, const lgkt_auto_option *options, int32_t actions,
                      const lgkt_pair_spread *reward, double max, double min)
{
    const double spread = sqrt(reward->within);
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_sample *seen = &options[a].reward;
        if (seen->n == 0)
            continue;
        quests->rarity_so_far += 1 / seen->n;
        // a belief lies between what was seen and what is expected
        const bool may_lead =
            lgkt_larger(seen->mean, options[a].expected) + spread > quests->found_so_far;
        const bool may_be_beyond =
            seen->mean > max + quests->above || seen->mean < min - quests->below;
        if (!may_lead && !may_be_beyond)
            continue;
        const lgkt_belief belief = lgkt_spread_believe(reward, seen, options[a].expected, INFINITY);
        const double most = belief.mean + sqrt(belief.variance);
        quests->found_so_far = lgkt_larger(quests->found_so_far, most);
        // one sight has no error to go by
        if (seen->n > 1)
            note_beyond(quests, seen, belief.noise, max, min);
    }
}

// what something new can bring in a step; *chance is p
static double prize_of(const lgkt_quests *quests, const lgkt_auto_facts *facts, double *chance)
{
    if (isnan(facts->top)) {
        const double d = quests->value_count;
        if (quests->value_count > AUTO_FEW)
            return 0;
        if (!facts->differs)
            return AUTO_GUESS;
        *chance = lgkt_smaller(*chance, 1 / (((double)quests->tried + 1) * (d + 1)));
        return AUTO_GUESS * (facts->highest - facts->lowest) / d;
    }
    const double bottom = isnan(facts->bottom) ? facts->lowest : facts->bottom;
    const double width = facts->top - bottom;
    if (!(width > 0))
        return 0;
    const double most = width / (1 + quests->thrown);
    const double x = lgkt_smaller(lgkt_larger(most - (facts->gain - bottom), 0), most);
    const double prize = lgkt_smaller(facts->top - facts->found, x * (x / (2 * most)));
    // while all rewards are equal there is no unit but that of the range
    return facts->differs ? prize : prize / width;
}

void lgkt_quests_settle(lgkt_quests *quests, const lgkt_auto_facts *facts)
{
    quests->rarity_so_far = 0;
    quests->found_so_far = NOTHING;
    quests->quest_in_last_round = quests->quest_in_round;
    quests->quest_in_round = false;
    quests->lump = quests->lump_new = quests->nu = 0;
    if (facts == NULL)
        return;
    const double tried = (double)quests->tried, rarity = facts->rarity;
    const double missing = facts->states - facts->known;
    const double untried = lgkt_larger(0, facts->known * facts->usual - tried);
    quests->alpha = (quests->new_states + 1) / (quests->tries + 1);
    quests->alpha_reward = (quests->new_rewards + 1) / (quests->tries + 1);
    double chance = 1 / (facts->pairs / AUTO_PLACES - tried + 1);
    const double prize = prize_of(quests, facts, &chance);
    if (!(prize > 0))
        return;
    // more was made up, in a saved state
    quests->lump = lgkt_smaller(AUTO_WORTH * chance * facts->left * prize, LGKT_MAX_NUMBER);
    if (missing == 0)
        return;
    quests->nu = lgkt_smaller(1, facts->known / (tried + 1));
    const double ways = quests->alpha * rarity + quests->nu * untried + 1;
    const double follow = missing * missing / 2 * quests->spent / (quests->finds + 1);
    const double behind = facts->usual * quests->lump * lgkt_larger(1, missing / ways);
    quests->lump_new = lgkt_smaller(lgkt_larger(0, behind - follow), LGKT_MAX_NUMBER);
}

// ---- steps ----

static void note_value(lgkt_quests *quests, double x)
{
    if (quests->value_count > AUTO_FEW)
        return;
    int32_t i = 0;
    while (i < quests->value_count && quests->values[i] != x)
        i++;
    if (i < quests->value_count)
        return;
    if (i < AUTO_FEW)
        quests->values[i] = x;
    quests->value_count++;
}

// moves a mean of which the last of `count` values weighs 2/(count + 1)
static void follow(double *mean, int64_t *count, double value)
{
    *mean += 2 / (double)(++*count + 1) * (value - *mean);
}

void lgkt_quests_learn(lgkt_quests *quests, const lgkt_quest_step *step)
{
    if (step->n > 0) {
        quests->tries += 1 / (step->n + quests->alpha);
        quests->new_states += step->is_new_state;
        quests->new_rewards += step->is_record;
    } else {
        quests->tried++;
    }
    quests->finds += step->is_new_state && quests->lump > 0;
    if (quests->way_left > 0)
        follow(&quests->thrown, &quests->thrown_steps, step->thrown);
    if (quests->in_quest)
        quests->spent = lgkt_larger(0, quests->spent - step->earned);
    else
        follow(&quests->steady, &quests->steady_steps, step->x);
    quests->in_quest = false;
    quests->way_left = 0;
    note_value(quests, step->x);
}

void lgkt_quests_void(lgkt_quests *quests)
{
    quests->steady = quests->rho = quests->spent = 0;
    quests->steady_steps = 0;
    quests->lump = quests->lump_new = quests->nu = 0;
    quests->rarity_so_far = 0;
    quests->found_so_far = NOTHING;
}

// ---- saving ----

static const lgkt_field fields[] = {
    {LGKT_NUMBER(lgkt_quests, tried, COUNT)},
    {LGKT_NUMBER(lgkt_quests, thrown_steps, COUNT)},
    {LGKT_NUMBER(lgkt_quests, steady, REAL)},
    {LGKT_NUMBER(lgkt_quests, steady_steps, COUNT)},
    {LGKT_NUMBER(lgkt_quests, found_so_far, REAL)},
    {LGKT_NUMBER(lgkt_quests, quest_in_round, FLAG)},
    {LGKT_NUMBER(lgkt_quests, quest_in_last_round, FLAG)},
    {LGKT_NUMBER(lgkt_quests, steps, TALLY)},
};

static void visit(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    lgkt_quests *quests = part;
    (void)learner;
    double *const amounts[] = {&quests->new_states,   &quests->new_rewards,   &quests->tries,
                               &quests->finds,        &quests->spent,         &quests->thrown,
                               &quests->above,        &quests->below,         &quests->alpha,
                               &quests->alpha_reward, &quests->lump,          &quests->lump_new,
                               &quests->nu,           &quests->rarity_so_far, &quests->rho};
    for (size_t i = 0; i < LGKT_LENGTH(amounts); i++) {
        lgkt_visit_f64(archive, amounts[i], 1);
        archive->bad |= !(*amounts[i] >= 0);
    }
    lgkt_visit_f64(archive, quests->values, AUTO_FEW);
    lgkt_visit_i32(archive, &quests->value_count, 1, 0, AUTO_FEW + 1);
    archive->bad |= !(quests->alpha > 0 && quests->nu <= 1 && quests->lump <= LGKT_MAX_NUMBER &&
                      quests->lump_new <= LGKT_MAX_NUMBER);
}

const lgkt_part lgkt_quests_part = {.fields = fields, .count = LGKT_LENGTH(fields), .visit = visit};
