/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of symbols and debug information, which packages install apart from the
 * programs that they are of: in Debian those that are called NAME-dbgsym or
 * NAME-dbg.  They are our own machine's, whatever root a process has; or below
 * the root of all.
 */
#ifndef XENOPROF_AGENT_DEBUG_FILE_H
#define XENOPROF_AGENT_DEBUG_FILE_H

#include "elf-names.h"
#include "file-roots.h"

/* Returns a descriptor of the one that is where one with that build-id should
 * be, or -1. */
int debug_file_find(const struct file_roots *roots, const uint8_t *id,
                    size_t size);
/* Returns a descriptor of the one with the build-id of these names, or -1 if
 * there is none. */
int debug_file_open(const struct file_roots *roots,
                    const struct elf_names *names);

#endif
