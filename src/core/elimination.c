// SPDX-License-Identifier: MIT
// Elimination of the states of a chain without a subtraction (Grassmann, Taksar and Heyman 1985).
//
// State n goes: whoever moved to it moves on as it would have moved on. With p(n,.) the moves to
// what is left and to leave for good,
//
//     out(n) = leave(n) + sum_j p(n,j)        q(n,j) = p(n,j) / out(n)
//     p(i,j) += p(i,n) q(n,j)   j other than i        leave(i) += p(i,n) leave(n) / out(n)
//     x(n) = y(n) / out(n) + sum_j q(n,j) x(j)   solves  x = y + P x,   y(i) += p(i,n) y(n) / out(n)
//
// There is no staying in it, and no subtraction: all numbers keep their relative precision, however
// rare a passage is. A state whose row is empty when its turn comes is the root of a closed class:
// what x is there must be given; out is 1 and its row stays empty. So is one that is left after
// `patience` steps only, if asked for.
//
// Numbers are kept by blocks of the order, as by multifrontal methods: a block of m pivots and u
// neighbours is a dense (m + u, m + u) matrix, whose first m rows are kept, and of the others the
// first m columns. The rest, (u, u), is handed on to its parent, on a stack.
#include "core/chain.h"

#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

#define LARGE 0x1p400
enum { LARGE_EXPONENT = 400 };
enum { TILE = 128 }; // columns of a product at a time
enum { PANEL = 32 }; // pivots that are eliminated before the rest of their block hears of it
#define OFTEN 1e7    // multiplications between two questions whether to go on

// ---- blocks ----

// to (rows, columns) += left (rows, depth) right (depth, columns), of these strides. Two rows and
// four of `right` at a time, in pieces of columns that stay near; the order of the sums of a number
// is that of depth, whatever the pieces are.
static void add_product(double *restrict to, size_t stride, const double *restrict left,
                        size_t left_stride, const double *restrict right, size_t right_stride,
                        size_t rows, size_t depth, size_t columns)
{
    const double none[4] = {0};
    double spare[TILE] = {0};
    for (size_t first = 0; first < columns; first += TILE) {
        const size_t n = columns - first < TILE ? columns - first : TILE;
        for (size_t i = 0; i < rows; i += 2) {
            const bool two = i + 1 < rows;
            double *const restrict t = to + i * stride + first;
            double *const restrict u = two ? t + stride : spare;
            for (size_t k = 0; k < depth; k += 4) {
                const double *l = left + i * left_stride + k, *m = two ? l + left_stride : none;
                double part[2][4] = {{0}};
                const size_t deep = depth - k < 4 ? depth - k : 4;
                bool any = false;
                for (size_t d = 0; d < deep; d++) {
                    part[0][d] = l[d];
                    part[1][d] = m[d];
                    any = any || l[d] != 0 || m[d] != 0;
                }
                if (!any)
                    continue;
                // what is beyond the depth counts nothing
                const double *const r0 = right + k * right_stride + first;
                const double *const r1 = deep > 1 ? r0 + right_stride : r0;
                const double *const r2 = deep > 2 ? r1 + right_stride : r0;
                const double *const r3 = deep > 3 ? r2 + right_stride : r0;
                const double a0 = part[0][0], a1 = part[0][1], a2 = part[0][2], a3 = part[0][3];
                const double b0 = part[1][0], b1 = part[1][1], b2 = part[1][2], b3 = part[1][3];
                for (size_t j = 0; j < n; j++) {
                    t[j] = (((t[j] + a0 * r0[j]) + a1 * r1[j]) + a2 * r2[j]) + a3 * r3[j];
                    u[j] = (((u[j] + b0 * r0[j]) + b1 * r1[j]) + b2 * r2[j]) + b3 * r3[j];
                }
            }
        }
    }
}

// A block while it is eliminated: w = m + u.
typedef struct front {
    const int32_t *pivots; // (m)
    const int32_t *others; // (u)
    size_t m, u;
    double *top;  // (m, w)
    double *left; // (u, m)
    double *rest; // (u, u)
} front;

static front front_of(const lgkt_elimination *e, int32_t b)
{
    const lgkt_ordering *const order = e->order;
    front f = {.pivots = order->pivots + order->first[b], .others = order->index + order->begin[b]};
    f.m = (size_t)(order->first[b + 1] - order->first[b]);
    f.u = order->begin[b + 1] - order->begin[b];
    f.top = e->numbers + e->offset[b];
    f.left = f.top + f.m * (f.m + f.u);
    return f;
}

