// SPDX-License-Identifier: MIT
// Posterior laws of tabular models: independent pairs, Dirichlet rows, conjugate mean rewards.
//
// Rewards, n of them of one pair with mean xbar and sum of squared deviations SS, in the units x of
// rewards.h; R is the told range of the means, else what was seen (ng-free: always; 1 while
// all are the same):
//
//   ng        normal with unknown mean and precision: normal-gamma with m0 = the middle of the
//             range, k0 = a0 = 1, b0 = R^2/12;
//             k = k0 + n, m = (k0 m0 + n xbar)/k, a = a0 + n/2,
//             b = b0 + SS/2 + k0 n (xbar - m0)^2/(2k);
//             lambda = Gamma(a)/b, mean = m + Z/sqrt(k lambda)
//   ng-free   the same with m0 = mean and b0 = variance of all rewards so far
//   beta      y = (x - low)/R within [0, 1] counts as 1 with probability y, else 0;
//             mean = low + R Beta(1 + ones, 1 + n - ones)
//   normal    noise of known sd: prior N(m0, (R/2)^2)
//
// Rows: Dirichlet((alpha + C(y))/kappa). Of the S states m were seen and k = S - m were not. The
// gamma numbers g(y) of those seen and one of shape k alpha/kappa for the others together,
// normalised, have exactly the joint law of the seen probabilities and of the mass w0 of the
// unseen. What of w0 each unseen state gets is
//
//   uniform   w0/k: the right mean and too small a variance; a base in value_iteration.h, O(m)
//   exact     Dirichlet(alpha/kappa, ..), drawn in logarithms; O(S), and S^2 A memory
//   vertex    all on one of them; O(S)
//
// With fewer than eta moves a row is drawn another way (Agrawal and Jia 2017): lower bounds
// p-(y) = phat - min(phat, sqrt(3 phat ln(4S)/n) + 3 ln(4S)/n), the rest on one state of all.
//
// Cost: a draw takes a gamma number per successor and four more per row. A row that was never left
// has base 1/S and needs none. Memory: 48 S A + 16 bytes per successor.

#include "learners/model/posterior.h"

#include <math.h>

#include "core/elementary.h"
#include "core/normal.h"

// what rewards in x are kept within, with some room; beyond it a loaded number was made up
#define MOST 1e101
// a gamma number of a smaller shape may be 0; 2^-1022 is (2^-53)^(1/0.0519)
#define SAFE_SHAPE 0.06

// ---- life ----

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_posterior, counts, &lgkt_successors_part)},
    {LGKT_COLUMN(lgkt_posterior, moments, PER_PAIR, lgkt_seen_moments, mean, REAL)},
    {LGKT_COLUMN(lgkt_posterior, moments, PER_PAIR, lgkt_seen_moments, squares, SQUARE)},
    {LGKT_NUMBER(lgkt_posterior, all.mean, REAL)},
    {LGKT_NUMBER(lgkt_posterior, all.squares, SQUARE)},
    {LGKT_NUMBER(lgkt_posterior, rewards, COUNT)},
    {LGKT_PART(lgkt_posterior, bounds, &lgkt_reward_bounds_part)},
    {LGKT_NUMBER(lgkt_posterior, clipped, TALLY)},
    {LGKT_ARRAY(lgkt_posterior, marks, PER_STATE, SCRATCH), LGKT_IF(lgkt_posterior, names)},
};

static bool is_possible(const lgkt_seen_moments *moments)
{
    return fabs(moments->mean) <= MOST && moments->squares >= 0;
}

static void check(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    const lgkt_posterior *post = part;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    if (archive->mode != LGKT_ARCHIVE_LOAD)
        return;
    for (size_t z = 0; z < pairs; z++)
        archive->bad |= !is_possible(&post->moments[z]);
    archive->bad |= !is_possible(&post->all);
    archive->bad |= !(fabs(post->bounds.low) <= MOST && fabs(post->bounds.high) <= MOST);
}

const lgkt_part lgkt_posterior_part = {
    .fields = fields, .count = LGKT_LENGTH(fields), .visit = check};

int64_t lgkt_posterior_size(const lgkt_learner *learner, const lgkt_posterior *post, int32_t states,
                            int64_t seen)
{
    const double pairs = (double)states * (double)learner->problem.actions;
    double size = (double)seen;
    if (post->split == LGKT_SPLIT_EXACT)
        size = pairs * (double)states;
    if (post->split == LGKT_SPLIT_VERTEX || post->eta > 0)
        size += pairs;
    size *= post->copies;
    return size <= INT32_MAX ? (int64_t)size : INT64_MAX;
}

// ---- learning ----

double lgkt_posterior_range(const lgkt_posterior *post)
{
    const lgkt_reward_bounds *bounds = &post->bounds;
    const double told = bounds->high - bounds->low, seen = bounds->most - bounds->least;
    return told > 0 && post->law != LGKT_LAW_NG_FREE ? told : seen;
}

static double scale_of(const lgkt_posterior *post)
{
    const double range = lgkt_posterior_range(post);
    return range > 0 ? range : 1;
}

