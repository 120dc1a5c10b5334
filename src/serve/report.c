// SPDX-License-Identifier: MIT
// Reports: rewards and next states of decisions, told later, in any order, more than once.
//
// Each item is judged alone. What was told before and is told again is right and changes nothing,
// anything else is a conflict. An item becomes a record of what is new in it.

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "serve/answer_text.h"
#include "serve/machine_private.h"

// an item as it was read
typedef struct telling {
    srv_record record;
    unsigned char state[SRV_MAX_STATE];
    int status; // 200, or why it is refused
    lgkt_error error;
} telling;

static bool refuse(telling *t, int status)
{
    t->status = status;
    return false;
}

static bool read_flag(const srv_value *item, const char *name, bool *flag, lgkt_error *error)
{
    const srv_value *value = srv_value_in(item, name);
    if (value == NULL || srv_is(value, SRV_TRUE) || srv_is(value, SRV_FALSE)) {
        *flag = value != NULL ? value->type == SRV_TRUE : *flag;
        return true;
    }
    lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s must be true or false", name);
    return false;
}

static bool read_reward(const srv_value *value, telling *t)
{
    if (srv_is_none(value))
        return true;
    t->record.told |= SRV_TOLD_REWARD;
    t->record.reward = value->real;
    if (srv_is_number(value) && fabs(t->record.reward) <= LGKT_MAX_REWARD)
        return true;
    lgkt_fail(&t->error, LGKT_ERR_ARGUMENT, "reward must be a number of at most %g in size",
              LGKT_MAX_REWARD);
    return false;
}

static bool read_item(const srv_machine *m, const srv_value *item, telling *t)
{
    static const char *const names[] = {"decision", "reward", "next_state", "ended", "executed"};
    bool ended = false, executed = true, known = true;
    const bool is_object = srv_is(item, SRV_OBJECT);
    const srv_value *value = item + 1;
    for (int32_t v = 0; is_object && v < item->count && known; v++, value = srv_after(value)) {
        known = false;
        for (size_t i = 0; i < sizeof names / sizeof *names && !known; i++)
            known = srv_equals(value->name, value->name_size, names[i]);
    }
    if (!is_object || !known) {
        lgkt_fail(&t->error, LGKT_ERR_ARGUMENT,
                  "a report must be {decision, reward?, next_state?, ended?, executed?}");
        return refuse(t, 422);
    }
    const srv_value *decision = srv_value_in(item, "decision");
    const srv_value *next = srv_value_in(item, "next_state");
    if (!srv_is(decision, SRV_INTEGER)) {
        lgkt_fail(&t->error, LGKT_ERR_ARGUMENT, "decision must be the number of one");
        return refuse(t, 422);
    }
    t->record.decision = decision->integer;
    if (!read_flag(item, "ended", &ended, &t->error) ||
        !read_flag(item, "executed", &executed, &t->error) ||
        !read_reward(srv_value_in(item, "reward"), t))
        return refuse(t, 422);
    if (!srv_is_none(next)) {
        t->record.told |= SRV_TOLD_NEXT;
        t->record.state_size = srv_state_read(&m->programme, next, t->state, &t->error);
        t->record.state = t->state;
        if (t->record.state_size == 0)
            return refuse(t, 422);
    }
    t->record.told |= (ended ? SRV_TOLD_END : 0u) | (executed ? 0u : SRV_TOLD_NOT);
    if (t->record.told != 0 && (executed || t->record.told == SRV_TOLD_NOT))
        return true;
    lgkt_fail(&t->error, LGKT_ERR_ARGUMENT, "%s",
              executed ? "nothing is reported: reward, next_state, ended or executed is needed"
                       : "what was not executed has no reward and no next state");
    return refuse(t, 422);
}

