/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports for a terminal go through a pager, as git does it: PAGER, else less,
 * with LESS=FRX unless that is set; none if PAGER is empty or "cat".
 */
#ifndef XENOPROF_REPORT_PAGER_H
#define XENOPROF_REPORT_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

struct pager {
    pid_t process; /* 0: there is none */
};

/* Standard output goes to the pager from here on, if it is a terminal and
 * there is one. */
void pager_begin(struct pager *pager, bool wanted);

/* Waits until the user has seen it all, or enough: then not all could be
 * written, which is not a failure.  Standard output is closed. */
void pager_end(struct pager *pager);

/* For a program that ends at once: the same, if there is one.  Takes no
 * memory. */
void pager_give_up(void);

#endif
