// SPDX-License-Identifier: MIT
// The decision log of a programme, read from its store: one row per decision, in their order.
//
// A decision's reward comes later in the log than the decision. So decisions are held until they are
// too old for reports, or the log ends; each is written once, with what was reported by then. A
// decision that was not executed is written with its probability and without a reward.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lgkt/io.h"
#include "serve/programme.h"
#include "serve/verify.h"

// a decision that is held
typedef struct row {
    int64_t seq, decision;
    double time, reward, reward_time, probability;
    int32_t unit, action;
    bool is_stub, has_next, is_cut;
    bool is_left; // it was not executed
    srv_source source;
    unsigned char *bytes; // owned: allowed (actions), state, next state
    size_t state_size, next_size;
    double *law; // (actions) owned; NULL
} row;

typedef struct exporter {
    srv_programme programme;
    row *rows;                 // (room) a ring, by decision
    int64_t room, first, made; // decisions first .. made - 1 are held
    char **units;              // (unit_room) names
    size_t unit_room;
    int64_t *last; // (unit_room) the unit's last decision, -1
    srv_format format;
    srv_sink *sink;
    void *ctx;
    char *line; // (line_room)
    size_t line_room;
} exporter;

// ---- writing ----

static lgkt_status put_line(exporter *e, const lgkt_io_decision *decision, lgkt_error *error)
{
    const lgkt_io_format format = e->format == SRV_CSV ? LGKT_IO_CSV : LGKT_IO_JSON_LINES;
    for (;;) {
        size_t length = 0;
        const lgkt_status status =
            decision != NULL
                ? lgkt_io_decision_print(format, decision, e->line, e->line_room, &length, error)
                : lgkt_io_decision_header(format, e->line, e->line_room, &length, error);
        if (status == LGKT_OK)
            return length == 0 || e->sink(e->ctx, e->line, length)
                       ? LGKT_OK
                       : lgkt_fail(error, SRV_STOPPED, "stopped");
        if (status != LGKT_ERR_SHAPE || length < e->line_room)
            return status;
        char *grown = realloc(e->line, 2 * length + 1024);
        if (grown == NULL)
            return lgkt_fail_memory(error, "a line");
        e->line = grown;
        e->line_room = 2 * length + 1024;
    }
}

// The values of a state as the decision log has them; texts live as long as the JSON.
static void fill_state(const exporter *e, const json_t *json, lgkt_io_value *values)
{
    for (int32_t i = 0; i < e->programme.parts; i++) {
        const json_t *value = json_object_get(json, e->programme.part[i].name);
        values[i] = json_is_string(value)
                        ? lgkt_io_text(json_string_value(value))
                        : lgkt_io_number(json_is_number(value) ? json_number_value(value) : NAN);
    }
}

static lgkt_status put_row(exporter *e, const row *r, lgkt_error *error)
{
    const srv_programme *p = &e->programme;
    lgkt_io_value state[SRV_MAX_PARTS], next[SRV_MAX_PARTS], allowed[SRV_MAX_ACTIONS];
    const char *names[SRV_MAX_PARTS];
    char gone[32];
    lgkt_io_decision d = lgkt_io_decision_default();
    d.seq = r->seq;
    d.decision = r->decision;
    if (r->is_stub) {
        snprintf(gone, sizeof gone, "erased-%d", r->unit);
        d.unit = lgkt_io_text(gone);
        return put_line(e, &d, error);
    }
    json_t *now = srv_state_json(p, r->bytes + p->actions, r->state_size);
    json_t *then =
        r->has_next ? srv_state_json(p, r->bytes + p->actions + r->state_size, r->next_size) : NULL;
    fill_state(e, now, state);
    fill_state(e, then, next);
    for (int32_t i = 0; i < p->parts; i++)
        names[i] = p->part[i].name;
    for (int32_t a = 0; a < p->actions; a++)
        if (r->bytes[a])
            allowed[d.allowed_count++] = lgkt_io_text(p->action_names[a]);
    d.time = r->time;
    d.unit = lgkt_io_text(e->units[r->unit]);
    d.parts = p->parts;
    d.names = names;
    d.state = p->parts > 0 ? state : NULL;
    d.next_state = then != NULL && p->parts > 0 ? next : NULL;
    d.allowed = allowed;
    d.action = lgkt_io_text(p->action_names[r->action]);
    d.probability = r->probability;
    d.probabilities = r->law;
    d.probability_count = r->law != NULL ? p->actions : 0;
    d.source = r->is_left ? "not-executed" : srv_source_name(r->source);
    d.reward = r->reward;
    d.reward_time = r->reward_time;
    d.cut = r->is_cut || r->has_next ? r->is_cut : -1;
    const lgkt_status status = put_line(e, &d, error);
    json_decref(now);
    json_decref(then);
    return status;
}

static void clear_row(row *r)
{
    free(r->bytes);
    free(r->law);
    *r = (row){0};
}

static row *at(const exporter *e, int64_t decision)
{
    return decision >= e->first && decision < e->made ? &e->rows[decision % e->room] : NULL;
}

// Writes decisions before `until`.
static lgkt_status put_rows(exporter *e, int64_t until, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    for (; e->first < until && status == LGKT_OK; e->first++) {
        row *r = &e->rows[e->first % e->room];
        status = put_row(e, r, error);
        clear_row(r);
    }
    return status;
}

// ---- reading ----

static lgkt_status begin(exporter *e, const srv_record *record, lgkt_error *error)
{
    json_t *config = json_loadb(record->text, record->text_size, 0, NULL);
    const lgkt_status status = srv_programme_read(config, 0, &e->programme, error);
    json_decref(config);
    if (status != LGKT_OK)
        return status;
    e->room =
        e->programme.patience < e->programme.horizon ? e->programme.patience : e->programme.horizon;
    e->rows = calloc((size_t)e->room + 1, sizeof *e->rows);
    e->room++;
    return e->rows != NULL ? put_line(e, NULL, error) : lgkt_fail_memory(error, "an export");
}

