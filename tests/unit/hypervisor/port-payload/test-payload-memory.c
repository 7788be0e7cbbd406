/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is freed, or in a debug build counted, when the module is
 * unloaded; in a heap that asserts what Xen's does.
 */
#include <stdlib.h>

#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

static struct xen_optional symbols;
static bool interrupts; /* on */
static int allocated;

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);

    CHECK(interrupts && memory);
    allocated++;
    return memory;
}

static void release(void *memory)
{
    if ( symbols.ASSERT_NOT_IN_ATOMIC )
        CHECK(interrupts);
    CHECK(memory);
    allocated--;
    free(memory);
}

void *_xzalloc(unsigned long size, unsigned long align)
{
    (void)align;
    return allocate(size);
}

void xfree(void *memory)
{
    release(memory);
}

void *alloc_xenheap_pages(unsigned int order, unsigned int flags)
{
    (void)flags;
    return allocate(4096ul << order);
}

void free_xenheap_pages(void *pages, unsigned int order)
{
    (void)order;
    release(pages);
}

unsigned long avail_domheap_pages_region(unsigned int node,
                                         unsigned int min_width,
                                         unsigned int max_width)
{
    (void)node;
    (void)min_width;
    (void)max_width;
    return 3;
}

unsigned int port_pcpus(void)
{
    return 2;
}

/* The code under test. */
#define optional symbols
#include "hypervisor/port-payload/payload-memory.c"

static void begin(bool debug)
{
    symbols = (struct xen_optional){.ASSERT_NOT_IN_ATOMIC = debug ? "" : NULL};
    held = unloads = false;
    held_pages = held_bytes = 0;
    interrupts = true;
    allocated = 0;
}

/* What is left to the unload hook. */
static void unload(void *small, void *large)
{
    interrupts = false;
    memory_unloads();
    port_free(small, 4000);
    port_free(NULL, 4000);
    port_free_near(large, 3 * 4096);
    port_free_near(NULL, 4096);
}

TEST(a_release_build_frees_all)
{
    void *small, *large;

    begin(false);
    small = port_alloc(4000);
    large = port_alloc_near(0, 3 * 4096);
    unload(small, large);
    CHECK(!memory_is_held());
    CHECK_EQ(allocated, 0);
    CHECK_EQ(memory_held(), 0);
}

TEST(a_debug_build_frees_nothing_in_the_hook)
{
    void *small, *large, *before;

    begin(true);
    before = port_alloc_near(1, 1);
    small = port_alloc(4000);
    large = port_alloc_near(0, 3 * 4096);
    port_free_near(before, 1);
    CHECK_EQ(allocated, 2);
    unload(small, large);
    CHECK(memory_is_held());
    CHECK_EQ(allocated, 2);
    CHECK_EQ(memory_held(), 4 + 1);
    free(small);
    free(large);
}

/* All pCPUs stand still meanwhile, however many pages there are. */
TEST(an_unload_frees_so_many_pages)
{
    begin(false);
    for ( unsigned int i = 0; i < 2 * MEMORY_UNLOAD_PAGES; i++ )
        CHECK(memory_may_free_page());
    memory_unloads();
    for ( unsigned int i = 0; i < MEMORY_UNLOAD_PAGES; i++ )
        CHECK(memory_may_free_page());
    CHECK(!memory_may_free_page());
    CHECK(MEMORY_UNLOAD_PAGES >= XENOPROF_RING_CEILING / XENOPROF_PAGE_SIZE);
    CHECK(MEMORY_UNLOAD_PAGES <
          XENOPROF_RING_CEILING_LARGE / 2 / XENOPROF_PAGE_SIZE);
    begin(true);
    CHECK(memory_may_free_page());
    memory_unloads();
    CHECK(!memory_may_free_page());
}

/* Small pieces are counted together. */
TEST(pages_are_rounded_up_once)
{
    void *one, *two;

    begin(true);
    one = port_alloc(96);
    two = port_alloc(96);
    memory_unloads();
    CHECK_EQ(memory_held(), 0);
    port_free(one, 96);
    port_free(two, 96);
    CHECK_EQ(memory_held(), 1);
    CHECK_EQ(port_memory_free(), 3 * 4096);
    free(one);
    free(two);
}

TEST(the_node_of_a_pcpu)
{
    static const char nodes[] = {1, 7};

    begin(false);
    CHECK_EQ(memory_near(0), 0);
    symbols.cpu_to_node = nodes;
    CHECK_EQ(memory_near(1), 8 << 16);
    CHECK_EQ(memory_near(PORT_ANYWHERE), 0);
}
