/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vchan-messages.h"

#include <string.h>

void vchan_messages_begin(struct vchan_messages *messages,
                          struct vchan_rings *rings)
{
    messages->rings = rings;
    messages->come = messages->put = messages->gone = 0;
    messages->whole = false;
}

/* Reads until so many bytes of the message have come.  Returns whether they
 * have: 1, 0, or -1 if the vchan is over. */
static int read_message_bytes(struct vchan_messages *messages, size_t size)
{
    while ( messages->come < size )
    {
        int got = vchan_rings_read(messages->rings,
                                   (char *)messages->in + messages->come,
                                   size - messages->come);

        if ( got <= 0 )
            return got;
        messages->come += (size_t)got;
    }
    return 1;
}

/* Returns what the head of a message has as its length, or 0 if no message is
 * that long. */
static size_t length_of(const void *message)
{
    struct agent_head head;

    memcpy(&head, message, sizeof(head));
    return head.length >= sizeof(head) && head.length <= AGENT_MESSAGE_MAX
               ? head.length
               : 0;
}

int vchan_messages_take(struct vchan_messages *messages, const void **message)
{
    size_t length;
    int code;

    if ( messages->whole )
        messages->come = 0;
    messages->whole = false;
    code = read_message_bytes(messages, sizeof(struct agent_head));
    if ( code <= 0 )
        return code;
    length = length_of(messages->in);
    if ( !length )
        return -1;
    code = read_message_bytes(messages, length);
    if ( code <= 0 )
        return code;
    messages->whole = true;
    *message = messages->in;
    return (int)length;
}

int vchan_messages_find(struct vchan_messages *messages, enum agent_kind kind,
                        uint32_t number)
{
    struct agent_head head;
    char *in = (char *)messages->in;
    int code;

    if ( messages->whole )
        messages->come = 0;
    messages->whole = false;
    while ( (code = read_message_bytes(messages, sizeof(head))) > 0 )
    {
        memcpy(&head, in, sizeof(head));
        if ( head.kind == kind && head.number == number )
            return 1;
        memmove(in, in + 1, sizeof(head) - 1);
        messages->come = sizeof(head) - 1;
    }
    return code;
}

bool vchan_messages_can_put(const struct vchan_messages *messages)
{
    return !messages->put;
}

int vchan_messages_put(struct vchan_messages *messages, const void *message,
                       size_t size)
{
    if ( messages->put || size < sizeof(struct agent_head) ||
         length_of(message) != size )
        return -1;
    memcpy(messages->out, message, size);
    messages->put = size;
    return 0;
}

int vchan_messages_flush(struct vchan_messages *messages)
{
    while ( messages->gone < messages->put )
    {
        int went = vchan_rings_write(
            messages->rings, (const char *)messages->out + messages->gone,
            messages->put - messages->gone);

        if ( went <= 0 )
            return went;
        messages->gone += (size_t)went;
    }
    messages->put = messages->gone = 0;
    return 0;
}
