/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that wants a part of a session's time gets what a reader of all of
 * it has of that part: samples, names that came later, accounts, idle time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-block.h"
#include "session-kit.h"

#define SECOND     1000000000ull
#define SECONDS    200u
#define PER_SECOND 8u
#define NAMED_LATE 5u /* seconds after its sample a place gets its name */
#define CHAIN      3u
#define ALL        UINT64_MAX

struct reading {
    struct xenoprof_stored *samples;
    size_t count, left_out, damages;
    size_t stack_count, place_count; /* that came as items */
    struct {
        uint32_t places[CHAIN];
        size_t count;
    } stacks[4096];
    struct {
        uint64_t address;
        char symbol[24];
    } places[4096];
    uint64_t ended, rings[64]; /* what was read of rings */
    uint64_t idle_before,
        idle_after; /* times of the account next to the span */
    size_t idles;   /* in it */
    uint64_t due;   /* of the last counters */
};

static uint32_t put_place(struct session_kit *kit, uint64_t address, bool named)
{
    char name[24];

    snprintf(name, sizeof(name), "f_%llx", (unsigned long long)address);
    return kit_place(kit, 1, XENOPROF_MODE_KERNEL, address,
                     named ? name : NULL);
}

/* Some come 20 seconds late, as from the spool. */
static void put_sample(struct session_kit *kit, unsigned int second,
                       uint64_t address)
{
    uint64_t late = second > 20 && second % 8 == 3 && random() % 4 == 0 ? 20
                                                                        : 0;
    struct xenoprof_stored sample = {
        .time = (second - late) * SECOND + (uint64_t)random() % SECOND,
        .period = 1000,
        .domain = 1,
        .vcpu = (uint16_t)(random() % 4),
        .mode = XENOPROF_MODE_KERNEL,
        .weight = 1,
    };
    uint32_t chain[CHAIN];

    chain[0] = put_place(kit, address, false);
    for ( size_t i = 1; i < CHAIN; i++ )
        chain[i] = put_place(kit, 0x1000 + (uint64_t)random() % 40, true);
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, chain, CHAIN));
}

/* A block; every 16th second nothing runs. */
static void put_second(struct session_kit *kit, unsigned int second)
{
    struct xenoprof_ring_info ring = kit_ring(1 + second / 50, 100 + second);
    struct xenoprof_counters counters = {.due = second};
    uint64_t time = (second + 1) * SECOND, leaf = 0x100000;

    if ( second >= NAMED_LATE )
        put_place(kit, leaf + second - NAMED_LATE, true);
    for ( unsigned int i = 0; second % 16 && i < PER_SECOND; i++ )
        put_sample(kit, second, leaf + second);
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, second, 0, 0));
    KIT_OK(kit, xenoprof_writer_counters(kit->writer, time, &counters));
    KIT_OK(kit, xenoprof_writer_idle(kit->writer, time, 0, time / 2));
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    if ( second % 50 == 49 )
        KIT_OK(kit, xenoprof_writer_ring_ended(kit->writer, &ring));
}

/* About 15 files of 13 seconds each. */
static struct session_kit *write_session(void)
{
    const uint8_t uuid[16] = {7};
    struct session_kit *kit = kit_create();

    srandom(11);
    xenoprof_writer_rotate_at(kit->writer, 6000);
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 1, 1, uuid, "web", "passive"));
    for ( unsigned int second = 0; second < SECONDS; second++ )
        put_second(kit, second);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, SECONDS * SECOND));
    return kit;
}

static void take_place(struct reading *reading,
                       const struct xenoprof_item *item)
{
    const struct xenoprof_place *place = &item->u.place.place;
    uint32_t number = item->u.place.number;

    CHECK(number < 4096);
    reading->place_count++;
    reading->places[number].address = place->address;
    snprintf(reading->places[number].symbol,
             sizeof(reading->places[number].symbol), "%s",
             place->symbol ? place->symbol : "?");
}

static void take_stack(struct reading *reading,
                       const struct xenoprof_item *item)
{
    uint32_t number = item->u.stack.number;

    CHECK(number < 4096 && item->u.stack.count <= CHAIN);
    reading->stack_count++;
    reading->stacks[number].count = item->u.stack.count;
    memcpy(reading->stacks[number].places, item->u.stack.places,
           item->u.stack.count * sizeof(uint32_t));
}

static void take_idle(struct reading *reading, uint64_t time, uint64_t from,
                      uint64_t to)
{
    if ( time <= from )
        reading->idle_before = time;
    else if ( time < to )
        reading->idles++;
    else if ( !reading->idle_after )
        reading->idle_after = time;
}

