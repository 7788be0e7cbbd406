/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of why Xen ran, and of findings, in words.
 */
#ifndef XENOPROF_REPORT_TEXT_WHY_TEXT_H
#define XENOPROF_REPORT_TEXT_WHY_TEXT_H

#include "report/model/frame-text.h"
#include "report/model/profile.h"
#include "report/model/report.h"
#include "report/why/findings.h"
#include "report/why/verdict.h"
#include "report/why/why.h"

struct why_page {
    const struct report *report;
    struct why why;
    struct frame_texts texts;
};

/* Reasons are known by functions. */
enum exit_status why_expect(const struct report *report,
                            struct failure *failure);

/* why_page_free() in any case. */
void why_page_init(struct why_page *page, const struct report *report);
void why_page_free(struct why_page *page);

/* The sums of all that is shown. */
struct profile why_profile(const struct why_page *page);

/* What to do about a reason; NULL: nothing, or nothing for those whose time it
 * is. */
const char *why_advice(const struct why_page *page, enum xen_reason reason);

/* All return a malloc'ed text. */

/* "csched2_schedule 22%, _spin_lock 11%, burn_credits 8%": the hottest
 * functions of a row, with their parts of it; not clean. */
char *why_functions(const struct why_page *page, const struct why_row *row);
/* "exit: CPUID, 83% to decode the guest's instruction for its length": what is
 * most of it is said. */
char *why_reason(const struct why_page *page, enum xen_reason reason);
/* The row's domain; not clean. */
char *why_domain(const struct why_page *page, const struct why_row *row);
/* How much time Xen took, and of how much of it a reason is known. */
char *why_sum(const struct why_page *page);

/* Prints the lines of the verdict (why/verdict.h), each behind its title;
 * nothing if all is well. */
void verdict_print(const struct report *report, FILE *file);

#endif
