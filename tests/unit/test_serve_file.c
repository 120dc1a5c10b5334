// SPDX-License-Identifier: MIT
// A programme looked through: verify, exports, copies, and what a flipped bit does to its file.
//
//     LGKT_TEST_STORE=postgresql://HOST/DATABASE build/tests/test_serve_file
// labels: threads

#include <sodium.h>
#include <unistd.h>

#include "io/plain/io_text.h"
#include "ref/folders.h"
#include "ref/serve_client.h"
#include "serve/verify.h"
#include "test.h"

static const char CONFIG[] =
    "{\"name\":\"berg\",\"learner\":\"auto\",\"actions\":[\"nothing\",\"message\",\"plan\","
    "\"call\"],"
    "\"state\":[{\"name\":\"mood\",\"values\":3},{\"name\":\"time\",\"values\":[\"am\",\"pm\"]}],"
    "\"horizon\":24000,\"unit_limit\":20,\"patience\":60,\"seed\":42,\"floor\":0.02,"
    "\"missing\":0.1,\"limits\":[{\"action\":\"call\",\"max\":1,\"window\":\"PT1H\"}],"
    "\"reward_range\":[0,1]}";

enum { DECISIONS = 400, GROUP = 10 };

// Decisions of 10 units with late and missing rewards; receipts go to a file.
static void fill(const char *path, const char *receipts, bool erase)
{
    serve_client client = {.config.snapshot_every = 150};
    char key[32], body[160];
    FILE *file = fopen(receipts, "w");
    assert_non_null(file);
    serve_client_start(&client, path, CONFIG);
    for (int i = 0; i < DECISIONS; i += GROUP) {
        serve_slot slots[2 * GROUP];
        client.time += 600000000;
        for (int j = i; j < i + GROUP; j++) {
            const bool is_other = erase && j > 250 && j % GROUP == 3;
            snprintf(key, sizeof key, "k%d", j);
            snprintf(body, sizeof body,
                     "{\"unit\":\"%s%d\",\"state\":{\"mood\":%d,\"time\":\"am\"}}",
                     is_other ? "other" : "unit", j % GROUP, j % 3);
            serve_client_send(&client, &slots[j - i], SRV_DO_DECIDE, key, body);
            snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%g}]",
                     j < 20 || j % 3 == 0 ? j : j - 20, j % 4 * 0.25);
            serve_client_send(&client, &slots[j - i + GROUP], SRV_DO_REPORT, NULL, body);
        }
        serve_client_wait(&client);
        for (int j = 0; j < 2 * GROUP; j++) {
            assert_int_equal(slots[j].answer.status, j < GROUP ? 201 : 200);
            if (j < GROUP)
                json_dumpf(slots[j].answer.body, file, JSON_COMPACT), fputc('\n', file);
            srv_answer_release(&slots[j].answer);
        }
        if (i == 200)
            assert_int_equal(serve_client_ask(&client, SRV_DO_CHANGE, "c", "{\"floor\":0.1}", NULL),
                             200);
        if (i == 250 && erase)
            assert_int_equal(serve_client_ask(&client, SRV_DO_ERASE, NULL, "unit3", NULL), 200);
        if (i == 120) {
            serve_client_stop(&client);
            serve_client_start(&client, path, NULL);
        }
    }
    serve_client_stop(&client);
    fclose(file);
}

static void check(const char *path, const char *receipts, srv_verdict *verdict)
{
    lgkt_error error = {0};
    assert_ok(srv_verify(path, receipts, NULL, NULL, verdict, &error), error);
}

