/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every format of --export writes: functions, frames, stacks, labels and
 * samples of a report, each by its number.
 *
 *   stack     the frame of its leaf, and the stack that called that
 *   frame     an address in a function, or a line of it, or the function where
 *             a format has neither
 *   label     what a sample is told apart by: domain, vCPU, process, ...
 *
 * The time of samples adds up to what reports say: each has its share of what
 * Xen's account gives its cell, to the ns, and time of which no sample says
 * anything is a sample of a stack of its own, counted as none.  Idle time is
 * left out.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_WALK_H
#define XENOPROF_REPORT_EXPORT_EXPORT_WALK_H

#include "report/model/frame-text.h"
#include "report/model/report.h"

#define WALK_NONE UINT32_MAX

struct walk_function {
    struct frame_key key; /* of a frame of it, without address if it has a
                             name */
    const char *name;
    const char *image;  /* "xen", "kernel", "vp_net", a path; "": not known */
    const char *source; /* a path; "": not known */
    uint64_t start;     /* 0: not known, or of several */
};

/* An image in a mode, as far as there are frames in it. */
struct walk_mapping {
    struct {
        uint32_t image;
        uint32_t mode;
    } key;
    uint64_t first, last; /* addresses in it; 0, 0: none is known */
};

struct walk_frame {
    uint64_t address; /* 0: not known */
    uint32_t function;
    uint32_t mapping; /* WALK_NONE: not known */
    uint32_t line;    /* of the function's source; 0: not known */
};

struct walk_stack {
    uint32_t caller; /* a stack; WALK_NONE: it is the root */
    uint32_t frame;
};

/* A place in code: a frame, or one that was inlined, and the place that it was
 * inlined at. */
struct walk_location {
    struct {
        uint32_t frame;
        uint32_t outer; /* a location of the same address; WALK_NONE: it was
                           not inlined */
    } key;
};

/* What a stack is in locations. */
struct walk_located {
    uint32_t caller;   /* a stack; WALK_NONE: it is the root */
    uint32_t location; /* of its leaf */
};

/* A sample; or all of a cell, where a format has no times; or time without a
 * sample. */
struct walk_sample {
    const struct cell *cell;
    uint32_t stack;
    uint64_t time;   /* Xen's; of what has none the end of the range */
    uint64_t amount; /* ns, or units of the cell's type */
    uint64_t count;  /* samples */
};

/* What samples of a cell have in common. */
struct walk_cell {
    uint32_t stack;  /* WALK_NONE: they are left out */
    uint32_t logged; /* how many are in loaded.log; 0: it is one sample */
};

/* The same for all that ask for it. */
struct walk_label_text {
    struct {
        uint64_t value;
        uint64_t label;
    } key;
    char *text;
};

struct export_walk {
    const struct loaded *loaded;
    const struct query *query;
    struct frame_texts texts;
    struct table functions; /* struct walk_function */
    struct table mappings;  /* struct walk_mapping */
    struct {
        VECTOR(struct walk_frame);
    } frames;
    struct {
        VECTOR(struct walk_stack);
    } stacks;
    struct table locations; /* struct walk_location; frames come first */
    struct {
        VECTOR(struct walk_located);
    } located;                          /* by stack */
    uint32_t not_sampled, not_profiled; /* stacks of what has none */
    struct table label_texts;           /* struct walk_label_text */
    struct walk_cell *cells;            /* as loaded.cells */
    uint64_t end;                       /* of the range */
    size_t next;                        /* sample, and then cell */
    size_t era;                         /* for sample_log_time() */
};

/* walk_free() in any case. */
void walk_init(struct export_walk *walk, const struct report *report);
void walk_free(struct export_walk *walk);

/* Only for walk_init(): puts functions, mappings and frames. */
void walk_put_frames(struct export_walk *walk, const struct stacks *stacks);

/* Finds walk.locations and walk.located, for formats that have addresses. */
void walk_find_locations(struct export_walk *walk);

/* Puts the next sample into *ret: in the order of time if the report has
 * loaded.log.  Returns false after the last; the walk then begins anew. */
bool walk_next(struct export_walk *walk, struct walk_sample *ret);

