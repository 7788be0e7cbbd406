/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be opened as a session, and a session that grows meanwhile. */
#include <string.h>

#include "session-kit.h"

TEST(a_reader_at_the_end_goes_on_when_the_session_grows)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    for ( uint64_t i = 1; i <= 4; i++ )
    {
        CHECK_EQ(xenoprof_session_next(session, &item), XENOPROF_END);
        kit_sample(kit, i, 0);
        if ( i % 2 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
        else
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        KIT_OK(kit, xenoprof_session_next(session, &item));
        CHECK_EQ(item.time, i);
    }
    xenoprof_session_close(session);
    kit_destroy(kit);
}

static void no_session(struct session_kit *kit, const char *path,
                       enum xenoprof_status status)
{
    struct kit_counts counts;

    kit_count(kit, path, &counts);
    CHECK_EQ(counts.open, status);
    CHECK(strstr(xenoprof_message(kit->handle), path));
}

TEST(what_is_no_session_is_refused)
{
    struct session_kit *kit = kit_create();

    no_session(kit, "/nowhere/at/all", XENOPROF_SYSTEM);
    no_session(kit, "/proc/self/exe", XENOPROF_INVALID);
    no_session(kit, "/proc/self", XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(one_file_can_be_read_alone)
{
    struct session_kit *kit = kit_create_files();
    struct kit_counts counts;

    kit_count(kit, kit_file(kit, 1), &counts);
    CHECK_EQ(counts.open, XENOPROF_OK);
    CHECK_EQ(counts.damages, 0);
    CHECK_EQ(counts.samples, 1);
    CHECK_EQ(counts.last_time, 2);
    kit_destroy(kit);
}