static void take_item(struct reading *reading, const struct xenoprof_item *item,
                      uint64_t from, uint64_t to)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_PLACE: take_place(reading, item); break;
    case XENOPROF_ITEM_STACK: take_stack(reading, item); break;
    case XENOPROF_ITEM_IDLE: take_idle(reading, item->time, from, to); break;
    case XENOPROF_ITEM_COUNTERS: reading->due = item->u.counters.due; break;
    case XENOPROF_ITEM_RING:
        reading->rings[item->u.ring.info.ring % 64] = item->u.ring.read;
        break;
    case XENOPROF_ITEM_RING_SUM:
        if ( item->u.ring_sum.first )
            memset(reading->rings, 0, sizeof(reading->rings));
        reading->ended = item->u.ring_sum.sum.read +
                         (item->u.ring_sum.first ? 0 : reading->ended);
        break;
    case XENOPROF_ITEM_SAMPLE:
        reading->samples[reading->count++] = item->u.sample;
        break;
    default: break;
    }
}

/* Reads on, up to the end. */
static void read_on(struct session_kit *kit, struct xenoprof_session *session,
                    struct reading *reading, uint64_t from, uint64_t to)
{
    enum xenoprof_status status;
    struct xenoprof_item item;

    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( status != XENOPROF_DAMAGED )
            KIT_OK(kit, status);
        if ( status )
            reading->damages++;
        else
            take_item(reading, &item, from, to);
    }
    reading->left_out = xenoprof_session_left_out(session);
}

static struct reading *begin_reading(void)
{
    struct reading *reading = calloc(1, sizeof(*reading));

    reading->samples = calloc(SECONDS * PER_SECOND * 2,
                              sizeof(*reading->samples));
    return reading;
}

static void free_reading(struct reading *reading)
{
    free(reading->samples);
    free(reading);
}

/* seek: says what is wanted; else all is read. */
static struct reading *read_session(struct session_kit *kit, uint64_t from,
                                    uint64_t to, bool seek)
{
    struct reading *reading = begin_reading();
    struct xenoprof_session *session;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    if ( seek )
        xenoprof_session_span(session, from, to);
    read_on(kit, session, reading, from, to);
    xenoprof_session_close(session);
    return reading;
}

/* A line for each sample in the span, with the names that its places have in
 * the end; malloc'ed. */
static char *sample_lines(const struct reading *reading, uint64_t from,
                          uint64_t to)
{
    size_t size;
    char *text;
    FILE *out = open_memstream(&text, &size);

    for ( size_t i = 0; i < reading->count; i++ )
    {
        const struct xenoprof_stored *sample = &reading->samples[i];

        if ( sample->time < from || sample->time >= to )
            continue;
        fprintf(out, "%llu %u %u:", (unsigned long long)sample->time,
                sample->domain, sample->vcpu);
        for ( size_t j = 0; j < reading->stacks[sample->stack].count; j++ )
        {
            uint32_t place = reading->stacks[sample->stack].places[j];

            fprintf(out, " %s", reading->places[place].symbol);
        }
        fprintf(out, "\n");
    }
    fclose(out);
    return text;
}

static uint64_t account(const struct reading *reading)
{
    uint64_t sum = reading->ended;

    for ( size_t i = 0; i < 64; i++ )
        sum += reading->rings[i];
    return sum;
}

static void check_span(struct session_kit *kit, const struct reading *all,
                       uint64_t from, uint64_t to)
{
    struct reading *some = read_session(kit, from, to, true);
    struct reading *idle = read_session(kit, from, to, false);
    char *wanted = sample_lines(all, from, to);
    char *got = sample_lines(some, from, to);

    CHECK_TEXT(got, wanted);
    CHECK_EQ(some->count + some->left_out, all->count);
    CHECK_EQ(some->damages, 0);
    CHECK_EQ(account(some), account(all));
    CHECK_EQ(some->due, all->due);
    CHECK_EQ(some->idles, idle->idles);
    CHECK_EQ(some->idle_before, idle->idle_before);
    CHECK_EQ(some->idle_after, idle->idle_after);
    free(got);
    free(wanted);
    free_reading(idle);
    free_reading(some);
}

TEST(any_part_of_the_time_is_as_if_all_were_read)
{
    struct session_kit *kit = write_session();
    struct reading *all = read_session(kit, 0, ALL, false);

    CHECK(all->count > 1000);
    for ( uint64_t from = 1; from < SECONDS; from += 3 )
        check_span(kit, all, from * SECOND - SECOND / 3,
                   (from + from % 20) * SECOND);
    check_span(kit, all, 0, 20 * SECOND);
    check_span(kit, all, 150 * SECOND, ALL);
    check_span(kit, all, 0, ALL);
    free_reading(all);
    kit_destroy(kit);
}

TEST(what_is_not_wanted_is_not_read)
{
    struct session_kit *kit = write_session();
    struct reading *all = read_session(kit, 0, ALL, false);
    struct reading *some = read_session(kit, 100 * SECOND, 104 * SECOND, true);

    /* Its blocks, those with late samples of that time, and the last one. */
    CHECK(some->count < all->count / 10);
    CHECK(some->stack_count < all->stack_count / 5);
    CHECK(some->idles + 60 < SECONDS);
    free_reading(some);
    free_reading(all);
    kit_destroy(kit);
}

