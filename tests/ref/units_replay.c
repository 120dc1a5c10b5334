// SPDX-License-Identifier: MIT
#include "ref/units_replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learners/front/learner_private.h"

enum { STATES = 3, ACTIONS = 3, LONGEST = 1500 };

// ---- the log ----

typedef struct entry {
    uint64_t unit;
    int64_t life; // of the unit: how often its id had left before
    int32_t state, action, next;
    double reward;
    bool has_reward, has_next, ended, over, taken;
} entry;

// a row that was fed
typedef struct fed_row {
    uint64_t unit;
    int64_t life;
    int64_t made; // decisions that had been made before it
    int32_t next; // -1: it ended
} fed_row;

struct units_replay {
    lgkt_learner *learner;
    lgkt_units_config set;
    entry log[LONGEST];
    int64_t made, expired;
    uint64_t gone[LONGEST]; // ids that have left, in order
    int64_t gone_count;
    fed_row fed[LONGEST];
    int64_t fed_count;
    int32_t seen[STATES]; // states in the order they came up, where they are keys
    int32_t seen_count;
};

units_replay *units_replay_make(const char *spec, const lgkt_learner_config *config,
                                const lgkt_units_config *set)
{
    lgkt_learner *learner = NULL;
    lgkt_learner_config known = *config;
    known.problem.states = STATES;
    units_replay *r = calloc(1, sizeof *r);
    if (r == NULL || lgkt_learner_create(spec, &known, &learner, NULL) != LGKT_OK) {
        free(r);
        return NULL;
    }
    r->learner = learner;
    r->set = *set;
    return r;
}

void units_replay_free(units_replay *replay)
{
    if (replay != NULL)
        lgkt_learner_destroy(replay->learner);
    free(replay);
}

// ---- looking into it ----

static int64_t life_of(const units_replay *r, uint64_t unit)
{
    int64_t life = 0;
    for (int64_t i = 0; i < r->gone_count; i++)
        life += r->gone[i] == unit;
    return life;
}

static bool is_of(const units_replay *r, int64_t i, uint64_t unit)
{
    return r->log[i].unit == unit && r->log[i].life == life_of(r, unit);
}

// the latest decision of a unit, or -1
static int64_t last_of(const units_replay *r, uint64_t unit)
{
    int64_t i = r->made - 1;
    while (i >= 0 && !is_of(r, i, unit))
        i--;
    return i;
}

// the row that a unit was fed after its latest decision, or NULL
static const fed_row *fed_to(const units_replay *r, uint64_t unit)
{
    for (int64_t i = r->fed_count - 1; i >= 0; i--)
        if (r->fed[i].unit == unit && r->fed[i].life == life_of(r, unit))
            return r->fed[i].made > last_of(r, unit) ? &r->fed[i] : NULL;
    return NULL;
}

static bool is_there(const units_replay *r, uint64_t unit)
{
    return last_of(r, unit) >= 0 || fed_to(r, unit) != NULL;
}

static int64_t made_by(const units_replay *r, uint64_t unit)
{
    int64_t made = 0;
    for (int64_t i = 0; i < r->made; i++)
        made += is_of(r, i, unit);
    return made;
}

static int64_t count_units(const units_replay *r)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->made; i++)
        count += last_of(r, r->log[i].unit) == i;
    // and those that were only fed
    for (int64_t i = 0; i < r->fed_count; i++)
        count += last_of(r, r->fed[i].unit) < 0 && fed_to(r, r->fed[i].unit) == &r->fed[i];
    return count;
}

static int64_t count_open(const units_replay *r)
{
    int64_t open = 0;
    for (int64_t i = 0; i < r->made; i++)
        open += !r->log[i].over && !(r->log[i].has_reward && r->log[i].has_next);
    return open;
}

