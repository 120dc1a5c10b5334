// SPDX-License-Identifier: MIT
#include "ref/forest_ref.h"

#include "test.h"

static int32_t step_at(const forest *f, int64_t i)
{
    return f->log[(f->first + i) % f->set.memory];
}

static bool goes_left(const lgkt_learner *learner, const forest_node *node, const double *x)
{
    const double value = x[node->cut.feature];
    const bool is_number = learner->records->kinds[node->cut.feature].type == LGKT_KIND_NUMBER;
    if (isnan(node->cut.edge))
        return isnan(value);
    return is_number ? value <= node->cut.edge : value == node->cut.edge;
}

// The node where a record ends up below a root; `stop`, if it comes by that one.
static int32_t leaf_of(const lgkt_learner *learner, int32_t tree, const double *x, int32_t stop)
{
    const forest *f = learner->self;
    int32_t node = tree;
    while (f->nodes[node].child > 0 && node != stop)
        node = f->nodes[node].child + !goes_left(learner, &f->nodes[node], x);
    return node;
}

static void check_leaf(const lgkt_learner *learner, int32_t tree, int32_t leaf)
{
    const forest *f = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    double *n = calloc(actions, sizeof *n), *u = calloc(actions, sizeof *u);
    double count = 0, sum_w = 0, size = 0;
    for (int64_t i = 0; i < f->n; i++) {
        const int32_t number = step_at(f, i);
        const forest_step *step = &f->steps[number];
        if (f->spots[(size_t)number * FOREST_TREES + (size_t)tree].node != leaf)
            continue;
        assert_int_equal(leaf_of(learner, tree, lgkt_learner_record(learner, number), -1), leaf);
        count++;
        sum_w += step->w;
        size += fabs(step->w) + fabs(step->u) + f->depth * (f->high - f->low);
        n[step->action]++;
        u[step->action] += step->u;
    }
    const forest_cell *cells = f->cells + (size_t)leaf * actions;
    assert_close(f->nodes[leaf].listed, count, 0);
    assert_close(f->nodes[leaf].sum_w, sum_w, 1e-9 * size);
    for (size_t a = 0; a < actions; a++) {
        assert_close(cells[a].n, n[a], 0);
        assert_close(cells[a].sum_u, u[a], 1e-9 * size);
    }
    free(n);
    free(u);
}

// nodes below one, and steps in them; returns the leaves
static int64_t check_below(const lgkt_learner *learner, int32_t tree, int32_t node, int64_t *steps)
{
    const forest *f = learner->self;
    const forest_node *at = &f->nodes[node];
    int64_t listed = 0;
    int32_t before = 0;
    for (int32_t i = at->first; i != 0;) {
        const forest_spot *spot = &f->spots[(size_t)i * FOREST_TREES + (size_t)tree];
        assert_int_equal(spot->prior, before);
        assert_int_equal(spot->node, node);
        before = i;
        i = spot->after;
        listed++;
    }
    assert_int_equal(listed, at->listed);
    *steps += listed;
    if (at->child == 0) {
        check_leaf(learner, tree, node);
        return 1;
    }
    assert_int_equal(f->nodes[at->child].parent, node);
    assert_int_equal(f->nodes[at->child + 1].parent, node);
    return check_below(learner, tree, at->child, steps) +
           check_below(learner, tree, at->child + 1, steps);
}

// sums over all actions and columns
static void check_linear(const lgkt_learner *learner)
{
    const forest *f = learner->self;
    const forest_linear *l = &f->linear;
    const size_t q = (size_t)l->rows, actions = (size_t)learner->problem.actions;
    double *g = calloc(actions * q * q, sizeof *g), *size = calloc(q * q, sizeof *size);
    double *h = calloc(actions * q, sizeof *h), *o = calloc(q, sizeof *o);
    double sizes = 0;
    for (int64_t i = 0; i < f->n; i++) {
        const int32_t number = step_at(f, i);
        const forest_step *step = &f->steps[number];
        const size_t a = (size_t)step->action;
        lgkt_forest_linear_observe(l, &l->sums, lgkt_learner_record(learner, number), o);
        for (size_t j = 0; j < q * q; j++) {
            g[a * q * q + j] += o[j / q] * o[j % q];
            size[j] += fabs(o[j / q] * o[j % q]);
        }
        for (size_t j = 0; j < q; j++) {
            h[a * q + j] += o[j] * step->r;
            sizes += fabs(o[j] * step->r);
        }
    }
    for (size_t i = 0; i < actions * q * q; i++)
        if (i % (q * q) % q <= i % (q * q) / q)
            assert_close(l->sums.g[i], g[i], 1e-9 * (1 + size[i % (q * q)]));
    for (size_t i = 0; i < actions * q; i++)
        assert_close(l->sums.h[i], h[i], 1e-9 * (sizes + f->high - f->low));
    free(g);
    free(h);
    free(o);
    free(size);
}

