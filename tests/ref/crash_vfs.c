// SPDX-License-Identifier: MIT
#include "ref/crash_vfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 8, NAME = 64, SECTOR = 512 };

typedef struct image {
    unsigned char *bytes; // (room)
    sqlite3_int64 size, room;
} image;

typedef struct store_file {
    char name[NAME]; // "": free
    image now, disk;
    sqlite3_int64 dirty_from, dirty_to; // written since the last sync
    int opened;
} store_file;

typedef struct handle {
    sqlite3_file base;
    store_file *file;
    bool is_temporary;
} handle;

static struct {
    store_file files[FILES];
    crash_plan plan;
    int64_t operations, syncs, writes;
    lgkt_rng rng;
    int temporaries;
} disk;

// ---- images ----

static bool make_room(image *i, sqlite3_int64 size)
{
    if (size <= i->room)
        return true;
    const sqlite3_int64 room = 2 * size + 4096;
    unsigned char *bytes = realloc(i->bytes, (size_t)room);
    if (bytes == NULL)
        return false;
    memset(bytes + i->room, 0, (size_t)(room - i->room));
    i->bytes = bytes;
    i->room = room;
    return true;
}

static void set_size(image *i, sqlite3_int64 size)
{
    if (size < i->size)
        memset(i->bytes + size, 0, (size_t)(i->size - size));
    i->size = size;
}

static void release(store_file *f)
{
    free(f->now.bytes);
    free(f->disk.bytes);
    *f = (store_file){0};
}

static store_file *find(const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (strcmp(disk.files[i].name, name) == 0)
            return &disk.files[i];
    return NULL;
}

// ---- what goes wrong ----

static bool is_cut(bool counts)
{
    disk.operations += counts;
    return disk.plan.cut_at > 0 && disk.operations >= disk.plan.cut_at;
}

// ---- files ----

