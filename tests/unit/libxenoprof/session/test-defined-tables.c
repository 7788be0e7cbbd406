/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why guests entered Xen, and who ran in them: what guests choose fills no
 * table. */
#include <stdio.h>
#include <string.h>

#include "libxenoprof/session/defined-tables.h"
#include "tests/harness.h"

static const uint64_t hostile[2] = {1, 2}, honest[2] = {1, 3};
static struct defined_tables tables;

static uint32_t add(const uint64_t uuid[2], uint32_t code, uint64_t detail)
{
    const struct xenoprof_entry entry = {
        .kind = XENOPROF_ENTRY_SVM, .code = code, .detail = detail};

    return define_entry(&tables, uuid, &entry);
}

static const struct xenoprof_entry *at(uint32_t number)
{
    CHECK(number);
    return table_at(&tables.entries, number - 1);
}

TEST(an_entry_is_there_once)
{
    defined_tables_init(&tables);
    CHECK_EQ(add(honest, 0x7b, 5), 1);
    CHECK_EQ(add(honest, 0x7b, 6), 2);
    CHECK_EQ(add(honest, 0x7c, 5), 3);
    CHECK_EQ(add(hostile, 0x7b, 5), 1);
    CHECK_EQ(at(3)->code, 0x7c);
    CHECK_EQ(at(3)->detail, 5);
    CHECK_EQ(at(3)->flags, 0);
    defined_tables_free(&tables);
}

/* Beyond its share, all of a guest's are one; what others have stays. */
TEST(a_guest_brings_in_so_many_details)
{
    uint32_t bare;

    defined_tables_init(&tables);
    CHECK_EQ(add(honest, 0x7c, 1ull << 40), 1);
    for ( uint64_t i = 1; i <= FILE_DETAILS_MAX; i++ )
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
    defined_tables_free(&tables);
}

TEST(a_file_has_so_many_entries)
{
    defined_tables_init(&tables);
    for ( uint32_t code = 0; code < FILE_ENTRIES_MAX; code++ )
        CHECK_EQ(add(honest, code, 0), code + 1);
    CHECK_EQ(add(honest, FILE_ENTRIES_MAX, 0), 0);
    CHECK_EQ(add(honest, 1, 3), 0);
    CHECK_EQ(add(honest, 7, 0), 8);
    CHECK_EQ(tables.entries.count, FILE_ENTRIES_MAX);
    defined_tables_free(&tables);
}

/* Threads ------------------------------------------------------------------ */

static uint32_t add_thread(const uint64_t uuid[2], uint32_t tid)
{
    const struct xenoprof_thread thread = {
        .start = 5, .pid = 1, .tid = tid, .comm = "x"};

    return define_thread(&tables, uuid, &thread);
}

static const struct xenoprof_thread *thread_at(uint32_t number)
{
    CHECK(number);
    return table_at(&tables.threads, number - 1);
}

TEST(a_thread_is_there_once)
{
    defined_tables_init(&tables);
    CHECK_EQ(add_thread(honest, 7), 1);
    CHECK_EQ(add_thread(honest, 8), 2);
    CHECK_EQ(add_thread(hostile, 7), 1);
    CHECK_EQ(thread_at(2)->tid, 8);
    CHECK_EQ(thread_at(2)->start, 5);
    CHECK_TEXT(thread_at(2)->comm, "x");
    defined_tables_free(&tables);
}

/* Beyond its share, all of a guest's are one; what others have stays. */
TEST(a_guest_brings_in_so_many_threads)
{
    uint32_t many;

    defined_tables_init(&tables);
    CHECK_EQ(add_thread(honest, ~0u), 1);
    for ( uint32_t tid = 1; tid <= FILE_THREADS_GUEST_MAX; tid++ )
        CHECK_EQ(thread_at(add_thread(hostile, tid))->tid, tid);
    many = add_thread(hostile, 100000);
    CHECK_TEXT(thread_at(many)->comm, XENOPROF_THREAD_MANY);
    CHECK_EQ(thread_at(many)->pid, 0);
    CHECK_EQ(add_thread(hostile, 100001), many);
    CHECK_EQ(thread_at(add_thread(hostile, 7))->tid, 7);
    CHECK_EQ(thread_at(add_thread(honest, 100000))->tid, 100000);
    CHECK_EQ(add_thread(honest, ~0u), 1);
    defined_tables_free(&tables);
}

/* Guests that come and go, each with its share, end nowhere else. */
TEST(a_file_has_so_many_threads)
{
    defined_tables_init(&tables);
    for ( uint64_t guest = 0; guest <= 1 + FILE_THREADS_MAX / 4096; guest++ )
        for ( uint32_t i = 0; i < 4096; i++ )
        {
            const uint64_t uuid[2] = {guest, 9};

            CHECK(add_thread(uuid, (uint32_t)(guest * 4096 + i)));
        }
    /* A reader takes no more. */
    CHECK_EQ(tables.threads.count, FILE_THREADS_MAX);
    CHECK_TEXT(thread_at(FILE_THREADS_MAX)->comm, XENOPROF_THREAD_MANY);
    defined_tables_free(&tables);
}

TEST(a_guest_brings_in_so_many_bytes_of_origins)
{
    char text[64];
    uint32_t first, texts = 0;

    defined_tables_init(&tables);
    first = define_origin_text(&tables, hostile, "/bin/0");
    for ( ;; texts++ )
    {
        snprintf(text, sizeof(text), "/%048u", texts);
        if ( !define_origin_text(&tables, hostile, text) )
            break;
    }
    CHECK(texts > 5000);
    CHECK(texts <= FILE_ORIGIN_BYTES_MAX / 49);
    CHECK(define_origin_text(&tables, honest, text));
    /* What is there costs nothing. */
    for ( unsigned int i = 0; i < 100000; i++ )
        CHECK_EQ(define_origin_text(&tables, honest, "/bin/0"), first);
    CHECK(define_origin_text(&tables, honest, "/bin/another"));
    defined_tables_free(&tables);
}
