// SPDX-License-Identifier: MIT
// Units by name, decisions that are open to reports, and limits per action and window.

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "serve/machine_private.h"

// ---- units ----

static int32_t *slot_of(const srv_machine *m, const char *name, size_t size)
{
    const uint64_t mask = (uint64_t)m->slot_count - 1;
    uint64_t at = lgkt_siphash(m->hash_secret, name, size) & mask;
    for (;; at = (at + 1) & mask) {
        const int32_t number = m->slots[at] - 1;
        if (number < 0)
            return &m->slots[at];
        const srv_unit *unit = &m->all[number];
        if ((size_t)unit->name_size == size && memcmp(unit->name, name, size) == 0)
            return &m->slots[at];
    }
}

int32_t srv_find_unit(const srv_machine *m, const char *name, size_t size)
{
    return m->slot_count > 0 ? *slot_of(m, name, size) - 1 : -1;
}

bool srv_index_units(srv_machine *m)
{
    int64_t count = 64;
    while (count < 2 * ((int64_t)m->present + 1))
        count *= 2;
    if (count > m->slot_count) {
        int32_t *slots = lgkt_alloc_zeroed(&m->allocator, (size_t)count, sizeof *slots);
        if (slots == NULL)
            return false;
        lgkt_free(&m->allocator, m->slots);
        m->slots = slots;
        m->slot_count = count;
    }
    memset(m->slots, 0, (size_t)m->slot_count * sizeof *m->slots);
    for (int32_t i = 0; i < m->count; i++)
        if (m->all[i].name != NULL)
            *slot_of(m, m->all[i].name, (size_t)m->all[i].name_size) = i + 1;
    return true;
}

bool srv_add_unit(srv_machine *m, const char *name, size_t size)
{
    void *all = m->all;
    if (!lgkt_grow(&m->allocator, &all, &m->capacity, (size_t)m->count, (size_t)m->count + 1,
                   sizeof *m->all))
        return false;
    m->all = all;
    if (m->slot_count < 2 * ((int64_t)m->present + 2) && !srv_index_units(m))
        return false;
    char *copy = lgkt_alloc_zeroed(&m->allocator, size + 1, 1);
    if (copy == NULL)
        return false;
    memcpy(copy, name, size);
    *slot_of(m, name, size) = m->count + 1;
    m->all[m->count++] =
        (srv_unit){.name = copy, .name_size = (int64_t)size, .decision = -1, .is_free = true};
    m->present++;
    return true;
}

void srv_drop_unit(srv_machine *m, int32_t unit)
{
    srv_unit *gone = &m->all[unit];
    lgkt_free(&m->allocator, gone->name);
    lgkt_free(&m->allocator, gone->place);
    lgkt_free(&m->allocator, gone->times);
    *gone = (srv_unit){.last = gone->last, .decision = -1, .is_free = true};
    m->present--;
    srv_index_units(m); // into the slots that are there: never fails
}

bool srv_put_place(srv_machine *m, srv_unit *unit, const void *state, size_t size)
{
    if ((size_t)unit->place_size != size || unit->place == NULL) {
        unsigned char *place = lgkt_alloc_zeroed(&m->allocator, size, 1);
        if (place == NULL)
            return false;
        lgkt_free(&m->allocator, unit->place);
        unit->place = place;
        unit->place_size = (int64_t)size;
    }
    memcpy(unit->place, state, size);
    return true;
}

// ---- decisions ----

srv_open *srv_open_at(const srv_machine *m, int64_t decision, int *status)
{
    if (decision >= 0 && decision < m->made && decision >= m->made - m->programme.patience) {
        srv_open *open = &m->open[decision & (m->ring - 1)];
        if (m->all[open->unit].name != NULL)
            return open;
    }
    *status = decision >= 0 && decision < m->made ? 410 : 404;
    return NULL;
}

