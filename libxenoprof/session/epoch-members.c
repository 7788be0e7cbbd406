/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of epoch-format.def. */
#include <string.h>

#include "epoch-members.h"
#include "epoch-tables.h"

#define EPOCH_NOTHING          0
#define AT(type, member)       offsetof(struct type, member)
#define BYTES(type, member)    sizeof(((struct type *)0)->member)
#define OF(type, member)       AT(type, member), BYTES(type, member), 1
#define UNITS_OF(type, member) AT(type, member), BYTES(type, member), UNIT
#define WORD_OF(type, member)  AT(type, member), sizeof(uint64_t), 1
#define UNIT                   XENOPROF_WAIT_UNIT
#define BY_HAND                0, 0, 1

/* As its columns: in the order of their tables, and of their numbers. */
static const struct epoch_member column_members[] = {
#define EPOCH_TABLE(number, NAME, name, kind)
#define EPOCH_COLUMN(TABLE, number, NAME, name, coding, when, refers, unit,    \
                     member)                                                   \
    {member, EPOCH_##refers},
#include "epoch-format.def"
#undef EPOCH_TABLE
#undef EPOCH_COLUMN
};

const struct epoch_member *epoch_members(const struct epoch_table *table)
{
    return &column_members[table->first];
}

void epoch_row_put(const struct epoch_table *table, const void *from,
                   uint64_t *row)
{
    const struct epoch_member *member = epoch_members(table);

    for ( size_t i = 0; i < table->count; i++ )
    {
        memcpy(&row[i], (const char *)from + member[i].at, member[i].size);
        row[i] /= member[i].scale;
    }
}

/* Numbers are little endian here, as in files. */
static void take_member(const struct epoch_member *member, uint64_t value,
                        char *to)
{
    if ( member->refers && value > UINT32_MAX )
        value = 0;
    if ( member->scale > 1 )
        value = value > UINT64_MAX / member->scale ? UINT64_MAX
                                                   : value * member->scale;
    memcpy(to + member->at, &value, member->size);
}

void epoch_row_take(const struct epoch_table *table, const uint64_t *row,
                    void *to)
{
    const struct epoch_member *member = epoch_members(table);

    for ( size_t i = 0; i < table->count; i++ )
        take_member(&member[i], row[i], to);
}

void epoch_rows_take(const struct epoch_table *table, uint64_t *const *values,
                     size_t count, void *to, size_t size)
{
    const struct epoch_member *member = epoch_members(table);

    for ( size_t i = 0; i < table->count; i++ )
        for ( size_t j = 0; member[i].size && j < count; j++ )
            take_member(&member[i], values[i][j], (char *)to + j * size);
}
