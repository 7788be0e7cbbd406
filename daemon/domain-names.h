/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who domain numbers are: what the session was told, and whose turn it is to
 * be told before a sample of that domain is stored.
 */
#ifndef XENOPROF_DAEMON_DOMAIN_NAMES_H
#define XENOPROF_DAEMON_DOMAIN_NAMES_H

#include "xen.h"
#include "control/asked-domains.h"

struct domain_name {
    uint16_t domain;
    uint8_t uuid[16];
    enum domain_role role;
    char name[DOMAIN_NAME_MAX];
    bool told; /* the writer has it */
};

struct domain_names {
    struct domain_name *named; /* one for each uuid that was seen */
    size_t count;
    size_t room;
    uint16_t last;  /* domain of the last sample of this ring ... */
    bool last_good; /* ... is told, so that most samples need no search */
};

void domain_names_free(struct domain_names *names);
/* The next session is told anew. */
void domain_names_forget_told(struct domain_names *names);

/* Learn names and kinds from a fresh list.  False if there is no memory. */
bool domain_names_learn(struct domain_names *names,
                        const struct domain_list *list,
                        const struct asked_domains *asked);

/*
 * See that the writer knows who domain is at time.  uuid NULL: whoever has
 * the number now.
 */
enum xenoprof_status domain_names_tell(struct domain_names *names,
                                       struct xenoprof_writer *writer,
                                       uint64_t time, uint16_t domain,
                                       const uint8_t *uuid);

/* Another ring is read now: the same number may be another domain. */
void domain_names_next_ring(struct domain_names *names);

/* The newest with this number; NULL if none was ever seen. */
const struct domain_name *domain_names_find(const struct domain_names *names,
                                            uint16_t domain,
                                            const uint8_t *uuid);

#endif
