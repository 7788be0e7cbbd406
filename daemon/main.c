/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xenoprofd: options, what is opened as root, and dropping privileges. */
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id-table.h"
#include "base/wrong-option.h"
#include "control/protocol.h"
#include "control/session-folders.h"
#include "control/xen-access.h"
#include "daemon.h"
#include "daemon/relay/porter.h"
#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/system/background.h"
#include "cage/notify.h"
#include "cage/privileges.h"
#include "daemon/system/say.h"
#include "xen-real.h"

#define USER_DEFAULT "xenoprof"

/* Descriptors: some for each of the guests that are known at a time. */
#define FILES_MAX 4096u

/* Locked bytes: the largest spool, and what hypercalls use. */
#define LOCKED_MAX (((uint64_t)SPOOL_MAX + 64) << 20)

struct daemon_arguments {
    int foreground;
    int version;
    bool printed; /* it only asked for a text */
    char *user;
    char *session_dir;
};

static int parse(int argc, const char **argv, struct daemon_arguments *ret,
                 struct failure *failure)
{
    const struct poptOption options[] = {
        {"foreground", 'f', POPT_ARG_NONE, &ret->foreground, 0,
         "stay in the foreground, print messages on stderr", NULL},
        {"user", 'u', POPT_ARG_STRING, &ret->user, 0,
         "run as this user (" USER_DEFAULT ")", "NAME"},
        {"session-dir", 0, POPT_ARG_STRING, &ret->session_dir, 0,
         "where an open session may be (" SESSION_DIR_DEFAULT ")", "DIR"},
        {"version", 0, POPT_ARG_NONE, &ret->version, 0,
         "print the version and exit", NULL},
        OPTIONS_HELP POPT_TABLEEND,
    };
    poptContext context = options_with_help(
        poptGetContext("xenoprofd", argc, argv, options, 0));
    int code = poptGetNextOpt(context);
    int status = 0;

    ret->printed = options_printed(context, code, "");
    if ( code < -1 )
        status = fail_option(failure, "xenoprofd", context, options, code);
    else if ( !ret->printed && poptPeekArg(context) )
        status = fail_stray_word(failure, "xenoprofd", poptPeekArg(context),
                                 options);
    else if ( ret->session_dir && (ret->session_dir[0] != '/' ||
                                   strlen(ret->session_dir) >= PATH_MAX) )
        status = fail(failure, STATUS_USAGE,
                      "--session-dir=%s must begin with '/'", ret->session_dir);
    if ( !status && !ret->printed && ret->version )
    {
        puts("xenoprofd " PACKAGE_VERSION);
        ret->printed = true;
    }
    poptFreeContext(context);
    return status;
}

/* As root: the folders that the user will write in. */
static int prepare_folders(const struct daemon *daemon,
                           const struct identity *identity,
                           struct failure *failure)
{
    char control[sizeof(daemon->server.path)];
    char *end;

    if ( session_dir_make_for(daemon->session_dir, identity->uid, identity->gid,
                              failure) )
        return failure->status;
    strcpy(control, daemon->server.path);
    end = strrchr(control, '/');
    if ( end && end != control )
    {
        *end = '\0';
        identity_give(identity, control);
    }
    return 0;
}

/* Called before anything is open that they must not have. */
static int start_keepers(struct keeper *keeper, struct keeper *porter,
                         const char *user, struct identity *identity,
                         struct failure *failure)
{
    int status = xen_access_check(failure);

    if ( !status )
        status = identity_find(user, identity, failure);
    if ( !status )
        status = porter_start(porter, identity, failure);
    if ( !status )
        status = keeper_start(keeper, identity, process_run, failure);
    /* The keeper's children read what guests wrote. */
    id_tables_reseed();
    return status;
}

/* Everything that needs root. */
static int open_as_root(struct daemon *daemon, const struct identity *identity,
                        struct failure *failure)
{
    int status = server_open(&daemon->server, control_path(), identity->uid,
                             failure);

