// SPDX-License-Identifier: MIT
// What a machine holds, and the parts that it is made of.
#pragma once

#include "serve/machine.h"
#include "serve/monitor.h"
#include "serve/programme.h"

// A unit by its number; numbers are given as they come, and never again.
typedef struct srv_unit {
    char *name; // (name_size) owned; NULL: it was erased
    int64_t name_size;
    int64_t last;         // seq of its last record
    int64_t decision;     // its last one; -1: none
    bool is_free;         // it may act anywhere: it is new, or was cut
    bool is_reported;     // it must act in `place`
    unsigned char *place; // (place_size) owned: its next state, or that of its last decision
    int64_t place_size;
    int64_t *times; // (limits, most) when actions with limits were taken, newest first; NULL: never
} srv_unit;

// A decision that is open to reports.
typedef struct srv_open {
    int64_t seq, time;
    double reward;
    double expected; // the mean reward of its pair; NaN: not known
    double weight;   // of its reward, in what the fallback would have earned; NaN: not known
    int32_t unit, action;
    uint32_t told; // SRV_TOLD_.. so far; _NEXT also where the unit has acted since
    srv_source source;
} srv_open;

struct srv_machine {
    lgkt_allocator allocator;
    srv_reader reader;
    bool broken;
    srv_programme programme;
    unsigned char entropy[32]; // as CREATE got it; secrets and a seed are drawn from it
    unsigned char secret[32];  // of keys and prints
    uint64_t hash_secret[2];   // of names and of states that are keys
    int32_t numbers;           // of the lgkt that it last went on with, ..
    char build[16];            // .. and its version
    lgkt_units *units;
    srv_head head;
    int64_t time, made;
    int64_t version; // seq of the record that the config is of

    srv_unit *all; // (count)
    size_t capacity;
    int32_t count, present;
    int32_t *slots; // (slot_count) numbers of units + 1 by the hash of their names
    int64_t slot_count;

    srv_open *open; // (ring) decisions made - patience .. made - 1, by number
    int64_t ring;

    srv_monitor monitor;
    srv_values asked; // of the command, where it came as a tree
};

// ---- roster.c: units and what is open ----

// The number of a unit by name; -1: there is none.
int32_t srv_find_unit(const srv_machine *m, const char *name, size_t size);
// Adds the unit `m->count`; false if memory is out, and then nothing has changed.
bool srv_add_unit(srv_machine *m, const char *name, size_t size);
void srv_drop_unit(srv_machine *m, int32_t unit);
bool srv_put_place(srv_machine *m, srv_unit *unit, const void *state, size_t size);
bool srv_index_units(srv_machine *m); // makes the slots anew

// NULL if a decision was never made or is too old; *status is 404 or 410 then.
srv_open *srv_open_at(const srv_machine *m, int64_t decision, int *status);
// Room for one more decision.
bool srv_make_room(srv_machine *m);

// Takes actions out of `allowed` whose limit is reached for a unit at a time. False if none is left.
bool srv_apply_limits(const srv_machine *m, int32_t unit, int64_t time, unsigned char *allowed);
bool srv_count_limits(srv_machine *m, srv_unit *unit, int32_t action, int64_t time);
void srv_uncount_limits(srv_machine *m, srv_unit *unit, int32_t action, int64_t time);
// Carries over what units did when the limits of the programme have become others. One that is raised
// knows no more of the past than it did before.
bool srv_move_limits(srv_machine *m, const srv_programme *before);

// ---- decide.c ----

// A decision to be: its record, and room for what that borrows.
typedef struct srv_turn {
    srv_record record;
    srv_record_room room;
    unsigned char state[SRV_MAX_STATE];
} srv_turn;

// ---- turn.c ----

// The inputs of a decision as a record; false with a line.
bool srv_turn_read(srv_machine *m, const srv_command *command, const srv_value *item,
                   srv_turn *turn, lgkt_error *error);
// Reads {unit?, state, allowed?} of a command that only looks.
bool srv_turn_look(srv_machine *m, const srv_command *command, srv_turn *turn, lgkt_error *error);
// All that a decision may be refused for; takes out of the room's `allowed` what limits forbid.
lgkt_status srv_turn_check(const srv_machine *m, srv_record *record, srv_record_room *room,
                           lgkt_error *error);
// Makes the decision of a record whose inputs were checked; the outputs are filled in.
lgkt_status srv_turn_do(srv_machine *m, srv_record *record, srv_record_room *room);
void srv_apply_decisions(srv_machine *m, const srv_command *command, srv_records *records,
                         srv_answer *answer);
// The learner's law with the floor in it. False if it is not known or was refused.
bool srv_law(const srv_machine *m, int32_t unit, const srv_record *record, lgkt_reason *reasons,
             double *law, srv_cause *cause);

// ---- report.c ----

void srv_apply_reports(srv_machine *m, const srv_command *command, srv_records *records,
                       srv_answer *answer);
// A decision was not executed: its reward is not waited for, and its unit may be anywhere.
lgkt_status srv_cancel(srv_machine *m, int64_t decision);
// What a record says was told; on failure it has told as much as `record->told` then says.
lgkt_status srv_report_do(srv_machine *m, srv_record *record, lgkt_error *error);

// ---- looks.c ----

// 422, 409 or 503 with the line of a failure.
void srv_problem_of(srv_answer *answer, lgkt_status status, const lgkt_error *error);
// Writes what a decision is answered.
void srv_say_decision(const srv_machine *m, const srv_record *record, int64_t seq,
                      const unsigned char chain[SRV_HASH], srv_bytes *text);
json_t *srv_config_json(const json_t *config, int64_t seq, const unsigned char chain[SRV_HASH]);
void srv_look(srv_machine *m, const srv_command *command, srv_answer *answer);

// ---- machine.c ----

// Encodes a record, links it and goes on to it; NULL breaks the machine: memory is out.
srv_entry *srv_put_record(srv_machine *m, const srv_record *record, srv_records *records);
// The nonce of item `i` of a command.
void srv_nonce(const srv_command *command, int32_t i, unsigned char nonce[SRV_HASH]);
int32_t srv_state_number(const srv_record *record); // where states are numbered
// The programme of a config, with its learner; the machine is empty again on failure.
lgkt_status srv_found(srv_machine *m, json_t *config, lgkt_error *error);
// Applies a change; what fails after the programme was changed breaks the machine.
lgkt_status srv_change_config(srv_machine *m, const json_t *body, lgkt_error *error);
// Text of a record: the config, and for a change what it was made by. Freed with free.
char *srv_config_text(const srv_machine *m, const json_t *change, size_t *size);
// The unit leaves; its open decisions are closed to reports.
lgkt_status srv_erase_unit(srv_machine *m, int32_t unit);
// Makes the learner, after programme and secrets are there.
lgkt_status srv_make_units(srv_machine *m, lgkt_error *error);
void srv_draw_secrets(srv_machine *m);
