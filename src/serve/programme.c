// SPDX-License-Identifier: MIT
// The config of a programme: read from JSON, checked, filled up with defaults, and changed.
//
// A change is made to a copy of the config, which is then read as a whole: what is right for a new
// programme is right for a changed one.

#include "serve/programme.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

const char *srv_mode_name(srv_mode mode)
{
    static const char *const names[] = {"apprentice", "live",  "fallback",
                                        "paused",     "ended", "sealed"};
    return names[mode];
}

bool srv_programme_name(const char *name)
{
    const size_t size = strlen(name);
    return size >= 1 && size <= 63 && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == size;
}

bool srv_duration_read(const char *text, int64_t *microseconds)
{
    static const struct {
        char unit;
        bool is_time;
        int64_t seconds;
    } units[] = {{'W', false, 604800},
                 {'D', false, 86400},
                 {'H', true, 3600},
                 {'M', true, 60},
                 {'S', true, 1}};
    int64_t sum = 0;
    size_t next = 0, found = 0;
    bool is_time = false;
    if (*text++ != 'P')
        return false;
    while (*text != '\0') {
        if (*text == 'T' && !is_time) {
            is_time = true;
            text++;
            continue;
        }
        int64_t count = 0;
        const size_t digits = strspn(text, "0123456789");
        for (size_t i = 0; i < digits && digits <= 6; i++)
            count = 10 * count + (text[i] - '0');
        text += digits;
        while (next < 5 && (units[next].unit != *text || units[next].is_time != is_time))
            next++;
        if (digits < 1 || digits > 6 || next == 5)
            return false;
        sum += count * units[next++].seconds;
        text++;
        found++;
    }
    *microseconds = sum * 1000000;
    return found > 0 && text[-1] != 'T' && sum > 0;
}

// ---- fields of an object ----

static const char *type_name(srv_type type)
{
    static const char *const names[] = {"an object", "a list", "a text", "a whole number",
                                        "a number",  "true",   "false",  "null"};
    return names[type];
}

static const char *kind_of(const json_t *value)
{
    return type_name((srv_type)json_typeof(value));
}

static lgkt_status refuse(lgkt_error *error, const char *name, const json_t *value,
                          const char *wanted)
{
    if (json_is_string(value))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s is \"%.*s\", and must be %s", name,
                         (int)lgkt_text_fit(json_string_value(value), 60), json_string_value(value),
                         wanted);
    if (json_is_number(value))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s is %.15g, and must be %s", name,
                         json_number_value(value), wanted);
    return lgkt_fail(error, LGKT_ERR_CONFIG, "%s is %s, and must be %s", name,
                     value == NULL ? "missing" : kind_of(value), wanted);
}

// Names that an object may have, and no others.
static lgkt_status check_names(const json_t *object, const char *what, const char *const *names,
                               lgkt_error *error)
{
    if (!json_is_object(object))
        return refuse(error, what, object, "an object");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        size_t i = 0;
        while (names[i] != NULL && strcmp(names[i], name) != 0)
            i++;
        if (names[i] != NULL)
            continue;
        lgkt_hint hint = {.word = name, .size = 160};
        for (i = 0; names[i] != NULL; i++)
            lgkt_hint_add(&hint, names[i]);
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s has no \"%.*s\": %s", what,
                         (int)lgkt_text_fit(name, 40), name, lgkt_hint_text(&hint));
    }
    return LGKT_OK;
}

// A number in lo .. hi; what is missing or null is the fallback, which is put into the config, NaN
// as null.
static lgkt_status read_real(json_t *config, const char *name, double lo, double hi,
                             double fallback, double *number, lgkt_error *error)
{
    const json_t *value = json_object_get(config, name);
    *number = fallback;
    if (value == NULL || json_is_null(value)) {
        json_t *made = isnan(fallback) ? json_null() : json_real(fallback);
        return json_object_set_new(config, name, made) == 0 ? LGKT_OK
                                                            : lgkt_fail_memory(error, "a config");
    }
    *number = json_number_value(value);
    if (json_is_number(value) && *number >= lo && *number <= hi)
        return LGKT_OK;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "%.15g .. %.15g", lo, hi);
    return refuse(error, name, value, wanted);
}

