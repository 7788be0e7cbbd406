/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a session that xenoprofd never writes. */
#ifndef XENOPROF_BENCH_HOSTILE_FILES_H
#define XENOPROF_BENCH_HOSTILE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hostile_files {
    const char *folder;
    uint64_t most;     /* bytes in them */
    uint32_t file;     /* the next file's number */
    uint64_t sequence; /* the next block's number */
    uint64_t written;  /* bytes so far */
    uint64_t random;   /* state of hostile_random() */
    int fd;            /* of the current file; -1: none */
};

/* Exits with a sentence on what failed, unless it is ok. */
void hostile_need(bool ok, const char *what);

/* Makes the folder, with no file yet. */
void hostile_begin(struct hostile_files *files, const char *folder,
                   const char *mib);
void hostile_begin_file(struct hostile_files *files);
void hostile_put(struct hostile_files *files, const void *bytes, size_t size);
void hostile_end(struct hostile_files *files);

/* Returns a number that is the same in each run. */
uint64_t hostile_random(struct hostile_files *files);

/* Returns where noise ends, which is all but a 32nd: what a reader may do grows
 * with the bytes. */
static inline uint64_t hostile_noise_end(const struct hostile_files *files)
{
    return files->most / 32 * 31;
}

#endif
