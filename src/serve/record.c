// SPDX-License-Identifier: MIT
// Records as bytes: one walk over the fields of a kind writes and reads them.

#include "serve/record.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"

// ---- bytes ----

enum { FIRST_BYTES = 512 }; // what most texts and groups of few records need

bool srv_bytes_grow(srv_bytes *bytes, size_t size)
{
    void *at = bytes->at;
    const lgkt_allocator usual = lgkt_allocator_resolve(bytes->allocator);
    const size_t needed = bytes->size + size > FIRST_BYTES ? bytes->size + size : FIRST_BYTES;
    // what is not whole takes no more
    bytes->failed =
        bytes->failed || !lgkt_grow(&usual, &at, &bytes->capacity, bytes->size, needed, 1);
    if (!bytes->failed)
        bytes->at = at;
    return !bytes->failed;
}

void srv_bytes_release(srv_bytes *bytes)
{
    const lgkt_allocator usual = lgkt_allocator_resolve(bytes->allocator);
    lgkt_free(&usual, bytes->at);
    *bytes = (srv_bytes){.allocator = bytes->allocator};
}

// ---- the walk ----

typedef struct walk {
    srv_bytes *out; // NULL: it reads
    const unsigned char *in;
    size_t size, at;
    bool bad;
} walk;

// `size` bytes of the input, NULL if there are no more so many
static const unsigned char *take(walk *w, size_t size)
{
    if (w->bad || size > w->size - w->at) {
        w->bad = true;
        return NULL;
    }
    w->at += size;
    return w->in + w->at - size;
}

static void visit_bytes(walk *w, unsigned char *bytes, size_t size)
{
    const unsigned char *from = NULL;
    if (w->out != NULL)
        srv_bytes_put(w->out, bytes, size);
    else if ((from = take(w, size)) != NULL)
        memcpy(bytes, from, size);
}

// A whole number of `width` bytes, which must be within lo .. hi.
static void visit_whole(walk *w, int64_t *value, size_t width, int64_t lo, int64_t hi)
{
    unsigned char bytes[8] = {0};
    if (w->out != NULL) {
        lgkt_put_u64(bytes, (uint64_t)*value);
        srv_bytes_put(w->out, bytes, width);
        return;
    }
    const unsigned char *from = take(w, width);
    if (from == NULL)
        return;
    memcpy(bytes, from, width);
    const int64_t read = (int64_t)lgkt_get_u64(bytes);
    w->bad |= read < lo || read > hi;
    if (!w->bad)
        *value = read;
}

static int32_t visit_small(walk *w, int32_t value, size_t width, int32_t hi)
{
    int64_t wide = value;
    visit_whole(w, &wide, width, 0, hi);
    return (int32_t)wide;
}

static void visit_real(walk *w, double *value)
{
    uint64_t bits = 0;
    unsigned char bytes[8];
    memcpy(&bits, value, sizeof bits);
    lgkt_put_u64(bytes, bits);
    visit_bytes(w, bytes, sizeof bytes);
    bits = lgkt_get_u64(bytes);
    if (!w->bad)
        memcpy(value, &bits, sizeof bits);
}

// bytes behind their number; read ones are borrowed from the input
static void visit_sized(walk *w, const unsigned char **bytes, size_t *size, size_t width,
                        int64_t most)
{
    int64_t count = (int64_t)*size;
    visit_whole(w, &count, width, 0, most);
    if (w->out != NULL) {
        srv_bytes_put(w->out, *bytes, *size);
        return;
    }
    const unsigned char *from = take(w, (size_t)count);
    *bytes = count > 0 ? from : NULL;
    *size = w->bad ? 0 : (size_t)count;
}

// ---- records ----

enum {
    MARK_KEYED = 1,
    MARK_NAMED = 2,   // a new unit
    MARK_LAW = 4,     // the whole law is known
    MARK_REPLACES = 8 // stands for a decision before
};

static void visit_text(walk *w, srv_record *r)
{
    const unsigned char *text = (const unsigned char *)r->text;
    visit_sized(w, &text, &r->text_size, 4, 1 << 24);
    r->text = (const char *)text;
}

