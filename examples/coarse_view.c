// SPDX-License-Identifier: MIT
// States that are numbers: a pole on a cart, of which four sensors tell place, speed, angle and
// spin. A view in front of a keyed learner makes few states of them, by edges that are given or by
// quantiles of what is seen first. Beside it a controller that somebody has worked out.
#include <math.h>
#include <stdio.h>

#include <lgkt/lgkt.h>

enum { NUMBERS = 4, STEPS = 50000, SHOWN = 10000 };

// where one state ends and the next begins: the boxes of Barto, Sutton and Anderson (1983)
static const int32_t CUTS[NUMBERS] = {2, 2, 5, 2};
static const double EDGES[] = {
    // place in m
    -0.8, 0.8,
    // speed in m/s
    -0.5, 0.5,
    // angle
    -0.105, -0.0175, 0, 0.0175, 0.105,
    // spin in 1/s
    -0.87, 0.87};

static lgkt_keyed *make_learner(const char *spec, const lgkt_view *view)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = 2;
    config.problem.horizon = STEPS;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    keys.state_limit = 1000;
    keys.view = *view;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    if (lgkt_keyed_create(spec, &config, &keys, &keyed, &error) != LGKT_OK)
        fprintf(stderr, "%s\n", error.text);
    return keyed;
}

// Pushes the way that the pole leans and goes, and a little by where the cart is.
static int32_t controller(const double *x)
{
    return x[2] + 0.5 * x[3] + 0.05 * x[0] + 0.1 * x[1] > 0;
}

// One run of a learner, or of the controller for NULL; prints falls in each 10000 steps.
static lgkt_status balance(lgkt_keyed *keyed, lgkt_trajectory *run)
{
    int falls = 0;
    for (int t = 1; t <= STEPS; t++) {
        size_t size;
        const double *sensors = lgkt_trajectory_observation(run, &size);
        int32_t action = controller(sensors);
        lgkt_step step;
        lgkt_status status = LGKT_OK;
        if (keyed != NULL)
            status = lgkt_keyed_act(keyed, sensors, size, NULL, &action);
        if (status == LGKT_OK)
            status = lgkt_trajectory_step(run, action, &step);
        sensors = lgkt_trajectory_observation(run, &size);
        if (status == LGKT_OK && keyed != NULL)
            status = lgkt_keyed_observe(keyed, step.reward, sensors, size, step.ended);
        if (status != LGKT_OK)
            return status;
        falls += step.reward == 0;
        if (t % SHOWN == 0) {
            printf(" %5d", falls);
            falls = 0;
        }
    }
    return LGKT_OK;
}

int main(void)
{
    static const struct {
        const char *title, *spec;
        lgkt_view view;
    } PLAYERS[] = {
        {"coins", "random", {.dims = NUMBERS, .cuts = CUTS, .edges = EDGES}},
        {"auto, boxes", "auto", {.dims = NUMBERS, .cuts = CUTS, .edges = EDGES}},
        {"auto, quantiles", "auto", {.dims = NUMBERS, .cuts = CUTS, .warmup = 500}},
        {"controller", NULL, {0}},
    };
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    if (lgkt_env_create("cartpole", NULL, &env, &error) != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("falls in each %d steps\n", SHOWN);
    for (size_t i = 0; i < sizeof PLAYERS / sizeof *PLAYERS; i++) {
        const bool learns = PLAYERS[i].spec != NULL;
        lgkt_keyed *keyed = learns ? make_learner(PLAYERS[i].spec, &PLAYERS[i].view) : NULL;
        lgkt_trajectory *run = NULL;
        if ((learns && keyed == NULL) ||
            lgkt_trajectory_create(env, STEPS, 1, 0, NULL, &run, &error) != LGKT_OK)
            return 1;
        printf("%-16s", PLAYERS[i].title);
        if (balance(keyed, run) != LGKT_OK) {
            fprintf(stderr, "%s\n", lgkt_keyed_message(keyed));
            return 1;
        }
        printf(learns ? "%8d states\n" : "\n", lgkt_keyed_states(keyed));
        lgkt_keyed_destroy(keyed);
        lgkt_trajectory_destroy(run);
    }

    // a broken sensor is refused, and nothing has changed
    lgkt_keyed *keyed = make_learner("auto", &PLAYERS[1].view);
    const double broken[NUMBERS] = {0, NAN, 0, 0};
    int32_t action;
    if (keyed != NULL && lgkt_keyed_act(keyed, broken, sizeof broken, NULL, &action) != LGKT_OK)
        printf("refused: %s\n", lgkt_keyed_message(keyed));
    lgkt_keyed_destroy(keyed);
    lgkt_env_destroy(env);
    return 0;
}
