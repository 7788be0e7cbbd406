/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of records, and their fields in text form.  Checking, encoding,
 * printing and scanning use the same tables.
 */
#ifndef XENOPROF_LIBXENOPROF_RECORD_FIELDS_H
#define XENOPROF_LIBXENOPROF_RECORD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "libxenoprof.h"

enum field_form {
    FIELD_DECIMAL,
    FIELD_HEX,
    FIELD_MODE,  /* a name of field_modes */
    FIELD_CAUSE, /* a name of field_causes */
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

/* What follows the structure of a part. */
enum part_tail {
    PART_TAIL_NOTHING,
    PART_TAIL_ADDRESSES, /* the structure is a xenoprof_chain */
    PART_TAIL_BYTES      /* the structure is a xenoprof_window */
};

struct record_part {
    const char *name;
    uint16_t bit;    /* enum xenoprof_part */
    uint16_t member; /* offset in struct xenoprof_view */
    uint16_t size;   /* bytes of the structure */
    enum part_tail tail;
    const struct field *fields; /* of the structure */
};

enum {
    RECORD_PARTS = 0
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text) +1
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

/* In the order in which a sample has them. */
extern const struct record_part record_parts[RECORD_PARTS];

/* Returns the part's structure, or NULL if the view lacks the part. */
const void *record_part_get(const struct record_part *part,
                            const struct xenoprof_view *view);
void record_part_put(const struct record_part *part, struct xenoprof_view *view,
                     const void *structure);
/* Returns the bytes that follow the structure, without padding. */
size_t record_part_tail(const struct record_part *part, const void *structure);

/* Indexed by value; NULL-terminated. */
extern const char *const field_modes[];
extern const char *const field_causes[];
extern const char *const field_entries[]; /* [0] is "" */
extern const char *const field_states[];
extern const char *const field_marks[]; /* indexed by bit; some are "" */

uint64_t field_get(const struct field *field, const void *structure);
void field_put(const struct field *field, void *structure, uint64_t value);

#endif
