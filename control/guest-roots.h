/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File systems of guests that the administrator has mounted in dom0:
 * --guest-root=DOM:PATH. */
#ifndef XENOPROF_CONTROL_GUEST_ROOTS_H
#define XENOPROF_CONTROL_GUEST_ROOTS_H

#include "asked-domains.h"
#include "domain-pairs.h"

/* Returns 0, STATUS_USAGE or STATUS_RANGE. */
int guest_roots_add(struct domain_pairs *roots, const char *option,
                    const char *text, struct failure *failure);

/* Descriptors of roots, in their order; none at all, or each one's. */
struct root_folders {
    int fds[DOMAIN_PAIRS_MAX];
    unsigned int count;
};

/* Opens each and checks what it has opened: a folder, and not dom0's own root,
 * on a path without links, which a guest may have made.  From then on nobody
 * needs the path.  Returns 0, or STATUS_USAGE without any. */
int guest_roots_open(const struct domain_pairs *roots, struct root_folders *ret,
                     struct failure *failure);
/* Returns the folder of the first root that matches domain, or -1. */
int root_folders_find(const struct root_folders *folders,
                      const struct domain_pairs *roots,
                      const struct listed_domain *domain);
void root_folders_close(struct root_folders *folders);

/* Checks that each is of a domain in list that is profiled, and not dom0.
 * Returns 0, STATUS_NO_DOMAIN or STATUS_USAGE. */
int guest_roots_check_domains(const struct domain_pairs *roots,
                              const struct asked_domains *asked,
                              const struct domain_list *list,
                              struct failure *failure);

#endif
