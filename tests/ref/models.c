// SPDX-License-Identifier: MIT
// Models that tests share.
#include "ref/models.h"

#include <stdlib.h>

#include "test.h"

lgkt_mdp *model_finish(lgkt_mdp_builder *builder)
{
    lgkt_error error = {0};
    lgkt_mdp *mdp = NULL;
    assert_ok(lgkt_mdp_builder_build(builder, &mdp, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return mdp;
}

lgkt_mdp_builder *model_begin(int32_t states, int32_t actions)
{
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    assert_ok(lgkt_mdp_builder_create(states, actions, NULL, &builder, &error), error);
    return builder;
}

void model_edge(lgkt_mdp_builder *builder, int32_t s, int32_t a, int32_t y, double p)
{
    assert_int_equal(lgkt_mdp_builder_edge(builder, s, a, y, p), LGKT_OK);
}

void model_reward(lgkt_mdp_builder *builder, int32_t s, int32_t a, double mean)
{
    assert_int_equal(lgkt_mdp_builder_reward(builder, s, a, mean), LGKT_OK);
}

static void fill_dense(lgkt_mdp_builder *builder, int32_t states, int32_t actions,
                       const double *rewards, const double *kernel)
{
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            const size_t z = (size_t)(s * actions + a);
            model_reward(builder, s, a, rewards[z]);
            assert_int_equal(lgkt_mdp_builder_row(builder, s, a, kernel + z * (size_t)states),
                             LGKT_OK);
        }
}

lgkt_mdp *model_dense(int32_t states, int32_t actions, const double *rewards, const double *kernel)
{
    lgkt_mdp_builder *builder = model_begin(states, actions);
    fill_dense(builder, states, actions, rewards, kernel);
    return model_finish(builder);
}

lgkt_mdp *model_example(void)
{
    const double rewards[] = {1, 0, 0, 2};
    const double kernel[] = {1, 0, 0, 1, 1, 0, 0.5, 0.5};
    return model_dense(2, 2, rewards, kernel);
}

// ---- riverswim ----

// probabilities of one step down, none and up the river; the jumps come on top
static void swim(double *row, int32_t states, int32_t s, bool right, bool printed)
{
    const double e = 0.01 / states, up = 0.3 - (states - 1) * e;
    for (int32_t y = 0; y < states; y++)
        row[y] = e;
    if (!right) {
        row[s > 0 ? s - 1 : 0] = 1 - (states - 1) * e;
    } else if (s == 0) {
        row[0] = 0.7 + e;
        row[1] = up;
    } else if (s == states - 1) {
        row[s - 1] = 0.7 + e;
        row[s] = up;
    } else {
        row[s - 1] = (printed ? 0.6 : 0.1) + e;
        row[s] = (printed ? 0.1 : 0.6) + e;
        row[s + 1] = up;
    }
}

lgkt_mdp *model_riverswim(int32_t states, bool printed)
{
    lgkt_mdp_builder *builder = model_begin(states, 2);
    double row[64];
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < 2; a++) {
            swim(row, states, s, a == 1, printed);
            assert_int_equal(lgkt_mdp_builder_row(builder, s, a, row), LGKT_OK);
        }
    model_reward(builder, 0, 0, 0.2);
    model_reward(builder, states - 1, 1, 1);
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_BERNOULLI, 0), LGKT_OK);
    return model_finish(builder);
}

// ---- others ----

static void to_good(lgkt_mdp_builder *builder, int32_t states, int32_t s, int32_t a)
{
    for (int32_t y = 1; y < states; y++)
        model_edge(builder, s, a, y, 1.0 / (states - 1));
}

lgkt_mdp *model_linear_gap(int32_t states, int32_t actions, int32_t k)
{
    lgkt_mdp_builder *builder = model_begin(states, actions);
    model_edge(builder, 0, 0, 0, 1);
    model_reward(builder, 0, 0, -1);
    for (int32_t a = 1; a < actions; a++) {
        to_good(builder, states, 0, a);
        model_reward(builder, 0, a, -(k + 1));
    }
    for (int32_t s = 1; s < states; s++) {
        to_good(builder, states, s, 0);
        for (int32_t a = 1; a < actions; a++) {
            model_edge(builder, s, a, 0, 1);
            model_reward(builder, s, a, -1);
        }
    }
    return model_finish(builder);
}

// one row of Gamma(shape) numbers over their sum; drawn again when it underflows
static void random_row(lgkt_rng *rng, double *row, int32_t n, double shape)
{
    double sum;
    do {
        sum = 0;
        for (int32_t y = 0; y < n; y++)
            sum += row[y] = lgkt_rng_gamma(rng, shape);
    } while (!(sum > 0));
    for (int32_t y = 0; y < n; y++)
        row[y] /= sum;
}

