// SPDX-License-Identifier: MIT
// The front end for states that are byte strings (keyed.h).
//
// Keys lie one after the other in one pool, in the order of their numbers; a table of slots with
// linear probing, never more than half full, finds a number by the hash of its key. All memory that
// a step needs, the learner's own included, is taken before anything is changed, so that a refused
// call leaves no trace.
//
// With a view the key that is kept is that of the bins; while the edges are to come it is empty,
// so that all vectors are one state. Records are not found again: records.h numbers and keeps them.

#include "learners/front/keyed_private.h"

#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/sized.h"

#define KEY_LIMIT   65536
#define MAX_KEY     (SIZE_MAX / 4)
#define FIRST_SLOTS 64

// ---- finding ----

static const unsigned char *key_at(const lgkt_keyed *k, int32_t number, size_t *size)
{
    const size_t begin = number == 0 ? 0 : k->ends[number - 1];
    *size = k->ends[number] - begin;
    return k->pool + begin;
}

static bool is_key(const lgkt_keyed *k, int32_t number, const void *key, size_t size)
{
    size_t own_size;
    const unsigned char *own = key_at(k, number, &own_size);
    return own_size == size && (size == 0 || (key != NULL && memcmp(own, key, size) == 0));
}

// the slot of a key, or the empty one where it belongs
static size_t slot_of(const lgkt_keyed *k, const void *key, size_t size)
{
    const size_t mask = k->slot_count - 1;
    size_t slot = (size_t)lgkt_siphash(k->set.secret, key, size) & mask;
    while (k->slots[slot] != 0 && !is_key(k, k->slots[slot] - 1, key, size))
        slot = (slot + 1) & mask;
    return slot;
}

// A key as it is kept: with a view, that of the bins of a vector, or a record.
typedef struct kept_key {
    const void *at;
    size_t size;
    union {
        unsigned char bins[LGKT_BINS_KEY];
        double record[LGKT_RECORD_DIMS];
    };
} kept_key;

// the bins of a vector, or why a key is refused
static lgkt_status read_vector(const lgkt_keyed *k, kept_key *kept, lgkt_error *error)
{
    if (kept->at == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "key must not be NULL");
    if (k->bins == NULL)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "a key of %zu bytes, but the limit is %zu",
                         kept->size, k->set.key_limit);
    double values[LGKT_BINS_DIMS];
    const size_t needed = (size_t)k->bins->dims * sizeof *values;
    if (kept->size != needed)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "a state of %zu bytes, but the %d numbers of the view have %zu",
                         kept->size, k->bins->dims, needed);
    memcpy(values, kept->at, needed);
    const int32_t nan = lgkt_bins_nan(k->bins, values);
    if (nan >= 0)
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "number %d of the state is NaN", nan);
    kept->at = kept->bins;
    kept->size = lgkt_bins_key(k->bins, values, kept->bins);
    return LGKT_OK;
}

static inline lgkt_status read_key(const lgkt_keyed *k, const void *key, size_t size,
                                   kept_key *kept, lgkt_error *error)
{
    if (k->records != NULL)
        return lgkt_records_read(k->records, key, size, kept->record, error);
    kept->at = key;
    kept->size = size;
    const bool plain = k->bins == NULL && size <= k->set.key_limit && (key != NULL || size == 0);
    return plain ? LGKT_OK : read_vector(k, kept, error);
}

// whether a key that was read has this number
static inline bool has_number(const lgkt_keyed *k, const kept_key *kept, int32_t number)
{
    return k->records != NULL ? lgkt_records_is(k->records, number, kept->record)
                              : is_key(k, number, kept->at, kept->size);
}

// ---- growing ----

static void fill_slots(lgkt_keyed *k)
{
    for (int32_t i = 0; i < k->count; i++) {
        size_t size;
        const unsigned char *key = key_at(k, i, &size);
        k->slots[slot_of(k, key, size)] = i + 1;
    }
}

static bool grow_slots(lgkt_keyed *k)
{
    if (2 * ((size_t)k->count + 1) <= k->slot_count)
        return true;
    const size_t before = k->slot_count;
    const size_t after = before == 0 ? FIRST_SLOTS : 2 * before;
    int32_t *slots = lgkt_alloc_zeroed(&k->allocator, after, sizeof *slots);
    if (slots == NULL)
        return false;
    lgkt_free(&k->allocator, k->slots);
    k->slots = slots;
    k->slot_count = after;
    fill_slots(k);
    return true;
}