// the state that a unit must act in, or was led to by a row, or -1
static int32_t told_of(const units_replay *r, uint64_t unit)
{
    const int64_t last = last_of(r, unit);
    const fed_row *row = fed_to(r, unit);
    if (row != NULL)
        return row->next;
    return last >= 0 && r->log[last].has_next && !r->log[last].ended ? r->log[last].next : -1;
}

// the number of a state for the learner
static int32_t number_of(units_replay *r, int32_t state)
{
    if (r->set.keys.state_limit == 0)
        return state;
    for (int32_t i = 0; i < r->seen_count; i++)
        if (r->seen[i] == state)
            return i;
    r->seen[r->seen_count] = state;
    return r->seen_count++;
}

// ---- calls ----

static void learn_if_known(units_replay *r, const entry *e)
{
    if (!e->has_reward || !e->has_next)
        return;
    lgkt_learner *learner = r->learner;
    learner->state = number_of(r, e->state);
    learner->action = e->action;
    if (e->taken)
        learner->feed(learner, e->reward, number_of(r, e->next), e->ended);
    else
        learner->observe(learner, e->reward, number_of(r, e->next), e->ended);
}

// Why a unit cannot decide; else the state that it decides in, and how many actions it may choose.
static lgkt_status check_turn(const units_replay *r, uint64_t unit, int32_t *state,
                              const uint8_t *allowed, int32_t *free_actions)
{
    const lgkt_learner *learner = r->learner;
    const int32_t told = told_of(r, unit);
    const bool fed = fed_to(r, unit) != NULL;
    if (r->made >= learner->problem.horizon)
        return LGKT_ERR_HORIZON;
    if (*state == LGKT_STATE_REPORTED && told < 0)
        return LGKT_ERR_PROTOCOL;
    if (*state < -1 || *state >= STATES)
        return LGKT_ERR_ARGUMENT;
    if (*state >= 0 && told >= 0 && *state != told && !fed)
        return LGKT_ERR_PROTOCOL;
    if (r->set.unit_horizon > 0 && made_by(r, unit) >= r->set.unit_horizon)
        return LGKT_ERR_HORIZON;
    *free_actions = 0;
    for (int32_t a = 0; a < ACTIONS; a++)
        *free_actions += allowed == NULL || allowed[a] != 0;
    if (*free_actions == 0)
        return LGKT_ERR_ARGUMENT;
    if (*free_actions < ACTIONS && !learner->problem.masked)
        return LGKT_ERR_CONFIG;
    if (!is_there(r, unit) && count_units(r) >= r->set.unit_limit)
        return LGKT_ERR_SHAPE;
    *state = *state < 0 ? told : *state;
    return LGKT_OK;
}

// what a decision in a state lets the learner learn first
static void settle(units_replay *r, uint64_t unit, int32_t state)
{
    const int64_t last = last_of(r, unit);
    number_of(r, state);
    if (last >= 0 && fed_to(r, unit) == NULL && !r->log[last].has_next && !r->log[last].over) {
        r->log[last].has_next = true;
        r->log[last].next = state;
        learn_if_known(r, &r->log[last]);
    }
    // with the one at hand, whatever has become too old
    for (int64_t i = 0; i < r->made; i++) {
        entry *e = &r->log[i];
        if (e->over || r->made + 1 - i <= r->set.patience)
            continue;
        e->over = true;
        if (e->has_reward && e->has_next)
            continue;
        entry filled = *e;
        r->expired += !e->has_reward;
        if (!e->has_reward)
            filled.reward = r->set.missing;
        filled.has_reward = !isnan(filled.reward);
        filled.ended = e->ended || !e->has_next;
        filled.next = e->has_next ? e->next : e->state;
        filled.has_next = true;
        learn_if_known(r, &filled);
    }
}

lgkt_status units_replay_settle(units_replay *replay, uint64_t unit, int32_t state)
{
    int32_t free_actions;
    const lgkt_status status = check_turn(replay, unit, &state, NULL, &free_actions);
    if (status == LGKT_OK)
        settle(replay, unit, state);
    return status;
}

