/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection of --serve: a request, an answer, and the end.  It never
 * waits; who is too slow is cut.
 */
#ifndef XENOPROF_REPORT_SERVE_HTTP_CONNECTION_H
#define XENOPROF_REPORT_SERVE_HTTP_CONNECTION_H

#include "http-request.h"

#include <sys/types.h>

#define HTTP_HEAD_MAX 4096u /* bytes of an answer's lines, and of a sentence */

/* ns: until a request is there, whole; for which an answer may stand still;
 * until who was answered ends the connection. */
#define HTTP_ASKING  5000000000ull
#define HTTP_STALLED 10000000000ull
#define HTTP_ENDING  1000000000ull

enum http_state {
    HTTP_READS,  /* the request comes */
    HTTP_WAITS,  /* it is there, and has no answer yet */
    HTTP_WRITES, /* the answer goes */
    HTTP_DRAINS, /* it went: the other side is to end */
    HTTP_ENDED,
};

struct http_connection {
    int socket;
    enum http_state state;
    uint64_t deadline; /* of the state, as monotonic_now(); none if it waits */
    char request[HTTP_REQUEST_MAX];
    size_t used;
    struct http_wanted wanted;
    char head[HTTP_HEAD_MAX]; /* of the answer, with a body that is short */
    size_t head_size, head_sent;
    int body; /* a file, or -1 */
    off_t at;
    size_t left; /* bytes of the file */
};

struct http_answer {
    unsigned int status;
    const char *policy; /* Content-Security-Policy; NULL: nothing may load */
    const char *type;   /* Content-Type; NULL: plain text */
    uint64_t number;    /* ETag; 0: none */
    uint64_t age;       /* s */
    const char *text;   /* the body; NULL: what the status is called, or: */
    int file;           /* a file that stays the caller's, if it has a size */
    size_t size;
};

/* socket does not block, and is the connection's from now on. */
void http_connection_begin(struct http_connection *connection, int socket,
                           uint64_t now);
void http_connection_end(struct http_connection *connection);

/* Returns for what poll() is to wait. */
short http_connection_events(const struct http_connection *connection);

/* Goes on as far as it can, when poll() or the deadline says so.  A request
 * that is refused is answered; one that is not, by token, waits. */
void http_connection_go(struct http_connection *connection, const char *token,
                        uint64_t now);

/* Answers one that waits. */
void http_connection_answer(struct http_connection *connection,
                            const struct http_answer *answer, uint64_t now);

#endif
