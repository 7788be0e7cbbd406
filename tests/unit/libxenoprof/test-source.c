/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The status page, the tables and the index, and which rings there are. */
#include <string.h>

#include "ring-kit.h"
#include "tests/no-memory-kit.h"

TEST(rings_come_and_go)
{
    uint64_t list;

    ring_kit_begin();
    ring_kit_ring(2, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 1);
    list = xenoprof_source_list(ring_kit.source);
    ring_kit_ring(0, 2);
    ring_kit_ring(5, 4);
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 3);
    CHECK(xenoprof_source_list(ring_kit.source) != list);
    list = xenoprof_source_list(ring_kit.source);
    CHECK_EQ(ring_kit_info(0).ring, 0);
    CHECK_EQ(ring_kit_info(1).ring, 2);
    CHECK_EQ(ring_kit_info(2).ring, 5);
    ring_kit.memory[RING_KIT_TABLE][2] = 0;
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 3);
    CHECK_EQ(xenoprof_source_list(ring_kit.source), list);
    ring_kit_changed();
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 2);
    CHECK(xenoprof_source_list(ring_kit.source) != list);
    CHECK_EQ(ring_kit_info(1).ring, 5);
    ring_kit_status()->rings = 0;
    ring_kit_changed();
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 0);
    /* Status, table, index. */
    CHECK_EQ(ring_kit.mapped, 3);
}

TEST(a_number_that_is_used_again_is_another_ring)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    ring_kit_ring(0, 2);
    ring_kit_page(0)->generation = 2;
    ring_kit_record(0, 60, 16);
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 1);
    CHECK_EQ(ring_kit_info(0).generation, 2);
    CHECK_EQ(ring_kit_info(0).size, 2 * RING_KIT_PAGE);
    CHECK_EQ(ring_kit_info(0).position, 0);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 60);
}

TEST(a_session_that_began_anew_has_other_rings)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    /* Ring 0 as before, with its generation, but another index page. */
    memset(ring_kit.memory[RING_KIT_PAGES - 1], 0, RING_KIT_PAGE);
    ring_kit_status()->index_mfn[0] = RING_KIT_FIRST + RING_KIT_PAGES - 1;
    ring_kit_changed();
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 1);
    CHECK_EQ(ring_kit_info(0).position, 0);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    xenoprof_ring_release(ring_kit.source, 0);
    CHECK_EQ(ring_kit_slots()[1], 0);
    CHECK_EQ(ring_kit.memory[RING_KIT_PAGES - 1][1], 16);
}

static void bad_status(void)
{
    CHECK(ring_kit_open() != XENOPROF_OK);
    CHECK(*xenoprof_message(ring_kit.handle));
    CHECK_EQ(ring_kit.mapped, 0);
    ring_kit.source = NULL;
}

TEST(a_status_page_that_is_none_is_refused)
{
    ring_kit_begin();
    ring_kit_status()->magic = 0;
    bad_status();
    ring_kit_begin();
    ring_kit_status()->version = 0;
    bad_status();
    ring_kit_begin();
    ring_kit_status()->rings = XENOPROF_RINGS_MAX + 1;
    bad_status();
    ring_kit_begin();
    ring_kit_status()->table_mfn[3] = 1;
    bad_status();
    ring_kit_begin();
    ring_kit_status()->version = XENOPROF_ABI_VERSION + 1;
    CHECK_EQ(ring_kit_open(), XENOPROF_NEWER);
}

TEST(a_heartbeat_changes_its_slot)
{
    uint64_t before;

    ring_kit_begin();
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    before = ring_kit_slots()[0];
    xenoprof_source_heartbeat(ring_kit.source);
    CHECK(ring_kit_slots()[0] != before);
    ring_kit_begin();
}

TEST(without_memory_there_is_no_source)
{
    enum xenoprof_status status = XENOPROF_NO_MEMORY;
    unsigned long at;

    for ( at = 1; status; at++ )
    {
        ring_kit_begin();
        ring_kit_ring(0, 1);
        fail_allocation(at);
        status = ring_kit_open();
        fail_allocation(0);
        if ( !status )
            break;
        CHECK_EQ(status, XENOPROF_NO_MEMORY);
        CHECK(strstr(xenoprof_message(ring_kit.handle), "out of memory"));
        CHECK_EQ(ring_kit.mapped, 0);
    }
    CHECK(at > 1);
}