// with an action that was taken, or -1
static lgkt_status decide(units_replay *r, uint64_t unit, int32_t state, const uint8_t *allowed,
                          int32_t taken, int32_t *action)
{
    lgkt_learner *learner = r->learner;
    int32_t free_actions;
    const lgkt_status status = check_turn(r, unit, &state, allowed, &free_actions);
    if (status != LGKT_OK)
        return status;
    settle(r, unit, state);
    const int32_t number = number_of(r, state);
    if (learner->problem.masked)
        lgkt_learner_note_offer(learner, number, free_actions < ACTIONS ? allowed : NULL);
    learner->state = number;
    learner->allowed = free_actions < ACTIONS ? allowed : NULL;
    *action = taken >= 0 ? taken : lgkt_learner_act_now(learner, number);
    learner->allowed = NULL;
    r->log[r->made++] = (entry){.unit = unit,
                                .life = life_of(r, unit),
                                .state = state,
                                .action = *action,
                                .taken = taken >= 0};
    learner->t = r->made;
    learner->phase = r->made < learner->problem.horizon ? LGKT_PHASE_ACT : LGKT_PHASE_OVER;
    return LGKT_OK;
}

lgkt_status units_replay_act(units_replay *replay, uint64_t unit, int32_t state,
                             const uint8_t *allowed, int32_t *action)
{
    return decide(replay, unit, state, allowed, -1, action);
}

lgkt_status units_replay_take(units_replay *replay, uint64_t unit, int32_t state,
                              const uint8_t *allowed, int32_t action)
{
    if (action < 0 || action >= ACTIONS || (allowed != NULL && allowed[action] == 0))
        return LGKT_ERR_ARGUMENT;
    return decide(replay, unit, state, allowed, action, &action);
}

lgkt_status units_replay_feed(units_replay *replay, const lgkt_units_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lgkt_units_row *row = &rows[i];
        if (row->action < 0 || row->action >= ACTIONS)
            return LGKT_ERR_ARGUMENT;
        if (!(fabs(row->reward) <= LGKT_MAX_REWARD))
            return isfinite(row->reward) ? LGKT_ERR_ARGUMENT : LGKT_ERR_NOT_FINITE;
        if (row->state < 0 || row->state >= STATES || row->next_state < 0 ||
            row->next_state >= STATES)
            return LGKT_ERR_ARGUMENT;
    }
    // all rows are of one unit
    if (count > 0 && !is_there(replay, rows->unit) && count_units(replay) >= replay->set.unit_limit)
        return LGKT_ERR_SHAPE;
    for (size_t i = 0; i < count; i++) {
        const lgkt_units_row *row = &rows[i];
        lgkt_learner *learner = replay->learner;
        learner->state = number_of(replay, row->state);
        learner->action = row->action;
        const int32_t next = number_of(replay, row->next_state);
        learner->feed(learner, row->reward, next, row->ended);
        replay->fed[replay->fed_count++] = (fed_row){
            row->unit, life_of(replay, row->unit), replay->made, row->ended ? -1 : row->next_state};
    }
    return LGKT_OK;
}

lgkt_status units_replay_raise_limits(units_replay *replay, int32_t unit_limit, int64_t patience)
{
    if ((unit_limit != 0 && unit_limit < replay->set.unit_limit) ||
        (patience != 0 && patience < replay->set.patience))
        return LGKT_ERR_ARGUMENT;
    replay->set.unit_limit = unit_limit != 0 ? unit_limit : replay->set.unit_limit;
    replay->set.patience = patience != 0 ? patience : replay->set.patience;
    return LGKT_OK;
}

