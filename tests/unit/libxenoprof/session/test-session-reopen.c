/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer that was killed goes on where its last whole block ended. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session-kit.h"

TEST(a_restarted_writer_knows_what_was_known)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_past ring;
    uint32_t place = kit_place(kit, 5, 1, 0x100, "f"), found;

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
    CHECK(xenoprof_writer_known(kit->writer, 5, 1, 0x100, &found));
    CHECK_EQ(found, place);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 8));
    kit_file_is(kit, 1, KIT_KNOWN "closed 8\nend torn 0\n");
    kit_destroy(kit);
}

TEST(numbers_go_on_after_a_restart)
{
    struct session_kit *kit = kit_create();
    uint32_t a = kit_place(kit, 1, 1, 0x100, "a"), b;
    struct xenoprof_stored sample = {.weight = 1};
    char *text;

    kit_sample(kit, 1, a);
    b = kit_place(kit, 1, 1, 0x200, "b");
    kit_sample(kit, 2, b);
    KIT_OK(kit,
           xenoprof_writer_sample(kit->writer, &sample, (uint32_t[]){b, b}, 2));
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    /* The last file defines neither place b nor the stack. */
    kit_sample(kit, 3, a);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    kit_stop(kit);
    kit_go_on(kit);
    CHECK_EQ(kit_place(kit, 1, 1, 0x100, "a"), a);
    CHECK_EQ(kit_place(kit, 1, 1, 0x300, "c"), b + 1);
    KIT_OK(kit,
           xenoprof_writer_sample(kit->writer, &sample, (uint32_t[]){a, a}, 2));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "stack 1: 2 2\n") && strstr(text, "stack 2: 1 1\n"));
    free(text);
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
