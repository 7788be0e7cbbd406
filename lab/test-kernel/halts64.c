/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event is pending before each HLT, and interrupts are let in just for it,
 * so nothing else leaves the guest: the interrupt comes after the HLT, and its
 * handler (start64.S) returns with interrupts off.
 */
#include <stddef.h>

#include "halts.h"
#include "hypercall.h"

#include <xen/xen.h>
#include <xen/memory.h>
#include <xen/hvm/hvm_op.h>
#include <xen/hvm/params.h>

#define VECTOR          0x40u
#define VIA_VECTOR      (2ull << 56)
#define GATE_INTERRUPTS 0x8e00u /* present, for the kernel, interrupts off */

static struct shared_info shared __attribute__((aligned(4096)));

/* In start64.S. */
void halts_once(volatile uint8_t *pending);
void halts_wake(void);

/* Of two words a gate; this one's handler is below 4 GiB. */
static uint64_t gates[2 * (VECTOR + 1)];

static void load_gates(void)
{
    uint64_t handler = (uintptr_t)&halts_wake;
    uint16_t code;
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) table = {sizeof(gates) - 1, (uintptr_t)gates};

    asm("mov %%cs, %0" : "=r"(code));
    gates[2 * VECTOR] = (handler & 0xffff) | (uint64_t)code << 16 |
                        (uint64_t)GATE_INTERRUPTS << 32 |
                        (handler & 0xffff0000) << 32;
    asm volatile("lidt %0" : : "m"(table));
}

/* Returns whether Xen makes this vector of events, in that page. */
static bool ask_for_events(void)
{
    struct xen_add_to_physmap map = {
        .domid = DOMID_SELF,
        .space = XENMAPSPACE_shared_info,
        .gpfn = (uintptr_t)&shared >> 12,
    };
    struct xen_hvm_param via = {
        .domid = DOMID_SELF,
        .index = HVM_PARAM_CALLBACK_IRQ,
        .value = VIA_VECTOR | VECTOR,
    };

    return !HYPERCALL(__HYPERVISOR_memory_op, XENMEM_add_to_physmap,
                      (unsigned long)&map) &&
           !HYPERCALL(__HYPERVISOR_hvm_op, HVMOP_set_param,
                      (unsigned long)&via);
}

__attribute__((noinline, noclone)) void halts(unsigned long rounds)
{
    static bool asked, there;

    if ( !asked )
    {
        asked = true;
        load_gates();
        there = ask_for_events();
    }
    while ( there && rounds-- )
        halts_once(&shared.vcpu_info[0].evtchn_upcall_pending);
}
