/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiled domains of a session, and their rings.
 *
 * A domain is known by its uuid; its number may come back as another domain.
 * Commands add and remove; the second half finds, without a lock: what is
 * removed is freed only when every pCPU has left its second half.
 */
#ifndef XENOPROF_HYPERVISOR_DOMAINS_H
#define XENOPROF_HYPERVISOR_DOMAINS_H

#include "directory.h"
#include "windows.h"

#define DOMAIN_ID_MAX  0x7fefu /* higher ones are special to Xen */
#define DOMAINS_BLOCK  256u
#define DOMAINS_BLOCKS ((DOMAIN_ID_MAX + DOMAINS_BLOCK) / DOMAINS_BLOCK)

enum domain_kind { DOMAIN_PASSIVE, DOMAIN_ACTIVE };

struct domain {
    struct domain *next; /* of all; commands and housekeeping only */
    uint16_t id;
    uint8_t uuid[16];
    uint8_t kind; /* enum domain_kind */
    uint8_t gone; /* set by whoever finds another uuid under its number */
    uint32_t vcpus;
    window_links links;  /* set by commands, read by second halves */
    struct ring *ring[]; /* NULL: no room, it uses its pCPU's */
};

struct domains {
    struct domain *first;
    struct domain **block[DOMAINS_BLOCKS];
    uint32_t count;
};

struct domain_spec {
    uint16_t id;
    uint8_t kind;
    uint8_t uuid[16];
    uint32_t vcpus;
    uint32_t data_pages;
};

/* Profile it.  0, or an enum error: NO_MEMORY.  A vCPU for whose ring there
 * is no room gets none; *without counts them. [command] */
int domains_add(struct domains *domains, struct directory *directory,
                const struct domain_spec *spec, uint32_t *without);

/* The domain profiled under this number, or NULL; good until the caller
 * leaves its second half. [soft] */
struct domain *domains_find(const struct domains *domains, uint16_t id);

/* Another uuid was seen under its number. [soft] */
void domain_mark_gone(struct domain *domain);
bool domain_is_gone(const struct domain *domain);

/* How its kernel's stacks are linked. [command], [soft] */
void domain_set_links(struct domain *domain, window_links links);
window_links domain_links(const struct domain *domain);

/* Its rings are closed, and stay until they are released; the domain is no
 * longer found.  False if a pCPU did not leave its second half in time: the
 * domain is marked gone, try again. [command] */
bool domains_remove(struct domains *domains, struct directory *directory,
                    struct domain *domain);

/* Close the rings of those marked gone; true if any was open until now.  One
 * caller at a time. [soft] */
bool domains_close_gone(struct domains *domains, struct directory *directory);

/* All of them, when nobody is in a second half any more; the rings are the
 * directory's. [command] */
void domains_free(struct domains *domains);

#endif
