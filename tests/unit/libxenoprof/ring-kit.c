/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fake host's pages, and the backend that maps them. */
#include <errno.h>
#include <string.h>

#include "ring-kit.h"

struct ring_kit ring_kit;

static void *fake_map(struct backend *backend, const uint64_t *mfns,
                      size_t count, bool writable)
{
    (void)backend;
    CHECK_EQ(writable, mfns[0] == ring_kit_status()->index_mfn[0]);
    errno = EINVAL;
    for ( size_t i = 0; i < count; i++ )
        if ( mfns[i] != mfns[0] + i || mfns[i] < RING_KIT_FIRST ||
             mfns[i] >= RING_KIT_FIRST + RING_KIT_PAGES )
            return NULL;
    ring_kit.mapped += count;
    return ring_kit.memory[mfns[0] - RING_KIT_FIRST];
}

static void fake_unmap(struct backend *backend, void *pages, size_t count)
{
    (void)backend;
    (void)pages;
    ring_kit.mapped -= count;
}

static void fake_close(struct backend *backend)
{
    (void)backend;
}

static const struct backend_functions functions = {"fake", fake_map, fake_unmap,
                                                   fake_close};
static struct backend backend = {&functions};

void ring_kit_changed(void)
{
    ring_kit_status()->changes++;
}

void ring_kit_ring(uint32_t number, uint32_t pages)
{
    struct xenoprof_ring_page *page = ring_kit_page(number);

    *page = (struct xenoprof_ring_page){
        .magic = XENOPROF_RING_MAGIC,
        .version = XENOPROF_ABI_VERSION,
        .ring = number,
        .generation = 1,
        .domain = 3,
        .vcpu = number,
        .kind = XENOPROF_RING_VCPU,
        .state = XENOPROF_RING_OPEN,
        .uuid = {1, 2, 3},
        .data_pages = pages,
        .made = 10,
        .committed = 7,
        .lost = {1, 2},
    };
    for ( uint32_t i = 0; i < pages; i++ )
        page->data_mfn[i] = RING_KIT_FIRST + RING_KIT_DATA + 4 * number + i;
    ring_kit.memory[RING_KIT_TABLE][number] = RING_KIT_FIRST +
                                              RING_KIT_RING_PAGES + number;
    if ( ring_kit_status()->rings <= number )
        ring_kit_status()->rings = number + 1;
    ring_kit_changed();
}

void ring_kit_begin(void)
{
    struct xenoprof_status_page *status = ring_kit_status();

    xenoprof_source_close(ring_kit.source);
    ring_kit.source = NULL;
    CHECK_EQ(ring_kit.mapped, 0);
    if ( !ring_kit.handle )
        ring_kit.handle = xenoprof_open();
    memset(ring_kit.memory, 0, sizeof(ring_kit.memory));
    status->magic = XENOPROF_STATUS_MAGIC;
    status->version = XENOPROF_ABI_VERSION;
    status->table_mfn[0] = RING_KIT_FIRST + RING_KIT_TABLE;
    status->index_mfn[0] = RING_KIT_FIRST + RING_KIT_INDEX;
}

enum xenoprof_status ring_kit_open(void)
{
    return source_open(ring_kit.handle, &backend,
                       RING_KIT_FIRST + RING_KIT_STATUS, &ring_kit.source);
}

void ring_kit_record(uint32_t number, uint16_t kind, uint32_t length)
{
    struct xenoprof_ring_page *page = ring_kit_page(number);
    uint32_t size = page->data_pages * RING_KIT_PAGE;
    struct xenoprof_record *record = (void *)(ring_kit_data(number) +
                                              page->producer % size);

    memset(record, 0, length);
    *record = (struct xenoprof_record){.kind = kind, .length = length};
    if ( kind == XENOPROF_RECORD_SAMPLE )
        ((struct xenoprof_sample *)record)->weight = 1;
    page->producer += length;
}

enum xenoprof_status ring_kit_next(struct xenoprof_view *view)
{
    return xenoprof_ring_next(ring_kit.source, 0, view);
}

struct xenoprof_ring_info ring_kit_info(size_t index)
{
    struct xenoprof_ring_info ret;

    CHECK_EQ(xenoprof_ring_info(ring_kit.source, index, &ret), XENOPROF_OK);
    return ret;
}
