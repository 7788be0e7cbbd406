/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ring as a reader meets it: whole records, or none any more. */
#include <string.h>

#include "ring-kit.h"

TEST(facts_are_those_of_the_page)
{
    struct xenoprof_ring_info ring;

    ring_kit_begin();
    ring_kit_ring(0, 2);
    ring_kit_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    ring = ring_kit_info(0);
    CHECK_EQ(ring.generation, 1);
    CHECK_EQ(ring.domain, 3);
    CHECK_EQ(ring.kind, XENOPROF_RING_VCPU);
    CHECK_EQ(ring.state, XENOPROF_RING_OPEN);
    CHECK_EQ(ring.uuid[2], 3);
    CHECK_EQ(ring.size, 2 * RING_KIT_PAGE);
    CHECK_EQ(ring.producer, 56);
    CHECK_EQ(ring.position, 0);
    CHECK_EQ(ring.made, 10);
    CHECK_EQ(ring.committed, 7);
    CHECK_EQ(ring.lost[1], 2);
    CHECK_EQ(xenoprof_ring_info(ring_kit.source, 1, &ring), XENOPROF_NOT_FOUND);
}

TEST(records_come_in_order_and_padding_does_not)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, XENOPROF_RECORD_SAMPLE, 56);
    ring_kit_record(0, XENOPROF_RECORD_PAD, 8);
    ring_kit_record(0, XENOPROF_RECORD_LOST, sizeof(struct xenoprof_lost));
    ring_kit_record(0, 99, 16);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK(view.sample);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK(view.lost);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 99);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_END);
    ring_kit_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_END);
}

/* While it is open, that is all that there is to know of it between blocks. */
TEST(a_ring_stirs_while_something_is_not_read)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK(!xenoprof_ring_stirs(ring_kit.source, 0));
    CHECK(!xenoprof_ring_stirs(ring_kit.source, 1));
    xenoprof_ring_expect(ring_kit.source, 0);
    xenoprof_ring_expect(ring_kit.source, 1);
    ring_kit_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK(xenoprof_ring_stirs(ring_kit.source, 0));
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK(!xenoprof_ring_stirs(ring_kit.source, 0));
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, 0), XENOPROF_OK);
    CHECK(xenoprof_ring_stirs(ring_kit.source, 0));
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    ring_kit_page(0)->state = XENOPROF_RING_CLOSED;
    CHECK(xenoprof_ring_stirs(ring_kit.source, 0));
}

/* Returns whether it had changed; then that is known. */
static bool had_changed(void)
{
    struct xenoprof_ring_info info;
    bool changed = xenoprof_ring_changed(ring_kit.source, 0);

    CHECK_EQ(xenoprof_ring_info(ring_kit.source, 0, &info), XENOPROF_OK);
    return changed;
}

TEST(a_ring_has_changed_until_it_is_asked_for)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK(!xenoprof_ring_changed(ring_kit.source, 1));
    CHECK(had_changed());
    CHECK(!had_changed());
    ring_kit_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK(had_changed());
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK(had_changed());
    xenoprof_ring_release(ring_kit.source, 0);
    CHECK(had_changed());
    CHECK(!had_changed());
    ring_kit_page(0)->state = XENOPROF_RING_CLOSED;
    CHECK(had_changed());
    CHECK(!had_changed());
}

/* Xen says why a sample was lost, and then that it was made, or the reader sees
 * it so: what it saw halfway is looked at again. */
TEST(a_ring_that_was_seen_halfway_has_changed)
{
    struct xenoprof_ring_page *page;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    page = ring_kit_page(0);
    page->made += 3;
    CHECK(had_changed());
    CHECK(had_changed());
    page->lost[XENOPROF_LOST_RING] += 3;
    CHECK(had_changed());
    CHECK(!had_changed());
    page->lost[XENOPROF_LOST_RING]++;
    page->made++;
    CHECK(had_changed());
    CHECK(!had_changed());
}

TEST(a_ring_wraps_many_times)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        uint32_t left = RING_KIT_PAGE -
                        ring_kit_page(0)->producer % RING_KIT_PAGE;

        if ( left < 88 )
            ring_kit_record(0, XENOPROF_RECORD_PAD, left);
        ring_kit_record(0, 100 + i, 88);
        CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
        CHECK_EQ(view.head->kind, 100 + i);
        CHECK_EQ(ring_kit_next(&view), XENOPROF_END);
        xenoprof_ring_release(ring_kit.source, 0);
        CHECK_EQ(ring_kit_slots()[1], ring_kit_page(0)->producer);
    }
}