static void visit_decision(walk *w, srv_record *r, int32_t marks, srv_record_room *room)
{
    const unsigned char *name = (const unsigned char *)r->name;
    if (marks & MARK_NAMED) {
        visit_sized(w, &name, &r->name_size, 1, SRV_MAX_NAME);
        w->bad |= w->out == NULL && r->name_size == 0;
        r->name = (const char *)name;
    }
    r->source = (srv_source)visit_small(w, (int32_t)r->source, 1, SRV_SOURCE_COUNT - 1);
    r->cause = (srv_cause)visit_small(w, (int32_t)r->cause, 1, SRV_CAUSE_COUNT - 1);
    r->items = visit_small(w, r->items, 2, SRV_MAX_BATCH);
    r->item = visit_small(w, r->item, 2, SRV_MAX_BATCH);
    if (marks & MARK_REPLACES)
        visit_whole(w, &r->replaces, 8, 0, INT64_MAX);
    r->actions = visit_small(w, r->actions, 2, SRV_MAX_ACTIONS);
    r->action = visit_small(w, r->action, 2, SRV_MAX_ACTIONS);
    w->bad |= r->action >= r->actions || r->items < 1 || r->item >= r->items;
    for (int32_t a = 0; a < r->actions && !w->bad; a += 8) {
        unsigned char bits = 0;
        for (int32_t i = a; i < r->actions && i < a + 8 && w->out != NULL; i++)
            bits |= (unsigned char)((r->allowed[i] != 0) << (i - a));
        visit_bytes(w, &bits, 1);
        for (int32_t i = a; i < r->actions && i < a + 8 && w->out == NULL; i++)
            room->allowed[i] = bits >> (i - a) & 1;
        w->bad |= r->actions < a + 8 && bits >> (r->actions - a) != 0;
    }
    visit_real(w, &r->probability);
    for (int32_t a = 0; (marks & MARK_LAW) && a < r->actions && !w->bad; a++) {
        double p = w->out != NULL ? r->law[a] : 0;
        visit_real(w, &p);
        if (w->out == NULL)
            room->law[a] = p;
    }
    visit_sized(w, &r->state, &r->state_size, 2, SRV_MAX_STATE);
    if (w->out == NULL) {
        r->allowed = room->allowed;
        r->law = marks & MARK_LAW ? room->law : NULL;
    }
}

static void visit_of_unit(walk *w, srv_record *r, int32_t marks, srv_record_room *room)
{
    if (r->kind != SRV_STUB)
        visit_bytes(w, r->nonce, SRV_HASH);
    r->unit = visit_small(w, r->unit, 4, INT32_MAX);
    visit_whole(w, &r->before, 8, 0, INT64_MAX);
    if (r->kind == SRV_ERASURE)
        return;
    visit_whole(w, &r->decision, 8, 0, INT64_MAX);
    if (r->kind == SRV_STUB)
        r->told = (uint32_t)visit_small(w, (int32_t)r->told, 1, SRV_KIND_COUNT - 1);
    if (r->kind == SRV_DECISION)
        visit_decision(w, r, marks, room);
    if (r->kind == SRV_REPORT) {
        r->told = (uint32_t)visit_small(w, (int32_t)r->told, 1, 15);
        if (r->told & SRV_TOLD_REWARD)
            visit_real(w, &r->reward);
        if (r->told & SRV_TOLD_NEXT)
            visit_sized(w, &r->state, &r->state_size, 2, SRV_MAX_STATE);
    }
}

static void visit(walk *w, srv_record *r, srv_record_room *room)
{
    r->kind = (srv_kind)visit_small(w, (int32_t)r->kind, 1, SRV_KIND_COUNT - 1);
    const int32_t marks =
        visit_small(w,
                    (r->keyed ? MARK_KEYED : 0) | (r->name ? MARK_NAMED : 0) |
                        (r->law ? MARK_LAW : 0) | (r->replaces >= 0 ? MARK_REPLACES : 0),
                    1, 15);
    visit_whole(w, &r->time, 8, 0, INT64_MAX);
    visit_whole(w, &r->made, 8, 0, INT64_MAX);
    r->keyed = (marks & MARK_KEYED) != 0;
    if (r->keyed) {
        visit_bytes(w, r->key, SRV_HASH);
        visit_bytes(w, r->print, SRV_HASH);
    }
    w->bad |= r->kind != SRV_DECISION && (marks & ~MARK_KEYED) != 0;
    switch (r->kind) {
    case SRV_DECISION:
    case SRV_REPORT:
    case SRV_ERASURE:
    case SRV_STUB:
        visit_of_unit(w, r, marks, room);
        break;
    case SRV_PROGRAMME:
    case SRV_BUILD:
        r->numbers = visit_small(w, r->numbers, 4, INT32_MAX);
        visit_bytes(w, (unsigned char *)r->version, sizeof r->version);
        w->bad |= r->version[sizeof r->version - 1] != '\0';
        break;
    case SRV_CHANGE:
        break;
    default:
        w->bad = true;
    }
    if (r->kind == SRV_PROGRAMME || r->kind == SRV_CHANGE)
        visit_text(w, r);
    if (r->kind == SRV_PROGRAMME) // its seed and secret were drawn from these
        visit_bytes(w, r->entropy, sizeof r->entropy);
}

