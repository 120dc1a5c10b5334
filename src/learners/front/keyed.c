// SPDX-License-Identifier: MIT
// The front end for states that are byte strings (keyed.h).
//
// Keys lie one after the other in one pool, in the order of their numbers; a table of slots with
// linear probing, never more than half full, finds a number by the hash of its key. All memory that
// a step needs, the learner's own included, is taken before anything is changed, so that a refused
// call leaves no trace.
//
// With a view the key that is kept is that of the bins; while the edges are to come it is empty,
// so that all vectors are one state.

#include "learners/front/keyed_private.h"

#include <string.h>

#include "core/alloc.h"
#include "core/archive.h"
#include "core/bins.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/sized.h"
#include "learners/front/learner_private.h"

#define KEY_LIMIT   65536
#define MAX_KEY     (SIZE_MAX / 4)
#define FIRST_SLOTS 64

struct lgkt_keyed {
    lgkt_learner *learner;
    lgkt_allocator allocator;
    lgkt_keyed_config set;
    lgkt_bins *bins; // of the view; NULL: keys are bytes
    int32_t count;   // keys seen

    unsigned char *pool; // (pool_capacity) all keys
    size_t pool_used, pool_capacity;
    size_t *ends; // (ends_capacity) where key i ends in the pool
    size_t ends_capacity;
    int32_t *slots; // (slot_count) number + 1, 0: empty; slot_count is a power of two
    size_t slot_count;

    // Hash of the bytes that the last call named as the next state, if that was a row that was fed
    // and has not ended; else 0. With a view these are the numbers, not their bins.
    uint64_t fed_next;
    lgkt_error refusal;
};

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

static int32_t find_key(const lgkt_keyed *k, const void *key, size_t size)
{
    return k->slots[slot_of(k, key, size)] - 1;
}

// With a view: the vector at `key` becomes the key of its bins, in `own`.
static lgkt_status view_key(const lgkt_keyed *k, const void **key, size_t *size,
                            unsigned char own[LGKT_BINS_KEY], lgkt_error *error)
{
    double values[LGKT_BINS_DIMS];
    const size_t needed = (size_t)k->bins->dims * sizeof *values;
    if (*key == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "key must not be NULL");
    if (*size != needed)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "a state of %zu bytes, but the %d numbers of the view have %zu", *size,
                         k->bins->dims, needed);
    memcpy(values, *key, needed);
    const int32_t nan = lgkt_bins_nan(k->bins, values);
    if (nan >= 0)
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "number %d of the state is NaN", nan);
    *size = lgkt_bins_key(k->bins, values, own);
    *key = own;
    return LGKT_OK;
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

// the number of a key, a new one if it has none
static lgkt_status number_of(lgkt_keyed *k, const void *key, size_t size, int32_t *number)
{
    if (key == NULL && size > 0)
        return lgkt_fail(&k->refusal, LGKT_ERR_ARGUMENT, "key must not be NULL");
    if (size > k->set.key_limit)
        return lgkt_fail(&k->refusal, LGKT_ERR_SHAPE, "a key of %zu bytes, but the limit is %zu",
                         size, k->set.key_limit);
    *number = find_key(k, key, size);
    if (*number >= 0)
        return LGKT_OK;
    if (k->count >= k->set.state_limit)
        return lgkt_fail(&k->refusal, LGKT_ERR_SHAPE, "a new state, but the limit is %d states",
                         k->set.state_limit);
    if (!reserve_key(k, size))
        return lgkt_fail_memory(&k->refusal, "a new state");
    // the learner was made with its first state
    if (k->count > 0) {
        LGKT_TRY(lgkt_learner_add_state(k->learner, &k->refusal));
    }
    const size_t slot = slot_of(k, key, size);
    if (size > 0)
        memcpy(k->pool + k->pool_used, key, size);
    *number = k->count;
    keep_key(k, slot, size);
    return LGKT_OK;
}

void lgkt_keyed_forget(lgkt_keyed *keyed, int32_t count)
{
    lgkt_learner *learner = keyed->learner;
    keyed->count = count;
    keyed->pool_used = count > 0 ? keyed->ends[count - 1] : 0;
    memset(keyed->slots, 0, keyed->slot_count * sizeof *keyed->slots);
    fill_slots(keyed);
    learner->problem.states = count > 0 ? count : 1;
    learner->plain_states = learner->problem.masked ? 0 : learner->problem.states;
}

