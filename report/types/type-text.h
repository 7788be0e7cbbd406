/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What amounts of a type of samples are in words: times in seconds, events in
 * thousands, millions and so on.
 */
#ifndef XENOPROF_REPORT_TYPES_TYPE_TEXT_H
#define XENOPROF_REPORT_TYPES_TYPE_TEXT_H

#include "report/model/loaded.h"

/* Each returns a malloc'ed text of an amount of what is shown: "12.345 s" or
 * "1.23 M", for columns; */
char *type_amount(const struct loaded *loaded, uint64_t amount);
/* "3 min 02 s" or "1.23 M cycles", for sentences. */
char *type_length(const struct loaded *loaded, uint64_t amount);

/* "3 min 02 s of pCPU time", "1.23 M cycles" or "1.23 M events of LLC_MISSES",
 * in the same way. */
char *type_part(const struct loaded *loaded, uint64_t amount);

/* What shares are of: "pCPU time", "waiting time", or the event. */
const char *type_whole(const struct loaded *loaded);
/* The title of a column of amounts. */
const char *type_column(const struct loaded *loaded);
/* The name of an amount in JSON. */
const char *type_member(const struct loaded *loaded);

/* How much of the time that it was to be counted an event was, in percent. */
double type_counted(const struct sample_type *type);

#endif