/* Turns bytes of a file of the session from its first quarter on. */
static void damage_file(struct session_kit *kit, unsigned int number)
{
    size_t size;
    uint8_t *bytes = kit_bytes(kit_file(kit, number), &size);

    memset(bytes + size / 4, 0x55, size / 4);
    kit_put_bytes(kit_file(kit, number), bytes, size);
    free(bytes);
}

TEST(damage_is_said_where_something_is_wanted)
{
    struct session_kit *kit = write_session();
    struct reading *reading;

    damage_file(kit, 7);
    reading = read_session(kit, 85 * SECOND, 100 * SECOND, true);
    CHECK(reading->damages > 0);
    free_reading(reading);
    damage_file(kit, 0);
    reading = read_session(kit, 150 * SECOND, 160 * SECOND, true);
    CHECK(reading->damages > 0);
    CHECK(reading->count > 10);
    free_reading(reading);
    kit_destroy(kit);
}

TEST(cut_at_every_byte_whole_blocks_are_counted)
{
    struct session_kit *kit = kit_create();
    size_t ends[4], size;
    uint8_t *bytes;

    for ( unsigned int i = 0; i < 4; i++ )
    {
        kit_sample(kit, i * SECOND, put_place(kit, 0x1000 + i, true));
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        free(kit_bytes(kit_file(kit, 0), &ends[i]));
    }
    bytes = kit_bytes(kit_file(kit, 0), &size);
    for ( size_t cut = 32; cut <= size; cut++ )
    {
        struct reading *reading;
        size_t whole = 0;

        while ( whole < 4 && ends[whole] <= cut )
            whole++;
        kit_put_bytes(kit_file(kit, 0), bytes, cut);
        reading = read_session(kit, SECOND, 2 * SECOND, true);
        CHECK_EQ(reading->count + reading->left_out, whole);
        CHECK_EQ(reading->damages, 0);
        free_reading(reading);
    }
    free(bytes);
    kit_destroy(kit);
}

TEST(a_part_of_a_session_that_grows_is_read_to_its_end)
{
    struct session_kit *kit = kit_create();
    struct reading *reading = begin_reading();
    struct xenoprof_session *session;
    size_t wanted = 0;

    xenoprof_writer_rotate_at(kit->writer, 4000);
    put_second(kit, 1);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_span(session, 40 * SECOND, 90 * SECOND);
    for ( unsigned int second = 2; second < 150; second++ )
    {
        put_second(kit, second);
        if ( second % 7 )
            read_on(kit, session, reading, 40 * SECOND, 90 * SECOND);
    }
    read_on(kit, session, reading, 40 * SECOND, 90 * SECOND);
    for ( size_t i = 0; i < reading->count; i++ )
        wanted += reading->samples[i].time >= 40 * SECOND &&
                  reading->samples[i].time < 90 * SECOND;
    free_reading(reading);
    reading = read_session(kit, 0, ALL, false);
    for ( size_t i = 0; i < reading->count; i++ )
        wanted -= reading->samples[i].time >= 40 * SECOND &&
                  reading->samples[i].time < 90 * SECOND;
    CHECK_EQ(wanted, 0);
    free_reading(reading);
    xenoprof_session_close(session);
    kit_destroy(kit);
}

TEST(the_end_of_a_session_is_what_it_has_last)
{
    struct session_kit *kit = kit_create();
    uint64_t end = 1;

    KIT_OK(kit, xenoprof_session_end(kit->handle, kit->folder, &end));
    CHECK_EQ(end, 0);
    xenoprof_writer_rotate_at(kit->writer, 4000);
    for ( unsigned int second = 1; second < 60; second++ )
    {
        put_second(kit, second);
        KIT_OK(kit, xenoprof_session_end(kit->handle, kit->folder, &end));
        CHECK_EQ(end, (second + 1) * SECOND);
    }
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 77 * SECOND));
    KIT_OK(kit, xenoprof_session_end(kit->handle, kit->folder, &end));
    CHECK_EQ(end, 77 * SECOND);
    kit_destroy(kit);
}

/* The last file has no block when its writer was killed at once. */
TEST(an_empty_file_after_the_others_is_not_its_end)
{
    struct session_kit *kit = kit_create();
    uint64_t end;
    size_t size;
    uint8_t *bytes;

    put_second(kit, 5);
    bytes = kit_bytes(kit_file(kit, 0), &size);
    kit_put_bytes(kit_file(kit, 1), bytes, 20);
    KIT_OK(kit, xenoprof_session_end(kit->handle, kit->folder, &end));
    CHECK_EQ(end, 6 * SECOND);
    kit_put_bytes(kit_file(kit, 1), bytes, 0);
    KIT_OK(kit, xenoprof_session_end(kit->handle, kit->folder, &end));
    CHECK_EQ(end, 6 * SECOND);
    free(bytes);
    kit_destroy(kit);
}
