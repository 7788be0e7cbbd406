/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts of facts.def as a table, and the builds whose facts are known. */
#ifndef XENOPROF_MODULE_FACTS_FACTS_LIST_H
#define XENOPROF_MODULE_FACTS_FACTS_LIST_H

#include "module/xen-image.h"

#include <stdbool.h>

#include <xenoprof/facts.h>

/* Path of a fact as facts.def has it. */
const char *facts_path(enum xenoprof_fact fact);

/* What the fact is needed for, XENOPROF_FACTS_NEED_*. */
int facts_need(enum xenoprof_fact fact);

/* Index of the fact with that name, XENOPROF_FACT_COUNT: none. */
enum xenoprof_fact facts_index(const char *name, size_t length);

/* Slot of a fact in the structure, and what is in it. */
uint32_t *facts_slot(struct xenoprof_facts *facts, enum xenoprof_fact fact);
uint32_t facts_value(const struct xenoprof_facts *facts,
                     enum xenoprof_fact fact);

/* Header filled in, each fact absent. */
void facts_clear(struct xenoprof_facts *facts);

/*
 * Sets facts from text, `name=value name=value`.  Returns 0, or -EINVAL: no
 * such fact, or no number; those before it are set then.
 */
int facts_set(struct xenoprof_facts *facts, const char *text);

/*
 * Known facts of the build that an image has, absent where unknown: a second
 * opinion, never a source.  False: that build is not known.
 */
bool facts_known(const struct xen_image *image, struct xenoprof_facts *facts);

#endif /* XENOPROF_MODULE_FACTS_FACTS_LIST_H */
