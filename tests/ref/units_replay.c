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
    bool has_reward, has_next, ended, over;
} entry;

struct units_replay {
    lgkt_learner *learner;
    lgkt_units_config set;
    entry log[LONGEST];
    int64_t made, expired;
    uint64_t gone[LONGEST]; // ids that have left, in order
    int64_t gone_count;
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
    return count;
}

static int64_t count_open(const units_replay *r)
{
    int64_t open = 0;
    for (int64_t i = 0; i < r->made; i++)
        open += !r->log[i].over && !(r->log[i].has_reward && r->log[i].has_next);
    return open;
}

// the state that a unit must act in, or -1
static int32_t told_of(const units_replay *r, uint64_t unit)
{
    const int64_t last = last_of(r, unit);
    return last >= 0 && r->log[last].has_next && !r->log[last].ended ? r->log[last].next : -1;
}

static bool is_too_old(const units_replay *r, int64_t decision)
{
    return r->made - decision > r->set.patience;
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
    learner->observe(learner, e->reward, number_of(r, e->next), e->ended);
}

lgkt_status units_replay_act(units_replay *replay, uint64_t unit, int32_t state,
                             const uint8_t *allowed, int32_t *action)
{
    units_replay *r = replay;
    lgkt_learner *learner = r->learner;
    const int64_t last = last_of(r, unit);
    const int32_t told = told_of(r, unit);
    if (r->made >= learner->problem.horizon)
        return LGKT_ERR_HORIZON;
    if (state == LGKT_STATE_REPORTED && told < 0)
        return LGKT_ERR_PROTOCOL;
    if (state < -1 || state >= STATES)
        return LGKT_ERR_ARGUMENT;
    if (state >= 0 && told >= 0 && state != told)
        return LGKT_ERR_PROTOCOL;
    if (r->set.unit_horizon > 0 && made_by(r, unit) >= r->set.unit_horizon)
        return LGKT_ERR_HORIZON;
    int32_t free_actions = 0;
    for (int32_t a = 0; a < ACTIONS; a++)
        free_actions += allowed == NULL || allowed[a] != 0;
    if (free_actions == 0)
        return LGKT_ERR_ARGUMENT;
    if (free_actions < ACTIONS && learner->class->act_among == NULL)
        return LGKT_ERR_UNSUPPORTED;
    if (free_actions < ACTIONS && !learner->problem.masked)
        return LGKT_ERR_CONFIG;
    if (last < 0 && count_units(r) >= r->set.unit_limit)
        return LGKT_ERR_SHAPE;

    state = told >= 0 ? told : state;
    number_of(r, state);
    if (last >= 0 && !r->log[last].has_next && !r->log[last].over) {
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
    const int32_t number = number_of(r, state);
    if (learner->problem.masked)
        lgkt_learner_note_offer(learner, number, free_actions < ACTIONS ? allowed : NULL);
    learner->state = number;
    learner->allowed = free_actions < ACTIONS ? allowed : NULL;
    *action = free_actions < ACTIONS ? learner->class->act_among(learner, number)
                                     : learner->act(learner, number);
    learner->allowed = NULL;
    r->log[r->made++] = (entry){.unit = unit,
                                .life = life_of(r, unit),
                                .state = state,
                                .action = *action,
                                .has_reward = false};
    learner->t = r->made;
    learner->phase = r->made < learner->problem.horizon ? LGKT_PHASE_ACT : LGKT_PHASE_OVER;
    return LGKT_OK;
}

lgkt_status units_replay_reward(units_replay *replay, int64_t decision, double reward)
{
    if (decision < 0 || decision >= replay->made)
        return LGKT_ERR_ARGUMENT;
    if (is_too_old(replay, decision))
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
    if (is_too_old(replay, decision))
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
    if (last_of(replay, unit) < 0)
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
} pair;

static const uint64_t IDS[] = {0, 1, UINT64_C(1) << 32, UINT64_MAX, 7};

static lgkt_status act(pair *p, reader *in, lgkt_status *expected)
{
    const uint64_t id = IDS[take(in) % 5];
    const int which = take(in), masks = take(in);
    const int32_t told = told_of(p->replay, id);
    // mostly one that is right; a key is always one of a few
    int32_t state = which % 4 == 0 ? LGKT_STATE_REPORTED : (which / 4) % STATES;
    state = which < 200 && state >= 0 && told >= 0 ? told : state;
    state = which == 255 && !p->keyed ? STATES : which == 254 && !p->keyed ? -2 : state;
    const uint8_t mask[ACTIONS] = {masks & 1, masks & 2, masks & 4};
    const uint8_t *allowed = masks < 128 ? NULL : mask;
    int32_t action = -5, other = -5;
    int64_t decision = -5;
    char key[16];
    const int64_t made = p->replay->made;
    const size_t size = key_of(state, key);
    *expected = units_replay_act(p->replay, id, state, allowed, &other);
    const lgkt_status status =
        !p->keyed || state < 0
            ? lgkt_units_act(p->units, id, state, allowed, &decision, &action)
            : lgkt_units_act_key(p->units, id, key, size, allowed, &decision, &action);
    if (status == LGKT_OK && *expected == LGKT_OK && (action != other || decision != made))
        *expected = LGKT_ERR_SYSTEM;
    return status;
}

static lgkt_status report(pair *p, reader *in, bool next, lgkt_status *expected)
{
    static const double rewards[] = {0, 1, -0.0, 0.5, 1, -2, 1e100, 1e200, NAN, -INFINITY};
    const int back = take(in), what = take(in);
    const int64_t decision = p->replay->made - back % 16 + (back == 240);
    if (!next) {
        const double reward = rewards[what % 10];
        *expected = units_replay_reward(p->replay, decision, reward);
        return lgkt_units_reward(p->units, decision, reward);
    }
    int32_t state = what % STATES;
    state = what >= 250 && !p->keyed ? (what == 250 ? -1 : STATES) : state;
    const bool ended = what % 16 == 7;
    char key[16];
    const size_t size = key_of(state, key);
    *expected = units_replay_next(p->replay, decision, state, ended);
    return p->keyed ? lgkt_units_next_key(p->units, decision, key, size, ended)
                    : lgkt_units_next(p->units, decision, state, ended);
}

// saves and goes on with what is loaded
static bool reload(pair *p, const lgkt_allocator *allocator)
{
    size_t size = 0;
    lgkt_units_save(p->units, NULL, 0, &size, NULL);
    void *bytes = malloc(size);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = *allocator;
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

static const char *one_call(pair *p, reader *in, const lgkt_allocator *allocator)
{
    const uint64_t before = lgkt_units_hash(p->units);
    const int call = take(in) % 16;
    lgkt_status expected = LGKT_OK, status = LGKT_OK;
    if (call < 6) {
        status = act(p, in, &expected);
    } else if (call < 9) {
        status = report(p, in, false, &expected);
    } else if (call < 13) {
        status = report(p, in, true, &expected);
    } else if (call == 13) {
        const uint64_t id = IDS[take(in) % 5];
        expected = units_replay_leave(p->replay, id);
        status = lgkt_units_leave(p->units, id);
    } else if (call == 14) {
        const int64_t horizon = p->replay->made - 2 + take(in) % 64, unit = take(in) % 8 - 1;
        expected = units_replay_set_horizon(p->replay, horizon, unit);
        status = lgkt_units_set_horizon(p->units, horizon, unit);
    } else if (!reload(p, allocator)) {
        return "what is saved cannot be loaded, or is another one";
    }
    const lgkt_units *units = p->units;
    const units_replay *r = p->replay;
    if (status != expected)
        return "a call ended otherwise than the log says";
    if (status != LGKT_OK && lgkt_units_hash(units) != before)
        return "a refused call has changed something";
    if (status != LGKT_OK &&
        (*lgkt_units_message(units) == '\0' || strpbrk(lgkt_units_message(units), "\r\n") != NULL))
        return "a refused call has no line of text";
    if (lgkt_units_decisions(units) != r->made || lgkt_units_open(units) != count_open(r) ||
        lgkt_units_count(units) != count_units(r) || lgkt_units_expired(units) != r->expired)
        return "counts are not those of the log";
    if (!p->keyed && lgkt_learner_hash(lgkt_units_learner(units)) != lgkt_learner_hash(r->learner))
        return "the learner is not what the log makes of it";
    if (p->keyed && lgkt_keyed_states(lgkt_units_keys(units)) != r->seen_count)
        return "keys are not those of the log";
    return NULL;
}

const char *units_replay_calls(const uint8_t *bytes, size_t size, const lgkt_allocator *allocator)
{
    // the last one asks how many states there are
    static const char *const specs[] = {"ucb", "lg1t", "random", "ucrl2"};
    reader in = {bytes, size};
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_units_config set = lgkt_units_config_default();
    const int which = take(&in);
    config.allocator = *allocator;
    config.problem.actions = ACTIONS;
    config.problem.horizon = 1 + take(&in);
    config.problem.masked = take(&in) % 2 == 1;
    set.unit_limit = 1 + take(&in) % 5;
    set.patience = 1 + take(&in) % 12;
    set.missing = take(&in) % 2 == 1 ? 0.25 : NAN;
    set.unit_horizon = take(&in) % 4 == 1 ? 20 : 0;
    set.keys.state_limit = take(&in) % 2 == 1 ? STATES : 0;
    pair p = {.keyed = set.keys.state_limit > 0};
    const char *spec = specs[which % (p.keyed ? 3 : 4)];
    config.problem.states = p.keyed ? 0 : STATES;
    p.replay = units_replay_make(spec, &config, &set);
    const char *wrong = "units cannot be made";
    if (p.replay != NULL && lgkt_units_create(spec, &config, &set, &p.units, NULL) == LGKT_OK)
        wrong = NULL;
    for (int i = 0; i < LONGEST && in.left > 0 && wrong == NULL; i++)
        wrong = one_call(&p, &in, allocator);
    lgkt_units_destroy(p.units);
    units_replay_free(p.replay);
    return wrong;
}
