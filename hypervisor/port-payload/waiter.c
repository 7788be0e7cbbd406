/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vCPUs that are on no pCPU, and want one or poll an event channel.
 *
 * Such a vCPU's registers are in its structure, or still on the stack of the
 * pCPU that it had last: Xen leaves them there while that pCPU idles, and calls
 * the vCPU dirty.  Nothing keeps Xen from giving it a pCPU meanwhile, so each
 * state is read twice, and what was read in between holds if both agree:
 *
 * - The state and the time since when, by Xen's own account, change before the
 *   vCPU runs.
 * - A pCPU that idles overwrites the registers on its stack only for another
 *   vCPU, which it has made its current one before, and its current registers'
 *   owner after.  The idle vCPU has no registers there.
 *
 * x86 keeps loads in order and stores in order; the compiler is told to.
 */
#include "guest-memory.h"
#include "guest.h"
#include "vcpu-list.h"

#define PAUSED_BLOCKED 1u /* the bit of vcpu.pause_flags for vCPUs that sleep */
#define CLEAN          0xffffffffu

/* Of the processor's flags: one that is always set, and all that may be. */
#define FLAGS_ALWAYS 0x000002ul
#define FLAGS_MAY    0x3f7fd7ul
#define CS_RING      3u

static bool is_waiter_fact_known(uint32_t fact)
{
    return fact != XENOPROF_FACT_ABSENT;
}

bool guest_can_wait(void)
{
    return is_waiter_fact_known(facts.domain_next) &&
           is_waiter_fact_known(facts.vcpu_pause_flags) &&
           is_waiter_fact_known(facts.vcpu_is_running) &&
           is_waiter_fact_known(facts.vcpu_user_regs) &&
           is_waiter_fact_known(facts.vcpu_dirty_cpu) &&
           is_waiter_fact_known(facts.vcpu_poll_evtchn);
}

/* In the order of the program. */
static uint64_t load_in_order(const void *base, uint32_t offset)
{
    return __atomic_load_n((const uint64_t *)((const char *)base + offset),
                           __ATOMIC_ACQUIRE);
}

static uint32_t load_word(const void *base, uint32_t offset)
{
    return __atomic_load_n((const uint32_t *)((const char *)base + offset),
                           __ATOMIC_ACQUIRE);
}

static bool is_running(const struct xen_vcpu *vcpu)
{
    return __atomic_load_n((const uint8_t *)vcpu + facts.vcpu_is_running,
                           __ATOMIC_ACQUIRE);
}

static bool polls(const struct xen_vcpu *vcpu)
{
    return load_word(vcpu, facts.vcpu_poll_evtchn);
}

/* A first look, which costs little: most vCPUs sleep, or run. */
static bool may_wait(const struct xen_vcpu *vcpu)
{
    uint16_t paused = xen_u16(vcpu, facts.vcpu_pause_flags);

    return !is_running(vcpu) &&
           (!paused || (paused == PAUSED_BLOCKED && polls(vcpu)));
}

/* Returns whether it waits, and what Xen accounts for it; a vCPU that polls is
 * blocked for Xen, as one that sleeps is. */
static bool waits(const struct xen_vcpu *vcpu, uint64_t *since,
                  uint64_t *waited)
{
    struct xen_runstate runstate;

    vcpu_runstate_get(vcpu, &runstate);
    *since = runstate.since;
    *waited = runstate.state == XENOPROF_RUNNABLE
                  ? runstate.times[XENOPROF_RUNNABLE]
                  : 0;
    return runstate.state == XENOPROF_RUNNABLE ||
           (runstate.state == XENOPROF_BLOCKED && polls(vcpu));
}

bool port_waiter_next(struct port_vcpus *walk, unsigned int *looks,
                      struct port_waiter *ret)
{
    const struct xen_vcpu *vcpu;

    while ( *looks && (vcpu = vcpu_list_next(walk)) )
    {
        const struct xen_domain *domain = walk->domain;

        --*looks;
        ret->self = vcpu;
        ret->uuid = (const uint8_t *)domain + facts.domain_handle;
        ret->domain = xen_u16(domain, facts.domain_domain_id);
        ret->vcpu = xen_u32(vcpu, facts.vcpu_vcpu_id);
        if ( may_wait(vcpu) && waits(vcpu, &ret->since, &ret->waited) )
            return true;
    }
    return false;
}

bool port_waiter_waits(const struct port_waiter *waiter)
{
    const struct xen_vcpu *vcpu = waiter->self;
    uint64_t since, waited;

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return !is_running(vcpu) && waits(vcpu, &since, &waited) &&
           since == waiter->since;
}

/* Returns where the registers are on the stack of a pCPU, if the idle vCPU is
 * current there and they are this vCPU's; or NULL. */
static const struct port_frame *idle_frame(const struct xen_vcpu *vcpu,
                                           uint32_t pcpu)
{
    const char *end;

    if ( pcpu >= nr_cpu_ids || !port_pcpu_online(pcpu) )
        return NULL;
    end = (const char *)stack_base[pcpu] + XEN_STACK_SIZE;
    if ( load_in_order(end - facts.cpu_info_current_vcpu, 0) !=
             (uintptr_t)idle_vcpu[pcpu] ||
         load_in_order(per_cpu__curr_vcpu + __per_cpu_offset[pcpu], 0) !=
             (uintptr_t)vcpu )
        return NULL;
    return (const struct port_frame *)(end - facts.cpu_info_regs);
}

/* Returns where its registers are, or NULL. */
static const struct port_frame *find_waiter_frame(const struct xen_vcpu *vcpu)
{
    uint32_t pcpu = load_word(vcpu, facts.vcpu_dirty_cpu);

    if ( is_running(vcpu) )
        return NULL;
    return pcpu == CLEAN ? (const struct port_frame *)((const char *)vcpu +
                                                       facts.vcpu_user_regs)
                         : idle_frame(vcpu, pcpu);
}

/* Returns whether its domain may be looked at, as port_current_marks() has
 * it. */
static bool is_well(const struct xen_vcpu *vcpu,
                    const struct xen_domain *domain)
{
    return !xen_u8(domain, facts.domain_is_dying) &&
           !(is_waiter_fact_known(facts.domain_is_shutting_down) &&
             xen_u8(domain, facts.domain_is_shutting_down)) &&
           !xen_pointer(vcpu, facts.vcpu_vm_event) &&
           !(xen_is_hvm(domain) && guest_is_nested(vcpu, domain));
}

/* Returns whether a guest may have this: a wrong fact leads elsewhere.  Xen
 * runs PV guests in outer rings. */
static bool is_likely(const struct port_state *at)
{
    return at->flags & FLAGS_ALWAYS && !(at->flags & ~FLAGS_MAY) &&
           (at->hvm || at->cs & CS_RING);
}

bool port_waiter_state(const struct port_waiter *waiter, struct port_state *at,
                       struct xenoprof_registers *registers)
{
    const struct xen_vcpu *vcpu = waiter->self;
    const struct port_frame *frame = find_waiter_frame(vcpu);

    if ( !frame || !is_well(vcpu, xen_domain_of(vcpu)) ||
         !guest_in_frame(vcpu, frame, at) || !is_likely(at) )
        return false;
    guest_registers(vcpu, frame, at, registers);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return find_waiter_frame(vcpu) == frame;
}

bool port_waiter_reader(const struct port_waiter *waiter,
                        const struct port_state *at, struct port_reader *ret)
{
    return guest_reader_open(waiter->self, at, PORT_RIGHTS_CURRENT, ret);
}
