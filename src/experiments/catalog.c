// SPDX-License-Identifier: MIT
// The experiments of the paper and around it (catalog.h); those beyond it are in
// catalog_beyond.c and catalog_arena.c.
// T = 20000 unless a panel says otherwise.
//
// The main set is the one of the paper's figures: the three LGKT learners, three learners of the
// whole model, five model-free ones, random play, and oracles. Baselines are told the true range of
// the mean rewards; `reward-range` shows what the released code's range of [0, 1] does to them.

#include <string.h>

#include "experiments/catalog_parts.h"

#define T 20000

#define TITLED(name_, title_, env_, instances_, quick_, entries_)                                  \
    {                                                                                              \
        .name = name_, .env = env_, .horizon = T, .instances = instances_,                         \
        .quick_instances = quick_, EXP_AVERAGE, .entries = entries_,                               \
        .entry_count = EXP_COUNT(entries_), .title = title_                                        \
    }
#define PANEL(name_, env_, instances_, quick_, entries_)                                           \
    TITLED(name_, NULL, env_, instances_, quick_, entries_)

// ---- the main set ----

#define LOOKAHEAD(cutoff_)                                                                         \
    {"LG1T", "lg1t", false}, {"LG2T", "lg2t", false},                                              \
    {                                                                                              \
        "LG1-2T", "lg1-2t:cutoff=" cutoff_, false                                                  \
    }

#define BASELINES(oomd_)                                                                           \
    {"UCRL2", "ucrl2", false}, {"KL-UCRL", "klucrl", false},                                       \
        {"PMEVI-KLUCRL", "pmevi-klucrl", false},                                                   \
        {"Opt-QL 0.9", "optimistic-q:discount=0.9", false},                                        \
        {"Opt-QL 0.99", "optimistic-q:discount=0.99", false},                                      \
        {"UCB-QL H=1", "q-learning:h=1", false}, {"UCB-QL H=10", "q-learning:h=10", false},        \
        {"MDP-OOMD", "mdp-oomd:" oomd_, false},                                                    \
    {                                                                                              \
        "Random", "random", false                                                                  \
    }

#define ORACLES                                                                                    \
    {"1-step greedy", "kstep:k=1", true}, {"2-step greedy", "kstep:k=2", true},                    \
    {                                                                                              \
        "Optimal", "optimal", true                                                                 \
    }

#define SHORT_BATCH "b=4,n=2"
#define LONG_BATCH  "b=30,n=10"

#define SYNTHETIC_10  "synthetic:states=10,actions=5"
#define SYNTHETIC_100 "synthetic:states=100,actions=25"

static const exp_entry synthetic_10_set[] = {LOOKAHEAD("100"), BASELINES(SHORT_BATCH), ORACLES};

static const exp_entry synthetic_100_set[] = {
    LOOKAHEAD("100"),
    {"LG1-2T 3000", "lg1-2t:cutoff=3000", false},
    BASELINES(SHORT_BATCH),
    ORACLES,
};

static const exp_entry riverswim_set[] = {
    LOOKAHEAD("100"),
    {"LG1T-RL", "lg1t-rl:cutoff=10000", false},
    BASELINES(LONG_BATCH),
    ORACLES,
};

static const exp_entry frozenlake_set[] = {LOOKAHEAD("10000"), BASELINES(LONG_BATCH), ORACLES};

// no oracles: there is no model
static const exp_entry trading_set[] = {LOOKAHEAD("30"), BASELINES(SHORT_BATCH)};

static const exp_panel synthetic_10[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 200, synthetic_10_set)};
static const exp_panel synthetic_100[] = {
    PANEL("synthetic-100", SYNTHETIC_100, 1000, 40, synthetic_100_set)};
static const exp_panel riverswim_5[] = {
    PANEL("riverswim-5", "riverswim:states=5", 100, 100, riverswim_set)};
static const exp_panel riverswim_8[] = {
    PANEL("riverswim-8", "riverswim:states=8", 100, 100, riverswim_set)};
