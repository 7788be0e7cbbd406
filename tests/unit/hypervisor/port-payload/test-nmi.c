/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who gets an NMI that is sent: those that were noted, as Xen's sender does it,
 * which takes all pCPUs that are there for all others where it may.
 */
#include <stdlib.h>
#include <string.h>

#include "hypervisor/port-payload/idle.h"
#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

#define PCPUS  4u
#define PARKED 3u /* it is there, and not online */

unsigned int nmi_watchdog, nmi_perfctr_msr, nmi_p6_event_width;
xen_nmi_callback *nmi_callback, *saved_nmi_callback;

static unsigned int here;
static bool interrupts;   /* on */
static bool stands_still; /* every pCPU: NMIs are taken at once, */
static unsigned int deaf; /* but by this one; PCPUS: none */
static unsigned int taken_by_core, looked_at_idle;
static bool claims;
static uint64_t now;
static unsigned int got[PCPUS];      /* NMIs */
static unsigned int expected[PCPUS]; /* that were noted */

void interrupts_off(void)
{
    CHECK(interrupts);
    interrupts = false;
}

void interrupts_on(void)
{
    CHECK(!interrupts);
    interrupts = true;
}

/* As Xen's does since its commit 5500d265a2 (4.14). */
void send_IPI_mask(const unsigned long *mask, int vector)
{
    const unsigned long online = (1ul << PCPUS) - 1 - (1ul << PARKED);
    bool to_all = interrupts && (*mask | 1ul << here) == online;

    CHECK_EQ(vector, XEN_NMI_DELIVERY);
    for ( unsigned int i = 0; i < PCPUS; i++ )
        if ( i != here && (to_all || *mask >> i & 1) )
        {
            got[i]++;
            if ( stands_still && i != deaf )
                nmi_callback(NULL, i);
        }
}

void self_nmi(void)
{
    got[here]++;
}

void cpu_raise_softirq(unsigned int pcpu, unsigned int number)
{
    (void)pcpu;
    (void)number;
}

void smp_send_event_check_mask(const unsigned long *mask)
{
    (void)mask;
}

bool core_nmi_taken(const struct port_frame *frame);
bool core_nmi_taken(const struct port_frame *frame)
{
    (void)frame;
    taken_by_core++;
    return claims;
}

/* Last of all: it changes what the NMI returns to. */
void idle_stay_awake(struct port_frame *frame)
{
    (void)frame;
    looked_at_idle++;
    CHECK_EQ(looked_at_idle, taken_by_core);
}

uint64_t port_time(void)
{
    return now += 1000;
}

bool port_pcpu_online(unsigned int pcpu)
{
    return pcpu != PARKED;
}

uint64_t port_msr_read(uint32_t msr)
{
    (void)msr;
    return 0;
}

unsigned int port_pcpu(void)
{
    return here;
}

unsigned int port_pcpus(void)
{
    return PCPUS;
}

void *port_alloc(unsigned long bytes)
{
    return calloc(1, bytes);
}

void port_free(void *memory, unsigned long bytes)
{
    (void)bytes;
    free(memory);
}

static uint8_t port_61;
static unsigned int port_reads;

static uint8_t read_port(uint16_t port)
{
    CHECK_EQ(port, 0x61);
    port_reads++;
    return port_61;
}

/* The code under test. */
#define io_read read_port
#include "hypervisor/port-payload/nmi.c"
#include "hypervisor/port-payload/slots/nmi-slot.c"

static void begin(unsigned int pcpu)
{
    here = pcpu;
    interrupts = true;
    memset(got, 0, sizeof(got));
    memset(expected, 0, sizeof(expected));
    nmi_callback = NULL;
    CHECK(nmi_prepare() && port_nmi_take());
}

static void note(unsigned int pcpu)
{
    port_nmi_note(pcpu);
    expected[pcpu]++;
}

