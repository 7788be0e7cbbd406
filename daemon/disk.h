/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much room a session leaves on its disk: dom0's logs, xenstored and
 * guests' images may live there too.
 */
#ifndef XENOPROF_DAEMON_DISK_H
#define XENOPROF_DAEMON_DISK_H

#include <stdint.h>

#include "base/failure.h"

#define DISK_FLOOR_BYTES   (1ull << 30)
#define DISK_FLOOR_PERCENT 5u

/* Returns 0, or STATUS_DISK_FULL if fewer bytes are free on the disk of dir
 * than DISK_FLOOR_BYTES and than DISK_FLOOR_PERCENT of it.  A disk that does
 * not say how large it is has room. */
int disk_check(const char *dir, struct failure *failure);

#define DISK_SHARE_BYTES (2ull << 30)
#define DISK_SHARE_PART  10u
#define DISK_SHARE_LEAST (8ull << 20)

/* Returns how many bytes a session takes at most that goes on for ever: the
 * smaller one of DISK_SHARE_BYTES and one part in DISK_SHARE_PART of the disk
 * of dir, whatever is free now; DISK_SHARE_LEAST at least. */
uint64_t disk_share(const char *dir);

#endif
