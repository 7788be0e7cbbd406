/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of pages that dom0 may map.  Pages that dom0 still maps when they are
 * given back are awaited.
 */
#ifndef XENOPROF_HYPERVISOR_PAGES_H
#define XENOPROF_HYPERVISOR_PAGES_H

#include "port.h"

struct pages {
    struct pages *next; /* while awaited */
    unsigned int count;
    void *page[]; /* NULL once it is free */
};

/* Returns whether count more pages would leave less than XENOPROF_MEMORY_FLOOR
 * of the host's memory free, which guests may need. [command] */
bool pages_are_scarce(unsigned int count);

/* Returns count cleared pages, near the pCPU or PORT_ANYWHERE, or NULL if there
 * is not memory for all, or they are scarce. [command] */
struct pages *pages_share(unsigned int count, enum port_access access,
                          unsigned int pcpu);

/* Returns how many pieces of so many bytes one command may make: pages are
 * cleared one by one, and meanwhile no guest runs on this pCPU. */
uint32_t pages_piece(uint64_t bytes);

/* Gives all pages back and frees the set; what dom0 still maps is awaited.
 * Takes NULL. [command] */
void pages_give_back(struct pages *pages);

/* Frees the awaited pages that dom0 has unmapped. [command] */
void pages_reap(void);

/* Returns how many pages are awaited. */
unsigned int pages_awaited(void);

/* Forgets the awaited pages, since the module is unloaded.  Returns how many.
 * [command] */
unsigned int pages_abandon(void);

#endif
