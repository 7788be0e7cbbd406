/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of Xen's that have been the same in every release since 4.17. */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_XEN_NUMBERS_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_XEN_NUMBERS_H

#define XEN_STACK_SIZE        0x8000ul
#define XEN_MAIN_STACK_SIZE   0x2000ul /* of that, at its end */
#define XEN_DIRECTMAP_START   0xffff830000000000ul
#define XEN_DIRECTMAP_END     0xffff880000000000ul /* 5 TiB, in PV CR3s */
#define XEN_FRAME_TABLE       0xffff82e000000000ul
#define XEN_CODE_SELECTOR     0xe008
#define XEN_DOMID_IDLE        0x7fff
#define XEN_NMI_DELIVERY      0x400 /* delivery mode in an APIC command */
#define XEN_NMI_WANTED        1     /* what an NMI callback returns */
#define XEN_NMI_NOT_MINE      0
#define XEN_SOFTIRQ_COMMIT    2 /* SCHED_SLAVE; in a tree of Xen's, ours */
#define XEN_VIRQ_XENOPROF     7
#define XEN_SHARE_WRITABLE    0
#define XEN_SHARE_READONLY    1
#define XEN_NO_NODE           0xff
#define XEN_MEMORY_NODE_SHIFT 16 /* in flags of allocations */
#define XEN_PAGE_ALLOCATED    63 /* bit of page_info.count_info */
#define XEN_PAGE_XEN_HEAP     62
#define XEN_DOMAIN_HVM        (1u << 0) /* domain.options */
#define XEN_DOMAIN_NESTED     (1u << 6)
#define XEN_VCPU_KERNEL_MODE  (1ul << 0) /* vcpu.arch.flags, PV */

#endif
