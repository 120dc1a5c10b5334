// SPDX-License-Identifier: MIT
// left_out SPEC..: what the library says of each spec of a learner, or, where it knows no such learner,
// of an environment.
#include <stdio.h>
#include <string.h>

#include <lgkt/lgkt.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        lgkt_error error = {0}, other = {0};
        lgkt_learner *learner = NULL;
        lgkt_env *env = NULL;
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem.states = config.problem.actions = 2;
        config.problem.horizon = 100;
        const lgkt_status status = lgkt_learner_create(argv[i], &config, &learner, &error);
        if (status != LGKT_OK && lgkt_env_create(argv[i], NULL, &env, &other) != LGKT_OK &&
            strstr(other.text, "unknown") == NULL)
            error = other;
        printf("%s: %s\n", argv[i], status == LGKT_OK ? "made" : error.text);
        lgkt_learner_destroy(learner);
        lgkt_env_destroy(env);
    }
    return 0;
}
