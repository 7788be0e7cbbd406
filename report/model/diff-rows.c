/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff-rows.h"

#include "base/must.h"
#include "base/scope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one side takes while it is added. */
struct diff_rows_side {
    struct diff_rows *diff;
    const struct report *report;
    const struct profile *profile;
    const struct label_list *labels;
    diff_text_fn *text;
    unsigned int side;
};

static void add_diff_row(const struct diff_rows_side *from,
                         const struct row *row)
{
    struct diff_row key, *found;

    memset(&key, 0, sizeof(key));
    for ( size_t i = 0; i < from->labels->count; i++ )
    {
        enum label label = from->labels->label[i];
        char *text SCOPE_FREE = from->text(from->report, from->profile, row,
                                           label);

        must_do(names_add(&from->diff->texts, text, &key.key.text[label]));
    }
    found = must(table_put(&from->diff->rows, &key));
    found->side[from->side].samples += row->samples;
    found->side[from->side].time += row->time;
}

static void add_rows_side(struct diff_rows *diff, const struct report *report,
                          const struct label_list *labels, diff_text_fn *text,
                          unsigned int side)
{
    struct profile profile;
    const struct diff_rows_side from = {diff,   report, &profile,
                                        labels, text,   side};

    profile_build(&profile, report->loaded, labels);
    for ( size_t i = 0; i < profile.count; i++ )
        add_diff_row(&from, profile.sorted[i]);
    profile_free(&profile);
    diff->whole[side] = diff_whole(report->loaded);
}

static void test_rows(struct diff_rows *diff, enum normalize normalize)
{
    size_t count = diff->rows.count;
    struct change **changes SCOPE_FREE = must(
        calloc(count + 1, sizeof(*changes)));

    for ( size_t i = 0; i < count; i++ )
    {
        struct diff_row *row = table_at(&diff->rows, i);

        diff_test(diff->whole, normalize, row->side, &row->change);
        changes[i] = &row->change;
    }
    noise_mark(changes, count);
    for ( size_t i = 0; i < count; i++ )
        diff->beyond += changes[i]->beyond;
}

static int compare_diff_rows(const void *left, const void *right)
{
    const struct diff_row *a = *(const struct diff_row *const *)left;
    const struct diff_row *b = *(const struct diff_row *const *)right;
    double x = fabs(a->change.after - a->change.before);
    double y = fabs(b->change.after - b->change.before);

    if ( x != y )
        return x < y ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

void diff_rows_build(struct diff_rows *diff, const struct report *report,
                     const struct label_list *labels, diff_text_fn *text,
                     enum normalize normalize)
{
    *diff = (struct diff_rows){.sorted = NULL};
    names_init(&diff->texts);
    table_init(&diff->rows, sizeof(((struct diff_row *)0)->key),
               sizeof(struct diff_row));
    add_rows_side(diff, report->base, labels, text, 0);
    add_rows_side(diff, report, labels, text, 1);
    test_rows(diff, normalize);
    diff->sorted = must(table_sorted(&diff->rows, compare_diff_rows));
}

void diff_rows_free(struct diff_rows *diff)
{
    names_free(&diff->texts);
    table_free(&diff->rows);
    free(diff->sorted);
}
