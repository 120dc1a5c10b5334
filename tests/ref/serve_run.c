// SPDX-License-Identifier: MIT
#include "ref/serve_run.h"

#include "core/alloc.h"
#include "core/hash.h"
#include "ref/serve_answer.h"
#include "test.h"

static const unsigned char NO_SECRET[32];

static lgkt_status read_log(void *ctx, int64_t seq, const void **bytes, size_t *size,
                            unsigned char chain[SRV_HASH], lgkt_error *error)
{
    const serve_log *log = ctx;
    if (seq < 1 || (size_t)seq > log->count)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "no record %lld", (long long)seq);
    const srv_entry *entry = &log->entries[seq - 1];
    *bytes = log->bytes.at + entry->at;
    *size = entry->size;
    memcpy(chain, entry->chain, SRV_HASH);
    return LGKT_OK;
}

serve_run *serve_run_empty(const lgkt_allocator *allocator)
{
    serve_run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->time = INT64_C(1700000000000000);
    run->allocator = allocator;
    run->machine = srv_machine_create(allocator);
    if (run->machine == NULL) {
        free(run);
        return NULL;
    }
    srv_machine_set_reader(run->machine, (srv_reader){read_log, &run->log});
    return run;
}

serve_run *serve_run_make(const char *config)
{
    serve_run *run = serve_run_empty(NULL);
    if (serve_run_do(run, SRV_DO_CREATE, "create", config) != 201)
        fail_msg("%s", serve_run_text(run));
    return run;
}

void serve_run_free(serve_run *run)
{
    srv_machine_destroy(run->machine);
    srv_answer_release(&run->answer);
    srv_bytes_release(&run->log.bytes);
    free(run->log.entries);
    free(run->text);
    free(run);
}

static void keep(serve_log *log, const srv_records *records)
{
    static const lgkt_allocator usual = {0};
    const lgkt_allocator hooks = lgkt_allocator_resolve(&usual);
    void *entries = log->entries;
    assert_true(lgkt_grow(&hooks, &entries, &log->capacity, log->count, log->count + records->count,
                          sizeof *log->entries));
    log->entries = entries;
    for (size_t i = 0; i < records->count; i++) {
        srv_entry *entry = &log->entries[log->count++];
        *entry = records->entries[i];
        assert_int_equal(entry->seq, log->count);
        const size_t at = entry->at;
        const unsigned char *key = srv_record_key(records->bytes.at + at, entry->size);
        assert_true(log->count <= SERVE_LOG);
        log->keyed[log->count - 1] = key != NULL;
        if (key != NULL)
            memcpy(log->keys[log->count - 1], key, SRV_HASH);
        entry->at = log->bytes.size;
        srv_bytes_put(&log->bytes, records->bytes.at + at, entry->size);
    }
    for (size_t i = 0; i < records->stub_count; i++) {
        srv_entry *entry = &log->entries[records->stubs[i].seq - 1];
        entry->at = log->bytes.size;
        entry->size = records->stubs[i].size;
        srv_bytes_put(&log->bytes, records->bytes.at + records->stubs[i].at, entry->size);
    }
    assert_false(log->bytes.failed);
}

// The record with a key; 0: none. An erased one has its key no more, but the index does.
static int64_t find(const serve_run *run, const unsigned char key[SRV_HASH])
{
    for (size_t i = 0; i < run->log.count; i++)
        if (run->log.keyed[i] && memcmp(run->log.keys[i], key, SRV_HASH) == 0)
            return (int64_t)i + 1;
    return 0;
}