lgkt_status units_replay_reward(units_replay *replay, int64_t decision, double reward)
{
    if (decision < 0 || decision >= replay->made)
        return LGKT_ERR_ARGUMENT;
    if (replay->log[decision].over)
        return LGKT_ERR_HORIZON;
    if (!isfinite(reward))
        return LGKT_ERR_NOT_FINITE;
    if (fabs(reward) > LGKT_MAX_REWARD)
        return LGKT_ERR_ARGUMENT;
    entry *e = &replay->log[decision];
    if (e->has_reward)
        return e->reward == reward ? LGKT_OK : LGKT_ERR_PROTOCOL;
    e->has_reward = true;
    e->reward = reward;
    learn_if_known(replay, e);
    return LGKT_OK;
}

lgkt_status units_replay_next(units_replay *replay, int64_t decision, int32_t next, bool ended)
{
    if (decision < 0 || decision >= replay->made)
        return LGKT_ERR_ARGUMENT;
    if (replay->log[decision].over)
        return LGKT_ERR_HORIZON;
    if (next < 0 || next >= STATES)
        return LGKT_ERR_ARGUMENT;
    entry *e = &replay->log[decision];
    if (e->has_next)
        return e->next == next && e->ended == ended ? LGKT_OK : LGKT_ERR_PROTOCOL;
    number_of(replay, next);
    e->has_next = true;
    e->next = next;
    e->ended = ended;
    learn_if_known(replay, e);
    return LGKT_OK;
}

lgkt_status units_replay_leave(units_replay *replay, uint64_t unit)
{
    if (!is_there(replay, unit))
        return LGKT_ERR_ARGUMENT;
    replay->gone[replay->gone_count++] = unit;
    return LGKT_OK;
}

lgkt_status units_replay_set_horizon(units_replay *replay, int64_t horizon, int64_t unit_horizon)
{
    if (horizon < 1 || horizon < replay->made || unit_horizon < 0)
        return LGKT_ERR_ARGUMENT;
    if (unit_horizon > 0 && replay->set.unit_horizon == 0)
        return LGKT_ERR_ARGUMENT;
    for (int64_t i = 0; i < replay->made && unit_horizon > 0; i++)
        if (is_of(replay, i, replay->log[i].unit) &&
            made_by(replay, replay->log[i].unit) > unit_horizon)
            return LGKT_ERR_ARGUMENT;
    const lgkt_status status = lgkt_learner_set_horizon(replay->learner, horizon);
    if (status == LGKT_OK && unit_horizon > 0)
        replay->set.unit_horizon = unit_horizon;
    return status;
}

// ---- bytes as calls ----

typedef struct reader {
    const uint8_t *bytes;
    size_t left;
} reader;

static int take(reader *r)
{
    if (r->left == 0)
        return 0;
    r->left--;
    return *r->bytes++;
}

static size_t key_of(int32_t state, char key[16])
{
    return (size_t)snprintf(key, 16, "%.*s%d", state < 0 ? 0 : state, "------", state);
}

typedef struct pair {
    lgkt_units *units;
    units_replay *replay;
    bool keyed;
    bool may_settle; // an act that is refused for memory has settled
    fault *memory;
} pair;

static const uint64_t IDS[] = {0, 1, UINT64_C(1) << 32, UINT64_MAX, 7};

typedef enum kind { ACT, TAKE, SETTLE, REWARD, NEXT, FEED, LEAVE, HORIZON, LIMITS, RELOAD } kind;

// how often each kind comes
enum { KINDS = 19 };

// a call with its arguments
typedef struct request {
    kind kind;
    uint64_t id;
    int32_t state, action;
    uint8_t mask[ACTIONS];
    bool masked, ended;
    int64_t decision;
    double reward;
    int32_t next;
    size_t rows;
    int64_t limits[2]; // horizons, or units and patience
} request;

static double read_reward(reader *in)
{
    static const double rewards[] = {0, 1, -0.0, 0.5, 1, -2, 1e100, 1e200, NAN, -INFINITY};
    return rewards[take(in) % 10];
}

