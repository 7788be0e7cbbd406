/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why guests entered Xen: details that guests choose fill no table. */
#include <string.h>

#include "libxenoprof/session/epoch-tables.h"
#include "tests/harness.h"

static const uint64_t hostile[2] = {1, 2}, honest[2] = {1, 3};
static struct epoch_tables tables;

static uint32_t add(const uint64_t uuid[2], uint32_t code, uint64_t detail)
{
    const struct xenoprof_entry entry = {
        .kind = XENOPROF_ENTRY_SVM, .code = code, .detail = detail};

    return epoch_entry(&tables, uuid, &entry);
}

static const struct xenoprof_entry *at(uint32_t number)
{
    CHECK(number);
    return table_at(&tables.entries, number - 1);
}

TEST(an_entry_is_there_once)
{
    epoch_tables_init(&tables);
    CHECK_EQ(add(honest, 0x7b, 5), 1);
    CHECK_EQ(add(honest, 0x7b, 6), 2);
    CHECK_EQ(add(honest, 0x7c, 5), 3);
    CHECK_EQ(add(hostile, 0x7b, 5), 1);
    CHECK_EQ(at(3)->code, 0x7c);
    CHECK_EQ(at(3)->detail, 5);
    CHECK_EQ(at(3)->flags, 0);
    epoch_tables_free(&tables);
}

/* Beyond its share, all of a guest's are one; what others have stays. */
TEST(a_guest_brings_in_so_many_details)
{
    uint32_t bare;

    epoch_tables_init(&tables);
    CHECK_EQ(add(honest, 0x7c, 1ull << 40), 1);
    for ( uint64_t i = 1; i <= EPOCH_DETAILS_MAX; i++ )
        CHECK_EQ(at(add(hostile, 0x7c, i))->detail, i);
    bare = add(hostile, 0x7c, 5000);
    CHECK_EQ(at(bare)->detail, 0);
    CHECK_EQ(at(bare)->flags, XENOPROF_ENTRY_BARE);
    CHECK_EQ(add(hostile, 0x7c, 5001), bare);
    CHECK_EQ(at(add(hostile, 0x7b, 5001))->flags, XENOPROF_ENTRY_BARE);
    /* What is there already costs nothing. */
    CHECK_EQ(at(add(hostile, 0x7c, 7))->detail, 7);
    CHECK_EQ(add(hostile, 0x7c, 1ull << 40), 1);
    CHECK_EQ(at(add(hostile, 0x81, 0))->flags, 0);
    CHECK_EQ(at(add(honest, 0x7c, 5000))->detail, 5000);
    CHECK_EQ(at(add(hostile, 0x7c, 5000))->detail, 5000);
    epoch_tables_free(&tables);
}

TEST(a_file_has_so_many_entries)
{
    epoch_tables_init(&tables);
    for ( uint32_t code = 0; code < EPOCH_ENTRIES_MAX; code++ )
        CHECK_EQ(add(honest, code, 0), code + 1);
    CHECK_EQ(add(honest, EPOCH_ENTRIES_MAX, 0), 0);
    CHECK_EQ(add(honest, 1, 3), 0);
    CHECK_EQ(add(honest, 7, 0), 8);
    CHECK_EQ(tables.entries.count, EPOCH_ENTRIES_MAX);
    epoch_tables_free(&tables);
}
