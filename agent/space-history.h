/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code each process had mapped, and when: also of processes that have
 * ended, for a while, since who asks has seen them some time ago.
 *
 * Memory is bounded.  What ended first goes first; when nothing has ended, what
 * is new is refused and counted, so processes that multiply cost the others
 * nothing.
 */
#ifndef XENOPROF_AGENT_SPACE_HISTORY_H
#define XENOPROF_AGENT_SPACE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAST_MAPPINGS_MAX 1024u
#define PAST_PATH_MAX     4096u
#define PAST_TEXT_MAX     65536u /* of all paths of a space */
#define PAST_PARTS        4096u  /* of a history, to be looked at one by one */

/* Executable memory. */
struct past_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    uint64_t since;  /* when it was mapped */
    uint64_t inode;  /* number of the file; 0: there is none */
    uint32_t path;   /* its place in the space's text */
};

/* A process from one exec to the next, or its end. */
struct past_space {
    int32_t tgid;
    uint64_t from, until; /* until is UINT64_MAX while it goes on */
    uint64_t known;       /* as of when it was last read whole, or began */
    uint32_t count;
    struct past_mapping *mappings; /* by start; they do not overlap */
    char *text;
};

struct space_history;

struct space_history_counts {
    size_t spaces, bytes;
    uint64_t dropped; /* spaces that had ended, for want of room */
    uint64_t refused; /* spaces and mappings that there was no room for */
};

/* Holds so many bytes, and what has ended for so long.  Returns NULL if there
 * is no memory.  All times are of one clock. */
struct space_history *space_history_open(size_t bytes, uint64_t keep);
/* Takes NULL. */
void space_history_close(struct space_history *history);

/* A process that goes on is as it is now, and has so many threads.  What is
 * said to have happened to it before is passed over from here on. */
void space_history_process(struct space_history *history, int32_t tgid,
                           uint32_t threads, uint64_t time);
/* All of it was said: if its code is what was known before, it is the same
 * space as before. */
void space_history_settle(struct space_history *history, int32_t tgid);
/* A process, or a thread of it, began: child has what parent has. */
void space_history_fork(struct space_history *history, int32_t parent,
                        int32_t child, uint64_t time);
void space_history_thread(struct space_history *history, int32_t tgid,
                          uint64_t time);
/* A process ran another program: nothing is mapped. */
void space_history_exec(struct space_history *history, int32_t tgid,
                        uint64_t time);
/* Somebody who knows says that from that time on a process is another space,
 * with nothing mapped yet.  What was said of later times is void.  Such a space
 * goes on until more is said; the one that was said first goes first when there
 * is no room. */
void space_history_tell(struct space_history *history, int32_t tgid,
                        uint64_t time);
/* A piece of code was mapped, where others may have been.  path is "" if there
 * is no file. */
void space_history_map(struct space_history *history, int32_t tgid,
                       const struct past_mapping *mapping, const char *path);
/* A thread ended; with the last one the process did. */
void space_history_exit(struct space_history *history, int32_t tgid,
                        uint64_t time);
/* Of a part of the spaces: those whose process has ended, which was not said,
 * end at that time. */
void space_history_end_gone(struct space_history *history, unsigned int part,
                            bool (*has_ended)(int32_t tgid), uint64_t time);
/* Forgets what ended too long ago. */
void space_history_expire(struct space_history *history, uint64_t now);

/* Returns the space that the process of that number had at that time, or NULL.
 * Good until anything is added. */
const struct past_space *space_history_find(const struct space_history *history,
                                            int32_t tgid, uint64_t time);

struct space_history_counts space_history_counts(
    const struct space_history *history);

#endif