static bool reserve_key(lgkt_keyed *k, size_t size)
{
    const size_t keys = (size_t)k->count, used = k->pool_used;
    void *pool = k->pool, *ends = k->ends;
    // one byte more than needed: where there is a key, there is a pool
    const bool holds = lgkt_grow(&k->allocator, &pool, &k->pool_capacity, used, used + size + 1, 1);
    k->pool = pool;
    const bool fits = holds && lgkt_grow(&k->allocator, &ends, &k->ends_capacity, keys, keys + 1,
                                         sizeof *k->ends);
    k->ends = ends;
    return fits && grow_slots(k);
}

// numbers the key that lies behind the last one in the pool
static void keep_key(lgkt_keyed *k, size_t slot, size_t size)
{
    k->pool_used += size;
    k->ends[k->count++] = k->pool_used;
    k->slots[slot] = k->count;
}

// a key that has no number gets one
LGKT_COLD static lgkt_status add_key(lgkt_keyed *k, const kept_key *key, int32_t *number)
{
    if (k->count >= k->set.state_limit)
        return lgkt_fail(&k->learner->refusal, LGKT_ERR_SHAPE,
                         "a new state, but the limit is %d states", k->set.state_limit);
    if (!reserve_key(k, key->size))
        return lgkt_fail_memory(&k->learner->refusal, "a new state");
    // the learner was made with its first state
    if (k->count > 0)
        LGKT_TRY(lgkt_learner_add_state(k->learner, &k->learner->refusal));
    const size_t slot = slot_of(k, key->at, key->size);
    if (key->size > 0)
        memcpy(k->pool + k->pool_used, key->at, key->size);
    *number = k->count;
    keep_key(k, slot, key->size);
    return LGKT_OK;
}

static inline lgkt_status number_of(lgkt_keyed *k, const kept_key *key, int32_t *number)
{
    if (k->records != NULL)
        return lgkt_records_add(k->records, k->learner, key->record, number, &k->learner->refusal);
    *number = k->slots[slot_of(k, key->at, key->size)] - 1;
    return *number >= 0 ? LGKT_OK : add_key(k, key, number);
}

void lgkt_keyed_forget(lgkt_keyed *keyed, int32_t count)
{
    lgkt_learner *learner = keyed->learner;
    if (keyed->records != NULL)
        return;
    keyed->count = count;
    keyed->pool_used = count > 0 ? keyed->ends[count - 1] : 0;
    memset(keyed->slots, 0, keyed->slot_count * sizeof *keyed->slots);
    fill_slots(keyed);
    learner->problem.states = count > 0 ? count : 1;
    learner->plain_states = learner->problem.masked ? 0 : learner->problem.states;
}

lgkt_status lgkt_keyed_number(lgkt_keyed *keyed, const void *key, size_t size, int32_t *number)
{
    kept_key kept;
    LGKT_TRY(read_key(keyed, key, size, &kept, &keyed->learner->refusal));
    return number_of(keyed, &kept, number);
}

lgkt_status lgkt_keyed_number_both(lgkt_keyed *keyed, const void *key, size_t size,
                                   const void *next_key, size_t next_size, int32_t *from,
                                   int32_t *to)
{
    const int32_t known = keyed->count;
    lgkt_status status = lgkt_keyed_number(keyed, key, size, from);
    if (status != LGKT_OK)
        return status;
    status = lgkt_keyed_number(keyed, next_key, next_size, to);
    if (status == LGKT_OK)
        return LGKT_OK;
    lgkt_records_release(keyed->records, *from);
    lgkt_keyed_forget(keyed, known);
    return status;
}

// a vector counts for the quantiles once its act can no longer fail
void lgkt_keyed_note(lgkt_keyed *keyed, const void *key)
{
    if (keyed->bins == NULL || keyed->bins->warmup == 0)
        return;
    double values[LGKT_BINS_DIMS];
    memcpy(values, key, (size_t)keyed->bins->dims * sizeof *values);
    lgkt_bins_note(keyed->bins, values);
}

// ---- saving ----