// eliminates pivot k: divides its row, or makes it a root
static void close_pivot(lgkt_elimination *e, const front *f, size_t k)
{
    const size_t w = f->m + f->u;
    const int32_t n = f->pivots[k];
    double *const row = f->top + k * w;
    double sum[4] = {e->leave[n]};
    for (size_t j = k + 1; j < w; j++)
        sum[j & 3] += row[j];
    const double out = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    const bool waits = e->exponent[n] > 0 && e->patience < INFINITY;
    if (out <= 0 || waits || e->time[n] > e->patience * out) {
        e->root[n] = 1;
        e->roots++;
        e->cut += out > 0;
        e->out[n] = 1;
        memset(row + k + 1, 0, (w - k - 1) * sizeof *row);
        e->leave[n] = 1;
        return;
    }
    e->root[n] = 0;
    e->out[n] = out;
    for (size_t j = k + 1; j < w; j++)
        row[j] /= out;
    e->leave[n] /= out;
    e->time[n] /= out;
    e->reward[n] /= out;
}

// What moved to pivot n from state i with probability p moves on. Time and reward of a state have an
// exponent in common, which keeps the time between 1 and about LARGE.
static inline void pass_on(lgkt_elimination *e, int32_t n, int32_t i, double p)
{
    e->leave[i] += p * e->leave[n];
    if (e->root[n])
        return;
    const int32_t more = e->exponent[n] - e->exponent[i];
    if (more > 0) {
        e->time[i] = ldexp(e->time[i], -more);
        e->reward[i] = ldexp(e->reward[i], -more);
        e->exponent[i] = e->exponent[n];
    } else if (more < 0) {
        p = ldexp(p, more);
    }
    e->time[i] += p * e->time[n];
    e->reward[i] += p * e->reward[n];
    if (e->time[i] > LARGE || (e->time[i] < 1 && e->exponent[i] > 0)) {
        const double scale = e->time[i] < 1 ? LARGE : 1 / LARGE;
        e->time[i] *= scale;
        e->reward[i] *= scale;
        e->exponent[i] += scale > 1 ? -LARGE_EXPONENT : LARGE_EXPONENT;
    }
}

// whether the caller wants no more
static bool is_over(lgkt_elimination *e, lgkt_stop stop, double work)
{
    e->work += work;
    if (e->work < OFTEN || stop.asks == NULL)
        return false;
    e->work = 0;
    return stop.asks(stop.ctx);
}

static bool eliminate_front(lgkt_elimination *e, const front *f, lgkt_stop stop)
{
    const size_t m = f->m, u = f->u, w = m + u;
    for (size_t begin = 0; begin < m; begin += PANEL) {
        const size_t end = begin + PANEL < m ? begin + PANEL : m;
        for (size_t k = begin; k < end; k++) {
            close_pivot(e, f, k);
            const double *const row = f->top + k * w;
            for (size_t i = k + 1; i < w; i++) {
                // rows of this panel are needed as a whole, of the others its columns
                const size_t until = i < end ? w : end;
                double *const to = i < m ? f->top + i * w : f->left + (i - m) * m;
                const double p = to[k];
                if (p == 0)
                    continue;
                for (size_t j = k + 1; j < until; j++)
                    to[j] += p * row[j];
                pass_on(e, f->pivots[k], i < m ? f->pivots[i] : f->others[i - m], p);
            }
        }
        const double *const right = f->top + begin * w + end;
        add_product(f->top + end * w + end, w, f->top + end * w + begin, w, right, w, m - end,
                    end - begin, w - end);
        add_product(f->left + end, m, f->left + begin, m, right, w, u, end - begin, m - end);
        add_product(f->rest, u, f->left + begin, m, f->top + begin * w + m, w, u, end - begin, u);
        if (is_over(e, stop, (double)(end - begin) * (double)(w - begin) * (double)(w - begin)))
            return false;
    }
    return true;
}

// adds what a child hands on
static void extend_add(const lgkt_elimination *e, const front *f, const front *child)
{
    const size_t m = f->m, w = f->m + f->u;
    for (size_t i = 0; i < child->u; i++) {
        const size_t at = (size_t)e->place[child->others[i]];
        const double *const from = child->rest + i * child->u;
        for (size_t j = 0; j < child->u; j++) {
            const size_t column = (size_t)e->place[child->others[j]];
            if (at < m)
                f->top[at * w + column] += from[j];
            else if (column < m)
                f->left[(at - m) * m + column] += from[j];
            else
                f->rest[(at - m) * f->u + column - m] += from[j];
        }
    }
}

