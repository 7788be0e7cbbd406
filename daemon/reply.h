/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as lines of the control protocol (control/protocol.h).
 */
#ifndef XENOPROF_DAEMON_REPLY_H
#define XENOPROF_DAEMON_REPLY_H

#include <stdio.h>

#include "recording.h"

void reply_recording(const struct recording *recording, FILE *out);
/* What the recording waits for, as a line that begins with word.  deadline:
 * monotonic ns, when it waits no longer; 0: that is not known. */
void reply_waiting(const struct recording *recording, const char *word,
                   uint64_t deadline, FILE *out);
/* This process: what it and its processes cost on pCPUs, since it began. */
void reply_daemon(const struct recording *recording, FILE *out);
/* One line with a text. */
void reply_sentence(FILE *out, const char *word, const char *text);

#endif
