// SPDX-License-Identifier: MIT
#include "ref/folders.h"

#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/plain/io_folder.h"
#include "io/plain/io_text.h"

static char root[] = "/tmp/lgkt-folders-XXXXXX";

int folders_make(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

const char *folders_root(void)
{
    return root;
}

void folders_empty(const char *folder)
{
    DIR *list = opendir(folder);
    if (list == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char *path = io_folder_file(folder, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) != 0) {
            folders_empty(path);
            rmdir(path);
        }
        free(path);
    }
    closedir(list);
}

int folders_remove(void **state)
{
    (void)state;
    folders_empty(root);
    return rmdir(root);
}

const char *folders_in(const char *name)
{
    static char path[4][96];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}

char *folders_read(const char *folder, const char *name, size_t *size)
{
    char *path = io_folder_file(folder, name), *bytes = NULL;
    lgkt_error error = {0};
    size_t length = 0;
    assert_ok(io_file_read(path, 1 << 26, &bytes, &length, &error), error);
    free(path);
    if (size != NULL)
        *size = length;
    return bytes;
}

// a new file, since some file systems bring a file to the disk when its contents are replaced
void folders_write(const char *folder, const char *name, const char *bytes, size_t size)
{
    char *path = io_folder_file(folder, name);
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(path);
}

void folders_same_file(const char *a, const char *b, const char *name)
{
    size_t size_a, size_b;
    char *bytes_a = folders_read(a, name, &size_a), *bytes_b = folders_read(b, name, &size_b);
    if (size_a != size_b || memcmp(bytes_a, bytes_b, size_a) != 0)
        fail_msg("%s differs", name);
    free(bytes_a);
    free(bytes_b);
}

void folders_same(const char *a, const char *b)
{
    static const char *const files[] = {"curves.csv", "summary.csv", "pairs.csv", "runs.csv",
                                        "manifest.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        folders_same_file(a, b, files[i]);
}
