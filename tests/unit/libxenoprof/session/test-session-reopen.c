/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer that was killed goes on where its last whole block ended. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session-kit.h"

TEST(a_restarted_writer_knows_what_was_known)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_past ring;
    uint32_t place = kit_place(kit, 5, 1, 0x100, "f");

    kit_know(kit);
    kit_sample(kit, 5, place);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_sample(kit, 6, place); /* never flushed */
    kit_stop(kit);
    kit_go_on(kit);
    CHECK_EQ(xenoprof_writer_past_rings(kit->writer), 1);
    xenoprof_writer_past_ring(kit->writer, 0, &ring);
    CHECK_EQ(ring.info.ring, 1);
    CHECK_EQ(ring.info.generation, 1);
    CHECK_EQ(ring.info.position, 100);
    CHECK_EQ(ring.info.uuid[0], 5);
    CHECK_EQ(ring.read, 50);
    CHECK_EQ(ring.lost_daemon, 2);
    CHECK_TEXT(xenoprof_writer_past_attribute(kit->writer, "sampler"), "timer");
    CHECK(!xenoprof_writer_past_attribute(kit->writer, "nothing"));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 8));
    kit_file_is(kit, 1, KIT_KNOWN "closed 8\nend torn 0\n");
    kit_destroy(kit);
}

/* As a report does that asks whether anybody writes the session. */
TEST(a_writer_waits_for_who_only_looks_at_the_lock)
{
    struct session_kit *kit = kit_create();
    int folder, ready[2];
    char byte = 0;
    pid_t child;

    kit_stop(kit);
    CHECK(!pipe(ready));
    child = fork();
    CHECK(child >= 0);
    if ( !child )
    {
        folder = open(kit->folder, O_RDONLY | O_DIRECTORY);
        byte = !flock(folder, LOCK_SH | LOCK_NB);
        if ( write(ready[1], &byte, 1) == 1 )
            usleep(10000);
        _exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1 && byte);
    kit_go_on(kit);
    CHECK(waitpid(child, NULL, 0) == child);
    close(ready[0]);
    close(ready[1]);
    kit_destroy(kit);
}

TEST(after_a_restart_places_have_new_numbers_for_the_writer_only)
{
    struct session_kit *kit = kit_create();
    uint32_t a = kit_place(kit, 1, 1, 0x100, "a");
    char *text;

    kit_sample(kit, 1, a);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_stop(kit);
    kit_go_on(kit);
    kit_sample(kit, 2, kit_place(kit, 1, 1, 0x200, "b"));
    kit_sample(kit, 3, kit_place(kit, 1, 1, 0x100, "a"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "sample 1 place 1 ") &&
          strstr(text, "sample 3 place 1 "));
    CHECK(strstr(text, "sample 2 place 2 "));
    free(text);
    kit_destroy(kit);
}

/* The name comes after the writer was killed, twice. */
TEST(after_a_restart_an_address_can_get_its_name)
{
    const uint8_t uuid[16] = {9};
    struct session_kit *kit = kit_create();
    uint32_t unnamed = 0;
    uint64_t address;
    char *text;

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 1, 1, uuid, "web", "passive"));
    kit_sample(kit, 1, kit_place(kit, 1, 1, 0x100, NULL));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    for ( int i = 0; i < 2; i++ )
    {
        kit_stop(kit);
        kit_go_on(kit);
        kit_sample(kit, 2, 0);
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    CHECK(xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    CHECK_EQ(address, 0x100);
    CHECK(!xenoprof_writer_unnamed(kit->writer, 1, 1, &unnamed, &address));
    kit_place(kit, 1, 1, 0x100, "f");
    kit_sample(kit, 3, 0);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "sample 1 place 1 "));
    CHECK(strstr(text, "place 1 who 1 1 at 100 vmlinux f 100\n"));
    free(text);
    kit_destroy(kit);
}

/* A guest has as many addresses without a name as it likes: as from one file to
 * the next, its newest 1,024 go on, whatever other guests have. */
TEST(after_a_restart_a_guest_has_its_newest_unnamed_addresses)
{
    const uint8_t uuids[2][16] = {{1}, {2}};
    struct session_kit *kit = kit_create();
    uint32_t number;

    for ( uint16_t domain = 1; domain <= 2; domain++ )
        KIT_OK(kit,
               xenoprof_writer_domain(kit->writer, 1, domain, uuids[domain - 1],
                                      "web", "passive"));
    kit_sample(kit, 1, kit_place(kit, 2, 1, 0x77, NULL));
    for ( uint64_t address = 1; address <= 3000; address++ )
        kit_sample(kit, 1, kit_place(kit, 1, 1, address, NULL));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_stop(kit);
    kit_go_on(kit);
    for ( uint64_t address = 1; address <= 3000; address++ )
        CHECK_EQ(xenoprof_writer_known(kit->writer, 1, 1, address, &number),
                 address > 3000 - 1024);
    CHECK(xenoprof_writer_known(kit->writer, 2, 1, 0x77, &number));
    kit_destroy(kit);
}

/* Cut the last file anywhere: whole blocks stay, the next ones follow. */
static void go_on_after_cut(size_t cut, unsigned int whole)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;
    size_t size;
    uint8_t *bytes;

    for ( uint64_t time = 1; time <= 2; time++ )
    {
        kit_sample(kit, time, kit_place(kit, 1, 1, time, "f"));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    kit_stop(kit);
    bytes = kit_bytes(kit_file(kit, 0), &size);
    kit_put_bytes(kit_file(kit, 0), bytes, cut < size ? cut : size);
    free(bytes);
    kit_go_on(kit);
    kit_sample(kit, 9, kit_place(kit, 1, 1, 9, "g"));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 10));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.damages, 0);
    CHECK_EQ(counts.torn, 0);
    CHECK_EQ(counts.samples, whole + 1);
    CHECK_EQ(counts.last_time, 9);
    kit_destroy(kit);
}

TEST(a_writer_goes_on_after_a_cut_at_every_byte)
{
    struct session_kit *kit = kit_create();
    size_t first, second;

    kit_sample(kit, 1, kit_place(kit, 1, 1, 1, "f"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    free(kit_bytes(kit_file(kit, 0), &first));
    kit_sample(kit, 2, kit_place(kit, 1, 1, 2, "f"));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    free(kit_bytes(kit_file(kit, 0), &second));
    kit_destroy(kit);
    for ( size_t cut = 0; cut <= second; cut++ )
        go_on_after_cut(cut, (cut >= first) + (cut >= second));
}

TEST(a_writer_goes_on_twenty_times)
{
    struct session_kit *kit = kit_create();
    struct kit_counts counts;

    for ( uint64_t time = 1; time <= 20; time++ )
    {
        kit_sample(kit, time, kit_place(kit, 1, 1, 1, "f"));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        kit_stop(kit);
        kit_go_on(kit);
    }
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 21));
    kit_count(kit, kit->folder, &counts);
    CHECK_EQ(counts.samples, 20);
    CHECK_EQ(counts.damages, 0);
    kit_destroy(kit);
}

TEST(a_closed_session_is_not_gone_on_with)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *writer;

    KIT_OK(kit, xenoprof_writer_close(kit->writer, 1));
    kit_stop(kit);
    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &writer),
             XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(a_folder_without_a_session_cannot_be_gone_on_with)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *writer;

    kit_stop(kit);
    CHECK(!unlink(kit_file(kit, 0)));
    CHECK_EQ(xenoprof_writer_reopen(kit->handle, kit->folder, &writer),
             XENOPROF_NOT_FOUND);
    kit_destroy(kit);
}
