// SPDX-License-Identifier: MIT
// The names of the learners of ucrl.c, their settings, and what profiles stand for.
//
// Of learners with balls a profile is a named bundle:
//
//   parameter    practical   printed    released
//   bound        mixture     original   released
//   episodes     vanishing   doubling   vanishing-now
//   delta        1e-5        0.05       1e-5             the papers leave it open
//   sweeps       20000       20000      99
//   precision    by time     by time    0.001
//   radius       by count    by count   0.001            of KL balls
//   rows         kept        kept       drifting         of KL balls
//   opening      planned     planned    random
//   choice       best        best       first
//   legs         finished    finished   open             of PMEVI
//   projection   paper       paper      released         of PMEVI
//   rewards      as told     as told    in [0, 1]
//
// practical is the default, tighter than printed and still valid; printed are the constants of the
// papers; released is the code released with the LGKT paper, with its defects (ucrl_released.c,
// drifting.h). What a spec sets wins, and a full spec shows what the profile stands for.

#include "learners/planners/ucrl.h"

#include <math.h>

#include "core/elementary.h"

// ---- profiles ----

static void default_choice(int *choice, int value)
{
    *choice = *choice == LGKT_UNSET_CHOICE ? value : *choice;
}

static void default_real(double *number, double value)
{
    *number = isnan(*number) ? value : *number;
}

// boxes have no profiles, and set all of it
void lgkt_ucrl_take_profile(const lgkt_ucrl_name *name, lgkt_ucrl_settings *set, double horizon)
{
    const bool printed = set->profile == LGKT_CONSTANTS_PRINTED;
    const bool released = set->profile == LGKT_CONSTANTS_RELEASED;
    default_choice(&set->bound, printed    ? LGKT_BOUND_ORIGINAL
                                : released ? LGKT_BOUND_RELEASED
                                           : LGKT_BOUND_MIXTURE);
    default_choice(&set->episodes, printed    ? LGKT_EPISODES_DOUBLING
                                   : released ? LGKT_EPISODES_VANISHING_NOW
                                              : LGKT_EPISODES_VANISHING);
    default_real(&set->delta, printed ? 0.05 : 1e-5);
    default_choice(&set->rows, released);
    default_choice(&set->choice, released);
    default_choice(&set->opening, released);
    default_choice(&set->legs, released);
    default_choice(&set->projection, released);
    if (name->pmevi)
        default_real(&set->span, set->projection != 0 ? fmin(lgkt_pow(set->delta, -1.0 / 6), 1e15)
                                                      : lgkt_pow(horizon, 0.2));
    if (set->sweeps == LGKT_UNSET_INTEGER)
        set->sweeps = released ? 99 : 20000;
    if (!released)
        return;
    default_real(&set->precision, 0.001);
    if (name->region == LGKT_REGION_KL)
        default_real(&set->radius, 0.001);
    default_real(&set->reward.min, 0);
    default_real(&set->reward.max, 1);
    default_real(&set->reward.sd, 0.5);
}

// ---- the names ----

#define ROWS(episodes_, delta_, of_, precision_, sweeps_)                                          \
    LGKT_ROW_CHOICE(                                                                               \
        lgkt_ucrl_settings, episodes, "episodes", episodes_, "vanishing|doubling|vanishing-now",   \
        "when to plan anew: after a share of new visits that vanishes with the time of the "       \
        "plan, when they double, or after a share that vanishes with the time now"),               \
        LGKT_ROW_REAL(lgkt_ucrl_settings, delta, "delta", delta_, 1e-300, 1, of_),                 \
        LGKT_ROW_REAL(lgkt_ucrl_settings, precision, "precision", precision_, 1e-12, 1e15,         \
                      "of the planned gain, in units of the reward range"),                        \
        LGKT_ROW_INTEGER(lgkt_ucrl_settings, sweeps, "sweeps", sweeps_, 1, 1e15,                   \
                         "most sweeps of a planning; hits are counted")

#define BALL_ROWS(precision_)                                                                      \
    LGKT_ROW_CHOICE(lgkt_ucrl_settings, profile, "profile", "@practical",                          \
                    "practical|printed|released",                                                  \
                    "bundle of defaults: tighter ones that are valid, the printed constants, or "  \
                    "what the code released with the LGKT paper does, with rewards in [0, 1]"),    \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, bound, "bound",                                        \
                        "@by profile: mixture, original, released", "mixture|original|released",   \
                        "confidence radii: time-uniform ones, the printed constants, or those of " \
                        "the released code"),                                                      \
        ROWS("@by profile: vanishing, doubling, vanishing-now", "@by profile: 1e-5, 0.05, 1e-5",   \
             "failure probability of the radii, per pair", precision_ "; 0.001 if released",       \
             "@by profile: 20000, 20000, 99"),                                                     \
        LGKT_REWARD_ROWS(lgkt_ucrl_settings, reward),                                              \
        LGKT_ROW_REAL(lgkt_ucrl_settings, scale, "scale", "1", 1e-6, 1e6,                          \
                      "multiplies all confidence radii; only 1 has proofs"),                       \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, opening, "opening", "@planned; random if released",    \
                        "planned|random",                                                          \
                        "what is played first: a plan, or any action until one is drawn that was " \
                        "played before, as in the released code"),                                 \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, choice, "choice", "@best; first if released",          \
                        "best|first",                                                              \
                        "the best action of a plan, or the first within 0.01 of it, as in the "    \
                        "released code")