// adds the moves of the chain that have a pivot at one end and nothing eliminated at the other
static void add_moves(const lgkt_elimination *e, const front *f)
{
    const lgkt_chain *const chain = e->chain;
    const size_t w = f->m + f->u;
    for (size_t k = 0; k < f->m; k++) {
        const int32_t n = f->pivots[k];
        for (size_t i = chain->begin[n]; i < chain->begin[n + 1]; i++)
            if (e->place[chain->next[i]] >= 0)
                f->top[k * w + (size_t)e->place[chain->next[i]]] += chain->p[i];
        for (size_t i = e->into[n]; i < e->into[n + 1]; i++) {
            const int32_t at = e->place[e->from[i]];
            if (at >= (int32_t)f->m)
                f->left[((size_t)at - f->m) * f->m + k] += chain->p[e->move[i]];
        }
    }
}

// ---- all blocks ----

void lgkt_elimination_release(lgkt_elimination *e, const lgkt_allocator *hooks)
{
    lgkt_free(hooks, e->numbers);
    lgkt_free(hooks, e->stack);
    lgkt_free(hooks, e->offset);
    lgkt_free(hooks, e->into);
    lgkt_free(hooks, e->from);
    lgkt_free(hooks, e->move);
    lgkt_free(hooks, e->out);
    lgkt_free(hooks, e->place);
    lgkt_free(hooks, e->root);
    *e = (lgkt_elimination){0};
}

lgkt_status lgkt_elimination_init(lgkt_elimination *e, const lgkt_ordering *order,
                                  const lgkt_chain *chain, const lgkt_allocator *hooks,
                                  lgkt_error *error)
{
    const size_t n = (size_t)order->states;
    *e = (lgkt_elimination){.order = order, .chain = chain};
    e->numbers = lgkt_alloc_zeroed(hooks, order->entries, sizeof *e->numbers);
    e->stack = lgkt_alloc_zeroed(hooks, order->stack, sizeof *e->stack);
    e->offset = lgkt_alloc_zeroed(hooks, (size_t)order->blocks + 1, sizeof *e->offset);
    e->into = lgkt_alloc_zeroed(hooks, n + 2, sizeof *e->into);
    e->from = lgkt_alloc_zeroed(hooks, chain->room, sizeof *e->from);
    e->move = lgkt_alloc_zeroed(hooks, chain->room, sizeof *e->move);
    e->out = lgkt_alloc_zeroed(hooks, 4 * n, sizeof *e->out);
    e->place = lgkt_alloc_zeroed(hooks, 3 * n, sizeof *e->place);
    e->root = lgkt_alloc_zeroed(hooks, n, sizeof *e->root);
    if (e->numbers == NULL || e->stack == NULL || e->offset == NULL || e->into == NULL ||
        e->from == NULL || e->move == NULL || e->out == NULL || e->place == NULL ||
        e->root == NULL) {
        lgkt_elimination_release(e, hooks);
        return lgkt_fail_memory(error, "the elimination of a chain");
    }
    e->leave = e->out + n;
    e->time = e->out + 2 * n;
    e->reward = e->out + 3 * n;
    e->waiting = e->place + n;
    e->exponent = e->place + 2 * n;
    memset(e->place, -1, n * sizeof *e->place);
    for (int32_t b = 0; b < order->blocks; b++) {
        const front f = front_of(e, b);
        e->offset[b + 1] = e->offset[b] + f.m * (f.m + 2 * f.u);
    }
    return LGKT_OK;
}

// the moves of the chain by where they lead to
static void transpose(lgkt_elimination *e)
{
    const lgkt_chain *const chain = e->chain;
    const size_t n = (size_t)chain->states;
    memset(e->into, 0, (n + 2) * sizeof *e->into);
    for (size_t i = 0; i < chain->begin[n]; i++)
        e->into[chain->next[i] + 2]++;
    for (size_t s = 0; s < n; s++)
        e->into[s + 2] += e->into[s + 1];
    for (int32_t s = 0; s < chain->states; s++)
        for (uint32_t i = chain->begin[s]; i < chain->begin[s + 1]; i++) {
            const size_t at = e->into[chain->next[i] + 1]++;
            e->from[at] = s;
            e->move[at] = i;
        }
}

