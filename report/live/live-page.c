/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a page of --live: header, table, help. */
#include "live-page.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/model/format.h"
#include "report/model/domain-text.h"
#include "report/text/label-table.h"
#include "report/text/grid.h"
#include "report/model/sessions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define READY_SHOWN  0.1 /* percent from which on it is shown */
#define LINES_AROUND 6u  /* header and keys: all but verdict and rows */

static const char key_help[] =
    "q quit  space freeze  s sort  w window  d domain  "
    "m mode  / find  h help";

static const char *const help[] = {
    "q      quit",
    "space  freeze the page; nothing is lost meanwhile",
    "s      sort by time, samples or name",
    "w      the last 10 seconds, 60 seconds, all since the start, 5 seconds",
    "d      one domain after the other, then all",
    "m      one mode after the other, then all",
    "/      find functions: an extended regular expression, Enter, or Escape",
    "down   further down, and up again: arrows or page keys",
    "Esc    no filter",
    "",
    "percent  of all pCPU time in the window (--event: of all of that type there);",
    "         idle time is Xen's own account",
    "samples  that were taken in the window",
    "rdy      waited for a pCPU, of the time of a domain's vCPUs",
    "trust, verdict, xen ran  of the same seconds, at most 60, whatever is shown;",
    "         made anew as often as that takes 2 % of a CPU",
};

