/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chain ends counted by domain and mode, and their line of the protocol. */
#include <stdlib.h>
#include <string.h>

#include "chain-counts.h"
#include "protocol.h"

#define DOMAIN_IDS 65536u

static size_t row_of(uint16_t domain, uint8_t mode)
{
    return XENOPROF_MODES * (size_t)domain + mode;
}

/* Returns the row of a domain and mode, a new one without a name if there is
 * none, or NULL if there is no memory. */
static struct chain_count *find_count_row(struct chain_counts *counts,
                                          uint16_t domain, uint8_t mode)
{
    size_t at = row_of(domain, mode);
    struct chain_count *added;

    if ( !counts->rows )
        counts->rows = calloc(XENOPROF_MODES * DOMAIN_IDS,
                              sizeof(*counts->rows));
    if ( !counts->rows )
        return NULL;
    if ( counts->rows[at] )
        return &counts->items[counts->rows[at] - 1];
    added = vector_add(counts);
    if ( !added )
        return NULL;
    counts->rows[at] = (uint32_t)counts->count;
    added->domain = domain;
    added->mode = mode;
    return added;
}

/* In Xen or a kernel; or in a process of which it has callers, or a reason why
 * not: others are of domains whose processes nobody knows. */
static bool is_counted(const struct xenoprof_stored *sample, bool walked)
{
    return (sample->mode == XENOPROF_MODE_XEN ||
            sample->mode == XENOPROF_MODE_KERNEL ||
            (sample->mode == XENOPROF_MODE_USER && walked)) &&
           sample->domain != DOMAIN_ID_IDLE &&
           !(sample->marks & XENOPROF_MARK_FOREIGN);
}

void chain_counts_add(struct chain_counts *counts,
                      const struct xenoprof_stored *sample)
{
    enum xenoprof_ended ended = xenoprof_stored_ended(sample);
    bool walked = sample->stack || ended != XENOPROF_ENDED_ROOT;
    bool below = xenoprof_stored_below(sample);
    struct chain_count *row = is_counted(sample, walked)
                                  ? find_count_row(counts, sample->domain,
                                                   sample->mode)
                                  : NULL;

    if ( !row )
        return;
    row->ended[below ? XENOPROF_ENDED_ROOT : ended]++;
    counts->walked[sample->mode] |= walked;
    row = below ? find_count_row(counts, sample->domain, XENOPROF_MODE_USER)
                : NULL;
    if ( !row )
        return;
    row->ended[ended]++;
    counts->walked[XENOPROF_MODE_USER] = true;
}

void chain_counts_end(struct chain_counts *counts, uint16_t domain,
                      uint16_t others)
{
    static const uint8_t modes[] = {XENOPROF_MODE_XEN, XENOPROF_MODE_KERNEL,
                                    XENOPROF_MODE_USER};

    for ( size_t i = 0; i < sizeof(modes) && counts->rows; i++ )
    {
        size_t at = row_of(domain, modes[i]);
        struct chain_count *sum, *row;
        const struct chain_count *last;

        sum = counts->rows[at] ? find_count_row(counts, others, modes[i])
                               : NULL;
        if ( !sum || domain == others )
            continue;
        row = &counts->items[counts->rows[at] - 1];
        for ( unsigned int end = 0; end < XENOPROF_ENDS; end++ )
            sum->ended[end] += row->ended[end];
        /* The last row takes its place. */
        last = &counts->items[--counts->count];
        counts->rows[row_of(last->domain, last->mode)] = counts->rows[at];
        counts->rows[at] = 0;
        *row = *last;
    }
}

void chain_counts_free(struct chain_counts *counts)
{
    vector_free(counts);
    free(counts->rows);
    *counts = (struct chain_counts){0};
}

uint64_t chain_count_all(const struct chain_count *row)
{
    uint64_t all = 0;

    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        all += row->ended[i];
    return all;
}

void chain_count_put(const struct chain_count *row, const char *name,
                     FILE *file)
{
    line_begin(file, "chains");
    line_number(file, "domain", row->domain);
    line_text(file, "name", name);
    line_text(file, "mode", xenoprof_mode_name(row->mode));
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        line_number(file, xenoprof_ended_name((enum xenoprof_ended)i),
                    row->ended[i]);
    line_end(file);
}

void chain_counts_take(struct chain_counts *counts, const char *line)
{
    struct chain_count *row;
    char mode[16] = "";
    uint8_t number;

    line_get_text(line, "mode", mode, sizeof(mode));
    number = strcmp(mode, "xen") == 0    ? XENOPROF_MODE_XEN
             : strcmp(mode, "user") == 0 ? XENOPROF_MODE_USER
                                         : XENOPROF_MODE_KERNEL;
    row = find_count_row(counts, (uint16_t)line_get_number(line, "domain"),
                         number);
    if ( !row )
        return;
    counts->walked[number] = true;
    line_get_text(line, "name", row->name, sizeof(row->name));
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        row->ended[i] = line_get_number(
            line, xenoprof_ended_name((enum xenoprof_ended)i));
}
