/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that the user asked for: --passive-domains, --active-domains.
 *
 * A name or a uuid is followed over reboots.  An id means the domain that has
 * the id when the session begins, and ends with that domain.
 */
#ifndef XENOPROF_CONTROL_ASKED_DOMAINS_H
#define XENOPROF_CONTROL_ASKED_DOMAINS_H

#include "base/failure.h"
#include "base/vector.h"
#include "domain-list.h"

/* What a domain is to a session. */
enum domain_role { ROLE_OTHER, ROLE_PASSIVE, ROLE_ACTIVE, ROLE_DOM0 };

enum asked_by { ASKED_BY_ID, ASKED_BY_NAME, ASKED_BY_UUID };

struct asked_domain {
    enum asked_by by;
    enum domain_role role; /* passive or active */
    uint16_t id;
    bool bound; /* with an id: uuid is that of the domain it means */
    uint8_t uuid[16];
    char name[DOMAIN_NAME_MAX];
};

struct asked_domains {
    bool all; /* every domain is passive unless an item says active */
    VECTOR(struct asked_domain);
};

/*
 * Adds the value of --passive-domains or --active-domains, as role says.  A
 * domain that is named twice counts once; naming dom0 changes nothing, since
 * dom0 is always profiled.  Returns 0, STATUS_USAGE or STATUS_RANGE.
 */
int asked_domains_add(struct asked_domains *asked, enum domain_role role,
                      const char *list, struct failure *failure);
void asked_domains_free(struct asked_domains *asked);

/*
 * Binds the ids, and checks that each domain asked for is in list.  Returns 0,
 * or STATUS_NO_DOMAIN with a sentence that lists the domains that exist.
 */
int asked_domains_resolve(struct asked_domains *asked,
                          const struct domain_list *list,
                          struct failure *failure);

/* Returns what domain is to this session. */
enum domain_role asked_domains_match(const struct asked_domains *asked,
                                     const struct listed_domain *domain);

/* Returns true if a domain of that role was named. */
bool asked_domains_have(const struct asked_domains *asked,
                        enum domain_role role);

/* Returns "dom0", "passive", "active" or "other". */
const char *domain_role_name(enum domain_role role);

/* Returns the list of that role as asked_domains_add() takes it, malloc'ed, or
 * NULL if there is no memory. */
char *asked_domains_text(const struct asked_domains *asked,
                         enum domain_role role);

#endif
