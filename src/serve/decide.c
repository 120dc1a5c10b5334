// SPDX-License-Identifier: MIT
// Decisions: checked and made; turn.c reads them.
//
// The order: mode, mask, limits (which become the mask), then the learner settles, says its law, the
// coin of the floor is thrown, and the learner acts or is told what was taken. All that may be
// refused is asked before anything changes, for all items of a batch first, so that a batch is
// applied whole or not at all. What can still fail then is memory: the machine is broken by it,
// unless it was the choice that lacked it, which the fallback makes instead.
//
// The floor is that of the learner `explore` (core/floor.h). The fallback of decision n draws from
// stream (seed, "fallback", n).

#include <math.h>
#include <string.h>

#include "core/floor.h"
#include "serve/answer_text.h"
#include "serve/machine_private.h"

// ---- checks ----

static lgkt_status check_mode(const srv_machine *m, const srv_record *record, lgkt_error *error)
{
    const srv_mode mode = m->programme.mode;
    const bool is_taken = record->source == SRV_BY_OTHERS;
    if (mode == SRV_LIVE || mode == SRV_FALLBACK ||
        (is_taken && (mode == SRV_APPRENTICE || mode == SRV_PAUSED)))
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_PROTOCOL, "the programme is %s: no decisions%s",
                     mode == SRV_APPRENTICE ? "an apprentice" : srv_mode_name(mode),
                     mode == SRV_APPRENTICE ? " but those that others made (:taken)" : "");
}

static lgkt_status check_state(const srv_machine *m, const srv_record *record, lgkt_error *error)
{
    const srv_programme *p = &m->programme;
    const lgkt_keyed *keys = lgkt_units_keys(m->units);
    if (p->kind == SRV_NUMBERED &&
        (record->state_size != 4 || srv_state_number(record) >= p->states))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "no such state");
    if (p->kind == SRV_RECORDS && record->state_size != 8 * (size_t)p->parts)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "no such state");
    if (p->kind == SRV_KEYED && lgkt_keyed_states(keys) >= p->states &&
        lgkt_keyed_find(keys, record->state, record->state_size) < 0)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "the state is one too many: state_limit is %d",
                         p->states);
    return LGKT_OK;
}

static lgkt_status check_unit(const srv_machine *m, const srv_record *record, lgkt_error *error)
{
    const srv_programme *p = &m->programme;
    if (record->unit == m->count)
        return m->present < p->unit_limit
                   ? LGKT_OK
                   : lgkt_fail(error, LGKT_ERR_SHAPE,
                               "unit \"%.*s\" is one too many: unit_limit is %d",
                               (int)record->name_size, record->name, p->unit_limit);
    const srv_unit *unit = &m->all[record->unit];
    const bool same = (size_t)unit->place_size == record->state_size &&
                      memcmp(unit->place, record->state, record->state_size) == 0;
    if (!unit->is_reported || same)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_PROTOCOL,
                     "unit \"%.*s\" acts in another state than was reported of its decision %lld",
                     (int)unit->name_size, unit->name, (long long)unit->decision);
}

static lgkt_status check_replaced(const srv_machine *m, const srv_record *record, lgkt_error *error)
{
    int status;
    const srv_open *open = record->replaces >= 0 ? srv_open_at(m, record->replaces, &status) : NULL;
    if (record->replaces < 0)
        return LGKT_OK;
    if (open == NULL || open->told & SRV_TOLD_REWARD || open->unit != record->unit)
        return lgkt_fail(error, LGKT_ERR_PROTOCOL, "decision %lld was made under this key, and %s",
                         (long long)record->replaces,
                         open == NULL                 ? "is too old to be taken back"
                         : open->unit != record->unit ? "is of another unit"
                                                      : "has a reward already");
    return LGKT_OK;
}

