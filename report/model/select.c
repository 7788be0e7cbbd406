/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "select.h"

#include "base/must.h"
#include "base/duration.h"
#include "base/scope.h"
#include "domain-text.h"
#include "format.h"
#include "labels.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* A key: how its values are read, and which cells one of them means. */
struct key {
    const char *name;
    const char *what;
    const char *wanted; /* for a value that cannot be read */
    bool (*parse)(struct selection *selection, struct filter_value *value);
    bool (*match)(const struct loaded *loaded, const struct cell *cell,
                  const struct filter_value *value);
};

static bool parse_text(struct selection *selection, struct filter_value *value)
{
    (void)selection;
    return *value->text;
}

static bool parse_number(const char **text, uint64_t *ret)
{
    char *end;

    *ret = strtoull(*text, &end, 10);
    if ( end == *text || **text < '0' || **text > '9' )
        return false;
    *text = end;
    return *ret <= UINT16_MAX;
}

static bool parse_span(const char *text, struct filter_value *value)
{
    if ( !parse_number(&text, &value->low) )
        return false;
    value->high = value->low;
    if ( *text == '-' )
    {
        text++;
        if ( !parse_number(&text, &value->high) )
            return false;
    }
    return !*text && value->low <= value->high;
}

static bool parse_cpus(struct selection *selection, struct filter_value *value)
{
    (void)selection;
    return parse_span(value->text, value);
}

/* As "3", "0-3" or "web/0-3". */
static bool parse_vcpus(struct selection *selection, struct filter_value *value)
{
    const char *slash = strrchr(value->text, '/');

    (void)selection;
    if ( slash )
        value->domain = must(
            strndup(value->text, (size_t)(slash - value->text)));
    return (!slash || *value->domain) &&
           parse_span(slash ? slash + 1 : value->text, value);
}

static bool parse_mode(struct selection *selection, struct filter_value *value)
{
    (void)selection;
    for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
        if ( !strcmp(value->text, xenoprof_mode_name(mode)) )
        {
            value->low = mode;
            return true;
        }
    return false;
}

static bool parse_range(struct selection *selection, struct filter_value *value)
{
    return selection->filters[FILTER_TIME].count == 1 &&
           time_range_parse(value->text, &selection->range);
}

static bool match_domain(const struct loaded *loaded, const struct cell *cell,
                         const struct filter_value *value)
{
    return domain_is(loaded, cell->key.domain, value->text);
}

/* The idle domain's are only those of who names it: each is a pCPU's.  Of what
 * is not profiled vCPUs are not told apart. */
static bool match_vcpu(const struct loaded *loaded, const struct cell *cell,
                       const struct filter_value *value)
{
    const bool in = cell->key.vcpu >= value->low &&
                    cell->key.vcpu <= value->high;

    if ( value->domain )
        return cell->key.mode != MODE_UNKNOWN &&
               domain_is(loaded, cell->key.domain, value->domain) &&
               (in || cell->key.domain == DOMAIN_INDEX_OTHER);
    return in && !cell_placeless(cell) && cell->key.domain != DOMAIN_INDEX_IDLE;
}

static bool match_pcpu(const struct loaded *loaded, const struct cell *cell,
                       const struct filter_value *value)
{
    (void)loaded;
    return cell->key.pcpu >= value->low && cell->key.pcpu <= value->high;
}

static bool match_mode(const struct loaded *loaded, const struct cell *cell,
                       const struct filter_value *value)
{
    (void)loaded;
    return cell->key.mode == value->low;
}

static bool match_name(const struct loaded *loaded, uint32_t name,
                       const struct filter_value *value)
{
    const char *text = names_text(&loaded->names, name);

    return text && !fnmatch(value->text, text, 0);
}

static bool match_image(const struct loaded *loaded, const struct cell *cell,
                        const struct filter_value *value)
{
    return !cell_placeless(cell) &&
           match_name(loaded, cell_name(cell)->image, value);
}

static bool match_symbol(const struct loaded *loaded, const struct cell *cell,
                         const struct filter_value *value)
{
    const char *text = names_text(&loaded->names, cell_name(cell)->symbol);

    return !cell_placeless(cell) && text &&
           (!fnmatch(value->text, text, 0) ||
            !fnmatch(value->text, label_short_symbol(text), 0));
}

