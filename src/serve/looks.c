// SPDX-License-Identifier: MIT
// Answers: problems, what records say as JSON, and commands that only look.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "serve/answer_text.h"
#include "serve/machine_private.h"

// ---- JSON that is whole or not there ----

static void end_put(json_t **whole, int failed)
{
    if (failed == 0)
        return;
    json_decref(*whole);
    *whole = NULL;
}

void srv_json_put(json_t **object, const char *name, json_t *value)
{
    end_put(object, json_object_set_new_nocheck(*object, name, value));
}

void srv_json_add(json_t **list, json_t *value)
{
    end_put(list, json_array_append_new(*list, value));
}

// ---- problems ----

void srv_answer_release(srv_answer *answer)
{
    json_decref(answer->body);
    answer->body = NULL;
    srv_bytes_release(&answer->text);
}

void srv_problem(srv_answer *answer, int status, const char *type, const char *format, ...)
{
    lgkt_error error = {0};
    char text[512], name[64];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    lgkt_fail(&error, LGKT_ERR_ARGUMENT, "%s", text); // one line of UTF-8
    snprintf(name, sizeof name, "/problems/%s", type);
    srv_answer_release(answer);
    *answer = (srv_answer){.status = status};
    answer->body = json_pack("{sssiss}", "type", name, "status", status, "detail", error.text);
}

void srv_problem_of(srv_answer *answer, lgkt_status status, const lgkt_error *error)
{
    static const struct {
        lgkt_status status;
        int code;
        const char *type;
    } kinds[] = {
        {LGKT_ERR_ARGUMENT, 422, "argument"},
        {LGKT_ERR_NOT_FINITE, 422, "argument"},
        {LGKT_ERR_CONFIG, 422, "config"},
        {LGKT_ERR_PROTOCOL, 409, "protocol"},
        {LGKT_ERR_HORIZON, 409, "horizon"},
        {LGKT_ERR_SHAPE, 409, "limit"},
        {LGKT_ERR_UNSUPPORTED, 409, "unsupported"},
        {LGKT_ERR_NO_MEMORY, 503, "no-memory"},
        {LGKT_ERR_IO, 503, "store"},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && kinds[i].status != status)
        i++;
    const bool known = i < sizeof kinds / sizeof *kinds;
    srv_problem(answer, known ? kinds[i].code : 422, known ? kinds[i].type : "config", "%s",
                error->text[0] != '\0' ? error->text : lgkt_status_text(status));
}

// ---- records as JSON ----

json_t *srv_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// {action: value, ..}
static json_t *by_action(const srv_machine *m, const double *values)
{
    json_t *object = json_object();
    for (int32_t a = 0; a < m->programme.actions; a++)
        srv_json_put(&object, m->programme.action_names[a], srv_json_real(values[a]));
    return object;
}

void srv_say_decision(const srv_machine *m, const srv_record *r, int64_t seq,
                      const unsigned char chain[SRV_HASH], srv_bytes *text)
{
    char receipt[SRV_RECEIPT];
    const srv_programme *p = &m->programme;
    srv_say(text, "{\"action\":");
    srv_say_text(text, p->action_names[r->action]);
    if (r->cause != SRV_NO_CAUSE) {
        srv_say(text, ",\"cause\":");
        srv_say_text(text, srv_cause_name(r->cause));
    }
    srv_say(text, ",\"decision\":");
    srv_say_integer(text, r->decision);
    srv_say(text, ",\"probability\":");
    srv_say_real(text, r->probability);
    srv_say(text, ",\"propensities\":");
    for (int32_t i = 0; r->law != NULL && i < p->actions; i++) {
        srv_say(text, i == 0 ? "{" : ",");
        srv_say_text(text, p->action_names[p->by_name[i]]);
        srv_say(text, ":");
        srv_say_real(text, r->law[p->by_name[i]]);
    }
    srv_say(text, r->law != NULL ? "},\"receipt\":\"" : "null,\"receipt\":\"");
    srv_say(text, srv_receipt(chain, receipt));
    if (r->replaces >= 0) {
        srv_say(text, "\",\"replaced\":");
        srv_say_integer(text, r->replaces);
    }
    srv_say(text, r->replaces >= 0 ? ",\"seq\":" : "\",\"seq\":");
    srv_say_integer(text, seq);
    srv_say(text, ",\"source\":");
    srv_say_text(text, srv_source_name(r->source));
    srv_say(text, "}");
}

