// SPDX-License-Identifier: MIT
// Folders that hold results.
#include "io/plain/io_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/plain/io_text.h"

enum { PATH_SIZE = 4096 }; // a longer one there cannot be

char *io_folder_file(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

const char *io_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

lgkt_status io_folder_make(const char *path, lgkt_error *error)
{
    if (is_folder(path))
        return LGKT_OK;
    char parts[PATH_SIZE];
    bool made = snprintf(parts, sizeof parts, "%s", path) < PATH_SIZE;
    errno = ENAMETOOLONG;
    // each part of it that ends before a '/' or at the end
    for (char *c = parts; made && *c != '\0'; c++) {
        const char next = c[1];
        if (next != '/' && next != '\0')
            continue;
        c[1] = '\0';
        made = mkdir(parts, 0777) == 0;
        if (!made && errno == EEXIST) {
            made = is_folder(parts);
            errno = ENOTDIR;
        }
        c[1] = next;
    }
    return made && is_folder(path) ? LGKT_OK : io_fail_errno(error, path);
}

bool io_folder_has(const char *folder, const char *name)
{
    struct stat info;
    char path[PATH_SIZE]; // an answer must not depend on memory
    return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_SIZE &&
           lstat(path, &info) == 0;
}

void io_folder_clean(const char *folder, const char *name)
{
    DIR *list = opendir(folder);
    if (list == NULL)
        return;
    const size_t start = strlen(name);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        // NAME.PID.N.tmp
        const char *file = entry->d_name;
        int writer = 0, end = 0;
        if (strncmp(file, name, start) != 0 ||
            sscanf(file + start, ".%d.%*d.tmp%n", &writer, &end) < 1 || end == 0 ||
            file[start + (size_t)end] != '\0' || writer <= 0)
            continue;
        if (writer != getpid() && (kill(writer, 0) == 0 || errno == EPERM))
            continue;
        char *path = io_folder_file(folder, file);
        if (path != NULL)
            remove(path);
        free(path);
    }
    closedir(list);
}

lgkt_status io_folder_sync(const char *path, lgkt_error *error)
{
    const int folder = open(path, O_RDONLY | O_CLOEXEC);
    if (folder < 0)
        return io_fail_errno(error, path);
    // some file systems cannot do it for folders, which is no reason to fail
    const bool good = fsync(folder) == 0 || errno == EINVAL;
    const lgkt_status status = good ? LGKT_OK : io_fail_errno(error, path);
    close(folder);
    return status;
}
