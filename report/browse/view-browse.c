/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --browse where there is no terminal: the tree that it begins with.
 */
#include "report/text/calls.h"

static void print_browse(const struct report *report, FILE *file)
{
    calls_report(report, TREE_CALLEES, "function, and what it calls", file);
}

const struct view view_browse = {
    .print = print_browse,
    .option = "browse",
    .what = "explore the session on a terminal: fold, find, choose",
    .stacks = true,
};