// The same as a tree, to which more is added. jansson does not read the text: where memory is out it
// loses letters without a word.
static json_t *decision_json(const srv_machine *m, const srv_record *r, int64_t seq,
                             const unsigned char chain[SRV_HASH])
{
    char receipt[SRV_RECEIPT];
    json_t *law = r->law != NULL ? by_action(m, r->law) : json_null();
    json_t *answer = json_pack("{sIsssososssIss}", "decision", (json_int_t)r->decision, "action",
                               m->programme.action_names[r->action], "probability",
                               srv_json_real(r->probability), "propensities", law, "source",
                               srv_source_name(r->source), "seq", (json_int_t)seq, "receipt",
                               srv_receipt(chain, receipt));
    if (r->cause != SRV_NO_CAUSE)
        srv_json_put(&answer, "cause", json_string(srv_cause_name(r->cause)));
    if (r->replaces >= 0)
        srv_json_put(&answer, "replaced", json_integer(r->replaces));
    return answer;
}

json_t *srv_config_json(const json_t *config, int64_t seq, const unsigned char chain[SRV_HASH])
{
    char receipt[SRV_RECEIPT];
    json_t *answer = json_deep_copy(config);
    srv_json_put(&answer, "version", json_integer(seq));
    srv_json_put(&answer, "receipt", json_string(srv_receipt(chain, receipt)));
    return answer;
}

// ---- older records ----

// A record of the log, decoded; its texts live until the next one is read.
static lgkt_status read_record(const srv_machine *m, int64_t seq, srv_record *record,
                               srv_record_room *room, unsigned char chain[SRV_HASH],
                               lgkt_error *error)
{
    const void *bytes;
    size_t size;
    if (m->reader.read == NULL)
        return lgkt_fail(error, LGKT_ERR_IO, "there is no log to read");
    LGKT_TRY(m->reader.read(m->reader.ctx, seq, &bytes, &size, chain, error));
    return srv_record_decode(bytes, size, record, room, error);
}

// The answer of the command whose first record this is.
static lgkt_status repeat(const srv_machine *m, int64_t seq, srv_answer *answer, lgkt_error *error)
{
    srv_record r;
    srv_record_room room;
    LGKT_TRY(read_record(m, seq, &r, &room, answer->chain, error));
    answer->seq = seq;
    if (r.kind == SRV_PROGRAMME || r.kind == SRV_CHANGE) {
        json_t *text = json_loadb(r.text, r.text_size, 0, NULL);
        const json_t *config = r.kind == SRV_CHANGE ? json_object_get(text, "config") : text;
        answer->body = srv_config_json(config, seq, answer->chain);
        json_decref(text);
        answer->status = r.kind == SRV_PROGRAMME ? 201 : 200;
        answer->version = seq;
        return LGKT_OK;
    }
    if (r.kind == SRV_STUB)
        return LGKT_ERR_HORIZON;
    answer->status = 201;
    srv_say_decision(m, &r, seq, answer->chain, &answer->text);
    return answer->text.failed ? lgkt_fail_memory(error, "an answer") : LGKT_OK;
}

static lgkt_status repeat_batch(const srv_machine *m, int64_t first, int32_t items,
                                srv_answer *answer, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    for (int32_t i = 0; i < items && status == LGKT_OK; i++) {
        srv_say(&answer->text, i == 0 ? "{\"decisions\":[" : ",");
        status = repeat(m, first + i, answer, error);
    }
    srv_say(&answer->text, "]}");
    return status;
}