static void check(void)
{
    for ( unsigned int i = 0; i < PCPUS; i++ )
        CHECK_EQ(got[i], expected[i]);
    CHECK(interrupts);
}

static void end(void)
{
    nmi_unload();
    CHECK(!nmi_callback);
}

TEST(those_that_were_noted_get_one)
{
    begin(1);
    note(2);
    port_nmi_send();
    check();
    note(0);
    note(1);
    port_nmi_send();
    check();
    port_nmi_send();
    check();
    end();
}

/* With smt=0 half of the pCPUs of a host of Intel's are parked: not online, but
 * they would be woken by each NMI. */
TEST(one_that_is_parked_gets_none)
{
    begin(1);
    note(0);
    note(2);
    port_nmi_send();
    check();
    CHECK_EQ(got[PARKED], 0);
    end();
}

TEST(nobody_gets_one_where_the_callback_is_another_s)
{
    begin(1);
    port_nmi_note(0);
    port_nmi_note(1);
    nmi_callback = NULL;
    port_nmi_send();
    check();
    CHECK(port_nmi_take());
    port_nmi_send(); /* they are not asked later either */
    check();
    end();
}

static int masks_nmis(struct port_frame *frame, int pcpu)
{
    (void)frame;
    (void)pcpu;
    test_fail(__FILE__, __LINE__, "Xen's own callback got an NMI of ours");
}

/* Also while Xen masks it, and who comes after that keeps it. */
TEST(the_callback_is_nobody_else_s)
{
    begin(1);
    CHECK(port_nmi_leave());
    nmi_callback = masks_nmis;
    CHECK(!port_nmi_take());
    CHECK(nmi_callback == masks_nmis);
    CHECK(!port_nmi_leave());
    CHECK(nmi_callback == masks_nmis);
    nmi_callback = NULL;
    CHECK(port_nmi_take());
    CHECK_EQ(port_nmi_slot(), PORT_SLOT_OURS);
    end();
}

/* Whoever claims it: the idle routine is the same. */
TEST(every_nmi_keeps_the_idle_routine_awake)
{
    begin(1);
    taken_by_core = looked_at_idle = 0;
    for ( unsigned int i = 0; i < 2; i++ )
    {
        claims = i;
        CHECK_EQ(nmi_callback(NULL, 1), i ? XEN_NMI_WANTED : XEN_NMI_NOT_MINE);
        CHECK_EQ(looked_at_idle, i + 1);
    }
    claims = false;
    end();
}

/* In the unload hook: interrupts are off, and Xen has the slot. */
TEST(all_others_are_reached_where_everybody_stands_still)
{
    for ( deaf = 0; deaf <= PCPUS; deaf += PCPUS )
    {
        begin(1);
        interrupts = false;
        stands_still = true;
        taken_by_core = looked_at_idle = 0;
        nmi_callback = masks_nmis;
        now = 0;
        port_nmi_all();
        CHECK(nmi_callback == masks_nmis);
        CHECK(got[0] == 1 && got[1] == 0 && got[2] == 1 && got[PARKED] == 0);
        CHECK_EQ(taken_by_core, deaf == PCPUS ? 2 : 1);
        CHECK_EQ(looked_at_idle, taken_by_core);
        /* One that does not answer is waited for 10 ms. */
        CHECK(deaf == PCPUS ? now < 100000 : now >= 10000000);
        stands_still = false;
        interrupts = true;
        nmi_callback = taken;
        end();
    }
}

/* Firmware may serve the port, and elsewhere it says nothing. */
TEST(the_board_is_asked_on_one_pcpu_only)
{
    here = 0;
    for ( unsigned int value = 0; value < 0x100; value++ )
    {
        port_61 = value;
        CHECK_EQ(port_nmi_external(), value >= 0x40);
    }
    CHECK_EQ(port_reads, 0x100);
    here = 1;
    CHECK(!port_nmi_external());
    CHECK_EQ(port_reads, 0x100);
}
