// SPDX-License-Identifier: MIT
// Idempotency keys of a SQLite store.
//
// A key is 16 random bytes, so each of a group belongs to another page of the index: writing them at
// once writes more pages for the index than for the log. New ones are kept in memory instead, by
// their first byte, and after every PART_EACH records one such part goes to the index, in order, many
// to a page. The log has them in the meantime; when a store is opened they are read from its last
// records. A row of the index whose key is one byte is the mark of a part: all its keys of records up
// to that one are in the index.
//
// Most keys that are looked up are new. Bits say so without a look at the index; of a file that is
// opened they are made of one part after the other, when it is its turn.

#include <stdlib.h>
#include <string.h>

#include "serve/sqlite_private.h"

// ---- in memory ----

static bool add(sqlite_store *s, const unsigned char key[SRV_HASH], int64_t seq)
{
    key_part *part = &s->fresh[key[0]];
    if (part->count == part->room) {
        const size_t room = part->room > 0 ? 2 * part->room : 16;
        fresh_key *at = realloc(part->at, room * sizeof *at);
        if (at == NULL)
            return false;
        part->at = at;
        part->room = room;
    }
    fresh_key *own = &part->at[part->count++];
    memcpy(own->key, key, SRV_HASH);
    own->seq = seq;
    return true;
}

static void take_back(sqlite_store *s, const unsigned char key[SRV_HASH], int64_t seq)
{
    key_part *part = &s->fresh[key[0]];
    for (size_t i = part->count; i-- > 0;)
        if (part->at[i].seq == seq && memcmp(part->at[i].key, key, SRV_HASH) == 0) {
            part->at[i] = part->at[--part->count];
            return;
        }
}

static uint32_t bit_of(const key_part *part, const unsigned char *key, int i)
{
    uint32_t word;
    memcpy(&word, key + 4 + 4 * i, sizeof word);
    return word & (part->bits - 1);
}

static bool has_bits(const key_part *part, const unsigned char *key)
{
    bool has = true;
    for (int i = 0; i < 2; i++) {
        const uint32_t bit = bit_of(part, key, i);
        has = has && (part->seen[bit / 8] >> bit % 8 & 1) != 0;
    }
    return has;
}

int64_t srv_keys_find(const sqlite_store *s, const unsigned char key[SRV_HASH])
{
    const key_part *part = &s->fresh[key[0]];
    for (size_t i = part->count; i-- > 0;)
        if (memcmp(part->at[i].key, key, SRV_HASH) == 0 && part->at[i].seq > s->forgotten)
            return part->at[i].seq;
    return part->seen == NULL || has_bits(part, key) ? -1 : 0;
}

// ---- what the index may have ----

enum { BITS_EACH = 16, FEWEST_BITS = 1024 };

static void forget_bits(key_part *part)
{
    free(part->seen);
    part->seen = NULL;
    part->bits = part->rows = 0;
}

// Room for so many rows, none of which has its bits yet.
static void clear_bits(key_part *part, uint32_t rows)
{
    uint32_t bits = FEWEST_BITS;
    while (bits < 2 * BITS_EACH * rows)
        bits *= 2;
    forget_bits(part);
    part->seen = calloc(bits / 8, 1);
    part->bits = part->seen != NULL ? bits : 0;
}

static void set_bits(key_part *part, const unsigned char *key)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t bit = bit_of(part, key, i);
        part->seen[bit / 8] |= (unsigned char)(1u << bit % 8);
    }
    part->rows++;
}

// Goes through the rows of a part, setting their bits if they have room; false on failure.
static bool read_part(sqlite_store *s, unsigned char number, bool sets, uint32_t *rows)
{
    unsigned char last[SRV_HASH + 1]; // behind all that begin with it
    sqlite3_stmt *read = s->statement[READ_PART];
    key_part *part = &s->fresh[number];
    memset(last, 0xff, sizeof last);
    last[0] = number;
    srv_sqlite_bind(read, 1, &number, 1);
    srv_sqlite_bind(read, 2, last, sizeof last);
    int code;
    *rows = 0;
    while ((code = sqlite3_step(read)) == SQLITE_ROW) {
        ++*rows;
        if (sets && sqlite3_column_bytes(read, 0) == SRV_HASH)
            set_bits(part, sqlite3_column_blob(read, 0));
    }
    sqlite3_reset(read);
    return code == SQLITE_DONE;
}

// After a part was brought to the index.
static bool note_part(sqlite_store *s, unsigned char number)
{
    key_part *part = &s->fresh[number];
    uint32_t rows = 0;
    if (part->seen != NULL && (part->rows + part->count) * BITS_EACH <= part->bits) {
        for (size_t i = 0; i < part->count; i++)
            set_bits(part, part->at[i].key);
        return true;
    }
    if (!read_part(s, number, false, &rows))
        return false;
    clear_bits(part, rows);
    return part->seen == NULL || read_part(s, number, true, &rows);
}

static int compare(const void *a, const void *b)
{
    return memcmp(((const fresh_key *)a)->key, ((const fresh_key *)b)->key, SRV_HASH);
}

// ---- opening ----

static bool put(sqlite_store *s, int which, const unsigned char *key, size_t size, int64_t seq)
{
    srv_sqlite_bind(s->statement[which], 1, key, size);
    sqlite3_bind_int64(s->statement[which], 2, seq);
    return srv_sqlite_done(s, which);
}

