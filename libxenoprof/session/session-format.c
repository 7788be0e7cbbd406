/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of session-format.def. */
#include "libxenoprof/column.h"
#include "session-format.h"

#define PLAIN                 COLUMN_PLAIN
#define SIGNED                COLUMN_SIGNED
#define DIFFERENCES           COLUMN_DIFFERENCES
#define EITHER                COLUMN_EITHER
#define BYTES                 COLUMN_BYTES
#define ALWAYS                COLUMN_ALWAYS
#define SESSION_TABLE_NOTHING 0
#define ROWS                  TABLE_ROWS
#define NUMBERED              TABLE_NUMBERED
#define SMALL                 TABLE_SMALL

static const struct session_table tables[] = {
#define SESSION_TABLE(number, NAME, name, kind)                                \
    {number, name, kind, NULL, 0, 0},
#define SESSION_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,  \
                       member)
#include "session-format.def"
#undef SESSION_TABLE
#undef SESSION_COLUMN
};

/* In the order of their tables, and of their numbers. */
static const struct session_column columns[] = {
#define SESSION_TABLE(number, NAME, name, kind)
#define SESSION_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,  \
                       member)                                                 \
    {SESSION_TABLE_##TABLE,  number, name, coding, when,                       \
     SESSION_TABLE_##refers, unit},
#include "session-format.def"
#undef SESSION_TABLE
#undef SESSION_COLUMN
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool session_table_at(size_t index, struct session_table *ret)
{
    size_t first = 0;

    if ( index >= COUNT(tables) )
        return false;
    *ret = tables[index];
    while ( columns[first].table != ret->number )
        first++;
    ret->first = first;
    ret->columns = &columns[first];
    while ( first + ret->count < COUNT(columns) &&
            ret->columns[ret->count].table == ret->number )
        ret->count++;
    return true;
}

bool session_table_find(uint64_t number, struct session_table *ret)
{
    for ( size_t i = 0; i < COUNT(tables); i++ )
        if ( tables[i].number == number )
            return session_table_at(i, ret);
    return false;
}
