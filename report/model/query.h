/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user asks of a session: which of its samples, told apart by which
 * labels, and how small a part is still shown.
 */
#ifndef XENOPROF_REPORT_MODEL_QUERY_H
#define XENOPROF_REPORT_MODEL_QUERY_H

#include "report/cells/pruned-stacks.h"
#include "focus.h"
#include "labels.h"
#include "select.h"

enum normalize {
    NORMALIZE_TIME,    /* shares of all pCPU time */
    NORMALIZE_SAMPLES, /* shares of the samples that are shown */
};

/* Who does something else while a session is read. */
struct read_watch {
    /* Between blocks, with what was read so far.  Returns whether the reading
     * goes on; else it fails. */
    bool (*step)(void *argument, const struct loaded *loaded);
    void *argument;
};

struct query {
    char *session_dir;    /* where sessions are looked for by name */
    char **guest_kernels; /* "DOM:FILE", ends with NULL; or NULL */
    char *event; /* the type of samples, by its name; NULL: the usual */
    struct selection selection;
    struct focus focus;
    /* Sets of_reason of each cell that FILTER_REASON means; if that has values:
     * mark_reasons() of report/why/reasons.h. */
    void (*mark_reasons)(const struct filter *filter, struct loaded *loaded,
                         const struct stacks *stacks);
    struct label_list sort;
    bool sort_given;
    bool once;            /* without --sort trees have no level of domains */
    double percent_limit; /* 0 unless given */
    bool percent_limit_given;
    size_t max_depth; /* frames below a group; 0: all */
    enum normalize normalize;
    unsigned int threads;             /* that read the session; 0 is as 1 */
    bool who_only;                    /* it does not matter what samples ran */
    bool needs_stacks;                /* stacks are to be built */
    const struct prune_rules *pruned; /* and need not be whole; or NULL */
    const struct prune_rules *small;  /* nor those of domains below the limit */
    size_t small_from;                /* pruned_domains_wanted.from */
    bool by_address;                  /* and frames */
    bool
        needs_addresses; /* samples are told apart by address with these, too */
    bool needs_code;     /* and the session's own code is wanted */
    bool needs_lines;    /* frames are told apart by line of source */
    bool needs_times;    /* the timeline is to be built */
    bool needs_log;      /* and so is that of each sample */
    bool needs_waits;    /* and what each vCPU waited, by time */
    bool needs_who;      /* cells are wanted by entry and name of thread */
    bool needs_labels;   /* and by all that samples are told apart by */
    bool one_type;       /* but only of one type of samples */
    bool open;           /* addresses of processes are told apart */
    bool thunks;         /* these are functions of their own */
    bool silent;         /* it is not said how far the reading is */
    uint64_t since;      /* a position of the session (loaded.position): only
                            samples and accounts that came after it */
    uint64_t first;      /* only about so many bytes at its beginning; 0: all */
    const struct read_watch *watch; /* NULL: nobody */
};

void query_free(struct query *query);

/* Returns the labels that group a tree's stacks: those of --sort that are not
 * part of a frame; without --sort the domain, or nothing where functions are
 * there once. */
struct label_list query_groups(const struct query *query);
/* Returns what makes two places one frame, from the other labels of --sort. */
enum frame_detail query_detail(const struct query *query);

/* Returns the percentage below which rows and branches are summed up. */
double query_limit(const struct query *query);
/* Returns how many rows of a sorted table are shown one by one.  large says
 * whether a row reaches the limit.  Without --percent-limit the first 20 are
 * shown in any case: a table of a thousand small rows still has a top. */
size_t query_rows(const struct query *query, size_t count,
                  bool (*large)(const void *table, size_t row, double limit),
                  const void *table);

#endif