// Parts without a mark, as all are of a new file, get one: what there is by now is in the index.
static bool put_marks(sqlite_store *s, int64_t head)
{
    bool good = srv_sqlite_done(s, BEGIN);
    for (int i = 0; i < KEY_PARTS && good; i++) {
        const unsigned char part = (unsigned char)i;
        srv_sqlite_bind(s->statement[FIND_KEY], 1, &part, 1);
        const int code = sqlite3_step(s->statement[FIND_KEY]);
        sqlite3_reset(s->statement[FIND_KEY]);
        good = code == SQLITE_ROW || (code == SQLITE_DONE && put(s, PUT_MARK, &part, 1, head));
    }
    return good && srv_sqlite_done(s, COMMIT);
}

lgkt_status srv_keys_open(sqlite_store *s, int64_t head, lgkt_error *error)
{
    int64_t marks[KEY_PARTS], first = head, newest = 0;
    sqlite3_stmt *find = s->statement[FIND_KEY], *read = s->statement[READ_RECORDS];
    int code = SQLITE_DONE;
    bool is_marked = true;
    for (int i = 0; i < KEY_PARTS; i++) {
        const unsigned char part = (unsigned char)i;
        srv_sqlite_bind(find, 1, &part, 1);
        code = sqlite3_step(find);
        is_marked = is_marked && code == SQLITE_ROW;
        marks[i] = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : head;
        sqlite3_reset(find);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return srv_sqlite_failed(s, "keys", error);
        newest = marks[i] > newest ? marks[i] : newest;
        if (marks[i] == 0) // nothing of it was brought there
            clear_bits(&s->fresh[i], 0);
        // the part that waits longest is the next one
        if (marks[i] < first) {
            first = marks[i];
            s->next_part = i;
        }
    }
    if (!is_marked && !s->read_only && !put_marks(s, head))
        return srv_sqlite_failed(s, "keys", error);
    s->until_part = PART_EACH - (head - newest);
    sqlite3_bind_int64(read, 1, first + 1);
    sqlite3_bind_int64(read, 2, head);
    bool good = true;
    while (good && (code = sqlite3_step(read)) == SQLITE_ROW) {
        const int64_t seq = sqlite3_column_int64(read, 0);
        const void *bytes = sqlite3_column_blob(read, 1);
        const unsigned char *key = srv_record_key(bytes, (size_t)sqlite3_column_bytes(read, 1));
        if (key != NULL && seq > marks[key[0]])
            good = add(s, key, seq);
    }
    sqlite3_reset(read);
    if (!good)
        return lgkt_fail_memory(error, "keys");
    return code == SQLITE_DONE ? LGKT_OK : srv_sqlite_failed(s, "keys", error);
}

void srv_keys_close(sqlite_store *s)
{
    for (int i = 0; i < KEY_PARTS; i++)
        free(s->fresh[i].at), forget_bits(&s->fresh[i]);
}

// ---- with a group ----

// Brings a part to the index; it is fresh until that is committed.
static bool put_part(sqlite_store *s, unsigned char number, int64_t head)
{
    key_part *part = &s->fresh[number];
    if (part->count > 1)
        qsort(part->at, part->count, sizeof *part->at, compare);
    for (size_t i = 0; i < part->count; i++)
        if (part->at[i].seq > s->forgotten &&
            !put(s, PUT_KEY, part->at[i].key, SRV_HASH, part->at[i].seq))
            return false;
    return put(s, PUT_MARK, &number, 1, head) && note_part(s, number);
}

// Keys of records that are too old, a few more than were added, found in the records themselves.
static bool forget(sqlite_store *s, int64_t head, size_t count)
{
    const int64_t last = head - s->key_limit;
    const int64_t from = s->forgotten + 1;
    const int64_t to =
        last < from + FORGET_EACH * (int64_t)count ? last : from + FORGET_EACH * (int64_t)count;
    if (to < from)
        return true;
    sqlite3_stmt *read = s->statement[READ_RECORDS];
    sqlite3_bind_int64(read, 1, from);
    sqlite3_bind_int64(read, 2, to);
    int code;
    bool good = true;
    while (good && (code = sqlite3_step(read)) == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(read, 1);
        const unsigned char *key = srv_record_key(bytes, (size_t)sqlite3_column_bytes(read, 1));
        if (key == NULL)
            continue;
        sqlite3_bind_int64(s->statement[DROP_KEY], 1, to);
        srv_sqlite_bind(s->statement[DROP_KEY], 2, key, SRV_HASH);
        good = srv_sqlite_done(s, DROP_KEY);
    }
    good = good && code == SQLITE_DONE;
    sqlite3_reset(read);
    if (good)
        s->forgotten = to;
    return good;
}

bool srv_keys_put(sqlite_store *s, const srv_item *items, size_t count, bool all)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = items[i].key == NULL || add(s, items[i].key, items[i].seq);
    if (count == 0 || !good)
        return good;
    const int64_t head = items[count - 1].seq;
    good = forget(s, head, count);
    s->until_part -= (int64_t)count;
    for (; good && s->parts < KEY_PARTS && (all || s->until_part <= 0); s->parts++) {
        good = put_part(s, (unsigned char)(s->next_part + s->parts), head);
        s->until_part += PART_EACH;
    }
    return good;
}

void srv_keys_end(sqlite_store *s, const srv_item *items, size_t count, bool is_kept,
                  int64_t forgotten, int64_t until_part)
{
    for (int i = 0; i < s->parts && is_kept; i++)
        s->fresh[(s->next_part + i) % KEY_PARTS].count = 0;
    if (is_kept)
        s->next_part = (s->next_part + s->parts) % KEY_PARTS;
    s->parts = 0;
    if (is_kept)
        return;
    for (size_t i = 0; i < count; i++)
        if (items[i].key != NULL)
            take_back(s, items[i].key, items[i].seq);
    s->forgotten = forgotten;
    s->until_part = until_part;
}
