// SPDX-License-Identifier: MIT
// The front of all learners: creation from a spec, and the checked protocol.
//
// Every call is checked here once, before the class sees it, so that a refused call changes nothing
// but the message.

#include "learners/front/learner_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sized.h"

// bound on the reward range of a problem, as in the parameter tables
#define LGKT_MAX_SCALE 1e15

// states a learner that grows has room for at the start
#define FIRST_CAPACITY 16

// the least that a saved state holds of any learner
#define HEAD_BYTES 64

// ---- memory ----

void *lgkt_learner_alloc(lgkt_learner *learner, size_t count, size_t size)
{
    void *memory = lgkt_alloc_zeroed(&learner->allocator, count, size);
    if (memory != NULL)
        learner->bytes += count * size;
    return memory;
}

bool lgkt_learner_resize(lgkt_learner *learner, void *array, size_t before, size_t after,
                         size_t size)
{
    void *old, *longer = lgkt_learner_alloc(learner, after, size);
    if (longer == NULL)
        return false;
    // pointers to elements of all types are read and written by their bytes
    memcpy(&old, array, sizeof old);
    memcpy(array, &longer, sizeof longer);
    if (old != NULL) {
        memcpy(longer, old, before * size);
        lgkt_free(&learner->allocator, old);
        learner->bytes -= before * size;
    }
    return true;
}

lgkt_status lgkt_learner_claim(lgkt_learner *learner, size_t count, lgkt_error *error)
{
    lgkt_learner *root = learner;
    while (root->parent != NULL)
        root = root->parent;
    if (count > root->saved_bytes_left / 8)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the saved state is too short for \"%s\"",
                         learner->entry->name);
    root->saved_bytes_left -= root->saved ? 8 * count : 0;
    return LGKT_OK;
}

void lgkt_learner_free(lgkt_learner *learner, void *memory)
{
    lgkt_free(&learner->allocator, memory);
}

// ---- creation ----

static lgkt_status check_config(const lgkt_learner_config *config, lgkt_error *error)
{
    const lgkt_threshold *threshold = &config->threshold;
    if (threshold->fn == NULL && threshold->table != NULL)
        LGKT_TRY(lgkt_check_setting("threshold.table_steps", threshold->table_steps, 1, INT64_MAX,
                                    error));

    const lgkt_problem *problem = &config->problem;
    LGKT_TRY(
        lgkt_sized_reserved(problem->reserved, LGKT_LENGTH(problem->reserved), "problem", error));
    LGKT_TRY(lgkt_check_setting("problem.states", problem->states, 1, LGKT_MAX_STATES, error));
    LGKT_TRY(lgkt_check_setting("problem.actions", problem->actions, 1, LGKT_MAX_ACTIONS, error));
    if ((int64_t)problem->states * problem->actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%d states x %d actions are more than %d pairs",
                         problem->states, problem->actions, LGKT_MAX_PAIRS);
    LGKT_TRY(lgkt_check_setting("problem.horizon", problem->horizon, 1, INT64_MAX, error));
    const lgkt_change *change = problem->change;
    const lgkt_mdp *const models[] = {problem->model,
                                      change != NULL ? lgkt_change_before(change) : NULL};
    for (int i = 0; i < 2; i++) {
        const int32_t states = models[i] != NULL ? lgkt_mdp_states(models[i]) : problem->states;
        const int32_t actions = models[i] != NULL ? lgkt_mdp_actions(models[i]) : problem->actions;
        if (states != problem->states || actions != problem->actions)
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "problem has %d states and %d actions, its model%s %d and %d",
                             problem->states, problem->actions, i == 0 ? "" : "s", states, actions);
    }

    // NaN, for not known, passes
    if (fabs(problem->reward_min) > LGKT_MAX_SCALE || fabs(problem->reward_max) > LGKT_MAX_SCALE ||
        fabs(problem->reward_sd) > LGKT_MAX_SCALE)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "problem.reward_min = %g, reward_max = %g and reward_sd = %g must be NaN "
                         "(not known) or in [-%g, %g]",
                         problem->reward_min, problem->reward_max, problem->reward_sd,
                         LGKT_MAX_SCALE, LGKT_MAX_SCALE);
    if (problem->reward_min > problem->reward_max)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "problem.reward_min = %g is above reward_max = %g",
                         problem->reward_min, problem->reward_max);
    if (problem->reward_sd < 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "problem.reward_sd = %g must not be negative",
                         problem->reward_sd);
    return LGKT_OK;
}

