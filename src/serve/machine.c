// SPDX-License-Identifier: MIT
// The machine: what is common to all commands, the config and its changes, erasures, replay.

#include <sodium.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "serve/machine_private.h"

// ---- life ----

srv_machine *srv_machine_create(const lgkt_allocator *allocator)
{
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    if (sodium_init() < 0)
        return NULL;
    srv_machine *m = lgkt_alloc_zeroed(&hooks, 1, sizeof *m);
    if (m != NULL)
        m->allocator = hooks;
    return m;
}

void srv_machine_destroy(srv_machine *m)
{
    if (m == NULL)
        return;
    const lgkt_allocator hooks = m->allocator;
    for (int32_t i = 0; i < m->count; i++) {
        lgkt_free(&hooks, m->all[i].name);
        lgkt_free(&hooks, m->all[i].place);
        lgkt_free(&hooks, m->all[i].times);
    }
    lgkt_free(&hooks, m->all);
    lgkt_free(&hooks, m->slots);
    lgkt_free(&hooks, m->open);
    srv_monitor_release(&m->monitor, &hooks);
    lgkt_units_destroy(m->units);
    srv_programme_release(&m->programme);
    srv_values_release(&m->asked);
    lgkt_free(&hooks, m);
}

void srv_machine_set_reader(srv_machine *m, srv_reader reader)
{
    m->reader = reader;
}

// `label` makes different bytes of the same entropy
static void draw(const unsigned char entropy[32], const char *label, void *bytes, size_t size)
{
    crypto_generichash(bytes, size, (const unsigned char *)label, strlen(label), entropy, 32);
}

void srv_secret(const unsigned char entropy[32], unsigned char secret[32])
{
    draw(entropy, "keys", secret, 32);
}

void srv_draw_secrets(srv_machine *m)
{
    unsigned char bytes[16];
    srv_secret(m->entropy, m->secret);
    draw(m->entropy, "hash", bytes, sizeof bytes);
    for (int i = 0; i < 2; i++)
        m->hash_secret[i] = lgkt_get_u64(bytes + 8 * i);
}

static uint64_t draw_seed(const srv_machine *m)
{
    unsigned char bytes[16];
    draw(m->entropy, "seed", bytes, sizeof bytes);
    return lgkt_get_u64(bytes);
}

// The learner of a programme.
lgkt_status srv_make_units(srv_machine *m, lgkt_error *error)
{
    const srv_programme *p = &m->programme;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = p->kind == SRV_NUMBERED ? p->states : 0;
    config.problem.actions = p->actions;
    config.problem.horizon = p->horizon;
    config.problem.reward_min = p->reward_min;
    config.problem.reward_max = p->reward_max;
    config.problem.reward_sd = p->reward_sd;
    config.problem.masked = (p->traits & LGKT_TRAIT_MASKED) != 0;
    config.seed = p->seed;
    config.allocator = m->allocator;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = p->unit_limit;
    set.patience = p->patience;
    lgkt_kind kinds[SRV_MAX_PARTS];
    for (int32_t i = 0; i < p->parts && p->kind == SRV_RECORDS; i++)
        kinds[i] = (lgkt_kind){.type = p->part[i].count > 0 ? LGKT_KIND_CATEGORY : LGKT_KIND_NUMBER,
                               .count = p->part[i].count};
    if (p->kind != SRV_NUMBERED)
        memcpy(set.keys.secret, m->hash_secret, sizeof set.keys.secret);
    if (p->kind == SRV_KEYED) {
        set.keys.state_limit = p->states;
        set.keys.key_limit = SRV_MAX_STATE;
    } else if (p->kind == SRV_RECORDS) {
        set.keys.view = (lgkt_view){.dims = p->parts, .kinds = kinds};
    }
    LGKT_TRY(lgkt_units_create(p->learner, &config, &set, &m->units, error));
    for (int32_t i = 0; i < p->parts && p->kind == SRV_RECORDS; i++)
        if (lgkt_units_name_feature(m->units, i, p->part[i].name) != LGKT_OK)
            return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "%s", lgkt_units_message(m->units));
    return LGKT_OK;
}

