/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a guest's memory as the module does it, in a machine of a few pages:
 * what is read, and all that must end a reading.
 */
#include <string.h>

#include "tests/harness.h"
#include "hypervisor/port-payload/guest-memory.h"

#define FRAMES 128u
#define BYTES  4096u
#define FAR    4096u /* entries from one to the next, if they lie far apart */

static uint8_t machine[FRAMES][BYTES] __attribute__((aligned(4096)));
static struct frame {
    uint64_t unused;
    uint64_t count;
    uint64_t as_well;
    uint32_t owner;
    uint32_t order;
} frame_table[FRAMES * FAR];

static struct xenoprof_facts now = {
    .page_size = sizeof(struct frame),
    .page_count_info = 8,
    .page_owner = 24,
    .page_count_bits = 48,
};

static uint64_t some_vcpu;
static const struct xen_vcpu *const current_vcpu = (const void *)&some_vcpu;

/* The code under test, in this machine and with these facts. */
#define facts         now
#define xen_current() current_vcpu
#undef XEN_DIRECTMAP_START
#undef XEN_DIRECTMAP_END
#undef XEN_FRAME_TABLE
#define XEN_DIRECTMAP_START ((uintptr_t)machine)
#define XEN_DIRECTMAP_END   (XEN_DIRECTMAP_START + sizeof(machine))
#define XEN_FRAME_TABLE     ((uintptr_t)frame_table)
#include "hypervisor/port-payload/guest-memory.c"

enum { DOMAIN = 1, OTHER = 2, ROOT = 3, P2M_ROOT = 4, FIRST_FREE = 5 };

#define STACK      0xffffc90000100000ul
#define SP         (STACK + 2000)
#define SIZE       6144u
#define PRESENT    0x3ul
#define NEIGHBOURS 16u   /* frames of one piece, if they lie far apart */
#define AWAY       1000u /* from a frame of the machine to the guest's */

unsigned long max_page;

static struct port_state guest;
static struct guest_tables given;
static unsigned int asked, next;
static bool valid;
static unsigned int invalid; /* this frame and its neighbours are none */
static uint8_t got[SIZE];

_Bool __mfn_valid(unsigned long frame)
{
    CHECK(frame < FRAMES);
    asked++;
    return valid && frame / NEIGHBOURS != invalid / NEIGHBOURS;
}

static struct frame *entry_of(unsigned int frame)
{
    return frame_table + frame * (now.page_size / sizeof(struct frame));
}

bool guest_tables_of(const struct xen_vcpu *vcpu,
                     const struct port_state *state, struct guest_tables *ret)
{
    CHECK(vcpu == current_vcpu);
    memset(ret, 0xa5, sizeof(*ret));
    ret->domain = given.domain;
    ret->flat = given.flat;
    ret->second = given.second;
    ret->last_frame = given.last_frame;
    ret->own.format = given.own.format;
    ret->own.user = state->mode == XENOPROF_MODE_USER;
    ret->own.root = given.own.root;
    ret->p2m.format = given.p2m.format;
    ret->p2m.user = false;
    ret->p2m.root = given.p2m.root;
    return given.domain;
}

static bool tables_are_known;

bool guest_tables_known(bool hvm)
{
    return hvm && tables_are_known;
}

/* As the guest's current mode sees it. */
static uint32_t read_to(uint64_t address, void *to, uint32_t size)
{
    struct port_reader reader;

    return port_reader_open(&guest, PORT_RIGHTS_CURRENT, &reader)
               ? port_reader_read(&reader, address, to, size)
               : 0;
}

static uint32_t read_at(uint64_t address)
{
    memset(got, 0, sizeof(got));
    asked = 0;
    return read_to(address, got, sizeof(got));
}

/* The entry of a level for an address, in tables of four levels whose frame
 * numbers differ from the machine's. */
static uint64_t *entry(unsigned int root, uint64_t address, unsigned int level,
                       unsigned int away)
{
    unsigned int frame = root;

    for ( unsigned int at = 4;; at-- )
    {
        uint64_t index = address >> (12 + 9 * (at - 1)) & 511;
        uint64_t *place = (uint64_t *)machine[frame] + index;

        if ( at == level )
            return place;
        if ( !*place )
            *place = (uint64_t)(next++ + away) << 12 | PRESENT | 4;
        frame = (*place >> 12) - away;
    }
}

static uint64_t *own_entry(uint64_t address, unsigned int level)
{
    return entry(ROOT, address, level, given.second ? AWAY : 0);
}

