// SPDX-License-Identifier: MIT
// The arena: every learner at its defaults on every environment that people know, for runs of 1000
// to 200000 steps, told the range of the rewards and not. scripts/arena draws the results.
//
// All of it costs about 35 minutes of one processor. For that two things are left out: the three
// dearest learners on large models (up to 5 ms a step), and, for T = 200000, learners that cost
// more than 5 us a step on models of that size. The list of learners goes from cheap to dear, and a
// panel has a beginning of it. The environments are those with a known gain in the literature's
// definitions, the six of the paper, some with hidden state, and trading, which has no score.
// (CliffWalking with Gymnasium's reward of -1 for the goal is not there: no safe policy is better
// than another.)
//
// UCBVI has bonuses a hundred times smaller than printed, as in catalog_beyond.c. Q-greedy is there
// twice: as it is often written down first, and as strong as it gets, with an optimistic start.

#include "experiments/catalog_parts.h"

#include <stddef.h>

static const exp_entry learners[] = {
    // at most 5 us a step on most large models
    {"Auto", "auto", false},
    {"Auto-1", "auto-1", false},
    {"Plug-in K=5", "plugin:k=5", false},
    {"LG1T", "lg1t", false},
    {"LG2T", "lg2t", false},
    {"LG1-2T-adaptive", "lg1-2t-adaptive", false},
    {"UCB", "ucb", false},
    {"Q-greedy", "q-greedy", false},
    {"Q-greedy opt", "q-greedy:epsilon=0,start=optimistic,step=power", false},
    {"SARSA", "sarsa", false},
    {"Q-differential", "q-differential", false},
    {"Opt-QL 0.99", "optimistic-q", false},
    {"UCB-QL H=10", "q-learning", false},
    {"MDP-OOMD", "mdp-oomd", false},
    {"UCRL2", "ucrl2", false},
    {"KL-UCRL", "klucrl", false},
    {"R-max", "r-max", false},
    // the same on small ones
    {"PMEVI-KLUCRL", "pmevi-klucrl", false},
    {"UCRL2B", "ucrl2b", false},
    {"UCRL3", "ucrl3", false},
    {"PSRL", "psrl", false},
    {"IMED-RL", "imed-rl", false},
    {"BEB", "beb", false},
    // more
    {"UCBVI 0.01", "ucbvi:bonus=0.01", false},
    {"PSRL-optimistic", "psrl-optimistic", false},
    {"MBIE-EB", "mbie-eb", false},
};
// how many of them, from the beginning
enum { ALL = EXP_COUNT(learners), CHEAP = 17, FAIR = 23 };

// instances, learners, and learners for T = 200000
enum { SMALL_N = 20, SMALL_ALL = ALL, SMALL_LONG = FAIR }; // up to 60 states and 100 pairs
enum { MIDDLE_N = 8, MIDDLE_ALL = ALL, MIDDLE_LONG = CHEAP };
enum { LARGE_N = 4, LARGE_ALL = FAIR, LARGE_LONG = CHEAP }; // 400 states, or 2500 pairs
enum { LONG_N = 4 };

