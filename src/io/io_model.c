// SPDX-License-Identifier: MIT
// Reading model files.
//
// The text is parsed by jansson (no duplicate keys, bounded nesting), then walked once. Every list
// is checked to have the length that the sizes ask for before anything of that size is allocated,
// so memory is bounded by the length of the file: a file that only claims 10^9 states is refused.
// Each failure names the place, e.g. transitions[3][1].

#include "io/io_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "io/io_text.h"

#define MODEL_BYTES   ((size_t)1 << 30)
#define SUM_TOLERANCE 1e-6

typedef struct reader {
    io_place file;
    json_t *root;
    int32_t states, actions;
    lgkt_noise noise;
    lgkt_mdp_builder *builder;
    double *row;      // (S) one row at a time
    double *sums;     // (S, A) what the edges of each pair add up to
    lgkt_error inner; // from the builder, which does not know the file
} reader;

// key[at[0]][at[1]].. with `depth` indices
typedef struct element {
    const char *key;
    int depth;
    size_t at[3];
} element;

// ---- failures ----

// A failure of the builder, with the file named.
static lgkt_status from_builder(const reader *r, lgkt_status status)
{
    return status == LGKT_OK ? LGKT_OK : io_fail_at(&r->file, status, "%s", r->inner.text);
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
        return io_fail_at(&r->file, LGKT_ERR_SPEC, "%s must be a list of %zu entries",
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
        return io_fail_at(&r->file, LGKT_ERR_SPEC, "%s must be a number", show(where).text);
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
        return io_fail_at(&r->file, LGKT_ERR_SPEC, "%s must be a whole number", show(where).text);
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

static lgkt_status check_sum(const reader *r, element where, double sum)
{
    if (fabs(sum - 1.0) <= SUM_TOLERANCE)
        return LGKT_OK;
    return io_fail_at(&r->file, LGKT_ERR_PROBABILITY, "%s sums to %.9g; it must be 1 within %g",
                      show(where).text, sum, SUM_TOLERANCE);
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
    return status == LGKT_OK ? check_sum(r, where, sum) : status;
}

// ---- keys ----

static const char *const KEYS[] = {"states",  "actions",     "start", "noise",
                                   "rewards", "transitions", "edges"};
enum { KEY_COUNT = sizeof KEYS / sizeof KEYS[0] };

static bool is_key(const char *key)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(KEYS[i], key) == 0)
            return true;
    return false;
}

// Only known keys, all that are needed, one of transitions and edges.
static lgkt_status check_keys(const reader *r)
{
    if (!json_is_object(r->root))
        return io_fail_at(&r->file, LGKT_ERR_SPEC, "a model must be an object {...}");
    void *i = json_object_iter(r->root);
    for (; i != NULL; i = json_object_iter_next(r->root, i))
        if (!is_key(json_object_iter_key(i)))
            return io_fail_at(&r->file, LGKT_ERR_SPEC,
                              "unknown key \"%.40s\"; the keys are states, actions, start, noise, "
                              "rewards and transitions or edges",
                              json_object_iter_key(i));
    for (size_t k = 0; k < 5; k++)
        if (json_object_get(r->root, KEYS[k]) == NULL)
            return io_fail_at(&r->file, LGKT_ERR_SPEC, "key \"%s\" is missing", KEYS[k]);
    const bool dense = json_object_get(r->root, "transitions") != NULL;
    if (dense == (json_object_get(r->root, "edges") != NULL))
        return io_fail_at(&r->file, LGKT_ERR_SPEC,
                          dense ? "both \"transitions\" and \"edges\" are given"
                                : "key \"transitions\" or \"edges\" is missing");
    return LGKT_OK;
}

// ---- the parts ----

static lgkt_status read_sizes(reader *r)
{
    const lgkt_status status =
        read_whole(r, json_object_get(r->root, "states"), (element){.key = "states"}, 1,
                   LGKT_MAX_STATES, &r->states);
    if (status != LGKT_OK)
        return status;
    return read_whole(r, json_object_get(r->root, "actions"), (element){.key = "actions"}, 1,
                      LGKT_MAX_ACTIONS, &r->actions);
}

// The lengths of all lists of rewards, before memory of size S and S*A is taken.
static lgkt_status check_rewards(const reader *r)
{
    const json_t *rewards = json_object_get(r->root, "rewards");
    const element where = {.key = "rewards"};
    lgkt_status status = check_list(r, rewards, where, (size_t)r->states);
    for (size_t s = 0; status == LGKT_OK && s < (size_t)r->states; s++)
        status = check_list(r, json_array_get(rewards, s), inside(where, s), (size_t)r->actions);
    return status;
}

