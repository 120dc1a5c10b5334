// SPDX-License-Identifier: MIT
// The learners of the LGKT family (thresholding.c): their parameters and names; how one is made,
// grown, saved and destroyed.
//
// The printed algorithm and the code that made the paper's figures differ. Every difference is a
// parameter; a profile is a named bundle of them:
//
//   parameter      paper               practical           released
//   width          3                   1                   1
//   untried        last                first               first
//   index          paper               practical           released
//   fallback       index               index               index (-uniform names: uniform in all)
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
//   bonuses        two                 two                 two
//
// A parameter that a spec does not set comes from the profile. Where the paper leaves a choice:
//
//   Algorithms 1 and 2 play all actions alike where none is good enough; section 5 replaces that by
//   the highest index "in all experiments". lg1t and lg2t are the learners of the experiments, the
//   -uniform names those of the algorithms and theorems. Section 5 prints the index with one bonus,
//   b(N_{s,a}), and speaks of neither K nor N_{s,a,K-1}; here K >= 2 has a bonus for each of its two
//   means, as the lower bound has two widths, and bonuses=one is the letter of section 5.
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

#include "core/elementary.h"
#include "core/number.h"
#include "plan/plan_private.h"

// up to here a scan at every choice of a sampler is faster than its cache (measured: 5 yes, 25 no)
#define FEW_ACTIONS 8

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

// whether the sampler is the order of depth 1 itself, and no learner
static bool samples_by_order(const lgkt_thresholding_settings *set)
{
    return set->sampler != NULL && strcmp(set->sampler, "order") == 0;
}

// what does not go together
static lgkt_status check_together(const lgkt_thresholding_settings *set, lgkt_error *error)
{
    if (set->k > 2 && set->profile == LGKT_PROFILE_RELEASED)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "profile=released ends at k=2 and k=%lld was asked for; use "
                         "profile=practical",
                         (long long)set->k);
    if (set->k > 2 && samples_by_order(set))
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

