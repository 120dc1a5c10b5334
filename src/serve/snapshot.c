// SPDX-License-Identifier: MIT
// Snapshots: the whole of a machine as bytes, and back.
//
// One walk serves saving, loading and hashing (core/archive.h). The learner is in it as
// lgkt_units_save writes it. Loading trusts nothing: what is out of range is refused.

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/archive.h"
#include "core/hash.h"
#include "serve/machine_private.h"

static const char MARK[8] = "LGKTSRV1";

// Bytes of any number; when loading they are made, with a zero behind them.
static void visit_sized(srv_machine *m, lgkt_archive *archive, void **bytes, int64_t *size,
                        int64_t most)
{
    lgkt_visit_i64(archive, size, 1, 0, most);
    if (archive->mode == LGKT_ARCHIVE_LOAD) {
        if (archive->bad || (size_t)*size > archive->capacity - archive->at) {
            archive->bad = true;
            return;
        }
        *bytes = lgkt_alloc_zeroed(&m->allocator, (size_t)*size + 1, 1);
        if (*bytes == NULL) {
            lgkt_archive_starve(archive);
            return;
        }
    }
    lgkt_visit_bytes(archive, *bytes, (size_t)*size);
}

static void visit_flag(lgkt_archive *archive, bool *flag)
{
    int32_t value = *flag;
    lgkt_visit_i32(archive, &value, 1, 0, 1);
    *flag = value != 0;
}

static int64_t times_of(const srv_programme *p)
{
    int64_t sum = 0;
    for (int32_t l = 0; l < p->limits; l++)
        sum += p->limit[l].most;
    return sum;
}

static void visit_unit(srv_machine *m, lgkt_archive *archive, srv_unit *unit)
{
    bool is_there = unit->name != NULL, has_place = unit->place != NULL,
         has_times = unit->times != NULL;
    visit_flag(archive, &is_there);
    lgkt_visit_i64(archive, &unit->last, 1, 0, m->head.seq);
    if (!is_there || archive->bad) {
        unit->decision = -1;
        unit->is_free = true;
        return;
    }
    void *name = unit->name, *place = unit->place;
    visit_sized(m, archive, &name, &unit->name_size, SRV_MAX_NAME);
    unit->name = name;
    archive->bad |= unit->name_size == 0;
    lgkt_visit_i64(archive, &unit->decision, 1, 0, m->made - 1);
    visit_flag(archive, &unit->is_free);
    visit_flag(archive, &unit->is_reported);
    visit_flag(archive, &has_place);
    if (has_place && !archive->bad)
        visit_sized(m, archive, &place, &unit->place_size, SRV_MAX_STATE);
    unit->place = place;
    archive->bad |= unit->place == NULL;
    visit_flag(archive, &has_times);
    const int64_t count = times_of(&m->programme);
    if (!has_times || archive->bad)
        return;
    if (archive->mode == LGKT_ARCHIVE_LOAD) {
        unit->times = lgkt_alloc_zeroed(&m->allocator, (size_t)count, sizeof *unit->times);
        if (unit->times == NULL) {
            lgkt_archive_starve(archive);
            return;
        }
    }
    lgkt_visit_i64(archive, unit->times, (size_t)count, 0, INT64_MAX);
}

static void visit_units(srv_machine *m, lgkt_archive *archive)
{
    lgkt_visit_i32(archive, &m->count, 1, 0, INT32_MAX - 1);
    if (archive->mode == LGKT_ARCHIVE_LOAD) {
        const int64_t count = m->count;
        m->count = 0;
        // each takes 16 bytes at least
        if (archive->bad || (size_t)count > (archive->capacity - archive->at) / 16) {
            archive->bad = true;
            return;
        }
        m->all = lgkt_alloc_zeroed(&m->allocator, (size_t)count, sizeof *m->all);
        if (m->all == NULL) {
            lgkt_archive_starve(archive);
            return;
        }
        m->capacity = (size_t)count;
        m->count = (int32_t)count;
    }
    for (int32_t i = 0; i < m->count && !archive->bad; i++) {
        visit_unit(m, archive, &m->all[i]);
        m->present += archive->mode == LGKT_ARCHIVE_LOAD && m->all[i].name != NULL;
    }
}