// ---- records ----

void srv_records_release(srv_records *records)
{
    const lgkt_allocator usual = lgkt_allocator_resolve(records->bytes.allocator);
    lgkt_free(&usual, records->entries);
    lgkt_free(&usual, records->stubs);
    srv_bytes_release(&records->bytes);
    *records = (srv_records){.bytes.allocator = records->bytes.allocator};
}

void srv_records_clear(srv_records *records)
{
    records->count = records->stub_count = 0;
    records->bytes.size = 0;
    records->bytes.failed = false;
}

static srv_entry *add_entry(srv_machine *m, const srv_record *record, srv_entry **entries,
                            size_t *capacity, size_t *count, srv_bytes *bytes)
{
    const lgkt_allocator usual = lgkt_allocator_resolve(bytes->allocator);
    void *array = *entries;
    const size_t at = bytes->size;
    if (!lgkt_grow(&usual, &array, capacity, *count, *count + 1, sizeof **entries)) {
        m->broken = true;
        return NULL;
    }
    *entries = array;
    if (!srv_record_encode(record, bytes)) {
        m->broken = true;
        return NULL;
    }
    srv_entry *entry = &(*entries)[(*count)++];
    *entry = (srv_entry){.at = at, .size = bytes->size - at};
    return entry;
}

srv_entry *srv_put_record(srv_machine *m, const srv_record *record, srv_records *records)
{
    srv_entry *entry = add_entry(m, record, &records->entries, &records->capacity, &records->count,
                                 &records->bytes);
    if (entry == NULL)
        return NULL;
    srv_chain(m->head.chain, records->bytes.at + entry->at, entry->size, entry->chain);
    memcpy(m->head.chain, entry->chain, SRV_HASH);
    entry->seq = ++m->head.seq;
    m->time = record->time;
    return entry;
}

void srv_nonce(const srv_command *command, int32_t i, unsigned char nonce[SRV_HASH])
{
    if (i == 0) {
        memcpy(nonce, command->entropy, SRV_HASH);
        return;
    }
    crypto_generichash(nonce, SRV_HASH, (const unsigned char *)&i, sizeof i, command->entropy,
                       sizeof command->entropy);
}

// SipHash-2-4 with 128 bits, under a key of its own for each kind of key and print.
static void hash_under(const unsigned char secret[16], srv_verb verb, const void *bytes,
                       size_t size, unsigned char hash[SRV_HASH])
{
    unsigned char key[crypto_shorthash_siphashx24_KEYBYTES];
    memcpy(key, secret, sizeof key);
    key[0] ^= (unsigned char)verb;
    crypto_shorthash_siphashx24(hash, bytes, size, key);
}

void srv_key(const unsigned char secret[32], srv_verb verb, const char *text, const void *body,
             size_t size, srv_command *command)
{
    const srv_verb kind = verb == SRV_DO_BATCH ? SRV_DO_DECIDE : verb;
    hash_under(secret, kind, text, strlen(text), command->key);
    hash_under(secret + 16, verb, body, size, command->print);
    command->keyed = true;
}

// ---- the config ----

static srv_record begin_record(const srv_machine *m, srv_kind kind, const srv_command *command)
{
    srv_record record = {.kind = kind, .time = m->time, .made = m->made, .replaces = -1};
    if (command != NULL) {
        record.time = command->time > m->time ? command->time : m->time;
        record.keyed = command->keyed;
        memcpy(record.key, command->key, SRV_HASH);
        memcpy(record.print, command->print, SRV_HASH);
    }
    return record;
}

