/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "window-kit.h"

struct kit_read window_kit_read;

/* The guest's memory: some pages, anywhere. */
static struct {
    uint64_t address;
    uint8_t bytes[PAGE];
} pages[16];
static unsigned int page_count;
unsigned int window_kit_page_reads;
bool window_kit_restless;

static const uint8_t *memory(unsigned int pcpu, uint64_t address)
{
    CHECK_EQ(pcpu, 1);
    window_kit_page_reads++;
    for ( unsigned int i = 0; i < page_count; i++ )
    {
        if ( pages[i].address != address )
            continue;
        if ( window_kit_restless )
            memset(pages[i].bytes, window_kit_page_reads, PAGE);
        return pages[i].bytes;
    }
    return NULL;
}

static uint8_t pattern(uint64_t address)
{
    return address % 251;
}

void window_kit_map(uint64_t address, unsigned int count)
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

void window_kit_put_word(uint64_t address, uint64_t word)
{
    for ( unsigned int i = 0; i < page_count; i++ )
        if ( pages[i].address == address / PAGE * PAGE )
            memcpy(pages[i].bytes + address % PAGE, &word, sizeof(word));
}

struct process_pcpu *window_kit_one(void)
{
    return process_pcpu(1);
}

void window_kit_begin_with(const char *words, const char *kind)
{
    memset(&window_kit_read, 0, sizeof(window_kit_read));
    page_count = window_kit_page_reads = 0;
    window_kit_restless = false;
    process_reset(2);
    CHECK_EQ(kit_command("reserve sampler=nmi frequency=100 mask=603 pages=16 "
                         "queue=0 lease=0 budget=0 %s",
                         words),
             0);
    CHECK_EQ(
        kit_command("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=%s", kind),
        0);
    process_host()->memory = memory;
    process_set_current(1, 5, 1);
    window_kit_one()->frame.at.sp = window_kit_one()->frame.guest.sp =
        KERNEL_SP;
    for ( int i = 0; i < 2; i++ )
    {
        process_pcpu(i)->hold_nmis = true;
        process_pcpu(i)->hold_softirqs = true;
    }
    kit_done("start");
}

void window_kit_begin(void)
{
    window_kit_begin_with("", "passive");
}

void window_kit_set_sp(uint64_t sp)
{
    window_kit_one()->frame.at.sp = window_kit_one()->frame.guest.sp = sp;
}

void window_kit_set_mode(enum xenoprof_mode mode)
{
    window_kit_one()->frame.at.mode = window_kit_one()->frame.guest.mode = mode;
}

void window_kit_in_xen(void)
{
    window_kit_one()->frame.at = (struct port_state){
        .ip = 0xffff82d040200000,
        .sp = 0xffff8300bf000000,
        .cs = 0xe008,
        .mode = XENOPROF_MODE_XEN,
    };
}

void window_kit_take_nmi(void)
{
    process_pcpu(0)->hold_softirqs = false;
    while ( !window_kit_one()->nmis_pending )
        process_run_until(process_now() + KIT_MILLISECOND);
    process_pcpu(0)->hold_softirqs = true;
    window_kit_one()->nmis_pending = 0;
    CHECK(process_interrupt(1, NULL));
}

const struct kit_sample *window_kit_sample(void)
{
    uint64_t before = window_kit_read.samples;

    window_kit_take_nmi();
    process_commit(1);
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK_EQ(window_kit_read.samples, before + 1);
    return &window_kit_read.last;
}

void window_kit_end(void)
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

void window_kit_check(const struct kit_window *window, uint64_t address,
                      uint32_t length)
{
    CHECK_EQ(window->head.address, address);
    CHECK_EQ(window->head.length, length);
    for ( uint32_t i = 0; i < length; i++ )
        CHECK_EQ(window->bytes[i], pattern(address + i));
}

bool window_kit_has(const struct kit_sample *got, enum xenoprof_part part)
{
    return got->sample.head.parts & part;
}

int window_kit_count(const struct kit_sample *got)
{
    return window_kit_has(got, XENOPROF_PART_WINDOW) +
           window_kit_has(got, XENOPROF_PART_WINDOW2) +
           window_kit_has(got, XENOPROF_PART_USER_WINDOW);
}