#define ENVIRONMENTS(P)                                                                            \
    P("riverswim-sl-6", "riverswim:variant=sl,states=6", SMALL),                                   \
        P("riverswim-sl-20", "riverswim:variant=sl,states=20", SMALL),                             \
        P("riverswim-edge-6", "riverswim:variant=sl,states=6,reward-on=edge", SMALL),              \
        P("riverswim-osband-6", "riverswim:variant=osband,states=6", SMALL),                       \
        P("riverswim-osband-20", "riverswim:variant=osband,states=20", SMALL),                     \
        P("riverswim-osband-50", "riverswim:variant=osband,states=50", SMALL),                     \
        P("sixarms", "sixarms", SMALL), P("chain-5-0.2", "chain:states=5,slip=0.2", SMALL),        \
        P("chain-5-0.1", "chain:states=5,slip=0.1", SMALL),                                        \
        P("chain-10-0.2", "chain:states=10,slip=0.2", SMALL),                                      \
        P("deepsea-5", "deepsea:size=5", SMALL), P("deepsea-10", "deepsea:size=10", SMALL),        \
        P("deepsea-20", "deepsea:size=20", MIDDLE),                                                \
        P("deepsea-5-windy", "deepsea:size=5,windy=1", SMALL),                                     \
        P("deepsea-10-windy", "deepsea:size=10,windy=1", SMALL),                                   \
        P("deepsea-20-windy", "deepsea:size=20,windy=1", MIDDLE),                                  \
        P("lock-5x2", "lock:states=5,actions=2", SMALL),                                           \
        P("lock-10x4", "lock:states=10,actions=4", SMALL),                                         \
        P("lock-10x4-0.05", "lock:states=10,actions=4,slip=0.05", SMALL),                          \
        P("taxi", "taxi", LARGE), P("taxi-stay", "taxi:stay=1", LARGE),                            \
        P("cliff-0", "cliffwalking:reward-goal=0", MIDDLE),                                        \
        P("cliff-10", "cliffwalking:reward-goal=10", MIDDLE),                                      \
        P("cliff-slippery-0", "cliffwalking:slippery=1,reward-goal=0", MIDDLE),                    \
        P("cliff-slippery-100", "cliffwalking:slippery=1,reward-goal=100", MIDDLE),                \
        P("fourrooms", "fourrooms", MIDDLE), P("fourrooms-certain", "fourrooms:slip=0", MIDDLE),   \
        P("fourrooms-near", "fourrooms:goal-row=7,goal-column=9", MIDDLE),                         \
        P("garnet-10x3", "garnet:states=10,actions=3,branches=3,seed=1", SMALL),                   \
        P("garnet-10x5", "garnet:states=10,actions=5,branches=2,seed=1", SMALL),                   \
        P("garnet-100x5-1", "garnet:states=100,actions=5,branches=5,seed=1", MIDDLE),              \
        P("garnet-100x5-2", "garnet:states=100,actions=5,branches=5,seed=2", MIDDLE),              \
        P("garnet-100x25", "garnet:states=100,actions=25,branches=5,seed=1", LARGE),               \
        P("inventory-20", "inventory", MIDDLE),                                                    \
        P("inventory-20-cheap", "inventory:holding-cost=0.1,price=4", MIDDLE),                     \
        P("inventory-50",                                                                          \
          "inventory:capacity=50,order-cost=10,holding-cost=0.1,price=4,demand=10", LARGE),        \
        P("admission-0.8", "admission", SMALL),                                                    \
        P("admission-0.5", "admission:arrival-rate=0.5", SMALL),                                   \
        P("admission-1.2", "admission:arrival-rate=1.2,fee=10,capacity=30", SMALL),                \
        P("replacement-10", "replacement", SMALL),                                                 \
        P("replacement-10-dear", "replacement:cost=2", SMALL),                                     \
        P("replacement-20", "replacement:states=20,wear=0.4,wear-two=0,cost=1", SMALL),            \
        P("synthetic-10x5", "synthetic:states=10,actions=5", SMALL),                               \
        P("synthetic-100x25", "synthetic:states=100,actions=25", LARGE),                           \
        P("jumpriverswim-5", "riverswim:states=5", SMALL),                                         \
        P("jumpriverswim-8", "riverswim:states=8", SMALL),                                         \
        P("jumpriverswim-15", "riverswim:states=15", SMALL), P("frozenlake", "frozenlake", SMALL), \
        P("merged-riverswim", "merged:of=(riverswim:variant=sl,states=6),states=3", SMALL),        \
        P("merged-garnet", "merged:of=(garnet:states=10,actions=3,branches=3,seed=1),states=5",    \
          SMALL),                                                                                  \
        P("merged-replacement", "merged:of=(replacement:states=20),states=10", SMALL)

#define PANEL(name_, env_, horizon_, instances_, count_, metric_, untold_)                         \
    {                                                                                              \
        .name = name_, .env = env_, .horizon = horizon_, .instances = instances_,                  \
        .quick_instances = 1, metric_, .entries = learners, .entry_count = count_,                 \
        .untold = untold_                                                                          \
    }
#define SCORED(name_, env_, horizon_, size_, untold_)                                              \
    PANEL(name_, env_, horizon_, size_##_N, size_##_ALL, EXP_AVERAGE, untold_)
#define TRADING(horizon_, untold_)                                                                 \
    PANEL("trading", "trading", horizon_, MIDDLE_N, ALL, EXP_CUMULATIVE, untold_)

#define TOLD_1000(name_, env_, size_)    SCORED(name_, env_, 1000, size_, false)
#define TOLD_5000(name_, env_, size_)    SCORED(name_, env_, 5000, size_, false)
#define TOLD_20000(name_, env_, size_)   SCORED(name_, env_, 20000, size_, false)
#define UNTOLD_5000(name_, env_, size_)  SCORED(name_, env_, 5000, size_, true)
#define UNTOLD_20000(name_, env_, size_) SCORED(name_, env_, 20000, size_, true)
#define TOLD_200000(name_, env_, size_)                                                            \
    PANEL(name_, env_, 200000, LONG_N, size_##_LONG, EXP_AVERAGE, false)

static const exp_panel told_1000[] = {ENVIRONMENTS(TOLD_1000), TRADING(1000, false)};
static const exp_panel told_5000[] = {ENVIRONMENTS(TOLD_5000), TRADING(5000, false)};
static const exp_panel told_20000[] = {ENVIRONMENTS(TOLD_20000), TRADING(20000, false)};
static const exp_panel told_200000[] = {ENVIRONMENTS(TOLD_200000)};
static const exp_panel untold_5000[] = {ENVIRONMENTS(UNTOLD_5000), TRADING(5000, true)};
static const exp_panel untold_20000[] = {ENVIRONMENTS(UNTOLD_20000), TRADING(20000, true)};

const exp_experiment exp_arena[] = {
    EXP_EXPERIMENT("arena-1000", "The arena, T = 1000", "ours", told_1000),
    EXP_EXPERIMENT("arena-5000", "The arena, T = 5000", "ours", told_5000),
    EXP_EXPERIMENT("arena-20000", "The arena, T = 20000", "ours", told_20000),
    EXP_EXPERIMENT("arena-200000", "The arena, T = 200000", "ours", told_200000),
    EXP_EXPERIMENT("arena-untold-5000", "The arena, not told the rewards, T = 5000", "ours",
                   untold_5000),
    EXP_EXPERIMENT("arena-untold-20000", "The arena, not told the rewards, T = 20000", "ours",
                   untold_20000),
};
const int32_t exp_arena_count = EXP_COUNT(exp_arena);
