/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows of guest stack: which samples have them, where they end, and what a
 * guest can do with the links between its stacks.
 */
#include <string.h>

#include "core-kit.h"
#include "hypervisor/windows.h"

#define PAGE      XENOPROF_PAGE_SIZE
#define VCPU_RING kit_ring_of(XENOPROF_RING_VCPU, 5, 1)
#define TASK      0xffffc90000100000ul /* a stack of four pages */
#define TASK_END  (TASK + 4 * PAGE)
#define IRQ       0xfffffe0000200000ul /* another one */
#define IRQ_END   (IRQ + 4 * PAGE)
#define USER      0x7ffd00000000ul
#define LAST_PAGE 0xfffffffffffff000ul
#define KERNEL_SP (TASK_END - 1000)

static struct kit_read read;

/* The guest's memory: some pages, anywhere. */
static struct {
    uint64_t address;
    uint8_t bytes[PAGE];
} pages[16];
static unsigned int page_count;
static unsigned int page_reads;
static bool restless; /* each reading finds other bytes */

static const uint8_t *memory(unsigned int pcpu, uint64_t address)
{
    CHECK_EQ(pcpu, 1);
    page_reads++;
    for ( unsigned int i = 0; i < page_count; i++ )
    {
        if ( pages[i].address != address )
            continue;
        if ( restless )
            memset(pages[i].bytes, page_reads, PAGE);
        return pages[i].bytes;
    }
    return NULL;
}

static uint8_t pattern(uint64_t address)
{
    return address % 251;
}

static void map(uint64_t address, unsigned int count)
{
    for ( unsigned int i = 0; i < count; i++ )
    {
        CHECK(page_count < sizeof(pages) / sizeof(*pages));
        pages[page_count].address = address + i * PAGE;
        for ( uint64_t at = 0; at < PAGE; at++ )
            pages[page_count].bytes[at] = pattern(address + i * PAGE + at);
        page_count++;
    }
}

static void put_word(uint64_t address, uint64_t word)
{
    for ( unsigned int i = 0; i < page_count; i++ )
        if ( pages[i].address == address / PAGE * PAGE )
            memcpy(pages[i].bytes + address % PAGE, &word, sizeof(word));
}

static struct process_pcpu *one(void)
{
    return process_pcpu(1);
}

/* A session with these words added, domain 5 on pCPU 1, sampling. */
static void begin_with(const char *words, const char *kind)
{
    memset(&read, 0, sizeof(read));
    page_count = page_reads = 0;
    restless = false;
    process_reset(2);
    CHECK_EQ(kit_command("reserve sampler=nmi frequency=100 mask=27 pages=16 "
                         "queue=0 lease=0 budget=0 %s",
                         words),
             0);
    CHECK_EQ(
        kit_command("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=%s", kind),
        0);
    process_host()->memory = memory;
    process_set_current(1, 5, 1);
    one()->frame.at.sp = one()->frame.guest.sp = KERNEL_SP;
    for ( int i = 0; i < 2; i++ )
    {
        process_pcpu(i)->hold_nmis = true;
        process_pcpu(i)->hold_softirqs = true;
    }
    kit_done("start");
}

static void begin(void)
{
    begin_with("", "passive");
}

static void set_sp(uint64_t sp)
{
    one()->frame.at.sp = one()->frame.guest.sp = sp;
}

static void set_mode(enum xenoprof_mode mode)
{
    one()->frame.at.mode = one()->frame.guest.mode = mode;
}

static void in_xen(void)
{
    one()->frame.at = (struct port_state){
        .ip = 0xffff82d040200000,
        .sp = 0xffff8300bf000000,
        .cs = 0xe008,
        .mode = XENOPROF_MODE_XEN,
    };
}

/* One more NMI for pCPU 1, asked for as a tick does it. */
static void take_nmi(void)
{
    process_pcpu(0)->hold_softirqs = false;
    while ( !one()->nmis_pending )
        process_run_until(process_now() + KIT_MILLISECOND);
    process_pcpu(0)->hold_softirqs = true;
    one()->nmis_pending = 0;
    CHECK(process_interrupt(1, NULL));
}

