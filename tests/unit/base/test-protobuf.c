/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields have the bytes that the public encoding says; texts are UTF-8. */
#include <stdio.h>

#include "base/protobuf.h"
#include "tests/harness.h"

static struct buffer message;

/* The message's bytes, as hexadecimal; it is empty then. */
static const char *take(void)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for ( size_t i = 0; i < message.used && used + 3 < sizeof(text); i++ )
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%02x",
                                 i ? " " : "", message.bytes[i]);
    message.used = 0;
    return text;
}

TEST(numbers_are_of_seven_bits_a_byte)
{
    protobuf_number(&message, 1, 150);
    CHECK_TEXT(take(), "08 96 01");
    protobuf_number(&message, 16, UINT64_MAX);
    CHECK_TEXT(take(), "80 01 ff ff ff ff ff ff ff ff ff 01");
}

TEST(a_zero_is_there_only_as_an_element)
{
    protobuf_number(&message, 1, 0);
    CHECK_EQ(message.used, 0);
    protobuf_element(&message, 1, 0);
    CHECK_TEXT(take(), "08 00");
    protobuf_packed(&message, 0);
    protobuf_packed(&message, 300);
    CHECK_TEXT(take(), "00 ac 02");
}

TEST(fixed_numbers_have_their_lowest_byte_first)
{
    protobuf_fixed64(&message, 3, 0x0102030405060708);
    CHECK_TEXT(take(), "19 08 07 06 05 04 03 02 01");
    protobuf_packed64(&message, 1);
    protobuf_packed64(&message, 0);
    CHECK_TEXT(take(), "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
}

TEST(an_empty_text_is_there_only_as_an_element)
{
    protobuf_text(&message, 2, NULL);
    protobuf_text(&message, 2, "");
    protobuf_bytes(&message, 2, "abc", 0);
    CHECK_EQ(message.used, 0);
    protobuf_text_element(&message, 2, "");
    CHECK_TEXT(take(), "12 00");
    protobuf_text(&message, 2, "testing");
    CHECK_TEXT(take(), "12 07 74 65 73 74 69 6e 67");
}

TEST(what_is_no_utf8_is_replaced)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        {"\xc3\xa9", "0a 02 c3 a9"},
        {"\xf0\x9f\x98\x80", "0a 04 f0 9f 98 80"},
        {"a\xff", "0a 04 61 ef bf bd"},
        /* Cut off, by the end and by another. */
        {"\xe2\x82", "0a 06 ef bf bd ef bf bd"},
        {"\xc3!", "0a 04 ef bf bd 21"},
        /* Not the shortest; a surrogate; above U+10FFFF. */
        {"\xc0\xaf", "0a 06 ef bf bd ef bf bd"},
        {"\xed\xa0\x80", "0a 09 ef bf bd ef bf bd ef bf bd"},
        {"\xf4\x90\x80\x80", "0a 0c ef bf bd ef bf bd ef bf bd ef bf bd"},
    };

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        protobuf_text(&message, 1, cases[i].text);
        CHECK_TEXT(take(), cases[i].bytes);
    }
}

TEST(a_message_is_in_a_message)
{
    struct buffer part = {0};

    protobuf_number(&part, 1, 150);
    protobuf_message(&message, 3, &part);
    CHECK_EQ(part.used, 0);
    CHECK_TEXT(take(), "1a 03 08 96 01");
    protobuf_message(&message, 3, &part);
    CHECK_TEXT(take(), "1a 00");
    protobuf_begin(&message, 3, 300);
    CHECK_TEXT(take(), "1a ac 02");
    buffer_free(&part);
    buffer_free(&message);
}
