/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source over a backend of this kit: pages in memory, which each case
 * changes as Xen, or somebody worse, would.
 */
#ifndef XENOPROF_TESTS_UNIT_LIBXENOPROF_RING_KIT_H
#define XENOPROF_TESTS_UNIT_LIBXENOPROF_RING_KIT_H

#include "libxenoprof/backend.h"
#include "tests/harness.h"

#define RING_KIT_PAGE  XENOPROF_PAGE_SIZE
#define RING_KIT_PAGES 64u
#define RING_KIT_RINGS 8u   /* each with up to four pages of data */
#define RING_KIT_FIRST 100u /* frame number of the first page */

/* Pages of the fake host, by what they are for. */
enum {
    RING_KIT_STATUS,
    RING_KIT_TABLE,
    RING_KIT_INDEX,
    RING_KIT_RING_PAGES,
    RING_KIT_DATA = RING_KIT_RING_PAGES + RING_KIT_RINGS
};

struct ring_kit {
    uint64_t memory[RING_KIT_PAGES][RING_KIT_PAGE / 8]
        __attribute__((aligned(4096)));
    int mapped; /* pages that are mapped now */
    struct xenoprof_handle *handle;
    struct xenoprof_source *source;
};

extern struct ring_kit ring_kit;

static inline struct xenoprof_status_page *ring_kit_status(void)
{
    return (void *)ring_kit.memory[RING_KIT_STATUS];
}

static inline uint64_t *ring_kit_slots(void)
{
    return ring_kit.memory[RING_KIT_INDEX];
}

static inline struct xenoprof_ring_page *ring_kit_page(uint32_t number)
{
    return (void *)ring_kit.memory[RING_KIT_RING_PAGES + number];
}

static inline uint8_t *ring_kit_data(uint32_t number)
{
    return (uint8_t *)ring_kit.memory[RING_KIT_DATA + 4 * number];
}

/* Closes the source and makes a host without rings; nothing is open. */
void ring_kit_begin(void);
/* Opens the source. */
enum xenoprof_status ring_kit_open(void);
/* The status page says that rings changed. */
void ring_kit_changed(void);
/* Makes a ring with so many pages of data, or makes it anew. */
void ring_kit_ring(uint32_t number, uint32_t pages);
/* Puts a record at the ring's producer, which moves. */
void ring_kit_record(uint32_t number, uint16_t kind, uint32_t length);

/* The next record of the first ring. */
enum xenoprof_status ring_kit_next(struct xenoprof_view *view);
struct xenoprof_ring_info ring_kit_info(size_t index);

#endif