static const struct kit_sample *sample(void)
{
    uint64_t before = read.samples;

    take_nmi();
    process_commit(1);
    kit_drain(VCPU_RING, true, &read);
    CHECK_EQ(read.samples, before + 1);
    return &read.last;
}

static void end(void)
{
    for ( int i = 0; i < 2; i++ )
    {
        process_pcpu(i)->hold_nmis = false;
        process_pcpu(i)->hold_softirqs = false;
    }
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

static void check_window(const struct kit_window *window, uint64_t address,
                         uint32_t length)
{
    CHECK_EQ(window->head.address, address);
    CHECK_EQ(window->head.length, length);
    for ( uint32_t i = 0; i < length; i++ )
        CHECK_EQ(window->bytes[i], pattern(address + i));
}

static bool has(const struct kit_sample *got, enum xenoprof_part part)
{
    return got->sample.head.parts & part;
}

/* How many windows it has. */
static int windows_of(const struct kit_sample *got)
{
    return has(got, XENOPROF_PART_WINDOW) + has(got, XENOPROF_PART_WINDOW2);
}

/* Where a window ends ---------------------------------------------------- */

TEST(window_ends_with_the_budget)
{
    const struct kit_sample *got;

    begin();
    map(TASK, 4);
    set_sp(TASK + 16);
    got = sample();
    CHECK_EQ(windows_of(got), 1);
    CHECK_EQ(got->sample.marks, 0);
    check_window(&got->window, TASK + 16, WINDOW_KERNEL_USUAL);
    end();
}

TEST(window_ends_with_the_last_page_of_the_stack)
{
    const struct kit_sample *got;

    begin();
    map(TASK, 4);
    got = sample();
    CHECK_EQ(windows_of(got), 1);
    CHECK_EQ(got->sample.marks, 0);
    check_window(&got->window, KERNEL_SP, 1000);
    end();
}

/* The part is filled up: the kit checks with what. */
TEST(window_of_an_odd_stack_pointer)
{
    begin();
    map(TASK, 4);
    for ( uint64_t odd = 1; odd < 8; odd++ )
    {
        set_sp(TASK_END - 100 + odd);
        check_window(&sample()->window, TASK_END - 100 + odd, 100 - odd);
    }
    end();
}

TEST(window_ends_with_the_address_space)
{
    const struct kit_sample *got;

    begin();
    map(LAST_PAGE, 1);
    map(0, 1);
    kit_done("link id=5 at=8");
    set_sp(LAST_PAGE + 8);
    got = sample();
    CHECK_EQ(windows_of(got), 1);
    check_window(&got->window, LAST_PAGE + 8, PAGE - 8);
    end();
}

TEST(sample_of_a_stack_that_is_not_there)
{
    const struct kit_sample *got;

    begin();
    map(TASK, 3);
    got = sample();
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_NO_STACK);
    CHECK_EQ(windows_of(got), 0);
    CHECK(has(got, XENOPROF_PART_REGISTERS));
    end();
}

TEST(sample_where_no_memory_can_be_read)
{
    begin();
    process_host()->memory = NULL;
    CHECK_EQ(sample()->sample.marks, XENOPROF_MARK_NO_STACK);
    end();
}

/* Which samples have one -------------------------------------------------- */

TEST(window_below_xen)
{
    const struct kit_sample *got;

    begin();
    map(TASK, 4);
    in_xen();
    got = sample();
    CHECK(has(got, XENOPROF_PART_GUEST));
    check_window(&got->window, KERNEL_SP, 1000);
    end();
}

TEST(no_window_of_a_passive_domains_process)
{
    const struct kit_sample *got;

    begin();
    map(USER, 4);
    set_mode(XENOPROF_MODE_USER);
    set_sp(USER + 8);
    for ( int i = 0; i < 2; i++, in_xen() )
    {
        got = sample();
        CHECK_EQ(got->sample.marks, 0);
        CHECK_EQ(windows_of(got), 0);
    }
    CHECK_EQ(page_reads, 0);
    end();
}

