/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Xen traces beside a recording's samples (--trace): each wait for a pCPU,
 * and each exit of a guest.
 */
#ifndef XENOPROF_DAEMON_WAITS_TRACES_H
#define XENOPROF_DAEMON_WAITS_TRACES_H

#include "control/start-options.h"
#include "daemon/domain-names.h"
#include "trace/trace-session.h"

struct traces {
    const struct xen *xen;
    struct domain_names *names; /* the recording's */
    struct trace_session session;
    bool on;
    char
        ended[256]; /* why tracing ended before the recording; "": it did not */
};

/* Begins what options ask for, which may be nothing.  again: an earlier daemon
 * may have begun.  Returns 0 or an exit status; what is read is lost until
 * traces_record(). */
int traces_begin(struct traces *traces, const struct xen *xen,
                 const struct start_options *options, bool again,
                 struct failure *failure);
/* What is read from now on is for this session. */
void traces_record(struct traces *traces, struct xenoprof_writer *writer,
                   struct domain_names *names);

/* Reads what there is.  A failure ends tracing, and the recording goes on. */
void traces_read(struct traces *traces);
/* Reads what there is, which is the last: Xen traces no more for us. */
void traces_stop(struct traces *traces);
/* Writes what was read since the last call, as of Xen's time. */
enum xenoprof_status traces_say(struct traces *traces, uint64_t time);
/* Writes what is missing. */
enum xenoprof_status traces_say_end(struct traces *traces, uint64_t time);

/* Xen traces nothing for us any more, and what was not written is forgotten. */
void traces_end(struct traces *traces);

#endif