// What `auto` is on records: the same spec with the name of the learner that takes them. Bounds of
// the rewards pass, its other settings mean nothing there.
static lgkt_status rename_auto(const char *spec, char text[LGKT_MAX_SPEC + 8], lgkt_error *error)
{
    char name[8], value[LGKT_MAX_SPEC];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK || strcmp(name, "auto") != 0 ||
        strlen(spec) > LGKT_MAX_SPEC) {
        snprintf(text, LGKT_MAX_SPEC + 8, "%s", spec);
        return LGKT_OK;
    }
    // of a build without it only "forest" knows what it has
    int32_t number = 0;
    while (lgkt_learner_entry(number) != NULL &&
           strcmp(lgkt_learner_entry(number)->name, "auto") != 0)
        number++;
    const lgkt_entry *entry = lgkt_learner_entry(number);
    for (int32_t i = 0; lgkt_entry_param(entry, i) != NULL; i++) {
        const char *key = lgkt_entry_param(entry, i)->name;
        if (strncmp(key, "reward-", 7) != 0 &&
            lgkt_spec_value(spec, key, value, sizeof value, NULL) == LGKT_OK)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "auto on records is \"forest\", which has no parameter \"%s\"", key);
    }
    snprintf(text, LGKT_MAX_SPEC + 8, "forest%s", strstr(spec, "auto") + strlen("auto"));
    return LGKT_OK;
}

static lgkt_status read_spec(const char *spec, const lgkt_learner_config *config,
                             const lgkt_origin *origin, lgkt_settings *settings, lgkt_error *error)
{
    return lgkt_settings_read(spec, &lgkt_learner_registry,
                              origin->born > 0 ? origin->born : LGKT_STATES, &config->allocator,
                              settings, error);
}

// Not in line: the texts would be on the stack of every learner that is made within another.
LGKT_APART static lgkt_status read_spec_on_records(const char *spec,
                                                   const lgkt_learner_config *config,
                                                   const lgkt_origin *origin,
                                                   lgkt_settings *settings, lgkt_error *error)
{
    char renamed[LGKT_MAX_SPEC + 8];
    LGKT_TRY(rename_auto(spec, renamed, error));
    return read_spec(renamed, config, origin, settings, error);
}

// Whether a learner can have such states, numbered or records.
static lgkt_status check_taking(const lgkt_learner_class *class, const char *name,
                                const lgkt_records *records, lgkt_error *error)
{
    if (records != NULL && strcmp(name, "window") == 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "learner \"window\" does not take records: to forget what is old, set "
                         "memory, as forest:memory=2000");
    if (records != NULL && class->takes == LGKT_TAKES_STATES)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "learner \"%s\" needs states, and these are records: take \"forest\", or "
                         "a view with bins, in which vectors are states",
                         name);
    if (records == NULL && class->takes == LGKT_TAKES_RECORDS)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "learner \"%s\" takes records, and these states are none: it needs a view "
                         "with kinds of features (keyed.h)",
                         name);
    return LGKT_OK;
}

