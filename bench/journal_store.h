// SPDX-License-Identifier: MIT
#pragma once

#include "serve/log_store.h"

srv_store *journal_open(const char *path);