static lgkt_status resolve(const lgkt_learner *learner, lgkt_thresholding_settings *set,
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
    const bool shared = !paper || set->sampler_data == LGKT_SAMPLER_ALL || samples_by_order(set);
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

// A UCBVI is told the length of the runs and the multiplier of its bonuses, unless its spec says
// them.
static lgkt_status write_sampler_spec(const lgkt_thresholding_settings *set, char *text,
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

// ---- orders ----

static void set_rule(const lgkt_learner *learner, lgkt_order *order)
{
    const lgkt_thresholding *f = learner->self;
    order->actions = learner->problem.actions;
    order->high = f->set.ties == LGKT_PICK_HIGH;
    const bool first = f->set.untried == LGKT_UNTRIED_FIRST;
    order->untried = (lgkt_bounds){first ? INFINITY : -INFINITY, INFINITY};
    order->no_gamma = NAN;
    order->rule = LGKT_RULE_INDEX;
    if (f->set.fallback == LGKT_FALLBACK_UNIFORM)
        order->rule = LGKT_RULE_UNIFORM;
    else if (order->high)
        order->rule = LGKT_RULE_RELEASED;
    // as a sampler only, depth 1 chooses about once in sqrt(n) steps; means have no cache
    const bool by_mean =
        f->set.candidates == LGKT_CANDIDATES_MEAN || f->set.candidates == LGKT_CANDIDATES_MICHEL;
    order->lazy = by_mean || (order == &f->shallow && f->deepens && order->actions <= FEW_ACTIONS);
    order->mean = by_mean ? lgkt_thresholding_mean : NULL;
    order->ctx = f;
    order->highest_mean = f->set.candidates == LGKT_CANDIDATES_MICHEL;
}

// ---- samplers ----

// All samplers: the one for all, then those of the pairs. Only they may look at other states than
// the one at hand.
static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **sampler)
{
    const lgkt_thresholding *f = learner->self;
    const size_t pairs = (size_t)learner->capacity * (size_t)learner->problem.actions;
    if (i > (f->pair_samplers != NULL ? pairs : 0))
        return false;
    *sampler = i == 0 ? f->sampler : f->pair_samplers[i - 1];
    return true;
}

// the sampler of a pair, which is made if there is none; NULL when memory is out
static lgkt_learner *have_pair_sampler(lgkt_learner *learner, size_t z)
{
    lgkt_thresholding *f = learner->self;
    const lgkt_learner *pattern = f->sampler;
    if (f->pair_samplers[z] != NULL)
        return f->pair_samplers[z];
    lgkt_nesting nesting = {.problem = pattern->problem, .like = pattern, .spare = true};
    nesting.problem.states = learner->problem.states;
    lgkt_learner *made = NULL;
    if (lgkt_nested_create(learner, pattern->spec, &nesting, &made, NULL) != LGKT_OK)
        return NULL;
    // as much room as there is here, so that both grow together
    if (lgkt_learner_reserve(made, learner->capacity, NULL) != LGKT_OK) {
        lgkt_learner_destroy(made);
        return NULL;
    }
    return f->pair_samplers[z] = made;
}

lgkt_learner *lgkt_thresholding_sampler_of_run(lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    if (f->pair_samplers == NULL)
        return f->sampler;
    const size_t z = f->track.run.reference.z;
    const bool is_new = f->pair_samplers[z] == NULL;
    lgkt_learner *sampler = have_pair_sampler(learner, z);
    // one that is loaded has heard of them
    for (int32_t s = 0; is_new && sampler != NULL && s < learner->problem.states; s++)
        if (learner->offered != NULL)
            lgkt_nested_offer(learner, sampler, s);
    return sampler;
}

// samplers that may be fed, or that play the open run
static bool prepare(lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    const bool ready = f->sampler == NULL || lgkt_learner_prepare(f->sampler);
    if (f->pair_samplers == NULL || f->track.run.left == 0)
        return ready;
    lgkt_learner *sampler = lgkt_thresholding_sampler_of_run(learner);
    return ready && sampler != NULL && lgkt_learner_prepare(sampler);
}

// ---- creation ----

static lgkt_status create_sampler(lgkt_learner *learner, const lgkt_thresholding_settings *set,
                                  const lgkt_thresholding *alike, lgkt_error *error)
{
    lgkt_thresholding *f = learner->self;
    learner->can_fail = f->per_pair;
    if (f->per_pair)
        learner->unpooled = "with sampler-scope=per-pair the sampler of a pair is in one run at a "
                            "time";
    // of this family: its limit would bound one level only
    for (const lgkt_learner *outer = learner->parent; outer != NULL; outer = outer->parent)
        if (f->per_pair && outer->class->destroy == learner->class->destroy &&
            ((const lgkt_thresholding *)outer->self)->per_pair)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "sampler-scope=per-pair within a sampler that is per pair itself");
    lgkt_nesting nesting = {.problem = learner->problem,
                            .like = alike != NULL ? alike->sampler : NULL};
    nesting.problem.reward_min = set->range.min;
    nesting.problem.reward_max = set->range.max;
    nesting.problem.reward_sd = set->range.sd;
    char spec[LGKT_MAX_SPEC + 1];
    LGKT_TRY(write_sampler_spec(set, spec, sizeof spec, error));
    return lgkt_nested_create(learner, spec, &nesting, &f->sampler, error);
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    const lgkt_thresholding_name *name = (const lgkt_thresholding_name *)learner->entry;
    lgkt_thresholding_settings *set = settings;
    lgkt_thresholding *f = learner->self;
    const lgkt_thresholding *alike = learner->like;
    const bool constant = lgkt_threshold_is_constant(&learner->threshold);
    if (name->rising && !constant)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "learner \"%s\" raises its own thresholds and takes no table or function",
                         learner->entry->name);
    LGKT_TRY(resolve(learner, set, &f->stages, error));

    f->name = name;
    f->set = *set;
    f->set.sampler = NULL; // the text belongs to the caller
    f->deepens = set->k > 1;
    f->rises = name->rising;
    f->taught = f->deepens && !samples_by_order(set);
    f->per_pair = f->taught && set->sampler_scope == LGKT_SCOPE_PAIR;
    f->linked = f->stages.count > 1 && set->phases != LGKT_PHASES_PRINTED;
    f->released = set->profile == LGKT_PROFILE_RELEASED && set->phases != LGKT_PHASES_PRINTED;
    f->fixed = !name->rising && constant;
    f->uses_shallow = !f->taught || f->stages.at[0].k == 1;
    f->track.previous = f->track.run.reference = lgkt_place_nowhere();
    f->track.eps = -1;
    f->raise_at = lgkt_log(f->released && set->k == 2 ? 20000 : (double)learner->problem.horizon);
    f->max_raises = set->max_raises == LGKT_UNSET_INTEGER ? INT64_MAX : set->max_raises;
    set_rule(learner, &f->shallow);
    set_rule(learner, &f->deep);
    const lgkt_widths_form form = {.width = set->width,
                                   .index = (lgkt_index_form)set->index,
                                   .coin = (lgkt_coin_form)set->coin,
                                   .p = set->p,
                                   .eta = set->eta,
                                   .horizon = learner->problem.horizon};
    f->widths =
        lgkt_widths_create(&form, alike != NULL ? alike->widths : NULL, &learner->allocator);
    if (f->widths == NULL)
        return lgkt_fail_memory(error, "the tables of a learner");
    learner->shared = lgkt_widths_bytes(f->widths);
    return f->taught ? create_sampler(learner, set, alike, error) : LGKT_OK;
}

