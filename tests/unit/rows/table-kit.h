/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of rows, made by hand. */
#ifndef XENOPROF_TESTS_ROWS_TABLE_KIT_H
#define XENOPROF_TESTS_ROWS_TABLE_KIT_H

#include "rows/row-builder.h"
#include "tests/harness.h"

#define KIT_TEXT 0x401000ull
#define KIT_SIZE 0x30000ull /* three pages begin in it */

/* One segment of KIT_SIZE bytes, which begins at 0x1000 in its file. */
static inline void rows_kit_begin(struct row_builder *builder)
{
    static const struct row_segment segment = {0x1000, KIT_TEXT, KIT_SIZE};

    CHECK(row_builder_init(builder, &segment, 1));
}

/* A function, of one row. */
static inline void rows_kit_function(struct row_builder *builder, uint64_t from,
                                     uint64_t to, struct row_rule rule)
{
    row_builder_function(builder, KIT_TEXT + from, KIT_TEXT + to);
    row_builder_row(builder, KIT_TEXT + from, &rule);
}

static inline struct row_rule rows_kit_sp(int offset)
{
    return (struct row_rule){.kind = RULE_SP,
                             .offset = (int16_t)(offset / ROW_WORD)};
}

static inline struct row_table *rows_kit_end(struct row_builder *builder)
{
    struct row_table *table = row_builder_make(builder);

    row_builder_free(builder);
    CHECK(table);
    return table;
}

#endif