// The same for whole numbers; a fallback below lo: it must be there.
static lgkt_status read_whole(json_t *config, const char *name, int64_t lo, int64_t hi,
                              int64_t fallback, int64_t *number, lgkt_error *error)
{
    const json_t *value = json_object_get(config, name);
    *number = fallback;
    if (value == NULL && fallback >= lo)
        return json_object_set_new(config, name, json_integer(fallback)) == 0
                   ? LGKT_OK
                   : lgkt_fail_memory(error, "a config");
    const double real = json_number_value(value);
    if (json_is_integer(value))
        *number = json_integer_value(value);
    else if (json_is_real(value) && real == floor(real) && fabs(real) < 0x1p53)
        *number = (int64_t)real;
    else
        *number = lo - 1;
    if (*number >= lo && *number <= hi)
        return LGKT_OK;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a whole number, %lld .. %lld", (long long)lo, (long long)hi);
    return refuse(error, name, value, wanted);
}

// One of some words, the first if it is missing.
static lgkt_status read_choice(json_t *config, const char *name, const char *const *words,
                               int32_t count, int32_t fallback, int32_t *choice, lgkt_error *error)
{
    const json_t *value = json_object_get(config, name);
    *choice = fallback;
    if (value == NULL)
        return json_object_set_new(config, name, json_string(words[fallback])) == 0
                   ? LGKT_OK
                   : lgkt_fail_memory(error, "a config");
    for (*choice = 0; *choice < count; ++*choice)
        if (json_is_string(value) && strcmp(json_string_value(value), words[*choice]) == 0)
            return LGKT_OK;
    char wanted[100] = "";
    for (int32_t i = 0; i < count; i++)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s\"%s\"",
                 i > 0 ? " or " : "", words[i]);
    return refuse(error, name, value, wanted);
}

static bool is_label(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) >= 1 &&
           json_string_length(value) <= SRV_MAX_NAME &&
           strlen(json_string_value(value)) == json_string_length(value);
}

// Texts of a list, none of them twice.
static lgkt_status check_labels(const json_t *list, const char *what, size_t most,
                                lgkt_error *error)
{
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > most)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s must be a list of 1 .. %zu texts", what, most);
    json_t *seen = json_object();
    lgkt_status status = seen != NULL ? LGKT_OK : lgkt_fail_memory(error, "names");
    for (size_t i = 0; i < json_array_size(list) && status == LGKT_OK; i++) {
        const json_t *label = json_array_get(list, i);
        if (!is_label(label))
            status = lgkt_fail(
                error, LGKT_ERR_CONFIG,
                "entry %zu of %s is %s, and must be a text of 1 .. %d bytes", i, what,
                json_is_string(label) ? "too short or too long" : kind_of(label), SRV_MAX_NAME);
        else if (json_object_get(seen, json_string_value(label)) != NULL)
            status = lgkt_fail(error, LGKT_ERR_CONFIG, "\"%s\" is twice in %s",
                               json_string_value(label), what);
        else if (json_object_set_new(seen, json_string_value(label), json_true()) != 0)
            status = lgkt_fail_memory(error, "names");
    }
    json_decref(seen);
    return status;
}

// ---- actions, states, limits ----

static lgkt_status read_actions(srv_programme *p, lgkt_error *error)
{
    const json_t *actions = json_object_get(p->config, "actions");
    LGKT_TRY(check_labels(actions, "actions", SRV_MAX_ACTIONS, error));
    p->actions = (int32_t)json_array_size(actions);
    for (int32_t a = 0; a < p->actions; a++)
        p->action_names[a] = json_string_value(json_array_get(actions, (size_t)a));
    for (int32_t a = 0; a < p->actions; a++) {
        int32_t at = a;
        for (; at > 0 && strcmp(p->action_names[p->by_name[at - 1]], p->action_names[a]) > 0; at--)
            p->by_name[at] = p->by_name[at - 1];
        p->by_name[at] = a;
    }
    return LGKT_OK;
}