lgkt_status srv_turn_check(const srv_machine *m, srv_record *record, srv_record_room *room,
                           lgkt_error *error)
{
    const srv_programme *p = &m->programme;
    const bool is_taken = record->source == SRV_BY_OTHERS;
    LGKT_TRY(check_mode(m, record, error));
    if (m->made >= p->horizon)
        return lgkt_fail(error, LGKT_ERR_HORIZON, "all %lld decisions have been made",
                         (long long)p->horizon);
    LGKT_TRY(check_unit(m, record, error));
    LGKT_TRY(check_state(m, record, error));
    LGKT_TRY(check_replaced(m, record, error));
    if (record->actions != p->actions)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%d actions instead of %d", record->actions,
                         p->actions);
    const bool is_masked = memchr(record->allowed, 0, (size_t)p->actions) != NULL;
    if (is_masked && !(p->traits & LGKT_TRAIT_MASKED))
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "the learner \"%s\" cannot leave out actions: allowed must be all of them",
                         p->learner);
    if (is_taken && !record->allowed[record->action])
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "the action \"%s\" is not one that is allowed",
                         p->action_names[record->action]);
    const int32_t unit = record->unit < m->count ? record->unit : -1;
    if (!is_taken && !srv_apply_limits(m, unit, record->time, room->allowed))
        return lgkt_fail(error, LGKT_ERR_PROTOCOL,
                         "no action is left for unit \"%.*s\": all that are allowed have reached "
                         "their limits",
                         (int)record->name_size, record->name);
    return LGKT_OK;
}

// ---- the learner behind ----

int32_t srv_state_number(const srv_record *record)
{
    uint32_t number = 0;
    for (size_t i = record->state_size < 4 ? record->state_size : 4; i-- > 0;)
        number = number << 8 | record->state[i];
    return number <= INT32_MAX ? (int32_t)number : INT32_MAX;
}

// NULL where all actions are allowed
static const uint8_t *mask_of(const srv_record *record)
{
    return memchr(record->allowed, 0, (size_t)record->actions) != NULL ? record->allowed : NULL;
}

// Keys must be as aligned as doubles where they are records.
static const void *key_of(const srv_record *record, double room[SRV_MAX_STATE / 8])
{
    memcpy(room, record->state, record->state_size);
    return room;
}

static lgkt_status settle(const srv_machine *m, const srv_record *record)
{
    double key[SRV_MAX_STATE / 8];
    const uint64_t unit = (uint64_t)record->unit;
    return m->programme.kind == SRV_NUMBERED
               ? lgkt_units_settle(m->units, unit, srv_state_number(record))
               : lgkt_units_settle_key(m->units, unit, key_of(record, key), record->state_size);
}

static lgkt_status act(const srv_machine *m, const srv_record *record, const uint8_t *mask,
                       int64_t *decision, int32_t *action)
{
    double key[SRV_MAX_STATE / 8];
    const uint64_t unit = (uint64_t)record->unit;
    return m->programme.kind == SRV_NUMBERED
               ? lgkt_units_act(m->units, unit, srv_state_number(record), mask, decision, action)
               : lgkt_units_act_key(m->units, unit, key_of(record, key), record->state_size, mask,
                                    decision, action);
}

// A learner that cannot be told is left no other action.
static lgkt_status take(const srv_machine *m, const srv_record *record, int64_t *decision)
{
    double key[SRV_MAX_STATE / 8];
    const uint64_t unit = (uint64_t)record->unit;
    if (!(m->programme.traits & LGKT_TRAIT_FED)) {
        uint8_t only[SRV_MAX_ACTIONS] = {0};
        only[record->action] = 1;
        return act(m, record, record->actions > 1 ? only : NULL, decision, &(int32_t){0});
    }
    return m->programme.kind == SRV_NUMBERED
               ? lgkt_units_take(m->units, unit, srv_state_number(record), mask_of(record),
                                 record->action, decision)
               : lgkt_units_take_key(m->units, unit, key_of(record, key), record->state_size,
                                     mask_of(record), record->action, decision);
}

static int32_t count_allowed(const srv_record *record)
{
    int32_t count = 0;
    for (int32_t a = 0; a < record->actions; a++)
        count += record->allowed[a] != 0;
    return count;
}

