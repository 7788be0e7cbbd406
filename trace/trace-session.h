/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of what was traced: domains, what their vCPUs did each second, how
 * long they waited for a pCPU each time, and why guests left the processor, if
 * that was traced.
 */
#ifndef XENOPROF_TRACE_TRACE_SESSION_H
#define XENOPROF_TRACE_TRACE_SESSION_H

#include <libxenoprof.h>

#include "control/domain-list.h"
#include "exits.h"
#include "latencies.h"
#include "runstates.h"
#include "trace-order.h"

struct trace_session {
    struct xenoprof_writer *writer; /* the caller's */
    struct runstates runstates;
    struct turns turns;
    struct latencies latencies;
    struct exits exits;
    struct trace_order order;
    uint32_t khz;       /* of the records' time stamps */
    uint64_t first;     /* ns: the oldest record's */
    uint64_t now;       /* ns: all before is counted */
    uint64_t reported;  /* ns: the last row's */
    struct table known; /* domains that the session has */
};

/* Takes no memory yet.  svm: this host's processors are AMD's or like them. */
void trace_session_init(struct trace_session *session,
                        struct xenoprof_writer *writer, uint32_t khz, bool svm);
void trace_session_free(struct trace_session *session);

/* Takes a record, in a pCPU's order.  Returns false if there is no memory. */
bool trace_session_add(struct trace_session *session,
                       const struct trace_event *event);

/* Counts what is old enough for no older record to come, or all if last.
 * Returns false if there is no memory. */
bool trace_session_count(struct trace_session *session, bool last);

/* It seems to have been in this state since the first record; its own records
 * know better.  False as above. */
bool trace_session_guess(struct trace_session *session, uint16_t domain,
                         uint16_t vcpu, enum runstate state);

/* Writes in words what is missing.  Returns the length of the text. */
size_t trace_session_missing(const struct trace_session *session, char *text,
                             size_t size);

/* Has the session know a domain at that time, unless it does.  *known: there is
 * such a domain, as far as is known by now. */
typedef enum xenoprof_status trace_namer(void *self, uint64_t time,
                                         uint16_t domain, bool *known);

/* Writes, as of that time, each wait and each exit since the last call; those
 * of domains that are not known wait until they are, or are left out after some
 * calls. */
enum xenoprof_status trace_session_say_each(struct trace_session *session,
                                            uint64_t time, trace_namer *name,
                                            void *self);

/* The same, and what vCPUs of these domains did since the last call. */
enum xenoprof_status trace_session_say(struct trace_session *session,
                                       const struct domain_list *domains);

#endif
