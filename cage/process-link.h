/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One parser process as the daemon sees it: its socket, its clock, its end.
 * What it is asked is search-link.h's and walker-link.h's business.
 *
 * The first packet that a process sends is WORD_READY (process-words.h).  With
 * it the kernel says which process sent it, so the daemon need not believe what
 * the process says of itself.  The keeper lets no other process have that pid
 * before process_link_end().
 */
#ifndef XENOPROF_CAGE_PROCESS_LINK_H
#define XENOPROF_CAGE_PROCESS_LINK_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "link-status.h"
#include "process-maker.h"

struct process_link {
    struct process_maker maker;
    uint32_t number; /* the maker's */
    int socket;      /* -1: the process was ended */
    bool ready;
    clockid_t clock;  /* its work, when it is ready */
    uint64_t counted; /* ns, by its clock when that was last looked at */
    uint64_t cpu;     /* of them, those that can be true */
    uint64_t begun;   /* our clock */
};

/* Returns whether a process can be made; the link must then be ended. */
bool process_link_begin(struct process_link *link,
                        const struct process_maker *maker,
                        const struct process_order *order);
/* Kills the process; its CPU time is read for the last time.  Ending twice does
 * nothing. */
void process_link_end(struct process_link *link);

/* Does not wait.  Returns LINK_OK with a packet of *size bytes in to, *size at
 * most as before; LINK_MORE if there is none; LINK_DIED if the process is gone
 * or the packet is longer; LINK_NONE if it went before it was ready. */
enum link_status process_link_receive(struct process_link *link, void *to,
                                      size_t *size);
/* Does not wait.  Returns whether the packet is on its way. */
bool process_link_send(struct process_link *link, const void *from,
                       size_t size);

/* Returns the ns that the process has worked, now or at its end, as far as they
 * can be true (process-work.h). */
uint64_t process_link_cpu(struct process_link *link);

#endif
