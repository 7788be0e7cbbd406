/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that dom0 may map: order 0 of Xen's heap, owned by DOMID_XEN.
 *
 * A page is freed only when ours is the last reference; that reference and the
 * flag of Xen's allocation go in a single step, after which nobody can take
 * another reference.  put_page() would not do: where dom0's unmapping drops the
 * last reference, the count is 0 for a while before Xen has unlinked the page,
 * and a page that is freed in that while crashes the host.
 */
#include "payload.h"

static uint64_t frame_number(const void *page)
{
    return ((uintptr_t)page - XEN_DIRECTMAP_START) >> 12;
}

static struct xen_page *entry_of(const void *page)
{
    return (void *)(XEN_FRAME_TABLE + frame_number(page) * facts.page_size);
}

static uint64_t *count_of(const void *page)
{
    return (uint64_t *)((char *)entry_of(page) + facts.page_count_info);
}

void *port_page_share(enum port_access access, unsigned int pcpu)
{
    void *page = alloc_xenheap_pages(0, memory_near(pcpu));

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
    return frame_number(page);
}

/* Fails if any other flag is set (broken, going offline): such a page must not
 * be freed. */
bool port_page_reap(void *page)
{
    uint64_t only_ours = 1ul << XEN_PAGE_XEN_HEAP | 1ul << XEN_PAGE_ALLOCATED |
                         1;

    if ( !memory_may_free_page() )
        return false;
    /* Xen takes references for dom0 with locked instructions on the same word:
     * either dom0 has one and this fails, or this wins and dom0 gets none. */
    if ( !__atomic_compare_exchange_n(count_of(page), &only_ours,
                                      1ul << XEN_PAGE_XEN_HEAP, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
        return false;
    /* Only removes a page of Xen's heap from its owner; the next call frees. */
    free_domheap_pages(entry_of(page), 0);
    free_xenheap_pages(page, 0);
    return true;
}

bool port_page_unshare(void *page)
{
    return port_page_reap(page);
}