void srv_machine_again(srv_machine *m, const srv_command *command, int64_t seq, srv_answer *answer)
{
    srv_record r;
    srv_record_room room;
    lgkt_error error = {0};
    *answer = (srv_answer){0};
    lgkt_status status = read_record(m, seq, &r, &room, answer->chain, &error);
    if (status == LGKT_OK && r.kind != SRV_STUB && memcmp(r.print, command->print, SRV_HASH) != 0) {
        srv_problem(answer, 422, "key-reused",
                    "the Idempotency-Key was used before, with another request");
        return;
    }
    if (status == LGKT_OK)
        status = command->verb == SRV_DO_BATCH ? repeat_batch(m, seq, r.items, answer, &error)
                                               : repeat(m, seq, answer, &error);
    if (status == LGKT_ERR_HORIZON || (status == LGKT_OK && r.kind == SRV_STUB))
        srv_problem(answer, 410, "erased", "the unit of this request was erased");
    else if (status != LGKT_OK)
        srv_problem_of(answer, LGKT_ERR_IO, &error);
}

static json_t *time_json(int64_t time)
{
    return json_real((double)time / 1e6);
}

// What a record tells, for a unit's timeline.
static json_t *record_json(const srv_machine *m, const srv_record *r, int64_t seq,
                           const unsigned char chain[SRV_HASH])
{
    json_t *one = r->kind == SRV_DECISION ? decision_json(m, r, seq, chain) : json_object();
    srv_json_put(&one, "kind", json_string(r->kind == SRV_DECISION ? "decision" : "report"));
    srv_json_put(&one, "seq", json_integer(seq));
    srv_json_put(&one, "time", time_json(r->time));
    srv_json_put(&one, "decision", json_integer(r->decision));
    if (r->kind == SRV_DECISION) {
        json_t *allowed = json_array();
        for (int32_t a = 0; a < r->actions; a++)
            if (r->allowed[a])
                srv_json_add(&allowed, json_string(m->programme.action_names[a]));
        srv_json_put(&one, "allowed", allowed);
        srv_json_put(&one, "state", srv_state_json(&m->programme, r->state, r->state_size));
        return one;
    }
    if (r->told & SRV_TOLD_REWARD)
        srv_json_put(&one, "reward", json_real(r->reward));
    if (r->told & SRV_TOLD_NEXT)
        srv_json_put(&one, "next_state", srv_state_json(&m->programme, r->state, r->state_size));
    if (r->told & SRV_TOLD_END)
        srv_json_put(&one, "ended", json_true());
    if (r->told & SRV_TOLD_NOT)
        srv_json_put(&one, "executed", json_false());
    return one;
}

// Walks back through the records of a unit: those of one decision (or of all: -1), at most `most`.
// *instead becomes the decision that was taken in place of that one.
static lgkt_status unit_records(const srv_machine *m, int32_t unit, int64_t decision, int64_t until,
                                int32_t most, json_t **list, int64_t *instead, lgkt_error *error)
{
    for (int64_t seq = m->all[unit].last; seq > until && most > 0;) {
        srv_record r;
        srv_record_room room;
        unsigned char chain[SRV_HASH];
        LGKT_TRY(read_record(m, seq, &r, &room, chain, error));
        if (decision < 0 || r.decision == decision) {
            srv_json_add(list, record_json(m, &r, seq, chain));
            most--;
        }
        if (decision >= 0 && r.replaces == decision)
            *instead = r.decision;
        seq = r.before < seq ? r.before : 0;
    }
    return LGKT_OK;
}

static void look_at_unit(srv_machine *m, const srv_command *command, srv_answer *answer)
{
    lgkt_error error = {0};
    const int32_t unit =
        command->unit != NULL ? srv_find_unit(m, command->unit, strlen(command->unit)) : -1;
    if (unit < 0) {
        srv_problem(answer, 404, "unknown", "there is no such unit");
        return;
    }
    json_t *list = json_array();
    int64_t instead = -1;
    const lgkt_status status = unit_records(m, unit, -1, 0, 1000, &list, &instead, &error);
    answer->status = 200;
    answer->body =
        json_pack("{sssoso?}", "unit", command->unit, "records", list, "state",
                  m->all[unit].is_reported ? srv_state_json(&m->programme, m->all[unit].place,
                                                            (size_t)m->all[unit].place_size)
                                           : NULL);
    if (status != LGKT_OK)
        srv_problem_of(answer, LGKT_ERR_IO, &error);
}