TEST(window_of_an_active_domains_process)
{
    const struct kit_sample *got;

    begin_with("", "active");
    map(USER, 4);
    set_mode(XENOPROF_MODE_USER);
    set_sp(USER + 8);
    for ( int i = 0; i < 2; i++, in_xen() )
    {
        got = sample();
        CHECK_EQ(windows_of(got), 1);
        check_window(&got->window, USER + 8, WINDOW_USER_USUAL);
    }
    end();
}

/* A process may write what it likes where its stack ends. */
TEST(no_link_is_followed_from_a_process)
{
    const struct kit_sample *got;

    begin_with("", "active");
    map(USER, 1);
    map(TASK, 4);
    put_word(USER + PAGE - 8, TASK);
    kit_done("link id=5 at=8");
    set_mode(XENOPROF_MODE_USER);
    set_sp(USER + 8);
    got = sample();
    CHECK_EQ(windows_of(got), 1);
    CHECK_EQ(got->window.head.length, PAGE - 8);
    end();
}

TEST(no_window_if_the_guest_moved)
{
    const struct kit_sample *got;

    begin();
    map(TASK, 4);
    take_nmi();
    one()->frame.guest.sp -= 8;
    process_commit(1);
    kit_drain(VCPU_RING, true, &read);
    got = &read.last;
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_MOVED);
    CHECK_EQ(windows_of(got), 0);
    CHECK_EQ(page_reads, 0);
    end();
}

TEST(no_window_where_nothing_may_be_read)
{
    static const uint32_t marks[] = {
        XENOPROF_MARK_NESTED,
        XENOPROF_MARK_DYING,
        XENOPROF_MARK_EVENT,
        XENOPROF_MARK_UNKNOWN,
    };

    begin();
    map(TASK, 4);
    for ( unsigned int i = 0; i < sizeof(marks) / sizeof(*marks); i++ )
    {
        one()->marks = marks[i];
        CHECK_EQ(sample()->sample.marks, marks[i]);
        CHECK_EQ(windows_of(&read.last), 0);
    }
    CHECK_EQ(page_reads, 0);
    end();
}

