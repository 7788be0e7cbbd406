/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands above a table: the facts of its session, and its losses.
 */
#ifndef XENOPROF_REPORT_TEXT_FLAT_HEADER_H
#define XENOPROF_REPORT_TEXT_FLAT_HEADER_H

#include "report/model/profile.h"
#include "report/model/report.h"

/* False if there is no memory. */
bool flat_header_attributes(const struct report *report,
                            const struct profile *profile, FILE *file);
/* The part of that on guests: flat-guests.c. */
bool flat_header_guests(const struct report *report, FILE *file);
/* Other livepatches that were applied: flat-payloads.c. */
bool flat_header_payloads(const struct report *report, FILE *file);
/* Samples made, read and lost, with causes: shown always. */
bool flat_header_losses(const struct report *report,
                        const struct profile *profile, FILE *file);

#endif