void forest_ref_check(const lgkt_learner *learner)
{
    const forest *f = learner->self;
    double sum_r = 0, size = 0;
    for (int64_t i = 0; i < f->n; i++) {
        const int32_t number = step_at(f, i), next = f->steps[number].next;
        assert_true(f->steps[number].known);
        assert_true(next == number || f->steps[next].before == number);
        assert_true(learner->records->holds[number] > 0 && learner->records->holds[next] > 0);
        assert_int_equal(f->steps[number].round == f->round, i < f->at || i >= f->end);
        sum_r += i < f->at || i >= f->end ? f->steps[number].r : 0;
        size += fabs(f->steps[number].r) + f->high - f->low;
    }
    assert_close(f->sum_r, sum_r, 1e-9 * size);
    int64_t leaves = 0;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        int64_t steps = 0;
        leaves += check_below(learner, tree, tree, &steps);
        assert_int_equal(steps, f->n);
    }
    assert_int_equal(leaves, f->leaves);
    check_linear(learner);
}

void forest_ref_values(const lgkt_learner *learner, const double *x, double *m)
{
    const forest *f = learner->self;
    const size_t q = (size_t)f->linear.rows;
    const forest_fit *fit = &f->linear.now;
    double s = 0, *z = calloc(q, sizeof *z);
    lgkt_forest_linear_observe(&f->linear, &f->linear.sums, x, z);
    for (size_t j = 1; j < q; j++)
        z[j] = fmax(-4, fmin(4, (z[j] - fit->mean[j]) * fit->scale[j]));
    for (int32_t a = 0; a < learner->problem.actions; a++)
        m[a] = 0;
    for (int32_t tree = 0; tree < FOREST_TREES; tree++) {
        const int32_t leaf = leaf_of(learner, tree, x, -1);
        double w = 0, n = 0;
        for (int64_t i = 0; i < f->n; i++) {
            const int32_t number = step_at(f, i);
            const bool is_in = f->spots[(size_t)number * FOREST_TREES + (size_t)tree].node == leaf;
            w += is_in ? f->steps[number].w : 0;
            n += is_in;
        }
        s += (n > 0 ? w / n : f->nodes[leaf].prior_w) / FOREST_TREES;
        for (int32_t a = 0; a < learner->problem.actions; a++) {
            double u = f->k * f->cells[leaf * learner->problem.actions + a].prior, of = f->k;
            for (int64_t i = 0; i < f->n; i++) {
                const int32_t number = step_at(f, i);
                if (f->spots[(size_t)number * FOREST_TREES + (size_t)tree].node != leaf ||
                    f->steps[number].action != a)
                    continue;
                u += f->steps[number].u;
                of++;
            }
            m[a] += u / of / FOREST_TREES;
        }
    }
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        m[a] += s;
        for (size_t j = 0; j < q && f->linear.on; j++)
            m[a] += fit->w[(size_t)a * q + j] * z[j];
    }
    free(z);
}

// ---- splits ----

// sums of W of an action in a leaf, on one side of a split; returns how many
static double sum_side(const lgkt_learner *learner, int32_t leaf, int32_t action,
                       const forest_node *split, bool left, double *sum, double *squares)
{
    const forest *f = learner->self;
    int32_t tree = leaf;
    while (f->nodes[tree].parent >= 0)
        tree = f->nodes[tree].parent;
    double n = 0;
    for (int64_t i = 0; i < f->n; i++) {
        const int32_t number = step_at(f, i);
        const forest_step *step = &f->steps[number];
        if (f->spots[(size_t)number * FOREST_TREES + (size_t)tree].node != leaf ||
            (action >= 0 && step->action != action) ||
            (split != NULL &&
             goes_left(learner, split, lgkt_learner_record(learner, number)) != left))
            continue;
        n++;
        *sum += step->w;
        *squares += step->w * step->w;
    }
    return n;
}

