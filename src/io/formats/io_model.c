// SPDX-License-Identifier: MIT
// Reading model files (docs/model-files.md): a Markov decision process as strict JSON; and what is
// read, a model with its texts.
//
// The text is parsed by jansson (no duplicate keys, bounded nesting), then walked once. The lists
// of rewards, or that of edges, are checked to have the lengths that the sizes ask for before
// anything of that size is allocated, so memory is bounded by the length of the file: a file that
// only claims 10^9 states is refused. Each failure names the place, e.g. transitions[3][1].

#include "io/formats/io_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/text.h"
#include "io/formats/io_document.h"

#define MODEL_BYTES   ((size_t)1 << 30)
#define SUM_TOLERANCE 1e-6

struct lgkt_io_model {
    lgkt_allocator allocator;
    const lgkt_mdp *mdp; // retained
    char *name, *comment;
};

// ---- places ----

// what is known of a pair before its transitions
enum { COIN = 1, FORBIDDEN = 2 };

typedef struct reader {
    io_place file;
    json_t *root;
    int32_t states, actions;
    lgkt_mdp_builder *builder;
    double *row;          // (S) one row at a time
    double *sums;         // (S, A) what the edges of each pair add up to
    unsigned char *pairs; // (S, A) COIN, FORBIDDEN
    lgkt_error inner;     // from what makes the builder and the model: they do not know the file
} reader;

// key[at[0]][at[1]]..tail with `depth` indices
typedef struct element {
    const char *key, *tail;
    int depth;
    size_t at[3];
} element;

// A failure of the builder, with the file named.
static lgkt_status from_builder(const reader *r, lgkt_status status)
{
    const bool refused = status != LGKT_OK && r->inner.text[0] == '\0';
    const char *text = refused ? lgkt_mdp_builder_message(r->builder) : r->inner.text;
    return status == LGKT_OK ? LGKT_OK : io_fail_at(&r->file, status, "%s", text);
}

typedef struct element_text {
    char text[128];
} element_text;

static element_text show(element where)
{
    element_text shown;
    int length = snprintf(shown.text, sizeof shown.text, "%.32s", where.key);
    for (int i = 0; i < where.depth; i++)
        length +=
            snprintf(shown.text + length, sizeof shown.text - (size_t)length, "[%zu]", where.at[i]);
    if (where.tail != NULL)
        snprintf(shown.text + length, sizeof shown.text - (size_t)length, "%s", where.tail);
    return shown;
}

static element inside(element where, size_t index)
{
    where.at[where.depth++] = index;
    return where;
}

// ---- values ----

static lgkt_status check_list(const reader *r, const json_t *value, element where, size_t length)
{
    if (!json_is_array(value))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s must be a list of %zu entries",
                          show(where).text, length);
    if (json_array_size(value) != length)
        return io_fail_at(&r->file, LGKT_ERR_SHAPE, "%s has %zu entries; it must have %zu",
                          show(where).text, json_array_size(value), length);
    return LGKT_OK;
}

static lgkt_status read_number(const reader *r, const json_t *value, element where, double min,
                               double max, double *number)
{
    if (!json_is_number(value))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s must be a number", show(where).text);
    *number = json_number_value(value);
    if (!(*number >= min && *number <= max)) {
        const bool unbounded = isinf(max);
        return io_fail_at(&r->file, LGKT_ERR_ARGUMENT,
                          unbounded ? "%s is %g; it must be >= %g"
                                    : "%s is %g; it must be in [%g, %g]",
                          show(where).text, *number, min, max);
    }
    return LGKT_OK;
}

// A whole number in min .. max.
static lgkt_status read_whole(const reader *r, const json_t *value, element where, int32_t min,
                              int32_t max, int32_t *number)
{
    if (!json_is_integer(value))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s must be a whole number", show(where).text);
    const json_int_t whole = json_integer_value(value);
    if (whole < min || whole > max)
        return io_fail_at(&r->file, LGKT_ERR_SHAPE,
                          "%s is %" JSON_INTEGER_FORMAT "; it must be in %d .. %d",
                          show(where).text, whole, (int)min, (int)max);
    *number = (int32_t)whole;
    return LGKT_OK;
}

