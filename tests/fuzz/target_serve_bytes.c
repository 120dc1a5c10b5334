// SPDX-License-Identifier: MIT
// Any bytes behind a letter: R, a record, which encoded again is the same; L, a log of records, each
// behind its length in two bytes, that is replayed; S, a snapshot, which is the same when it is
// saved again, and can be gone on with.

#include "fuzz/fuzz.h"

#include <string.h>

#include "serve/machine.h"

enum { MEMORY = 16 << 20, COMMANDS = 12 };

static void check_record(const uint8_t *data, size_t size)
{
    srv_record record;
    srv_record_room room;
    srv_bytes again = {0};
    lgkt_error error = {0};
    const lgkt_status status = srv_record_decode(data, size, &record, &room, &error);
    fuzz_check_outcome(status, &error);
    if (status != LGKT_OK)
        return;
    FUZZ_CHECK(srv_record_encode(&record, &again));
    FUZZ_CHECK(again.size == size && memcmp(again.at, data, size) == 0);
    FUZZ_CHECK(srv_record_difference(&record, &record) == NULL);
    srv_bytes_release(&again);
}

static void play(srv_machine *machine)
{
    static const char *const bodies[] = {"{\"unit\":\"a\",\"state\":{\"s\":1}}",
                                         "[{\"decision\":3,\"reward\":1}]",
                                         "{\"mode\":\"fallback\"}", NULL};
    static const srv_verb verbs[] = {SRV_DO_DECIDE, SRV_DO_REPORT, SRV_DO_CHANGE, SRV_DO_MONITOR};
    srv_records records = {0};
    for (int i = 0; i < COMMANDS; i++) {
        json_t *body = bodies[i % 4] != NULL ? json_loads(bodies[i % 4], 0, NULL) : NULL;
        const srv_command command = {
            .verb = verbs[i % 4], .time = i, .body = body, .match = -1, .replaces = -1};
        srv_answer answer = {0};
        srv_machine_apply(machine, &command, &records, &answer);
        FUZZ_CHECK(answer.status >= 200 && answer.status < 504);
        srv_answer_release(&answer);
        json_decref(body);
    }
    srv_records_release(&records);
}

static void check_snapshot(srv_machine *machine, const uint8_t *data, size_t size,
                           const lgkt_allocator *hooks)
{
    lgkt_error error = {0};
    const lgkt_status status = srv_machine_load(machine, data, size, &error);
    fuzz_check_outcome(status, &error);
    if (status != LGKT_OK)
        return;
    srv_bytes saved = {.allocator = hooks}, again = {.allocator = hooks};
    srv_machine *copy = srv_machine_create(hooks);
    if (copy != NULL && srv_machine_save(machine, &saved, &error) == LGKT_OK &&
        srv_machine_load(copy, saved.at, saved.size, &error) == LGKT_OK &&
        srv_machine_save(copy, &again, &error) == LGKT_OK)
        FUZZ_CHECK(saved.size == again.size && memcmp(saved.at, again.at, saved.size) == 0);
    srv_bytes_release(&saved);
    srv_bytes_release(&again);
    srv_machine_destroy(copy);
    play(machine);
}

void fuzz_serve_bytes(const uint8_t *data, size_t size)
{
    if (size < 1)
        return;
    const uint8_t *at = data + 1, *end = data + size;
    if (data[0] == 'R') {
        check_record(at, size - 1);
        return;
    }
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    const lgkt_allocator hooks = fault_allocator(&memory);
    srv_machine *machine = srv_machine_create(&hooks);
    FUZZ_CHECK(machine != NULL);
    if (data[0] == 'S')
        check_snapshot(machine, at, size - 1, &hooks);
    lgkt_status status = LGKT_OK;
    while (data[0] == 'L' && status == LGKT_OK && end - at >= 2) {
        const size_t length = (size_t)(at[0] | at[1] << 8);
        lgkt_error error = {0};
        at += 2;
        if (length > (size_t)(end - at))
            break;
        status = srv_machine_replay(machine, at, length, NULL, &error);
        fuzz_check_outcome(status, &error);
        at += length;
    }
    srv_machine_destroy(machine);
    FUZZ_CHECK(fault_is_clean(&memory));
}
