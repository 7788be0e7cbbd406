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
    size_t come; /* bytes that were read into in[] */
    bool whole;  /* in[] is a message that was taken: the next read drops it */
    size_t put;  /* size of the message in out[]; 0: none */
    size_t gone; /* bytes of it that were written to the ring */
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

/* Skips what the ring still has of an earlier conversation, whole messages or
 * not, up to the next message of this kind with this number.  Returns 1 when
 * the message has begun: vchan_messages_take() takes it; else 0 or -1 as
 * vchan_messages_take(). */
int vchan_messages_find(struct vchan_messages *messages, enum agent_kind kind,
                        uint32_t number);

/* Whether nothing is left to flush. */
bool vchan_messages_can_put(const struct vchan_messages *messages);
/* Copies a message, for vchan_messages_flush().  Returns 0; or -1 if there is
 * no room, or its head does not say its size. */
int vchan_messages_put(struct vchan_messages *messages, const void *message,
                       size_t size);
/* Writes as much as there is room for.  Returns 0, also if some is left
 * (vchan_messages_can_put()); or -1 if the other side has gone. */
int vchan_messages_flush(struct vchan_messages *messages);

#endif
