// SPDX-License-Identifier: MIT
// Who may do what: tokens of 256 random bits in DIR/tokens.db, of which only hashes are kept.
//
// One process serves and others may add and revoke meanwhile: srv_tokens_refresh sees it.
#pragma once

#include "core/error.h"

enum {
    SRV_TOKEN_TEXT = 49, // of a token: "lgkt_" and 43 letters, with a zero
    SRV_TOKEN_NAME = 64, // of its name, with a zero
    SRV_TOKEN_HASH = 32
};

// bits, so that a route can take several
typedef enum srv_role { SRV_DECIDES = 1, SRV_READS = 2, SRV_ADMIN = 4 } srv_role;

typedef struct srv_token {
    char name[SRV_TOKEN_NAME];
    srv_role role;
    char programme[SRV_TOKEN_NAME]; // the only one it is for; "": all
    double rate;                    // most requests a second; 0: any number
    int64_t made;                   // seconds since 1970
    unsigned char hash[SRV_TOKEN_HASH];
    double filled, at; // of the bucket: requests that are left, and when that was
} srv_token;

typedef struct srv_tokens srv_tokens;

const char *srv_role_name(srv_role role);
// 0 where a word is none: decide, read, admin.
srv_role srv_role_of(const char *word);

// Opens or makes FOLDER/tokens.db, which nobody else may read. Nullable: error.
lgkt_status srv_tokens_open(const char *folder, srv_tokens **tokens, lgkt_error *error);
void srv_tokens_close(srv_tokens *tokens);

// Makes a token; its text is told once, here. Nullable: programme, error.
lgkt_status srv_tokens_add(srv_tokens *tokens, const char *name, srv_role role,
                           const char *programme, double rate, char text[SRV_TOKEN_TEXT],
                           lgkt_error *error);
lgkt_status srv_tokens_revoke(srv_tokens *tokens, const char *name, lgkt_error *error);

// In the order in which they were made; borrowed until the next call that changes or refreshes.
int32_t srv_tokens_count(const srv_tokens *tokens);
const srv_token *srv_tokens_item(const srv_tokens *tokens, int32_t i);

// Reads them again if another process has changed them.
lgkt_status srv_tokens_refresh(srv_tokens *tokens, lgkt_error *error);

// The token with this text, NULL if there is none: every hash is compared, whole.
srv_token *srv_tokens_find(srv_tokens *tokens, const char *text, size_t size);
// Takes a request from the bucket of a token, which holds those of one second. False: it is empty,
// and *wait says for how many seconds.
bool srv_token_take(srv_token *token, double now, double *wait);
