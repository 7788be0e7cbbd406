/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module/payload.h"
#include "module/trailer.h"
#include "tests/harness.h"

#define CONTENTS 1000u

static unsigned char *bytes; /* of a file with its trailer */
static size_t size;

static void make(void)
{
    char path[] = "/tmp/xenoprof-test-XXXXXX";
    unsigned char contents[CONTENTS];
    int file = mkstemp(path);

    for ( unsigned int i = 0; i < CONTENTS; i++ )
        contents[i] = (unsigned char)(i * i);
    CHECK(file >= 0);
    CHECK_EQ(write(file, contents, CONTENTS), CONTENTS);
    close(file);
    CHECK_EQ(trailer_add(path), 0);
    free(bytes);
    CHECK_EQ(payload_read(path, &bytes, &size), 0);
    CHECK_EQ(size, CONTENTS + TRAILER_BYTES);
    CHECK(!memcmp(bytes, contents, CONTENTS));
    CHECK(!unlink(path));
}

TEST(trailer_of_a_whole_file)
{
    size_t contents = 0;

    make();
    CHECK(trailer_fits(bytes, size, &contents));
    CHECK_EQ(contents, CONTENTS);
}

TEST(trailer_of_a_file_with_a_wrong_bit)
{
    size_t contents;

    make();
    for ( size_t bit = 0; bit < 8 * size; bit++ )
    {
        bytes[bit / 8] ^= 1u << bit % 8;
        CHECK(!trailer_fits(bytes, size, &contents));
        bytes[bit / 8] ^= 1u << bit % 8;
    }
    CHECK(trailer_fits(bytes, size, &contents));
}

/* The rest may be anything: a crash leaves zeroes. */
TEST(trailer_of_a_file_that_is_cut_short)
{
    size_t contents;

    make();
    for ( size_t length = 0; length < size; length++ )
        CHECK(!trailer_fits(bytes, length, &contents));
    memset(bytes + CONTENTS, 0, TRAILER_BYTES);
    CHECK(!trailer_fits(bytes, size, &contents));
    memset(bytes, 0, size);
    CHECK(!trailer_fits(bytes, size, &contents));
}

TEST(trailer_of_no_file)
{
    CHECK_EQ(trailer_add("/nonexistent"), -ENOENT);
    CHECK_EQ(trailer_add("/dev/full"), -EFBIG);
}