// At most 1 but for the tolerance of the sum, which decides.
static lgkt_status read_probability(const reader *r, const json_t *value, element where,
                                    double *number)
{
    return read_number(r, value, where, 0.0, 1.0 + SUM_TOLERANCE, number);
}

// The reward of a pair or of one of its moves.
static lgkt_status read_reward(const reader *r, const json_t *value, element where, bool coin,
                               double *number)
{
    return read_number(r, value, where, coin ? 0.0 : -INFINITY, coin ? 1.0 : INFINITY, number);
}

// A list of S probabilities into r->row.
static lgkt_status read_law(reader *r, const json_t *value, element where)
{
    lgkt_status status = check_list(r, value, where, (size_t)r->states);
    double sum = 0.0;
    for (size_t i = 0; status == LGKT_OK && i < (size_t)r->states; i++) {
        const json_t *entry = json_array_get(value, i);
        status = read_probability(r, entry, inside(where, i), &r->row[i]);
        sum += r->row[i];
    }
    if (status == LGKT_OK && !(fabs(sum - 1.0) <= SUM_TOLERANCE))
        status =
            io_fail_at(&r->file, LGKT_ERR_PROBABILITY, "%s sums to %.9g; it must be 1 within %g",
                       show(where).text, sum, SUM_TOLERANCE);
    return status;
}

const char *io_noise_name(lgkt_noise kind)
{
    static const char *const names[] = {"none", "normal", "bernoulli", "drifting", "mixed"};
    return names[kind];
}

// {"kind": "normal", "sd": 0.5} or a kind without sd.
static lgkt_status read_noise(const reader *r, const json_t *noise, element where, lgkt_noise *kind,
                              double *sd)
{
    if (!json_is_object(noise))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT,
                          "%s must be an object such as {\"kind\": \"none\"}", show(where).text);
    const char *word = json_string_value(json_object_get(noise, "kind"));
    lgkt_noise found = LGKT_NOISE_NONE;
    while (found <= LGKT_NOISE_BERNOULLI &&
           (word == NULL || strcmp(word, io_noise_name(found)) != 0))
        found++;
    if (found > LGKT_NOISE_BERNOULLI)
        return io_fail_at(&r->file, LGKT_ERR_FORMAT,
                          "%s: \"kind\" must be \"none\", \"normal\" or \"bernoulli\"",
                          show(where).text);
    const bool normal = found == LGKT_NOISE_NORMAL;
    const json_t *value = json_object_get(noise, "sd");
    if (normal && value == NULL)
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s: key \"sd\" is missing", show(where).text);
    if (json_object_size(noise) != (normal ? 2 : 1))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s: unknown key; the keys of \"%s\" are %s",
                          show(where).text, io_noise_name(found), normal ? "kind and sd" : "kind");
    *kind = found;
    *sd = 0.0;
    where.tail = ".sd";
    return normal ? read_number(r, value, where, 0.0, INFINITY, sd) : LGKT_OK;
}

// ---- keys and sizes ----

// the first four are needed, rewards mostly, and one of transitions and edges
static const char *const KEYS[] = {"states", "actions",     "start", "noise",   "rewards",
                                   "edges",  "transitions", "name",  "comment", "allowed"};
enum { NEEDED = 4, KEY_COUNT = sizeof KEYS / sizeof KEYS[0] };

static const char *key_name(const void *ctx, int32_t i)
{
    (void)ctx;
    return i < KEY_COUNT ? KEYS[i] : NULL;
}

