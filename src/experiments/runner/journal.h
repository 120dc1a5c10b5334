// SPDX-License-Identifier: MIT
// A journal: records appended to a file that survive a kill at any moment.
//
// The first record says whose journal it is (lines "name: value"); only the same lines open it
// again. A record that was cut off by a kill at the end of the file is removed on opening. Anything
// else that is not as it was written is refused, and the file is left as it is.
#ifndef EXPERIMENTS_JOURNAL_H
#define EXPERIMENTS_JOURNAL_H

#include "lgkt/base.h"

// Most bytes of one record.
#define EXP_MAX_RECORD (1 << 30)

typedef struct exp_journal exp_journal;

// ---- records on their way ----

// A record with its size and checks around it, as it stands in a file: these are the bytes before
// and behind it.
enum { EXP_FRAME_HEAD = 16, EXP_FRAME_TAIL = 8 };

// Writes both, around `size` bytes at frame + EXP_FRAME_HEAD.
void exp_frame_close(unsigned char *frame, size_t size);
// The size of the record in the frame that begins at `bytes`; false if it is damaged or goes on
// behind the `available` bytes.
bool exp_frame_check(const unsigned char *bytes, size_t available, size_t *size);

// The bytes of a file that a record of `size` bytes takes, and the first record with an identity.
int64_t exp_journal_room(size_t size);
int64_t exp_journal_begin(const char *identity);

// ---- files ----

// Called for each record in the order of the file, with the offset for exp_journal_read. Anything
// but LGKT_OK ends the opening.
typedef lgkt_status (*exp_record_fn)(void *ctx, int64_t offset, const void *bytes, size_t size,
                                     lgkt_error *error);

// Opens or makes the journal at `path`; `identity` is the text of its first record. Nobody else can
// open it until it is closed. LGKT_ERR_CONFIG for the journal of somebody else, LGKT_ERR_FORMAT
// for a damaged one. Nullable: visit, error.
lgkt_status exp_journal_open(const char *path, const char *identity, exp_record_fn visit, void *ctx,
                             exp_journal **journal, lgkt_error *error);
void exp_journal_close(exp_journal *journal);

// Opens a journal of anybody to read it, changes nothing and locks out nobody; *identity is the
// text of its first record, which the caller frees; NULL if the file ends before or within it. Then
// the walk shows its records: all that are whole, the last one may be cut off. Nullable: error.
lgkt_status exp_journal_look(const char *path, char **identity, exp_journal **journal,
                             lgkt_error *error);
lgkt_status exp_journal_walk(exp_journal *journal, exp_record_fn visit, void *ctx,
                             lgkt_error *error);
// Closes the file of such a journal if few others can still be opened; a read then opens it for
// its time. No walk may follow.
void exp_journal_rest(exp_journal *journal);

#define EXP_DIFFERENCE_SIZE 200

// Where two identities differ first: "\"seed 1\", not \"seed 2\"".
void exp_journal_difference(const char *theirs, const char *ours, char text[EXP_DIFFERENCE_SIZE]);

// Appends a record, from any thread; *offset is where. After a failed write the file is cut back to
// its last whole record. Nullable: offset, error.
lgkt_status exp_journal_append(exp_journal *journal, const void *bytes, size_t size,
                               int64_t *offset, lgkt_error *error);
// Brings to the disk what was appended more than `seconds` ago; for the calls of one thread.
// Nullable: error.
lgkt_status exp_journal_sync(exp_journal *journal, double seconds, lgkt_error *error);
// Reads the record at an offset, which must have this size. Nullable: error.
lgkt_status exp_journal_read(exp_journal *journal, int64_t offset, void *bytes, size_t size,
                             lgkt_error *error);

#endif
