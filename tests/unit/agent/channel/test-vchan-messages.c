/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages in pieces of any size, and what is none. */
#include <string.h>

#include "agent/channel/vchan-messages.h"
#include "tests/harness.h"
#include "vchan-kit.h"

static struct vchan_messages here, there;
static uint64_t message[AGENT_MESSAGE_MAX / 8 + 1];

/* Both sides of a new vchan. */
static void setup(void)
{
    kit_vchan_make();
    vchan_messages_begin(&here, kit_vchan_serve());
    vchan_messages_begin(&there, kit_vchan_connect());
}

/* A message of that size, whose bytes depend on its number. */
static const void *make(uint32_t size, uint32_t number)
{
    struct agent_head head = {.length = size, .number = number};

    for ( uint32_t i = sizeof(head); i < size; i++ )
        ((uint8_t *)message)[i] = (uint8_t)(i * 7 + number);
    memcpy(message, &head, sizeof(head));
    return message;
}

/* The next message that comes is this one. */
static void check(struct vchan_messages *to, uint32_t size, uint32_t number)
{
    const void *got;

    CHECK_EQ(vchan_messages_take(to, &got), size);
    CHECK(!memcmp(got, make(size, number), size));
}

/* Bytes that no vchan_messages_put() would take. */
static void write_bytes(struct vchan_messages *from, const void *bytes,
                        size_t size)
{
    CHECK_EQ(vchan_rings_write(from->rings, bytes, size), size);
}

TEST(a_message_and_its_answer)
{
    const void *got;

    setup();
    CHECK_EQ(vchan_messages_take(&here, &got), 0);
    CHECK(vchan_messages_can_put(&there));
    CHECK_EQ(vchan_messages_put(&there, make(40, 1), 40), 0);
    CHECK(!vchan_messages_can_put(&there));
    CHECK_EQ(vchan_messages_take(&here, &got), 0);
    CHECK_EQ(vchan_messages_flush(&there), 0);
    CHECK(vchan_messages_can_put(&there));
    check(&here, 40, 1);
    CHECK_EQ(vchan_messages_put(&here, make(sizeof(struct agent_head), 2),
                                sizeof(struct agent_head)),
             0);
    CHECK_EQ(vchan_messages_flush(&here), 0);
    check(&there, sizeof(struct agent_head), 2);
    CHECK_EQ(vchan_messages_take(&there, &got), 0);
}

/* Sends rows of messages of growing sizes, of which none or several find room
 * at a time, from this index of the ring on. */
static void send_rows(uint32_t from)
{
    uint32_t sizes[] = {16, 17, 4096, AGENT_MESSAGE_MAX, 16, AGENT_MESSAGE_MAX};
    unsigned int put = 0, taken = 0;

    setup();
    kit_vchan->ring.left = (struct ring_shared){from, from};
    while ( taken < 6 )
    {
        const void *got;
        int size;

        if ( put < 6 && vchan_messages_can_put(&there) )
        {
            CHECK(
                !vchan_messages_put(&there, make(sizes[put], put), sizes[put]));
            put++;
        }
        CHECK(!vchan_messages_flush(&there));
        size = vchan_messages_take(&here, &got);
        CHECK(size >= 0);
        if ( size )
        {
            CHECK_EQ(size, sizes[taken]);
            CHECK(!memcmp(got, make(sizes[taken], taken), sizes[taken]));
            taken++;
        }
    }
}

TEST(messages_in_pieces)
{
    send_rows(0);
    send_rows(1);
    send_rows(65535);
    send_rows(UINT32_MAX - 70000);
}

/* The whole of a message is there at once only if it is. */
TEST(byte_by_byte)
{
    const void *got;

    setup();
    make(100, 3);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        CHECK_EQ(vchan_messages_take(&here, &got), 0);
        write_bytes(&there, (const char *)message + i, 1);
    }
    check(&here, 100, 3);
}

static void refuse(uint32_t length)
{
    struct agent_head head = {.length = length};
    const void *got;

    setup();
    write_bytes(&there, &head, sizeof(head));
    CHECK_EQ(vchan_messages_take(&here, &got), -1);
    write_bytes(&there, make(16, 1), 16);
    CHECK_EQ(vchan_messages_take(&here, &got), -1);
    CHECK_EQ(vchan_messages_put(&here, &head, sizeof(head)), -1);
}