// Keys, sizes, and lists as long as these ask for: all that must be known before memory is taken.
static lgkt_status check_outline(reader *r)
{
    if (!json_is_object(r->root))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "a model must be an object {...}");
    void *i = json_object_iter(r->root);
    for (; i != NULL; i = json_object_iter_next(r->root, i)) {
        const char *key = json_object_iter_key(i);
        char hint[140];
        int32_t k = 0;
        while (k < KEY_COUNT && strcmp(KEYS[k], key) != 0)
            k++;
        if (k < KEY_COUNT)
            continue;
        lgkt_suggest(hint, sizeof hint, key, key_name, NULL);
        return io_fail_at(&r->file, LGKT_ERR_FORMAT, "unknown key \"%.*s\"; %s",
                          (int)lgkt_text_fit(key, 40), key, hint);
    }
    for (size_t k = 0; k < NEEDED; k++)
        if (json_object_get(r->root, KEYS[k]) == NULL)
            return io_fail_at(&r->file, LGKT_ERR_FORMAT, "key \"%s\" is missing", KEYS[k]);
    const json_t *edges = json_object_get(r->root, "edges");
    const bool dense = json_object_get(r->root, "transitions") != NULL;
    if (dense == (edges != NULL))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT,
                          dense ? "both \"transitions\" and \"edges\" are given"
                                : "key \"transitions\" or \"edges\" is missing");

    lgkt_status status = read_whole(r, json_object_get(r->root, "states"),
                                    (element){.key = "states"}, 1, LGKT_MAX_STATES, &r->states);
    if (status == LGKT_OK)
        status = read_whole(r, json_object_get(r->root, "actions"), (element){.key = "actions"}, 1,
                            LGKT_MAX_ACTIONS, &r->actions);
    const json_t *rewards = json_object_get(r->root, "rewards");
    const element where = {.key = "rewards"};
    if (status != LGKT_OK)
        return status;
    if (rewards == NULL) {
        bool own = (int64_t)json_array_size(edges) >= (int64_t)r->states * r->actions;
        for (size_t e = 0; own && e < json_array_size(edges); e++)
            own = json_array_size(json_array_get(edges, e)) == 5;
        return own ? LGKT_OK
                   : io_fail_at(&r->file, LGKT_ERR_FORMAT,
                                "key \"rewards\" is missing; it may be only where every pair has "
                                "edges and every edge a reward");
    }
    status = check_list(r, rewards, where, (size_t)r->states);
    for (size_t s = 0; status == LGKT_OK && s < (size_t)r->states; s++)
        status = check_list(r, json_array_get(rewards, s), inside(where, s), (size_t)r->actions);
    return status;
}

// ---- the parts ----

// The actions that a list for each state leaves out.
static lgkt_status read_allowed(reader *r, const json_t *allowed)
{
    const element where = {.key = "allowed"};
    lgkt_status status = check_list(r, allowed, where, (size_t)r->states);
    for (int32_t s = 0; status == LGKT_OK && s < r->states; s++) {
        const json_t *list = json_array_get(allowed, (size_t)s);
        const element of_state = inside(where, (size_t)s);
        unsigned char *pairs = r->pairs + (int64_t)s * r->actions;
        if (json_array_size(list) == 0)
            return io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s must be a list of at least one action",
                              show(of_state).text);
        memset(pairs, FORBIDDEN, (size_t)r->actions);
        for (size_t i = 0; status == LGKT_OK && i < json_array_size(list); i++) {
            int32_t a;
            status =
                read_whole(r, json_array_get(list, i), inside(of_state, i), 0, r->actions - 1, &a);
            if (status == LGKT_OK && pairs[a] == 0)
                status = io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s: action %d is there twice",
                                    show(of_state).text, (int)a);
            if (status == LGKT_OK)
                pairs[a] = 0;
        }
        for (int32_t a = 0; status == LGKT_OK && a < r->actions; a++)
            if (pairs[a] == FORBIDDEN)
                status = from_builder(r, lgkt_mdp_builder_forbid(r->builder, s, a));
    }
    return status;
}

// Entry [s][a] of a table of lists. *entry is NULL if there is no such table, and for null, which
// a forbidden pair may have.
static lgkt_status find_entry(const reader *r, const char *key, int32_t s, int32_t a,
                              const json_t **entry)
{
    const json_t *table = json_object_get(r->root, key);
    const element where = {.key = key};
    *entry = NULL;
    if (table == NULL)
        return LGKT_OK;
    const json_t *list = json_array_get(table, (size_t)s);
    lgkt_status status = check_list(r, table, where, (size_t)r->states);
    if (status == LGKT_OK)
        status = check_list(r, list, inside(where, (size_t)s), (size_t)r->actions);
    *entry = json_array_get(list, (size_t)a);
    if (json_is_null(*entry) && (r->pairs[(int64_t)s * r->actions + a] & FORBIDDEN) != 0)
        *entry = NULL;
    return status;
}