static void add_to(lgkt_seen_moments *moments, double x, double n)
{
    const double gap = x - moments->mean;
    moments->mean += gap / n;
    // below 0 only if a made-up state has a mean of no rewards
    moments->squares += fmax(0, gap * (x - moments->mean));
}

lgkt_status lgkt_posterior_learn(lgkt_learner *learner, lgkt_posterior *post, size_t z,
                                 double reward, int32_t next_state, bool ended)
{
    const double x = lgkt_reward_bounds_see(&post->bounds, reward, NULL);
    double counted = x;
    if (post->law == LGKT_LAW_BETA) {
        const double y = (x - post->bounds.low) / scale_of(post);
        counted = y > 1 ? 1 : y > 0 ? y : 0;
        post->clipped += counted != y;
        if (!post->fraction && counted > 0 && counted < 1)
            counted = lgkt_rng_bernoulli(&learner->rng, counted) ? 1 : 0;
    }
    LGKT_TRY(lgkt_successors_add_edge(learner, &post->counts, z, counted, next_state, ended));
    add_to(&post->moments[z], x, post->counts.rows[z].n);
    add_to(&post->all, x, (double)++post->rewards);
    return LGKT_OK;
}

// ---- rewards ----

// what is believed of a pair that was never played
typedef struct reward_prior {
    double middle, scale;
    double variance; // ng: b0
} reward_prior;

static reward_prior prior_of(const lgkt_posterior *post)
{
    const double scale = scale_of(post);
    reward_prior prior = {(post->bounds.low + post->bounds.high) / 2, scale, scale * scale / 12};
    if (post->law == LGKT_LAW_NG_FREE) {
        const double variance = post->rewards > 0 ? post->all.squares / (double)post->rewards : 0;
        prior.middle = post->all.mean;
        // rewards that were all the same say nothing of a scale, and none is needed
        prior.variance = variance > 0 ? variance : scale * scale;
    }
    return prior;
}

lgkt_normal_gamma lgkt_posterior_ng(const lgkt_posterior *post, size_t z)
{
    const reward_prior prior = prior_of(post);
    const double n = post->counts.rows[z].n, k = 1 + n, gap = post->moments[z].mean - prior.middle;
    const double b = prior.variance + post->moments[z].squares / 2 + n / k * gap * gap / 2;
    return (lgkt_normal_gamma){prior.middle + n / k * gap, k, 1 + n / 2, b};
}

double lgkt_posterior_reward(const lgkt_posterior *post, size_t z, lgkt_rng *rng)
{
    const double n = post->counts.rows[z].n;
    if (post->law == LGKT_LAW_BETA) {
        const double sum = post->counts.rows[z].reward, ones = sum > n ? n : sum > 0 ? sum : 0;
        const double up = lgkt_gamma_fast(rng, 1 + ones), down = lgkt_gamma_fast(rng, 1 + n - ones);
        return post->bounds.low + scale_of(post) * (up / (up + down));
    }
    if (post->law == LGKT_LAW_NORMAL) {
        const reward_prior prior = prior_of(post);
        // by their ratio: the squares of tiny scales are 0
        const double wide = prior.scale / 2, sd = isnan(post->sd) ? wide : post->sd;
        const double ratio = sd > 0 ? sd / wide : 0, squared = ratio * ratio;
        const double known = n > 0 ? 1 / (1 + squared / n) : 0;
        const double spread = n > 0 ? wide / sqrt(1 + n / squared) : wide;
        const double gap = post->moments[z].mean - prior.middle;
        return prior.middle + known * gap + lgkt_normal_fast(rng) * spread;
    }
    const lgkt_normal_gamma ng = lgkt_posterior_ng(post, z);
    const double g = lgkt_gamma_fast(rng, ng.a);
    return ng.m + lgkt_normal_fast(rng) * sqrt(ng.b / (ng.k * g));
}

// ---- rows ----

typedef struct drawing {
    lgkt_posterior *post;
    lgkt_vi *vi;
    lgkt_rng rng;
    int32_t states;
    double alpha;  // both over kappa
    double share;  // 1/kappa
    double log_4s; // ln(4S)
    bool logs;     // shapes of seen states may be small
    int32_t at;    // the next place
} drawing;

static inline double draw_gamma(lgkt_rng *rng, double shape)
{
    return shape >= 1 ? lgkt_gamma_fast(rng, shape) : lgkt_rng_gamma(rng, shape);
}

static void put(drawing *draw, int32_t next, double weight)
{
    draw->vi->next[draw->at] = next;
    draw->vi->weight[draw->at++] = weight;
}

// numbers from their logarithms, over their sum; returns what `last` became, -INFINITY: none
static double normalise_logs(double *w, int32_t count, double last)
{
    double top = last, sum = 0;
    for (int32_t i = 0; i < count; i++)
        top = fmax(top, w[i]);
    for (int32_t i = 0; i < count; i++)
        sum += w[i] = lgkt_exp(w[i] - top);
    const double rest = last > -INFINITY ? lgkt_exp(last - top) : 0;
    for (int32_t i = 0; i < count; i++)
        w[i] /= sum + rest;
    return rest / (sum + rest);
}

