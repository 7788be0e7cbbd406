/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays in one piece of memory: found again as they were put, each at a
 * multiple of 8, and never beyond the end. */
#include <string.h>

#include "base/flat.h"
#include "tests/harness.h"

static struct buffer bytes;

static struct cursor from_start(size_t size)
{
    return (struct cursor){bytes.bytes, bytes.bytes + size, false};
}

TEST(arrays_are_found_again)
{
    static const uint32_t words[3] = {1, 2, 3};
    static const char text[] = "abc";
    struct cursor cursor;
    const uint32_t *got;

    CHECK(flat_put(&bytes, words, 3, sizeof(words[0])));
    CHECK(flat_put(&bytes, NULL, 0, 8));
    CHECK(flat_put(&bytes, text, sizeof(text), 1));
    CHECK_EQ(bytes.used, 24);
    cursor = from_start(bytes.used);
    got = flat_get(&cursor, 3, sizeof(words[0]));
    CHECK(got && !memcmp(got, words, sizeof(words)));
    CHECK(flat_get(&cursor, 0, 8));
    CHECK_TEXT(flat_get(&cursor, sizeof(text), 1), "abc");
    CHECK(!cursor.bad && !cursor_left(&cursor));
    buffer_free(&bytes);
}

TEST(nothing_is_beyond_the_end)
{
    const uint64_t word = 7;
    struct cursor cursor;

    CHECK(flat_put(&bytes, &word, 1, sizeof(word)));
    cursor = from_start(bytes.used);
    CHECK(!flat_get(&cursor, 2, sizeof(word)) && cursor.bad);
    cursor = from_start(bytes.used);
    CHECK(!flat_get(&cursor, SIZE_MAX / 4, 8) && cursor.bad);
    /* The bytes that fill it up are part of an array. */
    cursor = from_start(4);
    CHECK(!flat_get(&cursor, 1, 4) && cursor.bad);
    buffer_free(&bytes);
}
