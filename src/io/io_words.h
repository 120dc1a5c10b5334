// SPDX-License-Identifier: MIT
// Old names of what core has now; goes when nobody includes it.
#ifndef IO_WORDS_H
#define IO_WORDS_H

#include "core/hash.h"

#define IO_CHECK_START LGKT_HASH_START
#define io_put_u64     lgkt_put_u64
#define io_get_u64     lgkt_get_u64
#define io_check_bytes lgkt_hash_bytes
#define io_check_text  lgkt_hash_text

#endif