// The head of a learner, before its class builds the rest. Refused before any memory is taken where
// it lies too deep, or cannot be in a saved state that is too short for it.
static lgkt_status make_head(int32_t number, const lgkt_learner_config *config,
                             const lgkt_origin *origin, lgkt_learner **head, lgkt_error *error)
{
    const lgkt_entry *entry = NULL;
    const lgkt_learner_class *class = lgkt_learner_class_at(number, &entry);
    const char *name = entry->name;
    const lgkt_problem *problem = &config->problem;
    int32_t level = 1;
    lgkt_learner *root = NULL;
    for (lgkt_learner *outer = origin->parent; outer != NULL; outer = outer->parent, level++)
        root = outer;
    LGKT_TRY(check_taking(class, name, origin->records, error));
    if (level > LGKT_MAX_LEVELS)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "\"%s\" lies too deep: learners may be nested in %d levels at most", name,
                         LGKT_MAX_LEVELS);
    size_t left = root != NULL ? root->saved_bytes_left : origin->saved_bytes;
    if (left < HEAD_BYTES)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the saved state is too short for \"%s\"", name);

    const lgkt_allocator allocator = lgkt_allocator_resolve(&config->allocator);
    lgkt_learner *learner = lgkt_alloc_zeroed(&allocator, 1, sizeof *learner);
    if (learner == NULL)
        return lgkt_fail_memory(error, "a learner");
    if (root == NULL)
        root = learner;
    root->saved_bytes_left = left - HEAD_BYTES;
    learner->saved = learner->must_prepare = origin->saved;
    learner->parent = origin->parent;
    learner->masked = problem->masked || origin->masked;
    learner->class = class;
    learner->entry = entry;
    learner->act = class->act;
    learner->observe = class->observe;
    learner->feed = class->feed == NULL && class->unfed == NULL ? class->observe : class->feed;
    learner->unpooled = class->unpooled;
    learner->unit = (lgkt_unit_clock){.made = -1, .left = -1};
    learner->allocator = allocator;
    learner->bytes = sizeof *learner;
    learner->problem = *problem;
    learner->plain_states = problem->masked ? 0 : problem->states;
    lgkt_mdp_retain(problem->model);
    lgkt_change_retain(problem->change);
    learner->threshold = config->threshold;
    learner->coin = config->coin;
    learner->coin_ctx = config->coin_ctx;
    learner->seed = config->seed;
    learner->instance = config->instance;
    learner->born = origin->born > 0 ? origin->born : LGKT_STATES;
    learner->writer = LGKT_OWN_WRITER;
    learner->rng = lgkt_rng_stream(config->seed, "learner", config->instance);
    learner->next_state = -1;
    learner->grows = origin->limit > 0;
    learner->limit = learner->grows ? origin->limit : problem->states;
    learner->records = origin->records;
    *head = learner;
    return LGKT_OK;
}

// all of a learner behind its head; who calls destroys it on failure
static lgkt_status build(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                         lgkt_error *error)
{
    const lgkt_learner_class *class = learner->class;
    const lgkt_entry *entry = learner->entry;
    if (class->self_size > 0) {
        learner->self = lgkt_learner_alloc(learner, 1, class->self_size);
        if (learner->self == NULL)
            return lgkt_fail_memory(error, "a learner");
    }
    learner->like = like != NULL && like->entry == entry ? like->self : NULL;
    if (class->create != NULL)
        LGKT_TRY(class->create(learner, settings, error));
    learner->like = NULL;

    const size_t length = lgkt_settings_print(entry, settings, NULL, 0);
    // a longer one could not be read again
    if (length > LGKT_MAX_SPEC)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "%s: with its defaults the spec has %zu characters, more than %d",
                         entry->name, length, LGKT_MAX_SPEC);
    learner->spec = lgkt_learner_alloc(learner, length + 1, 1);
    if (learner->spec == NULL)
        return lgkt_fail_memory(error, "the spec of a learner");
    lgkt_settings_print(entry, settings, learner->spec, length + 1);

    // what its create has made would not grow with the states
    const bool can_grow = class->grow != NULL || class->whole.count > 0 || class->within != NULL ||
                          learner->self == NULL;
    if (learner->grows && !can_grow)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "learner \"%s\" must know all states at the start: it cannot grow",
                         entry->name);
    const int32_t states = learner->problem.states;
    const int32_t first = learner->grows && states < FIRST_CAPACITY ? FIRST_CAPACITY : states;
    return lgkt_learner_reserve(learner, first < learner->limit ? first : learner->limit, error);
}

lgkt_status lgkt_learner_create_from(const char *spec, const lgkt_learner_config *config,
                                     const lgkt_origin *origin, lgkt_learner **learner,
                                     lgkt_error *error)
{
    lgkt_learner *made = NULL;
    lgkt_settings settings;
    LGKT_TRY(check_config(config, error));
    LGKT_TRY(origin->records != NULL ? read_spec_on_records(spec, config, origin, &settings, error)
                                     : read_spec(spec, config, origin, &settings, error));
    lgkt_status status = make_head(settings.index, config, origin, &made, error);
    if (status == LGKT_OK)
        status = build(made, settings.values, config->like, error);
    lgkt_free(&config->allocator, settings.text);
    if (status == LGKT_OK)
        *learner = made;
    else
        lgkt_learner_destroy(made);
    return status;
}

void lgkt_learner_config_init(lgkt_learner_config *config, size_t size)
{
    const lgkt_learner_config standard = {
        .size = size,
        .problem = {.reward_min = NAN, .reward_max = NAN, .reward_sd = NAN},
    };
    lgkt_sized_fill(config, size, &standard, sizeof standard);
}