/* With the path, or without. */
static bool match_line(const struct loaded *loaded, const struct cell *cell,
                       const struct filter_value *value)
{
    const uint64_t line = label_value(cell, LABEL_LINE);
    char *text SCOPE_FREE = NULL;

    if ( line == LABEL_NONE )
        return false;
    text = label_text(loaded, LABEL_LINE, line, LABEL_NONE);
    return !fnmatch(value->text, text, 0) ||
           !fnmatch(value->text, format_without_path(text), 0);
}

static bool match_entry(const struct loaded *loaded, const struct cell *cell,
                        const struct filter_value *value)
{
    return match_name(loaded, cell->entry, value);
}

static bool match_reason(const struct loaded *loaded, const struct cell *cell,
                         const struct filter_value *value)
{
    (void)loaded;
    (void)value;
    return cell->of_reason;
}

static bool match_stack(const struct loaded *loaded, const struct cell *cell,
                        const struct filter_value *value)
{
    (void)loaded;
    (void)value;
    return cell->beneath;
}

/* A process or thread, by its number: its kernel counts further than Xen does.
 * */
static bool parse_task(struct selection *selection, struct filter_value *value)
{
    char *end;

    (void)selection;
    errno = 0;
    value->low = strtoull(value->text, &end, 10);
    return !errno && *value->text >= '0' && *value->text <= '9' && !*end &&
           value->low <= UINT32_MAX;
}

static bool match_pid(const struct loaded *loaded, const struct cell *cell,
                      const struct filter_value *value)
{
    (void)loaded;
    return label_value(cell, LABEL_PID) == value->low;
}

static bool match_tid(const struct loaded *loaded, const struct cell *cell,
                      const struct filter_value *value)
{
    (void)loaded;
    return label_value(cell, LABEL_TID) == value->low;
}

static bool match_comm(const struct loaded *loaded, const struct cell *cell,
                       const struct filter_value *value)
{
    return match_name(loaded, cell_comm(cell), value);
}

/* A text of where the thread comes from. */
static bool match_origin(const struct loaded *loaded, const struct cell *cell,
                         enum origin_text which,
                         const struct filter_value *value)
{
    const struct loaded_origin *origin = cell->ran ? cell->ran->origin : NULL;

    return origin && match_name(loaded, origin->texts[which], value);
}

static bool match_exe(const struct loaded *loaded, const struct cell *cell,
                      const struct filter_value *value)
{
    return match_origin(loaded, cell, ORIGIN_EXE, value);
}

static bool match_cgroup(const struct loaded *loaded, const struct cell *cell,
                         const struct filter_value *value)
{
    return match_origin(loaded, cell, ORIGIN_CGROUP, value);
}

static bool match_unit(const struct loaded *loaded, const struct cell *cell,
                       const struct filter_value *value)
{
    return match_origin(loaded, cell, ORIGIN_UNIT, value);
}

static bool match_container(const struct loaded *loaded,
                            const struct cell *cell,
                            const struct filter_value *value)
{
    return match_origin(loaded, cell, ORIGIN_CONTAINER, value);
}

static bool match_pod(const struct loaded *loaded, const struct cell *cell,
                      const struct filter_value *value)
{
    return match_origin(loaded, cell, ORIGIN_POD, value);
}

