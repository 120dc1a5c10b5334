// SPDX-License-Identifier: MIT
// Learners in files. The format, its version and its checksum are the library's; the line that
// may follow has a fixed length.
#include "io/formats/io_learner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/plain/io_text.h"

// a state is as large as its learner, so there is no bound but memory
#define LIMIT (SIZE_MAX / 4)

// the line
#define LINE        "\nmodel %016" PRIx64 " tape %016" PRIx64 "\n"
#define LINE_LENGTH 46

lgkt_status io_learner_print(const lgkt_learner *learner, const io_origin *origin, FILE *out,
                             lgkt_error *error)
{
    size_t size = 0;
    // there is no room yet: this call asks for the size
    lgkt_status status = lgkt_learner_save(learner, NULL, 0, &size, NULL);
    void *bytes = status == LGKT_ERR_SHAPE ? malloc(size) : NULL;
    if (bytes != NULL)
        status = lgkt_learner_save(learner, bytes, size, &size, NULL);
    if (status == LGKT_ERR_SHAPE)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for a saved state of %zu bytes",
                         size);
    if (status != LGKT_OK)
        lgkt_fail(error, status, "the learner cannot be saved: %s", lgkt_status_text(status));
    else
        fwrite(bytes, 1, size, out);
    if (status == LGKT_OK && origin != NULL && origin->known)
        fprintf(out, LINE, origin->model, origin->tape);
    free(bytes);
    return status;
}

lgkt_status io_learner_read(const char *path, const lgkt_learner_config *config,
                            lgkt_learner **learner, io_origin *origin, lgkt_error *error)
{
    char *bytes;
    size_t size;
    LGKT_TRY(io_file_read(path, LIMIT, &bytes, &size, error));
    const lgkt_status status =
        io_learner_read_bytes(bytes, size, path, config, learner, origin, error);
    free(bytes);
    return status;
}

lgkt_status io_learner_read_bytes(const char *bytes, size_t size, const char *name,
                                  const lgkt_learner_config *config, lgkt_learner **learner,
                                  io_origin *origin, lgkt_error *error)
{
    // the origin at the end of the bytes, if it is there and as we print it
    io_origin found = {.known = false};
    size_t before = size;
    char line[LINE_LENGTH + 1] = "", again[LINE_LENGTH + 1];
    if (size >= LINE_LENGTH)
        memcpy(line, bytes + size - LINE_LENGTH, LINE_LENGTH);
    if (sscanf(line, "\nmodel %16" SCNx64 " tape %16" SCNx64, &found.model, &found.tape) == 2) {
        snprintf(again, sizeof again, LINE, found.model, found.tape);
        found.known = memcmp(line, again, LINE_LENGTH) == 0;
        before -= found.known ? LINE_LENGTH : 0;
    }
    lgkt_error why = {0};
    const lgkt_status status = lgkt_learner_load(bytes, before, config, learner, &why);
    if (origin != NULL)
        *origin = found;
    if (status == LGKT_OK)
        return LGKT_OK;
    return io_fail_at(&(io_place){.name = name, .error = error}, status, "%s", why.text);
}
