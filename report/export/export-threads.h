/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ran, for formats of perf's, which know processes and threads of one host:
 * a domain is a process, and each of its threads is a thread of that, or, where
 * it is not known which one ran, each of its vCPUs.  Numbers are ours, since
 * those of two domains' threads may be the same.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_THREADS_H
#define XENOPROF_REPORT_EXPORT_EXPORT_THREADS_H

#include "export-walk.h"

struct export_thread {
    struct {
        uint64_t domain, comm, thread;
    } key;
    int32_t pid, tid;
    char *comm; /* "web/nginx", "web": a line's part without blanks */
};

struct export_threads {
    struct table table; /* struct export_thread */
};

/* threads_free() in any case. */
void threads_init(struct export_threads *threads);
void threads_free(struct export_threads *threads);

/* Returns who ran when a cell's samples were taken: the last of the table if
 * it was not there before.  Good until the next call. */
const struct export_thread *threads_of(struct export_threads *threads,
                                       struct export_walk *walk,
                                       const struct cell *cell);

/* Returns a name without blanks and what would end a line; malloc'ed. */
char *threads_word(const char *name);
/* Returns what perf's tools take for the image of a function: "[xen]",
 * "[virtio_net]", a path; kernel is what that of a kernel is called.
 * malloc'ed. */
char *threads_image(const struct walk_function *function, const char *kernel);

/* The event of a type of samples, as perf calls it. */
const char *threads_event(const struct export_walk *walk, uint32_t type);

#endif
