/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of why Xen ran, and of findings, in words.
 */
#ifndef XENOPROF_REPORT_TEXT_WHY_TEXT_H
#define XENOPROF_REPORT_TEXT_WHY_TEXT_H

#include "report/model/frame-text.h"
#include "report/model/report.h"
#include "report/why/findings.h"

struct why_page {
    const struct report *report;
    struct why why;
    struct frame_texts texts;
};

/* Reasons are known by functions. */
enum exit_status why_expect(const struct report *report,
                            struct failure *failure);

/* False if there is no memory; why_page_free() in any case. */
bool why_page_init(struct why_page *page, const struct report *report);
void why_page_free(struct why_page *page);

/* What to do about a reason; NULL: nothing, or nothing for those whose time it
 * is. */
const char *why_advice(const struct why_page *page, enum xen_reason reason);

/* All return a malloc'ed text, or NULL if there is no memory. */

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

#define VERDICTS_SHOWN 2u
#define FINDING_SPINS  "its kernel spins for locks"

/* "web (1), 5.40%: privileged instruction of a PV guest, emulated, mostly for
 * read_port"; malloc'ed, not clean, NULL if there is no memory. */
char *finding_text(const struct report *report, const struct frame_texts *texts,
                   const struct findings *findings,
                   const struct why_finding *finding);

/* The share of its time, in percent, that the vCPUs of a finding's domain could
 * run and were not let; 0 if that is not known. */
double finding_ready(const struct report *report,
                     const struct why_finding *finding);

/* What report's session has; nothing if reasons are not known.  False if there
 * is no memory; findings_free() in any case. */
bool findings_of(struct findings *findings, const struct report *report);

/* Prints "verdict" and what was found, two lines each at most on a usual
 * screen; nothing if nothing was.  Returns false if there is no memory. */
bool verdict_print(const struct report *report, FILE *file);

#endif
