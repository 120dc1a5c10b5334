// SPDX-License-Identifier: MIT
// Making, growing, saving and destroying the plug-in lookahead learner (plugin.c), and its
// settings.

#include "learners/plugin.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "learners/spread.h"
#include "plan/threshold.h"

#define MAX_DEPTH 1000
#define BIG       1e15

// ---- reading the settings ----

static lgkt_status read_depth(lgkt_plugin *p, const lgkt_plugin_settings *set, lgkt_error *error)
{
    p->deepens = strcmp(set->k, "auto") == 0;
    p->k = set->k_max < LGKT_PLUGIN_FIRST_DEPTH ? set->k_max : LGKT_PLUGIN_FIRST_DEPTH;
    if (!p->deepens && (!lgkt_integer_parse(set->k, &p->k) || p->k < 1 || p->k > MAX_DEPTH))
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "plugin: k=%.40s must be auto or a whole number in [1, %d]", set->k,
                         MAX_DEPTH);
    const size_t lanes = (size_t)(p->deepens ? set->k_max - 1 : p->k - 1);
    p->lanes = (lanes + LGKT_LANES - 1) / LGKT_LANES * LGKT_LANES;
    return LGKT_OK;
}

static lgkt_status read_threshold(lgkt_plugin *p, const lgkt_learner *learner, const char *text,
                                  lgkt_error *error)
{
    if (strcmp(text, "aspire") == 0)
        p->threshold = LGKT_PLUGIN_ASPIRE;
    else if (strcmp(text, "none") == 0)
        p->threshold = LGKT_PLUGIN_NONE;
    else if (!lgkt_number_parse(text, &p->gamma) || fabs(p->gamma) > BIG)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "plugin: threshold=%.40s must be aspire, none or a number in [-%g, %g]",
                         text, BIG, BIG);
    if (!lgkt_threshold_is_constant(&learner->threshold))
        p->threshold = LGKT_PLUGIN_GIVEN;
    return LGKT_OK;
}

static lgkt_status read_scale(lgkt_plugin *p, const char *text, lgkt_error *error)
{
    p->scale = NAN;
    if (strcmp(text, "seen") == 0)
        return LGKT_OK;
    if (!lgkt_number_parse(text, &p->scale) || !(p->scale >= 0 && p->scale <= BIG))
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "plugin: scale=%.40s must be seen or a number in [0, %g]", text, BIG);
    return LGKT_OK;
}

// ---- life ----

static bool make_widths(lgkt_learner *learner, const lgkt_learner *like)
{
    lgkt_plugin *p = learner->self;
    const lgkt_widths_form form = {.width = p->set.width,
                                   .index = (lgkt_index_form)p->set.index,
                                   .coin = LGKT_COIN_PRACTICAL,
                                   .p = 0.5,
                                   .eta = 0.5,
                                   .horizon = learner->problem.horizon};
    if (like != NULL)
        p->widths = lgkt_widths_share(((const lgkt_plugin *)like->self)->widths, &form);
    if (p->widths == NULL)
        p->widths = lgkt_widths_create(&form, &learner->allocator);
    if (p->widths != NULL)
        learner->shared = lgkt_widths_bytes(p->widths);
    return p->widths != NULL;
}

static lgkt_status create(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                          lgkt_error *error)
{
    lgkt_plugin_settings *set = settings;
    lgkt_plugin *p = lgkt_learner_alloc(learner, 1, sizeof *p);
    if (p == NULL)
        return lgkt_fail_memory(error, "a plug-in learner");
    learner->self = p;
    p->seen.unit = 1;
    lgkt_status status = read_depth(p, set, error);
    if (status == LGKT_OK)
        status = read_threshold(p, learner, set->threshold, error);
    if (status == LGKT_OK)
        status = read_scale(p, set->scale, error);
    if (status != LGKT_OK)
        return status;
    if (set->refresh == LGKT_UNSET_INTEGER)
        set->refresh = (learner->problem.actions + 7) / 8;
    p->set = *set;
    if (p->set.refresh > learner->problem.actions)
        p->set.refresh = learner->problem.actions;
    // the texts belong to the caller
    p->set.k = p->set.threshold = p->set.scale = NULL;
    if (p->lanes == LGKT_LANES)
        learner->observe = learner->feed = lgkt_plugin_observe_four;
    return make_widths(learner, like) ? LGKT_OK : lgkt_fail_memory(error, "a plug-in learner");
}

static void destroy(lgkt_learner *learner)
{
    lgkt_plugin *p = learner->self;
    if (p == NULL)
        return;
    lgkt_widths_destroy(p->widths);
    lgkt_successors_release(learner, &p->rows);
    lgkt_learner_free(learner, p->states);
    lgkt_learner_free(learner, p->keys);
    lgkt_learner_free(learner, p->q);
    lgkt_learner_free(learner, p->v);
    lgkt_learner_free(learner, p);
}

static bool prepare(lgkt_learner *learner)
{
    return lgkt_successors_prepare(learner, &((lgkt_plugin *)learner->self)->rows);
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    lgkt_plugin *p = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    const size_t stride = p->lanes + 1, lanes = p->lanes > 0 ? p->lanes : 1;
    const size_t old = (size_t)before, more = (size_t)after;
    if (!lgkt_successors_grow(learner, &p->rows, before, after))
        goto out;
    LGKT_RESIZE(learner, p->states, old, more, out);
    LGKT_RESIZE(learner, p->keys, old * actions, more * actions, out);
    LGKT_RESIZE(learner, p->q, old * actions * stride, more * actions * stride, out);
    LGKT_RESIZE(learner, p->v, before == 0 ? 0 : (old + 1) * lanes, (more + 1) * lanes, out);
    for (size_t z = old * actions; z < more * actions; z++)
        p->keys[z].part[LGKT_PLUGIN_VALUE] = -INFINITY;
    for (size_t i = old * actions * stride; i < more * actions * stride; i++)
        p->q[i] = -INFINITY;
    return LGKT_OK;
out:
    return lgkt_fail_memory(error, "a plug-in learner");
}

