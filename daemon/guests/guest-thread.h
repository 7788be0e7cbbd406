/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fetch list brought of a Linux guest (<xenoprof/fetch.h>, with the
 * steps of its example), as who ran. The guest chose all of it.
 */
#ifndef XENOPROF_DAEMON_GUESTS_GUEST_THREAD_H
#define XENOPROF_DAEMON_GUESTS_GUEST_THREAD_H

#include <libxenoprof.h>

/* Returns who ran; nothing is known of it if task is NULL, or has not all. */
struct xenoprof_thread guest_thread(const struct xenoprof_task *task);

#endif
