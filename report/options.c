/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks each option that popt has read, and says what is wrong with it. */
#include "options.h"

#include "base/memory-limit.h"
#include "base/must.h"
#include "base/workers.h"
#include "report/browse/browse-screen.h"
#include "report/export/export.h"
#include "report/why/reasons.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT  80
#define WIDTH_MIN      40
#define HEIGHT_DEFAULT 24
#define HEIGHT_MIN     10
#define SCREEN_MAX     10000 /* columns, or lines */
#define DEPTH_MAX      100000
#define MEMORY_MIN     (16u << 20)
#define MEMORY_FEW     (128u << 20) /* for fewer, no thread reads ahead */
#define THREADS_MOST   1024

static const char *given(const struct raw_options *raw, size_t text,
                         const char *otherwise)
{
    return raw->texts[text] ? raw->texts[text] : otherwise;
}

/* How large the screen is, as the environment says it, or the terminal, if
 * standard output is one; 0: nobody does. */
static size_t screen_size(const char *variable, long least, bool columns)
{
    const char *text = getenv(variable);
    long cells = text ? strtol(text, NULL, 10) : 0;
    struct winsize size;

    if ( (cells < least || cells > SCREEN_MAX) && isatty(STDOUT_FILENO) &&
         !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) )
        cells = columns ? size.ws_col : size.ws_row;
    return cells < least || cells > SCREEN_MAX ? 0 : (size_t)cells;
}

static enum exit_status take_layout(struct options *options,
                                    const struct raw_options *raw,
                                    struct failure *failure)
{
    struct layout *layout = &options->layout;
    int width = raw->width;

    layout->header = raw->header;
    layout->no_header = raw->no_header;
    layout->no_summary = raw->no_summary;
    layout->width = screen_size("COLUMNS", WIDTH_MIN, true);
    layout->height = screen_size("LINES", HEIGHT_MIN, false);
    if ( !layout->width )
        layout->width = WIDTH_DEFAULT;
    if ( !layout->height )
        layout->height = HEIGHT_DEFAULT;
    if ( width != WIDTH_UNKNOWN && width &&
         (width < WIDTH_MIN || width > SCREEN_MAX) )
        return fail(failure, STATUS_RANGE,
                    "--width: %d is out of range: give %d to %d columns, "
                    "or 0 to cut nothing",
                    width, WIDTH_MIN, SCREEN_MAX);
    if ( width != WIDTH_UNKNOWN )
        layout->width = (size_t)width;
    return screen_init(&layout->screen, given(raw, TEXT_COLOUR, "auto"),
                       failure);
}

static enum exit_status take_limit(struct query *query, double limit,
                                   struct failure *failure)
{
    if ( limit == LIMIT_UNKNOWN )
        return STATUS_DONE;
    if ( !(limit >= 0 && limit <= 100) )
        return fail(failure, STATUS_RANGE,
                    "--percent-limit: %g is out of range: give 0 to 100",
                    limit);
    query->percent_limit = limit;
    query->percent_limit_given = true;
    return STATUS_DONE;
}

static enum exit_status take_argument(struct options *options,
                                      const struct view *view, const char *text,
                                      struct failure *failure)
{
    char **to = view->to_file ? &options->output : &options->views.argument;

    if ( !text )
        return STATUS_DONE;
    if ( !*text )
        return fail(failure, STATUS_USAGE, "--%s: give %s", view->option,
                    view->to_file ? "the file to write" : "a name");
    *to = must(strdup(text));
    return STATUS_DONE;
}

static bool has_end(const char *text, const char *end)
{
    const size_t length = text ? strlen(text) : 0, last = strlen(end);

    return length >= last && !strcmp(text + length - last, end);
}

/* FORMAT[:FILE]; each format is a view. */
static enum exit_status take_export(struct options *options,
                                    struct failure *failure)
{
    const char *file;

