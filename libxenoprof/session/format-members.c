/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of session-format.def. */
#include <string.h>

#include "format-members.h"
#include "defined-tables.h"

#define SESSION_TABLE_NOTHING  0
#define AT(type, member)       offsetof(struct type, member)
#define BYTES(type, member)    sizeof(((struct type *)0)->member)
#define OF(type, member)       AT(type, member), BYTES(type, member), 1
#define UNITS_OF(type, member) AT(type, member), BYTES(type, member), UNIT
#define WORD_OF(type, member)  AT(type, member), sizeof(uint64_t), 1
#define UNIT                   XENOPROF_WAIT_UNIT
#define BY_HAND                0, 0, 1

/* As its columns: in the order of their tables, and of their numbers. */
static const struct format_member column_members[] = {
#define SESSION_TABLE(number, NAME, name, kind)
#define SESSION_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,  \
                       member)                                                 \
    {member, SESSION_TABLE_##refers},
#include "session-format.def"
#undef SESSION_TABLE
#undef SESSION_COLUMN
};

const struct format_member *format_members(const struct session_table *table)
{
    return &column_members[table->first];
}

void session_row_put(const struct session_table *table, const void *from,
                     uint64_t *row)
{
    const struct format_member *member = format_members(table);

    for ( size_t i = 0; i < table->count; i++ )
    {
        memcpy(&row[i], (const char *)from + member[i].at, member[i].size);
        row[i] /= member[i].scale;
    }
}

/* Numbers are little endian here, as in files. */
static void take_member(const struct format_member *member, uint64_t value,
                        char *to)
{
    if ( member->refers && value > UINT32_MAX )
        value = 0;
    if ( member->scale > 1 )
        value = value > UINT64_MAX / member->scale ? UINT64_MAX
                                                   : value * member->scale;
    memcpy(to + member->at, &value, member->size);
}

void session_row_take(const struct session_table *table, const uint64_t *row,
                      void *to)
{
    const struct format_member *member = format_members(table);

    for ( size_t i = 0; i < table->count; i++ )
        take_member(&member[i], row[i], to);
}

void session_rows_take(const struct session_table *table,
                       uint64_t *const *values, size_t count, void *to,
                       size_t size)
{
    const struct format_member *member = format_members(table);

    for ( size_t i = 0; i < table->count; i++ )
        for ( size_t j = 0; member[i].size && j < count; j++ )
            take_member(&member[i], values[i][j], (char *)to + j * size);
}
