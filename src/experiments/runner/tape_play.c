// SPDX-License-Identifier: MIT
// One learner on one model, by a tape (tape_play.h).
#include "experiments/runner/tape_play.h"

#include <inttypes.h>

#include "core/error.h"

double exp_tape_coin(void *ctx, int64_t t)
{
    const io_tape *tape = ctx;
    return t < tape->count ? tape->rows[t].u_coin : 0.0;
}

lgkt_status exp_tape_play(const lgkt_mdp *mdp, const io_tape_row *row, lgkt_learner *learner,
                          exp_tape_step *step, lgkt_error *error)
{
    exp_tape_step made = {
        .t = lgkt_learner_time(learner),
        .state = step->next_state,
        .next_state = lgkt_mdp_states(mdp) - 1,
    };
    lgkt_status status =
        lgkt_learner_act(learner, made.state, lgkt_mdp_mask(mdp, made.state), &made.action);
    if (status == LGKT_OK) {
        const lgkt_row law = lgkt_mdp_row(mdp, made.state, made.action);
        double sum = 0.0;
        for (int32_t i = 0; i < law.n; i++) {
            sum += law.p[i];
            if (sum > row->u_next) {
                made.next_state = law.next[i];
                break;
            }
        }
        made.reward = lgkt_mdp_reward(mdp, made.state, made.action);
        for (int32_t i = 0; law.reward != NULL && i < law.n; i++)
            made.reward = law.next[i] == made.next_state ? law.reward[i] : made.reward;
        double sd = 0.0;
        const lgkt_noise noise = lgkt_mdp_pair_noise(mdp, made.state, made.action, &sd);
        if (noise == LGKT_NOISE_NORMAL)
            made.reward += sd * row->z_reward;
        else if (noise == LGKT_NOISE_BERNOULLI)
            made.reward = row->u_reward < made.reward ? 1.0 : 0.0;
        status = lgkt_learner_observe(learner, made.reward, made.next_state, false);
    }
    if (status != LGKT_OK)
        return lgkt_fail(error, status, "step %" PRId64 ": %s", made.t,
                         lgkt_learner_message(learner));
    *step = made;
    return LGKT_OK;
}
