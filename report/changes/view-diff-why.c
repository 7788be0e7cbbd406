/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff with --why: a table of what Xen ran for, before and after.
 */
#include "base/must.h"
#include "diff-header.h"
#include "report/text/json-members.h"
#include "report/text/layout.h"
#include "diff-json.h"
#include "report/text/why-text.h"
#include "report/why/why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_why {
    struct amount side[REASONS][2];
    struct change change[REASONS];
    enum xen_reason order[REASONS]; /* those that occur, by change */
    size_t count;                   /* of these */
    struct diff_whole whole[2];
    size_t beyond; /* reasons that are beyond noise */
};

static double moved_by(const struct diff_why *diff, enum xen_reason reason)
{
    return fabs(change_percent(&diff->change[reason]));
}

static void add_why_side(struct diff_why *diff, const struct report *report,
                         unsigned int side)
{
    struct why why;

    why_build(&why, report->loaded, report->stacks);
    for ( unsigned int i = 0; i < REASONS; i++ )
        diff->side[i][side] = why.by_reason[i];
    diff->whole[side] = diff_whole(report->loaded);
    why_free(&why);
}

/* The largest change first; of those alike, the largest share. */
static bool goes_before(const struct diff_why *diff, enum xen_reason reason,
                        enum xen_reason other)
{
    if ( moved_by(diff, reason) != moved_by(diff, other) )
        return moved_by(diff, reason) > moved_by(diff, other);
    return diff->change[reason].after > diff->change[other].after;
}

static void put_in_order(struct diff_why *diff, enum xen_reason reason)
{
    size_t at = diff->count++;

    for ( ; at && goes_before(diff, reason, diff->order[at - 1]); at-- )
        diff->order[at] = diff->order[at - 1];
    diff->order[at] = reason;
}

static void test_reasons(struct diff_why *diff, enum normalize normalize)
{
    struct change *changes[REASONS];
    size_t count = 0;

    for ( unsigned int i = 0; i < REASONS; i++ )
    {
        if ( !amount_any(&diff->side[i][0]) && !amount_any(&diff->side[i][1]) )
            continue;
        diff_test(diff->whole, normalize, diff->side[i], &diff->change[i]);
        changes[count++] = &diff->change[i];
        put_in_order(diff, (enum xen_reason)i);
    }
    noise_mark(changes, count);
    for ( size_t i = 0; i < count; i++ )
        diff->beyond += changes[i]->beyond;
}

static bool is_large_reason(const void *table, size_t row, double limit)
{
    const struct diff_why *diff = table;

    return moved_by(diff, diff->order[row]) >= limit;
}

static void print_reasons_changed(const struct diff_why *diff,
                                  const struct report *report, FILE *file)
{
    const size_t shown = query_rows(report->query, diff->count, is_large_reason,
                                    diff);
    struct grid grid = {.column_count = 0};
    struct change rest = {.before = 0};

    for ( size_t i = 0; diff_titles[i]; i++ )
        grid_column(&grid, diff_titles[i], *diff_titles[i], false);
    grid_column(&grid, "why Xen ran", false, true);
    for ( size_t i = 0; i < diff->count; i++ )
    {
        const struct change *change = &diff->change[diff->order[i]];

        rest.before += i < shown ? 0 : change->before;
        rest.after += i < shown ? 0 : change->after;
        if ( i >= shown )
            continue;
        diff_add_change(&grid, report, change, true);
        grid_add(&grid, must(strdup(reason_text(diff->order[i])->words)));
    }
    if ( shown < diff->count )
    {
        diff_add_change(&grid, report, &rest, false);
        grid_add(&grid, must_text("(%zu more)", diff->count - shown));
    }
    grid_print_table(&grid, report->layout->width, diff->count, file);
}

static void build_diff_why(struct diff_why *diff, const struct report *report)
{
    *diff = (struct diff_why){.count = 0};
    add_why_side(diff, report->base, 0);
    add_why_side(diff, report, 1);
    test_reasons(diff, report->query->normalize);
}

static void print_diff_why(const struct report *report, FILE *file)
{
    struct diff_why diff;

    build_diff_why(&diff, report);
    diff_header(report, diff.whole, diff.beyond, diff.count, file);
    print_reasons_changed(&diff, report, file);
}

static void print_diff_why_json(const struct report *report, FILE *file)
{
    struct diff_why diff;
    struct json json;

    build_diff_why(&diff, report);
    json_init(&json, file);
    diff_json_begin(&json, report, diff.whole, diff.beyond);
    json_begin_array(&json, "reasons");
    for ( size_t i = 0; i < diff.count; i++ )
    {
        const enum xen_reason reason = diff.order[i];

        json_object_begin_flat(&json);
        json_put_text(&json, "reason", reason_text(reason)->name);
        json_put_text(&json, "text", reason_text(reason)->words);
        diff_json_change(&json, report, diff.side[reason],
                         &diff.change[reason]);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json);
}

const struct view view_diff_why = {
    .print = print_diff_why,
    .print_json = print_diff_why_json,
    .expect = why_expect,
    .stacks = true,
};
