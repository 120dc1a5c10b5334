// SPDX-License-Identifier: MIT
// Boxes of transition laws (box.h).
//
// Intervals. p = share of a next state in n moves, var = variance of n rewards in units of their
// range R.
//
//   UCRL2B (Fruit, Pirotta and Lazaric 2020), l = ln(constant S A n/delta):
//     reward   2 sqrt(var l/n) + 6 l/n
//     entry    |q - p| <= 2 sqrt(p(1-p) l/n) + 6 l/n
//   UCRL3 (Bourel, Maillard and Talebi 2020), d0 = delta/(S A (3 + 3 S)):
//     e = (1.12/n) ln( ln(1.12 n) ln(1.2544 n) / (ln(1.12)^2 d0) )
//     b = sqrt( 2 (1 + 1/n) ln(sqrt(n+1)/d0) / n )
//     reward   min( b/2, sqrt(2 var e) + 7 e/3 )
//     entry    |p - q| <= sqrt(2 q(1-q) e) + e/3,  q - p <= b sqrt(g1(q)),  p - q <= b sqrt(g(q))
//              g(q) = (1/2-q)/ln(1/q-1), 1/4 at 1/2;  g1(q) = g(q) below 1/2, q(1-q) above
//
// The paper prints ln(n) ln(1.12 n) in e, which has no value at n = 1; published code shifts both
// by 1.12, and so does this. That code has besides 2 sqrt(n+1) in b for entries, finds the ends to
// 1e-4, and lifts the lower end at p = 1 to 0.5^(1/n) (`certain`: no proof). The entries of UCRL3
// are an interval around p; its ends are found by bisection, HALVINGS times, and the outer end of
// the last bracket is kept.
//
// Inner maximum: q = lo, and the mass that is left goes to the states in the order of u, best
// first, up to `up` each. States that were never seen share lo = 0 and one upper end, so that a run
// of them between two seen ones is a difference of two prefix sums: O(m log m) for m successors
// seen, whatever S is. The upper ends of the seen states add up to 1 or more; what rounding leaves
// goes to the best state.
//
// UCRL3 lets only some unseen states have mass (NOSS). With f(I) = the most that states I can add
// to q.u at 0 <= q <= up, sum q <= 1, and u from 0 on:
//
//   I = seen and argmax u;  while f(others) > min(kap, f(I)): add the best of the others
//   kap = 10 sp(u) |seen| / (most visits of a pair)^(2/3)
//
// I is the seen states and the best j unseen ones; f(others) falls and f(I) rises with j, so that j
// is found by doubling steps and bisection. The operator is neither monotone nor a contraction,
// because I depends on u, and value iteration may cycle. The remedy of evi.c is to let j (per row)
// only grow from some sweep on. For a fixed j this is the maximum over *all* supports of seen and j
// other states: monotone, and it moves along with u. The published code adds state numbers in place
// of masses there, so that f(others) is 0 and nothing is ever added: support `seen`.

#include "learners/model/box.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"

#define HALVINGS 50
#define STEP     1.12 // of the time scale that e_n peels off

// ---- intervals ----

double lgkt_box_level(const lgkt_box_form *form)
{
    return lgkt_log(form->states * form->actions * (3 + 3 * form->states)) - lgkt_log(form->delta);
}

double lgkt_box_bernstein(double level, double n)
{
    const double step = lgkt_log(STEP);
    const double logs = lgkt_log(STEP * n) / step * (lgkt_log(STEP * STEP * n) / step);
    return STEP / n * (lgkt_log(logs) + level);
}

double lgkt_box_laplace(double level, double n)
{
    return sqrt(2 * (1 + 1 / n) * (0.5 * lgkt_log(n + 1) + level) / n);
}

// l/n of UCRL2B
static double log_share(const lgkt_box_form *form, double n)
{
    const double pairs = form->states * form->actions;
    return fmax(0, lgkt_log(form->constant * pairs * n) - lgkt_log(form->delta)) / n;
}

double lgkt_box_reward(const lgkt_box_form *form, double n, double sd)
{
    if (form->rule == LGKT_BOX_BERNSTEIN) {
        const double share = log_share(form, n);
        return 2 * sd * sqrt(share) + 6 * share;
    }
    const double level = lgkt_box_level(form), e = lgkt_box_bernstein(level, n);
    return fmin(lgkt_box_laplace(level, n) / 2, sd * sqrt(2 * e) + 7 * e / 3);
}

static double sub_gaussian(double q)
{
    const double x = 0.5 - q;
    if (!(q > 0 && q < 1))
        return 0;
    // by its series where it is 0/0
    return fabs(x) < 1e-5 ? 0.25 - x * x / 3 : x / lgkt_log(1 / q - 1);
}

static bool is_plausible(double q, double p, double e, double b)
{
    const double gap = fabs(p - q);
    if (gap > sqrt(2 * q * (1 - q) * e) + e / 3)
        return false;
    return gap <= b * sqrt(q > p && q >= 0.5 ? q * (1 - q) : sub_gaussian(q));
}

