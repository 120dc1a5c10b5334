// SPDX-License-Identifier: MIT
// Looking into a learner, and taking its whole state out and back in: growing, masks, hashing,
// saving.

#include "learners/front/learner_private.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sized.h"

// ---- inspection ----

const char *lgkt_learner_message(const lgkt_learner *learner)
{
    return learner == NULL ? "learner must not be NULL" : learner->refusal.text;
}

int64_t lgkt_learner_time(const lgkt_learner *learner)
{
    return learner == NULL ? 0 : learner->t;
}

int32_t lgkt_learner_next_state(const lgkt_learner *learner)
{
    return learner == NULL ? -1 : learner->next_state;
}

void lgkt_learner_get_problem(const lgkt_learner *learner, lgkt_problem *problem, size_t size)
{
    const lgkt_problem nothing = {0};
    lgkt_sized_fill(problem, size, learner == NULL ? &nothing : &learner->problem, sizeof nothing);
}

const char *lgkt_learner_spec(const lgkt_learner *learner)
{
    return learner == NULL ? "" : learner->spec;
}

const char *lgkt_learner_saved_version(const lgkt_learner *learner)
{
    return learner == NULL ? "" : learner->writer.version;
}

int32_t lgkt_learner_saved_numbers(const lgkt_learner *learner)
{
    return learner == NULL ? 0 : learner->writer.numbers;
}

size_t lgkt_learner_count_bytes(const lgkt_learner *learner, bool shared)
{
    size_t bytes = learner->bytes + (shared ? learner->shared : 0);
    if (learner->class->nested_bytes != NULL)
        return bytes + learner->class->nested_bytes(learner, shared);
    const lgkt_learner *nested;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        // spares, which have no parent, share their tables with one that has
        bytes += lgkt_learner_count_bytes(nested, shared && nested->parent != NULL);
    return bytes;
}

size_t lgkt_learner_bytes(const lgkt_learner *learner)
{
    return learner == NULL ? 0 : lgkt_learner_count_bytes(learner, true);
}

int32_t lgkt_learner_counters(const lgkt_learner *learner, lgkt_counter *counters, int32_t capacity)
{
    if (learner == NULL || learner->class->counters == NULL)
        return 0;
    return learner->class->counters(learner, counters, capacity);
}

int32_t lgkt_counters_write(const lgkt_counter *all, int32_t count, lgkt_counter *out,
                            int32_t capacity)
{
    for (int32_t i = 0; i < count && i < capacity; i++)
        out[i] = all[i];
    return count;
}

// ---- growing ----

// What a class has made of itself does not change: the learners within were made with the capacity
// of their parent.
lgkt_status lgkt_learner_reserve(lgkt_learner *learner, int32_t capacity, lgkt_error *error)
{
    const lgkt_learner_class *class = learner->class;
    const int32_t before = learner->capacity;
    if (capacity <= before)
        return LGKT_OK;
    if (before == 0)
        LGKT_TRY(lgkt_learner_claim(learner, lgkt_part_words(learner, &class->whole, learner->self),
                                    error));
    if (learner->problem.masked) {
        const size_t actions = (size_t)learner->problem.actions;
        const size_t old = (size_t)before * actions, more = (size_t)capacity * actions;
        if (!lgkt_learner_resize(learner, &learner->offered, old, more, 1))
            return lgkt_fail_memory(error, "masks");
        memset(learner->offered + old, LGKT_OFFER_UNKNOWN, more - old);
    }
    if (!lgkt_part_grow(learner, &class->whole, learner->self, before, capacity))
        return lgkt_fail_memory(error, "the tables of a learner");
    if (class->grow != NULL)
        LGKT_TRY(class->grow(learner, before, capacity, error));
    lgkt_learner *nested;
    for (size_t i = 0; before > 0 && (nested = lgkt_next_within(learner, &i)) != NULL;)
        LGKT_TRY(lgkt_learner_reserve(nested, capacity, error));
    learner->capacity = capacity;
    return LGKT_OK;
}