// The first record with which more than `decision` decisions were made is that of the decision.
static lgkt_status find_decision(const srv_machine *m, int64_t decision, int64_t *seq,
                                 lgkt_error *error)
{
    int64_t low = 1, high = m->head.seq;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        srv_record r;
        srv_record_room room;
        unsigned char chain[SRV_HASH];
        LGKT_TRY(read_record(m, middle, &r, &room, chain, error));
        if (r.made > decision)
            high = middle;
        else
            low = middle + 1;
    }
    *seq = low;
    return LGKT_OK;
}

static void look_at_decision(srv_machine *m, const srv_command *command, srv_answer *answer)
{
    lgkt_error error = {0};
    if (command->number < 0 || command->number >= m->made) {
        srv_problem(answer, 404, "unknown", "decision %lld was never made",
                    (long long)command->number);
        return;
    }
    int64_t seq = 0;
    srv_record r;
    srv_record_room room;
    lgkt_status status = find_decision(m, command->number, &seq, &error);
    if (status == LGKT_OK)
        status = read_record(m, seq, &r, &room, answer->chain, &error);
    if (status == LGKT_OK && r.kind == SRV_STUB) {
        srv_problem(answer, 410, "erased", "the unit of decision %lld was erased",
                    (long long)command->number);
        return;
    }
    json_t *reports = json_array();
    json_t *body = status == LGKT_OK ? record_json(m, &r, seq, answer->chain) : NULL;
    const int32_t unit = status == LGKT_OK ? r.unit : 0;
    if (body != NULL) {
        srv_json_put(&body, "unit",
                     json_stringn(m->all[unit].name, (size_t)m->all[unit].name_size));
        json_object_del(body, "kind");
        int64_t instead = -1;
        status = unit_records(m, unit, command->number, seq, 1000, &reports, &instead, &error);
        srv_json_put(&body, "reports", json_incref(reports));
        if (instead >= 0) {
            srv_json_put(&body, "executed", json_false());
            srv_json_put(&body, "replaced_by", json_integer(instead));
        }
    }
    json_decref(reports);
    answer->status = 200;
    answer->body = body;
    answer->seq = 0;
    if (status != LGKT_OK)
        srv_problem_of(answer, LGKT_ERR_IO, &error);
}

// ---- the learner ----

// How much each feature matters, and between which numbers the learner takes records for alike; for
// learners on records; empty if the learner cannot say, NULL without memory.
static json_t *features_json(const srv_machine *m, const srv_record *r)
{
    lgkt_side sides[SRV_MAX_PARTS];
    double key[SRV_MAX_STATE / 8];
    json_t *list = json_array();
    memcpy(key, r->state, r->state_size);
    const lgkt_status status =
        lgkt_keyed_describe(lgkt_units_keys(m->units), key, r->state_size, sides, NULL);
    if (status == LGKT_ERR_NO_MEMORY) {
        json_decref(list);
        return NULL;
    }
    if (status != LGKT_OK)
        return list;
    for (int32_t i = 0; i < m->programme.parts; i++) {
        const lgkt_side *s = &sides[i];
        srv_json_add(&list, json_pack("{sssososo}", "feature", m->programme.part[i].name, "matter",
                                      srv_json_real(s->matter), "low", srv_json_real(s->low),
                                      "high", srv_json_real(s->high)));
    }
    return list;
}

