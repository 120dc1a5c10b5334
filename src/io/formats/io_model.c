// SPDX-License-Identifier: MIT
// Reading model files (docs/model-files.md): a Markov decision process as a document; and what is
// read, a model with its texts.
//
// The document is walked once. The lists of rewards, or that of edges, are checked to have the
// lengths that the sizes ask for before anything of that size is allocated, so memory is bounded by
// the length of the file: a file that only claims 10^9 states is refused. Each failure names the
// place, e.g. transitions[3][1]; after the first one nothing is read.

#include "io/formats/io_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/alloc.h"
#include "core/text.h"

#define SUM_TOLERANCE 1e-6
// the tolerance of the sum decides
#define MOST_PROBABILITY (1.0 + SUM_TOLERANCE)

struct lgkt_io_model {
    lgkt_allocator allocator;
    const lgkt_mdp *mdp; // retained
    const char *name, *comment;
    char texts[]; // both, with their zeros
};

// ---- places ----

// what is known of a pair before its transitions
enum { COIN = 1, FORBIDDEN = 2 };

// A value and where it is: key[index[0]][index[1]]..tail with `depth` indices.
typedef struct element {
    const char *key, *tail;
    int depth;
    size_t index[3];
    io_value value;
} element;

typedef struct reader {
    io_document *d;
    int32_t states, actions;
    lgkt_mdp_builder *builder;
    double *row;          // (S) one row at a time
    double *sums;         // (S, A) what the edges of each pair add up to
    unsigned char *pairs; // (S, A) COIN, FORBIDDEN
    lgkt_error inner;     // from what makes the builder and the model: they do not know the file
} reader;

static bool good(const reader *r)
{
    return r->d->status == LGKT_OK;
}

// A failure of the builder, with the file named.
static void from_builder(reader *r, lgkt_status status)
{
    const bool refused = status != LGKT_OK && r->inner.text[0] == '\0';
    const char *text = refused ? lgkt_mdp_builder_message(r->builder) : r->inner.text;
    if (good(r) && status != LGKT_OK)
        r->d->status = io_fail_at(&r->d->file, status, "%s", text);
}

// "file: key[i][j]text"
static void refuse(reader *r, lgkt_status status, const element *at, const char *format, ...)
    LGKT_PRINTF(4, 5);

static void refuse(reader *r, lgkt_status status, const element *at, const char *format, ...)
{
    char place[128], text[200];
    va_list values;
    if (!good(r))
        return;
    int length = snprintf(place, sizeof place, "%.32s", at->key);
    for (int i = 0; i < at->depth; i++)
        length += snprintf(place + length, sizeof place - (size_t)length, "[%zu]", at->index[i]);
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    r->d->status =
        io_fail_at(&r->d->file, status, "%s%s%s", place, at->tail != NULL ? at->tail : "", text);
}

static element find(const reader *r, const char *key)
{
    return (element){.key = key, .value = io_member_of(r->d, r->d->root, key)};
}

static bool has(const reader *r, const char *key)
{
    return find(r, key).value.kind != IO_NOTHING;
}

// Entry of a list.
static element entry(const reader *r, const element *list, int64_t index)
{
    element inner = *list;
    inner.index[inner.depth++] = (size_t)index;
    inner.value = io_item(r->d, list->value, (size_t)index);
    return inner;
}

// ---- values ----

static void check_list(reader *r, const element *at, int64_t length)
{
    if (at->value.kind != IO_LIST)
        refuse(r, LGKT_ERR_FORMAT, at, " must be a list of %" PRId64 " entries", length);
    else if (at->value.size != (size_t)length)
        refuse(r, LGKT_ERR_SHAPE, at, " has %zu entries; it must have %" PRId64, at->value.size,
               length);
}

static double read_number(reader *r, element at, double min, double max)
{
    const io_value *value = &at.value;
    if (value->kind != IO_WHOLE && value->kind != IO_REAL)
        refuse(r, LGKT_ERR_FORMAT, &at, " must be a number");
    else if (value->flaw != NULL)
        refuse(r, LGKT_ERR_FORMAT, &at, ": %s", value->flaw);
    else if (!(value->number >= min && value->number <= max))
        refuse(r, LGKT_ERR_ARGUMENT, &at,
               isinf(max) ? " is %g; it must be >= %g" : " is %g; it must be in [%g, %g]",
               value->number, min, max);
    return value->number;
}

// A whole number in min .. max.
static int32_t read_whole(reader *r, element at, int32_t min, int32_t max)
{
    const io_value *value = &at.value;
    if (value->kind != IO_WHOLE)
        refuse(r, LGKT_ERR_FORMAT, &at, " must be a whole number");
    else if (value->flaw != NULL)
        refuse(r, LGKT_ERR_FORMAT, &at, ": %s", value->flaw);
    else if (value->whole < min || value->whole > max)
        refuse(r, LGKT_ERR_SHAPE, &at, " is %" PRId64 "; it must be in %d .. %d", value->whole,
               (int)min, (int)max);
    return good(r) ? (int32_t)value->whole : min;
}