#define KL_ROWS                                                                                    \
    LGKT_ROW_REAL(                                                                                 \
        lgkt_ucrl_settings, radius, "radius", "@by the bound and the count; 0.001 if released",    \
        1e-9, 1e15,                                                                                \
        "one KL radius for every count: a defect of the released code, no proof has it"),          \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, rows, "rows", "@kept; drifting if released",           \
                        "kept|drifting",                                                           \
                        "whether empirical rows drift towards uniform with every sweep of a "      \
                        "planning, a defect of the released code")

#define PMEVI_ROWS                                                                                 \
    LGKT_ROW_REAL(lgkt_ucrl_settings, span, "span",                                                \
                  "@T^(1/5); with projection=released delta^(-1/6)", 0, 1e15,                      \
                  "bound on the span of the bias, in units of the reward range"),                  \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, legs, "legs", "@finished; open if released",           \
                        "finished|open",                                                           \
                        "what tells about the bias: ways between two states that were finished, "  \
                        "or open ones in the sums too, and not the first state, as in the "        \
                        "released code"),                                                          \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, projection, "projection",                              \
                        "@paper; by profile=released released", "paper|released",                  \
                        "errors, mitigation and where sweeps are projected: as in the paper, or "  \
                        "as in the released code")

#define BOX_ROWS(precision_)                                                                       \
    ROWS("doubling", "0.05", "failure probability of all intervals together", precision_,          \
         "20000"),                                                                                 \
        LGKT_ROW_CHOICE(lgkt_ucrl_settings, ties, "ties", "uniform", "uniform|least-visited",      \
                        "among equal actions: a draw, or one among the least visited"),            \
        LGKT_REWARD_BOUND_ROWS(lgkt_ucrl_settings, reward)

static const lgkt_param_row ucrl2_params[] = {BALL_ROWS("@1/sqrt(t)")};
static const lgkt_param_row klucrl_params[] = {BALL_ROWS("@1/sqrt(t)"), KL_ROWS};
static const lgkt_param_row pmevi_ucrl2_params[] = {BALL_ROWS("@sqrt(ln t / t)"), PMEVI_ROWS};
static const lgkt_param_row pmevi_klucrl_params[] = {BALL_ROWS("@sqrt(ln t / t)"), PMEVI_ROWS,
                                                     KL_ROWS};

static const lgkt_param_row ucrl2b_params[] = {
    BOX_ROWS("@1/t"),
    LGKT_ROW_REAL(lgkt_ucrl_settings, constant, "constant", "6", 1e-6, 1e15,
                  "in the logarithm of the intervals; published code has 18"),
};

static const lgkt_param_row ucrl3_params[] = {
    BOX_ROWS("@1/sqrt(t)"),
    LGKT_ROW_CHOICE(lgkt_ucrl_settings, support, "support", "noss", "noss|whole|seen",
                    "next states with mass besides those seen: as many of the best as could "
                    "matter, all, or the best one, as published code has it"),
    LGKT_ROW_CHOICE(lgkt_ucrl_settings, certain, "certain", "0", "0|1",
                    "a lower end of at least 0.5^(1/n) for the only next state seen: published "
                    "code has it, no proof does"),
};

#define MEMORY       "O(S A + min(T, S^2 A))"
#define PMEVI_MEMORY "O(S^2 + S A + min(T, S^2 A))"

const lgkt_ucrl_name lgkt_ucrl_names[LGKT_UCRL_NAMES] = {
    {LGKT_ENTRY("ucrl2", ucrl2_params, "optimism over an L1 ball of models", "Jaksch et al. 2010",
                MEMORY),
     .region = LGKT_REGION_L1},
    {LGKT_ENTRY("klucrl", klucrl_params, "optimism over a Kullback-Leibler ball of models",
                "Filippi et al. 2010", MEMORY),
     .region = LGKT_REGION_KL},
    {LGKT_ENTRY_LACKING("pmevi-ucrl2", pmevi_ucrl2_params,
                        "ucrl2 with bounds on the bias from the trajectory", "Boone and Zhang 2024",
                        PMEVI_MEMORY, LGKT_TRAIT_SHARED),
     .region = LGKT_REGION_L1, .pmevi = true},
    {LGKT_ENTRY_LACKING("pmevi-klucrl", pmevi_klucrl_params,
                        "klucrl with bounds on the bias from the trajectory",
                        "Boone and Zhang 2024", PMEVI_MEMORY, LGKT_TRAIT_SHARED),
     .region = LGKT_REGION_KL, .pmevi = true},
    {LGKT_ENTRY("ucrl2b", ucrl2b_params, "optimism over a Bernstein interval for each next state",
                "Fruit et al. 2020", MEMORY),
     .region = LGKT_REGION_BOX, .rule = LGKT_BOX_BERNSTEIN},
    {LGKT_ENTRY("ucrl3", ucrl3_params, "tighter intervals, and few of the next states never seen",
                "Bourel et al. 2020", MEMORY),
     .region = LGKT_REGION_BOX, .rule = LGKT_BOX_UCRL3},
};