TEST(lengths_that_are_none)
{
    refuse(0);
    refuse(sizeof(struct agent_head) - 1);
    refuse(AGENT_MESSAGE_MAX + 1);
    refuse(UINT32_MAX);
}

/* Who changes a length that was read changes nothing. */
TEST(a_length_is_read_once)
{
    const void *got;

    setup();
    write_bytes(&there, make(24, 1), 16);
    CHECK_EQ(vchan_messages_take(&here, &got), 0);
    memset(kit_vchan->left, 0xff, 16);
    write_bytes(&there, (const char *)make(24, 1) + 16, 8);
    check(&here, 24, 1);
}

TEST(what_cannot_be_put)
{
    setup();
    CHECK_EQ(vchan_messages_put(&here, make(24, 1), 23), -1);
    CHECK_EQ(vchan_messages_put(&here, make(24, 1), 25), -1);
    CHECK_EQ(vchan_messages_put(&here, make(24, 1), 15), -1);
    CHECK_EQ(vchan_messages_put(&here, make(24, 1), 0), -1);
    CHECK(vchan_messages_can_put(&here));
    CHECK_EQ(vchan_messages_put(&here, make(24, 1), 24), 0);
    CHECK_EQ(vchan_messages_put(&here, make(24, 2), 24), -1);
}

/* What was sent before is read; half a message is none. */
TEST(the_server_has_gone)
{
    const void *got;

    setup();
    CHECK_EQ(vchan_messages_put(&here, make(40, 1), 40), 0);
    CHECK_EQ(vchan_messages_flush(&here), 0);
    write_bytes(&here, make(40, 2), 39);
    kit_vchan->ring.srv_live = 0;
    check(&there, 40, 1);
    CHECK_EQ(vchan_messages_take(&there, &got), -1);
    CHECK_EQ(vchan_messages_take(&there, &got), -1);
    CHECK_EQ(vchan_messages_put(&there, make(40, 3), 40), 0);
    CHECK_EQ(vchan_messages_flush(&there), -1);
}

/* Nothing is read or written by indices that are none, and nothing else is. */
TEST(indices_that_are_none)
{
    static const uint32_t by[] = {65537, 1u << 17, 1u << 31, UINT32_MAX};
    const void *got;

    setup();
    for ( unsigned int i = 0; i < sizeof(by) / sizeof(by[0]); i++ )
    {
        kit_vchan->ring.left.prod = kit_vchan->ring.left.cons + by[i];
        CHECK_EQ(vchan_messages_take(&here, &got), 0);
        CHECK_EQ(vchan_rings_write(there.rings, "x", 1), 0);
    }
}

/* Nothing of one conversation is in the next one. */
TEST(beginning_again)
{
    const void *got;

    setup();
    CHECK_EQ(vchan_messages_put(&here, make(40, 1), 40), 0);
    write_bytes(&there, make(40, 2), 20);
    CHECK_EQ(vchan_messages_take(&here, &got), 0);
    vchan_messages_begin(&here, here.rings);
    CHECK_EQ(vchan_messages_flush(&here), 0);
    CHECK_EQ(vchan_messages_take(&there, &got), 0);
    write_bytes(&there, make(40, 3), 40);
    check(&here, 40, 3);
}

/* What is left of another conversation, which ends within a message. */
TEST(a_message_is_found_after_others)
{
    struct agent_head head = {.kind = AGENT_WELCOME, .length = 40, .number = 9};
    const void *got;

    setup();
    write_bytes(&here, make(100, 9), 77);
    write_bytes(&here, make(40, 9), 40);
    CHECK_EQ(vchan_messages_find(&there, AGENT_WELCOME, 9), 0);
    write_bytes(&here, &head, sizeof(head));
    CHECK_EQ(vchan_messages_find(&there, AGENT_WELCOME, 9), 1);
    CHECK_EQ(vchan_messages_take(&there, &got), 0);
    write_bytes(&here, make(100, 9), 24);
    CHECK_EQ(vchan_messages_take(&there, &got), 40);
    kit_vchan->ring.srv_live = 0;
    CHECK_EQ(vchan_messages_find(&there, AGENT_WELCOME, 9), -1);
}