// The reward of a pair or of one of its moves.
static double read_reward(reader *r, element at, bool coin)
{
    return read_number(r, at, coin ? 0.0 : -INFINITY, coin ? 1.0 : INFINITY);
}

// A list of S probabilities into r->row.
static void read_law(reader *r, const element *law)
{
    double sum = 0.0;
    check_list(r, law, r->states);
    for (int32_t i = 0; good(r) && i < r->states; i++)
        sum += r->row[i] = read_number(r, entry(r, law, i), 0.0, MOST_PROBABILITY);
    if (!(fabs(sum - 1.0) <= SUM_TOLERANCE))
        refuse(r, LGKT_ERR_PROBABILITY, law, " sums to %.9g; it must be 1 within %g", sum,
               SUM_TOLERANCE);
}

const char *io_noise_name(lgkt_noise kind)
{
    static const char *const names[] = {"none", "normal", "bernoulli", "drifting", "mixed"};
    return names[kind];
}

// {"kind": "normal", "sd": 0.5} or a kind without sd.
static lgkt_noise read_noise(reader *r, element at, double *sd)
{
    const io_value word = io_member_of(r->d, at.value, "kind");
    element scale = at;
    scale.tail = ".sd";
    scale.value = io_member_of(r->d, at.value, "sd");
    lgkt_noise kind = LGKT_NOISE_NONE;
    while (kind <= LGKT_NOISE_BERNOULLI &&
           (word.kind != IO_TEXT || strcmp(word.text, io_noise_name(kind)) != 0))
        kind++;
    const bool normal = kind == LGKT_NOISE_NORMAL;
    if (at.value.kind != IO_OBJECT)
        refuse(r, LGKT_ERR_FORMAT, &at, " must be an object such as {\"kind\": \"none\"}");
    else if (kind > LGKT_NOISE_BERNOULLI)
        refuse(r, LGKT_ERR_FORMAT, &at, ": \"kind\" must be \"none\", \"normal\" or \"bernoulli\"");
    else if (normal && scale.value.kind == IO_NOTHING)
        refuse(r, LGKT_ERR_FORMAT, &at, ": key \"sd\" is missing");
    else if (at.value.size != (normal ? 2 : 1))
        refuse(r, LGKT_ERR_FORMAT, &at, ": unknown key; the keys of \"%s\" are %s",
               io_noise_name(kind), normal ? "kind and sd" : "kind");
    *sd = normal && good(r) ? read_number(r, scale, 0.0, INFINITY) : 0.0;
    return good(r) ? kind : LGKT_NOISE_NONE;
}

// ---- keys and sizes ----

// the first four are needed, rewards mostly, and one of transitions and edges
static const char *const KEYS[] = {"states",  "actions", "start",       "noise",
                                   "rewards", "edges",   "transitions", "name",
                                   "comment", "allowed", NULL};
enum { NEEDED = 4 };

static void check_keys(reader *r)
{
    io_document *d = r->d;
    const io_spot root = {.object = d->root};
    const io_member *members = io_members(d, d->root);
    if (d->root.kind != IO_OBJECT)
        io_refuse(d, &root, "", "a model must be an object {...}");
    for (size_t i = 0; good(r) && i < d->root.size; i++)
        io_check_word(d, &root, "", "key ", members[i].name, KEYS);
    for (size_t k = 0; k < NEEDED; k++)
        if (!has(r, KEYS[k]))
            io_refuse(d, &root, "", "key \"%s\" is missing", KEYS[k]);
    const bool dense = has(r, "transitions");
    if (dense == has(r, "edges"))
        io_refuse(d, &root, "", "%s",
                  dense ? "both \"transitions\" and \"edges\" are given"
                        : "key \"transitions\" or \"edges\" is missing");
}

// That there are S lists of A entries.
static void check_table(reader *r, element table)
{
    check_list(r, &table, r->states);
    for (int32_t s = 0; good(r) && s < r->states; s++) {
        const element list = entry(r, &table, s);
        check_list(r, &list, r->actions);
    }
}

// Keys, sizes, and lists as long as these ask for: all that must be known before memory is taken.
static void check_outline(reader *r)
{
    check_keys(r);
    r->states = read_whole(r, find(r, "states"), 1, LGKT_MAX_STATES);
    r->actions = read_whole(r, find(r, "actions"), 1, LGKT_MAX_ACTIONS);
    if (has(r, "rewards")) {
        check_table(r, find(r, "rewards"));
        return;
    }
    const io_value edges = find(r, "edges").value;
    bool own = edges.kind == IO_LIST && (int64_t)edges.size >= (int64_t)r->states * r->actions;
    for (size_t e = 0; own && e < edges.size; e++) {
        const io_value edge = io_item(r->d, edges, e);
        own = edge.kind == IO_LIST && edge.size == 5;
    }
    if (!own)
        refuse(r, LGKT_ERR_FORMAT, &(element){.key = ""},
               "key \"rewards\" is missing; it may be only where every pair has edges and every "
               "edge a reward");
}

