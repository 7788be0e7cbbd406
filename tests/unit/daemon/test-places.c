/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many addresses of a session have places of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/places.h"
#include "control/session-folders.h"
#include "tests/harness.h"

static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static struct places places;
static char dir[64];

static void begin(void)
{
    char folder[80];

    handle = xenoprof_open();
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(handle && mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_writer_create(handle, folder, &writer), XENOPROF_OK);
    places = (struct places){.handle = handle};
    places_reset(&places);
}

static void end(void)
{
    struct failure failure;

    places_close(&places);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    CHECK_EQ(session_delete(dir, "s", &failure), 0);
    CHECK_EQ(rmdir(dir), 0);
}

static uint32_t find(uint16_t domain, uint8_t mode, uint64_t ip)
{
    const struct xenoprof_sample sample = {
        .domain = domain, .mode = mode, .ip = ip};
    uint32_t place;

    CHECK_EQ(places_find(&places, writer, &sample, &place), XENOPROF_OK);
    return place;
}

/* Many short-lived domains: Xen's own addresses are the same for each. */
TEST(places_of_xen_are_counted_once)
{
    const uint64_t xen = 0xffff82d040200000ul;

    begin();
    for ( uint16_t domain = 1; domain <= 100; domain++ )
        for ( uint64_t i = 0; i < 10; i++ )
            find(domain, XENOPROF_MODE_XEN, xen + i);
    CHECK_EQ(places.xen_made.count, 10);
    CHECK_EQ(places.made, 0);
    end();
}

/* What is kept at hand of a file means nothing in the next one. */
TEST(places_of_xen_are_new_in_the_next_file)
{
    const uint64_t xen = 0xffff82d040200000ul;
    struct xenoprof_stored sample = {.time = 1, .mode = XENOPROF_MODE_XEN};
    uint32_t first;

    begin();
    first = find(1, XENOPROF_MODE_XEN, xen);
    CHECK_EQ(find(2, XENOPROF_MODE_XEN, xen), first);
    CHECK_EQ(xenoprof_writer_rotate(writer), XENOPROF_OK);
    CHECK_EQ(xenoprof_writer_epoch(writer), 1);
    places_reset(&places);
    sample.place = find(1, XENOPROF_MODE_XEN, xen);
    CHECK(sample.place != first);
    CHECK_EQ(xenoprof_writer_sample(writer, &sample, NULL, 0), XENOPROF_OK);
    end();
}

/* ... and do not vanish when guests have used up their own. */
TEST(places_of_xen_have_their_own_room)
{
    const uint64_t xen = 0xffff82d040200000ul;
    uint32_t unknown, place;

    begin();
    places.made = PLACES_MAX;
    unknown = find(1, XENOPROF_MODE_USER, 0x1000);
    CHECK_EQ(find(1, XENOPROF_MODE_USER, 0x2000), unknown);
    place = find(1, XENOPROF_MODE_XEN, xen);
    CHECK(find(1, XENOPROF_MODE_XEN, xen + 1) != place);
    CHECK(xenoprof_writer_known(writer, 1, XENOPROF_MODE_XEN, xen, &place));
    end();
}
