// SPDX-License-Identifier: MIT
// A log of decisions with their probabilities, and what it tells of policies that were never
// played.
//
// A shop shows each visitor one of three banners; customers come again and again. There are two
// kinds of visits, as they like: the state is the kind, and no banner changes who comes next. What
// was bought is known up to 40 visits later. A learner shows the best banner that it knows of, and
// each other one with probability 0.02 at least: else a log could not tell what those are worth.
// Each decision is logged with the probabilities that the act was drawn from. Afterwards the log
// says what a fixed choice of banners would have earned: each reward counts one over its
// probability where that choice agrees with what was played, and 0 where it does not.
//
//     decision_log [FILE]    also writes the whole log as CSV, for Python: lgkt.Log.read(FILE)
#include <stdio.h>

#include <lgkt/io.h>
#include <lgkt/lgkt.h>

enum { KINDS = 2, BANNERS = 3, CUSTOMERS = 200, VISITS = 4000, LATEST = 40, NOBODY = -1 };

static const char *const kinds[KINDS] = {"browsing", "searching"};
static const char *const banners[BANNERS] = {"plain", "sale", "advice, free"};

// chance that a visitor of a kind buys
static const double buys[KINDS][BANNERS] = {{0.05, 0.30, 0.10}, {0.20, 0.05, 0.40}};

typedef struct visit {
    int32_t customer, kind, banner;
    double probabilities[BANNERS];
    double reward;
    int64_t told; // the visit before which the reward was reported
    int64_t next; // of the same customer, or NOBODY
} visit;

static visit diary[VISITS];

// ---- the shop ----

static lgkt_status show_banner(lgkt_units *shop, int64_t number, visit *now)
{
    lgkt_reason reasons[BANNERS];
    lgkt_error error;
    const uint64_t customer = (uint64_t)now->customer;
    // what is explained after this is the law that the act draws from
    lgkt_status status = lgkt_units_settle(shop, customer, now->kind);
    if (status == LGKT_OK)
        status = lgkt_units_explain(shop, customer, now->kind, NULL, reasons, sizeof(lgkt_reason),
                                    &error);
    if (status == LGKT_OK)
        status = lgkt_units_act(shop, customer, now->kind, NULL, &number, &now->banner);
    for (int32_t b = 0; b < BANNERS && status == LGKT_OK; b++)
        now->probabilities[b] = reasons[b].probability;
    return status;
}

static lgkt_status open_shop(lgkt_units *shop, lgkt_rng *visitors)
{
    int64_t last[CUSTOMERS];
    lgkt_status status = LGKT_OK;
    for (int32_t c = 0; c < CUSTOMERS; c++)
        last[c] = NOBODY;
    for (int64_t i = 0; i < VISITS && status == LGKT_OK; i++) {
        visit *now = &diary[i];
        *now = (visit){.customer = lgkt_rng_below(visitors, CUSTOMERS),
                       .kind = lgkt_rng_below(visitors, KINDS),
                       .next = NOBODY};
        for (int64_t d = i > LATEST ? i - LATEST : 0; d < i && status == LGKT_OK; d++)
            if (diary[d].told == i)
                status = lgkt_units_reward(shop, d, diary[d].reward);
        if (status == LGKT_OK)
            status = show_banner(shop, i, now);
        now->reward = lgkt_rng_bernoulli(visitors, buys[now->kind][now->banner]);
        now->told = i + 1 + lgkt_rng_below(visitors, LATEST);
        if (last[now->customer] != NOBODY)
            diary[last[now->customer]].next = i;
        last[now->customer] = i;
    }
    return status;
}

// ---- the log ----

enum { LINE = 512, MINUTE = 60 };
static const double opened = 1767225600; // 2026-01-01, in seconds since 1970

static lgkt_status print_visit(int64_t i, char line[LINE], lgkt_error *error)
{
    const visit *now = &diary[i];
    char customer[32];
    snprintf(customer, sizeof customer, "customer %d", (int)now->customer);
    const lgkt_io_value kind = lgkt_io_text(kinds[now->kind]);
    const lgkt_io_value next = lgkt_io_text(now->next >= 0 ? kinds[diary[now->next].kind] : NULL);
    size_t length;
    lgkt_io_decision row = lgkt_io_decision_default();
    row.seq = i;
    row.time = opened + (double)(MINUTE * i);
    row.unit = lgkt_io_text(customer);
    row.decision = i;
    row.state = &kind;
    row.action = lgkt_io_text(banners[now->banner]);
    row.probability = now->probabilities[now->banner];
    row.probabilities = now->probabilities;
    row.probability_count = BANNERS;
    row.source = "learner";
    row.reward = now->reward;
    row.reward_time = opened + (double)(MINUTE * now->told);
    row.next_state = now->next >= 0 ? &next : NULL;
    row.cut = now->next < 0;
    return lgkt_io_decision_print(LGKT_IO_CSV, &row, line, LINE, &length, error);
}

// Writes the header and the visits from `first` on.
static lgkt_status write_log(FILE *file, int64_t first, lgkt_error *error)
{
    char line[LINE];
    size_t length;
    lgkt_status status = lgkt_io_decision_header(LGKT_IO_CSV, line, LINE, &length, error);
    for (int64_t i = first; i <= VISITS && status == LGKT_OK; i++) {
        fputs(line, file);
        if (i < VISITS)
            status = print_visit(i, line, error);
    }
    return status;
}

static lgkt_status write_file(const char *path, lgkt_error *error)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return LGKT_ERR_IO;
    }
    const lgkt_status status = write_log(file, 0, error);
    if (fclose(file) == 0)
        return status;
    perror(path);
    return LGKT_ERR_IO;
}

// ---- other banners ----

// what a banner for each kind would have earned per visit
static double judge(const int32_t banner[KINDS])
{
    double sum = 0;
    for (int i = 0; i < VISITS; i++)
        if (diary[i].banner == banner[diary[i].kind])
            sum += diary[i].reward / diary[i].probabilities[diary[i].banner];
    return sum / VISITS;
}

int main(int argc, char **argv)
{
    lgkt_error error = {0};
    lgkt_units *shop = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = KINDS;
    config.problem.actions = BANNERS;
    config.problem.horizon = VISITS;
    lgkt_units_config units = lgkt_units_config_default();
    units.unit_limit = CUSTOMERS;
    lgkt_status status =
        lgkt_units_create("explore:of=auto,floor=0.02", &config, &units, &shop, &error);
    lgkt_rng visitors = lgkt_rng_stream(1, "visitors", 0);
    if (status == LGKT_OK && open_shop(shop, &visitors) != LGKT_OK) {
        fprintf(stderr, "%s\n", lgkt_units_message(shop));
        lgkt_units_destroy(shop);
        return 1;
    }
    if (status == LGKT_OK)
        status = write_log(stdout, VISITS - 3, &error);
    if (status == LGKT_OK && argc > 1)
        status = write_file(argv[1], &error);
    lgkt_units_destroy(shop);
    if (status != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    static const int32_t policies[][KINDS] = {{1, 2}, {0, 0}, {1, 1}, {2, 0}};
    printf("\nbanners  from the log   true\n");
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const int32_t *banner = policies[i];
        printf("%4d %2d  %12.3f  %5.3f\n", banner[0], banner[1], judge(banner),
               (buys[0][banner[0]] + buys[1][banner[1]]) / KINDS);
    }
    return 0;
}