bool srv_law(const srv_machine *m, int32_t unit, const srv_record *record, lgkt_reason *reasons,
             double *law, srv_cause *cause)
{
    double key[SRV_MAX_STATE / 8];
    const uint8_t *mask = mask_of(record);
    const lgkt_status status =
        m->programme.kind == SRV_NUMBERED
            ? lgkt_units_explain(m->units, (uint64_t)unit, srv_state_number(record), mask, reasons,
                                 sizeof *reasons, NULL)
            : lgkt_units_explain_key(m->units, (uint64_t)unit, key_of(record, key),
                                     record->state_size, mask, reasons, sizeof *reasons, NULL);
    *cause = status == LGKT_OK              ? SRV_NO_CAUSE
             : status == LGKT_ERR_NO_MEMORY ? SRV_CAUSE_MEMORY
                                            : SRV_CAUSE_REFUSED;
    if (status != LGKT_OK)
        return false;
    lgkt_floor_law(m->programme.floor, mask, record->actions, &reasons[0].probability,
                   sizeof *reasons / sizeof(double));
    bool known = true;
    for (int32_t a = 0; a < record->actions; a++) {
        law[a] = reasons[a].probability;
        known &= !isnan(law[a]);
    }
    if (!known && m->programme.law_required)
        *cause = SRV_CAUSE_LAW;
    return known;
}

// ---- the choice ----

// The fallback law among what is allowed; where it has nothing there, all are alike.
static void fallback_law(const srv_machine *m, const srv_record *record,
                         double law[SRV_MAX_ACTIONS])
{
    double sum = 0;
    for (int32_t a = 0; a < record->actions; a++)
        sum += law[a] = record->allowed[a] ? m->programme.fallback[a] : 0;
    const int32_t count = count_allowed(record);
    for (int32_t a = 0; a < record->actions; a++)
        law[a] = sum > 0 ? law[a] / sum : record->allowed[a] ? 1.0 / count : 0;
}

static void fall_back(const srv_machine *m, srv_record *record, srv_record_room *room)
{
    fallback_law(m, record, room->law);
    lgkt_rng rng = lgkt_rng_stream(m->programme.seed, "fallback", (uint64_t)record->decision);
    int32_t a = lgkt_sample_index(room->law, record->actions, lgkt_rng_uniform(&rng));
    while (!(room->law[a] > 0)) // the sum of the law may be a last digit below 1
        a--;
    record->action = a;
    record->source = SRV_BY_FALLBACK;
    record->law = room->law;
}

// The learner's choice, or the floor's. What the cause of a record that is replayed says has
// happened, happens again.
static lgkt_status choose(srv_machine *m, srv_record *record, srv_record_room *room,
                          double *expected)
{
    lgkt_reason reasons[SRV_MAX_ACTIONS];
    const srv_cause forced = record->cause;
    srv_cause cause = m->programme.mode == SRV_FALLBACK ? SRV_CAUSE_MODE : SRV_NO_CAUSE;
    bool known = false;
    if (forced == SRV_CAUSE_MEMORY || forced == SRV_CAUSE_REFUSED)
        cause = forced;
    if (cause == SRV_NO_CAUSE)
        known = srv_law(m, record->unit, record, reasons, room->law, &cause);
    int64_t decision = record->decision;
    if (cause == SRV_NO_CAUSE) {
        record->law = known ? room->law : NULL;
        const double u = lgkt_floor_coin(m->programme.seed, 0, record->decision);
        record->action = lgkt_floor_action(m->programme.floor, u, record->allowed, record->actions);
        record->source = record->action >= 0 ? SRV_BY_FLOOR : SRV_BY_LEARNER;
        if (record->action < 0) {
            const lgkt_status status = act(m, record, mask_of(record), &decision, &record->action);
            cause = status == LGKT_OK              ? SRV_NO_CAUSE
                    : status == LGKT_ERR_NO_MEMORY ? SRV_CAUSE_MEMORY
                                                   : SRV_CAUSE_REFUSED;
        }
    }
    record->cause = cause;
    if (cause != SRV_NO_CAUSE)
        fall_back(m, record, room);
    if (record->source != SRV_BY_LEARNER)
        LGKT_TRY(take(m, record, &decision));
    record->probability = record->law != NULL ? record->law[record->action] : NAN;
    *expected = known ? reasons[record->action].mean_reward : NAN;
    return decision == record->decision ? LGKT_OK : LGKT_ERR_PROTOCOL;
}

