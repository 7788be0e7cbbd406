/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who domain numbers are: what the session was told, and whose turn it is to
 * be told before a sample of that domain is stored.
 */
#ifndef XENOPROF_DAEMON_NAMES_H
#define XENOPROF_DAEMON_NAMES_H

#include "host.h"
#include "control/asked-domains.h"

struct named {
    uint16_t domain;
    uint8_t uuid[16];
    enum domain_role role;
    char name[DOMAIN_NAME_MAX];
    bool told; /* the writer has it */
};

struct names {
    struct named *named; /* one for each uuid that was seen */
    size_t count;
    size_t room;
    uint16_t last;  /* domain of the last sample of this ring ... */
    bool last_good; /* ... is told, so that most samples need no search */
};

void names_free(struct names *names);
/* The next session is told anew. */
void names_forget_told(struct names *names);

/* Learn names and kinds from a fresh list.  False if there is no memory. */
bool names_learn(struct names *names, const struct domain_list *list,
                 const struct asked_domains *asked);

/*
 * See that the writer knows who domain is at time.  uuid NULL: whoever has
 * the number now.
 */
enum xenoprof_status names_tell(struct names *names,
                                struct xenoprof_writer *writer, uint64_t time,
                                uint16_t domain, const uint8_t *uuid);

/* Another ring is read now: the same number may be another domain. */
void names_next_ring(struct names *names);

/* The newest with this number; NULL if none was ever seen. */
const struct named *names_find(const struct names *names, uint16_t domain,
                               const uint8_t *uuid);

#endif
