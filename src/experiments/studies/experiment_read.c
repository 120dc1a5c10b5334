// SPDX-License-Identifier: MIT
// Experiment files from the disk (experiment.h).
#include <stdlib.h>

#include "experiments/reader/experiment_file.h"
#include "io/files/io_jansson.h"

lgkt_status exp_experiment_parse(exp_experiment *experiment, const char *bytes, size_t size,
                                 const char *path, lgkt_error *error)
{
    io_document *d = calloc(1, sizeof *d);
    *experiment = (exp_experiment){0};
    if (d == NULL)
        return lgkt_fail_memory(error, "an experiment");
    d->file = (io_place){.name = path, .error = error};
    io_document_parse(d, bytes, size);
    exp_experiment_fill(experiment, d, bytes, size, path);
    const lgkt_status status = d->status;
    if (status != LGKT_OK)
        exp_experiment_free(experiment);
    return status;
}

lgkt_status exp_experiment_read(exp_experiment *experiment, const char *path, lgkt_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    *experiment = (exp_experiment){0};
    lgkt_status status = io_file_read(path, EXP_FILE_BYTES, &bytes, &size, error);
    if (status == LGKT_OK)
        status = exp_experiment_parse(experiment, bytes, size, path, error);
    free(bytes);
    return status;
}
