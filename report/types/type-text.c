/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "type-text.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

/* Types that are measured in time, and events. */
static bool is_timed(const struct loaded *loaded)
{
    return loaded->types.shown < XENOPROF_TYPE_EVENT;
}

char *type_amount(const struct loaded *loaded, uint64_t amount)
{
    return is_timed(loaded) ? format_seconds(amount) : format_count(amount);
}

char *type_length(const struct loaded *loaded, uint64_t amount)
{
    char *count SCOPE_FREE = NULL;
    char length[CLOCK_TEXT];

    if ( is_timed(loaded) )
    {
        clock_format_length(amount, length);
        return must(strdup(length));
    }
    count = format_count(amount);
    return must_text("%s %s", count, types_shown(&loaded->types)->unit);
}

char *type_part(const struct loaded *loaded, uint64_t amount)
{
    const struct sample_type *type = types_shown(&loaded->types);
    char *length SCOPE_FREE = type_length(loaded, amount);

    return strcmp(type->unit, type->name)
               ? must_text("%s of %s", length, type_whole(loaded))
               : must(strdup(length));
}

const char *type_whole(const struct loaded *loaded)
{
    switch ( loaded->types.shown )
    {
    case XENOPROF_TYPE_TIME: return "pCPU time";
    case XENOPROF_TYPE_WAITING: return "waiting time";
    default: return types_shown(&loaded->types)->name;
    }
}

const char *type_column(const struct loaded *loaded)
{
    return types_is_time(&loaded->types) ? "time"
           : is_timed(loaded)            ? "waited"
                                         : "count";
}

const char *type_member(const struct loaded *loaded)
{
    return types_is_time(&loaded->types) ? "time_ns" : "amount";
}

double type_counted(const struct sample_type *type)
{
    if ( !type->enabled && type->turns > 1 )
        return 100.0 / type->turns;
    return type->enabled && type->running < type->enabled
               ? 100.0 * (double)type->running / (double)type->enabled
               : 100.0;
}
