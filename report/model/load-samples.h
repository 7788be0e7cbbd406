/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples, in columns, into their cells.  The cells of a long session are far
 * more than a processor's caches hold, and each sample's lies elsewhere, so a
 * report would mostly wait for memory: what some samples need is asked for at
 * once, and counted when it has come.
 */
#ifndef XENOPROF_REPORT_MODEL_LOAD_SAMPLES_H
#define XENOPROF_REPORT_MODEL_LOAD_SAMPLES_H

#include "base/pair-counts.h"
#include "base/triple-table.h"
#include "report/cells/brief-domains.h"
#include "loaded.h"

#define DOMAIN_NUMBERS 65536u
#define PCPU_NUMBERS   65536u

/* Whom a report tells apart: what samples have in common but for what they
 * ran. */
struct loader_who {
    struct cell_key cell; /* without place and stack */
    uint64_t ticks;       /* units that most samples stand for */
    bool met;             /* there were samples, and so ticks are known */
};

/* The session's who is one of these as long as no domain's number becomes
 * another's. */
struct loader_whose {
    uint64_t pair;  /* of its who, and of 0 or NO_CALL */
    uint64_t more;  /* than most of the who's have; it may wrap */
    uint64_t ticks; /* of a sample */
    uint32_t turn;  /* the loader's when it was looked up; 0: never */
    uint32_t asker; /* which calls are its: enum brief_asker, or ASKS_ALL */
};

/* What samples ran as each of those sees it that may ask, if stacks are brief:
 * numbers of loaded.calls. */
struct loader_calls {
    uint32_t numbers[BRIEF_ASKERS];
};

#define NO_CELL UINT32_MAX

/* What idle pCPUs ran is not looked at, nor what samples did of a type that
 * nobody asks for. */
#define NO_CALL UINT32_MAX

/* What is wanted of a session. */
struct load_wanted {
    const struct time_range *range; /* only samples and idle time of it */
    const char *event; /* only samples of this type; NULL: types_choose() */
    bool stacks;
    const struct brief_rules *brief;     /* of these only that; NULL: whole */
    struct brief_domains_wanted domains; /* which are brief, if not all */
    bool addresses;                      /* tell stacks apart, not functions */
    bool comms;           /* and the names of threads that ran in guests */
    bool threads;         /* and which of these */
    bool any_vcpu;        /* cells need not tell vCPUs apart in the end */
    bool any_pcpu;        /* nor pCPUs */
    unsigned int readers; /* threads that read; 0 is as 1 */
    bool silent;          /* nobody is told how far it is */
};

struct loader {
    struct loaded *loaded;
    struct load_wanted wanted;
    struct time_span span;
    bool span_known;
    uint32_t *domain_now; /* by number: index + 1 of who it is now; or 0 */
    uint32_t turn;        /* how often that changed */
    uint32_t *pcpu_at;    /* by number: index + 1 into pcpus, or 0 */
    struct table whos;    /* struct loader_who, by cell */
    struct {
        VECTOR(struct loader_whose);
    } whose;             /* by the file's number */
    uint32_t known_turn; /* when so many of these were looked up: */
    size_t known;
    struct {
        VECTOR(uint32_t);
    } calls[ASKERS]; /* of the file: their numbers in loaded, for those that
                        ask */
    struct brief brief;
    struct brief_domains domains;
    struct {
        VECTOR(struct loader_calls);
    } known_calls;
    struct triple_table known_at[2]; /* indexes of these, by kinds, of calls
                                        without and with callers */
    uint32_t file;                   /* the session's number of that */
    struct pair_counts
        counts; /* of samples: by who and call; numbers of cells */
    struct {
        VECTOR(uint32_t);
    } cells; /* of the samples that came last, by index; NO_CELL: not in the
                span */
    size_t merge_from; /* cells; 0: as many as is usual */
};

/* Returns false if there is no memory.  Frees in any case. */
bool loader_init(struct loader *loader, struct loaded *loaded,
                 const struct load_wanted *wanted);
void loader_free(struct loader *loader);

/* Whether the loader's span could be settled: it can be once the session's
 * start and its UTC are known, which is before the first sample. */
bool load_settle_span(struct loader *loader);

static inline void load_note_time(struct loaded *loaded, uint64_t time)
{
    struct clocks *clocks = &loaded->clocks;

    if ( !time )
        return;
    if ( !clocks->start )
        clocks->start = time;
    if ( time > loaded->last )
        loaded->last = time;
}

/* For xenoprof_session_kinds_only(), of the loader: nodes are one if their
 * functions are, or as far as anything is asked of these. */
bool load_kinds(void *argument, uint32_t file,
                const struct xenoprof_kind_node *nodes, size_t count,
                uint32_t *ret);
/* A file begins, if it is another one: judges which domains are brief. */
void load_begin_domains(struct loader *loader, uint32_t file);
/* Looks at the calls that came with samples: loader->calls has all of theirs
 * then.  Places of one function are one here, so what is held grows with the
 * stacks by name.  Returns false if there is no memory. */
bool load_calls(struct loader *loader, const struct xenoprof_samples *samples);
/* Counts samples, those in the loader's span by cell and in the timeline;
 * loader->cells says which cell is whose.  Returns false if there is
 * no memory. */
bool load_samples(struct loader *loader,
                  const struct xenoprof_samples *samples);
/* Samples of this cell are counted in it from now on: nothing led to it any
 * more.  Returns false if there is no memory. */
bool load_find_again(struct loader *loader, uint32_t cell);
/* Gives cells what was counted since the last time. */
void load_settle_cells(struct loader *loader);

/* Units that a sample of the session's who stands for, of one that was
 * counted. */
static inline uint64_t load_sample_ticks(const struct loader *loader,
                                         uint32_t who)
{
    return loader->whose.items[who].ticks;
}

#endif