lgkt_status lgkt_keyed_number(lgkt_keyed *keyed, const void *key, size_t size, int32_t *number)
{
    unsigned char own[LGKT_BINS_KEY];
    lgkt_status status = LGKT_OK;
    if (keyed->bins != NULL)
        status = view_key(keyed, &key, &size, own, &keyed->refusal);
    return status == LGKT_OK ? number_of(keyed, key, size, number) : status;
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

// the learner's own refusal, in our message
static lgkt_status passed_on(lgkt_keyed *k, lgkt_status status)
{
    if (status != LGKT_OK)
        lgkt_fail(&k->refusal, status, "%s", lgkt_learner_message(k->learner));
    return status;
}

// ---- saving ----

// View, limits, secret and keys. Where there is a view the state limit is negative, which none was
// before there were views.
static void visit_keys(lgkt_keyed *k, lgkt_archive *archive)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int64_t key_limit = (int64_t)k->set.key_limit;
    int32_t count = k->count;
    int32_t limit = k->bins != NULL ? -k->set.state_limit : k->set.state_limit;
    lgkt_visit_i32(archive, &limit, 1, -LGKT_MAX_STATES, LGKT_MAX_STATES);
    archive->bad |= limit == 0;
    if (limit < 0)
        lgkt_bins_visit(&k->bins, archive, &k->allocator);
    if (loads)
        k->set.state_limit = limit < 0 ? -limit : limit;
    lgkt_visit_i64(archive, &key_limit, 1, 0, (int64_t)MAX_KEY);
    lgkt_visit_u64(archive, k->set.secret, 2);
    lgkt_visit_u64(archive, &k->fed_next, 1);
    lgkt_visit_i32(archive, &count, 1, 0, k->set.state_limit);
    for (int32_t i = 0; !loads && i < count; i++) {
        size_t size;
        unsigned char *key = (unsigned char *)key_at(k, i, &size);
        int64_t length = (int64_t)size;
        lgkt_visit_i64(archive, &length, 1, 0, length);
        lgkt_visit_bytes(archive, key, size);
    }
    if (!loads)
        return;
    // each is read in place, behind those that are there already
    k->set.key_limit = (size_t)key_limit;
    while (k->count < count && !archive->bad) {
        int64_t length = 0;
        lgkt_visit_i64(archive, &length, 1, 0, key_limit);
        const size_t size = (size_t)length;
        archive->bad |= !archive->bad && size > archive->capacity - archive->at;
        if (!archive->bad && !reserve_key(k, size))
            lgkt_archive_starve(archive);
        if (archive->bad)
            return;
        lgkt_visit_bytes(archive, k->pool + k->pool_used, size);
        const size_t slot = slot_of(k, k->pool + k->pool_used, size);
        // twice the same key is no key
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

lgkt_status lgkt_keyed_check_learner(const lgkt_learner_config *config, lgkt_error *error)
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

static lgkt_keyed *make_keyed(const lgkt_learner_config *config)
{
    const lgkt_allocator allocator = lgkt_allocator_resolve(&config->allocator);
    lgkt_keyed *k = lgkt_alloc_zeroed(&allocator, 1, sizeof *k);
    if (k == NULL)
        return NULL;
    k->allocator = allocator;
    if (grow_slots(k))
        return k;
    lgkt_keyed_destroy(k);
    return NULL;
}

lgkt_status lgkt_keyed_create(const char *spec, const lgkt_learner_config *config,
                              const lgkt_keyed_config *keyed_config, lgkt_keyed **keyed,
                              lgkt_error *error)
{
    if (spec == NULL || keyed == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and keyed must not be NULL");
    lgkt_learner_config first;
    lgkt_status status = lgkt_learner_take_config(config, &first, error);
    if (status == LGKT_OK)
        status = lgkt_keyed_check_learner(&first, error);
    static const lgkt_sized_kind kind = {sizeof(lgkt_keyed_config),
                                         LGKT_SIZE_UP_TO(lgkt_keyed_config, reserved),
                                         "keyed_config", "lgkt_keyed_config_default"};
    lgkt_keyed_config own = lgkt_keyed_config_default();
    const lgkt_keyed_config *set = &own;
    if (status == LGKT_OK)
        status = lgkt_sized_take(&kind, keyed_config, &own, error);
    if (status == LGKT_OK)
        status = lgkt_sized_reserved(set->reserved, sizeof set->reserved / sizeof *set->reserved,
                                     "keyed_config", error);
    if (status != LGKT_OK)
        return status;
    if (set->state_limit < 1 || set->state_limit > LGKT_MAX_STATES)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "state_limit = %d must be in [1, %d]",
                         set->state_limit, LGKT_MAX_STATES);
    if (set->key_limit > MAX_KEY)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "key_limit = %zu must be at most %zu",
                         set->key_limit, MAX_KEY);
    if ((int64_t)set->state_limit * first.problem.actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%d states x %d actions are more than %d pairs",
                         set->state_limit, first.problem.actions, LGKT_MAX_PAIRS);
    lgkt_keyed *k = make_keyed(&first);
    if (k == NULL)
        return lgkt_fail_memory(error, "a keyed learner");
    k->set = *set;
    k->set.view = (lgkt_view){0};
    if (set->view.dims != 0) {
        // the limit is for keys of the caller's
        k->set.key_limit = LGKT_BINS_KEY;
        status = lgkt_bins_create(&set->view, &k->allocator, &k->bins, error);
    }
    if (status != LGKT_OK) {
        lgkt_keyed_destroy(k);
        return status;
    }
    first.problem.states = 1;
    const lgkt_origin origin = {.limit = k->set.state_limit, .saved_bytes = SIZE_MAX};
    status = lgkt_learner_create_from(spec, &first, &origin, &k->learner, error);
    if (status != LGKT_OK) {
        lgkt_keyed_destroy(k);
        return status;
    }
    *keyed = k;
    return LGKT_OK;
}

void lgkt_keyed_destroy(lgkt_keyed *keyed)
{
    if (keyed == NULL)
        return;
    lgkt_learner_destroy(keyed->learner);
    lgkt_bins_destroy(keyed->bins, &keyed->allocator);
    const lgkt_allocator allocator = keyed->allocator;
    lgkt_free(&allocator, keyed->pool);
    lgkt_free(&allocator, keyed->ends);
    lgkt_free(&allocator, keyed->slots);
    lgkt_free(&allocator, keyed);
}

lgkt_status lgkt_keyed_act(lgkt_keyed *keyed, const void *key, size_t size, const uint8_t *allowed,
                           int32_t *action)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_learner *learner = keyed->learner;
    // what the learner would refuse anyway must not leave a new state behind
    if (learner->phase != LGKT_PHASE_ACT || action == NULL)
        return passed_on(keyed, lgkt_learner_act(learner, 0, NULL, action));
    lgkt_status status = LGKT_OK;
    bool full = true;
    if (allowed != NULL)
        status = lgkt_learner_check_mask(learner, allowed, &full, &keyed->refusal);
    unsigned char own[LGKT_BINS_KEY];
    const void *vector = key;
    if (keyed->bins != NULL && status == LGKT_OK)
        status = view_key(keyed, &key, &size, own, &keyed->refusal);
    int32_t number = learner->next_state;
    if (status == LGKT_OK && number >= 0 && !is_key(keyed, number, key, size))
        status = lgkt_fail(&keyed->refusal, LGKT_ERR_PROTOCOL,
                           "act in another state than the one observed, and the run was not cut");
    if (status == LGKT_OK && number < 0)
        status = number_of(keyed, key, size, &number);
    if (status != LGKT_OK)
        return status;
    status = lgkt_learner_act(learner, number, full ? NULL : allowed, action);
    if (status == LGKT_OK) {
        lgkt_keyed_note(keyed, vector);
        keyed->fed_next = 0;
    }
    return passed_on(keyed, status);
}

