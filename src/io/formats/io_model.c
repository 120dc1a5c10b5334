// SPDX-License-Identifier: MIT
// Reading model files (docs/model-files.md): a Markov decision process as a document; and what is
// read, a model with its texts.
//
// The document is walked once. The lists of rewards, or that of edges, are checked to have the
// lengths that the sizes ask for before anything of that size is allocated, so memory is bounded by
// the length of the file: a file that only claims 10^9 states is refused. Each failure names the
// place, e.g. transitions[3][1]; after the first one nothing is read.

#include "io/formats/io_model.h"

#include <math.h>
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

typedef struct reader {
    io_at root;
    int32_t states, actions;
    lgkt_mdp_builder *builder;
    double *row;          // (S) one row at a time
    double *sums;         // (S, A) what the edges of each pair add up to
    unsigned char *pairs; // (S, A) COIN, FORBIDDEN
    lgkt_error inner;     // from what makes the builder and the model: they do not know the file
} reader;

static bool good(const reader *r)
{
    return r->root.d->status == LGKT_OK;
}

// A failure of the builder, with the file named.
static void from_builder(reader *r, lgkt_status status)
{
    const bool refused = status != LGKT_OK && r->inner.text[0] == '\0';
    const char *text = refused ? lgkt_mdp_builder_message(r->builder) : r->inner.text;
    if (good(r) && status != LGKT_OK)
        r->root.d->status = io_fail_at(&r->root.d->file, status, "%s", text);
}

static io_at find(const reader *r, const char *key)
{
    return io_get(&r->root, key, 0);
}

static bool has(const reader *r, const char *key)
{
    return find(r, key).value.kind != IO_NOTHING;
}

// ---- values ----

static void check_length(const io_at *list, int32_t length)
{
    io_check_list(list, (size_t)length, (size_t)length);
}

static double read_probability(io_at at)
{
    const double given = at.value.number;
    const bool rounded = given > 1.0 && given <= MOST_PROBABILITY;
    return io_check_number(&at, false, 0.0, rounded ? given : 1.0);
}

static int32_t read_whole(io_at at, int32_t min, int32_t max)
{
    return (int32_t)io_check_number(&at, true, min, max);
}

// The reward of a pair or of one of its moves.
static double read_reward(io_at at, bool coin)
{
    return io_check_number(&at, false, coin ? 0.0 : -INFINITY, coin ? 1.0 : INFINITY);
}

// A list of S probabilities into r->row.
static void read_law(reader *r, const io_at *law)
{
    double sum = 0.0;
    check_length(law, r->states);
    for (int32_t i = 0; good(r) && i < r->states; i++)
        sum += r->row[i] = read_probability(io_item(law, i));
    if (!(fabs(sum - 1.0) <= SUM_TOLERANCE))
        io_refuse_as(law, LGKT_ERR_PROBABILITY, " sums to %.9g; it must be 1 within %g", sum,
                     SUM_TOLERANCE);
}

const char *io_noise_name(lgkt_noise kind)
{
    static const char *const names[] = {"none", "normal", "bernoulli", "drifting", "mixed"};
    return names[kind];
}

// {"kind": "normal", "sd": 0.5} or a kind without sd.
static lgkt_noise read_noise(reader *r, io_at at, double *sd)
{
    const io_at scale = io_get(&at, "sd", 0);
    const io_value word = io_get(&at, "kind", 0).value;
    lgkt_noise kind = LGKT_NOISE_NONE;
    while (kind <= LGKT_NOISE_BERNOULLI &&
           (word.kind != IO_TEXT || strcmp(word.text, io_noise_name(kind)) != 0))
        kind++;
    const bool normal = kind == LGKT_NOISE_NORMAL;
    if (at.value.kind != IO_OBJECT)
        io_refuse_as(&at, LGKT_ERR_FORMAT, " must be an object such as {\"kind\": \"none\"}");
    else if (kind > LGKT_NOISE_BERNOULLI)
        io_refuse(&at, "\"kind\" must be \"none\", \"normal\" or \"bernoulli\"");
    else if (normal && scale.value.kind == IO_NOTHING)
        io_refuse(&at, "field \"sd\" is missing");
    else if (at.value.size != (normal ? 2 : 1))
        io_refuse(&at, "unknown field; the fields of \"%s\" are %s", io_noise_name(kind),
                  normal ? "kind and sd" : "kind");
    *sd = normal && good(r) ? io_check_number(&scale, false, 0.0, INFINITY) : 0.0;
    return good(r) ? kind : LGKT_NOISE_NONE;
}