    if ( export_find(options->views.argument, &options->view, &file, failure) )
        return failure->status;
    if ( file )
        options->output = must(strdup(file));
    options->gzip = options->view->gzip || has_end(file, ".gz");
    if ( options->view->bytes && !file && isatty(STDOUT_FILENO) )
        return fail(failure, STATUS_USAGE,
                    "--export=%s makes bytes that are not for a terminal: give "
                    "a file, as in --export=%s:FILE",
                    options->views.argument, options->views.argument);
    return STATUS_DONE;
}

/* Whether one of them is --json, and the other has a form for it. */
static bool go_together(size_t first, size_t other)
{
    return (first == VIEW_json && view_table[other].view->print_json) ||
           (other == VIEW_json && view_table[first].view->print_json);
}

/* The view that is asked for; 0: none.  *json: as JSON. */
static enum exit_status find_view(const struct raw_options *raw, size_t *asked,
                                  bool *json, struct failure *failure)
{
    *asked = 0;
    *json = false;
    for ( size_t i = 1; i < VIEWS; i++ )
    {
        if ( !raw->views[i] && !raw->texts[TEXT_VIEWS + i] )
            continue;
        if ( *asked && (*json || !go_together(*asked, i)) )
            return fail(failure, STATUS_USAGE,
                        "--%s and --%s cannot be combined: give one",
                        view_table[*asked].view->option,
                        view_table[i].view->option);
        *json = *asked;
        if ( !*asked || i != VIEW_json )
            *asked = i;
    }
    return STATUS_DONE;
}

/* A table of its own, or JSON. */
static enum exit_status take_ratio_view(struct options *options,
                                        const struct raw_options *raw,
                                        size_t asked, struct failure *failure)
{
    if ( raw->live || raw->diff || (asked && asked != VIEW_json) )
        return fail(failure, STATUS_USAGE,
                    "--ratio and --%s cannot be combined: give one",
                    raw->live   ? "live"
                    : raw->diff ? "diff"
                                : view_table[asked].view->option);
    options->view = &view_ratio;
    options->json = asked;
    return STATUS_DONE;
}

/* Sets options->view, to that of --diff or --json if that is asked for. */
static enum exit_status take_view(struct options *options,
                                  const struct raw_options *raw,
                                  struct failure *failure)
{
    const struct view *compare;
    const char *name;
    size_t asked;

    if ( find_view(raw, &asked, &options->json, failure) )
        return failure->status;
    name = view_table[asked].view->option;
    compare = view_table[asked].compare;
    if ( raw->diff && !(options->json ? compare->print_json : compare->print) )
        return fail(failure, STATUS_USAGE,
                    "--diff and --%s cannot be combined: see "
                    "xenopreport(1) for what can be compared",
                    name);
    if ( raw->texts[TEXT_RATIO] )
        return take_ratio_view(options, raw, asked, failure);
    if ( raw->texts[TEXT_ARCHIVE] && (raw->live || raw->diff || asked) )
        return fail(failure, STATUS_USAGE,
                    "--archive and --%s cannot be combined: give one",
                    raw->live   ? "live"
                    : raw->diff ? "diff"
                                : name);
    if ( raw->live && (raw->diff || asked) )
        return fail(failure, STATUS_USAGE,
                    "--live and --%s cannot be combined: give one",
                    raw->diff ? "diff" : name);
    /* What only a table has. */
    if ( !asked &&
         (options->query.sort_given || options->query.percent_limit_given) )
        asked = VIEW_rows;
    options->view = raw->diff ? view_table[asked].compare
                              : view_table[asked].view;
    if ( take_argument(options, view_table[asked].view,
                       raw->texts[TEXT_VIEWS + asked], failure) )
        return failure->status;
    options->explore = asked == VIEW_browse && browse_screen_there();
    options->serve = asked == VIEW_serve;
    return asked == VIEW_export ? take_export(options, failure) : STATUS_DONE;
}

