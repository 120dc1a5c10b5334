// SPDX-License-Identifier: MIT
// Learners on records for tests.
#include "ref/record_run.h"

#include "test.h"

static const lgkt_kind KINDS[RECORD_DIMS] = {
    {LGKT_KIND_NUMBER, 0}, {LGKT_KIND_CATEGORY, RECORD_CATEGORIES}, {LGKT_KIND_NUMBER, 0}};

void record_run_draw(lgkt_rng *rng, double record[RECORD_DIMS])
{
    record[0] = lgkt_rng_normal(rng);
    record[1] = lgkt_rng_below(rng, RECORD_CATEGORIES);
    record[2] = 5 * lgkt_rng_uniform(rng);
    const int32_t missing = lgkt_rng_below(rng, 10 * RECORD_DIMS);
    if (missing < RECORD_DIMS)
        record[missing] = NAN;
}

lgkt_keyed *record_run_make(const char *spec, uint64_t seed, int64_t horizon,
                            const lgkt_allocator *allocator)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    config.problem.actions = RECORD_ACTIONS;
    config.problem.horizon = horizon;
    config.problem.masked = true;
    config.seed = seed;
    if (allocator != NULL)
        config.allocator = *allocator;
    keys.view.dims = RECORD_DIMS;
    keys.view.kinds = KINDS;
    assert_ok(lgkt_keyed_create(spec, &config, &keys, &keyed, &error), error);
    return keyed;
}

void record_run_explain(const lgkt_keyed *keyed, const double *record, const uint8_t *allowed,
                        lgkt_reason reasons[RECORD_ACTIONS])
{
    lgkt_error error = {0};
    double sum = 0;
    assert_ok(lgkt_keyed_explain(keyed, record, RECORD_DIMS * sizeof *record, allowed, reasons,
                                 sizeof *reasons, &error),
              error);
    for (int32_t a = 0; a < RECORD_ACTIONS; a++) {
        assert_true(allowed == NULL || allowed[a] || reasons[a].probability == 0);
        sum += reasons[a].probability;
    }
    assert_close(sum, 1, 1e-12);
}

int32_t record_run_act(lgkt_keyed *keyed, const double *record, const uint8_t *allowed)
{
    int32_t action = -1;
    const lgkt_status status =
        lgkt_keyed_act(keyed, record, RECORD_DIMS * sizeof *record, allowed, &action);
    if (status != LGKT_OK)
        print_error("%s\n", lgkt_keyed_message(keyed));
    assert_int_equal(status, LGKT_OK);
    assert_true(allowed == NULL || allowed[action]);
    return action;
}

void record_run_observe(lgkt_keyed *keyed, double reward, const double *next, bool ended)
{
    const lgkt_status status =
        lgkt_keyed_observe(keyed, reward, next, RECORD_DIMS * sizeof *next, ended);
    if (status != LGKT_OK)
        print_error("%s\n", lgkt_keyed_message(keyed));
    assert_int_equal(status, LGKT_OK);
}
