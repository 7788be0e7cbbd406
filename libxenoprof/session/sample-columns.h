/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples in columns, and who they are of by number: few are told apart, so
 * whoever counts samples looks at each of them once.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SAMPLE_COLUMNS_H
#define XENOPROF_LIBXENOPROF_SESSION_SAMPLE_COLUMNS_H

#include "base/table.h"
#include "base/vector.h"
#include "defined-tables.h"

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

/*
 * What samples have beside their place and time.  A writer puts it into a shape
 * (shape_of_sample()), a reader takes it from there to whose samples they are
 * (shape_to_who()), and one of these has it from there (sample_of_who()): what
 * is added to samples stands in all three.
 */

/* Of an event weight is 1, and the period how many a sample stands for. */
static inline struct defined_shape shape_of_sample(
    const struct xenoprof_stored *sample, uint32_t chains, uint32_t type,
    uint32_t entry)
{
    const bool is_event = sample->type >= XENOPROF_TYPE_EVENT;
    const uint64_t count = sample->count < XENOPROF_COUNT_MAX
                               ? sample->count
                               : XENOPROF_COUNT_MAX;

    return (struct defined_shape){
        .period = is_event ? count : sample->period,
        .has = sample->mode | chains,
        .marks = sample->marks,
        .weight = is_event ? 1 : sample->weight,
        .type = type,
        .entry = entry,
    };
}

/* The count is how many units of its type a sample stands for. */
static inline void shape_to_who(const struct defined_shape *shape,
                                uint16_t type, struct xenoprof_who *to)
{
    const bool is_event = type >= XENOPROF_TYPE_EVENT;
    const uint64_t count = shape->period < XENOPROF_COUNT_MAX
                               ? shape->period
                               : XENOPROF_COUNT_MAX;

    to->mode = shape->has & SHAPE_HAS_MODE;
    to->weight = shape->weight;
    to->marks = shape->marks;
    to->period = is_event ? 0 : (uint32_t)shape->period;
    to->count = is_event ? count : (uint64_t)shape->weight * to->period;
    to->type = type;
}

static inline struct xenoprof_stored sample_of_who(
    const struct xenoprof_who *who)
{
    _Static_assert(sizeof(*who) == 2 * sizeof(uint64_t) + sizeof(who->entry) +
                                       sizeof(who->thread) +
                                       sizeof(who->count) + sizeof(who->type) +
                                       sizeof(who->zero),
                   "a hole between members has any content");

    return (struct xenoprof_stored){
        .domain = who->domain,
        .vcpu = who->vcpu,
        .pcpu = who->pcpu,
        .mode = who->mode,
        .weight = who->weight,
        .marks = who->marks,
        .period = who->period,
        .entry = who->entry,
        .thread = who->thread,
        .count = who->count,
        .type = (uint16_t)who->type,
    };
}

/* Samples from first to end, not included. */
void sample_columns_range(const struct sample_columns *columns, size_t first,
                          size_t end, struct xenoprof_item *ret);
/* One of them. */
void sample_columns_one(const struct sample_columns *columns, size_t index,
                        struct xenoprof_item *ret);

#endif
