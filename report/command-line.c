/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options as popt knows them, and --help, --version, --list-fields. */
#include "options.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrong-option.h"

static struct raw_options raw = {
    .width = WIDTH_UNKNOWN,
    .percent_limit = LIMIT_UNKNOWN,
};

/* What is said before the options. */
static const char examples[] =
    "xenopreport shows where the time of a Xen host went.\n"
    "\n"
    "  xenopreport                     the newest session, on one screen\n"
    "  xenopreport --why --last=5m     why Xen ran in its last five minutes\n"
    "  xenopreport --callgraph --filter=domain=web\n"
    "                                  what guest web did, as a tree\n"
    "  xenopreport --browse            explore it on a terminal\n"
    "  xenopreport --html=page.html    a page to explore it with, in a browser\n"
    "  xenopreport --diff previous     what changed since the session before\n"
    "  xenopreport --live              where the time goes now\n"
    "\n";

/* What is not a view. */
static const struct poptOption more_forms[] = {
    {"live", 0, POPT_ARG_NONE, &raw.live, 0,
     "show where the time goes now, on a terminal", NULL},
    {"archive", 0, POPT_ARG_STRING, NULL, TEXT_ARCHIVE,
     "the session as one file, to be looked at anywhere", "FILE"},
};
#define MORE_FORMS (sizeof(more_forms) / sizeof(*more_forms))
static struct poptOption form_options[VIEWS + MORE_FORMS];

static const struct poptOption what_options[] = {
    {"session", 's', POPT_ARG_STRING, NULL, TEXT_SESSION,
     "what to report (default: " SESSION ")", "NAME|PATH"},
    {"session-dir", 'd', POPT_ARG_STRING, NULL, TEXT_SESSION_DIR,
     "where sessions are looked for by name (default: " SESSION_DIR ")", "DIR"},
    {"last", 0, POPT_ARG_STRING, NULL, TEXT_LAST,
     "only the last 90s, 30m, 1h or 2d of the session", "TIME"},
    {"filter", 'f', POPT_ARG_ARGV, &raw.filters, 0,
     "only samples that match; may be repeated", "KEY=VALUE,..."},
    {"focus", 0, POPT_ARG_ARGV, &raw.focus, 0,
     "only stacks with a matching function; may be repeated", "REGEX"},
    {"ignore", 0, POPT_ARG_ARGV, &raw.ignore, 0,
     "leave out stacks with a matching function; may be repeated", "REGEX"},
    {"event", 0, POPT_ARG_STRING, NULL, TEXT_EVENT,
     "samples of that type alone (default: time, if the session has it)",
     "NAME"},
    {"ratio", 0, POPT_ARG_STRING, NULL, TEXT_RATIO,
     "how many of event A for each of B, as instructions/cycles", "A/B"},
    {"sort", 'S', POPT_ARG_STRING, NULL, TEXT_SORT,
     "labels that make a row (default: " SORT ")", "LABEL,..."},
    {"percent-limit", 'p', POPT_ARG_DOUBLE, &raw.percent_limit, 0,
     "sum up smaller rows (default: 0.5 in tables, else 0)", "PERCENT"},
    {"max-depth", 0, POPT_ARG_INT, &raw.max_depth, 0,
     "show at most that many callers or callees (default: all)", "FRAMES"},
    {"stacks", 0, POPT_ARG_NONE, &raw.stacks, 0,
     "call chains in the rows of --json", NULL},
    {"samples", 0, POPT_ARG_NONE, &raw.samples, 0,
     "each sample, with its time, in --json", NULL},
    {"guest-kernel", 'g', POPT_ARG_ARGV, &raw.guest_kernels, 0,
     "names for a guest's kernel; may be repeated", "DOM:FILE"},
    {"merge", 0, POPT_ARG_STRING, NULL, TEXT_MERGE,
     "names for a guest's processes, from its own perf.data", "DOM:FILE"},
    {"merge-offset", 0, POPT_ARG_STRING, NULL, TEXT_MERGE_OFFSET,
     "Xen's clock less that file's (default: found)", "SECONDS"},
    {"code", 0, POPT_ARG_ARGV, &raw.code, 0,
     "file with the code of xen, an image or a domain's kernel", "WHAT:FILE"},
    {"addresses", 0, POPT_ARG_NONE, &raw.addresses, 0,
     "addresses of programs without symbols, in place of [user of NAME]", NULL},
    {"lines", 0, POPT_ARG_NONE, &raw.lines, 0,
     "lines of source of programs' functions, in trees", NULL},
    {"anonymize", 0, POPT_ARG_NONE, &raw.anonymize, 0,
     "made-up names for domains, hosts, programs and users' code", NULL},
    {"thunks", 0, POPT_ARG_NONE, &raw.thunks, 0,
     "return and call thunks as functions, not counted for their callers",
     NULL},
    POPT_TABLEEND,
};

static const struct poptOption diff_options[] = {
    {"diff", 0, POPT_ARG_NONE, &raw.diff, 0,
     "what differs from session A to session B (default: current); with the "
     "table or --callgraph",
     "A [B]"},
    {"before", 0, POPT_ARG_STRING, NULL, TEXT_BEFORE,
     "for --diff: a time of the session, START..END as in --filter=time, ...",
     "RANGE"},
    {"after", 0, POPT_ARG_STRING, NULL, TEXT_AFTER,
     "... and the one that is compared with it", "RANGE"},
    {"normalize", 0, POPT_ARG_STRING, NULL, TEXT_NORMALIZE,
     "what shares refer to: time (of all pCPUs, the default), or samples",
     "WHAT"},
    POPT_TABLEEND,
};

