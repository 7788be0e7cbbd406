/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --symbol=NAME: one function, who calls it, and what it calls.
 */
#include "base/must.h"
#include "calls.h"
#include "base/nearest.h"
#include "base/scope.h"
#include "report/types/type-text.h"
#include "report/model/report.h"
#include "report/model/symbol-pivots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Time of stacks whose leaf is a pivot. */
static struct amount pivots_self(const struct tree *tree, const bool *pivots)
{
    struct amount self = {0, 0};

    for ( size_t i = 0; i < tree->nodes.count; i++ )
    {
        const struct node *node = tree_node(tree, (uint32_t)i);

        if ( node->key.kind != NODE_FRAME || !pivots[node->key.value] )
            continue;
        amount_add(&self, tree_self(tree, node));
    }
    return self;
}

static void print_sums(const struct calls *callees, const bool *pivots,
                       FILE *file)
{
    const struct tree *tree = &callees->tree;
    const struct amount *total = &tree_node(tree, NODE_ROOT)->total;
    struct amount self = pivots_self(tree, pivots);
    char *with SCOPE_FREE = type_amount(callees->report->loaded, total->time);
    char *alone SCOPE_FREE = type_amount(callees->report->loaded, self.time);

    fprintf(file,
            "with all it calls   %6.2f%%  %s, %" PRIu64 " samples\n"
            "by itself           %6.2f%%  %s, %" PRIu64 " samples\n\n",
            tree_percent(tree, total->time), with, total->samples,
            tree_percent(tree, self.time), alone, self.samples);
}

static void print_symbol(const struct report *report, FILE *file)
{
    struct calls callers, callees;
    bool any;
    bool *pivots SCOPE_FREE = symbol_pivots(report->loaded, report->stacks,
                                            report->options->argument, &any);

    calls_init(&callees, report, TREE_CALLEES, pivots);
    calls_init(&callers, report, TREE_CALLERS, pivots);
    calls_header(&callees, file);
    print_sums(&callees, pivots, file);
    calls_print(&callers, "function, and who calls it", file);
    fputc('\n', file);
    calls_print(&callees, "function, and what it calls", file);
    calls_end(&callees, file);
    calls_free(&callers);
    calls_free(&callees);
}

/* Returns the name that was meant, as far as one is like it; or NULL. */
static const char *find_nearest(const struct report *report)
{
    struct nearest nearest = {.word = report->options->argument};

    for ( size_t i = 0; i < report->stacks->frames.count; i++ )
    {
        const struct frame *frame = stacks_frame(report->stacks, (uint32_t)i);
        const char *whole = names_text(&report->loaded->names,
                                       frame->key.symbol);

        if ( whole )
            nearest_offer(&nearest, label_short_symbol(whole));
    }
    return nearest.name;
}

static enum exit_status expect_symbol(const struct report *report,
                                      struct failure *failure)
{
    const char *name;
    bool any;

    free(symbol_pivots(report->loaded, report->stacks,
                       report->options->argument, &any));
    if ( any )
        return STATUS_DONE;
    name = find_nearest(report);
    if ( name )
        return fail(failure, STATUS_NO_SYMBOL,
                    "--symbol: no stack has a function \"%s\"; did you mean "
                    "%s?",
                    report->options->argument, name);
    return fail(failure, STATUS_NO_SYMBOL,
                "--symbol: no stack has a function \"%s\": xenopreport "
                "--children --percent-limit=0 lists all functions",
                report->options->argument);
}

const struct view view_symbol = {
    .print = print_symbol,
    .option = "symbol",
    .argument = "NAME",
    .what = "one function, its callers and what it calls",
    .stacks = true,
    .expect = expect_symbol,
};
