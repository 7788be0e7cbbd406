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

/* Pieces of one process, files that they are of, and bytes of their texts. */
#define MAPPED_MAX       1024u
#define MAPPED_FILES_MAX 256u
#define MAPPED_TEXTS_MAX 28000u

/* A file as its kernel has it, for kernel_get_leaves(). */
struct guest_file {
    uint64_t mapping; /* where the kernel has what it knows of its pages */
    uint64_t id;      /* another one if another file is there; not 0 */
};

struct mapped_code {
    uint64_t start, end;
    uint64_t offset;    /* in the file */
    uint32_t path;      /* where in the texts; 0: of no file, or it has none */
    uint16_t file;      /* number of its file, from 1 on; 0: not known */
    uint16_t elsewhere; /* 1: there is no such path below the root of all, since
                           it is another root's, or the file was removed */
};

/* Pieces do not overlap, and are sorted.  A text is a path from the root on. */
struct mapped_space {
    uint32_t count;
    uint32_t bytes; /* of texts; the first one is "" */
    uint32_t files;
    uint32_t unused; /* 0 */
    struct mapped_code code[MAPPED_MAX];
    struct guest_file file[MAPPED_FILES_MAX];
    char texts[MAPPED_TEXTS_MAX];
};

/* Nothing is mapped. */
void mapped_space_init(struct mapped_space *space);
/* Adds a piece behind those that are there, of a file at that path; "": of
 * none, as it is also if the path finds no room.  Returns whether it lies
 * behind them, and finds room. */
bool mapped_space_add(struct mapped_space *space,
                      const struct mapped_code *piece, const char *path);

/* Adds a file.  Returns its number, for struct mapped_code; 0 if there is no
 * room, or it has no id. */
uint16_t mapped_space_file(struct mapped_space *space,
                           const struct guest_file *file);

/* Returns what a piece's file is called, "" if that is not known. */
static inline const char *mapped_name(const struct mapped_space *space,
                                      const struct mapped_code *piece)
{
    return space->texts + piece->path;
}

/* Returns the path of a piece below the root of all, "" if there is none. */
static inline const char *mapped_path(const struct mapped_space *space,
                                      const struct mapped_code *piece)
{
    return piece->elsewhere ? "" : mapped_name(space, piece);
}

/* One behind the other: the numbers, and the pieces, files and texts that there
 * are. */
#define MAPPED_FLAT_MAX sizeof(struct mapped_space)
/* Returns the size of what was put into to, which has MAPPED_FLAT_MAX bytes. */
size_t mapped_space_put(const struct mapped_space *space, void *to);
/* Returns whether size bytes that another process wrote are that, and are as
 * they should be. */
bool mapped_space_get(const void *from, size_t size, struct mapped_space *ret);

#endif
