// SPDX-License-Identifier: MIT
#include "ref/serve_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/floor.h"
#include "ref/units_replay.h"

enum {
    STATES = 3,
    ACTIONS = 3,
    NAMES = 8,
    UNITS = 6,
    PATIENCE = 12,
    HORIZON = 300,
    KEYS = 16,
    LONGEST = 1200
};
static const int64_t HOUR = INT64_C(3600000000);
static const char *const ACTION[ACTIONS] = {"none", "mail", "call"};

typedef struct event {
    int name; // of the unit, 0 .. NAMES - 1
    int32_t id;
    int32_t state, action, next; // next -1: not known, -2: cut
    double reward;               // NaN: none
    bool cancelled, gone;        // of a unit that was erased
    int64_t time;
} event;

typedef struct model {
    serve_run *run;
    units_replay *learner;
    event log[LONGEST];
    int64_t made, horizon;
    int32_t ids[NAMES]; // of names now; -1: unknown
    int32_t ids_given;
    double floor, missing;
    const char *mode;
    int limit; // calls per hour and unit
    struct {
        int verb;
        char body[200];
        char *answer; // NULL: the key is new
        int64_t decision;
        int name;
        int32_t id;
    } keys[KEYS];
    const uint8_t *at, *end;
    char wrong[800];
} model;

static int next_byte(model *m)
{
    return m->at < m->end ? *m->at++ : 0;
}

static int64_t last_of(const model *m, int name)
{
    int64_t i = m->made - 1;
    while (i >= 0 && (m->log[i].name != name || m->log[i].gone))
        i--;
    return m->ids[name] < 0 ? -1 : i;
}

static int count_units(const model *m)
{
    int count = 0;
    for (int n = 0; n < NAMES; n++)
        count += m->ids[n] >= 0;
    return count;
}

static int calls_of(const model *m, int name, int64_t time)
{
    int count = 0;
    for (int64_t i = 0; i < m->made; i++) {
        const event *e = &m->log[i];
        count +=
            e->name == name && !e->gone && !e->cancelled && e->action == 2 && e->time > time - HOUR;
    }
    return count;
}

static bool fail(model *m, const char *what, int status)
{
    snprintf(m->wrong, sizeof m->wrong, "%s: status %d, answer %.300s", what, status,
             serve_run_text(m->run));
    return false;
}

// ---- decisions ----

// Of a decision with its mask after limits: what it must be answered; *state is where it is made.
static int expect(const model *m, int name, int32_t *state, uint8_t *allowed, bool is_taken,
                  int32_t action, int64_t replaces)
{
    const int64_t last = last_of(m, name);
    const int32_t next = last >= 0 ? m->log[last].next : -1;
    const bool reported = last >= 0 && next >= 0;
    if (*state < 0 && !reported)
        return 422;
    const bool decides = strcmp(m->mode, "live") == 0 || strcmp(m->mode, "fallback") == 0;
    const bool takes =
        decides || strcmp(m->mode, "apprentice") == 0 || strcmp(m->mode, "paused") == 0;
    if (is_taken ? !takes : !decides)
        return 409;
    if (m->made >= m->horizon || (m->ids[name] < 0 && count_units(m) >= UNITS))
        return 409;
    if (*state < 0)
        *state = next;
    else if (reported && *state != next)
        return 409;
    if (replaces >= 0) {
        const event *e = &m->log[replaces];
        if (e->gone || replaces < m->made - PATIENCE || !isnan(e->reward) || e->name != name)
            return 409;
    }
    if (is_taken && !allowed[action])
        return 422;
    if (!is_taken && calls_of(m, name, m->run->time) >= m->limit)
        allowed[2] = 0;
    return !is_taken && allowed[0] + allowed[1] + allowed[2] == 0 ? 409 : 201;
}

static lgkt_status cancel(model *m, int64_t number)
{
    event *e = &m->log[number];
    lgkt_status status = LGKT_OK;
    if (last_of(m, e->name) == number && e->next == -1) {
        status = units_replay_next(m->learner, number, 0, true);
        e->next = -2;
    }
    e->cancelled = true;
    return status;
}

