/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands around every answer: before it, which session this is and the
 * verdict; behind it, how sure it is.  All facts of the session are the full
 * header's (header.h).
 */
#ifndef XENOPROF_REPORT_TEXT_HEADER_SHORT_H
#define XENOPROF_REPORT_TEXT_HEADER_SHORT_H

#include "report/model/profile.h"
#include "report/model/report.h"

/* Nothing with --no-header. */
void header_short(const struct report *report, FILE *file);

/* That the last block is not whole, if so. */
void header_torn(const struct report *report, FILE *file);

/* Samples and time are the profile's. */
void header_end(const struct report *report, const struct profile *profile,
                FILE *file);

#endif
