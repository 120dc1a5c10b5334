// SPDX-License-Identifier: MIT
// A machine made again from its records: what each says came in is done again, and what came out is
// compared with it.

#include <stdlib.h>
#include <string.h>

#include "serve/machine_private.h"

lgkt_status srv_other_build(int32_t numbers, const char *version, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                     "it was made by lgkt %s, which computes numbers %d, and this is lgkt %s with "
                     "numbers %d: start "
                     "it once with lgkt %s and stop that, then this one can go on",
                     version, numbers, lgkt_version(), lgkt_numbers(), version);
}

static lgkt_status replay_config(srv_machine *m, const srv_record *r, srv_record *again,
                                 char **text, lgkt_error *error)
{
    json_error_t where;
    json_t *given = json_loadb(r->text, r->text_size, 0, &where);
    lgkt_status status =
        given != NULL ? LGKT_OK : lgkt_fail(error, LGKT_ERR_FORMAT, "the config is no JSON");
    const json_t *body = json_object_get(given, "change");
    if (status == LGKT_OK && r->kind == SRV_PROGRAMME) {
        memcpy(m->entropy, r->entropy, sizeof m->entropy);
        memcpy(m->build, r->version, sizeof r->version);
        m->numbers = r->numbers;
        status = srv_found(m, given, error);
        body = NULL;
    } else if (status == LGKT_OK) {
        status = srv_change_config(m, body, error);
    }
    *text = status == LGKT_OK ? srv_config_text(m, body, &again->text_size) : NULL;
    json_decref(given);
    if (status == LGKT_OK && *text == NULL)
        status = lgkt_fail_memory(error, "a config");
    if (status != LGKT_OK)
        return status;
    again->text = *text;
    m->version = m->head.seq + 1;
    return LGKT_OK;
}

static lgkt_status replay_decision(srv_machine *m, const srv_record *r, srv_record *again,
                                   srv_record_room *room, lgkt_error *error)
{
    const int32_t known = r->name != NULL ? srv_find_unit(m, r->name, r->name_size) : r->unit;
    const bool is_new = r->unit == m->count;
    if (r->unit > m->count || is_new != (r->name != NULL) || (is_new && known >= 0) ||
        (!is_new && m->all[r->unit].name == NULL))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "unit %d is not one that is there", r->unit);
    memcpy(room->allowed, r->allowed, (size_t)r->actions);
    again->allowed = room->allowed;
    if (r->source != SRV_BY_OTHERS) {
        again->law = NULL;
        again->source = SRV_BY_LEARNER;
        again->action = 0;
    }
    LGKT_TRY(srv_turn_check(m, again, room, error));
    const lgkt_status status = srv_turn_do(m, again, room);
    if (status != LGKT_OK)
        return lgkt_fail(error, status, "the learner refused: %s", lgkt_units_message(m->units));
    m->all[again->unit].last = m->head.seq + 1;
    return LGKT_OK;
}

static lgkt_status replay_report(srv_machine *m, const srv_record *r, srv_record *again,
                                 lgkt_error *error)
{
    int status;
    const srv_open *open = srv_open_at(m, r->decision, &status);
    if (open == NULL || open->unit != r->unit)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "decision %lld is not open",
                         (long long)r->decision);
    again->before = m->all[r->unit].last;
    LGKT_TRY(srv_report_do(m, again, error));
    m->all[r->unit].last = m->head.seq + 1;
    return LGKT_OK;
}

// Does again what a record says; `again` has its inputs, and gets the outputs.
static lgkt_status replay(srv_machine *m, const srv_record *r, srv_record *again,
                          srv_record_room *room, char **text, lgkt_error *error)
{
    if ((m->units == NULL) != (r->kind == SRV_PROGRAMME))
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         m->units == NULL ? "the first record is no programme"
                                          : "a second programme");
    if (r->time < m->time)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the time goes back");
    if ((r->kind == SRV_PROGRAMME || r->kind == SRV_BUILD) && r->numbers != lgkt_numbers())
        return srv_other_build(r->numbers, r->version, error);
    again->made = m->made;
    switch (r->kind) {
    case SRV_PROGRAMME:
    case SRV_CHANGE:
        return replay_config(m, r, again, text, error);
    case SRV_DECISION:
        return replay_decision(m, r, again, room, error);
    case SRV_REPORT:
        return replay_report(m, r, again, error);
    case SRV_ERASURE:
        if (r->unit >= m->count || m->all[r->unit].name == NULL)
            return lgkt_fail(error, LGKT_ERR_FORMAT, "unit %d is not one that is there", r->unit);
        again->before = m->all[r->unit].last;
        return srv_erase_unit(m, r->unit);
    case SRV_BUILD:
        m->numbers = r->numbers;
        memcpy(m->build, r->version, sizeof r->version);
        return LGKT_OK;
    default:
        return lgkt_fail(error, LGKT_ERR_FORMAT, "it was erased, and cannot be replayed");
    }
}

lgkt_status srv_machine_replay(srv_machine *m, const void *bytes, size_t size,
                               const unsigned char *chain, lgkt_error *error)
{
    srv_record r;
    srv_record_room room, own;
    unsigned char link[SRV_HASH];
    char *text = NULL;
    lgkt_error why = {0};
    const long long seq = m->head.seq + 1;
    lgkt_status status = srv_record_decode(bytes, size, &r, &room, &why);
    srv_record again = r;
    srv_chain(m->head.chain, bytes, size, link);
    if (status == LGKT_OK && chain != NULL && memcmp(link, chain, SRV_HASH) != 0)
        status = lgkt_fail(&why, LGKT_ERR_FORMAT, "the link of the chain is another");
    if (status == LGKT_OK && r.kind == SRV_DECISION && r.source == SRV_BY_OTHERS && r.law != NULL) {
        memcpy(own.law, r.law, (size_t)r.actions * sizeof *r.law);
        again.law = own.law;
    }
    if (status == LGKT_OK)
        status = replay(m, &r, &again, &own, &text, &why);
    const char *field = status == LGKT_OK ? srv_record_difference(&r, &again) : NULL;
    free(text);
    if (field != NULL)
        status = lgkt_fail(&why, LGKT_ERR_FORMAT, "another %s", field);
    if (status != LGKT_OK) {
        m->broken = true;
        return lgkt_fail(
            error,
            status == LGKT_ERR_NO_MEMORY || status == LGKT_ERR_UNSUPPORTED ? status
                                                                           : LGKT_ERR_FORMAT,
            "record %lld: %s", seq, why.text[0] != '\0' ? why.text : lgkt_status_text(status));
    }
    memcpy(m->head.chain, link, SRV_HASH);
    m->head.seq++;
    m->time = r.time;
    return LGKT_OK;
}
