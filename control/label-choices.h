/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read of the threads of a guest: --labels=all, or --labels=DOM:none
 * for some domains.  What an agent says of the code that ran, by the path of
 * its file, is no label: it is asked whenever a sample says whose the code was,
 * which is so but for LABELS_NONE.
 */
#ifndef XENOPROF_CONTROL_LABEL_CHOICES_H
#define XENOPROF_CONTROL_LABEL_CHOICES_H

#include "domain-pairs.h"

enum label_choice {
    LABELS_NONE,
    LABELS_PID,  /* numbers of a thread, and no name of it */
    LABELS_COMM, /* a thread's name, and of passive domains code by name, too */
    LABELS_ALL   /* which program it runs, and in which cgroup, too */
};

/* Returns 0, STATUS_USAGE or STATUS_RANGE. */
int label_choices_add(struct domain_pairs *choices, const char *option,
                      const char *text, struct failure *failure);

/*
 * Returns the choice of the first pair that matches domain, else the last that
 * is for all domains, else the usual one.  Of a domain whose name is not known
 * the least of that and of all that is for single ones, since it may be one of
 * those.
 */
enum label_choice label_choices_find(const struct domain_pairs *choices,
                                     const struct listed_domain *domain,
                                     enum label_choice usual);

#endif
