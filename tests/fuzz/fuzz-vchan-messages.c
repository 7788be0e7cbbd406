/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes from the other side of a vchan, in pieces of any size: what is taken
 * are the messages that the bytes are when they are read in one go, and each of
 * them goes back as it came.
 */
#include "agent/channel/vchan-messages.h"

#include <string.h>

#include "fuzz.h"
#include "tests/unit/agent/channel/vchan-kit.h"

static struct vchan_messages here;
static struct vchan_rings *there;
static uint8_t sent[FUZZ_MAX], back[FUZZ_MAX];
static size_t sent_size, taken, back_size;

/* Where the message ends that begins with the first byte that was not taken; 0:
 * it is none. */
static size_t message_end(void)
{
    struct agent_head head;

    if ( sent_size - taken < sizeof(head) )
        return SIZE_MAX;
    memcpy(&head, sent + taken, sizeof(head));
    if ( head.length < sizeof(head) || head.length > AGENT_MESSAGE_MAX )
        return 0;
    return taken + head.length;
}

static void send_back(const void *message, size_t size)
{
    FUZZ_CHECK(!vchan_messages_put(&here, message, size));
    while ( !vchan_messages_can_put(&here) )
    {
        int got;

        FUZZ_CHECK(!vchan_messages_flush(&here));
        got = vchan_rings_read(there, back + back_size,
                               sizeof(back) - back_size);
        FUZZ_CHECK(got > 0);
        back_size += (size_t)got;
    }
}

/* Takes all messages that have come.  Returns whether the rest may be some. */
static bool take(void)
{
    for ( ;; )
    {
        size_t end = message_end();
        const void *message;
        int size = vchan_messages_take(&here, &message);

        if ( !size )
            FUZZ_CHECK(end > sent_size);
        if ( size < 0 )
            FUZZ_CHECK(!end);
        if ( size <= 0 )
            return !size;
        FUZZ_CHECK(end == taken + (size_t)size && end <= sent_size);
        FUZZ_CHECK(!memcmp(message, sent + taken, (size_t)size));
        send_back(message, (size_t)size);
        taken = end;
    }
}

/* The first two bytes: how far from their end the rings are.  Then pieces, each
 * with its size before it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t from;

    if ( size < 2 )
        return 0;
    kit_vchan_make();
    from = 0u - data[0] - ((uint32_t)data[1] << 8);
    kit_vchan->ring.left = (struct ring_shared){from, from};
    kit_vchan->ring.right = kit_vchan->ring.left;
    vchan_messages_begin(&here, kit_vchan_serve());
    there = kit_vchan_connect();
    sent_size = taken = back_size = 0;
    for ( size_t at = 2; at < size; )
    {
        size_t piece = data[at++];
        int went;

        piece = piece < size - at ? piece : size - at;
        went = vchan_rings_write(there, data + at, piece);
        FUZZ_CHECK(went >= 0);
        memcpy(sent + sent_size, data + at, (size_t)went);
        sent_size += (size_t)went;
        at += piece;
        if ( !take() )
            break;
    }
    while ( back_size < taken )
    {
        int got = vchan_rings_read(there, back + back_size, taken - back_size);

        FUZZ_CHECK(got > 0);
        back_size += (size_t)got;
    }
    FUZZ_CHECK(back_size == taken && !memcmp(back, sent, taken));
    return 0;
}

/* Three messages in pieces, of which the last has no length. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct agent_head heads[] = {
        {.length = 16}, {.length = 24, .number = 1}, {.length = 3 - number}};
    uint8_t row[56] = {0};
    size_t size = 0;

    if ( number > 2 )
        return 0;
    memcpy(row, &heads[0], 16);
    memcpy(row + 16, &heads[1], 16);
    memcpy(row + 40, &heads[2], 16);
    bytes[size++] = (uint8_t)(1u << 3 * number);
    bytes[size++] = 0;
    for ( size_t at = 0; at < sizeof(row); at += 7 )
    {
        bytes[size++] = 7;
        memcpy(bytes + size, row + at, 7);
        size += 7;
    }
    return size;
}
