// SPDX-License-Identifier: MIT
// Learners in files. The format, its version and its checksum are the library's.
#include "io/io_learner.h"

#include <stdint.h>
#include <stdlib.h>

#include "io/io_text.h"

// a state is as large as its learner, so there is no bound but memory
#define LIMIT (SIZE_MAX / 4)

lgkt_status io_learner_print(const lgkt_learner *learner, FILE *out, lgkt_error *error)
{
    size_t size = 0;
    lgkt_status status = lgkt_learner_save(learner, NULL, 0, &size);
    // there is no room yet: this call asks for the size
    if (status != LGKT_ERR_SHAPE)
        return io_fail(error, status, "the learner cannot be saved: %s", lgkt_status_text(status));
    void *bytes = malloc(size);
    if (bytes == NULL)
        return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory for a saved state of %zu bytes", size);
    status = lgkt_learner_save(learner, bytes, size, &size);
    if (status == LGKT_OK)
        fwrite(bytes, 1, size, out);
    else
        io_fail(error, status, "the learner cannot be saved: %s", lgkt_status_text(status));
    free(bytes);
    return status;
}

lgkt_status io_learner_read(const char *path, const lgkt_learner_config *config,
                            lgkt_learner **learner, lgkt_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    lgkt_status status = io_file_read(path, LIMIT, &bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    lgkt_error why = {0};
    status = lgkt_learner_load(bytes, size, config, learner, &why);
    free(bytes);
    if (status == LGKT_OK)
        return LGKT_OK;
    return io_fail_at(&(io_place){.name = path, .error = error}, status, "%s", why.text);
}
