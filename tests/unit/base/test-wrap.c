/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wrap.h"
#include "tests/harness.h"

#include <stdlib.h>

static void check(const char *text, size_t indent, size_t width,
                  const char *wanted)
{
    char *written = NULL;
    size_t size;
    FILE *file = open_memstream(&written, &size);

    CHECK(file);
    wrap_print(file, text, indent, width);
    fclose(file);
    CHECK_TEXT(written, wanted);
    free(written);
}

TEST(text_that_fits_is_one_line)
{
    check("one two", 2, 9, "one two");
    check("", 2, 20, "");
}

TEST(text_goes_on_below_itself)
{
    check("one two three", 2, 10, "one two\n  three");
    check("one  two", 0, 4, "one\ntwo");
}

TEST(a_word_that_is_too_long_is_cut)
{
    check("abcdefghij", 0, 4, "abcd\nefgh\nij");
}

TEST(without_room_there_is_one_line)
{
    check("one two three", 2, 0, "one two three");
    check("one two three", 9, 12, "one two three");
}
