/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "libxenoprof/session/session-attributes.h"
#include "opcontrol/status.h"
#include "tests/harness.h"

#define UUID_3 "03000000-0000-0000-0000-000000000000"

static char dir[64];
static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static struct failure failure;

static void begin(void)
{
    char path[128];

    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/%s", dir, SESSION_CURRENT);
    handle = xenoprof_open();
    CHECK_EQ(xenoprof_writer_create(handle, path, &writer), 0);
}

static void end(void)
{
    CHECK_EQ(xenoprof_writer_flush(writer), 0);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
}

static struct status status_on_disk(void)
{
    struct status status = {.state = "stopped"};

    status_from_disk(&status, dir);
    session_delete(dir, SESSION_CURRENT, &failure);
    CHECK_EQ(rmdir(dir), 0);
    return status;
}

static void put(const char *key, const char *value)
{
    CHECK_EQ(xenoprof_writer_attribute(writer, 1, key, value), 0);
}

static void put_ring(struct xenoprof_ring_info info, uint64_t read,
                     uint64_t lost)
{
    CHECK_EQ(xenoprof_writer_ring(writer, &info, read, lost, 0), 0);
}

TEST(status_of_a_session_on_disk)
{
    static const uint8_t uuid[16] = {3};
    struct xenoprof_counters counters = {.due = 9, .lost = {1, 2}};
    struct status status;

    begin();
    put(SESSION_ATTRIBUTE_SAMPLER, "timer");
    put(SESSION_ATTRIBUTE_FREQUENCY, "97");
    put(SESSION_ATTRIBUTE_FREQUENCY, "48");
    put(SESSION_ATTRIBUTE_STOPPED, "nobody reads");
    put("a-newer-one", "1");
    /* The name comes before the ring that has it. */
    CHECK_EQ(xenoprof_writer_domain(writer, 1, 3, uuid, "web", "passive"), 0);
    put_ring(
        (struct xenoprof_ring_info){
            .ring = 0, .kind = XENOPROF_RING_PCPU, .vcpu = 1, .made = 5},
        5, 0);
    put_ring((struct xenoprof_ring_info){.ring = 1,
                                         .kind = XENOPROF_RING_VCPU,
                                         .domain = 3,
                                         .uuid = {3},
                                         .made = 4},
             1, 0);
    /* Absolute, and later: these count. */
    put_ring((struct xenoprof_ring_info){.ring = 1,
                                         .kind = XENOPROF_RING_VCPU,
                                         .domain = 3,
                                         .uuid = {3},
                                         .made = 10,
                                         .lost = {1, 2}},
             6, 1);
    CHECK_EQ(xenoprof_writer_counters(writer, 2, &counters), 0);
    end();
    status = status_on_disk();
    CHECK(status.has_session);
    CHECK_TEXT(status.session.name, SESSION_CURRENT);
    CHECK_TEXT(status.session.dir, dir);
    CHECK_TEXT(status.sampler.name, "timer");
    CHECK_EQ(status.sampler.frequency, 48);
    CHECK_TEXT(status.trouble, "nobody reads");
    CHECK_EQ(status.counters.due, 9);
    CHECK_EQ(status.lost_by_cause[1], 2);
    CHECK_EQ(status.rings.count, 2);
    CHECK_TEXT(status.rings.items[0].name, DOMAIN_NAME_IDLE);
    CHECK_EQ(status.rings.items[0].domain, DOMAIN_ID_IDLE);
    CHECK_TEXT(status.rings.items[1].name, "web");
    CHECK_TEXT(status.rings.items[1].uuid, UUID_3);
    CHECK_TEXT(status.rings.items[1].state, "gone");
    CHECK_EQ(status.counters.made, 15);
    CHECK_EQ(status.counters.read, 11);
    CHECK_EQ(status.counters.lost, 4);
    status_free(&status);
}

/* Its number was used again: each generation is a ring. */
TEST(status_of_a_ring_that_came_twice)
{
    struct status status;

    begin();
    for ( uint32_t generation = 1; generation < 3; generation++ )
        put_ring((struct xenoprof_ring_info){.ring = 7,
                                             .generation = generation,
                                             .kind = XENOPROF_RING_VCPU,
                                             .made = generation},
                 generation, 0);
    end();
    status = status_on_disk();
    CHECK_EQ(status.rings.count, 2);
    CHECK_EQ(status.counters.made, 3);
    status_free(&status);
}

