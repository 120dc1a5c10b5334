// SPDX-License-Identifier: MIT
// An actor with its store: answers after the commit, retries, restarts, two servers, room on the disk.
//
//     LGKT_TEST_STORE=postgresql://HOST/DATABASE build/tests/test_serve_actor
// labels: threads

#include <unistd.h>

#include "ref/serve_client.h"
#include "serve/machine_private.h"
#include "test.h"

static const char CONFIG[] =
    "{\"name\":\"berg\",\"learner\":\"auto\",\"actions\":[\"nothing\",\"message\",\"plan\","
    "\"call\"],"
    "\"state\":[{\"name\":\"mood\",\"values\":3},{\"name\":\"time\",\"values\":[\"am\",\"pm\"]}],"
    "\"horizon\":24000,\"unit_limit\":200,\"patience\":8000,\"seed\":42,\"floor\":0.02,"
    "\"reward_range\":[0,1]}";

static char folder[64];
static const char *path;

static int make_folder(void **unused)
{
    (void)unused;
    strcpy(folder, "/tmp/lgkt-serve-XXXXXX");
    assert_non_null(mkdtemp(folder));
    path = serve_place(folder, "berg");
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void decide(char *body, size_t size, int unit, int i)
{
    snprintf(body, size, "{\"unit\":\"p%d\",\"state\":{\"mood\":%d,\"time\":\"%s\"}}", unit, i % 3,
             i % 2 ? "am" : "pm");
}

static void answers_are_found_again(void **unused)
{
    (void)unused;
    enum { DECISIONS = 300 };
    static char *said[DECISIONS];
    serve_client client = {0};
    char key[32], body[128];
    serve_client_start(&client, path, CONFIG);
    for (int i = 0; i < DECISIONS; i++) {
        client.time += 1000;
        snprintf(key, sizeof key, "k%d", i);
        decide(body, sizeof body, i % 7, i);
        assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, key, body, &said[i]), 201);
        snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%g}]", i, i % 5 * 0.2);
        assert_int_equal(serve_client_ask(&client, SRV_DO_REPORT, NULL, body, NULL), 200);
        if (i % 100 == 50) {
            serve_client_stop(&client);
            serve_client_start(&client, path, NULL);
        }
    }
    for (int i = 0; i < DECISIONS; i++) {
        char *again;
        snprintf(key, sizeof key, "k%d", i);
        decide(body, sizeof body, i % 7, i);
        assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, key, body, &again), 201);
        assert_string_equal(said[i], again);
        free(again);
        free(said[i]);
    }
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "k1", "{}", NULL), 422);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, NULL, body, NULL), 400);
    char *text;
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECISION, NULL, "3", &text), 200);
    assert_non_null(strstr(text, "\"reward\":0.59999999999999998"));
    free(text);
    assert_int_equal(serve_client_ask(&client, SRV_DO_ERASE, NULL, "p3", &text), 200);
    free(text);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECISION, NULL, "3", NULL), 410);
    decide(body, sizeof body, 3, 3);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "k3", body, NULL), 410);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "new", body, NULL), 201);
    serve_client_stop(&client);
    serve_client_start(&client, path, NULL);
    assert_int_equal(serve_client_ask(&client, SRV_DO_UNIT, NULL, "p3", &text), 200);
    free(text);
    serve_client_stop(&client);
}

static void groups_and_duplicates(void **unused)
{
    (void)unused;
    enum { MANY = 2000 };
    static serve_slot slots[2 * MANY];
    serve_client client = {0};
    char key[32], body[128];
    serve_client_start(&client, path, CONFIG);
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "k%d", i);
        decide(body, sizeof body, i % 100, i);
        assert_true(serve_client_send(&client, &slots[2 * i], SRV_DO_DECIDE, key, body));
        assert_true(serve_client_send(&client, &slots[2 * i + 1], SRV_DO_DECIDE, key, body));
    }
    serve_client_wait(&client);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(slots[2 * i].answer.status, 201);
        assert_true(json_equal(slots[2 * i].answer.body, slots[2 * i + 1].answer.body));
        srv_answer_release(&slots[2 * i].answer);
        srv_answer_release(&slots[2 * i + 1].answer);
    }
    const srv_actor_numbers numbers = srv_actor_read_numbers(client.actor);
    assert_int_equal(numbers.decisions, MANY);
    assert_true(numbers.commits < MANY);
    serve_client_stop(&client);
}

static void a_second_server(void **unused)
{
    (void)unused;
    serve_client client = {0}, other = {0};
    lgkt_error error = {0};
    serve_client_start(&client, path, CONFIG);
    serve_client_start(&other, path, NULL);
    while (srv_actor_state_of(other.actor) == SRV_ACTOR_STARTING && !other.died)
        serve_client_pause();
    if (serve_in_database()) {
        assert_true(other.died);
        assert_non_null(strstr(other.fatal, "held by another server"));
    } else {
        assert_int_equal(srv_actor_state_of(other.actor), SRV_ACTOR_FAILED);
        assert_int_equal(srv_actor_failure(other.actor, &error), SRV_STORE_HELD);
        assert_non_null(strstr(error.text, "held by another server"));
        assert_int_equal(serve_client_ask(&other, SRV_DO_SHOW, NULL, NULL, NULL), 503);
    }
    serve_client_stop(&other);
    assert_int_equal(serve_client_ask(&client, SRV_DO_SHOW, NULL, NULL, NULL), 200);
    serve_client_stop(&client);
}

static void await_state(serve_client *client)
{
    while (srv_actor_state_of(client->actor) == SRV_ACTOR_STARTING)
        serve_client_pause();
}

