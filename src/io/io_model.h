// SPDX-License-Identifier: MIT
// A model file read without its texts.
#ifndef IO_MODEL_H
#define IO_MODEL_H

#include "lgkt/io.h"

// As lgkt_io_model_read, but *mdp is all that is kept of the file; the caller destroys it.
static inline lgkt_status io_model_read(const char *path, const lgkt_allocator *allocator,
                                        lgkt_mdp **mdp, lgkt_error *error)
{
    lgkt_io_model *model;
    const lgkt_status status = lgkt_io_model_read(path, allocator, &model, error);
    if (status != LGKT_OK)
        return status;
    *mdp = (lgkt_mdp *)lgkt_mdp_retain(lgkt_io_model_mdp(model));
    lgkt_io_model_destroy(model);
    return LGKT_OK;
}

#endif
