/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A survey of a hypervisor's code: what a module for it would have, and what is
 * missing.  The hypervisor need not run, and nothing is kept.
 */
#ifndef XENOPROF_MODULE_SURVEY_H
#define XENOPROF_MODULE_SURVEY_H

#include <stdbool.h>
#include <stdio.h>

#include <xenoprof/facts.h>

#include "answer.h"
#include "base/failure.h"
#include "xen-image.h"

struct survey {
    const struct xen_image *image; /* with its code */
    const char *object;            /* the module's */
    const char *xen_syms;          /* of the same build, or NULL */
    bool running;   /* it takes livepatches and has hypfs: it was asked */
    bool has_holes; /* likewise: its tables leave out some of the memory */
    char nmi;       /* likewise: nmi-asked.h */
    FILE *verbose;  /* gets the source of each fact, or NULL */
};

/*
 * Prints one line for each need, with yes or no and the remedy.  Returns
 * 0 if nothing is missing that --setup needs, or the exit status with which it
 * would fail; STATUS_FAILED with a failure if there is no memory or no room in
 * /tmp.
 */
int survey_print(const struct survey *survey, struct answer_list *answers,
                 struct failure *failure);

/* Prints the line about what only stacks need, for facts that are known. */
void survey_print_stacks(const struct xen_image *image,
                         const struct xenoprof_facts *facts,
                         struct answer_list *answers);

#endif /* XENOPROF_MODULE_SURVEY_H */