// ---- saving ----

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_plugin *p = learner->self;
    const size_t states = (size_t)learner->problem.states;
    const size_t pairs = states * (size_t)learner->problem.actions;
    lgkt_successors_visit(learner, &p->rows, archive);
    // a pair that was never tried has no values
    for (size_t z = 0; z < pairs && !archive->bad; z++)
        if (p->rows.rows[z].n > 0)
            lgkt_visit_f64(archive, p->q + z * (p->lanes + 1), p->lanes + 1);
    lgkt_visit_f64(archive, p->v + p->lanes, states * p->lanes);
    for (size_t s = 0; s < states; s++)
        lgkt_visit_i32(archive, &p->states[s].turn, 1, 0, learner->problem.actions - 1);
    lgkt_visit_f64(archive, &p->seen.mean, 1);
    // the unit of small numbers is told by a minus sign
    const bool small = p->seen.unit > 1 && p->seen.squares > 0;
    double squares = small ? -p->seen.squares : p->seen.squares;
    lgkt_visit_f64(archive, &squares, 1);
    if (archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad) {
        p->seen.squares = fabs(squares);
        p->seen.unit = squares < 0 ? LGKT_SMALL_UNIT : 1;
    }
    lgkt_visit_f64(archive, &p->seen.rhobar, 1);
    lgkt_visit_f64(archive, &p->seen.sigma, 1);
    archive->bad |= p->seen.sigma < 0;
    lgkt_visit_i64(archive, &p->k, 1, p->k, p->deepens ? p->set.k_max : p->k);
    lgkt_visit_i64(archive, &p->firsts, 1, 0, INT64_MAX / 4);
    lgkt_visit_i64(archive, &p->settled, 1, 0, INT64_MAX / 4);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_plugin *p = learner->self;
    const lgkt_counter all[] = {{"firsts", p->firsts}, {"settled", p->settled}, {"depth", p->k}};
    return lgkt_counters_write(all, sizeof all / sizeof *all, out, capacity);
}

// ---- the name ----

static const lgkt_param params[] = {
    LGKT_ROW_TEXT(
        lgkt_plugin_settings, k, "k", "auto",
        "depth of the lookahead K: a whole number in [1, 1000], or auto: it grows with the data"),
    LGKT_ROW_INTEGER(lgkt_plugin_settings, k_max, "k-max", "16", 1, MAX_DEPTH,
                     "greatest depth of k=auto"),
    LGKT_ROW_TEXT(
        lgkt_plugin_settings, threshold, "threshold", "aspire",
        "gamma, what the next K steps must be worth for an action to be good enough: a number in "
        "[-1e15, 1e15], aspire: K (rhobar + (aspiration - 1) sigma), or none: nothing is"),
    LGKT_ROW_REAL(
        lgkt_plugin_settings, aspiration, "aspiration", "1", -BIG, BIG,
        "c of threshold=aspire; 1 is the mean of all rewards seen, 2 one standard deviation more"),
    LGKT_ROW_CHOICE(
        lgkt_plugin_settings, untried, "untried", "horizon", "first|last|share|horizon",
        "when an action that was never tried is: before anything else, where none is good enough, "
        "until a share of the state's actions was, or while it pays in the steps that are left"),
    LGKT_ROW_REAL(lgkt_plugin_settings, share, "share", "0.5", 0, 1,
                  "of the actions of each state that untried=share tries, at least one"),
    LGKT_ROW_TEXT(
        lgkt_plugin_settings, scale, "scale", "seen",
        "unit of widths and bonuses: a number in [0, 1e15], or seen: the standard deviation of "
        "all rewards seen"),
    LGKT_ROW_REAL(lgkt_plugin_settings, width, "width", "1", 0, BIG,
                  "c in the confidence width sqrt(c ln(n+2)/(n+2))"),
    LGKT_ROW_CHOICE(lgkt_plugin_settings, index, "index", "released", "paper|practical|released",
                    "formula of the exploration bonus in the optimistic index"),
    LGKT_ROW_INTEGER(
        lgkt_plugin_settings, refresh, "refresh", "@an eighth of the actions, rounded up", 0,
        LGKT_MAX_ACTIONS,
        "how many actions of a state are brought up to date in turn besides the one played"),
};

static const lgkt_entry entry = {
    .name = "plugin",
    .summary = "lookahead of K steps on the observed model, taken once good enough",
    .source = "ours, after LGKT",
    .memory = "O(K S A + min(T, S^2 A) + T)",
    .params = params,
    .param_count = sizeof params / sizeof *params,
};

static const lgkt_learner_class classes[] = {{
    .entry = &entry,
    .create = create,
    .destroy = destroy,
    .act = lgkt_plugin_act,
    .observe = lgkt_plugin_observe,
    .feed = lgkt_plugin_observe,
    .prepare = prepare,
    .grow = grow,
    .visit = visit,
    .loaded = lgkt_plugin_recount,
    .counters = counters,
    .tabular = true,
}};

const lgkt_learner_family lgkt_family_plugin = {classes, 1};
