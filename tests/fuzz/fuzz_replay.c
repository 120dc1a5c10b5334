// SPDX-License-Identifier: MIT
// fuzz_replay CORPUS: runs every target on every file in the archive CORPUS/<target>.tar. A target
// that fails ends the program, after the name of the file has been printed.

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

static void run_input(const target *t, const char *bytes, size_t size)
{
    // a block of the exact size, so that reading beyond its end is noticed
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        exit(1);
    memcpy(exact, bytes, size);
    t->run(exact, size);
    free(exact);
}

// A tar archive is a row of files: a block of 512 bytes with the name in front and the size, in
// octal digits, at 124; then the content in whole blocks. A block without a name is the end.
enum { BLOCK = 512, NAME = 100, SIZE_AT = 124 };

static int run_archive(const target *t, const char *corpus)
{
    char path[4096], *bytes;
    size_t size;
    lgkt_error error = {0};
    snprintf(path, sizeof path, "%s/%s.tar", corpus, t->name);
    if (io_file_read(path, (size_t)1 << 24, &bytes, &size, &error) != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    int files = 0;
    for (size_t at = 0; at + BLOCK <= size && bytes[at] != 0; files++) {
        const size_t length = strtoull(bytes + at + SIZE_AT, NULL, 8);
        if (length > size - at - BLOCK) {
            fprintf(stderr, "%s is cut\n", path);
            exit(1);
        }
        fprintf(stderr, "%s: %.*s\n", t->name, NAME, bytes + at);
        run_input(t, bytes + at + BLOCK, length);
        at += BLOCK + (length + BLOCK - 1) / BLOCK * BLOCK;
    }
    free(bytes);
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
        const int files = run_archive(&targets[i], argv[1]);
        printf("%-12s %d files\n", targets[i].name, files);
        missing += files == 0;
    }
    return missing > 0;
}