// What must hold its number again after a load.
static void hold_again(lgkt_keyed *k)
{
    const lgkt_learner *learner = k->learner;
    lgkt_records_hold(k->records,
                      learner->phase == LGKT_PHASE_OBSERVE ? learner->state : learner->next_state);
    lgkt_records_hold(k->records, k->fed_number);
}

bool lgkt_keyed_sound(const lgkt_keyed *keyed)
{
    return keyed->records == NULL || lgkt_records_sound(keyed->records);
}

// records, which are all that is visited of keys then
static void visit_records(lgkt_keyed *k, lgkt_archive *archive)
{
    lgkt_records_visit(&k->records, archive, &k->allocator);
    lgkt_visit_u64(archive, k->set.secret, 2);
    lgkt_visit_u64(archive, &k->fed_next, 1);
    if (!archive->bad)
        lgkt_visit_i32(archive, &k->fed_number, 1, 0, k->records->count - 1);
}

// View, limits, secret and keys. Where there is a view the state limit is negative, which none was
// before there were views, and where keys are records it is 0.
static void visit_keys(lgkt_keyed *k, lgkt_archive *archive)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int64_t key_limit = (int64_t)k->set.key_limit;
    int32_t count = k->count;
    int32_t limit = k->bins != NULL ? -k->set.state_limit : k->set.state_limit;
    lgkt_visit_i32(archive, &limit, 1, -LGKT_MAX_STATES, LGKT_MAX_STATES);
    if (limit == 0) {
        visit_records(k, archive);
        return;
    }
    if (limit < 0)
        lgkt_bins_visit(&k->bins, archive, &k->allocator);
    if (loads)
        k->set.state_limit = limit < 0 ? -limit : limit;
    lgkt_visit_i64(archive, &key_limit, 1, 0, (int64_t)MAX_KEY);
    lgkt_visit_u64(archive, k->set.secret, 2);
    lgkt_visit_u64(archive, &k->fed_next, 1);
    lgkt_visit_i32(archive, &count, 1, 0, k->set.state_limit);
    if (loads)
        k->set.key_limit = (size_t)key_limit;
    // one that is loaded is read in place, behind those that are there already
    for (int32_t i = 0; i < count && !archive->bad; i++) {
        size_t size = 0;
        unsigned char *key = loads ? NULL : (unsigned char *)key_at(k, i, &size);
        int64_t length = (int64_t)size;
        lgkt_visit_i64(archive, &length, 1, 0, key_limit);
        size = (size_t)length;
        archive->bad |= loads && !archive->bad && size > archive->capacity - archive->at;
        if (loads && !archive->bad && !reserve_key(k, size))
            lgkt_archive_starve(archive);
        if (archive->bad)
            return;
        key = loads ? k->pool + k->pool_used : key;
        lgkt_visit_bytes(archive, key, size);
        if (!loads)
            continue;
        // twice the same key is no key
        const size_t slot = slot_of(k, key, size);
        archive->bad |= k->slots[slot] != 0;
        if (!archive->bad)
            keep_key(k, slot, size);
    }
}

void lgkt_keyed_visit_whole(void *object, lgkt_archive *archive)
{
    lgkt_keyed *k = object;
    visit_keys(k, archive);
    lgkt_learner_visit_whole(k->learner, archive);
}

// ---- public ----

void lgkt_keyed_config_init(lgkt_keyed_config *config, size_t size)
{
    const lgkt_keyed_config standard = {.size = size, .key_limit = KEY_LIMIT};
    lgkt_sized_fill(config, size, &standard, sizeof standard);
}

// what must be true of the learner's config both when it is made and when it is loaded
static lgkt_status check_learner(const lgkt_learner_config *config, lgkt_error *error)
{
    if (config->problem.states != 0 || config->problem.model != NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "problem.states must be 0 and problem.model NULL: states become known one "
                         "by one");
    if (config->threshold.fn == NULL && config->threshold.table != NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "a table of thresholds needs to know how many states there are; "
                         "threshold.fn does not");
    return LGKT_OK;
}