// one open decision
enum { OPEN_BYTES = 53 };
static void visit_open(const srv_machine *m, lgkt_archive *archive, srv_open *open)
{
    unsigned char bytes[OPEN_BYTES];
    const uint64_t words[2] = {(uint64_t)open->seq, (uint64_t)open->time};
    for (int i = 0; i < 2; i++)
        lgkt_put_u64(bytes + 8 * i, words[i]);
    memcpy(bytes + 16, &open->reward, 8);
    memcpy(bytes + 24, &open->expected, 8);
    const int32_t small[3] = {open->unit, open->action, (int32_t)open->source};
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < 4; b++)
            bytes[32 + 4 * i + b] = (unsigned char)((uint32_t)small[i] >> (8 * b));
    bytes[44] = (unsigned char)open->told;
    memcpy(bytes + 45, &open->weight, 8);
    lgkt_visit_bytes(archive, bytes, sizeof bytes);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return;
    open->seq = (int64_t)lgkt_get_u64(bytes);
    open->time = (int64_t)lgkt_get_u64(bytes + 8);
    memcpy(&open->reward, bytes + 16, 8);
    memcpy(&open->expected, bytes + 24, 8);
    int32_t *const places[3] = {&open->unit, &open->action, (int32_t *)&open->source};
    for (int i = 0; i < 3; i++)
        *places[i] =
            (int32_t)((uint32_t)bytes[32 + 4 * i] | (uint32_t)bytes[33 + 4 * i] << 8 |
                      (uint32_t)bytes[34 + 4 * i] << 16 | (uint32_t)bytes[35 + 4 * i] << 24);
    open->told = bytes[44];
    memcpy(&open->weight, bytes + 45, 8);
    archive->bad |= open->seq < 1 || open->seq > m->head.seq || open->time < 0 || open->unit < 0 ||
                    open->unit >= m->count || open->action < 0 ||
                    open->action >= m->programme.actions ||
                    (uint32_t)open->source >= SRV_SOURCE_COUNT || open->told > 15;
}

static void visit_decisions(srv_machine *m, lgkt_archive *archive)
{
    const int64_t held = m->made < m->programme.patience ? m->made : m->programme.patience;
    if (archive->mode == LGKT_ARCHIVE_LOAD) {
        if (archive->bad || (size_t)held > (archive->capacity - archive->at) / OPEN_BYTES) {
            archive->bad = true;
            return;
        }
        m->ring = 256;
        while (m->ring < held)
            m->ring *= 2;
        m->open = lgkt_alloc_zeroed(&m->allocator, (size_t)m->ring, sizeof *m->open);
        if (m->open == NULL) {
            lgkt_archive_starve(archive);
            return;
        }
    }
    for (int64_t i = m->made - held; i < m->made && !archive->bad; i++)
        visit_open(m, archive, &m->open[i & (m->ring - 1)]);
}

static void visit_learner(srv_machine *m, lgkt_archive *archive, lgkt_error *error)
{
    void *bytes = NULL;
    int64_t count = 0;
    size_t size = 0;
    if (archive->mode != LGKT_ARCHIVE_LOAD) {
        lgkt_units_save(m->units, NULL, 0, &size, NULL);
        count = (int64_t)size;
        lgkt_visit_i64(archive, &count, 1, 0, INT64_MAX);
        const bool fits = archive->out != NULL && archive->capacity - archive->at >= size;
        if (fits &&
            lgkt_units_save(m->units, archive->out + archive->at, size, &size, error) != LGKT_OK)
            archive->bad = true;
        archive->at += size;
        return;
    }
    visit_sized(m, archive, &bytes, &count, INT64_MAX);
    if (!archive->bad) {
        lgkt_learner_config config = lgkt_learner_config_default();
        config.allocator = m->allocator;
        const lgkt_status status = lgkt_units_load(bytes, (size_t)count, &config, &m->units, error);
        archive->bad = status != LGKT_OK;
        if (status == LGKT_ERR_NO_MEMORY)
            lgkt_archive_starve(archive);
    }
    lgkt_free(&m->allocator, bytes);
}

