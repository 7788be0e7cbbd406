/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs each scenario again and again, with its first, second, third, ...
 * allocation failing, until none fails.  Each failure is reported, frees what
 * it held, and leaves a session that can be read.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxenoprof.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static bool needed; /* the scenario cannot do without any allocation */
static struct xenoprof_handle *handle;
static char folder[TEST_FOLDER_MAX];

static void clear_folder(void)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[512];

    CHECK(directory);
    while ( (entry = readdir(directory)) )
    {
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if ( entry->d_name[0] != '.' )
            unlink(path);
    }
    closedir(directory);
}

/* Runs scenario with every allocation failing once; true when done. */
static void with_each_failing(enum xenoprof_status (*scenario)(void))
{
    test_make_folder(folder, "xenoprof-memory-XXXXXX");
    handle = xenoprof_open();
    for ( unsigned long at = 1;; at++ )
    {
        enum xenoprof_status status;

        clear_folder();
        fail_allocation(at);
        status = scenario();
        if ( fail_allocation(0) )
        {
            CHECK_EQ(status, XENOPROF_OK);
            CHECK(at > 5); /* there were some to fail */
            break;
        }
        if ( !status && !needed )
            continue;
        CHECK_EQ(status, XENOPROF_NO_MEMORY);
        CHECK(strstr(xenoprof_message(handle), "out of memory"));
    }
    clear_folder();
    rmdir(folder);
    xenoprof_close(handle);
}

static enum xenoprof_status add_items(struct xenoprof_writer *writer)
{
    const uint8_t uuid[16] = {1};
    struct xenoprof_place place = {.image = "kernel", .symbol = "f"};
    struct xenoprof_ring_info ring = {.ring = 1};
    struct xenoprof_stored sample = {.weight = 1};
    uint32_t chain[2] = {0, 0};
    enum xenoprof_status status = xenoprof_writer_attribute(writer, 1, "key",
                                                            "value");

    if ( !status )
        status = xenoprof_writer_domain(writer, 1, 1, uuid, "name", "passive");
    for ( unsigned int i = 0; !status && i < 600; i++ )
    {
        place.address = i;
        status = xenoprof_writer_place(writer, &place, &sample.place);
        chain[0] = sample.place;
        if ( !status )
            status = xenoprof_writer_sample(writer, &sample, chain, 2);
    }
    if ( !status )
        status = xenoprof_writer_ring(writer, &ring, 1, 0, 0);
    if ( !status )
        status = xenoprof_writer_ring_ended(writer, &ring);
    return status;
}

static enum xenoprof_status write_session(void)
{
    struct xenoprof_writer *writer;
    enum xenoprof_status status = xenoprof_writer_create(handle, folder,
                                                         &writer);

    if ( status )
        return status;
    status = add_items(writer);
    if ( !status )
        status = xenoprof_writer_rotate(writer);
    if ( !status )
        status = add_items(writer);
    if ( !status )
        status = xenoprof_writer_flush(writer);
    xenoprof_writer_destroy(writer);
    return status;
}

static enum xenoprof_status read_session(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status = xenoprof_session_open(handle, folder,
                                                        &session);

    if ( status )
        return status;
    while ( !(status = xenoprof_session_next(session, &item)) )
        ;
    xenoprof_session_close(session);
    return status == XENOPROF_END ? XENOPROF_OK : status;
}

/* Runs step on a session that was written while all allocations worked. */
static enum xenoprof_status on_written(enum xenoprof_status (*step)(void))
{
    unsigned long until = fail_allocation(0);
    enum xenoprof_status status;

    CHECK_EQ(write_session(), XENOPROF_OK);
    fail_allocation(until);
    status = step();
    until = fail_allocation(0);
    if ( status )
        CHECK_EQ(read_session(), XENOPROF_OK);
    fail_allocation(until);
    if ( status && !*xenoprof_message(handle) )
        return XENOPROF_INVALID;
    return status;
}

static enum xenoprof_status reopen_session(void)
{
    struct xenoprof_writer *writer;
    enum xenoprof_status status = xenoprof_writer_reopen(handle, folder,
                                                         &writer);

    if ( status )
        return status;
    status = add_items(writer);
    if ( !status )
        status = xenoprof_writer_close(writer, 1);
    xenoprof_writer_destroy(writer);
    return status;
}

static enum xenoprof_status read_written(void)
{
    return on_written(read_session);
}

static enum xenoprof_status reopen_written(void)
{
    return on_written(reopen_session);
}

static enum xenoprof_status read_symbols(void)
{
    const char *text = "1000 T a\n2000 t b\t[m]\n3000 t c\t[n]\n";
    struct xenoprof_symbols *symbols;
    enum xenoprof_status status = xenoprof_symbols_text(handle, text,
                                                        strlen(text), &symbols);

    if ( !status )
        xenoprof_symbols_close(symbols);
    return status;
}

/* Few allocations, so the loop must see each of them. */
static enum xenoprof_status read_symbols_twice(void)
{
    enum xenoprof_status status = read_symbols();

    return status ? status : read_symbols();
}

TEST(a_session_is_written)
{
    needed = true;
    with_each_failing(write_session);
}

TEST(a_session_is_read)
{
    needed = true;
    with_each_failing(read_written);
}

TEST(a_session_is_gone_on_with)
{
    needed = true;
    with_each_failing(reopen_written);
}

TEST(symbols_are_read)
{
    /* A table that cannot be made smaller stays as it is. */
    needed = false;
    with_each_failing(read_symbols_twice);
}
