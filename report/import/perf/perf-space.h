/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a perf.data, and what their processes have mapped, as of the
 * record that came last. */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_SPACE_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_SPACE_H

#include "base/table.h"
#include "base/vector.h"

#define PERF_COMM 16u

struct perf_data_map {
    uint64_t start, end;
    uint64_t offset; /* in the file, of start */
    uint32_t file;   /* perf-files.h */
};

/* Processes that were forked, and mapped nothing since, share one. */
struct perf_space {
    uint64_t number; /* another one after each change; no other space has it */
    unsigned int users;
    struct {
        VECTOR(struct perf_data_map);
    } maps; /* by start; they do not overlap */
};

struct perf_thread {
    uint32_t tid; /* the key */
    uint32_t pid;
    bool ended;
    char comm[PERF_COMM]; /* "": not said */
};

struct perf_spaces {
    struct table threads, processes;
    uint64_t numbers; /* given out so far */
};

void perf_spaces_init(struct perf_spaces *spaces);
void perf_spaces_free(struct perf_spaces *spaces);

/* Returns the thread, which is good until the next call. */
const struct perf_thread *perf_thread(struct perf_spaces *spaces, uint32_t pid,
                                      uint32_t tid);
/* Returns the thread if anything was said of it, or NULL. */
const struct perf_thread *perf_thread_known(const struct perf_spaces *spaces,
                                            uint32_t pid, uint32_t tid);
/* It is called so from now on; exec: it runs another program, and nothing is
 * mapped any more. */
void perf_thread_call(struct perf_spaces *spaces, uint32_t pid, uint32_t tid,
                      const char *comm, bool exec);
/* A thread or a process begins; and ends. */
void perf_thread_fork(struct perf_spaces *spaces, uint32_t pid, uint32_t tid,
                      uint32_t parent, uint32_t parent_tid);
void perf_thread_end(struct perf_spaces *spaces, uint32_t pid, uint32_t tid);

/* Takes the place of what was mapped there. */
void perf_space_map(struct perf_spaces *spaces, uint32_t pid,
                    const struct perf_data_map *map);
/* Returns what a process has mapped, or NULL if that is nothing. */
const struct perf_space *perf_space_of(const struct perf_spaces *spaces,
                                       uint32_t pid);
/* Returns the mapping of an address, or NULL; space may be NULL. */
const struct perf_data_map *perf_space_find(const struct perf_space *space,
                                            uint64_t address);

#endif
