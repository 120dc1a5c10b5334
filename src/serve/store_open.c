// SPDX-License-Identifier: MIT
// The store of a place: a file of SQLite, or a programme in a database of PostgreSQL where the
// command was built with libpq.

#include <string.h>

#include "serve/log_store.h"

bool srv_store_is_file(const char *place)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};
    for (int i = 0; i < 2; i++)
        if (strncmp(place, schemes[i], strlen(schemes[i])) == 0)
            return false;
    return true;
}

lgkt_status srv_store_open(const srv_store_config *config, srv_store **store, lgkt_error *error)
{
    return srv_store_is_file(config->path) ? srv_sqlite_open(config, store, error)
                                           : srv_pg_open(config, store, error);
}

#ifndef LGKT_POSTGRESQL

static lgkt_status lacking(lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                     "this command was built without PostgreSQL; install libpq-dev (its name in "
                     "Debian) and build it again");
}

lgkt_status srv_pg_open(const srv_store_config *config, srv_store **store, lgkt_error *error)
{
    (void)config, (void)store;
    return lacking(error);
}

lgkt_status srv_pg_list(const char *uri,
                        lgkt_status (*each)(void *ctx, const char *name, lgkt_error *error),
                        void *ctx, lgkt_error *error)
{
    (void)uri, (void)each, (void)ctx;
    return lacking(error);
}

#endif