TEST(no_window_of_a_domain_that_is_not_profiled)
{
    begin();
    map(TASK, 4);
    one()->current.domain = 6;
    take_nmi();
    process_commit(1);
    kit_drain_all(&read);
    CHECK_EQ(read.last.sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK_EQ(windows_of(&read.last), 0);
    CHECK_EQ(page_reads, 0);
    end();
}

/* Budgets ----------------------------------------------------------------- */

TEST(window_of_as_many_bytes_as_asked_for)
{
    begin_with("window=24 user-window=16384", "active");
    map(TASK, 4);
    set_sp(TASK);
    check_window(&sample()->window, TASK, 24);
    map(USER, 5);
    set_mode(XENOPROF_MODE_USER);
    set_sp(USER + 4000);
    check_window(&sample()->window, USER + 4000, 16384);
    end();
}

TEST(no_window_of_no_bytes)
{
    begin_with("window=0 user-window=0", "active");
    map(TASK, 4);
    CHECK_EQ(sample()->sample.marks, 0);
    CHECK_EQ(windows_of(&read.last), 0);
    set_mode(XENOPROF_MODE_USER);
    CHECK_EQ(sample()->sample.marks, 0);
    CHECK_EQ(page_reads, 0);
    end();
}

TEST(windows_that_are_refused)
{
#define RESERVE "reserve sampler=nmi frequency=100 mask=27 queue=0 lease=0 "
    process_reset(1);
    kit_refused(34, "window=16392 is not from 0 to 16384",
                RESERVE "budget=0 pages=16 window=16392");
    kit_refused(34, "user-window=16392 is not from 0 to 16384",
                RESERVE "budget=0 pages=16 user-window=16392");
    kit_refused(22, "windows are multiples of 8 bytes",
                RESERVE "budget=0 pages=16 window=100");
    kit_refused(34, "rings of 4 pages are too small for windows of 8192 bytes",
                RESERVE "budget=0 pages=4");
    kit_done(RESERVE "budget=0 pages=4 user-window=0");
    kit_done("reset");
}

/* The second window ------------------------------------------------------- */

static void begin_linked(const char *links)
{
    begin();
    map(IRQ, 4);
    map(TASK, 4);
    CHECK_EQ(kit_command("link id=5 at=%s", links), 0);
    set_sp(IRQ_END - 1000);
}

TEST(second_window_begins_where_the_link_leads)
{
    const struct kit_sample *got;

    begin_linked("8,16");
    put_word(IRQ_END - 8, KERNEL_SP);
    got = sample();
    CHECK_EQ(windows_of(got), 2);
    CHECK_EQ(got->window.head.address, IRQ_END - 1000);
    CHECK_EQ(got->window.head.length, 1000);
    check_window(&got->window2, KERNEL_SP, 1000);
    end();
}

/* As on Linux' exception stacks: ss is at the end, sp before it. */
TEST(second_link_is_tried_after_the_first)
{
    begin_linked("8,16");
    put_word(IRQ_END - 8, 0x18);
    put_word(IRQ_END - 16, KERNEL_SP);
    check_window(&sample()->window2, KERNEL_SP, 1000);
    end();
}

TEST(second_window_has_what_is_left_of_the_budget)
{
    begin_linked("8");
    set_sp(IRQ_END - 5000);
    put_word(IRQ_END - 8, TASK + 8);
    CHECK_EQ(windows_of(sample()), 2);
    CHECK_EQ(read.last.window.head.length, 5000);
    check_window(&read.last.window2, TASK + 8, WINDOW_KERNEL_USUAL - 5000);
    end();
}

/* Its end, where the link is, was not seen. */
TEST(no_second_window_if_the_budget_ended_the_first)
{
    begin_linked("8");
    put_word(IRQ_END - 8, KERNEL_SP);
    set_sp(IRQ_END - WINDOW_KERNEL_USUAL);
    CHECK_EQ(windows_of(sample()), 1);
    set_sp(IRQ_END - WINDOW_KERNEL_USUAL - 8);
    CHECK_EQ(windows_of(sample()), 1);
    end();
}

TEST(no_second_window_without_links)
{
    begin_linked("");
    put_word(IRQ_END - 8, KERNEL_SP);
    CHECK_EQ(windows_of(sample()), 1);
    kit_done("link id=5 at=8");
    CHECK_EQ(windows_of(sample()), 2);
    kit_done("link id=5 at=");
    CHECK_EQ(windows_of(sample()), 1);
    end();
}

/* A link below the stack pointer is what was there before. */
TEST(no_link_that_is_not_in_the_window)
{
    begin_linked("4096");
    put_word(IRQ_END - 4096, KERNEL_SP);
    CHECK_EQ(windows_of(sample()), 1);
    set_sp(IRQ_END - 4096);
    CHECK_EQ(windows_of(sample()), 2);
    set_sp(IRQ_END - 4);
    kit_done("link id=5 at=8,16,24,32");
    CHECK_EQ(windows_of(sample()), 1);
    end();
}

TEST(links_that_lead_nowhere)
{
    static const uint64_t links[] = {
        0,
        8,
        USER,
        0x7fffffffffffffff,
        IRQ_END - 1000,            /* itself, from its start */
        IRQ_END - 8,               /* to its last word */
        IRQ_END,                   /* what is not there */
        KERNEL_SP + 4,             /* no stack pointer */
        TASK - 8,                  /* not there */
        0x8000000000000000,        /* not canonical */
        0xfeffffffffffffff & ~7ul, /* nor with five levels of tables */
    };

    begin_linked("8");
    map(USER, 1);
    map(0, 1);
    for ( unsigned int i = 0; i < sizeof(links) / sizeof(*links); i++ )
    {
        put_word(IRQ_END - 8, links[i]);
        CHECK_EQ(windows_of(sample()), 1);
        CHECK_EQ(read.last.sample.marks, 0);
    }
    end();
}

TEST(link_to_the_end_of_the_address_space)
{
    begin_linked("8");
    map(LAST_PAGE, 1);
    map(0, 1);
    put_word(IRQ_END - 8, LAST_PAGE + PAGE - 8);
    CHECK_EQ(windows_of(sample()), 2);
    check_window(&read.last.window2, LAST_PAGE + PAGE - 8, 8);
    end();
}

/* Below the first one is not in it; the two may overlap, and end. */
TEST(link_below_the_first_window)
{
    begin_linked("8");
    put_word(IRQ_END - 8, IRQ_END - 1008);
    CHECK_EQ(windows_of(sample()), 2);
    CHECK_EQ(read.last.window2.head.address, IRQ_END - 1008);
    CHECK_EQ(read.last.window2.head.length, 1008);
    end();
}

TEST(no_second_window_unless_asked_for)
{
    memset(&read, 0, sizeof(read));
    begin_linked("8");
    put_word(IRQ_END - 8, KERNEL_SP);
    CHECK_EQ(windows_of(sample()), 2);
    for ( int i = 0; i < 2; i++ )
        process_pcpu(i)->hold_nmis = process_pcpu(i)->hold_softirqs = false;
    kit_done("stop");
    kit_done("reset");
    kit_done("reserve sampler=nmi frequency=100 mask=11 pages=16 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("link id=5 at=8");
    kit_done("start");
    memset(&read, 0, sizeof(read));
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    kit_done("stop");
    kit_drain(VCPU_RING, true, &read);
    CHECK(read.samples > 1);
    CHECK_EQ(windows_of(&read.last), 1);
    kit_done("reset");
}

TEST(links_that_are_refused)
{
    begin();
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=8,16,24,32,40");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=8-16");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=4104");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=0");
    kit_refused(34, "at= takes up to 4 multiples of 8, to 4096",
                "link id=5 at=12");
    kit_refused(22, "at= takes a list such as 8,16", "link id=5 at=8;16");
    kit_refused(2, "domain 6 is not profiled", "link id=6 at=8");
    kit_refused(22, "link needs at=", "link id=5");
    end();
}

