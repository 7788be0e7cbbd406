/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings that are saved are read as they were, or it is said that they cannot
 * be saved. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay-kit.h"
#include "source-kit.h"
#include "tests/unit/hypervisor/core-kit.h"

/* How many samples all rings have from here on, and with registers. */
static void drain(struct xenoprof_source *source, unsigned int *samples,
                  unsigned int *registers)
{
    struct xenoprof_view view;

    for ( size_t i = 0; i < xenoprof_source_rings(source); i++ )
    {
        while ( !xenoprof_ring_next(source, i, &view) )
        {
            *samples += view.sample != NULL;
            *registers += view.registers != NULL;
        }
        xenoprof_ring_release(source, i);
    }
}

static void run(unsigned int milliseconds)
{
    process_run_until(process_now() + milliseconds * KIT_MILLISECOND);
}

/* A source of the core, some of whose samples were read already. */
static struct xenoprof_source *begin(struct replay_kit *kit)
{
    struct xenoprof_source *source;
    unsigned int ignored = 0;

    replay_kit_begin(kit);
    kit_session(2);
    CHECK_EQ(source_process(kit->handle, kit_state().status_mfn, &source),
             XENOPROF_OK);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    kit_done("start");
    run(200);
    drain(source, &ignored, &ignored);
    run(200);
    return source;
}

static void end(struct replay_kit *kit, struct xenoprof_source *source)
{
    kit_done("stop");
    xenoprof_source_close(source);
    kit_done("reset");
    replay_kit_end(kit);
}

TEST(a_recording_is_read_as_the_rings_were)
{
    struct replay_kit kit;
    struct xenoprof_source *source = begin(&kit), *replay;
    unsigned int live[2] = {0}, replayed[2] = {0};

    CHECK_EQ(xenoprof_source_record(source, kit.folder), XENOPROF_OK);
    replay = replay_kit_open(&kit);
    CHECK_EQ(xenoprof_source_rings(replay), xenoprof_source_rings(source));
    for ( size_t i = 0; i < xenoprof_source_rings(source); i++ )
    {
        struct xenoprof_ring_info info, again;

        CHECK_EQ(xenoprof_ring_info(source, i, &info), XENOPROF_OK);
        CHECK_EQ(xenoprof_ring_info(replay, i, &again), XENOPROF_OK);
        CHECK(!memcmp(&info, &again, sizeof(info)));
    }
    drain(source, &live[0], &live[1]);
    drain(replay, &replayed[0], &replayed[1]);
    CHECK(live[0] > 0);
    CHECK_EQ(replayed[0], live[0]);
    CHECK_EQ(replayed[1], live[1]);
    xenoprof_source_close(replay);
    end(&kit, source);
}

TEST(a_folder_is_made_private_or_used_again)
{
    struct replay_kit kit;
    struct xenoprof_source *source = begin(&kit);
    struct stat status;

    CHECK(!rmdir(kit.folder));
    CHECK_EQ(xenoprof_source_record(source, kit.folder), XENOPROF_OK);
    CHECK(!stat(kit.folder, &status));
    CHECK_EQ(status.st_mode & 0777, 0700);
    CHECK_EQ(xenoprof_source_record(source, kit.folder), XENOPROF_OK);
    end(&kit, source);
}

TEST(what_cannot_be_written_is_said)
{
    struct replay_kit kit;
    struct xenoprof_source *source = begin(&kit);

    CHECK_EQ(xenoprof_source_record(source, "/dev/null/x"), XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_errno(kit.handle), ENOTDIR);
    CHECK(strstr(xenoprof_message(kit.handle), "/dev/null/x"));
    CHECK(!mkdir(replay_kit_path(&kit, "index.pages"), 0700));
    CHECK_EQ(xenoprof_source_record(source, kit.folder), XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_errno(kit.handle), EISDIR);
    CHECK(strstr(xenoprof_message(kit.handle), "index.pages"));
    CHECK(!rmdir(replay_kit_path(&kit, "index.pages")));
    /* As on a full disk: found out when the file is closed. */
    CHECK(!symlink("/dev/full", replay_kit_path(&kit, "ring-0.data")));
    CHECK_EQ(xenoprof_source_record(source, kit.folder), XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_errno(kit.handle), ENOSPC);
    CHECK(strstr(xenoprof_message(kit.handle), "ring-0.data"));
    end(&kit, source);
}