static const struct key filter_keys[FILTERS] = {
    [FILTER_DOMAIN] = {"domain",
                       "number, name (or pattern) or uuid; \"other\", \"idle\"",
                       "a number, name or uuid", parse_text, match_domain},
    [FILTER_VCPU] = {"vcpu",
                     "number of the vCPU in its domain, or N-M; DOMAIN/N or "
                     "DOMAIN/N-M: of that domain",
                     "a number or N-M, alone or as DOMAIN/N", parse_vcpus,
                     match_vcpu},
    [FILTER_PCPU] = {"pcpu", "number of the pCPU, or N-M", "a number or N-M",
                     parse_cpus, match_pcpu},
    [FILTER_MODE] = {"mode", "xen, kernel, user or idle",
                     "xen, kernel, user or idle", parse_mode, match_mode},
    [FILTER_IMAGE] = {"image", "name or pattern, as for file names",
                      "a name or pattern", parse_text, match_image},
    [FILTER_SYMBOL] = {"symbol", "name or pattern, as for file names",
                       "a name or pattern", parse_text, match_symbol},
    [FILTER_LINE] = {"line", "FILE:LINE of source, or pattern",
                     "a FILE:LINE or pattern", parse_text, match_line},
    [FILTER_ENTRY] = {"entry", "why the guest had entered Xen, or pattern",
                      "a name or pattern", parse_text, match_entry},
    [FILTER_REASON] = {"reason",
                       "why Xen ran, by --why's text or its name in --why "
                       "--json, or pattern; \"outside\": not in Xen",
                       "a reason, or a pattern for some", parse_text,
                       match_reason},
    [FILTER_STACK] = {"stack",
                      "functions that the call chain begins with, at its root, "
                      "as in main;read, or patterns",
                      "names or patterns of functions, with ';' between them",
                      parse_text, match_stack},
    [FILTER_PID] = {"pid", "number of the process in its guest", "a number",
                    parse_task, match_pid},
    [FILTER_TID] = {"tid", "number of the thread in its guest", "a number",
                    parse_task, match_tid},
    [FILTER_COMM] = {"comm", "name of the thread in its guest, or pattern",
                     "a name or pattern", parse_text, match_comm},
    [FILTER_EXE] = {"exe", "path of the thread's program, or pattern",
                    "a path or pattern", parse_text, match_exe},
    [FILTER_CGROUP] = {"cgroup", "path of the thread's cgroup, or pattern",
                       "a path or pattern", parse_text, match_cgroup},
    [FILTER_UNIT] = {"unit", "systemd's unit of the thread, or pattern",
                     "a name or pattern", parse_text, match_unit},
    [FILTER_CONTAINER] = {"container",
                          "id of the thread's container, or pattern",
                          "an id or pattern", parse_text, match_container},
    [FILTER_POD] = {"pod", "uid of the thread's Kubernetes pod, or pattern",
                    "a uid or pattern", parse_text, match_pod},
    [FILTER_TIME] = {"time",
                     "START..END, each seconds since the session's start, -1h "
                     "before its end, UTC as 2026-11-20T10:00:00Z, or nothing",
                     "one START..END with END after START, as seconds since "
                     "the session's start, as -90s, -30m, -1h or -2d before "
                     "its end, or as UTC (2026-11-20T10:00:00Z)",
                     parse_range, NULL},
};

/* Takes text over. */
static enum exit_status add_value(struct selection *selection, unsigned int key,
                                  char *text, struct failure *failure)
{
    struct filter *filter = &selection->filters[key];
    struct filter_value *value = must(vector_add(filter));

    value->text = text;
    if ( filter_keys[key].parse(selection, value) )
        return STATUS_DONE;
    return fail(failure, STATUS_USAGE,
                "--filter: \"%s\" is not a valid %s: give %s", text,
                filter_keys[key].name, filter_keys[key].wanted);
}

/* The value up to the next comma, without its backslashes; moves *text to the
 * comma, or to the end. */
static char *next_value(const char **text)
{
    char *value = must(malloc(strlen(*text) + 1)), *to = value;
    const char *from = *text;

    while ( *from && *from != ',' )
    {
        if ( *from == '\\' && (from[1] == ',' || from[1] == '\\') )
            from++;
        *to++ = *from++;
    }
    *to = '\0';
    *text = from;
    return value;
}

/* If a "KEY=" with one of our keys is at *text, move it behind that. */
static bool next_key(const char **text, unsigned int *ret)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
    {
        size_t length = strlen(filter_keys[key].name);

        if ( strncmp(*text, filter_keys[key].name, length) ||
             (*text)[length] != '=' )
            continue;
        *text += length + 1;
        *ret = key;
        return true;
    }
    return false;
}

enum exit_status selection_add(struct selection *selection, const char *text,
                               struct failure *failure)
{
    enum exit_status status = STATUS_DONE;
    unsigned int key;

    if ( !next_key(&text, &key) )
        return fail(failure, STATUS_USAGE,
                    "--filter: \"%s\" does not begin with one of the keys "
                    "domain=, vcpu=, pcpu=, mode=, image=, symbol=, line=, "
                    "entry=, reason=, stack=, pid=, tid=, comm=, exe=, "
                    "cgroup=, unit=, container=, pod=, time=",
                    text);
    do
    {
        next_key(&text, &key);
        status = add_value(selection, key, next_value(&text), failure);
    } while ( !status && *text++ );
    return status;
}

enum exit_status selection_last(struct selection *selection, const char *text,
                                struct failure *failure)
{
    uint64_t seconds;

    if ( selection->filters[FILTER_TIME].count )
        return fail(failure, STATUS_USAGE,
                    "--last and --filter=time both say which time is shown: "
                    "give one of them");
    if ( !duration_parse(text, UINT32_MAX, &seconds) )
        return fail(failure, STATUS_USAGE,
                    "--last: \"%s\" is not a length of time: give a number of "
                    "seconds, minutes, hours or days, " DURATION_EXAMPLES,
                    text);
    return add_value(selection, FILTER_TIME, must_text("-%s..", text), failure);
}

