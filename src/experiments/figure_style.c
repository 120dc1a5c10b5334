// SPDX-License-Identifier: MIT
// Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart,
// plus ramps for settings of one learner, which differ in lightness. Lines of one colour differ in
// their dashes. Policies that know the model are grey and dashed.
//
// Labels: with y sorted, z_i = y_i - i gap must not decrease. The nearest such sequence is the
// isotonic regression, found by pooling neighbours (pool adjacent violators); cutting it off at the
// bounds gives the nearest one within them.

#include "experiments/figure_style.h"

#include <stdlib.h>
#include <string.h>

#define SOLID  "solid"
#define DASHED "(9,5)"
#define DOTTED "(2,4)"
#define MIXED  "(9,4,2,4)"
#define SHORT  "(5,4)"

#define HEAVY  3.2
#define THICK  2.4
#define MIDDLE 1.8
#define THIN   1.4

#define ORANGE     "#e69f00"
#define VERMILLION "#d55e00"
#define BLACK      "#000000"
#define BLUE       "#0072b2"
#define SKY        "#56b4e9"
#define INDIGO     "#332288"
#define GREEN      "#009e73"
#define PURPLE     "#cc79a7"
#define WINE       "#882255"
#define GREY       "#888888"
#define DARK       "#555555"
#define MAGENTA    "#c2007a"

// settings of one learner, from low to high: warm, cool
#define W1 "#4a1a04"
#define W2 "#8c2d04"
#define W3 "#cc4c02"
#define W4 "#ec7014"
#define W5 "#fe9929"
#define W6 "#dfa32b"
#define C1 "#08306b"
#define C2 "#08519c"
#define C3 "#2171b5"
#define C4 "#4292c6"
#define C5 "#6baed6"
#define C6 "#7fb3d8"

