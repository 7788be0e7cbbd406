/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file is, as it is now: written to, or replaced, it is another one. */
#ifndef XENOPROF_AGENT_FILE_IDENTITY_H
#define XENOPROF_AGENT_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

struct file_identity {
    uint64_t device, inode, size, seconds, nanoseconds;
};

static inline struct file_identity file_identity_of(const struct stat *status)
{
    return (struct file_identity){
        status->st_dev, status->st_ino, (uint64_t)status->st_size,
        (uint64_t)status->st_mtim.tv_sec, (uint64_t)status->st_mtim.tv_nsec};
}

static inline bool file_identity_is(const struct file_identity *one,
                                    const struct file_identity *other)
{
    return !memcmp(one, other, sizeof(*one));
}

#endif