static const exp_panel riverswim_15[] = {
    PANEL("riverswim-15", "riverswim:states=15", 100, 100, riverswim_set)};
static const exp_panel frozenlake[] = {PANEL("frozenlake", "frozenlake", 100, 100, frozenlake_set)};

// the command puts the price file of --prices in place of the random walk
static const exp_panel trading[] = {{.name = "trading",
                                     .env = "trading",
                                     .horizon = T,
                                     .instances = 1000,
                                     .quick_instances = 100,
                                     EXP_CUMULATIVE,
                                     .entries = trading_set,
                                     .entry_count = EXP_COUNT(trading_set)}};

// ---- thresholds that rise (appendix E.3) ----

static const exp_entry rising_set[] = {
    {"LG1T 0", "lg1t:threshold=0", false},     {"LG1T 0.3", "lg1t:threshold=0.3", false},
    {"LG1T 1.5", "lg1t:threshold=1.5", false}, {"LG1T-I 0.1", "lg1t-i:delta=0.1", false},
    {"LG1T-I 0.2", "lg1t-i:delta=0.2", false}, {"LG1T-I 0.3", "lg1t-i:delta=0.3", false},
    {"LG1T-I 0.4", "lg1t-i:delta=0.4", false}, {"LG1T-I 0.5", "lg1t-i:delta=0.5", false},
    {"LG1T-I 0.6", "lg1t-i:delta=0.6", false}, {"LG2T 0", "lg2t:threshold=0", false},
    {"LG2T 0.9", "lg2t:threshold=0.9", false}, {"LG2T 3.0", "lg2t:threshold=3", false},
    {"LG2T-I 0.1", "lg2t-i:delta=0.1", false}, {"LG2T-I 0.2", "lg2t-i:delta=0.2", false},
    {"LG2T-I 0.3", "lg2t-i:delta=0.3", false}, {"LG2T-I 0.4", "lg2t-i:delta=0.4", false},
    {"LG2T-I 0.5", "lg2t-i:delta=0.5", false}, {"LG2T-I 0.6", "lg2t-i:delta=0.6", false},
};

static const exp_panel adaptive_threshold[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 150, rising_set),
    PANEL("synthetic-100", SYNTHETIC_100, 1000, 30, rising_set),
    PANEL("frozenlake", "frozenlake", 100, 100, rising_set),
};

// ---- the cutoff (appendix E.4) ----

static const exp_entry cutoff_set[] = {
    {"LG1T", "lg1t", false},
    {"LG2T", "lg2t", false},
    {"LG1-2T 10", "lg1-2t:cutoff=10", false},
    {"LG1-2T 100", "lg1-2t:cutoff=100", false},
    {"LG1-2T 1000", "lg1-2t:cutoff=1000", false},
    {"LG1-2T 10000", "lg1-2t:cutoff=10000", false},
    {"LG1-2T-adaptive", "lg1-2t-adaptive", false},
};

static const exp_panel adaptive_k[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 150, cutoff_set),
    PANEL("synthetic-100", SYNTHETIC_100, 1000, 30, cutoff_set),
    PANEL("riverswim-5", "riverswim:states=5", 100, 100, cutoff_set),
    PANEL("riverswim-8", "riverswim:states=8", 100, 100, cutoff_set),
    PANEL("riverswim-15", "riverswim:states=15", 100, 100, cutoff_set),
    PANEL("frozenlake", "frozenlake", 100, 100, cutoff_set),
};

// ---- the version of the theory (appendix E.5) ----

#define UNIFORM_SMALL                                                                              \
    {"LG1T-U -0.1", "lg1t-uniform:threshold=-0.1", false},                                         \
        {"LG1T-U 0.3", "lg1t-uniform:threshold=0.3", false},                                       \
        {"LG1T-U 1.1", "lg1t-uniform:threshold=1.1", false},                                       \
        {"LG1T-U 1.9", "lg1t-uniform:threshold=1.9", false},                                       \
        {"LG1T-U 2.7", "lg1t-uniform:threshold=2.7", false},                                       \
        {"LG2T-U 0.3", "lg2t-uniform:threshold=0.3", false},                                       \
        {"LG2T-U 0.9", "lg2t-uniform:threshold=0.9", false},                                       \
        {"LG2T-U 2.1", "lg2t-uniform:threshold=2.1", false},                                       \
    {                                                                                              \
        "LG2T-U 3.3", "lg2t-uniform:threshold=3.3", false                                          \
    }