// the weights of the seen states; returns the mass of the others
static double draw_seen(drawing *draw, const lgkt_seen_row *seen)
{
    const lgkt_edge *edges = lgkt_successors_edges(&draw->post->counts);
    lgkt_vi *vi = draw->vi;
    const int32_t first = draw->at;
    double sum = 0;
    for (int32_t e = seen->first; e >= 0; e = edges[e].other) {
        const double shape = edges[e].count * draw->share + draw->alpha;
        const double g =
            draw->logs ? lgkt_log_gamma(&draw->rng, shape) : draw_gamma(&draw->rng, shape);
        put(draw, edges[e].next, g);
        sum += g;
    }
    const int32_t m = draw->at - first, k = draw->states - m;
    if (m == 0)
        return 1;
    if (draw->logs)
        return normalise_logs(vi->weight + first, m,
                              k > 0 ? lgkt_log_gamma(&draw->rng, k * draw->alpha) : -INFINITY);
    const double rest = k > 0 ? draw_gamma(&draw->rng, k * draw->alpha) : 0;
    const double scale = 1 / (sum + rest);
    for (int32_t i = first; i < draw->at; i++)
        vi->weight[i] *= scale;
    return rest * scale;
}

// w0 on the k states that are not marked
static void split_named(drawing *draw, int32_t mark, int32_t k, double w0)
{
    const int32_t *marks = draw->post->marks, first = draw->at;
    if (draw->post->split == LGKT_SPLIT_VERTEX) {
        int32_t left = lgkt_rng_below(&draw->rng, k), y = 0;
        while (marks[y] == mark || left-- > 0)
            y++;
        put(draw, y, w0);
        return;
    }
    for (int32_t y = 0; y < draw->states; y++)
        if (marks[y] != mark)
            put(draw, y, lgkt_log_gamma(&draw->rng, draw->alpha));
    normalise_logs(draw->vi->weight + first, k, -INFINITY);
    for (int32_t i = first; i < draw->at; i++)
        draw->vi->weight[i] *= w0;
}

static double draw_row(drawing *draw, size_t z)
{
    lgkt_posterior *post = draw->post;
    const lgkt_seen_row *seen = &post->counts.rows[z];
    const int32_t first = draw->at;
    const double w0 = draw_seen(draw, seen);
    const int32_t m = draw->at - first, k = draw->states - m;
    if (k == 0)
        return 0;
    if (post->split == LGKT_SPLIT_UNIFORM) {
        const double share = w0 / k;
        for (int32_t i = first; i < draw->at; i++)
            draw->vi->weight[i] -= share;
        return share;
    }
    // marks of the plan before are of states that were seen then, and so are now
    for (int32_t i = first; i < draw->at; i++)
        post->marks[draw->vi->next[i]] = (int32_t)z + 1;
    split_named(draw, (int32_t)z + 1, k, w0);
    return 0;
}

// lower bounds, and the rest on one state
static void draw_low_row(drawing *draw, size_t z)
{
    const lgkt_seen_row *seen = &draw->post->counts.rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(&draw->post->counts);
    const double n = seen->moves, l = 3 * draw->log_4s / n;
    double rest = 1;
    for (int32_t e = seen->first; e >= 0; e = edges[e].other) {
        const double p = edges[e].count / n, low = fmax(0, p - (sqrt(p * l) + l));
        put(draw, edges[e].next, low);
        rest -= low;
    }
    put(draw, lgkt_rng_below(&draw->rng, draw->states), rest);
}

void lgkt_posterior_draw(lgkt_learner *learner, lgkt_posterior *post, lgkt_vi *vi)
{
    const int32_t states = learner->problem.states;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    const double alpha = isnan(post->alpha) ? 1.0 / states : post->alpha;
    drawing draw = {.post = post,
                    .vi = vi,
                    .rng = learner->rng,
                    .states = states,
                    .alpha = alpha / post->kappa,
                    .share = 1 / post->kappa,
                    .log_4s = lgkt_log(4.0 * states)};
    draw.logs = draw.share + draw.alpha < SAFE_SHAPE;
    lgkt_vi_row *row = vi->rows;
    for (size_t z = 0; z < pairs; z++) {
        double reward = -INFINITY;
        for (int32_t i = 0; i < post->copies; i++)
            reward = fmax(reward, lgkt_posterior_reward(post, z, &draw.rng));
        if (!lgkt_learner_offers(learner, z))
            reward = -INFINITY;
        for (int32_t i = 0; i < post->copies; i++, row++) {
            row->reward = reward;
            row->start = draw.at;
            row->base = 0;
            if (post->counts.rows[z].moves < post->eta)
                draw_low_row(&draw, z);
            else
                row->base = draw_row(&draw, z);
        }
    }
    row->start = draw.at;
    vi->states = states;
    learner->rng = draw.rng;
}
