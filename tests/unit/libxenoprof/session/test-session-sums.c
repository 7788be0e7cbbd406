/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings that have ended: their last numbers stand in their file, and in a sum
 * from the next file on.  Whichever files are read, no ring counts twice and
 * none is missing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "libxenoprof/session/session-state.h"
#include "session-kit.h"

static void end_ring(struct session_kit *kit,
                     const struct xenoprof_ring_info *info)
{
    KIT_OK(kit, xenoprof_writer_ring_ended(kit->writer, info));
}

#define UUID_5 "05000000000000000000000000000000"
#define RING_1                                                                 \
    "ring 1.1 who 5 3 kind 2 state 1 size 4096 uuid " UUID_5                   \
    " 100 120 90 60 55 50 2 lost 1 2 3 4\n"
#define RING_2                                                                 \
    "ring 2.1 who 5 3 kind 2 state 1 size 4096 uuid " UUID_5                   \
    " 200 220 190 60 55 40 3 lost 1 2 3 4\n"

TEST(an_ended_ring_is_a_sum_from_the_next_file_on)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_info one = kit_ring(1, 100), two = kit_ring(2, 200);

    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &one, 50, 2, 0));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &two, 40, 3, 0));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    end_ring(kit, &one);
    CHECK_EQ(xenoprof_writer_past_rings(kit->writer), 1);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    end_ring(kit, &two);
    /* It is not known any more. */
    end_ring(kit, &two);
    kit_sample(kit, 1, 0);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    kit_sample(kit, 2, 0);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 3));
    kit_file_is(kit, 0, RING_1 RING_2 "end torn 0\n");
    kit_file_is(kit, 1,
                "first sum of 5 kind 2 uuid " UUID_5 " 1 60 50 2 lost 1 2 3 4\n"
                "sample 1 place 0 stack 0 period 1000000 marks 0 who 1 0 0 "
                "mode 1 weight 1\n" RING_2 "end torn 0\n");
    kit_file_is(kit, 2,
                "first sum of 5 kind 2 uuid " UUID_5
                " 2 120 90 5 lost 2 4 6 8\n"
                "sample 2 place 0 stack 0 period 1000000 marks 0 who 1 0 0 "
                "mode 1 weight 1\nclosed 3\nend torn 0\n");
    kit_destroy(kit);
}

/* Those that came last stay apart. */
TEST(sums_have_owners_and_an_end)
{
    enum { OWNERS = 3 * RING_SUMS_MAX };
    struct session_kit *kit = kit_create();
    struct xenoprof_ring_sum sum;
    uint64_t rings = 0;
    size_t count;

    for ( uint32_t i = 0; i < 2 * OWNERS; i++ )
    {
        struct xenoprof_ring_info info = kit_ring(i, 100);

        info.domain = (uint16_t)(i / 2);
        KIT_OK(kit, xenoprof_writer_ring(kit->writer, &info, 50, 2, 0));
        end_ring(kit, &info);
    }
    CHECK_EQ(xenoprof_writer_past_rings(kit->writer), 0);
    count = xenoprof_writer_past_sums(kit->writer);
    CHECK(count > RING_SUMS_MAX / 2 && count <= RING_SUMS_MAX);
    for ( size_t i = 1; i < count; i++ )
    {
        xenoprof_writer_past_sum(kit->writer, i, &sum);
        CHECK_EQ(sum.owner.domain, OWNERS - count + i);
        CHECK_EQ(sum.rings, 2);
        CHECK_EQ(sum.read, 100);
        rings += sum.rings;
    }
    xenoprof_writer_past_sum(kit->writer, 0, &sum);
    CHECK_EQ(sum.owner.domain, XENOPROF_OTHERS);
    CHECK_EQ(sum.rings, 2 * OWNERS - rings);
    CHECK_EQ(sum.lost_daemon, 2 * sum.rings);
    kit_destroy(kit);
}

/* What a reader adds up, as the format says that it is to. */
struct added {
    uint64_t made, read, lost;
};

struct added_ring {
    uint32_t key[2];
    struct added counts;
};

static void add(struct added *to, const struct added *more)
{
    to->made += more->made;
    to->read += more->read;
    to->lost += more->lost;
}

static void take_sum(const struct xenoprof_item *item, struct table *rings,
                     struct added *sums)
{
    const struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;
    const struct added more = {sum->made, sum->read,
                               sum->lost_daemon +
                                   xenoprof_lost_in_xen(sum->lost)};

    if ( item->u.ring_sum.first )
    {
        table_free(rings);
        *sums = (struct added){0};
    }
    add(sums, &more);
}

static void take_ring(const struct xenoprof_item *item, struct table *rings)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    const uint32_t key[2] = {info->ring, info->generation};
    struct added_ring *ring = table_put(rings, key);

    CHECK(ring);
    ring->counts = (struct added){info->made, item->u.ring.read,
                                  item->u.ring.lost_daemon +
                                      xenoprof_lost_in_xen(info->lost)};
}

