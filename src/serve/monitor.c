// SPDX-License-Identifier: MIT
// The fidelity checks: sums over blocks of decisions, and a Page-Hinkley test of rewards.
//
// Window 0 has blocks of 100 decisions, window 1 of 1000. What is drawn here, by learner, floor or
// fallback, with a law that is known, must come out as often as the law says: with p the probability
// of an action, its count less the sum of p has the variance sum of p (1 - p), whatever is learned
// in between.
//
// Page-Hinkley: x is a reward less the mean of its pair at the time of the decision, in standard
// deviations of all such x. The sums of x - 0.1 and of -x - 0.1 may not rise by more than 50 above
// their least values.
//
// What the fallback would have earned is the mean of rewards r with weights w (inverse propensities),
// V = sum w r / sum w; its standard error is sqrt(sum w^2 (r - V)^2) / sum w. That is right where
// every action that the fallback would take has a probability above 0, as under a floor. Where the
// weights make the sample worth fewer than FEW rewards, (sum w)^2 / sum w^2, it is not told.

#include "serve/machine.h"
#include "serve/monitor.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"

// a share of fewer than ENOUGH is none
enum {
    FEW = 10,
    DRIFT_AFTER = 200,
    DRIFT_AT = 50,
    DRIFT_SHOWN = 10000,
    CONSTANT = 500,
    ENOUGH = 50
};
static const double DRIFT_SLACK = 0.1;
static const int64_t LENGTH[SRV_WINDOWS] = {100, 1000}; // of a block

static srv_tally *tally_of(const srv_monitor *monitor, int32_t actions, int w, int64_t block,
                           int32_t a)
{
    return &monitor->tally[((int64_t)w * SRV_BLOCKS + block) * actions + a];
}

bool srv_monitor_create(srv_monitor *monitor, int32_t actions, const lgkt_allocator *allocator)
{
    *monitor = (srv_monitor){.last_reward = NAN, .alarm_at = -1};
    monitor->tally = lgkt_alloc_zeroed(allocator, (size_t)(SRV_WINDOWS * SRV_BLOCKS * actions),
                                       sizeof *monitor->tally);
    return monitor->tally != NULL;
}

void srv_monitor_release(srv_monitor *monitor, const lgkt_allocator *allocator)
{
    lgkt_free(allocator, monitor->tally);
    monitor->tally = NULL;
}

// The block at hand of a window, at decision `number`.
static srv_block *turn_to(srv_monitor *monitor, int32_t actions, int w, int64_t number)
{
    const int64_t at = number / LENGTH[w];
    while (monitor->at[w] < at) {
        const int64_t next = ++monitor->at[w] % SRV_BLOCKS;
        monitor->block[w][next] = (srv_block){0};
        memset(tally_of(monitor, actions, w, next, 0), 0, (size_t)actions * sizeof *monitor->tally);
    }
    return &monitor->block[w][at % SRV_BLOCKS];
}

static srv_tally *now(srv_monitor *monitor, int32_t actions, int w, int32_t action)
{
    return tally_of(monitor, actions, w, monitor->at[w] % SRV_BLOCKS, action);
}

void srv_monitor_decision(srv_monitor *monitor, const srv_programme *p, const srv_record *r,
                          int64_t number)
{
    double entropy = 0;
    const bool is_drawn = r->source != SRV_BY_OTHERS && r->law != NULL;
    for (int32_t a = 0; a < p->actions && is_drawn; a++)
        entropy -= r->law[a] > 0 ? r->law[a] * lgkt_log(r->law[a]) : 0;
    for (int w = 0; w < SRV_WINDOWS; w++) {
        srv_block *block = turn_to(monitor, p->actions, w, number);
        block->decisions++;
        block->fallback += r->source == SRV_BY_FALLBACK && r->cause != SRV_CAUSE_MODE;
        block->entropy += entropy;
        block->laws += is_drawn;
        now(monitor, p->actions, w, r->action)->all++;
        for (int32_t a = 0; a < p->actions && is_drawn; a++) {
            srv_tally *tally = now(monitor, p->actions, w, a);
            tally->count += a == r->action;
            tally->expected += r->law[a];
            tally->variance += r->law[a] * (1 - r->law[a]);
        }
    }
}

