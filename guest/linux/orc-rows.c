/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers the different entries, and lets them decide on their layout. */
#include "orc-rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

#define BAD_PART 64 /* a table has fewer bad rows than one of so many */

/* Each different entry once. */
struct orc_entry {
    uint8_t bytes[ORC_ENTRY_SIZE]; /* the key */
    uint32_t uses;
};

/* Numbers of entries that were met lately: there are hundreds of thousands,
 * of a few hundred kinds, and the keyed hash of a table takes long. */
#define LATELY 256u

struct lately {
    uint64_t entry; /* with 1 above its bytes; 0: none */
    uint16_t number;
};

static uint64_t word_of_entry(const uint8_t *entry)
{
    uint64_t word = 0;

    memcpy(&word, entry, ORC_ENTRY_SIZE);
    return word | 1ull << 63;
}

/* Returns false if there are too many, or there is no memory. */
static bool gather_entries(struct table *different, const uint8_t *entries,
                           size_t count, uint16_t *numbers)
{
    struct lately lately[LATELY] = {{0}};

    for ( size_t i = 0; i < count; i++ )
    {
        const uint8_t *bytes = entries + i * ORC_ENTRY_SIZE;
        uint64_t word = word_of_entry(bytes);
        struct lately *known = &lately[word * 0x9e3779b97f4a7c15ull >> 56];
        struct orc_entry *entry;

        if ( known->entry != word )
        {
            entry = table_put(different, bytes);
            if ( !entry || different->count > ORC_ROWS_MAX )
                return false;
            known->entry = word;
            known->number = (uint16_t)table_index(different, entry);
        }
        entry = table_at(different, known->number);
        entry->uses++;
        numbers[i] = known->number;
    }
    return true;
}

/* Most rows of any code are like this.  Where they are not, the table is of
 * another layout and happens to make sense. */
static bool is_plain(const struct unwind_row *row)
{
    return row->kind == ROW_CALL &&
           (row->cfa_base == ROW_BASE_SP || row->cfa_base == ROW_BASE_BP);
}

/* Returns how many of count entries are not one in this layout. */
static size_t count_bad(const struct table *entries, size_t count,
                        enum orc_layout layout)
{
    size_t bad = 0, plain = 0, others = 0;

    for ( size_t i = 0; i < entries->count; i++ )
    {
        const struct orc_entry *entry = table_at(entries, i);
        struct unwind_row row;

        if ( !orc_decode(layout, entry->bytes, &row) )
            bad += entry->uses;
        else if ( is_plain(&row) )
            plain += entry->uses;
        else if ( row.kind >= ROW_CALL )
            others += entry->uses;
    }
    return others > plain ? count : bad;
}

/* Returns the layout with the fewest bad rows: the given one, if it is as
 * good as any. */
static enum orc_layout choose_layout(const struct table *entries, size_t count,
                                     enum orc_layout given)
{
    enum orc_layout best = ORC_LAYOUT_UNKNOWN;
    size_t least = count / BAD_PART + 1;

    for ( int layout = ORC_LAYOUT_4_14; layout < ORC_LAYOUTS; layout++ )
    {
        size_t bad = count_bad(entries, count, layout);

        if ( bad < least || (best && bad == least && layout == (int)given) )
        {
            least = bad;
            best = layout;
        }
    }
    return best;
}

static struct orc_rows *decode_all(const struct table *entries,
                                   enum orc_layout layout)
{
    struct orc_rows *ret = malloc(sizeof(*ret) +
                                  entries->count * sizeof(ret->rows[0]));

    if ( !ret )
        return NULL;
    ret->layout = layout;
    ret->count = (uint32_t)entries->count;
    for ( uint32_t i = 0; i < ret->count; i++ )
    {
        const struct orc_entry *entry = table_at(entries, i);

        orc_decode(layout, entry->bytes, &ret->rows[i]);
    }
    return ret;
}

struct orc_rows *orc_rows_make(const uint8_t *entries, size_t count,
                               enum orc_layout layout, uint16_t *numbers)
{
    struct table different;
    struct orc_rows *ret = NULL;

    table_init(&different, ORC_ENTRY_SIZE, sizeof(struct orc_entry));
    if ( gather_entries(&different, entries, count, numbers) )
    {
        layout = choose_layout(&different, count, layout);
        if ( layout )
            ret = decode_all(&different, layout);
    }
    table_free(&different);
    return ret;
}