static void little_room(void **unused)
{
    (void)unused;
    if (serve_in_database())
        skip();
    char body[128];
    serve_client client = {0};
    serve_client_start(&client, path, CONFIG);
    serve_client_stop(&client);
    client.config.reserve = INT64_MAX;
    serve_client_start(&client, path, NULL);
    decide(body, sizeof body, 1, 1);
    char *text;
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "k", body, &text), 503);
    assert_non_null(strstr(text, "less room than the reserve"));
    free(text);
    assert_int_equal(serve_client_ask(&client, SRV_DO_SHOW, NULL, NULL, NULL), 200);
    assert_true(srv_actor_read_numbers(client.actor).read_only);
    serve_client_stop(&client);
    client.config.reserve = 0;
    serve_client_start(&client, path, NULL);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "k", body, NULL), 201);
    serve_client_stop(&client);
}

// After an fsync that failed the next start writes the file anew.
static void a_marked_file(void **unused)
{
    (void)unused;
    if (serve_in_database())
        skip();
    char body[128], mark[128], *before, *after;
    serve_client client = {0};
    serve_client_start(&client, path, CONFIG);
    decide(body, sizeof body, 1, 1);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "k", body, &before), 201);
    serve_client_stop(&client);
    srv_sqlite_mark(path);
    snprintf(mark, sizeof mark, "%s.rewrite", path);
    assert_int_equal(access(mark, F_OK), 0);
    serve_client_start(&client, path, NULL);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "k", body, &after), 201);
    assert_string_equal(before, after);
    assert_int_not_equal(access(mark, F_OK), 0);
    serve_client_stop(&client);
    free(before);
    free(after);
}

static void a_bad_programme_leaves_nothing(void **unused)
{
    (void)unused;
    lgkt_error error = {0};
    serve_client client = {0};
    serve_slot slot;
    serve_client_start(&client, path, CONFIG);
    // the same again is the same, another one is not
    assert_int_equal(serve_client_ask(&client, SRV_DO_CREATE, "create", CONFIG, NULL), 201);
    assert_int_equal(serve_client_ask(&client, SRV_DO_CREATE, "other", CONFIG, NULL), 409);
    serve_client_stop(&client);
    const char *other = serve_place(folder, "other");
    serve_client_begin(&client, other, &slot, "{\"name\":\"berg\"}");
    serve_client_wait(&client);
    assert_int_equal(slot.answer.status, 422);
    srv_answer_release(&slot.answer);
    await_state(&client);
    assert_int_equal(srv_actor_failure(client.actor, &error), LGKT_ERR_CONFIG);
    serve_client_stop(&client);
    srv_store *store = NULL;
    assert_int_equal(srv_store_open(&(srv_store_config){.path = other}, &store, &error),
                     LGKT_ERR_NO_FILE);
}

// A snapshot at the head of a lgkt with other numbers: this one goes on, and says so.
static void another_build(void **unused)
{
    (void)unused;
    char body[128];
    lgkt_error error = {0};
    serve_client client = {0};
    srv_store *store = NULL;
    void *bytes;
    size_t size;
    int64_t seq;
    srv_bytes other = {0};
    serve_client_start(&client, path, CONFIG);
    for (int i = 0; i < 2; i++) {
        decide(body, sizeof body, i, i);
        assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, i > 0 ? "b" : "a", body, NULL),
                         201);
    }
    serve_client_stop(&client);
    assert_ok(srv_store_open(&(srv_store_config){.path = path}, &store, &error), error);
    assert_ok(store->class->fence(store, &error), error);
    assert_ok(store->class->get_snapshot(store, INT64_MAX, &seq, &bytes, &size, &error), error);
    srv_machine *machine = srv_machine_create(NULL);
    assert_ok(srv_machine_load(machine, bytes, size, &error), error);
    machine->numbers--;
    assert_ok(srv_machine_save(machine, &other, &error), error);
    assert_ok(store->class->put_snapshot(store, seq, false, other.at, other.size, &error), error);
    store->class->close(store, true);
    srv_machine_destroy(machine);
    srv_bytes_release(&other);
    free(bytes);
    serve_client_start(&client, path, NULL);
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "c", body, NULL), 201);
    const srv_actor_numbers numbers = srv_actor_read_numbers(client.actor);
    assert_int_equal(numbers.seq, seq + 2);
    serve_client_stop(&client);
}

static void a_full_queue_and_a_clock(void **unused)
{
    (void)unused;
    enum { MANY = 64 };
    static serve_slot slots[MANY];
    char body[128], key[16];
    serve_client client = {.config.queue = 4};
    serve_client_start(&client, path, CONFIG);
    int sent = 0;
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "k%d", i);
        decide(body, sizeof body, i, i);
        sent += serve_client_send(&client, &slots[i], SRV_DO_DECIDE, key, body);
    }
    serve_client_wait(&client);
    assert_between(sent, 4, MANY - 1);
    for (int i = 0; i < MANY; i++)
        if (slots[i].is_there)
            srv_answer_release(&slots[i].answer);
    // a clock that goes back does not take the log with it
    client.time -= INT64_C(3600000000);
    decide(body, sizeof body, 1, 2);
    char *text;
    assert_int_equal(serve_client_ask(&client, SRV_DO_DECIDE, "back", body, &text), 201);
    assert_non_null(strstr(text, "\"seq\""));
    free(text);
    assert_int_equal(srv_actor_read_numbers(client.actor).clock_back, 1);
    serve_client_stop(&client);
    serve_client_start(&client, path, NULL);
    await_state(&client);
    assert_int_equal(srv_actor_state_of(client.actor), SRV_ACTOR_READY);
    serve_client_stop(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_found_again, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(groups_and_duplicates, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_second_server, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(little_room, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_marked_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_bad_programme_leaves_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(another_build, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_full_queue_and_a_clock, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
