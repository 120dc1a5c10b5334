// SPDX-License-Identifier: MIT
// The record of where a journal is from (origin.h).
#define _XOPEN_SOURCE 700 // realpath
#include "experiments/runner/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/number.h"
#include "io/plain/io_memory.h"
#include "io/plain/io_text.h"

enum { WORD = 8 };

// The whole path of a folder or file, so that it is found from elsewhere; "" for none. One that is
// no line becomes a dot. NULL when memory is out.
static char *whole_path(const char *path, bool folder)
{
    if (path == NULL || (path[0] == '\0' && !folder))
        return strdup("");
    char *whole = realpath(path[0] != '\0' ? path : ".", NULL);
    if (whole == NULL)
        whole = strdup(path);
    if (whole != NULL && strchr(whole, '\n') != NULL)
        memcpy(whole, ".", 2);
    return whole;
}

unsigned char *exp_origin_write(const exp_tasks *tasks, exp_shard shard, size_t *size)
{
    const exp_asked *asked = &tasks->asked;
    const exp_experiment *experiment = asked->experiment;
    char *written = NULL, part[EXP_SHARD_SIZE];
    io_memory text;
    char *folder = whole_path(experiment->folder, true), *prices = whole_path(asked->prices, false);
    if (folder != NULL && prices != NULL) {
        const unsigned char ones[WORD] = {255, 255, 255, 255, 255, 255, 255, 255};
        exp_shard_print(shard, "/", part);
        io_memory_open(&text);
        io_memory_write(&text, ones, WORD);
        io_memory_print(&text,
                        "file %s\nfolder %s\nseed %" PRIu64 "\nreplicates %" PRId64
                        "\nquick %d\nprices %s\n"
                        "shard %s\n\n",
                        experiment->file != NULL ? experiment->file : experiment->name, folder,
                        asked->seed, asked->replicates, asked->quick, prices, part);
        if (experiment->size > 0)
            io_memory_write(&text, experiment->bytes, experiment->size);
        written = io_memory_close(&text, size);
    }
    free(folder);
    free(prices);
    return (unsigned char *)written;
}

bool exp_origin_is(const unsigned char *bytes, size_t size)
{
    return size >= WORD && lgkt_get_u64(bytes) == UINT64_MAX;
}

// what stands behind a word and a blank at the beginning of a line, which it cuts off; NULL if the
// line has another word
static const char *next_line(char **at, const char *word)
{
    char *line = *at, *end = strchr(line, '\n');
    const size_t length = strlen(word);
    if (end == NULL || strncmp(line, word, length) != 0 || line[length] != ' ')
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line + length + 1;
}

lgkt_status exp_origin_read(exp_origin *origin, const char *path, const unsigned char *bytes,
                            size_t size, lgkt_error *error)
{
    exp_origin_free(origin);
    origin->text = malloc(size - WORD + 1);
    if (origin->text == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    memcpy(origin->text, bytes + WORD, size - WORD);
    origin->text[size - WORD] = '\0';
    char *at = origin->text;
    const char *seed = NULL, *replicates = NULL, *quick = NULL, *shard = NULL;
    const bool lines = (origin->file = next_line(&at, "file")) != NULL &&
                       (origin->folder = next_line(&at, "folder")) != NULL &&
                       (seed = next_line(&at, "seed")) != NULL &&
                       (replicates = next_line(&at, "replicates")) != NULL &&
                       (quick = next_line(&at, "quick")) != NULL &&
                       (origin->prices = next_line(&at, "prices")) != NULL &&
                       (shard = next_line(&at, "shard")) != NULL && *at == '\n';
    if (!lines || !lgkt_seed_parse(seed, &origin->seed) ||
        !lgkt_integer_parse(replicates, &origin->replicates) ||
        (shard[0] != '\0' && exp_shard_parse(shard, &origin->shard, NULL) != LGKT_OK)) {
        exp_origin_free(origin);
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: the record of its origin is not readable",
                         io_short_name(path));
    }
    origin->quick = strcmp(quick, "1") == 0;
    origin->bytes = at + 1;
    origin->size = size - WORD - (size_t)(at + 1 - origin->text);
    return LGKT_OK;
}

void exp_origin_free(exp_origin *origin)
{
    free(origin->text);
    *origin = (exp_origin){0};
}
