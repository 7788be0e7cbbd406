/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that a writer of another version, or nobody who means well, put into a
 * block: what is new is passed over, what cannot be is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-reader.h"
#include "tests/harness.h"

static struct xenoprof_session session;
static struct buffer raw;
static struct xenoprof_item item;

static void begin(void)
{
    decode_begin(&session, true);
    session.items = (struct cursor){NULL, NULL, false};
    raw.used = 0;
    CHECK(buffer_reserve(&raw, 1 << 20));
}

static void put(uint64_t number)
{
    raw.used = put_number(raw.bytes + raw.used, number) - raw.bytes;
}

/* An item with count numbers, and more bytes behind them. */
static void put_item(uint8_t kind, const uint64_t *numbers, size_t count,
                     size_t more)
{
    uint8_t body[1024], *at = body;

    for ( size_t i = 0; i < count; i++ )
        at = put_number(at, numbers[i]);
    memset(at, 0xff, more);
    at += more;
    CHECK(buffer_append(&raw, &kind, 1));
    put((uint64_t)(at - body));
    CHECK(buffer_append(&raw, body, (size_t)(at - body)));
}

#define PUT(kind, more, ...)                                                   \
    put_item(kind, (const uint64_t[]){__VA_ARGS__},                            \
             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), more)

/* Only now: the buffer may have moved. */
static void decode(void)
{
    session.items = (struct cursor){raw.bytes, raw.bytes + raw.used, false};
}

static void next_is(enum xenoprof_item_kind kind)
{
    CHECK_EQ(decode_item(&session, &item), XENOPROF_OK);
    CHECK_EQ(item.kind, kind);
}

static void end(void)
{
    CHECK_EQ(decode_item(&session, &item), XENOPROF_END);
    decode_begin(&session, true);
    buffer_free(&raw);
}

TEST(kinds_that_are_not_known_are_passed_over)
{
    begin();
    PUT(0, 0, 1, 2, 3);
    PUT(KIND_RING_SUM + 1, 0, 1, 2, 3);
    PUT(0x7f, 500, 1);
    PUT(KIND_CLOSED, 0, 2 * 77);
    PUT(0x7f, 0, 0);
    decode();
    next_is(XENOPROF_ITEM_CLOSED);
    CHECK_EQ(item.time, 77);
    end();
}

TEST(fields_that_are_not_known_are_passed_over)
{
    begin();
    PUT(KIND_IDLE, 9, 2 * 5, 3, 1000);
    PUT(KIND_PLACE, 30, 1, 3, XENOPROF_MODE_KERNEL, 2 * 0x1000, 0, 0, 0);
    PUT(KIND_NUMBERS, 5, 1, 0);
    PUT(KIND_CLOSED, 300, 2 * 2);
    decode();
    next_is(XENOPROF_ITEM_IDLE);
    CHECK_EQ(item.u.idle.pcpu, 3);
    CHECK_EQ(item.u.idle.idle, 1000);
    next_is(XENOPROF_ITEM_PLACE);
    CHECK_EQ(item.u.place.place.address, 0x1000);
    next_is(XENOPROF_ITEM_CLOSED);
    CHECK_EQ(item.time, 7);
    end();
}

TEST(a_sum_of_rings_is_what_was_written)
{
    const struct xenoprof_ring_sum *sum = &item.u.ring_sum.sum;

    begin();
    PUT(KIND_RING_SUM, 7, 1, 3, XENOPROF_RING_VCPU, 0, 5, 60, 50, 2, 1, 8);
    PUT(KIND_RING_SUM, 0, 0, XENOPROF_OTHERS, 0, 0, 5, 60, 50, 2, 0);
    PUT(KIND_RING_SUM, 0, 0, XENOPROF_OTHERS + 1, 0, 0, 5, 60, 50, 2, 0);
    decode();
    next_is(XENOPROF_ITEM_RING_SUM);
    CHECK(item.u.ring_sum.first);
    CHECK_EQ(sum->owner.domain, 3);
    CHECK_EQ(sum->owner.kind, XENOPROF_RING_VCPU);
    CHECK_EQ(sum->rings, 5);
    CHECK_EQ(sum->made, 60);
    CHECK_EQ(sum->read, 50);
    CHECK_EQ(sum->lost_daemon, 2);
    CHECK_EQ(sum->lost[0], 8);
    next_is(XENOPROF_ITEM_RING_SUM);
    CHECK(!item.u.ring_sum.first);
    CHECK_EQ(sum->owner.domain, XENOPROF_OTHERS);
    CHECK_EQ(decode_item(&session, &item), XENOPROF_INVALID);
    decode_begin(&session, true);
    buffer_free(&raw);
}

