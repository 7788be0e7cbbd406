/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts, as the compiler has them: the one file of ours that sees Xen's own
 * structures.
 */
#include <xen/init.h>
#include <xen/mm.h>
#include <xen/sched.h>
#include <asm/current.h>
#include <asm/p2m.h>

#include <xenoprof/facts.h>

const struct xenoprof_facts facts = {
    .magic = XENOPROF_FACTS_MAGIC,
    .version = XENOPROF_FACTS_VERSION,
    .size = sizeof(facts),
    .count = XENOPROF_FACT_COUNT,
#define XENOPROF_MEMBER(name, need, structure, member, what)                   \
    .name = offsetof(struct structure, member),
#define XENOPROF_ON_STACK(name, need, structure, member, what)                 \
    .name = sizeof(struct structure) - offsetof(struct structure, member),
#define XENOPROF_SIZE(name, need, structure, what)                             \
    .name = sizeof(struct structure),
#define XENOPROF_NUMBER(name, need, constant, what) .name = (constant),
#include <xenoprof/facts.def>
};

void xenoprof_begin(void); /* begin.c */

static int __init cf_check begin(void)
{
    xenoprof_begin();
    return 0;
}
__initcall(begin);