/* The machine's frame that the entry leads to. */
static unsigned int own_frame(uint64_t address, unsigned int level)
{
    return (*own_entry(address, level) >> 12) - (given.second ? AWAY : 0);
}

static uint64_t *p2m_entry(unsigned int frame)
{
    return entry(P2M_ROOT, (uint64_t)(frame + AWAY) << 12, 1, 0);
}

static void map(uint64_t address)
{
    uint64_t *place = own_entry(address, 1);

    *place = (uint64_t)(next + (given.second ? AWAY : 0)) << 12 | PRESENT | 4;
    memset(machine[next], next, BYTES);
    next++;
}

static void own_all(void)
{
    for ( unsigned int i = 0; i < FRAMES; i++ )
    {
        entry_of(i)->count = 1ul << 63 | 2;
        entry_of(i)->owner = DOMAIN;
    }
}

static void begin(bool second)
{
    memset(machine, 0, sizeof(machine));
    next = FIRST_FREE;
    valid = true;
    invalid = ~0u;
    max_page = FRAMES;
    now.page_size = sizeof(struct frame);
    guest = (struct port_state){.mode = XENOPROF_MODE_KERNEL, .hvm = second};
    given = (struct guest_tables){
        .domain = (const struct xen_domain *)machine[DOMAIN],
        .second = second,
        .last_frame = FRAMES + AWAY,
        .own.format = PAGE_FORMAT_LONG,
        .own.root = (uint64_t)(ROOT + (second ? AWAY : 0)) << 12,
        .p2m.format = PAGE_FORMAT_NPT,
        .p2m.root = (uint64_t)P2M_ROOT << 12,
    };
    own_all();
    for ( unsigned int i = 0; i < 3; i++ )
        map(STACK + i * BYTES);
    for ( unsigned int i = 0; second && i < FRAMES; i++ )
        *p2m_entry(i) = (uint64_t)i << 12 | PRESENT;
}

static void check_whole(void)
{
    CHECK_EQ(read_at(SP), SIZE);
    for ( unsigned int i = 0; i < SIZE; i++ )
        CHECK_EQ(got[i], own_frame(SP + i, 1));
}

TEST(whole_window)
{
    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        check_whole();
        CHECK_EQ(asked, 1);
    }
}

TEST(window_ends_where_nothing_is_mapped)
{
    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        *own_entry(STACK + BYTES, 1) = 0;
        CHECK_EQ(read_at(SP), BYTES - 2000);
        *own_entry(STACK, 1) = 0;
        CHECK_EQ(read_at(SP), 0);
    }
}

/* What a frame's entry may say, and whether the frame is the domain's. */
static const struct {
    uint64_t count;
    uint32_t owner;
    bool is_own;
} states[] = {
    {1ul << 63 | 1, DOMAIN, true},
    {1ul << 63 | 0xfffffffffffful, DOMAIN, true},
    {1ul << 63 | 0x6ful << 48 << 1 | 1, DOMAIN, true}, /* other bits */
    {1ul << 63 | 3ul << 61 | 5, DOMAIN, true},
    {1ul << 63 | 1, OTHER, false},
    {1ul << 63 | 1, 0, false},
    {1ul << 63, DOMAIN, false},
    {1ul << 63 | 1ul << 48, DOMAIN, false},
    {1, DOMAIN, false},
    {3ul << 61 | 7ul << 58 | 0xfffffffffffful, DOMAIN, false},
    {1ul << 63 | 1ul << 58 | 1, DOMAIN, false}, /* broken, going offline */
    {1ul << 63 | 1ul << 59 | 1, DOMAIN, false},
    {1ul << 63 | 1ul << 60 | 1, DOMAIN, false},
    {1ul << 63 | 7ul << 58 | 1, DOMAIN, false},
    {0, DOMAIN, false},
    {~0ul, DOMAIN, false},
};

static void set_state(unsigned int frame, unsigned int state)
{
    own_all();
    entry_of(frame)->count = states[state].count;
    entry_of(frame)->owner = states[state].owner;
}

TEST(pages_that_are_not_the_domains)
{
    for ( int second = 0; second < 2; second++ )
        for ( unsigned int i = 0; i < sizeof(states) / sizeof(*states); i++ )
        {
            begin(second);
            set_state(own_frame(STACK + BYTES, 1), i);
            CHECK_EQ(read_at(SP), states[i].is_own ? SIZE : BYTES - 2000);
            CHECK_EQ(!got[BYTES - 2000], !states[i].is_own);
            set_state(own_frame(STACK, 1), i);
            CHECK_EQ(read_at(SP), states[i].is_own ? SIZE : 0);
            CHECK_EQ(!got[0], !states[i].is_own);
        }
}

