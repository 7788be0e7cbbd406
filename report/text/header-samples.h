/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header's lines on samples: how many there are, which were lost or are
 * not shown, and how true their chains are.  Each prints nothing if there is
 * nothing to say.
 */
#ifndef XENOPROF_REPORT_TEXT_HEADER_SAMPLES_H
#define XENOPROF_REPORT_TEXT_HEADER_SAMPLES_H

#include "report/model/profile.h"
#include "report/model/report.h"

/* Samples made, read and lost, with causes, and what is selected of them.
 * --no-header does not leave this out. */
void header_losses(const struct report *report, const struct profile *profile,
                   FILE *file);
/* The same without causes, which the verdict has if they matter. */
void header_losses_short(const struct report *report,
                         const struct profile *profile, FILE *file);
/* That no stacks were recorded; with --header how many samples have them, and
 * why stacks end early. */
void header_stacks(const struct report *report, FILE *file);
/* How the chains of each domain and mode end. */
void header_chains(const struct report *report, FILE *file);
/* What --focus and --ignore ask for. */
void header_focus(const struct report *report, FILE *file);

#endif
