/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionary of --export=otlp: what samples refer to, by its number.  The
 * first of each table stands for nothing, so functions, frames and mappings are
 * the walk's number and 1.  Strings, attributes and stacks have numbers when
 * they are first asked for.
 */
#ifndef XENOPROF_REPORT_EXPORT_OTLP_DICTIONARY_H
#define XENOPROF_REPORT_EXPORT_OTLP_DICTIONARY_H

#include "base/buffer.h"
#include "base/names.h"
#include "export-walk.h"

/* A key with a value, text or number. */
struct otlp_attribute {
    struct {
        uint32_t key, text; /* strings; text 0: it is a number */
        uint64_t number;
    } key;
};

struct otlp_dictionary {
    struct export_walk *walk;
    struct names texts;
    struct table attributes; /* struct otlp_attribute */
    uint32_t *stack_numbers; /* of the walk's; 0: none yet */
    struct {
        VECTOR(uint32_t);
    } stacks; /* the walk's, in the order of their numbers, from 1 on */
    /* What is known of the last sample's labels. */
    struct {
        uint64_t value;
        uint32_t attribute;
    } recent[WALK_LABELS];
};

/* otlp_dictionary_free() in any case; walk is the caller's. */
void otlp_dictionary_init(struct otlp_dictionary *dictionary,
                          struct export_walk *walk);
void otlp_dictionary_free(struct otlp_dictionary *dictionary);

/* Each returns a number; NULL is as "". */
uint32_t otlp_text(struct otlp_dictionary *dictionary, const char *text);
uint32_t otlp_stack(struct otlp_dictionary *dictionary, uint32_t stack);
/* The same of an attribute that says that no sample is there: what Xen's
 * account has beside samples. */
uint32_t otlp_unsampled(struct otlp_dictionary *dictionary);
/* The same of a label of a cell's; 0: it has none. */
uint32_t otlp_label(struct otlp_dictionary *dictionary, const struct cell *cell,
                    enum walk_label label);

/* Appends all tables to message. */
void otlp_dictionary_put(struct otlp_dictionary *dictionary,
                         struct buffer *message);

#endif