// The programme of a config, with its learner; the machine is empty again on failure.
lgkt_status srv_found(srv_machine *m, json_t *config, lgkt_error *error)
{
    srv_draw_secrets(m);
    lgkt_status status = srv_programme_read(config, draw_seed(m), &m->programme, error);
    if (status == LGKT_OK && m->programme.mode != SRV_LIVE && m->programme.mode != SRV_APPRENTICE)
        status = lgkt_fail(error, LGKT_ERR_CONFIG,
                           "mode is \"%s\", and a programme begins \"live\" or as \"apprentice\"",
                           srv_mode_name(m->programme.mode));
    if (status == LGKT_OK)
        status = srv_make_units(m, error);
    if (status == LGKT_OK && !srv_monitor_create(&m->monitor, m->programme.actions, &m->allocator))
        status = lgkt_fail_memory(error, "a programme");
    if (status == LGKT_OK)
        return LGKT_OK;
    lgkt_units_destroy(m->units);
    m->units = NULL;
    srv_programme_release(&m->programme);
    return status;
}

// With json_dumps a name that memory was out for is left out without a word.
char *srv_json_text(const json_t *json, size_t *size)
{
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY;
    const size_t length = json_dumpb(json, NULL, 0, flags);
    char *text = length > 0 ? malloc(length + 1) : NULL;
    if (text == NULL)
        return NULL;
    if (json_dumpb(json, text, length, flags) != length) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    *size = length;
    return text;
}

// Text of a record: the config, and for a change what it was made by. Freed with free.
char *srv_config_text(const srv_machine *m, const json_t *change, size_t *size)
{
    json_t *both = change != NULL
                       ? json_pack("{sOsO}", "change", change, "config", m->programme.config)
                       : json_incref(m->programme.config);
    char *text = both != NULL ? srv_json_text(both, size) : NULL;
    json_decref(both);
    return text;
}

static void put_config(srv_machine *m, srv_record *record, const json_t *change,
                       srv_records *records, srv_answer *answer)
{
    char *text = srv_config_text(m, change, &record->text_size);
    srv_entry *entry = NULL;
    if (text != NULL) {
        record->text = text;
        entry = srv_put_record(m, record, records);
    }
    free(text);
    m->broken |= entry == NULL;
    if (entry == NULL)
        return;
    m->version = entry->seq;
    answer->status = record->kind == SRV_PROGRAMME ? 201 : 200;
    answer->version = entry->seq;
    answer->body = srv_config_json(m->programme.config, entry->seq, entry->chain);
    m->broken |= answer->body == NULL;
}

// Which lgkt goes on with the programme.
static void sign(srv_machine *m, srv_record *record)
{
    record->numbers = m->numbers = lgkt_numbers();
    snprintf(record->version, sizeof record->version, "%s", lgkt_version());
    memcpy(m->build, record->version, sizeof record->version);
}

static void apply_create(srv_machine *m, const srv_command *command, srv_records *records,
                         srv_answer *answer)
{
    lgkt_error error = {0};
    if (m->units != NULL) {
        srv_problem(answer, 409, "protocol", "there is a programme \"%s\" already",
                    m->programme.name);
        return;
    }
    memcpy(m->entropy, command->entropy, sizeof m->entropy);
    json_t *config = json_deep_copy(command->body);
    const lgkt_status status = config != NULL ? srv_found(m, config, &error) : LGKT_ERR_NO_MEMORY;
    json_decref(config);
    if (status != LGKT_OK) {
        srv_problem_of(answer, status == LGKT_ERR_NO_MEMORY ? status : LGKT_ERR_CONFIG, &error);
        return;
    }
    srv_record record = begin_record(m, SRV_PROGRAMME, command);
    sign(m, &record);
    memcpy(record.entropy, m->entropy, sizeof m->entropy);
    put_config(m, &record, NULL, records, answer);
}

