/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "overview-lines.h"

#include "base/scope.h"
#include "base/text.h"

#include <stdlib.h>

#define PERCENT_WIDTH 9u /* with the gap behind it */
#define BAR_WIDTH     40u

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
    fprintf(file, "%6.2f%%  ", all ? 100.0 * (double)time / (double)all : 0.0);
}

/* To the end of a line of which used columns are printed. */
static bool print_rest(const struct layout *layout, size_t used,
                       const char *text, FILE *file)
{
    char *clean SCOPE_FREE = text_clean(text);
    size_t room = layout->width > used ? layout->width - used : 0;

    if ( !clean )
        return false;
    if ( room && text_width(clean) > room )
        text_fit(file, clean, room, 0);
    else
        fputs(clean, file);
    fputc('\n', file);
    return true;
}

bool overview_line(const struct layout *layout, uint64_t time, uint64_t all,
                   const char *text, FILE *file)
{
    print_percent(time, all, file);
    return print_rest(layout, PERCENT_WIDTH, text, file);
}

static const char *part_text(const struct layout *layout,
                             const struct bar_part *part)
{
    return layout->screen.utf8 ? part->utf8 : part->ascii;
}

/* Columns up to a time; parts of a bar end where they would if there were no
 * others, so that they add up. */
static size_t columns(uint64_t time, uint64_t all)
{
    return all ? (size_t)((double)time / (double)all * BAR_WIDTH + 0.5) : 0;
}

static void print_bar(const struct layout *layout,
                      const uint64_t by_mode[XENOPROF_MODES], uint64_t all,
                      FILE *file)
{
    uint64_t time = 0;
    size_t at = 0;

    for ( size_t i = 0; i < PARTS; i++ )
    {
        time += by_mode[parts[i].mode];
        screen_begin(&layout->screen, parts[i].colour, file);
        for ( ; at < columns(time, all) && at < BAR_WIDTH; at++ )
            fputs(part_text(layout, &parts[i]), file);
        screen_end(&layout->screen, file);
    }
    fprintf(file, "%*s  ", (int)(BAR_WIDTH - at), "");
}

bool overview_domain(const struct layout *layout, uint64_t time,
                     const uint64_t by_mode[XENOPROF_MODES], uint64_t all,
                     const char *name, FILE *file)
{
    print_percent(time, all, file);
    print_bar(layout, by_mode, all, file);
    return print_rest(layout, PERCENT_WIDTH + BAR_WIDTH + 2, name, file);
}

void overview_domains_title(const struct layout *layout, FILE *file)
{
    size_t used = 0;

    fputs("percent  ", file);
    for ( size_t i = 0; i < PARTS; i++ )
    {
        const char *mode = xenoprof_mode_name(parts[i].mode);

        screen_begin(&layout->screen, parts[i].colour, file);
        fprintf(file, "%s %s  ", part_text(layout, &parts[i]), mode);
        screen_end(&layout->screen, file);
        used += text_width(mode) + 4;
    }
    fprintf(file, "%*s  domain\n", (int)(BAR_WIDTH - used), "");
}
