// SPDX-License-Identifier: MIT
// labels: slow
// Posterior sampling: when a model is drawn, what is believed, and what is played on a sample; all
// against a version that goes through the whole history, closed forms and known numbers.

#include "test.h"

#include "learners/planners/psrl.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_gain.h"
#include "ref/naive_plan.h"
#include "ref/naive_psrl.h"
#include "ref/saved_bytes.h"

static lgkt_psrl *inside(lgkt_learner *learner)
{
    return learner->self;
}

static lgkt_learner_config config_of(int32_t states, int32_t actions, int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = horizon;
    config.seed = 5;
    return config;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
    return action;
}

// ---- schedules ----

// draws of a model in 20000 steps that go round `states` states with one action
static int64_t draws_in_rotation(const char *spec, int32_t states, int64_t lengths[4])
{
    const lgkt_learner_config config = config_of(states, 1, 20000);
    lgkt_learner *learner = learner_run_make(spec, &config);
    int64_t last = 0;
    for (int64_t t = 0; t < 20000; t++) {
        const int64_t before = inside(learner)->resampled;
        act(learner, (int32_t)(t % states));
        if (inside(learner)->resampled > before) {
            if (before >= 1 && before <= 4)
                lengths[before - 1] = t - last;
            last = t;
        }
        assert_int_equal(lgkt_learner_observe(learner, 0.5, (int32_t)((t + 1) % states), false),
                         LGKT_OK);
    }
    const int64_t draws = learner_run_counter(learner, "resamplings");
    assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
    lgkt_learner_destroy(learner);
    return draws;
}

static void test_schedules_of_20000_steps(void **state)
{
    (void)state;
    int64_t lengths[4];
    assert_int_equal(draws_in_rotation("psrl", 1, lengths), 200);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(lengths[i], i + 1);
    assert_int_equal(draws_in_rotation("psrl", 2, lengths), 201);
    assert_int_equal(lengths[0], 1);
    assert_int_equal(lengths[1], 1);
    assert_int_equal(lengths[2], 2);
    assert_int_equal(lengths[3], 3);
    assert_int_equal(draws_in_rotation("psrl", 5, lengths), 204);
    assert_int_equal(draws_in_rotation("psrl", 50, lengths), 249);
    assert_int_equal(draws_in_rotation("psrl:schedule=ds", 3, lengths), 15);
    // one pair: at 0, 1, 2, 4, .., 16384 visits
    assert_int_equal(draws_in_rotation("psrl:schedule=doubling", 1, lengths), 16);
    assert_int_equal(draws_in_rotation("psrl-optimistic", 1, lengths), 16);
    assert_int_equal(draws_in_rotation("psrl:schedule=every,tau=7", 2, lengths), 2858);
    // mean 200.99, standard deviation 14.07: 5 of them, error probability 6e-7
    assert_between((double)draws_in_rotation("psrl:schedule=coin", 3, lengths), 131, 271);
}

// one run, step by step against the history: schedule, counts and laws
static void follow(const lgkt_mdp *model, const char *spec, bool tsde, bool is_free)
{
    static naive_psrl naive;
    const int32_t states = lgkt_mdp_states(model), actions = lgkt_mdp_actions(model);
    naive = (naive_psrl){.states = states, .pairs = states * actions};
    const lgkt_learner_config config = learner_run_config(model, 800);
    learner_run run = {learner_run_make(spec, &config), model, 11, 0.03, 0};
    lgkt_psrl *p = inside(run.learner);
    const size_t bytes = lgkt_learner_bytes(run.learner);
    for (int64_t t = 0; t < 800; t++) {
        const int32_t planned = run.state * actions + p->left[run.state];
        const bool due = tsde ? naive_psrl_tsde(&naive) : naive_psrl_doubling(&naive, planned);
        const int64_t before = p->resampled;
        const int32_t action = act(run.learner, run.state);
        assert_int_equal(p->resampled, before + due);
        if (due)
            naive.drawn_at[naive.draws++] = t;
        const lgkt_step step = learner_run_outcome(&run, action);
        naive.history[naive.steps++] =
            (naive_psrl_step){run.state * actions + action, step.state, step.reward, step.ended};
        assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        run.state = step.state;
    }
    assert_true(naive.draws > 20);
    // no step took memory, not even when all successors there are were seen
    p->post.counts.used = p->post.counts.most;
    assert_true(run.learner->class->prepare(run.learner));
    assert_int_equal(lgkt_learner_bytes(run.learner), bytes);

    // the laws are those of rewards in units of the range, from its lower end
    const lgkt_reward_bounds *bounds = &p->post.bounds;
    const double low = lgkt_mdp_reward_min(model), range = lgkt_mdp_reward_max(model) - low;
    naive_ng prior = {low + range / 2, 1, 1, range * range / 12};
    if (is_free)
        prior = naive_psrl_free_prior(&naive);
    const lgkt_edge *edges = lgkt_successors_edges(&p->post.counts);
    for (int32_t z = 0; z < naive.pairs; z++) {
        const lgkt_seen_row *row = &p->post.counts.rows[z];
        assert_int_equal((int64_t)row->n, naive_psrl_visits(&naive, z, naive.steps));
        double moves = 0;
        for (int32_t e = row->first; e >= 0; e = edges[e].other) {
            assert_int_equal((int64_t)edges[e].count, naive_psrl_moves(&naive, z, edges[e].next));
            moves += edges[e].count;
        }
        assert_close(row->moves, moves, 0);
        const lgkt_normal_gamma is = lgkt_posterior_ng(&p->post, (size_t)z);
        const naive_ng should = naive_psrl_ng(&naive, z, prior);
        assert_close(bounds->base + bounds->unit * is.m, should.m, 1e-12);
        assert_close(is.k, should.k, 0);
        assert_close(is.a, should.a, 0);
        assert_close(bounds->unit * bounds->unit * is.b, should.b, 1e-11);
    }
    lgkt_learner_destroy(run.learner);
}

