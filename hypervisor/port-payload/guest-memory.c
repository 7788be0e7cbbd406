/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the current guest's memory, with nothing but loads: the copying
 * functions of Xen fill the emulator's cache of an HVM guest, which kills it
 * when it is full, populate, unshare, page in, and tell introspection tools.
 *
 * No lock is held and no reference is taken.  So a table may be another page's
 * content by the time that it is read, and lead anywhere: loads may fault, and
 * say so.  A page that the guest gives up meanwhile is still mapped; its owner
 * is looked at again after the copy, so that what another domain has put there
 * is thrown away.
 *
 * Whoever interrupts may hold any of Xen's locks: with sampler timer this runs
 * in the timer softirq, which process_pending_softirqs() serves too, and `stop`
 * commits under hypfs' lock.  It takes none; a fault in a load takes none of
 * Xen's that can be held there.
 */
#include "guest-memory.h"
#include "load.h"

#define PAGE           XENOPROF_PAGE_SIZE
#define PV_XEN_START   0xffff800000000000ul
#define PV_XEN_END     0xffff880000000000ul
#define COUNT_BITS_MIN 40u
#define COUNT_BITS_MAX 58u

/* Of count_info in every release: referenced by its owner, not broken, not
 * being taken offline. */
#define PAGE_ALLOCATED (1ul << XEN_PAGE_ALLOCATED)
#define PAGE_STATE     (PAGE_ALLOCATED | 7ul << 58)

static bool facts_suffice(void)
{
    return facts.page_owner <= facts.page_size - sizeof(uint32_t) &&
           facts.page_count_bits >= COUNT_BITS_MIN &&
           facts.page_count_bits <= COUNT_BITS_MAX;
}

/* Where Xen sees this byte of machine memory, or NULL. */
static const void *direct(uint64_t address)
{
    const char *at = (const char *)XEN_DIRECTMAP_START + address;

    return address < XEN_DIRECTMAP_END - XEN_DIRECTMAP_START &&
                   xen_mapped(at) && __mfn_valid(address >> 12)
               ? at
               : NULL;
}

/* It is the domain's own memory.  The address has passed direct(). */
static bool owned(const struct xen_domain *domain, uint64_t address)
{
    const char *page = (const char *)XEN_FRAME_TABLE +
                       (address >> 12) * facts.page_size;
    uint64_t state = xen_u64(page, facts.page_count_info);
    uint32_t owner = ((uintptr_t)domain - XEN_DIRECTMAP_START) >> 12;

    return (state & PAGE_STATE) == PAGE_ALLOCATED &&
           state & ((1ul << facts.page_count_bits) - 1) &&
           xen_u32(page, facts.page_owner) == owner;
}

/* Tables of the p2m are Xen's: they have no owner. */
static bool read_p2m_entry(const void *self, uint64_t address,
                           unsigned int bytes, uint64_t *ret)
{
    const void *place = direct(address);

    (void)self;
    return place && load_entry(place, bytes, ret);
}

/* The machine address of a guest's physical one. */
static bool machine(const struct guest_tables *tables, uint64_t address,
                    uint64_t *ret)
{
    if ( !tables->second )
    {
        *ret = address;
        return true;
    }
    return address >> 12 <= tables->last_frame &&
           page_walk(&tables->p2m, address, ret);
}

/* Tables of the guest are its own memory; only a root that Xen keeps for it
 * may be Xen's (a 32-bit PV guest's). */
static bool read_own_entry(const void *self, uint64_t address,
                           unsigned int bytes, uint64_t *ret)
{
    const struct guest_tables *tables = self;
    bool is_root = !tables->second && address / PAGE == tables->own.root / PAGE;
    const void *place;
    uint64_t at;

    if ( !machine(tables, address, &at) )
        return false;
    place = direct(at);
    return place && (is_root || owned(tables->domain, at)) &&
           load_entry(place, bytes, ret);
}

/* A PV guest's tables map Xen as well. */
static bool is_xens(const struct guest_tables *tables, uint64_t address)
{
    return !tables->second && address >= PV_XEN_START && address < PV_XEN_END;
}

static bool translate(const struct guest_tables *tables, uint64_t address,
                      uint64_t *ret)
{
    uint64_t physical = address;

    if ( is_xens(tables, address) )
        return false;
    if ( tables->flat ? address >> 32
                      : !page_walk(&tables->own, address, &physical) )
        return false;
    return machine(tables, physical, ret);
}

/* All within one page.  False: it is not there, or it went meanwhile. */
static bool copy(const struct guest_tables *tables, uint64_t address, void *to,
                 uint32_t size)
{
    const void *place;
    uint64_t at;

    if ( !translate(tables, address, &at) )
        return false;
    place = direct(at);
    if ( !place || !owned(tables->domain, at) || !load_bytes(to, place, size) )
        return false;
    /* Without it the owner could be looked at before the bytes are. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return owned(tables->domain, at);
}

uint32_t port_guest_read(uint64_t address, void *to, uint32_t size)
{
    struct guest_tables tables;
    uint32_t done = 0;

    if ( !facts_suffice() || !guest_tables_now(&tables) )
        return 0;
    tables.own.read = read_own_entry;
    tables.own.self = &tables;
    tables.p2m.read = read_p2m_entry;
    while ( done < size && address + done >= address )
    {
        uint32_t part = PAGE - (address + done) % PAGE;

        if ( part > size - done )
            part = size - done;
        if ( !copy(&tables, address + done, (char *)to + done, part) )
            break;
        done += part;
    }
    return done;
}
