/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the current guest's memory, with nothing but loads.  Xen's own copy
 * functions populate, unshare, page in and notify introspection tools; and
 * since Xen commit 2efbc2d446 ("x86/HVM: implement memory read caching for insn
 * emulation") (4.14) they fill the cache of an HVM guest's emulator, and Xen
 * crashes the guest when that is full.
 *
 * No lock is held and no reference is taken.  So a table may have become other
 * memory by the time it is read, and may lead anywhere: loads may fault, and
 * report it.  A page that the guest gives up meanwhile stays mapped in Xen; its
 * owner is checked again after the copy, and bytes that another domain has put
 * there are cleared.
 *
 * The interrupted code may hold any of Xen's locks: with sampler timer this
 * runs in the timer softirq, which process_pending_softirqs() also serves, and
 * `stop` commits under hypfs' lock.  So this takes no lock, and a fault in a
 * load takes no lock of Xen that can be held there.
 */
#include "guest-memory.h"
#include "payload-load.h"

#define PAGE           XENOPROF_PAGE_SIZE
#define PV_XEN_START   0xffff800000000000ul
#define PV_XEN_END     0xffff880000000000ul
#define COUNT_BITS_MIN 40u
#define COUNT_BITS_MAX 58u

/* In count_info of every release since 4.17: referenced by its owner, not
 * broken and not being taken offline. */
#define PAGE_ALLOCATED (1ul << XEN_PAGE_ALLOCATED)
#define PAGE_STATE     (PAGE_ALLOCATED | 7ul << 58)

static bool owners_are_known(void)
{
    return facts.page_owner <= facts.page_size - sizeof(uint32_t) &&
           facts.page_count_bits >= COUNT_BITS_MIN &&
           facts.page_count_bits <= COUNT_BITS_MAX;
}

bool guest_memory_known(bool hvm)
{
    return owners_are_known() && guest_tables_known(hvm);
}

/* The direct map has room for frames below this one. */
#define DIRECT_FRAMES ((XEN_DIRECTMAP_END - XEN_DIRECTMAP_START) / PAGE)

/* Xen maps its frame table in pieces of this many bytes.  Each is a number of
 * whole groups of __mfn_valid(), or part of one: so one call for each piece is
 * enough. */
#define TABLE_PIECE (1ul << 21)

static __attribute__((noinline)) bool ask_for_piece(struct guest_tables *tables,
                                                    uint64_t frame,
                                                    uint64_t piece)
{
    if ( !__mfn_valid(frame) )
        return false;
    tables->piece[piece % GUEST_PIECES_KNOWN] = piece;
    return true;
}

/* Returns the frame table's entry for this byte of machine memory, or NULL if
 * there is none or the byte is not in the direct map. */
static inline const void *frame_table_entry(struct guest_tables *tables,
                                            uint64_t address)
{
    uint64_t frame = address / PAGE;
    uint64_t offset = frame * facts.page_size;
    uint64_t piece = offset / TABLE_PIECE;

    if ( frame >= tables->frames )
        return NULL;
    if ( piece != tables->piece[piece % GUEST_PIECES_KNOWN] &&
         !ask_for_piece(tables, frame, piece) )
        return NULL;
    return (const char *)XEN_FRAME_TABLE + offset;
}

/* Returns where Xen has this byte of machine memory; frame_table_entry() is not
 * NULL. */
static inline const void *direct(uint64_t address)
{
    return (const char *)XEN_DIRECTMAP_START + address;
}

/*
 * Returns whether the frame is the domain's own memory: of its state only
 * PAGE_ALLOCATED is set, and the bits below count at least one reference.
 */
static inline bool owned(const struct guest_tables *tables, const void *frame)
{
    uint64_t state = xen_u64(frame, facts.page_count_info) & tables->state;

    return state - PAGE_ALLOCATED - 1 < tables->count &&
           xen_u32(frame, facts.page_owner) == tables->owner;
}

/* Keeps the processor from speculating past the check of an owner: addresses
 * made from another domain's bytes would show in its caches. */
static void settle(void)
{
    asm volatile("lfence" : : : "memory");
}

/* Tables of the p2m belong to Xen and have no owner to check. */
PAGE_WALK uint64_t read_p2m_entry(void *self, uint64_t address,
                                  unsigned int bytes)
{
    return frame_table_entry(self, address) ? load_entry(direct(address), bytes)
                                            : 0;
}

/* Translates a guest's physical address to a machine address, by Xen's p2m. */
static __attribute__((noinline)) bool by_p2m(struct guest_tables *tables,
                                             uint64_t address, uint64_t *ret)
{
    return address / PAGE <= tables->last_frame &&
           page_walk_p2m(&tables->p2m, address, read_p2m_entry, tables, ret);
}

/* The same for the address of an entry in the guest's tables; the table of the
 * last entry is remembered. */
static inline bool table_by_p2m(struct guest_tables *tables, uint64_t address,
                                uint64_t *ret)
{
    uint64_t frame = address / PAGE;

    if ( tables->table_frame != frame + 1 )
    {
        if ( !by_p2m(tables, address - address % PAGE, &tables->table) )
            return false;
        tables->table_frame = frame + 1;
    }
    *ret = tables->table | address % PAGE;
    return true;
}

/* The root of a 32-bit PV guest belongs to Xen. */
static inline bool is_xens_root(const struct guest_tables *tables,
                                uint64_t address)
{
    return !tables->second && address / PAGE == tables->own.root / PAGE;
}

/* All other tables of a guest are its own memory. */
PAGE_WALK uint64_t read_own_entry(void *self, uint64_t address,
                                  unsigned int bytes)
{
    struct guest_tables *tables = self;
    const void *frame;

    if ( tables->second && !table_by_p2m(tables, address, &address) )
        return 0;
    frame = frame_table_entry(tables, address);
    if ( !frame || !(owned(tables, frame) || is_xens_root(tables, address)) )
        return 0;
    settle();
    return load_entry(direct(address), bytes);
}

/* A PV guest's tables also map Xen. */
static bool is_xens(const struct guest_tables *tables, uint64_t address)
{
    return !tables->second &&
           address - PV_XEN_START < PV_XEN_END - PV_XEN_START;
}

static bool translate(struct guest_tables *tables, uint64_t address,
                      uint64_t *ret)
{
    uint64_t physical = address;

    if ( is_xens(tables, address) )
        return false;
    if ( tables->flat ? address >> 32
                      : !page_walk_guest(&tables->own, address, read_own_entry,
                                         tables, &physical) )
        return false;
    *ret = physical;
    return !tables->second || by_p2m(tables, physical, ret);
}

/* Translates an address; the last page is remembered, for words of one
 * structure.  Whose it is, is asked anew. */
static inline bool find_page(struct guest_tables *tables, uint64_t address,
                             uint64_t *ret)
{
    uint64_t offset = address % PAGE;
    uint64_t page;

    if ( tables->page_of != (address | (PAGE - 1)) )
    {
        /* Behind the last page of a stack there is none, mostly, and the next
         * word that is read is in that page. */
        if ( !translate(tables, address - offset, &page) )
            return false;
        tables->page = page;
        tables->page_of = address | (PAGE - 1);
    }
    *ret = tables->page | offset;
    return true;
}

/* Copies bytes of one page of the machine, perhaps to where dom0 can see them.
 * Returns false if it is not the domain's, or was given up meanwhile: nothing
 * is left of what was copied then. */
static bool copy_from(struct guest_tables *tables, uint64_t at, void *to,
                      uint32_t size)
{
    const void *frame = frame_table_entry(tables, at);

    if ( !frame || !owned(tables, frame) )
        return false;
    settle();
    if ( load_bytes(to, direct(at), size) )
    {
        settle();
        if ( owned(tables, frame) )
            return true;
    }
    memset(to, 0, size);
    return false;
}

/* Copies bytes of one page.  Returns false if the page is not there. */
static bool copy(struct guest_tables *tables, uint64_t address, void *to,
                 uint32_t size)
{
    uint64_t at;

    return find_page(tables, address, &at) && copy_from(tables, at, to, size);
}

/* Nothing is remembered from one reader to the next. */
static void prepare(struct guest_tables *tables)
{
    page_walk_forget(&tables->own);
    page_walk_forget(&tables->p2m);
    tables->table_frame = 0;
    tables->page_of = 0;
    tables->count = (1ul << facts.page_count_bits) - 1;
    tables->state = PAGE_STATE | tables->count;
    tables->owner = ((uintptr_t)tables->domain - XEN_DIRECTMAP_START) >> 12;
    tables->frames = max_page < DIRECT_FRAMES ? max_page : DIRECT_FRAMES;
    for ( unsigned int i = 0; i < GUEST_PIECES_KNOWN; i++ )
        tables->piece[i] = ~0ul;
}

_Static_assert(sizeof(struct guest_tables) <= sizeof(struct port_reader),
               "the port's reader is too small");

/* The root of a kernel that isolates page tables lies beside that of its
 * processes. */
#define ISOLATED_BIT 0x1000ul

bool guest_reader_open(const struct xen_vcpu *vcpu,
                       const struct port_state *guest, enum port_rights rights,
                       struct port_reader *reader)
{
    struct guest_tables *ret = (struct guest_tables *)reader;
    struct port_state as = *guest;

    if ( rights != PORT_RIGHTS_CURRENT )
        as.mode = rights == PORT_RIGHTS_USER ? XENOPROF_MODE_USER
                                             : XENOPROF_MODE_KERNEL;
    if ( !owners_are_known() || !guest_tables_of(vcpu, &as, ret) )
        return false;
    if ( rights == PORT_RIGHTS_ISOLATED_KERNEL && ret->second )
        ret->own.root &= ~ISOLATED_BIT;
    prepare(ret);
    return true;
}

bool port_reader_open(const struct port_state *guest, enum port_rights rights,
                      struct port_reader *ret)
{
    return guest_reader_open(xen_current(), guest, rights, ret);
}

static uint32_t read_bytes(struct guest_tables *tables, uint64_t address,
                           void *to, uint32_t size)
{
    uint32_t part = PAGE - address % PAGE;
    uint32_t done = 0;

    if ( size <= part )
        return copy(tables, address, to, size) ? size : 0;
    while ( done < size )
    {
        if ( part > size - done )
            part = size - done;
        if ( !copy(tables, address + done, (char *)to + done, part) )
            break;
        done += part;
        part = PAGE;
        if ( !(address + done) )
            break; /* the last page of the address space */
    }
    return done;
}

uint32_t port_reader_read(struct port_reader *reader, uint64_t address,
                          void *to, uint32_t size)
{
    return read_bytes((struct guest_tables *)reader, address, to, size);
}

uint32_t port_reader_read_again(struct port_reader *reader, uint64_t address,
                                void *to, uint32_t size, uint64_t *known)
{
    struct guest_tables *tables = (struct guest_tables *)reader;
    uint64_t page = __atomic_load_n(known, __ATOMIC_RELAXED);
    uint64_t offset = address % PAGE;
    bool in_one = size <= PAGE - offset;
    uint32_t done;

    if ( page && in_one && copy_from(tables, page | offset, to, size) )
        return size;
    done = read_bytes(tables, address, to, size);
    page = in_one && done == size ? tables->page : 0;
    /* Of one vCPU, so that there is one writer at a time: relaxed. */
    __atomic_store_n(known, page, __ATOMIC_RELAXED);
    return done;
}