// What the tables say about one pair: noise, reward, transitions.
static lgkt_status read_pair(reader *r, int32_t s, int32_t a, lgkt_noise kind)
{
    const json_t *entry;
    element where = {.key = "noise", .depth = 2, .at = {(size_t)s, (size_t)a}};
    unsigned char *pair = &r->pairs[(int64_t)s * r->actions + a];
    lgkt_status status = LGKT_OK;
    double number;
    // rewards are checked against the noise, so it comes first
    if (!json_is_object(json_object_get(r->root, "noise"))) {
        status = find_entry(r, "noise", s, a, &entry);
        if (status == LGKT_OK && entry != NULL)
            status = read_noise(r, entry, where, &kind, &number);
        if (status == LGKT_OK && entry != NULL)
            status = from_builder(r, lgkt_mdp_builder_pair_noise(r->builder, s, a, kind, number));
    }
    const bool coin = kind == LGKT_NOISE_BERNOULLI;
    *pair |= coin ? COIN : 0;

    where.key = "rewards";
    if (status == LGKT_OK)
        status = find_entry(r, "rewards", s, a, &entry);
    if (status == LGKT_OK && json_is_array(entry)) {
        // one for each next state
        status = check_list(r, entry, where, (size_t)r->states);
        for (int32_t y = 0; status == LGKT_OK && y < r->states; y++) {
            status = read_reward(r, json_array_get(entry, (size_t)y), inside(where, (size_t)y),
                                 coin, &number);
            if (status == LGKT_OK)
                status = from_builder(r, lgkt_mdp_builder_edge_reward(r->builder, s, a, y, number));
        }
    } else if (status == LGKT_OK && entry != NULL) {
        status = read_reward(r, entry, where, coin, &number);
        if (status == LGKT_OK)
            status = from_builder(r, lgkt_mdp_builder_reward(r->builder, s, a, number));
    }

    where.key = "transitions";
    if (status == LGKT_OK)
        status = find_entry(r, "transitions", s, a, &entry);
    if (status == LGKT_OK && entry != NULL)
        status = read_law(r, entry, where);
    if (status == LGKT_OK && entry != NULL)
        status = from_builder(r, lgkt_mdp_builder_row(r->builder, s, a, r->row));
    return status;
}

// [state, action, next, probability] or with a reward at the end.
static lgkt_status read_edges(reader *r, const json_t *edges)
{
    lgkt_status status = LGKT_OK;
    if (!json_is_array(edges))
        return io_fail_at(&r->file, LGKT_ERR_FORMAT,
                          "edges must be a list of [state, action, next, probability]");
    for (size_t i = 0; status == LGKT_OK && i < json_array_size(edges); i++) {
        const json_t *edge = json_array_get(edges, i);
        const element where = {.key = "edges", .depth = 1, .at = {i}};
        const int32_t last[3] = {r->states - 1, r->actions - 1, r->states - 1};
        const bool own = json_array_size(edge) == 5; // a reward of its own
        int32_t at[3] = {0};                         // state, action, next
        double probability = 0.0, reward;
        if (json_array_size(edge) > 0 && json_array_size(edge) != 4 && !own)
            status = io_fail_at(&r->file, LGKT_ERR_SHAPE,
                                "%s has %zu entries; it must have 4, or 5 with a reward",
                                show(where).text, json_array_size(edge));
        else if (!own)
            status = check_list(r, edge, where, 4);
        for (size_t j = 0; status == LGKT_OK && j < 3; j++)
            status = read_whole(r, json_array_get(edge, j), inside(where, j), 0, last[j], &at[j]);
        const int64_t z = (int64_t)at[0] * r->actions + at[1];
        if (status == LGKT_OK)
            status = read_probability(r, json_array_get(edge, 3), inside(where, 3), &probability);
        r->sums[z] += probability;
        if (status == LGKT_OK)
            status = from_builder(
                r, lgkt_mdp_builder_edge(r->builder, at[0], at[1], at[2], probability));
        if (status == LGKT_OK && own)
            status = read_reward(r, json_array_get(edge, 4), inside(where, 4),
                                 (r->pairs[z] & COIN) != 0, &reward);
        if (status == LGKT_OK && own)
            status = from_builder(
                r, lgkt_mdp_builder_edge_reward(r->builder, at[0], at[1], at[2], reward));
    }
    for (int64_t z = 0; status == LGKT_OK && z < (int64_t)r->states * r->actions; z++)
        if ((r->pairs[z] & FORBIDDEN) == 0 && !(fabs(r->sums[z] - 1.0) <= SUM_TOLERANCE))
            status =
                io_fail_at(&r->file, LGKT_ERR_PROBABILITY,
                           "edges of state %d, action %d sum to %.9g; they must sum to 1 within %g",
                           (int)(z / r->actions), (int)(z % r->actions), r->sums[z], SUM_TOLERANCE);
    return status;
}

