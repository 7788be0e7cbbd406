/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that processes have mapped: which they are, and what they say. */
#ifndef XENOPROF_AGENT_FILE_NAMES_H
#define XENOPROF_AGENT_FILE_NAMES_H

#include <sys/stat.h>

#include "kept-files.h"

struct file_names;

/* Who reads files for others.  look() is called often, and when fd can be
 * read. */
struct file_reader {
    /* Answers as kept_files_answer() does, about what the descriptor names
     * (process-root.h). */
    void (*ask)(void *self, int named, const struct stat *status,
                const struct file_question *question, struct file_answer *ret);
    size_t (*bytes)(void *self);
    uint64_t (*refused)(void *self);
    uint64_t (*cpu)(void *self);
    void (*begin_anew)(void *self);
    void (*look)(void *self);
    int fd;
    void *self;
};

/* Holds so many bytes.  Returns NULL if there is no memory. */
struct file_names *file_names_open(size_t bytes);
/* The same of files that are all below this folder, whose descriptor stays the
 * caller's: there a path alone says which file it is, whatever its inode number
 * is, and "[vdso]" is none. */
struct file_names *file_names_open_below(size_t bytes, int folder);
/* The same of files that this reader reads. */
struct file_names *file_names_open_for(const struct file_reader *reader);
/* Takes NULL. */
void file_names_close(struct file_names *files);

/* Returns the number of the file that this path is for a process; 0 if it
 * cannot be opened, or is not the one with that inode number.  Equal numbers
 * are the same file; none is given again.  "[vdso]" is a file.  When the
 * process has ended, the path is looked up as our own. */
uint64_t file_names_number(struct file_names *files, int32_t tgid,
                           const char *path, uint64_t inode);

/* Code that a process has mapped of a file. */
struct mapped_file {
    int32_t tgid;
    const char *path;
    uint64_t inode;
    uint64_t offset; /* of the code in the file; or in its table of rows */
};

/*
 * Asks the file, whose number *number is then.  What reading takes is taken
 * from *steps (inline-names.h; NULL: there are none to take).  Returns the
 * answer, which is good until the next call, or NULL and the number 0.
 */
const struct file_answer *file_names_ask(struct file_names *files,
                                         const struct mapped_file *mapped,
                                         enum file_asks asks, uint64_t *steps,
                                         uint64_t *number);

/* Gives back what reading took if nothing was read for a while. */
void file_names_rest(struct file_names *files);
/* Returns what wakes who has to call that; -1: nothing. */
int file_names_fd(const struct file_names *files);
/* What was refused is tried again: somebody new asks. */
void file_names_begin_anew(struct file_names *files);

size_t file_names_bytes(const struct file_names *files);
/* Returns the ns that processes have worked for it. */
uint64_t file_names_cpu(const struct file_names *files);
/* Returns how many files, and units of debug information, there was no room
 * for, or that took too much, so far. */
uint64_t file_names_refused(const struct file_names *files);

#endif