static struct added add_up(struct session_kit *kit, const char *path)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;
    struct added sums = {0};
    struct table rings;

    table_init(&rings, sizeof(uint32_t[2]), sizeof(struct added_ring));
    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
        if ( status != XENOPROF_DAMAGED )
        {
            KIT_OK(kit, status);
            if ( item.kind == XENOPROF_ITEM_RING_SUM )
                take_sum(&item, &rings, &sums);
            else if ( item.kind == XENOPROF_ITEM_RING )
                take_ring(&item, &rings);
        }
    xenoprof_session_close(session);
    for ( size_t i = 0; i < rings.count; i++ )
        add(&sums, &((struct added_ring *)table_at(&rings, i))->counts);
    table_free(&rings);
    return sums;
}

/* Rings come, are read and end; what they should add up to at the end of each
 * file. */
#define RINGS     6u
#define FILES_MAX 64u

static struct world {
    struct session_kit *kit;
    uint64_t random;
    struct xenoprof_ring_past rings[RINGS];
    uint32_t generation;
    struct added all, at_end[FILES_MAX];
    unsigned int file;
} world;

static uint64_t any(uint64_t below)
{
    world.random ^= world.random << 13;
    world.random ^= world.random >> 7;
    world.random ^= world.random << 17;
    return (world.random >> 11) % below;
}

static void come(struct xenoprof_ring_past *ring)
{
    memset(ring, 0, sizeof(*ring));
    ring->info.ring = (uint32_t)(ring - world.rings);
    ring->info.generation = ++world.generation;
    ring->info.domain = (uint16_t)any(3);
    ring->info.kind = XENOPROF_RING_VCPU;
}

/* As drain_flush() does it: the numbers, the block, then the ends. */
static void put_block(void)
{
    struct session_kit *kit = world.kit;

    for ( unsigned int i = 0; i < RINGS; i++ )
    {
        struct xenoprof_ring_past *ring = &world.rings[i];
        const struct added more = {5, 3, 2};

        if ( any(2) )
        {
            ring->info.made += 5;
            ring->info.lost[XENOPROF_LOST_RING]++;
            ring->lost_daemon++;
            ring->read += 3;
            add(&world.all, &more);
        }
        KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring->info, ring->read,
                                         ring->lost_daemon, 0));
    }
    kit_sample(kit, world.generation, 0);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    world.at_end[world.file] = world.all;
    for ( unsigned int i = 0; i < RINGS; i++ )
        if ( any(4) == 0 )
        {
            end_ring(kit, &world.rings[i].info);
            come(&world.rings[i]);
        }
}

/* Also while a file begins that no block is in yet. */
static void begin_file(void)
{
    struct session_kit *kit = world.kit;

    if ( any(2) )
        KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    else
    {
        kit_stop(kit);
        kit_go_on(kit);
    }
    world.file++;
    put_block();
}

static void check_equal(struct added got, struct added wanted)
{
    CHECK_EQ(got.made, wanted.made);
    CHECK_EQ(got.read, wanted.read);
    CHECK_EQ(got.lost, wanted.lost);
    CHECK_EQ(got.made, got.read + got.lost);
}

static void begin_world(uint64_t seed)
{
    memset(&world, 0, sizeof(world));
    world.kit = kit_create();
    world.random = (seed + 1) * 0x9e3779b97f4a7c15u;
    for ( unsigned int i = 0; i < RINGS; i++ )
        come(&world.rings[i]);
}

/* Flips a bit in the first block of a file. */
static void damage(unsigned int file)
{
    const char *path = kit_file(world.kit, file);
    size_t size;
    uint8_t *bytes = kit_bytes(path, &size);

    CHECK(size > 70);
    bytes[70] ^= 1;
    kit_put_bytes(path, bytes, size);
    free(bytes);
}

TEST(whichever_files_are_read_each_ring_counts_once)
{
    for ( uint64_t seed = 0; seed < 20; seed++ )
    {
        begin_world(seed);
        for ( unsigned int i = 0; i < 60; i++ )
        {
            put_block();
            check_equal(add_up(world.kit, world.kit->folder), world.all);
            if ( any(4) == 0 && world.file + 2 < FILES_MAX )
                begin_file();
        }
        CHECK(world.file > 5);
        for ( unsigned int i = 0; i <= world.file; i++ )
            check_equal(add_up(world.kit, kit_file(world.kit, i)),
                        world.at_end[i]);
        /* What a later file says makes good for it. */
        damage(world.file / 2);
        check_equal(add_up(world.kit, world.kit->folder), world.all);
        for ( unsigned int i = 0; i < world.file; i++ )
        {
            CHECK(!unlink(kit_file(world.kit, i)));
            check_equal(add_up(world.kit, world.kit->folder), world.all);
        }
        kit_destroy(world.kit);
    }
}