lgkt_mdp *model_random(lgkt_rng *rng, int32_t states, int32_t actions, double concentration)
{
    lgkt_mdp_builder *builder = model_begin(states, actions);
    double *row = calloc((size_t)states, sizeof *row);
    assert_non_null(row);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            model_reward(builder, s, a, lgkt_rng_gamma(rng, 0.5));
            random_row(rng, row, states, concentration);
            assert_int_equal(lgkt_mdp_builder_row(builder, s, a, row), LGKT_OK);
        }
    for (int32_t s = 0; s < states; s++)
        row[s] = 1.0 / states;
    assert_int_equal(lgkt_mdp_builder_start_law(builder, row), LGKT_OK);
    free(row);
    return model_finish(builder);
}

lgkt_mdp *model_restrict(const lgkt_mdp *full, const uint8_t *mask, bool copied)
{
    const int32_t states = lgkt_mdp_states(full), actions = lgkt_mdp_actions(full);
    lgkt_mdp_builder *builder = model_begin(states, actions);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            int32_t from = a;
            if (!mask[s * actions + a] && !copied) {
                assert_int_equal(lgkt_mdp_builder_forbid(builder, s, a), LGKT_OK);
                continue;
            }
            for (int32_t b = 0; !mask[s * actions + from]; b++)
                from = b;
            const lgkt_row row = lgkt_mdp_row(full, s, from);
            model_reward(builder, s, a, lgkt_mdp_reward(full, s, from));
            for (int32_t i = 0; i < row.n; i++)
                model_edge(builder, s, a, row.next[i], row.p[i]);
        }
    assert_int_equal(lgkt_mdp_builder_start_law(builder, lgkt_mdp_start_law(full)), LGKT_OK);
    assert_int_equal(lgkt_mdp_builder_noise(builder, lgkt_mdp_noise(full), lgkt_mdp_noise_sd(full)),
                     LGKT_OK);
    return model_finish(builder);
}

void model_random_mask(lgkt_rng *rng, int32_t states, int32_t actions, double p, uint8_t *mask)
{
    for (int32_t s = 0; s < states; s++) {
        for (int32_t a = 0; a < actions; a++)
            mask[s * actions + a] = lgkt_rng_uniform(rng) < p;
        mask[s * actions + lgkt_rng_below(rng, actions)] = 1;
    }
}

lgkt_mdp *model_two_cycle(void)
{
    const double rewards[] = {1, 1, 0, 0};
    const double kernel[] = {0, 1, 0, 1, 1, 0, 1, 0};
    return model_dense(2, 2, rewards, kernel);
}

double model_own_p(int32_t s, int32_t a, int32_t y)
{
    return y == (s + 1 + a) % MODEL_OWN_STATES ? 0.4 : 0.1;
}

double model_own_reward(int32_t s, int32_t a, int32_t y)
{
    return a < 2 || s == 6 ? (3 * s + 2 * a + 5 * y) % 11 / 10.0 : 0.25 * a;
}

lgkt_noise model_own_noise(int32_t s, int32_t a)
{
    static const lgkt_noise kinds[] = {LGKT_NOISE_NONE, LGKT_NOISE_NORMAL, LGKT_NOISE_BERNOULLI};
    return kinds[(s + a) % 3];
}

double model_own_sd(int32_t s, int32_t a)
{
    const lgkt_noise noise = model_own_noise(s, a);
    return noise == LGKT_NOISE_NORMAL ? 0.1 * (s + 1) : noise == LGKT_NOISE_BERNOULLI ? 0.5 : 0;
}

lgkt_status model_own_fill(lgkt_mdp_builder *builder)
{
    const int32_t states = MODEL_OWN_STATES, actions = MODEL_OWN_ACTIONS;
    double start[MODEL_OWN_STATES];
    for (int32_t s = 0; s < states; s++)
        start[s] = 1.0 / states;
    lgkt_status status = lgkt_mdp_builder_start_law(builder, start);
    // from the end, rewards of moves before their probabilities, and first one that is replaced
    for (int32_t z = states * actions; z-- > 0 && status == LGKT_OK;) {
        const int32_t s = z / actions, a = z % actions;
        status =
            lgkt_mdp_builder_pair_noise(builder, s, a, model_own_noise(s, a), model_own_sd(s, a));
        for (int32_t y = states; y-- > 0 && status == LGKT_OK;) {
            const double reward = model_own_reward(s, a, y);
            status = lgkt_mdp_builder_edge_reward(builder, s, a, y, reward + 0.5);
            if (status == LGKT_OK)
                status = lgkt_mdp_builder_edge_reward(builder, s, a, y, reward);
            if (status == LGKT_OK)
                status = lgkt_mdp_builder_edge(builder, s, a, y, model_own_p(s, a, y));
        }
    }
    return status;
}

lgkt_mdp *model_own(void)
{
    lgkt_mdp_builder *builder = model_begin(MODEL_OWN_STATES, MODEL_OWN_ACTIONS);
    assert_int_equal(model_own_fill(builder), LGKT_OK);
    return model_finish(builder);
}

lgkt_error model_builder_error(const lgkt_mdp_builder *builder, lgkt_status status)
{
    lgkt_error error = {.status = status};
    snprintf(error.text, sizeof error.text, "%s", lgkt_mdp_builder_message(builder));
    return error;
}