lgkt_status lgkt_keyed_observe(lgkt_keyed *keyed, double reward, const void *next_key, size_t size,
                               bool ended)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    if (keyed->learner->phase != LGKT_PHASE_OBSERVE || !lgkt_reward_fits(reward))
        return passed_on(keyed, lgkt_learner_observe(keyed->learner, reward, 0, ended));
    if (!lgkt_learner_prepare(keyed->learner))
        return lgkt_fail_memory(&keyed->refusal, "a step");
    int32_t number = -1;
    LGKT_TRY(lgkt_keyed_number(keyed, next_key, size, &number));
    return passed_on(keyed, lgkt_learner_observe(keyed->learner, reward, number, ended));
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
    lgkt_status status = lgkt_learner_check_feed(learner, action, reward, &keyed->refusal);
    if (status != LGKT_OK)
        return status;
    // what the learner would refuse anyway must not leave a new state behind
    if (learner->phase == LGKT_PHASE_OBSERVE)
        return passed_on(keyed, lgkt_learner_feed(learner, 0, action, reward, 0, ended));
    if (!lgkt_learner_prepare(learner))
        return lgkt_fail_memory(&keyed->refusal, "a step");
    const int32_t known = keyed->count;
    int32_t from = 0, to = 0;
    status = lgkt_keyed_number(keyed, key, size, &from);
    if (status == LGKT_OK)
        status = lgkt_keyed_number(keyed, next_key, next_size, &to);
    if (status != LGKT_OK) {
        lgkt_keyed_forget(keyed, known);
        return status;
    }
    if (keyed->fed_next != trail_of(keyed, key, size))
        lgkt_learner_begin(learner);
    keyed->fed_next = ended ? 0 : trail_of(keyed, next_key, next_size);
    return passed_on(keyed, lgkt_learner_feed(learner, from, action, reward, to, ended));
}

