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

/* Checks, as root, that each is a folder, and not dom0's own root.  Returns 0
 * or STATUS_USAGE. */
int guest_roots_check_folders(const struct domain_pairs *roots,
                              struct failure *failure);

/* Checks that each is of a domain in list that is profiled, and not dom0.
 * Returns 0, STATUS_NO_DOMAIN or STATUS_USAGE. */
int guest_roots_check_domains(const struct domain_pairs *roots,
                              const struct asked_domains *asked,
                              const struct domain_list *list,
                              struct failure *failure);

#endif
