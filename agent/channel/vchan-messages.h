/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole messages (<xenoprof/agent.h>) over a vchan, without waiting, for both
 * of its sides.  The other side may write anything into the rings at any time:
 * a length is read once, from what was copied.
 */
#ifndef XENOPROF_AGENT_CHANNEL_VCHAN_MESSAGES_H
#define XENOPROF_AGENT_CHANNEL_VCHAN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <xenoprof/agent.h>

#include "vchan-rings.h"

struct vchan_messages {
    struct vchan_rings *rings;
    size_t come; /* bytes in in[] */
    bool whole;  /* they are a message that was taken */
    size_t put;  /* bytes in out[] */
    size_t gone; /* of these, in the ring */
    uint64_t in[AGENT_MESSAGE_MAX / 8], out[AGENT_MESSAGE_MAX / 8];
};

/* For rings that stay the caller's.  Again for the same ones: halves of
 * messages are dropped on this side. */
void vchan_messages_begin(struct vchan_messages *messages,
                          struct vchan_rings *rings);

/*
 * Returns the size of the next message; *message, at a multiple of 8, is good
 * until the next call.  0: it has not come whole.  -1: the conversation is
 * over, since the length is none, or the other side has gone and all is read.
 */
int vchan_messages_take(struct vchan_messages *messages, const void **message);

/* Skips what comes before the next message of this kind with this number, be it
 * whole messages or not.  Returns 1, then take it; 0 or -1 as
 * vchan_messages_take(). */
int vchan_messages_find(struct vchan_messages *messages, enum agent_kind kind,
                        uint32_t number);

/* Whether nothing is left to flush. */
bool vchan_messages_can_put(const struct vchan_messages *messages);
/* Copies a message, for vchan_messages_flush().  Returns 0; or -1 if there is
 * no room, or its head does not say its size. */
int vchan_messages_put(struct vchan_messages *messages, const void *message,
                       size_t size);
/* Writes as much as there is room for.  Returns 0; or -1 if the other side has
 * gone. */
int vchan_messages_flush(struct vchan_messages *messages);

#endif
