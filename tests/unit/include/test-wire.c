/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What hypervisor and dom0 agree on, to the byte.  A change to a structure of
 * include/xenoprof/ changes its version, and this test. */
#include <stddef.h>

#include <xenoprof/door.h>
#include <xenoprof/record.h>
#include <xenoprof/ring.h>

#include "tests/harness.h"

TEST(records_have_their_size)
{
    CHECK_EQ(sizeof(struct xenoprof_record), 8);
    CHECK_EQ(sizeof(struct xenoprof_sample), 56);
    CHECK_EQ(offsetof(struct xenoprof_sample, domain), 40);
    CHECK_EQ(offsetof(struct xenoprof_sample, period), 52);
    CHECK_EQ(sizeof(struct xenoprof_guest), 32);
    CHECK_EQ(sizeof(struct xenoprof_registers), 17 * 8);
    CHECK_EQ(sizeof(struct xenoprof_chain), 8);
    CHECK_EQ(sizeof(struct xenoprof_window), 16);
    CHECK_EQ(sizeof(struct xenoprof_lost), 32);
}

TEST(shared_pages_are_pages)
{
    CHECK(sizeof(struct xenoprof_status_page) <= XENOPROF_PAGE_SIZE);
    CHECK(sizeof(struct xenoprof_ring_page) <= XENOPROF_PAGE_SIZE);
    CHECK_EQ(sizeof(struct xenoprof_index_page), XENOPROF_PAGE_SIZE);
    CHECK_EQ(offsetof(struct xenoprof_ring_page, uuid), 24);
    CHECK_EQ(offsetof(struct xenoprof_ring_page, producer), 48);
    CHECK_EQ(offsetof(struct xenoprof_ring_page, data_mfn), 136);
    CHECK_EQ(offsetof(struct xenoprof_status_page, session), 48);
    CHECK_EQ(offsetof(struct xenoprof_status_page, counters), 80);
    CHECK_EQ(offsetof(struct xenoprof_status_page, table_mfn), 208);
    CHECK_EQ(offsetof(struct xenoprof_status_page, index_mfn), 336);
    CHECK_EQ(offsetof(struct xenoprof_status_page, module_text), 464);
    CHECK_EQ(offsetof(struct xenoprof_status_page, module_size), 472);
    CHECK_EQ(offsetof(struct xenoprof_status_page, raised), 480);
    CHECK_EQ(offsetof(struct xenoprof_status_page, stack_room), 496);
    CHECK_EQ(offsetof(struct xenoprof_status_page, cramped), 504);
    CHECK_EQ(offsetof(struct xenoprof_status_page, throttled), 512);
    CHECK_EQ(offsetof(struct xenoprof_status_page, counted), 528);
    CHECK_EQ(offsetof(struct xenoprof_status_page, waiting_made), 784);
    CHECK_EQ(offsetof(struct xenoprof_status_page, waiting_missed), 800);
    CHECK_EQ(offsetof(struct xenoprof_status_page, imprecise), 808);
    CHECK_EQ(offsetof(struct xenoprof_status_page, lagged), 816);
    CHECK_EQ(offsetof(struct xenoprof_status_page, pace), 840);
    CHECK_EQ(sizeof(struct xenoprof_pace), 16);
    CHECK_EQ(offsetof(struct xenoprof_status_page, cost_first),
             840 + 16 * XENOPROF_PACES);
}

TEST(nothing_in_shared_structures_is_left_to_the_compiler)
{
    CHECK_EQ(sizeof(struct xenoprof_ring_page) % 8, 0);
    CHECK_EQ(sizeof(struct xenoprof_status_page),
             336 + 8 * XENOPROF_INDEX_PAGES + 8 * 8 + 8 * XENOPROF_EVENTS_MAX +
                 7 * 8 + 16 * XENOPROF_PACES + 2 * 8);
    CHECK_EQ(sizeof(struct xenoprof_ring_page),
             136 + 8 * XENOPROF_DATA_PAGES_MAX);
    CHECK_EQ(sizeof(struct xenoprof_counters), 16 * 8);
    CHECK_EQ(sizeof(struct xenoprof_door_state), 72 + XENOPROF_MESSAGE_MAX + 8);
}
