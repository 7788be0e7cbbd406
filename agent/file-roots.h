/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the paths of processes lead. */
#ifndef XENOPROF_AGENT_FILE_ROOTS_H
#define XENOPROF_AGENT_FILE_ROOTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct file_roots {
    int all; /* the folder that is the root of all processes, which are not this
                machine's; -1: each has its own */
    /* Returns a descriptor of the debug file with this build-id, for who can
     * open none, or -1; NULL: they are opened here (debug-file.h). */
    int (*find_debug)(const uint8_t *id, size_t size);
};

/* Opens the regular file that this path is for a process, of which no link
 * leads out of the root.  Process 0 is this machine, and so is one that has
 * ended.  Returns -1 if there is none. */
int file_roots_open(const struct file_roots *roots, int32_t tgid,
                    const char *path);
/* The same, but only names it (process-root.h), where each has its own root. */
int file_roots_name(int32_t tgid, const char *path, struct stat *ret);

#endif
