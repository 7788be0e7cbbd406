/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings as a reader meets them, over a backend of this test: pages in memory,
 * which each case changes as Xen, or somebody worse, would.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/backend.h"
#include "tests/harness.h"

#define PAGE        XENOPROF_PAGE_SIZE
#define PAGES       64u
#define FIRST_FRAME 100u
#define MAX_RINGS   8u

/* Pages of the fake host, by what they are for. */
enum { STATUS, TABLE, INDEX, RINGS = 3, DATA = RINGS + MAX_RINGS };

static uint64_t memory[PAGES][PAGE / 8] __attribute__((aligned(4096)));
static int mapped; /* pages that are mapped now */

static struct xenoprof_handle *handle;
static struct xenoprof_source *source;
static struct xenoprof_status_page *const status = (void *)memory[STATUS];
static uint64_t *const index_slots = memory[INDEX];

static void *fake_map(struct backend *backend, const uint64_t *mfns,
                      size_t count, bool writable)
{
    (void)backend;
    CHECK_EQ(writable, mfns[0] == FIRST_FRAME + INDEX);
    errno = EINVAL;
    for ( size_t i = 0; i < count; i++ )
        if ( mfns[i] != mfns[0] + i || mfns[i] < FIRST_FRAME ||
             mfns[i] >= FIRST_FRAME + PAGES )
            return NULL;
    mapped += count;
    return memory[mfns[0] - FIRST_FRAME];
}

static void fake_unmap(struct backend *backend, void *pages, size_t count)
{
    (void)backend;
    (void)pages;
    mapped -= count;
}

static void fake_close(struct backend *backend)
{
    (void)backend;
}

static const struct backend_functions functions = {"fake", fake_map, fake_unmap,
                                                   fake_close};
static struct backend backend = {&functions};

static struct xenoprof_ring_page *ring_page(uint32_t number)
{
    return (void *)memory[RINGS + number];
}

static uint8_t *ring_data(uint32_t number)
{
    return (uint8_t *)memory[DATA + 4 * number];
}

static void changed(void)
{
    status->changes++;
}

static void make_ring(uint32_t number, uint32_t pages)
{
    *ring_page(number) = (struct xenoprof_ring_page){
        .magic = XENOPROF_RING_MAGIC,
        .version = XENOPROF_ABI_VERSION,
        .ring = number,
        .generation = 1,
        .domain = 3,
        .vcpu = number,
        .kind = XENOPROF_RING_VCPU,
        .state = XENOPROF_RING_OPEN,
        .uuid = {1, 2, 3},
        .data_pages = pages,
        .made = 10,
        .committed = 7,
        .lost = {1, 2},
    };
    for ( uint32_t i = 0; i < pages; i++ )
        ring_page(number)->data_mfn[i] = FIRST_FRAME + DATA + 4 * number + i;
    memory[TABLE][number] = FIRST_FRAME + RINGS + number;
    if ( status->rings <= number )
        status->rings = number + 1;
    changed();
}

static void make_host(void)
{
    xenoprof_source_close(source);
    source = NULL;
    CHECK_EQ(mapped, 0);
    if ( !handle )
        handle = xenoprof_open();
    memset(memory, 0, sizeof(memory));
    status->magic = XENOPROF_STATUS_MAGIC;
    status->version = XENOPROF_ABI_VERSION;
    status->table_mfn[0] = FIRST_FRAME + TABLE;
    status->index_mfn[0] = FIRST_FRAME + INDEX;
}

static enum xenoprof_status open_host(void)
{
    return source_open(handle, &backend, FIRST_FRAME + STATUS, &source);
}

/* A record of that kind and length at the ring's producer, which moves. */
static void put_record(uint32_t number, uint16_t kind, uint32_t length)
{
    struct xenoprof_ring_page *page = ring_page(number);
    uint32_t size = page->data_pages * PAGE;
    struct xenoprof_record *record = (void *)(ring_data(number) +
                                              page->producer % size);

    memset(record, 0, length);
    *record = (struct xenoprof_record){.kind = kind, .length = length};
    if ( kind == XENOPROF_RECORD_SAMPLE )
        ((struct xenoprof_sample *)record)->weight = 1;
    page->producer += length;
}

static enum xenoprof_status next(struct xenoprof_view *view)
{
    return xenoprof_ring_next(source, 0, view);
}

static struct xenoprof_ring_info info(size_t index)
{
    struct xenoprof_ring_info ret;

