/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_PAYLOAD_GUEST_H
#define XENOPROF_PAYLOAD_GUEST_H

#include "xen.h"

/*
 * AMD's control block of a vCPU, or NULL: not an HVM vCPU, not AMD, or its
 * address and machine address do not agree (a wrong fact must not become a
 * stray read in an NMI).  Fit for NMIs.
 */
const void *guest_vmcb(const struct xen_vcpu *vcpu);

/* Places in it, from AMD's manual. */
enum {
    VMCB_EXIT_CODE = 0x070,
    VMCB_CS = 0x410,
    VMCB_SS = 0x420,
    VMCB_CPL = 0x4cb,
    VMCB_CR3 = 0x550,
    VMCB_FLAGS = 0x570,
    VMCB_IP = 0x578,
    VMCB_SP = 0x5d8
};

enum { VMCB_EXIT_INTR = 0x60, VMCB_EXIT_NMI = 0x61 };

/* Look up, once and not in an NMI, which vendor this is and where Xen idles. */
void guest_init(void);

/* This processor has Intel's virtualization, not AMD's. */
bool guest_is_vmx(void);

#endif