lgkt_status lgkt_learner_add_state(lgkt_learner *learner, lgkt_error *error)
{
    const int32_t states = learner->problem.states + 1, limit = learner->limit;
    if (states > learner->capacity) {
        const int32_t more = learner->capacity > limit / 2 ? limit : 2 * learner->capacity;
        LGKT_TRY(lgkt_learner_reserve(learner, more, error));
    }
    learner->problem.states = states;
    learner->plain_states = learner->problem.masked ? 0 : states;
    return LGKT_OK;
}

// ---- masks ----

lgkt_status lgkt_learner_check_mask(const lgkt_learner *learner, const uint8_t *allowed, bool *full,
                                    lgkt_error *error)
{
    int32_t count = 0;
    for (int32_t a = 0; allowed != NULL && a < learner->problem.actions; a++)
        count += allowed[a] != 0;
    *full = allowed == NULL || count == learner->problem.actions;
    if (*full)
        return LGKT_OK;
    if (count == 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "none of the %d actions is allowed",
                         learner->problem.actions);
    if (!learner->problem.masked)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "some actions are not allowed, and the learner was made without "
                         "problem.masked");
    return LGKT_OK;
}

// one byte of what is offered, after an act with or without the action
static uint8_t offer_after(uint8_t before, bool allowed)
{
    if (allowed)
        return LGKT_OFFER_ONCE;
    return before == LGKT_OFFER_UNKNOWN ? LGKT_OFFER_NEVER : before;
}

bool lgkt_learner_changes_offer(const lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    if (learner->offered == NULL)
        return false;
    const size_t actions = (size_t)learner->problem.actions;
    const uint8_t *row = learner->offered + (size_t)state * actions;
    bool changes = false;
    for (size_t a = 0; a < actions; a++) {
        const uint8_t after = offer_after(row[a], allowed == NULL || allowed[a] != 0);
        changes |= (row[a] == LGKT_OFFER_NEVER) != (after == LGKT_OFFER_NEVER);
    }
    return changes;
}

void lgkt_learner_note_offer(lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    const size_t actions = (size_t)learner->problem.actions;
    const bool changed = lgkt_learner_changes_offer(learner, state, allowed);
    for (size_t a = 0; learner->offered != NULL && a < actions; a++) {
        uint8_t *offer = &learner->offered[(size_t)state * actions + a];
        *offer = offer_after(*offer, allowed == NULL || allowed[a] != 0);
    }
    if (changed)
        lgkt_learner_offer(learner, state);
}

int32_t lgkt_learner_choose(lgkt_learner *learner, const uint8_t *allowed)
{
    const int32_t state = learner->state;
    const bool changes = lgkt_learner_changes_offer(learner, state, allowed);
    lgkt_learner *who = learner;
    // what plans are told cannot be taken back: a copy is told, and takes the place if it can act
    if (changes && learner->can_fail) {
        const lgkt_status status =
            lgkt_learner_copy_for(learner, learner->problem.horizon, &who, NULL);
        if (status != LGKT_OK)
            return (int32_t)status;
        who->state = state;
        who->action = learner->action;
        who->unit = learner->unit;
    }
    if (changes)
        lgkt_learner_note_offer(who, state, allowed);
    who->allowed = allowed;
    const int32_t chosen = lgkt_learner_act_now(who, state);
    who->allowed = NULL;
    if (who != learner && chosen < 0)
        lgkt_learner_destroy(who);
    else if (who != learner)
        lgkt_learner_replace(learner, who);
    else if (chosen >= 0 && !changes)
        lgkt_learner_note_offer(learner, state, allowed);
    return chosen;
}

// ---- the walk: what is hashed, saved and loaded of a learner ----

