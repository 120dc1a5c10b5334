// SPDX-License-Identifier: MIT
// Model files: what is read is what was written, and every kind of bad file is refused by name.
#include <stdlib.h>
#include <unistd.h>

#include "lgkt/io.h"
#include "ref/fault.h"
#include "test.h"

// ---- helpers ----

static lgkt_status read_bytes(const char *bytes, size_t size, const char *name,
                              const lgkt_allocator *allocator, lgkt_mdp **mdp, lgkt_error *error)
{
    lgkt_io_model *model;
    const lgkt_status status = lgkt_io_model_parse(bytes, size, name, allocator, &model, error);
    if (status != LGKT_OK)
        return status;
    *mdp = (lgkt_mdp *)lgkt_mdp_retain(lgkt_io_model_mdp(model));
    lgkt_io_model_destroy(model);
    return LGKT_OK;
}

static lgkt_status read_text(const char *text, lgkt_mdp **mdp, lgkt_error *error)
{
    return read_bytes(text, strlen(text), "m.json", NULL, mdp, error);
}

static lgkt_io_model *read_whole(const char *text)
{
    lgkt_io_model *model;
    lgkt_error error = {0};
    assert_ok(lgkt_io_model_parse(text, strlen(text), "m.json", NULL, &model, &error), error);
    return model;
}

// The file text of a model; the caller frees it.
static char *print_text(const lgkt_io_model *model)
{
    size_t size = 0, again;
    lgkt_error error = {0};
    assert_int_equal(lgkt_io_model_print(model, NULL, 0, &size, NULL), LGKT_ERR_SHAPE);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(lgkt_io_model_print(model, text, size, &again, NULL), LGKT_ERR_SHAPE);
    assert_ok(lgkt_io_model_print(model, text, size + 1, &again, &error), error);
    assert_int_equal(size, again);
    assert_int_equal(strlen(text), size);
    return text;
}

static void assert_same_text(const char *a, const char *b)
{
    assert_true((a == NULL) == (b == NULL));
    if (a != NULL)
        assert_string_equal(a, b);
}

// What a model prints reads back as the same model. Returns whether it was printed as edges.
static bool check_whole_round_trip(const lgkt_io_model *model)
{
    char *text = print_text(model);
    lgkt_io_model *again = read_whole(text);
    assert_true(lgkt_mdp_hash(lgkt_io_model_mdp(again)) == lgkt_mdp_hash(lgkt_io_model_mdp(model)));
    assert_same_text(lgkt_io_model_name(again), lgkt_io_model_name(model));
    assert_same_text(lgkt_io_model_comment(again), lgkt_io_model_comment(model));
    char *text_again = print_text(again);
    assert_string_equal(text, text_again);
    const bool edges = strstr(text, "\"edges\"") != NULL;
    lgkt_io_model_destroy(again);
    free(text_again);
    free(text);
    return edges;
}

static bool check_round_trip(const lgkt_mdp *mdp)
{
    lgkt_io_model *model;
    lgkt_error error = {0};
    assert_ok(lgkt_io_model_create(mdp, NULL, NULL, NULL, &model, &error), error);
    const bool edges = check_whole_round_trip(model);
    lgkt_io_model_destroy(model);
    return edges;
}

static lgkt_mdp *make_env_model(const char *spec, uint64_t seed)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    lgkt_env *env;
    lgkt_error error = {0};
    assert_ok(lgkt_env_create(spec, &config, &env, &error), error);
    const lgkt_mdp *mdp = lgkt_mdp_retain(lgkt_env_model(env));
    lgkt_env_destroy(env);
    return (lgkt_mdp *)mdp;
}

static const char DENSE[] =
    "{\"states\": 2, \"actions\": 2, \"start\": 1, \"noise\": {\"kind\": \"normal\", \"sd\": 0.5},"
    " \"rewards\": [[1, 0.25], [-3, 2e-3]],"
    " \"transitions\": [[[1, 0], [0, 1]], [[0.25, 0.75], [0.5, 0.5]]]}";

// ---- good files ----

static void test_dense_file_is_read(void **state)
{
    (void)state;
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    assert_ok(read_text(DENSE, &mdp, &error), error);
    assert_int_equal(lgkt_mdp_states(mdp), 2);
    assert_int_equal(lgkt_mdp_actions(mdp), 2);
    assert_int_equal(lgkt_mdp_start(mdp), 1);
    assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_NORMAL);
    assert_close(lgkt_mdp_noise_sd(mdp), 0.5, 0);
    assert_close(lgkt_mdp_reward(mdp, 1, 0), -3, 0);
    assert_close(lgkt_mdp_reward(mdp, 1, 1), 2e-3, 0);
    const lgkt_row row = lgkt_mdp_row(mdp, 1, 0);
    assert_int_equal(row.n, 2);
    assert_close(row.p[1], 0.75, 0);
    assert_int_equal(lgkt_mdp_row(mdp, 0, 1).n, 1);
    assert_int_equal(lgkt_mdp_row(mdp, 0, 1).next[0], 1);
    assert_false(check_round_trip(mdp));
    lgkt_mdp_destroy(mdp);
}