// A part {name, values?}; `values` is a number of them or their texts.
static lgkt_status read_part(srv_programme *p, const json_t *given, lgkt_error *error)
{
    static const char *const names[] = {"name", "values", NULL};
    srv_part *part = &p->part[p->parts];
    LGKT_TRY(check_names(given, "a part of the state", names, error));
    if (!is_label(json_object_get(given, "name")))
        return refuse(error, "the name of a part of the state", json_object_get(given, "name"),
                      "a text");
    part->name = json_string_value(json_object_get(given, "name"));
    for (int32_t i = 0; i < p->parts; i++)
        if (strcmp(p->part[i].name, part->name) == 0)
            return lgkt_fail(error, LGKT_ERR_CONFIG, "the state has two parts \"%s\"", part->name);
    const json_t *values = json_object_get(given, "values");
    char what[SRV_MAX_NAME + 16];
    snprintf(what, sizeof what, "values of \"%s\"", part->name);
    if (json_is_array(values)) {
        LGKT_TRY(check_labels(values, what, 65536, error));
        part->texts = values;
        part->count = (int32_t)json_array_size(values);
    } else if (values != NULL) {
        const json_int_t count = json_is_integer(values) ? json_integer_value(values) : 0;
        if (count < 1 || count > 65536)
            return refuse(error, what, values, "1 .. 65536, or a list of texts");
        part->count = (int32_t)count;
    } else if (p->kind == SRV_NUMBERED) {
        return refuse(error, what, values, "there: without state_limit all values must be known");
    }
    p->parts++;
    return LGKT_OK;
}

static lgkt_status read_states(srv_programme *p, lgkt_error *error)
{
    const json_t *state = json_object_get(p->config, "state");
    const json_t *features = json_object_get(p->config, "features");
    const bool has_limit = json_object_get(p->config, "state_limit") != NULL;
    if ((state == NULL) == (features == NULL))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "a programme has either `state` or `features`");
    p->kind = features != NULL ? SRV_RECORDS : has_limit ? SRV_KEYED : SRV_NUMBERED;
    const json_t *parts = features != NULL ? features : state;
    const size_t least = features != NULL ? 1 : 0, most = features != NULL ? SRV_MAX_PARTS : 64;
    if (!json_is_array(parts) || json_array_size(parts) < least || json_array_size(parts) > most)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s must be a list of %zu .. %zu parts",
                         features != NULL ? "features" : "state", least, most);
    for (size_t i = 0; i < json_array_size(parts); i++)
        LGKT_TRY(read_part(p, json_array_get(parts, i), error));
    if (p->kind == SRV_RECORDS && has_limit)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "state_limit is for `state`, not for `features`");
    if (p->kind == SRV_KEYED) {
        int64_t limit;
        LGKT_TRY(read_whole(p->config, "state_limit", 1, LGKT_MAX_STATES, 0, &limit, error));
        p->states = (int32_t)limit;
        return LGKT_OK;
    }
    int64_t states = 1;
    for (int32_t i = 0; i < p->parts && p->kind == SRV_NUMBERED; i++) {
        states *= p->part[i].count;
        if (states > LGKT_MAX_STATES)
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "the state has more than %d combinations of values: set state_limit, "
                             "and they become known as they come",
                             LGKT_MAX_STATES);
    }
    p->states = (int32_t)states;
    return LGKT_OK;
}

