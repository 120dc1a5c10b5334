// SPDX-License-Identifier: MIT
// lgkt trace: one learner on one model, with every random number taken from a tape, so that two
// programs can be compared action by action.
//
// The state of the learner can be saved after any row, and the trace goes on from there later: the
// two parts are the rows of the whole, byte for byte. A saved state holds neither the model nor the
// tape: what it knows of the model (sizes, range and noise of the rewards) is compared, and then
// the hashes that a trace saves with it, of the model and of the rows that were played. The rows to
// come may be any. A state that something else saved has no hashes, and does without.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "core/number.h"
#include "experiments/runner/tape_play.h"
#include "experiments/runner/untold.h"
#include "io/formats/io_learner.h"
#include "lgkt/io.h"

typedef struct settings {
    const char *mdp, *tape, *learner;
    int64_t horizon; // 0: the number of rows
    uint64_t seed;
    int64_t save_at;       // after so many steps
    const char *save_file; // NULL: nothing is saved
    const char *resume;    // NULL: a new learner
    bool untold;
    bool explain;
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
    {"untold", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, untold),
     "do not tell the learner the range and noise of the rewards"},
    {"explain", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, explain),
     "add what the learner held of each action when it chose: the probability of the action "
     "played, then visits, mean_reward, value, lower, upper, good and probability of action 0, of "
     "action 1, ..; empty where it has no such number"},
};

static const cli_command COMMAND = {
    .name = "trace",
    .usage = "--mdp FILE --tape FILE (--learner SPEC | --resume FILE) [options]",
    .about = "Runs a learner with all random numbers of the model taken from a tape and prints "
             "CSV\nt,state,action,reward,next_state, one row per row of the tape.\n",
    .examples = "lgkt trace --mdp mdp.json --tape tape.csv --learner lg2t --horizon 20000\n"
                "lgkt trace --mdp mdp.json --tape tape.csv --learner lg2t --save-at 100 state.bin\n"
                "lgkt trace --mdp mdp.json --tape tape.csv --resume state.bin\n"
                "lgkt trace --mdp mdp.json --tape tape.csv --learner auto --explain",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
};

// What a trace plays.
typedef struct scene {
    const lgkt_mdp *mdp;
    io_tape tape;
    lgkt_problem problem; // as the environment `model` with it would tell a learner
} scene;

// ---- a saved learner ----

// One setting of a full spec, or its name: from the letter behind the last , or : before position
// `at` to the next one.
typedef struct part {
    const char *text;
    int length;
} part;

static part part_at(const char *spec, size_t at)
{
    size_t begin = at;
    while (begin > 0 && spec[begin - 1] != ',' && spec[begin - 1] != ':')
        begin--;
    return (part){spec + begin, (int)(at - begin + strcspn(spec + at, ",:"))};
}

