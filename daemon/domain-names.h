/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names, uuids and kinds of domains, and which of them the session has: a
 * domain is stored before its first sample.
 */
#ifndef XENOPROF_DAEMON_DOMAIN_NAMES_H
#define XENOPROF_DAEMON_DOMAIN_NAMES_H

#include "base/vector.h"
#include "xen.h"
#include "control/asked-domains.h"
#include "libxenoprof/ring-sums.h"

struct domain_name {
    uint16_t domain;
    uint8_t uuid[16];
    enum domain_role role;
    char name[DOMAIN_NAME_MAX];
    bool stored;   /* the writer has it */
    bool ended;    /* none of its samples was to come, and none came since */
    uint64_t gone; /* our clock: since when the list of domains lacks it; 0: it
                      does not */
};

/* Domains that are gone whose names are kept: for --status, which names the
 * owner of each sum of rings, and in a rush for samples that are still in
 * rings. */
#define DOMAIN_NAMES_GONE RING_SUMS_MAX
#define DOMAIN_NAMES_RUSH (2 * DOMAIN_NAMES_GONE)

struct domain_names {
    VECTOR(struct domain_name); /* one for each uuid, the oldest first */
    uint16_t last;              /* domain of the last sample of this ring ... */
    bool last_good; /* ... which the writer has: most samples need no search */
};

void domain_names_free(struct domain_names *names);
/* A new session begins, which has no domain yet. */
void domain_names_forget_stored(struct domain_names *names);

/* Learns names and kinds from a fresh list, and forgets the oldest domains that
 * are not on it, beyond DOMAIN_NAMES_GONE of those that have ended, and beyond
 * DOMAIN_NAMES_RUSH.  Returns false if there is no memory. */
bool domain_names_learn(struct domain_names *names,
                        const struct domain_list *list,
                        const struct asked_domains *asked);

/*
 * Stores the domain, unless the session has it already.  uuid NULL: the domain
 * that has the number now.
 */
enum xenoprof_status domain_names_store(struct domain_names *names,
                                        struct xenoprof_writer *writer,
                                        uint64_t time, uint16_t domain,
                                        const uint8_t *uuid);

/* Another ring is read now, where a number may stand for another domain. */
void domain_names_next_ring(struct domain_names *names);

/* Returns the newest domain with this number (and uuid, if not NULL), or NULL
 * if none was seen. */
const struct domain_name *domain_names_find(const struct domain_names *names,
                                            uint16_t domain,
                                            const uint8_t *uuid);

#endif
