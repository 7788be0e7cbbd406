/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opagent: options, what is opened as root, and the way down. */
#include <errno.h>
#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent-rights.h"
#include "agent-server.h"
#include "agent/proc-spaces.h"
#include "cage/keeper.h"
#include "cage/notify.h"
#include "base/end-signals.h"
#include "base/wrong-option.h"
#include "reader-process.h"
#include "user-readers.h"
#include "xen-place.h"

#define USER_DEFAULT "xenoprof"

/* What is held of processes, those that have ended for so long (ns), and of
 * what processes compiled themselves. */
#define HISTORY_BYTES (16u << 20)
#define HISTORY_KEEP  30000000000ull
#define JITS_BYTES    (8u << 20)

struct agent_arguments {
    char *socket;
    char *user;
    int no_events;
    int no_vchan;
    int version;
    bool printed; /* it only asked for a text */
};

static int parse(int argc, const char **argv, struct agent_arguments *ret,
                 struct failure *failure)
{
    const struct poptOption options[] = {
        {"socket", 's', POPT_ARG_STRING, &ret->socket, 0,
         "answer at this socket (" AGENT_SOCKET ")", "PATH"},
        {"user", 'u', POPT_ARG_STRING, &ret->user, 0,
         "run as this user, who may ask (" USER_DEFAULT ")", "NAME"},
        {"no-events", 0, POPT_ARG_NONE, &ret->no_events, 0,
         "follow processes by /proc, without perf events", NULL},
        {"no-vchan", 0, POPT_ARG_NONE, &ret->no_vchan, 0,
         "in a guest, let dom0 ask nothing", NULL},
        {"version", 0, POPT_ARG_NONE, &ret->version, 0,
         "print the version and exit", NULL},
        OPTIONS_HELP POPT_TABLEEND,
    };
    poptContext context = options_with_help(
        poptGetContext("opagent", argc, argv, options, 0));
    int code = poptGetNextOpt(context);
    int status = 0;

    ret->printed = options_printed(context, code, "");
    if ( code < -1 )
        status = fail_option(failure, "opagent", context, options, code);
    else if ( !ret->printed && poptPeekArg(context) )
        status = fail_stray_word(failure, "opagent", poptPeekArg(context),
                                 options);
    if ( !status && !ret->printed && ret->version )
    {
        puts("opagent " PACKAGE_VERSION);
        ret->printed = true;
    }
    poptFreeContext(context);
    return status;
}

/* Who is not root stays who it is. */
static int find_user(const char *name, struct identity *ret,
                     struct failure *failure)
{
    *ret = (struct identity){geteuid(), getegid()};
    return ret->uid ? 0 : identity_find(name, ret, failure);
}

/* What makes the processes that read files: before anything is open. */
static int start_keeper(struct keeper *keeper, const struct identity *user,
                        struct failure *failure)
{
    const struct keeper_kind kind = {"opagent-keeper", geteuid() ? NULL : user,
                                     reader_process_run, keeper_filter};

    return keeper_start_as(keeper, &kind, failure);
}

/* Events first: what happens while /proc is read comes in them. */
static int open_facts(struct agent_facts *facts,
                      const struct process_maker *maker, bool events,
                      struct failure *failure)
{
    static struct online_cpus cpus;
    static struct user_readers readers;
    const struct file_reader reader = user_readers_open(&readers, maker);

    facts->history = space_history_open(HISTORY_BYTES, HISTORY_KEEP);
    facts->files = file_names_open_for(&reader);
    facts->jits = jit_names_open(JITS_BYTES);
    if ( !facts->history || !facts->files || !facts->jits )
        return fail_memory(failure);
    online_cpus_open(&cpus, "/sys/devices/system/cpu/online",
                     perf_events_now());
    facts->events = events ? perf_events_open() : NULL;
    if ( events && !facts->events )
        fprintf(stderr,
                "opagent: the kernel does not let perf events follow "
                "processes (%s): each is looked at in /proc when it is asked "
                "for, and those that have ended by then have no names\n",
                strerror(errno));
    facts->sweep->ends_only = !facts->events;
    if ( !facts->events )
        return 0;
    facts->cpus = &cpus;
    proc_spaces_add(facts->history, perf_events_now);
    return 0;
}

/* In a guest dom0 may ask over a vchan.  Where there can be none, the socket
 * does not suffer. */
static void open_vchan(struct vchan_server *vchan)
{
    enum xen_place place = xen_place_find("/sys/hypervisor");
    struct failure failure = {0};

    if ( place == XEN_UNKNOWN )
        fprintf(stderr,
                "opagent: dom0 cannot ask, since xenstore does not say which "
                "domain this is (%s): see /dev/xen/xenbus, and start opagent "
                "again; it goes on with its socket\n",
                strerror(errno));
    if ( place == XEN_GUEST && vchan_server_open(vchan, "/dev/xen", &failure) )
        fprintf(stderr, "opagent: %s\n", failure.text);
}

static int serve(const struct agent_arguments *arguments,
                 struct failure *failure)
{
    static struct agent_server server;
    static struct vchan_server vchan = {.moves.fd = -1};
    static struct space_sweep sweep;
    static struct keeper keeper;
    struct agent_facts facts = {.sweep = &sweep};
    struct process_maker maker;
    struct identity user;
    int signals = end_signals_open();
    int status = find_user(arguments->user ? arguments->user : USER_DEFAULT,
                           &user, failure);

    server.notify = notify_open();
    server.keeper = &keeper;
    maker = keeper_maker(&keeper);
    if ( !status )
        status = start_keeper(&keeper, &user, failure);
    if ( !status )
        status = open_facts(&facts, &maker, !arguments->no_events, failure);
    if ( !status )
        status = agent_server_open(
            &server, arguments->socket ? arguments->socket : AGENT_SOCKET,
            user.uid, failure);
    if ( !status && !arguments->no_vchan )
        open_vchan(&vchan);
    if ( !status )
        status = agent_rights_drop(user.uid, user.gid, vchan.moves.fd, failure);
    if ( !status )
        status = agent_server_run(&server, &vchan, &facts, signals, failure);
    return status;
}

int main(int argc, const char **argv)
{
    struct agent_arguments arguments = {0};
    struct failure failure = {0};

    /* A sentence to a file is lost when no file may be written to any more. */
    signal(SIGXFSZ, SIG_IGN);
    if ( !parse(argc, argv, &arguments, &failure) )
    {
        if ( arguments.printed )
            options_print_end(&failure);
        else
            serve(&arguments, &failure);
    }
    if ( failure.status )
        fprintf(stderr, "opagent: %s\n", failure.text);
    free(arguments.socket);
    free(arguments.user);
    fflush(NULL);
    /* Not exit(): libraries end with calls that the filter does not allow. */
    _exit(failure.status);
}