static bool same_real(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Whether a learner from a file fits the model, the tape and what the user says.
static lgkt_status check_saved(const settings *s, const scene *at, const lgkt_learner *saved,
                               const io_origin *origin, lgkt_error *error)
{
    const io_place file = {.name = s->resume, .error = error};
    const char *model = io_short_name(s->mdp);
    const lgkt_problem was = lgkt_learner_problem(saved), is = at->problem;
    const int64_t t = lgkt_learner_time(saved), rows = at->tape.count;
    if (isnan(was.reward_min) != isnan(is.reward_min))
        return io_fail_at(&file, LGKT_ERR_ARGUMENT, "saved %s; --untold must be as it was",
                          isnan(was.reward_min) ? "by a learner that was not told the rewards"
                                                : "by a learner that was told the rewards");
    if (!same_real(was.reward_min, is.reward_min) || !same_real(was.reward_max, is.reward_max) ||
        !same_real(was.reward_sd, is.reward_sd))
        return io_fail_at(&file, LGKT_ERR_ARGUMENT,
                          "saved on another model than %s: mean rewards in %.6g .. %.6g, sd %.6g, "
                          "not %.6g .. %.6g, %.6g",
                          model, was.reward_min, was.reward_max, was.reward_sd, is.reward_min,
                          is.reward_max, is.reward_sd);
    if (s->horizon > 0 && s->horizon != was.horizon)
        return io_fail_at(&file, LGKT_ERR_ARGUMENT,
                          "saved with horizon %" PRId64 "; --horizon is %" PRId64, was.horizon,
                          s->horizon);
    if (was.horizon < rows)
        return io_fail_at(&file, LGKT_ERR_ARGUMENT,
                          "saved with horizon %" PRId64 "; the tape has %" PRId64 " rows",
                          was.horizon, rows);
    if (t > rows)
        return io_fail_at(&file, LGKT_ERR_ARGUMENT,
                          "saved after %" PRId64 " steps; the tape has %" PRId64 " rows", t, rows);
    // the learner that the user names is made for its full spec
    if (s->learner != NULL) {
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem = is;
        config.problem.horizon = was.horizon;
        lgkt_learner *given;
        lgkt_status status = lgkt_learner_create(s->learner, &config, &given, error);
        if (status != LGKT_OK)
            return status;
        const char *old_spec = lgkt_learner_spec(saved), *new_spec = lgkt_learner_spec(given);
        size_t i = 0;
        while (old_spec[i] == new_spec[i] && old_spec[i] != '\0')
            i++;
        const part saved_part = part_at(old_spec, i), given_part = part_at(new_spec, i);
        if (old_spec[i] != new_spec[i])
            status = io_fail_at(&file, LGKT_ERR_ARGUMENT,
                                "the saved learner has %.*s; --learner has %.*s", saved_part.length,
                                saved_part.text, given_part.length, given_part.text);
        lgkt_learner_destroy(given);
        if (status != LGKT_OK)
            return status;
    }
    if (origin->known && origin->model != lgkt_mdp_hash(at->mdp))
        return io_fail_at(&file, LGKT_ERR_ARGUMENT,
                          "saved on another model than %s: its numbers have changed", model);
    if (origin->known && origin->tape != io_tape_hash(&at->tape, t))
        return io_fail_at(&file, LGKT_ERR_ARGUMENT,
                          "saved with another tape: its first %" PRId64 " rows were not these", t);
    return LGKT_OK;
}

// ---- a learner ----

// A new learner, or the saved one.
static lgkt_status make_learner(const settings *s, scene *at, lgkt_learner **learner,
                                lgkt_error *error)
{
    lgkt_env_config world = lgkt_env_config_default();
    world.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = at->mdp};
    lgkt_env *env;
    lgkt_status status = lgkt_env_create("model", &world, &env, error);
    if (status != LGKT_OK)
        return status;
    at->problem = lgkt_env_problem(env, s->horizon > 0 ? s->horizon : at->tape.count);
    lgkt_env_destroy(env);
    if (s->untold)
        exp_untell(&at->problem);

    lgkt_learner_config config = lgkt_learner_config_default();
    config.seed = s->seed;
    config.coin = exp_tape_coin;
    config.coin_ctx = &at->tape;
    if (s->resume == NULL) {
        config.problem = at->problem;
        return lgkt_learner_create(s->learner, &config, learner, error);
    }
    // sizes and horizon are those that were saved; the model must have these sizes
    config.problem.model = at->mdp;
    io_origin origin;
    status = io_learner_read(s->resume, &config, learner, &origin, error);
    return status == LGKT_OK ? check_saved(s, at, *learner, &origin, error) : status;
}

// ---- the rows ----

static void print_header(const lgkt_mdp *mdp, bool explain)
{
    static const char *const fields[] = {"visits", "mean_reward", "value",      "lower",
                                         "upper",  "good",        "probability"};
    printf("t,state,action,reward,next_state%s", explain ? ",probability" : "");
    for (int32_t a = 0; a < lgkt_mdp_actions(mdp) && explain; a++)
        for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
            printf(",%s_%" PRId32, fields[f], a);
    printf("\n");
}

static void print_real(double value)
{
    char text[LGKT_NUMBER_SIZE];
    printf(",%s", isnan(value) ? "" : lgkt_number_print(text, value));
}

// `reasons` of length `actions`; NULL: they were not asked for
static void print_row(const exp_tape_step *step, const lgkt_reason *reasons, int32_t actions)
{
    printf("%" PRId64 ",%" PRId32 ",%" PRId32, step->t, step->state, step->action);
    print_real(step->reward);
    printf(",%" PRId32, step->next_state);
    if (reasons != NULL)
        print_real(reasons[step->action].probability);
    for (int32_t a = 0; a < actions && reasons != NULL; a++) {
        const lgkt_reason *r = &reasons[a];
        const double numbers[] = {r->visits, r->mean_reward, r->value,      r->lower,
                                  r->upper,  r->good,        r->probability};
        for (size_t f = 0; f < sizeof numbers / sizeof numbers[0]; f++)
            print_real(numbers[f]);
    }
    printf("\n");
}

