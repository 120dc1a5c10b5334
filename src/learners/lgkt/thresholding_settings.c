// SPDX-License-Identifier: MIT
// The parameters of the thresholding learners, and the names built from them.
//
// The printed algorithm and the code that made the paper's figures differ. Every difference is a
// parameter; a profile is a named bundle of them:
//
//   parameter      paper               practical           released
//   width          3                   1                   1
//   untried        last                first               first
//   index          paper               practical           released
//   ties           uniform             uniform             high
//   coin           paper               practical           practical
//   continuation   received            received            mean
//   refresh        always              always              added
//   sampler K=2    ucb                 ucb                 order
//   sampler K>=3   ucbvi               ucbvi               none: refused
//   sampler-data   runs                all                 all
//   sampler-bonus  1                   0.01                1
//   sampler-scope  per-pair            shared              shared
//   phases         printed             linked              linked
//   max-raises     none (lg1t-i)       8                   8
//
// A parameter that a spec does not set comes from the profile. Where the paper leaves a choice:
//
//   ALG_{K-1}(.|s,a) has its own data for each pair (s,a), hence per-pair; it stays so for a
//   sampler that is told everything, or is the order of depth 1, neither of which can be per pair.
//   LG1-2T runs algorithm 1 while t <= cutoff and then algorithm 2, both on the same counts and
//   sums of rewards: what was learned is not thrown away. Algorithm 1 takes no continuation
//   samples, so there are none until the first run; the coin counts all visits, N_{s,a}.
//   LG1-2T-adaptive changes after sqrt(S A T). LG1T-I and LG2T-I raise a threshold "when the number
//   of visits exceeds log T": the visits since the last raise, else it would rise at every visit
//   from then on. No number of raises is printed. No run starts at t = 0, which has no previous
//   pair, nor with fewer than K-1 steps left. A mean of no samples is no number: its lower bound is
//   the initial one, -infinity, its index +infinity.

#include "learners/lgkt/thresholding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"

// ---- profiles ----

static const lgkt_thresholding_settings profiles[] = {
    [LGKT_PROFILE_PAPER] = {.width = 3,
                            .index = LGKT_INDEX_PAPER,
                            .untried = LGKT_UNTRIED_LAST,
                            .ties = LGKT_PICK_UNIFORM,
                            .coin = LGKT_COIN_PAPER,
                            .continuation = LGKT_CONTINUATION_RECEIVED,
                            .refresh = LGKT_REFRESH_ALWAYS,
                            .sampler_bonus = 1,
                            .sampler_data = LGKT_SAMPLER_RUNS,
                            .sampler_scope = LGKT_SCOPE_PAIR,
                            .phases = LGKT_PHASES_PRINTED},
    [LGKT_PROFILE_PRACTICAL] = {.width = 1,
                                .index = LGKT_INDEX_PRACTICAL,
                                .untried = LGKT_UNTRIED_FIRST,
                                .ties = LGKT_PICK_UNIFORM,
                                .coin = LGKT_COIN_PRACTICAL,
                                .continuation = LGKT_CONTINUATION_RECEIVED,
                                .refresh = LGKT_REFRESH_ALWAYS,
                                .sampler_bonus = 0.01,
                                .sampler_data = LGKT_SAMPLER_ALL},
    [LGKT_PROFILE_RELEASED] = {.width = 1,
                               .index = LGKT_INDEX_RELEASED,
                               .untried = LGKT_UNTRIED_FIRST,
                               .ties = LGKT_PICK_HIGH,
                               .coin = LGKT_COIN_PRACTICAL,
                               .continuation = LGKT_CONTINUATION_MEAN,
                               .refresh = LGKT_REFRESH_ADDED,
                               .sampler_bonus = 1,
                               .sampler_data = LGKT_SAMPLER_ALL},
};

static void take_choice(int *field, int from_profile)
{
    if (*field == LGKT_UNSET_CHOICE)
        *field = from_profile;
}

static void take_real(double *field, double value)
{
    if (isnan(*field))
        *field = value;
}

// ---- what a spec leaves open ----

// the line through the paper's two thresholds
static double default_gamma(int64_t k)
{
    return 0.3 + 0.6 * (double)(k - 1);
}