static request read_request(const pair *p, int byte, reader *in)
{
    static const kind kinds[KINDS] = {ACT,  ACT,    ACT,    ACT,    ACT,   REWARD,  REWARD,
                                      NEXT, NEXT,   NEXT,   REWARD, LEAVE, HORIZON, RELOAD,
                                      TAKE, SETTLE, SETTLE, FEED,   LIMITS};
    request q = {.kind = kinds[byte % KINDS]};
    if (q.kind == HORIZON || q.kind == LIMITS) {
        q.limits[0] = q.kind == HORIZON ? p->replay->made - 2 + take(in) % 64 : take(in) % 6;
        q.limits[1] = take(in) % (q.kind == HORIZON ? 8 : 16) - (q.kind == HORIZON);
        return q;
    }
    q.id = IDS[take(in) % 5];
    if (q.kind == LEAVE || q.kind == RELOAD)
        return q;
    const int which = take(in), more = take(in);
    if (q.kind == REWARD || q.kind == NEXT) {
        q.decision = p->replay->made - which % 16 + (which == 240);
        q.reward = read_reward(in);
        q.next = more % STATES;
        q.next = more >= 250 && !p->keyed ? (more == 250 ? -1 : STATES) : q.next;
        q.ended = more % 16 == 7;
        return q;
    }
    // mostly a state that is right; a key is always one of a few
    const int32_t told = told_of(p->replay, q.id);
    q.state = which % 4 == 0 && q.kind != FEED ? LGKT_STATE_REPORTED : (which / 4) % STATES;
    q.state = which < 200 && q.state >= 0 && told >= 0 ? told : q.state;
    q.state = which == 255 && !p->keyed ? STATES : which == 254 && !p->keyed ? -2 : q.state;
    q.masked = more >= 128 && q.kind != SETTLE;
    for (int a = 0; a < ACTIONS; a++)
        q.mask[a] = (more >> a) & 1;
    q.action = (more >> 3) % 4;
    if (q.kind == FEED) {
        q.reward = read_reward(in);
        q.next = take(in) % (STATES + !p->keyed);
        q.rows = (size_t)take(in) % 3;
        q.ended = q.next == 1;
    }
    return q;
}

// one row, or others of the same unit behind it
static void rows_of(const request *q, lgkt_units_row rows[3], char keys[2][16])
{
    const int32_t states[] = {q->state, q->next};
    size_t sizes[2];
    for (int i = 0; i < 2; i++)
        sizes[i] = key_of(states[i], keys[i]);
    for (int i = 0; i < 3; i++) {
        const int from = i % 2, to = 1 - from;
        rows[i] = (lgkt_units_row){.unit = q->id,
                                   .state = states[from],
                                   .action = i == 0 ? q->action : 0,
                                   .reward = i == 1 ? 0.5 : q->reward,
                                   .next_state = states[to],
                                   .ended = q->ended && i == 0,
                                   .key = keys[from],
                                   .key_size = sizes[from],
                                   .next_key = keys[to],
                                   .next_key_size = sizes[to]};
    }
}

static lgkt_status call_replay(pair *p, const request *q, int32_t *action)
{
    units_replay *r = p->replay;
    const uint8_t *allowed = q->masked ? q->mask : NULL;
    lgkt_units_row rows[3];
    char keys[2][16];
    switch (q->kind) {
    case ACT:
        return units_replay_act(r, q->id, q->state, allowed, action);
    case TAKE:
        return units_replay_take(r, q->id, q->state, allowed, q->action);
    case SETTLE:
        return units_replay_settle(r, q->id, q->state);
    case REWARD:
        return units_replay_reward(r, q->decision, q->reward);
    case NEXT:
        return units_replay_next(r, q->decision, q->next, q->ended);
    case FEED:
        rows_of(q, rows, keys);
        return units_replay_feed(r, rows, q->rows + 1);
    case LEAVE:
        return units_replay_leave(r, q->id);
    case HORIZON:
        return units_replay_set_horizon(r, q->limits[0], q->limits[1]);
    case LIMITS:
        return units_replay_raise_limits(r, (int32_t)q->limits[0], q->limits[1]);
    default:
        return LGKT_OK;
    }
}

