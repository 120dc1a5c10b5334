// SPDX-License-Identifier: MIT
#include "ref/resumed_run.h"

#include "test.h"

#include "ref/saved_bytes.h"

void resumed_run_check(const char *spec, const lgkt_mdp *model, int64_t steps)
{
    const lgkt_learner_config config = learner_run_config(model, steps);
    learner_run run = {learner_run_make(spec, &config), model, 4, 0.05, 0};
    lgkt_learner *other = learner_run_make(spec, &config);
    int32_t a = -1, b = -1;
    for (int64_t point = 0; point < 2 * steps; point++) {
        saved_bytes saved = saved_bytes_of(other);
        lgkt_learner_destroy(other);
        other = saved_bytes_load(&saved, &config);
        saved_bytes_free(&saved);
        if (lgkt_learner_hash(other) != lgkt_learner_hash(run.learner))
            fail_msg("%s at step %lld: another hash", spec, (long long)point / 2);
        if (point % 2 == 0) {
            assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &a), LGKT_OK);
            assert_int_equal(lgkt_learner_act(other, run.state, NULL, &b), LGKT_OK);
            assert_int_equal(a, b);
            continue;
        }
        const lgkt_step step = learner_run_outcome(&run, a);
        assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        assert_int_equal(lgkt_learner_observe(other, step.reward, step.state, step.ended), LGKT_OK);
        run.state = step.state;
    }
    lgkt_learner_destroy(run.learner);
    lgkt_learner_destroy(other);
}
