/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that guests share, or do not. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest/fingerprint.h"
#include "tests/harness.h"

static bool collide;

/* A hash that all tables have, if a test wants that. */
static uint64_t hash_of(struct fingerprint *hash)
{
    return collide ? 1 : fingerprint_end(hash);
}

/* The code under test, with that hash. */
#define fingerprint_end(hash) hash_of(hash)
#include "daemon/parser/table-store.c"

static struct table_store *store;

static const struct sealed_table *put(const char *text)
{
    struct table_draft *draft = table_draft_begin(store, 64);
    size_t half = strlen(text) / 2;

    CHECK(draft);
    CHECK(table_draft_add(draft, text, half));
    CHECK(table_draft_add(draft, text + half, strlen(text) - half));
    return table_draft_end(draft);
}

TEST(equal_tables_are_one)
{
    const struct sealed_table *a, *b, *c;

    store = table_store_open();
    a = put("what a kernel is");
    b = put("what a kernel is");
    c = put("what a kernel is!");
    CHECK(a && a == b);
    CHECK(c && c != a);
    CHECK_EQ(table_store_count(store), 2);
    CHECK_EQ(table_store_bytes(store), 33);
    table_release(a);
    CHECK_EQ(table_store_count(store), 2);
    CHECK(table_hold(b) == b);
    table_release(b);
    table_release(b);
    CHECK_EQ(table_store_count(store), 1);
    CHECK_EQ(table_store_bytes(store), 17);
    a = put("what a kernel is");
    CHECK(a && a != c);
    table_release(c);
    CHECK_EQ(table_store_count(store), 1);
    table_release(a);
    table_release(NULL);
    CHECK(!table_hold(NULL));
    table_store_close(store);
}

/* Of one size, and nearly the same: a guest that lies shares with nobody. */
TEST(one_byte_makes_another_table)
{
    const struct sealed_table *a, *b;

    store = table_store_open();
    a = put("build-id 1, text at 1000");
    b = put("build-id 1, text at 1001");
    CHECK(a && b && a != b);
    table_release(a);
    table_release(b);
    CHECK_EQ(table_store_bytes(store), 0);
    table_store_close(store);
    table_store_close(NULL);
}

/* The hash only says where to look: all bytes are compared. */
TEST(one_hash_makes_no_tables_equal)
{
    const struct sealed_table *a, *b;

    collide = true;
    store = table_store_open();
    a = put("build-id 1, text at 1000");
    b = put("build-id 1, text at 1001");
    CHECK(a && b && a != b);
    CHECK(put("build-id 1, text at 1001") == b);
    CHECK_EQ(table_store_count(store), 2);
    table_release(a);
    table_release(b);
    table_release(b);
    table_store_close(store);
    collide = false;
}

TEST(nobody_changes_a_table)
{
    const struct sealed_table *table;
    char bytes[5] = "";

    store = table_store_open();
    table = put("names");
    CHECK(table);
    CHECK_EQ(table->size, 5);
    CHECK(write(table->file, "x", 1) < 0);
    CHECK(pwrite(table->file, "x", 1, 0) < 0);
    CHECK(ftruncate(table->file, 3) < 0);
    CHECK(ftruncate(table->file, 4096) < 0);
    CHECK(mmap(NULL, 5, PROT_WRITE, MAP_SHARED, table->file, 0) == MAP_FAILED);
    CHECK(fcntl(table->file, F_ADD_SEALS, 0) < 0);
    CHECK_EQ(pread(table->file, bytes, 5, 0), 5);
    CHECK(!memcmp(bytes, "names", 5));
    table_release(table);
    table_store_close(store);
}

TEST(a_draft_is_bounded)
{
    struct table_draft *draft;
    char bytes[64] = "";

    store = table_store_open();
    draft = table_draft_begin(store, 64);
    CHECK(table_draft_add(draft, bytes, 60));
    CHECK(!table_draft_add(draft, bytes, 5));
    CHECK(table_draft_add(draft, bytes, 4));
    table_draft_drop(draft);
    table_draft_drop(NULL);
    CHECK(!table_draft_end(table_draft_begin(store, 64))); /* empty */
    CHECK_EQ(table_store_count(store), 0);
    table_store_close(store);
}
