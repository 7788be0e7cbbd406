/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last value of each thing, and whether it is another than before. */
#include <stdio.h>
#include <string.h>

#include "libxenoprof/session/session-state.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static struct session_state state;

static void begin(void)
{
    memset(&state, 0, sizeof(state));
    state_init(&state);
}

static bool attribute_changes(unsigned int key, unsigned int value)
{
    char key_text[16], value_text[16];
    bool changed;

    snprintf(key_text, sizeof(key_text), "key %u", key);
    snprintf(value_text, sizeof(value_text), "%u", value);
    CHECK(state_attribute(&state, 1, key_text, value_text, &changed));
    CHECK_TEXT(state_attribute_now(&state, key_text), value_text);
    return changed;
}

TEST(an_attribute_changes_with_its_value)
{
    begin();
    CHECK(attribute_changes(1, 10));
    CHECK(attribute_changes(2, 10));
    CHECK(!attribute_changes(1, 10));
    CHECK(attribute_changes(1, 11));
    CHECK(attribute_changes(1, 10));
    CHECK_EQ(state.attributes.count, 2);
    state_deinit(&state);
}

static bool domain_changes(uint16_t number, uint32_t uuid, unsigned int name)
{
    char text[16];
    struct domain_state domain = {
        .domain = number, .name = text, .kind = "passive"};
    bool changed;

    snprintf(text, sizeof(text), "%u", name);
    memcpy(domain.uuid, &uuid, sizeof(uuid));
    CHECK(state_domain(&state, &domain, &changed));
    CHECK_TEXT(state_domain_now(&state, number)->name, text);
    return changed;
}

TEST(a_domain_changes_with_its_uuid_and_its_name)
{
    begin();
    CHECK(domain_changes(1, 100, 5));
    CHECK(domain_changes(2, 200, 5));
    CHECK(!domain_changes(1, 100, 5));
    CHECK(domain_changes(1, 100, 6));
    CHECK(domain_changes(1, 101, 6));
    CHECK(!domain_changes(2, 200, 5));
    CHECK_EQ(state.domains.count, 2);
    state_deinit(&state);
}

TEST(what_has_ended_is_forgotten_and_the_others_are_found)
{
    uint32_t uuid = 0;

    begin();
    for ( unsigned int i = 0; i < 100; i++ )
    {
        CHECK(attribute_changes(i, i));
        CHECK(domain_changes((uint16_t)i, i, i));
    }
    for ( ; uuid < 100; uuid += 3 )
    {
        uint8_t bytes[16] = {0};
        char key[16];

        memcpy(bytes, &uuid, sizeof(uuid));
        /* The number is another's by now. */
        bytes[15] = 1;
        state_drop_domain(&state, (uint16_t)uuid, bytes);
        CHECK(state_domain_now(&state, (uint16_t)uuid));
        bytes[15] = 0;
        state_drop_domain(&state, (uint16_t)uuid, bytes);
        snprintf(key, sizeof(key), "key %u", uuid);
        state_drop_attribute(&state, key);
        CHECK(!state_attribute_now(&state, key));
    }
    CHECK_EQ(state.domains.count, 66);
    CHECK_EQ(state.attributes.count, 66);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        CHECK_EQ(!state_domain_now(&state, (uint16_t)i), i % 3 == 0);
        CHECK_EQ(attribute_changes(i, i), i % 3 == 0);
        CHECK_EQ(domain_changes((uint16_t)i, i, i), i % 3 == 0);
    }
    state_deinit(&state);
}

TEST(each_of_many_attributes_and_domains_is_found_again)
{
    begin();
    for ( uint32_t i = 0; i < 1000; i++ )
    {
        CHECK(attribute_changes(i, i));
        CHECK(domain_changes((uint16_t)i, i, i));
    }
    for ( uint32_t i = 0; i < 1000; i++ )
    {
        CHECK(!attribute_changes(i, i));
        CHECK(!domain_changes((uint16_t)i, i, i));
    }
    CHECK_EQ(state.attributes.count, 1000);
    CHECK_EQ(state.domains.count, 1000);
    state_deinit(&state);
}