TEST(nothing_is_released_before_it_is_said)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(ring_kit_slots()[1], 0);
    CHECK_EQ(ring_kit_info(0).released, 0);
    xenoprof_ring_release(ring_kit.source, 0);
    CHECK_EQ(ring_kit_slots()[1], 56);
    CHECK_EQ(ring_kit_info(0).released, 56);
}

TEST(a_reader_begins_where_the_last_one_released)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    ring_kit_record(0, 51, 16);
    ring_kit_slots()[1] = 16;
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_info(0).position, 16);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 51);
}

TEST(seeking_stays_between_released_and_producer)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    ring_kit_record(0, 51, 16);
    ring_kit_record(0, 52, 16);
    ring_kit_slots()[1] = 16;
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, 0), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, 33), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, 56), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, ~7ull), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, 32), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 52);
    CHECK_EQ(xenoprof_ring_seek(ring_kit.source, 0, 48), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_END);
}

/* A producer of that value must break the ring, for good, and no byte of the
 * ring may be read (the sanitizers would see a read behind it). */
static void impossible_producer(uint64_t producer)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    ring_kit_page(0)->producer = producer;
    CHECK_EQ(ring_kit_next(&view), XENOPROF_INVALID);
    CHECK(strstr(xenoprof_message(ring_kit.handle), "ring 0"));
    ring_kit_page(0)->producer = 0;
    CHECK_EQ(ring_kit_next(&view), XENOPROF_INVALID);
}

TEST(an_impossible_producer_stops_the_reading)
{
    impossible_producer(4);
    impossible_producer(RING_KIT_PAGE + 8);
    impossible_producer(1ull << 40);
    impossible_producer(~7ull);
    impossible_producer(~0ull);
}

TEST(a_producer_that_goes_back_stops_the_reading)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    ring_kit_record(0, 51, 16);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    ring_kit_page(0)->producer = 16;
    CHECK_EQ(ring_kit_next(&view), XENOPROF_INVALID);
}

TEST(an_impossible_consumer_stops_the_reading)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    ring_kit_slots()[1] = 24;
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_INVALID);
}

/* A record that lies about its length is never handed out. */
static void torn_record(uint32_t length, uint64_t producer)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, 16);
    ((struct xenoprof_record *)ring_kit_data(0))->length = length;
    ring_kit_page(0)->producer = producer;
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_INVALID);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_INVALID);
}

TEST(a_torn_record_stops_the_reading)
{
    torn_record(0, 16);
    torn_record(24, 16);              /* beyond the producer */
    torn_record(4104, RING_KIT_PAGE); /* beyond the ring */
    torn_record(12, 16);
    torn_record(~0u, RING_KIT_PAGE);
}

TEST(a_record_may_end_exactly_where_the_ring_does)
{
    struct xenoprof_view view;

    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_record(0, 50, RING_KIT_PAGE);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->length, RING_KIT_PAGE);
    CHECK_EQ(ring_kit_next(&view), XENOPROF_END);
}

/* A bad ring is reported, and the good rings are still there. */
static void bad_ring(enum xenoprof_status status)
{
    ring_kit_changed();
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), status);
    CHECK(strstr(xenoprof_message(ring_kit.handle), "ring 1"));
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 2);
    CHECK_EQ(ring_kit_info(1).ring, 2);
    ring_kit_ring(1, 1);
}

TEST(a_ring_page_that_lies_is_refused)
{
    ring_kit_begin();
    ring_kit_ring(0, 1);
    ring_kit_ring(2, 1);
    CHECK_EQ(ring_kit_open(), XENOPROF_OK);
    ring_kit_ring(1, 1);
    ring_kit_page(1)->magic++;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->version++;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->ring = 7;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->kind = 3;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->data_pages = 0;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->data_pages = 3;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->data_pages = 512;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->data_pages = 1u << 31;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->data_pages = 4;
    bad_ring(XENOPROF_INVALID);
    ring_kit_page(1)->data_mfn[0] = 5;
    bad_ring(XENOPROF_SYSTEM);
    ring_kit.memory[RING_KIT_TABLE][1] = 5;
    bad_ring(XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_source_refresh(ring_kit.source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(ring_kit.source), 3);
}