static json_t *reasons_json(const srv_machine *m, const srv_record *r, const lgkt_reason *reasons,
                            const double *law)
{
    json_t *list = json_array();
    for (int32_t a = 0; a < r->actions; a++) {
        const lgkt_reason *why = &reasons[a];
        json_t *one =
            json_pack("{sssbsososososososo}", "action", m->programme.action_names[a], "allowed",
                      r->allowed[a] != 0, "probability", srv_json_real(law[a]), "visits",
                      srv_json_real(why->visits), "mean_reward", srv_json_real(why->mean_reward),
                      "value", srv_json_real(why->value), "lower", srv_json_real(why->lower),
                      "upper", srv_json_real(why->upper), "good",
                      isnan(why->good) ? json_null() : json_boolean(why->good != 0));
        srv_json_add(&list, one);
    }
    json_t *whole = json_pack("{so}", "actions", list);
    if (m->programme.kind == SRV_RECORDS)
        srv_json_put(&whole, "features", features_json(m, r));
    return whole;
}

static void explain(srv_machine *m, const srv_command *command, srv_answer *answer)
{
    lgkt_error error = {0};
    srv_turn turn;
    if (!srv_turn_look(m, command, &turn, &error)) {
        srv_problem_of(answer, LGKT_ERR_ARGUMENT, &error);
        return;
    }
    lgkt_reason reasons[SRV_MAX_ACTIONS];
    srv_cause cause;
    if (!srv_law(m, turn.record.unit, &turn.record, reasons, turn.room.law, &cause) &&
        cause != SRV_NO_CAUSE && cause != SRV_CAUSE_LAW) {
        srv_problem(answer, cause == SRV_CAUSE_MEMORY ? 503 : 409, "unsupported",
                    m->programme.kind == SRV_KEYED
                        ? "nothing is known of a state that was never seen"
                        : "the learner cannot say");
        return;
    }
    answer->status = 200;
    answer->body = reasons_json(m, &turn.record, reasons, turn.room.law);
}