static enum exit_status take_patterns(struct focus *focus, enum focus_kind kind,
                                      char **texts, struct failure *failure)
{
    for ( size_t i = 0; texts && texts[i]; i++ )
        if ( focus_add(focus, kind, texts[i], failure) )
            return failure->status;
    return STATUS_DONE;
}

static enum exit_status take_stacks(struct query *query,
                                    const struct raw_options *raw,
                                    struct failure *failure)
{
    if ( raw->max_depth < 0 || raw->max_depth > DEPTH_MAX )
        return fail(failure, STATUS_RANGE,
                    "--max-depth: %d is out of range: give 1 to %d frames, "
                    "or 0 for all",
                    raw->max_depth, DEPTH_MAX);
    query->max_depth = (size_t)raw->max_depth;
    if ( take_patterns(&query->focus, FOCUS_ON, raw->focus, failure) )
        return failure->status;
    return take_patterns(&query->focus, FOCUS_IGNORE, raw->ignore, failure);
}

static enum exit_status take_memory(struct options *options, const char *text,
                                    struct failure *failure)
{
    options->memory = MEMORY_LIMIT_DEFAULT;
    if ( !text )
        return STATUS_DONE;
    if ( memory_size_parse(text, &options->memory) &&
         options->memory >= MEMORY_MIN )
        return STATUS_DONE;
    return fail(failure, STATUS_RANGE,
                "--memory=%s is out of range: give 16M or more, as in 512M or "
                "2G",
                text);
}

static enum exit_status take_threads(struct options *options, int threads,
                                     struct failure *failure)
{
    if ( threads < 0 || threads > THREADS_MOST )
        return fail(failure, STATUS_RANGE,
                    "--threads: %d is out of range: give 1 to %d, or 0 for one "
                    "on each core",
                    threads, THREADS_MOST);
    options->query.threads = threads ? (unsigned int)threads
                             : options->memory < MEMORY_FEW ? 1
                                                            : workers_cores();
    return STATUS_DONE;
}

static enum exit_status take_normalize(struct query *query, const char *by,
                                       struct failure *failure)
{
    if ( !strcmp(by, "samples") )
        query->normalize = NORMALIZE_SAMPLES;
    else if ( !strcmp(by, "time") )
        query->normalize = NORMALIZE_TIME;
    else
        return fail(failure, STATUS_USAGE,
                    "--normalize: unknown value \"%s\": give time or "
                    "samples",
                    by);
    return STATUS_DONE;
}

static enum exit_status take_event(struct query *query, const char *name,
                                   struct failure *failure)
{
    if ( !name )
        return STATUS_DONE;
    if ( !*name )
        return fail(failure, STATUS_USAGE,
                    "--event: no name given: give time, waiting, or an event "
                    "that the session has");
    query->event = must(strdup(name));
    return STATUS_DONE;
}

/* "A/B": B is the event of the session, A that of the same one as its base. */
static enum exit_status take_ratio(struct options *options, const char *text,
                                   struct failure *failure)
{
    const char *slash = text ? strchr(text, '/') : NULL;

    if ( !text )
        return STATUS_DONE;
    if ( !slash || slash == text || !slash[1] || strchr(slash + 1, '/') )
        return fail(failure, STATUS_USAGE,
                    "--ratio: \"%s\" is not A/B: give two events of the "
                    "session, as in instructions/cycles",
                    text);
    if ( options->query.event )
        return fail(failure, STATUS_USAGE,
                    "--ratio and --event cannot be combined: give one");
    options->ratio_of = must(strndup(text, (size_t)(slash - text)));
    options->query.event = must(strdup(slash + 1));
    options->base = must(strdup(options->session));
    options->same = true;
    return STATUS_DONE;
}

static enum exit_status check_code(char *const *code, struct failure *failure)
{
    for ( size_t i = 0; code && code[i]; i++ )
    {
        const char *colon = strchr(code[i], ':');

        if ( !colon || colon == code[i] || !colon[1] )
            return fail(failure, STATUS_USAGE,
                        "--code: \"%s\" is not WHAT:FILE: give xen, an "
                        "image or a domain, a colon, and a file",
                        code[i]);
    }
    return STATUS_DONE;
}