static bool ring_changes(uint32_t number, uint32_t generation, uint64_t read)
{
    struct xenoprof_ring_past ring;
    bool changed;

    memset(&ring, 0, sizeof(ring));
    ring.info.ring = number;
    ring.info.generation = generation;
    ring.read = read;
    CHECK(state_ring(&state, &ring, &changed));
    return changed;
}

TEST(a_ring_is_its_number_and_generation)
{
    begin();
    for ( uint32_t number = 0; number < 1000; number++ )
        CHECK(ring_changes(number, 1, 5));
    CHECK(ring_changes(7, 2, 5));
    CHECK_EQ(state.rings.count, 1001);
    for ( uint32_t number = 0; number < 1000; number++ )
        CHECK(!ring_changes(number, 1, 5));
    CHECK(ring_changes(7, 1, 6));
    CHECK(!ring_changes(7, 2, 5));
    CHECK_EQ(state.rings.count, 1001);
    state_deinit(&state);
}

static void end_ring(uint32_t number)
{
    const struct xenoprof_ring_info info = {.ring = number, .generation = 1};

    CHECK(state_end_ring(&state, &info));
}

TEST(rings_that_ended_make_room_and_the_others_stay)
{
    const struct xenoprof_ring_sum *sum;

    begin();
    for ( uint32_t number = 0; number < 1000; number++ )
        CHECK(ring_changes(number, 1, 5));
    for ( uint32_t number = 0; number < 1000; number += 3 )
        end_ring(number);
    end_ring(5000);
    CHECK_EQ(state.rings.count, 666);
    CHECK_EQ(state.ring_ids.used, 666);
    for ( uint32_t number = 0; number < 1000; number++ )
        CHECK_EQ(ring_changes(number, 1, 5), number % 3 == 0);
    CHECK_EQ(state.ring_sums.count, 1);
    sum = table_at(&state.ring_sums, 0);
    CHECK_EQ(sum->rings, 334);
    CHECK_EQ(sum->read, 5 * 334);
    state_deinit(&state);
}

TEST(without_memory_a_ring_does_not_end)
{
    const struct xenoprof_ring_info info = {.ring = 3, .generation = 1};

    begin();
    CHECK(ring_changes(3, 1, 5));
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!state_end_ring(&state, &info));
        CHECK_EQ(fail_allocation(0), 0);
    }
    CHECK_EQ(state.rings.count, 1);
    CHECK_EQ(state.ring_sums.count, 0);
    CHECK(!ring_changes(3, 1, 5));
    CHECK(state_end_ring(&state, &info));
    CHECK_EQ(state.rings.count, 0);
    state_deinit(&state);
}

TEST(a_state_without_memory_is_as_before)
{
    const struct domain_state domain = {
        .domain = 1, .name = "web", .kind = "passive"};
    struct xenoprof_ring_past ring;
    bool changed;

    begin();
    memset(&ring, 0, sizeof(ring));
    /* Room in the list, then in the table. */
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!state_attribute(&state, 1, "key", "value", &changed));
        CHECK_EQ(fail_allocation(0), 0);
        fail_allocation(at);
        CHECK(!state_domain(&state, &domain, &changed));
        CHECK_EQ(fail_allocation(0), 0);
        fail_allocation(at);
        CHECK(!state_ring(&state, &ring, &changed));
        CHECK_EQ(fail_allocation(0), 0);
    }
    CHECK_EQ(state.attributes.count, 0);
    CHECK_EQ(state.domains.count, 0);
    CHECK_EQ(state.rings.count, 0);
    CHECK(ring_changes(0, 0, 0));
    CHECK(attribute_changes(1, 1));
    CHECK(domain_changes(1, 1, 1));
    state_deinit(&state);
}
