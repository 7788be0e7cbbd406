/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files are read, not mapped: one that is made shorter meanwhile must not end
 * us. */
#include "dwarf-section.h"

#include <stdlib.h>
#include <unistd.h>

/* What is read at least; more where one piece follows another. */
#define FEW  4096u
#define MANY 65536u

/* Bytes that are read for a step. */
#define BYTES_OF_STEP 64u

static void fill_window(struct dwarf_section *section, uint64_t at, size_t want)
{
    bool follows = at >= section->start && at - section->start <= section->have;
    size_t size = follows ? MANY : FEW;

    if ( size < want )
        size = want;
    if ( size > section->size - at )
        size = section->size - at;
    section->have = 0;
    if ( size / BYTES_OF_STEP > *section->steps )
    {
        *section->steps = 0;
        return;
    }
    *section->steps -= size / BYTES_OF_STEP;
    if ( size > section->room )
    {
        uint8_t *window = realloc(section->window, size);

        if ( !window )
            return;
        section->window = window;
        section->room = size;
    }
    section->bytes = section->window;
    section->start = at;
    while ( section->have < size )
    {
        ssize_t got = pread(section->fd, section->window + section->have,
                            size - section->have,
                            (off_t)(section->offset + at + section->have));

        if ( got <= 0 )
            break;
        section->have += (size_t)got;
    }
}

/* Returns whether so many bytes, or all that there are, are in memory. */
static bool window_has(const struct dwarf_section *section, uint64_t at,
                       size_t want)
{
    uint64_t end = section->start + section->have;

    return section->have && at >= section->start && at < end &&
           (want <= end - at || end == section->size);
}

struct cursor dwarf_bytes(struct dwarf_section *section, uint64_t at,
                          size_t want)
{
    if ( want > DWARF_WINDOW_MAX )
        want = DWARF_WINDOW_MAX;
    if ( at >= section->size )
        return (struct cursor){.at = NULL};
    if ( section->fd >= 0 && !window_has(section, at, want) )
        fill_window(section, at, want);
    if ( at - section->start >= section->have )
        return (struct cursor){.at = NULL};
    return (struct cursor){.at = section->bytes + (at - section->start),
                           .end = section->bytes + section->have};
}

void dwarf_section_free(struct dwarf_section *section)
{
    free(section->window);
    section->window = NULL;
    section->room = section->have = 0;
}