// ---- the parts ----

// The actions that a list for each state leaves out.
static void read_allowed(reader *r, const element *allowed)
{
    check_list(r, allowed, r->states);
    for (int32_t s = 0; good(r) && s < r->states; s++) {
        const element list = entry(r, allowed, s);
        unsigned char *pairs = r->pairs + (int64_t)s * r->actions;
        if (list.value.kind != IO_LIST || list.value.size == 0)
            refuse(r, LGKT_ERR_FORMAT, &list, " must be a list of at least one action");
        memset(pairs, FORBIDDEN, (size_t)r->actions);
        for (size_t i = 0; good(r) && i < list.value.size; i++) {
            const int32_t a = read_whole(r, entry(r, &list, (int64_t)i), 0, r->actions - 1);
            if (pairs[a] == 0)
                refuse(r, LGKT_ERR_FORMAT, &list, ": action %d is there twice", (int)a);
            pairs[a] = 0;
        }
        for (int32_t a = 0; good(r) && a < r->actions; a++)
            if (pairs[a] == FORBIDDEN)
                from_builder(r, lgkt_mdp_builder_forbid(r->builder, s, a));
    }
}

// Entry [s][a] of a table; nothing without such a table, and for null, which a forbidden pair may
// have.
static element find_entry(const reader *r, const char *key, int32_t s, int32_t a)
{
    const element table = find(r, key), list = entry(r, &table, s);
    element found = entry(r, &list, a);
    if (found.value.kind == IO_NULL && (r->pairs[(int64_t)s * r->actions + a] & FORBIDDEN) != 0)
        found.value.kind = IO_NOTHING;
    return found;
}

// What the tables say about one pair: noise, reward, transitions.
static void read_pair(reader *r, int32_t s, int32_t a, lgkt_noise kind)
{
    // rewards are checked against the noise, so it comes first
    const element noise = find_entry(r, "noise", s, a), law = find_entry(r, "transitions", s, a),
                  reward = find_entry(r, "rewards", s, a);
    if (noise.value.kind != IO_NOTHING) {
        double sd;
        kind = read_noise(r, noise, &sd);
        from_builder(r, lgkt_mdp_builder_pair_noise(r->builder, s, a, kind, sd));
    }
    const bool coin = kind == LGKT_NOISE_BERNOULLI;
    r->pairs[(int64_t)s * r->actions + a] |= coin ? COIN : 0;

    if (reward.value.kind == IO_LIST) {
        // one for each next state
        check_list(r, &reward, r->states);
        for (int32_t y = 0; good(r) && y < r->states; y++)
            from_builder(r, lgkt_mdp_builder_edge_reward(
                                r->builder, s, a, y, read_reward(r, entry(r, &reward, y), coin)));
    } else if (reward.value.kind != IO_NOTHING) {
        const double number = read_reward(r, reward, coin);
        from_builder(r, lgkt_mdp_builder_reward(r->builder, s, a, number));
    }
    if (law.value.kind != IO_NOTHING) {
        read_law(r, &law);
        from_builder(r, lgkt_mdp_builder_row(r->builder, s, a, r->row));
    }
}

// [state, action, next, probability] or with a reward at the end.
static void read_edge(reader *r, element edge)
{
    const bool list = edge.value.kind == IO_LIST;
    const bool own = list && edge.value.size == 5; // a reward of its own
    if (list && edge.value.size > 0 && edge.value.size != 4 && !own)
        refuse(r, LGKT_ERR_SHAPE, &edge, " has %zu entries; it must have 4, or 5 with a reward",
               edge.value.size);
    else
        check_list(r, &edge, own ? 5 : 4);
    const int32_t s = read_whole(r, entry(r, &edge, 0), 0, r->states - 1),
                  a = read_whole(r, entry(r, &edge, 1), 0, r->actions - 1),
                  y = read_whole(r, entry(r, &edge, 2), 0, r->states - 1);
    const int64_t z = (int64_t)s * r->actions + a;
    const double probability = read_number(r, entry(r, &edge, 3), 0.0, MOST_PROBABILITY);
    if (!good(r))
        return;
    r->sums[z] += probability;
    from_builder(r, lgkt_mdp_builder_edge(r->builder, s, a, y, probability));
    if (!own)
        return;
    const double reward = read_reward(r, entry(r, &edge, 4), (r->pairs[z] & COIN) != 0);
    from_builder(r, lgkt_mdp_builder_edge_reward(r->builder, s, a, y, reward));
}

