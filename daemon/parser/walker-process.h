/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that walks one guest's stacks and names its addresses, from
 * tables that a search made.  It reads batches and writes answers (batch.h),
 * and can do nothing else.
 */
#ifndef XENOPROF_DAEMON_PARSER_WALKER_PROCESS_H
#define XENOPROF_DAEMON_PARSER_WALKER_PROCESS_H

#include "base/table.h"
#include "guest/kernel.h"
#include "cage/process-maker.h"

/* Addresses that a walker names without being asked. */
#define WALKER_NAMED_MAX 65536u

/* Of these so many are found at once. */
#define WALKER_RECENT 1024u

/* What a walker knows. */
struct walked_guest {
    const struct kernel *kernel; /* NULL: not known */
    bool pv;
    bool frame_pointers;            /* not known, but its code makes them */
    struct table named;             /* addresses whose names were sent; */
    uint64_t recent[WALKER_RECENT]; /* ... of these, by hash; 0: none */
};

void walked_guest_init(struct walked_guest *guest);
void walked_guest_free(struct walked_guest *guest);
/* No name was sent yet. */
void walked_guest_forget(struct walked_guest *guest);

/* Answers so many bytes of requests in a batch's area.  Returns how many bytes
 * of answers there are, or 0 if those are not requests. */
uint32_t walker_answer(struct walked_guest *guest, uint8_t *area,
                       uint32_t requests);

/* For a process that was just made: enters the sandbox, then answers.  When
 * this returns, the process must end, by exit_group(2). */
void walker_process_run(const struct process_order *order, int socket);

#endif
