/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core-kit.h"
#include "hypervisor/directory.h"
#include "hypervisor/core.h"

static struct directory directory;
static struct ring *ring;
static uint64_t consumer;

static const struct ring_name name = {
    .kind = XENOPROF_RING_VCPU,
    .domain = 5,
    .vcpu = 1,
    .uuid = {1, 2, 3},
};

static void open_ring(uint32_t pages)
{
    process_reset(1);
    CHECK(directory_open(&directory));
    CHECK_EQ(directory_add(&directory, &name, pages, &ring), 0);
    ring->consumer = &consumer;
    consumer = 0;
}

static void close_ring(void)
{
    directory_close(&directory);
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

static const struct xenoprof_ring_page *shown(void)
{
    return ring->pages->page[0];
}

/* A sample of this length whose bytes say which one it is. */
static enum ring_result put(uint32_t length, uint8_t number)
{
    unsigned char bytes[512];
    struct xenoprof_record head = {
        .kind = XENOPROF_RECORD_SAMPLE,
        .length = length,
    };

    memset(bytes, number, sizeof(bytes));
    memcpy(bytes, &head, sizeof(head));
    /* A record in two pieces, as a sample with windows, split anywhere. */
    const uint32_t first = number % 2 ? length : (length / 16) * 8;
    const struct ring_piece pieces[RING_PIECES] = {
        {bytes, first},
        {bytes + first, length - first},
    };

    return ring_put(ring, pieces, 1000 + number);
}

static unsigned char byte_at(uint64_t at)
{
    uint64_t offset = at % ring->size;
    const unsigned char *page =
        ring->pages->page[1 + offset / XENOPROF_PAGE_SIZE];

    return page[offset % XENOPROF_PAGE_SIZE];
}

static void bytes_at(uint64_t at, void *to, uint32_t length)
{
    for ( uint32_t i = 0; i < length; i++ )
        ((unsigned char *)to)[i] = byte_at(at + i);
}

static struct xenoprof_record head_at(uint64_t at)
{
    struct xenoprof_record head;

    bytes_at(at, &head, sizeof(head));
    return head;
}

TEST(ring_page_says_what_it_is)
{
    open_ring(4);
    CHECK_EQ(shown()->magic, XENOPROF_RING_MAGIC);
    CHECK_EQ(shown()->version, XENOPROF_ABI_VERSION);
    CHECK_EQ(shown()->ring, 0);
    CHECK_EQ(shown()->generation, 1);
    CHECK_EQ(shown()->domain, 5);
    CHECK_EQ(shown()->vcpu, 1);
    CHECK_EQ(shown()->kind, XENOPROF_RING_VCPU);
    CHECK_EQ(shown()->state, XENOPROF_RING_OPEN);
    CHECK(!memcmp(shown()->uuid, name.uuid, 16));
    CHECK_EQ(shown()->data_pages, 4);
    for ( int i = 0; i < 4; i++ )
        CHECK(process_page(shown()->data_mfn[i]) == ring->pages->page[1 + i]);
    CHECK_EQ(shown()->data_mfn[4], 0);
    close_ring();
}

TEST(ring_keeps_records_in_order)
{
    uint64_t at = 0;

    open_ring(1);
    for ( int i = 0; i < 10; i++ )
        CHECK(put(56 + 8 * i, i) == RING_WRITTEN);
    CHECK_EQ(shown()->producer, ring->producer);
    for ( int i = 0; i < 10; i++ )
    {
        CHECK_EQ(head_at(at).kind, XENOPROF_RECORD_SAMPLE);
        CHECK_EQ(head_at(at).length, 56 + 8 * i);
        for ( uint32_t byte = 8; byte < head_at(at).length; byte++ )
            CHECK_EQ(byte_at(at + byte), i);
        at += head_at(at).length;
    }
    CHECK_EQ(at, ring->producer);
    CHECK_EQ(shown()->made, 10);
    CHECK_EQ(shown()->committed, 10);
    close_ring();
}

/* A record lies across page borders, but never across the ring's end. */
TEST(ring_wraps_with_a_pad)
{
    uint64_t at = 0, pads = 0, read = 0, across = 0;

    open_ring(2);
    for ( int i = 0; i < 500; i++ )
    {
        CHECK(put(200, i) <= RING_WRITTEN_MUCH);
        while ( at != ring->producer )
        {
            struct xenoprof_record head = head_at(at);

            CHECK(head.length <= ring->size - at % ring->size);
            across += at / 4096 != (at + head.length - 1) / 4096;
            if ( head.kind == XENOPROF_RECORD_PAD )
                pads++;
            else
            {
                CHECK_EQ(head.length, 200);
                CHECK_EQ(byte_at(at + 199), (uint8_t)read++);
            }
            at += head.length;
        }
        consumer = at;
    }
    CHECK_EQ(read, 500);
    CHECK(pads > 10);
    CHECK(across > 10);
    close_ring();
}

TEST(ring_that_ends_exactly_needs_no_pad)
{
    open_ring(1);
    for ( int i = 0; i < 64; i++ )
        CHECK(put(64, i) <= RING_WRITTEN_MUCH);
    CHECK_EQ(ring->producer, 4096);
    CHECK_EQ(put(64, 64), RING_FULL);
    consumer = 4096;
    CHECK_EQ(put(64, 65), RING_WRITTEN);
    /* LOST, then the sample: both from the ring's start. */
    CHECK_EQ(head_at(4096).kind, XENOPROF_RECORD_LOST);
    CHECK_EQ(ring->producer, 4096 + sizeof(struct xenoprof_lost) + 64);
    close_ring();
}

TEST(ring_says_when_it_fills_up)
{
    open_ring(1);
    for ( int i = 0; i < 31; i++ )
        CHECK_EQ(put(64, i), RING_WRITTEN);
    for ( int i = 31; i < 39; i++ )
        CHECK_EQ(put(64, i), RING_WRITTEN_HALF);
    CHECK_EQ(put(64, 39), RING_WRITTEN_MUCH);
    CHECK_EQ(put(64, 40), RING_WRITTEN_MUCH);
    CHECK_EQ(ring->unread, 41 * 64);
    consumer = 64 * 32;
    CHECK_EQ(put(64, 33), RING_WRITTEN);
    close_ring();
}

TEST(ring_drops_whole_records_when_full_and_tells)
{
    struct xenoprof_lost lost;
    uint64_t full;

    open_ring(1);
    while ( put(224, 1) != RING_FULL )
        ;
    for ( int i = 0; i < 4; i++ )
        CHECK_EQ(put(224, 2), RING_FULL);
    full = ring->producer;
    CHECK_EQ(full, 18 * 224);
    CHECK_EQ(shown()->lost[XENOPROF_LOST_RING], 5);
    CHECK_EQ(shown()->made, 18 + 5);
    CHECK_EQ(shown()->committed, 18);

    consumer = full;
    CHECK_EQ(put(224, 3), RING_WRITTEN);
    bytes_at(full, &lost, sizeof(lost));
    CHECK_EQ(lost.head.kind, XENOPROF_RECORD_LOST);
    CHECK_EQ(lost.head.length, sizeof(lost));
    CHECK_EQ(lost.count, 5);
    CHECK_EQ(lost.cause, XENOPROF_LOST_RING);
    CHECK_EQ(lost.time, 1003);
    /* Reported once. */
    CHECK_EQ(put(224, 4), RING_WRITTEN);
    CHECK_EQ(ring->unreported[XENOPROF_LOST_RING], 0);
    CHECK_EQ(shown()->lost[XENOPROF_LOST_RING], 5);
    close_ring();
}

/* The record and what precedes it go in together, or neither does. */
TEST(ring_needs_room_for_lost_and_record)
{
    uint64_t before;

    open_ring(1);
    while ( put(224, 1) != RING_FULL )
        ;
    before = ring->producer;
    /* 64 left at the end: LOST goes there, then a PAD, then the sample. */
    consumer = 216;
    CHECK_EQ(put(224, 2), RING_FULL);
    CHECK_EQ(ring->producer, before);
    consumer = 224;
    CHECK_EQ(put(224, 2), RING_WRITTEN_MUCH);
    CHECK_EQ(head_at(before).kind, XENOPROF_RECORD_LOST);
    CHECK_EQ(shown()->lost[XENOPROF_LOST_RING], 2);
    close_ring();
}

TEST(ring_tells_each_cause)
{
    uint64_t counts[XENOPROF_CAUSES] = {0};

    open_ring(1);
    ring_lose(ring, XENOPROF_LOST_QUEUE, 3);
    ring_lose(ring, XENOPROF_LOST_RING, 2);
    CHECK_EQ(shown()->made, 5);
    CHECK_EQ(shown()->lost[XENOPROF_LOST_QUEUE], 3);
    CHECK_EQ(ring->producer, 0);
    CHECK_EQ(put(64, 1), RING_WRITTEN);
    for ( uint64_t at = 0; at != ring->producer; at += head_at(at).length )
    {
        struct xenoprof_lost lost;

        bytes_at(at, &lost, sizeof(lost));
        if ( lost.head.kind == XENOPROF_RECORD_LOST )
            counts[lost.cause] += lost.count;
    }
    CHECK_EQ(counts[XENOPROF_LOST_QUEUE], 3);
    CHECK_EQ(counts[XENOPROF_LOST_RING], 2);
    close_ring();
}

/* Every impossible index, and every possible one. */
TEST(ring_checks_each_consumer_index)
{
    for ( uint64_t index = 0; index <= 3 * 4096; index++ )
    {
        bool possible;

        open_ring(1);
        ring->producer = 2 * 4096;
        consumer = index;
        possible = index >= 4096 && index <= 2 * 4096 && index % 8 == 0;
        if ( possible )
            CHECK(put(64, 1) != RING_REFUSED);
        else
        {
            CHECK_EQ(put(64, 1), RING_REFUSED);
            CHECK_EQ(shown()->state, XENOPROF_RING_STOPPED);
            CHECK_EQ(shown()->lost[XENOPROF_LOST_STOPPED], 1);
            CHECK_EQ(ring->producer, 2 * 4096);
        }
        close_ring();
    }
}

TEST(ring_checks_consumer_indices_far_away)
{
    static const uint64_t far[] = {
        ~0ul,       ~0ul - 4095, 1ul << 63,       (1ul << 63) + 8,
        1ul << 32,  0xfffffff8u, 4096ul << 32,    0x8000000000001000ul,
        12345678ul, 8ul << 40,   ~0ul - 4096 * 2,
    };

    for ( unsigned int i = 0; i < sizeof(far) / sizeof(*far); i++ )
    {
        open_ring(1);
        CHECK_EQ(put(64, 1), RING_WRITTEN);
        consumer = far[i];
        CHECK_EQ(put(64, 2), RING_REFUSED);
        CHECK_EQ(shown()->state, XENOPROF_RING_STOPPED);
        /* A stopped ring stays stopped. */
        consumer = 0;
        CHECK_EQ(put(64, 3), RING_REFUSED);
        CHECK_EQ(shown()->made, 3);
        CHECK_EQ(shown()->committed, 1);
        CHECK_EQ(shown()->lost[XENOPROF_LOST_STOPPED], 2);
        close_ring();
    }
}

TEST(ring_indices_wrap_at_64_bits)
{
    open_ring(1);
    ring->producer = consumer = -(uint64_t)64;
    CHECK_EQ(put(64, 1), RING_WRITTEN);
    CHECK_EQ(ring->producer, 0);
    CHECK_EQ(put(64, 2), RING_WRITTEN);
    CHECK_EQ(ring->producer, 64);
    consumer = 8;
    CHECK_EQ(put(64, 3), RING_WRITTEN);
    close_ring();
}

/* What dom0 writes into pages that are only for reading changes nothing. */
TEST(ring_never_reads_a_shared_page_back)
{
    open_ring(1);
    CHECK_EQ(put(64, 1), RING_WRITTEN);
    for ( unsigned int i = 0; i < ring->pages->count; i++ )
        memset(ring->pages->page[i], 0xff, XENOPROF_PAGE_SIZE);
    CHECK_EQ(put(64, 2), RING_WRITTEN);
    CHECK_EQ(ring->producer, 128);
    CHECK_EQ(shown()->producer, 128);
    CHECK_EQ(shown()->made, 2);
    CHECK_EQ(shown()->committed, 2);
    CHECK_EQ(head_at(64).length, 64);
    close_ring();
}

TEST(ring_that_is_closed_refuses)
{
    open_ring(1);
    ring_close(ring);
    CHECK_EQ(shown()->state, XENOPROF_RING_CLOSED);
    CHECK_EQ(put(64, 1), RING_REFUSED);
    CHECK_EQ(shown()->lost[XENOPROF_LOST_STOPPED], 1);
    close_ring();
}

/* The same record as put() writes, in place but for its first bytes. */
static enum ring_result put_in_place(uint32_t most, uint32_t length,
                                     uint8_t number)
{
    struct xenoprof_record head = {
        .kind = XENOPROF_RECORD_SAMPLE,
        .length = length,
    };
    const struct ring_piece beginning = {&head, sizeof(head)};
    struct ring_space space;
    uint32_t part;

    if ( !ring_reserve(ring, most, &space) )
        return RING_FULL;
    for ( uint32_t done = sizeof(head); done < length; done += part )
    {
        void *to;

        part = length - done;
        to = ring_bytes_at(ring, space.at + done, &part);
        CHECK(part && part <= length - done);
        memset(to, number, part);
    }
    return ring_finish(ring, &space, &beginning, length);
}

TEST(ring_that_is_written_in_place)
{
    uint64_t at = 0, pads = 0, read = 0, across = 0;

    open_ring(2);
    for ( int i = 0; i < 500; i++ )
    {
        CHECK(put_in_place(312, 200, i) <= RING_WRITTEN_MUCH);
        CHECK_EQ(shown()->producer, ring->producer);
        CHECK_EQ(shown()->made, i + 1);
        CHECK_EQ(shown()->committed, i + 1);
        while ( at != ring->producer )
        {
            struct xenoprof_record head = head_at(at);

            CHECK(head.length <= ring->size - at % ring->size);
            across += at / 4096 != (at + head.length - 1) / 4096;
            if ( head.kind == XENOPROF_RECORD_PAD )
            {
                CHECK(head.length < 312);
                pads++;
            }
            else
            {
                CHECK_EQ(head.length, 200);
                CHECK_EQ(byte_at(at + 8), (uint8_t)read);
                CHECK_EQ(byte_at(at + 199), (uint8_t)read++);
            }
            at += head.length;
        }
        consumer = at;
    }
    CHECK_EQ(read, 500);
    CHECK(pads > 10);
    CHECK(across > 10);
    close_ring();
}

/* Nothing of a record is seen that is given up. */
TEST(ring_reserves_and_nothing_follows)
{
    struct ring_space space;

    open_ring(1);
    CHECK(put(200, 1) == RING_WRITTEN);
    CHECK(ring_reserve(ring, 1000, &space));
    CHECK_EQ(space.at, 200);
    CHECK_EQ(space.unread, 200);
    CHECK_EQ(shown()->producer, 200);
    CHECK_EQ(shown()->made, 1);
    CHECK(put(64, 2) == RING_WRITTEN);
    CHECK_EQ(head_at(200).length, 64);
    close_ring();
}

TEST(ring_reserves_what_there_is)
{
    struct ring_space space;

    open_ring(1);
    CHECK(ring_reserve(ring, 4096, &space));
    CHECK(!ring_reserve(ring, 4104, &space));
    CHECK(put(400, 1) == RING_WRITTEN);
    CHECK(ring_reserve(ring, 3696, &space));
    CHECK(!ring_reserve(ring, 3704, &space));
    consumer = 400;
    /* All is free, and not in a row. */
    CHECK(!ring_reserve(ring, 3704, &space));
    CHECK(ring_reserve(ring, 400, &space));
    CHECK_EQ(put_in_place(3000, 2000, 2), RING_WRITTEN);
    CHECK_EQ(put_in_place(1696, 1000, 3), RING_WRITTEN_MUCH);
    close_ring();
}

/* A LOST record comes first, which is ring_put()'s. */
TEST(ring_does_not_reserve_before_it_says_what_was_lost)
{
    struct ring_space space;

    open_ring(1);
    ring_lose(ring, XENOPROF_LOST_QUEUE, 3);
    CHECK(!ring_reserve(ring, 64, &space));
    CHECK(put(64, 1) == RING_WRITTEN);
    CHECK_EQ(head_at(0).kind, XENOPROF_RECORD_LOST);
    CHECK(ring_reserve(ring, 64, &space));
    close_ring();
}

TEST(ring_reserves_in_an_open_ring_only)
{
    struct ring_space space;

    open_ring(1);
    consumer = 8; /* more than was written */
    CHECK(!ring_reserve(ring, 64, &space));
    CHECK_EQ(shown()->state, XENOPROF_RING_STOPPED);
    consumer = 0;
    CHECK(!ring_reserve(ring, 64, &space));
    close_ring();
    open_ring(1);
    ring_close(ring);
    CHECK(!ring_reserve(ring, 64, &space));
    close_ring();
}

static bool tell(struct ring *ring, const struct xenoprof_wait *wait)
{
    const struct ring_piece pieces[RING_PIECES] = {{wait, sizeof(*wait)}};

    return ring_tell(ring, pieces) != RING_FULL;
}

/* A record that is no sample is counted nowhere, and leaves half of the ring to
 * samples. */
TEST(ring_tells_what_is_no_sample)
{
    struct xenoprof_wait wait = {
        .head = {.kind = XENOPROF_RECORD_WAIT, .length = sizeof(wait)},
        .times = {1, 2, 3, 4},
    };
    uint64_t records = 0, at = 0;

    open_ring(1);
    CHECK(put(200, 0) == RING_WRITTEN);
    while ( tell(ring, &wait) )
        records++;
    CHECK_EQ(records, (ring->size / 2 - 200 - 1) / sizeof(wait));
    CHECK_EQ(shown()->made, 1);
    CHECK_EQ(shown()->committed, 1);
    CHECK_EQ(shown()->producer, 200 + records * sizeof(wait));
    for ( at = 200; at != ring->producer; at += sizeof(wait) )
    {
        struct xenoprof_wait read;

        bytes_at(at, &read, sizeof(read));
        CHECK(!memcmp(&read, &wait, sizeof(wait)));
    }
    CHECK(put(200, 1) == RING_WRITTEN_HALF);
    ring_close(ring);
    CHECK(!tell(ring, &wait));
    close_ring();
}

/* Across the ring's end it goes behind a pad, too. */
TEST(ring_tells_after_a_pad)
{
    struct xenoprof_wait wait = {
        .head = {.kind = XENOPROF_RECORD_WAIT, .length = sizeof(wait)},
    };

    open_ring(1);
    while ( ring->producer + sizeof(wait) <= ring->size )
    {
        CHECK(tell(ring, &wait));
        consumer = ring->producer;
    }
    CHECK(ring->producer < ring->size);
    CHECK(tell(ring, &wait));
    CHECK_EQ(head_at(consumer).kind, XENOPROF_RECORD_PAD);
    CHECK_EQ(ring->producer, ring->size + sizeof(wait));
    consumer = 1;
    CHECK(!tell(ring, &wait));
    CHECK_EQ(shown()->state, XENOPROF_RING_STOPPED);
    close_ring();
}
