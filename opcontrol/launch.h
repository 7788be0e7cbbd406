/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our other programs: found by the environment, beside xenopctl, or where
 * they are installed, and run.
 */
#ifndef XENOPROF_OPCONTROL_LAUNCH_H
#define XENOPROF_OPCONTROL_LAUNCH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/failure.h"

/* Starts xenoprofd if no daemon listens, and waits until one does; it may be
 * another xenopctl's.  Returns 0 or an exit status; the sentence is empty if
 * the daemon printed it. */
int launch_daemon(const char *session_dir, struct failure *failure);

/* Has systemd start dom0's agent, with the rights that its unit has, if it
 * runs, the unit is installed and no agent answers; and says so, or that it
 * fails, in a line.  Anywhere else it does nothing. */
void launch_agent(FILE *file);

/* Starts xenoprof-push, which sends the session that is recorded to url, unless
 * one runs already.  Returns 0 or an exit status; the sentence is empty if the
 * program printed it. */
int launch_push(const char *session_dir, const char *url,
                struct failure *failure);

/* Becomes xenopreport for the current session in session_dir.  Returns only an
 * exit status. */
int launch_report(const char *session_dir, struct failure *failure);
/* The same, to write it as one file. */
struct archive_launch {
    const char *file;
    const char *cut; /* a part of its time; NULL: all */
    bool anonymize;
};
int launch_archive(const char *session_dir,
                   const struct archive_launch *archive,
                   struct failure *failure);

#endif