// Makes the decision of the answer in the plain version.
static bool follow(model *m, int name, int32_t state, const uint8_t *allowed, bool is_taken,
                   int64_t replaces)
{
    const json_t *answer = m->run->answer.body;
    const char *said = json_string_value(json_object_get(answer, "action"));
    const char *source = json_string_value(json_object_get(answer, "source"));
    int32_t action = 0, chosen = -1;
    while (action < ACTIONS - 1 && strcmp(ACTION[action], said) != 0)
        action++;
    if (json_integer_value(json_object_get(answer, "decision")) != m->made)
        return fail(m, "another number of a decision", 201);
    if (replaces >= 0 && cancel(m, replaces) != LGKT_OK)
        return fail(m, "the plain version cannot cancel", 201);
    const bool is_new = m->ids[name] < 0;
    if (is_new)
        m->ids[name] = m->ids_given++;
    const uint64_t id = (uint64_t)m->ids[name];
    const int64_t old = m->made - PATIENCE;
    if (old >= 0 && isnan(m->log[old].reward) && !m->log[old].cancelled && !isnan(m->missing))
        units_replay_reward(m->learner, old, m->missing);
    if (units_replay_settle(m->learner, id, state) != LGKT_OK)
        return fail(m, "the plain version cannot settle", 201);
    const double u = lgkt_floor_coin(7, 0, m->made);
    const int32_t coin = lgkt_floor_action(m->floor, u, allowed, ACTIONS);
    const bool falls_back = strcmp(m->mode, "fallback") == 0;
    const char *expected = is_taken     ? "taken"
                           : falls_back ? "fallback"
                           : coin >= 0  ? "floor"
                                        : "learner";
    if (strcmp(source, expected) != 0 || !allowed[action] ||
        (!is_taken && !falls_back && coin >= 0 && action != coin))
        return fail(m, "another source or action", 201);
    const bool by_learner = strcmp(expected, "learner") == 0;
    const lgkt_status status = by_learner
                                   ? units_replay_act(m->learner, id, state, allowed, &chosen)
                                   : units_replay_take(m->learner, id, state, allowed, action);
    if (status != LGKT_OK || (by_learner && chosen != action))
        return fail(m, "the plain version acts otherwise", chosen);
    if (!is_taken && !(serve_run_number(m->run, "probability") > 0))
        return fail(m, "an action without a probability", 201);
    const int64_t before = last_of(m, name);
    if (before >= 0 && m->log[before].next == -1)
        m->log[before].next = state;
    m->log[m->made++] = (event){.name = name,
                                .id = (int32_t)id,
                                .state = state,
                                .action = action,
                                .next = -1,
                                .reward = NAN,
                                .time = m->run->time};
    return true;
}

// A key that is new, one that was used, or one of a decision for :taken.
static bool decide(model *m, bool is_taken)
{
    const int name = next_byte(m) % NAMES, choice = next_byte(m), mask = next_byte(m);
    const int slot = next_byte(m) % KEYS;
    int32_t state = choice % 5 == 4 ? -1 : choice % STATES;
    const int32_t action = choice / 16 % ACTIONS;
    uint8_t allowed[ACTIONS] = {1, 1, 1};
    char body[200], key[16];
    int length = snprintf(body, sizeof body, "{\"unit\":\"u%d\"", name);
    if (state >= 0)
        length +=
            snprintf(body + length, sizeof body - (size_t)length, ",\"state\":{\"s\":%d}", state);
    if (mask % 3 == 0) {
        length +=
            snprintf(body + length, sizeof body - (size_t)length, ",\"allowed\":[\"%s\",\"%s\"]",
                     ACTION[mask / 4 % 3], ACTION[mask / 16 % 3]);
        for (int a = 0; a < ACTIONS; a++)
            allowed[a] = a == mask / 4 % 3 || a == mask / 16 % 3;
    }
    if (is_taken)
        length += snprintf(body + length, sizeof body - (size_t)length,
                           ",\"action\":\"%s\",\"probability\":0.5", ACTION[action]);
    snprintf(body + length, sizeof body - (size_t)length, "}");
    snprintf(key, sizeof key, "key%d", slot);
    const bool used = m->keys[slot].answer != NULL;
    const bool again = used && m->keys[slot].verb == (is_taken ? SRV_DO_TAKE : SRV_DO_DECIDE);
    if (used && !again &&
        !is_taken) // the key of a :taken that was no decision before: another key space
        return true;
    const int64_t replaces = used && !again ? m->keys[slot].decision : -1;
    if (again) {
        const bool other = (mask & 1) != 0;
        const int status = serve_run_do(m->run, is_taken ? SRV_DO_TAKE : SRV_DO_DECIDE, key,
                                        other ? "{\"x\":1}" : m->keys[slot].body);
        const bool gone = m->log[m->keys[slot].decision].gone;
        if (status != (gone ? 410 : other ? 422 : 201))
            return fail(m, "a retry", status);
        if (status == 201 && strcmp(serve_run_text(m->run), m->keys[slot].answer) != 0)
            return fail(m, "a retry has another answer", status);
        return true;
    }
    const int32_t given = state;
    m->run->time += 1000000; // as the command will have it
    const int expected = expect(m, name, &state, allowed, is_taken, action, replaces);
    m->run->time -= 1000000;
    const int status = serve_run_do(m->run, is_taken ? SRV_DO_TAKE : SRV_DO_DECIDE, key, body);
    if (status != expected)
        return fail(m, given < 0 ? "a decision without a state" : body, status * 1000 + expected);
    if (status != 201)
        return true;
    free(m->keys[slot].answer);
    m->keys[slot].answer = strdup(serve_run_text(m->run));
    m->keys[slot].verb = is_taken ? SRV_DO_TAKE : SRV_DO_DECIDE;
    m->keys[slot].decision = m->made;
    strcpy(m->keys[slot].body, body);
    return follow(m, name, state, allowed, is_taken, replaces);
}

