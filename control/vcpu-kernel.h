/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a vCPU's kernel is, and by which page tables its memory can be read,
 * as Xen's own account of the vCPU says: a search can begin before a sample
 * has said so.  Xen pauses the vCPU for the moment of the look.
 */
#ifndef XENOPROF_CONTROL_VCPU_KERNEL_H
#define XENOPROF_CONTROL_VCPU_KERNEL_H

#include "domain-list.h"

struct xc_interface_core;

/* An instruction of a vCPU's kernel, and the page tables by which it is
 * read. */
struct vcpu_kernel {
    uint64_t ip, cr3;
};

/* Returns 0, or a negative errno: -EAGAIN if the vCPU is not in its kernel now,
 * -EINVAL for vCPUs that Xen does not show (that of the caller), and those of
 * 32-bit guests. */
int vcpu_kernel_find(struct xc_interface_core *xc,
                     const struct listed_domain *domain, uint32_t vcpu,
                     struct vcpu_kernel *ret);

#endif