/* Print one line, cut at the screen's edge. */
static void put_page_line(const struct live_page *page, FILE *file,
                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_page_line(const struct live_page *page, FILE *file,
                          const char *format, ...)
{
    va_list arguments;
    char *text SCOPE_FREE = NULL, *clean SCOPE_FREE = NULL;
    size_t own;

    va_start(arguments, format);
    must_do(vasprintf(&text, format, arguments) >= 0);
    va_end(arguments);
    clean = must(text_clean(text));
    own = text_width(clean);
    if ( own > page->layout->width )
        own = page->layout->width;
    fwrite(clean, 1, text_head(clean, own), file);
    fputc('\n', file);
}

static void put_live_session(const struct live_page *page, FILE *file)
{
    const struct loaded *loaded = &page->follow->loaded;
    const struct live_state *state = page->state;
    char length[CLOCK_TEXT], window[32] = "all of it";

    clock_format_length(loaded_since(loaded, loaded->last), length);
    if ( state->seconds )
        snprintf(window, sizeof(window), "the last %u s", state->seconds);
    put_page_line(page, file, "%s %s, %s; %s, by %s%s",
                  loaded->closed ? "closed   " : "recording",
                  session_name(page->follow->path), length, window,
                  live_sort_name(state->sort), state->frozen ? "; FROZEN" : "");
}

/* " (ring, queue)": why samples were lost. */
static void name_causes(const struct loaded *loaded, char ret[128])
{
    size_t used = 0;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        if ( loaded_lost(loaded, cause) )
            used += (size_t)sprintf(ret + used, "%s%s", used ? ", " : " (",
                                    xenoprof_cause_name(cause));
    if ( used )
        strcpy(ret + used, ")");
}

static void put_live_losses(const struct live_page *page, FILE *file)
{
    const struct loaded *loaded = &page->follow->loaded;
    uint64_t lost = loaded_lost_all(loaded) + loaded_unreadable(loaded);
    double cost = live_follow_cost(page->follow, page->state->seconds);
    char own[64] = "", causes[128] = "";

    name_causes(loaded, causes);
    if ( cost >= 0 )
        snprintf(own, sizeof(own),
                 "; the profiler takes %.3f %% of pCPU time%s", cost,
                 loaded->cost.reported ? "" : ", in Xen alone");
    put_page_line(page, file,
                  "samples   %" PRIu64 " read, %" PRIu64 " lost%s%s%s",
                  loaded->read, lost, causes,
                  loaded->damages ? ", parts damaged" : "", own);
}

/* " (rdy 12.0 %)": of the time of its vCPUs, waiting for a pCPU; nothing if it
 * did not wait. */
static void add_ready(const struct live_page *page, uint32_t index, FILE *file)
{
    const struct loaded *loaded = &page->follow->loaded;
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    unsigned int seconds = page->state->seconds;
    struct vcpu_times times = {.span = 0};
    double percent;

    if ( seconds )
        times = live_window_waits(&page->follow->window, seconds, domain);
    else
        waits_add_domain(&loaded->waits, domain->key.uuid, domain->key.number,
                         &times);
    percent = waits_percent(&times, waits_ready(&times));
    if ( percent >= READY_SHOWN )
        fprintf(file, " (rdy %.1f %%)", percent);
}

/* "domains   idle 55.5 %, web (1) 31.4 %": of all, whatever is filtered. */
static void put_live_domains(const struct live_page *page, FILE *file)
{
    struct profile profile;
    char *text SCOPE_FREE = NULL;
    size_t size;
    FILE *memory = must(open_memstream(&text, &size));

    profile_by_domain(&profile, &page->follow->loaded);
    for ( size_t i = 0; i < profile.count; i++ )
    {
        char *name SCOPE_FREE = label_text(
            &page->follow->loaded, LABEL_DOMAIN,
            profile.sorted[i]->key.value[LABEL_DOMAIN], LABEL_NONE);

        if ( !profile.sorted[i]->time )
            continue;
        fprintf(memory, "%s%s %.1f %%", i ? ", " : "", name ? name : "?",
                profile_percent(&profile, profile.sorted[i]->time));
        add_ready(page, (uint32_t)profile.sorted[i]->key.value[LABEL_DOMAIN],
                  memory);
    }
    fclose(memory);
    put_page_line(page, file, "domains   %s", text ? text : "");
    profile_free(&profile);
}

static void put_filter(const struct live_page *page, FILE *file)
{
    const struct live_state *state = page->state;
    const struct types *types = &page->follow->loaded.types;
    char of[TYPE_TEXT + 16] = "";
    char *domain SCOPE_FREE = state->domain == LIVE_ANY
                                  ? must(strdup("all"))
                                  : domain_text(&page->follow->loaded,
                                                state->domain);

    if ( !types_is_time(types) )
        snprintf(of, sizeof(of), "samples of %s, ", types_shown(types)->name);
    put_page_line(page, file, "shown     %sdomain %s, mode %s%s%s%s", of,
                  domain ? domain : "?",
                  state->mode == LIVE_ANY ? "all"
                                          : xenoprof_mode_name(state->mode),
                  *state->pattern || state->typing ? ", functions with /" : "",
                  state->pattern,
                  state->typing                         ? "_"
                  : *state->pattern && !state->matching ? "/ (no expression)"
                  : *state->pattern                     ? "/"
                                                        : "");
}

static const char *sort_name(const struct loaded *loaded, const struct row *row)
{
    uint64_t symbol = row->key.value[LABEL_SYMBOL];

    /* Rows without a name come last. */
    return symbol == LABEL_NONE ? "\xff"
                                : label_short_symbol(names_text(
                                      &loaded->names, (uint32_t)symbol));
}

/* Compare rows by what the user chose. */
struct order {
    const struct loaded *loaded;
    enum live_sort sort;
};

static int compare_live_rows(const void *left, const void *right,
                             void *argument)
{
    const struct row *a = *(const struct row *const *)left;
    const struct row *b = *(const struct row *const *)right;
    const struct order *by = argument;
    int order = 0;

    if ( by->sort == LIVE_BY_NAME )
        order = strcmp(sort_name(by->loaded, a), sort_name(by->loaded, b));
    if ( by->sort == LIVE_BY_SAMPLES && a->samples != b->samples )
        order = a->samples < b->samples ? 1 : -1;
    if ( !order && a->time != b->time )
        order = a->time < b->time ? 1 : -1;
    return order ? order : a < b ? -1 : a > b;
}

/* Lines for rows, or for help and the table's title. */
static size_t live_rows_room(const struct live_page *page)
{
    size_t taken = LINES_AROUND + live_verdict_lines(page->verdict);

    return page->height > taken ? page->height - taken : 0;
}

static void put_live_verdict(const struct live_page *page, FILE *file)
{
    size_t count = live_verdict_lines(page->verdict);
    const char *line = page->verdict->text;

    for ( size_t i = 0; i < count; i++ )
    {
        int length = (int)strcspn(line, "\n");

        put_page_line(page, file, "%.*s", length, line);
        line += length + 1;
    }
}

/* Print the rows with samples in the window, as many as fit. */
static void print_live_rows(const struct live_page *page,
                            const struct report *report,
                            const struct profile *profile, FILE *file)
{
    size_t room = live_rows_room(page), at = 0, shown = 0;
    struct grid grid = {.count = 0};

    grid_column(&grid, "percent", true, false);
    grid_column(&grid, "samples", true, false);
    grid_column(&grid, "mode", false, false);
    grid_column(&grid, "function", false, true);
    for ( size_t i = 0; i < profile->count && shown < room; i++ )
    {
        const struct row *row = profile->sorted[i];

        if ( (!row->time && !row->samples) || at++ < page->state->first )
            continue;
        grid_add(&grid, percent_text(profile, row->time));
        grid_add(&grid, must_text("%" PRIu64, row->samples));
        grid_add(&grid, label_text(report->loaded, LABEL_MODE,
                                   row->key.value[LABEL_MODE], LABEL_NONE));
        grid_add(&grid, row_symbol_text(report, profile, &row->key));
        shown++;
    }
    grid_print(&grid, page->layout->width, true, file);
    grid_free(&grid);
    for ( ; shown < room; shown++ )
        fputc('\n', file);
}

static void drop_cells(const struct live_page *page)
{
    struct loaded *loaded = &page->follow->loaded;
    struct failure ignored = {0};

    for ( size_t i = 0; i < loaded->cells.count; i++ )
        ((struct cell *)table_at(&loaded->cells, i))->dropped = false;
    /* Unknown domains were reported when the program began. */
    selection_apply(&page->query->selection, loaded, &ignored);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->dropped |= !live_shows(page->state, loaded, cell);
    }
}