// The config as text.
static void visit_config(srv_machine *m, lgkt_archive *archive, lgkt_error *error)
{
    char *text = NULL;
    void *bytes = NULL;
    int64_t size = 0;
    if (archive->mode != LGKT_ARCHIVE_LOAD) {
        size_t length = 0;
        text = srv_json_text(m->programme.config, &length);
        bytes = text;
        size = (int64_t)length;
        if (text == NULL)
            lgkt_archive_starve(archive);
        visit_sized(m, archive, &bytes, &size, 1 << 24);
        free(text);
        return;
    }
    visit_sized(m, archive, &bytes, &size, 1 << 24);
    json_t *config = archive->bad ? NULL : json_loadb(bytes, (size_t)size, 0, NULL);
    srv_draw_secrets(m);
    archive->bad |=
        config == NULL || srv_programme_read(config, 0, &m->programme, error) != LGKT_OK;
    json_decref(config);
    lgkt_free(&m->allocator, bytes);
    if (!archive->bad && !srv_monitor_create(&m->monitor, m->programme.actions, &m->allocator))
        lgkt_archive_starve(archive);
}

static void visit(srv_machine *m, lgkt_archive *archive, lgkt_error *error)
{
    char mark[sizeof MARK];
    memcpy(mark, MARK, sizeof mark);
    lgkt_visit_bytes(archive, mark, sizeof mark);
    archive->bad |= memcmp(mark, MARK, sizeof mark) != 0;
    lgkt_visit_bytes(archive, m->entropy, sizeof m->entropy);
    visit_config(m, archive, error);
    lgkt_visit_i32(archive, &m->numbers, 1, 0, INT32_MAX);
    lgkt_visit_bytes(archive, m->build, sizeof m->build);
    archive->bad |= m->build[sizeof m->build - 1] != '\0';
    lgkt_visit_i64(archive, &m->head.seq, 1, 1, INT64_MAX);
    lgkt_visit_bytes(archive, m->head.chain, SRV_HASH);
    lgkt_visit_i64(archive, &m->time, 1, 0, INT64_MAX);
    lgkt_visit_i64(archive, &m->made, 1, 0, m->head.seq);
    lgkt_visit_i64(archive, &m->version, 1, 1, m->head.seq);
    visit_units(m, archive);
    visit_decisions(m, archive);
    if (!archive->bad)
        srv_monitor_visit(&m->monitor, m->programme.actions, archive);
    visit_learner(m, archive, error);
}

lgkt_status srv_machine_save(const srv_machine *m, srv_bytes *bytes, lgkt_error *error)
{
    // saving and hashing change nothing
    srv_machine *own = (srv_machine *)(uintptr_t)m;
    lgkt_archive archive = lgkt_archive_save(NULL, 0);
    visit(own, &archive, error);
    const lgkt_allocator usual = lgkt_allocator_resolve(bytes->allocator);
    void *at = bytes->at;
    if (archive.bad || !lgkt_grow(&usual, &at, &bytes->capacity, 0, archive.at, 1))
        return lgkt_fail_memory(error, "a snapshot");
    bytes->at = at;
    bytes->size = archive.at;
    archive = lgkt_archive_save(bytes->at, bytes->size);
    visit(own, &archive, error);
    return archive.bad || archive.at != bytes->size ? lgkt_fail_memory(error, "a snapshot")
                                                    : LGKT_OK;
}

uint64_t srv_machine_hash(const srv_machine *m)
{
    srv_bytes bytes = {.allocator = &m->allocator};
    uint64_t hash = 0;
    if (srv_machine_save(m, &bytes, NULL) == LGKT_OK)
        hash = lgkt_hash_bytes(LGKT_HASH_START, bytes.at, bytes.size);
    srv_bytes_release(&bytes);
    return hash;
}

lgkt_status srv_machine_load(srv_machine *m, const void *bytes, size_t size, lgkt_error *error)
{
    lgkt_error why = {0};
    lgkt_archive archive = lgkt_archive_load(bytes, size);
    visit(m, &archive, &why);
    const srv_programme *p = &m->programme;
    archive.bad |= archive.at != size || m->present > p->unit_limit ||
                   lgkt_units_decisions(m->units) != m->made ||
                   lgkt_units_count(m->units) != m->present;
    if (!archive.bad && !srv_index_units(m))
        lgkt_archive_starve(&archive);
    if (!archive.bad)
        return LGKT_OK;
    m->broken = true;
    if (archive.starved)
        return lgkt_fail_memory(error, "a snapshot");
    return lgkt_fail(error, LGKT_ERR_FORMAT, "the snapshot is damaged%s%s",
                     why.text[0] != '\0' ? ": " : "", why.text);
}
