/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples in columns, and who they are of by number: few are told apart, so
 * whoever counts samples looks at each of them once.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SAMPLE_COLUMNS_H
#define XENOPROF_LIBXENOPROF_SESSION_SAMPLE_COLUMNS_H

#include "base/table.h"
#include "base/vector.h"
#include "libxenoprof.h"

#define WHO_LATELY 4096u

struct sample_columns {
    size_t count, room;
    uint64_t first, last; /* no time is before or after */
    bool timeless;        /* times are not wanted, and may be anything */
    bool summed;          /* they are ns that samples stand for */
    uint64_t *times;
    uint32_t *whos, *calls;
    uint32_t *vcpus;               /* rows of the file's */
    uint32_t *seconds;             /* after that of the first */
    bool apart;                    /* these say where samples ran, not who[]: */
    uint16_t *on_vcpus, *on_pcpus; /* numbers */
    struct table who;              /* struct xenoprof_who */
    uint32_t lately[WHO_LATELY];   /* numbers + 1 of some, by their hash */
    struct {
        VECTOR(struct xenoprof_call);
    } call;
    uint32_t file;      /* counts them */
    struct table nodes; /* struct xenoprof_node, as they came */
};

void sample_columns_init(struct sample_columns *columns);
void sample_columns_free(struct sample_columns *columns);

/* Whether times are those of samples. */
static inline bool sample_columns_timed(const struct sample_columns *columns)
{
    return !columns->timeless && !columns->summed;
}

/* Leaves no samples and room for so many.  Returns false if there is no
 * memory. */
bool sample_columns_begin(struct sample_columns *columns, size_t room);

/* Another file begins: who samples are of, calls and nodes do. */
void sample_columns_begin_file(struct sample_columns *columns);

/* Sets *ret to the number of who samples are of.  Returns false if there is no
 * memory. */
bool sample_columns_who(struct sample_columns *columns,
                        const struct xenoprof_who *who, uint32_t *ret);
/* Adds a node.  Returns false if there is no memory. */
bool sample_columns_node(struct sample_columns *columns, uint32_t parent,
                         uint32_t place);
/* Sets *ret to the number of one call more.  Returns false if there is no
 * memory. */
bool sample_columns_call(struct sample_columns *columns,
                         const struct xenoprof_call *call, uint32_t *ret);

/* Samples from first to end, not included. */
void sample_columns_range(const struct sample_columns *columns, size_t first,
                          size_t end, struct xenoprof_item *ret);
/* One of them. */
void sample_columns_one(const struct sample_columns *columns, size_t index,
                        struct xenoprof_item *ret);

#endif
