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

// ---- what a spec leaves open ----

static void take_choice(int *field, int value)
{
    if (*field == LGKT_UNSET_CHOICE)
        *field = value;
}

static void take_real(double *field, double value)
{
    if (isnan(*field))
        *field = value;
}

// what does not go together
static lgkt_status check_together(const lgkt_thresholding_settings *set, lgkt_error *error)
{
    if (set->k > 2 && set->profile == LGKT_PROFILE_RELEASED)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "profile=released ends at k=2 and k=%lld was asked for; use "
                         "profile=practical",
                         (long long)set->k);
    if (set->k > 2 && lgkt_thresholding_samples_by_order(set))
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "sampler=order plays runs of one step, k=%lld needs more; use "
                         "sampler=ucbvi",
                         (long long)set->k);
    if (set->sampler_scope == LGKT_SCOPE_PAIR && set->sampler_data == LGKT_SAMPLER_ALL)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "sampler-scope=per-pair needs sampler-data=runs: a sampler for one pair "
                         "sees only its runs");
    return LGKT_OK;
}

lgkt_status lgkt_thresholding_resolve(const lgkt_learner *learner, lgkt_thresholding_settings *set,
                                      lgkt_stages *stages, lgkt_error *error)
{
    const lgkt_thresholding_name *name = (const lgkt_thresholding_name *)learner->entry;
    const lgkt_problem *problem = &learner->problem;
    const bool paper = set->profile == LGKT_PROFILE_PAPER;
    const bool released = set->profile == LGKT_PROFILE_RELEASED;
    if (name->k > 0)
        set->k = name->k;
    if (set->sampler == NULL && set->k > 1)
        set->sampler = released ? "order" : set->k == 2 ? "ucb" : "ucbvi";

    // by profile, as the table above says
    take_real(&set->width, paper ? 3 : 1);
    take_choice(&set->untried, paper ? LGKT_UNTRIED_LAST : LGKT_UNTRIED_FIRST);
    take_choice(&set->index, paper      ? LGKT_INDEX_PAPER
                             : released ? LGKT_INDEX_RELEASED
                                        : LGKT_INDEX_PRACTICAL);
    take_choice(&set->ties, released ? LGKT_PICK_HIGH : LGKT_PICK_UNIFORM);
    take_choice(&set->coin, paper ? LGKT_COIN_PAPER : LGKT_COIN_PRACTICAL);
    take_choice(&set->continuation, released ? LGKT_CONTINUATION_MEAN : LGKT_CONTINUATION_RECEIVED);
    take_choice(&set->refresh, released ? LGKT_REFRESH_ADDED : LGKT_REFRESH_ALWAYS);
    take_real(&set->sampler_bonus, paper || released ? 1 : 0.01);
    // a sampler for one pair sees nothing but the runs of that pair
    const bool shared =
        !paper || set->sampler_data == LGKT_SAMPLER_ALL || lgkt_thresholding_samples_by_order(set);
    take_choice(&set->sampler_scope, shared ? LGKT_SCOPE_SHARED : LGKT_SCOPE_PAIR);
    const bool runs = paper || set->sampler_scope == LGKT_SCOPE_PAIR;
    take_choice(&set->sampler_data, runs ? LGKT_SAMPLER_RUNS : LGKT_SAMPLER_ALL);
    if (name->two_phases && paper)
        take_choice(&set->phases, LGKT_PHASES_PRINTED);
    if (name->rising && name->k == 1 && !paper && set->max_raises == LGKT_UNSET_INTEGER)
        set->max_raises = 8;

    // the line through the paper's two thresholds
    take_real(&set->threshold, 0.3 + 0.6 * (double)(set->k - 1));
    const bool printed = set->phases == LGKT_PHASES_PRINTED;
    // where states become known one by one, S is how many there may be
    if (name->adaptive) {
        const double root =
            sqrt((double)learner->limit * (double)problem->actions * (double)problem->horizon);
        set->cutoff = (int64_t)(printed ? floor(root) : ceil(root));
    }
    *stages = (lgkt_stages){{{.k = set->k, .gamma = set->threshold}}, 1};
    if (name->two_phases)
        *stages = (lgkt_stages){
            {{.k = 1, .gamma = set->threshold1}, {set->k, set->cutoff + printed, set->threshold}},
            2};
    LGKT_TRY(lgkt_reward_range_fill(learner, &set->range, error));
    return check_together(set, error);
}

bool lgkt_thresholding_samples_by_order(const lgkt_thresholding_settings *set)
{
    return set->sampler != NULL && strcmp(set->sampler, "order") == 0;
}