// Applies a change; what fails after the programme was changed breaks the machine.
lgkt_status srv_change_config(srv_machine *m, const json_t *body, lgkt_error *error)
{
    const srv_programme before = m->programme;
    if (before.mode == SRV_SEALED)
        return lgkt_fail(error, LGKT_ERR_PROTOCOL,
                         "the programme is sealed: nothing changes any more");
    LGKT_TRY(srv_programme_change(&m->programme, body, m->made, error));
    if (m->programme.horizon != before.horizon) {
        const lgkt_status status = lgkt_units_set_horizon(m->units, m->programme.horizon, 0);
        m->broken = status != LGKT_OK;
    }
    if (m->programme.limits > 0 || before.limits > 0)
        m->broken |= !srv_move_limits(m, &before);
    return LGKT_OK;
}

static void apply_change(srv_machine *m, const srv_command *command, srv_records *records,
                         srv_answer *answer)
{
    lgkt_error error = {0};
    if (command->match >= 0 && command->match != m->version) {
        srv_problem(answer, 412, "version", "the config is version %lld by now, and not %lld",
                    (long long)m->version, (long long)command->match);
        return;
    }
    const lgkt_status status = srv_change_config(m, command->body, &error);
    if (status != LGKT_OK) {
        srv_problem_of(answer, status, &error);
        return;
    }
    srv_record record = begin_record(m, SRV_CHANGE, command);
    put_config(m, &record, command->body, records, answer);
}

// ---- erasure ----

// Stubs for all records of a unit.
static lgkt_status put_stubs(srv_machine *m, int32_t unit, srv_records *records, lgkt_error *error)
{
    for (int64_t seq = m->all[unit].last; seq > 0;) {
        const void *bytes;
        size_t size;
        unsigned char chain[SRV_HASH];
        srv_record record;
        srv_record_room room;
        if (m->reader.read == NULL)
            return lgkt_fail(error, LGKT_ERR_IO, "there is no log to erase from");
        LGKT_TRY(m->reader.read(m->reader.ctx, seq, &bytes, &size, chain, error));
        LGKT_TRY(srv_record_decode(bytes, size, &record, &room, error));
        const srv_record stub = {.kind = SRV_STUB,
                                 .time = record.time,
                                 .made = record.made,
                                 .unit = unit,
                                 .before = record.before,
                                 .decision = record.decision,
                                 .told = (uint32_t)record.kind,
                                 .replaces = -1};
        srv_entry *entry = add_entry(m, &stub, &records->stubs, &records->stub_capacity,
                                     &records->stub_count, &records->bytes);
        if (entry == NULL)
            return lgkt_fail_memory(error, "an erasure");
        entry->seq = seq;
        seq = record.before;
    }
    return LGKT_OK;
}

// The unit leaves; its open decisions are closed to reports.
lgkt_status srv_erase_unit(srv_machine *m, int32_t unit)
{
    const lgkt_status status = lgkt_units_leave(m->units, (uint64_t)unit);
    srv_drop_unit(m, unit);
    return status;
}

static void apply_erasure(srv_machine *m, const srv_command *command, srv_records *records,
                          srv_answer *answer)
{
    lgkt_error error = {0};
    const int32_t unit =
        command->unit != NULL ? srv_find_unit(m, command->unit, strlen(command->unit)) : -1;
    if (unit < 0) {
        srv_problem(answer, 404, "unknown", "there is no such unit");
        return;
    }
    lgkt_status status = put_stubs(m, unit, records, &error);
    if (status != LGKT_OK) {
        records->stub_count = 0;
        srv_problem_of(answer, LGKT_ERR_IO, &error);
        return;
    }
    srv_record record = begin_record(m, SRV_ERASURE, command);
    record.keyed = false;
    record.unit = unit;
    record.before = m->all[unit].last;
    srv_nonce(command, 0, record.nonce);
    m->broken |= srv_erase_unit(m, unit) != LGKT_OK;
    const srv_entry *entry = m->broken ? NULL : srv_put_record(m, &record, records);
    if (entry == NULL)
        return;
    char receipt[SRV_RECEIPT], name[32];
    snprintf(name, sizeof name, "erased-%d", unit);
    answer->status = 200;
    answer->body = json_pack("{sssIss}", "unit", name, "seq", (json_int_t)entry->seq, "receipt",
                             srv_receipt(entry->chain, receipt));
    m->broken |= answer->body == NULL;
}