void lgkt_learner_visit(void *object, lgkt_archive *archive)
{
    lgkt_learner *learner = object;
    const lgkt_learner_class *class = learner->class;
    const lgkt_readable readable = {learner->entry->name, class->state > 1 ? class->state : 1,
                                    class->oldest_state};
    const int32_t last = learner->problem.states - 1;
    learner->state_number = lgkt_visit_number(archive, &readable);
    int32_t phase = (int32_t)learner->phase;
    lgkt_visit_i32(archive, &phase, 1, LGKT_PHASE_ACT, LGKT_PHASE_OVER);
    if (archive->mode == LGKT_ARCHIVE_LOAD)
        learner->phase = (lgkt_phase)phase;
    lgkt_visit_i64(archive, &learner->t, 1, 0, learner->problem.horizon);
    // the pair in play means nothing between observe and act
    if (learner->phase == LGKT_PHASE_OBSERVE) {
        lgkt_visit_i32(archive, &learner->state, 1, 0, last);
        lgkt_visit_i32(archive, &learner->action, 1, 0, learner->problem.actions - 1);
    }
    lgkt_visit_i32(archive, &learner->next_state, 1, -1, last);
    lgkt_visit_rng(archive, &learner->rng);
    if (learner->problem.masked) {
        const size_t actions = (size_t)learner->problem.actions;
        const size_t pairs = (size_t)learner->problem.states * actions;
        lgkt_visit_bytes(archive, learner->offered, pairs);
        // something can be played everywhere
        bool any = false;
        for (size_t z = 0; z < pairs; z++) {
            any = (any && z % actions > 0) || learner->offered[z] != LGKT_OFFER_NEVER;
            archive->bad |= learner->offered[z] > LGKT_OFFER_UNKNOWN;
            archive->bad |= !any && z % actions == actions - 1;
        }
    }
    lgkt_part_visit(learner, &class->whole, learner->self, archive);
    lgkt_learner *nested;
    if (class->visit != NULL)
        class->visit(learner, archive);
    else
        for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
            lgkt_nested_visit(learner, nested, archive);
}

// ---- saving ----

// what a learner must be made of before its state can be loaded
typedef struct birth {
    lgkt_problem problem;
    uint64_t seed, instance;
    int64_t limit;    // 0 where all states are known
    int64_t supplied; // bit 0: a threshold function or table, bit 1: a coin, bit 2: masks
    int32_t born;     // LGKT_STATES of the build that made it
    // LGKT_NUMBERS of an earlier build that had it, if that was another than the writer's; else its
    int32_t numbers;
} birth;

static void visit_birth(lgkt_archive *archive, birth *b, char *spec)
{
    int64_t length = (int64_t)strlen(spec);
    lgkt_visit_i32(archive, &b->problem.states, 1, 1, LGKT_MAX_STATES);
    lgkt_visit_i32(archive, &b->problem.actions, 1, 1, LGKT_MAX_ACTIONS);
    lgkt_visit_i64(archive, &b->problem.horizon, 1, 1, INT64_MAX);
    // NaN, for not known, is one of the values
    lgkt_visit_real(archive, &b->problem.reward_min, 1);
    lgkt_visit_real(archive, &b->problem.reward_max, 1);
    lgkt_visit_real(archive, &b->problem.reward_sd, 1);
    lgkt_visit_u64(archive, &b->seed, 1);
    lgkt_visit_u64(archive, &b->instance, 1);
    lgkt_visit_i64(archive, &b->limit, 1, 0, LGKT_MAX_STATES);
    lgkt_visit_i64(archive, &b->supplied, 1, 0, 7);
    lgkt_visit_i32(archive, &b->born, 1, 1, INT32_MAX);
    lgkt_visit_i32(archive, &b->numbers, 1, 1, INT32_MAX);
    lgkt_visit_i64(archive, &length, 1, 1, LGKT_MAX_SPEC);
    lgkt_visit_bytes(archive, spec, (size_t)length);
}

static int64_t supplied_by(const lgkt_threshold *threshold, lgkt_coin_fn coin)
{
    return (threshold->fn != NULL || threshold->table != NULL ? 1 : 0) | (coin != NULL ? 2 : 0);
}