/* Two parts of the time: of one session, or one of each that is named. */
static enum exit_status take_parts(struct options *options,
                                   const struct raw_options *raw,
                                   struct failure *failure)
{
    static const char *const names[] = {"--before", "--after"};
    char *const *texts = &raw->texts[TEXT_BEFORE];

    if ( !texts[0] && !texts[1] )
        return STATUS_DONE;
    if ( !texts[0] || !texts[1] )
        return fail(failure, STATUS_USAGE,
                    "%s=%s says which time is compared, and not with which: "
                    "add %s=START..END",
                    names[!texts[0]], texts[!texts[0]], names[!texts[1]]);
    if ( options->query.selection.filters[FILTER_TIME].count )
        return fail(failure, STATUS_USAGE,
                    "--before and --after say which times are compared: leave "
                    "out %s",
                    raw->texts[TEXT_LAST] ? "--last" : "--filter=time");
    for ( int side = 0; side < 2; side++ )
    {
        if ( selection_range(names[side], texts[side],
                             &options->parts[side].range, failure) )
            return failure->status;
        options->parts[side].text = must(strdup(texts[side]));
    }
    return STATUS_DONE;
}

/* Words that are not options are the sessions that --diff compares. */
static enum exit_status take_sessions(struct options *options,
                                      const struct raw_options *raw,
                                      struct failure *failure)
{
    const char *const *words = raw->words;

    if ( *words && !raw->diff )
        return fail(failure, STATUS_USAGE,
                    "unexpected argument \"%s\": name a session with "
                    "--session=%s",
                    *words, *words);
    options->same = raw->diff && !*words && raw->texts[TEXT_BEFORE];
    if ( raw->diff && !options->same && (!words[0] || (words[1] && words[2])) )
        return fail(failure, STATUS_USAGE,
                    "--diff: give one session to compare with the current "
                    "one, two to compare with each other, or two times of "
                    "one, as in --before=0..60 --after=60..120");
    options->session = must(strdup(
        *words && words[1] ? words[1] : given(raw, TEXT_SESSION, SESSION)));
    if ( *words || options->same )
        options->base = must(strdup(*words ? *words : options->session));
    options->query.session_dir = must(
        strdup(given(raw, TEXT_SESSION_DIR, SESSION_DIR)));
    return STATUS_DONE;
}

static bool is_view_asked(const struct raw_options *raw, size_t view)
{
    return raw->views[view];
}

/* Whether functions have lines of source in one that is asked for. */
static bool may_have_lines(const struct raw_options *raw)
{
    return raw->stacks || is_view_asked(raw, VIEW_browse) ||
           is_view_asked(raw, VIEW_callgraph) ||
           is_view_asked(raw, VIEW_callers) ||
           is_view_asked(raw, VIEW_symbol) ||
           is_view_asked(raw, VIEW_flamegraph) ||
           is_view_asked(raw, VIEW_folded);
}

/* Options that change nothing in any other form of report. */
static enum exit_status refuse_idle(const struct options *options,
                                    const struct raw_options *raw,
                                    struct failure *failure)
{
    const bool flames = is_view_asked(raw, VIEW_flamegraph);
    const struct {
        const char *option;
        bool idle;
        const char *needs;
    } rules[] = {
        {"stacks", raw->stacks && !is_view_asked(raw, VIEW_json), "--json"},
        {"samples", raw->samples && options->view != view_table[VIEW_json].view,
         "--json alone"},
        {"normalize", raw->texts[TEXT_NORMALIZE] && !raw->diff, "--diff"},
        {"before", raw->texts[TEXT_BEFORE] && !raw->diff, "--diff"},
        {"after", raw->texts[TEXT_AFTER] && !raw->diff, "--diff"},
        {"lines", raw->lines && !may_have_lines(raw),
         "--browse, --callgraph, --callers, --symbol=NAME, --flamegraph=FILE, "
         "--folded or --json --stacks"},
        {"code",
         raw->code && !is_view_asked(raw, VIEW_annotate) &&
             !is_view_asked(raw, VIEW_browse) && !raw->texts[TEXT_ARCHIVE],
         "--annotate, --browse or --archive=FILE"},
        {"flames", raw->flames && !flames, "--flamegraph=FILE"},
        {"icicle", raw->icicle && !flames, "--flamegraph=FILE"},
        {"max-depth",
         raw->max_depth && !is_view_asked(raw, VIEW_callgraph) &&
             !is_view_asked(raw, VIEW_callers) &&
             !is_view_asked(raw, VIEW_symbol),
         "--callgraph, --callers or --symbol=NAME"},
    };

