/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Xen calls where xenoprof is part of it: nothing comes of it while nobody
 * samples.
 */
#include "hypervisor/core.h"
#include "hypervisor/port-payload/idle.h"
#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

static const uint64_t registers[25];
static unsigned int taken_by_core, looked_at_idle, committed;
static bool claims;
static xen_softirq_handler *handler;

bool core_nmi_taken(const struct port_frame *frame);
bool core_nmi_taken(const struct port_frame *frame)
{
    CHECK(frame == (const void *)registers);
    taken_by_core++;
    return claims;
}

/* Last of all: it changes what the NMI returns to. */
void idle_stay_awake(struct port_frame *frame)
{
    CHECK(frame == (const void *)registers);
    looked_at_idle++;
    CHECK_EQ(looked_at_idle, taken_by_core);
}

void core_before_schedule(void);
void core_before_schedule(void)
{
    committed++;
}

void open_softirq(int number, xen_softirq_handler *to)
{
    CHECK_EQ(number, XEN_SOFTIRQ_COMMIT);
    handler = to;
}

void raise_softirq(unsigned int number)
{
    CHECK_EQ(number, XEN_SOFTIRQ_COMMIT);
    handler();
}

/* The code under test. */
#include "hypervisor/port-xen/xen-hooks.c"

/* Whoever claims it: the idle routine is the same. */
TEST(an_nmi_is_the_core_s_while_it_wants_them)
{
    CHECK(!xenoprof_nmi(registers));
    CHECK_EQ(port_nmi_slot(), PORT_SLOT_FREE);
    CHECK(port_nmi_take());
    CHECK(port_nmi_take());
    CHECK_EQ(port_nmi_slot(), PORT_SLOT_OURS);
    CHECK_EQ(taken_by_core, 0);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        claims = i;
        CHECK_EQ(xenoprof_nmi(registers), claims);
        CHECK_EQ(looked_at_idle, i + 1);
    }
    CHECK(port_nmi_leave());
    CHECK(!port_nmi_leave());
    CHECK(!xenoprof_nmi(registers));
    CHECK_EQ(taken_by_core, 2);
}

/* There is a handler at any time: one may come late. */
TEST(the_softirq_is_the_core_s_while_it_wants_it)
{
    port_unhook_commit();
    port_request_commit();
    CHECK_EQ(committed, 0);
    port_hook_commit();
    port_hook_commit();
    port_request_commit();
    CHECK_EQ(committed, 1);
    port_unhook_commit();
    port_request_commit();
    CHECK_EQ(committed, 1);
}
