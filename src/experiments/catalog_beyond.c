// SPDX-License-Identifier: MIT
// Experiments beyond the paper: the learner `auto-1` and plug-in lookahead, which are ours.
//
// beyond-six-T are the six environments of the paper with everything there is: our learners, the
// paper's family, all baselines and oracles. Every learner is told its horizon, so each T has runs
// of its own. beyond-fresh are environments that were not used to choose the default, beyond-scale
// three of the six with rewards in other units, beyond-parts the six with parts of `auto-1` off.
//
// UCBVI has bonuses a hundred times smaller than printed: with those it plays at random for most of
// 20000 steps.
//
// One instance of synthetic-100 costs about as much as ten of the others, so it has fewer where T
// is long.

#include "experiments/catalog_parts.h"

#include <stddef.h>

#define T 20000

#define OURS                                                                                       \
    {"Auto-1", "auto-1", false},                                                                   \
    {                                                                                              \
        "Plug-in K=5", "plugin:k=5", false                                                         \
    }

#define MORE_OF_OURS                                                                               \
    {"Plug-in K=10", "plugin:k=10,threshold=none", false},                                         \
    {                                                                                              \
        "Plug-in K auto", "plugin:k=auto", false                                                   \
    }

#define ORACLES                                                                                    \
    {"1-step greedy", "kstep:k=1", true}, {"2-step greedy", "kstep:k=2", true},                    \
    {                                                                                              \
        "Optimal", "optimal", true                                                                 \
    }

#define TITLED(name_, title_, env_, horizon_, instances_, quick_, entries_)                        \
    {                                                                                              \
        .name = name_, .title = title_, .env = env_, .horizon = horizon_, .instances = instances_, \
        .quick_instances = quick_, EXP_AVERAGE, .entries = entries_,                               \
        .entry_count = EXP_COUNT(entries_)                                                         \
    }

// ---- the six environments ----

static const exp_entry all_set[] = {
    OURS,
    MORE_OF_OURS,
    {"LG1T", "lg1t", false},
    {"LG2T", "lg2t", false},
    {"LG1-2T 100", "lg1-2t:cutoff=100", false},
    {"LG1-2T 3000", "lg1-2t:cutoff=3000", false},
    {"LG1-2T 10000", "lg1-2t:cutoff=10000", false},
    {"LG1-2T-adaptive", "lg1-2t-adaptive", false},
    {"LG1T-I", "lg1t-i", false},
    {"LG2T-I", "lg2t-i", false},
    {"LG1T-uniform", "lg1t-uniform", false},
    {"LG2T-uniform", "lg2t-uniform", false},
    {"LG1T-RL", "lg1t-rl:cutoff=10000", false},
    {"UCRL2", "ucrl2", false},
    {"KL-UCRL", "klucrl", false},
    {"PMEVI-UCRL2", "pmevi-ucrl2", false},
    {"PMEVI-KLUCRL", "pmevi-klucrl", false},
    {"Opt-QL 0.9", "optimistic-q:discount=0.9", false},
    {"Opt-QL 0.99", "optimistic-q:discount=0.99", false},
    {"UCB-QL H=1", "q-learning:h=1", false},
    {"UCB-QL H=10", "q-learning:h=10", false},
    {"MDP-OOMD", "mdp-oomd:b=4,n=2", false},
    {"MDP-OOMD 30", "mdp-oomd:b=30,n=10", false},
    {"UCB", "ucb", false},
    {"UCBVI 0.01", "ucbvi:bonus=0.01", false},
    {"Random", "random", false},
    ORACLES,
};

