/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last value of each thing, and whether it is another than before. */
#include <string.h>

#include "libxenoprof/session/session-index.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"

static struct session_state state;

static void begin(void)
{
    memset(&state, 0, sizeof(state));
    state_init(&state);
}

static bool attribute_changes(uint32_t key, uint32_t value)
{
    const struct attribute_state attribute = {.key = key, .value = value};
    bool changed;

    CHECK(state_attribute(&state, &attribute, &changed));
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

static bool domain_changes(uint16_t number, uint32_t uuid, uint32_t name)
{
    const struct domain_state domain = {
        .domain = number, .uuid = uuid, .name = name, .kind = 1};
    bool changed;

    CHECK(state_domain(&state, &domain, &changed));
    return changed;
}

static uint32_t place_of(uint16_t number)
{
    const struct place_entry place = {.address = 0x100, .domain = number};
    bool named;

    return index_place(&state, &place, &named);
}

static uint32_t find(uint16_t number)
{
    return index_find_place(&state, number, 0, 0x100);
}

TEST(another_uuid_makes_the_places_of_its_domain_stale)
{
    uint32_t first, second, third;

    begin();
    first = place_of(1);
    second = place_of(2);
    CHECK(first && second);
    CHECK(domain_changes(1, 100, 5));
    CHECK(domain_changes(2, 200, 5));
    CHECK(!domain_changes(1, 100, 5));
    /* Only its name. */
    CHECK(domain_changes(1, 100, 6));
    CHECK_EQ(find(1), first);
    CHECK(domain_changes(1, 101, 6));
    CHECK_EQ(find(1), 0);
    CHECK_EQ(index_unnamed(&state, 1, 0, 0), 0);
    CHECK_EQ(find(2), second);
    CHECK_EQ(state.domains.count, 2);
    /* Its last samples may come when another has its number. */
    third = place_of(1);
    CHECK(third != first);
    CHECK(domain_changes(1, 102, 6));
    CHECK_EQ(find(1), 0);
    CHECK(domain_changes(1, 101, 6));
    CHECK_EQ(find(1), third);
    CHECK_EQ(index_unnamed(&state, 1, 0, 0), third);
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
    const struct attribute_state attribute = {.key = 1};
    const struct domain_state domain = {.domain = 1};
    struct xenoprof_ring_past ring;
    bool changed;

    begin();
    memset(&ring, 0, sizeof(ring));
    /* Room in the list, then in the table. */
    for ( unsigned long at = 1; at <= 2; at++ )
    {
        fail_allocation(at);
        CHECK(!state_attribute(&state, &attribute, &changed));
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
    state_deinit(&state);
}
