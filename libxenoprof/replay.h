/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved rings in a folder, so that what Xen once shared can be read again:
 *
 *   status.page    the status page; one is made up if it is missing
 *   index.pages    the index pages: where the reader was; zeroes if missing
 *   ring-N.page    ring N's page
 *   ring-N.data    its data pages
 *   ring-N.text    or both as text: a line with the ring's identity, then
 *                  records as in xenoprof-records(5)
 */
#ifndef XENOPROF_LIBXENOPROF_REPLAY_H
#define XENOPROF_LIBXENOPROF_REPLAY_H

#include "base/vector.h"
#include "handle.h"

#define REPLAY_STATUS "status.page"
#define REPLAY_INDEX  "index.pages"
#define REPLAY_PATH   4096u

struct replay_ring {
    uint32_t number;
    struct xenoprof_ring_page page;
    uint8_t *data; /* page.data_pages pages, malloc'ed */
};

/* A folder in memory; handle and path are the caller's. */
struct replay_folder {
    struct xenoprof_handle *handle;
    const char *path;
    VECTOR(struct replay_ring);
    size_t pages; /* of all rings, their ring pages included */
};

/* folder/ring-NUMBER.SUFFIX */
void replay_ring_path(const char *folder, uint32_t number, const char *suffix,
                      char ret[REPLAY_PATH]);

/* Load all rings of folder->path.  Returns XENOPROF_OK, or a status with a
 * message at the handle.  The caller frees the folder in both cases. */
enum xenoprof_status replay_load(struct replay_folder *folder);
void replay_free(struct replay_folder *folder);

/* Read the first size bytes of a file that must have this many pages.  Returns
 * XENOPROF_OK, XENOPROF_NOT_FOUND without a message if there is no such file,
 * or another status with a message at the handle. */
enum xenoprof_status replay_load_pages(struct xenoprof_handle *handle,
                                       const char *path, size_t pages,
                                       void *ret, size_t size);

/* Parse the text of a ring-N.text; text is changed.  The caller sets
 * ret->number, and frees ret->data also if this fails. */
enum xenoprof_status replay_load_text(struct xenoprof_handle *handle,
                                      const char *path, char *text,
                                      struct replay_ring *ret);

#endif