    CHECK_EQ(xenoprof_ring_info(source, index, &ret), XENOPROF_OK);
    return ret;
}

TEST(records_come_in_order_and_padding_does_not)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, XENOPROF_RECORD_SAMPLE, 56);
    put_record(0, XENOPROF_RECORD_PAD, 8);
    put_record(0, XENOPROF_RECORD_LOST, sizeof(struct xenoprof_lost));
    put_record(0, 99, 16);
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK(view.sample);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK(view.lost);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 99);
    CHECK_EQ(next(&view), XENOPROF_END);
    put_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_END);
}

TEST(facts_are_those_of_the_page)
{
    struct xenoprof_ring_info ring;

    make_host();
    make_ring(0, 2);
    put_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK_EQ(open_host(), XENOPROF_OK);
    ring = info(0);
    CHECK_EQ(ring.generation, 1);
    CHECK_EQ(ring.domain, 3);
    CHECK_EQ(ring.kind, XENOPROF_RING_VCPU);
    CHECK_EQ(ring.state, XENOPROF_RING_OPEN);
    CHECK_EQ(ring.uuid[2], 3);
    CHECK_EQ(ring.size, 2 * PAGE);
    CHECK_EQ(ring.producer, 56);
    CHECK_EQ(ring.position, 0);
    CHECK_EQ(ring.made, 10);
    CHECK_EQ(ring.committed, 7);
    CHECK_EQ(ring.lost[1], 2);
    CHECK_EQ(xenoprof_ring_info(source, 1, &ring), XENOPROF_NOT_FOUND);
}

TEST(a_ring_wraps_many_times)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    CHECK_EQ(open_host(), XENOPROF_OK);
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        uint32_t left = PAGE - ring_page(0)->producer % PAGE;

        if ( left < 88 )
            put_record(0, XENOPROF_RECORD_PAD, left);
        put_record(0, 100 + i, 88);
        CHECK_EQ(next(&view), XENOPROF_OK);
        CHECK_EQ(view.head->kind, 100 + i);
        CHECK_EQ(next(&view), XENOPROF_END);
        xenoprof_ring_release(source, 0);
        CHECK_EQ(index_slots[1], ring_page(0)->producer);
    }
}

TEST(nothing_is_released_before_it_is_said)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, XENOPROF_RECORD_SAMPLE, 56);
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(index_slots[1], 0);
    CHECK_EQ(info(0).released, 0);
    xenoprof_ring_release(source, 0);
    CHECK_EQ(index_slots[1], 56);
    CHECK_EQ(info(0).released, 56);
}

TEST(a_reader_begins_where_the_last_one_released)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, 16);
    put_record(0, 51, 16);
    index_slots[1] = 16;
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(info(0).position, 16);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 51);
}

TEST(seeking_stays_between_released_and_producer)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, 16);
    put_record(0, 51, 16);
    put_record(0, 52, 16);
    index_slots[1] = 16;
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(xenoprof_ring_seek(source, 0, 0), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(source, 0, 33), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(source, 0, 56), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(source, 0, ~7ull), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_ring_seek(source, 0, 32), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 52);
    CHECK_EQ(xenoprof_ring_seek(source, 0, 48), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_END);
}

/* A producer of that value must break the ring, for good, and no byte of the
 * ring may be read (the sanitizers would see a read behind it). */
static void impossible_producer(uint64_t producer)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    CHECK_EQ(open_host(), XENOPROF_OK);
    ring_page(0)->producer = producer;
    CHECK_EQ(next(&view), XENOPROF_INVALID);
    CHECK(strstr(xenoprof_message(handle), "ring 0"));
    ring_page(0)->producer = 0;
    CHECK_EQ(next(&view), XENOPROF_INVALID);
}

TEST(an_impossible_producer_stops_the_reading)
{
    impossible_producer(4);
    impossible_producer(PAGE + 8);
    impossible_producer(1ull << 40);
    impossible_producer(~7ull);
    impossible_producer(~0ull);
}

TEST(a_producer_that_goes_back_stops_the_reading)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, 16);
    put_record(0, 51, 16);
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    ring_page(0)->producer = 16;
    CHECK_EQ(next(&view), XENOPROF_INVALID);
}

TEST(an_impossible_consumer_stops_the_reading)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, 16);
    index_slots[1] = 24;
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_INVALID);
}

