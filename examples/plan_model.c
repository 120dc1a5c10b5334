// SPDX-License-Identifier: MIT
// Exact planning on a model of one's own: what short lookahead earns compared with the optimum.
//
// Five rooms in a row; action 0 stays and earns a little, action 1 moves on and pays only in the
// last room. Looking one step ahead one stays for ever; how far must one look?
#include <stdio.h>

#include <lgkt/lgkt.h>

enum { ROOMS = 5, STAY = 0, MOVE = 1, HORIZON = 50 };

static lgkt_status add_room(lgkt_mdp_builder *builder, int32_t room)
{
    const int32_t next = room < ROOMS - 1 ? room + 1 : room;
    const double pay[2] = {0.1, room == ROOMS - 1 ? 1.0 : 0.0};
    const int32_t leads_to[2] = {room, next};
    for (int32_t a = STAY; a <= MOVE; a++) {
        lgkt_status status = lgkt_mdp_builder_reward(builder, room, a, pay[a]);
        if (status == LGKT_OK)
            status = lgkt_mdp_builder_edge(builder, room, a, leads_to[a], 1);
        if (status != LGKT_OK)
            return status;
    }
    return LGKT_OK;
}

static lgkt_status build_rooms(lgkt_mdp **mdp, lgkt_error *error)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_status status = lgkt_mdp_builder_create(ROOMS, 2, NULL, &builder, error);
    for (int32_t room = 0; status == LGKT_OK && room < ROOMS; room++)
        status = add_room(builder, room);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(builder, mdp, error);
    else if (builder != NULL) // what changes a builder leaves its message there
        snprintf(error->text, sizeof error->text, "%s", lgkt_mdp_builder_message(builder));
    lgkt_mdp_builder_destroy(builder);
    return status;
}

// The share of the optimal value that K-step greedy play gets from the first room.
static lgkt_status print_ratio(const lgkt_mdp *mdp, int64_t k, lgkt_error *error)
{
    lgkt_policy *policy = NULL;
    double ratio = 0;
    lgkt_status status = lgkt_policy_greedy(mdp, k, HORIZON, LGKT_TIES_LOW, NULL, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_policy_ratio(policy, NULL, &ratio, error);
    if (status == LGKT_OK)
        printf("K = %d: %s in the first room, %.4f of the optimum\n", (int)k,
               lgkt_policy_action(policy, HORIZON, 0) == STAY ? "stay" : "move", ratio);
    lgkt_policy_destroy(policy);
    return status;
}

int main(void)
{
    lgkt_error error = {0};
    lgkt_mdp *mdp = NULL;
    lgkt_status status = build_rooms(&mdp, &error);
    for (int64_t k = 1; status == LGKT_OK && k <= 6; k++)
        status = print_ratio(mdp, k, &error);
    lgkt_mdp_destroy(mdp);
    if (status != LGKT_OK) {
        fprintf(stderr, "%s: %s\n", lgkt_status_name(status), error.text);
        return 1;
    }
    return 0;
}
