/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests by HTTP and HTTPS: one at a time, each within a bounded time.  No
 * redirect is followed, no certificate is taken that is not right, and of what
 * a receiver answers no more is read than says how it is.
 */
#ifndef XENOPROF_PUSH_HTTP_SEND_H
#define XENOPROF_PUSH_HTTP_SEND_H

#include "http-answer.h"
#include "push-config.h"

struct http_sender;

struct http_answer {
    enum answer answer;
    uint64_t asked; /* to wait for so many ns; 0: it did not */
    char text[256]; /* why it is not ANSWER_TAKEN */
};

/* Says whether a request is to be given up, as when this process is to end;
 * called at least once a second. */
typedef bool http_give_up(void *context);

/* Returns a sender for the target, which stays as it is, or NULL with a
 * failure.  seconds: the most that a request takes. */
struct http_sender *http_sender_open(const struct push_target *target,
                                     const struct push_config *config,
                                     unsigned int seconds,
                                     struct failure *failure);
void http_sender_close(struct http_sender *sender);
/* Looks up the receiver's name, whatever comes of it: libraries that do this
 * are loaded now, while code may still be mapped. */
void http_sender_ready(const struct http_sender *sender);
void http_sender_watch(struct http_sender *sender, http_give_up *give_up,
                       void *context);

/* Sends a body.  Returns when there is an answer, or none will come. */
void http_send(struct http_sender *sender, const struct buffer *body,
               struct http_answer *ret);

#endif