static const struct poptOption how_options[] = {
    {"header", 0, POPT_ARG_NONE, &raw.header, 0,
     "begin with all attributes of the session", NULL},
    {"no-header", 0, POPT_ARG_NONE, &raw.no_header, 0,
     "leave out the session's attributes, but not its losses", NULL},
    {"no-summary", 0, POPT_ARG_NONE, &raw.no_summary, 0,
     "leave out the line for each domain", NULL},
    {"width", 'w', POPT_ARG_INT, &raw.width, 0,
     "width of the table (default: the terminal's, or 80; 0: cut nothing)",
     "COLUMNS"},
    {"color", 0, POPT_ARG_STRING, NULL, TEXT_COLOUR,
     "auto (on a terminal, which is the default), always or never", "WHEN"},
    {"no-pager", 0, POPT_ARG_NONE, &raw.no_pager, 0,
     "write to the terminal, not through $PAGER (default: less)", NULL},
    {"icicle", 0, POPT_ARG_NONE, &raw.icicle, 0,
     "a flame graph with its root on top", NULL},
    {"flames", 0, POPT_ARG_NONE, &raw.flames, 0,
     "a flame graph with its root at the bottom", NULL},
    POPT_TABLEEND,
};

static const struct poptOption other_options[] = {
    {"list-fields", 0, POPT_ARG_NONE, &raw.list_fields, 0,
     "list the labels of --sort and the keys of --filter", NULL},
    {"memory", 0, POPT_ARG_STRING, NULL, TEXT_MEMORY,
     "memory that the report may take (default: 1G)", "SIZE"},
    {"threads", 0, POPT_ARG_INT, &raw.threads, 0,
     "threads that read the session (default: one on each core)", "COUNT"},
    {"version", 'V', POPT_ARG_NONE, &raw.version, 0, "print the version", NULL},
    POPT_TABLEEND,
};

#define TABLE(options, title)                                                  \
    {                                                                          \
        NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(options), 0, title, NULL     \
    }

static const struct poptOption option_table[] = {
    TABLE(form_options, "Forms of report (default: an overview):"),
    TABLE(what_options, "What is shown:"),
    TABLE(diff_options, "Comparing:"),
    TABLE(how_options, "How it is shown:"),
    TABLE(other_options, "Other options:"),
    OPTIONS_HELP POPT_TABLEEND,
};

static void texts_free(char **texts)
{
    for ( size_t i = 0; texts && texts[i]; i++ )
        free(texts[i]);
    free(texts);
}

/* One option for each view but the first. */
static void list_forms(void)
{
    for ( size_t i = 1; i < VIEWS; i++ )
    {
        const struct view *view = view_table[i].view;
        const char *argument = view->to_file ? "FILE" : view->argument;

        form_options[i - 1] = (struct poptOption){
            .longName = view->option,
            .argInfo = (argument ? POPT_ARG_STRING : POPT_ARG_NONE) |
                       (view->argument_optional ? POPT_ARGFLAG_OPTIONAL : 0),
            .arg = argument ? NULL : &raw.views[i],
            .val = argument ? (int)(TEXT_VIEWS + i) : 0,
            .descrip = view->what,
            .argDescrip = argument,
        };
    }
    memcpy(form_options + VIEWS - 1, more_forms, sizeof(more_forms));
}

/* *printed: --help was asked for. */
static enum exit_status read_arguments(poptContext context, bool *printed,
                                       struct failure *failure)
{
    size_t words = 0;
    int option;

    *printed = false;
    while ( (option = poptGetNextOpt(context)) > 0 )
    {
        *printed = options_printed(context, option, examples);
        if ( *printed )
            return STATUS_DONE;
        free(raw.texts[option]);
        raw.texts[option] = poptGetOptArg(context);
        if ( option >= (int)TEXT_VIEWS )
            raw.views[option - (int)TEXT_VIEWS] = 1;
    }
    if ( option < -1 )
        return fail_option(failure, "xenopreport", context, option_table,
                           option);
    while ( words <= WORDS_MAX && (raw.words[words] = poptGetArg(context)) )
        words++;
    return STATUS_DONE;
}

static void list_fields(void)
{
    printf("Labels for --sort:\n");
    label_list_all(stdout);
    printf("\nKeys for --filter:\n");
    selection_list_keys(stdout);
}

/* Returns whether the command line asked for nothing else. */
static bool print_asked(void)
{
    if ( raw.version )
        printf("xenopreport %s\n", PACKAGE_VERSION);
    else if ( raw.list_fields )
        list_fields();
    return raw.version || raw.list_fields;
}

enum exit_status command_line_parse(struct options *options, int argc,
                                    const char **argv, bool *done,
                                    struct failure *failure)
{
    enum exit_status status;
    poptContext context;
    bool printed;

    memset(options, 0, sizeof(*options));
    list_forms();
    context = options_with_help(
        poptGetContext("xenopreport", argc, argv, option_table, 0));
    status = read_arguments(context, &printed, failure);
    *done = !status && (printed || print_asked());
    if ( *done )
        status = options_print_end(failure);
    options->words = argv + 1;
    /* Also after a failure, so that options_free() frees what popt made. */
    options->query.guest_kernels = raw.guest_kernels;
    options->views.code = raw.code;
    if ( !status && !*done )
        status = options_take(options, &raw, failure);
    /* What struct options does not own. */
    for ( size_t i = 0; i < TEXTS; i++ )
        free(raw.texts[i]);
    texts_free(raw.filters);
    texts_free(raw.focus);
    texts_free(raw.ignore);
    poptFreeContext(context);
    return status;
}
