/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of the running Xen without our module: what its trace buffers say
 * of each vCPU, and how long pCPUs were idle.
 */
#ifndef XENOPROF_TRACE_TRACE_RECORD_H
#define XENOPROF_TRACE_TRACE_RECORD_H

#include <signal.h>
#include <stdbool.h>

#include "base/failure.h"

/*
 * Records for so many seconds, or until *interrupted, into a new folder; one
 * that failed is left without a session, or with one that has an end.  progress
 * is called each second.  exits: also why guests left the processor.  Returns 0
 * or an exit status.
 */
int trace_record(const char *folder, unsigned int seconds, bool exits,
                 const volatile sig_atomic_t *interrupted,
                 void (*progress)(unsigned int second, unsigned int seconds),
                 struct failure *failure);

#endif
