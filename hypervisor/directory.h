/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of a session: its rings by number, the pages through which
 * the reader finds them, and the status page.
 */
#ifndef XENOPROF_HYPERVISOR_DIRECTORY_H
#define XENOPROF_HYPERVISOR_DIRECTORY_H

#include "ring.h"

struct directory {
    struct xenoprof_status_page status; /* what the shared page is a copy of */
    struct pages *status_page;
    struct pages *table[XENOPROF_TABLE_PAGES];
    struct pages *index[XENOPROF_INDEX_PAGES];
    struct ring **rings[XENOPROF_TABLE_PAGES]; /* as the tables: by number */
    uint32_t first_free; /* no ring number below this is free */
    uint32_t generation; /* of the last ring */
    uint32_t bytes;      /* of all rings */
};

/* Status page, first table page, first index page; false: no memory, nothing
 * is held. [command] */
bool directory_open(struct directory *directory);
/* Gives back all that it holds, rings too. [command] */
void directory_close(struct directory *directory);

/*
 * A new ring in *ret.  0, or an enum error: NO_SPACE (the ceiling, or all
 * numbers are in use), NO_MEMORY. [command]
 */
int directory_add(struct directory *directory, const struct ring_name *name,
                  uint32_t data_pages, struct ring **ret);
/* NULL: no such ring. [command] */
struct ring *directory_find(const struct directory *directory, uint64_t number);
/* Nobody writes to it any more. [command] */
void directory_remove(struct directory *directory, struct ring *ring);

/* A ring changed its state: have the reader look.  One caller at a time. */
void directory_changed(struct directory *directory);

/* The reader's sign of life. [soft] */
uint64_t directory_heartbeat(const struct directory *directory);

/* Copy status to the page that the reader sees. One caller at a time. */
void directory_publish(struct directory *directory);
uint64_t directory_status_mfn(const struct directory *directory);

#endif