    if ( !status )
        status = xen_real_open(daemon->xen, failure);
    if ( !status && xenoprof_prepare_xen(daemon->handle) )
        status = fail(failure, STATUS_NO_DAEMON, "%s",
                      xenoprof_message(daemon->handle));
    if ( !status )
        status = prepare_folders(daemon, identity, failure);
    if ( !status )
        status = loop_open(daemon, failure);
    return status;
}

/* A guest with a known kernel costs a socket and a mebibyte that the kernel may
 * not write to disk.  With less than this some guests have no names. */
static void raise_limits(void)
{
    const struct rlimit memory = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit files;

    setrlimit(RLIMIT_MEMLOCK, &memory);
    if ( getrlimit(RLIMIT_NOFILE, &files) )
        return;
    if ( files.rlim_max < FILES_MAX )
        files.rlim_max = FILES_MAX;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

static int become_small(struct daemon *daemon, const struct identity *identity,
                        struct failure *failure)
{
    int status;

    privileges_allow_locking(LOCKED_MAX);
    status = privileges_drop(identity, failure);

    if ( !status )
        status = privileges_forbid_dumps(failure);
    if ( !status )
    {
        daemon->domains_fd = xen_real_watch(daemon->xen);
        status = privileges_filter(failure);
    }
    return status ? status : privileges_verify(identity, failure);
}

static int run_until_end(const void *closure, int parent,
                         struct failure *failure)
{
    const struct daemon_arguments *arguments = closure;
    struct xen xen = {0};
    struct identity identity;
    struct keeper keeper, porter;
    struct process_maker maker = keeper_maker(&keeper);
    struct process_maker relays = keeper_maker(&porter);
    /* Large; on the stack it would hide main from profilers, whose windows of
     * a stack end before it. */
    static struct daemon daemon;
    int systemd = notify_open();
    int status;

    daemon.xen = &xen;
    daemon.handle = xenoprof_open();
    daemon.session_dir = arguments->session_dir ? arguments->session_dir
                                                : SESSION_DIR_DEFAULT;
    if ( !daemon.handle )
        return fail_memory(failure);
    umask(0077);
    raise_limits();
    status = start_keepers(&keeper, &porter,
                           arguments->user ? arguments->user : USER_DEFAULT,
                           &identity, failure);
    if ( !status )
        status = open_as_root(&daemon, &identity, failure);
    if ( !status )
        status = become_small(&daemon, &identity, failure);
    if ( status )
        return status;
    xen.maker = &maker;
    relays.work = maker.work;
    xen.relays = &relays;
    daemon.keeper = keeper.orders;
    daemon.porter = porter.orders;
    recording_init(&daemon.recording, &xen, daemon.handle);
    snprintf(daemon.recording.options.session_dir,
             sizeof(daemon.recording.options.session_dir), "%s",
             daemon.session_dir);
    if ( recording_adopt(&daemon.recording, daemon.session_dir) )
        say_note("going on with the open session in %s", daemon.session_dir);
    background_tell(parent, NULL);
    notify_send(systemd, "READY=1\nSTATUS=ready");
    status = loop_run(&daemon, failure);
    notify_send(systemd, "STOPPING=1");
    recording_free(&daemon.recording);
    keeper_stop(&keeper);
    keeper_stop(&porter);
    server_close(&daemon.server);
    return status;
}

int main(int argc, const char **argv)
{
    struct daemon_arguments arguments = {0};
    struct failure failure = {0};

    if ( parse(argc, argv, &arguments, &failure) )
        say_stderr(failure.text);
    else if ( !arguments.printed )
        background_run(run_until_end, &arguments, arguments.foreground);
    else if ( options_print_end(&failure) )
        say_stderr(failure.text);
    free(arguments.user);
    free(arguments.session_dir);
    return failure.status;
}
