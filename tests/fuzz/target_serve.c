// SPDX-License-Identifier: MIT
// Any lines as what is asked of a programme: the first is its config, each further one a letter for
// the verb, a letter for the key, and a body. Whatever is asked, the answer is whole and of a kind that
// is told, and the records make the same programme again.

#include "fuzz/fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ref/serve_run.h"
#include "ref/serve_values.h"

enum { MOST_LINES = 40, MEMORY = 64 << 20 };

static const char usual[] =
    "{\"name\":\"a\",\"learner\":\"auto\",\"actions\":[\"x\",\"y\",\"z\"],\"state\":[{\"name\":"
    "\"s\","
    "\"values\":3}],\"horizon\":500,\"unit_limit\":8,\"patience\":40,\"seed\":1,\"floor\":0.05,"
    "\"fallback\":[0.5,0.5,0],\"limits\":[{\"action\":\"z\",\"max\":1,\"window\":\"P1D\"}]}";

static const struct {
    char letter;
    srv_verb verb;
} verbs[] = {{'D', SRV_DO_DECIDE},   {'B', SRV_DO_BATCH},   {'T', SRV_DO_TAKE},
             {'R', SRV_DO_REPORT},   {'C', SRV_DO_CHANGE},  {'X', SRV_DO_ERASE},
             {'E', SRV_DO_EXPLAIN},  {'P', SRV_DO_POLICY},  {'U', SRV_DO_UNIT},
             {'N', SRV_DO_DECISION}, {'M', SRV_DO_MONITOR}, {'S', SRV_DO_SHOW}};

static void check_answer(serve_run *run, int status)
{
    static const int known[] = {200, 201, 404, 409, 410, 412, 422, 503};
    bool good = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        good = good || known[i] == status;
    FUZZ_CHECK(good);
    FUZZ_CHECK(status != 503 || run->memory->refused > 0);
    if (status < 400)
        return;
    const char *detail = json_string_value(json_object_get(run->answer.body, "detail"));
    FUZZ_CHECK(run->answer.body == NULL || (detail != NULL && detail[0] != '\0'));
}

// One line, of which the body is not zero-terminated. Whether it erased a unit.
static bool ask(serve_run *run, const char *line, size_t size)
{
    char key[2] = "k";
    bool erased = false;
    if (size < 2)
        return false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (verbs[i].letter != line[0])
            continue;
        json_t *body =
            json_loadb(line + 2, size - 2, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
        srv_values plain = {0};
        FUZZ_CHECK(!srv_values_read(&plain, line + 2, size - 2) ||
                   serve_values_agree(&plain, body));
        srv_values_release(&plain);
        // a unit or a number is in the path and always there
        const bool named = verbs[i].verb == SRV_DO_UNIT || verbs[i].verb == SRV_DO_ERASE;
        key[0] = line[1];
        const bool keyed = srv_verb_needs_key(verbs[i].verb);
        if ((body != NULL || verbs[i].verb >= SRV_DO_POLICY) && (!named || json_is_string(body))) {
            const int status = serve_run_json(run, verbs[i].verb, keyed ? key : NULL, body);
            check_answer(run, status);
            erased = verbs[i].verb == SRV_DO_ERASE && status == 200;
        }
        json_decref(body);
    }
    return erased;
}

void fuzz_serve(const uint8_t *data, size_t size)
{
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    const lgkt_allocator hooks = fault_allocator(&memory);
    serve_run *run = serve_run_empty(&hooks);
    FUZZ_CHECK(run != NULL);
    run->memory = &memory;
    const char *at = (const char *)data, *end = at + size;
    bool erased = false;
    for (int number = 0; number < MOST_LINES && at < end && !srv_machine_broken(run->machine);
         number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop != NULL ? stop : end) - at);
        if (number == 0) {
            json_t *config = json_loadb(at, length, JSON_REJECT_DUPLICATES, NULL);
            if (config != NULL)
                check_answer(run, serve_run_json(run, SRV_DO_CREATE, "create", config));
            json_decref(config);
            if (!srv_machine_ready(run->machine))
                FUZZ_CHECK(serve_run_do(run, SRV_DO_CREATE, "usual", usual) == 201);
        } else {
            erased = ask(run, at, length) || erased;
        }
        at += length + 1;
    }
    // what was before an erasure cannot be replayed
    if (memory.refused == 0 && srv_machine_ready(run->machine))
        (erased ? serve_run_check_snapshot : serve_run_check)(run);
    serve_run_free(run);
    FUZZ_CHECK(fault_is_clean(&memory));
}