// ---- reports ----

static bool report(model *m)
{
    static const char *const kinds[] = {"\"reward\":%g", "\"next_state\":{\"s\":%d}",
                                        "\"ended\":true", "\"executed\":false",
                                        "\"reward\":%g,\"next_state\":{\"s\":%d}"};
    const int64_t number = m->made - 1 - next_byte(m) % (PATIENCE + 3) + (next_byte(m) % 8 == 0);
    const int what = next_byte(m) % 5, value = next_byte(m);
    const double reward = value % 3 * 0.5;
    const int32_t next = value / 3 % STATES;
    char part[100], body[200];
    if (what == 0)
        snprintf(part, sizeof part, kinds[0], reward);
    else if (what == 1)
        snprintf(part, sizeof part, kinds[1], next);
    else if (what == 4)
        snprintf(part, sizeof part, kinds[4], reward, next);
    else
        snprintf(part, sizeof part, "%s", kinds[what]);
    snprintf(body, sizeof body, "[{\"decision\":%lld,%s}]", (long long)number, part);
    event *e = number >= 0 && number < m->made ? &m->log[number] : NULL;
    int expected = 200;
    const bool has_reward = what == 0 || what == 4, has_next = what == 1 || what == 2 || what == 4;
    const int32_t told = what == 2 ? -2 : next;
    if (e == NULL)
        expected = 404;
    else if (e->gone || number < m->made - PATIENCE)
        expected = 410;
    else if (what == 3)
        expected = isnan(e->reward) ? 200 : 409;
    else if (e->cancelled || (has_reward && !isnan(e->reward) && e->reward != reward) ||
             (has_next && e->next != -1 && e->next != told))
        expected = 409;
    const int status = serve_run_do(m->run, SRV_DO_REPORT, NULL, body);
    const int own =
        (int)json_integer_value(json_object_get(json_array_get(m->run->answer.body, 0), "status"));
    if (strcmp(m->mode, "sealed") == 0)
        return status == 409 || fail(m, "a report to a sealed programme", status);
    if (status != 200 || own != expected)
        return fail(m, body, own * 1000 + expected);
    if (own != 200)
        return true;
    if (what == 3 && !e->cancelled)
        return cancel(m, number) == LGKT_OK || fail(m, "the plain version cannot cancel", 200);
    if (has_next && e->next == -1) {
        e->next = told;
        if (units_replay_next(m->learner, number, told >= 0 ? told : 0, told == -2) != LGKT_OK)
            return fail(m, "the plain version refuses a next state", 200);
    }
    if (has_reward && isnan(e->reward)) {
        e->reward = reward;
        if (units_replay_reward(m->learner, number, reward) != LGKT_OK)
            return fail(m, "the plain version refuses a reward", 200);
    }
    return true;
}

// ---- the rest ----

static bool change(model *m)
{
    static const char *const modes[] = {"live",       "live",   "live", "fallback",
                                        "apprentice", "paused", "live", "live"};
    static int count;
    char body[100], key[32];
    const int what = next_byte(m);
    const char *mode = modes[what / 4 % 8];
    const double floor = what % 5 * 0.05;
    const int limit = what / 4 % 3 + 1 < m->limit ? what / 4 % 3 + 1 : m->limit; // only lower ones
    const int64_t horizon = m->horizon + what % 7 - 3;
    if (what % 4 == 0)
        snprintf(body, sizeof body, "{\"mode\":\"%s\",\"reason\":\"a test\"}", mode);
    else if (what % 4 == 1)
        snprintf(body, sizeof body, "{\"floor\":%g}", floor);
    else if (what % 4 == 2)
        snprintf(body, sizeof body, "{\"horizon\":%lld}", (long long)horizon);
    else
        snprintf(body, sizeof body,
                 "{\"limits\":[{\"action\":\"call\",\"max\":%d,\"window\":\"PT1H\"}]}", limit);
    snprintf(key, sizeof key, "change%d", count++);
    const int expected = what % 4 == 2 && horizon < m->made ? 422 : 200;
    const int status = serve_run_do(m->run, SRV_DO_CHANGE, key, body);
    if (status != expected)
        return fail(m, body, status);
    if (status != 200)
        return true;
    if (what % 4 == 0)
        m->mode = mode;
    else if (what % 4 == 1)
        m->floor = floor;
    else if (what % 4 == 3)
        m->limit = limit;
    else if (what % 4 == 2 &&
             units_replay_set_horizon(m->learner, m->horizon = horizon, 0) != LGKT_OK)
        return fail(m, "the plain version refuses a horizon", status);
    return true;
}