enum exit_status selection_range(const char *option, const char *text,
                                 struct time_range *ret,
                                 struct failure *failure)
{
    if ( time_range_parse(text, ret) )
        return STATUS_DONE;
    return fail(failure, STATUS_USAGE, "%s: \"%s\" is not a time: give %s",
                option, text, filter_keys[FILTER_TIME].wanted);
}

static void drop_values(struct filter *filter)
{
    for ( size_t i = 0; i < filter->count; i++ )
    {
        free(filter->items[i].text);
        free(filter->items[i].domain);
    }
    vector_free(filter);
}

void selection_free(struct selection *selection)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
        drop_values(&selection->filters[key]);
}

struct selection selection_copy(const struct selection *selection)
{
    struct selection copy = {.range = selection->range};

    for ( unsigned int key = 0; key < FILTERS; key++ )
        for ( size_t i = 0; i < selection->filters[key].count; i++ )
        {
            struct filter_value *value = must(vector_add(&copy.filters[key]));

            *value = selection->filters[key].items[i];
            value->text = must(strdup(value->text));
            if ( value->domain )
                value->domain = must(strdup(value->domain));
        }
    return copy;
}

enum exit_status selection_set(struct selection *selection, enum filter_key key,
                               const char *text, struct failure *failure)
{
    drop_values(&selection->filters[key]);
    if ( key == FILTER_TIME )
        selection->range = (struct time_range){.from = {TIME_OPEN, 0}};
    if ( !text )
        return STATUS_DONE;
    return add_value(selection, key, must(strdup(text)), failure);
}

char *selection_option(const struct selection *selection, enum filter_key key)
{
    const struct filter *filter = &selection->filters[key];
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    fprintf(file, "%s=", filter_keys[key].name);
    for ( size_t i = 0; i < filter->count; i++ )
    {
        if ( i )
            fputc(',', file);
        for ( const char *at = filter->items[i].text; *at; at++ )
            fprintf(file, "%s%c", *at == ',' || *at == '\\' ? "\\" : "", *at);
    }
    return format_close(file, &text);
}

bool selection_takes(const struct selection *selection,
                     const struct loaded *loaded, const struct cell *cell,
                     enum filter_key key)
{
    const struct filter *filter = &selection->filters[key];

    if ( !filter->count || !filter_keys[key].match )
        return true;
    for ( size_t i = 0; i < filter->count; i++ )
        if ( filter_keys[key].match(loaded, cell, &filter->items[i]) )
            return true;
    return false;
}

bool selection_shows(const struct selection *selection,
                     const struct loaded *loaded, const struct cell *cell)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
        if ( !selection_takes(selection, loaded, cell, key) )
            return false;
    return true;
}

enum exit_status selection_apply(const struct selection *selection,
                                 struct loaded *loaded, struct failure *failure)
{
    const struct filter *domains = &selection->filters[FILTER_DOMAIN];

    for ( size_t i = 0; selection_filters(selection) && i < loaded->cells.count;
          i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->dropped |= !selection_shows(selection, loaded, cell);
    }
    for ( size_t i = 0; i < domains->count; i++ )
        if ( domain_expect(loaded, domains->items[i].text, failure) )
            return failure->status;
    return STATUS_DONE;
}

bool selection_needs_stacks(const struct selection *selection)
{
    return selection->filters[FILTER_REASON].count ||
           selection->filters[FILTER_STACK].count;
}

bool selection_filters(const struct selection *selection)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
        if ( selection->filters[key].count )
            return true;
    return false;
}

const char *selection_key_name(enum filter_key key)
{
    return filter_keys[key].name;
}

void selection_list_keys(FILE *file)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
        fprintf(file, "  %-9s  %s\n", filter_keys[key].name,
                filter_keys[key].what);
}

void selection_print(const struct selection *selection, FILE *file)
{
    const char *before = "";

    for ( unsigned int key = 0; key < FILTERS; key++ )
    {
        const struct filter *filter = &selection->filters[key];

        for ( size_t i = 0; i < filter->count; i++ )
        {
            if ( i == 0 )
                fprintf(file, "%s%s=", before, filter_keys[key].name);
            fprintf(file, "%s%s", i ? "," : "", filter->items[i].text);
        }
        if ( filter->count )
            before = " ";
    }
}