TEST(causes_may_be_more_or_fewer_than_ours)
{
    const size_t ours = XENOPROF_CAUSES;
    uint64_t numbers[10 + XENOPROF_CAUSES + 5] = {2, 10, 9};

    begin();
    for ( size_t count = 0; count <= ours + 5; count++ )
    {
        numbers[9] = count;
        for ( size_t i = 0; i < count; i++ )
            numbers[10 + i] = 100 + i;
        put_item(KIND_COUNTERS, numbers, 10 + count, 0);
    }
    decode();
    for ( size_t count = 0; count <= ours + 5; count++ )
    {
        memset(&item, 0xff, sizeof(item));
        next_is(XENOPROF_ITEM_COUNTERS);
        CHECK_EQ(item.u.counters.due, 10);
        for ( size_t i = 0; i < ours; i++ )
            CHECK_EQ(item.u.counters.lost[i], i < count ? 100 + i : 0);
    }
    end();
}

TEST(references_to_what_was_lost_are_empty)
{
    begin();
    PUT(KIND_ATTRIBUTE, 0, 2 * 1, 8, 9);
    PUT(KIND_DOMAIN, 0, 2 * 1, 3, 8, 9, 10);
    PUT(KIND_PLACE, 0, 1, 3, XENOPROF_MODE_KERNEL, 2 * 0x1000, 8, 9, 0);
    /* Stack 1: places 1 and 5, then two of stack 4. */
    PUT(KIND_STACK, 0, 2 * 1, 4, 2, 2 * 3, 1, 5);
    decode();
    next_is(XENOPROF_ITEM_ATTRIBUTE);
    CHECK_TEXT(item.u.attribute.key, "");
    CHECK_TEXT(item.u.attribute.value, "");
    next_is(XENOPROF_ITEM_DOMAIN);
    CHECK_TEXT(item.u.domain.name, "");
    next_is(XENOPROF_ITEM_PLACE);
    CHECK(!item.u.place.place.image && !item.u.place.place.symbol);
    next_is(XENOPROF_ITEM_STACK);
    CHECK_EQ(item.u.stack.count, 4);
    CHECK_EQ(item.u.stack.places[0], 1);
    for ( size_t i = 1; i < 4; i++ )
        CHECK_EQ(item.u.stack.places[i], 0);
    end();
}

/* These bytes are not an item, and none of them is read twice. */
static void refused(void)
{
    decode();
    CHECK_EQ(decode_item(&session, &item), XENOPROF_INVALID);
    begin();
}

TEST(items_that_cannot_be_are_refused)
{
    begin();
    PUT(KIND_STRING, 3, 0);
    refused();
    PUT(KIND_STRING, 3, NUMBER_MAX + 1ull);
    refused();
    PUT(KIND_PLACE, 0, 0, 3, 1, 0, 0, 0, 0);
    refused();
    PUT(KIND_PLACE, 0, 1, 65536, 1, 0, 0, 0, 0);
    refused();
    PUT(KIND_PLACE, 0, 1, 3, XENOPROF_MODES, 0, 0, 0, 0);
    refused();
    PUT(KIND_PLACE, 0, 1, 3, 1, 0, 0, 0);
    refused();
    PUT(KIND_STACK, 0, 2 * 1, 0, 0);
    refused();
    PUT(KIND_STACK, 0, 2 * 1, STACK_MAX + 1, STACK_MAX + 1, 2);
    refused();
    PUT(KIND_STACK, 0, 2 * 1, 1, 2, 2);
    refused();
    PUT(KIND_STACK, 0, 0, 1, 0, 0);
    refused();
    PUT(KIND_STACK, 0, 2 * (NUMBER_MAX + 1ull), 1, 0, 0);
    refused();
    PUT(KIND_STACK, 0, 1, 1, 0, 0); /* -1 */
    refused();
    PUT(KIND_IDLE, 0, 2, 65536, 0);
    refused();
    end();
}