// panels without a title have that of the paper's experiment
#define SIX(horizon_, instances_, quick_, large_, large_quick_)                                    \
    TITLED("synthetic-10", NULL, "synthetic:states=10,actions=5", horizon_, instances_, quick_,    \
           all_set),                                                                               \
        TITLED("synthetic-100", NULL, "synthetic:states=100,actions=25", horizon_, large_,         \
               large_quick_, all_set),                                                             \
        TITLED("riverswim-5", NULL, "riverswim:states=5", horizon_, instances_, quick_, all_set),  \
        TITLED("riverswim-8", NULL, "riverswim:states=8", horizon_, instances_, quick_, all_set),  \
        TITLED("riverswim-15", NULL, "riverswim:states=15", horizon_, instances_, quick_,          \
               all_set),                                                                           \
        TITLED("frozenlake", NULL, "frozenlake", horizon_, instances_, quick_, all_set)

static const exp_panel six_1000[] = {SIX(1000, 400, 60, 400, 20)};
static const exp_panel six_5000[] = {SIX(5000, 400, 30, 400, 8)};
static const exp_panel six_20000[] = {SIX(20000, 400, 16, 400, 4)};
static const exp_panel six_200000[] = {SIX(200000, 40, 2, 20, 2)};

// ---- fresh environments ----

#define FRESH_SET                                                                                  \
    OURS, {"LG1T", "lg1t", false}, {"LG2T", "lg2t", false},                                        \
        {"LG1-2T-adaptive", "lg1-2t-adaptive", false}, {"UCRL2", "ucrl2", false},                  \
        {"KL-UCRL", "klucrl", false}, {"PMEVI-KLUCRL", "pmevi-klucrl", false},                     \
        {"Opt-QL 0.9", "optimistic-q:discount=0.9", false},                                        \
        {"UCB-QL H=1", "q-learning:h=1", false}, {"UCB", "ucb", false},                            \
    {                                                                                              \
        "Random", "random", false                                                                  \
    }

static const exp_entry fresh_set[] = {FRESH_SET, ORACLES};
// no oracles: there is no model
static const exp_entry fresh_trading_set[] = {FRESH_SET};

#define FRESH(name_, title_, env_, instances_, quick_)                                             \
    TITLED(name_, title_, env_, T, instances_, quick_, fresh_set)

#define FRESH_SYNTHETIC(states_, actions_, c_, instances_, quick_)                                 \
    FRESH("synthetic-" states_ "x" actions_ "-" c_,                                                \
          "Synthetic MDPs, S = " states_ ", A = " actions_ ", concentration " c_,                  \
          "synthetic:states=" states_ ",actions=" actions_ ",concentration=" c_, instances_,       \
          quick_)

static const exp_panel fresh[] = {
    FRESH("riverswim-6", "JumpRiverSwim, S = 6", "riverswim:states=6", 100, 8),
    FRESH("riverswim-10", "JumpRiverSwim, S = 10", "riverswim:states=10", 100, 8),
    FRESH("riverswim-20", "JumpRiverSwim, S = 20", "riverswim:states=20", 100, 8),
    FRESH("riverswim-30", "JumpRiverSwim, S = 30", "riverswim:states=30", 100, 8),
    FRESH("frozenlake-8x8", "FrozenLake 8x8 without end", "frozenlake:map=8x8", 100, 8),
    FRESH_SYNTHETIC("20", "3", "0.01", 100, 8),
    FRESH_SYNTHETIC("20", "3", "0.1", 100, 8),
    FRESH_SYNTHETIC("20", "3", "1", 100, 8),
    FRESH_SYNTHETIC("50", "10", "0.01", 100, 4),
    FRESH_SYNTHETIC("50", "10", "0.1", 100, 4),
    FRESH_SYNTHETIC("50", "10", "1", 100, 4),
    FRESH_SYNTHETIC("200", "5", "0.01", 40, 2),
    FRESH_SYNTHETIC("200", "5", "0.1", 40, 2),
    FRESH_SYNTHETIC("200", "5", "1", 40, 2),
    FRESH("linear-gap", "Linear gap of Theorem 3.4, K = 4", "linear-gap:k=4", 100, 8),
    FRESH("linear-gap-noisy", "Linear gap, K = 4, noisy rewards", "linear-gap:k=4,sd=0.5", 100, 8),
    FRESH("random-mdp", "RandomMDP of Wei et al.",
          "synthetic:states=6,actions=2,rewards=tenths,rows=uniform,sd=0", 100, 8),
    {.name = "trading",
     .env = "trading",
     .horizon = T,
     .instances = 100,
     .quick_instances = 8,
     EXP_CUMULATIVE,
     .entries = fresh_trading_set,
     .entry_count = EXP_COUNT(fresh_trading_set)},
};

