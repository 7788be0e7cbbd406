/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that dom0 may map: order 0, from Xen's heap, owned by DOMID_XEN.
 *
 * They are given back by dropping the reference that Xen's allocation holds;
 * put_page() unlinks such a page from its owner when the last reference goes
 * and never frees it, so that it is ours to free once the count is 0.
 */
#include "xen.h"

static uint64_t frame_of(const void *page)
{
    return ((uintptr_t)page - XEN_DIRECTMAP_START) >> 12;
}

static struct xen_page *entry_of(const void *page)
{
    return (void *)(XEN_FRAME_TABLE + frame_of(page) * facts.page_size);
}

static uint64_t *count_of(const void *page)
{
    return (uint64_t *)((char *)entry_of(page) + facts.page_count_info);
}

void *port_page_share(enum port_access access)
{
    void *page = alloc_xenheap_pages(0, 0);

    if ( !page )
        return NULL;
    memset(page, 0, XENOPROF_PAGE_SIZE);
    share_xen_page_with_guest(entry_of(page), dom_xen,
                              access == PORT_DOM0_WRITES ? XEN_SHARE_WRITABLE
                                                         : XEN_SHARE_READONLY);
    return page;
}

uint64_t port_page_mfn(const void *page)
{
    return frame_of(page);
}

bool port_page_reap(void *page)
{
    const uint64_t mask = (1ul << facts.page_count_bits) - 1;

    if ( __atomic_load_n(count_of(page), __ATOMIC_ACQUIRE) & mask )
        return false;
    free_xenheap_pages(page, 0);
    return true;
}

bool port_page_unshare(void *page)
{
    const uint64_t bit = 1ul << XEN_PAGE_ALLOCATED;

    if ( __atomic_fetch_and(count_of(page), ~bit, __ATOMIC_SEQ_CST) & bit )
        put_page(entry_of(page));
    return port_page_reap(page);
}
