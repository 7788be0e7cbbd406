/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known while a session becomes struct loaded. */
#ifndef XENOPROF_REPORT_CELLS_LOADER_H
#define XENOPROF_REPORT_CELLS_LOADER_H

#include "base/triple-table.h"
#include "pruned-domains.h"
#include "join-cells.h"
#include "leaf-thunks.h"
#include "report/time/owner-of.h"

struct kernels;
struct read_watch;

#define DOMAIN_NUMBERS 65536u

/* Whom a report tells apart: what samples have in common but for what they
 * ran. */
struct loader_who {
    struct cell_key cell; /* without place and stack */
};

/* The session's who is one of these as long as no domain's number becomes
 * another's. */
struct loader_whose {
    uint32_t who;
    uint32_t calls; /* all bits, or 0: what idle pCPUs ran is not looked at, nor
                       what samples did of a type that nobody asks for */
    uint64_t ticks; /* of a sample */
    uint32_t turn;  /* the loader's when it was looked up; 0: never */
    uint32_t asker; /* which calls are its: enum prune_asker, or ASKS_ALL */
};

/* What samples ran as each of those sees it that may ask, if stacks are pruned:
 * numbers of loaded.calls. */
struct loader_calls {
    uint32_t numbers[PRUNE_ASKERS];
};

#define NO_CELL UINT32_MAX

/* What is wanted of a session. */
struct load_wanted {
    const struct time_range *range; /* only samples and idle time of it */
    const char *event; /* only samples of this type; NULL: types_choose() */
    bool who_only;     /* not what samples ran */
    bool stacks;
    const struct prune_rules *pruned;     /* of these only that; NULL: whole */
    struct pruned_domains_wanted domains; /* which are pruned, if not all */
    bool addresses;                       /* tell stacks apart, not functions */
    bool lines;               /* and lines of source, of processes' code */
    bool code;                /* and the code that the session has */
    bool comms;               /* and the names of threads that ran in guests */
    bool threads;             /* and which of these */
    bool own;                 /* which are the profiler's: own-cost.h */
    bool user_comms;          /* names where frames may have no other: of these
                                 cells alone in the end */
    bool thunks;              /* these are functions of their own */
    struct late_thunks *late; /* thunk_note()'s; NULL: none */
    const struct kernels *kernels; /* name places that the session does not;
                                      NULL: none do */
    bool any_vcpu;        /* cells need not tell vCPUs apart in the end */
    bool any_pcpu;        /* nor pCPUs */
    unsigned int readers; /* threads that read; 0 is as 1 */
    bool silent;          /* nobody is told how far it is */
    bool no_sums;         /* sums of samples are not believed */
    uint64_t since;       /* a position: what came before it is not counted */
    uint64_t first;       /* bytes, of which no more than their blocks are read;
                             0: all are */
    const struct read_watch *watch; /* NULL: nobody */
};

static inline struct join_rule load_join_rule(const struct load_wanted *wanted)
{
    return (struct join_rule){wanted->any_vcpu, wanted->any_pcpu,
                              !wanted->comms && !wanted->threads};
}

struct loader {
    struct loaded *loaded;
    struct load_wanted wanted;
    struct xenoprof_session *leaves; /* what is read, if leaves only; or NULL */
    struct time_span span;
    bool span_known;
    uint32_t *domain_now; /* by number: index + 1 of who it is now; or 0 */
    uint32_t turn;        /* how often that changed */
    struct slots *slots;  /* settled; NULL: samples get no time */
    bool events;          /* some samples are not of time */
    uint64_t end;         /* of what is read: a position */
    struct table whos;    /* struct loader_who, by cell */
    struct {
        VECTOR(struct loader_whose);
    } whose; /* by the file's number */
    struct {
        VECTOR(struct owner_of);
    } owners;            /* the same: whose time it is */
    uint32_t known_turn; /* when so many of these were looked up: */
    size_t known;
    struct {
        VECTOR(uint32_t);
    } calls[ASKERS]; /* of the file: their numbers in loaded, for those that
                        ask */
    struct pruned_stacks pruned;
    struct pruned_domains domains;
    struct {
        VECTOR(struct loader_calls);
    } known_calls;
    struct triple_table known_at[2]; /* indexes of these, by kinds, of calls
                                        without and with callers */
    uint32_t file;                   /* the session's number of that */
    struct {
        VECTOR(uint32_t);
    } only;                /* by call: its only cell, and 1, or TABLE_SEVERAL;
                              0: none yet */
    struct id_table found; /* cells of these, and 1, by who and call */
    struct {
        VECTOR(uint32_t);
    } cells; /* of the samples that came last, by index, unless the thread
                counts them; NO_CELL: not in the span */
    struct count_thread *count_thread; /* NULL: all is done at once */
};

static inline const struct loader_who *who_at(const struct loader *loader,
                                              uint32_t who)
{
    return table_at(&loader->whos, who);
}

#endif
