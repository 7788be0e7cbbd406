/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rows of this program again and again, with the first, second,
 * third, ... allocation failing, until none fails.  Each time there is a table,
 * or it is said that there is none for want of memory; and a table is put and
 * walked by or not, but never in part.
 */
#include <fcntl.h>

#include "base/scope.h"
#include "rows/cfi/elf-rows.h"
#include "rows/user-walk.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static int program = -1;
static uint32_t rows; /* of the whole table */

/* Returns the table, or NULL if there was no memory for it. */
static struct row_table *make(void)
{
    struct row_table *table = NULL;
    enum elf_rows_status status = elf_rows(program, &table, NULL);

    CHECK_EQ(status, table ? ELF_ROWS_MADE : ELF_ROWS_NO_MEMORY);
    return table;
}

static bool use(struct row_table *table)
{
    struct user_mapping mapping = {.start = 0x10000, .end = 0x20000};
    struct buffer bytes = {NULL, 0, 0};
    bool put = row_table_put(table, &bytes);
    struct row_table *got = put ? row_table_get(bytes.bytes, bytes.used) : NULL;
    struct row_cache *cache = row_cache_open();
    struct user_space *space = user_space_open(&mapping, 1);
    bool used = put && got && cache && space;

    user_space_close(space);
    row_cache_close(cache);
    row_table_close(got);
    buffer_free(&bytes);
    return used;
}

/* Returns true if no allocation failed. */
static bool make_with_failure(unsigned long number)
{
    struct row_table *table;
    bool used = false;

    fail_allocation(number);
    table = make();
    if ( table )
    {
        CHECK_EQ(table->rows, rows);
        used = use(table);
    }
    row_table_close(table);
    if ( !fail_allocation(0) )
    {
        CHECK(!table || !used);
        return false;
    }
    CHECK(used);
    return true;
}

TEST(each_allocation_fails_once)
{
    struct row_table *table;
    unsigned long number = 1;

    program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    table = make();
    CHECK(table);
    rows = table->rows;
    row_table_close(table);
    while ( !make_with_failure(number) )
        number++;
    CHECK(number > 20);
    close(program);
}