/* The same by number, in any order. */
size_t walk_count(const struct export_walk *walk);
/* Returns the index of a number's cell. */
static inline uint32_t walk_cell(const struct export_walk *walk, size_t number)
{
    const struct sample_log *log = &walk->loaded->log;

    return number < log->count ? log->items[number].cell
                               : (uint32_t)(number - log->count);
}

/* Returns how many samples of a cell there are. */
size_t walk_of_cell(const struct export_walk *walk, size_t index);
/* Whether a cell's samples are walked. */
bool walk_has(const struct cell *cell);
/* Whether there is anything of a number. */
bool walk_there(const struct export_walk *walk, size_t number);
/* Of a number that there is something of: all, its time, its amount. */
void walk_take(struct export_walk *walk, size_t number,
               struct walk_sample *ret);
uint64_t walk_time(struct export_walk *walk, size_t number);
uint64_t walk_amount(const struct export_walk *walk, size_t number);
/* Asks for the memory of a number that is taken soon, also of its cell. */
void walk_ahead(const struct export_walk *walk, size_t number, bool cell);

static inline const struct walk_function *walk_function(
    const struct export_walk *walk, uint32_t number)
{
    return table_at(&walk->functions, number);
}

static inline const struct walk_function *walk_frame_function(
    const struct export_walk *walk, uint32_t frame)
{
    return walk_function(walk, walk->frames.items[frame].function);
}

static inline const struct walk_location *walk_location(
    const struct export_walk *walk, uint32_t number)
{
    return table_at(&walk->locations, number);
}

static inline const struct walk_mapping *walk_mapping(
    const struct export_walk *walk, uint32_t number)
{
    return table_at(&walk->mappings, number);
}

/* Puts the types that samples of the report are of into ret; how many. */
size_t walk_types(const struct export_walk *walk,
                  uint32_t ret[XENOPROF_TYPES_MAX]);
/* What a type is counted in: "nanoseconds". */
const char *walk_unit(const struct sample_type *type);

/* Returns UTC in ns of a time of Xen's; where the session does not know that,
 * ns since its start. */
uint64_t walk_utc(const struct export_walk *walk, uint64_t time);
/* The times between which all samples are. */
struct time_span walk_span(const struct export_walk *walk);

/* Returns what a mapping is called: those of Xen and kernels are in brackets,
 * as other tools know what is not a file.  malloc'ed. */
char *walk_mapping_name(const struct export_walk *walk,
                        const struct walk_mapping *mapping);
/* Returns the build-id of an image in a mode, or NULL if it is not known, or
 * not the same in all domains.  malloc'ed. */
char *walk_build_id(const struct export_walk *walk, uint32_t image,
                    unsigned int mode);
/* Returns how many ns, or units, are from one sample to the next; 0: that
 * changes. */
uint64_t walk_period(const struct export_walk *walk);
/* Whether what is shown is time: of pCPUs, or of waiting. */
bool walk_is_ns(const struct export_walk *walk);
/* Returns what a user must know of the session: which host it is of, and what
 * was lost; NULL after the last.  malloc'ed. */
char *walk_comment(const struct export_walk *walk, unsigned int number);

enum walk_label {
    WALK_DOMAIN,
    WALK_DOMID,
    WALK_UUID,
    WALK_MODE,
    WALK_VCPU,
    WALK_PCPU,
    WALK_ENTRY,
    WALK_PROCESS,
    WALK_PID,
    WALK_THREAD,
    WALK_EXE,
    WALK_CGROUP,
    WALK_UNIT,
    WALK_CONTAINER,
    WALK_POD,
    WALK_LABELS
};

struct walk_label_kind {
    const char *name;
    bool number;
    enum label label; /* whose value it has */
    /* NULL: as that label has it. */
    char *(*text)(const struct loaded *loaded, uint64_t value);
};

extern const struct walk_label_kind walk_labels[WALK_LABELS];

/* Returns the value of a cell's label; LABEL_NONE: not known. */
uint64_t walk_label_value(const struct export_walk *walk,
                          const struct cell *cell, enum walk_label label);
/* Returns the text of such a value, of numbers, too; good as long as the
 * walk. */
const char *walk_label_text(struct export_walk *walk, enum walk_label label,
                            uint64_t value);

#endif
