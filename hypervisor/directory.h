/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of a session: its rings by number, the pages in which the
 * reader finds them, and the status page.
 */
#ifndef XENOPROF_HYPERVISOR_DIRECTORY_H
#define XENOPROF_HYPERVISOR_DIRECTORY_H

#include "ring.h"

struct directory {
    struct xenoprof_status_page status; /* the shared page is a copy */
    struct pages *status_page;
    struct pages *table[XENOPROF_TABLE_PAGES];
    struct pages *index[XENOPROF_INDEX_PAGES];
    struct ring **rings[XENOPROF_TABLE_PAGES]; /* by number, as the tables */
    uint32_t first_free; /* no ring number below this is free */
    uint32_t generation; /* of the last ring */
    uint32_t bytes;      /* of all rings, */
    uint32_t ceiling;    /* and at most */
};

/* Allocates the status page and the first table and index pages.  Returns
 * false without memory, and holds nothing then. [command] */
bool directory_open(struct directory *directory);
/* Gives everything back, the rings too. [command] */
void directory_close(struct directory *directory);

/*
 * Adds a new ring, *ret.  Returns 0, or ERROR_NO_SPACE (the ceiling, or all
 * numbers are in use), or ERROR_NO_MEMORY. [command]
 */
int directory_add(struct directory *directory, const struct ring_name *name,
                  uint32_t data_pages, struct ring **ret);
/* Returns the ring with this number, or NULL. [command] */
struct ring *directory_find(const struct directory *directory, uint64_t number);
/* Removes and frees a ring that nobody writes to any more. [command] */
void directory_remove(struct directory *directory, struct ring *ring);

/* Removes rings of so many pages, or a few more, so that a command does not
 * take long; nobody uses them.  Returns true when none is left. [command] */
bool directory_free_rings(struct directory *directory, uint32_t pages);

/* Makes the reader look at the rings again.  One caller at a time. */
void directory_changed(struct directory *directory);

/* Returns the reader's heartbeat: any change is a sign of life. [soft] */
uint64_t directory_heartbeat(const struct directory *directory);

/* Copies status to the page that the reader sees.  One caller at a time. */
void directory_publish(struct directory *directory);
uint64_t directory_status_mfn(const struct directory *directory);

#endif
