/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings that a person wrote as text, and folders that are no recording.  A
 * real recording is in test-source-process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxenoprof.h"
#include "tests/harness.h"

static struct xenoprof_handle *handle;
static char folder[64];
static const char *const names[] = {
    "ring-0.text", "ring-7.text", "ring-0.page",   "ring-0.data",
    "status.page", "index.pages", "ring-8191.text"};

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void begin(void)
{
    if ( !handle )
        handle = xenoprof_open();
    strcpy(folder, "/tmp/xenoprof-replay-XXXXXX");
    CHECK(mkdtemp(folder));
}

static void end(void)
{
    for ( size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++ )
        unlink(path_of(names[i]));
    CHECK(!rmdir(folder));
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "w");

    CHECK(file);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

#define UUID "000102030405060708090a0b0c0d0e0f"
#define VCPU                                                                   \
    "# whose\nring kind=vcpu domain=3 vcpu=1 generation=2 uuid=" UUID "\n"
#define EMPTY "ring kind=pcpu domain=0 vcpu=1 generation=1 uuid=" UUID "\n"

TEST(rings_as_text_are_read)
{
    struct xenoprof_source *source;
    struct xenoprof_ring_info info;
    struct xenoprof_status_page status;
    struct xenoprof_view view;

    begin();
    put_text("ring-7.text", VCPU "sample time=5 weight=1\n  registers rax=1\n"
                                 "lost count=3 cause=ring\n"
                                 "sample time=6 weight=1\n");
    put_text("ring-0.text", EMPTY);
    CHECK_EQ(xenoprof_source_replay(handle, folder, &source), XENOPROF_OK);
    CHECK_EQ(xenoprof_source_rings(source), 2);
    CHECK_EQ(xenoprof_ring_next(source, 0, &view), XENOPROF_END);
    CHECK_EQ(xenoprof_ring_info(source, 1, &info), XENOPROF_OK);
    CHECK_EQ(info.ring, 7);
    CHECK_EQ(info.domain, 3);
    CHECK_EQ(info.vcpu, 1);
    CHECK_EQ(info.generation, 2);
    CHECK_EQ(info.uuid[15], 15);
    CHECK_EQ(info.made, 5);
    CHECK_EQ(info.committed, 2);
    CHECK_EQ(info.lost[XENOPROF_LOST_RING], 3);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_OK);
    CHECK_EQ(view.registers->rax, 1);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_OK);
    CHECK_EQ(view.lost->count, 3);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_OK);
    CHECK_EQ(view.sample->time, 6);
    CHECK_EQ(xenoprof_ring_next(source, 1, &view), XENOPROF_END);
    CHECK_EQ(xenoprof_source_status(source, &status), XENOPROF_OK);
    CHECK_EQ(status.state, XENOPROF_STATE_STOPPED);
    CHECK_EQ(status.counters.made, 5);
    xenoprof_source_close(source);
    end();
}

static void refused(const char *why)
{
    struct xenoprof_source *source;

    CHECK(xenoprof_source_replay(handle, folder, &source) != XENOPROF_OK);
    if ( !strstr(xenoprof_message(handle), why) )
        test_fail(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
                  xenoprof_message(handle), why);
}

TEST(a_folder_that_is_no_recording_is_refused)
{
    static uint8_t page[XENOPROF_PAGE_SIZE];
    struct xenoprof_ring_page *ring = (void *)page;

    begin();
    refused("no saved rings");
    put_text("ring-8191.text", EMPTY);
    refused("no saved rings");
    put_text("ring-0.text", "sample weight=1\n");
    refused("the first line must be");
    put_text("ring-0.text", "ring kind=xcpu domain=0 vcpu=0 generation=0 "
                            "uuid=" UUID "\n");
    refused("the first line must be");
    put_text("ring-0.text", EMPTY "sample weight=1\nsamples\n");
    refused("ring-0.text: record text \"samples\"");
    put("ring-0.page", page, 100);
    refused("ring-0.page");
    ring->data_pages = 2;
    put("ring-0.page", page, sizeof(page));
    refused("ring-0.data");
    put("ring-0.data", page, sizeof(page));
    refused("ring-0.data");
    ring->data_pages = 1;
    put("ring-0.page", page, sizeof(page));
    refused("ring 0's page is not valid");
    put("status.page", page, 10);
    refused("status.page");
    put("status.page", page, sizeof(page));
    refused("not a status page");
    end();
}
