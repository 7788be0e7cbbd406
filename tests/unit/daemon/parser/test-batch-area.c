/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that a batch needs is given back when smaller ones follow. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/parser/batch-area.h"
#include "tests/harness.h"

#define LARGE 600000u
#define SMALL 10000u

static size_t bytes_used(int file)
{
    struct stat status;

    CHECK(fstat(file, &status) == 0);
    return (size_t)status.st_blocks * 512;
}

TEST(an_area_takes_what_it_uses)
{
    const struct batch_head head = {.base = 42};
    struct batch_area area;
    int file = batch_area_open(&area, &head);
    uint64_t base;

    CHECK(file >= 0);
    CHECK(bytes_used(file) <= 2 * 4096);
    batch_area_copy_out(&area, 0, &base, sizeof(base));
    CHECK_EQ(base, 42);

    batch_area_trim(&area, LARGE);
    memset(area.bytes + BATCH_BEGIN, 1, LARGE);
    CHECK(bytes_used(file) >= LARGE);
    for ( int i = 0; i < 10; i++ )
        batch_area_trim(&area, SMALL);
    CHECK(bytes_used(file) >= LARGE); /* large ones may come again soon */
    for ( int i = 0; i < 10; i++ )
        batch_area_trim(&area, SMALL);
    CHECK(bytes_used(file) <= 4 * 4096);
    batch_area_copy_out(&area, 0, &base, sizeof(base));
    CHECK_EQ(base, 42);
    area.bytes[LARGE] = 1; /* it can be used as before */
    batch_area_close(&area);
    batch_area_close(&area);
    close(file);
}