// ---- a decision ----

// The decision that gets too old by the next one: a reward that never came is the default one.
static lgkt_status close_oldest(srv_machine *m)
{
    const srv_programme *p = &m->programme;
    const int64_t number = m->made - p->patience;
    if (number < 0)
        return LGKT_OK;
    const srv_open *open = &m->open[number & (m->ring - 1)];
    const bool rewarded = (open->told & SRV_TOLD_REWARD) != 0;
    const bool executed = !(open->told & SRV_TOLD_NOT);
    srv_monitor_close(&m->monitor, p->actions, open->action, open->reward, rewarded, executed);
    return !rewarded && executed && !isnan(p->missing)
               ? lgkt_units_reward(m->units, number, p->missing)
               : LGKT_OK;
}

static bool note(srv_machine *m, const srv_record *record, double expected)
{
    srv_unit *unit = &m->all[record->unit];
    if (!srv_put_place(m, unit, record->state, record->state_size) ||
        !srv_count_limits(m, unit, record->action, record->time))
        return false;
    int status;
    srv_open *before = unit->decision >= 0 ? srv_open_at(m, unit->decision, &status) : NULL;
    if (before != NULL)
        before->told |= SRV_TOLD_NEXT;
    double law[SRV_MAX_ACTIONS];
    fallback_law(m, record, law);
    m->open[record->decision & (m->ring - 1)] =
        (srv_open){.seq = m->head.seq + 1,
                   .time = record->time,
                   .reward = NAN,
                   .expected = expected,
                   .weight = law[record->action] / record->probability,
                   .unit = record->unit,
                   .action = record->action,
                   .source = record->source};
    unit->decision = record->decision;
    unit->is_free = unit->is_reported = false;
    srv_monitor_decision(&m->monitor, &m->programme, record, record->decision);
    return true;
}

lgkt_status srv_turn_do(srv_machine *m, srv_record *record, srv_record_room *room)
{
    if (record->replaces >= 0)
        LGKT_TRY(srv_cancel(m, record->replaces));
    if (!srv_make_room(m) ||
        (record->unit == m->count && !srv_add_unit(m, record->name, record->name_size)))
        return LGKT_ERR_NO_MEMORY;
    srv_unit *unit = &m->all[record->unit];
    record->decision = m->made;
    record->before = unit->last;
    if (unit->last > 0)
        record->name = NULL, record->name_size = 0;
    LGKT_TRY(close_oldest(m));
    LGKT_TRY(settle(m, record));
    double expected = NAN;
    int64_t decision = m->made;
    if (record->source == SRV_BY_OTHERS)
        LGKT_TRY(take(m, record, &decision));
    else
        LGKT_TRY(choose(m, record, room, &expected));
    m->made++;
    record->made = m->made;
    return note(m, record, expected) ? LGKT_OK : LGKT_ERR_NO_MEMORY;
}

// ---- the commands ----

// No unit may be there twice, nor may the new ones be too many together.
static lgkt_status check_batch(const srv_machine *m, const srv_turn *turns, size_t count, size_t i,
                               lgkt_error *error)
{
    const srv_record *record = &turns[i].record;
    const srv_programme *p = &m->programme;
    const lgkt_keyed *keys = lgkt_units_keys(m->units);
    const bool may_be_new = p->kind == SRV_KEYED &&
                            lgkt_keyed_states(keys) + (int64_t)count > p->states &&
                            lgkt_keyed_find(keys, record->state, record->state_size) < 0;
    int64_t fresh = 1, keys_before = lgkt_keyed_states(keys);
    for (size_t j = 0; j < i; j++) {
        const srv_record *other = &turns[j].record;
        if (other->name_size == record->name_size &&
            memcmp(other->name, record->name, record->name_size) == 0)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "unit \"%.*s\" is twice in the batch",
                             (int)record->name_size, record->name);
        fresh += other->unit == m->count;
        if (may_be_new && lgkt_keyed_find(keys, other->state, other->state_size) < 0)
            keys_before++;
    }
    if (m->made + (int64_t)i >= p->horizon)
        return lgkt_fail(error, LGKT_ERR_HORIZON, "the horizon of %lld decisions ends before it",
                         (long long)p->horizon);
    if (record->unit == m->count && m->present + fresh > p->unit_limit)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "unit \"%.*s\" is one too many: unit_limit is %d",
                         (int)record->name_size, record->name, p->unit_limit);
    if (may_be_new && keys_before >= p->states)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "the state may be one too many: state_limit is %d",
                         p->states);
    return LGKT_OK;
}

