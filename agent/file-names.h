/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that processes have mapped, with their functions and unwind rows,
 * as many as there is room for: the one that was not asked for longest goes
 * first. */
#ifndef XENOPROF_AGENT_FILE_NAMES_H
#define XENOPROF_AGENT_FILE_NAMES_H

#include "base/buffer.h"
#include "dwarf/inline-names.h"
#include "elf-names.h"

struct file_names;

/* Holds so many bytes.  Returns NULL if there is no memory. */
struct file_names *file_names_open(size_t bytes);
/* The same of files that are all below this folder, whose descriptor stays the
 * caller's: there a path alone says which file it is, whatever its inode number
 * is, and "[vdso]" is none. */
struct file_names *file_names_open_below(size_t bytes, int folder);
/* Takes NULL. */
void file_names_close(struct file_names *files);

/*
 * Returns the functions of the file that this path is for a process, good until
 * the next call; or NULL if it cannot be opened, is not an ELF file, or is not
 * the one with that inode number.  When the process has ended, the path is
 * looked up as our own.
 */
const struct elf_names *file_names_get(struct file_names *files, int32_t tgid,
                                       const char *path, uint64_t inode);

/* Returns the file's number, or 0 if it cannot be opened or is another one.
 * Equal numbers are the same file; none is given again.  "[vdso]" is a file. */
uint64_t file_names_number(struct file_names *files, int32_t tgid,
                           const char *path, uint64_t inode);

/* The same; and its table of rows, as row_table_put() writes it, good until the
 * next call.  It is empty if the file has none. */
uint64_t file_names_rows(struct file_names *files, int32_t tgid,
                         const char *path, uint64_t inode,
                         const struct buffer **rows);

/* Code that a process has mapped of a file. */
struct mapped_file {
    int32_t tgid;
    const char *path;
    uint64_t inode;
    uint64_t offset; /* of the code in the file */
};

/*
 * Finds what was inlined there, by the debug information of the file or of the
 * one that a package has of it.  The texts are good until the next call.
 * Returns false, and has done nothing, if something would have to be read and
 * no steps are left (inline-names.h); what is read takes some of them.
 */
bool file_names_inlined(struct file_names *files,
                        const struct mapped_file *mapped, uint64_t *steps,
                        struct inline_chain *ret);
/* Gives back what reading took if nothing was read for a while. */
void file_names_rest(struct file_names *files);

size_t file_names_bytes(const struct file_names *files);
/* Returns how many files, and units of debug information, there was no room
 * for, so far. */
uint64_t file_names_refused(const struct file_names *files);

#endif
