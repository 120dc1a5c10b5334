// SPDX-License-Identifier: MIT
#pragma once

#include "serve/log_store.h"

// For srv_actor_config.open: a programme that is new, and is gone afterwards.
lgkt_status journal_open(const srv_store_config *config, srv_store **store, lgkt_error *error);