static const exp_style styles[] = {
    // the main set
    {"LG1T", ORANGE, SOLID, THICK},
    {"LG2T", VERMILLION, SOLID, THICK},
    {"LG1-2T", BLACK, SOLID, THICK},
    {"LG1-2T 3000", BLACK, DASHED, THICK},
    {"LG1T-RL", ORANGE, DASHED, THICK},
    {"UCRL2", BLUE, SOLID, MIDDLE},
    {"KL-UCRL", SKY, SOLID, MIDDLE},
    {"PMEVI-KLUCRL", INDIGO, DASHED, MIDDLE},
    {"Opt-QL 0.9", GREEN, SOLID, MIDDLE},
    {"Opt-QL 0.99", GREEN, DASHED, MIDDLE},
    {"UCB-QL H=1", PURPLE, SOLID, MIDDLE},
    {"UCB-QL H=10", PURPLE, DASHED, MIDDLE},
    {"MDP-OOMD", WINE, MIXED, MIDDLE},
    {"Random", DARK, DOTTED, MIDDLE},
    {"1-step greedy", GREY, DOTTED, THIN},
    {"2-step greedy", GREY, SHORT, THIN},
    {"Optimal", GREY, DASHED, THIN},
    // beyond the paper
    {"Auto", MAGENTA, SOLID, HEAVY},
    {"Plug-in K=5", MAGENTA, DASHED, MIDDLE},
    {"Plug-in K=10", MAGENTA, DOTTED, MIDDLE},
    {"Plug-in K auto", MAGENTA, MIXED, MIDDLE},
    {"LG1T-I", ORANGE, DOTTED, MIDDLE},
    {"LG2T-I", VERMILLION, DOTTED, MIDDLE},
    {"PMEVI-UCRL2", INDIGO, DOTTED, MIDDLE},
    {"MDP-OOMD 30", WINE, DOTTED, MIDDLE},
    {"UCB", DARK, SOLID, MIDDLE},
    {"UCBVI 0.01", BLUE, MIXED, MIDDLE},
    // peers
    {"Auto-1", MAGENTA, SHORT, THICK},
    {"PSRL", GREEN, SOLID, THICK},
    {"PSRL-optimistic", GREEN, SHORT, MIDDLE},
    {"IMED-RL", INDIGO, SOLID, MIDDLE},
    {"UCRL2B", BLUE, SHORT, MIDDLE},
    {"UCRL3", SKY, SHORT, MIDDLE},
    {"MBIE-EB", W2, SOLID, MIDDLE},
    {"BEB", W3, SHORT, MIDDLE},
    {"R-max", W5, MIXED, MIDDLE},
    {"Q-greedy", PURPLE, DOTTED, MIDDLE},
    {"Q-greedy opt", PURPLE, SHORT, MIDDLE},
    {"SARSA", WINE, SOLID, MIDDLE},
    {"Q-differential", PURPLE, MIXED, MIDDLE},
    // parts of the default
    {"visits 1", C1, SOLID, MIDDLE},
    {"visits 100", C1, DASHED, MIDDLE},
    {"never shrunk", C2, SOLID, MIDDLE},
    {"fully shrunk", C2, DASHED, MIDDLE},
    {"no pull", C3, SOLID, MIDDLE},
    {"pull 10", C3, DASHED, MIDDLE},
    {"depth 3", C5, DASHED, MIDDLE},
    {"depth 10", C5, SOLID, MIDDLE},
    {"depth 100", C5, DOTTED, MIDDLE},
    {"refresh 1", C6, SOLID, MIDDLE},
    {"refresh 16", C6, DASHED, MIDDLE},
    // the reward range of the released code
    {"UCRL2 [0,1]", BLUE, DOTTED, MIDDLE},
    {"KL-UCRL [0,1]", SKY, DOTTED, MIDDLE},
    {"Opt-QL 0.9 [0,1]", GREEN, DOTTED, MIDDLE},
    {"UCB-QL H=1 [0,1]", PURPLE, DOTTED, MIDDLE},
    // fixed thresholds
    {"LG1T -0.1", W1, SOLID, MIDDLE},
    {"LG1T 0", W1, DASHED, MIDDLE},
    {"LG1T 0.3", W2, SOLID, MIDDLE},
    {"LG1T 0.7", W3, SOLID, MIDDLE},
    {"LG1T 1.1", W4, SOLID, MIDDLE},
    {"LG1T 1.5", W4, DASHED, MIDDLE},
    {"LG1T 1.9", W5, SOLID, MIDDLE},
    {"LG1T 2.7", W6, SOLID, MIDDLE},
    {"LG2T 0", W1, DASHED, MIDDLE},
    {"LG2T 0.3", W1, SOLID, MIDDLE},
    {"LG2T 0.9", W2, SOLID, MIDDLE},
    {"LG2T 1.5", W3, SOLID, MIDDLE},
    {"LG2T 2.1", W4, SOLID, MIDDLE},
    {"LG2T 3.0", W5, DASHED, MIDDLE},
    {"LG2T 3.3", W6, SOLID, MIDDLE},
    // rising thresholds
    {"LG1T-I 0.1", C1, SOLID, MIDDLE},
    {"LG1T-I 0.2", C2, SOLID, MIDDLE},
    {"LG1T-I 0.3", C3, SOLID, MIDDLE},
    {"LG1T-I 0.4", C4, SOLID, MIDDLE},
    {"LG1T-I 0.5", C5, SOLID, MIDDLE},
    {"LG1T-I 0.6", C6, SOLID, MIDDLE},
    {"LG2T-I 0.1", C1, SOLID, MIDDLE},
    {"LG2T-I 0.2", C2, SOLID, MIDDLE},
    {"LG2T-I 0.3", C3, SOLID, MIDDLE},
    {"LG2T-I 0.4", C4, SOLID, MIDDLE},
    {"LG2T-I 0.5", C5, SOLID, MIDDLE},
    {"LG2T-I 0.6", C6, SOLID, MIDDLE},
    // cutoffs
    {"LG1-2T 10", C1, SOLID, MIDDLE},
    {"LG1-2T 100", C2, SOLID, MIDDLE},
    {"LG1-2T 1000", C4, SOLID, MIDDLE},
    {"LG1-2T 10000", C6, SOLID, MIDDLE},
    {"LG1-2T-adaptive", BLACK, SHORT, THICK},
    // uniform fallback
    {"LG1T-U -0.1", W1, SHORT, MIDDLE},
    {"LG1T-U 0.3", W2, SHORT, MIDDLE},
    {"LG1T-U 1.1", W3, SHORT, MIDDLE},
    {"LG1T-U 1.3", W3, SHORT, MIDDLE},
    {"LG1T-U 1.9", W4, SHORT, MIDDLE},
    {"LG1T-U 2.3", W5, SHORT, MIDDLE},
    {"LG1T-U 2.7", W5, SHORT, MIDDLE},
    {"LG1T-U 3.3", W6, SHORT, MIDDLE},
    {"LG2T-U 0.3", W1, SHORT, MIDDLE},
    {"LG2T-U 0.9", W2, SHORT, MIDDLE},
    {"LG2T-U 2.1", W3, SHORT, MIDDLE},
    {"LG2T-U 2.9", W4, SHORT, MIDDLE},
    {"LG2T-U 3.3", W4, SHORT, MIDDLE},
    {"LG2T-U 4.9", W5, SHORT, MIDDLE},
    {"LG2T-U 6.9", W6, SHORT, MIDDLE},
    // growth of regret
    {"LG1T-uniform", ORANGE, SHORT, THICK},
    {"LG2T-uniform", VERMILLION, SHORT, THICK},
    {"LG2T eta/sqrt(A)", VERMILLION, DOTTED, THICK},
    {"LG3T bonus 0.02", INDIGO, SOLID, THICK},
    {"LG3T bonus 1", INDIGO, SHORT, THICK},
    // depth of lookahead
    {"K=1", ORANGE, SOLID, MIDDLE},
    {"K=2", VERMILLION, SOLID, MIDDLE},
    {"K=3", INDIGO, SOLID, MIDDLE},
    {"K=5", GREEN, SOLID, MIDDLE},
    {"K=10", BLUE, SOLID, MIDDLE},
    {"K=1 practical", ORANGE, SOLID, MIDDLE},
    {"K=2 practical", VERMILLION, SOLID, MIDDLE},
    {"K=3 practical", INDIGO, SOLID, MIDDLE},
    {"K=5 practical", GREEN, SOLID, MIDDLE},
    {"K=1 paper", ORANGE, SHORT, MIDDLE},
    {"K=2 paper", VERMILLION, SHORT, MIDDLE},
    {"K=3 paper", INDIGO, SHORT, MIDDLE},
    {"K=5 paper", GREEN, SHORT, MIDDLE},
    // profiles
    {"LG1T released", ORANGE, SOLID, MIDDLE},
    {"LG1T practical", ORANGE, DASHED, MIDDLE},
    {"LG1T paper", ORANGE, DOTTED, MIDDLE},
    {"LG2T released", VERMILLION, SOLID, MIDDLE},
    {"LG2T practical", VERMILLION, DASHED, MIDDLE},
    {"LG2T paper", VERMILLION, DOTTED, MIDDLE},
    {"LG1-2T released", BLACK, SOLID, MIDDLE},
    {"LG1-2T practical", BLACK, DASHED, MIDDLE},
    {"LG1-2T paper", BLACK, DOTTED, MIDDLE},
};