// State `i` of those that the policy is of; NULL if memory is out.
static json_t *policy_state(const srv_machine *m, const json_t *states, size_t i)
{
    const uint32_t number = (uint32_t)i;
    const unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                                    (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
    size_t size;
    if (states != NULL)
        return json_incref(json_array_get(states, i));
    if (m->programme.kind == SRV_NUMBERED)
        return srv_state_json(&m->programme, bytes, sizeof bytes);
    const void *key = lgkt_keyed_key(lgkt_units_keys(m->units), (int32_t)i, &size);
    return srv_state_json(&m->programme, key, size);
}

// rows (count, actions) with the states that they are of
static void policy_answer(const srv_machine *m, const json_t *states, size_t count,
                          const double *rows, srv_answer *answer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        srv_json_add(&list, json_pack("{soso}", "state", policy_state(m, states, i), "propensities",
                                      by_action(m, rows + i * (size_t)m->programme.actions)));
    answer->status = 200;
    answer->body = json_pack("{so}", "policy", list);
}

// The rows of all states that are known, or of the records that are asked for.
static lgkt_status policy_rows(srv_machine *m, const json_t *states, size_t count, double *rows,
                               lgkt_error *error)
{
    const srv_programme *p = &m->programme;
    const lgkt_keyed *keys = lgkt_units_keys(m->units);
    unsigned char bytes[SRV_MAX_STATE];
    if (states == NULL)
        return lgkt_learner_policy(lgkt_units_learner(m->units), rows, error);
    double *all = NULL;
    lgkt_status status = LGKT_OK;
    if (p->kind == SRV_KEYED) {
        all = lgkt_alloc_zeroed(&m->allocator, (size_t)lgkt_keyed_states(keys) + 1,
                                (size_t)p->actions * sizeof *all);
        status = all == NULL ? lgkt_fail_memory(error, "a policy")
                             : lgkt_learner_policy(lgkt_units_learner(m->units), all, error);
    }
    for (size_t i = 0; i < count && status == LGKT_OK; i++) {
        double *row = rows + i * (size_t)p->actions, record[SRV_MAX_STATE / 8];
        if (!srv_values_of(&m->asked, json_array_get(states, i)))
            status = lgkt_fail_memory(error, "a policy");
        const size_t size = status == LGKT_OK ? srv_state_read(p, m->asked.at, bytes, error) : 0;
        const int32_t number = size > 0 && all != NULL ? lgkt_keyed_find(keys, bytes, size) : -1;
        if (size == 0) {
            status = status != LGKT_OK ? status : LGKT_ERR_ARGUMENT;
        } else if (p->kind == SRV_RECORDS) {
            memcpy(record, bytes, size);
            status = lgkt_keyed_policy(keys, record, 1, row, error);
        } else {
            for (int32_t a = 0; a < p->actions; a++)
                row[a] = number >= 0 ? all[(size_t)number * (size_t)p->actions + (size_t)a] : NAN;
        }
    }
    lgkt_free(&m->allocator, all);
    return status;
}

static void policy(srv_machine *m, const srv_command *command, srv_answer *answer)
{
    const srv_programme *p = &m->programme;
    lgkt_error error = {0};
    const json_t *states = json_object_get(command->body, "states");
    const bool is_all = p->kind == SRV_NUMBERED || (p->kind == SRV_KEYED && command->body == NULL);
    if (command->body != NULL &&
        (!json_is_object(command->body) || json_object_size(command->body) != (states != NULL))) {
        srv_problem(answer, 422, "argument", "the body must be {\"states\": [..]}");
        return;
    }
    const size_t count = p->kind == SRV_NUMBERED ? (size_t)p->states
                         : is_all ? (size_t)lgkt_keyed_states(lgkt_units_keys(m->units))
                                  : json_array_size(states);
    if (is_all == (states != NULL) || (!is_all && (count < 1 || count > SRV_MAX_BATCH)) ||
        (is_all && count * (size_t)p->actions > 100000)) {
        srv_problem(
            answer, 422, "argument",
            is_all ? states != NULL
                         ? "states are numbered: the policy is of all of them"
                         : "the policy has more than 100000 numbers: ask for reasons state by state"
                   : "the body must be {\"states\": [..]} with 1 .. %d states",
            SRV_MAX_BATCH);
        return;
    }
    double *rows = lgkt_alloc_zeroed(&m->allocator, count + 1, (size_t)p->actions * sizeof *rows);
    const lgkt_status status =
        rows != NULL ? policy_rows(m, states, count, rows, &error) : LGKT_ERR_NO_MEMORY;
    if (status == LGKT_OK)
        policy_answer(m, states, count, rows, answer);
    else
        srv_problem_of(answer, status, &error);
    lgkt_free(&m->allocator, rows);
}

static void show(const srv_machine *m, srv_answer *answer)
{
    json_t *body = json_deep_copy(m->programme.config);
    json_t *now =
        json_pack("{sIsIsIsIsIsIsIsiss}", "version", (json_int_t)m->version, "seq",
                  (json_int_t)m->head.seq, "decisions", (json_int_t)m->made, "open",
                  (json_int_t)lgkt_units_open(m->units), "units", (json_int_t)m->present, "learned",
                  (json_int_t)(m->made - lgkt_units_open(m->units) - lgkt_units_expired(m->units)),
                  "expired", (json_int_t)lgkt_units_expired(m->units), "numbers", (int)m->numbers,
                  "build", lgkt_version());
    if (now == NULL || json_object_update(body, now) != 0) {
        json_decref(body);
        body = NULL;
    }
    json_decref(now);
    answer->status = 200;
    answer->version = m->version;
    answer->body = body;
}

void srv_look(srv_machine *m, const srv_command *command, srv_answer *answer)
{
    switch (command->verb) {
    case SRV_DO_EXPLAIN:
        explain(m, command, answer);
        break;
    case SRV_DO_POLICY:
        policy(m, command, answer);
        break;
    case SRV_DO_UNIT:
        look_at_unit(m, command, answer);
        break;
    case SRV_DO_DECISION:
        look_at_decision(m, command, answer);
        break;
    case SRV_DO_MONITOR:
        answer->status = 200;
        answer->body = srv_monitor_json(&m->monitor, &m->programme, m->made);
        break;
    default:
        show(m, answer);
    }
    if (answer->body == NULL)
        srv_problem(answer, 503, "no-memory", "memory is out");
}