static void look_for_drift(srv_monitor *monitor, double x, int64_t number)
{
    monitor->count++;
    monitor->mean += (x - monitor->mean) / monitor->count;
    monitor->square += (x * x - monitor->square) / monitor->count;
    const double variance = monitor->square - monitor->mean * monitor->mean;
    if (monitor->count < DRIFT_AFTER || !(variance > 0))
        return;
    const double z = (x - monitor->mean) / sqrt(variance);
    monitor->up += z - DRIFT_SLACK;
    monitor->down -= z + DRIFT_SLACK;
    monitor->up_least = monitor->up < monitor->up_least ? monitor->up : monitor->up_least;
    monitor->down_least = monitor->down < monitor->down_least ? monitor->down : monitor->down_least;
    if (monitor->up - monitor->up_least > DRIFT_AT ||
        monitor->down - monitor->down_least > DRIFT_AT) {
        monitor->alarms++;
        monitor->alarm_at = number;
        monitor->mean = monitor->square = monitor->count = 0;
        monitor->up = monitor->up_least = monitor->down = monitor->down_least = 0;
    }
}

static int delay_class(int64_t delay)
{
    static const int64_t seconds[SRV_DELAYS - 1] = {60, 3600, 86400, 604800};
    int i = 0;
    while (i < SRV_DELAYS - 1 && delay > seconds[i] * 1000000)
        i++;
    return i;
}

static void add_worth(srv_worth *sum, double r, double w)
{
    sum->count++;
    sum->r += r;
    sum->rr += r * r;
    if (isnan(w))
        return;
    sum->w += w;
    sum->wr += w * r;
    sum->ww += w * w;
    sum->wwr += w * w * r;
    sum->wwrr += w * w * r * r;
}

void srv_monitor_reward(srv_monitor *monitor, const srv_programme *p, const srv_payment *payment,
                        int64_t number)
{
    const double reward = payment->reward;
    monitor->alike = reward == monitor->last_reward ? monitor->alike + 1 : 1;
    monitor->last_reward = reward;
    for (int w = 0; w < SRV_WINDOWS; w++) {
        srv_block *block = &monitor->block[w][monitor->at[w] % SRV_BLOCKS];
        block->out_of_range += reward < p->reward_min || reward > p->reward_max;
        add_worth(&block->worth, reward, payment->weight);
        now(monitor, p->actions, w, payment->action)->delay[delay_class(payment->delay)]++;
    }
    if (!isnan(payment->expected))
        look_for_drift(monitor, reward - payment->expected, number);
}

void srv_monitor_not_executed(srv_monitor *monitor)
{
    for (int w = 0; w < SRV_WINDOWS; w++)
        monitor->block[w][monitor->at[w] % SRV_BLOCKS].not_executed++;
}

void srv_monitor_close(srv_monitor *monitor, int32_t actions, int32_t action, double reward,
                       bool rewarded, bool executed)
{
    for (int w = 0; w < SRV_WINDOWS && executed; w++) {
        srv_block *block = &monitor->block[w][monitor->at[w] % SRV_BLOCKS];
        srv_tally *tally = now(monitor, actions, w, action);
        block->ended++;
        block->learned += rewarded;
        tally->rewards += rewarded;
        tally->missing += !rewarded;
        tally->sum += rewarded ? reward : 0;
        tally->squares += rewarded ? reward * reward : 0;
    }
}

// ---- the answer ----

typedef enum light { GREEN, YELLOW, RED } light;
static const char *const LIGHTS[] = {"green", "yellow", "red"};

// Checks go to a list of JSON, or to lights.
typedef struct report {
    const srv_programme *programme;
    json_t *checks;
    srv_light *lights; // (SRV_LIGHTS)
    int count;
    light worst;
} report;

typedef struct check {
    const char *name, *text;
    int64_t window; // decisions; 0: none
    double value, yellow, red;
    int32_t action; // -1: of all
} check;