// What contradicts what was told before; leaves in `told` what is new.
static bool check_item(const srv_machine *m, telling *t)
{
    srv_record *r = &t->record;
    const long long number = r->decision;
    const srv_open *open = srv_open_at(m, r->decision, &t->status);
    if (open == NULL) {
        lgkt_fail(&t->error, LGKT_ERR_ARGUMENT,
                  t->status == 404
                      ? "decision %lld was never made"
                      : "decision %lld is too old for reports, or of a unit that was erased",
                  number);
        return false;
    }
    t->status = 200;
    r->unit = open->unit;
    const bool was_cancelled = (open->told & SRV_TOLD_NOT) != 0;
    if (r->told & SRV_TOLD_NOT) {
        if (open->told & SRV_TOLD_REWARD) {
            lgkt_fail(&t->error, LGKT_ERR_PROTOCOL,
                      "decision %lld has a reward, so it was executed", number);
            return refuse(t, 409);
        }
        r->told = was_cancelled ? 0 : r->told;
        return true;
    }
    if (was_cancelled) {
        lgkt_fail(&t->error, LGKT_ERR_PROTOCOL, "decision %lld was reported as not executed",
                  number);
        return refuse(t, 409);
    }
    if (!(r->told & open->told & SRV_TOLD_REWARD))
        return true;
    if (open->reward != r->reward) {
        char before[LGKT_NUMBER_SIZE], now[LGKT_NUMBER_SIZE];
        lgkt_fail(&t->error, LGKT_ERR_PROTOCOL,
                  "the reward of decision %lld is %s already, and %s is another", number,
                  lgkt_number_print(before, open->reward), lgkt_number_print(now, r->reward));
        return refuse(t, 409);
    }
    r->told &= ~(uint32_t)SRV_TOLD_REWARD;
    return true;
}

// ---- telling the learner ----

// `ended` needs no state: where it is cut, it is where it was.
static lgkt_status tell_next(srv_machine *m, const srv_record *r, bool ended)
{
    const srv_unit *unit = &m->all[r->unit];
    double key[SRV_MAX_STATE / 8];
    const bool has_own = (r->told & SRV_TOLD_NEXT) != 0;
    const void *state = has_own ? (const void *)r->state : (const void *)unit->place;
    const size_t size = has_own ? r->state_size : (size_t)unit->place_size;
    memcpy(key, state, size);
    const srv_record at = {.state = (const unsigned char *)key, .state_size = size};
    return m->programme.kind == SRV_NUMBERED
               ? lgkt_units_next(m->units, r->decision, srv_state_number(&at), ended)
               : lgkt_units_next_key(m->units, r->decision, key, size, ended);
}

lgkt_status srv_cancel(srv_machine *m, int64_t decision)
{
    int status;
    srv_open *open = srv_open_at(m, decision, &status);
    srv_unit *unit = &m->all[open->unit];
    if (unit->decision == decision && !(open->told & SRV_TOLD_NEXT)) {
        const srv_record cut = {.decision = decision, .unit = open->unit};
        LGKT_TRY(tell_next(m, &cut, true));
        unit->is_free = true;
        open->told |= SRV_TOLD_NEXT;
    }
    open->told |= SRV_TOLD_NOT;
    srv_uncount_limits(m, unit, open->action, open->time);
    srv_monitor_not_executed(&m->monitor);
    return LGKT_OK;
}

lgkt_status srv_report_do(srv_machine *m, srv_record *r, lgkt_error *error)
{
    const uint32_t nexts = SRV_TOLD_NEXT | SRV_TOLD_END;
    const uint32_t told = r->told;
    int status;
    srv_open *open = srv_open_at(m, r->decision, &status);
    srv_unit *unit = &m->all[r->unit];
    r->told = 0;
    if (told & SRV_TOLD_NOT) {
        LGKT_TRY(srv_cancel(m, r->decision));
        r->told = told;
        return LGKT_OK;
    }
    // the same end again, without a state: where the unit is by now says nothing of it
    const bool is_old_end = (told & nexts) == SRV_TOLD_END && (open->told & SRV_TOLD_END);
    if ((told & nexts) && !is_old_end) {
        const bool ended = (told & SRV_TOLD_END) != 0;
        const bool was_known = (open->told & SRV_TOLD_NEXT) != 0;
        r->told = told & nexts;
        const lgkt_status said = tell_next(m, r, ended);
        r->told = 0;
        if (said != LGKT_OK) {
            m->broken = said == LGKT_ERR_NO_MEMORY;
            return lgkt_fail(error, said, "%s", lgkt_units_message(m->units));
        }
        if (!was_known) {
            r->told = told & nexts;
            open->told |= SRV_TOLD_NEXT | (ended ? (uint32_t)SRV_TOLD_END : 0u);
            const bool is_latest = unit->decision == r->decision;
            unit->is_free |= is_latest && ended;
            unit->is_reported |= is_latest && !ended;
            if (is_latest && !ended && !srv_put_place(m, unit, r->state, r->state_size))
                return m->broken = true, LGKT_ERR_NO_MEMORY;
        }
    }
    if (told & SRV_TOLD_REWARD) {
        const lgkt_status said = lgkt_units_reward(m->units, r->decision, r->reward);
        if (said != LGKT_OK) {
            m->broken = said == LGKT_ERR_NO_MEMORY;
            return lgkt_fail(error, said, "%s", lgkt_units_message(m->units));
        }
        r->told |= SRV_TOLD_REWARD;
        open->told |= SRV_TOLD_REWARD;
        open->reward = r->reward;
        const srv_payment payment = {.action = open->action,
                                     .reward = r->reward,
                                     .expected = open->expected,
                                     .weight = open->weight,
                                     .delay = r->time - open->time};
        srv_monitor_reward(&m->monitor, &m->programme, &payment, m->made);
    }
    return LGKT_OK;
}