/* A record that lies about its length is never handed out. */
static void torn_record(uint32_t length, uint64_t producer)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, 16);
    ((struct xenoprof_record *)ring_data(0))->length = length;
    ring_page(0)->producer = producer;
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_INVALID);
    CHECK_EQ(next(&view), XENOPROF_INVALID);
}

TEST(a_torn_record_stops_the_reading)
{
    torn_record(0, 16);
    torn_record(24, 16);     /* beyond the producer */
    torn_record(4104, PAGE); /* beyond the ring */
    torn_record(12, 16);
    torn_record(~0u, PAGE);
}

TEST(a_record_may_end_exactly_where_the_ring_does)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, PAGE);
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->length, PAGE);
    CHECK_EQ(next(&view), XENOPROF_END);
}

TEST(rings_come_and_go)
{
    make_host();
    make_ring(2, 1);
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 1);
    make_ring(0, 2);
    make_ring(5, 4);
    CHECK_EQ(xenoprof_source_refresh(source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 3);
    CHECK_EQ(info(0).ring, 0);
    CHECK_EQ(info(1).ring, 2);
    CHECK_EQ(info(2).ring, 5);
    memory[TABLE][2] = 0;
    CHECK_EQ(xenoprof_source_refresh(source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 3);
    changed();
    CHECK_EQ(xenoprof_source_refresh(source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 2);
    CHECK_EQ(info(1).ring, 5);
    status->rings = 0;
    changed();
    CHECK_EQ(xenoprof_source_refresh(source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 0);
    /* Status, table, index. */
    CHECK_EQ(mapped, 3);
}

TEST(a_number_that_is_used_again_is_another_ring)
{
    struct xenoprof_view view;

    make_host();
    make_ring(0, 1);
    put_record(0, 50, 16);
    CHECK_EQ(open_host(), XENOPROF_OK);
    CHECK_EQ(next(&view), XENOPROF_OK);
    make_ring(0, 2);
    ring_page(0)->generation = 2;
    put_record(0, 60, 16);
    CHECK_EQ(xenoprof_source_refresh(source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 1);
    CHECK_EQ(info(0).generation, 2);
    CHECK_EQ(info(0).size, 2 * PAGE);
    CHECK_EQ(info(0).position, 0);
    CHECK_EQ(next(&view), XENOPROF_OK);
    CHECK_EQ(view.head->kind, 60);
}

static void bad_status(void)
{
    CHECK(open_host() != XENOPROF_OK);
    CHECK(*xenoprof_message(handle));
    CHECK_EQ(mapped, 0);
    source = NULL;
}

TEST(a_status_page_that_is_none_is_refused)
{
    make_host();
    status->magic = 0;
    bad_status();
    make_host();
    status->version = 0;
    bad_status();
    make_host();
    status->rings = XENOPROF_RINGS_MAX + 1;
    bad_status();
    make_host();
    status->table_mfn[3] = 1;
    bad_status();
    make_host();
    status->version = XENOPROF_ABI_VERSION + 1;
    CHECK_EQ(open_host(), XENOPROF_NEWER);
}

/* A bad ring is reported, and the good rings are still there. */
static void bad_ring(enum xenoprof_status status)
{
    changed();
    CHECK_EQ(xenoprof_source_refresh(source), status);
    CHECK(strstr(xenoprof_message(handle), "ring 1"));
    CHECK_EQ(xenoprof_source_rings(source), 2);
    CHECK_EQ(info(1).ring, 2);
    make_ring(1, 1);
}

TEST(a_ring_page_that_lies_is_refused)
{
    make_host();
    make_ring(0, 1);
    make_ring(2, 1);
    CHECK_EQ(open_host(), XENOPROF_OK);
    make_ring(1, 1);
    ring_page(1)->magic++;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->version++;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->ring = 7;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->kind = 3;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->data_pages = 0;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->data_pages = 3;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->data_pages = 512;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->data_pages = 1u << 31;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->data_pages = 4;
    bad_ring(XENOPROF_INVALID);
    ring_page(1)->data_mfn[0] = 5;
    bad_ring(XENOPROF_SYSTEM);
    memory[TABLE][1] = 5;
    bad_ring(XENOPROF_SYSTEM);
    CHECK_EQ(xenoprof_source_refresh(source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 3);
}

TEST(a_heartbeat_changes_its_slot)
{
    uint64_t before;

    make_host();
    CHECK_EQ(open_host(), XENOPROF_OK);
    before = index_slots[0];
    xenoprof_source_heartbeat(source);
    CHECK(index_slots[0] != before);
    make_host();
}
