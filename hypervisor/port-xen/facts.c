/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts, as the compiler has them: the one file of ours that sees Xen's own
 * structures.
 */
#include <xen/init.h>
#include <xen/mm.h>
#include <xen/sched.h>
#include <xen/softirq.h>
#include <asm/current.h>
#include <asm/p2m.h>

#include <xenoprof/facts.h>

#include "hooks.h"
#include "hypervisor/port-payload/xen-numbers.h"

/* What the payload's port takes for granted: a build that has it otherwise, as
 * with CONFIG_BIGMEM, does not get this far. */
#define SAME(what) _Static_assert(what, "the port must learn of this first")

SAME(STACK_SIZE == XEN_STACK_SIZE);
SAME(PRIMARY_STACK_SIZE == XEN_MAIN_STACK_SIZE);
SAME(DIRECTMAP_VIRT_START == XEN_DIRECTMAP_START);
SAME(FRAMETABLE_VIRT_START == XEN_FRAME_TABLE);
SAME(__HYPERVISOR_CS == XEN_CODE_SELECTOR);
SAME(DOMID_IDLE == XEN_DOMID_IDLE);
SAME(XENOPROF_SOFTIRQ == XEN_SOFTIRQ_COMMIT);
SAME(XENOPROF_SOFTIRQ < SCHED_SLAVE_SOFTIRQ &&
     XENOPROF_SOFTIRQ < SCHEDULE_SOFTIRQ);
SAME(VIRQ_XENOPROF == XEN_VIRQ_XENOPROF);
SAME(SHARE_rw == XEN_SHARE_WRITABLE && SHARE_ro == XEN_SHARE_READONLY);
SAME(PGC_allocated == 1ul << XEN_PAGE_ALLOCATED);
SAME(PGC_xen_heap == 1ul << XEN_PAGE_XEN_HEAP);
SAME(XEN_DOMCTL_CDF_hvm == XEN_DOMAIN_HVM);
SAME(XEN_DOMCTL_CDF_nested_virt == XEN_DOMAIN_NESTED);
SAME(TF_kernel_mode == XEN_VCPU_KERNEL_MODE);
SAME(sizeof(struct page_info) == 32);

/* Where Xen runs no HVM guests, some of what is known of these is not there:
 * IS_ENABLED() is a 1 or 0 to the preprocessor, too. */
#define IF_1(value)         (value)
#define IF_0(value)         XENOPROF_FACT_ABSENT
#define IF_PASTE(on, value) IF_##on(value)
#define IF_ON(on, value)    IF_PASTE(on, value)
#define IF_HVM(value)       IF_ON(IS_ENABLED(CONFIG_HVM), value)
#define IF_AMD(value)       (value)
#define IF_PV(value)        (value)
#define IF_SAMPLING(value)  (value)
#define IF_STACKS(value)    (value)
#define IF_VMX(value)       (value)
#define IF_WAITS(value)     (value)

const struct xenoprof_facts facts = {
    .magic = XENOPROF_FACTS_MAGIC,
    .version = XENOPROF_FACTS_VERSION,
    .size = sizeof(facts),
    .count = XENOPROF_FACT_COUNT,
#define XENOPROF_MEMBER(name, need, structure, member, what)                   \
    .name = IF_##need(offsetof(struct structure, member)),
#define XENOPROF_ON_STACK(name, need, structure, member, what)                 \
    .name = sizeof(struct structure) - offsetof(struct structure, member),
#define XENOPROF_SIZE(name, need, structure, what)                             \
    .name = sizeof(struct structure),
#define XENOPROF_NUMBER(name, need, constant, what) .name = (constant),
#include <xenoprof/facts.def>
};

static int __init cf_check begin(void)
{
    xenoprof_begin();
    return 0;
}
__initcall(begin);