static void test_edges_are_the_same_model(void **state)
{
    (void)state;
    static const char edges[] =
        "{\"edges\": [[1,1,1,0.5],[1,1,0,0.25],[1,1,0,0.25],[0,0,0,1],[0,1,1,1],[1,0,0,0.25],"
        "[1,0,1,0.75],[0,0,1,0]], \"rewards\": [[1, 0.25], [-3, 0.002]], \"actions\": 2,"
        " \"noise\": {\"sd\": 0.5, \"kind\": \"normal\"}, \"start\": [0, 1], \"states\": 2}";
    lgkt_mdp *dense = NULL, *sparse = NULL;
    lgkt_error error = {0};
    assert_ok(read_text(DENSE, &dense, &error), error);
    assert_ok(read_text(edges, &sparse, &error), error);
    assert_true(lgkt_mdp_hash(dense) == lgkt_mdp_hash(sparse));
    lgkt_mdp_destroy(dense);
    lgkt_mdp_destroy(sparse);
}

static void test_start_law_and_other_noises(void **state)
{
    (void)state;
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    assert_ok(read_text("{\"states\": 2, \"actions\": 1, \"start\": [0.25, 0.75], \"noise\": "
                        "{\"kind\": \"bernoulli\"}, \"rewards\": [[1], [0]], \"transitions\": "
                        "[[[0.3333333, 0.6666667]], [[1, 0]]]}",
                        &mdp, &error),
              error);
    assert_int_equal(lgkt_mdp_start(mdp), -1);
    assert_close(lgkt_mdp_start_law(mdp)[1], 0.75, 0);
    assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_BERNOULLI);
    check_round_trip(mdp);
    lgkt_mdp_destroy(mdp);
    assert_ok(read_text("{\"states\": 1, \"actions\": 1, \"start\": 0, \"noise\": {\"kind\": "
                        "\"none\"}, \"rewards\": [[-7.5]], \"edges\": [[0, 0, 0, 1]]}",
                        &mdp, &error),
              error);
    assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_NONE);
    check_round_trip(mdp);
    lgkt_mdp_destroy(mdp);
}

static void test_rows_are_normalised(void **state)
{
    (void)state;
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    assert_ok(read_text("{\"states\": 2, \"actions\": 1, \"start\": 0, \"noise\": {\"kind\": "
                        "\"none\"}, \"rewards\": [[0], [0]], \"transitions\": [[[0.5, 0.4999995]], "
                        "[[0, 1.0000005]]]}",
                        &mdp, &error),
              error);
    const lgkt_row row = lgkt_mdp_row(mdp, 0, 0);
    assert_close(row.p[0] + row.p[1], 1.0, 1e-15);
    assert_close(row.p[0] / row.p[1], 0.5 / 0.4999995, 1e-15);
    assert_close(lgkt_mdp_row(mdp, 1, 0).p[0], 1.0, 0);
    lgkt_mdp_destroy(mdp);
}

static void test_environment_models_survive_a_round_trip(void **state)
{
    (void)state;
    static const char *const dense[] = {"synthetic:states=10,actions=5", "riverswim:states=8",
                                        "synthetic:states=30,actions=3"};
    for (uint64_t seed = 0; seed < (test_short() ? 3 : 30); seed++)
        for (size_t i = 0; i < sizeof dense / sizeof dense[0]; i++) {
            lgkt_mdp *mdp = make_env_model(dense[i], seed);
            assert_false(check_round_trip(mdp));
            lgkt_mdp_destroy(mdp);
        }
    lgkt_mdp *lake = make_env_model("frozenlake", 0);
    assert_true(check_round_trip(lake));
    lgkt_mdp_destroy(lake);
}

static void test_write_makes_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/lgkt-test-XXXXXX";
    lgkt_io_model *again;
    lgkt_error error = {0};
    close(mkstemp(path));
    lgkt_io_model *model = read_whole(DENSE);
    assert_ok(lgkt_io_model_write(model, path, &error), error);
    assert_ok(lgkt_io_model_read(path, NULL, &again, &error), error);
    assert_true(lgkt_mdp_hash(lgkt_io_model_mdp(again)) == lgkt_mdp_hash(lgkt_io_model_mdp(model)));
    assert_refused(lgkt_io_model_write(model, "/tmp/no/such/folder/m.json", &error),
                   LGKT_ERR_NO_FILE, error, "/tmp/no/such/folder/m.json: ");
    // a disk that is always full
    assert_refused(lgkt_io_model_write(model, "/dev/full", &error), LGKT_ERR_IO, error,
                   "/dev/full: No space");
    lgkt_io_model_destroy(again);
    lgkt_io_model_destroy(model);
    unlink(path);
}

