// SPDX-License-Identifier: MIT
// lgkt trace: one learner on one model, with every random number taken from a tape, so that two
// programs can be compared action by action.
//
//     next state  the smallest j with P(0) + .. + P(j) > u_next, the last state if there is none
//     reward      R + sd z_reward, or [u_reward < R] for Bernoulli noise, or R
//     coin        u_coin, when the learner flips one at that step
//
// The state of the learner can be saved after any row, and the trace goes on from there later: the
// two parts are the rows of the whole, byte for byte.

#include <inttypes.h>
#include <string.h>

#include "args.h"
#include "io/io_learner.h"
#include "io/io_model.h"
#include "io/io_tape.h"
#include "io/io_text.h"
#include "lgkt/env.h"
#include "lgkt/learner.h"
#include "resume.h"

typedef struct settings {
    const char *mdp, *tape, *learner;
    int64_t horizon; // 0: the number of rows
    uint64_t seed;
    int64_t save_at;       // after so many steps
    const char *save_file; // NULL: nothing is saved
    const char *resume;    // NULL: a new learner
} settings;

static const cli_option OPTIONS[] = {
    {"mdp", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, offsetof(settings, mdp),
     "a model file with a fixed start state"},
    {"tape", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, offsetof(settings, tape),
     "CSV with header u_next,z_reward,u_reward,u_coin"},
    {"learner", 0, CLI_TEXT, "SPEC", NULL, 0, 0, NULL, offsetof(settings, learner),
     "the learner; see lgkt list learners"},
    {"horizon", 0, CLI_INTEGER, "T", NULL, 1, 1e12, NULL, offsetof(settings, horizon),
     "number of steps that the learner is told; by default the rows of the tape"},
    {"seed", 0, CLI_SEED, "X", "0", 0, 0, NULL, offsetof(settings, seed),
     "root seed of the learner's own stream, for ties and samplers; a resumed one keeps its own"},
    {"save-at", 0, CLI_INTEGER, "N", NULL, 0, 1e12, NULL, offsetof(settings, save_at),
     "write the state of the learner after N steps to FILE, and go on"},
    {NULL, 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, offsetof(settings, save_file), NULL},
    {"resume", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, offsetof(settings, resume),
     "go on with a saved learner, from the row where it was saved; --learner and --horizon may be "
     "left out, and must otherwise be what was saved"},
};

static const cli_command COMMAND = {
    .name = "trace",
    .usage = "--mdp FILE --tape FILE (--learner SPEC | --resume FILE) [options]",
    .about = "Runs a learner with all random numbers of the model taken from a tape and prints "
             "CSV\nt,state,action,reward,next_state, one row per row of the tape.\n",
    .examples = "lgkt trace --mdp mdp.json --tape tape.csv --learner lg2t --horizon 20000\n"
                "lgkt trace --mdp mdp.json --tape tape.csv --learner lg2t --save-at 100 state.bin\n"
                "lgkt trace --mdp mdp.json --tape tape.csv --resume state.bin",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
};

// ---- one step ----

static double tape_coin(void *ctx, int64_t t)
{
    const io_tape *tape = ctx;
    return t < tape->count ? tape->rows[t].u_coin : 0.0;
}

static int32_t draw_next(const lgkt_mdp *mdp, int32_t state, int32_t action, double u)
{
    const lgkt_row row = lgkt_mdp_row(mdp, state, action);
    double sum = 0.0;
    for (int32_t i = 0; i < row.n; i++) {
        sum += row.p[i];
        if (sum > u)
            return row.next[i];
    }
    return lgkt_mdp_states(mdp) - 1;
}

static double draw_reward(const lgkt_mdp *mdp, int32_t state, int32_t action, int32_t next,
                          const io_tape_row *tape)
{
    double mean = lgkt_mdp_reward(mdp, state, action), sd = 0;
    const lgkt_row row = lgkt_mdp_row(mdp, state, action);
    for (int32_t i = 0; row.reward != NULL && i < row.n; i++)
        mean = row.next[i] == next ? row.reward[i] : mean;
    switch (lgkt_mdp_pair_noise(mdp, state, action, &sd)) {
    case LGKT_NOISE_NORMAL:
        return mean + sd * tape->z_reward;
    case LGKT_NOISE_BERNOULLI:
        return tape->u_reward < mean ? 1.0 : 0.0;
    default:
        return mean;
    }
}

static lgkt_status step(const lgkt_mdp *mdp, const io_tape_row *row, lgkt_learner *learner,
                        int32_t *state, lgkt_error *error)
{
    const int64_t t = lgkt_learner_time(learner);
    const int32_t from = *state;
    int32_t action = 0;
    lgkt_status status = lgkt_learner_act(learner, from, &action);
    const int32_t next = draw_next(mdp, from, action, row->u_next);
    const double reward = draw_reward(mdp, from, action, next, row);
    if (status == LGKT_OK)
        status = lgkt_learner_observe(learner, reward, next, false);
    if (status != LGKT_OK)
        return io_fail(error, status, "step %" PRId64 ": %s", t, lgkt_learner_message(learner));
    char text[IO_REAL_SIZE];
    printf("%" PRId64 ",%" PRId32 ",%" PRId32 ",%s,%" PRId32 "\n", t, from, action,
           io_print_real(text, reward), next);
    *state = next;
    return LGKT_OK;
}

// ---- the run ----

