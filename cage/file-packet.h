/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of a socket that carry descriptors. */
#ifndef XENOPROF_CAGE_FILE_PACKET_H
#define XENOPROF_CAGE_FILE_PACKET_H

#include <stdbool.h>
#include <stddef.h>

#define PACKET_FILES_MAX 4u

/* Does not wait.  Returns whether the packet is on its way; the descriptors
 * stay the caller's. */
bool file_packet_send(int to, const void *bytes, size_t size, const int *files,
                      unsigned int count);
/* Waits.  Returns whether one of that size came; its descriptors are the
 * caller's then, *count of them, which may be fewer than were sent. */
bool file_packet_receive(int from, void *bytes, size_t size,
                         int files[PACKET_FILES_MAX], unsigned int *count);

#endif