// what does not go together
static lgkt_status check_together(const lgkt_thresholding_settings *settings, lgkt_error *error)
{
    if (settings->k > 2 && settings->profile == LGKT_PROFILE_RELEASED)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "profile=released ends at k=2 and k=%lld was asked for; use "
                         "profile=practical",
                         (long long)settings->k);
    if (settings->k > 2 && lgkt_thresholding_samples_by_order(settings))
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "sampler=order plays runs of one step, k=%lld needs more; use "
                         "sampler=ucbvi",
                         (long long)settings->k);
    if (settings->sampler_scope == LGKT_SCOPE_PAIR && settings->sampler_data == LGKT_SAMPLER_ALL)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "sampler-scope=per-pair needs sampler-data=runs: a sampler for one pair "
                         "sees only its runs");
    if (settings->reward_min > settings->reward_max)
        return lgkt_fail(error, LGKT_ERR_SPEC, "reward-min=%g is above reward-max=%g",
                         settings->reward_min, settings->reward_max);
    return LGKT_OK;
}

lgkt_status lgkt_thresholding_resolve(const lgkt_learner *learner,
                                      lgkt_thresholding_settings *settings, lgkt_stages *stages,
                                      lgkt_error *error)
{
    const lgkt_thresholding_traits *traits = learner->class->traits;
    const lgkt_problem *problem = &learner->problem;
    if (traits->k > 0)
        settings->k = traits->k;

    const lgkt_thresholding_settings *profile = &profiles[settings->profile];
    take_real(&settings->width, profile->width);
    take_real(&settings->sampler_bonus, profile->sampler_bonus);
    take_choice(&settings->index, profile->index);
    take_choice(&settings->untried, profile->untried);
    take_choice(&settings->ties, profile->ties);
    take_choice(&settings->coin, profile->coin);
    take_choice(&settings->continuation, profile->continuation);
    take_choice(&settings->refresh, profile->refresh);
    // a sampler for one pair sees nothing but the runs of that pair
    const bool one_for_all =
        settings->sampler_data == LGKT_SAMPLER_ALL || lgkt_thresholding_samples_by_order(settings);
    take_choice(&settings->sampler_scope, one_for_all ? LGKT_SCOPE_SHARED : profile->sampler_scope);
    const bool per_pair = settings->sampler_scope == LGKT_SCOPE_PAIR;
    take_choice(&settings->sampler_data, per_pair ? LGKT_SAMPLER_RUNS : profile->sampler_data);
    take_real(&settings->reward_min, isnan(problem->reward_min) ? 0 : problem->reward_min);
    take_real(&settings->reward_max, isnan(problem->reward_max) ? 1 : problem->reward_max);
    take_real(&settings->reward_sd, isnan(problem->reward_sd) ? 0.5 : problem->reward_sd);
    if (traits->rising && traits->k == 1 && settings->max_raises == LGKT_UNSET_INTEGER &&
        settings->profile != LGKT_PROFILE_PAPER)
        settings->max_raises = 8;
    if (traits->two_phases && profile->phases != LGKT_PHASES_LINKED)
        take_choice(&settings->phases, profile->phases);
    const bool printed = settings->phases == LGKT_PHASES_PRINTED;
    // where states become known one by one, S is how many there may be
    if (traits->adaptive) {
        const double root =
            sqrt((double)learner->limit * (double)problem->actions * (double)problem->horizon);
        settings->cutoff = (int64_t)(printed ? floor(root) : ceil(root));
    }

    take_real(&settings->threshold, default_gamma(settings->k));
    if (traits->two_phases)
        stages->at[stages->count++] = (lgkt_stage){.k = 1, .gamma = settings->threshold1};
    stages->at[stages->count++] =
        (lgkt_stage){.k = settings->k,
                     .start = traits->two_phases ? settings->cutoff + printed : 0,
                     .gamma = settings->threshold};
    if (settings->sampler == NULL && settings->k > 1)
        settings->sampler = settings->profile == LGKT_PROFILE_RELEASED ? "order"
                            : settings->k == 2                         ? "ucb"
                                                                       : "ucbvi";
    return check_together(settings, error);
}

bool lgkt_thresholding_samples_by_order(const lgkt_thresholding_settings *settings)
{
    return settings->sampler != NULL && strcmp(settings->sampler, "order") == 0;
}

