/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as lines of the control protocol (control/protocol.h).
 */
#ifndef XENOPROF_DAEMON_REPORT_H
#define XENOPROF_DAEMON_REPORT_H

#include <stdio.h>

#include "recording.h"

void report_recording(const struct recording *recording, FILE *out);
/* This process: what it costs. */
void report_daemon(FILE *out);
/* One line with a text. */
void report_text(FILE *out, const char *word, const char *text);

#endif
