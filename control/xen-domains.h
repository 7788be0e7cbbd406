/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running Xen's domains with their names, and its pools of pCPUs.
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
    struct xs_handle *xs; /* NULL: no xenstore, so no names */
};

/* Returns 0, STATUS_NO_XEN, or STATUS_TOOLS. */
int xen_domains_open(struct xen_domains *ret, struct failure *failure);
void xen_domains_close(struct xen_domains *domains);

/* Returns 0 or a negative errno; the caller frees *ret. */
int xen_domains_list(const struct xen_domains *domains,
                     struct domain_list *ret);

/* Sets *ret to the pCPUs of the pool with this number or name.  Returns 0 or a
 * negative errno; -ENOENT: there is no such pool. */
int xen_cpupool_pcpus(const struct xen_domains *domains, const char *pool,
                      struct number_set *ret);

#endif