lgkt_status lgkt_learner_take_config(const lgkt_learner_config *config, lgkt_learner_config *own,
                                     lgkt_error *error)
{
    static const lgkt_sized_kind kind = {sizeof(lgkt_learner_config),
                                         LGKT_SIZE_UP_TO(lgkt_learner_config, allocator), "config",
                                         "lgkt_learner_config_default"};
    *own = lgkt_learner_config_default();
    return lgkt_sized_take(&kind, config, own, error);
}

lgkt_status lgkt_learner_create(const char *spec, const lgkt_learner_config *config,
                                lgkt_learner **learner, lgkt_error *error)
{
    if (spec == NULL || learner == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and learner must not be NULL");
    lgkt_learner_config own;
    LGKT_TRY(lgkt_learner_take_config(config, &own, error));
    const lgkt_origin origin = {.saved_bytes = SIZE_MAX};
    return lgkt_learner_create_from(spec, &own, &origin, learner, error);
}

void lgkt_learner_destroy(lgkt_learner *learner)
{
    if (learner == NULL)
        return;
    const lgkt_learner_class *class = learner->class;
    if (learner->self != NULL) {
        lgkt_learner *nested;
        for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
            lgkt_learner_destroy(nested);
        if (class->destroy != NULL)
            class->destroy(learner);
        lgkt_part_release(learner, &class->whole, learner->self);
    }
    if (class->self_size > 0)
        lgkt_learner_free(learner, learner->self);
    lgkt_mdp_destroy(learner->problem.model);
    lgkt_change_destroy(learner->problem.change);
    const lgkt_allocator allocator = learner->allocator;
    lgkt_free(&allocator, learner->spec);
    // a nested one was lent what its parent has
    if (learner->problem.masked)
        lgkt_free(&allocator, learner->offered);
    lgkt_free(&allocator, learner);
}

lgkt_status lgkt_learns_nothing(lgkt_learner *learner, double reward, int32_t next_state,
                                bool ended)
{
    (void)learner, (void)reward, (void)next_state, (void)ended;
    return LGKT_OK;
}

// ---- the protocol ----

// why an act is refused; kept out of line, since it is rare
LGKT_COLD static lgkt_status refuse_act(lgkt_learner *learner, int32_t state, const int32_t *action)
{
    lgkt_error *refusal = &learner->refusal;
    if (action == NULL)
        return lgkt_fail(refusal, LGKT_ERR_ARGUMENT, "action must not be NULL");
    if (learner->phase == LGKT_PHASE_OBSERVE)
        return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                         "act at step %lld: the action before has not been observed",
                         (long long)learner->t);
    if (learner->phase == LGKT_PHASE_OVER)
        return lgkt_fail(refusal, LGKT_ERR_HORIZON, "the run of %lld steps is over",
                         (long long)learner->problem.horizon);
    LGKT_TRY(lgkt_check_index("state", state, learner->problem.states, refusal));
    return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                     "act in state %d, but the state observed was %d and the run was not cut",
                     state, learner->next_state);
}

// an act that the class could not do
LGKT_COLD static lgkt_status fail_act(lgkt_learner *learner, int32_t failure)
{
    learner->phase = LGKT_PHASE_ACT;
    const lgkt_status status = (lgkt_status)failure;
    return lgkt_fail(&learner->refusal, status, "act: %s", lgkt_status_text(status));
}

static lgkt_status refuse_reward(lgkt_error *refusal, double reward)
{
    if (!isfinite(reward))
        return lgkt_fail(refusal, LGKT_ERR_NOT_FINITE, "reward %g is not a finite number", reward);
    return lgkt_fail(refusal, LGKT_ERR_ARGUMENT, "reward %g is out of range [-%g, %g]", reward,
                     LGKT_MAX_REWARD, LGKT_MAX_REWARD);
}

LGKT_COLD static lgkt_status refuse_observe(lgkt_learner *learner, double reward,
                                            int32_t next_state)
{
    lgkt_error *refusal = &learner->refusal;
    if (learner->phase != LGKT_PHASE_OBSERVE)
        return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                         "observe at step %lld: there is no action to observe",
                         (long long)learner->t);
    if (!lgkt_reward_fits(reward))
        return refuse_reward(refusal, reward);
    return lgkt_check_index("next state", next_state, learner->problem.states, refusal);
}

