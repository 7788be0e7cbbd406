/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --filter: which samples are shown.
 *
 *   KEY=VALUE[,VALUE...][,KEY=VALUE...]
 *
 * Values of one key are alternatives, different keys must all agree.  A comma
 * or a backslash in a value is written with a backslash before it.
 */
#ifndef XENOPROF_REPORT_MODEL_SELECT_H
#define XENOPROF_REPORT_MODEL_SELECT_H

#include "base/failure.h"
#include "base/vector.h"
#include "loaded.h"

#include <stdio.h>

enum filter_key {
    FILTER_DOMAIN,
    FILTER_VCPU,
    FILTER_PCPU,
    FILTER_MODE,
    FILTER_IMAGE,
    FILTER_SYMBOL,
    FILTER_LINE,
    FILTER_ENTRY,
    FILTER_REASON,
    FILTER_STACK,
    FILTER_PID,
    FILTER_TID,
    FILTER_COMM,
    FILTER_EXE,
    FILTER_CGROUP,
    FILTER_UNIT,
    FILTER_CONTAINER,
    FILTER_POD,
    FILTER_TIME,
    FILTERS
};

struct filter_value {
    char *text;
    char *domain;       /* that the numbers are of, malloc'ed; NULL: any */
    uint64_t low, high; /* where the key takes numbers or modes */
};

struct filter {
    VECTOR(struct filter_value);
};

struct selection {
    struct filter filters[FILTERS];
    struct time_range range;
};

void selection_free(struct selection *selection);

/* Add what one --filter says. */
enum exit_status selection_add(struct selection *selection, const char *text,
                               struct failure *failure);

/* Add what --last says: only so much of the session's end. */
enum exit_status selection_last(struct selection *selection, const char *text,
                                struct failure *failure);

/* What an option says that takes START..END. */
enum exit_status selection_range(const char *option, const char *text,
                                 struct time_range *ret,
                                 struct failure *failure);
/* Returns a copy with values of its own; selection_free(). */
struct selection selection_copy(const struct selection *selection);
/* Has one value of a key in the place of all that it had; text NULL: none. */
enum exit_status selection_set(struct selection *selection, enum filter_key key,
                               const char *text, struct failure *failure);
/* Returns what --filter is given for a key that has values, "domain=3,5",
 * malloc'ed. */
char *selection_option(const struct selection *selection, enum filter_key key);

/* Whether a key asks for stacks. */
bool selection_needs_stacks(const struct selection *selection);

/* Mark the cells that are turned down.  A domain that the session does not
 * know is an error, when all is marked. */
enum exit_status selection_apply(const struct selection *selection,
                                 struct loaded *loaded,
                                 struct failure *failure);

/* Whether the values of one key take a cell; FILTER_TIME takes any cell. */
bool selection_takes(const struct selection *selection,
                     const struct loaded *loaded, const struct cell *cell,
                     enum filter_key key);

/* As --filter has it, and --sort but for FILTER_TIME. */
const char *selection_key_name(enum filter_key key);

/* Returns whether it shows this cell. */
bool selection_shows(const struct selection *selection,
                     const struct loaded *loaded, const struct cell *cell);
/* Whether it turns anything down. */
bool selection_filters(const struct selection *selection);
/* One line for each key: name, two blanks, what it means. */
void selection_list_keys(FILE *file);
/* "domain=3,5 mode=xen", with nothing behind it. */
void selection_print(const struct selection *selection, FILE *file);

#endif
