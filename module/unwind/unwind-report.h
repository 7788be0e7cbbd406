/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the code a table covers, and what it does not. */
#ifndef XENOPROF_MODULE_UNWIND_UNWIND_REPORT_H
#define XENOPROF_MODULE_UNWIND_UNWIND_REPORT_H

#include "unwind-frame.h"
#include "unwind.h"

/* Counts into a zeroed report; states as unwind_encode() gives them. */
void unwind_report_fill(const struct unwind_code *code,
                        const struct unwind_frame *frames,
                        const uint8_t *states, struct unwind_report *report);

#endif
