// SPDX-License-Identifier: MIT
// A programme with a few participants and one learner for all of them. Twice a day each of them is
// left alone, gets a message, or a call; in the evening nobody may be called. How active they were
// is reported later, after the next decision perhaps, or never. Then the programme is to go on for
// some more days, and somebody asks why participants are called.
#include <math.h>
#include <stdio.h>

#include <lgkt/lgkt.h>

enum { PARTICIPANTS = 6, DAYS = 60, MORE_DAYS = 14, MOODS = 3 };
enum { MORNING, EVENING, TIMES };
enum { NOTHING, MESSAGE, CALL, ACTIONS };
static const char *const names[ACTIONS] = {"nothing", "message", "call"};

// ---- the participants ----

// in what state they are: mood and time of the day
static int32_t state_of(int32_t mood, int32_t time)
{
    return mood * TIMES + time;
}

// how active somebody is, from 0 to 1; the mood after it
static double live(int32_t *mood, int32_t action, lgkt_rng *rng)
{
    static const double active[ACTIONS][MOODS] = {
        {0.1, 0.3, 0.6}, {0.1, 0.4, 0.5}, {0.4, 0.4, 0.2}};
    const double luck = lgkt_rng_uniform(rng), change = lgkt_rng_uniform(rng);
    const double earned = active[action][*mood] + 0.4 * luck;
    // a call helps those who are down and annoys the others
    const double up = action == CALL && *mood == 0 ? 0.8 : action == MESSAGE ? 0.4 : 0.2;
    if (change < up)
        *mood += *mood < MOODS - 1;
    else if (change > (action == CALL && *mood > 0 ? 0.4 : 0.7))
        *mood -= *mood > 0;
    return earned;
}

// ---- reports ----

// what was earned by a decision, and when that will be known: so many decisions later, or never
typedef struct report {
    double reward;
    int64_t due;
} report;

static int64_t delay_of(lgkt_rng *rng)
{
    const double u = lgkt_rng_uniform(rng);
    return u < 0.6 ? 1 : u < 0.9 ? 2 * PARTICIPANTS : -1;
}

static lgkt_status tell(lgkt_units *units, const report *reports, int64_t now)
{
    lgkt_status status = LGKT_OK;
    for (int64_t d = now - 3 * PARTICIPANTS; d < now && status == LGKT_OK; d++)
        if (d >= 0 && reports[d].due == now)
            status = lgkt_units_reward(units, d, reports[d].reward);
    return status;
}

// ---- the programme ----

static lgkt_status run_days(lgkt_units *units, int32_t moods[PARTICIPANTS], int days,
                            report *reports, lgkt_rng *rng, double *total)
{
    static const uint8_t evening[ACTIONS] = {[NOTHING] = 1, [MESSAGE] = 1, [CALL] = 0};
    lgkt_status status = LGKT_OK;
    for (int half = 0; half < TIMES * days; half++)
        for (uint64_t i = 0; i < PARTICIPANTS && status == LGKT_OK; i++) {
            const int32_t time = half % TIMES, state = state_of(moods[i], time);
            int64_t decision;
            int32_t action;
            // where they act is where the last decision has led: nobody needs to report it
            status = lgkt_units_act(units, 100 + i, state, time == EVENING ? evening : NULL,
                                    &decision, &action);
            if (status != LGKT_OK)
                break;
            const double reward = live(&moods[i], action, rng);
            const int64_t delay = delay_of(rng);
            reports[decision] = (report){reward, delay < 0 ? -1 : decision + delay};
            *total += reward;
            status = tell(units, reports, decision + 1);
        }
    return status;
}

static void refuse(lgkt_units *units, lgkt_status status)
{
    if (status != LGKT_OK)
        printf("refused: %s\n", lgkt_units_message(units));
}

// Bad reports are refused with a status and a line of text, and change nothing.
static void show_refusals(lgkt_units *units, const report *reports)
{
    const int64_t made = lgkt_units_decisions(units);
    const uint64_t before = lgkt_units_hash(units);
    int64_t last = made - 1, decision;
    int32_t action;
    while (reports[last].due < 0 || reports[last].due > made)
        last--;
    refuse(units, lgkt_units_reward(units, made, 0.5));
    refuse(units, lgkt_units_reward(units, 0, 0.5));
    refuse(units, lgkt_units_reward(units, last, 2));
    refuse(units, lgkt_units_reward(units, last, NAN));
    refuse(units, lgkt_units_act(units, 100, LGKT_STATE_REPORTED, NULL, &decision, &action));
    refuse(units, lgkt_units_act(units, 100, 0, (uint8_t[ACTIONS]){0}, &decision, &action));
    refuse(units, lgkt_units_set_horizon(units, made - 1, 0));
    // the same report again is no mistake
    if (lgkt_units_reward(units, last, reports[last].reward) == LGKT_OK)
        printf("nothing changed: %s\n", lgkt_units_hash(units) == before ? "yes" : "no");
}

// why somebody in this mood would be called in the morning, or not
static lgkt_status show_why(lgkt_units *units, int32_t mood)
{
    lgkt_reason reasons[ACTIONS];
    const lgkt_status status = lgkt_units_explain(units, 100, state_of(mood, MORNING), NULL,
                                                  reasons, sizeof(lgkt_reason), NULL);
    for (int32_t a = 0; a < ACTIONS && status == LGKT_OK; a++)
        printf("%-8s tried %4.0f times, %.2f on average, chosen with probability %.2f\n", names[a],
               reasons[a].visits, reasons[a].mean_reward, reasons[a].probability);
    return status;
}

int main(void)
{
    static report reports[PARTICIPANTS * TIMES * (DAYS + MORE_DAYS)];
    int32_t moods[PARTICIPANTS] = {0};
    lgkt_rng rng = lgkt_rng_stream(1, "programme", 0);
    double total = 0, more = 0;
    lgkt_error error = {0};
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = MOODS * TIMES;
    config.problem.actions = ACTIONS;
    config.problem.horizon = PARTICIPANTS * TIMES * DAYS; // decisions of all
    config.problem.masked = true;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = PARTICIPANTS;
    set.patience = 3 * PARTICIPANTS; // what is not known by then is forgotten

    lgkt_units *units = NULL;
    if (lgkt_units_create("auto", &config, &set, &units, &error) != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    lgkt_status status = run_days(units, moods, DAYS, reports, &rng, &total);
    if (status == LGKT_OK) {
        const double made = (double)lgkt_units_decisions(units);
        printf("%.0f decisions, %lld without a report, average %.3f\n", made,
               (long long)lgkt_units_expired(units), total / made);
        const int64_t horizon = PARTICIPANTS * TIMES * (DAYS + MORE_DAYS);
        status = lgkt_units_set_horizon(units, horizon, 0);
    }
    if (status == LGKT_OK) {
        show_refusals(units, reports);
        status = show_why(units, 0);
    }
    if (status == LGKT_OK)
        status = run_days(units, moods, MORE_DAYS, reports, &rng, &more);
    if (status == LGKT_OK)
        printf("average of %d more days %.3f\n", MORE_DAYS,
               more / (PARTICIPANTS * TIMES * MORE_DAYS));
    else
        fprintf(stderr, "%s\n", lgkt_units_message(units));
    lgkt_units_destroy(units);
    return status == LGKT_OK ? 0 : 1;
}