/* One stay ---------------------------------------------------------------- */

static unsigned int carried, same;

static void look_at_stay(const struct kit_sample *got)
{
    CHECK(has(got, XENOPROF_PART_GUEST));
    if ( windows_of(got) )
    {
        CHECK_EQ(got->sample.marks, 0);
        CHECK_EQ(got->window.head.length, 1000);
        for ( int i = 0; i < 1000; i++ )
            CHECK_EQ(got->window.bytes[i], 1);
        CHECK_EQ(same, 0);
        carried++;
        return;
    }
    CHECK_EQ(got->sample.marks, XENOPROF_MARK_SAME_STACK);
    same++;
}

TEST(one_reading_serves_all_samples_of_a_stay)
{
    begin();
    map(TASK, 4);
    restless = true;
    carried = same = 0;
    read.each = look_at_stay;
    in_xen();
    for ( int i = 0; i < 6; i++ )
        take_nmi();
    process_commit(1);
    CHECK_EQ(page_reads, 2); /* the one, and the one that is not there */
    kit_drain(VCPU_RING, true, &read);
    CHECK_EQ(carried, 4);
    CHECK_EQ(same, 2);
    read.each = NULL;
    CHECK_EQ(sample()->window.bytes[0], 3);
    end();
}

static void must_carry(const struct kit_sample *got)
{
    CHECK_EQ(got->sample.marks, 0);
    CHECK_EQ(windows_of(got), 1);
}

/* What was lost cannot be pointed to. */
TEST(no_sample_points_to_windows_that_were_lost)
{
    begin();
    map(TASK, 4);
    set_sp(TASK);
    in_xen();
    read.each = must_carry;
    for ( int i = 0; i < 10; i++ )
    {
        take_nmi();
        process_commit(1);
    }
    for ( int i = 0; i < 6; i++ )
        take_nmi();
    process_commit(1);
    kit_drain(VCPU_RING, true, &read);
    CHECK(read.samples < 12);
    CHECK_EQ(VCPU_RING->made, 16);
    end();
}