static void destroy(lgkt_learner *learner)
{
    const lgkt_thresholding *f = learner->self;
    lgkt_widths_destroy(f->widths);
}

// ---- what is made, grown and saved by table; visit has the rest ----

#define CONTINUATION(member_, kind_)                                                               \
    LGKT_COLUMN(lgkt_thresholding, continuations, PER_PAIR, lgkt_continuation, member_, kind_),    \
        LGKT_IF(lgkt_thresholding, deepens)

static const lgkt_field fields[] = {
    {LGKT_NUMBER(lgkt_thresholding, stage, PLACE), LGKT_BELOW(lgkt_thresholding, stages.count)},
    // fed steps count too, so T is no bound
    {LGKT_COLUMN(lgkt_thresholding, pairs, PER_PAIR, lgkt_pair, phi, REAL)},
    {LGKT_COLUMN(lgkt_thresholding, pairs, PER_PAIR, lgkt_pair, n, COUNT)},
    {LGKT_PART(lgkt_thresholding, shallow, &lgkt_order_part)},
    {CONTINUATION(mc, REAL)},
    {CONTINUATION(v, REAL)},
    {CONTINUATION(nc, COUNT)},
    {CONTINUATION(late, COUNT)},
    {LGKT_PART(lgkt_thresholding, deep, &lgkt_order_part), LGKT_IF(lgkt_thresholding, deepens)},
    {LGKT_ARRAY(lgkt_thresholding, gammas, PER_STATE, REAL), LGKT_IF(lgkt_thresholding, rises),
     LGKT_FROM(lgkt_thresholding, set.threshold)},
    {LGKT_ARRAY(lgkt_thresholding, since, PER_STATE, COUNT), LGKT_IF(lgkt_thresholding, rises)},
    {LGKT_ARRAY(lgkt_thresholding, raises, PER_STATE, COUNT), LGKT_IF(lgkt_thresholding, rises)},
    {LGKT_ARRAY(lgkt_thresholding, pair_samplers, PER_PAIR, SCRATCH),
     LGKT_IF(lgkt_thresholding, per_pair)},
};

// ---- growing ----

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    const lgkt_thresholding *f = learner->self;
    lgkt_thresholding_derive(learner);
    (void)before;
    if (!f->per_pair)
        return LGKT_OK;
    const double pairs = (double)after * (double)learner->problem.actions;
    const double bytes = pairs * (double)lgkt_learner_bytes(f->sampler);
    if (bytes > (double)f->set.sampler_limit)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "sampler-scope=per-pair may need %.0f bytes, sampler-limit is %lld; "
                         "raise it, or use sampler-scope=shared",
                         bytes, (long long)f->set.sampler_limit);
    return LGKT_OK;
}

// ---- units ----

static size_t track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    lgkt_thresholding *f = learner->self;
    lgkt_thresholding_track *own = &f->track;
    if (!f->deepens)
        return 0;
    const size_t size = sizeof *own;
    if (bytes != NULL && way == LGKT_TRACK_OUT)
        memcpy(bytes, own, size);
    else if (bytes != NULL)
        memcpy(own, bytes, size);
    return size + lgkt_within_track(learner, way, bytes != NULL ? (char *)bytes + size : NULL);
}

// ---- saving ----

static void visit_place(const lgkt_learner *learner, lgkt_archive *archive, lgkt_place *at)
{
    lgkt_visit_i32(archive, &at->state, 1, -1, learner->problem.states - 1);
    lgkt_visit_i32(archive, &at->action, 1, at->state < 0 ? -1 : 0, learner->problem.actions - 1);
    if (archive->mode != LGKT_ARCHIVE_LOAD)
        return;
    if (archive->bad)
        *at = lgkt_place_nowhere(); // half a place must not be looked up
    else if (at->state >= 0)
        *at = lgkt_place_of(learner, at->state, at->action);
}

static void visit_own_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_thresholding *f = learner->self;
    lgkt_place *previous = &f->track.previous;
    lgkt_run *run = &f->track.run;
    visit_place(learner, archive, previous);
    lgkt_visit_f64(archive, &f->track.eps, 1);
    // what was played before has been visited, and without it there is no coin
    const bool played = previous->state >= 0 && f->pairs[previous->z].n > 0;
    archive->bad |= !played && (previous->state >= 0 || f->track.eps >= 0);
    visit_place(learner, archive, &run->reference);
    // a run has a reference, and the reference has been visited
    const bool refers = run->reference.state >= 0 && f->pairs[run->reference.z].n > 0;
    lgkt_visit_i64(archive, &run->left, 1, 0, refers ? f->k - 1 : 0);
    lgkt_visit_f64(archive, &run->total, 1);
    // A visit of a pair brings at most one continuation, so nc <= n. That of the open run is still
    // to be added to its reference, and the previous pair may still get its own: nc + 1 <= n for
    // both. Before the first step of a run these two are one and the same.
    if (f->deepens && archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad) {
        const size_t from = run->reference.z, last = previous->z;
        const bool in_run = run->left > 0;
        const bool apart = played && !(in_run && from == last && run->left == f->k - 1);
        const int64_t both = apart && from == last;
        archive->bad |= apart && f->continuations[last].nc + 1 > f->pairs[last].n;
        archive->bad |= in_run && f->continuations[from].nc + 1 + both > f->pairs[from].n;
    }
}