// An act that the plain one does not let pass: refused, or among some actions, or of a learner that
// notes what was offered.
LGKT_COLD static lgkt_status act_noting(lgkt_learner *learner, int32_t state,
                                        const uint8_t *allowed, int32_t *action)
{
    const bool in_range = (uint32_t)state < (uint32_t)learner->problem.states;
    const bool expected = state == learner->next_state || learner->next_state < 0;
    if (learner->phase != LGKT_PHASE_ACT || !in_range || !expected || action == NULL)
        return refuse_act(learner, state, action);
    bool full = true;
    LGKT_TRY(lgkt_learner_check_mask(learner, allowed, &full, &learner->refusal));
    learner->state = state;
    const int32_t chosen = lgkt_learner_choose(learner, full ? NULL : allowed);
    if (chosen < 0)
        return fail_act(learner, chosen);
    learner->phase = LGKT_PHASE_OBSERVE;
    learner->action = chosen;
    *action = chosen;
    return LGKT_OK;
}

lgkt_status lgkt_learner_act(lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                             int32_t *action)
{
    if (learner == NULL)
        return LGKT_ERR_ARGUMENT;
    const bool plain = (uint32_t)state < (uint32_t)learner->plain_states;
    const bool expected = state == learner->next_state || learner->next_state < 0;
    if (learner->phase != LGKT_PHASE_ACT || !plain || !expected || action == NULL ||
        allowed != NULL)
        return act_noting(learner, state, allowed, action);
    learner->phase = LGKT_PHASE_OBSERVE;
    learner->state = state;
    const int32_t chosen = learner->act(learner, state);
    if (chosen < 0)
        return fail_act(learner, chosen);
    learner->action = chosen;
    *action = chosen;
    return LGKT_OK;
}

lgkt_status lgkt_learner_observe(lgkt_learner *learner, double reward, int32_t next_state,
                                 bool ended)
{
    if (learner == NULL)
        return LGKT_ERR_ARGUMENT;
    const bool in_range = (uint32_t)next_state < (uint32_t)learner->problem.states;
    if (learner->phase != LGKT_PHASE_OBSERVE || !in_range || !lgkt_reward_fits(reward))
        return refuse_observe(learner, reward, next_state);
    if (learner->must_prepare && !lgkt_learner_prepare(learner))
        return lgkt_fail_memory(&learner->refusal, "a step");
    learner->t++;
    learner->phase = learner->t < learner->problem.horizon ? LGKT_PHASE_ACT : LGKT_PHASE_OVER;
    learner->next_state = ended ? -1 : next_state;
    return learner->observe(learner, reward, next_state, ended);
}

lgkt_status lgkt_learner_jump(lgkt_learner *learner)
{
    if (learner == NULL)
        return LGKT_ERR_ARGUMENT;
    if (learner->phase == LGKT_PHASE_OBSERVE)
        return lgkt_fail(&learner->refusal, LGKT_ERR_PROTOCOL,
                         "jump at step %lld: the action before has not been observed",
                         (long long)learner->t);
    learner->next_state = -1;
    return LGKT_OK;
}

lgkt_status lgkt_learner_check_feed(const lgkt_learner *learner, int32_t action, double reward,
                                    lgkt_error *error)
{
    const char *why = learner->class->unfed;
    if (learner->feed == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "learner \"%s\" cannot learn from steps that another one chose%s%s",
                         learner->entry->name, why != NULL ? ": " : "", why != NULL ? why : "");
    LGKT_TRY(lgkt_check_index("action", action, learner->problem.actions, error));
    if (!lgkt_reward_fits(reward))
        return refuse_reward(error, reward);
    if (learner->fed >= LGKT_MAX_FED)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "no more than %lld steps can be fed",
                         (long long)LGKT_MAX_FED);
    return LGKT_OK;
}

lgkt_status lgkt_learner_feed(lgkt_learner *learner, int32_t state, int32_t action, double reward,
                              int32_t next_state, bool ended)
{
    if (learner == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_error *refusal = &learner->refusal;
    LGKT_TRY(lgkt_learner_check_feed(learner, action, reward, refusal));
    if (learner->phase == LGKT_PHASE_OBSERVE)
        return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                         "feed at step %lld: the action before has not been observed",
                         (long long)learner->t);
    LGKT_TRY(lgkt_check_index("state", state, learner->problem.states, refusal));
    LGKT_TRY(lgkt_check_index("next state", next_state, learner->problem.states, refusal));
    if (!lgkt_learner_prepare(learner))
        return lgkt_fail_memory(refusal, "a step");
    learner->fed++;
    learner->must_prepare = true;
    learner->state = state;
    learner->action = action;
    learner->next_state = -1;
    return learner->feed(learner, reward, next_state, ended);
}
