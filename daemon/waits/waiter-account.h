/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of vCPUs that waited: how many were made, read and lost.  They are
 * counted for the session, in no ring's sums, since those divide pCPUs' time.
 * The sums are an attribute of the session, from which a daemon that takes over
 * goes on.
 */
#ifndef XENOPROF_DAEMON_WAITS_WAITER_ACCOUNT_H
#define XENOPROF_DAEMON_WAITS_WAITER_ACCOUNT_H

#include <xenoprof/ring.h>

#include "libxenoprof/libxenoprof.h"

struct waiter_account {
    bool asked;        /* the session has such samples */
    uint64_t made;     /* as Xen counts, */
    uint64_t lost;     /* what Xen lost of it, or this daemon or one before */
    uint64_t read;     /* in whole blocks on disk */
    uint64_t pending;  /* in the block that is being gathered */
    uint64_t dropped;  /* could not be stored */
    char reported[96]; /* the attribute's last value */
};

/* Takes the sums of a session that a daemon left; NULL: it has none. */
void waiters_resume(struct waiter_account *account, const char *value);

/* Says the sums in this block if they have changed.  last: all that was made
 * and not read is lost.  status: the module's, or NULL if it is not known. */
enum xenoprof_status waiters_say(struct waiter_account *account,
                                 struct xenoprof_writer *writer, uint64_t time,
                                 const struct xenoprof_status_page *status,
                                 bool last);

#endif
