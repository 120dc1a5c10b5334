// SPDX-License-Identifier: MIT
// Models in files, with lgkt-io: write one, read it back, make an environment of it.
//
// A taxi in town (state 0) or at the airport (1). Action 0 waits for a guest, action 1 drives empty
// to the other place. The fare depends on where the guest goes, so rewards stand on the edges:
// [state, action, next state, probability, reward].
#include <stdio.h>

#include <lgkt/io.h>
#include <lgkt/lgkt.h>

#define FILE_NAME "model_file_example.json"

static const char TAXI[] =
    "{\"name\": \"taxi\","
    " \"comment\": \"0 town, 1 airport; fares in units of a short ride\","
    " \"states\": 2, \"actions\": 2, \"start\": 0,"
    " \"noise\": {\"kind\": \"none\"},"
    " \"edges\": [[0, 0, 0, 0.9, 1], [0, 0, 1, 0.1, 4], [0, 1, 1, 1, -0.5],"
    "             [1, 0, 1, 0.2, 0], [1, 0, 0, 0.8, 4], [1, 1, 0, 1, -0.5]]}";

// The best policy of a model over so many rides.
static lgkt_status print_plan(const lgkt_mdp *mdp, int64_t rides, lgkt_error *error)
{
    lgkt_policy *policy = NULL;
    double values[2]; // (S)
    lgkt_status status = lgkt_policy_optimal(mdp, rides, LGKT_TIES_LOW, NULL, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_policy_value(policy, NULL, values, error);
    if (status == LGKT_OK)
        printf("%d rides are worth %.3f; in town: %s\n", (int)rides, values[0],
               lgkt_policy_action(policy, rides, 0) == 0 ? "wait" : "drive to the airport");
    lgkt_policy_destroy(policy);
    return status;
}

int main(void)
{
    lgkt_error error = {0};
    lgkt_io_model *model = NULL, *again = NULL;
    lgkt_env *env = NULL;
    lgkt_status status = lgkt_io_model_parse(TAXI, sizeof TAXI - 1, "taxi", NULL, &model, &error);
    if (status == LGKT_OK)
        status = lgkt_io_model_write(model, FILE_NAME, &error);
    if (status == LGKT_OK)
        status = lgkt_io_model_read(FILE_NAME, NULL, &again, &error);
    if (status == LGKT_OK) {
        const lgkt_mdp *mdp = lgkt_io_model_mdp(again);
        printf("%s: %s\n", lgkt_io_model_name(again), lgkt_io_model_comment(again));
        printf("mean fare in town: %.2f\n", lgkt_mdp_reward(mdp, 0, 0));
        status = print_plan(mdp, 1, &error);
    }
    if (status == LGKT_OK)
        status = print_plan(lgkt_io_model_mdp(again), 100, &error);
    if (status == LGKT_OK)
        status = lgkt_io_env_create("model:file=" FILE_NAME, NULL, &env, &error);
    if (status == LGKT_OK)
        printf("%s\n", lgkt_env_note(env));
    // what a bad file gets
    if (status == LGKT_OK &&
        lgkt_io_model_parse("{\"stats\": 2}", 12, "bad.json", NULL, &model, &error) != LGKT_OK)
        printf("%s: %s\n", lgkt_status_name(error.status), error.text);

    lgkt_env_destroy(env);
    lgkt_io_model_destroy(again);
    lgkt_io_model_destroy(model);
    remove(FILE_NAME);
    if (status != LGKT_OK) {
        fprintf(stderr, "%s: %s\n", lgkt_status_name(status), error.text);
        return 1;
    }
    return 0;
}
