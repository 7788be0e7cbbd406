/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorded rings in a folder, so that what Xen once said can be read again:
 *
 *   status.page    the status page; if it is not there, one is made up
 *   index.pages    the index pages: where the reader was; 0 if not there
 *   ring-N.page    ring N's page
 *   ring-N.data    its data pages
 *   ring-N.text    or both as text: a line that says whose ring it is, then
 *                  records, xenoprof-records(5)
 */
#ifndef XENOPROF_LIBXENOPROF_REPLAY_H
#define XENOPROF_LIBXENOPROF_REPLAY_H

#include "private.h"

#define REPLAY_STATUS "status.page"
#define REPLAY_INDEX  "index.pages"
#define REPLAY_PATH   4096u

/* One ring while a folder is loaded. */
struct replay_ring {
    uint32_t number;
    struct xenoprof_ring_page page;
    uint8_t *data; /* page.data_pages pages, malloc'ed */
};

/* folder/ring-NUMBER.SUFFIX */
void replay_ring_path(const char *folder, uint32_t number, const char *suffix,
                      char ret[REPLAY_PATH]);

/* A whole file, malloc'ed, with a zero behind it; NOT_FOUND, silently, if it
 * is not there. */
enum xenoprof_status replay_read(struct xenoprof_handle *handle,
                                 const char *path, void **ret, size_t *size);

/* ring-N.text: ret->number is given, the rest is filled in. */
enum xenoprof_status replay_load_text(struct xenoprof_handle *handle,
                                      const char *path, char *text,
                                      struct replay_ring *ret);

#endif