static void test_history(void **state)
{
    follow(*state, "psrl", true, false);
    follow(*state, "psrl:reward=ng-free", true, true);
    follow(*state, "psrl:schedule=doubling", false, false);
    follow(*state, "psrl-optimistic", false, false);
}

static void test_feeding_starts_an_episode(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(2, 1, 1000);
    lgkt_learner *learner = learner_run_make("psrl", &config);
    for (int i = 0; i < 100; i++) {
        act(learner, 0);
        assert_int_equal(lgkt_learner_observe(learner, 0, 0, false), LGKT_OK);
    }
    assert_true(inside(learner)->length > 5);
    const int64_t draws = inside(learner)->resampled;
    assert_int_equal(lgkt_learner_feed(learner, 1, 0, 1, 0, false), LGKT_OK);
    assert_int_equal(inside(learner)->resampled, draws);
    act(learner, 0);
    assert_int_equal(inside(learner)->resampled, draws + 1);
    assert_int_equal(inside(learner)->length, 1);
    // the fed visit is no visit of the episode
    assert_int_equal(inside(learner)->visits[1], 1);
    lgkt_learner_destroy(learner);
}

// ---- what is played ----

// the last sample as a model, or one that stays where it is every other time: the same gain, and no
// periods
static lgkt_mdp *sample_of(const lgkt_learner *learner, bool lazy)
{
    const lgkt_vi *vi = &((const lgkt_psrl *)learner->self)->vi;
    const int32_t states = vi->states, rows = states * vi->actions;
    double *rewards = test_calloc((size_t)rows, sizeof *rewards);
    double *kernel = test_calloc((size_t)rows * (size_t)states, sizeof *kernel);
    for (int32_t z = 0; z < rows; z++) {
        double sum = 0, *row = kernel + (size_t)z * (size_t)states;
        rewards[z] = vi->rows[z].reward;
        for (int32_t y = 0; y < states; y++)
            row[y] = vi->rows[z].base;
        for (int32_t e = vi->rows[z].start; e < vi->rows[z + 1].start; e++)
            row[vi->next[e]] += vi->weight[e];
        for (int32_t y = 0; y < states; y++) {
            assert_true(row[y] > -1e-15);
            row[y] = fmax(0, row[y]);
            sum += row[y];
        }
        assert_close(sum, 1, 1e-13);
        for (int32_t y = 0; y < states; y++)
            row[y] = lazy ? row[y] / sum / 2 : row[y] / sum;
        row[z / vi->actions] += lazy ? 0.5 : 0;
    }
    lgkt_mdp *mdp = model_dense(states, vi->actions, rewards, kernel);
    test_free(rewards);
    test_free(kernel);
    return mdp;
}

// the gain that the values of the last plan stand for
static double gain_of_plan(const lgkt_learner *learner)
{
    lgkt_vi *vi = &((lgkt_psrl *)learner->self)->vi;
    double low = INFINITY, high = -INFINITY;
    lgkt_vi_sweep(vi, 1);
    for (int32_t s = 0; s < vi->states; s++) {
        low = fmin(low, vi->v[s] - vi->u[s]);
        high = fmax(high, vi->v[s] - vi->u[s]);
    }
    return (low + high) / 2;
}

