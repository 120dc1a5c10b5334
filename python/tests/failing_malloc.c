// SPDX-License-Identifier: MIT
// For LD_PRELOAD: the n-th call of malloc, calloc or realloc after fail_at(n) fails, and all that
// follow until fail_at(0), if `lasting`.
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static _Thread_local long left;
static _Thread_local int lasts, failed;

void fail_at(long n, int lasting);
int has_failed(void);

void fail_at(long n, int lasting)
{
    left = n;
    lasts = lasting;
    failed = n == 0 ? failed : 0;
}

int has_failed(void)
{
    return failed;
}

static int fails(void)
{
    if (left == 0 || (left > 1 && left-- > 0))
        return 0;
    left = lasts ? 1 : 0;
    errno = ENOMEM;
    return failed = 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}