static void test_drifting_noise_has_no_file(void **state)
{
    (void)state;
    char path[] = "/tmp/lgkt-test-XXXXXX";
    close(mkstemp(path));
    lgkt_mdp *mdp = make_env_model("riverswim:noise=drifting", 0);
    lgkt_io_model *model;
    lgkt_error error = {0};
    size_t size;
    assert_ok(lgkt_io_model_create(mdp, NULL, NULL, NULL, &model, &error), error);
    assert_refused(lgkt_io_model_write(model, path, &error), LGKT_ERR_UNSUPPORTED, error,
                   "drifting");
    assert_refused(lgkt_io_model_print(model, NULL, 0, &size, &error), LGKT_ERR_UNSUPPORTED, error,
                   "drifting");
    lgkt_io_model_destroy(model);
    lgkt_mdp_destroy(mdp);
    unlink(path);
}

// ---- what real models need ----

static const char FULL[] =
    "{\"name\": \"T\u00fcr \\\"1\\\"\", \"comment\": \"two\\nlines\","
    " \"states\": 2, \"actions\": 2, \"start\": [0.5, 0.5], \"allowed\": [[1, 0], [0]],"
    " \"noise\": [[{\"kind\": \"normal\", \"sd\": 0.5}, {\"kind\": \"none\"}],"
    "             [{\"kind\": \"bernoulli\"}, null]],"
    " \"rewards\": [[-1, [2, 4]], [0.5, null]],"
    " \"transitions\": [[[1, 0], [0.75, 0.25]], [[0.25, 0.75], null]]}";

static void check_full(const lgkt_mdp *mdp)
{
    double sd = 7;
    assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_MIXED);
    assert_int_equal(lgkt_mdp_pair_noise(mdp, 0, 0, &sd), LGKT_NOISE_NORMAL);
    assert_close(sd, 0.5, 0);
    assert_int_equal(lgkt_mdp_pair_noise(mdp, 0, 1, &sd), LGKT_NOISE_NONE);
    assert_int_equal(lgkt_mdp_pair_noise(mdp, 1, 0, &sd), LGKT_NOISE_BERNOULLI);
    assert_close(lgkt_mdp_reward(mdp, 0, 1), 2.5, 0);
    assert_null(lgkt_mdp_row(mdp, 0, 0).reward);
    assert_close(lgkt_mdp_row(mdp, 0, 1).reward[1], 4, 0);
    assert_true(lgkt_mdp_restricted(mdp));
    assert_true(lgkt_mdp_allowed(mdp, 0, 1));
    assert_false(lgkt_mdp_allowed(mdp, 1, 1));
}

static void test_everything_is_kept(void **state)
{
    (void)state;
    lgkt_io_model *model = read_whole(FULL);
    check_full(lgkt_io_model_mdp(model));
    assert_string_equal(lgkt_io_model_name(model), "T\u00fcr \"1\"");
    assert_string_equal(lgkt_io_model_comment(model), "two\nlines");
    assert_false(check_whole_round_trip(model));
    lgkt_io_model_destroy(model);
    model = read_whole(DENSE);
    assert_null(lgkt_io_model_name(model));
    assert_null(lgkt_io_model_comment(model));
    assert_false(lgkt_mdp_restricted(lgkt_io_model_mdp(model)));
    lgkt_io_model_destroy(model);
}

// The same model as edges, with rewards at their ends; and wide enough to be written as edges.
static void test_edges_have_rewards(void **state)
{
    (void)state;
    static const char edges[] =
        "{\"states\": 2, \"actions\": 2, \"start\": [0.5, 0.5], \"allowed\": [[1, 0], [0]],"
        " \"noise\": [[{\"kind\": \"normal\", \"sd\": 0.5}, {\"kind\": \"none\"}],"
        "             [{\"kind\": \"bernoulli\"}, null]], \"rewards\": [[-1, 2], [0.5, 0]],"
        " \"edges\": [[0, 0, 0, 1], [0, 1, 0, 0.75], [0, 1, 1, 0.25, 4], [1, 0, 0, 0.25],"
        " [1, 0, 1, 0.75]]}";
    lgkt_mdp *dense = NULL, *sparse = NULL;
    lgkt_error error = {0};
    assert_ok(read_text(FULL, &dense, &error), error);
    assert_ok(read_text(edges, &sparse, &error), error);
    check_full(sparse);
    assert_true(lgkt_mdp_hash(dense) == lgkt_mdp_hash(sparse));
    lgkt_mdp_destroy(dense);
    lgkt_mdp_destroy(sparse);
    // five states in a ring, an edge and a reward each: "rewards" is not needed
    lgkt_io_model *ring =
        read_whole("{\"states\": 5, \"actions\": 1, \"start\": 0, \"noise\": {\"kind\": \"none\"},"
                   " \"edges\": [[0, 0, 1, 1, 0.5], [1, 0, 2, 1, 0], [2, 0, 3, 1, 0],"
                   " [3, 0, 4, 1, 0], [4, 0, 0, 0.5, 7], [4, 0, 1, 0.5, 8]]}");
    assert_close(lgkt_mdp_reward(lgkt_io_model_mdp(ring), 0, 0), 0.5, 0);
    assert_close(lgkt_mdp_reward(lgkt_io_model_mdp(ring), 4, 0), 7.5, 0);
    assert_true(check_whole_round_trip(ring));
    lgkt_io_model_destroy(ring);
}

