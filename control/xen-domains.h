/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains, their names, and pools of pCPUs, from the running Xen.
 */
#ifndef XENOPROF_CONTROL_XEN_DOMAINS_H
#define XENOPROF_CONTROL_XEN_DOMAINS_H

#include <xenctrl.h>
#include <xenstore.h>

#include "domain-list.h"
#include "base/failure.h"
#include "number-set.h"

struct xen_domains {
    xc_interface *xc;
    struct xs_handle *xs; /* NULL: no xenstore; then there are no names */
};

/* 0, or a status and a sentence: not on Xen, not dom0, not root. */
int xen_domains_open(struct xen_domains *ret, struct failure *failure);
void xen_domains_close(struct xen_domains *domains);

/* 0 or a negative errno. */
int xen_domains_list(const struct xen_domains *domains,
                     struct domain_list *ret);

/* pCPUs of the pool with this number or name.  0 or a negative errno; -ENOENT:
 * there is none. */
int xen_cpupool_pcpus(const struct xen_domains *domains, const char *pool,
                      struct number_set *ret);

/* Whether this is a place where the programs can work: 0, or
 * STATUS_NOT_ROOT, STATUS_NO_XEN, STATUS_NO_DOM0 with a sentence. */
int xen_place_check(struct failure *failure);

#endif
