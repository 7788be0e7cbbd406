/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "overview-lines.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/model/format.h"

#include <stdlib.h>

#define PERCENT_WIDTH 9u  /* with the gap behind it */
#define BAR_WIDTH     40u /* where nothing is cut; else half the screen's */
#define GAP           2u

/* In a bar, from its left end on. */
static const struct bar_part {
    enum xenoprof_mode mode;
    enum colour colour;
    const char *utf8;
    const char *ascii;
} parts[] = {
    {XENOPROF_MODE_XEN, COLOUR_XEN, "█", "#"},
    {XENOPROF_MODE_KERNEL, COLOUR_KERNEL, "▒", "="},
    {XENOPROF_MODE_USER, COLOUR_USER, "░", "-"},
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static void print_percent(uint64_t time, uint64_t all, FILE *file)
{
    fprintf(file, "%6.2f%%  ", percent_of(time, all));
}

/* To the end of a line of which used columns are printed. */
static void print_rest(const struct layout *layout, size_t used,
                       const char *text, FILE *file)
{
    char *clean SCOPE_FREE = must(text_clean(text));
    size_t room = layout->width > used ? layout->width - used : 0;

    if ( room && text_width(clean) > room )
        text_fit(file, clean, room, 0);
    else
        fputs(clean, file);
    fputc('\n', file);
}

void overview_title(const struct layout *layout, const char *text, FILE *file)
{
    print_rest(layout, 0, text, file);
}

void overview_line(const struct layout *layout, uint64_t time, uint64_t all,
                   const char *text, FILE *file)
{
    print_percent(time, all, file);
    print_rest(layout, PERCENT_WIDTH, text, file);
}

static const char *part_text(const struct layout *layout,
                             const struct bar_part *part)
{
    return layout->screen.utf8 ? part->utf8 : part->ascii;
}

static size_t bar_width(const struct layout *layout)
{
    return layout->width ? layout->width / 2 : BAR_WIDTH;
}

/* Columns of a bar up to a time; its parts end where they would if there were
 * no others, so that they add up. */
static size_t columns(uint64_t time, uint64_t all, size_t width)
{
    size_t end = all ? (size_t)((double)time / (double)all * (double)width +
                                0.5)
                     : 0;

    return end < width ? end : width;
}

static void print_bar(const struct layout *layout,
                      const uint64_t by_mode[XENOPROF_MODES], uint64_t all,
                      FILE *file)
{
    const size_t width = bar_width(layout);
    uint64_t time = 0;
    size_t at = 0;

    for ( size_t i = 0; i < PARTS; i++ )
    {
        time += by_mode[parts[i].mode];
        screen_begin(&layout->screen, parts[i].colour, file);
        for ( ; at < columns(time, all, width); at++ )
            fputs(part_text(layout, &parts[i]), file);
        screen_end(&layout->screen, file);
    }
    fprintf(file, "%*s", (int)(width - at + GAP), "");
}

void overview_domain(const struct layout *layout, uint64_t time,
                     const uint64_t by_mode[XENOPROF_MODES], uint64_t all,
                     const char *name, FILE *file)
{
    print_percent(time, all, file);
    print_bar(layout, by_mode, all, file);
    print_rest(layout, PERCENT_WIDTH + bar_width(layout) + GAP, name, file);
}

void overview_domains_title(const struct layout *layout, FILE *file)
{
    size_t used = 0;

    fputs("percent", file);
    for ( size_t i = 0; i < PARTS; i++ )
    {
        const char *mode = xenoprof_mode_name(parts[i].mode);

        fprintf(file, "%*s", (int)GAP, "");
        screen_begin(&layout->screen, parts[i].colour, file);
        fprintf(file, "%s %s", part_text(layout, &parts[i]), mode);
        screen_end(&layout->screen, file);
        used += text_width(mode) + 2 + (i ? GAP : 0);
    }
    if ( used < bar_width(layout) )
        fprintf(file, "%*sdomain", (int)(bar_width(layout) - used + GAP), "");
    fputc('\n', file);
}

/* The part that has least for its weight; NULL: all have all rows. */
static struct screen_part *poorest(struct screen_part *parts, size_t count)
{
    struct screen_part *found = NULL;

    for ( size_t i = 0; i < count; i++ )
        if ( parts[i].shown < parts[i].there &&
             (!found ||
              parts[i].shown * found->weight < found->shown * parts[i].weight) )
            found = &parts[i];
    return found;
}

void screen_rows_share(struct screen_part *parts, size_t count, size_t room)
{
    struct screen_part *part;
    size_t taken = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        parts[i].shown = parts[i].there < parts[i].least ? parts[i].there
                                                         : parts[i].least;
        taken += parts[i].shown;
    }
    for ( ; taken < room && (part = poorest(parts, count)); taken++ )
        part->shown++;
}