static lgkt_status check_set(const lgkt_keyed_config *set, int32_t actions, lgkt_error *error)
{
    LGKT_TRY(lgkt_sized_reserved(set->reserved, LGKT_LENGTH(set->reserved), "keyed_config", error));
    if (lgkt_keyed_has_records(set))
        return LGKT_OK;
    if (set->view.dims != 0 && set->view.cuts == NULL && set->view.kinds != NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "state_limit = %d must be 0: records are no states that are counted",
                         set->state_limit);
    LGKT_TRY(lgkt_check_setting("state_limit", set->state_limit, 1, LGKT_MAX_STATES, error));
    if (set->key_limit > MAX_KEY)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "key_limit = %zu must be at most %zu",
                         set->key_limit, MAX_KEY);
    if ((int64_t)set->state_limit * actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%d states x %d actions are more than %d pairs",
                         set->state_limit, actions, LGKT_MAX_PAIRS);
    return LGKT_OK;
}

static lgkt_status make_keyed(const lgkt_learner_config *config, lgkt_keyed **keyed,
                              lgkt_error *error)
{
    const lgkt_allocator allocator = lgkt_allocator_resolve(&config->allocator);
    lgkt_keyed *k = lgkt_alloc_zeroed(&allocator, 1, sizeof *k);
    if (k != NULL) {
        k->allocator = allocator;
        if (grow_slots(k)) {
            *keyed = k;
            return LGKT_OK;
        }
    }
    lgkt_keyed_destroy(k);
    return lgkt_fail_memory(error, "a keyed learner");
}

// the most numbers that records can have at the same time
static int32_t record_limit(int32_t actions)
{
    return actions > LGKT_MAX_PAIRS / LGKT_MAX_STATES ? LGKT_MAX_PAIRS / actions : LGKT_MAX_STATES;
}

// all of it behind its head; who calls destroys it on failure
static lgkt_status build(lgkt_keyed *k, const char *spec, lgkt_learner_config *first,
                         const lgkt_keyed_config *set, lgkt_error *error)
{
    k->set = *set;
    k->set.view = (lgkt_view){0};
    lgkt_origin origin = {.limit = k->set.state_limit, .saved_bytes = SIZE_MAX};
    if (lgkt_keyed_has_records(set)) {
        LGKT_TRY(lgkt_sized_reserved(set->view.reserved, LGKT_LENGTH(set->view.reserved), "view",
                                     error));
        LGKT_TRY(lgkt_records_create(&set->view, &k->allocator, &k->records, error));
        origin.limit = record_limit(first->problem.actions);
        origin.records = k->records;
    } else if (set->view.dims != 0) {
        // the limit is for keys of the caller's
        k->set.key_limit = LGKT_BINS_KEY;
        LGKT_TRY(lgkt_bins_create(&set->view, &k->allocator, &k->bins, error));
    }
    first->problem.states = 1;
    return lgkt_learner_create_from(spec, first, &origin, &k->learner, error);
}

lgkt_status lgkt_keyed_create(const char *spec, const lgkt_learner_config *config,
                              const lgkt_keyed_config *keyed_config, lgkt_keyed **keyed,
                              lgkt_error *error)
{
    static const lgkt_sized_kind kind = {sizeof(lgkt_keyed_config),
                                         LGKT_SIZE_UP_TO(lgkt_keyed_config, reserved),
                                         "keyed_config", "lgkt_keyed_config_default"};
    lgkt_learner_config first;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    lgkt_keyed *k = NULL;
    if (spec == NULL || keyed == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and keyed must not be NULL");
    LGKT_TRY(lgkt_learner_take_config(config, &first, error));
    LGKT_TRY(check_learner(&first, error));
    LGKT_TRY(lgkt_sized_take(&kind, keyed_config, &set, error));
    LGKT_TRY(check_set(&set, first.problem.actions, error));
    LGKT_TRY(make_keyed(&first, &k, error));
    const lgkt_status status = build(k, spec, &first, &set, error);
    if (status == LGKT_OK)
        *keyed = k;
    else
        lgkt_keyed_destroy(k);
    return status;
}

void lgkt_keyed_destroy(lgkt_keyed *keyed)
{
    if (keyed == NULL)
        return;
    lgkt_learner_destroy(keyed->learner);
    lgkt_records_destroy(keyed->records);
    lgkt_free(&keyed->allocator, keyed->bins);
    const lgkt_allocator allocator = keyed->allocator;
    lgkt_free(&allocator, keyed->pool);
    lgkt_free(&allocator, keyed->ends);
    lgkt_free(&allocator, keyed->slots);
    lgkt_free(&allocator, keyed);
}

// a row that was fed has led here, or has ended
static void fed_to(lgkt_keyed *k, uint64_t trail, int32_t number)
{
    lgkt_records_release(k->records, k->fed_number);
    k->fed_next = trail;
    k->fed_number = number;
}

lgkt_status lgkt_keyed_act(lgkt_keyed *keyed, const void *key, size_t size, const uint8_t *allowed,
                           int32_t *action)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_learner *learner = keyed->learner;
    // what the learner would refuse anyway must not leave a new state behind
    if (learner->phase != LGKT_PHASE_ACT || action == NULL)
        return lgkt_learner_act(learner, 0, NULL, action);
    bool full = true;
    kept_key kept;
    int32_t number = learner->next_state;
    if (allowed != NULL)
        LGKT_TRY(lgkt_learner_check_mask(learner, allowed, &full, &learner->refusal));
    LGKT_TRY(read_key(keyed, key, size, &kept, &learner->refusal));
    const bool is_new = number < 0;
    if (!is_new && !has_number(keyed, &kept, number))
        return lgkt_fail(&learner->refusal, LGKT_ERR_PROTOCOL,
                         "act in another state than the one observed, and the run was not cut");
    if (is_new)
        LGKT_TRY(number_of(keyed, &kept, &number));
    const lgkt_status status = lgkt_learner_act(learner, number, full ? NULL : allowed, action);
    if (status == LGKT_OK) {
        lgkt_keyed_note(keyed, key);
        fed_to(keyed, 0, 0);
    } else if (is_new) {
        lgkt_records_release(keyed->records, number);
    }
    return status;
}