// ---- fields and sizes ----

// rewards are mostly needed, and one of transitions and edges
static const io_field FIELDS[] = {
    {"states", IO_WHOLE_AT(reader, states, 1, LGKT_MAX_STATES), .flags = IO_NEEDED},
    {"actions", IO_WHOLE_AT(reader, actions, 1, LGKT_MAX_ACTIONS), .flags = IO_NEEDED},
    {.key = "start"},
    {.key = "noise"},
    {.key = "rewards"},
    {.key = "edges"},
    {.key = "transitions"},
    {.key = "name"},
    {.key = "comment"},
    {.key = "allowed"},
    {.key = NULL},
};

// That there are S lists of A entries.
static void check_table(reader *r, io_at table)
{
    check_length(&table, r->states);
    for (int32_t s = 0; good(r) && s < r->states; s++) {
        const io_at list = io_item(&table, s);
        check_length(&list, r->actions);
    }
}

// Keys, sizes, and lists as long as these ask for: all that must be known before memory is taken.
static void check_outline(reader *r)
{
    io_read_fields(&r->root, FIELDS, r);
    const bool dense = has(r, "transitions");
    if (dense == has(r, "edges"))
        io_refuse(&r->root, "%s",
                  dense ? "both \"transitions\" and \"edges\" are given"
                        : "field \"transitions\" or \"edges\" is missing");
    if (has(r, "rewards")) {
        check_table(r, find(r, "rewards"));
        return;
    }
    const io_at edges = find(r, "edges");
    bool own =
        edges.value.kind == IO_LIST && (int64_t)edges.value.size >= (int64_t)r->states * r->actions;
    for (size_t e = 0; own && e < edges.value.size; e++) {
        const io_value edge = io_item(&edges, (int64_t)e).value;
        own = edge.kind == IO_LIST && edge.size == 5;
    }
    if (!own)
        io_refuse(
            &r->root,
            "field \"rewards\" is missing; it may be only where every pair has edges and every "
            "edge a reward");
}

// ---- the parts ----

// The actions that a list for each state leaves out.
static void read_allowed(reader *r, const io_at *allowed)
{
    check_length(allowed, r->states);
    for (int32_t s = 0; good(r) && s < r->states; s++) {
        const io_at list = io_item(allowed, s);
        unsigned char *pairs = r->pairs + (int64_t)s * r->actions;
        io_check_list(&list, 1, (size_t)r->actions);
        memset(pairs, FORBIDDEN, (size_t)r->actions);
        for (size_t i = 0; good(r) && i < list.value.size; i++) {
            const int32_t a = read_whole(io_item(&list, (int64_t)i), 0, r->actions - 1);
            if (pairs[a] == 0)
                io_refuse(&list, "action %d is there twice", (int)a);
            pairs[a] = 0;
        }
        for (int32_t a = 0; good(r) && a < r->actions; a++)
            if (pairs[a] == FORBIDDEN)
                from_builder(r, lgkt_mdp_builder_forbid(r->builder, s, a));
    }
}

// Entry a of the list of a state; nothing without such a list, and for null, which a forbidden pair
// may have.
static io_at find_entry(const reader *r, const io_at *list, int64_t s, int64_t a)
{
    io_at found = io_item(list, a);
    if (found.value.kind == IO_NULL && (r->pairs[s * r->actions + a] & FORBIDDEN) != 0)
        found.value.kind = IO_NOTHING;
    return found;
}