// A UCBVI is told the length of the runs and the multiplier of its bonuses, unless its spec says
// them.
lgkt_status lgkt_thresholding_sampler_spec(const lgkt_thresholding_settings *set, char *text,
                                           size_t size, lgkt_error *error)
{
    char name[64], value[64], length[64] = "", bonus[80] = "";
    LGKT_TRY(lgkt_spec_name(set->sampler, name, sizeof name, error));
    const bool ucbvi = strcmp(name, "ucbvi") == 0, bare = strchr(set->sampler, ':') == NULL;
    if (ucbvi && lgkt_spec_value(set->sampler, "h", value, sizeof value, NULL) != LGKT_OK)
        snprintf(length, sizeof length, "%sh=%lld", bare ? ":" : ",", (long long)(set->k - 1));
    if (ucbvi && lgkt_spec_value(set->sampler, "bonus", value, sizeof value, NULL) != LGKT_OK) {
        lgkt_number_print(value, set->sampler_bonus);
        snprintf(bonus, sizeof bonus, ",bonus=%s", value);
    }
    const int written = snprintf(text, size, "%s%s%s", set->sampler, length, bonus);
    if (written < 0 || (size_t)written >= size)
        return lgkt_fail(error, LGKT_ERR_SPEC, "the spec of the sampler is too long");
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

// every name has these
#define ROWS_COMMON(profile_, fallback_)                                                           \
    CHOICE(profile, "profile", profile_, "paper|practical|released",                               \
           "bundle of defaults: the printed algorithm, our reading of it, or the code behind the " \
           "paper's figures"),                                                                     \
        REAL(width, "width", "@by profile: 3, 1, 1", 0, BIG,                                       \
             "c in the confidence width sqrt(c ln(n+2)/(n+2))"),                                   \
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
        LGKT_REWARD_ROWS(lgkt_thresholding_settings, range)

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

#define NAME(name_, summary_, source_, rows_, ...)                                                 \
    {                                                                                              \
        LGKT_ENTRY(name_, rows_, summary_, source_, "O(S A + T)"), __VA_ARGS__                     \
    }
#define ROWS(...) ((const lgkt_param_row[]){__VA_ARGS__})

const lgkt_thresholding_name lgkt_thresholding_names[LGKT_THRESHOLDING_COUNT] = {
    NAME("lg1t", "lower bounds on the next reward, taken once good enough",
         "algorithm 1, section 5", ROWS(ROW_THRESHOLD("0.3"), ROWS_COMMON("released", "index")),
         .k = 1),
    NAME("lg2t", "the same for two steps: the next reward and a sampled continuation",
         "algorithm 2 with K = 2, section 5",
         ROWS(ROW_THRESHOLD("0.9"), ROWS_COMMON("released", "index"), ROWS_DEEP,
              ROW_SAMPLER_THRESHOLD),
         .k = 2),
    NAME("lgkt", "the same for K steps", "algorithm 2",
         ROWS(INTEGER(k, "k", "2", 1, LGKT_MAX_DEPTH, "depth of the lookahead K"),
              ROW_THRESHOLD("@0.3 + 0.6 (k - 1)"), ROWS_COMMON("practical", "index"), ROWS_DEEP,
              ROW_SAMPLER_THRESHOLD),
         .k = 0),
    NAME("lg1-2t", "lg1t up to a cutoff, then lg2t; nothing is forgotten",
         "algorithm LG1-2T, section 5",
         ROWS(ROWS_TWO_PHASES,
              INTEGER(cutoff, "cutoff", "100", 0, BIG, "step that ends depth 1, see phases"),
              ROWS_COMMON("released", "index"), ROWS_DEEP),
         .k = 2, .two_phases = true),
    NAME("lg1-2t-adaptive", "lg1-2t with cutoff ceil(sqrt(S A T))", "appendix E.4",
         ROWS(ROWS_TWO_PHASES, ROWS_COMMON("released", "index"), ROWS_DEEP), .k = 2,
         .two_phases = true, .adaptive = true),
    NAME("lg1t-i", "lg1t with a threshold that rises state by state", "appendix E.3",
         ROWS(ROWS_RISING("@by profile: no limit, 8, 8"), ROWS_COMMON("released", "index")), .k = 1,
         .rising = true),
    NAME("lg2t-i", "lg2t with a threshold that rises state by state", "appendix E.3",
         ROWS(ROWS_RISING("@no limit"), ROWS_COMMON("released", "index"), ROWS_DEEP,
              ROW_SAMPLER_THRESHOLD),
         .k = 2, .rising = true),
    NAME("lg1t-uniform", "lg1t that plays all actions alike where none is good enough",
         "algorithm 1 as analysed; appendix E.5",
         ROWS(ROW_THRESHOLD("0.3"), ROWS_COMMON("released", "uniform")), .k = 1),
    NAME("lg2t-uniform", "lg2t that plays all actions alike where none is good enough",
         "algorithm 2 as analysed; appendix E.5",
         ROWS(ROW_THRESHOLD("0.9"), ROWS_COMMON("released", "uniform"), ROWS_DEEP,
              ROW_SAMPLER_THRESHOLD),
         .k = 2),
};