bool lgkt_eliminate(lgkt_elimination *e, const double *reward, double leave, double patience,
                    lgkt_stop stop)
{
    const lgkt_ordering *const order = e->order;
    const size_t n = (size_t)order->states;
    e->patience = patience;
    e->roots = e->cut = 0;
    memcpy(e->reward, reward, n * sizeof *reward);
    for (size_t s = 0; s < n; s++) {
        e->leave[s] = leave;
        e->time[s] = 1;
    }
    transpose(e);
    memset(e->exponent, 0, n * sizeof *e->exponent);
    memset(e->numbers, 0, order->entries * sizeof *e->numbers);
    size_t top = 0; // of the stack
    int32_t waiting = 0;
    for (int32_t i = 0; i < order->blocks; i++) {
        const int32_t b = order->sequence[i];
        front f = front_of(e, b);
        for (size_t k = 0; k < f.m; k++)
            e->place[f.pivots[k]] = (int32_t)k;
        for (size_t k = 0; k < f.u; k++)
            e->place[f.others[k]] = (int32_t)(f.m + k);
        f.rest = e->stack + top;
        memset(f.rest, 0, f.u * f.u * sizeof *f.rest);
        add_moves(e, &f);
        // the blocks that hand on to it are the last ones on the stack
        for (; waiting > 0 && order->parent[e->waiting[waiting - 1]] == b; waiting--) {
            front child = front_of(e, e->waiting[waiting - 1]);
            top -= child.u * child.u;
            child.rest = e->stack + top;
            extend_add(e, &f, &child);
        }
        if (!eliminate_front(e, &f, stop)) {
            memset(e->place, -1, n * sizeof *e->place);
            return false;
        }
        memmove(e->stack + top, f.rest, f.u * f.u * sizeof *f.rest);
        if (f.u > 0) {
            e->waiting[waiting++] = b;
            top += f.u * f.u;
        }
        for (size_t k = 0; k < f.m; k++)
            e->place[f.pivots[k]] = -1;
        for (size_t k = 0; k < f.u; k++)
            e->place[f.others[k]] = -1;
    }
    return true;
}

void lgkt_elimination_solve(const lgkt_elimination *e, double *x)
{
    const lgkt_ordering *const order = e->order;
    for (int32_t i = 0; i < order->blocks; i++) {
        const front f = front_of(e, order->sequence[i]);
        const size_t w = f.m + f.u;
        for (size_t k = 0; k < f.m; k++) {
            const double z = x[f.pivots[k]] /= e->out[f.pivots[k]];
            for (size_t j = k + 1; j < f.m; j++)
                x[f.pivots[j]] += f.top[j * w + k] * z;
            for (size_t j = 0; j < f.u; j++)
                x[f.others[j]] += f.left[j * f.m + k] * z;
        }
    }
    for (int32_t i = order->blocks - 1; i >= 0; i--) {
        const front f = front_of(e, order->sequence[i]);
        const size_t w = f.m + f.u;
        for (size_t k = f.m; k-- > 0;) {
            const double *const row = f.top + k * w;
            double sum[4] = {0};
            for (size_t j = k + 1; j < f.m; j++)
                sum[j & 3] += row[j] * x[f.pivots[j]];
            for (size_t j = 0; j < f.u; j++)
                sum[j & 3] += row[f.m + j] * x[f.others[j]];
            x[f.pivots[k]] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
    }
}

void lgkt_elimination_visits(const lgkt_elimination *e, double *visits, int32_t *root)
{
    const lgkt_ordering *const order = e->order;
    for (int32_t i = order->blocks - 1; i >= 0; i--) {
        const front f = front_of(e, order->sequence[i]);
        const size_t w = f.m + f.u;
        for (size_t k = f.m; k-- > 0;) {
            const int32_t n = f.pivots[k];
            double sum = 0;
            root[n] = n;
            for (size_t j = k + 1; j < w; j++) {
                const int32_t s = j < f.m ? f.pivots[j] : f.others[j - f.m];
                sum += visits[s] * (j < f.m ? f.top[j * w + k] : f.left[(j - f.m) * f.m + k]);
                root[n] = f.top[k * w + j] > 0 ? root[s] : root[n];
            }
            visits[n] = e->root[n] ? 1 : sum / e->out[n];
        }
    }
}

void lgkt_elimination_flow(const lgkt_elimination *e, double *mass)
{
    const lgkt_ordering *const order = e->order;
    for (int32_t i = 0; i < order->blocks; i++) {
        const front f = front_of(e, order->sequence[i]);
        const size_t w = f.m + f.u;
        for (size_t k = 0; k < f.m; k++)
            for (size_t j = k + 1; j < w; j++)
                mass[j < f.m ? f.pivots[j] : f.others[j - f.m]] +=
                    mass[f.pivots[k]] * f.top[k * w + j];
    }
    // what went to states that were eliminated before, roots among them
    for (int32_t i = order->blocks - 1; i >= 0; i--) {
        const front f = front_of(e, order->sequence[i]);
        const size_t w = f.m + f.u;
        for (size_t k = f.m; k-- > 0;) {
            double sum = mass[f.pivots[k]];
            for (size_t j = k + 1; j < w; j++)
                sum += j < f.m ? mass[f.pivots[j]] * f.top[j * w + k]
                               : mass[f.others[j - f.m]] * f.left[(j - f.m) * f.m + k];
            mass[f.pivots[k]] = sum / e->out[f.pivots[k]];
        }
    }
}