TEST(tables_that_are_not_the_domains)
{
    for ( int second = 0; second < 2; second++ )
        for ( unsigned int i = 0; i < sizeof(states) / sizeof(*states); i++ )
            for ( unsigned int level = 2; level <= 4; level++ )
            {
                begin(second);
                set_state(own_frame(STACK, level), i);
                CHECK_EQ(read_at(SP), states[i].is_own ? SIZE : 0);
            }
}

/* The top table of a 32-bit PV guest is Xen's; no other guest's may be. */
TEST(root_that_is_not_the_domains)
{
    begin(false);
    entry_of(ROOT)->owner = OTHER;
    check_whole();
    begin(true);
    entry_of(ROOT)->owner = OTHER;
    CHECK_EQ(read_at(SP), 0);
    /* Nor if the guest and the machine have the same number for it. */
    given.own.root = (uint64_t)ROOT << 12;
    *entry(P2M_ROOT, given.own.root, 1, 0) = given.own.root | PRESENT;
    CHECK_EQ(read_at(SP), 0);
    entry_of(ROOT)->owner = DOMAIN;
    check_whole();
}

/* Tables of the p2m are Xen's own. */
TEST(tables_of_the_p2m_have_no_owner)
{
    begin(true);
    entry_of(P2M_ROOT)->owner = 0;
    entry_of(*entry(P2M_ROOT, (uint64_t)AWAY << 12, 2, 0) >> 12)->owner = 0;
    check_whole();
}

/* The copy itself takes the page away: it goes over the frame's entry.  What it
 * copied may be another domain's, and does not stay. */
TEST(page_that_goes_while_it_is_copied)
{
    for ( int second = 0; second < 2; second++ )
    {
        unsigned int frame;

        begin(second);
        frame = own_frame(STACK, 1);
        CHECK_EQ(read_to(STACK, entry_of(frame), 32), 0);
        CHECK_EQ(entry_of(frame)->owner, 0);
        CHECK_EQ(entry_of(frame)->count, 0);
    }
}

TEST(frames_that_are_none)
{
    for ( int second = 0; second < 2; second++ )
    {
        uint64_t *last;

        begin(second);
        last = own_entry(STACK, 1);
        valid = false;
        CHECK_EQ(read_at(SP), 0);
        valid = true;
        if ( second )
            last = p2m_entry(own_frame(STACK, 1));
        *last = (uint64_t)FRAMES << 12 | PRESENT;
        CHECK_EQ(read_at(SP), 0);
        *last = 0xffffffffff000ul | PRESENT;
        CHECK_EQ(read_at(SP), 0);
        begin(second);
        max_page = own_frame(STACK + BYTES, 1);
        /* Tables of the p2m come after that. */
        CHECK_EQ(read_at(SP), second ? 0 : BYTES - 2000);
        max_page = 1ul << 40; /* more than the direct map has */
        check_whole();
        last = own_entry(STACK, 3);
        *last = 0xffffffffff000ul | PRESENT;
        CHECK_EQ(read_at(SP), 0);
    }
}

/* What is known about one piece of the frame table is not used for another. */
TEST(frames_of_a_piece_that_is_none)
{
    for ( int second = 0; second < 2; second++ )
        for ( unsigned int i = 0; i < FRAMES; i += NEIGHBOURS )
        {
            unsigned int page = FRAMES - 1 - i;

            begin(second);
            now.page_size = FAR * sizeof(struct frame);
            own_all();
            *own_entry(STACK, 1) = (uint64_t)(page + (second ? AWAY : 0))
                                       << 12 |
                                   PRESENT;
            CHECK_EQ(read_at(SP), SIZE);
            invalid = page;
            CHECK_EQ(read_at(SP), 0);
        }
}