static void add_light(report *to, const check *c, light state)
{
    int i = to->count - 1;
    while (i >= 0 &&
           (strcmp(to->lights[i].check, c->name) != 0 || to->lights[i].window != c->window))
        i--;
    if (i < 0 && to->count < SRV_LIGHTS)
        to->lights[i = to->count++] = (srv_light){.check = c->name, .window = c->window};
    srv_light *own = i >= 0 ? &to->lights[i] : NULL;
    if (own != NULL && fabs(c->value) >= fabs(own->value)) {
        own->value = c->value;
        own->light = (int)state;
    }
}

static void add_check(report *to, const check *c)
{
    const double size = fabs(c->value);
    const light state = size >= c->red ? RED : size >= c->yellow ? YELLOW : GREEN;
    if (isnan(c->value))
        return;
    to->worst = state > to->worst ? state : to->worst;
    if (to->lights != NULL) {
        add_light(to, c, state);
        return;
    }
    json_t *one =
        json_pack("{sssssfs[ff]ss}", "check", c->name, "light", LIGHTS[state], "value", c->value,
                  "limit", c->yellow, isfinite(c->red) ? c->red : c->yellow, "text", c->text);
    if (c->window > 0)
        srv_json_put(&one, "window", json_integer(c->window));
    if (c->action >= 0)
        srv_json_put(&one, "action", json_string(to->programme->action_names[c->action]));
    srv_json_add(&to->checks, one);
}

// Tallies and blocks are doubles, one behind the other.
static void add_numbers(double *sum, const double *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *sum; i++)
        sum[i] += numbers[i];
}

static srv_tally sum_tally(const srv_monitor *monitor, int32_t actions, int w, int32_t a)
{
    srv_tally sum = {0};
    for (int64_t b = 0; b < SRV_BLOCKS; b++)
        add_numbers(&sum.count, &tally_of(monitor, actions, w, b, a)->count, sizeof sum);
    return sum;
}

static srv_block sum_block(const srv_monitor *monitor, int w)
{
    srv_block sum = {0};
    for (int64_t b = 0; b < SRV_BLOCKS; b++)
        add_numbers(&sum.decisions, &monitor->block[w][b].decisions, sizeof sum);
    return sum;
}

// in standard deviations; 0 where there is nothing to compare
static double z_of(double difference, double variance)
{
    return variance > 0 ? difference / sqrt(variance) : fabs(difference) > 1e-6 ? INFINITY : 0;
}

static void check_window(const srv_monitor *monitor, int w, report *to)
{
    const int32_t actions = to->programme->actions;
    const int64_t window = LENGTH[w] * (SRV_BLOCKS - 1);
    const srv_block all = sum_block(monitor, w);
    double missing = 0, rewards = 0;
    for (int32_t a = 0; a < actions; a++) {
        const srv_tally t = sum_tally(monitor, actions, w, a);
        missing += t.missing;
        rewards += t.rewards;
        double z = z_of(t.count - t.expected, t.variance);
        z = isfinite(z) ? z : 1e9;
        add_check(
            to,
            &(check){"frequency",
                     "plays of an action less the sum of its probabilities, in standard deviations",
                     window, z, 4, 6, a});
    }
    const double n = missing + rewards, share = n >= ENOUGH ? missing / n : NAN;
    add_check(to, &(check){"missing", "share of decisions whose reward never came", window, share,
                           0.2, 0.5, -1});
    for (int32_t a = 0; a < actions && n >= ENOUGH; a++) {
        const srv_tally t = sum_tally(monitor, actions, w, a);
        const double own = t.missing + t.rewards, rest = 1 - own / n;
        const double z = z_of(t.missing - own * share, own * share * (1 - share) * rest);
        add_check(to, &(check){"missing-differs",
                               "missing rewards of an action against all, in standard deviations",
                               window, isfinite(z) ? z : 0, 4, 6, a});
    }
    const double made = all.decisions >= ENOUGH ? all.decisions : NAN;
    add_check(to, &(check){"fallback", "share of decisions in which the learner refused", window,
                           all.fallback / made, 0.01, 0.1, -1});
    add_check(to, &(check){"not-executed", "share of decisions that were not executed", window,
                           all.not_executed / made, 0.01, 0.1, -1});
    add_check(to, &(check){"reward-range", "rewards out of the range that was told", window,
                           all.out_of_range, 1, INFINITY, -1});
    if (all.ended >= ENOUGH)
        add_check(to, &(check){"not-learned", "share of decisions that taught the learner nothing",
                               window, 1 - all.learned / all.ended, 0.5, INFINITY, -1});
}

