/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xenopctl: a table of commands, and a loop over those asked for. */
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "base/scope.h"

struct command {
    const char *verb;
    const char *value; /* what the verb takes, or NULL */
    command_run *run;
    const char *help;
};

static const struct command commands[] = {
    {"check", NULL, command_check, "check what this host needs, with remedies"},
    {"setup", NULL, command_setup, "build the module for this Xen and load it"},
    {"start", NULL, command_start, "start sampling, after --setup if needed"},
    {"stop", NULL, command_stop, "stop sampling and close the session"},
    {"dump", NULL, command_dump, "write all samples so far to disk"},
    {"status", NULL, command_status,
     "show the state and counters (--json: for programs)"},
    {"reset", NULL, command_reset, "drop the session's data and counters"},
    {"save", "NAME", command_save, "keep the current session as NAME"},
    {"shutdown", NULL, command_shutdown, "stop sampling and end the daemon"},
    {"deinit", NULL, command_deinit, "end the daemon and unload the module"},
    {"list-domains", NULL, command_list_domains, "list the domains that exist"},
    {"list-sessions", NULL, command_list_sessions, "list recorded sessions"},
    {"record", "SECONDS", command_record, "start, wait, stop, report"},
};

struct option {
    const char *name;
    const char *value;
    const char *help;
};

/* Handed on to start_options_set() by their names. */
static const struct option options[] = {
    {"passive-domains", "LIST|all", "profile these domains from outside"},
    {"active-domains", "LIST", "the same: there is no agent yet"},
    {"frequency", "HZ", "samples a second of each pCPU (97)"},
    {"force", NULL, "allow more than 1000 samples a second"},
    {"pcpus", "LIST", "sample these pCPUs only (0-3,7)"},
    {"cpupool", "POOL", "sample the pCPUs of this pool only"},
    {"sampler", "nmi|timer", "choose the sampler"},
    {"stacks", "LIST", "record stacks of xen, kernel, user; none (xen,kernel)"},
    {"ring-size", "KIB", "size of each ring, a power of two"},
    {"duration", "SECONDS", "stop after this time"},
    {"budget", "PERCENT",
     "slow down beyond this share of a pCPU (25; 0: never)"},
    {"lease", "SECONDS", "stop if nobody reads for this long (10; 0: never)"},
    {"session-dir", "DIR", "where sessions are kept"},
    {"xen-syms", "FILE", "take Xen's symbols from this file"},
    {"guest-kernel", "DOM:FILE", "the file of a guest's kernel (repeatable)"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))
#define OPTIONS  (sizeof(options) / sizeof(options[0]))

/* Values that popt returns: an index into one of the tables, or these. */
enum {
    VALUE_COMMAND = 100,
    VALUE_OPTION = 200,
    VALUE_JSON = 300,
    VALUE_VERBOSE,
    VALUE_VERSION
};

struct line {
    struct arguments arguments;
    const struct command *asked[COMMANDS];
    size_t count;
    const char *start_option; /* one that only --start understands */
    bool version;
};

static void fill_table(struct poptOption *table)
{
    for ( size_t i = 0; i < COMMANDS; i++ )
        *table++ = (struct poptOption){
            .longName = commands[i].verb,
            .argInfo = commands[i].value ? POPT_ARG_STRING : POPT_ARG_NONE,
            .val = VALUE_COMMAND + (int)i,
            .descrip = commands[i].help,
            .argDescrip = commands[i].value,
        };
    for ( size_t i = 0; i < OPTIONS; i++ )
        *table++ = (struct poptOption){
            .longName = options[i].name,
            .argInfo = options[i].value ? POPT_ARG_STRING : POPT_ARG_NONE,
            .val = VALUE_OPTION + (int)i,
            .descrip = options[i].help,
            .argDescrip = options[i].value,
        };
}

#define FIXED_OPTIONS                                                          \
    {"json", 0, POPT_ARG_NONE, NULL, VALUE_JSON, "with --status: as JSON",     \
     NULL},                                                                    \
        {"verbose",     'v',                                                   \
         POPT_ARG_NONE, NULL,                                                  \
         VALUE_VERBOSE, "with --setup: show where each fact came from",        \
         NULL},                                                                \
        {"version",           0,   POPT_ARG_NONE, NULL, VALUE_VERSION,         \
         "print the version", NULL},                                           \
        POPT_AUTOHELP POPT_TABLEEND

