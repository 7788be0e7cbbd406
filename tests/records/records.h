/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records made by tests, as bytes and as text: tests/golden/records has such
 * texts, and xenoprof-records(5) what is in them.
 */
#ifndef XENOPROF_TESTS_RECORDS_RECORDS_H
#define XENOPROF_TESTS_RECORDS_RECORDS_H

#include "libxenoprof.h"

/*
 * Joins a view's parts into a record; head.length and head.parts are computed.
 * Returns its length, or 0 if it does not fit into size or is longer than
 * XENOPROF_RECORD_MAX.
 */
size_t record_encode(const struct xenoprof_view *view, void *bytes,
                     size_t size);

/* Prints a record as lines of text.  *ret is malloc'ed. */
enum xenoprof_status record_print(const struct xenoprof_view *view, char **ret);
/* Reads one record from text, and moves *text past it.  Returns XENOPROF_OK, or
 * XENOPROF_END at the end of the text. */
enum xenoprof_status record_scan(struct xenoprof_handle *handle,
                                 const char **text, void *bytes, size_t size,
                                 size_t *ret);

#endif
