/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers the facts of one hypervisor build.
 *
 * A fact is accepted when two functions of the hypervisor that use the field
 * state the same, or the debug information of that very build states it, and
 * nobody contradicts.  The table of known builds that comes with
 * xenoprof never supplies a value; it may only object.
 */
#ifndef XENOPROF_MODULE_FACTS_FACTS_GATHER_H
#define XENOPROF_MODULE_FACTS_FACTS_GATHER_H

#include "module/xen-image.h"

#include "facts-list.h"

#define FACTS_ORIGIN_MAX 320
#define FACTS_ERROR_MAX  640

struct facts_options {
    /* xen-syms of the same build, also without DWARF; or NULL */
    const char *xen_syms;
};

struct facts_report {
    /* One line for each fact: its value and its sources. */
    char origin[XENOPROF_FACT_COUNT][FACTS_ORIGIN_MAX];
    /* One sentence, or "" after success. */
    char error[FACTS_ERROR_MAX];
};

/*
 * Fills in the facts of an image; options may be NULL. Facts that only stacks
 * need are XENOPROF_FACT_ABSENT when too few sources have them, or when sources
 * disagree; other facts fail then.  The report is filled in in each
 * case.
 *
 * Returns 0; -ENODATA if too few sources have a fact; -EBADMSG if
 * sources disagree on one; -EXDEV if xen_syms is of another build; -ENOMEM;
 * -ENOSYS if capstone cannot decode x86; or what xen_image_open_elf() returns
 * for xen_syms.
 */
int facts_gather(const struct xen_image *image,
                 const struct facts_options *options,
                 struct xenoprof_facts *facts, struct facts_report *report);

#endif /* XENOPROF_MODULE_FACTS_FACTS_GATHER_H */