void lgkt_learner_visit_whole(void *object, lgkt_archive *archive)
{
    lgkt_learner *learner = object;
    birth b = {.problem = learner->problem,
               .seed = learner->seed,
               .instance = learner->instance,
               .born = learner->born,
               .numbers = learner->writer.numbers,
               .limit = learner->grows ? learner->limit : 0,
               .supplied = supplied_by(&learner->threshold, learner->coin) |
                           (learner->problem.masked ? 4 : 0)};
    visit_birth(archive, &b, learner->spec);
    lgkt_learner_visit(learner, archive);
}

// ---- loading ----

// what is told now must agree with what was told at its birth
static lgkt_status check_birth(const birth *b, const lgkt_learner_config *config, lgkt_error *error)
{
    const lgkt_problem *told = &b->problem, *given = &config->problem;
    if (b->limit > 0 && b->limit < told->states)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "the saved state has %d states, more than its limit of %lld", told->states,
                         (long long)b->limit);
    const bool empty = given->states == 0 && given->actions == 0 && given->horizon == 0;
    if (!empty && (given->states != told->states || given->actions != told->actions ||
                   given->horizon != told->horizon))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "saved with %d states, %d actions and horizon %lld; the config has %d, %d "
                         "and %lld",
                         told->states, told->actions, (long long)told->horizon, given->states,
                         given->actions, (long long)given->horizon);
    const int64_t missing = b->supplied & 3 & ~supplied_by(&config->threshold, config->coin);
    if (missing != 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "saved with a %s of its own, which the config must supply again",
                         missing & 1 ? "threshold function or table" : "coin");
    return LGKT_OK;
}

lgkt_status lgkt_learner_load_on(lgkt_archive *archive, const lgkt_learner_config *config,
                                 lgkt_records *records, lgkt_learner **object, lgkt_error *error)
{
    birth b = {.supplied = 0};
    char spec[LGKT_MAX_SPEC + 1] = {0};
    visit_birth(archive, &b, spec);
    if (archive->bad)
        return lgkt_saved_close(archive, error);
    LGKT_TRY(check_birth(&b, config, error));

    // a learner as it was at its birth
    lgkt_learner_config again = *config;
    again.problem = b.problem;
    again.problem.model = config->problem.model;
    again.problem.change = config->problem.change;
    again.problem.masked = (b.supplied & 4) != 0;
    again.seed = b.seed;
    again.instance = b.instance;
    const lgkt_origin origin = {.limit = (int32_t)b.limit,
                                .saved_bytes = archive->capacity - archive->at,
                                .saved = true,
                                .born = b.born,
                                .records = records};
    lgkt_learner *made = NULL;
    const lgkt_status status = lgkt_learner_create_from(spec, &again, &origin, &made, error);
    const bool unknown = status == LGKT_ERR_SPEC || status == LGKT_ERR_UNKNOWN_NAME;
    const char *writer = archive->writer.version;
    if (unknown && strcmp(writer, lgkt_version()) != 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "saved by lgkt %s and cannot be loaded by %s: run it with %.*s.x (%.120s)",
                         writer, lgkt_version(), (int)(strrchr(writer, '.') - writer), writer,
                         error != NULL ? error->text : "");
    if (status != LGKT_OK)
        return status;
    if (!lgkt_settings_agree(made->entry, made->spec, spec, b.born)) {
        lgkt_learner_destroy(made);
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "saved by lgkt %s as \"%.80s\", which means something else here",
                         archive->writer.version, spec);
    }
    lgkt_learner_visit(made, archive);
    made->saved_bytes_left = SIZE_MAX; // it may grow
    // where several builds had it in turn, one with other numbers than this is told of
    made->writer = archive->writer;
    if (made->writer.numbers == LGKT_NUMBERS)
        made->writer.numbers = b.numbers;
    if (config->reseed) {
        made->rng = lgkt_rng_stream(config->seed, "learner", config->instance);
        made->seed = config->seed;
        made->instance = config->instance;
    }
    // a run is over when its steps are
    archive->bad |= (made->phase == LGKT_PHASE_OVER) != (made->t == made->problem.horizon);
    // counts are ahead of the clock by what was fed, and that is bounded: so they always have room
    // to go on, and what they become can be saved and loaded again
    const int64_t fed = archive->highest - made->t;
    archive->bad |= fed > LGKT_MAX_FED;
    made->fed = fed > 0 ? fed : 0;
    if (archive->bad) {
        lgkt_learner_destroy(made);
        return lgkt_saved_close(archive, error);
    }
    lgkt_learner_loaded(made);
    *object = made;
    return LGKT_OK;
}

