// SPDX-License-Identifier: MIT
// Any bytes as a price file (CSV), and the prices that are in it as those of the trading
// environment.

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "lgkt/io.h"

#define STEPS 30

static void trade(const double *prices, size_t count)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_SERIES, .series = prices, .count = count};
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    const lgkt_status status =
        lgkt_env_create("trading:window=2,frame-lo=2,frame-hi=8", &config, &env, &error);
    fuzz_check_outcome(status, &error);
    if (status != LGKT_OK)
        return;
    FUZZ_CHECK(lgkt_trajectory_create(env, STEPS, 0, 0, NULL, &run, &error) == LGKT_OK);
    for (int t = 0; t < STEPS; t++) {
        lgkt_step step;
        FUZZ_CHECK(lgkt_trajectory_step(run, t % 2, &step) == LGKT_OK);
        FUZZ_CHECK(isfinite(step.reward));
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

void fuzz_prices(const uint8_t *data, size_t size)
{
    double *prices = NULL;
    size_t count = 0;
    lgkt_error error = {0};
    const lgkt_status status =
        lgkt_io_series_parse((const char *)data, size, "input", NULL, &prices, &count, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (prices != NULL));
    if (status != LGKT_OK)
        return;
    FUZZ_CHECK(count >= 1 && count <= size);
    for (size_t i = 0; i < count; i++)
        FUZZ_CHECK(isfinite(prices[i]) && prices[i] > 0);
    trade(prices, count);
    free(prices);
}
