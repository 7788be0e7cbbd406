/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader knows of one file of version 2: what it defined so far, and
 * what its last block says.  Nothing that a file says is trusted: numbers
 * beyond what was defined are of unknown things, and what a lost block defined
 * stays unknown.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_READER_TABLES_H
#define XENOPROF_LIBXENOPROF_SESSION_READER_TABLES_H

#include "defined-tables.h"

/* More than any writer defines in a file. */
#define READ_TEXT_BYTES_MAX (64u << 20)
#define READ_ROWS_MAX       (1u << 20) /* of a table that is not named here */
#define READ_KEPT_MAX       (1u << 22) /* numbers, of one block's table */

/* The deepest node. */
#define READ_DEPTH_MAX 1024u

struct read_text {
    const char *bytes; /* NULL: unknown; in pieces of the reader's */
    uint32_t size;
};

struct read_place {
    uint64_t address;
    uint32_t space;
    uint32_t symbol;
    uint32_t line; /* number in lines; 0: none is known */
    bool known;
};

struct read_line {
    uint32_t path; /* text */
    uint32_t line;
};

struct read_node {
    uint32_t parent;
    uint32_t place;
    uint16_t depth; /* 1: a root; 0: unknown */
};

struct read_ring {
    bool known;
    bool reported; /* ring.reported is right */
    struct defined_ring ring;
};

struct read_idle {
    uint64_t idle;
    bool reported;
};

#define READ_ROWS(type)                                                        \
    struct {                                                                   \
        VECTOR(type);                                                          \
    }

struct reader_tables {
    struct section_reader section;
    READ_ROWS(char *) pieces; /* that have texts */
    size_t text_bytes;
    READ_ROWS(struct read_text) texts;
    READ_ROWS(struct defined_domain) domains;
    READ_ROWS(struct defined_vcpu) vcpus;
    READ_ROWS(struct defined_space) spaces;
    READ_ROWS(struct defined_symbol) symbols;
    READ_ROWS(struct read_place) places;
    READ_ROWS(struct read_line) lines; /* of these */
    READ_ROWS(struct read_node) nodes;
    READ_ROWS(struct read_ring) rings;
    READ_ROWS(struct defined_type) types;
    READ_ROWS(struct defined_shape) shapes;
    READ_ROWS(struct xenoprof_entry) entries;
    READ_ROWS(struct xenoprof_thread) threads;
    struct section_shapes shape_has;
    READ_ROWS(struct read_idle) idles; /* by pCPU */
    bool sound; /* no block was lost since all was absolute */
    struct session_rows
        rows[SESSION_TABLES_MAX]; /* of the last block, by table,
                                                 if it is not one of these */
    bool anew; /* what rows of spooled said before does not count any more */
};

/* Returns false if there is no memory. */
bool reader_tables_init(struct reader_tables *read);
void reader_tables_free(struct reader_tables *read);
/* Another file begins. */
void reader_tables_begin(struct reader_tables *read);
/* A block of the file was lost. */
void reader_tables_gap(struct reader_tables *read);

/* Takes the first section of a block.  Returns COLUMN_OK, COLUMN_BAD if its
 * bytes make no sense, or COLUMN_NO_MEMORY. */
enum column_result reader_take_tables(struct reader_tables *read,
                                      struct cursor section, bool absolute);
/* Takes of the first section of a later, absolute block what a lost one said of
 * who ran and what samples have in common. */
enum column_result reader_take_later(struct reader_tables *read,
                                     struct cursor section);
/* Takes of the first section of a block what it says of shapes, and nothing
 * else. */
enum column_result reader_take_shapes(struct reader_tables *read,
                                      struct cursor section);
/* Takes the second: read->section then has the samples' columns, or count 0. */
enum column_result reader_take_samples(struct reader_tables *read,
                                       struct cursor section);

/* Each returns what has this number, or NULL if it is not known. */
#define READ_FIND(read, things, number)                                        \
    ((number) && (number) <= (read)->things.count                              \
         ? &(read)->things.items[(number)-1]                                   \
         : NULL)

/* Sets *ret to what samples of this type, a row of the file's, are of.  Returns
 * false if that is not known. */
static inline bool reader_type(const struct reader_tables *read,
                               uint64_t number, uint16_t *ret)
{
    const struct defined_type *type = READ_FIND(read, types, number);

    *ret = type ? type->number : XENOPROF_TYPE_TIME;
    return !number || (type && type->known);
}

/* Returns the domain of a row of vCPUs, and that vCPU's number; NULL: a lost
 * block defined them, or the file is somebody's. */
static inline const struct defined_domain *reader_vcpu(
    const struct reader_tables *read, uint64_t row, uint16_t *number)
{
    const struct defined_vcpu *vcpu = READ_FIND(read, vcpus, row);
    const struct defined_domain *domain = vcpu ? READ_FIND(read, domains,
                                                           vcpu->domain)
                                               : NULL;

    if ( !domain || !domain->known )
        return NULL;
    *number = vcpu->number;
    return domain;
}

/* Returns a text with a 0 behind it, or NULL. */
static inline const char *reader_text(const struct reader_tables *read,
                                      uint64_t number)
{
    const struct read_text *text = READ_FIND(read, texts, number);

    return text ? text->bytes : NULL;
}

#endif
