/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an image takes from marks, and what it answers. */
#include <stdio.h>
#include <string.h>

#include "guest/linux/linux-image.h"
#include "tests/harness.h"

static struct kallsyms_wanted marks[MARKS];

static void put_mark(enum image_mark mark, uint64_t offset)
{
    marks[mark].found = true;
    marks[mark].offset = offset;
}

TEST(marks_say_where_code_is)
{
    struct linux_image *image = linux_image_create();

    CHECK(image);
    linux_image_want_marks(marks);
    for ( int i = 0; i < MARKS; i++ )
        CHECK(marks[i].name && !marks[i].found);
    put_mark(MARK_ETEXT, 0x2000);
    linux_image_take_code(image, marks);
    CHECK(!linux_image_is_code(image, 0x1000)); /* where it begins is missing */
    put_mark(MARK_STEXT, 0x1000);
    put_mark(MARK_EINITTEXT, 0x6000);
    linux_image_take_code(image, marks);
    CHECK(linux_image_is_code(image, 0x1000));
    CHECK(!linux_image_is_code(image, 0xfff));
    CHECK(!linux_image_is_code(image, 0x2000));
    CHECK(!linux_image_is_code(image, 0x5fff));
    put_mark(MARK_SINITTEXT, 0x5000);
    linux_image_take_code(image, marks);
    CHECK(linux_image_is_code(image, 0x5fff));
    CHECK(!linux_image_is_code(image, ~0ull));
    CHECK(!image->fred);
    put_mark(MARK_FRED, 0x1800);
    linux_image_take_code(image, marks);
    CHECK(image->fred);
    linux_image_free(image);
    linux_image_free(NULL);
}

TEST(symbols_of_a_file)
{
    struct linux_image *image = linux_image_create();
    uint64_t start, end;
    const char *name;

    CHECK(image);
    CHECK(!linux_image_symbol(image, 5, &name, &start, &end));
    CHECK(symbol_list_add(&image->symbols, 0x10, "one", 3));
    CHECK(symbol_list_add(&image->symbols, 1ull << 40, "far", 3));
    symbol_list_sort(&image->symbols);
    CHECK(!linux_image_symbol(image, 0xf, &name, &start, &end));
    CHECK(linux_image_symbol(image, 0x11, &name, &start, &end));
    CHECK_TEXT(name, "one");
    CHECK(start == 0x10 && end == 1ull << 40);
    CHECK(linux_image_symbol(image, ~0ull, &name, &start, &end));
    CHECK_TEXT(name, "far");
    linux_image_free(image);
}
