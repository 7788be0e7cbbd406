/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <limits.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SESSION_DIR   "/var/lib/xenoprof/sessions"
#define SESSION       "current"
#define SORT          "domain,mode,image,symbol"
#define WIDTH_DEFAULT 80
#define WIDTH_MIN     40
#define WIDTH_MAX     10000
#define WIDTH_UNKNOWN INT_MIN
#define WORDS_MAX     2u /* sessions that --diff compares */
#define LIMIT_UNKNOWN (-1.0)

/* Options with a text of which the last one counts; popt would not free the
 * others. */
enum {
    TEXT_SESSION = 1,
    TEXT_SESSION_DIR,
    TEXT_SORT,
    TEXT_VIEWS, /* the file of the first view, and so on */
    TEXTS = TEXT_VIEWS + VIEWS
};

/* What popt fills in. */
struct raw {
    char *texts[TEXTS];               /* NULL: not given */
    const char *words[WORDS_MAX + 1]; /* that are no options; popt's */
    char **filters;
    char **guest_kernels;
    double percent_limit;
    int width;
    int no_header;
    int no_summary;
    int icicle;
    int live;
    int list_fields;
    int version;
    int views[VIEWS];
};

static struct raw raw = {
    .width = WIDTH_UNKNOWN,
    .percent_limit = LIMIT_UNKNOWN,
};

static struct poptOption view_options[VIEWS];
static const struct poptOption option_table[] = {
    {"session", 's', POPT_ARG_STRING, NULL, TEXT_SESSION,
     "what to report (default: " SESSION ")", "NAME|PATH"},
    {"session-dir", 'd', POPT_ARG_STRING, NULL, TEXT_SESSION_DIR,
     "where names are looked for (default: " SESSION_DIR ")", "DIR"},
    {"sort", 'S', POPT_ARG_STRING, NULL, TEXT_SORT,
     "what makes a row (default: " SORT ")", "LABEL,..."},
    {"filter", 'f', POPT_ARG_ARGV, &raw.filters, 0,
     "only samples of which this is true; may be repeated", "KEY=VALUE,..."},
    {"percent-limit", 'p', POPT_ARG_DOUBLE, &raw.percent_limit, 0,
     "sum up rows below that (default: 0.5 in the table, else 0)", "PERCENT"},
    {"guest-kernel", 'g', POPT_ARG_ARGV, &raw.guest_kernels, 0,
     "names for a guest's kernel; may be repeated", "DOM:FILE"},
    {"width", 'w', POPT_ARG_INT, &raw.width, 0,
     "of the table (default: the terminal's, or 80; 0: cut nothing)",
     "COLUMNS"},
    {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)screen_option_table, 0, NULL,
     NULL},
    {"no-header", 0, POPT_ARG_NONE, &raw.no_header, 0,
     "leave out the session's facts; losses stay", NULL},
    {"no-summary", 0, POPT_ARG_NONE, &raw.no_summary, 0,
     "leave out the line for each domain", NULL},
    {"icicle", 0, POPT_ARG_NONE, &raw.icicle, 0,
     "a flame graph with its root on top", NULL},
    {"list-fields", 0, POPT_ARG_NONE, &raw.list_fields, 0,
     "say what --sort and --filter take", NULL},
    {"version", 'V', POPT_ARG_NONE, &raw.version, 0,
     "say which version this is", NULL},
    {"live", 0, POPT_ARG_NONE, &raw.live, 0,
     "show what takes the time now, on a terminal", NULL},
    {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)stack_option_table, 0,
     "Call chains:", NULL},
    {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)diff_option_table, 0,
     "Comparing:", NULL},
    {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)annotate_option_table, 0,
     "Code:", NULL},
    {NULL, 0, POPT_ARG_INCLUDE_TABLE, view_options, 0,
     "Forms of report:", NULL},
    POPT_AUTOHELP POPT_TABLEEND,
};

static void texts_free(char **texts)
{
    for ( size_t i = 0; texts && texts[i]; i++ )
        free(texts[i]);
    free(texts);
}

static void raw_free(void)
{
    for ( size_t i = 0; i < TEXTS; i++ )
        free(raw.texts[i]);
    texts_free(raw.filters);
}

void options_free(struct options *options)
{
    texts_free(options->guest_kernels);
    free(options->session);
    free(options->base);
    free(options->session_dir);
    free(options->output);
    free(options->argument);
    selection_free(&options->selection);
    stack_options_free(&options->stacks);
    annotate_options_free();
    screen_free();
}

/* Of the screen, if standard output is one. */
static size_t screen_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = 0;

    if ( !isatty(STDOUT_FILENO) )
        return WIDTH_DEFAULT;
    if ( columns )
        width = strtol(columns, NULL, 10);
    else if ( !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) )
        width = size.ws_col;
    if ( width < WIDTH_MIN || width > WIDTH_MAX )
        return WIDTH_DEFAULT;
    return (size_t)width;
}

static enum exit_status take_width(struct options *options, int width,
                                   struct failure *failure)
{
    options->width = screen_width();
    if ( width == WIDTH_UNKNOWN )
        return STATUS_DONE;
    if ( width && (width < WIDTH_MIN || width > WIDTH_MAX) )
        return fail(failure, STATUS_RANGE,
                    "--width: %d is out of range: give %d to %d columns, "
                    "or 0 to cut nothing",
                    width, WIDTH_MIN, WIDTH_MAX);
    options->width = (size_t)width;
    return STATUS_DONE;
}

static enum exit_status take_limit(struct options *options, double limit,
                                   struct failure *failure)
{
    if ( limit == LIMIT_UNKNOWN )
        return STATUS_DONE;
    if ( !(limit >= 0 && limit <= 100) )
        return fail(failure, STATUS_RANGE,
                    "--percent-limit: %g is out of range: give 0 to 100",
                    limit);
    options->percent_limit = limit;
    options->percent_limit_given = true;
    return STATUS_DONE;
}