// How far the law has narrowed lately: 1 is all.
static double narrowing(const srv_monitor *monitor)
{
    const srv_block recent = sum_block(monitor, 0), longer = sum_block(monitor, 1);
    if (!(recent.laws >= 500 && longer.laws >= 2 * recent.laws && longer.entropy > 0))
        return NAN;
    return 1 - recent.entropy / recent.laws / (longer.entropy / longer.laws);
}

// Rounding may make a sum of squares negative; NaN stays.
static double root(double x)
{
    return x > 0 ? sqrt(x) : x * 0;
}

static json_t *worth_json(const srv_worth *s)
{
    const double mean = s->count > 0 ? s->r / s->count : NAN;
    const double spread = s->count > 1 ? (s->rr - mean * s->r) / (s->count - 1) : NAN;
    // as good as so many rewards of the fallback itself; of a few its error is not known
    const double as_good_as = s->ww > 0 ? s->w * s->w / s->ww : 0;
    const double fallback = as_good_as >= FEW ? s->wr / s->w : NAN;
    const double error = s->wwrr - 2 * fallback * s->wwr + fallback * fallback * s->ww;
    return json_pack("{sfsosososo}", "rewards", s->count, "mean_reward", srv_json_real(mean),
                     "mean_se", srv_json_real(root(spread / s->count)), "fallback_reward",
                     srv_json_real(fallback), "fallback_se", srv_json_real(root(error) / s->w));
}

// The blocks of a window, the oldest first.
static json_t *series_json(const srv_monitor *monitor, int32_t actions, int w)
{
    json_t *list = json_array();
    const int64_t first = monitor->at[w] >= SRV_BLOCKS ? monitor->at[w] - SRV_BLOCKS + 1 : 0;
    for (int64_t at = first; at <= monitor->at[w]; at++) {
        json_t *counts = json_array();
        for (int32_t a = 0; a < actions; a++)
            srv_json_add(&counts,
                         json_real(tally_of(monitor, actions, w, at % SRV_BLOCKS, a)->all));
        json_t *block = worth_json(&monitor->block[w][at % SRV_BLOCKS].worth);
        srv_json_put(&block, "from", json_integer(at * LENGTH[w]));
        srv_json_put(&block, "decisions", counts);
        srv_json_add(&list, block);
    }
    return json_pack("{sIso}", "window", (json_int_t)LENGTH[w] * (SRV_BLOCKS - 1), "blocks", list);
}

static json_t *delays_json(const srv_tally *tally)
{
    json_t *list = json_array();
    for (int i = 0; i < SRV_DELAYS; i++)
        srv_json_add(&list, json_real(tally->delay[i]));
    return list;
}

static json_t *actions_json(const srv_monitor *monitor, const srv_programme *p)
{
    json_t *list = json_array();
    for (int32_t a = 0; a < p->actions; a++) {
        const srv_tally t = sum_tally(monitor, p->actions, 1, a);
        const double z = z_of(t.count - t.expected, t.variance),
                     mean = t.rewards > 0 ? t.sum / t.rewards : NAN;
        const double spread = t.rewards > 1 ? t.squares / t.rewards - mean * mean : NAN;
        srv_json_add(&list, json_pack("{sssfsfsfsfsfsfsososo}", "action", p->action_names[a],
                                      "decisions", t.all, "drawn", t.count, "expected", t.expected,
                                      "z", isfinite(z) ? z : 1e9, "rewards", t.rewards, "missing",
                                      t.missing, "mean_reward", srv_json_real(mean), "reward_sd",
                                      srv_json_real(root(spread)), "delays", delays_json(&t)));
    }
    return list;
}

