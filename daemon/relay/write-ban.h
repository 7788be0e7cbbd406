/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that makes, changes and removes no file, though it is root. */
#ifndef XENOPROF_DAEMON_RELAY_WRITE_BAN_H
#define XENOPROF_DAEMON_RELAY_WRITE_BAN_H

/*
 * From now on this process, which can get no privileges (privileges_keep()),
 * and those that it makes write no byte to a regular file; and where the kernel
 * has Landlock (Linux 5.13) they open nothing for writing, and make and remove
 * nothing, but what is in /dev/xen or /proc/xen.  Descriptors that are open
 * stay as they are.  Returns 0 or a negative errno.
 */
int write_ban(void);

#endif
