/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "orc-rows.h"

#define SLOTS    (4 * ORC_ROWS_MAX)
#define BAD_PART 64 /* one bad row of so many, and it is no table */

#define PROBES_MAX 64 /* slots that are looked at for one entry */

/* While they are gathered: each different entry once, found by its hash. */
struct gathered {
    uint32_t count;
    uint64_t entries[ORC_ROWS_MAX];
    uint32_t uses[ORC_ROWS_MAX];
    uint16_t slots[SLOTS]; /* number + 1; 0: free */
};

static uint64_t load_entry(const uint8_t *bytes)
{
    uint64_t entry = 0;

    memcpy(&entry, bytes, ORC_ENTRY_SIZE);
    return entry;
}

/* At most a quarter of the slots is ever used, so a free one is near, unless
 * the entries were chosen to make it far.  NULL: they were. */
static uint16_t *find_slot(struct gathered *gathered, uint64_t entry)
{
    uint32_t at = entry * 0x9e3779b97f4a7c15ull >> 32;

    for ( uint32_t i = 0; i < PROBES_MAX; i++, at++ )
    {
        uint16_t *slot = &gathered->slots[at % SLOTS];

        if ( !*slot || gathered->entries[*slot - 1] == entry )
            return slot;
    }
    return NULL;
}

static bool gather(struct gathered *gathered, const uint8_t *entries,
                   size_t count, uint16_t *numbers)
{
    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t entry = load_entry(entries + i * ORC_ENTRY_SIZE);
        uint16_t *slot = find_slot(gathered, entry);

        if ( !slot )
            return false;
        if ( !*slot )
        {
            if ( gathered->count == ORC_ROWS_MAX )
                return false;
            gathered->entries[gathered->count++] = entry;
            *slot = gathered->count;
        }
        numbers[i] = *slot - 1;
        gathered->uses[*slot - 1]++;
    }
    return true;
}

/* What most of any code has.  Where it is not, it is another layout's table
 * that happens to make sense. */
static bool is_plain(const struct orc_row *row)
{
    return row->kind == ORC_CALL &&
           (row->cfa_base == ORC_BASE_SP || row->cfa_base == ORC_BASE_BP);
}

/* How many of count entries are none in this layout. */
static size_t count_bad(const struct gathered *gathered, size_t count,
                        enum orc_layout layout)
{
    size_t bad = 0, plain = 0, others = 0;

    for ( uint32_t i = 0; i < gathered->count; i++ )
    {
        struct orc_row row;

        if ( !orc_decode(layout, (const void *)&gathered->entries[i], &row) )
            bad += gathered->uses[i];
        else if ( is_plain(&row) )
            plain += gathered->uses[i];
        else if ( row.kind >= ORC_CALL )
            others += gathered->uses[i];
    }
    return others > plain ? count : bad;
}

/* The one with the fewest bad rows; what we were told, if it is as good. */
static enum orc_layout choose_layout(const struct gathered *gathered,
                                     size_t count, enum orc_layout told)
{
    enum orc_layout best = ORC_LAYOUT_UNKNOWN;
    size_t least = count / BAD_PART + 1;

    for ( int layout = ORC_LAYOUT_4_14; layout < ORC_LAYOUTS; layout++ )
    {
        size_t bad = count_bad(gathered, count, layout);

        if ( bad < least || (best && bad == least && layout == (int)told) )
        {
            least = bad;
            best = layout;
        }
    }
    return best;
}

static struct orc_rows *decode_all(const struct gathered *gathered,
                                   enum orc_layout layout)
{
    struct orc_rows *ret = malloc(sizeof(*ret) +
                                  gathered->count * sizeof(ret->rows[0]));

    if ( !ret )
        return NULL;
    ret->layout = layout;
    ret->count = gathered->count;
    for ( uint32_t i = 0; i < ret->count; i++ )
        orc_decode(layout, (const void *)&gathered->entries[i], &ret->rows[i]);
    return ret;
}

struct orc_rows *orc_rows_make(const uint8_t *entries, size_t count,
                               enum orc_layout layout, uint16_t *numbers)
{
    struct gathered *gathered = calloc(1, sizeof(*gathered));
    struct orc_rows *ret = NULL;

    if ( !gathered )
        return NULL;
    if ( gather(gathered, entries, count, numbers) )
    {
        layout = choose_layout(gathered, count, layout);
        if ( layout )
            ret = decode_all(gathered, layout);
    }
    free(gathered);
    return ret;
}