lgkt_status lgkt_keyed_set_horizon(lgkt_keyed *keyed, int64_t horizon)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    return passed_on(keyed, lgkt_learner_set_horizon(keyed->learner, horizon));
}

lgkt_learner *lgkt_keyed_own_learner(lgkt_keyed *keyed)
{
    return keyed->learner;
}

size_t lgkt_keyed_own_bytes(const lgkt_keyed *keyed)
{
    return sizeof *keyed + keyed->pool_capacity + keyed->ends_capacity * sizeof *keyed->ends +
           keyed->slot_count * sizeof *keyed->slots;
}

size_t lgkt_keyed_bytes(const lgkt_keyed *keyed)
{
    return keyed == NULL ? 0 : lgkt_keyed_own_bytes(keyed) + lgkt_learner_bytes(keyed->learner);
}

int32_t lgkt_keyed_states(const lgkt_keyed *keyed)
{
    return keyed == NULL ? 0 : keyed->count;
}

int32_t lgkt_keyed_find(const lgkt_keyed *keyed, const void *key, size_t size)
{
    if (keyed == NULL || (key == NULL && size > 0))
        return -1;
    unsigned char own[LGKT_BINS_KEY];
    if (keyed->bins != NULL && view_key(keyed, &key, &size, own, NULL) != LGKT_OK)
        return -1;
    return find_key(keyed, key, size);
}

int32_t lgkt_keyed_dims(const lgkt_keyed *keyed)
{
    return keyed == NULL || keyed->bins == NULL ? 0 : keyed->bins->dims;
}

bool lgkt_keyed_is(const lgkt_keyed *keyed, int32_t number, const void *key, size_t size)
{
    unsigned char own[LGKT_BINS_KEY];
    size_t own_size;
    if (keyed->bins != NULL && view_key(keyed, &key, &size, own, NULL) != LGKT_OK)
        return false;
    key_at(keyed, number, &own_size);
    return (keyed->bins != NULL && own_size == 0) || is_key(keyed, number, key, size);
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
    return keyed == NULL ? "keyed must not be NULL" : keyed->refusal.text;
}

uint64_t lgkt_keyed_hash(const lgkt_keyed *keyed)
{
    lgkt_archive archive = lgkt_archive_hash();
    if (keyed == NULL)
        return 0;
    // a hash only reads, but visits are written for loading too
    lgkt_keyed_visit_whole((void *)keyed, &archive);
    return archive.hash;
}

