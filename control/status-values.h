/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of an answer to `status` as structs, one for each line of
 * status-values.def: the daemon fills and writes them, xenopctl reads them.
 */
#ifndef XENOPROF_CONTROL_STATUS_VALUES_H
#define XENOPROF_CONTROL_STATUS_VALUES_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "domain-list.h"
#include "libxenoprof.h"

/*
 * status_put_LINE() writes a line that begins with word.
 * status_take_LINE() takes all numbers of a line, 0 for those that are not
 * there or are none, the low bits of those that are too large; and the texts
 * that are there, of those that are too long the beginning.
 */
#define STATUS_LINE(line)                   struct status_##line {
#define STATUS_LIST(line, list)             STATUS_LINE(line)
#define STATUS_TEXT(line, key, size, ...)   char key[size];
#define STATUS_NUMBER(line, key, bits, ...) uint##bits##_t key;
#define STATUS_COUNT(line, key, ...)        uint64_t key;
#define STATUS_END(line)                                                       \
    }                                                                          \
    ;                                                                          \
    void status_put_##line(const struct status_##line *values,                 \
                           const char *word, FILE *file);                      \
    void status_take_##line(struct status_##line *ret, const char *text);
#include "status-values.def"

/* Keeps the beginning of a text if it is longer than a member of these. */
#define STATUS_COPY(member, text) snprintf(member, sizeof(member), "%s", text)

/* What Xen counts; the other members are left alone. */
void status_counters_of(struct status_counters *ret,
                        const struct xenoprof_counters *counters);
/* What Xen says of a ring that the caller has read so far, without what is
 * lost; its name, if it is of a domain, and its state are the caller's. */
void status_ring_of(struct status_ring *ret,
                    const struct xenoprof_ring_info *info, uint64_t read);
/* The rings of an owner that have ended, as one; its name is the caller's, if
 * it is "" then. */
void status_ring_of_sum(struct status_ring *ret,
                        const struct xenoprof_ring_sum *sum);

#endif