// With what it has met so far. Takes the output over.
static lgkt_status save(const lgkt_mdp *mdp, const io_tape *tape, const lgkt_learner *learner,
                        io_output *output, lgkt_error *error)
{
    const io_origin origin = {true, lgkt_mdp_hash(mdp),
                              io_tape_hash(tape, lgkt_learner_time(learner))};
    const lgkt_status status = io_learner_print(learner, &origin, io_output_stream(output), error);
    if (status == LGKT_OK)
        return io_output_commit(output, error);
    io_output_discard(output);
    return status;
}

// The rows from the learner's time on. Saves the learner when that is save_at; takes the output
// (nullable) over.
static lgkt_status trace(const lgkt_mdp *mdp, const io_tape *tape, lgkt_learner *learner,
                         int64_t save_at, io_output *output, lgkt_error *error)
{
    const int32_t expected = lgkt_learner_next_state(learner);
    int32_t state = expected >= 0 ? expected : lgkt_mdp_start(mdp);
    lgkt_status status = LGKT_OK;
    printf("t,state,action,reward,next_state\n");
    for (int64_t t = lgkt_learner_time(learner); status == LGKT_OK; t++) {
        if (output != NULL && t == save_at) {
            status = save(mdp, tape, learner, output, error);
            output = NULL;
        }
        if (status != LGKT_OK || t == tape->count)
            break;
        status = step(mdp, &tape->rows[t], learner, &state, error);
    }
    io_output_discard(output);
    return status;
}

// What an environment with this model would tell a learner.
static lgkt_status describe(const lgkt_mdp *mdp, int64_t horizon, lgkt_problem *problem,
                            lgkt_error *error)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = mdp};
    lgkt_env *env;
    const lgkt_status status = lgkt_env_create("model", &config, &env, error);
    if (status != LGKT_OK)
        return status;
    *problem = lgkt_env_problem(env, horizon);
    lgkt_env_destroy(env);
    return LGKT_OK;
}

// A new learner, or the saved one.
static lgkt_status make_learner(const settings *s, const lgkt_mdp *mdp, io_tape *tape,
                                lgkt_learner **learner, lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.seed = s->seed;
    config.coin = tape_coin;
    config.coin_ctx = tape;
    const lgkt_status status =
        describe(mdp, s->horizon > 0 ? s->horizon : tape->count, &config.problem, error);
    if (status != LGKT_OK)
        return status;
    if (s->resume == NULL)
        return lgkt_learner_create(s->learner, &config, learner, error);
    const cli_resume resume = {s->resume, io_short_name(s->mdp), s->learner, s->horizon,
                               tape,      config.problem};
    return cli_resume_learner(&resume, &config, learner, error);
}

static lgkt_status check(const settings *s, const lgkt_mdp *mdp, const io_tape *tape,
                         lgkt_error *error)
{
    if (lgkt_mdp_start(mdp) < 0)
        return io_fail(error, LGKT_ERR_UNSUPPORTED,
                       "%s: a tape needs a fixed start state, not a list of probabilities",
                       io_short_name(s->mdp));
    if (s->horizon > 0 && s->horizon < tape->count)
        return io_fail(error, LGKT_ERR_ARGUMENT,
                       "--horizon is %" PRId64 "; it must be at least the %" PRId64
                       " rows of the tape",
                       s->horizon, tape->count);
    if (s->save_file != NULL && s->save_at > tape->count)
        return io_fail(error, LGKT_ERR_ARGUMENT,
                       "--save-at: N is %" PRId64 "; it must be at most the %" PRId64
                       " rows of the tape",
                       s->save_at, tape->count);
    return LGKT_OK;
}

static lgkt_status run(const settings *s, const lgkt_mdp *mdp, io_tape *tape, lgkt_error *error)
{
    lgkt_status status = check(s, mdp, tape, error);
    lgkt_learner *learner = NULL;
    if (status == LGKT_OK)
        status = make_learner(s, mdp, tape, &learner, error);
    if (status == LGKT_OK && s->save_file != NULL && s->save_at < lgkt_learner_time(learner))
        status = io_fail(error, LGKT_ERR_ARGUMENT,
                         "--save-at: N is %" PRId64 "; the resumed learner is at step %" PRId64,
                         s->save_at, lgkt_learner_time(learner));
    // a file that cannot be written is better known before the run than in the middle of it
    io_output *output = NULL;
    if (status == LGKT_OK && s->save_file != NULL)
        status = io_output_open(s->save_file, &output, error);
    if (status == LGKT_OK)
        status = trace(mdp, tape, learner, s->save_at, output, error);
    lgkt_learner_destroy(learner);
    return status;
}

int cmd_trace(int argc, char **argv)
{
    settings s = {0};
    const int code = cli_parse(&COMMAND, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    const bool nobody = s.learner == NULL && s.resume == NULL;
    const char *missing = s.mdp == NULL    ? "--mdp FILE"
                          : s.tape == NULL ? "--tape FILE"
                          : nobody         ? "--learner SPEC"
                                           : NULL;
    if (missing != NULL)
        return cli_fail("trace", CLI_USAGE, "%s is missing", missing);
    lgkt_error error = {0};
    lgkt_mdp *mdp = NULL;
    io_tape tape = {0};
    lgkt_status status = io_model_read(s.mdp, NULL, &mdp, &error);
    if (status == LGKT_OK)
        status = io_tape_read(s.tape, &tape, &error);
    if (status == LGKT_OK)
        status = run(&s, mdp, &tape, &error);
    lgkt_mdp_destroy(mdp);
    io_tape_release(&tape);
    return status == LGKT_OK ? cli_finish("trace", CLI_OK) : cli_fail_error("trace", &error);
}
