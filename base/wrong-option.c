/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wrong-option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

/* Beside those of the programs. */
enum { OPTION_HELP = 30000, OPTION_USAGE };

const struct poptOption options_help[] = {
    {"help", '?', POPT_ARG_NONE, NULL, OPTION_HELP, "Show this help message",
     NULL},
    {"usage", 0, POPT_ARG_NONE, NULL, OPTION_USAGE,
     "Display brief usage message", NULL},
    POPT_TABLEEND,
};

poptContext options_with_help(poptContext context)
{
    /* popt frees it with the context. */
    const char **help = calloc(2, sizeof(*help));
    struct poptAlias alias = {.shortName = 'h', .argc = 1, .argv = help};

    if ( !help )
        return context;
    help[0] = "--help";
    poptAddAlias(context, alias, 0);
    return context;
}

bool options_printed(poptContext context, int code, const char *first)
{
    if ( code == OPTION_HELP )
    {
        fputs(first, stdout);
        poptPrintHelp(context, stdout, 0);
    }
    else if ( code == OPTION_USAGE )
        poptPrintUsage(context, stdout, 0);
    return code == OPTION_HELP || code == OPTION_USAGE;
}

int options_print_end(struct failure *failure)
{
    if ( !fflush(stdout) && !ferror(stdout) )
        return 0;
    return fail(failure, STATUS_OUTPUT,
                "standard output could not be written to the end: %m");
}

static void offer_all(const struct poptOption *table, struct nearest *nearest)
{
    for ( ; table->longName || table->shortName || table->arg; table++ )
        if ( (table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE )
            offer_all(table->arg, nearest);
        else if ( table->longName )
            nearest_offer(nearest, table->longName);
}

/* "did you mean --start?", or where all options are listed. */
static void put_advice(const char *program, const char *given,
                       const struct poptOption *table, char *text, size_t size)
{
    char word[NEAREST_MAX + 1];
    struct nearest nearest = {.word = word};

    while ( *given == '-' )
        given++;
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(given, "="), given);
    offer_all(table, &nearest);
    if ( nearest.name )
        snprintf(text, size, "did you mean --%s?", nearest.name);
    else
        snprintf(text, size, "see %s --help", program);
}

int fail_option(struct failure *failure, const char *program,
                poptContext context, const struct poptOption *table, int code)
{
    const char *given = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    char advice[128];

    if ( code != POPT_ERROR_BADOPT )
        return fail(failure, STATUS_USAGE, "%s: %s; see %s --help", given,
                    poptStrerror(code), program);
    put_advice(program, given, table, advice, sizeof(advice));
    return fail(failure, STATUS_USAGE, "%s: unknown option; %s", given, advice);
}

int fail_stray_word(struct failure *failure, const char *program,
                    const char *word, const struct poptOption *table)
{
    char advice[128];

    put_advice(program, word, table, advice, sizeof(advice));
    return fail(failure, STATUS_USAGE, "unknown option '%s'; %s", word, advice);
}
