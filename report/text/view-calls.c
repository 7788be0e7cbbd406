/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --callgraph: from roots to leaves; --callers: from leaves to roots.
 */
#include "calls.h"
#include "report/why/asked.h"

static void print_callgraph(const struct report *report, FILE *file)
{
    calls_report(report, TREE_CALLEES, "function, and what it calls", file);
}

static void print_callers(const struct report *report, FILE *file)
{
    calls_report(report, TREE_CALLERS, "function, and who calls it", file);
}

const struct view view_callgraph = {
    .print = print_callgraph,
    .option = "callgraph",
    .what = "a tree of functions and what they call",
    .stacks = true,
    .small = &overview_asks,
};

const struct view view_callers = {
    .print = print_callers,
    .option = "callers",
    .what = "a tree of functions and their callers",
    .once = true,
    .stacks = true,
    .small = &overview_asks,
};