void srv_machine_adopt(srv_machine *m, int64_t time, srv_records *records)
{
    const srv_command now = {.time = time};
    srv_record record = begin_record(m, SRV_BUILD, &now);
    sign(m, &record);
    srv_put_record(m, &record, records);
}

// ---- commands ----

void srv_machine_apply(srv_machine *m, const srv_command *given, srv_records *records,
                       srv_answer *answer)
{
    const size_t count = records->count, size = records->bytes.size;
    srv_command own = *given;
    const srv_command *command = &own;
    *answer = (srv_answer){0};
    if (m->broken) {
        srv_problem(answer, 503, "no-memory",
                    "memory was out: the programme is made anew from its records");
        return;
    }
    if (m->units == NULL && command->verb != SRV_DO_CREATE) {
        srv_problem(answer, 404, "unknown", "there is no programme");
        return;
    }
    if (own.asked == NULL && own.body != NULL && srv_verb_asks(own.verb)) {
        if (!srv_values_of(&m->asked, own.body)) {
            srv_problem(answer, 503, "no-memory", "memory is out");
            return;
        }
        own.asked = m->asked.at;
    }
    switch (command->verb) {
    case SRV_DO_CREATE:
        apply_create(m, command, records, answer);
        break;
    case SRV_DO_DECIDE:
    case SRV_DO_BATCH:
    case SRV_DO_TAKE:
        srv_apply_decisions(m, command, records, answer);
        break;
    case SRV_DO_REPORT:
        srv_apply_reports(m, command, records, answer);
        break;
    case SRV_DO_CHANGE:
        apply_change(m, command, records, answer);
        break;
    case SRV_DO_ERASE:
        apply_erasure(m, command, records, answer);
        break;
    default:
        srv_look(m, command, answer);
    }
    if (m->broken) {
        // what this command wrote is no record: nobody is told of it
        records->count = count;
        records->stub_count = 0;
        records->bytes.size = size;
        records->bytes.failed = false;
        srv_problem(answer, 503, "no-memory", "memory is out");
    } else if (records->count > count) {
        answer->seq = m->head.seq;
        memcpy(answer->chain, m->head.chain, SRV_HASH);
    }
}

// ---- for its owner ----

bool srv_machine_broken(const srv_machine *m)
{
    return m != NULL && m->broken;
}

bool srv_machine_ready(const srv_machine *m)
{
    return m->units != NULL;
}

const char *srv_machine_name(const srv_machine *m)
{
    return m->units != NULL ? m->programme.name : "";
}

srv_head srv_machine_head(const srv_machine *m)
{
    return m->head;
}

int64_t srv_machine_time(const srv_machine *m)
{
    return m->time;
}

int64_t srv_machine_made(const srv_machine *m)
{
    return m->made;
}

int srv_machine_lights(const srv_machine *m, srv_light *lights)
{
    return srv_monitor_lights(&m->monitor, &m->programme, m->made, lights);
}

const unsigned char *srv_machine_secret(const srv_machine *m)
{
    return m->secret;
}

int32_t srv_machine_numbers(const srv_machine *m)
{
    return m->numbers;
}

const char *srv_machine_build(const srv_machine *m)
{
    return m->build;
}

size_t srv_machine_bytes(const srv_machine *m)
{
    return sizeof *m + (m->units != NULL ? lgkt_units_bytes(m->units) : 0) +
           m->capacity * sizeof *m->all + (size_t)m->count * 64 +
           (size_t)m->slot_count * sizeof *m->slots + (size_t)m->ring * sizeof *m->open;
}
