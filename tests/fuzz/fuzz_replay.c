// SPDX-License-Identifier: MIT
// fuzz_replay CORPUS: runs every target on every file of CORPUS/<target>/. A target that fails ends
// the program, after the name of the file has been printed.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "io/plain/io_text.h"

typedef struct target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} target;

#define ROW(name) {#name, fuzz_##name},
static const target targets[] = {FUZZ_TARGETS(ROW)};
#undef ROW

static void run_file(const target *t, const char *path)
{
    char *bytes;
    size_t size;
    lgkt_error error = {0};
    if (io_file_read(path, (size_t)1 << 24, &bytes, &size, &error) != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    fprintf(stderr, "%s\n", path);
    // a block of the exact size, so that reading beyond its end is noticed
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        exit(1);
    memcpy(exact, bytes, size);
    free(bytes);
    t->run(exact, size);
    free(exact);
}

static int run_folder(const target *t, const char *corpus)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", corpus, t->name);
    DIR *folder = opendir(path);
    int files = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", corpus, t->name, entry->d_name);
        run_file(t, path);
        files++;
    }
    if (folder != NULL)
        closedir(folder);
    return files;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_replay CORPUS\n");
        return 2;
    }
    int missing = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const int files = run_folder(&targets[i], argv[1]);
        printf("%-12s %d files\n", targets[i].name, files);
        missing += files == 0;
    }
    return missing > 0;
}
