/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/symbol-text.h"
#include "tests/harness.h"

static char *read_text(const char *text, size_t length, size_t *size)
{
    char path[] = "/tmp/xenoprof-test-XXXXXX", *got;
    int fd = mkstemp(path);

    CHECK_EQ(write(fd, text, length), (long)length);
    got = symbol_text_read(fd, size);
    symbol_text_close(fd);
    unlink(path);
    return got;
}

static void check(const char *text, const char *wanted)
{
    size_t size;
    char *got = read_text(text, strlen(text), &size);

    if ( !wanted )
    {
        CHECK(!got);
        return;
    }
    CHECK(got);
    got[size - 1] = '\0';
    CHECK_TEXT(got, wanted);
    free(got);
}

TEST(symbol_text_keeps_code)
{
    check("ffffffff81000000 T _text\nffffffff82000000 D jiffies\n"
          "ffffffff81000040 t local\nffffffff81000080 W weak\n"
          "ffffffffc0000000 t init [driver]\n",
          "ffffffff81000000 T _text\nffffffff81000040 t local\n"
          "ffffffff81000080 W weak\nffffffffc0000000 t init [driver]");
}

TEST(symbol_text_with_addresses_hidden)
{
    check("0000000000000000 T _text\n0000000000000000 t local\n", NULL);
}

/* The first symbols of per-CPU data have address 0 everywhere. */
TEST(symbol_text_with_an_address_of_zero)
{
    check("0000000000000000 T zero\nffffffff81000000 T one\n",
          "0000000000000000 T zero\nffffffff81000000 T one");
}

TEST(symbol_text_that_is_none)
{
    check("", NULL);
    check("no symbols here\n", NULL);
    check("\n\n\n", NULL);
    CHECK(!symbol_text_read(-1, NULL));
}

TEST(symbol_text_of_many_chunks)
{
    size_t room = 4u << 20, used = 0, size;
    char *text = malloc(room), *got;

    for ( unsigned int i = 1; used + 64 < room; i++ )
        used += (size_t)sprintf(text + used, "ffffffff%08x T name_%u\n", i, i);
    got = read_text(text, used, &size);
    CHECK(got);
    CHECK_EQ(size, used);
    CHECK(memcmp(got, text, used) == 0);
    free(got);
    free(text);
}

TEST(symbol_text_with_a_line_without_end)
{
    size_t size, length = 1u << 20;
    char *text = malloc(length);

    memset(text, 'x', length);
    CHECK(!read_text(text, length, &size));
    free(text);
}