static lgkt_status make_builder(reader *r, const lgkt_allocator *allocator)
{
    const lgkt_status status =
        lgkt_mdp_builder_create(r->states, r->actions, allocator, &r->builder, &r->inner);
    if (status != LGKT_OK)
        return from_builder(r, status);
    r->row = calloc((size_t)r->states, sizeof *r->row);
    r->sums = calloc((size_t)r->states * (size_t)r->actions, sizeof *r->sums);
    if (r->row == NULL || r->sums == NULL)
        return io_fail_at(&r->file, LGKT_ERR_NO_MEMORY, "out of memory");
    return LGKT_OK;
}

// The kinds a file can name, by lgkt_noise.
static const char *const NOISES[] = {"none", "normal", "bernoulli"};

static lgkt_status read_noise_kind(reader *r, const json_t *noise)
{
    if (!json_is_object(noise))
        return io_fail_at(&r->file, LGKT_ERR_SPEC,
                          "noise must be an object such as {\"kind\": \"none\"}");
    const char *kind = json_string_value(json_object_get(noise, "kind"));
    for (int i = LGKT_NOISE_NONE; kind != NULL && i <= LGKT_NOISE_BERNOULLI; i++)
        if (strcmp(kind, NOISES[i]) == 0) {
            r->noise = (lgkt_noise)i;
            return LGKT_OK;
        }
    return io_fail_at(&r->file, LGKT_ERR_SPEC,
                      "noise: \"kind\" must be \"none\", \"normal\" or \"bernoulli\"");
}

static lgkt_status read_noise(reader *r)
{
    const json_t *noise = json_object_get(r->root, "noise");
    lgkt_status status = read_noise_kind(r, noise);
    if (status != LGKT_OK)
        return status;
    const bool normal = r->noise == LGKT_NOISE_NORMAL;
    const json_t *value = json_object_get(noise, "sd");
    double sd = 0.0;
    if (normal && value == NULL)
        return io_fail_at(&r->file, LGKT_ERR_SPEC, "noise: key \"sd\" is missing");
    if (json_object_size(noise) != (normal ? 2 : 1))
        return io_fail_at(&r->file, LGKT_ERR_SPEC, "noise: unknown key; the keys of \"%s\" are %s",
                          NOISES[r->noise], normal ? "kind and sd" : "kind");
    if (normal)
        status = read_number(r, value, (element){.key = "noise.sd"}, 0.0, INFINITY, &sd);
    if (status != LGKT_OK)
        return status;
    return from_builder(r, lgkt_mdp_builder_noise(r->builder, r->noise, sd, &r->inner));
}

static lgkt_status read_reward(reader *r, int32_t s, int32_t a, const json_t *value)
{
    const element where = {.key = "rewards", .depth = 2, .at = {(size_t)s, (size_t)a}};
    const bool coin = r->noise == LGKT_NOISE_BERNOULLI;
    double mean = 0;
    const lgkt_status status =
        read_number(r, value, where, coin ? 0.0 : -INFINITY, coin ? 1.0 : INFINITY, &mean);
    if (status != LGKT_OK)
        return status;
    return from_builder(r, lgkt_mdp_builder_reward(r->builder, s, a, mean, &r->inner));
}

static lgkt_status read_row(reader *r, int32_t s, int32_t a, const json_t *value)
{
    const element where = {.key = "transitions", .depth = 2, .at = {(size_t)s, (size_t)a}};
    const lgkt_status status = read_law(r, value, where);
    if (status != LGKT_OK)
        return status;
    return from_builder(r, lgkt_mdp_builder_row(r->builder, s, a, r->row, &r->inner));
}

// Calls `read` with each entry of an (S, A) list of lists.
static lgkt_status for_each_pair(reader *r, const char *key,
                                 lgkt_status (*read)(reader *, int32_t, int32_t, const json_t *))
{
    const json_t *all = json_object_get(r->root, key);
    const element where = {.key = key};
    lgkt_status status = check_list(r, all, where, (size_t)r->states);
    for (int32_t s = 0; status == LGKT_OK && s < r->states; s++) {
        const json_t *of_state = json_array_get(all, (size_t)s);
        status = check_list(r, of_state, inside(where, (size_t)s), (size_t)r->actions);
        for (int32_t a = 0; status == LGKT_OK && a < r->actions; a++)
            status = read(r, s, a, json_array_get(of_state, (size_t)a));
    }
    return status;
}

