/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-times.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 8u /* above none */

/* From none up; in UTF-8 U+2581 and those behind it, which are blocks of rising
 * height. */
static void put_bar(size_t level, bool utf8, FILE *file)
{
    if ( utf8 && level )
        fprintf(file, "\xe2\x96%c", (int)(0x80 + level));
    else
        fputc(" .:-=+*%#"[level], file);
}

/* Bins from the first one up to the end of the session, where there may be no
 * samples. */
static size_t count_bins(const struct loaded *loaded)
{
    const struct timeline *timeline = &loaded->timeline;
    const size_t seen = timeline->bins - timeline_over(timeline);
    const uint64_t start = timeline_start(timeline);
    const uint64_t all = loaded->last > start
                             ? (loaded->last - start + timeline->width - 1) /
                                   timeline->width
                             : 0;

    /* A file may say that it ends in a thousand years. */
    return all > seen && all <= TIMELINE_BINS ? (size_t)all : seen;
}

void browse_times_init(struct browse_times *times, const struct loaded *loaded)
{
    const struct timeline *timeline = &loaded->timeline;
    const uint32_t over = timeline_over(timeline);

    *times = (struct browse_times){.samples = NULL};
    if ( !timeline->begun || timeline->bins <= over )
        return;
    *times = (struct browse_times){
        .count = count_bins(loaded),
        .start = loaded_since(loaded, timeline_start(timeline)),
        .width = timeline->width,
    };
    times->samples = must(calloc(times->count, sizeof(*times->samples)));
    for ( size_t i = 0; i < timeline->count; i++ )
    {
        const struct moment *moment = &timeline->moments[i];
        const struct cell *cell = table_at(&loaded->cells, moment->cell);
        const uint32_t bin = moment->bin > over ? moment->bin - over : 0;

        if ( !cell->dropped && cell->key.mode < XENOPROF_MODE_IDLE )
            times->samples[bin] += moment->count;
    }
}

void browse_times_free(struct browse_times *times)
{
    free(times->samples);
    *times = (struct browse_times){.samples = NULL};
}

/* The first bin of a column; bins are spread as evenly as can be. */
static size_t column_bin(const struct browse_times *times, size_t columns,
                         size_t column)
{
    return (size_t)((uint64_t)times->count * column / columns);
}

/* How busy a column is: samples of its bins, of which there may be none of its
 * own. */
static double column_busy(const struct browse_times *times, size_t columns,
                          size_t column)
{
    const size_t from = column_bin(times, columns, column);
    size_t to = column_bin(times, columns, column + 1);
    double sum = 0;

    to = to > from ? to : from + 1;
    for ( size_t bin = from; bin < to; bin++ )
        sum += (double)times->samples[bin];
    return sum / (double)(to - from);
}

char *browse_times_strip(const struct browse_times *times, size_t columns,
                         bool utf8)
{
    double *busy SCOPE_FREE = must(calloc(columns, sizeof(*busy)));
    double most = 0;
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    for ( size_t i = 0; i < columns && times->count; i++ )
    {
        busy[i] = column_busy(times, columns, i);
        most = busy[i] > most ? busy[i] : most;
    }
    /* Whatever there is can be seen. */
    for ( size_t i = 0; i < columns; i++ )
        put_bar(busy[i] > 0 ? 1 + (size_t)(busy[i] / most * (LEVELS - 1)) : 0,
                utf8, file);
    return format_close(file, &text);
}

/* "1.25", without noughts at its end; "" at an end of the strip's. */
static char *column_time(const struct browse_times *times, size_t columns,
                         size_t column)
{
    const uint64_t ns = times->start +
                        (uint64_t)((double)times->count * (double)times->width *
                                   (double)column / (double)columns);
    char *text;
    size_t length;

    if ( column == 0 || column >= columns )
        return must(strdup(""));
    text = must_text("%.3f", (double)ns / NS_PER_S);
    length = strlen(text);
    while ( text[length - 1] == '0' )
        text[--length] = '\0';
    if ( text[length - 1] == '.' )
        text[--length] = '\0';
    return text;
}

char *browse_times_range(const struct browse_times *times, size_t columns,
                         size_t from, size_t to)
{
    char *begin SCOPE_FREE = column_time(times, columns, from);
    char *end SCOPE_FREE = column_time(times, columns, to);

    return *begin || *end ? must_text("%s..%s", begin, end) : must(strdup(""));
}