static lgkt_status read_fallback(srv_programme *p, lgkt_error *error)
{
    json_t *law = json_object_get(p->config, "fallback");
    for (int32_t a = 0; law == NULL && a < p->actions; a++)
        p->fallback[a] = 1.0 / p->actions;
    if (law == NULL)
        return LGKT_OK;
    if (!json_is_array(law) || json_array_size(law) != (size_t)p->actions)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "fallback must be a list of %d probabilities, one for each action",
                         p->actions);
    double sum = 0;
    for (int32_t a = 0; a < p->actions; a++) {
        const json_t *value = json_array_get(law, (size_t)a);
        p->fallback[a] = json_number_value(value);
        if (!json_is_number(value) || !(p->fallback[a] >= 0 && p->fallback[a] <= 1))
            return refuse(error, "a probability of fallback", value, "0 .. 1");
        sum += p->fallback[a];
    }
    if (!(fabs(sum - 1) <= 1e-6))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the probabilities of fallback sum to %.15g, and must to 1", sum);
    return LGKT_OK;
}

int32_t srv_action_named(const srv_programme *p, const char *given, int32_t size, lgkt_error *error)
{
    for (int32_t a = 0; a < p->actions; a++)
        if (srv_equals(given, size, p->action_names[a]))
            return a;
    char room[SRV_QUOTED];
    const char *text = srv_quoted(given, size, room);
    lgkt_hint hint = {.word = text, .size = 160};
    for (int32_t a = 0; a < p->actions; a++)
        lgkt_hint_add(&hint, p->action_names[a]);
    lgkt_fail(error, LGKT_ERR_ARGUMENT, "no action is called \"%.*s\": %s",
              (int)lgkt_text_fit(text, 40), text, lgkt_hint_text(&hint));
    return -1;
}

int32_t srv_action_of(const srv_programme *p, const srv_value *name, lgkt_error *error)
{
    if (srv_is(name, SRV_TEXT))
        return srv_action_named(p, name->text, name->size, error);
    lgkt_fail(error, LGKT_ERR_ARGUMENT, "an action is %s, and must be a text",
              name == NULL ? "missing" : type_name(name->type));
    return -1;
}

static lgkt_status read_limits(srv_programme *p, lgkt_error *error)
{
    static const char *const names[] = {"action", "max", "window", NULL};
    json_t *limits = json_object_get(p->config, "limits");
    p->limits = 0;
    if (limits == NULL)
        return json_object_set_new(p->config, "limits", json_array()) == 0
                   ? LGKT_OK
                   : lgkt_fail_memory(error, "a config");
    if (!json_is_array(limits) || json_array_size(limits) > SRV_MAX_LIMITS)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "limits must be a list of at most %d",
                         SRV_MAX_LIMITS);
    for (size_t i = 0; i < json_array_size(limits); i++) {
        json_t *given = json_array_get(limits, i);
        LGKT_TRY(check_names(given, "a limit", names, error));
        srv_limit *limit = &p->limit[p->limits++];
        const json_t *name = json_object_get(given, "action");
        const srv_value text = {.type = name != NULL ? (srv_type)json_typeof(name) : SRV_NULL,
                                .text = json_string_value(name),
                                .size = (int32_t)json_string_length(name)};
        limit->action = srv_action_of(p, name != NULL ? &text : NULL, error);
        if (limit->action < 0)
            return LGKT_ERR_CONFIG;
        int64_t most;
        LGKT_TRY(read_whole(given, "max", 1, 1000, 0, &most, error));
        limit->most = (int32_t)most;
        const json_t *window = json_object_get(given, "window");
        if (!json_is_string(window) ||
            !srv_duration_read(json_string_value(window), &limit->window))
            return refuse(error, "the window of a limit", window,
                          "a duration without years and months, e.g. \"P7D\" or \"PT12H\"");
    }
    return LGKT_OK;
}

// ---- the whole ----

