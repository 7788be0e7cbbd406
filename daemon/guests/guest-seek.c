/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that are looked for before Xen samples: what Xen says of a guest's
 * vCPUs stands for its first sample.
 */
#include <string.h>

#include "guests.h"

/* vCPUs of a guest that are looked at until one is in its kernel. */
#define VCPUS_SEEN 8u

/* One guest costs no more than another, however many vCPUs it has. */
static bool find_kernel(const struct xen *xen,
                        const struct listed_domain *domain,
                        struct vcpu_kernel *ret)
{
    for ( uint32_t i = 0; i < domain->vcpus && i < VCPUS_SEEN; i++ )
        if ( xen->calls->vcpu_kernel(xen->self, domain, i, ret) == 0 )
            return true;
    return false;
}

static bool is_sought(const struct guests *guests,
                      const struct listed_domain *domain)
{
    const struct guest *guest;

    if ( domain->dying ||
         (guests->asked &&
          asked_domains_match(guests->asked, domain) == ROLE_OTHER) )
        return false;
    guest = guests_known((struct guests *)guests, domain->id, domain->uuid);
    return !guest ||
           (guest->state == GUEST_NEW && (guest->queued || guest->tries == 0));
}

static enum xenoprof_status seek(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct listed_domain *domain,
                                 uint64_t time)
{
    struct xenoprof_registers registers = {0};
    struct vcpu_kernel kernel;
    struct guest_sample sample = {
        .time = time,
        .domain = domain->id,
        .uuid = domain->uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .registers = &registers,
    };

    if ( !find_kernel(guests->xen, domain, &kernel) )
        return XENOPROF_OK;
    sample.ip = kernel.ip;
    registers.cr3 = kernel.cr3;
    return guests_look(guests, writer, &sample);
}

enum xenoprof_status guests_seek(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct domain_list *list, uint64_t time)
{
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && !guests_are_blind(guests) && i < list->count;
          i++ )
        if ( is_sought(guests, &list->items[i]) )
            code = seek(guests, writer, &list->items[i], time);
    return code;
}

unsigned int guests_sought(const struct guests *guests)
{
    unsigned int count = 0;

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
        count += guests->guests[i].used &&
                 (guests->guests[i].state == GUEST_SEARCHED ||
                  guests->guests[i].queued);
    return count;
}
