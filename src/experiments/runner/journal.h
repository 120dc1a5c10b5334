// SPDX-License-Identifier: MIT
// A journal: records appended to a file that survive a kill at any moment.
//
// The first record is a text: EXP_JOURNAL_MAGIC, lines that say whose journal it is, an empty line,
// and what may differ from one session to the next. Only the same lines open it again. A record
// that was cut off by a kill at the end of the file is removed on opening. Anything else that is
// not as it was written is refused, and the file is left as it is.
#pragma once

#include "lgkt/base.h"

// Most bytes of one record.
#define EXP_MAX_RECORD (1 << 30)

// the number is that of the format of all records
#define EXP_JOURNAL_FAMILY "lgkt journal "
#define EXP_JOURNAL_MAGIC  EXP_JOURNAL_FAMILY "5\n"

// ---- frames ----

// A record with its size and checks around it, as it stands in a file or is sent: these are the
// bytes before and behind it, and both.
enum { EXP_FRAME_HEAD = 16, EXP_FRAME_TAIL = 8, EXP_FRAME = EXP_FRAME_HEAD + EXP_FRAME_TAIL };

// Writes both, around `size` bytes at frame + EXP_FRAME_HEAD.
void exp_frame_close(unsigned char *frame, size_t size);
// The size of the record in the frame that begins at `bytes`; false if it is damaged or goes on
// behind the `available` bytes.
bool exp_frame_check(const unsigned char *bytes, size_t available, size_t *size);

// ---- files ----

typedef struct exp_journal exp_journal;

// Called for each record in the order of the file, the first one too, with its offset; a zero byte
// stands behind it. Anything but LGKT_OK ends the opening.
typedef lgkt_status (*exp_record_fn)(void *ctx, int64_t offset, const void *bytes, size_t size,
                                     lgkt_error *error);

// Opens or makes the journal at `path`, whose first record is that of the frame `first`, and shows
// what it holds. Nobody else can open it until it is closed. LGKT_ERR_CONFIG for the journal of
// somebody else, LGKT_ERR_FORMAT for a damaged one.
//
// With `first` NULL that of anybody is opened to be read: it changes nothing, locks out nobody, and
// shows all records that are whole; where few files can still be opened, its own is closed.
//
// *journal is there while records are shown, and NULL after failure. Nullable: error.
lgkt_status exp_journal_open(const char *path, const unsigned char *first, exp_record_fn visit,
                             void *ctx, exp_journal **journal, lgkt_error *error);
void exp_journal_close(exp_journal *journal);
// Its path, as messages show it.
const char *exp_journal_name(const exp_journal *journal);

#define EXP_DIFFERENCE_SIZE 200

// Whether two first records are of the same journal. If not, `text` is where they differ first:
// "\"seed 1\", not \"seed 2\"".
bool exp_journal_same(const char *theirs, const char *ours, char text[EXP_DIFFERENCE_SIZE]);

// Appends a frame, not from two threads at a time; *offset is where. After a failed write the file
// is cut back to its last whole record. Nullable: offset, error.
lgkt_status exp_journal_append(exp_journal *journal, const unsigned char *frame, int64_t *offset,
                               lgkt_error *error);
// Brings to the disk what was appended more than `seconds` ago, while another thread may append.
// Nullable: error.
lgkt_status exp_journal_sync(exp_journal *journal, double seconds, lgkt_error *error);
// Reads the frame at an offset, with a record of *size bytes. The caller frees it with free, after
// failure too. Nullable: error.
lgkt_status exp_journal_read(exp_journal *journal, int64_t offset, unsigned char **frame,
                             size_t *size, lgkt_error *error);
