/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <xenoprof/door.h>

#include "core-kit.h"
#include "hypervisor/message.h"

TEST(text_knows_four_formats)
{
    char room[80];
    struct text text;

    text_begin(&text, room, sizeof(room));
    text_add(&text, "%s has %u of %lu at %x", "ring", 0u, ~0ul, 0xfau);
    CHECK_TEXT(room, "ring has 0 of 18446744073709551615 at fa");
    CHECK_EQ(text.used, strlen(room));
}

TEST(text_is_cut_where_its_room_ends)
{
    char room[8] = "xxxxxxx";
    struct text text;

    for ( unsigned int size = 1; size < sizeof(room); size++ )
    {
        memset(room, 'x', sizeof(room));
        text_begin(&text, room, size);
        text_add(&text, "%u", 123456789u);
        text_add(&text, "%s", "more");
        CHECK_EQ(strlen(room), size - 1);
        CHECK_EQ(text.used, size - 1);
        CHECK_EQ(room[size], 'x');
    }
}

/* A state that is read by dom0 has no byte of an older sentence. */
TEST(refusal_is_forgotten_as_a_whole)
{
    char longest[2 * XENOPROF_MESSAGE_MAX];

    memset(longest, 'l', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    CHECK_EQ(refuse(ERROR_BUSY, "%s", longest), -ERROR_BUSY);
    CHECK_EQ(strlen(refuse_message()), XENOPROF_MESSAGE_MAX - 1);
    refuse_nothing();
    for ( unsigned int i = 0; i < XENOPROF_MESSAGE_MAX; i++ )
        CHECK_EQ(refuse_message()[i], 0);
}
