/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of records in text form.  Printing and scanning use the same
 * tables.
 */
#ifndef XENOPROF_TESTS_RECORDS_RECORD_FIELDS_H
#define XENOPROF_TESTS_RECORDS_RECORD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "libxenoprof/record-parts.h"

enum field_form {
    FIELD_DECIMAL,
    FIELD_HEX,
    FIELD_MODE,  /* a name of mode_names */
    FIELD_CAUSE, /* a name of cause_names */
    FIELD_ENTRY, /* a name of field_entries */
    FIELD_STATE, /* a name of field_states */
    FIELD_MARKS  /* names of field_marks, with commas; "none" */
};

struct field {
    const char *name; /* NULL ends a table */
    uint8_t offset;
    uint8_t size;
    uint8_t form;
};

extern const struct field sample_fields[];
extern const struct field lost_fields[];
extern const struct field wait_fields[];
extern const struct field counted_fields[];

/* The text of a part of record_parts[]. */
struct part_text {
    const char *name;
    const struct field *fields; /* of its structure */
};

extern const struct part_text part_texts[RECORD_PARTS];

/* Indexed by value; NULL-terminated. */
extern const char *const field_entries[]; /* [0] is "" */
extern const char *const field_states[];
extern const char *const field_marks[]; /* indexed by bit; some are "" */

uint64_t field_get(const struct field *field, const void *structure);
void field_put(const struct field *field, void *structure, uint64_t value);

#endif