// ---- rewards in other units ----

static const exp_entry scale_set[] = {
    OURS,
    {"LG1T", "lg1t", false},
    {"LG2T", "lg2t", false},
    {"UCRL2", "ucrl2", false},
    {"Random", "random", false},
    ORACLES,
};

#define SCALE(name_, title_, env_)                                                                 \
    TITLED(name_, title_, env_, T, 100, 8, scale_set),                                             \
        TITLED(name_ "-scaled", title_ ", 100 r - 50", "scaled:by=100,shift=-50,of=(" env_ ")", T, \
               100, 8, scale_set)

static const exp_panel scale[] = {
    SCALE("synthetic-10", "Synthetic MDPs, S = 10, A = 5", "synthetic:states=10,actions=5"),
    SCALE("riverswim-8", "JumpRiverSwim, S = 8", "riverswim:states=8"),
    SCALE("frozenlake", "FrozenLake 4x4 without end", "frozenlake"),
};

// ---- what the parts of auto-1 are worth ----

static const exp_entry parts_set[] = {
    {"Auto-1", "auto-1", false},
    {"visits 1", "auto-1:visits=1", false},
    {"visits 100", "auto-1:visits=100", false},
    {"never shrunk", "auto-1:limit=0", false},
    {"fully shrunk", "auto-1:limit=1000000", false},
    {"no pull", "auto-1:pull=0", false},
    {"pull 10", "auto-1:pull=10", false},
    {"depth 10", "auto-1:growth=0", false},
    {"depth 3", "auto-1:depth=3,growth=0", false},
    {"depth 100", "auto-1:depth=100,growth=0", false},
    {"refresh 1", "auto-1:refresh=1", false},
    {"refresh 16", "auto-1:refresh=16", false},
    {"Optimal", "optimal", true},
};

#define PARTS(name_, title_, env_, instances_, quick_)                                             \
    TITLED(name_, title_, env_, T, instances_, quick_, parts_set)

static const exp_panel parts[] = {
    PARTS("synthetic-10", NULL, "synthetic:states=10,actions=5", 200, 8),
    PARTS("synthetic-100", NULL, "synthetic:states=100,actions=25", 40, 2),
    PARTS("riverswim-5", NULL, "riverswim:states=5", 200, 8),
    PARTS("riverswim-8", NULL, "riverswim:states=8", 200, 8),
    PARTS("riverswim-15", NULL, "riverswim:states=15", 200, 8),
    PARTS("frozenlake", NULL, "frozenlake", 200, 8),
    PARTS("frozenlake-dry", "FrozenLake 4x4 without slipping", "frozenlake:slippery=0", 200, 8),
};

const exp_experiment exp_beyond[] = {
    EXP_EXPERIMENT("beyond-six-1000", "All learners, T = 1000", "ours", six_1000),
    EXP_EXPERIMENT("beyond-six-5000", "All learners, T = 5000", "ours", six_5000),
    EXP_EXPERIMENT("beyond-six-20000", "All learners, T = 20000", "ours", six_20000),
    EXP_EXPERIMENT("beyond-six-200000", "All learners, T = 200000", "ours", six_200000),
    EXP_EXPERIMENT("beyond-fresh", "Environments not used to choose the default", "ours", fresh),
    EXP_EXPERIMENT("beyond-scale", "Rewards in other units", "ours", scale),
    EXP_EXPERIMENT("beyond-parts", "What the parts of the default are worth", "ours", parts),
};
const int32_t exp_beyond_count = EXP_COUNT(exp_beyond);