double forest_ref_gain(const lgkt_learner *learner, int32_t leaf, int32_t feature, double edge)
{
    const forest_node split = {.cut = {feature, edge, 0}};
    double within = 0, seen = 0, gain = 0, unused = 0;
    const double n = sum_side(learner, leaf, -1, NULL, false, &unused, &unused);
    const double left = sum_side(learner, leaf, -1, &split, true, &unused, &unused);
    if (fmin(left, n - left) < fmax(3, 0.05 * n))
        return 0;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        double all = 0, all2 = 0, l = 0, r = 0;
        const double na = sum_side(learner, leaf, a, NULL, false, &all, &all2);
        const double nl = sum_side(learner, leaf, a, &split, true, &l, &unused);
        const double nr = sum_side(learner, leaf, a, &split, false, &r, &unused);
        seen += na > 0;
        within += na > 0 ? all2 - all * all / na : 0;
        if (nl > 0 && nr > 0)
            gain += nl * nr / (nl + nr) * (l / nl - r / nr) * (l / nl - r / nr);
    }
    return gain / (within / (n - seen));
}

double forest_ref_bound(const lgkt_learner *learner, int32_t leaf)
{
    double seen = 0, unused = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        seen += sum_side(learner, leaf, a, NULL, false, &unused, &unused) > 0;
    const double z = log(2.0 * learner->records->dims);
    return seen + 2 * sqrt(seen * z) + 2 * z;
}

// ---- the linear part ----

// solves a x = b by elimination with pivots; both are used up
static void solve(double *a, double *b, size_t q)
{
    for (size_t k = 0; k < q; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < q; i++)
            best = fabs(a[i * q + k]) > fabs(a[best * q + k]) ? i : best;
        for (size_t j = 0; j < q; j++) {
            const double swap = a[k * q + j];
            a[k * q + j] = a[best * q + j];
            a[best * q + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (size_t i = k + 1; i < q; i++) {
            const double ratio = a[i * q + k] / a[k * q + k];
            for (size_t j = k; j < q; j++)
                a[i * q + j] -= ratio * a[k * q + j];
            b[i] -= ratio * b[k];
        }
    }
    for (size_t k = q; k-- > 0;) {
        for (size_t j = k + 1; j < q; j++)
            b[k] -= a[k * q + j] * b[j];
        b[k] /= a[k * q + k];
    }
}

// G of z + I of an action, and h of z or a unit vector, from the log
static void equations(const lgkt_learner *learner, int32_t action, double *a, double *b)
{
    const forest *f = learner->self;
    const forest_fit *fit = &f->linear.now;
    const size_t q = (size_t)f->linear.rows;
    double *z = calloc(q, sizeof *z);
    memset(a, 0, q * q * sizeof *a);
    memset(b, 0, q * sizeof *b);
    // but the newest step, which has come in since
    for (int64_t i = 0; i < f->n - 1; i++) {
        const int32_t number = step_at(f, i);
        if (f->steps[number].action != action)
            continue;
        lgkt_forest_linear_observe(&f->linear, &f->linear.sums,
                                   lgkt_learner_record(learner, number), z);
        for (size_t j = 1; j < q; j++)
            z[j] = (z[j] - fit->mean[j]) * fit->scale[j];
        for (size_t j = 0; j < q * q; j++)
            a[j] += z[j / q] * z[j % q];
        for (size_t j = 0; j < q; j++)
            b[j] += z[j] * (f->steps[number].r - f->rbar);
    }
    for (size_t j = 0; j < q; j++)
        a[j * q + j] += 1;
    free(z);
}

void forest_ref_solve(const lgkt_learner *learner)
{
    const forest *f = learner->self;
    const size_t q = (size_t)f->linear.rows;
    double *a = calloc(q * q, sizeof *a), *b = calloc(q, sizeof *b);
    for (int32_t action = 0; action < learner->problem.actions; action++) {
        const double *w = f->linear.now.w + (size_t)action * q;
        const double *p = f->linear.now.p + (size_t)action * q * q;
        equations(learner, action, a, b);
        solve(a, b, q);
        for (size_t j = 0; j < q; j++)
            assert_close(w[j], b[j], 1e-8 * (f->high - f->low));
        for (size_t column = 0; column < q; column++) {
            equations(learner, action, a, b);
            for (size_t j = 0; j < q; j++)
                b[j] = j == column;
            solve(a, b, q);
            for (size_t j = 0; j < q; j++)
                assert_close(p[j * q + column], b[j], 1e-8);
        }
    }
    free(a);
    free(b);
}
