/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol-pivots.h"

#include "base/must.h"
#include "base/scope.h"
#include "labels.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a frame without a symbol is called; malloc'ed, or NULL. */
static char *frame_place(const struct loaded *loaded, const struct frame *frame)
{
    char *area = NULL;

    if ( frame->key.area )
        area = area_text(loaded, (enum area)frame->key.area, frame->key.comm);
    if ( area || !frame->key.address )
        return area;
    return must_text("0x%" PRIx64, frame->key.address);
}

static bool is_meant_frame(const struct loaded *loaded,
                           const struct frame *frame, const char *pattern)
{
    const char *whole = names_text(&loaded->names, frame->key.symbol);
    char *place SCOPE_FREE = NULL;

    if ( whole )
        return !fnmatch(pattern, whole, 0) ||
               !fnmatch(pattern, label_short_symbol(whole), 0);
    place = frame_place(loaded, frame);
    return place && (!strcmp(pattern, place) || !fnmatch(pattern, place, 0));
}

bool *symbol_pivots(const struct loaded *loaded, const struct stacks *stacks,
                    const char *pattern, bool *any)
{
    size_t count = stacks->frames.count;
    bool *pivots = must(calloc(count + 1, sizeof(*pivots)));

    *any = false;
    for ( size_t i = 0; i < count; i++ )
    {
        pivots[i] = is_meant_frame(loaded, stacks_frame(stacks, (uint32_t)i),
                                   pattern);
        *any = *any || pivots[i];
    }
    return pivots;
}

char *symbol_pattern(const struct loaded *loaded, const struct frame *frame)
{
    const char *whole = names_text(&loaded->names, frame->key.symbol);
    char *text SCOPE_FREE = whole ? must(strdup(whole))
                                  : frame_place(loaded, frame);
    char *pattern, *to;

    if ( !text || !*text )
        return NULL;
    pattern = to = must(malloc(2 * strlen(text) + 1));
    for ( const char *from = text; *from; *to++ = *from++ )
        if ( strchr("*?[\\", *from) )
            *to++ = '\\';
    *to = '\0';
    return pattern;
}