// ---- the command ----

static void apply_item(srv_machine *m, const srv_command *command, const srv_value *item, int32_t i,
                       telling *t, srv_records *records)
{
    t->record = (srv_record){.kind = SRV_REPORT,
                             .time = command->time > m->time ? command->time : m->time,
                             .made = m->made,
                             .replaces = -1};
    t->error = (lgkt_error){0};
    t->status = 200;
    if (!read_item(m, item, t) || !check_item(m, t))
        return;
    srv_record *r = &t->record;
    const lgkt_status status = srv_report_do(m, r, &t->error);
    if (status != LGKT_OK)
        t->status = status == LGKT_ERR_NO_MEMORY ? 503 : 409;
    if (m->broken || r->told == 0)
        return;
    if (!(r->told & SRV_TOLD_NEXT))
        r->state = NULL, r->state_size = 0;
    if (!(r->told & SRV_TOLD_REWARD))
        r->reward = 0;
    r->before = m->all[r->unit].last;
    srv_nonce(command, i, r->nonce);
    const srv_entry *entry = srv_put_record(m, r, records);
    if (entry != NULL)
        m->all[r->unit].last = entry->seq;
}

// What was given as the number of a decision, as far as it is one value.
static void say_value(const srv_value *value, srv_bytes *text)
{
    char room[SRV_QUOTED];
    if (srv_is(value, SRV_INTEGER))
        srv_say_integer(text, value->integer);
    else if (srv_is(value, SRV_REAL))
        srv_say_real(text, value->real);
    else if (srv_is(value, SRV_TEXT))
        srv_say_text(text, srv_quoted(value->text, value->size, room));
    else if (srv_is(value, SRV_TRUE) || srv_is(value, SRV_FALSE))
        srv_say(text, value->type == SRV_TRUE ? "true" : "false");
    else
        srv_say(text, "null");
}

void srv_apply_reports(srv_machine *m, const srv_command *command, srv_records *records,
                       srv_answer *answer)
{
    const srv_value *item = command->asked;
    const int32_t count = srv_is(item, SRV_LIST) ? item->count : 0;
    if (count < 1 || count > SRV_MAX_BATCH) {
        srv_problem(answer, 422, "argument", "reports must be a list of 1 .. %d", SRV_MAX_BATCH);
        return;
    }
    if (m->programme.mode == SRV_SEALED) {
        srv_problem(answer, 409, "protocol", "the programme is sealed: no reports");
        return;
    }
    answer->status = 200;
    for (int32_t i = 0; i < count && !m->broken; i++) {
        telling t;
        item = i == 0 ? item + 1 : srv_after(item);
        apply_item(m, command, item, i, &t, records);
        srv_say(&answer->text, i == 0 ? "[{\"decision\":" : ",{\"decision\":");
        say_value(srv_value_in(item, "decision"), &answer->text);
        if (t.status != 200) {
            srv_say(&answer->text, ",\"detail\":");
            srv_say_text(&answer->text, t.error.text);
        }
        srv_say(&answer->text, ",\"status\":");
        srv_say_integer(&answer->text, t.status);
        srv_say(&answer->text, "}");
    }
    srv_say(&answer->text, "]");
    m->broken |= answer->text.failed;
}