lgkt_status lgkt_keyed_save(const lgkt_keyed *keyed, void *buffer, size_t capacity, size_t *size,
                            lgkt_error *error)
{
    if (keyed == NULL || size == NULL || (buffer == NULL && capacity > 0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "keyed, size and buffer must not be NULL");
    // saving only reads, but visits are written for loading too
    return lgkt_saved_write(LGKT_SAVED_KEYED, lgkt_keyed_visit_whole, (void *)keyed, buffer,
                            capacity, size, error);
}

lgkt_status lgkt_keyed_load_archive(lgkt_archive *archive, const lgkt_learner_config *config,
                                    lgkt_keyed **keyed, lgkt_error *error)
{
    lgkt_keyed *k = make_keyed(config);
    if (k == NULL)
        return lgkt_fail_memory(error, "a keyed learner");
    lgkt_status status = LGKT_OK;
    visit_keys(k, archive);
    // the learner has one state before it has seen any
    const int32_t states = k->count > 0 ? k->count : 1;
    lgkt_learner_config grown = *config;
    if (config->problem.actions != 0 || config->problem.horizon != 0)
        grown.problem.states = states;
    if (!archive->bad)
        status = lgkt_learner_load_archive(archive, &grown, &k->learner, error);
    if (archive->bad)
        status = lgkt_saved_close(archive, error);
    if (status != LGKT_OK)
        goto fail;
    // it must be one that these keys can have led to
    const lgkt_learner *learner = k->learner;
    const bool fresh =
        learner->t == 0 && learner->phase == LGKT_PHASE_ACT && learner->next_state < 0;
    if (learner->problem.states != states || learner->limit != k->set.state_limit ||
        (int64_t)learner->limit * learner->problem.actions > LGKT_MAX_PAIRS ||
        (k->count == 0 && !fresh)) {
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "the saved learner and its keys do not agree");
        goto fail;
    }
    lgkt_learner_loaded(k->learner);
    *keyed = k;
    return LGKT_OK;
fail:
    lgkt_keyed_destroy(k);
    return status;
}

lgkt_status lgkt_keyed_load(const void *buffer, size_t size, const lgkt_learner_config *config,
                            lgkt_keyed **keyed, lgkt_error *error)
{
    if (keyed == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "keyed must not be NULL");
    lgkt_learner_config own;
    lgkt_status status = lgkt_learner_take_config(config, &own, error);
    if (status == LGKT_OK)
        status = lgkt_keyed_check_learner(&own, error);
    lgkt_archive archive;
    if (status == LGKT_OK)
        status = lgkt_saved_open(LGKT_SAVED_KEYED, buffer, size, &archive, error);
    lgkt_keyed *k = NULL;
    if (status == LGKT_OK)
        status = lgkt_keyed_load_archive(&archive, &own, &k, error);
    if (status == LGKT_OK)
        status = lgkt_saved_close(&archive, error);
    if (status == LGKT_OK)
        *keyed = k;
    else
        lgkt_keyed_destroy(k);
    return status;
}

// by way of a saved state
lgkt_status lgkt_keyed_copy(const lgkt_keyed *keyed, lgkt_keyed **copy, lgkt_error *error)
{
    if (keyed == NULL || copy == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "keyed and copy must not be NULL");
    const lgkt_learner_config config = lgkt_learner_config_of(keyed->learner);
    void *bytes = NULL;
    size_t size = 0;
    lgkt_status status = lgkt_saved_make(LGKT_SAVED_KEYED, lgkt_keyed_visit_whole, (void *)keyed,
                                         &keyed->allocator, &bytes, &size, error);
    if (status == LGKT_OK)
        status = lgkt_keyed_load(bytes, size, &config, copy, error);
    lgkt_free(&keyed->allocator, bytes);
    return status;
}

// A key that was never seen is numbered by a copy: the law of the first act in a state is that of
// the learner as it is then.
lgkt_status lgkt_keyed_explain(const lgkt_keyed *keyed, const void *key, size_t size,
                               const uint8_t *allowed, lgkt_reason *reasons, size_t reason_size,
                               lgkt_error *error)
{
    if (keyed == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "keyed must not be NULL");
    int32_t number = lgkt_keyed_find(keyed, key, size);
    if (number >= 0)
        return lgkt_learner_explain(keyed->learner, number, allowed, reasons, reason_size, error);
    lgkt_keyed *copy = NULL;
    lgkt_status status = lgkt_keyed_copy(keyed, &copy, error);
    if (status != LGKT_OK)
        return status;
    status = lgkt_keyed_number(copy, key, size, &number);
    if (status == LGKT_OK)
        status = lgkt_learner_explain(copy->learner, number, allowed, reasons, reason_size, error);
    else
        lgkt_fail(error, status, "%s", copy->refusal.text);
    lgkt_keyed_destroy(copy);
    return status;
}
