/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's domains and their vCPUs.
 *
 * Xen frees both by RCU, so what the list shows to a softirq stays until that
 * softirq ends: a pCPU is quiet only between two of them.
 */
#include "vcpu-list.h"

static uint16_t number_of(const struct xen_domain *domain)
{
    return xen_u16(domain, facts.domain_domain_id);
}

static const void *load_pointer(const void *base, uint32_t offset)
{
    /* Acquire, with rcu_assign_pointer(): what is found is complete. */
    return __atomic_load_n((const void *const *)((const char *)base + offset),
                           __ATOMIC_ACQUIRE);
}

static const struct xen_domain *first_domain(void)
{
    return facts.domain_next == XENOPROF_FACT_ABSENT
               ? NULL
               : load_pointer(&domain_list, 0);
}

/* The list is in the order of numbers, which ends this walk if anything is
 * wrong. */
static const struct xen_domain *next_domain(const struct xen_domain *domain)
{
    const struct xen_domain *next = load_pointer(domain, facts.domain_next);

    return next && number_of(next) > number_of(domain) ? next : NULL;
}

void port_vcpus_from(struct port_vcpus *walk, uint16_t domain, uint32_t vcpu)
{
    const struct xen_domain *at = first_domain();

    while ( at && number_of(at) < domain )
        at = next_domain(at);
    walk->domain = at;
    walk->vcpu = at && number_of(at) == domain ? vcpu : 0;
}

/* Returns the domain's next vCPU, or NULL. */
static const struct xen_vcpu *next_vcpu(struct port_vcpus *walk)
{
    const void *vcpus = load_pointer(walk->domain, facts.domain_vcpu);
    uint32_t count = xen_u32(walk->domain, facts.domain_max_vcpus);
    const struct xen_vcpu *vcpu = NULL;

    if ( !vcpus || xen_u8(walk->domain, facts.domain_is_dying) )
        return NULL;
    while ( !vcpu && walk->vcpu < count )
        vcpu = load_pointer(vcpus, walk->vcpu++ * sizeof(vcpu));
    return vcpu;
}

static void look_at_vcpu(const struct xen_domain *domain,
                         const struct xen_vcpu *vcpu, struct xenoprof_wait *ret)
{
    struct xen_runstate runstate;

    vcpu_runstate_get(vcpu, &runstate);
    ret->domain = number_of(domain);
    ret->vcpu = xen_u32(vcpu, facts.vcpu_vcpu_id);
    ret->state = runstate.state;
    ret->reasons = facts.vcpu_pause_flags == XENOPROF_FACT_ABSENT
                       ? XENOPROF_WAIT_UNKNOWN
                       : xen_u16(vcpu, facts.vcpu_pause_flags) &
                             ~XENOPROF_WAIT_UNKNOWN;
    ret->reserved = 0;
    memcpy(ret->uuid, (const char *)domain + facts.domain_handle,
           sizeof(ret->uuid));
    ret->since = runstate.since;
    memcpy(ret->times, runstate.times, sizeof(ret->times));
}

uint64_t port_idle_time(void)
{
    struct xen_runstate runstate;

    vcpu_runstate_get(idle_vcpu[port_pcpu()], &runstate);
    return runstate.times[XENOPROF_RUNNING];
}

const struct xen_vcpu *vcpu_list_next(struct port_vcpus *walk)
{
    while ( walk->domain )
    {
        const struct xen_vcpu *vcpu = next_vcpu(walk);

        if ( vcpu )
            return vcpu;
        walk->domain = next_domain(walk->domain);
        walk->vcpu = 0;
    }
    return NULL;
}

bool port_vcpus_next(struct port_vcpus *walk, struct xenoprof_wait *ret)
{
    const struct xen_vcpu *vcpu = vcpu_list_next(walk);

    if ( vcpu )
        look_at_vcpu(walk->domain, vcpu, ret);
    return vcpu;
}
