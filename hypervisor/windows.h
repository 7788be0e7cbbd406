/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows: the guest's stack as raw bytes, from its stack pointer up, and
 * then the stack that the first one was entered from.
 *
 * They are gathered as the parts of a record that they will be, in a buffer
 * of the pCPU, once for all samples of a stay in Xen.
 */
#ifndef XENOPROF_HYPERVISOR_WINDOWS_H
#define XENOPROF_HYPERVISOR_WINDOWS_H

#include "port.h"

#define WINDOW_BYTES_MAX    16384u /* of both windows of a sample */
#define WINDOW_KERNEL_USUAL 6144u
#define WINDOW_USER_USUAL   8192u

/*
 * Where on a stack that has ended lies the address of the one before it:
 * up to four distances down from its end, multiples of 8, sixteen bits each,
 * the first to be tried lowest; 0: no more.
 */
typedef uint64_t window_links;
#define WINDOW_LINKS    4u
#define WINDOW_LINK_MAX 4096u

struct windows {
    unsigned char *bytes; /* NULL: not asked for */
    uint32_t room;
    uint32_t length; /* of the parts in it */
    uint16_t parts;  /* XENOPROF_PART_WINDOW, _WINDOW2 */
};

/* What two windows of so many bytes in all need in a record. */
uint32_t windows_room(uint32_t budget);

/* Room for that; budget 0: none.  False: no memory. [command] */
bool windows_open(struct windows *windows, uint32_t budget);
void windows_close(struct windows *windows);

/*
 * Read the current guest's stack from its stack pointer on, at most budget
 * bytes.  If it ends before, because the page after it is not there, one of
 * links may lead to another stack; what is left of the budget is for that.
 * guest is what port_guest_state() has just said. [soft]
 */
void windows_read(struct windows *windows, const struct port_state *guest,
                  uint32_t budget, window_links links);

#endif
