// SPDX-License-Identifier: MIT
// Decisions as they are asked for: what a request says into the inputs of a record.

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "serve/machine_private.h"

static bool read_unit(const srv_value *item, srv_record *record, lgkt_error *error)
{
    const srv_value *unit = srv_value_in(item, "unit");
    if (!srv_is(unit, SRV_TEXT) || unit->size < 1 || unit->size > SRV_MAX_NAME) {
        lgkt_fail(error, LGKT_ERR_ARGUMENT, "unit must be a text of 1 .. %d bytes", SRV_MAX_NAME);
        return false;
    }
    record->name = unit->text;
    record->name_size = (size_t)unit->size;
    return true;
}

static bool read_allowed(const srv_machine *m, const srv_value *item, srv_turn *turn,
                         lgkt_error *error)
{
    const srv_value *allowed = srv_value_in(item, "allowed");
    const bool is_given = !srv_is_none(allowed);
    const int32_t count = srv_is(allowed, SRV_LIST) ? allowed->count : 0;
    const int32_t actions = m->programme.actions;
    memset(turn->room.allowed, is_given ? 0 : 1, (size_t)actions);
    turn->record.allowed = turn->room.allowed;
    turn->record.actions = actions;
    if (!is_given)
        return true;
    for (int32_t i = 0; i < count; i++) {
        allowed = i == 0 ? allowed + 1 : srv_after(allowed);
        const int32_t action = srv_action_of(&m->programme, allowed, error);
        if (action < 0)
            return false;
        turn->room.allowed[action] = 1;
    }
    if (count > 0)
        return true;
    lgkt_fail(error, LGKT_ERR_ARGUMENT, "allowed must be a list of at least one action");
    return false;
}

// probability and propensities of a decision that others made
static bool read_law(const srv_machine *m, const srv_value *item, srv_turn *turn, lgkt_error *error)
{
    srv_record *record = &turn->record;
    const srv_value *own = srv_value_in(item, "probability");
    const srv_value *law = srv_value_in(item, "propensities");
    const bool has_own = !srv_is_none(own);
    record->probability = has_own ? own->real : NAN;
    if (has_own && !(srv_is_number(own) && own->real > 0 && own->real <= 1)) {
        lgkt_fail(error, LGKT_ERR_ARGUMENT, "probability must be a number above 0 and at most 1");
        return false;
    }
    if (srv_is_none(law))
        return true;
    double sum = 0;
    memset(turn->room.law, 0, sizeof turn->room.law);
    const srv_value *value = law + 1;
    for (int32_t i = 0; i < law->count && law->type == SRV_OBJECT; i++, value = srv_after(value)) {
        const int32_t action =
            srv_action_named(&m->programme, value->name, value->name_size, error);
        if (action < 0)
            return false;
        turn->room.law[action] = srv_is_number(value) ? value->real : NAN;
        sum += turn->room.law[action];
        if (!(turn->room.law[action] >= 0)) {
            lgkt_fail(error, LGKT_ERR_ARGUMENT, "the propensity of \"%s\" must be 0 .. 1",
                      m->programme.action_names[action]);
            return false;
        }
    }
    const double chosen = turn->room.law[record->action];
    if (!(fabs(sum - 1) <= 1e-6) || !(chosen > 0) || (has_own && chosen != record->probability)) {
        lgkt_fail(
            error, LGKT_ERR_ARGUMENT,
            "propensities must sum to 1 (they do to %.15g), with the probability of the action "
            "in them",
            sum);
        return false;
    }
    record->law = turn->room.law;
    record->probability = chosen;
    return true;
}

static bool check_members(const srv_value *item, bool is_taken, lgkt_error *error)
{
    static const char *const names[] = {"unit",   "state",       "allowed",
                                        "action", "probability", "propensities"};
    if (!srv_is(item, SRV_OBJECT)) {
        lgkt_fail(error, LGKT_ERR_ARGUMENT, "a decision must be an object");
        return false;
    }
    const srv_value *value = item + 1;
    for (int32_t v = 0; v < item->count; v++, value = srv_after(value)) {
        bool known = false;
        for (int i = 0; i < (is_taken ? 6 : 3) && !known; i++)
            known = srv_equals(value->name, value->name_size, names[i]);
        if (!known) {
            char room[SRV_QUOTED];
            const char *name = srv_quoted(value->name, value->name_size, room);
            lgkt_fail(error, LGKT_ERR_ARGUMENT,
                      "a decision has no \"%.*s\": known: unit, state, allowed%s",
                      (int)lgkt_text_fit(name, 40), name,
                      is_taken ? ", action, probability, propensities" : "");
            return false;
        }
    }
    return true;
}

// The inputs of a decision as a record; false with a line.
bool srv_turn_read(srv_machine *m, const srv_command *command, const srv_value *item,
                   srv_turn *turn, lgkt_error *error)
{
    const bool is_taken = command->verb == SRV_DO_TAKE;
    srv_record *record = &turn->record;
    *record = (srv_record){.kind = SRV_DECISION,
                           .time = command->time > m->time ? command->time : m->time,
                           .source = is_taken ? SRV_BY_OTHERS : SRV_BY_LEARNER,
                           .items = 1,
                           .replaces = is_taken ? command->replaces : -1,
                           .probability = NAN};
    // who is only explained may be nobody yet
    const bool is_nobody = command->verb == SRV_DO_EXPLAIN && srv_value_in(item, "unit") == NULL;
    if (!check_members(item, is_taken, error) || (!is_nobody && !read_unit(item, record, error)) ||
        !read_allowed(m, item, turn, error))
        return false;
    if (is_taken) {
        record->action = srv_action_of(&m->programme, srv_value_in(item, "action"), error);
        if (record->action < 0 || !read_law(m, item, turn, error))
            return false;
    }
    const srv_value *state = srv_value_in(item, "state");
    const int32_t unit = is_nobody ? -1 : srv_find_unit(m, record->name, record->name_size);
    record->unit = unit >= 0 ? unit : m->count;
    if (state != NULL) {
        record->state_size = srv_state_read(&m->programme, state, turn->state, error);
        record->state = turn->state;
        return record->state_size > 0;
    }
    // where it was reported to be
    if (unit < 0 || !m->all[unit].is_reported) {
        lgkt_fail(error, LGKT_ERR_ARGUMENT,
                  "unit \"%.*s\" acts without a state, and none was reported of it",
                  (int)record->name_size, record->name);
        return false;
    }
    record->state_size = (size_t)m->all[unit].place_size;
    memcpy(turn->state, m->all[unit].place, record->state_size);
    record->state = turn->state;
    return true;
}

bool srv_turn_look(srv_machine *m, const srv_command *command, srv_turn *turn, lgkt_error *error)
{
    return srv_turn_read(m, command, command->asked, turn, error);
}