/* A number has another owner: its rings keep the name of theirs. */
TEST(status_of_a_number_that_was_given_again)
{
    static const uint8_t uuids[2][16] = {{0}, {7}};
    struct status status;

    begin();
    for ( uint32_t i = 0; i < 2; i++ )
    {
        CHECK_EQ(xenoprof_writer_domain(writer, 1 + i, 3, uuids[i],
                                        i ? "second" : "first", "passive"),
                 0);
        put_ring((struct xenoprof_ring_info){.ring = i,
                                             .kind = XENOPROF_RING_VCPU,
                                             .domain = 3,
                                             .uuid = {i ? 7 : 0},
                                             .made = 1},
                 1, 0);
    }
    end();
    status = status_on_disk();
    CHECK_EQ(status.rings.count, 2);
    CHECK_TEXT(status.rings.items[0].name, "first");
    CHECK_TEXT(status.rings.items[1].name, "second");
    status_free(&status);
}

/* Rings that ended in the first file are a row in the second. */
TEST(status_of_rings_that_have_ended)
{
    static const uint8_t uuid[16] = {3};
    struct status status;

    begin();
    for ( uint32_t ring = 0; ring < 3; ring++ )
    {
        struct xenoprof_ring_info info = {.ring = ring,
                                          .kind = XENOPROF_RING_VCPU,
                                          .domain = 3,
                                          .uuid = {3},
                                          .made = 5,
                                          .lost = {1}};

        put_ring(info, 3, 1);
        if ( ring < 2 )
            CHECK_EQ(xenoprof_writer_ring_ended(writer, &info), 0);
    }
    CHECK_EQ(xenoprof_writer_rotate(writer), 0);
    CHECK_EQ(xenoprof_writer_domain(writer, 1, 3, uuid, "web", "passive"), 0);
    end();
    status = status_on_disk();
    CHECK_EQ(status.rings.count, 2);
    CHECK_EQ(status.rings.items[0].ended, 2);
    CHECK_TEXT(status.rings.items[0].name, "web");
    CHECK_TEXT(status.rings.items[0].uuid, UUID_3);
    CHECK_TEXT(status.rings.items[0].state, "gone");
    CHECK_EQ(status.rings.items[0].domain, 3);
    CHECK_EQ(status.rings.items[0].lost, 4);
    CHECK_EQ(status.rings.items[1].ended, 0);
    CHECK_EQ(status.rings.items[1].number, 2);
    CHECK_EQ(status.counters.made, 15);
    CHECK_EQ(status.counters.read, 9);
    CHECK_EQ(status.counters.lost, 6);
    status_free(&status);
}

TEST(status_of_more_ended_owners_than_sums)
{
    struct status status;
    const struct status_ring *first;

    begin();
    for ( uint32_t ring = 0; ring < 3000; ring++ )
    {
        struct xenoprof_ring_info info = {.ring = ring,
                                          .kind = XENOPROF_RING_VCPU,
                                          .domain = (uint16_t)(1 + ring),
                                          .made = 2};

        put_ring(info, 2, 0);
        CHECK_EQ(xenoprof_writer_ring_ended(writer, &info), 0);
    }
    CHECK_EQ(xenoprof_writer_rotate(writer), 0);
    put(SESSION_ATTRIBUTE_SAMPLER, "timer");
    end();
    status = status_on_disk();
    CHECK(status.rings.count > 500 && status.rings.count < 3000);
    first = &status.rings.items[0];
    CHECK_TEXT(first->name, ENDED_OTHERS);
    CHECK_EQ(first->ended, 3001 - status.rings.count);
    CHECK_TEXT(first->kind, "vcpu");
    CHECK_EQ(status.rings.items[status.rings.count - 1].domain, 3000);
    CHECK_EQ(status.counters.made, 6000);
    status_free(&status);
}

/* Where each was looked for among all, this took minutes. */
TEST(status_of_more_rings_than_a_host_has)
{
    enum { RINGS = 200000 };
    struct status status;

    begin();
    for ( uint32_t ring = 0; ring < RINGS; ring++ )
        put_ring((struct xenoprof_ring_info){.ring = ring,
                                             .kind = XENOPROF_RING_VCPU,
                                             .domain = ring & 0x3fff,
                                             .made = 1},
                 1, 0);
    end();
    status = status_on_disk();
    CHECK_EQ(status.rings.count, RINGS);
    CHECK_EQ(status.counters.made, RINGS);
    CHECK(clock() < 30 * CLOCKS_PER_SEC);
    status_free(&status);
}

TEST(status_without_a_session_is_left_alone)
{
    struct status status = {.state = "loaded", .counters.made = 77};

    status_from_disk(&status, "/nonexistent");
    CHECK(!status.has_session);
    CHECK_EQ(status.counters.made, 77);
    CHECK_TEXT(status.session.name, "");
    status_free(&status);
}