// from p towards `end`, which is 0 or 1
static double plausible_end(double p, double end, double e, double b)
{
    if (p == end || is_plausible(end, p, e, b))
        return end;
    double in = p, out = end;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = in + (out - in) / 2;
        *(is_plausible(middle, p, e, b) ? &in : &out) = middle;
    }
    return out;
}

lgkt_ends lgkt_box_ends(const lgkt_box_form *form, double n, double p)
{
    if (form->rule == LGKT_BOX_BERNSTEIN) {
        const double share = log_share(form, n);
        const double width = 2 * sqrt(p * (1 - p) * share) + 6 * share;
        return (lgkt_ends){fmax(0, p - width), fmin(1, p + width)};
    }
    const double level = lgkt_box_level(form);
    const double e = lgkt_box_bernstein(level, n), b = lgkt_box_laplace(level, n);
    lgkt_ends ends = {plausible_end(p, 0, e, b), plausible_end(p, 1, e, b)};
    if (form->certain && p == 1)
        ends.lo = fmax(ends.lo, lgkt_exp2(-1 / n));
    return ends;
}

// ---- life ----

static const lgkt_field fields[] = {
    {LGKT_ARRAY(lgkt_boxes, unseen, PER_PAIR, SCRATCH)},
    {LGKT_ARRAY(lgkt_boxes, sorted, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(lgkt_boxes, prefix, PER_STATE, SCRATCH), LGKT_AND(1)},
    {LGKT_ARRAY(lgkt_boxes, rank, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(lgkt_boxes, items, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(lgkt_boxes, row, PER_STATE, SCRATCH)},
    {LGKT_NUMBER(lgkt_boxes, frozen, FLAG)},
    {LGKT_ARRAY(lgkt_boxes, chosen, PER_PAIR, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_boxes, scarce, REAL)},
    {LGKT_NUMBER(lgkt_boxes, freezes, TALLY)},
};

static void check(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    (void)learner;
    archive->bad |= ((const lgkt_boxes *)part)->scarce < 1;
}

const lgkt_part lgkt_boxes_part = {.fields = fields, .count = LGKT_LENGTH(fields), .visit = check};

void lgkt_boxes_set(lgkt_boxes *boxes, const lgkt_successors *counts, size_t z,
                    const lgkt_box_form *form)
{
    const lgkt_seen_row *pair = &counts->rows[z];
    const lgkt_edge *edges = lgkt_successors_edges(counts);
    lgkt_ends *ends = counts->beside;
    if (!(pair->moves > 0))
        return;
    boxes->unseen[z] = lgkt_box_ends(form, pair->moves, 0).up;
    for (int32_t e = pair->first; e >= 0; e = edges[e].other)
        ends[e] = lgkt_box_ends(form, pair->moves, edges[e].count / pair->moves);
}

// ---- order ----

static bool comes_before(const lgkt_ranked *a, const lgkt_ranked *b)
{
    return a->key < b->key || (a->key == b->key && a->id < b->id);
}

// sorts items (n) by insertion at shrinking distances: short rows by the last of them alone
static void sort(lgkt_ranked *items, int32_t n)
{
    int32_t gap = 1;
    while (gap < n / 9)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int32_t i = gap; i < n; i++) {
            const lgkt_ranked item = items[i];
            int32_t j = i;
            for (; j >= gap && comes_before(&item, &items[j - gap]); j -= gap)
                items[j] = items[j - gap];
            items[j] = item;
        }
}

void lgkt_boxes_order(lgkt_boxes *boxes, const double *u, int32_t states)
{
    for (int32_t s = 0; s < states; s++)
        boxes->items[s] = (lgkt_ranked){-u[s], s};
    const lgkt_ranked *sorted = boxes->items;
    sort(boxes->items, states);
    boxes->states = states;
    boxes->prefix[0] = 0;
    for (int32_t k = 0; k < states; k++) {
        boxes->rank[sorted[k].id] = k;
        boxes->sorted[k] = u[sorted[k].id];
        boxes->prefix[k + 1] = boxes->prefix[k] + boxes->sorted[k];
    }
}

void lgkt_boxes_freeze(lgkt_boxes *boxes, int32_t actions)
{
    memset(boxes->chosen, 0, (size_t)boxes->states * (size_t)actions * sizeof *boxes->chosen);
    boxes->frozen = true;
    boxes->freezes += boxes->support != LGKT_SUPPORT_WHOLE;
}

// ---- the inner maximum ----

// a row that is gathered in boxes->row
typedef struct box_row {
    const lgkt_boxes *boxes;
    int32_t seen; // successors
    double unseen;
} box_row;

// what a mass may be poured into: the seen states, up to their upper ends (or what these are above
// the lower ones), and unseen ones by their number in the order of u
typedef struct vessel {
    bool seen, above;
    int32_t first, end; // unseen ones: first .. end-1
} vessel;

// q.u of a mass that is poured into the best states first; *mass is what is left
static double pour(const box_row *row, vessel into, double *mass)
{
    const lgkt_boxes *boxes = row->boxes;
    double value = 0;
    int32_t rank = 0, passed = 0; // states and unseen ones passed
    for (int32_t i = 0; i <= row->seen && *mass > 0; i++) {
        const bool last = i == row->seen;
        const lgkt_box_seen *seen = &boxes->row[i];
        // the unseen ones up to it
        const int32_t run = (last ? boxes->states : seen->rank) - rank;
        const int32_t from = into.first > passed ? into.first - passed : 0;
        const int32_t to = into.end - passed < run ? into.end - passed : run;
        if (to > from) {
            const double *prefix = boxes->prefix + rank;
            const double whole = floor(*mass / row->unseen);
            if (whole >= to - from) {
                value += row->unseen * (prefix[to] - prefix[from]);
                *mass = fmax(0, *mass - row->unseen * (to - from));
            } else {
                const int32_t at = from + (int32_t)whole;
                value += row->unseen * (prefix[at] - prefix[from]);
                value += fmax(0, *mass - row->unseen * whole) * boxes->sorted[rank + at];
                *mass = 0;
            }
        }
        if (last)
            break;
        if (into.seen) {
            const double most = seen->ends.up - (into.above ? seen->ends.lo : 0);
            const double share = fmin(*mass, most);
            value += share * seen->value;
            *mass -= share;
        }
        rank = seen->rank + 1;
        passed += run;
    }
    return value;
}

// max q.u with mass on the seen states and the best unseen ones
static double maximum(const box_row *row, int32_t unseen)
{
    const lgkt_boxes *boxes = row->boxes;
    double mass = 1, value = 0;
    for (int32_t i = 0; i < row->seen; i++) {
        mass -= boxes->row[i].ends.lo;
        value += boxes->row[i].ends.lo * boxes->row[i].value;
    }
    mass = fmax(0, mass);
    value += pour(row, (vessel){.seen = true, .above = true, .end = unseen}, &mass);
    return fmin(value + mass * boxes->sorted[0], boxes->sorted[0]);
}

// whether the best `unseen` states are enough
static bool is_enough(const box_row *row, double kap, int32_t unseen)
{
    const int32_t all = row->boxes->states - row->seen;
    double mass = 1, rest = 1;
    const double others = pour(row, (vessel){.first = unseen, .end = all}, &rest);
    return !(others > kap) && !(others > pour(row, (vessel){.seen = true, .end = unseen}, &mass));
}

// how many unseen states may have mass
static int32_t noss(const box_row *row, double kap, int32_t least)
{
    int32_t all = row->boxes->states - row->seen, few = least, step = 1;
    while (few < all && !is_enough(row, kap, few)) {
        least = few + 1;
        few += step;
        step *= 2;
    }
    // the first that is enough is in least .. few, or all there are
    few = few < all ? few : all;
    while (least < few) {
        const int32_t middle = least + (few - least) / 2;
        if (is_enough(row, kap, middle))
            few = middle;
        else
            least = middle + 1;
    }
    return few;
}

double lgkt_boxes_max(lgkt_boxes *boxes, const lgkt_successors *counts, size_t z, double *most)
{
    const lgkt_edge *edges = lgkt_successors_edges(counts);
    const lgkt_ends *ends = counts->beside;
    box_row row = {.boxes = boxes, .unseen = boxes->unseen[z]};
    // a state that became known after the order has no place in it yet
    for (int32_t e = counts->rows[z].first; e >= 0; e = edges[e].other)
        if (edges[e].next < boxes->states)
            boxes->items[row.seen++] = (lgkt_ranked){boxes->rank[edges[e].next], e};
    const lgkt_ranked *by_rank = boxes->items;
    sort(boxes->items, row.seen);
    for (int32_t i = 0; i < row.seen; i++) {
        const int32_t rank = (int32_t)by_rank[i].key;
        boxes->row[i] = (lgkt_box_seen){rank, boxes->sorted[rank], ends[by_rank[i].id]};
    }
    const int32_t all = boxes->states - row.seen;
    const double whole = maximum(&row, all);
    if (most != NULL)
        *most = whole;
    if (boxes->support == LGKT_SUPPORT_WHOLE)
        return whole;

    // the best state of all, if it was never seen
    int32_t unseen = boxes->row[0].rank > 0;
    if (boxes->support == LGKT_SUPPORT_NOSS)
        unseen = noss(&row, 10 * boxes->sorted[0] * row.seen / boxes->scarce, unseen);
    if (boxes->frozen) {
        if (boxes->chosen[z] > unseen)
            unseen = boxes->chosen[z] < all ? boxes->chosen[z] : all;
        boxes->chosen[z] = unseen;
    }
    return unseen < all ? maximum(&row, unseen) : whole;
}
