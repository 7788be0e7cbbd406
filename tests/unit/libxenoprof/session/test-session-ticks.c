/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block says that its samples stand for is what they stand for: by vCPU
 * and second, in any part of the time, whoever had a domain's number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "libxenoprof/session/session-block.h"
#include "session-kit.h"

#define SECOND     1000000000ull
#define SECONDS    60u
#define PER_SECOND 20u
#define DOMAINS    4u
#define ALL        UINT64_MAX

static void put_domain(struct session_kit *kit, uint16_t number, uint8_t life)
{
    const uint8_t uuid[16] = {(uint8_t)number, life};

    KIT_OK(kit, xenoprof_writer_domain(kit->writer, 1, number, uuid, "guest",
                                       "passive"));
}

/* Some come late, some stand for more, some are no time. */
static void put_sample(struct session_kit *kit, unsigned int second)
{
    const uint64_t late = second > 9 && random() % 8 == 0 ? 9 : 0;
    const struct xenoprof_stored sample = {
        .time = (second - late) * SECOND + (uint64_t)random() % SECOND,
        .period = random() % 4 ? 10000000 : (uint32_t)random(),
        .domain = (uint16_t)(random() % DOMAINS),
        .vcpu = (uint16_t)(random() % 3),
        .pcpu = (uint16_t)(random() % 2),
        .mode = (uint8_t)(random() % XENOPROF_MODES),
        .weight = (uint8_t)(1 + random() % 2),
        .type = (uint16_t)(random() % 3),
        .count = 77,
    };

    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, NULL, 0));
}

static struct session_kit *write_session(void)
{
    struct session_kit *kit = kit_create();

    srandom(3);
    KIT_OK(kit, xenoprof_writer_type(
                    kit->writer, XENOPROF_TYPE_EVENT,
                    &(struct xenoprof_type){.name = "a", .unit = "events"}));
    for ( uint16_t i = 0; i < DOMAINS; i++ )
        put_domain(kit, i, 0);
    for ( unsigned int second = 1; second <= SECONDS; second++ )
    {
        for ( unsigned int i = 0; i < PER_SECOND; i++ )
        {
            if ( second % 7 == 0 && i == PER_SECOND / 2 )
                put_domain(kit, (uint16_t)(second % DOMAINS), (uint8_t)second);
            put_sample(kit, second);
        }
        KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        if ( second % 20 == 0 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_close(kit->writer, SECONDS * SECOND));
    return kit;
}

/* How the session is read, and what came of that. */
struct ticks_reading {
    bool sums;
    uint64_t from, to;
    uint64_t since; /* 0: from the beginning */
    uint64_t until; /* 0: no end */
    uint8_t life[DOMAINS];
    struct table ticks; /* struct known_ticks */
    size_t samples, summed, damages;
    uint64_t end;
};

struct known_ticks {
    struct {
        uint32_t domain, life, vcpu, second;
    } key;
    uint64_t ns;
};

static uint64_t ns_of(const struct xenoprof_samples *samples, size_t at)
{
    const struct xenoprof_who *who = &samples->who[samples->whos[at]];

    if ( samples->ticks )
        return samples->ticks[at];
    return who->type == XENOPROF_TYPE_TIME && who->mode != XENOPROF_MODE_IDLE
               ? who->count
               : 0;
}

static void take(struct ticks_reading *reading,
                 const struct xenoprof_samples *samples)
{
    CHECK(reading->sums || !samples->ticks);
    CHECK(!samples->ticks || !samples->times);
    *(samples->ticks ? &reading->summed : &reading->samples) += samples->count;
    for ( size_t i = 0; i < samples->count; i++ )
    {
        const struct xenoprof_who *who = &samples->who[samples->whos[i]];
        struct known_ticks key = {
            .key = {who->domain, reading->life[who->domain], who->vcpu,
                    (uint32_t)(samples->second + samples->seconds[i])}};
        struct known_ticks *ticks;

        if ( samples->times )
            CHECK_EQ(key.key.second, samples->times[i] / SECOND);
        if ( samples->times && (samples->times[i] < reading->from ||
                                samples->times[i] >= reading->to) )
            continue;
        CHECK(ticks = table_put(&reading->ticks, &key));
        ticks->ns += ns_of(samples, i);
    }
}

static void read_session(struct session_kit *kit, struct ticks_reading *reading)
{
    struct xenoprof_session *session;
    enum xenoprof_status status;
    struct xenoprof_item item;

    table_init(&reading->ticks, sizeof(((struct known_ticks *)0)->key),
               sizeof(struct known_ticks));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_who_only(session);
    if ( reading->sums )
        xenoprof_session_sums(session);
    if ( reading->from || reading->to != ALL )
        xenoprof_session_span(session, reading->from, reading->to);
    KIT_OK(kit, xenoprof_session_since(session, reading->since));
    if ( reading->until )
        xenoprof_session_until(session, reading->until);
    while ( (status = xenoprof_session_next_columns(session, &item)) !=
            XENOPROF_END )
    {
        reading->damages += status == XENOPROF_DAMAGED;
        if ( status == XENOPROF_DAMAGED )
            continue;
        KIT_OK(kit, status);
        if ( item.kind == XENOPROF_ITEM_DOMAIN )
            reading->life[item.u.domain.domain] = item.u.domain.uuid[1];
        if ( item.kind == XENOPROF_ITEM_SAMPLES )
            take(reading, &item.u.samples);
    }
    reading->end = xenoprof_session_position(session);
    xenoprof_session_close(session);
}

static void check_same(const struct ticks_reading *left,
                       const struct ticks_reading *right)
{
    CHECK_EQ(left->ticks.count, right->ticks.count);
    for ( size_t i = 0; i < left->ticks.count; i++ )
    {
        const struct known_ticks *one = table_at(&left->ticks, i);
        const struct known_ticks *other = table_find(&right->ticks, &one->key);

        CHECK(other);
        CHECK_EQ(one->ns, other->ns);
    }
}

/* Returns how many samples were read beside sums. */
static size_t compare(struct session_kit *kit, uint64_t from, uint64_t to)
{
    struct ticks_reading sums = {.sums = true, .from = from, .to = to};
    struct ticks_reading samples = {.from = from, .to = to};
    size_t read;

    read_session(kit, &sums);
    read_session(kit, &samples);
    check_same(&sums, &samples);
    CHECK(samples.samples > 0 && sums.summed > 0);
    read = sums.samples;
    table_free(&sums.ticks);
    table_free(&samples.ticks);
    return read;
}

TEST(sums_are_those_of_samples)
{
    struct session_kit *kit = write_session();

    /* The last blocks of files may be torn. */
    CHECK_EQ(compare(kit, 0, ALL), 3 * PER_SECOND);
    kit_destroy(kit);
}

TEST(sums_are_those_of_samples_of_any_time)
{
    struct session_kit *kit = write_session();

    for ( uint64_t from = 1; from < SECONDS - 20; from += 3 )
        compare(kit, from * SECOND - SECOND / 3, (from + 20) * SECOND);
    kit_destroy(kit);
}

/* Each byte of the second block's samples is another one. */
static void damage_samples(struct session_kit *kit)
{
    struct session_block_header header;
    size_t size, at = sizeof(struct session_file_header);
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);

