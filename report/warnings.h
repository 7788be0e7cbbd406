/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes to standard error: failures, and what is wrong with a session
 * that was read all the same.
 */
#ifndef XENOPROF_REPORT_WARNINGS_H
#define XENOPROF_REPORT_WARNINGS_H

#include "report/model/gather.h"

/* Prints one line.  The text may hold what others chose: the names of domains
 * and files. */
void say(const char *what, const char *text);

/* Prints what is wrong with the session.  Returns STATUS_DONE, or
 * STATUS_DAMAGED if a part of it could not be read. */
enum exit_status warn_of_session(const struct gathered_session *gathered);

#endif
