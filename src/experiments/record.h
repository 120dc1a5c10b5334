// SPDX-License-Identifier: MIT
// The numbers of one finished instance as the payload of a journal record.
#ifndef EXPERIMENTS_RECORD_H
#define EXPERIMENTS_RECORD_H

#include "experiments/instance.h"

// Bytes of a record of a setup.
size_t exp_record_size(const exp_setup *setup);
// Between an outcome and such bytes. The second is for bytes whose size is right.
void exp_record_pack(unsigned char *bytes, const exp_setup *setup, int64_t panel, int64_t instance,
                     const exp_outcome *outcome);
void exp_record_unpack(const unsigned char *bytes, const exp_setup *setup, exp_outcome *outcome);
// Panel and instance of a record; false if it is too short to have them.
bool exp_record_place(const unsigned char *bytes, size_t size, uint64_t *panel, uint64_t *instance);

#endif
