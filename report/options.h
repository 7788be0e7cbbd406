/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options, sorted by who needs them: the query is the model's, the layout is
 * the text's, and the view has what is left.
 */
#ifndef XENOPROF_REPORT_OPTIONS_H
#define XENOPROF_REPORT_OPTIONS_H

#include "report/merge/merge.h"
#include "report/text/layout.h"
#include "views.h"

#include <float.h>
#include <limits.h>

#define SESSION_DIR   "/var/lib/xenoprof/sessions"
#define SESSION       "current"
#define SORT          "mode,image,symbol"
#define WIDTH_UNKNOWN INT_MIN
#define WORDS_MAX     2u /* sessions that --diff compares */
#define LIMIT_UNKNOWN (-DBL_MAX)

/* Options with a text of which the last one counts; popt would not free the
 * others. */
enum {
    TEXT_SESSION = 1,
    TEXT_SESSION_DIR,
    TEXT_SORT,
    TEXT_COLOUR,
    TEXT_NORMALIZE,
    TEXT_LAST,
    TEXT_MEMORY,
    TEXT_EVENT,
    TEXT_RATIO,
    TEXT_ARCHIVE,
    TEXT_MERGE,
    TEXT_MERGE_OFFSET,
    TEXT_BEFORE, /* what --diff compares: the first of two */
    TEXT_AFTER,
    TEXT_VIEWS, /* the argument of the first view, and so on */
    TEXTS = TEXT_VIEWS + VIEWS
};

/* What popt fills in. */
struct raw_options {
    char *texts[TEXTS];               /* NULL: not given */
    const char *words[WORDS_MAX + 1]; /* that are not options; popt's */
    char **filters;
    char **guest_kernels;
    char **focus;
    char **ignore;
    char **code;
    double percent_limit;
    int width;
    int max_depth;
    int threads;
    int stacks;
    int samples;
    int thunks;
    int addresses;
    int lines;
    int diff;
    int no_pager;
    int header;
    int no_header;
    int no_summary;
    int flames;
    int icicle;
    int live;
    int anonymize;
    int list_fields;
    int version;
    int views[VIEWS];
};

struct options {
    const struct view *view; /* of --diff, if that is asked for */
    bool json;               /* as its print_json() has it */
    char *output;            /* file to write; NULL: standard output */
    char *session;           /* name or path */
    char *base;              /* --diff: the session before; or NULL */
    bool same;               /* base is the session itself: of --ratio, and of
                                --before and --after */
    struct {
        char *text;              /* NULL: all of the time */
        struct time_range range; /* the same */
    } parts[2];                  /* --before, --after */
    char *ratio_of;              /* --ratio: the event of base; or NULL */
    bool live;                   /* --live, instead of a report */
    bool explore;                /* the same: --browse, on a terminal */
    bool serve;                  /* the same: --serve */
    const char *const *words;    /* of the command line, behind the program */
    char *archive;               /* the same: file of --archive; or NULL */
    bool anonymize;              /* without names */
    struct merge_wanted merge;
    bool no_pager;
    bool gzip;       /* what is written is compressed */
    uint64_t memory; /* bytes that may be allocated */
    struct query query;
    struct layout layout;
    struct view_options views;
};

/* Checks what popt has read and copies it into options, which is all zeroes
 * before.  guest_kernels and code are not copied: options owns them.
 * options_free() in any case. */
enum exit_status options_take(struct options *options,
                              const struct raw_options *raw,
                              struct failure *failure);
void options_free(struct options *options);

/* Reads the command line (command-line.c).  *done is true if it only asked for
 * a text (--help, --version, --list-fields), which has been printed.
 * options_free() in any case. */
enum exit_status command_line_parse(struct options *options, int argc,
                                    const char **argv, bool *done,
                                    struct failure *failure);

#endif