static lgkt_status read_parts(reader *r)
{
    const json_t *allowed = json_object_get(r->root, "allowed");
    const json_t *noise = json_object_get(r->root, "noise");
    const json_t *start = json_object_get(r->root, "start");
    const json_t *edges = json_object_get(r->root, "edges");
    lgkt_status status = allowed != NULL ? read_allowed(r, allowed) : LGKT_OK;

    // one noise for all; a list has one for each pair
    lgkt_noise kind = LGKT_NOISE_NONE;
    double sd = 0.0;
    if (status == LGKT_OK && !json_is_array(noise))
        status = read_noise(r, noise, (element){.key = "noise"}, &kind, &sd);
    if (status == LGKT_OK)
        status = from_builder(r, lgkt_mdp_builder_noise(r->builder, kind, sd));

    if (status == LGKT_OK && json_is_array(start)) {
        status = read_law(r, start, (element){.key = "start"});
        if (status == LGKT_OK)
            status = from_builder(r, lgkt_mdp_builder_start_law(r->builder, r->row));
    } else if (status == LGKT_OK) {
        int32_t state;
        status = read_whole(r, start, (element){.key = "start"}, 0, r->states - 1, &state);
        if (status == LGKT_OK)
            status = from_builder(r, lgkt_mdp_builder_start(r->builder, state));
    }

    for (int32_t s = 0; status == LGKT_OK && s < r->states; s++)
        for (int32_t a = 0; status == LGKT_OK && a < r->actions; a++)
            status = read_pair(r, s, a, kind);
    return status == LGKT_OK && edges != NULL ? read_edges(r, edges) : status;
}

// ---- a model and its texts ----

// UTF-8, and one line if it must be.
static lgkt_status check_text(const char *key, const char *text, bool one_line, lgkt_error *error)
{
    for (size_t n; text != NULL && *text != '\0'; text += n) {
        n = lgkt_utf8_length(text);
        if (n == 0)
            return lgkt_fail(error, LGKT_ERR_FORMAT, "%s is not UTF-8", key);
        if (one_line && ((unsigned char)*text < 0x20 || *text == 0x7f))
            return lgkt_fail(error, LGKT_ERR_FORMAT,
                             "%s has a control character; it must be one line", key);
    }
    return LGKT_OK;
}