// Saves the learner with what it has met so far. Takes the output over.
static lgkt_status save(const scene *at, const lgkt_learner *learner, io_output *output,
                        lgkt_error *error)
{
    const io_origin origin = {true, lgkt_mdp_hash(at->mdp),
                              io_tape_hash(&at->tape, lgkt_learner_time(learner))};
    const lgkt_status status = io_learner_print(learner, &origin, io_output_stream(output), error);
    if (status == LGKT_OK)
        return io_output_commit(output, error);
    io_output_discard(output);
    return status;
}

// ---- the command ----

static lgkt_status trace(const settings *s, scene *at, lgkt_error *error)
{
    const int64_t rows = at->tape.count;
    if (lgkt_mdp_start(at->mdp) < 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s: a tape needs a fixed start state, not a list of probabilities",
                         io_short_name(s->mdp));
    if (s->horizon > 0 && s->horizon < rows)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "--horizon is %" PRId64 "; it must be at least the %" PRId64
                         " rows of the tape",
                         s->horizon, rows);
    if (s->save_file != NULL && s->save_at > rows)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "--save-at: N is %" PRId64 "; it must be at most the %" PRId64
                         " rows of the tape",
                         s->save_at, rows);
    lgkt_learner *learner = NULL;
    lgkt_status status = make_learner(s, at, &learner, error);
    if (status == LGKT_OK && s->save_file != NULL && s->save_at < lgkt_learner_time(learner))
        status = lgkt_fail(error, LGKT_ERR_ARGUMENT,
                           "--save-at: N is %" PRId64 "; the resumed learner is at step %" PRId64,
                           s->save_at, lgkt_learner_time(learner));
    // a file that cannot be written is better known before the run than in the middle of it
    io_output *output = NULL;
    if (status == LGKT_OK && s->save_file != NULL)
        status = cli_output_open(s->save_file, &output, error);
    const int32_t actions = lgkt_mdp_actions(at->mdp);
    lgkt_reason *reasons = s->explain ? calloc((size_t)actions, sizeof *reasons) : NULL;
    if (status == LGKT_OK && s->explain && reasons == NULL)
        status = lgkt_fail_memory(error, "reasons");
    if (status == LGKT_OK) {
        const int32_t expected = lgkt_learner_next_state(learner);
        exp_tape_step step = {.next_state = expected >= 0 ? expected : lgkt_mdp_start(at->mdp)};
        print_header(at->mdp, s->explain);
        for (int64_t t = lgkt_learner_time(learner); status == LGKT_OK; t++) {
            if (output != NULL && t == s->save_at) {
                status = save(at, learner, output, error);
                output = NULL;
            }
            // the state is wanted even if nobody reads the rows any more
            const bool unread = output == NULL && ferror(stdout);
            if (status != LGKT_OK || t == rows || unread)
                break;
            if (s->explain)
                status = lgkt_learner_explain(learner, step.next_state,
                                              lgkt_mdp_mask(at->mdp, step.next_state), reasons,
                                              sizeof(lgkt_reason), error);
            if (status == LGKT_OK)
                status = exp_tape_play(at->mdp, &at->tape.rows[t], learner, &step, error);
            if (status == LGKT_OK)
                print_row(&step, reasons, actions);
        }
    }
    free(reasons);
    io_output_discard(output);
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
    scene at = {0};
    lgkt_io_model *model = NULL;
    lgkt_status status = lgkt_io_model_read(s.mdp, NULL, &model, &error);
    if (status == LGKT_OK) {
        at.mdp = lgkt_io_model_mdp(model);
        status = io_tape_read(s.tape, &at.tape, &error);
    }
    if (status == LGKT_OK)
        status = trace(&s, &at, &error);
    lgkt_io_model_destroy(model);
    io_tape_release(&at.tape);
    return status == LGKT_OK ? CLI_OK : cli_fail_error("trace", &error);
}