static int take_command(struct line *line, const struct command *command,
                        const char *value, struct failure *failure)
{
    uint64_t seconds;

    for ( size_t i = 0; i < line->count; i++ )
        if ( line->asked[i] == command )
            return fail(failure, STATUS_USAGE, "--%s is given twice",
                        command->verb);
    line->asked[line->count++] = command;
    if ( command->run == command_save )
        line->arguments.save = strdup(value);
    if ( command->run != command_record )
        return 0;
    if ( !number_parse(value, 1, DURATION_MAX, &seconds) )
        return fail(failure, STATUS_RANGE,
                    "--record=%s is out of range: 1 to %u seconds", value,
                    DURATION_MAX);
    line->arguments.record = (unsigned int)seconds;
    return 0;
}

/* Two options make sense without --start as well. */
static bool is_for_start(const char *name)
{
    return strcmp(name, "session-dir") && strcmp(name, "xen-syms");
}

static int take(struct line *line, int what, const char *value,
                struct failure *failure)
{
    const struct option *option;

    if ( what >= VALUE_COMMAND && what < VALUE_OPTION )
        return take_command(line, &commands[what - VALUE_COMMAND], value,
                            failure);
    switch ( what )
    {
    case VALUE_JSON: line->arguments.json = true; return 0;
    case VALUE_VERBOSE: line->arguments.verbose = true; return 0;
    case VALUE_VERSION: line->version = true; return 0;
    default: break;
    }
    option = &options[what - VALUE_OPTION];
    if ( is_for_start(option->name) )
        line->start_option = option->name;
    return start_options_set(&line->arguments.start, option->name,
                             value ? value : "1", failure);
}

static bool is_asked(const struct line *line, command_run *run)
{
    for ( size_t i = 0; i < line->count; i++ )
        if ( line->asked[i]->run == run )
            return true;
    return false;
}

static int check(const struct line *line, struct failure *failure)
{
    bool starts = is_asked(line, command_start) ||
                  is_asked(line, command_record);

    if ( line->count == 0 && !line->version )
        return fail(failure, STATUS_USAGE,
                    "nothing to do; xenopctl --help lists the commands");
    if ( line->start_option && !starts )
        return fail(failure, STATUS_USAGE, "--%s needs --start or --record",
                    line->start_option);
    if ( line->arguments.json && !is_asked(line, command_status) )
        return fail(failure, STATUS_USAGE, "--json needs --status");
    return start_options_check(&line->arguments.start, failure);
}

static int parse(poptContext context, struct line *line,
                 struct failure *failure)
{
    int what, status = 0;

    while ( !status && (what = poptGetNextOpt(context)) >= 0 )
    {
        char *value SCOPE_FREE = poptGetOptArg(context);

        status = take(line, what, value, failure);
    }
    if ( status )
        return status;
    if ( what < -1 )
        return fail(failure, STATUS_USAGE, "%s: %s; see xenopctl --help",
                    poptBadOption(context, 0), poptStrerror(what));
    if ( poptPeekArg(context) )
        return fail(failure, STATUS_USAGE,
                    "unknown option '%s'; see xenopctl --help",
                    poptPeekArg(context));
    return check(line, failure);
}

int main(int argc, const char **argv)
{
    struct poptOption table[COMMANDS + OPTIONS + 5];
    const struct poptOption fixed[] = {FIXED_OPTIONS};
    struct line line = {0};
    struct failure failure = {0};
    poptContext context;

    fill_table(table);
    memcpy(table + COMMANDS + OPTIONS, fixed, sizeof(fixed));
    start_options_init(&line.arguments.start);
    context = poptGetContext("xenopctl", argc, argv, table, 0);
    parse(context, &line, &failure);
    if ( !failure.status && line.version )
        puts("xenopctl " PACKAGE_VERSION);
    for ( size_t i = 0; !failure.status && i < line.count; i++ )
        line.asked[i]->run(&line.arguments, &failure);
    if ( failure.text[0] )
        fprintf(stderr, "xenopctl: %s\n", failure.text);
    start_options_free(&line.arguments.start);
    free(line.arguments.save);
    poptFreeContext(context);
    return failure.status;
}