#define UNIFORM_LARGE                                                                              \
    {"LG1T-U 0.3", "lg1t-uniform:threshold=0.3", false},                                           \
        {"LG1T-U 1.3", "lg1t-uniform:threshold=1.3", false},                                       \
        {"LG1T-U 2.3", "lg1t-uniform:threshold=2.3", false},                                       \
        {"LG1T-U 3.3", "lg1t-uniform:threshold=3.3", false},                                       \
        {"LG2T-U 0.9", "lg2t-uniform:threshold=0.9", false},                                       \
        {"LG2T-U 2.9", "lg2t-uniform:threshold=2.9", false},                                       \
        {"LG2T-U 4.9", "lg2t-uniform:threshold=4.9", false},                                       \
    {                                                                                              \
        "LG2T-U 6.9", "lg2t-uniform:threshold=6.9", false                                          \
    }

static const exp_entry theory_10_set[] = {LOOKAHEAD("100"), UNIFORM_SMALL, BASELINES(SHORT_BATCH)};
static const exp_entry theory_100_set[] = {LOOKAHEAD("100"), UNIFORM_LARGE, BASELINES(SHORT_BATCH)};
static const exp_entry theory_river_set[] = {LOOKAHEAD("100"), UNIFORM_SMALL,
                                             BASELINES(LONG_BATCH)};
static const exp_entry theory_lake_set[] = {LOOKAHEAD("10000"), UNIFORM_SMALL,
                                            BASELINES(LONG_BATCH)};

static const exp_panel theory_version[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 60, theory_10_set),
    PANEL("synthetic-100", SYNTHETIC_100, 1000, 15, theory_100_set),
    PANEL("riverswim-5", "riverswim:states=5", 100, 50, theory_river_set),
    PANEL("riverswim-8", "riverswim:states=8", 100, 50, theory_river_set),
    PANEL("riverswim-15", "riverswim:states=15", 100, 50, theory_river_set),
    PANEL("frozenlake", "frozenlake", 100, 50, theory_lake_set),
};

// ---- fixed thresholds (appendix E.6) ----

static const exp_entry threshold_set[] = {
    {"LG1T -0.1", "lg1t:threshold=-0.1", false}, {"LG1T 0.3", "lg1t:threshold=0.3", false},
    {"LG1T 0.7", "lg1t:threshold=0.7", false},   {"LG1T 1.1", "lg1t:threshold=1.1", false},
    {"LG1T 1.9", "lg1t:threshold=1.9", false},   {"LG1T 2.7", "lg1t:threshold=2.7", false},
    {"LG2T 0.3", "lg2t:threshold=0.3", false},   {"LG2T 0.9", "lg2t:threshold=0.9", false},
    {"LG2T 1.5", "lg2t:threshold=1.5", false},   {"LG2T 2.1", "lg2t:threshold=2.1", false},
    {"LG2T 3.3", "lg2t:threshold=3.3", false},
};

static const exp_panel ablation_threshold[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 150, threshold_set),
    PANEL("synthetic-100", SYNTHETIC_100, 1000, 30, threshold_set),
    PANEL("riverswim-5", "riverswim:states=5", 100, 100, threshold_set),
    PANEL("riverswim-8", "riverswim:states=8", 100, 100, threshold_set),
    PANEL("riverswim-15", "riverswim:states=15", 100, 100, threshold_set),
    PANEL("frozenlake", "frozenlake", 100, 100, threshold_set),
    {.name = "trading",
     .env = "trading",
     .horizon = T,
     .instances = 1000,
     .quick_instances = 100,
     EXP_CUMULATIVE,
     .entries = threshold_set,
     .entry_count = EXP_COUNT(threshold_set)},
};

