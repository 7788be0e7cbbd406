/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What walks over the host's vCPUs share.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_VCPU_LIST_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_VCPU_LIST_H

#include "xen.h"

/* Returns the next vCPU of a walk, of the domain walk->domain, or NULL behind
 * the last.  It stays until this softirq ends. [soft] */
const struct xen_vcpu *vcpu_list_next(struct port_vcpus *walk);

#endif