/* What the view is told: the file to write, or what it is about. */
static enum exit_status take_argument(struct options *options, char *text,
                                      struct failure *failure)
{
    const struct view *view = options->view;
    char **to = view->to_file ? &options->output : &options->argument;

    if ( !text )
        return STATUS_DONE;
    if ( !*text )
        return fail(failure, STATUS_USAGE, "--%s: give %s", view->option,
                    view->to_file ? "the file that is to be written"
                                  : "a name");
    *to = strdup(text);
    return *to ? STATUS_DONE : fail_memory(failure);
}

static enum exit_status take_view(struct options *options,
                                  struct failure *failure)
{
    size_t view = 0;

    options->view = &view_table[0];
    for ( size_t i = 1; i < VIEWS; i++ )
    {
        if ( !raw.views[i] && !raw.texts[TEXT_VIEWS + i] )
            continue;
        if ( view )
            return fail(failure, STATUS_USAGE,
                        "--%s and --%s exclude each other: give one",
                        options->view->option, view_table[i].option);
        view = i;
        options->view = &view_table[i];
    }
    return take_argument(options, raw.texts[TEXT_VIEWS + view], failure);
}

static const char *given(size_t text, const char *otherwise)
{
    return raw.texts[text] ? raw.texts[text] : otherwise;
}

/* Sessions that stand alone are those to compare. */
static enum exit_status take_sessions(struct options *options,
                                      struct failure *failure)
{
    const char *const *words = raw.words;

    if ( *words && !options->diff.wanted )
        return fail(failure, STATUS_USAGE,
                    "\"%s\" stands alone: a session is named with "
                    "--session=%s",
                    *words, *words);
    if ( options->diff.wanted && (!words[0] || (words[1] && words[2])) )
        return fail(failure, STATUS_USAGE,
                    "--diff: give one session to compare with the current "
                    "one, or two to compare with each other");
    if ( options->diff.wanted && !options->view->compare )
        return fail(failure, STATUS_USAGE,
                    "--diff and --%s exclude each other: see "
                    "xenopreport(1) for what can be compared",
                    options->view->option);
    if ( options->live && (options->diff.wanted || options->view->option) )
        return fail(failure, STATUS_USAGE,
                    "--live and --%s exclude each other: give one",
                    options->diff.wanted ? "diff" : options->view->option);
    options->base = *words ? strdup(*words) : NULL;
    options->session = strdup(
        *words && words[1] ? words[1] : given(TEXT_SESSION, SESSION));
    options->session_dir = strdup(given(TEXT_SESSION_DIR, SESSION_DIR));
    return options->session && options->session_dir &&
                   (options->base || !*words)
               ? STATUS_DONE
               : fail_memory(failure);
}

static enum exit_status take_raw(struct options *options,
                                 struct failure *failure)
{
    options->no_header = raw.no_header;
    options->no_summary = raw.no_summary;
    options->live = raw.live;
    options->icicle = raw.icicle;
    options->sort_given = raw.texts[TEXT_SORT];
    for ( size_t i = 0; raw.filters && raw.filters[i]; i++ )
        if ( selection_add(&options->selection, raw.filters[i], failure) )
            return failure->status;
    if ( take_width(options, raw.width, failure) ||
         screen_take(&options->screen, failure) ||
         take_limit(options, raw.percent_limit, failure) ||
         take_view(options, failure) ||
         stack_options_take(&options->stacks, failure) ||
         diff_options_take(&options->diff, failure) ||
         annotate_options_take(&options->annotate, failure) ||
         take_sessions(options, failure) )
        return failure->status;
    return label_list_parse(given(TEXT_SORT, SORT), &options->sort, failure);
}

/* One option for each view but the first. */
static void list_views(void)
{
    for ( size_t i = 1; i < VIEWS; i++ )
    {
        const char *argument = view_table[i].to_file ? "FILE"
                                                     : view_table[i].argument;

        view_options[i - 1] = (struct poptOption){
            .longName = view_table[i].option,
            .argInfo = argument ? POPT_ARG_STRING : POPT_ARG_NONE,
            .arg = argument ? NULL : &raw.views[i],
            .val = argument ? (int)(TEXT_VIEWS + i) : 0,
            .descrip = view_table[i].what,
            .argDescrip = argument,
        };
    }
}

static enum exit_status read_words(poptContext context, struct failure *failure)
{
    size_t words = 0;
    int code;

    while ( (code = poptGetNextOpt(context)) > 0 )
    {
        free(raw.texts[code]);
        raw.texts[code] = poptGetOptArg(context);
    }
    if ( code < -1 )
        return fail(failure, STATUS_USAGE, "%s: %s: see xenopreport --help",
                    poptBadOption(context, POPT_BADOPTION_NOALIAS),
                    poptStrerror(code));
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

static bool only_tells(void)
{
    if ( raw.version )
        printf("xenopreport %s\n", PACKAGE_VERSION);
    else if ( raw.list_fields )
        list_fields();
    return raw.version || raw.list_fields;
}

enum exit_status options_parse(struct options *options, int argc,
                               const char **argv, bool *done,
                               struct failure *failure)
{
    enum exit_status status;
    poptContext context;

    memset(options, 0, sizeof(*options));
    list_views();
    context = poptGetContext("xenopreport", argc, argv, option_table, 0);
    status = read_words(context, failure);
    *done = !status && only_tells();
    /* Also after a failure: what popt made is to be freed. */
    options->guest_kernels = raw.guest_kernels;
    if ( !status )
        status = take_raw(options, failure);
    raw_free();
    poptFreeContext(context);
    return status;
}