// ---- what lookahead is worth (section 5.1) ----

static const exp_entry depth_set[] = {
    {"K=1", "kstep:k=1", true}, {"K=2", "kstep:k=2", true},   {"K=3", "kstep:k=3", true},
    {"K=5", "kstep:k=5", true}, {"K=10", "kstep:k=10", true},
};

#define RATIO_PANEL(name_, title_, env_, instances_, quick_)                                       \
    {                                                                                              \
        .name = name_, .env = env_, .horizon = T, .instances = instances_,                         \
        .quick_instances = quick_, EXP_RATIO, .entries = depth_set,                                \
        .entry_count = EXP_COUNT(depth_set), .title = title_                                       \
    }

static const exp_panel value_ratio[] = {
    RATIO_PANEL("synthetic-10", NULL, SYNTHETIC_10, 1000, 300),
    RATIO_PANEL("synthetic-100", NULL, SYNTHETIC_100, 1000, 25),
    RATIO_PANEL("concentration-10", "S = 10, A = 5, concentration 10",
                SYNTHETIC_10 ",concentration=10", 1000, 200),
    RATIO_PANEL("concentration-5", "S = 10, A = 5, concentration 5",
                SYNTHETIC_10 ",concentration=5", 1000, 200),
    RATIO_PANEL("concentration-2", "S = 10, A = 5, concentration 2",
                SYNTHETIC_10 ",concentration=2", 1000, 200),
    RATIO_PANEL("concentration-0.1", "S = 10, A = 5, concentration 0.1",
                SYNTHETIC_10 ",concentration=0.1", 1000, 200),
};

// ---- growth of regret (Theorems 4.2, 4.4, F.1, Corollary 4.5) ----

// On `gap` with threshold 0.5 and gap D the threshold in the middle is K (0.5 + D) - D.

static const exp_entry growth_1_set[] = {
    {"LG1T-uniform", "lg1t-uniform:profile=paper,threshold=0.5", false},
    {"LG1T", "lg1t:profile=paper,threshold=0.5", false},
    {"Random", "random", false},
};

static const exp_entry growth_2_set[] = {
    {"LG2T-uniform", "lg2t-uniform:profile=paper,threshold=1.2,eta=0.04", false},
    {"LG2T", "lg2t:profile=paper,threshold=1.2,eta=0.04", false},
    {"LG2T eta/sqrt(A)", "lg2t-uniform:profile=paper,threshold=1.2,eta=0.0231", false},
    {"Random", "random", false},
};

static const exp_entry growth_3_set[] = {
    {"LG3T bonus 0.02",
     "lgkt:k=3,profile=paper,fallback=uniform,threshold=1.9,eta=0.008,sampler-bonus=0.02", false},
    {"LG3T bonus 1", "lgkt:k=3,profile=paper,fallback=uniform,threshold=1.9,eta=0.008", false},
    {"Random", "random", false},
};

#define GROWTH_PANEL(name_, title_, env_, k_, threshold_, instances_, quick_, entries_)            \
    {                                                                                              \
        .name = name_, .env = env_, .horizon = 1000000, .instances = instances_,                   \
        .quick_instances = quick_, EXP_REGRET, .regret_k = k_, .regret_threshold = threshold_,     \
        .entries = entries_, .entry_count = EXP_COUNT(entries_), .title = title_                   \
    }

static const exp_panel regret_growth[] = {
    GROWTH_PANEL("k1", "Regret at K = 1", "gap", 1, 0.5, 200, 12, growth_1_set),
    GROWTH_PANEL("k1-drifting", "Regret at K = 1, drifting noise", "gap:noise=drifting", 1, 0.5,
                 200, 12, growth_1_set),
    GROWTH_PANEL("k2", "Regret at K = 2", "gap", 2, 1.2, 200, 8, growth_2_set),
    GROWTH_PANEL("k3", "Regret at K = 3", "gap", 3, 1.9, 20, 2, growth_3_set),
};