exp_style exp_style_of(const char *label)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i].label, label) == 0)
            return styles[i];
    return (exp_style){NULL, GREY, SOLID, THIN};
}

// ---- labels ----

// A run of labels that touch: the mean of their z, and how many they are.
typedef struct block {
    double mean;
    int32_t count;
} block;

typedef struct place {
    double y;
    int32_t index;
} place;

static int by_height(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : p->index - q->index;
}

void exp_spread_labels(double *y, int32_t n, double gap, double low, double high)
{
    place *z = calloc((size_t)n + 1, sizeof *z);
    block *blocks = calloc((size_t)n + 1, sizeof *blocks);
    if (z != NULL && blocks != NULL) {
        for (int32_t i = 0; i < n; i++)
            z[i] = (place){y[i], i};
        qsort(z, (size_t)n, sizeof *z, by_height);
        for (int32_t i = 0; i < n; i++)
            z[i].y -= i * gap;
        // isotonic regression of z
        int32_t top = 0;
        for (int32_t i = 0; i < n; i++) {
            blocks[top++] = (block){z[i].y, 1};
            for (; top > 1 && blocks[top - 2].mean > blocks[top - 1].mean; top--) {
                block *below = &blocks[top - 2];
                const block *above = &blocks[top - 1];
                const int32_t count = below->count + above->count;
                below->mean = (below->mean * below->count + above->mean * above->count) / count;
                below->count = count;
            }
        }
        const double highest = high - (n - 1) * gap;
        for (int32_t b = 0, i = 0; b < top; b++)
            for (int32_t k = 0; k < blocks[b].count; k++, i++) {
                const double at = blocks[b].mean > highest ? highest : blocks[b].mean;
                y[z[i].index] = (at < low ? low : at) + i * gap;
            }
    }
    // without memory the labels stay where they are
    free(z);
    free(blocks);
}
