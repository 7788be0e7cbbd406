/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --serve: the page of a session, for a browser on this host, while the session
 * grows.
 */
#ifndef XENOPROF_REPORT_SERVE_SERVE_H
#define XENOPROF_REPORT_SERVE_SERVE_H

#include "serve-reader.h"

#define SERVE_CONNECTIONS 8u

/* Serves until SIGINT or SIGTERM comes.  The session is read once before that,
 * so that what is wrong with it is known at once. */
enum exit_status serve_run(const struct serve_wanted *wanted,
                           struct failure *failure);

#endif
