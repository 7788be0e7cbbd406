/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vCPUs of the fake host, sorted.
 */
#include <string.h>

#include "process-private.h"

#define VCPUS_MAX 8192u

static struct xenoprof_wait vcpus[VCPUS_MAX];
static uint32_t count;

void process_reset_vcpus(void)
{
    count = 0;
}

/* Returns where the vCPU is, or would be. */
static uint32_t place_of(uint16_t domain, uint32_t vcpu)
{
    uint32_t at = 0;

    while ( at < count &&
            (vcpus[at].domain < domain ||
             (vcpus[at].domain == domain && vcpus[at].vcpu < vcpu)) )
        at++;
    return at;
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
        count++;
    }
    vcpus[at] = *wait;
    memcpy(vcpus[at].uuid, process_uuid(wait->domain), sizeof(vcpus[at].uuid));
}

void process_end_wait(uint16_t domain, uint16_t vcpu)
{
    uint32_t at = place_of(domain, vcpu);

    if ( !is_at(at, domain, vcpu) )
        process_fail("there is no vCPU %u of domain %u", vcpu, domain);
    count--;
    memmove(&vcpus[at], &vcpus[at + 1], (count - at) * sizeof(*vcpus));
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
