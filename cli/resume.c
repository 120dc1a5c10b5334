// SPDX-License-Identifier: MIT
// Resuming a trace: the saved learner must fit the model, the tape and what the user says.
//
// A saved state holds neither the model nor the tape. What it knows of the model (sizes, range and
// noise of the rewards) is compared, and then the hashes that a trace saves with it: of the model,
// and of the rows that were played. The rows to come may be any. A state that something else saved
// has no hashes, and does without.
#include "resume.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "io/io_learner.h"
#include "io/io_text.h"

// ---- specs ----

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

static lgkt_status compare_specs(const io_place *file, const char *saved, const char *given)
{
    size_t at = 0;
    while (saved[at] == given[at] && saved[at] != '\0')
        at++;
    if (saved[at] == given[at])
        return LGKT_OK;
    const part old = part_at(saved, at), new = part_at(given, at);
    return io_fail_at(file, LGKT_ERR_ARGUMENT, "the saved learner has %.*s; --learner has %.*s",
                      old.length, old.text, new.length, new.text);
}

// makes the learner that the user names, for its full spec
static lgkt_status check_spec(const cli_resume *resume, const io_place *file,
                              const lgkt_learner *saved)
{
    if (resume->spec == NULL)
        return LGKT_OK;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = resume->problem;
    config.problem.horizon = lgkt_learner_problem(saved).horizon;
    lgkt_learner *given;
    lgkt_status status = lgkt_learner_create(resume->spec, &config, &given, file->error);
    if (status != LGKT_OK)
        return status;
    status = compare_specs(file, lgkt_learner_spec(saved), lgkt_learner_spec(given));
    lgkt_learner_destroy(given);
    return status;
}

// ---- the rest ----

static bool same_real(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static lgkt_status check_model(const cli_resume *resume, const io_place *file,
                               const lgkt_learner *saved)
{
    const lgkt_problem was = lgkt_learner_problem(saved), is = resume->problem;
    if (same_real(was.reward_min, is.reward_min) && same_real(was.reward_max, is.reward_max) &&
        same_real(was.reward_sd, is.reward_sd))
        return LGKT_OK;
    return io_fail_at(file, LGKT_ERR_ARGUMENT,
                      "saved on another model than %s: mean rewards in %.6g .. %.6g, sd %.6g, not "
                      "%.6g .. %.6g, %.6g",
                      resume->model, was.reward_min, was.reward_max, was.reward_sd, is.reward_min,
                      is.reward_max, is.reward_sd);
}

static lgkt_status check_steps(const cli_resume *resume, const io_place *file,
                               const lgkt_learner *saved)
{
    const int64_t horizon = lgkt_learner_problem(saved).horizon, t = lgkt_learner_time(saved);
    if (resume->horizon > 0 && resume->horizon != horizon)
        return io_fail_at(file, LGKT_ERR_ARGUMENT,
                          "saved with horizon %" PRId64 "; --horizon is %" PRId64, horizon,
                          resume->horizon);
    if (horizon < resume->tape->count)
        return io_fail_at(file, LGKT_ERR_ARGUMENT,
                          "saved with horizon %" PRId64 "; the tape has %" PRId64 " rows", horizon,
                          resume->tape->count);
    if (t > resume->tape->count)
        return io_fail_at(file, LGKT_ERR_ARGUMENT,
                          "saved after %" PRId64 " steps; the tape has %" PRId64 " rows", t,
                          resume->tape->count);
    return LGKT_OK;
}

static lgkt_status check_origin(const cli_resume *resume, const io_place *file,
                                const lgkt_learner *saved, const io_origin *origin)
{
    const int64_t t = lgkt_learner_time(saved);
    if (origin->known && origin->model != lgkt_mdp_hash(resume->problem.model))
        return io_fail_at(file, LGKT_ERR_ARGUMENT,
                          "saved on another model than %s: its numbers have changed",
                          resume->model);
    if (origin->known && origin->tape != io_tape_hash(resume->tape, t))
        return io_fail_at(file, LGKT_ERR_ARGUMENT,
                          "saved with another tape: its first %" PRId64 " rows were not these", t);
    return LGKT_OK;
}

lgkt_status cli_resume_learner(const cli_resume *resume, const lgkt_learner_config *config,
                               lgkt_learner **learner, lgkt_error *error)
{
    const io_place file = {.name = resume->path, .error = error};
    lgkt_learner_config own = *config;
    // sizes and horizon are those that were saved; the model must have these sizes
    own.problem = lgkt_learner_config_default().problem;
    own.problem.model = resume->problem.model;
    lgkt_learner *made = NULL;
    io_origin origin;
    lgkt_status status = io_learner_read(resume->path, &own, &made, &origin, error);
    if (status == LGKT_OK)
        status = check_model(resume, &file, made);
    if (status == LGKT_OK)
        status = check_steps(resume, &file, made);
    if (status == LGKT_OK)
        status = check_spec(resume, &file, made);
    if (status == LGKT_OK)
        status = check_origin(resume, &file, made, &origin);
    if (status == LGKT_OK)
        *learner = made;
    else
        lgkt_learner_destroy(made);
    return status;
}