lgkt_status lgkt_keyed_observe(lgkt_keyed *keyed, double reward, const void *next_key, size_t size,
                               bool ended)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    if (keyed->learner->phase != LGKT_PHASE_OBSERVE || !lgkt_reward_fits(reward))
        return lgkt_learner_observe(keyed->learner, reward, 0, ended);
    if (!lgkt_learner_prepare(keyed->learner))
        return lgkt_fail_memory(&keyed->learner->refusal, "a step");
    int32_t number = -1;
    const int32_t state = keyed->learner->state;
    LGKT_TRY(lgkt_keyed_number(keyed, next_key, size, &number));
    const lgkt_status status = lgkt_learner_observe(keyed->learner, reward, number, ended);
    lgkt_records_release(keyed->records, state);
    if (ended)
        lgkt_records_release(keyed->records, number);
    return status;
}

lgkt_status lgkt_keyed_jump(lgkt_keyed *keyed)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    const int32_t next = keyed->learner->next_state;
    LGKT_TRY(lgkt_learner_jump(keyed->learner));
    lgkt_records_release(keyed->records, next);
    return LGKT_OK;
}

// what stands for the bytes of a state that a row led to
static uint64_t trail_of(const lgkt_keyed *k, const void *key, size_t size)
{
    const uint64_t hash = lgkt_siphash(k->set.secret, key, size);
    return hash != 0 ? hash : 1;
}

lgkt_status lgkt_keyed_feed(lgkt_keyed *keyed, const void *key, size_t size, int32_t action,
                            double reward, const void *next_key, size_t next_size, bool ended)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_learner *learner = keyed->learner;
    LGKT_TRY(lgkt_learner_check_feed(learner, action, reward, &learner->refusal));
    // what the learner would refuse anyway must not leave a new state behind
    if (learner->phase == LGKT_PHASE_OBSERVE)
        return lgkt_learner_feed(learner, 0, action, reward, 0, ended);
    if (!lgkt_learner_prepare(learner))
        return lgkt_fail_memory(&learner->refusal, "a step");
    int32_t from = 0, to = 0;
    LGKT_TRY(lgkt_keyed_number_both(keyed, key, size, next_key, next_size, &from, &to));
    const bool follows = keyed->fed_next == trail_of(keyed, key, size);
    if (follows && keyed->records != NULL) {
        lgkt_records_release(keyed->records, from);
        from = keyed->fed_number;
        keyed->fed_number = 0;
    }
    if (!follows)
        lgkt_learner_begin(learner);
    lgkt_records_release(keyed->records, learner->next_state);
    const lgkt_status status = lgkt_learner_feed(learner, from, action, reward, to, ended);
    lgkt_records_release(keyed->records, from);
    fed_to(keyed, ended ? 0 : trail_of(keyed, next_key, next_size), to);
    if (ended)
        fed_to(keyed, 0, 0);
    return status;
}

