/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's side of a search: a process that looks for one guest's kernel,
 * for its kernel modules, for where its threads come from or what its processes
 * have mapped, or for names of their code, and ends.  It asks for bytes of that
 * guest's memory and answers with tables (table-store.h), paths or names.
 *
 * Searches know nothing of each other: what one does or fails to do is between
 * it and its guest.  No call waits for longer than it is given.
 */
#ifndef XENOPROF_DAEMON_PARSER_SEARCH_LINK_H
#define XENOPROF_DAEMON_PARSER_SEARCH_LINK_H

#include "guest/kernel-info.h"
#include "guest/leaf-names.h"
#include "guest/mapped.h"
#include "guest/origin.h"
#include "guest/task-list.h"
#include "cage/link-status.h"
#include "cage/parser-limits.h"
#include "cage/process-maker.h"
#include "search-wire.h"
#include "table-store.h"

/* What is known of a guest's kernel, as a walker and the search for its kernel
 * modules need it. */
struct walker_tables {
    const struct sealed_table *image;   /* NULL: the kernel is not known */
    const struct sealed_table *modules; /* NULL: none, or not read */
    uint64_t base;                      /* where the guest has the kernel */
    bool pv;
    bool frame_pointers; /* not known, but its code makes frame pointers */
};

enum search_kind {
    SEARCH_MEMORY, /* for the kernel, in the guest's memory */
    SEARCH_FILE,   /* ... in a file, of which the guest runs a build */
    /* Of a known kernel: */
    SEARCH_MODULES, /* for its kernel modules */
    /* and of its tasks, by what they are asked about: */
    SEARCH_ORIGINS, /* for programs and cgroups of its threads */
    SEARCH_MAPPED,  /* for what its processes have mapped as code */
    SEARCH_LEAVES   /* for names of code in files, by the page cache */
};

struct search_order {
    enum search_kind kind;
    uint64_t address; /* an instruction of the kernel */
    uint64_t budget;  /* bytes of the guest's memory that may be read to find
                         it; SEARCH_READ_MAX more, and it is given no others */
    bool dom0;        /* only kernel code and data, for origins also memory of
                         the direct map: all else of dom0's kernel may be a
                         device's */
    int file; /* SEARCH_FILE: at most SEARCH_FILE_MAX bytes are read of it, from
                         where it stands; stays the caller's */
    bool kept; /* SEARCH_MODULES: known is of an earlier session, and is a
                  MISMATCH unless the guest has its build-id there */
    const struct walker_tables *known; /* SEARCH_MODULES, _ORIGINS, _MAPPED,
                                          _LEAVES; copied */
    /* SEARCH_ORIGINS: 1 to SEARCH_THREADS_MAX; copied */
    const struct origin_thread *threads;
    /* SEARCH_MAPPED: 1 to SEARCH_PROCESSES_MAX; copied */
    const struct mapped_process *processes;
    const struct leaf_question *leaves; /* SEARCH_LEAVES: 1 to LEAVES_MAX;
                                           copied */
    size_t count;                       /* of one of these */
};

struct search_limits {
    uint64_t work; /* ns of the process itself, in all */
    uint64_t wait; /* ns of our clock, which also runs while others keep the
                      process from running */
};

struct found_origin {
    bool there; /* the thread was, and was not replaced */
    struct thread_origin origin;
};

/* What was found, when a search has ended. */
struct search_result {
    enum kernel_status status;
    struct kernel_info info; /* base; frame_pointers also if not found */
    uint64_t base;           /* for struct walker_tables */
    /* The search's: hold them (table_hold) before search_end(). */
    const struct sealed_table *image;   /* a kernel that was found; or NULL */
    const struct sealed_table *modules; /* or NULL: none, or not read */
    /* Of as many of the threads as were looked at, in their order. */
    const struct found_origin *origins;
    size_t count;
    /* The same of processes.  NULL: it is not there, or became another
     * program. */
    const struct mapped_space *spaces[SEARCH_PROCESSES_MAX];
    const struct leaf_name *leaves; /* of code: all of it, or none */
};

struct search;

/* Reads memory of the search's guest.  Returns how many of size bytes were
 * read. */
typedef size_t (*search_read)(void *self, uint64_t address, void *to,
                              size_t size);

/* Returns a search, or NULL if there is no memory or no process can be made
 * now.  maker and store outlive it.  limits NULL: the usual ones. */
struct search *search_begin(const struct process_maker *maker,
                            struct table_store *store,
                            const struct search_order *order,
                            const struct search_limits *limits);
/* Kills the process if it has not ended; takes NULL. */
void search_end(struct search *search);

/* Returns the descriptor to poll for reading: search_work() has something to
 * do.  Call it now and then anyway, since it looks after the limits. */
int search_fd(const struct search *search);

/*
 * Serves the process for at most ns (0: one message).  Returns LINK_OK
 * when the search has ended: the result is there; LINK_MORE; LINK_DIED; or
 * LINK_NONE if the process never began.
 */
enum link_status search_work(struct search *search, uint64_t ns,
                             search_read read, void *self);

/* After LINK_OK.  Valid until search_end(). */
const struct search_result *search_get_result(const struct search *search);

/* Returns how Xen reads who runs, once for each time that the search says it,
 * which may be long before it ends; else NULL.  Valid until the next
 * search_work(). */
const struct task_list *search_take_tasks(struct search *search);

/* Returns the ns that the process has worked so far, also after it died. */
uint64_t search_cpu(struct search *search);

#endif
