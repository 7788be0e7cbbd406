/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

void report_needs(struct query *query, const struct view *view)
{
    query->once = view->once;
    query->needs_times = view->times;
    query->needs_log = view->log;
    query->needs_waits = view->waits;
    query->needs_labels = view->labels;
    query->one_type = view->one_type;
    query->by_address = view->frames_by_address;
    query->needs_lines |= view->lines;
    query->needs_who = view->who;
    query->needs_addresses = view->addresses;
    query->needs_code = view->code;
    query->pruned = view->pruned;
    query->small = view->small;
    query->needs_stacks = view->stacks;
}