lgkt_status lgkt_keyed_set_horizon(lgkt_keyed *keyed, int64_t horizon)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    return lgkt_learner_set_horizon(keyed->learner, horizon);
}

size_t lgkt_keyed_bytes(const lgkt_keyed *keyed)
{
    return keyed == NULL
               ? 0
               : sizeof *keyed + keyed->pool_capacity + keyed->ends_capacity * sizeof *keyed->ends +
                     keyed->slot_count * sizeof *keyed->slots + lgkt_learner_bytes(keyed->learner) +
                     (keyed->records != NULL ? lgkt_records_bytes(keyed->records) : 0);
}

int32_t lgkt_keyed_states(const lgkt_keyed *keyed)
{
    if (keyed != NULL && keyed->records != NULL)
        return (int32_t)LGKT_ERR_UNSUPPORTED;
    return keyed == NULL ? 0 : keyed->count;
}

int32_t lgkt_keyed_find(const lgkt_keyed *keyed, const void *key, size_t size)
{
    kept_key kept;
    if (keyed != NULL && keyed->records != NULL)
        return (int32_t)LGKT_ERR_UNSUPPORTED;
    if (keyed == NULL || read_key(keyed, key, size, &kept, NULL) != LGKT_OK)
        return -1;
    return keyed->slots[slot_of(keyed, kept.at, kept.size)] - 1;
}

const void *lgkt_keyed_key(const lgkt_keyed *keyed, int32_t number, size_t *size)
{
    const bool is_there = keyed != NULL && keyed->records == NULL && keyed->bins == NULL &&
                          size != NULL && number >= 0 && number < keyed->count;
    return is_there ? key_at(keyed, number, size) : NULL;
}

int32_t lgkt_keyed_dims(const lgkt_keyed *keyed)
{
    if (keyed != NULL && keyed->records != NULL)
        return keyed->records->dims;
    return keyed == NULL || keyed->bins == NULL ? 0 : keyed->bins->dims;
}

bool lgkt_keyed_is(const lgkt_keyed *keyed, int32_t number, const void *key, size_t size)
{
    kept_key kept;
    size_t own_size;
    if (read_key(keyed, key, size, &kept, NULL) != LGKT_OK)
        return false;
    if (keyed->records != NULL)
        return lgkt_records_is(keyed->records, number, kept.record);
    key_at(keyed, number, &own_size);
    return (keyed->bins != NULL && own_size == 0) || is_key(keyed, number, kept.at, kept.size);
}

int64_t lgkt_keyed_warmup(const lgkt_keyed *keyed)
{
    return keyed == NULL || keyed->bins == NULL ? 0 : keyed->bins->warmup - keyed->bins->seen;
}

const lgkt_learner *lgkt_keyed_learner(const lgkt_keyed *keyed)
{
    return keyed == NULL ? NULL : keyed->learner;
}

const char *lgkt_keyed_message(const lgkt_keyed *keyed)
{
    return keyed == NULL ? "keyed must not be NULL" : keyed->learner->refusal.text;
}

// ---- saving and loading ----

static lgkt_status load_learner(lgkt_keyed *k, lgkt_archive *archive,
                                const lgkt_learner_config *config, lgkt_error *error)
{
    visit_keys(k, archive);
    if (archive->bad)
        return lgkt_saved_close(archive, error);
    // the learner has one state before it has seen any
    const int32_t limit =
        k->records != NULL ? 0 : k->set.state_limit; // that of records follows from the actions
    const int32_t states = k->records != NULL ? k->records->count : k->count > 0 ? k->count : 1;
    lgkt_learner_config grown = *config;
    if (config->problem.actions != 0 || config->problem.horizon != 0)
        grown.problem.states = states;
    LGKT_TRY(lgkt_learner_load_on(archive, &grown, k->records, &k->learner, error));
    // it must be one that these keys can have led to
    const lgkt_learner *learner = k->learner;
    const int32_t actions = learner->problem.actions;
    const bool fresh =
        learner->t == 0 && learner->phase == LGKT_PHASE_ACT && learner->next_state < 0;
    if (learner->problem.states != states ||
        learner->limit != (limit > 0 ? limit : record_limit(actions)) ||
        (int64_t)learner->limit * actions > LGKT_MAX_PAIRS ||
        (k->records == NULL && k->count == 0 && !fresh))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the saved learner and its keys do not agree");
    if (k->records != NULL)
        hold_again(k);
    return LGKT_OK;
}