lgkt_status lgkt_learner_load_archive(lgkt_archive *archive, const lgkt_learner_config *config,
                                      void **made, lgkt_error *error)
{
    lgkt_learner *learner = NULL;
    LGKT_TRY(lgkt_learner_load_on(archive, config, NULL, &learner, error));
    *made = learner;
    return LGKT_OK;
}

// ---- what all fronts have ----

// hashing and saving only read, but visits are written for loading too

uint64_t lgkt_front_hash(lgkt_saved_fn visit, const void *object)
{
    lgkt_archive archive = lgkt_archive_hash();
    if (object != NULL)
        visit((void *)object, &archive);
    return object == NULL ? 0 : archive.hash;
}

lgkt_status lgkt_front_save(const lgkt_front *front, const void *object, void *buffer,
                            size_t capacity, size_t *size, lgkt_error *error)
{
    if (object == NULL || size == NULL || (buffer == NULL && capacity > 0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s, size and buffer must not be NULL",
                         front->name);
    return lgkt_saved_write(front->kind, front->visit, (void *)object, buffer, capacity, size,
                            error);
}

lgkt_status lgkt_front_load(const lgkt_front *front, const void *buffer, size_t size,
                            const lgkt_learner_config *config, void *handle, lgkt_error *error)
{
    lgkt_learner_config own;
    lgkt_archive archive;
    void *made = NULL;
    if (handle == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s must not be NULL", front->name);
    LGKT_TRY(lgkt_learner_take_config(config, &own, error));
    LGKT_TRY(lgkt_saved_open(front->kind, buffer, size, &archive, error));
    LGKT_TRY(front->load(&archive, &own, &made, error));
    const lgkt_status status = lgkt_saved_close(&archive, error);
    if (status == LGKT_OK)
        memcpy(handle, &made, sizeof made);
    else
        front->destroy(made);
    return status;
}

lgkt_status lgkt_front_copy(const lgkt_front *front, const void *object,
                            const lgkt_learner *learner, void *handle, lgkt_error *error)
{
    if (object == NULL || handle == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s and copy must not be NULL", front->name);
    const lgkt_learner_config config = lgkt_learner_config_of(learner);
    size_t size = 0; // which the first call is for
    lgkt_saved_write(front->kind, front->visit, (void *)object, NULL, 0, &size, NULL);
    void *bytes = lgkt_alloc_zeroed(&learner->allocator, size, 1);
    if (bytes == NULL)
        return lgkt_fail_memory(error, "a copy");
    lgkt_status status =
        lgkt_saved_write(front->kind, front->visit, (void *)object, bytes, size, &size, error);
    if (status == LGKT_OK)
        status = lgkt_front_load(front, bytes, size, &config, handle, error);
    lgkt_free(&learner->allocator, bytes);
    return status;
}

static void destroy(void *object)
{
    lgkt_learner_destroy(object);
}

static const lgkt_front front = {LGKT_SAVED_LEARNER, "learner", lgkt_learner_visit_whole,
                                 lgkt_learner_load_archive, destroy};

// what it was made of is no part of its hash
uint64_t lgkt_learner_hash(const lgkt_learner *learner)
{
    return lgkt_front_hash(lgkt_learner_visit, learner);
}

lgkt_status lgkt_learner_save(const lgkt_learner *learner, void *buffer, size_t capacity,
                              size_t *size, lgkt_error *error)
{
    return lgkt_front_save(&front, learner, buffer, capacity, size, error);
}

lgkt_status lgkt_learner_load(const void *buffer, size_t size, const lgkt_learner_config *config,
                              lgkt_learner **learner, lgkt_error *error)
{
    return lgkt_front_load(&front, buffer, size, config, learner, error);
}