static void a_good_file(void **unused)
{
    (void)unused;
    srv_verdict verdict;
    lgkt_error error = {0};
    const char *path = serve_place(folders_root(), "good"), *receipts = folders_in("good.txt"),
               *copy = folders_in("copy.db");
    fill(path, receipts, false);
    check(path, receipts, &verdict);
    assert_int_equal(verdict.from, 0);
    assert_int_equal(verdict.replayed, verdict.records);
    assert_int_equal(verdict.receipts, DECISIONS);
    assert_int_equal(verdict.keys, DECISIONS + 2);
    if (serve_in_database()) {
        assert_refused(srv_backup(path, copy, &error), LGKT_ERR_UNSUPPORTED, error, "pg_dump");
        return;
    }
    assert_ok(srv_backup(path, copy, &error), error);
    check(copy, receipts, &verdict);
    assert_refused(srv_backup(path, copy, &error), LGKT_ERR_ARGUMENT, error, "there already");
    // and the copy can be gone on with
    serve_client client = {.time = INT64_C(1800000000000000)};
    pthread_mutex_init(&client.lock, NULL);
    pthread_cond_init(&client.told, NULL);
    serve_client_start(&client, copy, NULL);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "new",
                                      "{\"unit\":\"x\",\"state\":{\"mood\":0,\"time\":\"pm\"}}",
                                      NULL),
                     201);
    serve_client_stop(&client);
    check(copy, receipts, &verdict);
}

static void after_an_erasure(void **unused)
{
    (void)unused;
    srv_verdict verdict;
    const char *path = serve_place(folders_root(), "erased"), *receipts = folders_in("erased.txt");
    fill(path, receipts, true);
    check(path, receipts, &verdict);
    assert_true(verdict.from > 0);
    assert_true(verdict.stubs > 20);
    assert_int_equal(verdict.receipts, DECISIONS);
    if (serve_in_database())
        return;
    size_t size;
    char *bytes = folders_read(folders_root(), "erased.db", &size);
    for (size_t i = 0; i + 5 <= size; i++)
        assert_true(memcmp(bytes + i, "unit3", 5) != 0);
    free(bytes);
}

static bool keep(void *ctx, const void *bytes, size_t size)
{
    io_memory *memory = ctx;
    io_memory_write(memory, bytes, size);
    return true;
}

static void an_export(void **unused)
{
    (void)unused;
    lgkt_error error = {0};
    io_memory memory = {0};
    const char *path = serve_place(folders_root(), "export");
    fill(path, folders_in("export.txt"), true);
    assert_ok(srv_export(path, SRV_CSV, keep, &memory, &error), error);
    char *text = io_memory_close(&memory, NULL);
    int lines = 0, erased = 0, rewards = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        erased += strstr(line, "erased-3") != NULL;
        rewards += strstr(line, ",learner,") != NULL;
    }
    assert_int_equal(lines, DECISIONS + 1);
    assert_int_equal(erased, 25);
    assert_true(rewards > 100);
    free(text);
}

static char *export_text(const char *path)
{
    lgkt_error error = {0};
    io_memory memory = {0};
    assert_ok(srv_export(path, SRV_JSON_LINES, keep, &memory, &error), error);
    return io_memory_close(&memory, NULL);
}

// Any bit of the file: it is found, or it is in bytes where nothing is kept, and the export is what it
// was.
static void flipped_bits(void **unused)
{
    (void)unused;
    if (serve_in_database())
        skip();
    const char *rounds_text = getenv("LGKT_SERVE_ROUNDS");
    const int rounds = rounds_text != NULL ? atoi(rounds_text) : test_short() ? 20 : 100;
    lgkt_error error;
    srv_verdict verdict;
    const char *path = folders_in("bits.db"), *receipts = folders_in("bits.txt"),
               *bad = folders_in("flipped.db");
    fill(path, receipts, false);
    char *before = export_text(path);
    size_t size;
    char *bytes = folders_read(folders_root(), "bits.db", &size);
    lgkt_rng rng = lgkt_rng_stream(5, "flips", 0);
    int found = 0;
    for (int i = 0; i < rounds; i++) {
        const size_t at = (size_t)(lgkt_rng_uniform(&rng) * (double)size);
        const char bit = (char)(1 << lgkt_rng_below(&rng, 8));
        bytes[at] ^= bit;
        folders_write(folders_root(), "flipped.db", bytes, size);
        if (srv_verify(bad, receipts, NULL, NULL, &verdict, &error) != LGKT_OK) {
            found++;
        } else {
            char *after = export_text(bad);
            assert_string_equal(before, after);
            free(after);
        }
        bytes[at] ^= bit;
    }
    printf("%d bits flipped: %d found, %d where nothing is kept\n", rounds, found, rounds - found);
    assert_true(found >= rounds / 4);
    free(before);
    free(bytes);
}

