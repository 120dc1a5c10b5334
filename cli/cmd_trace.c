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

#include "cli.h"
#include "core/number.h"
#include "experiments/runner/play.h"
#include "io/formats/io_learner.h"
#include "lgkt/io.h"

// What a trace plays.
typedef struct scene {
    const lgkt_mdp *mdp;
    io_tape tape;
    lgkt_problem problem; // as the environment `model` with it would tell a learner
} scene;

// ---- a saved learner ----

static bool same_real(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Whether a learner from a file fits the model, the tape and --untold.
static lgkt_status check_saved(const cli_settings *s, const scene *at, const lgkt_learner *saved,
                               const io_origin *origin, lgkt_error *error)
{
    const io_place file = {.name = s->resume, .error = error};
    const char *model = io_short_name(s->mdp);
    const lgkt_problem was = lgkt_learner_problem(saved), is = at->problem;
    const int64_t t = lgkt_learner_time(saved), rows = at->tape.count;
    if (isnan(was.reward_min) != isnan(is.reward_min))
        return io_fail_at(&file, CLI_USAGE,
                          "saved by a learner that was %s the rewards; --untold must be as it was",
                          isnan(was.reward_min) ? "not told" : "told");
    if (!same_real(was.reward_min, is.reward_min) || !same_real(was.reward_max, is.reward_max) ||
        !same_real(was.reward_sd, is.reward_sd))
        return io_fail_at(&file, CLI_USAGE,
                          "saved on another model than %s: mean rewards in %.6g .. %.6g, sd %.6g, "
                          "not %.6g .. %.6g, %.6g",
                          model, was.reward_min, was.reward_max, was.reward_sd, is.reward_min,
                          is.reward_max, is.reward_sd);
    if (was.horizon < rows)
        return io_fail_at(&file, CLI_USAGE,
                          "saved with horizon %" PRId64 "; the tape has %" PRId64 " rows",
                          was.horizon, rows);
    if (t > rows)
        return io_fail_at(&file, CLI_USAGE,
                          "saved after %" PRId64 " steps; the tape has %" PRId64 " rows", t, rows);
    if (origin->known && origin->model != lgkt_mdp_hash(at->mdp))
        return io_fail_at(&file, CLI_USAGE,
                          "saved on another model than %s: its numbers have changed", model);
    if (origin->known && origin->tape != io_tape_hash(&at->tape, t))
        return io_fail_at(&file, CLI_USAGE,
                          "saved with another tape: its first %" PRId64 " rows were not these", t);
    return LGKT_OK;
}

// ---- a learner ----

// A new learner, or the saved one.
static lgkt_status make_learner(const cli_settings *s, scene *at, lgkt_learner **learner,
                                lgkt_error *error)
{
    lgkt_env_config world = lgkt_env_config_default();
    world.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = at->mdp};
    lgkt_env *env;
    LGKT_TRY(lgkt_env_create("model", &world, &env, error));
    at->problem = lgkt_env_problem(env, s->horizon > 0 ? s->horizon : at->tape.count);
    lgkt_env_destroy(env);
    if (s->untold)
        exp_untell(&at->problem);

    lgkt_learner_config config = lgkt_learner_config_default();
    config.seed = s->seed.value;
    config.coin = exp_tape_coin;
    config.coin_ctx = &at->tape;
    if (s->resume == NULL) {
        config.problem = at->problem;
        return lgkt_learner_create(s->learner, &config, learner, error);
    }
    // sizes and horizon are those that were saved; the model must have these sizes
    config.problem.model = at->mdp;
    io_origin origin;
    LGKT_TRY(io_learner_read(s->resume, &config, learner, &origin, error));
    return check_saved(s, at, *learner, &origin, error);
}

// ---- the rows ----

static void print_real(double value)
{
    char text[LGKT_NUMBER_SIZE];
    printf(",%s", isnan(value) ? "" : lgkt_number_print(text, value));
}

// `reasons` of length `actions`; 0: they were not asked for
static void print_row(const exp_tape_step *step, const lgkt_reason *reasons, int32_t actions)
{
    printf("%" PRId64 ",%" PRId32 ",%" PRId32, step->t, step->state, step->action);
    print_real(step->reward);
    printf(",%" PRId32, step->next_state);
    if (actions > 0)
        print_real(reasons[step->action].probability);
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_reason *r = &reasons[a];
        const double numbers[] = {r->visits, r->mean_reward, r->value,      r->lower,
                                  r->upper,  r->good,        r->probability};
        for (size_t f = 0; f < sizeof numbers / sizeof numbers[0]; f++)
            print_real(numbers[f]);
    }
    printf("\n");
}

// ---- the command ----