    memcpy(&header, bytes + at, sizeof(header));
    at += sizeof(header) + session_block_size(&header);
    memcpy(&header, bytes + at, sizeof(header));
    at += sizeof(header) + header.tables_size;
    for ( size_t i = 0; i < header.samples_size; i++ )
        bytes[at + i] ^= 0x55;
    kit_put_bytes(kit_file(kit, 0), bytes, size);
    free(bytes);
}

TEST(samples_are_not_read_for_sums)
{
    struct session_kit *kit = write_session();
    struct ticks_reading before = {.sums = true, .to = ALL};
    struct ticks_reading after = {.sums = true, .to = ALL};
    struct ticks_reading samples = {.to = ALL};

    read_session(kit, &before);
    damage_samples(kit);
    read_session(kit, &after);
    read_session(kit, &samples);
    check_same(&before, &after);
    CHECK_EQ(after.damages, 0);
    CHECK_EQ(samples.damages, 1);
    table_free(&before.ticks);
    table_free(&after.ticks);
    table_free(&samples.ticks);
    kit_destroy(kit);
}

/* A session grows in its last file, and then in another one. */
TEST(what_is_past_the_end_is_not_there)
{
    struct session_kit *kit = kit_create();
    struct ticks_reading before = {.to = ALL}, after = {.to = ALL};

    srandom(4);
    for ( uint16_t i = 0; i < DOMAINS; i++ )
        put_domain(kit, i, 0);
    KIT_OK(kit, xenoprof_writer_type(
                    kit->writer, XENOPROF_TYPE_EVENT,
                    &(struct xenoprof_type){.name = "a", .unit = "events"}));
    put_sample(kit, 1);
    KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    put_sample(kit, 2);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    read_session(kit, &before);
    CHECK_EQ(before.samples, 2);
    for ( unsigned int second = 3; second < 9; second++ )
    {
        put_sample(kit, second);
        KIT_OK(kit, second == 5 ? xenoprof_writer_rotate(kit->writer)
                                : xenoprof_writer_flush(kit->writer));
        after = (struct ticks_reading){.to = ALL, .until = before.end};
        read_session(kit, &after);
        CHECK_EQ(after.samples, 2);
        check_same(&before, &after);
        table_free(&after.ticks);
    }
    after = (struct ticks_reading){.to = ALL};
    read_session(kit, &after);
    CHECK_EQ(after.samples, 8);
    table_free(&before.ticks);
    table_free(&after.ticks);
    kit_destroy(kit);
}

TEST(samples_since_a_position_are_each_read_once)
{
    struct session_kit *kit = kit_create();
    struct ticks_reading reading = {.to = ALL};
    uint64_t since = 0, samples = 0;

    KIT_OK(kit, xenoprof_writer_type(
                    kit->writer, XENOPROF_TYPE_EVENT,
                    &(struct xenoprof_type){.name = "a", .unit = "events"}));
    for ( unsigned int second = 1; second < 12; second++ )
    {
        put_sample(kit, second);
        /* A file ends before and after the position; nothing is new at 7. */
        if ( second == 3 || second == 6 || second == 8 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
        else if ( second != 7 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
        reading = (struct ticks_reading){.to = ALL, .since = since};
        read_session(kit, &reading);
        CHECK_EQ(reading.damages, 0);
        CHECK_EQ(reading.samples, second == 7 ? 0 : second == 8 ? 2 : 1);
        CHECK_EQ(reading.ticks.count, reading.samples);
        CHECK(second == 7 ? reading.end == since : reading.end > since);
        samples += reading.samples;
        since = reading.end;
        table_free(&reading.ticks);
    }
    CHECK_EQ(samples, 11);
    kit_destroy(kit);
}