bool srv_record_encode(const srv_record *record, srv_bytes *bytes)
{
    walk w = {.out = bytes};
    srv_record copy = *record;
    if (copy.kind != SRV_DECISION) {
        copy.replaces = -1;
        copy.name = NULL;
        copy.law = NULL;
    }
    visit(&w, &copy, NULL);
    return !bytes->failed;
}

lgkt_status srv_record_decode(const void *bytes, size_t size, srv_record *record,
                              srv_record_room *room, lgkt_error *error)
{
    walk w = {.in = bytes, .size = size};
    *record = (srv_record){.replaces = -1, .probability = NAN};
    visit(&w, record, room);
    return !w.bad && w.at == size
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "%zu bytes are no record", size);
}

const unsigned char *srv_record_key(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    const size_t before = 1 + 1 + 8 + 8; // kind, marks, time, made
    return size >= before + 2 * SRV_HASH && (at[1] & MARK_KEYED) ? at + before : NULL;
}

// ---- differences ----

static bool same_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

static bool same_reals(const double *a, const double *b, int32_t count)
{
    return (a == NULL) == (b == NULL) &&
           (a == NULL || memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

const char *srv_record_difference(const srv_record *a, const srv_record *b)
{
#define DIFFERS(field) (a->field != b->field)
    if (DIFFERS(kind))
        return "kind";
    if (DIFFERS(time))
        return "time";
    if (DIFFERS(made))
        return "number of decisions";
    if (DIFFERS(keyed) || memcmp(a->key, b->key, SRV_HASH) != 0 ||
        memcmp(a->print, b->print, SRV_HASH) != 0)
        return "key";
    if (memcmp(a->nonce, b->nonce, SRV_HASH) != 0)
        return "nonce";
    if (DIFFERS(unit) || DIFFERS(before) ||
        !same_bytes(a->name, a->name_size, b->name, b->name_size))
        return "unit";
    if (DIFFERS(decision) || DIFFERS(item) || DIFFERS(items) || DIFFERS(replaces))
        return "decision";
    if (DIFFERS(actions) ||
        !same_bytes(a->allowed, (size_t)a->actions, b->allowed, (size_t)b->actions))
        return "allowed";
    if (!same_bytes(a->state, a->state_size, b->state, b->state_size))
        return "state";
    if (!same_reals(a->law, b->law, a->actions))
        return "propensities";
    if (!same_reals(&a->probability, &b->probability, 1))
        return "probability";
    if (DIFFERS(action))
        return "action";
    if (DIFFERS(source) || DIFFERS(cause))
        return "source";
    if (DIFFERS(told) || !same_reals(&a->reward, &b->reward, 1))
        return "report";
    if (DIFFERS(numbers) || memcmp(a->version, b->version, sizeof a->version) != 0 ||
        !same_bytes(a->text, a->text_size, b->text, b->text_size))
        return "config";
    return memcmp(a->entropy, b->entropy, sizeof a->entropy) != 0 ? "entropy" : NULL;
#undef DIFFERS
}

// ---- the chain ----

void srv_chain(const unsigned char before[SRV_HASH], const void *record, size_t size,
               unsigned char after[SRV_HASH])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, SRV_HASH);
    crypto_generichash_update(&state, before, SRV_HASH);
    crypto_generichash_update(&state, record, size);
    crypto_generichash_final(&state, after, SRV_HASH);
}

const char *srv_receipt(const unsigned char chain[SRV_HASH], char text[SRV_RECEIPT])
{
    return sodium_bin2hex(text, SRV_RECEIPT, chain, SRV_HASH);
}

const char *srv_source_name(srv_source source)
{
    static const char *const names[] = {"learner", "floor", "fallback", "taken"};
    return names[source];
}

const char *srv_cause_name(srv_cause cause)
{
    static const char *const names[] = {"", "mode", "law", "memory", "refused"};
    return names[cause];
}
