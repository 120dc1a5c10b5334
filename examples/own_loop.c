// SPDX-License-Identifier: MIT
// A process of one's own: a machine that wears out, and a learner that decides each day whether to
// run or to service it. The library never sees the process, only states, actions and rewards. What
// is good enough rises over the run, so the threshold is a function. Every call is checked.
//
// State: wear 0 .. 4. Action 0 runs the machine, which earns 1 - wear/4 and may wear it; action 1
// services it, which costs 0.2 and makes it new.
#include <stdio.h>

#include <lgkt/lgkt.h>

enum { WEAR_LEVELS = 5, RUN = 0, SERVICE = 1, DAYS = 5000 };

// ---- the process ----

typedef struct machine {
    int32_t wear;
    lgkt_rng rng;
} machine;

static double machine_day(machine *m, int32_t action)
{
    // one draw each day, whatever is done
    const bool wears = lgkt_rng_bernoulli(&m->rng, 0.5);
    if (action == SERVICE) {
        m->wear = 0;
        return -0.2;
    }
    const double earned = 1 - m->wear / 4.0;
    if (wears && m->wear < WEAR_LEVELS - 1)
        m->wear++;
    return earned;
}

// ---- what is good enough ----

// The value of two days that will do: modest at first, more with time. `ctx` is the number of days.
static double good_enough(void *ctx, int64_t t, int32_t state, int32_t k)
{
    const int64_t days = *(const int64_t *)ctx;
    (void)state;
    return 0.3 * k + 0.2 * k * (double)t / (double)days;
}

// ---- the loop ----

static lgkt_status live(lgkt_learner *learner, machine *m, double *total)
{
    *total = 0;
    for (int day = 0; day < DAYS; day++) {
        int32_t action;
        lgkt_status status = lgkt_learner_act(learner, m->wear, NULL, &action);
        if (status != LGKT_OK)
            return status;
        const double reward = machine_day(m, action);
        status = lgkt_learner_observe(learner, reward, m->wear, false);
        if (status != LGKT_OK)
            return status;
        *total += reward;
    }
    return LGKT_OK;
}

// Bad input is refused with a status and a line of text, and leaves the learner as it was.
static void show_refusals(lgkt_learner *learner)
{
    const uint64_t before = lgkt_learner_hash(learner);
    int32_t action;
    if (lgkt_learner_observe(learner, 1, 0, false) != LGKT_OK)
        printf("refused: %s\n", lgkt_learner_message(learner));
    if (lgkt_learner_act(learner, WEAR_LEVELS, NULL, &action) != LGKT_OK)
        printf("refused: %s\n", lgkt_learner_message(learner));
    printf("nothing changed: %s\n", lgkt_learner_hash(learner) == before ? "yes" : "no");
}

int main(void)
{
    int64_t days = DAYS;
    lgkt_error error = {0};
    lgkt_learner *learner = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = WEAR_LEVELS;
    config.problem.actions = 2;
    config.problem.horizon = DAYS;
    config.threshold.fn = good_enough;
    config.threshold.ctx = &days;

    // a spec that does not exist is refused as well, with words that say why
    if (lgkt_learner_create("lg2t:treshold=0.9", &config, &learner, &error) != LGKT_OK)
        printf("refused: %s\n", error.text);
    if (lgkt_learner_create("lg2t", &config, &learner, &error) != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    show_refusals(learner);

    machine m = {.wear = 0, .rng = lgkt_rng_stream(1, "machine", 0)};
    double total;
    if (live(learner, &m, &total) != LGKT_OK) {
        fprintf(stderr, "%s\n", lgkt_learner_message(learner));
        lgkt_learner_destroy(learner);
        return 1;
    }
    printf("average per day %.4f\n", total / DAYS);
    lgkt_learner_destroy(learner);
    return 0;
}
