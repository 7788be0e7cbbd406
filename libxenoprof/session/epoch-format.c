/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of epoch-format.def. */
#include "libxenoprof/column.h"
#include "epoch-format.h"

#define PLAIN         COLUMN_PLAIN
#define SIGNED        COLUMN_SIGNED
#define DIFFERENCES   COLUMN_DIFFERENCES
#define EITHER        COLUMN_EITHER
#define BYTES         EPOCH_BYTES
#define ALWAYS        EPOCH_ALWAYS
#define EPOCH_NOTHING 0
#define ROWS          EPOCH_ROWS
#define NUMBERED      EPOCH_NUMBERED
#define SMALL         EPOCH_SMALL

static const struct epoch_table tables[] = {
#define EPOCH_TABLE(number, NAME, name, kind) {number, name, kind, NULL, 0, 0},
#define EPOCH_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,    \
                     member)
#include "epoch-format.def"
#undef EPOCH_TABLE
#undef EPOCH_COLUMN
};

/* In the order of their tables, and of their numbers. */
static const struct epoch_column columns[] = {
#define EPOCH_TABLE(number, NAME, name, kind)
#define EPOCH_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,    \
                     member)                                                   \
    {EPOCH_##TABLE, number, name, coding, when, EPOCH_##refers, unit},
#include "epoch-format.def"
#undef EPOCH_TABLE
#undef EPOCH_COLUMN
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool epoch_table_at(size_t index, struct epoch_table *ret)
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

bool epoch_table_find(uint64_t number, struct epoch_table *ret)
{
    for ( size_t i = 0; i < COUNT(tables); i++ )
        if ( tables[i].number == number )
            return epoch_table_at(i, ret);
    return false;
}
