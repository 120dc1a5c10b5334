// SPDX-License-Identifier: MIT
// Memory of a learner: one is made, then a second one like it. What the second one takes is its
// own, what it does not take again is shared. Counted is what they ask of their allocator.
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "lgkt/env.h"
#include "lgkt/learner.h"

// ---- a counting allocator ----

// stands before each piece of memory
typedef union head {
    size_t size;
    max_align_t align;
} head;

static void *count_alloc(void *ctx, size_t size)
{
    if (size > SIZE_MAX - sizeof(head))
        return NULL;
    head *made = malloc(sizeof(head) + size);
    if (made == NULL)
        return NULL;
    made->size = size;
    *(size_t *)ctx += size;
    return made + 1;
}

static void count_free(void *ctx, void *memory)
{
    head *made = (head *)memory - 1;
    *(size_t *)ctx -= made->size;
    free(made);
}

// ---- measuring ----

static lgkt_status measure(const char *learner, const lgkt_env *env, cli_memory *memory,
                           lgkt_error *error)
{
    size_t first_bytes = 0, second_bytes = 0;
    lgkt_learner *first = NULL, *second = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, CLI_MEMORY_HORIZON);
    config.allocator = (lgkt_allocator){count_alloc, count_free, &first_bytes};
    lgkt_status status = lgkt_learner_create(learner, &config, &first, error);
    config.allocator.ctx = &second_bytes;
    config.like = first;
    if (status == LGKT_OK)
        status = lgkt_learner_create(learner, &config, &second, error);
    if (status == LGKT_OK)
        *memory = (cli_memory){second_bytes, first_bytes - second_bytes};
    lgkt_learner_destroy(second);
    lgkt_learner_destroy(first);
    return status;
}

lgkt_status cli_memory_of(const char *learner, cli_memory *memory, lgkt_error *error)
{
    char spec[64];
    snprintf(spec, sizeof spec, "synthetic:states=%d,actions=%d", CLI_MEMORY_STATES,
             CLI_MEMORY_ACTIONS);
    lgkt_env *env = NULL;
    lgkt_status status = lgkt_env_create(spec, NULL, &env, error);
    if (status == LGKT_OK)
        status = measure(learner, env, memory, error);
    lgkt_env_destroy(env);
    return status;
}
