/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the samples of a session are of: time, waiting, events.  A report has
 * one type, and never adds up two.  All types' samples are counted in cells
 * while a session is read; then one is chosen, and the cells of others go; an
 * export may have all types beside each other.
 *
 * Of events that outnumber a processor's counters each is counted for a part of
 * the time alone; what was counted is multiplied by the time that it was to be
 * counted, over the time that it was, on each pCPU; or where a session does not
 * say these, by how many sets of events took turns.
 */
#ifndef XENOPROF_REPORT_TYPES_TYPES_H
#define XENOPROF_REPORT_TYPES_TYPES_H

#include "base/failure.h"
#include "base/table.h"
#include "report/model/time-range.h"

#include <libxenoprof.h>

#include <stdbool.h>

#define TURNS_MOST 64u
#define TYPE_TEXT  64u /* bytes that hold a name or a unit */

/* Texts are printable, without blanks. */
struct sample_type {
    char name[TYPE_TEXT]; /* empty: the session does not declare it */
    char unit[TYPE_TEXT];
    uint64_t select, period;
    uint32_t turns;   /* of so many sets, at most TURNS_MOST */
    uint64_t samples; /* that are in the report's span, by types_sum() */
    uint64_t amount;  /* units that they stand for */
    uint64_t enabled, running; /* ns, of all pCPUs */
};

struct type_measured {
    struct {
        uint32_t type;
        uint32_t pcpu;
    } key;
    uint64_t enabled, running;
};

struct types {
    struct sample_type type[XENOPROF_TYPES_MAX];
    struct table measured; /* struct type_measured */
    const char *wanted;    /* the name that is asked for; NULL: none is */
    bool all;              /* cells of all types are kept, unless one is */
    uint16_t shown;
    bool timed; /* a sample of time was met */
};

struct loaded;

void types_init(struct types *types);
void types_free(struct types *types);

/* What the session says of a type. */
void types_name(struct types *types, uint16_t number,
                const struct xenoprof_type *type);
/* Adds how long an event was counted up to time, if that is in the span. */
void types_measured(struct types *types, const struct time_span *span,
                    uint64_t time, const struct xenoprof_measured *measured);

/* Whether a sample's place is of interest, as far as is known when it is
 * met. */
bool types_wants(struct types *types, uint32_t number);

/* Returns the units that were counted on a pCPU, scaled. */
uint64_t types_scaled(const struct types *types, uint16_t number, uint16_t pcpu,
                      uint64_t units);

/* Sums up each type's samples, and chooses the type that is shown: the one that
 * is wanted; or time, if there is any; or the first that has samples.  Fails if
 * the session at path has not what is wanted. */
enum exit_status types_choose(struct loaded *loaded, const char *path,
                              struct failure *failure);
/* Of cells and their times only those that are shown are left. */
void types_keep(struct loaded *loaded);
/* The same for who goes on counting: others have no samples. */
void types_hide(struct loaded *loaded);

/* Whether a list of a session's types has this one: it has samples, or was
 * counted and has none, or is shown. */
static inline bool types_lists(const struct types *types, uint16_t number)
{
    const struct sample_type *type = &types->type[number];

    return type->samples || number == types->shown ||
           (number >= XENOPROF_TYPE_EVENT && *type->name);
}

static inline const struct sample_type *types_shown(const struct types *types)
{
    return &types->type[types->shown];
}

/* Whether what is shown is pCPU time. */
static inline bool types_is_time(const struct types *types)
{
    return types->shown == XENOPROF_TYPE_TIME;
}

#endif