static bool know_unit(exporter *e, const srv_record *record)
{
    while ((size_t)record->unit >= e->unit_room) {
        const size_t room = 2 * e->unit_room + 64;
        char **units = realloc(e->units, room * sizeof *units);
        int64_t *last = units != NULL ? realloc(e->last, room * sizeof *last) : NULL;
        e->units = units != NULL ? units : e->units;
        e->last = last != NULL ? last : e->last;
        if (last == NULL)
            return false;
        for (size_t i = e->unit_room; i < room; i++) {
            e->units[i] = NULL;
            e->last[i] = -1;
        }
        e->unit_room = room;
    }
    if (record->name == NULL)
        return true;
    e->units[record->unit] = malloc(record->name_size + 1);
    if (e->units[record->unit] == NULL)
        return false;
    memcpy(e->units[record->unit], record->name, record->name_size);
    e->units[record->unit][record->name_size] = '\0';
    return true;
}

static bool keep_next(const exporter *e, row *r, const unsigned char *state, size_t size)
{
    const size_t own = (size_t)e->programme.actions + r->state_size;
    unsigned char *bytes = realloc(r->bytes, own + size + 1);
    if (bytes == NULL)
        return false;
    memcpy(bytes + own, state, size);
    r->bytes = bytes;
    r->next_size = size;
    r->has_next = true;
    return true;
}

static lgkt_status add_decision(exporter *e, int64_t seq, const srv_record *record,
                                lgkt_error *error)
{
    LGKT_TRY(put_rows(e, record->decision - e->room + 2, error));
    const int32_t actions = e->programme.actions;
    const bool is_stub = record->kind == SRV_STUB;
    row *r = &e->rows[record->decision % e->room];
    e->made = record->decision + 1;
    *r = (row){.seq = seq,
               .decision = record->decision,
               .unit = record->unit,
               .is_stub = is_stub,
               .reward = NAN,
               .reward_time = NAN};
    if (is_stub)
        return LGKT_OK;
    r->time = (double)record->time / 1e6;
    r->probability = record->probability;
    r->action = record->action;
    r->source = record->source;
    r->state_size = record->state_size;
    r->bytes = malloc((size_t)actions + record->state_size);
    r->law = record->law != NULL ? malloc((size_t)actions * sizeof *r->law) : NULL;
    if (r->bytes == NULL || (record->law != NULL && r->law == NULL) || !know_unit(e, record))
        return lgkt_fail_memory(error, "an export");
    memcpy(r->bytes, record->allowed, (size_t)actions);
    memcpy(r->bytes + actions, record->state, record->state_size);
    if (r->law != NULL)
        memcpy(r->law, record->law, (size_t)actions * sizeof *r->law);
    row *replaced = record->replaces >= 0 ? at(e, record->replaces) : NULL;
    if (replaced != NULL)
        replaced->is_cut = replaced->is_left = true;
    row *before = at(e, e->last[record->unit]);
    if (before != NULL && !before->is_cut && !before->has_next &&
        !keep_next(e, before, record->state, record->state_size))
        return lgkt_fail_memory(error, "an export");
    e->last[record->unit] = record->decision;
    return LGKT_OK;
}

static lgkt_status export_record(void *ctx, int64_t seq, const void *bytes, size_t size,
                                 const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    exporter *e = ctx;
    srv_record record;
    srv_record_room room;
    (void)chain;
    LGKT_TRY(srv_record_decode(bytes, size, &record, &room, error));
    if (record.kind == SRV_PROGRAMME)
        return begin(e, &record, error);
    if (e->rows == NULL)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the first record is no programme");
    const bool is_decision =
        record.kind == SRV_DECISION || (record.kind == SRV_STUB && record.told == SRV_DECISION);
    if (is_decision && record.decision == e->made)
        return add_decision(e, seq, &record, error);
    row *r = record.kind == SRV_REPORT ? at(e, record.decision) : NULL;
    if (r == NULL || r->is_stub)
        return LGKT_OK;
    r->is_cut |= (record.told & (SRV_TOLD_END | SRV_TOLD_NOT)) != 0;
    r->is_left |= (record.told & SRV_TOLD_NOT) != 0;
    if (record.told & SRV_TOLD_REWARD) {
        r->reward = record.reward;
        r->reward_time = (double)record.time / 1e6;
    }
    if ((record.told & SRV_TOLD_NEXT) && !keep_next(e, r, record.state, record.state_size))
        return lgkt_fail_memory(error, "an export");
    return LGKT_OK;
}

lgkt_status srv_export(const char *path, srv_format format, srv_sink *sink, void *ctx,
                       lgkt_error *error)
{
    const srv_store_config config = {.path = path, .read_only = true};
    exporter e = {.format = format, .sink = sink, .ctx = ctx};
    srv_store *store = NULL;
    LGKT_TRY(srv_store_open(&config, &store, error));
    lgkt_status status = store->class->read(store, 1, INT64_MAX, export_record, &e, error);
    if (status == LGKT_OK)
        status = put_rows(&e, e.made, error);
    store->class->close(store, false);
    for (int64_t i = 0; i < e.room && e.rows != NULL; i++)
        clear_row(&e.rows[i]);
    for (size_t i = 0; i < e.unit_room; i++)
        free(e.units[i]);
    free(e.units);
    free(e.last);
    free(e.rows);
    free(e.line);
    if (e.programme.config != NULL)
        srv_programme_release(&e.programme);
    return status;
}