static bool erase(model *m)
{
    const int name = next_byte(m) % NAMES;
    char text[8];
    snprintf(text, sizeof text, "u%d", name);
    const int status = serve_run_do(m->run, SRV_DO_ERASE, NULL, text);
    if (status != (m->ids[name] < 0 ? 404 : 200))
        return fail(m, "an erasure", status);
    if (status == 404)
        return true;
    units_replay_leave(m->learner, (uint64_t)m->ids[name]);
    for (int64_t i = 0; i < m->made; i++)
        m->log[i].gone |= m->log[i].name == name;
    m->ids[name] = -1;
    return true;
}

static bool look(model *m)
{
    char text[40];
    const int number = next_byte(m);
    snprintf(text, sizeof text, "%d", number);
    int status = serve_run_do(m->run, SRV_DO_DECISION, NULL, text);
    const int expected = number >= m->made ? 404 : m->log[number].gone ? 410 : 200;
    if (status != expected)
        return fail(m, "a look at a decision", status);
    if (status == 200 && (serve_run_number(m->run, "decision") != number ||
                          strcmp(json_string_value(json_object_get(m->run->answer.body, "action")),
                                 ACTION[m->log[number].action]) != 0))
        return fail(m, "another decision", status);
    snprintf(text, sizeof text, "u%d", number % NAMES);
    status = serve_run_do(m->run, SRV_DO_UNIT, NULL, text);
    if (status != (m->ids[number % NAMES] < 0 ? 404 : 200))
        return fail(m, "a look at a unit", status);
    status = serve_run_do(m->run, SRV_DO_EXPLAIN, NULL, "{\"state\":{\"s\":1}}");
    status = serve_run_do(m->run, SRV_DO_MONITOR, NULL, NULL);
    return status == 200 || fail(m, "a look at the monitor", status);
}

static bool make(model *m, bool has_missing)
{
    char config[600];
    snprintf(config, sizeof config,
             "{\"name\":\"model\",\"learner\":\"q-greedy:epsilon=0.3\",\"actions\":[\"none\","
             "\"mail\",\"call\"],"
             "\"state\":[{\"name\":\"s\",\"values\":3}],\"horizon\":%d,\"unit_limit\":%d,"
             "\"patience\":%d,\"seed\":7,"
             "\"missing\":%s,\"limits\":[{\"action\":\"call\",\"max\":3,\"window\":\"PT1H\"}]}",
             HORIZON, UNITS, PATIENCE, has_missing ? "0.25" : "null");
    lgkt_learner_config learner = lgkt_learner_config_default();
    learner.problem.actions = ACTIONS;
    learner.problem.horizon = HORIZON;
    learner.problem.reward_min = learner.problem.reward_max = learner.problem.reward_sd = NAN;
    learner.problem.masked = true;
    learner.seed = 7;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    set.patience = PATIENCE;
    m->missing = has_missing ? 0.25 : NAN;
    m->horizon = HORIZON;
    m->mode = "live";
    m->limit = 3;
    for (int i = 0; i < NAMES; i++)
        m->ids[i] = -1;
    m->learner = units_replay_make("q-greedy:epsilon=0.3", &learner, &set);
    m->run = serve_run_make(config);
    return m->learner != NULL;
}

const char *serve_model_calls(const uint8_t *bytes, size_t size)
{
    static char wrong[800];
    model *m = calloc(1, sizeof *m);
    if (m == NULL)
        return "no memory";
    m->at = bytes;
    m->end = bytes + size;
    bool good = make(m, next_byte(m) % 2 != 0);
    bool erased = false;
    while (good && m->at < m->end && m->made < LONGEST) {
        const int what = next_byte(m) % 32;
        if (what < 16)
            good = decide(m, what % 4 == 3);
        else if (what < 26)
            good = report(m);
        else if (what < 28)
            good = change(m);
        else if (what < 29)
            good = erase(m), erased = true;
        else if (what < 30)
            m->run->time += next_byte(m) % 2 ? -HOUR / 2 : HOUR / 2; // the clock jumps
        else
            good = look(m);
        if (m->run->time < srv_machine_time(m->run->machine))
            m->run->time = srv_machine_time(m->run->machine); // as the machine has it
    }
    if (good)
        erased ? serve_run_check_snapshot(m->run) : serve_run_check(m->run);
    snprintf(wrong, sizeof wrong, "%s", m->wrong);
    serve_run_free(m->run);
    units_replay_free(m->learner);
    for (int i = 0; i < KEYS; i++)
        free(m->keys[i].answer);
    free(m);
    return good ? NULL : wrong;
}