static lgkt_status call_units(pair *p, const request *q, int64_t *decision, int32_t *action)
{
    lgkt_units *u = p->units;
    const uint8_t *allowed = q->masked ? q->mask : NULL;
    const bool by_key = p->keyed && q->state >= 0;
    char key[16], next[16], keys[2][16];
    const size_t size = key_of(q->state, key), next_size = key_of(q->next, next);
    lgkt_units_row rows[3];
    switch (q->kind) {
    case ACT:
        return by_key ? lgkt_units_act_key(u, q->id, key, size, allowed, decision, action)
                      : lgkt_units_act(u, q->id, q->state, allowed, decision, action);
    case TAKE:
        return by_key ? lgkt_units_take_key(u, q->id, key, size, allowed, q->action, decision)
                      : lgkt_units_take(u, q->id, q->state, allowed, q->action, decision);
    case SETTLE:
        return by_key ? lgkt_units_settle_key(u, q->id, key, size)
                      : lgkt_units_settle(u, q->id, q->state);
    case REWARD:
        return lgkt_units_reward(u, q->decision, q->reward);
    case NEXT:
        return p->keyed ? lgkt_units_next_key(u, q->decision, next, next_size, q->ended)
                        : lgkt_units_next(u, q->decision, q->next, q->ended);
    case FEED:
        rows_of(q, rows, keys);
        if (q->rows > 0)
            return lgkt_units_feed_rows(u, rows, q->rows + 1, sizeof *rows);
        return p->keyed
                   ? lgkt_units_feed_key(u, q->id, key, size, q->action, q->reward, next, next_size,
                                         q->ended)
                   : lgkt_units_feed(u, q->id, q->state, q->action, q->reward, q->next, q->ended);
    case LEAVE:
        return lgkt_units_leave(u, q->id);
    case HORIZON:
        return lgkt_units_set_horizon(u, q->limits[0], q->limits[1]);
    case LIMITS:
        return lgkt_units_raise_limits(u, (int32_t)q->limits[0], q->limits[1]);
    default:
        return LGKT_OK;
    }
}

// saves and goes on with what is loaded
static bool reload(pair *p)
{
    size_t size = 0;
    lgkt_units_save(p->units, NULL, 0, &size, NULL);
    void *bytes = malloc(size);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(p->memory);
    lgkt_units *loaded = NULL;
    const uint64_t hash = lgkt_units_hash(p->units);
    const bool good = bytes != NULL &&
                      lgkt_units_save(p->units, bytes, size, &size, NULL) == LGKT_OK &&
                      lgkt_units_load(bytes, size, &config, &loaded, NULL) == LGKT_OK &&
                      lgkt_units_hash(loaded) == hash;
    free(bytes);
    if (good) {
        lgkt_units_destroy(p->units);
        p->units = loaded;
    } else {
        lgkt_units_destroy(loaded);
    }
    return good;
}

static bool has_line(const lgkt_units *units)
{
    const char *text = lgkt_units_message(units);
    return *text != '\0' && strpbrk(text, "\r\n") == NULL;
}

// what came of a call
typedef struct outcome {
    lgkt_status status;
    int64_t decision;
    int32_t action;
    uint64_t before; // the hash that a refusal must leave
} outcome;

// Makes a call. Where `failing` is not 0 it lacks memory first, from that allocation on or at it
// alone, and is made again.
static const char *make_call(pair *p, const request *q, int failing, bool persistent, outcome *out)
{
    *out = (outcome){.decision = -5, .action = -5, .before = lgkt_units_hash(p->units)};
    if (failing > 0) {
        fault_fail_at(p->memory, failing, persistent);
        out->status = call_units(p, q, &out->decision, &out->action);
        fault_fail_at(p->memory, 0, false);
        if (out->status != LGKT_ERR_NO_MEMORY)
            return NULL;
        const uint64_t hash = lgkt_units_hash(p->units);
        if (hash != out->before && !(p->may_settle && q->kind == ACT))
            return "a call that lacks memory has changed something";
        if (!has_line(p->units))
            return "a call that lacks memory has no line of text";
        out->before = hash;
    }
    out->status = call_units(p, q, &out->decision, &out->action);
    return NULL;
}