lgkt_status lgkt_keyed_load_archive(lgkt_archive *archive, const lgkt_learner_config *config,
                                    void **made, lgkt_error *error)
{
    lgkt_keyed *k = NULL;
    LGKT_TRY(check_learner(config, error));
    LGKT_TRY(make_keyed(config, &k, error));
    const lgkt_status status = load_learner(k, archive, config, error);
    if (status == LGKT_OK)
        *made = k;
    else
        lgkt_keyed_destroy(k);
    return status;
}

static void destroy(void *object)
{
    lgkt_keyed_destroy(object);
}

// one that is not within units, which hold records too
static lgkt_status load_alone(lgkt_archive *archive, const lgkt_learner_config *config, void **made,
                              lgkt_error *error)
{
    LGKT_TRY(lgkt_keyed_load_archive(archive, config, made, error));
    if (lgkt_keyed_sound(*made))
        return LGKT_OK;
    lgkt_keyed_destroy(*made);
    return lgkt_fail(error, LGKT_ERR_FORMAT, "the saved learner and its records do not agree");
}

static const lgkt_front front = {LGKT_SAVED_KEYED, "keyed", lgkt_keyed_visit_whole, load_alone,
                                 destroy};

uint64_t lgkt_keyed_hash(const lgkt_keyed *keyed)
{
    return lgkt_front_hash(lgkt_keyed_visit_whole, keyed);
}

lgkt_status lgkt_keyed_save(const lgkt_keyed *keyed, void *buffer, size_t capacity, size_t *size,
                            lgkt_error *error)
{
    return lgkt_front_save(&front, keyed, buffer, capacity, size, error);
}

lgkt_status lgkt_keyed_load(const void *buffer, size_t size, const lgkt_learner_config *config,
                            lgkt_keyed **keyed, lgkt_error *error)
{
    return lgkt_front_load(&front, buffer, size, config, keyed, error);
}

lgkt_status lgkt_keyed_copy(const lgkt_keyed *keyed, lgkt_keyed **copy, lgkt_error *error)
{
    return lgkt_front_copy(&front, keyed, lgkt_keyed_learner(keyed), copy, error);
}

lgkt_status lgkt_keyed_ask(const lgkt_keyed *keyed, const void *key, size_t size, lgkt_error *error)
{
    double record[LGKT_RECORD_DIMS];
    LGKT_TRY(lgkt_records_read(keyed->records, key, size, record, error));
    lgkt_records_ask(keyed->records, record);
    return LGKT_OK;
}

// A key that was never seen is numbered by a copy: the law of the first act in a state is that of
// the learner as it is then.
static lgkt_status explain_new(const lgkt_keyed *keyed, const void *key, size_t size,
                               const uint8_t *allowed, lgkt_reason *reasons, size_t reason_size,
                               lgkt_error *error)
{
    lgkt_keyed *copy = NULL;
    int32_t number = -1;
    LGKT_TRY(lgkt_keyed_copy(keyed, &copy, error));
    lgkt_status status = lgkt_keyed_number(copy, key, size, &number);
    if (status == LGKT_OK)
        status = lgkt_learner_explain(copy->learner, number, allowed, reasons, reason_size, error);
    else
        lgkt_fail(error, status, "%s", copy->learner->refusal.text);
    lgkt_keyed_destroy(copy);
    return status;
}

lgkt_status lgkt_keyed_explain(const lgkt_keyed *keyed, const void *key, size_t size,
                               const uint8_t *allowed, lgkt_reason *reasons, size_t reason_size,
                               lgkt_error *error)
{
    if (keyed == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "keyed must not be NULL");
    if (keyed->records != NULL) {
        LGKT_TRY(lgkt_keyed_ask(keyed, key, size, error));
        return lgkt_learner_reasons(keyed->learner, 0, allowed, reasons, reason_size, error);
    }
    const int32_t number = lgkt_keyed_find(keyed, key, size);
    return number >= 0
               ? lgkt_learner_explain(keyed->learner, number, allowed, reasons, reason_size, error)
               : explain_new(keyed, key, size, allowed, reasons, reason_size, error);
}