static void test_policies_are_the_best_of_their_samples(void **state)
{
    static const char *const specs[] = {
        "psrl:precision=1e-9",
        "psrl:split=exact,reward=beta,precision=1e-9",
        "psrl:split=vertex,alpha=1,reward=normal,precision=1e-9",
        "psrl-optimistic:precision=1e-9",
        "psrl-optimistic:eta=30,kappa=40,psi=3,split=vertex,precision=1e-9",
        "psrl-optimistic:kappa=100,precision=1e-9",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const lgkt_learner_config config = learner_run_config(*state, 400);
        learner_run run = {learner_run_make(specs[i], &config), *state, 3, 0, 0};
        const lgkt_psrl *p = inside(run.learner);
        int64_t checked = 0;
        for (int t = 0; t < 400; t++) {
            const int64_t before = p->resampled;
            learner_run_play(&run, 1, NULL);
            if (p->resampled == before || checked == 20)
                continue;
            lgkt_mdp *sample = sample_of(run.learner, true);
            const double best = naive_gain_of_rule(sample, NAIVE_BEST);
            assert_close(gain_of_plan(run.learner), best, 1e-8);
            // one choice among the copies of the actions must be as good; not tried for many
            const int32_t copies = p->post.copies;
            int32_t rules[8];
            double reached = -INFINITY;
            for (int32_t j = 0; copies <= 3 && j < copies * copies * copies; j++) {
                const int32_t which[3] = {j % copies, j / copies % copies, j / copies / copies};
                for (int32_t s = 0; s < LEARNER_RUN_STATES; s++)
                    rules[s] = p->left[s] * copies + which[s];
                reached = fmax(reached, naive_gain(sample, rules));
            }
            assert_true(copies > 3 || fabs(reached - best) < 1e-7);
            checked++;
            lgkt_mdp_destroy(sample);
        }
        assert_true(checked > 10 && checked <= 20);
        assert_int_equal(learner_run_counter(run.learner, "sweep_cap_hits"), 0);
        lgkt_learner_destroy(run.learner);
    }
}

// plan=left: at all times the action is best for the steps left in the sample
static void test_plans_for_the_steps_left(void **state)
{
    enum { STEPS = 60 };
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    learner_run run = {learner_run_make("psrl:plan=left,precision=1e-10", &config), *state, 3, 0,
                       0};
    const lgkt_psrl *p = inside(run.learner);
    double q[LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS];
    for (int t = 0; t < STEPS; t++) {
        int32_t played;
        const int32_t in = run.state;
        learner_run_play(&run, 1, &played);
        lgkt_mdp *sample = sample_of(run.learner, false);
        naive_q(sample, STEPS - t, q);
        double best = -INFINITY;
        for (int32_t a = 0; a < LEARNER_RUN_ACTIONS; a++)
            best = fmax(best, q[in * LEARNER_RUN_ACTIONS + a]);
        assert_close(q[in * LEARNER_RUN_ACTIONS + played], best, 1e-8);
        lgkt_mdp_destroy(sample);
    }
    assert_true(p->tables <= STEPS);
    lgkt_learner_destroy(run.learner);
}

static void test_ties(void **state)
{
    (void)state;
    // beyond all doubt all actions are alike: known rewards without noise, one state
    const lgkt_learner_config config = config_of(1, 3, 1000);
    for (int least = 0; least < 2; least++) {
        lgkt_learner *learner =
            learner_run_make(least == 1 ? "psrl:reward=normal,reward-sd=0,ties=least-visited"
                                        : "psrl:reward=normal,reward-sd=0",
                             &config);
        for (int32_t a = 0; a < 3; a++)
            for (int32_t i = 0; i <= (a == 1 ? 1 : 5); i++)
                assert_int_equal(lgkt_learner_feed(learner, 0, a, 0.25, 0, false), LGKT_OK);
        int64_t played[3] = {0};
        for (int i = 0; i < 90; i++) {
            // a draw each time
            inside(learner)->planned = false;
            played[act(learner, 0)]++;
            learner->phase = LGKT_PHASE_ACT;
        }
        // of 90 fair draws among three, fewer than 10 of one have probability 1e-6
        for (int32_t a = 0; a < 3; a++)
            assert_true(least == 1 ? played[a] == (a == 1 ? 90 : 0) : played[a] >= 10);
        lgkt_learner_destroy(learner);
    }
}

// ---- units of rewards ----

