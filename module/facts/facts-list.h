/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts of facts.def as a table, and the builds whose facts are known. */
#ifndef XENOPROF_MODULE_FACTS_FACTS_LIST_H
#define XENOPROF_MODULE_FACTS_FACTS_LIST_H

#include "module/xen-image.h"

#include <stdbool.h>

#include <xenoprof/facts.h>

/* Returns the path of a fact as facts.def has it. */
const char *facts_path(enum xenoprof_fact fact);

/* Returns whether a hypervisor may have the fact: it runs guests of that
 * kind. */
bool facts_apply(const struct xen_image *image, enum xenoprof_fact fact);

/* Returns whether no module is built without the fact, if it may be there. */
bool facts_vital(enum xenoprof_fact fact);

/* Returns whether only records of who waited need the fact. */
bool facts_for_waits(enum xenoprof_fact fact);
/* The same for why guests left Intel's processors. */
bool facts_for_entries(enum xenoprof_fact fact);

/* Returns the fact of that name, or XENOPROF_FACT_COUNT if there is none. */
enum xenoprof_fact facts_index(const char *name, size_t length);

/* The slot of a fact in the structure, and the value in it. */
uint32_t *facts_slot(struct xenoprof_facts *facts, enum xenoprof_fact fact);
uint32_t facts_value(const struct xenoprof_facts *facts,
                     enum xenoprof_fact fact);

/* Prints which facts are absent, and what helps, in one line without a newline;
 * "" if all are there that may be. */
void facts_absent_line(const struct xen_image *image,
                       const struct xenoprof_facts *facts, char *line,
                       size_t size);

/* Fills in the header, and sets each fact to absent. */
void facts_clear(struct xenoprof_facts *facts);

/* Sets facts from text, `name=value name=value`. Returns 0, or -EINVAL at the
 * first unknown fact or bad number; the facts before it are set then. */
int facts_set(struct xenoprof_facts *facts, const char *text);

/* Fills in the known facts of the image's build, a second opinion and never a
 * source; the others are absent.  Returns false if the build is not known. */
bool facts_known(const struct xen_image *image, struct xenoprof_facts *facts);

#endif /* XENOPROF_MODULE_FACTS_FACTS_LIST_H */