// Only the last keys are remembered, also by a store that was closed in between.
static void old_keys_are_forgotten(void **unused)
{
    (void)unused;
    enum { RECORDS = 200, REMEMBERED = 20 };
    lgkt_error error = {0};
    srv_store_config config = {
        .path = serve_place(folders_root(), "keys"), .create = true, .key_limit = REMEMBERED};
    srv_store *store = NULL;
    int64_t seq;
    assert_ok(srv_store_open(&config, &store, &error), error);
    assert_ok(store->class->fence(store, &error), error);
    for (int i = 1; i <= RECORDS; i++) {
        srv_record record = {
            .kind = SRV_CHANGE, .keyed = true, .text = "{}", .text_size = 2, .replaces = -1};
        srv_bytes bytes = {0};
        memset(record.key, i, sizeof record.key);
        assert_true(srv_record_encode(&record, &bytes));
        const srv_item item = {.seq = i, .bytes = bytes.at, .size = bytes.size, .key = record.key};
        assert_ok(store->class->append(store, &item, 1, NULL, &error), error);
        srv_bytes_release(&bytes);
        if (i == RECORDS / 2) {
            store->class->close(store, true);
            config.create = false;
            assert_ok(srv_store_open(&config, &store, &error), error);
            assert_ok(store->class->fence(store, &error), error);
        }
    }
    for (int i = 1; i <= RECORDS; i++) {
        unsigned char key[SRV_HASH];
        memset(key, i, sizeof key);
        assert_ok(store->class->find(store, key, &seq, &error), error);
        assert_int_equal(seq, i > RECORDS - REMEMBERED ? i : 0);
    }
    store->class->close(store, true);
}

// Chance and time given, both stores have the same records: links, verdicts and exports are equal.
static uint64_t chance;

static const char *chance_name(void)
{
    return "counted";
}

static uint32_t chance_number(void)
{
    return (uint32_t)((chance = chance * UINT64_C(6364136223846793005) + 1) >> 1);
}

static void chance_bytes(void *to, const size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = (unsigned char)(chance_number() >> 23);
}

static void head_of(const char *path, srv_head *head)
{
    lgkt_error error = {0};
    srv_store *store = NULL;
    assert_ok(srv_store_open(&(srv_store_config){.path = path, .read_only = true}, &store, &error),
              error);
    assert_ok(store->class->head(store, head, &error), error);
    store->class->close(store, false);
}

static void the_same_in_both_stores(void **unused)
{
    (void)unused;
    if (!serve_in_database())
        skip();
    randombytes_implementation counted = {
        .implementation_name = chance_name, .random = chance_number, .buf = chance_bytes};
    assert_int_equal(randombytes_set_implementation(&counted), 0);
    for (int erase = 0; erase < 2; erase++) {
        const char *const paths[2] = {erase ? folders_in("same-2.db") : folders_in("same-1.db"),
                                      serve_place(folders_root(), "same")};
        const char *receipts = folders_in("same.txt");
        srv_verdict verdicts[2];
        srv_head heads[2];
        char *logs[2];
        for (int i = 0; i < 2; i++) {
            chance = 7;
            fill(paths[i], receipts, erase > 0);
            // receipts of the one are found in the other
            check(paths[0], receipts, &verdicts[i]);
            check(paths[i], receipts, &verdicts[i]);
            head_of(paths[i], &heads[i]);
            logs[i] = export_text(paths[i]);
        }
        assert_int_equal(heads[0].seq, heads[1].seq);
        assert_memory_equal(heads[0].chain, heads[1].chain, SRV_HASH);
        assert_memory_equal(&verdicts[0], &verdicts[1], sizeof verdicts[0]);
        assert_string_equal(logs[0], logs[1]);
        free(logs[0]);
        free(logs[1]);
    }
    randombytes_set_implementation(&randombytes_sysrandom_implementation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_good_file),
                                       cmocka_unit_test(after_an_erasure),
                                       cmocka_unit_test(an_export),
                                       cmocka_unit_test(flipped_bits),
                                       cmocka_unit_test(old_keys_are_forgotten),
                                       cmocka_unit_test(the_same_in_both_stores)};
    return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