// A model with `count` states of which each may have noise, rewards and actions of its own.
static lgkt_mdp *draw_model(lgkt_rng *rng, int32_t states, int32_t actions, int32_t successors)
{
    lgkt_mdp_builder *builder;
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_mdp_builder_create(states, actions, NULL, &builder, &error), error);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            const lgkt_noise kind = (lgkt_noise)lgkt_rng_below(rng, 3);
            assert_int_equal(
                lgkt_mdp_builder_pair_noise(builder, s, a, kind, lgkt_rng_uniform(rng)), LGKT_OK);
            assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, lgkt_rng_uniform(rng)),
                             LGKT_OK);
            for (int32_t i = 0; i < successors; i++) {
                const int32_t next = lgkt_rng_below(rng, states);
                assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, next, 1.0 / successors),
                                 LGKT_OK);
                if (lgkt_rng_below(rng, 3) == 0)
                    assert_int_equal(
                        lgkt_mdp_builder_edge_reward(builder, s, a, next, lgkt_rng_uniform(rng)),
                        LGKT_OK);
            }
            if (a > 0 && lgkt_rng_below(rng, 4) == 0)
                assert_int_equal(lgkt_mdp_builder_forbid(builder, s, a), LGKT_OK);
        }
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return mdp;
}

static void test_drawn_models_survive_a_round_trip(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "models", 0);
    const int rounds = test_short() ? 12 : 60;
    int edges = 0;
    for (int i = 0; i < rounds; i++) {
        lgkt_mdp *mdp =
            draw_model(&rng, 1 + lgkt_rng_below(&rng, 20), 1 + lgkt_rng_below(&rng, 4), 3);
        edges += check_round_trip(mdp);
        lgkt_mdp_destroy(mdp);
    }
    assert_true(4 * edges > rounds && 4 * edges < 3 * rounds); // both forms were written
}

static void test_texts_of_a_model_are_checked(void **state)
{
    (void)state;
    lgkt_mdp *mdp = NULL;
    lgkt_io_model *model;
    lgkt_error error = {0};
    assert_ok(read_text(DENSE, &mdp, &error), error);
    assert_refused(lgkt_io_model_create(mdp, "a\nb", NULL, NULL, &model, &error), LGKT_ERR_FORMAT,
                   error, "name has a control character");
    assert_refused(lgkt_io_model_create(mdp, "a\xff", NULL, NULL, &model, &error), LGKT_ERR_FORMAT,
                   error, "name is not UTF-8");
    assert_refused(lgkt_io_model_create(mdp, NULL, "a\xc3", NULL, &model, &error), LGKT_ERR_FORMAT,
                   error, "comment is not UTF-8");
    assert_refused(lgkt_io_model_create(NULL, NULL, NULL, NULL, &model, &error), LGKT_ERR_ARGUMENT,
                   error, "NULL");
    assert_ok(lgkt_io_model_create(mdp, "", "\t\x1b\n", NULL, &model, &error), error);
    lgkt_mdp_destroy(mdp);
    check_whole_round_trip(model);
    lgkt_io_model_destroy(model);
    lgkt_io_model_destroy(NULL);
}