// One [state, action, next, probability].
static lgkt_status read_edge(reader *r, const json_t *edge, element where)
{
    const int32_t last[3] = {r->states - 1, r->actions - 1, r->states - 1};
    int32_t at[3]; // state, action, next
    double probability = 0.0;
    lgkt_status status = check_list(r, edge, where, 4);
    for (size_t i = 0; status == LGKT_OK && i < 3; i++)
        status = read_whole(r, json_array_get(edge, i), inside(where, i), 0, last[i], &at[i]);
    if (status == LGKT_OK)
        status = read_probability(r, json_array_get(edge, 3), inside(where, 3), &probability);
    if (status != LGKT_OK)
        return status;
    r->sums[(int64_t)at[0] * r->actions + at[1]] += probability;
    return from_builder(
        r, lgkt_mdp_builder_edge(r->builder, at[0], at[1], at[2], probability, &r->inner));
}

static lgkt_status read_edges(reader *r)
{
    const json_t *edges = json_object_get(r->root, "edges");
    const element where = {.key = "edges"};
    lgkt_status status = LGKT_OK;
    if (!json_is_array(edges))
        return io_fail_at(&r->file, LGKT_ERR_SPEC,
                          "edges must be a list of [state, action, next, probability]");
    for (size_t i = 0; status == LGKT_OK && i < json_array_size(edges); i++)
        status = read_edge(r, json_array_get(edges, i), inside(where, i));
    for (int64_t z = 0; status == LGKT_OK && z < (int64_t)r->states * r->actions; z++)
        if (!(fabs(r->sums[z] - 1.0) <= SUM_TOLERANCE))
            status =
                io_fail_at(&r->file, LGKT_ERR_PROBABILITY,
                           "edges of state %d, action %d sum to %.9g; they must sum to 1 within %g",
                           (int)(z / r->actions), (int)(z % r->actions), r->sums[z], SUM_TOLERANCE);
    return status;
}

static lgkt_status read_start(reader *r)
{
    const json_t *start = json_object_get(r->root, "start");
    const element where = {.key = "start"};
    if (json_is_array(start)) {
        const lgkt_status status = read_law(r, start, where);
        if (status != LGKT_OK)
            return status;
        return from_builder(r, lgkt_mdp_builder_start_law(r->builder, r->row, &r->inner));
    }
    int32_t state;
    const lgkt_status status = read_whole(r, start, where, 0, r->states - 1, &state);
    if (status != LGKT_OK)
        return status;
    return from_builder(r, lgkt_mdp_builder_start(r->builder, state, &r->inner));
}

// ---- the whole ----

static lgkt_status parse(reader *r, const char *bytes, size_t size)
{
    json_error_t at = {.line = 0}; // jansson leaves parts of it unset when memory is out
    r->root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &at);
    if (r->root != NULL)
        return LGKT_OK;
    // jansson mostly says nothing at all when memory is out
    const bool memory = json_error_code(&at) == json_error_out_of_memory || at.text[0] == '\0';
    if (memory)
        return io_fail_at(&r->file, LGKT_ERR_NO_MEMORY, "out of memory");
    return io_fail(r->file.error, LGKT_ERR_SPEC, "%s:%d:%d: %s", io_short_name(r->file.name),
                   at.line, at.column, at.text);
}

static lgkt_status read_parts(reader *r, const lgkt_allocator *allocator)
{
    lgkt_status status = check_keys(r);
    if (status == LGKT_OK)
        status = read_sizes(r);
    if (status == LGKT_OK)
        status = check_rewards(r);
    if (status == LGKT_OK)
        status = make_builder(r, allocator);
    // rewards are checked against the noise, so it comes first
    if (status == LGKT_OK)
        status = read_noise(r);
    if (status == LGKT_OK)
        status = read_start(r);
    if (status == LGKT_OK)
        status = for_each_pair(r, "rewards", read_reward);
    if (status == LGKT_OK && json_object_get(r->root, "edges") != NULL)
        return read_edges(r);
    return status == LGKT_OK ? for_each_pair(r, "transitions", read_row) : status;
}

lgkt_status io_model_read_text(const char *bytes, size_t size, const char *name,
                               const lgkt_allocator *allocator, lgkt_mdp **mdp, lgkt_error *error)
{
    reader r = {.file = {.name = name, .error = error}};
    lgkt_status status = parse(&r, bytes, size);
    if (status == LGKT_OK)
        status = read_parts(&r, allocator);
    if (status == LGKT_OK)
        status = from_builder(&r, lgkt_mdp_builder_build(r.builder, mdp, &r.inner));
    lgkt_mdp_builder_destroy(r.builder);
    json_decref(r.root);
    free(r.row);
    free(r.sums);
    return status;
}

lgkt_status io_model_read(const char *path, const lgkt_allocator *allocator, lgkt_mdp **mdp,
                          lgkt_error *error)
{
    char *bytes;
    size_t size;
    lgkt_status status = io_file_read(path, MODEL_BYTES, &bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    status = io_model_read_text(bytes, size, path, allocator, mdp, error);
    free(bytes);
    return status;
}