// What the learner must be able to do for what is asked of it.
static lgkt_status check_traits(srv_programme *p, lgkt_error *error)
{
    char name[64];
    LGKT_TRY(lgkt_spec_name(p->learner, name, sizeof name, error));
    if (strcmp(name, "explore") == 0 || strstr(p->learner, "explore:") != NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the learner is `explore`: set floor instead, which can be changed");
    const char *of = p->kind == SRV_RECORDS && strcmp(name, "auto") == 0 ? "forest" : p->learner;
    LGKT_TRY(lgkt_learner_traits(of, &p->traits, error));
    if (!(p->traits & LGKT_TRAIT_SHARED))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "units cannot share the learner \"%s\"", name);
    const bool fits = p->kind == SRV_RECORDS ? p->traits & LGKT_TRAIT_RECORDS
                      : p->kind == SRV_KEYED ? p->traits & LGKT_TRAIT_GROWN
                                             : p->traits & LGKT_TRAIT_STATES;
    if (!fits)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "the learner \"%s\" does not take %s", name,
                         p->kind == SRV_RECORDS ? "features"
                         : p->kind == SRV_KEYED ? "states as they come"
                                                : "states that are numbered");
    if (p->law_required && !(p->traits & LGKT_TRAIT_LAW))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the learner \"%s\" does not always know its probabilities: propensities "
                         "must be \"optional\"",
                         name);
    const bool needs_fed = p->floor > 0 || p->mode == SRV_APPRENTICE;
    if (needs_fed && !(p->traits & LGKT_TRAIT_FED))
        return lgkt_fail(
            error, LGKT_ERR_CONFIG,
            "the learner \"%s\" cannot learn from actions that it did not choose: no %s", name,
            p->floor > 0 ? "floor" : "apprentice mode");
    if (!(p->traits & (LGKT_TRAIT_FED | LGKT_TRAIT_MASKED)))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the learner \"%s\" can neither be told of actions that it did not choose "
                         "nor leave out actions",
                         name);
    if (p->limits > 0 && !(p->traits & LGKT_TRAIT_MASKED))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the learner \"%s\" cannot leave out actions: no limits", name);
    return LGKT_OK;
}

static lgkt_status read_range(srv_programme *p, lgkt_error *error)
{
    const json_t *range = json_object_get(p->config, "reward_range");
    p->reward_min = p->reward_max = NAN;
    if (range == NULL || json_is_null(range))
        return LGKT_OK;
    const json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);
    p->reward_min = json_number_value(low);
    p->reward_max = json_number_value(high);
    const bool good = json_array_size(range) == 2 && json_is_number(low) && json_is_number(high) &&
                      p->reward_min < p->reward_max && fabs(p->reward_min) <= 1e15 &&
                      fabs(p->reward_max) <= 1e15;
    return good ? LGKT_OK
                : lgkt_fail(error, LGKT_ERR_CONFIG,
                            "reward_range must be two numbers, the lower one first");
}

static lgkt_status read_numbers(srv_programme *p, uint64_t drawn, lgkt_error *error)
{
    json_t *c = p->config;
    int64_t whole;
    LGKT_TRY(read_whole(c, "horizon", 1, INT64_C(1) << 40, 0, &p->horizon, error));
    LGKT_TRY(read_whole(c, "unit_limit", 1, 1 << 24, 0, &whole, error));
    p->unit_limit = (int32_t)whole;
    const int64_t usual = 2 * whole > 65536 ? 2 * whole : 65536;
    LGKT_TRY(read_whole(c, "patience", 1, 1 << 30, usual, &p->patience, error));
    if (p->patience < 2 * whole)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "patience is %lld decisions, and must be at least %lld: units that act in "
                         "turn would all be cut",
                         (long long)p->patience, (long long)(2 * whole));
    LGKT_TRY(read_whole(c, "seed", 0, INT64_MAX, (int64_t)(drawn >> 11), &whole, error));
    p->seed = (uint64_t)whole;
    LGKT_TRY(read_real(c, "missing", -1e15, 1e15, NAN, &p->missing, error));
    LGKT_TRY(read_real(c, "reward_sd", 0, 1e15, NAN, &p->reward_sd, error));
    return read_real(c, "floor", 0, 1.0 / p->actions, 0, &p->floor, error);
}