static void test_null_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_io_model *model = read_whole(DENSE);
    size_t size;
    assert_int_equal(lgkt_io_model_read(NULL, NULL, &model, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_parse(NULL, 0, "m", NULL, &model, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_parse("{}", 2, NULL, NULL, &model, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_parse("{}", 2, "m", NULL, NULL, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_write(NULL, "m", NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_write(model, NULL, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_print(NULL, NULL, 0, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_print(model, NULL, 5, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_model_print(model, NULL, 0, NULL, NULL), LGKT_ERR_ARGUMENT);
    lgkt_io_model_destroy(model);
}

// ---- bad files ----

// A file in parts, of which one is replaced by something bad.
#define SIZES   "\"states\": 2, \"actions\": 1"
#define START   "\"start\": 0"
#define NOISE   "\"noise\": {\"kind\": \"none\"}"
#define REWARDS "\"rewards\": [[0], [1]]"
#define ROWS    "\"transitions\": [[[1, 0]], [[0, 1]]]"
#define FILE_OF(sizes, start, noise, rewards, rows)                                                \
    "{" sizes ", " start ", " noise ", " rewards ", " rows "}"
#define WITH_SIZES(x)   FILE_OF(x, START, NOISE, REWARDS, ROWS)
#define WITH_START(x)   FILE_OF(SIZES, x, NOISE, REWARDS, ROWS)
#define WITH_NOISE(x)   FILE_OF(SIZES, START, x, REWARDS, ROWS)
#define WITH_REWARDS(x) FILE_OF(SIZES, START, NOISE, x, ROWS)
#define WITH_ROWS(x)    FILE_OF(SIZES, START, NOISE, REWARDS, x)

typedef struct bad_file {
    const char *text;
    lgkt_status status;
    const char *words; // in the message
} bad_file;

static const bad_file BAD[] = {
    // no JSON
    {"", LGKT_ERR_FORMAT, "m.json:1:0: "},
    {"   \n ", LGKT_ERR_FORMAT, "m.json:2:"},
    {"hello", LGKT_ERR_FORMAT, "m.json:1:"},
    {"{\"states\": 2,\n \"actions\": }", LGKT_ERR_FORMAT, "m.json:2:13: "},
    {"{\"states\": 2} x", LGKT_ERR_FORMAT, "m.json:1:"},
    {"{\"states\": NaN}", LGKT_ERR_FORMAT, "m.json:1:"},
    {"{\"states\": 1e999}", LGKT_ERR_FORMAT, "m.json:1:"},
    {"{\"states\": 99999999999999999999}", LGKT_ERR_FORMAT, "m.json:1:"},
    {"{\"states\": \"\xff\"}", LGKT_ERR_FORMAT, "m.json:1:"},
    {"{\"states\": 2, \"states\": 2}", LGKT_ERR_FORMAT, "duplicate"},
    // keys
    {"[1, 2]", LGKT_ERR_FORMAT, "m.json: it must be an object"},
    {"{}", LGKT_ERR_FORMAT, "m.json: states: it is missing"},
    {"{" SIZES ", " START ", " NOISE ", " ROWS "}", LGKT_ERR_FORMAT,
     "field \"rewards\" is missing; it may be only where every pair has edges"},
    {"{" SIZES ", " NOISE ", " REWARDS ", " ROWS "}", LGKT_ERR_FORMAT, "start: it is missing"},
    {"{" SIZES ", " START ", " NOISE ", " REWARDS "}", LGKT_ERR_FORMAT,
     "field \"transitions\" or \"edges\" is missing"},
    {WITH_ROWS(ROWS ", \"edges\": []"), LGKT_ERR_FORMAT,
     "both \"transitions\" and \"edges\" are given"},
    {WITH_ROWS(ROWS ", \"gamma\": 1"), LGKT_ERR_FORMAT, "unknown field \"gamma\"; known: states, "},
    {WITH_ROWS(ROWS ", \"Edges\": []"), LGKT_ERR_FORMAT,
     "unknown field \"Edges\"; did you mean \"edges\"?"},
    {WITH_ROWS(ROWS ", \"probability\": []"), LGKT_ERR_FORMAT,
     "unknown field \"probability\"; known: states, actions, start, noise, rewards, edges,"},
    // texts
    {WITH_ROWS(ROWS ", \"name\": 1"), LGKT_ERR_FORMAT, "name must be a text"},
    {WITH_ROWS(ROWS ", \"comment\": null"), LGKT_ERR_FORMAT, "comment must be a text"},
    {WITH_ROWS(ROWS ", \"name\": \"a\\nb\""), LGKT_ERR_FORMAT,
     "m.json: name has a control character; it must be one line"},
    {WITH_ROWS(ROWS ", \"name\": \"\\u0000\""), LGKT_ERR_FORMAT, "m.json:1:"},
    // allowed
    {WITH_ROWS(ROWS ", \"allowed\": 1"), LGKT_ERR_FORMAT, "allowed: it must be a list"},
    {WITH_ROWS(ROWS ", \"allowed\": [[0]]"), LGKT_ERR_SHAPE, "allowed: it has 1 entries"},
    {WITH_ROWS(ROWS ", \"allowed\": [[0], []]"), LGKT_ERR_SHAPE,
     "allowed[1]: it has 0 entries; it must have 1"},
    {WITH_ROWS(ROWS ", \"allowed\": [[0], 0]"), LGKT_ERR_FORMAT, "allowed[1]: it must be a list"},
    {WITH_ROWS(ROWS ", \"allowed\": [[0], [1]]"), LGKT_ERR_SHAPE,
     "allowed[1][0]: it is 1; it must be in 0 .. 0"},
    {WITH_ROWS(ROWS ", \"allowed\": [[0, 0], [0]]"), LGKT_ERR_SHAPE,
     "allowed[0]: it has 2 entries; it must have 1"},
    {"{\"states\": 1, \"actions\": 2, " START ", " NOISE ", \"rewards\": [[0, 0]], "
     "\"transitions\": [[[1], [1]]], \"allowed\": [[1, 1]]}",
     LGKT_ERR_FORMAT, "allowed[0]: action 1 is there twice"},
    // sizes
    {WITH_SIZES("\"states\": 0, \"actions\": 1"), LGKT_ERR_SHAPE,
     "states: it is 0; it must be in 1 .. 16777216"},
    {WITH_SIZES("\"states\": 1000000000, \"actions\": 1"), LGKT_ERR_SHAPE,
     "states: it is 1000000000"},
    {WITH_SIZES("\"states\": 16777216, \"actions\": 1"), LGKT_ERR_SHAPE,
     "rewards: it has 2 entries; it must have 16777216"},
    {WITH_SIZES("\"states\": 2, \"actions\": 65536"), LGKT_ERR_SHAPE,
     "rewards[0]: it has 1 entries; it must have 65536"},
    {WITH_SIZES("\"states\": 2, \"actions\": 65537"), LGKT_ERR_SHAPE, "actions: it is 65537"},
    {WITH_SIZES("\"states\": 2.0, \"actions\": 1"), LGKT_ERR_FORMAT,
     "states: it must be a whole number"},
    {WITH_SIZES("\"states\": 2, \"actions\": null"), LGKT_ERR_FORMAT,
     "actions: it must be a whole number"},
    {WITH_SIZES("\"states\": 2, \"actions\": -1"), LGKT_ERR_SHAPE, "actions: it is -1"},
    // start
    {WITH_START("\"start\": 2"), LGKT_ERR_SHAPE, "start: it is 2; it must be in 0 .. 1"},
    {WITH_START("\"start\": -1"), LGKT_ERR_SHAPE, "start: it is -1"},
    {WITH_START("\"start\": \"0\""), LGKT_ERR_FORMAT, "start: it must be a whole number"},
    {WITH_START("\"start\": [1]"), LGKT_ERR_SHAPE, "start: it has 1 entries; it must have 2"},
    {WITH_START("\"start\": [0.5, 0.4]"), LGKT_ERR_PROBABILITY, "start sums to 0.9; it must be 1"},
    {WITH_START("\"start\": [-0.5, 1.5]"), LGKT_ERR_ARGUMENT, "start[0]: it is -0.5"},
    // noise
    {WITH_NOISE("\"noise\": \"none\""), LGKT_ERR_FORMAT, "noise must be an object"},
    {WITH_NOISE("\"noise\": {}"), LGKT_ERR_FORMAT, "noise: \"kind\" must be"},
    {WITH_NOISE("\"noise\": {\"kind\": \"cauchy\"}"), LGKT_ERR_FORMAT, "noise: \"kind\" must be"},
    {WITH_NOISE("\"noise\": {\"kind\": 3}"), LGKT_ERR_FORMAT, "noise: \"kind\" must be"},
    {WITH_NOISE("\"noise\": {\"kind\": \"normal\"}"), LGKT_ERR_FORMAT,
     "noise: field \"sd\" is missing"},
    {WITH_NOISE("\"noise\": {\"kind\": \"normal\", \"sd\": -1}"), LGKT_ERR_ARGUMENT,
     "noise.sd: it is -1; it must be at least 0"},
    {WITH_NOISE("\"noise\": {\"kind\": \"normal\", \"sd\": \"x\"}"), LGKT_ERR_FORMAT,
     "noise.sd: it must be a number"},
    {WITH_NOISE("\"noise\": {\"kind\": \"none\", \"sd\": 1}"), LGKT_ERR_FORMAT,
     "noise: unknown field; the fields of \"none\" are kind"},
    {WITH_NOISE("\"noise\": {\"kind\": \"bernoulli\", \"p\": 1}"), LGKT_ERR_FORMAT,
     "noise: unknown field"},
    {WITH_NOISE("\"noise\": [[{\"kind\": \"none\"}]]"), LGKT_ERR_SHAPE, "noise: it has 1 entries"},
    {WITH_NOISE("\"noise\": [[], []]"), LGKT_ERR_SHAPE, "noise[0]: it has 0 entries"},
    {WITH_NOISE("\"noise\": [[null], [{\"kind\": \"none\"}]]"), LGKT_ERR_FORMAT,
     "noise[0][0] must be an object such as"},
    {WITH_NOISE("\"noise\": [[{\"kind\": \"none\"}], [{\"kind\": \"normal\"}]]"), LGKT_ERR_FORMAT,
     "noise[1][0]: field \"sd\" is missing"},
    {WITH_NOISE("\"noise\": [[{\"kind\": \"none\"}], [{\"kind\": \"normal\", \"sd\": -1}]]"),
     LGKT_ERR_ARGUMENT, "noise[1][0].sd: it is -1; it must be at least 0"},
    // rewards
    {"{" SIZES ", " START ", " NOISE ", \"edges\": [[0, 0, 0, 1, 1], [1, 0, 1, 1]]}",
     LGKT_ERR_FORMAT, "field \"rewards\" is missing; it may be only where"},
    {"{\"states\": 2, \"actions\": 60000, " START ", " NOISE ", \"edges\": [[0, 0, 0, 1, 1]]}",
     LGKT_ERR_FORMAT, "field \"rewards\" is missing"},
    {WITH_REWARDS("\"rewards\": [[0], [[1]]]"), LGKT_ERR_SHAPE,
     "rewards[1][0]: it has 1 entries; it must have 2"},
    {WITH_REWARDS("\"rewards\": [[0], [[1, \"x\"]]]"), LGKT_ERR_FORMAT,
     "rewards[1][0][1]: it must be a number"},
    {FILE_OF(SIZES, START, "\"noise\": {\"kind\": \"bernoulli\"}", "\"rewards\": [[0], [[0, 2]]]",
             ROWS),
     LGKT_ERR_ARGUMENT, "rewards[1][0][1]: it is 2; it must be in 0 .. 1"},
    {WITH_REWARDS("\"rewards\": 5"), LGKT_ERR_FORMAT, "rewards: it must be a list"},
    {WITH_REWARDS("\"rewards\": [[0], 1]"), LGKT_ERR_FORMAT, "rewards[1]: it must be a list"},
    {WITH_REWARDS("\"rewards\": [[0], [1, 2]]"), LGKT_ERR_SHAPE, "rewards[1]: it has 2 entries"},
    {WITH_REWARDS("\"rewards\": [[0], [null]]"), LGKT_ERR_FORMAT,
     "rewards[1][0]: it must be a number"},
    {FILE_OF(SIZES, START, "\"noise\": {\"kind\": \"bernoulli\"}", "\"rewards\": [[0], [1.5]]",
             ROWS),
     LGKT_ERR_ARGUMENT, "rewards[1][0]: it is 1.5; it must be in 0 .. 1"},
    // transitions
    {WITH_ROWS("\"transitions\": []"), LGKT_ERR_SHAPE, "transitions: it has 0 entries"},
    {WITH_ROWS("\"transitions\": [[[1, 0]], []]"), LGKT_ERR_SHAPE,
     "transitions[1]: it has 0 entries"},
    {WITH_ROWS("\"transitions\": [[[1, 0]], [[1]]]"), LGKT_ERR_SHAPE,
     "transitions[1][0]: it has 1 entries; it must have 2"},
    {WITH_ROWS("\"transitions\": [[[1, 0]], [[0.5, 0.4]]]"), LGKT_ERR_PROBABILITY,
     "m.json: transitions[1][0] sums to 0.9; it must be 1 within 1e-06"},
    {WITH_ROWS("\"transitions\": [[[1, 0]], [[1.5, -0.5]]]"), LGKT_ERR_ARGUMENT,
     "transitions[1][0][0]: it is 1.5; it must be in 0 .. 1"},
    {WITH_ROWS("\"transitions\": [[[1, 0]], [[true, 0]]]"), LGKT_ERR_FORMAT,
     "transitions[1][0][0]: it must be a number"},
    // edges
    {WITH_ROWS("\"edges\": 5"), LGKT_ERR_FORMAT, "edges: it must be a list"},
    {WITH_ROWS("\"edges\": [[0, 0, 0]]"), LGKT_ERR_SHAPE,
     "edges[0]: it has 3 entries; it must have 4 to 5"},
    {WITH_ROWS("\"edges\": [[0, 0, 0, 1], [2, 0, 0, 1]]"), LGKT_ERR_SHAPE, "edges[1][0]: it is 2"},
    {WITH_ROWS("\"edges\": [[0, 1, 0, 1]]"), LGKT_ERR_SHAPE,
     "edges[0][1]: it is 1; it must be in 0 .. 0"},
    {WITH_ROWS("\"edges\": [[0, 0, 0.5, 1]]"), LGKT_ERR_FORMAT, "edges[0][2]: it must be a whole"},
    {WITH_ROWS("\"edges\": [[0, 0, 0, 1.5]]"), LGKT_ERR_ARGUMENT, "edges[0][3]: it is 1.5"},
    {WITH_ROWS("\"edges\": [[0, 0, 0, 1, 1, 1]]"), LGKT_ERR_SHAPE, "edges[0]: it has 6 entries"},
    {WITH_ROWS("\"edges\": [[0, 0, 0, 1, null]]"), LGKT_ERR_FORMAT,
     "edges[0][4]: it must be a number"},
    {FILE_OF(SIZES, START, "\"noise\": {\"kind\": \"bernoulli\"}", REWARDS,
             "\"edges\": [[0, 0, 0, 1, 1.5], [1, 0, 0, 1]]"),
     LGKT_ERR_ARGUMENT, "edges[0][4]: it is 1.5; it must be in 0 .. 1"},
    {WITH_ROWS("\"edges\": [[0, 0, 0, 1]]"), LGKT_ERR_PROBABILITY,
     "edges of state 1, action 0 sum to 0; they must sum to 1 within 1e-06"},
};

static void test_bad_files_are_refused_by_place(void **state)
{
    (void)state;
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    // the parts together are a good file
    assert_ok(read_text(WITH_ROWS(ROWS), &mdp, &error), error);
    lgkt_mdp_destroy(mdp);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        assert_refused(read_text(BAD[i].text, &mdp, &error), BAD[i].status, error, BAD[i].words);
        assert_int_equal(error.status, BAD[i].status);
        assert_null(strpbrk(error.text, "\n\r\t"));
        assert_int_equal(read_text(BAD[i].text, &mdp, NULL), BAD[i].status);
    }
}

static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    for (size_t size = 0; size + 1 < sizeof DENSE; size++)
        assert_refused(read_bytes(DENSE, size, "cut", NULL, &mdp, &error), LGKT_ERR_FORMAT, error,
                       "cut:1:");
}

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    lgkt_mdp *mdp = NULL;
    lgkt_error error = {0};
    assert_refused(read_bytes(text, DEPTH, "deep", NULL, &mdp, &error), LGKT_ERR_FORMAT, error,
                   "deep:1:");
    free(text);
}

// Changed bytes give a model or a refusal, never a crash (checked by sanitizers).
static void test_changed_bytes_do_no_harm(void **state)
{
    (void)state;
    static const char letters[] = "0123456789-+.eE[]{},:\" \\ntfxu";
    lgkt_rng rng = lgkt_rng_stream(7, "mutate", 0);
    const int rounds = test_short() ? 500 : 5000;
    int good = 0, refused = 0;
    for (int round = 0; round < rounds; round++) {
        char text[sizeof DENSE];
        memcpy(text, DENSE, sizeof DENSE);
        for (int i = lgkt_rng_below(&rng, 3); i >= 0; i--)
            text[lgkt_rng_below(&rng, (int32_t)sizeof DENSE - 1)] =
                letters[lgkt_rng_below(&rng, (int32_t)sizeof letters - 1)];
        lgkt_mdp *mdp;
        lgkt_error error = {0};
        if (read_bytes(text, sizeof DENSE - 1, "m", NULL, &mdp, &error) == LGKT_OK) {
            lgkt_mdp_destroy(mdp);
            good++;
        } else {
            assert_true(error.text[0] == 'm');
            refused++;
        }
    }
    assert_true(50 * good > rounds && 5 * refused > rounds);
}

static lgkt_status make_model(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_io_model *model = NULL;
    const char *text = ctx;
    const lgkt_status status =
        lgkt_io_model_parse(text, strlen(text), "m", allocator, &model, error);
    lgkt_io_model_destroy(model);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    char text[sizeof FULL];
    memcpy(text, FULL, sizeof FULL);
    assert_true(fault_sweep(make_model, text) > 1);
}

static void test_unreadable_files(void **state)
{
    (void)state;
    lgkt_io_model *model;
    lgkt_error error = {0};
    assert_refused(lgkt_io_model_read("/no/such/m.json", NULL, &model, &error), LGKT_ERR_NO_FILE,
                   error, "/no/such/m.json: No such file");
    assert_refused(lgkt_io_model_read("/tmp", NULL, &model, &error), LGKT_ERR_FORMAT, error,
                   "/tmp: is a directory");
    assert_refused(lgkt_io_model_read("/dev/zero", NULL, &model, &error), LGKT_ERR_FORMAT, error,
                   "/dev/zero: is neither a file nor a pipe");
}

static void test_huge_file_is_refused_unread(void **state)
{
    (void)state;
    char path[] = "/tmp/lgkt-test-XXXXXX";
    const int file = mkstemp(path);
    lgkt_io_model *model;
    lgkt_error error = {0};
    // a hole: it takes no room on the disk
    assert_int_equal(ftruncate(file, ((off_t)1 << 30) + 1), 0);
    close(file);
    assert_refused(lgkt_io_model_read(path, NULL, &model, &error), LGKT_ERR_SHAPE, error,
                   "larger than 1073741824 bytes");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_file_is_read),
        cmocka_unit_test(test_edges_are_the_same_model),
        cmocka_unit_test(test_start_law_and_other_noises),
        cmocka_unit_test(test_rows_are_normalised),
        cmocka_unit_test(test_environment_models_survive_a_round_trip),
        cmocka_unit_test(test_write_makes_a_file),
        cmocka_unit_test(test_drifting_noise_has_no_file),
        cmocka_unit_test(test_everything_is_kept),
        cmocka_unit_test(test_edges_have_rewards),
        cmocka_unit_test(test_drawn_models_survive_a_round_trip),
        cmocka_unit_test(test_texts_of_a_model_are_checked),
        cmocka_unit_test(test_null_arguments_are_refused),
        cmocka_unit_test(test_bad_files_are_refused_by_place),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_changed_bytes_do_no_harm),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_unreadable_files),
        cmocka_unit_test(test_huge_file_is_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