lgkt_status lgkt_io_model_create(const lgkt_mdp *mdp, const char *name, const char *comment,
                                 const lgkt_allocator *allocator, lgkt_io_model **model,
                                 lgkt_error *error)
{
    if (mdp == NULL || model == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "mdp and model must not be NULL");
    lgkt_status status = check_text("name", name, true, error);
    if (status == LGKT_OK)
        status = check_text("comment", comment, false, error);
    if (status != LGKT_OK)
        return status;
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    lgkt_io_model *made = lgkt_alloc_zeroed(&hooks, 1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a model");
    made->allocator = hooks;
    made->mdp = lgkt_mdp_retain(mdp);
    const char *const texts[] = {name, comment};
    char **const copies[] = {&made->name, &made->comment};
    for (int i = 0; i < 2; i++) {
        if (texts[i] == NULL)
            continue;
        const size_t size = strlen(texts[i]) + 1;
        *copies[i] = lgkt_alloc_zeroed(&hooks, size, 1);
        if (*copies[i] == NULL) {
            lgkt_io_model_destroy(made);
            return lgkt_fail_memory(error, "the text of a model");
        }
        memcpy(*copies[i], texts[i], size);
    }
    *model = made;
    return LGKT_OK;
}

void lgkt_io_model_destroy(lgkt_io_model *model)
{
    if (model == NULL)
        return;
    const lgkt_allocator hooks = model->allocator;
    lgkt_mdp_destroy(model->mdp);
    lgkt_free(&hooks, model->name);
    lgkt_free(&hooks, model->comment);
    lgkt_free(&hooks, model);
}

const lgkt_mdp *lgkt_io_model_mdp(const lgkt_io_model *model)
{
    return model == NULL ? NULL : model->mdp;
}

const char *lgkt_io_model_name(const lgkt_io_model *model)
{
    return model == NULL ? NULL : model->name;
}

const char *lgkt_io_model_comment(const lgkt_io_model *model)
{
    return model == NULL ? NULL : model->comment;
}

// ---- reading ----

lgkt_status lgkt_io_model_parse(const char *bytes, size_t size, const char *name,
                                const lgkt_allocator *allocator, lgkt_io_model **model,
                                lgkt_error *error)
{
    if (bytes == NULL || name == NULL || model == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "bytes, name and model must not be NULL");
    reader r = {.file = {.name = name, .error = error}};
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    lgkt_mdp *mdp = NULL;
    io_document document = {.file = r.file};
    io_document_parse(&document, bytes, size);
    r.root = document.root;
    lgkt_status status = document.status;
    if (status == LGKT_OK)
        status = check_outline(&r);

    if (status == LGKT_OK)
        status = from_builder(
            &r, lgkt_mdp_builder_create(r.states, r.actions, &hooks, &r.builder, &r.inner));
    if (status == LGKT_OK) {
        const size_t pairs = (size_t)r.states * (size_t)r.actions;
        r.row = lgkt_alloc_zeroed(&hooks, (size_t)r.states, sizeof *r.row);
        r.sums = lgkt_alloc_zeroed(&hooks, pairs, sizeof *r.sums);
        r.pairs = lgkt_alloc_zeroed(&hooks, pairs, 1);
        if (r.row == NULL || r.sums == NULL || r.pairs == NULL)
            status = io_fail_at(&r.file, LGKT_ERR_NO_MEMORY, "out of memory");
    }
    if (status == LGKT_OK)
        status = read_parts(&r);
    if (status == LGKT_OK)
        status = from_builder(&r, lgkt_mdp_builder_build(r.builder, &mdp, &r.inner));

    const char *texts[2] = {NULL, NULL};
    for (int i = 0; status == LGKT_OK && i < 2; i++) {
        const char *key = i == 0 ? "name" : "comment";
        const json_t *text = json_object_get(r.root, key);
        texts[i] = json_string_value(text);
        if (text != NULL && texts[i] == NULL)
            status = io_fail_at(&r.file, LGKT_ERR_FORMAT, "%s must be a text", key);
    }
    if (status == LGKT_OK)
        status = from_builder(
            &r, lgkt_io_model_create(mdp, texts[0], texts[1], &hooks, model, &r.inner));
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_builder_destroy(r.builder);
    io_document_release(&document);
    lgkt_free(&hooks, r.row);
    lgkt_free(&hooks, r.sums);
    lgkt_free(&hooks, r.pairs);
    return status;
}

lgkt_status lgkt_io_model_read(const char *path, const lgkt_allocator *allocator,
                               lgkt_io_model **model, lgkt_error *error)
{
    char *bytes;
    size_t size;
    if (path == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "path must not be NULL");
    lgkt_status status = io_file_read(path, MODEL_BYTES, &bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    status = lgkt_io_model_parse(bytes, size, path, allocator, model, error);
    free(bytes);
    return status;
}