static void check_all(const srv_monitor *monitor, int64_t made, report *to)
{
    for (int w = 0; w < SRV_WINDOWS; w++)
        check_window(monitor, w, to);
    add_check(to, &(check){"reward-constant", "equal rewards in a row", 0, (double)monitor->alike,
                           CONSTANT, INFINITY, -1});
    add_check(
        to,
        &(check){"law-narrows",
                 "how much less random the last 1000 decisions were than the last 10000: 1 is all",
                 0, narrowing(monitor), 0.5, INFINITY, -1});
    const bool alarm = monitor->alarm_at >= 0 && made - monitor->alarm_at <= DRIFT_SHOWN;
    add_check(to,
              &(check){"drift",
                       "rewards are not what they were; a learner that forgets is window:of=(..)",
                       0, alarm, 1, INFINITY, -1});
}

int srv_monitor_lights(const srv_monitor *monitor, const srv_programme *p, int64_t made,
                       srv_light lights[SRV_LIGHTS])
{
    report to = {.programme = p, .lights = lights};
    check_all(monitor, made, &to);
    return to.count;
}

json_t *srv_monitor_json(const srv_monitor *monitor, const srv_programme *p, int64_t made)
{
    report to = {.programme = p, .checks = json_array()};
    check_all(monitor, made, &to);
    const srv_worth worth = sum_block(monitor, 1).worth;
    json_t *series = json_array();
    for (int w = 0; w < SRV_WINDOWS; w++)
        srv_json_add(&series, series_json(monitor, p->actions, w));
    return json_pack("{sssIsosososo}", "light", LIGHTS[to.worst], "decisions", (json_int_t)made,
                     "checks", to.checks, "actions", actions_json(monitor, p), "worth",
                     worth_json(&worth), "series", series);
}

void srv_monitor_add_commits(json_t **answer, int64_t commits, double p50, double p99,
                             int64_t clock_back)
{
    report to = {.checks = json_incref(json_object_get(*answer, "checks"))};
    const char *said = json_string_value(json_object_get(*answer, "light"));
    add_check(&to, &(check){"commit", "seconds that 99 of 100 commits take at most", 0, p99, 0.05,
                            1, -1});
    add_check(&to, &(check){"clock", "times that the clock went back", 0, (double)clock_back, 1,
                            INFINITY, -1});
    if (to.checks == NULL || said == NULL)
        srv_json_put(answer, "checks", NULL); // memory is out
    else if (to.worst == RED || (to.worst == YELLOW && strcmp(said, LIGHTS[GREEN]) == 0))
        srv_json_put(answer, "light", json_string(LIGHTS[to.worst]));
    json_decref(to.checks);
    srv_json_put(answer, "commit",
                 json_pack("{sIsfsfsI}", "count", (json_int_t)commits, "p50", p50, "p99", p99,
                           "clock_back", (json_int_t)clock_back));
}

void srv_monitor_visit(srv_monitor *monitor, int32_t actions, lgkt_archive *archive)
{
    for (int w = 0; w < SRV_WINDOWS; w++) {
        lgkt_visit_i64(archive, &monitor->at[w], 1, 0, LGKT_MAX_COUNT);
        lgkt_visit_f64(archive, &monitor->block[w][0].decisions,
                       SRV_BLOCKS * sizeof(srv_block) / sizeof(double));
    }
    lgkt_visit_f64(archive, &monitor->tally->count,
                   (size_t)(SRV_WINDOWS * SRV_BLOCKS * actions) *
                       (sizeof(srv_tally) / sizeof(double)));
    lgkt_visit_real(archive, &monitor->last_reward, 1);
    lgkt_visit_i64(archive, &monitor->alike, 1, 0, LGKT_MAX_COUNT);
    lgkt_visit_f64(archive, &monitor->mean, 7);
    lgkt_visit_i64(archive, &monitor->alarms, 1, 0, LGKT_MAX_COUNT);
    lgkt_visit_i64(archive, &monitor->alarm_at, 1, -1, LGKT_MAX_COUNT);
}