    for ( size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++ )
        if ( rules[i].idle )
            return fail(failure, STATUS_USAGE,
                        "--%s changes nothing without %s: add it, or leave out "
                        "--%s",
                        rules[i].option, rules[i].needs, rules[i].option);
    if ( is_view_asked(raw, VIEW_brief_json) &&
         (raw->texts[TEXT_SORT] || raw->percent_limit != LIMIT_UNKNOWN) )
        return fail(failure, STATUS_USAGE,
                    "--brief-json has no rows to sort or to sum up: leave out "
                    "--%s, or give --json",
                    raw->texts[TEXT_SORT] ? "sort" : "percent-limit");
    return STATUS_DONE;
}

/* What the query and the view need of a session. */
static void take_needs(struct options *options)
{
    struct query *query = &options->query;
    const bool stacks = options->views.stacks_in_rows || options->views.samples;

    query->open |= label_list_has(&query->sort, LABEL_ADDRESS);
    report_needs(query, options->view);
    query->needs_log |= options->views.samples;
    query->needs_labels |= options->views.samples;
    query->one_type |= options->views.samples;
    query->needs_who |= options->views.samples;
    if ( stacks )
        query->pruned = NULL;
    query->needs_stacks |= query->focus.count || stacks ||
                           selection_needs_stacks(&query->selection);
}

/* What is shown is read from a copy without names. */
static enum exit_status take_anonymize(struct options *options,
                                       const struct raw_options *raw,
                                       struct failure *failure)
{
    const char *other = raw->live            ? "live"
                        : options->serve     ? "serve"
                        : raw->guest_kernels ? "guest-kernel"
                        : raw->code          ? "code"
                                             : NULL;

    options->anonymize = raw->anonymize;
    if ( raw->anonymize && other )
        return fail(failure, STATUS_USAGE,
                    "--anonymize and --%s cannot be combined: that has names "
                    "which are not the session's",
                    other);
    return STATUS_DONE;
}

/* What is in an archive depends on times alone. */
static enum exit_status take_archive(struct options *options, const char *file,
                                     struct failure *failure)
{
    const struct query *query = &options->query;

    if ( !file )
        return STATUS_DONE;
    if ( !*file )
        return fail(failure, STATUS_USAGE, "--archive: give the file to write");
    for ( int i = 0; i < FILTERS; i++ )
        if ( i != FILTER_TIME && query->selection.filters[i].count )
            return fail(failure, STATUS_USAGE,
                        "--archive takes a part of the time, as with "
                        "--filter=time=10..20 or --last=1m: leave out other "
                        "filters");
    if ( query->focus.count || query->event )
        return fail(failure, STATUS_USAGE,
                    "--archive has all stacks and events: leave out --%s",
                    query->event ? "event" : "focus and --ignore");
    options->archive = must(strdup(file));
    return STATUS_DONE;
}