static lgkt_status check_all(srv_machine *m, const srv_command *command, const srv_value *item,
                             srv_turn *turns, size_t count, size_t *i, lgkt_error *error)
{
    for (*i = 0; *i < count; ++*i, item = srv_after(item)) {
        srv_turn *turn = &turns[*i];
        if (!srv_turn_read(m, command, item, turn, error))
            return LGKT_ERR_ARGUMENT;
        turn->record.item = (int32_t)*i;
        turn->record.items = (int32_t)count;
        LGKT_TRY(srv_turn_check(m, &turn->record, &turn->room, error));
        if (count > 1)
            LGKT_TRY(check_batch(m, turns, count, *i, error));
    }
    return LGKT_OK;
}

// Makes the decisions that were checked, and the answer.
static void make_all(srv_machine *m, const srv_command *command, srv_turn *turns, size_t count,
                     srv_records *records, srv_answer *answer)
{
    const bool is_batch = command->verb == SRV_DO_BATCH;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        srv_record *record = &turns[i].record;
        srv_nonce(command, (int32_t)i, record->nonce);
        record->keyed = command->keyed && i == 0;
        if (record->keyed) {
            memcpy(record->key, command->key, SRV_HASH);
            memcpy(record->print, command->print, SRV_HASH);
        }
        // a new unit is numbered when its turn comes
        const int32_t known = srv_find_unit(m, record->name, record->name_size);
        record->unit = known >= 0 ? known : m->count;
        srv_entry *entry = NULL;
        if (srv_turn_do(m, record, &turns[i].room) == LGKT_OK)
            entry = srv_put_record(m, record, records);
        good = entry != NULL;
        if (good) {
            m->all[record->unit].last = entry->seq;
            if (is_batch)
                srv_say(&answer->text, i == 0 ? "{\"decisions\":[" : ",");
            srv_say_decision(m, record, entry->seq, entry->chain, &answer->text);
        }
    }
    if (is_batch)
        srv_say(&answer->text, "]}");
    answer->status = 201;
    m->broken |= !good || answer->text.failed;
}

void srv_apply_decisions(srv_machine *m, const srv_command *command, srv_records *records,
                         srv_answer *answer)
{
    const bool is_batch = command->verb == SRV_DO_BATCH;
    const srv_value *list = is_batch ? srv_value_in(command->asked, "decisions") : NULL;
    const size_t count = !is_batch ? 1 : srv_is(list, SRV_LIST) ? (size_t)list->count : 0;
    if (is_batch && (count < 1 || count > SRV_MAX_BATCH || command->asked->count != 1)) {
        srv_problem(answer, 422, "argument",
                    "a batch must be {\"decisions\": [..]} with 1 .. %d items", SRV_MAX_BATCH);
        return;
    }
    srv_turn one, *turns = &one;
    if (count > 1) {
        turns = m->allocator.alloc(m->allocator.ctx, count * sizeof *turns);
        if (turns == NULL) {
            srv_problem(answer, 503, "no-memory", "memory is out");
            return;
        }
    }
    lgkt_error error = {0};
    size_t bad = 0;
    const lgkt_status status =
        check_all(m, command, is_batch ? list + 1 : command->asked, turns, count, &bad, &error);
    if (status != LGKT_OK) {
        srv_problem_of(answer, status, &error);
        if (is_batch)
            srv_json_put(&answer->body, "index", json_integer((json_int_t)bad));
    } else {
        make_all(m, command, turns, count, records, answer);
    }
    if (turns != &one)
        m->allocator.free(m->allocator.ctx, turns);
}
