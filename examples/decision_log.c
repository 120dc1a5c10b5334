// SPDX-License-Identifier: MIT
// A log of decisions with their probabilities, and what it tells of policies that were never
// played.
//
// A shop shows each visitor one of three banners. There are two kinds of visitors, who come as they
// like: the state is the kind, and no banner changes who comes next. Each decision is logged with
// the probability that the learner gave it, taken before the act. Afterwards the log says what a
// fixed choice of banners would have earned: each reward counts one over its probability where that
// choice agrees with what was played, and 0 where it does not.
#include <stdio.h>

#include <lgkt/lgkt.h>

enum { KINDS = 2, BANNERS = 3, VISITORS = 4000 };

// chance that a visitor of a kind buys
static const double buys[KINDS][BANNERS] = {{0.05, 0.30, 0.10}, {0.20, 0.05, 0.40}};

typedef struct decision {
    int32_t kind, banner;
    double probability, reward;
} decision;

static decision diary[VISITORS];

static lgkt_status open_shop(lgkt_learner *learner, lgkt_rng *visitors)
{
    lgkt_reason reasons[BANNERS];
    lgkt_error error;
    int32_t kind = lgkt_rng_below(visitors, KINDS);
    for (int i = 0; i < VISITORS; i++) {
        decision *now = &diary[i];
        now->kind = kind;
        lgkt_status status =
            lgkt_learner_explain(learner, kind, NULL, reasons, sizeof(lgkt_reason), &error);
        if (status == LGKT_OK)
            status = lgkt_learner_act(learner, kind, NULL, &now->banner);
        if (status != LGKT_OK)
            return status;
        now->probability = reasons[now->banner].probability;
        now->reward = lgkt_rng_bernoulli(visitors, buys[kind][now->banner]);
        kind = lgkt_rng_below(visitors, KINDS);
        status = lgkt_learner_observe(learner, now->reward, kind, false);
        if (status != LGKT_OK)
            return status;
    }
    return LGKT_OK;
}

// what a banner for each kind would have earned per visitor
static double judge(const int32_t banner[KINDS])
{
    double sum = 0;
    for (int i = 0; i < VISITORS; i++)
        if (diary[i].banner == banner[diary[i].kind])
            sum += diary[i].reward / diary[i].probability;
    return sum / VISITORS;
}

int main(void)
{
    lgkt_error error = {0};
    lgkt_learner *learner = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = KINDS;
    config.problem.actions = BANNERS;
    config.problem.horizon = VISITORS;
    // a learner that goes on to play every banner now and then: else some have no weight
    if (lgkt_learner_create("q-greedy:discount=0,epsilon=0.3", &config, &learner, &error) !=
        LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    lgkt_rng visitors = lgkt_rng_stream(1, "visitors", 0);
    if (open_shop(learner, &visitors) != LGKT_OK) {
        fprintf(stderr, "%s\n", lgkt_learner_message(learner));
        lgkt_learner_destroy(learner);
        return 1;
    }
    printf("visitor  kind  banner  probability  reward\n");
    for (int i = VISITORS - 3; i < VISITORS; i++)
        printf("%7d  %4d  %6d  %11.3f  %6.0f\n", i, diary[i].kind, diary[i].banner,
               diary[i].probability, diary[i].reward);

    static const int32_t policies[][KINDS] = {{1, 2}, {0, 0}, {1, 1}, {2, 0}};
    printf("banners  from the log   true\n");
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const int32_t *banner = policies[i];
        printf("%4d %2d  %12.3f  %5.3f\n", banner[0], banner[1], judge(banner),
               (buys[0][banner[0]] + buys[1][banner[1]]) / KINDS);
    }
    lgkt_learner_destroy(learner);
    return 0;
}
