/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query.h"

#include <stdlib.h>

#define LIMIT_DEFAULT 0.5 /* percent */
#define ROWS_DEFAULT  20u

void query_free(struct query *query)
{
    for ( size_t i = 0; query->guest_kernels && query->guest_kernels[i]; i++ )
        free(query->guest_kernels[i]);
    free(query->guest_kernels);
    free(query->session_dir);
    free(query->event);
    selection_free(&query->selection);
    focus_free(&query->focus);
}

struct label_list query_groups(const struct query *query)
{
    const struct label_list *sort = &query->sort;
    struct label_list groups = {.count = 0};

    if ( !query->sort_given && !query->once )
        groups.label[groups.count++] = LABEL_DOMAIN;
    for ( size_t i = 0; query->sort_given && i < sort->count; i++ )
        if ( label_kind(sort->label[i])->groups )
            groups.label[groups.count++] = sort->label[i];
    return groups;
}

enum frame_detail query_detail(const struct query *query)
{
    if ( query->by_address || label_list_has(&query->sort, LABEL_ADDRESS) )
        return FRAMES_BY_ADDRESS;
    if ( query->needs_lines || label_list_has(&query->sort, LABEL_LINE) )
        return FRAMES_BY_LINE;
    if ( label_list_has(&query->sort, LABEL_IMAGE) &&
         !label_list_has(&query->sort, LABEL_SYMBOL) )
        return FRAMES_BY_IMAGE;
    return FRAMES_BY_SYMBOL;
}

double query_limit(const struct query *query)
{
    return query->percent_limit_given ? query->percent_limit : LIMIT_DEFAULT;
}

size_t query_rows(const struct query *query, size_t count,
                  bool (*large)(const void *table, size_t row, double limit),
                  const void *table)
{
    size_t shown = 0;

    while ( shown < count &&
            (large(table, shown, query_limit(query)) ||
             (!query->percent_limit_given && shown < ROWS_DEFAULT)) )
        shown++;
    return shown;
}