// From the learner's next row on. The output is there until it is complete.
static lgkt_status play(const cli_settings *s, const scene *at, lgkt_learner *learner,
                        lgkt_reason *reasons, io_output *output, lgkt_error *error)
{
    static const char *const fields[] = {"visits", "mean_reward", "value",      "lower",
                                         "upper",  "good",        "probability"};
    const int32_t actions = s->explain ? lgkt_mdp_actions(at->mdp) : 0; // that rows tell of
    const int32_t expected = lgkt_learner_next_state(learner);
    exp_tape_step step = {.next_state = expected >= 0 ? expected : lgkt_mdp_start(at->mdp)};
    printf("t,state,action,reward,next_state%s", s->explain ? ",probability" : "");
    for (int32_t a = 0; a < actions; a++)
        for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
            printf(",%s_%" PRId32, fields[f], a);
    printf("\n");
    for (int64_t t = lgkt_learner_time(learner);; t++) {
        if (output->stream != NULL && t == s->save_at) {
            // with what it has met so far
            const io_origin origin = {true, lgkt_mdp_hash(at->mdp), io_tape_hash(&at->tape, t)};
            LGKT_TRY(io_learner_print(learner, &origin, output->stream, error));
            LGKT_TRY(io_output_commit(output, error));
        }
        // the state is wanted even if nobody reads the rows any more
        if (t == at->tape.count || (output->stream == NULL && ferror(stdout)))
            return LGKT_OK;
        if (s->explain)
            LGKT_TRY(lgkt_learner_explain(learner, step.next_state,
                                          lgkt_mdp_mask(at->mdp, step.next_state), reasons,
                                          sizeof(lgkt_reason), error));
        LGKT_TRY(exp_tape_play(at->mdp, &at->tape.rows[t], learner, &step, error));
        print_row(&step, reasons, actions);
    }
}

static lgkt_status trace(const cli_settings *s, scene *at, lgkt_error *error)
{
    const int64_t rows = at->tape.count;
    if (lgkt_mdp_start(at->mdp) < 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s: a tape needs a fixed start state, not a list of probabilities",
                         io_short_name(s->mdp));
    if (s->horizon > 0 && s->horizon < rows)
        return lgkt_fail(error, CLI_USAGE,
                         "--horizon is %" PRId64 "; it must be at least the %" PRId64
                         " rows of the tape",
                         s->horizon, rows);
    if (s->save_file != NULL && s->save_at > rows)
        return lgkt_fail(error, CLI_USAGE,
                         "--save-at: N is %" PRId64 "; it must be at most the %" PRId64
                         " rows of the tape",
                         s->save_at, rows);
    lgkt_learner *learner = NULL;
    lgkt_status status = make_learner(s, at, &learner, error);
    if (status == LGKT_OK && s->save_file != NULL && s->save_at < lgkt_learner_time(learner))
        status = lgkt_fail(error, CLI_USAGE,
                           "--save-at: N is %" PRId64 "; the resumed learner is at step %" PRId64,
                           s->save_at, lgkt_learner_time(learner));
    // a file that cannot be written is better known before the run than in the middle of it
    io_output output = {0};
    if (status == LGKT_OK && s->save_file != NULL)
        status = cli_output_open(s->save_file, &output, error);
    lgkt_reason *reasons = calloc((size_t)lgkt_mdp_actions(at->mdp), sizeof *reasons);
    if (status == LGKT_OK && reasons == NULL)
        status = lgkt_fail_memory(error, "reasons");
    if (status == LGKT_OK)
        status = play(s, at, learner, reasons, &output, error);
    free(reasons);
    io_output_discard(&output);
    lgkt_learner_destroy(learner);
    return status;
}

lgkt_status cmd_trace(cli_settings *s, lgkt_error *error)
{
    const bool nobody = s->learner == NULL && s->resume == NULL;
    const char *missing = s->mdp == NULL    ? "--mdp FILE"
                          : s->tape == NULL ? "--tape FILE"
                          : nobody          ? "--learner SPEC"
                                            : NULL;
    if (missing != NULL)
        return lgkt_fail(error, CLI_USAGE, "%s is missing", missing);
    if (s->resume != NULL && (s->learner != NULL || s->horizon > 0))
        return lgkt_fail(error, CLI_USAGE, "--resume goes without --%s, which is as it was saved",
                         s->learner != NULL ? "learner" : "horizon");
    scene at = {0};
    lgkt_io_model *model = NULL;
    LGKT_TRY(lgkt_io_model_read(s->mdp, NULL, &model, error));
    at.mdp = lgkt_io_model_mdp(model);
    lgkt_status status = io_tape_read(s->tape, &at.tape, error);
    if (status == LGKT_OK)
        status = trace(s, &at, error);
    lgkt_io_model_destroy(model);
    io_tape_release(&at.tape);
    return status;
}