TEST(xens_own_addresses)
{
    static const struct {
        uint64_t address;
        bool xens;
    } cases[] = {
        {0xffff800000000000, true},  {0xffff83ffffffe000, true},
        {0xffff87fffffff000, true},  {0xffff880000000000, false},
        {0x00007ffffffff000, false}, {0xfffffffffffff000, false},
    };

    for ( int second = 0; second < 2; second++ )
        for ( unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
        {
            begin(second);
            map(cases[i].address);
            CHECK_EQ(read_at(cases[i].address),
                     cases[i].xens && !second ? 0 : BYTES);
        }
}

TEST(window_ends_with_the_address_space)
{
    begin(false);
    map(0xfffffffffffff000);
    map(0);
    CHECK_EQ(read_at(0xfffffffffffff008), BYTES - 8);
    CHECK_EQ(read_at(0), BYTES);
}

TEST(process_reads_what_a_process_may)
{
    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        guest.mode = XENOPROF_MODE_USER;
        check_whole();
        *own_entry(STACK + BYTES, 1) &= ~4ul;
        CHECK_EQ(read_at(SP), BYTES - 2000);
        *own_entry(STACK, 3) &= ~4ul;
        CHECK_EQ(read_at(SP), 0);
        guest.mode = XENOPROF_MODE_KERNEL;
        check_whole();
    }
}

/* Of a data page and of each table on the way to it. */
TEST(frames_that_the_p2m_does_not_give)
{
    for ( unsigned int level = 1; level <= 4; level++ )
    {
        uint64_t *given_by, before;

        begin(true);
        given_by = p2m_entry(own_frame(STACK, level));
        before = *given_by;
        *given_by = 0;
        CHECK_EQ(read_at(SP), 0);
        *given_by = before | 1ul << 52; /* a sort that is not plain memory */
        CHECK_EQ(read_at(SP), 0);
        *given_by = before | 3ul << 52;
        check_whole();
        given.last_frame = own_frame(STACK, level) + AWAY - 1;
        CHECK_EQ(read_at(SP), 0);
    }
}

TEST(guest_without_paging)
{
    uint64_t address;

    begin(true);
    given.flat = true;
    address = (uint64_t)(own_frame(STACK, 1) + AWAY) << 12;
    CHECK_EQ(read_at(address), SIZE);
    CHECK_EQ(got[0], own_frame(STACK, 1));
    CHECK_EQ(got[BYTES], own_frame(STACK, 1) + 1);
    given.last_frame = ~0ul;
    *entry(P2M_ROOT, 1ul << 32 | address, 1,
           0) = (uint64_t)own_frame(STACK, 1) << 12 | PRESENT;
    CHECK_EQ(read_at(1ul << 32 | address), 0);
}

TEST(nothing_without_tables_or_facts)
{
    begin(false);
    given.domain = NULL;
    CHECK_EQ(read_at(SP), 0);
    begin(false);
    for ( unsigned int bits = 0; bits < 64; bits++ )
    {
        now.page_count_bits = bits;
        CHECK_EQ(read_at(SP), bits >= 40 && bits <= 58 ? SIZE : 0);
    }
    now.page_count_bits = 48;
    now.page_owner = XENOPROF_FACT_ABSENT;
    CHECK_EQ(read_at(SP), 0);
    now.page_owner = 24;
    check_whole();
}

/* What the module says of all guests of a kind. */
TEST(facts_that_show_whose_memory_it_is)
{
    struct xenoprof_facts right = now;

    tables_are_known = true;
    CHECK(guest_memory_known(true));
    CHECK(!guest_memory_known(false));
    now.page_owner = XENOPROF_FACT_ABSENT;
    CHECK(!guest_memory_known(true));
    now = right;
    now.page_count_bits = XENOPROF_FACT_ABSENT;
    CHECK(!guest_memory_known(true));
    now = right;
}

/* Readers ------------------------------------------------------------------ */

static uint32_t read_with(enum port_rights rights)
{
    struct port_reader reader;

    memset(got, 0, sizeof(got));
    if ( !port_reader_open(&guest, rights, &reader) )
        return 0;
    return port_reader_read(&reader, SP, got, 16);
}

TEST(reader_with_the_rights_of_the_kernel)
{
    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        *own_entry(STACK, 1) &= ~4ul;
        guest.mode = XENOPROF_MODE_USER;
        CHECK_EQ(read_with(PORT_RIGHTS_CURRENT), 0);
        CHECK_EQ(read_with(PORT_RIGHTS_KERNEL), 16);
        CHECK_EQ(got[15], own_frame(SP, 1));
        CHECK_EQ(read_with(PORT_RIGHTS_ISOLATED_KERNEL), second ? 0 : 16);
    }
}

/* What only the kernel may read is not the process's. */
TEST(reader_with_the_rights_of_a_process)
{
    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        guest.mode = XENOPROF_MODE_KERNEL;
        CHECK_EQ(read_with(PORT_RIGHTS_USER), 16);
        *own_entry(STACK, 1) &= ~4ul;
        CHECK_EQ(read_with(PORT_RIGHTS_CURRENT), 16);
        CHECK_EQ(read_with(PORT_RIGHTS_USER), 0);
    }
}

