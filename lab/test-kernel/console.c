/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "hypercall.h"
#include "console.h"

#include <xen/xen.h>
#include <xen/event_channel.h>
#include <xen/sched.h>
#include <xen/hvm/hvm_op.h>
#include <xen/hvm/params.h>
#include <xen/io/console.h>

static struct xencons_interface *ring;
static evtchn_port_t port;

static bool get_parameter(uint32_t index, uint64_t *ret)
{
    struct xen_hvm_param wanted = {.domid = DOMID_SELF, .index = index};

    if ( HYPERCALL(__HYPERVISOR_hvm_op, HVMOP_get_param,
                   (unsigned long)&wanted) )
        return false;
    *ret = wanted.value;
    return true;
}

bool console_init(void)
{
    uint64_t frame, channel;

    if ( !get_parameter(HVM_PARAM_CONSOLE_PFN, &frame) || !frame ||
         !get_parameter(HVM_PARAM_CONSOLE_EVTCHN, &channel) )
        return false;
    ring = (void *)(uintptr_t)(frame << 12);
    port = channel;
    return true;
}

static void wake_dom0(void)
{
    struct evtchn_send send = {.port = port};

    HYPERCALL(__HYPERVISOR_event_channel_op, EVTCHNOP_send,
              (unsigned long)&send);
}

static void put(char c)
{
    uint32_t at = ring->out_prod;

    while ( at - __atomic_load_n(&ring->out_cons, __ATOMIC_ACQUIRE) >=
            sizeof(ring->out) )
    {
        wake_dom0();
        HYPERCALL(__HYPERVISOR_sched_op, SCHEDOP_yield);
    }
    ring->out[at % sizeof(ring->out)] = c;
    /* dom0 must see the byte before the index that covers it. */
    __atomic_store_n(&ring->out_prod, at + 1, __ATOMIC_RELEASE);
}

void print(const char *text)
{
    for ( ; *text; text++ )
    {
        if ( *text == '\n' )
            put('\r');
        put(*text);
    }
    wake_dom0();
}

void print_number(long value)
{
    char digits[24];
    size_t at = sizeof(digits) - 1;
    unsigned long rest = value;

    if ( value < 0 )
        rest = -rest;
    digits[at] = 0;
    do
    {
        digits[--at] = '0' + rest % 10;
        rest /= 10;
    } while ( rest );
    if ( value < 0 )
        digits[--at] = '-';
    print(digits + at);
}
