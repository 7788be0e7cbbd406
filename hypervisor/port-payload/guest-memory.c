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

/* There is an entry of the frame table for it: asked once for 2 MiB. */
static bool is_frame(struct guest_tables *tables, uint64_t frame)
{
    if ( frame >> 9 == tables->valid )
        return true;
    if ( !__mfn_valid(frame) )
        return false;
    tables->valid = frame >> 9;
    return true;
}

/* Where Xen sees this byte of machine memory, or NULL. */
static const void *direct(struct guest_tables *tables, uint64_t address)
{
    return address < XEN_DIRECTMAP_END - XEN_DIRECTMAP_START &&
                   address >> 12 < max_page && is_frame(tables, address >> 12)
               ? (const char *)XEN_DIRECTMAP_START + address
               : NULL;
}

/* What Xen knows of a page that direct() has found. */
static const void *page_of(uint64_t address)
{
    return (const char *)XEN_FRAME_TABLE + (address >> 12) * facts.page_size;
}

/* It is the domain's own memory. */
static bool owned(const struct guest_tables *tables, uint64_t address)
{
    const void *page = page_of(address);
    uint64_t state = xen_u64(page, facts.page_count_info);

    return (state & PAGE_STATE) == PAGE_ALLOCATED && state & tables->count &&
           xen_u32(page, facts.page_owner) == tables->owner;
}

/* The processor must not guess that a page is the domain's and go on with
 * bytes that are another's: where those lead to would be seen in its caches. */
static void settle(void)
{
    asm volatile("lfence" : : : "memory");
}

/* 0 if it is not there. */
static uint64_t entry_at(const void *place, unsigned int bytes)
{
    uint64_t entry;

    return load_entry(place, bytes, &entry) ? entry : 0;
}

/* Tables of the p2m are Xen's: they have no owner. */
static uint64_t read_p2m_entry(void *self, uint64_t address, unsigned int bytes)
{
    const void *place = direct(self, address);

    return place ? entry_at(place, bytes) : 0;
}

/* The machine address of a guest's physical one. */
static bool machine(struct guest_tables *tables, uint64_t address,
                    uint64_t *ret)
{
    uint64_t frame = address >> 12;
    unsigned int slot = frame % GUEST_FRAMES_KNOWN;

    if ( !tables->second )
    {
        *ret = address;
        return true;
    }
    if ( tables->known[slot].frame != frame + 1 )
    {
        if ( frame > tables->last_frame ||
             !page_walk(&tables->p2m, address & ~0xffful,
                        &tables->known[slot].page) )
            return false;
        tables->known[slot].frame = frame + 1;
    }
    *ret = tables->known[slot].page | (address & 0xfff);
    return true;
}

/* Tables of the guest are its own memory; only a root that Xen keeps for it
 * may be Xen's (a 32-bit PV guest's). */
static uint64_t read_own_entry(void *self, uint64_t address, unsigned int bytes)
{
    struct guest_tables *tables = self;
    bool is_root = !tables->second && address / PAGE == tables->own.root / PAGE;
    const void *place;
    uint64_t at;

    if ( !machine(tables, address, &at) )
        return 0;
    place = direct(tables, at);
    if ( !place || (!is_root && !owned(tables, at)) )
        return 0;
    settle();
    return entry_at(place, bytes);
}

/* A PV guest's tables map Xen as well. */
static bool is_xens(const struct guest_tables *tables, uint64_t address)
{
    return !tables->second && address >= PV_XEN_START && address < PV_XEN_END;
}

static bool translate(struct guest_tables *tables, uint64_t address,
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
static bool copy(struct guest_tables *tables, uint64_t address, void *to,
                 uint32_t size)
{
    const void *place;
    uint64_t at;

    if ( !translate(tables, address, &at) )
        return false;
    place = direct(tables, at);
    if ( !place || !owned(tables, at) )
        return false;
    settle();
    if ( !load_bytes(to, place, size) )
        return false;
    settle();
    return owned(tables, at);
}

static void prepare(struct guest_tables *tables)
{
    tables->own.read = read_own_entry;
    tables->p2m.read = read_p2m_entry;
    tables->own.self = tables->p2m.self = tables;
    tables->count = (1ul << facts.page_count_bits) - 1;
    tables->owner = ((uintptr_t)tables->domain - XEN_DIRECTMAP_START) >> 12;
    tables->valid = ~0ul;
}

uint32_t port_guest_read(uint64_t address, void *to, uint32_t size)
{
    struct guest_tables tables;
    uint32_t done = 0;

    if ( !facts_suffice() || !guest_tables_now(&tables) )
        return 0;
    prepare(&tables);
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
