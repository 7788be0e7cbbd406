/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that dom0 may map, in a machine of a few: what is in them, who may
 * write to them, and when they are freed.
 */
#include <string.h>

#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

enum { FRAMES = 4, ENTRY = 32, COUNT_AT = 8, FRAME = 2 };

#define OWN  (1ul << XEN_PAGE_XEN_HEAP | 1ul << XEN_PAGE_ALLOCATED | 1)
#define DOM0 1ul /* a reference of dom0's */

static uint8_t machine[FRAMES][XENOPROF_PAGE_SIZE]
    __attribute__((aligned(4096)));
static uint64_t frame_table[FRAMES * ENTRY / sizeof(uint64_t)];
static struct xenoprof_facts now = {.page_size = ENTRY,
                                    .page_count_info = COUNT_AT};
static bool available, may_free;
static int access_given; /* -1: none */
static unsigned int freed_entry, freed_page;
struct xen_domain *dom_xen = (struct xen_domain *)machine;

static uint64_t *count(void)
{
    return &frame_table[(FRAME * ENTRY + COUNT_AT) / sizeof(uint64_t)];
}

void *alloc_xenheap_pages(unsigned int order, unsigned int flags)
{
    CHECK_EQ(order, 0);
    CHECK_EQ(flags, 7);
    return available ? machine[FRAME] : NULL;
}

unsigned int memory_near(unsigned int pcpu)
{
    return pcpu + 6;
}

/* From here on dom0 may map it. */
void share_xen_page_with_guest(struct xen_page *page, struct xen_domain *owner,
                               int flags)
{
    CHECK((uint8_t *)page == (uint8_t *)frame_table + FRAME * ENTRY);
    CHECK(owner == dom_xen);
    for ( unsigned int i = 0; i < XENOPROF_PAGE_SIZE; i++ )
        CHECK_EQ(machine[FRAME][i], 0);
    access_given = flags;
}

bool memory_may_free_page(void)
{
    return may_free;
}

/* Xen's own assertions: nobody refers to it, and it is still of its heap. */
void free_domheap_pages(struct xen_page *page, unsigned int order)
{
    CHECK((uint8_t *)page == (uint8_t *)frame_table + FRAME * ENTRY);
    CHECK_EQ(order, 0);
    CHECK_EQ(*count(), 1ul << XEN_PAGE_XEN_HEAP);
    freed_entry++;
}

void free_xenheap_pages(void *pages, unsigned int order)
{
    CHECK(pages == machine[FRAME]);
    CHECK_EQ(order, 0);
    CHECK_EQ(freed_entry, 1);
    freed_page++;
}

/* The code under test, in this machine and with these facts. */
#define facts now
#undef XEN_DIRECTMAP_START
#undef XEN_FRAME_TABLE
#define XEN_DIRECTMAP_START ((uintptr_t)machine)
#define XEN_FRAME_TABLE     ((uintptr_t)frame_table)
#include "hypervisor/port-payload/payload-pages.c"

/* Whoever had the page before has left something in it. */
static void *share(enum port_access access)
{
    memset(machine, 0xa5, sizeof(machine));
    available = may_free = true;
    access_given = -1;
    freed_entry = freed_page = 0;
    *count() = OWN;
    return port_page_share(access, 1);
}

TEST(a_page_is_cleared_before_it_is_shared)
{
    CHECK(share(PORT_DOM0_READS) == machine[FRAME]);
    CHECK_EQ(machine[FRAME - 1][XENOPROF_PAGE_SIZE - 1], 0xa5);
    CHECK_EQ(machine[FRAME + 1][0], 0xa5);
    CHECK_EQ(port_page_mfn(machine[FRAME]), FRAME);
}

TEST(dom0_writes_only_where_it_may)
{
    share(PORT_DOM0_READS);
    CHECK_EQ(access_given, XEN_SHARE_READONLY);
    share(PORT_DOM0_WRITES);
    CHECK_EQ(access_given, XEN_SHARE_WRITABLE);
}

TEST(a_page_that_there_is_not_is_not_shared)
{
    share(PORT_DOM0_READS);
    available = false;
    access_given = -1;
    CHECK(!port_page_share(PORT_DOM0_READS, 1));
    CHECK_EQ(access_given, -1);
}

TEST(a_page_that_dom0_maps_is_not_freed)
{
    void *page = share(PORT_DOM0_READS);

    *count() += DOM0;
    CHECK(!port_page_unshare(page));
    CHECK_EQ(*count(), OWN + DOM0);
    CHECK_EQ(freed_page, 0);
    *count() -= DOM0;
    CHECK(port_page_reap(page));
    CHECK_EQ(freed_page, 1);
}

/* Broken, or going offline. */
TEST(a_page_with_another_flag_is_not_freed)
{
    void *page = share(PORT_DOM0_READS);

    *count() |= 1ul << 58;
    CHECK(!port_page_unshare(page));
    CHECK_EQ(freed_entry + freed_page, 0);
}

TEST(a_page_too_many_for_an_unload_is_not_freed)
{
    void *page = share(PORT_DOM0_WRITES);

    may_free = false;
    CHECK(!port_page_unshare(page));
    CHECK_EQ(*count(), OWN);
    CHECK_EQ(freed_entry + freed_page, 0);
}