static void visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_thresholding *f = learner->self;
    if (!f->deepens)
        return;
    visit_own_track(learner, archive);
    lgkt_within_visit_track(learner, archive);
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_thresholding *f = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    if (archive->mode == LGKT_ARCHIVE_LOAD)
        f->k = f->stages.at[f->stage].k;
    // no stage begins before its time; one that the horizon sets may have had another
    archive->bad |=
        !f->name->adaptive && learner->t < f->stages.at[f->stage].start - (f->released ? 1 : 0);
    // only a visited pair has continuations
    for (size_t i = 0; f->deepens && i < pairs; i++)
        archive->bad |=
            f->continuations[i].nc > f->pairs[i].n || f->continuations[i].late > f->pairs[i].n;
    visit_own_track(learner, archive);
    lgkt_visit_tally(archive, &f->runs, 1);
    lgkt_visit_tally(archive, &f->run_steps, 1);
    if (f->sampler != NULL)
        lgkt_nested_visit(learner, f->sampler, archive);
    for (size_t z = 0; f->pair_samplers != NULL && z < pairs; z++) {
        int32_t made = f->pair_samplers[z] != NULL;
        // at depth 1 there is nothing to sample
        lgkt_visit_i32(archive, &made, 1, 0, f->k > 1);
        if (made == 0 || archive->bad)
            continue;
        lgkt_learner *sampler = have_pair_sampler(learner, z);
        if (sampler != NULL)
            lgkt_nested_visit(learner, sampler, archive);
        else
            lgkt_archive_starve(archive);
    }
}

static void loaded(lgkt_learner *learner)
{
    lgkt_thresholding_derive(learner);
    lgkt_thresholding_refresh_bounds(learner);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_thresholding *f = learner->self;
    const lgkt_counter all[] = {{"runs", f->runs}, {"run_steps", f->run_steps}};
    return lgkt_counters_write(all, f->deepens ? 2 : 0, out, capacity);
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
        CHOICE(candidates, "candidates", "@lcb", "lcb|mean|michel",                                \
               "what must reach the threshold: the lower bound of an action, or its mean; among "  \
               "those that do the highest lower bound is played, with michel the highest mean"),   \
        CHOICE(untried, "untried", "@by profile: last, first, first", "first|last",                \
               "whether an action that was never tried counts as good enough (first) or not"),     \
        CHOICE(index, "index", "@by profile: paper, practical, released",                          \
               "paper|practical|released|root",                                                    \
               "formula of the exploration bonus in the optimistic index"),                        \
        CHOICE(ties, "ties", "@by profile: uniform, uniform, high", "uniform|high",                \
               "equal actions: drawn, or the highest action number in the released code's order"), \
        CHOICE(fallback, "fallback", fallback_, "index|uniform",                                   \
               "what is played where no action is good enough, in every profile: the highest "     \
               "index (section 5), or all alike (algorithms 1 and 2)")

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
        CHOICE(bonuses, "bonuses", "@two", "two|one",                                              \
               "bonuses in the index of K >= 2: for visits and for continuation samples, or only " \
               "for visits, as section 5 of the paper prints it"),                                 \
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
        LGKT_REWARD_SAMPLER_ROWS(lgkt_thresholding_settings, range)

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

static const lgkt_thresholding_name names[] = {
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
    // The released class of this name drops the width, so that its lower bounds are means: width=0
    // here. As its code reads, it fails at its first observe, so there is nothing to compare with.
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

const lgkt_learner_class lgkt_thresholding_class = {
    LGKT_SELF(lgkt_thresholding, fields),
    LGKT_NAMES(names),
    .create = create,
    .destroy = destroy,
    .act = lgkt_thresholding_act,
    .observe = lgkt_thresholding_observe_deep,
    .explain = lgkt_thresholding_explain,
    .track = track,
    .visit_track = visit_track,
    .feed = lgkt_thresholding_feed,
    .begin = lgkt_thresholding_begin,
    .prepare = prepare,
    .grow = grow,
    .visit = visit,
    .loaded = loaded,
    .counters = counters,
    .within = within,
};
