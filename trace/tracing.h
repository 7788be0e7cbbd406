/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace buffers of the running Xen.  They are one for all of the host:
 * Xen's filter, its buffers and the reader's marks have one value, and nobody
 * keeps programs apart.  So tracing is refused where somebody else traces, and
 * ends if somebody else begins to.
 *
 * Buffers are made once, with their size, and stay until Xen ends.
 */
#ifndef XENOPROF_TRACE_TRACING_H
#define XENOPROF_TRACE_TRACING_H

#include <stdbool.h>
#include <stdint.h>

/* It comes first: it makes the others show what is for tools. */
#include <xenctrl.h>

#include <xencall.h>
#include <xenforeignmemory.h>

#include "base/failure.h"
#include "trace-event.h"

/* Changes of the state of vCPUs, and nothing else. */
#define TRACING_RUNSTATES 0x00021000u
/* The same, and when HVM and PVH guests leave the processor and go on. */
#define TRACING_EXITS 0x000a1000u

struct tracing;

/* What of Xen's interfaces it uses; they stay the caller's. */
struct tracing_handles {
    xc_interface *xc;
    xencall_handle *call;
    xenforeignmemory_handle *memory;
};

/*
 * Begins to trace records of these classes on all pCPUs.  again: a program that
 * died may have begun, and what traces these classes now is taken for its.
 * Returns 0, STATUS_BUSY if somebody else traces, STATUS_REFUSED if this Xen
 * has no trace buffers, or STATUS_FAILED.
 */
int tracing_begin(const struct tracing_handles *handles, uint32_t classes,
                  bool again, struct tracing **ret, struct failure *failure);

/* Calls take for all records that there are.  Returns 0, what take returned if
 * that is not 0, or STATUS_BUSY if somebody else reads them, too. */
int tracing_read(struct tracing *tracing,
                 int (*take)(void *self, const struct trace_event *event),
                 void *self, struct failure *failure);

/* Returns how often there were no records where records should have been. */
uint64_t tracing_broken(const struct tracing *tracing);

/* Returns the rate of the time stamp counter in kHz. */
uint32_t tracing_khz(const struct tracing *tracing);

/* Xen traces nothing any more.  NULL is nothing. */
void tracing_end(struct tracing *tracing);

#endif
