// SPDX-License-Identifier: MIT
// Two threads, each with a forest of its own: they play what the same two play one after the other.

#include "test.h"

#include <pthread.h>

enum { DIMS = 3, STEPS = 1500 };

typedef struct task {
    uint64_t seed;
    lgkt_status status;
    uint64_t hash; // of the learner at the end
} task;

static void *play(void *given)
{
    task *own = given;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    config.problem.actions = 3;
    config.problem.horizon = STEPS;
    config.seed = own->seed;
    keys.view.dims = DIMS;
    lgkt_keyed *keyed = NULL;
    own->status = lgkt_keyed_create("forest:memory=700", &config, &keys, &keyed, NULL);
    lgkt_rng rng = lgkt_rng_stream(own->seed, "world", 0);
    double x[DIMS] = {0};
    for (int t = 0; t < STEPS && own->status == LGKT_OK; t++) {
        int32_t action = 0;
        own->status = lgkt_keyed_act(keyed, x, sizeof x, NULL, &action);
        const double reward = (x[0] > 0) * (action == 1) + 0.3 * x[1];
        for (int j = 0; j < DIMS; j++)
            x[j] = 0.5 * x[j] + lgkt_rng_normal(&rng);
        if (own->status == LGKT_OK)
            own->status = lgkt_keyed_observe(keyed, reward, x, sizeof x, t % 100 == 99);
    }
    own->hash = own->status == LGKT_OK ? lgkt_keyed_hash(keyed) : 0;
    lgkt_keyed_destroy(keyed);
    return NULL;
}

static void test_two_at_once(void **state)
{
    (void)state;
    task once[2] = {{.seed = 1}, {.seed = 2}}, together[2] = {{.seed = 1}, {.seed = 2}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, play, &together[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        play(&once[i]);
        assert_int_equal(once[i].status, LGKT_OK);
        assert_int_equal(together[i].status, LGKT_OK);
        assert_true(once[i].hash == together[i].hash);
    }
    assert_true(once[0].hash != once[1].hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
