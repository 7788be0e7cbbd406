/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports to systemd: sd_notify's protocol, without its library.
 */
#ifndef XENOPROF_CAGE_NOTIFY_H
#define XENOPROF_CAGE_NOTIFY_H

/* Returns a socket to $NOTIFY_SOCKET, or -1 if systemd does not wait. */
int notify_open(void);
/* "READY=1" and the like; fd -1 is fine. */
void notify_send(int fd, const char *text);

#endif
