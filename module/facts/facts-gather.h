/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers the facts of one hypervisor build.
 *
 * A fact is taken when two places say the same and none says otherwise.  A
 * place is a function of the hypervisor that uses the field, or the debug
 * information of that very build.  The table of known builds that comes with
 * xenoprof never supplies a value; it may only object.
 */
#ifndef XENOPROF_MODULE_FACTS_FACTS_GATHER_H
#define XENOPROF_MODULE_FACTS_FACTS_GATHER_H

#include "module/xen-image.h"

#include "facts-list.h"

#define FACTS_ORIGIN_MAX 320
#define FACTS_ERROR_MAX  640

struct facts_options {
    /* xen-syms of the same build, NULL: none; need not have DWARF. */
    const char *xen_syms;
};

struct facts_report {
    /* One line for each fact: its value, where it came from. */
    char origin[XENOPROF_FACT_COUNT][FACTS_ORIGIN_MAX];
    /* One sentence, empty after success. */
    char error[FACTS_ERROR_MAX];
};

/*
 * Fills facts from an image; options may be NULL.  Facts that only stacks need
 * are XENOPROF_FACT_ABSENT when they were not found twice, or when places
 * disagree; the others fail then.  Allocates nothing that outlives the call.
 *
 * Returns 0; -ENODATA: a fact was not found twice; -EBADMSG: places disagree
 * on a fact; -EXDEV: xen_syms is of another build; -ENOMEM; -ENOSYS: capstone
 * cannot decode x86; or what xen_image_open_elf() says of xen_syms.  report is
 * filled in each case.
 */
int facts_gather(const struct xen_image *image,
                 const struct facts_options *options,
                 struct xenoprof_facts *facts, struct facts_report *report);

#endif /* XENOPROF_MODULE_FACTS_FACTS_GATHER_H */