// A UCBVI is told the length of the runs and the multiplier of its bonuses, unless its spec says
// them.
lgkt_status lgkt_thresholding_sampler_spec(const lgkt_thresholding_settings *settings, char *text,
                                           size_t size, lgkt_error *error)
{
    char name[64], value[64];
    LGKT_TRY(lgkt_spec_name(settings->sampler, name, sizeof name, error));
    const bool ucbvi = strcmp(name, "ucbvi") == 0;
    const bool bare = strchr(settings->sampler, ':') == NULL;
    int length = snprintf(text, size, "%s", settings->sampler);
    if (ucbvi && lgkt_spec_value(settings->sampler, "h", value, sizeof value, NULL) != LGKT_OK)
        length = snprintf(text, size, "%s%sh=%lld", settings->sampler, bare ? ":" : ",",
                          (long long)(settings->k - 1));
    if (length < 0 || (size_t)length >= size)
        return lgkt_fail(error, LGKT_ERR_SPEC, "the spec of the sampler is too long");
    if (ucbvi && lgkt_spec_value(text, "bonus", value, sizeof value, NULL) != LGKT_OK) {
        const size_t at = (size_t)length;
        char bonus[LGKT_NUMBER_SIZE];
        lgkt_number_print(bonus, settings->sampler_bonus);
        length = snprintf(text + at, size - at, ",bonus=%s", bonus);
        if (length < 0 || (size_t)length >= size - at)
            return lgkt_fail(error, LGKT_ERR_SPEC, "the spec of the sampler is too long");
    }
    return LGKT_OK;
}

// ---- parameter rows ----

#define REAL(...)    LGKT_ROW_REAL(lgkt_thresholding_settings, __VA_ARGS__)
#define INTEGER(...) LGKT_ROW_INTEGER(lgkt_thresholding_settings, __VA_ARGS__)
#define CHOICE(...)  LGKT_ROW_CHOICE(lgkt_thresholding_settings, __VA_ARGS__)
#define TEXT(...)    LGKT_ROW_TEXT(lgkt_thresholding_settings, __VA_ARGS__)

#define BIG 1e15

#define ROW_THRESHOLD(fallback_)                                                                   \
    REAL(threshold, "threshold", fallback_, -BIG, BIG,                                             \
         "gamma: what the next K steps must be worth for an action to be good enough")

#define ROW_PROFILE(fallback_)                                                                     \
    CHOICE(profile, "profile", fallback_, "paper|practical|released",                              \
           "bundle of defaults: the printed algorithm, our reading of it, or the code behind the " \
           "paper's figures")

// every name has these
#define ROWS_COMMON(fallback_)                                                                     \
    REAL(width, "width", "@by profile: 3, 1, 1", 0, BIG,                                           \
         "c in the confidence width sqrt(c ln(n+2)/(n+2))"),                                       \
        CHOICE(candidates, "candidates", "@lcb", "lcb|mean",                                       \
               "what must reach the threshold: the lower bound of an action, or its mean; among "  \
               "those that do the highest lower bound is played"),                                 \
        CHOICE(untried, "untried", "@by profile: last, first, first", "first|last",                \
               "whether an action that was never tried counts as good enough (first) or not"),     \
        CHOICE(index, "index", "@by profile: paper, practical, released",                          \
               "paper|practical|released",                                                         \
               "formula of the exploration bonus in the optimistic index"),                        \
        CHOICE(ties, "ties", "@by profile: uniform, uniform, high", "uniform|high",                \
               "equal actions: drawn, or the highest action number in the released code's order"), \
        CHOICE(fallback, "fallback", fallback_, "index|uniform",                                   \
               "what is played where no action is good enough: the highest index, or all alike")

