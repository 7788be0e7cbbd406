/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xenopctl: a table of commands, and a loop over those that are asked for. */
#include <errno.h>
#include <locale.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/wrong-option.h"
#include "commands.h"

/* The value that a command takes, if any. */
enum takes { TAKES_NOTHING, TAKES_NAME, TAKES_FILE, TAKES_SECONDS, TAKES_TEXT };

struct command {
    const char *name;
    enum takes takes;
    bool samples; /* goes with the options of --start */
    command_run *run;
    const char *help;
};

/* In the order of what people come for. */
static const struct command commands[] = {
    {"record", TAKES_SECONDS, true, command_record,
     "start, wait, stop, report"},
    {"start", TAKES_NOTHING, true, command_start,
     "start sampling, after --setup if needed"},
    {"stop", TAKES_NOTHING, false, command_stop,
     "stop sampling and close the session"},
    {"status", TAKES_NOTHING, false, command_status,
     "show the state and counters (--json: for programs)"},
    {"check", TAKES_NOTHING, false, command_check,
     "check what this host needs, with remedies"},
    {"list-sessions", TAKES_NOTHING, false, command_list_sessions,
     "list recorded sessions (--json: for programs)"},
    {"save", TAKES_NAME, false, command_save,
     "keep the current session as NAME"},
    {"archive", TAKES_FILE, false, command_archive,
     "write the current session as one file, to be looked at anywhere"},
    {"list-domains", TAKES_NOTHING, false, command_list_domains,
     "list the domains that exist"},
    {"list-events", TAKES_TEXT, false, command_list_events,
     "list what --event can count here; with TEXT those that have it"},
    {"dump", TAKES_NOTHING, false, command_dump,
     "write all samples so far to disk"},
    {"reset", TAKES_NOTHING, false, command_reset,
     "drop the session's data and counters"},
    {"setup", TAKES_NOTHING, false, command_setup,
     "build the module for this Xen and load it"},
    {"shutdown", TAKES_NOTHING, false, command_shutdown,
     "stop sampling and end the daemon"},
    {"deinit", TAKES_NOTHING, false, command_deinit,
     "end the daemon and unload the module"},
};

/* Options that the daemon does not see. */
enum {
    SWITCH_ANONYMIZE,
    SWITCH_CUT,
    SWITCH_JSON,
    SWITCH_PROMETHEUS,
    SWITCH_NO_MODULE,
    SWITCH_OFFLINE,
    SWITCH_TABLE,
    SWITCH_VERBOSE,
    SWITCH_VERSION,
    SWITCHES
};