// plays on rewards scale r + shift, r a multiple of 1/64
static void play_in_units(const char *spec, double scale, double shift, bool told, int32_t *actions)
{
    lgkt_learner_config config = config_of(4, 3, 600);
    if (told) {
        config.problem.reward_min = shift;
        config.problem.reward_max = scale + shift;
        config.problem.reward_sd = scale / 4;
    }
    lgkt_learner *learner = learner_run_make(spec, &config);
    lgkt_rng rng = lgkt_rng_stream(2, "units", 0);
    int32_t s = 0;
    for (int t = 0; t < 600; t++) {
        actions[t] = act(learner, s);
        const int32_t noise = lgkt_rng_below(&rng, 16), step = lgkt_rng_below(&rng, 2);
        const double r = (double)(16 * ((s + actions[t]) % 4) + noise) / 64;
        s = (s + step + (actions[t] == 2)) % 4;
        assert_int_equal(lgkt_learner_observe(learner, scale * r + shift, s, false), LGKT_OK);
    }
    lgkt_learner_destroy(learner);
}

static void test_other_units_same_actions(void **state)
{
    (void)state;
    static const char *const told[] = {"psrl",
                                       "psrl:reward=beta",
                                       "psrl:reward=normal",
                                       "psrl:reward=beta,rounding=fraction,schedule=coin",
                                       "psrl-optimistic",
                                       "psrl:reward=ng-free,plan=left"};
    int32_t is[600], was[600];
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        play_in_units(told[i], 1, 0, true, was);
        play_in_units(told[i], 8, -4, true, is);
        assert_memory_equal(is, was, sizeof is);
    }
    // nothing told: ng-free, for any multiple and shift
    static const char *const untold[] = {"psrl", "psrl-optimistic", "psrl:schedule=coin"};
    for (size_t i = 0; i < sizeof untold / sizeof *untold; i++) {
        play_in_units(untold[i], 1, 0, false, was);
        play_in_units(untold[i], 8, -4, false, is);
        assert_memory_equal(is, was, sizeof is);
        play_in_units(untold[i], 0x1p-30, 1024, false, is);
        assert_memory_equal(is, was, sizeof is);
    }
}

// ---- settings ----

static void test_settings(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_learner_config config = config_of(5, 2, 100);
    lgkt_learner *learner = NULL;
    assert_refused(lgkt_learner_create("psrl:schedule=coin,plan=left", &config, &learner, &error),
                   LGKT_ERR_SPEC, error, "not for plan=left");
    assert_refused(lgkt_learner_create("psrl:reward-min=2,reward-max=1", &config, &learner, &error),
                   LGKT_ERR_SPEC, error, "above");
    assert_refused(lgkt_learner_create("psrl:psi=2", &config, &learner, &error), LGKT_ERR_SPEC,
                   error, "psi");
    learner = learner_run_make("psrl", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "reward=ng-free"));
    assert_non_null(strstr(lgkt_learner_spec(learner), "alpha=0.2"));
    lgkt_learner_destroy(learner);
    learner = learner_run_make("psrl:reward-min=0,reward-max=3", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "reward=ng,"));
    lgkt_learner_destroy(learner);
}

// options that no list of choices has, resumed at each step
static void test_resumes_with_other_options(void **state)
{
    static const char *const specs[] = {"psrl-optimistic:eta=6,psi=3,split=exact",
                                        "psrl-optimistic:kappa=50,psi=2,split=vertex,plan=left",
                                        "psrl:schedule=every,tau=3,split=exact"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const lgkt_learner_config config = learner_run_config(*state, 40);
        int32_t straight[40], cut[40];
        learner_run run = {learner_run_make(specs[i], &config), *state, 4, 0.05, 0};
        learner_run_play(&run, 40, straight);
        lgkt_learner_destroy(run.learner);
        run = (learner_run){learner_run_make(specs[i], &config), *state, 4, 0.05, 0};
        for (int t = 0; t < 40; t++) {
            saved_bytes saved = saved_bytes_of(run.learner);
            const uint64_t hash = lgkt_learner_hash(run.learner);
            lgkt_learner_destroy(run.learner);
            run.learner = saved_bytes_load(&saved, &config);
            assert_true(lgkt_learner_hash(run.learner) == hash);
            saved_bytes_free(&saved);
            learner_run_play(&run, 1, cut + t);
        }
        assert_memory_equal(straight, cut, sizeof cut);
        lgkt_learner_destroy(run.learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules_of_20000_steps),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_feeding_starts_an_episode),
        cmocka_unit_test(test_policies_are_the_best_of_their_samples),
        cmocka_unit_test(test_plans_for_the_steps_left),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_other_units_same_actions),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_resumes_with_other_options),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
