/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of pages that dom0 may map, and the wait for those that it still maps
 * when they are given back.
 */
#ifndef XENOPROF_HYPERVISOR_PAGES_H
#define XENOPROF_HYPERVISOR_PAGES_H

#include "port.h"

struct pages {
    struct pages *next; /* while awaited */
    unsigned int count;
    void *page[]; /* NULL: given back already */
};

/* count cleared pages, all or none; NULL: no memory. [command] */
struct pages *pages_share(unsigned int count, enum port_access access);

/* Give back all of them; the set is gone.  What dom0 still maps is awaited.
 * NULL is fine. [command] */
void pages_give_back(struct pages *pages);

/* Look again at what is awaited. [command] */
void pages_reap(void);

/* How many pages are awaited now. */
unsigned int pages_awaited(void);

/* Forget those awaited: the module goes.  Returns how many. [command] */
unsigned int pages_abandon(void);

#endif