// What the tables say about one pair; the lists are those of its state.
static void read_pair(reader *r, int32_t s, int32_t a, lgkt_noise kind, const io_at *noises,
                      const io_at *rewards, const io_at *laws)
{
    // rewards are checked against the noise, so it comes first
    const io_at noise = find_entry(r, noises, s, a), reward = find_entry(r, rewards, s, a),
                law = find_entry(r, laws, s, a);
    if (noise.value.kind != IO_NOTHING) {
        double sd;
        kind = read_noise(r, noise, &sd);
        from_builder(r, lgkt_mdp_builder_pair_noise(r->builder, s, a, kind, sd));
    }
    const bool coin = kind == LGKT_NOISE_BERNOULLI;
    r->pairs[(int64_t)s * r->actions + a] |= coin ? COIN : 0;

    if (reward.value.kind == IO_LIST) {
        // one for each next state
        check_length(&reward, r->states);
        for (int32_t y = 0; good(r) && y < r->states; y++)
            from_builder(r, lgkt_mdp_builder_edge_reward(r->builder, s, a, y,
                                                         read_reward(io_item(&reward, y), coin)));
    } else if (reward.value.kind != IO_NOTHING) {
        const double number = read_reward(reward, coin);
        from_builder(r, lgkt_mdp_builder_reward(r->builder, s, a, number));
    }
    if (law.value.kind != IO_NOTHING) {
        read_law(r, &law);
        from_builder(r, lgkt_mdp_builder_row(r->builder, s, a, r->row));
    }
}

// [state, action, next, probability] or with a reward at the end.
static void read_edge(reader *r, io_at edge)
{
    const bool own = io_check_list(&edge, 4, 5) == 5; // a reward of its own
    const int32_t s = read_whole(io_item(&edge, 0), 0, r->states - 1),
                  a = read_whole(io_item(&edge, 1), 0, r->actions - 1),
                  y = read_whole(io_item(&edge, 2), 0, r->states - 1);
    const int64_t z = (int64_t)s * r->actions + a;
    const double probability = read_probability(io_item(&edge, 3));
    if (!good(r))
        return;
    r->sums[z] += probability;
    from_builder(r, lgkt_mdp_builder_edge(r->builder, s, a, y, probability));
    if (!own)
        return;
    const double reward = read_reward(io_item(&edge, 4), (r->pairs[z] & COIN) != 0);
    from_builder(r, lgkt_mdp_builder_edge_reward(r->builder, s, a, y, reward));
}

static void read_edges(reader *r, const io_at *edges)
{
    io_check_list(edges, 0, SIZE_MAX);
    for (size_t i = 0; good(r) && i < edges->value.size; i++)
        read_edge(r, io_item(edges, (int64_t)i));
    for (int64_t z = 0; good(r) && z < (int64_t)r->states * r->actions; z++)
        if ((r->pairs[z] & FORBIDDEN) == 0 && !(fabs(r->sums[z] - 1.0) <= SUM_TOLERANCE))
            io_refuse_as(edges, LGKT_ERR_PROBABILITY,
                         " of state %d, action %d sum to %.9g; they must sum to 1 within %g",
                         (int)(z / r->actions), (int)(z % r->actions), r->sums[z], SUM_TOLERANCE);
}

static void read_parts(reader *r)
{
    const io_at allowed = find(r, "allowed"), noise = io_get(&r->root, "noise", IO_NEEDED),
                start = io_get(&r->root, "start", IO_NEEDED), edges = find(r, "edges"),
                rewards = find(r, "rewards"), laws = find(r, "transitions");
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
        const int32_t state = read_whole(start, 0, r->states - 1);
        from_builder(r, lgkt_mdp_builder_start(r->builder, state));
    }
    if (noise.value.kind == IO_LIST)
        check_table(r, noise);
    if (laws.value.kind != IO_NOTHING)
        check_table(r, laws);
    for (int32_t s = 0; good(r) && s < r->states; s++) {
        const io_at of_noise = io_item(&noise, s), of_reward = io_item(&rewards, s),
                    law = io_item(&laws, s);
        for (int32_t a = 0; good(r) && a < r->actions; a++)
            read_pair(r, s, a, kind, &of_noise, &of_reward, &law);
    }
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
    const io_at text = find(r, key);
    if (text.value.kind != IO_NOTHING && text.value.kind != IO_TEXT)
        io_refuse_as(&text, LGKT_ERR_FORMAT, " must be a text");
    else if (text.value.flaw != NULL)
        io_refuse_as(&text, LGKT_ERR_FORMAT, " %s", text.value.flaw);
    return text.value.text;
}

void io_model_fill(io_document *d, const lgkt_allocator *allocator, lgkt_io_model **model)
{
    reader r = {.root = {.d = d, .value = d->root}};
    d->is_model = true;
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
