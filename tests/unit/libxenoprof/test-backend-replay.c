/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved rings as a source: what is read of them, and what is made up. */
#include <stdlib.h>
#include <string.h>

#include "replay-kit.h"

TEST(rings_as_text_are_read)
{
    struct replay_kit kit;
    struct xenoprof_source *source;
    struct xenoprof_ring_info info;
    struct xenoprof_view view;

    replay_kit_begin(&kit);
    replay_kit_text(&kit, "ring-7.text",
                    REPLAY_KIT_VCPU "sample time=5 weight=1\n"
                                    "  registers rax=1\n"
                                    "lost count=3 cause=ring\n"
                                    "sample time=6 weight=1\n");
    replay_kit_text(&kit, "ring-0.text", REPLAY_KIT_PCPU);
    source = replay_kit_open(&kit);
    CHECK_EQ(xenoprof_source_rings(source), 2);
    CHECK_EQ(xenoprof_ring_next(source, 0, &view), XENOPROF_END);
    CHECK_EQ(xenoprof_ring_info(source, 1, &info), XENOPROF_OK);
    CHECK_EQ(info.ring, 7);
    CHECK_EQ(info.domain, 3);
    CHECK_EQ(info.uuid[15], 15);
    CHECK_EQ(info.made, 5);
    CHECK_EQ(info.committed, 2);
    CHECK_EQ(info.lost[XENOPROF_LOST_RING], 3);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_OK);
    CHECK_EQ(view.registers->rax, 1);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_OK);
    CHECK_EQ(view.lost->count, 3);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_OK);
    CHECK_EQ(view.sample->time, 6);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_END);
    xenoprof_source_close(source);
    replay_kit_end(&kit);
}

TEST(a_missing_status_page_is_the_sum_of_the_rings)
{
    struct replay_kit kit;
    struct xenoprof_source *source;
    struct xenoprof_status_page status;

    replay_kit_begin(&kit);
    replay_kit_text(&kit, "ring-0.text",
                    REPLAY_KIT_PCPU "sample weight=1\n"
                                    "lost count=3 cause=ring\n");
    replay_kit_text(&kit, "ring-7.text", REPLAY_KIT_VCPU "sample weight=1\n");
    source = replay_kit_open(&kit);
    CHECK_EQ(xenoprof_source_status(source, &status), XENOPROF_OK);
    CHECK_EQ(status.state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(status.counters.made, 5);
    CHECK_EQ(status.counters.committed, 2);
    CHECK_EQ(status.counters.lost[XENOPROF_LOST_RING], 3);
    xenoprof_source_close(source);
    replay_kit_end(&kit);
}

TEST(a_status_page_that_is_none_is_refused)
{
    static uint8_t page[XENOPROF_PAGE_SIZE];
    struct replay_kit kit;

    replay_kit_begin(&kit);
    replay_kit_text(&kit, "ring-0.text", REPLAY_KIT_PCPU);
    replay_kit_put(&kit, "status.page", page, 10);
    replay_kit_refused(&kit, "status.page");
    replay_kit_put(&kit, "status.page", page, sizeof(page));
    replay_kit_refused(&kit, "not a status page");
    replay_kit_end(&kit);
}

/* What a replay releases is released in memory, never in the folder. */
TEST(a_replay_begins_where_the_reader_was)
{
    static uint64_t pages[XENOPROF_INDEX_PAGES * XENOPROF_PAGE_SIZE / 8];
    struct replay_kit kit;
    struct xenoprof_view view;

    replay_kit_begin(&kit);
    replay_kit_text(&kit, "ring-0.text",
                    REPLAY_KIT_PCPU
                    "sample time=5 weight=1\nsample time=6 weight=1\n");
    pages[1] = sizeof(struct xenoprof_sample);
    replay_kit_put(&kit, "index.pages", pages, sizeof(pages));
    for ( unsigned int i = 0; i < 2; i++ )
    {
        struct xenoprof_source *source = replay_kit_open(&kit);

        CHECK_EQ(xenoprof_ring_next(source, 0, &view), XENOPROF_OK);
        CHECK_EQ(view.sample->time, 6);
        CHECK_EQ(xenoprof_ring_next(source, 0, &view), XENOPROF_END);
        xenoprof_ring_release(source, 0);
        xenoprof_source_heartbeat(source);
        xenoprof_source_close(source);
    }
    replay_kit_end(&kit);
}