static void put_table(const struct live_page *page, FILE *file)
{
    static const struct label_list labels = {
        .label = {LABEL_MODE, LABEL_IMAGE, LABEL_SYMBOL},
        .count = 3,
        .areas = true,
    };
    const struct report report = {.query = page->query,
                                  .layout = page->layout,
                                  .loaded = &page->follow->loaded};
    struct order order = {report.loaded, page->state->sort};
    struct profile profile;

    drop_cells(page);
    profile_build(&profile, report.loaded, &labels);
    /* Rows are sorted by time already. */
    if ( order.sort != LIVE_BY_TIME )
        qsort_r(profile.sorted, profile.count, sizeof(*profile.sorted),
                compare_live_rows, &order);
    print_live_rows(page, &report, &profile, file);
    profile_free(&profile);
}

static void put_help(const struct live_page *page, FILE *file)
{
    size_t room = live_rows_room(page) + 1;
    size_t count = sizeof(help) / sizeof(help[0]);

    for ( size_t i = 0; i < room; i++ )
        put_page_line(page, file, "%s", i < count ? help[i] : "");
}

char *live_page(const struct live_page *page)
{
    struct live_saved saved;
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    live_window_enter(&page->follow->window, page->state->seconds,
                      &page->follow->loaded, &saved);
    put_live_session(page, file);
    put_live_verdict(page, file);
    put_live_losses(page, file);
    put_live_domains(page, file);
    put_filter(page, file);
    if ( page->state->help )
        put_help(page, file);
    else
        put_table(page, file);
    put_page_line(page, file, "%s", key_help);
    live_window_leave(&page->follow->loaded, &saved);
    return format_close(file, &text);
}