// names with K >= 2 have these besides
#define ROWS_DEEP                                                                                  \
    REAL(p, "p", "1/2", 0, 10, "how fast the coin of estimation runs gets rare"),                  \
        CHOICE(coin, "coin", "@by profile: paper, practical, practical", "paper|practical",        \
               "probability of a run: min(1, 1/((n+1)^p min(eta, 1/2))), or 1/(1 + (n+1)^p)"),     \
        REAL(eta, "eta", "1/2", 1e-9, BIG, "eta of coin=paper"),                                   \
        CHOICE(continuation, "continuation", "@by profile: received, received, mean",              \
               "received|mean",                                                                    \
               "what a run adds up: the rewards received, or the mean of each pair played"),       \
        CHOICE(refresh, "refresh", "@by profile: always, always, added", "always|added",           \
               "when the value of a pair takes in its new mean reward: at once, or only when a "   \
               "continuation is added"),                                                           \
        TEXT(sampler, "sampler", "@by profile: ucb or (k > 2) ucbvi, the same, order",             \
             "who plays the runs: order (of depth 1), or any learner that can be fed"),            \
        CHOICE(sampler_data, "sampler-data", "@by profile: runs, all, all", "runs|all",            \
               "what the sampler learns from: the steps of runs, or every step"),                  \
        REAL(sampler_bonus, "sampler-bonus", "@by profile: 1, 0.01, 1", 0, BIG,                    \
             "multiplies the bonuses of sampler=ucbvi"),                                           \
        CHOICE(sampler_scope, "sampler-scope", "@by profile: per-pair, shared, shared",            \
               "shared|per-pair",                                                                  \
               "one sampler for all runs, or one for each pair they start from (allocates as it "  \
               "goes)"),                                                                           \
        INTEGER(sampler_limit, "sampler-limit", "1073741824", 0, BIG,                              \
                "most bytes that sampler-scope=per-pair may ever need"),                           \
        REAL(reward_min, "reward-min", "@from the problem, else 0", -BIG, BIG,                     \
             "lower bound of the mean rewards, for samplers that need one"),                       \
        REAL(reward_max, "reward-max", "@from the problem, else 1", -BIG, BIG,                     \
             "upper bound of the mean rewards, for samplers that need one"),                       \
        REAL(reward_sd, "reward-sd", "@from the problem, else 0.5", 0, BIG,                        \
             "sub-Gaussian scale of the reward noise, for samplers that need one")

#define ROW_SAMPLER_THRESHOLD                                                                      \
    REAL(sampler_threshold, "sampler-threshold", "0.3", -BIG, BIG, "gamma of sampler=order")

#define ROWS_TWO_PHASES                                                                            \
    REAL(threshold1, "threshold1", "0.3", -BIG, BIG, "gamma of depth 1, up to the cutoff"),        \
        REAL(threshold, "threshold2", "0.9", -BIG, BIG, "gamma of depth 2, from the cutoff on"),   \
        CHOICE(phases, "phases", "@by profile: printed, linked, linked", "linked|printed",         \
               "linked: steps of depth 1 are continuation samples too, the coin counts visits "    \
               "since the change, and the cutoff is the first step of depth 2; printed: only "     \
               "runs are samples, all visits count, and the cutoff is the last step of depth 1")

#define ROWS_RISING(raises_)                                                                       \
    REAL(threshold, "threshold", "0", -BIG, BIG, "gamma at the start, in every state"),            \
        REAL(delta, "delta", "0.1", 0, BIG,                                                        \
             "how much a state's gamma rises each time its visits since the last raise reach "     \
             "ln T"),                                                                              \
        INTEGER(max_raises, "max-raises", raises_, 0, BIG, "how often at most, per state")

// ---- the names ----

static const lgkt_param_row lg1t_params[] = {
    ROW_THRESHOLD("0.3"),
    ROW_PROFILE("released"),
    ROWS_COMMON("index"),
};

static const lgkt_param_row lg2t_params[] = {
    ROW_THRESHOLD("0.9"),  ROW_PROFILE("released"), ROWS_COMMON("index"), ROWS_DEEP,
    ROW_SAMPLER_THRESHOLD,
};

static const lgkt_param_row lgkt_params[] = {
    INTEGER(k, "k", "2", 1, LGKT_MAX_DEPTH, "depth of the lookahead K"),
    ROW_THRESHOLD("@0.3 + 0.6 (k - 1)"),
    ROW_PROFILE("practical"),
    ROWS_COMMON("index"),
    ROWS_DEEP,
    ROW_SAMPLER_THRESHOLD,
};