static const struct {
    const char *name;
    char letter;
    const char *help;
    const char *needs; /* the command that must be there too, or NULL */
    const char *also;  /* another one that will do, or NULL */
    const char *takes; /* a value, or NULL */
} switches[SWITCHES] = {
    [SWITCH_ANONYMIZE] = {"anonymize", 0,
                          "with --archive: made-up names of domains, hosts, "
                          "programs",
                          "archive", NULL, NULL},
    [SWITCH_CUT] = {"cut", 0,
                    "with --archive: that part of the time, as 10..20 or -1h..",
                    "archive", NULL, "RANGE"},
    [SWITCH_JSON] = {"json", 0, "with --status, --list-sessions: as JSON",
                     "status", "list-sessions", NULL},
    [SWITCH_PROMETHEUS] = {"prometheus", 0,
                           "with --status: as text for Prometheus", "status",
                           NULL, NULL},
    [SWITCH_NO_MODULE] = {"no-module", 0,
                          "with --record: who ran and waited, by Xen's traces",
                          "record", NULL, NULL},
    [SWITCH_OFFLINE] = {"offline", 0,
                        "with --setup: report on this Xen, load nothing",
                        "setup", NULL, "FILE"},
    [SWITCH_TABLE] = {"unwind-table", 0,
                      "with --offline: write the table that it is linked with",
                      "setup", NULL, "FILE"},
    [SWITCH_VERBOSE] = {"verbose", 'v',
                        "with --setup: show where each fact came from", NULL,
                        NULL, NULL},
    [SWITCH_VERSION] = {"version", 0, "print the version", NULL, NULL, NULL},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* What is said before the options. */
static const char examples[] =
    "xenopctl records where the time of this Xen host goes; xenopreport shows "
    "it.\n"
    "\n"
    "  xenopctl --check                            can this host be profiled?\n"
    "  xenopctl --record=10 --passive-domains=all  ten seconds, and a report\n"
    "  xenopctl --start --passive-domains=all      record until --stop\n"
    "  xenopctl --status                           what is recorded, and lost\n"
    "\n";

/* popt's rows, with a last one each. */
struct rows {
    struct poptOption commands[COMMANDS + 1];
    struct poptOption start[START_OPTIONS_MAX + 1];
    struct poptOption switches[SWITCHES + 1];
    struct poptOption all[5];
};

/* popt returns one of these plus an index into the table. */
enum {
    FOUND_STEP = 100,
    FOUND_COMMAND = 1 * FOUND_STEP,
    FOUND_START_OPTION = 2 * FOUND_STEP,
    FOUND_SWITCH = 3 * FOUND_STEP
};

struct command_line {
    struct start_options start;
    struct {
        const struct command *command;
        char *value; /* malloc'ed; NULL: none */
        unsigned int seconds;
    } asked[COMMANDS];
    size_t count;
    const char *start_option; /* one that needs --start or --record */
    bool switches[SWITCHES];
    bool printed;           /* --help was asked for */
    char *values[SWITCHES]; /* malloc'ed; NULL: not given */
};

static struct poptOption make_row(const char *name, char letter, int found,
                                  const char *argument, const char *help)
{
    return (struct poptOption){
        .longName = name,
        .shortName = letter,
        .argInfo = argument ? POPT_ARG_STRING : POPT_ARG_NONE,
        .val = found,
        .descrip = help,
        .argDescrip = argument,
    };
}

static struct poptOption include_options(struct poptOption *rows,
                                         const char *title)
{
    return (struct poptOption){
        .argInfo = POPT_ARG_INCLUDE_TABLE,
        .arg = rows,
        .descrip = title,
    };
}

/* Makes popt's rows for all commands and options. */
static void make_rows(struct rows *rows)
{
    static const char *const arguments[] = {
        [TAKES_NAME] = "NAME",       [TAKES_FILE] = "FILE",
        [TAKES_SECONDS] = "SECONDS", [TAKES_TEXT] = "TEXT",
        [TAKES_NOTHING] = NULL,
    };
    static const struct poptOption last[] = {OPTIONS_HELP POPT_TABLEEND};
    const struct option_help *option;

    memset(rows, 0, sizeof(*rows));
    for ( int i = 0; i < (int)COMMANDS; i++ )
    {
        rows->commands[i] = make_row(commands[i].name, 0, FOUND_COMMAND + i,
                                     arguments[commands[i].takes],
                                     commands[i].help);
        if ( commands[i].takes == TAKES_TEXT )
            rows->commands[i].argInfo |= POPT_ARGFLAG_OPTIONAL;
    }
    for ( int i = 0; (option = start_options_help((size_t)i)); i++ )
        rows->start[i] = make_row(option->name, 0, FOUND_START_OPTION + i,
                                  option->argument, option->help);
    for ( int i = 0; i < SWITCHES; i++ )
        rows->switches[i] = make_row(switches[i].name, switches[i].letter,
                                     FOUND_SWITCH + i, switches[i].takes,
                                     switches[i].help);
    rows->all[0] = include_options(rows->commands, "Commands:");
    rows->all[1] = include_options(rows->start,
                                   "What --start and --record take:");
    rows->all[2] = include_options(rows->switches, "Other options:");
    memcpy(&rows->all[3], last, sizeof(last));
}

static int take_command(struct command_line *line,
                        const struct command *command, const char *value,
                        struct failure *failure)
{
    uint64_t seconds = 0;

    for ( size_t i = 0; i < line->count; i++ )
        if ( line->asked[i].command == command )
            return fail(failure, STATUS_USAGE, "--%s is given twice",
                        command->name);
    if ( command->takes == TAKES_SECONDS &&
         !number_parse(value, 1, DURATION_MAX, &seconds) )
        return fail(failure, STATUS_RANGE,
                    "--%s=%s is out of range: 1 to %u seconds", command->name,
                    value, DURATION_MAX);
    line->asked[line->count].command = command;
    line->asked[line->count].value = value ? strdup(value) : NULL;
    line->asked[line->count].seconds = (unsigned int)seconds;
    line->count++;
    return 0;
}

/* A path from this program's working directory: the daemon has another. */
static int take_path(struct command_line *line, const char *name,
                     const char *value, struct failure *failure)
{
    char *folder SCOPE_FREE = NULL;
    char *path SCOPE_FREE = NULL;

    if ( !*value || *value == '/' )
        return start_options_set(&line->start, name, value, failure);
    folder = getcwd(NULL, 0);
    if ( !folder )
        return fail(failure, STATUS_FAILED,
                    "--%s=%s: the working directory is not known: %s", name,
                    value, strerror(errno));
    if ( asprintf(&path, "%s/%s", folder, value) < 0 )
    {
        path = NULL;
        return fail_memory(failure);
    }
    return start_options_set(&line->start, name, path, failure);
}

static int take_option(struct command_line *line, int found, const char *value,
                       struct failure *failure)
{
    size_t index = (size_t)found % FOUND_STEP;
    const char *name;

    if ( found >= FOUND_SWITCH )
    {
        line->switches[index] = true;
        if ( !value )
            return 0;
        free(line->values[index]);
        line->values[index] = strdup(value);
        return line->values[index] ? 0 : fail_memory(failure);
    }
    if ( found < FOUND_START_OPTION )
        return take_command(line, &commands[index], value, failure);
    name = start_options_help(index)->name;
    if ( start_options_need_start(index) && strcmp(name, "trace") )
        line->start_option = name;
    if ( start_options_take_path(index) )
        return take_path(line, name, value, failure);
    return start_options_set(&line->start, name, value ? value : "1", failure);
}

static bool is_asked(const struct command_line *line, const char *name)
{
    for ( size_t i = 0; i < line->count; i++ )
        if ( strcmp(line->asked[i].command->name, name) == 0 )
            return true;
    return false;
}

static bool is_sampling(const struct command_line *line)
{
    for ( size_t i = 0; i < line->count; i++ )
        if ( line->asked[i].command->samples )
            return true;
    return false;
}

/* Checks what depends on more than one argument. */
static int check(const struct command_line *line, struct failure *failure)
{
    if ( line->count == 0 && !line->switches[SWITCH_VERSION] )
        return fail(failure, STATUS_USAGE,
                    "nothing to do; xenopctl --help lists the commands");
    if ( line->start_option && !is_sampling(line) )
        return fail(failure, STATUS_USAGE, "--%s needs --start or --record",
                    line->start_option);
    for ( int i = 0; i < SWITCHES; i++ )
        if ( line->switches[i] && switches[i].needs &&
             !is_asked(line, switches[i].needs) &&
             !(switches[i].also && is_asked(line, switches[i].also)) )
            return fail(failure, STATUS_USAGE, "--%s needs --%s%s%s",
                        switches[i].name, switches[i].needs,
                        switches[i].also ? " or --" : "",
                        switches[i].also ? switches[i].also : "");
    if ( line->switches[SWITCH_NO_MODULE] && line->start_option )
        return fail(failure, STATUS_USAGE,
                    "--no-module records no samples, so --%s has no meaning "
                    "with it",
                    line->start_option);
    if ( line->switches[SWITCH_JSON] && line->switches[SWITCH_PROMETHEUS] )
        return fail(failure, STATUS_USAGE,
                    "--json and --prometheus both say how --status is written; "
                    "give one of them");
    if ( line->start.trace && !is_sampling(line) )
        return fail(failure, STATUS_USAGE, "--trace needs --start or --record");
    if ( is_asked(line, "archive") &&
         strcmp(line->asked[line->count - 1].command->name, "archive") )
        return fail(failure, STATUS_USAGE,
                    "--archive is the last thing that is done: give it after "
                    "--%s",
                    line->asked[line->count - 1].command->name);
    if ( line->values[SWITCH_OFFLINE] && line->count > 1 )
        return fail(failure, STATUS_USAGE,
                    "--setup --offline=FILE is a report and loads nothing, so "
                    "no other command goes with it");
    if ( line->values[SWITCH_TABLE] && !line->values[SWITCH_OFFLINE] )
        return fail(failure, STATUS_USAGE,
                    "--unwind-table is made of the hypervisor that "
                    "--setup --offline=FILE names");
    return start_options_check(&line->start, failure);
}

static int parse(poptContext context, const struct poptOption *rows,
                 struct command_line *line, struct failure *failure)
{
    int found, status = 0;

    while ( !status && (found = poptGetNextOpt(context)) >= 0 )
    {
        char *value SCOPE_FREE = poptGetOptArg(context);

        line->printed = options_printed(context, found, examples);
        if ( line->printed )
            return 0;
        status = take_option(line, found, value, failure);
    }
    if ( status )
        return status;
    if ( found < -1 )
        return fail_option(failure, "xenopctl", context, rows, found);
    if ( poptPeekArg(context) )
        return fail_stray_word(failure, "xenopctl", poptPeekArg(context), rows);
    return check(line, failure);
}

/* Runs the commands in turn, up to the first that fails. */
static void run_commands(struct command_line *line, struct failure *failure)
{
    struct arguments arguments = {
        .start = &line->start,
        .json = line->switches[SWITCH_JSON],
        .prometheus = line->switches[SWITCH_PROMETHEUS],
        .verbose = line->switches[SWITCH_VERBOSE],
        .offline = line->values[SWITCH_OFFLINE],
        .table = line->values[SWITCH_TABLE],
        .cut = line->values[SWITCH_CUT],
        .anonymize = line->switches[SWITCH_ANONYMIZE],
        .no_module = line->switches[SWITCH_NO_MODULE],
    };

    if ( line->switches[SWITCH_VERSION] )
        puts("xenopctl " PACKAGE_VERSION);
    for ( size_t i = 0; !failure->status && i < line->count; i++ )
    {
        arguments.name = line->asked[i].value;
        arguments.seconds = line->asked[i].seconds;
        line->asked[i].command->run(&arguments, failure);
    }
}

int main(int argc, const char **argv)
{
    static struct rows rows;
    struct command_line line = {0};
    struct failure failure = {0};
    poptContext context;

    /* What may be printed; numbers stay as scripts expect them. */
    setlocale(LC_CTYPE, "");
    make_rows(&rows);
    start_options_init(&line.start);
    context = options_with_help(
        poptGetContext("xenopctl", argc, argv, rows.all, 0));
    if ( parse(context, rows.all, &line, &failure) == 0 && !line.printed )
        run_commands(&line, &failure);
    if ( !failure.status )
        options_print_end(&failure);
    if ( failure.text[0] )
        client_say(stderr, "", failure.text);
    start_options_free(&line.start);
    for ( size_t i = 0; i < SWITCHES; i++ )
        free(line.values[i]);
    for ( size_t i = 0; i < line.count; i++ )
        free(line.asked[i].value);
    poptFreeContext(context);
    return failure.status;
}
