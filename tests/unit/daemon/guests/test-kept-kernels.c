/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session found of guests' kernels, in the next one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/parser/kept-kernels.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/parser-stub.h"

static struct guests_kit kit;
static char folder[80];

static const char *path_of(uint8_t byte)
{
    static char path[160];
    size_t used = (size_t)snprintf(path, sizeof(path), "%s/", folder);

    for ( unsigned int i = 0; i < 16; i++ )
        used += (size_t)snprintf(path + used, 3, "%02x", byte);
    return path;
}

static void begin(char letter)
{
    guests_kit_begin(&kit, letter);
    snprintf(folder, sizeof(folder), "%s/" KEPT_FOLDER, kit.dir);
    strcpy(kit.guests->kept, folder);
}

static void end(void)
{
    unlink(path_of(2));
    unlink(path_of(3));
    CHECK_EQ(rmdir(folder), 0);
    guests_kit_end(&kit);
}

/* Another session, or another daemon. */
static void next_session(void)
{
    guests_close(kit.guests);
    kit.guests = guests_open(&kit.host.xen);
    CHECK(kit.guests);
    strcpy(kit.guests->kept, folder);
}

/* A sample of domain 2 has this name, and its kernel was found in that way. */
static void check_named(const char *symbol, const char *found)
{
    struct guest_sample sample;
    struct guest_chain chain;

    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", symbol);
    CHECK(strstr(guests_kit_fact(&kit), found));
    CHECK(strstr(guests_kit_fact(&kit), "base=0xffffffff81000000"));
}

/* What is kept is looked for by a sample, in vain: it is dropped. */
static void check_dropped(const struct guest_sample *sample)
{
    CHECK_EQ(guests_look(kit.guests, kit.writer, sample), XENOPROF_OK);
    CHECK(guests_find(kit.guests, sample)->search.kept.image);
    guests_kit_search(&kit);
    CHECK_EQ(guests_find(kit.guests, sample)->state, GUEST_NEW);
    CHECK_EQ(guests_sought(kit.guests), 1);
    CHECK(access(path_of(2), F_OK));
}

TEST(kept_for_the_next_session)
{
    begin('K');
    check_named("function_2", "found=memory");
    next_session();
    check_named("function_2", "found=kept");
    next_session();
    check_named("function_2", "found=kept");
    end();
}

/* A guest has booted another kernel since, at the same address: what was kept
 * is not believed. */
TEST(kept_and_not_what_runs_now)
{
    struct guest_sample sample;

    begin('K');
    check_named("function_2", "found=memory");
    next_session();
    kit.host.frames[FRAME][0] = 'T';
    strcpy((char *)kit.host.frames[FRAME] + 16, "other");
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    check_dropped(&sample);
    check_named("other_2", "found=memory");
    next_session();
    check_named("other_2", "found=kept");
    end();
}

/* It says the same build, and is elsewhere. */
TEST(kept_and_at_another_address)
{
    const uint64_t base = KERNEL + 0x40000000;
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    check_named("function_2", "found=memory");
    next_session();
    sample = guests_kit_sample(&kit, base + 0x210, 0);
    memset(kit.host.frames[1], 0, 4 * GUEST_PAGE);
    kit.registers.cr3 = guest_kit_map(&kit.host, base, FRAME);
    check_dropped(&sample);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK(strstr(guests_kit_fact(&kit), "found=memory"));
    CHECK(strstr(guests_kit_fact(&kit), "base=0xffffffffc1000000"));
    end();
}

/* What one guest says of its kernel is of no use to another. */
TEST(kept_for_one_guest_alone)
{
    static uint8_t uuid[16];
    struct guest_sample sample;
    struct guest_chain chain;
    const char *fact;

    begin('K');
    check_named("function_2", "found=memory");
    next_session();
    memset(uuid, 3, sizeof(uuid));
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    sample.uuid = uuid;
    sample.domain = 3;
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    fact = xenoprof_writer_past_attribute(kit.writer, "guest_kernel_3");
    CHECK(fact && strstr(fact, "found=memory"));
    end();
}

/* What looks at it dies: it is forgotten, and the guest is struck once. */
TEST(kept_and_crashes_who_looks)
{
    struct guest_sample sample;

    begin('K');
    check_named("function_2", "found=memory");
    next_session();
    kit.host.frames[FRAME][0] = 'C';
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    check_dropped(&sample);
    end();
}

static void write_byte(off_t at, uint8_t flip)
{
    int file = open(path_of(2), O_RDWR);
    uint8_t byte;

    CHECK(file >= 0 && pread(file, &byte, 1, at) == 1);
    byte ^= flip;
    CHECK(pwrite(file, &byte, 1, at) == 1 && close(file) == 0);
}

/* A file that is damaged anywhere is as none. */
TEST(kept_file_that_is_damaged)
{
    uint8_t uuid[16];
    const struct sealed_table *table;
    struct stat status;
    uint64_t base = 0;

    begin('K');
    check_named("function_2", "found=memory");
    memset(uuid, 2, sizeof(uuid));
    CHECK_EQ(stat(path_of(2), &status), 0);
    CHECK_EQ(status.st_mode & 0777, 0600);
    table = kept_kernel_load(folder, uuid, kit.guests->store, &base);
    CHECK(table);
    CHECK_EQ(base, KERNEL);
    table_release(table);
    for ( off_t at = 0; at < status.st_size; at++ )
    {
        /* Where the guest had it is what its memory must confirm. */
        if ( at >= 24 && at < 32 )
            continue;
        write_byte(at, 4);
        CHECK(!kept_kernel_load(folder, uuid, kit.guests->store, &base));
        write_byte(at, 4);
    }
    CHECK_EQ(truncate(path_of(2), status.st_size - 1), 0);
    CHECK(!kept_kernel_load(folder, uuid, kit.guests->store, &base));
    CHECK(!kept_kernel_load("", uuid, kit.guests->store, &base));
    end();
}

/* However many guests come and go. */
TEST(kept_are_not_ever_more)
{
    struct table_draft *draft;
    const struct sealed_table *table;
    uint8_t uuid[16];
    uint64_t base;
    unsigned int there = 0;

    begin('K');
    draft = table_draft_begin(kit.guests->store, 16);
    CHECK(draft && table_draft_add(draft, "table", 5));
    table = table_draft_end(draft);
    for ( unsigned int i = 0; i < KEPT_COUNT_MAX + 10; i++ )
    {
        memset(uuid, (int)i, sizeof(uuid));
        kept_kernel_store(folder, uuid, table, i);
    }
    table_release(table);
    for ( unsigned int i = 0; i < KEPT_COUNT_MAX + 10; i++ )
    {
        memset(uuid, (int)i, sizeof(uuid));
        table = kept_kernel_load(folder, uuid, kit.guests->store, &base);
        there += table != NULL;
        CHECK(!table || base == i);
        CHECK(table || i < KEPT_COUNT_MAX);
        table_release(table);
        kept_kernel_drop(folder, uuid);
    }
    CHECK_EQ(there, KEPT_COUNT_MAX);
    end();
}
