/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes parser processes: the keeper, or a test.
 */
#ifndef XENOPROF_CAGE_PROCESS_MAKER_H
#define XENOPROF_CAGE_PROCESS_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "process-work.h"

/* What a process is for, and the files that it is given, in this order. */
enum process_kind {
    PROCESS_SEARCH = 1,     /* none */
    PROCESS_SEARCH_FILE,    /* what a user named */
    PROCESS_SEARCH_MODULES, /* kernel table; kernel modules' table, or none */
    PROCESS_SEARCH_TASKS,   /* kernel table */
    PROCESS_WALKER,         /* batch area; kernel table; modules' table */
    PROCESS_USER_WALKER,    /* memory of windows */
    PROCESS_RELAY,          /* none; the porter makes it, not the keeper, */
    PROCESS_ROOT,           /* a guest root; and this one */
    PROCESS_FILES,          /* none; opagent's keeper makes it, */
    PROCESS_FILES_OF_ROOT,  /* and this one */
    PROCESS_KINDS
};

#define PROCESS_FILES_MAX 3u

struct process_order {
    enum process_kind kind;
    unsigned int count; /* of files; those at the end may be missing */
    int files[PROCESS_FILES_MAX];
};

/* What a new process does.  When this returns, it ends. */
typedef void (*process_act)(const struct process_order *order, int socket);

struct process_maker {
    /*
     * Makes a process that has socket, one end of a socket pair, and duplicates
     * of the order's files; all descriptors stay the caller's, who closes his
     * copy of socket at once.  Does not wait: the process may begin later, or
     * never, and its end of the socket is then closed.  Returns true and the
     * process's number in *number, or false if no process can be made now.
     */
    bool (*make)(void *self, const struct process_order *order, int socket,
                 uint32_t *number);
    /* Kills this process, which may be dead already, and forgets it. */
    void (*end)(void *self, uint32_t number);
    void *self;
    struct process_work *work; /* of its processes; NULL: nobody asks */
};

#endif