/* The kernel's root is the frame before that of its processes.  A PV guest says
 * which one is the kernel's. */
TEST(reader_of_a_kernel_that_isolates_page_tables)
{
    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        memcpy(machine[ROOT - 1], machine[ROOT], BYTES);
        memset(machine[ROOT], 0, BYTES);
        CHECK_EQ(read_with(PORT_RIGHTS_KERNEL), 0);
        CHECK_EQ(read_with(PORT_RIGHTS_ISOLATED_KERNEL), second ? 16 : 0);
    }
}

TEST(reader_of_a_guest_that_cannot_be_read)
{
    begin(false);
    given.domain = NULL;
    CHECK_EQ(read_with(PORT_RIGHTS_KERNEL), 0);
}

/* Each is bounded and checked by itself, whatever those before found. */
TEST(reader_of_several_places)
{
    struct port_reader reader;

    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        CHECK(port_reader_open(&guest, PORT_RIGHTS_KERNEL, &reader));
        for ( unsigned int i = 0; i < 3; i++ )
        {
            CHECK_EQ(port_reader_read(&reader, STACK + i * BYTES, got, 8), 8);
            CHECK_EQ(got[0], own_frame(STACK + i * BYTES, 1));
        }
        entry_of(own_frame(STACK + BYTES, 1))->owner = OTHER;
        CHECK_EQ(port_reader_read(&reader, STACK, got, 8), 8);
        CHECK_EQ(port_reader_read(&reader, STACK + BYTES, got, 8), 0);
        CHECK_EQ(port_reader_read(&reader, STACK + BYTES - 4, got, 8), 4);
        CHECK_EQ(port_reader_read(&reader, STACK + 2 * BYTES, got, 8), 8);
    }
}

static uint32_t read_again(uint64_t *known)
{
    struct port_reader reader;

    memset(got, 0, sizeof(got));
    CHECK(port_reader_open(&guest, PORT_RIGHTS_KERNEL, &reader));
    return port_reader_read_again(&reader, SP, got, 16, known);
}

/* Found once, and then read without the guest's tables, while it is the
 * guest's. */
TEST(reader_of_a_place_that_is_known)
{
    uint64_t known;

    for ( int second = 0; second < 2; second++ )
    {
        unsigned int frame;

        begin(second);
        known = 0;
        frame = own_frame(SP, 1);
        CHECK_EQ(read_again(&known), 16);
        CHECK_EQ(known, frame * BYTES);
        *own_entry(STACK, 2) = 0;
        memset(machine[frame], 0x77, BYTES);
        CHECK_EQ(read_with(PORT_RIGHTS_KERNEL), 0);
        CHECK_EQ(read_again(&known), 16);
        CHECK_EQ(got[15], 0x77);
        entry_of(frame)->owner = OTHER;
        CHECK_EQ(read_again(&known), 0);
        CHECK_EQ(known, 0);
        CHECK_EQ(got[15], 0);
    }
}

/* Where a page ends, nothing is known. */
TEST(reader_of_a_place_in_two_pages)
{
    struct port_reader reader;
    uint64_t known = 0;

    begin(true);
    CHECK(port_reader_open(&guest, PORT_RIGHTS_KERNEL, &reader));
    CHECK_EQ(
        port_reader_read_again(&reader, STACK + BYTES - 8, got, 16, &known),
        16);
    CHECK_EQ(known, 0);
    CHECK_EQ(got[15], own_frame(STACK + BYTES, 1));
    CHECK_EQ(
        port_reader_read_again(&reader, STACK + 3 * BYTES - 8, got, 16, &known),
        8);
    CHECK_EQ(known, 0);
}

/* A page that is not there leaves nothing of the one before. */
TEST(reader_after_a_page_that_is_not_there)
{
    struct port_reader reader;

    for ( int second = 0; second < 2; second++ )
    {
        begin(second);
        if ( second )
            *p2m_entry(own_frame(STACK + BYTES, 1)) = 0;
        else
            *own_entry(STACK + BYTES, 1) = 0;
        CHECK(port_reader_open(&guest, PORT_RIGHTS_KERNEL, &reader));
        CHECK_EQ(port_reader_read(&reader, STACK, got, 8), 8);
        CHECK_EQ(port_reader_read(&reader, STACK + BYTES, got, 8), 0);
        CHECK_EQ(port_reader_read(&reader, STACK, got, 8), 8);
        CHECK_EQ(got[7], own_frame(STACK, 1));
    }
}
