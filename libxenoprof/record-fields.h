/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of records in their text form.  Printing and scanning use the
 * same tables.
 */
#ifndef XENOPROF_LIBXENOPROF_RECORD_FIELDS_H
#define XENOPROF_LIBXENOPROF_RECORD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum field_form {
    FIELD_DECIMAL,
    FIELD_HEX,
    FIELD_MODE,  /* a name of field_modes */
    FIELD_CAUSE, /* a name of field_causes */
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
extern const struct field guest_fields[];
extern const struct field registers_fields[];

/* Indexed by value; NULL-terminated. */
extern const char *const field_modes[];
extern const char *const field_causes[];
extern const char *const field_marks[]; /* indexed by bit */

uint64_t field_get(const struct field *field, const void *structure);
void field_put(const struct field *field, void *structure, uint64_t value);

#endif