TEST(counts_that_no_writer_has_are_refused)
{
    uint64_t numbers[10 + 17] = {2};

    begin();
    numbers[9] = 16;
    put_item(KIND_COUNTERS, numbers, 10 + 16, 0);
    decode();
    next_is(XENOPROF_ITEM_COUNTERS);
    begin();
    numbers[9] = 17;
    put_item(KIND_COUNTERS, numbers, 10 + 17, 0);
    refused();
    end();
}

/* Samples are decoded some ahead of the one that is handed out. */
TEST(samples_before_one_that_is_cut_are_there)
{
    const uint32_t samples = 2 * SAMPLES_AHEAD + 3;

    begin();
    PUT(KIND_PLACE, 0, 7, 3, XENOPROF_MODE_KERNEL, 2 * 0x1000, 0, 0, 0);
    PUT(KIND_STACK, 0, 2 * 1, 1, 0, 7);
    for ( uint32_t i = 0; i < samples; i++ )
    {
        raw.bytes[raw.used++] = KIND_SAMPLE | (i % 3 == 1 ? SAMPLE_STACK : 0);
        put(2 * 5);
        if ( i % 3 == 1 )
            put(0);
    }
    raw.bytes[raw.used++] = KIND_SAMPLE;
    decode();
    next_is(XENOPROF_ITEM_PLACE);
    next_is(XENOPROF_ITEM_STACK);
    for ( uint32_t i = 0; i < samples; i++ )
    {
        next_is(XENOPROF_ITEM_SAMPLE);
        CHECK_EQ(item.time, 5 * (i + 1));
        CHECK_EQ(item.u.sample.stack, i % 3 == 1);
        CHECK_EQ(item.u.sample.place, i ? 7 : 0);
    }
    CHECK_EQ(decode_item(&session, &item), XENOPROF_INVALID);
    begin();
    end();
}

TEST(an_item_that_is_cut_anywhere_is_refused)
{
    static const uint8_t sample[] = {KIND_SAMPLE | SAMPLE_WHO | SAMPLE_STACK |
                                         SAMPLE_PLACE | SAMPLE_PERIOD |
                                         SAMPLE_MARKS,
                                     2,
                                     1,
                                     2,
                                     3,
                                     2,
                                     1,
                                     9,
                                     8,
                                     1};
    size_t size;

    begin();
    PUT(KIND_DOMAIN, 0, 2 * 1, 3, 8, 9, 10);
    size = raw.used;
    for ( size_t cut = 1; cut < size; cut++ )
    {
        raw.used = cut;
        decode();
        CHECK_EQ(decode_item(&session, &item), XENOPROF_INVALID);
    }
    for ( size_t cut = 1; cut <= sizeof(sample); cut++ )
    {
        raw.used = 0;
        CHECK(buffer_append(&raw, sample, cut));
        decode();
        CHECK_EQ(decode_item(&session, &item),
                 cut < sizeof(sample) ? XENOPROF_INVALID : XENOPROF_OK);
    }
    end();
}

TEST(a_string_is_as_long_as_a_text_may_be)
{
    for ( unsigned int more = 0; more < 2; more++ )
    {
        uint8_t kind = KIND_STRING;

        begin();
        CHECK(buffer_append(&raw, &kind, 1));
        put(STRING_MAX + more + 1);
        put(1);
        memset(raw.bytes + raw.used, 'a', STRING_MAX + more);
        raw.used += STRING_MAX + more;
        PUT(KIND_ATTRIBUTE, 0, 2 * 1, 1, 0);
        if ( more )
        {
            refused();
            continue;
        }
        decode();
        next_is(XENOPROF_ITEM_ATTRIBUTE);
        CHECK_EQ(strlen(item.u.attribute.key), STRING_MAX);
    }
    end();
}

TEST(a_stack_is_defined_once_in_a_file)
{
    begin();
    PUT(KIND_STACK, 0, 2 * 1, 2, 0, 0, 0);
    PUT(KIND_STACK, 0, 0, 1, 0, 0);
    decode();
    next_is(XENOPROF_ITEM_STACK);
    CHECK_EQ(item.u.stack.count, 2);
    CHECK_EQ(decode_item(&session, &item), XENOPROF_INVALID);
    decode();
    session.items.at = session.items.end;
    end();
}
