/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiled domains of a session, and their rings.
 *
 * A domain is known by its uuid: Xen may give its number to another domain.
 * Commands add and remove domains; second halves find them without a lock, so
 * a removed domain is freed only when every pCPU has left its second half.
 */
#ifndef XENOPROF_HYPERVISOR_DOMAINS_H
#define XENOPROF_HYPERVISOR_DOMAINS_H

#include "directory.h"
#include "windows.h"

#define DOMAIN_ID_MAX  0x7fefu /* higher ones are special to Xen */
#define DOMAINS_BLOCK  256u
#define DOMAINS_BLOCKS ((DOMAIN_ID_MAX + DOMAINS_BLOCK) / DOMAINS_BLOCK)

enum domain_kind { DOMAIN_PASSIVE, DOMAIN_ACTIVE };

struct fetch_list;

struct domain_vcpu {
    struct ring *ring; /* NULL: its pCPU's is used */
    uint64_t waited;   /* wait-sample.c's */
};

struct domain {
    struct domain *next; /* of all; commands and housekeeping only */
    uint16_t id;
    uint8_t uuid[16];
    uint8_t kind; /* enum domain_kind */
    uint8_t gone; /* set when its number has another uuid */
    uint32_t vcpus;
    uint32_t ready;           /* vCPUs that have a ring or go without */
    window_links links;       /* set by commands, read by second halves */
    uint32_t user_link;       /* the same; 0: none */
    struct fetch_list *fetch; /* the same; NULL: none */
    struct domain_vcpu vcpu[];
};

struct domains {
    struct domain *first;
    struct domain **block[DOMAINS_BLOCKS];
    uint32_t count;
    uint8_t any_gone; /* domains_close_gone() has something to do */
};

struct domain_spec {
    uint16_t id;
    uint8_t kind;
    uint8_t uuid[16];
    uint32_t vcpus;
};

/* Adds a domain, as yet without rings.  Returns it, or NULL without memory.
 * [command] */
struct domain *domains_add(struct domains *domains,
                           const struct domain_spec *spec);

/*
 * Gives rings of so many pages to vCPUs that have none, as many as one command
 * may.  Returns true once all vCPUs that there is room for have one, or false:
 * then call again. [command]
 */
bool domain_add_rings(struct domain *domain, struct directory *directory,
                      uint32_t data_pages);
/* Returns the ring of a vCPU, or NULL. [soft] */
static inline struct ring *domain_ring(const struct domain *domain,
                                       uint16_t vcpu)
{
    /* Acquire, with domain_add_rings(): a ring that is found is complete. */
    return vcpu < domain->vcpus
               ? __atomic_load_n(&domain->vcpu[vcpu].ring, __ATOMIC_ACQUIRE)
               : NULL;
}

/* Returns where samples of a vCPU's waits are accounted for, or NULL; at most
 * one pCPU looks at a time. [soft] */
uint64_t *domain_waited(struct domain *domain, uint16_t vcpu);
/* Forgets that of all domains: sampling begins. [command] */
void domains_forget_waits(struct domains *domains);
/* Returns how many vCPUs have none. [command] */
uint32_t domain_without_ring(const struct domain *domain);

/* Returns the domain with this number, or NULL; it stays until the caller
 * leaves its second half. [soft] */
static inline struct domain *domains_find(const struct domains *domains,
                                          uint16_t id)
{
    struct domain **block;

    if ( id > DOMAIN_ID_MAX )
        return NULL;
    /* Acquire, with domain_slot() and domains_add(): what is found is
     * complete. */
    block = __atomic_load_n(&domains->block[id / DOMAINS_BLOCK],
                            __ATOMIC_ACQUIRE);
    if ( !block )
        return NULL;
    return __atomic_load_n(&block[id % DOMAINS_BLOCK], __ATOMIC_ACQUIRE);
}

/* Its number has another uuid now. [soft] */
void domain_mark_gone(struct domains *domains, struct domain *domain);
static inline bool domain_is_gone(const struct domain *domain)
{
    return __atomic_load_n(&domain->gone, __ATOMIC_RELAXED);
}

/* How its kernel's stacks are linked, and how far below their end the stack
 * pointer of a process lies: set by commands, read by second halves. */
void domain_set_links(struct domain *domain, window_links links,
                      uint32_t user_link);
window_links domain_links(const struct domain *domain);
uint32_t domain_user_link(const struct domain *domain);

/* What second halves read in its kernel, or NULL: set by commands.
 * domain_set_fetch() takes a list that was allocated, or NULL, and frees the
 * old one.  Returns true, or false if a pCPU did not leave its second half in
 * time: then the old one stays, and the caller keeps the list. [command] */
bool domain_set_fetch(struct domain *domain, struct fetch_list *fetch);
static inline struct fetch_list *domain_fetch(const struct domain *domain)
{
    /* Acquire, with domain_set_fetch(): a list that is found is complete. */
    return __atomic_load_n(&domain->fetch, __ATOMIC_ACQUIRE);
}

/* Removes a domain; its rings are closed and stay until they are released.
 * Returns true, or false if a pCPU did not leave its second half in time: the
 * domain is marked gone then, and the caller may try again. [command] */
bool domains_remove(struct domains *domains, struct directory *directory,
                    struct domain *domain);

/* Closes the rings of domains that were marked gone since the last call.
 * Returns true if any ring was open until now.  One caller at a time. [soft] */
bool domains_close_gone(struct domains *domains, struct directory *directory);

/* Frees all domains; no pCPU may be in a second half.  The directory owns the
 * rings. [command] */
void domains_free(struct domains *domains);

#endif