int serve_run_json(serve_run *run, srv_verb verb, const char *key, const json_t *body)
{
    srv_command command = {
        .verb = verb, .time = run->time += 1000000, .body = body, .match = -1, .replaces = -1};
    for (int i = 0; i < 4; i++)
        lgkt_put_u64(command.entropy + 8 * i, lgkt_splitmix(&run->drawn));
    char *text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);
    if (verb == SRV_DO_UNIT || verb == SRV_DO_ERASE)
        command.unit = json_string_value(body);
    if (verb == SRV_DO_DECISION)
        command.number = json_integer_value(body);
    srv_answer_release(&run->answer);
    int64_t seq = 0;
    if (key != NULL && text != NULL) {
        const bool ready = srv_machine_ready(run->machine);
        srv_key(ready ? srv_machine_secret(run->machine) : NO_SECRET, verb, key, text, strlen(text),
                &command);
        seq = find(run, command.key);
    }
    if (verb == SRV_DO_TAKE && key != NULL && seq == 0) {
        srv_command other = command;
        srv_key(srv_machine_secret(run->machine), SRV_DO_DECIDE, key, "", 0, &other);
        const int64_t before = find(run, other.key);
        srv_record record;
        srv_record_room room;
        const srv_entry *entry = before > 0 ? &run->log.entries[before - 1] : NULL;
        if (entry != NULL && srv_record_decode(run->log.bytes.at + entry->at, entry->size, &record,
                                               &room, NULL) == LGKT_OK)
            command.replaces = record.decision;
    }
    free(text);
    if (seq > 0) {
        srv_machine_again(run->machine, &command, seq, &run->answer);
        serve_answer_read(&run->answer);
        return run->answer.status;
    }
    srv_records records = {.bytes.allocator = run->allocator};
    if (run->memory != NULL)
        fault_fail_at(run->memory, run->fail_at, false);
    srv_machine_apply(run->machine, &command, &records, &run->answer);
    if (run->memory != NULL)
        fault_fail_at(run->memory, 0, false);
    serve_answer_read(&run->answer);
    keep(&run->log, &records);
    srv_records_release(&records);
    return run->answer.status;
}

int serve_run_do(serve_run *run, srv_verb verb, const char *key, const char *body)
{
    json_error_t error;
    json_t *json = verb == SRV_DO_UNIT || verb == SRV_DO_ERASE ? json_string(body)
                   : body != NULL ? json_loads(body, JSON_DECODE_ANY, &error)
                                  : NULL;
    if (body != NULL && json == NULL)
        fail_msg("%s: %s", error.text, body);
    const int status = serve_run_json(run, verb, key, json);
    json_decref(json);
    return status;
}

const char *serve_run_text(serve_run *run)
{
    free(run->text);
    run->text = json_dumps(run->answer.body, JSON_COMPACT | JSON_ENCODE_ANY);
    return run->text != NULL ? run->text : "";
}

double serve_run_number(const serve_run *run, const char *name)
{
    const json_t *value = json_object_get(run->answer.body, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

srv_machine *serve_run_replay(const serve_run *run, size_t count, lgkt_error *error)
{
    srv_machine *machine = srv_machine_create(run->allocator);
    assert_non_null(machine);
    for (size_t i = 0; i < count; i++) {
        const srv_entry *entry = &run->log.entries[i];
        if (srv_machine_replay(machine, run->log.bytes.at + entry->at, entry->size, entry->chain,
                               error) != LGKT_OK) {
            srv_machine_destroy(machine);
            return NULL;
        }
    }
    return machine;
}

void serve_run_rebuild(serve_run *run)
{
    lgkt_error error = {0};
    srv_machine_destroy(run->machine);
    run->machine = serve_run_replay(run, run->log.count, &error);
    if (run->machine == NULL)
        fail_msg("%s", error.text);
    srv_machine_set_reader(run->machine, (srv_reader){read_log, &run->log});
}

static void check_same(srv_machine *a, srv_machine *b)
{
    const srv_head one = srv_machine_head(a), other = srv_machine_head(b);
    assert_int_equal(one.seq, other.seq);
    assert_memory_equal(one.chain, other.chain, SRV_HASH);
    assert_true(srv_machine_hash(a) != 0);
    assert_true(srv_machine_hash(a) == srv_machine_hash(b));
}

void serve_run_check(serve_run *run)
{
    lgkt_error error = {0};
    srv_machine *again = serve_run_replay(run, run->log.count, &error);
    if (again == NULL)
        fail_msg("%s", error.text);
    check_same(run->machine, again);
    srv_machine_destroy(again);
    serve_run_check_snapshot(run);
}

void serve_run_check_snapshot(serve_run *run)
{
    lgkt_error error = {0};
    srv_bytes bytes = {0};
    assert_ok(srv_machine_save(run->machine, &bytes, &error), error);
    srv_machine *again = srv_machine_create(NULL);
    assert_ok(srv_machine_load(again, bytes.at, bytes.size, &error), error);
    check_same(run->machine, again);
    srv_machine_destroy(again);
    srv_bytes_release(&bytes);
}