// ---- the long run (section 6) ----

static const exp_entry long_set[] = {
    {"LG1T", "lg1t", false},
    {"LG2T", "lg2t", false},
    {"LG1T-RL", "lg1t-rl:cutoff=10000", false},
    {"UCRL2", "ucrl2", false},
    {"KL-UCRL", "klucrl", false},
    {"PMEVI-KLUCRL", "pmevi-klucrl", false},
    {"Opt-QL 0.99", "optimistic-q:discount=0.99", false},
    {"UCB-QL H=1", "q-learning:h=1", false},
    {"MDP-OOMD", "mdp-oomd:" LONG_BATCH, false},
    {"Random", "random", false},
    ORACLES,
};

#define LONG_PANEL(name_, env_)                                                                    \
    {                                                                                              \
        .name = name_, .env = env_, .horizon = 1000000, .instances = 20, .quick_instances = 4,     \
        EXP_AVERAGE, .entries = long_set, .entry_count = EXP_COUNT(long_set)                       \
    }

static const exp_panel long_run[] = {
    LONG_PANEL("riverswim-5", "riverswim:states=5"),
    LONG_PANEL("riverswim-8", "riverswim:states=8"),
    LONG_PANEL("riverswim-15", "riverswim:states=15"),
};

// ---- ours ----

static const exp_entry profile_set[] = {
    {"LG1T released", "lg1t", false},
    {"LG1T practical", "lg1t:profile=practical", false},
    {"LG1T paper", "lg1t:profile=paper", false},
    {"LG2T released", "lg2t", false},
    {"LG2T practical", "lg2t:profile=practical", false},
    {"LG2T paper", "lg2t:profile=paper", false},
    {"LG1-2T released", "lg1-2t", false},
    {"LG1-2T practical", "lg1-2t:profile=practical", false},
    {"LG1-2T paper", "lg1-2t:profile=paper", false},
    ORACLES,
};

static const exp_panel profiles[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 150, profile_set),
    TITLED("frozen-10", "Synthetic MDPs, S = 10, frozen noise", SYNTHETIC_10 ",frozen=1", 1000, 150,
           profile_set),
    PANEL("riverswim-5", "riverswim:states=5", 100, 100, profile_set),
    TITLED("riverswim-5-printed", "JumpRiverSwim, S = 5, as printed",
           "riverswim:states=5,variant=printed", 100, 100, profile_set),
};

static const exp_entry depths_set[] = {
    {"K=1 practical", "lgkt:k=1", false},
    {"K=2 practical", "lgkt:k=2", false},
    {"K=3 practical", "lgkt:k=3", false},
    {"K=5 practical", "lgkt:k=5", false},
    {"K=1 paper", "lgkt:k=1,profile=paper", false},
    {"K=2 paper", "lgkt:k=2,profile=paper", false},
    {"K=3 paper", "lgkt:k=3,profile=paper", false},
    {"K=5 paper", "lgkt:k=5,profile=paper", false},
    {"Random", "random", false},
    ORACLES,
};

static const exp_panel depth[] = {PANEL("synthetic-10", SYNTHETIC_10, 1000, 60, depths_set)};

static const exp_entry range_set[] = {
    {"LG2T", "lg2t", false},
    {"UCRL2", "ucrl2", false},
    {"UCRL2 [0,1]", "ucrl2:reward-min=0,reward-max=1", false},
    {"KL-UCRL", "klucrl", false},
    {"KL-UCRL [0,1]", "klucrl:reward-min=0,reward-max=1", false},
    {"Opt-QL 0.9", "optimistic-q:discount=0.9", false},
    {"Opt-QL 0.9 [0,1]", "optimistic-q:discount=0.9,reward-min=0,reward-max=1", false},
    {"UCB-QL H=1", "q-learning:h=1", false},
    {"UCB-QL H=1 [0,1]", "q-learning:h=1,reward-min=0,reward-max=1", false},
    ORACLES,
};

