// SPDX-License-Identifier: MIT
// The ranges of a setup (setup.h). Specs are checked by making what they name.
#include "experiments/setup.h"

#include <inttypes.h>
#include <math.h>

#include "io/io_text.h"

static lgkt_status check_range(const char *what, int64_t value, int64_t min, int64_t max,
                               lgkt_error *error)
{
    if (value >= min && value <= max)
        return LGKT_OK;
    return io_fail(error, LGKT_ERR_ARGUMENT, "%s: %" PRId64 " is not in %" PRId64 " .. %" PRId64,
                   what, value, min, max);
}

lgkt_status exp_setup_check(const exp_setup *setup, lgkt_error *error)
{
    lgkt_status status = check_range("learners", setup->learner_count, 1, EXP_MAX_LEARNERS, error);
    if (status == LGKT_OK)
        status = check_range("replicates", setup->replicates, 1, EXP_MAX_REPLICATES, error);
    if (status == LGKT_OK)
        status = check_range("jobs", setup->jobs, 1, EXP_MAX_JOBS, error);
    if (status == LGKT_OK)
        status = check_range("horizon", setup->horizon, 1, EXP_MAX_HORIZON, error);
    if (status == LGKT_OK)
        status = check_range("checkpoints", setup->checkpoint_count, 0, EXP_MAX_POINTS, error);
    for (int32_t c = 0; c < setup->checkpoint_count && status == LGKT_OK; c++) {
        const int64_t last = c > 0 ? setup->checkpoints[c - 1] : 0;
        status = check_range("checkpoint", setup->checkpoints[c], last + 1, setup->horizon, error);
    }
    if (status == LGKT_OK)
        status = check_range("regret: K", setup->regret_k, 0, EXP_MAX_HORIZON, error);
    if (status == LGKT_OK && !isfinite(setup->regret_threshold))
        status = io_fail(error, LGKT_ERR_NOT_FINITE, "regret: the threshold is %g",
                         setup->regret_threshold);
    return status;
}
