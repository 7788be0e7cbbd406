/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows: raw bytes of a kernel's stack, from its stack pointer up, and of the
 * stack from which the first one was entered; or of a process's stack, from a
 * little below its stack pointer.  A kernel may have been entered by a process,
 * whose stack is then read, too.
 *
 * They have the form of the record's parts, and are read into a ring at once.
 * They go by way of a buffer of the pCPU for several samples of a stay in Xen,
 * and to a ring that has no room for the most that they may be.
 */
#ifndef XENOPROF_HYPERVISOR_WINDOWS_H
#define XENOPROF_HYPERVISOR_WINDOWS_H

#include "ring.h"

#define WINDOW_BYTES_MAX    16384u /* of a kernel's stacks, */
#define WINDOW_USER_MAX     32768u /* and of a process's */
#define WINDOW_KERNEL_USUAL 6144u
#define WINDOW_USER_USUAL   8192u
/* Bytes below its stack pointer that a function of a process may use. */
#define WINDOW_RED_ZONE 128u

/*
 * Where a stack holds the address of the stack that it was entered from: up to
 * four distances below its end, multiples of 8, sixteen bits each; the lowest
 * is tried first, and 0 ends the list.
 */
typedef uint64_t window_links;
#define WINDOW_LINKS    4u
#define WINDOW_LINK_MAX 4096u

struct windows {
    unsigned char *bytes; /* NULL: not asked for */
    uint32_t room;
    uint32_t length; /* of the parts */
    uint32_t size;   /* of the last window of a kernel's, */
    uint64_t end;    /* and where in the guest that ends */
    uint16_t parts;  /* XENOPROF_PART_WINDOW, _WINDOW2, _USER_WINDOW */
    bool ended;      /* that window ended with its stack, not with the budget */
    struct ring *ring; /* that they are in; NULL: in bytes */
    uint64_t at;       /* there, the first one's byte */
};

/* Returns the bytes that the windows of a sample, of so many in all, need in a
 * record. */
uint32_t windows_room(uint32_t budget);

/* Allocates a buffer for that budget near the pCPU, none for 0.  Returns false
 * without memory. [command] */
bool windows_open(struct windows *windows, unsigned int pcpu, uint32_t budget);
void windows_close(struct windows *windows);

/* What is read next goes into a ring from its byte at on, where windows_room()
 * is reserved; or with NULL into the buffer.  Until then there is none.
 * [soft] */
void windows_begin(struct windows *windows, struct ring *ring, uint64_t at);

/*
 * Reads a kernel's stack from sp, its stack pointer, on: at most budget bytes.
 * If the stack ends earlier, because the next page is not mapped, one of links
 * may lead to another stack, which gets the rest of the budget. [soft]
 */
void windows_read(struct windows *windows, struct port_reader *reader,
                  uint64_t sp, uint32_t budget, window_links links);

/* The same of a process's stack, which has no links: from WINDOW_RED_ZONE below
 * sp, or if nothing is mapped there from where the page of sp begins. [soft] */
void windows_read_process(struct windows *windows, struct port_reader *reader,
                          uint64_t sp, uint32_t budget);

/*
 * The process that entered the kernel whose stacks windows_read() has just
 * read.  distance is that of its stack pointer from their end.  Returns it, or
 * 0 if the end was not read, or the word there is no address of a process.
 * [soft]
 */
uint64_t windows_process(const struct windows *windows,
                         struct port_reader *reader, uint32_t distance);
/* Adds that process's stack, as windows_read_process() reads it. [soft] */
void windows_add_process(struct windows *windows, struct port_reader *reader,
                         uint64_t sp, uint32_t budget);

#endif
