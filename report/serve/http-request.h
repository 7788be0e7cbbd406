/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request of HTTP/1.1, as far as --serve needs it: what was asked for, and
 * whether who asks may have it.  All of it is a stranger's bytes until then.
 */
#ifndef XENOPROF_REPORT_SERVE_HTTP_REQUEST_H
#define XENOPROF_REPORT_SERVE_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_LINE_MAX    1024u  /* bytes of the first line, with its end */
#define HTTP_REQUEST_MAX 16384u /* bytes of all lines */
#define HTTP_FIELDS_MAX  64u    /* lines but the first */
#define HTTP_TYPE_MAX    128u   /* bytes of a name of a type of samples */
#define HTTP_TOKEN       32u    /* letters: 128 bits */

/* Part of the bytes of a request; NULL: it is not there. */
struct http_text {
    const char *at;
    size_t size;
};

struct http_request {
    struct http_text method;
    struct http_text target;
    struct http_text host; /* fields */
    struct http_text origin;
    struct http_text site;  /* Sec-Fetch-Site */
    struct http_text match; /* If-None-Match */
};

struct http_wanted {
    bool data;                    /* else the page */
    bool head;                    /* not the body */
    char type[HTTP_TYPE_MAX + 1]; /* of samples; empty: the usual */
    uint64_t match;               /* the number of the data that who asks has;
                                     0: none */
};

/* Returns 200 if bytes begin with a whole request, whose texts *request then
 * has, 0 if more bytes are needed, else the status of HTTP to answer with. */
unsigned int http_request_parse(const char *bytes, size_t size,
                                struct http_request *request);

/* Returns 200 and what is wanted, or the status to refuse with.  Only GET and
 * HEAD of what is below the token (HTTP_TOKEN letters) are answered, by a name
 * of this host (so that no name of a stranger leads here), and to the page
 * itself or who types the address, not to pages of another origin. */
unsigned int http_request_allow(const struct http_request *request,
                                const char *token, struct http_wanted *ret);

/* Returns what a status is called. */
const char *http_status_text(unsigned int status);

#endif
