/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's libraries write to stderr what their callers say better.
 */
#ifndef XENOPROF_CONTROL_QUIET_LOG_H
#define XENOPROF_CONTROL_QUIET_LOG_H

#include <xentoollog.h>

/* A logger that drops everything; never NULL, not to be destroyed. */
xentoollog_logger *quiet_log(void);

#endif
