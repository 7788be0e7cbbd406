/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of xenoprof-push: each few seconds a window goes into the queue, and
 * from its other end windows are sent, in their order.
 */
#ifndef XENOPROF_PUSH_PUSH_LOOP_H
#define XENOPROF_PUSH_PUSH_LOOP_H

#include "backoff.h"
#include "push-state.h"

struct push {
    const struct push_target *target;
    const struct push_labels *labels;
    struct window_source *source;
    struct http_sender *sender;
    int folder;        /* of queue and status */
    int signals;       /* readable: to end */
    uint64_t interval; /* ns from one window to the next */
    uint64_t linger;   /* ns in which an end still sends what waits */
    bool stay;         /* goes on with the next session */

    struct push_queue queue;
    struct backoff backoff;
    struct status_push state;
    struct buffer body;
    uint64_t next_window, deadline; /* monotonic; deadline 0: not yet */
    unsigned int says; /* of the last trouble, so as to say it once */
};

/* Where the session was read up to, by the queue and the last one's status;
 * both are open.  ret's session is "" if nothing was. */
void push_resume(const struct push *push, struct window_ask *ret);

/* Runs until it is told to end, or what is recorded has ended and was sent, or
 * could not be for some time.  What waits then stays in the queue. */
void push_run(struct push *push);

#endif
