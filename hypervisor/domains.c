/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of profiled domains: changed by commands, searched by second
 * halves without a lock.
 */
#include "domains.h"
#include "presence.h"
#include "hypervisor/fetch/fetch.h"

#define BLOCK_BYTES (DOMAINS_BLOCK * sizeof(struct domain *))

static unsigned long bytes_of_domain(uint32_t vcpus)
{
    return sizeof(struct domain) + vcpus * sizeof(struct domain_vcpu);
}

/* Links are words of which each stands for itself, and so is gone but for
 * domains_close_gone(): relaxed. */
void domain_mark_gone(struct domains *domains, struct domain *domain)
{
    __atomic_store_n(&domain->gone, 1, __ATOMIC_RELAXED);
    /* Release, with domains_close_gone(). */
    __atomic_store_n(&domains->any_gone, 1, __ATOMIC_RELEASE);
}

void domain_set_links(struct domain *domain, window_links links,
                      uint32_t user_link)
{
    __atomic_store_n(&domain->links, links, __ATOMIC_RELAXED);
    __atomic_store_n(&domain->user_link, user_link, __ATOMIC_RELAXED);
}

window_links domain_links(const struct domain *domain)
{
    return __atomic_load_n(&domain->links, __ATOMIC_RELAXED);
}

uint32_t domain_user_link(const struct domain *domain)
{
    return __atomic_load_n(&domain->user_link, __ATOMIC_RELAXED);
}

bool domain_set_fetch(struct domain *domain, struct fetch_list *fetch)
{
    struct fetch_list *old = domain->fetch;

    /* Hidden before it is freed, as in domains_remove(). */
    __atomic_store_n(&domain->fetch, NULL, __ATOMIC_RELEASE);
    if ( old && !presence_wait(PRESENCE_SECOND) )
    {
        __atomic_store_n(&domain->fetch, old, __ATOMIC_RELEASE);
        return false;
    }
    if ( old )
        port_free(old, sizeof(*old));
    /* Release, with domain_fetch(). */
    __atomic_store_n(&domain->fetch, fetch, __ATOMIC_RELEASE);
    return true;
}

static void free_domain(struct domain *domain)
{
    if ( domain->fetch )
        port_free(domain->fetch, sizeof(*domain->fetch));
    port_free(domain, bytes_of_domain(domain->vcpus));
}

/* Blocks stay until the session ends: only a slot changes more than once. */
static struct domain **domain_slot(struct domains *domains, uint16_t id)
{
    struct domain ***block = &domains->block[id / DOMAINS_BLOCK];

    if ( !*block )
    {
        struct domain **fresh = port_alloc(BLOCK_BYTES);

        /* Release, with domains_find(): a block that is found is cleared. */
        __atomic_store_n(block, fresh, __ATOMIC_RELEASE);
    }
    return *block ? &(*block)[id % DOMAINS_BLOCK] : NULL;
}

uint64_t *domain_waited(struct domain *domain, uint16_t vcpu)
{
    return vcpu < domain->vcpus ? &domain->vcpu[vcpu].waited : NULL;
}

void domains_forget_waits(struct domains *domains)
{
    for ( struct domain *one = domains->first; one; one = one->next )
        for ( uint32_t vcpu = 0; vcpu < one->vcpus; vcpu++ )
            one->vcpu[vcpu].waited = 0;
}

uint32_t domain_without_ring(const struct domain *domain)
{
    uint32_t without = 0;

    for ( uint32_t vcpu = 0; vcpu < domain->vcpus; vcpu++ )
        without += !domain->vcpu[vcpu].ring;
    return without;
}

bool domain_add_rings(struct domain *domain, struct directory *directory,
                      uint32_t data_pages)
{
    struct ring_name name = {
        .kind = XENOPROF_RING_VCPU,
        .domain = domain->id,
    };
    struct ring *ring;
    uint32_t rings = pages_piece(ring_bytes(data_pages));

    memcpy(name.uuid, domain->uuid, sizeof(name.uuid));
    for ( ; rings && domain->ready < domain->vcpus; rings-- )
    {
        name.vcpu = domain->ready;
        if ( directory_add(directory, &name, data_pages, &ring) )
        {
            domain->ready = domain->vcpus;
            return true;
        }
        /* Release, with domain_ring(). */
        __atomic_store_n(&domain->vcpu[domain->ready].ring, ring,
                         __ATOMIC_RELEASE);
        domain->ready++;
    }
    return domain->ready == domain->vcpus;
}

struct domain *domains_add(struct domains *domains,
                           const struct domain_spec *spec)
{
    struct domain **slot = domain_slot(domains, spec->id);
    struct domain *domain = slot ? port_alloc(bytes_of_domain(spec->vcpus))
                                 : NULL;

    if ( !domain )
        return NULL;
    domain->id = spec->id;
    domain->kind = spec->kind;
    domain->vcpus = spec->vcpus;
    memcpy(domain->uuid, spec->uuid, sizeof(domain->uuid));
    domain->next = domains->first;
    domains->first = domain;
    domains->count++;
    /* Release, with domains_find(): a domain that is found is complete. */
    __atomic_store_n(slot, domain, __ATOMIC_RELEASE);
    return domain;
}

static bool close_rings(struct domain *domain, struct directory *directory,
                        bool detach)
{
    bool any = false;

    for ( uint32_t vcpu = 0; vcpu < domain->vcpus; vcpu++ )
    {
        struct ring *ring = domain->vcpu[vcpu].ring;

        if ( !ring )
            continue;
        any |= ring_close(ring);
        ring->detached |= detach;
    }
    if ( any )
        directory_changed(directory);
    return any;
}

bool domains_close_gone(struct domains *domains, struct directory *directory)
{
    bool any = false;

    if ( !__atomic_load_n(&domains->any_gone, __ATOMIC_RELAXED) )
        return false;
    /* Cleared first, and acquired: who marks a domain from now on is not
     * overlooked, and who did so before is seen. */
    __atomic_exchange_n(&domains->any_gone, 0, __ATOMIC_ACQUIRE);
    for ( struct domain *one = domains->first; one; one = one->next )
        if ( domain_is_gone(one) )
            any |= close_rings(one, directory, false);
    return any;
}

bool domains_remove(struct domains *domains, struct directory *directory,
                    struct domain *domain)
{
    struct domain **slot = domain_slot(domains, domain->id);
    struct domain **link = &domains->first;

    domain_mark_gone(domains, domain);
    /* Hidden from domains_find() first; the second halves that have found it
     * are waited for, and the full barrier is presence_wait()'s. */
    __atomic_store_n(slot, NULL, __ATOMIC_RELEASE);
    if ( !presence_wait(PRESENCE_SECOND) )
    {
        /* Shown again, as in domains_add(). */
        __atomic_store_n(slot, domain, __ATOMIC_RELEASE);
        return false;
    }
    close_rings(domain, directory, true);
    while ( *link != domain )
        link = &(*link)->next;
    *link = domain->next;
    domains->count--;
    free_domain(domain);
    return true;
}

void domains_free(struct domains *domains)
{
    while ( domains->first )
    {
        struct domain *domain = domains->first;

        domains->first = domain->next;
        free_domain(domain);
    }
    for ( unsigned int i = 0; i < DOMAINS_BLOCKS; i++ )
        if ( domains->block[i] )
            port_free(domains->block[i], BLOCK_BYTES);
    memset(domains, 0, sizeof(*domains));
}
