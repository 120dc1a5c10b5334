// SPDX-License-Identifier: MIT
// Which environment a spec names (io_env.h), for those who have its files from elsewhere.
#include <string.h>

#include "io/files/io_env.h"

enum { NAME_SIZE = 64 };

const lgkt_entry *io_env_entry(const char *spec)
{
    char name[NAME_SIZE];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK)
        return NULL;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_env_entry(i)) != NULL; i++)
        if (strcmp(entry->name, name) == 0)
            break;
    return entry;
}