static void read_edges(reader *r, const element *edges)
{
    if (edges->value.kind != IO_LIST)
        refuse(r, LGKT_ERR_FORMAT, edges, " must be a list of [state, action, next, probability]");
    for (size_t i = 0; good(r) && i < edges->value.size; i++)
        read_edge(r, entry(r, edges, (int64_t)i));
    for (int64_t z = 0; good(r) && z < (int64_t)r->states * r->actions; z++)
        if ((r->pairs[z] & FORBIDDEN) == 0 && !(fabs(r->sums[z] - 1.0) <= SUM_TOLERANCE))
            refuse(r, LGKT_ERR_PROBABILITY, edges,
                   " of state %d, action %d sum to %.9g; they must sum to 1 within %g",
                   (int)(z / r->actions), (int)(z % r->actions), r->sums[z], SUM_TOLERANCE);
}

static void read_parts(reader *r)
{
    const element allowed = find(r, "allowed"), noise = find(r, "noise"), start = find(r, "start"),
                  edges = find(r, "edges");
    if (allowed.value.kind != IO_NOTHING)
        read_allowed(r, &allowed);

    // one noise for all; a list has one for each pair
    lgkt_noise kind = LGKT_NOISE_NONE;
    double sd = 0.0;
    if (noise.value.kind != IO_LIST)
        kind = read_noise(r, noise, &sd);
    from_builder(r, lgkt_mdp_builder_noise(r->builder, kind, sd));

    if (start.value.kind == IO_LIST) {
        read_law(r, &start);
        from_builder(r, lgkt_mdp_builder_start_law(r->builder, r->row));
    } else {
        const int32_t state = read_whole(r, start, 0, r->states - 1);
        from_builder(r, lgkt_mdp_builder_start(r->builder, state));
    }
    if (noise.value.kind == IO_LIST)
        check_table(r, noise);
    if (has(r, "transitions"))
        check_table(r, find(r, "transitions"));
    for (int32_t s = 0; good(r) && s < r->states; s++)
        for (int32_t a = 0; good(r) && a < r->actions; a++)
            read_pair(r, s, a, kind);
    if (edges.value.kind != IO_NOTHING)
        read_edges(r, &edges);
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
    LGKT_TRY(check_text("name", name, true, error));
    LGKT_TRY(check_text("comment", comment, false, error));
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    const size_t first = name != NULL ? strlen(name) + 1 : 0,
                 second = comment != NULL ? strlen(comment) + 1 : 0;
    lgkt_io_model *made = lgkt_alloc_zeroed(&hooks, sizeof *made + first + second, 1);
    if (made == NULL)
        return lgkt_fail_memory(error, "a model");
    made->allocator = hooks;
    made->mdp = lgkt_mdp_retain(mdp);
    made->name = name != NULL ? memcpy(made->texts, name, first) : NULL;
    made->comment = comment != NULL ? memcpy(made->texts + first, comment, second) : NULL;
    *model = made;
    return LGKT_OK;
}

void lgkt_io_model_destroy(lgkt_io_model *model)
{
    if (model == NULL)
        return;
    lgkt_mdp_destroy(model->mdp);
    lgkt_free(&model->allocator, model);
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

static const char *read_text(reader *r, const char *key)
{
    const element text = find(r, key);
    if (text.value.kind != IO_NOTHING && text.value.kind != IO_TEXT)
        refuse(r, LGKT_ERR_FORMAT, &text, " must be a text");
    else if (text.value.flaw != NULL)
        refuse(r, LGKT_ERR_FORMAT, &text, " %s", text.value.flaw);
    return text.value.text;
}

void io_model_fill(io_document *d, const lgkt_allocator *allocator, lgkt_io_model **model)
{
    reader r = {.d = d};
    lgkt_mdp *mdp = NULL;
    if (good(&r))
        check_outline(&r);
    if (good(&r))
        from_builder(&r,
                     lgkt_mdp_builder_create(r.states, r.actions, allocator, &r.builder, &r.inner));
    const size_t pairs = (size_t)r.states * (size_t)r.actions;
    r.row = io_take(d, (size_t)r.states, sizeof *r.row);
    r.sums = io_take(d, pairs, sizeof *r.sums);
    r.pairs = io_take(d, pairs, 1);
    if (good(&r))
        read_parts(&r);
    if (good(&r))
        from_builder(&r, lgkt_mdp_builder_build(r.builder, &mdp, &r.inner));
    if (good(&r)) {
        const char *name = read_text(&r, "name"), *comment = read_text(&r, "comment");
        if (good(&r))
            from_builder(&r, lgkt_io_model_create(mdp, name, comment, allocator, model, &r.inner));
    }
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_builder_destroy(r.builder);
}