static int close_file(sqlite3_file *base)
{
    handle *h = (handle *)base;
    h->file->opened--;
    if (h->is_temporary)
        release(h->file);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *to, int count, sqlite3_int64 at)
{
    const image *now = &((handle *)base)->file->now;
    if (is_cut(false))
        return SQLITE_IOERR_READ;
    const sqlite3_int64 there = at >= now->size          ? 0
                                : now->size - at < count ? now->size - at
                                                         : count;
    if (there > 0)
        memcpy(to, now->bytes + at, (size_t)there);
    memset((char *)to + there, 0, (size_t)(count - there));
    return there < count ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static void soil(store_file *f, sqlite3_int64 from, sqlite3_int64 to)
{
    const bool clean = f->dirty_from >= f->dirty_to;
    f->dirty_from = clean || from < f->dirty_from ? from : f->dirty_from;
    f->dirty_to = clean || to > f->dirty_to ? to : f->dirty_to;
}

static int write_file(sqlite3_file *base, const void *from, int count, sqlite3_int64 at)
{
    store_file *f = ((handle *)base)->file;
    if (is_cut(true))
        return SQLITE_IOERR_WRITE;
    disk.writes++;
    if (disk.writes >= disk.plan.full_from && disk.writes < disk.plan.full_to)
        return SQLITE_FULL;
    if (!make_room(&f->now, at + count))
        return SQLITE_IOERR_NOMEM;
    memcpy(f->now.bytes + at, from, (size_t)count);
    if (at + count > f->now.size)
        f->now.size = at + count;
    soil(f, at, at + count);
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size)
{
    store_file *f = ((handle *)base)->file;
    if (is_cut(true))
        return SQLITE_IOERR_TRUNCATE;
    soil(f, size, f->now.size);
    set_size(&f->now, size);
    return SQLITE_OK;
}

static int sync_file(sqlite3_file *base, int flags)
{
    store_file *f = ((handle *)base)->file;
    (void)flags;
    if (is_cut(true))
        return SQLITE_IOERR_FSYNC;
    const bool fails = ++disk.syncs == disk.plan.fail_sync;
    const sqlite3_int64 to = f->dirty_to < f->now.size ? f->dirty_to : f->now.size;
    if (!fails && !make_room(&f->disk, f->now.size))
        return SQLITE_IOERR_NOMEM;
    if (!fails) {
        set_size(&f->disk, f->now.size);
        if (f->dirty_from < to)
            memcpy(f->disk.bytes + f->dirty_from, f->now.bytes + f->dirty_from,
                   (size_t)(to - f->dirty_from));
    }
    f->dirty_from = f->dirty_to = 0;
    return fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int size_file(sqlite3_file *base, sqlite3_int64 *size)
{
    *size = ((handle *)base)->file->now.size;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *base, int level)
{
    (void)base;
    (void)level;
    return SQLITE_OK;
}

static int check_lock(sqlite3_file *base, int *is_held)
{
    (void)base;
    *is_held = 0;
    return SQLITE_OK;
}

static int control_file(sqlite3_file *base, int what, void *argument)
{
    (void)base;
    (void)what;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base)
{
    (void)base;
    return SECTOR;
}

static int characteristics(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods METHODS = {.iVersion = 1,
                                           .xClose = close_file,
                                           .xRead = read_file,
                                           .xWrite = write_file,
                                           .xTruncate = truncate_file,
                                           .xSync = sync_file,
                                           .xFileSize = size_file,
                                           .xLock = lock_file,
                                           .xUnlock = lock_file,
                                           .xCheckReservedLock = check_lock,
                                           .xFileControl = control_file,
                                           .xSectorSize = sector_size,
                                           .xDeviceCharacteristics = characteristics};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out)
{
    handle *h = (handle *)base;
    char own[NAME];
    (void)vfs;
    base->pMethods = NULL;
    if (name == NULL)
        sqlite3_snprintf(sizeof own, own, "temporary-%d", disk.temporaries++);
    else
        sqlite3_snprintf(sizeof own, own, "%s", name);
    h->is_temporary = name == NULL;
    h->file = find(own);
    if (h->file == NULL && (flags & SQLITE_OPEN_CREATE) && (h->file = find("")) != NULL)
        strcpy(h->file->name, own);
    if (h->file == NULL || is_cut(false))
        return SQLITE_CANTOPEN;
    h->file->opened++;
    base->pMethods = &METHODS;
    if (out != NULL)
        *out = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    store_file *f = find(name);
    (void)vfs;
    (void)sync;
    if (is_cut(true))
        return SQLITE_IOERR_DELETE;
    if (f == NULL)
        return SQLITE_IOERR_DELETE_NOENT;
    release(f);
    return SQLITE_OK;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *there)
{
    (void)vfs;
    (void)flags;
    *there = find(name) != NULL;
    return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int count, char *full)
{
    (void)vfs;
    sqlite3_snprintf(count, full, "%s", name);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes)
{
    (void)vfs;
    for (int i = 0; i < count; i++)
        bytes[i] = (char)lgkt_rng_below(&disk.rng, 256);
    return count;
}

static int sleep_not(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static int tell_time(sqlite3_vfs *vfs, double *days)
{
    (void)vfs;
    *days = 2460000;
    return SQLITE_OK;
}

// ---- crashes ----

static void crash_file(store_file *f)
{
    // of a file that was cut, too, the old size or the new one
    const sqlite3_int64 sizes[2] = {f->disk.size, f->now.size};
    const sqlite3_int64 size = sizes[lgkt_rng_below(&disk.rng, 2)];
    if (!make_room(&f->disk, size) || !make_room(&f->now, size))
        abort();
    for (sqlite3_int64 at = 0; at < size; at += SECTOR) {
        const sqlite3_int64 end = size < f->now.size ? size : f->now.size;
        const size_t count = end - at < SECTOR ? (size_t)(end - at) : SECTOR;
        const int fate = lgkt_rng_below(&disk.rng, 4); // old, new twice as often, torn
        // what was cut off is there as it was, or not at all
        if (at >= end || fate == 0 || memcmp(f->disk.bytes + at, f->now.bytes + at, count) == 0)
            continue;
        memcpy(f->disk.bytes + at, f->now.bytes + at,
               fate < 3 ? count : (size_t)lgkt_rng_below(&disk.rng, (int32_t)count));
    }
    set_size(&f->disk, size);
    if (size > 0)
        memcpy(f->now.bytes, f->disk.bytes, (size_t)size);
    set_size(&f->now, size);
    f->dirty_from = f->dirty_to = 0;
}

void crash_vfs_crash(void)
{
    for (int i = 0; i < FILES; i++) {
        store_file *f = &disk.files[i];
        if (f->name[0] == '\0')
            continue;
        if (f->opened != 0)
            abort();
        // a file of which nothing was synced may be gone
        if (f->disk.bytes == NULL && lgkt_rng_below(&disk.rng, 2) == 0)
            release(f);
        else
            crash_file(f);
    }
    crash_vfs_plan((crash_plan){0});
}

void crash_vfs_start(uint64_t seed)
{
    static sqlite3_vfs vfs = {.iVersion = 1,
                              .szOsFile = sizeof(handle),
                              .mxPathname = NAME - 1,
                              .zName = "crash",
                              .xOpen = open_file,
                              .xDelete = delete_file,
                              .xAccess = access_file,
                              .xFullPathname = full_name,
                              .xRandomness = randomness,
                              .xSleep = sleep_not,
                              .xCurrentTime = tell_time};
    disk.rng = lgkt_rng_stream(seed, "crashes", 0);
    sqlite3_vfs_register(&vfs, 0);
}

void crash_vfs_clear(void)
{
    for (int i = 0; i < FILES; i++)
        release(&disk.files[i]);
    crash_vfs_plan((crash_plan){0});
}

void crash_vfs_plan(crash_plan plan)
{
    disk.plan = plan;
    disk.operations = disk.syncs = disk.writes = 0;
}

bool crash_vfs_lost(void)
{
    return disk.plan.fail_sync > 0 && disk.syncs >= disk.plan.fail_sync;
}