static const char *one_call(pair *p, reader *in)
{
    const int byte = take(in);
    const request q = read_request(p, byte, in);
    const int64_t made = p->replay->made;
    // about half of the calls lack memory
    const int failing = byte < 7 * KINDS ? 0 : byte / KINDS - 6;
    outcome out;
    const char *wrong = make_call(p, &q, failing, byte % 2 == 0, &out);
    if (wrong != NULL)
        return wrong;
    int32_t action = -5;
    const lgkt_status status = out.status, expected = call_replay(p, &q, &action);
    const lgkt_units *units = p->units;
    const units_replay *r = p->replay;
    if (status != expected)
        return "a call ended otherwise than the log says";
    if (status == LGKT_OK && q.kind == ACT && (out.action != action || out.decision != made))
        return "a decision is not that of the log";
    if (status != LGKT_OK && lgkt_units_hash(units) != out.before)
        return "a refused call has changed something";
    if (status != LGKT_OK && !has_line(units))
        return "a refused call has no line of text";
    if (q.kind == RELOAD && !reload(p))
        return "what is saved cannot be loaded, or is another one";
    units = p->units;
    if (lgkt_units_decisions(units) != r->made || lgkt_units_open(units) != count_open(r) ||
        lgkt_units_count(units) != count_units(r) || lgkt_units_expired(units) != r->expired)
        return "counts are not those of the log";
    if (!p->keyed && lgkt_learner_hash(lgkt_units_learner(units)) != lgkt_learner_hash(r->learner))
        return "the learner is not what the log makes of it";
    if (p->keyed && lgkt_keyed_states(lgkt_units_keys(units)) != r->seen_count)
        return "keys are not those of the log";
    return NULL;
}

const char *units_replay_calls(const uint8_t *bytes, size_t size, fault *memory)
{
    // the last one asks how many states there are
    static const char *const specs[] = {"ucb",
                                        "lg1t",
                                        "random",
                                        "anytime:of=ucb,first=3",
                                        "window:of=ucb,steps=3",
                                        "window:of=(anytime:of=lg1t,first=2),steps=5",
                                        "ucrl2"};
    enum { SPECS = sizeof specs / sizeof *specs };
    reader in = {bytes, size};
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_units_config set = lgkt_units_config_default();
    const int which = take(&in);
    config.allocator = fault_allocator(memory);
    config.problem.actions = ACTIONS;
    config.problem.horizon = 1 + take(&in);
    config.problem.masked = take(&in) % 2 == 1;
    set.unit_limit = 1 + take(&in) % 5;
    set.patience = 1 + take(&in) % 12;
    set.missing = take(&in) % 2 == 1 ? 0.25 : NAN;
    set.unit_horizon = take(&in) % 4 == 1 ? 20 : 0;
    set.keys.state_limit = take(&in) % 2 == 1 ? STATES : 0;
    pair p = {.keyed = set.keys.state_limit > 0, .memory = memory};
    const char *spec = specs[which % (p.keyed ? SPECS - 1 : SPECS)];
    p.may_settle = strstr(spec, "anytime") != NULL;
    config.problem.states = p.keyed ? 0 : STATES;
    p.replay = units_replay_make(spec, &config, &set);
    const char *wrong = "units cannot be made";
    if (p.replay != NULL && lgkt_units_create(spec, &config, &set, &p.units, NULL) == LGKT_OK)
        wrong = NULL;
    for (int i = 0; i < LONGEST / 3 && in.left > 0 && wrong == NULL; i++)
        wrong = one_call(&p, &in);
    lgkt_units_destroy(p.units);
    units_replay_free(p.replay);
    return wrong;
}