static lgkt_status read_all(srv_programme *p, uint64_t drawn, lgkt_error *error)
{
    static const char *const names[] = {
        "name",         "learner",   "actions",      "state", "features", "state_limit", "horizon",
        "unit_limit",   "patience",  "missing",      "seed",  "floor",    "fallback",    "limits",
        "reward_range", "reward_sd", "propensities", "mode",  NULL};
    static const char *const requirements[] = {"required", "optional"};
    static const char *const modes[] = {"apprentice", "live",  "fallback",
                                        "paused",     "ended", "sealed"};
    LGKT_TRY(check_names(p->config, "a programme", names, error));
    const json_t *name = json_object_get(p->config, "name"),
                 *learner = json_object_get(p->config, "learner");
    if (!json_is_string(name) || !srv_programme_name(json_string_value(name)))
        return refuse(error, "name", name,
                      "a text of 1 .. 63 of a-z, 0-9 and -, not beginning with -");
    if (!json_is_string(learner) || json_string_length(learner) > 1000)
        return refuse(error, "learner", learner, "the spec of a learner, e.g. \"auto\"");
    p->name = json_string_value(name);
    p->learner = json_string_value(learner);
    int32_t choice;
    LGKT_TRY(read_actions(p, error));
    LGKT_TRY(read_states(p, error));
    LGKT_TRY(read_numbers(p, drawn, error));
    LGKT_TRY(read_fallback(p, error));
    LGKT_TRY(read_limits(p, error));
    LGKT_TRY(read_range(p, error));
    LGKT_TRY(read_choice(p->config, "propensities", requirements, 2, 0, &choice, error));
    p->law_required = choice == 0;
    LGKT_TRY(read_choice(p->config, "mode", modes, SRV_MODE_COUNT, SRV_LIVE, &choice, error));
    p->mode = (srv_mode)choice;
    return check_traits(p, error);
}

lgkt_status srv_programme_read(json_t *config, uint64_t drawn, srv_programme *programme,
                               lgkt_error *error)
{
    *programme = (srv_programme){.config = json_incref(config)};
    const lgkt_status status = read_all(programme, drawn, error);
    if (status != LGKT_OK)
        srv_programme_release(programme);
    return status;
}

void srv_programme_release(srv_programme *programme)
{
    json_decref(programme->config);
    *programme = (srv_programme){0};
}

// ---- changes ----

lgkt_status srv_programme_change(srv_programme *programme, const json_t *change, int64_t made,
                                 lgkt_error *error)
{
    static const char *const names[] = {"mode", "reason", "horizon", "floor", "limits", NULL};
    LGKT_TRY(check_names(change, "a change", names, error));
    const json_t *reason = json_object_get(change, "reason");
    if (reason != NULL && (!json_is_string(reason) || json_string_length(reason) > 1000))
        return refuse(error, "reason", reason, "a text of at most 1000 bytes");
    json_t *config = json_deep_copy(programme->config);
    if (config == NULL)
        return lgkt_fail_memory(error, "a config");
    lgkt_status status = LGKT_OK;
    for (size_t i = 0; names[i] != NULL && status == LGKT_OK; i++) {
        json_t *value = json_object_get(change, names[i]);
        if (value != NULL && strcmp(names[i], "reason") != 0 &&
            json_object_set_new(config, names[i], json_deep_copy(value)) != 0)
            status = lgkt_fail_memory(error, "a config");
    }
    srv_programme changed = {0};
    if (status == LGKT_OK)
        status = srv_programme_read(config, 0, &changed, error);
    json_decref(config);
    if (status != LGKT_OK)
        return status;
    if (changed.mode != programme->mode && programme->mode == SRV_ENDED &&
        changed.mode != SRV_SEALED)
        status = lgkt_fail(error, LGKT_ERR_PROTOCOL,
                           "the programme has ended: it can be sealed, and not be %s again",
                           srv_mode_name(changed.mode));
    else if (changed.horizon < made)
        status = lgkt_fail(error, LGKT_ERR_ARGUMENT,
                           "horizon is %lld, and %lld decisions have been made",
                           (long long)changed.horizon, (long long)made);
    if (status != LGKT_OK) {
        srv_programme_release(&changed);
        return status;
    }
    srv_programme_release(programme);
    *programme = changed;
    return LGKT_OK;
}
