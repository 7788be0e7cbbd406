/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the debug information of a file is. */
#ifndef XENOPROF_AGENT_DWARF_FILE_H
#define XENOPROF_AGENT_DWARF_FILE_H

#include "dwarf-data.h"

/* Returns NULL if the file is not for x86-64, has no debug information, or one
 * that takes more than most bytes once it is decompressed.  fd is its own from
 * now on, and is closed with it, or at once if there is NULL. */
struct dwarf_file *dwarf_file_open(int fd, size_t most);
/* Takes NULL. */
void dwarf_file_close(struct dwarf_file *file);

#endif
