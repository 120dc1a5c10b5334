// SPDX-License-Identifier: MIT
// The page at /, one file with its script and style, and the policy that a browser is told: nothing
// runs but that script, known by its hash, and nothing is asked but this server.

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/embedded.h"
#include "serve/route.h"

enum { HASH_TEXT = 64, HEADERS = 1024 };

// What stands between <tag> and </tag>, of which there is one, as a source of the policy.
static bool hash_of(const char *page, const char *tag, char text[HASH_TEXT])
{
    char open[16], close[16];
    unsigned char hash[crypto_hash_sha256_BYTES];
    snprintf(open, sizeof open, "<%s>", tag);
    snprintf(close, sizeof close, "</%s>", tag);
    const char *from = strstr(page, open);
    const char *to = from != NULL ? strstr(from, close) : NULL;
    if (to == NULL)
        return false;
    from += strlen(open);
    crypto_hash_sha256(hash, (const unsigned char *)from, (unsigned long long)(to - from));
    sodium_bin2base64(text, HASH_TEXT, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    return true;
}

lgkt_status srv_page(char **page, char **headers, lgkt_error *error)
{
    char script[HASH_TEXT], style[HASH_TEXT];
    *page = malloc(srv_page_html_size + 1);
    *headers = malloc(HEADERS);
    if (*page == NULL || *headers == NULL)
        return lgkt_fail_memory(error, "the page");
    memcpy(*page, srv_page_html, srv_page_html_size);
    (*page)[srv_page_html_size] = '\0';
    if (!hash_of(*page, "script", script) || !hash_of(*page, "style", style))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "the page has no script or no style");
    snprintf(*headers, HEADERS,
             "Content-Security-Policy: default-src 'none'; script-src 'sha256-%s'; style-src "
             "'sha256-%s'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n",
             script, style);
    return LGKT_OK;
}

lgkt_status srv_route_prepare(srv_site *site, lgkt_error *error)
{
    site->openapi = srv_openapi();
    return site->openapi == NULL ? lgkt_fail_memory(error, "the OpenAPI file")
                                 : srv_page(&site->page, &site->page_headers, error);
}