static const lgkt_param_row lg12t_params[] = {
    ROWS_TWO_PHASES,
    INTEGER(cutoff, "cutoff", "100", 0, BIG, "step that ends depth 1, see phases"),
    ROW_PROFILE("released"),
    ROWS_COMMON("index"),
    ROWS_DEEP,
};

static const lgkt_param_row lg12t_adaptive_params[] = {
    ROWS_TWO_PHASES,
    ROW_PROFILE("released"),
    ROWS_COMMON("index"),
    ROWS_DEEP,
};

static const lgkt_param_row lg1t_i_params[] = {
    ROWS_RISING("@by profile: no limit, 8, 8"),
    ROW_PROFILE("released"),
    ROWS_COMMON("index"),
};

static const lgkt_param_row lg2t_i_params[] = {
    ROWS_RISING("@no limit"), ROW_PROFILE("released"), ROWS_COMMON("index"), ROWS_DEEP,
    ROW_SAMPLER_THRESHOLD,
};

static const lgkt_param_row lg1t_uniform_params[] = {
    ROW_THRESHOLD("0.3"),
    ROW_PROFILE("released"),
    ROWS_COMMON("uniform"),
};

static const lgkt_param_row lg2t_uniform_params[] = {
    ROW_THRESHOLD("0.9"),  ROW_PROFILE("released"), ROWS_COMMON("uniform"), ROWS_DEEP,
    ROW_SAMPLER_THRESHOLD,
};

#define ENTRY(...) LGKT_ENTRY(__VA_ARGS__, "O(S A + T)")

const lgkt_entry lgkt_thresholding_entries[LGKT_THRESHOLDING_COUNT] = {
    [LGKT_NAME_LG1T] =
        ENTRY("lg1t", lg1t_params, "lower bounds on the next reward, taken once good enough",
              "algorithm 1, section 5"),
    [LGKT_NAME_LG2T] = ENTRY("lg2t", lg2t_params,
                             "the same for two steps: the next reward and a sampled continuation",
                             "algorithm 2 with K = 2, section 5"),
    [LGKT_NAME_LGKT] = ENTRY("lgkt", lgkt_params, "the same for K steps", "algorithm 2"),
    [LGKT_NAME_LG12T] =
        ENTRY("lg1-2t", lg12t_params, "lg1t up to a cutoff, then lg2t; nothing is forgotten",
              "algorithm LG1-2T, section 5"),
    [LGKT_NAME_LG12T_ADAPTIVE] = ENTRY("lg1-2t-adaptive", lg12t_adaptive_params,
                                       "lg1-2t with cutoff ceil(sqrt(S A T))", "appendix E.4"),
    [LGKT_NAME_LG1T_I] = ENTRY("lg1t-i", lg1t_i_params,
                               "lg1t with a threshold that rises state by state", "appendix E.3"),
    [LGKT_NAME_LG2T_I] = ENTRY("lg2t-i", lg2t_i_params,
                               "lg2t with a threshold that rises state by state", "appendix E.3"),
    [LGKT_NAME_LG1T_UNIFORM] = ENTRY("lg1t-uniform", lg1t_uniform_params,
                                     "lg1t that plays all actions alike where none is good enough",
                                     "algorithm 1 as analysed; appendix E.5"),
    [LGKT_NAME_LG2T_UNIFORM] = ENTRY("lg2t-uniform", lg2t_uniform_params,
                                     "lg2t that plays all actions alike where none is good enough",
                                     "algorithm 2 as analysed; appendix E.5"),
};

const lgkt_thresholding_traits lgkt_thresholding_traits_of[LGKT_THRESHOLDING_COUNT] = {
    [LGKT_NAME_LG1T] = {.k = 1},
    [LGKT_NAME_LG2T] = {.k = 2},
    [LGKT_NAME_LGKT] = {.k = 0},
    [LGKT_NAME_LG12T] = {.k = 2, .two_phases = true},
    [LGKT_NAME_LG12T_ADAPTIVE] = {.k = 2, .two_phases = true, .adaptive = true},
    [LGKT_NAME_LG1T_I] = {.k = 1, .rising = true},
    [LGKT_NAME_LG2T_I] = {.k = 2, .rising = true},
    [LGKT_NAME_LG1T_UNIFORM] = {.k = 1},
    [LGKT_NAME_LG2T_UNIFORM] = {.k = 2},
};