static const exp_panel reward_range[] = {
    PANEL("synthetic-10", SYNTHETIC_10, 1000, 100, range_set),
    PANEL("synthetic-100", SYNTHETIC_100, 1000, 20, range_set),
};

static const exp_experiment experiments[] = {
    EXP_EXPERIMENT("synthetic-10", "Synthetic MDPs, S = 10, A = 5", "figure 1 left", synthetic_10),
    EXP_EXPERIMENT("synthetic-100", "Synthetic MDPs, S = 100, A = 25", "figure 1 right",
                   synthetic_100),
    EXP_EXPERIMENT("riverswim-5", "JumpRiverSwim, S = 5", "figure 2", riverswim_5),
    EXP_EXPERIMENT("riverswim-8", "JumpRiverSwim, S = 8", "figure 2", riverswim_8),
    EXP_EXPERIMENT("riverswim-15", "JumpRiverSwim, S = 15", "figure 2", riverswim_15),
    EXP_EXPERIMENT("frozenlake", "FrozenLake 4x4 without end", "figure 3 left", frozenlake),
    EXP_EXPERIMENT("trading", "Trading on hourly prices", "figure 3 right", trading),
    EXP_EXPERIMENT("adaptive-threshold", "Thresholds that rise", "appendix E.3",
                   adaptive_threshold),
    EXP_EXPERIMENT("adaptive-k", "When to look two steps ahead", "appendix E.4", adaptive_k),
    EXP_EXPERIMENT("theory-version", "The uniform fallback of the theory", "appendix E.5",
                   theory_version),
    EXP_EXPERIMENT("ablation-threshold", "Fixed thresholds", "appendix E.6", ablation_threshold),
    EXP_EXPERIMENT("value-ratio", "What K steps of lookahead are worth", "section 5.1",
                   value_ratio),
    EXP_EXPERIMENT("regret-growth", "Growth of regret to the thresholding policy",
                   "theorems 4.2, 4.4, F.1", regret_growth),
    EXP_EXPERIMENT("long-run", "A million steps of JumpRiverSwim", "section 6", long_run),
    EXP_EXPERIMENT("profiles", "Released, practical and printed algorithm", "ours", profiles),
    EXP_EXPERIMENT("depth", "Deeper lookahead", "ours", depth),
    EXP_EXPERIMENT("reward-range", "Baselines with and without the true reward range", "ours",
                   reward_range),
};

const exp_experiment *exp_experiment_at(int32_t i)
{
    const int32_t papers = EXP_COUNT(experiments);
    const int32_t before_arena = papers + exp_beyond_count;
    if (i < 0 || i >= before_arena + exp_arena_count)
        return NULL;
    return i < papers         ? &experiments[i]
           : i < before_arena ? &exp_beyond[i - papers]
                              : &exp_arena[i - before_arena];
}

const exp_experiment *exp_experiment_find(const char *name)
{
    const exp_experiment *experiment;
    for (int32_t i = 0; (experiment = exp_experiment_at(i)) != NULL; i++)
        if (strcmp(experiment->name, name) == 0)
            return experiment;
    return NULL;
}

static const char *const groups[] = {"all", "paper", "beyond", "arena"};
enum { ALL, PAPER, BEYOND, ARENA };

const char *exp_group_at(int32_t i)
{
    return i >= 0 && i < EXP_COUNT(groups) ? groups[i] : NULL;
}

bool exp_name_covers(const char *name, const exp_experiment *experiment)
{
    int group = PAPER;
    for (int32_t i = 0; i < exp_beyond_count; i++)
        if (&exp_beyond[i] == experiment)
            group = BEYOND;
    for (int32_t i = 0; i < exp_arena_count; i++)
        if (&exp_arena[i] == experiment)
            group = ARENA;
    return strcmp(name, experiment->name) == 0 || strcmp(name, groups[ALL]) == 0 ||
           strcmp(name, groups[group]) == 0;
}
