/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of code of a process, and what another process may make of them. */
#include <stdio.h>
#include <string.h>

#include "guest/mapped.h"
#include "guest/origin.h"
#include "tests/harness.h"

static struct mapped_space space, again;
static uint8_t flat[MAPPED_FLAT_MAX];
static uint16_t file; /* of pieces that are added */

static bool add(uint64_t start, uint64_t end, const char *path)
{
    const struct mapped_code piece = {
        .start = start, .end = end, .offset = 1, .file = file};

    return mapped_space_add(&space, &piece, path);
}

/* Some pieces, of which two are of one file. */
static size_t make(void)
{
    static const struct guest_file files[] = {{0x1000, 5}, {0x2000, 6}};

    mapped_space_init(&space);
    file = mapped_space_file(&space, &files[0]);
    CHECK(add(0x1000, 0x2000, "/bin/sh"));
    CHECK_EQ(mapped_space_file(&space, &files[0]), file);
    CHECK(add(0x2000, 0x3000, "/bin/sh"));
    file = 0;
    CHECK(add(0x5000, 0x6000, ""));
    file = mapped_space_file(&space, &files[1]);
    CHECK(add(0x7000, 0x8000, "/lib/x"));
    file = 0;
    return mapped_space_put(&space, flat);
}

TEST(pieces_and_their_files)
{
    size_t size = make();

    CHECK(mapped_space_get(flat, size, &again));
    CHECK_EQ(again.count, 4);
    CHECK_EQ(again.bytes, 1 + sizeof("/bin/sh") + sizeof("/lib/x"));
    CHECK_TEXT(mapped_path(&again, &again.code[1]), "/bin/sh");
    CHECK_TEXT(mapped_path(&again, &again.code[2]), "");
    CHECK_TEXT(mapped_path(&again, &again.code[3]), "/lib/x");
    CHECK_EQ(again.code[3].start, 0x7000);
    CHECK_EQ(again.code[3].offset, 1);
    CHECK_EQ(again.files, 2);
    CHECK_EQ(again.code[1].file, 1);
    CHECK_EQ(again.code[2].file, 0);
    CHECK_EQ(again.code[3].file, 2);
    CHECK_EQ(again.file[1].mapping, 0x2000);
    CHECK_EQ(again.file[1].id, 6);
}

/* Its path is no file's below the root of all. */
TEST(a_file_of_another_root)
{
    const struct mapped_code piece = {
        .start = 0x9000, .end = 0xa000, .elsewhere = 1};

    make();
    CHECK(mapped_space_add(&space, &piece, "/lib/y"));
    CHECK(mapped_space_get(flat, mapped_space_put(&space, flat), &again));
    CHECK_TEXT(mapped_path(&again, &again.code[4]), "");
    CHECK_TEXT(mapped_name(&again, &again.code[4]), "/lib/y");
}

TEST(as_many_files_as_there_may_be)
{
    struct guest_file one = {0x1000, 0};

    mapped_space_init(&space);
    CHECK_EQ(mapped_space_file(&space, &one), 0);
    while ( one.id++ < MAPPED_FILES_MAX )
        CHECK_EQ(mapped_space_file(&space, &one), one.id);
    CHECK_EQ(mapped_space_file(&space, &one), 0);
    CHECK(mapped_space_get(flat, mapped_space_put(&space, flat), &again));
    CHECK_EQ(again.files, MAPPED_FILES_MAX);
}

TEST(pieces_that_are_none)
{
    make();
    CHECK(!add(0x7fff, 0x9000, "/lib/y"));
    CHECK(!add(0x9000, 0x9000, "/lib/y"));
    CHECK(!add(0x9000, 0x8000, "/lib/y"));
    CHECK(!add(0x9000, UINT64_MAX, "/lib/y"));
    CHECK_EQ(space.count, 4);
    CHECK(add(0x9000, 1ull << 56, "/lib/y"));
}

TEST(as_many_as_there_may_be)
{
    char path[ORIGIN_PATH_MAX + 1];
    size_t size;

    mapped_space_init(&space);
    for ( unsigned int i = 0; i < MAPPED_MAX; i++ )
    {
        snprintf(path, sizeof(path), "/%0100u", i);
        CHECK(add(4096 * i, 4096 * i + 4096, path));
    }
    CHECK(!add(1ull << 40, 1ull << 41, ""));
    CHECK(space.bytes <= MAPPED_TEXTS_MAX);
    CHECK_TEXT(mapped_path(&space, &space.code[MAPPED_MAX - 1]), "");
    size = mapped_space_put(&space, flat);
    CHECK(size <= sizeof(flat));
    CHECK(mapped_space_get(flat, size, &again));
    CHECK_EQ(again.count, MAPPED_MAX);
}

/* Each word and letter, made something else. */
TEST(what_another_process_made_up)
{
    size_t size = make();
    uint32_t numbers[4];

    CHECK(!mapped_space_get(flat, 0, &again));
    CHECK(!mapped_space_get(flat, 7, &again));
    CHECK(!mapped_space_get(flat, size - 1, &again));
    memcpy(numbers, flat, sizeof(numbers));
    for ( int which = 0; which < 4; which++ )
        for ( int way = 0; way < 3; way++ )
        {
            uint32_t lies[4] = {numbers[0], numbers[1], numbers[2], 0};

            if ( which == 3 && !way )
                continue;
            lies[which] = way == 0 ? 0 : way == 1 ? UINT32_MAX : MAPPED_MAX + 1;
            memcpy(flat, lies, sizeof(lies));
            CHECK(!mapped_space_get(flat, size, &again));
        }
    memcpy(flat, numbers, sizeof(numbers));
    CHECK(mapped_space_get(flat, size, &again));
}

static void lie(size_t at, uint8_t value)
{
    size_t size = make();

    CHECK(mapped_space_get(flat, size, &again));
    flat[at] = value;
    CHECK(!mapped_space_get(flat, size, &again));
}

TEST(pieces_that_another_process_made_up)
{
    const size_t piece = 16, files = 16 + 4 * sizeof(struct mapped_code);
    const size_t texts = files + 2 * sizeof(struct guest_file);

    lie(piece + 1, 0x30); /* start behind its end */
    lie(piece + 7, 0x80); /* ... in the kernel */
    lie(piece + sizeof(struct mapped_code) + 1, 0x1f); /* in the one before */
    lie(piece + 24, 2);                                /* the rest of a text */
    lie(piece + 24, 100);
    lie(piece + 28, 3); /* a file that there is not */
    lie(piece + 29, 1);
    lie(piece + 30, 2);
    lie(files + 8, 0); /* without an id */
    lie(texts, '/');
    lie(texts + 1, 'b');
    lie(texts + 2, '\033');
    lie(texts + sizeof("/bin/sh") + sizeof("/lib/x"), 'x');
}
