// SPDX-License-Identifier: MIT
// An allocator that counts and fails. Each block has a head with its size and a mark, which tells a
// block that is freed twice or was never made here.

#include <stdlib.h>

#include "ref/fault.h"
#include "test.h"

#define MARK_LIVE  UINT64_C(0x6c6976652d626c6b)
#define MARK_FREED UINT64_C(0x67656e652d626c6b)

typedef union head {
    struct {
        size_t size;
        uint64_t mark;
    } block;
    max_align_t align;
} head;

static bool must_fail(const fault *f, long long call)
{
    return f->fail_at > 0 && (call == f->fail_at || (f->fail_after && call > f->fail_at));
}

static void raise_peak(fault *f, long long bytes)
{
    long long peak = atomic_load(&f->peak);
    while (bytes > peak && !atomic_compare_exchange_weak(&f->peak, &peak, bytes)) {
    }
}

static bool beyond_limit(const fault *f, size_t size)
{
    const long long left = f->limit - atomic_load(&f->bytes);
    return f->limit > 0 && (left < 0 || size > (unsigned long long)left);
}

static void *fault_alloc(void *ctx, size_t size)
{
    fault *f = ctx;
    const long long call = atomic_fetch_add(&f->calls, 1) + 1;
    const bool fails =
        must_fail(f, call) || beyond_limit(f, size) || size > SIZE_MAX - sizeof(head);
    head *made = fails ? NULL : malloc(sizeof(head) + size);
    if (made == NULL) {
        atomic_fetch_add(&f->refused, 1);
        return NULL;
    }
    made->block.size = size;
    made->block.mark = MARK_LIVE;
    atomic_fetch_add(&f->outstanding, 1);
    raise_peak(f, atomic_fetch_add(&f->bytes, (long long)size) + (long long)size);
    // memory that nobody zeroed must not look like zero
    memset(made + 1, 0xa5, size);
    return made + 1;
}

static void fault_free(void *ctx, void *memory)
{
    fault *f = ctx;
    head *block = (head *)memory - (memory != NULL);
    if (memory == NULL || block->block.mark != MARK_LIVE) {
        atomic_fetch_add(&f->bad_frees, 1);
        return;
    }
    block->block.mark = MARK_FREED;
    atomic_fetch_sub(&f->outstanding, 1);
    atomic_fetch_sub(&f->bytes, (long long)block->block.size);
    free(block);
}

void fault_init(fault *f)
{
    atomic_init(&f->calls, 0);
    atomic_init(&f->outstanding, 0);
    atomic_init(&f->bytes, 0);
    atomic_init(&f->peak, 0);
    atomic_init(&f->bad_frees, 0);
    atomic_init(&f->refused, 0);
    f->limit = 0;
    f->fail_at = 0;
    f->fail_after = false;
}

void fault_fail_at(fault *f, long long k, bool persistent)
{
    f->fail_at = k > 0 ? atomic_load(&f->calls) + k : 0;
    f->fail_after = persistent;
}

lgkt_allocator fault_allocator(fault *f)
{
    return (lgkt_allocator){.alloc = fault_alloc, .free = fault_free, .ctx = f};
}

bool fault_is_clean(const fault *f)
{
    return atomic_load(&f->outstanding) == 0 && atomic_load(&f->bytes) == 0 &&
           atomic_load(&f->bad_frees) == 0;
}

// ---- sweep ----

static void check_one_fault(fault_make_fn make, void *ctx, long long k, bool persistent)
{
    fault f;
    fault_init(&f);
    fault_fail_at(&f, k, persistent);
    const lgkt_allocator hooks = fault_allocator(&f);
    lgkt_error error = {0};
    const lgkt_status status = make(ctx, &hooks, &error);
    if (status != LGKT_ERR_NO_MEMORY || error.status != status || error.text[0] == '\0' ||
        !fault_is_clean(&f))
        fail_msg("allocation %lld failing %s: %s \"%s\", %lld blocks left, %lld bad frees", k,
                 persistent ? "for good" : "once", lgkt_status_name(status), error.text,
                 atomic_load(&f.outstanding), atomic_load(&f.bad_frees));
}

long long fault_sweep(fault_make_fn make, void *ctx)
{
    fault f;
    fault_init(&f);
    const lgkt_allocator hooks = fault_allocator(&f);
    lgkt_error error = {0};
    assert_ok(make(ctx, &hooks, &error), error);
    assert_true(fault_is_clean(&f));
    const long long calls = atomic_load(&f.calls);
    for (long long k = 1; k <= calls; k++) {
        check_one_fault(make, ctx, k, false);
        check_one_fault(make, ctx, k, true);
    }
    return calls;
}
