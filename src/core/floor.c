// SPDX-License-Identifier: MIT
// A floor below all probabilities (floor.h).

#include "core/floor.h"

#include <math.h>

#include "lgkt/rng.h"

static bool may(const uint8_t *allowed, int32_t action)
{
    return allowed == NULL || allowed[action] != 0;
}

static int32_t count_allowed(const uint8_t *allowed, int32_t actions)
{
    int32_t k = 0;
    for (int32_t a = 0; a < actions; a++)
        k += may(allowed, a);
    return k;
}

double lgkt_floor_coin(uint64_t seed, uint64_t instance, int64_t decision)
{
    lgkt_rng of_instance = lgkt_rng_stream(seed, "floor", instance);
    lgkt_rng coin = lgkt_rng_stream(lgkt_rng_next(&of_instance), "floor", (uint64_t)decision);
    return lgkt_rng_uniform(&coin);
}

int32_t lgkt_floor_action(double floor, double u, const uint8_t *allowed, int32_t actions)
{
    double end = 0;
    for (int32_t a = 0; a < actions; a++) {
        end += may(allowed, a) ? floor : 0;
        if (u < end)
            return a;
    }
    return -1;
}

void lgkt_floor_law(double floor, const uint8_t *allowed, int32_t actions, double *law,
                    size_t stride)
{
    const int32_t k = count_allowed(allowed, actions);
    // where one action is left it is certain, whatever rounding does
    const double share = fmin(1, k * floor);
    bool known = true;
    for (int32_t a = 0; a < actions; a++)
        known &= !may(allowed, a) || !isnan(law[(size_t)a * stride]);
    for (int32_t a = 0; a < actions; a++) {
        double *p = &law[(size_t)a * stride];
        if (!known)
            *p = NAN;
        else if (k > 1)
            *p = (1 - share) * *p + (may(allowed, a) ? floor : 0);
    }
}
