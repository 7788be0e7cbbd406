/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample can be told apart by.
 */
#ifndef XENOPROF_REPORT_MODEL_LABELS_H
#define XENOPROF_REPORT_MODEL_LABELS_H

#include "base/failure.h"
#include "loaded.h"

#include <stdio.h>

enum label {
    LABEL_DOMAIN,
    LABEL_VCPU,
    LABEL_PCPU,
    LABEL_MODE,
    LABEL_IMAGE,
    LABEL_SYMBOL,
    LABEL_ADDRESS,
    LABEL_LINE,
    LABEL_ENTRY,
    LABEL_PID,
    LABEL_TID,
    LABEL_COMM,
    LABEL_EXE,
    LABEL_CGROUP,
    LABEL_UNIT,
    LABEL_CONTAINER,
    LABEL_POD,
    LABELS
};

/* Labels in an order, each at most once. */
struct label_list {
    enum label label[LABELS];
    size_t count;
    bool chains; /* stacks (stacks.h) that are not alike are told apart */
    bool areas;  /* addresses in one area of Xen's (areas.h) are alike */
};

#define LABEL_NONE UINT64_MAX /* the value of a label that is not known */

/* "domain,mode": unknown and repeated ones are errors. */
enum exit_status label_list_parse(const char *text, struct label_list *ret,
                                  struct failure *failure);
bool label_list_has(const struct label_list *list, enum label label);
/* One line for each label: name, two blanks, what it is. */
void label_list_all(FILE *file);

struct frame;

/* All that is to be known of a label.  A new one is a row in labels.c. */
struct label_kind {
    const char *name; /* as --sort takes it */
    const char *what; /* in --list-fields */
    uint64_t (*value)(const struct cell *cell);
    /* The frame's own value; NULL: frames have none, only samples do. */
    uint64_t (*frame_value)(const struct frame *frame);
    char *(*text)(const struct loaded *loaded, uint64_t value);
    bool groups; /* groups the stacks of a tree; else it is part of a frame */
    bool number; /* shown as a number */
    bool narrow; /* its column is never cut */
    /* Whether rows in JSON have it. */
    enum { JSON_NEVER, JSON_IF_SORTED, JSON_ALWAYS } json;
    const char *json_key; /* of its text; NULL: name */
};

const struct label_kind *label_kind(enum label label);
static inline const char *label_name(enum label label)
{
    return label_kind(label)->name;
}

/* Returns the value of a frame's label (one that frames have), or
 * LABEL_NONE. */
uint64_t label_frame_value(const struct frame *frame, enum label label);

/* A number that is the same for cells of which the label is the same. */
uint64_t label_value(const struct cell *cell, enum label label);
/* The address of a cell whose symbol is not known, else LABEL_NONE. */
uint64_t label_unnamed(const struct cell *cell);

/* A symbol without the file that Xen names statics with
 * ("arch/x86/mm.c#get_page"); part of name. */
const char *label_short_symbol(const char *name);

/* A label's value for people; unnamed as above, for LABEL_SYMBOL.
 * malloc'ed. */
char *label_text(const struct loaded *loaded, enum label label, uint64_t value,
                 uint64_t unnamed);

/* The same where nothing says which label it is: "pid 97", but "sshd". */
char *label_level_text(const struct loaded *loaded, enum label label,
                       uint64_t value);

#endif
