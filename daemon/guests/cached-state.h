/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What code of a passive guest's processes is called, by what the guest's
 * kernel has of their files in memory.  A file's code is asked for once,
 * whoever runs it, and samples wait for it, and not for long.
 */
#ifndef XENOPROF_DAEMON_GUESTS_CACHED_STATE_H
#define XENOPROF_DAEMON_GUESTS_CACHED_STATE_H

#include <stdbool.h>

#include "base/table.h"
#include "base/vector.h"

struct cached_search;

/* Files of one guest that are known at a time, and addresses in them. */
#define CACHED_FILES_MAX 1024u
#define CACHED_CODE_MAX  65536u
/* Searches at a time, of all guests. */
#define CACHED_SEARCHES_MAX 2u
/* Our clock, ns: between two of one guest; how long samples wait for one; after
 * which it is looked again for what was missing. */
#define CACHED_PAUSE    50000000ull
#define CACHED_PATIENCE 4000000000ull
#define CACHED_AGE      60000000000ull

/* Code of a file. */
struct file_code {
    uint64_t file; /* its id; 0: of none that is known */
    uint64_t offset;
};

struct guest_cached {
    bool wanted;         /* its kernel has them, and the user has agreed */
    struct table files;  /* struct cached_file */
    struct table code;   /* struct cached_code, by struct file_code */
    struct table places; /* of the session's file (named-places.h) */
    struct {
        VECTOR(struct file_code);
    } queue;                      /* to be asked for */
    size_t first;                 /* in the queue */
    uint64_t next;                /* our clock: when it may be searched again */
    struct cached_search *search; /* NULL: none goes on */
};

#endif