bool srv_make_room(srv_machine *m)
{
    const int64_t held = m->made < m->programme.patience ? m->made : m->programme.patience;
    if (held < m->ring)
        return true;
    const int64_t ring = m->ring > 0 ? 2 * m->ring : 256;
    srv_open *open = lgkt_alloc_zeroed(&m->allocator, (size_t)ring, sizeof *open);
    if (open == NULL)
        return false;
    for (int64_t i = m->made - held; i < m->made; i++)
        open[i & (ring - 1)] = m->open[i & (m->ring - 1)];
    lgkt_free(&m->allocator, m->open);
    m->open = open;
    m->ring = ring;
    return true;
}

// ---- limits ----

// where the times of a limit begin in those of a unit; of the limit behind the last: how many there are
static int32_t offset_of(const srv_programme *p, int32_t limit)
{
    int32_t offset = 0;
    for (int32_t l = 0; l < limit; l++)
        offset += p->limit[l].most;
    return offset;
}

bool srv_apply_limits(const srv_machine *m, int32_t unit, int64_t time, unsigned char *allowed)
{
    const srv_programme *p = &m->programme;
    const int64_t *times = unit >= 0 ? m->all[unit].times : NULL;
    for (int32_t l = 0; l < p->limits && times != NULL; l++) {
        const srv_limit *limit = &p->limit[l];
        const int64_t oldest = times[offset_of(p, l) + limit->most - 1];
        if (oldest != 0 && oldest > time - limit->window)
            allowed[limit->action] = 0;
    }
    return memchr(allowed, 1, (size_t)p->actions) != NULL;
}

bool srv_count_limits(srv_machine *m, srv_unit *unit, int32_t action, int64_t time)
{
    const srv_programme *p = &m->programme;
    for (int32_t l = 0; l < p->limits; l++) {
        const srv_limit *limit = &p->limit[l];
        if (limit->action != action)
            continue;
        const size_t all = (size_t)offset_of(p, p->limits);
        if (unit->times == NULL)
            unit->times = lgkt_alloc_zeroed(&m->allocator, all, sizeof *unit->times);
        if (unit->times == NULL)
            return false;
        int64_t *times = unit->times + offset_of(p, l);
        memmove(times + 1, times, (size_t)(limit->most - 1) * sizeof *times);
        times[0] = time;
    }
    return true;
}

void srv_uncount_limits(srv_machine *m, srv_unit *unit, int32_t action, int64_t time)
{
    const srv_programme *p = &m->programme;
    for (int32_t l = 0; l < p->limits && unit->times != NULL; l++) {
        const srv_limit *limit = &p->limit[l];
        int64_t *times = unit->times + offset_of(p, l);
        int32_t i = 0;
        while (i < limit->most && times[i] != time)
            i++;
        if (limit->action != action || i == limit->most)
            continue;
        memmove(times + i, times + i + 1, (size_t)(limit->most - 1 - i) * sizeof *times);
        times[limit->most - 1] = 0;
    }
}

bool srv_move_limits(srv_machine *m, const srv_programme *before)
{
    const srv_programme *now = &m->programme;
    const size_t all = (size_t)offset_of(now, now->limits);
    for (int32_t u = 0; u < m->count; u++) {
        srv_unit *unit = &m->all[u];
        if (unit->times == NULL)
            continue;
        int64_t *times = lgkt_alloc_zeroed(&m->allocator, all, sizeof *times);
        if (times == NULL)
            return false;
        for (int32_t l = 0; l < now->limits; l++)
            for (int32_t b = 0; b < before->limits; b++) {
                const srv_limit *later = &now->limit[l], *old = &before->limit[b];
                const int32_t both = later->most < old->most ? later->most : old->most;
                if (later->action == old->action)
                    memcpy(times + offset_of(now, l), unit->times + offset_of(before, b),
                           (size_t)both * sizeof *times);
            }
        lgkt_free(&m->allocator, unit->times);
        unit->times = times;
    }
    return true;
}
