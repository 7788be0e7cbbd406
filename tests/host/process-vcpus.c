/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vCPUs of the fake host, sorted.
 */
#include <string.h>

#include "process-private.h"

#define VCPUS_MAX 8192u

static struct xenoprof_wait vcpus[VCPUS_MAX];
static struct process_waiter waiters[VCPUS_MAX]; /* the same, when they wait */
static uint32_t count;

void process_reset_vcpus(void)
{
    count = 0;
}

static bool is_before(uint32_t at, uint16_t domain, uint32_t vcpu)
{
    return vcpus[at].domain < domain ||
           (vcpus[at].domain == domain && vcpus[at].vcpu < vcpu);
}

/* Returns where the vCPU is, or would be. */
static uint32_t place_of(uint16_t domain, uint32_t vcpu)
{
    uint32_t low = 0, high = count;

    while ( low < high )
    {
        uint32_t middle = (low + high) / 2;

        if ( is_before(middle, domain, vcpu) )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(uint32_t at, uint16_t domain, uint16_t vcpu)
{
    return at < count && vcpus[at].domain == domain && vcpus[at].vcpu == vcpu;
}

void process_set_wait(const struct xenoprof_wait *wait)
{
    uint32_t at = place_of(wait->domain, wait->vcpu);

    if ( !is_at(at, wait->domain, wait->vcpu) )
    {
        if ( count == VCPUS_MAX )
            process_fail("more than %u vCPUs", VCPUS_MAX);
        memmove(&vcpus[at + 1], &vcpus[at], (count - at) * sizeof(*vcpus));
        memmove(&waiters[at + 1], &waiters[at],
                (count - at) * sizeof(*waiters));
        waiters[at] = (struct process_waiter){.whole = false};
        count++;
    }
    vcpus[at] = *wait;
    memcpy(vcpus[at].uuid, process_uuid(wait->domain), sizeof(vcpus[at].uuid));
}

static uint32_t need(uint16_t domain, uint16_t vcpu)
{
    uint32_t at = place_of(domain, vcpu);

    if ( !is_at(at, domain, vcpu) )
        process_fail("there is no vCPU %u of domain %u", vcpu, domain);
    return at;
}

void process_set_waiter(uint16_t domain, uint16_t vcpu,
                        const struct process_waiter *waiter)
{
    waiters[need(domain, vcpu)] = *waiter;
}

void process_end_wait(uint16_t domain, uint16_t vcpu)
{
    uint32_t at = need(domain, vcpu);

    count--;
    memmove(&vcpus[at], &vcpus[at + 1], (count - at) * sizeof(*vcpus));
    memmove(&waiters[at], &waiters[at + 1], (count - at) * sizeof(*waiters));
}

void port_vcpus_from(struct port_vcpus *walk, uint16_t domain, uint32_t vcpu)
{
    process_need(CONTEXT_SOFT, __func__);
    walk->domain = vcpus;
    walk->vcpu = place_of(domain, vcpu);
}

bool port_vcpus_next(struct port_vcpus *walk, struct xenoprof_wait *ret)
{
    process_need(CONTEXT_SOFT, __func__);
    if ( walk->vcpu >= count )
        return false;
    *ret = vcpus[walk->vcpu++];
    return true;
}

static bool waits(uint32_t at)
{
    return vcpus[at].state == XENOPROF_RUNNABLE ||
           (vcpus[at].state == XENOPROF_BLOCKED && waiters[at].polls);
}

bool port_waiter_next(struct port_vcpus *walk, unsigned int *looks,
                      struct port_waiter *ret)
{
    process_need(CONTEXT_SOFT, __func__);
    while ( *looks && walk->vcpu < count )
    {
        uint32_t at = walk->vcpu++;

        --*looks;
        *ret = (struct port_waiter){
            .self = vcpus,
            .uuid = vcpus[at].uuid,
            .since = vcpus[at].since,
            .waited = vcpus[at].state == XENOPROF_RUNNABLE
                          ? vcpus[at].times[XENOPROF_RUNNABLE]
                          : 0,
            .domain = vcpus[at].domain,
            .vcpu = vcpus[at].vcpu,
        };
        if ( waits(at) )
            return true;
    }
    return false;
}

/* Tests remove vCPUs while they are looked at. */
static bool find(const struct port_waiter *waiter, uint32_t *at)
{
    process_need(CONTEXT_SOFT, "port_waiter");
    if ( waiter->self != vcpus )
        process_fail("this vCPU does not wait");
    *at = place_of(waiter->domain, waiter->vcpu);
    return is_at(*at, waiter->domain, waiter->vcpu);
}

bool port_waiter_waits(const struct port_waiter *waiter)
{
    uint32_t at;

    return find(waiter, &at) && waits(at) && vcpus[at].since == waiter->since;
}

bool port_waiter_state(const struct port_waiter *waiter, struct port_state *at,
                       struct xenoprof_registers *registers)
{
    uint32_t index;

    if ( !find(waiter, &index) || !waiters[index].whole )
        return false;
    *at = waiters[index].at;
    *registers = waiters[index].registers;
    return true;
}

bool port_waiter_reader(const struct port_waiter *waiter,
                        const struct port_state *at, struct port_reader *ret)
{
    uint32_t index;

    if ( find(waiter, &index) && waiters[index].at.sp != at->sp )
        process_fail("this is not where the vCPU is");
    ret->words[READER_PCPU] = process_here().pcpu;
    ret->words[READER_RIGHTS] = PORT_RIGHTS_CURRENT;
    ret->words[READER_WAITER] = ((uint64_t)waiter->domain << 16 |
                                 waiter->vcpu) +
                                1;
    return process_host()->waiter_memory;
}
