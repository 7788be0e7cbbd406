/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that a process has mapped, as its kernel says: pieces of its memory
 * that may be executed, and the files that they are of.  The guest chose all of
 * it; what is here is fit to be shown.
 */
#ifndef XENOPROF_GUEST_MAPPED_H
#define XENOPROF_GUEST_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "origin.h"
#include "task-list.h"

/* Which process is meant: that of a thread, which is called so; "": it may be
 * called anything. */
struct mapped_process {
    struct origin_thread thread;
    char comm[TASK_NAME_BYTES];
};

/* Pieces of one process, and bytes of their texts. */
#define MAPPED_MAX       1024u
#define MAPPED_TEXTS_MAX 32000u

struct mapped_code {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    uint32_t path;   /* where in the texts; 0: of no file, or of one that is not
                        below the root of all */
    uint32_t unused; /* 0 */
};

/* Pieces do not overlap, and are sorted.  A text is a path from the root on. */
struct mapped_space {
    uint32_t count;
    uint32_t bytes; /* of texts; the first one is "" */
    struct mapped_code code[MAPPED_MAX];
    char texts[MAPPED_TEXTS_MAX];
};

/* Nothing is mapped. */
void mapped_space_init(struct mapped_space *space);
/* Adds a piece behind those that are there, of a file at that path; "": of
 * none, as it is also if the path finds no room.  Returns whether it lies
 * behind them, and finds room. */
bool mapped_space_add(struct mapped_space *space,
                      const struct mapped_code *piece, const char *path);

/* Returns the path of a piece, "" if there is none. */
static inline const char *mapped_path(const struct mapped_space *space,
                                      const struct mapped_code *piece)
{
    return space->texts + piece->path;
}

/* One behind the other: the two numbers, the pieces and the texts that there
 * are. */
#define MAPPED_FLAT_MAX sizeof(struct mapped_space)
/* Returns the size of what was put into to, which has MAPPED_FLAT_MAX bytes. */
size_t mapped_space_put(const struct mapped_space *space, void *to);
/* Returns whether size bytes that another process wrote are that, and are as
 * they should be. */
bool mapped_space_get(const void *from, size_t size, struct mapped_space *ret);

#endif