static enum exit_status take_merge(struct options *options,
                                   const struct raw_options *raw,
                                   struct failure *failure)
{
    if ( (raw->live || options->serve) && raw->texts[TEXT_MERGE] )
        return fail(failure, STATUS_USAGE,
                    "--merge reads a session once, and --%s again and again: "
                    "leave out one of them",
                    raw->live ? "live" : "serve");
    return merge_wanted_take(&options->merge, raw->texts[TEXT_MERGE],
                             raw->texts[TEXT_MERGE_OFFSET], failure);
}

static enum exit_status take_selection(struct options *options,
                                       const struct raw_options *raw,
                                       struct failure *failure)
{
    struct selection *selection = &options->query.selection;
    const char *last = raw->texts[TEXT_LAST];

    for ( size_t i = 0; raw->filters && raw->filters[i]; i++ )
        if ( selection_add(selection, raw->filters[i], failure) )
            return failure->status;
    if ( last && selection_last(selection, last, failure) )
        return failure->status;
    options->query.mark_reasons = mark_reasons;
    for ( size_t i = 0; i < selection->filters[FILTER_REASON].count; i++ )
        if ( !reason_is_meant(selection->filters[FILTER_REASON].items[i].text) )
            return fail(failure, STATUS_USAGE,
                        "--filter: \"%s\" is not a valid reason: give one of "
                        "--why (--why --json has short names), a pattern, or "
                        "\"outside\"",
                        selection->filters[FILTER_REASON].items[i].text);
    if ( raw->live && selection_needs_stacks(selection) )
        return fail(failure, STATUS_USAGE,
                    "--live reads no stacks: leave out --filter=%s, or leave "
                    "out --live",
                    selection->filters[FILTER_REASON].count ? "reason"
                                                            : "stack");
    if ( raw->live && time_range_needs_end(&selection->range) )
        return fail(failure, STATUS_USAGE,
                    "--live shows the last seconds of a session that goes on: "
                    "leave out %s, or leave out --live",
                    last ? "--last" : "times before its end");
    return STATUS_DONE;
}

enum exit_status options_take(struct options *options,
                              const struct raw_options *raw,
                              struct failure *failure)
{
    struct query *query = &options->query;

    options->live = raw->live;
    options->no_pager = raw->no_pager;
    options->views.icicle = raw->icicle || !raw->flames;
    options->views.stacks_in_rows = raw->stacks;
    options->views.samples = raw->samples;
    query->sort_given = raw->texts[TEXT_SORT];
    query->thunks = raw->thunks;
    query->open = raw->addresses;
    query->needs_lines = raw->lines;
    if ( take_selection(options, raw, failure) ||
         take_layout(options, raw, failure) ||
         take_limit(query, raw->percent_limit, failure) ||
         take_view(options, raw, failure) || take_stacks(query, raw, failure) ||
         take_normalize(query, given(raw, TEXT_NORMALIZE, "time"), failure) ||
         take_event(query, raw->texts[TEXT_EVENT], failure) ||
         take_memory(options, raw->texts[TEXT_MEMORY], failure) ||
         take_threads(options, raw->threads, failure) ||
         take_archive(options, raw->texts[TEXT_ARCHIVE], failure) ||
         take_anonymize(options, raw, failure) ||
         take_merge(options, raw, failure) || check_code(raw->code, failure) ||
         refuse_idle(options, raw, failure) ||
         take_parts(options, raw, failure) ||
         take_sessions(options, raw, failure) ||
         take_ratio(options, raw->texts[TEXT_RATIO], failure) ||
         label_list_parse(given(raw, TEXT_SORT, SORT), &query->sort, failure) )
        return failure->status;
    take_needs(options);
    return STATUS_DONE;
}

void options_free(struct options *options)
{
    query_free(&options->query);
    merge_wanted_free(&options->merge);
    for ( size_t i = 0; options->views.code && options->views.code[i]; i++ )
        free(options->views.code[i]);
    free(options->views.code);
    free(options->views.argument);
    free(options->session);
    free(options->base);
    free(options->ratio_of);
    free(options->parts[0].text);
    free(options->parts[1].text);
    free(options->output);
    free(options->archive);
}
