/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of memory (memfd) that processes share. */
#ifndef XENOPROF_CAGE_MEMORY_FILE_H
#define XENOPROF_CAGE_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns a new empty file without a name, which nobody can execute, or -1. */
int memory_file_make(const char *label);

/* From now on the file has this size, for whoever has it.  Returns whether that
 * could be done. */
bool memory_file_fix_size(int file, size_t size);
/* From now on nobody can change the file, its size, or this.  No process may
 * have it mapped for writing.  Returns whether that could be done. */
bool memory_file_seal(int file);

/* Returns the sealed file's bytes, and their number in *size; or NULL. */
const void *memory_file_map(int file, size_t *size);

#endif
