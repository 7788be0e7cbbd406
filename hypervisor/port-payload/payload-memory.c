/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory from Xen's heap: in small pieces, and in whole pages near a pCPU.
 *
 * A debug build asserts in each function that frees that interrupts are on:
 * Xen commits e890b68599 ("page_alloc: assert IRQs are enabled in heap
 * alloc/free") and 5047cd1d5d ("xen/common: Use enhanced ASSERT_ALLOC_CONTEXT
 * in xmalloc()") (4.17).  They are off while the module is unloaded, so nothing
 * is freed there then, but counted.  In other builds as much is freed as a
 * usual host's rings have; the rings of a large host may have four times that.
 */
#include "payload.h"

static bool held, unloads;
static unsigned int pages_left; /* that an unload may still look at */
static unsigned long held_pages, held_bytes;

bool memory_is_held(void)
{
    return held;
}

void memory_unloads(void)
{
    held = optional.ASSERT_NOT_IN_ATOMIC;
    unloads = true;
    pages_left = MEMORY_UNLOAD_PAGES;
}

bool memory_may_free_page(void)
{
    if ( held || (unloads && !pages_left) )
        return false;
    pages_left -= unloads;
    return true;
}

unsigned long memory_held(void)
{
    return held_pages +
           (held_bytes + XENOPROF_PAGE_SIZE - 1) / XENOPROF_PAGE_SIZE;
}

void *port_alloc(unsigned long bytes)
{
    return _xzalloc(bytes, 64);
}

void port_free(void *memory, unsigned long bytes)
{
    if ( !memory )
        return;
    if ( held )
        held_bytes += bytes;
    else
        xfree(memory);
}

/* Xen takes the node of the memory from these flags, and any node for one that
 * it does not know, since Xen commit befe0a0da9 ("mm: MEMF_node should handle
 * changes in nodeid_t size") (4.6). */
unsigned int memory_near(unsigned int pcpu)
{
    const uint8_t *nodes = (const uint8_t *)optional.cpu_to_node;
    uint8_t node = nodes && pcpu < port_pcpus() ? nodes[pcpu] : XEN_NO_NODE;

    return ((node + 1u) & 0xff) << XEN_MEMORY_NODE_SHIFT;
}

static unsigned int order_of_bytes(unsigned long bytes)
{
    unsigned int order = 0;

    while ( bytes > XENOPROF_PAGE_SIZE << order )
        order++;
    return order;
}

void *port_alloc_near(unsigned int pcpu, unsigned long bytes)
{
    void *memory = alloc_xenheap_pages(order_of_bytes(bytes),
                                       memory_near(pcpu));

    if ( memory )
        memset(memory, 0, bytes);
    return memory;
}

void port_free_near(void *memory, unsigned long bytes)
{
    if ( !memory )
        return;
    if ( held )
        held_pages += 1ul << order_of_bytes(bytes);
    else
        free_xenheap_pages(memory, order_of_bytes(bytes));
}

uint64_t port_memory_free(void)
{
    /* Of all nodes, and of any address. */
    return avail_domheap_pages_region(~0u, 0, 0) * XENOPROF_PAGE_SIZE;
}
